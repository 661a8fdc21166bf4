// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "exchange.h"

#include <stdlib.h>

// In spExchange.middle: nobody has taken it yet
#define SP_FRAME_NEW 4

void spDestroyOrder(spOrder* order)
{
    if (order != NULL)
    {
        free(order->text);
        free(order);
    }
}

void spDestroyNews(spNews* news)
{
    if (news == NULL)
    {
        return;
    }
    for (int i = 0; i < news->bodyCount; ++i)
    {
        spFreeDrawn(news->bodies + i);
    }
    free(news->bodies);
    spFreeBuffer(&news->message);
    free(news);
}

// ---------------------------------------------------------------------------------------------------------
// Rings

static bool spPush(spRing* ring, void* item)
{
    unsigned head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    unsigned tail = atomic_load_explicit(&ring->tail, memory_order_acquire);
    if (head - tail == SP_RING_SIZE)
    {
        return false;
    }
    ring->items[head % SP_RING_SIZE] = item;
    atomic_store_explicit(&ring->head, head + 1, memory_order_release);
    return true;
}

static void* spPull(spRing* ring)
{
    unsigned tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);
    unsigned head = atomic_load_explicit(&ring->head, memory_order_acquire);
    if (head == tail)
    {
        return NULL;
    }
    void* item = ring->items[tail % SP_RING_SIZE];
    atomic_store_explicit(&ring->tail, tail + 1, memory_order_release);
    return item;
}

bool spGiveOrder(spExchange* exchange, spOrder* order)
{
    return spPush(&exchange->orders, order);
}

spOrder* spTakeOrder(spExchange* exchange)
{
    return spPull(&exchange->orders);
}

bool spGiveNews(spExchange* exchange, spNews* news)
{
    return spPush(&exchange->news, news);
}

spNews* spTakeNews(spExchange* exchange)
{
    return spPull(&exchange->news);
}

// ---------------------------------------------------------------------------------------------------------
// Frames

bool spMakeRoom(void** items, int* capacity, int count, size_t size)
{
    if (count <= *capacity)
    {
        return true;
    }
    free(*items);
    *items = malloc((size_t)count * size);
    *capacity = *items != NULL ? count : 0;
    return *items != NULL;
}

static void spFreeFrame(spRawFrame* frame)
{
    for (int i = 0; i < frame->bodyCapacity; ++i)
    {
        free(frame->bodies[i].positions);
        free(frame->bodies[i].surface);
        free(frame->bodies[i].velocities);
        for (int colour = 0; colour < sp_viewColourCount; ++colour)
        {
            free(frame->bodies[i].values[colour]);
        }
    }
    free(frame->bodies);
    free(frame->poses);
    free(frame->contacts);
}

spRawFrame* spBeginFrame(spExchange* exchange)
{
    return exchange->frames + exchange->back;
}

void spEndFrame(spExchange* exchange)
{
    int old =
        atomic_exchange_explicit(&exchange->middle, exchange->back | SP_FRAME_NEW, memory_order_acq_rel);
    exchange->back = old & ~SP_FRAME_NEW;
}

const spRawFrame* spTakeFrame(spExchange* exchange)
{
    if ((atomic_load_explicit(&exchange->middle, memory_order_relaxed) & SP_FRAME_NEW) == 0)
    {
        return NULL;
    }
    int old = atomic_exchange_explicit(&exchange->middle, exchange->front, memory_order_acq_rel);
    exchange->front = old & ~SP_FRAME_NEW;
    return exchange->frames + exchange->front;
}

void spNoteLatency(spExchange* exchange, double seconds)
{
    double units = 1e8 * seconds;
    int64_t index = atomic_load_explicit(&exchange->latencyCount, memory_order_relaxed);
    atomic_store_explicit(&exchange->latencies[index % SP_LATENCY_COUNT],
                          units < 4e9 ? (unsigned)units : 4000000000u, memory_order_relaxed);
    atomic_store_explicit(&exchange->latencyCount, index + 1, memory_order_release);
}

// ---------------------------------------------------------------------------------------------------------

spExchange* spCreateExchange(void)
{
    spExchange* exchange = calloc(1, sizeof(spExchange));
    if (exchange != NULL)
    {
        exchange->front = 2;
        atomic_init(&exchange->middle, 1);
    }
    return exchange;
}

void spDestroyExchange(spExchange* exchange)
{
    if (exchange == NULL)
    {
        return;
    }
    for (spOrder* order = spTakeOrder(exchange); order != NULL; order = spTakeOrder(exchange))
    {
        spDestroyOrder(order);
    }
    for (spNews* news = spTakeNews(exchange); news != NULL; news = spTakeNews(exchange))
    {
        spDestroyNews(news);
    }
    for (int i = 0; i < 3; ++i)
    {
        spFreeFrame(exchange->frames + i);
    }
    free(exchange);
}
