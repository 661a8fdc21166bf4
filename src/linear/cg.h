// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Conjugate gradients for A x = b, with A symmetric and positive definite on what the constraints leave free.
//
//   A x = sign (what the operator gives) + own x + sum over columns c g (g.x)
//
// Dot products are sums over patches in double, in the order of the patches: iterates do not depend on the
// number of workers. Constraints are projections: nodes, or single directions of nodes, that keep the x they
// start with (Baraff, Witkin. Large Steps in Cloth Simulation. 1998; Ascher, Boxerman. On the Modified
// Conjugate Gradient Method in Cloth Simulation. 2003).

#pragma once

#include "linear/preconditioner.h"
#include "linear/sparse.h"

// What couples nodes: assembled pairs, or elements
typedef struct spOperator
{
    void* context;
    void (*prepare)(void* context, const spVec4* d,
                    spTeam* team);                               // on the caller, before the patches; or NULL
    void (*multiply)(void* context, const spVec4* d, int patch); // into product, nodes and slots of the patch
    spVec4* product;                                             // nodes, then slots
    const spSlots* slots;
    spReal sign;
} spOperator;

// c g g^T. The preconditioner does not know of it: its inverse is corrected by the formula of Sherman and
// Morrison, with P^-1 g found at the start of a solve.
typedef struct spColumn
{
    spVec4* g; // of each node
    spReal c;
    spVec4* solved; // P^-1 g
    spReal gain;    // 1 / (1 / c + g.P^-1 g)
} spColumn;

#define SP_MAX_COLUMNS 8

typedef struct spSystem
{
    int nodeCount;
    int patchCount;
    const int32_t* patchBegin;
    const spBackend* backend;
    spOperator op;
    const spVec4* ownA; // (xx, yy, zz) of each node
    const spVec4* ownC; // (xy, yz, xz); NULL when all are zero
    spColumn* columns;
    int columnCount;
    const spConstraint* constraints; // by node, one for each
    const int32_t* patchConstraint;  // first of each patch (patchCount + 1)
    spVec3* rawB;                    // b and A x at the constrained nodes, all of them: A x - b is what the
    spVec3* rawProduct;              // constraint exerts

    // What it is preconditioned with: matrices of the nodes (localA, localC), or a preconditioner, turned by
    // rotations when they are not NULL; or nothing
    const spVec4* localA;
    const spVec4* localC;
    spPreconditioner* preconditioner;
    const spMat3* rotations;
} spSystem;

// Vectors of a solve, nodeCount each
typedef struct spCgVectors
{
    spVec4 *x, *b, *r, *d, *z, *t;
    double* partial; // 2 for each patch
} spCgVectors;

// When a solve ends before its tolerance: by the clock, or after as many chances to stop as were passed when
// the clock ended it before
typedef struct spStop
{
    double deadline; // on the clock of spGetSeconds; 0 for none
    bool decided;    // `after` counts instead of the clock
    int64_t after;   // chances to pass; -1 for all
    int64_t passed;  // so far
    bool stopped;
} spStop;

// A chance to stop. Once stopped it stays so.
bool spShouldStop(spStop* stop);

typedef struct spCgDef
{
    double tolerance;
    int maxIterations;
    double least;    // right-hand sides smaller than this count as this
    double rounding; // a residual up to this that is rounding has converged
    spStop* stop;    // asked before every iteration but the first; NULL for none
} spCgDef;

typedef struct spCgResult
{
    int iterations;
    double
        residual; // |b - A x| / |b| where it ended, computed from x; where b is less, over that at the start
    bool converged;
    bool rounded;    // iterations do not bring the residual down any more: it is rounding
    bool indefinite; // a direction of no or negative curvature was met
    bool late;       // it was stopped
} spCgResult;

bool spCreateCgVectors(spCgVectors* v, const spBackend* backend, spHeap* heap, int nodeCount, int patchCount);
void spDestroyCgVectors(spCgVectors* v, const spBackend* backend, spHeap* heap);

// Solves for v->x, which holds a first guess and what the constraints keep. b is filtered by them in place.
spCgResult spSolveCg(const spSystem* system, const spCgVectors* v, const spCgDef* def, spTeam* team);

// How far along a direction, as the constraints leave it, the quadratic form x A x / 2 - b x has its least. A
// times that direction is left in the product of the operator.
double spFindShare(const spSystem* system, const spCgVectors* v, const spVec4* along, spTeam* team);

// x A x for any x, constraints or not. The product of the operator is lost.
double spGetCurvature(const spSystem* system, const spCgVectors* v, const spVec4* x, spTeam* team);
