// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Solid bodies for `souple validate`, built through the public API only.

#include "validate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool spFailWorld(const spSolid* solid, spError* error)
{
    *error = spWorld_GetLastError(solid->world);
    return false;
}

static spVec3 spRound(spDVec3 a)
{
    return (spVec3){(spReal)a.x, (spReal)a.y, (spReal)a.z};
}

void spDestroySolid(spSolid* solid)
{
    spDestroyWorld(solid->world);
    free(solid->rest);
    free(solid->given);
    free(solid->load);
    free(solid->u);
    free(solid->mass);
    free(solid->held);
    free(solid->tets);
    *solid = (spSolid){0};
}

// Reads back what the body really has: set 0 are its tets
static bool spCopySolid(spSolid* solid, const spSolidDef* def)
{
    size_t nodeCount = (size_t)spBody_GetNodeCount(solid->world, solid->body),
           tetCount = (size_t)spBody_GetElementCount(solid->world, solid->body);
    spReal* mass = calloc(nodeCount, sizeof(spReal));
    spVec3* x = calloc(nodeCount, sizeof(spVec3));
    solid->rest = calloc(nodeCount, sizeof(spDVec3));
    solid->given = calloc(nodeCount, sizeof(spDVec3));
    solid->load = calloc(nodeCount, sizeof(spDVec3));
    solid->u = calloc(nodeCount, sizeof(spDVec3));
    solid->mass = calloc(nodeCount, sizeof(double));
    solid->held = calloc(nodeCount, sizeof(bool));
    solid->tets = calloc(4 * tetCount, sizeof(int32_t));
    bool good = mass != NULL && x != NULL && solid->rest != NULL && solid->given != NULL &&
                solid->load != NULL && solid->u != NULL && solid->mass != NULL && solid->held != NULL &&
                solid->tets != NULL;
    if (good)
    {
        spBody_CopyPositions(solid->world, solid->body, x, (int)nodeCount);
        spBody_CopyMasses(solid->world, solid->body, mass, (int)nodeCount);
        spBody_CopyTets(solid->world, solid->body, 0, solid->tets, (int)tetCount);
    }
    for (size_t i = 0; good && i < nodeCount; ++i)
    {
        solid->rest[i] = (spDVec3){x[i].x, x[i].y, x[i].z};
        solid->mass[i] = mass[i];
        solid->load[i] =
            (spDVec3){mass[i] * (double)(spReal)def->gravity.x, mass[i] * (double)(spReal)def->gravity.y,
                      mass[i] * (double)(spReal)def->gravity.z};
    }
    free(mass);
    free(x);
    solid->problem = (spSolidProblem){.nodeCount = (int)nodeCount,
                                      .tetCount = (int)tetCount,
                                      .rest = solid->rest,
                                      .tets = solid->tets,
                                      .youngModulus = (spReal)def->youngModulus,
                                      .poissonRatio = (spReal)def->poissonRatio,
                                      .density = (spReal)def->density,
                                      .held = solid->held,
                                      .given = solid->given,
                                      .load = solid->load,
                                      .large = def->law == sp_tetStVenantKirchhoff};
    return good;
}

// `blade` may be NULL: it cuts the body before anything is read back
static bool spBuildSolid(spSolid* solid, const spMesh* mesh, const spSolidDef* def, int nodeRoom,
                         const spBlade* blade, spError* error)
{
    *solid = (spSolid){0};
    spWorldDef worldDef = spDefaultWorldDef();
    worldDef.gravity = spRound(def->gravity);
    solid->world = spCreateWorld(&worldDef, error);
    if (solid->world == NULL)
    {
        return false;
    }
    spBodyDef bodyDef = spDefaultBodyDef();
    bodyDef.mesh = mesh;
    bodyDef.nodeRoom = nodeRoom;
    bodyDef.density = (spReal)def->density;
    solid->body = spCreateBody(solid->world, &bodyDef);
    spTetDef tetDef = spDefaultTetDef();
    tetDef.law = def->law;
    tetDef.youngModulus = (spReal)def->youngModulus;
    tetDef.poissonRatio = (spReal)def->poissonRatio;
    bool good = SP_IS_NULL(solid->body) == false && spBody_AddTets(solid->world, solid->body, &tetDef) >= 0;
    if (good == false || (blade != NULL && spBody_Cut(solid->world, solid->body, blade, NULL) == false))
    {
        spFailWorld(solid, error);
        spDestroySolid(solid);
        return false;
    }
    if (spCopySolid(solid, def) == false)
    {
        *error = (spError){.code = sp_errorOutOfMemory, .message = "no memory for the copy of the body"};
        spDestroySolid(solid);
        return false;
    }
    return true;
}

bool spMakeSolid(spSolid* solid, const spMesh* mesh, const spSolidDef* def, spError* error)
{
    return spBuildSolid(solid, mesh, def, 0, NULL, error);
}

bool spMakeCutSolid(spSolid* solid, const spMesh* mesh, const spSolidDef* def, const spBlade* blade,
                    spError* error)
{
    return spBuildSolid(solid, mesh, def, spMesh_GetVertexCount(mesh), blade, error);
}

void spHoldNode(spSolid* solid, int node, spDVec3 displacement)
{
    solid->held[node] = true;
    solid->given[node] = displacement;
    solid->u[node] = displacement;
}

bool spLoadNode(spSolid* solid, int node, spDVec3 force, spError* error)
{
    spVec3 rounded = spRound(force), gravity = spWorld_GetGravity(solid->world);
    double mass = solid->mass[node];
    solid->load[node] =
        (spDVec3){mass * gravity.x + rounded.x, mass * gravity.y + rounded.y, mass * gravity.z + rounded.z};
    return spBody_SetNodeForce(solid->world, solid->body, node, rounded) || spFailWorld(solid, error);
}

// Puts the body where u says, with held nodes pinned. CalculiX gets the displacement that is left after
// rounding.
static bool spPlaceSolid(spSolid* solid, spVec3* x)
{
    int nodeCount = solid->problem.nodeCount;
    bool good = true;
    for (int32_t i = 0; good && i < nodeCount; ++i)
    {
        x[i] = spRound((spDVec3){solid->rest[i].x + solid->u[i].x, solid->rest[i].y + solid->u[i].y,
                                 solid->rest[i].z + solid->u[i].z});
        if (solid->held[i])
        {
            solid->given[i] =
                (spDVec3){x[i].x - solid->rest[i].x, x[i].y - solid->rest[i].y, x[i].z - solid->rest[i].z};
            good = spBody_PinNodes(solid->world, solid->body, &i, 1);
        }
    }
    return good && spBody_SetPositions(solid->world, solid->body, x, nodeCount);
}

// Displacements from the positions that the body has now
static bool spReadSolid(const spSolid* solid, spVec3* x, spDVec3* u)
{
    int nodeCount = solid->problem.nodeCount;
    bool good = spBody_CopyPositions(solid->world, solid->body, x, nodeCount) == nodeCount;
    for (int i = 0; good && i < nodeCount; ++i)
    {
        u[i] = (spDVec3){x[i].x - solid->rest[i].x, x[i].y - solid->rest[i].y, x[i].z - solid->rest[i].z};
    }
    return good;
}

static spVec3* spAllocPositions(const spSolid* solid, spError* error)
{
    spVec3* x = calloc((size_t)solid->problem.nodeCount, sizeof(spVec3));
    if (x == NULL)
    {
        *error = (spError){.code = sp_errorOutOfMemory, .message = "no memory for positions"};
    }
    return x;
}

bool spRelaxSolid(spSolid* solid, double tolerance, spRelaxResult* result, spError* error)
{
    spVec3* x = spAllocPositions(solid, error);
    if (x == NULL)
    {
        return false;
    }
    spRelaxDef def = spDefaultRelaxDef();
    def.tolerance = tolerance;
    bool good = spPlaceSolid(solid, x) && spBody_Relax(solid->world, solid->body, &def, result) &&
                spReadSolid(solid, x, solid->u);
    free(x);
    return good || spFailWorld(solid, error);
}

bool spStepSolid(spSolid* solid, double tolerance, spDVec3* stepped, spError* error)
{
    spVec3* x = spAllocPositions(solid, error);
    if (x == NULL)
    {
        return false;
    }
    spMethodDef method = spDefaultMethodDef();
    method.type = sp_quasiStatic;
    method.solver.newtonTolerance = (spReal)tolerance;
    bool good = spPlaceSolid(solid, x) && spBody_SetMethod(solid->world, solid->body, &method);
    uint32_t flags = good ? spWorld_Step(solid->world, 1) : 0;
    good = good && spReadSolid(solid, x, stepped);
    free(x);
    if (good && flags != 0)
    {
        *error = (spError){.code = sp_errorBadArgument,
                           .message = "the step without inertia was not solved to its tolerance"};
        return false;
    }
    return good || spFailWorld(solid, error);
}
