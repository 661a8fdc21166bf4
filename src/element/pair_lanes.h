// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Pairs of an element of four nodes, for matrices: collected column by column, stored with the lower node
// first.

#pragma once

#include "math/lanes.h"
#include "math/lanes_mat3.h"

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
