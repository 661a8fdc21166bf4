// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "record/fragments.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Units of a pixel that corners are snapped to: a multiple of 2, 8, 18 and 32, so that samples of all patterns lie on it
#define SP_UNITS 288.0
// Lists up to this length are sorted by insertion
#define SP_FEW 32
#define SP_SEEN_INTS 5

bool spFindTransparent(spFragments* fragments, spHeap* heap, const spView* view, spDrawTriangle* triangles,
                       int triangleCount)
{
    fragments->seenCount = 0;
    for (int i = 0; i < triangleCount; ++i)
    {
        int box[4];
        if (triangles[i].opacity < 1.0f && spSetUpTriangle(view, triangles[i].x, box, &triangles[i].setup))
        {
            int64_t needed = ((int64_t)fragments->seenCount + 1) * SP_SEEN_INTS;
            if (needed > INT32_MAX ||
                !spReserve(heap, (void**)&fragments->seen, SP_SEEN_INTS * fragments->seenCount,
                           &fragments->seenCapacity, (int)needed, sizeof(int)))
            {
                return false;
            }
            int* seen = fragments->seen + SP_SEEN_INTS * fragments->seenCount++;
            seen[0] = i;
            memcpy(seen + 1, box, sizeof(box));
        }
    }
    return true;
}

// The corners of what is left of a triangle in front of the eye, snapped: up to four. An edge is cut at the same place
// from both of its sides, since it is always followed from its nearer end.
static int spSnapCorners(const spView* view, const spFloat3 x[3], double p[4][2])
{
    double m[3][3];
    for (int i = 0; i < 3; ++i)
    {
        spProject(view, x[i], m[i]);
    }
    double nearest = (double)view->nearest;
    int count = 0;
    for (int i = 0; i < 3; ++i)
    {
        const double *a = m[i], *b = m[(i + 1) % 3];
        if (a[2] >= nearest)
        {
            p[count][0] = rint(SP_UNITS * (a[0] / a[2]));
            p[count++][1] = rint(SP_UNITS * (a[1] / a[2]));
        }
        if ((a[2] >= nearest) != (b[2] >= nearest))
        {
            const double *front = a[2] >= nearest ? a : b, *behind = a[2] >= nearest ? b : a;
            double t = (front[2] - nearest) / (front[2] - behind[2]);
            for (int k = 0; k < 2; ++k)
            {
                p[count][k] = rint(SP_UNITS * ((front[k] + t * (behind[k] - front[k])) / nearest));
            }
            count += 1;
        }
    }
    return count;
}

// Edges of a polygon as functions of a place, in units: inside all of them are at least 0
typedef struct spEdges
{
    double dx[4], dy[4], at[4]; // dx y - dy x + at
    int count;
} spEdges;

// False without area. Numbers are whole and exact as long as corners are within 2^25 units, 116 000 pixels.
static bool spMakeEdges(double p[4][2], int count, spEdges* edges)
{
    double area = 0.0;
    for (int i = 1; i + 1 < count; ++i)
    {
        area += (p[i][0] - p[0][0]) * (p[i + 1][1] - p[0][1]) - (p[i][1] - p[0][1]) * (p[i + 1][0] - p[0][0]);
    }
    double sign = area < 0.0 ? -1.0 : 1.0;
    edges->count = count;
    for (int i = 0; i < count; ++i)
    {
        int next = i + 1 < count ? i + 1 : 0;
        double dx = sign * (p[next][0] - p[i][0]), dy = sign * (p[next][1] - p[i][1]);
        // On an edge between two triangles one of them has it
        double exclusive = dy < 0.0 || (dy == 0.0 && dx < 0.0) ? 0.0 : 1.0;
        edges->dx[i] = dx;
        edges->dy[i] = dy;
        edges->at[i] = dy * p[i][0] - dx * p[i][1] - exclusive;
    }
    return area != 0.0;
}

static bool spIsInside(const spEdges* edges, double x, double y)
{
    for (int i = 0; i < edges->count; ++i)
    {
        if (!(edges->dx[i] * y - edges->dy[i] * x + edges->at[i] >= 0.0))
        {
            return false;
        }
    }
    return true;
}

// Counts the fragments of one triangle, or writes them, from behind: `first` then falls back to where lists begin
static void spScanTriangle(spFragments* fragments, const spRaster* raster, const spView* view,
                           const spDrawTriangle* triangles, const int* seen, bool write)
{
    const spDrawTriangle* triangle = triangles + seen[0];
    double p[4][2];
    spEdges edges;
    int count = spSnapCorners(view, triangle->x, p);
    if (count < 3 || !spMakeEdges(p, count, &edges))
    {
        return;
    }
    const spTriangleSetup* setup = &triangle->setup;
    float wa = setup->edge[0][0] + setup->edge[1][0] + setup->edge[2][0];
    float wb = setup->edge[0][1] + setup->edge[1][1] + setup->edge[2][1];
    float wc = setup->edge[0][2] + setup->edge[1][2] + setup->edge[2][2];
    int n = raster->sampleCount;
    int y0 = spMaxInt(seen[2], fragments->firstRow);
    int y1 = spMinInt(seen[4], fragments->firstRow + fragments->rowCount);
    for (int y = y0; y < y1; ++y)
    {
        for (int k = 0; k < n; ++k)
        {
            double shiftX = rint(SP_UNITS * (double)raster->shiftX[k]);
            double py = SP_UNITS * y + rint(SP_UNITS * (double)raster->shiftY[k]);
            float fy = (float)y + raster->shiftY[k] - setup->originY;
            size_t row = ((size_t)y * (size_t)n + (size_t)k) * (size_t)raster->width;
            size_t own = ((size_t)(y - fragments->firstRow) * (size_t)n + (size_t)k) * (size_t)raster->width;
            for (int x = seen[1]; x < seen[3]; ++x)
            {
                float fx = (float)x + raster->shiftX[k] - setup->originX;
                float depth = wa * fx + wb * fy + wc;
                if (!spIsInside(&edges, SP_UNITS * x + shiftX, py) ||
                    !(depth > raster->depth[row + (size_t)x]))
                {
                    continue;
                }
                int32_t* first = fragments->first + own + x;
                if (write)
                {
                    fragments->keys[--*first] = spPackFragment(depth, seen[0]);
                }
                else
                {
                    *first += 1;
                }
            }
        }
    }
}

static int spCompareKeys(const void* a, const void* b)
{
    uint64_t x = *(const uint64_t*)a, y = *(const uint64_t*)b;
    return (x > y) - (x < y);
}

static void spSortKeys(uint64_t* keys, int count)
{
    if (count > SP_FEW)
    {
        qsort(keys, (size_t)count, sizeof(uint64_t), spCompareKeys);
        return;
    }
    for (int i = 1; i < count; ++i)
    {
        uint64_t key = keys[i];
        int at = i;
        for (; at > 0 && keys[at - 1] > key; --at)
        {
            keys[at] = keys[at - 1];
        }
        keys[at] = key;
    }
}

bool spGatherFragments(spFragments* fragments, spHeap* heap, const spRaster* raster, const spView* view,
                       const spDrawTriangle* triangles, int firstRow, int rowCount)
{
    int64_t samples = (int64_t)rowCount * raster->sampleCount * raster->width;
    if (samples >= INT32_MAX || !spReserve(heap, (void**)&fragments->first, 0, &fragments->firstCapacity,
                                           (int)samples + 1, sizeof(int32_t)))
    {
        return false;
    }
    fragments->firstRow = firstRow;
    fragments->rowCount = rowCount;
    memset(fragments->first, 0, ((size_t)samples + 1) * sizeof(int32_t));
    for (int i = 0; i < fragments->seenCount; ++i)
    {
        spScanTriangle(fragments, raster, view, triangles, fragments->seen + SP_SEEN_INTS * i, false);
    }
    int64_t sum = 0;
    for (int64_t i = 0; i <= samples; ++i)
    {
        sum += fragments->first[i];
        if (sum > INT32_MAX)
        {
            return false;
        }
        fragments->first[i] = (int32_t)sum;
    }
    if (!spReserve(heap, (void**)&fragments->keys, 0, &fragments->keyCapacity, (int)sum, sizeof(uint64_t)))
    {
        return false;
    }
    for (int i = 0; i < fragments->seenCount; ++i)
    {
        spScanTriangle(fragments, raster, view, triangles, fragments->seen + SP_SEEN_INTS * i, true);
    }
    for (int64_t i = 0; i < samples; ++i)
    {
        int32_t first = fragments->first[i];
        spSortKeys(fragments->keys + first, fragments->first[i + 1] - first);
    }
    return true;
}

void spFreeFragments(spFragments* fragments, spHeap* heap)
{
    spFree(heap, fragments->first);
    spFree(heap, fragments->keys);
    spFree(heap, fragments->seen);
    *fragments = (spFragments){0};
}
