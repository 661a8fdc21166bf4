// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What an implicit body lends to rows between bodies: an impulse J^T p changes velocities by C J^T p, C near
// the inverse of the matrix of the step. With a factor it is R P^-1 R^T, which couples all points of the
// body, and is applied to many columns at once; without one the inverse blocks of the nodes. Where the
// preconditioner does not resolve the inertia, or a truncated solve has left the body somewhere else than its
// matrix knows of, to move the whole body would throw it: nodes alone give way.

#include "method/implicit_substep.h"

#include "math/vec3.h"
#include "method/implicit_nodes.h"

#include <string.h>

// Right-hand sides at a time
#define SP_COMPLIANCE_COLUMNS 16

static spMat3 spGetTurn(const spMat3* turns, int node)
{
    return turns != NULL ? turns[node] : spIdentityMat3();
}

// a = R^T J^T e of a point along an axis
static void spSpreadPoint(const spBody* body, const spMat3* turns, const spPoint* point, spVec3 e, spVec4* a)
{
    for (int k = 0; k < point->count; ++k)
    {
        int node = point->nodes[k];
        if (body->x[node].w > 0)
        {
            spVec3 p = spMulTMV3(spGetTurn(turns, node), spScale3(point->weights[k], e));
            a[node].x += p.x;
            a[node].y += p.y;
            a[node].z += p.z;
        }
    }
}

// J R z
static spVec3 spReadPoint(const spBody* body, const spMat3* turns, const spPoint* point, const spVec4* z)
{
    spVec3 sum = {0, 0, 0};
    for (int k = 0; k < point->count; ++k)
    {
        int node = point->nodes[k];
        if (body->x[node].w > 0)
        {
            sum = spMulAdd3(sum, point->weights[k], spMulMV3(spGetTurn(turns, node), spXyz(z[node])));
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
            p->kind->apply(p, NULL, from, to);
        }
        else if (solver->hasSystem && system->localA != NULL)
        {
            system->kernels->applyLocal(to, from, system->localA, system->localC, 0, body->nodeCount);
        }
        else
        {
            spDivideByMass(to, from, body->x, 0, body->nodeCount);
        }
    }
}

static const spMat3* spGetTurns(const spImplicitSolver* solver)
{
    return solver->factor != NULL ? spGetFactorTurns(solver->factor) : NULL;
}

static bool spGivesWayAsNodes(const spImplicitSolver* solver)
{
    return solver->inertia == sp_inertiaLost || (solver->limit.truncated && solver->unconverged);
}

static const spVec3 s_axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

bool spFreezeSolver(const spImplicitSolver* solver, const spBody* body, const spPoint* points, int pointCount,
                    int firstPoint, spArena* arena, spComplianceList* list)
{
    if (spGivesWayAsNodes(solver))
    {
        return spFreezeNodes(body, points, pointCount, firstPoint, arena, list);
    }
    const spMat3* turns = spGetTurns(solver);
    size_t n = (size_t)body->nodeCount, size = n * SP_COMPLIANCE_COLUMNS * sizeof(spVec4);
    spVec4* a = spArenaAlloc(arena, size);
    spVec4* z = spArenaAlloc(arena, size);
    if ((int64_t)pointCount * pointCount > INT32_MAX || a == NULL || z == NULL ||
        spGrowCompliance(list, arena, pointCount * pointCount) == false)
    {
        return false;
    }
    // Five points at a time, three columns each
    const int together = SP_COMPLIANCE_COLUMNS / 3;
    for (int first = 0; first < pointCount; first += together)
    {
        int count = spMinInt(together, pointCount - first);
        memset(a, 0, 3 * (size_t)count * n * sizeof(spVec4));
        for (int k = 0; k < 3 * count; ++k)
        {
            spSpreadPoint(body, turns, points + first + k / 3, s_axes[k % 3], a + n * (size_t)k);
        }
        spApplyCompliance(solver, body, a, z, 3 * count);
        for (int k = 0; k < count; ++k)
        {
            for (int i = 0; i < pointCount; ++i)
            {
                const spVec4* columns = z + 3 * n * (size_t)k;
                spMat3 block = spMakeMat3(spReadPoint(body, turns, points + i, columns),
                                          spReadPoint(body, turns, points + i, columns + n),
                                          spReadPoint(body, turns, points + i, columns + 2 * n));
                list->blocks[list->count++] =
                    (spComplianceBlock){firstPoint + i, firstPoint + first + k, block};
            }
        }
    }
    return true;
}

void spCorrectSolver(const spImplicitSolver* solver, spBody* body, const spPoint* points,
                     const spVec3* impulses, const spVec3* shifts, int pointCount)
{
    if (spGivesWayAsNodes(solver))
    {
        spCorrectNodes(body, points, impulses, shifts, pointCount);
        return;
    }
    const spMat3* turns = spGetTurns(solver);
    size_t n = (size_t)body->nodeCount;
    spVec4* a = solver->cg.t;
    spVec4* z = solver->cg.z;
    for (int pass = 0; pass < 2; ++pass)
    {
        memset(a, 0, n * sizeof(spVec4));
        for (int i = 0; i < pointCount; ++i)
        {
            spSpreadPoint(body, turns, points + i, pass == 0 ? impulses[i] : shifts[i], a);
        }
        spApplyCompliance(solver, body, a, z, 1);
        spAddTurned(pass == 0 ? body->v : body->x, turns, z, body->x, 0, body->nodeCount);
    }
}
