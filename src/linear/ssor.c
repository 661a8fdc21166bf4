// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Symmetric successive over-relaxation in 3x3 blocks, A = L + D + L^T:
//
//   P = w / (2 - w) (D / w + L) D^-1 (D / w + L)^T
//
// Couplings between patches are left out of L, which keeps P positive definite: patches are then swept
// independently of each other, each from its first node to its last and back. With one patch it is SSOR of
// the whole matrix.
//
// Saad. Iterative Methods for Sparse Linear Systems, 2nd edition, section 4.1. 2003

#include "base/timer.h"
#include "linear/block.h"
#include "linear/preconditioner.h"

// w: beams of 3000 to 53000 tets take a quarter to a third fewer iterations than with 1. Small ones like a
// little less, large ones a little more.
#define SP_SSOR_RELAXATION ((spReal)1.5)

typedef struct spSsor
{
    spPreconditioner base;
    int nodeCount;
    int blockCount;
    int patchCount;
    const int32_t* patchBegin;
    int32_t* begin;    // first block of each row (nodeCount + 1)
    int32_t* columns;  // (blockCount)
    int32_t* sources;  // place of each block in the matrix (blockCount)
    spBlock3* blocks;  // L inside of patches (blockCount)
    spBlock3* inverse; // w D^-1 (nodeCount)
    spVec4* sums;      // L^T z as far as it is known (nodeCount)
} spSsor;

static void spDestroySsor(spPreconditioner* p)
{
    spSsor* ssor = (spSsor*)p;
    spFree(&p->heap, ssor->begin);
    spFree(&p->heap, ssor->columns);
    spFree(&p->heap, ssor->sources);
    spFree(&p->heap, ssor->blocks);
    spFree(&p->heap, ssor->inverse);
    spFree(&p->heap, ssor->sums);
    spFreePreconditioner(p);
}

// Lists the blocks whose two nodes are in one patch; without arrays to write to it only counts them
static int spListPatchBlocks(const spSsor* ssor, const spBlockRows* pattern, int32_t* begin, int32_t* columns,
                             int32_t* sources)
{
    int count = 0;
    for (int patch = 0; patch < ssor->patchCount; ++patch)
    {
        int first = ssor->patchBegin[patch];
        for (int i = first; i < ssor->patchBegin[patch + 1]; ++i)
        {
            if (begin != NULL)
            {
                begin[i] = count;
            }
            for (int k = pattern->begin[i]; k < pattern->begin[i + 1]; ++k)
            {
                if (pattern->columns[k] < first)
                {
                    continue;
                }
                if (columns != NULL)
                {
                    columns[count] = pattern->columns[k];
                    sources[count] = k;
                }
                count += 1;
            }
        }
    }
    if (begin != NULL)
    {
        begin[ssor->nodeCount] = count;
    }
    return count;
}

static spPreconditioner* spCreateSsor(const spPreconditionerDef* def, spError* error)
{
    spSsor* ssor = spAllocPreconditioner(def, &spSsorKind, sizeof(spSsor), error);
    if (ssor == NULL)
    {
        return NULL;
    }
    ssor->nodeCount = def->pattern->nodeCount;
    ssor->patchCount = def->patchCount;
    ssor->patchBegin = def->patchBegin;
    ssor->blockCount = spListPatchBlocks(ssor, def->pattern, NULL, NULL, NULL);
    spHeap* heap = &ssor->base.heap;
    ssor->begin = spAlloc(heap, spArraySize((int64_t)ssor->nodeCount + 1, sizeof(int32_t)));
    ssor->columns = spAlloc(heap, spArraySize(ssor->blockCount, sizeof(int32_t)));
    ssor->sources = spAlloc(heap, spArraySize(ssor->blockCount, sizeof(int32_t)));
    ssor->blocks = spAlloc(heap, spArraySize(ssor->blockCount, sizeof(spBlock3)));
    ssor->inverse = spAlloc(heap, spArraySize(ssor->nodeCount, sizeof(spBlock3)));
    ssor->sums = spAlloc(heap, spArraySize(ssor->nodeCount, sizeof(spVec4)));
    bool hasBlocks = ssor->columns != NULL && ssor->sources != NULL && ssor->blocks != NULL;
    if (ssor->begin == NULL || (hasBlocks == false && ssor->blockCount > 0) || ssor->inverse == NULL ||
        ssor->sums == NULL)
    {
        size_t size = spArraySize(ssor->blockCount, sizeof(spBlock3));
        spDestroySsor(&ssor->base);
        spFailMemory(error, "an SSOR preconditioner", size);
        return NULL;
    }
    spListPatchBlocks(ssor, def->pattern, ssor->begin, ssor->columns, ssor->sources);
    return &ssor->base;
}

static bool spBuildSsor(spPreconditioner* p, const spBlockRows* matrix)
{
    spSsor* ssor = (spSsor*)p;
    double start = spGetSeconds();
    for (int i = 0; i < ssor->nodeCount; ++i)
    {
        spMat3 inverse;
        if (spInvertPositive3(matrix->diagonal[i], &inverse) == false)
        {
            return false;
        }
        ssor->inverse[i] = spMakeBlock3(spScaleMat3(SP_SSOR_RELAXATION, inverse));
    }
    for (int k = 0; k < ssor->blockCount; ++k)
    {
        ssor->blocks[k] = spMakeBlock3(matrix->blocks[ssor->sources[k]]);
    }
    p->buildSeconds = spGetSeconds() - start;
    return true;
}

typedef struct spSsorContext
{
    const spSsor* ssor;
    const spVec4* r;
    spVec4* z;
} spSsorContext;

// Forward (D / w + L) u = r, then backward (D / w + L)^T z = (2 - w) / w D u, which is
// z = (2 - w) u - w D^-1 L^T z. u lies in z.
static void spSweepPatch(const spSsorContext* c, int first, int last)
{
    const spSsor* ssor = c->ssor;
    for (int i = first; i < last; ++i)
    {
        spQuad rest = spLoadNode(c->r, i);
        for (int k = ssor->begin[i]; k < ssor->begin[i + 1]; ++k)
        {
            rest -= spMulBlock3(ssor->blocks + k, spLoadNode(c->z, ssor->columns[k]));
        }
        spStoreNode(c->z, i, spMulBlock3(ssor->inverse + i, rest));
        spStoreNode(ssor->sums, i, (spQuad){0});
    }
    for (int i = last - 1; i >= first; --i)
    {
        spQuad z = (2 - SP_SSOR_RELAXATION) * spLoadNode(c->z, i) -
                   spMulBlock3(ssor->inverse + i, spLoadNode(ssor->sums, i));
        spStoreNode(c->z, i, z);
        for (int k = ssor->begin[i]; k < ssor->begin[i + 1]; ++k)
        {
            int j = ssor->columns[k];
            spStoreNode(ssor->sums, j, spLoadNode(ssor->sums, j) + spMulTBlock3(ssor->blocks + k, z));
        }
    }
}

static void spApplySsorTask(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    const spSsorContext* c = context;
    for (int patch = begin; patch < end; ++patch)
    {
        spSweepPatch(c, c->ssor->patchBegin[patch], c->ssor->patchBegin[patch + 1]);
    }
}

static void spApplySsor(spPreconditioner* p, spTeam* team, const spVec4* r, spVec4* z)
{
    spSsorContext context = {(const spSsor*)p, r, z};
    spParallelFor(team, spApplySsorTask, context.ssor->patchCount, 1, &context);
}

const spPreconditionerKind spSsorKind = {
    .name = "ssor",
    .create = spCreateSsor,
    .destroy = spDestroySsor,
    .build = spBuildSsor,
    .apply = spApplySsor,
};
