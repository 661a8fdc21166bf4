// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "body/shape_data.h"

#include "base/error.h"
#include "mesh/hull.h"

#include <string.h>

// A mesh that is not closed is so thick, as a share of its diagonal, unless its definition says how much
#define SP_SHELL_SHARE 1.0e-3

// Largest coordinate, m
#define SP_LARGEST_SHAPE 1.0e9

static bool spCheckSurface(const spMesh* surface, spError* error)
{
    for (int i = 0; i < surface->vertexCount; ++i)
    {
        spDVec3 v = surface->vertices[i];
        if (fmax(fmax(fabs(v.x), fabs(v.y)), fabs(v.z)) > SP_LARGEST_SHAPE)
        {
            return spFail(
                error, sp_errorBadMesh,
                "vertex %d of the collider is further than %g m from its origin: is its unit metres?", i,
                SP_LARGEST_SHAPE);
        }
    }
    return true;
}

// ---- height field ----

static double spGetFieldCorner(int count, spReal spacing)
{
    return -0.5 * (double)(count - 1) * (double)spacing;
}

// Cells are cut from their corner with the smallest coordinates to that with the largest
static bool spFillFieldMesh(const spColliderDef* def, spMesh* mesh, spError* error)
{
    int nx = def->heightCountX, nz = def->heightCountZ;
    double x0 = spGetFieldCorner(nx, def->spacing), z0 = spGetFieldCorner(nz, def->spacing);
    bool ok = spReserveVertices(mesh, (int64_t)nx * nz, error) &&
              spReserveTriangles(mesh, 2 * (int64_t)(nx - 1) * (nz - 1), error);
    for (int k = 0; ok && k < nz; ++k)
    {
        for (int i = 0; ok && i < nx; ++i)
        {
            double height = (double)def->heights[(int64_t)k * nx + i];
            spDVec3 vertex = {x0 + i * (double)def->spacing, height, z0 + k * (double)def->spacing};
            ok = spAddVertex(mesh, vertex, error);
        }
    }
    for (int k = 0; ok && k + 1 < nz; ++k)
    {
        for (int i = 0; ok && i + 1 < nx; ++i)
        {
            int32_t a = k * nx + i, b = a + 1, c = a + nx, d = c + 1;
            ok = spAddTriangle(mesh, a, d, b, error) && spAddTriangle(mesh, a, c, d, error);
        }
    }
    return ok;
}

static spMesh* spMakeFieldMesh(const spColliderDef* def, const spAllocator* allocator, spError* error)
{
    spMesh* mesh = spAllocMesh(allocator, error);
    if (mesh != NULL && spFillFieldMesh(def, mesh, error) == false)
    {
        spDestroyMesh(mesh);
        return NULL;
    }
    return mesh;
}

// The cell of a place along one axis, which is moved to the rim where it is outside, and the part of the cell
static double spFindFieldCell(double* x, int count, spReal spacing, int* cell)
{
    double rim = -spGetFieldCorner(count, spacing);
    *x = *x > -rim ? (*x < rim ? *x : rim) : -rim; // also where it is not a number
    double place = (*x + rim) / (double)spacing;
    *cell = (int)place < count - 2 ? (int)place : count - 2;
    return place - (double)*cell;
}

double spGetFieldHeight(const spColliderDef* def, double* x, double* z)
{
    int nx = def->heightCountX, nz = def->heightCountZ, i, k;
    double s = spFindFieldCell(x, nx, def->spacing, &i), t = spFindFieldCell(z, nz, def->spacing, &k);
    const spReal* h = def->heights + (int64_t)k * nx + i;
    double a = (double)h[0], b = (double)h[1], c = (double)h[nx], d = (double)h[nx + 1];
    return s > t ? a + s * (b - a) + t * (d - b) : a + t * (c - a) + s * (d - c);
}

static bool spCopyHeights(spHeap* heap, const spColliderDef* def, spShapeData* data, spError* error)
{
    size_t size = spArraySize((int64_t)def->heightCountX * def->heightCountZ, sizeof(spReal));
    data->heights = spAlloc(heap, size);
    if (data->heights == NULL)
    {
        return spFailMemory(error, "a height field", size);
    }
    memcpy(data->heights, def->heights, size);
    return true;
}

// ---- all shapes ----

static spMesh* spMakeSurface(const spColliderDef* def, const spAllocator* allocator, spError* error)
{
    switch (def->shape)
    {
        case sp_shapeConvex:
            return spMakeHullMesh(def->mesh->vertices, def->mesh->vertexCount, allocator, error);
        case sp_shapeHeightField:
            return spMakeFieldMesh(def, allocator, error);
        default:
            return spMakeSurfaceMesh(def->mesh, allocator, error);
    }
}

static bool spFillShapeData(spHeap* heap, const spColliderDef* def, spShapeData* data, spError* error)
{
    data->surface = spMakeSurface(def, &heap->allocator, error);
    if (data->surface == NULL || spCheckSurface(data->surface, error) == false ||
        spBuildTriangleTree(heap, data->surface, &data->tree, error) == false)
    {
        return false;
    }
    const spTriangleTree* tree = &data->tree;
    double diagonal = spDDistance(tree->lower, tree->upper);
    bool shell = def->shape == sp_shapeMesh && tree->closed == false;
    double thickness = def->thickness > 0 ? (double)def->thickness : SP_SHELL_SHARE * diagonal;
    data->halfThickness = shell ? 0.5 * thickness : 0.0;
    spDVec3 rim = {data->halfThickness, data->halfThickness, data->halfThickness};
    data->box = (spBox){spDSub(tree->lower, rim), spDAdd(tree->upper, rim)};
    if (tree->volume < 0.0)
    {
        // Solid all around
        data->box = (spBox){{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
    }
    if (def->shape == sp_shapeHeightField)
    {
        data->box.lower.y = -INFINITY;
        return spCopyHeights(heap, def, data, error);
    }
    if (def->shape == sp_shapeDistanceField)
    {
        if (tree->closed == false || tree->volume <= 0.0)
        {
            return spFail(
                error, sp_errorBadMesh,
                "a distance field needs a closed mesh whose triangles look outwards: repair it, or use "
                "the shape \"mesh\"");
        }
        return spBuildDistanceGrid(heap, tree, def->resolution, &data->grid, error);
    }
    return true;
}

bool spMakeShapeData(spHeap* heap, const spColliderDef* def, spShapeData** result, spError* error)
{
    *result = NULL;
    if (spShape_HasData(def->shape) == false)
    {
        return true;
    }
    spShapeData* data = spAllocZeroed(heap, sizeof(spShapeData));
    if (data == NULL)
    {
        return spFailMemory(error, "the shape of a collider", sizeof(spShapeData));
    }
    if (spFillShapeData(heap, def, data, error) == false)
    {
        spFreeShapeData(heap, data);
        return false;
    }
    *result = data;
    return true;
}

void spFreeShapeData(spHeap* heap, spShapeData* data)
{
    if (data != NULL)
    {
        spFreeTriangleTree(heap, &data->tree);
        spFreeDistanceGrid(heap, &data->grid);
        spDestroyMesh(data->surface);
        spFree(heap, data->heights);
        spFree(heap, data);
    }
}
