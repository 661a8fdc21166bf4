// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What array operations do to one node: pure functions, for every filling of the backend.

#pragma once

#include "base/backend.h"
#include "math/mat3.h"

static inline spVec4 spMakeNode(spVec3 a)
{
    return (spVec4){a.x, a.y, a.z, 0};
}

// A number in [-1, 1) for each coordinate of a node, always the same: where iterations start
static inline spReal spGetNoise(int node, int axis)
{
    uint64_t z = ((uint64_t)node * 3 + (uint64_t)axis + 1) * 0x9E3779B97F4A7C15ull;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return (spReal)((double)((z ^ (z >> 31)) >> 40) * 0x1.0p-23 - 1.0);
}

static inline double spSquareOfNode(spVec4 a)
{
    return (double)a.x * a.x + (double)a.y * a.y + (double)a.z * a.z;
}

// ---- explicit steps ----

// turn x (x - centre)
static inline spQuad spGetRotationAt(const spRotation* rotation, const spVec4* x)
{
    spVec3 c = rotation->centre, t = rotation->turn;
    spReal rx = x->x - c.x, ry = x->y - c.y, rz = x->z - c.z;
    return (spQuad){t.y * rz - t.z * ry, t.z * rx - t.x * rz, t.x * ry - t.y * rx, 0};
}

// A a, A by columns
static inline spVec4 spSolveNode(const spReal* m, spQuad a)
{
    return (spVec4){m[0] * a[0] + m[3] * a[1] + m[6] * a[2], m[1] * a[0] + m[4] * a[1] + m[7] * a[2],
                    m[2] * a[0] + m[5] * a[1] + m[8] * a[2], 0};
}

static inline spMat3 spInvertShifted(spMat3 a, spReal s)
{
    spMat3 inverse;
    return spInvertMat3(spMulAddMat3(spIdentityMat3(), s, a), &inverse) ? inverse : spIdentityMat3();
}

// ---- modes ----

static inline spVec4 spNoiseOfNode(spReal s, int user)
{
    return (spVec4){s * spGetNoise(user, 0), s * spGetNoise(user, 1), s * spGetNoise(user, 2), 0};
}

static inline spVec4 spImageOfNode(spVec4 f, spReal w, spVec4 vector, const spMat3* local, spReal s,
                                   spReal lift)
{
    spVec3 b = spScale3(-s * w, spXyz(f));
    if (local != NULL && w > 0)
    {
        spVec3 a = spXyz(vector);
        b = spMulAdd3(b, -s, spMulMV3(*local, a));
        b = spMulAdd3(b, s * lift, a);
    }
    return spMakeNode(b);
}

// z + 2/3 (y - z - S z), S z = z + strength times the filter
static inline spVec4 spRichardsonOfNode(const spVec4* from, spVec4 image, bool isFree,
                                        const spFilterRows* rows, spReal strength, int node)
{
    const spReal share = (spReal)(2.0 / 3.0);
    spVec3 z = spXyz(from[node]);
    spVec3 sum = spScale3(rows->own[node], z);
    for (int i = rows->begin[node]; i < rows->begin[node + 1]; ++i)
    {
        spVec3 other = spXyz(from[rows->entries[i].offset / 4]);
        sum = spMulAdd3(sum, rows->entries[i].weight, spSub3(other, z));
    }
    spVec3 rest = spMulAdd3(spMulAdd3(spXyz(image), -2, z), -strength, sum);
    return spMakeNode(isFree ? spMulAdd3(z, share, rest) : z);
}

// ---- XPBD ----

static inline spVec4 spPushNode(spVec4 x, spReal s, spVec4 g)
{
    return (spVec4){x.x + s * g.x, x.y + s * g.y, x.z + s * g.z, x.w};
}

static inline spVec4 spPredictVelocity(spVec4 x, spVec4 v, spVec4 f, spVec3 gravity, spReal h)
{
    if (x.w > 0)
    {
        return (spVec4){v.x + h * (gravity.x + x.w * f.x), v.y + h * (gravity.y + x.w * f.y),
                        v.z + h * (gravity.z + x.w * f.z), 0};
    }
    return v;
}

static inline spVec4 spKickByBlock(spVec4 v, spMat3 block, spVec4 f, spReal h)
{
    spMat3 inverse;
    if (spInvertMat3(block, &inverse))
    {
        spVec3 dv = spScale3(h, spMulMV3(inverse, spXyz(f)));
        return (spVec4){v.x + dv.x, v.y + dv.y, v.z + dv.z, 0};
    }
    return v;
}

// ---- linear systems ----

// A symmetric block: (xx, yy, zz) in a, (xy, yz, xz) in c
typedef struct spSymmetricBlock
{
    spVec4 a, c;
} spSymmetricBlock;

// A block whose rounding makes it singular is taken by its diagonal
static inline spSymmetricBlock spInvertSymmetric(spSymmetricBlock block)
{
    spReal xx = block.a.x, yy = block.a.y, zz = block.a.z, xy = block.c.x, yz = block.c.y, xz = block.c.z;
    spReal kxx = yy * zz - yz * yz, kxy = xz * yz - xy * zz, kxz = xy * yz - xz * yy;
    spReal kyy = xx * zz - xz * xz, kyz = xy * xz - xx * yz, kzz = xx * yy - xy * xy;
    spReal det = xx * kxx + xy * kxy + xz * kxz;
    bool good = det > (spReal)1e-6 * xx * yy * zz && kxx > 0 && kyy > 0 && kzz > 0;
    spReal inverse = good ? 1 / det : 0;
    return (spSymmetricBlock){.a = good ? (spVec4){inverse * kxx, inverse * kyy, inverse * kzz, 0}
                                        : (spVec4){1 / xx, 1 / yy, 1 / zz, 0},
                              .c = {inverse * kxy, inverse * kyz, inverse * kxz, 0}};
}
