// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Element sets of bodies, as the public header offers them.

#include "base/error.h"
#include "body/edit.h"
#include "body/sets.h"
#include "math/vec3.h"
#include "world/world.h"

#include <math.h>

// Of the slowest vibration, which lasts for some thirty swings; more would cost explicit steps dearly
#define SP_DAMPING_RATIO ((spReal)0.005)

spSpringDef spDefaultSpringDef(void)
{
    return (spSpringDef){.stiffness = 1000,
                         .damping = -1,
                         .dampingRatio = SP_DAMPING_RATIO,
                         .restScale = 1,
                         .internalValue = SP_DEF_COOKIE};
}

spTetDef spDefaultTetDef(void)
{
    return (spTetDef){
        .law = sp_tetCorotational,
        .youngModulus = (spReal)1e5,
        .poissonRatio = (spReal)0.4,
        .mooney = (spReal)0.2,
        .dampingRatio = SP_DAMPING_RATIO,
        .internalValue = SP_DEF_COOKIE,
    };
}

spConstraintDef spDefaultConstraintDef(void)
{
    return (spConstraintDef){.type = sp_constraintDistance, .restScale = 1, .internalValue = SP_DEF_COOKIE};
}

spGasDef spDefaultGasDef(void)
{
    return (spGasDef){.restPressure = 1000, .ambient = true, .internalValue = SP_DEF_COOKIE};
}

spBendDef spDefaultBendDef(void)
{
    return (spBendDef){.stiffness = (spReal)1e-4, .damping = (spReal)1e-6, .internalValue = SP_DEF_COOKIE};
}

spWindDef spDefaultWindDef(void)
{
    return (spWindDef){
        .density = (spReal)1.2, .normalDrag = 1, .tangentDrag = (spReal)0.05, .internalValue = SP_DEF_COOKIE};
}

spFieldDef spDefaultFieldDef(void)
{
    return (spFieldDef){
        .type = sp_fieldDrag,
        .coefficient = (spReal)0.1,
        .normal = {0, 1, 0},
        .minDistance = (spReal)1e-4,
        .cutoff = 10,
        .internalValue = SP_DEF_COOKIE,
    };
}

// Adding differs in nothing but the definition
// A body whose edges and surface, of which sets are made, are those of its tets now
static spBody* spUseShape(spWorld* world, spBodyId id)
{
    spBody* body = spUseBody(world, id);
    if (body != NULL)
    {
        spRefreshTopology(body);
    }
    return body;
}

// Only XPBD moves constraints: a body that leaves its method open has no choice from here on
static int spAddConstraints(spBody* body, const spConstraintDef* def, spError* error)
{
    if (body->automatic && body->methodDef.type != sp_xpbd)
    {
        spMethodDef method = body->methodDef;
        method.type = sp_xpbd;
        if (spInstallMethod(body, &method, error) == false)
        {
            return -1;
        }
        body->choice.type = sp_methodAuto;
    }
    return spAddConstraintSet(body, def, error);
}

#define SP_DEFINE_ADD(name, def_, add, sort)                                                                 \
    int name(spWorld* world, spBodyId id, const def_* def)                                                   \
    {                                                                                                        \
        spBody* body = spUseShape(world, id);                                                                \
        spError error = {0};                                                                                 \
        bool ok = body != NULL && spCheckSort(body, sort, def, &error);                                      \
        int set = ok ? add(body, def, &error) : -1;                                                          \
        if (body != NULL && set < 0)                                                                         \
        {                                                                                                    \
            spRecordError(world, &error);                                                                    \
        }                                                                                                    \
        return set;                                                                                          \
    }

SP_DEFINE_ADD(spBody_AddSprings, spSpringDef, spAddSpringSet, sp_sortSprings)
SP_DEFINE_ADD(spBody_AddTets, spTetDef, spAddTetSet, sp_sortTets)
SP_DEFINE_ADD(spBody_AddBends, spBendDef, spAddBendSet, sp_sortBends)
SP_DEFINE_ADD(spBody_AddConstraints, spConstraintDef, spAddConstraints, sp_sortConstraints)
SP_DEFINE_ADD(spBody_AddGas, spGasDef, spAddGasSet, sp_sortGas)
SP_DEFINE_ADD(spBody_AddWind, spWindDef, spAddWindSet, sp_sortWind)
SP_DEFINE_ADD(spBody_AddField, spFieldDef, spAddFieldSet, sp_sortField)

// Whoever asks for one of several numbers leaves the others NULL
static void spTell(spReal* to, spReal value)
{
    if (to != NULL)
    {
        *to = value;
    }
}

static bool spIsAbove0(spReal value)
{
    return value > 0 && isfinite(value);
}

static bool spIsFrom0(spReal value)
{
    return value >= 0 && isfinite(value);
}

// Whether a call may change a set: it is there, and the numbers are in range. If not, the world has the error.
static bool spMayChange(spWorld* world, const spBody* body, const void* set, const char* missing,
                        bool inRange, const char* range)
{
    if (body == NULL)
    {
        return false; // the world has the error already
    }
    if (set == NULL)
    {
        return spRefuse(world, sp_errorBadIndex, body->name, missing);
    }
    return inRange || spRefuse(world, sp_errorBadArgument, body->name, range);
}

static const char s_noSprings[] = "there are no springs with this set number";

bool spBody_SetSprings(spWorld* world, spBodyId id, int set, spReal stiffness, spReal damping)
{
    spBody* body = spUseBody(world, id);
    spSpringSet* springs = spGetSpringSet(body, set);
    if (spMayChange(world, body, springs, s_noSprings, spIsFrom0(stiffness) && isfinite(damping),
                    "stiffness must not be negative, damping finite") == false)
    {
        return false;
    }
    for (int i = 0; i < springs->base.elementCount; ++i)
    {
        springs->springs[i].stiffness = stiffness;
        springs->springs[i].damping = damping >= 0 ? damping : springs->springs[i].damping;
    }
    springs->youngModulus = 0;
    spFillSpringData(springs);
    spMarkChanged(body);
    return true;
}

bool spBody_GetSprings(const spWorld* world, spBodyId id, int set, spReal* stiffness, spReal* damping)
{
    const spSpringSet* springs = spGetSpringSet(spGetBody(world, id), set);
    bool same = springs != NULL && springs->base.elementCount > 0;
    for (int i = 1; same && i < springs->base.elementCount; ++i)
    {
        same = springs->springs[i].stiffness == springs->springs[0].stiffness &&
               springs->springs[i].damping == springs->springs[0].damping;
    }
    if (same)
    {
        spTell(stiffness, springs->springs[0].stiffness);
        spTell(damping, springs->springs[0].damping);
    }
    return same;
}

bool spBody_SetSpringModulus(spWorld* world, spBodyId id, int set, spReal youngModulus, spReal damping)
{
    spBody* body = spUseBody(world, id);
    spSpringSet* springs = spGetSpringSet(body, set);
    if (spMayChange(world, body, springs, s_noSprings, spIsAbove0(youngModulus) && isfinite(damping),
                    "Young's modulus must be positive and damping finite") == false)
    {
        return false;
    }
    if (springs->derived == false)
    {
        return spRefuse(world, sp_errorUnsupported, body->name,
                        "these springs did not get their stiffness from Young's modulus: set the stiffness");
    }
    for (int i = 0; i < springs->base.elementCount; ++i)
    {
        // The same modulus again changes no bit
        spSpring* spring = springs->springs + i;
        spring->stiffness =
            youngModulus == springs->youngModulus ? spring->stiffness : youngModulus * spring->share;
        spring->damping = damping >= 0 ? damping : spring->damping;
    }
    springs->youngModulus = youngModulus;
    spFillSpringData(springs);
    spMarkChanged(body);
    return true;
}

bool spBody_GetSpringModulus(const spWorld* world, spBodyId id, int set, spReal* youngModulus,
                             spReal* damping)
{
    const spSpringSet* springs = spGetSpringSet(spGetBody(world, id), set);
    bool derived = springs != NULL && springs->youngModulus > 0;
    if (derived)
    {
        spTell(youngModulus, springs->youngModulus);
        spTell(damping, springs->springs[0].damping);
    }
    return derived;
}

bool spBody_SetActivation(spWorld* world, spBodyId id, int set, spReal amplitude, spReal frequency,
                          spReal phase)
{
    spBody* body = spUseBody(world, id);
    spSpringSet* springs = spGetSpringSet(body, set);
    spError error = {0};
    if (spMayChange(world, body, springs, s_noSprings, spCheckActivation(amplitude, frequency, phase, &error),
                    error.message) == false)
    {
        return false;
    }
    spSetActivation(springs, amplitude, frequency, phase);
    spMarkChanged(body);
    return true;
}

bool spTetLawRestores(spTetLaw law)
{
    return (unsigned)law < sp_tetLawCount && law != sp_tetCorotationalEdge && law != sp_tetStVenantKirchhoff;
}

const char* spGetTetLawName(spTetLaw law)
{
    static const char* const names[] = {"linear", "corotational", "corotationalEdge", "stVenantKirchhoff",
                                        "hybrid", "neoHookean",   "mooneyRivlin"};
    _Static_assert(SP_COUNT(names) == sp_tetLawCount, "one name for each law");
    return (unsigned)law < sp_tetLawCount ? names[law] : "";
}

bool spBody_SetTets(spWorld* world, spBodyId id, int set, spReal youngModulus, spReal poissonRatio,
                    spReal damping)
{
    spBody* body = spUseBody(world, id);
    spTetSet* tets = spGetTetSet(body, set);
    bool inRange = spIsAbove0(youngModulus) && poissonRatio > -1 && poissonRatio < (spReal)0.5;
    if (spMayChange(world, body, tets, "there are no tets with this set number", inRange && isfinite(damping),
                    "Young's modulus must be positive, Poisson's ratio between -1 and 0.5, damping finite") ==
        false)
    {
        return false;
    }
    for (int i = 0; i < tets->base.elementCount; ++i)
    {
        tets->tets[i].youngModulus = youngModulus;
        tets->tets[i].poissonRatio = poissonRatio;
    }
    tets->damping = damping >= 0 ? damping : tets->damping;
    spFillTetMaterial(tets);
    spMarkChanged(body);
    return true;
}

bool spBody_ScaleTets(spWorld* world, spBodyId id, int set, spReal factor)
{
    spBody* body = spUseBody(world, id);
    spTetSet* tets = spGetTetSet(body, set);
    bool inRange = spIsAbove0(factor);
    for (int i = 0; tets != NULL && inRange && i < tets->base.elementCount; ++i)
    {
        double modulus = (double)tets->tets[i].youngModulus * (double)factor;
        inRange = modulus > 1e-30 && modulus < 1e30;
    }
    if (spMayChange(world, body, tets, "there are no tets with this set number", inRange,
                    "Young's modulus is scaled by a positive factor and stays between 1e-30 and 1e30 Pa") ==
        false)
    {
        return false;
    }
    for (int i = 0; i < tets->base.elementCount; ++i)
    {
        tets->tets[i].youngModulus *= factor;
    }
    spFillTetMaterial(tets);
    spMarkChanged(body);
    return true;
}

bool spBody_GetTets(const spWorld* world, spBodyId id, int set, spReal* youngModulus, spReal* poissonRatio,
                    spReal* damping)
{
    const spTetSet* tets = spGetTetSet(spGetBody(world, id), set);
    bool same = tets != NULL && tets->base.elementCount > 0;
    for (int i = 1; same && i < tets->base.elementCount; ++i)
    {
        same = tets->tets[i].youngModulus == tets->tets[0].youngModulus &&
               tets->tets[i].poissonRatio == tets->tets[0].poissonRatio;
    }
    if (same)
    {
        spTell(youngModulus, tets->tets[0].youngModulus);
        spTell(poissonRatio, tets->tets[0].poissonRatio);
        spTell(damping, tets->damping);
    }
    return same;
}

int spBody_GetSetCount(const spWorld* world, spBodyId id)
{
    return spReadBody(world, id)->setCount;
}

int spBody_GetTetCount(const spWorld* world, spBodyId id, int set)
{
    const spTetSet* tets = spGetTetSet(spGetBody(world, id), set);
    return tets != NULL ? tets->base.elementCount - tets->goneCount : 0;
}

int spBody_CopyTets(const spWorld* world, spBodyId id, int set, int32_t* nodes, int capacity)
{
    const spBody* body = spGetBody(world, id);
    const spTetSet* tets = spGetTetSet(body, set);
    int count = 0;
    for (int i = 0; tets != NULL && nodes != NULL && i < tets->base.elementCount && count < capacity; ++i)
    {
        for (int k = 0; k < 4; ++k)
        {
            nodes[4 * (size_t)count + k] = body->order.order[tets->tets[i].nodes[k]];
        }
        count += spIsTetGone(tets, i) ? 0 : 1;
    }
    return count;
}

spTetLaw spBody_GetTetLaw(const spWorld* world, spBodyId id, int set)
{
    const spTetSet* tets = spGetTetSet(spGetBody(world, id), set);
    return tets != NULL ? tets->law : sp_tetLawCount;
}

int spBody_CopyTetStates(const spWorld* world, spBodyId id, int set, spTetState* states, int capacity)
{
    const spBody* body = spGetBody(world, id);
    const spTetSet* tets = spGetTetSet(body, set);
    spNodeState state = tets != NULL ? spGetNodeState(body) : (spNodeState){0};
    int count = 0;
    for (int i = 0; tets != NULL && states != NULL && i < tets->base.elementCount && count < capacity; ++i)
    {
        if (spIsTetGone(tets, i) == false)
        {
            states[count++] = spGetTetState(tets, &state, i);
        }
    }
    return count;
}

int spBody_CopyTetStress(const spWorld* world, spBodyId id, int set, spReal* stress, int capacity)
{
    const spBody* body = spGetBody(world, id);
    const spTetSet* tets = spGetTetSet(body, set);
    if (tets == NULL || stress == NULL || capacity < tets->base.elementCount)
    {
        return 0;
    }
    spNodeState state = spGetNodeState(body);
    tets->base.kind->getStress(&tets->base, &state, stress);
    int count = 0;
    for (int i = 0; i < tets->base.elementCount; ++i)
    {
        stress[count] = stress[i];
        count += spIsTetGone(tets, i) ? 0 : 1;
    }
    return count;
}

int spBody_CopyNodeStress(const spWorld* world, spBodyId id, spReal* stress, int capacity)
{
    const spBody* body = spGetBody(world, id);
    return body != NULL && stress != NULL && capacity >= body->userCount ? spSumNodeStress(body, stress) : 0;
}

int spBody_CopyNodeStrain(const spWorld* world, spBodyId id, spReal* strain, int capacity)
{
    const spBody* body = spGetBody(world, id);
    return body != NULL && strain != NULL && capacity >= body->userCount ? spSumNodeStrain(body, strain) : 0;
}

int spBody_CopyNodeModulus(const spWorld* world, spBodyId id, spReal* modulus, int capacity)
{
    const spBody* body = spGetBody(world, id);
    return body != NULL && modulus != NULL && capacity >= body->userCount ? spSumNodeModulus(body, modulus)
                                                                          : 0;
}

int spBody_CopyNodeRegions(const spWorld* world, spBodyId id, spReal* regions, int capacity)
{
    const spBody* body = spGetBody(world, id);
    return body != NULL && regions != NULL && capacity >= body->userCount ? spFindNodeRegions(body, regions)
                                                                          : 0;
}

// Tets whose volume over that at rest lies in a range, its ends included
static int spCountTetsWithin(const spBody* body, double least, double most)
{
    int count = 0;
    for (int i = 0; i < body->setCount; ++i)
    {
        const spTetSet* tets = spGetTetSet(body, i);
        spNodeState state = spGetNodeState(body);
        for (int k = 0; tets != NULL && k < tets->base.elementCount; ++k)
        {
            double ratio = spIsTetGone(tets, k) ? 1.0 : spDeterminant3(spGetTetGradient(tets, &state, k));
            count += least <= ratio && ratio <= most ? 1 : 0;
        }
    }
    return count;
}

int spBody_CountInvertedTets(const spWorld* world, spBodyId id)
{
    return spCountTetsWithin(spReadBody(world, id), -INFINITY, 0.0);
}

int spBody_CountFlatTets(const spWorld* world, spBodyId id)
{
    double limit = (double)SP_FLAT_VOLUME_RATIO;
    return spCountTetsWithin(spReadBody(world, id), -limit, limit);
}

bool spBody_SetConstraints(spWorld* world, spBodyId id, int set, spReal compliance, spReal damping)
{
    spBody* body = spUseBody(world, id);
    spConstraintSet* constraints = spGetConstraintSet(body, set);
    if (spMayChange(world, body, constraints, "there are no constraints with this set number",
                    spIsFrom0(compliance) && spIsFrom0(damping),
                    "compliance and damping time must not be negative") == false)
    {
        return false;
    }
    constraints->compliance = compliance;
    constraints->damping = damping;
    spMarkChanged(body);
    return true;
}

bool spBody_GetConstraints(const spWorld* world, spBodyId id, int set, spReal* compliance, spReal* damping)
{
    const spConstraintSet* constraints = spGetConstraintSet(spGetBody(world, id), set);
    if (constraints != NULL)
    {
        spTell(compliance, constraints->compliance);
        spTell(damping, constraints->damping);
    }
    return constraints != NULL;
}

bool spBody_SetGas(spWorld* world, spBodyId id, int set, spReal knrt)
{
    spBody* body = spUseBody(world, id);
    spGasSet* gas = spGetGasSet(body, set);
    if (spMayChange(world, body, gas, "there is no gas with this set number", spIsAbove0(knrt),
                    "knrt must be positive") == false)
    {
        return false;
    }
    // What came from a pressure has more digits than spReal: the number that was read changes nothing
    if (knrt != (spReal)gas->knrt)
    {
        gas->knrt = knrt;
    }
    spMarkChanged(body);
    return true;
}

double spBody_GetGas(const spWorld* world, spBodyId id, int set)
{
    const spGasSet* gas = spGetGasSet(spGetBody(world, id), set);
    return gas != NULL ? gas->knrt : 0.0;
}

double spBody_GetPressure(const spWorld* world, spBodyId id, int set)
{
    const spBody* body = spGetBody(world, id);
    const spGasSet* gas = spGetGasSet(body, set);
    if (gas == NULL)
    {
        return 0.0;
    }
    spNodeState state = spGetNodeState(body);
    return spGetGasPressure(gas, spGetGasVolume(gas, &state), body->time);
}

bool spBody_SetBends(spWorld* world, spBodyId id, int set, spReal stiffness, spReal damping)
{
    spBody* body = spUseBody(world, id);
    spBendSet* bends = spGetBendSet(body, set);
    if (spMayChange(world, body, bends, "there is no bending with this set number",
                    spIsFrom0(stiffness) && spIsFrom0(damping),
                    "bending stiffness and damping must not be negative") == false)
    {
        return false;
    }
    bends->stiffness = stiffness;
    bends->damping = damping;
    spMarkChanged(body);
    return true;
}

bool spBody_GetBends(const spWorld* world, spBodyId id, int set, spReal* stiffness, spReal* damping)
{
    const spBendSet* bends = spGetBendSet(spGetBody(world, id), set);
    if (bends != NULL)
    {
        spTell(stiffness, bends->stiffness);
        spTell(damping, bends->damping);
    }
    return bends != NULL;
}

bool spBody_SetWind(spWorld* world, spBodyId id, int set, spVec3 velocity)
{
    spBody* body = spUseBody(world, id);
    spWindSet* wind = spGetWindSet(body, set);
    if (spMayChange(world, body, wind, "there is no wind with this set number", spIsFinite3(velocity),
                    "the velocity of the wind must be finite") == false)
    {
        return false;
    }
    wind->def.velocity = velocity;
    spMarkChanged(body);
    return true;
}

spVec3 spBody_GetWind(const spWorld* world, spBodyId id, int set)
{
    const spWindSet* wind = spGetWindSet(spGetBody(world, id), set);
    return wind != NULL ? wind->def.velocity : (spVec3){0};
}

bool spBody_SetField(spWorld* world, spBodyId id, int set, spReal coefficient)
{
    spBody* body = spUseBody(world, id);
    spFieldSet* field = spGetFieldSet(body, set);
    if (spMayChange(world, body, field, "there is no field with this set number", spIsFrom0(coefficient),
                    "the coefficient of a field must not be negative") == false)
    {
        return false;
    }
    field->def.coefficient = coefficient;
    spMarkChanged(body);
    return true;
}

spReal spBody_GetField(const spWorld* world, spBodyId id, int set)
{
    const spFieldSet* field = spGetFieldSet(spGetBody(world, id), set);
    return field != NULL ? field->def.coefficient : 0;
}
