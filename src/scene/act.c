// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Acts: events that come while a scene runs, from a hand in the browser or from a program, and what can be
// seen of the hands.
//
// The text may come from anywhere. Its size and depth are looked at first, then it goes the way of scene
// files: parser, table, checks. What was read lies in a pool that goes when the act is done.

#include "scene/reader.h"
#include "scene/run.h"

#include <string.h>

#include <jansson.h>

// Deeper than any event: the parser calls itself for each level
#define SP_ACT_DEPTH 16

static bool spIsDeep(const char* text, size_t size)
{
    int depth = 0;
    bool inString = false;
    for (size_t i = 0; i < size; ++i)
    {
        char c = text[i];
        if (inString)
        {
            i += c == '\\';
            inString = c != '"';
        }
        else if (c == '"')
        {
            inString = true;
        }
        else if (c == '{' || c == '[')
        {
            depth += 1;
            if (depth > SP_ACT_DEPTH)
            {
                return true;
            }
        }
        else if (c == '}' || c == ']')
        {
            depth -= 1;
        }
    }
    return false;
}

// From text to JSON; NULL with a sentence
static json_t* spParseAct(const char* text, size_t size, spError* error)
{
    if (text == NULL || size == 0)
    {
        spFail(error, sp_errorBadArgument, "an act has a text: an event as a JSON object, without \"time\"");
        return NULL;
    }
    if (size > SP_MAX_ACT_SIZE)
    {
        spFail(error, sp_errorLimit, "an act has at most %d bytes, not %zu", SP_MAX_ACT_SIZE, size);
        return NULL;
    }
    if (spIsDeep(text, size))
    {
        spFail(error, sp_errorLimit, "an act has at most %d brackets in each other", SP_ACT_DEPTH);
        return NULL;
    }
    json_error_t jsonError;
    bool memory = true;
    json_t* json = spLoadJson(text, size, JSON_REJECT_DUPLICATES, &jsonError, &memory);
    if (json == NULL)
    {
        memory == false
            ? spFailMemory(error, "an act", size)
            : spFailAt(error, sp_errorScene, jsonError.line, jsonError.column > 0 ? jsonError.column : 1,
                       "not JSON: %s", jsonError.text);
        return NULL;
    }
    const char* wrong = !json_is_object(json) ? "an act is one JSON object, as in {\"type\": \"lift\"}"
                        : json_object_get(json, "time") != NULL
                            ? "an act has no \"time\": it happens before the next step"
                            : NULL;
    if (wrong != NULL)
    {
        spFail(error, sp_errorScene, "%s", wrong);
        json_decref(json);
        return NULL;
    }
    return json;
}

// The link that a name stands for now: those of acts first. -1 when there is none.
static int spFindHeldLink(const spRun* run, const char* name)
{
    for (int i = run->sceneLinkCount; i < run->linkCount; ++i)
    {
        if (run->links[i].held && strcmp(run->links[i].name, name) == 0)
        {
            return i;
        }
    }
    int link = spFindLinkIndex(run->scene, name);
    return link >= 0 && run->links[link].held ? link : -1;
}

static void spFindGrabPlace(const spRun* run, spRunEvent* event, spProblems* problems)
{
    const spEventData* data = event->data;
    if (data->name[0] == 0 || strlen(data->name) >= SP_RUN_NAME)
    {
        spReport(problems, &data->head, &data->name, "a name has 1 to %d bytes, but this one has %zu",
                 SP_RUN_NAME - 1, strlen(data->name));
        return;
    }
    if (spFindHeldLink(run, data->name) >= 0)
    {
        spReport(problems, &data->head, &data->name, "\"%s\" holds already: release it first", data->name);
        return;
    }
    for (int i = run->sceneLinkCount; event->link < 0 && i < run->linkCount; ++i)
    {
        event->link = run->links[i].held ? -1 : i;
    }
    if (event->link < 0)
    {
        spReport(problems, &data->head, NULL, "%d hands hold already: release one first", SP_MAX_LIVE_GRABS);
    }
}

// The grab that is to move or to let go
static void spFindGrab(const spRun* run, spRunEvent* event, spProblems* problems)
{
    const spEventData* data = event->data;
    event->link = spFindHeldLink(run, data->grab);
    if (event->link < 0)
    {
        spReport(problems, &data->head, &data->grab, "\"%.60s\" holds nothing at this time", data->grab);
        return;
    }
    const spLinkDef* def = &run->links[event->link].def;
    if (data->type == sp_eventMove && (!SP_IS_NULL(def->collider) || !SP_IS_NULL(def->otherBody)))
    {
        spReport(problems, &data->head, &data->grab,
                 "an attachment to a collider or body moves with it: move that instead");
    }
}

static void spCarryOut(spRun* run, const spEventData* data, spProblems* problems)
{
    spRunEvent event = {.data = data, .link = -1, .live = true};
    event.body = spFindBodyIndex(run->scene, data->body);
    event.collider = spFindColliderIndex(run->scene, data->collider);
    if (data->type == sp_eventGrab)
    {
        spFindGrabPlace(run, &event, problems);
    }
    else if (data->type == sp_eventMove || data->type == sp_eventRelease)
    {
        spFindGrab(run, &event, problems);
    }
    if (problems->errorCount == 0)
    {
        spPlayEvent(run, &event, problems);
    }
}

bool spRun_Act(spRun* run, const char* text, size_t size, spError* error)
{
    if (run == NULL)
    {
        return spFail(error, sp_errorBadArgument, "spRun_Act: run is NULL");
    }
    json_t* json = spParseAct(text, size, error);
    if (json == NULL)
    {
        return false;
    }
    spPool pool = {.heap = &run->heap};
    spPlaceIndex places = {0};
    spProblems problems = {.places = &places};
    spEventData data;
    spReader reader = {.pool = &pool, .places = &places, .problems = &problems};
    bool memory = spScanPlaces(&places, &run->heap, text, size);
    if (memory)
    {
        spReadObject(&reader, &g_actSchema, json, 0, &data);
        memory = !reader.outOfMemory;
    }
    if (memory && problems.errorCount == 0)
    {
        spCheckAct(run->scene, &data, &problems);
    }
    if (memory && problems.errorCount == 0)
    {
        spCarryOut(run, &data, &problems);
    }
    if (problems.errorCount > 0 && error != NULL)
    {
        *error = problems.first;
    }
    bool good = problems.errorCount == 0 && (memory || spFailMemory(error, "an act", size));
    spFreePool(&pool);
    spFreePlaces(&places);
    json_decref(json);
    return good;
}

// ---------------------------------------------------------------------------------------------------------
// Hands

// Grabs that hold; attachments are no hands
static bool spIsHand(const spRun* run, int link)
{
    return link >= run->scene->data.attachments.count && run->links[link].held;
}

int spRun_CopyAttachedNodes(const spRun* run, int body, int32_t* nodes, int capacity)
{
    int count = 0;
    for (int i = 0; run != NULL && nodes != NULL && i < run->scene->data.attachments.count; ++i)
    {
        const spRunLink* link = &run->links[i];
        for (int k = 0; link->held && link->body == body && k < link->def.nodeCount && count < capacity; ++k)
        {
            nodes[count++] = link->def.nodes[k];
        }
    }
    return count;
}

int spRun_GetHandCount(const spRun* run)
{
    int count = 0;
    for (int i = 0; i < run->linkCount; ++i)
    {
        count += spIsHand(run, i);
    }
    return count;
}

bool spRun_GetHand(const spRun* run, int hand, spHandInfo* info)
{
    int index = 0;
    for (; index < run->linkCount; ++index)
    {
        if (spIsHand(run, index) && hand-- == 0)
        {
            break;
        }
    }
    if (index == run->linkCount || info == NULL)
    {
        return false;
    }
    const spRunLink* link = &run->links[index];
    const spRunBody* body = &run->bodies[link->body];
    bool live = index >= run->sceneLinkCount;
    spDVec3 point = {0}, place = {0};
    spBody_CopyPositions(run->world, body->id, run->scratch, run->scratchCount);
    for (int i = 0; i < link->def.nodeCount; ++i)
    {
        spVec3 x = run->scratch[link->def.nodes[i]], anchor = link->def.anchors[i];
        point = (spDVec3){point.x + (double)x.x, point.y + (double)x.y, point.z + (double)x.z};
        place = (spDVec3){place.x + (double)anchor.x, place.y + (double)anchor.y, place.z + (double)anchor.z};
    }
    double share = 1.0 / link->def.nodeCount;
    *info = (spHandInfo){
        .name = live ? link->name : spGetLinkName(run->scene, index),
        .body = body->id,
        .bodyIndex = link->body,
        .live = live,
        .point = spToVec3((spDVec3){share * point.x, share * point.y, share * point.z}),
        .hand = spToVec3((spDVec3){share * place.x + link->offset.x, share * place.y + link->offset.y,
                                   share * place.z + link->offset.z}),
        .force = spLink_GetForce(run->world, link->id),
    };
    return true;
}

bool spRun_GetTool(const spRun* run, spVec3* center, spReal* radius, spVec3* force)
{
    if (SP_IS_NULL(run->tool.id))
    {
        return false;
    }
    if (center != NULL)
    {
        *center = spCollider_GetTransform(run->world, run->tool.id).position;
    }
    if (radius != NULL)
    {
        *radius = (spReal)run->tool.radius;
    }
    if (force != NULL)
    {
        *force = spCollider_GetForce(run->world, run->tool.id);
    }
    return true;
}
