// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Bodies of levels: what they do, and refining by hand.

#include "souple/levels.h"

#include "base/error.h"
#include "math/vec3.h"
#include "method/multiresolution.h"
#include "world/world.h"

static bool spMovesByLevels(const spBody* body)
{
    return body != NULL && body->methodDef.type == sp_multiresolution;
}

spLevelsReport spBody_GetLevels(spWorld* world, spBodyId id)
{
    spBody* body = spGetBody(world, id);
    spLevelsReport report = {0};
    if (body == NULL || body->hierarchy == NULL)
    {
        return report;
    }
    const spHierarchy* h = body->hierarchy;
    report.levelCount = h->levelCount;
    for (int level = 0; level < h->levelCount; ++level)
    {
        report.nodeCounts[level] = h->begin[level + 1] - h->begin[level];
    }
    for (int i = 0; i < h->begin[h->levelCount - 1]; ++i)
    {
        report.solidCount += h->down[i].count == 0;
    }
    if (spMovesByLevels(body) == false)
    {
        report.activeCounts[h->levelCount - 1] = report.nodeCounts[h->levelCount - 1];
        return report;
    }
    if (spReportLevels(body, &report) == false)
    {
        spRefuse(world, sp_errorOutOfMemory, body->name, "no memory for its levels");
    }
    return report;
}

int spBody_CopyNodeLevels(const spWorld* world, spBodyId id, spReal* levels, int capacity)
{
    const spBody* body = spGetBody(world, id);
    if (body == NULL || body->hierarchy == NULL || levels == NULL || capacity < body->userCount)
    {
        return 0;
    }
    int finest = body->hierarchy->levelCount - 1;
    for (int i = 0; i < body->userCount; ++i)
    {
        levels[i] = (spReal)(spMovesByLevels(body) ? spGetLevelAt(body, body->order.rank[i]) : finest);
    }
    return body->userCount;
}

bool spBody_Refine(spWorld* world, spBodyId id, spVec3 lower, spVec3 upper, int level)
{
    spBody* body = spUseBody(world, id);
    if (body == NULL)
    {
        return false;
    }
    if (spMovesByLevels(body) == false)
    {
        return spRefuse(world, sp_errorUnsupported, body->name,
                        "only a body of levels that moves by multiresolution can be refined");
    }
    if (!spIsFinite3(lower) || !spIsFinite3(upper) || !(lower.x <= upper.x) || !(lower.y <= upper.y) ||
        !(lower.z <= upper.z) || level < 0 || level >= SP_MAX_LEVELS)
    {
        return spRefuse(
            world, sp_errorBadArgument, body->name,
            "the box to refine must be finite, its lower corner below the upper one, and the level in 0..6");
    }
    spRefineLevels(body, lower, upper, level);
    return true;
}
