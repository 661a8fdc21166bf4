// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "linear/panels.h"

#include "element/lane_count.h"

#include <math.h>
#include <string.h>

extern const spPanelLanes spPanelLanes1;
#ifndef SOUPLE_DISABLE_SIMD
extern const spPanelLanes spPanelLanes4, spPanelLanes8, spPanelLanes16;
#endif

static int spCountTiles(int rowCount)
{
    return (rowCount + SP_BLOCK - 1) / SP_BLOCK;
}

// Numbers of a supernode: strips of four columns, each from the diagonal tile of its panel down
static int64_t spCountNumbers(int columnCount, int rowCount)
{
    int tileCount = spCountTiles(rowCount);
    int64_t count = 0;
    for (int first = 0, tile = 0; first < columnCount; first += SP_BLOCK, ++tile)
    {
        int strips = (spMinInt(SP_BLOCK, columnCount - first) + 3) / 4;
        count += (int64_t)strips * (tileCount - tile) * 4 * SP_BLOCK;
    }
    return count;
}

void spDestroyPanels(spPanels* panels, spHeap* heap)
{
    spFree(heap, panels->rows);
    spFree(heap, panels->numbers);
    spFree(heap, panels->x);
    spFree(heap, panels->local);
    spFree(heap, panels->columnBegin);
    spFree(heap, panels->rowBegin);
    spFree(heap, panels->numberBegin);
    *panels = (spPanels){0};
}

bool spCreatePanels(spPanels* panels, spHeap* heap, int unknownCount, int supernodeCount,
                    spGetSupernodeFcn* get, const void* factor)
{
    size_t count = (size_t)supernodeCount + 1;
    *panels = (spPanels){.unknownCount = unknownCount, .supernodeCount = supernodeCount};
    panels->columnBegin = spAllocZeroed(heap, count * sizeof(int32_t));
    panels->rowBegin = spAllocZeroed(heap, count * sizeof(int64_t));
    panels->numberBegin = spAllocZeroed(heap, count * sizeof(int64_t));
    if (panels->columnBegin == NULL || panels->rowBegin == NULL || panels->numberBegin == NULL)
    {
        spDestroyPanels(panels, heap);
        return false;
    }
    for (int s = 0; s < supernodeCount; ++s)
    {
        spSupernode node = get(factor, s);
        panels->columnBegin[s + 1] = node.firstColumn + node.columnCount;
        panels->rowBegin[s + 1] = panels->rowBegin[s] + node.rowCount - node.columnCount;
        panels->numberBegin[s + 1] = panels->numberBegin[s] + spCountNumbers(node.columnCount, node.rowCount);
        panels->largestTileCount = spMaxInt(panels->largestTileCount, spCountTiles(node.rowCount));
    }
    int64_t rowCount = panels->rowBegin[supernodeCount];
    int64_t xCount = SP_PANEL_TASKS * SP_PANEL_COLUMNS * (int64_t)panels->unknownCount;
    int64_t localCount = SP_PANEL_TASKS * SP_PANEL_COLUMNS * (int64_t)panels->largestTileCount * SP_BLOCK;
    // One more, so that it is there when no supernode has rows below
    panels->rows = spAlloc(heap, spArraySize(rowCount + 1, sizeof(int32_t)));
    panels->numbers = spAlloc(heap, spArraySize(panels->numberBegin[supernodeCount], sizeof(spReal)));
    panels->x = spAlloc(heap, spArraySize(xCount, sizeof(spReal)));
    panels->local = spAlloc(heap, spArraySize(localCount, sizeof(spReal)));
    if (panels->rows == NULL || panels->numbers == NULL || panels->x == NULL || panels->local == NULL)
    {
        spDestroyPanels(panels, heap);
        return false;
    }
    for (int s = 0; s < supernodeCount; ++s)
    {
        spSupernode node = get(factor, s);
        for (int i = node.columnCount; i < node.rowCount; ++i)
        {
            panels->rows[panels->rowBegin[s] + i - node.columnCount] = node.rows[i];
        }
    }
    return true;
}

// Numbers of the triangle of a panel by columns, and of the rows below it in the same tile
typedef struct spDiagonalTile
{
    double of[SP_BLOCK][SP_BLOCK]; // column, row
} spDiagonalTile;

// columns[j][i]: local row i of column j of the panel. Rows past the width times the inverse of the triangle.
static bool spInvertTile(spDiagonalTile* tile, const double* const* columns, int firstRow, int width,
                         int rowCount)
{
    memset(tile, 0, sizeof(spDiagonalTile));
    for (int j = 0; j < width; ++j)
    {
        double pivot = columns[j][firstRow + j];
        if ((pivot > 0.0 && isfinite(pivot)) == false)
        {
            return false;
        }
        // Column j of the inverse by substitution; rows past the triangle have no pivot and end as the
        // product, with the opposite sign
        double inverse[SP_BLOCK] = {0};
        inverse[j] = 1.0 / pivot;
        for (int k = j; k < width; ++k)
        {
            inverse[k] = k == j ? inverse[k] : inverse[k] / columns[k][firstRow + k];
            for (int i = k + 1; i < rowCount; ++i)
            {
                inverse[i] -= columns[k][firstRow + i] * inverse[k];
            }
        }
        for (int i = j; i < rowCount; ++i)
        {
            tile->of[j][i] = i < width ? inverse[i] : -inverse[i];
        }
    }
    return true;
}

static bool spFillPanel(spReal* numbers, const double* const* columns, int panel, int width, int rowCount)
{
    int tileCount = spCountTiles(rowCount);
    int firstRow = panel * SP_BLOCK;
    spDiagonalTile diagonal;
    if (spInvertTile(&diagonal, columns, firstRow, width, spMinInt(SP_BLOCK, rowCount - firstRow)) == false)
    {
        return false;
    }
    bool finite = true;
    for (int strip = 0; strip < width; strip += 4)
    {
        for (int tile = panel; tile < tileCount; ++tile)
        {
            for (int j = strip; j < strip + 4; ++j, numbers += SP_BLOCK)
            {
                int row = tile * SP_BLOCK;
                int count = j < width ? spMinInt(SP_BLOCK, rowCount - row) : 0;
                const double* source = tile == panel ? diagonal.of[j] : columns[spMinInt(j, width - 1)] + row;
                for (int i = 0; i < count; ++i)
                {
                    numbers[i] = (spReal)source[i];
                }
                for (int i = count; i < SP_BLOCK; ++i)
                {
                    numbers[i] = 0;
                }
                finite = finite && (tile > panel || j >= width || isfinite(numbers[j]));
            }
        }
    }
    return finite;
}

bool spFillPanels(spPanels* panels, spGetSupernodeFcn* get, const void* factor)
{
    for (int s = 0; s < panels->supernodeCount; ++s)
    {
        spSupernode node = get(factor, s);
        spReal* numbers = panels->numbers + panels->numberBegin[s];
        int tileCount = spCountTiles(node.rowCount);
        for (int first = 0, panel = 0; first < node.columnCount; first += SP_BLOCK, ++panel)
        {
            int width = spMinInt(SP_BLOCK, node.columnCount - first);
            const double* columns[SP_BLOCK];
            for (int j = 0; j < width; ++j)
            {
                int column = first + j;
                columns[j] =
                    node.numbers + (node.begin != NULL ? node.begin[node.firstColumn + column] - column
                                                       : column * node.stride);
            }
            if (spFillPanel(numbers, columns, panel, width, node.rowCount) == false)
            {
                return false;
            }
            numbers += (int64_t)((width + 3) / 4) * (tileCount - panel) * 4 * SP_BLOCK;
        }
    }
    return true;
}

const spPanelLanes* spGetPanelLanes(int laneCount)
{
#ifdef SOUPLE_DISABLE_SIMD
    SP_UNUSED(laneCount);
    return &spPanelLanes1;
#else
    const spPanelLanes* const lanes[] = {&spPanelLanes1, &spPanelLanes4, &spPanelLanes8, &spPanelLanes16};
    return lanes[spGetLaneIndex(laneCount)];
#endif
}
