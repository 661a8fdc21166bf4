// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What all rows of tetrahedra share, for SP_LANES lanes: F = sum of x_i y_i^T, y_i the gradient of node i,
// and the way back, a displacement of w_i P y_i for every node.

#pragma once

#include "element/rows_lanes.h"
#include "element/tet_law.h"
#include "element/tet_rows.h"

typedef struct spTetRowLanes
{
    const int32_t* nodes; // SP_BLOCK apart
    const spReal* data;
    RVec3 rows[3]; // of the inverse rest edges
    RVec3 x[4];
    R w[4];
} spTetRowLanes;

SP_KERNEL void spGatherTet(const spVec4* from, const int32_t* nodes, RVec3* x, R* w)
{
    SP_UNROLL
    for (int k = 0; k < 4; ++k)
    {
        x[k] = spGatherNodes(from, nodes + k * SP_BLOCK, w == NULL ? NULL : w + k);
    }
}

SP_KERNEL spTetRowLanes spLoadTetRows(const spConstraints* c, const spSweep* sweep, int block, int lane)
{
    spTetRowLanes t;
    t.nodes = c->blocks.nodes + (size_t)block * 4 * SP_BLOCK + lane;
    t.data = spGetConstraintData(c, block, 0) + lane;
    spGatherTet(sweep->x, t.nodes, t.x, t.w);
    SP_UNROLL
    for (int k = 0; k < 3; ++k)
    {
        t.rows[k] = (RVec3){spLoad(t.data + (3 * k) * SP_BLOCK), spLoad(t.data + (3 * k + 1) * SP_BLOCK),
                            spLoad(t.data + (3 * k + 2) * SP_BLOCK)};
    }
    return t;
}

SP_KERNEL R spLoadNumber(const spTetRowLanes* t, int number)
{
    return spLoad(t->data + number * SP_BLOCK);
}

// sum of x_k y_k, without the base node
SP_KERNEL RMat3 spGetGradientOf(const RVec3* rows, const RVec3* x)
{
    RVec3 e0 = spSubR(x[1], x[0]), e1 = spSubR(x[2], x[0]), e2 = spSubR(x[3], x[0]);
    RMat3 f;
    f.cx = spAddR(spAddR(spScaleR(rows[0].x, e0), spScaleR(rows[1].x, e1)), spScaleR(rows[2].x, e2));
    f.cy = spAddR(spAddR(spScaleR(rows[0].y, e0), spScaleR(rows[1].y, e1)), spScaleR(rows[2].y, e2));
    f.cz = spAddR(spAddR(spScaleR(rows[0].z, e0), spScaleR(rows[1].z, e1)), spScaleR(rows[2].z, e2));
    return f;
}

// How F has changed since the substep began
SP_KERNEL RMat3 spGetTetWay(const spTetRowLanes* t, const spSweep* sweep, RMat3 f)
{
    RVec3 start[4];
    spGatherTet(sweep->start, t->nodes, start, NULL);
    return spSubMatR(f, spGetGradientOf(t->rows, start));
}

// Adds w_i P y_i
SP_KERNEL void spScatterTet(const spTetRowLanes* t, RMat3 p, const R* w, spVec4* to)
{
    RVec3 sum = {spSplat(0), spSplat(0), spSplat(0)};
    SP_UNROLL
    for (int k = 0; k < 3; ++k)
    {
        RVec3 d = spMulMVR(p, t->rows[k]);
        sum = spAddR(sum, d);
        spScatterNode(to, t->nodes + (k + 1) * SP_BLOCK, spScaleR(w[k + 1], d));
    }
    spScatterNode(to, t->nodes, spScaleR(spSplat(0) - w[0], sum));
}

// Adds P y_i
SP_KERNEL void spScatterForce(const spTetRowLanes* t, RMat3 p, spVec4* to)
{
    R one = spSplat(1);
    R ones[4] = {one, one, one, one};
    spScatterTet(t, p, ones, to);
}

// Multipliers that transpose is given, nothing in empty lanes
SP_KERNEL void spLoadGiven(const spTetRowLanes* t, const spReal* given, int count, R* l)
{
    RMask filled = spLoadNumber(t, sp_tetRowVolume) > spSplat(0);
    SP_UNROLL_ALL
    for (int k = 0; k < count; ++k)
    {
        l[k] = spSelect(filled, spLoad(given + k * SP_BLOCK), spSplat(0));
    }
}

// V times the sum of squares, nothing in empty lanes
SP_KERNEL R spSquareRows(const spTetRowLanes* t, const R* residual, int count)
{
    R volume = spLoadNumber(t, sp_tetRowVolume), square = spSplat(0);
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

SP_KERNEL RSym3 spLoadGram(const spTetRowLanes* t)
{
    return (RSym3){spLoadNumber(t, sp_tetRowGram),     spLoadNumber(t, sp_tetRowGram + 1),
                   spLoadNumber(t, sp_tetRowGram + 2), spLoadNumber(t, sp_tetRowGram + 5),
                   spLoadNumber(t, sp_tetRowGram + 4), spLoadNumber(t, sp_tetRowGram + 3)};
}

SP_KERNEL RVec3 spSelectVecR(RMask mask, RVec3 a)
{
    R zero = spSplat(0);
    return (RVec3){spSelect(mask, a.x, zero), spSelect(mask, a.y, zero), spSelect(mask, a.z, zero)};
}

// Moves the nodes by w_i P y_i, P that of the increments dl, as far as one visit may, and adds dl to lambda.
// Lanes that are empty, that `solved` leaves out, or whose numbers run out of range stay as they are.
SP_KERNEL void spMoveTet(const spConstraints* c, const spSweep* sweep, const spTetRowLanes* t, size_t element,
                         spReal* lambda, int count, RMat3 f, RMat3 p, R* dl, RMask solved, bool collect)
{
    R zero = spSplat(0), one = spSplat(1);
    RMat3 df = spMulSymR(p, spLoadGram(t));
    R way = spSqrt(spDotMatR(df, df)), size = spSqrt(spDotMatR(f, f));
    RMask ok = solved & (spLoadNumber(t, sp_tetRowVolume) > zero) & (way < spSplat(SP_HUGE_REAL));
    R limit = spSplat(SP_LARGEST_TURN) * spMax(size, one);
    R share = spMin(one, limit / spMax(way, spSplat(SP_TINY_REAL)));
    if (collect)
    {
        share = share * spLoad(c->share + element);
    }
    SP_UNROLL_ALL
    for (int k = 0; k < count; ++k)
    {
        R l = spLoad(lambda + k * SP_BLOCK);
        spStore(lambda + k * SP_BLOCK, spSelect(ok, l + share * dl[k], l));
    }
    p = spScaleMatR(share, p);
    p = (RMat3){spSelectVecR(ok, p.cx), spSelectVecR(ok, p.cy), spSelectVecR(ok, p.cz)};
    spScatterTet(t, p, t->w, collect ? sweep->to : sweep->x);
}
