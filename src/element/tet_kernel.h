// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The laws of a tetrahedron over R lanes: stress P = dW/dF from the deformation gradient F, its change dP
// for a change dF, and the energy W, all per volume. G = F - I, C = F^T F, J = det F, K = cof F = dJ/dF.
//
//   linear               e = (G + G^T) / 2                     P = 2 mu e + la tr(e) I
//   corotational         F = R S, polar                        P = 2 mu (F - R) + la tr(S - I) R
//   corotational, edge   R from two edges, e = sym(R^T F) - I  P = R (2 mu e + la tr(e) I)
//   St-Venant-Kirchhoff  E = (C - I) / 2                       P = F (2 mu E + la tr(E) I)
//   hybrid               (Debunne)                             P = mu G + (la + mu) tr(G) I
//   Mooney-Rivlin        W = m/2 (I1 - 3 - log((I1 + 1)/4)) + c2 (I2 - 3) - (3/4 m + 4 c2) (J - 1)
//                            + k/2 (J - 1)^2
//                        I1 = tr C, I2 = |K|^2, mu = 3/4 m + 2 c2, k = la + 5/8 m: finite for every F. The
//                        logarithm leaves an element that was pressed to a point no rest there.
//   neo-Hookean          the same with c2 = 0
//                        (Smith, de Goes, Kim. Stable Neo-Hookean Flesh Simulation. 2018)
//
// All have the Lame constants mu and la at rest. The edge rotation leaves its own change out of the forces,
// so they are not the gradient of an energy and have a torque of their own.
//
// Projected differences leave out what makes the stiffness indefinite. Corotational: the change of R.
// Hyperelastic: in the axes of the singular values s of F, where the difference falls apart into a 3x3 matrix
// for the stretches and two numbers for each pair of axes, negative eigenvalues are set to 0.
//
//   F = D B     D the edges from node 0 in columns, B the inverse of the rest edges
//   force on node k = -V P b_k, b_k row k of B; node 0 takes the opposite of the sum
//
// Teran, Sifakis, Irving, Fedkiw. Robust Quasistatic Finite Elements and Flesh Simulation. 2005

#pragma once

#include "math/lanes_mat3.h"

#include "souple/element.h"

typedef struct spTetMaterial
{
    R mu, la;
    R mooney; // 2 c2 / mu
} spTetMaterial;

// Numbers of one tet
typedef struct spTetData
{
    RVec3 rows[3]; // of B
    R volume;
    spTetMaterial material; // times the volume
} spTetData;

// D B
SP_KERNEL RMat3 spMakeGradient(const RVec3* rows, const RVec3* edges)
{
    RMat3 f;
    f.cx = spAddR(spAddR(spScaleR(rows[0].x, edges[0]), spScaleR(rows[1].x, edges[1])),
                  spScaleR(rows[2].x, edges[2]));
    f.cy = spAddR(spAddR(spScaleR(rows[0].y, edges[0]), spScaleR(rows[1].y, edges[1])),
                  spScaleR(rows[2].y, edges[2]));
    f.cz = spAddR(spAddR(spScaleR(rows[0].z, edges[0]), spScaleR(rows[1].z, edges[1])),
                  spScaleR(rows[2].z, edges[2]));
    return f;
}

// Forces on the nodes of a stress that is multiplied by the volume already
SP_KERNEL void spGetStressForces(const RVec3* rows, RMat3 p, RVec3* f)
{
    R zero = spSplat(0);
    f[0] = spMakeVecR(zero, zero, zero);
    SP_UNROLL
    for (int k = 0; k < 3; ++k)
    {
        RVec3 h = spMulMVR(p, rows[k]);
        f[0] = spAddR(f[0], h);
        f[k + 1] = spMakeVecR(zero - h.x, zero - h.y, zero - h.z);
    }
}

SP_KERNEL spTetMaterial spScaleMaterial(spTetMaterial m, spReal s)
{
    m.mu = spSplat(s) * m.mu;
    m.la = spSplat(s) * m.la;
    return m;
}

SP_KERNEL R spHalf(R a)
{
    return spSplat((spReal)0.5) * a;
}

SP_KERNEL RSym3 spHookeR(RSym3 twiceStrain, spTetMaterial m)
{
    R t = spHalf(m.la * (twiceStrain.xx + twiceStrain.yy + twiceStrain.zz));
    return spMakeSymR(m.mu * twiceStrain.xx + t, m.mu * twiceStrain.yy + t, m.mu * twiceStrain.zz + t,
                      m.mu * twiceStrain.xy, m.mu * twiceStrain.xz, m.mu * twiceStrain.yz);
}

// mu (A + A^T) + la tr(A) I
SP_KERNEL RMat3 spLinearStressR(RMat3 a, spTetMaterial m)
{
    R two = spSplat(2);
    R t = m.la * spTraceR(a);
    R xy = m.mu * (a.cy.x + a.cx.y), xz = m.mu * (a.cz.x + a.cx.z), yz = m.mu * (a.cz.y + a.cy.z);
    return spMakeMatR(spMakeVecR(two * m.mu * a.cx.x + t, xy, xz),
                      spMakeVecR(xy, two * m.mu * a.cy.y + t, yz),
                      spMakeVecR(xz, yz, two * m.mu * a.cz.z + t));
}

SP_KERNEL RMat3 spHybridStressR(RMat3 a, spTetMaterial m)
{
    return spAddDiagonalR(spScaleMatR(m.mu, a), (m.la + m.mu) * spTraceR(a));
}

// Rotation from the first two columns of F. The gradient of such a set is taken in the rest frame of its
// edges, in which these columns lie along the first edge and in the plane of the first two.
SP_KERNEL RMat3 spGetEdgeRotationR(RMat3 f)
{
    R tiny = spSplat(SP_TINY_REAL);
    RVec3 n = spCrossR(f.cx, f.cy);
    RVec3 b0 = spScaleR(spSplat(1) / spSqrt(spMax(spDotR(f.cx, f.cx), tiny)), f.cx);
    RVec3 b2 = spScaleR(spSplat(1) / spSqrt(spMax(spDotR(n, n), tiny)), n);
    return spMakeMatR(b0, spCrossR(b2, b0), b2);
}

// 2 E = C - I
SP_KERNEL RSym3 spGetGreenStrainR(RMat3 f)
{
    RSym3 c = spGramR(f);
    R one = spSplat(1);
    return spMakeSymR(c.xx - one, c.yy - one, c.zz - one, c.xy, c.xz, c.yz);
}

// The hyperelastic laws that know F only through I1, I2 and J: P = a F - b F C + g K, a = m - m/(I1 + 1) + b
// I1, b = 2 c2, g = k (J - 1) - 3/4 m - 2 b
typedef struct spInvariants
{
    R m, b, bulk;
} spInvariants;

SP_KERNEL spInvariants spGetInvariants(spTetLaw law, spTetMaterial m)
{
    spInvariants n;
    n.b = law == sp_tetMooneyRivlin ? m.mooney * m.mu : spSplat(0);
    n.m = spSplat((spReal)(4.0 / 3.0)) * (m.mu - n.b);
    n.bulk = m.la + spSplat((spReal)0.625) * n.m;
    return n;
}

SP_KERNEL R spGetOnF(spInvariants n, R i1)
{
    return n.m - n.m / (i1 + spSplat(1)) + n.b * i1;
}

SP_KERNEL R spGetOnCofactor(spInvariants n, R j)
{
    return n.bulk * (j - spSplat(1)) - spSplat((spReal)0.75) * n.m - spSplat(2) * n.b;
}

SP_KERNEL RMat3 spGetTetStress(spTetLaw law, RMat3 f, spTetMaterial m)
{
    switch (law)
    {
        case sp_tetLinear:
            return spLinearStressR(spAddDiagonalR(f, spSplat(-1)), m);
        case sp_tetHybrid:
            return spHybridStressR(spAddDiagonalR(f, spSplat(-1)), m);
        case sp_tetCorotational:
        {
            R trace;
            RMat3 r = spGetPolarRotationR(f, &trace);
            R two = m.mu + m.mu;
            return spAddMatR(spScaleMatR(two, f), spScaleMatR(m.la * (trace - spSplat(3)) - two, r));
        }
        case sp_tetCorotationalEdge:
        {
            RMat3 r = spGetEdgeRotationR(f);
            return spMulMatR(r, spLinearStressR(spAddDiagonalR(spMulTMatR(r, f), spSplat(-1)), m));
        }
        case sp_tetStVenantKirchhoff:
            return spMulSymR(f, spHookeR(spGetGreenStrainR(f), m));
        default:
        {
            RMat3 k = spCofactorR(f);
            spInvariants n = spGetInvariants(law, m);
            RMat3 p = spAddMatR(spScaleMatR(spGetOnF(n, spDotMatR(f, f)), f),
                                spScaleMatR(spGetOnCofactor(n, spDotR(f.cx, k.cx)), k));
            if (law == sp_tetMooneyRivlin)
            {
                p = spSubMatR(p, spScaleMatR(n.b, spMulSymR(f, spGramR(f))));
            }
            return p;
        }
    }
}

// The change of the polar rotation: (tr S I - S) w = axis of (R^T dF - dF^T R), dR = R [w]
SP_KERNEL RMat3 spGetRotationDifferenceR(RMat3 r, RMat3 f, R trace, RMat3 w)
{
    RMat3 s = spMulTMatR(r, f);
    R xx = trace - s.cx.x, yy = trace - s.cy.y, zz = trace - s.cz.z;
    R xy = spSplat(0) - spHalf(s.cy.x + s.cx.y), xz = spSplat(0) - spHalf(s.cz.x + s.cx.z),
      yz = spSplat(0) - spHalf(s.cz.y + s.cy.z);
    RVec3 axis = {w.cy.z - w.cz.y, w.cz.x - w.cx.z, w.cx.y - w.cy.x};
    // By cofactors; the determinant is (s1 + s2) (s2 + s3) (s1 + s3)
    R kxx = yy * zz - yz * yz, kxy = xz * yz - xy * zz, kxz = xy * yz - xz * yy;
    R kyy = xx * zz - xz * xz, kyz = xy * xz - xx * yz, kzz = xx * yy - xy * xy;
    R det = xx * kxx + xy * kxy + xz * kxz;
    R least = spSplat(SP_POLAR_LEAST) * spMax(trace * trace * trace, spSplat(SP_TINY_REAL));
    R inverse = spSplat(1) / spMax(det, least);
    RVec3 o = {inverse * (kxx * axis.x + kxy * axis.y + kxz * axis.z),
               inverse * (kxy * axis.x + kyy * axis.y + kyz * axis.z),
               inverse * (kxz * axis.x + kyz * axis.y + kzz * axis.z)};
    R zero = spSplat(0);
    RMat3 turn = {{zero, o.z, zero - o.y}, {zero - o.z, zero, o.x}, {o.y, zero - o.x, zero}};
    return spMulMatR(r, turn);
}

SP_KERNEL RMat3 spGetExactDifference(spTetLaw law, RMat3 f, RMat3 d, spTetMaterial m)
{
    switch (law)
    {
        case sp_tetCorotational:
        {
            R trace;
            RMat3 r = spGetPolarRotationR(f, &trace);
            RMat3 w = spMulTMatR(r, d);
            RMat3 dr = spGetRotationDifferenceR(r, f, trace, w);
            R two = m.mu + m.mu;
            RMat3 p = spAddMatR(spScaleMatR(two, d), spScaleMatR(m.la * spTraceR(w), r));
            return spAddMatR(p, spScaleMatR(m.la * (trace - spSplat(3)) - two, dr));
        }
        case sp_tetStVenantKirchhoff:
        {
            RSym3 stress = spHookeR(spGetGreenStrainR(f), m);
            RSym3 change = spHookeR(spGramPairR(f, d), m);
            return spAddMatR(spMulSymR(d, stress), spMulSymR(f, change));
        }
        default:
        {
            RMat3 k = spCofactorR(f);
            R i1 = spDotMatR(f, f);
            spInvariants n = spGetInvariants(law, m);
            R q = spSplat(1) / (i1 + spSplat(1));
            R di1 = spSplat(2) * spDotMatR(f, d);
            RMat3 p =
                spAddMatR(spScaleMatR(spGetOnF(n, i1), d),
                          spScaleMatR(spGetOnCofactor(n, spDotR(f.cx, k.cx)), spCofactorDifferenceR(f, d)));
            p = spAddMatR(p, spScaleMatR((n.m * q * q + n.b) * di1, f));
            p = spAddMatR(p, spScaleMatR(n.bulk * spDotMatR(k, d), k));
            if (law == sp_tetMooneyRivlin)
            {
                RMat3 dfc = spAddMatR(spMulSymR(d, spGramR(f)), spMulSymR(f, spGramPairR(f, d)));
                p = spSubMatR(p, spScaleMatR(n.b, dfc));
            }
            return p;
        }
    }
}

// ---- projected differences in the axes of the singular values ----

// What the difference needs to know at principal stretches s: second derivatives of W by them, and for each
// pair (i, j) of axes, named by the third one, the stiffness against their symmetric and skew shear, (Wi -
// Wj) / (si - sj) and (Wi + Wj) / (si + sj), in forms that have no 0/0
typedef struct spPrincipal
{
    RSym3 stretch;
    RVec3 shear;
    RVec3 turn;
} spPrincipal;

SP_KERNEL spPrincipal spGetPrincipal(spTetLaw law, RVec3 s, spTetMaterial m)
{
    R one = spSplat(1), two = spSplat(2);
    RVec3 q = {s.x * s.x, s.y * s.y, s.z * s.z};
    R i1 = q.x + q.y + q.z;
    RVec3 pair = {s.y * s.z, s.z * s.x, s.x * s.y};
    // Sums of the squares of each pair
    RVec3 both = {q.y + q.z, q.z + q.x, q.x + q.y};
    spPrincipal p;
    if (law == sp_tetStVenantKirchhoff)
    {
        R t = spHalf(m.la * (i1 - spSplat(3)));
        R sum = m.la + two * m.mu;
        p.stretch =
            spMakeSymR(m.mu * (q.x - one) + t + sum * q.x, m.mu * (q.y - one) + t + sum * q.y,
                       m.mu * (q.z - one) + t + sum * q.z, m.la * pair.z, m.la * pair.y, m.la * pair.x);
        p.shear = spMakeVecR(m.mu * (both.x + pair.x - one) + t, m.mu * (both.y + pair.y - one) + t,
                             m.mu * (both.z + pair.z - one) + t);
        p.turn = spMakeVecR(m.mu * (both.x - pair.x - one) + t, m.mu * (both.y - pair.y - one) + t,
                            m.mu * (both.z - pair.z - one) + t);
        return p;
    }
    // With a, b, g as in P: Wi = a si - b si^3 + g Ji, Ji the product of the other two
    spInvariants n = spGetInvariants(law, m);
    R a = spGetOnF(n, i1), g = spGetOnCofactor(n, s.x * pair.x), r = one / (i1 + one);
    R onF = two * (n.m * r * r + n.b), onK = n.bulk;
    R three = spSplat(3);
    p.stretch = spMakeSymR(a - three * n.b * q.x + onF * q.x + onK * pair.x * pair.x,
                           a - three * n.b * q.y + onF * q.y + onK * pair.y * pair.y,
                           a - three * n.b * q.z + onF * q.z + onK * pair.z * pair.z,
                           onF * pair.z + onK * pair.x * pair.y + g * s.z,
                           onF * pair.y + onK * pair.x * pair.z + g * s.y,
                           onF * pair.x + onK * pair.y * pair.z + g * s.x);
    p.shear = spMakeVecR(a - n.b * (both.x + pair.x) - g * s.x, a - n.b * (both.y + pair.y) - g * s.y,
                         a - n.b * (both.z + pair.z) - g * s.z);
    p.turn = spMakeVecR(a - n.b * (both.x - pair.x) + g * s.x, a - n.b * (both.y - pair.y) + g * s.y,
                        a - n.b * (both.z - pair.z) + g * s.z);
    return p;
}

// F = U diag(s) V^T with V a rotation and U one too: the smallest s takes the sign of det F
SP_KERNEL RVec3 spGetSingularR(RMat3 f, RMat3* u, RMat3* v)
{
    RVec3 d = spDiagonaliseR(spGramR(f), v);
    // The axis of the smallest value is the last one: cyclic exchange keeps V a rotation
    for (int turn = 0; turn < 2; ++turn)
    {
        RMask move = d.z > spMin(d.x, d.y);
        RVec3 dOld = d;
        RMat3 old = *v;
        d = spMakeVecR(spSelect(move, dOld.z, dOld.x), spSelect(move, dOld.x, dOld.y),
                       spSelect(move, dOld.y, dOld.z));
        v->cx = spMakeVecR(spSelect(move, old.cz.x, old.cx.x), spSelect(move, old.cz.y, old.cx.y),
                           spSelect(move, old.cz.z, old.cx.z));
        v->cy = spMakeVecR(spSelect(move, old.cx.x, old.cy.x), spSelect(move, old.cx.y, old.cy.y),
                           spSelect(move, old.cx.z, old.cy.z));
        v->cz = spMakeVecR(spSelect(move, old.cy.x, old.cz.x), spSelect(move, old.cy.y, old.cz.y),
                           spSelect(move, old.cy.z, old.cz.z));
    }
    // U by Gram-Schmidt from the images of the two larger axes
    R tiny = spSplat(SP_TINY_REAL);
    RVec3 a = spMulMVR(f, v->cx), b = spMulMVR(f, v->cy);
    R lengthA = spSqrt(spDotR(a, a));
    RVec3 u0 = spScaleR(spSplat(1) / spMax(lengthA, tiny), a);
    b = spSubR(b, spScaleR(spDotR(u0, b), u0));
    R lengthB = spSqrt(spDotR(b, b));
    RVec3 u1 = spScaleR(spSplat(1) / spMax(lengthB, tiny), b);
    RVec3 u2 = spCrossR(u0, u1);
    *u = spMakeMatR(u0, u1, u2);
    return spMakeVecR(lengthA, lengthB, spDotR(u2, spMulMVR(f, v->cz)));
}

// What projected differences at one F need to know
typedef struct spProjection
{
    RMat3 u, v;
    RMat3 stretch; // without its negative eigenvalues
    RVec3 shear, turn;
} spProjection;

SP_KERNEL spProjection spMakeProjection(spTetLaw law, RMat3 f, spTetMaterial m)
{
    R zero = spSplat(0);
    spProjection n;
    RVec3 s = spGetSingularR(f, &n.u, &n.v);
    spPrincipal p = spGetPrincipal(law, s, m);
    RMat3 axes;
    RVec3 d = spDiagonaliseR(p.stretch, &axes);
    RMat3 scaled = {spScaleR(spMax(d.x, zero), axes.cx), spScaleR(spMax(d.y, zero), axes.cy),
                    spScaleR(spMax(d.z, zero), axes.cz)};
    n.stretch = spMulMatTR(scaled, axes);
    n.shear = spMakeVecR(spMax(p.shear.x, zero), spMax(p.shear.y, zero), spMax(p.shear.z, zero));
    n.turn = spMakeVecR(spMax(p.turn.x, zero), spMax(p.turn.y, zero), spMax(p.turn.z, zero));
    return n;
}

SP_KERNEL RMat3 spProjectDifference(const spProjection* n, RMat3 d)
{
    RMat3 w = spMulMatR(spMulTMatR(n->u, d), n->v);
    RVec3 diagonal = spMulMVR(n->stretch, spMakeVecR(w.cx.x, w.cy.y, w.cz.z));
    R yzPlus = spHalf(n->shear.x * (w.cz.y + w.cy.z)), yzMinus = spHalf(n->turn.x * (w.cz.y - w.cy.z));
    R zxPlus = spHalf(n->shear.y * (w.cx.z + w.cz.x)), zxMinus = spHalf(n->turn.y * (w.cx.z - w.cz.x));
    R xyPlus = spHalf(n->shear.z * (w.cy.x + w.cx.y)), xyMinus = spHalf(n->turn.z * (w.cy.x - w.cx.y));
    RMat3 dp = {{diagonal.x, xyPlus - xyMinus, zxPlus + zxMinus},
                {xyPlus + xyMinus, diagonal.y, yzPlus - yzMinus},
                {zxPlus - zxMinus, yzPlus + yzMinus, diagonal.z}};
    return spMulMatTR(spMulMatR(n->u, dp), n->v);
}

// The laws whose projected difference goes through the singular values
SP_KERNEL bool spIsHyperelastic(spTetLaw law)
{
    return law == sp_tetStVenantKirchhoff || law == sp_tetNeoHookean || law == sp_tetMooneyRivlin;
}

SP_KERNEL RMat3 spGetTetDifference(spTetLaw law, RMat3 f, RMat3 d, spTetMaterial m, bool project)
{
    if (law == sp_tetLinear)
    {
        return spLinearStressR(d, m);
    }
    if (law == sp_tetHybrid)
    {
        return spHybridStressR(d, m);
    }
    if (law == sp_tetCorotationalEdge || (law == sp_tetCorotational && project))
    {
        R trace;
        RMat3 r = law == sp_tetCorotational ? spGetPolarRotationR(f, &trace) : spGetEdgeRotationR(f);
        return spMulMatR(r, spLinearStressR(spMulTMatR(r, d), m));
    }
    if (project)
    {
        spProjection n = spMakeProjection(law, f, m);
        return spProjectDifference(&n, d);
    }
    return spGetExactDifference(law, f, d, m);
}

// Viscous stress for the rate dF/dt: Kelvin and Voigt with the strain rate that goes with the law, which is
// 0 for every rigid motion, except with linear and hybrid strain, which know no rotations
SP_KERNEL RMat3 spGetTetViscousStress(spTetLaw law, RMat3 f, RMat3 rate, spTetMaterial viscous)
{
    return law == sp_tetLinear || law == sp_tetHybrid ? spLinearStressR(rate, viscous)
                                                      : spMulSymR(f, spHookeR(spGramPairR(f, rate), viscous));
}

// The stress of a rate dF/dt by the model of damping: viscous, or Rayleigh's share of the projected stiffness
SP_KERNEL RMat3 spGetDampingStress(spTetLaw law, bool viscous, RMat3 f, RMat3 rate, spTetMaterial m)
{
    return viscous ? spGetTetViscousStress(law, f, rate, m) : spGetTetDifference(law, f, rate, m, true);
}

// ---- many differences at one F, for matrices ----

typedef struct spTetSystem
{
    spTetLaw law;
    bool project; // the stiffness
    bool damped;  // anything beside it
    bool viscous; // by the strain rate; else Rayleigh's, another share of the projected stiffness
    spTetMaterial stiff, damping;
    RMat3 f;
    spProjection stiffness, rayleigh; // of hyperelastic laws, where they are projected
} spTetSystem;

SP_KERNEL void spPrepareTetSystem(spTetSystem* t)
{
    if (t->project && spIsHyperelastic(t->law))
    {
        t->stiffness = spMakeProjection(t->law, t->f, t->stiff);
    }
    if (t->damped && t->viscous == false && spIsHyperelastic(t->law))
    {
        t->rayleigh = spMakeProjection(t->law, t->f, t->damping);
    }
}

SP_KERNEL RMat3 spGetSystemStress(const spTetSystem* t, RMat3 d)
{
    bool hyper = spIsHyperelastic(t->law);
    RMat3 p = t->project && hyper ? spProjectDifference(&t->stiffness, d)
                                  : spGetTetDifference(t->law, t->f, d, t->stiff, t->project);
    if (t->damped && t->viscous == false)
    {
        p = spAddMatR(p, hyper ? spProjectDifference(&t->rayleigh, d)
                               : spGetTetDifference(t->law, t->f, d, t->damping, true));
    }
    else if (t->damped)
    {
        p = spAddMatR(p, spGetTetViscousStress(t->law, t->f, d, t->damping));
    }
    return p;
}

// The forces on the nodes when the node with this row of B moves by one unit along an axis
SP_KERNEL void spGetSystemColumn(const spTetSystem* t, const RVec3* rows, RVec3 b, int axis, RVec3* f)
{
    RMat3 d = spMakeDiagonalR(spSplat(0));
    (&d.cx.x)[axis] = b.x;
    (&d.cy.x)[axis] = b.y;
    (&d.cz.x)[axis] = b.z;
    spGetStressForces(rows, spGetSystemStress(t, d), f);
}

// ---- differences of the laws of constant moduli as gradients ----
//
// E = -((g_i.g_j) I + b g_j g_i^T + c g_i g_j^T): gradients in the frame of the element, times the root of the
// volume and what stands before g_i.g_j, which is a

// Fills in g of the nodes
SP_KERNEL void spGetTurnedGradients(spTetLaw law, RMat3 f, const RVec3* rows, R a, RVec3* g)
{
    R scale = spSqrt(a), trace;
    RMat3 r = spMakeDiagonalR(scale);
    if (law == sp_tetCorotational || law == sp_tetCorotationalEdge)
    {
        r = law == sp_tetCorotational ? spGetPolarRotationR(f, &trace) : spGetEdgeRotationR(f);
        r = spScaleMatR(scale, r);
    }
    R zero = spSplat(0);
    RVec3 sum = {zero, zero, zero};
    SP_UNROLL
    for (int k = 0; k < 3; ++k)
    {
        g[k + 1] = spMulMVR(r, rows[k]);
        sum = spAddR(sum, g[k + 1]);
    }
    g[0] = spMakeVecR(zero - sum.x, zero - sum.y, zero - sum.z);
}

// ---- levels ----

// Root of 3/2 of the square of the deviator
SP_KERNEL R spGetVonMisesR(RSym3 a)
{
    R x = a.xx - a.yy, y = a.yy - a.zz, z = a.zz - a.xx;
    return spSqrt(spHalf(x * x + y * y + z * z) + spSplat(3) * (a.xy * a.xy + a.xz * a.xz + a.yz * a.yz));
}

// Twice the symmetric part
SP_KERNEL RSym3 spGetTwiceSymmetricR(RMat3 a)
{
    R two = spSplat(2);
    return spMakeSymR(two * a.cx.x, two * a.cy.y, two * a.cz.z, a.cy.x + a.cx.y, a.cz.x + a.cx.z,
                      a.cz.y + a.cy.z);
}

// Volume times von Mises stress (when asked for) and equivalent strain, and the volume: of Cauchy's stress
// P F^T / J, J no smaller than where a tet counts as flat, and Green's strain; of P itself and the small strain
// for the laws of small strain
SP_KERNEL RVec3 spGetTetLevel(spTetLaw law, RMat3 f, const spTetData* t, bool stress)
{
    bool small = law == sp_tetLinear || law == sp_tetHybrid;
    R third = spSplat((spReal)(1.0 / 3.0)), least = spSplat(SP_FLAT_VOLUME_RATIO);
    RSym3 twiceStrain = small ? spGetTwiceSymmetricR(f) : spGramR(f);
    RVec3 level = {spSplat(0), t->volume * third * spGetVonMisesR(twiceStrain), t->volume};
    if (stress)
    {
        RMat3 p = spGetTetStress(law, f, t->material); // times the volume
        R j = spDotR(f.cx, spCrossR(f.cy, f.cz));
        R over = small ? spSplat(1) : spMax(spMax(j, spSplat(0) - j), least);
        p = small ? p : spMulMatTR(p, f);
        level.x = spHalf(spGetVonMisesR(spGetTwiceSymmetricR(p))) / over;
    }
    return level;
}

// ---- energies ----

// What the energy of each volume follows from, by spGetEnergyDensity: squares and traces of strains, or of rubber
// I1, I2 and J
SP_KERNEL RVec3 spGetEnergyNumbers(spTetLaw law, RMat3 f, spTetMaterial m)
{
    R zero = spSplat(0);
    switch (law)
    {
        case sp_tetHybrid:
        {
            RMat3 g = spAddDiagonalR(f, spSplat(-1));
            return spMakeVecR(spDotMatR(g, g), spTraceR(g), zero);
        }
        case sp_tetCorotational:
        {
            R trace;
            RMat3 strain = spSubMatR(f, spGetPolarRotationR(f, &trace));
            return spMakeVecR(spDotMatR(strain, strain), trace - spSplat(3), zero);
        }
        case sp_tetStVenantKirchhoff:
        {
            RSym3 e = spGetGreenStrainR(f); // twice
            R square = e.xx * e.xx + e.yy * e.yy + e.zz * e.zz +
                       spSplat(2) * (e.xy * e.xy + e.xz * e.xz + e.yz * e.yz);
            return spMakeVecR(spSplat((spReal)0.25) * square, spHalf(e.xx + e.yy + e.zz), zero);
        }
        case sp_tetNeoHookean:
        case sp_tetMooneyRivlin:
        {
            RMat3 k = spCofactorR(f);
            return spMakeVecR(spDotMatR(f, f), spDotMatR(k, k), spDotR(f.cx, k.cx));
        }
        default:
        {
            RMat3 strain = law == sp_tetLinear ? f : spMulTMatR(spGetEdgeRotationR(f), f);
            strain = spAddDiagonalR(strain, spSplat(-1));
            return spMakeVecR(spDotMatR(strain, spLinearStressR(strain, m)), zero, zero);
        }
    }
}
