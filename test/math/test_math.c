// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Vectors, quaternions, 3x3 matrices and their decompositions, on random input of every degenerate family.
// Errors are measured in double from the results as they were returned.

#include "math/decompose.h"
#include "math/mat3.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "testbed/check.h"

#include <float.h>

#ifdef SOUPLE_DOUBLE_PRECISION
#define TOLERANCE 1.0e-13
#define UNIT_ROUNDOFF (0.5 * DBL_EPSILON)
#define REAL_MAX DBL_MAX
#define REAL_TRUE_MIN DBL_TRUE_MIN
#else
#define TOLERANCE 1.0e-6
#define UNIT_ROUNDOFF (0.5 * FLT_EPSILON)
#define REAL_MAX FLT_MAX
#define REAL_TRUE_MIN FLT_TRUE_MIN
#endif

#define SAMPLE_COUNT 4000

typedef struct Dense
{
    double m[3][3]; // row, column
} Dense;

static Dense MakeDense(spMat3 a)
{
    Dense d = {{{a.cx.x, a.cy.x, a.cz.x}, {a.cx.y, a.cy.y, a.cz.y}, {a.cx.z, a.cy.z, a.cz.z}}};
    return d;
}

static Dense MulDense(Dense a, Dense b)
{
    Dense c;
    for (int i = 0; i < 3; ++i)
    {
        for (int j = 0; j < 3; ++j)
        {
            c.m[i][j] = a.m[i][0] * b.m[0][j] + a.m[i][1] * b.m[1][j] + a.m[i][2] * b.m[2][j];
        }
    }
    return c;
}

static Dense TransposeDense(Dense a)
{
    Dense b;
    for (int i = 0; i < 3; ++i)
    {
        for (int j = 0; j < 3; ++j)
        {
            b.m[i][j] = a.m[j][i];
        }
    }
    return b;
}

static double MaxDense(Dense a)
{
    double largest = 0.0;
    for (int i = 0; i < 9; ++i)
    {
        double entry = fabs(a.m[i / 3][i % 3]);
        largest = !(entry <= largest) ? entry : largest; // keeps NaN
    }
    return largest;
}

static double DifferenceDense(Dense a, Dense b)
{
    for (int i = 0; i < 9; ++i)
    {
        a.m[i / 3][i % 3] -= b.m[i / 3][i % 3];
    }
    return MaxDense(a);
}

static Dense DiagonalDense(spVec3 d)
{
    Dense a = {{{d.x, 0, 0}, {0, d.y, 0}, {0, 0, d.z}}};
    return a;
}

static void CheckRotation(spMat3 r)
{
    Dense d = MakeDense(r);
    Dense identity = MakeDense(spIdentityMat3());
    CHECK_LESS(DifferenceDense(MulDense(TransposeDense(d), d), identity), TOLERANCE);
    CHECK_NEAR(spDeterminant3(r), 1.0, TOLERANCE);
}

static spReal RandomReal(uint64_t* seed)
{
    return (spReal)spRandomRange(seed, -1.0, 1.0);
}

static spVec3 RandomVec3(uint64_t* seed)
{
    spReal x = RandomReal(seed), y = RandomReal(seed), z = RandomReal(seed);
    return spMakeVec3(x, y, z);
}

static spMat3 RandomMat3(uint64_t* seed)
{
    spVec3 x = RandomVec3(seed), y = RandomVec3(seed), z = RandomVec3(seed);
    return spMakeMat3(x, y, z);
}

static spQuat RandomQuat(uint64_t* seed)
{
    spQuat q;
    spReal length;
    do
    {
        q = spMakeQuat(RandomReal(seed), RandomReal(seed), RandomReal(seed), RandomReal(seed));
        length = spDotQuat(q, q);
    } while (length < (spReal)0.01 || length > 1);
    return spNormalizeQuat(q);
}

static spMat3 RandomRotation(uint64_t* seed)
{
    return spMat3FromQuat(RandomQuat(seed));
}

// U diag(d) V^T with random rotations
static spMat3 RandomWithValues(uint64_t* seed, double x, double y, double z)
{
    spMat3 u = RandomRotation(seed);
    spMat3 v = RandomRotation(seed);
    return spMulMatT3(spMulMat3(u, spDiagonalMat3(spMakeVec3((spReal)x, (spReal)y, (spReal)z))), v);
}

// Small whole numbers: exact products, many ties, zeros and dependent columns
static spMat3 RandomWhole(uint64_t* seed, int range)
{
    spReal a[9];
    for (int i = 0; i < 9; ++i)
    {
        a[i] = (spReal)((int)(spNextRandom(seed) % (uint64_t)(2 * range + 1)) - range);
    }
    spMat3 b = {{a[0], a[1], a[2]}, {a[3], a[4], a[5]}, {a[6], a[7], a[8]}};
    return b;
}

typedef enum Family
{
    familyRandom,
    familyRotation,
    familyReflection,
    familyRankTwo,
    familyRankTwoExact,
    familyRankOne,
    familyRankOneExact,
    familyNearlyRankTwo,
    familyNearlyRankOne,
    familyEqualPair,
    familyEqualReflected,
    familyNearlyEqual,
    familySmallStrain,
    familyDiagonal,
    familySigns,
    familyTernary,
    familyWhole,
    familyGraded,
    familyTiny,
    familyHuge,
    familySubnormal,
    familyLargest,
    familyMixedColumns,
    familyZero,
    familyCount
} Family;

static const char* const familyNames[familyCount] = {
    "random",        "rotation",      "reflection",    "rank 2",     "rank 2, exact",    "rank 1",
    "rank 1, exact", "nearly rank 2", "nearly rank 1", "equal pair", "equal, reflected", "nearly equal",
    "small strain",  "diagonal",      "signs",         "-1, 0, 1",   "whole numbers",    "graded",
    "tiny",          "huge",          "subnormal",     "largest",    "mixed columns",    "zero",
};

static spMat3 MakeSample(Family family, uint64_t* seed)
{
    double p = spRandomRange(seed, 0.1, 2.0);
    double q = spRandomRange(seed, 0.1, 2.0);
    double eps = 2.0 * UNIT_ROUNDOFF;
    switch (family)
    {
        case familyRandom:
            return RandomMat3(seed);
        case familyRotation:
            return RandomRotation(seed);
        case familyReflection:
            return RandomWithValues(seed, p, q, -0.05);
        case familyRankTwo:
            return RandomWithValues(seed, p, q, 0.0);
        case familyRankTwoExact:
        {
            spMat3 a = RandomMat3(seed);
            a.cz = spScale3(-2, a.cx);
            return a;
        }
        case familyRankOne:
            return spOuter3(RandomVec3(seed), RandomVec3(seed));
        case familyRankOneExact:
        {
            spVec3 a = RandomVec3(seed);
            return spMakeMat3(spScale3(2, a), spScale3(-1, a), spScale3((spReal)0.5, a));
        }
        case familyNearlyRankTwo:
            return RandomWithValues(seed, p, q, eps * spRandomRange(seed, -4.0, 4.0));
        case familyNearlyRankOne:
            return RandomWithValues(seed, p, eps * q, eps * spRandomRange(seed, -4.0, 4.0));
        case familyEqualPair:
            return RandomWithValues(seed, p, p, spRandomRange(seed, -2.0, 2.0));
        case familyEqualReflected:
            return RandomWithValues(seed, p, p, -p);
        case familyNearlyEqual:
            return RandomWithValues(seed, 1.0, 1.0 + 3.0 * eps, 1.0 - 5.0 * eps);
        case familySmallStrain:
            return spMulAddMat3(spIdentityMat3(), (spReal)1.0e-5, RandomMat3(seed));
        case familyDiagonal:
            return spDiagonalMat3(RandomVec3(seed));
        case familySigns:
        {
            spMat3 a = RandomWhole(seed, 1);
            return spMakeMat3(spMakeVec3(a.cx.x < 0 ? -1 : 1, 0, 0), spMakeVec3(0, a.cy.x < 0 ? -1 : 1, 0),
                              spMakeVec3(0, 0, a.cz.x < 0 ? -1 : 1));
        }
        case familyTernary:
            return RandomWhole(seed, 1);
        case familyWhole:
            return RandomWhole(seed, 5);
        case familyGraded:
            return RandomWithValues(seed, 1.0, pow(10.0, spRandomRange(seed, -12.0, 0.0)),
                                    pow(10.0, spRandomRange(seed, -18.0, 0.0)));
        case familyTiny:
            return spScaleMat3((spReal)1.0e-18, RandomMat3(seed));
        case familyHuge:
            return spScaleMat3((spReal)1.0e18, RandomMat3(seed));
        case familySubnormal:
            return spScaleMat3((spReal)(REAL_TRUE_MIN * 64.0), RandomMat3(seed));
        case familyLargest:
            return spScaleMat3((spReal)(REAL_MAX / 4.0), RandomMat3(seed));
        case familyMixedColumns:
        {
            spMat3 a = RandomMat3(seed);
            return spMakeMat3(spScale3((spReal)1.0e-18, a.cx), spScale3((spReal)1.0e18, a.cy), a.cz);
        }
        case familyZero:
        default:
            return spZeroMat3();
    }
}

// The power of two that makes the largest entry about 1, so that the checks themselves do not overflow. What
// spReal cannot hold to full precision near zero may be off by one subnormal step: *slack, after scaling.
static Dense ScaleDense(Dense a, double* factor, double* slack)
{
    int exponent = 0;
    frexp(MaxDense(a), &exponent);
    *slack = ldexp(REAL_TRUE_MIN, -exponent);
    *factor = -(double)exponent;
    for (int i = 0; i < 9; ++i)
    {
        a.m[i / 3][i % 3] = ldexp(a.m[i / 3][i % 3], -exponent);
    }
    return a;
}

static Dense ApplyScale(Dense a, double factor)
{
    for (int i = 0; i < 9; ++i)
    {
        a.m[i / 3][i % 3] = ldexp(a.m[i / 3][i % 3], (int)factor);
    }
    return a;
}

static void TestVec3(void** state)
{
    (void)state;
    uint64_t seed = 0x51;
    for (int i = 0; i < SAMPLE_COUNT; ++i)
    {
        spVec3 a = RandomVec3(&seed), b = RandomVec3(&seed), c = RandomVec3(&seed);
        spVec3 n = spCross3(a, b);
        CHECK_NEAR(spDot3(n, a), 0.0, TOLERANCE);
        CHECK_NEAR(spDot3(n, b), 0.0, TOLERANCE);
        // |a x b|^2 = |a|^2 |b|^2 - (a.b)^2
        CHECK_NEAR(spLengthSquared3(n),
                   spLengthSquared3(a) * spLengthSquared3(b) - spDot3(a, b) * spDot3(a, b), 10 * TOLERANCE);
        spMat3 m = spMakeMat3(a, b, c);
        CHECK_NEAR(spDot3(n, c), spDeterminant3(m), TOLERANCE);
        CHECK_NEAR(spDistance3(spMulAdd3(a, 2, b), spAdd3(a, spScale3(2, b))), 0.0, TOLERANCE);
        CHECK_NEAR(spDistance3(spMulSub3(a, 2, b), spSub3(a, spScale3(2, b))), 0.0, TOLERANCE);
        CHECK_NEAR(spLength3(spNormalize3(a)), 1.0, TOLERANCE);
        CHECK_NEAR(spLength3(spAdd3(a, spNeg3(a))), 0.0, 0.0);
        CHECK_NEAR(spDistance3(spLerp3(a, b, 0), a), 0.0, 0.0);
        CHECK_NEAR(spDistance3(spLerp3(a, b, 1), b), 0.0, 0.0);
        CHECK_NEAR(spDistance3(spAdd3(spMin3(a, b), spMax3(a, b)), spAdd3(a, b)), 0.0, TOLERANCE);
        CHECK_NEAR(spDistance3(spMul3(spAbs3(a), spAbs3(a)), spMul3(a, a)), 0.0, 0.0);

        spVec3 unit = spNormalize3(a);
        spVec3 p = spPerpendicular3(unit);
        CHECK_NEAR(spLength3(p), 1.0, TOLERANCE);
        CHECK_NEAR(spDot3(unit, p), 0.0, TOLERANCE);
    }

    // Safe where squares leave the range of float
    spReal length = -1;
    spVec3 zero = spMakeVec3(0, 0, 0);
    CHECK_NEAR(spLength3(spNormalizeLength3(zero, &length)), 0.0, 0.0);
    CHECK_NEAR(length, 0.0, 0.0);
    CHECK_NEAR(spLength3(spNormalize3(spMakeVec3((spReal)1.0e-30, 0, 0))), 1.0, TOLERANCE);
    CHECK_NEAR(spLength3(spNormalize3(spMakeVec3((spReal)1.0e30, (spReal)-1.0e30, 0))), 1.0, TOLERANCE);
    CHECK_NEAR(spLength3(spMakeVec3((spReal)3.0e30, (spReal)4.0e30, 0)) / 5.0e30, 1.0, TOLERANCE);
    CHECK_NEAR(spLength3(spNormalize3(spMakeVec3((spReal)NAN, 0, 1))), 0.0, 0.0);
    CHECK_NEAR(spLength3(spNormalize3(spMakeVec3((spReal)INFINITY, 0, 1))), 0.0, 0.0);
    assert_true(spIsFinite3(spMakeVec3(1, 2, 3)));
    assert_false(spIsFinite3(spMakeVec3(1, (spReal)NAN, 3)));
    assert_false(spIsFinite3(spMakeVec3(1, 2, (spReal)-INFINITY)));
}

static void TestQuat(void** state)
{
    (void)state;
    uint64_t seed = 0x52;
    for (int i = 0; i < SAMPLE_COUNT; ++i)
    {
        spQuat p = RandomQuat(&seed), q = RandomQuat(&seed);
        spVec3 a = RandomVec3(&seed), b = RandomVec3(&seed);

        // Rotations keep lengths and handedness; products and matrices agree
        CHECK_NEAR(spLength3(spRotate(q, a)), spLength3(a), 4 * TOLERANCE);
        CHECK_NEAR(spDistance3(spRotate(q, spCross3(a, b)), spCross3(spRotate(q, a), spRotate(q, b))), 0.0,
                   4 * TOLERANCE);
        CHECK_NEAR(spDistance3(spRotate(spMulQuat(p, q), a), spRotate(p, spRotate(q, a))), 0.0,
                   4 * TOLERANCE);
        CHECK_NEAR(spDistance3(spMulMV3(spMat3FromQuat(q), a), spRotate(q, a)), 0.0, 4 * TOLERANCE);
        CHECK_NEAR(spDistance3(spInvRotate(q, spRotate(q, a)), a), 0.0, 4 * TOLERANCE);
        CheckRotation(spMat3FromQuat(q));

        // Matrix and back, up to the sign
        CHECK_NEAR(fabs(spDotQuat(spQuatFromMat3(spMat3FromQuat(q)), q)), 1.0, TOLERANCE);

        // Exponential and logarithm
        spVec3 v = spRotationVectorFromQuat(q);
        assert_true(spLength3(v) < 3.1415927 + TOLERANCE);
        CHECK_NEAR(fabs(spDotQuat(spQuatFromRotationVector(v), q)), 1.0, TOLERANCE);
        CHECK_NEAR(spDistance3(spRotationVectorFromQuat(spQuatFromRotationVector(a)), a), 0.0, 4 * TOLERANCE);
        spQuat r = spQuatFromAxisAngle(spScale3(7, a), spLength3(a));
        CHECK_NEAR(fabs(spDotQuat(r, spQuatFromRotationVector(a))), 1.0, TOLERANCE);

        // Placements
        spTransform s = {a, p}, t = {b, q};
        spVec3 c = RandomVec3(&seed);
        CHECK_NEAR(spDistance3(spInvTransformPoint(t, spTransformPoint(t, c)), c), 0.0, 8 * TOLERANCE);
        CHECK_NEAR(spDistance3(spTransformPoint(spInvTransform(t), spTransformPoint(t, c)), c), 0.0,
                   8 * TOLERANCE);
        CHECK_NEAR(spDistance3(spTransformPoint(spMulTransform(s, t), c),
                               spTransformPoint(s, spTransformPoint(t, c))),
                   0.0, 8 * TOLERANCE);

        // Between two: ends, and half way is the same by both
        CHECK_NEAR(fabs(spDotQuat(spSlerp(p, q, 0), p)), 1.0, TOLERANCE);
        CHECK_NEAR(fabs(spDotQuat(spSlerp(p, q, 1), q)), 1.0, TOLERANCE);
        CHECK_NEAR(fabs(spDotQuat(spNlerp(p, q, 1), q)), 1.0, TOLERANCE);
        if (fabs(spDotQuat(p, q)) > 0.01)
        {
            CHECK_NEAR(fabs(spDotQuat(spNlerp(p, q, (spReal)0.5), spSlerp(p, q, (spReal)0.5))), 1.0,
                       TOLERANCE);
        }
        // Constant angular velocity: a third of the way is a third of the angle
        double whole = spLength3(spRotationVectorFromQuat(spMulQuat(q, spConjugate(p))));
        spQuat third = spSlerp(p, q, (spReal)(1.0 / 3.0));
        double part = spLength3(spRotationVectorFromQuat(spMulQuat(third, spConjugate(p))));
        CHECK_NEAR(3.0 * part, whole, 20 * TOLERANCE);
        spTransform middle = spLerpTransform(s, t, (spReal)0.25);
        CHECK_NEAR(spDistance3(middle.position, spLerp3(a, b, (spReal)0.25)), 0.0, 0.0);
    }

    CHECK_NEAR(spIdentityTransform().rotation.w, 1.0, 0.0);
    CHECK_NEAR(spNormalizeQuat(spMakeQuat(0, 0, 0, 0)).w, 1.0, 0.0);
    CHECK_NEAR(spNormalizeQuat(spMakeQuat((spReal)NAN, 0, 0, 1)).w, 1.0, 0.0);
    CHECK_NEAR(spQuatFromAxisAngle(spMakeVec3(0, 0, 0), 1).w, 1.0, 0.0);
    assert_true(spIsFiniteQuat(spQuatFromRotationVector(spMakeVec3((spReal)NAN, 0, 0))));
    assert_false(spIsFiniteQuat(spMakeQuat(0, (spReal)INFINITY, 0, 0)));

    // A quarter turn about z takes x to y
    spVec3 y =
        spRotate(spQuatFromAxisAngle(spMakeVec3(0, 0, 2), (spReal)1.5707963267948966), spMakeVec3(1, 0, 0));
    CHECK_NEAR(spDistance3(y, spMakeVec3(0, 1, 0)), 0.0, TOLERANCE);
}

static void TestIntegrateQuat(void** state)
{
    (void)state;
    // 1000 steps at constant angular velocity are one rotation by the whole angle
    spVec3 omega = spMakeVec3((spReal)0.3, (spReal)-1.1, (spReal)2.0);
    spReal h = (spReal)(1.0 / 512.0);
    uint64_t seed = 0x53;
    spQuat start = RandomQuat(&seed);
    spQuat q = start;
    for (int i = 0; i < 1024; ++i)
    {
        q = spIntegrateQuat(q, omega, h);
    }
    CHECK_NEAR(spDotQuat(q, q), 1.0, TOLERANCE);
    spQuat expected = spMulQuat(spQuatFromRotationVector(spScale3(2, omega)), start);
    CHECK_NEAR(fabs(spDotQuat(q, expected)), 1.0, TOLERANCE);
    CHECK_NEAR(spDistance3(spRotate(q, omega), spRotate(expected, omega)), 0.0, 100 * TOLERANCE);

    // At rest nothing changes, and bad input does no harm
    spQuat rest = spIntegrateQuat(start, spMakeVec3(0, 0, 0), h);
    CHECK_NEAR(fabs(spDotQuat(rest, start)), 1.0, TOLERANCE);
    assert_true(spIsFiniteQuat(spIntegrateQuat(start, spMakeVec3((spReal)NAN, 0, 0), h)));
}

static void TestMat3(void** state)
{
    (void)state;
    uint64_t seed = 0x54;
    for (int i = 0; i < SAMPLE_COUNT; ++i)
    {
        spMat3 a = RandomMat3(&seed), b = RandomMat3(&seed);
        spVec3 u = RandomVec3(&seed), v = RandomVec3(&seed);
        Dense da = MakeDense(a), db = MakeDense(b);

        CHECK_LESS(DifferenceDense(MakeDense(spMulMat3(a, b)), MulDense(da, db)), TOLERANCE);
        CHECK_LESS(DifferenceDense(MakeDense(spMulTMat3(a, b)), MulDense(TransposeDense(da), db)), TOLERANCE);
        CHECK_LESS(DifferenceDense(MakeDense(spMulMatT3(a, b)), MulDense(da, TransposeDense(db))), TOLERANCE);
        CHECK_NEAR(spDot3(u, spMulMV3(a, v)), spDot3(spMulTMV3(a, u), v), 4 * TOLERANCE);
        CHECK_NEAR(spDotMat3(spOuter3(u, v), a), spDot3(u, spMulMV3(a, v)), 4 * TOLERANCE);
        CHECK_NEAR(spDistance3(spMulMV3(spSkew3(u), v), spCross3(u, v)), 0.0, TOLERANCE);
        CHECK_NEAR(spTrace3(spMulTMat3(a, a)), spNormMat3(a) * spNormMat3(a), 8 * TOLERANCE);
        CHECK_NEAR(spDeterminant3(spMulMat3(a, b)), spDeterminant3(a) * spDeterminant3(b), 8 * TOLERANCE);
        spMat3 symmetric = spSymmetricPart3(a);
        CHECK_NEAR(spNormMat3(spSubMat3(symmetric, spTransposeMat3(symmetric))), 0.0, 0.0);
        CHECK_NEAR(spNormMat3(spSubMat3(spMulAddMat3(a, -1, a), spZeroMat3())), 0.0, 0.0);
        CHECK_NEAR(spNormMat3(spSubMat3(spAddMat3(a, a), spScaleMat3(2, a))), 0.0, 0.0);

        spMat3 inverse;
        if (fabs(spDeterminant3(a)) > 0.1)
        {
            assert_true(spInvertMat3(a, &inverse));
            CHECK_LESS(DifferenceDense(MulDense(da, MakeDense(inverse)), MakeDense(spIdentityMat3())),
                       20 * TOLERANCE);
        }
    }

    // Beyond the range of float in between
    spMat3 inverse;
    for (int i = 0; i < 2; ++i)
    {
        spReal scale = (spReal)(i == 0 ? 1.0e-18 : 1.0e18);
        assert_true(spInvertMat3(spScaleMat3(scale, spIdentityMat3()), &inverse));
        CHECK_NEAR(inverse.cx.x * scale, 1.0, TOLERANCE);
    }
    spMat3 singular = spMakeMat3(spMakeVec3(1, 2, 3), spMakeVec3(2, 4, 6), spMakeVec3(0, 1, 0));
    assert_false(spInvertMat3(singular, &inverse));
    CHECK_NEAR(spNormMat3(inverse), 0.0, 0.0);
    assert_false(spInvertMat3(spScaleMat3((spReal)NAN, singular), &inverse));
    CHECK_NEAR(spNormMat3(inverse), 0.0, 0.0);
}

static void TestSymmetric(void** state)
{
    (void)state;
    for (Family family = 0; family < familyCount; ++family)
    {
        uint64_t seed = 0x600 + (uint64_t)family;
        print_message("%s: seed 0x%llx\n", familyNames[family], (unsigned long long)seed);
        double worst = 0.0;
        for (int i = 0; i < SAMPLE_COUNT; ++i)
        {
            spMat3 a = spSymmetricPart3(MakeSample(family, &seed));
            spMat3 v;
            spVec3 d;
            assert_true(spDecomposeSymmetric3(a, &v, &d));
            double scale = fabs((double)d.x) + fabs((double)d.z);
            if (scale < 1e15 && scale > 1e-15)
            {
                spMat3 symmetric = spSymmetricPart3(a);
                CHECK_NEAR(spGetLargestEigenvalue3(symmetric), d.x, 2e-6 * scale);
            }
            CheckRotation(v);
            assert_true(d.x >= d.y && d.y >= d.z);

            double factor, slack;
            Dense scaled = ScaleDense(MakeDense(a), &factor, &slack);
            Dense dv = MakeDense(v);
            Dense back = MulDense(MulDense(dv, ApplyScale(DiagonalDense(d), factor)), TransposeDense(dv));
            double error = DifferenceDense(back, scaled);
            CHECK_LESS(error, TOLERANCE + 4.0 * slack);
            worst = fmax(worst, error - 4.0 * slack);
        }
        print_message("  reconstruction %.1e\n", worst);
    }
}

static void TestSingular(void** state)
{
    (void)state;
    for (Family family = 0; family < familyCount; ++family)
    {
        uint64_t seed = 0x700 + (uint64_t)family;
        print_message("%s: seed 0x%llx\n", familyNames[family], (unsigned long long)seed);
        double worst = 0.0;
        for (int i = 0; i < SAMPLE_COUNT; ++i)
        {
            spMat3 a = MakeSample(family, &seed);
            spMat3 u, v;
            spVec3 s;
            assert_true(spDecomposeSingular3(a, &u, &s, &v));
            CheckRotation(u);
            CheckRotation(v);
            assert_true(spIsFinite3(s));
            assert_true(s.x >= s.y && s.y >= (s.z < 0 ? -s.z : s.z));

            double factor, slack;
            Dense scaled = ScaleDense(MakeDense(a), &factor, &slack);
            Dense ds = ApplyScale(DiagonalDense(s), factor);
            Dense back = MulDense(MulDense(MakeDense(u), ds), TransposeDense(MakeDense(v)));
            double error = DifferenceDense(back, scaled);
            CHECK_LESS(error, TOLERANCE + 4.0 * slack);
            worst = fmax(worst, error - 4.0 * slack);

            // The last value carries the sign of the determinant, where that is not rounding
            double det =
                scaled.m[0][0] * (scaled.m[1][1] * scaled.m[2][2] - scaled.m[1][2] * scaled.m[2][1]) -
                scaled.m[0][1] * (scaled.m[1][0] * scaled.m[2][2] - scaled.m[1][2] * scaled.m[2][0]) +
                scaled.m[0][2] * (scaled.m[1][0] * scaled.m[2][1] - scaled.m[1][1] * scaled.m[2][0]);
            if (fabs(det) > 1.0e-14)
            {
                assert_true(s.z == 0 || (det < 0.0) == (s.z < 0));
            }
            CHECK_NEAR(ds.m[0][0] * ds.m[1][1] * ds.m[2][2], det, 10.0 * (TOLERANCE + 4.0 * slack));
        }
        print_message("  reconstruction %.1e\n", worst);
    }
}

static void TestSingularValuesKnown(void** state)
{
    (void)state;
    // Small values keep their digits: columns of very different length, at right angles
    spMat3 a = spDiagonalMat3(spMakeVec3((spReal)1.0e-5, -1, (spReal)1.0e-10));
    spMat3 u, v;
    spVec3 s;
    assert_true(spDecomposeSingular3(a, &u, &s, &v));
    CHECK_NEAR(s.x, 1.0, 0.0);
    CHECK_NEAR(s.y / (spReal)1.0e-5, 1.0, TOLERANCE);
    CHECK_NEAR(s.z / (spReal)1.0e-10, -1.0, TOLERANCE);

    // Values that were put in come out
    uint64_t seed = 0x800;
    for (int i = 0; i < SAMPLE_COUNT; ++i)
    {
        a = RandomWithValues(&seed, 2.0, 1.0, -0.5);
        assert_true(spDecomposeSingular3(a, &u, &s, &v));
        CHECK_NEAR(s.x, 2.0, 4 * TOLERANCE);
        CHECK_NEAR(s.y, 1.0, 4 * TOLERANCE);
        CHECK_NEAR(s.z, -0.5, 4 * TOLERANCE);
    }
}

static void TestPolar(void** state)
{
    (void)state;
    for (Family family = 0; family < familyCount; ++family)
    {
        uint64_t seed = 0x900 + (uint64_t)family;
        print_message("%s: seed 0x%llx\n", familyNames[family], (unsigned long long)seed);
        double worst = 0.0;
        for (int i = 0; i < SAMPLE_COUNT; ++i)
        {
            spMat3 a = MakeSample(family, &seed);
            spMat3 r, s;
            assert_true(spDecomposePolar3(a, &r, &s));
            CheckRotation(r);
            assert_true(spIsFiniteMat3(s));
            CHECK_NEAR(MaxDense(MakeDense(spSubMat3(s, spTransposeMat3(s)))), 0.0, 0.0);

            double factor, slack;
            Dense scaled = ScaleDense(MakeDense(a), &factor, &slack);
            Dense ds = ApplyScale(MakeDense(s), factor);
            double error = DifferenceDense(MulDense(MakeDense(r), ds), scaled);
            CHECK_LESS(error, TOLERANCE + 4.0 * slack);
            worst = fmax(worst, error - 4.0 * slack);

            // No other rotation is nearer: tr(Q^T A) <= tr(S) for nearby and for far rotations Q
            Dense dr = MakeDense(r);
            Dense q = i % 2 == 0 ? MakeDense(RandomRotation(&seed))
                                 : MulDense(MakeDense(spMat3FromQuat(spQuatFromRotationVector(
                                                spScale3((spReal)1.0e-2, RandomVec3(&seed))))),
                                            dr);
            Dense qa = MulDense(TransposeDense(q), scaled);
            assert_true(qa.m[0][0] + qa.m[1][1] + qa.m[2][2] <=
                        ds.m[0][0] + ds.m[1][1] + ds.m[2][2] + 20.0 * (TOLERANCE + slack));
        }
        print_message("  reconstruction %.1e\n", worst);
    }
}

static void TestPolarKnown(void** state)
{
    (void)state;
    uint64_t seed = 0xA00;
    spMat3 r, s;
    for (int i = 0; i < SAMPLE_COUNT; ++i)
    {
        // A stretch that was turned: both come back
        spMat3 turn = RandomRotation(&seed);
        spMat3 v = RandomRotation(&seed);
        spMat3 stretch = spMulMatT3(
            spMulMat3(v, spDiagonalMat3(spMakeVec3(2, 1, (spReal)spRandomRange(&seed, 0.1, 1.0)))), v);
        assert_true(spDecomposePolar3(spMulMat3(turn, stretch), &r, &s));
        CHECK_LESS(DifferenceDense(MakeDense(r), MakeDense(turn)), 10 * TOLERANCE);
        CHECK_LESS(DifferenceDense(MakeDense(s), MakeDense(stretch)), 10 * TOLERANCE);

        // Rank 1: the smallest rotation from v to u
        spVec3 from = spNormalize3(RandomVec3(&seed));
        spVec3 to = spNormalize3(RandomVec3(&seed));
        if (spDot3(from, to) > (spReal)-0.99)
        {
            spMat3 exact = spOuter3(to, spMakeVec3(1, 0, 0)); // A = to ex^T is rank 1 to the bit
            assert_true(spDecomposePolar3(exact, &r, &s));
            CHECK_LESS(spDistance3(r.cx, to), TOLERANCE);
            if (to.x > (spReal)-0.99)
            {
                // The angle of R is the angle between ex and `to`: tr R = 1 + 2 cos
                CHECK_NEAR(spTrace3(r), 1.0 + 2.0 * to.x, 10 * TOLERANCE);
            }
        }
    }

    // A point has no rotation
    assert_true(spDecomposePolar3(spZeroMat3(), &r, &s));
    CHECK_NEAR(MaxDense(MakeDense(spSubMat3(r, spIdentityMat3()))), 0.0, 0.0);
    CHECK_NEAR(MaxDense(MakeDense(s)), 0.0, 0.0);

    // -1 is a mirror: R is a half turn about some axis, S has two values 1 and one -1
    assert_true(spDecomposePolar3(spScaleMat3(-1, spIdentityMat3()), &r, &s));
    CheckRotation(r);
    CHECK_NEAR(spTrace3(r), -1.0, TOLERANCE);
    CHECK_NEAR(spTrace3(s), 1.0, TOLERANCE);
}

// |dR| <= 2 |dA| / (s1 + s2), the bound for proper rotations with the smallest pair of values, s2 with its
// sign
static void TestPolarContinuity(void** state)
{
    (void)state;
    uint64_t seed = 0xB00;
    print_message("seed 0x%llx\n", (unsigned long long)seed);
    int used = 0;
    for (int i = 0; i < SAMPLE_COUNT; ++i)
    {
        spMat3 a = i % 2 == 0 ? RandomMat3(&seed) : MakeSample(familyNearlyEqual, &seed);
        double size = pow(10.0, spRandomRange(&seed, -6.0, -2.0));
        spMat3 b = spMulAddMat3(a, (spReal)size, RandomMat3(&seed));
        spMat3 u, v, r0, r1, s0, s1;
        spVec3 d;
        assert_true(spDecomposeSingular3(a, &u, &d, &v));
        assert_true(spDecomposePolar3(a, &r0, &s0));
        assert_true(spDecomposePolar3(b, &r1, &s1));
        double gap = (double)d.y + d.z;
        double change = spNormMat3(spSubMat3(b, a));
        if (gap < 0.2)
        {
            continue;
        }
        ++used;
        CHECK_LESS(spNormMat3(spSubMat3(r1, r0)), 2.0 * 1.2 * change / gap + 10 * TOLERANCE);
        CHECK_LESS(spNormMat3(spSubMat3(s1, s0)),
                   change + spNormMat3(a) * 2.0 * 1.2 * change / gap + 10 * TOLERANCE);

        // Singular values move by no more than the matrix does
        spVec3 d1;
        assert_true(spDecomposeSingular3(b, &u, &d1, &v));
        CHECK_LESS(fabs((double)d1.x - d.x), change + TOLERANCE);
        CHECK_LESS(fabs((double)d1.y - d.y), change + TOLERANCE);
        CHECK_LESS(fabs((double)d1.z - d.z), change + TOLERANCE);
    }
    assert_true(used > SAMPLE_COUNT / 2);
}

static void TestNotFinite(void** state)
{
    (void)state;
    const spReal bad[3] = {(spReal)NAN, (spReal)INFINITY, (spReal)-INFINITY};
    for (int k = 0; k < 27; ++k)
    {
        spReal a[9] = {1, 2, 3, 4, 5, 6, 7, 8, 10};
        a[k / 3] = bad[k % 3];
        spMat3 m = {{a[0], a[1], a[2]}, {a[3], a[4], a[5]}, {a[6], a[7], a[8]}};
        spMat3 u, v, r, s;
        spVec3 d;
        Dense identity = MakeDense(spIdentityMat3());
        assert_false(spDecomposeSingular3(m, &u, &d, &v));
        CHECK_NEAR(DifferenceDense(MakeDense(u), identity), 0.0, 0.0);
        CHECK_NEAR(DifferenceDense(MakeDense(v), identity), 0.0, 0.0);
        CHECK_NEAR(spLength3(d), 0.0, 0.0);
        assert_false(spDecomposePolar3(m, &r, &s));
        CHECK_NEAR(DifferenceDense(MakeDense(r), identity), 0.0, 0.0);
        CHECK_NEAR(MaxDense(MakeDense(s)), 0.0, 0.0);
        assert_false(spDecomposeSymmetric3(m, &v, &d));
        CHECK_NEAR(DifferenceDense(MakeDense(v), identity), 0.0, 0.0);
        CHECK_NEAR(spLength3(d), 0.0, 0.0);
    }

    // The largest numbers there are: finite, and cut rather than infinite
    spVec3 most = spMakeVec3((spReal)REAL_MAX, (spReal)REAL_MAX, (spReal)REAL_MAX);
    spMat3 m = spMakeMat3(most, most, most);
    spMat3 u, v, r, s;
    spVec3 d;
    assert_true(spDecomposeSingular3(m, &u, &d, &v));
    assert_true(spIsFinite3(d));
    CheckRotation(u);
    CheckRotation(v);
    assert_true(spDecomposePolar3(m, &r, &s));
    assert_true(spIsFiniteMat3(s));
    CheckRotation(r);
    assert_true(spDecomposeSymmetric3(m, &v, &d));
    assert_true(spIsFinite3(d));
    CheckRotation(v);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestVec3),
        cmocka_unit_test(TestQuat),
        cmocka_unit_test(TestIntegrateQuat),
        cmocka_unit_test(TestMat3),
        cmocka_unit_test(TestSymmetric),
        cmocka_unit_test(TestSingular),
        cmocka_unit_test(TestSingularValuesKnown),
        cmocka_unit_test(TestPolar),
        cmocka_unit_test(TestPolarKnown),
        cmocka_unit_test(TestPolarContinuity),
        cmocka_unit_test(TestNotFinite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
