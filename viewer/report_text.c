// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Texts of a report: who made it, the scene, tables and plots. Names in a recording may hold any bytes.

#include "report.h"

#include "base/surface_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

json_t* spMakeText(const char* text)
{
    text = text != NULL ? text : "";
    json_t* json = json_string(text);
    char* copy = json == NULL ? strdup(text) : NULL;
    if (copy != NULL)
    {
        for (char* c = copy; *c != 0; ++c)
        {
            *c = (unsigned char)*c < 0x80 ? *c : '?';
        }
        json = json_string(copy);
    }
    free(copy);
    return json;
}

static void spPutJson(spReport* report, json_t* json)
{
    char* text = json != NULL ? json_dumps(json, JSON_COMPACT) : NULL;
    json_decref(json);
    report->outOfMemory |= text == NULL;
    if (text != NULL)
    {
        spClearBuffer(&report->message);
        spAppendText(&report->message, text, strlen(text));
        spPutMessage(report->pack, &report->message);
    }
    free(text);
}

static json_t* spMakeVector(double x, double y, double z)
{
    json_t* list = json_array();
    json_array_append_new(list, spMakeJsonNumber(x));
    json_array_append_new(list, spMakeJsonNumber(y));
    json_array_append_new(list, spMakeJsonNumber(z));
    return list;
}

void spPutHello(spReport* report)
{
    const spReportDef* def = report->def;
    char version[32];
    int number = spGetVersion();
    snprintf(version, sizeof(version), "%d.%d.%d", number / 10000, number / 100 % 100, number % 100);
    json_t* facts = json_array();
    for (int i = 0; i < def->factCount; ++i)
    {
        json_t* pair = json_array();
        json_array_append_new(pair, spMakeText(def->facts[2 * i]));
        json_array_append_new(pair, spMakeText(def->facts[2 * i + 1]));
        json_array_append_new(facts, pair);
    }
    json_t* json = json_object();
    json_object_set_new(json, "type", json_string("hello"));
    json_object_set_new(json, "version", json_string(version));
    json_object_set_new(json, "protocol", json_integer(1));
    json_object_set_new(json, "source", json_string("report"));
    json_object_set_new(json, "facts", facts);
    spPutJson(report, json);
}

// The scene of the recording as it is written, not checked; NULL when it is none
static json_t* spReadSceneText(const spReport* report)
{
    const char* text = report->recording != NULL ? spRecording_GetSceneText(report->recording) : NULL;
    json_t* json = text != NULL ? json_loads(text, 0, NULL) : NULL;
    if (json_is_object(json) == false)
    {
        json_decref(json);
        return NULL;
    }
    return json;
}

// The name of a file without its folder and ending
static char* spCopyStem(const char* path)
{
    const char* slash = strrchr(path, '/');
    char* stem = strdup(slash != NULL ? slash + 1 : path);
    char* dot = stem != NULL ? strrchr(stem, '.') : NULL;
    if (dot != NULL && dot != stem)
    {
        *dot = 0;
    }
    return stem;
}

char* spMakeTitle(const spReport* report)
{
    if (report->def->title != NULL)
    {
        return strdup(report->def->title);
    }
    json_t* scene = spReadSceneText(report);
    const char* name = json_string_value(json_object_get(scene, "name"));
    spPlayInfo play = {0};
    bool played = report->recording != NULL && spRecording_GetPlayInfo(report->recording, &play);
    char* title = name != NULL && name[0] != 0       ? strdup(name)
                  : played && play.scenePath != NULL ? spCopyStem(play.scenePath)
                                                     : strdup("Souple");
    json_decref(scene);
    return title;
}

static json_t* spMakeBodies(const spRecording* recording)
{
    json_t* list = json_array();
    for (int body = 0; body < spRecording_GetBodyCount(recording); ++body)
    {
        // As it was when it came
        int nodes = 0, triangles = 0, edges = 0, tets = 0;
        for (int frame = 0; nodes == 0 && frame < spRecording_GetFrameCount(recording); ++frame)
        {
            nodes = spRecording_GetPositions(recording, frame, body).count;
            spRecording_GetTriangles(recording, frame, body, &triangles);
            spRecording_GetEdges(recording, frame, body, &edges);
            spRecording_GetTets(recording, frame, body, &tets);
        }
        json_t* json = json_object();
        json_object_set_new(json, "name", spMakeText(spRecording_GetBodyName(recording, body)));
        json_object_set_new(json, "nodes", json_integer(nodes));
        json_object_set_new(json, "elements", json_integer(tets > 0 ? tets : edges));
        json_object_set_new(json, "tets", json_integer(tets));
        json_object_set_new(json, "triangles", json_integer(triangles));
        json_object_set_new(json, "method", json_null());
        json_array_append_new(list, json);
    }
    return list;
}

static json_t* spMakeColliders(const spRecording* recording)
{
    json_t* list = json_array();
    for (int i = 0; i < spRecording_GetColliderCount(recording); ++i)
    {
        spColliderDef def = spRecording_GetColliderDef(recording, i);
        int sizes = spShape_GetSizes(def.shape);
        json_t* json = json_object();
        json_object_set_new(json, "name", spMakeText(def.name));
        json_object_set_new(json, "type", json_string(spShape_GetName(def.shape)));
        if ((sizes & sp_sizeRadius) != 0)
        {
            json_object_set_new(json, "radius", spMakeJsonNumber((double)def.radius));
        }
        if ((sizes & sp_sizeHalfHeight) != 0)
        {
            json_object_set_new(json, "halfHeight", spMakeJsonNumber((double)def.halfHeight));
        }
        if ((sizes & sp_sizeHalfSize) != 0)
        {
            json_object_set_new(
                json, "halfSize",
                spMakeVector((double)def.halfSize.x, (double)def.halfSize.y, (double)def.halfSize.z));
        }
        if (def.mesh != NULL)
        {
            json_object_set_new(json, "surface", spDescribeSurface(def.mesh));
        }
        json_array_append_new(list, json);
    }
    return list;
}

static json_t* spMakeMeasurements(const spRecording* recording)
{
    json_t* list = json_array();
    for (int i = 0; i < spRecording_GetMeasurementCount(recording); ++i)
    {
        json_t* json = json_object();
        json_object_set_new(json, "name", spMakeText(spRecording_GetMeasurementName(recording, i)));
        json_object_set_new(json, "unit", spMakeText(spRecording_GetMeasurementUnit(recording, i)));
        json_array_append_new(list, json);
    }
    return list;
}

static json_t* spMakeCamera(const spRecording* recording)
{
    spCamera camera;
    if (spRecording_GetCamera(recording, &camera) == false)
    {
        return json_null();
    }
    json_t* json = json_object();
    json_object_set_new(json, "position", spMakeVector(camera.eye.x, camera.eye.y, camera.eye.z));
    json_object_set_new(json, "target", spMakeVector(camera.target.x, camera.target.y, camera.target.z));
    json_object_set_new(json, "up", spMakeVector(camera.up.x, camera.up.y, camera.up.z));
    json_object_set_new(json, "fieldOfView", spMakeJsonNumber(camera.fieldOfView));
    return json;
}

static json_t* spMakeColours(const spReport* report)
{
    json_t* json = json_object();
    for (int i = 0; i < sp_viewColourCount; ++i)
    {
        if (report->tops[i] > 0.0f)
        {
            json_object_set_new(json, g_viewColourWords[i], spMakeJsonNumber((double)report->tops[i]));
        }
    }
    return json;
}

void spPutScene(spReport* report)
{
    const spRecording* recording = report->recording;
    int rowCount = spRecording_GetRowCount(recording);
    spPlayInfo play = {0};
    spRecording_GetPlayInfo(recording, &play);
    json_t* scene = spReadSceneText(report);
    const char* description = json_string_value(json_object_get(scene, "description"));
    json_t* gravity = json_object_get(scene, "gravity");
    char* title = spMakeTitle(report);

    json_t* json = json_object();
    json_object_set_new(json, "type", json_string("scene"));
    json_object_set_new(json, "serial", json_integer(1));
    json_object_set_new(json, "index", json_integer(0));
    json_object_set_new(json, "name", spMakeText(title));
    json_object_set_new(json, "description", spMakeText(description));
    json_object_set_new(json, "text", spMakeText(spRecording_GetSceneText(recording)));
    json_object_set_new(json, "dt", spMakeJsonNumber(play.dt));
    json_object_set_new(json, "duration", spMakeJsonNumber(rowCount > 0 ? report->times[rowCount - 1] : 0.0));
    json_object_set(json, "gravity", json_is_array(gravity) ? gravity : json_null());
    json_object_set_new(json, "camera", spMakeCamera(recording));
    json_object_set_new(json, "bodies", spMakeBodies(recording));
    json_object_set_new(json, "colliders", spMakeColliders(recording));
    json_object_set_new(json, "measurements", spMakeMeasurements(recording));
    json_object_set_new(json, "settings", json_array());
    json_object_set_new(json, "states", json_array());
    json_object_set_new(json, "recording", json_null());
    json_object_set_new(json, "colours", spMakeColours(report));
    free(title);
    json_decref(scene);
    spPutJson(report, json);
}

// ---------------------------------------------------------------------------------------------------------
// Sections

static void spAppendPlot(const char* text, size_t size, void* context)
{
    spAppend(context, text, size);
}

static json_t* spMakeTable(const spReportTable* table)
{
    json_t* columns = json_array();
    json_t* rows = json_array();
    for (int k = 0; k < table->columnCount; ++k)
    {
        json_array_append_new(columns, spMakeText(table->columns[k]));
    }
    for (int i = 0; i < table->rowCount; ++i)
    {
        json_t* row = json_array();
        for (int k = 0; k < table->columnCount; ++k)
        {
            size_t cell = (size_t)i * (size_t)table->columnCount + (size_t)k;
            json_array_append_new(row, spMakeText(table->cells[cell]));
        }
        json_array_append_new(rows, row);
    }
    json_t* json = json_object();
    json_object_set_new(json, "columns", columns);
    json_object_set_new(json, "rows", rows);
    return json;
}

static json_t* spMakeSection(const spReportSection* section, spError* error)
{
    json_t* json = json_object();
    json_object_set_new(json, "heading", spMakeText(section->heading));
    if (section->text != NULL)
    {
        json_object_set_new(json, "text", spMakeText(section->text));
    }
    if (section->table != NULL)
    {
        json_object_set_new(json, "table", spMakeTable(section->table));
    }
    if (section->plot != NULL)
    {
        spBuffer svg = {0};
        bool good = spWritePlot(section->plot, spAppendPlot, &svg, error);
        spAppend(&svg, "", 1);
        if (good == false || svg.failed)
        {
            good = good && spFail(error, sp_errorOutOfMemory, "report: no memory for a plot");
            spFreeBuffer(&svg);
            json_decref(json);
            return NULL;
        }
        json_object_set_new(json, "svg", spMakeText((const char*)svg.data));
        spFreeBuffer(&svg);
    }
    return json;
}

// What is not as one may think: nothing to say means no section
static json_t* spMakeNotes(const spReport* report)
{
    char text[1024];
    size_t at = 0;
    text[0] = 0;
    int rowCount = spRecording_GetRowCount(report->recording);
    int frameCount = spRecording_GetFrameCount(report->recording);
    if (spRecording_IsComplete(report->recording) == false)
    {
        at += (size_t)snprintf(text + at, sizeof(text) - at, "The recording is not complete: %s.\n\n",
                               spRecording_GetDamage(report->recording));
    }
    if (report->frameCount < frameCount)
    {
        at += (size_t)snprintf(text + at, sizeof(text) - at,
                               "%d of %d frames of the recording are shown, spread evenly over it.\n\n",
                               report->frameCount, frameCount);
    }
    if (report->thinned)
    {
        snprintf(text + at, sizeof(text) - at,
                 "Plots are thinned: of every stretch of the %d steps they show the least and the largest "
                 "value.",
                 rowCount);
    }
    if (text[0] == 0)
    {
        return NULL;
    }
    json_t* json = json_object();
    json_object_set_new(json, "heading", json_string("About the recording"));
    json_object_set_new(json, "text", spMakeText(text));
    return json;
}

bool spPutSections(spReport* report, spError* error)
{
    const spReportDef* def = report->def;
    json_t* sections = json_array();
    bool good = true;
    for (int i = 0; good && i < def->sectionCount; ++i)
    {
        json_t* section = spMakeSection(def->sections + i, error);
        good = section != NULL && json_array_append_new(sections, section) == 0;
    }
    json_t* notes = good && report->recording != NULL ? spMakeNotes(report) : NULL;
    if (notes != NULL)
    {
        json_array_append_new(sections, notes);
    }
    char* title = spMakeTitle(report);
    json_t* json = json_object();
    json_object_set_new(json, "type", json_string("sections"));
    json_object_set_new(json, "title", spMakeText(title));
    json_object_set_new(json, "summary", spMakeText(def->summary));
    json_object_set_new(json, "sections", sections);
    free(title);
    if (good)
    {
        spPutJson(report, json);
    }
    else
    {
        json_decref(json);
    }
    return good;
}
