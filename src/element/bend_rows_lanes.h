// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Hinges for SP_LANES lanes: one row C = angle - rest angle, the short way round. Where a triangle
// degenerates the hinge fades out as its forces do: with the fade f
//
//   (f J W J^T (1 + g) + a) dl = -(f (C + g J (x - start)) + a lambda)
//
// so that lambda ends as f C / a, and nothing is divided by f.

#include "math/lanes.h"
#include "math/lanes_mat3.h"

#include "element/bend.h"
#include "element/bend_kernel.h"
#include "element/constraint.h"
#include "element/rows_lanes.h"

SP_KERNEL spHingeVectors spGatherBend(const spVec4* a, const int32_t* nodes)
{
    RVec3 edges[3];
    spGatherEdges(a, nodes, edges);
    return (spHingeVectors){edges[0], edges[1], edges[2]};
}

SP_KERNEL double spRunBendRows(const spConstraints* c, const spSweep* sweep, int zone, bool damped,
                               spRowTask task)
{
    R zero = spSplat(0), one = spSplat(1);
    double sum = 0.0;
    for (int block = c->blocks.patchBlock[zone]; block < c->blocks.patchBlock[zone + 1]; ++block)
    {
        _Alignas(64) spReal squares[SP_BLOCK];
        for (int lane = 0; lane < SP_BLOCK; lane += SP_LANES)
        {
            const int32_t* nodes = c->blocks.nodes + (size_t)block * 4 * SP_BLOCK + lane;
            const spReal* data = spGetConstraintData(c, block, 0) + lane;
            size_t place = (size_t)block * SP_BLOCK + (size_t)lane;
            spHingeVectors d = spGatherBend(sweep->x, nodes);
            R fading = spLoad(data + sp_bendFading * SP_BLOCK);
            spHingeShape s = spGetHingeShape(&d, fading);
            RVec3 g[4] = {{zero, zero, zero}, s.gradient.e, s.gradient.a, s.gradient.b};
            g[0] = spScaleR(spSplat(-1), spAddR(spAddR(g[1], g[2]), g[3]));
            if (task == sp_taskTranspose)
            {
                R given = spLoad(sweep->given + c->lambdaBegin + place);
                given = spSelect(fading > zero, given, zero);
                SP_UNROLL
                for (int k = 0; k < 4; ++k)
                {
                    spScatterNode(sweep->to, nodes + k * SP_BLOCK, spScaleR(given, g[k]));
                }
                continue;
            }
            R a = spLoad(data + sp_bendCompliance * SP_BLOCK);
            R l = spLoad(c->lambda + place);
            R value = spGetTurn(spLoad(data + sp_bendRest * SP_BLOCK), s.angle);
            if (task == sp_taskMeasure)
            {
                R residual = s.fade * value + a * l;
                spStore(squares + lane, residual * residual);
                continue;
            }
            R mass = zero, w[4];
            SP_UNROLL
            for (int k = 0; k < 4; ++k)
            {
                spGatherNodes(sweep->x, nodes + k * SP_BLOCK, w + k);
                mass = mass + w[k] * spDotR(g[k], g[k]);
            }
            if (damped)
            {
                R time = spLoad(data + sp_bendDamping * SP_BLOCK);
                spHingeVectors start = spGatherBend(sweep->start, nodes);
                spHingeVectors way = {spSubR(d.e, start.e), spSubR(d.a, start.a), spSubR(d.b, start.b)};
                value = value + time * spGetHingeRate(&s, &way);
                mass = mass * (one + time);
            }
            R dl = zero - (s.fade * value + a * l) / (s.fade * mass + a);
            dl = task == sp_taskCollect ? spLoad(c->share + place) * dl : dl;
            spStore(c->lambda + place, l + dl);
            spVec4* to = task == sp_taskCollect ? sweep->to : sweep->x;
            SP_UNROLL
            for (int k = 0; k < 4; ++k)
            {
                spScatterNode(to, nodes + k * SP_BLOCK, spScaleR(dl * w[k], g[k]));
            }
        }
        sum += task == sp_taskMeasure ? spSumBlock(squares) : 0.0;
    }
    return sum;
}

#define SP_DEFINE_BEND_ROWS(name, task)                                                                      \
    static double name(const spConstraints* c, const spSweep* sweep, int zone)                               \
    {                                                                                                        \
        return c->damped ? spRunBendRows(c, sweep, zone, true, task)                                         \
                         : spRunBendRows(c, sweep, zone, false, task);                                       \
    }

SP_DEFINE_BEND_ROWS(spProjectBend, sp_taskProject)
SP_DEFINE_BEND_ROWS(spCollectBend, sp_taskCollect)
SP_DEFINE_BEND_ROWS(spMeasureBend, sp_taskMeasure)
SP_DEFINE_BEND_ROWS(spTransposeBend, sp_taskTranspose)

const spConstraintKind SP_LANES_NAME(spBendRows) = {
    .name = "bend",
    .rowCount = 1,
    .dataCount = sp_bendCount,
    .fill = spFillBendRows,
    .project = spProjectBend,
    .collect = spCollectBend,
    .measure = spMeasureBend,
    .transpose = spTransposeBend,
};
