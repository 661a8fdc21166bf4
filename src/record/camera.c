// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Cameras: what moves where, and from where all of it can be seen.

#include "record/camera.h"

#include "base/core.h"
#include "math/quat.h"
#include "record/recording.h"

#include <math.h>

// Frames that are looked at to find out what moves where
#define SP_MOTION_FRAMES 240

// A body that flies further than this many first boxes away is not followed
#define SP_MOTION_REACH 50.0

#define SP_FIT_MARGIN 1.08
#define SP_FIT_ANGLE 32.0

static const double SP_CAMERA_PI = 3.14159265358979323846;

// Points that are not finite, or beyond the limit, do not count; limit may be NULL
static void spAddPoint(spMotionBox* box, const double p[3], const spMotionBox* limit)
{
    bool inside = true;
    for (int k = 0; k < 3; ++k)
    {
        inside = inside && isfinite(p[k]) && fabs(p[k]) < 1e9 &&
                 (limit == NULL || (p[k] >= limit->low[k] && p[k] <= limit->high[k]));
    }
    for (int k = 0; inside && k < 3; ++k)
    {
        box->low[k] = box->isEmpty || p[k] < box->low[k] ? p[k] : box->low[k];
        box->high[k] = box->isEmpty || p[k] > box->high[k] ? p[k] : box->high[k];
    }
    box->isEmpty = box->isEmpty && !inside;
}

static void spExtendBox(spMotionBox* box, const spRecording* recording, int frame, const spMotionBox* limit)
{
    for (int body = 0; body < spRecording_GetBodyCount(recording); ++body)
    {
        spPointView x = spRecording_GetPositions(recording, frame, body);
        const spTopologyEntry* topology = spGetTopologyEntry(recording, frame, body);
        bool surface = x.count > 0 && topology->surfaceVertexCount > 0;
        int count = surface ? topology->surfaceVertexCount : x.count;
        for (int i = 0; i < count; ++i)
        {
            float mapped[3];
            const float* point = surface ? mapped : x.data + 3 * i;
            if (surface)
            {
                spMapToSurface(topology, x.data, 3, i, mapped);
            }
            double p[3] = {(double)point[0], (double)point[1], (double)point[2]};
            spAddPoint(box, p, limit);
        }
    }
}

static double spGetDiagonal(const spMotionBox* box)
{
    double sum = 0.0;
    for (int k = 0; k < 3; ++k)
    {
        sum += (box->high[k] - box->low[k]) * (box->high[k] - box->low[k]);
    }
    return sqrt(sum);
}

// Half the sides of a collider in its frame, m; false where it has none that are worth a look: planes, landscapes
static bool spGetHalfSides(const spColliderDef* def, double half[3])
{
    int sizes = spShape_GetSizes(def->shape);
    double radius = (double)def->radius;
    bool hasRadius = (sizes & sp_sizeRadius) != 0, hasHeight = (sizes & sp_sizeHalfHeight) != 0;
    if ((sizes & sp_sizeHalfSize) != 0)
    {
        half[0] = (double)def->halfSize.x;
        half[1] = (double)def->halfSize.y;
        half[2] = (double)def->halfSize.z;
        return true;
    }
    half[0] = half[2] = radius;
    half[1] = hasHeight ? (double)def->halfHeight + radius : radius;
    return hasRadius;
}

// Colliders that are no larger than the motion, and not far from it, belong to it
static void spExtendByColliders(spMotionBox* box, const spRecording* recording, int frame, double most,
                                const spMotionBox* limit)
{
    for (int i = 0; i < spRecording_GetColliderCount(recording); ++i)
    {
        spColliderDef def = spRecording_GetColliderDef(recording, i);
        spTransform pose;
        double half[3];
        if (spGetHalfSides(&def, half) == false ||
            2.0 * sqrt(half[0] * half[0] + half[1] * half[1] + half[2] * half[2]) > most ||
            spRecording_GetColliderTransform(recording, frame, i, &pose) == false)
        {
            continue;
        }
        for (int corner = 0; corner < 8; ++corner)
        {
            spVec3 local = {(spReal)((corner & 1) != 0 ? half[0] : -half[0]),
                            (spReal)((corner & 2) != 0 ? half[1] : -half[1]),
                            (spReal)((corner & 4) != 0 ? half[2] : -half[2])};
            spVec3 world = spTransformPoint(pose, local);
            const double p[3] = {(double)world.x, (double)world.y, (double)world.z};
            spAddPoint(box, p, limit);
        }
    }
}

spMotionBox spMeasureMotion(const spRecording* recording)
{
    int count = spRecording_GetFrameCount(recording);
    spMotionBox first = {.isEmpty = true};
    for (int frame = 0; frame < count && first.isEmpty; ++frame)
    {
        spExtendBox(&first, recording, frame, NULL);
    }
    if (first.isEmpty)
    {
        return first;
    }

    spMotionBox limit = first;
    double reach = SP_MOTION_REACH * (spGetDiagonal(&first) + 1e-6);
    for (int k = 0; k < 3; ++k)
    {
        limit.low[k] -= reach;
        limit.high[k] += reach;
    }
    spMotionBox box = first;
    int looked = spMinInt(count, SP_MOTION_FRAMES);
    for (int i = 0; i < looked; ++i)
    {
        int frame = looked > 1 ? (int)((int64_t)i * (count - 1) / (looked - 1)) : 0;
        spExtendBox(&box, recording, frame, &limit);
    }
    double size = spGetDiagonal(&box);
    for (int i = 0; i < looked; ++i)
    {
        int frame = looked > 1 ? (int)((int64_t)i * (count - 1) / (looked - 1)) : 0;
        spExtendByColliders(&box, recording, frame, size, &limit);
    }
    return box;
}

spCamera spFitCamera(const spRecording* recording, double aspect)
{
    spMotionBox box = spMeasureMotion(recording);
    if (box.isEmpty)
    {
        box = (spMotionBox){{-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}, false};
    }
    double size = spGetDiagonal(&box);
    size = size > 1e-6 ? size : 1e-6;

    // A motion in the xy plane is looked at from the front
    bool flat = box.high[2] - box.low[2] < 0.02 * size;
    double azimuth = (flat ? 0.0 : 30.0) * SP_CAMERA_PI / 180.0;
    double elevation = (flat ? 5.0 : 17.0) * SP_CAMERA_PI / 180.0;
    double back[3] = {sin(azimuth) * cos(elevation), sin(elevation), cos(azimuth) * cos(elevation)};
    double right[3] = {cos(azimuth), 0.0, -sin(azimuth)};
    double up[3] = {-sin(azimuth) * sin(elevation), cos(elevation), -cos(azimuth) * sin(elevation)};

    double center[3];
    for (int k = 0; k < 3; ++k)
    {
        center[k] = 0.5 * (box.low[k] + box.high[k]);
    }

    // As near as all corners allow: |r| / (distance - b) <= tan of the half angle
    double tanV = tan(0.5 * SP_FIT_ANGLE * SP_CAMERA_PI / 180.0) / SP_FIT_MARGIN;
    double tanH = tanV * (isfinite(aspect) && aspect > 0.0 ? aspect : 1.0);
    double distance = 0.0;
    for (int corner = 0; corner < 8; ++corner)
    {
        double r = 0.0, u = 0.0, b = 0.0;
        for (int k = 0; k < 3; ++k)
        {
            double d = ((corner >> k & 1) != 0 ? box.high[k] : box.low[k]) - center[k];
            r += d * right[k];
            u += d * up[k];
            b += d * back[k];
        }
        distance = fmax(distance, fmax(b + fabs(r) / tanH, b + fabs(u) / tanV));
    }
    distance = fmax(distance, 0.8 * size);

    spCamera camera = {0};
    camera.target = (spDVec3){center[0], center[1], center[2]};
    camera.eye = (spDVec3){center[0] + distance * back[0], center[1] + distance * back[1],
                           center[2] + distance * back[2]};
    camera.up = (spDVec3){0.0, 1.0, 0.0};
    camera.fieldOfView = SP_FIT_ANGLE;
    return camera;
}

static spFloat3 spToFloat3(spDVec3 a)
{
    return spMakeF3((float)a.x, (float)a.y, (float)a.z);
}

bool spMakeView(const spCamera* camera, int width, int height, spView* view)
{
    spFloat3 eye = spToFloat3(camera->eye);
    spFloat3 target = spToFloat3(camera->target);
    spFloat3 up = spToFloat3(camera->up);
    if (!spIsFiniteF3(eye) || !spIsFiniteF3(target) || !spIsFiniteF3(up) ||
        !(camera->fieldOfView >= 1.0 && camera->fieldOfView <= 170.0))
    {
        return false;
    }
    spFloat3 forward = spNormalizeF3(spSubF3(target, eye));
    spFloat3 right = spNormalizeF3(spCrossF3(forward, spNormalizeF3(up)));
    float distance = spLengthF3(spSubF3(target, eye));
    if (!(spDotF3(forward, forward) > 0.5f) || !(spDotF3(right, right) > 0.5f) || !isfinite(distance))
    {
        return false;
    }

    view->eye = eye;
    view->forward = forward;
    view->right = right;
    view->up = spCrossF3(right, forward);
    view->focal = (float)(0.5 * height / tan(0.5 * camera->fieldOfView * SP_CAMERA_PI / 180.0));
    view->centerX = 0.5f * (float)width;
    view->centerY = 0.5f * (float)height;
    view->nearest = 1e-3f * distance;
    view->width = width;
    view->height = height;
    return true;
}
