// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What all parts use: base64, numbers as text, the nearest word, whole files and folders.

#include "base/base64.h"
#include "base/text.h"
#include "base/whole_file.h"
#include "testbed/check.h"

#include <errno.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define WORK SOUPLE_BINARY_DIR "/test/text"

static void TestBase64(void** state)
{
    SP_UNUSED(state);
    static const char* const s_pairs[][2] = {
        {"", ""},
        {"f", "Zg=="},
        {"fo", "Zm8="},
        {"foo", "Zm9v"},
        {"foob", "Zm9vYg=="},
        {"fooba", "Zm9vYmE="},
        {"\xFB\xFF\xBE", "+/++"},
    };
    for (int i = 0; i < SP_COUNT(s_pairs); ++i)
    {
        const char* bytes = s_pairs[i][0];
        const char* text = s_pairs[i][1];
        char letters[16] = {0};
        assert_int_equal(spEncodeBase64(bytes, strlen(bytes), letters), strlen(text));
        assert_int_equal(SP_BASE64_LENGTH(strlen(bytes)), strlen(text));
        assert_string_equal(letters, text);
        uint8_t back[16] = {0};
        const char* at = text;
        const char* end = text + strlen(text);
        size_t count = 0;
        for (int group = 1; group > 0; count += (size_t)group)
        {
            group = spDecodeBase64(&at, end, back + count);
        }
        assert_int_equal(count, strlen(bytes));
        assert_memory_equal(back, bytes, count);
    }
    // Blanks may stand anywhere; other letters, a cut and letters behind '=' may not
    static const char* const s_bad[] = {"Zm9", "Zm=v", "Z===", "Zm9?", "    "};
    uint8_t bytes[3];
    const char* blanks = " Z\nm 9\tv ";
    assert_int_equal(spDecodeBase64(&blanks, blanks + strlen(blanks), bytes), 3);
    for (int i = 0; i < SP_COUNT(s_bad); ++i)
    {
        const char* text = s_bad[i];
        assert_int_equal(spDecodeBase64(&text, text + strlen(text), bytes), 0);
    }
}

static void TestNumbers(void** state)
{
    SP_UNUSED(state);
    static const struct
    {
        double value;
        const char* nine;
        const char* json;
    } s_rows[] = {
        {0.0, "0", "0"},
        {-0.0, "-0", "-0.0"},
        {0.1, "0.1", "0.1"},
        {1e6, "1000000", "1e6"},
        {-1e-6, "-1e-06", "-1e-6"},
        {1.0 / 3.0, "0.333333333", "0.3333333333333333"},
        {1e100, "1e+100", "1e100"},
        {123456.7, "123456.7", "123456.7"},
    };
    // Where the machine has a language with a comma, it is spoken now
    setlocale(LC_NUMERIC, "de_DE.UTF-8");
    for (int i = 0; i < SP_COUNT(s_rows); ++i)
    {
        char text[SP_NUMBER_SIZE];
        assert_int_equal(spFormatDigits(text, s_rows[i].value, 9), strlen(s_rows[i].nine));
        assert_string_equal(text, s_rows[i].nine);
        spFormatNumber(text, s_rows[i].value);
        assert_string_equal(text, s_rows[i].json);
    }
    setlocale(LC_NUMERIC, "C");
    const double values[] = {DBL_MAX, -DBL_MIN, DBL_TRUE_MIN, 0.1 + 0.2, 1.0 + DBL_EPSILON, 5e-324};
    for (int i = 0; i < SP_COUNT(values); ++i)
    {
        char text[SP_NUMBER_SIZE];
        int length = spFormatShortest(text, values[i], 15);
        assert_int_equal(length, strlen(text));
        assert_true(strtod(text, NULL) == values[i]);
    }
    char text[SP_NUMBER_SIZE];
    spFormatShortest(text, 0.3, 15);
    assert_string_equal(text, "0.3");
    spFormatShortest(text, (double)NAN, 15);
    assert_non_null(strstr(text, "nan"));
}

static void TestNearestWord(void** state)
{
    SP_UNUSED(state);
    static const char* const s_words[] = {"gravity", "duration", "elasticity", "box", "ball"};
    assert_string_equal(spFindNearestOf("gravty", s_words, 5), "gravity");
    assert_string_equal(spFindNearestOf("DURATOIN", s_words, 5), "duration");
    assert_string_equal(spFindNearestOf("elastic", s_words, 5), "elasticity");
    assert_string_equal(spFindNearestOf("bxo", s_words, 5), "box");
    assert_null(spFindNearestOf("sphere", s_words, 5));
    assert_null(spFindNearestOf("", s_words, 0));
    char longWord[200];
    memset(longWord, 'b', sizeof(longWord));
    longWord[sizeof(longWord) - 1] = 0;
    assert_null(spFindNearestOf(longWord, s_words, 5));
}

static void TestWholeFiles(void** state)
{
    SP_UNUSED(state);
    spHeap heap = spMakeHeap(NULL);
    spError error = SP_ZERO_INIT;
    char* data = NULL;
    size_t size = 0;
    assert_true(spMakeFolders(WORK "/a/b"));
    assert_true(spMakeFolders(WORK "/a/b/"));
    assert_true(spWriteWholeFile(WORK "/a/b/file", "0123456789", 10, &error));
    assert_true(spReadWholeFile(&heap, WORK "/a/b/file", 10, &data, &size, &error));
    assert_int_equal(size, 10);
    assert_memory_equal(data, "0123456789", 10);
    spFree(&heap, data);
    assert_false(spReadWholeFile(&heap, WORK "/a/b/file", 9, &data, &size, &error));
    assert_int_equal(error.code, sp_errorLimit);
    assert_false(spReadWholeFile(&heap, WORK "/a/b", 9, &data, &size, &error));
    assert_non_null(strstr(error.message, "it is a folder"));
    assert_false(spReadWholeFile(&heap, WORK "/a/c", 9, &data, &size, &error));
    assert_non_null(strstr(error.message, "check the name"));
    assert_false(spMakeFolders(WORK "/a/b/file"));
    assert_int_equal(errno, ENOTDIR);
    assert_false(spMakeFolders(WORK "/a/b/file/c"));
    assert_false(spMakeFolders(""));

    // What has no size is read in growing pieces, up to the limit
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    char path[64];
    snprintf(path, sizeof(path), "/dev/fd/%d", ends[0]);
    assert_int_equal(write(ends[1], "abc", 3), 3);
    close(ends[1]);
    assert_true(spReadWholeFile(&heap, path, 10, &data, &size, &error));
    assert_int_equal(size, 3);
    spFree(&heap, data);
    close(ends[0]);
    assert_false(spReadWholeFile(&heap, "/dev/zero", 1 << 20, &data, &size, &error));
    assert_int_equal(error.code, sp_errorLimit);
    assert_null(data);
    assert_int_equal(heap.byteCount, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestBase64),
        cmocka_unit_test(TestNumbers),
        cmocka_unit_test(TestNearestWord),
        cmocka_unit_test(TestWholeFiles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
