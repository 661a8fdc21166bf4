// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "body_notes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool spIsSameChoice(const spMethodChoice* a, const spMethodChoice* b)
{
    return a->automatic && b->automatic && a->type == b->type && strcmp(a->reason, b->reason) == 0;
}

bool spSayChoice(char text[SP_NOTE_SIZE], const spWorld* world, const spBodyId* ids, int count, int index)
{
    spMethodChoice choice = spBody_GetMethodChoice(world, ids[index]);
    if (choice.automatic == false || choice.type == sp_methodAuto)
    {
        return false;
    }
    int others = 0;
    for (int i = 0; i < count; ++i)
    {
        spMethodChoice other = spBody_GetMethodChoice(world, ids[i]);
        bool same = i != index && spIsSameChoice(&choice, &other);
        if (same && i < index)
        {
            return false;
        }
        others += same;
    }
    char more[32] = "";
    if (others > 0)
    {
        snprintf(more, sizeof(more), " and %d other%s", others, others == 1 ? "" : "s");
    }
    snprintf(text, SP_NOTE_SIZE, "%s%s %s moved by %s, chosen automatically: %s.",
             spBody_GetName(world, ids[index]), more, others > 0 ? "are" : "is", spGetMethodWord(choice.type),
             choice.reason);
    return true;
}

bool spSayInversions(char text[SP_NOTE_SIZE], spRun* run, const char* body)
{
    spInversionReport report;
    if (spRun_GetInversions(run, body, &report) == false || report.most == 0)
    {
        return false;
    }
    snprintf(
        text, SP_NOTE_SIZE,
        "%s: up to %d tet%s inside out, first at %.3g s, most at %.3g s, after %lld step%s, %.0d%s at the "
        "end: %s.",
        body, report.most, report.most == 1 ? " was" : "s were", report.firstTime, report.mostTime,
        (long long)report.stepCount, report.stepCount == 1 ? "" : "s", report.now,
        report.now == 0 ? "none" : "", report.remedy);
    return true;
}

void spDraftBodies(spDraft* draft, spRun* run)
{
    spWorld* world = spRun_GetWorld(run);
    int count = spWorld_GetBodyCount(world);
    spBodyId* ids = calloc((size_t)count + 1, sizeof(spBodyId));
    char note[SP_NOTE_SIZE];
    bool begun = false;
    count = ids != NULL ? spWorld_GetBodies(world, ids, count) : 0;
    for (int k = 0; k < 2 * count; ++k)
    {
        const char* name = spBody_GetName(world, ids[k / 2]);
        if (k % 2 == 0 ? spSayChoice(note, world, ids, count, k / 2) : spSayInversions(note, run, name))
        {
            spDraftPart(begun ? NULL : draft, "Bodies");
            spDraftText(draft, "%s", note);
            begun = true;
        }
    }
    free(ids);
}
