// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Files, folders and text for the exporters.

#include "record/output.h"

#include "base/text.h"
#include "base/whole_file.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

static void spPrintArguments(spBytes* bytes, const char* format, va_list arguments)
{
    // Nearly everything fits here and is formatted once
    char buffer[256];
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(buffer, sizeof(buffer), format, again);
    va_end(again);
    char* place = length >= 0 ? spAppendBytes(bytes, (size_t)length + 1) : NULL;
    if (place == NULL)
    {
        return;
    }
    if (length < (int)sizeof(buffer))
    {
        memcpy(place, buffer, (size_t)length + 1);
    }
    else
    {
        vsnprintf(place, (size_t)length + 1, format, arguments);
    }
    bytes->count -= 1; // the terminator stays behind the end
}

void spPrintText(spBytes* bytes, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    spPrintArguments(bytes, format, arguments);
    va_end(arguments);
}

void spPrintReal(spBytes* bytes, double value, int digits)
{
    char buffer[SP_NUMBER_SIZE];
    spPutData(bytes, buffer, (size_t)spFormatDigits(buffer, value, digits));
}

// Length of the UTF-8 character at p: 1 to 4, or 0 when it is none
static int spMeasureUtf8(const uint8_t* p)
{
    if (p[0] < 0x80)
    {
        return 1;
    }
    int length = p[0] >= 0xF0 && p[0] < 0xF5 ? 4 : (p[0] >= 0xE0 ? 3 : (p[0] >= 0xC2 ? 2 : 0));
    if (p[0] >= 0xF5)
    {
        return 0;
    }
    for (int i = 1; i < length; ++i)
    {
        if ((p[i] & 0xC0) != 0x80)
        {
            return 0; // also meets the terminator
        }
    }

    // Too long forms, surrogates, beyond the last code point, and the two code points that XML forbids
    if ((p[0] == 0xE0 && p[1] < 0xA0) || (p[0] == 0xED && p[1] > 0x9F) || (p[0] == 0xF0 && p[1] < 0x90) ||
        (p[0] == 0xF4 && p[1] > 0x8F) || (p[0] == 0xEF && p[1] == 0xBF && p[2] > 0xBD))
    {
        return 0;
    }
    return length;
}

void spPrintXml(spBytes* bytes, const char* text)
{
    const uint8_t* p = (const uint8_t*)(text != NULL ? text : "");
    while (*p != 0)
    {
        int length = spMeasureUtf8(p);
        const char* entity = spGetXmlEntity((char)*p);
        if (*p == '\t' || *p == '\n' || *p == '\r')
        {
            entity = " ";
        }
        else if (length == 0 || *p < 0x20 || *p == 0x7F)
        {
            entity = "?";
        }
        if (entity != NULL)
        {
            spPutData(bytes, entity, strlen(entity));
        }
        else
        {
            spPutData(bytes, p, (size_t)length);
        }
        p += length > 0 ? length : 1;
    }
}

bool spSetPath(spBytes* path, spError* error, const char* format, ...)
{
    path->count = 0;
    va_list arguments;
    va_start(arguments, format);
    spPrintArguments(path, format, arguments);
    va_end(arguments);
    return !path->failed || spFailMemory(error, "path", path->count);
}

bool spSaveBytes(const spBytes* bytes, const char* path, spError* error)
{
    if (bytes->failed)
    {
        return spFailMemory(error, path, bytes->count);
    }

    return spWriteWholeFile(path, bytes->data, bytes->count, error);
}

spExportDef spDefaultExportDef(void)
{
    spExportDef def = {0};
    def.lastFrame = -1;
    def.frameStride = 1;
    def.internalValue = SP_DEF_COOKIE;
    return def;
}

bool spFindRange(const spRecording* recording, const spExportDef* def, spExportRange* range, spError* error)
{
    if (def == NULL || def->internalValue != SP_DEF_COOKIE)
    {
        return spFail(error, sp_errorBadDef, "export: start from spDefaultExportDef");
    }
    if (recording == NULL)
    {
        return spFail(error, sp_errorBadArgument, "export: no recording");
    }
    range->folder = def->folder;
    range->baseName = def->baseName != NULL && def->baseName[0] != 0 ? def->baseName : "frame";
    if (strchr(range->baseName, '/') != NULL)
    {
        return spFail(error, sp_errorBadArgument, "export: base name '%s' must not hold '/'",
                      range->baseName);
    }

    int count = spRecording_GetFrameCount(recording);
    int last = def->lastFrame < 0 ? count - 1 : def->lastFrame;
    if (def->frameStride < 1 || def->firstFrame < 0 ||
        (count > 0 && (def->firstFrame >= count || last >= count)))
    {
        return spFail(error, sp_errorBadArgument,
                      "export: frames %d to %d, every %d, of a recording of %d frames", def->firstFrame, last,
                      def->frameStride, count);
    }
    range->firstFrame = def->firstFrame;
    range->frameStride = def->frameStride;
    range->frameCount = last < def->firstFrame ? 0 : (last - def->firstFrame) / def->frameStride + 1;
    return true;
}

bool spBeginExport(const spRecording* recording, const spExportDef* def, spExportRange* range, spError* error)
{
    if (!spFindRange(recording, def, range, error))
    {
        return false;
    }
    if (def->folder == NULL || def->folder[0] == 0)
    {
        return spFail(error, sp_errorBadArgument, "export: no folder");
    }
    return spMakeFolders(def->folder) || spFail(error, sp_errorFileWrite, "cannot create folder '%.300s': %s",
                                                def->folder, strerror(errno));
}

bool spReportProgress(const spExportDef* def, double fraction, spError* error)
{
    return def->progress == NULL || def->progress(fraction, def->progressContext) ||
           spFail(error, sp_errorNone, "cancelled");
}
