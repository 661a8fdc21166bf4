// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Decompositions of 3x3 matrices by Jacobi rotations, in double.
//
// Singular values: one-sided Jacobi. Columns of B = A V are turned pairwise until they are at right angles;
// A^T A is never formed, so small singular values keep their digits. U then comes from the columns of B,
// largest first: u0 along b0, u1 along what is left of b1, u2 = u0 x u1. That makes U proper, and puts the
// sign of the determinant into s2 = u2 . b2 without asking for it.
//
// This work is based on:
// Hestenes. Inversion of Matrices by Biorthogonalization and Related Results. 1958
// Demmel, Veselic. Jacobi's Method is More Accurate than QR. 1992
// Irving, Teran, Fedkiw. Invertible Finite Elements for Robust Simulation of Large Deformation. 2004

#include "math/decompose.h"

#include <float.h>

// A sweep turns each of the three pairs once. Convergence is quadratic: random matrices need 4 or 5 sweeps,
// the worst known 6.
#define SP_JACOBI_SWEEPS 16

// Columns whose cosine is below this are at right angles. Half an epsilon is less than the rounding of the
// product and would turn for ever.
#define SP_JACOBI_TOLERANCE (2.0 * DBL_EPSILON)

// A second singular value below this part of the first is rounding: rank 1
#define SP_RANK_TOLERANCE (8.0 * DBL_EPSILON)

#ifdef SOUPLE_DOUBLE_PRECISION
#define SP_REAL_MAX DBL_MAX
#else
#define SP_REAL_MAX FLT_MAX
#endif

// m[j] is column j
typedef struct spColumns
{
    double m[3][3];
} spColumns;

static double spDotColumns(const double* a, const double* b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double spLengthColumn(const double* a)
{
    return sqrt(spDotColumns(a, a));
}

static void spCrossColumns(double* c, const double* a, const double* b)
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

static void spScaleColumn(double* a, double s)
{
    a[0] *= s;
    a[1] *= s;
    a[2] *= s;
}

// Swaps columns i and j and turns one round, which keeps the determinant
static void spSwapColumns(spColumns* a, int i, int j)
{
    for (int k = 0; k < 3; ++k)
    {
        double t = a->m[i][k];
        a->m[i][k] = a->m[j][k];
        a->m[j][k] = -t;
    }
}

// (a_i, a_j) <- (c a_i - s a_j, s a_i + c a_j)
static void spTurnColumns(spColumns* a, int i, int j, double c, double s)
{
    for (int k = 0; k < 3; ++k)
    {
        double p = a->m[i][k];
        double q = a->m[j][k];
        a->m[i][k] = c * p - s * q;
        a->m[j][k] = s * p + c * q;
    }
}

// The rotation that diagonalises the symmetric [ p r; r q ], by the smaller of the two angles
static void spFindTurn(double p, double q, double r, double* c, double* s)
{
    double zeta = (q - p) / (2.0 * r);
    double t = (zeta < 0.0 ? -1.0 : 1.0) / (fabs(zeta) + sqrt(1.0 + zeta * zeta));
    *c = 1.0 / sqrt(1.0 + t * t);
    *s = *c * t;
}

static void spSetIdentity(spColumns* a)
{
    for (int j = 0; j < 3; ++j)
    {
        for (int i = 0; i < 3; ++i)
        {
            a->m[j][i] = i == j ? 1.0 : 0.0;
        }
    }
}

// Reads a matrix, divided by the power of two that brings its largest entry to [1/2, 1): squares then neither
// overflow nor vanish, and no bit is lost. The zero matrix has the exponent 0. Returns false for input that
// is not finite.
static bool spReadScaled(spMat3 a, spColumns* b, int* exponent)
{
    double in[9] = {a.cx.x, a.cx.y, a.cx.z, a.cy.x, a.cy.y, a.cy.z, a.cz.x, a.cz.y, a.cz.z};
    double largest = 0.0;
    bool finite = true;
    for (int i = 0; i < 9; ++i)
    {
        finite = finite && isfinite(in[i]);
        largest = fmax(largest, fabs(in[i]));
    }
    *exponent = 0;
    if (finite == false)
    {
        spSetIdentity(b);
        return false;
    }
    frexp(largest, exponent);
    for (int i = 0; i < 9; ++i)
    {
        b->m[i / 3][i % 3] = ldexp(in[i], -*exponent);
    }
    return true;
}

static spReal spWriteReal(double a, int exponent)
{
    double scaled = ldexp(a, exponent);
    return (spReal)(fabs(scaled) > SP_REAL_MAX ? copysign(SP_REAL_MAX, scaled) : scaled);
}

static spVec3 spWriteVec3(const double* a, int exponent)
{
    return spMakeVec3(spWriteReal(a[0], exponent), spWriteReal(a[1], exponent), spWriteReal(a[2], exponent));
}

static spMat3 spWriteMat3(const spColumns* a, int exponent)
{
    return spMakeMat3(spWriteVec3(a->m[0], exponent), spWriteVec3(a->m[1], exponent),
                      spWriteVec3(a->m[2], exponent));
}

static const int spJacobiPairs[3][2] = {{0, 1}, {0, 2}, {1, 2}};

// The symmetric matrix in `a` becomes diagonal, v collects the turns
static void spDiagonalize(spColumns* a, spColumns* v)
{
    spSetIdentity(v);
    for (int sweep = 0; sweep < SP_JACOBI_SWEEPS; ++sweep)
    {
        // Off-diagonal entries are done when they are lost beside the largest entry, which is about 1
        double off = fabs(a->m[1][0]) + fabs(a->m[2][0]) + fabs(a->m[2][1]);
        if (off <= 0.01 * DBL_EPSILON)
        {
            break;
        }
        for (int pair = 0; pair < 3; ++pair)
        {
            int i = spJacobiPairs[pair][0];
            int j = spJacobiPairs[pair][1];
            int k = 3 - i - j;
            double p = a->m[i][i], q = a->m[j][j], r = a->m[j][i];
            if (r == 0.0)
            {
                continue;
            }
            double c, s;
            spFindTurn(p, q, r, &c, &s);
            double t = s / c;
            double ik = a->m[k][i], jk = a->m[k][j];
            a->m[i][i] = p - t * r;
            a->m[j][j] = q + t * r;
            a->m[j][i] = a->m[i][j] = 0.0;
            a->m[k][i] = a->m[i][k] = c * ik - s * jk;
            a->m[k][j] = a->m[j][k] = s * ik + c * jk;
            spTurnColumns(v, i, j, c, s);
        }
    }
}

bool spDecomposeSymmetric3(spMat3 a, spMat3* v, spVec3* d)
{
    spColumns b, turns;
    int exponent;
    if (spReadScaled(a, &b, &exponent) == false)
    {
        *v = spIdentityMat3();
        *d = spMakeVec3(0, 0, 0);
        return false;
    }
    for (int pair = 0; pair < 3; ++pair)
    {
        int i = spJacobiPairs[pair][0];
        int j = spJacobiPairs[pair][1];
        b.m[j][i] = b.m[i][j] = 0.5 * (b.m[j][i] + b.m[i][j]);
    }
    spDiagonalize(&b, &turns);

    // Largest first: three compare and swap
    static const int order[3][2] = {{0, 1}, {1, 2}, {0, 1}};
    double values[3] = {b.m[0][0], b.m[1][1], b.m[2][2]};
    for (int step = 0; step < 3; ++step)
    {
        int i = order[step][0];
        int j = order[step][1];
        if (values[i] < values[j])
        {
            double t = values[i];
            values[i] = values[j];
            values[j] = t;
            spSwapColumns(&turns, i, j);
        }
    }
    *v = spWriteMat3(&turns, 0);
    *d = spWriteVec3(values, exponent);
    return true;
}

// Turns the columns of b pairwise until they are at right angles; v collects the turns. Then sorts both by
// the length of b's columns, longest first.
static void spOrthogonalize(spColumns* b, spColumns* v)
{
    spSetIdentity(v);
    for (int sweep = 0; sweep < SP_JACOBI_SWEEPS; ++sweep)
    {
        bool done = true;
        for (int pair = 0; pair < 3; ++pair)
        {
            int i = spJacobiPairs[pair][0];
            int j = spJacobiPairs[pair][1];
            double p = spDotColumns(b->m[i], b->m[i]);
            double q = spDotColumns(b->m[j], b->m[j]);
            double r = spDotColumns(b->m[i], b->m[j]);
            if (fabs(r) <= SP_JACOBI_TOLERANCE * sqrt(p) * sqrt(q))
            {
                continue;
            }
            done = false;
            double c, s;
            spFindTurn(p, q, r, &c, &s);
            spTurnColumns(b, i, j, c, s);
            spTurnColumns(v, i, j, c, s);
        }
        if (done)
        {
            break;
        }
    }

    static const int order[3][2] = {{0, 1}, {1, 2}, {0, 1}};
    for (int step = 0; step < 3; ++step)
    {
        int i = order[step][0];
        int j = order[step][1];
        if (spDotColumns(b->m[i], b->m[i]) < spDotColumns(b->m[j], b->m[j]))
        {
            spSwapColumns(b, i, j);
            spSwapColumns(v, i, j);
        }
    }
}

// u1 of a matrix of rank 1: v1 turned by the smallest rotation that takes v0 to u0
static void spTurnAlong(double* u1, const double* u0, const double* v0, const double* v1)
{
    // R w = w - (v0 + u0) (u0 . w) / (1 + u0 . v0) for w at a right angle to v0. Half a turn has no smallest
    // axis: turn about v1.
    double cosine = spDotColumns(u0, v0);
    double s = cosine > -1.0 + 1.0e-12 ? spDotColumns(u0, v1) / (1.0 + cosine) : 0.0;
    for (int k = 0; k < 3; ++k)
    {
        u1[k] = v1[k] - s * (v0[k] + u0[k]);
    }
}

// A = U diag(s) V^T for a scaled matrix in b, which is overwritten
static void spDecomposeScaled(spColumns* b, spColumns* u, double* s, spColumns* v)
{
    spOrthogonalize(b, v);
    s[0] = spLengthColumn(b->m[0]);
    s[1] = spLengthColumn(b->m[1]);
    if (s[0] == 0.0)
    {
        *u = *v;
        s[1] = s[2] = 0.0;
        return;
    }

    for (int k = 0; k < 3; ++k)
    {
        u->m[0][k] = b->m[0][k] / s[0];
        u->m[1][k] = b->m[1][k];
    }
    bool rankOne = s[1] <= SP_RANK_TOLERANCE * s[0];
    if (rankOne)
    {
        spTurnAlong(u->m[1], u->m[0], v->m[0], v->m[1]);
    }
    spScaleColumn(u->m[1], 1.0 / spLengthColumn(u->m[1]));

    // Take out what rounding left along u0; the second pass works on unit length
    for (int pass = 0; pass < 2; ++pass)
    {
        double along = spDotColumns(u->m[0], u->m[1]);
        for (int k = 0; k < 3; ++k)
        {
            u->m[1][k] -= along * u->m[0][k];
        }
        spScaleColumn(u->m[1], 1.0 / spLengthColumn(u->m[1]));
    }
    spCrossColumns(u->m[2], u->m[0], u->m[1]);

    // Rounding must not break the order
    s[1] = rankOne ? 0.0 : fmin(s[1], s[0]);
    s[2] = fmax(-s[1], fmin(s[1], spDotColumns(u->m[2], b->m[2])));
}

bool spDecomposeSingular3(spMat3 a, spMat3* u, spVec3* s, spMat3* v)
{
    spColumns b, left, right;
    double values[3];
    int exponent;
    if (spReadScaled(a, &b, &exponent) == false)
    {
        *u = *v = spIdentityMat3();
        *s = spMakeVec3(0, 0, 0);
        return false;
    }
    spDecomposeScaled(&b, &left, values, &right);
    *u = spWriteMat3(&left, 0);
    *v = spWriteMat3(&right, 0);
    *s = spWriteVec3(values, exponent);
    return true;
}

bool spDecomposePolar3(spMat3 a, spMat3* r, spMat3* s)
{
    spColumns b, left, right;
    double values[3];
    int exponent;
    if (spReadScaled(a, &b, &exponent) == false)
    {
        *r = spIdentityMat3();
        *s = spZeroMat3();
        return false;
    }
    spDecomposeScaled(&b, &left, values, &right);

    // R = U V^T, S = V diag(s) V^T; S is written symmetric to the bit
    spColumns rotation, stretch;
    for (int j = 0; j < 3; ++j)
    {
        for (int i = 0; i < 3; ++i)
        {
            double sumR = 0.0, sumS = 0.0;
            for (int k = 0; k < 3; ++k)
            {
                sumR += left.m[k][i] * right.m[k][j];
                sumS += values[k] * (right.m[k][i] * right.m[k][j]);
            }
            rotation.m[j][i] = sumR;
            stretch.m[j][i] = sumS;
        }
    }
    *r = spWriteMat3(&rotation, 0);
    *s = spWriteMat3(&stretch, exponent);
    return true;
}

// O. K. Smith. Eigenvalues of a symmetric 3 x 3 matrix. Communications of the ACM 4(4), 1961
double spGetLargestEigenvalue3(spMat3 a)
{
    double xx = a.cx.x, yy = a.cy.y, zz = a.cz.z;
    double xy = a.cy.x, xz = a.cz.x, yz = a.cz.y;
    double mean = (xx + yy + zz) / 3.0;
    double dx = xx - mean, dy = yy - mean, dz = zz - mean;
    double spread = sqrt((dx * dx + dy * dy + dz * dz + 2.0 * (xy * xy + xz * xz + yz * yz)) / 6.0);
    if (!(spread > 0.0))
    {
        return mean;
    }
    double det = dx * (dy * dz - yz * yz) - xy * (xy * dz - yz * xz) + xz * (xy * yz - dy * xz);
    double cosine = 0.5 * det / (spread * spread * spread);
    cosine = cosine > 1.0 ? 1.0 : (cosine < -1.0 ? -1.0 : cosine);
    return mean + 2.0 * spread * cos(acos(cosine) / 3.0);
}
