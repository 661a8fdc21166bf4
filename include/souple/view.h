// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The page: a live view of a scene in the browser, and reports. Needs the library souple_view beside
// souple_scene and souple.
//
//   spViewDef def = spDefaultViewDef();
//   const char* scenes[] = {"scenes/demo.json"};
//   def.scenePaths = scenes;
//   def.sceneCount = 1;
//   spView* view = spCreateView(&def, &error);
//   printf("open %s\n", spView_GetUrl(view));
//   while (!done)
//   {
//       spWaitSomehow(spView_Update(view));
//   }
//   spDestroyView(view);
//
// A view has a thread of its own that talks to browsers; the world is stepped by the thread that calls
// spView_Update, and never waits for a browser. What clients may send is limited and checked; see
// docs/view.md and docs/view_protocol.md.

#pragma once

#include "souple/scene.h"

SP_EXTERN_C_BEGIN

/// A live page. Opaque; create it with spCreateView. Belongs to one thread at a time.
typedef struct spView spView;

/// What spCreateView needs. Everything is copied. Start from spDefaultViewDef.
typedef struct spViewDef
{
    const char* const* scenePaths; ///< scene files to choose from; the first one is opened
    int sceneCount;                ///< number of them, 1 to 1000; 0 with a page that needs no scene
    const char* address;           ///< where to listen; NULL means 127.0.0.1. Others need a token
    int port;                      ///< TCP port; 0 means any that is free
    const char* token;             ///< what clients must bring, 16 to 128 letters and digits; NULL means none
    const char* const* origins;    ///< further hosts that pages may come from, as in "example.org:8080"
    int originCount;               ///< number of them
    const char* recordPath; ///< recording of what happens, hand included; every scene that is opened begins
                            ///< it anew; NULL means none
    double recordRate;      ///< frames in each simulated second in the recording, Hz; 0: as many as the scene
                            ///< asks for, but at most a megabyte in each second
    int threadCount;        ///< threads that work on a step; 0 means as the scene says
    double budget;          ///< wall clock that a step may take, s; 0 means as long as it needs
    double frameRate;       ///< frames sent to each client in a second at most, Hz
    int clientLimit;        ///< connections at a time, 1 to 64
    double speed;           ///< simulated seconds in a second at the start, 0.01 to 10; clients change it
    bool paused;            ///< start paused
    bool waitForViewer;     ///< time stands still until the first client comes
    bool reload;            ///< open a scene again when its file has changed
    const void* page;       ///< HTML to serve instead of the page of this library, a report for example; NULL
                            ///< means that one
    size_t pageSize;        ///< bytes of it
    spLogger logger;        ///< who comes and goes, and what is refused; zero means silence
    int internalValue;      ///< set by spDefaultViewDef
} spViewDef;

/// @return no scenes, 127.0.0.1, any port, no token, no recording, 60 frames a second, 8 clients, speed 1.
SP_API spViewDef spDefaultViewDef(void);

/// Opens the first scene and begins to listen.
/// @return NULL when the definition or the scene is wrong, the port is taken, or this build has no live page
/// (sp_errorUnsupported: it needs libwebsockets, and Node.js when it is built); error says which.
SP_API spView* spCreateView(const spViewDef* def, spError* error);

/// Ends all connections, closes the recording and destroys the view. NULL is allowed.
SP_API void spDestroyView(spView* view);

/// @return address to open in a browser, token included.
SP_API const char* spView_GetUrl(const spView* view);
/// @return TCP port.
SP_API int spView_GetPort(const spView* view);

/// Does what is due: what clients asked for, steps up to the wall clock (at most for about a frame), a frame
/// for those who wait for one. Call it again after the time that it returns, or sooner.
/// @return seconds until there is something to do; 0 when there is already.
SP_API double spView_Update(spView* view);

/// What a view has done since it was created.
typedef struct spViewStats
{
    int clientCount;       ///< clients at this moment
    int64_t stepCount;     ///< steps
    int64_t frameCount;    ///< frames that were published
    int64_t sentCount;     ///< frames that were handed to sockets, over all clients
    uint64_t sentBytes;    ///< bytes of all messages that were handed to sockets
    int64_t refusedCount;  ///< connections and messages that were refused
    double stepSeconds;    ///< wall clock of all steps, s
    double publishSeconds; ///< wall clock that publishing took from the thread that steps, s
    double latencySeconds; ///< from publishing a frame to handing it to a socket: median of the last 1024, s
    double highLatencySeconds; ///< what 99 % of these stay below, s
    double maxLatencySeconds;  ///< the longest of these, s
} spViewStats;

/// @return what a view has done up to now.
SP_API spViewStats spView_GetStats(const spView* view);

/// @return whether this build has the live page.
SP_API bool spHasView(void);

// ---------------------------------------------------------------------------------------------------------
// Reports

/// A table in a report: texts, row by row.
typedef struct spReportTable
{
    const char* const* columns; ///< columnCount headings
    const char* const* cells;   ///< rowCount * columnCount texts
    int columnCount;            ///< number of columns
    int rowCount;               ///< number of rows
} spReportTable;

/// A part of a report. All texts are UTF-8.
typedef struct spReportSection
{
    const char* heading;        ///< what it is about
    const char* text;           ///< paragraphs, parted by empty lines; NULL means none
    const spReportTable* table; ///< NULL means none
    const spPlotDef* plot;      ///< NULL means none
} spReportSection;

/// A report: one HTML file that opens from disk, without server and network. Start from spDefaultReportDef.
typedef struct spReportDef
{
    const char* title;            ///< NULL means the name of the scene
    const char* summary;          ///< a paragraph below the title; NULL means none
    const spRecording* recording; ///< played in the report, with plots of all that was measured; may be NULL
    const spReportSection* sections; ///< what follows
    int sectionCount;                ///< number of sections
    const char* const* facts;        ///< names and values by turns: machine, compiler, command
    int factCount;                   ///< number of pairs
    int frameLimit;                  ///< at most so many frames are taken, spread evenly over the recording
    size_t byteLimit;  ///< at most so many bytes for frames before compression, fewer frames then
    bool storeTets;    ///< also tets and the nodes inside of bodies, for the view of tets
    int internalValue; ///< set by spDefaultReportDef
} spReportDef;

/// @return no recording, no sections, at most 600 frames and 128 MiB of them.
SP_API spReportDef spDefaultReportDef(void);

/// Writes a report. It appears under its name only when it is complete.
/// @return false when the definition is wrong, the file cannot be written, or this build has no page
/// (sp_errorUnsupported: it needs Node.js when it is built); error says which.
SP_API bool spSaveReport(const spReportDef* def, const char* path, spError* error);

/// @return whether this build has the page that reports are made of.
SP_API bool spHasPage(void);
/// @return bytes of that page, 0 when there is none.
SP_API size_t spGetPageSize(void);

SP_EXTERN_C_END
