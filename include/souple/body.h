// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Bodies: nodes, element sets on them, fields, and one method that moves them.
//
// A body is built in two or three calls: spCreateBody makes the nodes, the functions of souple/element.h put
// elements on them. Any of these may also be called between steps. Nodes keep the numbers that they had in
// the mesh; what the engine does inside is its own business.

#pragma once

#include "souple/mesh.h"
#include "souple/world.h"

SP_EXTERN_C_BEGIN

/// How a body moves in time.
typedef enum spMethodType
{
    sp_symplecticEuler = 0, ///< v, then x with the new v. Order 1, keeps energy bounded, cheapest
    sp_forwardEuler,        ///< x with the old v. Order 1; gains energy at any step: for comparison
    sp_verlet,              ///< half drift, kick, half drift. Order 2, keeps energy bounded
    sp_rungeKutta4,         ///< classical. Order 4, four force evaluations, loses a little energy
    sp_localImplicit, ///< symplectic Euler, implicit in each node alone. Order 1, larger steps, damps motion
    sp_backwardEuler, ///< implicit, Order 1: any step is stable, fast motion is damped
    sp_bdf2,          ///< implicit with two past states. Order 2: damps less than backward Euler
    sp_imex, ///< implicit in a constant bound on the stiffness: one matrix for ever; free bodies stop turning
    sp_quasiStatic, ///< no inertia: every step ends in equilibrium with the loads and pins of that moment
    sp_xpbd, ///< positions projected on constraints with compliance (extended position based dynamics):
             ///< backward Euler, solved as far as the sweeps go; by default as near to it as they can buy
    sp_rigid, ///< a rigid body: nodes keep their distances, elements exert nothing inside; order 2, momentum and
              ///< energy of free rotation are kept. A held node is a ball joint, two are a hinge
    sp_multiresolution, ///< a body of several meshes (spBodyDef::levels): each region moves by one of them, as fine as its
    ///< motion asks for, each element with a step of its own. Explicit, order 2 (souple/levels.h)
    sp_methodAuto, ///< sp_symplecticEuler, sp_backwardEuler or sp_xpbd, by stiffness, size and step, chosen when the
    ///< body is stepped first and again when its materials change, or the step by half: the default.
    ///< The same input chooses the same; spBody_GetMethodChoice tells which one and why
    sp_methodTypeCount ///< number of methods
} spMethodType;

/// How the method of a body treats contact with colliders inside the step.
typedef enum spContactMode
{
    sp_contactRows = 0,  ///< unilateral rows with friction and restitution, held in every substep
    sp_contactBacktrack, ///< go back to the moment of impact, reflect, go on with the rest of the substep
    sp_contactOff,       ///< pass through colliders
} spContactMode;

/// How the weight of a neighbour in a velocity filter falls with its distance d, in mean neighbour edges.
typedef enum spFilterType
{
    sp_filterNone = 0,    ///< no filter
    sp_filterExponential, ///< exp(-lambda d)
    sp_filterGaussian,    ///< exp(-(lambda d)^2)
} spFilterType;

/// How weights turn into a mean. b is the weight of a neighbour, B the sum of them, the node itself counts 1.
typedef enum spFilterReading
{
    sp_filterPreserving = 0, ///< (2 v + sum b (v + v_j)) / (2 (1 + B)): keeps uniform velocities
    sp_filterLiteral, ///< (v + sum b (v + v_j)) / (2 (1 + B)), as published: a strong drag on all motion
    sp_filterSumNormalised, ///< (v + sum b (v + v_j)) / (1 + 2 B): keeps uniform velocities
    sp_filterFirstFormula,  ///< (v + sum b v_j) / (1 + B): may turn modes over, see allowNegative
    sp_filterReadingCount   ///< number of readings
} spFilterReading;

/// A filter on velocities: after every substep's update each velocity becomes a weighted mean with those of
/// its neighbours, before nodes move. Takes out what changes from node to node, which limits explicit steps,
/// and damps the motion.
typedef struct spFilterDef
{
    spFilterType type;       ///< weights; sp_filterNone by default
    spFilterReading reading; ///< how they are used
    spReal lambda;           ///< how fast weights fall, per mean edge, > 0: small filters more
    const int32_t* edges;    ///< neighbours, two node numbers each, copied; NULL means every edge of the body
    int edgeCount;           ///< number of edges
    bool adaptive;      ///< filter only as strongly as the substep needs, not at all when it is stable anyway
    bool keepRotation;  ///< leave the rotation of a body without held nodes alone
    bool allowNegative; ///< accept weights that turn modes over, which no substep survives: for comparison
} spFilterDef;

/// How an implicit method multiplies with the matrix of its system.
typedef enum spOperatorType
{
    sp_operatorAuto = 0,   ///< whichever is faster for the body; spSolverReport says which
    sp_operatorAssembled,  ///< 3x3 blocks, one for each pair of neighbours, filled at every linearisation
    sp_operatorMatrixFree, ///< from the elements, at every product
    sp_operatorTypeCount   ///< number of them
} spOperatorType;

/// What brings the conjugate gradients of an implicit method to their end sooner.
typedef enum spPreconditionerType
{
    sp_preconditionAuto = 0,    ///< whichever is fastest for the body; spSolverReport says which
    sp_preconditionNone,        ///< plain conjugate gradients
    sp_preconditionJacobi,      ///< the diagonal
    sp_preconditionBlockJacobi, ///< the 3x3 block of each node
    sp_preconditionSsor,        ///< symmetric successive over-relaxation
    sp_preconditionIncomplete,  ///< incomplete Cholesky factor: small numbers are left out
    sp_preconditionCholesky,    ///< complete Cholesky factor, by CHOLMOD: one iteration when it is fresh
    sp_preconditionMultilevel,  ///< coarse spaces of rigid motions: iterations hardly grow with the mesh
    sp_preconditionerTypeCount  ///< number of them
} spPreconditionerType;

/// How an implicit method solves its system.
typedef struct spSolverDef
{
    spOperatorType operatorType;         ///< how it multiplies with the matrix
    spPreconditionerType preconditioner; ///< what it is preconditioned with
    spReal tolerance;  ///< residual of the linear system over its right-hand side at which it stops, > 0
    int maxIterations; ///< conjugate gradients for each linear system at most, > 0
    int newtonSteps;   ///< linearisations in each step at most, with line search when there are several; 0:
                       ///< one, and for sp_quasiStatic as many as it takes up to 50
    spReal newtonTolerance; ///< net force over load at which no further linearisation is made, > 0; nor is
                            ///< one made when positions cannot resolve it
    bool asynchronous;      ///< a thread of its own makes the preconditioner while the simulation goes on
    bool warp;              ///< turn an old preconditioner with the nodes
    int refresh;            ///< steps between two preconditioners; 0: when iterations have risen
    int age; ///< asynchronous: steps from asking for a preconditioner to using it, so that runs repeat bit
             ///< for bit, waiting if need be; 0: as soon as it is there, never waiting
    spReal
        dropTolerance; ///< incomplete factor: blocks smaller than this share of their diagonals are left out
} spSolverDef;

/// How sp_xpbd solves a substep.
typedef enum spXpbdSolver
{
    sp_xpbdAuto = 0,    ///< whatever comes nearest to the true end of the substep in the time of the sweeps:
                        ///< Newton's method with conjugate gradients, for stiff bodies with a factor that is
                        ///< kept from step to step; sweeps where those are enough or nothing else works
    sp_xpbdGaussSeidel, ///< one constraint after the other; results do not depend on the threads
    sp_xpbdJacobi,      ///< all constraints from the same positions, averaged: slow, for comparison
    sp_xpbdSolverCount  ///< number of them
} spXpbdSolver;

/// What makes the sweeps of sp_xpbd converge sooner. With sp_xpbdAuto this is chosen too.
typedef enum spAccelerator
{
    sp_accelerateNone = 0,  ///< plain sweeps
    sp_accelerateSor,       ///< positions over-relaxed: leaves multipliers behind, for comparison
    sp_accelerateLambdaSor, ///< multipliers over-relaxed: diverges for all but the softest, for comparison
    sp_accelerateChebyshev, ///< positions and multipliers over-relaxed by Chebyshev's weights
    sp_accelerateAnderson,  ///< Anderson's mixing of positions and multipliers together, safeguarded
    sp_accelerateAndersonPrinted, ///< Anderson's mixing of the increments of the multipliers, times
                                  ///< relaxation, as Boukadida 2020 prints it: for comparison
    sp_acceleratorCount           ///< number of them
} spAccelerator;

/// How sp_xpbd moves tetrahedra.
typedef enum spTetRows
{
    sp_tetRowsLaw = 0, ///< by their law: six rows of strain for linear, corotational (co-rotated strain) and
                       ///< St-Venant-Kirchhoff (Green strain); stretch and volume for neo-Hookean, and one
                       ///< more for Mooney-Rivlin; one row of energy for hybrid
    sp_tetRowsEnergy,  ///< one row for each tet, the root of its energy (Bender 2014): cheaper, converges
                       ///< worse; not for neo-Hookean and Mooney-Rivlin
    sp_tetRowsCount    ///< number of them
} spTetRows;

/// In which order a Gauss-Seidel sweep of sp_xpbd visits the constraints, so that threads can share it. Either
/// gives the same bits with any number of threads, and both converge to the same solution.
typedef enum spXpbdOrder
{
    sp_xpbdZones = 0, ///< along the body in zones of neighbours, every other one at once: what is visited
                      ///< together lies together in memory
    sp_xpbdColours,   ///< graph colouring: no two constraints of a colour share a node, so that all of a
                      ///< colour may run at once; for many threads, compact bodies and devices
    sp_xpbdOrderCount ///< number of them
} spXpbdOrder;

/// Numbers of sp_xpbd.
typedef struct spXpbdDef
{
    spXpbdSolver solver;       ///< how a substep is solved
    spAccelerator accelerator; ///< what the sweeps are wrapped in
    spTetRows tetRows;         ///< rows of tetrahedra
    spXpbdOrder order;         ///< order of the constraints in a sweep
    int iterations;            ///< sweeps in each substep, > 0; for sp_xpbdAuto the time of so many
    spReal relaxation; ///< factor of sp_accelerateSor, sp_accelerateLambdaSor, sp_accelerateAndersonPrinted
    int window;        ///< differences that Anderson's mixing uses, 1..20
    spReal conditionLimit; ///< Anderson's mixing leaves out old differences while the condition number of
                           ///< the normal equations is larger, > 1
    bool safeguard;        ///< Anderson's mixing is taken only where it lowers the residual
    spReal radius;         ///< Chebyshev: estimate of the spectral radius of the sweep, 0 < radius < 1
    int delay;             ///< Chebyshev: plain sweeps before the first weight, >= 0
} spXpbdDef;

/// What parts of a body of levels that are unlike in resolution exert on each other.
typedef enum spCoupling
{
    sp_couplingConserving =
        0,            ///< what acts on nodes that follow others goes on to those, and material counts once:
                      ///< momentum is kept, and energy as by any explicit method
    sp_couplingGhost, ///< one way, as published: nodes that follow others exert and feel nothing; for comparison
    sp_couplingCount ///< number of them
} spCoupling;

/// Numbers of sp_multiresolution.
typedef struct spLevelsDef
{
    spCoupling coupling; ///< between regions of different resolution
    bool fixed;          ///< the resolution stays as it is, but for spBody_Refine
    spReal
        splitError; ///< a node is divided when it is this far from where its neighbours would have it, were the
                    ///< deformation around it uniform, m; 0: 1/1000 of the size of the body
    spReal mergeError; ///< and parts come together again below this, m; 0: a quarter of splitError
    spReal budget; ///< element evaluations in each second of simulated time that divisions must not go beyond
                   ///< (95 % of it); 0 for no limit
} spLevelsDef;

/// A method and its numbers. Start from spDefaultMethodDef.
typedef struct spMethodDef
{
    spMethodType type;     ///< which method
    spContactMode contact; ///< how it treats colliders
    int substeps;          ///< substeps in each step; 0 means as many as the estimated stable step asks for
    int maxSubsteps;       ///< limit for automatic substeps; beyond it the step returns sp_stepUnstable
    spReal safety;         ///< share of the estimated stable step that automatic substeps use, 0..1
    spFilterDef filter;    ///< explicit methods: filter on the velocities
    spSolverDef solver;    ///< implicit methods: how the system is solved
    spXpbdDef xpbd;        ///< sp_xpbd: how constraints are solved
    spLevelsDef levels;    ///< sp_multiresolution: where and when it refines
    int internalValue;     ///< set by spDefaultMethodDef
} spMethodDef;

/// @return sp_methodAuto, contact by rows, automatic substeps with safety 0.8, at most 10000, no filter;
/// for sp_xpbd the automatic solver with the time of 20 sweeps, one substep.
SP_API spMethodDef spDefaultMethodDef(void);

/// What spCreateBody needs. Start from spDefaultBodyDef. Nodes are the vertices of the mesh, or the
/// positions.
typedef struct spBodyDef
{
    const char* name;        ///< copied, at most 63 bytes; NULL means "body"
    const spMesh* mesh;      ///< its vertices become nodes, its surface the surface of the body; may be NULL
    const spVec3* positions; ///< nodes when mesh is NULL, m
    int positionCount;       ///< number of positions
    spTransform transform;   ///< placement of the mesh or the positions in the world
    spVec3 velocity;         ///< initial velocity of every node, m/s
    spReal density;  ///< kg/m^3 for tets, kg/m^2 for a surface; used when no masses are given. 0 means
                     ///< 1000 kg/m^3 for tets and 0.2 kg/m^2, a light cotton, for a surface
    spReal nodeMass; ///< mass of every node, kg; 0 means from the density
    const spReal* nodeMasses; ///< mass of each node, kg; NULL means nodeMass or density
    spReal gravityScale;      ///< share of the world's gravity, non-dimensional
    spReal
        contactRadius; ///< the surface keeps this distance from what it touches, m; negative means a tenth of
                       ///< the mean edge for sheets, so that what is under them does not show, else 0
    bool selfContact;  ///< the surface of the body touches itself
    spReal friction;   ///< Coulomb coefficient; with what it touches the geometric mean of both counts
    spReal restitution; ///< 0 no bounce, 1 full bounce; with what it touches the larger of both counts
    uint32_t group;     ///< bits of the groups that it belongs to
    uint32_t
        touches; ///< bits of the groups of colliders and bodies that it touches, if they touch its groups too
    spMethodDef method; ///< how the body moves
    bool keepOrder;     ///< nodes lie in memory in the order given, which is slower: for comparison
    const spMesh* const*
        levels;     ///< coarser meshes of the shape of `mesh`, from coarse to fine, for sp_multiresolution;
                    ///< NULL for none
    int levelCount; ///< number of them, at most SP_MAX_LEVELS - 1
    int nodeRoom;   ///< nodes that edits of the body may add to it, >= 0; 0 costs nothing
    int tetRoom;    ///< tets that edits may add without laying the body out anew, >= 0
    int internalValue; ///< set by spDefaultBodyDef
} spBodyDef;

/// @return density 1000 kg/m^3 (0.2 kg/m^2 for a sheet), contact radius by itself, friction 0.5, restitution 0, identity placement, default method, group 1, which
/// touches all.
SP_API spBodyDef spDefaultBodyDef(void);

/// Creates a body without elements. With a mesh of tets the mass is lumped from their volume; with triangles
/// that use every vertex, from their area; else nodeMass or nodeMasses is required.
/// @return the null id on bad input or no memory.
SP_API spBodyId spCreateBody(spWorld* world, const spBodyDef* def);

/// Destroys a body and the links on it.
SP_API void spDestroyBody(spWorld* world, spBodyId body);

/// @return whether the id names a body of this world.
SP_API bool spBody_IsValid(const spWorld* world, spBodyId body);

/// @return number of bodies in the world.
SP_API int spWorld_GetBodyCount(const spWorld* world);
/// Writes the ids of the bodies, in order of creation slots. @return how many were written.
SP_API int spWorld_GetBodies(const spWorld* world, spBodyId* bodies, int capacity);

/// Sets a force on one node, N, that stays until it is changed.
SP_API bool spBody_SetNodeForce(spWorld* world, spBodyId body, int node, spVec3 force);

/// How a joint holds a rigid body to the world.
typedef enum spJointType
{
    sp_jointNone = 0, ///< not at all
    sp_jointBall,     ///< a point of the body stays where it is
    sp_jointHinge,    ///< the body turns about an axis that stays where it is
    sp_jointSlider,   ///< the body slides along an axis and does not turn
    sp_jointTypeCount ///< number of types
} spJointType;

/// What spBody_SetJoint needs. Start from spDefaultJointDef.
typedef struct spJointDef
{
    spJointType type; ///< which joint
    spVec3 point;     ///< of the body that is held, in the world, m; a slider keeps it on its axis
    spVec3 axis;      ///< of a hinge or a slider, in the world, any length but 0
    spReal
        motorSpeed; ///< that the motor drives to: m/s along the axis of a slider, rad/s about that of a hinge
    spReal motorLimit; ///< most that the motor exerts: N for a slider, N m for a hinge; 0 for no motor
    int internalValue; ///< set by spDefaultJointDef
} spJointDef;

/// @return a ball joint at the origin, its axis (0, 1, 0), without a motor.
SP_API spJointDef spDefaultJointDef(void);

/// Holds a rigid body to the world where it is now, in place of the joint that it had. It may be pinned beside that.
/// @param def NULL lets it go
/// @return false when the body is not rigid, or a number is of no use.
SP_API bool spBody_SetJoint(spWorld* world, spBodyId body, const spJointDef* def);

/// Changes speed and limit of the motor of a joint, in the units of spJointDef.
/// @return false without a hinge or a slider, or when a number is of no use.
SP_API bool spBody_SetMotor(spWorld* world, spBodyId body, spReal speed, spReal limit);

/// @return the joint of a body; type sp_jointNone without one.
SP_API spJointDef spBody_GetJoint(const spWorld* world, spBodyId body);

/// What a joint did in the last step.
typedef struct spJointState
{
    spVec3 force;    ///< on the body, mean over the step, N; that of pins beside it and of the motor included
    spVec3 torque;   ///< the same about spJointDef::point, N m
    spReal motor;    ///< what the motor exerted, mean over the step: N of a slider, N m of a hinge
    spReal position; ///< since the joint was made: way along the axis, m, or angle about it, -pi to pi
    spReal speed;    ///< along the axis, m/s, or about it, rad/s
} spJointState;

/// @return what the joint of a body did; zeros without one.
SP_API spJointState spBody_GetJointState(const spWorld* world, spBodyId body);

/// Exchanges the method. Positions and velocities carry over.
SP_API bool spBody_SetMethod(spWorld* world, spBodyId body, const spMethodDef* def);

/// @return the method of a body as it was given. The edges of its filter are valid until the method is exchanged.
SP_API spMethodDef spBody_GetMethod(const spWorld* world, spBodyId body);

/// What moves a body, and why.
typedef struct spMethodChoice
{
    spMethodType type; ///< what moves it; sp_methodAuto while that is open, until the first step
    bool automatic;    ///< chosen by sp_methodAuto; else it was given, and the rest says nothing
    double substeps;   ///< explicit substeps that a step would have needed, by the estimate then, at most 1e9
    char reason[160];  ///< why, as a part of a sentence
} spMethodChoice;

/// Chooses the methods of the bodies that leave them open (sp_methodAuto) now, as the next step of dt would: for
/// those who want to know before it. @param dt s, > 0. @return false when there is no memory.
SP_API bool spWorld_ChooseMethods(spWorld* world, spReal dt);

/// @return what moves a body. Does not change while neither its method, its materials nor the step do.
SP_API spMethodChoice spBody_GetMethodChoice(const spWorld* world, spBodyId body);

/// What the solver of an implicit method, or of sp_xpbd, did in the last step.
typedef struct spSolverReport
{
    spOperatorType operatorType;         ///< the operator that was used
    spPreconditionerType preconditioner; ///< the preconditioner that was used
    bool asynchronous;                   ///< a thread of its own makes the preconditioner
    bool converged;  ///< every linear system, and Newton's method, came to its tolerance, or to 3 times that
                     ///< where the rest is rounding; sweeps: they left at most a fifth of the load as force
    bool rounded;    ///< the last linear system, or Newton's method, came to where only rounding is left
    int iterations;  ///< conjugate gradients of all linear systems of the step
    int newtonSteps; ///< linearisations
    double residual; ///< of the last linear system over its right-hand side, computed anew at the end
    double forceResidual;   ///< net force over load where the step ended; only with more than one
                            ///< linearisation, and with sweeps over elements that have forces: there of
                            ///< eighths of the body
    int64_t factorStep;     ///< step whose state the preconditioner comes from; -1 without one
    int64_t factorCount;    ///< preconditioners made since the method was set
    int64_t waitCount;      ///< steps that had to wait for the asynchronous one
    double waitSeconds;     ///< time that the last step waited, s
    double assembleSeconds; ///< filling the matrix, s
    double buildSeconds;    ///< making the preconditioner, on whatever thread: the last one, s
    double solveSeconds;    ///< conjugate gradients, or sweeps with their accelerator, s
    bool sweeping;          ///< sp_xpbd: the substeps were solved by sweeps, not by Newton's method
    int sweeps;             ///< sp_xpbd: sweeps over all constraints, of all substeps
    int rejected;           ///< sp_xpbd: mixtures of the accelerator that the safeguard did not take
    bool diverged;          ///< sp_xpbd: the accelerator made it worse and was left out for the rest
    double mixSeconds;      ///< sp_xpbd with an accelerator: of solveSeconds, its own arithmetic, s
    double moveSeconds;     ///< sp_xpbd with an accelerator: of solveSeconds, positions from multipliers, s
    double measureSeconds;  ///< sp_xpbd with an accelerator: of solveSeconds, residuals for its safeguard, s
    double dualResidual;    ///< sp_xpbd with sweeps: |C + compliance lambda / h^2| over all rows where the
                            ///< step ended. Says nothing about positions alone
    double primalResidual;  ///< sp_xpbd with sweeps: |M (x - x~) - J^T lambda| over all nodes, kg m, where
                            ///< the step ended: how far it is from the end of an implicit step otherwise
} spSolverReport;

/// @return what the solver of a body did in the last step; zeros for explicit methods. The residuals of
/// sp_xpbd are computed by this call, which costs about as much as two sweeps.
SP_API spSolverReport spBody_GetSolverReport(const spWorld* world, spBodyId body);

/// Where a substep of sp_xpbd stands after a sweep.
typedef struct spSweepRecord
{
    double dual;     ///< |C + compliance lambda / h^2| over all rows
    double primal;   ///< |M (x - x~) - J^T lambda| over all nodes, kg m
    double energy;   ///< elastic energy + |x - x~|^2 M / (2 h^2), J: what the true end has the least of
    double distance; ///< root of the sum of mass times squared distance to the target, sqrt(kg) m; 0 without
    double seconds;  ///< since the first sweep began, without what recording costs, s
} spSweepRecord;

/// Records every sweep of the next step of a body whose method is sp_xpbd with a solver of sweeps: first the
/// state before the first sweep, then one record after each sweep, of all substeps.
/// @param records written by the next step, which must come before they go away; NULL records nothing
/// @param capacity number of records that there is room for
/// @param target positions of all nodes to measure the distance to, m, copied; may be NULL
/// @return false when the body has another method, or there is no memory.
SP_API bool spBody_RecordSweeps(spWorld* world, spBodyId body, spSweepRecord* records, int capacity,
                                const spVec3* target);
/// @return number of records that the last step has written.
SP_API int spBody_GetSweepRecordCount(const spWorld* world, spBodyId body);

/// When a relaxation has done enough. Start from spDefaultRelaxDef.
typedef struct spRelaxDef
{
    double tolerance;  ///< residual at which it stops, > 0; see spRelaxResult
    int maxIterations; ///< force evaluations or conjugate gradients at most, > 0
    bool dynamic;      ///< by dynamic relaxation alone, without trying Newton's method first
    int internalValue; ///< set by spDefaultRelaxDef
} spRelaxDef;

/// @return tolerance 1e-3 (1e-8 in a double build), at most 100000 iterations.
SP_API spRelaxDef spDefaultRelaxDef(void);

/// How a relaxation ended.
typedef struct spRelaxResult
{
    bool converged;  ///< the residual came below the tolerance, or positions do not resolve it any better
    int iterations;  ///< conjugate gradients and force evaluations
    double residual; ///< net force on free nodes over load: root of the sum of squares of each. The load is
                     ///< gravity and the user's forces on free nodes and all forces on held ones, or the net
                     ///< force at the start when that is larger
    double force;    ///< net force on free nodes, root of the sum of squares, N
} spRelaxResult;

/// Moves a body to its static equilibrium, by Newton's method and where that does not converge by dynamic
/// relaxation: under gravity, forces on nodes, its elements
/// and its gas, with fixed and driven nodes where they are now, among colliders, with friction, and held by links
/// to space and to colliders (dynamic relaxation knows none of these, nor links to bodies). A body that nothing
/// holds or touches first moves along its load until it touches a collider. Velocities end at zero; time does not
/// go on. Contact forces, of this body alone, are read as after a step.
/// @return false on bad input or no memory, with nothing changed. Not to converge is no failure: the result
/// says so, and the shape is the last one.
SP_API bool spBody_Relax(spWorld* world, spBodyId body, const spRelaxDef* def, spRelaxResult* result);

/// Sets friction (Coulomb coefficient) and restitution (0..1) of a body.
SP_API bool spBody_SetContact(spWorld* world, spBodyId body, spReal friction, spReal restitution);
/// Reads them; either may be NULL. @return false, with both as they were, for a stale id.
SP_API bool spBody_GetContact(const spWorld* world, spBodyId body, spReal* friction, spReal* restitution);

/// Fixes nodes where they are.
SP_API bool spBody_PinNodes(spWorld* world, spBodyId body, const int32_t* nodes, int count);

/// Makes fixed and driven nodes free again. They keep their velocity.
SP_API bool spBody_FreeNodes(spWorld* world, spBodyId body, const int32_t* nodes, int count);

/// Drives a node: over the next step it moves in a straight line to the target, m, and then stays there until
/// the next target. It stays driven until spBody_FreeNodes.
SP_API bool spBody_DriveNode(spWorld* world, spBodyId body, int node, spVec3 target);

/// What a node does.
typedef enum spNodeRole
{
    sp_nodeFree = 0, ///< moves by forces
    sp_nodeFixed,    ///< stays
    sp_nodeDriven,   ///< follows targets
    sp_nodeGone,     ///< lost its last element in an edit: keeps its number, has no mass, nothing moves it
} spNodeRole;

/// @return the role of a node; sp_nodeFree for a bad index.
SP_API spNodeRole spBody_GetNodeRole(const spWorld* world, spBodyId body, int node);

/// @return the force that holds all fixed and driven nodes of a body where they are, N, from the last step.
SP_API spVec3 spBody_GetPinForce(const spWorld* world, spBodyId body);

/// @return name of a body; "" for a stale id.
SP_API const char* spBody_GetName(const spWorld* world, spBodyId body);
/// @return number of nodes.
SP_API int spBody_GetNodeCount(const spWorld* world, spBodyId body);
/// @return number of elements of all sets; every triangle or edge of a gas counts as one, a field as none.
SP_API int spBody_GetElementCount(const spWorld* world, spBodyId body);
/// @return false when the body was stopped because it turned non-finite.
SP_API bool spBody_IsRunning(const spWorld* world, spBodyId body);
/// @return whether the body sleeps: steps pass it by, and it reads as it was when it fell asleep. See
/// spWorldDef.sleepSpeed.
SP_API bool spBody_IsAsleep(const spWorld* world, spBodyId body);
/// Wakes a body, as every function that changes it does. @return false for a stale id.
SP_API bool spBody_Wake(spWorld* world, spBodyId body);
/// Lets a stopped body move again, from its last good state and with zero velocity.
SP_API bool spBody_Restart(spWorld* world, spBodyId body);

/// @return positions of all nodes, m. The view is filled by this call: not from several threads at once.
SP_API spVec3View spBody_GetPositions(spWorld* world, spBodyId body);
/// @return velocities of all nodes, m/s. The view is filled by this call: not from several threads at once.
SP_API spVec3View spBody_GetVelocities(spWorld* world, spBodyId body);
/// Copies positions, m. @return number of nodes copied, at most capacity. Safe from several threads.
SP_API int spBody_CopyPositions(const spWorld* world, spBodyId body, spVec3* positions, int capacity);
/// Copies velocities, m/s. @return number of nodes copied, at most capacity. Safe from several threads.
SP_API int spBody_CopyVelocities(const spWorld* world, spBodyId body, spVec3* velocities, int capacity);
/// Sets positions of all nodes, m; count must be the number of nodes. Rest lengths do not change.
SP_API bool spBody_SetPositions(spWorld* world, spBodyId body, const spVec3* positions, int count);
/// Sets velocities of all nodes, m/s; count must be the number of nodes.
SP_API bool spBody_SetVelocities(spWorld* world, spBodyId body, const spVec3* velocities, int count);
/// Copies masses, kg. @return number of nodes copied, at most capacity.
SP_API int spBody_CopyMasses(const spWorld* world, spBodyId body, spReal* masses, int capacity);

/// @return triangles of the surface, three node numbers each, and their number: for drawing. NULL when the
/// body has none.
SP_API const int32_t* spBody_GetTriangles(const spWorld* world, spBodyId body, int* triangleCount);
/// @return edges to draw for a body without triangles, two node numbers each: those of its mesh, or of its
/// first springs when it came without; NULL when none.
SP_API const int32_t* spBody_GetEdges(const spWorld* world, spBodyId body, int* edgeCount);
/// @return a number that grows when the triangles or edges of the body, or its attached surface, change.
SP_API uint32_t spBody_GetTopologyVersion(const spWorld* world, spBodyId body);

/// Attaches a surface to draw: a mesh of any resolution that moves with the body and has no mass. Frames,
/// exports and pictures show it instead of the triangles of the body; forces, contact and state hash do not
/// know it. It is placed as the mesh of the body is: in the coordinates of that mesh, before the transform
/// of the definition, wherever the nodes have moved since. Each vertex is tied to the tet that held it at
/// rest, or to the nearest one, whose motion it then continues; in a body without tets to the nearest
/// triangle, on which it then lies. Triangles of the surface are those of the mesh, or the boundary of its
/// tets; vertices that no triangle uses are left out, the others keep their order.
/// @param mesh copied; NULL detaches the surface
/// @return false for a mesh without triangles, a body without tets and triangles, or no memory; the surface
/// that was there stays.
SP_API bool spBody_AttachSurface(spWorld* world, spBodyId body, const spMesh* mesh);

/// @return number of vertices of the attached surface; 0 when there is none.
SP_API int spBody_GetSurfaceVertexCount(const spWorld* world, spBodyId body);
/// @return triangles of the attached surface, three of its own vertex numbers each, and their number; NULL
/// when there is none.
SP_API const int32_t* spBody_GetSurfaceTriangles(const spWorld* world, spBodyId body, int* triangleCount);
/// @return positions of the vertices of the attached surface, m, from where the nodes are now. The view is
/// filled by this call: not from several threads at once.
SP_API spVec3View spBody_GetSurfacePositions(spWorld* world, spBodyId body);
/// Copies the same positions, m. @return number of vertices copied, at most capacity. Safe from several
/// threads.
SP_API int spBody_CopySurfacePositions(const spWorld* world, spBodyId body, spVec3* positions, int capacity);
/// Copies what ties the attached surface to the body: a vertex is at the sum of weight times position over
/// four nodes, and a force on it goes to each of them times the same weight.
/// @param nodes receives four node numbers for each vertex
/// @param weights receives four weights for each vertex, non-dimensional, with the sum 1
/// @return number of vertices copied, at most capacity.
SP_API int spBody_CopySurfaceWeights(const spWorld* world, spBodyId body, int32_t* nodes, spReal* weights,
                                     int capacity);

/// Energies of a body, J.
typedef struct spEnergy
{
    double kinetic;   ///< 1/2 m v^2 of all nodes that are not fixed
    double elastic;   ///< springs and gas (the gas relative to its volume at creation)
    double potential; ///< gravity (zero at the origin) and fields that have a potential
} spEnergy;

/// Computes the energies. Reads every element once.
SP_API spEnergy spBody_GetEnergy(const spWorld* world, spBodyId body);
/// @return volume inside the gas, or enclosed by the surface when it is closed, m^3 (m^2 in 2D); 0 when
/// neither.
SP_API double spBody_GetVolume(const spWorld* world, spBodyId body);
/// @return linear momentum, kg m/s.
SP_API spVec3 spBody_GetMomentum(const spWorld* world, spBodyId body);
/// @return angular momentum about the origin, kg m^2/s.
SP_API spVec3 spBody_GetAngularMomentum(const spWorld* world, spBodyId body);
/// @return mean position of the nodes weighted by mass, m.
SP_API spVec3 spBody_GetCenter(const spWorld* world, spBodyId body);
/// @return largest step that the body's method is estimated to survive now, s; infinity without elements; 0
/// when no step is stable (forward Euler without damping).
SP_API double spBody_GetStableStep(spWorld* world, spBodyId body);
/// @return force of all colliders on a body, N: the mean over the last step.
SP_API spVec3 spBody_GetContactForce(const spWorld* world, spBodyId body);

SP_EXTERN_C_END
