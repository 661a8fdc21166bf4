// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// A. Jacobson, L. Kavan, O. Sorkine-Hornung. Robust Inside-Outside Segmentation using Generalized Winding
// Numbers. 2013. Triangles far away are summed up as in: G. Barill, N. Dickson, R. Schmidt, D. I. W. Levin, A.
// Jacobson. Fast Winding Numbers for Soups and Clouds. 2018, up to the first moment. The solid angle of a
// triangle follows A. van Oosterom, J. Strackee, 1983.

#include "mesh/winding.h"

#include "base/error.h"
#include "mesh/mesh_math.h"

#define SP_FOUR_PI 12.566370614359172

// A node is far away from a point at this many times its radius
#define SP_FAR_AWAY 2.0

// Crossings closer together than this part of the segment are one: an edge that triangles share
#define SP_SAME_CROSSING 1.0e-9

static const int32_t* spGetTriangle(const spElementTree* boxes, int place)
{
    return boxes->elements + 3 * (int64_t)boxes->sorted[place];
}

// Places in `sorted` below a node. Leaves stand from left to right, so that those below a node are a run.
static void spFindRun(const spElementTree* boxes, int node, int* begin, int* end)
{
    int first = node, last = node;
    while (first < boxes->leafCount - 1)
    {
        first = 2 * first + 1;
        last = 2 * last + 2;
    }
    *begin = spLeafBegin(boxes, first - (boxes->leafCount - 1));
    *end = spLeafBegin(boxes, last - (boxes->leafCount - 1) + 1);
}

static spDVec3 spMiddle(const spDVec3* vertices, const int32_t* t)
{
    return spDScale(1.0 / 3.0, spDAdd(spDAdd(vertices[t[0]], vertices[t[1]]), vertices[t[2]]));
}

static spWindingNode spSumNode(const spElementTree* boxes, int index)
{
    spWindingNode node = {0};
    int begin, end;
    double area = 0.0;
    spFindRun(boxes, index, &begin, &end);
    for (int i = begin; i < end; ++i)
    {
        const int32_t* t = spGetTriangle(boxes, i);
        spDVec3 normal = spDScale(0.5, spTriangleNormal(boxes->vertices, t));
        double a = spDLength(normal);
        node.center = spDMulAdd(node.center, a, spMiddle(boxes->vertices, t));
        node.dipole = spDAdd(node.dipole, normal);
        area += a;
    }
    if (area > 0.0)
    {
        node.center = spDScale(1.0 / area, node.center);
    }
    for (int i = begin; i < end; ++i)
    {
        const int32_t* t = spGetTriangle(boxes, i);
        spDVec3 n = spDScale(0.5, spTriangleNormal(boxes->vertices, t));
        spDVec3 d = spDSub(spMiddle(boxes->vertices, t), node.center);
        node.first[0] += d.x * n.x;
        node.first[1] += d.y * n.y;
        node.first[2] += d.z * n.z;
        node.first[3] += d.x * n.y + d.y * n.x;
        node.first[4] += d.x * n.z + d.z * n.x;
        node.first[5] += d.y * n.z + d.z * n.y;
    }
    const spBox* box = boxes->boxes + index;
    spDVec3 reach = spDMax(spDSub(box->upper, node.center), spDSub(node.center, box->lower));
    node.reach2 = SP_FAR_AWAY * SP_FAR_AWAY * spDDot(reach, reach);
    return node;
}

bool spBuildWindingTree(spHeap* heap, const spMesh* surface, spWindingTree* tree, spError* error)
{
    *tree = (spWindingTree){0};
    if (!spBuildElementTree(heap, surface, &tree->boxes, error))
    {
        return false;
    }
    int64_t count = 2 * (int64_t)tree->boxes.leafCount - 1;
    size_t size = spArraySize(count, sizeof(spWindingNode));
    tree->nodes = spAlloc(heap, size);
    if (tree->nodes == NULL)
    {
        spFreeElementTree(heap, &tree->boxes);
        return spFailMemory(error, "a tree of triangles", size);
    }
    for (int i = 0; i < count; ++i)
    {
        tree->nodes[i] = spSumNode(&tree->boxes, i);
    }
    return true;
}

void spFreeWindingTree(spHeap* heap, spWindingTree* tree)
{
    spFreeElementTree(heap, &tree->boxes);
    spFree(heap, tree->nodes);
    *tree = (spWindingTree){0};
}

// Solid angle of a triangle, seen from a point
static double spTriangleAngle(const spDVec3* vertices, const int32_t* t, spDVec3 point)
{
    spDVec3 a = spDSub(vertices[t[0]], point);
    spDVec3 b = spDSub(vertices[t[1]], point);
    spDVec3 c = spDSub(vertices[t[2]], point);
    double la = spDLength(a), lb = spDLength(b), lc = spDLength(c);
    double volume = spDDet(a, b, c);
    if (volume == 0.0)
    {
        return 0.0; // in its plane: neither side is meant, also where several triangles meet
    }
    double cosine = la * lb * lc + spDDot(a, b) * lc + spDDot(b, c) * la + spDDot(c, a) * lb;
    return 2.0 * atan2(volume, cosine);
}

// Solid angle of a node that is far away: r . dipole / |r|^3 + trace / |r|^3 - 3 r . first r / |r|^5
static double spNodeAngle(const spWindingNode* node, spDVec3 r, double distance2)
{
    const double* m = node->first;
    double quadratic =
        r.x * (m[0] * r.x + m[3] * r.y + m[4] * r.z) + r.y * (m[1] * r.y + m[5] * r.z) + r.z * m[2] * r.z;
    double sum = spDDot(r, node->dipole) + m[0] + m[1] + m[2] - 3.0 * quadratic / distance2;
    return sum / (distance2 * sqrt(distance2));
}

double spGetWinding(const spWindingTree* tree, spDVec3 point)
{
    const spElementTree* boxes = &tree->boxes;
    int stack[64], depth = 0;
    double angle = 0.0;
    stack[depth++] = 0;
    while (depth > 0)
    {
        int index = stack[--depth];
        const spWindingNode* node = tree->nodes + index;
        spDVec3 r = spDSub(node->center, point);
        double distance2 = spDDot(r, r);
        if (distance2 > node->reach2)
        {
            angle += spNodeAngle(node, r, distance2);
        }
        else if (index < boxes->leafCount - 1)
        {
            stack[depth++] = 2 * index + 2;
            stack[depth++] = 2 * index + 1;
        }
        else
        {
            int leaf = index - (boxes->leafCount - 1);
            for (int i = spLeafBegin(boxes, leaf); i < spLeafBegin(boxes, leaf + 1); ++i)
            {
                angle += spTriangleAngle(boxes->vertices, spGetTriangle(boxes, i), point);
            }
        }
    }
    return angle / SP_FOUR_PI;
}

// Where a segment crosses a triangle, as a part of its length; negative when it does not. A segment through an
// edge is never missed: the volumes that decide are the same numbers for both triangles there.
static double spCrossTriangle(const spDVec3* vertices, const int32_t* t, spDVec3 a, spDVec3 b)
{
    spDVec3 direction = spDSub(b, a);
    spDVec3 p = spDSub(vertices[t[0]], a), q = spDSub(vertices[t[1]], a), r = spDSub(vertices[t[2]], a);
    double u = spDDet(direction, p, q), v = spDDet(direction, q, r), w = spDDet(direction, r, p);
    if ((u < 0.0 || v < 0.0 || w < 0.0) && (u > 0.0 || v > 0.0 || w > 0.0))
    {
        return -1.0;
    }
    spDVec3 normal = spDCross(spDSub(q, p), spDSub(r, p));
    double from = spDDot(normal, p), along = spDDot(normal, direction);
    double part = from / along; // not a number where the segment lies in the plane
    return part >= 0.0 && part <= 1.0 ? part : -1.0;
}

// Puts a part into an ascending list unless it is there. Returns the new count.
static int spInsertPart(double* parts, int count, double part)
{
    int place = count;
    while (place > 0 && parts[place - 1] > part)
    {
        place -= 1;
    }
    bool known = (place > 0 && part - parts[place - 1] < SP_SAME_CROSSING) ||
                 (place < count && parts[place] - part < SP_SAME_CROSSING);
    if (known)
    {
        return count;
    }
    for (int i = count; i > place; --i)
    {
        parts[i] = parts[i - 1];
    }
    parts[place] = part;
    return count + 1;
}

static bool spBoxesMeet(const spBox* box, spDVec3 lower, spDVec3 upper)
{
    return box->lower.x <= upper.x && box->upper.x >= lower.x && box->lower.y <= upper.y &&
           box->upper.y >= lower.y && box->lower.z <= upper.z && box->upper.z >= lower.z;
}

int spFindCrossings(const spElementTree* boxes, spDVec3 a, spDVec3 b, double* parts, int capacity)
{
    spDVec3 lower = spDMin(a, b), upper = spDMax(a, b);
    int stack[64], depth = 0, count = 0;
    stack[depth++] = 0;
    while (depth > 0)
    {
        int index = stack[--depth];
        if (!spBoxesMeet(boxes->boxes + index, lower, upper))
        {
            continue;
        }
        if (index < boxes->leafCount - 1)
        {
            stack[depth++] = 2 * index + 2;
            stack[depth++] = 2 * index + 1;
            continue;
        }
        int leaf = index - (boxes->leafCount - 1);
        for (int i = spLeafBegin(boxes, leaf); i < spLeafBegin(boxes, leaf + 1); ++i)
        {
            double part = spCrossTriangle(boxes->vertices, spGetTriangle(boxes, i), a, b);
            if (part >= 0.0 && count == capacity)
            {
                return capacity + 1;
            }
            count = part >= 0.0 ? spInsertPart(parts, count, part) : count;
        }
    }
    return count;
}
