// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Tessellated spheres, capsules, boxes and cylinders; shapes that have triangles as they are.

#include "record/shape.h"

#include "math/quat.h"
#include "math/vec3.h"

#include <math.h>

#define SP_RING_SIDES 48
#define SP_RING_COUNT 24

static const double SP_SHAPE_PI = 3.14159265358979323846;

static void spAddShapeVertex(spShapeMesh* mesh, const spTransform* transform, spVec3 position, spVec3 normal)
{
    spVec3 x = spAdd3(spRotate(transform->rotation, position), transform->position);
    spVec3 n = spRotate(transform->rotation, normal);
    float* p = mesh->positions + 3 * mesh->vertexCount;
    float* q = mesh->normals + 3 * mesh->vertexCount;
    p[0] = (float)x.x, p[1] = (float)x.y, p[2] = (float)x.z;
    q[0] = (float)n.x, q[1] = (float)n.y, q[2] = (float)n.z;
    mesh->vertexCount += 1;
}

static void spAddShapeTriangle(spShapeMesh* mesh, int a, int b, int c)
{
    int32_t* t = mesh->triangles + 3 * mesh->triangleCount++;
    t[0] = a, t[1] = b, t[2] = c;
}

// Rings from the upper pole to the lower one; the lower half is moved down by the height of the cylinder
static void spAddRound(spShapeMesh* mesh, const spTransform* transform, double radius, double halfHeight)
{
    for (int ring = 0; ring <= SP_RING_COUNT + 1; ++ring)
    {
        // The equator comes twice: once up, once down
        int step = ring <= SP_RING_COUNT / 2 ? ring : ring - 1;
        double shift = ring <= SP_RING_COUNT / 2 ? halfHeight : -halfHeight;
        double polar = SP_SHAPE_PI * step / SP_RING_COUNT;
        for (int side = 0; side < SP_RING_SIDES; ++side)
        {
            double angle = 2.0 * SP_SHAPE_PI * side / SP_RING_SIDES;
            spVec3 n = {(spReal)(sin(polar) * cos(angle)), (spReal)cos(polar),
                        (spReal)(sin(polar) * sin(angle))};
            spVec3 x = {(spReal)(radius * (double)n.x), (spReal)(radius * (double)n.y + shift),
                        (spReal)(radius * (double)n.z)};
            spAddShapeVertex(mesh, transform, x, n);
        }
    }
    for (int ring = 0; ring <= SP_RING_COUNT; ++ring)
    {
        for (int side = 0; side < SP_RING_SIDES; ++side)
        {
            int next = (side + 1) % SP_RING_SIDES;
            int a = ring * SP_RING_SIDES + side;
            int b = ring * SP_RING_SIDES + next;
            int c = a + SP_RING_SIDES;
            int d = b + SP_RING_SIDES;
            spAddShapeTriangle(mesh, a, b, c);
            spAddShapeTriangle(mesh, b, d, c);
        }
    }
}

// Six sides with four vertices of their own, so that edges stay sharp
static void spAddBox(spShapeMesh* mesh, const spTransform* transform, spVec3 halfSize)
{
    const spReal h[3] = {halfSize.x, halfSize.y, halfSize.z};
    for (int side = 0; side < 6; ++side)
    {
        int axis = side / 2;
        spReal sign = side % 2 == 0 ? (spReal)1 : (spReal)-1;
        int u = (axis + 1) % 3;
        int v = (axis + 2) % 3;
        int first = mesh->vertexCount;
        for (int corner = 0; corner < 4; ++corner)
        {
            spReal x[3] = {0}, n[3] = {0};
            x[axis] = sign * h[axis];
            x[u] = (corner == 1 || corner == 2 ? h[u] : -h[u]) * sign;
            x[v] = corner >= 2 ? h[v] : -h[v];
            n[axis] = sign;
            spAddShapeVertex(mesh, transform, spMakeVec3(x[0], x[1], x[2]), spMakeVec3(n[0], n[1], n[2]));
        }
        spAddShapeTriangle(mesh, first, first + 1, first + 2);
        spAddShapeTriangle(mesh, first, first + 2, first + 3);
    }
}

// Two caps and a wall with vertices of their own, so that rims stay sharp
static void spAddCylinder(spShapeMesh* mesh, const spTransform* transform, spReal radius, spReal halfHeight)
{
    for (int cap = 0; cap < 2; ++cap)
    {
        spReal up = cap == 0 ? (spReal)1 : (spReal)-1;
        int first = mesh->vertexCount;
        for (int side = 0; side < SP_RING_SIDES; ++side)
        {
            double angle = 2.0 * SP_SHAPE_PI * side / SP_RING_SIDES;
            spVec3 out = {(spReal)cos(angle), 0, (spReal)sin(angle)};
            spVec3 rim = {radius * out.x, up * halfHeight, radius * out.z};
            spAddShapeVertex(mesh, transform, rim, (spVec3){0, up, 0});
            spAddShapeVertex(mesh, transform, rim, out);
        }
        for (int side = 1; side + 1 < SP_RING_SIDES; ++side)
        {
            int a = first + 2 * side, b = a + 2;
            spAddShapeTriangle(mesh, first, cap == 0 ? b : a, cap == 0 ? a : b);
        }
    }
    for (int side = 0; side < SP_RING_SIDES; ++side)
    {
        int a = 2 * side + 1, b = 2 * ((side + 1) % SP_RING_SIDES) + 1;
        spAddShapeTriangle(mesh, a, b, a + 2 * SP_RING_SIDES);
        spAddShapeTriangle(mesh, b, b + 2 * SP_RING_SIDES, a + 2 * SP_RING_SIDES);
    }
}

// Each triangle flat, with vertices of its own
static void spAddSurface(spShapeMesh* mesh, const spTransform* transform, const spMesh* surface)
{
    const spDVec3* vertices = spMesh_GetVertices(surface);
    const int32_t* triangles = spMesh_GetTriangles(surface);
    for (int i = 0; i < spMesh_GetTriangleCount(surface); ++i)
    {
        spVec3 p[3];
        for (int j = 0; j < 3; ++j)
        {
            spDVec3 v = vertices[triangles[3 * (int64_t)i + j]];
            p[j] = (spVec3){(spReal)v.x, (spReal)v.y, (spReal)v.z};
        }
        spVec3 normal = spNormalize3(spCross3(spSub3(p[1], p[0]), spSub3(p[2], p[0])));
        for (int j = 0; j < 3; ++j)
        {
            spAddShapeVertex(mesh, transform, p[j], normal);
        }
        spAddShapeTriangle(mesh, 3 * i, 3 * i + 1, 3 * i + 2);
    }
}

// Room for both vertex arrays, which share one capacity
static bool spReserveShapeVertices(spHeap* heap, spShapeMesh* mesh, int count)
{
    int capacity = mesh->vertexCapacity;
    if (!spReserve(heap, (void**)&mesh->positions, 0, &capacity, count, 3 * sizeof(float)))
    {
        return false;
    }
    int normalCapacity = mesh->vertexCapacity;
    if (!spReserve(heap, (void**)&mesh->normals, 0, &normalCapacity, count, 3 * sizeof(float)))
    {
        // Both are given up: their sizes differ now
        spFree(heap, mesh->positions);
        spFree(heap, mesh->normals);
        mesh->positions = NULL;
        mesh->normals = NULL;
        mesh->vertexCapacity = 0;
        return false;
    }
    mesh->vertexCapacity = capacity;
    return true;
}

bool spBuildShape(spHeap* heap, spShapeMesh* mesh, const spColliderDef* def, const spTransform* transform)
{
    mesh->vertexCount = 0;
    mesh->triangleCount = 0;
    int surfaceCount = def->mesh != NULL ? spMesh_GetTriangleCount(def->mesh) : 0;
    int vertexCount = spMaxInt((SP_RING_COUNT + 2) * SP_RING_SIDES, 3 * surfaceCount);
    int triangleCount = spMaxInt(2 * (SP_RING_COUNT + 1) * SP_RING_SIDES, surfaceCount);
    if (!spReserveShapeVertices(heap, mesh, vertexCount) ||
        !spReserve(heap, (void**)&mesh->triangles, 0, &mesh->triangleCapacity, triangleCount,
                   3 * sizeof(int32_t)))
    {
        return false;
    }
    switch (def->shape)
    {
        case sp_shapeSphere:
            spAddRound(mesh, transform, (double)def->radius, 0.0);
            break;
        case sp_shapeCapsule:
            spAddRound(mesh, transform, (double)def->radius, (double)def->halfHeight);
            break;
        case sp_shapeBox:
            spAddBox(mesh, transform, def->halfSize);
            break;
        case sp_shapeCylinder:
            spAddCylinder(mesh, transform, def->radius, def->halfHeight);
            break;
        case sp_shapePlane:
            break;
        default:
            if (surfaceCount > 0)
            {
                spAddSurface(mesh, transform, def->mesh);
            }
            break;
    }
    return true;
}

void spFreeShape(spHeap* heap, spShapeMesh* mesh)
{
    spFree(heap, mesh->positions);
    spFree(heap, mesh->normals);
    spFree(heap, mesh->triangles);
    *mesh = (spShapeMesh){0};
}
