// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What a number was measured on.

#pragma once

#include <jansson.h>
#include <stddef.h>

// "0.1.0"
const char* spGetVersionText(void);

// Name of the processor
void spGetProcessor(char* buffer, size_t size);

// {processor, cores, lanes, precision, compiler, flags, version}
json_t* spMakeMachineJson(void);

// {machine, commit}: what a command measured begins with it
json_t* spMakeMeasuredJson(void);

// The machine in one line
void spPrintMachine(void);

// The commit that this command was built from, "unknown" outside of a checkout
const char* spGetCommit(void);
