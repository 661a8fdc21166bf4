// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// CalculiX, an independent finite element program, as judge: a body in tets is written as its input (C3D4),
// `ccx` is run, and what it prints is read back.
//
// ccx prints displacements with 7 digits (*NODE PRINT), each rounded by at most 5e-7 of itself: differences
// below that mean nothing. Limits are a hundred times larger at least.

#pragma once

#include "souple/base.h"

// Two rigid plates without friction, one below and one above the body, that it may not pass (*CONTACT PAIR)
typedef struct spPlates
{
    double low, high; // heights of their faces before anything moves, m
    double reach;     // half of their width, m
    double way;       // of each towards the other, m
} spPlates;

// A body in tets, held at some nodes and loaded at the others
typedef struct spSolidProblem
{
    int nodeCount;
    int tetCount;
    const spDVec3* rest;    // m
    const int32_t* tets;    // four nodes each
    double youngModulus;    // Pa
    double poissonRatio;    // non-dimensional
    double density;         // kg/m^3, for frequencies
    const bool* held;       // nodes whose displacement is given
    const spDVec3* given;   // displacement of the nodes that are held, m
    const spDVec3* load;    // on the nodes that are not, N
    bool large;             // Green-Lagrange strain (NLGEOM) instead of small strain
    const spPlates* plates; // NULL for none
} spSolidProblem;

// A folder of its own for the files of ccx. `keep` names one that is made and stays; NULL makes one that
// spLeaveFolder removes with all that is in it.
bool spEnterFolder(char* folder, size_t size, const char* keep, spError* error);
void spLeaveFolder(const char* folder, const char* keep);

// Displacements in static equilibrium, m. Files are called `name` with some ending.
bool spSolveByCalculix(const spSolidProblem* problem, const char* folder, const char* name, spDVec3* u,
                       spError* error);

// Lowest natural frequency, Hz. CalculiX takes the consistent mass matrix, not a lumped one.
bool spFindFrequencyByCalculix(const spSolidProblem* problem, const char* folder, const char* name,
                               double* frequency, spError* error);
