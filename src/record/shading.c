// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Light and colour.

#include "record/shading.h"

#include "record/fragments.h"

#include <math.h>
#include <string.h>

// The ground is moved back by this share of its distance, so that what lies on it does not flicker
#define SP_GROUND_BIAS 0.9985f

spFloat3 spMakeColor(uint32_t rgb)
{
    float c[3];
    for (int k = 0; k < 3; ++k)
    {
        float s = (float)(rgb >> (16 - 8 * k) & 0xFF) / 255.0f;
        c[k] = s <= 0.04045f ? s / 12.92f : powf((s + 0.055f) / 1.055f, 2.4f);
    }
    return spMakeF3(c[0], c[1], c[2]);
}

spFloat3 spLookUpRamp(const spStage* stage, float value)
{
    float share = value > 0.0f ? (value < 1.0f ? value : 1.0f) : 0.0f; // also for NaN
    return stage->ramp[(int)(share * (float)(SP_RAMP_SIZE - 1) + 0.5f)];
}

void spLightStage(spStage* stage)
{
    spMakeRamp(stage->ramp);
    for (int i = 0; i < 4096; ++i)
    {
        float linear = (float)i / 4095.0f;
        float s = linear <= 0.0031308f ? 12.92f * linear : 1.055f * powf(linear, 1.0f / 2.4f) - 0.055f;
        stage->gamma[i] = (uint8_t)(255.0f * s + 0.5f);
    }

    // The horizontal part follows the camera, the height does not: shadows stay short
    const spView* view = &stage->view;
    spFloat3 worldUp = spMakeF3(0.0f, 1.0f, 0.0f);
    spFloat3 back = spScaleF3(-1.0f, view->forward);
    back = spNormalizeF3(spMulAddF3(back, -spDotF3(back, worldUp), worldUp));
    spFloat3 light = spMulAddF3(spScaleF3(1.0f, worldUp), -0.5f, view->right);
    stage->light = spNormalizeF3(spMulAddF3(light, 0.35f, back));
}

void spAddGround(spStage* stage, spFloat3 normal, float offset)
{
    const spView* view = &stage->view;
    float height = spDotF3(normal, view->eye) - offset;
    if (stage->groundCount == SP_MAX_GROUNDS || !(height > 0.0f))
    {
        return;
    }
    spGround* ground = stage->grounds + stage->groundCount++;
    *ground = (spGround){0};
    ground->normal = normal;
    ground->offset = offset;
    ground->height = height;

    // Along the ray eye + w * (forward + right * (x - cx) / f - up * (y - cy) / f): 1/w = n . ray / -height
    float r = spDotF3(normal, view->right) / view->focal;
    float u = spDotF3(normal, view->up) / view->focal;
    float f = spDotF3(normal, view->forward);
    ground->inverse[0] = -r / height;
    ground->inverse[1] = u / height;
    ground->inverse[2] = -(f - r * view->centerX + u * view->centerY) / height;
}

// The coordinate (axis . x - origin) * scale
static spCoordinate spMakeCoordinate(const spView* view, spFloat3 axis, float origin, float scale)
{
    spCoordinate c;
    c.base = (spDotF3(axis, view->eye) - origin) * scale;
    c.slope[0] = spDotF3(axis, view->right) / view->focal * scale;
    c.slope[1] = -spDotF3(axis, view->up) / view->focal * scale;
    c.slope[2] =
        spDotF3(axis, view->forward) * scale - c.slope[0] * view->centerX - c.slope[1] * view->centerY;
    return c;
}

static float spGetCoordinate(const spCoordinate* c, float x, float y, float w)
{
    return c->base + w * (c->slope[0] * x + c->slope[1] * y + c->slope[2]);
}

static void spPrepareGround(const spStage* stage, spGround* ground)
{
    const spView* view = &stage->view;
    spFloat3 n = ground->normal;
    spFloat3 axis = fabsf(n.x) < 0.9f ? spMakeF3(1.0f, 0.0f, 0.0f) : spMakeF3(0.0f, 0.0f, 1.0f);
    spFloat3 tangent[2];
    tangent[0] = spNormalizeF3(spMulAddF3(axis, -spDotF3(axis, n), n));
    tangent[1] = spCrossF3(tangent[0], n);
    spFloat3 ahead = spNormalizeF3(spMulAddF3(view->forward, -spDotF3(view->forward, n), n));
    for (int k = 0; k < 2; ++k)
    {
        // Cells are counted from an even one near the middle, so that numbers stay small
        float center = spDotF3(tangent[k], stage->center);
        float origin = 2.0f * stage->cell * floorf(0.5f * center / stage->cell);
        ground->grid[k] = spMakeCoordinate(view, tangent[k], origin, 1.0f / stage->cell);
        ground->center[k] = (center - origin) / stage->cell;
        ground->ahead[k] = fabsf(spDotF3(ahead, tangent[k]));
    }
    const spDepthMap* maps[2] = {&stage->shadow, &stage->contact};
    spCoordinate* coordinates[2] = {ground->shadow, ground->contact};
    for (int i = 0; stage->hasShadows && i < 2; ++i)
    {
        coordinates[i][0] = spMakeCoordinate(view, maps[i]->u, maps[i]->originU, maps[i]->scale);
        coordinates[i][1] = spMakeCoordinate(view, maps[i]->v, maps[i]->originV, maps[i]->scale);
    }
}

static void spAimMap(spDepthMap* map, spFloat3 w, spFloat3 center, float radius)
{
    spFloat3 axis = fabsf(w.y) < 0.9f ? spMakeF3(0.0f, 1.0f, 0.0f) : spMakeF3(1.0f, 0.0f, 0.0f);
    map->w = w;
    map->u = spNormalizeF3(spCrossF3(axis, w));
    map->v = spCrossF3(w, map->u);
    map->originU = spDotF3(map->u, center) - radius;
    map->originV = spDotF3(map->v, center) - radius;
    map->scale = (float)map->size / (2.0f * radius);
    spClearDepthMap(map);
}

// Shares of the size of what is seen
#define SP_SHADOW_BLUR 0.012f
#define SP_CONTACT_BLUR 0.035f
#define SP_CONTACT_HEIGHT 0.10f

void spDrawShadows(spStage* stage, const spDrawTriangle* triangles, int triangleCount, spFloat3 center,
                   float radius)
{
    spDepthMap* shadow = &stage->shadow;
    spDepthMap* contact = &stage->contact;
    const spGround* ground = stage->groundCount > 0 ? stage->grounds : NULL;
    spFloat3 down = spScaleF3(-1.0f, ground != NULL ? ground->normal : spMakeF3(0.0f, 1.0f, 0.0f));
    spAimMap(shadow, stage->light, center, 1.1f * radius);
    spAimMap(contact, down, center, 1.3f * radius);
    for (int i = 0; i < triangleCount; ++i)
    {
        // Threads as the camera sees them may be seen from the edge here: their casters are drawn instead
        if ((triangles[i].flags & sp_drawTube) == 0)
        {
            spRasterDepth(contact, triangles[i].x);
        }
        if ((triangles[i].flags & sp_drawTube) == 0 && triangles[i].opacity < 1.0f)
        {
            spRasterValue(shadow, triangles[i].x, triangles[i].opacity);
        }
    }

    // What is seen through throws a pale shadow on the ground, and none on what is in it
    size_t count = (size_t)shadow->size * (size_t)shadow->size;
    for (size_t i = 0; i < count; ++i)
    {
        shadow->coverage[i] = shadow->depth[i] > 0.0f ? shadow->depth[i] : 0.0f;
    }
    spClearDepthMap(shadow);
    for (int i = 0; i < triangleCount; ++i)
    {
        if ((triangles[i].flags & sp_drawTube) == 0 && !(triangles[i].opacity < 1.0f))
        {
            spRasterDepth(shadow, triangles[i].x);
        }
    }
    for (size_t i = 0; i < count; ++i)
    {
        shadow->coverage[i] = shadow->depth[i] > SP_EMPTY_DEPTH ? 1.0f : shadow->coverage[i];
    }
    spBlurCoverage(shadow, (int)(SP_SHADOW_BLUR * (float)shadow->size + 0.5f));

    // The nearer to the ground the darker
    count = (size_t)contact->size * (size_t)contact->size;
    float level = ground != NULL ? ground->offset : 0.0f;
    float reach = SP_CONTACT_HEIGHT * radius;
    for (size_t i = 0; i < count; ++i)
    {
        float height = -contact->depth[i] - level;
        bool isEmpty = !(contact->depth[i] > SP_EMPTY_DEPTH);
        contact->coverage[i] = isEmpty ? 0.0f : expf(-(height > 0.0f ? height : 0.0f) / reach);
    }
    spBlurCoverage(contact, (int)(SP_CONTACT_BLUR * (float)contact->size + 0.5f));
    stage->hasShadows = true;
}

// Share of the light that reaches a point of a surface: four comparisons, weighted by distance
static float spSampleLight(const spStage* stage, spFloat3 x, spFloat3 n)
{
    const spDepthMap* map = &stage->shadow;
    if (!stage->hasShadows)
    {
        return 1.0f;
    }

    // A step away from the surface, so that it does not shade itself
    float texel = 1.0f / map->scale;
    spFloat3 p = spMulAddF3(x, 2.0f * texel, n);
    float u = (spDotF3(map->u, p) - map->originU) * map->scale - 0.5f;
    float v = (spDotF3(map->v, p) - map->originV) * map->scale - 0.5f;
    float d = spDotF3(map->w, p) + 1.5f * texel;
    float limit = (float)(map->size - 1);
    if (!(u >= 0.0f && v >= 0.0f && u < limit && v < limit))
    {
        return 1.0f;
    }
    int iu = (int)u;
    int iv = (int)v;
    float fu = u - (float)iu;
    float fv = v - (float)iv;
    const float* a = map->depth + (size_t)iv * (size_t)map->size + iu;
    const float* b = a + map->size;
    float a0 = a[0] <= d ? 1.0f : 0.0f, a1 = a[1] <= d ? 1.0f : 0.0f;
    float b0 = b[0] <= d ? 1.0f : 0.0f, b1 = b[1] <= d ? 1.0f : 0.0f;
    return (1.0f - fv) * ((1.0f - fu) * a0 + fu * a1) + fv * ((1.0f - fu) * b0 + fu * b1);
}

// How much of a pixel's footprint is on a line of the grid; blends into the mean where lines are too close
static float spCoverGrid(float coordinate, float footprint, float halfWidth)
{
    float distance = fabsf(coordinate - spFloorF(coordinate + 0.5f));
    float half = 0.5f * footprint;
    float low = distance - half > -halfWidth ? distance - half : -halfWidth;
    float high = distance + half < halfWidth ? distance + half : halfWidth;
    float cover = high > low ? (high - low) / footprint : 0.0f;
    float mean = 2.0f * halfWidth;
    return cover + (mean - cover) * spClampF(2.0f * footprint - 0.6f, 0.0f, 1.0f);
}

// Soft squares: the mean of a square wave over the footprint
static float spCoverChecker(float u, float v, float footprint)
{
    float edge = footprint > 0.04f ? footprint : 0.04f;
    float fade = spClampF(1.6f - 1.6f * edge, 0.0f, 1.0f);
    u -= 0.5f; // squares end at the lines of the grid
    v -= 0.5f;
    float du = fabsf(u - 2.0f * spFloorF(0.5f * u) - 1.0f) - 0.5f;
    float dv = fabsf(v - 2.0f * spFloorF(0.5f * v) - 1.0f) - 0.5f;
    return fade * spClampF(du / edge, -0.5f, 0.5f) * spClampF(dv / edge, -0.5f, 0.5f) * 4.0f;
}

static spFloat3 spShadeBackground(const spStage* stage, float y)
{
    const spFloat3 top = spMakeF3(0.500f, 0.605f, 0.715f);
    const spFloat3 bottom = spMakeF3(0.900f, 0.918f, 0.940f);
    return spMixF3(top, bottom, spSmoothStep(-0.15f, 0.62f, y / (float)stage->view.height));
}

static spFloat3 spShadeGround(const spStage* stage, const spGround* ground, float x, float y,
                              spFloat3 background)
{
    float w = 1.0f / (ground->inverse[0] * x + ground->inverse[1] * y + ground->inverse[2]);
    float u = spGetCoordinate(&ground->grid[0], x, y, w);
    float v = spGetCoordinate(&ground->grid[1], x, y, w);
    float du = u - ground->center[0];
    float dv = v - ground->center[1];
    float distance = sqrtf(du * du + dv * dv) * stage->cell;
    float fade = 1.0f - spSmoothStep(1.2f * stage->radius, 6.0f * stage->radius, distance);
    if (!(fade > 0.0f))
    {
        return background;
    }

    // Size of a pixel on the ground, in cells: across the view, and longer along it
    float across = w / (stage->view.focal * stage->cell);
    float slope = ground->height / w;
    float along = across / (slope > 0.02f ? slope : 0.02f);
    float footU = across + ground->ahead[0] * (along - across);
    float footV = across + ground->ahead[1] * (along - across);

    float light = 1.0f + 0.035f * spCoverChecker(u, v, footU > footV ? footU : footV);
    float lineU = spCoverGrid(u, footU, 0.012f);
    float lineV = spCoverGrid(v, footV, 0.012f);
    light *= 1.0f - 0.22f * (lineU > lineV ? lineU : lineV);
    spFloat3 color = spMakeF3(0.760f, 0.785f, 0.815f);
    if (stage->hasShadows)
    {
        float shadow = spSampleCoverage(&stage->shadow, spGetCoordinate(&ground->shadow[0], x, y, w),
                                        spGetCoordinate(&ground->shadow[1], x, y, w));
        float contact = spSampleCoverage(&stage->contact, spGetCoordinate(&ground->contact[0], x, y, w),
                                         spGetCoordinate(&ground->contact[1], x, y, w));
        light *= (1.0f - 0.52f * shadow) * (1.0f - 0.55f * contact);

        // Shadows are a little blue: only the sky lights them
        color.x *= 1.0f - 0.07f * shadow;
        color.y *= 1.0f - 0.03f * shadow;
        color.z *= 1.0f + 0.05f * shadow;
    }
    return spMixF3(background, spScaleF3(light, color), fade);
}

// Dark lines along the edges of a triangle, about one pixel wide
static float spCoverWire(const spTriangleSetup* setup, const float lambda[3], float inverse)
{
    float cover = 0.0f;
    float wa = setup->edge[0][0] + setup->edge[1][0] + setup->edge[2][0];
    float wb = setup->edge[0][1] + setup->edge[1][1] + setup->edge[2][1];
    for (int i = 0; i < 3; ++i)
    {
        float ga = (setup->edge[i][0] - lambda[i] * wa) / inverse;
        float gb = (setup->edge[i][1] - lambda[i] * wb) / inverse;
        float distance = lambda[i] / (sqrtf(ga * ga + gb * gb) + 1e-12f);
        float c = spClampF(1.1f - distance, 0.0f, 1.0f);
        cover = c > cover ? c : cover;
    }
    return cover;
}

spFloat3 spShadeTriangle(const spStage* stage, const spDrawTriangle* triangle, float x, float y)
{
    if ((triangle->flags & sp_drawFlat) != 0)
    {
        return triangle->color;
    }

    // Perspective-correct weights of the corners
    const spTriangleSetup* setup = &triangle->setup;
    float fx = x - setup->originX;
    float fy = y - setup->originY;
    float lambda[3];
    float inverse = 0.0f;
    for (int i = 0; i < 3; ++i)
    {
        float value = setup->edge[i][0] * fx + setup->edge[i][1] * fy + setup->edge[i][2];
        lambda[i] = value > 0.0f ? value : 0.0f;
        inverse += lambda[i];
    }
    float scale = inverse > 0.0f ? 1.0f / inverse : 0.0f;
    spFloat3 p = {0}, n = {0};
    for (int i = 0; i < 3; ++i)
    {
        lambda[i] *= scale;
        p = spMulAddF3(p, lambda[i], triangle->x[i]);
        n = spMulAddF3(n, lambda[i], triangle->n[i]);
    }

    spFloat3 toEye = spNormalizeF3(spSubF3(stage->view.eye, p));
    spFloat3 color = triangle->color;
    if ((triangle->flags & sp_drawMapped) != 0)
    {
        float value = 0.0f;
        for (int i = 0; i < 3; ++i)
        {
            value += lambda[i] * triangle->value[i];
        }
        color = spLookUpRamp(stage, value);
    }
    if ((triangle->flags & sp_drawTube) != 0)
    {
        float rest = 1.0f - spDotF3(n, n);
        n = spNormalizeF3(spMulAddF3(n, sqrtf(rest > 0.0f ? rest : 0.0f), toEye));
    }
    else
    {
        spFloat3 face =
            spCrossF3(spSubF3(triangle->x[1], triangle->x[0]), spSubF3(triangle->x[2], triangle->x[0]));
        bool isBack = spDotF3(face, toEye) < 0.0f;
        n = spScaleF3(isBack ? -1.0f : 1.0f, spNormalizeF3(n));
        color = isBack ? spScaleF3(0.8f, color) : color;
    }
    if ((triangle->flags & sp_drawWire) != 0)
    {
        color = spScaleF3(1.0f - 0.62f * spCoverWire(setup, lambda, inverse), color);
    }

    // Sky from above, light back from the ground from below; less of it where the ground is close
    float up = 0.5f + 0.5f * n.y;
    spFloat3 ambient = spMixF3(spMakeF3(0.30f, 0.29f, 0.29f), spMakeF3(0.52f, 0.56f, 0.62f), up);
    if (stage->groundCount > 0)
    {
        const spGround* ground = stage->grounds;
        float height = spDotF3(ground->normal, p) - ground->offset;
        float near = expf(-(height > 0.0f ? height : 0.0f) / (0.12f * stage->radius));
        float down = 0.5f - 0.5f * spDotF3(n, ground->normal);
        ambient = spScaleF3(1.0f - 0.75f * near * down, ambient);
    }

    float facing = spDotF3(n, stage->light);
    float lit = facing > 0.0f ? facing * spSampleLight(stage, p, n) : 0.0f;
    float view = spClampF(spDotF3(n, toEye), 0.0f, 1.0f);
    spFloat3 diffuse = spMulAddF3(ambient, 0.78f * lit, spMakeF3(1.04f, 1.0f, 0.94f));
    diffuse = spMulAddF3(diffuse, 0.10f * view, spMakeF3(1.0f, 1.0f, 1.0f));
    spFloat3 result = spMulF3(color, diffuse);
    if ((triangle->flags & sp_drawDull) == 0)
    {
        spFloat3 half = spNormalizeF3(spAddF3(stage->light, toEye));
        float gloss = spClampF(spDotF3(n, half), 0.0f, 1.0f);
        gloss *= gloss, gloss *= gloss, gloss *= gloss, gloss *= gloss, gloss *= gloss; // to the 32nd
        float rim = 1.0f - view;
        rim *= rim, rim *= rim;
        float white = (facing > 0.0f ? 0.22f * gloss * (0.3f + 0.7f * lit) : 0.0f) + 0.10f * rim * up;
        result = spAddF3(result, spMakeF3(white, white, white));
    }
    return result;
}

// The nearest ground at a place; NULL when there is none or something of depth `depth` is before it
static const spGround* spFindGround(const spStage* stage, float x, float y, float depth)
{
    const spGround* nearest = NULL;
    for (int i = 0; i < stage->groundCount; ++i)
    {
        const spGround* ground = stage->grounds + i;
        float d = SP_GROUND_BIAS * (ground->inverse[0] * x + ground->inverse[1] * y + ground->inverse[2]);
        if (d > depth)
        {
            depth = d;
            nearest = ground;
        }
    }
    return nearest;
}

// What a pixel sees of the ground or the background
static spFloat3 spShadeBehind(const spStage* stage, float x, float y, spFloat3 background)
{
    const spGround* ground = spFindGround(stage, x, y, 0.0f);
    return ground != NULL ? spShadeGround(stage, ground, x, y, background) : background;
}

// What each sample of a pixel sees: the number of a triangle, or 0 for the ground and what is behind
static void spFindSeen(const spStage* stage, const spRaster* raster, int x, int y,
                       uint32_t ids[SP_MAX_SAMPLES])
{
    int n = raster->sampleCount;
    for (int k = 0; k < n; ++k)
    {
        size_t index = ((size_t)y * (size_t)n + (size_t)k) * (size_t)raster->width + (size_t)x;
        float sx = (float)x + raster->shiftX[k];
        float sy = (float)y + raster->shiftY[k];
        bool isGround = spFindGround(stage, sx, sy, raster->depth[index]) != NULL;
        ids[k] = isGround ? 0 : raster->ids[index];
    }
}

// Samples from k on that see what sample k sees: the middle of them, in pixels. Returns them as bits.
static uint32_t spFindAlike(const spRaster* raster, const uint32_t* ids, int k, float middle[2])
{
    uint32_t alike = 0;
    float sx = 0.0f, sy = 0.0f, count = 0.0f;
    for (int i = k; i < raster->sampleCount; ++i)
    {
        if (ids[i] == ids[k])
        {
            sx += raster->shiftX[i];
            sy += raster->shiftY[i];
            count += 1.0f;
            alike |= 1u << i;
        }
    }
    middle[0] = sx / count;
    middle[1] = sy / count;
    return alike;
}

static float spCountBits(uint32_t bits)
{
    int count = 0;
    for (; bits != 0; bits &= bits - 1)
    {
        count += 1;
    }
    return (float)count;
}

// A pixel in which something is drawn: each triangle is shaded once, where its samples are. `colors` of the samples may be
// NULL.
static spFloat3 spResolvePixel(const spStage* stage, const spRaster* raster, int x, int y,
                               spFloat3 background, spFloat3* colors)
{
    uint32_t ids[SP_MAX_SAMPLES];
    int n = raster->sampleCount;
    spFindSeen(stage, raster, x, y, ids);
    spFloat3 sum = {0};
    uint32_t done = 0; // bit k: sample k is counted
    for (int k = 0; k < n; ++k)
    {
        if ((done >> k & 1) != 0)
        {
            continue;
        }
        float middle[2];
        uint32_t alike = spFindAlike(raster, ids, k, middle);
        done |= alike;
        float sx = (float)x + middle[0], sy = (float)y + middle[1];
        spFloat3 color = ids[k] == 0 ? spShadeBehind(stage, sx, sy, background)
                                     : spShadeTriangle(stage, stage->triangles + ids[k] - 1, sx, sy);
        sum = spMulAddF3(sum, spCountBits(alike) / (float)n, color);
        for (int i = k; colors != NULL && i < n; ++i)
        {
            colors[i] = (alike >> i & 1) != 0 ? color : colors[i];
        }
    }
    return sum;
}

// Transparent triangles of a pixel that are shaded once; further ones once for each sample
#define SP_MAX_SHADED 64

typedef struct spShaded
{
    int triangles[SP_MAX_SHADED];
    float x[SP_MAX_SHADED], y[SP_MAX_SHADED], count[SP_MAX_SHADED]; // sums over its samples
    spFloat3 colors[SP_MAX_SHADED];
    int shadedCount;
} spShaded;

static int spFindShaded(const spShaded* shaded, int triangle)
{
    int i = 0;
    while (i < shaded->shadedCount && shaded->triangles[i] != triangle)
    {
        i += 1;
    }
    return i;
}

// The fragments of sample k of a pixel
static const uint64_t* spGetFragments(const spFragments* fragments, const spRaster* raster, int x, int y,
                                      int k, int* count)
{
    size_t row = (size_t)(y - fragments->firstRow) * (size_t)raster->sampleCount + (size_t)k;
    const int32_t* first = fragments->first + row * (size_t)raster->width + (size_t)x;
    *count = first[1] - first[0];
    return fragments->keys + first[0];
}

// Shades what is transparent in a pixel, where its samples are. Returns whether there is any.
static bool spShadeFragments(const spStage* stage, const spRaster* raster, const spFragments* fragments,
                             int x, int y, spShaded* shaded)
{
    bool any = false;
    shaded->shadedCount = 0;
    for (int k = 0; k < raster->sampleCount; ++k)
    {
        int count;
        const uint64_t* keys = spGetFragments(fragments, raster, x, y, k, &count);
        any = any || count > 0;
        for (int i = 0; i < count; ++i)
        {
            int triangle = spGetFragmentTriangle(keys[i]);
            int at = spFindShaded(shaded, triangle);
            if (at == SP_MAX_SHADED)
            {
                break;
            }
            if (at == shaded->shadedCount)
            {
                shaded->triangles[shaded->shadedCount++] = triangle;
                shaded->x[at] = shaded->y[at] = shaded->count[at] = 0.0f;
            }
            shaded->x[at] += raster->shiftX[k];
            shaded->y[at] += raster->shiftY[k];
            shaded->count[at] += 1.0f;
        }
    }
    for (int i = 0; i < shaded->shadedCount; ++i)
    {
        float sx = (float)x + shaded->x[i] / shaded->count[i],
              sy = (float)y + shaded->y[i] / shaded->count[i];
        shaded->colors[i] = spShadeTriangle(stage, stage->triangles + shaded->triangles[i], sx, sy);
    }
    return any;
}

// Front to back: each fragment keeps back its share of the light that is still to come
static spFloat3 spBlendPixel(const spStage* stage, const spRaster* raster, const spFragments* fragments,
                             int x, int y, const spShaded* shaded, const spFloat3* behind)
{
    int n = raster->sampleCount;
    spFloat3 sum = {0};
    for (int k = 0; k < n; ++k)
    {
        int count;
        const uint64_t* keys = spGetFragments(fragments, raster, x, y, k, &count);
        float sx = (float)x + raster->shiftX[k], sy = (float)y + raster->shiftY[k];
        float through = 1.0f;
        spFloat3 color = {0};
        for (int i = 0; i < count && spFindGround(stage, sx, sy, spGetFragmentDepth(keys[i])) == NULL; ++i)
        {
            int triangle = spGetFragmentTriangle(keys[i]);
            int at = spFindShaded(shaded, triangle);
            float opacity = stage->triangles[triangle].opacity;
            spFloat3 own = at < shaded->shadedCount
                               ? shaded->colors[at]
                               : spShadeTriangle(stage, stage->triangles + triangle, sx, sy);
            color = spMulAddF3(color, through * opacity, own);
            through *= 1.0f - opacity;
        }
        sum = spMulAddF3(sum, 1.0f / (float)n, spMulAddF3(color, through, behind[k]));
    }
    return sum;
}

static uint8_t spToByte(const spStage* stage, float linear)
{
    float c = linear > 0.0f ? (linear < 1.0f ? linear : 1.0f) : 0.0f; // also for NaN
    return stage->gamma[(int)(4095.0f * c + 0.5f)];
}

void spPrepareGrounds(spStage* stage)
{
    for (int i = 0; i < stage->groundCount; ++i)
    {
        spPrepareGround(stage, stage->grounds + i);
    }
}

void spResolveRows(const spStage* stage, const spRaster* raster, const spFragments* fragments, uint8_t* rgb)
{
    int n = raster->sampleCount;
    size_t width = (size_t)raster->width;
    int firstRow = fragments != NULL ? fragments->firstRow : 0;
    int rowCount = fragments != NULL ? fragments->rowCount : raster->height;
    for (int y = firstRow; y < firstRow + rowCount; ++y)
    {
        const uint32_t* ids = raster->ids + (size_t)y * (size_t)n * width;
        spFloat3 background = spShadeBackground(stage, (float)y + 0.5f);
        for (int x = 0; x < raster->width; ++x)
        {
            uint32_t any = 0;
            for (int k = 0; k < n; ++k)
            {
                any |= ids[(size_t)k * width + (size_t)x];
            }
            spShaded shaded;
            spFloat3 color, behind[SP_MAX_SAMPLES];
            if (fragments != NULL && spShadeFragments(stage, raster, fragments, x, y, &shaded))
            {
                spResolvePixel(stage, raster, x, y, background, behind);
                color = spBlendPixel(stage, raster, fragments, x, y, &shaded, behind);
            }
            else
            {
                color = any == 0 ? spShadeBehind(stage, (float)x + 0.5f, (float)y + 0.5f, background)
                                 : spResolvePixel(stage, raster, x, y, background, NULL);
            }
            uint8_t* pixel = rgb + 3 * ((size_t)y * width + (size_t)x);
            pixel[0] = spToByte(stage, color.x);
            pixel[1] = spToByte(stage, color.y);
            pixel[2] = spToByte(stage, color.z);
        }
    }
}
