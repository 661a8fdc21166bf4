// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Tetrahedra: what the body needs to make, change and read a set of them.

#pragma once

#include "element/lane_count.h"

#include "souple/element.h"

// One tetrahedron as it was given, in node numbering
typedef struct spTet
{
    int32_t nodes[4];
    spReal youngModulus; // Pa
    spReal poissonRatio;
    int32_t region; // as the mesh numbers them, for drawing
} spTet;

// Numbers of a tetrahedron in its block: the inverse of the rest edges, row by row, then the rest volume
#define SP_TET_DATA 10

typedef struct spTetSet spTetSet;

// Adds forces of the tets of one patch, found in double precision (element/tet_precise.h)
typedef void spPreciseForcesFcn(const spTetSet* set, const spNodeState* state, int patch, spVec4* f);

struct spTetSet
{
    spElementSet base;
    spTetLaw law;
    spTetDamping dampingModel;
    spReal damping; // s
    spReal mooney;
    spTet* tets;
    spMat3* inverses; // of the rest edges, of each element
    spReal* volumes;  // at rest, m^3
    spBlocks blocks;
    spReal* data;       // (blockCount x SP_TET_DATA x SP_BLOCK)
    spReal* moduli;     // mu, then lambda (blockCount x 2 x SP_BLOCK), Pa
    int materialStride; // from block to block: 2 SP_BLOCK, or 0 when all are the same
    bool ofMesh;        // its elements are the tets of the body's mesh, in their order
    // The same numbers in double precision, of tets whose forces are found in it; else NULL (blockCount x SP_TET_DATA x
    // SP_BLOCK)
    double* preciseData;
    spPreciseForcesFcn* addPreciseForces;
    int goneCount;           // elements that an edit has taken: they keep their number and have no volume
    spReal* allVolumes;      // at rest, gone or not, m^3; NULL in a body without room
    struct spTetRemap* next; // what an edit has prepared
};

typedef struct spTetSetDef
{
    const spTet* tets; // copied
    int tetCount;
    spTetLaw law;
    spTetDamping dampingModel;
    spReal damping;
    spReal mooney;
    const spVec4* x; // rest shape
    const int32_t* patchBegin;
    int patchCount;
    int laneCount;
    bool ofMesh;
    bool precise; // forces in double precision
    bool room;    // edits may come
    int tetRoom;
} spTetSetDef;

// The slots of the blocks are filled in by the body. Tets must have been checked to be upright. Returns NULL
// when there is no memory.
spTetSet* spCreateTetSet(spHeap* heap, const spTetSetDef* def);

// Whether an edit has taken an element
static inline bool spIsTetGone(const spTetSet* set, int element)
{
    return set->volumes[element] == 0;
}

// Fills the material of the blocks from the tets: after their numbers have changed.
void spFillTetMaterial(spTetSet* set);

// Fills all blocks from inverses, volumes and tets: after elements have been put into blocks by hand.
void spFillTetBlocks(spTetSet* set);

// The inverse of the rest edges of a tet, as its law has it. Returns its volume, m^3.
spReal spGetRestShape(spTetLaw law, const spVec4* x, const int32_t nodes[4], spMat3* inverse);

// Lame constants, Pa
void spGetLame(double youngModulus, double poissonRatio, double* lambda, double* mu);

// What an element feels
// Cauchy's stress of a tet, Pa
spMat3 spGetCauchyStress(const spTetSet* set, const spNodeState* state, int element);
spTetState spGetTetState(const spTetSet* set, const spNodeState* state, int element);

// Numbers of sp_pairsGradients: a = aMu mu + aLa la stands before g_i.g_j, c = cMu mu + cLa la before g_i
// g_j^T, b before g_j g_i^T over a
typedef struct spGradientForm
{
    spReal aMu, aLa, b, cMu, cLa;
} spGradientForm;

spGradientForm spGetGradientForm(const spTetSet* set, const spFill* fill);

// The kind, one table for each number of lanes
SP_DECLARE_KINDS(spTetKind);

// Scalar parts that all tables share. Those of one element, in the translation unit of one lane:
int spGetTetStiffness(const spElementSet* base, const spNodeState* state, int element, bool project,
                      int32_t* nodes, spMat3* blocks);
spMat3 spGetTetGradient(const spTetSet* set, const spNodeState* state, int element);
spMat3 spGetTetStressOf(const spTetSet* set, int element, spMat3 gradient);
// and the rest:
bool spIsTetSetDamped(const spElementSet* base);
spPairForm spGetTetPairForm(const spElementSet* base, const spFill* fill);
spReal spGetTetGradientFactor(const spElementSet* base, const spFill* fill);
// The largest stiffness for a change of F of size 1, in Pa, that the law can have at a deformation
double spBoundTetModulus(const spTetSet* set, const spNodeState* state, int element);
// How the weights of the four nodes change in a tet at rest, 1/m
void spGetTetGradients(const spTetSet* set, int element, spVec3 gradients[4]);
void spAddTetSetBounds(const spElementSet* base, const spNodeState* state, spBounds* bounds);
spBlocks* spGetTetBlocks(spElementSet* base);
bool spRemapTetSet(spElementSet* base, spHeap* heap, spRemap* remap, spRemapPhase phase, spError* error);
void spDestroyTetSet(spElementSet* base, spHeap* heap);
