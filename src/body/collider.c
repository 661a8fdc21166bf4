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

spSurfaceHit spQueryShape(const spColliderDef* shape, spTransform transform, spVec3 point)
{
    spVec3 p = spInvTransformPoint(transform, point);
    spSurfaceHit hit;
    switch (shape->shape)
    {
        case sp_shapeSphere:
            hit = spQueryBall(p, shape->radius);
            break;
        case sp_shapeCapsule:
        {
            spReal along = p.y < -shape->halfHeight ? -shape->halfHeight
                                                    : (p.y > shape->halfHeight ? shape->halfHeight : p.y);
            hit = spQueryBall((spVec3){p.x, p.y - along, p.z}, shape->radius);
            break;
        }
        case sp_shapeBox:
            hit = spQueryBox(p, shape->halfSize);
            break;
        default:
            hit = (spSurfaceHit){p.y, {0, 1, 0}};
            break;
    }
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
    bool round = def->shape == sp_shapeSphere || def->shape == sp_shapeCapsule;
    if (round && !(def->radius > 0 && isfinite(def->radius)))
    {
        return spFail(error, sp_errorBadArgument, "collider radius %g m must be positive",
                      (double)def->radius);
    }
    if (def->shape == sp_shapeCapsule && !(def->halfHeight >= 0 && isfinite(def->halfHeight)))
    {
        return spFail(error, sp_errorBadArgument, "capsule half height %g m must not be negative",
                      (double)def->halfHeight);
    }
    spVec3 s = def->halfSize;
    if (def->shape == sp_shapeBox && !(s.x > 0 && s.y > 0 && s.z > 0 && spIsFinite3(s)))
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
