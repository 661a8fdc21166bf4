// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Static equilibrium by Newton's method: the body gets the quasi-static method for one step, without rows.

#include "method/equilibrium.h"

#include "method/implicit.h"

#include <string.h>

// Nodes up to which a complete factor is worth its making for a single solve
#define SP_FACTOR_NODES 12000

// Conjugate gradients leave this share of the force of a linearisation
#define SP_LINEAR_TOLERANCE ((spReal)1e-3)

bool spSolveEquilibrium(spBody* body, double tolerance, int maxIterations, spVec3 gravity, spTeam* team,
                        spSolverReport* report, spError* error)
{
    spMethodDef def = body->methodDef, oldDef = body->methodDef;
    const spMethodKind* oldMethod = body->method;
    void* oldState = body->methodState;
    spSolverReport oldReport = body->solverReport;
    double oldStep = body->stableStep, oldTime = body->time;
    spVec3 oldForce = body->pinForce;
    int oldRows = body->rowCount;

    def.type = sp_quasiStatic;
    def.filter = (spFilterDef){0};
    def.substeps = 0;
    def.solver = (spSolverDef){
        .preconditioner =
            body->nodeCount <= SP_FACTOR_NODES ? sp_preconditionCholesky : sp_preconditionMultilevel,
        .tolerance = SP_LINEAR_TOLERANCE,
        .maxIterations = maxIterations,
        .newtonTolerance = (spReal)tolerance,
        .newtonSteps = 200,
        .warp = true,
    };
    spUpdateHeldNodes(body);
    body->rowCount = 0;
    body->method = &spImplicitMethod;
    body->methodState = NULL;
    body->methodDef = def;
    bool ok = body->method->create(body, error);
    if (ok == false)
    {
        // Without the library that factors
        *error = (spError){0};
        body->methodDef.solver.preconditioner = sp_preconditionMultilevel;
        ok = body->method->create(body, error);
    }
    if (ok)
    {
        ((spImplicitState*)body->methodState)->iterationLimit = maxIterations;
        body->method->begin(body, 1, team);
        spAdvanceContext context = {.team = team, .dt = 1, .stepDt = 1, .gravity = gravity};
        body->method->advance(body, &context);
        *report = body->solverReport;
        body->method->destroy(body);
    }
    body->methodDef = oldDef;
    body->method = oldMethod;
    body->methodState = oldState;
    body->solverReport = oldReport;
    body->stableStep = oldStep;
    body->stableStepDirty = true;
    body->time = oldTime;
    body->pinForce = oldForce;
    body->rowCount = oldRows;
    return ok;
}
