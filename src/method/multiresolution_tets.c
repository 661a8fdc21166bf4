// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Elements of all levels: the law and the material of the finest mesh, at the middle of each. And how much slower each
// level is than the bounds of its elements say, by power iteration at rest.

#include "method/multiresolution.h"

#include "linear/node_math.h"

#include <math.h>

// Rounds of power iteration, and what they leave of the frequency at most
#define SP_LEVEL_ROUNDS 40
#define SP_LEVEL_MARGIN 1.05

const spTetSet* spFindTets(const spBody* body)
{
    const spTetSet* found = NULL;
    for (int i = 0; i < body->setCount; ++i)
    {
        const spTetSet* set = spGetTetSet(body, i);
        found = set != NULL ? set : found;
    }
    return found;
}

static void spFillTets(spBody* body, const spTetSet* set)
{
    const spHierarchy* h = body->hierarchy;
    spMulti* m = spGetMulti(body);
    for (int i = 0; i < h->tetBegin[h->levelCount]; ++i)
    {
        spTet* tet = m->tets + i;
        *tet = set->tets[h->sources[i]];
        for (int k = 0; k < 4; ++k)
        {
            tet->nodes[k] = h->tets[i][k];
        }
        m->volumes[i] = spGetRestShape(set->law, m->rest, tet->nodes, m->inverses + i);
    }
}

// The largest squared frequency of one level over the bound, at rest: its layout is made as if all of it moved
static bool spFindFactor(spBody* body, int level)
{
    const spHierarchy* h = body->hierarchy;
    const spBackend* backend = body->backend;
    spMulti* m = spGetMulti(body);
    spLayout* layout = &m->layout;
    for (int i = 0; i < spGetFirstFine(body); ++i)
    {
        m->divided[i] = i < h->begin[level];
    }
    m->factors[level] = 1.0;
    spMarkActive(body);
    if (spPrepareLayout(body, 1) == false)
    {
        return false;
    }
    double bound = 0.0;
    for (int i = 0; i < layout->activeCount; ++i)
    {
        bound = fmax(bound, layout->stiffness[i] / (double)layout->mass[i]);
    }
    int count = layout->activeCount, all = layout->total + SP_TRASH_SLOTS, lists = layout->listCount;
    for (int i = 0; i < layout->total; ++i)
    {
        m->staging[i] = m->rest[layout->nodes[i]];
        m->staging[i].w = i < count ? 1 / layout->mass[i] : 0;
    }
    backend->upload(layout->x, m->staging, (size_t)layout->total * sizeof(spVec4));
    for (int i = 0; i < layout->total; ++i)
    {
        m->staging[i] = (spVec4){spGetNoise(i, 0), spGetNoise(i, 1), spGetNoise(i, 2), 0};
    }
    backend->upload(layout->v, m->staging, (size_t)layout->total * sizeof(spVec4));
    spNodeState state = {.x = layout->x, .v = layout->given, .nodeCount = layout->total, .patchCount = lists};
    spDifference difference = {.dx = layout->v, .dv = layout->given};
    backend->clear(layout->given, 0, layout->total);
    double value = 0.0;
    for (int round = 0; round < SP_LEVEL_ROUNDS; ++round)
    {
        double norm2 = backend->dot(layout->v, layout->v, 0, count);
        backend->scale(layout->v, (spReal)(norm2 > 0.0 ? 1.0 / sqrt(norm2) : 0.0), layout->v, 0, count);
        backend->clear(layout->f, 0, all);
        for (int list = 0; list < lists; ++list)
        {
            backend->fillGhosts(layout->v, layout->ghosts + layout->ghostBegin[list],
                                layout->ghostBegin[list + 1] - layout->ghostBegin[list], layout->entries);
            layout->set.base.kind->addDifference(&layout->set.base, &state, &difference, list, layout->f);
        }
        backend->weigh(layout->f, layout->x, layout->f, 0, count);
        value = sqrt(backend->dot(layout->f, layout->f, 0, count));
        backend->scale(layout->v, -1, layout->f, 0, count);
    }
    double factor = bound > 0.0 ? SP_LEVEL_MARGIN * value / bound : 1.0;
    m->factors[level] = factor > 0.0 && factor < 1.0 ? factor : 1.0;
    double w2 = m->factors[level] * bound, c = (double)layout->set.damping * w2;
    m->levelSteps[level] = w2 > 0.0 ? 4.0 / (c + sqrt(c * c + 4.0 * w2)) : INFINITY;
    return true;
}

bool spPrepareTets(spBody* body)
{
    const spHierarchy* h = body->hierarchy;
    spMulti* m = spGetMulti(body);
    const spTetSet* set = spFindTets(body);
    bool same = m->materialVersion == body->materialVersion && m->topologyVersion == body->topologyVersion;
    if (m->ready && same)
    {
        return true;
    }
    m->ready = false;
    m->dirty = true;
    int fine = spGetFirstFine(body);
    uint8_t* divided = spAlloc(body->heap, (size_t)fine + 1);
    if (divided == NULL)
    {
        return false;
    }
    for (int i = 0; i < fine; ++i)
    {
        divided[i] = m->divided[i];
    }
    bool ok = true;
    if (set != NULL)
    {
        spFillTets(body, set);
        for (int level = 0; ok && level < h->levelCount; ++level)
        {
            ok = spFindFactor(body, level);
        }
    }
    for (int i = 0; i < fine; ++i)
    {
        m->divided[i] = divided[i];
    }
    spFree(body->heap, divided);
    spMarkActive(body);
    m->ready = ok;
    m->materialVersion = body->materialVersion;
    m->topologyVersion = body->topologyVersion;
    return ok;
}
