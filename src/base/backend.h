// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Where arrays live and what runs on them: one table that owns arrays of nodes, works on them, and advances a
// body by a whole step. A method never loops over nodes itself, so that the same driver runs on another
// filling of this table. The CPU has one filling for each number of lanes; all give the same bits.
//
// Operations work on nodes [begin, end); x carries the inverse mass in w, v and f carry 0 there. What one
// returns is summed in double in the order of the nodes: sums over a body are those of its patches, added in
// patch order.

#pragma once

#include "base/memory.h"
#include "base/node.h"

typedef struct spMat3 spMat3;
typedef struct spSlots spSlots;
typedef struct spSparse spSparse;
typedef struct spBody spBody;
typedef struct spAdvanceContext spAdvanceContext;
typedef struct spAdvanceResult spAdvanceResult;

// Arrays of a Runge-Kutta step
typedef struct spRungeArrays
{
    spVec4* stageX; // where the next forces are evaluated
    spVec4* stageV;
    spVec4* sumX; // weighted sums of the slopes
    spVec4* sumV;
} spRungeArrays;

// Rows of a filter: v becomes v + own v + sum weight (v_j - v)
typedef struct spFilterEntry
{
    int32_t offset; // of the neighbour's first number, 4 * node
    spReal weight;
} spFilterEntry;

typedef struct spFilterRows
{
    int32_t* begin; // first entry of each node (nodeCount + 1)
    spFilterEntry* entries;
    spReal* own; // 0 where a uniform velocity is kept
} spFilterRows;

// A rotation about a centre: velocity turn x (x - centre)
typedef struct spRotation
{
    spVec3 centre; // m
    spVec3 turn;   // rad/s
} spRotation;

// Sums over nodes that tell their rotation, relative to an origin: m x with m in w, m v, m x cross v, m x^2,
// and m times the products yz, zx, xy
#define SP_ROTATION_SUMS 5

typedef struct spBackend
{
    const char* name;
    int laneCount;

    // ---- arrays ----

    // An array of zeros; NULL when there is no memory
    void* (*allocate)(spHeap* heap, size_t size);
    void (*release)(spHeap* heap, void* array);
    // Copies across, of any part of an array
    void (*upload)(void* array, const void* host, size_t size);
    void (*download)(void* host, const void* array, size_t size);
    // The same for listed nodes
    void (*gather)(spVec4* host, const spVec4* array, const int32_t* nodes, int count);
    void (*scatter)(spVec4* array, const spVec4* host, const int32_t* nodes, int count);
    void (*copy)(spVec4* to, const spVec4* from, int begin, int end);
    // a = 0
    void (*clear)(spVec4* a, int begin, int end);
    // Whether every number is finite
    bool (*isFinite)(const spVec4* a, int begin, int end);

    // ---- explicit steps ----

    // x += h v
    void (*drift)(spVec4* x, const spVec4* v, spReal h, int begin, int end);
    // v += h w f, then x += hx v
    void (*kickDrift)(spVec4* x, spVec4* v, const spVec4* f, spReal h, spReal hx, int begin, int end);
    // x += h v, then v += h w f
    void (*driftKick)(spVec4* x, spVec4* v, const spVec4* f, spReal h, int begin, int end);
    // One stage: slopes (stageV, w f) are summed with `weight`; the next stage starts `advance` along them
    // from (x, v)
    void (*rungeStage)(const spVec4* x, const spVec4* v, const spVec4* f, const spRungeArrays* arrays,
                       spReal weight, spReal advance, int begin, int end);
    // x += h sumX, v += h sumV
    void (*rungeFinish)(spVec4* x, spVec4* v, const spRungeArrays* arrays, spReal h, int begin, int end);
    // to = v + h w f
    void (*kick)(spVec4* to, const spVec4* x, const spVec4* v, const spVec4* f, spReal h, int begin, int end);
    // to = A (v + h w f), A a 3x3 matrix of each node, by columns
    void (*kickSolve)(spVec4* to, const spVec4* x, const spVec4* v, const spVec4* f, const spReal* matrices,
                      spReal h, int begin, int end);
    // v = from, filtered with a strength in 0..1, plus the rotation; then x += h v. Held nodes keep v.
    void (*filterDrift)(spVec4* x, spVec4* v, const spVec4* from, const spFilterRows* rows, spReal strength,
                        const spRotation* rotation, spReal h, int begin, int end);
    // v -= the rotation
    void (*takeRotation)(spVec4* v, const spVec4* x, const spRotation* rotation, int begin, int end);
    // SP_ROTATION_SUMS of nodes that are all free, relative to the first node of the body
    void (*sumRotation)(spVec4* sums, const spVec4* x, const spVec4* v, int begin, int end);

    // ---- vectors ----

    // a.b
    double (*dot)(const spVec4* a, const spVec4* b, int begin, int end);
    // a += s b
    void (*addScaled)(spVec4* a, spReal s, const spVec4* b, int begin, int end);

    // ---- linear systems ----

    // Adds what other patches have written to slots to the nodes of the patch that owns them
    void (*sumSlots)(const spSlots* slots, spVec4* a, int patch);

    // y, nodes and slots of the patch: the product of the pairs of the patch with x
    void (*multiply)(const spSparse* a, const spVec4* x, int patch, spVec4* y);

    // Sums the pairs of the patch from the sources, and the diagonal (nodes and slots of the patch)
    void (*collect)(spSparse* a, int patch);

    // How the surroundings of each node have turned from the positions `then` to `now`. First the sums over
    // the pairs of the patch, into columns of 3x3 matrices (nodes and slots of the patch), then, with the
    // slots summed, rotations[node] for the nodes of the patch.
    void (*sumTurns)(const spSparse* a, const spVec4* then, const spVec4* now, int patch,
                     spVec4* const* sums);
    void (*findTurns)(spVec4* const* sums, int begin, int end, spMat3* rotations);

    // q = sign q + own d; returns d.q. ownC NULL: own is diagonal.
    double (*finishProduct)(spVec4* q, const spVec4* d, const spVec4* ownA, const spVec4* ownC, spReal sign,
                            int begin, int end);

    // x += alpha d, r -= alpha q; returns r.r
    double (*stepResidual)(spVec4* x, spVec4* r, const spVec4* d, const spVec4* q, spReal alpha, int begin,
                           int end);

    // z = P r with a symmetric 3x3 matrix for each node, diagonal when pC is NULL; returns r.z
    double (*applyLocal)(spVec4* z, const spVec4* r, const spVec4* pA, const spVec4* pC, int begin, int end);

    // d = z + beta d
    void (*advanceDirection)(spVec4* d, const spVec4* z, spReal beta, int begin, int end);

    // ---- a whole step ----

    // Moves a body over a step, or a slice of one: on the CPU its method drives the operations above, other
    // fillings may do it in one go
    spAdvanceResult (*advance)(spBody* body, const spAdvanceContext* context);
} spBackend;

// The filling of the CPU for a number of lanes
const spBackend* spFindBackend(int laneCount);
