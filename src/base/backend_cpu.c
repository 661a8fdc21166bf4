// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "base/backend.h"

#include <string.h>

// The w of x is the inverse mass, that of v and f is 0: whole quads can be added
static spQuadMemory* spAsQuads(spVec4* a)
{
    return (spQuadMemory*)a;
}

static const spQuadMemory* spAsConstQuads(const spVec4* a)
{
    return (const spQuadMemory*)a;
}

static void spDriftNodes(spVec4* x, const spVec4* v, spReal h, int begin, int end)
{
    spQuadMemory* xs = spAsQuads(x);
    const spQuadMemory* vs = spAsConstQuads(v);
    for (int i = begin; i < end; ++i)
    {
        xs[i] += h * vs[i];
    }
}

static void spKickDriftNodes(spVec4* x, spVec4* v, const spVec4* f, spReal h, spReal hx, int begin, int end)
{
    spQuadMemory* xs = spAsQuads(x);
    spQuadMemory* vs = spAsQuads(v);
    const spQuadMemory* fs = spAsConstQuads(f);
    for (int i = begin; i < end; ++i)
    {
        spQuad moved = vs[i] + (h * x[i].w) * fs[i];
        vs[i] = moved;
        xs[i] += hx * moved;
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
    spQuadMemory* stageX = spAsQuads(arrays->stageX);
    spQuadMemory* stageV = spAsQuads(arrays->stageV);
    spQuadMemory* sumX = spAsQuads(arrays->sumX);
    spQuadMemory* sumV = spAsQuads(arrays->sumV);
    for (int i = begin; i < end; ++i)
    {
        spQuad slopeX = stageV[i];
        spQuad slopeV = x[i].w * spAsConstQuads(f)[i];
        sumX[i] += weight * slopeX;
        sumV[i] += weight * slopeV;
        stageX[i] = spAsConstQuads(x)[i] + advance * slopeX;
        stageV[i] = spAsConstQuads(v)[i] + advance * slopeV;
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
