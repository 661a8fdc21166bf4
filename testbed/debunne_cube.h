// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The benchmark of Debunne's thesis (Animation multiresolution d'objets deformables en temps-reel, 2000,
// chapter 4): a cube of 10 cm and 1 kg, one face glued to a wall, let go under gravity without any friction.
// Three meshes; a model is good for several resolutions at once when the corner moves alike on all of them.

#pragma once

#include "testbed/worlds.h"

#define SP_CUBE_LEVELS 3

// Force models, with the constants of the thesis
typedef enum spCubeModel
{
    sp_cubeHybrid = 0,      // mu 2800 Pa, lambda 8000 Pa
    sp_cubeCauchy,          // small strain, mu 7000 Pa, lambda 20000 Pa
    sp_cubeGreenLagrange,   // the same constants
    sp_cubeConstantSprings, // 350 N/m
    sp_cubeLongSprings,     // 7000 N/m^2 times the length at rest
    sp_cubeShortSprings,    // 20, 13 and 6 N over the length at rest, a number for each mesh
    sp_cubeVanGelder,       // 20000 Pa times the volume around the edge over the square of its length
    sp_cubeModelCount
} spCubeModel;

// A mesh: 0 has the 26 surface points of a grid of 3^3 and the centre (48 tets), 1 the 56 of a grid of 4^3
// and the centre (108 tets; the thesis' mesh of 57 points has 122), 2 is a grid of 5^3 (384 tets; the thesis'
// has 135 points and 448 tets). Those of the thesis are not published.
spMesh* spMakeDebunneCube(int level, spError* error);

// The cube, at rest and undeformed. `scale` multiplies the stiffness; `damping` is the damping time of the
// tets, s.
spTestWorld spBuildDebunneCube(const spTestDef* def, int level, spCubeModel model, double scale,
                               double damping);

// The hybrid cube on a grid of so many cells along each side, to be stepped and traced as the finest mesh
spTestWorld spBuildHybridGrid(const spTestDef* def, int cells);

// The step of the thesis: 1/800 s on the coarser meshes, 1/1600 s on the finest
double spGetCubeStep(int level);

// Steps the cube and writes the height of its upper free corner above where it started, m, 800 times a
// second. Returns false when it turned non-finite.
bool spTraceCube(const spTestWorld* test, int level, double* heights, int count);

// How a curve swings about its mean
typedef struct spSwing
{
    double mean;      // unit of the curve
    double amplitude; // half of the way from lowest to highest, unit of the curve
    double frequency; // Hz; 0 when it passes the mean less than twice
} spSwing;

// `interval` is the time between two values, s. Ripples of less than a tenth of the amplitude are no
// crossing.
spSwing spMeasureSwing(const double* values, int count, double interval);
