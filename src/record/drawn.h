// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What is seen of a body in a frame: its nodes with its triangles and edges, or the surface attached to it.

#pragma once

#include "record/recording.h"

typedef struct spDrawnBody
{
    spPointView x;
    const int32_t* triangles; // three points each; NULL when there are none
    int triangleCount;
    const uint8_t* bare;  // of each triangle: 1 where an edit laid it bare; NULL where none did
    const int32_t* edges; // two points each; none of a body with an attached surface
    int edgeCount;
    float* positions; // of the vertices of an attached surface
    int positionCapacity;
} spDrawnBody;

// Fills in another body. x.count is 0 when the body was not there. Returns false when there is no memory.
bool spGetDrawnBody(spHeap* heap, const spRecording* recording, int frame, int body, spDrawnBody* drawn);
void spFreeDrawnBody(spHeap* heap, spDrawnBody* drawn);
