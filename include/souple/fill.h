// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Solids from surfaces: meshes of tets inside of triangles.

#pragma once

#include "souple/mesh.h"

SP_EXTERN_C_BEGIN

/// How spFillMesh makes tets. Start from spDefaultFillMeshDef.
typedef struct spFillMeshDef
{
    double
        size; ///< longest edge of the tets inside, m, > 0; the shortest one there is 0.87 of it. 0: tetCount
              ///< decides
    double growth; ///< tets inside may be longer by so many m per m of distance from the surface, 0 to 10
    double
        sharpAngle; ///< edges where the surface turns by more than this are kept, degrees, 0 to 180; 0: none
    int tetCount;   ///< with size 0: about so many tets, >= 1; several sizes are tried
    bool (*progress)(double fraction,
                     void* context); ///< called now and then, from 0 to 1 for every size that is
                                     ///< tried; returns false to stop; may be NULL
    void* progressContext;           ///< passed back to progress
    spAllocator allocator;           ///< memory for the mesh; zero means the C library's
    int internalValue;               ///< set by spDefaultFillMeshDef
} spFillMeshDef;

/// What spFillMesh found and made.
typedef struct spFillReport
{
    double size;          ///< as in spFillMeshDef, or as it was chosen; m
    bool closed;          ///< the surface is closed; else its holes were closed by the winding number
    int openEdgeCount;    ///< edges of the surface with one triangle only
    int droppedParts;     ///< of a surface in one part: parts of the tets beside the largest one, left out
    int droppedTetCount;  ///< tets in them
    double surfaceVolume; ///< volume that a closed surface encloses, 0 when it is not closed; m^3
    double
        maxDistance; ///< largest distance of a vertex or middle of a triangle of the surface from the tets, m
} spFillReport;

/// Most resolutions that spFillLevels makes
#define SP_MAX_FILL_LEVELS 7

/// How spFillLevels makes the resolutions of one body. Start from spDefaultFillLevelsDef.
typedef struct spFillLevelsDef
{
    spFillMeshDef finest; ///< of the finest level; its progress runs from 0 to 1 for every level anew
    int levelCount;       ///< how many, 2 to SP_MAX_FILL_LEVELS
    double ratio;         ///< size of a level over that of the next finer one, 1.1 to 8
    int internalValue;    ///< set by spDefaultFillLevelsDef
} spFillLevelsDef;

/// @return about 5000 tets, no progress.
SP_API spFillMeshDef spDefaultFillMeshDef(void);

/// Fills a surface with tets: isosurface stuffing after Labelle and Shewchuk, whose dihedral angles are all
/// within 10.7 and 164.8 degrees. The surface may be open, crossing itself or made of several parts: inside
/// is where its winding number is more than 1/2 or less than -1/2. Of a mesh with tets the boundary is
/// filled. Vertices of the tets lie on the surface or in a lattice inside. Walls thinner than about a size are
/// lost; of a surface in one part the largest part of what is left is kept. Sharp edges are cut off by up to
/// half a size, unless sharpAngle brings them back: nodes move onto them and onto corners where the angles stay
/// within the bounds. With a growth above 0 tets inside are larger by powers of two; the boundary is the same
/// as without. The same bits come out for the same input.
/// @param report may be NULL
/// @return NULL when there are no triangles, nothing is inside, the size would need too many tets, there
/// is no memory; error says which. When progress said stop its code is sp_errorNone, its message "cancelled".
SP_API spMesh* spFillMesh(const spMesh* mesh, const spFillMeshDef* def, spFillReport* report, spError* error);

/// @return three levels, the finest with about 5000 tets, each of twice the size of the one before.
SP_API spFillLevelsDef spDefaultFillLevelsDef(void);

/// Makes solids of one surface in several resolutions, the finest first. Each is filled for itself by
/// spFillMesh: the meshes share no numbering, and a node of one lies anywhere in another, or outside of it
/// by up to what the reports say.
/// @param levels levelCount meshes, to be destroyed one by one; all NULL when this fails
/// @param reports levelCount of them; may be NULL
/// @return false as spFillMesh; error names the level.
SP_API bool spFillLevels(const spMesh* mesh, const spFillLevelsDef* def, spMesh** levels,
                         spFillReport* reports, spError* error);

SP_EXTERN_C_END
