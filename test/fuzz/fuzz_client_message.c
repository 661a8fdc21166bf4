// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Whatever a client of the live page sends is either refused with a reason or is what the protocol allows.

#include "viewer/client_message.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static void Check(bool good)
{
    if (!good)
    {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    spClientMessage message;
    spRefusal refusal = {0};
    if (!spReadClientMessage((const char*)data, size, &message, &refusal))
    {
        Check(refusal.code == 1007 || refusal.code == 1008 || refusal.code == 1009);
        Check(refusal.reason[0] != 0 && strlen(refusal.reason) < sizeof(refusal.reason));
        Check(message.event == NULL);
        return 0;
    }
    Check(size <= SP_CLIENT_MESSAGE_SIZE);
    Check(message.type < sp_doCount && message.colour < sp_viewColourCount && message.index >= 0);
    Check((message.event != NULL) == (message.type == sp_doAct));
    Check(message.type != sp_doSpeed || (message.speed >= 0.01 && message.speed <= 10.0));
    if (message.event != NULL)
    {
        json_t* event = json_loads(message.event, 0, NULL);
        Check(json_is_object(event));
        json_decref(event);
    }
    spFreeClientMessage(&message);
    return 0;
}
