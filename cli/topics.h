// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Topics of `souple help`, beside the commands. Each fits on a screen; the pages of docs/ say more.

#pragma once

#include <stdbool.h>

typedef struct spTopic
{
    const char* name;
    const char* summary;
    const char* text;            // as the description of a command; may be NULL
    void (*tell)(bool markdown); // prints what follows the text; may be NULL
    const char* const* examples; // ends with NULL
    const char* section;         // of the man page; NULL for one of the topics there
    bool isLong;                 // too long for the man page
} spTopic;

// What `souple help` and the man page begin with
extern const char g_overviewText[];

// The table, and the number of its rows
const spTopic* spGetTopics(int* count);
