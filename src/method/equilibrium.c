// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Static equilibrium by Newton's method: one quasi-static substep.

#include "method/equilibrium.h"

#include "math/vec3.h"
#include "method/implicit_solver.h"

// Nodes up to which a complete factor is worth its making for a single solve
#define SP_FACTOR_NODES 12000

// Conjugate gradients leave this share of the force of a linearisation
#define SP_LINEAR_TOLERANCE ((spReal)1e-3)
#define SP_LINEARISATIONS 200

static spImplicitSolver* spCreateSolver(spBody* body, double tolerance, int maxIterations, spError* error)
{
    bool factor = body->nodeCount <= SP_FACTOR_NODES;
    spImplicitDef def = {
        .type = sp_quasiStatic,
        .solver = {.preconditioner = factor ? sp_preconditionCholesky : sp_preconditionMultilevel,
                   .tolerance = SP_LINEAR_TOLERANCE,
                   .maxIterations = maxIterations,
                   .newtonTolerance = (spReal)tolerance,
                   .newtonSteps = SP_LINEARISATIONS,
                   .warp = true},
    };
    spImplicitSolver* solver = spCreateImplicitSolver(body, &def, error);
    if (solver == NULL)
    {
        // Without the library that factors
        *error = (spError){0};
        def.solver.preconditioner = sp_preconditionMultilevel;
        solver = spCreateImplicitSolver(body, &def, error);
    }
    return solver;
}

bool spSolveEquilibrium(spBody* body, const spEquilibriumDef* def, spSolverReport* report, spError* error)
{
    spUpdateHeldNodes(body);
    spImplicitSolver* solver = spCreateSolver(body, def->tolerance, def->maxIterations, error);
    bool ok = solver != NULL && spPrepareSolver(solver, body, body->rowCapacity);
    if (ok)
    {
        spStop stop = {.after = -1};
        *report = spStartReport(solver);
        spSubstepProblem problem = {
            .x = body->x,
            .v = body->v,
            .h = 1,
            .time = body->time + 1.0,
            .gravity = spScale3(body->gravityScale, def->gravity),
            .rows = body->rows,
            .rowCount = body->rowCount,
            .patchRow = body->patchRow,
            .colliders = def->colliders,
            .poses = def->poses,
            .multipliers = &body->multipliers,
            .stepDt = 1,
            .stop = &stop,
            .factorStep = -1,
            .report = report,
            .team = def->team,
        };
        spLimitWork(solver, &(spWorkLimit){.iterations = def->maxIterations});
        spSolveImplicitSubstep(solver, body, &problem);
    }
    spDestroyImplicitSolver(solver, body);
    body->stableStepDirty = true;
    return ok;
}
