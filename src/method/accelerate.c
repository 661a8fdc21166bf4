// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What is kept is worked on as plain numbers: a node is four of them. Everything is made block by block, so
// that sums have one order whatever the threads, and each array goes through the cache once.
//
// u + w (v - u) is always written u - w (u - v): where u and v are equal, the inverse mass and fixed nodes,
// that gives back u with all of its bits, also the sign of a zero.
//
// Anderson's mixing keeps pairs: what a sweep gave, g, and how far it moved, f. Weights need dot products of
// all f; a new pair adds one row of them.
//
// f counts positions and a sample of the multipliers of about as many numbers. Positions alone do not see
// multipliers that balance each other: with them, bodies of medium stiffness stand still far from the end.
// All multipliers are hardly better than the sample and cost several times as much.

#include "method/accelerate.h"

#include "base/timer.h"
#include "method/mixture.h"

#include <math.h>

// The printed form takes second differences
#define SP_MAX_KEPT (SP_MAX_WINDOW + 2)

// A mixture is not taken when the sweep after it moves more than this many times the least so far. With half
// of this, more are refused that would have come right than wrong ones found.
#define SP_TRUST 4.0

// Moving this many times more than the first sweep is divergence
#define SP_DIVERGENCE 1e6

// What the sample of multipliers does in the first sweep counts as this share of what positions do, in
// squares. With ten times more, stiff bodies take longer; with a tenth, those of medium stiffness.
#define SP_SAMPLE_SHARE 0.01

struct spAcceleratorState
{
    spXpbdDef def;
    int window;
    int nodeCount;
    int64_t lambdaCount;
    int64_t sampleCount; // multipliers in the sample
    int sampleStride;    // one row of SP_BLOCK multipliers of so many is in it

    // Where the substep began
    spVec4* startX;
    spReal* startLambda;

    // What was before, in a ring; which of these there are depends on the accelerator
    spVec4* x[SP_MAX_KEPT];
    spReal* lambda[SP_MAX_KEPT];
    spReal* f[SP_MAX_KEPT];       // move of a sweep times the root of the mass; before the sweep, its start
    spReal* fSample[SP_MAX_KEPT]; // the same of the sample, without mass
    spReal* before;               // multipliers before the sweep
    spReal* increase;             // of multipliers
    double* partial;              // sums of blocks
    double* samplePartial;        // of the sample
    double dots[SP_MAX_KEPT][SP_MAX_KEPT]; // of what is in the ring, by its places
    int slotCount;                         // places of the ring
    int newest;                            // place
    int keptCount;                         // of the newest, that count

    int sweepCount; // since the start
    double sampleWeight;
    double firstNorm2; // square of the first move that was one
    double leastNorm2; // of the moves in the window
    double omega;      // weight of the last sweep
    bool mixed;        // the next sweep starts from a mixture
    double sweepSeconds;
    spAcceleratorReport report;
};

// ---- stages over blocks ----

typedef struct spStage spStage;

typedef void spBlockFcn(const spStage* stage, int block, int64_t begin, int64_t end);

typedef enum spItemType
{
    sp_itemNode = 0,
    sp_itemMultiplier,
    sp_itemSample,
    sp_itemTypeCount
} spItemType;

struct spStage
{
    spAcceleratorState* state;
    const spIterate* iterate;
    spBlockFcn* fcns[sp_itemTypeCount];
    int64_t counts[sp_itemTypeCount];

    const spVec4* fromX;
    spVec4* toX[2]; // NULL where there is none
    const spReal* fromLambda;
    spReal* toLambda[2];
    spReal weight;
    int used; // differences of the mixture
    spReal weights[SP_MAX_WINDOW];
    const spReal* otherX[SP_MAX_WINDOW];
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
        int type = 0, block = i;
        while (block >= spCountBlocks(stage->counts[type]))
        {
            block -= spCountBlocks(stage->counts[type]);
            type += 1;
        }
        int64_t first = (int64_t)block * SP_SUM_BLOCK, last = first + SP_SUM_BLOCK;
        stage->fcns[type](stage, block, first, last < stage->counts[type] ? last : stage->counts[type]);
    }
}

// Functions are NULL where there is nothing to do
static void spRunStage(spStage* stage, spBlockFcn* nodes, spBlockFcn* multipliers, spBlockFcn* samples)
{
    const spAcceleratorState* state = stage->state;
    stage->fcns[sp_itemNode] = nodes;
    stage->fcns[sp_itemMultiplier] = multipliers;
    stage->fcns[sp_itemSample] = samples;
    stage->counts[sp_itemNode] = nodes != NULL ? state->nodeCount : 0;
    stage->counts[sp_itemMultiplier] = multipliers != NULL ? state->lambdaCount : 0;
    stage->counts[sp_itemSample] = samples != NULL ? state->sampleCount : 0;
    int count = 0;
    for (int type = 0; type < sp_itemTypeCount; ++type)
    {
        count += spCountBlocks(stage->counts[type]);
    }
    spParallelFor(stage->iterate->team, spBlockStage, count, 1, stage);
}

// ---- copies ----

static void spCopyNodes(const spStage* stage, int block, int64_t begin, int64_t end)
{
    SP_UNUSED(block);
    for (int i = 0; i < 2 && stage->toX[i] != NULL; ++i)
    {
        stage->iterate->backend->copy(stage->toX[i], stage->fromX, (int)begin, (int)end);
    }
}

static void spCopyMultipliers(const spStage* stage, int block, int64_t begin, int64_t end)
{
    SP_UNUSED(block);
    for (int i = 0; i < 2 && stage->toLambda[i] != NULL; ++i)
    {
        stage->iterate->backend->copyNumbers(stage->toLambda[i], stage->fromLambda, begin, end);
    }
}

// Goes back to positions and multipliers of before
static void spRestore(spAcceleratorState* state, const spIterate* iterate, const spVec4* x,
                      const spReal* lambda)
{
    spStage stage = {.state = state, .iterate = iterate, .fromX = x, .fromLambda = lambda};
    stage.toX[0] = iterate->x;
    stage.toLambda[0] = iterate->lambda;
    spRunStage(&stage, spCopyNodes, spCopyMultipliers, NULL);
}

// Keeps where a substep begins, for a return after divergence, and once more where the accelerator wants it
static void spKeepStart(spAcceleratorState* state, const spIterate* iterate, spVec4* x, spReal* lambda)
{
    spStage stage = {.state = state, .iterate = iterate, .fromX = iterate->x, .fromLambda = iterate->lambda};
    stage.toX[0] = state->startX;
    stage.toX[1] = x;
    stage.toLambda[0] = state->startLambda;
    stage.toLambda[1] = lambda;
    spRunStage(&stage, spCopyNodes, spCopyMultipliers, NULL);
}

// ---- what the accelerators have in common ----

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

// Whether a move of this square is divergence. Not a number is.
static bool spIsDivergence(spAcceleratorState* state, double norm2)
{
    if (!(state->firstNorm2 > 0.0))
    {
        state->firstNorm2 = norm2;
    }
    return isinf(norm2) || !(norm2 <= SP_DIVERGENCE * SP_DIVERGENCE * state->firstNorm2);
}

// Back to the start, and a plain sweep from there
static void spGiveUp(spAcceleratorState* state, const spIterate* iterate)
{
    spRestore(state, iterate, state->startX, state->startLambda);
    state->report.diverged = true;
    spSweepOnce(state, iterate);
}

// Mass times square of x - fromX
static void spSumMoves(const spStage* stage, int block, int64_t begin, int64_t end)
{
    const spIterate* iterate = stage->iterate;
    stage->state->partial[block] =
        iterate->backend->sumMoves(iterate->x, stage->fromX, iterate->mass, (int)begin, (int)end);
}

// Adds up the sums with this number, of the blocks of so many items
static double spAddBlocks(const double* partial, int64_t count, int sum)
{
    int blockCount = spCountBlocks(count);
    return spSumBlocks(partial + (size_t)sum * (size_t)blockCount, blockCount);
}

// ---- over-relaxation ----

// toX, which holds what is relaxed from, becomes the same as x
static void spRelaxNodes(const spStage* stage, int block, int64_t begin, int64_t end)
{
    const spIterate* iterate = stage->iterate;
    spSumMoves(stage, block, begin, end);
    if (stage->weight == 1)
    {
        iterate->backend->copy(stage->toX[0], iterate->x, (int)begin, (int)end);
        return;
    }
    iterate->backend->relaxNumbers((spReal*)iterate->x, (spReal*)stage->toX[0], stage->weight, 4 * begin,
                                   4 * end);
}

static void spRelaxMultipliers(const spStage* stage, int block, int64_t begin, int64_t end)
{
    SP_UNUSED(block);
    const spIterate* iterate = stage->iterate;
    if (stage->weight == 1)
    {
        iterate->backend->copyNumbers(stage->toLambda[0], iterate->lambda, begin, end);
        return;
    }
    iterate->backend->relaxNumbers(iterate->lambda, stage->toLambda[0], stage->weight, begin, end);
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
    spRunStage(&stage, last ? spSumMoves : spRelaxNodes, NULL, NULL);
    if (spIsDivergence(state, spAddBlocks(state->partial, state->nodeCount, 0)))
    {
        spGiveUp(state, iterate);
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
    // Where this sweep starts and where the one before did, in turn
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
    spRunStage(&stage, last ? spSumMoves : spRelaxNodes, last ? NULL : spRelaxMultipliers, NULL);
    if (spIsDivergence(state, spAddBlocks(state->partial, state->nodeCount, 0)))
    {
        spGiveUp(state, iterate);
    }
}

// Positions go back to where the sweep started
static void spReturnNodes(const spStage* stage, int block, int64_t begin, int64_t end)
{
    spSumMoves(stage, block, begin, end);
    stage->iterate->backend->copy(stage->iterate->x, stage->fromX, (int)begin, (int)end);
}

static void spScaleIncrease(const spStage* stage, int block, int64_t begin, int64_t end)
{
    SP_UNUSED(block);
    const spAcceleratorState* state = stage->state;
    stage->iterate->backend->relaxIncrease(stage->iterate->lambda, state->before, state->increase,
                                           stage->weight, begin, end);
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
        spRunStage(&stage, spCopyNodes, NULL, NULL);
    }
    spSweepOnce(state, iterate);
    stage.fromX = state->x[0];
    spRunStage(&stage, last ? spSumMoves : spReturnNodes, last ? NULL : spScaleIncrease, NULL);
    if (spIsDivergence(state, spAddBlocks(state->partial, state->nodeCount, 0)))
    {
        spGiveUp(state, iterate);
    }
    else if (last == false)
    {
        spMovePositions(state, iterate);
    }
}

// ---- the ring ----

// Place of what is this old
static int spGetSlot(const spAcceleratorState* state, int age)
{
    return (state->newest + state->slotCount - age) % state->slotCount;
}

static void spPushSlot(spAcceleratorState* state)
{
    state->newest = (state->newest + 1) % state->slotCount;
    state->keptCount = spMinInt(state->keptCount + 1, state->slotCount);
}

// Dot products of the newest with all that count, of one block
static void spSumDots(const spStage* stage, double* partial, int blockCount, int block,
                      spReal* const* numbers, int64_t begin, int64_t end)
{
    const spAcceleratorState* state = stage->state;
    for (int age = 0; age < state->keptCount; ++age)
    {
        partial[(size_t)age * (size_t)blockCount + (size_t)block] = stage->iterate->backend->dotNumbers(
            numbers[state->newest], numbers[spGetSlot(state, age)], begin, end);
    }
}

static void spSetDot(spAcceleratorState* state, int age, double dot)
{
    int slot = spGetSlot(state, age);
    state->dots[state->newest][slot] = dot;
    state->dots[slot][state->newest] = dot;
}

// ---- Anderson's mixing ----

static void spStartSamples(const spStage* stage, int block, int64_t begin, int64_t end)
{
    SP_UNUSED(block);
    const spAcceleratorState* state = stage->state;
    stage->iterate->backend->takeSample(state->fSample[state->newest], stage->iterate->lambda,
                                        state->sampleStride, begin, end);
}

static void spPushSamples(const spStage* stage, int block, int64_t begin, int64_t end)
{
    const spAcceleratorState* state = stage->state;
    stage->iterate->backend->moveOfSample(state->fSample[state->newest], stage->iterate->lambda,
                                          state->sampleStride, begin, end);
    spSumDots(stage, state->samplePartial, spCountBlocks(state->sampleCount), block, state->fSample, begin,
              end);
}

static void spPushNodes(const spStage* stage, int block, int64_t begin, int64_t end)
{
    const spAcceleratorState* state = stage->state;
    const spIterate* iterate = stage->iterate;
    iterate->backend->moveOfNodes((spVec4*)state->f[state->newest], iterate->x, iterate->mass, (int)begin,
                                  (int)end);
    spSumDots(stage, state->partial, spCountBlocks(state->nodeCount), block, state->f, 4 * begin, 4 * end);
}

// Makes f of the sweep that was done and its dot products. Returns its square.
static double spPushMove(spAcceleratorState* state, const spIterate* iterate)
{
    spStage stage = {.state = state, .iterate = iterate};
    spRunStage(&stage, spPushNodes, NULL, spPushSamples);
    if (state->sweepCount == 0)
    {
        double nodes2 = spAddBlocks(state->partial, state->nodeCount, 0);
        double samples2 = spAddBlocks(state->samplePartial, state->sampleCount, 0);
        state->sampleWeight = samples2 > 0.0 ? SP_SAMPLE_SHARE * nodes2 / samples2 : 0.0;
    }
    for (int age = 0; age < state->keptCount; ++age)
    {
        double nodes = spAddBlocks(state->partial, state->nodeCount, age);
        double samples = spAddBlocks(state->samplePartial, state->sampleCount, age);
        spSetDot(state, age, nodes + state->sampleWeight * samples);
    }
    return state->dots[state->newest][state->newest];
}

// Keeps what the sweep gave and puts the mixture in its place
static void spMixNodes(const spStage* stage, int block, int64_t begin, int64_t end)
{
    SP_UNUSED(block);
    const spBackend* backend = stage->iterate->backend;
    spVec4* x = stage->iterate->x;
    spVec4* g = stage->state->x[stage->state->newest];
    backend->copy(g, x, (int)begin, (int)end);
    if (stage->used > 0)
    {
        backend->mixNumbers((spReal*)x, (const spReal*)g, stage->otherX, stage->weights, stage->used,
                            4 * begin, 4 * end);
    }
}

static void spMixMultipliers(const spStage* stage, int block, int64_t begin, int64_t end)
{
    SP_UNUSED(block);
    const spBackend* backend = stage->iterate->backend;
    spReal* lambda = stage->iterate->lambda;
    spReal* g = stage->state->lambda[stage->state->newest];
    backend->copyNumbers(g, lambda, begin, end);
    if (stage->used > 0)
    {
        backend->mixNumbers(lambda, g, stage->otherLambda, stage->weights, stage->used, begin, end);
    }
}

static void spMix(spAcceleratorState* state, const spIterate* iterate)
{
    spWindowDots dots;
    for (int i = 0; i < state->keptCount; ++i)
    {
        for (int j = 0; j < state->keptCount; ++j)
        {
            dots[i][j] = state->dots[spGetSlot(state, i)][spGetSlot(state, j)];
        }
    }
    spStage stage = {.state = state, .iterate = iterate};
    stage.used =
        spFindWeights(dots, state->keptCount - 1, 1, (double)state->def.conditionLimit, stage.weights);
    for (int j = 0; j < stage.used; ++j)
    {
        stage.otherX[j] = (const spReal*)state->x[spGetSlot(state, j + 1)];
        stage.otherLambda[j] = state->lambda[spGetSlot(state, j + 1)];
    }
    spRunStage(&stage, spMixNodes, spMixMultipliers, NULL);
    state->mixed = stage.used > 0;
    state->keptCount = stage.used + 1;
    state->report.windowUsed = stage.used;
}

// Goes back to what the mixture was made from, and keeps nothing else
static void spReject(spAcceleratorState* state, const spIterate* iterate)
{
    state->newest = spGetSlot(state, 1);
    state->keptCount = 1;
    state->leastNorm2 = state->dots[state->newest][state->newest];
    state->mixed = false;
    state->report.rejected += 1;
    spRestore(state, iterate, state->x[state->newest], state->lambda[state->newest]);
}

static void spSweepAnderson(spAcceleratorState* state, const spIterate* iterate, bool last)
{
    if (state->sweepCount == 0)
    {
        state->keptCount = 0;
        state->leastNorm2 = INFINITY;
        state->mixed = false;
        spKeepStart(state, iterate, NULL, NULL);
    }
    spPushSlot(state);
    spStage stage = {.state = state, .iterate = iterate, .fromX = iterate->x};
    stage.toX[0] = (spVec4*)state->f[state->newest];
    spRunStage(&stage, spCopyNodes, NULL, spStartSamples);
    spSweepOnce(state, iterate);
    double norm2 = spPushMove(state, iterate);
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
    state->leastNorm2 = fmin(state->leastNorm2, norm2);
    if (last == false)
    {
        spMix(state, iterate);
    }
}

// ---- Anderson's mixing as printed ----

// The increase by the sweep
static void spPushIncrease(const spStage* stage, int block, int64_t begin, int64_t end)
{
    const spAcceleratorState* state = stage->state;
    stage->iterate->backend->subtractNumbers(state->lambda[state->newest], stage->iterate->lambda,
                                             state->before, begin, end);
    spSumDots(stage, state->partial, spCountBlocks(state->lambdaCount), block, state->lambda, begin, end);
}

// Multipliers grow by the mixture of their increases, times the relaxation
static void spTryIncrease(const spStage* stage, int block, int64_t begin, int64_t end)
{
    SP_UNUSED(block);
    const spAcceleratorState* state = stage->state;
    const spBackend* backend = stage->iterate->backend;
    backend->mixNumbers(state->increase, state->lambda[state->newest], stage->otherLambda, stage->weights,
                        stage->used, begin, end);
    backend->addIncrease(stage->iterate->lambda, state->before, state->increase, stage->weight, begin, end);
}

// Tries a mixture. Returns whether it was taken.
static bool spTryPrinted(spAcceleratorState* state, const spIterate* iterate)
{
    // Errors are differences of increases
    spWindowDots dots;
    for (int i = 0; i <= state->window; ++i)
    {
        const double* row = state->dots[spGetSlot(state, i)];
        const double* next = state->dots[spGetSlot(state, i + 1)];
        for (int j = 0; j <= state->window; ++j)
        {
            int slot = spGetSlot(state, j), older = spGetSlot(state, j + 1);
            dots[i][j] = (row[slot] - row[older]) - (next[slot] - next[older]);
        }
    }
    spStage stage = {.state = state, .iterate = iterate, .fromX = iterate->x};
    stage.toX[0] = state->x[0];
    stage.weight = state->def.relaxation;
    stage.used = spFindWeights(dots, state->window, 2, (double)state->def.conditionLimit, stage.weights);
    for (int j = 0; j < stage.used; ++j)
    {
        stage.otherLambda[j] = state->lambda[spGetSlot(state, j + 1)];
    }
    state->report.windowUsed = stage.used;
    double residual = state->def.safeguard ? spMeasure(state, iterate) : 0.0;
    spRunStage(&stage, spCopyNodes, spTryIncrease, NULL);
    spMovePositions(state, iterate);
    if (state->def.safeguard && !(spMeasure(state, iterate) < residual))
    {
        spRestore(state, iterate, state->x[0], state->before);
        state->report.rejected += 1;
        return false;
    }
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
        spRunStage(&copy, NULL, spCopyMultipliers, NULL);
    }
    spSweepOnce(state, iterate);
    spPushSlot(state);
    spStage stage = {.state = state, .iterate = iterate};
    spRunStage(&stage, NULL, spPushIncrease, NULL);
    for (int age = 0; age < state->keptCount; ++age)
    {
        spSetDot(state, age, spAddBlocks(state->partial, state->lambdaCount, age));
    }
    if (spIsDivergence(state, state->dots[state->newest][state->newest]))
    {
        spGiveUp(state, iterate);
    }
}

// ---- state ----

// Arrays that an accelerator needs, and sums of every block
typedef struct spNeeds
{
    int x, lambda, f;
    bool scratch; // before and increase
    int nodeSums, lambdaSums;
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
            return (spNeeds){.x = window + 1, .lambda = window + 1, .f = window + 1, .nodeSums = window + 1};
        case sp_accelerateAndersonPrinted:
            return (spNeeds){.x = 1, .lambda = window + 2, .scratch = true, .lambdaSums = window + 2};
        default:
            return (spNeeds){0};
    }
}

// Bytes; there is always something, so that NULL means no memory
static size_t spGetNodeSize(const spAcceleratorState* state)
{
    return spArraySize((int64_t)state->nodeCount + 1, sizeof(spVec4));
}

static size_t spGetLambdaSize(const spAcceleratorState* state)
{
    return spArraySize(state->lambdaCount + 1, sizeof(spReal));
}

static size_t spGetSampleSize(const spAcceleratorState* state)
{
    return spArraySize(state->sampleCount + 1, sizeof(spReal));
}

static size_t spGetSumSize(const spAcceleratorState* state, const spNeeds* needs)
{
    int64_t nodeSums = (int64_t)needs->nodeSums * spCountBlocks(state->nodeCount);
    int64_t lambdaSums = (int64_t)needs->lambdaSums * spCountBlocks(state->lambdaCount);
    return spArraySize(nodeSums + lambdaSums + 1, sizeof(double));
}

static size_t spGetSampleSumSize(const spAcceleratorState* state, const spNeeds* needs)
{
    return spArraySize((int64_t)needs->f * spCountBlocks(state->sampleCount) + 1, sizeof(double));
}

static bool spAllocArrays(spHeap* heap, spAcceleratorState* state, const spNeeds* needs)
{
    size_t nodeSize = spGetNodeSize(state), lambdaSize = spGetLambdaSize(state);
    state->startX = spAlloc(heap, nodeSize);
    state->startLambda = spAlloc(heap, lambdaSize);
    state->partial = spAlloc(heap, spGetSumSize(state, needs));
    state->samplePartial = spAlloc(heap, spGetSampleSumSize(state, needs));
    bool ok = state->startX != NULL && state->startLambda != NULL && state->partial != NULL &&
              state->samplePartial != NULL;
    for (int i = 0; i < needs->x; ++i)
    {
        state->x[i] = spAlloc(heap, nodeSize);
        ok = ok && state->x[i] != NULL;
    }
    for (int i = 0; i < needs->lambda; ++i)
    {
        state->lambda[i] = spAlloc(heap, lambdaSize);
        ok = ok && state->lambda[i] != NULL;
    }
    for (int i = 0; i < needs->f; ++i)
    {
        state->f[i] = spAlloc(heap, nodeSize);
        state->fSample[i] = spAlloc(heap, spGetSampleSize(state));
        ok = ok && state->f[i] != NULL && state->fSample[i] != NULL;
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
                                        int64_t lambdaCount, int64_t sampled)
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
    int64_t stride = sampled / (4 * (int64_t)spMaxInt(nodeCount, 1));
    state->sampleStride = (int)(stride > 1 ? stride : 1);
    state->sampleCount = sampled / (SP_BLOCK * (int64_t)state->sampleStride) * SP_BLOCK;
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
    for (int i = 0; i < SP_MAX_KEPT; ++i)
    {
        spFree(heap, state->x[i]);
        spFree(heap, state->lambda[i]);
        spFree(heap, state->f[i]);
        spFree(heap, state->fSample[i]);
    }
    spFree(heap, state->startX);
    spFree(heap, state->startLambda);
    spFree(heap, state->before);
    spFree(heap, state->increase);
    spFree(heap, state->partial);
    spFree(heap, state->samplePartial);
    spFree(heap, state);
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
    const spAcceleratorReport* report = &state->report;
    double start = spGetSeconds();
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
