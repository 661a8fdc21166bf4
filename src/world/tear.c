// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Tearing: at nodes whose stress is too large the tets around them part, across the largest principal stress
// (after O'Brien and Hodgins 1999, along faces).

#include "base/error.h"
#include "body/edit.h"
#include "math/decompose.h"
#include "math/vec3.h"
#include "mesh/mesh_math.h"
#include "world/split.h"

#include <math.h>
#include <stdlib.h>

spTearDef spDefaultTearDef(void)
{
    return (spTearDef){.strength = (spReal)1e5, .mostNodes = 10, .internalValue = SP_DEF_COOKIE};
}

typedef struct spTornNode
{
    int32_t node; // in the user's numbering
    double stress;
    spVec3 pull; // direction of the largest principal stress
} spTornNode;

static int spCompareTorn(const void* a, const void* b)
{
    const spTornNode *p = a, *q = b;
    return p->stress != q->stress ? (p->stress < q->stress) - (p->stress > q->stress)
                                  : (p->node > q->node) - (p->node < q->node);
}

// Springs pull along themselves: force times length, the half of it at each end, where a node has a share of the
// cells around it that its corners are
static void spSumTension(const spBody* body, const spSpringSet* set, spMat3* sums)
{
    spReal share = (spReal)body->edit->corners / 2, activation = spGetActivation(set, body->time);
    for (int i = 0; i < set->base.elementCount; ++i)
    {
        const spSpring* spring = set->springs + i;
        spVec3 d = spSub3(spXyz(body->x[spring->nodes[1]]), spXyz(body->x[spring->nodes[0]]));
        spReal length;
        spVec3 e = spNormalizeLength3(d, &length);
        spReal stretch = length - activation * spring->rest;
        bool slack = set->law == sp_springTension && stretch < 0;
        spReal force = slack ? 0 : spGetSpringModulus(set, spring) * stretch;
        spMat3 stress = spScaleMat3(share * force * length, spOuter3(e, e));
        for (int k = 0; k < 2; ++k)
        {
            spMat3* sum = sums + body->order.order[spring->nodes[k]];
            *sum = spAddMat3(*sum, stress);
        }
    }
}

// Volume times stress at the nodes; in sheets area times force per width
static void spSumStress(const spBody* body, spMat3* sums)
{
    const spEditData* e = body->edit;
    spNodeState state = spGetNodeState(body);
    for (int set = 0; set < body->setCount; ++set)
    {
        const spSpringSet* springs = spGetSpringSet(body, set);
        if (springs != NULL)
        {
            spSumTension(body, springs, sums);
        }
        const spTetSet* tets = spGetTetSet(body, set);
        for (int i = 0; tets != NULL && i < e->tetCount; ++i)
        {
            if (e->removed[i] == 0)
            {
                const int32_t* nodes = e->tets + 4 * (size_t)i;
                spReal volume = (spReal)spGetRestMeasure(body, nodes);
                spMat3 stress = spScaleMat3(volume, spGetCauchyStress(tets, &state, i));
                for (int k = 0; k < 4; ++k)
                {
                    sums[nodes[k]] = spAddMat3(sums[nodes[k]], stress);
                }
            }
        }
    }
}

// Nodes that bear no more, those with the largest stress first
static int spListTorn(const spBody* body, const spMat3* sums, double strength, spTornNode* torn)
{
    const spEditData* e = body->edit;
    int count = 0;
    for (int i = 0; i < body->userCount; ++i)
    {
        bool bears = body->roles[body->order.rank[i]] != sp_nodeFree || e->around[i] < 2;
        spMat3 stress = bears ? spIdentityMat3() : spScaleMat3((spReal)(1.0 / e->volume[i]), sums[i]);
        if (bears == false && spGetLargestEigenvalue3(stress) > 0.9 * strength)
        {
            spMat3 axes;
            spVec3 values;
            bool good = spDecomposeSymmetric3(stress, &axes, &values);
            torn[count] = (spTornNode){i, (double)values.x, axes.cx};
            count += good && (double)values.x > strength;
        }
    }
    qsort(torn, (size_t)count, sizeof(spTornNode), spCompareTorn);
    return count;
}

// Whether the centre of a tet is ahead of a node in the direction of the pull
static bool spIsAhead(const spBody* body, int tet, const spTornNode* torn)
{
    const int32_t* nodes = body->edit->tets + 4 * (size_t)tet;
    spVec3 at = spXyz(body->x[body->order.rank[torn->node]]);
    double sum = 0.0;
    for (int k = 0; k < body->edit->corners; ++k)
    {
        sum += (double)spDot3(torn->pull, spSub3(spXyz(body->x[body->order.rank[nodes[k]]]), at));
    }
    return sum > 0.0;
}

// Opens the faces at a node between both sides. Whether there were any.
static bool spTearNode(spSplit* split, const spTornNode* torn)
{
    const spBody* body = split->body;
    const spEditData* e = body->edit;
    int before = split->faceCount, root = spGetRootNode(e, torn->node);
    for (int i = e->fans.begin[root]; i < e->fans.begin[root + 1]; ++i)
    {
        int corner = e->fans.corners[i], tet = corner / 4;
        for (int k = 0; k < e->corners && e->removed[tet] == 0 && e->tets[corner] == torn->node; ++k)
        {
            int across = e->fans.across[4 * tet + k];
            bool closed = k != corner % 4 && across >= 0 && e->removed[across / 4] == 0;
            if (closed && spIsAhead(body, tet, torn) != spIsAhead(body, across / 4, torn))
            {
                spOpenFace(split, 4 * tet + k);
            }
        }
    }
    return split->faceCount > before;
}

static bool spTearNodes(spSplit* split, const spTearDef* def, spError* error)
{
    spBody* body = split->body;
    size_t size = spArraySize(body->userCount, sizeof(spMat3));
    spMat3* sums = spAllocZeroed(body->heap, size);
    spTornNode* torn = spAlloc(body->heap, spArraySize(body->userCount, sizeof(spTornNode)));
    bool ok = sums != NULL && torn != NULL;
    if (ok)
    {
        spSumStress(body, sums);
        int count = spListTorn(body, sums, (double)def->strength, torn), done = 0;
        for (int i = 0; i < count && done < def->mostNodes; ++i)
        {
            done += spTearNode(split, torn + i);
        }
    }
    spFree(body->heap, sums);
    spFree(body->heap, torn);
    return ok || spFailMemory(error, "a tear", size);
}

static bool spCheckTear(const spBody* body, const spTearDef* def, spError* error)
{
    if (def == NULL || def->internalValue != SP_DEF_COOKIE)
    {
        return spFail(error, sp_errorBadDef,
                      "%s: the definition of a tear does not come from spDefaultTearDef", body->name);
    }
    return (def->strength > 0 && isfinite(def->strength) && def->mostNodes > 0) ||
           spFail(error, sp_errorBadArgument, "%s: strength %g Pa and %d nodes in a call must be positive",
                  body->name, (double)def->strength, def->mostNodes);
}

bool spBody_Tear(spWorld* world, spBodyId id, const spTearDef* def, spEditResult* result)
{
    spBody* body = spGetBody(world, id);
    if (body == NULL)
    {
        return spUseBody(world, id) != NULL; // says that it is stale
    }
    spError error = {0};
    spSplit split = {.body = body};
    bool ok = spCheckTear(body, def, &error) && spBeginSplit(&split, body, &error) &&
              spTearNodes(&split, def, &error);
    // A body that bears it is left alone, asleep or not
    if (ok && split.faceCount > 0)
    {
        spUseBody(world, id);
        ok = spTakeSplit(&split, world, result, &error);
    }
    else if (ok && result != NULL)
    {
        *result = (spEditResult){0};
    }
    spEndSplit(&split);
    return ok || spRecordError(world, &error);
}
