// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Tets inside of a surface, by isosurface stuffing: a lattice is laid over the surface, its points are told
// apart by their winding numbers, those next to the surface move onto it, and what is left inside of each
// lattice tet becomes tets. One thread does it all, so that the same surface always gives the same bits.

#include "souple/fill.h"

#include "base/error.h"
#include "mesh/fill_sharp.h"
#include "mesh/generate.h"
#include "mesh/lattice_cut.h"
#include "mesh/lattice_grade.h"
#include "mesh/surface.h"
#include "mesh/triangle_math.h"

#include <stdlib.h>

// A count of tets that is asked for is met to this part, or as well as so many tries do it
#define SP_COUNT_TOLERANCE 0.05
#define SP_COUNT_TRIES 6

// Tets cannot grow faster than by a factor of two from one to the next
#define SP_LARGEST_GROWTH 10.0

// A cell must be so much larger than the rounding of coordinates
#define SP_SMALLEST_CELL 1.0e-9

spFillMeshDef spDefaultFillMeshDef(void)
{
    return (spFillMeshDef){.tetCount = 5000, .internalValue = SP_DEF_COOKIE};
}

// ---------------------------------------------------------------------------------------------------------
// The surface

// The triangles, or the boundary of the tets, without copies and what has no area, and turned alike where they
// were not
static spMesh* spCopySurface(const spMesh* mesh, const spAllocator* allocator, spFillReport* report,
                             int* partCount, spError* error)
{
    spMesh* surface = spCopyBoundary(mesh, allocator, error);
    spRepairDef repair = spDefaultRepairDef();
    repair.orientSurface = false;
    spMeshReport state;
    bool good = surface != NULL && spMesh_Repair(surface, &repair, NULL, error);
    if (good && surface->triangleCount == 0)
    {
        good = spFail(error, sp_errorBadMesh, "%s",
                      mesh->triangleCount > 0 || mesh->tetCount > 0
                          ? "every triangle of the surface is flat, so there is nothing to fill"
                          : "the mesh has no triangles, so there is nothing to fill");
    }
    good = good && spMesh_Validate(surface, &state, error);
    if (good && state.problemCounts[sp_meshBadWinding] > 0)
    {
        repair.orientSurface = true;
        good = spMesh_Repair(surface, &repair, NULL, error) && spMesh_Validate(surface, &state, error);
    }
    if (!good)
    {
        spDestroyMesh(surface);
        return NULL;
    }
    *partCount = state.componentCount;
    report->closed = state.closed;
    report->openEdgeCount = state.problemCounts[sp_meshOpenEdges];
    report->surfaceVolume = state.closed ? fabs(state.volume) : 0.0;
    return surface;
}

// ---------------------------------------------------------------------------------------------------------
// The tets

// What makes the mesh
typedef struct spFiller
{
    spHeap heap;
    const spFillMeshDef* def;
    spSolidSurface surface;
    spCutLattice cut;
    spLatticeGrade grade;
    int32_t* nodes; // of each lattice point; -1 before it has one
    spMesh* mesh;
} spFiller;

// The vertex of the mesh for a corner of spStuffTet; -1 without memory
static int32_t spTakeNode(spFiller* filler, const int points[4], int corner, spError* error)
{
    spCutLattice* cut = &filler->cut;
    int32_t* node;
    spDVec3 position;
    if (corner < 4)
    {
        node = filler->nodes + points[corner];
        position = spGetCutPosition(cut, points[corner]);
    }
    else
    {
        const int* edge = spTetEdges[corner - 4];
        spLatticeCut* c = cut->cuts + spFindCut(cut, points[edge[0]], points[edge[1]]);
        node = &c->node;
        position = c->position;
    }
    if (*node < 0 && spAddVertex(filler->mesh, position, error))
    {
        *node = filler->mesh->vertexCount - 1;
    }
    return *node;
}

static bool spPutLatticeTet(spFiller* filler, const int points[4], bool even, spError* error)
{
    int8_t sides[4];
    for (int i = 0; i < 4; ++i)
    {
        sides[i] = filler->cut.sides[points[i]];
    }
    uint8_t pieces[3][4];
    int count = spStuffTet(sides, even, pieces);
    for (int i = 0; i < count; ++i)
    {
        int32_t tet[4];
        for (int k = 0; k < 4; ++k)
        {
            tet[k] = spTakeNode(filler, points, pieces[i][k], error);
            if (tet[k] < 0)
            {
                return false;
            }
        }
        if (spTetVolume(filler->mesh->vertices, tet) < 0.0)
        {
            int32_t last = tet[3];
            tet[3] = tet[2];
            tet[2] = last;
        }
        if (!spAddTet(filler->mesh, tet, 0, error))
        {
            return false;
        }
    }
    return true;
}

// Around the face between a cell and its next one along an axis
static bool spPutPlainFace(spFiller* filler, const int cell[3], int axis, spError* error)
{
    int tets[4][4];
    bool even[4], good = true;
    bool there = spIsPlainFace(&filler->grade, cell, axis) &&
                 spGetLatticeTets(&filler->cut.lattice, cell, axis, tets, even);
    for (int i = 0; there && good && i < 4; ++i)
    {
        good = spPutLatticeTet(filler, tets[i], even[i], error);
    }
    return good;
}

// At the faces of a cell beside or in a large one; all of it is inside
static bool spPutGradedFaces(spFiller* filler, const int cell[3], spError* error)
{
    bool good = true;
    for (int face = 0; good && face < 6; ++face)
    {
        int tets[SP_GRADED_TETS][4];
        int count = spGetGradedTets(&filler->grade, cell, face, tets);
        for (int i = 0; good && i < count; ++i)
        {
            good = spPutLatticeTet(filler, tets[i], false, error);
        }
    }
    return good;
}

static bool spPutLatticeTets(spFiller* filler, spError* error)
{
    const int* cells = filler->cut.lattice.cells;
    int cell[3];
    bool good = true;
    for (cell[0] = 0; cell[0] < cells[0]; ++cell[0])
    {
        for (cell[1] = 0; cell[1] < cells[1]; ++cell[1])
        {
            for (cell[2] = 0; good && cell[2] < cells[2]; ++cell[2])
            {
                for (int axis = 0; good && axis < 3; ++axis)
                {
                    good = spPutPlainFace(filler, cell, axis, error);
                }
                good = good && (filler->grade.levels == NULL || spPutGradedFaces(filler, cell, error));
            }
        }
    }
    return good;
}

static bool spCheckSize(const spSolidSurface* surface, double size, spError* error)
{
    double points = spCountLatticePoints(surface->lower, surface->upper, size);
    if (!(points <= SP_LATTICE_LIMIT))
    {
        spDVec3 extent = spDSub(surface->upper, surface->lower);
        return spFail(
            error, sp_errorLimit,
            "a size of %g m needs a lattice of %.3g points over %g x %g x %g m; the limit is %d, ask "
            "for a larger size",
            size, points, extent.x, extent.y, extent.z, SP_LATTICE_LIMIT);
    }
    spDVec3 far = spDMax(surface->upper, spDScale(-1.0, surface->lower));
    double largest = fmax(fmax(far.x, far.y), far.z);
    if (!(size > SP_SMALLEST_CELL * largest))
    {
        return spFail(error, sp_errorBadArgument,
                      "a size of %g m is too small for coordinates of %g m: move the surface to the origin",
                      size, largest);
    }
    return true;
}

// Says why nothing is inside
static bool spFailEmpty(const spFiller* filler, const spFillReport* report, double size, spError* error)
{
    if (filler->cut.insideCount > 0 || report->surfaceVolume > 0.0)
    {
        return spFail(
            error, sp_errorBadMesh,
            "the surface is nowhere thicker than the tets of %.4g m would be; ask for a smaller size, "
            "such as %.2g m",
            size, 0.5 * size);
    }
    return spFail(
        error, sp_errorBadMesh,
        "the surface has no inside: it has %d open edges and its winding number is nowhere above 1/2 "
        "(%.2g at most); close it with 'souple mesh repair --holes', or simulate it as a sheet",
        report->openEdgeCount, filler->cut.maxWinding);
}

// A mesh with tets of one size; NULL when it cannot be made. One without tets is fine here.
static spMesh* spFillOnce(spFiller* filler, double size, spError* error)
{
    if (!spCheckSize(&filler->surface, size, error))
    {
        return NULL;
    }
    spLattice lattice = spMakeLattice(filler->surface.lower, filler->surface.upper, size);
    filler->mesh = spAllocMesh(&filler->def->allocator, error);
    if (filler->mesh == NULL)
    {
        return NULL;
    }
    bool good = spCutLatticeBy(&filler->heap, &filler->surface, &lattice, &filler->cut, filler->def->progress,
                               filler->def->progressContext, error);
    if (good)
    {
        size_t bytes = spArraySize(lattice.pointCount, sizeof(int32_t));
        filler->nodes = spAlloc(&filler->heap, bytes);
        good = filler->nodes != NULL || spFailMemory(error, "a lattice", bytes);
        for (int i = 0; good && i < lattice.pointCount; ++i)
        {
            filler->nodes[i] = -1;
        }
        good = good &&
               spGradeLattice(&filler->heap, &filler->cut, filler->def->growth, &filler->grade, error) &&
               spPutLatticeTets(filler, error);
        spFreeLatticeGrade(&filler->heap, &filler->grade);
    }
    int insideCount = filler->cut.insideCount;
    double maxWinding = filler->cut.maxWinding;
    spFree(&filler->heap, filler->nodes);
    spFreeCutLattice(&filler->heap, &filler->cut);
    filler->cut.insideCount = insideCount;
    filler->cut.maxWinding = maxWinding;
    if (!good)
    {
        spDestroyMesh(filler->mesh);
        return NULL;
    }
    return filler->mesh;
}

// The size from which a search for a count begins: lattice tets have a volume of size^3 / 12
static double spGuessSize(const spSolidSurface* surface, const spFillReport* report, int tetCount)
{
    spDVec3 extent = spDSub(surface->upper, surface->lower);
    double volume =
        report->surfaceVolume > 0.0 ? report->surfaceVolume : extent.x * extent.y * extent.z / 3.0;
    double size = cbrt(12.0 * volume / tetCount);
    // A flat box has hardly any volume
    return fmax(size, 0.02 * fmax(fmax(extent.x, extent.y), extent.z) / cbrt(tetCount / 5000.0));
}

// Tries sizes until the count is met
static spMesh* spFillToCount(spFiller* filler, spFillReport* report, spError* error)
{
    int wanted = filler->def->tetCount;
    double size = spGuessSize(&filler->surface, report, wanted);
    spMesh* best = NULL;
    for (int i = 0; i < SP_COUNT_TRIES; ++i)
    {
        spMesh* mesh = spFillOnce(filler, size, error);
        if (mesh == NULL)
        {
            spDestroyMesh(best);
            return NULL;
        }
        bool better = best == NULL || abs(mesh->tetCount - wanted) < abs(best->tetCount - wanted);
        report->size = better ? size : report->size;
        int count = mesh->tetCount;
        spDestroyMesh(better ? best : mesh);
        best = better ? mesh : best;
        bool hopeless =
            count == 0 && !report->closed && i > 0; // an open surface that most likely has no inside
        if (abs(count - wanted) <= SP_COUNT_TOLERANCE * wanted || hopeless)
        {
            break;
        }
        size *= count > 0 ? fmin(fmax(cbrt((double)count / wanted), 0.5), 2.0) : 0.5;
    }
    return best;
}

// Where walls are lost, ends of a body come off, which nobody wants to see fall: the largest part is kept
static bool spDropFragments(spHeap* heap, spMesh* mesh, spFillReport* report, spError* error)
{
    size_t size = spArraySize(mesh->vertexCount, sizeof(int32_t));
    int32_t* labels = spAlloc(heap, size);
    int partCount = 0, before = mesh->tetCount;
    if (labels == NULL)
    {
        return spFailMemory(error, "the parts of a mesh", size);
    }
    spLabelComponents(mesh, labels, &partCount);
    spFree(heap, labels);
    if (partCount <= 1)
    {
        return true;
    }
    spRepairDef repair = spDefaultRepairDef();
    repair.keepLargest = true;
    bool ok = spMesh_Repair(mesh, &repair, NULL, error);
    report->droppedParts = partCount - 1;
    report->droppedTetCount = before - mesh->tetCount;
    return ok;
}

// ---------------------------------------------------------------------------------------------------------
// The report

// The farthest that a vertex or the middle of a triangle is away from the tets
static bool spMeasureDistance(spFiller* filler, const spMesh* surface, const spMesh* mesh,
                              spFillReport* report, spError* error)
{
    spElementTree tree;
    if (!spBuildElementTree(&filler->heap, mesh, &tree, error))
    {
        return false;
    }
    for (int i = 0; i < surface->vertexCount + surface->triangleCount; ++i)
    {
        spDVec3 p = spGetSample(surface->vertices, surface->vertexCount, surface->triangles, i);
        report->maxDistance = fmax(report->maxDistance, spFindElement(&tree, p).distance);
    }
    spFreeElementTree(&filler->heap, &tree);
    return true;
}

static bool spCheckFillDef(const spMesh* surface, const spFillMeshDef* def, spError* error)
{
    if (def == NULL || def->internalValue != SP_DEF_COOKIE)
    {
        return spFail(error, sp_errorBadDef,
                      "the definition of a filling must come from spDefaultFillMeshDef");
    }
    if (surface == NULL)
    {
        return spFail(error, sp_errorBadArgument, "a filling needs a surface, which is NULL");
    }
    if (!(def->growth >= 0.0 && def->growth <= SP_LARGEST_GROWTH))
    {
        return spFail(error, sp_errorBadArgument, "the growth of tets must be within 0 and %g, not %g",
                      SP_LARGEST_GROWTH, def->growth);
    }
    if (!(def->sharpAngle >= 0.0 && def->sharpAngle <= 180.0))
    {
        return spFail(error, sp_errorBadArgument,
                      "the angle of sharp edges must be within 0 and 180 degrees, not %g", def->sharpAngle);
    }
    return def->size == 0.0 ? spCheckCount(def->tetCount, 1, SP_MESH_LIMIT, "the number of tets", error)
                            : spCheckPositive(def->size, "the size of tets", error);
}

spMesh* spFillMesh(const spMesh* mesh, const spFillMeshDef* def, spFillReport* report, spError* error)
{
    spFillReport scratch;
    report = report != NULL ? report : &scratch;
    *report = (spFillReport){0};
    if (!spCheckFillDef(mesh, def, error))
    {
        return NULL;
    }
    spFiller filler = {.heap = spMakeHeap(&def->allocator), .def = def};
    int partCount = 0;
    spMesh* surface = spCopySurface(mesh, &def->allocator, report, &partCount, error);
    if (surface == NULL)
    {
        return NULL;
    }
    spMesh* result = NULL;
    spWindingTree tree = {0};
    if (spFindBox(surface, &filler.surface.lower, &filler.surface.upper, error) &&
        spBuildWindingTree(&filler.heap, surface, &tree, error))
    {
        filler.surface.tree = &tree;
        filler.surface.closed = report->closed;
        report->size = def->size;
        result =
            def->size > 0.0 ? spFillOnce(&filler, def->size, error) : spFillToCount(&filler, report, error);
    }
    if (result != NULL && result->tetCount == 0)
    {
        spFailEmpty(&filler, report, report->size, error);
        spDestroyMesh(result);
        result = NULL;
    }
    if (result != NULL && partCount == 1 && !spDropFragments(&filler.heap, result, report, error))
    {
        spDestroyMesh(result);
        result = NULL;
    }
    if (result != NULL && def->sharpAngle > 0.0 &&
        !spSharpenMesh(&filler.heap, surface, def->sharpAngle, report->size, result, error))
    {
        spDestroyMesh(result);
        result = NULL;
    }
    if (result != NULL && report != &scratch && !spMeasureDistance(&filler, surface, result, report, error))
    {
        spDestroyMesh(result);
        result = NULL;
    }
    spFreeWindingTree(&filler.heap, &tree);
    spDestroyMesh(surface);
    if (result != NULL)
    {
        spTrimMesh(result);
    }
    return result;
}
