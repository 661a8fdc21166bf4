// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What several commands share.

#include "tools.h"

#include "commands.h"
#include "options.h"
#include "souple/scene.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// Readers of mesh files start with "file: line 3: ", which is said already
static const char* spSkipPlace(const char* message, const char* path, int line)
{
    char place[SP_ERROR_MESSAGE_SIZE];
    const char* slash = strrchr(path, '/');
    const char* names[2] = {path, slash != NULL ? slash + 1 : path};
    for (int i = 0; i < 2; ++i)
    {
        int size = snprintf(place, sizeof(place), "%s: line %d: ", names[i], line);
        if (size > 0 && size < (int)sizeof(place) && strncmp(message, place, (size_t)size) == 0)
        {
            return message + size;
        }
    }
    return message;
}

spWarningList spListWarnings(spRun* run)
{
    spWarningList list = {.count = 0};
    int count = spRun_GetWarnings(run, list.data, SP_MAX_WARNINGS);
    list.count = count < SP_MAX_WARNINGS ? count : SP_MAX_WARNINGS;
    return list;
}

void spTellWarnings(const spWarningList* warnings, const char* path)
{
    for (int i = 0; i < warnings->count; ++i)
    {
        const spSceneProblem* w = warnings->data + i;
        fprintf(stderr, "%s:%d:%d: warning: %s%s%s\n", path, w->line, w->column, w->path,
                w->path[0] != 0 ? ": " : "", w->message);
    }
}

int spFailFile(const char* path, const spError* error)
{
    if (error->line > 0)
    {
        fprintf(stderr, "%s:%d:%d: %s\n", path, error->line, error->column,
                spSkipPlace(error->message, path, error->line));
    }
    else if (strstr(error->message, path) != NULL)
    {
        fprintf(stderr, "souple: %s\n", error->message);
    }
    else
    {
        fprintf(stderr, "souple: %s: %s\n", path, error->message);
    }
    return SP_EXIT_USAGE;
}

int spEndOutput(int code)
{
    bool good = fflush(stdout) == 0 && ferror(stdout) == 0;
    return good ? code : spFailUsage("cannot write the output: is the disk full?");
}

void spPrintJson(json_t* json)
{
    char* text = json != NULL ? json_dumps(json, JSON_INDENT(2) | JSON_REAL_PRECISION(15)) : NULL;
    if (text != NULL)
    {
        puts(text);
    }
    free(text);
    json_decref(json);
}

bool spMakeFileName(char* buffer, size_t size, const char* folder, const char* name, const char* ending)
{
    size_t length = strlen(folder);
    bool slash = length > 0 && folder[length - 1] != '/';
    return (size_t)snprintf(buffer, size, "%s%s%s%s", folder, slash ? "/" : "", name, ending) < size;
}

void spGetStem(char* buffer, size_t size, const char* path)
{
    const char* slash = strrchr(path, '/');
    const char* begin = slash != NULL ? slash + 1 : path;
    const char* dot = strrchr(begin, '.');
    int length = dot != NULL && dot != begin ? (int)(dot - begin) : (int)strlen(begin);
    snprintf(buffer, size, "%.*s", length, begin);
}

const char* spGetTemporaryFolder(void)
{
    const char* folder = getenv("TMPDIR");
    return folder != NULL && folder[0] != 0 ? folder : P_tmpdir;
}

bool spFindProgram(char* buffer, size_t size, const char* name)
{
    const char* folder = getenv("PATH");
    while (folder != NULL && folder[0] != 0)
    {
        int length = (int)strcspn(folder, ":");
        struct stat file;
        int used = snprintf(buffer, size, "%.*s/%s", length, folder, name);
        if (length > 0 && used < (int)size && stat(buffer, &file) == 0 && S_ISREG(file.st_mode) &&
            access(buffer, X_OK) == 0)
        {
            return true;
        }
        folder += length + (folder[length] == ':' ? 1 : 0);
    }
    buffer[0] = 0;
    return false;
}

bool spFindBeside(char* buffer, size_t size, const char* const* places, int placeCount)
{
    char program[1024];
    ssize_t length = readlink("/proc/self/exe", program, sizeof(program) - 1);
    program[length > 0 ? length : 0] = 0;
    char* slash = strrchr(program, '/');
    for (int i = 0; slash != NULL && i < placeCount; ++i)
    {
        *slash = 0;
        if (spMakeFileName(buffer, size, program, places[i], "") && access(buffer, R_OK) == 0)
        {
            return true;
        }
    }
    buffer[0] = 0;
    return false;
}

static int spCompareNumbers(const void* a, const void* b)
{
    double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

void spSortNumbers(double* numbers, int count)
{
    if (count > 0)
    {
        qsort(numbers, (size_t)count, sizeof(double), spCompareNumbers);
    }
}

double spGetProcessorClock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// ---------------------------------------------------------------------------------------------------------
// Flags

const spFlagWord g_flagWords[SP_FLAG_WORD_COUNT] = {
    {sp_stepNonFinite, "nonFinite", "a body turned non-finite and was stopped at its last good state"},
    {sp_stepUnstable, "unstable",
     "a body's time step was above its estimated stability limit, or the body gained energy that nobody gave "
     "it"},
    {sp_stepNotConverged, "notConverged",
     "contacts or links between bodies were not solved to their tolerance"},
    {sp_stepOutOfMemory, "outOfMemory", "memory ran out: contacts were ignored or a body was not moved"},
    {sp_stepDeadlineMissed, "deadlineMissed", "a step covered less time than it should"},
    {sp_stepBadInput, "badInput", "a step could not be done with this time step"},
    {sp_stepSolverStopped, "solverStopped",
     "the system of a body was not solved to its tolerance and the best iterate was taken"},
    {sp_stepMotionCut, "motionCut", "motion was cut short to keep surfaces apart"},
    {sp_stepWaived, "waived",
     "triangles intersect in spite of the guarantee: they began so, or held nodes force them"},
    {SP_RUN_EVENT_FAILED, "eventFailed", "an event of the scene could not be carried out"},
};

void spFormatFlags(uint32_t flags, char* buffer, size_t size)
{
    size_t at = 0;
    snprintf(buffer, size, "ok");
    for (int i = 0; i < SP_FLAG_WORD_COUNT && at < size; ++i)
    {
        if ((flags & g_flagWords[i].flag) != 0)
        {
            at += (size_t)snprintf(buffer + at, size - at, "%s%s", at > 0 ? "," : "", g_flagWords[i].name);
        }
    }
}

// ---------------------------------------------------------------------------------------------------------
// Ctrl-C

static volatile sig_atomic_t s_interrupted;

static void spOnInterrupt(int signalNumber)
{
    (void)signalNumber;
    s_interrupted = 1;
}

void spCatchInterrupt(void)
{
    struct sigaction action;
    memset(&action, 0, sizeof(action));
    action.sa_handler = spOnInterrupt;
    action.sa_flags = (int)SA_RESETHAND; // a second Ctrl-C ends the program at once
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool spIsInterrupted(void)
{
    return s_interrupted != 0;
}

// ---------------------------------------------------------------------------------------------------------
// Progress

spBar spMakeBar(const char* title, bool wanted)
{
    return (spBar){.on = wanted && isatty(STDERR_FILENO), .title = title, .start = spGetSeconds()};
}

void spShowBar(spBar* bar, double fraction, const char* text)
{
    double now = spGetSeconds();
    if (!bar->on || now - bar->shown < 0.1)
    {
        return;
    }
    bar->shown = now;
    char marks[31];
    int done = (int)(30.0 * fmin(fmax(fraction, 0.0), 1.0));
    for (int i = 0; i < 30; ++i)
    {
        marks[i] = i < done ? '#' : '.';
    }
    marks[30] = 0;
    double spent = now - bar->start;
    double left = fraction > 0.0 ? spent * (1.0 - fraction) / fraction : 0.0;
    fprintf(stderr, "\r\033[K%s [%s] %3.0f %%  %s%.0f s left", bar->title, marks, 100.0 * fraction, text,
            left);
    fflush(stderr);
}

void spClearBar(spBar* bar)
{
    if (bar->on && bar->shown > 0.0)
    {
        fputs("\r\033[K", stderr);
        fflush(stderr);
    }
}
