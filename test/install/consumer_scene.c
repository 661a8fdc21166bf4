// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Uses the installed scene library: a broken scene must be refused with its place.

#include "souple/scene.h"

#include <stdio.h>
#include <string.h>

int main(void)
{
    const char* text = "{\n  \"bodies\": [\n";
    spError error = SP_ZERO_INIT;
    spScene* scene = spParseScene(text, strlen(text), NULL, NULL, &error);
    printf("souple scene: line %d: %s\n", error.line, error.message);
    bool refused = scene == NULL && error.code != sp_errorNone;
    spDestroyScene(scene);
    return refused ? 0 : 1;
}
