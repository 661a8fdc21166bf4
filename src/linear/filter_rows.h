// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The rows of a velocity filter, made once from the edges of a body: neighbours, their lengths, weights.

#pragma once

#include "base/backend.h"

#include "souple/body.h"

// Fills in the neighbours of each node, those that several edges name once, in order of their offset. rank is the number
// here of the nodes that edges name.
void spFillFilterNeighbours(const spFilterRows* rows, int nodeCount, const int32_t* rank,
                            const int32_t* edges, int edgeCount);

// The distance of each neighbour in place of its weight, and the one between two neighbours
void spFillFilterLengths(const spFilterRows* rows, int nodeCount, const spVec4* x);
void spSetFilterLength(const spFilterRows* rows, int node, int other, spReal length);

// Weights from lengths
void spFillFilterWeights(const spFilterRows* rows, int nodeCount, const spFilterDef* def, double meanLength);

// Slices from rows: where each begins, which only neighbours tell, and what is in them. Returns how many there
// are in all slices together.
int spPlaceFilterSlices(const spFilterRows* rows, int nodeCount);
void spFillFilterSlices(const spFilterRows* rows, int nodeCount);

// The smallest multiplier of a mode when every row sums to 1. order holds the user's numbers, two arrays are scratch.
double spFindSmallestMultiplier(const spFilterRows* rows, int nodeCount, const int32_t* order, spVec4* from,
                                spVec4* to);
