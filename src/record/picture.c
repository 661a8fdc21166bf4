// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Pictures of a recording: gathers what one frame shows as triangles, draws it, writes it. Surfaces are
// smooth where neighbours meet at a flat angle and sharp where they meet at a right one; bodies without
// surface are drawn as round threads with balls at their nodes.

#include "base/error.h"
#include "base/value_range.h"
#include "record/camera.h"
#include "record/drawn.h"
#include "record/fragments.h"
#include "record/output.h"
#include "record/overlap_drawn.h"
#include "record/shading.h"
#include "record/shape.h"
#include "record/stroke_text.h"

#include <math.h>
#include <stdio.h>

#define SP_MAX_SHADOW_SIZE 1024
#define SP_MIN_SHADOW_SIZE 64
#define SP_BALL_SIDES 10
#define SP_SHEET_GAP 4
#define SP_BAND_ROWS 16
// That a legend has room for; further ones have the colour of the nearest
#define SP_MAX_REGIONS 12
// Along the longest edge of what bodies have in common
#define SP_OVERLAP_RAYS 16

// Colours that also people with a colour vision deficiency can tell apart, after Okabe and Ito
static const uint32_t SP_BODY_COLORS[] = {0xE06A26, 0x1F7BBF, 0x17A07C, 0xE3A51D,
                                          0xC774A6, 0x58B2E4, 0x8A6BBE, 0x9DA63A};
#define SP_COLLIDER_COLOR 0x9AA3AF
// The first of them as different in lightness as they can be
static const uint32_t SP_REGION_COLORS[SP_MAX_REGIONS] = {0x58B2E4, 0xC0392B, 0xE8C547, 0x17A07C,
                                                          0x8A6BBE, 0xE06A26, 0x1F7BBF, 0xC774A6,
                                                          0x9DA63A, 0x6B4F3A, 0x2F3E55, 0xD9D2C5};

typedef struct spPicture
{
    spHeap heap;
    const spRecording* recording;
    const spPictureDef* def;
    spStage stage;
    spRaster raster;
    spFragments fragments;
    spShapeMesh shape;

    spDrawTriangle* triangles;
    int triangleCount;
    int triangleCapacity;
    int drawnCount; // those without casters come first
    bool hasTransparent;

    // For one body
    spFloat3* faceNormals; // length is twice the area
    int faceCapacity;
    int* firstFace; // faces around each node
    int firstCapacity;
    int* faces;
    int facesCapacity;
    float* values; // what colours its nodes, 0 to 1
    int valueCapacity;
    float* surfaceValues; // the same at the vertices of its attached surface
    int surfaceValueCapacity;
    spDrawnBody drawn;

    spArena arena;  // for the overlap of a frame
    double overlap; // m^3

    // What the first and the last colour stand for; regions, rising, have one each
    double low;
    double high;
    float regions[SP_MAX_REGIONS];
    int regionCount;

    // Everything seen in this frame
    spFloat3 seenLow;
    spFloat3 seenHigh;
    bool isEmpty;
} spPicture;

spPictureDef spDefaultPictureDef(void)
{
    spPictureDef def = {0};
    def.width = 1280;
    def.height = 720;
    def.samples = 2;
    def.opacity = 1.0;
    def.showGround = true;
    def.showCaption = true;
    def.internalValue = SP_DEF_COOKIE;
    return def;
}

// What a colouring stands for: of values at nodes which, or sp_nodeValueCount; words of the legend; what a recording without it
// lacks, and how it gets that
typedef struct spColouring
{
    spNodeValue value;
    spValueKind kind; // of its range
    const char *title, *unit, *needs, *remedy;
} spColouring;

static const spColouring s_colourings[] = {
    [sp_colorNone] = {sp_nodeValueCount, sp_valueStress, "", "", "", ""},
    [sp_colorStress] = {sp_nodeStress, sp_valueStress, "von Mises stress", "Pa", "stress",
                        "storeStress (souple run --colour stress), with tets in some body"},
    [sp_colorDisplacement] = {sp_nodeValueCount, sp_valueDisplacement, "displacement", "m", "", ""},
    [sp_colorVelocity] = {sp_nodeValueCount, sp_valueSpeed, "speed", "m/s", "velocities",
                          "storeVelocities (souple run --velocities)"},
    [sp_colorPressure] = {sp_nodePressure, sp_valueStress, "contact pressure", "Pa", "contact pressure",
                          "storeContacts (souple run --colour pressure), with bodies that touch something"},
    [sp_colorStrain] =
        {sp_nodeStrain, sp_valueStrain, "strain", "", "strain",
         "storeStrain (souple run --colour strain), with tets, springs or kept distances in some body"},
    [sp_colorModulus] = {sp_nodeModulus, sp_valueStress, "Young's modulus", "Pa", "modulus",
                         "storeModulus (souple run --colour modulus), with tets in some body"},
    [sp_colorLevel] = {sp_nodeLevel, sp_valueLevel, "level", NULL, "levels",
                       "storeLevels (souple run --colour level), with a body of levels"},
    [sp_colorRegion] = {sp_nodeRegion, sp_valueLevel, "region", NULL, "regions",
                        "storeRegions (souple run --colour region), with a mesh that has some"},
};
_Static_assert(SP_COUNT(s_colourings) == sp_pictureColorCount, "a row for each colouring");

static double spGetOpacity(const spPictureDef* def, int body)
{
    return def->opacities != NULL ? def->opacities[body] : def->opacity;
}

static bool spCheckPicture(const spRecording* recording, const spPictureDef* def, spError* error)
{
    if (def == NULL || def->internalValue != SP_DEF_COOKIE)
    {
        return spFail(error, sp_errorBadDef, "picture: start from spDefaultPictureDef");
    }
    if (recording == NULL)
    {
        return spFail(error, sp_errorBadArgument, "picture: no recording");
    }
    if (def->width < 16 || def->width > SP_MAX_PICTURE_SIZE || def->height < 16 ||
        def->height > SP_MAX_PICTURE_SIZE || def->samples < 1 || def->samples > 4)
    {
        return spFail(
            error, sp_errorBadArgument,
            "picture: %d by %d pixels with %d samples; 16 to %d pixels and 1 to 4 samples are possible",
            def->width, def->height, def->samples, SP_MAX_PICTURE_SIZE);
    }
    if ((unsigned)def->color >= sp_pictureColorCount)
    {
        return spFail(error, sp_errorBadArgument, "picture: there is no colouring %d", (int)def->color);
    }
    bool automatic = def->rangeLow == 0.0 && def->rangeHigh == 0.0;
    if (!automatic &&
        !(isfinite(def->rangeLow) && isfinite(def->rangeHigh) && def->rangeLow < def->rangeHigh))
    {
        return spFail(error, sp_errorBadArgument, "picture: colours from %g to %g: the first must be less",
                      def->rangeLow, def->rangeHigh);
    }
    const spColouring* colouring = s_colourings + def->color;
    bool stored = colouring->value != sp_nodeValueCount ? recording->hasNodeValues[colouring->value]
                  : def->color == sp_colorVelocity      ? (recording->flags & sp_headVelocities) != 0
                                                        : true;
    if (!stored)
    {
        return spFail(error, sp_errorBadArgument,
                      "picture: the recording has no %s to colour by: record it with %s", colouring->needs,
                      colouring->remedy);
    }
    for (int body = 0; body < recording->bodyCount; ++body)
    {
        double opacity = spGetOpacity(def, body);
        if (!(opacity >= 0.0 && opacity <= 1.0))
        {
            return spFail(error, sp_errorBadArgument,
                          "picture: body \"%s\" has an opacity of %g; 0, not seen at all, to 1 are possible",
                          spRecording_GetBodyName(recording, body), opacity);
        }
    }
    if (def->regionNameCount < 0 || (def->regionNameCount > 0 && def->regionNames == NULL))
    {
        return spFail(error, sp_errorBadArgument, "picture: %d names of regions, or none given",
                      def->regionNameCount);
    }
    if (!(def->lineWidth >= 0.0) || def->lineWidth > 1000.0)
    {
        return spFail(error, sp_errorBadArgument, "picture: a line width of %g pixels", def->lineWidth);
    }
    return true;
}

// 1, 2 or 5 times a power of ten, not above x
static double spRoundDown(double x)
{
    double power = pow(10.0, floor(log10(x)));
    double m = x / power;
    return (m >= 5.0 ? 5.0 : (m >= 2.0 ? 2.0 : 1.0)) * power;
}

// ---------------------------------------------------------------------------------------------------------
// Colours by numbers

static float spLengthOf(const float* a, const float* b)
{
    float x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return sqrtf(x * x + y * y + z * z);
}

// Where a body was in the first frame that has it with as many nodes
static const float* spFindFirstPositions(const spRecording* recording, int body, int nodeCount)
{
    for (int frame = 0; frame < recording->frameCount; ++frame)
    {
        spPointView x = spRecording_GetPositions(recording, frame, body);
        if (x.count == nodeCount)
        {
            return x.data;
        }
    }
    return NULL;
}

// The number of every node that its colour stands for, in picture->values. *count is 0 when the body has
// none.
static bool spFillNodeValues(spPicture* picture, int frame, int body, int* count)
{
    const spRecording* recording = picture->recording;
    spNodeValue value = s_colourings[picture->def->color].value;
    spPointView x = spRecording_GetPositions(recording, frame, body);
    spPointView v = spRecording_GetVelocities(recording, frame, body);
    spValueView stored =
        value != sp_nodeValueCount ? spGetNodeValues(recording, frame, body, value) : (spValueView){0};
    int triangleCount = 0;
    const float* first = NULL;
    switch (picture->def->color)
    {
        case sp_colorNone:
            *count = 0;
            break;
        case sp_colorDisplacement:
            first = spFindFirstPositions(recording, body, x.count);
            *count = x.count;
            break;
        case sp_colorVelocity:
            *count = v.count;
            break;
        case sp_colorPressure:
            // What touches nothing feels none
            spRecording_GetTriangles(recording, frame, body, &triangleCount);
            *count = triangleCount > 0 ? x.count : 0;
            break;
        default:
            *count = stored.count;
            break;
    }
    if (*count == 0)
    {
        return true;
    }
    if (!spReserve(&picture->heap, (void**)&picture->values, 0, &picture->valueCapacity, *count,
                   sizeof(float)))
    {
        return false;
    }
    const float zero[3] = {0};
    for (int i = 0; i < *count; ++i)
    {
        picture->values[i] = value != sp_nodeValueCount ? (stored.count > 0 ? stored.data[i] : 0.0f)
                             : first != NULL            ? spLengthOf(x.data + 3 * i, first + 3 * i)
                                                        : spLengthOf(v.data + 3 * i, zero);
    }
    return true;
}

// The values at the points that are drawn of a body; NULL when it has none
static bool spGetDrawnValues(spPicture* picture, int frame, int body, float** values, int* count)
{
    *values = NULL;
    if (!spFillNodeValues(picture, frame, body, count))
    {
        return false;
    }
    *values = *count > 0 ? picture->values : NULL;
    int vertexCount = spRecording_GetSurfaceVertexCount(picture->recording, frame, body);
    if (*count > 0 && vertexCount > 0)
    {
        if (!spReserve(&picture->heap, (void**)&picture->surfaceValues, 0, &picture->surfaceValueCapacity,
                       vertexCount, sizeof(float)))
        {
            return false;
        }
        const spTopologyEntry* topology = spGetTopologyEntry(picture->recording, frame, body);
        for (int i = 0; i < vertexCount; ++i)
        {
            spMapToSurface(topology, picture->values, 1, i, picture->surfaceValues + i);
        }
        *values = picture->surfaceValues;
        *count = vertexCount;
    }
    return true;
}

// Counts what one body shows in a frame: at its triangles, or else at its edges, or else at its nodes
static bool spCountBody(spPicture* picture, int frame, int body, float floor, spValueCounts* counts)
{
    float* values = NULL;
    int count = 0;
    if (!spGetDrawnValues(picture, frame, body, &values, &count) ||
        !spGetDrawnBody(&picture->heap, picture->recording, frame, body, &picture->drawn))
    {
        return false;
    }
    const spDrawnBody* drawn = &picture->drawn;
    bool surface = drawn->triangles != NULL && drawn->triangleCount > 0;
    bool edges = !surface && drawn->edges != NULL && drawn->edgeCount > 0;
    if (values != NULL)
    {
        spCountValues(counts, values, surface ? drawn->triangles : (edges ? drawn->edges : NULL),
                      surface ? 3 * drawn->triangleCount : (edges ? 2 * drawn->edgeCount : count), floor);
    }
    return true;
}

static float spGetPictureFloor(const spPicture* picture)
{
    float size = 0.0f;
    for (int body = 0; body < picture->recording->bodyCount; ++body)
    {
        spPointView x = spRecording_GetPositions(picture->recording, 0, body);
        size = fmaxf(size, spGetPointsSize(x.data, x.count));
    }
    return spGetValueFloor(s_colourings[picture->def->color].kind, size);
}

// The regions that nodes lie in, rising
static void spListRegions(spPicture* picture)
{
    const spRecording* recording = picture->recording;
    for (int i = 0; i < recording->frameCount * recording->bodyCount; ++i)
    {
        spValueView view =
            spGetNodeValues(recording, i / recording->bodyCount, i % recording->bodyCount, sp_nodeRegion);
        for (int k = 0; k < view.count; ++k)
        {
            int at = picture->regionCount;
            while (at > 0 && picture->regions[at - 1] > view.data[k])
            {
                at -= 1;
            }
            bool known = at > 0 && picture->regions[at - 1] == view.data[k];
            if (!known && isfinite(view.data[k]) && picture->regionCount < SP_MAX_REGIONS)
            {
                memmove(picture->regions + at + 1, picture->regions + at,
                        (size_t)(picture->regionCount - at) * sizeof(float));
                picture->regions[at] = view.data[k];
                picture->regionCount += 1;
            }
        }
    }
}

static uint32_t spGetRegionColor(const spPicture* picture, float region)
{
    int nearest = 0;
    for (int i = 1; i < picture->regionCount; ++i)
    {
        bool nearer = fabsf(picture->regions[i] - region) < fabsf(picture->regions[nearest] - region);
        nearest = nearer ? i : nearest;
    }
    return SP_REGION_COLORS[nearest];
}

// One range for all frames, so that a colour means the same everywhere
static bool spChooseRange(spPicture* picture)
{
    const spPictureDef* def = picture->def;
    picture->low = def->rangeLow;
    picture->high = def->rangeHigh;
    if (def->color == sp_colorRegion)
    {
        picture->low = 0.0;
        picture->high = 1.0; // numbers stay as they are
        spListRegions(picture);
        return true;
    }
    if (def->color == sp_colorNone || def->rangeHigh > def->rangeLow)
    {
        return true;
    }
    spValueCounts* counts = spAllocZeroed(&picture->heap, sizeof(spValueCounts));
    float floor = spGetPictureFloor(picture);
    bool good = counts != NULL;
    for (int frame = 0; good && frame < picture->recording->frameCount; ++frame)
    {
        for (int body = 0; good && body < picture->recording->bodyCount; ++body)
        {
            good = spCountBody(picture, frame, body, floor, counts);
        }
    }
    picture->high = good ? (double)spFindValueTop(counts, floor) : 1.0;
    spFree(&picture->heap, counts);
    return good;
}

// The same as shares of the range
static bool spMapNodeValues(spPicture* picture, int frame, int body, const float** values)
{
    float* shares = NULL;
    int count = 0;
    if (!spGetDrawnValues(picture, frame, body, &shares, &count))
    {
        return false;
    }
    for (int i = 0; shares != NULL && i < count; ++i)
    {
        shares[i] = (float)(((double)shares[i] - picture->low) / (picture->high - picture->low));
    }
    *values = shares;
    return true;
}

// What all frames of a recording share: camera, colours, size of the grid, memory
static bool spBeginPicture(spPicture* picture, const spRecording* recording, const spPictureDef* def,
                           spError* error)
{
    *picture = (spPicture){0};
    picture->heap = spMakeHeap(&recording->heap.allocator);
    spInitArena(&picture->arena, &picture->heap);
    picture->recording = recording;
    picture->def = def;

    spCamera camera = {0};
    if (def->camera != NULL)
    {
        camera = *def->camera;
    }
    else if (!spRecording_GetCamera(recording, &camera))
    {
        camera = spFitCamera(recording, (double)def->width / (double)def->height);
    }
    spStage* stage = &picture->stage;
    if (!spMakeView(&camera, def->width, def->height, &stage->view))
    {
        return spFail(error, sp_errorBadArgument,
                      "camera: eye and target must differ, up must not be along the view, the field of view "
                      "must be 1 to 170 degrees");
    }
    spLightStage(stage);
    if (!spChooseRange(picture))
    {
        return spFailMemory(error, "picture", picture->heap.byteCount);
    }

    spMotionBox box = spMeasureMotion(recording);
    if (box.isEmpty)
    {
        box = (spMotionBox){{-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}, false};
    }
    double diagonal = 0.0;
    for (int k = 0; k < 3; ++k)
    {
        diagonal += (box.high[k] - box.low[k]) * (box.high[k] - box.low[k]);
    }
    stage->radius = (float)fmax(0.5 * sqrt(diagonal), 1e-6);
    stage->center =
        spMakeF3((float)(0.5 * (box.low[0] + box.high[0])), (float)(0.5 * (box.low[1] + box.high[1])),
                 (float)(0.5 * (box.low[2] + box.high[2])));
    stage->cell = (float)spRoundDown(0.6 * (double)stage->radius);

    // A small picture needs no fine shadows
    int shadowSize = 2 * (def->width > def->height ? def->width : def->height);
    shadowSize = spClampInt(shadowSize, SP_MIN_SHADOW_SIZE, SP_MAX_SHADOW_SIZE);
    if (!spCreateRaster(&picture->raster, &picture->heap, def->width, def->height, def->samples) ||
        !spCreateDepthMap(&stage->shadow, &picture->heap, shadowSize) ||
        !spCreateDepthMap(&stage->contact, &picture->heap, shadowSize / 4))
    {
        return spFailMemory(error, "picture", picture->heap.byteCount);
    }
    return true;
}

static void spEndPicture(spPicture* picture)
{
    spHeap* heap = &picture->heap;
    spFreeRaster(&picture->raster, heap);
    spFreeFragments(&picture->fragments, heap);
    spFreeDepthMap(&picture->stage.shadow, heap);
    spFreeDepthMap(&picture->stage.contact, heap);
    spFreeShape(heap, &picture->shape);
    spFree(heap, picture->triangles);
    spFree(heap, picture->faceNormals);
    spFree(heap, picture->firstFace);
    spFree(heap, picture->faces);
    spFree(heap, picture->values);
    spFree(heap, picture->surfaceValues);
    spFreeDrawnBody(heap, &picture->drawn);
    spFreeArena(&picture->arena);
}

static bool spReserveTriangles(spPicture* picture, int64_t count)
{
    int64_t needed = picture->triangleCount + count;
    return needed <= INT32_MAX &&
           spReserve(&picture->heap, (void**)&picture->triangles, picture->triangleCount,
                     &picture->triangleCapacity, (int)needed, sizeof(spDrawTriangle));
}

static void spExtendSeen(spPicture* picture, spFloat3 x)
{
    if (!spIsFiniteF3(x))
    {
        return;
    }
    spFloat3 low = picture->isEmpty ? x : picture->seenLow;
    spFloat3 high = picture->isEmpty ? x : picture->seenHigh;
    picture->seenLow = spMakeF3(fminf(low.x, x.x), fminf(low.y, x.y), fminf(low.z, x.z));
    picture->seenHigh = spMakeF3(fmaxf(high.x, x.x), fmaxf(high.y, x.y), fmaxf(high.z, x.z));
    picture->isEmpty = false;
}

// ---------------------------------------------------------------------------------------------------------
// Surfaces

// Lists the triangles around each node
static bool spListFaces(spPicture* picture, const int32_t* triangles, int triangleCount, int nodeCount)
{
    spHeap* heap = &picture->heap;
    if (!spReserve(heap, (void**)&picture->firstFace, 0, &picture->firstCapacity, nodeCount + 1,
                   sizeof(int)) ||
        !spReserve(heap, (void**)&picture->faces, 0, &picture->facesCapacity, 3 * triangleCount,
                   sizeof(int)) ||
        !spReserve(heap, (void**)&picture->faceNormals, 0, &picture->faceCapacity, triangleCount,
                   sizeof(spFloat3)))
    {
        return false;
    }
    int* first = picture->firstFace;
    memset(first, 0, (size_t)(nodeCount + 1) * sizeof(int));
    for (int i = 0; i < 3 * triangleCount; ++i)
    {
        first[triangles[i]] += 1;
    }
    int sum = 0;
    for (int i = 0; i <= nodeCount; ++i)
    {
        sum += first[i];
        first[i] = sum;
    }

    // Filled from behind: afterwards first[i] is the start of node i
    for (int i = 3 * triangleCount - 1; i >= 0; --i)
    {
        picture->faces[--first[triangles[i]]] = i / 3;
    }
    return true;
}

// The normal at a corner of a face: faces around the node count by area, and the less the more they turn away
static spFloat3 spGetCornerNormal(const spPicture* picture, int face, int node)
{
    spFloat3 own = spNormalizeF3(picture->faceNormals[face]);
    spFloat3 sum = {0};
    for (int i = picture->firstFace[node]; i < picture->firstFace[node + 1]; ++i)
    {
        spFloat3 other = picture->faceNormals[picture->faces[i]];
        float length = spLengthF3(other);
        float cosine = length > 0.0f ? spDotF3(own, other) / length : 0.0f;
        sum = spMulAddF3(sum, spSmoothStep(0.25f, 0.65f, cosine), other);
    }
    return spNormalizeF3(sum);
}

// What an edit laid bare is pale. values may be NULL
static bool spAddSurface(spPicture* picture, const spDrawnBody* drawn, spFloat3 color, const float* values,
                         uint32_t flags)
{
    spPointView x = drawn->x;
    const int32_t* triangles = drawn->triangles;
    int triangleCount = drawn->triangleCount;
    bool byRegion = values != NULL && picture->def->color == sp_colorRegion;
    if (!spReserveTriangles(picture, triangleCount) ||
        !spListFaces(picture, triangles, triangleCount, x.count))
    {
        return false;
    }
    for (int i = 0; i < triangleCount; ++i)
    {
        const int32_t* t = triangles + 3 * i;
        spFloat3 a = spLoadF3(x.data + 3 * t[0]);
        spFloat3 b = spLoadF3(x.data + 3 * t[1]);
        spFloat3 c = spLoadF3(x.data + 3 * t[2]);
        spFloat3 n = spCrossF3(spSubF3(b, a), spSubF3(c, a));
        picture->faceNormals[i] = spIsFiniteF3(n) ? n : spMakeF3(0.0f, 0.0f, 0.0f);
    }
    for (int i = 0; i < triangleCount; ++i)
    {
        spDrawTriangle* triangle = picture->triangles + picture->triangleCount++;
        for (int k = 0; k < 3; ++k)
        {
            int node = triangles[3 * i + k];
            triangle->x[k] = spLoadF3(x.data + 3 * node);
            triangle->n[k] = picture->def->flatShading ? spNormalizeF3(picture->faceNormals[i])
                                                       : spGetCornerNormal(picture, i, node);
            triangle->value[k] = values != NULL ? values[node] : 0.0f;
        }
        // The region of the tet behind it
        float region = fminf(fminf(triangle->value[0], triangle->value[1]), triangle->value[2]);
        spFloat3 own = byRegion ? spMakeColor(spGetRegionColor(picture, region)) : color;
        bool isBare = drawn->bare != NULL && drawn->bare[i] != 0;
        triangle->color = isBare ? spMixF3(own, spMakeF3(1.0f, 0.92f, 0.82f), 0.6f) : own;
        triangle->flags = byRegion ? flags & ~(uint32_t)sp_drawMapped : flags;
        triangle->opacity = 1.0f;
    }
    return true;
}

// ---------------------------------------------------------------------------------------------------------
// Threads and balls

static void spAddTriangle(spPicture* picture, const spFloat3 x[3], const spFloat3 n[3], spFloat3 color,
                          uint32_t flags)
{
    spDrawTriangle* triangle = picture->triangles + picture->triangleCount++;
    for (int k = 0; k < 3; ++k)
    {
        triangle->x[k] = x[k];
        triangle->n[k] = n[k];
    }
    triangle->color = color;
    triangle->flags = flags;
    triangle->opacity = 1.0f;
}

// A thread as a strip that faces `eye`, or the direction `towards` when it is meant for the light
static void spAddThread(spPicture* picture, spFloat3 a, spFloat3 b, float radius, spFloat3 color, bool caster)
{
    spFloat3 middle = spScaleF3(0.5f, spAddF3(a, b));
    spFloat3 towards = caster ? picture->stage.light : spSubF3(picture->stage.view.eye, middle);
    spFloat3 side = spNormalizeF3(spCrossF3(spSubF3(b, a), towards));
    spFloat3 left = spScaleF3(-1.0f, side);
    spFloat3 a0 = spMulAddF3(a, -radius, side), a1 = spMulAddF3(a, radius, side);
    spFloat3 b0 = spMulAddF3(b, -radius, side), b1 = spMulAddF3(b, radius, side);
    uint32_t flags = caster ? sp_drawCaster : sp_drawTube;
    spAddTriangle(picture, (spFloat3[3]){a0, a1, b1}, (spFloat3[3]){left, side, side}, color, flags);
    spAddTriangle(picture, (spFloat3[3]){a0, b1, b0}, (spFloat3[3]){left, side, left}, color, flags);
}

static void spAddBall(spPicture* picture, spFloat3 center, float radius, spFloat3 color, bool caster)
{
    spFloat3 towards =
        spNormalizeF3(caster ? picture->stage.light : spSubF3(picture->stage.view.eye, center));
    spFloat3 u = spNormalizeF3(spCrossF3(
        fabsf(towards.y) < 0.9f ? spMakeF3(0.0f, 1.0f, 0.0f) : spMakeF3(1.0f, 0.0f, 0.0f), towards));
    spFloat3 v = spCrossF3(towards, u);
    spFloat3 zero = {0};
    spFloat3 last = u;
    for (int i = 1; i <= SP_BALL_SIDES; ++i)
    {
        float angle = 6.2831853f * (float)i / (float)SP_BALL_SIDES;
        spFloat3 next = spMulAddF3(spScaleF3(cosf(angle), u), sinf(angle), v);
        spAddTriangle(
            picture,
            (spFloat3[3]){center, spMulAddF3(center, radius, last), spMulAddF3(center, radius, next)},
            (spFloat3[3]){zero, last, next}, color, caster ? sp_drawCaster : sp_drawTube);
        last = next;
    }
}

// A chain or ring can be thicker than a lattice that one wants to look into
static bool spIsChain(int nodeCount, int edgeCount)
{
    return edgeCount > 0 && edgeCount <= nodeCount;
}

// How thick the threads of a body are: what the user says, or a share of their mean length; never so thin
// that they flicker
static float spGetThreadRadius(const spPicture* picture, spPointView x, const int32_t* edges, int edgeCount)
{
    const spView* view = &picture->stage.view;
    spFloat3 center = x.count > 0 ? spLoadF3(x.data) : picture->stage.center;
    float depth = spDotF3(spSubF3(center, view->eye), view->forward);
    float pixel = (depth > view->nearest && isfinite(depth) ? depth : view->nearest) / view->focal;
    if (picture->def->lineWidth > 0.0)
    {
        return 0.5f * (float)picture->def->lineWidth * pixel;
    }

    double sum = 0.0;
    int counted = 0;
    for (int i = 0; i < edgeCount; ++i)
    {
        float length =
            spLengthF3(spSubF3(spLoadF3(x.data + 3 * edges[2 * i]), spLoadF3(x.data + 3 * edges[2 * i + 1])));
        sum += isfinite(length) ? (double)length : 0.0;
        counted += isfinite(length) ? 1 : 0;
    }
    float mean = counted > 0 ? (float)(sum / counted) : 0.06f * picture->stage.radius;
    float share = (spIsChain(x.count, edgeCount) ? 0.16f : 0.06f) * mean;
    float thickest = 0.02f * picture->stage.radius;
    share = share < thickest ? share : thickest;
    return share > 0.8f * pixel ? share : 0.8f * pixel;
}

// Whether a body is one closed outline in a plane z = constant: each node has two edges, and all are reached
static bool spIsOutline(spPicture* picture, spPointView x, const int32_t* edges, int edgeCount)
{
    if (edgeCount != x.count || x.count < 3 ||
        !spReserve(&picture->heap, (void**)&picture->firstFace, 0, &picture->firstCapacity, 2 * x.count,
                   sizeof(int)))
    {
        return false;
    }
    int* neighbours = picture->firstFace; // two each, -1 when free
    for (int i = 0; i < 2 * x.count; ++i)
    {
        neighbours[i] = -1;
    }
    for (int i = 0; i < 2 * edgeCount; ++i)
    {
        int* own = neighbours + 2 * edges[i];
        int slot = own[0] < 0 ? 0 : 1;
        if (own[slot] >= 0)
        {
            return false;
        }
        own[slot] = edges[i ^ 1];
    }

    float tolerance = 1e-3f * picture->stage.radius;
    int last = -1;
    int node = 0;
    int count = 0;
    do
    {
        if (!(fabsf(x.data[3 * node + 2] - x.data[2]) <= tolerance) || neighbours[2 * node + 1] < 0)
        {
            return false;
        }
        int next = neighbours[2 * node] != last ? neighbours[2 * node] : neighbours[2 * node + 1];
        last = node;
        node = next;
        count += 1;
    } while (node != 0 && count <= x.count);
    return count == x.count;
}

// The inside of an outline, as a fan about its middle, a little behind the outline
static bool spAddMembrane(spPicture* picture, spPointView x, const int32_t* edges, int edgeCount,
                          spFloat3 color)
{
    if (!spReserveTriangles(picture, edgeCount))
    {
        return false;
    }
    spFloat3 middle = {0};
    for (int i = 0; i < x.count; ++i)
    {
        middle = spMulAddF3(middle, 1.0f / (float)x.count, spLoadF3(x.data + 3 * i));
    }
    spFloat3 n = spMakeF3(0.0f, 0.0f, picture->stage.view.eye.z < middle.z ? -1.0f : 1.0f);
    float back = -2.0f * spGetThreadRadius(picture, x, edges, edgeCount);
    middle = spMulAddF3(middle, back, n);
    for (int i = 0; i < edgeCount; ++i)
    {
        spFloat3 a = spMulAddF3(spLoadF3(x.data + 3 * edges[2 * i]), back, n);
        spFloat3 b = spMulAddF3(spLoadF3(x.data + 3 * edges[2 * i + 1]), back, n);
        bool turns = spCrossF3(spSubF3(a, middle), spSubF3(b, middle)).z * n.z < 0.0f;
        spAddTriangle(picture, (spFloat3[3]){middle, turns ? b : a, turns ? a : b}, (spFloat3[3]){n, n, n},
                      color, sp_drawFlat);
    }
    return true;
}

// values may be NULL; a thread has the colour of its middle
static bool spAddThreads(spPicture* picture, spPointView x, const int32_t* edges, int edgeCount,
                         spFloat3 color, const float* values, bool caster)
{
    if (!spReserveTriangles(picture, 2 * (int64_t)edgeCount + (int64_t)SP_BALL_SIDES * x.count))
    {
        return false;
    }
    bool isChain = spIsChain(x.count, edgeCount);
    float radius = spGetThreadRadius(picture, x, edges, edgeCount);
    for (int i = 0; i < edgeCount; ++i)
    {
        spFloat3 a = spLoadF3(x.data + 3 * edges[2 * i]);
        spFloat3 b = spLoadF3(x.data + 3 * edges[2 * i + 1]);
        if (spIsFiniteF3(a) && spIsFiniteF3(b))
        {
            float middle = values != NULL ? 0.5f * (values[edges[2 * i]] + values[edges[2 * i + 1]]) : 0.0f;
            spAddThread(picture, a, b, radius, values != NULL ? spLookUpRamp(&picture->stage, middle) : color,
                        caster);
        }
    }
    for (int i = 0; i < x.count; ++i)
    {
        spFloat3 center = spLoadF3(x.data + 3 * i);
        if (spIsFiniteF3(center))
        {
            spFloat3 own =
                values != NULL ? spLookUpRamp(&picture->stage, values[i]) : spScaleF3(0.82f, color);
            spAddBall(picture, center, (isChain ? 1.25f : 1.9f) * radius, own, caster);
        }
    }
    return true;
}

// ---------------------------------------------------------------------------------------------------------
// What bodies have in common

// An arrow as a thread whose head faces the eye
static void spAddArrow(spPicture* picture, spFloat3 from, spFloat3 way, float radius, spFloat3 color)
{
    spFloat3 tip = spAddF3(from, way);
    float length = spLengthF3(way), head = fminf(7.0f * radius, 0.6f * length);
    if (!(length > 0.0f))
    {
        return;
    }
    spFloat3 neck = spMulAddF3(tip, -head / length, way);
    spFloat3 side = spNormalizeF3(spCrossF3(way, spSubF3(picture->stage.view.eye, tip)));
    spFloat3 left = spMulAddF3(neck, -0.45f * head, side), right = spMulAddF3(neck, 0.45f * head, side);
    spAddThread(picture, from, neck, radius, color, false);
    spAddTriangle(picture, (spFloat3[3]){left, right, tip}, (spFloat3[3]){side, side, side}, color,
                  sp_drawFlat | sp_drawTube);
}

// Spans as threads between the surfaces that they end at, and gradients as arrows, the longest of them as long as a
// quarter of what is seen of the overlap
static bool spAddOverlap(spPicture* picture, int frame)
{
    spDrawnOverlap overlap;
    picture->overlap = 0.0;
    if (!picture->def->showOverlap)
    {
        return true;
    }
    spResetArena(&picture->arena);
    if (!spFindDrawnOverlap(&picture->arena, picture->recording, frame, SP_OVERLAP_RAYS, &overlap) ||
        !spReserveTriangles(picture, (2 + 2 * SP_BALL_SIDES) * (int64_t)overlap.spanCount +
                                         3 * (int64_t)overlap.gradientCount))
    {
        return false;
    }
    picture->overlap = overlap.volume;
    const spFloat3 grey = spMakeColor(0x3A4250);
    for (int i = 0; i < overlap.spanCount; ++i)
    {
        const spDrawnSpan* span = overlap.spans + i;
        spAddThread(picture, span->ends[0], span->ends[1], 0.1f * overlap.pixel, grey, false);
        for (int k = 0; k < 2; ++k)
        {
            spFloat3 color = spMakeColor(SP_BODY_COLORS[span->bodies[k] % SP_COUNT(SP_BODY_COLORS)]);
            spAddBall(picture, span->ends[k], 0.22f * overlap.pixel, color, false);
        }
    }
    float largest = 0.0f;
    for (int i = 0; i < overlap.gradientCount; ++i)
    {
        largest = fmaxf(largest, spLengthF3(overlap.gradients[i].gradient));
    }
    for (int i = 0; i < overlap.gradientCount && largest > 0.0f; ++i)
    {
        const spDrawnGradient* own = overlap.gradients + i;
        float scale = SP_OVERLAP_RAYS / 4.0f * overlap.pixel / largest;
        spFloat3 color = spMakeColor(SP_BODY_COLORS[own->body % SP_COUNT(SP_BODY_COLORS)]);
        spAddArrow(picture, own->x, spScaleF3(scale, own->gradient), 0.12f * overlap.pixel,
                   spScaleF3(0.6f, color));
    }
    return true;
}

// ---------------------------------------------------------------------------------------------------------
// Frames

// Whether all nodes have the same z: shading then shows nothing, and the edges are drawn instead
static bool spIsFlat(const spPicture* picture, spPointView x)
{
    float tolerance = 1e-4f * picture->stage.radius;
    for (int i = 1; i < x.count; ++i)
    {
        if (!(fabsf(x.data[3 * i + 2] - x.data[2]) <= tolerance))
        {
            return false;
        }
    }
    return true;
}

static bool spAddBodies(spPicture* picture, int frame, bool caster)
{
    const spRecording* recording = picture->recording;
    for (int body = 0; body < recording->bodyCount; ++body)
    {
        float opacity = (float)spGetOpacity(picture->def, body);
        if (opacity == 0.0f)
        {
            continue;
        }
        int before = picture->triangleCount;
        spFloat3 color = spMakeColor(SP_BODY_COLORS[body % SP_COUNT(SP_BODY_COLORS)]);
        const float* values = NULL;
        bool ok = spGetDrawnBody(&picture->heap, recording, frame, body, &picture->drawn) &&
                  spMapNodeValues(picture, frame, body, &values);
        spPointView x = picture->drawn.x;
        int triangleCount = picture->drawn.triangleCount;
        int edgeCount = picture->drawn.edgeCount;
        const int32_t* edges = picture->drawn.edges;
        if (ok && triangleCount > 0 && !caster)
        {
            // Without highlights colours are easier to compare with the legend
            bool hasEdges = picture->def->showEdges || spIsFlat(picture, x);
            uint32_t flags = hasEdges ? (uint32_t)sp_drawWire : 0;
            flags |= values != NULL ? (uint32_t)(sp_drawMapped | sp_drawDull) : 0;
            ok = spAddSurface(picture, &picture->drawn, color, values, flags);
        }
        else if (ok && triangleCount == 0)
        {
            const float* ramped = picture->def->color == sp_colorRegion ? NULL : values;
            ok = spAddThreads(picture, x, edges, edgeCount, color, ramped, caster);
            if (ok && !caster && spIsOutline(picture, x, edges, edgeCount))
            {
                spFloat3 pale = spMixF3(color, spMakeF3(0.9f, 0.9f, 0.9f), 0.55f);
                ok = spAddMembrane(picture, x, edges, edgeCount, pale);
            }
        }
        if (!ok)
        {
            return false;
        }
        for (int i = before; i < picture->triangleCount; ++i)
        {
            picture->triangles[i].opacity = opacity;
            picture->hasTransparent = picture->hasTransparent || opacity < 1.0f;
        }
        for (int i = 0; !caster && i < x.count; ++i)
        {
            spExtendSeen(picture, spLoadF3(x.data + 3 * i));
        }
    }
    return true;
}

static bool spAddColliders(spPicture* picture, int frame)
{
    const spRecording* recording = picture->recording;
    spFloat3 color = spMakeColor(SP_COLLIDER_COLOR);
    picture->stage.groundCount = 0;
    for (int collider = 0; collider < recording->colliderCount; ++collider)
    {
        spTransform transform;
        if (!spRecording_GetColliderTransform(recording, frame, collider, &transform))
        {
            continue;
        }
        const spColliderDef* def = &recording->colliders[collider].def;
        if (def->shape == sp_shapePlane)
        {
            // The y axis of its frame
            spQuat q = transform.rotation;
            spFloat3 normal =
                spMakeF3((float)(2 * (q.x * q.y - q.w * q.z)), (float)(1 - 2 * (q.x * q.x + q.z * q.z)),
                         (float)(2 * (q.y * q.z + q.w * q.x)));
            spFloat3 point = spMakeF3((float)transform.position.x, (float)transform.position.y,
                                      (float)transform.position.z);
            if (picture->def->showGround && normal.y > 0.5f && spIsFiniteF3(normal) && spIsFiniteF3(point))
            {
                spAddGround(&picture->stage, normal, spDotF3(normal, point));
            }
            continue;
        }
        if (!spBuildShape(&picture->heap, &picture->shape, def, &transform) ||
            !spReserveTriangles(picture, picture->shape.triangleCount))
        {
            return false;
        }
        for (int i = 0; i < picture->shape.triangleCount; ++i)
        {
            spDrawTriangle* triangle = picture->triangles + picture->triangleCount++;
            for (int k = 0; k < 3; ++k)
            {
                int vertex = picture->shape.triangles[3 * i + k];
                triangle->x[k] = spLoadF3(picture->shape.positions + 3 * vertex);
                triangle->n[k] = spLoadF3(picture->shape.normals + 3 * vertex);
            }
            triangle->color = color;
            triangle->flags = sp_drawDull;
            triangle->opacity = 1.0f;
        }
    }
    return true;
}

static void spDrawCaption(const spPicture* picture, int frame, uint8_t* rgb)
{
    const spPictureDef* def = picture->def;
    char text[160];
    char overlap[40] = "";
    if (def->showOverlap)
    {
        snprintf(overlap, sizeof(overlap), "   overlap %.3g m^3", picture->overlap);
    }
    snprintf(text, sizeof(text), "t = %.3f s%s%s%.80s", spRecording_GetFrameTime(picture->recording, frame),
             overlap, def->caption != NULL ? "   " : "", def->caption != NULL ? def->caption : "");
    float height = (float)(def->height < def->width ? def->height : def->width);
    float unit = height / 330.0f;
    unit = unit < 1.1f ? 1.1f : unit;
    spTextStyle style = {unit, 0.85f * unit, {52, 62, 76}, 0.85f};
    float margin = 8.0f * unit;
    spDrawText(rgb, def->width, def->height, margin, (float)def->height - margin, text, &style);
}

static void spDrawRegionNames(const spPicture* picture, uint8_t* rgb)
{
    const spPictureDef* def = picture->def;
    char names[SP_MAX_REGIONS][40];
    for (int i = 0; i < picture->regionCount; ++i)
    {
        snprintf(names[i], sizeof(names[i]), "region %d", (int)picture->regions[i]);
        for (int k = 0; k < def->regionNameCount; ++k)
        {
            if (def->regionNames[k].region == (int)picture->regions[i] && def->regionNames[k].name != NULL)
            {
                snprintf(names[i], sizeof(names[i]), "%.39s", def->regionNames[k].name);
            }
        }
    }
    spDrawNames(rgb, def->width, def->height, names, SP_REGION_COLORS, picture->regionCount);
}

// From samples to pixels; a few rows at a time when something is transparent, since each sample then has a list
static bool spResolve(spPicture* picture, uint8_t* rgb)
{
    const spRaster* raster = &picture->raster;
    const spView* view = &picture->stage.view;
    spPrepareGrounds(&picture->stage);
    if (!picture->hasTransparent)
    {
        spResolveRows(&picture->stage, raster, NULL, rgb);
        return true;
    }
    spFragments* fragments = &picture->fragments;
    bool ok = spFindTransparent(fragments, &picture->heap, view, picture->triangles, picture->drawnCount);
    for (int y = 0; ok && y < raster->height; y += SP_BAND_ROWS)
    {
        ok = spGatherFragments(fragments, &picture->heap, raster, view, picture->triangles, y,
                               spMinInt(SP_BAND_ROWS, raster->height - y));
        if (ok)
        {
            spResolveRows(&picture->stage, raster, fragments, rgb);
        }
    }
    return ok;
}

// Draws one frame with a picture that was begun
static bool spDrawFrame(spPicture* picture, int frame, uint8_t* rgb, spError* error)
{
    if (frame < 0 || frame >= picture->recording->frameCount)
    {
        return spFail(error, sp_errorBadIndex, "picture: frame %d of a recording of %d frames", frame,
                      picture->recording->frameCount);
    }

    // What is seen
    spStage* stage = &picture->stage;
    picture->triangleCount = 0;
    picture->isEmpty = true;
    picture->hasTransparent = false;
    bool ok =
        spAddColliders(picture, frame) && spAddBodies(picture, frame, false) && spAddOverlap(picture, frame);
    picture->drawnCount = picture->triangleCount;

    // What only throws shadows
    ok = ok && (stage->groundCount == 0 || spAddBodies(picture, frame, true));
    if (!ok)
    {
        return spFailMemory(error, "picture", picture->heap.byteCount);
    }

    spRaster* raster = &picture->raster;
    memset(raster->depth, 0, raster->depthSize);
    memset(raster->ids, 0, raster->idSize);
    for (int i = 0; i < picture->drawnCount; ++i)
    {
        spDrawTriangle* triangle = picture->triangles + i;
        if (!(triangle->opacity < 1.0f))
        {
            spRasterTriangle(raster, &stage->view, triangle->x, (uint32_t)(i + 1), &triangle->setup);
        }
    }

    stage->triangles = picture->triangles;
    stage->hasShadows = false;
    if (!picture->isEmpty)
    {
        spFloat3 center = spScaleF3(0.5f, spAddF3(picture->seenLow, picture->seenHigh));
        float radius = 0.5f * spLengthF3(spSubF3(picture->seenHigh, picture->seenLow));
        radius = radius < 3.0f * stage->radius ? radius : 3.0f * stage->radius;
        radius = radius > 1e-3f * stage->radius ? radius : 1e-3f * stage->radius;
        spDrawShadows(stage, picture->triangles, picture->triangleCount, center, radius);
    }
    if (!spResolve(picture, rgb))
    {
        return spFailMemory(error, "picture", picture->heap.byteCount);
    }
    if (picture->def->showCaption)
    {
        spDrawCaption(picture, frame, rgb);
    }
    if (picture->def->color == sp_colorRegion)
    {
        spDrawRegionNames(picture, rgb);
    }
    else if (picture->def->color != sp_colorNone)
    {
        const spColouring* colouring = s_colourings + picture->def->color;
        spLegend legend = {colouring->title, colouring->unit, picture->low, picture->high};
        spDrawLegend(rgb, picture->def->width, picture->def->height, &legend);
    }
    return true;
}

bool spDrawPicture(const spRecording* recording, int frame, const spPictureDef* def, uint8_t* rgb,
                   spError* error)
{
    if (!spCheckPicture(recording, def, error))
    {
        return false;
    }
    if (rgb == NULL)
    {
        return spFail(error, sp_errorBadArgument, "picture: no memory for pixels was given");
    }
    spPicture picture;
    bool ok = spBeginPicture(&picture, recording, def, error) && spDrawFrame(&picture, frame, rgb, error);
    spEndPicture(&picture);
    return ok;
}

bool spSavePicture(const spRecording* recording, int frame, const spPictureDef* def, const char* path,
                   spError* error)
{
    return spSaveContactSheet(recording, &frame, 1, 1, def, path, error);
}

// Copies a picture into its place on a sheet
static void spPlacePicture(uint8_t* sheet, int sheetWidth, const uint8_t* rgb, const spPictureDef* def,
                           int column, int row)
{
    size_t bytes = (size_t)def->width * 3;
    for (int y = 0; y < def->height; ++y)
    {
        size_t sheetY = (size_t)row * (size_t)(def->height + SP_SHEET_GAP) + (size_t)y;
        size_t sheetX = (size_t)column * (size_t)(def->width + SP_SHEET_GAP);
        memcpy(sheet + 3 * (sheetY * (size_t)sheetWidth + sheetX), rgb + (size_t)y * bytes, bytes);
    }
}

bool spSaveContactSheet(const spRecording* recording, const int* frames, int frameCount, int columns,
                        const spPictureDef* def, const char* path, spError* error)
{
    if (!spCheckPicture(recording, def, error))
    {
        return false;
    }
    if (frames == NULL || frameCount < 1 || columns < 0 || path == NULL)
    {
        return spFail(error, sp_errorBadArgument, "picture: %d frames in %d columns, or no path", frameCount,
                      columns);
    }
    if (!spHasPng())
    {
        return spSavePng(NULL, 0, 0, path, error);
    }
    columns = columns == 0 || columns > frameCount ? frameCount : columns;
    int rows = (frameCount + columns - 1) / columns;
    int64_t width = (int64_t)columns * (def->width + SP_SHEET_GAP) - SP_SHEET_GAP;
    int64_t height = (int64_t)rows * (def->height + SP_SHEET_GAP) - SP_SHEET_GAP;
    if (width > 4 * SP_MAX_PICTURE_SIZE || height > 4 * SP_MAX_PICTURE_SIZE)
    {
        return spFail(error, sp_errorLimit, "picture: a sheet of %lld by %lld pixels is too large",
                      (long long)width, (long long)height);
    }

    spPicture picture;
    bool ok = spBeginPicture(&picture, recording, def, error);
    size_t pictureSize = (size_t)def->width * (size_t)def->height * 3;
    size_t sheetSize = (size_t)width * (size_t)height * 3;
    uint8_t* rgb = ok ? spAlloc(&picture.heap, pictureSize) : NULL;
    uint8_t* sheet = ok ? spAlloc(&picture.heap, sheetSize) : NULL;
    if (ok && (rgb == NULL || sheet == NULL))
    {
        ok = spFailMemory(error, "picture", pictureSize + sheetSize);
    }
    if (ok)
    {
        memset(sheet, 255, sheetSize);
    }
    for (int i = 0; ok && i < frameCount; ++i)
    {
        ok = spDrawFrame(&picture, frames[i], rgb, error);
        if (ok)
        {
            spPlacePicture(sheet, (int)width, rgb, def, i % columns, i / columns);
        }
    }
    ok = ok && spSavePng(sheet, (int)width, (int)height, path, error);
    spFree(&picture.heap, rgb);
    spFree(&picture.heap, sheet);
    spEndPicture(&picture);
    return ok;
}

bool spDrawPictures(const spRecording* recording, const spExportDef* def, const spPictureDef* pictureDef,
                    spPictureFcn* take, void* context, spError* error)
{
    spExportRange range;
    if (!spCheckPicture(recording, pictureDef, error) || !spFindRange(recording, def, &range, error))
    {
        return false;
    }
    spPicture picture;
    bool ok = spBeginPicture(&picture, recording, pictureDef, error);
    size_t size = (size_t)pictureDef->width * (size_t)pictureDef->height * 3;
    uint8_t* rgb = ok ? spAlloc(&picture.heap, size) : NULL;
    if (ok && rgb == NULL)
    {
        ok = spFailMemory(error, "picture", size);
    }
    for (int i = 0; ok && i < range.frameCount; ++i)
    {
        int frame = range.firstFrame + i * range.frameStride;
        ok = spReportProgress(def, (double)i / range.frameCount, error) &&
             spDrawFrame(&picture, frame, rgb, error) &&
             (take(rgb, frame, context) || spFail(error, sp_errorNone, "cancelled"));
    }
    ok = ok && spReportProgress(def, 1.0, error);
    spFree(&picture.heap, rgb);
    spEndPicture(&picture);
    return ok;
}

// Where pictures go as PNG files
typedef struct spPngSeries
{
    const spExportRange* range;
    const spPictureDef* def;
    spBytes path;
    spError error; // what was wrong with a file
} spPngSeries;

static bool spTakePng(const uint8_t* rgb, int frame, void* context)
{
    spPngSeries* series = context;
    const spExportRange* range = series->range;
    return spSetPath(&series->path, &series->error, "%s/%s_%06d.png", range->folder, range->baseName,
                     frame) &&
           spSavePng(rgb, series->def->width, series->def->height, (const char*)series->path.data,
                     &series->error);
}

bool spExportPng(const spRecording* recording, const spExportDef* def, const spPictureDef* pictureDef,
                 spError* error)
{
    spExportRange range;
    if (!spCheckPicture(recording, pictureDef, error) || (!spHasPng() && !spSavePng(NULL, 0, 0, "", error)) ||
        !spBeginExport(recording, def, &range, error))
    {
        return false;
    }
    spHeap heap = spMakeHeap(NULL);
    spPngSeries series = {.range = &range, .def = pictureDef, .path = {.heap = &heap}};
    bool ok = spDrawPictures(recording, def, pictureDef, spTakePng, &series, error);
    if (!ok && error != NULL && series.error.code != sp_errorNone)
    {
        *error = series.error;
    }
    spFreeBytes(&series.path);
    return ok;
}
