// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Ball, cylinder and torus in tets.
//
// Each is a grid of cells that a smooth map makes round: concentric cubes become spheres, concentric squares
// become circles. Cells are cut by Kuhn's split mirrored about the middle, so that every diagonal runs from
// the middle to the outside:
//
//     +---+---+
//     | \ | / |     a cell on an edge of the cube then has no tet with two faces on the surface; such a tet
//     +---+---+     would be pressed flat when the edge of the cube is rounded away
//     | / | \ |
//     +---+---+

#include "base/error.h"
#include "mesh/generate.h"
#include "mesh/mesh_math.h"

#define SP_PI 3.14159265358979323846

spRoundMeshDef spDefaultRoundMeshDef(void)
{
    return (spRoundMeshDef){
        .radius = 0.5,
        .height = 1.0,
        .tubeRadius = 0.15,
        .resolution = 4,
        .internalValue = SP_DEF_COOKIE,
    };
}

static bool spCheckRoundDef(const spRoundMeshDef* def, spError* error)
{
    if (def == NULL || def->internalValue != SP_DEF_COOKIE)
    {
        return spFail(error, sp_errorBadDef, "the definition must come from spDefaultRoundMeshDef");
    }
    return spCheckPoint(def->center, "the centre of a round mesh", error) &&
           spCheckPositive(def->radius, "the radius of a round mesh", error) &&
           spCheckCount(def->resolution, 1, 10000, "the resolution of a round mesh", error);
}

// Nodes of cell `cell` along one axis with 2 n cells, the one nearer to the middle first. Returns true when
// that turns the axis round.
static bool spOrderNodes(int cell, int n, int nodes[2])
{
    bool turned = cell < n;
    nodes[0] = turned ? cell + 1 : cell;
    nodes[1] = turned ? cell : cell + 1;
    return turned;
}

// A point of the cube [-n, n]^3 in the unit ball. Rays of the six pyramids are spread evenly in angle.
static spDVec3 spMapToBall(int i, int j, int k, int n)
{
    int largest = spMaxInt(spMaxInt(i < 0 ? -i : i, j < 0 ? -j : j), k < 0 ? -k : k);
    if (largest == 0)
    {
        return (spDVec3){0.0, 0.0, 0.0};
    }
    double step = 0.25 * SP_PI / largest;
    spDVec3 ray = {tan(step * i), tan(step * j), tan(step * k)};
    return spDScale((double)largest / n / spDLength(ray), ray);
}

// A point of the square [-n, n]^2 in the unit disc
static void spMapToDisc(int i, int j, int n, double* x, double* y)
{
    int a = i < 0 ? -i : i, b = j < 0 ? -j : j;
    int largest = spMaxInt(a, b);
    if (largest == 0)
    {
        *x = 0.0;
        *y = 0.0;
        return;
    }
    double angle = 0.25 * SP_PI * spMinInt(a, b) / largest;
    double r = (double)largest / n;
    double along = r * cos(angle), across = r * sin(angle);
    *x = a >= b ? along : across;
    *y = a >= b ? across : along;
    *x = i < 0 ? -*x : *x;
    *y = j < 0 ? -*y : *y;
}

spMesh* spMakeBallMesh(const spRoundMeshDef* def, spError* error)
{
    if (!spCheckRoundDef(def, error))
    {
        return NULL;
    }
    int n = def->resolution;
    double side = 2.0 * n;
    spMesh* mesh = spStartGenerator(&def->allocator, "a ball", (side + 1.0) * (side + 1.0) * (side + 1.0),
                                    0.0, 0.0, 6.0 * side * side * side, error);
    if (mesh == NULL)
    {
        return NULL;
    }
    for (int i = -n; i <= n; ++i)
    {
        for (int j = -n; j <= n; ++j)
        {
            for (int k = -n; k <= n; ++k)
            {
                mesh->vertices[mesh->vertexCount++] =
                    spDMulAdd(def->center, def->radius, spMapToBall(i, j, k, n));
            }
        }
    }
    int row = 2 * n + 1;
    for (int i = 0; i < 2 * n; ++i)
    {
        for (int j = 0; j < 2 * n; ++j)
        {
            for (int k = 0; k < 2 * n; ++k)
            {
                int x[2], y[2], z[2];
                bool mirrored = spOrderNodes(i, n, x);
                mirrored ^= spOrderNodes(j, n, y);
                mirrored ^= spOrderNodes(k, n, z);
                int32_t nodes[8];
                for (int corner = 0; corner < 8; ++corner)
                {
                    nodes[corner] = (x[corner & 1] * row + y[corner >> 1 & 1]) * row + z[corner >> 2 & 1];
                }
                spPutKuhnCell(mesh, nodes, mirrored);
            }
        }
    }
    return mesh;
}

// Cells of layers of discs: layer l has the nodes of one disc, (2 n + 1)^2 of them. `wrap` joins the last
// layer to the first. The axes (across i, along the layers, across j) are right-handed unless leftHanded.
static void spPutDiscLayers(spMesh* mesh, int n, int layerCount, bool wrap, bool leftHanded)
{
    int row = 2 * n + 1;
    int nodesPerLayer = row * row;
    int cellLayers = wrap ? layerCount : layerCount - 1;
    for (int l = 0; l < cellLayers; ++l)
    {
        int layers[2] = {l, (l + 1) % layerCount};
        for (int i = 0; i < 2 * n; ++i)
        {
            for (int j = 0; j < 2 * n; ++j)
            {
                int x[2], z[2];
                bool mirrored = leftHanded;
                mirrored ^= spOrderNodes(i, n, x);
                mirrored ^= spOrderNodes(j, n, z);
                int32_t nodes[8];
                for (int corner = 0; corner < 8; ++corner)
                {
                    nodes[corner] =
                        layers[corner >> 1 & 1] * nodesPerLayer + x[corner & 1] * row + z[corner >> 2 & 1];
                }
                spPutKuhnCell(mesh, nodes, mirrored);
            }
        }
    }
}

// Number of cells of about the same length that fit
static int spCountCells(double length, double cellLength, int least)
{
    double count = floor(length / cellLength + 0.5);
    return count < least ? least : (count > SP_MESH_LIMIT ? SP_MESH_LIMIT : (int)count);
}

spMesh* spMakeCylinderMesh(const spRoundMeshDef* def, spError* error)
{
    if (!spCheckRoundDef(def, error) || !spCheckPositive(def->height, "the height of a cylinder", error))
    {
        return NULL;
    }
    int n = def->resolution;
    int cellLayers = spCountCells(def->height, def->radius / n, 1);
    double side = 2.0 * n;
    spMesh* mesh =
        spStartGenerator(&def->allocator, "a cylinder", (side + 1.0) * (side + 1.0) * (cellLayers + 1.0), 0.0,
                         0.0, 6.0 * side * side * cellLayers, error);
    if (mesh == NULL)
    {
        return NULL;
    }
    for (int l = 0; l <= cellLayers; ++l)
    {
        double y = def->height * l / cellLayers - 0.5 * def->height;
        for (int i = -n; i <= n; ++i)
        {
            for (int j = -n; j <= n; ++j)
            {
                spDVec3 p = {.y = y};
                spMapToDisc(i, j, n, &p.x, &p.z);
                p.x *= def->radius;
                p.z *= def->radius;
                mesh->vertices[mesh->vertexCount++] = spDAdd(def->center, p);
            }
        }
    }
    spPutDiscLayers(mesh, n, cellLayers + 1, false, false);
    return mesh;
}

spMesh* spMakeTorusMesh(const spRoundMeshDef* def, spError* error)
{
    if (!spCheckRoundDef(def, error) || !spCheckPositive(def->tubeRadius, "the tube of a torus", error))
    {
        return NULL;
    }
    if (def->tubeRadius >= def->radius)
    {
        spFail(error, sp_errorBadArgument, "the tube radius %g of a torus must be below its radius %g",
               def->tubeRadius, def->radius);
        return NULL;
    }
    int n = def->resolution;
    int sections = spCountCells(2.0 * SP_PI * def->radius, def->tubeRadius / n, 8);
    double side = 2.0 * n;
    spMesh* mesh = spStartGenerator(&def->allocator, "a torus", (side + 1.0) * (side + 1.0) * sections, 0.0,
                                    0.0, 6.0 * side * side * sections, error);
    if (mesh == NULL)
    {
        return NULL;
    }
    for (int l = 0; l < sections; ++l)
    {
        double angle = 2.0 * SP_PI * l / sections;
        double c = cos(angle), s = sin(angle);
        for (int i = -n; i <= n; ++i)
        {
            for (int j = -n; j <= n; ++j)
            {
                double outwards, up;
                spMapToDisc(i, j, n, &outwards, &up);
                double r = def->radius + def->tubeRadius * outwards;
                spDVec3 p = {r * c, def->tubeRadius * up, r * s};
                mesh->vertices[mesh->vertexCount++] = spDAdd(def->center, p);
            }
        }
    }
    // At angle 0: across i is +x, along the layers is +z, across j is +y
    spPutDiscLayers(mesh, n, sections, true, true);
    return mesh;
}
