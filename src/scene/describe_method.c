// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// A method back to what scene files say about it: the opposite of spMakeMethod. The table of schema.h knows
// the keys; reading what is written here gives the same numbers.

#include "scene/describe.h"

#include <string.h>

static json_t* spDescribePairs(const spList* list)
{
    const int32_t* nodes = list->data;
    json_t* json = json_array();
    for (int i = 0; i + 1 < list->count; i += 2)
    {
        spAppendJson(&json, json_pack("[ii]", (int)nodes[i], (int)nodes[i + 1]));
    }
    return json;
}

static json_t* spDescribeObject(const void* object);

static json_t* spDescribeValue(const spKey* key, const char* value)
{
    switch (key->type)
    {
        case sp_keyBool:
            return json_boolean(*(const bool*)value);
        case sp_keyInteger:
            return (key->flags & sp_keyAuto) != 0 && *(const int*)value == 0
                       ? json_string("auto")
                       : json_integer(*(const int*)value);
        case sp_keyNumber:
            return json_real(*(const double*)value);
        case sp_keyChoice:
            return json_string(key->choices[*(const int*)value]);
        case sp_keyTuples:
            return spDescribePairs((const spList*)value);
        default:
            return spDescribeObject(value);
    }
}

static json_t* spDescribeObject(const void* object)
{
    const spObjectHead* head = object;
    json_t* json = json_object();
    for (int i = 0; i < head->schema->keyCount; ++i)
    {
        const spKey* key = &head->schema->keys[i];
        bool marked = (head->given >> i & 1u) != 0;
        bool optional = key->type == sp_keyObject || key->type == sp_keyTuples;
        if (marked == optional)
        {
            spPutJson(&json, key->name, spDescribeValue(key, (const char*)object + key->offset));
        }
    }
    return json;
}

// Objects and lists are written when they are marked, everything else when it is not
static void spMark(spObjectHead* head, const void* member)
{
    head->given |= (uint64_t)1 << spFindRow(head, member);
}

// Groups of the edges of a cloth get their word back, any other edges are written as pairs. No edges: all.
static void spFindNeighbours(const spFilterDef* def, const spMeshData* mesh, const int32_t* edges,
                             spFilterData* filter)
{
    // Without a filter they are not kept
    if (def->edges == NULL || def->type == sp_filterNone)
    {
        return;
    }
    int first = 0, structural = 0, shear = 0;
    spFindClothEdges(mesh, sp_edgesStructural, &first, &structural);
    spFindClothEdges(mesh, sp_edgesShear, &first, &shear);
    size_t size = 2 * (size_t)def->edgeCount * sizeof(int32_t);
    bool group = mesh->generator == sp_generateCloth &&
                 (def->edgeCount == structural || def->edgeCount == structural + shear) &&
                 memcmp(def->edges, edges, size) == 0;
    if (group)
    {
        filter->neighbours = def->edgeCount == structural ? sp_neighboursStructural : sp_neighboursShear;
        return;
    }
    filter->pairs = (spList){(void*)(uintptr_t)def->edges, 2 * def->edgeCount};
    spMark(&filter->head, &filter->pairs);
    spMark(&filter->head, &filter->neighbours);
}

json_t* spDescribeMethod(const spMethodDef* def, const spBodyData* body, const int32_t* edges)
{
    spMethodData data;
    spInitObject(body->method.head.schema, -1, &data);
    bool any = def->type == sp_methodAuto;
    if (def->type == sp_multiresolution)
    {
        spMark(&data.head, &data.refinement);
    }
    if (def->type == sp_xpbd || any)
    {
        spMark(&data.head, &data.xpbd);
    }
    if (spIsImplicit(def->type) || any)
    {
        spMark(&data.head, &data.solver);
    }
    if (spIsExplicit(def->type) || any)
    {
        spMark(&data.head, &data.filter);
        spFindNeighbours(&def->filter, &body->mesh, edges, &data.filter);
    }
    spReadDef(def, &data);
    return spDescribeObject(&data);
}
