// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Instead of view.c in a build without the page.

#include "commands.h"
#include "options.h"

#include <stddef.h>

int spRunView(int argc, char** argv)
{
    const spUsage usage = {
        .usage = "souple view",
        .description = "Shows scenes in the browser. This build has no page: it was configured with "
                       "SOUPLE_VIEW=OFF.",
    };
    int operandCount = 0;
    int code = spParseOptions(&usage, argc, argv, NULL, &operandCount);
    return code != SP_GO_ON ? code
                            : spFailUsage("this build has no page: it was configured with SOUPLE_VIEW=OFF");
}
