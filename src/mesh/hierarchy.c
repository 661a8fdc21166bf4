// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "mesh/hierarchy.h"

#include "base/error.h"
#include "mesh/element_tree.h"

#include <math.h>
#include <string.h>

// Weights whose sizes sum to more extrapolate too far to be of use: of children, and of a tet that a node lies
// outside of
#define SP_MOST_SPREAD 3.0
#define SP_MOST_EXTRAPOLATION 9.0

// Distances that are within this are the same
#define SP_TIE (1.0 + 1e-6)

// Pivots below this share of the number of points are rounding
#define SP_NO_PIVOT 1e-9

bool spFindAffineWeights(spDVec3 p, const spDVec3* points, int count, double* weights)
{
    double scale = 0.0, m[4][5] = {{0}}, spread = 0.0, sums[4] = {0};
    for (int i = 0; i < count; ++i)
    {
        scale = fmax(scale, spDLength(spDSub(points[i], p)));
    }
    scale = scale > 0.0 ? scale : 1.0;
    // The normal equations A A^T y = (1, 0, 0, 0), a column of A being (1, (x - p) / scale)
    for (int i = 0; i < count; ++i)
    {
        spDVec3 d = spDSub(points[i], p);
        const double a[4] = {1.0, d.x / scale, d.y / scale, d.z / scale};
        for (int k = 0; k < 16; ++k)
        {
            m[k / 4][k % 4] += a[k / 4] * a[k % 4];
        }
    }
    m[0][4] = 1.0;
    // Gauss-Jordan with diagonal pivots; directions that the points do not span stay at 0
    bool used[4] = {false};
    for (int round = 0; round < 4; ++round)
    {
        int pivot = -1;
        for (int k = 0; k < 4; ++k)
        {
            pivot = !used[k] && (pivot < 0 || m[k][k] > m[pivot][pivot]) ? k : pivot;
        }
        if (!(m[pivot][pivot] > SP_NO_PIVOT * count))
        {
            break;
        }
        used[pivot] = true;
        for (int row = 0; row < 4; ++row)
        {
            double factor = row == pivot ? 0.0 : m[row][pivot] / m[pivot][pivot];
            for (int k = 0; k < 5; ++k)
            {
                m[row][k] -= factor * m[pivot][k];
            }
        }
    }
    double y[4];
    for (int k = 0; k < 4; ++k)
    {
        y[k] = used[k] ? m[k][4] / m[k][k] : 0.0;
    }
    for (int i = 0; i < count; ++i)
    {
        spDVec3 d = spDSub(points[i], p);
        const double a[4] = {1.0, d.x / scale, d.y / scale, d.z / scale};
        weights[i] = a[0] * y[0] + a[1] * y[1] + a[2] * y[2] + a[3] * y[3];
        spread += fabs(weights[i]);
        for (int k = 0; k < 4; ++k)
        {
            sums[k] += weights[i] * a[k];
        }
    }
    double miss = fabs(sums[0] - 1.0) + fabs(sums[1]) + fabs(sums[2]) + fabs(sums[3]);
    return count > 0 && miss < 1e-9 && spread <= SP_MOST_SPREAD;
}

// ---- building ----

typedef struct spHierarchyBuild
{
    spHeap* heap;
    const spHierarchyDef* def;
    spHierarchy* h;
    spError* error;
    int32_t* neighbourBegin; // nodes at the other end of edges
    int32_t* neighbours;
    spDVec3* points; // scratch
    double* weights;
    double* volumes; // of nodes, m^3
    double* taken;   // by their children so far, m^3
} spHierarchyBuild;

static int spGetTotal(const spHierarchy* h)
{
    return h->begin[h->levelCount];
}

static bool spAllocHierarchy(spHierarchyBuild* b)
{
    spHierarchy* h = b->h;
    int nodes = 0, tets = 0;
    for (int level = 0; level < h->levelCount; ++level)
    {
        const spMesh* mesh = b->def->meshes[level];
        if ((int64_t)nodes + mesh->vertexCount > SP_MESH_LIMIT ||
            (int64_t)tets + mesh->tetCount > SP_MESH_LIMIT / 8)
        {
            return spFail(b->error, sp_errorLimit,
                          "the levels of a body have too many vertices or tets together");
        }
        nodes += mesh->vertexCount;
        tets += mesh->tetCount;
        h->begin[level + 1] = nodes;
        h->tetBegin[level + 1] = tets;
    }
    spHeap* heap = b->heap;
    h->rest = spAlloc(heap, spArraySize(nodes, sizeof(spDVec3)));
    h->tets = spAlloc(heap, spArraySize(tets, sizeof(*h->tets)));
    h->sources = spAlloc(heap, spArraySize(tets, sizeof(int32_t)));
    h->mass = spAllocZeroed(heap, spArraySize(nodes, sizeof(double)));
    h->leafCount = spAllocZeroed(heap, spArraySize(nodes, sizeof(int32_t)));
    h->leaves = spAlloc(heap, spArraySize(nodes, sizeof(int32_t)));
    h->parents = spAlloc(heap, spArraySize(nodes, sizeof(int32_t)));
    h->childBegin = spAllocZeroed(heap, spArraySize(nodes + 1, sizeof(int32_t)));
    h->children = spAlloc(heap, spArraySize(nodes, sizeof(int32_t)));
    h->tetsOfBegin = spAllocZeroed(heap, spArraySize(nodes + 1, sizeof(int32_t)));
    h->tetsOf = spAlloc(heap, spArraySize(tets, 4 * sizeof(int32_t)));
    h->up = spAllocZeroed(heap, spArraySize(nodes, sizeof(spGhost)));
    h->inner = spAllocZeroed(heap, spArraySize(nodes, sizeof(spGhost)));
    h->down = spAllocZeroed(heap, spArraySize(nodes, sizeof(spGhost)));
    h->fit = spAllocZeroed(heap, spArraySize(nodes, sizeof(spGhost)));
    b->neighbourBegin = spAllocZeroed(heap, spArraySize(nodes + 1, sizeof(int32_t)));
    // An edge of a tet is met three times and from both ends at most in each of its tets
    b->neighbours = spAlloc(heap, spArraySize(tets, 12 * sizeof(int32_t)));
    b->points = spAlloc(heap, spArraySize(spMaxInt(nodes, 1), sizeof(spDVec3)));
    b->weights = spAlloc(heap, spArraySize(spMaxInt(nodes, 1), sizeof(double)));
    b->volumes = spAllocZeroed(heap, spArraySize(spMaxInt(nodes, 1), sizeof(double)));
    b->taken = spAllocZeroed(heap, spArraySize(spMaxInt(nodes, 1), sizeof(double)));
    return (h->rest != NULL && h->tets != NULL && h->sources != NULL && h->mass != NULL &&
            h->leafCount != NULL && h->leaves != NULL && h->parents != NULL && h->childBegin != NULL &&
            h->children != NULL && h->tetsOfBegin != NULL && h->tetsOf != NULL && h->up != NULL &&
            h->inner != NULL && h->down != NULL && h->fit != NULL && b->neighbourBegin != NULL &&
            b->neighbours != NULL && b->points != NULL && b->weights != NULL && b->volumes != NULL &&
            b->taken != NULL) ||
           spFailMemory(b->error, "the levels of a body", (size_t)nodes * 128);
}

// Nodes and tets of all meshes
static void spCollectMeshes(spHierarchyBuild* b)
{
    spHierarchy* h = b->h;
    for (int level = 0; level < h->levelCount; ++level)
    {
        const spMesh* mesh = b->def->meshes[level];
        const int32_t* rank = level + 1 == h->levelCount ? b->def->rank : NULL;
        double sum = 0.0;
        for (int i = 0; i < mesh->vertexCount; ++i)
        {
            h->rest[h->begin[level] + (rank != NULL ? rank[i] : i)] = mesh->vertices[i];
        }
        for (int i = 0; i < mesh->tetCount; ++i)
        {
            int32_t* tet = h->tets[h->tetBegin[level] + i];
            for (int k = 0; k < 4; ++k)
            {
                int vertex = mesh->tets[4 * (size_t)i + k];
                tet[k] = h->begin[level] + (rank != NULL ? rank[vertex] : vertex);
            }
            for (int k = 0; k < 6; ++k)
            {
                sum += spDLength(spDSub(h->rest[tet[spTetEdges[k][0]]], h->rest[tet[spTetEdges[k][1]]]));
            }
        }
        h->edge[level] = sum / (6.0 * mesh->tetCount);
    }
    spDVec3 lower = h->rest[h->begin[h->levelCount - 1]], upper = lower;
    for (int i = h->begin[h->levelCount - 1]; i < spGetTotal(h); ++i)
    {
        lower =
            (spDVec3){fmin(lower.x, h->rest[i].x), fmin(lower.y, h->rest[i].y), fmin(lower.z, h->rest[i].z)};
        upper =
            (spDVec3){fmax(upper.x, h->rest[i].x), fmax(upper.y, h->rest[i].y), fmax(upper.z, h->rest[i].z)};
    }
    h->extent = spDLength(spDSub(upper, lower));
}

// Sums of counts to the places where lists begin; counts stand one place further
static void spSumCounts(int32_t* begin, int count)
{
    for (int i = 0; i < count; ++i)
    {
        begin[i + 1] += begin[i];
    }
}

// Tets and neighbours around each node
static void spCollectAround(spHierarchyBuild* b)
{
    spHierarchy* h = b->h;
    int total = spGetTotal(h), tets = h->tetBegin[h->levelCount];
    for (int i = 0; i < 4 * tets; ++i)
    {
        h->tetsOfBegin[h->tets[i / 4][i % 4] + 1] += 1;
    }
    spSumCounts(h->tetsOfBegin, total);
    int32_t* filled = b->neighbourBegin; // of each list, until neighbours need it
    for (int i = 0; i < 4 * tets; ++i)
    {
        int own = h->tets[i / 4][i % 4];
        h->tetsOf[h->tetsOfBegin[own] + filled[own]++] = i / 4;
    }
    memset(filled, 0, spArraySize(total + 1, sizeof(int32_t)));
    int used = 0;
    for (int own = 0; own < total; ++own)
    {
        int first = used;
        for (int i = h->tetsOfBegin[own]; i < h->tetsOfBegin[own + 1]; ++i)
        {
            for (int k = 0; k < 4; ++k)
            {
                int other = h->tets[h->tetsOf[i]][k];
                bool known = other == own;
                for (int j = first; j < used && !known; ++j)
                {
                    known = b->neighbours[j] == other;
                }
                if (!known)
                {
                    b->neighbours[used++] = other;
                }
            }
        }
        b->neighbourBegin[own + 1] = used;
    }
}

// A row of so many entries at the end of the pool; -1 without memory
static int spAddRow(spHierarchyBuild* b, int count)
{
    spHierarchy* h = b->h;
    if (spReserve(b->heap, (void**)&h->entries, h->entryCount, &h->entryCapacity, h->entryCount + count,
                  sizeof(spGhostEntry)) == false)
    {
        spFailMemory(b->error, "the levels of a body", spArraySize(h->entryCount, sizeof(spGhostEntry)));
        return -1;
    }
    h->entryCount += count;
    return h->entryCount - count;
}

static int spCompareEntries(const spGhostEntry* a, const spGhostEntry* b)
{
    double x = fabs((double)a->weight), y = fabs((double)b->weight);
    return x != y ? (x > y ? -1 : 1) : (a->node < b->node ? -1 : 1);
}

// The entry with the largest weight comes first: the others are differences from it
static bool spSetRow(spHierarchyBuild* b, spGhost* row, int own, const int32_t* nodes, const double* weights,
                     int count)
{
    int begin = spAddRow(b, count);
    if (begin < 0)
    {
        return false;
    }
    *row = (spGhost){own, begin, count};
    spGhostEntry* e = b->h->entries + begin;
    for (int i = 0; i < count; ++i)
    {
        e[i] = (spGhostEntry){nodes[i], (spReal)weights[i]};
        if (spCompareEntries(e + i, e) < 0)
        {
            spGhostEntry first = e[0];
            e[0] = e[i];
            e[i] = first;
        }
    }
    return true;
}

// The nearest vertex of a mesh, on the way along edges from one that is near
static int spWalkToNearest(const spHierarchyBuild* b, int from, spDVec3 p)
{
    const spHierarchy* h = b->h;
    int best = from;
    double least = spDLength(spDSub(h->rest[best], p));
    for (int at = -1; at != best;)
    {
        at = best;
        for (int i = b->neighbourBegin[at]; i < b->neighbourBegin[at + 1]; ++i)
        {
            int other = b->neighbours[i];
            double distance = spDLength(spDSub(h->rest[other], p));
            if (distance < least || (distance == least && other < best))
            {
                least = distance;
                best = other;
            }
        }
    }
    return best;
}

// Rows of the nodes of one level from the tets of another, and parents when that is the one above
static bool spMapLevel(spHierarchyBuild* b, int level, int other, spGhost* rows)
{
    spHierarchy* h = b->h;
    const spMesh* mesh = b->def->meshes[other];
    spElementTree tree;
    if (spBuildElementTree(b->heap, mesh, &tree, b->error) == false)
    {
        return false;
    }
    bool ok = true;
    for (int i = h->begin[level]; ok && i < h->begin[level + 1]; ++i)
    {
        spElementHit hit = spFindElement(&tree, h->rest[i]);
        const int32_t* nodes = h->tets[h->tetBegin[other] + hit.element];
        double spread = 0.0;
        int heaviest = 0;
        for (int k = 0; k < 4; ++k)
        {
            spread += fabs(hit.weights[k]);
            heaviest = hit.weights[k] > hit.weights[heaviest] ? k : heaviest;
        }
        if (!(spread <= SP_MOST_EXTRAPOLATION))
        {
            ok = spFail(b->error, sp_errorBadMesh,
                        "a vertex of level %d at (%g, %g, %g) lies %g m outside of level %d: levels must be "
                        "meshes of "
                        "one shape at one place",
                        level, h->rest[i].x, h->rest[i].y, h->rest[i].z, hit.distance, other);
            break;
        }
        ok = spSetRow(b, rows + i, i, nodes, hit.weights, 4);
        if (other < level)
        {
            h->parents[i] = spWalkToNearest(b, nodes[heaviest], h->rest[i]);
        }
    }
    spFreeElementTree(b->heap, &tree);
    return ok;
}

// Where levels nest, vertices lie as near to one vertex of the coarser mesh as to others. Those go to the one that has
// the least so far of what it should have, by volume, and among equals to the smallest: one that stood at a corner
// and got nothing but its own corner would be light, and its steps short.
static int spShareVertex(const spHierarchyBuild* b, int from, spDVec3 p)
{
    const spHierarchy* h = b->h;
    double least = SP_TIE * spDLength(spDSub(h->rest[from], p));
    int best = from;
    for (int i = b->neighbourBegin[from]; i < b->neighbourBegin[from + 1]; ++i)
    {
        int other = b->neighbours[i];
        double a = b->taken[other] * b->volumes[best], c = b->taken[best] * b->volumes[other];
        bool fewer = a < c || (a == c && (b->volumes[other] < b->volumes[best] ||
                                          (b->volumes[other] == b->volumes[best] && other < best)));
        best = spDLength(spDSub(h->rest[other], p)) <= least && fewer ? other : best;
    }
    return best;
}

static bool spHasRival(const spHierarchyBuild* b, int from, spDVec3 p)
{
    const spHierarchy* h = b->h;
    double least = SP_TIE * spDLength(spDSub(h->rest[from], p));
    bool has = false;
    for (int i = b->neighbourBegin[from]; i < b->neighbourBegin[from + 1]; ++i)
    {
        has = has || spDLength(spDSub(h->rest[b->neighbours[i]], p)) <= least;
    }
    return has;
}

static void spShareVertices(spHierarchyBuild* b)
{
    spHierarchy* h = b->h;
    for (int i = 0; i < 4 * h->tetBegin[h->levelCount]; ++i)
    {
        const int32_t* t = h->tets[i / 4];
        spDVec3 x = spDSub(h->rest[t[1]], h->rest[t[0]]), y = spDSub(h->rest[t[2]], h->rest[t[0]]),
                z = spDSub(h->rest[t[3]], h->rest[t[0]]);
        b->volumes[t[i % 4]] += fabs(spDDot(x, spDCross(y, z))) / 24.0;
    }
    for (int second = 0; second < 2; ++second)
    {
        for (int i = h->begin[1]; i < spGetTotal(h); ++i)
        {
            if (spHasRival(b, h->parents[i], h->rest[i]) == (second != 0))
            {
                h->parents[i] = second != 0 ? spShareVertex(b, h->parents[i], h->rest[i]) : h->parents[i];
                b->taken[h->parents[i]] += b->volumes[i];
            }
        }
    }
}

// Which tet of the finest mesh lies in the middle of each: materials come from there
static bool spFindSources(spHierarchyBuild* b)
{
    spHierarchy* h = b->h;
    int last = h->levelCount - 1;
    spElementTree tree;
    if (spBuildElementTree(b->heap, b->def->meshes[last], &tree, b->error) == false)
    {
        return false;
    }
    for (int i = 0; i < h->tetBegin[h->levelCount]; ++i)
    {
        spDVec3 middle = {0, 0, 0};
        for (int k = 0; k < 4; ++k)
        {
            middle = spDMulAdd(middle, 0.25, h->rest[h->tets[i][k]]);
        }
        h->sources[i] = i >= h->tetBegin[last] ? i - h->tetBegin[last] : spFindElement(&tree, middle).element;
    }
    spFreeElementTree(b->heap, &tree);
    return true;
}

// A cell without a node takes the nearest one that is not alone in its own: a node without any has no mass
static bool spFillEmptyCells(spHierarchyBuild* b)
{
    spHierarchy* h = b->h;
    int32_t* counts = h->childBegin; // until the lists are made
    for (int i = h->begin[1]; i < spGetTotal(h); ++i)
    {
        counts[h->parents[i]] += 1;
    }
    for (int level = 0; level + 1 < h->levelCount; ++level)
    {
        for (int i = h->begin[level]; i < h->begin[level + 1]; ++i)
        {
            int taken = -1;
            double least = INFINITY;
            for (int k = 0; counts[i] == 0 && k < h->inner[i].count; ++k)
            {
                int other = h->entries[h->inner[i].begin + k].node;
                double distance = spDLength(spDSub(h->rest[other], h->rest[i]));
                if (counts[h->parents[other]] > 1 && distance < least)
                {
                    least = distance;
                    taken = other;
                }
            }
            if (counts[i] == 0 && taken < 0)
            {
                return spFail(b->error, sp_errorBadMesh,
                              "vertex %d of level %d has no vertex of level %d near it: levels are too much "
                              "alike; make "
                              "each at least twice as fine as the one before",
                              i - h->begin[level], level, level + 1);
            }
            if (taken >= 0)
            {
                counts[h->parents[taken]] -= 1;
                counts[i] += 1;
                h->parents[taken] = i;
            }
        }
    }
    memset(counts, 0, spArraySize(spGetTotal(h) + 1, sizeof(int32_t)));
    return true;
}

static void spCollectChildren(spHierarchy* h)
{
    int total = spGetTotal(h);
    for (int i = 0; i < total; ++i)
    {
        h->childBegin[h->parents[i] + 1] += h->parents[i] >= 0;
    }
    // Those of a node follow those of the one before it, in the order of their numbers
    spSumCounts(h->childBegin, total);
    for (int i = h->begin[1]; i < total; ++i)
    {
        h->children[h->childBegin[h->parents[i]]++] = i;
    }
    for (int i = total; i > 0; --i)
    {
        h->childBegin[i] = h->childBegin[i - 1];
    }
    h->childBegin[0] = 0;
}

// Masses and leaves, from the finest nodes to the coarsest
static void spSumLeaves(spHierarchyBuild* b)
{
    spHierarchy* h = b->h;
    int first = h->begin[h->levelCount - 1];
    for (int i = spGetTotal(h) - 1; i >= 0; --i)
    {
        if (i >= first)
        {
            h->mass[i] = (double)b->def->mass[i - first];
            h->leafCount[i] = 1;
            h->leaves[i] = i;
            continue;
        }
        double least = INFINITY;
        h->leaves[i] = -1;
        for (int k = h->childBegin[i]; k < h->childBegin[i + 1]; ++k)
        {
            int child = h->children[k];
            double distance = spDLength(spDSub(h->rest[child], h->rest[i]));
            h->mass[i] += h->mass[child];
            h->leafCount[i] += h->leafCount[child];
            if (distance < least && h->leaves[child] >= 0)
            {
                least = distance;
                h->leaves[i] = h->leaves[child];
            }
        }
    }
}

// Rows from children and from neighbours, where there are good ones
static bool spFitNodes(spHierarchyBuild* b)
{
    spHierarchy* h = b->h;
    bool ok = true;
    for (int i = 0; ok && i < spGetTotal(h); ++i)
    {
        const int32_t* lists[2] = {h->children + h->childBegin[i], b->neighbours + b->neighbourBegin[i]};
        const int counts[2] = {h->childBegin[i + 1] - h->childBegin[i],
                               b->neighbourBegin[i + 1] - b->neighbourBegin[i]};
        spGhost* rows[2] = {h->down + i, h->fit + i};
        for (int list = 0; ok && list < 2; ++list)
        {
            for (int k = 0; k < counts[list]; ++k)
            {
                b->points[k] = h->rest[lists[list][k]];
            }
            if (spFindAffineWeights(h->rest[i], b->points, counts[list], b->weights))
            {
                ok = spSetRow(b, rows[list], i, lists[list], b->weights, counts[list]);
            }
        }
    }
    return ok;
}

static bool spCheckLevels(const spHierarchyDef* def, spError* error)
{
    if (def->meshCount < 2 || def->meshCount > SP_MAX_LEVELS)
    {
        return spFail(error, sp_errorBadArgument,
                      "a body has %d levels, its own mesh included: 2 to %d can be", def->meshCount,
                      SP_MAX_LEVELS);
    }
    for (int level = 0; level < def->meshCount; ++level)
    {
        const spMesh* mesh = def->meshes[level];
        if (mesh == NULL || mesh->tetCount == 0)
        {
            return spFail(error, sp_errorBadMesh, "level %d has no tets: every level is a mesh of tets",
                          level);
        }
        if (level > 0 && mesh->vertexCount < def->meshes[level - 1]->vertexCount)
        {
            return spFail(
                error, sp_errorBadMesh,
                "level %d has %d vertices and level %d has %d: levels go from coarse to fine, the mesh of "
                "the body being the last",
                level - 1, def->meshes[level - 1]->vertexCount, level, mesh->vertexCount);
        }
    }
    return true;
}

spHierarchy* spBuildHierarchy(spHeap* heap, const spHierarchyDef* def, spError* error)
{
    if (spCheckLevels(def, error) == false)
    {
        return NULL;
    }
    spHierarchy* h = spAllocZeroed(heap, sizeof(spHierarchy));
    if (h == NULL)
    {
        spFailMemory(error, "the levels of a body", sizeof(spHierarchy));
        return NULL;
    }
    h->levelCount = def->meshCount;
    spHierarchyBuild b = {.heap = heap, .def = def, .h = h, .error = error};
    bool ok = spAllocHierarchy(&b);
    if (ok)
    {
        spCollectMeshes(&b);
        spCollectAround(&b);
        memset(h->parents, -1, spArraySize(spGetTotal(h), sizeof(int32_t)));
    }
    for (int level = 0; ok && level < h->levelCount; ++level)
    {
        ok = (level == 0 || spMapLevel(&b, level, level - 1, h->up)) &&
             (level + 1 == h->levelCount || spMapLevel(&b, level, level + 1, h->inner));
    }
    if (ok)
    {
        spShareVertices(&b);
    }
    ok = ok && spFillEmptyCells(&b);
    if (ok)
    {
        spCollectChildren(h);
        spSumLeaves(&b);
    }
    ok = ok && spFindSources(&b) && spFitNodes(&b);
    spFree(heap, b.neighbourBegin);
    spFree(heap, b.neighbours);
    spFree(heap, b.points);
    spFree(heap, b.weights);
    spFree(heap, b.volumes);
    spFree(heap, b.taken);
    if (ok == false)
    {
        spDestroyHierarchy(heap, h);
        return NULL;
    }
    return h;
}

void spDestroyHierarchy(spHeap* heap, spHierarchy* hierarchy)
{
    if (hierarchy == NULL)
    {
        return;
    }
    spFree(heap, hierarchy->rest);
    spFree(heap, hierarchy->tets);
    spFree(heap, hierarchy->sources);
    spFree(heap, hierarchy->mass);
    spFree(heap, hierarchy->leafCount);
    spFree(heap, hierarchy->leaves);
    spFree(heap, hierarchy->parents);
    spFree(heap, hierarchy->childBegin);
    spFree(heap, hierarchy->children);
    spFree(heap, hierarchy->tetsOfBegin);
    spFree(heap, hierarchy->tetsOf);
    spFree(heap, hierarchy->up);
    spFree(heap, hierarchy->inner);
    spFree(heap, hierarchy->down);
    spFree(heap, hierarchy->fit);
    spFree(heap, hierarchy->entries);
    spFree(heap, hierarchy);
}
