// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Bodies, as the public header offers them.

#include "base/error.h"
#include "body/edit.h"
#include "contact/contact_surface.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "method/relax.h"
#include "method/xpbd.h"
#include "world/world.h"

#include <stdio.h>
#include <string.h>

spMethodDef spDefaultMethodDef(void)
{
    return (spMethodDef){
        .type = sp_methodAuto,
        .contact = sp_contactRows,
        .maxSubsteps = 10000,
        .safety = (spReal)0.8,
        .filter = {.lambda = 1, .keepRotation = true},
        .solver = {.tolerance = (spReal)1e-4,
                   .maxIterations = 1000,
                   .newtonTolerance = (spReal)1e-4,
                   .warp = true,
                   .age = 2,
                   .dropTolerance = (spReal)1e-3},
        .xpbd = {.iterations = 20,
                 .relaxation = (spReal)1.5,
                 .window = 5,
                 .conditionLimit = (spReal)1e6,
                 .safeguard = true,
                 .radius = (spReal)0.9,
                 .delay = 10},
        .internalValue = SP_DEF_COOKIE,
    };
}

spBodyDef spDefaultBodyDef(void)
{
    return (spBodyDef){
        .transform = spIdentityTransform(),
        .contactRadius = -1,
        .gravityScale = 1,
        .friction = (spReal)0.5,
        .group = 1,
        .touches = UINT32_MAX,
        .method = spDefaultMethodDef(),
        .internalValue = SP_DEF_COOKIE,
    };
}

spBodyId spCreateBody(spWorld* world, const spBodyDef* def)
{
    if (world == NULL)
    {
        return (spBodyId){0};
    }
    spError error = {0};
    spBody* body = spBuildBody(&world->heap, def, world->backend, &error);
    if (body == NULL)
    {
        spRecordError(world, &error);
        return (spBodyId){0};
    }
    spSlotId id = {0};
    bool ok = spSetBodyMethod(body, &def->method, &error);
    if (ok)
    {
        id = spTakeObjectSlot(world, &world->bodyIds, (void***)&world->bodies, &world->bodyCapacity, &error);
        ok = id.index1 != 0;
    }
    if (ok == false)
    {
        if (body->method != NULL)
        {
            body->method->destroy(body);
        }
        spDestroyBodyData(body);
        spRecordError(world, &error);
        return (spBodyId){0};
    }
    body->id = (spBodyId){id.index1, id.generation};
    body->time = world->time;
    body->gravity = fabs((double)body->gravityScale) * (double)spLength3(world->def.gravity);
    world->bodies[id.index1 - 1] = body;
    world->rowsDirty = true;
    return body->id;
}

static void spDestroyLinksOf(spWorld* world, int bodySlot)
{
    for (int i = 0; i < world->linkIds.slotCount; ++i)
    {
        if (world->links[i] != NULL &&
            (world->links[i]->body == bodySlot || world->links[i]->otherBody == bodySlot))
        {
            spDestroyLink(world, world->links[i]->id);
        }
    }
}

void spDestroyBody(spWorld* world, spBodyId id)
{
    spBody* body = spUseBody(world, id);
    if (body == NULL)
    {
        return;
    }
    int slot = (int)id.index1 - 1;
    spDestroyLinksOf(world, slot);
    body->method->destroy(body);
    spDestroyContactSurface(&world->heap, body->contactSurface);
    spDestroyBodyData(body);
    world->bodies[slot] = NULL;
    world->contactCount = 0;
    spRemovePairs(&world->pairTable, SP_ID_NUMBER(id), 0);
    spRemoveDetectors(&world->detectors, SP_ID_NUMBER(id));
    spReleaseSlot(&world->bodyIds, slot);
}

bool spBody_IsValid(const spWorld* world, spBodyId body)
{
    return spGetBody(world, body) != NULL;
}

int spWorld_GetBodyCount(const spWorld* world)
{
    int count = 0;
    for (int i = 0; world != NULL && i < world->bodyIds.slotCount; ++i)
    {
        count += world->bodies[i] != NULL ? 1 : 0;
    }
    return count;
}

int spWorld_GetBodies(const spWorld* world, spBodyId* bodies, int capacity)
{
    int count = 0;
    for (int i = 0; world != NULL && bodies != NULL && i < world->bodyIds.slotCount && count < capacity; ++i)
    {
        if (world->bodies[i] != NULL)
        {
            bodies[count++] = world->bodies[i]->id;
        }
    }
    return count;
}

bool spBody_SetNodeForce(spWorld* world, spBodyId id, int node, spVec3 force)
{
    spBody* body = spUseBody(world, id);
    if (body == NULL)
    {
        return false;
    }
    if (node < 0 || node >= body->userCount)
    {
        return spRefuse(world, sp_errorBadIndex, body->name, "the node of a force does not exist");
    }
    if (spIsFinite3(force) == false)
    {
        return spRefuse(world, sp_errorBadArgument, body->name, "the force on a node must be finite");
    }
    if (body->nodeForces == NULL)
    {
        body->nodeForces =
            body->backend->allocate(&world->heap, spArraySize(body->nodeCount, sizeof(spVec4)));
        if (body->nodeForces == NULL)
        {
            return spRefuse(world, sp_errorOutOfMemory, body->name, "no memory for the forces on nodes");
        }
    }
    body->nodeForces[body->order.rank[node]] = (spVec4){force.x, force.y, force.z, 0};
    return true;
}

// ---- method, contact, roles ----

bool spBody_SetMethod(spWorld* world, spBodyId id, const spMethodDef* def)
{
    spBody* body = spUseBody(world, id);
    spError error = {0};
    if (body == NULL)
    {
        return false;
    }
    world->rowsDirty = true;
    if (spSetBodyMethod(body, def, &error) == false)
    {
        return spRecordError(world, &error);
    }
    // Joints are those of rigid bodies
    body->joint = body->methodDef.type == sp_rigid ? body->joint : (spJointDef){0};
    return true;
}

spSolverReport spBody_GetSolverReport(const spWorld* world, spBodyId id)
{
    spBody* body = spGetBody(world, id);
    if (body != NULL && body->methodDef.type == sp_xpbd)
    {
        spReportXpbd(body);
    }
    return body != NULL ? body->solverReport : (spSolverReport){0};
}

bool spBody_RecordSweeps(spWorld* world, spBodyId id, spSweepRecord* records, int capacity,
                         const spVec3* target)
{
    spBody* body = spUseBody(world, id);
    spError error = {0};
    if (body == NULL)
    {
        return false;
    }
    if (body->methodDef.type != sp_xpbd)
    {
        return spRefuse(world, sp_errorBadArgument, body->name,
                        "only sweeps of the method xpbd can be recorded");
    }
    if (records != NULL && capacity < 1)
    {
        return spRefuse(world, sp_errorBadArgument, body->name, "recording sweeps needs room for one record");
    }
    return spRecordXpbd(body, records, capacity, target, &error) ||
           spRefuse(world, error.code, body->name, error.message);
}

int spBody_GetSweepRecordCount(const spWorld* world, spBodyId id)
{
    const spBody* body = spGetBody(world, id);
    return body != NULL && body->methodDef.type == sp_xpbd ? spGetXpbdRecordCount(body) : 0;
}

spMethodDef spBody_GetMethod(const spWorld* world, spBodyId id)
{
    const spBody* body = spReadBody(world, id);
    spMethodDef def = body->methodDef;
    def.type = body->automatic ? sp_methodAuto : def.type;
    return def;
}

spMethodChoice spBody_GetMethodChoice(const spWorld* world, spBodyId id)
{
    return spReadBody(world, id)->choice;
}

spRelaxDef spDefaultRelaxDef(void)
{
    return (spRelaxDef){
        .tolerance = sizeof(spReal) == sizeof(double) ? 1e-8 : 1e-3,
        .maxIterations = 100000,
        .internalValue = SP_DEF_COOKIE,
    };
}

// Colliders and links are where they are now; dynamic relaxation knows neither
static bool spRelaxAmongColliders(spWorld* world, spBody* body, const spRelaxDef* def, spRelaxResult* result,
                                  spError* error)
{
    int slot = (int)body->id.index1 - 1, count = world->colliderIds.slotCount;
    uint32_t flags = 0;
    size_t mark = world->arena.used, size = spArraySize(count, sizeof(spPose));
    spPose* poses = spArenaAlloc(&world->arena, size);
    if (size > 0 && poses == NULL)
    {
        return spFailMemory(error, "the relaxation of a body", size);
    }
    for (int i = 0; i < count; ++i)
    {
        if (world->colliders[i] != NULL)
        {
            poses[i] = (spPose){.transform = world->colliders[i]->def.transform};
        }
    }
    body->rowCount = 0;
    spCopyPositions(body, body->goodX, body->x);
    if (def->dynamic == false)
    {
        spApproach(world, slot);
        spFindBodyRows(world, slot, true, world->team, 0, &flags);
    }
    const spEquilibriumDef around = {.gravity = world->def.gravity,
                                     .colliders = (const spCollider* const*)world->colliders,
                                     .poses = poses,
                                     .team = world->team};
    bool ok = (flags & sp_stepOutOfMemory) == 0 ? spRelaxBody(body, def, &around, result, error)
                                                : spFailMemory(error, "the contacts of a body", 0);
    if (ok == false)
    {
        spCopyPositions(body, body->x, body->goodX);
    }
    spClearForces(world);
    body->contactForce = (spVec3){0, 0, 0};
    spHarvestRows(world, slot, 1, &flags);
    spForgetEvents(world);
    spDescribeContacts(world);
    spRewindArena(&world->arena, mark);
    return ok;
}

bool spBody_Relax(spWorld* world, spBodyId id, const spRelaxDef* def, spRelaxResult* result)
{
    spBody* body = spUseBody(world, id);
    spError error = {0};
    spRelaxResult ignored;
    if (body == NULL)
    {
        return false;
    }
    if (def == NULL || def->internalValue != SP_DEF_COOKIE)
    {
        return spRefuse(world, sp_errorBadDef, body->name,
                        "the relaxation definition does not come from spDefaultRelaxDef");
    }
    if (!(def->tolerance > 0.0 && isfinite(def->tolerance)) || def->maxIterations <= 0)
    {
        return spRefuse(world, sp_errorBadArgument, body->name,
                        "the tolerance of a relaxation and its number of iterations must be positive");
    }
    if (body->methodDef.type == sp_rigid)
    {
        return spRefuse(
            world, sp_errorUnsupported, body->name,
            "a rigid body has no shape to relax: let it come to rest in steps, or give it another method");
    }
    if (spHasRowsOnly(body))
    {
        return spRefuse(
            world, sp_errorUnsupported, body->name,
            "constraints have no forces to relax: let the body come to rest with sp_xpbd instead");
    }
    spBeginTeam(world->team);
    bool ok = spRelaxAmongColliders(world, body, def, result != NULL ? result : &ignored, &error);
    spEndTeam(world->team);
    spForgetWatch(body);
    body->stableStepDirty = true;
    world->rowsDirty = true;
    return ok || spRecordError(world, &error);
}

bool spBody_SetContact(spWorld* world, spBodyId id, spReal friction, spReal restitution)
{
    spBody* body = spUseBody(world, id);
    if (body == NULL)
    {
        return false;
    }
    if (!(friction >= 0 && isfinite(friction)) || !(restitution >= 0 && restitution <= 1))
    {
        return spRefuse(world, sp_errorBadArgument, body->name,
                        "friction must not be negative, restitution between 0 and 1");
    }
    body->friction = friction;
    body->restitution = restitution;
    world->rowsDirty = true;
    return true;
}

bool spBody_GetContact(const spWorld* world, spBodyId id, spReal* friction, spReal* restitution)
{
    const spBody* body = spGetBody(world, id);
    if (body != NULL && friction != NULL)
    {
        *friction = body->friction;
    }
    if (body != NULL && restitution != NULL)
    {
        *restitution = body->restitution;
    }
    return body != NULL;
}

static bool spSetRoles(spWorld* world, spBodyId id, const int32_t* nodes, int count, spNodeRole role)
{
    spBody* body = spUseBody(world, id);
    if (body == NULL)
    {
        return false;
    }
    if (count < 0 || (nodes == NULL && count > 0))
    {
        return spRefuse(world, sp_errorBadArgument, body->name,
                        "the list of nodes is NULL or its length negative");
    }
    for (int i = 0; i < count; ++i)
    {
        if (nodes[i] < 0 || nodes[i] >= body->userCount)
        {
            return spRefuse(world, sp_errorBadIndex, body->name, "the list names a node that does not exist");
        }
    }
    spError error = {0};
    for (int i = 0; i < count; ++i)
    {
        spSetNodeRole(body, nodes[i], role, &error);
    }
    world->rowsDirty = true;
    return true;
}

bool spBody_PinNodes(spWorld* world, spBodyId id, const int32_t* nodes, int count)
{
    return spSetRoles(world, id, nodes, count, sp_nodeFixed);
}

bool spBody_FreeNodes(spWorld* world, spBodyId id, const int32_t* nodes, int count)
{
    return spSetRoles(world, id, nodes, count, sp_nodeFree);
}

bool spBody_DriveNode(spWorld* world, spBodyId id, int node, spVec3 target)
{
    spBody* body = spUseBody(world, id);
    spError error = {0};
    if (body == NULL)
    {
        return false;
    }
    world->rowsDirty = true;
    return spSetNodeTarget(body, node, target, &error) || spRecordError(world, &error);
}

spNodeRole spBody_GetNodeRole(const spWorld* world, spBodyId id, int node)
{
    const spBody* body = spReadBody(world, id);
    bool known = 0 <= node && node < body->userCount;
    return known ? (spNodeRole)body->roles[body->order.rank[node]] : sp_nodeFree;
}

spVec3 spBody_GetPinForce(const spWorld* world, spBodyId id)
{
    return spReadBody(world, id)->pinForce;
}

// ---- reading and writing state ----

const char* spBody_GetName(const spWorld* world, spBodyId id)
{
    return spReadBody(world, id)->name;
}

int spBody_GetNodeCount(const spWorld* world, spBodyId id)
{
    return spReadBody(world, id)->userCount;
}

int spBody_GetElementCount(const spWorld* world, spBodyId id)
{
    return spReadBody(world, id)->elementCount;
}

bool spBody_IsRunning(const spWorld* world, spBodyId id)
{
    return spReadBody(world, id)->running;
}

bool spBody_Restart(spWorld* world, spBodyId id)
{
    spBody* body = spUseBody(world, id);
    if (body == NULL)
    {
        return false;
    }
    if (body->running == false)
    {
        memset(body->v, 0, (size_t)body->nodeCount * sizeof(spVec4));
        body->running = true;
        body->time = world->time;
        spForgetWatch(body);
        body->stableStepDirty = true;
        world->rowsDirty = true;
    }
    return true;
}

static int spCopyOut(const spBody* body, const spVec4* from, spVec3* to, int capacity)
{
    int count = to != NULL ? spMinInt(body->userCount, capacity) : 0;
    for (int i = 0; i < count; ++i)
    {
        to[i] = spXyz(from[body->order.rank[i]]);
    }
    return count;
}

int spBody_CopyPositions(const spWorld* world, spBodyId id, spVec3* positions, int capacity)
{
    const spBody* body = spReadBody(world, id);
    return spCopyOut(body, body->x, positions, capacity);
}

int spBody_CopyVelocities(const spWorld* world, spBodyId id, spVec3* velocities, int capacity)
{
    const spBody* body = spReadBody(world, id);
    return spCopyOut(body, body->v, velocities, capacity);
}

spVec3View spBody_GetPositions(spWorld* world, spBodyId id)
{
    spBody* body = spGetBody(world, id);
    if (body == NULL)
    {
        return (spVec3View){0};
    }
    return (spVec3View){body->view, spCopyOut(body, body->x, body->view, body->userCount)};
}

spVec3View spBody_GetVelocities(spWorld* world, spBodyId id)
{
    spBody* body = spGetBody(world, id);
    if (body == NULL)
    {
        return (spVec3View){0};
    }
    spVec3* view = body->view + body->nodeCount;
    return (spVec3View){view, spCopyOut(body, body->v, view, body->userCount)};
}

// Checks a whole array before anything is written
static spBody* spUseArray(spWorld* world, spBodyId id, const spVec3* values, int count, const char* what)
{
    spBody* body = spUseBody(world, id);
    if (body == NULL)
    {
        return NULL;
    }
    if (values == NULL || count != body->userCount)
    {
        spError error = {0};
        spFail(&error, sp_errorBadArgument, "%s: %d %s given for %d nodes", body->name,
               values == NULL ? 0 : count, what, body->userCount);
        spRecordError(world, &error);
        return NULL;
    }
    for (int i = 0; i < count; ++i)
    {
        if (spIsFinite3(values[i]) == false)
        {
            spRefuse(world, sp_errorBadArgument, body->name, "a value given for a node is not finite");
            return NULL;
        }
    }
    return body;
}

bool spBody_SetPositions(spWorld* world, spBodyId id, const spVec3* positions, int count)
{
    spBody* body = spUseArray(world, id, positions, count, "positions");
    for (int i = 0; body != NULL && i < count; ++i)
    {
        spVec4* x = body->x + body->order.rank[i];
        *x = (spVec4){positions[i].x, positions[i].y, positions[i].z, x->w};
    }
    if (body != NULL)
    {
        spClearRemainders(body, body->x);
        spForgetWatch(body);
        body->stableStepDirty = true;
        world->rowsDirty = true;
    }
    return body != NULL;
}

bool spBody_SetVelocities(spWorld* world, spBodyId id, const spVec3* velocities, int count)
{
    spBody* body = spUseArray(world, id, velocities, count, "velocities");
    for (int i = 0; body != NULL && i < count; ++i)
    {
        int node = body->order.rank[i];
        if (body->roles[node] == sp_nodeFree)
        {
            body->v[node] = (spVec4){velocities[i].x, velocities[i].y, velocities[i].z, 0};
        }
    }
    if (body != NULL)
    {
        spForgetWatch(body);
        world->rowsDirty = true;
    }
    return body != NULL;
}

int spBody_CopyMasses(const spWorld* world, spBodyId id, spReal* masses, int capacity)
{
    const spBody* body = spReadBody(world, id);
    int count = masses != NULL ? spMinInt(body->userCount, capacity) : 0;
    for (int i = 0; i < count; ++i)
    {
        masses[i] = body->mass[body->order.rank[i]];
    }
    return count;
}

// A body whose edges and surface are those of its tets now; none counts as one without anything
static const spBody* spReadShape(const spWorld* world, spBodyId id)
{
    spBody* body = spGetBody(world, id);
    if (body != NULL)
    {
        spRefreshTopology(body);
    }
    return spReadBody(world, id);
}

const int32_t* spBody_GetTriangles(const spWorld* world, spBodyId id, int* triangleCount)
{
    const spBody* body = spReadShape(world, id);
    if (triangleCount != NULL)
    {
        *triangleCount = body->triangleCount;
    }
    return body->triangleCount > 0 ? body->triangles : NULL;
}

const int32_t* spBody_GetEdges(const spWorld* world, spBodyId id, int* edgeCount)
{
    const spBody* body = spReadShape(world, id);
    if (edgeCount != NULL)
    {
        *edgeCount = body->edgeCount;
    }
    return body->edgeCount > 0 ? body->edges : NULL;
}

uint32_t spBody_GetTopologyVersion(const spWorld* world, spBodyId id)
{
    const spBody* body = spReadBody(world, id);
    return body->topologyVersion + body->surfaceVersion;
}

// ---- the attached surface ----

bool spBody_AttachSurface(spWorld* world, spBodyId id, const spMesh* mesh)
{
    spBody* body = spUseBody(world, id);
    spError error = {0};
    if (body == NULL)
    {
        return false;
    }
    return spAttachSurface(body, mesh, &error) || spRecordError(world, &error);
}

// NULL when the body does not carry one
static const spBody* spGetSurfaceBody(const spWorld* world, spBodyId id)
{
    const spBody* body = spReadBody(world, id);
    return body->surface != NULL ? body : NULL;
}

int spBody_GetSurfaceVertexCount(const spWorld* world, spBodyId id)
{
    const spBody* body = spGetSurfaceBody(world, id);
    return body != NULL ? body->surface->vertexCount : 0;
}

const int32_t* spBody_GetSurfaceTriangles(const spWorld* world, spBodyId id, int* triangleCount)
{
    const spBody* body = spGetSurfaceBody(world, id);
    if (triangleCount != NULL)
    {
        *triangleCount = body != NULL ? body->surface->triangleCount : 0;
    }
    return body != NULL ? body->surface->triangles : NULL;
}

spVec3View spBody_GetSurfacePositions(spWorld* world, spBodyId id)
{
    const spBody* body = spGetSurfaceBody(world, id);
    if (body == NULL)
    {
        return (spVec3View){0};
    }
    spMapSurface(body, body->surface->view, body->surface->vertexCount);
    return (spVec3View){body->surface->view, body->surface->vertexCount};
}

int spBody_CopySurfacePositions(const spWorld* world, spBodyId id, spVec3* positions, int capacity)
{
    const spBody* body = spGetSurfaceBody(world, id);
    bool asked = body != NULL && positions != NULL && capacity > 0;
    int count = asked ? spMinInt(body->surface->vertexCount, capacity) : 0;
    if (asked)
    {
        spMapSurface(body, positions, count);
    }
    return count;
}

int spBody_CopySurfaceWeights(const spWorld* world, spBodyId id, int32_t* nodes, spReal* weights,
                              int capacity)
{
    const spBody* body = spGetSurfaceBody(world, id);
    bool asked = body != NULL && nodes != NULL && weights != NULL && capacity > 0;
    int count = asked ? spMinInt(body->surface->vertexCount, capacity) : 0;
    for (int i = 0; i < count; ++i, nodes += 4, weights += 4)
    {
        const spReal* w = body->surface->weights + 3 * (size_t)i;
        for (int k = 0; k < 4; ++k)
        {
            nodes[k] = body->order.order[body->surface->nodes[4 * (size_t)i + (size_t)k]];
            weights[k] = k == 0 ? 1 - (w[0] + w[1] + w[2]) : w[k - 1];
        }
    }
    return count;
}

// ---- numbers ----

spEnergy spBody_GetEnergy(const spWorld* world, spBodyId id)
{
    const spBody* body = spGetBody(world, id);
    return body != NULL ? spGetBodyEnergy(body, body->x, world->def.gravity) : (spEnergy){0};
}

double spBody_GetVolume(const spWorld* world, spBodyId id)
{
    const spBody* body = spReadShape(world, id);
    return spGetBodyVolume(body);
}

spVec3 spBody_GetMomentum(const spWorld* world, spBodyId id)
{
    const spBody* body = spReadBody(world, id);
    double sum[3] = {0};
    for (int i = 0; i < body->nodeCount; ++i)
    {
        double m = body->mass[i];
        sum[0] += m * (double)body->v[i].x;
        sum[1] += m * (double)body->v[i].y;
        sum[2] += m * (double)body->v[i].z;
    }
    return (spVec3){(spReal)sum[0], (spReal)sum[1], (spReal)sum[2]};
}

spVec3 spBody_GetAngularMomentum(const spWorld* world, spBodyId id)
{
    const spBody* body = spReadBody(world, id);
    double sum[3] = {0};
    for (int i = 0; i < body->nodeCount; ++i)
    {
        double m = body->mass[i];
        double x = body->x[i].x, y = body->x[i].y, z = body->x[i].z;
        double u = body->v[i].x, v = body->v[i].y, w = body->v[i].z;
        sum[0] += m * (y * w - z * v);
        sum[1] += m * (z * u - x * w);
        sum[2] += m * (x * v - y * u);
    }
    return (spVec3){(spReal)sum[0], (spReal)sum[1], (spReal)sum[2]};
}

spVec3 spBody_GetCenter(const spWorld* world, spBodyId id)
{
    const spBody* body = spReadBody(world, id);
    double sum[3] = {0}, mass = 0.0;
    for (int i = 0; i < body->nodeCount; ++i)
    {
        double m = body->mass[i];
        sum[0] += m * (double)body->x[i].x;
        sum[1] += m * (double)body->x[i].y;
        sum[2] += m * (double)body->x[i].z;
        mass += m;
    }
    if (mass == 0.0)
    {
        return (spVec3){0, 0, 0};
    }
    return (spVec3){(spReal)(sum[0] / mass), (spReal)(sum[1] / mass), (spReal)(sum[2] / mass)};
}

double spBody_GetStableStep(spWorld* world, spBodyId id)
{
    spBody* body = spGetBody(world, id);
    return body != NULL ? body->method->getStableStep(body) : 0.0;
}

spVec3 spBody_GetContactForce(const spWorld* world, spBodyId id)
{
    return spReadBody(world, id)->contactForce;
}
