// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "contact/island.h"

#include "contact/contact_surface.h"
#include "mesh/mesh.h"

#include <math.h>
#include <string.h>

// Slices that an impact makes of a step, at the most. What would need more is left to continuous detection, whose rows have
// the plane of the impact.
#define SP_IMPACT_SLICES 16
// Share of an edge that sides may pass each other by in one
#define SP_IMPACT_WAY 0.5

// The root of an island is its body with the smallest slot
static void spJoinSlots(int32_t* parents, int a, int b)
{
    int rootA = spFindRoot(parents, a), rootB = spFindRoot(parents, b);
    parents[spMaxInt(rootA, rootB)] = spMinInt(rootA, rootB);
}

static void spForgetIslands(const spIslandContext* c)
{
    for (int i = 0; i < c->bodyCount; ++i)
    {
        if (c->bodies[i] != NULL)
        {
            c->bodies[i]->island = -1;
            c->bodies[i]->joined = false;
            c->bodies[i]->slices = 0;
        }
    }
}

// Numbers the islands by their first bodies
static int spNumberIslands(const spIslandContext* c, const spRow* rows, int rowCount, int32_t* parents)
{
    for (int i = 0; i < c->bodyCount; ++i)
    {
        parents[i] = i;
    }
    for (int k = 0; k < rowCount; ++k)
    {
        spJoinSlots(parents, rows[k].a.slot, rows[k].b.slot);
        // Marks that it has rows
        c->bodies[rows[k].a.slot]->island = 0;
        c->bodies[rows[k].b.slot]->island = 0;
        bool hold = rows[k].law == sp_rowHold;
        c->bodies[rows[k].a.slot]->joined |= hold;
        c->bodies[rows[k].b.slot]->joined |= hold;
    }
    int count = 0;
    for (int i = 0; i < c->bodyCount; ++i)
    {
        if (c->bodies[i] != NULL && c->bodies[i]->island == 0)
        {
            // The root has a smaller slot, or is this one
            int root = spFindRoot(parents, i);
            c->bodies[i]->island = root == i ? count++ : c->bodies[root]->island;
        }
    }
    return count;
}

// Rows of links, then contacts, with their entries, in one list
static bool spGatherRows(const spIslandContext* c, spRow** rows, int* rowCount, spRowNode** pool)
{
    const spTouches* t = c->touches;
    int links = spCountLinkRows(c->links, c->linkCount, c->bodies);
    int64_t count = (int64_t)links + t->rowCount, entries = 3 * (int64_t)links + t->poolCount;
    *rows = spArenaAlloc(c->arena, spArraySize(count, sizeof(spRow)));
    *pool = spArenaAlloc(c->arena, spArraySize(entries, sizeof(spRowNode)));
    if (count > INT32_MAX || (count > 0 && *rows == NULL) || (entries > 0 && *pool == NULL))
    {
        return false;
    }
    *rowCount = (int)count;
    spMakeLinkRows(c->links, c->linkCount, c->bodies, *rows, *pool);
    for (int k = 0; k < t->rowCount; ++k)
    {
        spRow row = t->rows[k];
        row.a.node += row.a.count > 1 ? 3 * links : 0;
        row.b.node += row.b.count > 1 ? 3 * links : 0;
        (*rows)[links + k] = row;
    }
    if (t->poolCount > 0)
    {
        memcpy(*pool + 3 * (size_t)links, t->pool, (size_t)t->poolCount * sizeof(spRowNode));
    }
    for (int k = 0; k < *rowCount; ++k)
    {
        spMultiplier last = spFindMultiplier(c->multipliers, (*rows)[k].key);
        (*rows)[k].force = last.force;
        (*rows)[k].age = last.age;
        if ((*rows)[k].law == sp_rowContact)
        {
            (*rows)[k].slip = last.slip;
        }
    }
    return true;
}

bool spFindIslands(const spIslandContext* c, spIslands* out)
{
    *out = (spIslands){0};
    spForgetIslands(c);
    spRow* rows = NULL;
    int rowCount = 0;
    if (spGatherRows(c, &rows, &rowCount, &out->pool) == false)
    {
        return false;
    }
    if (rowCount == 0)
    {
        return true;
    }
    int32_t* parents = spArenaAlloc(c->arena, spArraySize(c->bodyCount, sizeof(int32_t)));
    out->rows = spArenaAlloc(c->arena, spArraySize(rowCount, sizeof(spRow)));
    out->islands = spArenaAlloc(c->arena, spArraySize(c->bodyCount, sizeof(spIsland)));
    if (parents == NULL || out->rows == NULL || out->islands == NULL)
    {
        *out = (spIslands){0};
        return false;
    }
    out->rowCount = rowCount;
    out->count = spNumberIslands(c, rows, rowCount, parents);
    memset(out->islands, 0, (size_t)out->count * sizeof(spIsland));
    for (int k = 0; k < rowCount; ++k)
    {
        out->islands[c->bodies[rows[k].a.slot]->island].rowCount += 1;
    }
    for (int i = 1; i < out->count; ++i)
    {
        out->islands[i].firstRow = out->islands[i - 1].firstRow + out->islands[i - 1].rowCount;
        out->islands[i - 1].rowCount = 0;
    }
    out->islands[out->count - 1].rowCount = 0;
    for (int k = 0; k < rowCount; ++k)
    {
        spIsland* island = out->islands + c->bodies[rows[k].a.slot]->island;
        out->rows[island->firstRow + island->rowCount++] = rows[k];
    }
    return true;
}

// How many slices an impact asks for: a contact is linearised at a place of a surface, and says little about sides that
// pass each other by much of an edge
static int spCountImpactSlices(const spIslandContext* c, const spRow* row, const spRowNode* pool, spReal dt)
{
    const spBody *a = c->bodies[row->a.slot], *b = c->bodies[row->b.slot];
    if (row->law != sp_rowContact || a->contactSurface == NULL || b->contactSurface == NULL)
    {
        return 1;
    }
    spVec3 apart = spSub3(spSumSide(&row->a, pool, a->v), spSumSide(&row->b, pool, b->v));
    double way = -(double)dt * (double)spDot3(apart, row->normal);
    double edge = fmin((double)a->contactSurface->meanEdge, (double)b->contactSurface->meanEdge);
    double most = SP_IMPACT_WAY * edge;
    bool hits = way > most && (double)row->gap < way;
    return hits ? (int)fmin(ceil(way / most), SP_IMPACT_SLICES + 1) : 1;
}

static void spSliceImpacts(const spIslandContext* c, const spIslands* islands, spIsland* island, spReal dt)
{
    int slices = 1;
    for (int k = 0; k < island->rowCount; ++k)
    {
        const spRow* row = islands->rows + island->firstRow + k;
        slices = spMaxInt(slices, spCountImpactSlices(c, row, islands->pool, dt));
    }
    island->slices = spMaxInt(island->slices, slices <= SP_IMPACT_SLICES ? slices : 1);
}

void spCountSlices(const spIslandContext* c, spIslands* islands, spReal dt, uint32_t* flags)
{
    for (int i = 0; i < c->bodyCount; ++i)
    {
        const spBody* body = c->bodies[i];
        if (body != NULL && body->running && body->island >= 0)
        {
            spIsland* island = islands->islands + body->island;
            island->slices = spMaxInt(island->slices, body->method->countSubsteps(body, dt, flags));
            island->repeats = island->repeats || body->method->repeats(body);
            island->centred = island->centred || body->methodDef.type == sp_verlet ||
                              body->methodDef.type == sp_multiresolution;
        }
    }
    for (int i = 0; i < islands->count; ++i)
    {
        if (islands->islands[i].repeats)
        {
            spSliceImpacts(c, islands, islands->islands + i, dt);
        }
    }
    for (int i = 0; i < c->bodyCount; ++i)
    {
        spBody* body = c->bodies[i];
        if (body != NULL && body->running && body->island >= 0)
        {
            body->slices = islands->islands[body->island].slices;
        }
    }
}
