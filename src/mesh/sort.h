// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Sorting of index lists. Both sorts are stable, so their result is the same everywhere, and neither depends
// on luck: time is O(n log n) and O(n) in the worst case.

#pragma once

#include "base/memory.h"

// True when item a comes before item b
typedef bool spLessFcn(int32_t a, int32_t b, const void* context);

// Merge sort. temp has room for count items.
void spSortIndices(int32_t* items, int32_t* temp, int count, spLessFcn* less, const void* context);

// Sorts `count` tuples of vertex indices by their first entry, then by the second and so on. order receives
// tuple numbers, equal tuples in ascending order. Returns false without memory.
bool spSortTuples(spHeap* heap, const int32_t* tuples, int tupleSize, int count, int vertexCount,
                  int32_t* order);

// True when two tuples are the same
bool spSameTuple(const int32_t* tuples, int tupleSize, int32_t a, int32_t b);

// Puts the entries of one tuple in ascending order; tupleSize <= 4
void spSortTuple(int32_t* tuple, int tupleSize);
