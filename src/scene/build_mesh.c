// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The mesh of a body or collider: read from a file, made by a generator, or filled from a surface.

#include "scene/build.h"

#include "souple/fill.h"

#include <math.h>
#include <string.h>

static spMesh* spGenerateBox(const spMeshData* data, const spAllocator* allocator, spError* error)
{
    spBoxMeshDef def = spDefaultBoxMeshDef();
    def.size = data->size;
    def.origin = data->origin;
    if (data->generator == sp_generateBox && !spIsGiven(&data->head, &data->origin))
    {
        def.origin = (spDVec3){-0.5 * data->size.x, 0.0, -0.5 * data->size.z};
    }
    memcpy(def.cells, data->cells, sizeof(def.cells));
    def.split = (spCellSplit)data->split;
    def.allocator = *allocator;
    return spMakeBoxMesh(&def, error);
}

static spMesh* spGenerateRound(const spMeshData* data, const spAllocator* allocator, spError* error)
{
    spRoundMeshDef def = spDefaultRoundMeshDef();
    def.radius = data->radius;
    def.resolution = data->resolution;
    def.allocator = *allocator;
    if (data->generator == sp_generateBall)
    {
        return spMakeBallMesh(&def, error);
    }
    if (data->generator == sp_generateCylinder)
    {
        def.height = data->height;
        return spMakeCylinderMesh(&def, error);
    }
    def.tubeRadius = data->tubeRadius;
    return spMakeTorusMesh(&def, error);
}

static spMesh* spGenerateCloth(const spMeshData* data, const spAllocator* allocator, spError* error)
{
    spClothMeshDef def = spDefaultClothMeshDef();
    def.sizeX = data->sizeX;
    def.sizeZ = data->sizeZ;
    def.countX = data->countX;
    def.countZ = data->countZ;
    def.shear = data->shear;
    def.bend = data->bend;
    def.alternate = data->alternate;
    def.corner = spIsGiven(&data->head, &data->origin)
                     ? data->origin
                     : (spDVec3){-0.5 * data->sizeX, 0.0, -0.5 * data->sizeZ};
    def.allocator = *allocator;
    return spMakeClothMesh(&def, error);
}

static spMesh* spGenerateShell(const spMeshData* data, const spAllocator* allocator, spError* error)
{
    spShellMeshDef def = spDefaultShellMeshDef();
    def.radius = data->radius;
    def.layers = data->layers;
    def.layerDistance = data->layerDistance;
    def.allocator = *allocator;
    if (data->generator == sp_generateDisc)
    {
        def.points = data->points;
        return spMakeDiscMesh(&def, error);
    }
    def.level = data->level;
    return spMakeIcosphereMesh(&def, error);
}

static spMesh* spGenerateLattice(const spMeshData* data, const spAllocator* allocator, spError* error)
{
    spLatticeMeshDef def = spDefaultLatticeMeshDef();
    def.origin = data->origin;
    def.spacing = data->spacing;
    memcpy(def.counts, data->counts, sizeof(def.counts));
    def.allocator = *allocator;
    return spMakeLatticeMesh(&def, error);
}

// The array of Young's moduli that the scene names must have a number for every tet
static bool spCheckField(const spMesh* mesh, const char* name, spError* error)
{
    int index = spMesh_FindValues(mesh, sp_meshTets, name);
    if (index < 0 || spMesh_GetValueComponents(mesh, sp_meshTets, index) != 1)
    {
        return spFail(error, sp_errorFileFormat,
                      "the mesh has no array of cell values named \"%.63s\" with one number for each tet",
                      name);
    }
    const double* values = spMesh_GetValues(mesh, sp_meshTets, index);
    for (int i = 0; i < spMesh_GetTetCount(mesh); ++i)
    {
        if (!isfinite(values[i]))
        {
            return spFail(error, sp_errorFileFormat, "tet %d has no value in the array \"%.63s\"", i, name);
        }
    }
    return true;
}

static spMesh* spLoadSceneMesh(const spScene* scene, const spBodyData* body, const spMeshData* data,
                               spHeap* heap, spError* error)
{
    bool field = body != NULL && data == &body->mesh && spIsGiven(&body->head, &body->tets) &&
                 spIsGiven(&body->tets.head, &body->tets.field);
    const char* name = spIsGiven(&data->head, &data->fill) ? data->fill : data->file;
    char* path = spJoinPath(heap, scene->baseFolder, name);
    if (path == NULL)
    {
        spFailMemory(error, "mesh", strlen(name));
        return NULL;
    }
    spMesh* mesh = spLoadMesh(path, &heap->allocator, error);
    spFree(heap, path);
    if (mesh != NULL && field && !spCheckField(mesh, body->tets.field, error))
    {
        spDestroyMesh(mesh);
        return NULL;
    }
    if (mesh != NULL && data->repair)
    {
        spRepairDef def = spDefaultRepairDef();
        if (!spMesh_Repair(mesh, &def, NULL, error))
        {
            spDestroyMesh(mesh);
            return NULL;
        }
    }
    return mesh;
}

static spMesh* spGenerateMesh(const spMeshData* data, const spAllocator* allocator, spError* error)
{
    switch (data->generator)
    {
        case sp_generateBox:
        case sp_generateBeam:
            return spGenerateBox(data, allocator, error);
        case sp_generateBall:
        case sp_generateCylinder:
        case sp_generateTorus:
            return spGenerateRound(data, allocator, error);
        case sp_generateCloth:
            return spGenerateCloth(data, allocator, error);
        case sp_generateIcosphere:
        case sp_generateDisc:
            return spGenerateShell(data, allocator, error);
        default:
            return spGenerateLattice(data, allocator, error);
    }
}

// A mesh as it is in its file or generator, scaled
// @param body whose mesh it is; NULL for a collider
static spMesh* spMakeShape(const spScene* scene, const spBodyData* body, const spMeshData* data,
                           spDVec3 scale, spHeap* heap, spError* error)
{
    bool file = spIsGiven(&data->head, &data->file) || spIsGiven(&data->head, &data->fill);
    spMesh* mesh = file ? spLoadSceneMesh(scene, body, data, heap, error)
                        : spGenerateMesh(data, &heap->allocator, error);
    spTransform identity = {{0, 0, 0}, {0, 0, 0, 1}};
    if (mesh != NULL && (scale.x != 1.0 || scale.y != 1.0 || scale.z != 1.0) &&
        !spMesh_Transform(mesh, scale, identity, error))
    {
        spDestroyMesh(mesh);
        mesh = NULL;
    }
    return mesh;
}

// Tets in place of the surface, which is destroyed; NULL stays NULL
static spMesh* spFillShape(const spMeshData* data, spMesh* surface, spHeap* heap, spError* error)
{
    spFillMeshDef def = spDefaultFillMeshDef();
    def.allocator = heap->allocator;
    def.size = spIsGiven(&data->head, &data->fillSize) ? data->fillSize : 0.0;
    def.growth = spIsGiven(&data->head, &data->growth) ? data->growth : 0.0;
    def.sharpAngle = spIsGiven(&data->head, &data->sharp) ? data->sharp : 0.0;
    spMesh* mesh = surface != NULL ? spFillMesh(surface, &def, NULL, error) : NULL;
    spDestroyMesh(surface);
    return mesh;
}

// A place inside a mesh file goes into the sentence: line and column are those of the scene
static void spReportMesh(const spMeshData* data, const spError* error, spProblems* problems)
{
    bool file = spIsGiven(&data->head, &data->file), fill = spIsGiven(&data->head, &data->fill);
    const void* member = file   ? (const void*)&data->file
                         : fill ? (const void*)&data->fill
                                : (const void*)&data->generator;
    if ((file || fill) && error->line > 0)
    {
        spReport(problems, &data->head, member, "line %d of the mesh file: %s", error->line, error->message);
    }
    else
    {
        spReportAs(problems, error->code, &data->head, member, "%s", error->message);
    }
}

spMesh* spMakeSceneMesh(const spScene* scene, const spBodyData* body, const spMeshData* data, bool drawn,
                        spHeap* heap, spProblems* problems)
{
    spError error = {0};
    spMesh* mesh = spMakeShape(scene, body, data, body->transform.scale, heap, &error);
    if (spIsGiven(&data->head, &data->fill) && !drawn)
    {
        mesh = spFillShape(data, mesh, heap, &error);
    }
    if (mesh == NULL)
    {
        spReportMesh(data, &error, problems);
    }
    return mesh;
}

spMesh* spMakeColliderMesh(const spScene* scene, const spColliderData* data, spHeap* heap,
                           spProblems* problems)
{
    spError error = {0};
    spMesh* mesh = spMakeShape(scene, NULL, &data->mesh, data->transform.scale, heap, &error);
    if (mesh == NULL)
    {
        spReportMesh(&data->mesh, &error, problems);
    }
    return mesh;
}
