// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Accelerators of sweeps, without a body: maps with known ends are made faster, as printed formulas say, with
// the same bits for any number of threads; nothing breaks on maps that stand still, jump, or blow up.

#include "method/accelerate.h"

#include "base/hash.h"
#include "testbed/check.h"

#include <stdlib.h>
#include <string.h>

static const bool isDouble = sizeof(spReal) == 8;

// Nodes on a grid, tied to their neighbours by C = x_j - x_i - rest, three rows, with compliance. Sweeps are
// Gauss-Seidel's over the ties. Its end is chosen: lambda = -C / compliance there, and nodes start where
// those multipliers would have brought them from.
typedef struct Net
{
    spHeap heap;
    int nodeCount;
    spVec4* x;
    spReal* mass;
    int tieCount;
    int (*ties)[2];
    spVec3* rests;
    spReal* lambda; // x, y, z of every tie
    spReal compliance;
    spVec4* end;    // where it converges to
    spVec4* startX; // where it starts; multipliers start at 0
    spVec4* sweptX; // what the last sweep gave
    spReal* sweptLambda;
    int sweepCount, moveCount, measureCount;
    int badSweep; // the sweep with this number gives no numbers; 0 means none
} Net;

static spVec4* MakeNodes(Net* net)
{
    spVec4* nodes = spAllocZeroed(&net->heap, spArraySize(net->nodeCount, sizeof(spVec4)));
    assert_non_null(nodes);
    return nodes;
}

static int CountMultipliers(const Net* net)
{
    return 3 * net->tieCount;
}

static spReal* MakeMultipliers(Net* net)
{
    spReal* lambda = spAllocZeroed(&net->heap, spArraySize(CountMultipliers(net), sizeof(spReal)));
    assert_non_null(lambda);
    return lambda;
}

// x += M^-1 J^T increase
static void MoveNet(void* context, const spReal* increase)
{
    Net* net = context;
    net->moveCount += 1;
    for (int i = 0; i < net->tieCount; ++i)
    {
        spVec4* a = net->x + net->ties[i][0];
        spVec4* b = net->x + net->ties[i][1];
        const spReal* d = increase + 3 * i;
        *a = (spVec4){a->x - a->w * d[0], a->y - a->w * d[1], a->z - a->w * d[2], a->w};
        *b = (spVec4){b->x + b->w * d[0], b->y + b->w * d[1], b->z + b->w * d[2], b->w};
    }
}

// C + compliance lambda
static spVec3 GetResidual(const Net* net, const spVec4* x, const spReal* lambda, int tie)
{
    spVec4 a = x[net->ties[tie][0]], b = x[net->ties[tie][1]];
    spVec3 rest = net->rests[tie];
    const spReal* l = lambda + 3 * tie;
    return (spVec3){b.x - a.x - rest.x + net->compliance * l[0], b.y - a.y - rest.y + net->compliance * l[1],
                    b.z - a.z - rest.z + net->compliance * l[2]};
}

static double MeasureNet(void* context)
{
    Net* net = context;
    net->measureCount += 1;
    double sum = 0.0;
    for (int i = 0; i < net->tieCount; ++i)
    {
        spVec3 r = GetResidual(net, net->x, net->lambda, i);
        sum += (double)r.x * r.x + (double)r.y * r.y + (double)r.z * r.z;
    }
    return sqrt(sum);
}

static void SweepNet(void* context)
{
    Net* net = context;
    net->sweepCount += 1;
    for (int i = 0; i < net->tieCount; ++i)
    {
        spVec4* a = net->x + net->ties[i][0];
        spVec4* b = net->x + net->ties[i][1];
        spVec3 r = GetResidual(net, net->x, net->lambda, i);
        spReal s = -1 / (a->w + b->w + net->compliance);
        spVec3 d = {s * r.x, s * r.y, s * r.z};
        spReal* l = net->lambda + 3 * i;
        l[0] += d.x;
        l[1] += d.y;
        l[2] += d.z;
        // Not even the sign of a zero of a fixed node changes
        if (a->w > 0)
        {
            *a = (spVec4){a->x - a->w * d.x, a->y - a->w * d.y, a->z - a->w * d.z, a->w};
        }
        if (b->w > 0)
        {
            *b = (spVec4){b->x + b->w * d.x, b->y + b->w * d.y, b->z + b->w * d.z, b->w};
        }
    }
    if (net->sweepCount == net->badSweep)
    {
        net->x[net->nodeCount - 1].y = (spReal)NAN;
        net->lambda[CountMultipliers(net) - 1] = (spReal)NAN;
    }
    memcpy(net->sweptX, net->x, (size_t)net->nodeCount * sizeof(spVec4));
    memcpy(net->sweptLambda, net->lambda, (size_t)CountMultipliers(net) * sizeof(spReal));
}

// size^3 nodes 1 m apart, those with x = 0 fixed. Neighbours along edges, or also along diagonals.
static Net MakeNet(int size, bool diagonals, double compliance)
{
    Net net = {.heap = spMakeHeap(NULL), .nodeCount = size * size * size, .compliance = (spReal)compliance};
    net.x = MakeNodes(&net);
    net.end = MakeNodes(&net);
    net.startX = MakeNodes(&net);
    net.sweptX = MakeNodes(&net);
    net.mass = spAlloc(&net.heap, spArraySize(net.nodeCount, sizeof(spReal)));
    int capacity = 13 * net.nodeCount;
    net.ties = spAlloc(&net.heap, spArraySize(capacity, sizeof(net.ties[0])));
    net.rests = spAlloc(&net.heap, spArraySize(capacity, sizeof(spVec3)));
    uint64_t seed = 5;
    for (int i = 0; i < net.nodeCount; ++i)
    {
        int at[3] = {i / (size * size), i / size % size, i % size};
        net.mass[i] = (spReal)spRandomRange(&seed, 0.5, 2.0);
        spReal w = at[0] > 0 ? 1 / net.mass[i] : 0;
        net.end[i] = (spVec4){(spReal)at[0], (spReal)at[1], (spReal)at[2], w};
        // A bend, and something else at every node
        if (w > 0)
        {
            net.end[i].y += (spReal)(0.05 * at[0] * at[0] + spRandomRange(&seed, -0.1, 0.1));
            net.end[i].z += (spReal)spRandomRange(&seed, -0.1, 0.1);
        }
        for (int j = 0; j < i; ++j)
        {
            int other[3] = {j / (size * size), j / size % size, j % size}, steps = 0, widest = 0;
            for (int k = 0; k < 3; ++k)
            {
                int d = at[k] > other[k] ? at[k] - other[k] : other[k] - at[k];
                steps += d;
                widest = spMaxInt(widest, d);
            }
            if (widest == 1 && (diagonals || steps == 1))
            {
                net.ties[net.tieCount][0] = j;
                net.ties[net.tieCount][1] = i;
                net.rests[net.tieCount] = (spVec3){(spReal)(at[0] - other[0]), (spReal)(at[1] - other[1]),
                                                   (spReal)(at[2] - other[2])};
                net.tieCount += 1;
            }
        }
    }
    net.lambda = MakeMultipliers(&net);
    net.sweptLambda = MakeMultipliers(&net);
    for (int i = 0; i < net.tieCount; ++i)
    {
        spVec3 c = GetResidual(&net, net.end, net.lambda, i);
        const spReal s = 1 / net.compliance;
        spReal* l = net.sweptLambda + 3 * i;
        l[0] = s * c.x;
        l[1] = s * c.y;
        l[2] = s * c.z;
    }
    memcpy(net.x, net.end, (size_t)net.nodeCount * sizeof(spVec4));
    MoveNet(&net, net.sweptLambda);
    // A zero with a sign
    net.x[0].x = (spReal)-0.0;
    memcpy(net.startX, net.x, (size_t)net.nodeCount * sizeof(spVec4));
    net.moveCount = 0;
    return net;
}

static void FreeNet(Net* net)
{
    spFree(&net->heap, net->x);
    spFree(&net->heap, net->end);
    spFree(&net->heap, net->startX);
    spFree(&net->heap, net->sweptX);
    spFree(&net->heap, net->mass);
    spFree(&net->heap, net->ties);
    spFree(&net->heap, net->rests);
    spFree(&net->heap, net->lambda);
    spFree(&net->heap, net->sweptLambda);
    assert_int_equal(net->heap.byteCount, 0);
}

static void RestartNet(Net* net)
{
    memcpy(net->x, net->startX, (size_t)net->nodeCount * sizeof(spVec4));
    memset(net->lambda, 0, (size_t)CountMultipliers(net) * sizeof(spReal));
    net->sweepCount = 0;
    net->moveCount = 0;
    net->measureCount = 0;
}

static spIterate MakeIterate(Net* net)
{
    return (spIterate){.backend = spFindBackend(1),
                       .x = net->x,
                       .nodeCount = net->nodeCount,
                       .mass = net->mass,
                       .lambda = net->lambda,
                       .lambdaCount = CountMultipliers(net),
                       .context = net,
                       .sweep = SweepNet,
                       .measure = MeasureNet,
                       .move = MoveNet};
}

static spXpbdDef MakeDef(spAccelerator accelerator)
{
    return (spXpbdDef){.accelerator = accelerator,
                       .relaxation = (spReal)1.2,
                       .window = 5,
                       .conditionLimit = (spReal)1e6,
                       .safeguard = true,
                       .radius = (spReal)0.9,
                       .delay = 3};
}

static spAcceleratorState* MakeAccelerator(Net* net, const spXpbdDef* def)
{
    spAcceleratorState* state =
        spCreateAccelerator(&net->heap, def, net->nodeCount, CountMultipliers(net), CountMultipliers(net));
    assert_non_null(state);
    spResetAccelerator(state);
    return state;
}

// Root of the mean square of the way to the end
static double GetDistance(const Net* net)
{
    double sum = 0.0;
    for (int i = 0; i < net->nodeCount; ++i)
    {
        double dx = (double)(net->x[i].x - net->end[i].x), dy = (double)(net->x[i].y - net->end[i].y),
               dz = (double)(net->x[i].z - net->end[i].z);
        sum += dx * dx + dy * dy + dz * dz;
    }
    return sqrt(sum / net->nodeCount);
}

static bool IsFinite(const Net* net)
{
    return isfinite(GetDistance(net)) && isfinite(MeasureNet((void*)net));
}

// Sweeps until the distance has come down to this share; 10000 when it never does
static int CountSweeps(Net* net, const spXpbdDef* def, double share)
{
    RestartNet(net);
    spIterate iterate = MakeIterate(net);
    spAcceleratorState* state = MakeAccelerator(net, def);
    double goal = share * GetDistance(net);
    int count = 0;
    while (GetDistance(net) > goal && count < 10000)
    {
        spAccelerateSweep(state, &iterate, false);
        count += 1;
    }
    spAcceleratorReport report = spGetAcceleratorReport(state);
    print_message("accelerator %d window %d: %d sweeps, %d rejected, window used %d\n", def->accelerator,
                  def->window, count, report.rejected, report.windowUsed);
    spDestroyAccelerator(&net->heap, state);
    return count;
}

static void TestConvergence(void** state)
{
    SP_UNUSED(state);
    const double share = isDouble ? 1e-6 : 1e-4;
    Net net = MakeNet(7, false, 1e-2);
    spXpbdDef def = MakeDef(sp_accelerateNone);
    int plain = CountSweeps(&net, &def, share);
    assert_in_range(plain, 300, 9999);
    def.accelerator = sp_accelerateAnderson;
    def.window = 1;
    assert_in_range(CountSweeps(&net, &def, share), 1, plain * 2 / 3);
    def.window = 5;
    assert_in_range(CountSweeps(&net, &def, share), 1, plain / 6);
    def.window = 10;
    assert_in_range(CountSweeps(&net, &def, share), 1, plain / 6);
    def.accelerator = sp_accelerateChebyshev;
    assert_in_range(CountSweeps(&net, &def, share), 1, plain * 2 / 3);
    def.accelerator = sp_accelerateLambdaSor;
    assert_in_range(CountSweeps(&net, &def, share), 1, plain * 9 / 10);
    def.accelerator = sp_accelerateAndersonPrinted;
    def.relaxation = 3;
    def.window = 5;
    assert_in_range(CountSweeps(&net, &def, share), 1, plain / 2);
    FreeNet(&net);
}

// Many multipliers balance each other: positions alone do not tell how far they are
static void TestBalancedMultipliers(void** state)
{
    SP_UNUSED(state);
    Net net = MakeNet(7, true, 0.1);
    spXpbdDef def = MakeDef(sp_accelerateNone);
    int plain = CountSweeps(&net, &def, isDouble ? 1e-6 : 1e-4);
    def.accelerator = sp_accelerateAnderson;
    assert_in_range(CountSweeps(&net, &def, isDouble ? 1e-6 : 1e-4), 1, plain / 4);
    FreeNet(&net);
}

// A linear map with two free nodes on a line is solved by as many differences, but for rounding
static void TestFewUnknowns(void** state)
{
    SP_UNUSED(state);
    Net net = MakeNet(2, false, 0.01);
    // Nodes 0 and 1 are fixed, 4 and 5 are not, the others do not count
    const int nodeCount = net.nodeCount, tieCount = net.tieCount, ties[3][2] = {{0, 4}, {4, 5}, {1, 5}};
    net.nodeCount = 6;
    net.tieCount = 3;
    for (int i = 0; i < 3; ++i)
    {
        memcpy(net.ties[i], ties[i], sizeof(ties[i]));
        net.rests[i] = (spVec3){0};
    }
    for (int i = 0; i < 6; ++i)
    {
        net.startX[i] = (spVec4){i == 4 ? 1 : i == 5 ? (spReal)-0.3 : 0, 0, 0, i >= 4 ? 1 : 0};
        net.mass[i] = 1;
    }
    RestartNet(&net);
    spIterate iterate = MakeIterate(&net);
    spXpbdDef def = MakeDef(sp_accelerateAnderson);
    def.conditionLimit = (spReal)1e12;
    spAcceleratorState* accelerator = MakeAccelerator(&net, &def);
    for (int i = 0; i < 5; ++i)
    {
        spAccelerateSweep(accelerator, &iterate, i == 4);
    }
    double fast = MeasureNet(&net);
    RestartNet(&net);
    double start = MeasureNet(&net);
    for (int i = 0; i < 5; ++i)
    {
        SweepNet(&net);
    }
    print_message("residual %.3g at the start, %.3g after five sweeps, %.3g accelerated\n", start,
                  MeasureNet(&net), fast);
    CHECK_LESS(fast, (isDouble ? 1e-8 : 1e-5) * start);
    CHECK_LESS(1e-3 * start, MeasureNet(&net));
    spDestroyAccelerator(&net.heap, accelerator);
    net.nodeCount = nodeCount;
    net.tieCount = tieCount;
    FreeNet(&net);
}

// What the formulas say, from what was before and what the sweep gave
static void CheckRelaxed(const Net* net, const spVec4* baseX, const spReal* baseLambda, double weightX,
                         double weightLambda)
{
    const double tolerance = isDouble ? 1e-13 : 1e-5;
    for (int i = 0; i < net->nodeCount; ++i)
    {
        double base = (double)baseX[i].y, swept = (double)net->sweptX[i].y;
        CHECK_NEAR(net->x[i].y, base + weightX * (swept - base), tolerance);
    }
    for (int i = 0; i < CountMultipliers(net); ++i)
    {
        double base = (double)baseLambda[i], swept = (double)net->sweptLambda[i];
        CHECK_NEAR(net->lambda[i], base + weightLambda * (swept - base), tolerance);
    }
}

static void TestRelaxation(void** state)
{
    SP_UNUSED(state);
    Net net = MakeNet(4, false, 0.1);
    size_t nodeSize = (size_t)net.nodeCount * sizeof(spVec4);
    size_t lambdaSize = (size_t)CountMultipliers(&net) * sizeof(spReal);
    spIterate iterate = MakeIterate(&net);
    spVec4* before[6];
    spReal* beforeLambda[6];
    for (int i = 0; i < 6; ++i)
    {
        before[i] = MakeNodes(&net);
        beforeLambda[i] = MakeMultipliers(&net);
    }
    const spAccelerator accelerators[] = {sp_accelerateSor, sp_accelerateLambdaSor, sp_accelerateChebyshev};
    for (int k = 0; k < SP_COUNT(accelerators); ++k)
    {
        spXpbdDef def = MakeDef(accelerators[k]);
        spAcceleratorState* accelerator = MakeAccelerator(&net, &def);
        RestartNet(&net);
        double omega = 1.0;
        for (int i = 0; i < 6; ++i)
        {
            memcpy(before[i], net.x, nodeSize);
            memcpy(beforeLambda[i], net.lambda, lambdaSize);
            spAccelerateSweep(accelerator, &iterate, false);
            if (accelerators[k] == sp_accelerateSor)
            {
                CheckRelaxed(&net, before[i], beforeLambda[i], 1.2, 1.0);
            }
            else if (accelerators[k] == sp_accelerateLambdaSor)
            {
                // Ties are linear: positions follow multipliers
                CheckRelaxed(&net, before[i], beforeLambda[i], 1.2, 1.2);
                assert_int_equal(net.moveCount, i + 1);
            }
            else
            {
                omega = i < 3 ? 1.0 : i == 3 ? 2.0 / (2.0 - 0.81) : 4.0 / (4.0 - 0.81 * omega);
                int old = spMaxInt(i - 1, 0);
                CheckRelaxed(&net, before[old], beforeLambda[old], omega, omega);
            }
        }
        spDestroyAccelerator(&net.heap, accelerator);
    }
    for (int i = 0; i < 6; ++i)
    {
        spFree(&net.heap, before[i]);
        spFree(&net.heap, beforeLambda[i]);
    }
    FreeNet(&net);
}

// Algorithms 2.3 and 2.4 of Boukadida 2020 word for word, for a window of 2
static void TestPrinted(void** state)
{
    SP_UNUSED(state);
    Net net = MakeNet(4, false, 0.02), other = MakeNet(4, false, 0.02);
    const int n = CountMultipliers(&net);
    spXpbdDef def = MakeDef(sp_accelerateAndersonPrinted);
    def.window = 2;
    def.relaxation = 2;
    spAcceleratorState* accelerator = MakeAccelerator(&net, &def);
    spIterate iterate = MakeIterate(&net);
    spReal* increases[4]; // newest first
    for (int i = 0; i < 4; ++i)
    {
        increases[i] = MakeMultipliers(&net);
    }
    size_t lambdaSize = (size_t)n * sizeof(spReal), nodeSize = (size_t)net.nodeCount * sizeof(spVec4);
    spReal* before = MakeMultipliers(&net);
    spReal* trial = MakeMultipliers(&net);
    spVec4* beforeX = MakeNodes(&net);
    int rejected = 0;
    for (int sweep = 0; sweep < 12; ++sweep)
    {
        if (sweep >= 4)
        {
            double a[2][2] = {{0}}, b[2] = {0};
            for (int i = 0; i < n; ++i)
            {
                double e[3], de[2];
                for (int j = 0; j < 3; ++j)
                {
                    e[j] = (double)increases[j][i] - (double)increases[j + 1][i];
                }
                de[0] = e[0] - e[1];
                de[1] = e[1] - e[2];
                for (int j = 0; j < 2; ++j)
                {
                    b[j] += de[j] * e[0];
                    a[j][0] += de[j] * de[0];
                    a[j][1] += de[j] * de[1];
                }
            }
            double det = a[0][0] * a[1][1] - a[0][1] * a[1][0];
            double theta[2] = {(b[0] * a[1][1] - b[1] * a[0][1]) / det,
                               (b[1] * a[0][0] - b[0] * a[1][0]) / det};
            double residual = MeasureNet(&other);
            memcpy(before, other.lambda, lambdaSize);
            memcpy(beforeX, other.x, nodeSize);
            for (int i = 0; i < n; ++i)
            {
                double mixed = (double)increases[0][i];
                for (int j = 0; j < 2; ++j)
                {
                    mixed -= theta[j] * ((double)increases[j][i] - (double)increases[j + 1][i]);
                }
                trial[i] = (spReal)(2.0 * mixed);
                other.lambda[i] += trial[i];
            }
            MoveNet(&other, trial);
            if (MeasureNet(&other) >= residual)
            {
                rejected += 1;
                memcpy(other.lambda, before, lambdaSize);
                memcpy(other.x, beforeX, nodeSize);
            }
        }
        memcpy(before, other.lambda, lambdaSize);
        SweepNet(&other);
        spReal* oldest = increases[3];
        memmove(increases + 1, increases, 3 * sizeof(increases[0]));
        increases[0] = oldest;
        for (int i = 0; i < n; ++i)
        {
            oldest[i] = other.lambda[i] - before[i];
        }
        spAccelerateSweep(accelerator, &iterate, false);
        for (int i = 0; i < net.nodeCount; ++i)
        {
            CHECK_NEAR(net.x[i].y, other.x[i].y, isDouble ? 1e-10 : 1e-3);
        }
    }
    assert_int_equal(net.moveCount, 8);
    assert_int_equal(net.measureCount, 16);
    assert_int_equal(spGetAcceleratorReport(accelerator).rejected, rejected);
    assert_int_equal(spGetAcceleratorReport(accelerator).windowUsed, 2);
    spDestroyAccelerator(&net.heap, accelerator);
    // Without the safeguard nothing is measured
    def.safeguard = false;
    accelerator = MakeAccelerator(&net, &def);
    RestartNet(&net);
    for (int sweep = 0; sweep < 6; ++sweep)
    {
        spAccelerateSweep(accelerator, &iterate, sweep == 5);
    }
    assert_int_equal(net.moveCount, 2);
    assert_int_equal(net.measureCount, 0);
    spDestroyAccelerator(&net.heap, accelerator);
    for (int i = 0; i < 4; ++i)
    {
        spFree(&net.heap, increases[i]);
    }
    spFree(&net.heap, before);
    spFree(&net.heap, trial);
    spFree(&net.heap, beforeX);
    FreeNet(&net);
    FreeNet(&other);
}

static uint64_t HashNet(const Net* net)
{
    uint64_t hash = spHashBytes(SP_HASH_SEED, net->x, (size_t)net->nodeCount * sizeof(spVec4));
    return spHashBytes(hash, net->lambda, (size_t)CountMultipliers(net) * sizeof(spReal));
}

static void TestThreads(void** state)
{
    SP_UNUSED(state);
    Net net = MakeNet(17, false, 1e-2);
    for (int k = 1; k < sp_acceleratorCount; ++k)
    {
        spXpbdDef def = MakeDef((spAccelerator)k);
        def.window = 3;
        uint64_t expected = 0;
        for (int workers = 1; workers <= 3; ++workers)
        {
            spTeamDef teamDef = {.workerCount = workers};
            spTeam* team = spCreateTeam(&net.heap, &teamDef, NULL);
            assert_non_null(team);
            spAcceleratorState* accelerator = MakeAccelerator(&net, &def);
            spIterate iterate = MakeIterate(&net);
            iterate.team = team;
            RestartNet(&net);
            spBeginTeam(team);
            for (int i = 0; i < 12; ++i)
            {
                spAccelerateSweep(accelerator, &iterate, i == 11);
            }
            spEndTeam(team);
            uint64_t hash = HashNet(&net);
            expected = workers == 1 ? hash : expected;
            assert_int_equal(hash, expected);
            spDestroyAccelerator(&net.heap, accelerator);
            spDestroyTeam(&net.heap, team);
        }
    }
    FreeNet(&net);
}

// Inverse masses and fixed nodes keep all of their bits, whatever happens
static void CheckUntouched(const Net* net)
{
    for (int i = 0; i < net->nodeCount; ++i)
    {
        assert_memory_equal(&net->x[i].w, &net->startX[i].w, sizeof(spReal));
        if (net->startX[i].w == 0)
        {
            assert_memory_equal(net->x + i, net->startX + i, sizeof(spVec4));
        }
    }
}

// The last sweep is left as it is, the others are not; and a reset forgets
static void TestLast(void** state)
{
    SP_UNUSED(state);
    Net net = MakeNet(5, false, 1e-2);
    size_t nodeSize = (size_t)net.nodeCount * sizeof(spVec4);
    for (int k = 0; k < sp_acceleratorCount; ++k)
    {
        spXpbdDef def = MakeDef((spAccelerator)k);
        spAcceleratorState* accelerator = MakeAccelerator(&net, &def);
        spIterate iterate = MakeIterate(&net);
        uint64_t expected = 0;
        for (int round = 0; round < 3; ++round)
        {
            RestartNet(&net);
            for (int i = 0; i < 10; ++i)
            {
                spAccelerateSweep(accelerator, &iterate, i == 9);
                bool plain = k == sp_accelerateNone || k == sp_accelerateAndersonPrinted || i == 9;
                assert_true(plain == false || memcmp(net.x, net.sweptX, nodeSize) == 0);
                assert_true(plain || i < 4 || memcmp(net.x, net.sweptX, nodeSize) != 0);
                CheckUntouched(&net);
            }
            assert_memory_equal(net.lambda, net.sweptLambda, (size_t)CountMultipliers(&net) * sizeof(spReal));
            assert_int_equal(net.sweepCount, 10);
            expected = round == 0 ? HashNet(&net) : expected;
            assert_int_equal(HashNet(&net), expected);
            // The second round follows a last sweep alone, the third a reset in the middle
            if (round == 1)
            {
                spAccelerateSweep(accelerator, &iterate, false);
                spAccelerateSweep(accelerator, &iterate, false);
                spResetAccelerator(accelerator);
                spAcceleratorReport report = spGetAcceleratorReport(accelerator);
                assert_int_equal(report.windowUsed, 0);
                assert_true(report.mixSeconds == 0.0);
            }
        }
        assert_true(spGetAcceleratorReport(accelerator).mixSeconds > 0.0 || k == sp_accelerateNone);
        spDestroyAccelerator(&net.heap, accelerator);
    }
    FreeNet(&net);
}

static void SweepNothing(void* context)
{
    SP_UNUSED(context);
}

// All nodes go half of the way to 0: every difference points the same way
static void SweepHalf(void* context)
{
    Net* net = context;
    for (int i = 0; i < net->nodeCount; ++i)
    {
        spVec4* x = net->x + i;
        *x = x->w > 0 ? (spVec4){x->x / 2, x->y / 2, x->z / 2, x->w} : *x;
    }
}

static void TestDuplicates(void** state)
{
    SP_UNUSED(state);
    Net net = MakeNet(5, false, 1e-2);
    for (int k = 0; k < sp_acceleratorCount; ++k)
    {
        spXpbdDef def = MakeDef((spAccelerator)k);
        def.conditionLimit = (spReal)1e30;
        spAcceleratorState* accelerator = MakeAccelerator(&net, &def);
        spIterate iterate = MakeIterate(&net);
        iterate.sweep = SweepNothing;
        RestartNet(&net);
        uint64_t expected = HashNet(&net);
        for (int i = 0; i < 12; ++i)
        {
            spAccelerateSweep(accelerator, &iterate, i == 11);
            assert_int_equal(HashNet(&net), expected);
        }
        spAcceleratorReport report = spGetAcceleratorReport(accelerator);
        assert_int_equal(report.windowUsed, 0);
        assert_false(report.diverged);

        spResetAccelerator(accelerator);
        iterate.sweep = SweepHalf;
        for (int i = 0; i < 12; ++i)
        {
            spAccelerateSweep(accelerator, &iterate, false);
            assert_true(IsFinite(&net));
            CheckUntouched(&net);
        }
        report = spGetAcceleratorReport(accelerator);
        assert_in_range(report.windowUsed, 0, 1);
        assert_false(report.diverged);
        spDestroyAccelerator(&net.heap, accelerator);
    }
    FreeNet(&net);
}

// A narrow condition limit leaves out old differences
static void TestConditionLimit(void** state)
{
    SP_UNUSED(state);
    Net net = MakeNet(5, false, 1e-2);
    int used[2] = {0};
    for (int k = 0; k < 2; ++k)
    {
        spXpbdDef def = MakeDef(sp_accelerateAnderson);
        def.window = 8;
        def.conditionLimit = k == 0 ? 2 : (spReal)1e12;
        spAcceleratorState* accelerator = MakeAccelerator(&net, &def);
        spIterate iterate = MakeIterate(&net);
        RestartNet(&net);
        for (int i = 0; i < 15; ++i)
        {
            spAccelerateSweep(accelerator, &iterate, false);
        }
        used[k] = spGetAcceleratorReport(accelerator).windowUsed;
        spDestroyAccelerator(&net.heap, accelerator);
    }
    print_message("window used %d and %d of 8\n", used[0], used[1]);
    assert_in_range(used[0], 1, 5);
    assert_int_equal(used[1], 8);
    FreeNet(&net);
}

// Multipliers blown up: stopped, told, and gone on with from the start
static void TestDivergence(void** state)
{
    SP_UNUSED(state);
    Net net = MakeNet(5, false, 1e-3);
    const spAccelerator accelerators[] = {sp_accelerateLambdaSor, sp_accelerateSor,
                                          sp_accelerateAndersonPrinted};
    for (int k = 0; k < SP_COUNT(accelerators); ++k)
    {
        spXpbdDef def = MakeDef(accelerators[k]);
        def.relaxation = 30;
        def.safeguard = false;
        spAcceleratorState* accelerator = MakeAccelerator(&net, &def);
        spIterate iterate = MakeIterate(&net);
        RestartNet(&net);
        double start = MeasureNet(&net);
        int stopped = 0;
        for (int i = 0; i < 60; ++i)
        {
            spAccelerateSweep(accelerator, &iterate, i == 59);
            stopped += spGetAcceleratorReport(accelerator).diverged ? 1 : 0;
            CheckUntouched(&net);
        }
        print_message("accelerator %d: plain for the last %d of 60\n", accelerators[k], stopped);
        assert_in_range(stopped, 10, 59);
        assert_int_equal(net.sweepCount, 61);
        uint64_t hash = HashNet(&net);
        CHECK_LESS(MeasureNet(&net), start);
        RestartNet(&net);
        for (int i = 0; i < stopped; ++i)
        {
            SweepNet(&net);
        }
        assert_int_equal(HashNet(&net), hash);
        spResetAccelerator(accelerator);
        assert_false(spGetAcceleratorReport(accelerator).diverged);
        spDestroyAccelerator(&net.heap, accelerator);
    }
    FreeNet(&net);
}

// A sweep that gives no numbers: with the safeguard the mixture before it is taken back, else all is
static void TestNotNumbers(void** state)
{
    SP_UNUSED(state);
    Net net = MakeNet(5, false, 1e-2);
    for (int k = 1; k < sp_acceleratorCount; ++k)
    {
        for (int safeguard = 0; safeguard < 2; ++safeguard)
        {
            spXpbdDef def = MakeDef((spAccelerator)k);
            def.safeguard = safeguard != 0;
            spAcceleratorState* accelerator = MakeAccelerator(&net, &def);
            spIterate iterate = MakeIterate(&net);
            RestartNet(&net);
            net.badSweep = 6;
            for (int i = 0; i < 10; ++i)
            {
                spAccelerateSweep(accelerator, &iterate, i == 9);
                assert_true(IsFinite(&net));
            }
            net.badSweep = 0;
            spAcceleratorReport report = spGetAcceleratorReport(accelerator);
            bool judged = k == sp_accelerateAnderson && safeguard != 0;
            assert_true(report.diverged == (judged == false));
            assert_true(judged == false || report.rejected == 1);
            CheckUntouched(&net);
            spDestroyAccelerator(&net.heap, accelerator);
        }
    }
    FreeNet(&net);
}

// A slope that ends at a wall: mixtures jump through it, and are thrown far
static void SweepWall(void* context)
{
    Net* net = context;
    for (int i = 0; i < net->nodeCount; ++i)
    {
        spVec4* x = net->x + i;
        x->z = x->z > 1 ? (spReal)0.9 * x->z : x->z + 200 * (1 - x->z);
    }
}

static void TestSafeguard(void** state)
{
    SP_UNUSED(state);
    Net net = MakeNet(3, false, 1e-2);
    spXpbdDef def = MakeDef(sp_accelerateAnderson);
    spAcceleratorState* accelerator = MakeAccelerator(&net, &def);
    spIterate iterate = MakeIterate(&net);
    iterate.sweep = SweepWall;
    for (int i = 0; i < net.nodeCount; ++i)
    {
        net.x[i] = (spVec4){0, 0, 10, 1 / net.mass[i]};
    }
    // The second sweep gives 8.1, and its mixture 0. The third one is thrown to 200, and taken back.
    spAccelerateSweep(accelerator, &iterate, false);
    spAccelerateSweep(accelerator, &iterate, false);
    CHECK_NEAR(net.x[0].z, 0, 1e-3);
    spAccelerateSweep(accelerator, &iterate, false);
    CHECK_NEAR(net.x[0].z, 8.1, 1e-3);
    assert_int_equal(spGetAcceleratorReport(accelerator).rejected, 1);
    assert_false(spGetAcceleratorReport(accelerator).diverged);
    // The pair before it is kept: the next sweep is mixed with it. That one is the last, and taken back too.
    spAccelerateSweep(accelerator, &iterate, false);
    CHECK_NEAR(net.x[0].z, 0, 1e-3);
    spAccelerateSweep(accelerator, &iterate, true);
    CHECK_NEAR(net.x[0].z, 7.29, 1e-3);
    assert_int_equal(spGetAcceleratorReport(accelerator).rejected, 2);
    spDestroyAccelerator(&net.heap, accelerator);

    def.safeguard = false;
    accelerator = MakeAccelerator(&net, &def);
    for (int i = 0; i < 3; ++i)
    {
        for (int node = 0; node < net.nodeCount && i == 0; ++node)
        {
            net.x[node].z = 10;
        }
        spAccelerateSweep(accelerator, &iterate, i == 2);
    }
    CHECK_NEAR(net.x[0].z, 200, 0.1);
    assert_int_equal(spGetAcceleratorReport(accelerator).rejected, 0);
    spDestroyAccelerator(&net.heap, accelerator);
    FreeNet(&net);
}

// No multipliers, no nodes, less than one row of the sample
static void TestSmall(void** state)
{
    SP_UNUSED(state);
    Net net = MakeNet(2, false, 1e-2);
    const int nodeCount = net.nodeCount, tieCount = net.tieCount, counts[3][2] = {{8, 0}, {0, 0}, {8, 1}};
    for (int k = 0; k < sp_acceleratorCount; ++k)
    {
        for (int i = 0; i < 3; ++i)
        {
            net.nodeCount = counts[i][0];
            net.tieCount = counts[i][1];
            spXpbdDef def = MakeDef((spAccelerator)k);
            spAcceleratorState* accelerator = MakeAccelerator(&net, &def);
            spIterate iterate = MakeIterate(&net);
            RestartNet(&net);
            for (int sweep = 0; sweep < 12; ++sweep)
            {
                spAccelerateSweep(accelerator, &iterate, sweep == 11);
            }
            assert_true(isfinite(MeasureNet(&net)));
            assert_false(spGetAcceleratorReport(accelerator).diverged);
            spDestroyAccelerator(&net.heap, accelerator);
        }
    }
    spDestroyAccelerator(&net.heap, NULL);
    net.nodeCount = nodeCount;
    net.tieCount = tieCount;
    FreeNet(&net);
}

// An allocator that gives out so many blocks
static void* AllocSome(size_t size, size_t alignment, void* context)
{
    int* left = context;
    *left -= 1;
    return *left >= 0 ? aligned_alloc(alignment, size) : NULL;
}

static void FreeSome(void* memory, size_t size, void* context)
{
    SP_UNUSED(size);
    SP_UNUSED(context);
    free(memory);
}

static void TestNoMemory(void** state)
{
    SP_UNUSED(state);
    for (int k = 0; k < sp_acceleratorCount; ++k)
    {
        spXpbdDef def = MakeDef((spAccelerator)k);
        spAcceleratorState* accelerator = NULL;
        int blocks = 0;
        for (; accelerator == NULL; ++blocks)
        {
            assert_in_range(blocks, 0, 100);
            int left = blocks;
            spAllocator allocator = {.alloc = AllocSome, .free = FreeSome, .context = &left};
            spHeap heap = spMakeHeap(&allocator);
            accelerator = spCreateAccelerator(&heap, &def, 100, 300, 300);
            spDestroyAccelerator(&heap, accelerator);
            assert_int_equal(heap.byteCount, 0);
        }
        // The state alone, or arrays too
        assert_true(k == sp_accelerateNone ? blocks == 2 : blocks > 4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestConvergence),    cmocka_unit_test(TestBalancedMultipliers),
        cmocka_unit_test(TestFewUnknowns),    cmocka_unit_test(TestRelaxation),
        cmocka_unit_test(TestPrinted),        cmocka_unit_test(TestThreads),
        cmocka_unit_test(TestLast),           cmocka_unit_test(TestDuplicates),
        cmocka_unit_test(TestConditionLimit), cmocka_unit_test(TestDivergence),
        cmocka_unit_test(TestNotNumbers),     cmocka_unit_test(TestSafeguard),
        cmocka_unit_test(TestSmall),          cmocka_unit_test(TestNoMemory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
