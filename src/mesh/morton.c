// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "mesh/morton.h"

#include "mesh/sort.h"

#include <math.h>

// Spreads 21 bits so that two others fit between each
static uint64_t spSpreadBits(uint64_t x)
{
    x = (x | x << 32) & 0x001F00000000FFFFull;
    x = (x | x << 16) & 0x001F0000FF0000FFull;
    x = (x | x << 8) & 0x100F00F00F00F00Full;
    x = (x | x << 4) & 0x10C30C30C30C30C3ull;
    x = (x | x << 2) & 0x1249249249249249ull;
    return x;
}

static uint64_t spQuantize(double value, double lower, double upper)
{
    // fmax also turns a NaN into 0
    double t = fmin(fmax((value - lower) / (upper - lower), 0.0), 1.0);
    return (uint64_t)(t * 2097151.0);
}

static bool spKeyComesBefore(int32_t a, int32_t b, const void* context)
{
    const uint64_t* keys = context;
    return keys[a] < keys[b];
}

bool spSortAlongCurve(spHeap* heap, const spDVec3* places, int placeCount, spDVec3 lower, spDVec3 upper,
                      int32_t* items, int itemCount)
{
    uint64_t* keys = spAlloc(heap, spArraySize(placeCount, sizeof(uint64_t)));
    int32_t* temp = spAlloc(heap, spArraySize(placeCount, sizeof(int32_t)));
    bool ok = keys != NULL && temp != NULL;
    if (ok)
    {
        for (int i = 0; i < itemCount; ++i)
        {
            spDVec3 p = places[items[i]];
            keys[items[i]] = spSpreadBits(spQuantize(p.x, lower.x, upper.x)) << 2 |
                             spSpreadBits(spQuantize(p.y, lower.y, upper.y)) << 1 |
                             spSpreadBits(spQuantize(p.z, lower.z, upper.z));
        }
        spSortIndices(items, temp, itemCount, spKeyComesBefore, keys);
    }
    spFree(heap, temp);
    spFree(heap, keys);
    return ok;
}
