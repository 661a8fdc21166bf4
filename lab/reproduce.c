// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// souple reproduce: named experiments of the works that Souple builds on, their numbers beside ours.

#include "reproduce.h"

#include "cli/commands.h"
#include "cli/lab_options.h"
#include "cli/machine.h"
#include "cli/options.h"
#include "cli/tools.h"
#include "souple/file.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct spExperiment
{
    const char* name;
    const char* work; // that it is of
    const char* doc;
    void (*run)(spReproduction* r);
    const char* parts; // that can be run alone, with commas; NULL when there are none
} spExperiment;

static const spExperiment s_experiments[] = {
    {"slides", "Student slides",
     "mass-spring lattices, integrators, ground contact and gas-filled bodies (student slides)",
     spReproduceSlides, NULL},
    {"filter", "Ahmad 2006",
     "filtered velocities: larger steps of explicit methods on a hanging cloth (Ahmad 2006)",
     spReproduceFilter, NULL},
    {"operators", "Debunne 2000",
     "a cube on a wall: which force model moves alike on coarse and fine meshes (Debunne 2000)",
     spReproduceOperators, NULL},
    {"multires", "Debunne 2000",
     "bodies of levels: what they save, and whether they move like those of one mesh (Debunne 2000)",
     spReproduceMultires, NULL},
    {"preconditioner", "Courtecuisse 2011",
     "factors made on a thread of their own and turned with the nodes (Courtecuisse 2011)",
     spReproducePreconditioner, SP_PRECONDITIONER_PARTS},
    {"cutting", "Courtecuisse 2011",
     "bodies that are cut: factors that outlive it, an inverse that is corrected, rates (Courtecuisse 2011)",
     spReproduceCutting, NULL},
    {"anderson", "Boukadida 2020",
     "XPBD with strain rows and what makes its sweeps converge sooner (Boukadida 2020)", spReproduceAnderson,
     SP_ANDERSON_PARTS},
    {"volumes", "Courtecuisse 2011",
     "contact by intersection volumes from layered depth images (Courtecuisse 2011)", spReproduceVolumes,
     SP_VOLUMES_PARTS},
};

#define SP_EXPERIMENT_COUNT ((int)(sizeof(s_experiments) / sizeof(s_experiments[0])))

void spStartPart(spReproduction* r, const char* title)
{
    if (r->json == false)
    {
        printf("\n%s\n%-58s %22s %14s\n", title, "", "published", "ours");
    }
    static const char* const columns[] = {"row", "quantity", "published", "ours", "verdict", "why"};
    char heading[300];
    snprintf(r->title, sizeof(r->title), "%s", title);
    snprintf(heading, sizeof(heading), "%s: %s", r->work, r->title);
    spDraftPart(r->draft, heading);
    spDraftTable(r->draft, columns, 6);
}

// Four digits, and no powers of ten where a number can be written out; targets that were not reached have none
static void spFormatValue(char* text, size_t size, double value, const char* unit)
{
    if (isfinite(value) == false)
    {
        snprintf(text, size, "not reached");
        return;
    }
    bool whole = fabs(value) >= 1e4 && fabs(value) < 1e7;
    snprintf(text, size, whole ? "%.0f%s%s" : "%.4g%s%s", value, unit[0] != 0 ? " " : "", unit);
}

static void spAddRow(spReproduction* r, const char* quantity, const char* unit, const char* published,
                     double ours, spVerdict verdict, bool own)
{
    r->deviations += verdict == sp_differs ? 1 : 0;
    r->unjudged += verdict == sp_notJudged ? 1 : 0;
    // Nothing agrees where nothing was published, nor with a target of our own
    bool holds = verdict == sp_agrees && (published[0] == 0 || own);
    r->held += holds ? 1 : 0;
    const char* word = verdict == sp_notJudged ? "not judged"
                       : verdict == sp_differs ? own ? "short" : "differs"
                       : holds                 ? "holds"
                                               : "agrees";
    spRowNote note = spFindRowNote(r, quantity, published, verdict);
    json_t* row = json_object();
    json_object_set_new(row, "row", json_string(note.seed));
    json_object_set_new(row, "part", json_string(r->title));
    json_object_set_new(row, "quantity", json_string(quantity));
    json_object_set_new(row, "unit", json_string(unit));
    json_object_set_new(row, "published", json_string(published));
    json_object_set_new(row, "ours", spMakeJsonNumber(ours));
    json_object_set_new(row, "agrees",
                        verdict == sp_notJudged ? json_null() : json_boolean(verdict == sp_agrees));
    json_object_set_new(row, "verdict", json_string(word));
    json_object_set_new(row, "why", json_string(note.why));
    json_array_append_new(r->rows, row);
    char value[40];
    spFormatValue(value, sizeof(value), ours, unit);
    const char* cells[] = {note.seed, quantity, published, value, word, note.why};
    spDraftRow(r->draft, cells);
    if (r->json == false)
    {
        printf("  %-56s %22s %14s%s%s\n", quantity, published, value, verdict == sp_agrees ? "" : "   ",
               verdict == sp_agrees ? "" : word);
        fflush(stdout);
    }
}

void spReportRow(spReproduction* r, const char* quantity, const char* unit, const char* published,
                 double ours, spVerdict verdict)
{
    spAddRow(r, quantity, unit, published, ours, verdict, false);
}

void spReportTarget(spReproduction* r, const char* quantity, const char* unit, const char* target,
                    double ours, spVerdict verdict)
{
    spAddRow(r, quantity, unit, target, ours, verdict, true);
}

void spReportNote(spReproduction* r, const char* format, ...)
{
    char note[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(note, sizeof(note), format, arguments);
    va_end(arguments);
    spDraftText(r->draft, "%s", note);
    if (r->json == false)
    {
        printf("  %s\n", note);
    }
}

void spReportFailure(spReproduction* r, const char* what, const spError* error)
{
    r->failures += 1;
    bool named = strstr(error->message, what) != NULL;
    fprintf(stderr, "souple: %s%s%s\n", named ? "" : what, named ? "" : ": ", error->message);
}

bool spNameFile(spReproduction* r, char* path, size_t size, const char* file)
{
    int length = snprintf(path, size, "%s/%s", r->folder, file);
    if (length < 0 || (size_t)length >= size || spMakeFolders(r->folder) == false)
    {
        fprintf(stderr, "souple: cannot make the folder %s\n", r->folder);
        r->failures += 1;
        return false;
    }
    json_array_append_new(r->files, json_string(path));
    return true;
}

void spSaveColumns(spReproduction* r, const char* file, const spColumn* columns, int columnCount,
                   int rowCount)
{
    char path[1024];
    if (spNameFile(r, path, sizeof(path), file) == false)
    {
        return;
    }
    spError error = SP_ZERO_INIT;
    spWholeFile whole;
    if (spOpenWholeFile(&whole, path, &error) == false)
    {
        spReportFailure(r, path, &error);
        return;
    }
    FILE* out = whole.stream;
    for (int row = -1; row < rowCount; ++row)
    {
        for (int c = 0; c < columnCount; ++c)
        {
            const char* comma = c + 1 < columnCount ? "," : "\n";
            if (row < 0)
            {
                fprintf(out, "%s%s", columns[c].name, comma);
            }
            else
            {
                fprintf(out, "%.9g%s", columns[c].values[row], comma);
            }
        }
    }
    if (spCloseWholeFile(&whole, true, &error) == false)
    {
        spReportFailure(r, path, &error);
    }
}

void spSaveFigure(spReproduction* r, const char* file, const spPlotDef* plot)
{
    char path[1024];
    spError error = SP_ZERO_INIT;
    if (spNameFile(r, path, sizeof(path), file) && spSavePlot(plot, path, &error) == false)
    {
        spReportFailure(r, path, &error);
    }
    spDraftPlot(r->draft, plot);
}

void spSaveBestFigure(spReproduction* r, const char* file, const spPlotDef* plot)
{
    char name[80];
    snprintf(name, sizeof(name), "%.60s.%s", file, spHasPng() ? "png" : "svg");
    spSaveFigure(r, name, plot);
}

void spSaveImage(spReproduction* r, const char* file, const uint8_t* rgb, int width, int height)
{
    char path[1024];
    spError error = SP_ZERO_INIT;
    if (spHasPng() && spNameFile(r, path, sizeof(path), file) &&
        spSavePng(rgb, width, height, path, &error) == false)
    {
        spReportFailure(r, path, &error);
    }
}

// Whether a word is not one of a list: spForEachPart ends at the first that is
static bool spIsOther(const char* part, void* context)
{
    return strcmp(part, context) != 0;
}

static bool spHasPart(const spExperiment* experiment, const char* part)
{
    return experiment->parts != NULL && spForEachPart(experiment->parts, spIsOther, (void*)part) == false;
}

// Rows of all experiments
typedef struct spTally
{
    int rows, deviations, unjudged, held;
} spTally;

static int spRunExperiment(const spExperiment* experiment, const spReproduction* common, const char* out,
                           json_t* list, spTally* tally)
{
    spReproduction r = *common;
    r.name = experiment->name;
    r.work = experiment->work;
    r.rows = json_array();
    r.runs = json_array();
    r.files = json_array();
    snprintf(r.folder, sizeof(r.folder), "%s/%s", out, experiment->name);
    if (r.json == false)
    {
        printf("%s: %s\n", experiment->name, experiment->doc);
    }
    experiment->run(&r);
    int rowCount = (int)json_array_size(r.rows);
    if (r.json == false)
    {
        printf(
            "\n%d rows, %d of them unlike what was published, %d not judged. Tables and plots are in %s.\n",
            rowCount, r.deviations, r.unjudged, r.folder);
    }
    json_t* object = json_object();
    json_object_set_new(object, "name", json_string(r.name));
    json_object_set_new(object, "work", json_string(r.work));
    json_object_set_new(object, "rows", r.rows);
    if (json_array_size(r.runs) > 0)
    {
        json_object_set(object, "runs", r.runs);
    }
    json_decref(r.runs);
    json_object_set_new(object, "deviations", json_integer(r.deviations));
    json_object_set_new(object, "notJudged", json_integer(r.unjudged));
    json_object_set_new(object, "held", json_integer(r.held));
    json_object_set_new(object, "files", r.files);
    json_array_append_new(list, object);
    tally->rows += rowCount;
    tally->deviations += r.deviations;
    tally->unjudged += r.unjudged;
    tally->held += r.held;
    return r.failures > 0 ? SP_EXIT_USAGE : r.deviations > 0 ? SP_EXIT_TROUBLE : SP_EXIT_FINE;
}

static const char* spGetText(const json_t* object, const char* key)
{
    return json_string_value(json_object_get(object, key));
}

// A line for each work
static void spDraftWorks(spDraft* draft, const json_t* experiments)
{
    static const char* const columns[] = {"work", "rows", "agree", "differ", "hold", "not judged"};
    spDraftPart(draft, "The works");
    spDraftText(draft, "Published numbers that begin with \"ref\" are those of an independent program that "
                       "was written from the work, where the work itself prints none. Rows that hold "
                       "are what we ask of them where nothing was published.");
    spDraftTable(draft, columns, 6);
    size_t i;
    const json_t* experiment;
    json_array_foreach(experiments, i, experiment)
    {
        int rows = (int)json_array_size(json_object_get(experiment, "rows"));
        int differ = (int)json_integer_value(json_object_get(experiment, "deviations"));
        int open = (int)json_integer_value(json_object_get(experiment, "notJudged"));
        int held = (int)json_integer_value(json_object_get(experiment, "held"));
        char numbers[5][16];
        const int values[5] = {rows, rows - differ - held - open, differ, held, open};
        const char* cells[6] = {spGetText(experiment, "work")};
        for (int k = 0; k < 5; ++k)
        {
            snprintf(numbers[k], sizeof(numbers[k]), "%d", values[k]);
            cells[1 + k] = numbers[k];
        }
        spDraftRow(draft, cells);
    }
}

// Every row that is unlike what was published
static void spDraftDeviations(spDraft* draft, const json_t* experiments)
{
    static const char* const columns[] = {"row", "work", "quantity", "published", "ours", "why"};
    spDraftPart(draft, "What differs, and why");
    spDraftTable(draft, columns, 6);
    size_t i, k;
    const json_t *experiment, *row;
    json_array_foreach(experiments, i, experiment)
    {
        json_array_foreach(json_object_get(experiment, "rows"), k, row)
        {
            if (json_is_false(json_object_get(row, "agrees")))
            {
                char quantity[400], value[40];
                snprintf(quantity, sizeof(quantity), "%s: %s", spGetText(row, "part"),
                         spGetText(row, "quantity"));
                const json_t* ours = json_object_get(row, "ours");
                spFormatValue(value, sizeof(value),
                              json_is_number(ours) ? json_number_value(ours) : (double)NAN,
                              spGetText(row, "unit"));
                const char* cells[6] = {spGetText(row, "row"),
                                        spGetText(experiment, "work"),
                                        quantity,
                                        spGetText(row, "published"),
                                        value,
                                        spGetText(row, "why")};
                spDraftRow(draft, cells);
            }
        }
    }
}

int spRunReproduce(int argc, char** argv)
{
    spReproduceOptions options;
    int code = spParseReproduce(&options, argc, argv);
    if (code != SP_GO_ON)
    {
        return code;
    }
    const char* name = options.name;
    spReproduction common = {
        .json = options.json, .quick = options.quick, .part = options.part, .mesh = options.mesh};
    spReportPlan report = {.path = options.report,
                           .title = "Published experiments, run again",
                           .argc = argc,
                           .argv = argv,
                           .quiet = options.json};
    int known = 0;
    for (int i = 0; i < SP_EXPERIMENT_COUNT; ++i)
    {
        known += name == NULL || strcmp(name, s_experiments[i].name) == 0 ? 1 : 0;
        if (options.list)
        {
            printf("%-15s %s\n", s_experiments[i].name, s_experiments[i].doc);
        }
    }
    if (options.list)
    {
        return SP_EXIT_FINE;
    }
    if (options.all && name != NULL)
    {
        return spFailUsage("--all runs every experiment; leave '%s' or --all out", name);
    }
    if (known == 0)
    {
        return spFailUsage("there is no experiment '%s'; 'souple reproduce --list' names them", name);
    }
    for (int i = 0; common.part != NULL && i < SP_EXPERIMENT_COUNT; ++i)
    {
        const spExperiment* e = s_experiments + i;
        if ((name == NULL || strcmp(name, e->name) == 0) && spHasPart(e, common.part) == false)
        {
            return spFailUsage("the experiment '%s' has no part '%s'; %s%s", e->name, common.part,
                               e->parts != NULL ? "its parts are " : "it has none",
                               e->parts != NULL ? e->parts : "");
        }
    }
    code = report.path != NULL ? spCheckReports() : SP_GO_ON;
    if (code != SP_GO_ON)
    {
        return code;
    }
    if (spMakeFolders(options.out) == false)
    {
        return spFailUsage("cannot make the folder %s: %s", options.out, strerror(errno));
    }
    common.draft = report.path != NULL ? spMakeDraft() : NULL;
    json_t* experiments = json_array();
    spTally tally = {0};
    code = SP_EXIT_FINE;
    for (int i = 0; i < SP_EXPERIMENT_COUNT; ++i)
    {
        if (name == NULL || strcmp(name, s_experiments[i].name) == 0)
        {
            int result = spRunExperiment(s_experiments + i, &common, options.out, experiments, &tally);
            code = result != SP_EXIT_FINE ? result : code;
        }
    }
    if (common.draft != NULL)
    {
        char summary[400];
        snprintf(summary, sizeof(summary),
                 "What was published beside what this library measures, row by row: %d rows, %d agree, %d "
                 "differ, %d hold where nothing was published, %d are not judged. The first column is the "
                 "row of docs/seeds.md that the number belongs to.%s",
                 tally.rows, tally.rows - tally.deviations - tally.held - tally.unjudged, tally.deviations,
                 tally.held, tally.unjudged,
                 common.quick ? " Run with --quick: small sizes and few steps." : "");
        report.summary = summary;
        spDraftWorks(common.draft, experiments);
        if (tally.deviations > 0)
        {
            spDraftDeviations(common.draft, experiments);
        }
        spDraftToFront(common.draft, tally.deviations > 0 ? 2 : 1);
        int reportCode = spSaveDraft(common.draft, &report);
        code = reportCode != SP_EXIT_FINE ? reportCode : code;
    }
    spDestroyDraft(common.draft);
    if (common.json)
    {
        json_t* object = spMakeMeasuredJson();
        json_object_set_new(object, "experiments", experiments);
        spPrintJson(object);
    }
    else
    {
        json_decref(experiments);
    }
    return code;
}
