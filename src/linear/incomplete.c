// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Incomplete Cholesky factor in 3x3 blocks, P = L L^T.
//
// Column after column, each updated by the columns to its left. Blocks where the matrix has one are always
// kept; others, which fill in, only when they are large beside the diagonal blocks of their row and column.
// What is left out may cost a pivot its sign: then the factor is made anew with a share of the diagonal
// added, and with more until it holds.
//
// Manteuffel. An Incomplete Factorization Technique for Positive Definite Linear Systems. 1980
// Saad. Iterative Methods for Sparse Linear Systems, 2nd edition, chapter 10. 2003

#include "base/timer.h"
#include "linear/block.h"
#include "linear/preconditioner.h"

#include <string.h>

// Share of the diagonal that is added after the first breakdown, and how it grows from one to the next
#define SP_FIRST_SHIFT ((spReal)0.001)
#define SP_SHIFT_GROWTH 4
#define SP_MAX_SHIFT 1000

typedef struct spIncomplete
{
    spPreconditioner base;
    int nodeCount;
    int blockCount; // below the diagonal, of the matrix
    spReal dropTolerance;

    // Blocks of the matrix column by column
    int32_t* patternBegin; // first block of each column (nodeCount + 1)
    int32_t* patternRows;  // rising in each column (blockCount)
    int32_t* sources;      // place of each block in the matrix (blockCount)

    // The factor, column by column
    int32_t* begin;    // first block of each column (nodeCount + 1)
    int32_t* rows;     // rising in each column (count)
    spBlock3* blocks;  // L_ij (count)
    spBlock3* inverse; // L_jj^-1 (nodeCount)
    int count, rowCapacity, blockCapacity;

    // Work space
    spReal* norms;    // of the diagonal blocks, roots (nodeCount)
    spBlock3* column; // the column in work, by row (nodeCount)
    int32_t* owner;   // column that last wrote to a row of it, and whether the matrix has a block there:
                      // 2 * column + 1 or 2 * column; -1 for none (nodeCount)
    int32_t* touched; // rows that the column in work has (nodeCount)
    int32_t* next;    // block of each column whose row comes next (nodeCount)
    int32_t* head;    // first column of those whose next row is the given one, -1 for none (nodeCount)
    int32_t* link;    // the column after it (nodeCount)
    spVec4* y;        // L^-1 r (nodeCount)
} spIncomplete;

static void spDestroyIncomplete(spPreconditioner* p)
{
    spIncomplete* c = (spIncomplete*)p;
    spHeap* heap = &p->heap;
    spFree(heap, c->patternBegin);
    spFree(heap, c->patternRows);
    spFree(heap, c->sources);
    spFree(heap, c->begin);
    spFree(heap, c->rows);
    spFree(heap, c->blocks);
    spFree(heap, c->inverse);
    spFree(heap, c->norms);
    spFree(heap, c->column);
    spFree(heap, c->owner);
    spFree(heap, c->touched);
    spFree(heap, c->next);
    spFree(heap, c->head);
    spFree(heap, c->link);
    spFree(heap, c->y);
    spFreePreconditioner(p);
}

static bool spAllocIncomplete(spIncomplete* c)
{
    spHeap* heap = &c->base.heap;
    size_t nodeInts = spArraySize(c->nodeCount, sizeof(int32_t));
    c->patternBegin = spAllocZeroed(heap, spArraySize((int64_t)c->nodeCount + 1, sizeof(int32_t)));
    c->patternRows = spAlloc(heap, spArraySize(c->blockCount, sizeof(int32_t)));
    c->sources = spAlloc(heap, spArraySize(c->blockCount, sizeof(int32_t)));
    c->begin = spAlloc(heap, spArraySize((int64_t)c->nodeCount + 1, sizeof(int32_t)));
    c->inverse = spAlloc(heap, spArraySize(c->nodeCount, sizeof(spBlock3)));
    c->norms = spAlloc(heap, spArraySize(c->nodeCount, sizeof(spReal)));
    c->column = spAlloc(heap, spArraySize(c->nodeCount, sizeof(spBlock3)));
    c->owner = spAlloc(heap, nodeInts);
    c->touched = spAlloc(heap, nodeInts);
    c->next = spAlloc(heap, nodeInts);
    c->head = spAlloc(heap, nodeInts);
    c->link = spAlloc(heap, nodeInts);
    c->y = spAlloc(heap, spArraySize(c->nodeCount, sizeof(spVec4)));
    bool hasBlocks = c->patternRows != NULL && c->sources != NULL;
    return c->patternBegin != NULL && (hasBlocks || c->blockCount == 0) && c->begin != NULL &&
           c->inverse != NULL && c->norms != NULL && c->column != NULL && c->owner != NULL &&
           c->touched != NULL && c->next != NULL && c->head != NULL && c->link != NULL && c->y != NULL;
}

static void spTransposePattern(spIncomplete* c, const spBlockRows* pattern)
{
    for (int k = 0; k < c->blockCount; ++k)
    {
        c->patternBegin[pattern->columns[k] + 1] += 1;
    }
    for (int j = 0; j < c->nodeCount; ++j)
    {
        c->patternBegin[j + 1] += c->patternBegin[j];
        c->next[j] = c->patternBegin[j];
    }
    for (int i = 0; i < c->nodeCount; ++i)
    {
        for (int k = pattern->begin[i]; k < pattern->begin[i + 1]; ++k)
        {
            int place = c->next[pattern->columns[k]]++;
            c->patternRows[place] = i;
            c->sources[place] = k;
        }
    }
}

static spPreconditioner* spCreateIncomplete(const spPreconditionerDef* def, spError* error)
{
    spIncomplete* c = spAllocPreconditioner(def, &spIncompleteKind, sizeof(spIncomplete), error);
    if (c == NULL)
    {
        return NULL;
    }
    c->nodeCount = def->pattern->nodeCount;
    c->blockCount = def->pattern->blockCount;
    c->dropTolerance = def->dropTolerance;
    if (spAllocIncomplete(c) == false)
    {
        spFailMemory(error, "an incomplete Cholesky factor", spArraySize(c->nodeCount, sizeof(spBlock3)));
        spDestroyIncomplete(&c->base);
        return NULL;
    }
    spTransposePattern(c, def->pattern);
    return &c->base;
}

// Puts column k in the list of the row that its next block is in
static void spLinkColumn(spIncomplete* c, int k)
{
    if (c->next[k] < c->begin[k + 1])
    {
        int row = c->rows[c->next[k]];
        c->link[k] = c->head[row];
        c->head[row] = k;
    }
}

// w -= A B^T
static inline void spSubProduct(spBlock3* w, const spBlock3* a, const spBlock3* b)
{
    w->cx -= a->cx * b->cx[0] + a->cy * b->cy[0] + a->cz * b->cz[0];
    w->cy -= a->cx * b->cx[1] + a->cy * b->cy[1] + a->cz * b->cz[1];
    w->cz -= a->cx * b->cx[2] + a->cy * b->cy[2] + a->cz * b->cz[2];
}

static inline spReal spNorm2Block3(const spBlock3* a)
{
    spQuad sum = a->cx * a->cx + a->cy * a->cy + a->cz * a->cz;
    return sum[0] + sum[1] + sum[2];
}

// The inverse of the Cholesky factor of a symmetric block. False when it is not positive definite.
static bool spInvertFactor3(const spBlock3* a, spBlock3* inverse)
{
    double l00 = a->cx[0];
    if ((l00 > 0.0) == false)
    {
        return false;
    }
    l00 = sqrt(l00);
    double l10 = a->cx[1] / l00, l20 = a->cx[2] / l00;
    double l11 = a->cy[1] - l10 * l10;
    if ((l11 > 0.0) == false)
    {
        return false;
    }
    l11 = sqrt(l11);
    double l21 = (a->cy[2] - l20 * l10) / l11;
    double l22 = a->cz[2] - l20 * l20 - l21 * l21;
    if ((l22 > 0.0 && isfinite(l22)) == false)
    {
        return false;
    }
    l22 = sqrt(l22);
    double i00 = 1.0 / l00, i11 = 1.0 / l11, i22 = 1.0 / l22;
    double i10 = -l10 * i00 * i11, i21 = -l21 * i11 * i22;
    double i20 = -(l20 * i00 + l21 * i10) * i22;
    *inverse = (spBlock3){
        {(spReal)i00, (spReal)i10, (spReal)i20, 0}, {0, (spReal)i11, (spReal)i21, 0}, {0, 0, (spReal)i22, 0}};
    return isfinite(inverse->cx[0]) && isfinite(inverse->cy[1]) && isfinite(inverse->cz[2]) &&
           inverse->cx[0] > 0 && inverse->cy[1] > 0 && inverse->cz[2] > 0;
}

// Writes the column of the matrix to the column in work. Returns how many rows it has below the diagonal.
static int spLoadColumn(spIncomplete* c, const spBlockRows* matrix, int j, spReal shift)
{
    spBlock3 d = spMakeBlock3(matrix->diagonal[j]);
    d.cx[0] += shift * d.cx[0];
    d.cy[1] += shift * d.cy[1];
    d.cz[2] += shift * d.cz[2];
    c->column[j] = d;
    c->owner[j] = 2 * j + 1;
    int count = 0;
    for (int k = c->patternBegin[j]; k < c->patternBegin[j + 1]; ++k)
    {
        int i = c->patternRows[k];
        c->column[i] = spMakeBlock3(matrix->blocks[c->sources[k]]);
        c->owner[i] = 2 * j + 1;
        c->touched[count++] = i;
    }
    return count;
}

// Takes from column j what the columns to its left with a block in row j bring. Returns how many rows it has
// then.
static int spUpdateColumn(spIncomplete* c, int j, int count)
{
    int k = c->head[j];
    c->head[j] = -1;
    while (k >= 0)
    {
        int first = c->next[k], following = c->link[k];
        const spBlock3* left = c->blocks + first;
        for (int e = first; e < c->begin[k + 1]; ++e)
        {
            int i = c->rows[e];
            if (c->owner[i] >> 1 != j)
            {
                c->column[i] = (spBlock3){0};
                c->owner[i] = 2 * j;
                c->touched[count++] = i;
            }
            spSubProduct(c->column + i, c->blocks + e, left);
        }
        c->next[k] = first + 1;
        spLinkColumn(c, k);
        k = following;
    }
    return count;
}

// Leaves out the small blocks that filled in, and sorts the rest. Returns how many rows are left.
static int spDropBlocks(spIncomplete* c, int j, int count)
{
    int kept = 0;
    for (int t = 0; t < count; ++t)
    {
        int i = c->touched[t];
        spReal limit = c->dropTolerance * c->norms[i] * c->norms[j];
        if ((c->owner[i] & 1) == 0 && spNorm2Block3(c->column + i) <= limit * limit)
        {
            continue;
        }
        // By insertion: the rows of the matrix come first and rise
        int place = kept++;
        for (; place > 0 && c->touched[place - 1] > i; --place)
        {
            c->touched[place] = c->touched[place - 1];
        }
        c->touched[place] = i;
    }
    return kept;
}

static bool spStoreColumn(spIncomplete* c, int j, int count)
{
    spHeap* heap = &c->base.heap;
    int needed = c->count + count;
    if (spReserve(heap, (void**)&c->rows, c->count, &c->rowCapacity, needed, sizeof(int32_t)) == false ||
        spReserve(heap, (void**)&c->blocks, c->count, &c->blockCapacity, needed, sizeof(spBlock3)) == false)
    {
        return false;
    }
    const spBlock3* inverse = c->inverse + j;
    for (int t = 0; t < count; ++t)
    {
        int i = c->touched[t];
        const spBlock3* w = c->column + i;
        // W L_jj^-T, with the inverse lower triangular
        spBlock3 l;
        l.cx = w->cx * inverse->cx[0];
        l.cy = w->cx * inverse->cx[1] + w->cy * inverse->cy[1];
        l.cz = w->cx * inverse->cx[2] + w->cy * inverse->cy[2] + w->cz * inverse->cz[2];
        c->rows[c->count] = i;
        c->blocks[c->count++] = l;
    }
    c->begin[j + 1] = c->count;
    c->next[j] = c->begin[j];
    spLinkColumn(c, j);
    return true;
}

typedef enum spFactorResult
{
    sp_factorDone,
    sp_factorBreakdown,
    sp_factorNoMemory,
} spFactorResult;

static spFactorResult spFactorIncomplete(spIncomplete* c, const spBlockRows* matrix, spReal shift)
{
    c->count = 0;
    c->begin[0] = 0;
    for (int j = 0; j < c->nodeCount; ++j)
    {
        c->owner[j] = -1;
        c->head[j] = -1;
    }
    for (int j = 0; j < c->nodeCount; ++j)
    {
        int count = spUpdateColumn(c, j, spLoadColumn(c, matrix, j, shift));
        if (spInvertFactor3(c->column + j, c->inverse + j) == false)
        {
            return sp_factorBreakdown;
        }
        if (spStoreColumn(c, j, spDropBlocks(c, j, count)) == false)
        {
            return sp_factorNoMemory;
        }
    }
    return sp_factorDone;
}

static bool spBuildIncomplete(spPreconditioner* p, const spBlockRows* matrix)
{
    spIncomplete* c = (spIncomplete*)p;
    double start = spGetSeconds();
    for (int i = 0; i < c->nodeCount; ++i)
    {
        spBlock3 d = spMakeBlock3(matrix->diagonal[i]), unused;
        if (spInvertFactor3(&d, &unused) == false)
        {
            return false; // no shift helps
        }
        c->norms[i] = (spReal)sqrt(sqrt((double)spNorm2Block3(&d)));
    }
    spFactorResult result = spFactorIncomplete(c, matrix, 0);
    for (spReal shift = SP_FIRST_SHIFT; result == sp_factorBreakdown && shift < SP_MAX_SHIFT;
         shift *= SP_SHIFT_GROWTH)
    {
        result = spFactorIncomplete(c, matrix, shift);
    }
    p->factorSize = 6 * (int64_t)c->nodeCount + 9 * (int64_t)c->count;
    p->buildSeconds = spGetSeconds() - start;
    return result == sp_factorDone;
}

static void spApplyIncomplete(spPreconditioner* p, spTeam* team, const spVec4* r, spVec4* z)
{
    SP_UNUSED(team);
    spIncomplete* c = (spIncomplete*)p;
    memcpy(c->y, r, (size_t)c->nodeCount * sizeof(spVec4));
    for (int j = 0; j < c->nodeCount; ++j)
    {
        spQuad y = spMulBlock3(c->inverse + j, spLoadNode(c->y, j));
        spStoreNode(c->y, j, y);
        for (int k = c->begin[j]; k < c->begin[j + 1]; ++k)
        {
            int i = c->rows[k];
            spStoreNode(c->y, i, spLoadNode(c->y, i) - spMulBlock3(c->blocks + k, y));
        }
    }
    for (int j = c->nodeCount - 1; j >= 0; --j)
    {
        spQuad rest = spLoadNode(c->y, j);
        for (int k = c->begin[j]; k < c->begin[j + 1]; ++k)
        {
            rest -= spMulTBlock3(c->blocks + k, spLoadNode(z, c->rows[k]));
        }
        spStoreNode(z, j, spMulTBlock3(c->inverse + j, rest));
    }
}

const spPreconditionerKind spIncompleteKind = {
    .name = "incomplete cholesky",
    .create = spCreateIncomplete,
    .destroy = spDestroyIncomplete,
    .build = spBuildIncomplete,
    .apply = spApplyIncomplete,
};
