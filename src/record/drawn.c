// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "record/drawn.h"

bool spGetDrawnBody(spHeap* heap, const spRecording* recording, int frame, int body, spDrawnBody* drawn)
{
    int count = spRecording_GetSurfaceVertexCount(recording, frame, body);
    if (count == 0)
    {
        drawn->x = spRecording_GetPositions(recording, frame, body);
        drawn->triangles = spRecording_GetTriangles(recording, frame, body, &drawn->triangleCount);
        drawn->bare = spRecording_GetBareTriangles(recording, frame, body);
        drawn->edges = spRecording_GetEdges(recording, frame, body, &drawn->edgeCount);
        return true;
    }
    if (!spReserve(heap, (void**)&drawn->positions, 0, &drawn->positionCapacity, 3 * count, sizeof(float)))
    {
        return false;
    }
    spRecording_CopySurfacePositions(recording, frame, body, drawn->positions, count);
    drawn->x = (spPointView){drawn->positions, count};
    drawn->triangles = spRecording_GetSurfaceTriangles(recording, frame, body, &drawn->triangleCount);
    drawn->bare = NULL;
    drawn->edges = NULL;
    drawn->edgeCount = 0;
    return true;
}

void spFreeDrawnBody(spHeap* heap, spDrawnBody* drawn)
{
    spFree(heap, drawn->positions);
    *drawn = (spDrawnBody){0};
}
