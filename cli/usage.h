// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What can be made from the table of a command: its help, its part of the man page, its part of the
// completion in shells. `souple help --man` and `souple completion` ask every command for its part by
// `--help=FORM`.

#pragma once

#include "options.h"

#include <stddef.h>

// Columns of a page of help
#define SP_HELP_WIDTH 80

// Operands of one command at most
#define SP_MAX_OPERAND_KINDS 8

// What stands in the line of usage after the command
typedef struct spOperand
{
    char placeholder[24];
    bool repeated; // may be given several times
    bool other;    // may be given instead of the one before
} spOperand;

// Prints a usage as the argument asks for: `--help`, `-h` or `--help=FORM`. Returns an exit code.
int spTellUsage(const spUsage* usage, const char* argument);

// "run" or "mesh info": the words between `souple` and the first operand or option
void spGetCommandPath(const spUsage* usage, char* buffer, size_t size);

// The operands of a usage in order. Returns their number.
int spGetOperands(const spUsage* usage, spOperand operands[SP_MAX_OPERAND_KINDS]);

// Prints a text filled to the width of the page, from column `indent` on, where the first line already is.
// Empty lines stay, and so do lines that begin with a space.
void spPrintFilled(const char* text, int indent);

// Prints the examples of a command or a topic, which may be NULL
void spPrintExamples(const char* const* examples);

// A form of a usage beside its help
typedef struct spUsageForm
{
    const char* name;
    void (*tell)(const spUsage* usage);
} spUsageForm;

// Those that a program knows, in its main.c; ends with a row of NULL
extern const spUsageForm g_usageForms[];

// What the exit code 1 says, as one row
void spTellTrouble(const spUsage* usage);

// Asks every command of souple for a form of its usage, in the order of the table
void spTellAllUsages(const char* form);

// Parts of the forms of souple, one file each
void spTellUsageForMan(const spUsage* usage);
void spTellUsageForBash(const spUsage* usage);
void spTellUsageForZsh(const spUsage* usage);
void spTellUsageForFish(const spUsage* usage);
