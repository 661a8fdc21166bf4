// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "session.h"

#include "base/json.h"
#include "base/log.h"
#include "base/timer.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// Further behind the wall clock than this is slow motion, not a rush later, s
#define SP_MOST_LAG 0.25

// Steps go on for so long before clients are looked after again, s
#define SP_MOST_STEPPING (1.0 / 60.0)

// Time between two messages with numbers, s
#define SP_STATS_SECONDS 0.1

// Time between two answers to probes, s
#define SP_PROBE_SECONDS 0.04

// Time between two looks at the file of the scene, s
#define SP_FILE_SECONDS 0.5

// Time between two looks at what events of the scene may have changed, s
#define SP_CHECK_SECONDS 1.0

// Bytes of a recording in each simulated second, when nobody said how many frames it has
#define SP_RECORD_BYTES 1e6

// ---------------------------------------------------------------------------------------------------------
// Opening a scene

// Bodies and colliders of the scene, in its order: what acts make later comes after them
static bool spListWorld(spSession* session)
{
    spWorld* world = spRun_GetWorld(session->run);
    session->bodyCount = spWorld_GetBodyCount(world);
    session->colliderCount = spWorld_GetColliderCount(world);
    session->bodies = calloc((size_t)session->bodyCount + 1, sizeof(spBodyId));
    session->versions = calloc((size_t)session->bodyCount + 1, sizeof(uint32_t));
    session->colliders = calloc((size_t)session->colliderCount + 1, sizeof(spColliderId));
    session->starts = calloc((size_t)session->bodyCount + 1, sizeof(spVec3*));
    session->startCounts = calloc((size_t)session->bodyCount + 1, sizeof(int));
    session->toldInverted = calloc((size_t)session->bodyCount + 1, sizeof(bool));
    if (session->bodies == NULL || session->versions == NULL || session->colliders == NULL ||
        session->starts == NULL || session->startCounts == NULL || session->toldInverted == NULL)
    {
        session->bodyCount = 0;
        session->colliderCount = 0;
        return false;
    }
    spWorld_GetBodies(world, session->bodies, session->bodyCount);
    spWorld_GetColliders(world, session->colliders, session->colliderCount);
    for (int i = 0; i < session->bodyCount; ++i)
    {
        session->versions[i] = spBody_GetTopologyVersion(world, session->bodies[i]);
        int count = spBody_GetNodeCount(world, session->bodies[i]);
        session->starts[i] = calloc((size_t)count + 1, sizeof(spVec3));
        if (session->starts[i] == NULL)
        {
            return false;
        }
        session->startCounts[i] = spBody_CopyPositions(world, session->bodies[i], session->starts[i], count);
    }
    return true;
}

const char* spGetScenePath(const spSession* session)
{
    return session->index >= 0 ? session->def->scenePaths[session->index] : session->received.scene;
}

static double spChooseRecordRate(const spSession* session)
{
    double rate = spScene_GetOutput(session->scene).frameRate;
    if (session->def->recordRate > 0.0)
    {
        return session->def->recordRate;
    }
    double bytes = 1.0;
    for (int i = 0; i < session->bodyCount; ++i)
    {
        bytes += 12.0 * spBody_GetNodeCount(spRun_GetWorld(session->run), session->bodies[i]);
    }
    return fmin(rate, SP_RECORD_BYTES / bytes);
}

static bool spStartRecording(spSession* session, spError* error)
{
    spRun* run = session->run;
    if (session->def->recordPath == NULL)
    {
        return true;
    }
    int count = spRun_GetMeasurementCount(run);
    const char** names = calloc(2 * (size_t)count + 1, sizeof(char*));
    if (names == NULL)
    {
        return spFail(error, sp_errorOutOfMemory, "there is no memory for the recording");
    }
    for (int i = 0; i < count; ++i)
    {
        names[i] = spRun_GetMeasurementName(run, i);
        names[count + i] = spRun_GetMeasurementUnit(run, i);
    }
    spSceneOutput output = spScene_GetOutput(session->scene);
    spCamera camera = {output.cameraPosition, output.cameraTarget, output.cameraUp, output.fieldOfView};
    spPlayInfo play = {.scenePath = spGetScenePath(session),
                       .dt = spRun_GetTimeStep(run),
                       .budget = session->def->budget,
                       .live = true};
    spRecorderDef def = spDefaultRecorderDef();
    def.path = session->def->recordPath;
    def.sceneText = spScene_GetText(session->scene, NULL);
    def.measurementNames = names;
    def.measurementUnits = names + count;
    def.measurementCount = count;
    def.camera = output.hasCamera ? &camera : NULL;
    def.play = &play;
    session->recorder = spCreateRecorder(spRun_GetWorld(run), &def, error);
    free(names);
    session->recordRate = spChooseRecordRate(session);
    session->recordNext = 1.0 / session->recordRate;
    return session->recorder != NULL &&
           spRecorder_AddFrame(session->recorder, spRun_GetWorld(run), spRun_GetMeasurements(run));
}

static void spFreeScene(spSession* session)
{
    spCloseRecorder(session->recorder, NULL);
    spDestroyRun(session->run);
    spDestroyScene(session->scene);
    for (int i = 0; session->starts != NULL && i < session->bodyCount; ++i)
    {
        free(session->starts[i]);
    }
    free(session->starts);
    free(session->toldInverted);
    free(session->startCounts);
    free(session->bodies);
    free(session->versions);
    free(session->colliders);
    free(session->contacts);
    spDestroyNews(session->sceneNews);
    session->recorder = NULL;
    session->run = NULL;
    session->scene = NULL;
    session->bodies = NULL;
    session->versions = NULL;
    session->starts = NULL;
    session->toldInverted = NULL;
    session->startCounts = NULL;
    session->colliders = NULL;
    session->sceneNews = NULL;
}

static void spBeginCounting(spSession* session, double now)
{
    session->told = now;
    session->covered = 0.0;
    session->steps = 0;
    session->profile = (spProfile){0};
    session->flagsSeen = 0;
}

// When a file was written last, ns; 0 when it is not there
static int64_t spGetFileTime(const char* path)
{
    struct stat info;
    return stat(path, &info) == 0 ? (int64_t)info.st_mtim.tv_sec * 1000000000 + info.st_mtim.tv_nsec : 0;
}

// Opens a scene in place of the one that is open, which stays when this fails
static bool spOpenScene(spSession* session, int index, spError* error)
{
    spRunDef def = spDefaultRunDef();
    def.threadCount = session->def->threadCount;
    def.live = true;
    const char* path = index >= 0 ? session->def->scenePaths[index] : session->received.scene;
    int64_t fileTime = spGetFileTime(path);
    spScene* scene = spLoadScene(path, NULL, error);
    spRun* run = scene != NULL ? spCreateRun(scene, &def, error) : NULL;
    if (run == NULL)
    {
        spDestroyScene(scene);
        return false;
    }
    spFreeScene(session);
    session->scene = scene;
    session->run = run;
    session->index = index;
    session->fileTime = fileTime;
    session->serial += 1;
    session->singleSteps = 0;
    session->settingsHash = 0;
    session->pinsHash = 0;
    session->moved = true;
    session->checkSettings = true;
    if (spListWorld(session) == false)
    {
        return spFail(error, sp_errorOutOfMemory, "there is no memory for the scene");
    }
    spError trouble = SP_ZERO_INIT;
    if (spStartRecording(session, &trouble) == false)
    {
        spTellNotice(session, 0, "warning", trouble.message);
        spLog(&session->def->logger, sp_logWarning, "no recording: %s", trouble.message);
        spCloseRecorder(session->recorder, NULL);
        session->recorder = NULL;
    }
    session->sceneNews = spMakeSceneNews(session);
    session->flags = 0;
    session->due = spGetSeconds();
    spBeginCounting(session, session->due);
    return session->sceneNews != NULL ||
           spFail(error, sp_errorOutOfMemory, "there is no memory for the scene");
}

bool spStartSession(spSession* session, const spViewDef* def, spExchange* exchange, spError* error)
{
    *session = (spSession){.def = def,
                           .exchange = exchange,
                           .paused = def->paused,
                           .speed = def->speed,
                           .started = spGetSeconds()};
    return spOpenScene(session, 0, error);
}

void spEndSession(spSession* session)
{
    spFreeScene(session);
    spForgetReceived(&session->received);
}

// ---------------------------------------------------------------------------------------------------------
// Orders

static void spStopRecording(spSession* session)
{
    spError error = spRecorder_GetError(session->recorder);
    spTellNotice(session, 0, "warning", error.message);
    spLog(&session->def->logger, sp_logWarning, "the recording ends: %s", error.message);
    spCloseRecorder(session->recorder, NULL);
    session->recorder = NULL;
}

// Whether an event may change what clients know beside frames: settings, states, pins. A hand in motion does
// not.
static bool spChangesSettings(const char* text)
{
    static const char* const harmless[] = {"grab", "move", "release", "poke", "lift", "force"};
    json_t* event = json_loads(text, 0, NULL);
    const char* type = json_string_value(json_object_get(event, "type"));
    bool changes = true;
    for (int i = 0; type != NULL && i < 6; ++i)
    {
        changes = changes && strcmp(type, harmless[i]) != 0;
    }
    json_decref(event);
    return changes;
}

// An event of the scene format. What changes the scene is recorded, what cannot be done is told.
static void spDoAct(spSession* session, const char* text, int client)
{
    spError error = SP_ZERO_INIT;
    size_t size = strlen(text);
    if (spRun_Act(session->run, text, size, &error) == false)
    {
        spTellNotice(session, client, "warning", error.message);
        return;
    }
    if (session->recorder != NULL && spRecorder_AddAct(session->recorder, text, size) == false)
    {
        spStopRecording(session);
    }
    session->moved = true;
    session->checkSettings = session->checkSettings || spChangesSettings(text);
}

static void spDoEvent(spSession* session, json_t* event)
{
    char* text = event != NULL ? json_dumps(event, JSON_COMPACT) : NULL;
    json_decref(event);
    if (text != NULL)
    {
        spDoAct(session, text, 0);
    }
    free(text);
}

// Whoever held the hand is gone: what it held falls, and its tool is lifted
static void spDropAll(spSession* session)
{
    spHandInfo info;
    for (int i = spRun_GetHandCount(session->run) - 1; i >= 0; --i)
    {
        if (spRun_GetHand(session->run, i, &info) && info.live)
        {
            spDoEvent(session, json_pack("{ssss}", "type", "release", "grab", info.name));
        }
    }
    if (spRun_GetTool(session->run, NULL, NULL, NULL))
    {
        spDoEvent(session, json_pack("{ss}", "type", "lift"));
    }
}

// Opens a scene; when that fails one client, or all, are told why
static bool spTryScene(spSession* session, int index, int client)
{
    spError error = SP_ZERO_INIT;
    bool good = spOpenScene(session, index, &error);
    if (good == false)
    {
        char text[SP_ERROR_MESSAGE_SIZE + 64];
        snprintf(text, sizeof(text),
                 error.line > 0 ? "The scene cannot be opened: line %d: %s"
                                : "The scene cannot be opened: %.0d%s",
                 error.line, error.message);
        spTellNotice(session, client, "error", text);
    }
    return good;
}

static void spSwitchScene(spSession* session, const spOrder* order)
{
    if (order->index >= session->def->sceneCount)
    {
        spTellNotice(session, order->client, "warning", "There is no such scene.");
        return;
    }
    spTryScene(session, order->index, order->client);
}

// A scene, or a mesh in one that is made for it; what comes with it is only kept
static void spTakeFile(spSession* session, const spOrder* order)
{
    spError error = SP_ZERO_INIT;
    spReceived* received = &session->received;
    if (spReceiveFile(received, order->name, order->text, order->size, &error) == false)
    {
        spTellNotice(session, order->client, "error", error.message);
        return;
    }
    char before[sizeof(received->scene)];
    memcpy(before, received->scene, sizeof(before));
    if (order->index == 0)
    {
        return;
    }
    bool good = spMakeReceivedScene(received, order->name, &error);
    if (good == false)
    {
        spTellNotice(session, order->client, "error", error.message);
    }
    if (good == false || spTryScene(session, -1, order->client) == false)
    {
        memcpy(received->scene, before, sizeof(before));
    }
}

void spReloadSession(spSession* session)
{
    double now = spGetSeconds();
    if (session->def->reload == false || now - session->fileChecked < SP_FILE_SECONDS)
    {
        return;
    }
    session->fileChecked = now;
    int64_t fileTime = spGetFileTime(spGetScenePath(session));
    if (fileTime != 0 && fileTime != session->fileTime)
    {
        session->fileTime = fileTime; // what cannot be opened is not tried again and again
        spTryScene(session, session->index, 0);
    }
}

// The step that is due keeps its share of the way there
static void spSetSpeed(spSession* session, double speed)
{
    double now = spGetSeconds();
    session->due = now + (session->due - now) * session->speed / speed;
    session->speed = speed;
}

// Stress and strain are computed for the whole body: not too often
static void spAnswerProbe(spSession* session, const spOrder* order)
{
    double now = spGetSeconds();
    if (now - session->probed >= SP_PROBE_SECONDS)
    {
        session->probed = now;
        spTellProbe(session, order->client, order->index, order->node);
    }
}

static void spFollowOrder(spSession* session, const spOrder* order)
{
    switch (order->type)
    {
        case sp_orderAct:
            spDoAct(session, order->text, order->client);
            break;
        case sp_orderPause:
            session->paused = true;
            session->singleSteps = 0;
            break;
        case sp_orderRun:
            session->paused = false;
            session->due = spGetSeconds();
            break;
        case sp_orderStep:
            session->paused = true;
            session->singleSteps += 1;
            break;
        case sp_orderSpeed:
            spSetSpeed(session, order->value);
            break;
        case sp_orderScene:
            spSwitchScene(session, order);
            break;
        case sp_orderProbe:
            spAnswerProbe(session, order);
            break;
        case sp_orderFile:
            spTakeFile(session, order);
            break;
        case sp_orderDrop:
            spDropAll(session);
            break;
    }
}

void spFollowOrders(spSession* session)
{
    spOrder* order = spTakeOrder(session->exchange);
    for (int i = 0; order != NULL; ++i)
    {
        spFollowOrder(session, order);
        spDestroyOrder(order);
        order = i < SP_RING_SIZE ? spTakeOrder(session->exchange) : NULL;
    }
}

// ---------------------------------------------------------------------------------------------------------
// Steps

// A row for every step, so that the run can be repeated; a frame now and then
static void spRecordStep(spSession* session)
{
    spWorld* world = spRun_GetWorld(session->run);
    const double* values = spRun_GetMeasurements(session->run);
    double time = spRun_GetTime(session->run), period = 1.0 / session->recordRate;
    double slack = 0.5 * spRun_GetTimeStep(session->run);
    // A state that was brought back takes the clock with it
    session->recordNext = fmin(session->recordNext, time + period);
    bool due = time >= session->recordNext - slack;
    session->recordNext = due ? fmax(session->recordNext + period, time) : session->recordNext;
    bool good = due ? spRecorder_AddFrame(session->recorder, world, values)
                    : spRecorder_AddMeasurements(session->recorder, world, values);
    if (good == false)
    {
        spStopRecording(session);
    }
}

static void spComplain(spSession* session, double now)
{
    if (now - session->complained > 1.0)
    {
        spError error = spRun_GetLastError(session->run);
        spTellNotice(session, 0, "warning", error.message);
        session->complained = now;
    }
}

static void spNoteStep(spSession* session, uint32_t flags, double seconds)
{
    spWorld* world = spRun_GetWorld(session->run);
    spProfile profile = spWorld_GetProfile(world);
    session->flags = flags;
    session->flagsSeen |= flags;
    session->steps += 1;
    session->stepCount += 1;
    session->stepSeconds += seconds;
    session->covered += (double)spWorld_GetReport(world).dtTaken;
    session->profile.step += profile.step;
    session->profile.commands += profile.commands;
    session->profile.advance += profile.advance;
    session->profile.detection += profile.detection;
    session->profile.response += profile.response;
    session->profile.check += profile.check;
    session->profile.adapt += profile.adapt;
    session->profile.publish += profile.publish;
    session->moved = true;
}

static void spStepSession(spSession* session)
{
    double start = spGetSeconds(), budget = session->def->budget;
    uint32_t flags = budget > 0.0 ? spRun_StepBudget(session->run, budget) : spRun_Step(session->run);
    double now = spGetSeconds();
    spNoteStep(session, flags, now - start);
    if (session->recorder != NULL)
    {
        spRecordStep(session);
    }
    if ((flags & SP_RUN_EVENT_FAILED) != 0)
    {
        spComplain(session, now);
    }
}

static unsigned spGetWanted(const spSession* session)
{
    return atomic_load_explicit(&session->exchange->wanted, memory_order_acquire);
}

// Whether somebody waits for a frame and the last one is long enough ago. A little early is in time: steps do
// not come at the rate of frames.
static bool spIsFrameDue(const spSession* session, unsigned wanted, double now)
{
    return wanted != 0 && (session->moved || (wanted & sp_wantAnyway) != 0) &&
           now - session->published >= 0.9 / session->def->frameRate;
}

// Nobody should miss the beginning
static bool spWaitsForViewer(spSession* session)
{
    session->watched = session->watched || session->def->waitForViewer == false ||
                       atomic_load_explicit(&session->exchange->clientCount, memory_order_relaxed) > 0;
    return session->watched == false;
}

void spAdvanceSession(spSession* session)
{
    double start = spGetSeconds(), now = start;
    if (spWaitsForViewer(session))
    {
        session->due = now;
        return;
    }
    if (session->paused)
    {
        for (; session->singleSteps > 0 && now - start < SP_MOST_STEPPING; now = spGetSeconds())
        {
            session->singleSteps -= 1;
            spStepSession(session);
        }
        session->due = now;
        return;
    }
    while (session->due <= now && now - start < SP_MOST_STEPPING)
    {
        spStepSession(session);
        double covered = (double)spWorld_GetReport(spRun_GetWorld(session->run)).dtTaken;
        // A step that could not be done takes its time all the same
        covered = covered > 0.0 ? covered : spRun_GetTimeStep(session->run);
        session->due += covered / session->speed;
        now = spGetSeconds();
        session->due = fmax(session->due, now - SP_MOST_LAG);
        if (spIsFrameDue(session, spGetWanted(session), now))
        {
            break;
        }
    }
}

double spGetPatience(const spSession* session)
{
    bool watched = atomic_load_explicit(&session->exchange->clientCount, memory_order_relaxed) > 0;
    if (session->watched == false)
    {
        return 0.02;
    }
    double most = watched || session->paused == false ? 0.01 : 0.05;
    double ahead = session->paused ? (session->singleSteps > 0 ? 0.0 : most) : session->due - spGetSeconds();
    return fmin(fmax(ahead, 0.0), most);
}

// ---------------------------------------------------------------------------------------------------------
// Publishing

static bool spPublishFrame(spSession* session, double now)
{
    unsigned wanted = spGetWanted(session);
    if (spIsFrameDue(session, wanted, now) == false)
    {
        return false;
    }
    session->published = now;
    if (spFillFrame(session, spBeginFrame(session->exchange), wanted) == false)
    {
        return false;
    }
    spEndFrame(session->exchange);
    session->moved = false;
    session->frameCount += 1;
    return true;
}

static bool spPublishScene(spSession* session)
{
    if (session->sceneNews == NULL || spGiveNews(session->exchange, session->sceneNews) == false)
    {
        return false;
    }
    session->sceneNews = NULL;
    return true;
}

static bool spPublishChanges(spSession* session, double now)
{
    bool byScene = spScene_GetEventCount(session->scene) > 0 && now - session->checked > SP_CHECK_SECONDS;
    if (session->checkSettings == false && byScene == false)
    {
        return false;
    }
    session->checked = now;
    session->checkSettings = spTellChanges(session) == false;
    return true;
}

static bool spPublishStats(spSession* session, bool watched, double now)
{
    if (now - session->told < SP_STATS_SECONDS)
    {
        return false;
    }
    bool told = watched && spTellStats(session, now);
    spBeginCounting(session, now);
    return told;
}

bool spPublishSession(spSession* session)
{
    double now = spGetSeconds();
    bool watched = atomic_load_explicit(&session->exchange->clientCount, memory_order_relaxed) > 0;
    bool news = spPublishScene(session);
    // Nothing overtakes its scene
    if (session->sceneNews == NULL && watched)
    {
        news = spPublishChanges(session, now) || news;
        news = spPublishFrame(session, now) || news;
    }
    news = spPublishStats(session, watched && session->sceneNews == NULL, now) || news;
    session->publishSeconds += spGetSeconds() - now;
    return news;
}
