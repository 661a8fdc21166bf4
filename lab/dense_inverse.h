// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The inverse of a symmetric positive definite matrix, kept in full and followed through edits of the matrix
// (Courtecuisse 2011, (5.17) to (5.21), as its digest corrects them): for comparison with a factor that is made anew.
// An update takes n^2 times the touched rows, the memory n^2, and rounding errors add up from edit to edit.

#pragma once

#include <stdbool.h>

typedef struct spDenseInverse
{
    int count;    // rows now
    int room;     // most rows, and the length of each in memory
    double* rows; // of the inverse, both triangles
} spDenseInverse;

// Room for so many rows, none there yet. False without memory.
bool spCreateDenseInverse(spDenseInverse* inverse, int room);
void spDestroyDenseInverse(spDenseInverse* inverse);

// Inverts a symmetric positive definite matrix in its own place: count rows of which each begins `stride` numbers after
// the one before. False when it is not positive definite.
bool spInvertInPlace(double* matrix, int count, int stride);

// The matrix gets a symmetric correction at some rows, correction (touchedCount * touchedCount): C - T S^T with
// S = C G and T = S N (I + G^T C G N)^-1, which also does for a correction that has no inverse. False without memory.
bool spCorrectInverse(spDenseInverse* inverse, const int* touched, int touchedCount,
                      const double* correction);

// The matrix gets new rows at its end: `across` (added * count) beside what is there, `corner` (added * added) among
// themselves. False without memory or room, or when the matrix is not positive definite any more.
bool spExtendInverse(spDenseInverse* inverse, const double* across, const double* corner, int added);
