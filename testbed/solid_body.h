// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// A solid body of tets in one call, as scenes of contact need many of them.

#pragma once

#include "souple/souple.h"

typedef struct spSolidBodyDef
{
    spMesh* mesh; // of tets; destroyed by the call
    spTransform transform;
    spTetLaw law;
    double youngModulus; // Pa
    double poissonRatio;
    double density; // kg/m^3
    double damping; // strain rate damping time, s
    double drag;    // mass drag that lets it come to rest, 1/s; 0 for none
    double friction;
    spVec3 velocity; // m/s
    spMethodDef method;
} spSolidBodyDef;

// Corotational, 1e6 Pa, 0.3, 1000 kg/m^3, friction 0.5, symplectic Euler, without drag, at rest where the mesh is
spSolidBodyDef spDefaultSolidBodyDef(void);

// The null id when the mesh is NULL or something failed
spBodyId spAddSolidBody(spWorld* world, const spSolidBodyDef* def);

// A box of tets with equal numbers of cells along each side
spMesh* spMakeSolidBox(spDVec3 origin, spDVec3 size, int cells);

// A ball of tets, so many cells across the radius
spMesh* spMakeSolidBall(spDVec3 center, double radius, int cells);

// Fixes every node of a body, or those in front of a plane: where x . normal > offset. Returns how many, -1 on
// failure.
int spPinBeyond(spWorld* world, spBodyId body, spVec3 normal, double offset);

// Mass of a body, kg
double spGetSolidMass(const spWorld* world, spBodyId body);
// Kinetic, elastic and potential energy, J
double spGetSolidEnergy(const spWorld* world, spBodyId body);
