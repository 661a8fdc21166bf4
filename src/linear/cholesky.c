// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The complete Cholesky factor, by CHOLMOD.
//
// The graph of the nodes is ordered once, by every method at hand, and the order with the least fill is
// expanded to three unknowns for each node. The matrix is kept in that order, in double, and factored there
// again and again; the numbers of the factor are then copied to panels (see panels.h), which are what
// applying it reads. Each factor has a cholmod_common of its own, so that factors of different objects can be
// made on different threads. What CHOLMOD itself allocates comes from malloc, not from the heap; making a
// factor again allocates nothing (factor_room.h), but for the simplicial part.
//
// One right-hand side is solved on one thread: two threads on subtrees of the elimination tree would save a
// quarter on a beam of 12000 tets, less on smaller ones. Blocks of right-hand sides are shared between
// threads.
//
// The supernodal part of CHOLMOD is under the GPL. Without SOUPLE_SUPERNODAL the simplicial one is used,
// which gives the same factor but for rounding, more slowly; runs of columns with the same rows are then
// found here.
//
// Davis. Direct Methods for Sparse Linear Systems. 2006
// Chen, Davis, Hager, Rajamanickam. Algorithm 887: CHOLMOD. 2008

#define _GNU_SOURCE // for RTLD_NOLOAD

#include "base/timer.h"
#include "linear/factor_room.h"
#include "linear/panels.h"
#include "linear/preconditioner.h"

#include <cholmod.h>
#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

// A BLAS that was built for one thread keeps scratch memory for all of its callers: two factors that were
// made at the same time came out with other bits now and then. They are made one after the other.
static pthread_mutex_t s_factorising = PTHREAD_MUTEX_INITIALIZER;

// From so many nodes on METIS is asked too: it is slower than AMD and no better on small graphs. It draws
// from rand(), so that large bodies should not be made on several threads at once when runs must repeat.
#define SP_METIS_NODES 4000

// Before its version 4 CHOLMOD cannot be told to stay on one thread: it asks OpenMP for four, which then spin
// between its loops and cost twice as much as the work itself. These functions of its OpenMP, where it has
// one, are about the calling thread alone.
typedef struct spOpenMp
{
    int (*getDynamic)(void);
    int (*getMaxThreads)(void);
    void (*setDynamic)(int);
    void (*setThreads)(int);
} spOpenMp;

typedef struct spCholesky
{
    spPreconditioner base;
    cholmod_common common;
    spOpenMp openMp;
    int nodeCount;
    int blockCount;
    int32_t* order; // node at each place (nodeCount)

    // Blocks below the diagonal in the new order, column by column
    int32_t* blockBegin; // first block of each column (nodeCount + 1)
    int32_t* blockRows;  // rising in each column (blockCount)
    int32_t* sources;    // 2 * place in the given matrix, + 1 when it is transposed (blockCount)

    // The same in numbers
    int32_t* begin;  // first number of each column (3 * nodeCount + 1)
    int32_t* rows;   // (numberCount)
    double* numbers; // (numberCount)
    int numberCount;
    cholmod_sparse matrix; // of these

    cholmod_factor* factor;
    spFactorRoom room;   // of a supernodal factor
    int32_t* supernodes; // first column of each, of a simplicial factor (3 * nodeCount + 1)
    spPanels panels;     // from the first build on
    const spPanelLanes* lanes;
} spCholesky;

static void spFindFunction(void* library, const char* name, void* function)
{
    void* address = dlsym(library, name);
    memcpy(function, &address, sizeof(address));
}

static spOpenMp spFindOpenMp(void)
{
    spOpenMp openMp = {0};
#if CHOLMOD_MAIN_VERSION < 4
    void* library = dlopen("libgomp.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (library != NULL)
    {
        spFindFunction(library, "omp_get_dynamic", &openMp.getDynamic);
        spFindFunction(library, "omp_get_max_threads", &openMp.getMaxThreads);
        spFindFunction(library, "omp_set_dynamic", &openMp.setDynamic);
        spFindFunction(library, "omp_set_num_threads", &openMp.setThreads);
        dlclose(library); // CHOLMOD keeps it
    }
#endif
    return openMp;
}

// Factors, in memory that is kept once the factor has its own: only then nothing that stays is asked for
static bool spFactorInRoom(spCholesky* c)
{
    bool again = c->room.memory != NULL && c->factor->xtype != CHOLMOD_PATTERN;
    if (again)
    {
        spEnterFactorRoom(&c->room);
    }
    bool ok = cholmod_factorize(&c->matrix, c->factor, &c->common) != 0;
    if (again)
    {
        spLeaveFactorRoom();
    }
    return ok;
}

// Factors on the calling thread alone
static bool spFactorMatrix(spCholesky* c)
{
    const spOpenMp* openMp = &c->openMp;
    bool found = openMp->getDynamic != NULL && openMp->getMaxThreads != NULL && openMp->setDynamic != NULL &&
                 openMp->setThreads != NULL;
    int dynamic = found ? openMp->getDynamic() : 0;
    int threads = found ? openMp->getMaxThreads() : 0;
    if (found)
    {
        // A dynamic number of threads is the lesser of what is asked for and what is set
        openMp->setDynamic(1);
        openMp->setThreads(1);
    }
    pthread_mutex_lock(&s_factorising);
    bool ok = spFactorInRoom(c);
    pthread_mutex_unlock(&s_factorising);
    if (found)
    {
        openMp->setDynamic(dynamic);
        openMp->setThreads(threads);
    }
    return ok && c->common.status == CHOLMOD_OK && c->factor->minor == c->factor->n;
}

static void spDestroyCholesky(spPreconditioner* p)
{
    spCholesky* c = (spCholesky*)p;
    cholmod_free_factor(&c->factor, &c->common);
    cholmod_finish(&c->common);
    spDestroyPanels(&c->panels, &p->heap);
    spFree(&p->heap, c->order);
    spFree(&p->heap, c->blockBegin);
    spFree(&p->heap, c->blockRows);
    spFree(&p->heap, c->sources);
    spFree(&p->heap, c->begin);
    spFree(&p->heap, c->rows);
    spFree(&p->heap, c->numbers);
    spFree(&p->heap, c->supernodes);
    spFree(&p->heap, c->room.memory);
    spFreePreconditioner(p);
}

static bool spAllocCholesky(spCholesky* c)
{
    spHeap* heap = &c->base.heap;
    int64_t n = c->nodeCount;
    c->order = spAlloc(heap, spArraySize(n, sizeof(int32_t)));
    c->blockBegin = spAllocZeroed(heap, spArraySize(n + 1, sizeof(int32_t)));
    c->blockRows = spAlloc(heap, spArraySize(c->blockCount, sizeof(int32_t)));
    c->sources = spAlloc(heap, spArraySize(c->blockCount, sizeof(int32_t)));
    c->begin = spAlloc(heap, spArraySize(3 * n + 1, sizeof(int32_t)));
    c->rows = spAlloc(heap, spArraySize(c->numberCount, sizeof(int32_t)));
    c->numbers = spAlloc(heap, spArraySize(c->numberCount, sizeof(double)));
    c->supernodes = spAlloc(heap, spArraySize(3 * n + 1, sizeof(int32_t)));
    bool hasBlocks = c->blockRows != NULL && c->sources != NULL;
    return c->order != NULL && c->blockBegin != NULL && (hasBlocks || c->blockCount == 0) &&
           c->begin != NULL && c->rows != NULL && c->numbers != NULL && c->supernodes != NULL;
}

// Orders the graph of the nodes. CHOLMOD tries the methods and keeps the one with the least fill; it skips
// METIS when it was built without.
static bool spOrderGraph(spCholesky* c, const spBlockRows* pattern)
{
    cholmod_common* common = &c->common;
    common->supernodal = CHOLMOD_SIMPLICIAL;
    common->postorder = true;
    common->nmethods = c->nodeCount < SP_METIS_NODES ? 1 : 2;
    common->method[0].ordering = CHOLMOD_AMD;
    common->method[1].ordering = CHOLMOD_METIS;
    // Rows below the diagonal are columns above it. CHOLMOD does not write to its input.
    cholmod_sparse graph = {
        .nrow = (size_t)c->nodeCount,
        .ncol = (size_t)c->nodeCount,
        .nzmax = (size_t)pattern->blockCount,
        .p = pattern->begin,
        .i = pattern->columns,
        .stype = 1,
        .itype = CHOLMOD_INT,
        .xtype = CHOLMOD_PATTERN,
        .dtype = CHOLMOD_DOUBLE,
        .sorted = true,
        .packed = true,
    };
    cholmod_factor* factor = cholmod_analyze(&graph, common);
    if (factor == NULL)
    {
        return false;
    }
    memcpy(c->order, factor->Perm, (size_t)c->nodeCount * sizeof(int32_t));
    cholmod_free_factor(&factor, common);
    return true;
}

// Puts the blocks in the new order. rank and scratch: nodeCount and nodeCount + 1 long.
static void spPermuteBlocks(spCholesky* c, const spBlockRows* pattern, int32_t* rank, int32_t* byRow,
                            int32_t* scratch)
{
    int n = c->nodeCount;
    for (int i = 0; i < n; ++i)
    {
        rank[c->order[i]] = i;
    }
    // First by rows, then row after row by columns: so rows rise in each column
    memset(scratch, 0, ((size_t)n + 1) * sizeof(int32_t));
    for (int i = 0; i < n; ++i)
    {
        for (int k = pattern->begin[i]; k < pattern->begin[i + 1]; ++k)
        {
            int a = rank[i], b = rank[pattern->columns[k]];
            scratch[spMaxInt(a, b) + 1] += 1;
            c->blockBegin[spMinInt(a, b) + 1] += 1;
        }
    }
    for (int i = 0; i < n; ++i)
    {
        scratch[i + 1] += scratch[i];
        c->blockBegin[i + 1] += c->blockBegin[i];
    }
    for (int i = 0; i < n; ++i)
    {
        for (int k = pattern->begin[i]; k < pattern->begin[i + 1]; ++k)
        {
            int a = rank[i], b = rank[pattern->columns[k]];
            int place = scratch[spMaxInt(a, b)]++;
            byRow[2 * place] = spMinInt(a, b);
            byRow[2 * place + 1] = 2 * k + (a < b ? 1 : 0);
        }
    }
    // scratch[i] is now the end of row i
    for (int i = 0, k = 0; i < n; ++i)
    {
        for (; k < scratch[i]; ++k)
        {
            int place = c->blockBegin[byRow[2 * k]]++;
            c->blockRows[place] = i;
            c->sources[place] = byRow[2 * k + 1];
        }
    }
    memmove(c->blockBegin + 1, c->blockBegin, (size_t)n * sizeof(int32_t));
    c->blockBegin[0] = 0;
}

// Columns of numbers, from the diagonal down
static void spExpandPattern(spCholesky* c)
{
    int place = 0;
    for (int node = 0; node < c->nodeCount; ++node)
    {
        for (int column = 0; column < 3; ++column)
        {
            c->begin[3 * node + column] = place;
            for (int row = column; row < 3; ++row)
            {
                c->rows[place++] = 3 * node + row;
            }
            for (int k = c->blockBegin[node]; k < c->blockBegin[node + 1]; ++k)
            {
                for (int row = 0; row < 3; ++row)
                {
                    c->rows[place++] = 3 * c->blockRows[k] + row;
                }
            }
        }
    }
    c->begin[3 * c->nodeCount] = place;
    SP_ASSERT(place == c->numberCount);
}

// A dense matrix, in which a supernode is made: its head and its numbers
static bool spMakeFactorRoom(spCholesky* c)
{
    // CHOLMOD asks for one number where it needs none
    size_t numbers = spArraySize(spMaxInt((int)c->factor->maxcsize, 1), sizeof(double));
    c->room.sizes[0] = sizeof(cholmod_dense);
    c->room.sizes[1] = numbers;
    c->room.size = spGetFactorRoomSize(sizeof(cholmod_dense), numbers);
    c->room.memory = spAlloc(&c->base.heap, c->room.size);
    return c->room.memory != NULL;
}

// The symbolic factor, in the order that is there
static bool spAnalyzeMatrix(spCholesky* c)
{
    size_t n = 3 * (size_t)c->nodeCount;
    c->matrix = (cholmod_sparse){
        .nrow = n,
        .ncol = n,
        .nzmax = (size_t)c->numberCount,
        .p = c->begin,
        .i = c->rows,
        .x = c->numbers,
        .stype = -1,
        .itype = CHOLMOD_INT,
        .xtype = CHOLMOD_REAL,
        .dtype = CHOLMOD_DOUBLE,
        .sorted = true,
        .packed = true,
    };
    cholmod_common* common = &c->common;
    common->nmethods = 1;
    common->method[0].ordering = CHOLMOD_NATURAL;
    common->postorder = false;
    common->final_ll = true;
#ifdef SOUPLE_SUPERNODAL
    common->supernodal = CHOLMOD_SUPERNODAL;
#endif
    c->factor = cholmod_analyze(&c->matrix, common);
    c->base.factorSize = (int64_t)common->lnz;
    return c->factor != NULL && (c->factor->is_super == false || spMakeFactorRoom(c));
}

static bool spPrepareCholesky(spCholesky* c, const spBlockRows* pattern)
{
    spHeap* heap = &c->base.heap;
    int64_t n = c->nodeCount;
    size_t scratchSize = spArraySize(2 * n + 1 + 2 * (int64_t)c->blockCount, sizeof(int32_t));
    int32_t* scratch = spAlloc(heap, scratchSize);
    bool ok = scratch != NULL && spAllocCholesky(c) && spOrderGraph(c, pattern);
    if (ok)
    {
        spPermuteBlocks(c, pattern, scratch, scratch + 2 * n + 1, scratch + n);
        spExpandPattern(c);
        ok = spAnalyzeMatrix(c);
    }
    spFree(heap, scratch);
    return ok;
}

static spPreconditioner* spCreateCholesky(const spPreconditionerDef* def, spError* error)
{
    const spBlockRows* pattern = def->pattern;
    int64_t numberCount = 6 * (int64_t)pattern->nodeCount + 9 * (int64_t)pattern->blockCount;
    if (numberCount > INT32_MAX)
    {
        spFail(error, sp_errorUnsupported,
               "a complete Cholesky factor of %d nodes is too large; use another preconditioner",
               pattern->nodeCount);
        return NULL;
    }
    spCholesky* c = spAllocPreconditioner(def, &spCholeskyKind, sizeof(spCholesky), error);
    if (c == NULL)
    {
        return NULL;
    }
    cholmod_start(&c->common);
    c->common.print = 0;
    c->common.quick_return_if_not_posdef = true;
#if CHOLMOD_MAIN_VERSION >= 4
    c->common.nthreads_max = 1;
#endif
    c->openMp = spFindOpenMp();
    c->nodeCount = pattern->nodeCount;
    c->blockCount = pattern->blockCount;
    c->numberCount = (int)numberCount;
    c->lanes = spGetPanelLanes(def->laneCount);
    if (spPrepareCholesky(c, pattern) == false)
    {
        spFailMemory(error, "a complete Cholesky factor", spArraySize(numberCount, sizeof(double)));
        spDestroyCholesky(&c->base);
        return NULL;
    }
    return &c->base;
}

static void spFillMatrix(spCholesky* c, const spBlockRows* matrix)
{
    for (int node = 0; node < c->nodeCount; ++node)
    {
        spMat3 d = matrix->diagonal[c->order[node]];
        double* x = c->numbers + c->begin[3 * node];
        double* y = c->numbers + c->begin[3 * node + 1];
        double* z = c->numbers + c->begin[3 * node + 2];
        *x++ = d.cx.x;
        *x++ = d.cx.y;
        *x++ = d.cx.z;
        *y++ = d.cy.y;
        *y++ = d.cy.z;
        *z++ = d.cz.z;
        for (int k = c->blockBegin[node]; k < c->blockBegin[node + 1]; ++k, x += 3, y += 3, z += 3)
        {
            spMat3 a = matrix->blocks[c->sources[k] >> 1];
            a = (c->sources[k] & 1) != 0 ? spTransposeMat3(a) : a;
            x[0] = a.cx.x, x[1] = a.cx.y, x[2] = a.cx.z;
            y[0] = a.cy.x, y[1] = a.cy.y, y[2] = a.cy.z;
            z[0] = a.cz.x, z[1] = a.cz.y, z[2] = a.cz.z;
        }
    }
}

static spSupernode spGetDenseSupernode(const void* context, int s)
{
    const cholmod_factor* factor = ((const spCholesky*)context)->factor;
    const int32_t *first = factor->super, *rowBegin = factor->pi, *numberBegin = factor->px;
    return (spSupernode){
        .firstColumn = first[s],
        .columnCount = first[s + 1] - first[s],
        .rowCount = rowBegin[s + 1] - rowBegin[s],
        .rows = (const int32_t*)factor->s + rowBegin[s],
        .numbers = (const double*)factor->x + numberBegin[s],
        .stride = rowBegin[s + 1] - rowBegin[s],
    };
}

static spSupernode spGetSimplicialSupernode(const void* context, int s)
{
    const spCholesky* c = context;
    const int32_t *begin = c->factor->p, *counts = c->factor->nz;
    int first = c->supernodes[s];
    return (spSupernode){
        .firstColumn = first,
        .columnCount = c->supernodes[s + 1] - first,
        .rowCount = counts[first],
        .rows = (const int32_t*)c->factor->i + begin[first],
        .numbers = c->factor->x,
        .begin = begin,
    };
}

// Runs of columns, each with the rows of the one before it less one. Returns their number.
static int spFindSupernodes(spCholesky* c)
{
    const int32_t *begin = c->factor->p, *counts = c->factor->nz, *rows = c->factor->i;
    int columnCount = 3 * c->nodeCount, count = 0;
    for (int j = 0; j < columnCount; ++j)
    {
        bool same = j > 0 && counts[j - 1] == counts[j] + 1 && rows[begin[j - 1] + 1] == j;
        if (same == false)
        {
            c->supernodes[count++] = j;
        }
    }
    c->supernodes[count] = columnCount;
    return count;
}

static bool spBuildCholesky(spPreconditioner* p, const spBlockRows* matrix)
{
    spCholesky* c = (spCholesky*)p;
    double start = spGetSeconds();
    spFillMatrix(c, matrix);
    bool ok = spFactorMatrix(c);
    if (ok == false)
    {
        return false;
    }
    spGetSupernodeFcn* get = c->factor->is_super ? spGetDenseSupernode : spGetSimplicialSupernode;
    if (c->panels.numbers == NULL)
    {
        int count = c->factor->is_super ? (int)c->factor->nsuper : spFindSupernodes(c);
        ok = spCreatePanels(&c->panels, &p->heap, 3 * c->nodeCount, count, get, c);
    }
    ok = ok && spFillPanels(&c->panels, get, c);
    p->buildSeconds = spGetSeconds() - start;
    return ok;
}

static void spApplyCholesky(spPreconditioner* p, spTeam* team, const spVec4* r, spVec4* z)
{
    SP_UNUSED(team);
    spCholesky* c = (spCholesky*)p;
    spReal* x = c->panels.x;
    for (int i = 0; i < c->nodeCount; ++i)
    {
        spVec4 a = r[c->order[i]];
        x[3 * i] = a.x;
        x[3 * i + 1] = a.y;
        x[3 * i + 2] = a.z;
    }
    c->lanes->solve(&c->panels, x, c->panels.local);
    for (int i = 0; i < c->nodeCount; ++i)
    {
        z[c->order[i]] = (spVec4){x[3 * i], x[3 * i + 1], x[3 * i + 2], 0};
    }
}

typedef struct spManyContext
{
    const spCholesky* cholesky;
    const spVec4* r;
    spVec4* z;
    int columnCount;
} spManyContext;

// One block of right-hand sides, from the first one on
static void spApplyCholeskyBlock(const spManyContext* context, int first, int task)
{
    const spCholesky* c = context->cholesky;
    spReal* x = spGetPanelX(&c->panels, task);
    int count = spMinInt(SP_PANEL_COLUMNS, context->columnCount - first);
    size_t nodeCount = (size_t)c->nodeCount, offset = (size_t)first * nodeCount;
    for (size_t i = 0; i < nodeCount; ++i)
    {
        const spVec4* r = context->r + offset + c->order[i];
        spReal* row = x + i * 3 * SP_PANEL_COLUMNS;
        memset(row, 0, 3 * SP_PANEL_COLUMNS * sizeof(spReal));
        for (int k = 0; k < count; ++k, r += nodeCount)
        {
            row[k] = r->x;
            row[SP_PANEL_COLUMNS + k] = r->y;
            row[2 * SP_PANEL_COLUMNS + k] = r->z;
        }
    }
    c->lanes->solveMany(&c->panels, x, spGetPanelLocal(&c->panels, task));
    for (size_t i = 0; i < nodeCount; ++i)
    {
        spVec4* z = context->z + offset + c->order[i];
        const spReal* row = x + i * 3 * SP_PANEL_COLUMNS;
        for (int k = 0; k < count; ++k, z += nodeCount)
        {
            *z = (spVec4){row[k], row[SP_PANEL_COLUMNS + k], row[2 * SP_PANEL_COLUMNS + k], 0};
        }
    }
}

// Each task has every SP_PANEL_TASKS-th block
static void spApplyCholeskyTask(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    const spManyContext* many = context;
    for (int task = begin; task < end; ++task)
    {
        int stride = SP_PANEL_TASKS * SP_PANEL_COLUMNS;
        for (int first = task * SP_PANEL_COLUMNS; first < many->columnCount; first += stride)
        {
            spApplyCholeskyBlock(many, first, task);
        }
    }
}

static void spApplyCholeskyMany(spPreconditioner* p, spTeam* team, const spVec4* r, spVec4* z,
                                int columnCount)
{
    spManyContext context = {(const spCholesky*)p, r, z, columnCount};
    spParallelFor(team, spApplyCholeskyTask, SP_PANEL_TASKS, 1, &context);
}

const spPreconditionerKind spCholeskyKind = {
    .name = "cholesky",
    .create = spCreateCholesky,
    .destroy = spDestroyCholesky,
    .build = spBuildCholesky,
    .apply = spApplyCholesky,
    .applyMany = spApplyCholeskyMany,
};
