// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// souple validate contact: bodies that touch, against theory and against CalculiX. A measurement that misses its
// limit is wrong, whether or not the steps said that they were not solved.

#include "validate_contact.h"

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/tools.h"

#include <stdio.h>

const char* const g_contactMethods[] = {"symplecticEuler", "backwardEuler", "bdf2", "xpbd", "xpbdSweeps"};

int spGetContactMethodCount(const spValidation* options)
{
    return options->quick ? 4 : (int)(sizeof(g_contactMethods) / sizeof(g_contactMethods[0]));
}

spMethodDef spMakeContactMethod(int index)
{
    return spMakeNamedMethod(spFindNamedMethod(g_contactMethods[index]), 20);
}

spWorld* spMakeContactWorld(double gravity)
{
    spWorldDef def = spDefaultWorldDef();
    def.gravity = (spVec3){0, (spReal)-gravity, 0};
    spError error = SP_ZERO_INIT;
    spWorld* world = spCreateWorld(&def, &error);
    if (world == NULL)
    {
        spFailUsage("%s", error.message);
    }
    return world;
}

uint32_t spStepTimes(spWorld* world, int steps, double dt)
{
    uint32_t flags = 0;
    for (int i = 0; i < steps && spIsInterrupted() == false; ++i)
    {
        flags |= spWorld_Step(world, (spReal)dt);
    }
    return flags;
}

int spJudgeContact(const spContactRow* row, const spValidation* options, json_t* rows)
{
    spMeasured m = {.name = row->name,
                    .what = row->what,
                    .value = row->value,
                    .reference = row->reference,
                    .limit = row->limit,
                    .flags = row->flags,
                    .strict = true};
    snprintf(m.setting, sizeof(m.setting), "%s", row->setting);
    return spIsInterrupted() ? SP_EXIT_INTERRUPTED : spJudgeMeasured(&m, options, rows);
}

int spJoinCodes(int a, int b)
{
    return a != SP_EXIT_FINE ? a : b;
}

static const spRunCase s_cases[] = {
    {"contact-stack", "ten soft blocks on each other, every method and all of them mixed", spRunContactStack},
    {"contact-incline", "a soft block on a slope: when it slides, and how fast", spRunContactIncline},
    {"contact-collide", "two soft balls run into each other: momentum and energy", spRunContactCollide},
    {"contact-pinch", "a soft block between two pads: held for a minute, then too heavy", spRunContactPinch},
    {"contact-hertz", "a rigid sphere in an elastic half space: force and radius", spRunContactHertz},
    {"contact-squeeze", "a ball between two plates, against CalculiX with contact", spRunContactSqueeze},
    {"contact-capstan", "a belt drawn round a cylinder: e^(mu theta)", spRunContactCapstan},
    {"contact-twist", "a strip of cloth wound up under the guarantee: no triangles intersect",
     spRunContactTwist},
    {"untangle", "bodies that begin inside each other, by volume: ten steps, energy bounded",
     spRunContactUntangle},
};

const spRunCase* spGetContactCases(int* count)
{
    *count = (int)(sizeof(s_cases) / sizeof(s_cases[0]));
    return s_cases;
}
