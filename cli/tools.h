// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What several commands share: errors on the screen, JSON, folders, the progress bar, exports.

#pragma once

#include "base/json.h"
#include "base/timer.h"
#include "base/whole_file.h"
#include "souple/record.h"
#include "souple/scene.h"

// Prints an error with its place: "file:line:column: message". Returns SP_EXIT_USAGE.
int spFailFile(const char* path, const spError* error);

// Warnings of a scene that are told
#define SP_MAX_WARNINGS 16

typedef struct spWarningList
{
    spSceneProblem data[SP_MAX_WARNINGS];
    int count;
} spWarningList;

// What `souple check` would warn of, from a run before its first step
spWarningList spListWarnings(spRun* run);
// Says so on stderr
void spTellWarnings(const spWarningList* warnings, const char* path);

// What a program returns that wanted to return a code: words that did not reach their file are no success
int spEndOutput(int code);

// Prints one JSON object to stdout and destroys it. Numbers have a '.' in any locale.
void spPrintJson(json_t* json);

// "folder/name.ending" into a buffer. Returns false when it does not fit.
bool spMakeFileName(char* buffer, size_t size, const char* folder, const char* name, const char* ending);

// Name of a file without folder and ending
void spGetStem(char* buffer, size_t size, const char* path);

// Where another program is, looked for in the folders of PATH. Returns false, and an empty text, when it is
// not there.
bool spFindProgram(char* buffer, size_t size, const char* name);

// The first file that is there of some places, which are relative to the folder of this program. Returns
// false, and an empty text, when there is none.
bool spFindBeside(char* buffer, size_t size, const char* const* places, int placeCount);

// Where files that live for a moment go: TMPDIR, or what the system has for it
const char* spGetTemporaryFolder(void);

// Sorts upwards
void spSortNumbers(double* numbers, int count);

// Seconds of processor time of all threads of this process
double spGetProcessorClock(void);

// Ctrl-C ends what runs at the next convenient moment
void spCatchInterrupt(void);
bool spIsInterrupted(void);

// The flags that a step of a run may return: the word for JSON, and a sentence
#define SP_FLAG_WORD_COUNT 10
typedef struct spFlagWord
{
    uint32_t flag;
    const char* name;
    const char* meaning;
} spFlagWord;
extern const spFlagWord g_flagWords[SP_FLAG_WORD_COUNT];

// "ok", or the words of all flags with commas
void spFormatFlags(uint32_t flags, char* buffer, size_t size);

// A progress bar on stderr. It shows only on a terminal and only when wanted.
typedef struct spBar
{
    bool on;
    const char* title;
    double start, shown; // seconds
} spBar;

spBar spMakeBar(const char* title, bool wanted);
void spShowBar(spBar* bar, double fraction, const char* text);
void spClearBar(spBar* bar);

// Formats that a recording can be exported to
typedef enum spExportFormat
{
    sp_exportVtu = 0x01,
    sp_exportObj = 0x02,
    sp_exportPng = 0x04,
    sp_exportCsv = 0x08,
    sp_exportSvg = 0x10,
    sp_exportSheet = 0x20,
    sp_exportMp4 = 0x40,
} spExportFormat;

// "vtu,png" to a set of formats. Returns 0, with the reason printed, when a word is unknown.
unsigned spParseFormats(const char* list);

// "stress" and so on to a colouring. Returns false, with the reason printed, when the word is unknown.
bool spParseColour(const char* word, spPictureColor* color);

typedef struct spExportPlan
{
    const char* folder;
    const char* name; // first part of file names
    unsigned formats;
    int firstFrame, lastFrame, stride;
    int width, height; // of pictures; 0 means as the scene in the recording says
    bool showEdges, flat, overlap;
    double opacity;     // of bodies in pictures; below 0 means as the scene in the recording says
    const char* colour; // of bodies in pictures; NULL means as the scene in the recording says
    bool quiet;
} spExportPlan;

spExportPlan spMakeExportPlan(void);

// Exports. CSV, SVG, the sheet and the film go to the folder, others to folders of their own in it: png, vtu,
// obj. Returns an exit code; what went wrong is printed.
int spExportRecording(const spRecording* recording, const spExportPlan* plan);
