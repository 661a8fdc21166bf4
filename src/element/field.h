// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Fields: forces from outside on every node, through the same table as element kinds.

#pragma once

#include "element/element.h"

#include "souple/element.h"

typedef struct spFieldSet
{
    spElementSet base;
    spFieldDef def;
} spFieldSet;

// Returns NULL when there is no memory.
spFieldSet* spCreateFieldSet(spHeap* heap, const spFieldDef* def);

extern const spElementKind spDragKind;
extern const spElementKind spRepulsiveGroundKind;
