// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What souple mesh says about a mesh, in sentences.

#pragma once

#include "souple/mesh.h"

#define SP_MESH_SENTENCE 400

// Most sentences of spMakeMeshNotes
#define SP_MESH_NOTES 3

// Whether a mesh can be simulated, as what, and what to do when not
bool spJudgeMesh(const spMeshReport* report, const spMesh* mesh, char sentence[SP_MESH_SENTENCE]);

// One problem of a report: how many, the first one, and what mends it
void spSayProblem(const spMeshReport* report, spMeshProblem problem, char sentence[SP_MESH_SENTENCE]);

// What of a file did not become part of the mesh, and, with a report, sizes that look like another unit.
// Returns how many.
int spMakeMeshNotes(const spMesh* mesh, const spMeshReport* report,
                    char notes[SP_MESH_NOTES][SP_MESH_SENTENCE]);

// What a repair did, line by line
void spTellRepair(const spRepairReport* report, const spMeshReport* after);
