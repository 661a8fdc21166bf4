// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Least squares by the normal equations, newest difference first: leaving out old ones leaves the first rows
// and columns, and so does a factor that comes to an end.

#include "method/mixture.h"

#include <math.h>
#include <string.h>

// Squares of differences below this share of what they are differences of are rounding
#define SP_DIFFERENCE_SHARE 1e-13

// A pivot below this share of its diagonal is rounding
#define SP_PIVOT_SHARE 1e-14

// Jacobi's rotations: what is below this share of the diagonal is zero, and rounds over all pairs
#define SP_JACOBI_TOLERANCE 1e-14
#define SP_JACOBI_ROUNDS 12

typedef double spWindowMatrix[SP_MAX_WINDOW][SP_MAX_WINDOW];

// A = Q^T A Q, Q the rotation that makes a_pq zero
static void spTurnPair(spWindowMatrix a, int n, int p, int q)
{
    double theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    double t = (theta < 0.0 ? -1.0 : 1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
    double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
    for (int i = 0; i < n; ++i)
    {
        double ip = a[i][p], iq = a[i][q];
        a[i][p] = c * ip - s * iq;
        a[i][q] = s * ip + c * iq;
    }
    for (int i = 0; i < n; ++i)
    {
        double pi = a[p][i], qi = a[q][i];
        a[p][i] = c * pi - s * qi;
        a[q][i] = s * pi + c * qi;
    }
}

// Largest over smallest eigenvalue of the first n rows and columns
static double spGetCondition(spWindowMatrix matrix, int n)
{
    spWindowMatrix a;
    memcpy(a, matrix, sizeof(a));
    bool turned = true;
    for (int round = 0; round < SP_JACOBI_ROUNDS && turned; ++round)
    {
        turned = false;
        for (int p = 0; p < n - 1; ++p)
        {
            for (int q = p + 1; q < n; ++q)
            {
                if (fabs(a[p][q]) > SP_JACOBI_TOLERANCE * sqrt(fabs(a[p][p] * a[q][q])))
                {
                    spTurnPair(a, n, p, q);
                    turned = true;
                }
            }
        }
    }
    double least = a[0][0], most = a[0][0];
    for (int i = 1; i < n; ++i)
    {
        least = fmin(least, a[i][i]);
        most = fmax(most, a[i][i]);
    }
    return least > 0.0 ? most / least : INFINITY;
}

// Cholesky's factor of as many of the first rows and columns as it can be made for. Returns how many.
static int spFactorWindow(spWindowMatrix a, int n, spWindowMatrix l)
{
    for (int i = 0; i < n; ++i)
    {
        for (int j = 0; j <= i; ++j)
        {
            double rest = a[i][j];
            for (int k = 0; k < j; ++k)
            {
                rest -= l[i][k] * l[j][k];
            }
            l[i][j] = j < i ? rest / l[j][j] : rest;
        }
        if (!(l[i][i] > SP_PIVOT_SHARE * a[i][i]))
        {
            return i;
        }
        l[i][i] = sqrt(l[i][i]);
    }
    return n;
}

// How many of the first rows and columns have a condition number within the limit. The trace of A times that
// of its inverse, the squares of the inverse factor, is a bound from above, and over n^2 one from below: few
// matrices lie between.
static int spLimitCondition(spWindowMatrix a, spWindowMatrix l, int n, int nAtLeast, double limit)
{
    spWindowMatrix inverse;
    double trace[SP_MAX_WINDOW], inverseTrace[SP_MAX_WINDOW];
    for (int i = 0; i < n; ++i)
    {
        trace[i] = a[i][i] + (i > 0 ? trace[i - 1] : 0.0);
        inverseTrace[i] = i > 0 ? inverseTrace[i - 1] : 0.0;
        for (int j = 0; j <= i; ++j)
        {
            double rest = i == j ? 1.0 : 0.0;
            for (int k = j; k < i; ++k)
            {
                rest -= l[i][k] * inverse[k][j];
            }
            inverse[i][j] = rest / l[i][i];
            inverseTrace[i] += inverse[i][j] * inverse[i][j];
        }
    }
    for (; n > nAtLeast; --n)
    {
        double bound = trace[n - 1] * inverseTrace[n - 1];
        if (bound <= limit || (bound <= n * n * limit && spGetCondition(a, n) <= limit))
        {
            break;
        }
    }
    return n;
}

static void spSolveWindow(spWindowMatrix l, const double* b, int n, double* gamma)
{
    for (int i = 0; i < n; ++i)
    {
        gamma[i] = b[i];
        for (int k = 0; k < i; ++k)
        {
            gamma[i] -= l[i][k] * gamma[k];
        }
        gamma[i] /= l[i][i];
    }
    for (int i = n - 1; i >= 0; --i)
    {
        for (int k = i + 1; k < n; ++k)
        {
            gamma[i] -= l[k][i] * gamma[k];
        }
        gamma[i] /= l[i][i];
    }
}

int spFindWeights(spWindowDots dots, int columnCount, int columnsAtLeast, double conditionLimit,
                  spReal* weights)
{
    // Column j is error j less error j + 1
    spWindowMatrix a, l;
    double b[SP_MAX_WINDOW], gamma[SP_MAX_WINDOW];
    int n = 0;
    for (; n < columnCount; ++n)
    {
        for (int j = 0; j <= n; ++j)
        {
            a[n][j] = (dots[n][j] - dots[n][j + 1]) - (dots[n + 1][j] - dots[n + 1][j + 1]);
            a[j][n] = a[n][j];
        }
        b[n] = dots[0][n] - dots[0][n + 1];
        if (!(a[n][n] > SP_DIFFERENCE_SHARE * (dots[n][n] + dots[n + 1][n + 1])))
        {
            break;
        }
    }
    n = spFactorWindow(a, n, l);
    n = spLimitCondition(a, l, n, columnsAtLeast, conditionLimit);
    spSolveWindow(l, b, n, gamma);
    for (int j = 0; j < n; ++j)
    {
        weights[j] = (spReal)(gamma[j] - (j + 1 < n ? gamma[j + 1] : 0.0));
    }
    return n;
}
