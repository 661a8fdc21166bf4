// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The nodes of a body that are drawn, in numbers of their own: most nodes of a solid body lie inside.

#pragma once

#include <stdint.h>

// Numbers the nodes that some corners use, in the order of the nodes.
// corners: cornerCount node numbers below nodeCount
// vertexNodes: room for nodeCount numbers: receives the node of each vertex
// result: receives the corners in numbers of vertices
// Returns the number of vertices; -1 without memory.
int spNumberVertices(const int32_t* corners, int cornerCount, int nodeCount, int32_t* vertexNodes,
                     int32_t* result);
