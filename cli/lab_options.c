// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "lab_options.h"

#include "options.h"
#include "placeholder.h"

#include <stdio.h>
#include <string.h>

const char* spGetPartWord(int index)
{
    static char s_word[32];
    const char* part = SP_PRECONDITIONER_PARTS "," SP_ANDERSON_PARTS "," SP_VOLUMES_PARTS;
    for (; index > 0 && *part != 0; --index)
    {
        part += strcspn(part, ",");
        part += *part == ',' ? 1 : 0;
    }
    snprintf(s_word, sizeof(s_word), "%.*s", (int)strcspn(part, ","), part);
    return s_word[0] != 0 ? s_word : NULL;
}

int spParseBench(spBenchOptions* options, int argc, char** argv)
{
    *options = (spBenchOptions){.threads = "1", .repeat = 3};
    const spOption table[] = {
        {"list", sp_optionFlag, NULL, &options->list, "list the benchmarks", 0, 0, 0},
        {"threads", sp_optionText, "COUNTS", &options->threads,
         "numbers of worker threads to measure, with commas between them, 1 by default", 0, 0, 0},
        {"repeat", sp_optionInteger, "COUNT", &options->repeat, "runs of each benchmark, 3 by default", 1,
         1000, 0},
        {"lanes", sp_optionInteger, "LANES", &options->lanes,
         "lanes of the kernels: 1, 4, 8 or 16; by default the most that the processor has", 0, 16, 0},
        {"mesh", sp_optionText, "MESH", &options->mesh, "tets for 'contact-organ' instead of those of data/",
         0, 0, 0},
        {"json", sp_optionFlag, NULL, &options->json, "print one JSON object instead of a table", 0, 0, 0},
    };
    static const char* const examples[] = {
        "souple bench --list",
        "souple bench spring-cloth-200 --threads 1,2",
        "souple bench --json > bench.json",
        NULL,
    };
    const spUsage usage = {
        .usage = "souple bench [BENCHMARK...] [options]",
        .description =
            "Measures milliseconds per step, whole steps with everything in them, and nanoseconds per\n"
            "element and force evaluation. Median and 95th percentile over the steps of all runs.\n"
            "implicit-beam-M, xpbd-links-beam-M and xpbd-cloth-N run Bullet beside ours when it was there\n"
            "when souple was built.\n"
            "Machines are noisy: compare numbers of one run.",
        .options = table,
        .optionCount = (int)(sizeof(table) / sizeof(table[0])),
        .maxOperands = SP_MAX_LAB_NAMES,
        .examples = examples,
        .trouble = "a benchmark did not run, or did not stay stable",
    };
    return spParseOptions(&usage, argc, argv, options->names, &options->nameCount);
}

int spParseReproduce(spReproduceOptions* options, int argc, char** argv)
{
    *options = (spReproduceOptions){.out = "out/reproduce"};
    const spOption table[] = {
        {"list", sp_optionFlag, NULL, &options->list, "list the experiments", 0, 0, 0},
        {"all", sp_optionFlag, NULL, &options->all, "run every experiment, as without a name", 0, 0, 0},
        {"out", sp_optionText, "DIR", &options->out, "folder for tables and plots, out/reproduce by default",
         0, 0, 0},
        {"part", sp_optionText, "PART", &options->part, "run this part of the experiment alone", 0, 0, 0},
        {"mesh", sp_optionText, "MESH", &options->mesh,
         "tets for 'preconditioner' instead of an armadillo, for 'anderson' instead of its two bodies", 0, 0,
         0},
        {"quick", sp_optionFlag, NULL, &options->quick,
         "'preconditioner', 'anderson': small sizes and few steps, only to see that it runs", 0, 0, 0},
        {"report", sp_optionText, "FILE", &options->report, "write tables and plots as one HTML file", 0, 0,
         0},
        {"json", sp_optionFlag, NULL, &options->json, "print one JSON object instead of tables", 0, 0, 0},
    };
    static const char* const examples[] = {
        "souple reproduce --list",
        "souple reproduce slides --out out/reproduce",
        "souple reproduce preconditioner --part age",
        "souple reproduce anderson --part beams",
        "souple reproduce volumes --part quality",
        "souple reproduce --all --report truth.html",
        NULL,
    };
    const spUsage usage = {
        .usage = "souple reproduce [EXPERIMENT] [options]",
        .description =
            "Runs experiments of the works that Souple builds on and prints what was published beside what\n"
            "we measure. Writes tables (CSV) and plots (SVG, PNG). Without a name, all of them; the "
            "longest take minutes.",
        .options = table,
        .optionCount = (int)(sizeof(table) / sizeof(table[0])),
        .maxOperands = 1,
        .examples = examples,
        .trouble = "a row does not support the claim of the work",
    };
    int nameCount = 0;
    return spParseOptions(&usage, argc, argv, &options->name, &nameCount);
}

int spParseValidate(spValidateOptions* options, int argc, char** argv)
{
    *options = (spValidateOptions){0};
    const spOption table[] = {
        {"list", sp_optionFlag, NULL, &options->list, "list the cases", 0, 0, 0},
        {"json", sp_optionFlag, NULL, &options->json, "print one JSON object instead of tables", 0, 0, 0},
        {"beside", sp_optionText, "FILE", &options->beside,
         "what --json printed in the other precision: further columns", 0, 0, 0},
        {"keep", sp_optionText, "DIR", &options->keep, "keep the files of CalculiX in this folder", 0, 0, 0},
        {"mesh", sp_optionText, "MESH", &options->mesh, "tets for 'liver' instead of our own", 0, 0, 0},
        {"quick", sp_optionFlag, NULL, &options->quick, "contact: shorter runs and coarser meshes", 0, 0, 0},
        {"report", sp_optionText, "FILE", &options->report, "write the tables as one HTML file", 0, 0, 0},
        {"quiet", sp_optionFlag, NULL, &options->quiet, "print nothing but errors", 0, 0, 'q'},
    };
    static const char* const examples[] = {
        "souple validate --list",
        "souple validate cantilever twist-large --keep out/calculix",
        "souple validate --json > float.json",
        NULL,
    };
    const spUsage usage = {
        .usage = "souple validate [CASE...] [options]",
        .description =
            "Brings solid bodies to rest and compares them with CalculiX, an independent finite element\n"
            "program, on the very same tets; compares natural frequencies with theory. Without names, all\n"
            "of these cases; 'motion' and 'contact' name those of bodies that move and touch. Needs ccx\n"
            "(package calculix-ccx).",
        .options = table,
        .optionCount = (int)(sizeof(table) / sizeof(table[0])),
        .maxOperands = SP_MAX_LAB_NAMES,
        .examples = examples,
        .trouble = "a limit is missed",
    };
    return spParseOptions(&usage, argc, argv, options->names, &options->nameCount);
}
