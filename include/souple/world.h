// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The world: bodies, colliders, links and the clock; the only thing with a Step.
//
// A world belongs to one thread at a time. Functions that only read may be called from several threads
// between steps, unless they say otherwise. Functions that change something record what went wrong in
// spWorld_GetLastError and return a null id, NULL, false or -1; nothing ever aborts. Reading functions return
// zeros for a stale id.

#pragma once

#include "souple/base.h"

SP_EXTERN_C_BEGIN

/// A world. Opaque; create it with spCreateWorld.
typedef struct spWorld spWorld;

/// What a world promises about bodies that touch each other, and about bodies with selfContact and themselves.
typedef enum spGuarantee
{
    sp_guaranteeOff,            ///< nothing: contacts are solved as they are found, and nothing is counted
    sp_guaranteeBestEffort,     ///< contacts are solved; what intersects all the same is counted on request
    sp_guaranteeNoIntersection, ///< from a state without intersections no two triangles intersect after any
                                ///< step: motion that would make them is cut short, see sp_stepMotionCut
} spGuarantee;

/// By what contacts between two closed bodies, or of one with itself, are found (docs/volumes.md).
typedef enum spDetector
{
    sp_detectorDistance, ///< by the distance of vertices and triangles, and of edges
    sp_detectorVolume, ///< by the volume that they have in common; open surfaces go by distance all the same
} spDetector;

/// What spCreateWorld needs. Start from spDefaultWorldDef.
typedef struct spWorldDef
{
    spVec3 gravity;                ///< acceleration of every free node, m/s^2
    int workerCount;               ///< threads that work on a step, the caller included, 1 to SP_MAX_WORKERS
    spEnqueueTaskFcn* enqueueTask; ///< the user's task system; NULL means threads of our own
    spFinishTaskFcn* finishTask;   ///< goes with enqueueTask
    void* taskContext;             ///< passed back to both
    spAllocator allocator;         ///< all memory of the world; zero means the C library's
    spLogger logger;               ///< warnings and decisions; zero means silence
    int laneCount;      ///< lanes of the kernels: 1, 4, 8, 16; 0 means the most that this machine has
    spReal contactSkin; ///< distance at which nodes become contact candidates beyond their motion, m
    spReal restitutionThreshold; ///< approach speed below which contacts do not bounce, m/s
    spReal hitSpeed;             ///< approach speed above which a new contact is told as a hit, m/s
    bool bodyContacts;           ///< bodies with a surface touch each other
    spGuarantee guarantee;       ///< that surfaces do not pass each other
    spDetector detector;         ///< of pairs of bodies that spWorld_SetPairDetector says nothing of
    bool
        countIntersections; ///< fill spStepReport.intersectionCount after every step; the strongest guarantee
                            ///< always does
    spReal
        sleepSpeed; ///< bodies that are slower than this for half a second, and all that is near them too, sleep
                    ///< until something comes near or is told to them, m/s; 0: none ever does
    int internalValue; ///< set by spDefaultWorldDef
} spWorldDef;

/// @return gravity (0, -9.81, 0), one worker, no allocator, no logger.
SP_API spWorldDef spDefaultWorldDef(void);

#ifdef SOUPLE_DOUBLE_PRECISION
#define spCreateWorld spCreateWorldDoublePrecision
#endif

/// Creates an empty world.
/// @return NULL on a bad definition, no memory or no threads; error says which.
SP_API spWorld* spCreateWorld(const spWorldDef* def, spError* error);

/// Destroys a world and everything in it. NULL is allowed.
SP_API void spDestroyWorld(spWorld* world);

/// What a step has to say. 0 means that all went well.
typedef enum spStepFlags
{
    sp_stepNonFinite = 0x01, ///< a body turned non-finite: it was stopped at its last good state
    sp_stepUnstable = 0x02,  ///< a body's time step is above its estimated stability limit, or the body has
                             ///< gained energy that nobody gave it
    sp_stepNotConverged = 0x04, ///< rows between bodies, or of a rigid body, were not solved to tolerance
    sp_stepOutOfMemory =
        0x08, ///< memory ran out: contacts were ignored, a body has not moved, or the whole step
              ///< was not made; spWorld_GetLastError says which
    sp_stepDeadlineMissed =
        0x10,               ///< the budget did not suffice: the step covered less time than was asked for
    sp_stepBadInput = 0x20, ///< the time step or the budget was not usable: nothing was done
    sp_stepSolverStopped =
        0x40, ///< an implicit body's system was not solved to its tolerance: the best iterate was taken; or
              ///< sweeps of XPBD left more than a fifth of the load as force
    sp_stepMotionCut = 0x100, ///< motion of nodes was cut short to keep surfaces apart
    sp_stepWaived = 0x200,    ///< triangles intersect in spite of the guarantee: they began so, or held nodes
                              ///< force them; spStepReport.waivedBodies names them
} spStepFlags;

/// Advances the world.
/// @param dt time step, s, > 0 and finite
/// @return spStepFlags, 0 when all went well
SP_API uint32_t spWorld_Step(spWorld* world, spReal dt);

/// Advances the world within a budget.
///
/// The solvers of implicit bodies get what the rest of a step, as the last ones show, leaves of it, shared by
/// what each body cost. One that has not come to its tolerance by then stops with its best iterate, after one
/// iteration at least: the step returns sp_stepSolverStopped, and spSolverReport.residual says how far it
/// came.
///
/// When the last steps show that `dt` cannot be covered in the budget even so, the step covers less time
/// (slow motion instead of instability), returns sp_stepDeadlineMissed, and spStepReport.dtTaken says how
/// much.
///
/// Both depend on the clock: spWorld_GetDecisions tells what it decided, spWorld_Decide repeats it.
/// @param dt time step, s, > 0 and finite
/// @param budget seconds of wall clock that the step may take, > 0 and finite
SP_API uint32_t spWorld_StepBudget(spWorld* world, spReal dt, double budget);

/// One thing that the clock decided in a step: how much time the step covered, or what a substep of an
/// implicit body did. A step that was decided by counts only, as spWorld_Step does without asynchronous
/// preconditioners of age 0, has none.
typedef struct spDecision
{
    int64_t step;       ///< the step that it belongs to: spWorld_GetStepCount before it
    spBodyId body;      ///< whose substep; null for the time that the step covered
    int substep;        ///< of the body in that step, from 0; 0 without a body
    int64_t factorStep; ///< step of the preconditioner that came into use, as in spSolverReport; -1 for none
    int64_t stopAfter;  ///< chances to stop that the solver passed, about one for each iteration, before the
                        ///< budget stopped it; -1 when it was not stopped
    double dt;          ///< without a body: time that the step covered, s; else 0
} spDecision;

/// @return number of things that the clock decided in the last step.
SP_API int spWorld_GetDecisionCount(const spWorld* world);
/// Writes what the clock decided in the last step. @return how many were written.
SP_API int spWorld_GetDecisions(const spWorld* world, spDecision* decisions, int capacity);

/// Sets what the next step does instead of looking at the clock: it covers the time that is named, takes in
/// the preconditioners that are named, waiting for them, and no others, and stops solvers where it is told
/// to. No decisions at all mean that the clock decided nothing. With the decisions of every step of another
/// run from the same start, and the same inputs, every step gives the same bits as there.
/// @param decisions count decisions of the step that comes next; may be NULL when count is 0
/// @return false, with nothing changed, when one cannot be obeyed; spWorld_GetLastError says which and why.
/// What shows only in the step itself is an error there: before anything has moved, with sp_stepBadInput, or
/// else in spWorld_GetLastError after it.
SP_API bool spWorld_Decide(spWorld* world, const spDecision* decisions, int count);

/// What happened in the last step.
typedef struct spStepReport
{
    uint32_t flags;           ///< what the step returned
    spReal dtTaken;           ///< time that the step covered, s
    int bodyCount;            ///< bodies in the world
    int nodeCount;            ///< nodes of all bodies
    int elementCount;         ///< elements of all bodies
    int substepCount;         ///< largest number of substeps that a body took
    int64_t forceEvaluations; ///< evaluations of all elements of a body, summed over bodies
    int contactCount;         ///< nodes that pressed on a collider during the step
    int rowCount;             ///< rows that the step held, contact candidates included
    int sweepCount;           ///< sweeps of the solver for rows between bodies
    double rowResidual;       ///< what that solver left, m/s
    double stableStep;        ///< smallest estimated stable step of an explicit body, s; infinity without one
    int64_t
        solverIterations;  ///< conjugate gradients of all implicit bodies, and sweeps of sp_xpbd and sp_rigid
    double solverResidual; ///< largest residual that one of them left, over its right-hand side
    double filterSeconds;  ///< wall clock of the stages that filter velocities and move nodes, all bodies, s
    double filterStrength; ///< largest strength of a velocity filter, 0..1; 0 when none was needed
    int intersectionCount; ///< pairs of triangles that intersect, where spWorldDef says to count them
    double intersectionDepth; ///< how far the deepest of them is inside, m
    int cutCount;             ///< nodes whose motion was cut short
    double cutLength;         ///< most that one of them lost, m
    int waivedCount;          ///< pairs of triangles that the guarantee does not count for at the moment
    spBodyId waivedBodies[2]; ///< bodies of the first of them; null when there are none
    int sleepingCount;        ///< bodies that sleep
    spBodyId stoppedBody;     ///< the first body that was stopped; null when none
    int64_t serial; ///< steps taken up to now; unlike the clock it does not go back to a saved state
} spStepReport;

/// @return the report of the last step; zeros before the first one.
SP_API spStepReport spWorld_GetReport(const spWorld* world);

/// Two bodies that are inside each other, or a body that is inside itself.
typedef struct spIntersection
{
    spBodyId body;      ///< one of them
    spBodyId otherBody; ///< the other; the same one for a body with selfContact and itself
    int pairCount;      ///< pairs of triangles that intersect
    spReal depth; ///< how far, m: of the deepest vertex below a closed surface, else of the deepest triangle
    bool contained; ///< one is inside the other as a whole: no triangles intersect
    double volume;  ///< that both have in common, or that a body covers twice, m^3; 0 where one is not closed
} spIntersection;

/// Looks for bodies that are inside each other now. Bodies that do not touch are not looked at: other groups,
/// linked bodies, `contact` off, worlds without bodyContacts. Closed surfaces have an inside, others do not.
/// @param intersections written in the order of bodies; may be NULL when capacity is 0
/// @return how many there are, more than capacity perhaps; -1 without memory
SP_API int spWorld_FindIntersections(spWorld* world, spIntersection* intersections, int capacity);

/// What spWorld_Untangle has done.
typedef struct spUntangleReport
{
    int rounds;       ///< that it took
    int pairCount;    ///< pairs of triangles that still intersect
    spReal depth;     ///< how far the deepest of them, or of what is contained, is inside, m
    spReal moved;     ///< most that a node was moved, m
    int movedBodies;  ///< bodies that were moved
    int tangledCount; ///< pairs of bodies that are still inside each other
} spUntangleReport;

/// Moves bodies that are inside each other apart: closed ones as a whole along the shortest way out, sheets along their
/// lines of intersection, node by node. Held nodes stay. No time passes; velocities stay as they are. To be called
/// before the first step, or whenever bodies were put into each other.
/// @param maxRounds how long to try, 1 or more; 200 is plenty
/// @param report what was done; may be NULL
/// @return whether nothing intersects any more; false also without memory
SP_API bool spWorld_Untangle(spWorld* world, int maxRounds, spUntangleReport* report);

/// Where the time of the last step went, in milliseconds of wall clock.
typedef struct spProfile
{
    double step;      ///< the whole step
    double commands;  ///< edits and motion of tools taken in
    double advance;   ///< the methods of all bodies
    double detection; ///< finding contacts
    double response;  ///< solving the rows between bodies, in slices and after them
    double check;     ///< forces are collected, bodies that are no longer finite stop
    double adapt;     ///< what the next step will do: the estimate of its stable step
    double publish;   ///< surfaces, measurements, observers
} spProfile;

/// @return the profile of the last step.
SP_API spProfile spWorld_GetProfile(const spWorld* world);

/// @return simulated time since creation, s.
SP_API double spWorld_GetTime(const spWorld* world);

/// @return number of steps taken since creation.
SP_API int64_t spWorld_GetStepCount(const spWorld* world);

/// @return a hash of the state: positions, velocities and roles of all nodes, whether bodies run, where
/// colliders and links are, time and number of steps. Not of what the user sets: gravity, forces, materials,
/// methods, targets of the next step. It does not depend on the number of workers or lanes.
SP_API uint64_t spWorld_GetStateHash(const spWorld* world);

/// @return bytes that the world holds at this moment, without its preconditioners, which come and go with
/// their threads and libraries. It stays the same from step to step after the first few, as long as nothing
/// is created.
SP_API size_t spWorld_GetByteCount(const spWorld* world);

/// @return the last thing that went wrong in a call that changes this world; code sp_errorNone when nothing
/// did.
SP_API spError spWorld_GetLastError(const spWorld* world);

/// Forgets the last error.
SP_API void spWorld_ClearError(spWorld* world);

/// Sets the acceleration of free nodes, m/s^2.
/// @return false when a number is not finite.
SP_API bool spWorld_SetGravity(spWorld* world, spVec3 gravity);

/// @return the acceleration of free nodes, m/s^2.
SP_API spVec3 spWorld_GetGravity(const spWorld* world);

/// @return number of worker threads, the caller included.
SP_API int spWorld_GetWorkerCount(const spWorld* world);

/// Called at the end of every step, on the stepping thread. Must not change the world.
typedef void spFrameFcn(const spWorld* world, void* context);

/// Sets the observer. NULL removes it.
SP_API void spWorld_SetFrameCallback(spWorld* world, spFrameFcn* fcn, void* context);

/// The state of a world at one moment. Opaque, independent of the world, one block of memory.
typedef struct spSnapshot spSnapshot;

/// Saves the state: positions, velocities, roles, targets, links, colliders, clock.
/// @return NULL when there is no memory.
SP_API spSnapshot* spWorld_Save(spWorld* world);

/// Brings back a saved state. The world must hold the same bodies, with the same topology, as when it was
/// saved; materials and methods keep their present values. Colliders and links that were made since then are
/// destroyed; those that were destroyed since then stay so.
/// @return false, with the world unchanged, when it does not fit; spWorld_GetLastError says why.
SP_API bool spWorld_Restore(spWorld* world, const spSnapshot* snapshot);

/// Destroys a snapshot. NULL is allowed.
SP_API void spDestroySnapshot(spSnapshot* snapshot);

/// @return the bytes of a snapshot, for storing it, and their number.
SP_API const void* spSnapshot_GetData(const spSnapshot* snapshot, size_t* size);

/// Makes a snapshot from stored bytes, which are checked.
/// @return NULL when they are damaged or of another version or precision.
SP_API spSnapshot* spCreateSnapshot(const void* data, size_t size, spError* error);

SP_EXTERN_C_END
