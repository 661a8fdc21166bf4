// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "element/bend.h"

#define SP_LANES 1
#include "math/lanes.h"
#include "math/lanes_mat3.h"

#include "element/bend_kernel.h"
#include "math/vec3.h"
#include "mesh/mesh_math.h"

#include <string.h>

// Share of the smaller rest area below which a hinge fades out: the angle of a triangle without area means
// nothing, and its gradient grows beyond all bounds
#define SP_MIN_AREA 0.05

// Normals as long as twice the areas, and the angle between them, in double
typedef struct spDoubleHinge
{
    double length2;
    double sizeA, sizeB; // twice the areas
    double angle;
} spDoubleHinge;

static spDoubleHinge spMeasureHinge(const spVec4* x, const int32_t* nodes)
{
    spDVec3 origin = spGetDouble(x[nodes[0]]), d[3];
    for (int k = 0; k < 3; ++k)
    {
        d[k] = spDSub(spGetDouble(x[nodes[k + 1]]), origin);
    }
    spDVec3 nA = spDCross(d[0], d[1]), nB = spDCross(d[2], d[0]);
    spDoubleHinge hinge;
    hinge.length2 = spDDot(d[0], d[0]);
    hinge.sizeA = spDLength(nA);
    hinge.sizeB = spDLength(nB);
    hinge.angle = atan2(sqrt(hinge.length2) * spDDot(nA, d[2]), spDDot(nA, nB));
    return hinge;
}

bool spMakeBend(const spVec4* x, bool flat, spBend* bend)
{
    spDoubleHinge hinge = spMeasureHinge(x, bend->nodes);
    double smaller = hinge.sizeA < hinge.sizeB ? hinge.sizeA : hinge.sizeB;
    double least = SP_MIN_AREA * smaller;
    bend->rest = flat ? 0 : (spReal)hinge.angle;
    bend->weight = (spReal)(6.0 * hinge.length2 / (hinge.sizeA + hinge.sizeB));
    bend->fading = (spReal)(1.0 / (least * least));
    return isfinite(bend->fading) && isfinite(bend->weight);
}

// 3 l0^2 / A of what there is of a hinge
static spReal spGetBendWeight(const spBendSet* set, const spBend* bend)
{
    return spGetPart(&set->follow, (int)(bend - set->bends)) * bend->weight;
}

static void spFillBendBlocks(spElementSet* base, int begin, int end)
{
    spBendSet* set = (spBendSet*)base;
    size_t size = (size_t)set->blocks.blockCount * SP_BLOCK;
    for (size_t i = (size_t)begin * SP_BLOCK; i < (size_t)end * SP_BLOCK; ++i)
    {
        // Empty lanes write to a trash slot, so any numbers do: those of the first hinge
        int element = set->blocks.elements[i];
        const spBend* bend = set->bends + (element < 0 ? 0 : element);
        set->data[i] = bend->rest;
        set->data[size + i] = spGetBendWeight(set, bend);
        set->data[2 * size + i] = bend->fading;
    }
}

spBendSet* spCreateBendSet(spHeap* heap, const spBendSetDef* def)
{
    spBendSet* set = spAllocZeroed(heap, sizeof(spBendSet));
    if (set == NULL)
    {
        return NULL;
    }
    int given = def->bendCount, total = spGetPlaceCount(def->follow, given);
    set->base.kind = SP_PICK_KIND(def->laneCount, spBendKind);
    set->base.elementCount = total;
    set->base.spareCount = total - given;

    size_t nodeSize = spArraySize(given, 4 * sizeof(int32_t));
    int32_t* nodes = spAlloc(heap, nodeSize);
    set->bends = spAlloc(heap, spArraySize(total, sizeof(spBend)));
    bool ok = nodes != NULL && set->bends != NULL;
    if (ok)
    {
        for (int i = 0; i < total; ++i)
        {
            set->bends[i] = def->bends[i < given ? i : spGetGiven(def->follow, i)];
        }
        for (int i = 0; i < given; ++i)
        {
            memcpy(nodes + 4 * (size_t)i, def->bends[i].nodes, sizeof(def->bends[i].nodes));
        }
        ok = spBuildBlocks(&set->blocks, heap, nodes, given, 4, def->patchBegin, def->patchCount) &&
             spTakeFollow(&set->follow, def->follow, heap, &set->blocks, def->tetRoom, def->patchCount);
    }
    spFree(heap, nodes);
    if (ok)
    {
        set->data = spAlloc(heap, spArraySize(set->blocks.blockCount, 3 * SP_BLOCK * sizeof(spReal)));
        ok = set->data != NULL;
    }
    if (ok == false)
    {
        spDestroyBendSet(&set->base, heap);
        return NULL;
    }
    spFillBendBlocks(&set->base, 0, set->blocks.blockCount);
    return set;
}

bool spRemapBendSet(spElementSet* base, spHeap* heap, spRemap* remap, spRemapPhase phase, spError* error)
{
    spBendSet* set = (spBendSet*)base;
    spFollower f = {.set = base,
                    .follow = &set->follow,
                    .blocks = &set->blocks,
                    .nodes = set->bends[0].nodes,
                    .stride = sizeof(spBend),
                    .data = &set->data,
                    .numbers = 3,
                    .fill = spFillBendBlocks};
    return spRemapFollower(&f, heap, remap, phase, error);
}

void spDestroyBendSet(spElementSet* base, spHeap* heap)
{
    spBendSet* set = (spBendSet*)base;
    spFree(heap, set->bends);
    spFree(heap, set->data);
    spFreeFollow(&set->follow, heap);
    spFreeBlocks(&set->blocks, heap);
    spFree(heap, set);
}

double spGetBendSetEnergy(const spElementSet* base, const spNodeState* state)
{
    const spBendSet* set = (const spBendSet*)base;
    double energy = 0.0;
    for (int i = 0; i < base->elementCount; ++i)
    {
        const spBend* bend = set->bends + i;
        double turn = remainder(spMeasureHinge(state->x, bend->nodes).angle - (double)bend->rest,
                                2.0 * (double)SP_PI_REAL);
        energy += 0.5 * (double)set->stiffness * (double)spGetBendWeight(set, bend) * turn * turn;
    }
    return energy;
}

static spHingeVectors spLoadHinge(const spVec4* a, const int32_t* nodes)
{
    spVec3 origin = spXyz(a[nodes[0]]);
    spVec3 e = spSub3(spXyz(a[nodes[1]]), origin);
    spVec3 p = spSub3(spXyz(a[nodes[2]]), origin);
    spVec3 q = spSub3(spXyz(a[nodes[3]]), origin);
    return (spHingeVectors){{e.x, e.y, e.z}, {p.x, p.y, p.z}, {q.x, q.y, q.z}};
}

static spHingeData spGetHingeData(const spBendSet* set, const spBend* bend)
{
    spReal weight = spGetBendWeight(set, bend);
    return (spHingeData){bend->rest, set->stiffness * weight, set->damping * weight, bend->fading};
}

int spGetBendStiffness(const spElementSet* base, const spNodeState* state, int element, bool project,
                       int32_t* nodes, spMat3* blocks)
{
    const spBendSet* set = (const spBendSet*)base;
    const spBend* bend = set->bends + element;
    spHingeVectors d = spLoadHinge(state->x, bend->nodes);
    spHingeVectors dv = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    spHingeData h = spGetHingeData(set, bend);
    memcpy(nodes, bend->nodes, sizeof(bend->nodes));

    // Column by column: the change of the forces for a unit displacement of one node along one axis
    for (int j = 0; j < 4; ++j)
    {
        spReal column[4][3][3]; // node, axis of the displacement, axis of the force
        for (int axis = 0; axis < 3; ++axis)
        {
            spReal unit[4][3] = {0};
            unit[j][axis] = 1;
            RVec3 u[3];
            for (int k = 0; k < 3; ++k)
            {
                u[k] = (RVec3){unit[k + 1][0] - unit[0][0], unit[k + 1][1] - unit[0][1],
                               unit[k + 1][2] - unit[0][2]};
            }
            spHingeVectors dx = {u[0], u[1], u[2]};
            spHingeVectors f = spGetHingeDifference(&d, &dx, &dv, &h, project);
            const RVec3* forces[3] = {&f.e, &f.a, &f.b};
            memset(column[0][axis], 0, sizeof(column[0][axis]));
            for (int i = 0; i < 3; ++i)
            {
                const spReal parts[3] = {forces[i]->x, forces[i]->y, forces[i]->z};
                for (int k = 0; k < 3; ++k)
                {
                    column[i + 1][axis][k] = -parts[k];
                    column[0][axis][k] += parts[k];
                }
            }
        }
        for (int i = 0; i < 4; ++i)
        {
            memcpy(&blocks[4 * i + j], column[i], sizeof(spMat3));
        }
    }
    return 4;
}

bool spIsBendSetDamped(const spElementSet* base)
{
    return ((const spBendSet*)base)->damping > 0;
}

spBlocks* spGetBendBlocks(spElementSet* base)
{
    return &((spBendSet*)base)->blocks;
}

void spFillBendRows(spConstraints* c, const spConstraintFill* fill)
{
    const spBendSet* set = (const spBendSet*)c->set;
    bool acts = set->stiffness > 0;
    double time = acts ? (double)set->damping / (double)set->stiffness : 0.0;
    c->damped = time > 0.0;
    for (int i = 0; i < c->blocks.blockCount * SP_BLOCK; ++i)
    {
        int element = c->blocks.elements[i];
        spReal* place = spGetConstraintData(c, i / SP_BLOCK, 0) + i % SP_BLOCK;
        const spBend* bend = set->bends + (element < 0 ? 0 : element);
        double k = (double)set->stiffness * (double)spGetBendWeight(set, bend);
        place[sp_bendRest * SP_BLOCK] = bend->rest;
        place[sp_bendCompliance * SP_BLOCK] = acts && k > 0.0 ? (spReal)(1.0 / (k * fill->h * fill->h)) : 1;
        place[sp_bendDamping * SP_BLOCK] = (spReal)(time / fill->h);
        place[sp_bendFading * SP_BLOCK] = acts && element >= 0 ? bend->fading : 0;
    }
}

void spAddBendSetBounds(const spElementSet* base, const spNodeState* state, spBounds* bounds)
{
    // k (sum g_i . u_i)^2 <= k sum (g_i . u_i)^2 G / |g_i| with G = sum |g_j|: one block for each node. The
    // second derivative of the angle turns the gradient: its rows are below 2 G^2, and the moment counts
    // whatever its sign.
    const spBendSet* set = (const spBendSet*)base;
    for (int i = 0; i < base->elementCount; ++i)
    {
        const spBend* bend = set->bends + i;
        spHingeVectors d = spLoadHinge(state->x, bend->nodes);
        spHingeData h = spGetHingeData(set, bend);
        spHingeShape s = spGetHingeShape(&d, h.fading);
        spVec3 g[4] = {{0, 0, 0},
                       {s.gradient.e.x, s.gradient.e.y, s.gradient.e.z},
                       {s.gradient.a.x, s.gradient.a.y, s.gradient.a.z},
                       {s.gradient.b.x, s.gradient.b.y, s.gradient.b.z}};
        g[0] = spNeg3(spAdd3(spAdd3(g[1], g[2]), g[3]));
        spReal lengths[4], sum = 0;
        for (int k = 0; k < 4; ++k)
        {
            g[k] = spNormalizeLength3(g[k], &lengths[k]);
            sum += lengths[k];
        }
        spReal turn = spGetTurn(h.rest, s.angle);
        spMat3 turned =
            spScaleMat3(2 * s.fade * h.k * (turn < 0 ? -turn : turn) * sum * sum, spIdentityMat3());
        for (int k = 0; k < 4; ++k)
        {
            int node = bend->nodes[k];
            spMat3 axis = spScaleMat3(s.fade * sum * lengths[k], spOuter3(g[k], g[k]));
            bounds->stiffness[node] = spMulAddMat3(spAddMat3(bounds->stiffness[node], turned), h.k, axis);
            bounds->damping[node] = spMulAddMat3(bounds->damping[node], h.c, axis);
        }
    }
}
