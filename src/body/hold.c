// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "body/hold.h"

#include "body/edit.h"

#include <string.h>

// Cells that are looked at for a chain, and cells of one, at most: elements reach over two or three
#define SP_MOST_SEEN 256
#define SP_LONGEST_CHAIN 8

// What is being put together
typedef struct spHolding
{
    spFollow* follow;
    const spBody* body;
    const spHold* hold;
    int32_t nodes[4]; // of the element, in the user's numbering
    int holderCount, holderRoom, cornerRoom, weightRoom, jointCount, jointRoom, jointBeginRoom;
    bool ok;
} spHolding;

// Corner of a cell at a node, or -1
static int spFindCorner(const spEditData* e, int cell, int32_t node)
{
    int corner = -1;
    for (int k = 0; k < e->corners; ++k)
    {
        corner = e->tets[SP_CELL * (size_t)cell + k] == node ? SP_CELL * cell + k : corner;
    }
    return corner;
}

// Whether a cell has the nodes of the element that some bits stand for
static bool spHasNodes(const spHolding* h, int cell, int bits)
{
    bool has = h->body->edit->removed[cell] == 0;
    for (int k = 0; k < h->hold->nodeCount; ++k)
    {
        has = has && ((bits >> k & 1) == 0 || spFindCorner(h->body->edit, cell, h->nodes[k]) >= 0);
    }
    return has;
}

static bool spReserveHolder(spHolding* h)
{
    spHeap* heap = h->body->heap;
    int n = h->hold->nodeCount, count = h->holderCount + 1;
    int begun = h->follow->jointBegin != NULL ? count : 0;
    return spReserve(heap, (void**)&h->follow->corners, n * h->holderCount, &h->cornerRoom, n * count,
                     sizeof(int32_t)) &&
           spReserve(heap, (void**)&h->follow->weights, h->holderCount, &h->weightRoom, count,
                     sizeof(double)) &&
           spReserve(heap, (void**)&h->follow->jointBegin, begun, &h->jointBeginRoom, count + 1,
                     sizeof(int32_t));
}

// Nodes that a cell and the next one of a chain have in common
static void spAddJoints(spHolding* h, int cell, int next)
{
    const spEditData* e = h->body->edit;
    for (int k = 0; k < e->corners; ++k)
    {
        int corner = SP_CELL * cell + k, other = spFindCorner(e, next, e->tets[corner]);
        if (other >= 0)
        {
            h->ok = h->ok && spReserve(h->body->heap, (void**)&h->follow->joints, 2 * h->jointCount,
                                       &h->jointRoom, 2 * h->jointCount + 2, sizeof(int32_t));
            if (h->ok)
            {
                h->follow->joints[2 * (size_t)h->jointCount] = corner;
                h->follow->joints[2 * (size_t)h->jointCount + 1] = other;
                h->jointCount += 1;
            }
        }
    }
}

// The element is held by a chain of cells, which may be a single one
static void spAddHolder(spHolding* h, const int32_t* chain, int length)
{
    const spEditData* e = h->body->edit;
    spFollow* follow = h->follow;
    h->ok = h->ok && spReserveHolder(h);
    for (int i = 0; h->ok && i + 1 < length; ++i)
    {
        spAddJoints(h, chain[i], chain[i + 1]);
    }
    if (h->ok == false)
    {
        return;
    }
    for (int k = 0; k < h->hold->nodeCount; ++k)
    {
        int corner = spFindCorner(e, chain[0], h->nodes[k]);
        follow->corners[(size_t)h->holderCount * h->hold->nodeCount + k] =
            corner >= 0 ? corner : spFindCorner(e, chain[length - 1], h->nodes[k]);
    }
    follow->weights[h->holderCount] = spGetRestMeasure(h->body, e->tets + SP_CELL * (size_t)chain[0]);
    h->holderCount += 1;
    follow->jointBegin[h->holderCount] = h->jointCount;
}

// Cells in the order in which they are come to, each from an earlier one
typedef struct spSearch
{
    int32_t cells[SP_MOST_SEEN];
    int32_t from[SP_MOST_SEEN];
    int count;
} spSearch;

static void spSeeCell(spSearch* search, int cell, int from)
{
    bool seen = search->count == SP_MOST_SEEN;
    for (int i = 0; i < search->count && seen == false; ++i)
    {
        seen = search->cells[i] == cell;
    }
    if (seen == false)
    {
        search->cells[search->count] = cell;
        search->from[search->count++] = from;
    }
}

// The first shortest chain over sides that are closed
static void spFindChain(spHolding* h, spSearch* search)
{
    const spEditData* e = h->body->edit;
    int found = -1;
    for (int i = 0; i < search->count && found < 0; ++i)
    {
        int cell = search->cells[i];
        found = spHasNodes(h, cell, h->hold->second) ? i : -1;
        for (int k = 0; k < e->corners && found < 0; ++k)
        {
            int across = e->fans.across[SP_CELL * cell + k];
            if (across >= 0 && (e->open[cell] >> k & 1) == 0 && e->removed[across / SP_CELL] == 0)
            {
                spSeeCell(search, across / SP_CELL, i);
            }
        }
    }
    int32_t chain[SP_LONGEST_CHAIN];
    int length = 0;
    for (int i = found; i >= 0 && length < SP_LONGEST_CHAIN; i = search->from[i])
    {
        chain[length++] = search->cells[i];
        found = search->from[i];
    }
    // It ends where it began to be looked for
    for (int i = 0; i < length / 2; ++i)
    {
        int32_t cell = chain[i];
        chain[i] = chain[length - 1 - i];
        chain[length - 1 - i] = cell;
    }
    if (length > 0 && found < 0)
    {
        spAddHolder(h, chain, length);
    }
}

// All cells that have all nodes; else a chain between cells that have some
static void spHoldElement(spHolding* h)
{
    const spEditData* e = h->body->edit;
    int begin = h->holderCount, all = (1 << h->hold->nodeCount) - 1;
    int root = spGetRootNode(e, h->nodes[0]);
    spSearch search;
    search.count = 0;
    for (int i = e->fans.begin[root]; i < e->fans.begin[root + 1]; ++i)
    {
        int32_t cell = e->fans.corners[i] / SP_CELL;
        if (spHasNodes(h, cell, all))
        {
            spAddHolder(h, &cell, 1);
        }
        else if (spHasNodes(h, cell, h->hold->first))
        {
            spSeeCell(&search, cell, -1);
        }
    }
    if (h->holderCount == begin)
    {
        spFindChain(h, &search);
    }
}

// Elements of each cell that is part of a holder
static bool spListUsers(spHolding* h)
{
    spFollow* follow = h->follow;
    spHeap* heap = h->body->heap;
    int cellCount = h->body->edit->tetCount, n = h->hold->nodeCount;
    follow->usersBegin = spAllocZeroed(heap, spArraySize((int64_t)cellCount + 2, sizeof(int32_t)));
    follow->users = spAlloc(
        heap, spArraySize((int64_t)h->holderCount * n + 2 * (int64_t)h->jointCount + 1, sizeof(int32_t)));
    if (follow->usersBegin == NULL || follow->users == NULL)
    {
        return false;
    }
    for (int pass = 0; pass < 2; ++pass)
    {
        for (int given = 0; given < follow->givenCount; ++given)
        {
            int first = follow->begin[given], end = follow->begin[given + 1];
            for (int i = first * n; i < end * n; ++i)
            {
                // The same cell again for the next node is listed once more, which does no harm
                int32_t* at = follow->usersBegin + follow->corners[i] / SP_CELL + 1;
                follow->users[pass == 1 ? *at : 0] = given;
                at[pass == 0] += 1;
            }
            for (int i = 2 * follow->jointBegin[first]; i < 2 * follow->jointBegin[end]; ++i)
            {
                int32_t* at = follow->usersBegin + follow->joints[i] / SP_CELL + 1;
                follow->users[pass == 1 ? *at : 0] = given;
                at[pass == 0] += 1;
            }
        }
        for (int i = 0; pass == 0 && i <= cellCount; ++i)
        {
            follow->usersBegin[i + 1] += follow->usersBegin[i];
        }
    }
    return true;
}

bool spHoldElements(spFollow* follow, const spBody* body, const spHold* hold)
{
    *follow = (spFollow){.nodeCount = hold->nodeCount, .givenCount = hold->count, .unheld = -1};
    if (body->edit == NULL)
    {
        return true;
    }
    spHeap* heap = body->heap;
    spHolding h = {.follow = follow, .body = body, .hold = hold};
    follow->begin = spAllocZeroed(heap, spArraySize((int64_t)hold->count + 1, sizeof(int32_t)));
    h.ok = follow->begin != NULL && spReserveHolder(&h);
    if (h.ok)
    {
        follow->jointBegin[0] = 0;
    }
    for (int i = 0; h.ok && i < hold->count; ++i)
    {
        const int32_t* nodes = (const int32_t*)((const char*)hold->nodes + (size_t)i * hold->stride);
        for (int k = 0; k < hold->nodeCount; ++k)
        {
            h.nodes[k] = body->order.order[nodes[k]];
        }
        spHoldElement(&h);
        if (h.holderCount == follow->begin[i])
        {
            follow->unheld = follow->unheld < 0 ? i : follow->unheld;
        }
        follow->begin[i + 1] = h.holderCount;
    }
    // Who is held by nothing has its own place still
    bool held = follow->unheld < 0;
    follow->placeCount = held ? h.holderCount : hold->count;
    size_t size = spArraySize((int64_t)follow->placeCount + 1, sizeof(spReal));
    follow->parts = h.ok ? spAllocZeroed(heap, size) : NULL;
    for (int i = 0; follow->parts != NULL && i < hold->count; ++i)
    {
        follow->parts[i] = 1;
    }
    return follow->parts != NULL && spListUsers(&h);
}
