// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "testbed/solid_body.h"

#include <stdlib.h>

spSolidBodyDef spDefaultSolidBodyDef(void)
{
    return (spSolidBodyDef){.transform = {.rotation = {0, 0, 0, 1}},
                            .law = sp_tetCorotational,
                            .youngModulus = 1e6,
                            .poissonRatio = 0.3,
                            .density = 1000.0,
                            .friction = 0.5,
                            .method = spDefaultMethodDef()};
}

spBodyId spAddSolidBody(spWorld* world, const spSolidBodyDef* def)
{
    if (def->mesh == NULL)
    {
        return (spBodyId)SP_ZERO_INIT;
    }
    spBodyDef bodyDef = spDefaultBodyDef();
    bodyDef.mesh = def->mesh;
    bodyDef.transform = def->transform;
    bodyDef.density = (spReal)def->density;
    bodyDef.friction = (spReal)def->friction;
    bodyDef.velocity = def->velocity;
    bodyDef.method = def->method;
    spTetDef tets = spDefaultTetDef();
    tets.law = def->law;
    tets.youngModulus = (spReal)def->youngModulus;
    tets.poissonRatio = (spReal)def->poissonRatio;
    tets.damping = (spReal)def->damping;
    spFieldDef drag = spDefaultFieldDef();
    drag.type = sp_fieldMassDrag;
    drag.coefficient = (spReal)def->drag;
    spBodyId body = spCreateBody(world, &bodyDef);
    bool good = SP_IS_NULL(body) == false && spBody_AddTets(world, body, &tets) >= 0 &&
                (def->drag == 0.0 || spBody_AddField(world, body, &drag) >= 0);
    spDestroyMesh(def->mesh);
    return good ? body : (spBodyId)SP_ZERO_INIT;
}

spMesh* spMakeSolidBox(spDVec3 origin, spDVec3 size, int cells)
{
    spBoxMeshDef box = spDefaultBoxMeshDef();
    box.origin = origin;
    box.size = size;
    box.cells[0] = box.cells[1] = box.cells[2] = cells;
    return spMakeBoxMesh(&box, NULL);
}

spMesh* spMakeSolidBall(spDVec3 center, double radius, int cells)
{
    spRoundMeshDef round = spDefaultRoundMeshDef();
    round.center = center;
    round.radius = radius;
    round.resolution = cells;
    return spMakeBallMesh(&round, NULL);
}

int spPinBeyond(spWorld* world, spBodyId body, spVec3 normal, double offset)
{
    int count = 0, nodeCount = spBody_GetNodeCount(world, body);
    spVec3View x = spBody_GetPositions(world, body);
    int32_t* nodes = malloc((size_t)(nodeCount > 0 ? nodeCount : 1) * sizeof(int32_t));
    for (int i = 0; nodes != NULL && i < nodeCount; ++i)
    {
        spVec3 p = x.data[i];
        if ((double)(p.x * normal.x + p.y * normal.y + p.z * normal.z) > offset)
        {
            nodes[count++] = i;
        }
    }
    bool good = nodes != NULL && (count == 0 || spBody_PinNodes(world, body, nodes, count));
    free(nodes);
    return good ? count : -1;
}

double spGetSolidMass(const spWorld* world, spBodyId body)
{
    int count = spBody_GetNodeCount(world, body);
    spReal* masses = malloc((size_t)(count > 0 ? count : 1) * sizeof(spReal));
    double sum = 0.0;
    count = masses != NULL ? spBody_CopyMasses(world, body, masses, count) : 0;
    for (int i = 0; i < count; ++i)
    {
        sum += (double)masses[i];
    }
    free(masses);
    return sum;
}

double spGetSolidEnergy(const spWorld* world, spBodyId body)
{
    spEnergy energy = spBody_GetEnergy(world, body);
    return energy.kinetic + energy.elastic + energy.potential;
}
