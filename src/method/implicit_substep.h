// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// One substep of an implicit method while it is solved: what implicit_solver.c shares with the files that do
// its work, each of them named below.

#pragma once

#include "method/compliance_cache.h"
#include "method/factor.h"
#include "method/implicit_solver.h"
#include "method/rigid_motion.h"

// Substeps after which a contact lasts
#define SP_LASTING 3

// What a node row does in this step
typedef enum spRowStatus
{
    sp_statusOpen,    // nothing
    sp_statusSlide,   // keeps its normal velocity; friction is a given impulse
    sp_statusStick,   // keeps all of its velocity
    sp_statusSoft,    // a spring to the anchor
    sp_statusForce,   // a given impulse: as much as a hold may give
    sp_statusPenalty, // of a static step: the contact law with a compliance
    sp_statusLaw,     // the contact law over the compliance of a factor: a given impulse
} spRowStatus;

typedef struct spRowSolve
{
    spRowStatus status;
    spVec3 velocity; // that a constraint asks for at the end, m/s
    spVec3 impulse;  // given: friction, or the most of a hold, N s
    spReal push;     // speed along the normal that only moves the node out, m/s
    bool slid;       // has slid in this step: it does not stick again
    bool shielded;   // a neighbour that is not held either lies between it and the surface
    spVec3 rigid;    // impulse on a rigid body, N s
    double scale;    // by the law: what makes impulses of different rows compare; 0 while it was never near

    // Of a static step
    spVec3 multiplier; // N
    spVec3 anchor;     // where the node would be if it stuck, m
    spReal stiffness;  // N/m
} spRowSolve;

// A contact while it is solved by the law
typedef struct spLawRow
{
    int32_t row;
    int32_t place;   // of its node in the compliance cache
    spMat3 turn;     // from the frame of the factor
    spMat3 diagonal; // compliance of the node
    spVec3 rate;     // velocity above the target that the last solve left, m/s
    spVec3 change;   // of the impulse since, N s
} spLawRow;

// Whether a linear solve resolves the inertia of the body beside its stiffness
typedef enum spInertiaResolution
{
    sp_inertiaResolved,
    sp_inertiaUnresolved, // not by its residual: the tolerance, or rounding, hides how the body moves rigidly
    sp_inertiaLost,       // nor by the preconditioner
} spInertiaResolution;

// Where a substep stands
typedef enum spSubstepPhase
{
    sp_phaseNewton,  // Newton's method; contacts are taken in and let go all at once
    sp_phaseLayers,  // rescue: contacts are taken in layer by layer, from the surface inwards
    sp_phaseRelease, // rescue: contacts are only let go
    sp_phaseRigid,   // rescue: has ended as a rigid motion
} spSubstepPhase;

// What bounds the energy of a substep: that of the body when it stops, without spin or deformation, before
// it runs into anything
typedef struct spEnergyBound
{
    bool active;
    spRigidMotion freeMotion; // of a rigid body if nothing were in its way
    double stopLoss;          // kinetic energy that stopping takes, J
    double fall;              // kinetic energy of a substep of free fall from rest, J
} spEnergyBound;

// BDF2: x and v before and after the last substep
typedef struct spHistory
{
    spVec4* before[2];
    spVec4* after[2];
    spReal h; // of that substep; 0 without one
} spHistory;

// What the refresh policy goes by
typedef struct spRefreshState
{
    int64_t steps;      // since the solver was made
    int64_t stepBegin;  // those before the present step of the world
    int bestIterations; // of a substep soon after a refresh; 0 when not known
    int lastIterations;
    int lastRounds; // of contacts in a linearisation of the last substep
    int64_t waitCount;
} spRefreshState;

struct spImplicitSolver
{
    spMethodType type;
    spSolverDef def; // with `auto` decided
    spWorkLimit limit;
    bool ready;
    bool hasSystem;
    spBodySystem system;
    spFactor* factor;
    spRefreshState refresh;
    spCgVectors cg;
    double massNorm; // root of the sum of squares of the masses, kg
    double extent;   // of the farthest node when the solver was made, m

    // From substep to substep
    spVec4* warmStart; // the last dv
    bool hasWarmStart;
    bool unconverged; // the last substep ended before it converged
    spInertiaResolution inertia;
    spHistory history;

    // Of a substep
    spReal effectiveStep;
    spReal stepRatio; // to the last one; 0 without one
    bool predicted;   // it began with what the past leads to
    spVec4* baseX;    // x = baseX + r v
    spVec4* baseV;    // M (v - baseV) = r f
    spVec4* f;        // right-hand side without node rows
    spVec4* onward;   // positions that a motion without forces leads to
    spVec4* iterateV; // velocities that the linearisation stands at; BDF2 begins with those its past leads to

    // Its constraints
    spConstraint* constraints; // room for nodeCount
    int32_t* constraintOf;     // of each node, -1 for none
    int32_t* patchConstraint;
    spVec3* constraintV; // velocity of constrained nodes
    spVec3* rawB;
    spVec3* rawProduct;
    spRowSolve* rowSolves;
    spLawRow* lawRows;
    double* mixing; // memory for their rounds
    int rowCapacity;
    spComplianceCache compliance; // between touched nodes
    bool lendsNodes;              // what it has lent last are nodes that give way alone
};

typedef struct spSubstep
{
    spBody* body;
    spImplicitSolver* solver;
    const spSubstepProblem* problem;
    spVec4* x; // those of the problem
    spVec4* v;
    spForceContext force;
    spReal h;
    spReal effectiveStep; // r: h, 2/3 h or so for BDF2, 1 for a static step
    spReal mass;          // factor of M: 1, or as much as keeps a static system regular
    spFill fill;
    bool isStatic;
    bool byLaw;     // contacts are solved by the law over the compliance of the factor, not as an active set
    bool unsettled; // the active set was still changing when its rounds, or its work, ended
    bool lacking;   // there was no memory for their compliance
    bool hasPenalties; // static: there are contacts, which act as springs about their multipliers
    bool touches;      // and some of them press where the matrix was assembled
    double size;       // of the body then: the farthest that a node is from another one, m
    bool predicted;    // BDF2: the first linearisation stands at the end that the past leads to
    double weightNorm; // root of the sum of squares of the weights of the nodes, times r, N s
    double changeNorm; // and of the changes of momentum that a prediction has, N s
    int solveCount;    // linear solves by the law
    double coarse;     // times the tolerance: what they are solved to; 0 counts as 1
    int workBefore;    // conjugate gradients before this substep, linearisations counted in
    bool assembled;    // the pairs hold the matrix of this substep
    bool prescribed;   // constraints ask for motion beyond that of the iterate
    spSubstepPhase phase;
    spEnergyBound bound;
} spSubstep;

// Where the nodes were at the start of the substep
const spVec4* spGetStart(const spSubstep* s);
// Whether the past state of BDF2 is what a body that is here now went through
bool spHasHistory(const spImplicitSolver* solver, const spBody* body, const spVec4* x, const spVec4* v);

// ---- refresh.c ----

// Takes a preconditioner in use that is due, and asks for the next one. Nodes are where the substep starts.
// Returns the step of one that was taken by a decision or by the clock, else -1.
int64_t spRefreshPreconditioner(const spSubstep* s);
// Makes one at the iterate and takes it in use, unless a thread makes them
void spRenewPreconditioner(const spSubstep* s);
// Remembers how many iterations the substep has taken
void spRecordIterations(const spSubstep* s, int iterations);

// ---- linearisation.c ----

// Right-hand side at the iterate, r f - M (v - baseV), into solver->f
void spFindForces(const spSubstep* s);
// The matrix at the iterate
void spAssemble(spSubstep* s);
// What the linearisation at the start has on its right-hand side in addition: r K times the displacement to
// baseX + r v. For IMEX what its bound makes of v.
void spAddDisplacement(const spSubstep* s);
// Whether a solve resolves the inertia of the body beside its stiffness
spInertiaResolution spFindInertiaResolution(const spSubstep* s);
bool spUsesPairs(const spImplicitSolver* solver);
spSystem spGetLinearSystem(const spSubstep* s);
// v = iterateV + share dv, x = baseX + r v, with dv in cg.x
void spMoveAlong(const spSubstep* s, spReal share);
// x = from + r v, with remainders where there are any; inverse masses stay
void spSetSubstepPositions(const spSubstep* s, spVec4* x, const spVec4* from, spReal r, const spVec4* v,
                           int begin, int end);
// The tolerance that a substep is solved to where this one was asked for
double spGetTolerance(const spSubstep* s, double tolerance);
// Solves with the rows as they stand, from a guess at dv in cg.x, where dv is left. first: of the substep
spCgResult spSolveLinear(const spSubstep* s, bool first);
// Solves the linearisation at the iterate with the node rows as an active set, from a guess at dv in cg.x,
// and moves along it. first: of the substep
spCgResult spSolveActiveSet(spSubstep* s, bool first, int rounds);
// Nothing holds the body in this substep
bool spIsFree(const spSubstep* s);
// Conjugate gradients that the substep has made, linearisations counted in, and that it may still make
int spGetWork(const spSubstep* s);
int spGetWorkLeft(const spSubstep* s);
// And with contacts by the law: a linearisation that was begun has several solves
int spGetRowWorkLeft(const spSubstep* s);

// ---- implicit_contact.c ----

// Whether contacts are to be solved by the law before an active set is tried
bool spPrefersLaw(const spSubstep* s);
// Whether the body has a factor that contacts can be solved over
bool spCanSolveByLaw(const spSubstep* s);
// As spSolveActiveSet, with contacts by the law. Where there are too many byLaw is false afterwards, and they are left
// to the active set.
spCgResult spSolveContacts(spSubstep* s, bool first);
// After steps that a line search has cut: moves nodes as far as the law asks for, over the compliance
void spKeepLaw(spSubstep* s);

// ---- newton.c ----

// Newton's method with line search; the end is left in x and v. Returns flags.
uint32_t spSolveNewton(spSubstep* s);

// ---- merit.c ----

// Sets up the energy bound: for a body that may run into something, or whose inertia is not resolved. Not
// where a row holds it rigidly.
void spStartEnergyBound(spSubstep* s);
// Of the quadratic model of a linearisation: the most that a dv may change it by
double spGetModelBound(spSubstep* s);
// And what the dv that was just solved for does, with the contacts that it misses
double spGetModelChange(const spSubstep* s);
// Whether the end of the substep exceeds the energy bound. A body that rests, and was solved, never does.
bool spExceedsEnergyBound(const spSubstep* s, bool solved);
// Whether the incremental potential at the end is higher than it would be if the body stood still, and,
// unless the body is held where it is, than if it had moved on as before
bool spRaisesIncrementalPotential(const spSubstep* s);

// ---- rescue.c ----

// A contact of a node that may move
bool spIsFreeContact(const spSubstep* s, int row);
// The rigid motion with which the body would go on if nothing were in its way
spRigidMotion spFindFreeMotion(const spSubstep* s);
// The translation with which a free body stops before it runs into anything, m/s
void spFindStop(const spSubstep* s, double v[3]);
// Whether there is none: contacts close on the body from two sides
bool spIsSqueezed(const spSubstep* s);
// Starts a linearisation with the rigid motion that contacts leave, and with the rows that push there; dv is
// left in cg.x
void spStartFromRigidMotion(const spSubstep* s);
// Ends the substep with it
void spEndWithRigidMotion(spSubstep* s);

// ---- static_rows.c ----

// Static steps with contacts: Newton's method in rounds, until the multipliers of the contacts have settled.
// Returns flags.
uint32_t spSolveStaticRows(spSubstep* s);
// The force of a contact for nodes of these velocities, N
spVec3 spGetPenaltyForce(const spSubstep* s, int index, const spVec4* v);
// Sets them up
void spStartPenalties(spSubstep* s);
// What they add to the matrix: (xx, yy, zz) and (xy, yz, xz) of each node. Whether that is anything
bool spFillPenaltyStiffness(const spSubstep* s, spVec4* a, spVec4* c);
void spAddPenaltyStiffness(spSubstep* s);
// Sum of the squares of their forces, N^2
double spGetPenaltyNorm2(const spSubstep* s);
// After a solve of so many iterations: another preconditioner where contacts have changed
void spRenewForContacts(const spSubstep* s, int iterations);
// How much of a Newton step may be taken at most
double spGetStaticShare(const spSubstep* s);

// ---- implicit_rows.c ----

// The gap of a contact whose node is here, and its normal
spSurfaceHit spFindRowGap(const spSubstep* s, const spRow* row, spVec3 p);
// Makes the first guess at which rows act. Poses are those at the end of the substep.
void spStartRows(spSubstep* s);
// Whether some contact lasts: what arrives is stopped by an active set, settled or not
bool spHasLastingContact(const spSubstep* s);
// Contacts whose active set did not settle are solved by the law from now on. False where they cannot be.
bool spEnterLaw(spSubstep* s);
// Contacts that were to be solved by the law join the active set; nodes have the velocities of the iterate
void spLeaveLaw(spSubstep* s);
// What rows add to the matrix, after it was assembled
void spAddRowStiffness(spSubstep* s);
// What rows add to the right-hand side
void spAddRowImpulses(const spSubstep* s, spVec4* b);
// Constraints from held nodes and rows, and what they ask of the change of velocity, into cg.x
void spBuildConstraints(spSubstep* s);
// Whether rows act differently from what was assumed, after a solve
bool spCheckRows(spSubstep* s);
// Work of soft holds, and of those that give their most, along a change of velocity, J
double spGetHoldWork(const spSubstep* s, const spVec4* dv);
// What a contact or a hold exerts on its node after a solve, N s
spVec3 spGetRowImpulse(const spSubstep* s, int index);
// Impulses to the rows; what only moved nodes out is taken from their velocity. Returns the force of the
// pins.
spVec3 spFinishRows(const spSubstep* s);
