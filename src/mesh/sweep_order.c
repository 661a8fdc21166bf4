// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "mesh/sweep_order.h"

bool spAllocSweepOrder(spSweepOrder* order, spHeap* heap, const spElementList* lists, int listCount)
{
    int64_t elementCount = 0;
    for (int i = 0; i < listCount; ++i)
    {
        elementCount += lists[i].count;
    }
    // One more than needed: an order of nothing has arrays too
    order->colourBegin = spAllocZeroed(heap, spArraySize(order->colourCount + 1, sizeof(int32_t)));
    order->parts = spAlloc(heap, spArraySize(order->partCount + 1, sizeof(int32_t)));
    order->partOf = spAlloc(heap, spArraySize(elementCount + 1, sizeof(int32_t)));
    if (order->colourBegin == NULL || order->parts == NULL || order->partOf == NULL)
    {
        spFreeSweepOrder(order, heap);
        return false;
    }
    return true;
}

void spFreeSweepOrder(spSweepOrder* order, spHeap* heap)
{
    spFree(heap, order->colourBegin);
    spFree(heap, order->parts);
    spFree(heap, order->partOf);
    *order = (spSweepOrder){0};
}
