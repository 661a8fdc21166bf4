// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Tables: one line per recorded step. After RFC 4180, except that lines end with a line feed alone.

#include "base/text.h"
#include "record/output.h"
#include "record/recording.h"

#include <math.h>

// The number with as many digits as reading it back takes; nothing for NaN
static void spPrintNumber(spBytes* text, double value)
{
    if (!isnan(value))
    {
        char buffer[SP_NUMBER_SIZE];
        spPutData(text, buffer, (size_t)spFormatShortest(buffer, value, 15));
    }
}

// A column head: quoted where its name asks for it
static void spPrintColumn(spBytes* text, const char* name, const char* unit)
{
    bool quoted = strpbrk(name, ",\"\r\n") != NULL || strpbrk(unit, ",\"\r\n") != NULL;
    const char* parts[4] = {name, unit[0] != 0 ? " [" : "", unit, unit[0] != 0 ? "]" : ""};
    spPrintText(text, quoted ? ",\"" : ",");
    for (int i = 0; i < 4; ++i)
    {
        for (const char* p = parts[i]; *p != 0; ++p)
        {
            spPrintText(text, *p == '"' ? "\"\"" : "%c", *p);
        }
    }
    spPrintText(text, quoted ? "\"" : "");
}

static void spPrintMeasurements(spBytes* text, const spRecording* recording)
{
    spPrintText(text, "time [s],step");
    for (int i = 0; i < recording->measurementCount; ++i)
    {
        spPrintColumn(text, recording->measurements[i].name, recording->measurements[i].unit);
    }
    spPrintText(text, "\n");
    for (int row = 0; row < recording->rowCount; ++row)
    {
        spRecordRow r = spRecording_GetRow(recording, row);
        spPrintNumber(text, r.time);
        spPrintText(text, ",%lld", (long long)r.stepCount);
        for (int i = 0; i < recording->measurementCount; ++i)
        {
            spPrintText(text, ",");
            spPrintNumber(text, spRecording_GetMeasurement(recording, row, i));
        }
        spPrintText(text, "\n");
    }
}

static void spPrintProfile(spBytes* text, const spRecording* recording)
{
    spPrintText(text, "time [s],step,dt [s],flags,total [ms],commands [ms],free motion [ms],detection [ms],"
                      "response [ms],correction [ms],adapt [ms],publish [ms]\n");
    for (int row = 0; row < recording->rowCount; ++row)
    {
        spRecordRow r = spRecording_GetRow(recording, row);
        spPrintNumber(text, r.time);
        spPrintText(text, ",%lld,", (long long)r.stepCount);
        spPrintNumber(text, r.dtTaken);
        spPrintText(text, ",%u", r.flags);
        const double stages[] = {r.profile.step,      r.profile.commands, r.profile.freeMotion,
                                 r.profile.detection, r.profile.response, r.profile.correction,
                                 r.profile.adapt,     r.profile.publish};
        for (int i = 0; i < SP_COUNT(stages); ++i)
        {
            spPrintText(text, ",");
            spPrintNumber(text, stages[i]);
        }
        spPrintText(text, "\n");
    }
}

bool spExportCsv(const spRecording* recording, const spExportDef* def, spError* error)
{
    spExportRange range;
    if (!spBeginExport(recording, def, &range, error) || !spReportProgress(def, 0.0, error))
    {
        return false;
    }
    spHeap heap = spMakeHeap(&recording->heap.allocator);
    spBytes text = {.heap = &heap};
    spBytes path = {.heap = &heap};

    spPrintMeasurements(&text, recording);
    bool ok = spSetPath(&path, error, "%s/%s.csv", range.folder, range.baseName) &&
              spSaveBytes(&text, (const char*)path.data, error) && spReportProgress(def, 0.5, error);
    if (ok)
    {
        text.count = 0;
        spPrintProfile(&text, recording);
        ok = spSetPath(&path, error, "%s/%s_profile.csv", range.folder, range.baseName) &&
             spSaveBytes(&text, (const char*)path.data, error) && spReportProgress(def, 1.0, error);
    }
    spFreeBytes(&text);
    spFreeBytes(&path);
    return ok;
}
