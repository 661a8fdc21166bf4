// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// souple view: a scene that runs live in the browser, to look at and to pull; or a recording that is played
// there.

#include "souple/view.h"

#include "commands.h"
#include "options.h"
#include "report_tools.h"
#include "tools.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// Scenes that are offered at most
#define SP_MAX_OFFERED 1000

typedef struct spViewOptions
{
    const char* operands[SP_MAX_OFFERED];
    int operandCount;
    int port, threads;
    const char* address;
    const char* token;
    const char* origin;
    const char* record;
    double budget;   // ms
    double duration; // s
    bool noOpen, noRecord, paused, verbose;
    char madeToken[33];
    char recordPath[4096];
} spViewOptions;

// Scene files, the first one being opened
typedef struct spOffer
{
    char** paths;
    int count;
} spOffer;

// ---------------------------------------------------------------------------------------------------------
// Which scenes

static bool spIsFolder(const char* path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

// Adds a path unless it is there already
static void spOffer_Add(spOffer* offer, const char* path)
{
    for (int i = 0; i < offer->count; ++i)
    {
        if (strcmp(offer->paths[i], path) == 0)
        {
            return;
        }
    }
    char* copy = offer->count < SP_MAX_OFFERED ? malloc(strlen(path) + 1) : NULL;
    if (copy != NULL)
    {
        strcpy(copy, path);
        offer->paths[offer->count++] = copy;
    }
}

static int spIsSceneFile(const struct dirent* entry)
{
    size_t size = strlen(entry->d_name);
    return entry->d_name[0] != '.' && size > 5 && strcmp(entry->d_name + size - 5, ".json") == 0;
}

// Adds all scene files of a folder, by name
static void spOffer_AddFolder(spOffer* offer, const char* folder)
{
    struct dirent** entries = NULL;
    int count = scandir(folder, &entries, spIsSceneFile, alphasort);
    for (int i = 0; i < count; ++i)
    {
        char path[4096];
        bool here = strcmp(folder, ".") == 0;
        if (snprintf(path, sizeof(path), "%s%s%s", here ? "" : folder, here ? "" : "/", entries[i]->d_name) <
            (int)sizeof(path))
        {
            spOffer_Add(offer, path);
        }
        free(entries[i]);
    }
    free(entries);
}

// Folder of a file: "." when its path has none
static void spGetFolder(char* buffer, size_t size, const char* path)
{
    const char* slash = strrchr(path, '/');
    int length = slash != NULL ? (int)(slash - path) : 0;
    snprintf(buffer, size, "%.*s", length > 0 ? length : 1, length > 0 ? path : (slash != NULL ? "/" : "."));
}

static void spFreeOffer(spOffer* offer)
{
    for (int i = 0; i < offer->count; ++i)
    {
        free(offer->paths[i]);
    }
    free(offer->paths);
}

// The scenes of this folder, or else those that came with the command
static bool spOfferGallery(spOffer* offer)
{
    static const char* const places[] = {"../scenes", SOUPLE_SHARE "/scenes"};
    char folder[4096] = "scenes", first[4200];
    if (spIsFolder(folder) == false && spFindBeside(folder, sizeof(folder), places, 2) == false)
    {
        return false;
    }
    snprintf(first, sizeof(first), "%s/first", folder);
    spOffer_AddFolder(offer, folder);
    spOffer_AddFolder(offer, first);
    return offer->count > 0;
}

static int spMakeOffer(const spViewOptions* options, spOffer* offer)
{
    offer->paths = calloc(SP_MAX_OFFERED, sizeof(char*));
    if (offer->paths == NULL)
    {
        return spFailUsage("there is no memory for the list of scenes");
    }
    if (options->operandCount == 0)
    {
        return spOfferGallery(offer)
                   ? SP_GO_ON
                   : spFailUsage("which scene? There are no scene files in scenes/ here, and "
                                 "none were installed; name one, or a folder with some");
    }
    for (int i = 0; i < options->operandCount; ++i)
    {
        const char* path = options->operands[i];
        if (spIsFolder(path) == false)
        {
            spOffer_Add(offer, path);
            continue;
        }
        int before = offer->count;
        spOffer_AddFolder(offer, path);
        if (offer->count == before)
        {
            return spFailUsage("there are no scene files (*.json) in %s", path);
        }
    }
    // A scene alone comes with its neighbours to choose from
    if (options->operandCount == 1 && spIsFolder(options->operands[0]) == false)
    {
        char folder[4096];
        spGetFolder(folder, sizeof(folder), options->operands[0]);
        spOffer_AddFolder(offer, folder);
    }
    return SP_GO_ON;
}

// ---------------------------------------------------------------------------------------------------------
// Options

static bool spMakeToken(char* token, size_t size)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz234567";
    unsigned char bytes[32];
    if (getrandom(bytes, size - 1, 0) != (ssize_t)(size - 1))
    {
        return false;
    }
    for (size_t i = 0; i + 1 < size; ++i)
    {
        token[i] = letters[bytes[i] % (sizeof(letters) - 1)];
    }
    token[size - 1] = 0;
    return true;
}

static int spParseView(int argc, char** argv, spViewOptions* options)
{
    const spOption table[] = {
        {"port", sp_optionInteger, "PORT", &options->port, "TCP port; by default any that is free", 0, 65535,
         'p'},
        {"address", sp_optionText, "ADDRESS", &options->address,
         "where to listen, 127.0.0.1 by default; others need --token", 0, 0, 0},
        {"token", sp_optionText, "TOKEN", &options->token,
         "what a browser must bring, 16 letters or digits at least; auto makes one", 0, 0, 0},
        {"origin", sp_optionText, "HOST", &options->origin,
         "further name of this server, as in example.org:8080, with commas between several", 0, 0, 0},
        {"no-open", sp_optionFlag, NULL, &options->noOpen, "do not open a browser", 0, 0, 0},
        {"threads", sp_optionInteger, "COUNT", &options->threads,
         "threads that work on a step, by default as many as the scene says", 1, SP_MAX_WORKERS, 0},
        {"budget", sp_optionNumber, "MS", &options->budget,
         "milliseconds that a step may take; without it as many as it needs", 1e-3, 1e6, 0},
        {"record", sp_optionText, "FILE", &options->record,
         "record to this file instead of out/view/<scene>.souple", 0, 0, 0},
        {"no-record", sp_optionFlag, NULL, &options->noRecord, "do not record", 0, 0, 0},
        {"paused", sp_optionFlag, NULL, &options->paused, "start paused", 0, 0, 0},
        {"duration", sp_optionNumber, "SECONDS", &options->duration,
         "end by itself after so many seconds of the wall clock", 1e-3, 1e9, 0},
        {"verbose", sp_optionFlag, NULL, &options->verbose, "tell who comes and goes, and what is refused", 0,
         0, 'v'},
    };
    static const char* const examples[] = {
        "souple view scenes/demo.json",
        "souple view scenes --port 8080 --no-open",
        "souple view scenes/cloth.json --address 0.0.0.0 --token auto",
        "souple view out/demo/demo.souple",
        NULL,
    };
    const spUsage usage = {
        .usage = "souple view [SCENE... | DIR | RECORDING] [options]",
        .description = "Runs a scene live and shows it in the browser: look at it from all sides, pull it, "
                       "change its material.\n"
                       "The other scenes of the folder can be chosen there. What happens, hand included, is "
                       "recorded: 'souple\n"
                       "replay' repeats it. A recording is played as its report would. Ctrl-C ends it.",
        .options = table,
        .optionCount = (int)(sizeof(table) / sizeof(table[0])),
        .minOperands = 0,
        .maxOperands = SP_MAX_OFFERED,
        .examples = examples,
    };
    int result = spParseOptions(&usage, argc, argv, options->operands, &options->operandCount);
    if (result != SP_GO_ON)
    {
        return result;
    }
    if (options->record != NULL && options->noRecord)
    {
        return spFailUsage("--record and --no-record exclude each other");
    }
    if (options->token != NULL && strcmp(options->token, "auto") == 0)
    {
        if (!spMakeToken(options->madeToken, sizeof(options->madeToken)))
        {
            return spFailUsage("the system gave no random numbers for a token; choose one with --token");
        }
        options->token = options->madeToken;
    }
    if (options->address != NULL && options->token == NULL && strncmp(options->address, "127.", 4) != 0 &&
        strcmp(options->address, "::1") != 0)
    {
        return spFailUsage("%s can be reached from other machines: that needs --token TOKEN, or --token auto",
                           options->address);
    }
    return SP_GO_ON;
}

// Where the recording goes, with its folder made. NULL when there is none.
static int spChooseRecording(spViewOptions* options, const char* scenePath)
{
    char folder[4096], stem[256];
    if (options->noRecord)
    {
        options->recordPath[0] = 0;
        return SP_GO_ON;
    }
    spGetStem(stem, sizeof(stem), scenePath);
    bool fits =
        options->record != NULL
            ? snprintf(options->recordPath, sizeof(options->recordPath), "%s", options->record) <
                  (int)sizeof(options->recordPath)
            : spMakeFileName(options->recordPath, sizeof(options->recordPath), "out/view", stem, ".souple");
    if (fits == false)
    {
        return spFailUsage("the name of the recording is too long");
    }
    spGetFolder(folder, sizeof(folder), options->recordPath);
    if (spMakeFolders(folder) == false)
    {
        return spFailUsage("cannot make the folder %s: %s; --no-record does without", folder,
                           strerror(errno));
    }
    return SP_GO_ON;
}

// ---------------------------------------------------------------------------------------------------------
// Showing it

// Hands an address to the desktop. The child is left to itself: a browser may live longer than this.
static bool spOpenBrowser(const char* url)
{
    if (getenv("DISPLAY") == NULL && getenv("WAYLAND_DISPLAY") == NULL)
    {
        return false;
    }
    pid_t child = fork();
    if (child == 0)
    {
        if (fork() == 0)
        {
            // Other threads may be anywhere in the C library: nothing that takes a lock
            int nowhere = open("/dev/null", O_RDWR);
            if (nowhere >= 0 && dup2(nowhere, 0) == 0 && dup2(nowhere, 1) == 1 && dup2(nowhere, 2) == 2)
            {
                execlp("xdg-open", "xdg-open", url, (char*)NULL);
            }
            _exit(1);
        }
        _exit(0);
    }
    return child > 0 && waitpid(child, NULL, 0) == child;
}

static void spLogView(spLogLevel level, const char* message, void* context)
{
    const bool* verbose = context;
    if (level < sp_logInfo || *verbose)
    {
        fprintf(stderr, "souple: %s\n", message);
    }
}

static void spTellView(const spViewOptions* options, const spView* view, const char* path, const char* verb)
{
    int port = spView_GetPort(view);
    printf("%s %s at %s\n", path, verb, spView_GetUrl(view));
    if (options->address == NULL)
    {
        printf(
            "From another machine: ssh -L %d:localhost:%d THIS-MACHINE, and open the same address there.\n",
            port, port);
    }
    if (options->recordPath[0] != 0)
    {
        printf("Recording: %s\n", options->recordPath);
    }
    printf("Ctrl-C ends it.\n");
    fflush(stdout);
}

static void spKeepUpdating(spView* view, double duration)
{
    double end = duration > 0.0 ? spGetSeconds() + duration : INFINITY;
    while (spIsInterrupted() == false && spGetSeconds() < end)
    {
        double patience = spView_Update(view);
        struct timespec pause = {0, (long)(1e9 * fmin(patience, 0.5))};
        if (patience > 0.0)
        {
            nanosleep(&pause, NULL);
        }
    }
}

// Serves what the definition says until the user has enough. `path` runs there, or whatever `verb` says.
static int spShow(spViewOptions* options, spViewDef def, const char* path, const char* verb)
{
    spError error = SP_ZERO_INIT;
    const char* origins[16];
    char names[1024];
    int originCount = 0;
    snprintf(names, sizeof(names), "%s", options->origin != NULL ? options->origin : "");
    for (char* name = strtok(names, ","); name != NULL && originCount < 16; name = strtok(NULL, ","))
    {
        origins[originCount++] = name;
    }
    def.address = options->address;
    def.port = options->port;
    def.token = options->token;
    def.origins = origins;
    def.originCount = originCount;
    def.recordPath = options->recordPath[0] != 0 ? options->recordPath : NULL;
    def.threadCount = options->threads;
    def.budget = 1e-3 * options->budget;
    def.paused = options->paused;
    def.waitForViewer = !(options->duration > 0.0); // what ends by itself also begins by itself
    def.reload = true;
    def.logger = (spLogger){spLogView, &options->verbose};
    spView* view = spCreateView(&def, &error);
    if (view == NULL)
    {
        return spFailFile(path, &error);
    }
    spCatchInterrupt();
    spTellView(options, view, path, verb);
    if (options->noOpen == false && spOpenBrowser(spView_GetUrl(view)) == false)
    {
        printf("There is no display here: open the address in a browser.\n");
        fflush(stdout);
    }
    spKeepUpdating(view, options->duration);
    spDestroyView(view);
    return SP_EXIT_FINE;
}

static int spShowScenes(spViewOptions* options, const spOffer* offer)
{
    spViewDef def = spDefaultViewDef();
    def.scenePaths = (const char* const*)offer->paths;
    def.sceneCount = offer->count;
    return spShow(options, def, offer->paths[0], "runs");
}

// ---------------------------------------------------------------------------------------------------------
// Recordings

// By its first bytes: nobody is bound to an ending
static bool spIsRecording(const char* path)
{
    static const char magic[8] = "\x89SPR\r\n\x1A\n";
    char head[8] = {0};
    FILE* file = spIsFolder(path) ? NULL : fopen(path, "rb");
    bool same = file != NULL && fread(head, 1, 8, file) == 8 && memcmp(head, magic, 8) == 0;
    if (file != NULL)
    {
        fclose(file);
    }
    return same;
}

// The report of a recording in memory; NULL, with the reason printed, when it cannot be made
static char* spMakeReportText(spHeap* heap, const char* recordingPath, int argc, char** argv, size_t* size)
{
    char folder[4096], path[4200];
    snprintf(folder, sizeof(folder), "%.4000s/souple-XXXXXX", spGetTemporaryFolder());
    if (mkdtemp(folder) == NULL)
    {
        spFailUsage("cannot make the folder %s: %s", folder, strerror(errno));
        return NULL;
    }
    snprintf(path, sizeof(path), "%s/report.html", folder);
    spReportPlan plan = {.path = path, .argc = argc, .argv = argv, .quiet = true};
    bool made = spReportRecording(recordingPath, &plan) == SP_EXIT_FINE;
    char* text = NULL;
    spError error = SP_ZERO_INIT;
    if (made && spReadWholeFile(heap, path, SIZE_MAX / 2, &text, size, &error) == false)
    {
        spFailUsage("%s", error.message);
    }
    remove(path);
    rmdir(folder);
    return text;
}

static int spShowRecording(spViewOptions* options, int argc, char** argv)
{
    int code = spCheckReports();
    if (code != SP_GO_ON)
    {
        return code;
    }
    spViewDef def = spDefaultViewDef();
    spHeap heap = spMakeHeap(NULL);
    char* page = spMakeReportText(&heap, options->operands[0], argc, argv, &def.pageSize);
    if (page == NULL)
    {
        return SP_EXIT_USAGE;
    }
    def.page = page;
    code = spShow(options, def, options->operands[0], "is played");
    spFree(&heap, page);
    return code;
}

int spRunView(int argc, char** argv)
{
    spViewOptions options = {0};
    spOffer offer = {0};
    int code = spParseView(argc, argv, &options);
    if (code == SP_GO_ON && options.operandCount == 1 && spIsRecording(options.operands[0]))
    {
        return spShowRecording(&options, argc, argv);
    }
    code = code == SP_GO_ON ? spMakeOffer(&options, &offer) : code;
    code = code == SP_GO_ON ? spChooseRecording(&options, offer.paths[0]) : code;
    code = code == SP_GO_ON ? spShowScenes(&options, &offer) : code;
    spFreeOffer(&offer);
    return code;
}
