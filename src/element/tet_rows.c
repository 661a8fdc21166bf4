// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "element/tet_rows.h"

#include <math.h>
#include <string.h>

// Share of the shear modulus that every modulus of a hyperelastic law has at least: rows need a compliance
#define SP_LEAST_MODULUS 1e-6

// One lane while its data is made
typedef struct spTetRowPlace
{
    const spTet* tet;
    spReal* place; // of its first number, others SP_BLOCK apart
    double volume; // m^3
    double y[6];   // as sp_tetRowGram
    bool empty;
} spTetRowPlace;

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

// Fills in what all kinds have. Empty lanes take the numbers of the first of their block.
static spTetRowPlace spStartTetRow(const spConstraints* c, const spConstraintFill* fill, int i)
{
    const spTetSet* set = (const spTetSet*)c->set;
    int lane = i % SP_BLOCK, element = c->blocks.elements[i];
    bool empty = element < 0;
    element = empty ? c->blocks.elements[i - lane] : element;
    const spMat3* b = set->inverses + element;
    spTetRowPlace p = {.tet = set->tets + element,
                       .place = spGetConstraintData(c, i / SP_BLOCK, 0) + lane,
                       .volume = (double)set->volumes[element],
                       .empty = empty};
    const spReal rows[9] = {b->cx.x, b->cy.x, b->cz.x, b->cx.y, b->cy.y, b->cz.y, b->cx.z, b->cy.z, b->cz.z};
    for (int k = 0; k < 9; ++k)
    {
        p.place[k * SP_BLOCK] = rows[k];
    }
    p.place[sp_tetRowVolume * SP_BLOCK] = empty ? 0 : (spReal)p.volume;
    p.place[sp_tetRowDamping * SP_BLOCK] = (spReal)((double)set->damping / fill->h);
    spSumGradients(set, element, fill->x, p.y);
    return p;
}

static void spStoreGram(const spTetRowPlace* p)
{
    for (int k = 0; k < 6; ++k)
    {
        p->place[(sp_tetRowGram + k) * SP_BLOCK] = (spReal)p->y[k];
    }
}

// ---- strain ----

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

// J W J^T of the co-rotated strain: the same in every state, because the columns of R are orthonormal. Rows
// xx yy zz yz xz xy.
static void spFillStrainSystem(const double y[6], double a[6][6])
{
    double xx = y[0], yy = y[1], zz = y[2], yz = y[3], xz = y[4], xy = y[5];
    const double upper[6][6] = {
        {xx, 0, 0, 0, xz, xy},      {0, yy, 0, yz, 0, xy},     {0, 0, zz, yz, xz, 0},
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
        spTetRowPlace p = spStartTetRow(c, fill, i);
        double nu = (double)p.tet->poissonRatio;
        double s = 1.0 / ((double)p.tet->youngModulus * p.volume * fill->h * fill->h);
        double a[6][6];
        spFillStrainSystem(p.y, a);
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
        p.place[sp_strainCompliance * SP_BLOCK] = (spReal)s;
        p.place[sp_strainPoisson * SP_BLOCK] = (spReal)nu;
        int next = sp_strainInverse;
        for (int k = 0; k < 6; ++k)
        {
            for (int l = k; l < 6; ++l)
            {
                p.place[next++ * SP_BLOCK] = p.empty ? 0 : (spReal)a[k][l];
            }
        }
    }
}

// ---- the others ----

void spFillGreenRows(spConstraints* c, const spConstraintFill* fill)
{
    c->damped = ((const spTetSet*)c->set)->damping > 0;
    for (int i = 0; i < c->blocks.blockCount * SP_BLOCK; ++i)
    {
        spTetRowPlace p = spStartTetRow(c, fill, i);
        double s = 1.0 / ((double)p.tet->youngModulus * p.volume * fill->h * fill->h);
        spStoreGram(&p);
        p.place[sp_greenCompliance * SP_BLOCK] = (spReal)s;
        p.place[sp_greenPoisson * SP_BLOCK] = p.tet->poissonRatio;
    }
}

void spFillHyperRows(spConstraints* c, const spConstraintFill* fill)
{
    const spTetSet* set = (const spTetSet*)c->set;
    c->damped = set->damping > 0;
    for (int i = 0; i < c->blocks.blockCount * SP_BLOCK; ++i)
    {
        spTetRowPlace p = spStartTetRow(c, fill, i);
        double lambda, mu, s = 1.0 / (p.volume * fill->h * fill->h);
        spGetLame((double)p.tet->youngModulus, (double)p.tet->poissonRatio, &lambda, &mu);
        bool mooney = set->law == sp_tetMooneyRivlin;
        double least = SP_LEAST_MODULUS * mu;
        double b = mooney ? fmax((double)set->mooney * mu, least) : 0.0;
        double m = fmax(4.0 / 3.0 * (mu - b), least), bulk = fmax(lambda + 0.625 * m, least);
        spStoreGram(&p);
        // The rows alone, without what their turning takes away again, resist swelling by 4 mu + 3 la, the
        // law by 2 mu + 3 la
        p.place[sp_tetRowDamping * SP_BLOCK] *=
            (spReal)((2.0 * mu + 3.0 * lambda) / (4.0 * mu + 3.0 * lambda));
        p.place[sp_hyperStretch * SP_BLOCK] = (spReal)(s / m);
        p.place[sp_hyperSecond * SP_BLOCK] = mooney ? (spReal)(s / b) : 0;
        p.place[sp_hyperBulk * SP_BLOCK] = (spReal)(s / bulk);
        p.place[sp_hyperRest * SP_BLOCK] = (spReal)(1.0 + (0.75 * m + 2.0 * b) / bulk);
    }
}

void spFillEnergyRows(spConstraints* c, const spConstraintFill* fill)
{
    c->damped = ((const spTetSet*)c->set)->damping > 0;
    for (int i = 0; i < c->blocks.blockCount * SP_BLOCK; ++i)
    {
        spTetRowPlace p = spStartTetRow(c, fill, i);
        double lambda, mu;
        spGetLame((double)p.tet->youngModulus, (double)p.tet->poissonRatio, &lambda, &mu);
        spStoreGram(&p);
        p.place[sp_energyCompliance * SP_BLOCK] = (spReal)(1.0 / (p.volume * fill->h * fill->h));
        p.place[sp_energyMu * SP_BLOCK] = (spReal)mu;
        p.place[sp_energyLambda * SP_BLOCK] = (spReal)lambda;
    }
}
