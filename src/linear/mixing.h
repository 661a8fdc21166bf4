// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Anderson's mixing of a fixed-point iteration p -> G(p): from the changes of f = G(p) - p in past rounds it finds the
// step that would bring f down the most. For linear G it is GMRES.
//
// Anderson. Iterative Procedures for Nonlinear Integral Equations. 1965
// Walker, Ni. Anderson Acceleration for Fixed-Point Iterations. 2011

#pragma once

#include "base/core.h"

#include <stddef.h>

// Past rounds that are mixed
#define SP_MIXING_WINDOW 8

typedef struct spMixing
{
    int size;      // numbers of a vector
    double* p;     // where the iteration stands
    double* f;     // G(p) - p
    double* lastP; // of the last round
    double* lastF;
    double* best; // of the round with the least f
    double* bestF;
    double least;   // its norm
    double* steps;  // between rounds, of p: SP_MIXING_WINDOW vectors
    double* change; // and of f
    double* basis;  // orthonormal, of the changes
    int count;      // columns of the window
} spMixing;

// Numbers that it needs memory for
size_t spGetMixingSize(int size);
// Over memory of so many numbers; p and f are zero
spMixing spStartMixing(double* memory, int size);

// Takes f at p in: what it tells is kept. Where f has grown by much, p and f are those of the best round. Returns
// whether this round is much better than those before.
bool spTakeRound(spMixing* m, bool first);
// The next p: takes from p + f the part that past changes explain
void spMixRounds(spMixing* m);

void spAddScaled(double* to, double share, const double* a, int size);
