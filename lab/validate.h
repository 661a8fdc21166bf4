// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What the cases of `souple validate` share: a solid body of this engine, and the same body as CalculiX gets
// it.

#pragma once

#include "calculix.h"
#include "cli/table.h"
#include "souple/souple.h"

#include <jansson.h>

// What a solid is made of
typedef struct spSolidDef
{
    spTetLaw law;
    double youngModulus; // Pa
    double poissonRatio; // non-dimensional
    double density;      // kg/m^3
    spDVec3 gravity;     // m/s^2
} spSolidDef;

// A body in a world of its own, and its copy. Arrays have one entry for each node.
typedef struct spSolid
{
    spWorld* world;
    spBodyId body;
    spSolidProblem problem; // what CalculiX gets: the arrays below
    spDVec3* rest;          // as the body has it, rounded to its precision, m
    spDVec3* given;         // displacement of held nodes, m
    spDVec3* load;          // gravity, and what spLoadNode added, N
    spDVec3* u;             // displacement: start and result of a relaxation, m
    double* mass;           // kg
    bool* held;
    int32_t* tets;
} spSolid;

// Builds the body from the tets of a mesh, free and at rest
bool spMakeSolid(spSolid* solid, const spMesh* mesh, const spSolidDef* def, spError* error);

// The same, and a blade cuts it: CalculiX gets the mesh that is left, with the nodes of both sides
bool spMakeCutSolid(spSolid* solid, const spMesh* mesh, const spSolidDef* def, const spBlade* blade,
                    spError* error);
void spDestroySolid(spSolid* solid);

// Holds a node at a displacement
void spHoldNode(spSolid* solid, int node, spDVec3 displacement);

// Sets the force on a node, beside gravity, N
bool spLoadNode(spSolid* solid, int node, spDVec3 force, spError* error);

// Static equilibrium, from the displacements u, which are replaced. The residual goes down to the tolerance,
// or as far as rounding lets it.
bool spRelaxSolid(spSolid* solid, double tolerance, spRelaxResult* result, spError* error);

// The same from the displacements u by one step of the quasi-static method. u stays as it is; `stepped` gets
// the displacements. False on bad input and when the step was not solved.
bool spStepSolid(spSolid* solid, double tolerance, spDVec3* stepped, spError* error);

// Largest difference of displacements over the largest of the second
double spCompareSolid(const spDVec3* ours, const spDVec3* theirs, int count);

// What all cases get
typedef struct spValidation
{
    const char* keep;   // folder of the files of CalculiX, NULL for none
    const char* folder; // where they are now
    const char* mesh;   // file of the liver; NULL for our own
    bool print;         // words go to the screen
    bool quick;         // fewer methods and shorter runs, where a case has them
    spDraft* draft;     // report in the making; NULL for none
    spTable* table;     // where spJudgeMeasured writes
} spValidation;

// A case that measures several times
typedef struct spRunCase
{
    const char* name;
    const char* doc;
    int (*run)(const spValidation* options, json_t* rows);
} spRunCase;

// The tables, and the number of their rows. `run` appends a row for each measurement and returns an exit code.
const spRunCase* spGetFrequencyCases(int* count); // natural frequencies, on several meshes
const spRunCase* spGetMotionCases(int* count);    // bodies that move; the word `motion` names all of them
const spRunCase* spGetContactCases(int* count);   // bodies that touch; the word `contact` names all of them
