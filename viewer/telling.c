// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What clients are told of a session, as text: the scene, its settings and pins, numbers ten times a second.

#include "base/json.h"
#include "base/log.h"
#include "session.h"
#include "souple/body.h"
#include "souple/element.h"
#include "souple/levels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Warnings of a scene that are told at most
#define SP_MOST_WARNINGS 20

static spNews* spMakeNews(const spSession* session, spNewsType type)
{
    spNews* news = calloc(1, sizeof(spNews));
    if (news != NULL)
    {
        news->type = type;
        news->serial = session->serial;
    }
    return news;
}

// Gives news away; it is destroyed when there is no room for it
static bool spTell(spSession* session, spNews* news)
{
    if (news == NULL || news->message.failed || spGiveNews(session->exchange, news) == false)
    {
        spDestroyNews(news);
        return false;
    }
    return true;
}

// A JSON object as the message of news; the object is destroyed
static bool spTellJson(spSession* session, spNews* news, json_t* json)
{
    char* text = json != NULL ? json_dumps(json, JSON_COMPACT | JSON_REAL_PRECISION(9)) : NULL;
    json_decref(json);
    if (news == NULL || text == NULL)
    {
        free(text);
        spDestroyNews(news);
        return false;
    }
    spAppendText(&news->message, text, strlen(text));
    free(text);
    return spTell(session, news);
}

static void spCollectText(const char* text, size_t size, void* context)
{
    spAppend(context, text, size);
}

// Our keys in front of those of an object
static void spAppendObject(spBuffer* message, const char* keys, const spBuffer* object)
{
    spAppendText(message, "{", 1);
    spAppend(message, keys, strlen(keys));
    spAppend(message, ",", 1);
    spAppend(message, object->data + 1, object->size - 1);
}

// ---------------------------------------------------------------------------------------------------------
// The scene

static bool spDrawBodies(spSession* session, spNews* news)
{
    news->bodies = calloc((size_t)session->bodyCount + 1, sizeof(spDrawn));
    for (int i = 0; news->bodies != NULL && i < session->bodyCount; ++i)
    {
        if (spMakeDrawn(news->bodies + i, spRun_GetWorld(session->run), session->bodies[i]) == false)
        {
            return false;
        }
        news->bodyCount += 1;
    }
    return news->bodies != NULL;
}

// What `souple check` warns of, told here too
static json_t* spDescribeWarnings(spSession* session)
{
    const char* file = spGetScenePath(session);
    spSceneProblem warnings[SP_MOST_WARNINGS];
    int count = spRun_GetWarnings(session->run, warnings, SP_MOST_WARNINGS);
    json_t* list = json_array();
    for (int i = 0; i < count && i < SP_MOST_WARNINGS; ++i)
    {
        const spSceneProblem* w = warnings + i;
        const char* colon = w->path[0] != 0 ? ": " : "";
        json_array_append_new(list, json_sprintf("%s%s%s", w->path, colon, w->message));
        spLog(&session->def->logger, sp_logWarning, "%s:%d:%d: %s%s%s", file, w->line, w->column, w->path,
              colon, w->message);
    }
    return list;
}

spNews* spMakeSceneNews(spSession* session)
{
    spNews* news = spMakeNews(session, sp_newsScene);
    json_t* keys =
        json_pack("{sssisi}", "type", "scene", "serial", (int)session->serial, "index", session->index);
    // Where it lies on the disk is nobody's business
    const char* path = session->def->recordPath;
    const char* slash = path != NULL ? strrchr(path, '/') : NULL;
    path = slash != NULL ? slash + 1 : path;
    json_object_set_new(keys, "recording", session->recorder != NULL ? json_string(path) : json_null());
    json_object_set_new(keys, "warnings", spDescribeWarnings(session));
    char* text = keys != NULL ? json_dumps(keys, JSON_COMPACT) : NULL;
    json_decref(keys);
    spBuffer object = {0};
    bool good = news != NULL && text != NULL && spDrawBodies(session, news) &&
                spRun_Describe(session->run, spCollectText, &object) && object.size > 2;
    if (good)
    {
        text[strlen(text) - 1] = 0;
        spAppendObject(&news->message, text + 1, &object);
        good = news->message.failed == false && object.failed == false;
    }
    free(text);
    spFreeBuffer(&object);
    if (good == false)
    {
        spDestroyNews(news);
        return NULL;
    }
    return news;
}

// ---------------------------------------------------------------------------------------------------------
// What changes now and then

// FNV-1a
static uint64_t spHashBytes(uint64_t hash, const void* data, size_t size)
{
    for (size_t i = 0; i < size; ++i)
    {
        hash = (hash ^ ((const uint8_t*)data)[i]) * 1099511628211u;
    }
    return hash;
}

static bool spTellSettings(spSession* session)
{
    spBuffer object = {0};
    if (spRun_DescribeSettings(session->run, spCollectText, &object) == false || object.failed ||
        object.size <= 2)
    {
        spFreeBuffer(&object);
        return false;
    }
    uint64_t hash = spHashBytes(14695981039346656037u, object.data, object.size);
    bool good = true;
    if (hash != session->settingsHash)
    {
        spNews* news = spMakeNews(session, sp_newsSettings);
        if (news != NULL)
        {
            spAppendObject(&news->message, "\"type\":\"settings\"", &object);
        }
        good = spTell(session, news);
        session->settingsHash = good ? hash : session->settingsHash;
    }
    spFreeBuffer(&object);
    return good;
}

// Nodes of a body that attachments hold
static json_t* spListAttached(const spSession* session, int body, int nodeCount, uint64_t* hash)
{
    json_t* list = json_array();
    int32_t* nodes = calloc((size_t)nodeCount + 1, sizeof(int32_t));
    int count = nodes != NULL ? spRun_CopyAttachedNodes(session->run, body, nodes, nodeCount) : 0;
    for (int i = 0; i < count; ++i)
    {
        json_array_append_new(list, json_integer(nodes[i]));
    }
    *hash = spHashBytes(*hash, nodes, (size_t)count * sizeof(int32_t));
    free(nodes);
    return list;
}

static bool spTellPins(spSession* session)
{
    const spWorld* world = spRun_GetWorld(session->run);
    uint64_t hash = 14695981039346656037u;
    json_t *bodies = json_array(), *links = json_array();
    for (int i = 0; i < session->bodyCount; ++i)
    {
        json_t* pins = json_array();
        int count = spBody_GetNodeCount(world, session->bodies[i]);
        for (int node = 0; node < count; ++node)
        {
            if (spBody_GetNodeRole(world, session->bodies[i], node) == sp_nodeFixed)
            {
                json_array_append_new(pins, json_integer(node));
                hash = spHashBytes(hash, &node, sizeof(node));
            }
        }
        json_array_append_new(bodies, pins);
        hash = spHashBytes(hash, &i, sizeof(i));
        json_array_append_new(links, spListAttached(session, i, count, &hash));
    }
    if (hash == session->pinsHash)
    {
        json_decref(bodies);
        json_decref(links);
        return true;
    }
    bool good = spTellJson(session, spMakeNews(session, sp_newsPins),
                           json_pack("{sssoso}", "type", "pins", "bodies", bodies, "links", links));
    session->pinsHash = good ? hash : session->pinsHash;
    return good;
}

bool spTellChanges(spSession* session)
{
    bool settings = spTellSettings(session);
    return spTellPins(session) && settings;
}

bool spTellNotice(spSession* session, int client, const char* level, const char* text)
{
    spNews* news = spMakeNews(session, sp_newsNotice);
    if (news != NULL)
    {
        news->client = client;
    }
    return spTellJson(session, news, json_pack("{ssssss}", "type", "notice", "level", level, "text", text));
}

// ---------------------------------------------------------------------------------------------------------
// Probes

// One number of many; null where the body has none
static json_t* spTakeNumber(const spReal* numbers, int count, int node)
{
    return node < count ? spMakeJsonNumber((double)numbers[node]) : json_null();
}

static double spGetLength(spVec3 a, spVec3 b)
{
    double x = (double)a.x - (double)b.x, y = (double)a.y - (double)b.y, z = (double)a.z - (double)b.z;
    return sqrt(x * x + y * y + z * z);
}

bool spTellProbe(spSession* session, int client, int body, int node)
{
    const spWorld* world = spRun_GetWorld(session->run);
    int count = body < session->bodyCount ? spBody_GetNodeCount(world, session->bodies[body]) : 0;
    if (node >= count || node >= session->startCounts[body])
    {
        return false;
    }
    spBodyId id = session->bodies[body];
    spReal* numbers = calloc((size_t)count, sizeof(spReal));
    spVec3* vectors = calloc((size_t)count, sizeof(spVec3));
    spNews* news = spMakeNews(session, sp_newsNotice);
    bool good = numbers != NULL && vectors != NULL && news != NULL;
    json_t* json = NULL;
    if (good)
    {
        news->client = client;
        spBody_CopyPositions(world, id, vectors, count);
        double moved = spGetLength(vectors[node], session->starts[body][node]);
        spBody_CopyVelocities(world, id, vectors, count);
        double speed = spGetLength(vectors[node], (spVec3){0});
        json = json_pack("{sssisi}", "type", "probe", "body", body, "node", node);
        json_object_set_new(json, "time", spMakeJsonNumber(spRun_GetTime(session->run)));
        json_object_set_new(json, "displacement", spMakeJsonNumber(moved));
        json_object_set_new(json, "velocity", spMakeJsonNumber(speed));
        int stressCount = spBody_CopyNodeStress(world, id, numbers, count);
        json_object_set_new(json, "stress", spTakeNumber(numbers, stressCount, node));
        int strainCount = spBody_CopyNodeStrain(world, id, numbers, count);
        json_object_set_new(json, "strain", spTakeNumber(numbers, strainCount, node));
        int pressureCount = spBody_CopyContactPressures(world, id, numbers, count);
        json_object_set_new(json, "pressure", spTakeNumber(numbers, pressureCount, node));
    }
    free(numbers);
    free(vectors);
    if (good == false)
    {
        spDestroyNews(news);
        return false;
    }
    return spTellJson(session, news, json);
}

// ---------------------------------------------------------------------------------------------------------
// Numbers

static const struct
{
    uint32_t flag;
    const char* word;
} s_flagWords[] = {
    {sp_stepNonFinite, "nonFinite"},
    {sp_stepUnstable, "unstable"},
    {sp_stepNotConverged, "notConverged"},
    {sp_stepOutOfMemory, "outOfMemory"},
    {sp_stepDeadlineMissed, "deadlineMissed"},
    {sp_stepBadInput, "badInput"},
    {sp_stepSolverStopped, "solverStopped"},
    {sp_stepMotionCut, "motionCut"},
    {sp_stepWaived, "waived"},
    {SP_RUN_EVENT_FAILED, "eventFailed"},
};

static json_t* spMakeFlags(uint32_t flags)
{
    json_t* words = json_array();
    for (size_t i = 0; i < sizeof(s_flagWords) / sizeof(s_flagWords[0]); ++i)
    {
        if ((flags & s_flagWords[i].flag) != 0)
        {
            json_array_append_new(words, json_string(s_flagWords[i].word));
        }
    }
    return words;
}

static json_t* spMakeProfile(const spSession* session)
{
    const spProfile* sum = &session->profile;
    double share = session->steps > 0 ? 1.0 / session->steps : 0.0;
    return json_pack("{sfsfsfsfsfsfsfsf}", "step", share * sum->step, "commands", share * sum->commands,
                     "advance", share * sum->advance, "detection", share * sum->detection, "response",
                     share * sum->response, "check", share * sum->check, "adapt", share * sum->adapt,
                     "publish", share * sum->publish);
}

static json_t* spMakeEnergy(const spSession* session)
{
    spEnergy sum = {0};
    for (int i = 0; i < session->bodyCount; ++i)
    {
        spEnergy energy = spBody_GetEnergy(spRun_GetWorld(session->run), session->bodies[i]);
        sum.kinetic += energy.kinetic;
        sum.elastic += energy.elastic;
        sum.potential += energy.potential;
    }
    json_t* json = json_object();
    json_object_set_new(json, "kinetic", spMakeJsonNumber(sum.kinetic));
    json_object_set_new(json, "elastic", spMakeJsonNumber(sum.elastic));
    json_object_set_new(json, "potential", spMakeJsonNumber(sum.potential));
    return json;
}

// What moves bodies that leave their methods open, null for others
static json_t* spMakeChoices(const spSession* session)
{
    json_t* list = json_array();
    for (int i = 0; i < session->bodyCount; ++i)
    {
        spMethodChoice choice = spBody_GetMethodChoice(spRun_GetWorld(session->run), session->bodies[i]);
        bool open = choice.automatic && choice.type != sp_methodAuto;
        json_array_append_new(
            list, open ? json_pack("{ssss}", "method", spGetMethodWord(choice.type), "reason", choice.reason)
                       : json_null());
    }
    return list;
}

// Tets inside out are told once for every body, with what helps
static int spCountInverted(spSession* session)
{
    int sum = 0;
    for (int i = 0; i < session->bodyCount; ++i)
    {
        spInversionReport report = {0};
        const char* name = spBody_GetName(spRun_GetWorld(session->run), session->bodies[i]);
        spRun_GetInversions(session->run, name, &report);
        sum += report.now;
        if (report.stepCount > 0 && session->toldInverted[i] == false)
        {
            char text[256];
            snprintf(text, sizeof(text), "%s: tets turned inside out at %.3g s: %s.", name, report.firstTime,
                     report.remedy);
            session->toldInverted[i] = spTellNotice(session, 0, "warning", text);
        }
    }
    return sum;
}

// What bodies of levels do, all of them together; null without one, and the load without a budget
static json_t* spMakeLevels(spSession* session)
{
    double active = 0.0, evaluations = 0.0, load = 0.0;
    bool any = false;
    for (int i = 0; i < session->bodyCount; ++i)
    {
        spLevelsReport report = spBody_GetLevels(spRun_GetWorld(session->run), session->bodies[i]);
        for (int k = 0; k < report.levelCount; ++k)
        {
            active += report.activeCounts[k];
        }
        any = any || report.levelCount > 0;
        evaluations += report.evaluations;
        load = fmax(load, report.load);
    }
    json_t* levels = any ? json_object() : json_null();
    if (any)
    {
        json_object_set_new(levels, "active", spMakeJsonNumber(active));
        json_object_set_new(levels, "evaluations", spMakeJsonNumber(evaluations));
        json_object_set_new(levels, "load", load > 0.0 ? spMakeJsonNumber(load) : json_null());
    }
    return levels;
}

bool spTellStats(spSession* session, double now)
{
    const spRun* run = session->run;
    spStepReport report = spWorld_GetReport(spRun_GetWorld(session->run));
    double wall = fmax(now - session->told, 1e-6);
    json_t* measurements = json_array();
    for (int i = 0; i < spRun_GetMeasurementCount(run); ++i)
    {
        json_array_append_new(measurements, spMakeJsonNumber(spRun_GetMeasurement(run, i)));
    }
    json_t* json =
        json_pack("{sssbsfsfsf}", "type", "stats", "paused", (int)session->paused, "speed", session->speed,
                  "framesPerSecond", session->steps / wall, "ratio", session->covered / wall);
    json_object_set_new(json, "time", spMakeJsonNumber(spRun_GetTime(run)));
    json_object_set_new(json, "step", json_integer(spWorld_GetStepCount(spRun_GetWorld(session->run))));
    json_object_set_new(json, "wall", spMakeJsonNumber(now - session->started));
    json_object_set_new(json, "profile", spMakeProfile(session));
    json_object_set_new(json, "energy", spMakeEnergy(session));
    json_object_set_new(json, "iterations", json_integer(report.solverIterations));
    json_object_set_new(json, "residual",
                        report.solverResidual > 0.0 ? spMakeJsonNumber(report.solverResidual) : json_null());
    json_object_set_new(json, "levels", spMakeLevels(session));
    json_object_set_new(json, "measurements", measurements);
    json_object_set_new(json, "chosen", spMakeChoices(session));
    json_object_set_new(json, "inverted", json_integer(spCountInverted(session)));
    json_object_set_new(json, "flags", spMakeFlags(session->flagsSeen));
    return spTellJson(session, spMakeNews(session, sp_newsStats), json);
}
