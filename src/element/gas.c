// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Gas is a global kind: the pressure depends on the volume of the whole body, so that its stiffness is one
// dense rank-one term, dP/dV g g^T with g = dV/dx, plus a local geometric term. Forces are gathered node by
// node over the faces around the node: no two nodes write to the same place.
//
// A body that is pressed flat or turned inside out has no volume to divide by: below a small share of the
// rest volume the pressure stays what it is there, and the energy goes on linearly, so that force stays minus
// its gradient.

#include "element/gas.h"

#define SP_LANES 1
#include "math/lanes.h"

#include "element/gas_kernel.h"
#include "math/vec3.h"

#include <string.h>

// Share of the rest volume below which the pressure does not grow any more
#define SP_MIN_VOLUME 0.03

static RVec3 spLoadNode(const spVec4* x)
{
    return (RVec3){x->x, x->y, x->z};
}

// Volume of a range of faces, relative to an origin
static double spSumFaces(const spGasSet* set, const spVec4* x, const spVec4* origin, int begin, int end)
{
    double sum = 0.0;
    if (set->planar)
    {
        for (int i = begin; i < end; ++i)
        {
            const spVec4* a = x + set->faces[2 * (size_t)i];
            const spVec4* b = x + set->faces[2 * (size_t)i + 1];
            double p[2] = {(double)a->x - (double)origin->x, (double)a->y - (double)origin->y};
            double q[2] = {(double)b->x - (double)origin->x, (double)b->y - (double)origin->y};
            sum += spGetEdgeArea(p, q);
        }
        return sum;
    }
    for (int i = begin; i < end; ++i)
    {
        double p[3][3];
        for (int k = 0; k < 3; ++k)
        {
            const spVec4* node = x + set->faces[3 * (size_t)i + k];
            p[k][0] = (double)node->x - (double)origin->x;
            p[k][1] = (double)node->y - (double)origin->y;
            p[k][2] = (double)node->z - (double)origin->z;
        }
        sum += spGetFaceVolume(p[0], p[1], p[2]);
    }
    return sum;
}

double spGetGasVolume(const spGasSet* set, const spNodeState* state)
{
    // Same blocks and same order as measure, so that both give the same bits
    double volume = 0.0;
    int count = set->base.elementCount;
    for (int begin = 0; begin < count; begin += SP_SUM_BLOCK)
    {
        volume +=
            spSumFaces(set, state->x, state->x + set->faces[0], begin, spMinInt(begin + SP_SUM_BLOCK, count));
    }
    return volume;
}

static double spGetBreath(const spGasSet* set, double time)
{
    if (set->amplitude == 0.0)
    {
        return set->knrt;
    }
    return set->knrt * (1.0 + set->amplitude * sin(2.0 * 3.14159265358979323846 * set->frequency * time));
}

double spGetGasPressure(const spGasSet* set, double volume, double time)
{
    double least = SP_MIN_VOLUME * set->restVolume;
    return spGetBreath(set, time) / (volume > least ? volume : least);
}

typedef struct spMeasureContext
{
    spGasSet* set;
    const spNodeState* state;
} spMeasureContext;

static void spMeasureBlocks(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    spMeasureContext* c = context;
    int count = c->set->base.elementCount;
    for (int block = begin; block < end; ++block)
    {
        int first = block * SP_SUM_BLOCK;
        c->set->partial[block] = spSumFaces(c->set, c->state->x, c->state->x + c->set->faces[0], first,
                                            spMinInt(first + SP_SUM_BLOCK, count));
    }
}

static void spMeasureGas(spElementSet* base, const spNodeState* state, spTeam* team)
{
    spGasSet* set = (spGasSet*)base;
    spMeasureContext context = {set, state};
    int blockCount = spGetSumBlockCount(base->elementCount);
    spParallelFor(team, spMeasureBlocks, blockCount, 1, &context);
    double volume = spSumBlocks(set->partial, blockCount);
    double inside = spGetGasPressure(set, volume, state->time);
    set->pressure = inside - set->ambient;
    set->stiffening = volume > SP_MIN_VOLUME * set->restVolume ? inside / volume : 0.0;
}

// dV/dx of a node
static inline spVec3 spGetVolumeGradient(const spGasSet* set, const spVec4* x, int node)
{
    int begin = set->fanBegin[node], end = set->fanBegin[node + 1];
    if (set->planar)
    {
        // One entry: previous and next node of the outline
        const spVec4* b = x + set->fans[2 * (size_t)begin];
        const spVec4* c = x + set->fans[2 * (size_t)begin + 1];
        return (spVec3){(spReal)0.5 * (c->y - b->y), (spReal)0.5 * (b->x - c->x), 0};
    }
    spVec3 g = {0, 0, 0};
    RVec3 a = spLoadNode(x + node);
    for (int i = begin; i < end; ++i)
    {
        RVec3 n = spGetFaceNormal(a, spLoadNode(x + set->fans[2 * (size_t)i]),
                                  spLoadNode(x + set->fans[2 * (size_t)i + 1]));
        g.x += n.x;
        g.y += n.y;
        g.z += n.z;
    }
    const spReal sixth = (spReal)(1.0 / 6.0);
    return (spVec3){sixth * g.x, sixth * g.y, sixth * g.z};
}

static void spAddGasForces(const spElementSet* base, const spNodeState* state, int patch, spVec4* f)
{
    const spGasSet* set = (const spGasSet*)base;
    spReal pressure = (spReal)set->pressure;
    for (int node = state->patchBegin[patch]; node < state->patchBegin[patch + 1]; ++node)
    {
        if (set->fanBegin[node] < set->fanBegin[node + 1])
        {
            spVec3 g = spGetVolumeGradient(set, state->x, node);
            f[node].x += pressure * g.x;
            f[node].y += pressure * g.y;
            f[node].z += pressure * g.z;
        }
    }
}

static void spMeasureGasDifference(spElementSet* base, const spNodeState* state,
                                   const spDifference* difference)
{
    const spVec4* dx = difference->dx;
    spGasSet* set = (spGasSet*)base;
    double dVolume = 0.0;
    for (int node = 0; node < set->nodeCount; ++node)
    {
        if (set->fanBegin[node] < set->fanBegin[node + 1])
        {
            spVec3 g = spGetVolumeGradient(set, state->x, node);
            dVolume += (double)g.x * dx[node].x + (double)g.y * dx[node].y + (double)g.z * dx[node].z;
        }
    }
    set->dPressure = -set->stiffening * dVolume;
}

static void spAddGasDifference(const spElementSet* base, const spNodeState* state,
                               const spDifference* difference, int patch, spVec4* df)
{
    const spVec4* dx = difference->dx;
    const spGasSet* set = (const spGasSet*)base;
    spReal pressure = (spReal)set->pressure;
    spReal dPressure = (spReal)set->dPressure;
    for (int node = state->patchBegin[patch]; node < state->patchBegin[patch + 1]; ++node)
    {
        int begin = set->fanBegin[node], end = set->fanBegin[node + 1];
        if (begin == end)
        {
            continue;
        }
        spVec3 g = spGetVolumeGradient(set, state->x, node);
        spVec3 dg = {0, 0, 0};
        spVec3 a = spXyz(state->x[node]), da = spXyz(dx[node]);
        // The turning of the faces may push either way
        for (int i = begin; i < end && difference->project == false; ++i)
        {
            const int32_t* others = set->fans + 2 * (size_t)i;
            spVec3 db = spXyz(dx[others[0]]), dc = spXyz(dx[others[1]]);
            if (set->planar)
            {
                dg.x += (spReal)0.5 * (dc.y - db.y);
                dg.y += (spReal)0.5 * (db.x - dc.x);
            }
            else
            {
                spVec3 u = spSub3(spXyz(state->x[others[0]]), a);
                spVec3 v = spSub3(spXyz(state->x[others[1]]), a);
                spVec3 turn = spAdd3(spCross3(spSub3(db, da), v), spCross3(u, spSub3(dc, da)));
                dg = spMulAdd3(dg, (spReal)(1.0 / 6.0), turn);
            }
        }
        df[node].x += dPressure * g.x + pressure * dg.x;
        df[node].y += dPressure * g.y + pressure * dg.y;
        df[node].z += dPressure * g.z + pressure * dg.z;
    }
}

static double spGetGasColumn(const spElementSet* base, const spNodeState* state, spVec4* g)
{
    const spGasSet* set = (const spGasSet*)base;
    for (int node = 0; node < set->nodeCount; ++node)
    {
        bool outside = set->fanBegin[node] < set->fanBegin[node + 1];
        spVec3 gradient = outside ? spGetVolumeGradient(set, state->x, node) : (spVec3){0, 0, 0};
        g[node] = (spVec4){gradient.x, gradient.y, gradient.z, 0};
    }
    return set->stiffening;
}

static double spGetGasEnergy(const spElementSet* base, const spNodeState* state)
{
    // -K ln(V / V0) + P0 (V - V0)
    const spGasSet* set = (const spGasSet*)base;
    double volume = spGetGasVolume(set, state);
    double knrt = spGetBreath(set, state->time);
    double least = SP_MIN_VOLUME * set->restVolume;
    double inside = -knrt * log((volume > least ? volume : least) / set->restVolume);
    if (volume < least)
    {
        inside += knrt / least * (least - volume);
    }
    return inside + set->ambient * (volume - set->restVolume);
}

static void spAddGasBounds(const spElementSet* base, const spNodeState* state, spBounds* bounds)
{
    const spGasSet* set = (const spGasSet*)base;
    double pressure = fabs(set->pressure);
    for (int node = 0; node < set->nodeCount; ++node)
    {
        double reach = 0.0;
        for (int i = set->fanBegin[node]; i < set->fanBegin[node + 1]; ++i)
        {
            spVec3 b = spXyz(state->x[set->fans[2 * (size_t)i]]),
                   c = spXyz(state->x[set->fans[2 * (size_t)i + 1]]);
            reach += set->planar ? 1.0 : (double)spDistance3(b, c) / 3.0;
        }
        if (set->fanBegin[node] == set->fanBegin[node + 1])
        {
            continue;
        }
        spVec3 g = spGetVolumeGradient(set, state->x, node);
        // The rank-one term acts on the body as a whole, the geometric one between neighbours
        bounds->globalStiffness += set->stiffening * (double)spDot3(g, g) / (double)bounds->mass[node];
        spMat3 block = spScaleMat3((spReal)(pressure * reach), spIdentityMat3());
        bounds->stiffness[node] = spAddMat3(bounds->stiffness[node], block);
    }
}

static void spDestroyGasSet(spElementSet* base, spHeap* heap)
{
    spGasSet* set = (spGasSet*)base;
    int faceCount = base->elementCount;
    spFree(heap, set->faces, spArraySize((int64_t)faceCount * set->nodesPerFace, sizeof(int32_t)));
    spFree(heap, set->fanBegin, spArraySize(set->nodeCount + 1, sizeof(int32_t)));
    spFree(heap, set->fans, spArraySize((int64_t)faceCount * 3 * 2, sizeof(int32_t)));
    spFree(heap, set->partial, spArraySize(spGetSumBlockCount(faceCount), sizeof(double)));
    spFree(heap, set, sizeof(spGasSet));
}

const spElementKind spGasKind = {
    .name = "gas",
    .flags = sp_kindGlobal | sp_kindConservative,
    .measure = spMeasureGas,
    .addForces = spAddGasForces,
    .measureDifference = spMeasureGasDifference,
    .addDifference = spAddGasDifference,
    .getColumn = spGetGasColumn,
    .getEnergy = spGetGasEnergy,
    .addBounds = spAddGasBounds,
    .destroy = spDestroyGasSet,
};

// The faces around each node, each with its other two nodes in face order; planar: previous and next node
static void spBuildFans(spGasSet* set)
{
    int n = set->nodesPerFace;
    int faceCount = set->base.elementCount;
    memset(set->fanBegin, 0, (size_t)(set->nodeCount + 1) * sizeof(int32_t));
    if (set->planar)
    {
        // Every node of a closed outline ends one edge and starts one: one entry for each
        for (int i = 0; i < faceCount; ++i)
        {
            set->fanBegin[set->faces[2 * i] + 1] += 1;
        }
    }
    else
    {
        for (int i = 0; i < faceCount * n; ++i)
        {
            set->fanBegin[set->faces[i] + 1] += 1;
        }
    }
    for (int i = 0; i < set->nodeCount; ++i)
    {
        set->fanBegin[i + 1] += set->fanBegin[i];
    }
    // Fill from the back, so that fanBegin ends where it started
    for (int i = faceCount - 1; i >= 0; --i)
    {
        const int32_t* face = set->faces + (size_t)i * n;
        if (set->planar)
        {
            set->fans[2 * (size_t)(set->fanBegin[face[0] + 1] - 1) + 1] = face[1];
            set->fans[2 * (size_t)(set->fanBegin[face[1] + 1] - 1)] = face[0];
            continue;
        }
        for (int k = 0; k < 3; ++k)
        {
            int32_t* entry = set->fans + 2 * (size_t)(--set->fanBegin[face[k] + 1]);
            entry[0] = face[(k + 1) % 3];
            entry[1] = face[(k + 2) % 3];
        }
    }
    if (set->planar == false)
    {
        // Every begin has moved to its own start: shift back
        memmove(set->fanBegin, set->fanBegin + 1, (size_t)set->nodeCount * sizeof(int32_t));
        set->fanBegin[set->nodeCount] = 3 * faceCount;
    }
}

spGasSet* spCreateGasSet(spHeap* heap, const spGasSetDef* def, const spNodeState* state)
{
    spGasSet* set = spAllocZeroed(heap, sizeof(spGasSet));
    if (set == NULL)
    {
        return NULL;
    }
    set->base.kind = &spGasKind;
    set->base.elementCount = def->faceCount;
    set->planar = def->planar;
    set->nodesPerFace = def->planar ? 2 : 3;
    set->nodeCount = state->nodeCount;
    set->knrt = def->knrt;
    set->amplitude = def->amplitude;
    set->frequency = def->frequency;
    size_t faceSize = spArraySize((int64_t)def->faceCount * set->nodesPerFace, sizeof(int32_t));
    set->faces = spAlloc(heap, faceSize);
    set->fanBegin = spAlloc(heap, spArraySize(set->nodeCount + 1, sizeof(int32_t)));
    set->fans = spAlloc(heap, spArraySize((int64_t)def->faceCount * 3 * 2, sizeof(int32_t)));
    set->partial = spAlloc(heap, spArraySize(spGetSumBlockCount(def->faceCount), sizeof(double)));
    if (set->faces == NULL || set->fanBegin == NULL || set->fans == NULL || set->partial == NULL)
    {
        spDestroyGasSet(&set->base, heap);
        return NULL;
    }
    memcpy(set->faces, def->faces, faceSize);
    spBuildFans(set);
    set->restVolume = spGetGasVolume(set, state);
    return set;
}
