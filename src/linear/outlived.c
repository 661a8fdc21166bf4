// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "linear/outlived.h"

#include <math.h>
#include <string.h>

// A node of S beside one that is not in it: the block of A in the row of the first and the column of the second
typedef struct spBorderBlock
{
    int32_t own; // number in S
    int32_t node;
    spMat3 block;
} spBorderBlock;

typedef struct spOutlived
{
    spPreconditioner base;
    spPreconditioner* old;
    int nodeCount;
    int copyCount;
    int32_t* nodes;
    int32_t* parents;
    int changedCount;
    int32_t* changed;
    double* factor; // L of A_SS = L L^T, row by row up to the diagonal
    int32_t* first; // of each row: its first number (3 changedCount)
    double* work;   // (3 changedCount)
    spBorderBlock* border;
    int borderCount;
    spVec4* r; // what P gets
} spOutlived;

static void spDestroyOutlived(spPreconditioner* p)
{
    spOutlived* o = (spOutlived*)p;
    spFree(&p->heap, o->nodes);
    spFree(&p->heap, o->parents);
    spFree(&p->heap, o->changed);
    spFree(&p->heap, o->factor);
    spFree(&p->heap, o->first);
    spFree(&p->heap, o->work);
    spFree(&p->heap, o->border);
    spFree(&p->heap, o->r);
    spFreePreconditioner(p);
}

// Begin of a row of the lower triangle
static size_t spGetRow(int row)
{
    return (size_t)row * ((size_t)row + 1) / 2;
}

// Puts a 3x3 block of rows i and columns j, i >= j, into the lower triangle
static void spPutBlock(double* l, int i, int j, spMat3 block)
{
    const spVec3 columns[3] = {block.cx, block.cy, block.cz};
    for (int c = 0; c < 3; ++c)
    {
        const spReal rows[3] = {columns[c].x, columns[c].y, columns[c].z};
        for (int r = 0; r < 3; ++r)
        {
            if (3 * i + r >= 3 * j + c)
            {
                l[spGetRow(3 * i + r) + (size_t)(3 * j + c)] = (double)rows[r];
            }
        }
    }
}

// A_SS; columns of a row rise as the nodes of S do
static void spPickBlock(const spOutlived* o, const spOutlivedDef* def)
{
    const spSparse* a = def->matrix;
    for (int i = 0; i < o->changedCount; ++i)
    {
        int node = o->changed[i], j = 0;
        spVec4 d = def->ownA[i], c = def->ownC[i];
        spMat3 own =
            spMakeMat3(spMakeVec3(d.x, c.x, c.z), spMakeVec3(c.x, d.y, c.y), spMakeVec3(c.z, c.y, d.z));
        spPutBlock(o->factor, i, i, spAddMat3(own, spGetDiagonalSum(a, node)));
        for (int k = a->rowBegin[node]; k < a->rowBegin[node + 1]; ++k)
        {
            while (j < i && o->changed[j] < a->rowColumns[k])
            {
                j += 1;
            }
            if (j < i && o->changed[j] == a->rowColumns[k])
            {
                spPutBlock(o->factor, i, j, spScaleMat3(-1, spTransposeMat3(spGetPairBlock(a, k))));
            }
        }
    }
}

// Sums that are made at once: each in its own order, so that none waits for the one before
#define SP_SUMS 8

// sums[c] -= the product of a row with the row c of some that follow each other, over columns from `first` to `end`
static void spSubtractProducts(const double* row, const double* const rows[SP_SUMS], int first, int end,
                               double sums[SP_SUMS])
{
    for (int k = first; k < end; ++k)
    {
        for (int c = 0; c < SP_SUMS; ++c)
        {
            sums[c] -= row[k] * rows[c][k];
        }
    }
}

// Left of its first number a row of L has none, as that of the matrix
static void spFindFirst(const double* l, int n, int32_t* first)
{
    for (int i = 0; i < n; ++i)
    {
        const double* row = l + spGetRow(i);
        int k = 0;
        while (k < i && row[k] == 0.0)
        {
            k += 1;
        }
        first[i] = k;
    }
}

static bool spFactorBlock(double* l, int n, const int32_t* first)
{
    for (int i = 0; i < n; ++i)
    {
        double* row = l + spGetRow(i);
        for (int begin = first[i]; begin <= i; begin += SP_SUMS)
        {
            // Rows behind the last are the last again, and nobody reads their sums
            const double* others[SP_SUMS];
            double sums[SP_SUMS];
            int count = spMinInt(SP_SUMS, i + 1 - begin);
            for (int c = 0; c < SP_SUMS; ++c)
            {
                int j = begin + spMinInt(c, count - 1);
                others[c] = l + spGetRow(j);
                sums[c] = row[j];
            }
            spSubtractProducts(row, others, first[i], begin, sums);
            for (int c = 0; c < count; ++c)
            {
                int j = begin + c;
                for (int k = begin; k < j; ++k)
                {
                    sums[c] -= row[k] * others[c][k];
                }
                if (i == j && !(sums[c] > 0.0))
                {
                    return false;
                }
                row[j] = i == j ? sqrt(sums[c]) : sums[c] / others[c][j];
            }
        }
    }
    return true;
}

static void spSolveBlock(const double* l, int n, const int32_t* first, double* x)
{
    for (int begin = 0; begin < n; begin += SP_SUMS)
    {
        const double* rows[SP_SUMS];
        double sums[SP_SUMS];
        int count = spMinInt(SP_SUMS, n - begin), from = begin;
        for (int c = 0; c < SP_SUMS; ++c)
        {
            int i = begin + spMinInt(c, count - 1);
            rows[c] = l + spGetRow(i);
            sums[c] = x[i];
            from = spMinInt(from, first[i]);
        }
        spSubtractProducts(x, rows, from, begin, sums);
        for (int c = 0; c < count; ++c)
        {
            int i = begin + c;
            for (int k = begin; k < i; ++k)
            {
                sums[c] -= rows[c][k] * x[k];
            }
            x[i] = sums[c] / rows[c][i];
        }
    }
    for (int i = n - 1; i >= 0; --i)
    {
        const double* row = l + spGetRow(i);
        x[i] /= row[i];
        for (int k = first[i]; k < i; ++k)
        {
            x[k] -= row[k] * x[i];
        }
    }
}

// work = A_SS^-1 work
static void spSolveChanged(spOutlived* o)
{
    spSolveBlock(o->factor, 3 * o->changedCount, o->first, o->work);
}

// work = r at S
static void spPickChanged(spOutlived* o, const spVec4* r)
{
    for (int i = 0; i < o->changedCount; ++i)
    {
        const spVec4* from = r + o->changed[i];
        o->work[3 * i] = (double)from->x;
        o->work[3 * i + 1] = (double)from->y;
        o->work[3 * i + 2] = (double)from->z;
    }
}

static spVec3 spGetSolved(const spOutlived* o, int own)
{
    const double* d = o->work + 3 * (size_t)own;
    return spMakeVec3((spReal)d[0], (spReal)d[1], (spReal)d[2]);
}

// What the block leaves of r: nothing at S
static void spLeaveChanged(spOutlived* o, const spVec4* r)
{
    memcpy(o->r, r, (size_t)o->nodeCount * sizeof(spVec4));
    for (int i = 0; i < o->changedCount; ++i)
    {
        o->r[o->changed[i]] = (spVec4){0};
    }
    for (int i = 0; i < o->borderCount; ++i)
    {
        const spBorderBlock* c = o->border + i;
        spVec3 d = spMulTMV3(c->block, spGetSolved(o, c->own));
        spVec4* to = o->r + c->node;
        *to = (spVec4){to->x - d.x, to->y - d.y, to->z - d.z, 0};
    }
}

static void spApplyOutlived(spPreconditioner* p, spTeam* team, const spVec4* r, spVec4* z)
{
    spOutlived* o = (spOutlived*)p;
    spPickChanged(o, r);
    spSolveChanged(o);
    spLeaveChanged(o, r);
    for (int i = o->copyCount - 1; i >= 0; --i)
    {
        spVec4 *from = o->r + o->nodes[i], *to = o->r + o->parents[i];
        *to = (spVec4){to->x + from->x, to->y + from->y, to->z + from->z, 0};
        *from = (spVec4){0};
    }
    o->old->kind->apply(o->old, team, o->r, z);
    for (int i = 0; i < o->copyCount; ++i)
    {
        z[o->nodes[i]] = z[o->parents[i]];
    }
    // S itself gets what the block makes of all that is round it now
    spPickChanged(o, r);
    for (int i = 0; i < o->borderCount; ++i)
    {
        const spBorderBlock* c = o->border + i;
        spVec3 d = spMulMV3(c->block, spMakeVec3(z[c->node].x, z[c->node].y, z[c->node].z));
        double* to = o->work + 3 * (size_t)c->own;
        to[0] -= (double)d.x;
        to[1] -= (double)d.y;
        to[2] -= (double)d.z;
    }
    spSolveChanged(o);
    for (int i = 0; i < o->changedCount; ++i)
    {
        spVec3 d = spGetSolved(o, i);
        z[o->changed[i]] = (spVec4){d.x, d.y, d.z, 0};
    }
}

static const spPreconditionerKind spOutlivedKind = {
    .name = "outlived",
    .destroy = spDestroyOutlived,
    .apply = spApplyOutlived,
};

// Blocks between S and what is round it, from the pairs that have one node in it. Counts them where there is no room.
static int spPickBorder(const spSparse* a, const int32_t* numbers, spBorderBlock* to)
{
    int count = 0;
    for (int row = 0; row < a->nodeCount; ++row)
    {
        for (int k = a->rowBegin[row]; k < a->rowBegin[row + 1]; ++k)
        {
            int column = a->rowColumns[k];
            if ((numbers[row] < 0) == (numbers[column] < 0))
            {
                continue;
            }
            if (to != NULL)
            {
                bool high = numbers[row] >= 0;
                spMat3 block = spScaleMat3(-1, spGetPairBlock(a, k));
                to[count] = (spBorderBlock){.own = numbers[high ? row : column],
                                            .node = high ? column : row,
                                            .block = high ? spTransposeMat3(block) : block};
            }
            count += 1;
        }
    }
    return count;
}

static bool spCreateBorder(spOutlived* o, const spSparse* a)
{
    int32_t* numbers = spAlloc(&o->base.heap, spArraySize(o->nodeCount, sizeof(int32_t)));
    if (numbers == NULL)
    {
        return false;
    }
    memset(numbers, -1, (size_t)o->nodeCount * sizeof(int32_t));
    for (int i = 0; i < o->changedCount; ++i)
    {
        numbers[o->changed[i]] = i;
    }
    int count = spPickBorder(a, numbers, NULL);
    o->border = spAlloc(&o->base.heap, spArraySize(count, sizeof(spBorderBlock)));
    o->borderCount = o->border != NULL ? spPickBorder(a, numbers, o->border) : 0;
    spFree(&o->base.heap, numbers);
    return count == 0 || o->border != NULL;
}

static bool spAllocOutlived(spOutlived* o, const spOutlivedDef* def)
{
    spHeap* heap = &o->base.heap;
    size_t copySize = spArraySize(def->copyCount, sizeof(int32_t));
    size_t changedSize = spArraySize(def->changedCount, sizeof(int32_t));
    int64_t n = 3 * (int64_t)def->changedCount;
    o->nodes = spAlloc(heap, copySize);
    o->parents = spAlloc(heap, copySize);
    o->changed = spAlloc(heap, changedSize);
    o->factor = spAllocZeroed(heap, spArraySize(n * (n + 1) / 2, sizeof(double)));
    o->first = spAlloc(heap, spArraySize(n, sizeof(int32_t)));
    o->work = spAlloc(heap, spArraySize(n, sizeof(double)));
    o->r = spAlloc(heap, spArraySize(o->nodeCount, sizeof(spVec4)));
    bool copies = def->copyCount == 0 || (o->nodes != NULL && o->parents != NULL);
    bool block = n == 0 || (o->changed != NULL && o->factor != NULL && o->first != NULL && o->work != NULL);
    if (copies == false || block == false || o->r == NULL)
    {
        return false;
    }
    if (def->copyCount > 0)
    {
        memcpy(o->nodes, def->nodes, copySize);
        memcpy(o->parents, def->parents, copySize);
    }
    if (def->changedCount > 0)
    {
        memcpy(o->changed, def->changed, changedSize);
    }
    return true;
}

spPreconditioner* spCreateOutlived(const spAllocator* allocator, const spOutlivedDef* def, spError* error)
{
    spPreconditionerDef base = {.allocator = *allocator};
    spOutlived* o = spAllocPreconditioner(&base, &spOutlivedKind, sizeof(spOutlived), error);
    if (o == NULL)
    {
        return NULL;
    }
    o->old = def->old;
    o->nodeCount = def->matrix->nodeCount;
    o->copyCount = def->copyCount;
    o->changedCount = def->changedCount;
    bool ok = (spAllocOutlived(o, def) && spCreateBorder(o, def->matrix)) ||
              spFailMemory(error, "a preconditioner", sizeof(spOutlived));
    if (ok)
    {
        spPickBlock(o, def);
        spFindFirst(o->factor, 3 * o->changedCount, o->first);
        ok = spFactorBlock(o->factor, 3 * o->changedCount, o->first) ||
             spFail(error, sp_errorBadArgument, "the matrix at a cut is not positive definite");
    }
    if (ok == false)
    {
        spDestroyOutlived(&o->base);
        return NULL;
    }
    return &o->base;
}
