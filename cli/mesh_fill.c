// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// souple mesh fill and levels: solids of a surface, one or several resolutions of it.

#include "commands.h"
#include "mesh_tools.h"
#include "mesh_words.h"
#include "souple/fill.h"

#include <stdio.h>
#include <string.h>

// ---- fill ----

// Options of fill and levels alike
// clang-format off
#define SP_FILL_OPTIONS(def)                                                                                                \
    {"growth", sp_optionNumber, "FACTOR", &(def).growth,                                                                    \
     "let tets inside be longer by so many metres per metre of distance from the surface", 0, 10, 0},                       \
    {"sharp", sp_optionNumber, "DEGREES", &(def).sharpAngle,                                                                \
     "keep edges at which the surface turns by more than this, and corners, where angles allow it", 0, 180, 0}
// clang-format on

static bool spShowFill(double fraction, void* context)
{
    spShowBar(context, fraction, "");
    return !spIsInterrupted();
}

// What of a surface was not as it should be, and what of it the tets do not have. Returns how many.
#define SP_FILL_NOTES 3
static int spMakeFillNotes(const spFillReport* report, char notes[SP_FILL_NOTES][SP_MESH_SENTENCE])
{
    int count = 0;
    if (!report->closed && report->openEdgeCount > 0)
    {
        snprintf(
            notes[count++], SP_MESH_SENTENCE,
            "the surface is not closed (%d open edges): holes were closed where its winding number is 1/2",
            report->openEdgeCount);
    }
    else if (!report->closed)
    {
        snprintf(notes[count++], SP_MESH_SENTENCE,
                 "more than two triangles share an edge of the surface: inside is where its winding number "
                 "is above 1/2");
    }
    if (report->maxDistance > 0.5 * report->size)
    {
        snprintf(
            notes[count++], SP_MESH_SENTENCE,
            "the surface is up to %.3g m away from the tets: parts thinner than about %.3g m are lost, a "
            "smaller --size keeps them",
            report->maxDistance, report->size);
    }
    if (report->droppedParts > 0)
    {
        snprintf(notes[count++], SP_MESH_SENTENCE,
                 "%d part%s of %d tets hung together with the rest by thinner parts only and %s left out",
                 report->droppedParts, report->droppedParts == 1 ? "" : "s", report->droppedTetCount,
                 report->droppedParts == 1 ? "is" : "are");
    }
    return count;
}

static void spTellFill(const char* path, const spMesh* mesh, const spFillReport* report,
                       const spMeshReport* state)
{
    char notes[SP_FILL_NOTES][SP_MESH_SENTENCE], sentence[SP_MESH_SENTENCE];
    printf("%s: %d tets on %d nodes, size %.4g m\n", path, state->tetCount, state->vertexCount, report->size);
    printf("  volume %.6g m^3", state->volume);
    if (report->closed)
    {
        printf(", %.2f %% of the %.6g m^3 in the surface", 100.0 * state->volume / report->surfaceVolume,
               report->surfaceVolume);
    }
    printf("; the surface is at most %.3g m away from the tets\n", report->maxDistance);
    spTellHistogram(state);
    printf("\n");
    int count = spMakeFillNotes(report, notes);
    for (int i = 0; i < count; ++i)
    {
        printf("  note: %s\n", notes[i]);
    }
    spTellMeshTrouble(mesh, state);
    spJudgeMesh(state, mesh, sentence);
    puts(sentence);
}

static json_t* spMakeFillJson(const spFillReport* report)
{
    char texts[SP_FILL_NOTES][SP_MESH_SENTENCE];
    int count = spMakeFillNotes(report, texts);
    json_t* notes = json_array();
    for (int i = 0; i < count; ++i)
    {
        json_array_append_new(notes, json_string(texts[i]));
    }
    json_t* json = json_object();
    json_object_set_new(json, "size", spMakeJsonNumber(report->size));
    json_object_set_new(json, "surfaceClosed", json_boolean(report->closed));
    json_object_set_new(json, "surfaceVolume", spMakeJsonNumber(report->surfaceVolume));
    json_object_set_new(json, "maxDistance", spMakeJsonNumber(report->maxDistance));
    json_object_set_new(json, "droppedParts", json_integer(report->droppedParts));
    json_object_set_new(json, "droppedTets", json_integer(report->droppedTetCount));
    json_object_set_new(json, "notes", notes);
    return json;
}

// What a filling says after it failed. Returns an exit code.
static int spFailFill(const char* path, const spError* error)
{
    if (spIsInterrupted())
    {
        fprintf(stderr, "souple: interrupted; nothing was written\n");
        return SP_EXIT_INTERRUPTED;
    }
    return spFailFile(path, error);
}

// Lets a filling show a bar, and stop when the user says so
static void spShowProgress(spFillMeshDef* def, spBar* bar)
{
    def->progress = spShowFill;
    def->progressContext = bar;
    spCatchInterrupt();
}

// Fills a surface, with a bar. Returns an exit code, and a mesh when it is SP_EXIT_FINE.
static int spFillSurface(const char* path, const spMesh* surface, spFillMeshDef* def, bool quiet,
                         spMesh** mesh, spFillReport* report)
{
    spError error = SP_ZERO_INIT;
    spBar bar = spMakeBar("fill", !quiet);
    spShowProgress(def, &bar);
    *mesh = spFillMesh(surface, def, report, &error);
    spClearBar(&bar);
    return *mesh != NULL ? SP_EXIT_FINE : spFailFill(path, &error);
}

int spMeshFill(int argc, char** argv)
{
    bool json = false;
    const char* out = NULL;
    const char* format = NULL;
    spFillMeshDef def = spDefaultFillMeshDef();
    const spOption table[] = {
        {"out", sp_optionText, "FILE", (void*)&out,
         "file to write; its ending chooses the format, as for 'souple mesh convert'", 0, 0, 'o'},
        {"size", sp_optionNumber, "METRES", &def.size, "longest edge of the tets inside", 1e-12, 1e12, 0},
        {"tets", sp_optionInteger, "COUNT", &def.tetCount,
         "without --size: about so many tets, 5000 by default; several sizes are tried", 1, 1e8, 0},
        SP_FILL_OPTIONS(def),
        {"format", sp_optionText, "FORMAT", &format, "format of FILE, as for 'souple mesh convert'", 0, 0, 0},
        {"json", sp_optionFlag, NULL, &json, "print one JSON object on the result", 0, 0, 0},
    };
    static const char* const examples[] = {
        "souple mesh fill scan.stl --size 0.1 -o solid.vtu",
        "souple mesh fill part.stl --tets 20000 --sharp 30 --growth 1 -o solid.msh", NULL};
    const spUsage usage = {
        .usage = "souple mesh fill MESH -o FILE [options]",
        .description =
            "Makes a solid of a surface: tets inside, all dihedral angles within 10.7 and 164.8 degrees. The "
            "surface\n"
            "may be open, cross itself or consist of parts; inside is where its winding number is above 1/2. "
            "Of a\n"
            "mesh with tets the boundary is filled anew.",
        .options = table,
        .optionCount = (int)(sizeof(table) / sizeof(table[0])),
        .minOperands = 1,
        .maxOperands = 1,
        .examples = examples,
    };
    const char* path = NULL;
    spMesh* surface = NULL;
    int code = spLoadOperand(&usage, argc, argv, &path, &surface);
    if (code != SP_GO_ON)
    {
        return code;
    }
    spError error = SP_ZERO_INIT;
    spMesh* mesh = NULL;
    spFillReport report;
    spMeshReport state;
    code = out != NULL ? spFillSurface(path, surface, &def, json, &mesh, &report)
                       : spFailUsage("-o is missing: where should the mesh go?");
    spDestroyMesh(surface);
    if (code == SP_EXIT_FINE)
    {
        code = spMesh_Validate(mesh, &state, &error) ? spSaveMeshHere(mesh, out, format)
                                                     : spFailFile(path, &error);
    }
    if (code == SP_EXIT_FINE && json)
    {
        json_t* result = spMakeReportJson(out, mesh, &state);
        json_object_set_new(result, "filled", spMakeFillJson(&report));
        spPrintJson(result);
    }
    else if (code == SP_EXIT_FINE)
    {
        spTellFill(out, mesh, &report, &state);
    }
    spDestroyMesh(mesh);
    return code;
}

// ---- levels ----

// solid-0.vtu of solid.vtu. Returns false when it is too long.
static bool spMakeLevelName(char* name, size_t size, const char* path, int level)
{
    const char* slash = strrchr(path, '/');
    const char* dot = strrchr(path, '.');
    dot = dot != NULL && (slash == NULL || dot > slash) ? dot : path + strlen(path);
    int length = snprintf(name, size, "%.*s-%d%s", (int)(dot - path), path, level, dot);
    return length > 0 && (size_t)length < size;
}

// Writes one level and tells of it: a line, or an entry of the list
static int spFinishLevel(const spMesh* mesh, const char* name, const char* format, json_t* list,
                         const spFillReport* report)
{
    spError error = SP_ZERO_INIT;
    spMeshReport state;
    int code =
        spMesh_Validate(mesh, &state, &error) ? spSaveMeshHere(mesh, name, format) : spFailFile(name, &error);
    if (code == SP_EXIT_FINE && list != NULL)
    {
        json_t* level = spMakeReportJson(name, mesh, &state);
        json_object_set_new(level, "filled", spMakeFillJson(report));
        json_array_append_new(list, level);
    }
    else if (code == SP_EXIT_FINE)
    {
        printf("%-28s %9.4g %9d %9d %6d %7.1f - %5.1f %11.3g %10.4g\n", name, report->size, state.tetCount,
               state.vertexCount, state.componentCount, state.minDihedral, state.maxDihedral,
               report->maxDistance, state.volume);
    }
    return code;
}

// All files, or an exit code
static int spFinishLevels(spMesh** levels, const spFillReport* reports, int count, const char* out,
                          const char* format, bool json)
{
    json_t* list = json ? json_array() : NULL;
    int code = SP_EXIT_FINE;
    if (!json)
    {
        printf("%-28s %9s %9s %9s %6s %15s %11s %10s\n", "file", "size, m", "tets", "nodes", "parts",
               "angles, degrees", "distance, m", "volume, m3");
    }
    for (int i = 0; i < count && code == SP_EXIT_FINE; ++i)
    {
        char name[4096];
        code = spMakeLevelName(name, sizeof(name), out, i)
                   ? spFinishLevel(levels[i], name, format, list, reports + i)
                   : spFailUsage("the name after -o is too long");
    }
    if (code == SP_EXIT_FINE && json)
    {
        spPrintJson(json_pack("{so}", "levels", json_incref(list)));
    }
    else if (code == SP_EXIT_FINE)
    {
        char notes[SP_FILL_NOTES][SP_MESH_SENTENCE];
        int noteCount = spMakeFillNotes(reports + count - 1, notes);
        for (int i = 0; i < noteCount; ++i)
        {
            printf("  note: level %d: %s\n", count - 1, notes[i]);
        }
    }
    json_decref(list);
    return code;
}

int spMeshLevels(int argc, char** argv)
{
    bool json = false;
    const char* out = NULL;
    const char* format = NULL;
    spFillLevelsDef def = spDefaultFillLevelsDef();
    const spOption table[] = {
        {"out", sp_optionText, "FILE", (void*)&out,
         "files to write: solid.vtu gives solid-0.vtu, the finest, solid-1.vtu and so on", 0, 0, 'o'},
        {"levels", sp_optionInteger, "COUNT", &def.levelCount, "how many, 3 by default", 2,
         SP_MAX_FILL_LEVELS, 0},
        {"ratio", sp_optionNumber, "FACTOR", &def.ratio,
         "size of a level over that of the finer one, 2 by default", 1.1, 8, 0},
        {"size", sp_optionNumber, "METRES", &def.finest.size, "longest edge of the tets inside, finest level",
         1e-12, 1e12, 0},
        {"tets", sp_optionInteger, "COUNT", &def.finest.tetCount,
         "without --size: about so many tets in the finest level, 5000 by default", 1, 1e8, 0},
        SP_FILL_OPTIONS(def.finest),
        {"format", sp_optionText, "FORMAT", &format, "format of the files, as for 'souple mesh convert'", 0,
         0, 0},
        {"json", sp_optionFlag, NULL, &json, "print one JSON object on the result", 0, 0, 0},
    };
    static const char* const examples[] = {"souple mesh levels scan.stl --tets 20000 -o solid.vtu",
                                           "souple mesh levels part.stl --size 0.1 --levels 4 -o solid.msh",
                                           NULL};
    const spUsage usage = {
        .usage = "souple mesh levels MESH -o FILE [options]",
        .description = "Makes solids of one surface in several resolutions, each filled for itself as "
                       "'souple mesh fill' "
                       "does: none is\n"
                       "a part of another. Nothing is written when one of them cannot be made.",
        .options = table,
        .optionCount = (int)(sizeof(table) / sizeof(table[0])),
        .minOperands = 1,
        .maxOperands = 1,
        .examples = examples,
    };
    const char* path = NULL;
    spMesh* surface = NULL;
    int code = spLoadOperand(&usage, argc, argv, &path, &surface);
    if (code != SP_GO_ON)
    {
        return code;
    }
    spMesh* levels[SP_MAX_FILL_LEVELS] = {NULL};
    spFillReport reports[SP_MAX_FILL_LEVELS];
    spError error = SP_ZERO_INIT;
    spBar bar = spMakeBar("levels", !json);
    spShowProgress(&def.finest, &bar);
    code = out == NULL ? spFailUsage("-o is missing: where should the meshes go?")
           : spFillLevels(surface, &def, levels, reports, &error) ? SP_EXIT_FINE
                                                                  : spFailFill(path, &error);
    spClearBar(&bar);
    spDestroyMesh(surface);
    if (code == SP_EXIT_FINE)
    {
        code = spFinishLevels(levels, reports, def.levelCount, out, format, json);
    }
    for (int i = 0; i < SP_MAX_FILL_LEVELS; ++i)
    {
        spDestroyMesh(levels[i]);
    }
    return code;
}
