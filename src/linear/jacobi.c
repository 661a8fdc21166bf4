// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The inverse of the diagonal numbers, or of the diagonal 3x3 blocks.

#include "base/timer.h"
#include "linear/block.h"
#include "linear/preconditioner.h"

typedef struct spJacobi
{
    spPreconditioner base;
    int nodeCount;
    int patchCount;
    const int32_t* patchBegin;
    spBlock3* inverse; // of each diagonal block (nodeCount); plain Jacobi uses the first column of it only
} spJacobi;

static void spDestroyJacobi(spPreconditioner* p)
{
    spJacobi* jacobi = (spJacobi*)p;
    spFree(&p->heap, jacobi->inverse);
    spFreePreconditioner(p);
}

static spPreconditioner* spCreateJacobiOf(const spPreconditionerDef* def, const spPreconditionerKind* kind,
                                          spError* error)
{
    spJacobi* jacobi = spAllocPreconditioner(def, kind, sizeof(spJacobi), error);
    if (jacobi == NULL)
    {
        return NULL;
    }
    jacobi->nodeCount = def->pattern->nodeCount;
    jacobi->patchCount = def->patchCount;
    jacobi->patchBegin = def->patchBegin;
    size_t size = spArraySize(jacobi->nodeCount, sizeof(spBlock3));
    jacobi->inverse = spAllocZeroed(&jacobi->base.heap, size);
    if (jacobi->inverse == NULL)
    {
        spDestroyJacobi(&jacobi->base);
        spFailMemory(error, "a diagonal preconditioner", size);
        return NULL;
    }
    return &jacobi->base;
}

static spPreconditioner* spCreateJacobi(const spPreconditionerDef* def, spError* error)
{
    return spCreateJacobiOf(def, &spJacobiKind, error);
}

static spPreconditioner* spCreateBlockJacobi(const spPreconditionerDef* def, spError* error)
{
    return spCreateJacobiOf(def, &spBlockJacobiKind, error);
}

static bool spBuildJacobi(spPreconditioner* p, const spBlockRows* matrix)
{
    spJacobi* jacobi = (spJacobi*)p;
    double start = spGetSeconds();
    for (int i = 0; i < jacobi->nodeCount; ++i)
    {
        spMat3 d = matrix->diagonal[i];
        spQuad inverse = {1 / d.cx.x, 1 / d.cy.y, 1 / d.cz.z, 0};
        if ((inverse[0] > 0 && inverse[1] > 0 && inverse[2] > 0) == false ||
            (isfinite(inverse[0]) && isfinite(inverse[1]) && isfinite(inverse[2])) == false)
        {
            return false;
        }
        jacobi->inverse[i].cx = inverse;
    }
    p->buildSeconds = spGetSeconds() - start;
    return true;
}

static bool spBuildBlockJacobi(spPreconditioner* p, const spBlockRows* matrix)
{
    spJacobi* jacobi = (spJacobi*)p;
    double start = spGetSeconds();
    for (int i = 0; i < jacobi->nodeCount; ++i)
    {
        spMat3 inverse;
        if (spInvertPositive3(matrix->diagonal[i], &inverse) == false)
        {
            return false;
        }
        jacobi->inverse[i] = spMakeBlock3(inverse);
    }
    p->buildSeconds = spGetSeconds() - start;
    return true;
}

typedef struct spJacobiContext
{
    const spJacobi* jacobi;
    const spVec4* r;
    spVec4* z;
} spJacobiContext;

static void spApplyJacobiTask(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    const spJacobiContext* c = context;
    for (int i = c->jacobi->patchBegin[begin]; i < c->jacobi->patchBegin[end]; ++i)
    {
        spStoreNode(c->z, i, c->jacobi->inverse[i].cx * spLoadNode(c->r, i));
    }
}

static void spApplyBlockJacobiTask(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    const spJacobiContext* c = context;
    for (int i = c->jacobi->patchBegin[begin]; i < c->jacobi->patchBegin[end]; ++i)
    {
        spStoreNode(c->z, i, spMulBlock3(c->jacobi->inverse + i, spLoadNode(c->r, i)));
    }
}

static void spApplyJacobi(spPreconditioner* p, spTeam* team, const spVec4* r, spVec4* z)
{
    spJacobiContext context = {(const spJacobi*)p, r, z};
    spParallelFor(team, spApplyJacobiTask, context.jacobi->patchCount, 1, &context);
}

static void spApplyBlockJacobi(spPreconditioner* p, spTeam* team, const spVec4* r, spVec4* z)
{
    spJacobiContext context = {(const spJacobi*)p, r, z};
    spParallelFor(team, spApplyBlockJacobiTask, context.jacobi->patchCount, 1, &context);
}

const spPreconditionerKind spJacobiKind = {
    .name = "jacobi",
    .create = spCreateJacobi,
    .destroy = spDestroyJacobi,
    .build = spBuildJacobi,
    .apply = spApplyJacobi,
};

const spPreconditionerKind spBlockJacobiKind = {
    .name = "block jacobi",
    .create = spCreateBlockJacobi,
    .destroy = spDestroyJacobi,
    .build = spBuildBlockJacobi,
    .apply = spApplyBlockJacobi,
};
