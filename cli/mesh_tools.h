// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What the actions of souple mesh have in common.

#pragma once

#include "options.h"
#include "tools.h"

// Parses arguments and loads the first operand. Returns SP_GO_ON, or an exit code without a mesh.
int spLoadOperand(const spUsage* usage, int argc, char** argv, const char** operands, spMesh** mesh);

// Writes a file. format is NULL when the ending says it. Returns an exit code.
int spSaveMeshHere(const spMesh* mesh, const char* path, const char* format);

json_t* spMakeReportJson(const char* path, const spMesh* mesh, const spMeshReport* report);

// Angles in bars; what is to be known beside counts, and everything that is wrong
void spTellHistogram(const spMeshReport* report);
void spTellMeshTrouble(const spMesh* mesh, const spMeshReport* report);

// Actions with files of their own
int spMeshFill(int argc, char** argv);
int spMeshLevels(int argc, char** argv);
int spMeshRemesh(int argc, char** argv);
int spMeshSimplify(int argc, char** argv);
