// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The volume inside a closed surface, or the area inside a closed outline in the xy plane, and its gradient:
// what gas and the constraint on the volume of a body share. Gradients are gathered node by node over the
// faces around the node: no two nodes write to the same place.

#pragma once

#include "base/memory.h"
#include "base/node.h"
#include "base/team.h"

typedef struct spEnclosure
{
    bool planar; // an outline in the xy plane instead of a surface
    int nodeCount;
    int faceCount;
    int nodesPerFace;  // 3, or 2 when planar
    int32_t* faces;    // (faceCount x nodesPerFace)
    int32_t* fanBegin; // first fan entry of each node (nodeCount + 1)
    int32_t* fans;    // the other nodes of each face at the node, in its order (fan entries x 2); planar: the
                      // previous and the next node
    int32_t* outline; // planar: node of each fan entry, rising (faceCount); NULL otherwise
    double* partial;  // volume of each block of faces
} spEnclosure;

// faces: nodes of the triangles, or of the edges of the outline, which passes a node only once. Returns
// false, with all freed, when there is no memory.
bool spCreateEnclosure(spEnclosure* enclosure, spHeap* heap, const int32_t* faces, int faceCount, bool planar,
                       int nodeCount);
void spFreeEnclosure(spEnclosure* enclosure, spHeap* heap);

// Volume inside, m^3 or m^2, signed. Both give the same bits.
double spMeasureEnclosure(spEnclosure* enclosure, const spVec4* x, spTeam* team);
double spGetEnclosedVolume(const spEnclosure* enclosure, const spVec4* x);

// Whether the volume depends on a node
static inline bool spIsOnEnclosure(const spEnclosure* enclosure, int node)
{
    return enclosure->fanBegin[node] < enclosure->fanBegin[node + 1];
}

// dV/dx of a node that it depends on
spVec3 spGetVolumeGradient(const spEnclosure* enclosure, const spVec4* x, int node);

// The same of the nodes [begin, end), times a factor; 0 where the volume does not depend on them
void spFillVolumeGradients(const spEnclosure* enclosure, const spVec4* x, spReal factor, int begin, int end,
                           spVec4* gradients);

// Adds them, times a factor, to the nodes [begin, end)
void spAddVolumeGradients(const spEnclosure* enclosure, const spVec4* x, spReal factor, int begin, int end,
                          spVec4* to);
