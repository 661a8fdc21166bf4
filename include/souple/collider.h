// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Colliders and links: what bodies touch, and what holds them.

#pragma once

#include "souple/body.h"
#include "souple/mesh.h"

SP_EXTERN_C_BEGIN

/// The shape of a collider, in its own frame.
typedef enum spShape
{
    sp_shapePlane = 0,   ///< the half space y <= 0 is solid
    sp_shapeSphere,      ///< radius about the origin
    sp_shapeCapsule,     ///< radius about the segment from (0, -halfHeight, 0) to (0, halfHeight, 0)
    sp_shapeBox,         ///< from -halfSize to halfSize
    sp_shapeCylinder,    ///< radius about the y axis, from y = -halfHeight to halfHeight, with sharp rims
    sp_shapeMesh,        ///< triangles; solid inside where they are closed, else a thin shell with two sides
    sp_shapeConvex,      ///< the convex hull of the vertices of a mesh
    sp_shapeHeightField, ///< ground over a grid in x and z, solid below it without end
    sp_shapeDistanceField, ///< a closed mesh as signed distances on a grid: fast for any mesh, but edges get round
    sp_shapeCount          ///< number of shapes
} spShape;

/// Sizes that a shape may have, as bits.
typedef enum spShapeSize
{
    sp_sizeRadius = 1,     ///< spColliderDef::radius
    sp_sizeHalfHeight = 2, ///< spColliderDef::halfHeight
    sp_sizeHalfSize = 4,   ///< spColliderDef::halfSize
    sp_sizeMesh = 8,       ///< spColliderDef::mesh
    sp_sizeHeights = 16,   ///< spColliderDef::heights, its counts and spacing
} spShapeSize;

/// @return the word for a shape, as in scene files; "unknown" for what is none.
SP_API const char* spShape_GetName(spShape shape);

/// @return the sizes that a shape has: bits of spShapeSize; 0 for what is none.
SP_API int spShape_GetSizes(spShape shape);

/// @return whether a shape is made from a mesh or heights, so that spColliderDef::mesh of what
/// spCollider_GetDef returns has its triangles.
SP_API bool spShape_HasData(spShape shape);

/// What spCreateCollider needs. Start from spDefaultColliderDef.
typedef struct spColliderDef
{
    const char* name;      ///< copied, at most 63 bytes; NULL means "collider"
    spShape shape;         ///< which shape
    spTransform transform; ///< placement in the world
    spReal radius;         ///< sphere, capsule and cylinder, m, > 0
    spReal halfHeight;     ///< capsule, m, >= 0; cylinder, m, > 0
    spVec3 halfSize;       ///< box, m, > 0
    const spMesh* mesh; ///< mesh, convex hull and distance field: copied, in the frame of the collider. Its
        ///< triangles, or the boundary of its tets; they turn counter-clockwise seen from where
        ///< bodies are, so that a closed mesh that looks inwards is a room
    spReal
        thickness;  ///< of a mesh that is not closed, m; 0: a thousandth of its diagonal. Nodes stay half of
                    ///< it away from the triangles
    int resolution; ///< distance field: cells along the longest side of the mesh, 4 to 512
    const spReal* heights; ///< height field: heightCountX * heightCountZ heights, x first, m; copied
    int heightCountX;      ///< points of the height field along x, 2 to 8192
    int heightCountZ;      ///< points of the height field along z, 2 to 8192
    spReal spacing;        ///< between neighbours of the height field, whose middle is the origin, m, > 0
    spReal friction;       ///< Coulomb coefficient; with a body the geometric mean of both counts, >= 0
    spReal restitution;    ///< 0 no bounce, 1 full bounce; with a body the larger of both counts
    uint32_t group;        ///< bits of the groups that it belongs to
    uint32_t touches;      ///< bits of the groups of bodies that it touches, if they touch its groups too
    int internalValue;     ///< set by spDefaultColliderDef
} spColliderDef;

/// @return the ground: a plane with normal (0, 1, 0) at height 0, friction 0.5, restitution 0, group 1, which
/// touches all.
SP_API spColliderDef spDefaultColliderDef(void);

/// Creates a collider. @return the null id on bad input or no memory.
SP_API spColliderId spCreateCollider(spWorld* world, const spColliderDef* def);

/// Destroys a collider and the links to it.
SP_API void spDestroyCollider(spWorld* world, spColliderId collider);

/// @return whether the id names a collider of this world.
SP_API bool spCollider_IsValid(const spWorld* world, spColliderId collider);

/// @return number of colliders in the world.
SP_API int spWorld_GetColliderCount(const spWorld* world);
/// Writes the ids of the colliders. @return how many were written.
SP_API int spWorld_GetColliders(const spWorld* world, spColliderId* colliders, int capacity);

/// Puts a collider somewhere at once, without velocity.
SP_API bool spCollider_SetTransform(spWorld* world, spColliderId collider, spTransform transform);

/// Moves a collider: over the next step it goes from where it is to the target, and what it touches feels the
/// velocity of that motion. Call it before every step of a motion.
SP_API bool spCollider_MoveTo(spWorld* world, spColliderId collider, spTransform target);

/// @return where a collider is.
SP_API spTransform spCollider_GetTransform(const spWorld* world, spColliderId collider);
/// @return what it was created from. The name and what it was made from point into the world, as long as the
/// collider is there; the mesh is the surface that bodies touch, whatever the shape was made from, NULL where it
/// was made from sizes.
SP_API spColliderDef spCollider_GetDef(const spWorld* world, spColliderId collider);
/// @return force of all bodies on a collider, N: the mean over the last step.
SP_API spVec3 spCollider_GetForce(const spWorld* world, spColliderId collider);
/// @return torque of all bodies on a collider about its position, N m: the mean over the last step.
SP_API spVec3 spCollider_GetTorque(const spWorld* world, spColliderId collider);

/// What a body and a collider are to each other.
typedef struct spPairMaterial
{
    bool touch;         ///< whether they touch at all
    spReal friction;    ///< Coulomb coefficient between them, >= 0
    spReal restitution; ///< between them, 0 no bounce, 1 full bounce
} spPairMaterial;

/// Sets what counts between one body and one collider in place of their groups, friction and restitution, until
/// one of them is destroyed.
/// @param material NULL: as their definitions say again
SP_API bool spWorld_SetPairMaterial(spWorld* world, spBodyId body, spColliderId collider,
                                    const spPairMaterial* material);

/// @return what counts between a body and a collider; zeros for ids that are stale.
SP_API spPairMaterial spWorld_GetPairMaterial(const spWorld* world, spBodyId body, spColliderId collider);

/// A link holds nodes of a body: to a moving point in space (a grab), to a collider, or to another body.
/// Rigid, or with a stiffness. Start from spDefaultLinkDef.
typedef struct spLinkDef
{
    spBodyId body;         ///< whose nodes are held
    const int32_t* nodes;  ///< which nodes; each is held where it is now relative to the other side
    int nodeCount;         ///< number of nodes, >= 1
    spBodyId otherBody;    ///< held to the nearest point of the surface (or node) of this body; or null
    spColliderId collider; ///< held to this collider; or null. Both null: to a point in space (a grab)
    spReal stiffness;      ///< of each node's link, N/m; 0 means rigid
    spReal maxForce;       ///< a node's link breaks off for the moment at this force, N; 0 means never
    const spVec3* anchors; ///< where each node is held, m, as spLink_CopyAnchors tells; NULL: where it is now
    spVec3 offset;         ///< of a grab: where its hand is already, see spLink_MoveTo, m
    int internalValue;     ///< set by spDefaultLinkDef
} spLinkDef;

/// @return a rigid link without limit.
SP_API spLinkDef spDefaultLinkDef(void);

/// Creates a link. @return the null id on bad input or no memory.
SP_API spLinkId spCreateLink(spWorld* world, const spLinkDef* def);

/// Releases a link. A stale id is allowed: links go with their bodies and colliders.
SP_API void spDestroyLink(spWorld* world, spLinkId link);

/// @return whether the id names a link of this world.
SP_API bool spLink_IsValid(const spWorld* world, spLinkId link);

/// Moves the hand of a grab: over the next step the held points go to where they were at creation plus the
/// offset, m.
SP_API bool spLink_MoveTo(spWorld* world, spLinkId link, spVec3 offset);

/// Copies where each node is held, m: in space without the offset of the hand, in the frame of the collider,
/// or as the way from the nearest point of the other body.
/// @return number of anchors copied, at most capacity.
SP_API int spLink_CopyAnchors(const spWorld* world, spLinkId link, spVec3* anchors, int capacity);

/// @return force of the link on the body, N: the mean over the last step.
SP_API spVec3 spLink_GetForce(const spWorld* world, spLinkId link);

SP_EXTERN_C_END
