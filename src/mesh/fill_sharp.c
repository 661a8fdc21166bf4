// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Nodes near sharp edges and corners of the surface move there, the nearest first, if the tets around them stay sound.
// The rule of the lattice puts nodes next to every edge that it cuts off, so that most edges come back whole.

#include "mesh/fill_sharp.h"

#include "base/error.h"
#include "mesh/corner_table.h"
#include "mesh/mesh_math.h"
#include "mesh/sort.h"

#include <string.h>

#define SP_PI 3.14159265358979323846

// A node of the boundary moves to a corner from this part of a size, to an edge from this one
#define SP_CORNER_REACH 1.0
#define SP_EDGE_REACH 0.7

// Rounds over the nodes: what could not move may do so when its neighbours have
#define SP_SHARP_ROUNDS 3

// A piece of a sharp edge, at most as long as a cell of the grid; a corner has no length
typedef struct spSharpPiece
{
    spDVec3 from, to;
} spSharpPiece;

// A node that may move
typedef struct spSharpMove
{
    double distance; // m
    spDVec3 place;
    int32_t node;
    int32_t corner; // the piece that is a corner; -1 on an edge
} spSharpMove;

typedef struct spSharpener
{
    spHeap* heap;
    spMesh* mesh;
    double size, cosine; // of the angle
    spSharpPiece* pieces;
    int32_t *cells, *order; // of each piece: three cells; pieces by their cells
    int pieceCount, pieceCapacity;
    int cornerCount; // pieces that come first
    spDVec3 lower;
    int cellLimit;
    int32_t *begins, *tets; // of each node: its tets
    uint8_t* fixed;         // of each node: it is on an edge or corner, or inside
    spSharpMove* moves;
    int moveCount, moveCapacity;
} spSharpener;

// ---- sharp edges of the surface ----

static bool spAddPiece(spSharpener* s, spDVec3 from, spDVec3 to)
{
    bool ok = spReserve(s->heap, (void**)&s->pieces, s->pieceCount, &s->pieceCapacity, s->pieceCount + 1,
                        sizeof(*s->pieces));
    if (ok)
    {
        s->pieces[s->pieceCount++] = (spSharpPiece){from, to};
    }
    return ok;
}

static spDVec3 spGetWay(const spCornerTable* t, int32_t c)
{
    return spDSub(t->x[t->vertex[spNextCorner(c)]], t->x[t->vertex[c]]);
}

static double spGetCosineOf(spDVec3 a, spDVec3 b)
{
    double lengths = spDLength(a) * spDLength(b);
    return lengths > 0.0 ? spDDot(a, b) / lengths : 1.0;
}

static bool spIsSharpEdge(const spCornerTable* t, int32_t c, double cosine)
{
    int32_t twin = t->twin[c];
    return twin >= 0 && spGetCosineOf(spTriangleNormal(t->x, t->vertex + c / 3 * 3),
                                      spTriangleNormal(t->x, t->vertex + twin / 3 * 3)) < cosine;
}

// Whether sharp edges end, meet or turn at a vertex
static bool spIsCornerVertex(const spCornerTable* t, int32_t vertex, double cosine)
{
    int32_t fan[SP_FAN_LIMIT];
    int count = t->vertexEdge[vertex] >= 0 ? spCollectFan(t, vertex, fan, NULL) : 0, lines = 0;
    spDVec3 ways[2] = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
    for (int i = 0; i < count; ++i)
    {
        if (t->sharp[fan[i]])
        {
            ways[lines++ & 1] = spGetWay(t, fan[i]);
        }
    }
    return lines > 2 || lines == 1 ||
           (lines == 2 && spGetCosineOf(ways[0], spDScale(-1.0, ways[1])) < cosine);
}

static bool spAddEdgePieces(spSharpener* s, spDVec3 from, spDVec3 to)
{
    double count = ceil(spDDistance(from, to) / s->size);
    bool ok = count + s->pieceCount < SP_MESH_LIMIT;
    spDVec3 step = spDScale(1.0 / fmax(count, 1.0), spDSub(to, from));
    for (int i = 0; ok && i < (int)count; ++i)
    {
        ok = spAddPiece(s, spDMulAdd(from, i, step), spDMulAdd(from, i + 1, step));
    }
    return ok;
}

static bool spFindSharp(spSharpener* s, spCornerTable* t)
{
    bool ok = true;
    for (int32_t c = 0; c < t->cornerCount; ++c)
    {
        t->sharp[c] = spIsSharpEdge(t, c, s->cosine);
    }
    for (int32_t v = 0; ok && v < t->vertexCount; ++v)
    {
        ok = spIsCornerVertex(t, v, s->cosine) == false || spAddPiece(s, t->x[v], t->x[v]);
    }
    s->cornerCount = s->pieceCount;
    for (int32_t c = 0; ok && c < t->cornerCount; ++c)
    {
        bool edge = t->sharp[c] && spIsFirstHalf(t, c);
        ok = edge == false || spAddEdgePieces(s, t->x[t->vertex[c]], t->x[t->vertex[spNextCorner(c)]]);
    }
    return ok;
}

// ---- finding pieces near a node ----

static void spGetGridCell(const spSharpener* s, spDVec3 x, int32_t cell[3])
{
    spDVec3 place = spDScale(1.0 / s->size, spDSub(x, s->lower));
    const double places[3] = {place.x, place.y, place.z};
    for (int i = 0; i < 3; ++i)
    {
        cell[i] = (int32_t)fmin(fmax(places[i], 0.0), s->cellLimit - 1);
    }
}

static bool spSortPieces(spSharpener* s)
{
    s->cells = spAlloc(s->heap, spArraySize(s->pieceCount, 3 * sizeof(int32_t)));
    s->order = spAlloc(s->heap, spArraySize(s->pieceCount, sizeof(int32_t)));
    if (s->cells == NULL || s->order == NULL)
    {
        return false;
    }
    for (int i = 0; i < s->pieceCount; ++i)
    {
        spDVec3 middle = spDScale(0.5, spDAdd(s->pieces[i].from, s->pieces[i].to));
        spGetGridCell(s, middle, s->cells + 3 * (int64_t)i);
    }
    return spSortTuples(s->heap, s->cells, 3, s->pieceCount, s->cellLimit, s->order);
}

static int spCompareCells(const int32_t* a, const int32_t* b)
{
    for (int i = 0; i < 3; ++i)
    {
        if (a[i] != b[i])
        {
            return a[i] < b[i] ? -1 : 1;
        }
    }
    return 0;
}

// First place in the order whose cell is not before one
static int spFindCellBegin(const spSharpener* s, const int32_t cell[3])
{
    int low = 0, high = s->pieceCount;
    while (low < high)
    {
        int middle = low + (high - low) / 2;
        bool before = spCompareCells(s->cells + 3 * (int64_t)s->order[middle], cell) < 0;
        low = before ? middle + 1 : low;
        high = before ? high : middle;
    }
    return low;
}

static spDVec3 spGetPiecePlace(const spSharpPiece* piece, spDVec3 x)
{
    spDVec3 way = spDSub(piece->to, piece->from);
    double length2 = spDDot(way, way);
    double part = length2 > 0.0 ? spDDot(spDSub(x, piece->from), way) / length2 : 0.0;
    return spDMulAdd(piece->from, fmin(fmax(part, 0.0), 1.0), way);
}

// A move to the nearest corner that is within reach, else to the nearest edge
static bool spAddMove(spSharpener* s, int32_t node)
{
    spDVec3 x = s->mesh->vertices[node];
    spSharpMove corner = {.distance = SP_CORNER_REACH * s->size, .node = -1};
    spSharpMove edge = {.distance = SP_EDGE_REACH * s->size, .node = -1, .corner = -1};
    int32_t at[3];
    spGetGridCell(s, x, at);
    for (int k = 0; k < 9; ++k)
    {
        // Cells along the last axis follow each other
        int32_t first[3] = {at[0] + k / 3 - 1, at[1] + k % 3 - 1, at[2] - 1};
        for (int i = spFindCellBegin(s, first); i < s->pieceCount; ++i)
        {
            const int32_t* cell = s->cells + 3 * (int64_t)s->order[i];
            if (cell[0] != first[0] || cell[1] != first[1] || cell[2] > at[2] + 1)
            {
                break;
            }
            int32_t piece = s->order[i];
            bool isCorner = piece < s->cornerCount;
            spDVec3 place = spGetPiecePlace(s->pieces + piece, x);
            double distance = spDDistance(place, x);
            spSharpMove* best = isCorner ? &corner : &edge;
            if (distance < best->distance)
            {
                *best = (spSharpMove){distance, place, node, isCorner ? piece : -1};
            }
        }
    }
    if (corner.node < 0 && edge.node < 0)
    {
        return true;
    }
    if (!spReserve(s->heap, (void**)&s->moves, s->moveCount, &s->moveCapacity, s->moveCount + 2,
                   sizeof(*s->moves)))
    {
        return false;
    }
    if (corner.node >= 0)
    {
        s->moves[s->moveCount++] = corner;
    }
    if (edge.node >= 0)
    {
        s->moves[s->moveCount++] = edge;
    }
    return true;
}

// ---- moving ----

// Corners first, then by distance
static bool spIsMoveBefore(int32_t a, int32_t b, const void* context)
{
    const spSharpMove* moves = context;
    bool cornerA = moves[a].corner >= 0, cornerB = moves[b].corner >= 0;
    return cornerA != cornerB ? cornerA : moves[a].distance < moves[b].distance;
}

// Angles between faces within 10.77 and 164.74 degrees, as in all stencils
static bool spKeepsAngles(const spDVec3* vertices, const int32_t* tet)
{
    static const double least = 0.98239, most = -0.96474; // their cosines
    spDVec3 normals[4];
    double lengths[4];
    bool good = spTetVolume(vertices, tet) > 0.0;
    for (int f = 0; f < 4; ++f)
    {
        spDVec3 a = vertices[tet[spTetFaces[f][0]]];
        normals[f] =
            spDCross(spDSub(vertices[tet[spTetFaces[f][1]]], a), spDSub(vertices[tet[spTetFaces[f][2]]], a));
        lengths[f] = spDLength(normals[f]);
    }
    for (int i = 0; good && i < 4; ++i)
    {
        for (int j = i + 1; good && j < 4; ++j)
        {
            double cosine = -spDDot(normals[i], normals[j]), scale = lengths[i] * lengths[j];
            good = cosine < least * scale && cosine > most * scale;
        }
    }
    return good;
}

static bool spTryMove(spSharpener* s, const spSharpMove* move)
{
    spDVec3* x = s->mesh->vertices + move->node;
    spDVec3 before = *x;
    bool good = true;
    *x = move->place;
    for (int i = s->begins[move->node]; good && i < s->begins[move->node + 1]; ++i)
    {
        good = spKeepsAngles(s->mesh->vertices, s->mesh->tets + 4 * (int64_t)s->tets[i]);
    }
    if (good == false)
    {
        *x = before;
    }
    return good;
}

// One round. taken: of each corner
static bool spMoveNodes(spSharpener* s, uint8_t* taken)
{
    bool ok = true;
    s->moveCount = 0;
    for (int32_t node = 0; ok && node < s->mesh->vertexCount; ++node)
    {
        ok = s->fixed[node] || spAddMove(s, node);
    }
    int32_t* sorted = spAlloc(s->heap, spArraySize(s->moveCount, sizeof(int32_t)));
    int32_t* temp = spAlloc(s->heap, spArraySize(s->moveCount, sizeof(int32_t)));
    ok = ok && (s->moveCount == 0 || (sorted != NULL && temp != NULL));
    for (int i = 0; ok && i < s->moveCount; ++i)
    {
        sorted[i] = i;
    }
    if (ok && s->moveCount > 0)
    {
        spSortIndices(sorted, temp, s->moveCount, spIsMoveBefore, s->moves);
    }
    for (int i = 0; ok && i < s->moveCount; ++i)
    {
        const spSharpMove* move = s->moves + sorted[i];
        bool free = s->fixed[move->node] == 0 && (move->corner < 0 || taken[move->corner] == 0);
        if (free && spTryMove(s, move))
        {
            s->fixed[move->node] = 1;
            if (move->corner >= 0)
            {
                taken[move->corner] = 1;
            }
        }
    }
    spFree(s->heap, sorted);
    spFree(s->heap, temp);
    return ok;
}

// ---- all of it ----

static bool spCollectNodes(spSharpener* s, spError* error)
{
    const spMesh* mesh = s->mesh;
    spIndexList boundary;
    s->begins = spAllocZeroed(s->heap, spArraySize((int64_t)mesh->vertexCount + 2, sizeof(int32_t)));
    s->tets = spAlloc(s->heap, spArraySize(4 * (int64_t)mesh->tetCount, sizeof(int32_t)));
    s->fixed = spAlloc(s->heap, spArraySize(mesh->vertexCount, sizeof(uint8_t)));
    if (s->begins == NULL || s->tets == NULL || s->fixed == NULL)
    {
        return spFailMemory(error, "sharp edges", spArraySize(4 * (int64_t)mesh->tetCount, sizeof(int32_t)));
    }
    if (spMesh_CollectBoundary(mesh, &boundary, error) == false)
    {
        return false;
    }
    memset(s->fixed, 1, (size_t)mesh->vertexCount);
    for (int i = 0; i < 3 * boundary.count; ++i)
    {
        s->fixed[boundary.data[i]] = 0;
    }
    spFreeIndexList(&boundary);
    for (int64_t i = 0; i < 4 * (int64_t)mesh->tetCount; ++i)
    {
        s->begins[mesh->tets[i] + 2] += 1;
    }
    for (int i = 2; i < mesh->vertexCount + 2; ++i)
    {
        s->begins[i] += s->begins[i - 1];
    }
    for (int64_t i = 0; i < 4 * (int64_t)mesh->tetCount; ++i)
    {
        s->tets[s->begins[mesh->tets[i] + 1]++] = (int32_t)(i / 4);
    }
    return true;
}

static bool spSharpen(spSharpener* s, spCornerTable* table, spError* error)
{
    if (spFindSharp(s, table) == false || (s->pieceCount > 0 && spSortPieces(s) == false))
    {
        return spFailMemory(error, "sharp edges", spArraySize(s->pieceCount, sizeof(spSharpPiece)));
    }
    if (s->pieceCount == 0)
    {
        return true;
    }
    uint8_t* taken = spAllocZeroed(s->heap, spArraySize(s->cornerCount + 1, sizeof(uint8_t)));
    bool ok = spCollectNodes(s, error);
    for (int round = 0; ok && round < SP_SHARP_ROUNDS; ++round)
    {
        ok = (taken != NULL && spMoveNodes(s, taken)) ||
             spFailMemory(error, "sharp edges", spArraySize(s->moveCount, sizeof(spSharpMove)));
    }
    spFree(s->heap, taken);
    return ok;
}

bool spSharpenMesh(spHeap* heap, const spMesh* surface, double angle, double size, spMesh* mesh,
                   spError* error)
{
    spSharpener s = {.heap = heap, .mesh = mesh, .size = size, .cosine = cos(angle * (SP_PI / 180.0))};
    spCornerTable table;
    bool ok = spMakeCornerTable(&table, surface, error);
    if (ok)
    {
        s.lower = table.lower;
        s.cellLimit = (int)fmin(table.extent / size + 2.0, 1e9);
        ok = spSharpen(&s, &table, error);
    }
    void* all[] = {s.pieces, s.cells, s.order, s.begins, s.tets, s.fixed, s.moves};
    for (int i = 0; i < (int)(sizeof(all) / sizeof(all[0])); ++i)
    {
        spFree(heap, all[i]);
    }
    spFreeCornerTable(&table);
    return ok;
}
