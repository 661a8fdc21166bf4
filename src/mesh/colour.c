// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "mesh/colour.h"

#include <string.h>

// Blocks of a part: enough that handing it to a thread costs little, few enough that threads end together
#define SP_PART_BLOCKS 2

#define SP_COLOUR_WORDS (SP_MAX_COLOURS / 64)

// A set of colours, one bit each
typedef struct spColourBits
{
    uint64_t words[SP_COLOUR_WORDS];
} spColourBits;

// Colours are 0 .. colourCount - 1; colourCount stands for the remainder
typedef struct spColouring
{
    const spElementList* lists;
    int listCount;
    int colourCount;
    int size[SP_MAX_COLOURS + 1]; // elements of each colour, and of the remainder
    int average;                  // elements of a colour, rounded up
    spColourBits* used;           // colours of the elements around each node
    int32_t* sorted;              // elements of each list by their lowest node, list after list
    int32_t* colourOf;            // colour of each element, list after list
} spColouring;

// Called with the nodes of an element, and its colour to be read or set
typedef void spElementFcn(spColouring* c, const int32_t* nodes, int n, int32_t* colour);

static void spVisitElements(spColouring* c, spElementFcn* fcn)
{
    const int32_t* sorted = c->sorted;
    int32_t* colourOf = c->colourOf;
    for (int i = 0; i < c->listCount; ++i)
    {
        const spElementList* list = c->lists + i;
        int n = list->nodesPerElement;
        for (int k = 0; k < list->count; ++k)
        {
            fcn(c, list->nodes + (size_t)sorted[k] * n, n, colourOf + sorted[k]);
        }
        sorted += list->count;
        colourOf += list->count;
    }
}

// The lowest colour with at most `most` elements that none of the nodes has; colourCount when there is none
static int spFindColour(const spColouring* c, const int32_t* nodes, int n, int most)
{
    for (int word = 0; word < SP_COLOUR_WORDS; ++word)
    {
        uint64_t taken = 0;
        for (int k = 0; k < n; ++k)
        {
            taken |= c->used[nodes[k]].words[word];
        }
        for (uint64_t free = ~taken; free != 0; free &= free - 1)
        {
            int colour = 64 * word + __builtin_ctzll(free);
            if (colour >= c->colourCount || c->size[colour] <= most)
            {
                return spMinInt(colour, c->colourCount);
            }
        }
    }
    return c->colourCount;
}

static void spAddToColour(spColouring* c, const int32_t* nodes, int n, int32_t* colour)
{
    c->size[*colour] += 1;
    for (int k = 0; k < n && *colour < c->colourCount; ++k)
    {
        c->used[nodes[k]].words[*colour / 64] |= 1ull << (*colour % 64);
    }
}

static void spTakeFromColour(spColouring* c, const int32_t* nodes, int n, int32_t* colour)
{
    c->size[*colour] -= 1;
    for (int k = 0; k < n && *colour < c->colourCount; ++k)
    {
        c->used[nodes[k]].words[*colour / 64] &= ~(1ull << (*colour % 64));
    }
}

static void spColourFirstFit(spColouring* c, const int32_t* nodes, int n, int32_t* colour)
{
    *colour = spFindColour(c, nodes, n, INT32_MAX);
    spAddToColour(c, nodes, n, colour);
}

// Keeps the colours that are large enough, numbered anew
static void spGiveUpSmallColours(spColouring* c, int nodeCount, int elementCount)
{
    int32_t kept[SP_MAX_COLOURS + 1];
    int count = 0;
    for (int colour = 0; colour <= SP_MAX_COLOURS; ++colour)
    {
        bool keep = colour < SP_MAX_COLOURS && c->size[colour] >= SP_COLOUR_BLOCKS * SP_BLOCK;
        kept[colour] = keep ? count++ : -1;
    }
    for (int i = 0; i < elementCount; ++i)
    {
        int32_t colour = kept[c->colourOf[i]];
        c->colourOf[i] = colour < 0 ? count : colour;
    }
    c->colourCount = count;
    memset(c->size, 0, sizeof(c->size));
    memset(c->used, 0, (size_t)nodeCount * sizeof(spColourBits));
    spVisitElements(c, spAddToColour);
}

// Moves an element from a colour above the average to one below it, and from the remainder to any
static void spBalance(spColouring* c, const int32_t* nodes, int n, int32_t* colour)
{
    bool remains = *colour == c->colourCount;
    if (remains || c->size[*colour] > c->average)
    {
        int32_t other = spFindColour(c, nodes, n, remains ? INT32_MAX : c->average - 1);
        if (other < c->colourCount)
        {
            spTakeFromColour(c, nodes, n, colour);
            spAddToColour(c, nodes, n, &other);
            *colour = other;
        }
    }
}

static bool spColourElements(spColouring* c, spHeap* heap, int nodeCount, int elementCount)
{
    const spElementList* lists = c->lists;
    int32_t* sorted = c->sorted;
    for (int i = 0; i < c->listCount; ++i)
    {
        if (spSortByLowestNode(sorted, heap, lists[i].nodes, lists[i].count, lists[i].nodesPerElement,
                               nodeCount) == false)
        {
            return false;
        }
        sorted += lists[i].count;
    }
    spVisitElements(c, spColourFirstFit);
    spGiveUpSmallColours(c, nodeCount, elementCount);
    int coloured = elementCount - c->size[c->colourCount];
    c->average = (coloured + c->colourCount - 1) / spMaxInt(1, c->colourCount);
    spVisitElements(c, spBalance);
    return true;
}

// Blocks that the elements of one list fill in each colour
static void spCountBlocks(const int32_t* colourOf, int count, int32_t* blocks)
{
    memset(blocks, 0, (SP_MAX_COLOURS + 1) * sizeof(int32_t));
    for (int i = 0; i < count; ++i)
    {
        blocks[colourOf[i]] += 1;
    }
    for (int colour = 0; colour <= SP_MAX_COLOURS; ++colour)
    {
        blocks[colour] = (blocks[colour] + SP_BLOCK - 1) / SP_BLOCK;
    }
}

// Parts of each colour, from the blocks of all lists; the remainder is one
static void spCountParts(const spColouring* c, int32_t* partCount)
{
    int32_t blocks[SP_MAX_COLOURS + 1];
    const int32_t* colourOf = c->colourOf;
    memset(partCount, 0, (SP_MAX_COLOURS + 1) * sizeof(int32_t));
    for (int i = 0; i < c->listCount; ++i)
    {
        spCountBlocks(colourOf, c->lists[i].count, blocks);
        for (int colour = 0; colour <= c->colourCount; ++colour)
        {
            partCount[colour] += blocks[colour];
        }
        colourOf += c->lists[i].count;
    }
    for (int colour = 0; colour < c->colourCount; ++colour)
    {
        partCount[colour] = (partCount[colour] + SP_PART_BLOCKS - 1) / SP_PART_BLOCKS;
    }
    partCount[c->colourCount] = spMinInt(1, partCount[c->colourCount]);
}

// Shares the elements of each colour out among its parts in the order of nodes, in whole blocks
static void spFillParts(const spColouring* c, const spSweepOrder* order, const int32_t* partCount)
{
    int32_t blocks[SP_MAX_COLOURS + 1], placed[SP_MAX_COLOURS + 1];
    const int32_t *colourOf = c->colourOf, *sorted = c->sorted;
    int32_t* partOf = order->partOf;
    for (int i = 0; i < c->listCount; ++i)
    {
        int count = c->lists[i].count;
        spCountBlocks(colourOf, count, blocks);
        memset(placed, 0, sizeof(placed));
        for (int k = 0; k < count; ++k)
        {
            int colour = colourOf[sorted[k]];
            int64_t block = placed[colour]++ / SP_BLOCK;
            partOf[sorted[k]] =
                order->colourBegin[colour] + (int32_t)(block * partCount[colour] / blocks[colour]);
        }
        colourOf += count;
        sorted += count;
        partOf += count;
    }
}

static bool spLayParts(const spColouring* c, spSweepOrder* order, spHeap* heap)
{
    int32_t partCount[SP_MAX_COLOURS + 1];
    spCountParts(c, partCount);
    order->colourCount = c->colourCount + partCount[c->colourCount];
    for (int colour = 0; colour < order->colourCount; ++colour)
    {
        order->partCount += partCount[colour];
    }
    if (spAllocSweepOrder(order, heap, c->lists, c->listCount) == false)
    {
        return false;
    }
    for (int colour = 0; colour < order->colourCount; ++colour)
    {
        order->colourBegin[colour + 1] = order->colourBegin[colour] + partCount[colour];
    }
    for (int part = 0; part < order->partCount; ++part)
    {
        order->parts[part] = part;
    }
    spFillParts(c, order, partCount);
    return true;
}

bool spOrderByColours(spSweepOrder* order, spHeap* heap, const spElementList* lists, int listCount,
                      int nodeCount)
{
    int elementCount = 0;
    for (int i = 0; i < listCount; ++i)
    {
        elementCount += lists[i].count;
    }
    *order = (spSweepOrder){.nodeCount = nodeCount};
    // One more than needed: nothing to colour is no lack of memory
    size_t size = spArraySize((int64_t)elementCount + 1, sizeof(int32_t));
    spColouring c = {.lists = lists, .listCount = listCount, .colourCount = SP_MAX_COLOURS};
    c.used = spAllocZeroed(heap, spArraySize((int64_t)nodeCount + 1, sizeof(spColourBits)));
    c.sorted = spAlloc(heap, size);
    c.colourOf = spAlloc(heap, size);
    bool ok = c.used != NULL && c.sorted != NULL && c.colourOf != NULL &&
              spColourElements(&c, heap, nodeCount, elementCount) && spLayParts(&c, order, heap);
    spFree(heap, c.used);
    spFree(heap, c.sorted);
    spFree(heap, c.colourOf);
    return ok;
}
