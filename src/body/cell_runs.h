// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Which cells of a body may be in a box, without a look at all of them. Nodes that follow each other in memory are
// close to each other in space, and so are cells in the order of their lowest nodes: runs of 32 of either. A run of
// nodes has a box, which is found anew for every question; a run of cells has a set of runs of nodes, that hold the
// nodes of its cells and of the cells beside them. Edits add to these sets, and take nothing away.

#pragma once

#include "body/body.h"

typedef struct spCellRuns
{
    int cellCount, cellRunCount, nodeRunCount, words;
    int32_t* cells;    // in that order
    int32_t* runs;     // of each cell: its run
    uint64_t* reached; // of each run of cells: runs of nodes as bits (cellRunCount x words)
    spDVec3* lower;    // boxes of runs of nodes
    spDVec3* upper;
    spDVec3 (*centers)[2]; // of cells, where they were asked for
    uint32_t* asked;       // of each cell: the question that its centres are of
    uint32_t question;
    double size; // diagonal of the body at rest, m
} spCellRuns;

#define SP_RUN 32

// After the cells of a body are there. False without memory.
bool spBuildCellRuns(spBody* body);
void spFreeCellRuns(spCellRuns* runs, spHeap* heap);
// A cell has a node at a place from now on, as those beside it see
void spReachNode(spBody* body, int cell, int place);
// Begins a question: boxes of the runs of nodes over two shapes, in the user's numbering
void spRefitCellRuns(spBody* body, const spVec3* a, const spVec3* b);
// Centres of a cell in the two shapes of the question
const spDVec3* spGetCellCenters(spBody* body, const spVec3* a, const spVec3* b, int cell);
// Whether cells of a run, or cells beside them, may be in a box
bool spIsRunNear(const spCellRuns* runs, int run, spDVec3 lower, spDVec3 upper);
