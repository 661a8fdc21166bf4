// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Where a body of levels refines. The error of a node is its distance from the place that its neighbours give it by
// weights that reproduce any uniform deformation: curvature times the square of the edge, which is what linear elements
// leave out. It does not see rotations. A node is divided above splitError; its children come together again when their
// errors, carried to the coarser edge, have all stayed below mergeError for some steps: between the two nothing happens,
// so that what swings slowly does not flicker.
//
// The budget counts element evaluations, not time: the same input divides the same nodes on any machine. Divisions are made
// from the largest error down, as long as what they are estimated to cost fits in 95 % of it, and taken back from the
// smallest up when the layout turns out to cost more.

#include "method/multiresolution.h"

#include "mesh/sort.h"

#include <math.h>
#include <string.h>

// Steps for which children must have been quiet
#define SP_CALM_STEPS 8
// Share of the budget that divisions may go up to
#define SP_BUDGET_SHARE 0.95
// Of the size of a body, where no error is given
#define SP_SPLIT_SHARE 1e-3
#define SP_MERGE_SHARE 0.25

static double spGetOwnError(const spHierarchy* h, const spVec4* x, int index)
{
    const spGhost* fit = h->fit + index;
    const spGhostEntry* e = h->entries + fit->begin;
    double own[3] = {(double)x[index].x, (double)x[index].y, (double)x[index].z}, sum[3] = {0};
    for (int k = 0; k < fit->count; ++k)
    {
        const spVec4* other = x + e[k].node;
        sum[0] += (double)e[k].weight * ((double)other->x - own[0]);
        sum[1] += (double)e[k].weight * ((double)other->y - own[1]);
        sum[2] += (double)e[k].weight * ((double)other->z - own[2]);
    }
    return sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
}

// A corner whose neighbours tell nothing, all on one side of it, errs as much as the worst of them
static double spGetFitError(const spHierarchy* h, const spVec4* x, int index)
{
    if (h->fit[index].count > 0)
    {
        return spGetOwnError(h, x, index);
    }
    double worst = 0.0;
    for (int i = h->tetsOfBegin[index]; i < h->tetsOfBegin[index + 1]; ++i)
    {
        for (int k = 0; k < 4; ++k)
        {
            worst = fmax(worst, spGetOwnError(h, x, h->tets[h->tetsOf[i]][k]));
        }
    }
    return worst;
}

typedef struct spMomentum
{
    double mass, p[3];
    bool held;
} spMomentum;

// Adds what a node carries
static void spAddMomentum(spBody* body, spMomentum* sum, int index)
{
    const spMulti* m = spGetMulti(body);
    spVec4 v;
    body->backend->gather(&v, m->v, &(int32_t){index}, 1);
    double mass = body->hierarchy->mass[index];
    sum->mass += mass;
    sum->p[0] += mass * (double)v.x;
    sum->p[1] += mass * (double)v.y;
    sum->p[2] += mass * (double)v.z;
    sum->held = sum->held || m->heldNodes[index] != 0;
}

static void spAddVelocity(spBody* body, int index, const double dv[3])
{
    spMulti* m = spGetMulti(body);
    spVec4 v;
    body->backend->gather(&v, m->v, &(int32_t){index}, 1);
    v = (spVec4){v.x + (spReal)dv[0], v.y + (spReal)dv[1], v.z + (spReal)dv[2], 0};
    body->backend->scatter(m->v, &v, &(int32_t){index}, 1);
}

void spDivide(spBody* body, int index)
{
    const spHierarchy* h = body->hierarchy;
    spMulti* m = spGetMulti(body);
    spMomentum whole = {0}, parts = {0};
    spAddMomentum(body, &whole, index);
    for (int k = h->childBegin[index]; k < h->childBegin[index + 1]; ++k)
    {
        spAddMomentum(body, &parts, h->children[k]);
        m->calm[index] = 0;
    }
    for (int k = h->childBegin[index]; k < h->childBegin[index + 1] && !whole.held && !parts.held; ++k)
    {
        const double dv[3] = {(whole.p[0] - parts.p[0]) / parts.mass, (whole.p[1] - parts.p[1]) / parts.mass,
                              (whole.p[2] - parts.p[2]) / parts.mass};
        spAddVelocity(body, h->children[k], dv);
    }
    m->divided[index] = 1;
    m->splitCount += 1;
}

// The node is where its children have it already
static void spUnite(spBody* body, int index)
{
    const spHierarchy* h = body->hierarchy;
    spMulti* m = spGetMulti(body);
    spMomentum whole = {0}, parts = {0};
    for (int k = h->childBegin[index]; k < h->childBegin[index + 1]; ++k)
    {
        spAddMomentum(body, &parts, h->children[k]);
    }
    spAddMomentum(body, &whole, index);
    if (whole.held == false && parts.held == false)
    {
        const double dv[3] = {(parts.p[0] - whole.p[0]) / whole.mass, (parts.p[1] - whole.p[1]) / whole.mass,
                              (parts.p[2] - whole.p[2]) / whole.mass};
        spAddVelocity(body, index, dv);
    }
    m->divided[index] = 0;
    m->mergeCount += 1;
}

static bool spIsErrorBefore(int32_t a, int32_t b, const void* context)
{
    const double* errors = context;
    return errors[a] > errors[b] || (errors[a] == errors[b] && a < b);
}

// Evaluations in a second that its children add, at most: tets around them that no active node has yet, with steps that
// may be half of what their level survives
static double spEstimateCost(const spBody* body, int index)
{
    const spHierarchy* h = body->hierarchy;
    const spMulti* m = spGetMulti(body);
    int level = spGetNodeLevel(h, index) + 1, count = 0;
    for (int k = h->childBegin[index]; k < h->childBegin[index + 1]; ++k)
    {
        int child = h->children[k];
        for (int i = h->tetsOfBegin[child]; i < h->tetsOfBegin[child + 1]; ++i)
        {
            const int32_t* nodes = h->tets[h->tetsOf[i]];
            bool first = true;
            for (int j = 0; j < 4; ++j)
            {
                bool sooner = h->parents[nodes[j]] == index && nodes[j] < child;
                first = first && m->active[nodes[j]] == 0 && sooner == false;
            }
            count += first;
        }
    }
    return 2.0 * count / ((double)body->methodDef.safety * m->levelSteps[level]);
}

static bool spCanUnite(const spBody* body, const spVec4* x, int index, double most)
{
    const spHierarchy* h = body->hierarchy;
    const spMulti* m = spGetMulti(body);
    int level = spGetNodeLevel(h, index);
    double ratio = h->edge[level] / h->edge[level + 1];
    for (int k = h->childBegin[index]; k < h->childBegin[index + 1]; ++k)
    {
        int child = h->children[k];
        if (m->active[child] == 0 || (m->heldNodes[child] != 0 && m->heldNodes[index] == 0) ||
            spGetFitError(h, x, child) * ratio * ratio > most)
        {
            return false;
        }
    }
    return true;
}

static double spGetSplitError(const spBody* body)
{
    double given = (double)body->methodDef.levels.splitError;
    return given > 0.0 ? given : SP_SPLIT_SHARE * body->hierarchy->extent;
}

static double spGetMergeError(const spBody* body)
{
    double given = (double)body->methodDef.levels.mergeError;
    return given > 0.0 ? given : SP_MERGE_SHARE * spGetSplitError(body);
}

// What the layout really takes in a second. Borders between levels can ask for shorter steps than either level, which no
// estimate of one node sees. Infinite without memory: nothing is divided then.
static double spFindCost(spBody* body)
{
    spMulti* m = spGetMulti(body);
    const spLayout* layout = &m->layout;
    if (spPrepareLayout(body, m->layoutDt) == false)
    {
        return INFINITY;
    }
    double cost = 0.0;
    for (int list = 0; list < layout->listCount; ++list)
    {
        cost += layout->listElements[list] / ldexp(layout->shortest, list);
    }
    return cost;
}

// Takes back the divisions of the smallest errors, as many as are beyond the budget. Nothing has moved since.
static void spTakeBackDivisions(spBody* body, int32_t* divided, int count, double budget)
{
    spMulti* m = spGetMulti(body);
    int32_t* list = m->pointHead; // free between steps; candidates are not while a layout is made
    memcpy(list, divided, (size_t)count * sizeof(int32_t));
    while (count > 0 && spFindCost(body) > budget)
    {
        int kept = count / 2;
        for (int i = kept; i < count; ++i)
        {
            m->divided[list[i]] = 0;
        }
        m->splitCount -= count - kept;
        m->refusedCount += count - kept;
        count = kept;
        spMarkActive(body);
    }
    m->dirty = true; // pins are looked after before it is made
}

void spAdaptLevels(spBody* body)
{
    const spHierarchy* h = body->hierarchy;
    spMulti* m = spGetMulti(body);
    if (body->methodDef.levels.fixed || m->ready == false || m->dirty)
    {
        return;
    }
    const spVec4* x = body->backend->view(m->x, 0, spCountAll(body));
    double split = spGetSplitError(body), merge = spGetMergeError(body);
    int fine = spGetFirstFine(body), count = 0, united = 0;
    int32_t* uniting = m->pointHead; // free between steps
    for (int i = 0; i < fine; ++i)
    {
        if (m->active[i] != 0 && h->down[i].count > 0)
        {
            m->errors[i] = spGetFitError(h, x, i);
            if (m->errors[i] > split)
            {
                m->candidates[count++] = i;
            }
        }
        else if (m->divided[i] != 0)
        {
            m->calm[i] = !spCanUnite(body, x, i, merge) ? 0
                         : m->calm[i] < SP_CALM_STEPS   ? m->calm[i] + 1
                                                        : SP_CALM_STEPS;
            if (m->calm[i] >= SP_CALM_STEPS)
            {
                uniting[united++] = i;
            }
        }
    }
    spSortIndices(m->candidates, m->sorted, count, spIsErrorBefore, m->errors);
    double budget = SP_BUDGET_SHARE * (double)body->methodDef.levels.budget;
    double used = m->stepDt > 0.0 ? m->evaluations / m->stepDt : 0.0;
    int taken = 0;
    for (int i = 0; i < count; ++i)
    {
        double cost = spEstimateCost(body, m->candidates[i]);
        if (budget > 0.0 && used + cost > budget)
        {
            m->refusedCount += 1;
            continue;
        }
        used += cost;
        spDivide(body, m->candidates[i]);
        m->candidates[taken++] = m->candidates[i];
    }
    for (int i = 0; i < united; ++i)
    {
        spUnite(body, uniting[i]);
    }
    if (count > 0 || united > 0)
    {
        spMarkActive(body);
        if (budget > 0.0 && taken > 0)
        {
            spTakeBackDivisions(body, m->candidates, taken, budget);
        }
        spShowNodes(body);
    }
}

void spDivideForPins(spBody* body)
{
    const spHierarchy* h = body->hierarchy;
    spMulti* m = spGetMulti(body);
    int fine = spGetFirstFine(body);
    bool changed = true;
    while (changed)
    {
        changed = false;
        // Held nodes below each, from the finest up
        for (int i = 0; i < fine; ++i)
        {
            m->candidates[i] = 0;
        }
        for (int i = spCountAll(body) - 1; i >= h->begin[1]; --i)
        {
            bool held = i >= fine ? body->roles[i - fine] != sp_nodeFree : m->candidates[i] != 0;
            m->candidates[h->parents[i]] += held;
        }
        for (int i = 0; i < fine; ++i)
        {
            if (m->active[i] != 0 && m->candidates[i] != 0 && m->heldNodes[i] == 0 && h->down[i].count > 0)
            {
                spDivide(body, i);
                changed = true;
            }
        }
        if (changed)
        {
            spMarkActive(body);
            spShowNodes(body);
        }
    }
}

void spRefineLevels(spBody* body, spVec3 lower, spVec3 upper, int level)
{
    const spHierarchy* h = body->hierarchy;
    spMulti* m = spGetMulti(body);
    spFollowFineNodes(body);
    for (int at = 0; at < spMinInt(level, h->levelCount - 1); ++at)
    {
        for (int i = h->begin[at]; i < h->begin[at + 1]; ++i)
        {
            spVec4 x;
            body->backend->gather(&x, m->x, &(int32_t){i}, 1);
            bool inside = x.x >= lower.x && x.y >= lower.y && x.z >= lower.z && x.x <= upper.x &&
                          x.y <= upper.y && x.z <= upper.z;
            if (m->active[i] != 0 && inside && h->down[i].count > 0)
            {
                spDivide(body, i);
            }
        }
        spMarkActive(body);
        spShowNodes(body);
    }
}
