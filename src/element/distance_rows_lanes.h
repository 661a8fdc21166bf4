// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Distances of two nodes for SP_LANES lanes: C = |x1 - x0| - rest, and those that act only against growing.

#include "element/constraint_set.h"
#include "element/rows_lanes.h"
#include "element/spring_kernel.h"

SP_KERNEL double spRunDistance(const spConstraints* c, const spSweep* sweep, int zone, bool slack,
                               bool damped, spRowTask task)
{
    R zero = spSplat(0);
    double sum = 0.0;
    for (int block = c->blocks.patchBlock[zone]; block < c->blocks.patchBlock[zone + 1]; ++block)
    {
        _Alignas(64) spReal squares[SP_BLOCK];
        for (int lane = 0; lane < SP_BLOCK; lane += SP_LANES)
        {
            const int32_t* n0 = c->blocks.nodes + (size_t)block * 2 * SP_BLOCK + lane;
            const int32_t* n1 = n0 + SP_BLOCK;
            const spReal* data = spGetConstraintData(c, block, 0) + lane;
            size_t place = (size_t)block * SP_BLOCK + (size_t)lane;
            RVec3 d = spGatherDifference(sweep->x, n0, n1);
            spSpringShape shape = spGetSpringShape(d);
            R rest = spLoad(data + sp_distanceRest * SP_BLOCK);
            R a = spLoad(data + sp_distanceCompliance * SP_BLOCK);
            R answer = spLoad(data + sp_distanceAnswer * SP_BLOCK);
            R l = spLoad(c->lambda + place);
            RMask acts = answer > zero;
            if (task == sp_taskTranspose)
            {
                R given = spSelect(acts, spLoad(sweep->given + c->lambdaBegin + place), zero);
                RVec3 force = spScaleR(given * shape.inverse, d);
                spScatterPair(sweep->to, n1, n0, force);
                continue;
            }
            R value = shape.length - rest;
            R residual = value + a * l;
            if (slack)
            {
                // Nothing pulls before it is tight; what pulls already may let go to nothing
                residual = spSelect((residual > zero) | (l < zero), residual, zero);
            }
            if (task == sp_taskMeasure)
            {
                spStore(squares + lane, spSelect(acts, residual * residual, zero));
                continue;
            }
            if (damped)
            {
                R g = spLoad(data + sp_distanceDamping * SP_BLOCK);
                RVec3 way = spGatherDifference(sweep->start, n0, n1);
                way = (RVec3){d.x - way.x, d.y - way.y, d.z - way.z};
                residual = residual + g * spDotR(way, d) * shape.inverse;
            }
            R dl = zero - residual * answer;
            if (slack)
            {
                dl = spMin(dl, zero - l);
            }
            dl = task == sp_taskCollect ? spLoad(c->share + place) * dl : dl;
            spStore(c->lambda + place, l + dl);
            RVec3 e = spScaleR(dl * shape.inverse, d);
            if (task == sp_taskProject)
            {
                spScatterWeightedPair(sweep->x, n1, n0, e);
                continue;
            }
            R w0, w1;
            spGatherNodes(sweep->x, n0, &w0);
            spGatherNodes(sweep->x, n1, &w1);
            spScatterNode(sweep->to, n0, spScaleR(zero - w0, e));
            spScatterNode(sweep->to, n1, spScaleR(w1, e));
        }
        sum += task == sp_taskMeasure ? spSumBlock(squares) : 0.0;
    }
    return sum;
}

#define SP_DEFINE_DISTANCE(name, slack, task)                                                                \
    static double name(const spConstraints* c, const spSweep* sweep, int zone)                               \
    {                                                                                                        \
        return c->damped ? spRunDistance(c, sweep, zone, slack, true, task)                                  \
                         : spRunDistance(c, sweep, zone, slack, false, task);                                \
    }

SP_DEFINE_DISTANCE(spProjectDistance, false, sp_taskProject)
SP_DEFINE_DISTANCE(spCollectDistance, false, sp_taskCollect)
SP_DEFINE_DISTANCE(spMeasureDistance, false, sp_taskMeasure)
SP_DEFINE_DISTANCE(spTransposeDistance, false, sp_taskTranspose)
SP_DEFINE_DISTANCE(spProjectTether, true, sp_taskProject)
SP_DEFINE_DISTANCE(spCollectTether, true, sp_taskCollect)
SP_DEFINE_DISTANCE(spMeasureTether, true, sp_taskMeasure)

#define SP_DISTANCE_KIND(name_, fill_, project_, collect_, measure_)                                         \
    {                                                                                                        \
        .name = name_, .rowCount = 1, .dataCount = sp_distanceCount, .fill = fill_, .project = project_,     \
        .collect = collect_, .measure = measure_, .transpose = spTransposeDistance,                          \
    }

const spConstraintKind SP_LANES_NAME(spDistanceRows) = SP_DISTANCE_KIND("distance", spFillSpringRows,
                                                                        spProjectDistance, spCollectDistance,
                                                                        spMeasureDistance);
const spConstraintKind SP_LANES_NAME(spTetherRows) = SP_DISTANCE_KIND("tether", spFillSpringRows,
                                                                      spProjectTether, spCollectTether,
                                                                      spMeasureTether);
const spConstraintKind SP_LANES_NAME(spGivenDistanceRows) = SP_DISTANCE_KIND(
    "distance", spFillGivenDistanceRows, spProjectDistance, spCollectDistance, spMeasureDistance);
const spConstraintKind SP_LANES_NAME(spGivenTetherRows) = SP_DISTANCE_KIND("tether", spFillGivenDistanceRows,
                                                                           spProjectTether, spCollectTether,
                                                                           spMeasureTether);
