// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Connectivity: edges, boundary, who touches whom, connected components.
//
// Edges and faces are found by writing down those of every element with their vertices in ascending order and
// sorting the list by counting, once for each column: O(n), no hashing. Equal ones then stand side by side,
// the first appearance first.

#include "base/error.h"
#include "mesh/mesh.h"
#include "mesh/mesh_math.h"
#include "mesh/sort.h"

#include <limits.h>
#include <string.h>

//        d
//       /|\        seen from outside each face turns counter-clockwise
//      / | \       when det(b - a, c - a, d - a) > 0
//     a--|--c
//      \ | /
//        b
const int spTetFaces[4][3] = {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}};

const int spTetEdges[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

void spFreeIndexList(spIndexList* list)
{
    if (list == NULL)
    {
        return;
    }
    spHeap heap = spMakeHeap(&list->allocator);
    heap.byteCount = SIZE_MAX; // this heap did not see the allocation
    spFree(&heap, list->data);
    *list = (spIndexList){0};
}

// Copies the tuples that are marked, in order
static bool spCopyMarked(spHeap* heap, const int32_t* tuples, int tupleSize, int count, const uint8_t* marks,
                         spIndexList* list, spError* error)
{
    int keptCount = 0;
    for (int i = 0; i < count; ++i)
    {
        keptCount += marks[i];
    }
    *list = (spIndexList){.tupleSize = tupleSize, .allocator = heap->allocator};
    if (keptCount == 0)
    {
        return true;
    }
    size_t size = spArraySize((int64_t)keptCount * tupleSize, sizeof(int32_t));
    list->data = spAlloc(heap, size);
    if (list->data == NULL)
    {
        return spFailMemory(error, "a list of edges or triangles", size);
    }
    list->count = keptCount;
    int32_t* out = list->data;
    for (int i = 0; i < count; ++i)
    {
        if (marks[i])
        {
            memcpy(out, tuples + (int64_t)i * tupleSize, (size_t)tupleSize * sizeof(int32_t));
            out += tupleSize;
        }
    }
    return true;
}

static int32_t* spPutEdge(int32_t* pairs, int32_t a, int32_t b)
{
    if (a == b)
    {
        return pairs;
    }
    pairs[0] = a < b ? a : b;
    pairs[1] = a < b ? b : a;
    return pairs + 2;
}

// Writes every edge of every element down, smaller index first. Returns the number of pairs.
static int spListAllEdges(const spMesh* mesh, int32_t* pairs)
{
    int32_t* out = pairs;
    for (int i = 0; i < mesh->edgeCount; ++i)
    {
        out = spPutEdge(out, mesh->edges[2 * i], mesh->edges[2 * i + 1]);
    }
    for (int i = 0; i < mesh->triangleCount; ++i)
    {
        const int32_t* t = mesh->triangles + 3 * i;
        out = spPutEdge(out, t[0], t[1]);
        out = spPutEdge(out, t[1], t[2]);
        out = spPutEdge(out, t[2], t[0]);
    }
    for (int i = 0; i < mesh->tetCount; ++i)
    {
        const int32_t* t = mesh->tets + 4 * i;
        for (int e = 0; e < 6; ++e)
        {
            out = spPutEdge(out, t[spTetEdges[e][0]], t[spTetEdges[e][1]]);
        }
    }
    return (int)((out - pairs) / 2);
}

bool spMesh_CollectEdges(const spMesh* mesh, spIndexList* edges, spError* error)
{
    *edges = (spIndexList){.tupleSize = 2};
    int64_t most = (int64_t)mesh->edgeCount + 3 * (int64_t)mesh->triangleCount + 6 * (int64_t)mesh->tetCount;
    if (most > INT32_MAX)
    {
        return spFail(error, sp_errorLimit, "the elements of the mesh have %lld edges, the limit is %d",
                      (long long)most, INT32_MAX);
    }
    if (most == 0)
    {
        return true;
    }
    spHeap heap = spMakeQueryHeap(mesh);
    size_t pairSize = spArraySize(most, 2 * sizeof(int32_t));
    size_t orderSize = spArraySize(most, sizeof(int32_t));
    size_t markSize = spArraySize(most, 1);
    int32_t* pairs = spAlloc(&heap, pairSize);
    int32_t* order = spAlloc(&heap, orderSize);
    uint8_t* marks = spAllocZeroed(&heap, markSize);
    bool ok = pairs != NULL && order != NULL && marks != NULL;
    int count = 0;
    if (ok)
    {
        count = spListAllEdges(mesh, pairs);
        ok = spSortTuples(&heap, pairs, 2, count, mesh->vertexCount, order);
    }
    if (ok)
    {
        for (int i = 0; i < count; ++i)
        {
            marks[order[i]] = i == 0 || !spSameTuple(pairs, 2, order[i - 1], order[i]);
        }
        ok = spCopyMarked(&heap, pairs, 2, count, marks, edges, error);
    }
    else
    {
        spFailMemory(error, "the edges of a mesh", pairSize);
    }
    spFree(&heap, marks);
    spFree(&heap, order);
    spFree(&heap, pairs);
    return ok;
}

// Marks the faces that only one tet has. sorted holds every face with its vertices ascending.
static void spMarkSingleFaces(const int32_t* sorted, const int32_t* order, int count, uint8_t* marks)
{
    for (int begin = 0; begin < count;)
    {
        int end = begin + 1;
        while (end < count && spSameTuple(sorted, 3, order[begin], order[end]))
        {
            ++end;
        }
        const int32_t* face = sorted + 3 * (int64_t)order[begin];
        marks[order[begin]] = end == begin + 1 && face[0] != face[1] && face[1] != face[2];
        begin = end;
    }
}

static bool spCollectTetBoundary(const spMesh* mesh, spIndexList* triangles, spError* error)
{
    spHeap heap = spMakeQueryHeap(mesh);
    int count = 4 * mesh->tetCount;
    size_t faceSize = spArraySize(count, 3 * sizeof(int32_t));
    size_t orderSize = spArraySize(count, sizeof(int32_t));
    size_t markSize = spArraySize(count, 1);
    int32_t* faces = spAlloc(&heap, faceSize);
    int32_t* order = spAlloc(&heap, orderSize);
    uint8_t* marks = spAlloc(&heap, markSize);
    bool ok = faces != NULL && order != NULL && marks != NULL;
    if (ok)
    {
        for (int i = 0; i < count; ++i)
        {
            int32_t* face = faces + 3 * (int64_t)i;
            const int32_t* tet = mesh->tets + 4 * (i / 4);
            for (int j = 0; j < 3; ++j)
            {
                face[j] = tet[spTetFaces[i % 4][j]];
            }
            spSortTuple(face, 3);
        }
        memset(marks, 0, markSize);
        ok = spSortTuples(&heap, faces, 3, count, mesh->vertexCount, order);
    }
    if (ok)
    {
        spMarkSingleFaces(faces, order, count, marks);
        for (int i = 0; i < count; ++i)
        {
            for (int j = 0; j < 3; ++j)
            {
                faces[3 * (int64_t)i + j] = mesh->tets[4 * (i / 4) + spTetFaces[i % 4][j]];
            }
        }
        ok = spCopyMarked(&heap, faces, 3, count, marks, triangles, error);
    }
    else
    {
        spFailMemory(error, "the boundary of a mesh", faceSize);
    }
    spFree(&heap, marks);
    spFree(&heap, order);
    spFree(&heap, faces);
    return ok;
}

bool spMesh_CollectBoundary(const spMesh* mesh, spIndexList* triangles, spError* error)
{
    *triangles = (spIndexList){.tupleSize = 3};
    if (mesh->tetCount > 0)
    {
        return spCollectTetBoundary(mesh, triangles, error);
    }
    if (mesh->triangleCount == 0)
    {
        return true;
    }
    spHeap heap = spMakeQueryHeap(mesh);
    size_t size = spArraySize(mesh->triangleCount, 3 * sizeof(int32_t));
    triangles->data = spAlloc(&heap, size);
    if (triangles->data == NULL)
    {
        return spFailMemory(error, "the triangles of a mesh", size);
    }
    memcpy(triangles->data, mesh->triangles, size);
    triangles->count = mesh->triangleCount;
    triangles->allocator = heap.allocator;
    return true;
}

spMesh* spCopyBoundary(const spMesh* mesh, const spAllocator* allocator, spError* error)
{
    spIndexList triangles;
    if (spMesh_CollectBoundary(mesh, &triangles, error) == false)
    {
        return NULL;
    }
    spMeshDef def = spDefaultMeshDef();
    def.vertices = mesh->vertices;
    def.vertexCount = mesh->vertexCount;
    def.triangles = triangles.data;
    def.triangleCount = triangles.count;
    def.allocator = *allocator;
    spMesh* surface = spCreateMesh(&def, error);
    spFreeIndexList(&triangles);
    return surface;
}

// Turns counts at offsets[v + 1] into starting places at offsets[v + 1], one step behind: after every item
// of v has been placed at offsets[v + 1]++, offsets[v + 1] is the end of v
static void spShiftCounts(int32_t* offsets, int vertexCount)
{
    int32_t sum = 0;
    for (int v = 0; v < vertexCount; ++v)
    {
        int32_t count = offsets[v + 1];
        offsets[v + 1] = sum;
        sum += count;
    }
}

static bool spAllocAdjacency(spHeap* heap, int vertexCount, int64_t itemCount, spAdjacency* adjacency)
{
    *adjacency = (spAdjacency){.vertexCount = vertexCount};
    if (itemCount > INT32_MAX)
    {
        return false;
    }
    adjacency->itemCount = (int)itemCount;
    adjacency->offsets = spAllocZeroed(heap, spArraySize((int64_t)vertexCount + 1, sizeof(int32_t)));
    adjacency->items = spAlloc(heap, spArraySize(itemCount, sizeof(int32_t)));
    if (adjacency->offsets == NULL || (adjacency->items == NULL && itemCount > 0))
    {
        spFreeAdjacency(heap, adjacency);
        return false;
    }
    return true;
}

bool spBuildVertexElements(spHeap* heap, const int32_t* elements, int tupleSize, int count, int vertexCount,
                           spAdjacency* adjacency)
{
    int64_t total = (int64_t)count * tupleSize;
    if (!spAllocAdjacency(heap, vertexCount, total, adjacency))
    {
        return false;
    }
    for (int64_t i = 0; i < total; ++i)
    {
        adjacency->offsets[elements[i] + 1] += 1;
    }
    spShiftCounts(adjacency->offsets, vertexCount);
    for (int64_t i = 0; i < total; ++i)
    {
        adjacency->items[adjacency->offsets[elements[i] + 1]++] = (int32_t)(i / tupleSize);
    }
    return true;
}

bool spBuildVertexNeighbours(spHeap* heap, const int32_t* edges, int count, int vertexCount,
                             spAdjacency* adjacency)
{
    int64_t total = 2 * (int64_t)count;
    if (!spAllocAdjacency(heap, vertexCount, total, adjacency))
    {
        return false;
    }
    for (int64_t i = 0; i < total; ++i)
    {
        adjacency->offsets[edges[i] + 1] += 1;
    }
    spShiftCounts(adjacency->offsets, vertexCount);
    for (int64_t i = 0; i < total; ++i)
    {
        adjacency->items[adjacency->offsets[edges[i] + 1]++] = edges[i ^ 1];
    }
    return true;
}

void spFreeAdjacency(spHeap* heap, spAdjacency* adjacency)
{
    spFree(heap, adjacency->offsets);
    spFree(heap, adjacency->items);
    *adjacency = (spAdjacency){0};
}

int32_t spFindRoot(int32_t* parents, int32_t i)
{
    // Path halving keeps paths short without a second pass
    while (parents[i] != i)
    {
        parents[i] = parents[parents[i]];
        i = parents[i];
    }
    return i;
}

void spJoinRoots(int32_t* parents, int32_t a, int32_t b)
{
    a = spFindRoot(parents, a);
    b = spFindRoot(parents, b);
    if (a < b)
    {
        parents[b] = a;
    }
    else
    {
        parents[a] = b;
    }
}

static void spJoinElements(int32_t* parents, const int32_t* elements, int tupleSize, int count)
{
    for (int i = 0; i < count; ++i)
    {
        const int32_t* element = elements + (int64_t)i * tupleSize;
        for (int j = 0; j < tupleSize; ++j)
        {
            int32_t v = element[j];
            if (parents[v] < 0)
            {
                parents[v] = v;
            }
            spJoinRoots(parents, element[0], v);
        }
    }
}

void spLabelComponents(const spMesh* mesh, int32_t* labels, int* componentCount)
{
    for (int i = 0; i < mesh->vertexCount; ++i)
    {
        labels[i] = -1;
    }
    spJoinElements(labels, mesh->edges, 2, mesh->edgeCount);
    spJoinElements(labels, mesh->triangles, 3, mesh->triangleCount);
    spJoinElements(labels, mesh->tets, 4, mesh->tetCount);

    // Roots are the smallest of their component, so a vertex before i already has its label when i is reached
    int count = 0;
    for (int i = 0; i < mesh->vertexCount; ++i)
    {
        if (labels[i] == i)
        {
            labels[i] = count++;
        }
        else if (labels[i] >= 0)
        {
            labels[i] = labels[labels[i]];
        }
    }
    *componentCount = count;
}

static bool spComesBefore(int32_t a, int32_t b, const void* context)
{
    const spDVec3* vertices = context;
    const spDVec3* p = vertices + a;
    const spDVec3* q = vertices + b;
    if (p->x != q->x)
    {
        return p->x < q->x;
    }
    if (p->y != q->y)
    {
        return p->y < q->y;
    }
    return p->z < q->z;
}

int spFindSameVertices(spHeap* heap, const spDVec3* vertices, int count, int32_t* remap)
{
    size_t size = spArraySize(count, sizeof(int32_t));
    int32_t* order = spAlloc(heap, size);
    int32_t* temp = spAlloc(heap, size);
    int sameCount = -1;
    if (order != NULL && temp != NULL)
    {
        for (int i = 0; i < count; ++i)
        {
            order[i] = i;
        }
        spSortIndices(order, temp, count, spComesBefore, vertices);
        sameCount = 0;
        int32_t first = 0;
        for (int i = 0; i < count; ++i)
        {
            bool same = i > 0 && !spComesBefore(order[i - 1], order[i], vertices);
            if (!same)
            {
                first = order[i];
            }
            remap[order[i]] = first;
            sameCount += same;
        }
    }
    spFree(heap, temp);
    spFree(heap, order);
    return sameCount;
}
