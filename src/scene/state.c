// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Saved states of a run: a snapshot of the world, and where the time line stands.
//
// A snapshot knows links and colliders by their ids; it cannot bring back those that are gone. So a state
// also keeps what makes the links of the scene again, and the tool. What acts hold, pull and poke with
// belongs to the hand that is there now, not to the state: it is let go before a state comes back.

#include "scene/run.h"

#include <stdio.h>
#include <string.h>

static int spFindState(const spRun* run, const char* name)
{
    for (int i = 0; i < run->stateCount; ++i)
    {
        if (strcmp(run->states[i].name, name) == 0)
        {
            return i;
        }
    }
    return -1;
}

static bool spCopyNodes(spHeap* heap, const spNodeList* from, spNodeList* to)
{
    *to = (spNodeList){.data = spAlloc(heap, spArraySize(from->count, sizeof(int32_t)))};
    if (to->data == NULL)
    {
        return false;
    }
    to->count = from->count;
    to->capacity = from->count;
    memcpy(to->data, from->data, (size_t)from->count * sizeof(int32_t));
    return true;
}

// The copy owns its nodes and anchors
static bool spCopyLink(spHeap* heap, const spRunLink* from, spRunLink* to)
{
    *to = (spRunLink){0};
    if (!from->held)
    {
        return true;
    }
    size_t nodeSize = spArraySize(from->def.nodeCount, sizeof(int32_t));
    size_t anchorSize = spArraySize(from->def.nodeCount, sizeof(spVec3));
    int32_t* nodes = spAlloc(heap, nodeSize);
    spVec3* anchors = spAlloc(heap, anchorSize);
    if (nodes == NULL || anchors == NULL)
    {
        spFree(heap, nodes);
        spFree(heap, anchors);
        return false;
    }
    memcpy(nodes, from->def.nodes, nodeSize);
    memcpy(anchors, from->def.anchors, anchorSize);
    *to = *from;
    to->def.nodes = nodes;
    to->def.anchors = anchors;
    return true;
}

static void spFreeState(spRun* run, spRunState* state)
{
    for (int i = 0; state->links != NULL && i < run->sceneLinkCount; ++i)
    {
        spForgetLink(run, &state->links[i]);
    }
    for (int i = 0; state->pulls != NULL && i < state->pullCount; ++i)
    {
        spFreeNodes(&run->heap, &state->pulls[i].nodes);
    }
    spFree(&run->heap, state->links);
    spFree(&run->heap, state->pulls);
    spFree(&run->heap, state->drives);
    spDestroySnapshot(state->snapshot);
    *state = (spRunState){0};
}

static bool spFillState(spRun* run, spRunState* state)
{
    state->nextEvent = run->nextEvent;
    for (int i = 0; i < run->bladeCount; ++i)
    {
        state->blades[state->bladeCount] = run->blades[i];
        state->bladeCount += !run->blades[i].live;
    }
    state->snapshot = spWorld_Save(run->world);
    state->pullCount = run->pullCount;
    state->links = spAllocZeroed(&run->heap, spArraySize(run->sceneLinkCount, sizeof(spRunLink)));
    state->pulls = spAllocZeroed(&run->heap, spArraySize(state->pullCount, sizeof(spRunPull)));
    int colliderCount = run->scene->data.colliders.count;
    size_t driveSize = spArraySize(colliderCount, sizeof(spRunDrive));
    state->drives = spAlloc(&run->heap, driveSize);
    if (state->drives != NULL)
    {
        memcpy(state->drives, run->drives, driveSize);
    }
    bool good = state->snapshot != NULL && (state->drives != NULL || colliderCount == 0) &&
                (state->links != NULL || run->sceneLinkCount == 0) &&
                (state->pulls != NULL || state->pullCount == 0);
    for (int i = 0; good && i < run->sceneLinkCount; ++i)
    {
        good = spCopyLink(&run->heap, &run->links[i], &state->links[i]);
    }
    for (int i = 0; good && i < run->pullCount; ++i)
    {
        state->pulls[i] = run->pulls[i];
        good = spCopyNodes(&run->heap, &run->pulls[i].nodes, &state->pulls[i].nodes);
    }
    if (!SP_IS_NULL(run->tool.id) && !run->tool.live)
    {
        spVec3 place = spCollider_GetTransform(run->world, run->tool.id).position;
        state->tool = run->tool;
        state->toolPosition = (spDVec3){place.x, place.y, place.z};
    }
    return good;
}

bool spSaveState(spRun* run, const char* name, spError* error)
{
    int index = spFindState(run, name);
    if (index < 0 && run->stateCount == SP_MAX_STATES)
    {
        return spFail(error, sp_errorLimit, "%d states are saved already, and no more fit: reuse a name",
                      SP_MAX_STATES);
    }
    spRunState state = {0};
    snprintf(state.name, sizeof(state.name), "%s", name);
    if (!spFillState(run, &state))
    {
        spFreeState(run, &state);
        return spFailMemory(error, "a saved state", 0);
    }
    index = index >= 0 ? index : run->stateCount++;
    spFreeState(run, &run->states[index]);
    run->states[index] = state;
    return true;
}

// Everything that the state needs, before anything is changed
static bool spPrepareRestore(spRun* run, const spRunState* state, spRunState* copy)
{
    copy->pullCount = state->pullCount;
    copy->links = spAllocZeroed(&run->heap, spArraySize(run->sceneLinkCount, sizeof(spRunLink)));
    copy->pulls = spAllocZeroed(&run->heap, spArraySize(state->pullCount, sizeof(spRunPull)));
    bool good =
        (copy->links != NULL || run->sceneLinkCount == 0) && (copy->pulls != NULL || state->pullCount == 0);
    for (int i = 0; good && i < run->sceneLinkCount; ++i)
    {
        good = spCopyLink(&run->heap, &state->links[i], &copy->links[i]);
    }
    for (int i = 0; good && i < state->pullCount; ++i)
    {
        copy->pulls[i] = state->pulls[i];
        good = spCopyNodes(&run->heap, &state->pulls[i].nodes, &copy->pulls[i].nodes);
    }
    return good;
}

// The links as the state had them: those that are gone from the world are made again
static bool spRestoreLinks(spRun* run, spRunState* copy)
{
    bool good = true;
    for (int i = 0; i < run->sceneLinkCount; ++i)
    {
        spRunLink* link = &copy->links[i];
        spForgetLink(run, &run->links[i]);
        if (link->held && !spLink_IsValid(run->world, link->id))
        {
            spLinkDef def = link->def;
            def.offset = spToVec3(link->offset);
            link->id = spCreateLink(run->world, &def);
            if (SP_IS_NULL(link->id))
            {
                spForgetLink(run, link);
                good = false;
            }
        }
        run->links[i] = *link;
        *link = (spRunLink){0};
    }
    return good;
}

// The forces of the scene as the state had them; those of acts are gone, now and then
static bool spRestorePulls(spRun* run, spRunState* copy)
{
    bool good = true;
    spRunPull* old = run->pulls;
    int oldCount = run->pullCount, count = 0;
    run->pulls = copy->pulls;
    run->livePullCount = 0;
    // The list of forces that go on comes first, those that have ended behind it
    for (int i = 0; i < copy->pullCount; ++i)
    {
        if (!copy->pulls[i].live)
        {
            spRunPull pull = copy->pulls[i];
            memmove(copy->pulls + count + 1, copy->pulls + count, (size_t)(i - count) * sizeof(spRunPull));
            copy->pulls[count++] = pull;
        }
    }
    run->pullCount = count;
    for (int i = 0; i < oldCount; ++i)
    {
        good &= spApplyForces(run, old[i].body, &old[i].nodes);
        spFreeNodes(&run->heap, &old[i].nodes);
    }
    for (int i = 0; i < copy->pullCount; ++i)
    {
        good &= spApplyForces(run, copy->pulls[i].body, &copy->pulls[i].nodes);
    }
    for (int i = 0; i < count; ++i)
    {
        old[i] = copy->pulls[i];
        copy->pulls[i].nodes = (spNodeList){0};
    }
    run->pulls = old;
    return good;
}

bool spRestoreState(spRun* run, const char* name, spError* error)
{
    int index = spFindState(run, name);
    if (index < 0)
    {
        return spFail(error, sp_errorBadArgument,
                      "no state \"%.60s\" is saved; \"start\" is the one at the beginning", name);
    }
    const spRunState* state = &run->states[index];
    spRunState copy = {0};
    spVec3 gravity = spWorld_GetGravity(run->world);
    if (!spPrepareRestore(run, state, &copy))
    {
        spFreeState(run, &copy);
        return spFailMemory(error, "a saved state", 0);
    }
    if (!spWorld_Restore(run->world, state->snapshot))
    {
        spFreeState(run, &copy);
        spError why = spWorld_GetLastError(run->world);
        return spFail(error, why.code, "%s", why.message);
    }
    for (int i = run->sceneLinkCount; i < run->linkCount; ++i)
    {
        spReleaseLink(run, &run->links[i]);
    }
    spLiftTool(run);
    bool good = spRestoreLinks(run, &copy) && spWorld_SetGravity(run->world, gravity);
    good &= spRestorePulls(run, &copy);
    if (!SP_IS_NULL(state->tool.id))
    {
        good &= spMakeTool(run, state->toolPosition, state->tool.radius);
        run->tool.target = state->tool.target;
        run->tool.moving = state->tool.moving && !SP_IS_NULL(run->tool.id);
    }
    spFreeState(run, &copy);
    if (state->drives != NULL)
    {
        memcpy(run->drives, state->drives, (size_t)run->scene->data.colliders.count * sizeof(spRunDrive));
    }
    memcpy(run->blades, state->blades, sizeof(run->blades));
    run->bladeCount = state->bladeCount;
    run->nextEvent = state->nextEvent;
    run->played = false;
    spTakeMeasurements(run);
    return good || spFailMemory(error, "what the saved state holds", 0);
}

void spFreeStates(spRun* run)
{
    for (int i = 0; i < run->stateCount; ++i)
    {
        spFreeState(run, &run->states[i]);
    }
    run->stateCount = 0;
}

int spRun_GetStateCount(const spRun* run)
{
    return run->stateCount;
}

const char* spRun_GetStateName(const spRun* run, int state)
{
    return state >= 0 && state < run->stateCount ? run->states[state].name : "";
}
