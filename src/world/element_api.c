// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Element sets of bodies, as the public header offers them.

#include "base/error.h"
#include "world/world.h"

spSpringDef spDefaultSpringDef(void)
{
    return (spSpringDef){.stiffness = 1000, .damping = 1, .restScale = 1, .internalValue = SP_DEF_COOKIE};
}

spGasDef spDefaultGasDef(void)
{
    return (spGasDef){.restPressure = 1000, .internalValue = SP_DEF_COOKIE};
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

static int spFinishAdd(spWorld* world, int set, const spError* error)
{
    if (set < 0)
    {
        spRecordError(world, error);
    }
    return set;
}

int spBody_AddSprings(spWorld* world, spBodyId id, const spSpringDef* def)
{
    spBody* body = spUseBody(world, id);
    spError error = {0};
    return body != NULL ? spFinishAdd(world, spAddSpringSet(body, def, &error), &error) : -1;
}

int spBody_AddGas(spWorld* world, spBodyId id, const spGasDef* def)
{
    spBody* body = spUseBody(world, id);
    spError error = {0};
    return body != NULL ? spFinishAdd(world, spAddGasSet(body, def, &error), &error) : -1;
}

int spBody_AddField(spWorld* world, spBodyId id, const spFieldDef* def)
{
    spBody* body = spUseBody(world, id);
    spError error = {0};
    return body != NULL ? spFinishAdd(world, spAddFieldSet(body, def, &error), &error) : -1;
}

bool spBody_SetSprings(spWorld* world, spBodyId id, int set, spReal stiffness, spReal damping)
{
    spBody* body = spUseBody(world, id);
    if (body == NULL)
    {
        return false;
    }
    spSpringSet* springs = spGetSpringSet(body, set);
    if (springs == NULL)
    {
        return spRefuse(world, sp_errorBadIndex, body->name, "there are no springs with this set number");
    }
    if (!(stiffness >= 0 && isfinite(stiffness)) || !(damping >= 0 && isfinite(damping)))
    {
        return spRefuse(world, sp_errorBadArgument, body->name, "stiffness and damping must not be negative");
    }
    for (int i = 0; i < springs->base.elementCount; ++i)
    {
        springs->springs[i].stiffness = stiffness;
        springs->springs[i].damping = damping;
    }
    spFillSpringData(springs);
    body->stableStepDirty = true;
    return true;
}

bool spBody_SetGas(spWorld* world, spBodyId id, int set, spReal knrt)
{
    spBody* body = spUseBody(world, id);
    if (body == NULL)
    {
        return false;
    }
    spGasSet* gas = spGetGasSet(body, set);
    if (gas == NULL)
    {
        return spRefuse(world, sp_errorBadIndex, body->name, "there is no gas with this set number");
    }
    if (!(knrt > 0 && isfinite(knrt)))
    {
        return spRefuse(world, sp_errorBadArgument, body->name, "knrt must be positive");
    }
    gas->knrt = knrt;
    body->stableStepDirty = true;
    return true;
}

double spBody_GetPressure(const spWorld* world, spBodyId id, int set)
{
    const spBody* body = spGetBody(world, id);
    const spGasSet* gas = body != NULL ? spGetGasSet(body, set) : NULL;
    if (gas == NULL)
    {
        return 0.0;
    }
    spNodeState state = spGetNodeState(body);
    return spGetGasPressure(gas, spGetGasVolume(gas, &state), body->time);
}

bool spBody_SetField(spWorld* world, spBodyId id, int set, spReal coefficient)
{
    spBody* body = spUseBody(world, id);
    if (body == NULL)
    {
        return false;
    }
    spFieldSet* field = spGetFieldSet(body, set);
    if (field == NULL)
    {
        return spRefuse(world, sp_errorBadIndex, body->name, "there is no field with this set number");
    }
    if (!(coefficient >= 0 && isfinite(coefficient)))
    {
        return spRefuse(world, sp_errorBadArgument, body->name,
                        "the coefficient of a field must not be negative");
    }
    field->def.coefficient = coefficient;
    body->stableStepDirty = true;
    return true;
}
