// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "method/implicit_nodes.h"

#include "math/vec3.h"
#include "souple/body.h"

#include <math.h>

void spBlendStates(spVec4* base, spReal present, const spVec4* now, spReal past, const spVec4* before,
                   int begin, int end)
{
    for (int i = begin; i < end; ++i)
    {
        spVec3 a = spXyz(now[i]);
        a = past != 0 ? spMulAdd3(spScale3(present, a), past, spXyz(before[i])) : a;
        base[i] = (spVec4){a.x, a.y, a.z, 0};
    }
}

void spFillHeldBases(spVec4* baseX, spVec4* baseV, const spVec4* x, spReal rest, const spVec4* v, int begin,
                     int end)
{
    for (int i = begin; i < end; ++i)
    {
        if (x[i].w == 0)
        {
            spVec3 a = spMulAdd3(spXyz(x[i]), rest, spXyz(v[i]));
            baseX[i] = (spVec4){a.x, a.y, a.z, 0};
            baseV[i] = (spVec4){v[i].x, v[i].y, v[i].z, 0};
        }
    }
}

void spFillRightSide(spVec4* b, spReal r, const spVec4* f, spReal massShare, const spReal* mass,
                     const spVec4* v, const spVec4* baseV, int begin, int end)
{
    for (int i = begin; i < end; ++i)
    {
        spReal m = massShare * mass[i];
        b[i] = (spVec4){r * f[i].x - m * (v[i].x - baseV[i].x), r * f[i].y - m * (v[i].y - baseV[i].y),
                        r * f[i].z - m * (v[i].z - baseV[i].z), 0};
    }
}

void spFillDisplacements(spVec4* d, const spVec4* baseX, spReal r, const spVec4* v, const spVec4* x,
                         int begin, int end)
{
    for (int i = begin; i < end; ++i)
    {
        d[i] = (spVec4){baseX[i].x + r * v[i].x - x[i].x, baseX[i].y + r * v[i].y - x[i].y,
                        baseX[i].z + r * v[i].z - x[i].z, 0};
    }
}

void spFillPositions(spVec4* x, const spVec4* baseX, spReal r, const spVec4* v, int begin, int end)
{
    for (int i = begin; i < end; ++i)
    {
        x[i] = (spVec4){baseX[i].x + r * v[i].x, baseX[i].y + r * v[i].y, baseX[i].z + r * v[i].z, x[i].w};
    }
}

void spFillVelocities(spVec4* v, const spVec4* from, spReal share, const spVec4* dv, int begin, int end)
{
    for (int i = begin; i < end; ++i)
    {
        v[i] = (spVec4){from[i].x + share * dv[i].x, from[i].y + share * dv[i].y, from[i].z + share * dv[i].z,
                        0};
    }
}

void spSubtractBeyondMass(spVec4* f, const spVec4* product, spReal massShare, const spReal* mass,
                          const spVec4* v, int begin, int end)
{
    for (int i = begin; i < end; ++i)
    {
        spReal m = massShare * mass[i];
        f[i] = (spVec4){f[i].x - (product[i].x - m * v[i].x), f[i].y - (product[i].y - m * v[i].y),
                        f[i].z - (product[i].z - m * v[i].z), 0};
    }
}

void spFillLoadImpulses(spVec4* p, const spReal* mass, const spVec4* baseV, const spVec4* v, spReal r,
                        spVec3 g, const spVec4* f, int begin, int end)
{
    const spVec4 zero = {0};
    for (int i = begin; i < end; ++i)
    {
        spVec4 base = baseV[i], now = v != NULL ? v[i] : zero, load = f != NULL ? f[i] : zero;
        spReal m = mass[i];
        p[i] =
            (spVec4){m * (base.x - now.x + r * g.x) + r * load.x, m * (base.y - now.y + r * g.y) + r * load.y,
                     m * (base.z - now.z + r * g.z) + r * load.z, 0};
    }
}

void spScaleDriven(spVec4* v, const uint8_t* roles, spReal h, int begin, int end)
{
    for (int i = begin; i < end; ++i)
    {
        spReal share = roles[i] == sp_nodeDriven ? h : 0;
        v[i] = (spVec4){share * v[i].x, share * v[i].y, share * v[i].z, 0};
    }
}

void spFillFree(spVec4* a, spVec3 value, const spVec4* from, const spVec4* x, int begin, int end)
{
    for (int i = begin; i < end; ++i)
    {
        spVec3 change = from != NULL ? spSub3(value, spXyz(from[i])) : value;
        a[i] = x[i].w > 0 ? (spVec4){change.x, change.y, change.z, 0} : (spVec4){0};
    }
}

void spFillHeld(spVec4* a, const spVec4* from, const spVec4* x, int begin, int end)
{
    for (int i = begin; i < end; ++i)
    {
        a[i] = x[i].w == 0 ? (spVec4){from[i].x, from[i].y, from[i].z, 0} : (spVec4){0};
    }
}

void spDivideByMass(spVec4* to, const spVec4* from, const spVec4* x, int begin, int end)
{
    for (int i = begin; i < end; ++i)
    {
        spReal w = x[i].w;
        to[i] = (spVec4){w * from[i].x, w * from[i].y, w * from[i].z, 0};
    }
}

void spAddTurned(spVec4* to, const spMat3* turns, const spVec4* z, const spVec4* x, int begin, int end)
{
    for (int i = begin; i < end; ++i)
    {
        if (x[i].w > 0)
        {
            spVec3 change = spMulMV3(turns != NULL ? turns[i] : spIdentityMat3(), spXyz(z[i]));
            to[i] = (spVec4){to[i].x + change.x, to[i].y + change.y, to[i].z + change.z, to[i].w};
        }
    }
}

double spSumMass(spReal massShare, const spReal* mass, int begin, int end)
{
    double sum = 0.0;
    for (int i = begin; i < end; ++i)
    {
        sum += (double)massShare * (double)mass[i];
    }
    return sum;
}

double spGetMassNorm(const spReal* mass, int begin, int end)
{
    double sum = 0.0;
    for (int i = begin; i < end; ++i)
    {
        sum += (double)mass[i] * (double)mass[i];
    }
    return sqrt(sum);
}

double spSumMeans(const spVec4* a, int begin, int end)
{
    double sum = 0.0;
    for (int i = begin; i < end; ++i)
    {
        sum += ((double)a[i].x + (double)a[i].y + (double)a[i].z) / 3.0;
    }
    return sum;
}

double spSumFreeMass(const spReal* mass, const spVec4* x, int begin, int end)
{
    double sum = 0.0;
    for (int i = begin; i < end; ++i)
    {
        sum += x[i].w > 0 ? (double)mass[i] : 0.0;
    }
    return sum;
}

double spSumInertia(const spReal* mass, const spVec4* v, const spVec4* baseV, const spVec4* x, int begin,
                    int end)
{
    double sum = 0.0;
    for (int i = begin; i < end; ++i)
    {
        spVec3 base = spXyz(baseV[i]), dv = v != NULL ? spSub3(spXyz(v[i]), base) : base;
        double m = x[i].w > 0 ? 0.5 * (double)mass[i] : 0.0;
        sum += m * (double)spLengthSquared3(dv);
    }
    return sum;
}

double spSumLoadPower(const spReal* mass, spVec3 g, const spVec4* f, const spVec4* v, const spVec4* x,
                      int begin, int end)
{
    double sum = 0.0;
    for (int i = begin; i < end; ++i)
    {
        spVec3 load = spMulAdd3(f != NULL ? spXyz(f[i]) : (spVec3){0, 0, 0}, mass[i], g);
        sum += x[i].w > 0 ? (double)spDot3(load, spXyz(v[i])) : 0.0;
    }
    return sum;
}

double spGetLargestLength(const spVec4* a, int begin, int end)
{
    double square = 0.0;
    for (int i = begin; i < end; ++i)
    {
        square = fmax(square, (double)spLengthSquared3(spXyz(a[i])));
    }
    return sqrt(square);
}
