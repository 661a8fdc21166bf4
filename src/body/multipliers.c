// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "body/multipliers.h"

#include "math/vec3.h"

// NULL when there is none
static spMultiplier* spSearchKey(const spMultipliers* list, uint64_t key)
{
    int begin = 0, end = list->count;
    while (begin < end)
    {
        int middle = begin + (end - begin) / 2;
        if (list->entries[middle].key < key)
        {
            begin = middle + 1;
        }
        else
        {
            end = middle;
        }
    }
    bool found = begin < list->count && list->entries[begin].key == key;
    return found ? list->entries + begin : NULL;
}

spMultiplier spFindMultiplier(const spMultipliers* list, uint64_t key)
{
    const spMultiplier* found = spSearchKey(list, key);
    return found != NULL ? *found : (spMultiplier){.key = key};
}

void spAddToMultiplier(spMultipliers* list, uint64_t key, spVec3 force)
{
    spMultiplier* found = spSearchKey(list, key);
    if (found != NULL)
    {
        found->force = spAdd3(found->force, force);
    }
}

// Lets the entry at the root sink until none below it has a larger key
static void spSinkEntry(spMultiplier* entries, int root, int count)
{
    spMultiplier entry = entries[root];
    for (int child = 2 * root + 1; child < count; child = 2 * root + 1)
    {
        child += child + 1 < count && entries[child].key < entries[child + 1].key;
        if (entries[child].key <= entry.key)
        {
            break;
        }
        entries[root] = entries[child];
        root = child;
    }
    entries[root] = entry;
}

// Heap sort: no memory beside the list
void spSortMultipliers(spMultipliers* list)
{
    for (int root = list->count / 2 - 1; root >= 0; --root)
    {
        spSinkEntry(list->entries, root, list->count);
    }
    for (int last = list->count - 1; last > 0; --last)
    {
        spMultiplier largest = list->entries[0];
        list->entries[0] = list->entries[last];
        list->entries[last] = largest;
        spSinkEntry(list->entries, 0, last);
    }
}

void spFreeMultipliers(spHeap* heap, spMultipliers* list)
{
    spFree(heap, list->entries);
    *list = (spMultipliers){0};
}
