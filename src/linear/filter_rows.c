// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// With b the weight of a neighbour and B their sum, the node itself counting 1, a reading is a share `own` of
// the node and shares of its neighbours:
//
//                     own                  neighbour        sum
//   preserving        1 - B / (2 (1 + B))  b / (2 (1 + B))  1
//   literal           1/2                  b / (2 (1 + B))  (1 + 2 B) / (2 + 2 B)
//   sum-normalised    (1 + B) / (1 + 2 B)  b / (1 + 2 B)    1
//   first formula     1 / (1 + B)          b / (1 + B)      1
//
// Every multiplier of a mode is positive when own shares are larger than those of all neighbours together:
// always, but for the first formula. There the smallest multiplier is found by iteration.

#include "linear/filter_rows.h"

#include "linear/node_math.h"

#include <math.h>
#include <string.h>

// Rounds that look for a negative multiplier
#define SP_SIGN_ROUNDS 400

void spFillFilterNeighbours(const spFilterRows* rows, int nodeCount, const int32_t* rank,
                            const int32_t* edges, int edgeCount)
{
    int32_t* begin = rows->begin;
    spFilterEntry* entries = rows->entries;
    memset(begin, 0, (size_t)(nodeCount + 1) * sizeof(int32_t));
    for (int i = 0; i < 2 * edgeCount; ++i)
    {
        begin[rank[edges[i]] + 1] += 1;
    }
    for (int node = 0; node < nodeCount; ++node)
    {
        begin[node + 1] += begin[node];
    }
    // Every begin moves to its end while it is filled, and is then the begin of the next
    for (int i = 0; i < 2 * edgeCount; ++i)
    {
        int node = rank[edges[i]], other = rank[edges[i ^ 1]];
        entries[begin[node]++] = (spFilterEntry){4 * other, 0};
    }
    int count = 0, first = 0;
    for (int node = 0; node < nodeCount; ++node)
    {
        int last = begin[node];
        begin[node] = count;
        for (int i = first; i < last; ++i)
        {
            // By insertion: rows are short
            spFilterEntry entry = entries[i];
            int at = count;
            while (at > begin[node] && entries[at - 1].offset > entry.offset)
            {
                at -= 1;
            }
            if (at > begin[node] && entries[at - 1].offset == entry.offset)
            {
                continue;
            }
            memmove(entries + at + 1, entries + at, (size_t)(count - at) * sizeof(spFilterEntry));
            entries[at] = entry;
            count += 1;
        }
        first = last;
    }
    begin[nodeCount] = count;
}

void spFillFilterLengths(const spFilterRows* rows, int nodeCount, const spVec4* x)
{
    for (int node = 0; node < nodeCount; ++node)
    {
        for (int i = rows->begin[node]; i < rows->begin[node + 1]; ++i)
        {
            spFilterEntry* entry = rows->entries + i;
            entry->weight = spDistance3(spXyz(x[node]), spXyz(x[entry->offset / 4]));
        }
    }
}

void spSetFilterLength(const spFilterRows* rows, int node, int other, spReal length)
{
    for (int i = rows->begin[node]; i < rows->begin[node + 1]; ++i)
    {
        if (rows->entries[i].offset == 4 * other)
        {
            rows->entries[i].weight = length;
        }
    }
}

void spFillFilterWeights(const spFilterRows* rows, int nodeCount, const spFilterDef* def, double meanLength)
{
    for (int node = 0; node < nodeCount; ++node)
    {
        spFilterEntry* entries = rows->entries + rows->begin[node];
        int count = rows->begin[node + 1] - rows->begin[node];
        double total = 0.0;
        for (int i = 0; i < count; ++i)
        {
            double d = (double)def->lambda * (double)entries[i].weight / meanLength;
            double b = exp(def->type == sp_filterGaussian ? -d * d : -d);
            entries[i].weight = (spReal)b;
            total += b;
        }
        double scale = 0.5 / (1.0 + total);
        scale = def->reading == sp_filterSumNormalised ? 1.0 / (1.0 + 2.0 * total) : scale;
        scale = def->reading == sp_filterFirstFormula ? 1.0 / (1.0 + total) : scale;
        for (int i = 0; i < count; ++i)
        {
            entries[i].weight = (spReal)(scale * (double)entries[i].weight);
        }
        bool kept = def->reading != sp_filterLiteral;
        rows->own[node] = kept ? 0 : (spReal)((1.0 + 2.0 * total) / (2.0 + 2.0 * total) - 1.0);
    }
}

int spPlaceFilterSlices(const spFilterRows* rows, int nodeCount)
{
    rows->sliceBegin[0] = 0;
    for (int node = 0; node < nodeCount; ++node)
    {
        int slice = node / SP_FILTER_SLICE, first = rows->sliceBegin[slice];
        int most = node % SP_FILTER_SLICE == 0 ? 0 : rows->sliceBegin[slice + 1] - first;
        int count = 1 + rows->begin[node + 1] - rows->begin[node];
        rows->sliceBegin[slice + 1] = first + spMaxInt(most, count);
    }
    return rows->sliceBegin[spGetFilterSliceCount(nodeCount)];
}

void spFillFilterSlices(const spFilterRows* rows, int nodeCount)
{
    for (int place = 0; place < SP_FILTER_SLICE * spGetFilterSliceCount(nodeCount); ++place)
    {
        // The last slice is filled up with the last node
        int slice = place / SP_FILTER_SLICE, lane = place % SP_FILTER_SLICE;
        int node = spMinInt(place, nodeCount - 1);
        int entry = rows->begin[node];
        for (int i = rows->sliceBegin[slice]; i < rows->sliceBegin[slice + 1]; ++i)
        {
            bool itself = i == rows->sliceBegin[slice] || entry == rows->begin[node + 1];
            rows->slices[i].offsets[lane] = itself ? 4 * node : rows->entries[entry].offset;
            rows->slices[i].weights[lane] = itself ? 0 : rows->entries[entry].weight;
            entry += itself ? 0 : 1;
        }
        rows->slices[rows->sliceBegin[slice]].weights[lane] = rows->own[node];
    }
}

// 1 minus the largest eigenvalue of I - S, which is symmetric in the inner product of 1 + B
double spFindSmallestMultiplier(const spFilterRows* rows, int nodeCount, const int32_t* order, spVec4* from,
                                spVec4* to)
{
    for (int node = 0; node < nodeCount; ++node)
    {
        from[node] = (spVec4){order[node] >= 0 ? spGetNoise(order[node], 0) : 0, 0, 0, 0};
    }
    double largest = 1.0;
    for (int round = 0; round < SP_SIGN_ROUNDS; ++round)
    {
        double product = 0.0, norm2 = 0.0;
        spReal scale = (spReal)(1.0 / largest);
        for (int node = 0; node < nodeCount; ++node)
        {
            spReal sum = 0, shares = 0;
            for (int i = rows->begin[node]; i < rows->begin[node + 1]; ++i)
            {
                const spFilterEntry* entry = rows->entries + i;
                sum += entry->weight * (from[node].x - from[entry->offset / 4].x);
                shares += entry->weight;
            }
            double inverse = 1.0 / (1.0 - (double)shares);
            to[node] = (spVec4){scale * sum, 0, 0, 0};
            product += inverse * (double)from[node].x * (double)sum;
            norm2 += inverse * (double)from[node].x * (double)from[node].x;
        }
        largest = norm2 > 0.0 ? fmax(product / norm2, 1e-12) : 1e-12;
        spVec4* swap = from;
        from = to;
        to = swap;
    }
    return 1.0 - largest;
}
