// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// A symmetric matrix of 3x3 blocks, row by row: what preconditioners are made from. Only blocks below the
// diagonal are kept. Rows of nodes that are held hold the identity times a scale and nothing else.

#pragma once

#include "base/memory.h"
#include "base/node.h"
#include "math/mat3.h"

typedef struct spBlockRows
{
    int nodeCount;
    int blockCount;   // below the diagonal
    int32_t* begin;   // first block of each row (nodeCount + 1)
    int32_t* columns; // rising in each row, all below the row's own number (blockCount)
    spMat3* blocks;   // A_ij, i the row, j the column (blockCount)
    spMat3* diagonal; // A_ii (nodeCount)
    const spVec4* x;  // where the nodes are, m; NULL: unknown (nodeCount)
} spBlockRows;

// With room for so many blocks, all zero. False when there is no memory.
bool spCreateRows(spBlockRows* rows, spHeap* heap, int nodeCount, int blockCount);
void spDestroyRows(spBlockRows* rows, spHeap* heap);
// Whether begin and columns are a pattern: they may come from anywhere
bool spAreRowsSound(const spBlockRows* rows);
