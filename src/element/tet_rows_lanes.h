// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Strain rows of tetrahedra for SP_LANES lanes: six rows C = sqrt(V) (S - I), S = sym(R^T F), in the order xx yy zz
// yz xz xy, shear rows twice the tensor. R is the polar rotation, that of two edges, or none, by the law; its
// own change is left out of J, which leaves the forces exact.
//
// Multipliers are kept times sqrt(V), so that the root appears nowhere but in the residual:
//
//   (G (1 + g) + a) dl = -(S - I + a l + g J (x - start)),  a = alpha / (V h^2)
//   dx_i = w_i R T y_i,  T the symmetric matrix of dl, y_i the gradient of node i
//
// G = sum w_i (rows of y_i) does not depend on the state, so that its inverse is part of the data.
// Boukadida. Acceleration de la simulation des corps mous pour les applications en temps reel. 2020

#include "element/constraint.h"
#include "element/rows_lanes.h"
#include "element/tet.h"
#include "element/tet_law.h"

typedef struct spStrainLanes
{
    const int32_t* nodes; // SP_BLOCK apart
    const spReal* data;
    RVec3 rows[3]; // of the inverse rest edges
    RVec3 x[4];
    R w[4];
} spStrainLanes;

SP_KERNEL void spGatherTet(const spVec4* from, const int32_t* nodes, RVec3* x, R* w)
{
    SP_UNROLL
    for (int k = 0; k < 4; ++k)
    {
        x[k] = spGatherNodes(from, nodes + k * SP_BLOCK, w == NULL ? NULL : w + k);
    }
}

SP_KERNEL spStrainLanes spLoadStrain(const spConstraints* c, const spSweep* sweep, int block, int lane)
{
    spStrainLanes t;
    t.nodes = c->blocks.nodes + (size_t)block * 4 * SP_BLOCK + lane;
    t.data = spGetConstraintData(c, block, 0) + lane;
    spGatherTet(sweep->x, t.nodes, t.x, t.w);
    SP_UNROLL
    for (int k = 0; k < 3; ++k)
    {
        t.rows[k] =
            (RVec3){spLoad(t.data + (3 * k) * SP_BLOCK), spLoad(t.data + (3 * k + 1) * SP_BLOCK),
                    spLoad(t.data + (3 * k + 2) * SP_BLOCK)};
    }
    return t;
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

SP_KERNEL RMat3 spGetStrainFrame(spTetLaw law, RMat3 f)
{
    R one = spSplat(1), zero = spSplat(0), trace;
    switch (law)
    {
        case sp_tetCorotational:
            return spGetPolarRotationR(f, &trace);
        case sp_tetCorotationalEdge:
            return spGetEdgeRotationR(f);
        default:
            return (RMat3){{one, zero, zero}, {zero, one, zero}, {zero, zero, one}};
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

// Adds a l, with the isotropic compliance
SP_KERNEL void spAddCompliance(const spReal* data, const R* l, R* strain)
{
    R s = spLoad(data + sp_strainCompliance * SP_BLOCK), nu = spLoad(data + sp_strainPoisson * SP_BLOCK);
    R cross = s * nu, normal = s + cross, shear = normal + normal;
    R sum = cross * (l[0] + l[1] + l[2]);
    SP_UNROLL
    for (int k = 0; k < 3; ++k)
    {
        strain[k] = strain[k] + (normal * l[k] - sum);
        strain[k + 3] = strain[k + 3] + shear * l[k + 3];
    }
}

// -A^-1 b with the upper half of A^-1
SP_KERNEL void spSolveStrain(const spReal* data, const R* b, R* dl)
{
    const spReal* inverse = data + sp_strainInverse * SP_BLOCK;
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
            R a = spLoad(inverse);
            inverse += SP_BLOCK;
            dl[i] = dl[i] - a * b[j];
            if (j > i)
            {
                dl[j] = dl[j] - a * b[i];
            }
        }
    }
}

// R T
SP_KERNEL RMat3 spTurnRows(RMat3 r, const R* l)
{
    RSym3 t = {l[0], l[1], l[2], l[5], l[4], l[3]};
    return spMulSymR(r, t);
}

// Adds w_i P y_i
SP_KERNEL void spScatterTet(const spStrainLanes* t, RMat3 p, const R* w, spVec4* to)
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

SP_KERNEL double spRunStrain(const spConstraints* c, const spSweep* sweep, int zone, spTetLaw law, bool damped,
                             spRowTask task)
{
    R one = spSplat(1);
    double sum = 0.0;
    for (int block = c->blocks.patchBlock[zone]; block < c->blocks.patchBlock[zone + 1]; ++block)
    {
        _Alignas(64) spReal squares[SP_BLOCK];
        for (int lane = 0; lane < SP_BLOCK; lane += SP_LANES)
        {
            spStrainLanes t = spLoadStrain(c, sweep, block, lane);
            size_t place = (size_t)block * 6 * SP_BLOCK + (size_t)lane;
            spReal* lambda = c->lambda + place;
            RMat3 f = spGetGradientOf(t.rows, t.x);
            RMat3 r = spGetStrainFrame(law, f);
            R l[6], strain[6], dl[6];
            if (task == sp_taskTranspose)
            {
                const spReal* given = sweep->given + c->lambdaBegin + place;
                RMask filled = spLoad(t.data + sp_strainVolume * SP_BLOCK) > spSplat(0);
                SP_UNROLL_ALL
                for (int k = 0; k < 6; ++k)
                {
                    l[k] = spSelect(filled, spLoad(given + k * SP_BLOCK), spSplat(0));
                }
                R ones[4] = {one, one, one, one};
                spScatterTet(&t, spTurnRows(r, l), ones, sweep->to);
                continue;
            }
            spTakeStrain(r, f, strain);
            SP_UNROLL_ALL
            for (int k = 0; k < 6; ++k)
            {
                l[k] = spLoad(lambda + k * SP_BLOCK);
                strain[k] = k < 3 ? strain[k] - one : strain[k];
            }
            spAddCompliance(t.data, l, strain);
            if (task == sp_taskMeasure)
            {
                R square = spSplat(0);
                SP_UNROLL_ALL
                for (int k = 0; k < 6; ++k)
                {
                    square = square + strain[k] * strain[k];
                }
                spStore(squares + lane, spLoad(t.data + sp_strainVolume * SP_BLOCK) * square);
                continue;
            }
            if (damped)
            {
                RVec3 start[4];
                R rate[6], g = spLoad(t.data + sp_strainDamping * SP_BLOCK);
                spGatherTet(sweep->start, t.nodes, start, NULL);
                spTakeStrain(r, spSubMatR(f, spGetGradientOf(t.rows, start)), rate);
                SP_UNROLL_ALL
                for (int k = 0; k < 6; ++k)
                {
                    strain[k] = strain[k] + g * rate[k];
                }
            }
            spSolveStrain(t.data, strain, dl);
            R share = task == sp_taskCollect ? spLoad(c->share + (size_t)block * SP_BLOCK + (size_t)lane) : one;
            SP_UNROLL_ALL
            for (int k = 0; k < 6; ++k)
            {
                dl[k] = task == sp_taskCollect ? share * dl[k] : dl[k];
                spStore(lambda + k * SP_BLOCK, l[k] + dl[k]);
            }
            spScatterTet(&t, spTurnRows(r, dl), t.w, task == sp_taskCollect ? sweep->to : sweep->x);
        }
        sum += task == sp_taskMeasure ? spSumBlock(squares) : 0.0;
    }
    return sum;
}

// The law and the damping are known before the loop
#define SP_RUN_STRAIN(law, task)                                                                             \
    case law:                                                                                                \
        return c->damped ? spRunStrain(c, sweep, zone, law, true, task)                                      \
                         : spRunStrain(c, sweep, zone, law, false, task)

#define SP_DEFINE_STRAIN(name, task)                                                                         \
    static double name(const spConstraints* c, const spSweep* sweep, int zone)                               \
    {                                                                                                        \
        switch (((const spTetSet*)c->set)->law)                                                              \
        {                                                                                                    \
            SP_RUN_STRAIN(sp_tetLinear, task);                                                               \
            SP_RUN_STRAIN(sp_tetCorotationalEdge, task);                                                     \
            default:                                                                                         \
                SP_RUN_STRAIN(sp_tetCorotational, task);                                                     \
        }                                                                                                    \
    }

SP_DEFINE_STRAIN(spProjectStrain, sp_taskProject)
SP_DEFINE_STRAIN(spCollectStrain, sp_taskCollect)
SP_DEFINE_STRAIN(spMeasureStrain, sp_taskMeasure)
SP_DEFINE_STRAIN(spTransposeStrain, sp_taskTranspose)

const spConstraintKind SP_LANES_NAME(spStrainRows) = {
    .name = "strain",
    .rowCount = 6,
    .dataCount = sp_strainCount,
    .fill = spFillStrainRows,
    .project = spProjectStrain,
    .collect = spCollectStrain,
    .measure = spMeasureStrain,
    .transpose = spTransposeStrain,
};
