// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "linear/sparse.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

static spPairForm spGetForm(const spElementSet* set, const spFill* fill)
{
    return set->kind->getPairForm != NULL ? set->kind->getPairForm(set, fill) : sp_pairsNone;
}

// Pairs of nodes of the elements of a set, in the order of its places
typedef void spPairFcn(int source, int64_t place, int pair, int32_t a, int32_t b, int localA, int localB,
                       void* context);

static void spVisitPairs(const spSparseDef* def, spPairFcn* fcn, void* context)
{
    int source = 0;
    for (int s = 0; s < def->setCount; ++s)
    {
        spElementSet* set = (spElementSet*)def->sets[s];
        if (spGetForm(set, def->fill) == sp_pairsNone)
        {
            continue;
        }
        const spBlocks* blocks = set->kind->getBlocks(set);
        int n = blocks->nodesPerElement;
        for (int64_t place = 0; place < (int64_t)blocks->blockCount * SP_BLOCK; ++place)
        {
            if (blocks->elements[place] < 0)
            {
                continue;
            }
            const int32_t* nodes =
                blocks->nodes + place / SP_BLOCK * n * SP_BLOCK + place % SP_BLOCK; // SP_BLOCK apart
            int pair = 0;
            for (int a = 0; a < n; ++a)
            {
                for (int b = a + 1; b < n; ++b)
                {
                    fcn(source, place, pair++, nodes[a * SP_BLOCK] / 4, nodes[b * SP_BLOCK] / 4, a, b,
                        context);
                }
            }
        }
        source += 1;
    }
}

typedef struct spPatternBuilder
{
    spSparse* a;
    int32_t* cursor; // of each row: where it ends
    int32_t*
        columns; // of each row: rising, with room for repetitions behind them; of a long row as they come
    int64_t pairCount; // with repetitions
} spPatternBuilder;

static void spCountPair(int source, int64_t place, int pair, int32_t a, int32_t b, int localA, int localB,
                        void* context)
{
    SP_UNUSED(source);
    SP_UNUSED(place);
    SP_UNUSED(pair);
    SP_UNUSED(localA);
    SP_UNUSED(localB);
    spPatternBuilder* builder = context;
    builder->cursor[(a > b ? a : b) + 1] += 1;
    builder->pairCount += 1;
}

// Rows with more pairs, repetitions among them, are sorted when all of them are there
#define SP_LONG_ROW 256

static void spPlacePair(int source, int64_t place, int pair, int32_t a, int32_t b, int localA, int localB,
                        void* context)
{
    SP_UNUSED(source);
    SP_UNUSED(place);
    SP_UNUSED(pair);
    SP_UNUSED(localA);
    SP_UNUSED(localB);
    spPatternBuilder* builder = context;
    int32_t row = a > b ? a : b, column = a > b ? b : a;
    int32_t begin = builder->a->rowBegin[row], k = builder->cursor[row];
    if (builder->a->rowBegin[row + 1] - begin > SP_LONG_ROW)
    {
        builder->columns[builder->cursor[row]++] = column;
        return;
    }
    while (k > begin && builder->columns[k - 1] > column)
    {
        k -= 1;
    }
    if (k == begin || builder->columns[k - 1] != column)
    {
        int32_t* to = builder->columns + k;
        memmove(to + 1, to, (size_t)(builder->cursor[row] - k) * sizeof(int32_t));
        *to = column;
        builder->cursor[row] += 1;
    }
}

static int spCompareInt(const void* a, const void* b)
{
    int32_t x = *(const int32_t*)a, y = *(const int32_t*)b;
    return (x > y) - (x < y);
}

// Puts the columns of a row in order, if they are not yet. Returns how many there are.
static int spSortRow(int32_t* columns, int count, int room)
{
    if (room <= SP_LONG_ROW)
    {
        return count;
    }
    qsort(columns, (size_t)count, sizeof(int32_t), spCompareInt);
    int kept = 0;
    for (int i = 0; i < count; ++i)
    {
        if (i == 0 || columns[i] != columns[i - 1])
        {
            columns[kept++] = columns[i];
        }
    }
    return kept;
}

// Rows of columns below the diagonal, without repetitions
static bool spBuildRows(spPatternBuilder* b, spHeap* heap, const spSparseDef* def)
{
    spSparse* a = b->a;
    size_t cursorSize = spArraySize(a->nodeCount + 1, sizeof(int32_t));
    b->cursor = spAllocZeroed(heap, cursorSize);
    a->rowBegin = spAlloc(heap, cursorSize);
    if (b->cursor == NULL || a->rowBegin == NULL)
    {
        spFree(heap, b->cursor);
        return false;
    }
    spVisitPairs(def, spCountPair, b);
    size_t columnSize = b->pairCount < INT_MAX ? spArraySize(b->pairCount, sizeof(int32_t)) : 0;
    b->columns = spAlloc(heap, columnSize);
    bool ok = b->pairCount == 0 || b->columns != NULL;
    if (ok)
    {
        for (int i = 0; i < a->nodeCount; ++i)
        {
            b->cursor[i + 1] += b->cursor[i];
        }
        memcpy(a->rowBegin, b->cursor, cursorSize);
        spVisitPairs(def, spPlacePair, b);
        int kept = 0;
        for (int i = 0; b->pairCount > 0 && i < a->nodeCount; ++i)
        {
            int32_t begin = a->rowBegin[i];
            int count = spSortRow(b->columns + begin, b->cursor[i] - begin, a->rowBegin[i + 1] - begin);
            a->rowBegin[i] = kept;
            // Never ahead of where it is read: rows need less room than they have
            memmove(b->columns + kept, b->columns + begin, (size_t)count * sizeof(int32_t));
            kept += count;
        }
        a->rowBegin[a->nodeCount] = kept;
        a->pairCount = kept;
        a->rowColumns = spAlloc(heap, spArraySize(kept, sizeof(int32_t)));
        ok = kept == 0 || a->rowColumns != NULL;
        if (ok && kept > 0)
        {
            memcpy(a->rowColumns, b->columns, (size_t)kept * sizeof(int32_t));
        }
    }
    spFree(heap, b->columns);
    spFree(heap, b->cursor);
    return ok;
}

// The number of the pair of two nodes
static int spFindPair(const spSparse* a, int32_t p, int32_t q)
{
    int32_t row = p > q ? p : q, column = p > q ? q : p;
    int low = a->rowBegin[row], high = a->rowBegin[row + 1] - 1;
    while (low < high)
    {
        int middle = (low + high) / 2;
        if (a->rowColumns[middle] < column)
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

static bool spBuildPairBlocks(spSparse* a, spHeap* heap)
{
    size_t nodeSize = spArraySize(a->pairCount, 2 * sizeof(int32_t));
    int32_t* nodes = spAlloc(heap, nodeSize);
    a->pairPlace = spAlloc(heap, spArraySize(a->pairCount, sizeof(int32_t)));
    bool ok = a->pairCount == 0 || (nodes != NULL && a->pairPlace != NULL);
    if (ok)
    {
        for (int row = 0; row < a->nodeCount; ++row)
        {
            for (int k = a->rowBegin[row]; k < a->rowBegin[row + 1]; ++k)
            {
                nodes[2 * (size_t)k] = a->rowColumns[k];
                nodes[2 * (size_t)k + 1] = row;
            }
        }
        a->blocks = (spBlocks){.nodesPerElement = 2, .patchCount = a->patchCount};
        if (a->pairCount > 0)
        {
            ok = spBuildBlocks(&a->blocks, heap, nodes, a->pairCount, 2, a->patchBegin, a->patchCount);
        }
        else
        {
            a->blocks.patchBlock = spAllocZeroed(heap, spArraySize(a->patchCount + 1, sizeof(int32_t)));
            ok = a->blocks.patchBlock != NULL;
        }
    }
    spFree(heap, nodes);
    if (ok == false)
    {
        return false;
    }
    for (int place = 0; place < a->blocks.blockCount * SP_BLOCK; ++place)
    {
        if (a->blocks.elements[place] >= 0)
        {
            a->pairPlace[a->blocks.elements[place]] = place;
        }
    }
    spBlocks* sets[1] = {&a->blocks};
    int setCount = a->pairCount > 0 ? 1 : 0;
    if (spBuildSlots(&a->slots, heap, sets, setCount, a->patchBegin, a->patchCount, false) == false)
    {
        return false;
    }
    int64_t nodeCount = (int64_t)a->nodeCount + a->slots.slotCount;
    a->values = spAllocZeroed(heap, spArraySize(a->blocks.blockCount, 9 * SP_BLOCK * sizeof(spReal)));
    a->diagonal[0] = spAllocZeroed(heap, spArraySize(nodeCount, sizeof(spVec4)));
    a->diagonal[1] = spAllocZeroed(heap, spArraySize(nodeCount, sizeof(spVec4)));
    return (a->blocks.blockCount == 0 || a->values != NULL) && a->diagonal[0] != NULL &&
           a->diagonal[1] != NULL;
}

// ---- sources ----

static int spGetOffsetsPerRound(const spPairSource* s)
{
    return s->form == sp_pairsGradients ? 2 : 1;
}

typedef struct spSourceBuilder
{
    spSparse* a;
    int source;     // the one at work
    int32_t* count; // of each pair: elements of this source that have it
    int32_t* found; // pairs of the elements, one after the other
    int64_t visited;
    bool fill;
} spSourceBuilder;

static void spAddToSource(int source, int64_t place, int pair, int32_t p, int32_t q, int localA, int localB,
                          void* context)
{
    spSourceBuilder* b = context;
    if (source != b->source)
    {
        return;
    }
    spSparse* a = b->a;
    spPairSource* s = a->sources + source;
    if (b->fill == false)
    {
        b->found[b->visited] = spFindPair(a, p, q);
        b->count[b->found[b->visited++]] += 1;
        return;
    }
    int index = b->found[b->visited++];
    int round = b->count[index]++;
    int target = a->pairPlace[index];
    int per = spGetOffsetsPerRound(s);
    int32_t* to =
        s->offsets + ((int64_t)s->firstRound[target / SP_BLOCK] + round) * per * SP_BLOCK + target % SP_BLOCK;
    if (s->form == sp_pairsGradients)
    {
        // The lower node first
        to[0] = (int32_t)(4 * (s->nodesPerPlace * place + (p < q ? localA : localB)));
        to[SP_BLOCK] = (int32_t)(4 * (s->nodesPerPlace * place + (p < q ? localB : localA)));
    }
    else
    {
        to[0] = (int32_t)(4 * (s->nodesPerPlace * place + 3 * pair));
    }
}

static bool spBuildSource(spSparse* a, spHeap* heap, const spSparseDef* def, const spElementSet* set,
                          int source, int32_t* count, int32_t* found)
{
    spPairSource* s = a->sources + source;
    const spBlocks* blocks = set->kind->getBlocks((spElementSet*)set);
    int n = blocks->nodesPerElement;
    s->form = spGetForm(set, def->fill);
    s->nodesPerPlace = s->form == sp_pairsGradients ? n : 3 * n * (n - 1) / 2;
    s->pairCount = (int64_t)blocks->blockCount * SP_BLOCK * s->nodesPerPlace;
    if (4 * s->pairCount + 12 > INT_MAX)
    {
        return false;
    }
    s->pairs = spAllocZeroed(heap, spArraySize(s->pairCount + 3, sizeof(spVec4)));
    s->firstRound = spAllocZeroed(heap, spArraySize(a->blocks.blockCount + 1, sizeof(int32_t)));
    if (s->pairs == NULL || s->firstRound == NULL)
    {
        return false;
    }
    // How many rounds each block needs
    spSourceBuilder b = {.a = a, .source = source, .count = count, .found = found};
    for (int pair = 0; pair < a->pairCount; ++pair)
    {
        count[pair] = 0; // there may be none, of a body that was carved away
    }
    spVisitPairs(def, spAddToSource, &b);
    for (int pair = 0; pair < a->pairCount; ++pair)
    {
        int32_t* rounds = s->firstRound + a->pairPlace[pair] / SP_BLOCK + 1;
        *rounds = spMaxInt(*rounds, count[pair]);
    }
    for (int block = 0; block < a->blocks.blockCount; ++block)
    {
        s->firstRound[block + 1] += s->firstRound[block];
    }
    s->offsetCount = (int64_t)s->firstRound[a->blocks.blockCount] * spGetOffsetsPerRound(s) * SP_BLOCK;
    s->offsets = spAlloc(heap, spArraySize(s->offsetCount, sizeof(int32_t)));
    if (s->offsetCount > 0 && s->offsets == NULL)
    {
        return false;
    }
    // Lanes that need fewer take zeros
    for (int64_t i = 0; i < s->offsetCount; ++i)
    {
        s->offsets[i] = (int32_t)(4 * s->pairCount);
    }
    for (int pair = 0; pair < a->pairCount; ++pair)
    {
        count[pair] = 0;
    }
    b.fill = true;
    b.visited = 0;
    spVisitPairs(def, spAddToSource, &b);
    return true;
}

static bool spBuildSources(spSparse* a, spHeap* heap, const spSparseDef* def, int64_t pairCount)
{
    int sourceCount = 0;
    for (int i = 0; i < def->setCount; ++i)
    {
        sourceCount += spGetForm(def->sets[i], def->fill) != sp_pairsNone;
    }
    size_t countSize = spArraySize(a->pairCount, sizeof(int32_t));
    int32_t* count = spAlloc(heap, countSize);
    int32_t* found = spAlloc(heap, spArraySize(pairCount, sizeof(int32_t)));
    a->sources = spAllocZeroed(heap, spArraySize(sourceCount, sizeof(spPairSource)));
    bool ok = sourceCount == 0 || a->sources != NULL;
    a->sourceCount = ok ? sourceCount : 0;
    ok = ok && (a->pairCount == 0 || (count != NULL && found != NULL));
    int source = 0;
    for (int i = 0; ok && i < def->setCount; ++i)
    {
        if (spGetForm(def->sets[i], def->fill) != sp_pairsNone)
        {
            ok = spBuildSource(a, heap, def, def->sets[i], source++, count, found);
        }
    }
    spFree(heap, found);
    spFree(heap, count);
    return ok;
}

bool spCreateSparse(spSparse* a, spHeap* heap, const spSparseDef* def)
{
    *a = (spSparse){.nodeCount = def->patchBegin[def->patchCount],
                    .patchCount = def->patchCount,
                    .patchBegin = def->patchBegin,
                    .backend = def->backend};
    spPatternBuilder builder = {.a = a};
    bool ok = spBuildRows(&builder, heap, def) && spBuildPairBlocks(a, heap) &&
              spBuildSources(a, heap, def, builder.pairCount);
    if (ok == false)
    {
        spDestroySparse(a, heap);
    }
    return ok;
}

void spDestroySparse(spSparse* a, spHeap* heap)
{
    for (int i = 0; i < a->sourceCount; ++i)
    {
        spPairSource* s = a->sources + i;
        spFree(heap, s->pairs);
        spFree(heap, s->firstRound);
        spFree(heap, s->offsets);
    }
    spFree(heap, a->sources);
    spFree(heap, a->values);
    spFree(heap, a->diagonal[0]);
    spFree(heap, a->diagonal[1]);
    spFree(heap, a->pairPlace);
    spFree(heap, a->rowColumns);
    spFree(heap, a->rowBegin);
    spFreeSlots(&a->slots, heap);
    spFreeBlocks(&a->blocks, heap);
    *a = (spSparse){0};
}

bool spFitsSparse(const spSparse* a, const spElementSet* const* sets, int setCount, const spFill* fill)
{
    int source = 0;
    for (int i = 0; i < setCount; ++i)
    {
        spPairForm form = spGetForm(sets[i], fill);
        if (form != sp_pairsNone)
        {
            if (source >= a->sourceCount || a->sources[source].form != form)
            {
                return false;
            }
            source += 1;
        }
    }
    return source == a->sourceCount;
}

// ---- numbers ----

typedef struct spFillContext
{
    spSparse* a;
    const spElementSet* const* sets;
    int setCount;
    const spNodeState* state;
    const spFill* fill;
} spFillContext;

static void spWritePairsStage(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    const spFillContext* c = context;
    int source = 0;
    for (int i = 0; i < c->setCount; ++i)
    {
        const spElementSet* set = c->sets[i];
        if (spGetForm(set, c->fill) == sp_pairsNone)
        {
            continue;
        }
        for (int patch = begin; patch < end; ++patch)
        {
            set->kind->fillPairs(set, c->state, c->fill, patch, c->a->sources[source].pairs);
        }
        source += 1;
    }
}

static void spCollectStage(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    const spFillContext* c = context;
    for (int patch = begin; patch < end; ++patch)
    {
        c->a->backend->collect(c->a, patch);
    }
}

static void spSumDiagonalStage(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    const spFillContext* c = context;
    for (int patch = begin; patch < end; ++patch)
    {
        spSumSlots(&c->a->slots, c->a->diagonal[0], patch);
        spSumSlots(&c->a->slots, c->a->diagonal[1], patch);
    }
}

void spFillSparse(spSparse* a, const spElementSet* const* sets, int setCount, const spNodeState* state,
                  const spFill* fill, spTeam* team)
{
    int source = 0;
    for (int i = 0; i < setCount; ++i)
    {
        if (spGetForm(sets[i], fill) != sp_pairsNone)
        {
            a->sources[source++].factor = sets[i]->kind->getGradientFactor != NULL
                                              ? sets[i]->kind->getGradientFactor(sets[i], fill)
                                              : 0;
        }
    }
    spFillContext context = {a, sets, setCount, state, fill};
    spParallelFor(team, spWritePairsStage, a->patchCount, 1, &context);
    spParallelFor(team, spCollectStage, a->patchCount, 1, &context);
    spParallelFor(team, spSumDiagonalStage, a->patchCount, 1, &context);
}

spMat3 spGetPairBlock(const spSparse* a, int pair)
{
    int place = a->pairPlace[pair];
    const spReal* e = a->values + (size_t)(place / SP_BLOCK) * 9 * SP_BLOCK + place % SP_BLOCK;
    return spMakeMat3(spMakeVec3(e[0], e[SP_BLOCK], e[2 * SP_BLOCK]),
                      spMakeVec3(e[3 * SP_BLOCK], e[4 * SP_BLOCK], e[5 * SP_BLOCK]),
                      spMakeVec3(e[6 * SP_BLOCK], e[7 * SP_BLOCK], e[8 * SP_BLOCK]));
}

spMat3 spGetDiagonalSum(const spSparse* a, int node)
{
    spVec4 s = a->diagonal[0][node], c = a->diagonal[1][node];
    return spMakeMat3(spMakeVec3(s.x, c.x, c.z), spMakeVec3(c.x, s.y, c.y), spMakeVec3(c.z, c.y, s.z));
}
