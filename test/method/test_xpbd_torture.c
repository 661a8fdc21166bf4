// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// A body that was crushed to a plane, a line, a point, or to random positions, comes back to its shape by
// itself, from 1e3 Pa to 1e9 Pa, with the time of 20 sweeps in a step. The body is the armadillo of the
// thesis, 13.5 cm in size, free, without gravity and without damping of its own. In a body of 3 m, swinging
// at 1e5 Pa and less has not died away after the 10 s that are given here; that is no fault and not tested.
// The small one still swings a little at 1e3 Pa.
//
// From random positions about one run in four ends with one to four tets that are caught inside out, in
// equilibrium: so does the material, whatever moves it. Those are counted as caught, not as lost.

#include "base/core.h"
#include "testbed/check.h"
#include "testbed/worlds.h"

#include <stdlib.h>

#define ARMADILLO SOUPLE_SOURCE_DIR "/data/armadillo_4k.node"

// Size of the armadillo, m, and what it is given to come back, s
#define SIZE 0.135
#define SECONDS 10.0

// Of its size: how far a node may be from its place in the end; at 1e3 Pa
#define NEAR 0.02
#define NEAR_SOFT 0.03

// SOUPLE_TORTURE=1 in the environment runs every case. Builds with asserts and sanitizers are slow.
static bool IsWhole(void)
{
    const char* whole = getenv("SOUPLE_TORTURE");
    return whole != NULL && whole[0] != 0;
}

#ifdef NDEBUG
static const bool isFast = true;
#else
static const bool isFast = false;
#endif

typedef enum Crush
{
    crushPlane,
    crushLine,
    crushPoint,
    crushRandom,
    crushCount
} Crush;

static const char* const crushNames[crushCount] = {"plane", "line", "point", "random"};

typedef struct Case
{
    Crush crush;
    double young;
    double dt;
    spXpbdSolver solver;
} Case;

// ---- distance from the shape at rest ----

typedef struct Frame
{
    double center[3]; // of the nodes
    double lower[3], upper[3];
    double size; // largest extent
} Frame;

static Frame FindFrame(const spVec3* x, int count)
{
    Frame frame = {0};
    for (int k = 0; k < 3; ++k)
    {
        frame.lower[k] = INFINITY;
        frame.upper[k] = -INFINITY;
        for (int i = 0; i < count; ++i)
        {
            double p = (double)(k == 0 ? x[i].x : k == 1 ? x[i].y : x[i].z);
            frame.center[k] += p / count;
            frame.lower[k] = fmin(frame.lower[k], p);
            frame.upper[k] = fmax(frame.upper[k], p);
        }
        frame.size = fmax(frame.size, frame.upper[k] - frame.lower[k]);
    }
    return frame;
}

static void GetArm(const spVec3* x, const Frame* frame, double arm[3])
{
    arm[0] = (double)x->x - frame->center[0];
    arm[1] = (double)x->y - frame->center[1];
    arm[2] = (double)x->z - frame->center[2];
}

// The rotation that brings b to a as well as one can: its quaternion belongs to the largest eigenvalue of a
// symmetric matrix of the products of both. Horn. Closed-form Solution of Absolute Orientation. 1987
static void FindRotation(double s[3][3], double r[3][3])
{
    double n[4][4] = {{s[0][0] + s[1][1] + s[2][2], s[2][1] - s[1][2], s[0][2] - s[2][0], s[1][0] - s[0][1]},
                      {0, s[0][0] - s[1][1] - s[2][2], s[1][0] + s[0][1], s[0][2] + s[2][0]},
                      {0, 0, s[1][1] - s[0][0] - s[2][2], s[2][1] + s[1][2]},
                      {0, 0, 0, s[2][2] - s[0][0] - s[1][1]}};
    double shift = 0.0, q[4] = {1.0, 0.1, 0.2, 0.3};
    for (int i = 0; i < 4; ++i)
    {
        double sum = 0.0;
        for (int j = 0; j < 4; ++j)
        {
            n[i][j] = i <= j ? n[i][j] : n[j][i];
            sum += fabs(n[i][j]);
        }
        shift = fmax(shift, sum);
    }
    // Powers of the matrix; with the shift its largest eigenvalue is also the largest in size
    for (int power = 0; power < 5000; ++power)
    {
        double y[4], length = 0.0;
        for (int i = 0; i < 4; ++i)
        {
            y[i] = shift * q[i] + n[i][0] * q[0] + n[i][1] * q[1] + n[i][2] * q[2] + n[i][3] * q[3];
            length += y[i] * y[i];
        }
        for (int i = 0; i < 4; ++i)
        {
            q[i] = y[i] / sqrt(length + 1e-300);
        }
    }
    double w = q[0], x = q[1], y = q[2], z = q[3];
    double turn[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                         {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                         {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
    for (int i = 0; i < 9; ++i)
    {
        r[i / 3][i % 3] = turn[i / 3][i % 3];
    }
}

// Largest distance of a node from its place in the shape at rest, which is moved there rigidly, over its
// size; NaN stays
static double GetError(const spVec3* rest, const spVec3* x, int count)
{
    Frame from = FindFrame(rest, count), to = FindFrame(x, count);
    double s[3][3] = {{0}}, r[3][3], most = 0.0;
    for (int i = 0; i < count; ++i)
    {
        double a[3], b[3];
        GetArm(x + i, &to, a);
        GetArm(rest + i, &from, b);
        for (int k = 0; k < 9; ++k)
        {
            s[k / 3][k % 3] += a[k / 3] * b[k % 3];
        }
    }
    FindRotation(s, r);
    for (int i = 0; i < count; ++i)
    {
        double a[3], b[3], square = 0.0;
        GetArm(x + i, &to, a);
        GetArm(rest + i, &from, b);
        for (int k = 0; k < 3; ++k)
        {
            double d = a[k] - (r[k][0] * b[0] + r[k][1] * b[1] + r[k][2] * b[2]);
            square += d * d;
        }
        most = square > most || isnan(square) ? square : most;
    }
    return sqrt(most) / from.size;
}

// ---- runs ----

static void CrushNodes(Crush crush, spVec3* x, int count)
{
    Frame frame = FindFrame(x, count);
    spVec3 c = {(spReal)frame.center[0], (spReal)frame.center[1], (spReal)frame.center[2]};
    const double *lower = frame.lower, *upper = frame.upper;
    uint64_t seed = 7;
    for (int i = 0; i < count; ++i)
    {
        x[i].x = crush == crushPoint ? c.x : x[i].x;
        x[i].y = c.y;
        x[i].z = crush == crushLine || crush == crushPoint ? c.z : x[i].z;
        if (crush == crushRandom)
        {
            // Anywhere in its box
            x[i].x = (spReal)spRandomRange(&seed, lower[0], upper[0]);
            x[i].y = (spReal)spRandomRange(&seed, lower[1], upper[1]);
            x[i].z = (spReal)spRandomRange(&seed, lower[2], upper[2]);
        }
    }
}

static spMesh* LoadArmadillo(void)
{
    spMesh* mesh = spLoadMesh(ARMADILLO, NULL, NULL);
    assert_non_null(mesh);
    spMeshReport report;
    assert_true(spMesh_Validate(mesh, &report, NULL));
    double size = fmax(report.upper.x - report.lower.x,
                       fmax(report.upper.y - report.lower.y, report.upper.z - report.lower.z));
    double scale = SIZE / size;
    spTransform identity = {{0, 0, 0}, {0, 0, 0, 1}};
    assert_true(spMesh_Transform(mesh, (spDVec3){scale, scale, scale}, identity, NULL));
    return mesh;
}

// How a run ended
typedef enum Outcome
{
    outcomeBack,
    outcomeCaught, // in equilibrium, with a few tets inside out
    outcomeAlive,  // finite and not blown up
    outcomeWrong,
} Outcome;

static const char* const outcomeNames[] = {"back", "caught", "alive", "wrong"};

// Whether the forces balance where it is: a relaxation stays there
static bool IsCaught(spWorld* world, spBodyId body, const spVec3* rest, spVec3* x, double error)
{
    spRelaxDef relax = spDefaultRelaxDef();
    spRelaxResult result;
    int count = spBody_GetNodeCount(world, body), inverted = spBody_CountInvertedTets(world, body);
    bool ok = spBody_Relax(world, body, &relax, &result) && result.converged;
    spBody_CopyPositions(world, body, x, count);
    return ok && inverted > 0 && inverted < 10 && fabs(GetError(rest, x, count) - error) < 1e-3;
}

static Outcome RunCase(const spMesh* mesh, const Case* c)
{
    spWorldDef worldDef = spDefaultWorldDef();
    worldDef.gravity = (spVec3){0, 0, 0};
    spWorld* world = spCreateWorld(&worldDef, NULL);
    spBodyDef bodyDef = spDefaultBodyDef();
    bodyDef.mesh = mesh;
    bodyDef.method.type = sp_xpbd;
    bodyDef.method.xpbd.solver = c->solver;
    spBodyId body = spCreateBody(world, &bodyDef);
    spTetDef tets = spDefaultTetDef();
    tets.youngModulus = (spReal)c->young;
    assert_int_equal(spBody_AddTets(world, body, &tets), 0);
    int count = spBody_GetNodeCount(world, body);
    spVec3* rest = malloc((size_t)count * sizeof(spVec3));
    spVec3* x = malloc((size_t)count * sizeof(spVec3));
    spBody_CopyPositions(world, body, rest, count);
    spBody_CopyPositions(world, body, x, count);
    CrushNodes(c->crush, x, count);
    assert_true(spBody_SetPositions(world, body, x, count));
    uint32_t flags = 0;
    double error = INFINITY, time = 0.0, near = c->young < 5e3 ? NEAR_SOFT : NEAR;
    // A look every half second
    for (int i = 1; time < SECONDS && error > near; ++i)
    {
        flags |= spWorld_Step(world, (spReal)c->dt);
        time = i * c->dt;
        if (i % (int)(0.5 / c->dt) == 0 || time >= SECONDS)
        {
            spBody_CopyPositions(world, body, x, count);
            error = GetError(rest, x, count);
            error = isnan(error) ? INFINITY : error;
        }
    }
    int inverted = spBody_CountInvertedTets(world, body);
    double size = FindFrame(x, count).size;
    // No factor can be made of a body that is a point, and the first steps say so
    // Sweeps that leave force say so too
    uint32_t allowed = c->crush == crushPoint || c->solver != sp_xpbdAuto ? sp_stepSolverStopped : 0;
    bool bad = (flags & ~allowed) != 0 || !(size < 2.0 * SIZE);
    Outcome outcome = bad                                     ? outcomeWrong
                      : error <= near && inverted == 0        ? outcomeBack
                      : IsCaught(world, body, rest, x, error) ? outcomeCaught
                                                              : outcomeAlive;
    print_message("%s, %s, %g Pa, dt 1/%g s: %s after %.1f s, %g of its size from its shape, %d inverted\n",
                  c->solver == sp_xpbdAuto ? "auto" : "gaussSeidel", crushNames[c->crush], c->young,
                  1.0 / c->dt, outcomeNames[outcome], time, error, inverted);
    spDestroyWorld(world);
    free(rest);
    free(x);
    return outcome;
}

static void RunCases(const Case* cases, int count)
{
    if (count == 0)
    {
        skip(); // this build is too slow for any of them
    }
    spMesh* mesh = LoadArmadillo();
    int lost = 0;
    for (int i = 0; i < count; ++i)
    {
        // The worst that is let pass
        Outcome worst =
            cases[i].solver == sp_xpbdAuto
                ? (cases[i].crush == crushRandom ? outcomeCaught : outcomeBack)
                : (cases[i].crush == crushPlane && cases[i].young < 5e5 ? outcomeBack : outcomeAlive);
        lost += RunCase(mesh, cases + i) > worst;
    }
    spDestroyMesh(mesh);
    assert_int_equal(lost, 0);
}

// All ways to crush it, with as many stiffnesses, and a subset of those that go together
static void TestCrush(void** state)
{
    SP_UNUSED(state);
    Case cases[7 * crushCount];
    const int chosen[] = {5, 7 + 3, 14 + 6, 21 + 2, 21 + 6}, quick[] = {14 + 3};
    int count = IsWhole() ? SP_COUNT(cases) : isFast ? SP_COUNT(chosen) : SP_COUNT(quick);
    for (int i = 0; i < count; ++i)
    {
        int k = IsWhole() ? i : isFast ? chosen[i] : quick[i];
        cases[i] = (Case){(Crush)(k / 7), pow(10.0, 3.0 + k % 7), 1.0 / 60.0, sp_xpbdAuto};
    }
    RunCases(cases, count);
}

// Plain sweeps come back from a plane up to 1e5 Pa. What is crushed more, or stiffer, they leave tangled: the
// next element undoes what one has done. It stays where it is, and does not blow up.
static void TestCrushSweeps(void** state)
{
    SP_UNUSED(state);
    Case cases[5 * crushCount];
    const int chosen[] = {2, 15 + 4};
    int count = IsWhole() ? SP_COUNT(cases) : isFast ? SP_COUNT(chosen) : 0;
    for (int i = 0; i < count; ++i)
    {
        int k = IsWhole() ? i : chosen[i];
        cases[i] = (Case){(Crush)(k / 5), pow(10.0, 3.0 + k % 5), 1.0 / 60.0, sp_xpbdGaussSeidel};
    }
    RunCases(cases, count);
}

// Long and short steps
static void TestCrushSteps(void** state)
{
    SP_UNUSED(state);
    const double steps[] = {1.0 / 15.0, 1.0 / 30.0, 1.0 / 240.0};
    Case cases[2 * SP_COUNT(steps)];
    int count = 0;
    for (int i = 0; i < 2 * SP_COUNT(steps); ++i)
    {
        if (IsWhole() || (isFast && i % 2 == i / 2 % 2))
        {
            cases[count++] = (Case){i % 2 == 0 ? crushPlane : crushRandom, 1e6, steps[i / 2], sp_xpbdAuto};
        }
    }
    RunCases(cases, count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestCrush),
        cmocka_unit_test(TestCrushSweeps),
        cmocka_unit_test(TestCrushSteps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
