// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What tests of element kinds share: force against energy, difference against force, momentum.

#pragma once

#include "body/body.h"
#include "testbed/check.h"

#include <stdlib.h>
#include <string.h>

#ifdef SOUPLE_DOUBLE_PRECISION
#define STEP 1e-6
#define FORCE_TOLERANCE 1e-6
#define SUM_TOLERANCE 1e-12
#else
#define STEP 1e-3
#define FORCE_TOLERANCE 2e-2
#define SUM_TOLERANCE 2e-5
#endif

// Zeroed nodes with the alignment that the kernels load with
static inline spVec4* AllocNodes(int count)
{
    size_t size = ((size_t)count * sizeof(spVec4) + 63) / 64 * 64;
    spVec4* nodes = aligned_alloc(64, size);
    memset(nodes, 0, size);
    return nodes;
}

static inline void Shake(spBody* body, double amount, uint64_t* seed)
{
    for (int i = 0; i < body->nodeCount; ++i)
    {
        body->x[i].x += (spReal)spRandomRange(seed, -amount, amount);
        body->x[i].y += (spReal)spRandomRange(seed, -amount, amount);
        body->x[i].z += (spReal)spRandomRange(seed, -amount, amount);
    }
}

static inline void EvaluateForces(spBody* body)
{
    spForceContext context = {.body = body, .state = spGetNodeState(body)};
    spMeasureForces(&context);
    for (int p = 0; p < body->order.patchCount; ++p)
    {
        spAddPatchForces(&context, p);
    }
    for (int p = 0; p < body->order.patchCount; ++p)
    {
        spSumPatchForces(&context, p);
    }
}

// body->f = change of the forces for dx and dv
static inline void EvaluateDifference(spBody* body, const spVec4* dx, const spVec4* dv, bool project)
{
    spForceContext context = {.body = body, .state = spGetNodeState(body)};
    spDifference difference = {.dx = dx, .dv = dv, .project = project};
    spMeasureDifference(&context, &difference);
    for (int p = 0; p < body->order.patchCount; ++p)
    {
        spAddPatchDifference(&context, &difference, p);
    }
    for (int p = 0; p < body->order.patchCount; ++p)
    {
        spSumPatchForces(&context, p);
    }
}

static inline double GetEnergy(spBody* body)
{
    spEnergy e = spGetBodyEnergy(body, body->x, (spVec3){0, 0, 0});
    return e.elastic + e.potential;
}

// Directional derivative of the energy along random directions against the force
static inline void CheckForceIsGradient(spBody* body, uint64_t seed)
{
    printf("seed %llu\n", (unsigned long long)seed);
    size_t size = (size_t)body->nodeCount * sizeof(spVec4);
    spVec4* saved = AllocNodes(body->nodeCount);
    spVec4* d = AllocNodes(body->nodeCount);
    memset(body->v, 0, size);
    memcpy(saved, body->x, size);
    for (int round = 0; round < 5; ++round)
    {
        double work = 0.0, scale = 0.0;
        EvaluateForces(body);
        for (int i = 0; i < body->nodeCount; ++i)
        {
            d[i] = (spVec4){(spReal)spRandomRange(&seed, -1, 1), (spReal)spRandomRange(&seed, -1, 1),
                            (spReal)spRandomRange(&seed, -1, 1), 0};
            double along =
                (double)body->f[i].x * d[i].x + (double)body->f[i].y * d[i].y + (double)body->f[i].z * d[i].z;
            work += along;
            scale += fabs(along);
        }
        double energy[2];
        for (int side = 0; side < 2; ++side)
        {
            spReal h = (spReal)(side == 0 ? STEP : -STEP);
            for (int i = 0; i < body->nodeCount; ++i)
            {
                body->x[i].x = saved[i].x + h * d[i].x;
                body->x[i].y = saved[i].y + h * d[i].y;
                body->x[i].z = saved[i].z + h * d[i].z;
            }
            energy[side] = GetEnergy(body);
        }
        memcpy(body->x, saved, size);
        CHECK_NEAR(-(energy[0] - energy[1]) / (2.0 * STEP), work, FORCE_TOLERANCE * scale);
    }
    free(saved);
    free(d);
}

// Central difference of the force against addDifference
static inline void CheckDifference(spBody* body, uint64_t seed)
{
    size_t size = (size_t)body->nodeCount * sizeof(spVec4);
    spVec4* saved = AllocNodes(body->nodeCount);
    spVec4* dx = AllocNodes(body->nodeCount);
    spVec4* dv = AllocNodes(body->nodeCount);
    spVec4* plus = AllocNodes(body->nodeCount);
    memset(body->v, 0, size);
    memcpy(saved, body->x, size);
    for (int i = 0; i < body->nodeCount; ++i)
    {
        dx[i] = (spVec4){(spReal)spRandomRange(&seed, -1, 1), (spReal)spRandomRange(&seed, -1, 1),
                         (spReal)spRandomRange(&seed, -1, 1), 0};
    }
    for (int i = 0; i < body->nodeCount; ++i)
    {
        body->x[i] = (spVec4){saved[i].x + (spReal)STEP * dx[i].x, saved[i].y + (spReal)STEP * dx[i].y,
                              saved[i].z + (spReal)STEP * dx[i].z, saved[i].w};
    }
    EvaluateForces(body);
    memcpy(plus, body->f, size);
    for (int i = 0; i < body->nodeCount; ++i)
    {
        body->x[i] = (spVec4){saved[i].x - (spReal)STEP * dx[i].x, saved[i].y - (spReal)STEP * dx[i].y,
                              saved[i].z - (spReal)STEP * dx[i].z, saved[i].w};
    }
    EvaluateForces(body);
    for (int i = 0; i < body->nodeCount; ++i)
    {
        plus[i].x -= body->f[i].x;
        plus[i].y -= body->f[i].y;
        plus[i].z -= body->f[i].z;
    }
    memcpy(body->x, saved, size);

    EvaluateDifference(body, dx, dv, false);
    double error = 0.0, scale = 0.0;
    for (int i = 0; i < body->nodeCount; ++i)
    {
        double want[3] = {(double)plus[i].x / (2 * STEP), (double)plus[i].y / (2 * STEP),
                          (double)plus[i].z / (2 * STEP)};
        double got[3] = {body->f[i].x, body->f[i].y, body->f[i].z};
        for (int k = 0; k < 3; ++k)
        {
            error = fmax(error, fabs(want[k] - got[k]));
            scale = fmax(scale, fabs(want[k]));
        }
    }
    CHECK_LESS(error, FORCE_TOLERANCE * scale);
    free(saved);
    free(dx);
    free(dv);
    free(plus);
}

static inline void CheckMomentum(spBody* body)
{
    EvaluateForces(body);
    double sum[3] = {0}, torque[3] = {0}, scale = 0.0;
    for (int i = 0; i < body->nodeCount; ++i)
    {
        double x = body->x[i].x, y = body->x[i].y, z = body->x[i].z;
        double u = body->f[i].x, v = body->f[i].y, w = body->f[i].z;
        sum[0] += u, sum[1] += v, sum[2] += w;
        torque[0] += y * w - z * v, torque[1] += z * u - x * w, torque[2] += x * v - y * u;
        scale += fabs(u) + fabs(v) + fabs(w);
    }
    for (int k = 0; k < 3; ++k)
    {
        CHECK_LESS(fabs(sum[k]), SUM_TOLERANCE * scale);
        CHECK_LESS(fabs(torque[k]), SUM_TOLERANCE * scale);
    }
}
