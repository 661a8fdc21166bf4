// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The velocity filter of explicit methods: each velocity becomes a mean with those of its neighbours. Weights
// come from rest lengths and are made once, so that a neighbour costs one load and one multiply-add.
//
// Ahmad, Terraz, Adly, Ghazanfarpour. Stabilisation par filtrage de methodes d'integration explicites. 2006

#pragma once

#include "body/body.h"

typedef struct spFilter
{
    spFilterRows rows;
    int entryCount;
    int32_t* edges; // the user's, copied; NULL when every edge of the body counts
    int edgeCount;
    bool negative; // some mode is turned over: no step is stable
    spVec4* v;     // velocities before the filter
    spVec4* work;
    spVec4* sums; // SP_ROTATION_SUMS of each patch, when the rotation is to be kept
} spFilter;

// Makes the rows from body->methodDef.filter, which must have a type; its edges point to the copy afterwards.
// False, with all freed, when the definition is refused or there is no memory.
bool spCreateFilter(spFilter* filter, spBody* body, spError* error);
void spFreeFilter(spFilter* filter, const spBody* body);

// The rotation that fits velocities best, from the sums of all patches
spRotation spFindRotation(const spFilter* filter, const spBody* body);
