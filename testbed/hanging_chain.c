// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "testbed/hanging_chain.h"

static const double width = 0.05, length = 0.2; // m
static const double density = 1000.0;           // kg/m^3
static const double gravity = 9.81;             // m/s^2

spHangingChainDef spDefaultHangingChainDef(void)
{
    spHangingChainDef def = {.count = 2, .massRatio = 1.0, .youngModulus = 1e5, .drag = 40.0, .cells = 2};
    spMethodDef method = spDefaultMethodDef();
    method.type = sp_symplecticEuler;
    spSetChainMethod(&def, &method);
    return def;
}

void spSetChainMethod(spHangingChainDef* def, const spMethodDef* method)
{
    for (int i = 0; i < SP_CHAIN_MOST; ++i)
    {
        def->methods[i] = *method;
    }
}

static int spGetEndCount(const spHangingChainDef* def)
{
    return (def->cells + 1) * (def->cells + 1);
}

// Along x, which is down: the first nodes are those of the top, the last ones those of the bottom
static spMesh* spMakeBarMesh(const spHangingChainDef* def, int index, spError* error)
{
    spBoxMeshDef box = spDefaultBoxMeshDef();
    box.origin = (spDVec3){length * index, -0.5 * width, -0.5 * width};
    box.size = (spDVec3){length, width, width};
    box.cells[0] = 4 * def->cells;
    box.cells[1] = box.cells[2] = def->cells;
    return spMakeBoxMesh(&box, error);
}

static bool spAddBar(spHangingChain* chain, int index)
{
    const spHangingChainDef* def = &chain->def;
    spMesh* mesh = spMakeBarMesh(def, index, &chain->error);
    if (mesh == NULL)
    {
        return false;
    }
    spBodyDef bodyDef = spDefaultBodyDef();
    bodyDef.mesh = mesh;
    bodyDef.density = (spReal)(density * (index == def->count - 1 ? def->massRatio : 1.0));
    bodyDef.method = def->methods[index];
    spTetDef tets = spDefaultTetDef();
    tets.youngModulus = (spReal)def->youngModulus;
    tets.poissonRatio = 0;
    spFieldDef drag = spDefaultFieldDef();
    drag.type = sp_fieldMassDrag;
    drag.coefficient = (spReal)def->drag;
    spBodyId body = chain->bodies[index] = spCreateBody(chain->world, &bodyDef);
    bool ok = SP_IS_NULL(body) == false && spBody_AddTets(chain->world, body, &tets) >= 0 &&
              (def->drag == 0.0 || spBody_AddField(chain->world, body, &drag) >= 0);
    spDestroyMesh(mesh);
    int32_t nodes[256];
    int count = spGetEndCount(def);
    for (int i = 0; i < count; ++i)
    {
        nodes[i] = i;
    }
    if (ok && index == 0)
    {
        return spBody_PinNodes(chain->world, body, nodes, count);
    }
    spLinkDef link = spDefaultLinkDef();
    link.body = body;
    link.otherBody = chain->bodies[index > 0 ? index - 1 : 0];
    link.nodes = nodes;
    link.nodeCount = count;
    link.stiffness = def->stiffness;
    if (ok)
    {
        chain->links[index - 1] = spCreateLink(chain->world, &link);
    }
    return ok && SP_IS_NULL(chain->links[index - 1]) == false;
}

spHangingChain spBuildHangingChain(const spHangingChainDef* def)
{
    spHangingChain chain = {.def = *def};
    spWorldDef worldDef = spDefaultWorldDef();
    worldDef.workerCount = 1;
    worldDef.gravity = (spVec3){(spReal)gravity, 0, 0};
    chain.world = spCreateWorld(&worldDef, &chain.error);
    bool ok = chain.world != NULL;
    for (int i = 0; ok && i < def->count; ++i)
    {
        ok = spAddBar(&chain, i);
    }
    if (ok == false && chain.world != NULL)
    {
        chain.error = chain.error.code == sp_errorNone ? spWorld_GetLastError(chain.world) : chain.error;
        spDestroyHangingChain(&chain);
    }
    return chain;
}

void spDestroyHangingChain(spHangingChain* chain)
{
    spDestroyWorld(chain->world);
    chain->world = NULL;
}

double spGetChainStretch(const spHangingChain* chain)
{
    int last = chain->def.count - 1, count = spGetEndCount(&chain->def);
    spVec3View x = spBody_GetPositions(chain->world, chain->bodies[last]);
    double sum = 0.0;
    for (int i = x.count - count; i < x.count; ++i)
    {
        sum += (double)x.data[i].x;
    }
    return sum / count - length * chain->def.count;
}

static double spGetWeight(const spHangingChainDef* def, int index)
{
    return gravity * density * width * width * length * (index == def->count - 1 ? def->massRatio : 1.0);
}

double spGetChainLoad(const spHangingChainDef* def, int link)
{
    double sum = 0.0;
    for (int i = link + 1; i < def->count; ++i)
    {
        sum += spGetWeight(def, i);
    }
    return sum;
}

double spGetChainTheory(const spHangingChainDef* def)
{
    double sum = 0.0;
    for (int i = 0; i < def->count; ++i)
    {
        double load = spGetChainLoad(def, i) + 0.5 * spGetWeight(def, i);
        sum += load * length / (def->youngModulus * width * width);
        if (i + 1 < def->count && def->stiffness > 0)
        {
            sum += spGetChainLoad(def, i) / ((double)def->stiffness * spGetEndCount(def));
        }
    }
    return sum;
}

double spGetChainForce(const spHangingChain* chain, int link)
{
    return -(double)spLink_GetForce(chain->world, chain->links[link]).x;
}
