// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Numbers: up to 19 digits fit a 64-bit integer m, and a decimal number is m * 10^e = m * 5^e * 2^e. For
// |e| <= 27 the power of five fits 64 bits too, so the product or quotient is formed exactly in 128 bits and
// rounded once. What is left over (long or extreme numbers) goes to strtod, in the "C" locale.

#include "format/text_scan.h"

#include "base/text.h"

#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Longest number that is accepted
#define SP_LONGEST_NUMBER 1100

__extension__ typedef unsigned __int128 spUint128;

spScanner spMakeScanner(const void* data, size_t size)
{
    spScanner scanner = {.at = data, .end = (const char*)data + size, .lineStart = data, .line = 1};
    if (size >= 3 && memcmp(data, "\xEF\xBB\xBF", 3) == 0)
    {
        scanner.at += 3;
    }
    return scanner;
}

bool spAtEnd(const spScanner* scanner)
{
    return scanner->at == scanner->end;
}

bool spAtLineEnd(const spScanner* scanner)
{
    return scanner->at == scanner->end || *scanner->at == '\n' || *scanner->at == '\r';
}

void spSkipBlanks(spScanner* scanner)
{
    while (scanner->at < scanner->end && (*scanner->at == ' ' || *scanner->at == '\t'))
    {
        ++scanner->at;
    }
}

// Over one line end: LF, CR LF or CR
static void spTakeLineEnd(spScanner* scanner)
{
    bool pair = *scanner->at == '\r' && scanner->end - scanner->at > 1 && scanner->at[1] == '\n';
    scanner->at += pair ? 2 : 1;
    scanner->lineStart = scanner->at;
    scanner->line += scanner->line < INT_MAX;
}

void spSkipSpace(spScanner* scanner)
{
    for (;;)
    {
        spSkipBlanks(scanner);
        if (spAtEnd(scanner) || !spAtLineEnd(scanner))
        {
            return;
        }
        spTakeLineEnd(scanner);
    }
}

void spSkipLine(spScanner* scanner)
{
    while (!spAtLineEnd(scanner))
    {
        ++scanner->at;
    }
    if (!spAtEnd(scanner))
    {
        spTakeLineEnd(scanner);
    }
}

void spSkipHashComments(spScanner* scanner)
{
    spSkipSpace(scanner);
    while (!spAtEnd(scanner) && *scanner->at == '#')
    {
        spSkipLine(scanner);
        spSkipSpace(scanner);
    }
}

spWord spScanWord(spScanner* scanner)
{
    const char* begin = scanner->at;
    while (!spAtLineEnd(scanner) && *scanner->at != ' ' && *scanner->at != '\t')
    {
        ++scanner->at;
    }
    return (spWord){begin, (size_t)(scanner->at - begin)};
}

bool spWordIs(spWord word, const char* text)
{
    return strlen(text) == word.length && memcmp(word.text, text, word.length) == 0;
}

bool spWordIsAnyCase(spWord word, const char* text)
{
    size_t i = 0;
    while (i < word.length && text[i] != 0)
    {
        char c = word.text[i];
        c = c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
        if (c != text[i])
        {
            return false;
        }
        ++i;
    }
    return i == word.length && text[i] == 0;
}

bool spSkipPast(spScanner* scanner, const char* text)
{
    size_t length = strlen(text);
    while (!spAtEnd(scanner))
    {
        if (*scanner->at == text[0] && (size_t)(scanner->end - scanner->at) >= length &&
            memcmp(scanner->at, text, length) == 0)
        {
            scanner->at += length;
            return true;
        }
        if (spAtLineEnd(scanner))
        {
            spTakeLineEnd(scanner);
        }
        else
        {
            ++scanner->at;
        }
    }
    return false;
}

bool spFailScan(const spScanner* scanner, spError* error, const char* format, ...)
{
    char message[SP_ERROR_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof(message), format, arguments);
    va_end(arguments);
    ptrdiff_t column = scanner->at - scanner->lineStart + 1;
    return spFailAt(error, sp_errorFileFormat, scanner->line, column > INT_MAX ? INT_MAX : (int)column, "%s",
                    message);
}

void spQuoteWord(const spScanner* scanner, char buffer[32])
{
    spScanner copy = *scanner;
    spWord word = spScanWord(&copy);
    if (word.length == 0)
    {
        snprintf(buffer, 32, "%s", spAtEnd(&copy) ? "the end of the file" : "the end of the line");
        return;
    }
    bool cut = word.length > 24;
    size_t length = cut ? 24 : word.length;
    buffer[0] = '\'';
    for (size_t i = 0; i < length; ++i)
    {
        char c = word.text[i];
        buffer[1 + i] = c >= 32 && c < 127 ? c : '?';
    }
    snprintf(buffer + 1 + length, 31 - length, "%s", cut ? "...'" : "'");
}

static bool spIsDigit(char c)
{
    return c >= '0' && c <= '9';
}

static bool spIsLetter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

// Matches a word of small letters in any case
static bool spStartsWith(const char* text, const char* end, const char* word)
{
    for (; *word != 0; ++word, ++text)
    {
        if (text == end || (*text | 0x20) != *word)
        {
            return false;
        }
    }
    return true;
}

// A decimal number taken apart
typedef struct spDecimal
{
    uint64_t mantissa; // first 19 significant digits
    int exponent;      // of ten
    bool negative;
    bool cut; // digits other than 0 were left out of the mantissa
} spDecimal;

static bool spTakeApart(const char* text, const char* end, const char** stop, spDecimal* decimal)
{
    const char* at = text;
    *decimal = (spDecimal){0};
    if (at < end && (*at == '-' || *at == '+'))
    {
        decimal->negative = *at == '-';
        ++at;
    }
    int digitCount = 0;  // all digits
    int significant = 0; // digits in the mantissa, leading zeros not counted
    int64_t exponent = 0;
    bool afterPoint = false;
    for (; at < end; ++at)
    {
        if (*at == '.' && !afterPoint)
        {
            afterPoint = true;
            continue;
        }
        if (!spIsDigit(*at))
        {
            break;
        }
        digitCount = 1;
        exponent -= afterPoint;
        if (significant < 19)
        {
            decimal->mantissa = decimal->mantissa * 10 + (uint64_t)(*at - '0');
            significant += decimal->mantissa != 0;
        }
        else
        {
            decimal->cut |= *at != '0';
            exponent += 1;
        }
    }
    if (digitCount == 0)
    {
        return false;
    }
    *stop = at;
    if (at < end && (*at == 'e' || *at == 'E'))
    {
        ++at;
        bool negative = at < end && *at == '-';
        if (at < end && (*at == '-' || *at == '+'))
        {
            ++at;
        }
        int64_t given = 0;
        bool any = false;
        for (; at < end && spIsDigit(*at); ++at)
        {
            given = given < 100000 ? given * 10 + (*at - '0') : given;
            any = true;
        }
        if (any)
        {
            *stop = at;
            exponent += negative ? -given : given;
        }
    }
    decimal->exponent = exponent > 1000000 ? 1000000 : (exponent < -1000000 ? -1000000 : (int)exponent);
    return true;
}

// bits * 2^exponent, rounded half to even; sticky when more bits follow. bits has at least 55 bits when
// sticky.
static double spRoundBits(spUint128 bits, bool sticky, int exponent)
{
    uint64_t high = (uint64_t)(bits >> 64);
    int length = high != 0 ? 128 - __builtin_clzll(high) : 64 - __builtin_clzll((uint64_t)bits);
    int shift = length - 53;
    if (shift <= 0)
    {
        return ldexp((double)(uint64_t)bits, exponent);
    }
    uint64_t kept = (uint64_t)(bits >> shift);
    spUint128 rest = bits - ((spUint128)kept << shift);
    spUint128 half = (spUint128)1 << (shift - 1);
    if (rest > half || (rest == half && (sticky || (kept & 1) != 0)))
    {
        kept += 1;
    }
    return ldexp((double)kept, exponent + shift);
}

// Exact for |exponent| <= 27
static double spRoundDecimal(const spDecimal* decimal)
{
    uint64_t power = 1;
    for (int i = decimal->exponent < 0 ? -decimal->exponent : decimal->exponent; i > 0; --i)
    {
        power *= 5;
    }
    if (decimal->exponent >= 0)
    {
        return spRoundBits((spUint128)decimal->mantissa * power, false, decimal->exponent);
    }
    // Both are shifted up to 64 bits, so the quotient has 64 or 65
    int up = __builtin_clzll(decimal->mantissa), powerUp = __builtin_clzll(power);
    spUint128 numerator = (spUint128)(decimal->mantissa << up) << 64;
    uint64_t denominator = power << powerUp;
    spUint128 quotient = numerator / denominator;
    bool sticky = quotient * denominator != numerator;
    return spRoundBits(quotient, sticky, decimal->exponent - 64 - up + powerUp);
}

// strtod in the "C" locale, whatever the program's locale is
static bool spParseSlowly(const char* text, const char* stop, double* value)
{
    char buffer[SP_LONGEST_NUMBER + 1];
    size_t length = (size_t)(stop - text);
    if (length > SP_LONGEST_NUMBER)
    {
        return false;
    }
    memcpy(buffer, text, length);
    buffer[length] = 0;
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (plain == (locale_t)0)
    {
        return false;
    }
    locale_t before = uselocale(plain);
    *value = strtod(buffer, NULL);
    uselocale(before);
    freelocale(plain);
    return true;
}

bool spParseReal(const char* text, const char* end, const char** stop, double* value)
{
    static const double powers[23] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                      1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    spDecimal decimal;
    if (!spTakeApart(text, end, stop, &decimal))
    {
        const char* at = text + (text < end && (*text == '-' || *text == '+'));
        bool infinite = spStartsWith(at, end, "inf");
        if (!infinite && !spStartsWith(at, end, "nan"))
        {
            return false;
        }
        *stop = at + (spStartsWith(at, end, "infinity") ? 8 : 3);
        *value = infinite ? (*text == '-' ? -INFINITY : INFINITY) : NAN;
        return true;
    }
    int e = decimal.exponent;
    double magnitude;
    if (decimal.mantissa == 0)
    {
        magnitude = 0.0;
    }
    else if (!decimal.cut && e >= -22 && e <= 22 && decimal.mantissa <= (1ull << 53))
    {
        // Both numbers are exact, so one operation rounds correctly
        double m = (double)decimal.mantissa;
        magnitude = e < 0 ? m / powers[-e] : m * powers[e];
    }
    else if (!decimal.cut && e >= -27 && e <= 27)
    {
        magnitude = spRoundDecimal(&decimal);
    }
    else
    {
        return spParseSlowly(text, *stop, value);
    }
    *value = decimal.negative ? -magnitude : magnitude;
    return true;
}

// bits * 2^-shift * 10^power, cut to a whole number; *rounded is the nearest one, half to even
static uint64_t spScaleBits(uint64_t bits, int shift, int power, uint64_t* rounded)
{
    spUint128 scaled = bits;
    for (int i = 0; i < power; ++i)
    {
        scaled *= 10;
    }
    spUint128 whole = scaled >> shift;
    spUint128 rest = scaled - (whole << shift), half = (spUint128)1 << (shift - 1);
    *rounded = (uint64_t)whole + (rest > half || (rest == half && (whole & 1) != 0));
    return (uint64_t)whole;
}

// The same digits as printf's for numbers that it writes without an exponent, several times as fast. Returns
// the length, or 0 for other numbers.
static int spFormatPlainReal(double value, char* buffer)
{
    double magnitude = fabs(value);
    if (!(magnitude >= 1e-4 && magnitude < 1e15))
    {
        return 0;
    }
    // magnitude = bits * 2^-shift, exactly
    int exponent;
    uint64_t bits = (uint64_t)ldexp(frexp(magnitude, &exponent), 53), rounded;
    int shift = 53 - exponent;
    // Place of the first digit: a guess that may be one off, then exactly
    int leading = (int)floor(log10(magnitude));
    uint64_t cut = spScaleBits(bits, shift, 16 - leading, &rounded);
    leading += cut >= 100000000000000000u ? 1 : (cut < 10000000000000000u ? -1 : 0);
    spDecimal decimal = {0};
    for (int digits = 15; digits <= 17; ++digits)
    {
        spScaleBits(bits, shift, digits - 1 - leading, &decimal.mantissa);
        decimal.exponent = leading - digits + 1;
        if (spRoundDecimal(&decimal) == magnitude)
        {
            break;
        }
    }
    while (decimal.mantissa % 10 == 0)
    {
        decimal.mantissa /= 10;
        decimal.exponent += 1;
    }
    // Backwards: digits behind the point, zeros behind a whole number, digits before the point
    char text[40];
    int at = SP_COUNT(text);
    for (; decimal.exponent > 0; --decimal.exponent)
    {
        text[--at] = '0';
    }
    for (; decimal.exponent < 0; ++decimal.exponent, decimal.mantissa /= 10)
    {
        text[--at] = (char)('0' + decimal.mantissa % 10);
        if (decimal.exponent == -1)
        {
            text[--at] = '.';
        }
    }
    do
    {
        text[--at] = (char)('0' + decimal.mantissa % 10);
        decimal.mantissa /= 10;
    } while (decimal.mantissa > 0);
    if (value < 0.0)
    {
        text[--at] = '-';
    }
    int length = SP_COUNT(text) - at;
    memcpy(buffer, text + at, (size_t)length);
    buffer[length] = 0;
    return length;
}

int spFormatReal(double value, char* buffer)
{
    int plain = spFormatPlainReal(value, buffer);
    return plain > 0 ? plain : spFormatShortest(buffer, value, 15);
}

// A number may not run into something that could belong to it
static bool spMayStop(const spScanner* scanner, const char* stop)
{
    return stop == scanner->end ||
           !(spIsDigit(*stop) || spIsLetter(*stop) || *stop == '.' || *stop == '+' || *stop == '-');
}

bool spScanReal(spScanner* scanner, double* value)
{
    const char* stop;
    if (!spParseReal(scanner->at, scanner->end, &stop, value) || !spMayStop(scanner, stop))
    {
        return false;
    }
    scanner->at = stop;
    return true;
}

bool spScanInteger(spScanner* scanner, int64_t* value)
{
    const char* at = scanner->at;
    bool negative = at < scanner->end && *at == '-';
    if (at < scanner->end && (*at == '-' || *at == '+'))
    {
        ++at;
    }
    const char* digits = at;
    int64_t magnitude = 0;
    for (; at < scanner->end && spIsDigit(*at); ++at)
    {
        if (magnitude > (INT64_MAX - 9) / 10)
        {
            return false;
        }
        magnitude = magnitude * 10 + (*at - '0');
    }
    if (at == digits || !spMayStop(scanner, at))
    {
        return false;
    }
    *value = negative ? -magnitude : magnitude;
    scanner->at = at;
    return true;
}

bool spNeedReal(spScanner* scanner, const char* what, double* value, spError* error)
{
    spSkipSpace(scanner);
    if (!spScanReal(scanner, value))
    {
        char found[32];
        spQuoteWord(scanner, found);
        return spFailScan(scanner, error, "%s must be a number, found %s", what, found);
    }
    return true;
}

bool spNeedInteger(spScanner* scanner, const char* what, int64_t lower, int64_t upper, int64_t* value,
                   spError* error)
{
    spSkipSpace(scanner);
    spScanner before = *scanner;
    if (!spScanInteger(scanner, value))
    {
        char found[32];
        spQuoteWord(scanner, found);
        return spFailScan(scanner, error, "%s must be a whole number, found %s", what, found);
    }
    if (*value < lower || *value > upper)
    {
        return spFailScan(&before, error, "%s is %lld, it must be between %lld and %lld", what,
                          (long long)*value, (long long)lower, (long long)upper);
    }
    return true;
}

bool spNeedPoint(spScanner* scanner, const char* what, spDVec3* point, spError* error)
{
    double* coordinates[3] = {&point->x, &point->y, &point->z};
    for (int i = 0; i < 3; ++i)
    {
        spSkipSpace(scanner);
        spScanner before = *scanner;
        if (!spNeedReal(scanner, what, coordinates[i], error))
        {
            return false;
        }
        if (!isfinite(*coordinates[i]))
        {
            return spFailScan(&before, error, "%s is not finite (%g); remove it or write a number", what,
                              *coordinates[i]);
        }
    }
    return true;
}
