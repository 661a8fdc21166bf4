// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "element/bend.h"

#define SP_LANES 1
#include "math/lanes.h"
#include "math/lanes_mat3.h"

#include "element/bend_kernel.h"
#include "math/vec3.h"

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

static void spCrossD(const double* a, const double* b, double* c)
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

static double spDotD(const double* a, const double* b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static spDoubleHinge spMeasureHinge(const spVec4* x, const int32_t* nodes)
{
    double d[3][3], nA[3], nB[3];
    const spVec4* origin = x + nodes[0];
    for (int k = 0; k < 3; ++k)
    {
        const spVec4* p = x + nodes[k + 1];
        d[k][0] = (double)p->x - (double)origin->x;
        d[k][1] = (double)p->y - (double)origin->y;
        d[k][2] = (double)p->z - (double)origin->z;
    }
    spCrossD(d[0], d[1], nA);
    spCrossD(d[2], d[0], nB);
    spDoubleHinge hinge;
    hinge.length2 = spDotD(d[0], d[0]);
    hinge.sizeA = sqrt(spDotD(nA, nA));
    hinge.sizeB = sqrt(spDotD(nB, nB));
    hinge.angle = atan2(sqrt(hinge.length2) * spDotD(nA, d[2]), spDotD(nA, nB));
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

static void spFillBendData(spBendSet* set)
{
    size_t size = (size_t)set->blocks.blockCount * SP_BLOCK;
    for (size_t i = 0; i < size; ++i)
    {
        // Empty lanes write to a trash slot, so any numbers do: those of the first hinge
        int element = set->blocks.elements[i];
        const spBend* bend = set->bends + (element < 0 ? 0 : element);
        set->data[i] = bend->rest;
        set->data[size + i] = bend->weight;
        set->data[2 * size + i] = bend->fading;
    }
}

spBendSet* spCreateBendSet(spHeap* heap, const spBend* bends, int bendCount, const int32_t* patchBegin,
                           int patchCount, int laneCount)
{
    spBendSet* set = spAllocZeroed(heap, sizeof(spBendSet));
    if (set == NULL)
    {
        return NULL;
    }
    set->base.kind = SP_PICK_KIND(laneCount, spBendKind);
    set->base.elementCount = bendCount;

    size_t nodeSize = spArraySize(bendCount, 4 * sizeof(int32_t));
    int32_t* nodes = spAlloc(heap, nodeSize);
    set->bends = spAlloc(heap, spArraySize(bendCount, sizeof(spBend)));
    bool ok = nodes != NULL && set->bends != NULL;
    if (ok)
    {
        memcpy(set->bends, bends, (size_t)bendCount * sizeof(spBend));
        for (int i = 0; i < bendCount; ++i)
        {
            memcpy(nodes + 4 * (size_t)i, bends[i].nodes, sizeof(bends[i].nodes));
        }
        ok = spBuildBlocks(&set->blocks, heap, nodes, bendCount, 4, patchBegin, patchCount);
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
    spFillBendData(set);
    return set;
}

void spDestroyBendSet(spElementSet* base, spHeap* heap)
{
    spBendSet* set = (spBendSet*)base;
    spFree(heap, set->bends);
    spFree(heap, set->data);
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
        energy += 0.5 * (double)set->stiffness * (double)bend->weight * turn * turn;
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
    return (spHingeData){bend->rest, set->stiffness * bend->weight, set->damping * bend->weight,
                         bend->fading};
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
        double k = (double)set->stiffness * (double)bend->weight;
        place[sp_bendRest * SP_BLOCK] = bend->rest;
        place[sp_bendCompliance * SP_BLOCK] = acts ? (spReal)(1.0 / (k * fill->h * fill->h)) : 1;
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
