// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Surfaces with other triangles: fewer of them, or even ones of a wanted size.

#pragma once

#include "souple/mesh.h"

SP_EXTERN_C_BEGIN

/// How spSimplifyMesh drops triangles. Start from spDefaultSimplifyMeshDef.
typedef struct spSimplifyMeshDef
{
    int triangleCount; ///< triangles that are wanted, >= 1
    double
        maxDistance; ///< no vertex or middle of a triangle of one surface comes farther away from the other
                     ///< than this, even when more triangles are left then, m, > 0; INFINITY: any
    bool (*progress)(double fraction, void* context); ///< called now and then, from 0 to 1; returns false to
                                                      ///< stop; may be NULL
    void* progressContext;                            ///< passed back to progress
    spAllocator allocator;                            ///< memory for the mesh; zero means the C library's
    int internalValue;                                ///< set by spDefaultSimplifyMeshDef
} spSimplifyMeshDef;

/// How spRemeshMesh makes triangles. Start from spDefaultRemeshMeshDef.
typedef struct spRemeshMeshDef
{
    double size;         ///< edge length that is wanted, m, > 0; 0: the mean of the edges that are there
    double featureAngle; ///< edges whose triangles turn by more than this are kept sharp, degrees, 0 to 180
    int passes;          ///< rounds of splitting, collapsing, flipping and smoothing, 1 to 100
    bool (*progress)(double fraction, void* context); ///< called now and then, from 0 to 1; returns false to
                                                      ///< stop; may be NULL
    void* progressContext;                            ///< passed back to progress
    spAllocator allocator;                            ///< memory for the mesh; zero means the C library's
    int internalValue;                                ///< set by spDefaultRemeshMeshDef
} spRemeshMeshDef;

/// How far a new surface is from the old one.
typedef struct spRemeshReport
{
    double size;          ///< spRemeshMesh: edge length that was asked for or chosen, m
    int oldTriangleCount; ///< triangles before, copies and those without area left out
    int lockedCount; ///< vertices that stay because more than two triangles share an edge there, or parts of
                     ///< the surface meet in that one point
    double
        maxDistance; ///< largest distance of a vertex or middle of a triangle of one surface from the other, m
} spRemeshReport;

/// @return 1000 triangles, any distance.
SP_API spSimplifyMeshDef spDefaultSimplifyMeshDef(void);
/// @return the mean edge, sharp edges above 40 degrees, 8 passes.
SP_API spRemeshMeshDef spDefaultRemeshMeshDef(void);

/// Makes a surface of fewer triangles: edges are collapsed in the order of the error that this makes,
/// measured by the planes of the triangles that were there (Garland and Heckbert 1997). Holes stay holes,
/// parts stay parts of at least four triangles when they are closed, no triangle turns over; but parts may
/// come to cross each other. Vertices where more than two triangles share an edge stay. Of a mesh with tets
/// the boundary is taken. Values are left out. The same bits come out for the same input.
/// @param report may be NULL
/// @return NULL when there are no triangles, a number is bad, there is no memory; error says which. When
/// progress said stop its code is sp_errorNone, its message "cancelled". A surface that cannot be brought
/// down to the count has more triangles.
SP_API spMesh* spSimplifyMesh(const spMesh* mesh, const spSimplifyMeshDef* def, spRemeshReport* report,
                              spError* error);

/// Makes a surface of even triangles: long edges are split, short ones collapsed, edges flipped towards six
/// triangles around each vertex, vertices smoothed along the surface and put back onto it (Botsch and
/// Kobbelt 2004). Borders and sharp edges stay, as do vertices where more than two triangles share an edge.
/// Of a mesh with tets the boundary is taken. Values are left out. The same bits come out for the same
/// input.
/// @param report may be NULL
/// @return NULL when there are no triangles, a number is bad, the size would need too many triangles, there
/// is no memory; error says which. When progress said stop its code is sp_errorNone, its message
/// "cancelled".
SP_API spMesh* spRemeshMesh(const spMesh* mesh, const spRemeshMeshDef* def, spRemeshReport* report,
                            spError* error);

SP_EXTERN_C_END
