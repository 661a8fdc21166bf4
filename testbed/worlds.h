// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Worlds that tests, benchmarks, experiments and samples share, built through the public API only: what is
// timed is also tested and can be looked at.

#pragma once

#include "souple/souple.h"

// A world with one body in it
typedef struct spTestWorld
{
    spWorld* world; // NULL when it could not be built; error says why
    spBodyId body;
    int springs; // number of the set, -1 for none
    int tets;    // number of the set, -1 for none
    int gas;     // number of the set, -1 for none
    spError error;
} spTestWorld;

// How to run it
typedef struct spTestDef
{
    int workerCount;
    int laneCount;      // 0: the most there are
    spMethodDef method; // of the body
} spTestDef;

spTestDef spDefaultTestDef(void);
void spDestroyTestWorld(spTestWorld* test);

// W2 of the workloads with springs: a horizontal 2 m x 2 m sheet of count x count nodes, 0.8 kg, with
// structural, shear (both diagonals) and skip-one bend springs, pinned at two corners.
spTestWorld spBuildSpringCloth(const spTestDef* def, int count, spReal stiffness, spReal damping);

// The mesh of W1: 1 m x 0.25 m x 0.25 m, 4m x m x m cells, six tets each. The first (m + 1)^2 vertices are
// the fixed end, the last ones the free end.
spMesh* spMakeBeamMesh(int m, spError* error);

// W1 with springs: a 1 m x 0.25 m x 0.25 m beam of 4m x m x m cells, six tets each, a spring on every edge
// from Young's modulus 1e6 Pa, one end fixed.
spTestWorld spBuildSpringBeam(const spTestDef* def, int m);

// W1 with tets: the same beam, its tets with this material.
spTestWorld spBuildTetBeam(const spTestDef* def, int m, const spTetDef* tets);

// W1 links: the same beam, the length of every edge kept exactly (spMesh_CollectEdges has the order of W1),
// for sp_xpbd.
spTestWorld spBuildDistanceBeam(const spTestDef* def, int m);

// The mesh of W2-dist: the sheet of W2, its edges the pairs whose distance is kept, in the order of W2. The
// first `stretchCount` of them keep it exactly, the others, over a node between, resist bending.
spMesh* spMakeDistanceClothMesh(int count, int* stretchCount, spError* error);

// W2-dist: distance constraints on these pairs, compliance 0 and 1 m/N, pinned at two corners, for sp_xpbd.
spTestWorld spBuildDistanceCloth(const spTestDef* def, int count);

// A block of 1 m x 0.3 m x 0.2 m of about so many thousand tets, 45 of them exactly, one end fixed. The first
// and the last `tipCount` vertices are those of its ends.
spMesh* spMakeBlockMesh(int thousands, int* tipCount, spError* error);
spTestWorld spBuildTetBlock(const spTestDef* def, int thousands, const spTetDef* tets);

// W3 with springs: a 0.5 m cube of m^3 cells, 0.5 m above the ground, E = 1e5 Pa, friction 0.5.
spTestWorld spBuildSpringDrop(const spTestDef* def, int m);

// The slides' lattice in the xy plane: count x count masses of 0.01 kg, 0.1 m apart, lowest row `height`
// above the ground.
spTestWorld spBuildLattice(const spTestDef* def, int count, spReal stiffness, spReal damping, spReal height);

// The slides' disc: a ring of `points` masses in `layers` layers, of the given outer diameter, filled with
// gas that can carry its weight.
spTestWorld spBuildGasDisc(const spTestDef* def, int points, int layers, spReal diameter, spReal height);

// n x n x n lattice with 26 neighbours
spTestWorld spBuildLattice3(const spTestDef* def, int count, spReal spacing, spReal height);

// Icosphere in layers, filled with gas that can carry its weight
spTestWorld spBuildGasBall(const spTestDef* def, int level, int layers, spReal diameter, spReal height);

// One free particle above the origin
spTestWorld spBuildParticle(const spTestDef* def, spReal height, spReal mass);

// Adds the repulsive ground K/d^2 to the body. Returns the number of the set, -1 on failure.
int spAddRepulsiveGround(const spTestWorld* test, double k);

// Adds the ground, a plane at height 0. Returns the null id on failure.
spColliderId spAddTestGround(spWorld* world, spReal friction, spReal restitution);

// Mean and lowest height of the nodes, m
double spGetMeanHeight(const spTestWorld* test);
double spGetLowestHeight(const spTestWorld* test);
