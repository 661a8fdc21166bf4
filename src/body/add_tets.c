// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Tetrahedra on a body.

#include "base/error.h"
#include "body/edit.h"
#include "body/sets.h"
#include "element/tet_precise.h"
#include "math/vec3.h"
#include "mesh/mesh.h"

// Volume over that of a cube with the longest edge, below which a tet counts as flat
#define SP_FLAT_TET 1e-7

static bool spCheckMaterial(const spTet* tet, int index, spError* error)
{
    if (!(tet->youngModulus > 0 && isfinite(tet->youngModulus)))
    {
        return spFail(error, sp_errorBadArgument, "Young's modulus of tet %d is %g Pa: it must be positive",
                      index, (double)tet->youngModulus);
    }
    // Beyond this lambda leaves mu no digits of a float
    if (!(tet->poissonRatio > -1 && (double)tet->poissonRatio <= 0.4999))
    {
        return spFail(error, sp_errorBadArgument,
                      "Poisson's ratio of tet %d is %g: it must be above -1 and at most 0.4999; 0.5 would be "
                      "incompressible",
                      index, (double)tet->poissonRatio);
    }
    return true;
}

static bool spCheckTetDef(const spBody* body, const spTetDef* def, spError* error)
{
    if (def == NULL || def->internalValue != SP_DEF_COOKIE)
    {
        return spFail(error, sp_errorBadDef, "the tet definition does not come from spDefaultTetDef");
    }
    if ((unsigned)def->law >= sp_tetLawCount || (unsigned)def->dampingModel >= sp_tetDampingCount)
    {
        return spFail(error, sp_errorBadArgument, "tet law %d or damping model %d does not exist",
                      (int)def->law, (int)def->dampingModel);
    }
    if (!isfinite(def->damping) || !(def->dampingRatio >= 0 && isfinite(def->dampingRatio)) ||
        !(def->mooney >= 0 && def->mooney <= 1))
    {
        return spFail(
            error, sp_errorBadArgument,
            "damping %g s must be finite, the damping ratio %g not negative, and the Mooney share %g "
            "between 0 and 1",
            (double)def->damping, (double)def->dampingRatio, (double)def->mooney);
    }
    if (def->lameMu != 0 || def->lameLambda != 0)
    {
        bool stable = def->lameMu > 0 && isfinite(def->lameMu) && isfinite(def->lameLambda) &&
                      3 * (double)def->lameLambda + 2 * (double)def->lameMu > 0.0;
        if (stable == false)
        {
            return spFail(
                error, sp_errorBadArgument,
                "Lame's constants lambda %g Pa and mu %g Pa must give mu > 0 and 3 lambda + 2 mu > 0",
                (double)def->lameLambda, (double)def->lameMu);
        }
    }
    int count = def->tets != NULL ? def->tetCount : body->tetCount;
    if (count <= 0)
    {
        return spFail(error, sp_errorBadArgument,
                      "tets are needed: none are given and the mesh of %s has none; a surface must be filled "
                      "with a mesher first, or gets springs",
                      body->name);
    }
    return spCheckRoom(body, error);
}

// In double: a tet is upright or not by the sign of a difference of products
static bool spCheckTetShape(const spBody* body, const int32_t* nodes, int index, spError* error)
{
    spVec3 a = spXyz(body->x[nodes[0]]);
    spMat3 edges = spMakeMat3(spSub3(spXyz(body->x[nodes[1]]), a), spSub3(spXyz(body->x[nodes[2]]), a),
                              spSub3(spXyz(body->x[nodes[3]]), a));
    double volume = spDeterminant3(edges) / 6.0, longest = 0.0;
    for (int i = 0; i < 6; ++i)
    {
        spVec3 edge =
            spSub3(spXyz(body->x[nodes[spTetEdges[i][1]]]), spXyz(body->x[nodes[spTetEdges[i][0]]]));
        longest = fmax(longest, (double)spLength3(edge));
    }
    if (volume < 0.0)
    {
        return spFail(error, sp_errorBadMesh,
                      "tet %d of %s is inside out (volume %g m^3): mend the mesh with spMesh_Repair, or "
                      "\"repair\": true in a scene",
                      index, body->name, volume);
    }
    if (!(volume > SP_FLAT_TET * longest * longest * longest))
    {
        return spFail(
            error, sp_errorBadMesh,
            "tet %d of %s is flat (volume %g m^3, longest edge %g m): drop it with spMesh_Repair, or "
            "\"repair\": true in a scene",
            index, body->name, volume, longest);
    }
    return true;
}

static double spGetTetVolume(const spBody* body, const spTet* tet)
{
    spVec3 a = spXyz(body->x[tet->nodes[0]]);
    return spDeterminant3(spMakeMat3(spSub3(spXyz(body->x[tet->nodes[1]]), a),
                                     spSub3(spXyz(body->x[tet->nodes[2]]), a),
                                     spSub3(spXyz(body->x[tet->nodes[3]]), a))) /
           6.0;
}

// The damping time from the ratio: waves run with the root of the mean Young's modulus over the mean density, s
static spReal spFindDamping(const spBody* body, const spTetDef* def, const spTet* tets, int count)
{
    double mass = 0.0, volume = 0.0, modulus = 0.0;
    for (int i = 0; i < body->nodeCount; ++i)
    {
        mass += (double)body->mass[i];
    }
    for (int i = 0; i < count; ++i)
    {
        double own = spGetTetVolume(body, tets + i);
        volume += own;
        modulus += own * (double)tets[i].youngModulus;
    }
    // sqrt((modulus / volume) / (mass / volume))
    double time = spGetDampingTime(body, (double)def->dampingRatio, mass > 0.0 ? sqrt(modulus / mass) : 0.0);
    return (spReal)(volume > 0.0 && isfinite(time) ? time : 0.0);
}

// Whether rounding of positions to single precision would be felt: the body is so stiff that its weight hardly
// strains it. Bodies with room, whose sets are laid out anew by edits, bodies of levels, and the law of the edge frame do without.
static bool spNeedsPrecision(const spBody* body, spTetLaw law, const spTet* tets, int count)
{
    double mass = 0.0, volume = 0.0, stiffest = 0.0, length = 0.0;
    for (int i = 0; i < body->nodeCount; ++i)
    {
        mass += (double)body->mass[i];
        length = fmax(length, (double)spDistance3(spXyz(body->x[i]), spXyz(body->x[0])));
    }
    for (int i = 0; i < count; ++i)
    {
        volume += spGetTetVolume(body, tets + i);
        stiffest = fmax(stiffest, (double)tets[i].youngModulus);
    }
    double weight = mass / volume * SP_STANDARD_GRAVITY * length;
    return sizeof(spReal) == sizeof(float) && body->edit == NULL && body->hierarchy == NULL &&
           law != sp_tetCorotationalEdge && stiffest > SP_PRECISE_STIFFNESS * weight;
}

int spAddTetSet(spBody* body, const spTetDef* def, spError* error)
{
    if (spCheckTetDef(body, def, error) == false)
    {
        return -1;
    }
    const int32_t* given = def->tets != NULL ? def->tets : body->tets;
    int count = def->tets != NULL ? def->tetCount : body->tetCount;
    size_t size = spArraySize(count, sizeof(spTet));
    spTet* tets = spAlloc(body->heap, size);
    if (tets == NULL)
    {
        spFailMemory(error, "tets", size);
        return -1;
    }
    spTet material = {.youngModulus = def->youngModulus, .poissonRatio = def->poissonRatio};
    if (def->lameMu > 0)
    {
        double lambda = def->lameLambda, mu = def->lameMu;
        material.youngModulus = (spReal)(mu * (3.0 * lambda + 2.0 * mu) / (lambda + mu));
        material.poissonRatio = (spReal)(lambda / (2.0 * (lambda + mu)));
    }
    bool ok = true;
    for (int i = 0; ok && i < count; ++i)
    {
        spTet* tet = tets + i;
        *tet = material;
        tet->youngModulus = def->youngModuli != NULL ? def->youngModuli[i] : tet->youngModulus;
        tet->region = def->regions != NULL ? def->regions[i] : 0;
        tet->poissonRatio = def->poissonRatios != NULL ? def->poissonRatios[i] : tet->poissonRatio;
        for (int k = 0; ok && k < 4; ++k)
        {
            int node = given[4 * (size_t)i + k];
            ok = spCheckNode(body, "tet", i, node, error);
            tet->nodes[k] = ok ? body->order.rank[node] : 0;
        }
        ok = ok && spCheckMaterial(tet, i, error) && spCheckTetShape(body, tet->nodes, i, error);
    }
    spTetSet* set = NULL;
    if (ok)
    {
        spTetSetDef setDef = {
            .tets = tets,
            .tetCount = count,
            .law = def->law,
            .dampingModel = def->dampingModel,
            .damping = def->damping >= 0 ? def->damping : spFindDamping(body, def, tets, count),
            .mooney = def->mooney,
            .x = body->x,
            .patchBegin = body->order.patchBegin,
            .patchCount = body->order.patchCount,
            .laneCount = body->laneCount,
            .ofMesh = body->edit != NULL && body->edit->corners == 4 && def->tets == NULL &&
                      body->edit->removedCount == 0,
            .precise = spNeedsPrecision(body, def->law, tets, count),
            .room = body->edit != NULL,
            .tetRoom = body->tetRoom,
        };
        set = spCreateTetSet(body->heap, &setDef);
        ok = set != NULL || spFailMemory(error, "tets", size);
    }
    spFree(body->heap, tets);
    int number = ok ? spAppendLocalSet(body, &set->base, error) : -1;
    body->precise = body->precise || (number >= 0 && set->preciseData != NULL);
    return number;
}
