// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// souple-lab: the commands of souple that measure the engine itself. `souple bench` and so on start it.

#include "cli/commands.h"
#include "cli/tools.h"
#include "cli/usage.h"

// Man page and completion are made by souple
const spUsageForm g_usageForms[] = {{NULL, NULL}};

int main(int argc, char** argv)
{
    static const spCommand commands[] = {
        {"bench", SP_BENCH_SUMMARY, spRunBench},
        {"reproduce", SP_REPRODUCE_SUMMARY, spRunReproduce},
        {"validate", SP_VALIDATE_SUMMARY, spRunValidate},
    };
    static const char* const examples[] = {"souple bench --list", "souple help validate", NULL};
    const spUsage usage = {
        .usage = "souple-lab COMMAND [arguments]",
        .description = "Runs those commands of souple that measure the engine itself.",
        .actions = commands,
        .actionCount = (int)(sizeof(commands) / sizeof(commands[0])),
        .examples = examples,
        .trouble = "the command ran and reports trouble",
    };
    return spEndOutput(spRunAction(&usage, argc, argv));
}
