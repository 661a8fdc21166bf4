// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Green strain of tetrahedra: six rows (F^T F - I) / 2 in the order xx yy zz yz xz xy,
// shear rows twice the tensor. With y_i the gradient of node i, J of the row ab is y_a F_b + y_b F_a, so that
// J W J^T is made of Y = sum of w_i y_i y_i^T and C = F^T F. It changes with the state and is factored at
// every visit.
//
// Boukadida. Acceleration de la simulation des corps mous pour les applications en temps reel. 2020

#pragma once

#include "element/tet_rows_kernel.h"

// Share of its diagonal at which a pivot counts as 0
#ifdef SOUPLE_DOUBLE_PRECISION
#define SP_LEAST_PIVOT ((spReal)1e-14)
#else
#define SP_LEAST_PIVOT ((spReal)1e-6)
#endif

// J W J^T, lower half
SP_KERNEL void spFillGreenSystem(RSym3 y, RSym3 c, R a[6][6])
{
    a[0][0] = y.xx * c.xx;
    a[1][0] = y.xy * c.xy;
    a[1][1] = y.yy * c.yy;
    a[2][0] = y.xz * c.xz;
    a[2][1] = y.yz * c.yz;
    a[2][2] = y.zz * c.zz;
    a[3][0] = y.xy * c.xz + y.xz * c.xy;
    a[3][1] = y.yy * c.yz + y.yz * c.yy;
    a[3][2] = y.yz * c.zz + y.zz * c.yz;
    a[3][3] = y.yy * c.zz + (y.yz + y.yz) * c.yz + y.zz * c.yy;
    a[4][0] = y.xx * c.xz + y.xz * c.xx;
    a[4][1] = y.xy * c.yz + y.yz * c.xy;
    a[4][2] = y.xz * c.zz + y.zz * c.xz;
    a[4][3] = y.xy * c.zz + y.yz * c.xz + y.xz * c.yz + y.zz * c.xy;
    a[4][4] = y.xx * c.zz + (y.xz + y.xz) * c.xz + y.zz * c.xx;
    a[5][0] = y.xx * c.xy + y.xy * c.xx;
    a[5][1] = y.xy * c.yy + y.yy * c.xy;
    a[5][2] = y.xz * c.yz + y.yz * c.xz;
    a[5][3] = y.xy * c.yz + y.yy * c.xz + y.xz * c.yy + y.yz * c.xy;
    a[5][4] = y.xx * c.yz + y.xz * c.xy + y.xy * c.xz + y.yz * c.xx;
    a[5][5] = y.xx * c.yy + (y.xy + y.xy) * c.xy + y.yy * c.xx;
}

// x = -A^-1 b by A = L D L^T; A is used up. Returns the lanes where all pivots are positive.
SP_KERNEL RMask spSolveGreen(R a[6][6], const R* b, R* x)
{
    R zero = spSplat(0), one = spSplat(1), inverse[6];
    RMask solved = zero == zero;
    SP_UNROLL_ALL
    for (int j = 0; j < 6; ++j)
    {
        R pivot = a[j][j], above[6];
        SP_UNROLL_ALL
        for (int k = 0; k < j; ++k)
        {
            above[k] = a[j][k] * inverse[k]; // of L; a keeps L D
            pivot = pivot - above[k] * a[j][k];
        }
        RMask good = pivot > spSplat(SP_LEAST_PIVOT) * a[j][j];
        solved = solved & good;
        inverse[j] = one / spSelect(good, pivot, one);
        SP_UNROLL_ALL
        for (int i = j + 1; i < 6; ++i)
        {
            SP_UNROLL_ALL
            for (int k = 0; k < j; ++k)
            {
                a[i][j] = a[i][j] - above[k] * a[i][k];
            }
        }
    }
    SP_UNROLL_ALL
    for (int i = 0; i < 6; ++i)
    {
        x[i] = zero - b[i];
        SP_UNROLL_ALL
        for (int k = 0; k < i; ++k)
        {
            x[i] = x[i] - a[i][k] * x[k];
        }
        x[i] = x[i] * inverse[i];
    }
    SP_UNROLL_ALL
    for (int i = 4; i >= 0; --i)
    {
        R sum = zero;
        SP_UNROLL_ALL
        for (int k = i + 1; k < 6; ++k)
        {
            sum = sum + a[k][i] * x[k];
        }
        x[i] = x[i] - sum * inverse[i];
    }
    return solved;
}

SP_KERNEL R spVisitGreen(spRowUse use, int law, bool damped, const spRowElement* e, R* l, RVec3* out)
{
    SP_UNUSED(law);
    R one = spSplat(1), half = spSplat((spReal)0.5);
    spTetRow t = spGetTetRow(e);
    if (use == sp_rowTranspose)
    {
        spMaskEmpty(e, 6, l);
        spGetTetPush(t.rows, spTurnRows(t.f, l), out);
        return spSplat(0);
    }
    RSym3 gram = spGramR(t.f);
    R s = spGetNumber(e->numbers, sp_greenCompliance), nu = spGetNumber(e->numbers, sp_greenPoisson);
    R strain[6] = {
        half * (gram.xx - one), half * (gram.yy - one), half * (gram.zz - one), gram.yz, gram.xz, gram.xy};
    spAddCompliance(s, nu, l, strain);
    if (use == sp_rowMeasure)
    {
        return spSquareRows(e, strain, 6);
    }
    R a[6][6], dl[6];
    spFillGreenSystem(spGetTetGram(e), gram, a);
    if (damped)
    {
        R rate[6], g = spGetNumber(e->numbers, sp_tetRowDamping);
        spTakeStrain(t.f, spGetTetWay(e, &t), rate);
        SP_UNROLL_ALL
        for (int i = 0; i < 6; ++i)
        {
            strain[i] = strain[i] + g * rate[i];
            SP_UNROLL_ALL
            for (int j = 0; j <= i; ++j)
            {
                a[i][j] = (one + g) * a[i][j];
            }
        }
    }
    R cross = s * nu, shear = (s + cross) + (s + cross);
    SP_UNROLL
    for (int k = 0; k < 3; ++k)
    {
        a[k][k] = a[k][k] + s;
        a[k + 3][k + 3] = a[k + 3][k + 3] + shear;
    }
    a[1][0] = a[1][0] - cross;
    a[2][0] = a[2][0] - cross;
    a[2][1] = a[2][1] - cross;
    RMask solved = spSolveGreen(a, strain, dl);
    spMoveTet(e, &t, 6, spTurnRows(t.f, dl), dl, solved, l, out);
    return spSplat(0);
}
