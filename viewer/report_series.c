// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Series of a report: all that was measured in every step, thinned where there are too many steps.

#include "report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool spFindTimes(spReport* report)
{
    int rowCount = spRecording_GetRowCount(report->recording);
    report->times = calloc((size_t)rowCount + 1, sizeof(double));
    double last = 0.0, before = 0.0;
    for (int i = 0; report->times != NULL && i < rowCount; ++i)
    {
        // Where a state was restored the time of the world goes back: here it goes on by a step
        spRecordRow row = spRecording_GetRow(report->recording, i);
        double passed = row.time - before;
        before = row.time;
        last = i == 0 ? row.time : last + (passed >= 0.0 ? passed : fmax(row.dtTaken, 0.0));
        report->times[i] = last;
    }
    return report->times != NULL;
}

// What a column holds
typedef enum spColumnGroup
{
    sp_columnTime,
    sp_columnMeasurement,
    sp_columnProfile,
    sp_columnSolver,
} spColumnGroup;

typedef struct spColumn
{
    spColumnGroup group;
    int index; // in its group
} spColumn;

static const char* const s_groups[] = {"time", "measurement", "profile", "solver"};
static const char* const s_stages[] = {"step",     "commands", "advance", "detection",
                                       "response", "check",    "adapt",   "publish"};
static const char* const s_solver[][2] = {
    {"iterations", ""}, {"residual", ""}, {"contacts", ""}, {"substeps", ""}};

#define SP_STAGE_COUNT ((int)(sizeof(s_stages) / sizeof(s_stages[0])))
#define SP_SOLVER_COUNT ((int)(sizeof(s_solver) / sizeof(s_solver[0])))

static spColumn spGetColumn(int column, int measurementCount)
{
    int profile = 1 + measurementCount, solver = profile + SP_STAGE_COUNT;
    return column == 0        ? (spColumn){sp_columnTime, 0}
           : column < profile ? (spColumn){sp_columnMeasurement, column - 1}
           : column < solver  ? (spColumn){sp_columnProfile, column - profile}
                              : (spColumn){sp_columnSolver, column - solver};
}

static double spGetValue(const spReport* report, spColumn column, int row)
{
    if (column.group == sp_columnTime)
    {
        return report->times[row];
    }
    if (column.group == sp_columnMeasurement)
    {
        return spRecording_GetMeasurement(report->recording, row, column.index);
    }
    spRecordRow r = spRecording_GetRow(report->recording, row);
    const spProfile* p = &r.profile;
    if (column.group == sp_columnProfile)
    {
        const double stages[SP_STAGE_COUNT] = {p->step,     p->commands, p->advance, p->detection,
                                               p->response, p->check,    p->adapt,   p->publish};
        return stages[column.index];
    }
    const double numbers[SP_SOLVER_COUNT] = {
        r.solverIterations >= 0 ? (double)r.solverIterations : (double)NAN, r.solverResidual,
        r.contactCount >= 0 ? (double)r.contactCount : (double)NAN,
        r.substepCount >= 0 ? (double)r.substepCount : (double)NAN};
    return numbers[column.index];
}

static json_t* spMakeColumn(const spReport* report, spColumn column)
{
    const spRecording* recording = report->recording;
    const char* name = "time";
    const char* unit = "s";
    if (column.group == sp_columnMeasurement)
    {
        name = spRecording_GetMeasurementName(recording, column.index);
        unit = spRecording_GetMeasurementUnit(recording, column.index);
    }
    else if (column.group == sp_columnProfile)
    {
        name = s_stages[column.index];
        unit = "ms";
    }
    else if (column.group == sp_columnSolver)
    {
        name = s_solver[column.index][0];
        unit = s_solver[column.index][1];
    }
    json_t* json = json_object();
    json_object_set_new(json, "name", spMakeText(name));
    json_object_set_new(json, "unit", spMakeText(unit));
    json_object_set_new(json, "group", json_string(s_groups[column.group]));
    return json;
}

// Of a stretch of rows: the least and the largest value; times are those of its ends
static void spFindExtremes(const spReport* report, spColumn column, int begin, int end, float* result)
{
    double low = (double)NAN, high = (double)NAN;
    for (int row = begin; row < end; ++row)
    {
        double value = spGetValue(report, column, row);
        low = isnan(low) || value < low ? value : low;
        high = isnan(high) || value > high ? value : high;
    }
    bool time = column.group == sp_columnTime;
    result[0] = (float)(time ? report->times[begin] : low);
    result[1] = (float)(time ? report->times[end - 1] : high);
}

static void spAppendColumn(spReport* report, spColumn column, int rowCount, int stretchCount)
{
    size_t count = stretchCount > 0 ? 2 * (size_t)stretchCount : (size_t)rowCount;
    float* values = spExtend(&report->message, count * sizeof(float));
    for (int i = 0; values != NULL && i < stretchCount; ++i)
    {
        int begin = (int)((int64_t)rowCount * i / stretchCount);
        int end = (int)((int64_t)rowCount * (i + 1) / stretchCount);
        spFindExtremes(report, column, begin, end, values + 2 * (size_t)i);
    }
    for (int i = 0; values != NULL && stretchCount == 0 && i < rowCount; ++i)
    {
        values[i] = (float)spGetValue(report, column, i);
    }
}

void spPutSeries(spReport* report)
{
    int rowCount = spRecording_GetRowCount(report->recording);
    int measurementCount = spRecording_GetMeasurementCount(report->recording);
    int columnCount = 1 + measurementCount + SP_STAGE_COUNT + SP_SOLVER_COUNT;
    int limit = SP_SERIES_NUMBERS / columnCount;
    limit = limit < SP_SERIES_ROWS ? limit : SP_SERIES_ROWS;
    int stretchCount = rowCount > limit ? limit / 2 : 0;
    report->thinned = stretchCount > 0;

    json_t* heads = json_array();
    for (int i = 0; i < columnCount; ++i)
    {
        json_array_append_new(heads, spMakeColumn(report, spGetColumn(i, measurementCount)));
    }
    char* text = json_dumps(heads, JSON_COMPACT);
    json_decref(heads);
    report->outOfMemory |= text == NULL;
    if (text == NULL)
    {
        return;
    }
    spBuffer* message = &report->message;
    spClearBuffer(message);
    spAppendU32(message, sp_messageSeries);
    spAppendU32(message, (uint32_t)(stretchCount > 0 ? 2 * stretchCount : rowCount));
    spAppendU32(message, (uint32_t)columnCount);
    spAppendU32(message, (uint32_t)strlen(text));
    spAppend(message, text, strlen(text));
    spPadBuffer(message);
    free(text);
    for (int i = 0; i < columnCount; ++i)
    {
        spAppendColumn(report, spGetColumn(i, measurementCount), rowCount, stretchCount);
    }
    spPutMessage(report->pack, message);
}
