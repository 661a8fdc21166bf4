// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Distances of two nodes: one row C = |x1 - x0| - rest. Tethers act only against growing.

#pragma once

#include "element/rows_kernel.h"
#include "element/spring_kernel.h"

SP_KERNEL R spVisitDistance(spRowUse use, int tether, bool damped, const spRowElement* e, R* l, RVec3* out)
{
    R zero = spSplat(0);
    RVec3 d = spSubR(e->x[1], e->x[0]);
    spSpringShape shape = spGetSpringShape(d);
    R answer = spGetNumber(e->numbers, sp_distanceAnswer);
    RMask acts = answer > zero;
    if (use == sp_rowTranspose)
    {
        *out = spScaleR(spSelect(acts, *l, zero) * shape.inverse, d);
        return zero;
    }
    R value = shape.length - spGetNumber(e->numbers, sp_distanceRest);
    R residual = value + spGetNumber(e->numbers, sp_distanceCompliance) * *l;
    if (tether)
    {
        // Nothing pulls before it is tight; what pulls already may let go to nothing
        residual = spSelect((residual > zero) | (*l < zero), residual, zero);
    }
    if (use == sp_rowMeasure)
    {
        return spSelect(acts, residual * residual, zero);
    }
    if (damped)
    {
        R g = spGetNumber(e->numbers, sp_distanceDamping);
        RVec3 way = spSubR(d, spSubR(e->start[1], e->start[0]));
        residual = residual + g * spDotR(way, d) * shape.inverse;
    }
    R dl = zero - residual * answer;
    if (tether)
    {
        dl = spMin(dl, zero - *l);
    }
    dl = e->share * dl;
    *l = *l + dl;
    *out = spScaleR(dl * shape.inverse, d);
    return zero;
}
