// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The triangles of a collider for the page, as docs/view_protocol.md has them.

#pragma once

#include "souple/mesh.h"

#include <jansson.h>

// Vertices as 32-bit floats, triangles as 32-bit integers, little endian, both as base64. NULL without memory.
json_t* spDescribeSurface(const spMesh* surface);
