// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The page as one HTML file, put into the library when it was built with Node.js

#pragma once

#include <stddef.h>

// The whole file, with a zero behind it that is not counted, and what it is when compressed by gzip; NULL
// when there is none
const char* spGetPage(size_t* size);
const unsigned char* spGetCompressedPage(size_t* size);
