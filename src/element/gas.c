// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Gas is a global kind: the pressure depends on the volume of the whole body, so that its stiffness is one
// dense rank-one term, dP/dV g g^T with g = dV/dx, plus a local geometric term.
//
// A body that is pressed flat or turned inside out has no volume to divide by: below a small share of the
// rest volume the pressure stays what it is there, and the energy goes on linearly, so that force stays minus
// its gradient.

#include "element/gas.h"

#include "math/vec3.h"

#include <math.h>

// Share of the rest volume below which the pressure does not grow any more
#define SP_MIN_VOLUME 0.03

double spGetGasVolume(const spGasSet* set, const spNodeState* state)
{
    return spGetEnclosedVolume(&set->enclosure, state->x);
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

static void spMeasureGas(spElementSet* base, const spNodeState* state, spTeam* team)
{
    spGasSet* set = (spGasSet*)base;
    double volume = spMeasureEnclosure(&set->enclosure, state->x, team);
    double inside = spGetGasPressure(set, volume, state->time);
    double least = SP_MIN_VOLUME * set->restVolume;
    set->pressure = inside - set->ambient;
    set->stiffening = volume > least ? inside / volume : 0.0;
    set->rowStiffness = inside / (volume > least ? volume : least);
}

static void spAddGasForces(const spElementSet* base, const spNodeState* state, int patch, spVec4* f)
{
    const spGasSet* set = (const spGasSet*)base;
    spAddVolumeGradients(&set->enclosure, state->x, (spReal)set->pressure, state->patchBegin[patch],
                         state->patchBegin[patch + 1], f);
}

static void spMeasureGasDifference(spElementSet* base, const spNodeState* state,
                                   const spDifference* difference)
{
    const spVec4* dx = difference->dx;
    spGasSet* set = (spGasSet*)base;
    double dVolume = 0.0;
    for (int node = 0; node < set->enclosure.nodeCount; ++node)
    {
        if (spIsOnEnclosure(&set->enclosure, node))
        {
            spVec3 g = spGetVolumeGradient(&set->enclosure, state->x, node);
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
        int begin = set->enclosure.fanBegin[node], end = set->enclosure.fanBegin[node + 1];
        if (begin == end)
        {
            continue;
        }
        spVec3 g = spGetVolumeGradient(&set->enclosure, state->x, node);
        spVec3 dg = {0, 0, 0};
        spVec3 a = spXyz(state->x[node]), da = spXyz(dx[node]);
        // The turning of the faces may push either way
        for (int i = begin; i < end && difference->project == false; ++i)
        {
            const int32_t* others = set->enclosure.fans + 2 * (size_t)i;
            spVec3 db = spXyz(dx[others[0]]), dc = spXyz(dx[others[1]]);
            if (set->enclosure.planar)
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
    // Not what was measured last: a thread that makes a factor asks for another state, while forces go on
    const spGasSet* set = (const spGasSet*)base;
    spFillVolumeGradients(&set->enclosure, state->x, 1, 0, set->enclosure.nodeCount, g);
    double volume = spGetEnclosedVolume(&set->enclosure, state->x);
    double least = SP_MIN_VOLUME * set->restVolume;
    return volume > least ? spGetGasPressure(set, volume, state->time) / volume : 0.0;
}

// The row asks for lambda / h^2 = pressure; the stiffness only says how the pressure falls on the way there
static spWholeRow spGetGasRow(const spElementSet* base, const spNodeState* state)
{
    SP_UNUSED(state);
    const spGasSet* set = (const spGasSet*)base;
    return (spWholeRow){.value = -set->pressure / set->rowStiffness, .compliance = 1.0 / set->rowStiffness};
}

static void spFillGasGradient(const spElementSet* base, const spNodeState* state, int begin, int end,
                              spVec4* gradient)
{
    const spGasSet* set = (const spGasSet*)base;
    spFillVolumeGradients(&set->enclosure, state->x, 1, begin, end, gradient);
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
    for (int node = 0; node < set->enclosure.nodeCount; ++node)
    {
        double reach = 0.0;
        for (int i = set->enclosure.fanBegin[node]; i < set->enclosure.fanBegin[node + 1]; ++i)
        {
            spVec3 b = spXyz(state->x[set->enclosure.fans[2 * (size_t)i]]),
                   c = spXyz(state->x[set->enclosure.fans[2 * (size_t)i + 1]]);
            reach += set->enclosure.planar ? 1.0 : (double)spDistance3(b, c) / 3.0;
        }
        if (spIsOnEnclosure(&set->enclosure, node) == false)
        {
            continue;
        }
        spVec3 g = spGetVolumeGradient(&set->enclosure, state->x, node);
        // The rank-one term acts on the body as a whole, the geometric one between neighbours
        bounds->globalStiffness += set->stiffening * (double)spDot3(g, g) / (double)bounds->mass[node];
        spMat3 block = spScaleMat3((spReal)(pressure * reach), spIdentityMat3());
        bounds->stiffness[node] = spAddMat3(bounds->stiffness[node], block);
    }
}

static void spDestroyGasSet(spElementSet* base, spHeap* heap)
{
    spGasSet* set = (spGasSet*)base;
    spFreeEnclosure(&set->enclosure, heap);
    spFree(heap, set);
}

const spElementKind spGasKind = {
    .name = "gas",
    .flags = sp_kindGlobal | sp_kindConservative,
    .measure = spMeasureGas,
    .addForces = spAddGasForces,
    .measureDifference = spMeasureGasDifference,
    .addDifference = spAddGasDifference,
    .getColumn = spGetGasColumn,
    .getRow = spGetGasRow,
    .fillGradient = spFillGasGradient,
    .getEnergy = spGetGasEnergy,
    .addBounds = spAddGasBounds,
    .destroy = spDestroyGasSet,
};

spGasSet* spCreateGasSet(spHeap* heap, const spGasSetDef* def, const spNodeState* state)
{
    spGasSet* set = spAllocZeroed(heap, sizeof(spGasSet));
    if (set == NULL)
    {
        return NULL;
    }
    set->base.kind = &spGasKind;
    set->base.elementCount = def->faceCount;
    set->knrt = def->knrt;
    set->amplitude = def->amplitude;
    set->frequency = def->frequency;
    if (spCreateEnclosure(&set->enclosure, heap, def->faces, def->faceCount, def->planar, state->nodeCount) ==
        false)
    {
        spFree(heap, set);
        return NULL;
    }
    set->restVolume = spGetGasVolume(set, state);
    return set;
}
