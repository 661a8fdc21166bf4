// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What a body with room keeps to be edited, and how its element sets and slots follow an edit: beside the
// running body first, which may fail and changes nothing, then taken in, which cannot fail. world/edit.h is
// the edit itself.

#pragma once

#include "body/body.h"
#include "body/cell_fans.h"
#include "body/cell_runs.h"

#include <pthread.h>

typedef struct spEditPlan spEditPlan;

// The cells of a body are the tets of its mesh, or the triangles of a sheet: what is called tet here is one of them.
// They keep their numbers; those that are gone may come back when a snapshot is restored. Everything is in the user's
// numbering.
struct spEditData
{
    int tetCount;
    int corners;      // of each: 4, or 3; then the fourth number of everything is 0
    int32_t* tets;    // nodes of each, gone or not (tetCount x 4)
    uint8_t* removed; // (tetCount)
    int removedCount;
    uint8_t* open;    // bits of sides that a cut has opened: bit k is opposite corner k (tetCount)
    spCellFans fans;  // of the mesh as it was given
    spCellRuns runs;  // where cells are
    spVec3* cutX[2];  // nodes when a blade last came to them, and in a step before, m (nodeCount)
    int64_t cutStep;  // of the first
    int32_t cutCount; // of these two that there are
    int meshCount;    // nodes of the mesh as it was given: those behind are copies
    int32_t* parents; // the node that a copy was made of, -1 for the others (nodeCount)
    int32_t* around;  // tets around each node (nodeCount)
    double* volume;   // of those at rest, m^3, or their area, m^2 (nodeCount)
    double* density;  // mass of each node over that, kg/m^3 or kg/m^2 (nodeCount)
    uint32_t edits;   // that topologyVersion has grown by

    // Edges, surface and tets of the body as users see them follow when somebody asks for them
    pthread_mutex_t mutex;
    bool stale;
    uint8_t* bare; // of each triangle of the body: 1 where it was inside of the mesh as it was given
    int bareCount; // of them

    spEditPlan* restored; // what a snapshot that is being read brings
};

// Changes of the layout: tets with new nodes, in the numbering of the body
struct spEditPlan
{
    spRemap remap;
    int32_t* tets;      // that change, rising
    int32_t* nodes;     // four of each from now on, -1 first where it is gone
    int32_t* userNodes; // the same in the user's numbering
    int32_t* patches;   // whose blocks change
    int patchCount;
    spSlotUpdate update; // their slots
    spSlots slots;       // or all, when a set is laid out anew
    spVec4* f;
};

// For a body whose mesh has tets or triangles, when it is made
bool spCreateEditData(spBody* body, spError* error);
void spDestroyEditData(spBody* body);

// Grows with element sets, as topologyVersion does, but not with edits
uint32_t spGetSetVersion(const spBody* body);

// The vertex of the mesh that a node is, or a copy of; in the user's numbering
int spGetRootNode(const spEditData* e, int node);

// Volume of a tet of the mesh at rest, m^3, or area of a triangle, m^2
double spGetRestMeasure(const spBody* body, const int32_t* userNodes);

// Room for so many tets that change, with remap still to be filled in. NULL without memory.
spEditPlan* spCreateEditPlan(spBody* body, int tetCount);
// Lays out beside the body what its sets and slots will be. False, with a sentence, when a set cannot follow
// or there is no memory.
bool spPrepareEditPlan(spBody* body, spEditPlan* plan, spError* error);
void spApplyEditPlan(spBody* body, spEditPlan* plan);
void spDestroyEditPlan(spBody* body, spEditPlan* plan);

// Makes edges, surface and tets anew if they are stale; without memory they stay so. Several threads may ask at
// once, as functions that only read a world may be called so.
void spRefreshTopology(spBody* body);
