// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Whatever a mesh file holds, it is a mesh or a sentence. One target for each format, by FUZZ_FORMAT. Vega files
// include others: those are files a, b and c of a folder, which follow behind zero bytes. What OBJ files hold is
// filled, simplified and remeshed, too.

#include "souple/fill.h"
#include "souple/mesh.h"
#include "souple/remesh.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static spMesh* LoadFiles(const uint8_t* data, size_t size, spError* error)
{
    static char folder[] = "/tmp/fuzz_veg_XXXXXX";
    static const char* const names[] = {"main.veg", "a", "b", "c"};
    char paths[4][64];
    if (mkdtemp(folder) == NULL)
    {
        abort();
    }
    for (int i = 0; i < 4; ++i)
    {
        const uint8_t* end = size > 0 ? memchr(data, 0, size) : NULL;
        size_t length = end != NULL ? (size_t)(end - data) : size;
        snprintf(paths[i], sizeof(paths[i]), "%s/%s", folder, names[i]);
        FILE* file = fopen(paths[i], "wb");
        fwrite(data, 1, length, file);
        fclose(file);
        length += length < size;
        data += length;
        size -= length;
    }
    spMesh* mesh = spLoadMesh(paths[0], NULL, error);
    for (int i = 0; i < 4; ++i)
    {
        unlink(paths[i]);
    }
    rmdir(folder);
    strcpy(folder + sizeof(folder) - 7, "XXXXXX");
    return mesh;
}

// A mesh without anything wrong with its elements, or a sentence
static void Check(spMesh* mesh, const spError* error)
{
    spMeshReport report;
    if (mesh == NULL && error->message[0] == 0)
    {
        abort();
    }
    if (mesh != NULL &&
        (!spMesh_Validate(mesh, &report, NULL) || report.problemCounts[sp_meshInvertedTets] > 0 ||
         report.problemCounts[sp_meshOrphanVertices] > 0))
    {
        abort();
    }
    spDestroyMesh(mesh);
}

static void Rework(const spMesh* mesh, const spMeshReport* report)
{
    double x = report->upper.x - report->lower.x, y = report->upper.y - report->lower.y,
           z = report->upper.z - report->lower.z;
    spError errors[3] = {SP_ZERO_INIT};
    spRemeshReport told;
    spFillReport filled;
    spFillMeshDef fill = spDefaultFillMeshDef();
    spSimplifyMeshDef simplify = spDefaultSimplifyMeshDef();
    spRemeshMeshDef remesh = spDefaultRemeshMeshDef();
    fill.tetCount = 20; // flat surfaces take a lattice for each try
    simplify.triangleCount = report->triangleCount / 2 + 1;
    simplify.maxDistance = 0.1 * (x + y + z) > 0.0 ? 0.1 * (x + y + z) : 1.0;
    remesh.size = isfinite(x + y + z) ? 0.05 * (x + y + z) : 0.0;
    remesh.passes = 2;
    Check(spFillMesh(mesh, &fill, &filled, &errors[0]), &errors[0]);
    Check(spSimplifyMesh(mesh, &simplify, &told, &errors[1]), &errors[1]);
    Check(spRemeshMesh(mesh, &remesh, &told, &errors[2]), &errors[2]);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    spError error = SP_ZERO_INIT;
    bool including = strcmp(FUZZ_FORMAT, "veg") == 0 && memchr(data, 0, size) != NULL;
    spMesh* mesh =
        including ? LoadFiles(data, size, &error) : spParseMesh(data, size, FUZZ_FORMAT, NULL, &error);
    if (mesh == NULL && error.message[0] == 0)
    {
        abort();
    }
    spMeshReport report;
    if (mesh != NULL && !spMesh_Validate(mesh, &report, &error))
    {
        abort();
    }
    if (mesh != NULL && strcmp(FUZZ_FORMAT, "obj") == 0 && report.triangleCount <= 200)
    {
        Rework(mesh, &report);
    }
    spDestroyMesh(mesh);
    return 0;
}
