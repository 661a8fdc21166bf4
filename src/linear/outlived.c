// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "linear/outlived.h"

#include <math.h>
#include <string.h>

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
    double* work;   // (3 changedCount)
    spVec4* r;      // G^T r
} spOutlived;

static void spDestroyOutlived(spPreconditioner* p)
{
    spOutlived* o = (spOutlived*)p;
    spFree(&p->heap, o->nodes);
    spFree(&p->heap, o->parents);
    spFree(&p->heap, o->changed);
    spFree(&p->heap, o->factor);
    spFree(&p->heap, o->work);
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

static bool spFactorBlock(double* l, int n)
{
    for (int i = 0; i < n; ++i)
    {
        double* row = l + spGetRow(i);
        for (int j = 0; j <= i; ++j)
        {
            const double* other = l + spGetRow(j);
            double sum = row[j];
            for (int k = 0; k < j; ++k)
            {
                sum -= row[k] * other[k];
            }
            if (i == j && !(sum > 0.0))
            {
                return false;
            }
            row[j] = i == j ? sqrt(sum) : sum / other[j];
        }
    }
    return true;
}

static void spSolveBlock(const double* l, int n, double* x)
{
    for (int i = 0; i < n; ++i)
    {
        const double* row = l + spGetRow(i);
        for (int k = 0; k < i; ++k)
        {
            x[i] -= row[k] * x[k];
        }
        x[i] /= row[i];
    }
    for (int i = n - 1; i >= 0; --i)
    {
        const double* row = l + spGetRow(i);
        x[i] /= row[i];
        for (int k = 0; k < i; ++k)
        {
            x[k] -= row[k] * x[i];
        }
    }
}

static void spApplyOutlived(spPreconditioner* p, spTeam* team, const spVec4* r, spVec4* z)
{
    spOutlived* o = (spOutlived*)p;
    memcpy(o->r, r, (size_t)o->nodeCount * sizeof(spVec4));
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
    for (int i = 0; i < o->changedCount; ++i)
    {
        const spVec4* from = r + o->changed[i];
        o->work[3 * i] = (double)from->x;
        o->work[3 * i + 1] = (double)from->y;
        o->work[3 * i + 2] = (double)from->z;
    }
    spSolveBlock(o->factor, 3 * o->changedCount, o->work);
    for (int i = 0; i < o->changedCount; ++i)
    {
        const double* d = o->work + 3 * (size_t)i;
        spVec4* to = z + o->changed[i];
        *to = (spVec4){to->x + (spReal)d[0], to->y + (spReal)d[1], to->z + (spReal)d[2], 0};
    }
}

static const spPreconditionerKind spOutlivedKind = {
    .name = "outlived",
    .destroy = spDestroyOutlived,
    .apply = spApplyOutlived,
};

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
    o->work = spAlloc(heap, spArraySize(n, sizeof(double)));
    o->r = spAlloc(heap, spArraySize(o->nodeCount, sizeof(spVec4)));
    bool copies = def->copyCount == 0 || (o->nodes != NULL && o->parents != NULL);
    bool block = n == 0 || (o->changed != NULL && o->factor != NULL && o->work != NULL);
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
    bool ok = spAllocOutlived(o, def) || spFailMemory(error, "a preconditioner", sizeof(spOutlived));
    if (ok)
    {
        spPickBlock(o, def);
        ok = spFactorBlock(o->factor, 3 * o->changedCount) ||
             spFail(error, sp_errorBadArgument, "the matrix at a cut is not positive definite");
    }
    if (ok == false)
    {
        spDestroyOutlived(&o->base);
        return NULL;
    }
    return &o->base;
}
