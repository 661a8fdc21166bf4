// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "mesh/triangle_tree.h"

#include "base/error.h"
#include "mesh/surface.h"

// ---- the surface ----

// Joins and drops, then turns triangles alike where they are not
static bool spMendSurface(spMesh* surface, int* dropped, spError* error)
{
    spRepairDef repair = spDefaultRepairDef();
    spRepairReport mended;
    spMeshReport report;
    repair.orientSurface = false;
    if (spMesh_Repair(surface, &repair, &mended, error) == false ||
        spMesh_Validate(surface, &report, error) == false)
    {
        return false;
    }
    *dropped = mended.droppedTriangles;
    repair.orientSurface = true;
    return report.problemCounts[sp_meshBadWinding] == 0 || spMesh_Repair(surface, &repair, NULL, error);
}

spMesh* spMakeSurfaceMesh(const spMesh* mesh, const spAllocator* allocator, spError* error)
{
    int dropped = 0;
    spMesh* surface = spCopyBoundary(mesh, allocator, error);
    if (surface == NULL)
    {
        return NULL;
    }
    bool ok = surface->triangleCount > 0 ||
              spFail(error, sp_errorBadMesh, "the mesh has neither triangles nor tets, so it has no surface");
    ok = ok && spMendSurface(surface, &dropped, error);
    if (ok && surface->triangleCount == 0)
    {
        ok = spFail(error, sp_errorBadMesh,
                    "none of the triangles of the mesh has an area (%d were left out); see souple mesh info",
                    dropped);
    }
    if (ok == false)
    {
        spDestroyMesh(surface);
        return NULL;
    }
    return surface;
}

// ---- normals ----

static spDVec3 spUnit(spDVec3 v)
{
    double length = spDLength(v);
    return length > 0.0 ? spDScale(1.0 / length, v) : v;
}

// The angle of a triangle at its corner j
static double spGetCornerAngle(const spDVec3* vertices, const int32_t* t, int j)
{
    spDVec3 a = spDSub(vertices[t[(j + 1) % 3]], vertices[t[j]]);
    spDVec3 b = spDSub(vertices[t[(j + 2) % 3]], vertices[t[j]]);
    return atan2(spDLength(spDCross(a, b)), spDDot(a, b));
}

static void spFillNormals(spTriangleTree* tree, const spMesh* surface, const int32_t* links, spDVec3* sums)
{
    const int32_t* triangles = surface->triangles;
    for (int i = 0; i < surface->triangleCount; ++i)
    {
        const int32_t* t = triangles + 3 * (int64_t)i;
        spDVec3 normal = spUnit(spTriangleNormal(surface->vertices, t));
        tree->normals[(int64_t)sp_featureCount * i + sp_featureFace] = normal;
        for (int j = 0; j < 3; ++j)
        {
            sums[t[j]] = spDMulAdd(sums[t[j]], spGetCornerAngle(surface->vertices, t, j), normal);
        }
    }
    for (int i = 0; i < surface->triangleCount; ++i)
    {
        spDVec3* normals = tree->normals + (int64_t)sp_featureCount * i;
        for (int j = 0; j < 3; ++j)
        {
            int64_t across = links[3 * (int64_t)i + j];
            spDVec3 other = across < 0 ? normals[sp_featureFace]
                                       : tree->normals[sp_featureCount * (across / 3) + sp_featureFace];
            spDVec3 edge = spUnit(spDAdd(normals[sp_featureFace], other));
            spDVec3 corner = spUnit(sums[triangles[3 * (int64_t)i + j]]);
            // Two triangles that lie on each other have no sum
            normals[sp_featureEdge + j] = spDDot(edge, edge) > 0.0 ? edge : normals[sp_featureFace];
            normals[sp_featureCorner + j] = spDDot(corner, corner) > 0.0 ? corner : normals[sp_featureFace];
        }
    }
}

static bool spMakeNormals(spHeap* heap, spTriangleTree* tree, const spMesh* surface)
{
    int64_t count = surface->triangleCount;
    spSurface edges;
    if (spBuildSurface(heap, surface->triangles, surface->triangleCount, surface->vertexCount, &edges) ==
        false)
    {
        return false;
    }
    int32_t* links = spAlloc(heap, spArraySize(3 * count, sizeof(int32_t)));
    spDVec3* sums = spAllocZeroed(heap, spArraySize(surface->vertexCount, sizeof(spDVec3)));
    tree->normals = spAlloc(heap, spArraySize(sp_featureCount * count, sizeof(spDVec3)));
    bool ok = links != NULL && sums != NULL && tree->normals != NULL;
    if (ok)
    {
        spLinkHalves(&edges, links);
        spFillNormals(tree, surface, links, sums);
    }
    spFree(heap, links);
    spFree(heap, sums);
    spFreeSurface(heap, &edges);
    return ok;
}

static double spGetVolume(const spMesh* surface)
{
    double sum = 0.0;
    for (int i = 0; i < surface->triangleCount; ++i)
    {
        const int32_t* t = surface->triangles + 3 * (int64_t)i;
        sum += spDDet(surface->vertices[t[0]], surface->vertices[t[1]], surface->vertices[t[2]]);
    }
    return sum / 6.0;
}

bool spBuildTriangleTree(spHeap* heap, const spMesh* surface, spTriangleTree* tree, spError* error)
{
    *tree = (spTriangleTree){0};
    if (spBuildElementTree(heap, surface, &tree->boxes, error) == false)
    {
        return false;
    }
    if (spFindClosed(heap, surface->triangles, surface->triangleCount, surface->vertexCount, &tree->closed) ==
            false ||
        spMakeNormals(heap, tree, surface) == false)
    {
        spFreeTriangleTree(heap, tree);
        return spFailMemory(error, "a tree of triangles",
                            spArraySize(surface->triangleCount, sp_featureCount * sizeof(spDVec3)));
    }
    tree->volume = tree->closed ? spGetVolume(surface) : 0.0;
    tree->lower = tree->boxes.boxes[0].lower;
    tree->upper = tree->boxes.boxes[0].upper;
    return true;
}

void spFreeTriangleTree(spHeap* heap, spTriangleTree* tree)
{
    spFreeElementTree(heap, &tree->boxes);
    spFree(heap, tree->normals);
    *tree = (spTriangleTree){0};
}

// ---- search ----

static void spTryTriangle(const spElementTree* boxes, int triangle, spDVec3 point, spSurfacePlace* best,
                          double* best2)
{
    const int32_t* t = boxes->elements + 3 * (int64_t)triangle;
    int feature;
    spDVec3 place = spFindTrianglePlace(point, boxes->vertices[t[0]], boxes->vertices[t[1]],
                                        boxes->vertices[t[2]], &feature);
    spDVec3 way = spDSub(point, place);
    double distance2 = spDDot(way, way);
    if (distance2 < *best2)
    {
        *best2 = distance2;
        *best = (spSurfacePlace){.triangle = triangle, .feature = feature, .point = place};
    }
}

spSurfacePlace spFindSurfacePlace(const spTriangleTree* tree, spDVec3 point, double limit)
{
    const spElementTree* boxes = &tree->boxes;
    spSurfacePlace best = {.triangle = -1};
    double best2 = limit * limit;
    spTreeVisit stack[64];
    stack[0] = (spTreeVisit){0, spBoxDistance2(boxes->boxes, point)};
    int depth = 1;
    while (depth > 0)
    {
        --depth;
        int node = stack[depth].node;
        if (!(stack[depth].distance2 < best2))
        {
            continue;
        }
        if (node >= boxes->leafCount - 1)
        {
            int leaf = node - (boxes->leafCount - 1);
            for (int i = spLeafBegin(boxes, leaf); i < spLeafBegin(boxes, leaf + 1); ++i)
            {
                spTryTriangle(boxes, boxes->sorted[i], point, &best, &best2);
            }
            continue;
        }
        depth = spPushChildren(boxes, node, point, stack, depth);
    }
    best.distance = sqrt(best2);
    return best;
}

double spGetSignedDistance(const spTriangleTree* tree, spDVec3 point, double limit)
{
    spSurfacePlace place = spFindSurfacePlace(tree, point, limit);
    if (place.triangle < 0)
    {
        return limit;
    }
    bool inside = spDDot(spDSub(point, place.point), spGetPlaceNormal(tree, &place)) < 0.0;
    return inside ? -place.distance : place.distance;
}
