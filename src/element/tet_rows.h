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

SP_DECLARE_CONSTRAINTS(spLinearStrainRows);
SP_DECLARE_CONSTRAINTS(spEdgeStrainRows);
SP_DECLARE_CONSTRAINTS(spPolarStrainRows);
SP_DECLARE_CONSTRAINTS(spGreenRows);
SP_DECLARE_CONSTRAINTS(spNeoHookeanRows);
SP_DECLARE_CONSTRAINTS(spMooneyRows);
SP_DECLARE_CONSTRAINTS(spEnergyRows);

// Scalar parts that all numbers of lanes share
void spFillStrainRows(spConstraints* c, const spConstraintFill* fill);
void spFillGreenRows(spConstraints* c, const spConstraintFill* fill);
void spFillHyperRows(spConstraints* c, const spConstraintFill* fill);
void spFillEnergyRows(spConstraints* c, const spConstraintFill* fill);
