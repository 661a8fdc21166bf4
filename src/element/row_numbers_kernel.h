// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What is kept of each element for its rows (element/constraint.h): the numbers by spGetNumber.

#pragma once

// Of a distance
enum
{
    sp_distanceRest = 0,   // m
    sp_distanceCompliance, // over h^2, 1/kg
    sp_distanceDamping,    // damping time over h
    sp_distanceAnswer,     // one over J W J^T (1 + g) + a, kg; 0 where nothing acts or can move
    sp_distanceCount,
};

// Of an area or a volume
enum
{
    sp_extentRest = 0,   // m^2, m^3
    sp_extentScale,      // one over its root; 0 in empty lanes
    sp_extentCompliance, // over h^2
    sp_extentDamping,    // damping time over h
    sp_extentLeast,      // what J J^T counts for each node at least: what has collapsed is not torn apart
    sp_extentCount,
};

// Of a hinge
enum
{
    sp_bendRest = 0,   // angle, rad
    sp_bendCompliance, // over h^2, 1/(kg m^2)
    sp_bendDamping,    // damping time over h
    sp_bendFading,     // 1/m^4; 0 where nothing acts
    sp_bendCount,
};

// Of every tet: rows of the inverse rest edges, then
enum
{
    sp_tetRowVolume = 9, // at rest, m^3; 0 in empty lanes
    sp_tetRowDamping,    // damping time over h
    sp_tetRowOwn,        // first number of the kind
};

// Of strain rows
enum
{
    sp_strainCompliance = sp_tetRowOwn, // 1 / (E V h^2)
    sp_strainPoisson,
    sp_strainInverse, // of J W J^T (1 + g) + a, its upper half by rows; 0 in empty lanes
    sp_strainCount = sp_strainInverse + 21,
};

// Of the other tets: Y, the sum over the nodes of inverse mass times the outer square of the gradient, which
// takes J W J^T from F: xx yy zz yz xz xy
enum
{
    sp_tetRowGram = sp_tetRowOwn,
    sp_tetRowNext = sp_tetRowGram + 6,
};

// Of Green rows
enum
{
    sp_greenCompliance = sp_tetRowNext, // 1 / (E V h^2)
    sp_greenPoisson,
    sp_greenCount,
};

// Of neo-Hookean and Mooney rows; m, b and bulk as in spInvariants (element/tet_kernel.h)
enum
{
    sp_hyperStretch = sp_tetRowNext, // 1 / (m V h^2)
    sp_hyperSecond,                  // 1 / (b V h^2)
    sp_hyperBulk,                    // 1 / (bulk V h^2)
    sp_hyperRest,                    // det F that the volume alone would have: 1 + (3/4 m + 2 b) / bulk
    sp_hyperCount,
};

// Of energy rows
enum
{
    sp_energyCompliance = sp_tetRowNext, // 1 / (V h^2)
    sp_energyMu,                         // Pa
    sp_energyLambda,                     // Pa
    sp_energyCount,
};
