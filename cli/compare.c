// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// souple compare: one scene by several methods, error against cost.
//
// The reference is the same scene at a step so small that it does not matter any more: the step is halved
// until that changes less than a tenth of the smallest error shown. Runge-Kutta 4 is the default because its
// error falls fastest, with damping too (Verlet is of first order there).

#include "compare.h"

#include "commands.h"
#include "options.h"
#include "souple/souple.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// One substep in each step: the step is what is halved
#define SP_REFERENCE_METHOD "rungeKutta4:substeps=1"

// Halvings of the reference's step at most, and tenfold smaller tolerances of a relaxation
#define SP_MAX_HALVINGS 6
#define SP_MAX_TIGHTENINGS 8

typedef struct spCompareOptions
{
    const char* methods;
    const char* steps;
    const char* reference;
    const char* csv;
    const char* plot;
    const char* report;
    double duration;
    int argc;
    char** argv;
} spCompareOptions;

// ---------------------------------------------------------------------------------------------------------
// What the user wrote

// "1/60" or "0.001" to seconds; 0 when it is neither
static double spReadStep(const char* text)
{
    char* end = NULL;
    double value = strtod(text, &end);
    if (end != text && *end == '/')
    {
        const char* below = end + 1;
        value /= strtod(below, &end);
        end = end == below ? NULL : end;
    }
    bool good = end != NULL && end != text && *end == 0 && value >= 1e-9 && value <= 10.0;
    return good ? value : 0.0;
}

static int spFailStep(const char* text)
{
    return spFailUsage("\"%.40s\" is no time step; write seconds from 1e-9 to 10, as in 1/60 or 0.001", text);
}

// METHOD or METHOD@STEP
static int spReadEntry(const char* text, size_t size, spEntry* entry)
{
    if (size >= SP_METHOD_SIZE)
    {
        return spFailUsage("the method \"%.40s...\" is too long", text);
    }
    snprintf(entry->method, sizeof(entry->method), "%.*s", (int)size, text);
    char* at = strchr(entry->method, '@');
    if (at != NULL)
    {
        *at = 0;
        entry->dt = spReadStep(at + 1);
        if (entry->dt == 0.0)
        {
            return spFailStep(at + 1);
        }
    }
    return entry->method[0] != 0 ? SP_GO_ON
                                 : spFailUsage("a method is missing: write names between the commas");
}

// All methods; those without a step of their own at each of the steps
static int spReadEntries(spComparison* comparison, const spCompareOptions* options)
{
    for (const char* part = options->methods; part != NULL;)
    {
        size_t size = strcspn(part, ",");
        spEntry entry = {0};
        int code = spReadEntry(part, size, &entry);
        const char* step = entry.dt == 0.0 ? options->steps : NULL;
        do
        {
            char word[40] = "";
            size_t length = step != NULL ? strcspn(step, ",") : 0;
            if (code == SP_GO_ON && step != NULL)
            {
                snprintf(word, sizeof(word), "%.*s", (int)(length < 39 ? length : 39), step);
                entry.dt = spReadStep(word);
                code = entry.dt > 0.0 ? code : spFailStep(word);
                step = step[length] == ',' ? step + length + 1 : NULL;
            }
            if (code == SP_GO_ON && comparison->entryCount == SP_MAX_ENTRIES)
            {
                code = spFailUsage("more than %d runs: take fewer methods or steps", SP_MAX_ENTRIES);
            }
            if (code != SP_GO_ON)
            {
                return code;
            }
            comparison->entries[comparison->entryCount++] = entry;
        } while (step != NULL);
        part = part[size] == ',' ? part + size + 1 : NULL;
    }
    return SP_GO_ON;
}

// Methods that cannot be are told before anything is played
static int spCheckEntry(const spComparison* comparison, const spEntry* entry)
{
    spError error = SP_ZERO_INIT;
    if (strcmp(entry->method, "scene") == 0)
    {
        return SP_GO_ON;
    }
    spScene* scene = spCopySceneWithMethod(comparison->scene, entry->method, NULL, &error);
    if (scene == NULL)
    {
        return spFailUsage("%s", error.message);
    }
    spDestroyScene(scene);
    return SP_GO_ON;
}

// The scene without measurements: they take time that no method can help
static spScene* spLoadBareScene(const char* path, spError* error)
{
    spScene* scene = spLoadScene(path, NULL, error);
    size_t size = 0;
    const char* text = scene != NULL ? spScene_GetText(scene, &size) : NULL;
    json_t* root = scene != NULL ? json_loadb(text, size, 0, NULL) : NULL;
    spScene* bare = NULL;
    if (json_object_del(root, "measurements") != 0)
    {
        bare = scene;
    }
    else
    {
        char folder[4096];
        const char* slash = strrchr(path, '/');
        snprintf(folder, sizeof(folder), "%.*s", slash != NULL ? (int)(slash - path) + 1 : 0, path);
        json_object_set_new(root, "name", json_string(spScene_GetName(scene)));
        char* rest = json_dumps(root, 0);
        bare = rest != NULL ? spParseScene(rest, strlen(rest), folder, NULL, error) : NULL;
        free(rest);
        spDestroyScene(scene);
    }
    json_decref(root);
    return bare;
}

static bool spHasEntries(const json_t* root, const char* key)
{
    const json_t* list = json_object_get(root, key);
    return json_is_object(list) || json_array_size(list) > 0;
}

static bool spHasMotions(const json_t* root)
{
    const json_t* list = json_object_get(root, "colliders");
    bool found = json_object_get(list, "motion") != NULL;
    for (size_t i = 0; i < json_array_size(list); ++i)
    {
        found = found || json_object_get(json_array_get(list, i), "motion") != NULL;
    }
    return found;
}

// Names of bodies, times of comparison, and what else happens in the scene
static int spExamineScene(spComparison* comparison)
{
    spError error = SP_ZERO_INIT;
    spScene* none = NULL;
    spEntry asItIs = {.method = "scene"};
    spRun* run = spStartEntry(comparison, &asItIs, &none, &error);
    if (run == NULL)
    {
        return spFailFile(comparison->path, &error);
    }
    spWorld* world = spRun_GetWorld(run);
    int count = spWorld_GetBodyCount(world);
    double rate = spScene_GetOutput(comparison->scene).frameRate;
    double frames = floor(comparison->duration * rate + 1e-6);
    spBodyId* ids = calloc((size_t)count + 1, sizeof(spBodyId));
    comparison->bodyNames = calloc((size_t)count + 1, sizeof(*comparison->bodyNames));
    comparison->times = calloc((size_t)fmin(frames, 1e7) + 2, sizeof(double));
    if (ids != NULL && comparison->bodyNames != NULL && comparison->times != NULL)
    {
        comparison->bodyCount = spWorld_GetBodies(world, ids, count);
        for (int i = 0; i < comparison->bodyCount; ++i)
        {
            snprintf(comparison->bodyNames[i], 64, "%s", spBody_GetName(world, ids[i]));
        }
        comparison->frameCount = 1;
        for (int i = 1; i <= (int)fmin(frames, 1e7); ++i)
        {
            comparison->times[comparison->frameCount++] = i / rate;
        }
        if (comparison->times[comparison->frameCount - 1] < comparison->duration - 1e-6 / rate)
        {
            comparison->times[comparison->frameCount++] = comparison->duration;
        }
    }
    free(ids);
    spDestroyRun(run);
    if (comparison->frameCount == 0)
    {
        return spFailUsage("%s: no memory", comparison->path);
    }
    if (comparison->bodyCount == 0)
    {
        return spFailUsage("%s: the scene has no bodies: there is nothing to compare", comparison->path);
    }
    json_t* root = json_loads(spScene_GetText(comparison->scene, NULL), 0, NULL);
    bool happens = spHasEntries(root, "events");
    comparison->mayEndEarly = happens == false && spHasMotions(root) == false;
    comparison->isStatic = happens == false && spHasEntries(root, "colliders") == false &&
                           spHasEntries(root, "attachments") == false;
    json_decref(root);
    return SP_GO_ON;
}

// ---------------------------------------------------------------------------------------------------------
// The reference

// Measures all entries. Returns the smallest error there is, infinity when there is none.
static double spMeasureEntries(spComparison* comparison, const spEntry* reference)
{
    double least = (double)INFINITY;
    for (int i = 0; i < comparison->entryCount; ++i)
    {
        spEntry* entry = &comparison->entries[i];
        spCompareEntries(reference, entry, &entry->difference);
        double error = entry->difference.error;
        least = error > 0.0 && error < least ? error : least;
    }
    return least;
}

// A candidate after another one, which it should hardly differ from. Returns true when it is good enough, or
// when going on is no use: a difference that does not fall any more is that of rounding, which grows with the
// number of steps, or of chaos. Then the one before stays.
static bool spTakeCandidate(spComparison* comparison, spEntry* candidate)
{
    spReference* reference = &comparison->reference;
    bool first = reference->entry.track.x == NULL, useless = false;
    if (first == false)
    {
        spDifference difference = {0};
        spCompareEntries(candidate, &reference->entry, &difference);
        free(difference.bodyError);
        useless = difference.error >= 0.5 * reference->change;
        reference->change = useless ? fmin(reference->change, difference.error) : difference.error;
    }
    if (useless)
    {
        spFreeEntry(candidate);
    }
    else
    {
        spFreeEntry(&reference->entry);
        reference->entry = *candidate;
    }
    double least = spMeasureEntries(comparison, &reference->entry);
    reference->converged = reference->change <= 0.1 * least;
    return useless || reference->converged;
}

// The step to begin with: the largest that is compared, cut down to what is stable. Far smaller ones would
// gain nothing but rounding.
static bool spChooseStep(spComparison* comparison, spEntry* entry, spError* error)
{
    entry->dt = comparison->entries[0].dt;
    for (int i = 1; i < comparison->entryCount; ++i)
    {
        entry->dt = fmax(entry->dt, comparison->entries[i].dt);
    }
    spScene* scene = NULL;
    spRun* run = spStartEntry(comparison, entry, &scene, error);
    double stable = (double)INFINITY;
    if (run != NULL)
    {
        spWorld* world = spRun_GetWorld(run);
        for (int i = 0; i < comparison->bodyCount; ++i)
        {
            double step = spBody_GetStableStep(world, spRun_FindBody(run, comparison->bodyNames[i]));
            stable = step > 0.0 ? fmin(stable, step) : stable;
        }
    }
    while (entry->dt > 0.8 * stable)
    {
        entry->dt *= 0.5;
    }
    bool good = run != NULL;
    spDestroyRun(run);
    spDestroyScene(scene);
    return good;
}

// By steps. A method with a step is taken as it is.
static bool spPlayReference(spComparison* comparison, const spEntry* wanted, spError* error)
{
    spEntry first = *wanted;
    bool fixed = wanted->dt > 0.0;
    if (fixed == false && spChooseStep(comparison, &first, error) == false)
    {
        return false;
    }
    double dt = first.dt;
    for (int i = 0; i <= SP_MAX_HALVINGS && spIsInterrupted() == false; ++i, dt *= 0.5)
    {
        spEntry candidate = *wanted;
        candidate.dt = dt;
        comparison->part = 0.5 * (1.0 - comparison->share);
        if (spPlayEntry(comparison, &candidate, error) == false)
        {
            spFreeEntry(&candidate);
            return false;
        }
        comparison->share += comparison->part;
        if (candidate.stopped && fixed == false)
        {
            spFreeEntry(&candidate);
            continue;
        }
        if (spTakeCandidate(comparison, &candidate) || fixed)
        {
            return true;
        }
    }
    return comparison->reference.entry.track.x != NULL || spIsInterrupted() ||
           (snprintf(
                error->message, sizeof(error->message),
                "the reference \"%.60s\" turns non-finite even at steps of %.3g s; choose another one with "
                "--reference",
                wanted->method, dt) < 0);
}

// One relaxation of all bodies. *residual is what it left, *converged whether that is small enough.
static bool spRelaxBodies(const spComparison* comparison, double tolerance, spEntry* candidate,
                          double* residual, bool* converged)
{
    spError error = SP_ZERO_INIT;
    spScene* none = NULL;
    spRun* run = spStartEntry(comparison, candidate, &none, &error);
    if (run == NULL)
    {
        return false;
    }
    spWorld* world = spRun_GetWorld(run);
    bool good = spKeepFrame(&candidate->track, world, 2, 0);
    *residual = 0.0;
    *converged = true;
    for (int body = 0; body < comparison->bodyCount && good; ++body)
    {
        spRelaxDef def = spDefaultRelaxDef();
        spRelaxResult result = SP_ZERO_INIT;
        def.tolerance = tolerance;
        good = spBody_Relax(world, spRun_FindBody(run, comparison->bodyNames[body]), &def, &result);
        *converged = *converged && result.converged;
        *residual = fmax(*residual, result.residual);
    }
    good = good && spKeepFrame(&candidate->track, world, 2, 1);
    spDestroyRun(run);
    return good;
}

// By relaxation, to smaller and smaller residuals. Returns false when there is no equilibrium to be found.
static bool spRelaxReference(spComparison* comparison)
{
    spReference* reference = &comparison->reference;
    bool done = false;
    for (int i = 0; i < SP_MAX_TIGHTENINGS && done == false && spIsInterrupted() == false; ++i)
    {
        spEntry candidate = {.method = "scene"};
        double residual;
        bool converged;
        bool good = spRelaxBodies(comparison, 0.01 * pow(0.1, i), &candidate, &residual, &converged);
        if (good == false || (converged == false && i == 0))
        {
            spFreeEntry(&candidate);
            break;
        }
        // One that was not reached still is the nearest that this precision comes
        done = spTakeCandidate(comparison, &candidate) || converged == false;
        reference->residual = residual;
    }
    reference->relaxed = reference->entry.track.x != NULL;
    if (reference->relaxed)
    {
        snprintf(reference->entry.method, SP_METHOD_SIZE, "relaxation");
    }
    return reference->relaxed;
}

static int spFindReference(spComparison* comparison, const spEntry* wanted, bool isDefault)
{
    spError error = SP_ZERO_INIT;
    comparison->reference.change = (double)NAN;
    bool good = (comparison->settle && isDefault && comparison->isStatic && spRelaxReference(comparison)) ||
                spPlayReference(comparison, wanted, &error);
    if (spIsInterrupted())
    {
        return SP_EXIT_INTERRUPTED;
    }
    if (good == false)
    {
        return spFailFile(comparison->path, &error);
    }
    comparison->reference.size = spGetSize(&comparison->reference.entry.track, -1);
    if (comparison->reference.entry.stopped)
    {
        return spFailUsage("%s: the reference \"%.60s\" turns non-finite at %.3g s; choose a smaller step",
                           comparison->path, wanted->method, comparison->reference.entry.stopTime);
    }
    if (comparison->reference.size == 0.0)
    {
        return spFailUsage("%s: nothing moves in the reference: there is nothing to compare",
                           comparison->path);
    }
    return SP_GO_ON;
}

// ---------------------------------------------------------------------------------------------------------
// The command

static int spParseCompare(int argc, char** argv, spComparison* comparison, spCompareOptions* options)
{
    const spOption table[] = {
        {"methods", sp_optionText, "METHODS", &options->methods,
         "methods with commas between them, see above", 0, 0, 'm'},
        {"steps", sp_optionText, "STEPS", &options->steps,
         "time steps in seconds for methods that have none of their own, as in 1/30,1/60,0.002", 0, 0, 0},
        {"reference", sp_optionText, "METHOD", &options->reference,
         "compare with this; without @STEP its step is halved as for the default, rungeKutta4", 0, 0, 0},
        {"settle", sp_optionFlag, NULL, &comparison->settle,
         "compare the shapes in which everything has come to rest", 0, 0, 0},
        {"duration", sp_optionNumber, "SECONDS", &options->duration,
         "simulated time in seconds instead of the scene's", 1e-9, 1e6, 0},
        {"threads", sp_optionInteger, "COUNT", &comparison->threads,
         "threads that work on a step, 1 by default", 1, SP_MAX_WORKERS, 0},
        {"lanes", sp_optionInteger, "LANES", &comparison->lanes,
         "lanes of the kernels: 1, 4, 8 or 16; by default the most that the processor has", 1, 16, 0},
        {"csv", sp_optionText, "FILE", &options->csv, "write the table as CSV too", 0, 0, 0},
        {"plot", sp_optionText, "FILE", &options->plot, "plot error against cost, to a .png or .svg file", 0,
         0, 0},
        {"report", sp_optionText, "FILE", &options->report, "write table and plot as one HTML file", 0, 0, 0},
        {"json", sp_optionFlag, NULL, &comparison->json, "print one JSON object instead of a table", 0, 0, 0},
        {"quiet", sp_optionFlag, NULL, &comparison->quiet, "print nothing but errors", 0, 0, 'q'},
    };
    static const char* const examples[] = {
        "souple compare scenes/tet_beam.json --methods symplecticEuler,verlet,rungeKutta4",
        "souple compare scenes/cloth.json --methods scene,verlet:substeps=8@1/120",
        "souple compare scenes/tet_beam.json -m verlet:substeps=1 --steps 1/2000,1/4000 --plot beam.png",
        "souple compare scenes/tet_beam.json -m backwardEuler,xpbd,xpbd:solver=gaussSeidel:iterations=50",
        "souple compare scenes/tet_beam.json -m scene --reference verlet:substeps=1@0.00005 --json",
        NULL,
    };
    const spUsage usage = {
        .usage = "souple compare SCENE --methods METHODS [options]",
        .description =
            "Plays a scene by several methods and tells how far each ends from a reference, and what it "
            "costs.\n"
            "\n"
            "A method is TYPE[:KEY=VALUE]...[@STEP]: a type and keys of \"method\" in scene files ('souple "
            "help\n"
            "scene-format'), and a time step in seconds, which may be a fraction. Keys of objects in it need "
            "no\n"
            "prefix where they are clear: filter=gaussian, filter.type=gaussian:lambda=0.5, and\n"
            "xpbd:solver=gaussSeidel:accelerator=anderson:iterations=30. What is not said has its default, "
            "only\n"
            "\"contact\" stays as in the scene. The word scene alone leaves all bodies as they are.\n"
            "Explicit methods cut a step into as many substeps as are stable, unless substeps=N is said.\n"
            "\n"
            "The error is the root mean square distance of nodes to the reference, at the times at which the "
            "scene\n"
            "is recorded, over the largest displacement in the reference. The cost is processor time.",
        .options = table,
        .optionCount = (int)(sizeof(table) / sizeof(table[0])),
        .minOperands = 1,
        .maxOperands = 1,
        .examples = examples,
        .trouble = "a run turned non-finite, or no error can be told from the reference's own",
    };
    int operandCount = 0;
    int code = spParseOptions(&usage, argc, argv, &comparison->path, &operandCount);
    if (code != SP_GO_ON)
    {
        return code;
    }
    if (options->methods == NULL)
    {
        return spFailUsage("--methods is missing: which ones? As in --methods symplecticEuler,verlet");
    }
    int lanes = comparison->lanes;
    if (lanes != 0 && lanes != 1 && lanes != 4 && lanes != 8 && lanes != 16)
    {
        return spFailUsage("--lanes must be 1, 4, 8 or 16, but is %d", lanes);
    }
    const char* ending = options->plot != NULL ? strrchr(options->plot, '.') : NULL;
    if (options->plot != NULL &&
        (ending == NULL || (strcmp(ending, ".png") != 0 && strcmp(ending, ".svg") != 0)))
    {
        return spFailUsage("--plot writes .png and .svg files, but got \"%s\"", options->plot);
    }
    code = options->report != NULL ? spCheckReports() : SP_GO_ON;
    return code == SP_GO_ON ? spReadEntries(comparison, options) : code;
}

// The reference as the user or nobody wrote it. Steps are refined only where one substep makes a step.
static int spReadReference(const spComparison* comparison, const char* text, spEntry* reference)
{
    int code = spReadEntry(text != NULL ? text : SP_REFERENCE_METHOD,
                           strlen(text != NULL ? text : SP_REFERENCE_METHOD), reference);
    if (code == SP_GO_ON && reference->dt == 0.0 && strcmp(reference->method, "scene") == 0)
    {
        return spFailUsage("--reference scene needs a step, as in scene@0.0001");
    }
    size_t size = strlen(reference->method);
    if (code == SP_GO_ON && reference->dt == 0.0 && strstr(reference->method, "substeps=") == NULL &&
        size + 12 < sizeof(reference->method))
    {
        snprintf(reference->method + size, sizeof(reference->method) - size, ":substeps=1");
    }
    return code == SP_GO_ON ? spCheckEntry(comparison, reference) : code;
}

// What a comparison is worth: 1 when a run did not come to its end, or no error can be told from the
// reference's
static int spJudge(const spComparison* comparison)
{
    bool told = false, stopped = false;
    for (int i = 0; i < comparison->entryCount; ++i)
    {
        const spEntry* entry = &comparison->entries[i];
        stopped = stopped || entry->stopped;
        told = told || !(entry->difference.error < 10.0 * comparison->reference.change);
    }
    return stopped || told == false ? SP_EXIT_TROUBLE : SP_EXIT_FINE;
}

static int spReportComparison(const spComparison* comparison, const spCompareOptions* options)
{
    char title[160];
    snprintf(title, sizeof(title), "%.80s: methods compared", spScene_GetName(comparison->scene));
    spReportPlan plan = {.path = options->report,
                         .title = title,
                         .summary = "Error of several methods against what they cost, each measured from one "
                                    "reference.",
                         .argc = options->argc,
                         .argv = options->argv,
                         .quiet = comparison->quiet || comparison->json};
    spDraft* draft = spMakeDraft();
    spDraftComparison(comparison, draft);
    int code = draft != NULL ? spSaveDraft(draft, &plan) : SP_EXIT_USAGE;
    spDestroyDraft(draft);
    return code;
}

static int spCompare(spComparison* comparison, const spCompareOptions* options)
{
    spEntry wanted = {0};
    comparison->duration =
        options->duration > 0.0 ? options->duration : spScene_GetDuration(comparison->scene);
    int code = spReadReference(comparison, options->reference, &wanted);
    for (int i = 0; i < comparison->entryCount && code == SP_GO_ON; ++i)
    {
        code = spCheckEntry(comparison, &comparison->entries[i]);
    }
    code = code == SP_GO_ON ? spExamineScene(comparison) : code;
    spCatchInterrupt();
    comparison->bar = spMakeBar("compare", comparison->quiet == false && comparison->json == false);
    comparison->part = 0.5 / comparison->entryCount;
    for (int i = 0; i < comparison->entryCount && code == SP_GO_ON; ++i)
    {
        spError error = SP_ZERO_INIT;
        comparison->share = comparison->part * i;
        if (spPlayEntry(comparison, &comparison->entries[i], &error) == false)
        {
            spClearBar(&comparison->bar);
            code = spFailFile(comparison->path, &error);
        }
        code = spIsInterrupted() ? SP_EXIT_INTERRUPTED : code;
    }
    comparison->share = 0.5;
    code = code == SP_GO_ON ? spFindReference(comparison, &wanted, options->reference == NULL) : code;
    spClearBar(&comparison->bar);
    if (code != SP_GO_ON)
    {
        return code;
    }
    if (comparison->json)
    {
        spPrintJson(spMakeComparisonJson(comparison));
    }
    else if (comparison->quiet == false)
    {
        spTellComparison(comparison);
    }
    code = spJudge(comparison);
    int csvCode = options->csv != NULL ? spWriteComparison(comparison, options->csv) : SP_EXIT_FINE;
    int plotCode = options->plot != NULL ? spPlotComparison(comparison, options->plot) : SP_EXIT_FINE;
    int reportCode = options->report != NULL ? spReportComparison(comparison, options) : SP_EXIT_FINE;
    const int codes[] = {csvCode, plotCode, reportCode};
    for (int i = 0; i < 3; ++i)
    {
        code = codes[i] != SP_EXIT_FINE ? codes[i] : code;
    }
    return code;
}

int spRunCompare(int argc, char** argv)
{
    spComparison* comparison = calloc(1, sizeof(spComparison));
    if (comparison == NULL)
    {
        return spFailUsage("no memory");
    }
    spCompareOptions options = {.argc = argc, .argv = argv};
    comparison->threads = 1;
    int code = spParseCompare(argc, argv, comparison, &options);
    if (code == SP_GO_ON)
    {
        spError error = SP_ZERO_INIT;
        comparison->scene = spLoadBareScene(comparison->path, &error);
        code = comparison->scene != NULL ? spCompare(comparison, &options)
                                         : spFailFile(comparison->path, &error);
    }
    for (int i = 0; i < comparison->entryCount; ++i)
    {
        spFreeEntry(&comparison->entries[i]);
    }
    spFreeEntry(&comparison->reference.entry);
    spDestroyScene(comparison->scene);
    free(comparison->bodyNames);
    free(comparison->times);
    free(comparison);
    return code;
}
