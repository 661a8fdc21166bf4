// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The cases of `souple validate contact`, and what they share.

#pragma once

#include "measured.h"

// Methods that cases of contact run with: names of spFindNamedMethod. Shorter runs take the first ones.
extern const char* const g_contactMethods[];
int spGetContactMethodCount(const spValidation* options);

// One of them, with 20 sweeps where there are sweeps
spMethodDef spMakeContactMethod(int index);

// A world with this gravity along -y; NULL without memory, which is printed
spWorld* spMakeContactWorld(double gravity);

// Steps so many times; the flags of all steps. Stops early on an interrupt.
uint32_t spStepTimes(spWorld* world, int steps, double dt);

// A share of a reference that the value may differ by, or with the reference NaN what the value may be at most.
// Returns an exit code.
typedef struct spContactRow
{
    const char* name;
    const char* setting;
    const char* what;
    double value, reference, limit;
    uint32_t flags;
} spContactRow;
int spJudgeContact(const spContactRow* row, const spValidation* options, json_t* rows);

// The first of two exit codes that is no success
int spJoinCodes(int a, int b);

// validate_contact_motion.c
int spRunContactStack(const spValidation* options, json_t* rows);
int spRunContactCollide(const spValidation* options, json_t* rows);
// validate_contact_friction.c
int spRunContactIncline(const spValidation* options, json_t* rows);
int spRunContactPinch(const spValidation* options, json_t* rows);
int spRunContactCapstan(const spValidation* options, json_t* rows);
// validate_contact_guarantee.c
int spRunContactTwist(const spValidation* options, json_t* rows);
// validate_contact_untangle.c
int spRunContactUntangle(const spValidation* options, json_t* rows);
// validate_contact_static.c
int spRunContactHertz(const spValidation* options, json_t* rows);
int spRunContactSqueeze(const spValidation* options, json_t* rows);
