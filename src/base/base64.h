// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Base64 (RFC 4648): three bytes are four letters, the last group is padded with '='.

#pragma once

#include "base/core.h"

// Letters that so many bytes become
#define SP_BASE64_LENGTH(size) (((size) + 2) / 3 * 4)

// Writes the letters of one text, without a terminator. Returns their number.
size_t spEncodeBase64(const void* data, size_t size, char* text);

// Reads the next four letters; blanks and line ends may stand between. Returns the number of bytes, 0 at the
// end and on something else.
int spDecodeBase64(const char** text, const char* end, uint8_t bytes[3]);
