// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Singular values and polar decomposition of a 3x3 matrix by Jacobi rotations, in double, one at a time.
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

#pragma once

#include "math/lanes.h"

// A sweep turns each of the three pairs once. Convergence is quadratic: random matrices need 4 or 5 sweeps,
// the worst known 6.
#define SP_COLUMN_SWEEPS 16

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

SP_KERNEL double spDotColumns(const double* a, const double* b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

SP_KERNEL double spLengthColumn(const double* a)
{
    return sqrt(spDotColumns(a, a));
}

SP_KERNEL void spCrossColumns(double* c, const double* a, const double* b)
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

SP_KERNEL void spScaleColumn(double* a, double s)
{
    a[0] *= s;
    a[1] *= s;
    a[2] *= s;
}

// Swaps columns i and j and turns one round, which keeps the determinant
SP_KERNEL void spSwapColumns(spColumns* a, int i, int j)
{
    for (int k = 0; k < 3; ++k)
    {
        double t = a->m[i][k];
        a->m[i][k] = a->m[j][k];
        a->m[j][k] = -t;
    }
}

// (a_i, a_j) <- (c a_i - s a_j, s a_i + c a_j)
SP_KERNEL void spTurnColumns(spColumns* a, int i, int j, double c, double s)
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
SP_KERNEL void spFindTurn(double p, double q, double r, double* c, double* s)
{
    double zeta = (q - p) / (2.0 * r);
    double t = (zeta < 0.0 ? -1.0 : 1.0) / (fabs(zeta) + sqrt(1.0 + zeta * zeta));
    *c = 1.0 / sqrt(1.0 + t * t);
    *s = *c * t;
}

SP_KERNEL void spSetIdentity(spColumns* a)
{
    for (int j = 0; j < 3; ++j)
    {
        for (int i = 0; i < 3; ++i)
        {
            a->m[j][i] = i == j ? 1.0 : 0.0;
        }
    }
}

// Reads a matrix by columns, divided by the power of two that brings its largest entry to [1/2, 1): squares then neither
// overflow nor vanish, and no bit is lost. The zero matrix has the exponent 0. Returns false for input that
// is not finite.
SP_KERNEL bool spReadScaled(const spReal* a, spColumns* b, int* exponent)
{
    double largest = 0.0;
    bool finite = true;
    for (int i = 0; i < 9; ++i)
    {
        finite = finite && isfinite((double)a[i]);
        largest = fmax(largest, fabs((double)a[i]));
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
        b->m[i / 3][i % 3] = ldexp((double)a[i], -*exponent);
    }
    return true;
}

SP_KERNEL spReal spWriteReal(double a, int exponent)
{
    double scaled = ldexp(a, exponent);
    return (spReal)(fabs(scaled) > SP_REAL_MAX ? copysign(SP_REAL_MAX, scaled) : scaled);
}

// Turns the columns of b pairwise until they are at right angles; v collects the turns. Then sorts both by
// the length of b's columns, longest first.
SP_LONG_KERNEL void spOrthogonalize(spColumns* b, spColumns* v)
{
    const int pairs[3][2] = {{0, 1}, {0, 2}, {1, 2}}, order[3][2] = {{0, 1}, {1, 2}, {0, 1}};
    spSetIdentity(v);
    for (int sweep = 0; sweep < SP_COLUMN_SWEEPS; ++sweep)
    {
        bool done = true;
        for (int pair = 0; pair < 3; ++pair)
        {
            int i = pairs[pair][0];
            int j = pairs[pair][1];
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
SP_KERNEL void spTurnAlong(double* u1, const double* u0, const double* v0, const double* v1)
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
SP_LONG_KERNEL void spDecomposeScaled(spColumns* b, spColumns* u, double* s, spColumns* v)
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

// A = R S, by columns; see spDecomposePolar3. Returns false, with the identity and 0, for input that is not finite.
SP_LONG_KERNEL bool spDecomposePolarColumns(const spReal* a, spReal* r, spReal* s)
{
    spColumns b, left, right;
    double values[3];
    int exponent;
    bool finite = spReadScaled(a, &b, &exponent);
    if (finite)
    {
        spDecomposeScaled(&b, &left, values, &right);
    }
    // R = U V^T, S = V diag(s) V^T; S is written symmetric to the bit
    for (int j = 0; j < 3; ++j)
    {
        for (int i = 0; i < 3; ++i)
        {
            double sumR = finite ? 0.0 : (i == j), sumS = 0.0;
            for (int k = 0; finite && k < 3; ++k)
            {
                sumR += left.m[k][i] * right.m[k][j];
                sumS += values[k] * (right.m[k][i] * right.m[k][j]);
            }
            r[3 * j + i] = spWriteReal(sumR, 0);
            s[3 * j + i] = spWriteReal(sumS, exponent);
        }
    }
    return finite;
}
