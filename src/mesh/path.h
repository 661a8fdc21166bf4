// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Shortest paths along edges.

#pragma once

#include "base/memory.h"

// From each of nodeCount nodes to the nearest source along edges of given lengths: Dijkstra's algorithm from
// all sources at once. Returns false when there is no memory.
// @param edges two nodes each
// @param lengths of the edges, >= 0
// @param sources whether each node is one
// @param nearest receives the nearest source of each node: itself for a source, -1 where no path leads to one
// @param distances receives the lengths of the paths, 0 where there is none
bool spFindNearest(spHeap* heap, const int32_t* edges, const double* lengths, int edgeCount,
                   const bool* sources, int nodeCount, int32_t* nearest, double* distances);
