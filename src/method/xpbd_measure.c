// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// How far a substep of XPBD has come. The dual residual alone says nothing about positions: multipliers that
// fit any positions make it zero. The primal one, or the energy, tells the rest.

#include "base/error.h"
#include "base/timer.h"
#include "math/vec3.h"
#include "method/xpbd.h"

#include <math.h>

static void spMeasureStage(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    const spXpbdStep* s = context;
    for (int i = begin; i < end; ++i)
    {
        int part = s->parts[i];
        double sum = 0.0;
        for (int k = 0; k < s->state->setCount; ++k)
        {
            const spConstraints* c = s->state->sets + k;
            sum += c->kind->measure(c, &s->sweep, part);
        }
        s->state->partial[part] = sum;
    }
}

static void spTransposeStage(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    const spXpbdStep* s = context;
    for (int i = begin; i < end; ++i)
    {
        for (int k = 0; k < s->state->setCount; ++k)
        {
            const spConstraints* c = s->state->sets + k;
            c->kind->transpose(c, &s->sweep, s->parts[i]);
        }
    }
}

typedef struct spWholeStage
{
    const spXpbdStep* s;
    const spElementSet* set;
    spNodeState nodes;
} spWholeStage;

// Gradient of a range of nodes, and what it sums up to in blocks of fixed size
static void spFindWholeStage(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    const spWholeStage* stage = context;
    spXpbdState* state = stage->s->state;
    const spBackend* backend = stage->s->body->backend;
    for (int block = begin; block < end; ++block)
    {
        int first = block * SP_SUM_BLOCK, last = spMinInt(first + SP_SUM_BLOCK, stage->nodes.nodeCount);
        double sums[3];
        stage->set->kind->fillGradient(stage->set, &stage->nodes, first, last, state->gradient);
        backend->sumGradient(sums, stage->nodes.x, state->gradient, state->start, first, last);
        state->wholeMass[block] = sums[0];
        state->wholeWay[block] = sums[1];
        state->wholeWeight[block] = sums[2];
    }
}

spFoundRow spFindWhole(const spXpbdStep* s, int index)
{
    spElementSet* set = s->body->sets[s->state->wholeSets[index]];
    spWholeStage stage = {.s = s, .set = set, .nodes = spGetNodeState(s->body)};
    int blockCount = spGetSumBlockCount(stage.nodes.nodeCount);
    stage.nodes.time = s->time;
    set->kind->measure(set, &stage.nodes, s->team);
    spParallelFor(s->team, spFindWholeStage, blockCount, 1, &stage);
    spWholeRow row = set->kind->getRow(set, &stage.nodes);
    return (spFoundRow){.value = row.value,
                        .compliance = row.compliance / ((double)s->h * (double)s->h),
                        .damping = row.damping / (double)s->h,
                        .mass = fmax(spSumBlocks(s->state->wholeMass, blockCount),
                                     row.least * spSumBlocks(s->state->wholeWeight, blockCount)),
                        .way = spSumBlocks(s->state->wholeWay, blockCount)};
}

double spMeasureDual(spXpbdStep* s)
{
    const spXpbdState* state = s->state;
    spRunColours(s, spMeasureStage);
    double sum = spSumBlocks(state->partial, state->order.partCount);
    for (int i = 0; i < state->wholeCount; ++i)
    {
        spFoundRow row = spFindWhole(s, i);
        double residual = row.value + row.compliance * (double)state->lambda[state->wholeBegin + i];
        sum += residual * residual;
    }
    return sqrt(sum);
}

void spTransposeRows(spXpbdStep* s, const spReal* given)
{
    spXpbdState* state = s->state;
    int count = s->body->nodeCount;
    s->body->backend->clear(state->work, 0, count);
    s->sweep.to = state->work;
    s->sweep.given = given;
    spRunColours(s, spTransposeStage);
    s->sweep.to = NULL;
    s->sweep.given = NULL;
    for (int i = 0; i < state->wholeCount; ++i)
    {
        spFindWhole(s, i);
        s->body->backend->addScaled(state->work, given[state->wholeBegin + i], state->gradient, 0, count);
    }
    for (int i = 0; i < s->body->rowCount && s->pushing; ++i)
    {
        int node = s->body->rows[i].node;
        spVec3 p = spScale3(s->body->mass[node], spGetPush(s, given, i));
        spVec4* to = state->work + node;
        *to = (spVec4){to->x + p.x, to->y + p.y, to->z + p.z, 0};
    }
}

double spMeasurePrimal(spXpbdStep* s)
{
    const spBody* body = s->body;
    spXpbdState* state = s->state;
    spTransposeRows(s, state->lambda);
    return sqrt(body->backend->primalResidual2(body->x, state->predicted, state->work, body->mass, 0,
                                               body->nodeCount));
}

// Elastic energy, and that of the way from where the substep would end without constraints
static double spMeasureEnergy(const spXpbdStep* s)
{
    const spBody* body = s->body;
    double sum = 0.0, h2 = (double)s->h * (double)s->h;
    spNodeState nodes = spGetNodeState(body);
    nodes.time = s->time;
    for (int i = 0; i < body->setCount; ++i)
    {
        spElementSet* set = body->sets[i];
        if ((set->kind->flags & sp_kindField) == 0)
        {
            if (set->kind->measure != NULL)
            {
                set->kind->measure(set, &nodes, s->team);
            }
            sum += set->kind->getEnergy(set, &nodes);
        }
    }
    return body->backend->addInertia(sum, body->x, s->state->predicted, body->mass, 0.5 / h2, 0,
                                     body->nodeCount);
}

static double spMeasureDistance(const spXpbdStep* s)
{
    const spBody* body = s->body;
    const spSweepMonitor* m = &s->state->monitor;
    return m->aimed ? sqrt(body->backend->massDistance2(body->x, m->target, body->mass, 0, body->nodeCount))
                    : 0.0;
}

void spRecordSweep(spXpbdStep* s)
{
    spSweepMonitor* m = &s->state->monitor;
    double now = spGetSeconds();
    if (m->records == NULL || m->count >= m->capacity)
    {
        return;
    }
    m->begin = m->count == 0 ? now : m->begin;
    m->records[m->count++] = (spSweepRecord){.dual = spMeasureDual(s),
                                             .primal = spMeasurePrimal(s),
                                             .energy = spMeasureEnergy(s),
                                             .distance = spMeasureDistance(s),
                                             .seconds = now - m->begin - m->paused};
    m->paused += spGetSeconds() - now;
}

void spReportXpbd(spBody* body)
{
    spXpbdState* state = body->methodState;
    if (state->laidOut && state->filled && body->solverReport.sweeping)
    {
        spXpbdStep s = {.body = body,
                        .state = state,
                        .sweep = {.x = body->x, .start = state->start},
                        .h = state->filledStep,
                        .time = body->time};
        body->solverReport.dualResidual = spMeasureDual(&s);
        body->solverReport.primalResidual = spMeasurePrimal(&s);
    }
}

bool spRecordXpbd(spBody* body, spSweepRecord* records, int capacity, const spVec3* target, spError* error)
{
    spXpbdState* state = body->methodState;
    spSweepMonitor* m = &state->monitor;
    if (target != NULL && m->target == NULL)
    {
        m->target = spAlloc(body->heap, spArraySize(body->nodeCount, sizeof(spVec3)));
        if (m->target == NULL)
        {
            return spFailMemory(error, "the target of recorded sweeps",
                                (size_t)body->nodeCount * sizeof(spVec3));
        }
    }
    m->records = records;
    m->capacity = records != NULL ? capacity : 0;
    m->count = 0;
    m->aimed = target != NULL;
    for (int i = 0; i < body->userCount && m->aimed; ++i)
    {
        m->target[body->order.rank[i]] = target[i];
    }
    return true;
}

int spGetXpbdRecordCount(const spBody* body)
{
    return ((const spXpbdState*)body->methodState)->monitor.count;
}
