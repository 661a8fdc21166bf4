// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "element/constraint_set.h"

#include "element/lane_count.h"
#include "mesh/mesh_math.h"

#include <math.h>
#include <string.h>

// J J^T that a node of a triangle of 1 m^2 or a tet of 1 m^3 counts with at least: a few percent of what it
// is in a regular one
#define SP_LEAST_SQUARE 0.01
// The same of a whole body, as a share of what it was
#define SP_LEAST_SHARE 0.03

#ifdef SOUPLE_DISABLE_SIMD
#define SP_PICK_ROWS(laneCount, stem) ((void)(laneCount), &stem##1)
#else
#define SP_PICK_ROWS(laneCount, stem)                                                                        \
    ((const spConstraintKind* const[]){&stem##1, &stem##4, &stem##8, &stem##16}[spGetLaneIndex(laneCount)])
#endif

int spCountConstraintNodes(spConstraintType type)
{
    static const int counts[] = {2, 2, 3, 4, 3};
    _Static_assert(SP_COUNT(counts) == sp_constraintTypeCount, "one number for each type");
    return counts[type];
}

double spMeasureConstraint(spConstraintType type, const spVec4* x, const int32_t* nodes)
{
    spDVec3 origin = spGetDouble(x[nodes[0]]), d[3] = {{0}};
    int n = spCountConstraintNodes(type);
    for (int k = 0; k < n - 1; ++k)
    {
        d[k] = spDSub(spGetDouble(x[nodes[k + 1]]), origin);
    }
    if (n == 2)
    {
        return spDLength(d[0]);
    }
    spDVec3 normal = spDCross(d[0], d[1]);
    return n == 3 ? 0.5 * spDLength(normal) : spDDot(normal, d[2]) / 6.0;
}

// ---- constraints between a few nodes ----

static const spConstraintKind* spGetGivenRows(const spElementSet* base, bool energy)
{
    SP_UNUSED(energy);
    const spConstraintSet* set = (const spConstraintSet*)base;
    switch (set->type)
    {
        case sp_constraintTether:
            return SP_PICK_ROWS(set->laneCount, spGivenTetherRows);
        case sp_constraintArea:
            return SP_PICK_ROWS(set->laneCount, spAreaRows);
        case sp_constraintVolume:
            return SP_PICK_ROWS(set->laneCount, spVolumeRows);
        default:
            return SP_PICK_ROWS(set->laneCount, spGivenDistanceRows);
    }
}

// Compliance of what there is of a constraint
static double spGetCompliance(const spConstraintSet* set, int element)
{
    spReal part = spGetPart(&set->follow, element);
    return part > 0 ? (double)set->compliance / (double)part : (double)set->compliance;
}

void spFillGivenDistanceRows(spConstraints* c, const spConstraintFill* fill)
{
    const spConstraintSet* set = (const spConstraintSet*)c->set;
    c->damped = set->damping > 0 && set->compliance > 0;
    for (int i = 0; i < c->blocks.blockCount * SP_BLOCK; ++i)
    {
        int element = c->blocks.elements[i];
        spPutDistance(c, fill->x, i, element >= 0, element >= 0 ? (double)set->rest[element] : 0.0,
                      spGetCompliance(set, element < 0 ? 0 : element) / (fill->h * fill->h),
                      c->damped ? (double)set->damping / fill->h : 0.0);
    }
}

void spFillExtentRows(spConstraints* c, const spConstraintFill* fill)
{
    const spConstraintSet* set = (const spConstraintSet*)c->set;
    c->damped = set->damping > 0 && set->compliance > 0;
    for (int i = 0; i < c->blocks.blockCount * SP_BLOCK; ++i)
    {
        int element = c->blocks.elements[i];
        spReal* place = spGetConstraintData(c, i / SP_BLOCK, 0) + i % SP_BLOCK;
        double rest = element >= 0 ? (double)set->rest[element] : 1.0;
        double compliance = spGetCompliance(set, element < 0 ? 0 : element) / (fill->h * fill->h);
        double least = SP_LEAST_SQUARE * (set->type == sp_constraintVolume ? cbrt(rest) : 1.0);
        place[sp_extentRest * SP_BLOCK] = (spReal)rest;
        place[sp_extentScale * SP_BLOCK] = element >= 0 ? (spReal)(1.0 / sqrt(rest)) : 0;
        place[sp_extentCompliance * SP_BLOCK] = element >= 0 ? (spReal)compliance : 1;
        place[sp_extentDamping * SP_BLOCK] = c->damped ? (spReal)((double)set->damping / fill->h) : 0;
        place[sp_extentLeast * SP_BLOCK] = (spReal)least;
    }
}

static double spGetGivenEnergy(const spElementSet* base, const spNodeState* state)
{
    const spConstraintSet* set = (const spConstraintSet*)base;
    bool extent = set->nodesPerElement > 2;
    double sum = 0.0;
    for (int i = 0; i < base->elementCount && set->compliance > 0; ++i)
    {
        double rest = (double)set->rest[i];
        double c =
            spMeasureConstraint(set->type, state->x, set->nodes + (size_t)i * set->nodesPerElement) - rest;
        c = set->type == sp_constraintTether && c < 0.0 ? 0.0 : c;
        sum += (double)spGetPart(&set->follow, i) * c * c / (extent ? rest : 1.0);
    }
    return set->compliance > 0 ? 0.5 * sum / (double)set->compliance : 0.0;
}

// ---- the whole volume ----

static void spMeasureWholeVolume(spElementSet* base, const spNodeState* state, spTeam* team)
{
    spConstraintSet* set = (spConstraintSet*)base;
    set->volume = spMeasureEnclosure(&set->enclosure, state->x, team);
}

static spWholeRow spGetWholeVolumeRow(const spElementSet* base, const spNodeState* state)
{
    SP_UNUSED(state);
    const spConstraintSet* set = (const spConstraintSet*)base;
    return (spWholeRow){.value = (set->volume - set->restVolume) / sqrt(set->restVolume),
                        .compliance = (double)set->compliance,
                        .damping = set->compliance > 0 ? (double)set->damping : 0.0,
                        .least = set->leastSquare};
}

static void spFillWholeVolumeGradient(const spElementSet* base, const spNodeState* state, int begin, int end,
                                      spVec4* gradient)
{
    const spConstraintSet* set = (const spConstraintSet*)base;
    spReal factor = (spReal)(1.0 / sqrt(set->restVolume));
    spFillVolumeGradients(&set->enclosure, state->x, factor, begin, end, gradient);
}

static double spGetWholeVolumeEnergy(const spElementSet* base, const spNodeState* state)
{
    const spConstraintSet* set = (const spConstraintSet*)base;
    double change = spGetEnclosedVolume(&set->enclosure, state->x) - set->restVolume;
    return set->compliance > 0 ? 0.5 * change * change / (set->restVolume * (double)set->compliance) : 0.0;
}

void spSetRestVolume(spConstraintSet* set, const spVec4* x, double volume)
{
    double sum = 0.0;
    int count = set->enclosure.nodeCount;
    for (int node = 0; node < count; ++node)
    {
        if (spIsOnEnclosure(&set->enclosure, node))
        {
            spVec3 g = spGetVolumeGradient(&set->enclosure, x, node);
            sum += (double)g.x * g.x + (double)g.y * g.y + (double)g.z * g.z;
        }
    }
    set->restVolume = volume;
    set->leastSquare = SP_LEAST_SHARE * sum / (volume * (double)count);
}

// ---- both ----

static void spAddNoForces(const spElementSet* base, const spNodeState* state, int patch, spVec4* f)
{
    SP_UNUSED(base);
    SP_UNUSED(state);
    SP_UNUSED(patch);
    SP_UNUSED(f);
}

static void spAddNoDifference(const spElementSet* base, const spNodeState* state,
                              const spDifference* difference, int patch, spVec4* df)
{
    SP_UNUSED(difference);
    spAddNoForces(base, state, patch, df);
}

static void spAddNoBounds(const spElementSet* base, const spNodeState* state, spBounds* bounds)
{
    SP_UNUSED(base);
    SP_UNUSED(state);
    SP_UNUSED(bounds);
}

static spBlocks* spGetConstraintBlocks(spElementSet* base)
{
    return &((spConstraintSet*)base)->blocks;
}

static void spDestroyConstraintSet(spElementSet* base, spHeap* heap)
{
    spConstraintSet* set = (spConstraintSet*)base;
    spFree(heap, set->nodes);
    spFree(heap, set->rest);
    spFreeFollow(&set->follow, heap);
    spFreeBlocks(&set->blocks, heap);
    spFreeEnclosure(&set->enclosure, heap);
    spFree(heap, set);
}

static bool spRemapConstraintSet(spElementSet* base, spHeap* heap, spRemap* remap, spRemapPhase phase,
                                 spError* error)
{
    spConstraintSet* set = (spConstraintSet*)base;
    spFollower f = {.set = base,
                    .follow = &set->follow,
                    .blocks = &set->blocks,
                    .nodes = set->nodes,
                    .stride = (size_t)set->nodesPerElement * sizeof(int32_t)};
    return spRemapFollower(&f, heap, remap, phase, error);
}

const spElementKind spConstraintSetKind = {
    .name = "constraint",
    .flags = sp_kindRows,
    .addForces = spAddNoForces,
    .addDifference = spAddNoDifference,
    .getRows = spGetGivenRows,
    .getEnergy = spGetGivenEnergy,
    .addBounds = spAddNoBounds,
    .getBlocks = spGetConstraintBlocks,
    .remap = spRemapConstraintSet,
    .destroy = spDestroyConstraintSet,
};

const spElementKind spWholeVolumeKind = {
    .name = "body volume",
    .flags = sp_kindRows | sp_kindGlobal,
    .measure = spMeasureWholeVolume,
    .addForces = spAddNoForces,
    .addDifference = spAddNoDifference,
    .getRow = spGetWholeVolumeRow,
    .fillGradient = spFillWholeVolumeGradient,
    .getEnergy = spGetWholeVolumeEnergy,
    .addBounds = spAddNoBounds,
    .destroy = spDestroyConstraintSet,
};

spConstraintSet* spCreateConstraintSet(spHeap* heap, const spConstraintSetDef* def)
{
    spConstraintSet* set = spAllocZeroed(heap, sizeof(spConstraintSet));
    if (set == NULL)
    {
        return NULL;
    }
    bool whole = def->type == sp_constraintBodyVolume, ok;
    set->base.kind = whole ? &spWholeVolumeKind : &spConstraintSetKind;
    set->base.elementCount = whole ? 1 : def->count;
    set->type = def->type;
    set->laneCount = def->laneCount;
    set->compliance = def->compliance;
    set->damping = def->damping;
    set->nodesPerElement = spCountConstraintNodes(def->type);
    if (whole)
    {
        ok = spCreateEnclosure(&set->enclosure, heap, def->nodes, def->count, false, def->nodeCount);
    }
    else
    {
        int total = spGetPlaceCount(def->follow, def->count);
        size_t size = (size_t)set->nodesPerElement * sizeof(int32_t), n = (size_t)set->nodesPerElement;
        set->base.elementCount = total;
        set->base.spareCount = total - def->count;
        set->nodes = spAlloc(heap, spArraySize(total, size));
        set->rest = spAlloc(heap, spArraySize(total, sizeof(spReal)));
        ok = set->nodes != NULL && set->rest != NULL;
        for (int i = 0; ok && i < total; ++i)
        {
            size_t from = (size_t)(i < def->count ? i : spGetGiven(def->follow, i));
            memcpy(set->nodes + (size_t)i * n, def->nodes + from * n, size);
            set->rest[i] = def->rest[from];
        }
        ok = ok &&
             spBuildBlocks(&set->blocks, heap, set->nodes, def->count, set->nodesPerElement, def->patchBegin,
                           def->patchCount) &&
             spTakeFollow(&set->follow, def->follow, heap, &set->blocks, def->tetRoom, def->patchCount);
    }
    if (ok == false)
    {
        spDestroyConstraintSet(&set->base, heap);
        return NULL;
    }
    return set;
}
