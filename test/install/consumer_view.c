// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Uses the installed page: a live view of a scene (first argument) listens on a port that is free, and a
// report (second argument) is saved. A build without the page says so instead.

#include "souple/view.h"

#include <stdio.h>
#include <string.h>

static bool spTryReport(const char* path)
{
    spReportDef def = spDefaultReportDef();
    def.title = "From outside";
    spError error = SP_ZERO_INIT;
    bool saved = spSaveReport(&def, path, &error);
    printf("souple view: report %s\n", saved ? "saved" : error.message);
    return spHasPage() ? saved : error.code == sp_errorUnsupported;
}

static bool spTryView(const char* scene)
{
    spViewDef def = spDefaultViewDef();
    def.scenePaths = &scene;
    def.sceneCount = 1;
    spError error = SP_ZERO_INIT;
    spView* view = spCreateView(&def, &error);
    if (view == NULL)
    {
        printf("souple view: %s\n", error.message);
        return spHasView() == false && error.code == sp_errorUnsupported;
    }
    for (int i = 0; i < 3; ++i)
    {
        spView_Update(view);
    }
    printf("souple view: %s\n", spView_GetUrl(view));
    bool good = spView_GetPort(view) > 0;
    spDestroyView(view);
    return good;
}

int main(int argc, char** argv)
{
    return argc == 3 && spTryView(argv[1]) && spTryReport(argv[2]) ? 0 : 1;
}
