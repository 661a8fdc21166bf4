// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// souple mesh make: a mesh from a generator and options.

#pragma once

#include "souple/mesh.h"

// Parses the arguments after "make" and makes the mesh. Returns SP_GO_ON, or an exit code without a mesh.
int spMakeMeshFromOptions(int argc, char** argv, spMesh** mesh, const char** path, bool* json);
