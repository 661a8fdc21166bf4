// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Element sets of a body: finding them, appending them, and the slots that the local ones share.

#include "body/sets.h"

#include "base/error.h"

static spElementSet* spFindSet(const spBody* body, int set)
{
    return body != NULL && 0 <= set && set < body->setCount ? body->sets[set] : NULL;
}

spSpringSet* spGetSpringSet(const spBody* body, int set)
{
    spElementSet* found = spFindSet(body, set);
    return found != NULL && found->kind->destroy == spDestroySpringSet ? (spSpringSet*)found : NULL;
}

spTetSet* spGetTetSet(const spBody* body, int set)
{
    spElementSet* found = spFindSet(body, set);
    return found != NULL && found->kind->destroy == spDestroyTetSet ? (spTetSet*)found : NULL;
}

spBendSet* spGetBendSet(const spBody* body, int set)
{
    spElementSet* found = spFindSet(body, set);
    return found != NULL && found->kind->destroy == spDestroyBendSet ? (spBendSet*)found : NULL;
}

spWindSet* spGetWindSet(const spBody* body, int set)
{
    spElementSet* found = spFindSet(body, set);
    return found != NULL && found->kind->destroy == spDestroyWindSet ? (spWindSet*)found : NULL;
}

spGasSet* spGetGasSet(const spBody* body, int set)
{
    spElementSet* found = spFindSet(body, set);
    return found != NULL && found->kind == &spGasKind ? (spGasSet*)found : NULL;
}

spConstraintSet* spGetConstraintSet(const spBody* body, int set)
{
    spElementSet* found = spFindSet(body, set);
    return found != NULL && (found->kind->flags & sp_kindRows) != 0 ? (spConstraintSet*)found : NULL;
}

spFieldSet* spGetFieldSet(const spBody* body, int set)
{
    spElementSet* found = spFindSet(body, set);
    return found != NULL && found->kind->destroy == spDestroyFieldSet ? (spFieldSet*)found : NULL;
}

bool spHasRowsOnly(const spBody* body)
{
    bool found = false;
    for (int i = 0; i < body->setCount; ++i)
    {
        found = found || (body->sets[i]->kind->flags & sp_kindRows) != 0;
    }
    return found;
}

double spGetDampingTime(const spBody* body, double ratio, double speed)
{
    spVec3 lower = spXyz(body->x[0]), upper = lower;
    for (int i = 1; i < body->nodeCount; ++i)
    {
        spVec3 p = spXyz(body->x[i]);
        lower = (spVec3){fmin(lower.x, p.x), fmin(lower.y, p.y), fmin(lower.z, p.z)};
        upper = (spVec3){fmax(upper.x, p.x), fmax(upper.y, p.y), fmax(upper.z, p.z)};
    }
    double length =
        fmax(fmax((double)upper.x - lower.x, (double)upper.y - lower.y), (double)upper.z - lower.z);
    // ratio = beta w / 2 with w = pi speed / length
    return speed > 0.0 ? 2.0 * ratio * length / (3.14159265358979323846 * speed) : 0.0;
}

bool spCheckRoom(const spBody* body, spError* error)
{
    return body->setCount < SP_MAX_SETS ||
           spFail(error, sp_errorLimit, "%s has %d element sets already, the most there can be", body->name,
                  SP_MAX_SETS);
}

bool spCheckNode(const spBody* body, const char* what, int index, int node, spError* error)
{
    return (0 <= node && node < body->userCount) ||
           spFail(error, sp_errorBadIndex, "%s %d uses node %d, but %s has %d nodes", what, index, node,
                  body->name, body->userCount);
}

// Rebuilds the slots over all local sets, and the force array with them. On failure nothing has changed.
static bool spRebuildSlots(spBody* body, spError* error)
{
    spBlocks* blocks[SP_MAX_SETS];
    int count = 0;
    for (int i = 0; i < body->setCount; ++i)
    {
        spElementSet* set = body->sets[i];
        if (set->kind->getBlocks != NULL)
        {
            blocks[count++] = set->kind->getBlocks(set);
        }
    }
    spSlots slots;
    if (spBuildSlots(&slots, body->heap, blocks, count, body->order.patchBegin, body->order.patchCount,
                     body->edit != NULL) == false)
    {
        return spFailMemory(error, "the slots of a body", sizeof(spSlots));
    }
    size_t forceSize = spArraySize((int64_t)body->nodeCount + slots.slotCount, sizeof(spVec4));
    spVec4* f = body->backend->allocate(body->heap, forceSize);
    if (f == NULL)
    {
        spFreeSlots(&slots, body->heap);
        return spFailMemory(error, "the forces of a body", forceSize);
    }
    body->backend->release(body->heap, body->f);
    spFreeSlots(&body->slots, body->heap);
    body->slots = slots;
    body->f = f;
    return true;
}

void spMarkRoles(spBody* body)
{
    body->matrixVersion += 1;
    body->stableStepDirty = true;
}

void spMarkChanged(spBody* body)
{
    body->materialVersion += 1;
    spMarkRoles(body);
}

int spAppendSet(spBody* body, spElementSet* set)
{
    body->sets[body->setCount] = set;
    body->elementCount += set->elementCount - set->spareCount;
    spMarkChanged(body);
    body->topologyVersion += 1;
    return body->setCount++;
}

int spAppendLocalSet(spBody* body, spElementSet* set, spError* error)
{
    // Slots are those of all sets, with the new one
    body->sets[body->setCount++] = set;
    bool ok = spRebuildSlots(body, error);
    body->setCount -= 1;
    if (ok == false)
    {
        set->kind->destroy(set, body->heap);
        return -1;
    }
    return spAppendSet(body, set);
}
