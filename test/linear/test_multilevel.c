// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The multilevel preconditioner: iterations that hardly grow with the mesh, graphs of all kinds, nodes that
// are held and let go. What it has in common with the other kinds is in test_preconditioner.c.

#include "linear/levels.h"
#include "test/matrix_test.h"

// A weight in each node that is free
static double* MakeWeights(const Matrix* matrix)
{
    int count = matrix->rows.nodeCount;
    double* b = calloc((size_t)count * 3, sizeof(double));
    for (int i = 0; i < count; ++i)
    {
        spReal inverseMass = matrix->x[i].w;
        b[3 * i + 1] = inverseMass > 0 ? -1.0 / inverseMass : 0.0;
    }
    return b;
}

static int CountBeam(const Matrix* matrix, spPreconditionerType type)
{
    double* b = MakeWeights(matrix);
    spPreconditioner* p = BuildOf(type, matrix);
    int iterations = CountIterations(p, &matrix->rows, b, 1e-3);
    p->kind->destroy(p);
    free(b);
    return iterations;
}

// Eighteen times the tets, half as many iterations more; those of block Jacobi grow in proportion to the
// cells along the beam. Three materials as well.
static void TestGrowth(void** state)
{
    SP_UNUSED(state);
    const double moduli[2][3] = {{1e6, 1e6, 1e6}, {1e6, 5e4, 1e4}};
    const int sizes[] = {5, 8, 13};
    for (int which = 0; which < 2; ++which)
    {
        int first = 0;
        for (int k = 0; k < SP_COUNT(sizes); ++k)
        {
            Matrix matrix = MakeBeamMatrix(sizes[k], moduli[which], 1.0 / 60.0);
            int iterations = CountBeam(&matrix, sp_preconditionMultilevel);
            print_message("%d cells: %d\n", sizes[k], iterations);
            first = k == 0 ? iterations : first;
            assert_true(iterations <= 20);
            assert_true(2 * iterations <= 3 * first);
            FreeMatrix(&matrix);
        }
    }
}

// Without positions aggregates only shift: fewer iterations than block Jacobi, more than with turns
static void TestTranslations(void** state)
{
    SP_UNUSED(state);
    const double moduli[] = {1e6, 1e6, 1e6};
    Matrix matrix = MakeBeamMatrix(8, moduli, 1.0 / 60.0);
    int turning = CountBeam(&matrix, sp_preconditionMultilevel);
    int local = CountBeam(&matrix, sp_preconditionBlockJacobi);
    matrix.rows.x = NULL;
    int shifting = CountBeam(&matrix, sp_preconditionMultilevel);
    print_message("turning %d, shifting %d, block Jacobi %d\n", turning, shifting, local);
    assert_true(turning < shifting && 4 * shifting < local);
    FreeMatrix(&matrix);
}

// The positions may lie anywhere
static void TestFarAway(void** state)
{
    SP_UNUSED(state);
    const double moduli[] = {1e6, 1e6, 1e6};
    Matrix matrix = MakeBeamMatrix(5, moduli, 1.0 / 60.0);
    int here = CountBeam(&matrix, sp_preconditionMultilevel);
    for (int i = 0; i < matrix.rows.nodeCount; ++i)
    {
        matrix.x[i].x += 100;
        matrix.x[i].z -= 300;
    }
    int there = CountBeam(&matrix, sp_preconditionMultilevel);
    print_message("here %d, there %d\n", here, there);
    assert_true(there <= here + 2);
    FreeMatrix(&matrix);
}

// A square of springs along edges and diagonals, count x count nodes for each of `parts` squares that do not
// touch: M + h^2 K, no stiffness across the plane
static Matrix MakeCloth(int count, int parts)
{
    int nodes = count * count, pairCount = 0;
    int32_t* pairs = calloc((size_t)nodes * (size_t)parts * 8, sizeof(int32_t));
    for (int i = 0; i < nodes * parts; ++i)
    {
        int x = i % count, y = i % nodes / count;
        const int neighbours[4] = {x + 1 < count ? 1 : 0, y + 1 < count ? count : 0,
                                   x + 1 < count && y + 1 < count ? count + 1 : 0,
                                   x > 0 && y + 1 < count ? count - 1 : 0};
        for (int k = 0; k < 4; ++k)
        {
            if (neighbours[k] > 0)
            {
                pairs[2 * pairCount] = i;
                pairs[2 * pairCount + 1] = i + neighbours[k];
                pairCount += 1;
            }
        }
    }
    Matrix matrix = MakeMatrix(nodes * parts, pairs, pairCount, 1 + nodes * parts / 500);
    matrix.x = MakeNodes(nodes * parts);
    matrix.rows.x = matrix.x;
    for (int i = 0; i < nodes * parts; ++i)
    {
        matrix.x[i] = (spVec4){(spReal)(i % count), (spReal)(i / nodes), (spReal)(i % nodes / count), 1};
        matrix.rows.diagonal[i] = spIdentityMat3();
    }
    for (int i = 0; i < nodes * parts; ++i)
    {
        for (int k = matrix.rows.begin[i]; k < matrix.rows.begin[i + 1]; ++k)
        {
            int j = matrix.rows.columns[k];
            spVec3 d = spNormalize3(spSub3(spXyz(matrix.x[i]), spXyz(matrix.x[j])));
            spMat3 spring = spScaleMat3(1000, spOuter3(d, d));
            matrix.rows.blocks[k] = spScaleMat3(-1, spring);
            matrix.rows.diagonal[i] = spAddMat3(matrix.rows.diagonal[i], spring);
            matrix.rows.diagonal[j] = spAddMat3(matrix.rows.diagonal[j], spring);
        }
    }
    free(pairs);
    return matrix;
}

// Iterations for a random right-hand side
static int CountRandom(spPreconditioner* p, const Matrix* matrix)
{
    uint64_t seed = 31;
    int count = matrix->rows.nodeCount;
    spVec4* nodes = MakeRandomNodes(count, &seed);
    double* b = calloc((size_t)count * 3, sizeof(double));
    ToNumbers(nodes, count, b);
    int iterations = CountIterations(p, &matrix->rows, b, 1e-5);
    free(nodes);
    free(b);
    return iterations;
}

// Cloth, which is soft across its plane, in one part and in several
static void TestCloth(void** state)
{
    SP_UNUSED(state);
    for (int parts = 1; parts <= 3; ++parts)
    {
        Matrix matrix = MakeCloth(40, parts);
        spPreconditioner* p = BuildOf(sp_preconditionMultilevel, &matrix);
        spPreconditioner* jacobi = BuildOf(sp_preconditionBlockJacobi, &matrix);
        int iterations = CountRandom(p, &matrix), local = CountRandom(jacobi, &matrix);
        print_message("%d parts: %d, block Jacobi %d\n", parts, iterations, local);
        assert_true(2 * iterations < local);
        p->kind->destroy(p);
        jacobi->kind->destroy(jacobi);
        FreeMatrix(&matrix);
    }
}

// Pairs of nodes: aggregates that cannot turn around their line, and a next level without couplings. One node
// more has nothing to hold on to.
static void TestPairs(void** state)
{
    SP_UNUSED(state);
    uint64_t seed = 32;
    for (int pairCount = 0; pairCount <= 60; pairCount += 20)
    {
        int count = 2 * pairCount + 1;
        int32_t* pairs = calloc((size_t)count * 2, sizeof(int32_t));
        for (int k = 0; k < 2 * pairCount; ++k)
        {
            pairs[k] = k;
        }
        Matrix matrix = MakeMatrix(count, pairs, pairCount, 1 + pairCount / 10);
        FillRandom(&matrix, &seed);
        matrix.x = MakeRandomNodes(count, &seed);
        matrix.rows.x = matrix.x;
        spPreconditioner* p = BuildOf(sp_preconditionMultilevel, &matrix);
        assert_true(CountRandom(p, &matrix) <= 20);
        p->kind->destroy(p);
        FreeMatrix(&matrix);
        free(pairs);
    }
}

// Takes the couplings of every third node away
static void HoldNodes(Matrix* matrix)
{
    for (int i = 0; i < matrix->rows.nodeCount; ++i)
    {
        for (int k = matrix->rows.begin[i]; k < matrix->rows.begin[i + 1]; ++k)
        {
            if (i % 3 == 0 || matrix->rows.columns[k] % 3 == 0)
            {
                matrix->rows.blocks[k] = spZeroMat3();
            }
        }
        if (i % 3 == 0)
        {
            matrix->rows.diagonal[i] = spScaleMat3(7, spIdentityMat3());
        }
    }
}

// Nodes that are held after the levels were made: as good as new, bit for bit, and so when they are let go
static void TestHolding(void** state)
{
    SP_UNUSED(state);
    uint64_t seed = 33;
    Matrix matrices[2] = {MakeCloth(20, 1), MakeCloth(20, 1)};
    HoldNodes(matrices + 1);
    int count = matrices[0].rows.nodeCount;
    spVec4 *r = MakeRandomNodes(count, &seed), *z = MakeNodes(count), *expected = MakeNodes(count);
    spPreconditioner* p = BuildOf(sp_preconditionMultilevel, matrices);
    for (int round = 0; round < 4; ++round)
    {
        const Matrix* matrix = matrices + round % 2;
        assert_true(p->kind->build(p, &matrix->rows));
        size_t byteCount = p->heap.byteCount;
        assert_true(p->kind->build(p, &matrix->rows));
        assert_int_equal(p->heap.byteCount, byteCount);
        p->kind->apply(p, NULL, r, z);
        spPreconditioner* fresh = BuildOf(sp_preconditionMultilevel, matrix);
        fresh->kind->apply(fresh, NULL, r, expected);
        fresh->kind->destroy(fresh);
        assert_memory_equal(z, expected, (size_t)count * sizeof(spVec4));
        if (round % 2 == 1)
        {
            CHECK_NEAR(z[3].x, r[3].x / 7, 1e-6);
        }
    }
    p->kind->destroy(p);
    free(r);
    free(z);
    free(expected);
    FreeMatrix(matrices);
    FreeMatrix(matrices + 1);
}

// Levels: each much smaller than the one before, every row in an aggregate, patches that cover all
static void TestLevels(void** state)
{
    SP_UNUSED(state);
    const double moduli[] = {1e6, 1e6, 1e6};
    Matrix matrix = MakeBeamMatrix(13, moduli, 1.0 / 60.0);
    spPreconditioner* p = BuildOf(sp_preconditionMultilevel, &matrix);
    const spMultilevel* m = (const spMultilevel*)p;
    assert_true(m->levelCount == 3 && m->isDense);
    for (int l = 0; l < m->levelCount; ++l)
    {
        const spLevel* level = m->levels + l;
        assert_int_equal(level->patchBegin[0], 0);
        assert_int_equal(level->patchBegin[level->patchCount], level->rowCount);
        for (int i = 0; i < level->rowCount && l + 1 < m->levelCount; ++i)
        {
            bool coupled = level->begin[i] < level->begin[i + 1];
            assert_int_equal(level->aggregates[i] >= 0, coupled);
            assert_true(level->aggregates[i] < level[1].rowCount);
        }
        assert_true(l == 0 || 8 * level->rowCount < level[-1].rowCount);
    }
    p->kind->destroy(p);
    FreeMatrix(&matrix);
}

// Every allocation of a second making failing in turn: false, nothing leaks, and fine when memory is back
static void TestNoMemory(void** state)
{
    SP_UNUSED(state);
    Matrix matrices[2] = {MakeCloth(12, 1), MakeCloth(12, 1)};
    HoldNodes(matrices + 1);
    FailingAllocator counter = {.failAt = -1, .failAfter = true};
    spPreconditionerDef def = MakeDef(matrices);
    def.allocator = MakeFailingAllocator(&counter);
    bool built = false;
    for (int failAt = 0; built == false; ++failAt)
    {
        assert_true(failAt < 200);
        counter.failAt = -1;
        spPreconditioner* p = CreateOf(sp_preconditionMultilevel, &def);
        assert_true(p->kind->build(p, &matrices[0].rows));
        counter.count = 0;
        counter.failAt = failAt;
        built = p->kind->build(p, &matrices[1].rows);
        counter.failAt = -1;
        assert_true(p->kind->build(p, &matrices[0].rows));
        assert_true(CountRandom(p, matrices) < 100);
        p->kind->destroy(p);
        assert_int_equal(counter.out, 0);
    }
    FreeMatrix(matrices);
    FreeMatrix(matrices + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestGrowth), cmocka_unit_test(TestTranslations), cmocka_unit_test(TestFarAway),
        cmocka_unit_test(TestCloth),  cmocka_unit_test(TestPairs),        cmocka_unit_test(TestHolding),
        cmocka_unit_test(TestLevels), cmocka_unit_test(TestNoMemory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
