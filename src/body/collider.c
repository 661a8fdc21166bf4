// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "body/collider.h"

#include "base/error.h"
#include "math/quat.h"
#include "math/vec3.h"

spPose spGetColliderPose(const spCollider* collider, spReal fraction, spReal dt)
{
    spPose pose = {.transform = collider->def.transform};
    if (collider->moving)
    {
        pose.velocity = spScale3(1 / dt, spSub3(collider->target.position, collider->start.position));
        spQuat turn = spMulQuat(collider->target.rotation, spConjugate(collider->start.rotation));
        pose.spin = spScale3(1 / dt, spRotationVectorFromQuat(turn));
        pose.transform =
            fraction >= 1 ? collider->target : spLerpTransform(collider->start, collider->target, fraction);
    }
    return pose;
}

static spSurfaceHit spQueryBall(spVec3 p, spReal radius)
{
    spReal length;
    spVec3 normal = spNormalizeLength3(p, &length);
    if (length == 0)
    {
        normal = (spVec3){0, 1, 0};
    }
    return (spSurfaceHit){length - radius, normal};
}

static spSurfaceHit spQueryBox(spVec3 p, spVec3 half)
{
    spVec3 inside = {p.x < -half.x ? -half.x : (p.x > half.x ? half.x : p.x),
                     p.y < -half.y ? -half.y : (p.y > half.y ? half.y : p.y),
                     p.z < -half.z ? -half.z : (p.z > half.z ? half.z : p.z)};
    spVec3 away = spSub3(p, inside);
    if (spLengthSquared3(away) > 0)
    {
        return spQueryBall(away, 0);
    }
    // Inside: out through the nearest face
    spVec3 depth = spSub3(half, spAbs3(p));
    if (depth.x <= depth.y && depth.x <= depth.z)
    {
        return (spSurfaceHit){-depth.x, {p.x < 0 ? -1 : 1, 0, 0}};
    }
    if (depth.y <= depth.z)
    {
        return (spSurfaceHit){-depth.y, {0, p.y < 0 ? -1 : 1, 0}};
    }
    return (spSurfaceHit){-depth.z, {0, 0, p.z < 0 ? -1 : 1}};
}

static spSurfaceHit spQueryPlaneShape(const spColliderDef* def, spVec3 p)
{
    SP_UNUSED(def);
    return (spSurfaceHit){p.y, {0, 1, 0}};
}

static spSurfaceHit spQuerySphereShape(const spColliderDef* def, spVec3 p)
{
    return spQueryBall(p, def->radius);
}

static spSurfaceHit spQueryCapsuleShape(const spColliderDef* def, spVec3 p)
{
    spReal h = def->halfHeight;
    spReal along = p.y < -h ? -h : (p.y > h ? h : p.y);
    return spQueryBall((spVec3){p.x, p.y - along, p.z}, def->radius);
}

static spSurfaceHit spQueryBoxShape(const spColliderDef* def, spVec3 p)
{
    return spQueryBox(p, def->halfSize);
}

// A rectangle in the plane through the axis and the point
static spSurfaceHit spQueryCylinderShape(const spColliderDef* def, spVec3 p)
{
    spReal away;
    spVec3 out = spNormalizeLength3((spVec3){p.x, 0, p.z}, &away);
    out = away > 0 ? out : (spVec3){1, 0, 0};
    spSurfaceHit hit = spQueryBox((spVec3){away, p.y, 0}, (spVec3){def->radius, def->halfHeight, INFINITY});
    hit.normal = (spVec3){hit.normal.x * out.x, hit.normal.y, hit.normal.x * out.z};
    return hit;
}

static spReal spReachPlane(const spColliderDef* def)
{
    SP_UNUSED(def);
    return 1;
}

static spReal spReachNowhere(const spColliderDef* def)
{
    SP_UNUSED(def);
    return 0; // a turn does not move a ball
}

static spReal spReachCapsule(const spColliderDef* def)
{
    return def->halfHeight + def->radius;
}

static spReal spReachBox(const spColliderDef* def)
{
    return spLength3(def->halfSize);
}

static spReal spReachCylinder(const spColliderDef* def)
{
    return spLength3((spVec3){def->radius, def->halfHeight, 0});
}

const spShapeKind g_shapeKinds[sp_shapeCount] = {
    [sp_shapePlane] = {"plane", 0, spQueryPlaneShape, spReachPlane},
    [sp_shapeSphere] = {"sphere", sp_sizeRadius, spQuerySphereShape, spReachNowhere},
    [sp_shapeCapsule] = {"capsule", sp_sizeRadius | sp_sizeHalfHeight, spQueryCapsuleShape, spReachCapsule},
    [sp_shapeBox] = {"box", sp_sizeHalfSize, spQueryBoxShape, spReachBox},
    [sp_shapeCylinder] = {"cylinder", sp_sizeRadius | sp_sizeHalfHeight, spQueryCylinderShape,
                          spReachCylinder},
};

const char* spShape_GetName(spShape shape)
{
    return (unsigned)shape < sp_shapeCount ? g_shapeKinds[shape].word : "unknown";
}

int spShape_GetSizes(spShape shape)
{
    return (unsigned)shape < sp_shapeCount ? g_shapeKinds[shape].sizes : 0;
}

spSurfaceHit spQueryShape(const spColliderDef* shape, spTransform transform, spVec3 point)
{
    spSurfaceHit hit = g_shapeKinds[shape->shape].query(shape, spInvTransformPoint(transform, point));
    hit.normal = spRotate(transform.rotation, hit.normal);
    return hit;
}

bool spCheckColliderDef(const spColliderDef* def, spError* error)
{
    if (def == NULL || def->internalValue != SP_DEF_COOKIE)
    {
        return spFail(error, sp_errorBadDef,
                      "the collider definition does not come from spDefaultColliderDef");
    }
    if ((unsigned)def->shape >= sp_shapeCount)
    {
        return spFail(error, sp_errorBadArgument, "collider shape %d does not exist", (int)def->shape);
    }
    const spShapeKind* kind = g_shapeKinds + def->shape;
    if ((kind->sizes & sp_sizeRadius) != 0 && !(def->radius > 0 && isfinite(def->radius)))
    {
        return spFail(error, sp_errorBadArgument, "collider radius %g m must be positive",
                      (double)def->radius);
    }
    // A capsule without height is a ball, a cylinder without height has no inside
    bool flat = def->shape != sp_shapeCapsule && def->halfHeight == 0;
    if ((kind->sizes & sp_sizeHalfHeight) != 0 &&
        (!(def->halfHeight >= 0 && isfinite(def->halfHeight)) || flat))
    {
        return spFail(error, sp_errorBadArgument, "%s half height %g m must %s", kind->word,
                      (double)def->halfHeight, flat ? "be positive" : "not be negative");
    }
    spVec3 s = def->halfSize;
    if ((kind->sizes & sp_sizeHalfSize) != 0 && !(s.x > 0 && s.y > 0 && s.z > 0 && spIsFinite3(s)))
    {
        return spFail(error, sp_errorBadArgument, "box half size (%g, %g, %g) m must be positive",
                      (double)s.x, (double)s.y, (double)s.z);
    }
    if (!isfinite(def->radius) || !isfinite(def->halfHeight) || !spIsFinite3(s))
    {
        return spFail(error, sp_errorBadArgument,
                      "a size of the collider is not finite, if only one that its shape does not use");
    }
    if (!(def->friction >= 0 && isfinite(def->friction)))
    {
        return spFail(error, sp_errorBadArgument, "friction %g must not be negative", (double)def->friction);
    }
    if (!(def->restitution >= 0 && def->restitution <= 1))
    {
        return spFail(error, sp_errorBadArgument, "restitution %g must be between 0 and 1",
                      (double)def->restitution);
    }
    return true;
}
