// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "tools.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

bool spFailView(spError* error, spErrorCode code, const char* format, ...)
{
    if (error != NULL)
    {
        memset(error, 0, sizeof(*error));
        error->code = code;
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(error->message, sizeof(error->message), format, arguments);
        va_end(arguments);
    }
    return false;
}

double spGetWall(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

json_t* spMakeNumber(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

void spSay(const spLogger* logger, spLogLevel level, const char* format, ...)
{
    if (logger->log == NULL)
    {
        return;
    }
    char text[SP_ERROR_MESSAGE_SIZE + 128];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    logger->log(level, text, logger->context);
}
