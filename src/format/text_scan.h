// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Reading text in memory: a scanner that never looks past its end, knows its line, and reads numbers the same
// way in every locale, correctly rounded.

#pragma once

#include "base/error.h"

// Lines end with LF, CR LF or CR
typedef struct spScanner
{
    const char* at;
    const char* end;
    const char* lineStart;
    int line; // from 1
} spScanner;

// A piece of the text; not terminated
typedef struct spWord
{
    const char* text;
    size_t length;
} spWord;

// Starts after a byte-order mark, where there is one
spScanner spMakeScanner(const void* data, size_t size);

bool spAtEnd(const spScanner* scanner);
bool spAtLineEnd(const spScanner* scanner);  // also true at the end of the text
void spSkipBlanks(spScanner* scanner);       // spaces and tabs
void spSkipSpace(spScanner* scanner);        // blanks and line ends
void spSkipLine(spScanner* scanner);         // to the start of the next line
void spSkipHashComments(spScanner* scanner); // space, and lines that begin with '#' behind it

// Up to the next blank or line end; empty at a line end
spWord spScanWord(spScanner* scanner);
bool spWordIs(spWord word, const char* text);
bool spWordIsAnyCase(spWord word, const char* text); // text is in small letters

// Up to and including the next appearance of a text. Returns false, at the end, when there is none.
bool spSkipPast(spScanner* scanner, const char* text);

// Fills the error with this line and column. Returns false.
bool spFailScan(const spScanner* scanner, spError* error, const char* format, ...) SP_PRINTF_FORMAT(3, 4);

// Reads a number here, which must end where a word may end. Does not skip space. Returns false, having moved
// nowhere, when there is none.
bool spScanReal(spScanner* scanner, double* value);
bool spScanInteger(spScanner* scanner, int64_t* value);

// Skip space, then read something that must be there; `what` names it in the error
bool spNeedReal(spScanner* scanner, const char* what, double* value, spError* error);
bool spNeedInteger(spScanner* scanner, const char* what, int64_t lower, int64_t upper, int64_t* value,
                   spError* error);
bool spNeedPoint(spScanner* scanner, const char* what, spDVec3* point, spError* error);

// The number at the start of a text, "inf" and "nan" included. *stop is the first character after it. Returns
// false when there is none.
bool spParseReal(const char* text, const char* end, const char** stop, double* value);

// Shortest text that reads back as the same number. buffer has 32 bytes. Returns its length.
int spFormatReal(double value, char* buffer);

// Copies what is at the scanner for an error message: one word, cut, unprintable characters as '?'
void spQuoteWord(const spScanner* scanner, char buffer[32]);
