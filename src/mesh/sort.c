// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "mesh/sort.h"

#include <string.h>

// Runs of this length are sorted by insertion before they are merged
#define SP_SORT_RUN 12

void spSortIndices(int32_t* items, int32_t* temp, int count, spLessFcn* less, const void* context)
{
    for (int begin = 0; begin < count; begin += SP_SORT_RUN)
    {
        int end = count - begin < SP_SORT_RUN ? count : begin + SP_SORT_RUN;
        for (int i = begin + 1; i < end; ++i)
        {
            int32_t item = items[i];
            int j = i;
            for (; j > begin && less(item, items[j - 1], context); --j)
            {
                items[j] = items[j - 1];
            }
            items[j] = item;
        }
    }

    int32_t* from = items;
    int32_t* to = temp;
    for (int64_t width = SP_SORT_RUN; width < count; width *= 2)
    {
        for (int64_t begin = 0; begin < count; begin += 2 * width)
        {
            int64_t middle = begin + width < count ? begin + width : count;
            int64_t end = begin + 2 * width < count ? begin + 2 * width : count;
            int64_t a = begin, b = middle, out = begin;
            while (a < middle && b < end)
            {
                to[out++] = less(from[b], from[a], context) ? from[b++] : from[a++];
            }
            memcpy(to + out, from + a, (size_t)(middle - a) * sizeof(int32_t));
            out += middle - a;
            memcpy(to + out, from + b, (size_t)(end - b) * sizeof(int32_t));
        }
        int32_t* swapped = from;
        from = to;
        to = swapped;
    }
    if (from != items)
    {
        memcpy(items, from, (size_t)count * sizeof(int32_t));
    }
}

// Counting sorts by one entry after another, last entry first
bool spSortTuples(spHeap* heap, const int32_t* tuples, int tupleSize, int count, int vertexCount,
                  int32_t* order)
{
    if (count <= 0)
    {
        return true;
    }
    size_t startSize = spArraySize((int64_t)vertexCount + 1, sizeof(int32_t));
    size_t tempSize = spArraySize(count, sizeof(int32_t));
    int32_t* starts = spAlloc(heap, startSize);
    int32_t* temp = spAlloc(heap, tempSize);
    bool ok = starts != NULL && temp != NULL;
    if (ok)
    {
        // An even number of passes must end in `order`
        int32_t* from = tupleSize % 2 == 0 ? order : temp;
        int32_t* to = tupleSize % 2 == 0 ? temp : order;
        for (int i = 0; i < count; ++i)
        {
            from[i] = i;
        }
        for (int column = tupleSize - 1; column >= 0; --column)
        {
            memset(starts, 0, startSize);
            for (int i = 0; i < count; ++i)
            {
                starts[tuples[(int64_t)i * tupleSize + column] + 1] += 1;
            }
            for (int v = 0; v < vertexCount; ++v)
            {
                starts[v + 1] += starts[v];
            }
            for (int i = 0; i < count; ++i)
            {
                int32_t tuple = from[i];
                to[starts[tuples[(int64_t)tuple * tupleSize + column]]++] = tuple;
            }
            int32_t* swapped = from;
            from = to;
            to = swapped;
        }
        SP_ASSERT(from == order);
    }
    spFree(heap, temp);
    spFree(heap, starts);
    return ok;
}

bool spSameTuple(const int32_t* tuples, int tupleSize, int32_t a, int32_t b)
{
    return memcmp(tuples + (int64_t)a * tupleSize, tuples + (int64_t)b * tupleSize,
                  (size_t)tupleSize * sizeof(int32_t)) == 0;
}

void spSortTuple(int32_t* tuple, int tupleSize)
{
    for (int i = 1; i < tupleSize; ++i)
    {
        int32_t value = tuple[i];
        int j = i;
        for (; j > 0 && value < tuple[j - 1]; --j)
        {
            tuple[j] = tuple[j - 1];
        }
        tuple[j] = value;
    }
}
