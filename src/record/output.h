// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What all exporters share: text and bytes put together in memory, whole files on the disk, folders, the
// frames to go through, progress.

#pragma once

#include "base/error.h"
#include "record/chunk.h"
#include "souple/record.h"

// Adds formatted text
void spPrintText(spBytes* bytes, const char* format, ...) SP_PRINTF_FORMAT(2, 3);

// Adds a number with so many significant digits (at most 17), with a point whatever the locale says
void spPrintReal(spBytes* bytes, double value, int digits);

// Adds text for XML: markup characters become entities, what XML 1.0 cannot hold (control characters, bytes
// that are not UTF-8) becomes '?'. NULL adds nothing.
void spPrintXml(spBytes* bytes, const char* text);

// Writes a whole file (spWholeFile)
bool spSaveBytes(const spBytes* bytes, const char* path, spError* error);

// A path that is built from parts. Free with spFreeBytes.
bool spSetPath(spBytes* path, spError* error, const char* format, ...) SP_PRINTF_FORMAT(3, 4);

// The checked form of an spExportDef
typedef struct spExportRange
{
    const char* folder;
    const char* baseName;
    int firstFrame;
    int frameStride;
    int frameCount; // how many frames are exported
} spExportRange;

// Checks the definition, apart from its folder.
bool spFindRange(const spRecording* recording, const spExportDef* def, spExportRange* range, spError* error);

// Checks the definition and creates the folder with its parents.
bool spBeginExport(const spRecording* recording, const spExportDef* def, spExportRange* range,
                   spError* error);

// Returns false, with the message "cancelled", when the user wants to stop.
bool spReportProgress(const spExportDef* def, double fraction, spError* error);
