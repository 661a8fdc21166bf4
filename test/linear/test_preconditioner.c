// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Preconditioners: each against its formula in dense matrices, linear, symmetric and positive, the same bits
// for any number of workers and lanes, no new memory when built again, and how many conjugate gradients each
// leaves on a beam of three materials (Courtecuisse 2011, section 3.4.4).

#include "test/matrix_test.h"

// The dense matrix, by columns
static double* MakeDense(const spBlockRows* rows)
{
    int n = 3 * rows->nodeCount;
    double* a = calloc((size_t)n * (size_t)n, sizeof(double));
    double* x = calloc((size_t)n, sizeof(double));
    for (int j = 0; j < n; ++j)
    {
        x[j] = 1.0;
        Multiply(rows, x, a + (size_t)j * (size_t)n);
        x[j] = 0.0;
    }
    free(x);
    return a;
}

// Solves A x = b by elimination with pivots, A and b lost; by columns
static void SolveDense(double* a, int n, double* b, int columnCount)
{
    for (int k = 0; k < n; ++k)
    {
        int pivot = k;
        for (int i = k + 1; i < n; ++i)
        {
            pivot = fabs(a[i + n * k]) > fabs(a[pivot + n * k]) ? i : pivot;
        }
        for (int j = 0; j < n + columnCount && pivot != k; ++j)
        {
            double* column = j < n ? a + n * j : b + n * (j - n);
            double t = column[k];
            column[k] = column[pivot];
            column[pivot] = t;
        }
        for (int i = k + 1; i < n; ++i)
        {
            double factor = a[i + n * k] / a[k + n * k];
            for (int j = k; j < n + columnCount; ++j)
            {
                double* column = j < n ? a + n * j : b + n * (j - n);
                column[i] -= factor * column[k];
            }
        }
    }
    for (int j = 0; j < columnCount; ++j)
    {
        for (int i = n - 1; i >= 0; --i)
        {
            double sum = b[i + n * j];
            for (int k = i + 1; k < n; ++k)
            {
                sum -= a[i + n * k] * b[k + n * j];
            }
            b[i + n * j] = sum / a[i + n * i];
        }
    }
}

// The inverse of P, by columns, from one application for each
static double* MakeInverse(spPreconditioner* p, int nodeCount)
{
    int n = 3 * nodeCount;
    double* inverse = calloc((size_t)n * (size_t)n, sizeof(double));
    spVec4 *r = MakeNodes(nodeCount), *z = MakeNodes(nodeCount);
    for (int j = 0; j < n; ++j)
    {
        spReal* number = (spReal*)r + 4 * (j / 3) + j % 3;
        *number = 1;
        p->kind->apply(p, NULL, r, z);
        *number = 0;
        ToNumbers(z, nodeCount, inverse + (size_t)j * (size_t)n);
    }
    free(r);
    free(z);
    return inverse;
}

// P itself
static double* MakeP(spPreconditioner* p, int nodeCount)
{
    int n = 3 * nodeCount;
    double *inverse = MakeInverse(p, nodeCount), *dense = calloc((size_t)n * (size_t)n, sizeof(double));
    for (int i = 0; i < n; ++i)
    {
        dense[i + n * i] = 1.0;
    }
    SolveDense(inverse, n, dense, n);
    free(inverse);
    return dense;
}

static const double roundOff = sizeof(spReal) == 8 ? 1e-12 : 2e-5;

// Fails unless two dense matrices agree
static void CheckDense(const double* a, const double* b, int n, double tolerance)
{
    double largest = 0.0, difference = 0.0;
    for (int i = 0; i < n * n; ++i)
    {
        largest = fmax(largest, fabs(b[i]));
        difference = fmax(difference, fabs(a[i] - b[i]));
    }
    CHECK_LESS(difference, tolerance * largest);
}

static const spPreconditionerType types[] = {
    sp_preconditionJacobi,     sp_preconditionBlockJacobi, sp_preconditionSsor,
    sp_preconditionIncomplete, sp_preconditionMultilevel,
#ifdef SOUPLE_HAVE_CHOLMOD
    sp_preconditionCholesky,
#endif
};

// u . P^-1 v = v . P^-1 u, u . P^-1 u > 0, P^-1 (a u + v) = a P^-1 u + P^-1 v, and the fourth number stays 0
static void TestSymmetric(void** state)
{
    SP_UNUSED(state);
    uint64_t seed = 11;
    const double moduli[] = {1000.0, 50.0, 10.0};
    for (int which = 0; which < 3; ++which)
    {
        Matrix matrix = which == 0   ? MakeRandomMatrix(40, 0.2, 3, &seed)
                        : which == 1 ? MakeRandomMatrix(1, 0.0, 1, &seed)
                                     : MakeBeamMatrix(3, moduli, 0.1);
        int count = matrix.rows.nodeCount, n = 3 * count;
        double* numbers = calloc((size_t)n * 6, sizeof(double));
        for (int t = 0; t < SP_COUNT(types); ++t)
        {
            spPreconditioner* p = BuildOf(types[t], &matrix);
            spVec4* nodes[3] = {MakeRandomNodes(count, &seed), MakeRandomNodes(count, &seed),
                                MakeNodes(count)};
            spVec4* z = MakeNodes(count);
            for (int i = 0; i < count; ++i)
            {
                nodes[2][i].x = 2 * nodes[0][i].x + nodes[1][i].x;
                nodes[2][i].y = 2 * nodes[0][i].y + nodes[1][i].y;
                nodes[2][i].z = 2 * nodes[0][i].z + nodes[1][i].z;
            }
            for (int k = 0; k < 3; ++k)
            {
                p->kind->apply(p, NULL, nodes[k], z);
                ToNumbers(nodes[k], count, numbers + k * n);
                ToNumbers(z, count, numbers + (3 + k) * n);
                for (int i = 0; i < count; ++i)
                {
                    assert_true(z[i].w == 0);
                }
            }
            const double *u = numbers, *v = numbers + n, *pu = numbers + 3 * n, *pv = numbers + 4 * n,
                         *pw = numbers + 5 * n;
            double size = sqrt(Dot(u, pu, n) * Dot(v, pv, n));
            assert_true(Dot(u, pu, n) > 0.0 && Dot(v, pv, n) > 0.0);
            CHECK_NEAR(Dot(u, pv, n), Dot(v, pu, n), roundOff * size * 10.0);
            double largest = sqrt(Dot(pw, pw, n)), difference = 0.0;
            for (int i = 0; i < n; ++i)
            {
                difference = fmax(difference, fabs(2.0 * pu[i] + pv[i] - pw[i]));
            }
            CHECK_LESS(difference, roundOff * largest * 10.0);
            for (int k = 0; k < 3; ++k)
            {
                free(nodes[k]);
            }
            free(z);
            p->kind->destroy(p);
        }
        free(numbers);
        FreeMatrix(&matrix);
    }
}

static void TestJacobi(void** state)
{
    SP_UNUSED(state);
    uint64_t seed = 12;
    Matrix matrix = MakeRandomMatrix(20, 0.3, 2, &seed);
    int n = 60;
    double* a = MakeDense(&matrix.rows);
    for (int block = 1; block <= 3; block += 2)
    {
        double* expected = calloc((size_t)(n * n), sizeof(double));
        for (int i = 0; i < n; ++i)
        {
            for (int j = i / block * block; j < i / block * block + block; ++j)
            {
                expected[j + n * i] = a[j + n * i];
            }
        }
        spPreconditioner* p =
            BuildOf(block == 1 ? sp_preconditionJacobi : sp_preconditionBlockJacobi, &matrix);
        double* dense = MakeP(p, 20);
        CheckDense(dense, expected, n, roundOff);
        p->kind->destroy(p);
        free(dense);
        free(expected);
    }
    free(a);
    FreeMatrix(&matrix);
}

// w / (2 - w) (D / w + L) D^-1 (D / w + L)^T, couplings between patches left out
static void TestSsor(void** state)
{
    SP_UNUSED(state);
    uint64_t seed = 13;
    const double w = 1.5;
    for (int patchCount = 1; patchCount <= 3; ++patchCount)
    {
        Matrix matrix = MakeRandomMatrix(20, 0.3, patchCount, &seed);
        int n = 60;
        double *a = MakeDense(&matrix.rows), *diagonal = calloc((size_t)(n * n), sizeof(double));
        double *upper = calloc((size_t)(n * n), sizeof(double)),
               *lower = calloc((size_t)(n * n), sizeof(double));
        for (int i = 0; i < n; ++i)
        {
            for (int j = 0; j < n; ++j)
            {
                int patchI = spFindPatch(matrix.patchBegin, patchCount, i / 3);
                int patchJ = spFindPatch(matrix.patchBegin, patchCount, j / 3);
                bool kept = j / 3 <= i / 3 && patchI == patchJ;
                diagonal[i + n * j] = i / 3 == j / 3 ? a[i + n * j] : 0.0;
                lower[i + n * j] = kept ? a[i + n * j] / (i / 3 == j / 3 ? w : 1.0) : 0.0;
                upper[j + n * i] = lower[i + n * j];
            }
        }
        SolveDense(diagonal, n, upper, n);
        double* expected = calloc((size_t)(n * n), sizeof(double));
        for (int j = 0; j < n; ++j)
        {
            for (int k = 0; k < n; ++k)
            {
                for (int i = 0; i < n; ++i)
                {
                    expected[i + n * j] += w / (2.0 - w) * lower[i + n * k] * upper[k + n * j];
                }
            }
        }
        spPreconditioner* p = BuildOf(sp_preconditionSsor, &matrix);
        double* dense = MakeP(p, 20);
        CheckDense(dense, expected, n, roundOff);
        p->kind->destroy(p);
        free(dense);
        free(expected);
        free(lower);
        free(upper);
        free(diagonal);
        free(a);
        FreeMatrix(&matrix);
    }
}

static double* MakeIncompleteP(const Matrix* matrix, double dropTolerance)
{
    spPreconditionerDef def = MakeDef(matrix);
    def.dropTolerance = (spReal)dropTolerance;
    spPreconditioner* p = CreateOf(sp_preconditionIncomplete, &def);
    assert_true(p->kind->build(p, &matrix->rows));
    double* dense = MakeP(p, matrix->rows.nodeCount);
    p->kind->destroy(p);
    return dense;
}

// Without dropping it is the matrix; without fill it agrees with the matrix wherever that has a block, and
// with something between it is between
static void TestIncomplete(void** state)
{
    SP_UNUSED(state);
    uint64_t seed = 21;
    Matrix matrix = MakeRandomMatrix(25, 0.2, 1, &seed);
    int n = 75;
    double* a = MakeDense(&matrix.rows);
    double* complete = MakeIncompleteP(&matrix, 0.0);
    CheckDense(complete, a, n, roundOff);

    const double tolerances[] = {1e9, 0.005};
    double errors[2] = {0};
    for (int t = 0; t < 2; ++t)
    {
        double *p = MakeIncompleteP(&matrix, tolerances[t]), size = 0.0;
        for (int i = 0; i < n; ++i)
        {
            for (int j = 0; j < n; ++j)
            {
                bool stored =
                    i / 3 == j / 3 || FindBlock(&matrix.rows, spMaxInt(i, j) / 3, spMinInt(i, j) / 3) != NULL;
                double difference = p[i + n * j] - a[i + n * j];
                size = fmax(size, fabs(a[i + n * j]));
                errors[t] += difference * difference;
                assert_true(stored == false || fabs(difference) <= roundOff * size * 10.0);
            }
        }
        free(p);
    }
    assert_true(errors[1] < errors[0] / 4.0 && errors[1] > 0.0);
    free(complete);
    free(a);
    FreeMatrix(&matrix);
}

// A positive definite matrix whose factor without fill has a negative pivot
// Kershaw. The Incomplete Cholesky-Conjugate Gradient Method. 1978
static void TestBreakdown(void** state)
{
    SP_UNUSED(state);
    int32_t pairs[] = {1, 0, 2, 1, 3, 2, 3, 0};
    Matrix matrix = MakeMatrix(4, pairs, 4, 1);
    for (int i = 0; i < 4; ++i)
    {
        matrix.rows.diagonal[i] = spScaleMat3(3, spIdentityMat3());
        if (i > 0)
        {
            *FindBlock(&matrix.rows, i, i - 1) = spScaleMat3(-2, spIdentityMat3());
        }
    }
    *FindBlock(&matrix.rows, 3, 0) = spScaleMat3(2, spIdentityMat3());
    double* p = MakeIncompleteP(&matrix, 1e9);
    // The diagonal has grown, but not beyond need
    assert_true(p[0] > 3.01 && p[0] < 12.0);
    free(p);
    FreeMatrix(&matrix);
}

#ifdef SOUPLE_HAVE_CHOLMOD

// Largest part of the right-hand side that is left when A z = r is solved
static double FindResidual(spPreconditioner* p, const spBlockRows* rows, const spVec4* r, spVec4* z)
{
    int count = rows->nodeCount, n = 3 * count;
    double* numbers = calloc((size_t)n * 3, sizeof(double));
    double *x = numbers, *b = numbers + n, *ax = numbers + 2 * n;
    p->kind->apply(p, NULL, r, z);
    ToNumbers(z, count, x);
    ToNumbers(r, count, b);
    Multiply(rows, x, ax);
    double size = sqrt(Dot(b, b, n));
    for (int i = 0; i < n; ++i)
    {
        b[i] -= ax[i];
    }
    double residual = sqrt(Dot(b, b, n)) / size;
    free(numbers);
    return residual;
}

// Solves to the precision of the numbers, whatever the pattern
static void TestCholesky(void** state)
{
    SP_UNUSED(state);
    uint64_t seed = 18;
    const double moduli[] = {1e6, 1e6, 1e6};
    for (int which = 0; which < 6; ++which)
    {
        Matrix matrix = which == 0   ? MakeBeamMatrix(4, moduli, 1.0 / 60.0)
                        : which == 1 ? MakeRandomMatrix(1, 0.0, 1, &seed)
                                     : MakeRandomMatrix(20 * which, 0.5 / which, 1, &seed);
        int count = matrix.rows.nodeCount;
        spVec4 *r = MakeRandomNodes(count, &seed), *z = MakeNodes(count);
        spPreconditioner* p = BuildOf(sp_preconditionCholesky, &matrix);
        CHECK_LESS(FindResidual(p, &matrix.rows, r, z), sizeof(spReal) == 8 ? 1e-10 : 1e-5);
        assert_true(p->factorSize >= 6 * (int64_t)count + 9 * (int64_t)matrix.rows.blockCount);
        p->kind->destroy(p);
        free(r);
        free(z);
        FreeMatrix(&matrix);
    }
}

// One node that all others are tied to: eliminated last it fills nothing in, wherever it was
static void TestArrow(void** state)
{
    SP_UNUSED(state);
    uint64_t seed = 19;
    int32_t pairs[2 * 39];
    for (int hub = 0; hub < 40; hub += 13)
    {
        int count = 0;
        for (int i = 0; i < 40; ++i)
        {
            if (i != hub)
            {
                pairs[2 * count] = hub;
                pairs[2 * count + 1] = i;
                count += 1;
            }
        }
        Matrix matrix = MakeMatrix(40, pairs, count, 1);
        FillRandom(&matrix, &seed);
        spPreconditioner* p = BuildOf(sp_preconditionCholesky, &matrix);
        assert_int_equal(p->factorSize, 6 * 40 + 9 * 39);
        p->kind->destroy(p);
        FreeMatrix(&matrix);
    }
}

// Many right-hand sides at once are each what they are alone, bit for bit
static void TestManyColumns(void** state)
{
    SP_UNUSED(state);
    uint64_t seed = 20;
    const double moduli[] = {1e6, 5e4, 1e4};
    for (int which = 0; which < 2; ++which)
    {
        Matrix matrix =
            which == 0 ? MakeBeamMatrix(3, moduli, 1.0 / 60.0) : MakeRandomMatrix(50, 0.1, 1, &seed);
        int count = matrix.rows.nodeCount;
        const int columns = 37;
        spVec4 *r = MakeRandomNodes(columns * count, &seed), *z = MakeNodes(columns * count);
        spVec4* expected = MakeNodes(columns * count);
        for (int lanes = 1; lanes <= spGetBestLaneCount(); lanes *= lanes == 1 ? 4 : 2)
        {
            spPreconditionerDef def = MakeDef(&matrix);
            def.laneCount = lanes;
            spPreconditioner* p = CreateOf(sp_preconditionCholesky, &def);
            assert_true(p->kind->build(p, &matrix.rows));
            for (int k = 0; k < columns; ++k)
            {
                p->kind->apply(p, NULL, r + k * count, expected + k * count);
            }
            for (int workers = 1; workers <= 3; ++workers)
            {
                spHeap heap = spMakeHeap(NULL);
                spTeamDef teamDef = {.workerCount = workers};
                spTeam* team = spCreateTeam(&heap, &teamDef, NULL);
                memset(z, 0, (size_t)(columns * count) * sizeof(spVec4));
                spBeginTeam(team);
                p->kind->applyMany(p, team, r, z, columns);
                spEndTeam(team);
                assert_memory_equal(z, expected, (size_t)(columns * count) * sizeof(spVec4));
                spDestroyTeam(&heap, team);
            }
            p->kind->destroy(p);
        }
        free(r);
        free(z);
        free(expected);
        FreeMatrix(&matrix);
    }
}

#else

static void TestNoCholesky(void** state)
{
    SP_UNUSED(state);
    uint64_t seed = 18;
    Matrix matrix = MakeRandomMatrix(5, 0.5, 1, &seed);
    spPreconditionerDef def = MakeDef(&matrix);
    spError error = SP_ZERO_INIT;
    assert_null(spFindPreconditioner(sp_preconditionCholesky)->create(&def, &error));
    assert_int_equal(error.code, sp_errorUnsupported);
    assert_non_null(strstr(error.message, "libsuitesparse-dev"));
    FreeMatrix(&matrix);
}

#endif

// The better the preconditioner, the fewer iterations
static void TestIterations(void** state)
{
    SP_UNUSED(state);
    const double moduli[] = {1e6, 5e4, 1e4};
    Matrix matrix = MakeBeamMatrix(5, moduli, 0.1);
    int n = 3 * matrix.rows.nodeCount;
    double* b = calloc((size_t)n, sizeof(double));
    for (int i = 0; i < matrix.rows.nodeCount; ++i)
    {
        b[3 * i + 1] = matrix.rows.begin[i] < matrix.rows.begin[i + 1] ? -1.0 : 0.0;
    }
    int last = CountIterations(NULL, &matrix.rows, b, 1e-3);
    print_message("none %d\n", last);
    for (int t = 0; t < SP_COUNT(types); ++t)
    {
        spPreconditioner* p = BuildOf(types[t], &matrix);
        int iterations = CountIterations(p, &matrix.rows, b, 1e-3);
        print_message("%s %d\n", p->kind->name, iterations);
        if (types[t] == sp_preconditionBlockJacobi)
        {
            // About as good as the diagonal
            assert_true(iterations < last * 11 / 10);
        }
        else
        {
            assert_true(iterations < last);
            last = iterations;
        }
        p->kind->destroy(p);
    }
    free(b);
    FreeMatrix(&matrix);
}

// The same bits with any number of workers and lanes
static void TestSameBits(void** state)
{
    SP_UNUSED(state);
    uint64_t seed = 14;
    const double moduli[] = {1e6, 5e4, 1e4};
    Matrix matrix = MakeBeamMatrix(5, moduli, 1.0 / 60.0);
    int count = matrix.rows.nodeCount;
    // The body has one patch: make it several
    matrix.patchCount = 7;
    matrix.patchBegin = realloc(matrix.patchBegin, 8 * sizeof(int32_t));
    for (int p = 0; p <= 7; ++p)
    {
        matrix.patchBegin[p] = count * p / 7;
    }
    spVec4 *r = MakeRandomNodes(count, &seed), *z = MakeNodes(count), *expected = MakeNodes(count);
    for (int t = 0; t < SP_COUNT(types); ++t)
    {
        spPreconditioner* p = BuildOf(types[t], &matrix);
        p->kind->apply(p, NULL, r, expected);
        p->kind->destroy(p);
        for (int lanes = 1; lanes <= spGetBestLaneCount(); lanes *= lanes == 1 ? 4 : 2)
        {
            spPreconditionerDef def = MakeDef(&matrix);
            def.laneCount = lanes;
            p = CreateOf(types[t], &def);
            assert_true(p->kind->build(p, &matrix.rows));
            for (int workers = 1; workers <= 3; ++workers)
            {
                spHeap heap = spMakeHeap(NULL);
                spTeamDef teamDef = {.workerCount = workers};
                spTeam* team = spCreateTeam(&heap, &teamDef, NULL);
                memset(z, 0, (size_t)count * sizeof(spVec4));
                spBeginTeam(team);
                p->kind->apply(p, team, r, z);
                spEndTeam(team);
                assert_memory_equal(z, expected, (size_t)count * sizeof(spVec4));
                spDestroyTeam(&heap, team);
            }
            p->kind->destroy(p);
        }
    }
    free(r);
    free(z);
    free(expected);
    FreeMatrix(&matrix);
}

// Built again with other numbers: no new memory, and as good as new
static void TestBuildAgain(void** state)
{
    SP_UNUSED(state);
    uint64_t seed = 15;
    Matrix matrix = MakeRandomMatrix(60, 0.1, 2, &seed);
    int count = matrix.rows.nodeCount;
    spVec4 *r = MakeRandomNodes(count, &seed), *z = MakeNodes(count), *expected = MakeNodes(count);
    for (int t = 0; t < SP_COUNT(types); ++t)
    {
        FillRandom(&matrix, &seed);
        spPreconditioner* p = BuildOf(types[t], &matrix);
        size_t byteCount = p->heap.byteCount;
        FillRandom(&matrix, &seed);
        assert_true(p->kind->build(p, &matrix.rows));
        assert_true(p->heap.byteCount == byteCount || types[t] == sp_preconditionIncomplete);
        byteCount = p->heap.byteCount;
        assert_true(p->kind->build(p, &matrix.rows));
        assert_int_equal(p->heap.byteCount, byteCount);
        p->kind->apply(p, NULL, r, z);
        p->kind->destroy(p);
        p = BuildOf(types[t], &matrix);
        p->kind->apply(p, NULL, r, expected);
        p->kind->destroy(p);
        assert_memory_equal(z, expected, (size_t)count * sizeof(spVec4));
    }
    free(r);
    free(z);
    free(expected);
    FreeMatrix(&matrix);
}

// A matrix that is not positive definite is refused, and the preconditioner is fine for the next one
static void TestIndefinite(void** state)
{
    SP_UNUSED(state);
    uint64_t seed = 16;
    Matrix matrix = MakeRandomMatrix(30, 0.2, 1, &seed);
    for (int t = 0; t < SP_COUNT(types); ++t)
    {
        spPreconditioner* p = BuildOf(types[t], &matrix);
        spMat3 good = matrix.rows.diagonal[17];
        const spReal bad[] = {-1, 0, NAN, INFINITY};
        for (int k = 0; k < SP_COUNT(bad); ++k)
        {
            matrix.rows.diagonal[17].cy.y = bad[k];
            assert_false(p->kind->build(p, &matrix.rows));
        }
        matrix.rows.diagonal[17] = good;
        assert_true(p->kind->build(p, &matrix.rows));
        p->kind->destroy(p);
    }
    FreeMatrix(&matrix);
}

// Every allocation failing in turn: an error from create, false from build, and nothing leaks
static void TestFailingAllocations(void** state)
{
    SP_UNUSED(state);
    uint64_t seed = 17;
    Matrix matrix = MakeRandomMatrix(30, 0.2, 1, &seed);
    for (int t = 0; t < SP_COUNT(types); ++t)
    {
        FailingAllocator counter = {.failAt = 0, .failAfter = true};
        spPreconditionerDef def = MakeDef(&matrix);
        def.allocator = MakeFailingAllocator(&counter);
        bool built = false;
        for (; built == false; ++counter.failAt)
        {
            assert_true(counter.failAt < 200);
            counter.count = 0;
            spError error = SP_ZERO_INIT;
            spPreconditioner* p = spFindPreconditioner(types[t])->create(&def, &error);
            assert_true(p != NULL || error.code == sp_errorOutOfMemory);
            if (p != NULL)
            {
                built = p->kind->build(p, &matrix.rows);
                p->kind->destroy(p);
            }
            assert_int_equal(counter.out, 0);
        }
        assert_true(counter.failAt > 2);
    }
    FreeMatrix(&matrix);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestSymmetric),
        cmocka_unit_test(TestJacobi),
        cmocka_unit_test(TestSsor),
        cmocka_unit_test(TestIncomplete),
        cmocka_unit_test(TestBreakdown),
#ifdef SOUPLE_HAVE_CHOLMOD
        cmocka_unit_test(TestCholesky),
        cmocka_unit_test(TestArrow),
        cmocka_unit_test(TestManyColumns),
#else
        cmocka_unit_test(TestNoCholesky),
#endif
        cmocka_unit_test(TestIterations),
        cmocka_unit_test(TestSameBits),
        cmocka_unit_test(TestBuildAgain),
        cmocka_unit_test(TestIndefinite),
        cmocka_unit_test(TestFailingAllocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
