// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The velocity filter for SP_LANES lanes: whole nodes lie side by side, four to a slice, so that weights are
// multiplied for as many nodes at once as the lanes have room for.

#include "base/backend.h"
#include "linear/node_math.h"
#include "math/lanes_node.h"

// Nodes side by side
#if SP_LANES <= 4
#define SP_SLICE_PART 1
typedef spQuad spPartOfSlice;
#else
#define SP_SLICE_PART (SP_LANES / 4)
typedef R spPartOfSlice;
#endif

SP_KERNEL spPartOfSlice spJoinSlice(const spVec4* nodes, const int32_t* offsets)
{
#if SP_LANES <= 4
    return spLoadQuad(nodes, offsets[0]);
#else
    spOffsets own = spLoadOffsetsInRow(offsets);
    return spJoinNodes(nodes, &own);
#endif
}

// Each weight four times
SP_KERNEL spPartOfSlice spSpreadWeights(const spReal* weights)
{
#if SP_LANES <= 4
    return weights[0] - (spQuad){0};
#elif SP_LANES == 8
    return __builtin_shufflevector(weights[0] - (spQuad){0}, weights[1] - (spQuad){0}, 0, 1, 2, 3, 4, 5, 6,
                                   7);
#elif defined(__AVX512F__) && !defined(SOUPLE_DOUBLE_PRECISION)
    const __m512i each = _mm512_set_epi32(3, 3, 3, 3, 2, 2, 2, 2, 1, 1, 1, 1, 0, 0, 0, 0);
    return (R)_mm512_permutexvar_ps(each, _mm512_castps128_ps512(_mm_load_ps(weights)));
#else
    spQuad w = *(const spQuadMemory*)weights;
    return __builtin_shufflevector(w, w, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3);
#endif
}

// What the filter adds to velocities of nodes that lie side by side, from the first neighbours of their slice to
// the last. Differences, so that equal velocities stay what they are to the last bit.
SP_KERNEL spPartOfSlice spFilterPart(const spVec4* from, const spFilterSlice* first,
                                     const spFilterSlice* last, int part, spPartOfSlice old)
{
    spPartOfSlice sum = spSpreadWeights(first->weights + part) * old;
    for (const spFilterSlice* entry = first + 1; entry < last; ++entry)
    {
        sum += spSpreadWeights(entry->weights + part) * (spJoinSlice(from, entry->offsets + part) - old);
    }
    return sum;
}

SP_KERNEL spPartOfSlice spLoadPart(const spVec4* nodes)
{
    spPartOfSlice part;
    memcpy(&part, nodes, sizeof(part));
    return part;
}

// filtered where nodes are free, v where they are held
SP_KERNEL spPartOfSlice spSelectFree(spPartOfSlice x, spPartOfSlice filtered, spPartOfSlice v)
{
#if SP_LANES <= 4
    return x[3] > 0 ? filtered : v;
#else
    return spSelect(SP_SHUFFLE(x, x, 3, 3, 3, 3) > spSplat(0), filtered, v);
#endif
}

// A slice of its own patch: nodes are moved side by side too
SP_KERNEL void spFilterDriftSlice(spVec4* x, spVec4* v, const spVec4* from, const spFilterRows* rows,
                                  spReal strength, spReal h, int slice)
{
    const spFilterSlice* first = rows->slices + rows->sliceBegin[slice];
    const spFilterSlice* last = rows->slices + rows->sliceBegin[slice + 1];
    SP_UNROLL
    for (int part = 0; part < SP_FILTER_SLICE; part += SP_SLICE_PART)
    {
        int node = slice * SP_FILTER_SLICE + part;
        spPartOfSlice old = spLoadPart(from + node), position = spLoadPart(x + node);
        spPartOfSlice filtered = old + strength * spFilterPart(from, first, last, part, old);
        spPartOfSlice moved = spSelectFree(position, filtered, spLoadPart(v + node));
        position += h * moved;
        memcpy(v + node, &moved, sizeof(moved));
        memcpy(x + node, &position, sizeof(position));
    }
}

// Those nodes of a slice that are in [begin, end), one by one
SP_KERNEL void spFilterDriftSome(spVec4* x, spVec4* v, const spVec4* from, const spFilterRows* rows,
                                 spReal strength, const spRotation* rotation, spReal h, int slice, int begin,
                                 int end)
{
    const spFilterSlice* first = rows->slices + rows->sliceBegin[slice];
    const spFilterSlice* last = rows->slices + rows->sliceBegin[slice + 1];
    spVec4 added[SP_FILTER_SLICE];
    for (int part = 0; part < SP_FILTER_SLICE; part += SP_SLICE_PART)
    {
        spPartOfSlice old = spJoinSlice(from, first->offsets + part);
        spPartOfSlice sum = spFilterPart(from, first, last, part, old);
        memcpy(added + part, &sum, sizeof(sum));
    }
    int firstNode = slice * SP_FILTER_SLICE, lastNode = spMinInt(firstNode + SP_FILTER_SLICE, end);
    for (int i = spMaxInt(firstNode, begin); i < lastNode; ++i)
    {
        spQuadMemory* vi = (spQuadMemory*)(v + i);
        if (x[i].w > 0)
        {
            spQuad filtered =
                *(const spQuadMemory*)(from + i) + strength * *(const spQuadMemory*)(added + (i - firstNode));
            *vi = rotation == NULL ? filtered : filtered + spGetRotationAt(rotation, x + i);
        }
        *(spQuadMemory*)(x + i) += h * *vi;
    }
}

static void spFilterDriftNodes(spVec4* x, spVec4* v, const spVec4* from, const spFilterRows* rows,
                               spReal strength, const spRotation* rotation, spReal h, int begin, int end)
{
    for (int slice = begin / SP_FILTER_SLICE; slice * SP_FILTER_SLICE < end; ++slice)
    {
        bool whole = slice * SP_FILTER_SLICE >= begin && (slice + 1) * SP_FILTER_SLICE <= end;
        if (whole && rotation == NULL)
        {
            spFilterDriftSlice(x, v, from, rows, strength, h, slice);
        }
        else
        {
            spFilterDriftSome(x, v, from, rows, strength, rotation, h, slice, begin, end);
        }
    }
}
