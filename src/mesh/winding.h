// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Inside and outside of triangles that need not be a closed surface: the generalised winding number, the solid
// angle under which a point sees the triangles, over 4 pi. A closed surface has 1 inside (-1 when its triangles
// look inwards) and 0 outside; where there is a hole it goes smoothly from one to the other; surfaces that cross
// each other add up.

#pragma once

#include "mesh/element_tree.h"

// What a node of the tree looks like from far away
typedef struct spWindingNode
{
    spDVec3 center;  // by area, m
    double reach2;   // from this squared distance on, m^2
    spDVec3 dipole;  // sum of area times normal, m^2
    double first[6]; // sum of area (middle - center) normal^T, symmetric part: xx, yy, zz, xy, xz, yz; m^3
} spWindingNode;

typedef struct spWindingTree
{
    spElementTree boxes;
    spWindingNode* nodes; // as those of `boxes`
} spWindingTree;

// surface: triangles, no tets, not all of them flat. It must outlive the tree.
bool spBuildWindingTree(spHeap* heap, const spMesh* surface, spWindingTree* tree, spError* error);
void spFreeWindingTree(spHeap* heap, spWindingTree* tree);

// Winding number of a point, to about 0.05, which is enough to tell 0 from 1
double spGetWinding(const spWindingTree* tree, spDVec3 point);

// Where the segment from a to b meets triangles: parts of its length in ascending order, each once.
// @return how many; capacity + 1 when there are more than that
int spFindCrossings(const spElementTree* boxes, spDVec3 a, spDVec3 b, double* parts, int capacity);
