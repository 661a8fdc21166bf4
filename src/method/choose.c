// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Measured on boxes, beams, cloths and livers of 600 to 50000 elements (docs/choosing.md has
// the rule): a step of backward Euler costs as much as 30 to 90 substeps of symplectic Euler, more of them the larger
// the body; among contacts its iterations grow with the body, so that beyond a few thousand tets XPBD's automatic
// solver, whose work is bounded, is what keeps up with the clock. Few substeps are taken explicitly, because
// nothing else keeps energy and momentum as well.

#include "method/choose.h"

#include "method/estimate.h"

#include <math.h>
#include <stdio.h>

// Explicit substeps in a step that are still worth it: for any body, and for one with little work
#define SP_MOST_SUBSTEPS 32
#define SP_MOST_SMALL_SUBSTEPS 96
#define SP_SMALL_WORK 200e3 // of all substeps of a step, in tets: some 4 ms
// The same where each of them makes another body solve its system once more
#define SP_MOST_JOINED_SUBSTEPS 4
// Work, in tets, up to which a whole solution is made in every step
#define SP_MOST_SOLVED 4000
// Work of an element that is no tet
#define SP_OTHER_WORK (1.0 / 3.0)
// Work of all sweeps of a step that any body may take, in tets: some 5 ms; and how many sweeps that makes at most
#define SP_SWEPT_WORK 400e3
#define SP_MOST_SWEEPS 200

static const char* spGetSolvedReason(const spMethodNeeds* needs, spMethodType* type)
{
    bool large = needs->work > SP_MOST_SOLVED;
    *type = large || needs->thin ? sp_xpbd : sp_backwardEuler;
    return large         ? "and its elements are many: XPBD's work in a step is bounded"
           : needs->thin ? "and a skin folds and buckles: XPBD's work in a step is bounded"
                         : "and it is small enough to be solved in every step";
}

static bool spIsWorthIt(const spMethodNeeds* needs, double count)
{
    if (needs->joined)
    {
        return count <= SP_MOST_JOINED_SUBSTEPS;
    }
    return count <= SP_MOST_SUBSTEPS ||
           (count <= SP_MOST_SMALL_SUBSTEPS && count * needs->work <= SP_SMALL_WORK);
}

spMethodChoice spChooseMethod(const spMethodNeeds* needs)
{
    // Of a stable step of 0 too many, of an infinite one a single one
    double count = fmin(ceil(needs->dt / (needs->safety * needs->stableStep)), 1e9);
    count = needs->stableStep > 0.0 ? fmax(count, 1.0) : 1e9;
    count = needs->known > 0.0 ? needs->known : count;
    spMethodChoice choice = {.type = sp_symplecticEuler, .automatic = true, .substeps = count};
    size_t size = sizeof(choice.reason);
    if (needs->constrained)
    {
        choice.type = sp_xpbd;
        snprintf(choice.reason, size, "it has constraints, which only XPBD keeps");
    }
    else if (needs->filtered)
    {
        snprintf(choice.reason, size, "it has a velocity filter, which only explicit methods have");
    }
    else if (needs->substeps > 0 && count <= needs->substeps)
    {
        snprintf(choice.reason, size, "the %d substeps that were asked for are stable", needs->substeps);
    }
    else if (needs->substeps == 0 && spIsWorthIt(needs, count))
    {
        snprintf(choice.reason, size, "%.0f explicit substep%s in a step of %.3g ms will do", count,
                 count > 1.0 ? "s" : "", 1e3 * needs->dt);
    }
    else
    {
        const char* solved = spGetSolvedReason(needs, &choice.type);
        const char* other = needs->joined ? " beside a body that solves a system" : "";
        snprintf(choice.reason, size, "explicit steps of %.3g ms would need %.3g substeps%s, %s",
                 1e3 * needs->dt, count, other, solved);
    }
    return choice;
}

// Of one evaluation of all elements, in tets
static double spCountWork(spBody* body)
{
    double work = 0.0;
    for (int i = 0; i < body->setCount; ++i)
    {
        int count = body->sets[i]->elementCount - body->sets[i]->spareCount;
        work += spGetTetSet(body, i) != NULL ? (double)count : SP_OTHER_WORK * count;
    }
    return work;
}

int spGetSweepCount(spBody* body)
{
    int given = body->methodDef.xpbd.iterations;
    double affordable = fmin(SP_SWEPT_WORK / fmax(spCountWork(body), 1.0), SP_MOST_SWEEPS);
    return body->automatic ? spMaxInt(given, (int)affordable) : given;
}

bool spFindNeeds(spBody* body, double known, spMethodNeeds* needs)
{
    *needs = (spMethodNeeds){
        .safety = (double)body->methodDef.safety,
        .substeps = body->methodDef.substeps,
        .filtered = body->methodDef.filter.type != sp_filterNone,
        .constrained = spHasRowsOnly(body),
        .stableStep = INFINITY,
        .known = known,
        .thin = body->tetCount == 0,
        .work = spCountWork(body),
    };
    for (int i = 0; i < body->setCount; ++i)
    {
        needs->thin = needs->thin || spGetGasSet(body, i) != NULL;
    }
    if (needs->constrained || body->setCount == 0 || known > 0.0)
    {
        return true;
    }
    // The limit is that of symplectic Euler, whatever moves the body now
    spEstimator estimator;
    spMethodType type = body->methodDef.type;
    body->methodDef.type = sp_symplecticEuler;
    bool created = spCreateEstimator(&estimator, body);
    if (created)
    {
        needs->stableStep = spGetStableStepNow(&estimator, body, NULL);
        spFreeEstimator(&estimator, body);
    }
    body->methodDef.type = type;
    return created;
}
