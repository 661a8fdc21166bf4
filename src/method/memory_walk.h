// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// How methods show what they remember from step to step, piece by piece, to snapshots, which write the pieces
// or read them back. Bytes of a snapshot may come from anywhere: the sort of a piece says what they may be.

#pragma once

#include "base/core.h"

typedef enum spPieceSort
{
    sp_pieceAny,    // numbers: whatever they are, they break nothing
    sp_pieceFlag,   // bool
    sp_pieceCount,  // int32_t or int64_t, not negative, far from the largest there is
    sp_pieceFinite, // spReal, finite
} spPieceSort;

// One piece. Returns the one of the snapshot that is read or compared with, else `bytes`; NULL when that is
// too short or not of its sort.
typedef const void* spWalkMemoryFcn(void* walk, spPieceSort sort, void* bytes, size_t size);
