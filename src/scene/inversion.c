// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Tets that turn inside out during a run: how many, when, and what helps.

#include "scene/run.h"
#include "scene/scene_internal.h"
#include "souple/element.h"

void spNoteInversions(spRun* run)
{
    for (int i = 0; i < run->scene->data.bodies.count; ++i)
    {
        spRunBody* body = &run->bodies[i];
        spInversionReport* report = &body->inversions;
        if (body->tetCount == 0)
        {
            continue;
        }
        report->now = spBody_CountInvertedTets(run->world, body->id);
        if (report->now > 0)
        {
            double time = spWorld_GetTime(run->world);
            report->firstTime = report->stepCount == 0 ? time : report->firstTime;
            report->mostTime = report->now > report->most ? time : report->mostTime;
            report->most = report->now > report->most ? report->now : report->most;
            report->stepCount += 1;
        }
    }
}

bool spRun_GetInversions(const spRun* run, const char* name, spInversionReport* report)
{
    int index = name != NULL ? spFindBodyIndex(run->scene, name) : -1;
    if (index < 0 || run->bodies[index].tetCount == 0)
    {
        return false;
    }
    const spRunBody* body = &run->bodies[index];
    bool restores = spTetLawRestores(spBody_GetTetLaw(run->world, body->id, body->tetSet));
    *report = body->inversions;
    report->remedy = restores == false ? "take the law neoHookean, which brings them back, or smaller steps"
                     : body->data->pins.count > 0
                         ? "hold more nodes, or take a stiffer material, smaller steps or a finer mesh"
                         : "take a stiffer material, smaller steps or a finer mesh";
    return true;
}
