// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What only the start of a run shows: explicit bodies whose step is above their limit, bodies inside each other. With
// what reading and building warned of these are the warnings of a run.

#include "math/vec3.h"
#include "scene/run.h"

#include <math.h>
#include <stdio.h>

// Pairs of bodies that are looked at, and how deep, over the size of the smaller one, what touches may be
#define SP_MAX_TANGLES 16
#define SP_TOUCHING 1e-5

// An explicit body whose first step is above its limit of stability: slivers and stiff materials ask for more
// substeps than there may be
static void spCheckStability(spRun* run, spProblems* problems)
{
    for (int i = 0; i < run->scene->data.bodies.count; ++i)
    {
        const spBodyData* body = (const spBodyData*)run->scene->data.bodies.data + i;
        spMethodDef method = spBody_GetMethod(run->world, run->bodies[i].id);
        double stable = spBody_GetStableStep(run->world, run->bodies[i].id);
        double step = stable * (method.substeps > 0 ? 1.0 : (double)method.safety);
        int most = method.substeps > 0 ? method.substeps : method.maxSubsteps;
        bool given = method.type != sp_methodAuto || method.filter.type != sp_filterNone;
        if (given && stable > 0.0 && run->dt > step * most)
        {
            spWarn(problems, &body->head, NULL,
                   "its steps are stable up to %.3g s, so that a step of %.3g s needs %.3g substeps, but %s "
                   "is %d; choose an implicit method or a smaller \"dt\", or mend the mesh",
                   step, run->dt, ceil(run->dt / step),
                   method.substeps > 0 ? "\"substeps\"" : "\"maxSubsteps\"", most);
        }
    }
}

static double spGetDiagonal(spRun* run, const spRunBody* body)
{
    spVec3 lower = {INFINITY, INFINITY, INFINITY}, upper = {-INFINITY, -INFINITY, -INFINITY};
    int count = spBody_CopyPositions(run->world, body->id, run->scratch, body->nodeCount);
    for (int i = 0; i < count; ++i)
    {
        lower = spMin3(lower, run->scratch[i]);
        upper = spMax3(upper, run->scratch[i]);
    }
    return count > 0 ? (double)spDistance3(lower, upper) : 0.0;
}

static int spFindRunBody(const spRun* run, spBodyId id)
{
    int index = 0;
    while (SP_ID_EQUALS(run->bodies[index].id, id) == false)
    {
        index += 1;
    }
    return index;
}

// Bodies that start inside each other, by more than rounding. What touches is no trouble.
static void spCheckIntersections(spRun* run, spProblems* problems)
{
    spIntersection found[SP_MAX_TANGLES];
    int count = spWorld_FindIntersections(run->world, found, SP_MAX_TANGLES);
    bool guarded = run->scene->data.guarantee == sp_guaranteeNoIntersection;
    for (int i = 0; i < count && i < SP_MAX_TANGLES; ++i)
    {
        const spRunBody* body = &run->bodies[spFindRunBody(run, found[i].body)];
        const spRunBody* other = &run->bodies[spFindRunBody(run, found[i].otherBody)];
        double least = SP_TOUCHING * fmin(spGetDiagonal(run, body), spGetDiagonal(run, other));
        if (!((double)found[i].depth > least))
        {
            continue;
        }
        char how[96];
        snprintf(how, sizeof(how), "%d pairs of triangles intersect, up to %.3g m deep", found[i].pairCount,
                 (double)found[i].depth);
        bool self = body == other;
        spWarn(problems, &other->data->head, NULL,
               "it starts inside %s%s%s: %s; %s. Move it, or start with 'souple run --untangle'",
               self ? "itself" : "\"", self ? "" : body->data->name, self ? "" : "\"",
               found[i].contained ? "the one is in the other as a whole" : how,
               guarded ? "the guarantee does not count for these until they have parted"
                       : "contacts will push it out, which may throw it, or hold it there");
    }
}

void spCheckStart(spRun* run, spProblems* problems)
{
    spCheckStability(run, problems);
    spCheckIntersections(run, problems);
}

int spRun_GetWarnings(spRun* run, spSceneProblem* warnings, int capacity)
{
    spProblems problems = {
        .places = &run->scene->places, .data = warnings, .capacity = warnings != NULL ? capacity : 0};
    spReportWarnings(&problems, &run->scene->warnings);
    spReportWarnings(&problems, &run->warnings);
    spCheckStart(run, &problems);
    return problems.count;
}
