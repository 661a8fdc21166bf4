// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Torture: a beam of 1 m with tets of every stiffness, at every step, by every method, under every trouble
// that we know of. A case must stay finite and where it can be, and settle or at least lose energy; or the
// step must say that something is wrong.

#pragma once

#include "souple/souple.h"

typedef enum spTrouble
{
    sp_troubleNone,     // one end is held, the other falls
    sp_troubleMasses,   // neighbours of 1 g and 1 kg
    sp_troubleMasses6,  // neighbours of 1 g and 1 t
    sp_troubleSlivers,  // a thousandth as thick as it is long
    sp_troubleInverted, // starts mirrored
    sp_troubleFlat,     // starts in a plane
    sp_troubleJerk,     // the held end moves by 1 m in one step
    sp_troubleChange,   // a thousand times as stiff for a third of the time
    sp_troubleImpact,   // not held, falls askew on a ground with friction
    sp_troubleTouch,    // the same on another one that lies there
    sp_troublePress,    // lies on the ground, is pressed to 0.6 of its height by a plate, and let go
    sp_troubleCount
} spTrouble;

const char* spGetTroubleName(spTrouble trouble);

// How a case ended
typedef enum spTortureOutcome
{
    sp_outcomeSettled, // and without a word
    sp_outcomeMoving,  // has not gained energy, is where it can be; still on its way
    sp_outcomeSaid,    // some step said that something is wrong, or, where it gained energy, that its system
                       // was not solved; it is where it can be
    sp_outcomeFar,     // the same, and is farther than it can be
    sp_outcomeGained,  // has gained energy without a word
    sp_outcomeWrong,   // not finite, or farther than it can be, without a word
    sp_outcomeCount
} spTortureOutcome;

const char* spGetOutcomeName(spTortureOutcome outcome);

typedef struct spTortureCase
{
    double young; // Pa
    double poisson;
    double dt; // s
    spTetLaw law;
    int method; // 0 .. spGetTortureMethodCount() - 1
    spTrouble trouble;
} spTortureCase;

// Methods, and ways to use them
int spGetTortureMethodCount(void);
const char* spGetTortureMethodName(int method);

// All cases, in an order in which every stride that is no multiple of 2, 3, 5 or 11 meets all settings
int spGetTortureCaseCount(void);
spTortureCase spGetTortureCase(int index);

typedef struct spTortureResult
{
    spTortureOutcome outcome;
    uint32_t flags; // of all steps
    double gain;    // of energy, over what it lost or may be rounding
    double reach;   // farthest that a node came from where it started, m
    double allowed; // the farthest that it can, m
} spTortureResult;

spTortureResult spRunTortureCase(const spTortureCase* c);

// Whether nothing worse is known of the method: silence is for what has gone well, but for methods that are
// known to gain energy
bool spIsExpected(const spTortureCase* c, spTortureOutcome outcome);
