// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>

void spLog(const spLogger* logger, spLogLevel level, const char* format, ...)
{
    if (logger->log == NULL)
    {
        return;
    }
    char message[SP_ERROR_MESSAGE_SIZE + 128];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof(message), format, arguments);
    va_end(arguments);
    logger->log(level, message, logger->context);
}
