// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Options of the command line. Each command describes its options in one table; parsing, help, the man page
// and completion in shells all come from it. Long options take their value after `=` or as the next argument,
// those whose value may be left out after `=` alone; `--` ends the options.

#pragma once

#include "base/error.h"
#include "base/text.h"

typedef enum spOptionType
{
    sp_optionFlag,    // bool
    sp_optionText,    // const char*
    sp_optionMaybe,   // const char* after '=', "" when it is left out
    sp_optionNumber,  // double
    sp_optionInteger, // int
    sp_optionTriple,  // double[3], as 1,2,3; one number alone stands for all three
} spOptionType;

typedef struct spOption
{
    const char* name; // without the dashes
    spOptionType type;
    const char* argument; // placeholder of the value in the help (placeholder.h); NULL for a flag
    void* target;         // where the value goes; left alone when the option is not given
    const char* doc;
    double lower, upper; // of numbers; both 0 means any
    char letter;         // short form, 0 when it has none
} spOption;

typedef struct spUsage
{
    const char* usage;       // "souple run SCENE [options]", operands by their placeholders
    const char* description; // paragraphs with an empty line between them; filled to the width of the page
    const spOption* options;
    int optionCount;
    int minOperands, maxOperands;
    const char* const* examples;     // ends with NULL; may be NULL
    const char* trouble;             // what the exit code 1 says; NULL when the command never returns it
    const struct spCommand* actions; // of a command that consists of others; NULL for the rest
    int actionCount;
} spUsage;

// What spParseOptions returns when the command should go on
#define SP_GO_ON (-1)

// Parses the arguments after argv[0]. Operands (what is no option) are collected in order.
// Returns SP_GO_ON, or the exit code when help was asked for or something was wrong (which is then printed).
// `--help` prints the help; `--help=FORM` the same in one of the forms of usage.h.
int spParseOptions(const spUsage* usage, int argc, char** argv, const char** operands, int* operandCount);

// Runs the action that the first argument names. Returns its exit code.
int spRunAction(const spUsage* usage, int argc, char** argv);

// Prints "souple: ..." to stderr and returns SP_EXIT_USAGE
int spFailUsage(const char* format, ...) SP_PRINTF_FORMAT(1, 2);

// Calls back for every part of a list such as "vtu,png". Returns false when one call did.
typedef bool spPartFcn(const char* part, void* context);
bool spForEachPart(const char* list, spPartFcn* fcn, void* context);
