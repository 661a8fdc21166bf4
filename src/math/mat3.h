// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// 3x3 matrices of spReal, by columns and by value. Decompositions are in decompose.h.

#pragma once

#include "math/quat.h"

// [ cx.x  cy.x  cz.x ]
// [ cx.y  cy.y  cz.y ]
// [ cx.z  cy.z  cz.z ]
typedef struct spMat3
{
    spVec3 cx;
    spVec3 cy;
    spVec3 cz;
} spMat3;

static inline spMat3 spMakeMat3(spVec3 cx, spVec3 cy, spVec3 cz)
{
    spMat3 a = {cx, cy, cz};
    return a;
}

static inline spMat3 spZeroMat3(void)
{
    spMat3 a = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    return a;
}

static inline spMat3 spDiagonalMat3(spVec3 d)
{
    spMat3 a = {{d.x, 0, 0}, {0, d.y, 0}, {0, 0, d.z}};
    return a;
}

static inline spMat3 spIdentityMat3(void)
{
    return spDiagonalMat3(spMakeVec3(1, 1, 1));
}

static inline spMat3 spAddMat3(spMat3 a, spMat3 b)
{
    return spMakeMat3(spAdd3(a.cx, b.cx), spAdd3(a.cy, b.cy), spAdd3(a.cz, b.cz));
}

static inline spMat3 spSubMat3(spMat3 a, spMat3 b)
{
    return spMakeMat3(spSub3(a.cx, b.cx), spSub3(a.cy, b.cy), spSub3(a.cz, b.cz));
}

// s A
static inline spMat3 spScaleMat3(spReal s, spMat3 a)
{
    return spMakeMat3(spScale3(s, a.cx), spScale3(s, a.cy), spScale3(s, a.cz));
}

// A + s B
static inline spMat3 spMulAddMat3(spMat3 a, spReal s, spMat3 b)
{
    return spMakeMat3(spMulAdd3(a.cx, s, b.cx), spMulAdd3(a.cy, s, b.cy), spMulAdd3(a.cz, s, b.cz));
}

static inline spMat3 spTransposeMat3(spMat3 a)
{
    spMat3 b = {{a.cx.x, a.cy.x, a.cz.x}, {a.cx.y, a.cy.y, a.cz.y}, {a.cx.z, a.cy.z, a.cz.z}};
    return b;
}

// A v
static inline spVec3 spMulMV3(spMat3 a, spVec3 v)
{
    return spMulAdd3(spMulAdd3(spScale3(v.x, a.cx), v.y, a.cy), v.z, a.cz);
}

// A^T v
static inline spVec3 spMulTMV3(spMat3 a, spVec3 v)
{
    return spMakeVec3(spDot3(a.cx, v), spDot3(a.cy, v), spDot3(a.cz, v));
}

// A B
static inline spMat3 spMulMat3(spMat3 a, spMat3 b)
{
    return spMakeMat3(spMulMV3(a, b.cx), spMulMV3(a, b.cy), spMulMV3(a, b.cz));
}

// A^T B
static inline spMat3 spMulTMat3(spMat3 a, spMat3 b)
{
    return spMakeMat3(spMulTMV3(a, b.cx), spMulTMV3(a, b.cy), spMulTMV3(a, b.cz));
}

// A B^T
static inline spMat3 spMulMatT3(spMat3 a, spMat3 b)
{
    return spMulMat3(a, spTransposeMat3(b));
}

// a b^T
static inline spMat3 spOuter3(spVec3 a, spVec3 b)
{
    return spMakeMat3(spScale3(b.x, a), spScale3(b.y, a), spScale3(b.z, a));
}

// The matrix of the cross product: spSkew3(a) b = a x b
static inline spMat3 spSkew3(spVec3 a)
{
    spMat3 b = {{0, a.z, -a.y}, {-a.z, 0, a.x}, {a.y, -a.x, 0}};
    return b;
}

// (A + A^T) / 2
static inline spMat3 spSymmetricPart3(spMat3 a)
{
    return spScaleMat3((spReal)0.5, spAddMat3(a, spTransposeMat3(a)));
}

static inline spReal spTrace3(spMat3 a)
{
    return a.cx.x + a.cy.y + a.cz.z;
}

// Sum over all entries of A_ij B_ij
static inline double spDotMat3(spMat3 a, spMat3 b)
{
    return (double)a.cx.x * b.cx.x + (double)a.cx.y * b.cx.y + (double)a.cx.z * b.cx.z +
           (double)a.cy.x * b.cy.x + (double)a.cy.y * b.cy.y + (double)a.cy.z * b.cy.z +
           (double)a.cz.x * b.cz.x + (double)a.cz.y * b.cz.y + (double)a.cz.z * b.cz.z;
}

// Frobenius norm
static inline double spNormMat3(spMat3 a)
{
    return sqrt(spDotMat3(a, a));
}

static inline bool spIsFiniteMat3(spMat3 a)
{
    return spIsFinite3(a.cx) && spIsFinite3(a.cy) && spIsFinite3(a.cz);
}

// In double: the sign decides things, and the product of three floats leaves the range of float
static inline double spDeterminant3(spMat3 a)
{
    double cofactorX = (double)a.cy.y * a.cz.z - (double)a.cy.z * a.cz.y;
    double cofactorY = (double)a.cy.z * a.cz.x - (double)a.cy.x * a.cz.z;
    double cofactorZ = (double)a.cy.x * a.cz.y - (double)a.cy.y * a.cz.x;
    return a.cx.x * cofactorX + a.cx.y * cofactorY + a.cx.z * cofactorZ;
}

// The inverse, by cofactors in double. Returns false, with the zero matrix, when A is singular, not finite,
// or when the inverse leaves the range of spReal.
static inline bool spInvertMat3(spMat3 a, spMat3* inverse)
{
    double ax = a.cx.x, ay = a.cx.y, az = a.cx.z;
    double bx = a.cy.x, by = a.cy.y, bz = a.cy.z;
    double cx = a.cz.x, cy = a.cz.y, cz = a.cz.z;
    // Rows of the adjugate: b x c, c x a, a x b
    double r0x = by * cz - bz * cy, r0y = bz * cx - bx * cz, r0z = bx * cy - by * cx;
    double r1x = cy * az - cz * ay, r1y = cz * ax - cx * az, r1z = cx * ay - cy * ax;
    double r2x = ay * bz - az * by, r2y = az * bx - ax * bz, r2z = ax * by - ay * bx;
    double determinant = ax * r0x + ay * r0y + az * r0z;
    double s = 1.0 / determinant;
    *inverse = spMakeMat3(spMakeVec3((spReal)(s * r0x), (spReal)(s * r1x), (spReal)(s * r2x)),
                          spMakeVec3((spReal)(s * r0y), (spReal)(s * r1y), (spReal)(s * r2y)),
                          spMakeVec3((spReal)(s * r0z), (spReal)(s * r1z), (spReal)(s * r2z)));
    if (!isfinite(s) || s == 0.0 || !spIsFiniteMat3(*inverse))
    {
        *inverse = spZeroMat3();
        return false;
    }
    return true;
}

static inline spMat3 spMat3FromQuat(spQuat q)
{
    spReal xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
    spReal xy = q.x * q.y, xz = q.x * q.z, yz = q.y * q.z;
    spReal wx = q.w * q.x, wy = q.w * q.y, wz = q.w * q.z;
    return spMakeMat3(spMakeVec3(1 - 2 * (yy + zz), 2 * (xy + wz), 2 * (xz - wy)),
                      spMakeVec3(2 * (xy - wz), 1 - 2 * (xx + zz), 2 * (yz + wx)),
                      spMakeVec3(2 * (xz + wy), 2 * (yz - wx), 1 - 2 * (xx + yy)));
}

// From a proper rotation. The largest of |x|, |y|, |z|, |w| is found first and divides the others, so that
// no angle is special.
// Shepperd. Quaternion from Rotation Matrix. 1978
static inline spQuat spQuatFromMat3(spMat3 r)
{
    spReal xx = r.cx.x, yy = r.cy.y, zz = r.cz.z;
    spReal trace = xx + yy + zz;
    spQuat q;
    if (trace >= xx && trace >= yy && trace >= zz)
    {
        q = spMakeQuat(r.cy.z - r.cz.y, r.cz.x - r.cx.z, r.cx.y - r.cy.x, 1 + trace);
    }
    else if (xx >= yy && xx >= zz)
    {
        q = spMakeQuat(1 + xx - yy - zz, r.cx.y + r.cy.x, r.cx.z + r.cz.x, r.cy.z - r.cz.y);
    }
    else if (yy >= zz)
    {
        q = spMakeQuat(r.cx.y + r.cy.x, 1 + yy - zz - xx, r.cy.z + r.cz.y, r.cz.x - r.cx.z);
    }
    else
    {
        q = spMakeQuat(r.cx.z + r.cz.x, r.cy.z + r.cz.y, 1 + zz - xx - yy, r.cx.y - r.cy.x);
    }
    return spNormalizeQuat(q);
}
