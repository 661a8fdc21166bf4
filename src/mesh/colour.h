// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Graph colouring: an order of Gauss-Seidel sweeps in which no two elements of one colour share a node, so
// that all of them may be projected at once.
//
// Greedy, element by element in the order of nodes: the lowest colour that none of its nodes has yet. That
// takes at most one colour more than the largest number of elements that one element meets. The first colours
// come out large and the last ones small, so that afterwards elements move from colours above the average to
// colours below it.
//
// A colour of a few blocks keeps no threads busy and costs a barrier. Such colours are given up: their
// elements, and those that found no colour at all, are the remainder, one part in a last colour of its own
// that runs serially. Of 10 000 springs on one node none can share a colour: all of them are the remainder, as
// are all elements of a small body.
//
// Lu, Halappanavar, Chavarria-Miranda, Gebremedhin, Kalyanaraman. Balanced coloring for parallel computing
// applications. 2015

#pragma once

#include "mesh/sweep_order.h"

// Colours at most
#define SP_MAX_COLOURS 256

// A colour has at least so many times SP_BLOCK elements; smaller ones go into the remainder
#define SP_COLOUR_BLOCKS 4

// The order of sweeps. Parts are numbered colour by colour, so that a colour is a range of blocks of each
// list. The result depends on the elements and their order alone. Lists may be empty, and an element may name
// a node twice. Returns false, with all freed, when there is no memory.
bool spOrderByColours(spSweepOrder* order, spHeap* heap, const spElementList* lists, int listCount,
                      int nodeCount);
