// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The inside of a mesh, how readers and generators fill one, and the connectivity helpers that the rest of
// the library uses. Everything here runs in O(n log n) or better whatever the numbers in the mesh are: lists
// are sorted, never hashed, so that no crafted file makes them slow.

#pragma once

#include "base/memory.h"
#include "souple/mesh.h"

// Most vertices, edges, triangles or tets: six edges of each tet can still be counted in an int
#define SP_MESH_LIMIT (INT32_MAX / 6)

// Bytes of the name of values, its terminator included
#define SP_VALUE_NAME_SIZE 64

// Numbers for every vertex, triangle or tet
typedef struct spMeshValues
{
    spMeshPart part;
    int components;
    int count, capacity; // entries; count may lag behind the part while a file is read
    double* data;        // components for each entry
    char name[SP_VALUE_NAME_SIZE];
} spMeshValues;

// Arrays hold `count` entries and have room for `capacity`
struct spMesh
{
    spHeap heap;
    spDVec3* vertices;
    int32_t* edges;      // 2 each
    int32_t* triangles;  // 3 each
    int32_t* tets;       // 4 each
    int32_t* tetRegions; // 1 for each tet
    spMeshValues* values;
    int vertexCount, vertexCapacity;
    int edgeCount, edgeCapacity;
    int triangleCount, triangleCapacity;
    int tetCount, tetCapacity, regionCapacity;
    int valueCount, valueCapacity;
    spLoadReport loadReport;
    const char* formatName; // a literal
};

// An empty mesh, to be filled with the functions below and destroyed when one of them fails
spMesh* spAllocMesh(const spAllocator* allocator, spError* error);

// Room for this many in all. The add functions grow by themselves; reserving first saves copies.
bool spReserveVertices(spMesh* mesh, int64_t count, spError* error);
bool spReserveEdges(spMesh* mesh, int64_t count, spError* error);
bool spReserveTriangles(spMesh* mesh, int64_t count, spError* error);
bool spReserveTets(spMesh* mesh, int64_t count, spError* error);

// Append one. Indices are not checked here.
bool spAddVertex(spMesh* mesh, spDVec3 vertex, spError* error);
bool spAddEdge(spMesh* mesh, int32_t a, int32_t b, spError* error);
bool spAddTriangle(spMesh* mesh, int32_t a, int32_t b, int32_t c, spError* error);
bool spAddTet(spMesh* mesh, const int32_t vertices[4], int32_t region, spError* error);

// A mesh of the triangles, or of the boundary of the tets, with all vertices. NULL, with the error filled, without memory.
spMesh* spCopyBoundary(const spMesh* mesh, const spAllocator* allocator, spError* error);

// values.c: the array of this name, made when there is none, with one entry for every vertex, triangle or tet
// that is there now; new entries are NaN. NULL without memory, and when the mesh has too many arrays or one
// of the same name with other components: such values are left out. A name that is too long is cut.
spMeshValues* spStartValues(spMesh* mesh, spMeshPart part, const char* name, size_t nameLength,
                            int components);
int spGetPartCount(const spMesh* mesh, spMeshPart part);

// Brings all arrays to the length of their part, and drops those without a single number
bool spFinishValues(spMesh* mesh, spError* error);

// Keeps the entries of elements that are kept, in their order
void spKeepValues(spMesh* mesh, spMeshPart part, const uint8_t* keep, int count);

// For spRemapVertices: an entry moves to a smaller index; entries from an index on go
void spMoveVertexValues(spMesh* mesh, int from, int to);
void spCutVertexValues(spMesh* mesh, int count);

// Copies all arrays to a mesh with the same elements
bool spCopyValues(spMesh* mesh, const spMesh* from, spError* error);
void spFreeValues(spMesh* mesh);

// Gives back room that was reserved but not used. Does nothing where there is no memory to do it.
void spTrimMesh(spMesh* mesh);

// Writes the new index of every vertex into the elements and moves the vertices. remap has vertexCount
// entries, newIndex <= oldIndex in order of first appearance; -1 for vertices that go and that nothing uses.
// Several old vertices may share a new one: the first one's place is kept.
void spRemapVertices(spMesh* mesh, const int32_t* remap, int newCount);

// For a query that may run on several threads at once: a heap of its own on the mesh's allocator
spHeap spMakeQueryHeap(const spMesh* mesh);

// Which elements touch each vertex: those of vertex v are items[offsets[v]] to items[offsets[v + 1] - 1],
// ascending
typedef struct spAdjacency
{
    int32_t* offsets; // vertexCount + 1
    int32_t* items;   // itemCount; NULL when 0
    int vertexCount;
    int itemCount;
} spAdjacency;

// elements: count tuples of tupleSize vertex indices. Returns false, with nothing to free, without memory.
bool spBuildVertexElements(spHeap* heap, const int32_t* elements, int tupleSize, int count, int vertexCount,
                           spAdjacency* adjacency);

// edges: count pairs. Items are the neighbouring vertices, in order of the edges.
bool spBuildVertexNeighbours(spHeap* heap, const int32_t* edges, int count, int vertexCount,
                             spAdjacency* adjacency);

void spFreeAdjacency(spHeap* heap, spAdjacency* adjacency);

// Outward faces of an upright tet (a, b, c, d)
extern const int spTetFaces[4][3];

// Edges of a tet in the order of the workloads: 01 02 03 12 13 23
extern const int spTetEdges[6][2];

// Connected components over edges, triangles and tets. labels has vertexCount entries: the component, counted
// from 0 in order of its smallest vertex, or -1 for a vertex that nothing uses.
void spLabelComponents(const spMesh* mesh, int32_t* labels, int* componentCount);

// Union-find over 0 .. n - 1: parents[i] = i at the start, the root is the smallest member
int32_t spFindRoot(int32_t* parents, int32_t i);
void spJoinRoots(int32_t* parents, int32_t a, int32_t b);

// remap[i] = smallest j with the same coordinates (0 and -0 are the same). Returns how many have j < i, or -1
// without memory.
int spFindSameVertices(spHeap* heap, const spDVec3* vertices, int count, int32_t* remap);

// A tet counts as flat when |volume| < this * (longest edge)^3, a triangle when 2 area < this * (longest
// edge)^2
#define SP_FLAT_LIMIT 1.0e-12

// Fills the parts of a report that are about sizes and angles of elements (quality.c)
void spMeasureQuality(const spMesh* mesh, spMeshReport* report);

// Sorts of elements that are wrong by themselves
typedef enum spElementState
{
    sp_elementFine,
    sp_elementFlat,
    sp_elementInverted,
} spElementState;

spElementState spClassifyTet(const spDVec3* vertices, const int32_t* tet);
spElementState spClassifyTriangle(const spDVec3* vertices, const int32_t* triangle);
