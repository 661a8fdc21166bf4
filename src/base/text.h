// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Numbers as text, markup, and the nearest known word for a misspelt one.

#pragma once

#include "base/core.h"

// A number with so many significant digits (at most 17), with a point whatever the locale says. Returns its
// length. The buffer has room for SP_NUMBER_SIZE.
#define SP_NUMBER_SIZE 32
int spFormatDigits(char* buffer, double value, int digits);

// The number with as few digits, but at least `digits` of them, as reading it back takes. Returns its length.
int spFormatShortest(char* buffer, double value, int digits);

// The shortest one as JSON has it: 1e6 and 1e-6 instead of 1e+06 and 1e-06
void spFormatNumber(char* buffer, double value);

// What stands for a character that is markup in XML and HTML; NULL for all others
const char* spGetXmlEntity(char c);

// Word number i; NULL for one that does not count
typedef const char* spWordFcn(int i, const void* context);

// The word that is nearest, NULL when none is near: "did you mean"
const char* spFindNearestWord(const char* word, int wordCount, spWordFcn* getWord, const void* context);

// The same among the words of an array
const char* spFindNearestOf(const char* word, const char* const* words, int wordCount);
