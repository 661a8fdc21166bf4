// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "inbox.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void spEmptyInbox(spInbox* inbox)
{
    free(inbox->bytes);
    *inbox = (spInbox){0};
}

static bool spRefusePiece(spInbox* inbox, spRefusal* refusal, int code, const char* reason)
{
    spEmptyInbox(inbox);
    refusal->code = code;
    snprintf(refusal->reason, sizeof(refusal->reason), "%s", reason);
    return false;
}

bool spTakePiece(spInbox* inbox, const spClientMessage* message, spInbox* whole, spRefusal* refusal)
{
    *whole = (spInbox){0};
    if (message->offset == 0)
    {
        spEmptyInbox(inbox);
        inbox->bytes = malloc(message->total + 1);
        if (inbox->bytes == NULL)
        {
            return spRefusePiece(inbox, refusal, 1011, "there is no memory for the file");
        }
        inbox->size = message->total;
        memcpy(inbox->name, message->name, sizeof(inbox->name));
    }
    bool fits = inbox->bytes != NULL && strcmp(inbox->name, message->name) == 0 &&
                inbox->size == message->total && inbox->filled == message->offset &&
                message->dataSize <= inbox->size - inbox->filled;
    if (fits == false)
    {
        return spRefusePiece(inbox, refusal, 1008, "this piece of a file does not follow the one before");
    }
    memcpy(inbox->bytes + inbox->filled, message->data, message->dataSize);
    inbox->filled += message->dataSize;
    if (inbox->filled == inbox->size)
    {
        inbox->bytes[inbox->size] = 0;
        *whole = *inbox;
        *inbox = (spInbox){0};
    }
    return true;
}
