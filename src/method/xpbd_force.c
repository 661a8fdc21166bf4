// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Whether sweeps were enough. Constraints that fit their multipliers say nothing of positions, and a body that
// hangs three times too long changes no more from sweep to sweep than one at rest: what tells is the force that is
// left on the nodes where the step ends,
//
//   r = f(x) - M (x - x~) / h^2,
//
// beside the load: the weight, or what changed the motion. Sums over eighths of the body are compared: sweeps leave
// forces of tens of the load between one element and the next, which move nothing far. Nodes are numbered so that
// such a part lies together. One evaluation of the forces finds all of it, about a third of a sweep.

#include "math/vec3.h"
#include "method/xpbd.h"

#include <float.h>
#include <math.h>

// What rounding of positions leaves of the force, times this, is no residual
#define SP_ROUNDING_FACTOR 4.0

// Parts of the body that are summed up
#define SP_PARTS 8
// Of the square of what changed the motion of single nodes: inside of a part it may cancel
#define SP_FINE_SHARE 0.1

typedef struct spInnerStage
{
    spBody* body;
    spNodeState nodes;
} spInnerStage;

static void spInnerForceStage(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    const spInnerStage* stage = context;
    const spBody* body = stage->body;
    int nodeCount = body->nodeCount;
    for (int patch = begin; patch < end; ++patch)
    {
        body->backend->clear(body->f, body->order.patchBegin[patch], body->order.patchBegin[patch + 1]);
        body->backend->clear(body->f, nodeCount + body->slots.patchSlot[patch],
                             nodeCount + body->slots.patchSlot[patch + 1]);
        for (int i = 0; i < body->setCount; ++i)
        {
            if (spIsField(body->sets[i]) == false)
            {
                body->sets[i]->kind->addForces(body->sets[i], &stage->nodes, patch, body->f);
            }
        }
    }
}

static void spSumInnerStage(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    const spBody* body = ((const spInnerStage*)context)->body;
    for (int patch = begin; patch < end; ++patch)
    {
        body->backend->sumSlots(&body->slots, body->f, patch);
    }
}

// What the elements exert where the step ends, into body->f; fields are part of where it would have ended
static void spFindInnerForces(const spXpbdStep* s)
{
    spBody* body = s->body;
    spInnerStage stage = {.body = body, .nodes = spGetNodeState(body)};
    stage.nodes.time = s->time;
    for (int i = 0; i < body->setCount; ++i)
    {
        if (spIsField(body->sets[i]) == false && body->sets[i]->kind->measure != NULL)
        {
            body->sets[i]->kind->measure(body->sets[i], &stage.nodes, s->team);
        }
    }
    spParallelFor(s->team, spInnerForceStage, body->order.patchCount, 1, &stage);
    spParallelFor(s->team, spSumInnerStage, body->order.patchCount, 1, &stage);
}

void spMeasureForce(const spXpbdStep* s)
{
    spBody* body = s->body;
    const spXpbdState* state = s->state;
    const spBackend* backend = body->backend;
    const double unit = sizeof(spReal) == sizeof(float) ? FLT_EPSILON : DBL_EPSILON;
    int count = body->nodeCount;
    double left = 0.0, coarse = 0.0, fine = 0.0, weight = 0.0, h = (double)s->h;
    double fall = h * h * sqrt((double)spLengthSquared3(s->gravity));
    spFindInnerForces(s);
    for (int i = 0; i < SP_PARTS; ++i)
    {
        int begin = (int)((int64_t)count * i / SP_PARTS), end = (int)((int64_t)count * (i + 1) / SP_PARTS);
        double sums[8];
        backend->sumPrimal(sums, body->x, state->predicted, body->f, body->mass, s->h * s->h, begin, end);
        left += sums[0] * sums[0] + sums[1] * sums[1] + sums[2] * sums[2];
        coarse += sums[3] * sums[3] + sums[4] * sums[4] + sums[5] * sums[5];
        weight += fall * fall * sums[6] * sums[6];
        fine += sums[7] * (double)(end - begin);
    }
    double stiffness = 1.0 + h * h * state->boundSquare + h * state->boundDamping;
    double noise = SP_ROUNDING_FACTOR * unit * stiffness * backend->maxLength(body->x, 0, count) *
                   sqrt(backend->sumMass2(body->mass, 0, count));
    double load = sqrt(fmax(fmax(coarse, weight), SP_FINE_SHARE * fine));
    spSolverReport* report = &body->solverReport;
    report->forceResidual = left > 0.0 ? sqrt(left) / fmax(load, DBL_MIN) : 0.0;
    report->converged = sqrt(left) <= SP_FORCE_LEFT * load + noise;
    report->rounded = sqrt(left) <= noise;
}
