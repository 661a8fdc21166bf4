// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What tests of preconditioners share: matrices, products in double, conjugate gradients, memory that runs
// out.

#pragma once

#include "body/body.h"
#include "element/lane_count.h"
#include "linear/preconditioner.h"
#include "test/memory_test.h"
#include "testbed/check.h"
#include "testbed/worlds.h"
#include "world/world.h"

#include <stdlib.h>
#include <string.h>

// A matrix with what it stands on
typedef struct Matrix
{
    spBlockRows rows;
    int32_t* patchBegin;
    int patchCount;
    spVec4* x; // of rows, for those of a body
} Matrix;

static inline int ComparePairs(const void* a, const void* b)
{
    const int32_t *p = a, *q = b;
    return p[0] != q[0] ? (p[0] > q[0]) - (p[0] < q[0]) : (p[1] > q[1]) - (p[1] < q[1]);
}

// pairs: row and column of each block, twice or in the wrong order are fine; they are sorted in place
static inline Matrix MakeMatrix(int nodeCount, int32_t* pairs, int pairCount, int patchCount)
{
    Matrix matrix = {.patchCount = patchCount};
    spBlockRows* rows = &matrix.rows;
    for (int k = 0; k < pairCount; ++k)
    {
        int32_t i = pairs[2 * k], j = pairs[2 * k + 1];
        pairs[2 * k] = i > j ? i : j;
        pairs[2 * k + 1] = i > j ? j : i;
    }
    qsort(pairs, (size_t)pairCount, 2 * sizeof(int32_t), ComparePairs);
    rows->nodeCount = nodeCount;
    rows->begin = calloc((size_t)nodeCount + 1, sizeof(int32_t));
    rows->columns = calloc((size_t)pairCount + 1, sizeof(int32_t));
    for (int k = 0; k < pairCount; ++k)
    {
        if (k == 0 || ComparePairs(pairs + 2 * k, pairs + 2 * k - 2) != 0)
        {
            rows->columns[rows->blockCount++] = pairs[2 * k + 1];
            rows->begin[pairs[2 * k] + 1] = rows->blockCount;
        }
    }
    for (int i = 0; i < nodeCount; ++i)
    {
        rows->begin[i + 1] = spMaxInt(rows->begin[i + 1], rows->begin[i]);
    }
    rows->blocks = calloc((size_t)rows->blockCount + 1, sizeof(spMat3));
    rows->diagonal = calloc((size_t)nodeCount, sizeof(spMat3));
    matrix.patchBegin = calloc((size_t)patchCount + 1, sizeof(int32_t));
    for (int p = 0; p <= patchCount; ++p)
    {
        matrix.patchBegin[p] = (int32_t)((int64_t)nodeCount * p / patchCount);
    }
    return matrix;
}

static inline void FreeMatrix(Matrix* matrix)
{
    free(matrix->rows.begin);
    free(matrix->rows.columns);
    free(matrix->rows.blocks);
    free(matrix->rows.diagonal);
    free(matrix->patchBegin);
    free(matrix->x);
}

// The block of row i and column j < i
static inline spMat3* FindBlock(const spBlockRows* rows, int i, int j)
{
    for (int k = rows->begin[i]; k < rows->begin[i + 1]; ++k)
    {
        if (rows->columns[k] == j)
        {
            return rows->blocks + k;
        }
    }
    return NULL;
}

static inline spMat3 RandomMat3(uint64_t* seed)
{
    spReal a[9];
    for (int k = 0; k < 9; ++k)
    {
        a[k] = (spReal)spRandomRange(seed, -1.0, 1.0);
    }
    return (spMat3){{a[0], a[1], a[2]}, {a[3], a[4], a[5]}, {a[6], a[7], a[8]}};
}

// Random blocks, and diagonals that outweigh them by a little
static inline void FillRandom(Matrix* matrix, uint64_t* seed)
{
    spBlockRows* rows = &matrix->rows;
    double* sums = calloc((size_t)rows->nodeCount, sizeof(double));
    for (int i = 0; i < rows->nodeCount; ++i)
    {
        for (int k = rows->begin[i]; k < rows->begin[i + 1]; ++k)
        {
            rows->blocks[k] = RandomMat3(seed);
            double norm = spNormMat3(rows->blocks[k]);
            sums[i] += norm;
            sums[rows->columns[k]] += norm;
        }
    }
    for (int i = 0; i < rows->nodeCount; ++i)
    {
        spMat3 a = RandomMat3(seed);
        spReal shift = (spReal)(0.1 + sums[i]);
        rows->diagonal[i] = spAddMat3(spMulMatT3(a, a), spDiagonalMat3(spMakeVec3(shift, shift, shift)));
    }
    free(sums);
}

static inline Matrix MakeRandomMatrix(int nodeCount, double density, int patchCount, uint64_t* seed)
{
    int32_t* pairs = calloc((size_t)nodeCount * (size_t)nodeCount + 2, sizeof(int32_t));
    int count = 0;
    for (int i = 0; i < nodeCount; ++i)
    {
        for (int j = 0; j < i; ++j)
        {
            if (spRandomRange(seed, 0.0, 1.0) < density)
            {
                pairs[2 * count] = i;
                pairs[2 * count + 1] = j;
                count += 1;
            }
        }
    }
    Matrix matrix = MakeMatrix(nodeCount, pairs, count, patchCount);
    FillRandom(&matrix, seed);
    free(pairs);
    return matrix;
}

static inline spVec4* MakeNodes(int count)
{
    spVec4* nodes = aligned_alloc(64, ((size_t)count * sizeof(spVec4) + 63) / 64 * 64);
    memset(nodes, 0, (size_t)count * sizeof(spVec4));
    return nodes;
}

// M + h^2 K of the beam of the workloads with 4m x m x m cells, in the numbering and the patches of its body.
// moduli: three materials one after the other along the beam, Pa
static inline Matrix MakeBeamMatrix(int m, const double* moduli, double h)
{
    int tetCount = 24 * m * m * m;
    spReal* young = malloc((size_t)tetCount * sizeof(spReal));
    for (int i = 0; i < tetCount; ++i)
    {
        young[i] = (spReal)moduli[i * 3 / tetCount];
    }
    spTetDef tets = spDefaultTetDef();
    tets.law = sp_tetLinear;
    tets.youngModuli = young;
    spTestDef def = spDefaultTestDef();
    spTestWorld test = spBuildTetBeam(&def, m, &tets);
    assert_non_null(test.world);
    spBody* body = spGetBody(test.world, test.body);
    spElementSet* set = body->sets[0];
    spNodeState state = spGetNodeState(body);
    int32_t nodes[4], *pairs = calloc((size_t)tetCount * 12, sizeof(int32_t));
    spMat3 blocks[16];
    int count = 0;
    for (int e = 0; e < tetCount; ++e)
    {
        set->kind->getStiffness(set, &state, e, false, nodes, blocks);
        for (int i = 0; i < 4; ++i)
        {
            for (int j = 0; j < i; ++j)
            {
                pairs[2 * count] = nodes[i];
                pairs[2 * count + 1] = nodes[j];
                count += 1;
            }
        }
    }
    Matrix matrix = MakeMatrix(body->nodeCount, pairs, count, body->order.patchCount);
    memcpy(matrix.patchBegin, body->order.patchBegin, ((size_t)matrix.patchCount + 1) * sizeof(int32_t));
    matrix.x = MakeNodes(body->nodeCount);
    memcpy(matrix.x, body->x, (size_t)body->nodeCount * sizeof(spVec4));
    matrix.rows.x = matrix.x;
    spReal h2 = (spReal)(h * h);
    for (int i = 0; i < body->nodeCount; ++i)
    {
        matrix.rows.diagonal[i] = spScaleMat3(body->mass[i], spIdentityMat3());
    }
    for (int e = 0; e < tetCount; ++e)
    {
        set->kind->getStiffness(set, &state, e, false, nodes, blocks);
        for (int i = 0; i < 4; ++i)
        {
            for (int j = 0; j < 4; ++j)
            {
                spMat3* block =
                    i == j ? matrix.rows.diagonal + nodes[i]
                           : (nodes[i] > nodes[j] ? FindBlock(&matrix.rows, nodes[i], nodes[j]) : NULL);
                bool held = body->x[nodes[i]].w == 0 || body->x[nodes[j]].w == 0;
                if (block != NULL && held == false)
                {
                    *block = spMulAddMat3(*block, h2, blocks[4 * i + j]);
                }
            }
        }
    }
    free(pairs);
    free(young);
    spDestroyTestWorld(&test);
    return matrix;
}

// y += A x, and z += A^T w when there is a z
static inline void AddProduct(spMat3 a, const double* x, double* y, const double* w, double* z)
{
    const spReal numbers[9] = {a.cx.x, a.cx.y, a.cx.z, a.cy.x, a.cy.y, a.cy.z, a.cz.x, a.cz.y, a.cz.z};
    for (int c = 0; c < 3; ++c)
    {
        for (int r = 0; r < 3; ++r)
        {
            y[r] += (double)numbers[3 * c + r] * x[c];
            if (z != NULL)
            {
                z[c] += (double)numbers[3 * c + r] * w[r];
            }
        }
    }
}

// y = A x in double; vectors have three numbers for each node
static inline void Multiply(const spBlockRows* rows, const double* x, double* y)
{
    memset(y, 0, (size_t)rows->nodeCount * 3 * sizeof(double));
    for (int i = 0; i < rows->nodeCount; ++i)
    {
        AddProduct(rows->diagonal[i], x + 3 * i, y + 3 * i, NULL, NULL);
        for (int k = rows->begin[i]; k < rows->begin[i + 1]; ++k)
        {
            int j = rows->columns[k];
            AddProduct(rows->blocks[k], x + 3 * j, y + 3 * i, x + 3 * i, y + 3 * j);
        }
    }
}

static inline spPreconditionerDef MakeDef(const Matrix* matrix)
{
    return (spPreconditionerDef){.pattern = &matrix->rows,
                                 .patchBegin = matrix->patchBegin,
                                 .patchCount = matrix->patchCount,
                                 .laneCount = spGetBestLaneCount(),
                                 .dropTolerance = (spReal)0.01};
}

static inline spPreconditioner* CreateOf(spPreconditionerType type, const spPreconditionerDef* def)
{
    spError error = SP_ZERO_INIT;
    spPreconditioner* p = spFindPreconditioner(type)->create(def, &error);
    if (p == NULL)
    {
        fail_msg("%s", error.message);
    }
    return p;
}

// Made and built with default numbers
static inline spPreconditioner* BuildOf(spPreconditionerType type, const Matrix* matrix)
{
    spPreconditionerDef def = MakeDef(matrix);
    spPreconditioner* p = CreateOf(type, &def);
    assert_true(p->kind->build(p, &matrix->rows));
    return p;
}

static inline spVec4* MakeRandomNodes(int count, uint64_t* seed)
{
    spVec4* nodes = MakeNodes(count);
    for (int i = 0; i < count; ++i)
    {
        nodes[i].x = (spReal)spRandomRange(seed, -1.0, 1.0);
        nodes[i].y = (spReal)spRandomRange(seed, -1.0, 1.0);
        nodes[i].z = (spReal)spRandomRange(seed, -1.0, 1.0);
    }
    return nodes;
}

static inline void ToNumbers(const spVec4* nodes, int count, double* numbers)
{
    for (int i = 0; i < count; ++i)
    {
        numbers[3 * i] = nodes[i].x;
        numbers[3 * i + 1] = nodes[i].y;
        numbers[3 * i + 2] = nodes[i].z;
    }
}

static inline void ToNodes(const double* numbers, int count, spVec4* nodes)
{
    for (int i = 0; i < count; ++i)
    {
        nodes[i] =
            (spVec4){(spReal)numbers[3 * i], (spReal)numbers[3 * i + 1], (spReal)numbers[3 * i + 2], 0};
    }
}

static inline double Dot(const double* a, const double* b, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i)
    {
        sum += a[i] * b[i];
    }
    return sum;
}

// Preconditioned conjugate gradients in double. Returns the iterations until the residual is `tolerance`
// times the right-hand side; p may be NULL.
static inline int CountIterations(spPreconditioner* p, const spBlockRows* rows, const double* b,
                                  double tolerance)
{
    int count = rows->nodeCount, n = 3 * count, iterations = 0;
    double* memory = calloc((size_t)n * 5, sizeof(double));
    double *x = memory, *r = memory + n, *d = memory + 2 * n, *q = memory + 3 * n, *s = memory + 4 * n;
    spVec4 *rNodes = MakeNodes(count), *zNodes = MakeNodes(count);
    memcpy(r, b, (size_t)n * sizeof(double));
    double delta = 0.0;
    for (; iterations < 10000 && Dot(r, r, n) > tolerance * tolerance * Dot(b, b, n); ++iterations)
    {
        memcpy(s, r, (size_t)n * sizeof(double));
        if (p != NULL)
        {
            ToNodes(r, count, rNodes);
            p->kind->apply(p, NULL, rNodes, zNodes);
            ToNumbers(zNodes, count, s);
        }
        double last = delta;
        delta = Dot(r, s, n);
        double beta = iterations == 0 ? 0.0 : delta / last;
        for (int i = 0; i < n; ++i)
        {
            d[i] = s[i] + beta * d[i];
        }
        Multiply(rows, d, q);
        double alpha = delta / Dot(d, q, n);
        for (int i = 0; i < n; ++i)
        {
            x[i] += alpha * d[i];
            r[i] -= alpha * q[i];
        }
    }
    free(memory);
    free(rNodes);
    free(zNodes);
    return iterations;
}
