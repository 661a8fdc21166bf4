// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "element/constraint.h"

#include "element/spring.h"
#include "element/tet.h"

#include <math.h>
#include <string.h>

int32_t* spListElements(const spBlocks* blocks, spHeap* heap)
{
    int n = blocks->nodesPerElement;
    int32_t* nodes = spAlloc(heap, spArraySize(blocks->elementCount, (size_t)n * sizeof(int32_t)));
    for (int i = 0; nodes != NULL && i < blocks->blockCount * SP_BLOCK; ++i)
    {
        int element = blocks->elements[i];
        for (int k = 0; k < n && element >= 0; ++k)
        {
            nodes[(size_t)element * n + k] =
                blocks->nodes[((size_t)(i / SP_BLOCK) * n + k) * SP_BLOCK + i % SP_BLOCK] / 4;
        }
    }
    return nodes;
}

bool spCreateConstraints(spConstraints* c, spHeap* heap, spElementSet* set, const spConstraintKind* kind,
                         const spZones* zones)
{
    const spBlocks* own = set->kind->getBlocks(set);
    *c = (spConstraints){.kind = kind, .set = set};
    size_t size = spArraySize(own->elementCount, (size_t)own->nodesPerElement * sizeof(int32_t));
    int32_t* nodes = spListElements(own, heap);
    spElementList list = {.nodes = nodes, .count = own->elementCount, .nodesPerElement = own->nodesPerElement};
    bool ok = nodes != NULL && spBuildZoneBlocks(&c->blocks, heap, &list, zones);
    spFree(heap, nodes, size);
    if (ok)
    {
        c->data = spAlloc(heap, spArraySize(c->blocks.blockCount,
                                            (size_t)kind->dataCount * SP_BLOCK * sizeof(spReal)));
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
    size_t lanes = (size_t)c->blocks.blockCount * SP_BLOCK;
    spFree(heap, c->data, c->data == NULL ? 0 : lanes * (size_t)c->kind->dataCount * sizeof(spReal));
    spFree(heap, c->share, lanes * sizeof(spReal));
    spFreeBlocks(&c->blocks, heap);
    *c = (spConstraints){0};
}

// ---- strain of tets ----

// Inverse of a symmetric positive definite matrix, by its Cholesky factor
static void spInvertSymmetric6(double a[6][6])
{
    double l[6][6] = {0}, inverse[6][6] = {0};
    for (int j = 0; j < 6; ++j)
    {
        for (int i = j; i < 6; ++i)
        {
            double sum = a[i][j];
            for (int k = 0; k < j; ++k)
            {
                sum -= l[i][k] * l[j][k];
            }
            l[i][j] = i == j ? sqrt(sum) : sum / l[j][j];
        }
    }
    // L^-1, then L^-T L^-1
    for (int j = 0; j < 6; ++j)
    {
        for (int i = j; i < 6; ++i)
        {
            double sum = i == j ? 1.0 : 0.0;
            for (int k = j; k < i; ++k)
            {
                sum -= l[i][k] * inverse[k][j];
            }
            inverse[i][j] = sum / l[i][i];
        }
    }
    for (int i = 0; i < 6; ++i)
    {
        for (int j = 0; j < 6; ++j)
        {
            a[i][j] = 0.0;
            for (int k = i > j ? i : j; k < 6; ++k)
            {
                a[i][j] += inverse[k][i] * inverse[k][j];
            }
        }
    }
}

// Sum over the nodes of a tet of inverse mass times the outer square of the gradient, from the rows of the
// inverse rest edges: xx yy zz yz xz xy
static void spSumGradients(const spTetSet* set, int element, const spVec4* x, double y[6])
{
    const spMat3* b = set->inverses + element;
    const int32_t* nodes = set->tets[element].nodes;
    double g[4][3] = {{0}};
    const spReal* columns[3] = {&b->cx.x, &b->cy.x, &b->cz.x};
    for (int axis = 0; axis < 3; ++axis)
    {
        for (int k = 1; k < 4; ++k)
        {
            g[k][axis] = (double)columns[axis][k - 1];
            g[0][axis] -= g[k][axis];
        }
    }
    memset(y, 0, 6 * sizeof(double));
    for (int k = 0; k < 4; ++k)
    {
        double w = (double)x[nodes[k]].w;
        y[0] += w * g[k][0] * g[k][0];
        y[1] += w * g[k][1] * g[k][1];
        y[2] += w * g[k][2] * g[k][2];
        y[3] += w * g[k][1] * g[k][2];
        y[4] += w * g[k][0] * g[k][2];
        y[5] += w * g[k][0] * g[k][1];
    }
}

// J W J^T of the co-rotated strain: the same in every state, because the columns of R are orthonormal. Rows
// xx yy zz yz xz xy.
static void spFillStrainSystem(const double y[6], double a[6][6])
{
    double xx = y[0], yy = y[1], zz = y[2], yz = y[3], xz = y[4], xy = y[5];
    const double upper[6][6] = {
        {xx, 0, 0, 0, xz, xy}, {0, yy, 0, yz, 0, xy},           {0, 0, zz, yz, xz, 0},
        {0, 0, 0, yy + zz, xy, xz}, {0, 0, 0, 0, xx + zz, yz}, {0, 0, 0, 0, 0, xx + yy},
    };
    for (int i = 0; i < 6; ++i)
    {
        for (int j = 0; j < 6; ++j)
        {
            a[i][j] = i <= j ? upper[i][j] : upper[j][i];
        }
    }
}

void spFillStrainRows(spConstraints* c, const spConstraintFill* fill)
{
    const spTetSet* set = (const spTetSet*)c->set;
    double damping = (double)set->damping / fill->h;
    c->damped = set->damping > 0;
    for (int i = 0; i < c->blocks.blockCount * SP_BLOCK; ++i)
    {
        int block = i / SP_BLOCK, lane = i % SP_BLOCK, element = c->blocks.elements[i];
        bool empty = element < 0;
        element = empty ? c->blocks.elements[i - lane] : element;
        const spMat3* b = set->inverses + element;
        double e = (double)set->tets[element].youngModulus, nu = (double)set->tets[element].poissonRatio;
        double volume = (double)set->volumes[element], s = 1.0 / (e * volume * fill->h * fill->h);
        spReal* place = spGetConstraintData(c, block, 0) + lane;
        const spReal rows[9] = {b->cx.x, b->cy.x, b->cz.x, b->cx.y, b->cy.y, b->cz.y, b->cx.z, b->cy.z, b->cz.z};
        for (int k = 0; k < 9; ++k)
        {
            place[k * SP_BLOCK] = rows[k];
        }
        double y[6], a[6][6];
        spSumGradients(set, element, fill->x, y);
        spFillStrainSystem(y, a);
        for (int k = 0; k < 6; ++k)
        {
            for (int l = 0; l < 6; ++l)
            {
                a[k][l] *= 1.0 + damping;
            }
            a[k][k] += k < 3 ? s : 2.0 * (1.0 + nu) * s;
        }
        for (int k = 0; k < 3; ++k)
        {
            a[k][(k + 1) % 3] -= nu * s;
            a[k][(k + 2) % 3] -= nu * s;
        }
        spInvertSymmetric6(a);
        place[sp_strainVolume * SP_BLOCK] = empty ? 0 : (spReal)volume;
        place[sp_strainCompliance * SP_BLOCK] = (spReal)s;
        place[sp_strainPoisson * SP_BLOCK] = (spReal)nu;
        place[sp_strainDamping * SP_BLOCK] = (spReal)damping;
        int next = sp_strainInverse;
        for (int k = 0; k < 6; ++k)
        {
            for (int l = k; l < 6; ++l)
            {
                place[next++ * SP_BLOCK] = empty ? 0 : (spReal)a[k][l];
            }
        }
    }
}

// ---- distances ----

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
        spReal* place = spGetConstraintData(c, i / SP_BLOCK, 0) + i % SP_BLOCK;
        const spSpring* spring = set->springs + (element < 0 ? 0 : element);
        double k = (double)spGetSpringModulus(set, spring);
        bool acts = element >= 0 && k > 0.0;
        place[sp_distanceRest * SP_BLOCK] = acts ? activation * spring->rest : -1;
        place[sp_distanceCompliance * SP_BLOCK] = acts ? (spReal)(1.0 / (k * h2)) : 1;
        place[sp_distanceDamping * SP_BLOCK] = acts ? (spReal)((double)spring->damping / (k * fill->h)) : 0;
    }
}
