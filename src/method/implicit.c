// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Implicit methods. The end of a substep is x = baseX + r v, M (v - baseV) = r f(x, v):
//
//   backward Euler   r = h, baseX = x0, baseV = v0
//   BDF2             r = (1 + w) / (1 + 2 w) h, bases from two past states, w = h / last h
//   IMEX             f(x0, 0) - (r K0 + D0) v in place of f(x, v), K0 and D0 constant bounds on K and D
//   quasi-static     r = 1, M = 0: v is the displacement
//
// Linearised where the substep starts, with K = -df/dx, D = -df/dv, and v = v0 + dv:
//
//   (M + r D + r^2 K) dv = r f(x0, v0) - M (v0 - baseV) - r K (baseX + r v0 - x0)
//
// With more than one linearisation the next ones stand at the iterates; a step along dv is cut where the
// force along it has turned round. Near the end their stiffness is exact, as long as that helps.
//
// Baraff, Witkin. Large Steps in Cloth Simulation. 1998
// Eberhardt, Etzmuss, Hauth. Implicit-Explicit Schemes for Fast Animation with Particle Systems. 2000

#include "method/implicit.h"

#include "base/error.h"
#include "base/timer.h"
#include "math/vec3.h"
#include "method/estimate.h"

#include <math.h>
#include <string.h>

// Solves for which rows act, at most
#define SP_ROW_ROUNDS 6

// Cuts of a Newton step, and the force along it that is let pass, as a share of that at its start
#define SP_LINE_CUTS 8
#define SP_LINE_SHARE 0.5
// Net force over load from which on the exact stiffness is used, and what a step with it must leave of it
#define SP_EXACT_LIMIT 0.1
#define SP_EXACT_GAIN 0.7

// Share of the weight of a body, over a step, that is the least that a residual is measured against: a body
// at rest has hardly anything on its right-hand side
#define SP_REST_SHARE 0.01

// Steps of Newton's method that are rounding: this many units in the last place of the farthest node
#define SP_ROUNDING_STEPS 4

// Linearisations of a step whose first one does not do, and what they may leave of the force
#define SP_RESCUE_STEPS 16
#define SP_RESCUE_TOLERANCE 0.05

// Linearisations of a quasi-static step that does not say how many
#define SP_STATIC_STEPS 50

// Nodes up to which a complete factor is chosen, and up to which it is made in the step
#define SP_FACTOR_NODES 4000
#define SP_QUICK_NODES 600

// Of a solve that was stopped: more than any other
#define SP_MANY_ITERATIONS (INT32_MAX / 2)

// Iterations beyond which the operator is worth assembling, and above which a preconditioner is made anew
// when it is refreshed by need: this many times those after the last refresh, and some
#define SP_FREE_ITERATIONS 1
#define SP_TIRED_RATIO 1.5
#define SP_TIRED_MORE 3
// Steps between two of them at least where solves may end early
#define SP_HASTY_REFRESH 12
// Where solves may end early, one with node rows gets at least so many times the conjugate gradients: where
// the rest does not follow what a contact prescribes, that tears the body
#define SP_ROW_PATIENCE 4

// Jacobi's are made from the matrix in every step, unless a thread is to make them
static bool spIsLocalType(const spSolverDef* solver)
{
    return (solver->preconditioner == sp_preconditionJacobi ||
            solver->preconditioner == sp_preconditionBlockJacobi) &&
           solver->asynchronous == false;
}

static void spFreeImplicit(spBody* body, spImplicitState* state)
{
    spHeap* heap = body->heap;
    spDestroyFactor(state->factor, body);
    if (state->hasSystem)
    {
        spDestroyBodySystem(&state->system, body);
    }
    spDestroyCgVectors(&state->cg, heap);
    spVec4* arrays[] = {state->baseX,   state->baseV,   state->f,       state->way,    state->lastDv,
                        state->past[0], state->past[1], state->seen[0], state->seen[1]};
    for (int i = 0; i < (int)(sizeof(arrays) / sizeof(arrays[0])); ++i)
    {
        spFree(heap, arrays[i]);
    }
    spFree(heap, state->constraints);
    spFree(heap, state->constraintOf);
    spFree(heap, state->patchConstraint);
    spFree(heap, state->rawB);
    spFree(heap, state->rawProduct);
    spFree(heap, state->prescribed);
    spFree(heap, state->rows);
    spFree(heap, state);
}

static void spDestroyImplicit(spBody* body)
{
    if (body->methodState != NULL)
    {
        spFreeImplicit(body, body->methodState);
        body->methodState = NULL;
    }
}

static bool spAllocImplicit(spBody* body, spImplicitState* state)
{
    spHeap* heap = body->heap;
    int count = body->nodeCount;
    size_t size = spArraySize(count, sizeof(spVec4));
    spVec4** arrays[] = {&state->baseX,   &state->baseV,   &state->f,       &state->way,    &state->lastDv,
                         &state->past[0], &state->past[1], &state->seen[0], &state->seen[1]};
    int arrayCount = body->methodDef.type == sp_bdf2 ? 9 : 5;
    bool ok = spCreateCgVectors(&state->cg, heap, count, body->order.patchCount);
    for (int i = 0; i < arrayCount; ++i)
    {
        *arrays[i] = spAllocZeroed(heap, size);
        ok = ok && *arrays[i] != NULL;
    }
    state->constraints = spAlloc(heap, spArraySize(count, sizeof(spConstraint)));
    state->constraintOf = spAlloc(heap, spArraySize(count, sizeof(int32_t)));
    state->patchConstraint = spAllocZeroed(heap, spArraySize(body->order.patchCount + 1, sizeof(int32_t)));
    state->rawB = spAlloc(heap, spArraySize(count, sizeof(spVec3)));
    state->rawProduct = spAlloc(heap, spArraySize(count, sizeof(spVec3)));
    state->prescribed = spAlloc(heap, spArraySize(count, sizeof(spVec3)));
    return ok && state->constraints != NULL && state->constraintOf != NULL &&
           state->patchConstraint != NULL && state->rawB != NULL && state->rawProduct != NULL &&
           state->prescribed != NULL;
}

static bool spCheckSolver(const spMethodDef* def, spError* error)
{
    const spSolverDef* s = &def->solver;
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
    if (def->filter.type != sp_filterNone)
    {
        return spFail(
            error, sp_errorBadArgument,
            "implicit methods have no velocity filter: set the filter to none or choose an explicit "
            "method");
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
static bool spDecideSolver(const spBody* body, spMethodDef* def)
{
    spError error = {0};
    spSolverDef* s = &def->solver;
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
            s->asynchronous || (factor && body->nodeCount > SP_QUICK_NODES && def->type != sp_quasiStatic);
    }
    if (s->newtonSteps == 0)
    {
        s->newtonSteps = def->type == sp_quasiStatic ? SP_STATIC_STEPS : 1;
    }
    s->newtonSteps = def->type == sp_imex ? 1 : s->newtonSteps;
    return true;
}

static bool spCreateImplicit(spBody* body, spError* error)
{
    if (spCheckSolver(&body->methodDef, error) == false)
    {
        return false;
    }
    spImplicitState* state = spAllocZeroed(body->heap, sizeof(spImplicitState));
    body->methodState = state;
    bool ok = state != NULL && spAllocImplicit(body, state);
    if (ok)
    {
        state->def = body->methodDef;
        ok = spDecideSolver(body, &state->def);
    }
    if (ok == false)
    {
        spDestroyImplicit(body);
        return spFailMemory(error, "the method of a body", (size_t)body->nodeCount * sizeof(spVec4));
    }
    if (spHasPreconditioner(body, state->def.solver.preconditioner, error) == false)
    {
        spDestroyImplicit(body);
        return false;
    }
    for (int node = 0; node < body->nodeCount; ++node)
    {
        state->massNorm += (double)body->mass[node] * (double)body->mass[node];
        state->extent = fmax(state->extent, (double)spLength3(spXyz(body->x[node])));
    }
    state->massNorm = sqrt(state->massNorm);
    body->stableStep = INFINITY;
    body->solverReport = (spSolverReport){.factorStep = -1};
    return true;
}

// ---- the linear system and its preconditioner ----

static bool spIsExact(const spImplicitState* state)
{
    return state->def.solver.newtonSteps > 1 && state->hasty == false;
}

// A fill with factors that only say what there is
static spFill spGetPatternFill(const spImplicitState* state)
{
    bool bound = state->def.type == sp_imex;
    bool damped = state->def.type != sp_quasiStatic;
    bool exact = spIsExact(state);
    return (spFill){
        .stiffness = 1, .damping = damped, .project = exact == false, .bound = bound, .blocks = exact};
}

// Makes what depends on the elements, again when they have changed. False, with nothing there, without
// memory.
static bool spPrepareSystem(spBody* body, spError* error)
{
    spImplicitState* state = body->methodState;
    spFill fill = spGetPatternFill(state);
    spPreconditionerType type = state->def.solver.preconditioner;
    if (state->hasSystem && spFitsBodySystem(&state->system, body, &fill))
    {
        return true;
    }
    spDestroyFactor(state->factor, body);
    state->factor = NULL;
    if (state->hasSystem)
    {
        spDestroyBodySystem(&state->system, body);
        state->hasSystem = false;
    }
    bool free = state->def.solver.operatorType == sp_operatorMatrixFree;
    bool local = spIsLocalType(&state->def.solver);
    spSystemNeeds needs = {
        .sparse = free == false || local || state->def.type == sp_imex || spStiffens(body),
        .matrixFree = state->def.solver.operatorType != sp_operatorAssembled,
        .local = local,
    };
    state->hasSystem = spCreateBodySystem(&state->system, body, &fill, &needs, error);
    if (state->hasSystem && local == false && spFindPreconditioner(type) != NULL)
    {
        spFactorRequest request = {.mass = 1, .fill = fill, .step = -1};
        state->factor = spCreateFactor(body, &state->def.solver, &request, error);
        if (state->factor == NULL)
        {
            spDestroyBodySystem(&state->system, body);
            state->hasSystem = false;
        }
    }
    state->bestIterations = 0;
    return state->hasSystem;
}

static void spBeginImplicit(spBody* body, spReal dt, spTeam* team)
{
    SP_UNUSED(dt);
    SP_UNUSED(team);
    spImplicitState* state = body->methodState;
    spError error = {0};
    body->stableStep = INFINITY;
    body->stableStepDirty = false;
    state->failed = spPrepareSystem(body, &error) == false;
    if (state->failed == false && body->rowCapacity > state->rowCapacity)
    {
        state->failed = spReserve(body->heap, (void**)&state->rows, 0, &state->rowCapacity, body->rowCapacity,
                                  sizeof(spRowSolve)) == false;
    }
}

static void spPauseImplicit(spBody* body)
{
    spImplicitState* state = body->methodState;
    if (state != NULL && state->factor != NULL)
    {
        spPauseFactor(state->factor);
    }
}

// Whether a new preconditioner should be asked for: another material, none that could be made, some steps, or
// more iterations than soon after the last one
static bool spIsTired(const spBody* body)
{
    const spImplicitState* state = body->methodState;
    int refresh = state->def.solver.refresh;
    if (spGetFactorVersion(state->factor) != body->matrixVersion || spGetFrontFactor(state->factor) == NULL)
    {
        return true;
    }
    int64_t last = spGetFactorStep(state->factor, false);
    if (refresh > 0)
    {
        return state->steps - last >= refresh;
    }
    double most = SP_TIRED_RATIO * state->bestIterations + SP_TIRED_MORE;
    int wait = state->hasty ? SP_HASTY_REFRESH : 1;
    bool known = state->bestIterations > 0 || state->hasty;
    return known && state->steps > last + wait && (double)state->lastIterations > most;
}

// Whether the one that was asked for is to be used from now on
static bool spIsFactorDue(spImplicitStep* s)
{
    const spSolverDef* solver = &s->state->def.solver;
    spFactor* f = s->state->factor;
    int64_t step = spGetFactorStep(f, true);
    if (solver->age > 0 || solver->asynchronous == false || s->context->choices == NULL)
    {
        return s->state->steps - step >= solver->age;
    }
    bool due = s->context->decided ? s->given == step : spIsFactorDone(f);
    s->taken = due ? step : -1;
    return due;
}

// Takes in a preconditioner that is due, and asks for the next one. The state of the body is that at the
// start of the step.
static void spRefreshFactor(spImplicitStep* s)
{
    spImplicitState* state = s->state;
    spFactor* f = state->factor;
    const spSolverDef* solver = &state->def.solver;
    spSolverReport* report = &s->body->solverReport;
    spFactorRequest request = {.mass = s->mass,
                               .fill = s->fill,
                               .time = s->force.state.time,
                               .step = state->steps,
                               .version = s->body->matrixVersion};
    request.fill.project = true;
    double start = spGetSeconds();
    bool fresh = false;
    if (spGetFactorStep(f, false) < 0 && spIsFactorAsked(f) == false)
    {
        // The first one is waited for: there is nothing to go on with
        spRequestFactor(f, s->body, &request);
        spTakeFactor(f);
        fresh = true;
    }
    else if (spIsFactorAsked(f))
    {
        if (spIsFactorDue(s))
        {
            report->waitSeconds = spTakeFactor(f);
            state->waitCount += report->waitSeconds > 0.0;
            fresh = true;
        }
    }
    state->bestIterations = fresh ? 0 : state->bestIterations;
    if (spIsFactorAsked(f) == false && spIsTired(s->body))
    {
        spRequestFactor(f, s->body, &request);
        if (solver->asynchronous == false)
        {
            spTakeFactor(f);
            fresh = true;
        }
    }
    state->bestIterations = fresh ? 0 : state->bestIterations;
    if (solver->warp && spGetFactorStep(f, false) < state->steps)
    {
        spTurnFactor(f, s->body, s->force.team);
    }
    report->factorStep = spGetFactorStep(f, false);
    report->factorCount = spGetFactorCount(f);
    report->waitCount = state->waitCount;
    report->buildSeconds = spGetFactorSeconds(f);
    s->refreshSeconds += spGetSeconds() - start;
}

// ---- stages over nodes ----

typedef enum spNodeStage
{
    sp_stageBases,    // baseX, baseV
    sp_stageForces,   // elements
    sp_stageRhs,      // b = r f - M (v - baseV); f is kept
    sp_stageWay,      // way = baseX + r v - x
    sp_stageWayForce, // what the elements make of it
    sp_stageAddWay,   // b += r that
    sp_stageWayPairs, // what the pairs make of it
    sp_stageTakeWay,  // b -= 1/r that
    sp_stageMove,     // v = way + share dv, x = baseX + r v
    sp_stageKeep,     // way = v
} spNodeStage;

typedef struct spStageContext
{
    spImplicitStep* step;
    spNodeStage stage;
    spReal share;
    spReal weights[2]; // of the present and the past state in the bases
    spDifference difference;
} spStageContext;

static void spMakeBases(const spStageContext* c, int node)
{
    const spImplicitStep* s = c->step;
    spImplicitState* state = s->state;
    const spBody* body = s->body;
    spVec3 x = spXyz(body->x[node]), v = spXyz(body->v[node]);
    spVec3 baseX = x, baseV = v;
    if (c->weights[1] != 0)
    {
        baseX = spMulAdd3(spScale3(c->weights[0], x), c->weights[1], spXyz(state->past[0][node]));
        baseV = spMulAdd3(spScale3(c->weights[0], v), c->weights[1], spXyz(state->past[1][node]));
    }
    if (body->x[node].w == 0)
    {
        // Held: x + h v, whatever the method
        baseX = s->isStatic ? x : spMulAdd3(x, s->h - s->reach, v);
        baseV = v;
    }
    state->baseX[node] = (spVec4){baseX.x, baseX.y, baseX.z, 0};
    state->baseV[node] = (spVec4){baseV.x, baseV.y, baseV.z, 0};
}

static void spRunNodeStage(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    const spStageContext* c = context;
    const spImplicitStep* s = c->step;
    spImplicitState* state = s->state;
    spBody* body = s->body;
    spReal r = s->reach;
    for (int patch = begin; patch < end; ++patch)
    {
        int first = body->order.patchBegin[patch], last = body->order.patchBegin[patch + 1];
        switch (c->stage)
        {
            case sp_stageBases:
                for (int node = first; node < last; ++node)
                {
                    spMakeBases(c, node);
                }
                break;
            case sp_stageForces:
                spAddPatchForces(&s->force, patch);
                break;
            case sp_stageRhs:
                spSumPatchForces(&s->force, patch);
                for (int node = first; node < last; ++node)
                {
                    spVec4 f = body->f[node], v = body->v[node], base = state->baseV[node];
                    spReal m = s->isStatic ? 0 : body->mass[node];
                    state->f[node] = (spVec4){r * f.x - m * (v.x - base.x), r * f.y - m * (v.y - base.y),
                                              r * f.z - m * (v.z - base.z), 0};
                }
                break;
            case sp_stageWay:
                for (int node = first; node < last; ++node)
                {
                    spVec4 x = body->x[node], v = body->v[node], base = state->baseX[node];
                    state->way[node] =
                        (spVec4){base.x + r * v.x - x.x, base.y + r * v.y - x.y, base.z + r * v.z - x.z, 0};
                }
                break;
            case sp_stageWayForce:
                spAddPatchDifference(&s->force, &c->difference, patch);
                break;
            case sp_stageAddWay:
                spSumPatchForces(&s->force, patch);
                state->system.kernels->addScaled(state->f, r, body->f, first, last);
                break;
            case sp_stageWayPairs:
                state->system.kernels->multiply(&state->system.sparse, state->way, patch,
                                                state->system.product);
                break;
            case sp_stageTakeWay:
                spSumSlots(&state->system.sparse.slots, state->system.product, patch);
                state->system.kernels->addScaled(state->f, -1 / r, state->system.product, first, last);
                break;
            case sp_stageMove:
                for (int node = first; node < last; ++node)
                {
                    spVec4 dv = state->cg.x[node], from = state->way[node], base = state->baseX[node];
                    spVec4 v = {from.x + c->share * dv.x, from.y + c->share * dv.y, from.z + c->share * dv.z,
                                0};
                    body->v[node] = v;
                    body->x[node] =
                        (spVec4){base.x + r * v.x, base.y + r * v.y, base.z + r * v.z, body->x[node].w};
                }
                break;
            case sp_stageKeep:
                memcpy(state->way + first, body->v + first, (size_t)(last - first) * sizeof(spVec4));
                break;
        }
    }
}

static void spRunNodes(spStageContext* c, spNodeStage stage)
{
    c->stage = stage;
    spParallelFor(c->step->force.team, spRunNodeStage, c->step->body->order.patchCount, 1, c);
}

// ---- one substep ----

// b at the present iterate, into state->f
static void spFindForces(spStageContext* c)
{
    spForceContext* force = &c->step->force;
    // IMEX has damping in its bound; velocities of a static step are displacements
    if (c->step->fill.bound || c->step->isStatic)
    {
        memset(c->step->state->cg.z, 0, (size_t)c->step->body->nodeCount * sizeof(spVec4));
        force->state.v = c->step->state->cg.z;
    }
    spMeasureForces(force);
    spRunNodes(c, sp_stageForces);
    force->state.v = c->step->body->v;
    spRunNodes(c, sp_stageRhs);
}

// IMEX: the bound, which stands in the matrix beside the mass, acts on the velocity in place of stiffness and
// damping, whose forces were taken at no velocity
static void spTakeBound(spImplicitStep* s)
{
    spImplicitState* state = s->state;
    const spSparse* a = &state->system.sparse;
    spVec4* product = state->system.product;
    const spVec4* v = s->body->v;
    int count = s->body->nodeCount;
    for (int patch = 0; patch < a->patchCount; ++patch)
    {
        a->kernels->multiply(a, v, patch, product);
    }
    for (int patch = 0; patch < a->patchCount; ++patch)
    {
        spSumSlots(&a->slots, product, patch);
    }
    a->kernels->finishProduct(product, v, state->system.ownA,
                              state->system.crossed ? state->system.ownC : NULL, 1, 0, count);
    for (int node = 0; node < count; ++node)
    {
        spReal m = s->mass * s->body->mass[node];
        spVec4* f = state->f + node;
        *f = (spVec4){f->x - (product[node].x - m * v[node].x), f->y - (product[node].y - m * v[node].y),
                      f->z - (product[node].z - m * v[node].z), 0};
    }
    // Soft holds stand in the matrix too, but their impulses are those at the velocity already
    for (int i = 0; i < s->body->rowCount; ++i)
    {
        if (state->rows[i].status == sp_statusSoft)
        {
            const spNodeRow* row = s->body->rows + i;
            spVec4* f = state->f + row->node;
            spVec3 back = spScale3(s->fill.stiffness / row->compliance, spXyz(v[row->node]));
            *f = (spVec4){f->x + back.x, f->y + back.y, f->z + back.z, 0};
        }
    }
}

static bool spUsesPairs(const spImplicitState* state)
{
    switch (state->def.solver.operatorType)
    {
        case sp_operatorAssembled:
            return true;
        case sp_operatorMatrixFree:
            return state->def.type == sp_imex;
        default:
            // With a good preconditioner there are too few products to make the assembly worth while
            return state->factor == NULL || state->def.type == sp_imex ||
                   state->lastIterations > SP_FREE_ITERATIONS;
    }
}

// Whether the pairs hold the whole stiffness times r^2 and nothing else
static bool spArePairsStiffness(const spImplicitStep* s)
{
    const spBodySystem* system = &s->state->system;
    bool alone = spUsesPairs(s->state) && system->diagonal == NULL && system->columnCount == 0;
    for (int i = 0; alone && i < s->body->setCount; ++i)
    {
        const spElementSet* set = s->body->sets[i];
        alone = set->kind->isDamped == NULL || set->kind->isDamped(set) == false;
    }
    return alone;
}

// What the linearisation where the substep starts has in addition: the way that the nodes go anyway
static void spAddWay(spStageContext* c)
{
    spImplicitStep* s = c->step;
    if (s->fill.bound)
    {
        spTakeBound(s);
        return;
    }
    spRunNodes(c, sp_stageWay);
    if (spArePairsStiffness(s))
    {
        spRunNodes(c, sp_stageWayPairs);
        spRunNodes(c, sp_stageTakeWay);
        return;
    }
    memset(s->state->cg.z, 0, (size_t)s->body->nodeCount * sizeof(spVec4));
    c->difference = (spDifference){.dx = s->state->way, .dv = s->state->cg.z, .project = s->fill.project};
    spMeasureDifference(&s->force, &c->difference);
    spRunNodes(c, sp_stageWayForce);
    spRunNodes(c, sp_stageAddWay);
}

static bool spIsLocal(const spImplicitState* state)
{
    return state->system.localA != NULL;
}

static void spAssemble(spImplicitStep* s)
{
    spImplicitState* state = s->state;
    double start = spGetSeconds();
    s->assembled = spUsesPairs(state) || spIsLocal(state);
    spAssembleSystem(&state->system, s->body, &s->force, s->mass, &s->fill, s->assembled);
    spAddRowStiffness(s);
    if (spIsLocal(state))
    {
        spMakeLocal(&state->system, s->body, state->def.solver.preconditioner == sp_preconditionBlockJacobi,
                    s->force.team);
    }
    s->body->solverReport.assembleSeconds += spGetSeconds() - start;
}

// Conjugate gradients of the step, linearisations counted in
static int spGetSpent(const spImplicitStep* s)
{
    const spSolverReport* report = &s->body->solverReport;
    return report->iterations + s->state->linearCost * report->newtonSteps;
}

// Conjugate gradients that the substep may still make
static int spGetIterationsLeft(const spImplicitStep* s)
{
    int limit = s->state->iterationLimit;
    return limit > 0 ? spMaxInt(0, limit - (spGetSpent(s) - s->spentBefore)) : INT32_MAX;
}

// Nothing holds the body in this substep
static bool spIsFree(const spImplicitStep* s)
{
    return s->state->patchConstraint[s->body->order.patchCount] == 0;
}

// A solve that ends early leaves nodes much of the velocity that they began with. Where that is shaking of a
// stiff body it would tear the body apart, so that the iterate starts with as much of it as pays. b is made
// anew for that.
static void spCalmStart(const spImplicitStep* s, const spSystem* system)
{
    const spBody* body = s->body;
    spImplicitState* state = s->state;
    spVec4* shaking = state->lastDv;
    memcpy(shaking, state->way, (size_t)body->nodeCount * sizeof(spVec4));
    if (spIsFree(s))
    {
        spWholeMotion whole = spFindWholeMotion(body, body->x, state->way, true);
        spLimitTurn(&whole, (double)s->h);
        spAddWholeMotion(&whole, -1.0, body->x, body->nodeCount, shaking);
    }
    for (int i = 0; i < body->heldCount; ++i)
    {
        shaking[body->held[i]] = (spVec4){0};
    }
    spReal share = (spReal)fmin(0.0, fmax(-1.0, spFindShare(system, &state->cg, shaking, s->force.team)));
    state->system.kernels->addScaled(state->way, share, shaking, 0, body->nodeCount);
    state->system.kernels->addScaled(state->f, -share, system->op.product, 0, body->nodeCount);
    state->system.kernels->addScaled(state->cg.b, -share, system->op.product, 0, body->nodeCount);
}

static spSystem spGetLinearSystem(const spImplicitStep* s)
{
    spImplicitState* state = s->state;
    spBody* body = s->body;
    return (spSystem){
        .nodeCount = body->nodeCount,
        .patchCount = body->order.patchCount,
        .patchBegin = body->order.patchBegin,
        .kernels = state->system.kernels,
        .op = spUsesPairs(state) ? spGetPairOperator(&state->system)
                                 : spGetElementOperator(&state->system, body),
        .ownA = state->system.ownA,
        .ownC = state->system.crossed ? state->system.ownC : NULL,
        .columns = state->system.columns,
        .columnCount = state->system.columnCount,
        .constraints = state->constraints,
        .patchConstraint = state->patchConstraint,
        .rawB = state->rawB,
        .rawProduct = state->rawProduct,
        .localA = state->system.localA,
        .localC = state->def.solver.preconditioner == sp_preconditionJacobi ? NULL : state->system.localC,
        .preconditioner = state->factor != NULL ? spGetFrontFactor(state->factor) : NULL,
        .rotations = state->factor != NULL ? spGetFactorTurns(state->factor) : NULL,
    };
}

// Solves with the rows as they stand. dv is left in cg.x.
static spCgResult spSolveLinear(spImplicitStep* s, bool first)
{
    spImplicitState* state = s->state;
    spBody* body = s->body;
    spSystem system = spGetLinearSystem(s);
    int least = state->hasty && body->rowCount > 0 ? SP_ROW_PATIENCE * state->iterationLimit : 1;
    spCgDef def = {.tolerance = (double)state->def.solver.tolerance,
                   .maxIterations =
                       spMinInt(state->def.solver.maxIterations, spMaxInt(least, spGetIterationsLeft(s))),
                   .least = state->def.solver.newtonSteps > 1 ? 0.0 : SP_REST_SHARE * s->weight,
                   .stop = &s->stop};
    body->solverReport.operatorType = spUsesPairs(state) ? sp_operatorAssembled : sp_operatorMatrixFree;
    memcpy(state->cg.b, state->f, (size_t)body->nodeCount * sizeof(spVec4));
    spAddRowImpulses(s, state->cg.b);
    double start = spGetSeconds();
    // Node rows already ask for velocities at the end
    if (first && state->hasty && state->rough && body->rowCount == 0)
    {
        spCalmStart(s, &system);
    }
    spCgResult result = spSolveCg(&system, &state->cg, &def, s->force.team);
    body->solverReport.solveSeconds += spGetSeconds() - start;
    body->solverReport.iterations += result.iterations;
    body->solverReport.residual = result.residual;
    if ((state->hasty || state->blind) && spIsFree(s))
    {
        // Stiffness exerts nothing on the whole: what is left of that is owed to the mass alone
        spWholeMotion owed = spFindWholeMotion(body, body->x, state->cg.r, false);
        spLimitTurn(&owed, (double)s->h);
        spAddWholeMotion(&owed, 1.0, body->x, body->nodeCount, state->cg.x);
    }
    return result;
}

// Sum over free directions of a.b; what stands at constraints can be much larger than all the rest
static double spDotFree(const spImplicitStep* s, const spVec4* a, const spVec4* b)
{
    const spImplicitState* state = s->state;
    int count = s->body->nodeCount;
    spVec4* free = state->cg.t;
    memcpy(free, a, (size_t)count * sizeof(spVec4));
    for (int i = 0; i < state->patchConstraint[s->body->order.patchCount]; ++i)
    {
        const spConstraint* c = state->constraints + i;
        spVec3 p = spXyz(free[c->node]);
        p = c->all ? (spVec3){0, 0, 0} : spMulSub3(p, spDot3(c->normal, p), c->normal);
        free[c->node] = (spVec4){p.x, p.y, p.z, 0};
    }
    return state->system.kernels->dot(free, b, 0, count);
}

// The same of a.a
static double spGetFreeLength(const spImplicitStep* s, const spVec4* a)
{
    spDotFree(s, a, a);
    return sqrt(s->state->system.kernels->dot(s->state->cg.t, s->state->cg.t, 0, s->body->nodeCount));
}

// What all constraints exert: root of the sum of squares
static double spGetReactions(const spImplicitStep* s)
{
    const spImplicitState* state = s->state;
    double sum = 0.0;
    for (int i = 0; i < state->patchConstraint[s->body->order.patchCount]; ++i)
    {
        sum += (double)spLengthSquared3(spSub3(state->rawProduct[i], state->rawB[i]));
    }
    return sqrt(sum);
}

// Solves from the dv that stands in cg.x: rows are checked and solved with again until they stay
static spCgResult spRunRounds(spStageContext* c, bool first, int rounds)
{
    spImplicitStep* s = c->step;
    spImplicitState* state = s->state;
    spCgResult result = {0};
    for (int round = 0; round < rounds; ++round)
    {
        memcpy(s->body->v, state->way, (size_t)s->body->nodeCount * sizeof(spVec4));
        spBuildConstraints(s);
        result = spSolveLinear(s, first && round == 0);
        c->share = 1;
        spRunNodes(c, sp_stageMove);
        s->closing = round >= SP_ROW_ROUNDS;
        // What constraints exert is not known where the solve has ended early: rows stay as they were guessed
        bool unknown = state->hasty && result.converged == false;
        if (result.late || result.indefinite || unknown || spCheckRows(s) == false)
        {
            break;
        }
        if (spShouldStop(&s->stop))
        {
            result.late = true;
            result.converged = false;
            break;
        }
    }
    return result;
}

// What dv makes of the energy of the linearised step: dv A dv / 2 - f dv
static double spGetEnergyChange(const spImplicitStep* s, double curvature, const spVec4* dv)
{
    double work = s->state->system.kernels->dot(s->state->f, dv, 0, s->body->nodeCount);
    return 0.5 * curvature - work - spGetHoldWork(s, dv);
}

// The most of it that a step may end with: what a body has that stops, and as much again as it loses then,
// for friction, which has the last word over energy. At rest all of that is rounding.
static double spGetMostEnergy(spImplicitStep* s)
{
    spImplicitState* state = s->state;
    spSystem system = spGetLinearSystem(s);
    spVec4* stop = state->cg.d;
    spFillStop(s, stop);
    return s->least + s->lost +
           spGetEnergyChange(s, spGetCurvature(&system, &state->cg, stop, s->force.team), stop);
}

// The same of the dv that was just solved for
static double spGetSolvedEnergy(const spImplicitStep* s)
{
    const spImplicitState* state = s->state;
    const spVec4* product = spUsesPairs(state) ? state->system.product : s->body->f;
    double curvature = state->system.kernels->dot(state->cg.x, product, 0, s->body->nodeCount);
    for (int i = 0; i < state->patchConstraint[s->body->order.patchCount]; ++i)
    {
        // The product is without what stands at constraints
        const spConstraint* c = state->constraints + i;
        spVec3 dv = spXyz(state->cg.x[c->node]), p = state->rawProduct[i];
        curvature += (double)(c->all ? spDot3(dv, p) : spDot3(c->normal, dv) * spDot3(c->normal, p));
    }
    return spGetEnergyChange(s, curvature, state->cg.x);
}

// Solves a linearisation, rows included
static spCgResult spSolveRounds(spStageContext* c, bool first)
{
    spImplicitStep* s = c->step;
    spImplicitState* state = s->state;
    spRunNodes(c, sp_stageKeep);
    double most = s->judged ? spGetMostEnergy(s) : INFINITY;
    if (first && state->hasLastDv)
    {
        memcpy(state->cg.x, state->lastDv, (size_t)s->body->nodeCount * sizeof(spVec4));
    }
    else
    {
        memset(state->cg.x, 0, (size_t)s->body->nodeCount * sizeof(spVec4));
    }
    spCgResult result = spRunRounds(c, first, SP_ROW_ROUNDS);
    if (s->judged == false || spGetSolvedEnergy(s) + spGetMissedEnergy(s) <= most)
    {
        return result;
    }
    if (result.late == false)
    {
        spGuessAsWhole(s);
        s->careful = true;
        result = spRunRounds(c, false, 2 * SP_ROW_ROUNDS);
        s->careful = false;
        if (spGetSolvedEnergy(s) + spGetMissedEnergy(s) <= most)
        {
            return result;
        }
    }
    spEndAsWhole(s);
    s->whole = true;
    result.converged = false;
    return result;
}

// Goes along dv as far as the force along it does not turn round too much. b of the end is left in state->f,
// and with the rows in cg.b.
// whole: with motion that constraints prescribe the force along dv says nothing
static void spSearchLine(spStageContext* c, double slope, bool whole)
{
    spImplicitStep* s = c->step;
    spImplicitState* state = s->state;
    c->share = 1;
    for (int cut = 0; cut <= SP_LINE_CUTS; ++cut)
    {
        spRunNodes(c, sp_stageMove);
        spFindForces(c);
        memcpy(state->cg.b, state->f, (size_t)s->body->nodeCount * sizeof(spVec4));
        spAddRowImpulses(s, state->cg.b);
        double end = spDotFree(s, state->cg.b, state->cg.x);
        if ((whole || !(end < -SP_LINE_SHARE * fabs(slope))) && isfinite(end))
        {
            return;
        }
        // Where a straight line between the two would cross zero, within bounds
        double zero = isfinite(end) && slope > 0.0 ? slope / (slope - end) : 0.1;
        c->share *= (spReal)fmin(0.7, fmax(0.1, zero));
    }
}

// The step of a quasi-static method that is left: net force over load
static double spGetNewtonResidual(const spImplicitStep* s, double load)
{
    return load > 0.0 ? spGetFreeLength(s, s->state->cg.b) / load : 0.0;
}

// Whether the last step of Newton's method, taken whole, would move nodes by no more than positions resolve.
// A line search only sees rounding then: how much of the step it took says nothing.
static bool spIsRounding(const spStageContext* c)
{
    const spImplicitStep* s = c->step;
    const double epsilon = sizeof(spReal) == sizeof(float) ? 1.2e-7 : 2.2e-16;
    double moved = 0.0;
    for (int node = 0; node < s->body->nodeCount; ++node)
    {
        moved = fmax(moved, (double)spLengthSquared3(spXyz(s->state->cg.x[node])));
    }
    return (double)s->reach * sqrt(moved) <= SP_ROUNDING_STEPS * epsilon * s->state->extent;
}

// Whether the stiffness grows without bound as elements deform, and some neighbours have moved against each
// other by more than their distance: what was linearised at the start means nothing there. far: by more than
// the largest distance of any, whatever the stiffness.
static bool spLeftLinear(const spImplicitStep* s, bool far)
{
    const spBody* body = s->body;
    const spSparse* a = &s->state->system.sparse;
    if (far == false && (s->fill.bound || spStiffens(body) == false))
    {
        return false;
    }
    const spVec4* base = s->state->baseX;
    double mostWay = 0.0, mostBefore = 0.0;
    for (int node = 0; node < body->nodeCount; ++node)
    {
        for (int k = a->rowBegin[node]; k < a->rowBegin[node + 1]; ++k)
        {
            int other = a->rowColumns[k];
            spVec3 before = spSub3(spXyz(base[node]), spXyz(base[other]));
            spVec3 way = spScale3(s->reach, spSub3(spXyz(body->v[node]), spXyz(body->v[other])));
            mostWay = fmax(mostWay, (double)spLengthSquared3(way));
            mostBefore = fmax(mostBefore, (double)spLengthSquared3(before));
            if (far == false && !(spLengthSquared3(way) <= spLengthSquared3(before)))
            {
                return true;
            }
        }
    }
    return !(mostWay <= mostBefore);
}

// Whether one linearisation has led too far: the force along dv has turned round where it ends by more than a
// line search lets pass, as it also has where a body turns, and the body has gained energy. Costs one
// evaluation of the forces, and leaves b of the end in state->f.
static bool spOvershoots(spStageContext* c)
{
    spImplicitStep* s = c->step;
    spImplicitState* state = s->state;
    bool constant = true;
    for (int i = 0; i < s->body->setCount; ++i)
    {
        constant = constant && s->body->sets[i]->constant;
    }
    if (constant || s->fill.bound || s->prescribed || state->hasty)
    {
        return false;
    }
    double slope = spDotFree(s, state->cg.b, state->cg.x);
    spFindForces(c);
    memcpy(state->cg.d, state->f, (size_t)s->body->nodeCount * sizeof(spVec4));
    spAddRowImpulses(s, state->cg.d);
    double end = spDotFree(s, state->cg.d, state->cg.x);
    return !(end >= -SP_LINE_SHARE * fabs(slope)) && spIsRounding(c) == false && spClimbs(s);
}

// Whether gravity and the user's forces are all that acts from outside
static bool spKnowsLoads(const spImplicitStep* s)
{
    bool known = s->body->rowCount == 0 && spIsFree(s);
    for (int i = 0; i < s->body->setCount; ++i)
    {
        known = known && (s->body->sets[i]->kind->flags & sp_kindField) == 0;
    }
    return known;
}

// Gives a body that nothing holds the momentum that its loads leave it, where its solve has ended early
static void spRestoreMomentum(spStageContext* c)
{
    spImplicitStep* s = c->step;
    spImplicitState* state = s->state;
    const spBody* body = s->body;
    spVec4* impulse = state->cg.d;
    for (int node = 0; node < body->nodeCount; ++node)
    {
        spVec4 v = body->v[node], base = state->baseV[node];
        spVec4 f = body->nodeForces != NULL ? body->nodeForces[node] : (spVec4){0};
        spReal m = body->mass[node], r = s->reach;
        spVec3 g = s->force.gravity;
        impulse[node] =
            (spVec4){m * (base.x - v.x + r * g.x) + r * f.x, m * (base.y - v.y + r * g.y) + r * f.y,
                     m * (base.z - v.z + r * g.z) + r * f.z, 0};
    }
    spWholeMotion owed = spFindWholeMotion(body, state->baseX, impulse, false);
    spLimitTurn(&owed, (double)s->h);
    memset(state->cg.x, 0, (size_t)body->nodeCount * sizeof(spVec4));
    spAddWholeMotion(&owed, 1.0, state->baseX, body->nodeCount, state->cg.x);
    spRunNodes(c, sp_stageKeep);
    c->share = 1;
    spRunNodes(c, sp_stageMove);
}

// Returns flags
static uint32_t spSolveSubstep(spImplicitStep* s)
{
    spImplicitState* state = s->state;
    spSolverReport* report = &s->body->solverReport;
    spStageContext c = {.step = s};
    int most = state->def.solver.newtonSteps;
    double load = 0.0, tolerance = (double)state->def.solver.newtonTolerance;
    bool project = s->fill.project;
    s->fill.project = true;
    spCgResult result = {0};
    uint32_t flags = 0;
    for (int k = 0; k < most; ++k)
    {
        if (k == 0)
        {
            spFindForces(&c);
        }
        spAssemble(s);
        if (k == 0)
        {
            spAddWay(&c);
            spFindHiddenMass(s);
            s->judged = spNeedsJudgement(s);
            if (s->judged)
            {
                spFindFlight(s);
            }
        }
        result = spSolveRounds(&c, k == 0);
        report->newtonSteps += 1;
        if (s->whole)
        {
            break;
        }
        if (k == 0)
        {
            load = fmax(fmax(spGetFreeLength(s, state->cg.b), s->weight), most > 1 ? spGetReactions(s) : 0.0);
        }
        if (result.indefinite && s->fill.project == false)
        {
            // The exact stiffness pushes somewhere: this step goes on with what is left without that
            c.share = 0;
            spRunNodes(&c, sp_stageMove);
            s->fill.project = true;
            spAssemble(s);
            result = spSolveRounds(&c, false);
            if (s->whole)
            {
                break;
            }
        }
        if (most == 1)
        {
            // What bounds the stiffness near the shape at rest may not elsewhere
            flags |= s->fill.bound && spLeftLinear(s, true) ? sp_stepUnstable : 0;
            if (spLeftLinear(s, false) == false && (s->judged && spIsThrown(s, result.converged)) == false &&
                spOvershoots(&c) == false)
            {
                break;
            }
            // One linearisation would throw the body anywhere: this step takes some, with line search
            most = SP_RESCUE_STEPS;
            tolerance = SP_RESCUE_TOLERANCE;
        }
        spSearchLine(&c, spDotFree(s, state->cg.b, state->cg.x), k == 0 && s->prescribed);
        double last = report->forceResidual;
        report->forceResidual = spGetNewtonResidual(s, load);
        // Far from the end, or where it does not help, the exact stiffness may lead anywhere
        bool helps = s->fill.project || report->forceResidual < SP_EXACT_GAIN * last;
        report->rounded = result.converged && result.iterations > 0 &&
                          (s->fill.project || report->forceResidual < SP_EXACT_LIMIT) && spIsRounding(&c);
        s->fill.project = project || report->forceResidual > SP_EXACT_LIMIT || helps == false;
        if (report->forceResidual <= tolerance || report->rounded || spShouldStop(&s->stop) ||
            spGetIterationsLeft(s) <= state->linearCost)
        {
            break;
        }
    }
    if (s->judged && s->whole == false && most > 1 && spIsThrown(s, result.converged))
    {
        spEndAsWhole(s);
        s->whole = true;
    }
    bool good = most == 1 ? result.converged : report->forceResidual <= tolerance || report->rounded;
    good = good && s->whole == false;
    report->converged = report->converged && good;
    state->rough = good == false;
    if (state->hasty && state->rough && spKnowsLoads(s))
    {
        spRestoreMomentum(&c);
    }
    memcpy(state->lastDv, state->cg.x, (size_t)s->body->nodeCount * sizeof(spVec4));
    state->hasLastDv = most == 1 && s->whole == false;
    spFinishRows(s);
    return good ? flags : flags | sp_stepSolverStopped;
}

// ---- the method ----

// Whether the past state of BDF2 is what the body went through
static bool spHasPast(const spBody* body, const spImplicitState* state)
{
    size_t size = (size_t)body->nodeCount * sizeof(spVec4);
    return state->pastDt > 0 && memcmp(state->seen[0], body->x, size) == 0 &&
           memcmp(state->seen[1], body->v, size) == 0;
}

// A mass that keeps the matrix of a static system regular where nothing holds the body: small beside the
// stiffness of its softest motions
static spReal spGetStaticMass(const spBody* body)
{
    return body->heldCount > 0 ? (spReal)1e-6 : (spReal)1e-2;
}

static int spCountImplicitSubsteps(const spBody* body, spReal dt, uint32_t* flags)
{
    SP_UNUSED(dt);
    SP_UNUSED(flags);
    return spMaxInt(1, body->methodDef.substeps);
}

// Solves the substep as far as the clock, or what was chosen before, lets it. Returns flags.
static uint32_t spSolveWithin(spImplicitStep* s)
{
    s->taken = -1;
    if (s->state->factor != NULL)
    {
        spRefreshFactor(s);
    }
    return spSolveSubstep(s);
}

// Velocities of a static step are displacements: those of driven nodes as far as they go, others none
static void spTakeDisplacements(const spImplicitStep* s)
{
    spBody* body = s->body;
    for (int node = 0; node < body->nodeCount; ++node)
    {
        spVec4 v = body->v[node];
        spReal h = body->roles[node] == sp_nodeDriven ? s->h : 0;
        body->v[node] = (spVec4){h * v.x, h * v.y, h * v.z, 0};
    }
}

static void spRunImplicitSubstep(spImplicitStep* s, uint32_t* flags)
{
    spBody* body = s->body;
    spImplicitState* state = s->state;
    spStageContext c = {.step = s, .weights = {1, 0}};
    size_t size = (size_t)body->nodeCount * sizeof(spVec4);
    spReal h = s->h;
    s->reach = s->isStatic ? 1 : h;
    if (state->def.type == sp_bdf2)
    {
        if (spHasPast(body, state))
        {
            spReal w = h / state->pastDt, divisor = 1 + 2 * w;
            s->reach = (1 + w) / divisor * h;
            c.weights[0] = (1 + w) * (1 + w) / divisor;
            c.weights[1] = -w * w / divisor;
        }
    }
    if (s->isStatic)
    {
        spTakeDisplacements(s);
        s->mass = spGetStaticMass(body);
    }
    s->fill = spGetPatternFill(state);
    s->fill.stiffness = s->reach * s->reach;
    s->fill.damping *= s->reach;
    s->force.state.time += (double)h;
    s->whole = false;
    spRunNodes(&c, sp_stageBases);
    if (state->def.type == sp_bdf2)
    {
        memcpy(state->past[0], body->x, size);
        memcpy(state->past[1], body->v, size);
    }
    s->weight = (double)s->reach * (double)spLength3(s->force.gravity) * state->massNorm;
    if (body->rowCount > 0)
    {
        spStartRows(s);
    }
    *flags |= spSolveWithin(s);
    if (s->isStatic)
    {
        memset(body->v, 0, size);
    }
    if (state->def.type == sp_bdf2)
    {
        memcpy(state->seen[0], body->x, size);
        memcpy(state->seen[1], body->v, size);
        // One that did not deform is no past to go on from
        state->pastDt = s->whole ? 0 : h;
    }
    state->steps += 1;
}

// What a step costs in which each substep has one linearisation and one iteration
static double spGetLeastSeconds(const spSolverReport* before, const spSolverReport* after, double spent,
                                int substepCount)
{
    double count = (double)substepCount, solve = after->solveSeconds - before->solveSeconds;
    double steps = (double)(after->newtonSteps - before->newtonSteps);
    double iterations = (double)(after->iterations - before->iterations);
    return fmax(spent - solve, 0.0) * fmin(1.0, count / fmax(steps, 1.0)) +
           solve * fmin(1.0, count / fmax(iterations, 1.0));
}

static bool spCheckImplicitChoice(const spBody* body, const spChoice* choice, spError* error)
{
    const spImplicitState* state = body->methodState;
    const spSolverDef* solver = &state->def.solver;
    int64_t step = choice->factorStep;
    if (choice->stopAfter < -1 || step < -1)
    {
        return spFail(error, sp_errorBadArgument, "factorStep %lld and stopAfter %lld must be at least -1",
                      (long long)step, (long long)choice->stopAfter);
    }
    if (step >= 0 && (solver->asynchronous == false || solver->age > 0))
    {
        return spFail(error, sp_errorBadArgument,
                      "only an asynchronous preconditioner of age 0 is taken in use by a decision");
    }
    // One that is still to be asked for in that step cannot be known
    bool known = state->factor != NULL && spIsFactorAsked(state->factor);
    if (step >= 0 && step < state->steps && (known == false || spGetFactorStep(state->factor, true) != step))
    {
        return spFail(error, sp_errorBadArgument,
                      "no preconditioner of step %lld is being made: the decisions are those of another run",
                      (long long)step);
    }
    return true;
}

static spAdvanceResult spAdvanceImplicit(spBody* body, const spAdvanceContext* context)
{
    spImplicitState* state = body->methodState;
    spAdvanceResult result = {0};
    result.substepCount =
        context->substepCount > 0 ? context->substepCount : spMaxInt(1, body->methodDef.substeps);
    if (state->failed)
    {
        result.flags = sp_stepSolverStopped;
        result.outOfMemory = true;
        return result;
    }
    if (context->startFraction == 0)
    {
        body->solverReport = (spSolverReport){.preconditioner = state->def.solver.preconditioner,
                                              .asynchronous = state->def.solver.asynchronous,
                                              .converged = true,
                                              .factorStep = -1};
    }
    spReal scale = body->gravityScale;
    spVec3 g = {scale * context->gravity.x, scale * context->gravity.y, scale * context->gravity.z};
    spImplicitStep s = {
        .body = body,
        .state = state,
        .context = context,
        .force = {.body = body, .state = spGetNodeState(body), .gravity = g, .team = context->team},
        .h = context->dt / (spReal)result.substepCount,
        .mass = 1,
        .isStatic = state->def.type == sp_quasiStatic,
    };
    const spSolverReport before = body->solverReport;
    double begin = spGetSeconds();
    for (int i = 0; i < result.substepCount; ++i)
    {
        spReal covered = context->dt * (spReal)(i + 1) / (spReal)result.substepCount;
        s.fraction = context->startFraction + covered / context->stepDt;
        for (int k = 0; body->rowCount > 0 && k < context->colliderCount; ++k)
        {
            if (context->colliders[k] != NULL)
            {
                context->poses[k] = spGetColliderPose(context->colliders[k], s.fraction, context->stepDt);
            }
        }
        int start = body->solverReport.iterations;
        s.spentBefore = spGetSpent(&s);
        s.stop = spMakeStop(context, i, result.substepCount, begin);
        s.given = s.stop.decided ? context->choices[context->firstSubstep + i].factorStep : -1;
        spRunImplicitSubstep(&s, &result.flags);
        result.disobeyed = spTellChoice(context, i, &s.stop, s.taken) == false || result.disobeyed;
        // One that was stopped would have needed more, nobody knows how many
        bool stopped = s.stop.stopped || (state->hasty && state->rough);
        state->lastIterations = stopped ? SP_MANY_ITERATIONS : body->solverReport.iterations - start;
        if (stopped == false && (state->bestIterations == 0 || state->lastIterations < state->bestIterations))
        {
            state->bestIterations = state->lastIterations;
        }
    }
    double spent = spGetSeconds() - begin - s.refreshSeconds;
    result.leastSeconds = spGetLeastSeconds(&before, &body->solverReport, spent, result.substepCount);
    body->time += (double)context->dt;
    result.forceEvaluations = body->solverReport.newtonSteps;
    result.solverIterations = body->solverReport.iterations - before.iterations;
    result.solverResidual = body->solverReport.residual;
    return result;
}

static double spGetImplicitStableStep(spBody* body)
{
    SP_UNUSED(body);
    return INFINITY;
}

static void spAdaptImplicit(spBody* body, spTeam* team)
{
    SP_UNUSED(body);
    SP_UNUSED(team);
}

static void spRemapImplicit(spBody* body, const spBirth* birth)
{
    spImplicitState* state = body->methodState;
    spInherit(birth, state->lastDv, sizeof(spVec4));
    for (int i = 0; i < 2; ++i)
    {
        spInherit(birth, state->past[i], sizeof(spVec4));
        spInherit(birth, state->seen[i], sizeof(spVec4));
    }
}

static bool spWalkImplicitMemory(spBody* body, spWalkMemoryFcn* fcn, void* walk)
{
    spImplicitState* state = body->methodState;
    spError error = {0};
    size_t size = (size_t)body->nodeCount * sizeof(spVec4);
    bool there = spPrepareSystem(body, &error);
    fcn(walk, sp_pieceFlag, &there, sizeof(there));
    fcn(walk, sp_pieceAny, state->lastDv, size);
    fcn(walk, sp_pieceFlag, &state->hasLastDv, sizeof(state->hasLastDv));
    fcn(walk, sp_pieceFlag, &state->rough, sizeof(state->rough));
    fcn(walk, sp_pieceCount, &state->steps, sizeof(state->steps));
    fcn(walk, sp_pieceCount, &state->bestIterations, sizeof(state->bestIterations));
    fcn(walk, sp_pieceCount, &state->lastIterations, sizeof(state->lastIterations));
    for (int i = 0; i < 2 && state->def.type == sp_bdf2; ++i)
    {
        fcn(walk, sp_pieceAny, state->past[i], size);
        fcn(walk, sp_pieceAny, state->seen[i], size);
    }
    fcn(walk, sp_pieceAny, &state->pastDt, sizeof(state->pastDt));
    if (state->factor != NULL)
    {
        spWalkFactor(state->factor, body, fcn, walk);
    }
    return there;
}

const spMethodKind spImplicitMethod = {
    .name = "implicit",
    .create = spCreateImplicit,
    .destroy = spDestroyImplicit,
    .begin = spBeginImplicit,
    .getStableStep = spGetImplicitStableStep,
    .pause = spPauseImplicit,
    .countSubsteps = spCountImplicitSubsteps,
    .checkChoice = spCheckImplicitChoice,
    .advance = spAdvanceImplicit,
    .freeze = spFreezeImplicit,
    .correct = spCorrectImplicit,
    .adapt = spAdaptImplicit,
    .walkMemory = spWalkImplicitMemory,
    .remap = spRemapImplicit,
};
