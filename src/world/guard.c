// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The guarantee in a step of the world, and what is said about bodies that are inside each other.

#include "world/guard.h"
#include "world/sleep.h"

#include "base/error.h"
#include "contact/overlap.h"
#include "contact/untangle.h"
#include "contact/volume_pairs.h"
#include "math/vec3.h"

#include <math.h>

spTouchContext spGetTouchContext(spWorld* world, spReal dt)
{
    return (spTouchContext){
        .heap = &world->heap,
        .arena = &world->arena,
        .bodies = world->bodies,
        .bodyCount = world->bodyIds.slotCount,
        .links = world->links,
        .linkCount = world->linkIds.slotCount,
        .dt = dt,
        .gravity = world->def.gravity,
        .reach = world->def.contactSkin + 2 * dt * dt * spLength3(world->def.gravity),
        .multipliers = world->multipliers + sp_rowHold,
        .detectors = &world->detectors,
        .betweenBodies = world->def.bodyContacts,
        .touches = &world->touches,
    };
}

// ---- in a step ----

// Rows keep surfaces apart by themselves, so that the certificate has little to do
bool spThickenSurfaces(const spWorld* world, const spTouchContext* context)
{
    if (world->def.guarantee != sp_guaranteeNoIntersection)
    {
        return true;
    }
    bool ok = spMakeMissingSurfaces(context);
    for (int i = 0; i < context->bodyCount; ++i)
    {
        spContactSurface* surface = context->bodies[i] != NULL ? context->bodies[i]->contactSurface : NULL;
        if (surface != NULL && surface->thickness < SP_GUARD_THICKNESS * surface->meanEdge)
        {
            surface->thickness = SP_GUARD_THICKNESS * surface->meanEdge;
        }
    }
    return ok;
}

static void spSumOverlap(const spOverlap* overlap, void* context)
{
    spStepReport* report = context;
    report->intersectionCount += overlap->pairCount;
    report->intersectionDepth = fmax(report->intersectionDepth, overlap->depth);
}

static void spTellCertificate(spWorld* world, const spCertifyResult* result, spStepReport* report)
{
    report->cutCount = result->cutCount;
    report->cutLength = result->cutLength;
    report->waivedCount = result->waivedCount;
    report->flags |= result->cutCount > 0 ? sp_stepMotionCut : 0;
    report->flags |= result->outOfMemory ? sp_stepOutOfMemory : 0;
    if (result->waivedCount == 0)
    {
        return;
    }
    const spBody *a = world->bodies[result->waivedSlots[0]], *b = world->bodies[result->waivedSlots[1]];
    report->flags |= sp_stepWaived;
    report->waivedBodies[0] = a->id;
    report->waivedBodies[1] = b->id;
    if (world->report.waivedCount == 0)
    {
        spLog(
            &world->def.logger, sp_logWarning,
            "%d pairs of triangles of %s and %s intersect at %g s: they began so, or held nodes force them; "
            "the guarantee counts for them again when they have parted",
            result->waivedCount, a->name, b->name, world->time + (double)report->dtTaken);
    }
}

void spGuardMotion(spWorld* world, spReal dt, spStepReport* report)
{
    spTouchContext context = spGetTouchContext(world, dt);
    bool guarded = world->def.guarantee == sp_guaranteeNoIntersection;
    if (guarded)
    {
        spCertifyResult result = spCertifyMotion(&context, &world->guarded);
        spTellCertificate(world, &result, report);
        // Rows were found where bodies would have been
        world->rowsDirty = world->rowsDirty || result.cutCount > 0;
    }
    if ((guarded || world->def.countIntersections) && world->def.guarantee != sp_guaranteeOff &&
        spVisitOverlaps(&context, false, spSumOverlap, report) == false)
    {
        report->flags |= sp_stepOutOfMemory;
    }
}

// ---- between steps ----

// Pixels across what two bodies have in common, at most; half of them at least
#define SP_OVERLAP_RESOLUTION 256

typedef struct spIntersectionList
{
    const spWorld* world;
    spIntersection* out;
    int capacity, count;
} spIntersectionList;

static void spListOverlap(const spOverlap* overlap, void* context)
{
    spIntersectionList* list = context;
    if (list->count < list->capacity)
    {
        list->out[list->count] = (spIntersection){
            .body = list->world->bodies[overlap->slots[0]]->id,
            .otherBody = list->world->bodies[overlap->slots[1]]->id,
            .pairCount = overlap->pairCount,
            .depth = (spReal)overlap->depth,
            .contained = overlap->contained,
        };
    }
    list->count += 1;
}

static double spSumPairVolume(const spPairVolumes* pair)
{
    double sum = 0.0;
    for (int i = 0; i < pair->volumes.count; ++i)
    {
        sum += pair->volumes.volumes[i].volume;
    }
    return sum;
}

static void spNoteVolume(const spPairVolumes* pair, void* context)
{
    const spIntersectionList* list = context;
    spBodyId a = list->world->bodies[pair->slots[0]]->id, b = list->world->bodies[pair->slots[1]]->id;
    for (int i = 0; i < list->count && i < list->capacity; ++i)
    {
        spIntersection* out = list->out + i;
        if (SP_ID_EQUALS(out->body, a) && SP_ID_EQUALS(out->otherBody, b))
        {
            out->volume = spSumPairVolume(pair);
        }
    }
}

int spWorld_FindIntersections(spWorld* world, spIntersection* intersections, int capacity)
{
    if (world == NULL)
    {
        return -1;
    }
    spTouchContext context = spGetTouchContext(world, 0);
    spIntersectionList list = {world, intersections, intersections != NULL ? capacity : 0, 0};
    bool ok = spVisitOverlaps(&context, true, spListOverlap, &list);
    if (ok && list.count > 0 && list.capacity > 0)
    {
        ok = spVisitPairVolumes(&context, NULL, 0, SP_OVERLAP_RESOLUTION, spNoteVolume, &list);
    }
    if (ok == false)
    {
        spError error = {0};
        spFailMemory(&error, "looking for intersections", world->arena.peak);
        spRecordError(world, &error);
        return -1;
    }
    return list.count;
}

typedef struct spOverlapSum
{
    const spWorld* world;
    spThing thing, other;
    double volume;
} spOverlapSum;

static bool spIsNothing(spThing thing)
{
    return SP_IS_NULL(thing.body) && SP_IS_NULL(thing.collider);
}

static bool spIsThing(spThing a, spThing b)
{
    return SP_ID_EQUALS(a.body, b.body) && SP_ID_EQUALS(a.collider, b.collider);
}

static void spAddOverlap(const spPairVolumes* pair, void* context)
{
    spOverlapSum* sum = context;
    const spWorld* world = sum->world;
    spThing a = spBodyThing(world->bodies[pair->slots[0]]->id);
    spThing b = pair->withCollider ? spColliderThing(world->colliders[pair->slots[1]]->id)
                                   : spBodyThing(world->bodies[pair->slots[1]]->id);
    for (int k = 0; k < 2; ++k)
    {
        spThing first = k == 0 ? a : b, second = k == 0 ? b : a;
        bool counts = (spIsNothing(sum->thing) || spIsThing(sum->thing, first)) &&
                      (spIsNothing(sum->other) || spIsThing(sum->other, second));
        if (counts)
        {
            sum->volume += spSumPairVolume(pair);
            return;
        }
    }
}

double spWorld_MeasureOverlap(spWorld* world, spThing thing, spThing other)
{
    if (world == NULL)
    {
        return 0.0;
    }
    spTouchContext context = spGetTouchContext(world, 0);
    spOverlapSum sum = {world, thing, other, 0.0};
    if (spVisitPairVolumes(&context, (const spCollider* const*)world->colliders, world->colliderIds.slotCount,
                           SP_OVERLAP_RESOLUTION, spAddOverlap, &sum) == false)
    {
        spError error = {0};
        spFailMemory(&error, "measuring an overlap", world->arena.peak);
        spRecordError(world, &error);
        return (double)NAN;
    }
    return sum.volume;
}

bool spWorld_Untangle(spWorld* world, int maxRounds, spUntangleReport* report)
{
    spUntangleReport none, *out = report != NULL ? report : &none;
    *out = (spUntangleReport){0};
    if (world == NULL || maxRounds < 1)
    {
        spError error = {0};
        spFail(&error, sp_errorBadArgument, "untangling needs one round or more, not %d", maxRounds);
        return world != NULL && spRecordError(world, &error);
    }
    spTouchContext context = spGetTouchContext(world, 0);
    spWakeAll(world);
    for (int i = 0; i < context.bodyCount; ++i)
    {
        spBody* body = world->bodies[i];
        if (body != NULL && body->method->pause != NULL)
        {
            body->method->pause(body);
        }
    }
    bool ok = spUntangleBodies(&context, world->def.gravity, maxRounds, out);
    for (int i = 0; i < context.bodyCount; ++i)
    {
        if (world->bodies[i] != NULL)
        {
            spForgetWatch(world->bodies[i]);
            world->bodies[i]->stableStepDirty = true;
        }
    }
    world->rowsDirty = true;
    if (ok == false)
    {
        spError error = {0};
        spFailMemory(&error, "untangling", world->arena.peak);
        return spRecordError(world, &error);
    }
    return out->tangledCount == 0;
}
