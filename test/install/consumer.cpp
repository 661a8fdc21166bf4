// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// From C++: names must not be mangled.

#include "souple/souple.h"

#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv)
{
    int realSize = argc > 1 ? std::atoi(argv[1]) : static_cast<int>(sizeof(float));
    spError error = SP_ZERO_INIT;
    spBoxMeshDef def = spDefaultBoxMeshDef();
    spMesh* mesh = spMakeBoxMesh(&def, &error);
    std::printf("souple from C++: %s, %d vertices\n", spErrorCode_GetName(error.code),
                mesh != nullptr ? spMesh_GetVertexCount(mesh) : 0);
    bool good = mesh != nullptr && realSize == static_cast<int>(sizeof(spReal));
    spDestroyMesh(mesh);
    return good ? 0 : 1;
}
