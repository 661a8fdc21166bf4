// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Scan conversion of triangles into sample buffers and depth maps.

#include "record/raster.h"

#include <math.h>
#include <string.h>

// Triangles grow by this much on each side, in pixels: neighbours then overlap instead of leaving pinholes
#define SP_OVERLAP 0.01

// Where samples are: row k of n is shifted to column order[k]
static const uint8_t SP_ORDER_1[1] = {0};
static const uint8_t SP_ORDER_4[4] = {1, 3, 0, 2};
static const uint8_t SP_ORDER_9[9] = {4, 7, 1, 5, 8, 2, 6, 0, 3};
static const uint8_t SP_ORDER_16[16] = {6, 13, 3, 10, 0, 8, 15, 5, 12, 2, 9, 14, 4, 11, 1, 7};

bool spCreateRaster(spRaster* raster, spHeap* heap, int width, int height, int samples)
{
    static const uint8_t* const orders[4] = {SP_ORDER_1, SP_ORDER_4, SP_ORDER_9, SP_ORDER_16};
    *raster = (spRaster){0};
    raster->width = width;
    raster->height = height;
    raster->sampleCount = samples * samples;
    for (int k = 0; k < raster->sampleCount; ++k)
    {
        raster->shiftX[k] = ((float)orders[samples - 1][k] + 0.5f) / (float)raster->sampleCount;
        raster->shiftY[k] = ((float)k + 0.5f) / (float)raster->sampleCount;
    }

    size_t count = (size_t)width * (size_t)height * (size_t)raster->sampleCount;
    raster->depthSize = count * sizeof(float);
    raster->idSize = count * sizeof(uint32_t);
    raster->depth = spAllocZeroed(heap, raster->depthSize);
    raster->ids = spAllocZeroed(heap, raster->idSize);
    if (raster->depth == NULL || raster->ids == NULL)
    {
        spFreeRaster(raster, heap);
        return false;
    }
    return true;
}

void spFreeRaster(spRaster* raster, spHeap* heap)
{
    spFree(heap, raster->depth);
    spFree(heap, raster->ids);
    raster->depth = NULL;
    raster->ids = NULL;
}

static void spCrossD(const double a[3], const double b[3], double c[3])
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

void spProject(const spView* view, spFloat3 x, double m[3])
{
    spFloat3 r = spSubF3(x, view->eye);
    double right = (double)spDotF3(r, view->right);
    double up = (double)spDotF3(r, view->up);
    double w = (double)spDotF3(r, view->forward);
    m[0] = (double)view->centerX * w + (double)view->focal * right;
    m[1] = (double)view->centerY * w - (double)view->focal * up;
    m[2] = w;
}

// Pixels that the triangle may touch: x0 <= x < x1. Returns false when there are none.
static bool spBoundTriangle(const spView* view, double m[3][3], int box[4])
{
    double nearest = (double)view->nearest;
    if (m[0][2] < nearest && m[1][2] < nearest && m[2][2] < nearest)
    {
        return false;
    }
    if (m[0][2] < nearest || m[1][2] < nearest || m[2][2] < nearest)
    {
        // Part of it is behind the eye: anywhere
        box[0] = 0, box[1] = 0, box[2] = view->width, box[3] = view->height;
        return true;
    }

    double low[2] = {1e30, 1e30};
    double high[2] = {-1e30, -1e30};
    for (int i = 0; i < 3; ++i)
    {
        for (int k = 0; k < 2; ++k)
        {
            double p = m[i][k] / m[i][2];
            low[k] = p < low[k] ? p : low[k];
            high[k] = p > high[k] ? p : high[k];
        }
    }
    const int size[2] = {view->width, view->height};
    for (int k = 0; k < 2; ++k)
    {
        if (!(low[k] < (double)size[k]) || !(high[k] > 0.0))
        {
            return false;
        }
        box[k] = low[k] > 0.0 ? (int)low[k] : 0;
        box[k + 2] = high[k] < (double)size[k] - 1.0 ? (int)high[k] + 1 : size[k];
    }
    return true;
}

bool spSetUpTriangle(const spView* view, const spFloat3 x[3], int box[4], spTriangleSetup* setup)
{
    double m[3][3];
    for (int i = 0; i < 3; ++i)
    {
        if (!spIsFiniteF3(x[i]))
        {
            return false;
        }
        spProject(view, x[i], m[i]);
    }
    if (!spBoundTriangle(view, m, box))
    {
        return false;
    }

    // The rows of the inverse of (m0 m1 m2) are the edge functions
    double e[3][3];
    spCrossD(m[1], m[2], e[0]);
    spCrossD(m[2], m[0], e[1]);
    spCrossD(m[0], m[1], e[2]);
    double det = m[0][0] * e[0][0] + m[0][1] * e[0][1] + m[0][2] * e[0][2];
    double size = m[0][2] * m[1][2] * m[2][2];
    if (!(fabs(det) > 1e-7 * fabs(size)) || !isfinite(det))
    {
        return false;
    }
    setup->originX = (float)box[0];
    setup->originY = (float)box[1];
    for (int i = 0; i < 3; ++i)
    {
        double a = e[i][0] / det;
        double b = e[i][1] / det;
        double c = e[i][2] / det + a * box[0] + b * box[1];
        setup->edge[i][0] = (float)a;
        setup->edge[i][1] = (float)b;
        setup->edge[i][2] = (float)c;
    }
    return true;
}

bool spRasterTriangle(spRaster* raster, const spView* view, const spFloat3 x[3], uint32_t id,
                      spTriangleSetup* setup)
{
    int box[4];
    if (!spSetUpTriangle(view, x, box, setup))
    {
        return false;
    }
    float slack[3];
    float bound[3];
    for (int i = 0; i < 3; ++i)
    {
        double a = (double)setup->edge[i][0];
        double b = (double)setup->edge[i][1];
        slack[i] = (float)(SP_OVERLAP * sqrt(a * a + b * b));
        bound[i] = setup->edge[i][0] != 0.0f ? (float)(-1.0 / a) : 0.0f;
    }
    float(*edge)[3] = setup->edge;
    float wa = edge[0][0] + edge[1][0] + edge[2][0];
    float wb = edge[0][1] + edge[1][1] + edge[2][1];
    float wc = edge[0][2] + edge[1][2] + edge[2][2];
    float largest = 1.0f / view->nearest;

    int columns = box[2] - box[0];
    int n = raster->sampleCount;
    for (int y = 0; y < box[3] - box[1]; ++y)
    {
        for (int k = 0; k < n; ++k)
        {
            // Where the row is inside all three edges: edge a * x + rest >= 0
            float fy = (float)y + raster->shiftY[k];
            float low = 0.0f;
            float high = (float)columns;
            for (int i = 0; i < 3; ++i)
            {
                float rest = edge[i][1] * fy + edge[i][2] + slack[i];
                float crossing = rest * bound[i];
                if (edge[i][0] > 0.0f)
                {
                    low = crossing > low ? crossing : low;
                }
                else if (edge[i][0] < 0.0f)
                {
                    high = crossing < high ? crossing : high;
                }
                else if (rest < 0.0f)
                {
                    high = -1.0f;
                }
            }
            if (!(low <= high))
            {
                continue;
            }
            float shift = raster->shiftX[k];
            int first = (int)(low - shift + 1.0f); // rounded up: low >= 0
            int last = (int)(high - shift + 1.0f) - 1;
            first = first < 0 ? 0 : first;
            last = last > columns - 1 ? columns - 1 : last;

            size_t row = ((size_t)(box[1] + y) * (size_t)n + (size_t)k) * (size_t)raster->width;
            float* depth = raster->depth + row + box[0];
            uint32_t* ids = raster->ids + row + box[0];
            float inverse = wa * shift + wb * fy + wc;
            for (int i = first; i <= last; ++i)
            {
                float d = wa * (float)i + inverse;
                if (d > depth[i] && d < largest)
                {
                    depth[i] = d;
                    ids[i] = id;
                }
            }
        }
    }
    return true;
}

static size_t spGetMapBytes(int size)
{
    return (size_t)size * (size_t)size * sizeof(float);
}

bool spCreateDepthMap(spDepthMap* map, spHeap* heap, int size)
{
    *map = (spDepthMap){0};
    map->size = size;
    map->depth = spAlloc(heap, spGetMapBytes(size));
    map->coverage = spAlloc(heap, spGetMapBytes(size));
    map->scratch = spAlloc(heap, spGetMapBytes(size));
    if (map->depth == NULL || map->coverage == NULL || map->scratch == NULL)
    {
        spFreeDepthMap(map, heap);
        return false;
    }
    return true;
}

void spFreeDepthMap(spDepthMap* map, spHeap* heap)
{
    spFree(heap, map->depth);
    spFree(heap, map->coverage);
    spFree(heap, map->scratch);
    map->depth = NULL;
    map->coverage = NULL;
    map->scratch = NULL;
}

void spClearDepthMap(spDepthMap* map)
{
    size_t count = (size_t)map->size * (size_t)map->size;
    for (size_t i = 0; i < count; ++i)
    {
        map->depth[i] = SP_EMPTY_DEPTH;
    }
}

static void spRasterMap(spDepthMap* map, const spFloat3 x[3], const float values[3])
{
    float p[3][3];
    float low[2] = {1e30f, 1e30f};
    float high[2] = {-1e30f, -1e30f};
    for (int i = 0; i < 3; ++i)
    {
        p[i][0] = (spDotF3(map->u, x[i]) - map->originU) * map->scale;
        p[i][1] = (spDotF3(map->v, x[i]) - map->originV) * map->scale;
        p[i][2] = values[i];
        if (!isfinite(p[i][0]) || !isfinite(p[i][1]) || !isfinite(p[i][2]))
        {
            return;
        }
        for (int k = 0; k < 2; ++k)
        {
            low[k] = p[i][k] < low[k] ? p[i][k] : low[k];
            high[k] = p[i][k] > high[k] ? p[i][k] : high[k];
        }
    }
    float limit = (float)map->size;
    float area = (p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) - (p[1][1] - p[0][1]) * (p[2][0] - p[0][0]);
    if (low[0] >= limit || low[1] >= limit || high[0] < 0.0f || high[1] < 0.0f || fabsf(area) < 1e-12f)
    {
        return;
    }
    int x0 = low[0] > 0.0f ? (int)low[0] : 0;
    int y0 = low[1] > 0.0f ? (int)low[1] : 0;
    int x1 = high[0] < limit - 1.0f ? (int)high[0] + 1 : map->size;
    int y1 = high[1] < limit - 1.0f ? (int)high[1] + 1 : map->size;

    // lambda_i = a_i (x - p0x) + b_i (y - p0y), for corners 1 and 2
    float a1 = (p[2][1] - p[0][1]) / area, b1 = -(p[2][0] - p[0][0]) / area;
    float a2 = -(p[1][1] - p[0][1]) / area, b2 = (p[1][0] - p[0][0]) / area;
    float slack = 0.5f * (fabsf(a1) + fabsf(b1) + fabsf(a2) + fabsf(b2));
    slack = slack > 0.05f ? 0.05f : slack;
    float d1 = p[1][2] - p[0][2];
    float d2 = p[2][2] - p[0][2];
    for (int y = y0; y < y1; ++y)
    {
        float fy = (float)y + 0.5f - p[0][1];
        float* row = map->depth + (size_t)y * (size_t)map->size;
        for (int i = x0; i < x1; ++i)
        {
            float fx = (float)i + 0.5f - p[0][0];
            float l1 = a1 * fx + b1 * fy;
            float l2 = a2 * fx + b2 * fy;
            float d = p[0][2] + l1 * d1 + l2 * d2;
            if (l1 >= -slack && l2 >= -slack && l1 + l2 <= 1.0f + slack && d > row[i])
            {
                row[i] = d;
            }
        }
    }
}

void spRasterDepth(spDepthMap* map, const spFloat3 x[3])
{
    spRasterMap(map, x, (float[3]){spDotF3(map->w, x[0]), spDotF3(map->w, x[1]), spDotF3(map->w, x[2])});
}

void spRasterValue(spDepthMap* map, const spFloat3 x[3], float value)
{
    spRasterMap(map, x, (float[3]){value, value, value});
}

// Running sum along u
static void spBlurRow(const float* from, float* to, int count, int radius)
{
    float scale = 1.0f / (float)(2 * radius + 1);
    double sum = 0.0;
    for (int i = 0; i <= radius && i < count; ++i)
    {
        sum += (double)from[i];
    }
    for (int i = 0; i < count; ++i)
    {
        to[i] = (float)sum * scale;
        sum += i + radius + 1 < count ? (double)from[i + radius + 1] : 0.0;
        sum -= i - radius >= 0 ? (double)from[i - radius] : 0.0;
    }
}

// The same along v for all lines at once, so that memory is walked in order
static void spBlurColumns(const float* from, float* to, int size, int radius)
{
    float scale = 1.0f / (float)(2 * radius + 1);
    size_t n = (size_t)size;
    for (int y = 0; y < size; ++y)
    {
        float* out = to + (size_t)y * n;
        memset(out, 0, n * sizeof(float));
        if (y == 0)
        {
            for (int r = 0; r <= radius && r < size; ++r)
            {
                const float* in = from + (size_t)r * n;
                for (size_t x = 0; x < n; ++x)
                {
                    out[x] += in[x] * scale;
                }
            }
            continue;
        }
        const float* before = out - n;
        const float* enters = y + radius < size ? from + (size_t)(y + radius) * n : NULL;
        const float* leaves = y - radius - 1 >= 0 ? from + (size_t)(y - radius - 1) * n : NULL;
        for (size_t x = 0; x < n; ++x)
        {
            float change = (enters != NULL ? enters[x] : 0.0f) - (leaves != NULL ? leaves[x] : 0.0f);
            out[x] = before[x] + change * scale;
        }
    }
}

void spBlurCoverage(spDepthMap* map, int radius)
{
    int size = map->size;
    for (int pass = 0; pass < 2 && radius > 0; ++pass)
    {
        for (int y = 0; y < size; ++y)
        {
            size_t row = (size_t)y * (size_t)size;
            spBlurRow(map->coverage + row, map->scratch + row, size, radius);
        }
        spBlurColumns(map->scratch, map->coverage, size, radius);
    }
}
