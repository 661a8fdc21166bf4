// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Files that clients sent: scenes, and meshes that a scene is made for. They lie in a folder of their own, which goes with the
// session. Scenes from there know the files in that folder and no others.

#pragma once

#include "souple/base.h"

#include <stdbool.h>
#include <stddef.h>

// Files that are kept at most
#define SP_MAX_RECEIVED 64

typedef struct spReceived
{
    char folder[256]; // "" until a file comes
    char* names[SP_MAX_RECEIVED];
    int count;
    char scene[400]; // path of the scene that was received last
} spReceived;

// Keeps a file. @return false, with the reason, when it cannot be written, or is a scene that names files elsewhere.
bool spReceiveFile(spReceived* received, const char* name, const char* bytes, size_t size, spError* error);

// The scene to open for a file that was kept: the file itself, or one that is made for a mesh; its path is `received->scene`.
bool spMakeReceivedScene(spReceived* received, const char* name, spError* error);

void spForgetReceived(spReceived* received);
