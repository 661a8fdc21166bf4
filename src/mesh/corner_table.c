// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "mesh/corner_table.h"

#include "base/error.h"
#include "mesh/mesh_math.h"
#include "mesh/sort.h"
#include "mesh/surface.h"

// A triangle may turn by as much as has this cosine when a corner moves
#define SP_TURN_LIMIT 0.2
// And is a sliver when it is flatter than this
#define SP_SLIVER_LIMIT 0.02

// ---- room ----

static bool spReserveVertex(spCornerTable* t, int count)
{
    spHeap* heap = &t->heap;
    return spReserve(heap, (void**)&t->x, t->vertexCount, &t->vertexCapacity, count, sizeof(*t->x)) &&
           spReserve(heap, (void**)&t->vertexEdge, t->vertexCount, &t->edgeCapacity, count,
                     sizeof(*t->vertexEdge)) &&
           spReserve(heap, (void**)&t->locked, t->vertexCount, &t->lockedCapacity, count, sizeof(*t->locked));
}

static bool spReserveCorners(spCornerTable* t, int count)
{
    spHeap* heap = &t->heap;
    return spReserve(heap, (void**)&t->vertex, t->cornerCount, &t->cornerCapacity, count,
                     sizeof(*t->vertex)) &&
           spReserve(heap, (void**)&t->twin, t->cornerCount, &t->twinCapacity, count, sizeof(*t->twin)) &&
           spReserve(heap, (void**)&t->sharp, t->cornerCount, &t->sharpCapacity, count, sizeof(*t->sharp));
}

void spFreeCornerTable(spCornerTable* t)
{
    void* all[] = {t->x, t->vertexEdge, t->locked, t->vertex, t->twin, t->sharp};
    for (int i = 0; i < (int)(sizeof(all) / sizeof(all[0])); ++i)
    {
        spFree(&t->heap, all[i]);
    }
    *t = (spCornerTable){.heap = t->heap};
}

// ---- building ----

static int32_t spGetEnd(const spCornerTable* t, int32_t c)
{
    return t->vertex[spNextCorner(c)];
}

// Joins half-edges on the same two vertices, where there are two and they run in opposite directions
static bool spFindTwins(spCornerTable* t)
{
    size_t size = spArraySize(t->cornerCount, 2 * sizeof(int32_t));
    int32_t* pairs = spAlloc(&t->heap, size);
    int32_t* order = spAlloc(&t->heap, spArraySize(t->cornerCount, sizeof(int32_t)));
    bool ok = pairs != NULL && order != NULL;
    for (int32_t c = 0; ok && c < t->cornerCount; ++c)
    {
        pairs[2 * (int64_t)c] = t->vertex[c];
        pairs[2 * (int64_t)c + 1] = spGetEnd(t, c);
        spSortTuple(pairs + 2 * (int64_t)c, 2);
    }
    ok = ok && spSortTuples(&t->heap, pairs, 2, t->cornerCount, t->vertexCount, order);
    for (int i = 0, next = 0; ok && i < t->cornerCount; i = next)
    {
        for (next = i + 1; next < t->cornerCount && spSameTuple(pairs, 2, order[i], order[next]); ++next)
        {
        }
        int32_t a = order[i], b = order[next - 1];
        if (next - i == 2 && t->vertex[a] != t->vertex[b])
        {
            t->twin[a] = b;
            t->twin[b] = a;
        }
        else if (next - i >= 2)
        {
            t->locked[t->vertex[a]] = t->locked[spGetEnd(t, a)] = 1;
        }
    }
    spFree(&t->heap, order);
    spFree(&t->heap, pairs);
    return ok;
}

// Locks vertices whose triangles are not one fan
static bool spLockSingular(spCornerTable* t)
{
    int32_t* counts = spAllocZeroed(&t->heap, spArraySize(t->vertexCount, sizeof(int32_t)));
    if (counts == NULL)
    {
        return false;
    }
    for (int32_t c = 0; c < t->cornerCount; ++c)
    {
        counts[t->vertex[c]] += 1;
    }
    for (int32_t v = 0; v < t->vertexCount; ++v)
    {
        int32_t fan[SP_FAN_LIMIT];
        if (t->vertexEdge[v] >= 0 && spCollectFan(t, v, fan, NULL) != counts[v])
        {
            t->locked[v] = 1;
        }
        t->lockedCount += t->locked[v];
    }
    spFree(&t->heap, counts);
    return true;
}

bool spMakeCornerTable(spCornerTable* t, const spMesh* surface, spError* error)
{
    *t = (spCornerTable){.heap = spMakeQueryHeap(surface)};
    spDVec3 upper;
    if (spFindBox(surface, &t->lower, &upper, error) == false)
    {
        return false;
    }
    t->extent = spDDistance(t->lower, upper);
    int corners = 3 * surface->triangleCount;
    bool ok = spReserveVertex(t, surface->vertexCount) && spReserveCorners(t, corners);
    t->vertexCount = ok ? surface->vertexCount : 0;
    t->cornerCount = ok ? corners : 0;
    t->triangleCount = ok ? surface->triangleCount : 0;
    for (int v = 0; v < t->vertexCount; ++v)
    {
        t->x[v] = surface->vertices[v];
        t->vertexEdge[v] = -1;
        t->locked[v] = 0;
    }
    for (int32_t c = t->cornerCount - 1; c >= 0; --c)
    {
        t->vertex[c] = surface->triangles[c];
        t->twin[c] = -1;
        t->sharp[c] = 0;
        t->vertexEdge[t->vertex[c]] = c;
    }
    return (ok && spFindTwins(t) && spLockSingular(t)) ||
           spFailMemory(error, "a surface", spArraySize(corners, sizeof(int32_t)));
}

spMesh* spMakeCornerMesh(spCornerTable* t, const spAllocator* allocator, spError* error)
{
    size_t size = spArraySize(t->vertexCount, sizeof(int32_t));
    int32_t* places = spAllocZeroed(&t->heap, size);
    spMesh* mesh = spAllocMesh(allocator, error);
    bool ok = mesh != NULL && (places != NULL || spFailMemory(error, "a surface", size));
    for (int32_t c = 0; ok && c < t->cornerCount; ++c)
    {
        if (t->vertex[c] >= 0)
        {
            places[t->vertex[c]] = 1;
        }
    }
    for (int v = 0; ok && v < t->vertexCount; ++v)
    {
        if (places[v] > 0)
        {
            places[v] = mesh->vertexCount;
            ok = spAddVertex(mesh, t->x[v], error);
        }
    }
    for (int32_t c = 0; ok && c < t->cornerCount; c += 3)
    {
        const int32_t* v = t->vertex + c;
        ok = v[0] < 0 || spAddTriangle(mesh, places[v[0]], places[v[1]], places[v[2]], error);
    }
    spFree(&t->heap, places);
    if (ok == false)
    {
        spDestroyMesh(mesh);
        return NULL;
    }
    spTrimMesh(mesh);
    return mesh;
}

// ---- around a vertex ----

int spCollectFan(const spCornerTable* t, int32_t vertex, int32_t fan[SP_FAN_LIMIT], bool* border)
{
    // Clockwise to the border, or once around
    int32_t start = t->vertexEdge[vertex];
    int steps = 0;
    while (t->twin[start] >= 0 && steps++ < SP_FAN_LIMIT)
    {
        start = spNextCorner(t->twin[start]);
        if (start == t->vertexEdge[vertex])
        {
            break;
        }
    }
    bool open = t->twin[start] < 0;
    int count = 0;
    for (int32_t c = start; c >= 0 && (count == 0 || c != start); c = t->twin[spPreviousCorner(c)])
    {
        if (count == SP_FAN_LIMIT)
        {
            return 0;
        }
        fan[count++] = c;
    }
    if (border != NULL)
    {
        *border = open;
    }
    return count;
}

// ---- split ----

static void spJoinTwins(spCornerTable* t, int32_t a, int32_t b)
{
    if (a >= 0)
    {
        t->twin[a] = b;
    }
    if (b >= 0)
    {
        t->twin[b] = a;
    }
}

// Triangle (a, b, p) of half-edge c becomes (a, m, p), and (m, b, p) is added. Returns the half-edge m b.
static int32_t spHalveTriangle(spCornerTable* t, int32_t c, int32_t m)
{
    int32_t next = spNextCorner(c), last = spPreviousCorner(c), d = t->cornerCount;
    t->cornerCount += 3;
    t->triangleCount += 1;
    t->vertex[d] = m;
    t->vertex[d + 1] = t->vertex[next];
    t->vertex[d + 2] = t->vertex[last];
    t->sharp[d] = t->sharp[c];
    t->sharp[d + 1] = t->sharp[next];
    t->sharp[d + 2] = t->sharp[next] = 0;
    spJoinTwins(t, d + 1, t->twin[next]);
    t->vertex[next] = m;
    spJoinTwins(t, next, d + 2);
    t->vertexEdge[t->vertex[d + 1]] = d + 1;
    t->vertexEdge[t->vertex[d + 2]] = d + 2;
    return d;
}

bool spSplitEdge(spCornerTable* t, int32_t c, spDVec3 x, spError* error)
{
    int32_t twin = t->twin[c], m = t->vertexCount;
    if (spReserveVertex(t, m + 1) == false || spReserveCorners(t, t->cornerCount + 6) == false)
    {
        return spFailMemory(error, "a surface", spArraySize(t->cornerCount, sizeof(int32_t)));
    }
    t->vertexCount += 1;
    t->x[m] = x;
    t->locked[m] = 0;
    int32_t rest = spHalveTriangle(t, c, m);
    t->vertexEdge[m] = rest;
    if (twin >= 0)
    {
        int32_t back = spHalveTriangle(t, twin, m);
        spJoinTwins(t, c, back);
        spJoinTwins(t, twin, rest);
    }
    else
    {
        t->twin[rest] = -1;
    }
    return true;
}

// ---- flip ----

bool spCanFlip(const spCornerTable* t, int32_t c)
{
    int32_t twin = t->twin[c];
    if (twin < 0 || t->sharp[c])
    {
        return false;
    }
    int32_t a = t->vertex[c], b = t->vertex[twin];
    int32_t p = t->vertex[spPreviousCorner(c)], q = t->vertex[spPreviousCorner(twin)];
    int32_t fan[SP_FAN_LIMIT];
    int count = spCollectFan(t, p, fan, NULL);
    bool free = p != q && count > 0 && t->locked[a] + t->locked[b] + t->locked[p] + t->locked[q] == 0;
    for (int i = 0; free && i < count; ++i)
    {
        // No second edge on the same two vertices
        free = spGetEnd(t, fan[i]) != q && t->vertex[spPreviousCorner(fan[i])] != q;
    }
    return free;
}

void spFlipEdge(spCornerTable* t, int32_t c)
{
    int32_t next = spNextCorner(c), last = spPreviousCorner(c);
    int32_t twin = t->twin[c], twinNext = spNextCorner(twin), twinLast = spPreviousCorner(twin);
    int32_t a = t->vertex[c], b = t->vertex[twin], p = t->vertex[last], q = t->vertex[twinLast];
    int32_t overB = t->twin[next], overA = t->twin[twinNext];
    uint8_t sharpB = t->sharp[next], sharpA = t->sharp[twinNext];
    // (a, q, p) and (b, p, q)
    t->vertex[next] = q;
    t->vertex[twinNext] = p;
    spJoinTwins(t, c, overA);
    spJoinTwins(t, twin, overB);
    spJoinTwins(t, next, twinNext);
    t->sharp[c] = sharpA;
    t->sharp[twin] = sharpB;
    t->sharp[next] = t->sharp[twinNext] = 0;
    t->vertexEdge[a] = c;
    t->vertexEdge[b] = twin;
    t->vertexEdge[p] = last;
    t->vertexEdge[q] = twinLast;
}

// ---- collapse ----

double spGetFlatness(spDVec3 a, spDVec3 b, spDVec3 c)
{
    spDVec3 ab = spDSub(b, a), bc = spDSub(c, b), ca = spDSub(a, c);
    double longest2 = fmax(spDDot(ab, ab), fmax(spDDot(bc, bc), spDDot(ca, ca)));
    return longest2 > 0.0 ? spDLength(spDCross(ab, bc)) / longest2 : 0.0;
}

static bool spIsSliver(spDVec3 a, spDVec3 b, spDVec3 c)
{
    return !(spGetFlatness(a, b, c) > SP_SLIVER_LIMIT);
}

bool spKeepsTriangles(const spCornerTable* t, const int32_t* fan, int count, int32_t other, spDVec3 x)
{
    for (int i = 0; i < count; ++i)
    {
        int32_t b = spGetEnd(t, fan[i]), c = t->vertex[spPreviousCorner(fan[i])];
        if (b == other || c == other)
        {
            continue;
        }
        spDVec3 side = spDSub(t->x[c], t->x[b]), from = t->x[t->vertex[fan[i]]];
        spDVec3 before = spDCross(spDSub(t->x[b], from), side), after = spDCross(spDSub(t->x[b], x), side);
        double lengths = spDLength(before) * spDLength(after);
        bool worse = spIsSliver(x, t->x[b], t->x[c]) &&
                     !(spGetFlatness(x, t->x[b], t->x[c]) > spGetFlatness(from, t->x[b], t->x[c]));
        if (worse || !(spDDot(before, after) > SP_TURN_LIMIT * lengths))
        {
            return false;
        }
    }
    return true;
}

// How many vertices two fans have in common as neighbours
static int spCountCommon(const spCornerTable* t, const int32_t* a, int aCount, const int32_t* b, int bCount)
{
    int32_t near[2 * SP_FAN_LIMIT];
    int nearCount = 0, common = 0;
    for (int i = 0; i < aCount; ++i)
    {
        near[nearCount++] = spGetEnd(t, a[i]);
    }
    // At a border the last neighbour begins no half-edge of the fan
    near[nearCount++] = t->vertex[spPreviousCorner(a[aCount - 1])];
    for (int i = 0; i <= bCount; ++i)
    {
        int32_t other = i < bCount ? spGetEnd(t, b[i]) : t->vertex[spPreviousCorner(b[bCount - 1])];
        bool twice = i == bCount && other == spGetEnd(t, b[0]), found = false;
        for (int k = 0; k < nearCount && twice == false; ++k)
        {
            found = found || near[k] == other;
        }
        common += found;
    }
    return common;
}

bool spCanCollapse(const spCornerTable* t, int32_t c, spDVec3 x)
{
    int32_t twin = t->twin[c], a = t->vertex[c], b = spGetEnd(t, c);
    int32_t p = t->vertex[spPreviousCorner(c)];
    if (t->locked[a] || t->locked[b] || t->locked[p] ||
        (twin >= 0 && t->locked[t->vertex[spPreviousCorner(twin)]]) || spDIsFinite(x) == false)
    {
        return false;
    }
    int32_t fanA[SP_FAN_LIMIT], fanB[SP_FAN_LIMIT];
    bool borderA, borderB;
    int countA = spCollectFan(t, a, fanA, &borderA), countB = spCollectFan(t, b, fanB, &borderB);
    bool small = countA > 0 && countB > 0 && countA + countB <= SP_FAN_LIMIT;
    if (small == false || (twin >= 0 && borderA && borderB) ||
        spCountCommon(t, fanA, countA, fanB, countB) != (twin >= 0 ? 2 : 1))
    {
        return false;
    }
    // The last triangles of a part stay; and a corner with three triangles would become an edge of two that
    // lie on each other
    int least = borderA || borderB ? 1 : 3;
    return countA + countB - (twin >= 0 ? 4 : 2) >= least && spKeepsTriangles(t, fanA, countA, b, x) &&
           spKeepsTriangles(t, fanB, countB, a, x);
}

// Takes the triangle of a half-edge out and joins its other two edges. Returns a half-edge that begins at the
// end of c, or -1.
static int32_t spDropTriangle(spCornerTable* t, int32_t c)
{
    int32_t next = spNextCorner(c), last = spPreviousCorner(c), p = t->vertex[last];
    int32_t over = t->twin[next], back = t->twin[last];
    spJoinTwins(t, over, back);
    uint8_t sharp = t->sharp[next] | t->sharp[last];
    if (over >= 0)
    {
        t->sharp[over] = sharp;
    }
    if (back >= 0)
    {
        t->sharp[back] = sharp;
    }
    // over runs from p to the end of c, back from the start of c, which becomes that end, to p
    int32_t atP = over >= 0 ? over : (back >= 0 ? spNextCorner(back) : -1);
    int32_t atEnd = back >= 0 ? back : (over >= 0 ? spNextCorner(over) : -1);
    t->vertexEdge[p] = atP;
    t->vertex[c] = t->vertex[next] = t->vertex[last] = -1;
    t->triangleCount -= 1;
    return atEnd;
}

void spCollapseEdge(spCornerTable* t, int32_t c, spDVec3 x)
{
    int32_t twin = t->twin[c], a = t->vertex[c], b = spGetEnd(t, c);
    int32_t fan[SP_FAN_LIMIT];
    int count = spCollectFan(t, a, fan, NULL);
    for (int i = 0; i < count; ++i)
    {
        t->vertex[fan[i]] = b;
    }
    int32_t edge = spDropTriangle(t, c);
    if (twin >= 0)
    {
        // From b to a there: its end has become b
        int32_t other = spDropTriangle(t, twin);
        edge = edge >= 0 && t->vertex[edge] >= 0 ? edge : other;
    }
    t->vertexEdge[b] = edge;
    t->vertexEdge[a] = -1;
    t->x[b] = x;
}
