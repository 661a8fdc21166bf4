// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Acts: events that come while a scene runs.

#include "scene/run.h"

bool spRun_Act(spRun* run, const char* text, size_t size, spError* error)
{
    SP_UNUSED(run);
    SP_UNUSED(text);
    SP_UNUSED(size);
    return spFail(error, sp_errorUnsupported, "this build carries out no acts");
}

int spRun_GetHandCount(const spRun* run)
{
    SP_UNUSED(run);
    return 0;
}

bool spRun_GetHand(const spRun* run, int hand, spHandInfo* info)
{
    SP_UNUSED(run);
    SP_UNUSED(hand);
    SP_UNUSED(info);
    return false;
}

bool spRun_GetTool(const spRun* run, spVec3* center, spReal* radius, spVec3* force)
{
    SP_UNUSED(run);
    SP_UNUSED(center);
    SP_UNUSED(radius);
    SP_UNUSED(force);
    return false;
}

int spRun_GetStateCount(const spRun* run)
{
    SP_UNUSED(run);
    return 0;
}

const char* spRun_GetStateName(const spRun* run, int state)
{
    SP_UNUSED(run);
    SP_UNUSED(state);
    return "";
}
