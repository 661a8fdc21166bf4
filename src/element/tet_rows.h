// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Rows of tetrahedra: what XPBD projects for each law, and the numbers that are kept of each tet.
//
//   strain       six rows of sym(R^T F) - I         linear, corotational, corotational with the edge frame
//   green        six rows of (F^T F - I) / 2        St-Venant-Kirchhoff
//   neo-Hookean  det F and |F|
//   Mooney       det F, |cof F| and |F|             Mooney-Rivlin
//   energy       one row, the root of the energy    hybrid; when asked for linear, corotational and
//                                                   St-Venant-Kirchhoff
//
// Multipliers are kept times the root of the rest volume V, so that it appears nowhere but in the residual:
// rows are those above without any factor, and a is compliance / (V h^2).

#pragma once

#include "element/constraint.h"
#include "element/tet.h"

SP_DECLARE_CONSTRAINTS(spStrainRows);
SP_DECLARE_CONSTRAINTS(spGreenRows);
SP_DECLARE_CONSTRAINTS(spNeoHookeanRows);
SP_DECLARE_CONSTRAINTS(spMooneyRows);
SP_DECLARE_CONSTRAINTS(spEnergyRows);

// Scalar parts that all numbers of lanes share
void spFillStrainRows(spConstraints* c, const spConstraintFill* fill);
void spFillGreenRows(spConstraints* c, const spConstraintFill* fill);
void spFillHyperRows(spConstraints* c, const spConstraintFill* fill);
void spFillEnergyRows(spConstraints* c, const spConstraintFill* fill);

// Numbers of every tet: rows of the inverse rest edges, then
enum
{
    sp_tetRowVolume = 9, // at rest, m^3; 0 in empty lanes
    sp_tetRowDamping,    // damping time over h
    sp_tetRowOwn,        // first number of the kind
};

// Of spStrainRows
enum
{
    sp_strainCompliance = sp_tetRowOwn, // 1 / (E V h^2)
    sp_strainPoisson,
    sp_strainInverse, // of J W J^T (1 + g) + a, its upper half by rows; 0 in empty lanes
    sp_strainCount = sp_strainInverse + 21,
};

// Of the others: Y, the sum over the nodes of inverse mass times the outer square of the gradient, which
// takes J W J^T from F: xx yy zz yz xz xy
enum
{
    sp_tetRowGram = sp_tetRowOwn,
    sp_tetRowNext = sp_tetRowGram + 6,
};

// Of spGreenRows
enum
{
    sp_greenCompliance = sp_tetRowNext, // 1 / (E V h^2)
    sp_greenPoisson,
    sp_greenCount,
};

// Of spNeoHookeanRows and spMooneyRows; m, b and bulk as in spInvariants (element/tet_law.h)
enum
{
    sp_hyperStretch = sp_tetRowNext, // 1 / (m V h^2)
    sp_hyperSecond,                  // 1 / (b V h^2)
    sp_hyperBulk,                    // 1 / (bulk V h^2)
    sp_hyperRest,                    // det F that the volume alone would have: 1 + (3/4 m + 2 b) / bulk
    sp_hyperCount,
};

// Of spEnergyRows
enum
{
    sp_energyCompliance = sp_tetRowNext, // 1 / (V h^2)
    sp_energyMu,                         // Pa
    sp_energyLambda,                     // Pa
    sp_energyCount,
};
