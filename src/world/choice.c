// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The methods of bodies that leave them open, when a step begins. What one body gets depends on the others: a body
// that is stepped explicitly beside one that solves a system makes that one take its substeps.

#include "base/error.h"
#include "method/choose.h"
#include "world/world.h"

#include <math.h>
#include <stdio.h>

// What is found for the bodies of a world, by slot
typedef struct spProposals
{
    spMethodNeeds* needs;
    spReal* steps;           // that they are chosen for, s
    spMethodChoice* choices; // type sp_methodAuto where nothing is to be chosen
} spProposals;

static bool spHasContacts(const spWorld* world, const spBody* body)
{
    return world->def.bodyContacts && body->triangleCount > 0 && body->methodDef.contact != sp_contactOff;
}

static bool spAreJoined(const spWorld* world, int i, int k)
{
    const spBody *a = world->bodies[i], *b = world->bodies[k];
    bool joined = spHasContacts(world, a) && spHasContacts(world, b) && (a->group & b->touches) != 0 &&
                  (b->group & a->touches) != 0;
    for (int l = 0; l < world->linkIds.slotCount; ++l)
    {
        const spLink* link = world->links[l];
        joined = joined || (link != NULL && ((link->body == i && link->otherBody == k) ||
                                             (link->body == k && link->otherBody == i)));
    }
    return joined;
}

// Whether a body solves a system in each substep, with what is proposed for it
static bool spSolves(const spWorld* world, const spProposals* found, int slot)
{
    const spBody* body = world->bodies[slot];
    bool open = found->choices[slot].type != sp_methodAuto;
    return open ? found->choices[slot].type != sp_symplecticEuler : body->method->repeats(body);
}

static bool spIsJoinedToSolver(const spWorld* world, const spProposals* found, int slot)
{
    bool joined = false;
    for (int k = 0; k < world->bodyIds.slotCount; ++k)
    {
        const spBody* other = world->bodies[k];
        joined = joined || (k != slot && other != NULL && other->running && spSolves(world, found, k) &&
                            spAreJoined(world, slot, k));
    }
    return joined;
}

// Explicit bodies beside ones that solve. What is proposed for one may change what is right for the next.
static void spConsiderOthers(const spWorld* world, spProposals* found)
{
    for (bool changed = true; changed;)
    {
        changed = false;
        for (int i = 0; i < world->bodyIds.slotCount; ++i)
        {
            if (found->choices[i].type == sp_symplecticEuler && found->needs[i].joined == false &&
                spIsJoinedToSolver(world, found, i))
            {
                found->needs[i].joined = true;
                found->choices[i] = spChooseMethod(found->needs + i);
                changed = true;
            }
        }
    }
}

// A method that refuses the body, by numbers that only it looks at, leaves it to the one that it has
static bool spTakeProposal(spBody* body, const spMethodChoice* choice, spReal dt)
{
    spError error = {0};
    if (spTakeChoice(body, choice, dt, &error))
    {
        return true;
    }
    spMethodChoice present = {.type = body->methodDef.type, .automatic = true, .substeps = choice->substeps};
    snprintf(present.reason, sizeof(present.reason), "%.*s", (int)sizeof(present.reason) - 1, error.message);
    return error.code != sp_errorOutOfMemory && spTakeChoice(body, &present, dt, &error);
}

bool spChooseMethods(spWorld* world, spReal dt)
{
    int slotCount = world->bodyIds.slotCount, openCount = 0;
    for (int i = 0; i < slotCount; ++i)
    {
        const spBody* body = world->bodies[i];
        openCount += body != NULL && body->running && spIsOpen(body, dt);
    }
    if (openCount == 0)
    {
        return true;
    }
    spProposals found = {
        .needs = spArenaAlloc(&world->arena, spArraySize(slotCount, sizeof(spMethodNeeds))),
        .steps = spArenaAlloc(&world->arena, spArraySize(slotCount, sizeof(spReal))),
        .choices = spArenaAlloc(&world->arena, spArraySize(slotCount, sizeof(spMethodChoice))),
    };
    bool ok = found.needs != NULL && found.steps != NULL && found.choices != NULL;
    for (int i = 0; ok && i < slotCount; ++i)
    {
        spBody* body = world->bodies[i];
        found.choices[i] = (spMethodChoice){.type = sp_methodAuto};
        // All of them together, because one decides on the next; what has not changed is not estimated again
        if (body != NULL && body->running && body->automatic)
        {
            bool open = spIsOpen(body, dt);
            ok = spFindNeeds(body, open ? 0.0 : body->choice.substeps, found.needs + i);
            found.steps[i] = open ? dt : body->choiceDt;
            found.needs[i].dt = (double)found.steps[i];
            found.choices[i] = spChooseMethod(found.needs + i);
        }
    }
    if (ok)
    {
        spConsiderOthers(world, &found);
    }
    for (int i = 0; ok && i < slotCount; ++i)
    {
        if (found.choices[i].type != sp_methodAuto)
        {
            ok = spTakeProposal(world->bodies[i], found.choices + i, found.steps[i]);
        }
    }
    return ok;
}

bool spWorld_ChooseMethods(spWorld* world, spReal dt)
{
    spError error = {0};
    if (world == NULL)
    {
        return false;
    }
    if (!(dt > 0 && isfinite(dt)))
    {
        spFail(&error, sp_errorBadArgument, "methods for steps of %g s: dt must be positive", (double)dt);
        return spRecordError(world, &error);
    }
    spResetArena(&world->arena);
    if (spChooseMethods(world, dt) == false)
    {
        spFailMemory(&error, "the choice of a method", world->arena.used);
        return spRecordError(world, &error);
    }
    return true;
}
