// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Rotation without torque. In axes of the shape the angular momentum p follows p' = p x I^-1 p. The implicit
// midpoint
//
//   p1 - p0 = k m x w,  m = (p0 + p1) / 2,  w = I^-1 m
//
// keeps |p| and the energy, and p1 is p0 seen from axes turned by the Cayley map of k w: turning the body by
// it keeps the angular momentum in the world to the last bit, because nothing else is ever changed. Three of
// them, one backwards, make order 4 of order 2.
// Austin, Krishnaprasad, Wang. Almost Poisson Integration of Rigid Body Systems. 1993
// Yoshida. Construction of Higher Order Symplectic Integrators. 1990

#include "method/rigid.h"

#include <math.h>
#include <string.h>

// Rotation of a piece at most, rad, and pieces at most
#define SP_PIECE_ANGLE 0.15
#define SP_MAX_PIECES 256

void spCrossD(double c[3], const double a[3], const double b[3])
{
    double x = a[1] * b[2] - a[2] * b[1], y = a[2] * b[0] - a[0] * b[2], z = a[0] * b[1] - a[1] * b[0];
    c[0] = x;
    c[1] = y;
    c[2] = z;
}

void spMulD(double c[3], const double a[9], const double b[3])
{
    double x = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    double y = a[3] * b[0] + a[4] * b[1] + a[5] * b[2];
    double z = a[6] * b[0] + a[7] * b[1] + a[8] * b[2];
    c[0] = x;
    c[1] = y;
    c[2] = z;
}

void spMulTD(double c[3], const double a[9], const double b[3])
{
    double x = a[0] * b[0] + a[3] * b[1] + a[6] * b[2];
    double y = a[1] * b[0] + a[4] * b[1] + a[7] * b[2];
    double z = a[2] * b[0] + a[5] * b[1] + a[8] * b[2];
    c[0] = x;
    c[1] = y;
    c[2] = z;
}

void spTurnMatrixD(double c[9], const double r[9], const double a[9])
{
    double half[9];
    for (int i = 0; i < 3; ++i)
    {
        // Column i of A R^T
        double row[3] = {r[3 * i], r[3 * i + 1], r[3 * i + 2]}, column[3];
        spMulD(column, a, row);
        half[i] = column[0];
        half[3 + i] = column[1];
        half[6 + i] = column[2];
    }
    for (int i = 0; i < 9; ++i)
    {
        int row = i / 3, column = i % 3;
        c[i] =
            r[3 * row] * half[column] + r[3 * row + 1] * half[3 + column] + r[3 * row + 2] * half[6 + column];
    }
}

void spMatrixFromTurn(double r[9], const double turn[4])
{
    double x = turn[0], y = turn[1], z = turn[2], w = turn[3];
    r[0] = 1 - 2 * (y * y + z * z);
    r[1] = 2 * (x * y - w * z);
    r[2] = 2 * (x * z + w * y);
    r[3] = 2 * (x * y + w * z);
    r[4] = 1 - 2 * (x * x + z * z);
    r[5] = 2 * (y * z - w * x);
    r[6] = 2 * (x * z - w * y);
    r[7] = 2 * (y * z + w * x);
    r[8] = 1 - 2 * (x * x + y * y);
}

static void spMulTurns(double c[4], const double a[4], const double b[4])
{
    double q[4] = {a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
                   a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
                   a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
                   a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2]};
    double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (int k = 0; k < 4; ++k)
    {
        c[k] = q[k] / length;
    }
}

void spGetTurnBetween(const double from[4], const double to[4], double angle[3])
{
    const double back[4] = {-from[0], -from[1], -from[2], from[3]};
    double q[4];
    spMulTurns(q, to, back);
    double sign = q[3] < 0.0 ? -1.0 : 1.0, s = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]);
    double factor = sign * (s < 1e-8 ? 2.0 : 2.0 * atan2(s, sign * q[3]) / s);
    for (int k = 0; k < 3; ++k)
    {
        angle[k] = factor * q[k];
    }
}

void spTurnBy(double turn[4], const double angle[3])
{
    double size = sqrt(angle[0] * angle[0] + angle[1] * angle[1] + angle[2] * angle[2]);
    double s = size < 1e-4 ? 0.5 - size * size / 48.0 : sin(0.5 * size) / size;
    double by[4] = {s * angle[0], s * angle[1], s * angle[2], cos(0.5 * size)};
    spMulTurns(turn, by, turn);
}

// Solves A x = b by Cramer's rule
static void spSolveD(const double a[9], const double b[3], double x[3])
{
    double c0[3] = {a[4] * a[8] - a[5] * a[7], a[2] * a[7] - a[1] * a[8], a[1] * a[5] - a[2] * a[4]};
    double c1[3] = {a[5] * a[6] - a[3] * a[8], a[0] * a[8] - a[2] * a[6], a[2] * a[3] - a[0] * a[5]};
    double c2[3] = {a[3] * a[7] - a[4] * a[6], a[1] * a[6] - a[0] * a[7], a[0] * a[4] - a[1] * a[3]};
    double det = a[0] * c0[0] + a[1] * c1[0] + a[2] * c2[0];
    x[0] = (c0[0] * b[0] + c0[1] * b[1] + c0[2] * b[2]) / det;
    x[1] = (c1[0] * b[0] + c1[1] * b[1] + c1[2] * b[2]) / det;
    x[2] = (c2[0] * b[0] + c2[1] * b[1] + c2[2] * b[2]) / det;
}

// The spin w of the midpoint: m = p + k/2 m x I^-1 m, by Newton's method
static void spFindMidSpin(const spRigidMass* mass, const double p[3], double k, double w[3])
{
    double m[3] = {p[0], p[1], p[2]};
    const double* y = mass->inverse;
    for (int i = 0; i < 12; ++i)
    {
        double push[3], off[3], change[3], a[9], size = 0.0, moved = 0.0;
        spMulD(w, y, m);
        spCrossD(push, m, w);
        for (int j = 0; j < 3; ++j)
        {
            off[j] = m[j] - p[j] - 0.5 * k * push[j];
            // Column j of 1 - k/2 ([m] I^-1 - [w])
            double column[3], turned[3], unit[3] = {j == 0, j == 1, j == 2};
            double of[3] = {y[j], y[3 + j], y[6 + j]};
            spCrossD(column, m, of);
            spCrossD(turned, w, unit);
            for (int l = 0; l < 3; ++l)
            {
                a[3 * l + j] = unit[l] - 0.5 * k * (column[l] - turned[l]);
            }
        }
        spSolveD(a, off, change);
        for (int j = 0; j < 3; ++j)
        {
            m[j] -= change[j];
            moved = fmax(moved, fabs(change[j]));
            size = fmax(size, fabs(m[j]));
        }
        if (!(moved > 1e-15 * size))
        {
            break;
        }
    }
    spMulD(w, y, m);
}

void spTurnFreely(const spRigidMass* mass, const double momentum[3], double h, double turn[4])
{
    static const double weights[3] = {1.3512071919596578, -1.7024143839193153, 1.3512071919596578};
    double r[9], p[3], w[3];
    spMatrixFromTurn(r, turn);
    spMulTD(p, r, momentum);
    spMulD(w, mass->inverse, p);
    double angle = h * sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    if (!(angle > 0.0))
    {
        return;
    }
    int pieces = angle < SP_PIECE_ANGLE * SP_MAX_PIECES ? 1 + (int)(angle / SP_PIECE_ANGLE) : SP_MAX_PIECES;
    for (int i = 0; i < 3 * pieces; ++i)
    {
        double k = weights[i % 3] * h / pieces;
        spMatrixFromTurn(r, turn);
        spMulTD(p, r, momentum);
        spFindMidSpin(mass, p, k, w);
        double by[4] = {0.5 * k * w[0], 0.5 * k * w[1], 0.5 * k * w[2], 1.0};
        spMulTurns(turn, turn, by);
    }
}

// Jacobi's method
void spDiagonalize(int n, double* a, double* vectors, double* values)
{
    memset(vectors, 0, (size_t)(n * n) * sizeof(double));
    for (int i = 0; i < n; ++i)
    {
        vectors[n * i + i] = 1.0;
    }
    for (int sweep = 0; sweep < 30; ++sweep)
    {
        double off = 0.0, all = 0.0;
        for (int i = 0; i < n * n; ++i)
        {
            all += a[i] * a[i];
            off += i / n != i % n ? a[i] * a[i] : 0.0;
        }
        if (!(off > 1e-34 * all))
        {
            break;
        }
        for (int p = 0; p < n; ++p)
        {
            for (int q = p + 1; q < n; ++q)
            {
                if (a[n * p + q] == 0.0)
                {
                    continue;
                }
                double theta = 0.5 * (a[n * q + q] - a[n * p + p]) / a[n * p + q];
                double t = copysign(1.0, theta) / (fabs(theta) + sqrt(theta * theta + 1.0));
                double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
                for (int k = 0; k < n; ++k)
                {
                    double kp = a[n * k + p], kq = a[n * k + q];
                    a[n * k + p] = c * kp - s * kq;
                    a[n * k + q] = s * kp + c * kq;
                }
                for (int k = 0; k < n; ++k)
                {
                    double pk = a[n * p + k], qk = a[n * q + k];
                    a[n * p + k] = c * pk - s * qk;
                    a[n * q + k] = s * pk + c * qk;
                    double vp = vectors[n * k + p], vq = vectors[n * k + q];
                    vectors[n * k + p] = c * vp - s * vq;
                    vectors[n * k + q] = s * vp + c * vq;
                }
            }
        }
    }
    for (int i = 0; i < n; ++i)
    {
        values[i] = a[n * i + i];
    }
}
