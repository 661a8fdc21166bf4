// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Choosing nodes of a body by a region, and turning the rotations of a scene into quaternions.

#include "scene/build.h"

#include <math.h>
#include <stdlib.h>

static spQuat spMultiply(spQuat a, spQuat b)
{
    return (spQuat){
        a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
        a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
        a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w,
        a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z,
    };
}

static spQuat spTurn(spDVec3 axis, double degrees)
{
    double length = sqrt(axis.x * axis.x + axis.y * axis.y + axis.z * axis.z);
    double angle = 0.5 * SP_DEGREE * fmod(degrees, 720.0);
    double s = length > 0.0 ? sin(angle) / length : 0.0;
    return (spQuat){(spReal)(s * axis.x), (spReal)(s * axis.y), (spReal)(s * axis.z), (spReal)cos(angle)};
}

static spQuat spNormalizeRotation(spQuat q)
{
    double length = sqrt((double)q.x * q.x + (double)q.y * q.y + (double)q.z * q.z + (double)q.w * q.w);
    return (spQuat){(spReal)(q.x / length), (spReal)(q.y / length), (spReal)(q.z / length),
                    (spReal)(q.w / length)};
}

spQuat spMakeRotation(const spRotationData* rotation)
{
    if (rotation->head.schema != NULL && spIsGiven(&rotation->head, &rotation->euler))
    {
        spQuat x = spTurn((spDVec3){1, 0, 0}, rotation->euler.x);
        spQuat y = spTurn((spDVec3){0, 1, 0}, rotation->euler.y);
        spQuat z = spTurn((spDVec3){0, 0, 1}, rotation->euler.z);
        return spNormalizeRotation(spMultiply(z, spMultiply(y, x)));
    }
    return spNormalizeRotation(spTurn(rotation->axis, rotation->angle));
}

spTransform spMakePlacement(const spPlacementData* placement)
{
    return (spTransform){spToVec3(placement->position), spMakeRotation(&placement->rotation)};
}

// The shorter way round, evenly
static spQuat spInterpolate(spQuat a, spQuat b, double t)
{
    double dot = (double)a.x * b.x + (double)a.y * b.y + (double)a.z * b.z + (double)a.w * b.w;
    double sign = dot < 0.0 ? -1.0 : 1.0;
    double angle = acos(fmin(fabs(dot), 1.0));
    double s = sin(angle);
    double wa = s > 1e-6 ? sin((1.0 - t) * angle) / s : 1.0 - t;
    double wb = sign * (s > 1e-6 ? sin(t * angle) / s : t);
    return spNormalizeRotation((spQuat){(spReal)(wa * a.x + wb * b.x), (spReal)(wa * a.y + wb * b.y),
                                        (spReal)(wa * a.z + wb * b.z), (spReal)(wa * a.w + wb * b.w)});
}

static spTransform spGetKeyframePose(spTransform start, const spKeyframeData* frame)
{
    spTransform pose = start;
    if (spIsGiven(&frame->head, &frame->position))
    {
        pose.position = spToVec3(frame->position);
    }
    if (spIsGiven(&frame->head, &frame->rotation))
    {
        pose.rotation = spMakeRotation(&frame->rotation);
    }
    return pose;
}

// At the keyframes of a smooth motion: along the way from the one before to the one after; none at its ends, m/s
static spDVec3 spGetKeyframeVelocity(spTransform start, const spMotionData* motion, int index)
{
    const spKeyframeData* frames = motion->keyframes.data;
    if (index == 0 || index == motion->keyframes.count - 1)
    {
        return (spDVec3){0.0, 0.0, 0.0};
    }
    spVec3 a = spGetKeyframePose(start, &frames[index - 1]).position;
    spVec3 b = spGetKeyframePose(start, &frames[index + 1]).position;
    double rate = 1.0 / (frames[index + 1].time - frames[index - 1].time);
    return (spDVec3){rate * ((double)b.x - (double)a.x), rate * ((double)b.y - (double)a.y),
                     rate * ((double)b.z - (double)a.z)};
}

// The cubic from a to b with these slopes, at t from 0 to 1
static double spGetCubic(double a, double b, double slopeA, double slopeB, double t)
{
    double s = 1.0 - t;
    return s * s * ((1.0 + 2.0 * t) * a + t * slopeA) + t * t * ((1.0 + 2.0 * s) * b - s * slopeB);
}

static spTransform spGetKeyframesPose(spTransform start, const spMotionData* motion, double time)
{
    const spKeyframeData* frames = motion->keyframes.data;
    int count = motion->keyframes.count;
    double first = frames[0].time, last = frames[count - 1].time;
    if (motion->loop && time > last)
    {
        time = first + fmod(time - first, last - first);
    }
    int next = 0;
    while (next < count && frames[next].time <= time)
    {
        next += 1;
    }
    if (next == 0 || next == count)
    {
        return spGetKeyframePose(start, &frames[next == 0 ? 0 : count - 1]);
    }
    spTransform a = spGetKeyframePose(start, &frames[next - 1]);
    spTransform b = spGetKeyframePose(start, &frames[next]);
    double h = frames[next].time - frames[next - 1].time, t = (time - frames[next - 1].time) / h;
    if (motion->smooth)
    {
        spDVec3 from = spGetKeyframeVelocity(start, motion, next - 1),
                to = spGetKeyframeVelocity(start, motion, next);
        a.position.x =
            (spReal)spGetCubic((double)a.position.x, (double)b.position.x, h * from.x, h * to.x, t);
        a.position.y =
            (spReal)spGetCubic((double)a.position.y, (double)b.position.y, h * from.y, h * to.y, t);
        a.position.z =
            (spReal)spGetCubic((double)a.position.z, (double)b.position.z, h * from.z, h * to.z, t);
        a.rotation = spInterpolate(a.rotation, b.rotation, t * t * (3.0 - 2.0 * t));
        return a;
    }
    spReal u = (spReal)t;
    a.position.x += u * (b.position.x - a.position.x);
    a.position.y += u * (b.position.y - a.position.y);
    a.position.z += u * (b.position.z - a.position.z);
    a.rotation = spInterpolate(a.rotation, b.rotation, t);
    return a;
}

spTransform spGetMotionPose(spTransform start, const spMotionData* motion, double time)
{
    if (motion->keyframes.count > 0)
    {
        return spGetKeyframesPose(start, motion, time);
    }
    spTransform pose = start;
    if (spIsGiven(&motion->head, &motion->sinusoid))
    {
        const spSinusoidData* s = &motion->sinusoid;
        double length = sqrt(s->axis.x * s->axis.x + s->axis.y * s->axis.y + s->axis.z * s->axis.z);
        double angle = 2.0 * 3.14159265358979323846 * s->frequency * time + SP_DEGREE * s->phase;
        double excursion = s->amplitude * sin(angle) / length;
        pose.position.x += (spReal)(excursion * s->axis.x);
        pose.position.y += (spReal)(excursion * s->axis.y);
        pose.position.z += (spReal)(excursion * s->axis.z);
    }
    if (spIsGiven(&motion->head, &motion->spin))
    {
        spQuat turn = spTurn(motion->spin.axis, motion->spin.rate * time);
        pose.rotation = spNormalizeRotation(spMultiply(turn, pose.rotation));
    }
    return pose;
}

// ---------------------------------------------------------------------------------------------------------
// Regions

typedef struct spNear
{
    double distance;
    int32_t node;
} spNear;

static int spCompareNear(const void* a, const void* b)
{
    const spNear *p = a, *q = b;
    if (p->distance != q->distance)
    {
        return p->distance < q->distance ? -1 : 1;
    }
    return p->node < q->node ? -1 : p->node > q->node;
}

static double spSquaredDistance(spVec3 a, spDVec3 b)
{
    double x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
    return x * x + y * y + z * z;
}

static bool spSelectNearest(spHeap* heap, const spNearestData* nearest, const spVec3* positions,
                            int nodeCount, spNodeList* nodes)
{
    size_t size = spArraySize(nodeCount, sizeof(spNear));
    spNear* near = spAlloc(heap, size);
    if (near == NULL)
    {
        return false;
    }
    for (int i = 0; i < nodeCount; ++i)
    {
        near[i] = (spNear){spSquaredDistance(positions[i], nearest->point), i};
    }
    qsort(near, (size_t)nodeCount, sizeof(spNear), spCompareNear);
    nodes->count = spMinInt(nearest->count, nodeCount);
    for (int i = 0; i < nodes->count; ++i)
    {
        nodes->data[i] = near[i].node;
    }
    spFree(heap, near);
    return true;
}

static bool spIsInside(const spRegionData* region, spVec3 x)
{
    const spObjectHead* head = &region->head;
    if (spIsGiven(head, &region->box))
    {
        // Rounding while the mesh was placed must not push a node through the face that it lies on
        spDVec3 lower = region->box.lower, upper = region->box.upper;
        double slack = 1e-6 * (1.0 + fmax(fabs((double)x.x), fmax(fabs((double)x.y), fabs((double)x.z))));
        return x.x >= lower.x - slack && x.x <= upper.x + slack && x.y >= lower.y - slack &&
               x.y <= upper.y + slack && x.z >= lower.z - slack && x.z <= upper.z + slack;
    }
    double radius = region->sphere.radius;
    return spSquaredDistance(x, region->sphere.center) <= radius * radius;
}

// Node numbers as given, each once
static bool spSelectListed(const spRegionData* region, int nodeCount, spNodeList* nodes, spProblems* problems)
{
    const int32_t* given = region->nodes.data;
    for (int i = 0; i < region->nodes.count; ++i)
    {
        if (given[i] >= nodeCount)
        {
            spReport(problems, &region->head, &region->nodes, "node %d does not exist: the body has %d nodes",
                     given[i], nodeCount);
            nodes->count = 0;
            return true;
        }
    }

    // Mark, then collect: ascending, without copies
    for (int i = 0; i < nodeCount; ++i)
    {
        nodes->data[i] = 0;
    }
    for (int i = 0; i < region->nodes.count; ++i)
    {
        nodes->data[given[i]] = 1;
    }
    int count = 0;
    for (int i = 0; i < nodeCount; ++i)
    {
        if (nodes->data[i] != 0)
        {
            nodes->data[count++] = i;
        }
    }
    nodes->count = count;
    return true;
}

bool spSelectNodes(spHeap* heap, const spRegionData* region, const spVec3* positions, int nodeCount,
                   spNodeList* nodes, spProblems* problems)
{
    const spObjectHead* head = &region->head;
    *nodes = (spNodeList){.capacity = nodeCount};
    nodes->data = spAlloc(heap, spArraySize(nodeCount, sizeof(int32_t)));
    if (nodes->data == NULL)
    {
        return false;
    }
    bool listed = spIsGiven(head, &region->nodes) && region->nodes.count >= 0;
    if (listed)
    {
        return spSelectListed(region, nodeCount, nodes, problems);
    }
    if (spIsGiven(head, &region->nearest))
    {
        if (!spSelectNearest(heap, &region->nearest, positions, nodeCount, nodes))
        {
            spFreeNodes(heap, nodes);
            return false;
        }
        return true;
    }
    bool all = spIsGiven(head, &region->nodes);
    for (int i = 0; i < nodeCount; ++i)
    {
        if (all || spIsInside(region, positions[i]))
        {
            nodes->data[nodes->count++] = i;
        }
    }
    if (nodes->count == 0)
    {
        spReport(problems, head, NULL, "no node of the body is in this region");
    }
    return true;
}

void spFreeNodes(spHeap* heap, spNodeList* nodes)
{
    spFree(heap, nodes->data);
    *nodes = (spNodeList){0};
}
