// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Mending a mesh: a copy is worked on step by step and takes the place of the mesh when every step went well.

#include "base/error.h"
#include "mesh/mesh.h"
#include "mesh/mesh_math.h"
#include "mesh/repair_parts.h"
#include "mesh/sort.h"
#include "mesh/surface.h"

#include <string.h>

spRepairDef spDefaultRepairDef(void)
{
    return (spRepairDef){
        .mergeDistance = 0.0,
        .dropOrphans = true,
        .dropDegenerate = true,
        .flipInvertedTets = true,
        .orientSurface = true,
        .internalValue = SP_DEF_COOKIE,
    };
}

// Vertices in cells of the merge distance. Cells are sorted by x, y, z, so that cells (x, y, z - 1 .. z + 1)
// stand side by side. Each cell has a list of the vertices that stay; these are at least the distance apart,
// so a cell has few.
typedef struct spMergeGrid
{
    spDVec3* cells;  // of each vertex, whole numbers
    int32_t* sorted; // vertices by cell
    int32_t* starts; // first place in sorted of each distinct cell
    int32_t* heads;  // first vertex that stays in each distinct cell; -1 at the end
    int32_t* nexts;  // next vertex that stays
    int32_t* places; // distinct cell of each vertex
    int vertexCount;
    int cellCount;
} spMergeGrid;

static void spFreeGrid(spHeap* heap, spMergeGrid* grid)
{
    spFree(heap, grid->cells);
    spFree(heap, grid->sorted);
    spFree(heap, grid->starts);
    spFree(heap, grid->heads);
    spFree(heap, grid->nexts);
    spFree(heap, grid->places);
}

static bool spCellComesBefore(spDVec3 a, spDVec3 b)
{
    return a.x != b.x ? a.x < b.x : (a.y != b.y ? a.y < b.y : a.z < b.z);
}

static bool spVertexComesBefore(int32_t a, int32_t b, const void* context)
{
    const spDVec3* cells = context;
    return spCellComesBefore(cells[a], cells[b]);
}

static bool spBuildGrid(spHeap* heap, const spDVec3* vertices, int count, double distance, spMergeGrid* grid)
{
    size_t size = spArraySize(count, sizeof(int32_t));
    *grid = (spMergeGrid){.vertexCount = count};
    grid->cells = spAlloc(heap, spArraySize(count, sizeof(spDVec3)));
    grid->sorted = spAlloc(heap, size);
    grid->starts = spAlloc(heap, size);
    grid->heads = spAlloc(heap, size);
    grid->nexts = spAlloc(heap, size);
    grid->places = spAlloc(heap, size);
    if (grid->cells == NULL || grid->sorted == NULL || grid->starts == NULL || grid->heads == NULL ||
        grid->nexts == NULL || grid->places == NULL)
    {
        spFreeGrid(heap, grid);
        return false;
    }
    for (int i = 0; i < count; ++i)
    {
        spDVec3 p = vertices[i];
        grid->cells[i] = (spDVec3){floor(p.x / distance), floor(p.y / distance), floor(p.z / distance)};
        grid->sorted[i] = i;
    }
    spSortIndices(grid->sorted, grid->nexts, count, spVertexComesBefore, grid->cells);
    for (int i = 0; i < count; ++i)
    {
        int32_t v = grid->sorted[i];
        if (i == 0 || spVertexComesBefore(grid->sorted[i - 1], v, grid->cells))
        {
            grid->starts[grid->cellCount] = i;
            grid->heads[grid->cellCount++] = -1;
        }
        grid->places[v] = grid->cellCount - 1;
    }
    return true;
}

// First distinct cell that is not before `cell`
static int spFindCell(const spMergeGrid* grid, spDVec3 cell)
{
    int low = 0, high = grid->cellCount;
    while (low < high)
    {
        int middle = low + (high - low) / 2;
        if (spCellComesBefore(grid->cells[grid->sorted[grid->starts[middle]]], cell))
        {
            low = middle + 1;
        }
        else
        {
            high = middle;
        }
    }
    return low;
}

// The nearest vertex that stays, closer than the distance; -1 when there is none
static int32_t spFindClose(const spMergeGrid* grid, const spDVec3* vertices, int32_t v, double distance)
{
    int32_t best = -1;
    double bestDistance = distance;
    spDVec3 home = grid->cells[v];
    for (int column = 0; column < 9; ++column)
    {
        spDVec3 cell = {home.x + column / 3 - 1, home.y + column % 3 - 1, home.z - 1.0};
        for (int c = spFindCell(grid, cell); c < grid->cellCount; ++c)
        {
            spDVec3 found = grid->cells[grid->sorted[grid->starts[c]]];
            if (found.x != cell.x || found.y != cell.y || found.z > home.z + 1.0)
            {
                break;
            }
            for (int32_t other = grid->heads[c]; other >= 0; other = grid->nexts[other])
            {
                double d = spDDistance(vertices[v], vertices[other]);
                if (d < bestDistance || (d == bestDistance && best >= 0 && other < best))
                {
                    bestDistance = d;
                    best = other;
                }
            }
        }
    }
    return best;
}

// remap[i] = an earlier vertex closer than the distance, or i. Vertices are taken in order, so that chains of
// close vertices do not collapse into one.
static bool spFindCloseVertices(spHeap* heap, const spDVec3* vertices, int count, double distance,
                                int32_t* remap)
{
    spMergeGrid grid;
    if (!spBuildGrid(heap, vertices, count, distance, &grid))
    {
        return false;
    }
    for (int i = 0; i < count; ++i)
    {
        int32_t close = spFindClose(&grid, vertices, i, distance);
        remap[i] = close >= 0 ? close : i;
        if (close < 0)
        {
            int cell = grid.places[i];
            grid.nexts[i] = grid.heads[cell];
            grid.heads[cell] = i;
        }
    }
    spFreeGrid(heap, &grid);
    return true;
}

static bool spMergeVertices(spMesh* mesh, double distance, spRepairReport* report, spError* error)
{
    // The grid counts cells in doubles, which must be able to tell neighbours apart
    double largest = 0.0;
    for (int i = 0; i < mesh->vertexCount; ++i)
    {
        spDVec3 p = mesh->vertices[i];
        largest = fmax(largest, fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z))));
    }
    if (distance > 0.0 && !(largest / distance < 1.0e15))
    {
        return spFail(error, sp_errorBadArgument,
                      "a merge distance of %g is too small for coordinates up to %g; use 0 to merge exact "
                      "copies only",
                      distance, largest);
    }
    size_t size = spArraySize(mesh->vertexCount, sizeof(int32_t));
    int32_t* remap = spAlloc(&mesh->heap, size);
    bool ok = remap != NULL;
    if (ok && distance > 0.0)
    {
        ok = spFindCloseVertices(&mesh->heap, mesh->vertices, mesh->vertexCount, distance, remap);
    }
    else if (ok)
    {
        ok = spFindSameVertices(&mesh->heap, mesh->vertices, mesh->vertexCount, remap) >= 0;
    }
    if (ok)
    {
        int newCount = 0;
        for (int i = 0; i < mesh->vertexCount; ++i)
        {
            remap[i] = remap[i] == i ? newCount++ : remap[remap[i]];
        }
        report->mergedVertices = mesh->vertexCount - newCount;
        spRemapVertices(mesh, remap, newCount);
    }
    else
    {
        spFailMemory(error, "merging vertices", size);
    }
    spFree(&mesh->heap, remap);
    return ok;
}

static bool spHasShape(const spMesh* mesh, const int32_t* element, int tupleSize)
{
    switch (tupleSize)
    {
        case 2:
            return element[0] != element[1];
        case 3:
            return spClassifyTriangle(mesh->vertices, element) == sp_elementFine;
        default:
            return spClassifyTet(mesh->vertices, element) != sp_elementFlat;
    }
}

// Removes copies of earlier elements, and those without shape unless they are kept. regions may be NULL, part
// sp_meshPartCount where there are no values. Returns how many went, or -1 without memory.
static int spDropBadElements(spMesh* mesh, int32_t* elements, int32_t* regions, spMeshPart part,
                             int tupleSize, int count, bool keepFlat)
{
    if (count == 0)
    {
        return 0;
    }
    spHeap* heap = &mesh->heap;
    size_t tupleBytes = spArraySize(count, (size_t)tupleSize * sizeof(int32_t));
    size_t orderSize = spArraySize(count, sizeof(int32_t));
    size_t keepSize = spArraySize(count, 1);
    int32_t* tuples = spAlloc(heap, tupleBytes);
    int32_t* order = spAlloc(heap, orderSize);
    uint8_t* keep = spAlloc(heap, keepSize);
    bool ok = tuples != NULL && order != NULL && keep != NULL;
    if (ok)
    {
        memcpy(tuples, elements, tupleBytes);
        for (int i = 0; i < count; ++i)
        {
            keep[i] = keepFlat || spHasShape(mesh, elements + (int64_t)i * tupleSize, tupleSize);
            spSortTuple(tuples + (int64_t)i * tupleSize, tupleSize);
        }
        ok = spSortTuples(heap, tuples, tupleSize, count, mesh->vertexCount, order);
    }
    int dropped = -1;
    if (ok)
    {
        for (int i = 1; i < count; ++i)
        {
            keep[order[i]] &= !spSameTuple(tuples, tupleSize, order[i - 1], order[i]);
        }
        int kept = 0;
        for (int i = 0; i < count; ++i)
        {
            if (keep[i])
            {
                memmove(elements + (int64_t)kept * tupleSize, elements + (int64_t)i * tupleSize,
                        (size_t)tupleSize * sizeof(int32_t));
                if (regions != NULL)
                {
                    regions[kept] = regions[i];
                }
                ++kept;
            }
        }
        spKeepValues(mesh, part, keep, count);
        dropped = count - kept;
    }
    spFree(heap, keep);
    spFree(heap, order);
    spFree(heap, tuples);
    return dropped;
}

static bool spDropTriangles(spMesh* mesh, bool keepFlat, spRepairReport* report, spError* error)
{
    int dropped =
        spDropBadElements(mesh, mesh->triangles, NULL, sp_meshTriangles, 3, mesh->triangleCount, keepFlat);
    if (dropped < 0)
    {
        return spFail(error, sp_errorOutOfMemory, "out of memory: dropping triangles");
    }
    mesh->triangleCount -= dropped;
    report->droppedTriangles += dropped;
    return true;
}

// What lies between tets is theirs: their faces are not turned
static bool spDropFlatTriangles(spMesh* mesh, spRepairReport* report, spError* error)
{
    return (mesh->tetCount > 0 || (spDropTriangles(mesh, true, report, error) &&
                                   (mesh->triangleCount == 0 || spTurnCaps(mesh, report, error)))) &&
           spDropTriangles(mesh, false, report, error);
}

static bool spDropDegenerate(spMesh* mesh, spRepairReport* report, spError* error)
{
    int edges = spDropBadElements(mesh, mesh->edges, NULL, sp_meshPartCount, 2, mesh->edgeCount, false);
    int tets = spDropBadElements(mesh, mesh->tets, mesh->tetRegions, sp_meshTets, 4, mesh->tetCount, false);
    if (edges < 0 || tets < 0)
    {
        return spFail(error, sp_errorOutOfMemory, "out of memory: dropping degenerate elements");
    }
    mesh->edgeCount -= edges;
    mesh->tetCount -= tets;
    report->droppedTets = tets;
    return spDropFlatTriangles(mesh, report, error);
}

static void spFlipInvertedTets(spMesh* mesh, spRepairReport* report)
{
    for (int i = 0; i < mesh->tetCount; ++i)
    {
        int32_t* tet = mesh->tets + 4 * i;
        if (spTetVolume(mesh->vertices, tet) < 0.0)
        {
            int32_t swapped = tet[1];
            tet[1] = tet[2];
            tet[2] = swapped;
            report->flippedTets += 1;
        }
    }
}

// The triangles of one connected part, in the order they were reached, and what they add up to
typedef struct spOrientation
{
    int32_t* links; // half edge across each half edge with exactly two triangles, else -1
    int32_t* queue;
    uint8_t* state; // bit 0: reached, bit 1: to be flipped
} spOrientation;

// Orients the part around one triangle. Returns how many triangles it has, in queue.
static int spOrientPart(const spSurface* surface, const spOrientation* orientation, int seed, bool* closed)
{
    int count = 0;
    *closed = true;
    orientation->queue[count++] = seed;
    orientation->state[seed] = 1;
    for (int i = 0; i < count; ++i)
    {
        int32_t triangle = orientation->queue[i];
        bool flipped = (orientation->state[triangle] & 2) != 0;
        for (int j = 0; j < 3; ++j)
        {
            int32_t half = 3 * triangle + j, across = orientation->links[half];
            if (across < 0)
            {
                *closed = false;
                continue;
            }
            int32_t other = across / 3;
            if (orientation->state[other] == 0)
            {
                bool flipOther = flipped != spRunAlike(surface, half, across);
                orientation->state[other] = flipOther ? 3 : 1;
                orientation->queue[count++] = other;
            }
        }
    }
    return count;
}

// Whether the whole part must be turned round: closed parts look outwards, others keep most triangles
static bool spMustTurn(const spMesh* mesh, const spOrientation* orientation, int count, bool closed)
{
    double volume = 0.0;
    int flippedCount = 0;
    spDVec3 origin = mesh->vertices[mesh->triangles[3 * orientation->queue[0]]];
    for (int i = 0; i < count; ++i)
    {
        const int32_t* t = mesh->triangles + 3 * orientation->queue[i];
        bool flipped = (orientation->state[orientation->queue[i]] & 2) != 0;
        double part = spDDot(spDSub(mesh->vertices[t[0]], origin), spTriangleNormal(mesh->vertices, t));
        volume += flipped ? -part : part;
        flippedCount += flipped;
    }
    return closed ? volume < 0.0 : 2 * (int64_t)flippedCount > count;
}

static void spOrientParts(spMesh* mesh, const spSurface* surface, const spOrientation* orientation,
                          spRepairReport* report)
{
    for (int seed = 0; seed < mesh->triangleCount; ++seed)
    {
        if (orientation->state[seed] != 0)
        {
            continue;
        }
        bool closed;
        int count = spOrientPart(surface, orientation, seed, &closed);
        bool turn = spMustTurn(mesh, orientation, count, closed);
        for (int i = 0; i < count; ++i)
        {
            if (((orientation->state[orientation->queue[i]] & 2) != 0) != turn)
            {
                int32_t* t = mesh->triangles + 3 * orientation->queue[i];
                int32_t swapped = t[1];
                t[1] = t[2];
                t[2] = swapped;
                report->flippedTriangles += 1;
            }
        }
    }
}

static bool spOrientSurface(spMesh* mesh, spRepairReport* report, spError* error)
{
    int count = mesh->triangleCount;
    if (count == 0)
    {
        return true;
    }
    spHeap* heap = &mesh->heap;
    size_t linkSize = spArraySize(count, 3 * sizeof(int32_t));
    size_t queueSize = spArraySize(count, sizeof(int32_t));
    size_t stateSize = spArraySize(count, 1);
    spOrientation orientation = {
        .links = spAlloc(heap, linkSize),
        .queue = spAlloc(heap, queueSize),
        .state = spAllocZeroed(heap, stateSize),
    };
    spSurface surface = {0};
    bool ok = orientation.links != NULL && orientation.queue != NULL && orientation.state != NULL &&
              spBuildSurface(heap, mesh->triangles, count, mesh->vertexCount, &surface);
    if (ok)
    {
        spLinkHalves(&surface, orientation.links);
        spOrientParts(mesh, &surface, &orientation, report);
    }
    else
    {
        spFailMemory(error, "orienting a surface", linkSize + queueSize + stateSize);
    }
    spFreeSurface(heap, &surface);
    spFree(heap, orientation.state);
    spFree(heap, orientation.queue);
    spFree(heap, orientation.links);
    return ok;
}

static void spMarkUsed(int32_t* remap, const int32_t* indices, int64_t count)
{
    for (int64_t i = 0; i < count; ++i)
    {
        remap[indices[i]] = 0;
    }
}

static bool spDropOrphans(spMesh* mesh, spRepairReport* report, spError* error)
{
    size_t size = spArraySize(mesh->vertexCount, sizeof(int32_t));
    int32_t* remap = spAlloc(&mesh->heap, size);
    if (remap == NULL)
    {
        return spFailMemory(error, "dropping orphan vertices", size);
    }
    memset(remap, 0xFF, size);
    spMarkUsed(remap, mesh->edges, 2 * (int64_t)mesh->edgeCount);
    spMarkUsed(remap, mesh->triangles, 3 * (int64_t)mesh->triangleCount);
    spMarkUsed(remap, mesh->tets, 4 * (int64_t)mesh->tetCount);
    int newCount = 0;
    for (int i = 0; i < mesh->vertexCount; ++i)
    {
        remap[i] = remap[i] == 0 ? newCount++ : -1;
    }
    // A mesh keeps at least one vertex
    if (newCount > 0)
    {
        report->droppedOrphans = mesh->vertexCount - newCount;
        spRemapVertices(mesh, remap, newCount);
    }
    spFree(&mesh->heap, remap);
    return true;
}

static spMesh* spCopyMesh(const spMesh* mesh, spError* error)
{
    spMeshDef def = spDefaultMeshDef();
    def.vertices = mesh->vertices;
    def.vertexCount = mesh->vertexCount;
    def.edges = mesh->edges;
    def.edgeCount = mesh->edgeCount;
    def.triangles = mesh->triangles;
    def.triangleCount = mesh->triangleCount;
    def.tets = mesh->tets;
    def.tetCount = mesh->tetCount;
    def.tetRegions = mesh->tetRegions;
    def.allocator = mesh->heap.allocator;
    spMesh* copy = spCreateMesh(&def, error);
    if (copy != NULL)
    {
        copy->formatName = mesh->formatName;
        copy->loadReport = mesh->loadReport;
        if (!spCopyValues(copy, mesh, error))
        {
            spDestroyMesh(copy);
            copy = NULL;
        }
    }
    return copy;
}

static bool spRepairCopy(spMesh* mesh, const spRepairDef* def, spRepairReport* report, spError* error)
{
    if (def->mergeDistance >= 0.0 && !spMergeVertices(mesh, def->mergeDistance, report, error))
    {
        return false;
    }
    if (def->dropDegenerate && !spDropDegenerate(mesh, report, error))
    {
        return false;
    }
    if (def->flipInvertedTets)
    {
        spFlipInvertedTets(mesh, report);
    }
    if (def->keepLargest && !spKeepLargestPart(mesh, report, error))
    {
        return false;
    }
    if (def->orientSurface && !spOrientSurface(mesh, report, error))
    {
        return false;
    }
    // What closes a hole along a line has no area
    if (def->closeHoles > 0 && mesh->triangleCount > 0 &&
        (!spCloseHoles(mesh, def->closeHoles, report, error) ||
         (def->dropDegenerate && !spDropFlatTriangles(mesh, report, error))))
    {
        return false;
    }
    return !def->dropOrphans || spDropOrphans(mesh, report, error);
}

bool spMesh_Repair(spMesh* mesh, const spRepairDef* def, spRepairReport* report, spError* error)
{
    if (mesh == NULL || def == NULL)
    {
        return spFail(error, sp_errorBadArgument, "the mesh to repair or the definition is NULL");
    }
    if (def->internalValue != SP_DEF_COOKIE)
    {
        return spFail(error, sp_errorBadDef, "the repair definition must come from spDefaultRepairDef");
    }
    if (!isfinite(def->mergeDistance))
    {
        return spFail(error, sp_errorBadArgument, "the merge distance is not finite");
    }
    if (def->closeHoles < 0 || def->closeHoles > SP_MAX_HOLE)
    {
        return spFail(error, sp_errorBadArgument, "holes to be closed have 0 to %d edges, not %d",
                      SP_MAX_HOLE, def->closeHoles);
    }
    spMesh* copy = spCopyMesh(mesh, error);
    if (copy == NULL)
    {
        return false;
    }
    spRepairReport done = {0};
    bool ok = spRepairCopy(copy, def, &done, error);
    if (ok)
    {
        spTrimMesh(copy);
        spMesh old = *mesh;
        *mesh = *copy;
        *copy = old;
        if (report != NULL)
        {
            *report = done;
        }
    }
    spDestroyMesh(copy);
    return ok;
}
