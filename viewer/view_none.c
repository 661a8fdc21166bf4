// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Instead of view.c in a build without libwebsockets.

#include "base/error.h"
#include "souple/view.h"

#include <stddef.h>

bool spHasView(void)
{
    return false;
}

spViewDef spDefaultViewDef(void)
{
    return (spViewDef){.frameRate = 60.0, .clientLimit = 8, .speed = 1.0, .internalValue = SP_DEF_COOKIE};
}

spView* spCreateView(const spViewDef* def, spError* error)
{
    (void)def;
    spFail(error, sp_errorUnsupported,
           "this build has no live page: build it with libwebsockets (Debian: libwebsockets-dev)");
    return NULL;
}

void spDestroyView(spView* view)
{
    (void)view;
}

const char* spView_GetUrl(const spView* view)
{
    (void)view;
    return "";
}

int spView_GetPort(const spView* view)
{
    (void)view;
    return 0;
}

double spView_Update(spView* view)
{
    (void)view;
    return 0.1;
}

spViewStats spView_GetStats(const spView* view)
{
    (void)view;
    return (spViewStats){0};
}
