// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// A file that a client sends piece by piece. Runs on the network thread.

#pragma once

#include "client_message.h"

typedef struct spInbox
{
    char name[SP_FILE_NAME_SIZE];
    char* bytes; // one more than the size, so that a text can be terminated; NULL when nothing is under way
    size_t size, filled;
} spInbox;

// Takes the next piece: the first one begins a file, the others follow without a gap. Returns false, with the reason, for a
// piece that does not fit; then and with the last piece the inbox is empty again, and `whole` has the file, which becomes the
// caller's.
bool spTakePiece(spInbox* inbox, const spClientMessage* message, spInbox* whole, spRefusal* refusal);

void spEmptyInbox(spInbox* inbox);
