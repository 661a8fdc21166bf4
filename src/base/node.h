// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// How node state lies in memory.

#pragma once

#include "base/core.h"

#ifdef __cplusplus
#define SP_ALIGNAS alignas
#else
#define SP_ALIGNAS _Alignas
#endif

// Elements are stored in blocks of this many, whatever the number of lanes
#define SP_BLOCK 16

// Position and inverse mass, velocity and 0, force and 0: one aligned load each
typedef struct spVec4
{
    SP_ALIGNAS(4 * sizeof(spReal)) spReal x;
    spReal y, z, w;
} spVec4;

// A node as a vector of four that lies in an spVec4
typedef spReal spQuad __attribute__((vector_size(4 * sizeof(spReal))));
typedef spQuad spQuadMemory __attribute__((may_alias));

static inline spVec3 spXyz(spVec4 a)
{
    spVec3 xyz = {a.x, a.y, a.z};
    return xyz;
}
