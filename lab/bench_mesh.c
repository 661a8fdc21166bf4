// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// souple bench mesh-io-Nk: a mesh of N thousand tets in three regions is written and read in every format
// that holds tets, a sheet of as many triangles in the others. The best of all runs counts: files are in
// memory of the system, so what is measured is this program and not a disk.

#include "bench.h"
#include "cli/tools.h"
#include "souple/mesh.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Seconds for reading a million tets or triangles that are asked for
static const double binaryLimit = 1.0, textLimit = 3.0;

typedef struct spMeshTimes
{
    double writeSeconds, readSeconds;
    double megabytes;
    double limit; // of reading, s
} spMeshTimes;

static bool spHoldsTets(const char* format)
{
    static const char* const surfaces[] = {"obj", "stl", "ply", "off"};
    for (int i = 0; i < 4; ++i)
    {
        if (strncmp(format, surfaces[i], 3) == 0)
        {
            return false;
        }
    }
    return true;
}

static bool spIsText(const char* format)
{
    static const char* const texts[] = {"msh", "msh22", "mesh", "inp", "obj", "off"};
    for (int i = 0; i < 6; ++i)
    {
        if (strcmp(format, texts[i]) == 0)
        {
            return true;
        }
    }
    return strstr(format, "-ascii") != NULL;
}

// Neighbouring cells are in different regions, which no format likes
static spMesh* spMakeSolid(int thousands, spError* error)
{
    int cells = (int)ceil(cbrt(1000.0 * thousands / 6.0));
    spBoxMeshDef def = spDefaultBoxMeshDef();
    def.cells[0] = def.cells[1] = def.cells[2] = cells;
    spMesh* mesh = spMakeBoxMesh(&def, error);
    for (int i = 0; mesh != NULL && i < spMesh_GetTetCount(mesh); ++i)
    {
        spMesh_SetTetRegion(mesh, i, 1 + i / 6 % 3);
    }
    return mesh;
}

static spMesh* spMakeSheet(int thousands, spError* error)
{
    spClothMeshDef def = spDefaultClothMeshDef();
    def.countX = def.countZ = 1 + (int)ceil(sqrt(1000.0 * thousands / 2.0));
    def.shear = def.bend = false;
    spMesh* cloth = spMakeClothMesh(&def, error);
    if (cloth == NULL)
    {
        return NULL;
    }
    spMeshDef meshDef = spDefaultMeshDef();
    meshDef.vertices = spMesh_GetVertices(cloth);
    meshDef.vertexCount = spMesh_GetVertexCount(cloth);
    meshDef.triangles = spMesh_GetTriangles(cloth);
    meshDef.triangleCount = spMesh_GetTriangleCount(cloth);
    spMesh* mesh = spCreateMesh(&meshDef, error);
    spDestroyMesh(cloth);
    return mesh;
}

// Writes and reads once
static bool spTimeFormat(const spMesh* mesh, const char* path, const char* format, spMeshTimes* times,
                         spError* error)
{
    double start = spGetClock();
    if (spSaveMeshAs(mesh, path, format, error) == false)
    {
        return false;
    }
    times->writeSeconds = fmin(times->writeSeconds, spGetClock() - start);
    struct stat info;
    times->megabytes = stat(path, &info) == 0 ? 1e-6 * (double)info.st_size : 0.0;
    start = spGetClock();
    spMesh* back = spLoadMesh(path, NULL, error);
    if (back == NULL)
    {
        return false;
    }
    times->readSeconds = fmin(times->readSeconds, spGetClock() - start);
    bool same = spMesh_GetTetCount(back) == spMesh_GetTetCount(mesh) &&
                spMesh_GetTriangleCount(back) == spMesh_GetTriangleCount(mesh) &&
                spMesh_GetVertexCount(back) == spMesh_GetVertexCount(mesh);
    spDestroyMesh(back);
    if (same == false)
    {
        snprintf(error->message, sizeof(error->message), "what was read is not what was written");
    }
    return same;
}

static void spTellTimes(spBenchRun* run, const char* name, const char* format, int elements,
                        const spMeshTimes* times)
{
    const spCell cells[] = {
        SP_TEXT_CELL("name", "name", -20, name),
        SP_TEXT_CELL("format", "format", -14, format),
        SP_WHOLE_CELL("elements", "elements", 9, elements),
        SP_NUMBER_CELL("megabytes", "MB", 9, "%.1f", times->megabytes),
        SP_NUMBER_CELL("writeSeconds", "write s", 9, "%.3f", times->writeSeconds),
        SP_NUMBER_CELL("readSeconds", "read s", 9, "%.3f", times->readSeconds),
        SP_NUMBER_CELL(NULL, "MB/s", 9, "%.0f", times->megabytes / times->readSeconds),
        SP_NUMBER_CELL("askedSeconds", "asked s", 9, "%.3g", times->limit),
        SP_TEXT_CELL(NULL, "", 0, times->readSeconds > times->limit ? "missed" : ""),
    };
    json_array_append_new(run->results, spTellRow(&run->table, cells, SP_CELL_COUNT(cells)));
}

void spRunMeshBench(spBenchRun* run, const spBenchFamily* family, int size)
{
    char name[64], folder[4000];
    spNameBenchmark(family, size, name, sizeof(name));
    snprintf(folder, sizeof(folder), "%s/souple-mesh-XXXXXX", spGetTemporaryFolder());
    spError error = SP_ZERO_INIT;
    spMesh* solid = spMakeSolid(size, &error);
    spMesh* sheet = solid != NULL ? spMakeSheet(size, &error) : NULL;
    if (sheet == NULL || mkdtemp(folder) == NULL)
    {
        spFailBench(run, name,
                    sheet == NULL ? error.message
                                  : "cannot make a folder for temporary files: is TMPDIR right?");
        spDestroyMesh(solid);
        spDestroyMesh(sheet);
        return;
    }
    const char* format;
    for (int i = 0; (format = spGetMeshFormatName(i)) != NULL && spIsInterrupted() == false; ++i)
    {
        bool holdsTets = spHoldsTets(format);
        const spMesh* mesh = holdsTets ? solid : sheet;
        // The ending is the format without its variant: msh22-binary is .msh
        char path[4096];
        snprintf(path, sizeof(path), "%s/mesh.%.*s", folder, (int)strcspn(format, "-2"), format);
        spMeshTimes times = {.writeSeconds = INFINITY, .readSeconds = INFINITY};
        times.limit = (spIsText(format) ? textLimit : binaryLimit) * size / 1000.0;
        bool ok = true;
        for (int r = 0; r < run->repeat && ok; ++r)
        {
            ok = spTimeFormat(mesh, path, format, &times, &error);
        }
        remove(path);
        if (ok)
        {
            spTellTimes(run, name, format,
                        holdsTets ? spMesh_GetTetCount(mesh) : spMesh_GetTriangleCount(mesh), &times);
        }
        else
        {
            fprintf(stderr, "souple: %s: %s: %s\n", name, format, error.message);
            run->trouble += 1;
        }
    }
    rmdir(folder);
    spDestroyMesh(solid);
    spDestroyMesh(sheet);
}
