// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Collecting problems of a scene.

#include "scene/problems.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void spAddProblem(spProblems* problems, const spSceneProblem* problem, spErrorCode code)
{
    if (problems->count < problems->capacity)
    {
        problems->data[problems->count] = *problem;
    }
    problems->count += 1;
    if (problem->warning)
    {
        return;
    }
    if (problems->errorCount++ == 0)
    {
        const char* colon = problem->path[0] != 0 ? ": " : "";
        spFailAt(&problems->first, code, problem->line, problem->column, "%s%s%s", problem->path, colon,
                 problem->message);
    }
}

static void spAddProblemAt(spProblems* problems, int place, bool atKey, bool warning, const char* format,
                           va_list arguments)
{
    // Nobody looks at it: only count, so that a hostile file cannot make this slow
    if (problems->count >= problems->capacity && (warning || problems->errorCount > 0))
    {
        problems->count += 1;
        problems->errorCount += !warning;
        return;
    }
    spSceneProblem problem = {.warning = warning};
    if (place >= 0 && problems->places != NULL && place < problems->places->count)
    {
        const spPlace* p = &problems->places->data[place];
        problem.line = atKey ? p->keyLine : p->line;
        problem.column = atKey ? p->keyColumn : p->column;
        spFormatPath(problems->places, place, problem.path, sizeof(problem.path));
    }
    vsnprintf(problem.message, sizeof(problem.message), format, arguments);
    spAddProblem(problems, &problem, sp_errorScene);
}

void spReportAt(spProblems* problems, int place, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    spAddProblemAt(problems, place, false, false, format, arguments);
    va_end(arguments);
}

void spReportAtKey(spProblems* problems, int place, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    spAddProblemAt(problems, place, true, false, format, arguments);
    va_end(arguments);
}

static int spFindPlace(const spObjectHead* head, const void* member)
{
    int row = member != NULL ? spFindRow(head, member) : -1;
    if (row >= 0 && head->keyPlaces != NULL && head->keyPlaces[row] >= 0)
    {
        return head->keyPlaces[row];
    }
    return head->place;
}

void spReport(spProblems* problems, const spObjectHead* head, const void* member, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    spAddProblemAt(problems, spFindPlace(head, member), false, false, format, arguments);
    va_end(arguments);
}

void spReportAs(spProblems* problems, spErrorCode code, const spObjectHead* head, const void* member,
                const char* format, ...)
{
    bool first = problems->errorCount == 0;
    va_list arguments;
    va_start(arguments, format);
    spAddProblemAt(problems, spFindPlace(head, member), false, false, format, arguments);
    va_end(arguments);
    if (first && code == sp_errorOutOfMemory)
    {
        problems->first.code = code;
    }
}

void spWarn(spProblems* problems, const spObjectHead* head, const void* member, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    spAddProblemAt(problems, spFindPlace(head, member), false, true, format, arguments);
    va_end(arguments);
}

void spReportError(spProblems* problems, const spError* error)
{
    spSceneProblem problem = {.line = error->line, .column = error->column};
    snprintf(problem.message, sizeof(problem.message), "%.*s", (int)sizeof(problem.message) - 1,
             error->message);
    spAddProblem(problems, &problem, error->code);
}

void spKeepWarnings(spWarnings* warnings, const spProblems* problems)
{
    int count = problems->count < problems->capacity ? problems->count : problems->capacity;
    warnings->count = count < SP_KEPT_WARNINGS ? count : SP_KEPT_WARNINGS;
    memcpy(warnings->data, problems->data, (size_t)warnings->count * sizeof(spSceneProblem));
}

void spReportWarnings(spProblems* problems, const spWarnings* warnings)
{
    for (int i = 0; i < warnings->count; ++i)
    {
        spAddProblem(problems, warnings->data + i, sp_errorNone);
    }
}
