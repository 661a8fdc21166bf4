// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// One row of energy of a tetrahedron: C = sqrt(2 W), W the energy for each volume, with
// compliance 1 whatever the law is. J_i = P y_i / C, P = dW/dF. Where C is 0 it has no direction and nothing
// to do.
//
// Bender, Koschier, Charrier, Weber. Position-Based Simulation of Continuous Materials. 2014

#pragma once

#include "element/tet_rows_kernel.h"

// 2 W and P. One function for all laws that have such a row: choosing among them is nothing beside the
// arithmetic, and each of its own would take the compiler long.
SP_LONG_KERNEL void spFindEnergy(spTetLaw law, const RMat3* f, const spTetMaterial* m, R* twice, RMat3* p)
{
    RMat3 g = spAddDiagonalR(*f, spSplat(-1));
    switch (law)
    {
        case sp_tetLinear:
            *p = spLinearStressR(g, *m);
            *twice = spDotMatR(g, *p);
            break;
        case sp_tetStVenantKirchhoff:
        {
            RSym3 e = spGetGreenStrainR(*f), s = spHookeR(e, *m); // e is twice the strain
            *p = spMulSymR(*f, s);
            R shear = e.xy * s.xy + e.xz * s.xz + e.yz * s.yz;
            *twice = spHalf(e.xx * s.xx + e.yy * s.yy + e.zz * s.zz) + shear;
            break;
        }
        case sp_tetHybrid:
            *p = spHybridStressR(g, *m);
            *twice = spDotMatR(g, *p);
            break;
        default:
        {
            R trace, two = m->mu + m->mu;
            RMat3 r = spGetPolarRotationR(*f, &trace);
            RMat3 d = spSubMatR(*f, r);
            R grown = trace - spSplat(3);
            *p = spAddMatR(spScaleMatR(two, d), spScaleMatR(m->la * grown, r));
            *twice = two * spDotMatR(d, d) + m->la * grown * grown;
            break;
        }
    }
}

SP_KERNEL R spVisitEnergy(spRowUse use, int law, bool damped, const spRowElement* e, R* l, RVec3* out)
{
    R one = spSplat(1), zero = spSplat(0), tiny = spSplat(SP_TINY_REAL);
    spTetRow t = spGetTetRow(e);
    spTetMaterial m = {spGetNumber(e->numbers, sp_energyMu), spGetNumber(e->numbers, sp_energyLambda), one};
    RMat3 q;
    R value, a = spGetNumber(e->numbers, sp_energyCompliance);
    spFindEnergy((spTetLaw)law, &t.f, &m, &value, &q);
    RMask strained = value > tiny;
    value = spSqrt(spMax(value, tiny));
    q = spScaleMatR(one / value, q);
    if (use == sp_rowTranspose)
    {
        spMaskEmpty(e, 1, l);
        spGetTetPush(t.rows, spScaleMatR(spSelect(strained, *l, zero), q), out);
        return zero;
    }
    R residual = value + a * *l;
    if (use == sp_rowMeasure)
    {
        return spSquareRows(e, &residual, 1);
    }
    R mass = spDotMatR(q, spMulSymR(q, spGetTetGram(e)));
    if (damped)
    {
        R g = spGetNumber(e->numbers, sp_tetRowDamping);
        residual = residual + g * spDotMatR(q, spGetTetWay(e, &t));
        mass = (one + g) * mass;
    }
    R dl = (zero - residual) / (mass + a);
    spMoveTet(e, &t, 1, spScaleMatR(dl, q), &dl, strained, l, out);
    return zero;
}
