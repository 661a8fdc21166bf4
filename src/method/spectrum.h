// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The largest eigenvalue of M^-1 K and of M^-1 C, K and C the stiffness and the damping of a body as it is
// now: what limits explicit steps. Found by power iteration on the forces themselves (addDifference), in the
// inner product of the masses, with held nodes left out. No matrix is ever made.
//
// The iteration comes from below and the bounds of the element kinds from above: the truth is in between.
//
// With a velocity filter S the step is v' = S (v - h A x - h B v), x' = x + h v'. Its first mode to go turns
// over, with eigenvalue -1: 2 (I + S) x = S (h^2 A + 2 h B) x. So the eigenvalues of 2 (I + S)^-1 S A and of
// 2 (I + S)^-1 S B take the place of those of A and B. With S = I they are the same.

#pragma once

#include "method/filter.h"

typedef enum spModes
{
    sp_stiffnessModes, // squared frequencies, 1/s^2
    sp_dampingModes,   // damping rates, 1/s
    sp_modesCount
} spModes;

typedef struct spSpectrum
{
    spVec4* last[sp_modesCount]; // where the last iterations ended: later ones start there
    bool known[sp_modesCount];   // whether there was a last one
    spVec4* vector;
    spVec4* image;
    spVec4* zeros;
    double* partial; // sum of each patch
} spSpectrum;

// One question to the iteration
typedef struct spModesQuery
{
    spModes modes;
    spTeam* team; // may be NULL
    const spMat3*
        bounds;   // blocks of every node, as spBoundFrequencies leaves them: a start looks there first
    double bound; // of the eigenvalue, which gives the scale
    const spFilter* filter; // NULL for none
    spReal strength;        // of the filter
    const spMat3* local;    // blocks of every node that are taken off, 1/s^2; NULL for none
    double lift;            // at least the largest eigenvalue of those blocks
    double tolerance;       // stop when a round changes the estimate by less than this share
    int maxRounds;
} spModesQuery;

// False, with all freed, when there is no memory. Nothing is allocated later.
bool spCreateSpectrum(spSpectrum* spectrum, const spBody* body);
void spFreeSpectrum(spSpectrum* spectrum, const spBody* body);

// Whether the forces of the body as it is now tell its stiffness in the next steps: not so for kinds that act
// as a whole, turn steep, or come and go. Those have bounds that know more.
bool spHasSteadyForces(const spBody* body);

// Whether the stiffness of the body grows without bound as it deforms, so that estimates must follow it
bool spStiffens(const spBody* body);

// The largest eigenvalue, from below; with `local` that plus the lift. Leaves the vector in spectrum->vector.
double spFindLargestEigenvalue(spSpectrum* spectrum, spBody* body, const spModesQuery* query);

// Later iterations will start where the one just made has ended.
void spKeepVector(spSpectrum* spectrum, const spBody* body, spModes modes);
