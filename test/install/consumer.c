// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Uses an installed library from outside of its tree. The argument is the number of bytes that spReal must
// have: the define of a double build has to reach its users.

#include "souple/souple.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv)
{
    int realSize = argc > 1 ? atoi(argv[1]) : (int)sizeof(float);
    printf("souple: spReal has %d bytes\n", (int)sizeof(spReal));
    if (realSize != (int)sizeof(spReal))
    {
        fprintf(stderr, "expected %d\n", realSize);
        return 1;
    }

    spError error = SP_ZERO_INIT;
    spBoxMeshDef def = spDefaultBoxMeshDef();
    spMesh* mesh = spMakeBoxMesh(&def, &error);
    if (mesh == NULL)
    {
        fprintf(stderr, "%s: %s\n", spErrorCode_GetName(error.code), error.message);
        return 1;
    }
    printf("souple: %d vertices\n", spMesh_GetVertexCount(mesh));
    spDestroyMesh(mesh);
    return 0;
}
