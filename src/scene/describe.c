// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What a page that shows a run must know, as JSON: the messages `scene` and `settings` of
// docs/view_protocol.md, as far as they are about the run.

#include "scene/describe.h"

#include "base/surface_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void spPutJson(json_t** object, const char* key, json_t* value)
{
    if (json_object_set_new(*object, key, value) != 0)
    {
        json_decref(*object);
        *object = NULL;
    }
}

void spAppendJson(json_t** list, json_t* value)
{
    if (json_array_append_new(*list, value) != 0)
    {
        json_decref(*list);
        *list = NULL;
    }
}

json_t* spDescribeVector(spVec3 v)
{
    return json_pack("[fff]", spShorten(v.x), spShorten(v.y), spShorten(v.z));
}

// Names may come from files whose names are no UTF-8
static json_t* spDescribeText(const char* text)
{
    json_t* json = json_string(text);
    if (json == NULL)
    {
        char plain[256];
        snprintf(plain, sizeof(plain), "%s", text);
        for (char* c = plain; *c != 0; ++c)
        {
            *c = (unsigned char)*c < 0x80 ? *c : '?';
        }
        json = json_string(plain);
    }
    return json;
}

static json_t* spDescribeCamera(const spRun* run)
{
    spSceneOutput output = spScene_GetOutput(run->scene);
    if (output.hasCamera == false)
    {
        return json_null();
    }
    spDVec3 p = output.cameraPosition, t = output.cameraTarget, u = output.cameraUp;
    return json_pack("{s:[fff], s:[fff], s:[fff], s:f}", "position", p.x, p.y, p.z, "target", t.x, t.y, t.z,
                     "up", u.x, u.y, u.z, "fieldOfView", output.fieldOfView);
}

// All nodes together, pinned ones too, kg
static double spSumMasses(const spRun* run, const spRunBody* body)
{
    spReal* masses = (spReal*)run->scratch;
    int count = spBody_CopyMasses(run->world, body->id, masses, run->scratchCount);
    double sum = 0.0;
    for (int i = 0; i < count; ++i)
    {
        sum += (double)masses[i];
    }
    return sum;
}

// The surface that is drawn counts for triangles
static json_t* spDescribeBody(const spRun* run, const spRunBody* body)
{
    int triangles = 0, tets = 0;
    const int32_t* edges = spBody_GetEdges(run->world, body->id, NULL);
    spMethodDef method = spBody_GetMethod(run->world, body->id);
    if (spBody_GetSurfaceTriangles(run->world, body->id, &triangles) == NULL)
    {
        spBody_GetTriangles(run->world, body->id, &triangles);
    }
    tets = body->tetSet >= 0 ? spBody_GetTetCount(run->world, body->id, body->tetSet) : 0;
    json_t* json = json_object();
    spPutJson(&json, "name", spDescribeText(body->data->name));
    spPutJson(&json, "nodes", json_integer(body->nodeCount));
    spPutJson(&json, "elements", json_integer(spBody_GetElementCount(run->world, body->id)));
    spPutJson(&json, "tets", json_integer(tets));
    spPutJson(&json, "triangles", json_integer(triangles));
    spPutJson(&json, "mass", json_real(spSumMasses(run, body)));
    spPutJson(&json, "method", spDescribeMethod(&method, body->data, edges));
    spMethodChoice choice = spBody_GetMethodChoice(run->world, body->id);
    if (choice.automatic && choice.type != sp_methodAuto)
    {
        spPutJson(&json, "chosen",
                  json_pack("{s:s, s:s}", "method", spGetMethodWord(choice.type), "reason", choice.reason));
    }
    return json;
}

static json_t* spDescribeCollider(const spRun* run, int index)
{
    const spColliderData* data = (const spColliderData*)run->scene->data.colliders.data + index;
    const spMesh* surface = spCollider_GetDef(run->world, run->colliders[index]).mesh;
    json_t* json = json_object();
    int sizes = spShape_GetSizes((spShape)data->shape);
    spDVec3 h = data->halfSize;
    spPutJson(&json, "name", spDescribeText(data->name));
    spPutJson(&json, "type", json_string(spShape_GetName((spShape)data->shape)));
    if ((sizes & sp_sizeRadius) != 0)
    {
        spPutJson(&json, "radius", json_real(data->radius));
    }
    if ((sizes & sp_sizeHalfHeight) != 0)
    {
        spPutJson(&json, "halfHeight", json_real(data->halfHeight));
    }
    if ((sizes & sp_sizeHalfSize) != 0)
    {
        spPutJson(&json, "halfSize", json_pack("[fff]", h.x, h.y, h.z));
    }
    if (surface != NULL)
    {
        spPutJson(&json, "surface", spDescribeSurface(surface));
    }
    return json;
}

static json_t* spDescribeChanging(spRun* run)
{
    json_t* json = json_object();
    json_t* states = json_array();
    for (int i = 0; i < spRun_GetStateCount(run); ++i)
    {
        spAppendJson(&states, spDescribeText(spRun_GetStateName(run, i)));
    }
    spPutJson(&json, "settings", spListSettings(run));
    spPutJson(&json, "dt", json_real(run->dt));
    spPutJson(&json, "gravity", spDescribeVector(spWorld_GetGravity(run->world)));
    spPutJson(&json, "states", states);
    return json;
}

static bool spWriteJson(json_t* json, spTextFcn* write, void* context)
{
    char* text = json != NULL ? json_dumps(json, JSON_COMPACT) : NULL;
    json_decref(json);
    if (text == NULL)
    {
        return false;
    }
    write(text, strlen(text), context);
    free(text);
    return true;
}

bool spRun_Describe(spRun* run, spTextFcn* write, void* context)
{
    if (run == NULL || write == NULL)
    {
        return false;
    }
    const spSceneData* data = &run->scene->data;
    json_t *bodies = json_array(), *colliders = json_array(), *measurements = json_array();
    for (int i = 0; i < data->bodies.count; ++i)
    {
        spAppendJson(&bodies, spDescribeBody(run, &run->bodies[i]));
    }
    for (int i = 0; i < data->colliders.count; ++i)
    {
        spAppendJson(&colliders, spDescribeCollider(run, i));
    }
    for (int i = 0; i < run->measurementCount; ++i)
    {
        json_t* entry = json_object();
        spPutJson(&entry, "name", spDescribeText(spRun_GetMeasurementName(run, i)));
        spPutJson(&entry, "unit", json_string(spRun_GetMeasurementUnit(run, i)));
        spAppendJson(&measurements, entry);
    }
    json_t* json = spDescribeChanging(run);
    spPutJson(&json, "name", spDescribeText(spScene_GetName(run->scene)));
    spPutJson(&json, "description", json_string(spScene_GetDescription(run->scene)));
    spPutJson(&json, "text", json_stringn(run->scene->text, run->scene->textSize));
    spPutJson(&json, "duration", json_real(run->duration));
    spPutJson(&json, "camera", spDescribeCamera(run));
    spPutJson(&json, "bodies", bodies);
    spPutJson(&json, "colliders", colliders);
    spPutJson(&json, "measurements", measurements);
    return spWriteJson(json, write, context);
}

bool spRun_DescribeSettings(spRun* run, spTextFcn* write, void* context)
{
    return run != NULL && write != NULL && spWriteJson(spDescribeChanging(run), write, context);
}
