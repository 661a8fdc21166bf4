// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "method/method.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

extern const spMethodKind spExplicitMethod, spImplicitMethod, spXpbdMethod, spRigidMethod,
    spMultiresolutionMethod;

const spMethodKind* spFindMethod(spMethodType type)
{
    switch (type)
    {
        case sp_symplecticEuler:
        case sp_forwardEuler:
        case sp_verlet:
        case sp_rungeKutta4:
        case sp_localImplicit:
            return &spExplicitMethod;
        case sp_backwardEuler:
        case sp_bdf2:
        case sp_imex:
        case sp_quasiStatic:
            return &spImplicitMethod;
        case sp_xpbd:
            return &spXpbdMethod;
        case sp_rigid:
            return &spRigidMethod;
        case sp_multiresolution:
            return &spMultiresolutionMethod;
        default:
            return NULL;
    }
}

bool spInstallMethod(spBody* body, const spMethodDef* def, spError* error)
{
    const spMethodKind* method = spFindMethod(def->type);
    spMethodDef oldDef = body->methodDef;
    const spMethodKind* oldMethod = body->method;
    void* oldState = body->methodState;
    body->methodDef = *def;
    body->method = method;
    body->methodState = NULL;
    if (method->create(body, error) == false)
    {
        body->methodDef = oldDef;
        body->method = oldMethod;
        body->methodState = oldState;
        return false;
    }
    if (oldMethod != NULL)
    {
        void* newState = body->methodState;
        body->methodState = oldState;
        oldMethod->destroy(body);
        body->methodState = newState;
    }
    body->stableStepDirty = true;
    spClearRemainders(body, body->x);
    return true;
}

bool spSetBodyMethod(spBody* body, const spMethodDef* def, spError* error)
{
    if (def == NULL || def->internalValue != SP_DEF_COOKIE)
    {
        return spFail(error, sp_errorBadDef, "the method definition does not come from spDefaultMethodDef");
    }
    spMethodDef moving = *def;
    bool automatic = def->type == sp_methodAuto;
    if (automatic)
    {
        // Until the choice is made: constraints leave no other
        moving.type = spHasRowsOnly(body) ? sp_xpbd : sp_symplecticEuler;
    }
    if (spFindMethod(moving.type) == NULL)
    {
        return spFail(error, sp_errorBadArgument, "method %d does not exist", (int)def->type);
    }
    if (def->substeps < 0 || def->maxSubsteps < 1 || !(def->safety > 0 && def->safety <= 1) ||
        (unsigned)def->contact > sp_contactOff)
    {
        return spFail(
            error, sp_errorBadArgument,
            "method: substeps %d must not be negative, maxSubsteps %d at least 1, safety %g in (0, 1], and "
            "the contact mode one of three",
            def->substeps, def->maxSubsteps, (double)def->safety);
    }
    if (moving.type != sp_xpbd && spHasRowsOnly(body))
    {
        return spFail(error, sp_errorUnsupported,
                      "%s has constraints, which have no forces: only the method sp_xpbd can move it",
                      body->name);
    }
    if (spInstallMethod(body, &moving, error) == false)
    {
        return false;
    }
    body->automatic = automatic;
    body->choice = (spMethodChoice){.type = def->type, .automatic = automatic};
    return true;
}

bool spTakeChoice(spBody* body, const spMethodChoice* choice, spReal dt, spError* error)
{
    spMethodDef def = body->methodDef;
    def.type = choice->type;
    if (def.type != body->methodDef.type && spInstallMethod(body, &def, error) == false)
    {
        return false;
    }
    body->choice = *choice;
    body->choiceVersion = body->materialVersion;
    body->choiceDt = dt;
    return true;
}

// Steps may be so much longer or shorter than the one that the choice was made for: frames of a game waver
#define SP_STEP_RANGE 1.5

bool spIsOpen(const spBody* body, spReal dt)
{
    double chosen = (double)body->choiceDt, ratio = (double)dt / chosen;
    return body->automatic &&
           (body->choice.type == sp_methodAuto || body->choiceVersion != body->materialVersion ||
            ratio > SP_STEP_RANGE || ratio < 1.0 / SP_STEP_RANGE);
}

spAdvanceResult spAdvanceByMethod(spBody* body, const spAdvanceContext* context)
{
    return body->method->advance(body, context);
}

bool spCheckSort(const spBody* body, spElementSort sort, const void* def, spError* error)
{
    return body->method->takes == NULL || def == NULL || body->method->takes(body, sort, def, error);
}

bool spRepeatsAlways(const spBody* body)
{
    SP_UNUSED(body);
    return true;
}

bool spRepeatsNever(const spBody* body)
{
    SP_UNUSED(body);
    return false;
}

double spGetAnyStep(spBody* body)
{
    SP_UNUSED(body);
    return INFINITY;
}

int spCountGivenSubsteps(const spBody* body, spReal dt, uint32_t* flags)
{
    SP_UNUSED(dt);
    SP_UNUSED(flags);
    return spMaxInt(1, body->methodDef.substeps);
}

void spAdaptNothing(spBody* body, spTeam* team)
{
    SP_UNUSED(body);
    SP_UNUSED(team);
}

void spMovePoses(const spAdvanceContext* context, spReal fraction)
{
    for (int k = 0; k < context->colliderCount; ++k)
    {
        if (context->colliders[k] != NULL)
        {
            context->poses[k] = spGetColliderPose(context->colliders[k], fraction, context->stepDt);
        }
    }
}

spStop spMakeStop(const spAdvanceContext* context, int substep, int substepCount, double begin)
{
    bool decided = context->choices != NULL && context->decided;
    double share = (double)(substep + 1) / (double)substepCount;
    spStop stop = {.decided = decided, .after = -1};
    if (decided)
    {
        stop.after = context->choices[context->firstSubstep + substep].stopAfter;
    }
    if (context->deadline > 0.0)
    {
        stop.deadline = begin + share * fmax(context->deadline - begin, 1e-9);
    }
    return stop;
}

bool spTellChoice(const spAdvanceContext* context, int substep, const spStop* stop, int64_t factorStep)
{
    if (context->choices == NULL)
    {
        return true;
    }
    spChoice* choice = context->choices + context->firstSubstep + substep;
    spChoice given = *choice;
    *choice = (spChoice){.factorStep = factorStep, .stopAfter = stop->stopped ? stop->passed : -1};
    return stop->decided == false ||
           (given.factorStep == choice->factorStep && given.stopAfter == choice->stopAfter);
}

bool spGrowCompliance(spComplianceList* list, spArena* arena, int more)
{
    int needed = list->count + more;
    if (needed <= list->capacity)
    {
        return true;
    }
    int capacity = spMaxInt(needed, 2 * list->capacity);
    spComplianceBlock* blocks = spArenaAlloc(arena, spArraySize(capacity, sizeof(spComplianceBlock)));
    if (blocks == NULL)
    {
        return false;
    }
    if (list->count > 0)
    {
        memcpy(blocks, list->blocks, (size_t)list->count * sizeof(spComplianceBlock));
    }
    list->blocks = blocks;
    list->capacity = capacity;
    return true;
}

bool spGrowNodal(spComplianceList* list, spArena* arena, int more)
{
    int needed = list->entryCount + more;
    if (needed <= list->entryCapacity)
    {
        return true;
    }
    int capacity = spMaxInt(needed, 2 * list->entryCapacity);
    spNodalEntry* entries = spArenaAlloc(arena, spArraySize(capacity, sizeof(spNodalEntry)));
    if (entries == NULL)
    {
        return false;
    }
    if (list->entryCount > 0)
    {
        memcpy(entries, list->entries, (size_t)list->entryCount * sizeof(spNodalEntry));
    }
    list->entries = entries;
    list->entryCapacity = capacity;
    return true;
}

void spInherit(const spBirth* birth, void* array, size_t size)
{
    unsigned char* bytes = array;
    for (int i = 0; array != NULL && i < birth->count; ++i)
    {
        memcpy(bytes + (size_t)birth->nodes[i] * size, bytes + (size_t)birth->parents[i] * size, size);
    }
}
