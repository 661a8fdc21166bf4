// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// A round is two stages over patches: the change of the forces for the vector; then, patch by patch, the
// image of the vector and its square, which is added in patch order. The quotient |A x| / |x| grows from
// round to round, whatever the signs of the eigenvalues: elements that give way have negative ones. From a
// random start it comes within about 1 / (2 k) of the largest eigenvalue in k rounds, however many nodes
// there are, since large bodies have many modes near the top.
//
// A filter adds stages: (I + S)^-1 S y = y - z with (I + S) z = y, whose spectrum lies between 1 and 2, so
// that Richardson rounds with 2/3 shrink the error to a third each.

#include "method/spectrum.h"

#include <math.h>

// Share of a fresh start in a vector that is used again: a place that has become stiff since then must be
// able to come up
#define SP_FRESH_SHARE ((spReal)0.25)

// Rounds of Richardson: to a thousandth
#define SP_FILTER_ROUNDS 6

typedef struct spModesRound
{
    spForceContext force;
    spDifference difference;
    spSpectrum* spectrum;
    const spModesQuery* query;
    spReal scale; // of the image
    spVec4* from; // the filter's equation: solution so far
    spVec4* to;   // and the next one
} spModesRound;

bool spCreateSpectrum(spSpectrum* spectrum, const spBody* body)
{
    size_t size = spArraySize(body->nodeCount, sizeof(spVec4));
    *spectrum = (spSpectrum){
        .last = {body->backend->allocate(body->heap, size), body->backend->allocate(body->heap, size)},
        .vector = body->backend->allocate(body->heap, size),
        .image = body->backend->allocate(body->heap, size),
        .zeros = body->backend->allocate(body->heap, size),
        .partial = spAlloc(body->heap, spArraySize(body->order.patchCount, sizeof(double))),
    };
    if (spectrum->last[0] == NULL || spectrum->last[1] == NULL || spectrum->vector == NULL ||
        spectrum->image == NULL || spectrum->zeros == NULL || spectrum->partial == NULL)
    {
        spFreeSpectrum(spectrum, body);
        return false;
    }
    return true;
}

void spFreeSpectrum(spSpectrum* spectrum, const spBody* body)
{
    body->backend->release(body->heap, spectrum->last[0]);
    body->backend->release(body->heap, spectrum->last[1]);
    body->backend->release(body->heap, spectrum->vector);
    body->backend->release(body->heap, spectrum->image);
    body->backend->release(body->heap, spectrum->zeros);
    spFree(body->heap, spectrum->partial);
    *spectrum = (spSpectrum){0};
}

bool spHasSteadyForces(const spBody* body)
{
    for (int i = 0; i < body->setCount; ++i)
    {
        const spElementSet* set = body->sets[i];
        if ((set->kind->flags & (sp_kindGlobal | sp_kindSteep)) != 0 || set->abrupt)
        {
            return false;
        }
    }
    return true;
}

bool spStiffens(const spBody* body)
{
    bool stiffens = false;
    for (int i = 0; i < body->setCount; ++i)
    {
        stiffens = stiffens || body->sets[i]->stiffens;
    }
    return stiffens;
}

// Noise where the bounds say that the body is stiff, which saves the rounds that a few stiff elements in a
// large soft body would need to come up
static void spStartVector(spSpectrum* spectrum, const spBody* body, const spModesQuery* query)
{
    double norm2 = body->backend->startModes(spectrum->vector, body->x, body->mass, query->bounds,
                                             query->bound, body->order.order, 0, body->nodeCount);
    bool again = spectrum->known[query->modes];
    spReal fresh = (spReal)((again ? (double)SP_FRESH_SHARE : 1.0) / sqrt(fmax(norm2, 1e-300)));
    body->backend->continueModes(spectrum->vector, body->x, spectrum->last[query->modes], fresh,
                                 again ? 1 : 0, 0, body->nodeCount);
}

static void spDifferenceStage(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    const spModesRound* round = context;
    for (int patch = begin; patch < end; ++patch)
    {
        spAddPatchDifference(&round->force, &round->difference, patch);
    }
}

static void spImageStage(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    const spModesRound* round = context;
    const spBody* body = round->force.body;
    spSpectrum* spectrum = round->spectrum;
    for (int patch = begin; patch < end; ++patch)
    {
        int first = body->order.patchBegin[patch], last = body->order.patchBegin[patch + 1];
        spSumPatchForces(&round->force, patch);
        body->backend->findImage(spectrum->image, body->f, body->x, spectrum->vector, round->query->local,
                                 round->scale, (spReal)round->query->lift, first, last);
        spectrum->partial[patch] = body->backend->massNorm2(spectrum->image, body->mass, first, last);
    }
}

// z += 2/3 (y - z - S z)
static void spRichardsonStage(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    const spModesRound* round = context;
    const spBody* body = round->force.body;
    body->backend->relaxImage(round->to, round->from, round->spectrum->image, body->x,
                              &round->query->filter->rows, round->query->strength,
                              body->order.patchBegin[begin], body->order.patchBegin[end]);
}

static void spFilteredImageStage(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    const spModesRound* round = context;
    const spBody* body = round->force.body;
    spSpectrum* spectrum = round->spectrum;
    for (int patch = begin; patch < end; ++patch)
    {
        int first = body->order.patchBegin[patch], last = body->order.patchBegin[patch + 1];
        body->backend->scaleDifference(spectrum->image, 2, round->from, first, last);
        spectrum->partial[patch] = body->backend->massNorm2(spectrum->image, body->mass, first, last);
    }
}

// From y to 2 (I + S)^-1 S y
static void spFilterImage(spModesRound* round)
{
    const spModesQuery* query = round->query;
    const spBody* body = round->force.body;
    round->from = query->filter->v;
    round->to = query->filter->work;
    body->backend->clear(round->from, 0, body->nodeCount);
    for (int i = 0; i < SP_FILTER_ROUNDS; ++i)
    {
        spParallelFor(query->team, spRichardsonStage, body->order.patchCount, 1, round);
        spVec4* swap = round->from;
        round->from = round->to;
        round->to = swap;
    }
    spParallelFor(query->team, spFilteredImageStage, body->order.patchCount, 1, round);
}

static double spGetNorm2(const spBody* body, const spVec4* a)
{
    return body->backend->massNorm2(a, body->mass, 0, body->nodeCount);
}

double spFindLargestEigenvalue(spSpectrum* spectrum, spBody* body, const spModesQuery* query)
{
    if (!(query->bound > 0.0))
    {
        return 0.0;
    }
    spModesRound round = {
        .force = {.body = body, .state = spGetNodeState(body), .team = query->team},
        .spectrum = spectrum,
        .query = query,
    };
    spStartVector(spectrum, body, query);
    int patchCount = body->order.patchCount;
    double norm2 = spGetNorm2(body, spectrum->vector), estimate = query->bound + query->lift;
    for (int i = 0; i < query->maxRounds && norm2 > 0.0; ++i)
    {
        bool stiffness = query->modes == sp_stiffnessModes;
        round.difference = (spDifference){.dx = stiffness ? spectrum->vector : spectrum->zeros,
                                          .dv = stiffness ? spectrum->zeros : spectrum->vector};
        // The image of a vector that has settled is as long as the vector
        round.scale = (spReal)(1.0 / estimate);
        spMeasureDifference(&round.force, &round.difference);
        spParallelFor(query->team, spDifferenceStage, patchCount, 1, &round);
        spParallelFor(query->team, spImageStage, patchCount, 1, &round);
        if (query->filter != NULL)
        {
            spFilterImage(&round);
        }
        double imageNorm2 = 0.0;
        for (int patch = 0; patch < patchCount; ++patch)
        {
            imageNorm2 += spectrum->partial[patch];
        }
        double old = estimate;
        estimate = old * sqrt(imageNorm2 / norm2);
        norm2 = imageNorm2;
        spVec4* image = spectrum->image;
        spectrum->image = spectrum->vector;
        spectrum->vector = image;
        if (!(estimate > 0.0))
        {
            return 0.0;
        }
        if (i > 0 && fabs(estimate - old) <= query->tolerance * estimate)
        {
            break;
        }
    }
    return estimate;
}

void spKeepVector(spSpectrum* spectrum, const spBody* body, spModes modes)
{
    double norm2 = spGetNorm2(body, spectrum->vector);
    spectrum->known[modes] = norm2 > 0.0;
    spReal s = norm2 > 0.0 ? (spReal)(1.0 / sqrt(norm2)) : 0;
    body->backend->scale(spectrum->last[modes], s, spectrum->vector, 0, body->nodeCount);
}
