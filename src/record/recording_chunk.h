// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What one chunk of a file puts into a recording.

#pragma once

#include "record/recording.h"

// What became of one chunk
typedef enum spChunkResult
{
    sp_chunkGood = 0,
    sp_chunkBad,
    sp_chunkNoMemory,
} spChunkResult;

// A payload and how far it was read
typedef struct spCursor
{
    const uint8_t* data;
    size_t left;
} spCursor;

// Takes in a chunk whose checksum is right. Chunks of a sort that is not known are passed over.
spChunkResult spReadChunk(spRecording* recording, uint32_t type, spCursor cursor, uint64_t offset);
