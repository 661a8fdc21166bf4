// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Element kinds and element sets.
//
// A kind is a table of functions over an element set: many elements of one kind on the nodes of one body,
// with rest data and material. Fields (drag, repulsive ground) use the same table. Methods see sets only
// through it.
//
// Local kinds lay their elements out in blocks of SP_BLOCK whose lanes never share a node, patch by patch;
// they read node state by node index and add forces by slot index. A slot is the node itself when the node
// belongs to the patch, else a private place of the patch behind the nodes, summed into the node later in
// patch order. Global kinds (gas) first measure the whole body, then add forces node by node.

#pragma once

#include "base/error.h"
#include "base/memory.h"
#include "base/node.h"
#include "base/team.h"
#include "math/mat3.h"
#include "mesh/patch.h"

typedef struct spElementSet spElementSet;
typedef struct spConstraintKind spConstraintKind;

// Where forces are evaluated
typedef struct spNodeState
{
    const spVec4* x;
    const spVec4* v;
    const int32_t* patchBegin; // nodes of patch p: [patchBegin[p], patchBegin[p + 1])
    int nodeCount;
    int patchCount;
    int remainder; // from a position in x to what rounding left of it; 0 where nothing is known of that
    double time;
} spNodeState;

// A change of the state, for the change of the forces
typedef struct spDifference
{
    const spVec4* dx; // m
    const spVec4* dv; // m/s
    bool project;     // leave out what would make the stiffness indefinite
} spDifference;

// What the matrix of a linear system takes from the elements: stiffness K + damping D with K = -df/dx, D =
// -df/dv
typedef struct spFill
{
    spReal stiffness; // factor of K
    spReal damping;   // factor of D
    bool project;     // leave out what would make the matrix indefinite
    bool bound;       // instead of K a matrix that bounds it in every state of the body, the same in all
    bool blocks;      // pairs as blocks, whatever else would do: the form stays when `project` changes
} spFill;

// How a set hands its part of that matrix over. Every row of K and D of a local element sums to zero, so that
// the blocks of its pairs of nodes tell all: E_ij, minus the block of rows i and columns j, i being the lower
// node.
typedef enum spPairForm
{
    sp_pairsNone,      // nothing between nodes
    sp_pairsBlocks,    // for each pair the three columns of E
    sp_pairsGradients, // for each node of a tet g, and in w c: E_ij = -((g_i.g_j) I + b g_j g_i^T + c g_i
                       // g_j^T)
} spPairForm;

// Nodes of a local element at most
#define SP_MAX_ELEMENT_NODES 4

// Upper bounds on the frequencies of a body: for every node a 3x3 block that bounds its row of the stiffness
// and the damping matrix, and what global kinds add to the squared frequency and the damping rate as a whole.
typedef struct spBounds
{
    const spReal* mass;     // kg, of every node
    spMat3* stiffness;      // N/m
    spMat3* damping;        // N s/m
    double gravity;         // m/s^2
    double globalStiffness; // 1/s^2
    double globalDamping;   // 1/s
    double turnRate;        // 1/s: a step longer than its inverse lets drag turn a velocity round
} spBounds;

// One row of all nodes, as XPBD sees it (element/constraint.h)
typedef struct spWholeRow
{
    double value;      // C
    double compliance; // not yet over h^2
    double damping;    // as a time, s
    double least;      // what J J^T counts for each node at least, in the mean; 0 where compliance is enough
} spWholeRow;

// What an edit changes, as element sets see it. Nodes keep their indices: those that are born take spare
// places.
typedef struct spRemap
{
    const int32_t* tets;  // cells of the mesh that change, rising: its tets, or the triangles of a sheet
    const int32_t* nodes; // four of each from now on; the first is -1 where the cell is gone (tetCount x 4)
    int tetCount;
    const int32_t* cells;   // nodes of all cells as they are, in the user's numbering (x 4)
    const uint8_t* removed; // those of them that are gone
    const int32_t* rank;    // the body's numbers of those nodes
    const int32_t* patchBegin;
    int patchCount;
    int tetRoom; // of the body

    // Filled in by the sets
    uint8_t* touched; // patches whose blocks change (patchCount)
    int blockCount;   // blocks that are packed anew
    bool whole;       // a patch has not enough blocks: a set is laid out anew
} spRemap;

// How sets follow an edit: all prepare, which may fail and changes nothing; all exchange what they have for
// what they have prepared, or back again; all let go of what they do not have.
typedef enum spRemapPhase
{
    sp_remapPrepare,
    sp_remapExchange,
    sp_remapEnd,
} spRemapPhase;

// What a kind gives
enum
{
    sp_kindGlobal = 0x1,       // measures the body as a whole before it gives forces
    sp_kindConservative = 0x2, // its force (without damping) is minus the gradient of its energy
    sp_kindField = 0x4,        // an outside force: its energy counts as potential
    sp_kindSteep = 0x8,        // its bounds change with the motion: they are asked for in every step
    sp_kindRows = 0x10,        // it has no forces, only rows: nothing but XPBD can move a body that has it
};

typedef struct spElementKind
{
    const char* name;
    uint32_t flags;
    bool bounded; // gives the bound of spFill, which is the same in every state

    // Global kinds: what all forces need to know, for example the volume. NULL otherwise.
    void (*measure)(spElementSet* set, const spNodeState* state, spTeam* team);

    // Adds the forces of the elements of one patch. f has nodes first, then slots.
    void (*addForces)(const spElementSet* set, const spNodeState* state, int patch, spVec4* f);

    // Global kinds: what the differences of all nodes need to know, after measure at the same state. NULL
    // otherwise.
    void (*measureDifference)(spElementSet* set, const spNodeState* state, const spDifference* difference);

    // Adds the change of the forces, to first order, for a change of positions and velocities.
    void (*addDifference)(const spElementSet* set, const spNodeState* state, const spDifference* difference,
                          int patch, spVec4* df);

    // The stiffness of one element, -df/dx: nodes[i] and the block of rows i and columns j at blocks[n * i +
    // j], n the number of nodes, which is returned. Damping has no part in it. Global kinds: NULL.
    int (*getStiffness)(const spElementSet* set, const spNodeState* state, int element, bool project,
                        int32_t* nodes, spMat3* blocks);

    // Local kinds: the form that fillPairs gives for this fill. NULL: sp_pairsNone.
    spPairForm (*getPairForm)(const spElementSet* set, const spFill* fill);

    // Writes what the form says for the elements of one patch, element after element as they lie in the
    // blocks: n (n - 1) / 2 pairs, 01 02 03 12 13 23, of three nodes each, or four gradients.
    void (*fillPairs)(const spElementSet* set, const spNodeState* state, const spFill* fill, int patch,
                      spVec4* pairs);

    // Whether D is anything but zero. NULL: it is zero between nodes.
    bool (*isDamped)(const spElementSet* set);

    // sp_pairsGradients: the number b
    spReal (*getGradientFactor)(const spElementSet* set, const spFill* fill);

    // Adds what acts on each node alone to its block of the matrix. NULL when there is nothing.
    void (*addDiagonal)(const spElementSet* set, const spNodeState* state, const spFill* fill,
                        spMat3* diagonal);

    // Global kinds, after measure at the same state: K is c g g^T, and this fills in g and returns c >= 0.
    // What else there is of it is left out.
    double (*getColumn)(const spElementSet* set, const spNodeState* state, spVec4* g);

    // Local kinds: what XPBD projects instead of forces (element/constraint.h); for tets one row of energy
    // when that is asked for and the law has one. NULL where there is nothing to project.
    const spConstraintKind* (*getRows)(const spElementSet* set, bool energy);

    // Global kinds, after measure at the same state: one row of all nodes, as XPBD sees it. NULL where there
    // is none.
    spWholeRow (*getRow)(const spElementSet* set, const spNodeState* state);

    // Its gradient at the nodes [begin, end)
    void (*fillGradient)(const spElementSet* set, const spNodeState* state, int begin, int end,
                         spVec4* gradient);

    // For the eye: adds what the elements of one patch feel to their nodes, by slot as forces. Volume at rest
    // times von Mises stress to x when that is asked for, times equivalent strain to y, and alone to z. NULL
    // where there is no such thing.
    void (*addLevels)(const spElementSet* set, const spNodeState* state, int patch, bool stress,
                      spVec4* levels);

    // Energy in J; damping has none
    double (*getEnergy)(const spElementSet* set, const spNodeState* state);

    // Von Mises stress of each element, Pa, by its number; nothing for those that an edit has taken. NULL where
    // there is no such thing.
    void (*getStress)(const spElementSet* set, const spNodeState* state, spReal* stress);

    // Adds to the bounds. Global kinds: after measure.
    void (*addBounds)(const spElementSet* set, const spNodeState* state, spBounds* bounds);

    // The blocks of a kind that is laid out in them, whose slots the body fills in. NULL otherwise.
    spBlocks* (*getBlocks)(spElementSet* set);

    // Follows an edit. Only prepare can fail, with a sentence. NULL: bodies with such a set cannot be edited.
    bool (*remap)(spElementSet* set, spHeap* heap, spRemap* remap, spRemapPhase phase, spError* error);

    void (*destroy)(spElementSet* set, spHeap* heap);
} spElementKind;

// Every set starts with this
struct spElementSet
{
    const spElementKind* kind;
    int elementCount;
    int spareCount; // of those: places that edits may fill with parts of others (element/follow.h)
    bool stiffens;  // stiffness grows without bound as elements deform: look again when they have moved
    bool constant;  // stiffness and damping are the same in every state
    bool abrupt; // forces come and go from one step to the next: only the bounds tell the stiffness to come
};
