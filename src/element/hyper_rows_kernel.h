// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Rows of the hyperelastic laws of a tetrahedron that know F only through its invariants (element/tet_kernel.h):
//
//   volume    C = det F      energy k/2 (C - rest)^2, rest = 1 + (3/4 m + 2 b) / k
//   second    C = |cof F|    energy b/2 C^2                     Mooney-Rivlin alone
//   stretch   C = |F|        energy m/2 (C^2 - log(C^2 + 1))
//
// With Q = dC/dF, J_i = Q y_i and J W J^T of two rows is Q_r : Q_s Y. Stretch is brought to the form of all
// rows: it counts as E'/E'', its compliance as 1/E''.
//
// At rest the rows pull against each other, and all that resists shear is that their directions turn with it.
// Only what turns between two visits is seen: a stiff tet whose multipliers grew to their end at once would
// be thrown past rest. So stretch and second grow by no more than moves F by a share of its size, and the
// volume by as much less as leaves the change of volume the same.
//
// Damping acts along the rows: near rest it damps swelling as the law does, and shear not at all.
//
// Macklin, Mueller. A Constraint-based Formulation of Stable Neo-Hookean Materials. 2021
// Ton-That, Kry, Andrews. Parallel block Neo-Hookean XPBD using graph clustering. 2023

#pragma once

#include "element/tet_rows_kernel.h"

// Most that stretch and second change F by in one visit, as a share of its size
#define SP_LARGEST_PULL ((spReal)0.25)

// Share of J W J^T of stretch that the one of the volume counts at least: it is 0 where F is flat
#define SP_LEAST_VOLUME ((spReal)0.01)

// Below this, E'' of stretch over m is not taken smaller: it is 0 where F is 0
#define SP_LEAST_BEND ((spReal)1e-3)

// Share of J W J^T that a pivot has at least beside the compliance: what rounding leaves
#ifdef SOUPLE_DOUBLE_PRECISION
#define SP_ROUNDING ((spReal)1e-14)
#else
#define SP_ROUNDING ((spReal)1e-6)
#endif

typedef struct spHyperRows
{
    RMat3 q[3]; // volume, second where there is one, stretch
    R value[3];
    R compliance[3]; // over V h^2
} spHyperRows;

SP_KERNEL spHyperRows spFindHyperRows(const spReal* numbers, RMat3 f, bool mooney)
{
    R tiny = spSplat(SP_TINY_REAL), one = spSplat(1), three = spSplat(3);
    spHyperRows h;
    RMat3 k = spCofactorR(f);
    R i1 = spDotMatR(f, f), s = spSqrt(i1);
    int last = mooney ? 2 : 1;
    h.q[0] = k;
    h.value[0] = spDotR(f.cx, k.cx) - spGetNumber(numbers, sp_hyperRest);
    h.compliance[0] = spGetNumber(numbers, sp_hyperBulk);
    if (mooney)
    {
        R size = spSqrt(spDotMatR(k, k));
        RMat3 sum = spSubMatR(spScaleMatR(i1, f), spMulSymR(f, spGramR(f)));
        h.q[1] = spScaleMatR(one / spMax(size, tiny), sum);
        h.value[1] = size;
        h.compliance[1] = spGetNumber(numbers, sp_hyperSecond);
    }
    R more = i1 + one, bend = spMax(i1 * (i1 + three), spSplat(SP_LEAST_BEND));
    h.q[last] = spScaleMatR(one / spMax(s, tiny), f);
    h.value[last] = s * i1 * more / bend;
    h.compliance[last] = spGetNumber(numbers, sp_hyperStretch) * more * more / bend;
    return h;
}

// The increments of the multipliers
SP_KERNEL void spSolveHyper(const spHyperRows* h, int count, RSym3 y, R g, const R* residual, R size, R* dl)
{
    R one = spSplat(1), zero = spSplat(0), tiny = spSplat(SP_TINY_REAL);
    R scale = one + g, l[3][3] = {{zero}}, own[3], pivot[3];
    SP_UNROLL
    for (int j = 0; j < count; ++j)
    {
        RMat3 moved = spMulSymR(h->q[j], y);
        own[j] = scale * spDotMatR(h->q[j], moved);
        pivot[j] = own[j] + h->compliance[j];
        dl[j] = zero - residual[j];
        SP_UNROLL
        for (int k = 0; k < j; ++k)
        {
            pivot[j] = pivot[j] - l[j][k] * l[j][k] * pivot[k];
            dl[j] = dl[j] - l[j][k] * dl[k];
        }
        pivot[j] = spMax(pivot[j], h->compliance[j] + spSplat(SP_ROUNDING) * own[j]);
        SP_UNROLL
        for (int i = j + 1; i < count; ++i)
        {
            l[i][j] = scale * spDotMatR(h->q[i], moved);
            SP_UNROLL
            for (int k = 0; k < j; ++k)
            {
                l[i][j] = l[i][j] - l[i][k] * l[j][k] * pivot[k];
            }
            l[i][j] = l[i][j] / pivot[j];
        }
    }
    R pull = tiny, volume = zero;
    SP_UNROLL
    for (int i = count - 1; i >= 0; --i)
    {
        dl[i] = dl[i] / pivot[i];
        SP_UNROLL
        for (int k = i + 1; k < count; ++k)
        {
            dl[i] = dl[i] - l[k][i] * dl[k];
        }
        if (i > 0)
        {
            pull = pull + spSqrt(spDotMatR(h->q[i], h->q[i]) * dl[i] * dl[i]);
            volume = volume + l[i][0] * pivot[0] * dl[i];
        }
    }
    R reach = spSplat(3 * SP_LARGEST_PULL) * size / spMax(y.xx + y.yy + y.zz, tiny);
    R share = spMin(one, reach / pull);
    R least = spMax(spSplat(SP_LEAST_VOLUME) * own[count - 1], tiny);
    dl[0] = dl[0] + (one - share) * volume / spMax(own[0], least);
    SP_UNROLL
    for (int i = 1; i < count; ++i)
    {
        dl[i] = share * dl[i];
    }
}

// Sum of l Q
SP_KERNEL RMat3 spSumHyper(const spHyperRows* h, int count, const R* l)
{
    RMat3 p = spScaleMatR(l[0], h->q[0]);
    SP_UNROLL
    for (int k = 1; k < count; ++k)
    {
        p = spAddMatR(p, spScaleMatR(l[k], h->q[k]));
    }
    return p;
}

SP_KERNEL R spVisitHyper(spRowUse use, int mooney, bool damped, const spRowElement* e, R* l, RVec3* out)
{
    int count = mooney ? 3 : 2;
    spTetRow t = spGetTetRow(e);
    spHyperRows h = spFindHyperRows(e->numbers, t.f, mooney != 0);
    R residual[3], dl[3], g = spSplat(0);
    if (use == sp_rowTranspose)
    {
        spMaskEmpty(e, count, l);
        spGetTetPush(t.rows, spSumHyper(&h, count, l), out);
        return spSplat(0);
    }
    SP_UNROLL
    for (int k = 0; k < count; ++k)
    {
        residual[k] = h.value[k] + h.compliance[k] * l[k];
    }
    if (use == sp_rowMeasure)
    {
        return spSquareRows(e, residual, count);
    }
    if (damped)
    {
        RMat3 way = spGetTetWay(e, &t);
        g = spGetNumber(e->numbers, sp_tetRowDamping);
        SP_UNROLL
        for (int k = 0; k < count; ++k)
        {
            residual[k] = residual[k] + g * spDotMatR(h.q[k], way);
        }
    }
    spSolveHyper(&h, count, spGetTetGram(e), g, residual, spSqrt(spDotMatR(t.f, t.f)), dl);
    spMoveTet(e, &t, count, spSumHyper(&h, count, dl), dl, g >= spSplat(0), l, out);
    return spSplat(0);
}
