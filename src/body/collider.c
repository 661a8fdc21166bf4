// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "body/collider.h"

#include "base/error.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "mesh/winding.h"

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

static spSurfaceHit spQueryPlaneShape(const spColliderDef* def, const spShapeData* data, spVec3 p,
                                      const spVec3* from)
{
    SP_UNUSED(data);
    SP_UNUSED(from);
    SP_UNUSED(def);
    return (spSurfaceHit){p.y, {0, 1, 0}};
}

static spSurfaceHit spQuerySphereShape(const spColliderDef* def, const spShapeData* data, spVec3 p,
                                       const spVec3* from)
{
    SP_UNUSED(data);
    SP_UNUSED(from);
    return spQueryBall(p, def->radius);
}

static spSurfaceHit spQueryCapsuleShape(const spColliderDef* def, const spShapeData* data, spVec3 p,
                                        const spVec3* from)
{
    SP_UNUSED(data);
    SP_UNUSED(from);
    spReal h = def->halfHeight;
    spReal along = p.y < -h ? -h : (p.y > h ? h : p.y);
    return spQueryBall((spVec3){p.x, p.y - along, p.z}, def->radius);
}

static spSurfaceHit spQueryBoxShape(const spColliderDef* def, const spShapeData* data, spVec3 p,
                                    const spVec3* from)
{
    SP_UNUSED(data);
    SP_UNUSED(from);
    return spQueryBox(p, def->halfSize);
}

// A rectangle in the plane through the axis and the point
static spSurfaceHit spQueryCylinderShape(const spColliderDef* def, const spShapeData* data, spVec3 p,
                                         const spVec3* from)
{
    SP_UNUSED(data);
    SP_UNUSED(from);
    spReal away;
    spVec3 out = spNormalizeLength3((spVec3){p.x, 0, p.z}, &away);
    out = away > 0 ? out : (spVec3){1, 0, 0};
    spSurfaceHit hit = spQueryBox((spVec3){away, p.y, 0}, (spVec3){def->radius, def->halfHeight, INFINITY});
    hit.normal = (spVec3){hit.normal.x * out.x, hit.normal.y, hit.normal.x * out.z};
    return hit;
}

static spReal spReachPlane(const spColliderDef* def, const spShapeData* data)
{
    SP_UNUSED(data);
    SP_UNUSED(def);
    return 1;
}

static spReal spReachNowhere(const spColliderDef* def, const spShapeData* data)
{
    SP_UNUSED(data);
    SP_UNUSED(def);
    return 0; // a turn does not move a ball
}

static spReal spReachCapsule(const spColliderDef* def, const spShapeData* data)
{
    SP_UNUSED(data);
    return def->halfHeight + def->radius;
}

static spReal spReachBox(const spColliderDef* def, const spShapeData* data)
{
    SP_UNUSED(data);
    return spLength3(def->halfSize);
}

static spReal spReachCylinder(const spColliderDef* def, const spShapeData* data)
{
    SP_UNUSED(data);
    return spLength3((spVec3){def->radius, def->halfHeight, 0});
}

// ---- shapes made of triangles ----

// Below this share of the coordinates the way from the surface to a point is rounding, and no direction
#define SP_NO_WAY (sizeof(spReal) == sizeof(float) ? 1.0e-5 : 1.0e-13)

// Normals further apart than this are those of two sides: the cosine
#define SP_OTHER_SIDE (-0.5)

// Crossings of a segment that are counted
#define SP_MOST_CROSSINGS 16

static spDVec3 spToDouble(spVec3 v)
{
    return (spDVec3){(double)v.x, (double)v.y, (double)v.z};
}

static spSurfaceHit spMakeHit(double distance, spDVec3 normal)
{
    return (spSurfaceHit){(spReal)distance, {(spReal)normal.x, (spReal)normal.y, (spReal)normal.z}};
}

// The nearest place; for a point that is not finite any face, infinitely far away
static spSurfacePlace spFindNearest(const spTriangleTree* tree, spDVec3 p)
{
    spSurfacePlace place = spFindSurfacePlace(tree, p, INFINITY);
    if (place.triangle < 0)
    {
        place = (spSurfacePlace){tree->boxes.sorted[0], sp_featureFace, p, INFINITY};
    }
    return place;
}

// The direction from a place on the surface to a point, along or against its normal where it is a face
static spDVec3 spGetWayOut(const spTriangleTree* tree, const spSurfacePlace* place, spDVec3 p)
{
    spDVec3 normal = spGetPlaceNormal(tree, place), away = spDSub(p, place->point);
    double size = fabs(p.x) + fabs(p.y) + fabs(p.z);
    if (place->feature == sp_featureFace || place->distance <= SP_NO_WAY * size)
    {
        return spDDot(away, normal) < 0.0 ? spDScale(-1.0, normal) : normal;
    }
    return spDScale(1.0 / place->distance, away);
}

// Where the way from one point to another one meets the surface, from begin to end; the number of places
static int spCountCrossings(const spTriangleTree* tree, spDVec3 from, spDVec3 p, const spSurfacePlace* place,
                            spDVec3* first)
{
    double parts[SP_MOST_CROSSINGS];
    if (!(place->distance <= spDDistance(from, p)))
    {
        return 0;
    }
    int count = spFindCrossings(&tree->boxes, from, p, parts, SP_MOST_CROSSINGS);
    *first = count > 0 ? spDMulAdd(from, parts[0], spDSub(p, from)) : p;
    return count;
}

// A closed surface. A point that has gone so far into something thin that the other side is nearer, or out of it
// there, still belongs to the side that it came from.
static spSurfaceHit spQueryClosed(const spTriangleTree* tree, spDVec3 p, const spVec3* from)
{
    spSurfacePlace place = spFindNearest(tree, p);
    spDVec3 out = spGetWayOut(tree, &place, p), first;
    bool inside = spDDot(spDSub(p, place.point), spGetPlaceNormal(tree, &place)) < 0.0;
    double distance = inside ? -place.distance : place.distance;
    out = inside ? spDScale(-1.0, out) : out;
    if (from != NULL && spCountCrossings(tree, spToDouble(*from), p, &place, &first) > 0)
    {
        spSurfacePlace entry = spFindNearest(tree, first);
        spDVec3 normal = tree->normals[(int64_t)sp_featureCount * entry.triangle + sp_featureFace];
        double depth = spDDot(spDSub(p, first), normal);
        if (depth < 0.0 && spDDot(normal, out) < SP_OTHER_SIDE)
        {
            return spMakeHit(depth, normal);
        }
    }
    return spMakeHit(distance, out);
}

// A shell: what has crossed it an odd number of times is on the other side
static spSurfaceHit spQueryShell(const spShapeData* data, spDVec3 p, const spVec3* from)
{
    const spTriangleTree* tree = &data->tree;
    spSurfacePlace place = spFindNearest(tree, p);
    spDVec3 out = spGetWayOut(tree, &place, p), first;
    bool crossed = from != NULL && spCountCrossings(tree, spToDouble(*from), p, &place, &first) % 2 == 1;
    return crossed ? spMakeHit(-place.distance - data->halfThickness, spDScale(-1.0, out))
                   : spMakeHit(place.distance - data->halfThickness, out);
}

static spSurfaceHit spQueryMeshShape(const spColliderDef* def, const spShapeData* data, spVec3 p,
                                     const spVec3* from)
{
    SP_UNUSED(def);
    return data->tree.closed ? spQueryClosed(&data->tree, spToDouble(p), from)
                             : spQueryShell(data, spToDouble(p), from);
}

// Beside the field its rim is a wall; below the ground the way out is up
static spSurfaceHit spQueryHeightField(const spColliderDef* def, const spShapeData* data, spVec3 point,
                                       const spVec3* from)
{
    SP_UNUSED(from);
    spDVec3 p = spToDouble(point), rim = p;
    bool below = p.y < spGetFieldHeight(def, &rim.x, &rim.z);
    double beside = spDDistance(p, rim);
    if (below && beside > 0.0)
    {
        return spMakeHit(beside, spDScale(1.0 / beside, spDSub(p, rim)));
    }
    spSurfacePlace place = spFindNearest(&data->tree, p);
    spDVec3 out = spGetWayOut(&data->tree, &place, p);
    return below ? spMakeHit(-place.distance, out.y < 0.0 ? spDScale(-1.0, out) : out)
                 : spMakeHit(place.distance, out);
}

static spSurfaceHit spQueryDistanceField(const spColliderDef* def, const spShapeData* data, spVec3 p,
                                         const spVec3* from)
{
    SP_UNUSED(def);
    SP_UNUSED(from);
    spDVec3 gradient;
    double distance = spSampleDistance(&data->grid, spToDouble(p), &gradient), length = spDLength(gradient);
    return spMakeHit(distance, length > 0.0 ? spDScale(1.0 / length, gradient) : (spDVec3){0.0, 1.0, 0.0});
}

static spReal spReachData(const spColliderDef* def, const spShapeData* data)
{
    SP_UNUSED(def);
    spDVec3 far = spDMax(spDScale(-1.0, data->tree.lower), data->tree.upper);
    return (spReal)spDLength(far);
}

const spShapeKind g_shapeKinds[sp_shapeCount] = {
    [sp_shapePlane] = {"plane", 0, spQueryPlaneShape, spReachPlane},
    [sp_shapeSphere] = {"sphere", sp_sizeRadius, spQuerySphereShape, spReachNowhere},
    [sp_shapeCapsule] = {"capsule", sp_sizeRadius | sp_sizeHalfHeight, spQueryCapsuleShape, spReachCapsule},
    [sp_shapeBox] = {"box", sp_sizeHalfSize, spQueryBoxShape, spReachBox},
    [sp_shapeCylinder] = {"cylinder", sp_sizeRadius | sp_sizeHalfHeight, spQueryCylinderShape,
                          spReachCylinder},
    [sp_shapeMesh] = {"mesh", sp_sizeMesh, spQueryMeshShape, spReachData},
    [sp_shapeConvex] = {"convex", sp_sizeMesh, spQueryMeshShape, spReachData},
    [sp_shapeHeightField] = {"heightField", sp_sizeHeights, spQueryHeightField, spReachData},
    [sp_shapeDistanceField] = {"distanceField", sp_sizeMesh, spQueryDistanceField, spReachData},
};

const char* spShape_GetName(spShape shape)
{
    return (unsigned)shape < sp_shapeCount ? g_shapeKinds[shape].word : "unknown";
}

int spShape_GetSizes(spShape shape)
{
    return (unsigned)shape < sp_shapeCount ? g_shapeKinds[shape].sizes : 0;
}

bool spShape_HasData(spShape shape)
{
    return (spShape_GetSizes(shape) & (sp_sizeMesh | sp_sizeHeights)) != 0;
}

spSurfaceHit spQueryShape(const spCollider* collider, spTransform transform, spVec3 point, const spVec3* from)
{
    const spColliderDef* def = &collider->def;
    spVec3 p = spInvTransformPoint(transform, point);
    spSurfaceHit hit = g_shapeKinds[def->shape].query(def, collider->data, p, from);
    hit.normal = spRotate(transform.rotation, hit.normal);
    return hit;
}

spReal spGetLeastDistance(const spCollider* collider, spTransform transform, spVec3 point)
{
    if (collider->data == NULL)
    {
        return 0;
    }
    spDVec3 p = spToDouble(spInvTransformPoint(transform, point));
    return (spReal)sqrt(spBoxDistance2(&collider->data->box, p));
}

void spFreeCollider(spHeap* heap, spCollider* collider)
{
    if (collider != NULL)
    {
        spFreeShapeData(heap, collider->data);
        spFree(heap, collider);
    }
}

static bool spCheckShapeData(const spColliderDef* def, const spShapeKind* kind, spError* error)
{
    if ((kind->sizes & sp_sizeMesh) != 0 && def->mesh == NULL)
    {
        return spFail(error, sp_errorBadArgument, "a collider of shape %s needs a mesh", kind->word);
    }
    if (!(def->thickness >= 0 && isfinite(def->thickness)))
    {
        return spFail(error, sp_errorBadArgument, "collider thickness %g m must not be negative",
                      (double)def->thickness);
    }
    if (def->shape == sp_shapeDistanceField &&
        (def->resolution < SP_LEAST_RESOLUTION || def->resolution > SP_MOST_RESOLUTION))
    {
        return spFail(error, sp_errorBadArgument, "resolution %d of a distance field must be %d to %d",
                      def->resolution, SP_LEAST_RESOLUTION, SP_MOST_RESOLUTION);
    }
    if ((kind->sizes & sp_sizeHeights) == 0)
    {
        return true;
    }
    const int most = 8192;
    if (def->heights == NULL || def->heightCountX < 2 || def->heightCountZ < 2 || def->heightCountX > most ||
        def->heightCountZ > most)
    {
        return spFail(error, sp_errorBadArgument,
                      "a height field needs 2 to %d heights along x and z, not %d x %d", most,
                      def->heightCountX, def->heightCountZ);
    }
    if (!(def->spacing > 0 && isfinite(def->spacing)))
    {
        return spFail(error, sp_errorBadArgument, "spacing %g m of a height field must be positive",
                      (double)def->spacing);
    }
    for (int64_t i = 0; i < (int64_t)def->heightCountX * def->heightCountZ; ++i)
    {
        if (!isfinite(def->heights[i]))
        {
            return spFail(error, sp_errorBadArgument, "height %lld of a height field is not finite",
                          (long long)i);
        }
    }
    return true;
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
    if (spCheckShapeData(def, kind, error) == false)
    {
        return false;
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

bool spCleanTransform(spTransform* transform, spError* error)
{
    if (spIsFinite3(transform->position) == false || spIsFiniteQuat(transform->rotation) == false ||
        !(spDotQuat(transform->rotation, transform->rotation) > 0))
    {
        return spFail(error, sp_errorBadArgument,
                      "the placement of a collider must be finite, its rotation not zero");
    }
    transform->rotation = spNormalizeQuat(transform->rotation);
    return true;
}
