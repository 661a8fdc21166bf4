// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// One linearisation of an implicit substep: its right-hand side, its matrix, and the solve by conjugate
// gradients with node rows as an active set. With K = -df/dx, D = -df/dv, v = v0 + dv:
//
//   (M + r D + r^2 K) dv = r f(x0, v0) - M (v0 - baseV) - r K (baseX + r v0 - x0)
//
// The last term is there only where the substep starts; later iterates, and predictions, have x = baseX + r v.

#include "method/implicit_substep.h"

#include "base/timer.h"
#include "math/vec3.h"

#include <math.h>

// Share of the weight of a body, over a step, that is the least that a residual is measured against: a body
// at rest has hardly anything on its right-hand side
#define SP_REST_SHARE 0.01

// Iterations beyond which the operator is worth assembling
#define SP_FREE_ITERATIONS 1

// A truncated solve with node rows gets at least so many times its conjugate gradients: where the rest of a
// body does not follow what a contact prescribes, that tears the body
#define SP_ROW_WORK 4

// ---- stages over patches ----

typedef enum spPatchStage
{
    sp_stageForces,          // of the elements
    sp_stageRightSide,       // f = r (sum of them) - M (v - baseV)
    sp_stageDisplacement,    // d = baseX + r v - x
    sp_stageDifference,      // -K d, from the elements
    sp_stageAddDifference,   // f += r (sum of it)
    sp_stageProduct,         // r^2 K d, from the pairs
    sp_stageSubtractProduct, // f -= 1/r (sum of it)
    sp_stageMove,            // v = iterateV + share dv, x = baseX + r v
} spPatchStage;

typedef struct spStageContext
{
    const spSubstep* s;
    const spForceContext* force;
    spPatchStage stage;
    spReal share;
    spDifference difference;
} spStageContext;

void spSetSubstepPositions(const spSubstep* s, spVec4* x, const spVec4* from, spReal r, const spVec4* v,
                           int begin, int end)
{
    const spBackend* backend = s->body->backend;
    if (s->force.state.remainder > 0)
    {
        backend->setPositionsPrecise(x, s->force.state.remainder, from, r, v, begin, end);
    }
    else
    {
        backend->setPositions(x, from, r, v, begin, end);
    }
}

static void spRunPatchStage(int begin, int end, int workerIndex, void* context)
{
    SP_UNUSED(workerIndex);
    const spStageContext* c = context;
    const spSubstep* s = c->s;
    spImplicitSolver* solver = s->solver;
    const spBody* body = s->body;
    const spBackend* backend = body->backend;
    spReal r = s->effectiveStep;
    int remainder = s->force.state.remainder;
    for (int patch = begin; patch < end; ++patch)
    {
        int first = body->order.patchBegin[patch], last = body->order.patchBegin[patch + 1];
        switch (c->stage)
        {
            case sp_stageForces:
                spAddPatchForces(c->force, patch);
                break;
            case sp_stageRightSide:
                spSumPatchForces(c->force, patch);
                backend->setRightSide(solver->f, r, body->f, s->isStatic ? 0 : 1, body->mass, s->v,
                                      solver->baseV, first, last);
                break;
            case sp_stageDisplacement:
                if (remainder > 0)
                {
                    backend->setDisplacementsPrecise(solver->cg.d, remainder, solver->baseX, r, s->v, s->x,
                                                     first, last);
                    break;
                }
                backend->setDisplacements(solver->cg.d, solver->baseX, r, s->v, s->x, first, last);
                break;
            case sp_stageDifference:
                spAddPatchDifference(c->force, &c->difference, patch);
                break;
            case sp_stageAddDifference:
                spSumPatchForces(c->force, patch);
                backend->addScaled(solver->f, r, body->f, first, last);
                break;
            case sp_stageProduct:
                backend->multiply(&solver->system.sparse, solver->cg.d, patch, solver->system.product);
                break;
            case sp_stageSubtractProduct:
                backend->sumSlots(&solver->system.sparse.slots, solver->system.product, patch);
                backend->addScaled(solver->f, -1 / r, solver->system.product, first, last);
                break;
            case sp_stageMove:
                backend->setVelocities(s->v, solver->iterateV, c->share, solver->cg.x, first, last);
                spSetSubstepPositions(s, s->x, solver->baseX, r, s->v, first, last);
                break;
        }
    }
}

static void spRunPatches(spStageContext* c, spPatchStage stage)
{
    c->stage = stage;
    spParallelFor(c->s->problem->team, spRunPatchStage, c->s->body->order.patchCount, 1, c);
}

void spMoveAlong(const spSubstep* s, spReal share)
{
    spStageContext c = {.s = s, .share = share};
    spRunPatches(&c, sp_stageMove);
}

// ---- the right-hand side ----

void spFindForces(const spSubstep* s)
{
    spForceContext force = s->force;
    spStageContext c = {.s = s, .force = &force};
    // IMEX has damping in its bound; velocities of a static step are displacements
    if (s->fill.bound || s->isStatic)
    {
        s->body->backend->clear(s->solver->cg.z, 0, s->body->nodeCount);
        force.state.v = s->solver->cg.z;
    }
    spMeasureForces(&force);
    spRunPatches(&c, sp_stageForces);
    spRunPatches(&c, sp_stageRightSide);
}

// IMEX: the bound, which stands in the matrix beside the mass, acts on the velocity in place of stiffness and
// damping, whose forces were taken at no velocity
static void spSubtractBound(const spSubstep* s)
{
    spImplicitSolver* solver = s->solver;
    const spSparse* a = &solver->system.sparse;
    spVec4* product = solver->system.product;
    for (int patch = 0; patch < a->patchCount; ++patch)
    {
        a->backend->multiply(a, s->v, patch, product);
    }
    for (int patch = 0; patch < a->patchCount; ++patch)
    {
        a->backend->sumSlots(&a->slots, product, patch);
    }
    a->backend->finishProduct(product, s->v, solver->system.ownA,
                              solver->system.crossed ? solver->system.ownC : NULL, 1, 0, s->body->nodeCount);
    s->body->backend->subtractBeyondMass(solver->f, product, s->mass, s->body->mass, s->v, 0,
                                         s->body->nodeCount);
    // Soft holds stand in the matrix too, but their impulses are those at the velocity already
    for (int i = 0; i < s->problem->rowCount; ++i)
    {
        if (solver->rowSolves[i].status == sp_statusSoft)
        {
            const spRow* row = s->problem->rows + i;
            spVec4* f = solver->f + row->a.node;
            spVec3 back = spScale3(s->fill.stiffness / row->compliance, spXyz(s->v[row->a.node]));
            *f = (spVec4){f->x + back.x, f->y + back.y, f->z + back.z, 0};
        }
    }
}

bool spUsesPairs(const spImplicitSolver* solver)
{
    switch (solver->def.operatorType)
    {
        case sp_operatorAssembled:
            return true;
        case sp_operatorMatrixFree:
            return solver->type == sp_imex;
        default:
            // With a good preconditioner there are too few products to make the assembly worth while. Every round of
            // contacts has its own.
            return solver->factor == NULL || solver->type == sp_imex || solver->refresh.lastRounds > 1 ||
                   solver->refresh.lastIterations > SP_FREE_ITERATIONS;
    }
}

// Whether the pairs hold the whole stiffness times r^2 and nothing else
static bool spArePairsStiffness(const spSubstep* s)
{
    const spBodySystem* system = &s->solver->system;
    bool alone = spUsesPairs(s->solver) && system->diagonal == NULL && system->columnCount == 0;
    for (int i = 0; alone && i < s->body->setCount; ++i)
    {
        const spElementSet* set = s->body->sets[i];
        alone = set->kind->isDamped == NULL || set->kind->isDamped(set) == false;
    }
    return alone;
}

void spAddDisplacement(const spSubstep* s)
{
    spStageContext c = {.s = s, .force = &s->force};
    if (s->fill.bound)
    {
        spSubtractBound(s);
        return;
    }
    spRunPatches(&c, sp_stageDisplacement);
    if (spArePairsStiffness(s))
    {
        spRunPatches(&c, sp_stageProduct);
        spRunPatches(&c, sp_stageSubtractProduct);
        return;
    }
    s->body->backend->clear(s->solver->cg.z, 0, s->body->nodeCount);
    c.difference = (spDifference){.dx = s->solver->cg.d, .dv = s->solver->cg.z, .project = s->fill.project};
    spMeasureDifference(&s->force, &c.difference);
    spRunPatches(&c, sp_stageDifference);
    spRunPatches(&c, sp_stageAddDifference);
}

// ---- the matrix ----

void spAssemble(spSubstep* s)
{
    spImplicitSolver* solver = s->solver;
    double start = spGetSeconds();
    bool local = solver->system.localA != NULL;
    s->assembled = spUsesPairs(solver) || local;
    spAssembleSystem(&solver->system, s->body, &s->force, s->mass, &s->fill, s->assembled);
    spAddRowStiffness(s);
    if (local)
    {
        spMakeLocal(&solver->system, s->body, solver->def.preconditioner == sp_preconditionBlockJacobi,
                    s->problem->team);
    }
    s->problem->report->assembleSeconds += spGetSeconds() - start;
}

spInertiaResolution spFindInertiaResolution(const spSubstep* s)
{
    const spSolverDef* def = &s->solver->def;
    double digits = sizeof(spReal) == sizeof(float) ? 1e5 : 1e13, sums[2] = {0};
    if (s->assembled)
    {
        s->body->backend->sumStiffness(sums, s->solver->system.sparse.diagonal[0], s->body->mass,
                                       (double)s->mass, 0, s->body->nodeCount);
    }
    double stiffness = sums[0], mass = sums[1];
    if (s->touches)
    {
        // Contacts resist how the body moves rigidly
        return sp_inertiaResolved;
    }
    // More than one linearisation looks at the force itself
    double resolved = def->newtonSteps == 1 ? fmin(digits, 10.0 / (double)def->tolerance) : digits;
    if (!(stiffness > resolved * mass))
    {
        return sp_inertiaResolved;
    }
    // A complete factor resolves more than the tolerance asks for
    bool complete = def->preconditioner == sp_preconditionCholesky;
    return complete && !(stiffness > digits * mass) ? sp_inertiaUnresolved : sp_inertiaLost;
}

spSystem spGetLinearSystem(const spSubstep* s)
{
    spImplicitSolver* solver = s->solver;
    spBodySystem* system = &solver->system;
    return (spSystem){
        .nodeCount = s->body->nodeCount,
        .patchCount = s->body->order.patchCount,
        .patchBegin = s->body->order.patchBegin,
        .backend = system->backend,
        .op = spUsesPairs(solver) ? spGetPairOperator(system) : spGetElementOperator(system, s->body),
        .ownA = system->ownA,
        .ownC = system->crossed ? system->ownC : NULL,
        .columns = system->columns,
        .columnCount = system->columnCount,
        .constraints = solver->constraints,
        .patchConstraint = solver->patchConstraint,
        .rawB = solver->rawB,
        .rawProduct = solver->rawProduct,
        .localA = system->localA,
        .localC = solver->def.preconditioner == sp_preconditionJacobi ? NULL : system->localC,
        .preconditioner = solver->factor != NULL ? spGetFrontFactor(solver->factor) : NULL,
        .rotations = solver->factor != NULL ? spGetFactorTurns(solver->factor) : NULL,
    };
}

// ---- the solve ----

int spGetWork(const spSubstep* s)
{
    const spSolverReport* report = s->problem->report;
    return report->iterations + s->solver->limit.linearisationCost * report->newtonSteps;
}

int spGetWorkLeft(const spSubstep* s)
{
    int limit = s->solver->limit.iterations;
    return limit > 0 ? spMaxInt(0, limit - (spGetWork(s) - s->workBefore)) : INT32_MAX;
}

int spGetRowWorkLeft(const spSubstep* s)
{
    int limit = SP_ROW_WORK * s->solver->limit.iterations;
    return limit > 0 ? spMaxInt(0, limit - (spGetWork(s) - s->workBefore)) : INT32_MAX;
}

bool spIsFree(const spSubstep* s)
{
    return s->solver->patchConstraint[s->body->order.patchCount] == 0;
}

// A truncated solve leaves nodes much of the velocity that they began with. Where that is the vibration of a
// stiff body it would tear the body apart, so the iterate starts with as much of it as minimises the
// quadratic model. The right-hand side follows.
static void spDampVibration(const spSubstep* s, const spSystem* system)
{
    const spBody* body = s->body;
    spImplicitSolver* solver = s->solver;
    const spBackend* backend = solver->system.backend;
    spVec4* vibration = solver->warmStart;
    backend->copy(vibration, solver->iterateV, 0, body->nodeCount);
    if (spIsFree(s))
    {
        spRigidMotion rigid = spFindRigidMotion(body, s->x, solver->iterateV, true);
        spLimitRotation(&rigid, (double)s->h);
        backend->addRigid(vibration, &rigid, -1.0, s->x, 0, body->nodeCount);
    }
    backend->clearListed(vibration, body->held, body->heldCount);
    double best = spFindShare(system, &solver->cg, vibration, s->problem->team);
    spReal share = (spReal)fmin(0.0, fmax(-1.0, best));
    backend->addScaled(solver->iterateV, share, vibration, 0, body->nodeCount);
    backend->addScaled(solver->f, -share, system->op.product, 0, body->nodeCount);
    backend->addScaled(solver->cg.b, -share, system->op.product, 0, body->nodeCount);
}

// Stiffness exerts nothing on a rigid motion: what the residual has of one is owed to the mass alone
static void spAddOwedMotion(const spSubstep* s)
{
    const spCgVectors* cg = &s->solver->cg;
    spRigidMotion owed = spFindRigidMotion(s->body, s->x, cg->r, false);
    spLimitRotation(&owed, (double)s->h);
    s->body->backend->addRigid(cg->x, &owed, 1.0, s->x, 0, s->body->nodeCount);
}

// Right-hand sides that are less count as this. From a prediction hardly anything is left to do.
static double spGetLeastLoad(const spSubstep* s)
{
    double least = s->predicted ? fmax(s->weightNorm, s->changeNorm) : SP_REST_SHARE * s->weightNorm;
    return s->solver->def.newtonSteps > 1 ? 0.0 : least;
}

// What links ask for is differences of large loads: bodies that are joined are solved better
double spGetTolerance(const spSubstep* s, double tolerance)
{
    const double joined = sizeof(spReal) == sizeof(float) ? 1e-5 : 1e-8;
    return s->body->joined ? fmin(tolerance, joined) : tolerance;
}

spCgResult spSolveLinear(const spSubstep* s, bool first)
{
    spImplicitSolver* solver = s->solver;
    spSolverReport* report = s->problem->report;
    spSystem system = spGetLinearSystem(s);
    bool truncated = solver->limit.truncated, hasRows = s->problem->rowCount > 0;
    int least = truncated && hasRows ? SP_ROW_WORK * solver->limit.iterations : 1;
    int most = spMaxInt(least, s->byLaw ? spGetRowWorkLeft(s) : spGetWorkLeft(s));
    double coarse = fmax(1.0, s->coarse);
    spCgDef def = {.tolerance = coarse * spGetTolerance(s, (double)solver->def.tolerance),
                   .maxIterations = spMinInt(solver->def.maxIterations, most),
                   .least = spGetLeastLoad(s),
                   .rounding = (double)solver->def.tolerance * fmax(s->weightNorm, s->changeNorm),
                   .stop = s->problem->stop};
    report->operatorType = spUsesPairs(solver) ? sp_operatorAssembled : sp_operatorMatrixFree;
    s->body->backend->copy(solver->cg.b, solver->f, 0, s->body->nodeCount);
    spAddRowImpulses(s, solver->cg.b);
    double start = spGetSeconds();
    // Node rows already ask for velocities at the end
    if (first && truncated && solver->unconverged && hasRows == false)
    {
        spDampVibration(s, &system);
    }
    spCgResult result = spSolveCg(&system, &solver->cg, &def, s->problem->team);
    report->solveSeconds += spGetSeconds() - start;
    report->iterations += result.iterations;
    report->residual = result.residual;
    report->rounded = result.rounded;
    result.converged = result.converged || result.residual <= coarse * (double)solver->def.tolerance;
    if ((truncated || solver->inertia != sp_inertiaResolved) && spIsFree(s))
    {
        spAddOwedMotion(s);
    }
    return result;
}

spCgResult spSolveActiveSet(spSubstep* s, bool first, int rounds)
{
    spImplicitSolver* solver = s->solver;
    spCgResult result = {0};
    s->unsettled = true;
    for (int round = 0; round < rounds; ++round)
    {
        s->body->backend->copy(s->v, solver->iterateV, 0, s->body->nodeCount);
        spBuildConstraints(s);
        result = spSolveLinear(s, first && round == 0);
        spMoveAlong(s, 1);
        if (s->phase == sp_phaseLayers && 2 * round >= rounds)
        {
            s->phase = sp_phaseRelease;
        }
        // What constraints exert is not known where the solve was truncated: rows stay as they were guessed
        bool unknown = solver->limit.truncated && result.converged == false;
        if (result.late || result.indefinite || unknown || spCheckRows(s) == false)
        {
            s->unsettled = unknown && s->problem->rowCount > 0;
            break;
        }
        if (spShouldStop(s->problem->stop))
        {
            result.late = true;
            result.converged = false;
            break;
        }
    }
    return result;
}
