// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "data.h"

#include "cli/tools.h"

#include <stdio.h>

spMesh* spLoadData(const char* name, spError* error)
{
    char checkout[128], installed[256], path[1024];
    snprintf(checkout, sizeof(checkout), "../data/%s", name);
    snprintf(installed, sizeof(installed), SOUPLE_DATA "/%s", name);
    const char* const places[] = {checkout, installed};
    if (spFindBeside(path, sizeof(path), places, 2))
    {
        return spLoadMesh(path, NULL, error);
    }
    error->code = sp_errorFileNotFound;
    snprintf(error->message, sizeof(error->message),
             "%s is not installed with this program; --mesh names another", name);
    return NULL;
}
