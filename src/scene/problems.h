// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Collects what is wrong with a scene, with its place in the file. Reading, checking and building all report
// here and go on, so that a user sees everything at once.

#pragma once

#include "base/error.h"
#include "scene/places.h"
#include "scene/schema.h"
#include "souple/scene.h"

typedef struct spProblems
{
    const spPlaceIndex* places; // may be NULL
    spSceneProblem* data;       // the first `capacity` ones are kept
    int capacity;
    int count;      // all that were reported
    int errorCount; // those that are not warnings
    spError first;  // the first error
} spProblems;

// Warnings that a scene and a run keep, for who asks later
#define SP_KEPT_WARNINGS 16

typedef struct spWarnings
{
    spSceneProblem data[SP_KEPT_WARNINGS];
    int count;
} spWarnings;

// Where nothing is wrong, all that was reported are warnings
void spKeepWarnings(spWarnings* warnings, const spProblems* problems);
void spReportWarnings(spProblems* problems, const spWarnings* warnings);

// At a value, by its place in the index; -1: the file as a whole
void spReportAt(spProblems* problems, int place, const char* format, ...) SP_PRINTF_FORMAT(3, 4);

// At the key that names a value
void spReportAtKey(spProblems* problems, int place, const char* format, ...) SP_PRINTF_FORMAT(3, 4);

// At the value of a member of an object; at the object when the member was not given or is NULL
void spReport(spProblems* problems, const spObjectHead* head, const void* member, const char* format, ...)
    SP_PRINTF_FORMAT(4, 5);
// The same with another code for no memory: nothing is wrong with the scene then
void spReportAs(spProblems* problems, spErrorCode code, const spObjectHead* head, const void* member,
                const char* format, ...) SP_PRINTF_FORMAT(5, 6);
void spWarn(spProblems* problems, const spObjectHead* head, const void* member, const char* format, ...)
    SP_PRINTF_FORMAT(4, 5);

// What another part of the library said, with a line and column of its own where it has them
void spReportError(spProblems* problems, const spError* error);
