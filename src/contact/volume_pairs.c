// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "contact/volume_pairs.h"

#include "contact/overlap.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "method/method.h"

#include <math.h>

// ---- sides ----

static void spAddToBox(spBox* box, spVec4 p)
{
    spDVec3 at = {(double)p.x, (double)p.y, (double)p.z};
    *box = (spBox){spDMin(box->lower, at), spDMax(box->upper, at)};
}

static spBox spEmptyBox(void)
{
    return (spBox){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

bool spMovesNodesAlone(const spBody* body)
{
    return body->method->repeats(body) == false && body->methodDef.type != sp_rigid;
}

bool spOpenBodySide(const spTouchContext* c, int slot, spReal time, spVolumeSide* side)
{
    const spBody* body = c->bodies[slot];
    *side = (spVolumeSide){.slot = slot, .box = spEmptyBox()};
    const spContactSurface* s = body != NULL && body->running ? body->contactSurface : NULL;
    if (s == NULL || s->closed == false || body->methodDef.contact == sp_contactOff)
    {
        return true;
    }
    const spVec4* x = body->backend->view(body->x, 0, body->nodeCount);
    const spVec4* v = body->backend->view(body->v, 0, body->nodeCount);
    spVec4* moved = time > 0 ? spArenaAlloc(c->arena, spArraySize(body->nodeCount, sizeof(spVec4))) : NULL;
    if (time > 0 && moved == NULL)
    {
        return false;
    }
    // Nodes of explicit methods swing back long before the step is over; what is held does not fall
    bool mean = spMovesNodesAlone(body);
    spVec3 fall = spScale3(body->heldCount == 0 ? time * time : 0, c->gravity);
    for (int i = 0; moved != NULL && i < body->nodeCount; ++i)
    {
        spVec3 to = spAdd3(spMulAdd3(spXyz(x[i]), time, mean ? s->velocity : spXyz(v[i])), fall);
        moved[i] = (spVec4){to.x, to.y, to.z, x[i].w};
    }
    side->closed = true;
    side->surface =
        (spLayerSurface){moved != NULL ? moved : x, body->nodeCount, s->triangles, s->triangleCount};
    for (int i = 0; i < s->vertexCount; ++i)
    {
        spAddToBox(&side->box, side->surface.x[s->vertices[i]]);
    }
    return true;
}

bool spOpenColliderSide(spArena* arena, const spCollider* collider, int slot, spVolumeSide* side)
{
    *side = (spVolumeSide){.slot = slot, .isCollider = true, .box = spEmptyBox()};
    const spShapeData* data = collider != NULL ? collider->data : NULL;
    const spMesh* mesh = data != NULL ? data->surface : NULL;
    if (mesh == NULL || data->tree.closed == false || data->tree.volume <= 0.0)
    {
        return true;
    }
    spVec4* x = spArenaAlloc(arena, spArraySize(mesh->vertexCount, sizeof(spVec4)));
    if (x == NULL)
    {
        return false;
    }
    for (int i = 0; i < mesh->vertexCount; ++i)
    {
        spDVec3 p = mesh->vertices[i];
        spVec3 at =
            spTransformPoint(collider->def.transform, (spVec3){(spReal)p.x, (spReal)p.y, (spReal)p.z});
        x[i] = (spVec4){at.x, at.y, at.z, 0};
        spAddToBox(&side->box, x[i]);
    }
    side->closed = true;
    side->surface = (spLayerSurface){x, mesh->vertexCount, mesh->triangles, mesh->triangleCount};
    return true;
}

static spBox spFindCommonBox(const spBox* a, const spBox* b)
{
    return (spBox){spDMax(a->lower, b->lower), spDMin(a->upper, b->upper)};
}

bool spDoSidesMeet(const spVolumeSide* a, const spVolumeSide* b)
{
    spBox box = spFindCommonBox(&a->box, &b->box);
    return a->closed && b->closed && box.lower.x <= box.upper.x && box.lower.y <= box.upper.y &&
           box.lower.z <= box.upper.z;
}

// ---- pairs ----

static bool spIsPairAsked(int a, int b, const void* context)
{
    const spPairVolumes* pair = context;
    return pair->sides[0] == pair->sides[1] || a != b;
}

// A power of two, so that it seldom changes, of which so many go across a window
static double spChoosePixel(double size, int resolution)
{
    int exponent;
    frexp(size / resolution, &exponent);
    return ldexp(1.0, exponent);
}

spLayersResult spFindPairVolumes(const spTouchContext* c, const spVolumeSide* a, const spVolumeSide* b,
                                 int resolution, int cells, spPairVolumes* pair)
{
    *pair = (spPairVolumes){
        .slots = {a->slot, b->slot},
        .withCollider = b->isCollider,
        .sides = {a, b},
        .surfaces = {a->surface, b->surface},
        .window = spFindCommonBox(&a->box, &b->box),
    };
    spDVec3 edges = spDSub(pair->window.upper, pair->window.lower);
    double size = fmax(edges.x, fmax(edges.y, edges.z));
    // Bodies that touch in one point
    size = size > 0.0 ? size : 1e-6;
    double pixel = spChoosePixel(size, resolution);
    int blocks = (int)ceil(size / (SP_TILE_SIZE * pixel)), cell = 1;
    while (cells > 0 && cell * cells < blocks)
    {
        cell *= 2;
    }
    pair->def = (spLayersDef){
        .arena = c->arena,
        .team = c->team,
        .surfaces = pair->surfaces,
        .surfaceCount = a == b ? 1 : 2,
        .regions = &pair->window,
        .regionCount = 1,
        .pixel = pixel,
        .align = cells > 0 ? cell : 1,
    };
    spLayersResult result = spMakeLayers(&pair->def, &pair->layers);
    spVolumesDef def = {.layers = &pair->layers,
                        .cellBlocks = cells > 0 ? cell : 0,
                        .isAsked = spIsPairAsked,
                        .context = pair};
    bool found = result == sp_layersMade && spFindVolumes(&def, &pair->volumes);
    return result == sp_layersMade && found == false ? sp_layersOutOfMemory : result;
}

static bool spVisitPair(const spTouchContext* c, const spVolumeSide* a, const spVolumeSide* b, int resolution,
                        spVisitVolumesFcn* visit, void* visitContext)
{
    size_t mark = c->arena->used;
    spPairVolumes pair;
    spLayersResult result = sp_layersMade;
    if (spDoSidesMeet(a, b))
    {
        result = spFindPairVolumes(c, a, b, resolution, 0, &pair);
        if (result == sp_layersMade && pair.volumes.count > 0)
        {
            visit(&pair, visitContext);
        }
    }
    spRewindArena(c->arena, mark);
    // What is no number has no volume
    return result != sp_layersOutOfMemory;
}

bool spVisitPairVolumes(const spTouchContext* c, const spCollider* const* colliders, int colliderCount,
                        int resolution, spVisitVolumesFcn* visit, void* visitContext)
{
    size_t mark = c->arena->used;
    int count = c->bodyCount + colliderCount;
    spVolumeSide* sides = spArenaAlloc(c->arena, spArraySize((int64_t)count + 1, sizeof(spVolumeSide)));
    bool ok = sides != NULL && spMakeMissingSurfaces(c);
    for (int i = 0; ok && i < count; ++i)
    {
        ok = i < c->bodyCount
                 ? spOpenBodySide(c, i, 0, sides + i)
                 : spOpenColliderSide(c->arena, colliders[i - c->bodyCount], i - c->bodyCount, sides + i);
    }
    for (int i = 0; ok && i < c->bodyCount; ++i)
    {
        for (int k = i; ok && sides[i].closed && k < count; ++k)
        {
            bool asked = k != i || c->bodies[i]->selfContact;
            ok = asked == false || spVisitPair(c, sides + i, sides + k, resolution, visit, visitContext);
        }
    }
    spRewindArena(c->arena, mark);
    return ok;
}
