// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "contact/surface_pairs.h"

#include "math/vec3.h"

#include <math.h>

#define SP_LEAF_TRIANGLES 4
// Two trees of 2^31 triangles at most, three pairs left over at each level
#define SP_STACK_SIZE 256

bool spBuildMotionTree(spArena* arena, const spContactSurface* surface, const spVec4* from, const spVec4* to,
                       spMotionTree* tree)
{
    *tree = (spMotionTree){.surface = surface, .from = from, .to = to, .leafCount = 1};
    while ((int64_t)tree->leafCount * SP_LEAF_TRIANGLES < surface->triangleCount)
    {
        tree->leafCount *= 2;
    }
    tree->boxes = spArenaAlloc(arena, spArraySize(2 * (int64_t)tree->leafCount - 1, sizeof(spExtent)));
    if (tree->boxes == NULL)
    {
        return false;
    }
    spFitMotionTree(tree);
    return true;
}

static int spGetLeafStart(const spMotionTree* tree, int leaf)
{
    return (int)((int64_t)tree->surface->triangleCount * leaf / tree->leafCount);
}

static void spJoinBox(spExtent* box, const spExtent* other)
{
    box->lower = spMin3(box->lower, other->lower);
    box->upper = spMax3(box->upper, other->upper);
}

spExtent spGetTriangleExtent(const spMotionTree* tree, int triangle)
{
    const int32_t* nodes = tree->surface->triangles + 3 * (size_t)triangle;
    spExtent box = {spXyz(tree->from[nodes[0]]), spXyz(tree->from[nodes[0]])};
    for (int k = 0; k < 3; ++k)
    {
        spVec3 from = spXyz(tree->from[nodes[k]]), to = spXyz(tree->to[nodes[k]]);
        box.lower = spMin3(box.lower, spMin3(from, to));
        box.upper = spMax3(box.upper, spMax3(from, to));
    }
    return box;
}

void spFitMotionTree(spMotionTree* tree)
{
    spExtent empty = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int leaf = 0; leaf < tree->leafCount; ++leaf)
    {
        spExtent box = empty;
        for (int i = spGetLeafStart(tree, leaf); i < spGetLeafStart(tree, leaf + 1); ++i)
        {
            spExtent triangle = spGetTriangleExtent(tree, tree->surface->sorted[i]);
            spJoinBox(&box, &triangle);
        }
        tree->boxes[tree->leafCount - 1 + leaf] = box;
    }
    for (int i = tree->leafCount - 2; i >= 0; --i)
    {
        tree->boxes[i] = tree->boxes[2 * i + 1];
        spJoinBox(tree->boxes + i, tree->boxes + 2 * i + 2);
    }
}

// ---- pairs ----

typedef struct spTwoNodes
{
    int a, b;
} spTwoNodes;

static bool spVisitLeaves(const spMotionTree* a, const spMotionTree* b, spTwoNodes leaves, spReal margin,
                          spVisitPairFcn* visit, void* context)
{
    int leafA = leaves.a - (a->leafCount - 1), leafB = leaves.b - (b->leafCount - 1);
    bool same = a == b && leafA == leafB;
    for (int i = spGetLeafStart(a, leafA); i < spGetLeafStart(a, leafA + 1); ++i)
    {
        spExtent box = spGetTriangleExtent(a, a->surface->sorted[i]);
        for (int k = same ? i + 1 : spGetLeafStart(b, leafB); k < spGetLeafStart(b, leafB + 1); ++k)
        {
            spExtent other = spGetTriangleExtent(b, b->surface->sorted[k]);
            if (spBoxesMeet(&box, &other, margin) &&
                visit(a->surface->sorted[i], b->surface->sorted[k], context) == false)
            {
                return false;
            }
        }
    }
    return true;
}

bool spVisitTrianglePairs(const spMotionTree* a, const spMotionTree* b, spReal margin, spVisitPairFcn* visit,
                          void* context)
{
    spTwoNodes stack[SP_STACK_SIZE];
    int count = 0;
    bool going = true;
    stack[count++] = (spTwoNodes){0, 0};
    while (going && count > 0)
    {
        spTwoNodes at = stack[--count];
        if (spBoxesMeet(a->boxes + at.a, b->boxes + at.b, margin) == false)
        {
            continue;
        }
        bool innerA = at.a < a->leafCount - 1, innerB = at.b < b->leafCount - 1;
        int left = 2 * at.a + 1, leftB = 2 * at.b + 1;
        if (innerA == false && innerB == false)
        {
            going = spVisitLeaves(a, b, at, margin, visit, context);
        }
        else if (a == b && at.a == at.b)
        {
            stack[count++] = (spTwoNodes){left, left};
            stack[count++] = (spTwoNodes){left + 1, left + 1};
            stack[count++] = (spTwoNodes){left, left + 1};
        }
        else if (innerA && (innerB == false || at.a <= at.b))
        {
            stack[count++] = (spTwoNodes){left, at.b};
            stack[count++] = (spTwoNodes){left + 1, at.b};
        }
        else
        {
            stack[count++] = (spTwoNodes){at.a, leftB};
            stack[count++] = (spTwoNodes){at.a, leftB + 1};
        }
    }
    return going;
}

// ---- corners ----

int spFindSharedCorners(const spContactSurface* surface, int a, int b, int shared[2])
{
    const int32_t *p = surface->triangles + 3 * (size_t)a, *q = surface->triangles + 3 * (size_t)b;
    int count = 0;
    shared[0] = shared[1] = -1;
    for (int i = 0; i < 3; ++i)
    {
        for (int k = 0; k < 3; ++k)
        {
            if (p[i] == q[k])
            {
                shared[0] = i;
                shared[1] = k;
                count += 1;
            }
        }
    }
    return count;
}

void spGetTriangleCorners(const spContactSurface* surface, const spVec4* x, int triangle, spDVec3 out[3])
{
    for (int k = 0; k < 3; ++k)
    {
        out[k] = spGetDouble(x[surface->triangles[3 * (size_t)triangle + k]]);
    }
}
