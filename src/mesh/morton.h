// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The order of a Morton curve: what is near in space is mostly near in the list.

#pragma once

#include "mesh/mesh.h"

// Sorts items by their places on the curve through the box from lower to upper. items: numbers of places, of which
// there are placeCount. False without memory.
bool spSortAlongCurve(spHeap* heap, const spDVec3* places, int placeCount, spDVec3 lower, spDVec3 upper,
                      int32_t* items, int itemCount);
