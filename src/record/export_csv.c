// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Tables: one line per recorded step, or per contact of a frame. After RFC 4180, except that lines end with a line feed alone.

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
    spPrintText(text, "time [s],step,dt [s],flags,total [ms],commands [ms],advance [ms],detection [ms],"
                      "response [ms],check [ms],adapt [ms],publish [ms]\n");
    for (int row = 0; row < recording->rowCount; ++row)
    {
        spRecordRow r = spRecording_GetRow(recording, row);
        spPrintNumber(text, r.time);
        spPrintText(text, ",%lld,", (long long)r.stepCount);
        spPrintNumber(text, r.dtTaken);
        spPrintText(text, ",%u", r.flags);
        const double stages[] = {r.profile.step,      r.profile.commands, r.profile.advance,
                                 r.profile.detection, r.profile.response, r.profile.check,
                                 r.profile.adapt,     r.profile.publish};
        for (int i = 0; i < SP_COUNT(stages); ++i)
        {
            spPrintText(text, ",");
            spPrintNumber(text, stages[i]);
        }
        spPrintText(text, "\n");
    }
}

// Names as in the heads of columns, quoted where they ask for it
static void spPrintName(spBytes* text, const char* name)
{
    spPrintColumn(text, name, "");
}

static void spPrintNumbers(spBytes* text, const float* numbers, int count)
{
    for (int i = 0; i < count; ++i)
    {
        spPrintText(text, ",");
        spPrintNumber(text, (double)numbers[i]);
    }
}

static void spPrintContacts(spBytes* text, const spRecording* recording)
{
    spPrintText(text, "time [s],body,other,x [m],y [m],z [m],force x [N],force y [N],force z [N],normal x,"
                      "normal y,normal z,gap [m],area [m^2],slip [m/s],age\n");
    for (int frame = 0; frame < recording->frameCount; ++frame)
    {
        int count = spRecording_GetContactCount(recording, frame);
        for (int i = 0; i < count; ++i)
        {
            spRecordedContact c = spRecording_GetContact(recording, frame, i);
            spPrintNumber(text, spRecording_GetFrameTime(recording, frame));
            spPrintName(text, recording->bodies[c.body].name);
            spPrintName(text, c.otherBody >= 0  ? recording->bodies[c.otherBody].name
                              : c.collider >= 0 ? recording->colliders[c.collider].def.name
                                                : "");
            spPrintNumbers(text, c.position, 3);
            spPrintNumbers(text, c.force, 3);
            spPrintNumbers(text, c.normal, 3);
            const float rest[3] = {c.gap, c.area, c.slip};
            spPrintNumbers(text, rest, 3);
            spPrintText(text, ",%d\n", c.age);
        }
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
             spSaveBytes(&text, (const char*)path.data, error) && spReportProgress(def, 0.7, error);
    }
    if (ok && recording->hasContacts)
    {
        text.count = 0;
        spPrintContacts(&text, recording);
        ok = spSetPath(&path, error, "%s/%s_contacts.csv", range.folder, range.baseName) &&
             spSaveBytes(&text, (const char*)path.data, error);
    }
    ok = ok && spReportProgress(def, 1.0, error);
    spFreeBytes(&text);
    spFreeBytes(&path);
    return ok;
}
