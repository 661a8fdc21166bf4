// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Closed triangle surfaces for layered depth images and their volumes, without bodies.

#pragma once

#include "contact/layers.h"
#include "souple/mesh.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct spClosedSurface
{
    spVec4* x;
    int32_t* triangles; // counterclockwise from outside
    int nodeCount, triangleCount;
} spClosedSurface;

static inline void spFreeClosedSurface(spClosedSurface* s)
{
    free(s->x);
    free(s->triangles);
    *s = (spClosedSurface){0};
}

// Empty where there is no memory
static inline spClosedSurface spAllocClosedSurface(int nodeCount, int triangleCount)
{
    spClosedSurface s = {
        .x = calloc((size_t)nodeCount, sizeof(spVec4)),
        .triangles = calloc((size_t)triangleCount, 3 * sizeof(int32_t)),
        .nodeCount = nodeCount,
        .triangleCount = triangleCount,
    };
    if (s.x == NULL || s.triangles == NULL)
    {
        spFreeClosedSurface(&s);
    }
    return s;
}

static inline void spSetClosedNode(spClosedSurface* s, int node, double x, double y, double z)
{
    s->x[node] = (spVec4){(spReal)x, (spReal)y, (spReal)z, 0};
}

static inline void spSetClosedTriangle(spClosedSurface* s, int triangle, int a, int b, int c)
{
    int32_t* t = s->triangles + 3 * (size_t)triangle;
    t[0] = a, t[1] = b, t[2] = c;
}

static inline spClosedSurface spMakeSphereSurface(spDVec3 center, double radius, int level)
{
    spShellMeshDef def = spDefaultShellMeshDef();
    def.level = level;
    def.radius = radius;
    spMesh* mesh = spMakeIcosphereMesh(&def, NULL);
    spClosedSurface s = {0};
    if (mesh != NULL)
    {
        s = spAllocClosedSurface(spMesh_GetVertexCount(mesh), spMesh_GetTriangleCount(mesh));
    }
    const spDVec3* vertices = mesh != NULL ? spMesh_GetVertices(mesh) : NULL;
    for (int i = 0; i < s.nodeCount; ++i)
    {
        spSetClosedNode(&s, i, vertices[i].x + center.x, vertices[i].y + center.y, vertices[i].z + center.z);
    }
    if (s.nodeCount > 0)
    {
        memcpy(s.triangles, spMesh_GetTriangles(mesh), 3 * (size_t)s.triangleCount * sizeof(int32_t));
    }
    spDestroyMesh(mesh);
    return s;
}

static inline spClosedSurface spMakeTorusSurface(spDVec3 center, double radius, double tube, int around,
                                                 int across)
{
    spClosedSurface s = spAllocClosedSurface(around * across, 2 * around * across);
    for (int i = 0; i < around && s.nodeCount > 0; ++i)
    {
        for (int k = 0; k < across; ++k)
        {
            double a = 2.0 * 3.14159265358979323846 * i / around,
                   b = 2.0 * 3.14159265358979323846 * k / across, r = radius + tube * cos(b);
            int next = (i + 1) % around * across, up = (k + 1) % across, own = i * across;
            spSetClosedNode(&s, own + k, center.x + r * cos(a), center.y + r * sin(a),
                            center.z + tube * sin(b));
            spSetClosedTriangle(&s, 2 * (own + k), own + k, next + k, next + up);
            spSetClosedTriangle(&s, 2 * (own + k) + 1, own + k, next + up, own + up);
        }
    }
    return s;
}

static inline spClosedSurface spMakeBoxSurface(spDVec3 lower, spDVec3 upper)
{
    static const int32_t faces[6][4] = {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                        {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}};
    spClosedSurface s = spAllocClosedSurface(8, 12);
    for (int i = 0; i < s.nodeCount; ++i)
    {
        spSetClosedNode(&s, i, (i & 1) != 0 ? upper.x : lower.x, (i & 2) != 0 ? upper.y : lower.y,
                        (i & 4) != 0 ? upper.z : lower.z);
    }
    for (int i = 0; i < 6 && s.nodeCount > 0; ++i)
    {
        spSetClosedTriangle(&s, 2 * i, faces[i][0], faces[i][1], faces[i][2]);
        spSetClosedTriangle(&s, 2 * i + 1, faces[i][0], faces[i][2], faces[i][3]);
    }
    return s;
}

// Both in one
static inline spClosedSurface spJoinClosedSurfaces(const spClosedSurface* a, const spClosedSurface* b)
{
    spClosedSurface s =
        spAllocClosedSurface(a->nodeCount + b->nodeCount, a->triangleCount + b->triangleCount);
    if (s.nodeCount == 0)
    {
        return s;
    }
    memcpy(s.x, a->x, (size_t)a->nodeCount * sizeof(spVec4));
    memcpy(s.x + a->nodeCount, b->x, (size_t)b->nodeCount * sizeof(spVec4));
    memcpy(s.triangles, a->triangles, 3 * (size_t)a->triangleCount * sizeof(int32_t));
    for (int i = 0; i < 3 * b->triangleCount; ++i)
    {
        s.triangles[3 * a->triangleCount + i] = b->triangles[i] + a->nodeCount;
    }
    return s;
}

// Turns it about an axis through the origin, then moves it
static inline void spPoseClosedSurface(spClosedSurface* s, spDVec3 axis, double angle, spDVec3 shift)
{
    spDVec3 n = spDScale(1.0 / spDLength(axis), axis);
    for (int i = 0; i < s->nodeCount; ++i)
    {
        spDVec3 p = {(double)s->x[i].x, (double)s->x[i].y, (double)s->x[i].z};
        spDVec3 turned = spDAdd(spDScale(cos(angle), p), spDScale(sin(angle), spDCross(n, p)));
        turned = spDAdd(spDMulAdd(turned, (1.0 - cos(angle)) * spDDot(n, p), n), shift);
        spSetClosedNode(s, i, turned.x, turned.y, turned.z);
    }
}

static inline spBox spGetClosedSurfaceBox(const spClosedSurface* s)
{
    spBox box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int i = 0; i < s->nodeCount; ++i)
    {
        spDVec3 p = {(double)s->x[i].x, (double)s->x[i].y, (double)s->x[i].z};
        box = (spBox){spDMin(box.lower, p), spDMax(box.upper, p)};
    }
    return box;
}

static inline spLayerSurface spGetLayerSurfaceOf(const spClosedSurface* s)
{
    return (spLayerSurface){s->x, s->nodeCount, s->triangles, s->triangleCount};
}

// Exact volume of two balls of radius r with a distance d between their centres, m^3
static inline double spGetLensVolume(double r, double d)
{
    return d < 2.0 * r ? 3.14159265358979323846 * (4.0 * r + d) * (2.0 * r - d) * (2.0 * r - d) / 12.0 : 0.0;
}
