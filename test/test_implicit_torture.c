// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Implicit methods where they have a hard time: a grid of materials and steps, with masses that differ by
// 1e6, slivers, bodies that start inside out or flat, and pins that are torn away. Every run must stay finite
// and bounded and lose energy, or the step must say that something went wrong. One linearisation in a step
// may gain energy where elements are stretched or crushed to several times their size: those runs are
// counted.

#include "base/core.h"
#include "testbed/check.h"
#include "testbed/worlds.h"

#include <stdlib.h>

#ifdef SOUPLE_DOUBLE_PRECISION
static const bool isDouble = true;
#else
static const bool isDouble = false;
#endif

// Every so manieth of the cases: strides that share no factor with the numbers of settings meet all of them.
// SOUPLE_TORTURE=1 in the environment runs every case. Builds with asserts and sanitizers are slow.
#ifdef NDEBUG
static const int sampled = 7;
#else
static const int sampled = 53;
#endif

static int GetStride(void)
{
    const char* whole = getenv("SOUPLE_TORTURE");
    return whole != NULL && whole[0] != 0 ? 1 : sampled;
}

typedef enum Trouble
{
    troubleNone,
    troubleMasses,   // neighbours of 1 g and 1 t
    troubleSlivers,  // a thousandth as thick as it is long
    troubleInverted, // starts mirrored
    troubleFlat,     // starts in a plane
    troubleJerk,     // pins move by 1 m in one step
    troubleCount
} Trouble;

static const char* const troubleNames[troubleCount] = {"none",     "masses 1e6", "slivers",
                                                       "inverted", "flat",       "jerk"};

// How a run ended
typedef enum Outcome
{
    outcomeSettled, // and without a word
    outcomeMoving,  // finite, bounded, has not gained energy; still on its way
    outcomeSaid,    // some step said that it was not solved, or the body was stopped
    outcomeGained,  // finite and bounded, but has gained energy without a word
    outcomeWrong,   // none of these
    outcomeCount
} Outcome;

typedef struct Case
{
    double young;
    double dt;
    double poisson;
    spTetLaw law;
    spMethodType type;
    Trouble trouble;
    int newtonSteps;
} Case;

enum
{
    nodeCount = 20,
    pinCount = 4,
    stepCount = 60,
    jerkStep = 10,
};

static spWorld* BuildCase(const Case* c, spBodyId* body)
{
    spWorldDef worldDef = spDefaultWorldDef();
    spWorld* world = spCreateWorld(&worldDef, NULL);
    spBoxMeshDef meshDef = spDefaultBoxMeshDef();
    meshDef.origin = (spDVec3){0.0, 0.0, 0.0};
    meshDef.size = (spDVec3){1.0, c->trouble == troubleSlivers ? 1e-3 : 0.25, 0.25};
    meshDef.cells[0] = 4;
    meshDef.cells[1] = meshDef.cells[2] = 1;
    spMesh* mesh = spMakeBoxMesh(&meshDef, NULL);
    assert_int_equal(spMesh_GetVertexCount(mesh), nodeCount);
    spReal masses[nodeCount];
    for (int i = 0; i < nodeCount; ++i)
    {
        masses[i] = i % 2 == 0 ? (spReal)1e-3 : (spReal)1e3;
    }
    spBodyDef bodyDef = spDefaultBodyDef();
    bodyDef.mesh = mesh;
    bodyDef.nodeMasses = c->trouble == troubleMasses ? masses : NULL;
    bodyDef.method.type = c->type;
    bodyDef.method.solver.newtonSteps = c->newtonSteps;
    *body = spCreateBody(world, &bodyDef);
    spTetDef tets = spDefaultTetDef();
    tets.law = c->law;
    tets.youngModulus = (spReal)c->young;
    tets.poissonRatio = (spReal)c->poisson;
    tets.damping = (spReal)0.01;
    assert_int_equal(spBody_AddTets(world, *body, &tets), 0);
    spDestroyMesh(mesh);
    int32_t pins[pinCount] = {0, 1, 2, 3};
    assert_true(spBody_PinNodes(world, *body, pins, pinCount));
    spVec3 x[nodeCount];
    spBody_CopyPositions(world, *body, x, nodeCount);
    for (int i = pinCount; i < nodeCount; ++i)
    {
        x[i].z = c->trouble == troubleInverted ? (spReal)0.25 - x[i].z : x[i].z;
        x[i].y = c->trouble == troubleFlat ? (spReal)0.125 : x[i].y;
    }
    assert_true(spBody_SetPositions(world, *body, x, nodeCount));
    return world;
}

static double GetTotalEnergy(const spWorld* world, spBodyId body, double* kinetic)
{
    spEnergy e = spBody_GetEnergy(world, body);
    *kinetic = e.kinetic;
    return e.kinetic + e.elastic + e.potential;
}

static Outcome RunCase(const Case* c, double* gain, double* reach)
{
    spBodyId body;
    spWorld* world = BuildCase(c, &body);
    spVec3 start[nodeCount], x[nodeCount];
    spBody_CopyPositions(world, body, start, nodeCount);
    double kinetic = 0.0, most = 0.0, first = GetTotalEnergy(world, body, &kinetic), last = first,
           least = first;
    uint32_t flags = 0;
    bool finite = true;
    *reach = 0.0;
    for (int i = 0; i < stepCount; ++i)
    {
        for (int32_t node = 0; c->trouble == troubleJerk && i == jerkStep && node < pinCount; ++node)
        {
            spVec3 target = {start[node].x, start[node].y + 1, start[node].z};
            assert_true(spBody_DriveNode(world, body, node, target));
        }
        flags |= spWorld_Step(world, (spReal)c->dt);
        last = GetTotalEnergy(world, body, &kinetic);
        if (c->trouble == troubleJerk && i <= jerkStep + 1)
        {
            first = last;
        }
        least = fmin(least, last);
        most = fmax(most, kinetic);
        spBody_CopyPositions(world, body, x, nodeCount);
        for (int k = 0; k < nodeCount; ++k)
        {
            double dx = (double)x[k].x - (double)start[k].x, dy = (double)x[k].y - (double)start[k].y;
            double way = hypot(hypot(dx, dy), (double)x[k].z - (double)start[k].z);
            finite = finite && isfinite(way);
            *reach = fmax(*reach, way);
        }
    }
    double time = c->dt * stepCount, fall = 0.5 * 9.81 * time * time;
    double mass = c->trouble == troubleMasses ? 1e4 : c->trouble == troubleSlivers ? 0.25 : 62.5;
    double section = c->trouble == troubleSlivers ? 2.5e-4 : 0.0625;
    double stretch = 2.0 * mass * 9.81 / (c->young * section);
    // From flat or mirrored it may leap
    double leap = c->trouble == troubleFlat || c->trouble == troubleInverted ? 10.0 : 4.0;
    double allowed = leap + (c->trouble == troubleJerk ? 4.0 : 0.0) + 1.5 * fmin(fall, stretch);
    // What rounding makes of the energy: of positions, by the stiffness, and in the sum of the energy itself,
    // which for rubber is a small difference of large numbers
    double epsilon = isDouble ? 2.2e-16 : 1.2e-7,
           strain = epsilon / (c->trouble == troubleSlivers ? 1e-3 : 0.25);
    double noise =
        c->young * section * (20.0 * strain * strain + (c->law == sp_tetNeoHookean ? epsilon : 0.0)) +
        (isDouble ? 1e-9 : 1e-2) * (fabs(first) + mass * 9.81 * fmin(fall, 1.0));
    *gain = (last - first) / (fabs(first - least) + noise);
    spDestroyWorld(world);
    if (flags != 0)
    {
        return outcomeSaid;
    }
    if (finite == false || *reach > allowed)
    {
        return outcomeWrong;
    }
    if (last > first + noise)
    {
        return outcomeGained;
    }
    return kinetic <= 0.05 * most ? outcomeSettled : outcomeMoving;
}

static void TestGrid(void** state)
{
    SP_UNUSED(state);
    double youngs[] = {1e2, 1e4, 1e6, 1e8, 1e10}, steps[] = {1e-4, 1e-3, 1.0 / 60.0, 1.0 / 15.0};
    const double poissons[] = {0.0, 0.45};
    const spTetLaw laws[] = {sp_tetCorotational, sp_tetNeoHookean, sp_tetStVenantKirchhoff};
    const spMethodType types[] = {sp_backwardEuler, sp_bdf2};
    int counts[troubleCount][3][outcomeCount] = {{{0}}}, wrong = 0, gained = 0;
    for (int i = 0; i < 5 * 4 * 2 * 3 * 2 * troubleCount * 2; i += GetStride())
    {
        int law = i / 80 % 3;
        Case c = {.young = youngs[i % 5],
                  .dt = steps[i / 5 % 4],
                  .poisson = poissons[i / 20 % 2],
                  .type = types[i / 40 % 2],
                  .law = laws[law],
                  .trouble = (Trouble)(i / 240 % troubleCount),
                  .newtonSteps = i / (240 * troubleCount) == 0 ? 1 : 4};
        double gain, reach;
        Outcome outcome = RunCase(&c, &gain, &reach);
        counts[c.trouble][law][outcome] += 1;
        bool exact = c.newtonSteps > 1;
        wrong += outcome == outcomeWrong || (outcome == outcomeGained && exact) ? 1 : 0;
        gained += outcome == outcomeGained && exact == false ? 1 : 0;
        if (outcome >= outcomeGained)
        {
            printf(
                "%s: %s, law %s, method %d, newton %d, E %g Pa, nu %g, dt %g s: energy %+.2g, reaches %g m\n",
                outcome == outcomeWrong ? "wrong" : "gains", troubleNames[c.trouble], spGetTetLawName(c.law),
                (int)c.type, c.newtonSteps, c.young, c.poisson, c.dt, gain, reach);
        }
    }
    printf("%-12s %-20s %8s %8s %8s %8s %8s\n", "trouble", "law", "settled", "moving", "said so", "gained",
           "wrong");
    for (int i = 0; i < troubleCount * 3; ++i)
    {
        const int* n = counts[i / 3][i % 3];
        printf("%-12s %-20s %8d %8d %8d %8d %8d\n", troubleNames[i / 3], spGetTetLawName(laws[i % 3]), n[0],
               n[1], n[2], n[3], n[4]);
    }
    assert_int_equal(wrong, 0);
    assert_true(gained <= 15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestGrid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
