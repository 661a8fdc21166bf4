// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Boxes of cells cut into tets, and what all generators share.

#include "base/error.h"
#include "mesh/generate.h"
#include "mesh/mesh_math.h"

#include <string.h>

bool spCheckPositive(double value, const char* what, spError* error)
{
    if (isfinite(value) && value > 0.0)
    {
        return true;
    }
    return spFail(error, sp_errorBadArgument, "%s is %g, it must be finite and above 0", what, value);
}

bool spCheckPoint(spDVec3 point, const char* what, spError* error)
{
    if (spDIsFinite(point))
    {
        return true;
    }
    return spFail(error, sp_errorBadArgument, "%s is not finite: (%g, %g, %g)", what, point.x, point.y,
                  point.z);
}

bool spCheckCount(int value, int lower, int upper, const char* what, spError* error)
{
    if (value >= lower && value <= upper)
    {
        return true;
    }
    return spFail(error, sp_errorBadArgument, "%s is %d, it must be between %d and %d", what, value, lower,
                  upper);
}

spMesh* spStartGenerator(const spAllocator* allocator, const char* what, double vertexCount, double edgeCount,
                         double triangleCount, double tetCount, spError* error)
{
    double largest = fmax(fmax(vertexCount, edgeCount), fmax(triangleCount, tetCount));
    if (!(largest <= SP_MESH_LIMIT))
    {
        spFail(error, sp_errorLimit,
               "%s of %.0f vertices, %.0f edges, %.0f triangles and %.0f tets is over the limit of %d of one "
               "sort; use fewer cells",
               what, vertexCount, edgeCount, triangleCount, tetCount, SP_MESH_LIMIT);
        return NULL;
    }
    spMesh* mesh = spAllocMesh(allocator, error);
    if (mesh == NULL)
    {
        return NULL;
    }
    if (!spReserveVertices(mesh, (int64_t)vertexCount, error) ||
        !spReserveEdges(mesh, (int64_t)edgeCount, error) ||
        !spReserveTriangles(mesh, (int64_t)triangleCount, error) ||
        !spReserveTets(mesh, (int64_t)tetCount, error))
    {
        spDestroyMesh(mesh);
        return NULL;
    }
    return mesh;
}

static void spPutTet(spMesh* mesh, int32_t a, int32_t b, int32_t c, int32_t d)
{
    SP_ASSERT(mesh->tetCount < mesh->tetCapacity);
    int32_t* tet = mesh->tets + 4 * mesh->tetCount;
    tet[0] = a;
    tet[1] = b;
    tet[2] = c;
    tet[3] = d;
    mesh->tetRegions[mesh->tetCount++] = 0;
}

void spPutKuhnCell(spMesh* mesh, const int32_t nodes[8], bool mirrored)
{
    // First and second axis of each walk; odd permutations are left-handed
    static const int axes[6][2] = {{1, 2}, {1, 4}, {2, 1}, {2, 4}, {4, 1}, {4, 2}};
    static const bool odd[6] = {false, true, true, false, false, true};
    for (int i = 0; i < 6; ++i)
    {
        int32_t v1 = nodes[axes[i][0]];
        int32_t v2 = nodes[axes[i][0] | axes[i][1]];
        bool swap = odd[i] != mirrored;
        spPutTet(mesh, nodes[0], swap ? v2 : v1, swap ? v1 : v2, nodes[7]);
    }
}

// Four corners cut off around one tet. The second table is the first one mirrored along x, so that the
// diagonals of neighbouring cells meet when the tables alternate.
static void spPutFiveTets(spMesh* mesh, const int32_t nodes[8], bool second)
{
    static const uint8_t tets[2][5][4] = {
        {{0, 3, 5, 6}, {1, 3, 0, 5}, {2, 0, 3, 6}, {4, 0, 6, 5}, {7, 3, 5, 6}},
        {{1, 2, 4, 7}, {0, 1, 2, 4}, {3, 1, 7, 2}, {5, 1, 4, 7}, {6, 2, 7, 4}},
    };
    for (int i = 0; i < 5; ++i)
    {
        int32_t tet[4];
        uint8_t corner[4][3];
        for (int j = 0; j < 4; ++j)
        {
            uint8_t node = tets[second][i][j];
            tet[j] = nodes[node];
            corner[j][0] = node & 1;
            corner[j][1] = node >> 1 & 1;
            corner[j][2] = node >> 2 & 1;
        }
        // Upright or not is decided on the unit cell, in integers
        int m[3][3];
        for (int r = 0; r < 3; ++r)
        {
            for (int c = 0; c < 3; ++c)
            {
                m[r][c] = corner[r + 1][c] - corner[0][c];
            }
        }
        int det = m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
                  m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
                  m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
        spPutTet(mesh, tet[0], det > 0 ? tet[1] : tet[2], det > 0 ? tet[2] : tet[1], tet[3]);
    }
}

spBoxMeshDef spDefaultBoxMeshDef(void)
{
    return (spBoxMeshDef){
        .origin = {-0.5, 0.0, -0.5},
        .size = {1.0, 1.0, 1.0},
        .cells = {4, 4, 4},
        .split = sp_sixTets,
        .internalValue = SP_DEF_COOKIE,
    };
}

static bool spCheckBoxDef(const spBoxMeshDef* def, spError* error)
{
    if (def == NULL || def->internalValue != SP_DEF_COOKIE)
    {
        return spFail(error, sp_errorBadDef, "the box definition must come from spDefaultBoxMeshDef");
    }
    if (def->split != sp_sixTets && def->split != sp_fiveTets)
    {
        return spFail(error, sp_errorBadArgument, "the split of a box is %d, use sp_sixTets or sp_fiveTets",
                      (int)def->split);
    }
    return spCheckPoint(def->origin, "the origin of a box", error) &&
           spCheckPositive(def->size.x, "the x size of a box", error) &&
           spCheckPositive(def->size.y, "the y size of a box", error) &&
           spCheckPositive(def->size.z, "the z size of a box", error) &&
           spCheckPoint(spDAdd(def->origin, def->size), "the far corner of a box", error) &&
           spCheckCount(def->cells[0], 1, SP_MESH_LIMIT, "the number of cells of a box along x", error) &&
           spCheckCount(def->cells[1], 1, SP_MESH_LIMIT, "the number of cells of a box along y", error) &&
           spCheckCount(def->cells[2], 1, SP_MESH_LIMIT, "the number of cells of a box along z", error);
}

spMesh* spMakeBoxMesh(const spBoxMeshDef* def, spError* error)
{
    if (!spCheckBoxDef(def, error))
    {
        return NULL;
    }
    int nx = def->cells[0], ny = def->cells[1], nz = def->cells[2];
    double nodeCount = ((double)nx + 1.0) * ((double)ny + 1.0) * ((double)nz + 1.0);
    double tetCount = (double)nx * ny * nz * (def->split == sp_sixTets ? 6.0 : 5.0);
    spMesh* mesh = spStartGenerator(&def->allocator, "a box", nodeCount, 0.0, 0.0, tetCount, error);
    if (mesh == NULL)
    {
        return NULL;
    }

    for (int i = 0; i <= nx; ++i)
    {
        for (int j = 0; j <= ny; ++j)
        {
            for (int k = 0; k <= nz; ++k)
            {
                spDVec3 offset = {def->size.x * i / nx, def->size.y * j / ny, def->size.z * k / nz};
                mesh->vertices[mesh->vertexCount++] = spDAdd(def->origin, offset);
            }
        }
    }

    int strideX = (ny + 1) * (nz + 1), strideY = nz + 1;
    for (int i = 0; i < nx; ++i)
    {
        for (int j = 0; j < ny; ++j)
        {
            for (int k = 0; k < nz; ++k)
            {
                int32_t nodes[8];
                for (int corner = 0; corner < 8; ++corner)
                {
                    nodes[corner] = (i + (corner & 1)) * strideX + (j + (corner >> 1 & 1)) * strideY + k +
                                    (corner >> 2 & 1);
                }
                if (def->split == sp_sixTets)
                {
                    spPutKuhnCell(mesh, nodes, false);
                }
                else
                {
                    spPutFiveTets(mesh, nodes, ((i ^ j ^ k) & 1) != 0);
                }
            }
        }
    }
    return mesh;
}
