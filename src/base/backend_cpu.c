// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "base/backend.h"

#include <string.h>

static void spDriftNodes(spVec4* x, const spVec4* v, spReal h, int begin, int end)
{
    for (int i = begin; i < end; ++i)
    {
        x[i].x += h * v[i].x;
        x[i].y += h * v[i].y;
        x[i].z += h * v[i].z;
    }
}

static void spKickDriftNodes(spVec4* x, spVec4* v, const spVec4* f, spReal h, spReal hx, int begin, int end)
{
    for (int i = begin; i < end; ++i)
    {
        spReal a = h * x[i].w;
        spVec4 w = v[i];
        w.x += a * f[i].x;
        w.y += a * f[i].y;
        w.z += a * f[i].z;
        x[i].x += hx * w.x;
        x[i].y += hx * w.y;
        x[i].z += hx * w.z;
        v[i] = w;
    }
}

static void spDriftKickNodes(spVec4* x, spVec4* v, const spVec4* f, spReal h, int begin, int end)
{
    spDriftNodes(x, v, h, begin, end);
    spKickDriftNodes(x, v, f, h, 0, begin, end);
}

static void spRungeStageNodes(const spVec4* x, const spVec4* v, const spVec4* f, const spRungeArrays* arrays,
                              spReal weight, spReal advance, int begin, int end)
{
    for (int i = begin; i < end; ++i)
    {
        spVec4 slopeX = arrays->stageV[i];
        spReal w = x[i].w;
        spVec4 slopeV = {w * f[i].x, w * f[i].y, w * f[i].z, 0};
        spVec4* sumX = arrays->sumX + i;
        spVec4* sumV = arrays->sumV + i;
        sumX->x += weight * slopeX.x;
        sumX->y += weight * slopeX.y;
        sumX->z += weight * slopeX.z;
        sumV->x += weight * slopeV.x;
        sumV->y += weight * slopeV.y;
        sumV->z += weight * slopeV.z;
        arrays->stageX[i] = (spVec4){x[i].x + advance * slopeX.x, x[i].y + advance * slopeX.y,
                                     x[i].z + advance * slopeX.z, w};
        arrays->stageV[i] = (spVec4){v[i].x + advance * slopeV.x, v[i].y + advance * slopeV.y,
                                     v[i].z + advance * slopeV.z, 0};
    }
}

static void spRungeFinishNodes(spVec4* x, spVec4* v, const spRungeArrays* arrays, spReal h, int begin,
                               int end)
{
    spDriftNodes(x, arrays->sumX, h, begin, end);
    spDriftNodes(v, arrays->sumV, h, begin, end);
}

static void spCopyNodes(spVec4* to, const spVec4* from, int begin, int end)
{
    memcpy(to + begin, from + begin, (size_t)(end - begin) * sizeof(spVec4));
}

static bool spAreNodesFinite(const spVec4* a, int begin, int end)
{
    // 0 times a finite number is 0; times infinity or NaN it is NaN
    spReal x = 0, y = 0, z = 0;
    for (int i = begin; i < end; ++i)
    {
        x += 0 * a[i].x;
        y += 0 * a[i].y;
        z += 0 * a[i].z;
    }
    return x + y + z == 0;
}

const spBackend spCpuBackend = {
    .name = "cpu",
    .drift = spDriftNodes,
    .kickDrift = spKickDriftNodes,
    .driftKick = spDriftKickNodes,
    .rungeStage = spRungeStageNodes,
    .rungeFinish = spRungeFinishNodes,
    .copy = spCopyNodes,
    .isFinite = spAreNodesFinite,
};
