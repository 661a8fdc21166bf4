// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What an implicit body lends to rows between bodies: an impulse J^T p changes velocities by C J^T p, C near
// the inverse of the matrix of the step. With a factor it is R P^-1 R^T, which couples all points of the
// body, and is applied to many columns at once; without one the inverse blocks of the nodes. Where the
// preconditioner does not resolve the inertia, or, where rows act all of a sudden, a truncated solve has left
// the body somewhere else than its matrix knows of, to move the whole body would throw it: nodes alone give way.

#include "method/implicit_substep.h"

#include "math/vec3.h"

#include <string.h>

// Right-hand sides at a time
#define SP_COMPLIANCE_COLUMNS 16

// More points than these give way as nodes: columns of the inverse, and what couples all points to all, would cost
// more than the step
#define SP_DENSE_POINTS 96

static spMat3 spGetTurn(const spMat3* turns, int node)
{
    return turns != NULL ? turns[node] : spIdentityMat3();
}

// a = R^T J^T e of a point along an axis
static void spSpreadPoint(const spBody* body, const spMat3* turns, const spPoints* points, int index,
                          spVec3 e, spVec4* a)
{
    for (int k = 0; k < points->sides[index].count; ++k)
    {
        spRowNode n = spGetSideNode(points->sides + index, points->pool, k);
        if (body->x[n.node].w > 0)
        {
            spVec3 p = spMulTMV3(spGetTurn(turns, n.node), spScale3(n.weight, e));
            a[n.node].x += p.x;
            a[n.node].y += p.y;
            a[n.node].z += p.z;
        }
    }
}

// J R z
static spVec3 spReadPoint(const spBody* body, const spMat3* turns, const spPoints* points, int index,
                          const spVec4* z)
{
    spVec3 sum = {0, 0, 0};
    for (int k = 0; k < points->sides[index].count; ++k)
    {
        spRowNode n = spGetSideNode(points->sides + index, points->pool, k);
        if (body->x[n.node].w > 0)
        {
            sum = spMulAdd3(sum, n.weight, spMulMV3(spGetTurn(turns, n.node), spXyz(z[n.node])));
        }
    }
    return sum;
}

// z = P^-1 a for some columns
static void spApplyCompliance(const spImplicitSolver* solver, const spBody* body, const spVec4* a, spVec4* z,
                              int columnCount)
{
    const spBodySystem* system = &solver->system;
    size_t n = (size_t)body->nodeCount;
    spPreconditioner* p = solver->factor != NULL ? spGetFrontFactor(solver->factor) : NULL;
    if (p != NULL && p->kind->applyMany != NULL)
    {
        p->kind->applyMany(p, NULL, a, z, columnCount);
        return;
    }
    for (int i = 0; i < columnCount; ++i)
    {
        const spVec4* from = a + n * (size_t)i;
        spVec4* to = z + n * (size_t)i;
        if (p != NULL)
        {
            body->backend->precondition(p, NULL, from, to);
        }
        else if (solver->hasSystem && system->localA != NULL)
        {
            system->backend->applyLocal(to, from, system->localA, system->localC, 0, body->nodeCount);
        }
        else
        {
            body->backend->weigh(to, body->x, from, 0, body->nodeCount);
        }
    }
}

static const spMat3* spGetTurns(const spImplicitSolver* solver)
{
    return solver->factor != NULL ? spGetFactorTurns(solver->factor) : NULL;
}

static bool spGivesWayAsNodes(const spImplicitSolver* solver, const spBody* body, const spPoints* points)
{
    bool held = body->heldCount > 0 && points->jump == false;
    return points->count > SP_DENSE_POINTS || (solver->inertia == sp_inertiaLost && held == false) ||
           (points->jump && solver->limit.truncated && solver->unconverged);
}

// A static step knows no time: forces, not impulses, move its nodes
static spReal spGetComplianceScale(const spImplicitSolver* solver, const spPoints* points)
{
    return solver->type == sp_quasiStatic ? 1 / (points->dt * points->dt) : 1;
}

static const spVec3 s_axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

bool spFreezeSolver(const spImplicitSolver* solver, const spBody* body, const spPoints* points,
                    int firstPoint, spArena* arena, spComplianceList* list)
{
    spReal scale = spGetComplianceScale(solver, points);
    if (spGivesWayAsNodes(solver, body, points))
    {
        return spFreezeNodes(body, points, firstPoint, arena, list);
    }
    const spMat3* turns = spGetTurns(solver);
    size_t n = (size_t)body->nodeCount, size = n * SP_COMPLIANCE_COLUMNS * sizeof(spVec4);
    spVec4* a = spArenaAlloc(arena, size);
    spVec4* z = spArenaAlloc(arena, size);
    if ((int64_t)points->count * points->count > INT32_MAX || a == NULL || z == NULL ||
        spGrowCompliance(list, arena, points->count * points->count) == false)
    {
        return false;
    }
    // Five points at a time, three columns each
    const int together = SP_COMPLIANCE_COLUMNS / 3;
    for (int first = 0; first < points->count; first += together)
    {
        int count = spMinInt(together, points->count - first);
        memset(a, 0, 3 * (size_t)count * n * sizeof(spVec4));
        for (int k = 0; k < 3 * count; ++k)
        {
            spSpreadPoint(body, turns, points, first + k / 3, s_axes[k % 3], a + n * (size_t)k);
        }
        spApplyCompliance(solver, body, a, z, 3 * count);
        for (int k = 0; k < count; ++k)
        {
            for (int i = 0; i < points->count; ++i)
            {
                const spVec4* columns = z + 3 * n * (size_t)k;
                spMat3 block = spMakeMat3(spReadPoint(body, turns, points, i, columns),
                                          spReadPoint(body, turns, points, i, columns + n),
                                          spReadPoint(body, turns, points, i, columns + 2 * n));
                list->blocks[list->count++] =
                    (spComplianceBlock){firstPoint + i, firstPoint + first + k, spScaleMat3(scale, block)};
            }
        }
    }
    return true;
}

static void spApplyImpulses(spImplicitSolver* solver, spBody* body, const spPoints* points,
                            const spVec3* impulses, const spVec3* shifts)
{
    const spMat3* turns = spGetTurns(solver);
    spReal scale = spGetComplianceScale(solver, points);
    spVec4* a = solver->cg.t;
    spVec4* z = solver->cg.z;
    // A static step leaves no velocities
    for (int pass = solver->type == sp_quasiStatic ? 1 : 0; pass < 2; ++pass)
    {
        body->backend->clear(a, 0, body->nodeCount);
        for (int i = 0; i < points->count; ++i)
        {
            spSpreadPoint(body, turns, points, i, spScale3(scale, pass == 0 ? impulses[i] : shifts[i]), a);
        }
        spApplyCompliance(solver, body, a, z, 1);
        body->backend->addTurned(pass == 0 ? body->v : body->x, body->x, turns, z, 0, body->nodeCount);
        if (pass == 0 && points->jump == false)
        {
            // Where the next solve begins
            body->backend->addTurned(solver->warmStart, body->x, turns, z, 0, body->nodeCount);
        }
    }
}

void spCorrectSolver(spImplicitSolver* solver, spBody* body, const spPoints* points, const spVec3* impulses,
                     const spVec3* shifts)
{
    // What acts all the time is part of the motion that BDF2 looks back on; across a jump it must not look
    bool looksBack = points->jump == false && spHasHistory(solver, body, body->x, body->v);
    if (spGivesWayAsNodes(solver, body, points))
    {
        spCorrectNodes(body, points, impulses, shifts);
    }
    else
    {
        spApplyImpulses(solver, body, points, impulses, shifts);
    }
    if (looksBack)
    {
        body->backend->copy(solver->history.after[0], body->x, 0, body->nodeCount);
        body->backend->copy(solver->history.after[1], body->v, 0, body->nodeCount);
    }
}
