// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Joints of rigid bodies to the world, as the public header offers them (method/rigid_joint.c).

#include "base/error.h"
#include "math/vec3.h"
#include "world/world.h"

#include <math.h>

spJointDef spDefaultJointDef(void)
{
    return (spJointDef){.type = sp_jointBall, .axis = {0, 1, 0}, .internalValue = SP_DEF_COOKIE};
}

static bool spIsMotor(spReal speed, spReal limit)
{
    return isfinite(speed) && limit >= 0 && isfinite(limit);
}

static bool spCheckJoint(const spBody* body, const spJointDef* def, spError* error)
{
    const char* name = body->name;
    if (def->internalValue != SP_DEF_COOKIE)
    {
        return spFail(error, sp_errorBadDef, "%s: the joint definition does not come from spDefaultJointDef",
                      name);
    }
    if (body->methodDef.type != sp_rigid)
    {
        return spFail(error, sp_errorBadArgument,
                      "%s: only rigid bodies have joints; pin nodes of others, or link them", name);
    }
    if ((int)def->type < 0 || def->type >= sp_jointTypeCount)
    {
        return spFail(error, sp_errorBadArgument, "%s: there is no joint of type %d", name, (int)def->type);
    }
    bool moves = def->type == sp_jointHinge || def->type == sp_jointSlider;
    spReal size = spLengthSquared3(def->axis);
    if (spIsFinite3(def->point) == false || !isfinite(size) || (moves && !(size > 0)))
    {
        return spFail(error, sp_errorBadArgument,
                      "%s: the point of a joint must be finite, and its axis a direction", name);
    }
    if (spIsMotor(def->motorSpeed, def->motorLimit) == false)
    {
        return spFail(error, sp_errorBadArgument,
                      "%s: the speed %g of a motor must be finite, its limit %g not negative", name,
                      (double)def->motorSpeed, (double)def->motorLimit);
    }
    if (moves == false && def->motorLimit > 0)
    {
        return spFail(error, sp_errorBadArgument, "%s: a motor drives a hinge or a slider, not a ball joint",
                      name);
    }
    return true;
}

bool spBody_SetJoint(spWorld* world, spBodyId id, const spJointDef* def)
{
    spBody* body = spUseBody(world, id);
    spError error = {0};
    if (body == NULL)
    {
        return false;
    }
    if (def != NULL && spCheckJoint(body, def, &error) == false)
    {
        return spRecordError(world, &error);
    }
    body->joint = def != NULL ? *def : (spJointDef){0};
    body->jointState = (spJointState){0};
    body->newJoint = true;
    return true;
}

bool spBody_SetMotor(spWorld* world, spBodyId id, spReal speed, spReal limit)
{
    spBody* body = spUseBody(world, id);
    spError error = {0};
    if (body == NULL)
    {
        return false;
    }
    spJointDef def = body->joint;
    def.motorSpeed = speed;
    def.motorLimit = limit;
    if (def.type == sp_jointNone)
    {
        return spRefuse(world, sp_errorBadArgument, body->name, "a motor needs a joint; see spBody_SetJoint");
    }
    if (spCheckJoint(body, &def, &error) == false)
    {
        return spRecordError(world, &error);
    }
    body->joint = def;
    return true;
}

spJointDef spBody_GetJoint(const spWorld* world, spBodyId id)
{
    return spReadBody(world, id)->joint;
}

spJointState spBody_GetJointState(const spWorld* world, spBodyId id)
{
    return spReadBody(world, id)->jointState;
}
