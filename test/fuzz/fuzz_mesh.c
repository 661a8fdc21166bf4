// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Whatever a mesh file holds, it is a mesh or a sentence. One target for each format, by FUZZ_FORMAT.

#include "souple/mesh.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    spError error = SP_ZERO_INIT;
    spMesh* mesh = spParseMesh(data, size, FUZZ_FORMAT, NULL, &error);
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
