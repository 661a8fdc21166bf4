// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Reads parsed JSON into the structs of scene_data.h by walking the table of schema.h.

#pragma once

#include "scene/pool.h"
#include "scene/problems.h"
#include "scene/schema.h"

#include <jansson.h>

typedef struct spReader
{
    spPool* pool;
    const spPlaceIndex* places;
    spProblems* problems;
    bool outOfMemory;
    const spSchema* outer; // of the object around the one that is read; NULL around the whole file
} spReader;

// Parses JSON. Returns NULL with the reason in error, or with memory false.
json_t* spLoadJson(const char* text, size_t size, size_t flags, json_error_t* error, bool* memory);

// Reads one object. Whatever is wrong is reported and left at its default; only no memory ends the reading.
void spReadObject(spReader* reader, const spSchema* schema, const json_t* json, int place, void* object);
