// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#pragma once

#include "base/error.h"
#include "souple/file.h"

// "cannot write '<path>': <reason>; <remedy>", the reason being an errno. Returns false.
bool spFailWrite(spError* error, const char* path, int reason);
