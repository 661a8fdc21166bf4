// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// 3x3 blocks of a symmetric matrix, by columns of four numbers so that products run in lanes.

#pragma once

#include "base/node.h"
#include "math/mat3.h"

typedef struct spBlock3
{
    spQuad cx, cy, cz; // fourth number 0
} spBlock3;

static inline spQuad spLoadNode(const spVec4* nodes, int node)
{
    return *(const spQuadMemory*)(nodes + node);
}

static inline void spStoreNode(spVec4* nodes, int node, spQuad a)
{
    *(spQuadMemory*)(nodes + node) = a;
}

static inline spBlock3 spMakeBlock3(spMat3 a)
{
    return (spBlock3){{a.cx.x, a.cx.y, a.cx.z, 0}, {a.cy.x, a.cy.y, a.cy.z, 0}, {a.cz.x, a.cz.y, a.cz.z, 0}};
}

// A u
static inline spQuad spMulBlock3(const spBlock3* a, spQuad u)
{
    return a->cx * u[0] + a->cy * u[1] + a->cz * u[2];
}

// A^T u
static inline spQuad spMulTBlock3(const spBlock3* a, spQuad u)
{
    spQuad x = a->cx * u, y = a->cy * u, z = a->cz * u, zero = {0};
    // Sums over the numbers of each product: transpose, then add
    spQuad xy01 = __builtin_shufflevector(x, y, 0, 4, 1, 5);
    spQuad z01 = __builtin_shufflevector(z, zero, 0, 4, 1, 5);
    spQuad xy2 = __builtin_shufflevector(x, y, 2, 6, 2, 6);
    spQuad first = __builtin_shufflevector(xy01, z01, 0, 1, 4, 5);
    spQuad second = __builtin_shufflevector(xy01, z01, 2, 3, 6, 7);
    spQuad third = __builtin_shufflevector(xy2, z, 0, 1, 6, 7);
    return first + second + third;
}

// The inverse of a symmetric block. False when it is not positive definite. Only the lower half is read.
static inline bool spInvertPositive3(spMat3 a, spMat3* inverse)
{
    a.cy.x = a.cx.y;
    a.cz.x = a.cx.z;
    a.cz.y = a.cy.z;
    double minor = (double)a.cx.x * a.cy.y - (double)a.cx.y * a.cx.y;
    return a.cx.x > 0 && minor > 0.0 && spDeterminant3(a) > 0.0 && spInvertMat3(a, inverse);
}
