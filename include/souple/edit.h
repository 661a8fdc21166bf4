// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Edits of a body between steps: tets go, and cuts open the faces between tets. In a sheet, which is a body with
// triangles and no tets, triangles go and their edges open: read triangle for tet and edge for face then, area for
// volume, and force per width in N/m for stress.
//
// A body can be edited when its definition has a nodeRoom and its method is not sp_rigid. Springs, hinges, wind and
// constraints follow: what has all its nodes in one tet or triangle goes with those that have them, shared by their
// volume or area, so that it exerts the same where nothing has parted; what leads from one to another over a few that
// are joined by faces, as hinges do, goes when these part. Gas, the constraint on the volume of the whole body, velocity
// filters and attached surfaces refuse. An edit is taken in whole or refused: then nothing has changed, and
// spWorld_GetLastError says why. Tets keep the numbers that they have in the mesh. Nodes keep theirs too: one that
// loses its last tet gets the role sp_nodeGone, and where tets part, a node becomes several, of which one keeps the
// number and the others come behind all that there are. They have the place, the velocity and the role of the node
// that they are copies of, and share its mass as the tets do: an edit that removes nothing changes neither mass nor
// momentum, energy or net force. Afterwards the tets around each node hang together by faces.

#pragma once

#include "souple/body.h"
#include "souple/collider.h"

SP_EXTERN_C_BEGIN

/// What an edit did. It does not count pieces, for which all tets are looked at: spBody_GetPieceCount does.
typedef struct spEditResult
{
    int tetCount;  ///< tets that went
    int nodeCount; ///< nodes that went with their last tet
    int copyCount; ///< nodes that came, as copies of others
    int faceCount; ///< faces between tets that were opened
    double mass;   ///< that went, kg
} spEditResult;

/// Removes tets, or triangles of a sheet. Copies are made where those that stay hang together by a node or an edge only.
/// @param tets numbers of tets in the mesh of the body
/// @param result what was done; may be NULL
/// @return false when a tet is named twice or is not there any more, a link holds a node that would go, there is no
/// room for copies, or the body cannot be edited.
SP_API bool spBody_RemoveTets(spWorld* world, spBodyId body, const int32_t* tets, int count,
                              spEditResult* result);

/// Removes the tets whose centres, where they are now, lie inside a shape.
/// @param shape its shape, transform and sizes count: a plane, sphere, capsule, box or cylinder
/// @param result what was done, zeros where nothing was met; may be NULL
/// @return false as spBody_RemoveTets, or for a shape that is none or made from a mesh or heights.
SP_API bool spBody_Carve(spWorld* world, spBodyId body, const spColliderDef* shape, spEditResult* result);

/// The edge of a blade as it moves, each end along a straight line.
typedef struct spBlade
{
    spVec3 begin[2]; ///< ends of the edge where it begins, m
    spVec3 end[2];   ///< the same ends where it comes to, m
    bool follows; ///< it was in the body in the step before too, at begin: what the body moved since counts
} spBlade;

/// Cuts with a blade, along faces: a face is opened when the edge passes through the line between the centres of its
/// two tets. The body stands still where it is now, or moves from where it was when a blade cut it in an earlier step
/// (see spBlade::follows), so that a blade that is called in every step leaves nothing whole behind it, however body
/// and blade move. What is open stays open. Nodes part where the tets around them no longer hang together by faces
/// that are closed; the surface of the cut is part of the surface of the body from then on.
/// @param result what was done, zeros where nothing was met; may be NULL
/// @return false when a number is not finite, there is no room for copies, or the body cannot be edited.
SP_API bool spBody_Cut(spWorld* world, spBodyId body, const spBlade* blade, spEditResult* result);

/// How a body tears. Start from spDefaultTearDef.
typedef struct spTearDef
{
    spReal
        strength; ///< largest principal stress that a node bears, Pa, or pull on a width of a sheet, N/m, > 0
    int mostNodes;     ///< nodes that part in one call at most, >= 1
    int internalValue; ///< set by spDefaultTearDef
} spTearDef;

/// @return strength 1e5 Pa, at most 10 nodes in a call.
SP_API spTearDef spDefaultTearDef(void);

/// Tears a body where its stress is too large, between steps: call it after every step. The stress of a node is the
/// mean of the tets around it, weighted by rest volume, and what the springs at it pull over its volume. Where its largest principal value is above the strength, the
/// faces at the node open that part the tets on one side of the plane across that pull from those on the other; the
/// nodes with the largest stress first. Nodes that are fixed or driven do not tear.
/// @param result what was done, zeros where nothing was; may be NULL
/// @return false when a number is of no use, there is no room for copies, or the body cannot be edited.
SP_API bool spBody_Tear(spWorld* world, spBodyId body, const spTearDef* def, spEditResult* result);

/// @return number of pieces that a body with room is in, each of tets held together by faces; 0 for other bodies.
SP_API int spBody_GetPieceCount(const spWorld* world, spBodyId body);

/// Copies the numbers, in the mesh, of the tets that are still there: in the order of spBody_CopyTets of a set of all
/// of them. @return how many were written, at most capacity; 0 for a body without room.
SP_API int spBody_CopyTetNumbers(const spWorld* world, spBodyId body, int32_t* numbers, int capacity);

/// @return number of triangles of spBody_GetTriangles that were inside of the mesh as it was given, and which: a byte
/// for each triangle, 1 for those that an edit has laid bare. NULL for a body without room.
SP_API const uint8_t* spBody_GetBareTriangles(const spWorld* world, spBodyId body, int* bareCount);

SP_EXTERN_C_END
