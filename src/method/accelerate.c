// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What is kept is worked on as plain numbers: a node is four of them. Everything is made block by block, so
// that sums have one order whatever the threads, and each array goes through the cache once.
//
// u + w (v - u) is always written u - w (u - v): where u and v are equal, the inverse mass and fixed nodes,
// that gives back u with all of its bits, also the sign of a zero.
//
// Anderson's mixing keeps pairs: what a sweep gave, g, and how far it moved, f. The least squares over
// differences of f need dot products of all f; a new pair adds one row of them. With gamma found,
//
//   g_0 - sum gamma_j (g_(j-1) - g_j) = g_0 - sum c_j (g_0 - g_j),  c_j = gamma_j - gamma_(j+1)
//
// counted from the newest, which is one pass and keeps no differences.

#include "method/accelerate.h"

#include "base/timer.h"

#include <math.h>
#include <string.h>

#define SP_MAX_WINDOW 20

// The printed form takes second differences
#define SP_MAX_KEPT (SP_MAX_WINDOW + 2)

// A mixture is not taken when the sweep after it moves more than this many times the least so far
#define SP_TRUST 2.0

// Moving this many times more than the first sweep is divergence
#define SP_DIVERGENCE 1e6

// Squares of differences below this share of what they are differences of are rounding
#define SP_DIFFERENCE_SHARE 1e-13

// A pivot below this share of its diagonal is rounding
#define SP_PIVOT_SHARE 1e-14

#define SP_JACOBI_ROUNDS 12

struct spAcceleratorState
{
    spXpbdDef def;
    int window;
    int nodeCount;
    int64_t lambdaCount;

    // Where the substep began
    spVec4* startX;
    spReal* startLambda;

    // What was before, in a ring; which of these there are depends on the accelerator
    spVec4* x[SP_MAX_KEPT];
    spVec4* f[SP_MAX_KEPT]; // move of a sweep times the root of the mass; before the sweep, its start
    spReal* lambda[SP_MAX_KEPT];
    spReal* before; // multipliers
    spReal* increase;
    double* partial;                       // sums of blocks
    double dots[SP_MAX_KEPT][SP_MAX_KEPT]; // of what is in the ring, by its places
    int slotCount;                         // of the ring
    int newest;                            // place in the ring
    int keptCount;                         // of the newest, that count

    int sweepCount;    // since the start
    double firstNorm2; // square of the first move that was one
    double leastNorm2; // of the moves in the window
    double omega;
    bool mixed; // the next sweep starts from a mixture
    double sweepSeconds;
    spAcceleratorReport report;
};

// ---- stages over blocks ----

typedef struct spStage spStage;

// Items are nodes or multipliers
typedef void spBlockFcn(const spStage* stage, int block, int64_t begin, int64_t end);

struct spStage
{
    spAcceleratorState* state;
    const spIterate* iterate;
    spBlockFcn* nodes; // NULL when there is nothing to do with them
    spBlockFcn* multipliers;
    int nodeBlocks;

    spVec4* toX[2]; // copies; NULL where there are none
    const spVec4* fromX;
    spReal* toLambda[2];
    const spReal* fromLambda;
    spReal weight;
    int slot;
    int used; // differences
    spReal weights[SP_MAX_WINDOW];
    const spVec4* otherX[SP_MAX_WINDOW];
    const spReal* otherLambda[SP_MAX_WINDOW];
};

static int spCountBlocks(int64_t count)
{
    return (int)((count + SP_SUM_BLOCK - 1) / SP_SUM_BLOCK);
}

static void spBlockStage(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    const spStage* stage = context;
    for (int i = begin; i < end; ++i)
    {
        bool isNodes = i < stage->nodeBlocks;
        int block = isNodes ? i : i - stage->nodeBlocks;
        int64_t count = isNodes ? stage->state->nodeCount : stage->state->lambdaCount;
        int64_t first = (int64_t)block * SP_SUM_BLOCK, last = first + SP_SUM_BLOCK;
        spBlockFcn* fcn = isNodes ? stage->nodes : stage->multipliers;
        fcn(stage, block, first, last < count ? last : count);
    }
}

static void spRunStage(spStage* stage, spBlockFcn* nodes, spBlockFcn* multipliers)
{
    stage->nodes = nodes;
    stage->multipliers = multipliers;
    stage->nodeBlocks = nodes != NULL ? spCountBlocks(stage->state->nodeCount) : 0;
    int count = stage->nodeBlocks + (multipliers != NULL ? spCountBlocks(stage->state->lambdaCount) : 0);
    spParallelFor(stage->iterate->team, spBlockStage, count, 1, stage);
}

// ---- numbers ----

// What every processor has; four of them at once keep it busy
typedef spReal spPart __attribute__((vector_size(16)));
typedef spPart spPartMemory __attribute__((may_alias));
#define SP_PART ((int)(sizeof(spPart) / sizeof(spReal)))

// to = g - sum c_j (g - other_j)
static void spMixNumbers(spReal* restrict to, const spReal* restrict g, const spReal* const* others,
                         const spReal* c, int otherCount, int64_t begin, int64_t end)
{
    int64_t i = begin;
    for (; i + 4 * SP_PART <= end; i += 4 * SP_PART)
    {
        spPart from[4], sum[4];
        for (int k = 0; k < 4; ++k)
        {
            from[k] = *(const spPartMemory*)(g + i + k * SP_PART);
            sum[k] = (spPart){0};
        }
        for (int j = 0; j < otherCount; ++j)
        {
            const spReal* other = others[j] + i;
            for (int k = 0; k < 4; ++k)
            {
                sum[k] += c[j] * (from[k] - *(const spPartMemory*)(other + k * SP_PART));
            }
        }
        for (int k = 0; k < 4; ++k)
        {
            *(spPartMemory*)(to + i + k * SP_PART) = from[k] - sum[k];
        }
    }
    for (; i < end; ++i)
    {
        spReal sum = 0;
        for (int j = 0; j < otherCount; ++j)
        {
            sum += c[j] * (g[i] - others[j][i]);
        }
        to[i] = g[i] - sum;
    }
}

static double spDotNumbers(const spReal* restrict a, const spReal* restrict b, int64_t begin, int64_t end)
{
    double sums[4] = {0};
    int64_t i = begin;
    for (; i + 4 <= end; i += 4)
    {
        for (int k = 0; k < 4; ++k)
        {
            sums[k] += (double)a[i + k] * (double)b[i + k];
        }
    }
    for (; i < end; ++i)
    {
        sums[0] += (double)a[i] * (double)b[i];
    }
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

// u and base = base - w (base - u)
static void spRelaxNumbers(spReal* restrict u, spReal* restrict base, spReal w, int64_t begin, int64_t end)
{
    for (int64_t i = begin; i < end; ++i)
    {
        spReal relaxed = base[i] - w * (base[i] - u[i]);
        u[i] = relaxed;
        base[i] = relaxed;
    }
}

// ---- copies ----

static void spCopyNodes(const spStage* stage, int block, int64_t begin, int64_t end)
{
    SP_UNUSED(block);
    for (int i = 0; i < 2 && stage->toX[i] != NULL; ++i)
    {
        memcpy(stage->toX[i] + begin, stage->fromX + begin, (size_t)(end - begin) * sizeof(spVec4));
    }
}

static void spCopyMultipliers(const spStage* stage, int block, int64_t begin, int64_t end)
{
    SP_UNUSED(block);
    for (int i = 0; i < 2 && stage->toLambda[i] != NULL; ++i)
    {
        memcpy(stage->toLambda[i] + begin, stage->fromLambda + begin, (size_t)(end - begin) * sizeof(spReal));
    }
}

// Goes back to positions and multipliers of before
static void spRestore(spAcceleratorState* state, const spIterate* iterate, const spVec4* x,
                      const spReal* lambda)
{
    spStage stage = {.state = state, .iterate = iterate, .fromX = x, .fromLambda = lambda};
    stage.toX[0] = iterate->x;
    stage.toLambda[0] = iterate->lambda;
    spRunStage(&stage, spCopyNodes, spCopyMultipliers);
}

// Keeps where a substep begins, for a return after divergence and as the place before the first sweep
static void spKeepStart(spAcceleratorState* state, const spIterate* iterate, spVec4* x, spReal* lambda)
{
    spStage stage = {.state = state, .iterate = iterate, .fromX = iterate->x, .fromLambda = iterate->lambda};
    stage.toX[0] = state->startX;
    stage.toX[1] = x;
    stage.toLambda[0] = state->startLambda;
    stage.toLambda[1] = lambda;
    spRunStage(&stage, spCopyNodes, spCopyMultipliers);
}

// ---- what all have in common ----

static void spSweepOnce(spAcceleratorState* state, const spIterate* iterate)
{
    double start = spGetSeconds();
    iterate->sweep(iterate->context);
    state->sweepSeconds += spGetSeconds() - start;
}

static void spMovePositions(spAcceleratorState* state, const spIterate* iterate)
{
    double start = spGetSeconds();
    iterate->move(iterate->context, state->increase);
    state->report.moveSeconds += spGetSeconds() - start;
}

static double spMeasure(spAcceleratorState* state, const spIterate* iterate)
{
    double start = spGetSeconds();
    double residual = iterate->measure(iterate->context);
    state->report.measureSeconds += spGetSeconds() - start;
    return residual;
}

// Whether this move is divergence. Not a number is.
static bool spIsDivergence(spAcceleratorState* state, double norm2)
{
    if (!(state->firstNorm2 > 0.0))
    {
        state->firstNorm2 = norm2;
    }
    return !(norm2 <= SP_DIVERGENCE * SP_DIVERGENCE * state->firstNorm2) || isinf(norm2);
}

// Back to the start and one plain sweep from there
static void spGiveUp(spAcceleratorState* state, const spIterate* iterate)
{
    spRestore(state, iterate, state->startX, state->startLambda);
    state->report.diverged = true;
    spSweepOnce(state, iterate);
}

// Sum of mass times square of x - before
static void spSumMoves(const spStage* stage, int block, int64_t begin, int64_t end)
{
    const spVec4* x = stage->iterate->x;
    const spVec4* before = stage->fromX;
    double sum = 0.0;
    for (int64_t i = begin; i < end; ++i)
    {
        double dx = (double)(x[i].x - before[i].x), dy = (double)(x[i].y - before[i].y),
               dz = (double)(x[i].z - before[i].z);
        double m = x[i].w > 0 ? (double)stage->iterate->mass[i] : 0.0;
        sum += m * (dx * dx + dy * dy + dz * dz);
    }
    stage->state->partial[block] = sum;
}

static double spAddBlocks(const spAcceleratorState* state, int64_t count, int sum)
{
    int blockCount = spCountBlocks(count);
    return spSumBlocks(state->partial + (size_t)sum * (size_t)blockCount, blockCount);
}

// ---- over-relaxation: SOR, of multipliers, Chebyshev's ----

static void spRelaxNodes(const spStage* stage, int block, int64_t begin, int64_t end)
{
    spSumMoves(stage, block, begin, end);
    if (stage->weight != 1)
    {
        spRelaxNumbers((spReal*)stage->iterate->x, (spReal*)stage->toX[0], stage->weight, 4 * begin, 4 * end);
    }
    else
    {
        memcpy(stage->toX[0] + begin, stage->iterate->x + begin, (size_t)(end - begin) * sizeof(spVec4));
    }
}

static void spRelaxMultipliers(const spStage* stage, int block, int64_t begin, int64_t end)
{
    SP_UNUSED(block);
    spReal* lambda = stage->iterate->lambda;
    if (stage->weight != 1)
    {
        spRelaxNumbers(lambda, stage->toLambda[0], stage->weight, begin, end);
    }
    else
    {
        memcpy(stage->toLambda[0] + begin, lambda + begin, (size_t)(end - begin) * sizeof(spReal));
    }
}

static void spSweepSor(spAcceleratorState* state, const spIterate* iterate, bool last)
{
    if (state->sweepCount == 0)
    {
        spKeepStart(state, iterate, state->x[0], NULL);
    }
    spSweepOnce(state, iterate);
    spStage stage = {.state = state, .iterate = iterate, .fromX = state->x[0]};
    stage.toX[0] = state->x[0];
    stage.weight = state->def.relaxation;
    spRunStage(&stage, last ? spSumMoves : spRelaxNodes, NULL);
    if (spIsDivergence(state, spAddBlocks(state, state->nodeCount, 0)))
    {
        spGiveUp(state, iterate);
    }
}

static void spReturnNodes(const spStage* stage, int block, int64_t begin, int64_t end)
{
    spSumMoves(stage, block, begin, end);
    memcpy(stage->iterate->x + begin, stage->fromX + begin, (size_t)(end - begin) * sizeof(spVec4));
}

static void spScaleIncrease(const spStage* stage, int block, int64_t begin, int64_t end)
{
    SP_UNUSED(block);
    spReal* restrict lambda = stage->iterate->lambda;
    spReal* restrict before = stage->state->before;
    spReal* restrict increase = stage->state->increase;
    for (int64_t i = begin; i < end; ++i)
    {
        spReal scaled = stage->weight * (lambda[i] - before[i]);
        increase[i] = scaled;
        lambda[i] = before[i] + scaled;
        before[i] = lambda[i];
    }
}

static void spSweepLambdaSor(spAcceleratorState* state, const spIterate* iterate, bool last)
{
    spStage stage = {.state = state, .iterate = iterate, .weight = state->def.relaxation};
    if (state->sweepCount == 0)
    {
        spKeepStart(state, iterate, state->x[0], state->before);
    }
    else
    {
        stage.fromX = iterate->x;
        stage.toX[0] = state->x[0];
        spRunStage(&stage, spCopyNodes, NULL);
    }
    spSweepOnce(state, iterate);
    stage.fromX = state->x[0];
    spRunStage(&stage, last ? spSumMoves : spReturnNodes, last ? NULL : spScaleIncrease);
    if (spIsDivergence(state, spAddBlocks(state, state->nodeCount, 0)))
    {
        spGiveUp(state, iterate);
    }
    else if (last == false)
    {
        spMovePositions(state, iterate);
    }
}

// The weight of this sweep. The first one has nothing before it.
static double spGetChebyshevWeight(const spAcceleratorState* state)
{
    double radius2 = (double)state->def.radius * (double)state->def.radius;
    int first = spMaxInt(state->def.delay, 1);
    if (state->sweepCount < first)
    {
        return 1.0;
    }
    return state->sweepCount == first ? 2.0 / (2.0 - radius2) : 4.0 / (4.0 - radius2 * state->omega);
}

static void spSweepChebyshev(spAcceleratorState* state, const spIterate* iterate, bool last)
{
    // Places of the ring in turn: where the sweep starts, and where the one before it did
    int now = state->sweepCount % 2, old = 1 - now;
    if (state->sweepCount == 0)
    {
        spKeepStart(state, iterate, state->x[now], state->lambda[now]);
    }
    spSweepOnce(state, iterate);
    state->omega = spGetChebyshevWeight(state);
    spStage stage = {.state = state, .iterate = iterate, .fromX = state->x[now]};
    stage.toX[0] = state->x[old];
    stage.toLambda[0] = state->lambda[old];
    stage.weight = (spReal)state->omega;
    spRunStage(&stage, last ? spSumMoves : spRelaxNodes, last ? NULL : spRelaxMultipliers);
    if (spIsDivergence(state, spAddBlocks(state, state->nodeCount, 0)))
    {
        spGiveUp(state, iterate);
    }
}

// ---- least squares over a window ----

typedef double spWindowMatrix[SP_MAX_WINDOW][SP_MAX_WINDOW];

// Largest over smallest eigenvalue of the first rows and columns, by Jacobi's rotations
static double spGetCondition(spWindowMatrix matrix, int n)
{
    spWindowMatrix a;
    memcpy(a, matrix, sizeof(a));
    bool turned = true;
    for (int round = 0; round < SP_JACOBI_ROUNDS && turned; ++round)
    {
        turned = false;
        for (int p = 0; p < n - 1; ++p)
        {
            for (int q = p + 1; q < n; ++q)
            {
                if (fabs(a[p][q]) <= 1e-14 * sqrt(fabs(a[p][p] * a[q][q])))
                {
                    continue;
                }
                turned = true;
                double theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
                double t = (theta < 0.0 ? -1.0 : 1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
                double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
                for (int i = 0; i < n; ++i)
                {
                    double ip = a[i][p], iq = a[i][q];
                    a[i][p] = c * ip - s * iq;
                    a[i][q] = s * ip + c * iq;
                }
                for (int i = 0; i < n; ++i)
                {
                    double pi = a[p][i], qi = a[q][i];
                    a[p][i] = c * pi - s * qi;
                    a[q][i] = s * pi + c * qi;
                }
            }
        }
    }
    double least = a[0][0], most = a[0][0];
    for (int i = 1; i < n; ++i)
    {
        least = fmin(least, a[i][i]);
        most = fmax(most, a[i][i]);
    }
    return least > 0.0 ? most / least : INFINITY;
}

// A gamma = b by Cholesky's factor, with as many of the first columns as it can be made for. Returns how
// many.
static int spSolveWindow(spWindowMatrix a, const double* b, int n, double* gamma)
{
    spWindowMatrix l;
    int solved = 0;
    for (; solved < n; ++solved)
    {
        int i = solved;
        for (int j = 0; j < i; ++j)
        {
            double rest = a[i][j];
            for (int k = 0; k < j; ++k)
            {
                rest -= l[i][k] * l[j][k];
            }
            l[i][j] = rest / l[j][j];
        }
        double pivot = a[i][i];
        for (int k = 0; k < i; ++k)
        {
            pivot -= l[i][k] * l[i][k];
        }
        if (!(pivot > SP_PIVOT_SHARE * a[i][i]))
        {
            break;
        }
        l[i][i] = sqrt(pivot);
    }
    for (int i = 0; i < solved; ++i)
    {
        gamma[i] = b[i];
        for (int k = 0; k < i; ++k)
        {
            gamma[i] -= l[i][k] * gamma[k];
        }
        gamma[i] /= l[i][i];
    }
    for (int i = solved - 1; i >= 0; --i)
    {
        for (int k = i + 1; k < solved; ++k)
        {
            gamma[i] -= l[k][i] * gamma[k];
        }
        gamma[i] /= l[i][i];
    }
    return solved;
}

// Weights c_1, c_2, ... of the mixture with the least error, from dot products of the errors e_0, e_1, ...,
// newest first. Old differences are left out while the condition number is too large, but for the printed
// form's first two. Returns the number of differences used.
static int spFindWeights(double dots[][SP_MAX_WINDOW + 1], int columnCount, int columnsAtLeast,
                         double conditionLimit, spReal* weights)
{
    // Column j is e_j - e_(j+1)
    spWindowMatrix a;
    double b[SP_MAX_WINDOW], gamma[SP_MAX_WINDOW];
    int n = 0;
    for (; n < columnCount; ++n)
    {
        for (int j = 0; j <= n; ++j)
        {
            a[n][j] = (dots[n][j] - dots[n][j + 1]) - (dots[n + 1][j] - dots[n + 1][j + 1]);
            a[j][n] = a[n][j];
        }
        b[n] = dots[0][n] - dots[0][n + 1];
        if (!(a[n][n] > SP_DIFFERENCE_SHARE * (dots[n][n] + dots[n + 1][n + 1])))
        {
            break;
        }
    }
    while (n > columnsAtLeast && spGetCondition(a, n) > conditionLimit)
    {
        n -= 1;
    }
    n = spSolveWindow(a, b, n, gamma);
    for (int j = 0; j < n; ++j)
    {
        weights[j] = (spReal)(gamma[j] - (j + 1 < n ? gamma[j + 1] : 0.0));
    }
    return n;
}

// ---- Anderson's mixing ----

// The place in the ring of what is this old
static int spGetSlot(const spAcceleratorState* state, int age)
{
    return (state->newest + state->slotCount - age) % state->slotCount;
}

// Dot products with the newest, from the sums of blocks
static void spFillDots(spAcceleratorState* state, int64_t count)
{
    for (int age = 0; age < state->keptCount; ++age)
    {
        int slot = spGetSlot(state, age);
        double dot = spAddBlocks(state, count, age);
        state->dots[state->newest][slot] = dot;
        state->dots[slot][state->newest] = dot;
    }
}

// f = root of mass times the move of the sweep, and its dot products with those before
static void spPushNodes(const spStage* stage, int block, int64_t begin, int64_t end)
{
    const spAcceleratorState* state = stage->state;
    const spVec4* restrict x = stage->iterate->x;
    const spReal* restrict mass = stage->iterate->mass;
    spVec4* restrict f = state->f[state->newest];
    for (int64_t i = begin; i < end; ++i)
    {
        spReal s = x[i].w > 0 ? (spReal)sqrt((double)mass[i]) : 0;
        f[i] = (spVec4){s * (x[i].x - f[i].x), s * (x[i].y - f[i].y), s * (x[i].z - f[i].z), 0};
    }
    int blockCount = spCountBlocks(state->nodeCount);
    for (int age = 0; age < state->keptCount; ++age)
    {
        const spVec4* other = state->f[spGetSlot(state, age)];
        state->partial[(size_t)age * (size_t)blockCount + (size_t)block] =
            spDotNumbers((const spReal*)f, (const spReal*)other, 4 * begin, 4 * end);
    }
}

// Saves what the sweep gave and puts the mixture in its place
static void spMixNodes(const spStage* stage, int block, int64_t begin, int64_t end)
{
    SP_UNUSED(block);
    size_t size = (size_t)(end - begin) * sizeof(spVec4);
    spVec4* x = stage->iterate->x;
    spVec4* g = stage->state->x[stage->slot];
    memcpy(g + begin, x + begin, size);
    if (stage->used > 0)
    {
        spMixNumbers((spReal*)x, (const spReal*)g, (const spReal* const*)stage->otherX, stage->weights,
                     stage->used, 4 * begin, 4 * end);
    }
    memcpy(stage->toX[0] + begin, x + begin, size);
}

static void spMixMultipliers(const spStage* stage, int block, int64_t begin, int64_t end)
{
    SP_UNUSED(block);
    spReal* lambda = stage->iterate->lambda;
    spReal* g = stage->state->lambda[stage->slot];
    memcpy(g + begin, lambda + begin, (size_t)(end - begin) * sizeof(spReal));
    if (stage->used > 0)
    {
        spMixNumbers(lambda, g, stage->otherLambda, stage->weights, stage->used, begin, end);
    }
}

// Goes back to what the mixture was made from, and keeps nothing else
static void spReject(spAcceleratorState* state, const spIterate* iterate)
{
    int taken = spGetSlot(state, 1), next = state->newest;
    spStage stage = {.state = state, .iterate = iterate};
    stage.fromX = state->x[taken];
    stage.toX[0] = iterate->x;
    stage.toX[1] = state->f[next];
    stage.fromLambda = state->lambda[taken];
    stage.toLambda[0] = iterate->lambda;
    spRunStage(&stage, spCopyNodes, spCopyMultipliers);
    state->newest = taken;
    state->keptCount = 1;
    state->leastNorm2 = state->dots[taken][taken];
    state->mixed = false;
    state->report.rejected += 1;
}

static void spMix(spAcceleratorState* state, const spIterate* iterate)
{
    double dots[SP_MAX_WINDOW + 1][SP_MAX_WINDOW + 1];
    for (int i = 0; i < state->keptCount; ++i)
    {
        for (int j = 0; j < state->keptCount; ++j)
        {
            dots[i][j] = state->dots[spGetSlot(state, i)][spGetSlot(state, j)];
        }
    }
    spStage stage = {.state = state, .iterate = iterate, .slot = state->newest};
    stage.used =
        spFindWeights(dots, state->keptCount - 1, 1, (double)state->def.conditionLimit, stage.weights);
    for (int j = 0; j < stage.used; ++j)
    {
        stage.otherX[j] = state->x[spGetSlot(state, j + 1)];
        stage.otherLambda[j] = state->lambda[spGetSlot(state, j + 1)];
    }
    stage.toX[0] = state->f[(state->newest + 1) % state->slotCount];
    spRunStage(&stage, spMixNodes, spMixMultipliers);
    state->keptCount = stage.used + 1;
    state->mixed = stage.used > 0;
    state->report.windowUsed = state->mixed ? stage.used : state->report.windowUsed;
}

static void spSweepAnderson(spAcceleratorState* state, const spIterate* iterate, bool last)
{
    if (state->sweepCount == 0)
    {
        state->newest = 0;
        state->keptCount = 0;
        state->mixed = false;
        spKeepStart(state, iterate, state->f[1], NULL);
    }
    spSweepOnce(state, iterate);
    state->newest = (state->newest + 1) % state->slotCount;
    state->keptCount = spMinInt(state->keptCount + 1, state->slotCount);
    spStage stage = {.state = state, .iterate = iterate};
    spRunStage(&stage, spPushNodes, NULL);
    spFillDots(state, state->nodeCount);
    double norm2 = state->dots[state->newest][state->newest];
    if (state->mixed && state->def.safeguard && !(norm2 <= SP_TRUST * SP_TRUST * state->leastNorm2))
    {
        spReject(state, iterate);
        return;
    }
    if (spIsDivergence(state, norm2))
    {
        spGiveUp(state, iterate);
        return;
    }
    state->leastNorm2 = state->keptCount > 1 ? fmin(state->leastNorm2, norm2) : norm2;
    if (last == false)
    {
        spMix(state, iterate);
    }
}

// ---- Anderson's mixing as printed ----

// The increase of the sweep, and its dot products with those before
static void spPushIncrease(const spStage* stage, int block, int64_t begin, int64_t end)
{
    const spAcceleratorState* state = stage->state;
    const spReal* restrict lambda = stage->iterate->lambda;
    const spReal* restrict before = state->before;
    spReal* restrict d = state->lambda[state->newest];
    for (int64_t i = begin; i < end; ++i)
    {
        d[i] = lambda[i] - before[i];
    }
    int blockCount = spCountBlocks(state->lambdaCount);
    for (int age = 0; age < state->keptCount; ++age)
    {
        const spReal* other = state->lambda[spGetSlot(state, age)];
        state->partial[(size_t)age * (size_t)blockCount + (size_t)block] = spDotNumbers(d, other, begin, end);
    }
}

// The mixture of the increases times the relaxation is added to the multipliers
static void spTryIncrease(const spStage* stage, int block, int64_t begin, int64_t end)
{
    SP_UNUSED(block);
    const spAcceleratorState* state = stage->state;
    spReal* restrict lambda = stage->iterate->lambda;
    spReal* restrict before = state->before;
    spReal* restrict increase = state->increase;
    spMixNumbers(increase, state->lambda[stage->slot], stage->otherLambda, stage->weights, stage->used, begin,
                 end);
    for (int64_t i = begin; i < end; ++i)
    {
        increase[i] *= stage->weight;
        before[i] = lambda[i];
        lambda[i] += increase[i];
    }
}

// Mixes the increases that are kept. Returns whether the multipliers have changed.
static bool spTryPrinted(spAcceleratorState* state, const spIterate* iterate)
{
    // Errors are differences of increases, and one fewer
    double dots[SP_MAX_WINDOW + 1][SP_MAX_WINDOW + 1];
    for (int i = 0; i <= state->window; ++i)
    {
        const double* row = state->dots[spGetSlot(state, i)];
        const double* next = state->dots[spGetSlot(state, i + 1)];
        for (int j = 0; j <= state->window; ++j)
        {
            int slot = spGetSlot(state, j), old = spGetSlot(state, j + 1);
            dots[i][j] = (row[slot] - row[old]) - (next[slot] - next[old]);
        }
    }
    spStage stage = {.state = state, .iterate = iterate, .slot = state->newest};
    stage.weight = state->def.relaxation;
    stage.used = spFindWeights(dots, state->window, 2, (double)state->def.conditionLimit, stage.weights);
    for (int j = 0; j < stage.used; ++j)
    {
        stage.otherLambda[j] = state->lambda[spGetSlot(state, j + 1)];
    }
    stage.fromX = iterate->x;
    stage.toX[0] = state->x[0];
    double residual = state->def.safeguard ? spMeasure(state, iterate) : 0.0;
    spRunStage(&stage, spCopyNodes, spTryIncrease);
    spMovePositions(state, iterate);
    if (state->def.safeguard && !(spMeasure(state, iterate) < residual))
    {
        spRestore(state, iterate, state->x[0], state->before);
        state->report.rejected += 1;
        return false;
    }
    state->report.windowUsed = stage.used;
    return true;
}

static void spSweepPrinted(spAcceleratorState* state, const spIterate* iterate)
{
    if (state->sweepCount == 0)
    {
        state->keptCount = 0;
        spKeepStart(state, iterate, NULL, state->before);
    }
    else if (state->keptCount < state->slotCount || spTryPrinted(state, iterate))
    {
        spStage copy = {.state = state, .iterate = iterate, .fromLambda = iterate->lambda};
        copy.toLambda[0] = state->before;
        spRunStage(&copy, NULL, spCopyMultipliers);
    }
    spSweepOnce(state, iterate);
    state->newest = (state->newest + 1) % state->slotCount;
    state->keptCount = spMinInt(state->keptCount + 1, state->slotCount);
    spStage stage = {.state = state, .iterate = iterate};
    spRunStage(&stage, NULL, spPushIncrease);
    spFillDots(state, state->lambdaCount);
    if (spIsDivergence(state, state->dots[state->newest][state->newest]))
    {
        spGiveUp(state, iterate);
    }
}

// ---- state ----

// How many arrays an accelerator needs
typedef struct spNeeds
{
    int x, f, lambda;
    bool scratch;             // before and increase
    int nodeSums, lambdaSums; // of every block
} spNeeds;

static spNeeds spGetNeeds(const spAcceleratorState* state)
{
    int window = state->window;
    switch (state->def.accelerator)
    {
        case sp_accelerateSor:
            return (spNeeds){.x = 1, .nodeSums = 1};
        case sp_accelerateLambdaSor:
            return (spNeeds){.x = 1, .scratch = true, .nodeSums = 1};
        case sp_accelerateChebyshev:
            return (spNeeds){.x = 2, .lambda = 2, .nodeSums = 1};
        case sp_accelerateAnderson:
            return (spNeeds){.x = window + 1, .f = window + 1, .lambda = window + 1, .nodeSums = window + 1};
        case sp_accelerateAndersonPrinted:
            return (spNeeds){.x = 1, .lambda = window + 2, .scratch = true, .lambdaSums = window + 2};
        default:
            return (spNeeds){0};
    }
}

// Bytes of arrays over nodes and multipliers, and of the sums
static size_t spGetNodeSize(const spAcceleratorState* state)
{
    return spArraySize(spMaxInt(state->nodeCount, 1), sizeof(spVec4));
}

static size_t spGetLambdaSize(const spAcceleratorState* state)
{
    return spArraySize(state->lambdaCount > 0 ? state->lambdaCount : 1, sizeof(spReal));
}

static size_t spGetSumSize(const spAcceleratorState* state, const spNeeds* needs)
{
    int64_t count = (int64_t)needs->nodeSums * spCountBlocks(state->nodeCount) +
                    (int64_t)needs->lambdaSums * spCountBlocks(state->lambdaCount);
    return spArraySize(count + 1, sizeof(double));
}

static bool spAllocArrays(spHeap* heap, spAcceleratorState* state, const spNeeds* needs)
{
    size_t nodeSize = spGetNodeSize(state), lambdaSize = spGetLambdaSize(state);
    state->startX = spAlloc(heap, nodeSize);
    state->startLambda = spAlloc(heap, lambdaSize);
    state->partial = spAlloc(heap, spGetSumSize(state, needs));
    bool ok = state->startX != NULL && state->startLambda != NULL && state->partial != NULL;
    for (int i = 0; i < needs->x; ++i)
    {
        state->x[i] = spAlloc(heap, nodeSize);
        ok = ok && state->x[i] != NULL;
    }
    for (int i = 0; i < needs->f; ++i)
    {
        state->f[i] = spAlloc(heap, nodeSize);
        ok = ok && state->f[i] != NULL;
    }
    for (int i = 0; i < needs->lambda; ++i)
    {
        state->lambda[i] = spAlloc(heap, lambdaSize);
        ok = ok && state->lambda[i] != NULL;
    }
    if (needs->scratch)
    {
        state->before = spAlloc(heap, lambdaSize);
        state->increase = spAlloc(heap, lambdaSize);
        ok = ok && state->before != NULL && state->increase != NULL;
    }
    return ok;
}

spAcceleratorState* spCreateAccelerator(spHeap* heap, const spXpbdDef* def, int nodeCount,
                                        int64_t lambdaCount)
{
    spAcceleratorState* state = spAllocZeroed(heap, sizeof(spAcceleratorState));
    if (state == NULL)
    {
        return NULL;
    }
    state->def = *def;
    state->window = spClampInt(def->window, 1, SP_MAX_WINDOW);
    state->nodeCount = nodeCount;
    state->lambdaCount = lambdaCount;
    spNeeds needs = spGetNeeds(state);
    state->slotCount = needs.lambda;
    if (def->accelerator != sp_accelerateNone && spAllocArrays(heap, state, &needs) == false)
    {
        spDestroyAccelerator(heap, state);
        return NULL;
    }
    return state;
}

void spDestroyAccelerator(spHeap* heap, spAcceleratorState* state)
{
    if (state == NULL)
    {
        return;
    }
    size_t nodeSize = spGetNodeSize(state), lambdaSize = spGetLambdaSize(state);
    spNeeds needs = spGetNeeds(state);
    for (int i = 0; i < SP_MAX_KEPT; ++i)
    {
        spFree(heap, state->x[i], nodeSize);
        spFree(heap, state->f[i], nodeSize);
        spFree(heap, state->lambda[i], lambdaSize);
    }
    spFree(heap, state->startX, nodeSize);
    spFree(heap, state->startLambda, lambdaSize);
    spFree(heap, state->before, lambdaSize);
    spFree(heap, state->increase, lambdaSize);
    spFree(heap, state->partial, spGetSumSize(state, &needs));
    spFree(heap, state, sizeof(spAcceleratorState));
}

void spResetAccelerator(spAcceleratorState* state)
{
    state->sweepCount = 0;
    state->firstNorm2 = 0.0;
    state->sweepSeconds = 0.0;
    state->report = (spAcceleratorReport){0};
}

void spAccelerateSweep(spAcceleratorState* state, const spIterate* iterate, bool last)
{
    if (state->def.accelerator == sp_accelerateNone || state->report.diverged)
    {
        iterate->sweep(iterate->context);
        return;
    }
    double start = spGetSeconds();
    const spAcceleratorReport* report = &state->report;
    double elsewhere = state->sweepSeconds + report->moveSeconds + report->measureSeconds;
    switch (state->def.accelerator)
    {
        case sp_accelerateSor:
            spSweepSor(state, iterate, last);
            break;
        case sp_accelerateLambdaSor:
            spSweepLambdaSor(state, iterate, last);
            break;
        case sp_accelerateChebyshev:
            spSweepChebyshev(state, iterate, last);
            break;
        case sp_accelerateAnderson:
            spSweepAnderson(state, iterate, last);
            break;
        default:
            spSweepPrinted(state, iterate);
            break;
    }
    // What comes after the last one starts anew
    state->sweepCount = last ? 0 : state->sweepCount + 1;
    elsewhere = state->sweepSeconds + report->moveSeconds + report->measureSeconds - elsewhere;
    state->report.mixSeconds += spGetSeconds() - start - elsewhere;
}

spAcceleratorReport spGetAcceleratorReport(const spAcceleratorState* state)
{
    return state->report;
}
