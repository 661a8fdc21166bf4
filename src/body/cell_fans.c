// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "body/cell_fans.h"

#include <string.h>

static void spFillCorners(spCellFans* fans, const int32_t* cells, int cellCount, int corners, int vertexCount)
{
    for (int i = 0; i < SP_CELL * cellCount; ++i)
    {
        fans->begin[cells[i] + 1] += i % SP_CELL < corners;
    }
    for (int i = 0; i < vertexCount; ++i)
    {
        fans->begin[i + 1] += fans->begin[i];
    }
    for (int i = 0; i < SP_CELL * cellCount; ++i)
    {
        if (i % SP_CELL < corners)
        {
            fans->corners[fans->begin[cells[i]]++] = i;
        }
    }
    memmove(fans->begin + 1, fans->begin, (size_t)vertexCount * sizeof(int32_t));
    fans->begin[0] = 0;
}

// The side of another cell that has the same vertices, or -1
static int spFindSameSide(const int32_t* cells, int corners, int side, int other)
{
    const int32_t *cell = cells + SP_CELL * (size_t)(side / SP_CELL),
                  *nodes = cells + SP_CELL * (size_t)other;
    int found = 0, rest = corners * (corners - 1) / 2;
    for (int k = 0; k < corners; ++k)
    {
        for (int j = 0; k != side % SP_CELL && j < corners; ++j)
        {
            bool same = nodes[j] == cell[k];
            found += same;
            rest -= same ? j : 0;
        }
    }
    return found == corners - 1 ? SP_CELL * other + rest : -1;
}

// The first other cell that has the side too
static int spFindAcross(spCellFans* fans, const int32_t* cells, int corners, int side)
{
    const int32_t* cell = cells + SP_CELL * (size_t)(side / SP_CELL);
    int a = cell[(side % SP_CELL + 1) % corners], across = -1;
    for (int i = fans->begin[a]; i < fans->begin[a + 1]; ++i)
    {
        int other = fans->corners[i] / SP_CELL;
        int same = other != side / SP_CELL ? spFindSameSide(cells, corners, side, other) : -1;
        fans->tangled |= same >= 0 && across >= 0;
        across = across < 0 ? same : across;
    }
    return across;
}

static bool spRepeatsCorner(const int32_t* cell, int corners)
{
    bool repeats = false;
    for (int k = 0; k < corners; ++k)
    {
        for (int j = 0; j < k; ++j)
        {
            repeats |= cell[j] == cell[k];
        }
    }
    return repeats;
}

bool spBuildCellFans(spCellFans* fans, spHeap* heap, const int32_t* cells, int cellCount, int corners,
                     int vertexCount)
{
    size_t size = spArraySize(cellCount, SP_CELL * sizeof(int32_t));
    fans->begin = spAllocZeroed(heap, spArraySize((int64_t)vertexCount + 1, sizeof(int32_t)));
    fans->corners = spAlloc(heap, size);
    fans->across = spAlloc(heap, size);
    bool ok = fans->begin != NULL && fans->corners != NULL && fans->across != NULL;
    if (ok)
    {
        spFillCorners(fans, cells, cellCount, corners, vertexCount);
    }
    for (int i = 0; ok && i < cellCount; ++i)
    {
        fans->tangled |= spRepeatsCorner(cells + SP_CELL * (size_t)i, corners);
    }
    for (int i = 0; ok && i < SP_CELL * cellCount; ++i)
    {
        bool side = i % SP_CELL < corners && fans->tangled == false;
        fans->across[i] = side ? spFindAcross(fans, cells, corners, i) : -1;
    }
    return ok;
}

void spFreeCellFans(spCellFans* fans, spHeap* heap)
{
    spFree(heap, fans->begin);
    spFree(heap, fans->corners);
    spFree(heap, fans->across);
}
