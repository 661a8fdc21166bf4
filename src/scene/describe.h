// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What a page is told about a run, as JSON in memory. Everything returns NULL when there is no memory, and
// takes NULL for a part that could not be made: so only the end needs to look.

#pragma once

#include "scene/run.h"

#include <jansson.h>

// Bodies whose settings are listed: beyond that nobody moves sliders, and messages get long
#define SP_MAX_DESCRIBED 64

// Puts a value into an object and takes it over; *object is freed and set to NULL when that fails
void spPutJson(json_t** object, const char* key, json_t* value);
// The same for the end of a list
void spAppendJson(json_t** list, json_t* value);

json_t* spDescribeVector(spVec3 v);

// describe_method.c: a method as scene files write it, with all keys that count for its type
// @param edges all edges of the body
json_t* spDescribeMethod(const spMethodDef* def, const spBodyData* body, const int32_t* edges);

// settings.c: everything that a `set` event can change and a slider or a choice can show
json_t* spListSettings(spRun* run);
