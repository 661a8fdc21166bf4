// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Smoothed aggregation: a V-cycle over levels whose rows are aggregates of nodes that move as rigid bodies,
// the motions smoothed by one step of block Jacobi, the matrices of the levels by Galerkin's product P^T A P.
//
// Each level is swept once forth before the next one corrects, and once back after, by Gauss and Seidel.
// Patches are swept independently of each other: what couples them counts with its values of before the
// sweep, and where that is much, some of it is added to the diagonal, which keeps the whole symmetric and
// positive definite. The last level is solved in full.
//
// Vanek, Mandel, Brezina. Algebraic Multigrid by Smoothed Aggregation for Second and Fourth Order Elliptic
// Problems. 1996
// Baker, Falgout, Kolev, Yang. Multigrid Smoothers for Ultraparallel Computing. 2011

#include "base/timer.h"
#include "linear/block.h"
#include "linear/levels.h"

#include <string.h>

// w of the smoothed motions
#define SP_MOVE_RELAXATION ((spReal)0.66)

// Pivots below this share of their diagonal are motions that an aggregate does not have, such as the turn of
// two nodes around the line between them
#define SP_DEAD_PIVOT 1e-5

// Couplings to other patches, beside a diagonal of 1, that go without an addition to it; must be below 1
#define SP_TRUSTED 0.9

static void spDestroyMultilevel(spPreconditioner* p)
{
    spMultilevel* m = (spMultilevel*)p;
    spGiveArrays(m);
    spFree(&p->heap, m->active);
    spFree(&p->heap, m->found);
    spFreePreconditioner(p);
}

static spPreconditioner* spCreateMultilevel(const spPreconditionerDef* def, spError* error)
{
    spMultilevel* m = spAllocPreconditioner(def, &spMultilevelKind, sizeof(spMultilevel), error);
    if (m == NULL)
    {
        return NULL;
    }
    m->pattern = def->pattern;
    m->patchBegin = def->patchBegin;
    m->patchCount = def->patchCount;
    m->firstKernels = &spLevelKernels3;
    m->nextKernels = &spLevelKernels6;
#ifndef SOUPLE_DISABLE_SIMD
    if (def->laneCount >= 8)
    {
        m->firstKernels = &spWideLevelKernels3;
        m->nextKernels = &spWideLevelKernels6;
    }
#endif
    size_t size = spArraySize(def->pattern->nodeCount, sizeof(bool));
    m->active = spAllocZeroed(&m->base.heap, size);
    m->found = spAllocZeroed(&m->base.heap, size);
    if (m->active == NULL || m->found == NULL)
    {
        spDestroyMultilevel(&m->base);
        spFailMemory(error, "a multilevel preconditioner", size);
        return NULL;
    }
    return &m->base;
}

// ---- numbers ----

// Finds the nodes with couplings, and makes levels for them unless it has them
static bool spUpdateLevels(spMultilevel* m, const spBlockRows* matrix)
{
    int n = matrix->nodeCount;
    memset(m->found, 0, (size_t)n * sizeof(bool));
    for (int i = 0; i < n; ++i)
    {
        for (int k = matrix->begin[i]; k < matrix->begin[i + 1]; ++k)
        {
            if (spDotMat3(matrix->blocks[k], matrix->blocks[k]) != 0.0)
            {
                m->found[i] = true;
                m->found[matrix->columns[k]] = true;
            }
        }
    }
    if (m->levelCount > 0 && memcmp(m->found, m->active, (size_t)n * sizeof(bool)) == 0)
    {
        return true;
    }
    memcpy(m->active, m->found, (size_t)n * sizeof(bool));
    spGiveArrays(m);
    if (spMakeLevels(m) == false)
    {
        spGiveArrays(m);
        return false;
    }
    return true;
}

static void spFillFirstLevel(spMultilevel* m, const spBlockRows* matrix)
{
    spLevel* level = m->levels;
    memcpy(m->places, level->begin, (size_t)level->rowCount * sizeof(int32_t));
    spMat3* blocks = (spMat3*)level->blocks; // packed just so
    for (int i = 0; i < level->rowCount; ++i)
    {
        ((spBlock3*)level->diagonal)[i] = spMakeBlock3(matrix->diagonal[i]);
        for (int k = matrix->begin[i]; k < matrix->begin[i + 1]; ++k)
        {
            int j = matrix->columns[k];
            if (m->active[i] && m->active[j])
            {
                blocks[m->places[i]++] = matrix->blocks[k];
                blocks[m->places[j]++] = spTransposeMat3(matrix->blocks[k]);
            }
        }
        level->centers[i] = matrix->x != NULL ? matrix->x[i] : (spVec4){0};
    }
}

// The other half of a level that has been projected to, and what rounding left of symmetry
static void spMirrorLevel(spLevel* level, int32_t* places)
{
    memcpy(places, level->begin, (size_t)level->rowCount * sizeof(int32_t));
    for (int i = 0; i < level->rowCount; ++i)
    {
        spReal* d = level->diagonal + 48 * (size_t)i;
        for (int c = 0; c < 6; ++c)
        {
            for (int r = 0; r < c; ++r)
            {
                d[8 * c + r] = d[8 * r + c];
            }
        }
        for (int k = level->begin[i]; k < level->begin[i + 1] && level->columns[k] < i; ++k)
        {
            const spReal* from = level->blocks + 36 * (size_t)k;
            // Rows come to a column in the order of its blocks after the diagonal
            int j = level->columns[k], place = places[j];
            for (; level->columns[place] < i; ++place)
            {
            }
            places[j] = place;
            spReal* to = level->blocks + 36 * (size_t)place;
            for (int c = 0; c < 6; ++c)
            {
                for (int r = 0; r < 6; ++r)
                {
                    to[6 * c + r] = from[6 * r + c];
                }
            }
        }
    }
}

// Inverts a symmetric positive definite matrix in place, by Gauss and Jordan. Unknowns with hardly a pivot
// are left out: their rows and columns become 0.
static void spInvertLive(double* a, int n)
{
    for (int k = 0; k < n; ++k)
    {
        double* row = a + (size_t)k * (size_t)n;
        a[(size_t)n * (size_t)n + (size_t)k] = row[k];
    }
    for (int k = 0; k < n; ++k)
    {
        double* row = a + (size_t)k * (size_t)n;
        bool live = row[k] > SP_DEAD_PIVOT * a[(size_t)n * (size_t)n + (size_t)k];
        double pivot = live ? 1.0 / row[k] : 0.0;
        row[k] = 1.0;
        for (int j = 0; j < n; ++j)
        {
            row[j] *= pivot;
        }
        for (int i = 0; i < n; ++i)
        {
            double* other = a + (size_t)i * (size_t)n;
            double factor = other[k];
            if (i != k)
            {
                other[k] = 0.0;
                for (int j = 0; j < n && live; ++j)
                {
                    other[j] -= factor * row[j];
                }
            }
        }
    }
}

// The square of the norm of a block beside its diagonals, |Di^-1/2 B Dj^-1/2|, by Frobenius
static double spFindCoupling(const spLevel* level, int k, int i)
{
    int n = level->width, stride = level->stride, j = level->columns[k];
    const spReal* block = level->blocks + n * n * (size_t)k;
    const spReal* left = level->inverse + n * stride * (size_t)i;
    const spReal* right = level->inverse + n * stride * (size_t)j;
    double sum = 0.0;
    for (int c = 0; c < n; ++c)
    {
        for (int r = 0; r < n; ++r)
        {
            double a = 0.0, b = 0.0;
            for (int e = 0; e < n; ++e)
            {
                a += (double)left[stride * e + r] * block[n * c + e];
                b += (double)block[n * e + r] * right[stride * c + e];
            }
            sum += a * b;
        }
    }
    return fmax(sum, 0.0);
}

// Where the couplings of a row to other patches could outweigh its diagonal D, a share of D is added for the
// sweeps: D + 2 added D beside these couplings is positive definite
static void spAddShares(spLevel* level)
{
    size_t size = (size_t)level->width * (size_t)level->stride;
    for (int i = 0; i < level->rowCount; ++i)
    {
        double sum = 0.0;
        for (int k = level->begin[i]; k < level->begin[i + 1]; ++k)
        {
            if (k < level->inside[i] || k >= level->outside[i])
            {
                sum += sqrt(spFindCoupling(level, k, i));
            }
        }
        level->added[i] = (spReal)fmax(0.0, 0.5 * (sum - SP_TRUSTED));
    }
    for (int i = 0; i < level->rowCount; ++i)
    {
        spReal scale = 1 / (1 + level->added[i]);
        for (size_t e = 0; e < size; ++e)
        {
            level->inverse[size * (size_t)i + e] *= scale;
        }
    }
}

static bool spInvertFirstDiagonal(spLevel* level, const spBlockRows* matrix)
{
    for (int i = 0; i < level->rowCount; ++i)
    {
        spMat3 inverse;
        if (spInvertPositive3(matrix->diagonal[i], &inverse) == false)
        {
            return false;
        }
        ((spBlock3*)level->inverse)[i] = spMakeBlock3(inverse);
    }
    return true;
}

static bool spInvertDiagonal(spLevel* level)
{
    bool finite = true;
    for (int i = 0; i < level->rowCount; ++i)
    {
        double a[42];
        const spReal* d = level->diagonal + 48 * (size_t)i;
        spReal* out = level->inverse + 48 * (size_t)i;
        for (int e = 0; e < 36; ++e)
        {
            a[e] = d[8 * (e / 6) + e % 6];
        }
        spInvertLive(a, 6);
        for (int e = 0; e < 36; ++e)
        {
            out[8 * (e / 6) + e % 6] = (spReal)(0.5 * (a[e] + a[6 * (e % 6) + e / 6]));
            finite = finite && isfinite(a[e]);
        }
    }
    return finite;
}

// Where aggregates are and how far they reach
static void spPlaceAggregates(const spLevel* level, spLevel* coarse, int32_t* counts)
{
    memset(coarse->centers, 0, (size_t)coarse->rowCount * sizeof(spVec4));
    memset(coarse->radii, 0, (size_t)coarse->rowCount * sizeof(spReal));
    memset(counts, 0, (size_t)coarse->rowCount * sizeof(int32_t));
    for (int i = 0; i < level->rowCount; ++i)
    {
        int a = level->aggregates[i];
        if (a >= 0)
        {
            spVec4 p = level->centers[i], *c = coarse->centers + a;
            *c = (spVec4){c->x + p.x, c->y + p.y, c->z + p.z, 0};
            counts[a] += 1;
        }
    }
    for (int a = 0; a < coarse->rowCount; ++a)
    {
        spVec4* c = coarse->centers + a;
        spReal share = 1 / (spReal)counts[a];
        *c = (spVec4){share * c->x, share * c->y, share * c->z, 0};
    }
    for (int i = 0; i < level->rowCount; ++i)
    {
        int a = level->aggregates[i];
        if (a >= 0)
        {
            spVec3 d = spSub3(spXyz(level->centers[i]), spXyz(coarse->centers[a]));
            coarse->radii[a] += (spDot3(d, d) + level->radii[i] * level->radii[i]) / (spReal)counts[a];
        }
    }
    for (int a = 0; a < coarse->rowCount; ++a)
    {
        coarse->radii[a] = (spReal)sqrt((double)coarse->radii[a]);
    }
}

static const spLevelKernels* spGetLevelKernels(const spMultilevel* m, const spLevel* level)
{
    return level == m->levels ? m->firstKernels : m->nextKernels;
}

static void spInvertLast(spMultilevel* m)
{
    const spLevel* level = m->levels + m->levelCount - 1;
    int rows = level->rowCount, n = 6 * rows;
    memset(m->dense, 0, (size_t)n * (size_t)n * sizeof(double));
    for (int i = 0; i < rows; ++i)
    {
        for (int k = level->begin[i] - 1; k < level->begin[i + 1]; ++k)
        {
            bool own = k < level->begin[i];
            int j = own ? i : level->columns[k];
            const spReal* block = own ? level->diagonal + 48 * (size_t)i : level->blocks + 36 * (size_t)k;
            int stride = own ? 8 : 6;
            for (int e = 0; e < 36; ++e)
            {
                m->dense[(6 * j + e / 6) * n + 6 * i + e % 6] = block[stride * (e / 6) + e % 6];
            }
        }
    }
    spInvertLive(m->dense, n);
    for (int c = 0; c < n; ++c)
    {
        for (int r = 0; r < n; ++r)
        {
            double value = 0.5 * (m->dense[c * n + r] + m->dense[r * n + c]);
            m->solve[(8 * (c / 6) + c % 6) * 8 * rows + 8 * (r / 6) + r % 6] = (spReal)value;
        }
    }
}

static bool spBuildMultilevel(spPreconditioner* p, const spBlockRows* matrix)
{
    spMultilevel* m = (spMultilevel*)p;
    double start = spGetSeconds();
    if (spUpdateLevels(m, matrix) == false)
    {
        return false;
    }
    spFillFirstLevel(m, matrix);
    if (spInvertFirstDiagonal(m->levels, matrix) == false)
    {
        return false;
    }
    spAddShares(m->levels);
    for (int l = 1; l < m->levelCount; ++l)
    {
        spLevel *level = m->levels + l - 1, *coarse = m->levels + l;
        const spLevelKernels* kernels = spGetLevelKernels(m, level);
        spPlaceAggregates(level, coarse, m->places);
        kernels->smoothMoves(level, coarse, SP_MOVE_RELAXATION, m->mixed, m->places);
        memset(coarse->diagonal, 0, (size_t)coarse->rowCount * 48 * sizeof(spReal));
        memset(coarse->blocks, 0, (size_t)coarse->begin[coarse->rowCount] * 36 * sizeof(spReal));
        kernels->project(level, coarse, m->mixed, m->places);
        spMirrorLevel(coarse, m->places);
        if (spInvertDiagonal(coarse) == false)
        {
            return false;
        }
        spAddShares(coarse);
    }
    if (m->isDense)
    {
        spInvertLast(m);
    }
    p->factorSize = 0;
    for (int l = 0; l < m->levelCount; ++l)
    {
        const spLevel* level = m->levels + l;
        int64_t size = (int64_t)level->width * level->width;
        p->factorSize += size * (level->rowCount + level->begin[level->rowCount]);
        p->factorSize +=
            l + 1 < m->levelCount ? 6 * level->width * (int64_t)level->moveBegin[level->rowCount] : 0;
    }
    p->buildSeconds = spGetSeconds() - start;
    return true;
}

// ---- the cycle ----

typedef struct spCycle
{
    const spLevel* level;
    const spLevelKernels* kernels;
    const spReal* r;
    spReal *z, *next; // next: of the level that follows
} spCycle;

static void spSweepForthTask(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    const spCycle* c = context;
    for (int patch = begin; patch < end; ++patch)
    {
        c->kernels->sweepForth(c->level, c->r, c->z, patch);
    }
}

static void spFindRestTask(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    const spCycle* c = context;
    for (int patch = begin; patch < end; ++patch)
    {
        c->kernels->findRest(c->level, c->z, c->level->rest, patch);
    }
}

static void spGatherRestTask(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    const spCycle* c = context;
    c->kernels->gatherRest(c->level, c->level->rest, c->next, begin, end);
}

static void spAddMovesTask(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    const spCycle* c = context;
    for (int patch = begin; patch < end; ++patch)
    {
        c->kernels->addMoves(c->level, c->next, c->z, c->level->old, patch);
    }
}

static void spSweepBackTask(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    const spCycle* c = context;
    for (int patch = begin; patch < end; ++patch)
    {
        c->kernels->sweepBack(c->level, c->r, c->z, c->level->old, patch);
    }
}

static void spSolveLast(const spMultilevel* m, const spReal* r, spReal* z)
{
    int rows = m->levels[m->levelCount - 1].rowCount;
    spOct* out = (spOct*)z;
    memset(z, 0, (size_t)rows * sizeof(spOct));
    for (int c = 0; c < 8 * rows; ++c)
    {
        const spOct* column = (const spOct*)m->solve + (size_t)c * (size_t)rows;
        for (int i = 0; i < rows && c % 8 < 6; ++i)
        {
            out[i] += column[i] * r[c];
        }
    }
}

static void spRunCycle(spMultilevel* m, spTeam* team, int index, const spReal* r, spReal* z)
{
    spLevel* level = m->levels + index;
    bool isLast = index == m->levelCount - 1;
    if (isLast && m->isDense)
    {
        spSolveLast(m, r, z);
        return;
    }
    spCycle cycle = {level, spGetLevelKernels(m, level), r, z, NULL};
    spParallelFor(team, spSweepForthTask, level->patchCount, 1, &cycle);
    if (isLast)
    {
        return; // nothing is coupled any more
    }
    spParallelFor(team, spFindRestTask, level->patchCount, 1, &cycle);
    spLevel* next = level + 1;
    cycle.next = next->r;
    spParallelFor(team, spGatherRestTask, next->rowCount, 16, &cycle);
    spRunCycle(m, team, index + 1, next->r, next->z);
    cycle.next = next->z;
    spParallelFor(team, spAddMovesTask, level->patchCount, 1, &cycle);
    spParallelFor(team, spSweepBackTask, level->patchCount, 1, &cycle);
}

static void spApplyMultilevel(spPreconditioner* p, spTeam* team, const spVec4* r, spVec4* z)
{
    spRunCycle((spMultilevel*)p, team, 0, (const spReal*)r, (spReal*)z);
}

const spPreconditionerKind spMultilevelKind = {
    .name = "multilevel",
    .create = spCreateMultilevel,
    .destroy = spDestroyMultilevel,
    .build = spBuildMultilevel,
    .apply = spApplyMultilevel,
};
