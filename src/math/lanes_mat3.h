// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// 3x3 matrices over lanes, by columns; their polar rotation and symmetric eigenvalues. Included after
// math/lanes.h.

#pragma once

#include "math/decompose_kernel.h"
#include "math/lanes.h"

typedef struct RMat3
{
    RVec3 cx, cy, cz;
} RMat3;

// Symmetric
typedef struct RSym3
{
    R xx, yy, zz, xy, xz, yz;
} RSym3;

SP_KERNEL RMat3 spMakeMatR(RVec3 cx, RVec3 cy, RVec3 cz)
{
    RMat3 a = {cx, cy, cz};
    return a;
}

SP_KERNEL RSym3 spMakeSymR(R xx, R yy, R zz, R xy, R xz, R yz)
{
    RSym3 a = {xx, yy, zz, xy, xz, yz};
    return a;
}

// s I
SP_KERNEL RMat3 spMakeDiagonalR(R s)
{
    R zero = spSplat(0);
    return spMakeMatR(spMakeVecR(s, zero, zero), spMakeVecR(zero, s, zero), spMakeVecR(zero, zero, s));
}

SP_KERNEL RVec3 spSubR(RVec3 a, RVec3 b)
{
    return spMakeVecR(a.x - b.x, a.y - b.y, a.z - b.z);
}

SP_KERNEL RVec3 spCrossR(RVec3 a, RVec3 b)
{
    return spMakeVecR(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

SP_KERNEL RMat3 spAddMatR(RMat3 a, RMat3 b)
{
    return spMakeMatR(spAddR(a.cx, b.cx), spAddR(a.cy, b.cy), spAddR(a.cz, b.cz));
}

SP_KERNEL RMat3 spSubMatR(RMat3 a, RMat3 b)
{
    return spMakeMatR(spSubR(a.cx, b.cx), spSubR(a.cy, b.cy), spSubR(a.cz, b.cz));
}

SP_KERNEL RMat3 spScaleMatR(R s, RMat3 a)
{
    return spMakeMatR(spScaleR(s, a.cx), spScaleR(s, a.cy), spScaleR(s, a.cz));
}

// A + s I
SP_KERNEL RMat3 spAddDiagonalR(RMat3 a, R s)
{
    a.cx.x += s;
    a.cy.y += s;
    a.cz.z += s;
    return a;
}

// A v
SP_KERNEL RVec3 spMulMVR(RMat3 a, RVec3 v)
{
    return spAddR(spAddR(spScaleR(v.x, a.cx), spScaleR(v.y, a.cy)), spScaleR(v.z, a.cz));
}

SP_KERNEL RMat3 spMulMatR(RMat3 a, RMat3 b)
{
    return spMakeMatR(spMulMVR(a, b.cx), spMulMVR(a, b.cy), spMulMVR(a, b.cz));
}

// A S
SP_KERNEL RMat3 spMulSymR(RMat3 a, RSym3 s)
{
    return spMakeMatR(spMulMVR(a, spMakeVecR(s.xx, s.xy, s.xz)), spMulMVR(a, spMakeVecR(s.xy, s.yy, s.yz)),
                      spMulMVR(a, spMakeVecR(s.xz, s.yz, s.zz)));
}

// A^T B
SP_KERNEL RMat3 spMulTMatR(RMat3 a, RMat3 b)
{
    return spMakeMatR(spMakeVecR(spDotR(a.cx, b.cx), spDotR(a.cy, b.cx), spDotR(a.cz, b.cx)),
                      spMakeVecR(spDotR(a.cx, b.cy), spDotR(a.cy, b.cy), spDotR(a.cz, b.cy)),
                      spMakeVecR(spDotR(a.cx, b.cz), spDotR(a.cy, b.cz), spDotR(a.cz, b.cz)));
}

// A B^T
SP_KERNEL RMat3 spMulMatTR(RMat3 a, RMat3 b)
{
    return spMakeMatR(spMulMVR(a, spMakeVecR(b.cx.x, b.cy.x, b.cz.x)),
                      spMulMVR(a, spMakeVecR(b.cx.y, b.cy.y, b.cz.y)),
                      spMulMVR(a, spMakeVecR(b.cx.z, b.cy.z, b.cz.z)));
}

SP_KERNEL R spTraceR(RMat3 a)
{
    return a.cx.x + a.cy.y + a.cz.z;
}

// Sum of A_ij B_ij
SP_KERNEL R spDotMatR(RMat3 a, RMat3 b)
{
    return spDotR(a.cx, b.cx) + spDotR(a.cy, b.cy) + spDotR(a.cz, b.cz);
}

// The matrix of cofactors: dJ/dF for J = det F
SP_KERNEL RMat3 spCofactorR(RMat3 a)
{
    return spMakeMatR(spCrossR(a.cy, a.cz), spCrossR(a.cz, a.cx), spCrossR(a.cx, a.cy));
}

// Its change when A changes by D
SP_KERNEL RMat3 spCofactorDifferenceR(RMat3 a, RMat3 d)
{
    return spMakeMatR(spAddR(spCrossR(d.cy, a.cz), spCrossR(a.cy, d.cz)),
                      spAddR(spCrossR(d.cz, a.cx), spCrossR(a.cz, d.cx)),
                      spAddR(spCrossR(d.cx, a.cy), spCrossR(a.cx, d.cy)));
}

// A^T A
SP_KERNEL RSym3 spGramR(RMat3 a)
{
    return spMakeSymR(spDotR(a.cx, a.cx), spDotR(a.cy, a.cy), spDotR(a.cz, a.cz), spDotR(a.cx, a.cy),
                      spDotR(a.cx, a.cz), spDotR(a.cy, a.cz));
}

// The symmetric part of A^T B, times 2
SP_KERNEL RSym3 spGramPairR(RMat3 a, RMat3 b)
{
    return spMakeSymR(spSplat(2) * spDotR(a.cx, b.cx), spSplat(2) * spDotR(a.cy, b.cy),
                      spSplat(2) * spDotR(a.cz, b.cz), spDotR(a.cx, b.cy) + spDotR(a.cy, b.cx),
                      spDotR(a.cx, b.cz) + spDotR(a.cz, b.cx), spDotR(a.cy, b.cz) + spDotR(a.cz, b.cy));
}

// One number of each lane
SP_KERNEL spReal spGetLane(R a, int lane)
{
#if SP_LANES == 1
    SP_UNUSED(lane);
    return a;
#else
    return a[lane];
#endif
}

SP_KERNEL void spSetLane(R* a, int lane, spReal value)
{
#if SP_LANES == 1
    SP_UNUSED(lane);
    *a = value;
#else
    (*a)[lane] = value;
#endif
}

// ---- polar rotation ----
//
// With F = R S, i1 = tr S, i2 and i3 = det F the invariants of S, Cayley-Hamilton gives without dividing by
// i3, so that flat and mirrored matrices are no exception,
//
//   R = ((i1^2 - i2) F + i1 cof F - F F^T F) / (i1 i2 - i3)
//
// i1 is the largest root of (i1^2 - |F|^2)^2 - 8 i3 i1 - 4 |cof F|^2 = 0, found by Newton's method from
// above: sqrt(3) |F| is the root itself when S is a multiple of the identity. The divisor is (s1 + s2) (s2 +
// s3) (s1
// + s3): it vanishes only where the nearest rotation is not unique. Near that, lane by lane, the careful
// decomposition in double takes over.

#ifdef SOUPLE_DOUBLE_PRECISION
#define SP_POLAR_TOLERANCE                                                                                   \
    ((spReal)1e-8) // relative step after which Newton's method is done: squared, it is nothing
#define SP_POLAR_LEAST ((spReal)1e-4) // of the divisor relative to |F|^3
#else
#define SP_POLAR_TOLERANCE ((spReal)1e-4)
#define SP_POLAR_LEAST ((spReal)0.02)
#endif
#define SP_POLAR_ROUNDS 16

// Lanes that `bad` marks, one by one. Not inlined: it is rare and long.
SP_LONG_KERNEL void spRepairRotation(const RMat3* f, const RMask* bad, RMat3* r, R* trace)
{
    for (int lane = 0; lane < SP_LANES; ++lane)
    {
#if SP_LANES == 1
        spMaskInt marked = *bad;
#else
        spMaskInt marked = (*bad)[lane];
#endif
        if (marked != 0)
        {
            const R* from = &f->cx.x;
            R* to = &r->cx.x;
            spReal a[9], rotation[9], stretch[9];
            for (int k = 0; k < 9; ++k)
            {
                a[k] = spGetLane(from[k], lane);
            }
            spDecomposePolarColumns(a, rotation, stretch);
            for (int k = 0; k < 9; ++k)
            {
                spSetLane(to + k, lane, rotation[k]);
            }
            spSetLane(trace, lane, stretch[0] + stretch[4] + stretch[8]);
        }
    }
}

// The rotation nearest to F, and the trace of S
SP_KERNEL RMat3 spGetPolarRotationR(RMat3 f, R* trace)
{
    RMat3 k = spCofactorR(f);
    R a = spDotMatR(f, f);
    R b4 = spSplat(4) * spDotMatR(k, k);
    R det = spDotR(f.cx, k.cx);
    R det8 = spSplat(8) * det;
    R i1 = spSqrt(spSplat(3) * a);
    R tiny = spSplat(SP_TINY_REAL);
    RMask active = a > tiny;
    for (int round = 0; round < SP_POLAR_ROUNDS && spAny(active); ++round)
    {
        R t = i1 * i1 - a;
        R value = t * t - (b4 + det8 * i1);
        R slope = spSplat(4) * i1 * t - det8;
        R step = spSelect(active & (slope > tiny), value / spMax(slope, tiny), spSplat(0));
        i1 = i1 - step;
        active = step > spSplat(SP_POLAR_TOLERANCE) * i1;
    }
    R t = i1 * i1 - a;
    R i2 = spSplat((spReal)0.5) * t;
    R divisor = i1 * i2 - det;
    RMask good = divisor > spSplat(SP_POLAR_LEAST) * a * i1;
    R inverse = spSplat(1) / spMax(divisor, tiny);
    RMat3 fc = spMulSymR(f, spGramR(f));
    RMat3 sum = spSubMatR(spAddMatR(spScaleMatR(i1 * i1 - i2, f), spScaleMatR(i1, k)), fc);
    RMat3 r = spScaleMatR(inverse, sum);
    RMask bad = active | spNot(good);
    *trace = i1;
    if (SP_UNLIKELY(spAny(bad)))
    {
        spRepairRotation(&f, &bad, &r, trace);
    }
    return r;
}

// ---- symmetric eigenvalues ----

#ifdef SOUPLE_DOUBLE_PRECISION
#define SP_JACOBI_SWEEPS 6
#else
#define SP_JACOBI_SWEEPS 4
#endif

// Turns in the plane of two axes so that their off-diagonal element vanishes. pp, qq, pq are its plane, pr
// and qr the elements towards the third axis; vp and vq the two columns of the rotation.
SP_KERNEL void spTurnJacobi(R* pp, R* qq, R* pq, R* pr, R* qr, RVec3* vp, RVec3* vq)
{
    // tan of the angle, the smaller root of t^2 + 2 w t - 1 = 0 with w = (qq - pp) / (2 pq), written without
    // dividing by pq: t = 2 pq / (d + sign(d) sqrt(d^2 + 4 pq^2))
    R d = *qq - *pp;
    R twice = *pq + *pq;
    R root = spSqrt(d * d + twice * twice);
    R divisor = d + spSelect(d < spSplat(0), spSplat(0) - root, root);
    RMask turn = divisor != spSplat(0);
    R t = spSelect(turn, twice / spSelect(turn, divisor, spSplat(1)), spSplat(0));
    R c = spSplat(1) / spSqrt(spSplat(1) + t * t);
    R s = t * c;
    R shift = t * *pq;
    *pp = *pp - shift;
    *qq = *qq + shift;
    *pq = spSplat(0);
    R oldPr = *pr;
    *pr = c * oldPr - s * *qr;
    *qr = s * oldPr + c * *qr;
    RVec3 oldVp = *vp;
    *vp = spSubR(spScaleR(c, oldVp), spScaleR(s, *vq));
    *vq = spAddR(spScaleR(s, oldVp), spScaleR(c, *vq));
}

// A = V diag(d) V^T with V a rotation; in no order
SP_KERNEL RVec3 spDiagonaliseR(RSym3 a, RMat3* v)
{
    *v = spMakeDiagonalR(spSplat(1));
    for (int sweep = 0; sweep < SP_JACOBI_SWEEPS; ++sweep)
    {
        spTurnJacobi(&a.xx, &a.yy, &a.xy, &a.xz, &a.yz, &v->cx, &v->cy);
        spTurnJacobi(&a.xx, &a.zz, &a.xz, &a.xy, &a.yz, &v->cx, &v->cz);
        spTurnJacobi(&a.yy, &a.zz, &a.yz, &a.xy, &a.xz, &v->cy, &v->cz);
    }
    return spMakeVecR(a.xx, a.yy, a.zz);
}
