// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Cloth and lattices of masses.

#include "base/error.h"
#include "mesh/generate.h"
#include "mesh/mesh_math.h"

static void spPutEdge(spMesh* mesh, int32_t a, int32_t b)
{
    SP_ASSERT(mesh->edgeCount < mesh->edgeCapacity);
    mesh->edges[2 * mesh->edgeCount] = a;
    mesh->edges[2 * mesh->edgeCount + 1] = b;
    mesh->edgeCount += 1;
}

static void spPutTriangle(spMesh* mesh, int32_t a, int32_t b, int32_t c)
{
    SP_ASSERT(mesh->triangleCount < mesh->triangleCapacity);
    int32_t* triangle = mesh->triangles + 3 * mesh->triangleCount++;
    triangle[0] = a;
    triangle[1] = b;
    triangle[2] = c;
}

spClothMeshDef spDefaultClothMeshDef(void)
{
    return (spClothMeshDef){
        .corner = {-1.0, 2.0, 0.0},
        .sizeX = 2.0,
        .sizeZ = 2.0,
        .countX = 20,
        .countZ = 20,
        .shear = true,
        .bend = true,
        .internalValue = SP_DEF_COOKIE,
    };
}

static bool spCheckClothDef(const spClothMeshDef* def, spError* error)
{
    if (def == NULL || def->internalValue != SP_DEF_COOKIE)
    {
        return spFail(error, sp_errorBadDef, "the cloth definition must come from spDefaultClothMeshDef");
    }
    return spCheckPoint(def->corner, "the corner of a cloth", error) &&
           spCheckPositive(def->sizeX, "the x size of a cloth", error) &&
           spCheckPositive(def->sizeZ, "the z size of a cloth", error) &&
           spCheckPoint(spDAdd(def->corner, (spDVec3){def->sizeX, 0.0, def->sizeZ}),
                        "the far corner of a cloth", error) &&
           spCheckCount(def->countX, 2, SP_MESH_LIMIT, "the number of vertices of a cloth along x", error) &&
           spCheckCount(def->countZ, 2, SP_MESH_LIMIT, "the number of vertices of a cloth along z", error);
}

static void spPutClothEdges(spMesh* mesh, const spClothMeshDef* def)
{
    int nx = def->countX, nz = def->countZ;
    for (int i = 0; i < nx; ++i)
    {
        for (int j = 0; j < nz; ++j)
        {
            int32_t v = i * nz + j;
            if (i + 1 < nx)
            {
                spPutEdge(mesh, v, v + nz);
            }
            if (j + 1 < nz)
            {
                spPutEdge(mesh, v, v + 1);
            }
        }
    }
    for (int i = 0; def->shear && i + 1 < nx; ++i)
    {
        for (int j = 0; j + 1 < nz; ++j)
        {
            int32_t v = i * nz + j;
            spPutEdge(mesh, v, v + nz + 1);
            spPutEdge(mesh, v + 1, v + nz);
        }
    }
    for (int i = 0; def->bend && i < nx; ++i)
    {
        for (int j = 0; j < nz; ++j)
        {
            int32_t v = i * nz + j;
            if (i + 2 < nx)
            {
                spPutEdge(mesh, v, v + 2 * nz);
            }
            if (j + 2 < nz)
            {
                spPutEdge(mesh, v, v + 2);
            }
        }
    }
}

spMesh* spMakeClothMesh(const spClothMeshDef* def, spError* error)
{
    if (!spCheckClothDef(def, error))
    {
        return NULL;
    }
    int nx = def->countX, nz = def->countZ;
    double x = nx, z = nz;
    double quads = (x - 1.0) * (z - 1.0);
    double edges = (x - 1.0) * z + x * (z - 1.0);
    edges += def->shear ? 2.0 * quads : 0.0;
    edges += def->bend ? (x - 2.0) * z + x * (z - 2.0) : 0.0;
    spMesh* mesh = spStartGenerator(&def->allocator, "a cloth", x * z, edges, 2.0 * quads, 0.0, error);
    if (mesh == NULL)
    {
        return NULL;
    }
    for (int i = 0; i < nx; ++i)
    {
        for (int j = 0; j < nz; ++j)
        {
            spDVec3 offset = {def->sizeX * i / (nx - 1), 0.0, def->sizeZ * j / (nz - 1)};
            mesh->vertices[mesh->vertexCount++] = spDAdd(def->corner, offset);
        }
    }
    //  d---c     a = (i, j), b = (i + 1, j), c = (i + 1, j + 1), d = (i, j + 1); x to the right, z upwards:
    //  | / |     (a, c, b) and (a, d, c) look along +y
    //  a---b     and along the other diagonal (a, d, b) and (b, d, c)
    for (int i = 0; i + 1 < nx; ++i)
    {
        for (int j = 0; j + 1 < nz; ++j)
        {
            int32_t a = i * nz + j, b = a + nz, c = b + 1, d = a + 1;
            bool other = def->alternate && (i + j) % 2 != 0;
            spPutTriangle(mesh, a, other ? d : c, b);
            spPutTriangle(mesh, other ? b : a, d, c);
        }
    }
    spPutClothEdges(mesh, def);
    return mesh;
}

spLatticeMeshDef spDefaultLatticeMeshDef(void)
{
    return (spLatticeMeshDef){
        .spacing = 0.1,
        .counts = {8, 8, 1},
        .internalValue = SP_DEF_COOKIE,
    };
}

static bool spCheckLatticeDef(const spLatticeMeshDef* def, spError* error)
{
    if (def == NULL || def->internalValue != SP_DEF_COOKIE)
    {
        return spFail(error, sp_errorBadDef, "the lattice definition must come from spDefaultLatticeMeshDef");
    }
    spDVec3 extent = {def->spacing * def->counts[0], def->spacing * def->counts[1],
                      def->spacing * def->counts[2]};
    return spCheckPoint(def->origin, "the origin of a lattice", error) &&
           spCheckPositive(def->spacing, "the spacing of a lattice", error) &&
           spCheckCount(def->counts[0], 1, SP_MESH_LIMIT, "the number of masses along x", error) &&
           spCheckCount(def->counts[1], 1, SP_MESH_LIMIT, "the number of masses along y", error) &&
           spCheckCount(def->counts[2], 1, SP_MESH_LIMIT, "the number of masses along z", error) &&
           spCheckPoint(spDAdd(def->origin, extent), "the far corner of a lattice", error);
}

// Steps to half of the neighbours, so that every pair is met once
static const int latticeSteps[13][3] = {
    {1, 0, 0}, {0, 1, 0},  {0, 0, 1}, {1, 1, 0},  {1, -1, 0}, {1, 0, 1},   {1, 0, -1},
    {0, 1, 1}, {0, 1, -1}, {1, 1, 1}, {1, 1, -1}, {1, -1, 1}, {1, -1, -1},
};

static double spCountLatticeEdges(const int n[3])
{
    double count = 0.0;
    for (int s = 0; s < 13; ++s)
    {
        double product = 1.0;
        for (int axis = 0; axis < 3; ++axis)
        {
            product *= n[axis] - (latticeSteps[s][axis] != 0);
        }
        count += product;
    }
    return count;
}

static void spPutLatticeEdges(spMesh* mesh, const int n[3])
{
    for (int i = 0; i < n[0]; ++i)
    {
        for (int j = 0; j < n[1]; ++j)
        {
            for (int k = 0; k < n[2]; ++k)
            {
                for (int s = 0; s < 13; ++s)
                {
                    int a = i + latticeSteps[s][0], b = j + latticeSteps[s][1], c = k + latticeSteps[s][2];
                    bool inside = a < n[0] && b >= 0 && b < n[1] && c >= 0 && c < n[2];
                    if (inside)
                    {
                        spPutEdge(mesh, (i * n[1] + j) * n[2] + k, (a * n[1] + b) * n[2] + c);
                    }
                }
            }
        }
    }
}

// The quads of one layer of masses, perpendicular to `axis`. They look along the axis, or against it when
// turned.
static void spPutLatticeSide(spMesh* mesh, const int n[3], int axis, int layer, bool turned)
{
    const int strides[3] = {n[1] * n[2], n[2], 1};
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    for (int i = 0; i + 1 < n[u]; ++i)
    {
        for (int j = 0; j + 1 < n[v]; ++j)
        {
            int32_t a = layer * strides[axis] + i * strides[u] + j * strides[v];
            int32_t b = a + strides[turned ? v : u], d = a + strides[turned ? u : v];
            int32_t c = a + strides[u] + strides[v];
            spPutTriangle(mesh, a, b, c);
            spPutTriangle(mesh, a, c, d);
        }
    }
}

spMesh* spMakeLatticeMesh(const spLatticeMeshDef* def, spError* error)
{
    if (!spCheckLatticeDef(def, error))
    {
        return NULL;
    }
    const int* n = def->counts;
    double triangles = 0.0;
    for (int axis = 0; axis < 3; ++axis)
    {
        double quads = (n[(axis + 1) % 3] - 1.0) * (n[(axis + 2) % 3] - 1.0);
        triangles += 2.0 * quads * (n[axis] > 1 ? 2.0 : 1.0);
    }
    spMesh* mesh = spStartGenerator(&def->allocator, "a lattice", (double)n[0] * n[1] * n[2],
                                    spCountLatticeEdges(n), triangles, 0.0, error);
    if (mesh == NULL)
    {
        return NULL;
    }
    for (int i = 0; i < n[0]; ++i)
    {
        for (int j = 0; j < n[1]; ++j)
        {
            for (int k = 0; k < n[2]; ++k)
            {
                spDVec3 offset = {def->spacing * i, def->spacing * j, def->spacing * k};
                mesh->vertices[mesh->vertexCount++] = spDAdd(def->origin, offset);
            }
        }
    }
    spPutLatticeEdges(mesh, n);
    for (int axis = 0; axis < 3; ++axis)
    {
        // A flat lattice has one side only, which looks along +z when it lies in the xy plane
        if (n[axis] > 1)
        {
            spPutLatticeSide(mesh, n, axis, 0, true);
        }
        spPutLatticeSide(mesh, n, axis, n[axis] - 1, false);
    }
    return mesh;
}
