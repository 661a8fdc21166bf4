// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "mesh/distance_grid.h"

#include "base/error.h"

#define SP_GRID_MARGIN 2

static spDVec3 spGetGridPoint(const spDistanceGrid* grid, int i, int j, int k)
{
    return spDMulAdd(grid->origin, grid->cell, (spDVec3){i, j, k});
}

static float* spGetGridValue(const spDistanceGrid* grid, int i, int j, int k)
{
    return grid->values + (((int64_t)k * grid->counts[1] + j) * grid->counts[0] + i);
}

bool spBuildDistanceGrid(spHeap* heap, const spTriangleTree* tree, int resolution, spDistanceGrid* grid,
                         spError* error)
{
    spDVec3 size = spDSub(tree->upper, tree->lower);
    const double sides[3] = {size.x, size.y, size.z};
    *grid = (spDistanceGrid){.lower = tree->lower, .upper = tree->upper};
    grid->cell = fmax(fmax(size.x, size.y), size.z) / resolution;
    grid->origin = spDMulAdd(tree->lower, -SP_GRID_MARGIN * grid->cell, (spDVec3){1.0, 1.0, 1.0});
    int64_t count = 1;
    for (int i = 0; i < 3; ++i)
    {
        grid->counts[i] = (int)ceil(sides[i] / grid->cell) + 1 + 2 * SP_GRID_MARGIN;
        count *= grid->counts[i];
    }
    grid->values = spAlloc(heap, spArraySize(count, sizeof(float)));
    if (grid->values == NULL)
    {
        return spFailMemory(error, "a distance field", spArraySize(count, sizeof(float)));
    }
    // Along x a distance changes by no more than a cell
    for (int k = 0; k < grid->counts[2]; ++k)
    {
        for (int j = 0; j < grid->counts[1]; ++j)
        {
            double limit = INFINITY;
            for (int i = 0; i < grid->counts[0]; ++i)
            {
                double value = spGetSignedDistance(tree, spGetGridPoint(grid, i, j, k), limit);
                limit = (fabs(value) + grid->cell) * (1.0 + 1.0e-9);
                *spGetGridValue(grid, i, j, k) = (float)value;
            }
        }
    }
    return true;
}

void spFreeDistanceGrid(spHeap* heap, spDistanceGrid* grid)
{
    spFree(heap, grid->values);
    *grid = (spDistanceGrid){0};
}

// Cell along one axis and the place in it; false outside
static bool spFindCell(double x, int count, int* cell, double* part)
{
    if (!(x >= 0.0 && x <= (double)(count - 1)))
    {
        return false;
    }
    *cell = (int)x < count - 2 ? (int)x : count - 2;
    *part = x - (double)*cell;
    return true;
}

static double spSampleBox(const spDistanceGrid* grid, spDVec3 point, spDVec3* gradient)
{
    spDVec3 inside = spDMin(spDMax(point, grid->lower), grid->upper);
    spDVec3 away = spDSub(point, inside);
    double distance = spDLength(away);
    *gradient = distance > 0.0 ? spDScale(1.0 / distance, away) : (spDVec3){0.0, 1.0, 0.0};
    return distance;
}

double spSampleDistance(const spDistanceGrid* grid, spDVec3 point, spDVec3* gradient)
{
    spDVec3 p = spDScale(1.0 / grid->cell, spDSub(point, grid->origin));
    int i, j, k;
    double x, y, z;
    if (!spFindCell(p.x, grid->counts[0], &i, &x) || !spFindCell(p.y, grid->counts[1], &j, &y) ||
        !spFindCell(p.z, grid->counts[2], &k, &z))
    {
        return spSampleBox(grid, point, gradient);
    }
    // Pairs along x: their values at the point and their slopes
    double value[2][2], slope[2][2];
    for (int b = 0; b < 2; ++b)
    {
        for (int a = 0; a < 2; ++a)
        {
            const float* v = spGetGridValue(grid, i, j + a, k + b);
            slope[b][a] = (double)v[1] - (double)v[0];
            value[b][a] = (double)v[0] + x * slope[b][a];
        }
    }
    double low = value[0][0] + y * (value[0][1] - value[0][0]);
    double high = value[1][0] + y * (value[1][1] - value[1][0]);
    double alongX = (1.0 - z) * (slope[0][0] + y * (slope[0][1] - slope[0][0])) +
                    z * (slope[1][0] + y * (slope[1][1] - slope[1][0]));
    double alongY = (1.0 - z) * (value[0][1] - value[0][0]) + z * (value[1][1] - value[1][0]);
    *gradient = spDScale(1.0 / grid->cell, (spDVec3){alongX, alongY, high - low});
    return low + z * (high - low);
}
