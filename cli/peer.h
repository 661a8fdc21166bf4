// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Another engine on the same body, for benchmarks that run both side by side: Bullet's deformable body, when
// the build has it (SOUPLE_BULLET). The mesh is handed over as it is, so both engines have the same nodes and
// tets.

#pragma once

#include "souple/base.h"

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
} spPeerDef;

// What the last step did
typedef struct spPeerReport
{
    int iterations;
    double residual;     // over the right-hand side, computed anew at the end
    double solveSeconds; // conjugate gradients, processor time, s
} spPeerReport;

typedef struct spPeer spPeer;

// Version of the other engine, "" when this build lacks it
const char* spGetPeerVersion(void);

// Returns NULL when this build lacks the other engine or memory is short.
spPeer* spCreatePeer(const spPeerDef* def);
void spDestroyPeer(spPeer* peer);

void spStepPeer(spPeer* peer, double dt);
spPeerReport spGetPeerReport(spPeer* peer);

// Height of a vertex, m
double spGetPeerHeight(const spPeer* peer, int vertex);

SP_EXTERN_C_END
