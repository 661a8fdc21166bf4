// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The loop over the rows of an element set for SP_LANES lanes: every kind gives it its kernel
// (element/rows_kernel.h), every use is that same loop.

#pragma once

#include "element/constraint.h"
#include "element/element_loop.h"
#include "element/rows_kernel.h"

typedef R spVisitFcn(spRowUse use, int law, bool damped, const spRowElement* e, R* l, RVec3* out);

// What is done with rows
typedef enum spRowTask
{
    sp_taskProject,
    sp_taskCollect,
    sp_taskMeasure,
    sp_taskTranspose,
} spRowTask;

// Numbers of a whole block in the order of its lanes, whatever their number
SP_KERNEL double spSumBlock(const spReal* numbers)
{
    double sum = 0.0;
    for (int i = 0; i < SP_BLOCK; ++i)
    {
        sum += (double)numbers[i];
    }
    return sum;
}

// Positions of the nodes, of two nodes relative to the first one, which is fewer loads into lanes. w, where it
// is not NULL, takes their fourth numbers.
SP_KERNEL void spGatherElement(const spVec4* a, const int32_t* nodes, int nodeCount, RVec3* x, R* w)
{
    if (nodeCount == 2)
    {
        R zero = spSplat(0);
        x[0] = spMakeVecR(zero, zero, zero);
        x[1] = spGatherDifference(a, nodes, nodes + SP_BLOCK);
        return;
    }
    SP_UNROLL
    for (int k = 0; k < nodeCount; ++k)
    {
        x[k] = spGatherNodes(a, nodes + k * SP_BLOCK, w == NULL ? NULL : w + k);
    }
}

SP_KERNEL void spScatterRows(const spSweep* sweep, const int32_t* nodes, int nodeCount, spRowTask task,
                             const RVec3* out)
{
    if (nodeCount > 2)
    {
        spVec4* to = task == sp_taskProject ? sweep->x : sweep->to;
        SP_UNROLL
        for (int k = 0; k < nodeCount; ++k)
        {
            spScatterNode(to, nodes + k * SP_BLOCK, out[k]);
        }
        return;
    }
    const int32_t* second = nodes + SP_BLOCK;
    if (task == sp_taskProject)
    {
        spScatterWeightedPair(sweep->x, second, nodes, out[0]);
    }
    else if (task == sp_taskTranspose)
    {
        spScatterPair(sweep->to, second, nodes, out[0]);
    }
    else
    {
        R w0, w1;
        spGatherNodes(sweep->x, nodes, &w0);
        spGatherNodes(sweep->x, second, &w1);
        spScatterNode(sweep->to, nodes, spScaleR(spSplat(0) - w0, out[0]));
        spScatterNode(sweep->to, second, spScaleR(w1, out[0]));
    }
}

SP_KERNEL double spRunRows(const spConstraints* c, const spSweep* sweep, int part, spRowTask task,
                           int nodeCount, int rowCount, spVisitFcn* visit, int law, bool damped)
{
    spRowUse use =
        task == sp_taskMeasure ? sp_rowMeasure : (task == sp_taskTranspose ? sp_rowTranspose : sp_rowSolve);
    const spReal* lambda = task == sp_taskTranspose ? sweep->given + c->lambdaBegin : c->lambda;
    int end = c->blocks.patchBlock[part + 1];
    double sum = 0.0;
    SP_ALIGNAS(64) spReal squares[SP_BLOCK];
    for (spLanesAt at = spMakeLanesAt(&c->blocks, nodeCount, c->blocks.patchBlock[part], 0); at.block < end;
         at = spGetNextLanes(&c->blocks, nodeCount, &at))
    {
        size_t place = (size_t)at.block * (size_t)rowCount * SP_BLOCK + (size_t)at.lane;
        spRowElement e;
        RVec3 out[SP_MAX_ELEMENT_NODES];
        R l[SP_MAX_ROWS];
        e.numbers = spGetConstraintData(c, at.block, 0) + at.lane;
        e.share = task == sp_taskCollect ? spLoad(c->share + spGetLanesPlace(&at)) : spSplat(1);
        spGatherElement(sweep->x, at.nodes, nodeCount, e.x, e.w);
        if (damped)
        {
            spGatherElement(sweep->start, at.nodes, nodeCount, e.start, NULL);
        }
        SP_UNROLL_ALL
        for (int k = 0; k < rowCount; ++k)
        {
            l[k] = spLoad(lambda + place + k * SP_BLOCK);
        }
        R square = visit(use, law, damped, &e, l, out);
        if (task == sp_taskMeasure)
        {
            spStore(squares + at.lane, square);
            sum += at.lane + SP_LANES == SP_BLOCK ? spSumBlock(squares) : 0.0;
            continue;
        }
        if (use == sp_rowSolve)
        {
            SP_UNROLL_ALL
            for (int k = 0; k < rowCount; ++k)
            {
                spStore(c->lambda + place + k * SP_BLOCK, l[k]);
            }
        }
        spScatterRows(sweep, at.nodes, nodeCount, task, out);
    }
    return sum;
}

// The functions of a kind: law and damping are known before the loop
#define SP_DEFINE_ROW_TASK(name, task, nodes, rows, visit, law, damped)                                      \
    static double name(const spConstraints* c, const spSweep* sweep, int part)                               \
    {                                                                                                        \
        return damped ? spRunRows(c, sweep, part, task, nodes, rows, visit, law, true)                       \
                      : spRunRows(c, sweep, part, task, nodes, rows, visit, law, false);                     \
    }

#define SP_DEFINE_ROWS(stem, nodes, rows, visit, law)                                                        \
    SP_DEFINE_ROW_TASK(spProject##stem, sp_taskProject, nodes, rows, visit, law, c->damped)                  \
    SP_DEFINE_ROW_TASK(spCollect##stem, sp_taskCollect, nodes, rows, visit, law, c->damped)                  \
    SP_DEFINE_ROW_TASK(spMeasure##stem, sp_taskMeasure, nodes, rows, visit, law, false)                      \
    SP_DEFINE_ROW_TASK(spTranspose##stem, sp_taskTranspose, nodes, rows, visit, law, false)

#define SP_ROW_KIND(stem, name_, rows, numbers, fill_)                                                       \
    {                                                                                                        \
        .name = name_, .rowCount = rows, .dataCount = numbers, .fill = fill_, .project = spProject##stem,    \
        .collect = spCollect##stem, .measure = spMeasure##stem, .transpose = spTranspose##stem,              \
    }
