// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What an implicit body lends to rows between bodies: an impulse J^T p changes velocities by C J^T p, C near
// the inverse of the matrix of the step. With a complete factor it is R P^-1 R^T, whose blocks between touched
// nodes are kept while the factor is in use; with another one its columns are made anew; without one C is that
// of the inverse blocks of the nodes. Where the preconditioner does not resolve the inertia, or, where rows act
// all of a sudden, a truncated solve has left the body somewhere else than its matrix knows of, to move the
// whole body would throw it: nodes alone give way.

#include "method/implicit_substep.h"

#include "math/vec3.h"

#include <string.h>

// Right-hand sides at a time
#define SP_COMPLIANCE_COLUMNS 16

// More points than these give way as nodes: columns of the inverse, and what couples all points to all, would cost
// more than the step. With blocks that are kept it is nodes that are counted.
#define SP_DENSE_POINTS 96
#define SP_CACHED_POINTS 768

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

// Sheets fold: a factor of a moment ago does not know of that, and many points would be moved by it
static bool spKeepsBlocks(const spImplicitSolver* solver, const spBody* body)
{
    return body->tetCount > 0 && spHasCompliance(solver->factor);
}

static bool spGivesWayAsNodes(const spImplicitSolver* solver, const spBody* body, const spPoints* points)
{
    bool held = body->heldCount > 0 && points->jump == false;
    int most = spKeepsBlocks(solver, body) ? SP_CACHED_POINTS : SP_DENSE_POINTS;
    return points->count > most || (solver->inertia == sp_inertiaLost && held == false) ||
           (points->jump && solver->limit.truncated && solver->unconverged);
}

// A static step knows no time: forces, not impulses, move its nodes. Where rows act all through the substep, BDF2 moves
// its nodes by r^2 / h times what an impulse gives
static spReal spGetComplianceScale(const spImplicitSolver* solver, const spPoints* points)
{
    spReal share = points->jump ? 1 : solver->effectiveStep / points->dt;
    return solver->type == sp_quasiStatic ? 1 / (points->dt * points->dt) : share * share;
}

static const spVec3 s_axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

// ---- blocks that are kept ----

// Lists the nodes of the points, each once, by marks of one int32_t a node. Returns how many; -1 when they are more
// than are kept.
static int spListPointNodes(const spBody* body, const spPoints* points, int32_t* marks, int32_t* nodes)
{
    int count = 0;
    memset(marks, -1, (size_t)body->nodeCount * sizeof(int32_t));
    for (int i = 0; i < points->count; ++i)
    {
        for (int k = 0; k < points->sides[i].count; ++k)
        {
            int node = spGetSideNode(points->sides + i, points->pool, k).node;
            if (body->x[node].w == 0 || marks[node] >= 0)
            {
                continue;
            }
            if (count == SP_COMPLIANCE_NODES)
            {
                return -1;
            }
            marks[node] = count;
            nodes[count++] = node;
        }
    }
    return count;
}

// J C of a point: its blocks with all nodes, in space
static void spSumNodeBlocks(const spImplicitSolver* solver, const spBody* body, const spPoints* points,
                            int index, const int32_t* nodes, int count, spMat3* sums)
{
    const spComplianceCache* cache = &solver->compliance;
    const spMat3* turns = spGetTurns(solver);
    memset(sums, 0, (size_t)count * sizeof(spMat3));
    for (int k = 0; k < points->sides[index].count; ++k)
    {
        spRowNode n = spGetSideNode(points->sides + index, points->pool, k);
        if (body->x[n.node].w == 0)
        {
            continue;
        }
        spMat3 turn = spScaleMat3(n.weight, spGetTurn(turns, n.node));
        for (int i = 0; i < count; ++i)
        {
            spMat3 block = spGetComplianceBlock(cache, cache->places[n.node], cache->places[nodes[i]]);
            sums[i] = spAddMat3(sums[i], spMulMat3(turn, block));
        }
    }
    for (int i = 0; i < count; ++i)
    {
        sums[i] = spMulMat3(sums[i], spTransposeMat3(spGetTurn(turns, nodes[i])));
    }
}

// False when there are more nodes than are kept, or without memory: then *lacking
static bool spFreezeByCache(spImplicitSolver* solver, const spBody* body, const spPoints* points,
                            int firstPoint, spArena* arena, spComplianceList* list, bool* lacking)
{
    int32_t nodes[SP_COMPLIANCE_NODES];
    spMat3 sums[SP_COMPLIANCE_NODES];
    int32_t* marks = spArenaAlloc(arena, spArraySize(body->nodeCount, sizeof(int32_t)));
    *lacking = marks == NULL || spGrowCompliance(list, arena, points->count * points->count) == false;
    int nodeCount = *lacking ? -1 : spListPointNodes(body, points, marks, nodes);
    if (nodeCount < 0)
    {
        return false;
    }
    spComplianceResult listed =
        spListCompliance(&solver->compliance, body, solver->factor, nodes, nodeCount, NULL);
    *lacking = listed == sp_complianceNoMemory;
    if (listed != sp_complianceListed)
    {
        return false;
    }
    spReal scale = spGetComplianceScale(solver, points);
    for (int i = 0; i < points->count; ++i)
    {
        spSumNodeBlocks(solver, body, points, i, nodes, nodeCount, sums);
        for (int j = 0; j < points->count; ++j)
        {
            spMat3 block = spZeroMat3();
            for (int k = 0; k < points->sides[j].count; ++k)
            {
                spRowNode n = spGetSideNode(points->sides + j, points->pool, k);
                block =
                    marks[n.node] >= 0 ? spMulAddMat3(block, scale * n.weight, sums[marks[n.node]]) : block;
            }
            list->blocks[list->count++] = (spComplianceBlock){firstPoint + i, firstPoint + j, block};
        }
    }
    return true;
}

// ---- columns made anew ----

static bool spFreezeByColumns(const spImplicitSolver* solver, const spBody* body, const spPoints* points,
                              int firstPoint, spArena* arena, spComplianceList* list)
{
    spReal scale = spGetComplianceScale(solver, points);
    const spMat3* turns = spGetTurns(solver);
    size_t n = (size_t)body->nodeCount, size = n * SP_COMPLIANCE_COLUMNS * sizeof(spVec4);
    spVec4* a = spArenaAlloc(arena, size);
    spVec4* z = spArenaAlloc(arena, size);
    if (a == NULL || z == NULL || spGrowCompliance(list, arena, points->count * points->count) == false)
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

bool spFreezeSolver(spImplicitSolver* solver, const spBody* body, const spPoints* points, int firstPoint,
                    spArena* arena, spComplianceList* list)
{
    bool lacking = false;
    solver->lendsNodes = spGivesWayAsNodes(solver, body, points);
    if (solver->lendsNodes == false && spKeepsBlocks(solver, body))
    {
        solver->lendsNodes =
            spFreezeByCache(solver, body, points, firstPoint, arena, list, &lacking) == false;
        if (solver->lendsNodes == false || lacking)
        {
            return lacking == false;
        }
    }
    return solver->lendsNodes ? spFreezeNodes(body, points, firstPoint, arena, list)
                              : spFreezeByColumns(solver, body, points, firstPoint, arena, list);
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
    if (solver->lendsNodes)
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
