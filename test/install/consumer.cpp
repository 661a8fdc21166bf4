// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The same from C++: names must not be mangled.

#include "souple/base.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

int main(int argc, char** argv)
{
    spError error = SP_ZERO_INIT;
    const char* name = spErrorCode_GetName(error.code);
    int realSize = argc > 1 ? std::atoi(argv[1]) : static_cast<int>(sizeof(float));
    std::printf("souple from C++: %s, spReal has %d bytes\n", name, static_cast<int>(sizeof(spReal)));
    return std::strcmp(name, "sp_errorNone") == 0 && realSize == static_cast<int>(sizeof(spReal)) ? 0 : 1;
}
