// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "method/implicit_solver.h"

#include "base/error.h"
#include "base/timer.h"
#include "linear/mixing.h"
#include "math/vec3.h"
#include "method/implicit_substep.h"
#include "method/spectrum.h"

#include <math.h>

// Linearisations of a quasi-static step that does not say how many
#define SP_STATIC_STEPS 50

// Nodes up to which a complete factor is chosen, and up to which it is made in the step
#define SP_FACTOR_NODES 4000
#define SP_QUICK_NODES 600

// ---- creation ----

static bool spCheckSolver(const spSolverDef* s, spError* error)
{
    if ((unsigned)s->operatorType >= sp_operatorTypeCount ||
        (unsigned)s->preconditioner >= sp_preconditionerTypeCount)
    {
        return spFail(error, sp_errorBadArgument, "solver: operator %d or preconditioner %d does not exist",
                      (int)s->operatorType, (int)s->preconditioner);
    }
    if (!(s->tolerance > 0 && s->tolerance < 1) || !(s->newtonTolerance > 0 && s->newtonTolerance < 1) ||
        s->maxIterations < 1 || s->newtonSteps < 0 || s->refresh < 0 || s->age < 0 ||
        !(s->dropTolerance >= 0 && s->dropTolerance < 1))
    {
        return spFail(
            error, sp_errorBadArgument,
            "solver: tolerance %g, newtonTolerance %g must lie in (0, 1), dropTolerance %g in [0, 1), "
            "maxIterations %d be at least 1, newtonSteps %d, refresh %d and age %d not be negative",
            (double)s->tolerance, (double)s->newtonTolerance, (double)s->dropTolerance, s->maxIterations,
            s->newtonSteps, s->refresh, s->age);
    }
    return true;
}

// Elements come later; a preconditioner that this build lacks is refused at once: tried with one node
static bool spHasPreconditioner(const spBody* body, spPreconditionerType type, spError* error)
{
    const spPreconditionerKind* kind = spFindPreconditioner(type);
    if (kind == NULL)
    {
        return true;
    }
    int32_t begin[2] = {0, 0}, patchBegin[2] = {0, 1};
    spMat3 diagonal = spIdentityMat3();
    spBlockRows rows = {.nodeCount = 1, .begin = begin, .diagonal = &diagonal};
    spPreconditionerDef def = {.allocator = body->heap->allocator,
                               .pattern = &rows,
                               .patchBegin = patchBegin,
                               .patchCount = 1,
                               .laneCount = body->laneCount};
    spPreconditioner* p = kind->create(&def, error);
    if (p != NULL)
    {
        kind->destroy(p);
    }
    return p != NULL;
}

// A complete factor where it is cheap, on a thread where making it would be felt; else several levels. False
// without memory to find out: the choice must not depend on that.
static bool spDecideSolver(const spBody* body, spMethodType type, spSolverDef* s)
{
    spError error = {0};
    bool isStatic = type == sp_quasiStatic;
    if (s->preconditioner == sp_preconditionAuto)
    {
        bool factor =
            body->nodeCount <= SP_FACTOR_NODES && spHasPreconditioner(body, sp_preconditionCholesky, &error);
        if (error.code == sp_errorOutOfMemory)
        {
            return false;
        }
        s->preconditioner = factor ? sp_preconditionCholesky : sp_preconditionMultilevel;
        s->asynchronous =
            s->asynchronous || (factor && body->nodeCount > SP_QUICK_NODES && isStatic == false);
    }
    if (s->newtonSteps == 0)
    {
        s->newtonSteps = isStatic ? SP_STATIC_STEPS : 1;
    }
    s->newtonSteps = type == sp_imex ? 1 : s->newtonSteps;
    return true;
}

static bool spAllocSolver(spImplicitSolver* solver, const spBody* body)
{
    spHeap* heap = body->heap;
    int count = body->nodeCount, patchCount = body->order.patchCount;
    spHistory* history = &solver->history;
    bool past = solver->type == sp_bdf2;
    struct
    {
        spVec4** nodes;
        bool positions, needed;
    } arrays[] = {
        {&solver->baseX, true, true},       {&solver->onward, true, true},
        {&history->before[0], true, past},  {&history->after[0], true, past},
        {&solver->baseV, false, true},      {&solver->f, false, true},
        {&solver->iterateV, false, true},   {&solver->warmStart, false, true},
        {&history->before[1], false, past}, {&history->after[1], false, past},
    };
    bool ok = spCreateCgVectors(&solver->cg, body->backend, heap, count, patchCount);
    for (int i = 0; i < SP_COUNT(arrays); ++i)
    {
        int room = arrays[i].positions ? spGetPositionRoom(count) : count;
        if (arrays[i].needed)
        {
            *arrays[i].nodes = body->backend->allocate(heap, spArraySize(room, sizeof(spVec4)));
            ok = ok && *arrays[i].nodes != NULL;
        }
    }
    solver->constraints = spAlloc(heap, spArraySize(count, sizeof(spConstraint)));
    solver->constraintOf = spAlloc(heap, spArraySize(count, sizeof(int32_t)));
    solver->patchConstraint = spAllocZeroed(heap, spArraySize(patchCount + 1, sizeof(int32_t)));
    solver->rawB = spAlloc(heap, spArraySize(count, sizeof(spVec3)));
    solver->rawProduct = spAlloc(heap, spArraySize(count, sizeof(spVec3)));
    solver->constraintV = spAlloc(heap, spArraySize(count, sizeof(spVec3)));
    return ok && solver->constraints != NULL && solver->constraintOf != NULL &&
           solver->patchConstraint != NULL && solver->rawB != NULL && solver->rawProduct != NULL &&
           solver->constraintV != NULL;
}

spImplicitSolver* spCreateImplicitSolver(spBody* body, const spImplicitDef* def, spError* error)
{
    if (spCheckSolver(&def->solver, error) == false)
    {
        return NULL;
    }
    spImplicitSolver* solver = spAllocZeroed(body->heap, sizeof(spImplicitSolver));
    bool ok = solver != NULL;
    if (ok)
    {
        solver->type = def->type;
        solver->def = def->solver;
        ok = spAllocSolver(solver, body) && spDecideSolver(body, def->type, &solver->def);
    }
    if (ok == false)
    {
        spFailMemory(error, "the method of a body", (size_t)body->nodeCount * sizeof(spVec4));
    }
    if (ok == false || spHasPreconditioner(body, solver->def.preconditioner, error) == false)
    {
        spDestroyImplicitSolver(solver, body);
        return NULL;
    }
    solver->extent = body->backend->maxLength(body->x, 0, body->nodeCount);
    return solver;
}

void spDestroyImplicitSolver(spImplicitSolver* solver, spBody* body)
{
    if (solver == NULL)
    {
        return;
    }
    spHeap* heap = body->heap;
    spHistory* history = &solver->history;
    spDestroyFactor(solver->factor, body);
    if (solver->hasSystem)
    {
        spDestroyBodySystem(&solver->system, body);
    }
    spDestroyCgVectors(&solver->cg, body->backend, heap);
    spVec4* nodes[] = {solver->baseX,     solver->onward,    solver->baseV,      solver->f,
                       solver->iterateV,  solver->warmStart, history->before[0], history->before[1],
                       history->after[0], history->after[1]};
    for (int i = 0; i < SP_COUNT(nodes); ++i)
    {
        body->backend->release(heap, nodes[i]);
    }
    spFreeComplianceCache(heap, &solver->compliance);
    void* lists[] = {solver->rowSolves,   solver->lawRows,         solver->mixing,
                     solver->constraints, solver->constraintOf,    solver->rawB,
                     solver->rawProduct,  solver->patchConstraint, solver->constraintV};
    for (int i = 0; i < SP_COUNT(lists); ++i)
    {
        spFree(heap, lists[i]);
    }
    spFree(heap, solver);
}

void spLimitWork(spImplicitSolver* solver, const spWorkLimit* limit)
{
    solver->limit = *limit;
    // Of a substep before the first nothing is known: it counts as truncated
    solver->unconverged = limit->truncated;
}

const spSolverDef* spGetSolverDef(const spImplicitSolver* solver)
{
    return &solver->def;
}

spSolverReport spStartReport(const spImplicitSolver* solver)
{
    return (spSolverReport){.preconditioner = solver->def.preconditioner,
                            .asynchronous = solver->def.asynchronous,
                            .converged = true,
                            .factorStep = -1};
}

// ---- what depends on the elements ----

// Jacobi's are made from the matrix in every step, unless a thread is to make them
static bool spIsLocalType(const spSolverDef* def)
{
    return (def->preconditioner == sp_preconditionJacobi ||
            def->preconditioner == sp_preconditionBlockJacobi) &&
           def->asynchronous == false;
}

// A fill with factors that only say what there is
static spFill spGetPatternFill(const spImplicitSolver* solver)
{
    bool exact = solver->def.newtonSteps > 1 && solver->limit.truncated == false;
    return (spFill){.stiffness = 1,
                    .damping = solver->type != sp_quasiStatic,
                    .project = exact == false,
                    .bound = solver->type == sp_imex,
                    .blocks = exact};
}

static bool spPrepareSystem(spImplicitSolver* solver, spBody* body)
{
    spError error = {0};
    spFill fill = spGetPatternFill(solver);
    if (solver->hasSystem && spFitsBodySystem(&solver->system, body, &fill))
    {
        return true;
    }
    // A preconditioner goes on through edits, but not with other elements
    if (solver->hasSystem == false || spFitsButForEdits(&solver->system, body, &fill) == false)
    {
        spDestroyFactor(solver->factor, body);
        solver->factor = NULL;
    }
    if (solver->hasSystem)
    {
        spDestroyBodySystem(&solver->system, body);
    }
    bool local = spIsLocalType(&solver->def);
    bool factor = local == false && spFindPreconditioner(solver->def.preconditioner) != NULL;
    spOperatorType type = solver->def.operatorType;
    spSystemNeeds needs = {
        .sparse = type != sp_operatorMatrixFree || local || factor || solver->type == sp_imex ||
                  solver->type == sp_quasiStatic || spStiffens(body),
        .matrixFree = type != sp_operatorAssembled,
        .local = local,
    };
    solver->hasSystem = spCreateBodySystem(&solver->system, body, &fill, &needs, &error);
    if (solver->hasSystem && factor && solver->factor == NULL)
    {
        spFactorRequest request = {.mass = 1, .fill = fill, .step = -1};
        request.contacts[0] = solver->type == sp_quasiStatic ? solver->cg.z : NULL;
        solver->factor = spCreateFactor(body, &solver->def, &request, &error);
    }
    bool fits =
        factor == false || (solver->factor != NULL && spFitTurns(solver->factor, &solver->system.sparse));
    if (solver->hasSystem && fits == false)
    {
        spDestroyBodySystem(&solver->system, body);
        solver->hasSystem = false;
    }
    solver->refresh.bestIterations = 0;
    solver->massNorm = sqrt(body->backend->sumMass2(body->mass, 0, body->nodeCount));
    return solver->hasSystem;
}

bool spPrepareSolver(spImplicitSolver* solver, spBody* body, int rowCapacity)
{
    solver->ready = spPrepareSystem(solver, body);
    solver->refresh.stepBegin = solver->refresh.steps;
    if (solver->ready && rowCapacity > solver->rowCapacity)
    {
        int capacities[3] = {solver->rowCapacity, solver->rowCapacity, solver->rowCapacity};
        struct
        {
            void** list;
            size_t size;
        } lists[] = {{(void**)&solver->rowSolves, sizeof(spRowSolve)},
                     {(void**)&solver->lawRows, sizeof(spLawRow)},
                     {(void**)&solver->mixing, spGetMixingSize(3) * sizeof(double)}};
        for (int i = 0; i < SP_COUNT(lists); ++i)
        {
            solver->ready = solver->ready && spReserve(body->heap, lists[i].list, 0, capacities + i,
                                                       rowCapacity, lists[i].size);
        }
        solver->rowCapacity = solver->ready ? capacities[0] : solver->rowCapacity;
    }
    spMultipliers* list = &body->multipliers;
    solver->ready = solver->ready && spReserve(body->heap, (void**)&list->entries, list->count,
                                               &list->capacity, rowCapacity, sizeof(spMultiplier));
    return solver->ready;
}

bool spIsSolverReady(const spImplicitSolver* solver)
{
    return solver->ready;
}

bool spIsSolverLacking(const spImplicitSolver* solver)
{
    return solver->ready == false || (solver->factor != NULL && spGetFrontFactor(solver->factor) == NULL);
}

void spPauseSolver(spImplicitSolver* solver)
{
    if (solver != NULL && solver->factor != NULL)
    {
        spPauseFactor(solver->factor);
    }
}

// ---- one substep ----

const spVec4* spGetStart(const spSubstep* s)
{
    return s->solver->type == sp_bdf2 ? s->solver->history.before[0] : s->solver->baseX;
}

bool spHasHistory(const spImplicitSolver* solver, const spBody* body, const spVec4* x, const spVec4* v)
{
    const spBackend* backend = body->backend;
    int nodeCount = body->nodeCount;
    const spHistory* history = &solver->history;
    return history->h > 0 && backend->isSame(history->after[0], x, 0, nodeCount) &&
           backend->isSame(history->after[1], v, 0, nodeCount);
}

typedef struct spBases
{
    const spSubstep* s;
    spReal present, past; // weights of the states
    spReal ratio;         // of this h to the last one; 0 without a past
} spBases;

static void spBasesStage(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    const spBases* c = context;
    const spSubstep* s = c->s;
    spImplicitSolver* solver = s->solver;
    const spBackend* backend = s->body->backend;
    int first = s->body->order.patchBegin[begin], last = s->body->order.patchBegin[end];
    if (s->force.state.remainder > 0)
    {
        backend->blendPrecise(solver->baseX, s->force.state.remainder, s->x, c->past,
                              solver->history.before[0], first, last);
    }
    else
    {
        backend->blend(solver->baseX, c->present, s->x, c->past, solver->history.before[0], first, last);
    }
    backend->blend(solver->baseV, c->present, s->v, c->past, solver->history.before[1], first, last);
    if (solver->type == sp_bdf2)
    {
        backend->blend(solver->iterateV, 1 + c->ratio, s->v, -c->ratio, solver->history.before[1], first,
                       last);
    }
    if (s->isStatic == false)
    {
        backend->setHeldBases(solver->baseX, solver->baseV, solver->iterateV, s->x, s->h - s->effectiveStep,
                              s->v, first, last);
    }
}

// Whether the past leads anywhere: velocities have changed by less than they are. Those of a stiff body after a
// blow change sign from step to step.
static bool spIsSteady(const spSubstep* s)
{
    const spBackend* backend = s->body->backend;
    const spReal* mass = s->body->mass;
    int count = s->body->nodeCount;
    return backend->sumInertia(mass, s->v, s->solver->iterateV, s->x, 0, count) <
           backend->sumInertia(mass, NULL, s->v, s->x, 0, count);
}

// Those of the substep that is taken again; what the past leads to follows from them
static void spKeepBases(spSubstep* s)
{
    spImplicitSolver* solver = s->solver;
    const spBackend* backend = s->body->backend;
    spReal w = solver->stepRatio;
    s->effectiveStep = solver->effectiveStep;
    s->predicted = solver->predicted;
    if (s->predicted)
    {
        backend->blend(solver->iterateV, w > 0 ? -(1 + w) / w : 1, s->v, w > 0 ? (1 + 2 * w) / w : 0,
                       solver->baseV, 0, s->body->nodeCount);
        backend->setHeldBases(solver->baseX, solver->baseV, solver->iterateV, s->x, s->h - s->effectiveStep,
                              s->v, 0, s->body->nodeCount);
    }
}

// The effective step r, and the bases of x = baseX + r v, M (v - baseV) = r f. For BDF2 also the velocity that its
// past leads to.
static void spFillBases(spSubstep* s)
{
    if (s->problem->again)
    {
        spKeepBases(s);
        return;
    }
    spBases bases = {.s = s, .present = 1, .past = 0};
    s->effectiveStep = s->isStatic ? 1 : s->h;
    if (s->solver->type == sp_bdf2 && spHasHistory(s->solver, s->body, s->x, s->v))
    {
        spReal w = s->h / s->solver->history.h, divisor = 1 + 2 * w;
        s->effectiveStep = (1 + w) / divisor * s->h;
        bases.present = (1 + w) * (1 + w) / divisor;
        bases.past = -w * w / divisor;
        bases.ratio = w;
    }
    s->solver->effectiveStep = s->effectiveStep;
    spParallelFor(s->problem->team, spBasesStage, s->body->order.patchCount, 1, &bases);
    s->predicted = s->solver->type == sp_bdf2 && spIsSteady(s);
    s->solver->stepRatio = bases.ratio;
    s->solver->predicted = s->predicted;
}

// BDF2 remembers a state
static void spKeepState(const spSubstep* s, spVec4* const to[2])
{
    if (s->solver->type == sp_bdf2)
    {
        s->body->backend->copy(to[0], s->x, 0, s->body->nodeCount + s->force.state.remainder);
        s->body->backend->copy(to[1], s->v, 0, s->body->nodeCount);
    }
}

// A mass that keeps the matrix of a static system regular where nothing holds the body: small beside the
// stiffness of its softest motions
static spReal spGetStaticMass(const spBody* body, spReal h)
{
    if (body->loads != NULL && body->heldCount == 0)
    {
        // What only hangs on other bodies must not be far away before these hold it: it goes as far as it would
        // fall from rest, in every step
        return 1 / (h * h);
    }
    return body->heldCount > 0 ? (spReal)1e-6 : (spReal)1e-2;
}

static spSubstep spStartSubstep(spImplicitSolver* solver, spBody* body, const spSubstepProblem* problem)
{
    spSubstep s = {
        .body = body,
        .solver = solver,
        .problem = problem,
        .x = problem->x,
        .v = problem->v,
        .force = {.body = body,
                  .state = spGetNodeState(body),
                  .gravity = problem->gravity,
                  .team = problem->team},
        .h = problem->h,
        .mass = 1,
        .isStatic = solver->type == sp_quasiStatic,
    };
    s.force.state.x = problem->x;
    s.force.state.v = problem->v;
    s.force.state.remainder = problem->x == body->x ? s.force.state.remainder : 0;
    s.force.state.time = problem->time;
    s.workBefore = spGetWork(&s);
    if (s.isStatic)
    {
        body->backend->scaleDriven(s.v, body->roles, s.h, 0, body->nodeCount);
        s.mass = spGetStaticMass(body, s.h);
    }
    spFillBases(&s);
    s.fill = spGetPatternFill(solver);
    s.fill.stiffness = s.effectiveStep * s.effectiveStep;
    s.fill.damping *= s.effectiveStep;
    s.weightNorm = (double)s.effectiveStep * (double)spLength3(problem->gravity) * solver->massNorm;
    return s;
}

// Whether a body has contacts that are best solved over a factor, and has had them in the last substep: what flies, or
// arrives, is stopped like any other
static bool spHasLawRows(const spSubstep* s)
{
    const spImplicitSolver* solver = s->solver;
    bool known = s->isStatic == false && spPrefersLaw(s) && spHasCompliance(solver->factor);
    return known && spHasLastingContact(s);
}

spSubstepResult spSolveImplicitSubstep(spImplicitSolver* solver, spBody* body,
                                       const spSubstepProblem* problem)
{
    spSubstep s = spStartSubstep(solver, body, problem);
    const spWorkLimit limit = solver->limit;
    // Rounds, and contacts over a factor, go over what was solved, not over where a solver was stopped
    if (body->joined)
    {
        solver->limit = (spWorkLimit){0};
    }
    else if (spHasLawRows(&s))
    {
        solver->limit.truncated = false;
    }
    spSubstepResult result = {.factorStep = -1};
    int iterationsBefore = problem->report->iterations, linearisationsBefore = problem->report->newtonSteps;
    if (problem->again == false)
    {
        spKeepState(&s, solver->history.before);
    }
    if (s.isStatic && problem->rowCount > 0)
    {
        spStartRows(&s);
    }
    if (solver->factor != NULL && problem->again == false)
    {
        double start = spGetSeconds();
        result.factorStep = spRefreshPreconditioner(&s);
        result.refreshSeconds = spGetSeconds() - start;
    }
    if (s.isStatic == false && problem->rowCount > 0)
    {
        s.byLaw = spPrefersLaw(&s) && spCanSolveByLaw(&s);
        solver->limit.truncated = limit.truncated && s.byLaw == false && body->joined == false;
        spStartRows(&s);
    }
    bool contacts = s.isStatic && problem->rowCount > 0;
    result.flags = contacts ? spSolveStaticRows(&s) : spSolveNewton(&s);
    result.flags |= s.lacking ? sp_stepOutOfMemory : 0;
    result.pinForce = spFinishRows(&s);
    if (s.isStatic)
    {
        body->backend->clear(s.v, 0, body->nodeCount);
    }
    spKeepState(&s, solver->history.after);
    // A rigid motion is no past to go on from
    solver->history.h = solver->type == sp_bdf2 && s.phase != sp_phaseRigid ? s.h : 0;
    if (problem->again == false)
    {
        solver->refresh.steps += 1;
        // Rounds over the factor solve the same system: what tells how good it is is one of them. Solves of an active
        // set each have their own.
        int rounds = s.byLaw ? spMaxInt(1, s.solveCount) : 1;
        int linearisations = spMaxInt(1, problem->report->newtonSteps - linearisationsBefore);
        solver->refresh.lastRounds = (rounds + linearisations - 1) / linearisations;
        // Where work is bounded, nothing of it goes again into an active set that did not settle
        bool stays = limit.iterations > 0 && s.byLaw && body->tetCount == 0;
        solver->refresh.lastRounds =
            stays ? spMaxInt(2, solver->refresh.lastRounds) : solver->refresh.lastRounds;
        spRecordIterations(&s, (problem->report->iterations - iterationsBefore) / rounds);
    }
    solver->limit = limit;
    return result;
}

// ---- decisions and snapshots ----

bool spCheckSolverChoice(const spImplicitSolver* solver, const spChoice* choice, spError* error)
{
    int64_t step = choice->factorStep;
    if (choice->stopAfter < -1 || step < -1)
    {
        return spFail(error, sp_errorBadArgument, "factorStep %lld and stopAfter %lld must be at least -1",
                      (long long)step, (long long)choice->stopAfter);
    }
    if (step >= 0 && (solver->def.asynchronous == false || solver->def.age > 0))
    {
        return spFail(error, sp_errorBadArgument,
                      "only an asynchronous preconditioner of age 0 is taken in use by a decision");
    }
    // One that is still to be asked for in that step cannot be known
    bool known = solver->factor != NULL && spIsFactorAsked(solver->factor);
    if (step >= 0 && step < solver->refresh.steps &&
        (known == false || spGetFactorStep(solver->factor, true) != step))
    {
        return spFail(error, sp_errorBadArgument,
                      "no preconditioner of step %lld is being made: the decisions are those of another run",
                      (long long)step);
    }
    return true;
}

void spRemapSolver(spImplicitSolver* solver, const spBirth* birth)
{
    spInherit(birth, solver->warmStart, sizeof(spVec4));
    for (int i = 0; i < 2; ++i)
    {
        spInherit(birth, solver->history.before[i], sizeof(spVec4));
        spInherit(birth, solver->history.after[i], sizeof(spVec4));
    }
    if (solver->factor != NULL)
    {
        spRemapFactor(solver->factor, birth);
        spClearComplianceCache(&solver->compliance);
    }
}

bool spWalkSolver(spImplicitSolver* solver, spBody* body, spWalkMemoryFcn* fcn, void* walk)
{
    spRefreshState* refresh = &solver->refresh;
    spHistory* history = &solver->history;
    size_t size = (size_t)body->nodeCount * sizeof(spVec4);
    bool there = spPrepareSystem(solver, body);
    fcn(walk, sp_pieceFlag, &there, sizeof(there));
    fcn(walk, sp_pieceAny, solver->warmStart, size);
    fcn(walk, sp_pieceFlag, &solver->hasWarmStart, sizeof(solver->hasWarmStart));
    fcn(walk, sp_pieceFlag, &solver->unconverged, sizeof(solver->unconverged));
    fcn(walk, sp_pieceCount, &refresh->steps, sizeof(refresh->steps));
    fcn(walk, sp_pieceCount, &refresh->bestIterations, sizeof(refresh->bestIterations));
    fcn(walk, sp_pieceCount, &refresh->lastIterations, sizeof(refresh->lastIterations));
    fcn(walk, sp_pieceCount, &refresh->lastRounds, sizeof(refresh->lastRounds));
    for (int i = 0; i < 2 && solver->type == sp_bdf2; ++i)
    {
        // Positions bring their remainders
        size_t all = i == 0 ? size + (size_t)spGetRemainder(body) * sizeof(spVec4) : size;
        fcn(walk, sp_pieceAny, history->before[i], all);
        fcn(walk, sp_pieceAny, history->after[i], all);
    }
    fcn(walk, sp_pieceAny, &history->h, sizeof(history->h));
    if (solver->factor != NULL)
    {
        spWalkCompliance(&solver->compliance, body, solver->factor, fcn, walk);
    }
    return there;
}
