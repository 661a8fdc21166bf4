// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Static equilibrium by Newton's method.

#pragma once

#include "body/body.h"

typedef struct spEquilibriumDef
{
    double tolerance;
    int maxIterations;
    spVec3 gravity; // of the world
    // What the node rows of the body meet, by slot
    const spCollider* const* colliders;
    const spPose* poses;
    spTeam* team;
} spEquilibriumDef;

// Moves the free nodes towards where their forces, those of the node rows among them, vanish. Impulses of the
// rows are forces then. Returns false, with nothing changed, when there is no memory; the report says how far it
// came.
bool spSolveEquilibrium(spBody* body, const spEquilibriumDef* def, spSolverReport* report, spError* error);
