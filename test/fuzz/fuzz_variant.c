// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Whatever stands for a method on a command line, it is a method or a sentence.

#include "souple/scene.h"

#include "bounded.h"

#include <string.h>

static const char s_scene[] =
    "{\"souple\": 1, \"bodies\": {\"mesh\": {\"generator\": \"cloth\", \"countX\": 3, \"countZ\": 3}, "
    "\"springs\": {}, \"method\": {\"type\": \"verlet\", \"contact\": \"backtrack\"}}, "
    "\"events\": {\"time\": 1, \"type\": \"set\", \"body\": \"body\", \"method\": \"xpbd\"}}";

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    static spScene* s_parsed = NULL;
    spError error = SP_ZERO_INIT;
    if (s_parsed == NULL)
    {
        s_parsed = spParseScene(s_scene, sizeof(s_scene) - 1, NULL, NULL, &error);
        CHECK(s_parsed != NULL);
    }
    Bounded bounded;
    spAllocator allocator = MakeBounded(&bounded, (size_t)1 << 20);
    char* text = malloc(size + 1);
    CHECK(text != NULL);
    memcpy(text, data, size);
    text[size] = 0;
    spScene* copy = spCopySceneWithMethod(s_parsed, text, &allocator, &error);
    CHECK((copy != NULL) == (error.code == sp_errorNone));
    CHECK(copy != NULL || error.message[0] != 0);
    free(text);
    spDestroyScene(copy);
    CHECK(atomic_load(&bounded.used) == 0);
    return 0;
}
