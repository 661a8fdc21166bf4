// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What is drawn of a body of a world: its attached surface, or the nodes that its triangles or edges use.

#pragma once

#include "message.h"
#include "souple/body.h"

typedef struct spDrawn
{
    uint32_t version; // of the topology
    bool attached;    // vertices are those of an attached surface, else nodes
    bool every;       // vertices are all nodes in their order; found by the crowd
    float size;       // diagonal of the box around its nodes at the start, m
    int nodeCount, vertexCount, triangleCount, edgeCount, tetCount;
    int32_t* vertexNodes; // node of each vertex; of an attached one the node with the largest weight
    int32_t* triangles;   // vertices
    int32_t* edges;       // vertices
    int32_t* tets;        // nodes
    uint8_t* bare;        // of each triangle: 1 where an edit laid it bare; NULL where none did
    spVec3* start;        // where the nodes were, for displacements
} spDrawn;

// Looks at a body as it is now. Returns false when there is no memory; nothing is to be freed then.
bool spMakeDrawn(spDrawn* drawn, spWorld* world, spBodyId body);

void spFreeDrawn(spDrawn* drawn);
