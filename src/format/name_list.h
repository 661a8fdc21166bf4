// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Names of groups and sets in the order in which a file uses them, and the regions that they stand for: the
// number in the name where it says one (spParseRegionName), else which name it is, counted from 1 by first
// appearance.

#pragma once

#include "base/memory.h"
#include "format/text_scan.h"

typedef struct spNameUse
{
    spWord name;
    int place; // the caller's
    int32_t region;
} spNameUse;

typedef struct spNameList
{
    spHeap* heap;
    spNameUse* uses;
    int count, capacity;
    int nameCount; // different ones
} spNameList;

spNameList spMakeNameList(spHeap* heap);
void spFreeNameList(spNameList* list);
bool spAddName(spNameList* list, spWord name, int place, spError* error);

// Gives every use its region, after the last one was added. Names are told apart by the case of letters or
// not.
bool spNumberNames(spNameList* list, bool anyCase, spError* error);
