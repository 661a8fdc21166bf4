// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The range of colours that stand for numbers: one rule for the live page, reports, pictures and films.
//
// Colours go from 0 to a top. The top is the 99th percentile of the values at the corners of all triangles
// that are shown, so that a peak in one corner does not make everything else dark. Values below a floor do not
// count, and the top is never less than the floor: below it is rounding, not something to see. The top is
// rounded up to 1, 1.5, 2, 3, 5 or 7 times a power of ten, so that it stays as it is while values waver.

#pragma once

#include <stdint.h>

// What is coloured by
typedef enum spValueKind
{
    sp_valueDisplacement = 0, // m
    sp_valueStrain,           // 1
    sp_valueStress,           // Pa
    sp_valueSpeed,            // m/s
    sp_valueLevel,            // of a mesh, 0 for the coarsest
} spValueKind;

// Values are counted by their sign, exponent and first five bits: 32 classes for each factor of two
#define SP_VALUE_CLASSES 8192

typedef struct spValueCounts
{
    int64_t classes[SP_VALUE_CLASSES];
    int64_t total;
} spValueCounts;

// The diagonal of the box around some points, x, y, z each; those that are not finite do not count
float spGetPointsSize(const float* points, int count);

// What is too small to be seen, in the unit of the kind. `size` is the diagonal of the largest body, m.
float spGetValueFloor(spValueKind kind, float size);

// Counts the values at some corners; corners NULL means all values once
void spCountValues(spValueCounts* counts, const float* values, const int32_t* corners, int count,
                   float floor);

// What the last colour stands for, > 0
float spFindValueTop(const spValueCounts* counts, float floor);

// The next of 1, 1.5, 2, 3, 5, 7, 10 ... times a power of ten that is not less than a value > 0
float spRoundUpTop(double value);
