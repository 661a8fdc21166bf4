// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Placeholders: the words in capitals that stand for values and operands in the help, and what may be typed
// in their place. Completion in shells comes from this table.

#pragma once

typedef enum spPlaceholderKind
{
    sp_placeholderFile,   // a file with one of the endings
    sp_placeholderFolder, // a folder
    sp_placeholderWord,   // one of the words
    sp_placeholderList,   // some of the words, with commas between them
    sp_placeholderAsked,  // one of the first words in the lines that a command prints
} spPlaceholderKind;

typedef struct spPlaceholder
{
    const char* name;
    spPlaceholderKind kind;
    const char* text; // endings with spaces between them, "" for any file; the command to ask
    const char* (*getWord)(int index); // NULL at the end
} spPlaceholder;

// The table, and the number of its rows. What is not in it, as SECONDS, can only be typed.
const spPlaceholder* spGetPlaceholders(int* count);

// The row of a name; NULL when it is not in the table
const spPlaceholder* spFindPlaceholder(const char* name);

// Words of the table that the commands themselves know
const char* spGetGeneratorWord(int index); // mesh_make.c
const char* spGetColourWord(int index);    // export_tools.c
const char* spGetExportWord(int index);    // export_tools.c
const char* spGetPartWord(int index);      // lab_options.c
const char* spGetTopicWord(int index);     // help.c
const char* spGetShellWord(int index);     // completion.c
