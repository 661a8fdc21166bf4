// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Sending a formatted message to the user's logger.

#pragma once

#include "base/error.h"

void spLog(const spLogger* logger, spLogLevel level, const char* format, ...) SP_PRINTF_FORMAT(3, 4);
