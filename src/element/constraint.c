// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "element/constraint.h"

#include "element/spring.h"

#include <string.h>

void spFreeElementList(spElementList* list, spHeap* heap)
{
    spFree(heap, (int32_t*)list->nodes);
    spFree(heap, (int32_t*)list->elements);
    *list = (spElementList){0};
}

bool spListElements(spElementList* list, const spBlocks* blocks, spHeap* heap)
{
    int n = blocks->nodesPerElement, total = blocks->elementCount;
    int32_t* nodes = spAlloc(heap, spArraySize(total, (size_t)n * sizeof(int32_t)));
    int32_t* elements = spAlloc(heap, spArraySize(total, sizeof(int32_t)));
    *list = (spElementList){.nodes = nodes, .elements = elements, .nodesPerElement = n};
    if (nodes == NULL || elements == NULL)
    {
        spFreeElementList(list, heap);
        return false;
    }
    for (int i = 0; i < total; ++i)
    {
        elements[i] = -1;
    }
    for (int i = 0; i < blocks->blockCount * SP_BLOCK; ++i)
    {
        int element = blocks->elements[i];
        for (int k = 0; k < n && element >= 0; ++k)
        {
            nodes[(size_t)element * n + k] =
                blocks->nodes[((size_t)(i / SP_BLOCK) * n + k) * SP_BLOCK + i % SP_BLOCK] / 4;
            elements[element] = element;
        }
    }
    for (int i = 0; i < total; ++i)
    {
        if (elements[i] >= 0)
        {
            memmove(nodes + (size_t)list->count * n, nodes + (size_t)i * n, (size_t)n * sizeof(int32_t));
            elements[list->count++] = i;
        }
    }
    return true;
}

bool spCreateConstraints(spConstraints* c, spHeap* heap, spElementSet* set, const spConstraintKind* kind,
                         const spSweepOrder* order, const int32_t* partOf)
{
    *c = (spConstraints){.kind = kind, .set = set};
    spElementList list;
    bool ok = spListElements(&list, set->kind->getBlocks(set), heap) &&
              spBuildPartBlocks(&c->blocks, heap, &list, order, partOf);
    spFreeElementList(&list, heap);
    if (ok)
    {
        c->data = spAlloc(
            heap, spArraySize(c->blocks.blockCount, (size_t)kind->dataCount * SP_BLOCK * sizeof(spReal)));
        ok = c->data != NULL;
    }
    if (ok == false)
    {
        spDestroyConstraints(c, heap);
    }
    return ok;
}

void spDestroyConstraints(spConstraints* c, spHeap* heap)
{
    spFree(heap, c->data);
    spFree(heap, c->share);
    spFreeBlocks(&c->blocks, heap);
    *c = (spConstraints){0};
}

// ---- distances ----

void spPutDistance(const spConstraints* c, const spVec4* x, int lane, bool acts, double rest,
                   double compliance, double damping)
{
    int block = lane / SP_BLOCK, place = lane % SP_BLOCK;
    const int32_t* nodes = c->blocks.nodes + (size_t)block * 2 * SP_BLOCK + place;
    double mass = (double)x[nodes[0] / 4].w + (double)x[nodes[SP_BLOCK] / 4].w;
    double yield = mass * (1.0 + damping) + compliance;
    spReal* data = spGetConstraintData(c, block, 0) + place;
    data[sp_distanceRest * SP_BLOCK] = acts ? (spReal)rest : 0;
    data[sp_distanceCompliance * SP_BLOCK] = acts ? (spReal)compliance : 0;
    data[sp_distanceDamping * SP_BLOCK] = acts ? (spReal)damping : 0;
    data[sp_distanceAnswer * SP_BLOCK] = acts && mass > 0.0 ? (spReal)(1.0 / yield) : 0;
}

void spFillSpringRows(spConstraints* c, const spConstraintFill* fill)
{
    const spSpringSet* set = (const spSpringSet*)c->set;
    spReal activation = spGetActivation(set, fill->time);
    double h2 = fill->h * fill->h;
    c->damped = set->damped;
    c->timed = set->amplitude != 0.0;
    for (int i = 0; i < c->blocks.blockCount * SP_BLOCK; ++i)
    {
        int element = c->blocks.elements[i];
        const spSpring* spring = set->springs + (element < 0 ? 0 : element);
        double k = (double)spGetSpringModulus(set, spring);
        bool acts = element >= 0 && k > 0.0;
        spPutDistance(c, fill->x, i, acts, (double)(activation * spring->rest), acts ? 1.0 / (k * h2) : 0.0,
                      acts ? (double)spGetSpringDamping(set, spring) / (k * fill->h) : 0.0);
    }
}
