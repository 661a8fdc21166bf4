// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "linear/preconditioner.h"

const spPreconditionerKind* spFindPreconditioner(spPreconditionerType type)
{
    switch (type)
    {
        default:
            return NULL;
    }
}
