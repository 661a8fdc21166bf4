// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Another engine on the same body, for benchmarks that run both side by side: Bullet's deformable body and
// its links, when the build has it (SOUPLE_BULLET). Meshes are handed over as they are, so both engines have
// the same nodes, tets and pairs.

#pragma once

#include "souple/base.h"

#include <stdbool.h>

SP_EXTERN_C_BEGIN

// A body of corotational tets under gravity along -y, without damping, stepped by backward Euler with one
// linearisation, solved by conjugate gradients
typedef struct spPeerDef
{
    const double* vertices; // three coordinates each, m
    int vertexCount;
    const int32_t* tets; // four vertices each, positive volume
    int tetCount;
    int fixedCount;      // the first so many vertices do not move
    double youngModulus; // Pa
    double poissonRatio;
    double density;    // kg/m^3, lumped
    double gravity;    // m/s^2
    double tolerance;  // residual over right-hand side at which a solve ends
    int maxIterations; // of a solve
    bool ground;       // solid below y = 0, friction 0.5; its own solver then, with its own tolerance
} spPeerDef;

// Nodes and links between them under gravity along -y, without damping, stepped by position based dynamics:
// one step of Gauss-Seidel sweeps over all links
typedef struct spPeerLinksDef
{
    const double* vertices; // three coordinates each, m
    const double* masses;   // of each vertex, kg; 0 does not move
    int vertexCount;
    const int32_t* links; // two vertices each, in the order of a sweep
    int linkCount;
    int stiffCount;   // the first so many links keep their length
    double softShare; // of the others: share of the error that a sweep takes away, 0..1
    int iterations;   // sweeps of each step
    double gravity;   // m/s^2
    bool reorder;     // links in an order that the other engine likes better
} spPeerLinksDef;

// What the last step did
typedef struct spPeerReport
{
    int iterations;
    double residual;     // tets: over the right-hand side, computed anew at the end
    double solveSeconds; // conjugate gradients: processor time; sweeps: wall clock; s
} spPeerReport;

typedef struct spPeer spPeer;

// Version of the other engine, "" when this build lacks it
const char* spGetPeerVersion(void);

// Returns NULL when this build lacks the other engine or memory is short.
spPeer* spCreatePeer(const spPeerDef* def);
spPeer* spCreatePeerLinks(const spPeerLinksDef* def);
void spDestroyPeer(spPeer* peer);

void spStepPeer(spPeer* peer, double dt);
spPeerReport spGetPeerReport(spPeer* peer);

// Height of a vertex, m
double spGetPeerHeight(const spPeer* peer, int vertex);

SP_EXTERN_C_END
