// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Whatever a mesh file holds, it is a mesh or a sentence. One target for each format, by FUZZ_FORMAT. Vega files
// include others: those are files a, b and c of a folder, which follow behind zero bytes.

#include "souple/mesh.h"

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
    spDestroyMesh(mesh);
    return 0;
}
