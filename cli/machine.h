// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What a number was measured on.

#pragma once

#include <jansson.h>
#include <stddef.h>

// Name of the processor
void spGetProcessor(char* buffer, size_t size);

// {processor, cores, lanes, precision, compiler, flags, version}
json_t* spMakeMachineJson(void);

// The same in one line
void spPrintMachine(void);

// The commit that this command was built from, "unknown" outside of a checkout
const char* spGetCommit(void);
