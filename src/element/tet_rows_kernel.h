// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What all rows of tetrahedra share: F = sum of x_i y_i^T, y_i the gradient of node i, and the way back, a
// displacement of w_i P y_i for every node. Multipliers and numbers are those of element/tet_rows.h.

#pragma once

#include "element/rows_kernel.h"
#include "element/tet_kernel.h"

// An element and where it is
typedef struct spTetRow
{
    RVec3 rows[3]; // of the inverse rest edges
    RMat3 f;
} spTetRow;

SP_KERNEL RMat3 spGetGradientOf(const RVec3* rows, const RVec3* x)
{
    RVec3 edges[3] = {spSubR(x[1], x[0]), spSubR(x[2], x[0]), spSubR(x[3], x[0])};
    return spMakeGradient(rows, edges);
}

SP_KERNEL spTetRow spGetTetRow(const spRowElement* e)
{
    spTetRow t;
    SP_UNROLL
    for (int k = 0; k < 3; ++k)
    {
        t.rows[k] = spMakeVecR(spGetNumber(e->numbers, 3 * k), spGetNumber(e->numbers, 3 * k + 1),
                               spGetNumber(e->numbers, 3 * k + 2));
    }
    t.f = spGetGradientOf(t.rows, e->x);
    return t;
}

// How F has changed since the substep began
SP_KERNEL RMat3 spGetTetWay(const spRowElement* e, const spTetRow* t)
{
    return spSubMatR(t->f, spGetGradientOf(t->rows, e->start));
}

// w_i P y_i
SP_KERNEL void spGetTetMoves(const RVec3* rows, RMat3 p, const R* w, RVec3* out)
{
    RVec3 sum = {spSplat(0), spSplat(0), spSplat(0)};
    SP_UNROLL
    for (int k = 0; k < 3; ++k)
    {
        RVec3 d = spMulMVR(p, rows[k]);
        sum = spAddR(sum, d);
        out[k + 1] = spScaleR(w[k + 1], d);
    }
    out[0] = spScaleR(spSplat(0) - w[0], sum);
}

// P y_i
SP_KERNEL void spGetTetPush(const RVec3* rows, RMat3 p, RVec3* out)
{
    R one = spSplat(1);
    R ones[4] = {one, one, one, one};
    spGetTetMoves(rows, p, ones, out);
}

// Multipliers of transpose: nothing in empty lanes
SP_KERNEL void spMaskEmpty(const spRowElement* e, int count, R* l)
{
    RMask filled = spGetNumber(e->numbers, sp_tetRowVolume) > spSplat(0);
    SP_UNROLL_ALL
    for (int k = 0; k < count; ++k)
    {
        l[k] = spSelect(filled, l[k], spSplat(0));
    }
}

// V times the sum of squares, nothing in empty lanes
SP_KERNEL R spSquareRows(const spRowElement* e, const R* residual, int count)
{
    R volume = spGetNumber(e->numbers, sp_tetRowVolume), square = spSplat(0);
    SP_UNROLL_ALL
    for (int k = 0; k < count; ++k)
    {
        square = square + residual[k] * residual[k];
    }
    return spSelect(volume > spSplat(0), volume * square, spSplat(0));
}

// Adds a l to six rows of strain, with the isotropic compliance
SP_KERNEL void spAddCompliance(R s, R nu, const R* l, R* strain)
{
    R cross = s * nu, normal = s + cross, shear = normal + normal;
    R sum = cross * (l[0] + l[1] + l[2]);
    SP_UNROLL
    for (int k = 0; k < 3; ++k)
    {
        strain[k] = strain[k] + (normal * l[k] - sum);
        strain[k + 3] = strain[k + 3] + shear * l[k + 3];
    }
}

// The six numbers of sym(R^T A), shear twice the tensor
SP_KERNEL void spTakeStrain(RMat3 r, RMat3 a, R* strain)
{
    strain[0] = spDotR(r.cx, a.cx);
    strain[1] = spDotR(r.cy, a.cy);
    strain[2] = spDotR(r.cz, a.cz);
    strain[3] = spDotR(r.cy, a.cz) + spDotR(r.cz, a.cy);
    strain[4] = spDotR(r.cx, a.cz) + spDotR(r.cz, a.cx);
    strain[5] = spDotR(r.cx, a.cy) + spDotR(r.cy, a.cx);
}

// R T, T the symmetric matrix of six multipliers
SP_KERNEL RMat3 spTurnRows(RMat3 r, const R* l)
{
    RSym3 t = {l[0], l[1], l[2], l[5], l[4], l[3]};
    return spMulSymR(r, t);
}

// ---- rows whose J changes with the state ----
//
// One visit solves them to first order only, and far from rest that can throw a tet further than it was: a
// squeezed one by the inverse of its size. So no visit changes F by more than a share of its size, or of that
// at rest.

#define SP_LARGEST_TURN ((spReal)0.5)
#define SP_HUGE_REAL ((spReal)1e15)

SP_KERNEL RSym3 spGetTetGram(const spRowElement* e)
{
    const spReal* y = e->numbers + sp_tetRowGram * SP_BLOCK;
    return spMakeSymR(spGetNumber(y, 0), spGetNumber(y, 1), spGetNumber(y, 2), spGetNumber(y, 5),
                      spGetNumber(y, 4), spGetNumber(y, 3));
}

SP_KERNEL RVec3 spSelectVecR(RMask mask, RVec3 a)
{
    R zero = spSplat(0);
    return spMakeVecR(spSelect(mask, a.x, zero), spSelect(mask, a.y, zero), spSelect(mask, a.z, zero));
}

// Displacements w_i P y_i, P that of the increments dl, as far as one visit may, and l with its increments.
// Lanes that are empty, that `solved` leaves out, or whose numbers run out of range stay as they are.
SP_KERNEL void spMoveTet(const spRowElement* e, const spTetRow* t, int count, RMat3 p, const R* dl,
                         RMask solved, R* l, RVec3* out)
{
    R zero = spSplat(0), one = spSplat(1);
    RMat3 df = spMulSymR(p, spGetTetGram(e));
    R way = spSqrt(spDotMatR(df, df)), size = spSqrt(spDotMatR(t->f, t->f));
    RMask ok = solved & (spGetNumber(e->numbers, sp_tetRowVolume) > zero) & (way < spSplat(SP_HUGE_REAL));
    R limit = spSplat(SP_LARGEST_TURN) * spMax(size, one);
    R share = spMin(one, limit / spMax(way, spSplat(SP_TINY_REAL))) * e->share;
    SP_UNROLL_ALL
    for (int k = 0; k < count; ++k)
    {
        l[k] = spSelect(ok, l[k] + share * dl[k], l[k]);
    }
    p = spScaleMatR(share, p);
    p = spMakeMatR(spSelectVecR(ok, p.cx), spSelectVecR(ok, p.cy), spSelectVecR(ok, p.cz));
    spGetTetMoves(t->rows, p, e->w, out);
}
