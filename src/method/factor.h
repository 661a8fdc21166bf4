// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The preconditioner of a body over many steps. There are two: the one in front is applied, the other is
// being made, from a copy of the state, in the step or by a thread of its own while the simulation goes on.
// Between two refreshes the front one grows old; it is then turned with the nodes, R P^-1 R^T, R a rotation
// for each node from the state that it was made at to the present one.
//
// Courtecuisse. Nouvelles architectures paralleles pour simulations interactives medicales. 2011

#pragma once

#include "method/memory_walk.h"
#include "method/method.h"
#include "method/system.h"

typedef struct spFactor spFactor;

// What a preconditioner is made from
typedef struct spFactorRequest
{
    spReal mass;
    spFill fill;
    double time;
    int64_t step;
    uint32_t version; // of the matrix: materials and roles
    // What contacts add to the blocks of the nodes, as in spBodySystem; copied. NULL, always or never, for none
    const spVec4* contacts[2];
} spFactorRequest;

// Returns NULL, with a sentence, when there is no memory, no thread, or the build lacks the library.
spFactor* spCreateFactor(spBody* body, const spSolverDef* solver, const spFactorRequest* request,
                         spError* error);
// Waits for the thread to end what it is at
void spDestroyFactor(spFactor* f, spBody* body);

// Takes a copy of positions and velocities and makes the back one from it: here, or on the thread
void spRequestFactor(spFactor* f, const spVec4* x, const spVec4* v, const spFactorRequest* request);

// Whether the back one has been asked for and not been taken yet, and whether it is done
bool spIsFactorAsked(const spFactor* f);
bool spIsFactorDone(spFactor* f);

// Exchanges the two. Waits when the back one is not done yet, and returns how long, s. If the back one could
// not be made (the matrix was not positive definite), it is dropped and the front one kept.
double spTakeFactor(spFactor* f);

// Waits until the thread does not read the body any more
void spPauseFactor(spFactor* f);

// Makes room for rotations that are found over the pairs of a matrix. False without memory.
bool spFitTurns(spFactor* f, const spSparse* a);
// Finds the rotations of the nodes since the front one was made
void spTurnFactor(spFactor* f, const spSparse* a, const spVec4* x, spTeam* team);

// After an edit: the two go on, with what they do not know of beside them (factor_slot.h)
void spRemapFactor(spFactor* f, const spBirth* birth);
// Whether the body was edited since the front one was asked for, and whether it was just before this step, or
// after it
bool spIsFactorEdited(const spFactor* f);
bool spIsFactorCut(const spFactor* f, int64_t step);
// Takes edits in. system: of the body as it is now; its numbers are lost. False when there is no front one, or
// it cannot go on: too many nodes have changed, or there is no memory.
bool spKeepFactor(spFactor* f, spBodySystem* system, spTeam* team, int64_t step);

// The front one; NULL when none could be made
spPreconditioner* spGetFrontFactor(const spFactor* f);
const spMat3* spGetFactorTurns(const spFactor* f);
// A number that is another one whenever the front one is
int64_t spGetFactorSerial(const spFactor* f);
// Step that the front, or the back one comes from; -1 for none
int64_t spGetFactorStep(const spFactor* f, bool back);
// Materials and roles that the front one knows of
uint32_t spGetFactorVersion(const spFactor* f);
int64_t spGetFactorCount(const spFactor* f);
double spGetFactorSeconds(const spFactor* f);

// What snapshots keep: the states that the two come from. Makes them again when they have been read back.
void spWalkFactor(spFactor* f, spWalkMemoryFcn* fcn, void* walk);
