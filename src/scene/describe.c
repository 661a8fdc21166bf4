// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What a page that shows a run must know, as JSON: the messages `scene` and `settings` of
// docs/view_protocol.md, as far as they are about the run.

#include "scene/run.h"

#include <stdlib.h>
#include <string.h>

#include <jansson.h>

static json_t* spDescribeVector(spDVec3 v)
{
    return json_pack("[fff]", v.x, v.y, v.z);
}

static bool spPut(json_t* object, const char* key, json_t* value)
{
    return json_object_set_new(object, key, value) == 0;
}

static json_t* spDescribeSettings(spRun* run)
{
    json_t* root = json_object();
    spVec3 g = spWorld_GetGravity(run->world);
    bool good = spPut(root, "settings", json_array());
    good = good && spPut(root, "dt", json_real(run->dt));
    good = good && spPut(root, "gravity", spDescribeVector((spDVec3){g.x, g.y, g.z}));
    good = good && spPut(root, "states", json_array());
    if (good == false)
    {
        json_decref(root);
        return NULL;
    }
    return root;
}

static bool spWriteJson(json_t* root, spTextFcn* write, void* context)
{
    char* text = root != NULL ? json_dumps(root, JSON_COMPACT) : NULL;
    json_decref(root);
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
    json_t* root = spDescribeSettings(run);
    size_t size = 0;
    const char* text = spScene_GetText(run->scene, &size);
    bool good = spPut(root, "name", json_string(spScene_GetName(run->scene)));
    good = good && spPut(root, "description", json_string(spScene_GetDescription(run->scene)));
    good = good && spPut(root, "text", json_stringn(text, size));
    good = good && spPut(root, "duration", json_real((double)run->stepCount * run->dt));
    good = good && spPut(root, "camera", json_null());
    good = good && spPut(root, "bodies", json_array());
    good = good && spPut(root, "colliders", json_array());
    good = good && spPut(root, "measurements", json_array());
    if (good == false)
    {
        json_decref(root);
        return false;
    }
    return spWriteJson(root, write, context);
}

bool spRun_DescribeSettings(spRun* run, spTextFcn* write, void* context)
{
    return run != NULL && write != NULL && spWriteJson(spDescribeSettings(run), write, context);
}
