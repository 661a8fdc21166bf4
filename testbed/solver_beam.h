// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The beam of Courtecuisse's thesis (Nouvelles architectures paralleles pour simulations interactives
// medicales, 2011, chapter 3), on which solvers and preconditioners are compared: 1 m x 0.25 m x 0.25 m,
// 1000 kg/m^3, the end at x = 0 held. Size, density, time step and Poisson's ratio are not in the thesis.

#pragma once

#include "testbed/worlds.h"

// What the beam is made of
typedef enum spBeamModel
{
    sp_beamCorotational = 0,
    sp_beamStVenantKirchhoff,
    sp_beamSprings, // on every edge, from Young's modulus
    sp_beamModelCount
} spBeamModel;

typedef struct spSolverBeamDef
{
    spTestDef test;
    int cells[3]; // along x, y and z, six tets each
    spBeamModel model;
    double moduli[3]; // Young's modulus of the third at the held end, of the middle, of the free end, Pa;
                      // springs take the first
    double gravity;   // m/s^2, downwards
} spSolverBeamDef;

// 20 x 5 x 5 cells (3000 tets), corotational, 1e6 Pa everywhere, gravity 9.81 m/s^2, backward Euler
spSolverBeamDef spDefaultSolverBeamDef(void);

spTestWorld spBuildSolverBeam(const spSolverBeamDef* def);

// Nodes of the held end come first, those of the free end last: how many there are at each
int spGetBeamEndCount(const spSolverBeamDef* def);

// Young's moduli of tets that lie in three parts of equal length along an axis (0 x, 1 y, 2 z), Pa, one for
// each tet of the mesh
void spFillThirds(const spMesh* mesh, int axis, const double moduli[3], spReal* youngModuli);
