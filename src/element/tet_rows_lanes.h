// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Strain rows of tetrahedra for SP_LANES lanes: six rows C = sqrt(V) (S - I), S = sym(R^T F), in the order xx
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

#include "element/tet_gather_lanes.h"

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

SP_KERNEL double spRunStrain(const spConstraints* c, const spSweep* sweep, int zone, spTetLaw law,
                             bool damped, spRowTask task)
{
    R one = spSplat(1);
    double sum = 0.0;
    for (int block = c->blocks.patchBlock[zone]; block < c->blocks.patchBlock[zone + 1]; ++block)
    {
        _Alignas(64) spReal squares[SP_BLOCK];
        for (int lane = 0; lane < SP_BLOCK; lane += SP_LANES)
        {
            spTetRowLanes t = spLoadTetRows(c, sweep, block, lane);
            size_t place = (size_t)block * 6 * SP_BLOCK + (size_t)lane;
            spReal* lambda = c->lambda + place;
            RMat3 f = spGetGradientOf(t.rows, t.x);
            RMat3 r = spGetStrainFrame(law, f);
            R l[6], strain[6], dl[6];
            if (task == sp_taskTranspose)
            {
                spLoadGiven(&t, sweep->given + c->lambdaBegin + place, 6, l);
                spScatterForce(&t, spTurnRows(r, l), sweep->to);
                continue;
            }
            spTakeStrain(r, f, strain);
            SP_UNROLL_ALL
            for (int k = 0; k < 6; ++k)
            {
                l[k] = spLoad(lambda + k * SP_BLOCK);
                strain[k] = k < 3 ? strain[k] - one : strain[k];
            }
            spAddCompliance(spLoadNumber(&t, sp_strainCompliance), spLoadNumber(&t, sp_strainPoisson), l,
                            strain);
            if (task == sp_taskMeasure)
            {
                spStore(squares + lane, spSquareRows(&t, strain, 6));
                continue;
            }
            if (damped)
            {
                R rate[6], g = spLoadNumber(&t, sp_tetRowDamping);
                spTakeStrain(r, spGetTetWay(&t, sweep, f), rate);
                SP_UNROLL_ALL
                for (int k = 0; k < 6; ++k)
                {
                    strain[k] = strain[k] + g * rate[k];
                }
            }
            spSolveStrain(t.data, strain, dl);
            R share =
                task == sp_taskCollect ? spLoad(c->share + (size_t)block * SP_BLOCK + (size_t)lane) : one;
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
