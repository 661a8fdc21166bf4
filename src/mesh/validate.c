// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Everything that is wrong with a mesh, counted. Sorting finds copies and shared edges: O(n log n).

#include "base/error.h"
#include "mesh/mesh.h"
#include "mesh/mesh_math.h"
#include "mesh/sort.h"
#include "mesh/surface.h"

#include <string.h>

static const char* const problemNames[] = {
    "duplicate vertices", "orphan vertices", "degenerate triangles", "duplicate triangles",
    "degenerate tets",    "inverted tets",   "duplicate tets",       "open edges",
    "non-manifold edges", "bad winding",     "inward surface",       "several components",
};

_Static_assert(sizeof(problemNames) / sizeof(problemNames[0]) == sp_meshProblemCount,
               "one name for each problem");

const char* spMeshProblem_GetName(spMeshProblem problem)
{
    return (unsigned)problem < (unsigned)sp_meshProblemCount ? problemNames[problem] : "unknown problem";
}

static void spNote(spMeshReport* report, spMeshProblem problem, int index)
{
    report->problemCounts[problem] += 1;
    if (report->firstProblem[problem] < 0 || index < report->firstProblem[problem])
    {
        report->firstProblem[problem] = index;
    }
}

static void spMeasureBounds(const spMesh* mesh, spMeshReport* report)
{
    report->lower = mesh->vertices[0];
    report->upper = mesh->vertices[0];
    for (int i = 1; i < mesh->vertexCount; ++i)
    {
        report->lower = spDMin(report->lower, mesh->vertices[i]);
        report->upper = spDMax(report->upper, mesh->vertices[i]);
    }
}

static bool spMeasureEdges(const spMesh* mesh, spMeshReport* report, spError* error)
{
    spIndexList edges;
    if (!spMesh_CollectEdges(mesh, &edges, error))
    {
        return false;
    }
    double shortest = INFINITY, longest = 0.0, sum = 0.0;
    for (int i = 0; i < edges.count; ++i)
    {
        double length = spDDistance(mesh->vertices[edges.data[2 * i]], mesh->vertices[edges.data[2 * i + 1]]);
        shortest = fmin(shortest, length);
        longest = fmax(longest, length);
        sum += length;
    }
    if (edges.count > 0)
    {
        report->minEdge = shortest;
        report->maxEdge = longest;
        report->meanEdge = sum / edges.count;
    }
    spFreeIndexList(&edges);
    return true;
}

static bool spCheckVertices(spHeap* heap, const spMesh* mesh, spMeshReport* report, spError* error)
{
    size_t size = spArraySize(mesh->vertexCount, sizeof(int32_t));
    int32_t* labels = spAlloc(heap, size);
    if (labels == NULL || spFindSameVertices(heap, mesh->vertices, mesh->vertexCount, labels) < 0)
    {
        spFree(heap, labels);
        return spFailMemory(error, "examining the vertices of a mesh", 3 * size);
    }
    for (int i = 0; i < mesh->vertexCount; ++i)
    {
        if (labels[i] != i)
        {
            spNote(report, sp_meshDuplicateVertices, i);
        }
    }

    spLabelComponents(mesh, labels, &report->componentCount);
    int seen = 0;
    for (int i = 0; i < mesh->vertexCount; ++i)
    {
        if (labels[i] < 0)
        {
            spNote(report, sp_meshOrphanVertices, i);
        }
        else if (labels[i] == seen)
        {
            if (seen++ > 0)
            {
                spNote(report, sp_meshSeveralComponents, i);
            }
        }
    }
    spFree(heap, labels);
    return true;
}

// Counts elements on the same vertices as an earlier one
static bool spCountCopies(spHeap* heap, const int32_t* elements, int tupleSize, int count, int vertexCount,
                          spMeshProblem problem, spMeshReport* report, spError* error)
{
    if (count == 0)
    {
        return true;
    }
    size_t tupleBytes = spArraySize(count, (size_t)tupleSize * sizeof(int32_t));
    size_t orderSize = spArraySize(count, sizeof(int32_t));
    int32_t* tuples = spAlloc(heap, tupleBytes);
    int32_t* order = spAlloc(heap, orderSize);
    bool ok = tuples != NULL && order != NULL;
    if (ok)
    {
        memcpy(tuples, elements, tupleBytes);
        for (int i = 0; i < count; ++i)
        {
            spSortTuple(tuples + (int64_t)i * tupleSize, tupleSize);
        }
        ok = spSortTuples(heap, tuples, tupleSize, count, vertexCount, order);
    }
    for (int i = 1; ok && i < count; ++i)
    {
        if (spSameTuple(tuples, tupleSize, order[i - 1], order[i]))
        {
            spNote(report, problem, order[i]);
        }
    }
    spFree(heap, order);
    spFree(heap, tuples);
    return ok ? true : spFailMemory(error, "examining the elements of a mesh", tupleBytes + orderSize);
}

static bool spCheckElements(spHeap* heap, const spMesh* mesh, spMeshReport* report, spError* error)
{
    for (int i = 0; i < mesh->triangleCount; ++i)
    {
        if (spClassifyTriangle(mesh->vertices, mesh->triangles + 3 * i) != sp_elementFine)
        {
            spNote(report, sp_meshDegenerateTriangles, i);
        }
    }
    for (int i = 0; i < mesh->tetCount; ++i)
    {
        spElementState state = spClassifyTet(mesh->vertices, mesh->tets + 4 * i);
        if (state != sp_elementFine)
        {
            spNote(report, state == sp_elementFlat ? sp_meshDegenerateTets : sp_meshInvertedTets, i);
        }
    }
    return spCountCopies(heap, mesh->triangles, 3, mesh->triangleCount, mesh->vertexCount,
                         sp_meshDuplicateTriangles, report, error) &&
           spCountCopies(heap, mesh->tets, 4, mesh->tetCount, mesh->vertexCount, sp_meshDuplicateTets, report,
                         error);
}

// What is known of the part of a surface that hangs together over edges; kept at its smallest triangle
typedef struct spSurfacePart
{
    double volume;
    bool faulty; // open, non-manifold or badly wound somewhere
} spSurfacePart;

// Closed parts that look inwards. Only for surfaces: the boundary around a hole in a tet mesh must look into
// the hole.
static void spFindInwardParts(const spSurface* surface, const spMesh* mesh, int32_t* parents,
                              spSurfacePart* parts, spMeshReport* report)
{
    spDVec3 middle = spDMulAdd(report->lower, 0.5, spDSub(report->upper, report->lower));
    for (int i = 0; i < surface->triangleCount; ++i)
    {
        const int32_t* t = surface->triangles + 3 * i;
        spDVec3 a = spDSub(mesh->vertices[t[0]], middle);
        int32_t root = spFindRoot(parents, i);
        parts[root].volume += spDDot(a, spTriangleNormal(mesh->vertices, t)) / 6.0;
    }
    double total = 0.0;
    for (int i = 0; i < surface->triangleCount; ++i)
    {
        if (parents[i] != i)
        {
            continue;
        }
        total += parts[i].volume;
        if (!parts[i].faulty && parts[i].volume < 0.0)
        {
            spNote(report, sp_meshInwardSurface, i);
        }
    }
    report->volume = report->closed ? total : 0.0;
}

static void spCheckSurfaceEdges(const spSurface* surface, int32_t* parents, spSurfacePart* parts,
                                spMeshReport* report)
{
    for (int i = 0; i < surface->triangleCount; ++i)
    {
        parents[i] = i;
    }
    for (int begin = 0, end; begin < surface->count; begin = end)
    {
        end = spFindEdgeEnd(surface, begin);
        int32_t first = spGetHalf(surface, begin);
        for (int i = begin + 1; i < end; ++i)
        {
            spJoinRoots(parents, first / 3, spGetHalf(surface, i) / 3);
        }
        if (end - begin == 1)
        {
            spNote(report, sp_meshOpenEdges, first / 3);
        }
        else if (end - begin > 2)
        {
            spNote(report, sp_meshNonManifoldEdges, first / 3);
        }
        else if (spRunAlike(surface, first, spGetHalf(surface, begin + 1)))
        {
            spNote(report, sp_meshBadWinding, first / 3);
        }
        else
        {
            continue;
        }
        // The root may still change: faults are handed on below
        parts[first / 3].faulty = true;
    }
    for (int i = 0; i < surface->triangleCount; ++i)
    {
        parts[spFindRoot(parents, i)].faulty |= parts[i].faulty;
    }
    report->closed = surface->count > 0 && report->problemCounts[sp_meshOpenEdges] == 0 &&
                     report->problemCounts[sp_meshNonManifoldEdges] == 0;
}

static bool spCheckSurface(spHeap* heap, const spMesh* mesh, spMeshReport* report, spError* error)
{
    spIndexList triangles;
    if (!spMesh_CollectBoundary(mesh, &triangles, error))
    {
        return false;
    }
    report->boundaryTriangleCount = triangles.count;
    if (triangles.count == 0)
    {
        spFreeIndexList(&triangles);
        return true;
    }
    for (int i = 0; i < triangles.count; ++i)
    {
        report->surfaceArea += 0.5 * spDLength(spTriangleNormal(mesh->vertices, triangles.data + 3 * i));
    }
    size_t parentSize = spArraySize(triangles.count, sizeof(int32_t));
    size_t partSize = spArraySize(triangles.count, sizeof(spSurfacePart));
    int32_t* parents = spAlloc(heap, parentSize);
    spSurfacePart* parts = spAllocZeroed(heap, partSize);
    spSurface surface = {0};
    bool ok = parents != NULL && parts != NULL &&
              spBuildSurface(heap, triangles.data, triangles.count, mesh->vertexCount, &surface);
    if (ok)
    {
        spCheckSurfaceEdges(&surface, parents, parts, report);
        if (mesh->tetCount == 0)
        {
            spFindInwardParts(&surface, mesh, parents, parts, report);
        }
    }
    else
    {
        spFailMemory(error, "examining the surface of a mesh", parentSize + partSize);
    }
    spFreeSurface(heap, &surface);
    spFree(heap, parts);
    spFree(heap, parents);
    spFreeIndexList(&triangles);
    return ok;
}

bool spMesh_Validate(const spMesh* mesh, spMeshReport* report, spError* error)
{
    if (mesh == NULL || report == NULL)
    {
        return spFail(error, sp_errorBadArgument, "the mesh to examine or its report is NULL");
    }
    *report = (spMeshReport){
        .vertexCount = mesh->vertexCount,
        .triangleCount = mesh->triangleCount,
        .tetCount = mesh->tetCount,
    };
    for (int i = 0; i < sp_meshProblemCount; ++i)
    {
        report->firstProblem[i] = -1;
    }
    spHeap heap = spMakeQueryHeap(mesh);
    spMeasureBounds(mesh, report);
    spMeasureQuality(mesh, report);
    return spMeasureEdges(mesh, report, error) && spCheckVertices(&heap, mesh, report, error) &&
           spCheckElements(&heap, mesh, report, error) && spCheckSurface(&heap, mesh, report, error);
}
