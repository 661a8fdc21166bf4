// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Strain rows of tetrahedra: six rows C = sqrt(V) (S - I), S = sym(R^T F), in the order xx
// yy zz yz xz xy, shear rows twice the tensor. R is the polar rotation, that of two edges, or none, by the
// law; its own change is left out of J, which leaves the forces exact.
//
// Multipliers are kept times sqrt(V), so that the root appears nowhere but in the residual:
//
//   (G (1 + g) + a) dl = -(S - I + a l + g J (x - start)),  a = alpha / (V h^2)
//   dx_i = w_i R T y_i,  T the symmetric matrix of dl, y_i the gradient of node i
//
// G = sum w_i (rows of y_i) does not depend on the state, so that its inverse is part of the data.
// Boukadida. Acceleration de la simulation des corps mous pour les applications en temps reel. 2020

#pragma once

#include "element/tet_rows_kernel.h"

SP_KERNEL RMat3 spGetStrainFrame(spTetLaw law, RMat3 f)
{
    R trace;
    switch (law)
    {
        case sp_tetCorotational:
            return spGetPolarRotationR(f, &trace);
        case sp_tetCorotationalEdge:
            return spGetEdgeRotationR(f);
        default:
            return spMakeDiagonalR(spSplat(1));
    }
}

// -A^-1 b with the upper half of A^-1
SP_KERNEL void spSolveStrain(const spReal* numbers, const R* b, R* dl)
{
    int place = sp_strainInverse;
    R zero = spSplat(0);
    SP_UNROLL_ALL
    for (int i = 0; i < 6; ++i)
    {
        dl[i] = zero;
    }
    SP_UNROLL_ALL
    for (int i = 0; i < 6; ++i)
    {
        SP_UNROLL_ALL
        for (int j = i; j < 6; ++j)
        {
            R a = spGetNumber(numbers, place++);
            dl[i] = dl[i] - a * b[j];
            if (j > i)
            {
                dl[j] = dl[j] - a * b[i];
            }
        }
    }
}

SP_KERNEL R spVisitStrain(spRowUse use, int law, bool damped, const spRowElement* e, R* l, RVec3* out)
{
    spTetRow t = spGetTetRow(e);
    RMat3 r = spGetStrainFrame((spTetLaw)law, t.f);
    R strain[6], dl[6];
    if (use == sp_rowTranspose)
    {
        spMaskEmpty(e, 6, l);
        spGetTetPush(t.rows, spTurnRows(r, l), out);
        return spSplat(0);
    }
    spTakeStrain(r, t.f, strain);
    SP_UNROLL
    for (int k = 0; k < 3; ++k)
    {
        strain[k] = strain[k] - spSplat(1);
    }
    spAddCompliance(spGetNumber(e->numbers, sp_strainCompliance), spGetNumber(e->numbers, sp_strainPoisson),
                    l, strain);
    if (use == sp_rowMeasure)
    {
        return spSquareRows(e, strain, 6);
    }
    if (damped)
    {
        R rate[6], g = spGetNumber(e->numbers, sp_tetRowDamping);
        spTakeStrain(r, spGetTetWay(e, &t), rate);
        SP_UNROLL_ALL
        for (int k = 0; k < 6; ++k)
        {
            strain[k] = strain[k] + g * rate[k];
        }
    }
    spSolveStrain(e->numbers, strain, dl);
    SP_UNROLL_ALL
    for (int k = 0; k < 6; ++k)
    {
        dl[k] = e->share * dl[k];
        l[k] = l[k] + dl[k];
    }
    spGetTetMoves(t.rows, spTurnRows(r, dl), e->w, out);
    return spSplat(0);
}
