// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The loops over the blocks of an element set for SP_LANES lanes, one for each use: what is added to the nodes
// of the elements (forces, their differences, levels), what is written element by element (pairs of a matrix),
// and what is read of each of them (energies, stresses). A kind gives them a function that loads, gathers and calls its kernel; all of it is inlined.
// Law and flag are constants that it is compiled for once each; what they mean is up to the kind.

#pragma once

#include "math/lanes_node.h"

#include "element/element.h"

// What elements are evaluated for
typedef struct spElementUse
{
    const spElementSet* set;
    const spBlocks* blocks; // of the set
    const spNodeState* state;
    const spDifference* difference; // of differences
    const spFill* fill;             // of pairs
    const void* own;                // what the kind works out once for all elements
} spElementUse;

// Where a loop is: the lanes that start at `lane` of a block
typedef struct spLanesAt
{
    int block, lane;
    const int32_t* nodes; // offsets, those of an element SP_BLOCK apart
} spLanesAt;

SP_KERNEL spLanesAt spMakeLanesAt(const spBlocks* blocks, int nodeCount, int block, int lane)
{
    spLanesAt at = {block, lane, blocks->nodes + (size_t)block * (size_t)nodeCount * SP_BLOCK + lane};
    return at;
}

SP_KERNEL spLanesAt spGetNextLanes(const spBlocks* blocks, int nodeCount, const spLanesAt* at)
{
    int lane = (at->lane + SP_LANES) % SP_BLOCK;
    return spMakeLanesAt(blocks, nodeCount, lane == 0 ? at->block + 1 : at->block, lane);
}

// Place of the first of the lanes in an array that has one entry for each lane of each block
SP_KERNEL size_t spGetLanesPlace(const spLanesAt* at)
{
    return (size_t)at->block * SP_BLOCK + (size_t)at->lane;
}

// Fills in what is added to the nodes: one vector for each node; of two nodes one that the second one loses
typedef void spEvaluateFcn(const spElementUse* use, int law, bool flag, const spLanesAt* at, RVec3* f);

// Where the forces of the lanes go: found before the elements are evaluated, as loads must not wait for it
SP_KERNEL const int32_t* spFindSlots(const spBlocks* blocks, const spLanesAt* at)
{
    return spGetBlockSlots(blocks, at->block) + at->lane;
}

// The one place where anything is added to slots
SP_KERNEL void spScatterElement(const int32_t* slots, int nodeCount, const RVec3* f, spVec4* to)
{
    if (nodeCount == 2)
    {
        spScatterPair(to, slots, slots + SP_BLOCK, f[0]);
        return;
    }
    // The first node takes what the others leave, so that its vector is known last
    SP_UNROLL
    for (int k = 1; k < nodeCount; ++k)
    {
        spScatterNode(to, slots + k * SP_BLOCK, f[k]);
    }
    spScatterNode(to, slots, f[0]);
}

// Adds what the elements of a patch give to their nodes. Of short kernels, those of two nodes, the next lanes are
// evaluated before the last ones are added, so that the long root and division overlap with the loads and
// stores of the scatter: one block alone fills the processor's window.
SP_KERNEL void spAddElements(const spElementUse* use, int nodeCount, int patch, spEvaluateFcn* evaluate,
                             int law, bool flag, spVec4* to)
{
    const spBlocks* blocks = use->blocks;
    int end = blocks->patchBlock[patch + 1];
    spLanesAt at = spMakeLanesAt(blocks, nodeCount, blocks->patchBlock[patch], 0);
    RVec3 f[SP_MAX_ELEMENT_NODES];
    if (nodeCount > 2)
    {
        for (; at.block < end; at = spGetNextLanes(blocks, nodeCount, &at))
        {
            const int32_t* slots = spFindSlots(blocks, &at);
            evaluate(use, law, flag, &at, f);
            spScatterElement(slots, nodeCount, f, to);
        }
        return;
    }
    if (at.block == end)
    {
        return;
    }
    const int32_t* slots = spFindSlots(blocks, &at);
    evaluate(use, law, flag, &at, f);
    for (at = spGetNextLanes(blocks, nodeCount, &at); at.block < end;
         at = spGetNextLanes(blocks, nodeCount, &at))
    {
        const int32_t* nextSlots = spFindSlots(blocks, &at);
        RVec3 nextF[SP_MAX_ELEMENT_NODES];
        evaluate(use, law, flag, &at, nextF);
        spScatterElement(slots, nodeCount, f, to);
        slots = nextSlots;
        f[0] = nextF[0];
    }
    spScatterElement(slots, nodeCount, f, to);
}

// Writes what one element after the other gives, as they lie in the blocks; `to` is the place of the first one
typedef void spWriteFcn(const spElementUse* use, int law, bool flag, const spLanesAt* at, spVec4* to);

// count: vectors of each element
SP_KERNEL void spWriteElements(const spElementUse* use, int nodeCount, int patch, int count,
                               spWriteFcn* write, int law, bool flag, spVec4* to)
{
    const spBlocks* blocks = use->blocks;
    int end = blocks->patchBlock[patch + 1];
    for (spLanesAt at = spMakeLanesAt(blocks, nodeCount, blocks->patchBlock[patch], 0); at.block < end;
         at = spGetNextLanes(blocks, nodeCount, &at))
    {
        write(use, law, flag, &at, to + (size_t)count * spGetLanesPlace(&at));
    }
}

// Finds up to three numbers of each element
typedef RVec3 spReadFcn(const spElementUse* use, int law, const spLanesAt* at);
// Takes those of one element; place is that in the blocks
typedef void spTakeFcn(const spElementUse* use, size_t place, int element, spVec3 numbers, void* to);

// Hands the numbers of all elements on, one after the other as they lie in the blocks: the same order, and sums
// with the same bits, for any number of lanes
SP_KERNEL void spReadElements(const spElementUse* use, int nodeCount, spReadFcn* read, int law,
                              spTakeFcn* take, void* to)
{
    const spBlocks* blocks = use->blocks;
    int end = blocks->patchBlock[blocks->patchCount];
    for (spLanesAt at = spMakeLanesAt(blocks, nodeCount, 0, 0); at.block < end;
         at = spGetNextLanes(blocks, nodeCount, &at))
    {
        RVec3 numbers = read(use, law, &at);
        for (int lane = 0; lane < SP_LANES; ++lane)
        {
            size_t place = spGetLanesPlace(&at) + (size_t)lane;
            if (blocks->elements[place] >= 0)
            {
                spVec3 own = {spGetLane(numbers.x, lane), spGetLane(numbers.y, lane),
                              spGetLane(numbers.z, lane)};
                take(use, place, blocks->elements[place], own, to);
            }
        }
    }
}

// ---- pairs of elements of four nodes ----

// E of the pairs 01 02 03 12 13 23
typedef struct spPairLanes
{
    RMat3 e[6];
} spPairLanes;

// Takes in the forces on the nodes 1, 2, 3 when node j moves by one unit along an axis
SP_KERNEL void spSetPairColumn(spPairLanes* pairs, int j, int axis, const RVec3* forces)
{
    R zero = spSplat(0);
    RVec3 sum = spAddR(spAddR(forces[0], forces[1]), forces[2]);
    RVec3 opposite = {zero - sum.x, zero - sum.y, zero - sum.z};
    (&pairs->e[j - 1].cx)[axis] = opposite;
    if (j >= 2)
    {
        (&pairs->e[j + 1].cx)[axis] = forces[0];
    }
    if (j == 3)
    {
        (&pairs->e[5].cx)[axis] = forces[1];
    }
}

// nodes lie SP_BLOCK apart; the elements of the lanes lie one after the other
SP_KERNEL void spStorePairs(const spPairLanes* pairs, const int32_t* nodes, spVec4* to)
{
    static const int ends[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
    R zero = spSplat(0);
    for (int k = 0; k < 6; ++k)
    {
        RMat3 e = pairs->e[k];
        RMask turn = spIsLarger(nodes + ends[k][0] * SP_BLOCK, nodes + ends[k][1] * SP_BLOCK);
        RVec3 x = {e.cx.x, spSelect(turn, e.cy.x, e.cx.y), spSelect(turn, e.cz.x, e.cx.z)};
        RVec3 y = {spSelect(turn, e.cx.y, e.cy.x), e.cy.y, spSelect(turn, e.cz.y, e.cy.z)};
        RVec3 z = {spSelect(turn, e.cx.z, e.cz.x), spSelect(turn, e.cy.z, e.cz.y), e.cz.z};
        spStoreNodes(to + 3 * k, 18, x, zero);
        spStoreNodes(to + 3 * k + 1, 18, y, zero);
        spStoreNodes(to + 3 * k + 2, 18, z, zero);
    }
}
