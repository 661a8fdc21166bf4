// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "mesh/element_tree.h"

#include "base/error.h"
#include "mesh/mesh_math.h"
#include "mesh/morton.h"
#include "mesh/triangle_math.h"

// Elements in one leaf, about
#define SP_LEAF_SIZE 4

// A weight may be this much below 0 for the point to count as inside
#define SP_INSIDE_LIMIT 1.0e-10

// Distances this close together are the same: a corner that several elements share
#define SP_SAME_DISTANCE 1.0e-12

static spBox spEmptyBox(void)
{
    return (spBox){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

static spBox spJoinBoxes(spBox a, spBox b)
{
    return (spBox){spDMin(a.lower, b.lower), spDMax(a.upper, b.upper)};
}

static spBox spMakeElementBox(const spElementTree* tree, int element)
{
    spBox box = spEmptyBox();
    for (int i = 0; i < tree->tupleSize; ++i)
    {
        spDVec3 p = tree->vertices[tree->elements[(int64_t)element * tree->tupleSize + i]];
        box.lower = spDMin(box.lower, p);
        box.upper = spDMax(box.upper, p);
    }
    return box;
}

static bool spHasShape(const spElementTree* tree, int element)
{
    const int32_t* vertices = tree->elements + (int64_t)element * tree->tupleSize;
    return tree->tupleSize == 4 ? spClassifyTet(tree->vertices, vertices) != sp_elementFlat
                                : spClassifyTriangle(tree->vertices, vertices) == sp_elementFine;
}

static void spListElements(spElementTree* tree, int count)
{
    for (int i = 0; i < count; ++i)
    {
        if (spHasShape(tree, i))
        {
            tree->sorted[tree->elementCount++] = i;
        }
    }
}

// Sorts the elements along the Morton curve
static bool spSortElements(spHeap* heap, spElementTree* tree, int count)
{
    spBox all = spEmptyBox();
    for (int i = 0; i < tree->elementCount; ++i)
    {
        all = spJoinBoxes(all, spMakeElementBox(tree, tree->sorted[i]));
    }
    spDVec3* middles = spAlloc(heap, spArraySize(count, sizeof(spDVec3)));
    for (int i = 0; middles != NULL && i < tree->elementCount; ++i)
    {
        spBox box = spMakeElementBox(tree, tree->sorted[i]);
        middles[tree->sorted[i]] = spDMulAdd(box.lower, 0.5, spDSub(box.upper, box.lower));
    }
    bool ok = middles != NULL &&
              spSortAlongCurve(heap, middles, count, all.lower, all.upper, tree->sorted, tree->elementCount);
    spFree(heap, middles);
    return ok;
}

static bool spFillBoxes(spHeap* heap, spElementTree* tree)
{
    tree->leafCount = 1;
    while ((int64_t)tree->leafCount * SP_LEAF_SIZE < tree->elementCount)
    {
        tree->leafCount *= 2;
    }
    tree->boxes = spAlloc(heap, spArraySize(2 * (int64_t)tree->leafCount - 1, sizeof(spBox)));
    if (tree->boxes == NULL)
    {
        return false;
    }
    for (int leaf = 0; leaf < tree->leafCount; ++leaf)
    {
        spBox box = spEmptyBox();
        for (int i = spLeafBegin(tree, leaf); i < spLeafBegin(tree, leaf + 1); ++i)
        {
            box = spJoinBoxes(box, spMakeElementBox(tree, tree->sorted[i]));
        }
        tree->boxes[tree->leafCount - 1 + leaf] = box;
    }
    for (int i = tree->leafCount - 2; i >= 0; --i)
    {
        tree->boxes[i] = spJoinBoxes(tree->boxes[2 * i + 1], tree->boxes[2 * i + 2]);
    }
    return true;
}

bool spBuildElementTree(spHeap* heap, const spMesh* mesh, spElementTree* tree, spError* error)
{
    bool tets = mesh->tetCount > 0;
    int count = tets ? mesh->tetCount : mesh->triangleCount;
    *tree = (spElementTree){
        .vertices = mesh->vertices,
        .elements = tets ? mesh->tets : mesh->triangles,
        .tupleSize = tets ? 4 : 3,
    };
    if (count == 0)
    {
        return spFail(error, sp_errorBadMesh, "the mesh has neither tets nor triangles to carry points");
    }
    tree->sortedCapacity = count;
    tree->sorted = spAlloc(heap, spArraySize(count, sizeof(int32_t)));
    bool ok = tree->sorted != NULL;
    if (ok)
    {
        spListElements(tree, count);
        if (tree->elementCount == 0)
        {
            spFreeElementTree(heap, tree);
            return spFail(error, sp_errorBadMesh,
                          "every element of the mesh is flat, so none can carry points; see "
                          "spMesh_Validate");
        }
        ok = spSortElements(heap, tree, count) && spFillBoxes(heap, tree);
    }
    if (!ok)
    {
        spFreeElementTree(heap, tree);
        return spFailMemory(error, "a tree of elements", spArraySize(count, sizeof(spBox)));
    }
    return true;
}

void spFreeElementTree(spHeap* heap, spElementTree* tree)
{
    spFree(heap, tree->sorted);
    spFree(heap, tree->boxes);
    *tree = (spElementTree){0};
}

static double spTriangleDistance2(spDVec3 p, spDVec3 a, spDVec3 b, spDVec3 c)
{
    int feature;
    spDVec3 d = spDSub(p, spFindTrianglePlace(p, a, b, c, &feature));
    return spDDot(d, d);
}

// Barycentric weights in a tet, or of the projection on the plane of a triangle (its normal then takes the
// place of the third edge). Solving again for what is left over makes the sum of the vertices meet the point
// to the last bits, even in a sliver.
static void spFindWeights(const spDVec3* v, int tupleSize, spDVec3 point, double weights[4])
{
    spDVec3 e1 = spDSub(v[1], v[0]), e2 = spDSub(v[2], v[0]);
    spDVec3 e3 = tupleSize == 4 ? spDSub(v[3], v[0]) : spDCross(e1, e2);
    spDVec3 n1 = spDCross(e2, e3), n2 = spDCross(e3, e1), n3 = spDCross(e1, e2);
    double det = spDDot(e1, n1);
    double w1 = 0.0, w2 = 0.0, w3 = 0.0;
    spDVec3 rest = spDSub(point, v[0]);
    for (int round = 0; round < 3; ++round)
    {
        w1 += spDDot(rest, n1) / det;
        w2 += spDDot(rest, n2) / det;
        w3 += spDDot(rest, n3) / det;
        rest = spDSub(point, v[0]);
        rest = spDMulAdd(rest, -w1, e1);
        rest = spDMulAdd(rest, -w2, e2);
        rest = spDMulAdd(rest, -w3, e3);
    }
    weights[1] = w1;
    weights[2] = w2;
    weights[3] = tupleSize == 4 ? w3 : 0.0;
    weights[0] = 1.0 - w1 - w2 - weights[3];
}

static double spSmallestWeight(const double* weights, int tupleSize)
{
    double smallest = fmin(fmin(weights[0], weights[1]), weights[2]);
    return tupleSize == 4 ? fmin(smallest, weights[3]) : smallest;
}

// The state of one search
typedef struct spSearch
{
    const spElementTree* tree;
    spDVec3 point;
    spElementHit hit;
    double best2;     // squared distance of the best one so far
    double bestLeast; // its smallest weight
} spSearch;

// Looks at one element. Returns true when the point is inside.
static bool spTryElement(spSearch* search, int element)
{
    const spElementTree* tree = search->tree;
    spDVec3 v[4];
    for (int i = 0; i < tree->tupleSize; ++i)
    {
        v[i] = tree->vertices[tree->elements[(int64_t)element * tree->tupleSize + i]];
    }
    double weights[4];
    spFindWeights(v, tree->tupleSize, search->point, weights);
    double least = spSmallestWeight(weights, tree->tupleSize);
    double distance2 = INFINITY;
    bool inside = false;
    if (tree->tupleSize == 3)
    {
        distance2 = spTriangleDistance2(search->point, v[0], v[1], v[2]);
    }
    else if (least >= -SP_INSIDE_LIMIT)
    {
        inside = true;
        distance2 = 0.0;
    }
    else
    {
        for (int f = 0; f < 4; ++f)
        {
            const int* face = spTetFaces[f];
            distance2 =
                fmin(distance2, spTriangleDistance2(search->point, v[face[0]], v[face[1]], v[face[2]]));
        }
    }
    bool nearer = distance2 < search->best2 * (1.0 - SP_SAME_DISTANCE);
    bool same = !nearer && distance2 <= search->best2 * (1.0 + SP_SAME_DISTANCE);
    if (inside || nearer || search->hit.element < 0 || (same && least > search->bestLeast))
    {
        search->best2 = fmin(distance2, search->best2);
        search->bestLeast = least;
        search->hit.element = element;
        for (int i = 0; i < 4; ++i)
        {
            search->hit.weights[i] = weights[i];
        }
    }
    return inside;
}

spElementHit spFindElement(const spElementTree* tree, spDVec3 point)
{
    spSearch search = {
        .tree = tree,
        .point = point,
        .hit = {.element = -1},
        .best2 = INFINITY,
        .bestLeast = -INFINITY,
    };
    spTreeVisit stack[64];
    stack[0] = (spTreeVisit){0, spBoxDistance2(tree->boxes, point)};
    int depth = 1;
    bool inside = false;
    while (depth > 0 && !inside)
    {
        --depth;
        int node = stack[depth].node;
        if (stack[depth].distance2 > search.best2 * (1.0 + SP_SAME_DISTANCE))
        {
            continue;
        }
        if (node >= tree->leafCount - 1)
        {
            int leaf = node - (tree->leafCount - 1);
            for (int i = spLeafBegin(tree, leaf); i < spLeafBegin(tree, leaf + 1) && !inside; ++i)
            {
                inside = spTryElement(&search, tree->sorted[i]);
            }
            continue;
        }
        depth = spPushChildren(tree, node, point, stack, depth);
    }
    search.hit.distance = inside ? 0.0 : sqrt(search.best2);
    search.hit.outside = !inside;
    return search.hit;
}
