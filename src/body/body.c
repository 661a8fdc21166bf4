// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Making and destroying bodies; roles of nodes.

#include "body/edit.h"
#include "body/node_area.h"

#include "base/error.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "mesh/hierarchy.h"
#include "mesh/mesh.h"
#include "mesh/surface.h"

#include <stdio.h>
#include <string.h>

// Nodes or tets that a body may have room for: what edits add is counted in 32 bits with all the rest
#define SP_MAX_ROOM (1 << 28)

// Densities where none is given: water, kg/m^3, and a light cotton, kg/m^2
#define SP_SOLID_DENSITY 1000.0
#define SP_SHEET_DENSITY 0.2

// Contact radius of a sheet where none is given, in mean edges of its triangles
#define SP_SHEET_RADIUS 0.1

static bool spCheckBodyDef(const spBodyDef* def, spError* error)
{
    if (def == NULL || def->internalValue != SP_DEF_COOKIE)
    {
        return spFail(error, sp_errorBadDef, "the body definition does not come from spDefaultBodyDef");
    }
    if (def->mesh == NULL && (def->positions == NULL || def->positionCount <= 0))
    {
        return spFail(error, sp_errorBadArgument, "a body needs a mesh or positions");
    }
    if (spIsFinite3(def->transform.position) == false || spIsFiniteQuat(def->transform.rotation) == false ||
        fabs((double)spDotQuat(def->transform.rotation, def->transform.rotation) - 1.0) > 1e-3)
    {
        return spFail(error, sp_errorBadArgument,
                      "the placement of a body must be finite, its rotation of length 1");
    }
    if (spIsFinite3(def->velocity) == false || !isfinite(def->gravityScale))
    {
        return spFail(error, sp_errorBadArgument, "velocity and gravity scale of a body must be finite");
    }
    if (!isfinite(def->contactRadius))
    {
        return spFail(error, sp_errorBadArgument, "contact radius %g m must be finite",
                      (double)def->contactRadius);
    }
    if (!(def->friction >= 0 && isfinite(def->friction)) || !(def->restitution >= 0 && def->restitution <= 1))
    {
        return spFail(error, sp_errorBadArgument,
                      "friction %g must not be negative, restitution %g between 0 and 1",
                      (double)def->friction, (double)def->restitution);
    }
    if (!(def->nodeMass >= 0 && isfinite(def->nodeMass)) || !(def->density >= 0 && isfinite(def->density)))
    {
        return spFail(error, sp_errorBadArgument, "node mass %g kg and density %g must not be negative",
                      (double)def->nodeMass, (double)def->density);
    }
    if (def->nodeRoom < 0 || def->tetRoom < 0 || def->nodeRoom > SP_MAX_ROOM || def->tetRoom > SP_MAX_ROOM)
    {
        return spFail(error, sp_errorBadArgument, "room for %d nodes and %d tets must be in 0..%d",
                      def->nodeRoom, def->tetRoom, SP_MAX_ROOM);
    }
    if (def->levelCount < 0 || def->levelCount >= SP_MAX_LEVELS ||
        (def->levels == NULL && def->levelCount > 0))
    {
        return spFail(error, sp_errorBadArgument, "%d coarser levels of a body: 0 to %d can be",
                      def->levelCount, SP_MAX_LEVELS - 1);
    }
    if (def->levelCount > 0 && (def->mesh == NULL || def->nodeRoom > 0))
    {
        return spFail(error, sp_errorUnsupported,
                      "a body of levels needs a mesh, its finest level, and can have no room for edits");
    }
    return true;
}

// Adds `share` of the measure of each element to its vertices
static void spLumpMass(spReal* mass, const spDVec3* p, const int32_t* elements, int count, int n,
                       double density)
{
    for (int i = 0; i < count; ++i)
    {
        const int32_t* e = elements + (size_t)i * n;
        double u[3] = {p[e[1]].x - p[e[0]].x, p[e[1]].y - p[e[0]].y, p[e[1]].z - p[e[0]].z};
        double v[3] = {p[e[2]].x - p[e[0]].x, p[e[2]].y - p[e[0]].y, p[e[2]].z - p[e[0]].z};
        double c[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
        double measure = 0.5 * sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2]);
        if (n == 4)
        {
            double w[3] = {p[e[3]].x - p[e[0]].x, p[e[3]].y - p[e[0]].y, p[e[3]].z - p[e[0]].z};
            measure = fabs(c[0] * w[0] + c[1] * w[1] + c[2] * w[2]) / 6.0;
        }
        for (int k = 0; k < n; ++k)
        {
            mass[e[k]] += (spReal)(density * measure / n);
        }
    }
}

// Masses in the user's numbering
static bool spFindMasses(spReal* mass, const spBodyDef* def, int nodeCount, spError* error)
{
    const char* source = "given";
    memset(mass, 0, (size_t)nodeCount * sizeof(spReal));
    if (def->nodeMasses != NULL)
    {
        memcpy(mass, def->nodeMasses, (size_t)nodeCount * sizeof(spReal));
    }
    else if (def->nodeMass > 0)
    {
        for (int i = 0; i < nodeCount; ++i)
        {
            mass[i] = def->nodeMass;
        }
    }
    else if (def->mesh != NULL)
    {
        const spMesh* mesh = def->mesh;
        source = "from the density";
        if (mesh->tetCount > 0)
        {
            spLumpMass(mass, mesh->vertices, mesh->tets, mesh->tetCount, 4,
                       def->density > 0 ? (double)def->density : SP_SOLID_DENSITY);
        }
        else
        {
            spLumpMass(mass, mesh->vertices, mesh->triangles, mesh->triangleCount, 3,
                       def->density > 0 ? (double)def->density : SP_SHEET_DENSITY);
        }
    }
    for (int i = 0; i < nodeCount; ++i)
    {
        if (!(mass[i] > 0 && isfinite(mass[i])))
        {
            return spFail(
                error, sp_errorBadArgument,
                "node %d has mass %g kg (%s): give nodeMass or nodeMasses, or drop orphan vertices with "
                "spMesh_Repair",
                i, (double)mass[i], source);
        }
    }
    return true;
}

// Copies of what the mesh says about edges, surface and tets
bool spCopyTopology(spBody* body, const spMesh* mesh, spError* error)
{
    spIndexList edges = {0}, surface = {0};
    bool ok = spMesh_CollectEdges(mesh, &edges, error) && spMesh_CollectBoundary(mesh, &surface, error);
    if (ok)
    {
        size_t edgeSize = spArraySize(edges.count, 2 * sizeof(int32_t));
        size_t surfaceSize = spArraySize(surface.count, 3 * sizeof(int32_t));
        size_t tetSize = spArraySize(mesh->tetCount, 4 * sizeof(int32_t));
        body->edges = spAlloc(body->heap, edgeSize);
        body->triangles = spAlloc(body->heap, surfaceSize);
        body->tets = spAlloc(body->heap, tetSize);
        body->edgeCount = edges.count;
        body->triangleCount = surface.count;
        body->tetCount = mesh->tetCount;
        ok = (edgeSize == 0 || body->edges != NULL) && (surfaceSize == 0 || body->triangles != NULL) &&
             (tetSize == 0 || body->tets != NULL);
        if (ok)
        {
            // Sizes may be 0 together with their pointers, which memcpy does not take
            for (size_t i = 0; i < edgeSize / sizeof(int32_t); ++i)
            {
                body->edges[i] = edges.data[i];
            }
            for (size_t i = 0; i < surfaceSize / sizeof(int32_t); ++i)
            {
                body->triangles[i] = surface.data[i];
            }
            for (size_t i = 0; i < tetSize / sizeof(int32_t); ++i)
            {
                body->tets[i] = mesh->tets[i];
            }
            ok = spFindClosed(body->heap, body->triangles, body->triangleCount, body->nodeCount,
                              &body->closed);
        }
        if (ok == false)
        {
            spFailMemory(error, "the topology of a body", edgeSize + surfaceSize + tetSize);
        }
    }
    spFreeIndexList(&edges);
    spFreeIndexList(&surface);
    return ok;
}

static bool spAllocState(spBody* body, spError* error)
{
    spHeap* heap = body->heap;
    size_t stateSize = spArraySize(body->nodeCount, sizeof(spVec4));
    size_t realSize = spArraySize(body->nodeCount, sizeof(spReal));
    body->mass = spAlloc(heap, realSize);
    size_t positionSize = spArraySize(spGetPositionRoom(body->nodeCount), sizeof(spVec4));
    body->x = body->backend->allocate(heap, positionSize);
    body->v = body->backend->allocate(heap, stateSize);
    body->goodX = body->backend->allocate(heap, positionSize);
    body->goodV = body->backend->allocate(heap, stateSize);
    body->roles = spAllocZeroed(heap, spArraySize(body->nodeCount, 1));
    body->held = spAlloc(heap, spArraySize(body->nodeCount, sizeof(int32_t)));
    body->view = spAlloc(heap, spArraySize(body->nodeCount, 2 * sizeof(spVec3)));
    body->rest = spAlloc(heap, spArraySize(body->nodeCount, sizeof(spDVec3)));
    body->patchRow = spAllocZeroed(heap, spArraySize(body->order.patchCount + 1, sizeof(int32_t)));
    if (body->mass == NULL || body->x == NULL || body->v == NULL || body->goodX == NULL ||
        body->goodV == NULL || body->roles == NULL || body->held == NULL || body->view == NULL ||
        body->rest == NULL || body->patchRow == NULL)
    {
        return spFailMemory(error, "the state of a body", 5 * stateSize);
    }
    return true;
}

static bool spPlaceNodes(spBody* body, const spBodyDef* def, spError* error)
{
    spHeap* heap = body->heap;
    size_t placeSize = spArraySize(body->userCount, 3 * sizeof(double));
    size_t massSize = spArraySize(body->userCount, sizeof(spReal));
    double* places = spAlloc(heap, placeSize);
    spReal* masses = spAlloc(heap, massSize);
    bool ok = places != NULL && masses != NULL;
    if (ok == false)
    {
        spFailMemory(error, "the nodes of a body", placeSize);
    }
    for (int i = 0; ok && i < body->userCount; ++i)
    {
        spVec3 p;
        if (def->mesh != NULL)
        {
            spDVec3 vertex = def->mesh->vertices[i];
            p = (spVec3){(spReal)vertex.x, (spReal)vertex.y, (spReal)vertex.z};
        }
        else
        {
            p = def->positions[i];
        }
        p = spTransformPoint(def->transform, p);
        if (spIsFinite3(p) == false)
        {
            ok = spFail(error, sp_errorBadArgument, "node %d is not at a finite position", i);
            break;
        }
        places[3 * (size_t)i] = p.x;
        places[3 * (size_t)i + 1] = p.y;
        places[3 * (size_t)i + 2] = p.z;
    }
    ok = ok && spFindMasses(masses, def, body->userCount, error);
    const double* sortedBy = def->keepOrder ? NULL : places;
    if (ok &&
        (spOrderNodes(&body->order, heap, sortedBy, body->userCount, SP_PATCH_SIZE) == false ||
         (def->nodeRoom > 0 && spAddSpareNodes(&body->order, heap, def->nodeRoom, SP_PATCH_SIZE) == false)))
    {
        ok = spFailMemory(error, "the numbering of a body", placeSize);
    }
    body->nodeCount = body->order.nodeCount;
    ok = ok && spAllocState(body, error);
    for (int i = 0; ok && i < body->nodeCount; ++i)
    {
        int user = body->order.order[i];
        if (user < 0)
        {
            // Somewhere on the body: nothing looks far away for it
            body->mass[i] = 0;
            body->roles[i] = sp_nodeGone;
            body->x[i] = (spVec4){body->x[0].x, body->x[0].y, body->x[0].z, 0};
            continue;
        }
        const double* p = places + 3 * (size_t)user;
        body->mass[i] = masses[user];
        body->x[i] = (spVec4){(spReal)p[0], (spReal)p[1], (spReal)p[2], 1 / masses[user]};
        body->v[i] = (spVec4){def->velocity.x, def->velocity.y, def->velocity.z, 0};
        spVec3 given = def->mesh == NULL ? def->positions[user] : (spVec3){0};
        body->rest[user] =
            def->mesh != NULL ? def->mesh->vertices[user] : (spDVec3){given.x, given.y, given.z};
    }
    spFree(heap, places);
    spFree(heap, masses);
    return ok;
}

static bool spAddLevels(spBody* body, const spBodyDef* def, spError* error)
{
    const spMesh* meshes[SP_MAX_LEVELS];
    for (int i = 0; i < def->levelCount; ++i)
    {
        meshes[i] = def->levels[i];
    }
    meshes[def->levelCount] = def->mesh;
    spHierarchyDef hierarchy = {
        .meshes = meshes, .meshCount = def->levelCount + 1, .rank = body->order.rank, .mass = body->mass};
    body->hierarchy = spBuildHierarchy(body->heap, &hierarchy, error);
    return body->hierarchy != NULL;
}

// Of the triangles as placed, m
static double spGetMeanEdge(const spBody* body)
{
    double sum = 0.0;
    for (int i = 0; i < 3 * body->triangleCount; ++i)
    {
        const int32_t* t = body->triangles + 3 * (i / 3);
        spVec3 a = spXyz(body->x[body->order.rank[t[i % 3]]]);
        spVec3 b = spXyz(body->x[body->order.rank[t[(i + 1) % 3]]]);
        sum += (double)spDistance3(a, b);
    }
    return body->triangleCount > 0 ? sum / (3.0 * body->triangleCount) : 0.0;
}

// That of a sheet, where none is given, grows with its mesh
static spReal spFindContactRadius(const spBody* body, const spBodyDef* def)
{
    if (def->contactRadius >= 0)
    {
        return def->contactRadius;
    }
    bool sheet = body->triangleCount > 0 && body->tetCount == 0 && body->closed == false;
    return sheet ? (spReal)(SP_SHEET_RADIUS * spGetMeanEdge(body)) : 0;
}

spBody* spBuildBody(spHeap* heap, const spBodyDef* def, const spBackend* backend, spError* error)
{
    if (spCheckBodyDef(def, error) == false)
    {
        return NULL;
    }
    spBody* body = spAllocZeroed(heap, sizeof(spBody));
    if (body == NULL)
    {
        spFailMemory(error, "a body", sizeof(spBody));
        return NULL;
    }
    body->heap = heap;
    body->backend = backend;
    body->laneCount = backend->laneCount;
    snprintf(body->name, sizeof(body->name), "%s", def->name != NULL ? def->name : "body");
    body->userCount = def->mesh != NULL ? def->mesh->vertexCount : def->positionCount;
    body->nodeCount = body->userCount;
    body->tetRoom = def->tetRoom;
    body->gravityScale = def->gravityScale;
    body->selfContact = def->selfContact;
    body->island = -1;
    body->group = def->group;
    body->touches = def->touches;
    body->friction = def->friction;
    body->restitution = def->restitution;
    body->running = true;
    body->topologyVersion = 1;
    body->stableStepDirty = true;
    bool ok = spPlaceNodes(body, def, error) && (def->mesh == NULL || spCopyTopology(body, def->mesh, error));
    body->placement = def->transform;
    ok = ok && (def->levelCount == 0 || spAddLevels(body, def, error));
    body->contactRadius = ok ? spFindContactRadius(body, def) : 0;
    ok = ok &&
         (def->nodeRoom == 0 || body->tetCount + body->triangleCount == 0 || spCreateEditData(body, error));
    if (ok && spBuildSlots(&body->slots, heap, NULL, 0, body->order.patchBegin, body->order.patchCount,
                           body->edit != NULL) == false)
    {
        ok = spFailMemory(error, "the slots of a body", sizeof(spSlots));
    }
    if (ok)
    {
        size_t forceSize = spArraySize(body->nodeCount + body->slots.slotCount, sizeof(spVec4));
        body->f = backend->allocate(heap, forceSize);
        ok = body->f != NULL || spFailMemory(error, "the forces of a body", forceSize);
    }
    if (ok == false)
    {
        spDestroyBodyData(body);
        return NULL;
    }
    return body;
}

void spDestroyBodyData(spBody* body)
{
    spHeap* heap = body->heap;
    for (int i = 0; i < body->setCount; ++i)
    {
        body->sets[i]->kind->destroy(body->sets[i], heap);
    }
    spDestroyEditData(body);
    spDestroyHierarchy(heap, body->hierarchy);
    spFree(heap, body->mass);
    body->backend->release(heap, body->x);
    body->backend->release(heap, body->v);
    body->backend->release(heap, body->goodX);
    body->backend->release(heap, body->goodV);
    body->backend->release(heap, body->nodeForces);
    spFree(heap, body->roles);
    spFree(heap, body->held);
    spFree(heap, body->view);
    spFree(heap, body->rest);
    spFreeAttachedSurface(heap, body->surface);
    body->backend->release(heap, body->f);
    spFree(heap, body->patchRow);
    spFree(heap, body->rows);
    spFreeMultipliers(heap, &body->multipliers);
    spFree(heap, body->drivenIndex);
    spFree(heap, body->driven);
    spFree(heap, body->edges);
    spFree(heap, body->triangles);
    spFreeNodeFans(heap, body->fans);
    spFree(heap, body->tets);
    spFreeSlots(&body->slots, heap);
    spFreeNodeOrder(&body->order, heap);
    spFree(heap, body);
}

spNodeState spGetNodeState(const spBody* body)
{
    return (spNodeState){
        .x = body->x,
        .v = body->v,
        .patchBegin = body->order.patchBegin,
        .nodeCount = body->nodeCount,
        .patchCount = body->order.patchCount,
        .remainder = spGetRemainder(body),
        .time = body->time,
    };
}

void spCopyPositions(const spBody* body, spVec4* to, const spVec4* from)
{
    body->backend->copy(to, from, 0, body->nodeCount + spGetRemainder(body));
}

void spClearRemainders(const spBody* body, spVec4* x)
{
    if (body->precise)
    {
        body->backend->clear(x, body->nodeCount, 2 * body->nodeCount);
    }
}

bool spSetNodeRole(spBody* body, int node, spNodeRole role, spError* error)
{
    if (node < 0 || node >= body->userCount)
    {
        return spFail(error, sp_errorBadIndex, "node %d does not exist: %s has %d nodes", node, body->name,
                      body->userCount);
    }
    int i = body->order.rank[node];
    spNodeRole old = (spNodeRole)body->roles[i];
    if (old == role)
    {
        return true;
    }
    if (old == sp_nodeGone)
    {
        return spFail(error, sp_errorBadArgument, "node %d of %s is gone: an edit took its last element",
                      node, body->name);
    }
    body->roles[i] = (uint8_t)role;
    body->heldDirty = true;
    spMarkRoles(body);
    body->x[i].w = role == sp_nodeFree ? 1 / body->mass[i] : 0;
    if (role != sp_nodeFree)
    {
        body->v[i] = (spVec4){0};
    }
    return true;
}

void spUpdateHeldNodes(spBody* body)
{
    if (body->heldDirty)
    {
        body->heldCount = 0;
        for (int i = 0; i < body->nodeCount; ++i)
        {
            if (body->roles[i] != sp_nodeFree && body->roles[i] != sp_nodeGone)
            {
                body->held[body->heldCount++] = i;
            }
        }
        body->heldDirty = false;
    }
}

static bool spReserveTarget(spBody* body, spError* error)
{
    if (body->drivenIndex == NULL)
    {
        size_t size = spArraySize(body->nodeCount, sizeof(int32_t));
        body->drivenIndex = spAlloc(body->heap, size);
        if (body->drivenIndex == NULL)
        {
            return spFailMemory(error, "the targets of driven nodes", size);
        }
        memset(body->drivenIndex, 0xFF, size);
    }
    return spReserve(body->heap, (void**)&body->driven, body->drivenCount, &body->drivenCapacity,
                     body->drivenCount + 1, sizeof(spDrivenNode)) ||
           spFailMemory(error, "the targets of driven nodes", sizeof(spDrivenNode));
}

bool spSetNodeTarget(spBody* body, int node, spVec3 target, spError* error)
{
    if (spIsFinite3(target) == false)
    {
        return spFail(error, sp_errorBadArgument, "the target of node %d is not finite", node);
    }
    if (spReserveTarget(body, error) == false || spSetNodeRole(body, node, sp_nodeDriven, error) == false)
    {
        return false;
    }
    int i = body->order.rank[node];
    if (body->drivenIndex[i] < 0)
    {
        body->drivenIndex[i] = body->drivenCount++;
    }
    body->driven[body->drivenIndex[i]] = (spDrivenNode){i, target};
    return true;
}

void spStartDrivenNodes(spBody* body, spReal dt)
{
    for (int k = 0; k < body->drivenCount; ++k)
    {
        int i = body->driven[k].node;
        if (body->roles[i] == sp_nodeDriven)
        {
            spVec3 v = spScale3(1 / dt, spSub3(body->driven[k].target, spXyz(body->x[i])));
            // Too fast for a number: it is there at the end of the step all the same
            body->v[i] = spIsFinite3(v) ? (spVec4){v.x, v.y, v.z, 0} : (spVec4){0};
        }
    }
}

void spFinishDrivenNodes(spBody* body)
{
    for (int k = 0; k < body->drivenCount; ++k)
    {
        int i = body->driven[k].node;
        if (body->roles[i] == sp_nodeDriven)
        {
            spVec3 p = body->driven[k].target;
            body->x[i] = (spVec4){p.x, p.y, p.z, 0};
            body->v[i] = (spVec4){0};
            if (body->precise)
            {
                body->x[body->nodeCount + i] = (spVec4){0};
            }
        }
        body->drivenIndex[i] = -1;
    }
    body->drivenCount = 0;
}
