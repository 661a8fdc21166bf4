// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Exports that `souple run --export` and `souple export` share.

#include "commands.h"
#include "film.h"
#include "options.h"
#include "placeholder.h"
#include "souple/scene.h"
#include "tools.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char* const s_formats[] = {"vtu", "obj", "png", "csv", "svg", "sheet", "mp4"};

#define SP_FORMAT_WORDS "vtu, obj, png, csv, svg, sheet and mp4"
#define SP_FORMAT_COUNT ((int)(sizeof(s_formats) / sizeof(s_formats[0])))

const char* spGetExportWord(int index)
{
    return index < SP_FORMAT_COUNT ? s_formats[index] : NULL;
}

static bool spAddFormat(const char* part, void* context)
{
    for (int i = 0; i < SP_FORMAT_COUNT; ++i)
    {
        if (strcmp(part, s_formats[i]) == 0)
        {
            *(unsigned*)context |= 1u << i;
            return true;
        }
    }
    const char* nearest = spFindNearestOf(part, s_formats, SP_FORMAT_COUNT);
    if (nearest != NULL)
    {
        spFailUsage("unknown format \"%s\"; did you mean \"%s\"?", part, nearest);
    }
    else
    {
        spFailUsage("unknown format \"%s\"; known are " SP_FORMAT_WORDS, part);
    }
    return false;
}

unsigned spParseFormats(const char* list)
{
    unsigned formats = 0;
    if (!spForEachPart(list, spAddFormat, &formats))
    {
        return 0;
    }
    if (formats == 0)
    {
        spFailUsage("no format was given; known are " SP_FORMAT_WORDS);
    }
    return (formats & sp_exportMp4) == 0 || spCanFilm() ? formats : 0;
}

static const char* const s_colours[] = {"none",   "stress",  "displacement", "velocity", "pressure",
                                        "strain", "modulus", "level",        "region"};

_Static_assert(sizeof(s_colours) / sizeof(s_colours[0]) == sp_pictureColorCount,
               "one word for each colouring");

const char* spGetColourWord(int index)
{
    return index < sp_pictureColorCount ? s_colours[index] : NULL;
}

bool spParseColour(const char* word, spPictureColor* color)
{
    for (int i = 0; i < sp_pictureColorCount; ++i)
    {
        if (strcmp(word, s_colours[i]) == 0)
        {
            *color = (spPictureColor)i;
            return true;
        }
    }
    const char* nearest = spFindNearestOf(word, s_colours, sp_pictureColorCount);
    if (nearest != NULL)
    {
        spFailUsage("unknown colour \"%s\"; did you mean \"%s\"?", word, nearest);
    }
    else
    {
        spFailUsage(
            "unknown colour \"%s\"; known are none, stress, strain, displacement, velocity, pressure, "
            "modulus, level and region",
            word);
    }
    return false;
}

spExportPlan spMakeExportPlan(void)
{
    return (spExportPlan){.lastFrame = -1, .stride = 1, .opacity = -1.0};
}

static bool spShowExport(double fraction, void* context)
{
    spShowBar(context, fraction, "");
    return !spIsInterrupted();
}

#define SP_MAX_REGION_NAMES 64

// What pictures need of the scene in a recording
typedef struct spPictureScene
{
    spScene* scene;    // NULL without one
    double* opacities; // one for each body of the recording
    spRegionName names[SP_MAX_REGION_NAMES];
} spPictureScene;

// Size, colours and opacity of pictures: what the plan says, else what the scene says
static spPictureDef spMakePicture(const spRecording* recording, const spExportPlan* plan,
                                  spPictureScene* from)
{
    spPictureDef def = spDefaultPictureDef();
    const spScene* scene = from->scene;
    double* opacities = from->opacities;
    if (scene != NULL)
    {
        spSceneOutput output = spScene_GetOutput(scene);
        def.width = output.pictureWidth;
        def.height = output.pictureHeight;
        def.color = output.pictureColor;
        def.rangeLow = output.pictureLow;
        def.rangeHigh = output.pictureHigh;
        def.opacity = output.pictureOpacity;
        def.flatShading = output.pictureFlat;
        for (int i = 0; i < spRecording_GetBodyCount(recording); ++i)
        {
            opacities[i] = spScene_GetOpacity(scene, spRecording_GetBodyName(recording, i));
        }
        def.opacities = opacities;
        int nameCount = spScene_GetRegionNames(scene, from->names, SP_MAX_REGION_NAMES);
        def.regionNames = from->names;
        def.regionNameCount = nameCount < SP_MAX_REGION_NAMES ? nameCount : SP_MAX_REGION_NAMES;
    }
    def.width = plan->width > 0 ? plan->width : def.width;
    def.height = plan->height > 0 ? plan->height : def.height;
    def.showEdges = plan->showEdges;
    def.showOverlap = plan->overlap;
    def.flatShading = def.flatShading || plan->flat;
    if (plan->opacity >= 0.0)
    {
        def.opacity = plan->opacity;
        def.opacities = NULL;
    }
    spPictureColor color = def.color;
    if (plan->colour != NULL && spParseColour(plan->colour, &color) && color != def.color)
    {
        // The range of the scene is that of another quantity
        def.color = color;
        def.rangeLow = 0.0;
        def.rangeHigh = 0.0;
    }
    return def;
}

// One plot for each unit, with all measurements that have it
static bool spExportPlots(const spRecording* recording, const spExportPlan* plan, spError* error)
{
    int measurementCount = spRecording_GetMeasurementCount(recording);
    int rowCount = spRecording_GetRowCount(recording);
    size_t size = (size_t)(rowCount > 0 ? rowCount : 1) * sizeof(double);
    double* times = malloc(size);
    double* values = malloc(size * (size_t)(measurementCount > 0 ? measurementCount : 1));
    spPlotSeries* series = calloc((size_t)measurementCount + 1, sizeof(spPlotSeries));
    bool good = times != NULL && values != NULL && series != NULL;
    if (good)
    {
        spRecording_CopyTimes(recording, times, rowCount);
    }
    int plotCount = 0;
    for (int i = 0; good && i < measurementCount; ++i)
    {
        // The first measurement of a unit draws all of that unit
        const char* unit = spRecording_GetMeasurementUnit(recording, i);
        bool drawn = false;
        for (int j = 0; j < i; ++j)
        {
            drawn |= strcmp(unit, spRecording_GetMeasurementUnit(recording, j)) == 0;
        }
        if (drawn)
        {
            continue;
        }
        int seriesCount = 0;
        for (int j = i; j < measurementCount; ++j)
        {
            if (strcmp(unit, spRecording_GetMeasurementUnit(recording, j)) == 0)
            {
                double* y = values + (size_t)seriesCount * (size_t)rowCount;
                int count = spRecording_CopySeries(recording, j, y, rowCount);
                series[seriesCount++] = (spPlotSeries){spRecording_GetMeasurementName(recording, j), times, y,
                                                       count, sp_plotLine};
            }
        }
        char label[80], name[128], path[4096];
        snprintf(label, sizeof(label), unit[0] != 0 ? "[%s]" : "%s", unit);
        snprintf(name, sizeof(name), "%.100s_plot%d", plan->name, ++plotCount);
        spPlotDef def = spDefaultPlotDef();
        def.title = plan->name;
        def.xLabel = "time [s]";
        def.yLabel = label;
        def.series = series;
        def.seriesCount = seriesCount;
        good =
            spMakeFileName(path, sizeof(path), plan->folder, name, ".svg") && spSavePlot(&def, path, error);
    }
    free(times);
    free(values);
    free(series);
    return good;
}

#define SP_SHEET_COLUMNS 3
#define SP_SHEET_PICTURES 9

// The whole motion at a glance: nine frames, evenly spread, in one picture
static bool spExportSheet(const spRecording* recording, const spExportPlan* plan, const spPictureDef* def,
                          spError* error)
{
    int frames[SP_SHEET_PICTURES];
    int frameCount = spRecording_GetFrameCount(recording);
    int last = plan->lastFrame >= 0 && plan->lastFrame < frameCount ? plan->lastFrame : frameCount - 1;
    int count =
        last - plan->firstFrame + 1 < SP_SHEET_PICTURES ? last - plan->firstFrame + 1 : SP_SHEET_PICTURES;
    for (int i = 0; i < count; ++i)
    {
        double share = count > 1 ? (double)i / (count - 1) : 0.0;
        frames[i] = plan->firstFrame + (int)(share * (last - plan->firstFrame) + 0.5);
    }
    char name[128], path[4096];
    snprintf(name, sizeof(name), "%.100s_sheet", plan->name);
    spPictureDef picture = *def;
    double scale = plan->width > 0 ? 1.0 : 480.0 / picture.width;
    picture.width = (int)(scale * picture.width);
    picture.height = (int)(scale * picture.height);
    return spMakeFileName(path, sizeof(path), plan->folder, name, ".png") &&
           spSaveContactSheet(recording, frames, count, SP_SHEET_COLUMNS, &picture, path, error);
}

static bool spExportFilm(const spRecording* recording, const spExportPlan* plan, const spExportDef* def,
                         const spPictureDef* pictureDef, spError* error)
{
    char path[4096];
    spPictureDef picture = *pictureDef;
    // Films have an even number of pixels along each side
    picture.width -= picture.width % 2;
    picture.height -= picture.height % 2;
    return spMakeFileName(path, sizeof(path), plan->folder, plan->name, ".mp4") &&
           spSaveFilm(recording, def, &picture, path, error);
}

static bool spExportDrawn(const spRecording* recording, const spExportPlan* plan, unsigned format,
                          const spExportDef* def, spError* error)
{
    spPictureScene from = {.opacities =
                               calloc((size_t)spRecording_GetBodyCount(recording) + 1, sizeof(double))};
    if (from.opacities == NULL)
    {
        snprintf(error->message, sizeof(error->message), "out of memory");
        return false;
    }
    const char* text = spRecording_GetSceneText(recording);
    from.scene = text != NULL ? spParseScene(text, strlen(text), NULL, NULL, NULL) : NULL;
    spPictureDef picture = spMakePicture(recording, plan, &from);
    bool good = format == sp_exportPng     ? spExportPng(recording, def, &picture, error)
                : format == sp_exportSheet ? spExportSheet(recording, plan, &picture, error)
                                           : spExportFilm(recording, plan, def, &picture, error);
    spDestroyScene(from.scene);
    free(from.opacities);
    return good;
}

static bool spExportFormatTo(const spRecording* recording, const spExportPlan* plan, unsigned format,
                             const spExportDef* def, spError* error)
{
    switch (format)
    {
        case sp_exportVtu:
            return spExportVtu(recording, def, error);
        case sp_exportObj:
            return spExportObj(recording, def, error);
        case sp_exportCsv:
            return spExportCsv(recording, def, error);
        case sp_exportSvg:
            return spExportPlots(recording, plan, error);
        default:
            return spExportDrawn(recording, plan, format, def, error);
    }
}

int spExportRecording(const spRecording* recording, const spExportPlan* plan)
{
    for (int i = 0; i < SP_FORMAT_COUNT; ++i)
    {
        unsigned format = 1u << i;
        if ((plan->formats & format) == 0)
        {
            continue;
        }
        char folder[4096], title[32];
        bool own = format == sp_exportVtu || format == sp_exportObj || format == sp_exportPng;
        if (!spMakeFileName(folder, sizeof(folder), plan->folder, own ? s_formats[i] : "", ""))
        {
            return spFailUsage("the name of the folder is too long");
        }
        snprintf(title, sizeof(title), "%-4s", s_formats[i]);
        spBar bar = spMakeBar(title, !plan->quiet);
        spExportDef def = spDefaultExportDef();
        def.folder = own ? folder : plan->folder;
        def.baseName = plan->name;
        def.firstFrame = plan->firstFrame;
        def.lastFrame = plan->lastFrame;
        def.frameStride = plan->stride;
        def.progress = spShowExport;
        def.progressContext = &bar;
        spError error = SP_ZERO_INIT;
        bool good = spExportFormatTo(recording, plan, format, &def, &error);
        spClearBar(&bar);
        if (!good)
        {
            if (spIsInterrupted())
            {
                fprintf(stderr, "souple: interrupted; the files that were finished stay\n");
                return SP_EXIT_INTERRUPTED;
            }
            fprintf(stderr, "souple: %s: %s\n", s_formats[i], error.message);
            return SP_EXIT_USAGE;
        }
    }
    return SP_EXIT_FINE;
}
