// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Instead of view.c in a build without the page.

#include "commands.h"
#include "options.h"

int spRunView(int argc, char** argv)
{
    (void)argc;
    (void)argv;
    return spFailUsage("this build has no page: it was configured with SOUPLE_VIEW=OFF");
}
