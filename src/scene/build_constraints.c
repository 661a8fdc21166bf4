// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Constraints of a scene: those of the mesh, of a group of its edges or of a region of it, or those that are
// listed.

#include "scene/build.h"

#include <string.h>

static const int s_nodesPerConstraint[] = {2, 2, 3, 4, 0};
_Static_assert(SP_COUNT(s_nodesPerConstraint) == sp_constraintTypeCount, "one for each type");

// What the mesh has for a type, where neither all of it is meant nor a list given
static const int32_t* spFindElements(const spWorld* world, const spRunBody* body, const spMesh* mesh,
                                     const spConstraintsData* data, int* count)
{
    int first = 0;
    if (data->type == sp_constraintArea)
    {
        return spBody_GetTriangles(world, body->id, count);
    }
    if (data->type == sp_constraintVolume)
    {
        *count = spMesh_GetTetCount(mesh);
        return spMesh_GetTets(mesh);
    }
    if (data->edges == sp_edgesAll)
    {
        return spBody_GetEdges(world, body->id, count);
    }
    spFindClothEdges(&body->data->mesh, data->edges, &first, count);
    return spMesh_GetEdges(mesh) + 2 * first;
}

// Those whose nodes are all in the region, into fresh memory for *count of them as it was; NULL when there
// are none, which is reported
static int32_t* spSelectElements(const spRunBody* body, const spConstraintsData* data,
                                 const spVec3* positions, const int32_t* elements, int* count, spHeap* heap,
                                 spProblems* problems)
{
    int width = s_nodesPerConstraint[data->type], kept = 0;
    size_t insideSize = spArraySize(body->nodeCount, sizeof(bool));
    bool* inside = spAllocZeroed(heap, insideSize);
    int32_t* selected = spAlloc(heap, spArraySize(*count, (size_t)width * sizeof(int32_t)));
    spNodeList nodes = {0};
    bool good = inside != NULL && (selected != NULL || *count == 0) &&
                spSelectNodes(heap, &data->region, positions, body->nodeCount, &nodes, problems);
    for (int i = 0; good && i < nodes.count; ++i)
    {
        inside[nodes.data[i]] = true;
    }
    for (int i = 0; good && i < *count; ++i)
    {
        const int32_t* element = elements + (size_t)i * (size_t)width;
        bool whole = true;
        for (int k = 0; k < width; ++k)
        {
            whole = whole && inside[element[k]];
        }
        if (whole)
        {
            memcpy(selected + (size_t)kept * (size_t)width, element, (size_t)width * sizeof(int32_t));
            kept += 1;
        }
    }
    if (good == false)
    {
        spReportAs(problems, sp_errorOutOfMemory, &data->head, NULL, "out of memory");
    }
    else if (kept == 0 && nodes.count > 0)
    {
        spReport(problems, &data->head, &data->region,
                 "nothing of the mesh lies in this region with all of its nodes");
    }
    spFreeNodes(heap, &nodes);
    spFree(heap, inside);
    if (kept == 0)
    {
        spFree(heap, selected);
        return NULL;
    }
    *count = kept;
    return selected;
}

static int spBuildConstraint(spWorld* world, const spRunBody* body, const spMesh* mesh,
                             const spConstraintsData* data, const spVec3* positions, spHeap* heap,
                             spProblems* problems)
{
    const spObjectHead* head = &data->head;
    int width = s_nodesPerConstraint[data->type];
    spConstraintDef def = spDefaultConstraintDef();
    spFillDef(data, &def);
    int32_t* selected = NULL;
    bool region = spIsGiven(head, &data->region);
    if (spIsGiven(head, &data->nodes))
    {
        def.nodes = data->nodes.data;
        def.count = data->nodes.count / width;
    }
    else if (region || data->edges != sp_edgesAll)
    {
        def.nodes = spFindElements(world, body, mesh, data, &def.count);
    }
    if (region)
    {
        selected = spSelectElements(body, data, positions, def.nodes, &def.count, heap, problems);
        if (selected == NULL)
        {
            return -1;
        }
        def.nodes = selected;
    }
    int set = spBody_AddConstraints(world, body->id, &def);
    spFree(heap, selected);
    if (set < 0)
    {
        spReportWorld(problems, world, head, NULL, "these constraints cannot be made");
    }
    return set;
}

void spBuildSceneConstraints(spWorld* world, spRunBody* body, const spMesh* mesh, const spVec3* positions,
                             spHeap* heap, spProblems* problems)
{
    const spConstraintsData* data = body->data->constraints.data;
    for (int i = 0; i < body->data->constraints.count; ++i)
    {
        body->constraintSets[i] = spBuildConstraint(world, body, mesh, &data[i], positions, heap, problems);
    }
}
