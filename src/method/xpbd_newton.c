// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The automatic solver of XPBD: the same substep of backward Euler by Newton's method with conjugate
// gradients, truncated after the time that the sweeps would take. A solver of implicit substeps does the work.
//
// k = h^2 times a squared frequency of the nodes, plus h times a rate of damping, measures how stiff a substep
// is. A wave crosses about sqrt(k) elements in h, and as many sweeps bring the error down to a tenth. Where
// those are few, there are sweeps; where they are many, a preconditioner that knows the whole body is worth
// its cost, and is kept from step to step; in between the blocks of the diagonal do. There are also sweeps
// where a body has rows without forces.

#include "method/choose.h"
#include "method/implicit.h"
#include "method/xpbd.h"

#include <string.h>

// k below which sweeps are as good as anything
#define SP_SOFT_STEP 830.0
// Below this share of it they are again, where they once were not: some seven bring the error down to a tenth
#define SP_SWEPT_SHARE 0.0625
// k above which a factor, or several levels, pay
#define SP_STIFF_STEP 2e4

// Spread of the masses of nodes below which it makes no difference
#define SP_LEAST_SPREAD 16.0

// Conjugate gradients in the time of a sweep, and of a linearisation; how many plain ones an iteration with a
// factor, or with several levels, counts as
#define SP_SWEEP_ITERATIONS 3
#define SP_LINEAR_ITERATIONS 8
#define SP_FACTOR_ITERATIONS 8
#define SP_LEVEL_ITERATIONS 6

// Linear systems are solved to these shares: in stiff bodies what moves far makes up little of the force
#define SP_LOCAL_TOLERANCE ((spReal)0.05)
#define SP_WHOLE_TOLERANCE ((spReal)1e-3)
// Net force over load at which Newton's method is done
#define SP_NEWTON_TOLERANCE ((spReal)1e-3)
#define SP_MOST_LINEARISATIONS 20

void spEndNewton(spBody* body)
{
    spXpbdState* state = body->methodState;
    spDestroyImplicitSolver(state->newton, body);
    state->newton = NULL;
}

// Light nodes pass on slowly what heavy ones load them with. Mean mass times mean inverse mass of free nodes,
// where that is more than the shape of a mesh makes it; else 1.
static double spGetMassSpread(const spBody* body)
{
    double sums[3] = {0};
    body->backend->sumMasses(sums, body->x, body->mass, 0, body->nodeCount);
    double spread = sums[2] > 0.0 ? sums[0] * sums[1] / (sums[2] * sums[2]) : 1.0;
    return spread > SP_LEAST_SPREAD ? spread : 1.0;
}

// Squared frequency and damping rate of the body now, bounded node by node and averaged over the mass: a few
// poor elements make the largest large, but cost sweeps nothing. False, with zeros, without memory.
static bool spFindBounds(spBody* body, double* square, double* damping)
{
    double largest[2], sums[3] = {0};
    size_t size = spArraySize(2 * (int64_t)body->nodeCount, sizeof(spMat3));
    spMat3* blocks = body->backend->allocate(body->heap, size); // a body without elements fills nothing
    if (blocks != NULL)
    {
        spBoundFrequencies(body, blocks, largest, largest + 1);
        // Inverse mass times mass leaves the eigenvalue itself
        body->backend->sumEigenvalues(sums, body->x, body->mass, blocks, blocks + body->nodeCount, 0,
                                      body->nodeCount);
        body->backend->release(body->heap, blocks);
    }
    double spread = spGetMassSpread(body);
    *square = sums[0] > 0.0 ? spread * sums[1] / sums[0] : 0.0;
    *damping = sums[0] > 0.0 ? spread * sums[2] / sums[0] : 0.0;
    return blocks != NULL;
}

bool spHasForces(const spBody* body)
{
    bool all = true;
    for (int i = 0; i < body->setCount; ++i)
    {
        all = all && (body->sets[i]->kind->flags & sp_kindRows) == 0;
    }
    return all;
}

// Whether k is above a limit, or, where it was, above the share of it that it must fall below again: steps of
// changing length do not choose anew all the time
static bool spIsAbove(double k, double limit, bool before, double share)
{
    return k > (before ? share * limit : limit);
}

static double spGetStiffness(const spXpbdState* state, double h)
{
    return h * h * state->boundSquare + h * state->boundDamping;
}

// Whether a solid touches a collider, or may in this step
static bool spMeetsCollider(const spBody* body)
{
    bool meets = false;
    for (int i = 0; i < body->rowCount && body->tetCount > 0; ++i)
    {
        meets = meets || body->rows[i].law == sp_rowContact;
    }
    return meets;
}

static spSubstepSolver spPickSolver(const spBody* body, double h)
{
    const spXpbdState* state = body->methodState;
    double k = spGetStiffness(state, h);
    // What presses from somewhere, and what sticks there, a factor knows; what has met something may meet it again. Rounds
    // between bodies need what was solved.
    bool met = spIsAbove(k, SP_SOFT_STEP, true, SP_SWEPT_SHARE) &&
               (spMeetsCollider(body) || state->chosen == sp_solveWhole);
    if ((body->island >= 0 || met) && spHasForces(body))
    {
        return sp_solveWhole;
    }
    if (spHasForces(body) == false ||
        spIsAbove(k, SP_SOFT_STEP, state->chosen != sp_solveSweeps, SP_SWEPT_SHARE) == false)
    {
        return sp_solveSweeps;
    }
    return spIsAbove(k, SP_STIFF_STEP, state->chosen == sp_solveWhole, 0.5) ? sp_solveWhole : sp_solveLocal;
}

// The work that the sweeps would take. cost: of an iteration, in plain conjugate gradients
static spWorkLimit spGetSweepWork(int sweeps, int cost)
{
    return (spWorkLimit){.iterations = (sweeps * SP_SWEEP_ITERATIONS + cost - 1) / cost,
                         .linearisationCost = SP_LINEAR_ITERATIONS / cost,
                         .truncated = true};
}

// Makes what the solver that was picked needs. Without memory there are sweeps.
static void spStartSolver(spBody* body, spSubstepSolver picked)
{
    spXpbdState* state = body->methodState;
    spError error = {0};
    bool whole = picked == sp_solveWhole;
    spEndNewton(body);
    state->chosen = sp_solveSweeps;
    if (picked == sp_solveSweeps)
    {
        return;
    }
    spImplicitDef def = {
        .type = sp_backwardEuler,
        .solver = {.operatorType = sp_operatorAssembled,
                   .preconditioner = whole ? sp_preconditionAuto : sp_preconditionBlockJacobi,
                   .tolerance = whole ? SP_WHOLE_TOLERANCE : SP_LOCAL_TOLERANCE,
                   .maxIterations = 1000,
                   .newtonSteps = SP_MOST_LINEARISATIONS,
                   .newtonTolerance = SP_NEWTON_TOLERANCE,
                   .warp = true,
                   .age = body->methodDef.solver.age},
    };
    state->newton = spCreateImplicitSolver(body, &def, &error);
    if (state->newton != NULL)
    {
        bool factor = spGetSolverDef(state->newton)->preconditioner == sp_preconditionCholesky;
        int cost = whole == false ? 1 : factor ? SP_FACTOR_ITERATIONS : SP_LEVEL_ITERATIONS;
        spWorkLimit limit = spGetSweepWork(spGetSweepCount(body), cost);
        spLimitWork(state->newton, &limit);
        state->chosen = picked;
    }
}

void spChooseSolver(spBody* body, spReal h)
{
    spXpbdState* state = body->methodState;
    bool found = true;
    if (state->boundMatrix != body->matrixVersion || state->boundTopology != body->topologyVersion)
    {
        // Without memory this step sweeps and says so, and the next one tries again
        found = spFindBounds(body, &state->boundSquare, &state->boundDamping);
        state->boundMatrix = found ? body->matrixVersion : body->matrixVersion - 1;
        state->boundTopology = body->topologyVersion;
    }
    if (state->def.xpbd.solver != sp_xpbdAuto)
    {
        return; // then the bounds tell rounding from force that is left
    }
    if (state->denied)
    {
        spStartSolver(body, sp_solveLocal);
        state->denied = state->chosen != sp_solveLocal;
    }
    spSubstepSolver picked = spPickSolver(body, (double)h);
    if (picked != state->chosen)
    {
        spStartSolver(body, picked);
    }
    state->lacking = found == false || state->chosen != picked || state->denied;
}

// Whether a hand or a link holds it: what Newton's method makes of one that tears at a light body in the time of the
// sweeps may be far away
static bool spIsHeld(const spBody* body)
{
    bool held = false;
    for (int i = 0; i < body->rowCount; ++i)
    {
        held = held || body->rows[i].law == sp_rowHold;
    }
    return held;
}

bool spGivesUpSweeps(const spBody* body)
{
    const spXpbdState* state = body->methodState;
    double k = spGetStiffness(state, (double)state->filledStep);
    return state->def.xpbd.solver == sp_xpbdAuto && body->solverReport.sweeping &&
           body->solverReport.forceResidual > SP_FORCE_SWEPT && spIsHeld(body) == false &&
           spIsAbove(k, SP_SOFT_STEP, true, SP_SWEPT_SHARE);
}

void spAdaptSolver(spBody* body, spTeam* team)
{
    SP_UNUSED(team);
    spXpbdState* state = body->methodState;
    if (spGivesUpSweeps(body))
    {
        spStartSolver(body, sp_solveLocal);
        state->denied = state->chosen != sp_solveLocal;
    }
}

spAdvanceResult spAdvanceNewton(spBody* body, const spAdvanceContext* context)
{
    const spXpbdState* state = body->methodState;
    spAdvanceResult result = spAdvanceBySolver(body, state->newton, context);
    // Without memory for a factor the same time leads less far
    bool said = spIsSolverLacking(state->newton);
    for (int i = 0; i < result.substepCount && context->choices != NULL; ++i)
    {
        said = said || context->choices[context->firstSubstep + i].stopAfter >= 0;
    }
    if (said == false)
    {
        // To use up what it was given is no failure: the report says how far it came
        result.flags &= ~(uint32_t)sp_stepSolverStopped;
    }
    return result;
}

bool spWalkNewton(spBody* body, spWalkMemoryFcn* fcn, void* walk)
{
    spXpbdState* state = body->methodState;
    uint32_t own = (uint32_t)state->chosen, stored = own;
    bool good = true;
    // Bounds that were not found yet stay so: the next step finds them
    uint32_t found =
        state->boundMatrix == body->matrixVersion && state->boundTopology == body->topologyVersion ? 1 : 0;
    const void* piece = fcn(walk, sp_pieceCount, &own, sizeof(own));
    fcn(walk, sp_pieceCount, &found, sizeof(found));
    fcn(walk, sp_pieceAny, &state->boundSquare, sizeof(state->boundSquare));
    fcn(walk, sp_pieceAny, &state->boundDamping, sizeof(state->boundDamping));
    if (piece != NULL)
    {
        memcpy(&stored, piece, sizeof(stored));
    }
    // A snapshot may come from another solver than there is, which is what the next pieces are of: to read
    // them it takes over, to check them it is made for the moment
    spSubstepSolver chosen = state->chosen;
    spImplicitSolver* newton = state->newton;
    bool other = stored != (uint32_t)chosen && stored <= sp_solveWhole, checks = own != stored;
    if (other)
    {
        state->newton = checks ? NULL : newton;
        spStartSolver(body, (spSubstepSolver)stored);
        good = stored == (uint32_t)state->chosen;
    }
    state->boundMatrix = found != 0 ? body->matrixVersion : body->matrixVersion - 1;
    state->boundTopology = body->topologyVersion;
    if (state->newton != NULL)
    {
        good = spWalkSolver(state->newton, body, fcn, walk) && good;
    }
    if (other && checks)
    {
        spEndNewton(body);
        state->chosen = chosen;
        state->newton = newton;
    }
    return good;
}
