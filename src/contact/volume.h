// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Volumes in which closed surfaces intersect, and their gradients, from layered depth images (contact/layers.h).
//
// On each pixel the layers are walked with the set of surfaces that are open: as long as two of them are, or one is
// twice, the way between is a span of their intersection. A span of depth z1 - z0 on pixels of area a is a volume
// a (z1 - z0), and moves with the corners of the triangles at its ends by their weights there: dV/dz = +-a weight. Each
// axis sees the whole volume and gives one component of the gradient (Courtecuisse 2011, equations 4.7 to 4.9).
//
// Volumes are cut into cells by a grid in space, whose walls go along with the surfaces (4.18 to 4.20): a share of a
// span has that share of its gradient, so that the sums over cells are those of the whole. In a cell, what is not
// connected is apart: blocks of 8 pixels that have something of a volume in them are connected with their neighbours.

#pragma once

#include "contact/layers.h"

typedef struct spVolumeNode
{
    int32_t node;     // of its surface
    spDVec3 gradient; // of the volume, m^2
} spVolumeNode;

// What of two surfaces intersects in a cell. Side 0 is of the first of them; of a surface with itself it is what looks
// the one way.
typedef struct spVolume
{
    int surfaces[2];  // the smaller number first; the same twice for one with itself
    int64_t cell[3];  // number of the cell, counted from the origin of space; 0 without cells
    int part;         // among those of the cell that are not connected
    double volume;    // m^3: mean of what the axes see, by the area that they see it on
    double seen[3];   // by the axes, m^3
    double areas[3];  // of the pixels that they see it on, m^2
    spDVec3 gradient; // of the volume, summed over side 0; over side 1 it is the opposite, m^2
    spBox box;        // around the blocks that it is in, m
    int first[2];     // of each side: its nodes in spVolumes.nodes
    int count[2];
} spVolume;

typedef struct spVolumes
{
    spVolume* volumes; // by surfaces, cell and part
    int count;
    spVolumeNode* nodes;
    int nodeCount;
    int spanCount; // on all axes
} spVolumes;

typedef struct spVolumesDef
{
    const spLayers* layers;
    int cellBlocks; // along the edge of a cell, 0 for one cell
    // Whether the intersection of two surfaces, or of one with itself, is asked for; NULL: of each two of them
    bool (*isAsked)(int surfaceA, int surfaceB, const void* context);
    const void* context;
} spVolumesDef;

// In the arena of the layers. False without memory.
bool spFindVolumes(const spVolumesDef* def, spVolumes* volumes);
