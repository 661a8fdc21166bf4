// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The arithmetic of one hinge, two triangles at an edge, over R lanes.
//
//        2          e = x1 - x0, a = x2 - x0, b = x3 - x0
//      /   \        nA = e x a, nB = b x e: twice the area vectors
//    0 ---e--- 1    theta: angle between nA and nB, 0 when flat, positive when the tips 2 and 3 lean to the
//      \   /        side that the normals point to
//        3
//
//   U = k (theta - theta0)^2 / 2,  f = -(k (theta - theta0) + c theta') dtheta/dx
//
// with k the stiffness of this hinge in N m and theta' = dtheta/dx . v, which a rigid motion does not have.
// The gradient of theta is normal to the triangles: at the tips one over their heights, g2 = |e| nA / |nA|^2
// and g3 = |e| nB / |nB|^2; at the ends of the edge what balances them, shared as the feet of the tips divide
// the edge. Differences differentiate these formulas along a displacement, which needs no matrix.
//
// Grinspun, Hirani, Desbrun, Schroeder. Discrete Shells. 2003
// Tamstorf, Grinspun. Discrete Bending Forces and Their Jacobians. 2013

#pragma once

#include "math/lanes_mat3.h"

#ifdef SOUPLE_DOUBLE_PRECISION
#define SP_ARC_TERMS 11
#else
#define SP_ARC_TERMS 6
#endif

#define SP_PI_REAL ((spReal)3.14159265358979323846)

// 2 arctan(u) for |u| <= 1: two times half the angle, then the series, whose argument is below 0.2 by then
SP_KERNEL R spGetTwiceArc(R u)
{
    for (int i = 0; i < 2; ++i)
    {
        u = u / (spSplat(1) + spSqrt(spSplat(1) + u * u));
    }
    R u2 = u * u;
    R sum = spSplat(0);
    for (int i = SP_ARC_TERMS - 1; i >= 0; --i)
    {
        spReal term = 1 / (spReal)(2 * i + 1);
        sum = spSplat(i % 2 == 0 ? term : -term) + u2 * sum;
    }
    return spSplat(8) * u * sum;
}

// The angle with this sine and cosine, both times the same length
SP_KERNEL R spGetAngle(R sine, R cosine, R length)
{
    // tan(theta / 2) = sine / (length + cosine); an obtuse angle is measured from the half turn
    R size = spMax(cosine, -cosine);
    R angle = spGetTwiceArc(sine / spMax(length + size, spSplat(SP_TINY_REAL)));
    R half = spSelect(sine < spSplat(0), spSplat(-SP_PI_REAL), spSplat(SP_PI_REAL));
    return spSelect(cosine < spSplat(0), half - angle, angle);
}

// The way from one angle to another, the short way round: a hinge that folds through itself goes on smoothly
SP_KERNEL R spGetTurn(R from, R to)
{
    R turn = to - from;
    turn = spSelect(turn > spSplat(SP_PI_REAL), turn - spSplat(2 * SP_PI_REAL), turn);
    return spSelect(turn < spSplat(-SP_PI_REAL), turn + spSplat(2 * SP_PI_REAL), turn);
}

// Three vectors of a hinge: of the nodes 1, 2, 3, relative to node 0
typedef struct spHingeVectors
{
    RVec3 e, a, b;
} spHingeVectors;

SP_KERNEL spHingeVectors spMakeHinge(const RVec3* edges)
{
    spHingeVectors h = {edges[0], edges[1], edges[2]};
    return h;
}

// The vectors of all nodes when they sum to zero
SP_KERNEL void spBalanceHinge(const spHingeVectors* h, RVec3* f)
{
    f[0] = spScaleR(spSplat(-1), spAddR(spAddR(h->e, h->a), h->b));
    f[1] = h->e;
    f[2] = h->a;
    f[3] = h->b;
}

typedef struct spHingeShape
{
    R length;             // of the edge
    R inverse2;           // 1 / length^2
    RVec3 nA, nB;         // twice the area vectors
    R inverseA, inverseB; // 1 / n^2
    R footA, footB;       // where the tips stand above the edge, as a share of it
    R angle;
    R fade;                  // 1; towards 0 when a triangle degenerates
    spHingeVectors gradient; // of the angle; that of node 0 is minus their sum
} spHingeShape;

// fading: one over the square of twice an area, below which the hinge fades out, 1/m^4
SP_KERNEL spHingeShape spGetHingeShape(const spHingeVectors* d, R fading)
{
    spHingeShape s;
    R length2 = spMax(spDotR(d->e, d->e), spSplat(SP_TINY_REAL));
    s.length = spSqrt(length2);
    s.inverse2 = spSplat(1) / length2;
    s.nA = spCrossR(d->e, d->a);
    s.nB = spCrossR(d->b, d->e);
    R sizeA = spMax(spDotR(s.nA, s.nA), spSplat(SP_TINY_REAL));
    R sizeB = spMax(spDotR(s.nB, s.nB), spSplat(SP_TINY_REAL));
    s.inverseA = spSplat(1) / sizeA;
    s.inverseB = spSplat(1) / sizeB;
    // Over length^2, so that nothing leaves the range: the heights of the tips remain
    s.angle = spGetAngle(s.length * s.inverse2 * spDotR(s.nA, d->b), s.inverse2 * spDotR(s.nA, s.nB),
                         spSqrt((sizeA * s.inverse2) * (sizeB * s.inverse2)));
    s.fade = spMin(sizeA * fading, spSplat(1)) * spMin(sizeB * fading, spSplat(1));
    s.footA = spDotR(d->a, d->e) * s.inverse2;
    s.footB = spDotR(d->b, d->e) * s.inverse2;
    s.gradient.a = spScaleR(s.length * s.inverseA, s.nA);
    s.gradient.b = spScaleR(s.length * s.inverseB, s.nB);
    s.gradient.e = spAddR(spScaleR(-s.footA, s.gradient.a), spScaleR(-s.footB, s.gradient.b));
    return s;
}

// The change of the angle for a displacement, or its rate for velocities
SP_KERNEL R spGetHingeRate(const spHingeShape* s, const spHingeVectors* d)
{
    return spDotR(s->gradient.e, d->e) + spDotR(s->gradient.a, d->a) + spDotR(s->gradient.b, d->b);
}

// Forces on the nodes 1, 2, 3 that a moment makes
SP_KERNEL spHingeVectors spGetMomentForces(const spHingeVectors* gradient, R moment)
{
    spHingeVectors f = {spScaleR(-moment, gradient->e), spScaleR(-moment, gradient->a),
                        spScaleR(-moment, gradient->b)};
    return f;
}

// The change of |e| n / n^2
SP_KERNEL RVec3 spGetTipChange(R length, R dLength, RVec3 n, RVec3 dn, R inverse)
{
    RVec3 m = spScaleR(inverse, n);
    RVec3 dm = spScaleR(inverse, spSubR(dn, spScaleR(spSplat(2) * spDotR(n, dn), m)));
    return spAddR(spScaleR(dLength, m), spScaleR(length, dm));
}

// The change of the gradient of the angle for a displacement u at the shape d
SP_KERNEL spHingeVectors spGetGradientChange(const spHingeShape* s, const spHingeVectors* d,
                                             const spHingeVectors* u)
{
    R along = spDotR(d->e, u->e);
    R dLength = along * s->length * s->inverse2;
    RVec3 dnA = spAddR(spCrossR(u->e, d->a), spCrossR(d->e, u->a));
    RVec3 dnB = spAddR(spCrossR(u->b, d->e), spCrossR(d->b, u->e));
    R dFootA = (spDotR(u->a, d->e) + spDotR(d->a, u->e) - spSplat(2) * s->footA * along) * s->inverse2;
    R dFootB = (spDotR(u->b, d->e) + spDotR(d->b, u->e) - spSplat(2) * s->footB * along) * s->inverse2;
    spHingeVectors change;
    change.a = spGetTipChange(s->length, dLength, s->nA, dnA, s->inverseA);
    change.b = spGetTipChange(s->length, dLength, s->nB, dnB, s->inverseB);
    RVec3 partA = spAddR(spScaleR(-dFootA, s->gradient.a), spScaleR(-s->footA, change.a));
    RVec3 partB = spAddR(spScaleR(-dFootB, s->gradient.b), spScaleR(-s->footB, change.b));
    change.e = spAddR(partA, partB);
    return change;
}

// Numbers of one hinge
typedef struct spHingeData
{
    R rest;   // angle, rad
    R k;      // N m
    R c;      // N m s
    R fading; // 1/m^4
} spHingeData;

// Forces on the nodes 1, 2, 3; that on node 0 is minus their sum. v NULL: without damping
SP_KERNEL spHingeVectors spGetHingeForces(const spHingeVectors* d, const spHingeVectors* v,
                                          const spHingeData* h)
{
    spHingeShape s = spGetHingeShape(d, h->fading);
    R moment = h->k * spGetTurn(h->rest, s.angle);
    if (v != NULL)
    {
        moment = moment + h->c * spGetHingeRate(&s, v);
    }
    return spGetMomentForces(&s.gradient, s.fade * moment);
}

// Their change for dx and dv. Positions change the damping too: that is left out, as springs do. project
// leaves only what cannot make the stiffness indefinite.
SP_KERNEL spHingeVectors spGetHingeDifference(const spHingeVectors* d, const spHingeVectors* dx,
                                              const spHingeVectors* dv, const spHingeData* h, bool project)
{
    spHingeShape s = spGetHingeShape(d, h->fading);
    R dMoment = h->k * spGetHingeRate(&s, dx) + h->c * spGetHingeRate(&s, dv);
    spHingeVectors f = spGetMomentForces(&s.gradient, s.fade * dMoment);
    if (project)
    {
        return f;
    }
    spHingeVectors change = spGetGradientChange(&s, d, dx);
    spHingeVectors turned = spGetMomentForces(&change, s.fade * h->k * spGetTurn(h->rest, s.angle));
    f.e = spAddR(f.e, turned.e);
    f.a = spAddR(f.a, turned.a);
    f.b = spAddR(f.b, turned.b);
    return f;
}
