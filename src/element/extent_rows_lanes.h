// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Areas of triangles and volumes of tetrahedra for SP_LANES lanes: C = (A - A0) / sqrt(A0), (V - V0) /
// sqrt(V0).
//
//   A = |n| / 2, n = (x1 - x0) x (x2 - x0)      dA/dx1 = (x2 - x0) x n / (2 |n|), dA/dx2 = n x (x1 - x0) / (2
//   |n|) V = (x1 - x0) . (x2 - x0) x (x3 - x0) / 6   dV/dx1 = (x2 - x0) x (x3 - x0) / 6 and so on
//
// The gradient at node 0 is minus the sum of the others. It fades as an element collapses, and a step that
// undoes all of C at once would throw its nodes away: J W J^T is taken as some percent of what it is at rest
// at least, which changes the way but not where it ends.

#include "element/constraint_set.h"
#include "element/rows_lanes.h"
#include "math/lanes_mat3.h"

// Size and gradients at the nodes, of count nodes
SP_KERNEL R spGetExtent(const RVec3* x, int count, RVec3* g)
{
    RVec3 a = spSubR(x[1], x[0]), b = spSubR(x[2], x[0]);
    RVec3 n = spCrossR(a, b);
    R size;
    if (count == 3)
    {
        R square = spMax(spDotR(n, n), spSplat(SP_TINY_REAL));
        R length = spSqrt(square), half = spSplat((spReal)0.5);
        RVec3 unit = spScaleR(half / length, n);
        size = half * length;
        g[1] = spCrossR(b, unit);
        g[2] = spCrossR(unit, a);
        g[0] = spScaleR(spSplat(-1), spAddR(g[1], g[2]));
        return size;
    }
    RVec3 c = spSubR(x[3], x[0]);
    R sixth = spSplat((spReal)(1.0 / 6.0));
    g[1] = spScaleR(sixth, spCrossR(b, c));
    g[2] = spScaleR(sixth, spCrossR(c, a));
    g[3] = spScaleR(sixth, n);
    g[0] = spScaleR(spSplat(-1), spAddR(spAddR(g[1], g[2]), g[3]));
    return spDotR(a, g[1]);
}

SP_KERNEL double spRunExtent(const spConstraints* c, const spSweep* sweep, int zone, int count, bool damped,
                             spRowTask task)
{
    R zero = spSplat(0), one = spSplat(1);
    double sum = 0.0;
    for (int block = c->blocks.patchBlock[zone]; block < c->blocks.patchBlock[zone + 1]; ++block)
    {
        _Alignas(64) spReal squares[SP_BLOCK];
        for (int lane = 0; lane < SP_BLOCK; lane += SP_LANES)
        {
            const int32_t* nodes = c->blocks.nodes + (size_t)block * (size_t)count * SP_BLOCK + lane;
            const spReal* data = spGetConstraintData(c, block, 0) + lane;
            size_t place = (size_t)block * SP_BLOCK + (size_t)lane;
            RVec3 x[4], g[4];
            R w[4];
            SP_UNROLL
            for (int k = 0; k < count; ++k)
            {
                x[k] = spGatherNodes(sweep->x, nodes + k * SP_BLOCK, w + k);
            }
            R size = spGetExtent(x, count, g);
            R scale = spLoad(data + sp_extentScale * SP_BLOCK);
            if (task == sp_taskTranspose)
            {
                R given = scale * spSelect(scale > zero, spLoad(sweep->given + c->lambdaBegin + place), zero);
                SP_UNROLL
                for (int k = 0; k < count; ++k)
                {
                    spScatterNode(sweep->to, nodes + k * SP_BLOCK, spScaleR(given, g[k]));
                }
                continue;
            }
            R a = spLoad(data + sp_extentCompliance * SP_BLOCK);
            R l = spLoad(c->lambda + place);
            R residual = scale * (size - spLoad(data + sp_extentRest * SP_BLOCK)) + a * l;
            if (task == sp_taskMeasure)
            {
                spStore(squares + lane, residual * residual);
                continue;
            }
            R mass = zero, weight = zero;
            SP_UNROLL
            for (int k = 0; k < count; ++k)
            {
                mass = mass + w[k] * spDotR(g[k], g[k]);
                weight = weight + w[k];
            }
            mass = spMax(scale * scale * mass, spLoad(data + sp_extentLeast * SP_BLOCK) * weight);
            if (damped)
            {
                R rate = zero, time = spLoad(data + sp_extentDamping * SP_BLOCK);
                SP_UNROLL
                for (int k = 0; k < count; ++k)
                {
                    RVec3 start = spGatherNodes(sweep->start, nodes + k * SP_BLOCK, NULL);
                    rate = rate + spDotR(g[k], spSubR(x[k], start));
                }
                residual = residual + time * scale * rate;
                mass = mass * (one + time);
            }
            R dl = zero - residual / spMax(mass + a, spSplat(SP_TINY_REAL));
            dl = spSelect(mass + a > zero, dl, zero);
            dl = task == sp_taskCollect ? spLoad(c->share + place) * dl : dl;
            spStore(c->lambda + place, l + dl);
            R push = dl * scale;
            spVec4* to = task == sp_taskCollect ? sweep->to : sweep->x;
            SP_UNROLL
            for (int k = 0; k < count; ++k)
            {
                spScatterNode(to, nodes + k * SP_BLOCK, spScaleR(push * w[k], g[k]));
            }
        }
        sum += task == sp_taskMeasure ? spSumBlock(squares) : 0.0;
    }
    return sum;
}

#define SP_DEFINE_EXTENT(name, count, task)                                                                  \
    static double name(const spConstraints* c, const spSweep* sweep, int zone)                               \
    {                                                                                                        \
        return c->damped ? spRunExtent(c, sweep, zone, count, true, task)                                    \
                         : spRunExtent(c, sweep, zone, count, false, task);                                  \
    }

SP_DEFINE_EXTENT(spProjectArea, 3, sp_taskProject)
SP_DEFINE_EXTENT(spCollectArea, 3, sp_taskCollect)
SP_DEFINE_EXTENT(spMeasureArea, 3, sp_taskMeasure)
SP_DEFINE_EXTENT(spTransposeArea, 3, sp_taskTranspose)
SP_DEFINE_EXTENT(spProjectVolume, 4, sp_taskProject)
SP_DEFINE_EXTENT(spCollectVolume, 4, sp_taskCollect)
SP_DEFINE_EXTENT(spMeasureVolume, 4, sp_taskMeasure)
SP_DEFINE_EXTENT(spTransposeVolume, 4, sp_taskTranspose)

const spConstraintKind SP_LANES_NAME(spAreaRows) = {
    .name = "area",
    .rowCount = 1,
    .dataCount = sp_extentCount,
    .fill = spFillExtentRows,
    .project = spProjectArea,
    .collect = spCollectArea,
    .measure = spMeasureArea,
    .transpose = spTransposeArea,
};

const spConstraintKind SP_LANES_NAME(spVolumeRows) = {
    .name = "volume",
    .rowCount = 1,
    .dataCount = sp_extentCount,
    .fill = spFillExtentRows,
    .project = spProjectVolume,
    .collect = spCollectVolume,
    .measure = spMeasureVolume,
    .transpose = spTransposeVolume,
};
