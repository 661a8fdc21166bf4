// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The pack of a report: messages, each behind its size, compressed by zlib and written in base64 without line
// breaks. It goes to its file piece by piece, so that a large report needs little memory.

#pragma once

#include "message.h"

#include <stdio.h>

typedef struct spPack spPack;

// NULL when there is no memory. The file stays the caller's.
spPack* spOpenPack(FILE* file);

// Adds a message. What fails is told when the pack is closed.
void spPutMessage(spPack* pack, const spBuffer* message);

// Writes what is left and destroys the pack. Returns false when something could not be written, now or
// before; *outOfMemory says whether memory was the reason.
bool spClosePack(spPack* pack, bool* outOfMemory);
