// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// souple report: a recording as one HTML file that can be mailed.

#include "body_notes.h"
#include "commands.h"
#include "options.h"
#include "report_tools.h"
#include "tools.h"

#include <stdio.h>
#include <string.h>

// The recording with another ending
static bool spNameReport(char* buffer, size_t size, const char* path)
{
    const char* slash = strrchr(path, '/');
    const char* dot = strrchr(slash != NULL ? slash : path, '.');
    int length = dot != NULL && dot != path && dot[-1] != '/' ? (int)(dot - path) : (int)strlen(path);
    return snprintf(buffer, size, "%.*s.html", length, path) < (int)size;
}

int spReportRecording(const char* path, spReportPlan* plan)
{
    spError error = SP_ZERO_INIT;
    spRecording* recording = spLoadRecording(path, NULL, &error);
    if (recording == NULL)
    {
        return spFailFile(path, &error);
    }
    if (spRecording_IsComplete(recording) == false)
    {
        fprintf(stderr, "souple: %s is not complete: %s\n", path, spRecording_GetDamage(recording));
    }
    plan->recording = recording;
    spDraft* draft = spMakeDraft();
    if (draft != NULL && plan->warnings != NULL)
    {
        spDraftWarnings(draft, plan->warnings);
    }
    if (draft != NULL && plan->run != NULL)
    {
        spDraftBodies(draft, plan->run);
    }
    spDraftRecording(draft, recording);
    int code = draft != NULL ? spSaveDraft(draft, plan) : SP_EXIT_USAGE;
    spDestroyDraft(draft);
    spDestroyRecording(recording);
    return code;
}

int spRunReport(int argc, char** argv)
{
    spReportPlan plan = {.argc = argc, .argv = argv};
    const spOption table[] = {
        {"title", sp_optionText, "TEXT", &plan.title, "instead of the name of the scene", 0, 0, 0},
        {"summary", sp_optionText, "TEXT", &plan.summary, "a paragraph below the title", 0, 0, 0},
        {"frames", sp_optionInteger, "COUNT", &plan.frameLimit,
         "frames at most, spread evenly over the recording; 600 by default", 1, 1e6, 0},
        {"tets", sp_optionFlag, NULL, &plan.storeTets,
         "also the nodes inside of bodies, so that their tets can be looked at", 0, 0, 0},
        {"quiet", sp_optionFlag, NULL, &plan.quiet, "print nothing but errors", 0, 0, 'q'},
    };
    static const char* const examples[] = {
        "souple report out/demo/demo.souple",
        "souple report out/demo/demo.souple demo.html --title 'A ball' --frames 200",
        NULL,
    };
    const spUsage usage = {
        .usage = "souple report RECORDING [FILE] [options]",
        .description =
            "Makes one HTML file from a recording: the animation in a 3D view with a time slider, plots of\n"
            "everything that was measured, the scene, the machine, the version. It opens from disk in any\n"
            "browser, without server and network. Without FILE, it lies beside the recording. A recording\n"
            "that was cut off is shown as far as it goes.",
        .options = table,
        .optionCount = (int)(sizeof(table) / sizeof(table[0])),
        .minOperands = 1,
        .maxOperands = 2,
        .examples = examples,
    };
    const char* operands[2] = {NULL, NULL};
    int operandCount = 0;
    int code = spParseOptions(&usage, argc, argv, operands, &operandCount);
    code = code == SP_GO_ON ? spCheckReports() : code;
    if (code != SP_GO_ON)
    {
        return code;
    }
    char path[4096];
    plan.path = operands[1];
    if (plan.path == NULL)
    {
        if (spNameReport(path, sizeof(path), operands[0]) == false)
        {
            return spFailUsage("the name of the recording is too long");
        }
        plan.path = path;
    }
    return spReportRecording(operands[0], &plan);
}
