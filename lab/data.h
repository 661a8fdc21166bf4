// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Meshes of the folder data/.

#pragma once

#include "souple/mesh.h"

// Loads one of them, from the checkout that this program was built in or from where it is installed
spMesh* spLoadData(const char* name, spError* error);
