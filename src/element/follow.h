// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// How elements that are no cells of the mesh follow an edit: springs, hinges, triangles in the wind, constraints.
//
// Every element is held by cells (tets, or the triangles of a sheet): by each one that has all its nodes, with the
// volume or area of that cell as its weight, else by a chain of cells that are joined by sides. Its nodes are corners
// of those cells. Where they part, the element becomes as many as there are cells that differ in its nodes, and each
// has a share of it, its `part`: parts are weights over the weights of all that held it when it was given. A cell
// that goes takes its part along, a chain that parts all of it. What an edit makes of the elements follows from the
// cells alone, whatever the edits were before.
//
// Elements keep their numbers. A set has a place for every cell that may hold a part: the first of an element is its
// own number, the others lie behind all elements that were given.

#pragma once

#include "element/relayout.h"

typedef struct spFollow
{
    int nodeCount;       // of an element
    int givenCount;      // elements as they were given
    int placeCount;      // and all their places
    int32_t* begin;      // first holder of each given element (givenCount + 1)
    int32_t* corners;    // of each holder: its nodes as corners of cells, 4 cell + k (holders x nodeCount)
    double* weights;     // of each holder
    int32_t* jointBegin; // of each holder (holders + 1)
    int32_t* joints;     // pairs of corners that are one node while the chain holds
    int32_t* usersBegin; // of each cell (cells + 1)
    int32_t* users;      // given elements that it holds
    spReal* parts;       // of each place; NULL in a body without room
    int unheld;          // the first element that nothing holds, -1 for none

    // What an edit has prepared
    spRelayout layout;
    int32_t* changed; // places, rising
    int32_t* nodes;   // of each from now on, -1 first where it is gone
    spReal* newParts;
    int changedCount;
    spReal* data; // for blocks that are laid out anew
} spFollow;

// Share of an element that a place has: 1 before any edit, 0 where there is nothing
static inline spReal spGetPart(const spFollow* follow, int place)
{
    return follow->parts != NULL ? follow->parts[place] : 1;
}

// A set that follows
typedef struct spFollower
{
    spElementSet* set;
    spFollow* follow;
    spBlocks* blocks;
    void* nodes;   // of the elements, at its places
    size_t stride; // bytes from one to the next
    spReal** data; // of the blocks, `numbers` arrays one behind the other; NULL where there is none
    int numbers;
    void (*fill)(spElementSet* set, int begin, int end); // fills those of some blocks
} spFollower;

bool spRemapFollower(const spFollower* f, spHeap* heap, spRemap* remap, spRemapPhase phase, spError* error);

// Number of places for a set of so many elements
static inline int spGetPlaceCount(const spFollow* follow, int given)
{
    return follow != NULL && follow->parts != NULL ? follow->placeCount : given;
}

// The given element that a place is a part of
int spGetGiven(const spFollow* follow, int place);
// Takes over what was made for a set with blocks that were just built, and gives them room. False without memory.
bool spTakeFollow(spFollow* to, spFollow* from, spHeap* heap, spBlocks* blocks, int tetRoom, int patchCount);
void spFreeFollow(spFollow* follow, spHeap* heap);
