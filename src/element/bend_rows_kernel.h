// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Hinges: one row C = angle - rest angle, the short way round. Where a triangle degenerates the hinge fades out
// as its forces do: with the fade f
//
//   (f J W J^T (1 + g) + a) dl = -(f (C + g J (x - start)) + a lambda)
//
// so that lambda ends as f C / a, and nothing is divided by f.

#pragma once

#include "element/bend_kernel.h"
#include "element/rows_kernel.h"

SP_KERNEL spHingeVectors spGetHingeEdges(const RVec3* x)
{
    spHingeVectors d = {spSubR(x[1], x[0]), spSubR(x[2], x[0]), spSubR(x[3], x[0])};
    return d;
}

SP_KERNEL R spVisitBend(spRowUse use, int law, bool damped, const spRowElement* e, R* l, RVec3* out)
{
    SP_UNUSED(law);
    R zero = spSplat(0), one = spSplat(1);
    spHingeVectors d = spGetHingeEdges(e->x);
    R fading = spGetNumber(e->numbers, sp_bendFading);
    spHingeShape s = spGetHingeShape(&d, fading);
    RVec3 g[4];
    spBalanceHinge(&s.gradient, g);
    if (use == sp_rowTranspose)
    {
        R given = spSelect(fading > zero, *l, zero);
        SP_UNROLL
        for (int k = 0; k < 4; ++k)
        {
            out[k] = spScaleR(given, g[k]);
        }
        return zero;
    }
    R a = spGetNumber(e->numbers, sp_bendCompliance);
    R value = spGetTurn(spGetNumber(e->numbers, sp_bendRest), s.angle);
    if (use == sp_rowMeasure)
    {
        R residual = s.fade * value + a * *l;
        return residual * residual;
    }
    R mass = zero;
    SP_UNROLL
    for (int k = 0; k < 4; ++k)
    {
        mass = mass + e->w[k] * spDotR(g[k], g[k]);
    }
    if (damped)
    {
        R time = spGetNumber(e->numbers, sp_bendDamping);
        spHingeVectors start = spGetHingeEdges(e->start);
        spHingeVectors way = {spSubR(d.e, start.e), spSubR(d.a, start.a), spSubR(d.b, start.b)};
        value = value + time * spGetHingeRate(&s, &way);
        mass = mass * (one + time);
    }
    R dl = zero - (s.fade * value + a * *l) / (s.fade * mass + a);
    dl = e->share * dl;
    *l = *l + dl;
    SP_UNROLL
    for (int k = 0; k < 4; ++k)
    {
        out[k] = spScaleR(dl * e->w[k], g[k]);
    }
    return zero;
}
