// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// A view: the session that steps, the server that talks, and the exchange between them.

#include "souple/view.h"

#include "base/base64.h"
#include "base/error.h"
#include "base/json.h"
#include "page_data.h"
#include "server.h"
#include "session.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Most scenes to choose from, and most further hosts
#define SP_MAX_SCENES 1000
#define SP_MAX_ORIGINS 100

// Bytes of the small picture of a scene at most
#define SP_PICTURE_SIZE 32768

struct spView
{
    spViewDef def; // with texts of our own
    spExchange* exchange;
    spServer* server;
    spSession session;
    bool live; // there is a session
    char* page;
    char url[256];
};

bool spHasView(void)
{
    size_t size;
    return spGetPage(&size) != NULL;
}

spViewDef spDefaultViewDef(void)
{
    spViewDef def = {0};
    def.frameRate = 60.0;
    def.clientLimit = 8;
    def.speed = 1.0;
    def.internalValue = SP_DEF_COOKIE;
    return def;
}

// ---------------------------------------------------------------------------------------------------------
// The definition

static bool spIsGoodToken(const char* token)
{
    size_t size = strlen(token);
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    return size >= 16 && size <= 128 && strspn(token, letters) == size;
}

// What may stand in a Host header
static bool spIsGoodHost(const char* host)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.-_:[]";
    size_t size = strlen(host);
    return size > 0 && size < 200 && strspn(host, letters) == size;
}

static bool spIsLoopback(const char* address)
{
    return strncmp(address, "127.", 4) == 0 || strcmp(address, "::1") == 0;
}

static bool spCheckTexts(const spViewDef* def, spError* error)
{
    for (int i = 0; i < def->sceneCount; ++i)
    {
        if (def->scenePaths == NULL || def->scenePaths[i] == NULL)
        {
            return spFail(error, sp_errorBadArgument, "scene %d of the view has no path", i);
        }
    }
    for (int i = 0; i < def->originCount; ++i)
    {
        if (def->origins == NULL || def->origins[i] == NULL || !spIsGoodHost(def->origins[i]))
        {
            return spFail(error, sp_errorBadArgument,
                          "origin %d is not a host with its port, as in example.org:8080", i);
        }
    }
    if (def->token != NULL && !spIsGoodToken(def->token))
    {
        return spFail(error, sp_errorBadArgument, "a token has 16 to 128 letters and digits");
    }
    if (def->address != NULL && !spIsLoopback(def->address) && def->token == NULL)
    {
        return spFail(error, sp_errorBadArgument,
                      "the address %s can be reached from other machines: that needs a token", def->address);
    }
    return true;
}

static bool spCheckViewDef(const spViewDef* def, spError* error)
{
    if (def == NULL || def->internalValue != SP_DEF_COOKIE)
    {
        return spFail(error, sp_errorBadDef, "the definition does not come from spDefaultViewDef");
    }
    if (def->page == NULL && spHasView() == false)
    {
        return spFail(error, sp_errorUnsupported,
                      "this build has no page: build it with Node.js and npm (Debian: nodejs npm)");
    }
    if (def->sceneCount < (def->page == NULL) || def->sceneCount > SP_MAX_SCENES || def->originCount < 0 ||
        def->originCount > SP_MAX_ORIGINS)
    {
        return spFail(error, sp_errorBadArgument, "a view has 1 to %d scenes and up to %d origins",
                      SP_MAX_SCENES, SP_MAX_ORIGINS);
    }
    if (def->port < 0 || def->port > 65535 || def->clientLimit < 1 || def->clientLimit > 64 ||
        def->threadCount < 0 || def->threadCount > SP_MAX_WORKERS)
    {
        return spFail(error, sp_errorBadArgument,
                      "a view has a port from 0 to 65535, 1 to 64 clients and 0 to %d threads",
                      SP_MAX_WORKERS);
    }
    if (!(def->frameRate > 0.0 && def->frameRate <= 1000.0) || !(def->recordRate >= 0.0) ||
        !isfinite(def->recordRate) || !(def->budget >= 0.0) || !isfinite(def->budget))
    {
        return spFail(error, sp_errorBadArgument,
                      "the frame rate of a view is from 0 to 1000 Hz, other rates and the budget are not "
                      "negative");
    }
    if (!(def->speed >= 0.01 && def->speed <= 10.0))
    {
        return spFail(error, sp_errorBadArgument, "the speed of a view is from 0.01 to 10, not %g",
                      def->speed);
    }
    return spCheckTexts(def, error);
}

static char* spCopyText(const char* text)
{
    char* copy = malloc(strlen(text) + 1);
    if (copy != NULL)
    {
        strcpy(copy, text);
    }
    return copy;
}

static bool spCopyTexts(const char* const** texts, int count)
{
    char** copies = calloc((size_t)count + 1, sizeof(char*));
    bool good = copies != NULL;
    for (int i = 0; copies != NULL && i < count; ++i)
    {
        copies[i] = spCopyText((*texts)[i]);
        good = good && copies[i] != NULL;
    }
    *texts = (const char* const*)copies;
    return good;
}

static bool spCopyOne(const char** text)
{
    *text = *text != NULL ? spCopyText(*text) : NULL;
    return *text != NULL;
}

static bool spCopyDef(spView* view, const spViewDef* def)
{
    view->def = *def;
    view->def.address = def->address != NULL ? def->address : "127.0.0.1";
    bool good = spCopyTexts(&view->def.scenePaths, def->sceneCount);
    good = spCopyTexts(&view->def.origins, def->originCount) && good;
    good = spCopyOne(&view->def.address) && good;
    good = (spCopyOne(&view->def.token) || def->token == NULL) && good;
    good = (spCopyOne(&view->def.recordPath) || def->recordPath == NULL) && good;
    view->def.page = NULL;
    if (def->page != NULL)
    {
        view->page = malloc(def->pageSize + 1);
        good = good && view->page != NULL;
        if (view->page != NULL)
        {
            memcpy(view->page, def->page, def->pageSize);
        }
    }
    return good;
}

static void spFreeTexts(const char* const* texts, int count)
{
    for (int i = 0; texts != NULL && i < count; ++i)
    {
        free((void*)texts[i]);
    }
    free((void*)texts);
}

// ---------------------------------------------------------------------------------------------------------
// What clients are told first

// The picture of FOLDER/SCENE.json is FOLDER/pictures/SCENE.png, small; NULL when there is none
static json_t* spReadPicture(const char* scenePath)
{
    static const uint8_t signature[8] = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1A, '\n'};
    const char* slash = strrchr(scenePath, '/');
    const char* name = slash != NULL ? slash + 1 : scenePath;
    const char* dot = strrchr(name, '.');
    int nameSize = dot != NULL ? (int)(dot - name) : (int)strlen(name);
    char path[4096];
    int size = snprintf(path, sizeof(path), "%.*spictures/%.*s.png", (int)(name - scenePath), scenePath,
                        nameSize, name);
    FILE* file = size < (int)sizeof(path) ? fopen(path, "rb") : NULL;
    if (file == NULL)
    {
        return NULL;
    }
    uint8_t* bytes = malloc(SP_PICTURE_SIZE + 1);
    char* text = malloc(4 * (SP_PICTURE_SIZE / 3 + 1) + 1);
    size_t count = bytes != NULL ? fread(bytes, 1, SP_PICTURE_SIZE + 1, file) : 0;
    fclose(file);
    json_t* json = NULL;
    if (text != NULL && count >= sizeof(signature) && count <= SP_PICTURE_SIZE &&
        memcmp(bytes, signature, sizeof(signature)) == 0)
    {
        json = json_stringn(text, spEncodeBase64(bytes, count, text));
    }
    free(bytes);
    free(text);
    return json;
}

static json_t* spDescribeScene(const char* path)
{
    spScene* scene = spLoadScene(path, NULL, NULL);
    if (scene != NULL)
    {
        json_t* json = json_pack("{ssssso*}", "name", spScene_GetName(scene), "description",
                                 spScene_GetDescription(scene), "picture", spReadPicture(path));
        spDestroyScene(scene);
        return json;
    }
    const char* slash = strrchr(path, '/');
    return json_pack("{ssss}", "name", slash != NULL ? slash + 1 : path, "description",
                     "It cannot be opened.");
}

static char* spMakeHello(const spView* view)
{
    char version[32], lanes[16];
    int number = spGetVersion();
    snprintf(version, sizeof(version), "%d.%d.%d", number / 10000, number / 100 % 100, number % 100);
    snprintf(lanes, sizeof(lanes), "%d", spGetLaneCount());
    json_t* scenes = json_array();
    for (int i = 0; i < view->def.sceneCount; ++i)
    {
        json_array_append_new(scenes, spDescribeScene(view->def.scenePaths[i]));
    }
    json_t* hello = json_pack("{sssssisssos[[ss][ss][ss]]}", "type", "hello", "version", version, "protocol",
                              1, "source", "live", "scenes", scenes, "facts", "Souple", version, "precision",
                              sizeof(spReal) == 4 ? "single" : "double", "lanes", lanes);
    char* text = hello != NULL ? json_dumps(hello, JSON_COMPACT) : NULL;
    json_decref(hello);
    return text;
}

// ---------------------------------------------------------------------------------------------------------
// The view

static bool spStartServer(spView* view, spError* error)
{
    spServerDef def = {
        .address = view->def.address,
        .port = view->def.port,
        .token = view->def.token,
        .hosts = view->def.origins,
        .hostCount = view->def.originCount,
        .clientLimit = view->def.clientLimit,
        .page = view->page,
        .pageSize = view->def.pageSize,
        .exchange = view->live ? view->exchange : NULL,
        .logger = view->def.logger,
    };
    if (view->page == NULL)
    {
        def.page = spGetPage(&def.pageSize);
        def.compressedPage = spGetCompressedPage(&def.compressedSize);
    }
    char* hello = spMakeHello(view);
    if (hello == NULL)
    {
        return spFail(error, sp_errorOutOfMemory, "there is no memory for the view");
    }
    def.hello = hello;
    view->server = spCreateServer(&def, error);
    free(hello);
    return view->server != NULL;
}

static void spMakeUrl(spView* view)
{
    const char* address = view->def.address;
    bool any = strcmp(address, "0.0.0.0") == 0 || strcmp(address, "::") == 0;
    bool six = strchr(address, ':') != NULL && any == false;
    snprintf(view->url, sizeof(view->url), "http://%s%s%s:%d/%s%s", six ? "[" : "",
             any ? "127.0.0.1" : address, six ? "]" : "", spGetServerPort(view->server),
             view->def.token != NULL ? "?token=" : "", view->def.token != NULL ? view->def.token : "");
}

spView* spCreateView(const spViewDef* def, spError* error)
{
    if (spCheckViewDef(def, error) == false)
    {
        return NULL;
    }
    spView* view = calloc(1, sizeof(spView));
    bool good = view != NULL && spCopyDef(view, def);
    if (good)
    {
        view->exchange = spCreateExchange();
        good = view->exchange != NULL;
    }
    if (good == false)
    {
        spFail(error, sp_errorOutOfMemory, "there is no memory for the view");
    }
    if (good && def->sceneCount > 0)
    {
        view->live = true;
        good = spStartSession(&view->session, &view->def, view->exchange, error);
    }
    if (good == false || spStartServer(view, error) == false)
    {
        spDestroyView(view);
        return NULL;
    }
    spMakeUrl(view);
    return view;
}

void spDestroyView(spView* view)
{
    if (view == NULL)
    {
        return;
    }
    spDestroyServer(view->server);
    if (view->live)
    {
        spEndSession(&view->session);
    }
    spDestroyExchange(view->exchange);
    spFreeTexts(view->def.scenePaths, view->def.sceneCount);
    spFreeTexts(view->def.origins, view->def.originCount);
    free((void*)view->def.address);
    free((void*)view->def.token);
    free((void*)view->def.recordPath);
    free(view->page);
    free(view);
}

const char* spView_GetUrl(const spView* view)
{
    return view != NULL ? view->url : "";
}

int spView_GetPort(const spView* view)
{
    return view != NULL ? spGetServerPort(view->server) : 0;
}

double spView_Update(spView* view)
{
    if (view == NULL || view->live == false)
    {
        return 0.1;
    }
    spFollowOrders(&view->session);
    spReloadSession(&view->session);
    spAdvanceSession(&view->session);
    if (spPublishSession(&view->session))
    {
        spWakeServer(view->server);
    }
    return spGetPatience(&view->session);
}

static int spCompareLatencies(const void* a, const void* b)
{
    double x = *(const double*)a, y = *(const double*)b;
    return x < y ? -1 : x > y;
}

static void spSumLatencies(spExchange* exchange, spViewStats* stats)
{
    double sorted[SP_LATENCY_COUNT];
    int64_t total = atomic_load_explicit(&exchange->latencyCount, memory_order_acquire);
    int count = total < SP_LATENCY_COUNT ? (int)total : SP_LATENCY_COUNT;
    for (int i = 0; i < count; ++i)
    {
        sorted[i] = 1e-8 * atomic_load_explicit(&exchange->latencies[i], memory_order_relaxed);
    }
    if (count > 0)
    {
        qsort(sorted, (size_t)count, sizeof(double), spCompareLatencies);
        stats->latencySeconds = sorted[count / 2];
        stats->highLatencySeconds = sorted[(int)(0.99 * (count - 1))];
        stats->maxLatencySeconds = sorted[count - 1];
    }
}

spViewStats spView_GetStats(const spView* view)
{
    spViewStats stats = {0};
    if (view == NULL)
    {
        return stats;
    }
    spExchange* exchange = view->exchange;
    stats.clientCount = atomic_load_explicit(&exchange->clientCount, memory_order_relaxed);
    stats.sentCount = atomic_load_explicit(&exchange->sentCount, memory_order_relaxed);
    stats.sentBytes = atomic_load_explicit(&exchange->sentBytes, memory_order_relaxed);
    stats.refusedCount = atomic_load_explicit(&exchange->refusedCount, memory_order_relaxed);
    stats.stepCount = view->session.stepCount;
    stats.frameCount = view->session.frameCount;
    stats.stepSeconds = view->session.stepSeconds;
    stats.publishSeconds = view->session.publishSeconds;
    spSumLatencies(exchange, &stats);
    return stats;
}
