// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The rows of one element for XPBD, over R lanes: what every kernel of rows is given and what it gives.
//
//   R visit(use, law, damped, element, l, out)      law and damped are constants
//
//   solve        l takes the new multipliers, out the displacements of the nodes
//   measure      the square of C + a l is returned
//   transpose    l are any multipliers, out is J^T l
//
// Elements of two nodes give one vector, that of the second node without its inverse mass; the first one has
// its opposite.

#pragma once

#include "element/row_numbers_kernel.h"
#include "math/lanes_mat3.h"

typedef enum spRowUse
{
    sp_rowSolve,
    sp_rowMeasure,
    sp_rowTranspose,
} spRowUse;

typedef struct spRowElement
{
    const spReal* numbers; // element/row_numbers_kernel.h
    RVec3 x[4];            // positions
    R w[4];                // inverse masses; not of two nodes
    RVec3 start[4];        // positions where the substep began, where rows are damped
    R share;               // of the solution that is taken
} spRowElement;
