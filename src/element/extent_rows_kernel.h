// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Areas of triangles and volumes of tetrahedra: C = (A - A0) / sqrt(A0), (V - V0) / sqrt(V0).
//
//   A = |n| / 2, n = (x1 - x0) x (x2 - x0)         dA/dx1 = (x2 - x0) x n / (2 |n|), dA/dx2 = n x (x1 - x0) / (2 |n|)
//   V = (x1 - x0) . (x2 - x0) x (x3 - x0) / 6      dV/dx1 = (x2 - x0) x (x3 - x0) / 6 and so on
//
// The gradient at node 0 is minus the sum of the others. It fades as an element collapses, and a step that
// undoes all of C at once would throw its nodes away: J W J^T is taken as some percent of what it is at rest
// at least, which changes the way but not where it ends.

#pragma once

#include "element/rows_kernel.h"

// Size and gradients at the nodes, of count nodes
SP_KERNEL R spGetExtent(const RVec3* x, int count, RVec3* g)
{
    RVec3 a = spSubR(x[1], x[0]), b = spSubR(x[2], x[0]);
    RVec3 n = spCrossR(a, b);
    R size;
    if (count == 3)
    {
        R square = spMax(spDotR(n, n), spSplat(SP_TINY_REAL));
        R length = spSqrt(square), half = spSplat((spReal)0.5);
        RVec3 unit = spScaleR(half / length, n);
        size = half * length;
        g[1] = spCrossR(b, unit);
        g[2] = spCrossR(unit, a);
        g[0] = spScaleR(spSplat(-1), spAddR(g[1], g[2]));
        return size;
    }
    RVec3 c = spSubR(x[3], x[0]);
    R sixth = spSplat((spReal)(1.0 / 6.0));
    g[1] = spScaleR(sixth, spCrossR(b, c));
    g[2] = spScaleR(sixth, spCrossR(c, a));
    g[3] = spScaleR(sixth, n);
    g[0] = spScaleR(spSplat(-1), spAddR(spAddR(g[1], g[2]), g[3]));
    return spDotR(a, g[1]);
}

// count: nodes, 3 or 4
SP_KERNEL R spVisitExtent(spRowUse use, int count, bool damped, const spRowElement* e, R* l, RVec3* out)
{
    R zero = spSplat(0), one = spSplat(1);
    RVec3 g[4];
    R size = spGetExtent(e->x, count, g);
    R scale = spGetNumber(e->numbers, sp_extentScale);
    if (use == sp_rowTranspose)
    {
        R given = scale * spSelect(scale > zero, *l, zero);
        SP_UNROLL
        for (int k = 0; k < count; ++k)
        {
            out[k] = spScaleR(given, g[k]);
        }
        return zero;
    }
    R a = spGetNumber(e->numbers, sp_extentCompliance);
    R residual = scale * (size - spGetNumber(e->numbers, sp_extentRest)) + a * *l;
    if (use == sp_rowMeasure)
    {
        return residual * residual;
    }
    R mass = zero, weight = zero;
    SP_UNROLL
    for (int k = 0; k < count; ++k)
    {
        mass = mass + e->w[k] * spDotR(g[k], g[k]);
        weight = weight + e->w[k];
    }
    mass = spMax(scale * scale * mass, spGetNumber(e->numbers, sp_extentLeast) * weight);
    if (damped)
    {
        R rate = zero, time = spGetNumber(e->numbers, sp_extentDamping);
        SP_UNROLL
        for (int k = 0; k < count; ++k)
        {
            rate = rate + spDotR(g[k], spSubR(e->x[k], e->start[k]));
        }
        residual = residual + time * scale * rate;
        mass = mass * (one + time);
    }
    R dl = zero - residual / spMax(mass + a, spSplat(SP_TINY_REAL));
    dl = e->share * spSelect(mass + a > zero, dl, zero);
    *l = *l + dl;
    R push = dl * scale;
    SP_UNROLL
    for (int k = 0; k < count; ++k)
    {
        out[k] = spScaleR(push * e->w[k], g[k]);
    }
    return zero;
}
