// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The program that runs the commands of the lab.

#pragma once

#include <stdbool.h>
#include <stddef.h>

#define SP_LAB "souple-lab"

// Where it is: beside this program, where `make install` puts it, or in PATH. Returns false, and an empty
// text, when it is not there.
bool spFindLab(char* buffer, size_t size);
