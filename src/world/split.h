// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// From tets that go and faces that open to an edit: where the tets around a node no longer hang together by closed
// faces, each part but the largest takes a copy of the node.

#pragma once

#include "souple/edit.h"
#include "world/edit.h"

typedef struct spSplit
{
    spBody* body;
    uint8_t* gone;    // tets, those that went before too (tetCount)
    uint8_t* open;    // faces as in spEditData, those that were open before too (tetCount)
    uint8_t* touched; // nodes whose tets may part (userCount)
    int32_t* changed; // of each tet: its place in tets, or -1 (tetCount)
    int32_t *removed, *parents, *tets, *tetNodes;
    int parentCapacity, tetCapacity, nodeCapacity;
    int32_t *fan, *parts; // corners around a node, and the part that each is in
    int faceCount;
    spEditDef def;
} spSplit;

// False, with a sentence, without memory or for a body that has no room; spEndSplit comes after it in any case
bool spBeginSplit(spSplit* split, spBody* body, spError* error);
void spEndSplit(spSplit* split);

// A tet that is there goes; twice does no harm
void spRemoveTet(spSplit* split, int tet);
// A face opens, from both sides; 4 tet + corner. One at the border, or open already, does no harm.
void spOpenFace(spSplit* split, int face);

// Carries it out. result may be NULL.
bool spTakeSplit(spSplit* split, spWorld* world, spEditResult* result, spError* error);

// Pieces of a body with room; 0 without memory
int spCountPieces(const spBody* body);
