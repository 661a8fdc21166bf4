// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What edits bodies in a run: shapes that are carved out, blades, at once or step by step, and tears.

#include "math/quat.h"
#include "scene/run.h"
#include "souple/edit.h"

#include <math.h>
#include <stdio.h>

// Says what was done, where something was
static void spTellEdit(const spRun* run, int body, const char* deed, const spEditResult* result)
{
    if (run->logger.log != NULL && result->tetCount + result->faceCount > 0)
    {
        char message[SP_ERROR_MESSAGE_SIZE];
        int pieces = spBody_GetPieceCount(run->world, run->bodies[body].id);
        snprintf(message, sizeof(message),
                 "%s at %g s: %s: %d faces opened, %d tets (%g kg) and %d nodes gone, %d nodes more, now in "
                 "%d piece%s",
                 deed, spWorld_GetTime(run->world), run->bodies[body].data->name, result->faceCount,
                 result->tetCount, result->mass, result->nodeCount, result->copyCount, pieces,
                 pieces == 1 ? "" : "s");
        run->logger.log(sp_logInfo, message, run->logger.context);
    }
}

// ---- blades ----

static spVec3 spMix(spDVec3 from, spDVec3 to, double t)
{
    spDVec3 place = {from.x + t * (to.x - from.x), from.y + t * (to.y - from.y),
                     from.z + t * (to.z - from.z)};
    return spToVec3(t < 1.0 ? place : to);
}

// The blade goes on to a share of its way: it cuts what it came through in the last step
static bool spAdvanceBlade(spRun* run, spRunBlade* blade, double share)
{
    spBlade strip;
    for (int i = 0; i < 2; ++i)
    {
        strip.begin[i] = spMix(blade->from[i], blade->to[i], blade->share);
        strip.end[i] = spMix(blade->from[i], blade->to[i], share);
    }
    strip.follows = blade->begun;
    blade->begun = true;
    blade->share = share;
    spEditResult result;
    bool good = spBody_Cut(run->world, run->bodies[blade->body].id, &strip, &result);
    if (good)
    {
        spTellEdit(run, blade->body, "cut", &result);
    }
    return good;
}

void spPlayCut(spRun* run, const spRunEvent* event, double time, spProblems* problems)
{
    const spEventData* data = event->data;
    spRunBlade blade = {.body = event->body,
                        .from = {data->from.a, data->from.b},
                        .to = {data->to.a, data->to.b},
                        .start = event->live ? time : data->time,
                        .duration = data->duration,
                        .begun = data->follows,
                        .live = event->live};
    if (data->duration > 0.0 && run->bladeCount == SP_MAX_BLADES)
    {
        spReport(problems, &data->head, NULL, "%d blades cut already: wait until one is done", SP_MAX_BLADES);
    }
    else if (data->duration > 0.0)
    {
        run->blades[run->bladeCount++] = blade;
    }
    else if (!spAdvanceBlade(run, &blade, 1.0))
    {
        spReportWorld(problems, run->world, &data->head, NULL, "this cannot be cut");
    }
}

void spMoveBlades(spRun* run, double time, spProblems* problems)
{
    int count = 0;
    for (int i = 0; i < run->bladeCount; ++i)
    {
        spRunBlade blade = run->blades[i];
        double share = fmin((time - blade.start + 1e-3 * run->dt) / blade.duration, 1.0);
        bool good = spAdvanceBlade(run, &blade, fmax(share, blade.share));
        if (!good)
        {
            spReportWorld(problems, run->world, &run->scene->data.head, NULL, "this cannot be cut");
        }
        run->blades[count] = blade;
        count += good && share < 1.0;
    }
    run->bladeCount = count;
}

// ---- tears ----

// What says how a body tears: its tets, or the first of its springs that do. NULL when it does not.
static const spObjectHead* spFindStrength(const spBodyData* body, spTearDef* def)
{
    if (spIsGiven(&body->tets.head, &body->tets.strength))
    {
        def->strength = (spReal)body->tets.strength;
        def->mostNodes = body->tets.tears;
        return &body->tets.head;
    }
    const spSpringsData* springs = body->springs.data;
    for (int i = 0; i < body->springs.count; ++i)
    {
        if (spIsGiven(&springs[i].head, &springs[i].strength))
        {
            def->strength = (spReal)springs[i].strength;
            def->mostNodes = springs[i].tears;
            return &springs[i].head;
        }
    }
    return NULL;
}

void spTearBodies(spRun* run, spProblems* problems)
{
    for (int i = 0; i < run->scene->data.bodies.count; ++i)
    {
        spRunBody* body = &run->bodies[i];
        spTearDef def = spDefaultTearDef();
        const spObjectHead* head = spFindStrength(body->data, &def);
        if (body->whole || head == NULL)
        {
            continue;
        }
        spEditResult result;
        if (spBody_Tear(run->world, body->id, &def, &result))
        {
            spTellEdit(run, i, "tear", &result);
        }
        else
        {
            body->whole = true;
            spReportWorld(problems, run->world, head, NULL, "this cannot tear");
        }
    }
}

// ---- shapes ----

static spColliderDef spMakeCapsule(const spRodData* rod)
{
    spColliderDef def = spDefaultColliderDef();
    spVec3 a = spToVec3(rod->a), way = spSub3(spToVec3(rod->b), a);
    spReal length = spLength3(way);
    def.shape = sp_shapeCapsule;
    def.radius = (spReal)rod->radius;
    def.halfHeight = length / 2;
    def.transform.position = spAdd3(a, spScale3((spReal)0.5, way));
    // Half way from y to the axis: turned by half a turn about that it is the axis
    spVec3 axis = length > 0 ? spScale3(1 / length, way) : (spVec3){0, 1, 0};
    spVec3 middle = {axis.x, axis.y + 1, axis.z};
    middle = spLengthSquared3(middle) > (spReal)1e-6 ? middle : (spVec3){1, 0, 0};
    def.transform.rotation = spNormalizeQuat((spQuat){middle.x, middle.y, middle.z, 0});
    return def;
}

static spColliderDef spMakeCarver(const spEventData* data)
{
    spColliderDef def = spDefaultColliderDef();
    if (spIsGiven(&data->head, &data->capsule))
    {
        return spMakeCapsule(&data->capsule);
    }
    if (spIsGiven(&data->head, &data->sphere))
    {
        def.shape = sp_shapeSphere;
        def.radius = (spReal)data->sphere.radius;
        def.transform.position = spToVec3(data->sphere.center);
        return def;
    }
    spVec3 lower = spToVec3(data->box.lower), upper = spToVec3(data->box.upper);
    def.shape = sp_shapeBox;
    def.halfSize = spScale3((spReal)0.5, spSub3(upper, lower));
    def.transform.position = spScale3((spReal)0.5, spAdd3(upper, lower));
    return def;
}

void spPlayCarve(spRun* run, const spRunEvent* event, spProblems* problems)
{
    const spEventData* data = event->data;
    spColliderDef shape = spMakeCarver(data);
    spEditResult result;
    if (spBody_Carve(run->world, run->bodies[event->body].id, &shape, &result))
    {
        spTellEdit(run, event->body, "carve", &result);
    }
    else
    {
        spReportWorld(problems, run->world, &data->head, NULL, "this cannot be carved");
    }
}
