// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "method/estimate.h"

#include <math.h>

// Rounds of power iteration at most: when something has changed or a user asks, and when only the shape has
#define SP_FULL_ROUNDS 64
#define SP_FEW_ROUNDS 12
// Estimates between two iterations: in between the bounds follow the shape, times the ratio that the last
// iteration found
#define SP_ITERATION_INTERVAL 8
// A round that changes less than this share ends the iteration, which is then short of the eigenvalue by less
// than the margin
#define SP_ROUND_TOLERANCE 5e-4
#define SP_EIGENVALUE_MARGIN 0.05

bool spCreateEstimator(spEstimator* estimator, const spBody* body)
{
    bool localImplicit = body->methodDef.type == sp_localImplicit;
    *estimator = (spEstimator){
        .bounds = body->backend->allocate(body->heap, spArraySize(body->nodeCount, 2 * sizeof(spMat3)))};
    if (localImplicit)
    {
        estimator->local =
            body->backend->allocate(body->heap, spArraySize(body->nodeCount, 2 * sizeof(spMat3)));
    }
    if (estimator->bounds == NULL || (localImplicit && estimator->local == NULL) ||
        spCreateSpectrum(&estimator->spectrum, body) == false)
    {
        spFreeEstimator(estimator, body);
        return false;
    }
    // Until a filter is known it leaves everything
    for (int i = 0; i < sp_modesCount * SP_STRENGTH_COUNT; ++i)
    {
        estimator->memory.shares[i / SP_STRENGTH_COUNT][i % SP_STRENGTH_COUNT] = 1.0;
    }
    return true;
}

void spFreeEstimator(spEstimator* estimator, const spBody* body)
{
    spFreeSpectrum(&estimator->spectrum, body);
    body->backend->release(body->heap, estimator->bounds);
    body->backend->release(body->heap, estimator->local);
    *estimator = (spEstimator){0};
}

// 2 D / m of every node, D the stiffness of the node alone: what its elements have on the diagonal. Global
// kinds give none.
static void spFillLocalStiffness(const spBody* body, spMat3* local)
{
    body->backend->clearMatrices(local, 0, body->nodeCount);
    spNodeState state = spGetNodeState(body);
    for (int i = 0; i < body->setCount; ++i)
    {
        if (body->sets[i]->kind->getStiffness != NULL)
        {
            body->backend->addLocalStiffness(local, body->sets[i], &state);
        }
    }
}

// Whether the limit of the method follows the filter
static bool spFollowsFilter(const spBody* body, const spFilter* filter)
{
    bool follows = body->methodDef.type == sp_symplecticEuler || body->methodDef.type == sp_verlet;
    return filter != NULL && follows;
}

// The shares that filters of all strengths leave of an eigenvalue. A filter that is always on needs only the
// last.
static void spFindShares(spEstimator* estimator, spBody* body, spModesQuery query, double eigenvalue,
                         double* shares)
{
    for (int i = 0; i < SP_STRENGTH_COUNT; ++i)
    {
        shares[i] = 1.0;
        if (i + 1 == SP_STRENGTH_COUNT || (i > 0 && body->methodDef.filter.adaptive))
        {
            query.strength = (spReal)i / (SP_STRENGTH_COUNT - 1);
            shares[i] = fmin(1.0, spFindLargestEigenvalue(&estimator->spectrum, body, &query) / eigenvalue);
        }
    }
}

// Squared frequency and damping rate of the fastest modes, and the shares of them that the filter leaves when
// something has changed
static void spFindFrequencies(spEstimator* estimator, spBody* body, const spFilter* filter, spTeam* team,
                              bool keep, double found[sp_modesCount])
{
    spBoundFrequencies(body, estimator->bounds, &found[sp_stiffnessModes], &found[sp_dampingModes]);
    spEstimateMemory* memory = &estimator->memory;
    bool steady = spHasSteadyForces(body);
    memory->age += 1;
    // Where stiffness grows without bound, how loose the bounds are changes with the shape too
    bool iterate =
        body->stableStepDirty || keep == false || memory->age >= SP_ITERATION_INTERVAL || spStiffens(body);
    memory->age = iterate ? 0 : memory->age;
    for (int modes = 0; modes < sp_modesCount; ++modes)
    {
        double* shares = memory->shares[modes];
        if (body->stableStepDirty)
        {
            for (int i = 0; i < SP_STRENGTH_COUNT; ++i)
            {
                shares[i] = 1.0;
            }
        }
        if (steady == false || found[modes] == 0.0)
        {
            memory->ratios[modes] = 1.0;
            continue;
        }
        if (iterate == false)
        {
            found[modes] *= memory->ratios[modes];
            continue;
        }
        bool local = estimator->local != NULL && modes == sp_stiffnessModes;
        spModesQuery query = {
            .modes = (spModes)modes,
            .team = team,
            .bounds = estimator->bounds + (size_t)modes * (size_t)body->nodeCount,
            .bound = found[modes],
            .local = local ? estimator->local : NULL,
            .lift = local ? body->backend->maxEigenvalue(estimator->local, 0, body->nodeCount) : 0.0,
            .tolerance = SP_ROUND_TOLERANCE,
            .maxRounds = body->stableStepDirty || keep == false ? SP_FULL_ROUNDS : SP_FEW_ROUNDS,
        };
        double eigenvalue = spFindLargestEigenvalue(&estimator->spectrum, body, &query);
        memory->ratios[modes] =
            fmin(1.0, ((1.0 + SP_EIGENVALUE_MARGIN) * eigenvalue - query.lift) / query.bound);
        found[modes] *= memory->ratios[modes];
        if (keep)
        {
            spKeepVector(&estimator->spectrum, body, (spModes)modes);
        }
        if (body->stableStepDirty && spFollowsFilter(body, filter) && eigenvalue > 0.0)
        {
            query.filter = filter;
            spFindShares(estimator, body, query, eigenvalue, shares);
        }
    }
}

// The limit of the method for a squared frequency and a damping rate
static double spGetLimit(spMethodType type, double w2, double b)
{
    // Stiffer than a number can say: no step is stable
    if (!isfinite(w2) || !isfinite(b))
    {
        return 0.0;
    }
    if (w2 <= 0.0 && b == 0.0)
    {
        return INFINITY;
    }
    switch (type)
    {
        case sp_forwardEuler:
            return w2 > 0.0 ? fmin(b / w2, b > 0.0 ? 2.0 / b : 0.0) : 2.0 / b;
        case sp_rungeKutta4:
        {
            double root = 0.25 * b * b - w2;
            double largest = root > 0.0 ? 0.5 * b + sqrt(root) : sqrt(w2);
            return 2.78 / largest;
        }
        default:
            return w2 > 0.0 ? (sqrt(b * b + 4.0 * w2) - b) / w2 : 2.0 / b;
    }
}

static void spFindStableSteps(spEstimator* estimator, spBody* body, const spFilter* filter, spTeam* team,
                              bool keep)
{
    if (estimator->local != NULL)
    {
        spFillLocalStiffness(body, estimator->local);
    }
    double found[sp_modesCount];
    spFindFrequencies(estimator, body, filter, team, keep, found);
    spEstimateMemory* memory = &estimator->memory;
    for (int i = 0; i < SP_STRENGTH_COUNT; ++i)
    {
        double w2 = memory->shares[sp_stiffnessModes][i] * found[sp_stiffnessModes];
        double b = memory->shares[sp_dampingModes][i] * found[sp_dampingModes];
        // Stable is not enough for drag: a velocity must not be turned round either
        double limit = spGetLimit(body->methodDef.type, w2, b);
        memory->steps[i] = body->turnRate > 0.0 ? fmin(limit, 1.0 / body->turnRate) : limit;
    }
    if (filter != NULL && filter->negative)
    {
        memory->steps[SP_STRENGTH_COUNT - 1] = 0.0;
    }
}

void spUpdateStableStep(spEstimator* estimator, spBody* body, const spFilter* filter, spTeam* team)
{
    spFindStableSteps(estimator, body, filter, team, true);
    body->stableStep = estimator->memory.steps[filter != NULL ? SP_STRENGTH_COUNT - 1 : 0];
    body->stableStepDirty = false;
    body->estimateAge = 0;
}

double spGetStableStepNow(const spEstimator* estimator, spBody* body, const spFilter* filter)
{
    // Arrays are scratch but for the first half of the local stiffness; the rest is copied
    spEstimator copy = *estimator;
    copy.local = estimator->local != NULL ? estimator->local + body->nodeCount : NULL;
    spFindStableSteps(&copy, body, filter, NULL, false);
    return copy.memory.steps[filter != NULL ? SP_STRENGTH_COUNT - 1 : 0];
}

spReal spChooseStrength(const spEstimator* estimator, double step)
{
    const double* steps = estimator->memory.steps;
    if (step <= steps[0])
    {
        return 0;
    }
    for (int i = 1; i < SP_STRENGTH_COUNT; ++i)
    {
        if (step <= steps[i])
        {
            double part = (step - steps[i - 1]) / (steps[i] - steps[i - 1]);
            return (spReal)((i - 1 + part) / (SP_STRENGTH_COUNT - 1));
        }
    }
    return 1;
}
