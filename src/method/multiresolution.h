// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// A body of levels that moves by sp_multiresolution: its state, shared by the files of the method.
//
//   multiresolution.c        the method: state and nodes, steps, what it lends to rows between bodies
//   multiresolution_tets.c   elements of all levels, and how fast each level is
//   multiresolution_layout.c what takes part in a step: nodes, ghosts, and elements by the length of their steps
//   multiresolution_adapt.c  errors, division and union under the budget
//
// Nodes are those of the hierarchy. A node is *on* when its parent is divided; it is *active*, and moves by itself, when
// it is on and not divided, so that every finest node has exactly one active node above it, or is active. All others
// follow: divided ones their children, from fine to coarse, then those that are not on the tet of the level above
// that they lie in, from coarse to fine. Of these, ghosts are the ones that elements of active nodes need.

#pragma once

#include "mesh/hierarchy.h"
#include "method/method.h"

#include "souple/levels.h"

// Sorts of steps, each twice the one before
#define SP_MAX_LISTS 16

// Active nodes and ghosts side by side, and elements around the active ones in blocks, list by list. Everything follows
// from what is divided, and is made anew when that changes.
typedef struct spLayout
{
    int activeCount, total;    // ghosts lie behind the active nodes, each behind those that it follows
    int32_t* nodes;            // in the hierarchy
    int32_t* places;           // of nodes of the hierarchy here, -1 for those that take no part
    spVec4 *x, *v, *f, *given; // f: trash behind the nodes
    spReal* mass;              // kg
    double* stiffness;         // of nodes at most, N/m
    double* steps;             // that nodes survive, s
    spGhost* ghosts;           // of each list, one behind the other
    int ghostBegin[SP_MAX_LISTS + 1];
    int ghostCapacity;
    spGhostEntry* entries;
    int entryCount, entryCapacity;
    int32_t* held; // places of active nodes that are fixed or driven
    int heldCount;
    int32_t* elements; // tets of the hierarchy
    uint8_t* lists;    // of each element
    int elementCount;
    spTetSet set; // blocks of list b are its patch b
    int blockCapacity;
    int listCount;
    int listElements[SP_MAX_LISTS];
    double shortest; // step of list 0, s; those of the others are twice the one before
    double needed;   // the shortest and the longest that an element survives, times safety, s
    double longest;
} spLayout;

typedef struct spMulti
{
    spVec4 *x, *v;    // of all nodes; w the inverse mass when they are active
    spVec4* loads;    // of all nodes, and scratch for twice as many
    spVec4* rest;     // as placed, in the memory of the host
    spVec4* staging;  // to and from the layout
    uint8_t* divided; // by node
    uint8_t* active;
    uint8_t* heldNodes;
    int32_t* calm; // steps for which the children of a node could have come together
    spGhost* fill; // all nodes that follow, in the order in which they do
    int fillCount;
    spTet* tets; // of all levels
    spMat3* inverses;
    spReal* volumes;
    double factors[SP_MAX_LEVELS];    // true frequency over its bound, squared
    double levelSteps[SP_MAX_LEVELS]; // that all of a level survives at rest, s
    int32_t *candidates, *sorted;
    double* errors;
    spHeldPoint* points; // rows in the layout
    int pointCount, pointCapacity;
    int32_t *pointHead, *pointNext; // those of an active node
    int pointNextCapacity;
    spGhostEntry* pointEntries;
    int pointEntryCapacity;
    spLayout layout;
    uint32_t materialVersion, topologyVersion, matrixVersion;
    bool ready;  // elements are up to date
    bool dirty;  // the layout is not
    bool failed; // no memory in begin
    double evaluations;
    double stepDt;   // that evaluations are for, s
    spReal layoutDt; // that the layout is for, s
    int64_t splitCount, mergeCount, refusedCount;
} spMulti;

static inline spMulti* spGetMulti(const spBody* body)
{
    return body->methodState;
}

// Nodes of all levels
static inline int spCountAll(const spBody* body)
{
    return body->hierarchy->begin[body->hierarchy->levelCount];
}

// The first of the nodes that users see
static inline int spGetFirstFine(const spBody* body)
{
    return body->hierarchy->begin[body->hierarchy->levelCount - 1];
}

static inline int spGetNodeLevel(const spHierarchy* h, int index)
{
    int level = 0;
    while (index >= h->begin[level + 1])
    {
        level += 1;
    }
    return level;
}

// The row by which a node that is not active follows others
static inline const spGhost* spGetRow(const spMulti* m, const spHierarchy* h, int index)
{
    return m->divided[index] ? h->down + index : h->up + index;
}

// Takes over what users have done to nodes
void spFollowFineNodes(spBody* body);
// Fills in nodes that follow, and shows users theirs
void spShowNodes(spBody* body);

// ---- elements ----

// The set of tets of the body, NULL while it has none
const spTetSet* spFindTets(const spBody* body);
// Makes elements and factors anew where materials have changed. False without memory.
bool spPrepareTets(spBody* body);

// ---- layout ----

// From `divided`: which nodes are active, which are held, and in which order the others follow
void spMarkActive(spBody* body);
// Makes the layout anew for steps of dt. False without memory.
bool spPrepareLayout(spBody* body, spReal dt);
void spFreeLayout(spBody* body, spLayout* layout);
// Nodes of the layout from, and to, all of them
void spLoadLayout(spBody* body);
void spStoreLayout(spBody* body);
// What nodes that follow others take from them: all of them
void spFillAll(spBody* body, spVec4* a);
// Energies, momentum and counts
void spMeasureLayout(spBody* body, spLevelsReport* report);

// ---- adapt ----

// Divides and unites by the errors of the nodes
void spAdaptLevels(spBody* body);
// Divides what holds pins that it would not keep
void spDivideForPins(spBody* body);
// Divides a node that is active and can be. Its children take over its momentum.
void spDivide(spBody* body, int index);
// Divides what is coarser than a level in a box
void spRefineLevels(spBody* body, spVec3 lower, spVec3 upper, int level);

// ---- for users ----

// False without memory
bool spReportLevels(spBody* body, spLevelsReport* report);
// The level that a node of the body, by its place in memory, moves by
int spGetLevelAt(const spBody* body, int place);
