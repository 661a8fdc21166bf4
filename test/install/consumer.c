// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Uses an installed library from outside of its tree. The argument is the number of bytes that spReal must
// have: the define of a double build has to reach its users.

#include "souple/base.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv)
{
    const char* name = spErrorCode_GetName(sp_errorBadMesh);
    int realSize = argc > 1 ? atoi(argv[1]) : (int)sizeof(float);
    printf("souple: %s, spReal has %d bytes\n", name, (int)sizeof(spReal));
    return strcmp(name, "sp_errorBadMesh") == 0 && realSize == (int)sizeof(spReal) ? 0 : 1;
}
