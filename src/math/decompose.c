// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "math/decompose.h"

#define SP_LANES 1
#include "math/decompose_kernel.h"

static bool spReadMat3(spMat3 a, spColumns* b, int* exponent)
{
    spReal in[9] = {a.cx.x, a.cx.y, a.cx.z, a.cy.x, a.cy.y, a.cy.z, a.cz.x, a.cz.y, a.cz.z};
    return spReadScaled(in, b, exponent);
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
    for (int sweep = 0; sweep < SP_COLUMN_SWEEPS; ++sweep)
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
    if (spReadMat3(a, &b, &exponent) == false)
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

bool spDecomposeSingular3(spMat3 a, spMat3* u, spVec3* s, spMat3* v)
{
    spColumns b, left, right;
    double values[3];
    int exponent;
    if (spReadMat3(a, &b, &exponent) == false)
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
    spReal in[9] = {a.cx.x, a.cx.y, a.cx.z, a.cy.x, a.cy.y, a.cy.z, a.cz.x, a.cz.y, a.cz.z};
    spReal p[9], q[9];
    bool finite = spDecomposePolarColumns(in, p, q);
    *r = spMakeMat3(spMakeVec3(p[0], p[1], p[2]), spMakeVec3(p[3], p[4], p[5]), spMakeVec3(p[6], p[7], p[8]));
    *s = spMakeMat3(spMakeVec3(q[0], q[1], q[2]), spMakeVec3(q[3], q[4], q[5]), spMakeVec3(q[6], q[7], q[8]));
    return finite;
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
