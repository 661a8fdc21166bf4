// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Bars that hang on each other by links: how far they stretch and what the links carry is known.

#pragma once

#include "testbed/worlds.h"

#define SP_CHAIN_MOST 4

typedef struct spHangingChainDef
{
    int count; // bars, 2 to SP_CHAIN_MOST; the first is pinned at its top
    spMethodDef methods[SP_CHAIN_MOST];
    double massRatio;    // of the last one to each of the others
    double youngModulus; // Pa
    double drag;         // that lets them come to rest, 1/s
    spReal stiffness;    // of the link of each node, N/m; 0 for rigid ones
    int cells;           // across; four times as many along
} spHangingChainDef;

// Two equal bars of 0.05 m x 0.05 m x 0.2 m and 0.5 kg, 1e5 Pa, symplectic Euler, 2 x 2 x 8 cells
spHangingChainDef spDefaultHangingChainDef(void);
// All bars with this method
void spSetChainMethod(spHangingChainDef* def, const spMethodDef* method);

typedef struct spHangingChain
{
    spWorld* world; // NULL when it could not be built; error says why
    spBodyId bodies[SP_CHAIN_MOST];
    spLinkId links[SP_CHAIN_MOST]; // between bar i and i + 1
    spHangingChainDef def;
    spError error;
} spHangingChain;

spHangingChain spBuildHangingChain(const spHangingChainDef* def);
void spDestroyHangingChain(spHangingChain* chain);

// How far the lower end is below where it was built, m; and by theory, without transverse contraction
double spGetChainStretch(const spHangingChain* chain);
double spGetChainTheory(const spHangingChainDef* def);
// What a link carries, upwards, N; and by theory
double spGetChainForce(const spHangingChain* chain, int link);
double spGetChainLoad(const spHangingChainDef* def, int link);
