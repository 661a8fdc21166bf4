// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Bodies of levels: several meshes of one shape, which share no vertices. With the method sp_multiresolution each region
// of the body moves by the mesh that its motion asks for. Users see the nodes of the finest mesh alone, which are always
// where the body is.

#pragma once

#include "souple/body.h"

SP_EXTERN_C_BEGIN

/// Most meshes of a body, its own included.
#define SP_MAX_LEVELS 7

/// What a body of levels does.
typedef struct spLevelsReport
{
    int levelCount;                ///< number of its meshes; 0 for a body without levels
    int nodeCounts[SP_MAX_LEVELS]; ///< nodes of each, from coarse to fine
    int activeCounts
        [SP_MAX_LEVELS]; ///< of those, the ones that move by themselves; all of the finest with another method
    int ghostCount;      ///< nodes that follow others because an active one has them for neighbours
    int listCount;       ///< sorts of steps, each twice the one before
    double shortestStep;  ///< of an element, s
    double longestStep;   ///< of an element, s
    double evaluations;   ///< element evaluations in the last step
    double load;          ///< of the budget that the last step used, 1 for all; 0 without a budget
    int64_t splitCount;   ///< nodes divided so far
    int64_t mergeCount;   ///< and put together again
    int64_t refusedCount; ///< divisions that the budget did not allow, once for each step
    int solidCount;       ///< nodes that cannot be divided, for those below them lie badly
    double kinetic;       ///< energy of what is active, J
    double elastic;       ///< energy of what is evaluated, J
    spDVec3 momentum;     ///< of what is active, kg m/s
} spLevelsReport;

/// @return what a body of levels does; zeros without levels, and energies only with sp_multiresolution.
SP_API spLevelsReport spBody_GetLevels(spWorld* world, spBodyId body);

/// Tells which level each node of the body moves by: 0 for the coarsest. For drawing.
/// @param levels one for each node, in the numbering of the mesh
/// @return the number of nodes; 0 when the body has no levels or capacity is smaller.
SP_API int spBody_CopyNodeLevels(const spWorld* world, spBodyId body, spReal* levels, int capacity);

/// Divides what is coarser than a level and lies in a box, now.
/// @param lower smallest coordinates in the world, m
/// @param upper largest coordinates in the world, m
/// @param level 0 .. SP_MAX_LEVELS - 1; that of the finest mesh or more divides all there is
/// @return false when the body has no levels or another method, or a number is of no use.
SP_API bool spBody_Refine(spWorld* world, spBodyId body, spVec3 lower, spVec3 upper, int level);

SP_EXTERN_C_END
