// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Constraints: how XPBD sees the elements of a set.
//
// Every element has one to six rows C(x) with the energy C^T (1/compliance) C / 2. A projection moves the
// nodes of one element so that C + a lambda = 0 holds to first order, a the compliance over h^2:
//
//   (J W J^T (1 + g) + a) dl = -(C + a lambda + g J (x - start))
//   lambda += dl,  x += W J^T dl
//
// g is the damping time over h, W the inverse masses.
//
// Rows whose energy is another function of C, for example of a gas, are brought to this form where they are:
// C counts as E'/E'', a as 1/(E'' h^2).
//
// The elements of a set are laid out again for that, in blocks by part of a sweep (mesh/sweep_order.h), with
// data of their own that is made for one length of the substep. Empty lanes have the data of lane 0 with no answer to anything,
// so that what they add is zero.
// Macklin, Mueller, Chentanez. XPBD: Position-Based Simulation of Compliant Constrained Dynamics. 2016

#pragma once

#include "element/element.h"
#include "element/row_numbers_kernel.h"
#include "mesh/sweep_order.h"

#include "souple/body.h"

// Rows of an element at most
#define SP_MAX_ROWS 6

// The rows of one element set
typedef struct spConstraints
{
    const spConstraintKind* kind;
    const spElementSet* set;
    spBlocks blocks;
    spReal* data;        // (blockCount x dataCount x SP_BLOCK)
    spReal* lambda;      // (blockCount x rowCount x SP_BLOCK), a part of the array of all sets
    int64_t lambdaBegin; // where it begins there
    spReal* share;       // of each element in the step of Jacobi, 0 in empty lanes (blockCount x SP_BLOCK)
    bool damped;         // start counts
    bool timed;          // data changes with time
} spConstraints;

// What data is made from
typedef struct spConstraintFill
{
    const spVec4* x; // inverse masses in w
    double h;        // of the substep, s
    double time;     // at its end, s: muscles
} spConstraintFill;

// Where rows are evaluated
typedef struct spSweep
{
    spVec4* x;           // nodes, inverse mass in w
    const spVec4* start; // nodes where the substep began
    spVec4* to;          // of collect and transpose: what they add to
    const spReal* given; // of transpose: multipliers, laid out as those of all sets
} spSweep;

// Only measure returns anything but 0
typedef double spRowsFcn(const spConstraints* c, const spSweep* sweep, int part);

struct spConstraintKind
{
    const char* name;
    int rowCount;  // of each element
    int dataCount; // numbers of each element

    // Makes the data of all blocks, and says whether they are damped or timed.
    void (*fill)(spConstraints* c, const spConstraintFill* fill);

    // Over the blocks of one part of a sweep
    spRowsFcn* project;   // Gauss-Seidel
    spRowsFcn* collect;   // Jacobi: the same from x as it stays; displacements are added to `to`
    spRowsFcn* measure;   // sum of squares of C + a lambda, of rows scaled by the root of the volume for tets
    spRowsFcn* transpose; // adds J(x)^T given, kg m
};

// Lays the elements of a set out for sweeps, with lambda still to be given a place. False, with all freed,
// when there is no memory.
// @param partOf part of each element of the set in the order
bool spCreateConstraints(spConstraints* c, spHeap* heap, spElementSet* set, const spConstraintKind* kind,
                         const spSweepOrder* order, const int32_t* partOf);
void spDestroyConstraints(spConstraints* c, spHeap* heap);

// Elements of a set as they lie in its own blocks, in the order of their numbers; those that are gone are
// left out. False, with nothing to be freed, when there is no memory; else to be freed with spFreeElementList.
bool spListElements(spElementList* list, const spBlocks* blocks, spHeap* heap);
void spFreeElementList(spElementList* list, spHeap* heap);

// Multipliers of a set
static inline int64_t spGetLambdaCount(const spConstraints* c)
{
    return (int64_t)c->blocks.blockCount * c->kind->rowCount * SP_BLOCK;
}

// Place of a number of a block in data
static inline spReal* spGetConstraintData(const spConstraints* c, int block, int number)
{
    return c->data + ((size_t)block * (size_t)c->kind->dataCount + (size_t)number) * SP_BLOCK;
}

#ifdef SOUPLE_DISABLE_SIMD
#define SP_DECLARE_CONSTRAINTS(stem) extern const spConstraintKind stem##1
#else
#define SP_DECLARE_CONSTRAINTS(stem) extern const spConstraintKind stem##1, stem##4, stem##8, stem##16
#endif

SP_DECLARE_CONSTRAINTS(spDistanceRows);
SP_DECLARE_CONSTRAINTS(spTetherRows); // distances that only act against growing

// Scalar parts that all numbers of lanes share
// Fills one lane of distances: rest length, compliance over h^2, damping time over h
void spPutDistance(const spConstraints* c, const spVec4* x, int lane, bool acts, double rest,
                   double compliance, double damping);
void spFillSpringRows(spConstraints* c, const spConstraintFill* fill);
