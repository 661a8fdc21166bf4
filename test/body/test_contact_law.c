// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The law of contact at a point, and of several points over a dense compliance, against a reference that shares
// nothing with it; rows with both sides on one body.

#include "body/contact_law.h"
#include "contact/response.h"
#include "testbed/check.h"
#include "testbed/random.h"
#include "testbed/worlds.h"
#include "world/world.h"

#include <stdlib.h>
#include <string.h>

enum
{
    most = 4
};

typedef struct Problem
{
    int count;                     // contacts
    double w[3 * most * 3 * most]; // symmetric, positive
    double u0[3 * most];           // velocity without impulses; normals are the axes of y
    double friction;
} Problem;

static double* At(Problem* problem, int i, int j)
{
    return problem->w + 3 * most * i + j;
}

// W = B B^T + a little, stretched along some axes
static Problem MakeProblem(uint64_t* seed, int count, double stretch)
{
    Problem problem = {.count = count, .friction = spRandomRange(seed, 0.1, 0.6)};
    double b[3 * most][3 * most];
    int n = 3 * count;
    for (int i = 0; i < n; ++i)
    {
        double scale = i % 3 == 0 ? sqrt(stretch) : 1.0;
        for (int j = 0; j < n; ++j)
        {
            b[i][j] = i == j ? scale : 0.3 * scale * spRandomRange(seed, -1, 1) / n;
        }
        problem.u0[i] = spRandomRange(seed, -1, 1) - (i % 3 == 1 ? 0.5 : 0.0);
    }
    for (int i = 0; i < n; ++i)
    {
        for (int j = 0; j < n; ++j)
        {
            for (int k = 0; k < n; ++k)
            {
                *At(&problem, i, j) += b[i][k] * b[j][k];
            }
        }
    }
    return problem;
}

static void GetVelocity(Problem* problem, const double* p, double* u)
{
    for (int i = 0; i < 3 * problem->count; ++i)
    {
        u[i] = problem->u0[i];
        for (int j = 0; j < 3 * problem->count; ++j)
        {
            u[i] += *At(problem, i, j) * p[j];
        }
    }
}

// The nearest point of the cone |p_t| <= mu p_n
static void ProjectOnCone(double mu, double* p)
{
    double side = hypot(p[0], p[2]);
    if (side <= mu * p[1])
    {
        return;
    }
    double along = mu * side <= -p[1] ? 0.0 : (mu * side + p[1]) / (1.0 + mu * mu);
    double share = side > 0.0 ? mu * along / side : 0.0;
    p[0] *= share;
    p[2] *= share;
    p[1] = along;
}

// Short steps of p = P(p - r (u + mu |u_t| n)), a fixed point of which is Coulomb's law. De Saxce, Feng. The
// Bipotential Method. 1998
static void SolveReference(Problem* problem, double* p)
{
    double u[3 * most], largest = 0.0;
    for (int i = 0; i < 3 * problem->count; ++i)
    {
        largest = fmax(largest, *At(problem, i, i));
    }
    memset(p, 0, 3 * most * sizeof(double));
    double moved = 1.0;
    for (int i = 0; i < 5000000 && moved > 1e-16; ++i)
    {
        moved = 0.0;
        GetVelocity(problem, p, u);
        for (int k = 0; k < problem->count; ++k)
        {
            double *q = p + 3 * k, old[3] = {q[0], q[1], q[2]};
            const double* v = u + 3 * k;
            double r = 0.3 / largest;
            q[0] -= r * v[0];
            q[1] -= r * (v[1] + problem->friction * hypot(v[0], v[2]));
            q[2] -= r * v[2];
            ProjectOnCone(problem->friction, q);
            moved = fmax(moved, fmax(fabs(q[0] - old[0]), fmax(fabs(q[1] - old[1]), fabs(q[2] - old[2]))));
        }
    }
}

// Gauss-Seidel with the law of src/body/contact_law.h. Returns the sweeps that it took.
static int SolveByLaw(Problem* problem, double* p, double tolerance)
{
    memset(p, 0, 3 * most * sizeof(double));
    for (int sweep = 1; sweep <= 200; ++sweep)
    {
        double moved = 0.0;
        for (int k = 0; k < problem->count; ++k)
        {
            double u[3 * most];
            GetVelocity(problem, p, u);
            spReal m[3][3];
            for (int i = 0; i < 9; ++i)
            {
                m[i / 3][i % 3] = (spReal)*At(problem, 3 * k + i % 3, 3 * k + i / 3);
            }
            spMat3 w = {
                {m[0][0], m[0][1], m[0][2]}, {m[1][0], m[1][1], m[1][2]}, {m[2][0], m[2][1], m[2][2]}};
            spVec3 rate = {(spReal)u[3 * k], (spReal)u[3 * k + 1], (spReal)u[3 * k + 2]};
            spVec3 total = {(spReal)p[3 * k], (spReal)p[3 * k + 1], (spReal)p[3 * k + 2]};
            spVec3 change = spSolveContact(total, rate, w, (spVec3){0, 1, 0}, (spReal)problem->friction);
            p[3 * k] += (double)change.x;
            p[3 * k + 1] += (double)change.y;
            p[3 * k + 2] += (double)change.z;
            moved = fmax(moved, (double)spLength3(change));
        }
        if (moved <= tolerance)
        {
            return sweep;
        }
    }
    return 201;
}

static void TestConeAgainstReference(void** state)
{
    SP_UNUSED(state);
    const double tolerance = sizeof(spReal) == sizeof(double) ? 1e-11 : 2e-6;
    uint64_t seed = 5;
    int slowest = 0, sliding = 0;
    for (int i = 0; i < 24; ++i)
    {
        // Along x the point gives way up to 50 times as much as along z: one number for both does not do
        const double stretches[] = {1.0, 5.0, 50.0};
        Problem problem = MakeProblem(&seed, i % 2 == 0 ? 1 : most, stretches[i % 3]);
        double want[3 * most], got[3 * most], u[3 * most];
        SolveReference(&problem, want);
        int sweeps = SolveByLaw(&problem, got, tolerance);
        slowest = sweeps > slowest ? sweeps : slowest;
        GetVelocity(&problem, got, u);
        for (int k = 0; k < 3 * problem.count; ++k)
        {
            CHECK_NEAR(got[k], want[k], 20.0 * tolerance);
        }
        for (int k = 0; k < problem.count; ++k)
        {
            const double *p = got + 3 * k, *v = u + 3 * k;
            double side = hypot(p[0], p[2]), limit = problem.friction * p[1], slip = hypot(v[0], v[2]);
            CHECK_LESS(side, limit + 2.0 * tolerance);
            CHECK_LESS(-v[1], 60.0 * tolerance);
            // What slides is held back with all that friction has, right against it
            if (slip > 1e-3)
            {
                sliding += p[1] > 0.0;
                CHECK_NEAR(side, limit, 2.0 * tolerance);
                CHECK_NEAR(p[0] * v[0] + p[2] * v[2], -side * slip, 300.0 * tolerance);
            }
        }
    }
    printf("%d sliding contacts, at most %d sweeps\n", sliding, slowest);
    assert_true(sliding > 10);
    CHECK_LESS(slowest, 40);
}

static spVec3 MakeVector(uint64_t* seed)
{
    return (spVec3){(spReal)spRandomRange(seed, -1, 1), (spReal)spRandomRange(seed, -1, 1),
                    (spReal)spRandomRange(seed, -1, 1)};
}

// Next to nothing presses, so that next to nothing holds back what slides
static void TestFaintFriction(void** state)
{
    SP_UNUSED(state);
    uint64_t seed = 3;
    for (int i = 0; i < 200000; ++i)
    {
        spVec3 n = spNormalize3(MakeVector(&seed)), a = MakeVector(&seed), slip = MakeVector(&seed);
        double limit = pow(10.0, spRandomRange(&seed, -42.0, 2.0));
        spReal scale = (spReal)pow(10.0, spRandomRange(&seed, -3.0, 3.0));
        spMat3 w = spMulAddMat3(spIdentityMat3(), scale, spOuter3(a, a));
        spVec3 p = spSolveFrictionBlock(spScale3((spReal)1e-3, a), slip, w, n, (spReal)limit);
        assert_true(isfinite((double)p.x) && isfinite((double)p.y) && isfinite((double)p.z));
        CHECK_LESS(spLength3(p), 1.001 * limit + 1e-37);
    }
}

// A row from a node to a point that the same node is part of: W = C_aa + C_bb - C_ab - C_ba. A rigid hold stops
// all of the relative velocity, a contact its normal part, and moves the sides out of each other.
static void CheckBothSidesOnOneBody(spRowLaw law)
{
    spTestDef def = spDefaultTestDef();
    spTestWorld test = spBuildLattice(&def, 5, 400, 0, 0);
    spBody* body = spGetBody(test.world, test.body);
    uint64_t seed = 3;
    for (int i = 0; i < body->nodeCount; ++i)
    {
        body->x[i].w *= (spReal)spRandomRange(&seed, 0.5, 2.0);
        body->v[i] = (spVec4){(spReal)spRandomRange(&seed, -1, 1), (spReal)spRandomRange(&seed, -1, 1),
                              (spReal)spRandomRange(&seed, -1, 1), 0};
    }
    spRowNode pool[3] = {{7, (spReal)0.6}, {11, (spReal)0.3}, {16, (spReal)0.1}};
    spRow row = {
        .a = {.slot = 0, .node = 7, .count = 1}, .b = {.slot = 0, .node = 0, .count = 3}, .law = law};
    spVec3 apart = spSub3(spXyz(body->x[7]), spSumSide(&row.b, pool, body->x));
    const double j[3][2] = {
        {7, 1.0 - (double)pool[0].weight}, {11, -(double)pool[1].weight}, {16, -(double)pool[2].weight}};
    double w = 0.0, u = 0.0;
    for (int k = 0; k < 3; ++k)
    {
        w += j[k][1] * j[k][1] * (double)body->x[(int)j[k][0]].w;
        u += j[k][1] * (double)body->v[(int)j[k][0]].x;
    }
    const spReal depth = (spReal)1e-3;
    if (law == sp_rowHold)
    {
        row.anchor = apart;
    }
    else
    {
        row.normal = (spVec3){u < 0.0 ? 1 : -1, 0, 0};
        row.gap = -depth;
    }
    spResponseContext context = {
        .arena = &test.world->arena,
        .bodies = test.world->bodies,
        .bodyCount = 1,
        .pairs = &row,
        .pairCount = 1,
        .pool = pool,
        .dt = (spReal)0.01,
    };
    spResponseResult result = spSolveRows(&context);
    assert_int_equal(result.rowCount, 1);
    assert_true(result.converged);
    // One sweep solves a single row, a second one finds nothing left; those of a hold are in place
    assert_int_equal(result.sweepCount, law == sp_rowHold ? 3 : 4);
    CHECK_NEAR((double)row.impulse.x, -u / w, 1e-5 * fabs(u / w));
    spVec3 slip = spSub3(spXyz(body->v[7]), spSumSide(&row.b, pool, body->v));
    spVec3 moved = spSub3(spSub3(spXyz(body->x[7]), spSumSide(&row.b, pool, body->x)), apart);
    CHECK_NEAR(law == sp_rowHold ? spLength3(slip) : slip.x, 0.0, 1e-6);
    CHECK_NEAR(spLength3(moved), law == sp_rowHold ? 0.0 : (double)depth, 1e-6);
    if (law == sp_rowContact)
    {
        CHECK_NEAR(row.gap, 0.0, 1e-8);
    }
    spDestroyTestWorld(&test);
}

static void TestBothSidesOnOneBody(void** state)
{
    SP_UNUSED(state);
    CheckBothSidesOnOneBody(sp_rowHold);
    CheckBothSidesOnOneBody(sp_rowContact);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestConeAgainstReference),
        cmocka_unit_test(TestFaintFriction),
        cmocka_unit_test(TestBothSidesOnOneBody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
