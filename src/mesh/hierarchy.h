// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// A hierarchy of independent meshes of one shape, from coarse to fine, none of which shares a vertex with another.
//
// Nodes are those of all meshes, level by level. Every node but those of the coarsest mesh has one parent, the
// nearest vertex of the mesh above: the children of a node are the nodes of the next finer mesh in its Voronoi cell, so
// that all nodes form a tree. Values go from mesh to mesh by rows of weights that reproduce affine fields exactly:
//
//   up     a node from the tet of the next coarser mesh that contains it, or the nearest one
//   inner  a node from the tet of the next finer mesh
//   down   a node from its own children, with the least sum of squares. A node that follows its children alone never
//          depends on one that depends on it, whatever is resolved around it: ghosts need no second look.
//   fit    a node from its neighbours in its own mesh: what is left over is what the mesh cannot represent
//
// Debunne. Animation multiresolution d'objets deformables en temps-reel. 2000 (5.2; there a divided vertex follows its
// inner tet, and vertices of it are made active lest they depend on each other)

#pragma once

#include "base/backend.h"
#include "mesh/mesh.h"

#include "souple/levels.h"

typedef struct spHierarchy
{
    int levelCount;
    int begin[SP_MAX_LEVELS + 1]; // nodes of level l: [begin[l], begin[l + 1])
    int tetBegin[SP_MAX_LEVELS + 1];
    double edge[SP_MAX_LEVELS]; // mean edge, m
    double extent;              // diagonal of the box round the finest mesh, m
    spDVec3* rest;              // of all nodes, as in the meshes, m
    int32_t (*tets)[4];         // of all levels
    int32_t* sources;           // tet of the finest mesh at the middle of each tet, counted from its first
    double* mass;               // of a node: that of the finest nodes below it, kg
    int32_t* leafCount;         // the number of them
    int32_t* leaves;            // the nearest one of them
    int32_t* parents;           // -1 on the coarsest level
    int32_t* childBegin;        // (nodes + 1)
    int32_t* children;
    int32_t* tetsOfBegin; // tets around each node (nodes + 1)
    int32_t* tetsOf;
    spGhost* up; // one for each node; count 0 where there is none
    spGhost* inner;
    spGhost* down; // count 0: the node cannot be divided
    spGhost* fit;
    spGhostEntry* entries; // of all rows
    int entryCount, entryCapacity;
} spHierarchy;

typedef struct spHierarchyDef
{
    const spMesh* const* meshes; // from coarse to fine, all with tets
    int meshCount;
    const int32_t* rank; // place of each vertex of the finest mesh among its nodes
    const spReal* mass;  // of those nodes, kg
} spHierarchyDef;

// NULL, with a sentence, when the meshes are no levels of one shape, or there is no memory
spHierarchy* spBuildHierarchy(spHeap* heap, const spHierarchyDef* def, spError* error);
void spDestroyHierarchy(spHeap* heap, spHierarchy* hierarchy);

// Weights of points that sum to 1 and reproduce p, with the least sum of squares. False when the points do not
// span the place of p well: some weights would be large.
bool spFindAffineWeights(spDVec3 p, const spDVec3* points, int count, double* weights);
