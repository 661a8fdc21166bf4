// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Methods: how a body moves in time, as a table. A method owns state beside the body's and is exchanged
// between steps.

#pragma once

#include "base/arena.h"
#include "body/body.h"
#include "linear/cg.h"
#include "method/memory_walk.h"

// A node of a point whose body gives way by the masses of its nodes
typedef struct spNodalEntry
{
    int32_t point;
    int32_t node; // among those that such points of all bodies have
    spReal weight;
    spReal push; // weight times the inverse mass, 1/kg
} spNodalEntry;

// What methods append to: blocks, or the nodes of their points, in the order of the points; memory comes from the
// step's arena
typedef struct spComplianceList
{
    spComplianceBlock* blocks;
    int count;
    int capacity;
    spNodalEntry* entries;
    int entryCount;
    int entryCapacity;
    int nodeCount; // of all entries
} spComplianceList;

// Makes room for more blocks, or entries. False when there is no memory.
bool spGrowCompliance(spComplianceList* list, spArena* arena, int more);
bool spGrowNodal(spComplianceList* list, spArena* arena, int more);

// What the clock decided in a substep, or what is to be done instead of looking at it
typedef struct spChoice
{
    int64_t factorStep; // preconditioner that the substep took in use; -1 for none
    int64_t stopAfter;  // chances to stop that its solver passed before it was stopped; -1 when it was not
} spChoice;

// What a method gets to advance a body over a step, or over a slice of one
typedef struct spAdvanceContext
{
    spTeam* team;         // NULL when other bodies run at the same time
    spReal dt;            // to be covered now, s
    spReal stepDt;        // of the whole step, s
    spReal startFraction; // of the whole step that has passed before
    int substepCount;     // to be taken; 0 leaves it to the method
    int firstSubstep;     // of the step that it takes now
    bool again;           // the slice that was advanced over last, from its start, with other loads
    bool centred;         // bodies beside it have velocities of the moment of their positions (Verlet)
    spVec3 gravity;
    const spCollider* const* colliders; // by slot, NULL where the slot is empty
    int colliderCount;
    spPose* poses; // room for colliderCount, for this body alone
    spReal restitutionThreshold;
    double deadline;   // on the clock of spGetSeconds, for methods that can stop early; 0 for none
    spChoice* choices; // of every substep of the step, to be filled; NULL when nobody wants them
    int choiceCount;   // of them
    bool decided;      // they are filled already and count instead of the clock
} spAdvanceContext;

// What it did
typedef struct spAdvanceResult
{
    uint32_t flags; // spStepFlags
    int substepCount;
    int64_t forceEvaluations;
    double filterSeconds; // wall clock of the stages that filter
    double filterStrength;
    int64_t solverIterations;
    double solverResidual;
    double leastSeconds; // that the body needs however early its solver is stopped; 0 when it knows none
    bool disobeyed;      // a choice could not be kept
    bool outOfMemory;    // the body has not moved
} spAdvanceResult;

// Nodes that an edit has made, each a copy of another
typedef struct spBirth
{
    const int32_t* nodes;
    const int32_t* parents;
    int count;
    const int32_t*
        changed; // nodes of the tets that it has changed, before and after, in any order, some twice
    int changedCount;
} spBirth;

// Copies take over what an array of numbers of each node has for their parents
void spInherit(const spBirth* birth, void* array, size_t size);

// What can be added to a body
typedef enum spElementSort
{
    sp_sortSprings,
    sp_sortTets,
    sp_sortBends,
    sp_sortConstraints,
    sp_sortGas,
    sp_sortWind,
    sp_sortField,
} spElementSort;

struct spMethodKind
{
    const char* name;

    // State beside the body's; false when there is no memory or the body cannot be handled, with a sentence
    // why
    bool (*create)(spBody* body, spError* error);
    void (*destroy)(spBody* body);

    // In commands: prepare a step of length dt; everything that an edit makes necessary
    void (*begin)(spBody* body, spReal dt, spTeam* team);

    // Largest step that it is estimated to survive now, s; infinity when any is
    double (*getStableStep)(spBody* body);

    // Waits until no thread of the method reads the body: before anything but a step changes it. NULL when
    // there is none.
    void (*pause)(spBody* body);

    // Substeps that it would take for this dt. Sets sp_stepUnstable when they are too few.
    int (*countSubsteps)(const spBody* body, spReal dt, uint32_t* flags);

    // Whether a choice of the next step can be kept, as far as that is known before; a sentence when not.
    // NULL when nothing in the method depends on the clock.
    bool (*checkChoice)(const spBody* body, const spChoice* choice, spError* error);

    // Free motion over dt, holding the node rows of the body. Loads are those of spGetLoads.
    spAdvanceResult (*advance)(spBody* body, const spAdvanceContext* context);

    // The compliance of points on the body, which stays the same until `correct`: appends blocks C_ij for
    // pairs of points that move each other, i and j counted from firstPoint; several blocks of one pair add
    // up. Or, where nothing but the mass of each node counts, the nodes of the points. False when there is no
    // memory in the arena.
    bool (*freeze)(const spBody* body, const spPoints* points, int firstPoint, spArena* arena,
                   spComplianceList* list);

    // Whether `advance` can go over a slice once more. A method whose loads act on nodes alone need not: what
    // `correct` does is all that they do.
    bool (*repeats)(const spBody* body);

    // Takes impulses on points in, through that same compliance: v += C J^T impulse, x += C J^T shift. shift
    // is in kg m.
    void (*correct)(spBody* body, const spPoints* points, const spVec3* impulses, const spVec3* shifts);

    // At the end of a step: choose what the next one will do
    void (*adapt)(spBody* body, spTeam* team);

    // Shows what the method remembers from step to step beside the state of the body, piece by piece: the
    // same pieces for every method of the same type, filter included. Snapshots write them, or read them
    // back. False without memory: pieces are missing.
    bool (*walkMemory)(spBody* body, spWalkMemoryFcn* fcn, void* walk);

    // Whether it can move a body with such elements, by their definition. NULL: with any.
    bool (*takes)(const spBody* body, spElementSort sort, const void* def, spError* error);

    // After an edit: copies take over what is remembered of their parents. What depends on elements is made
    // anew in begin, where topologyVersion has grown. NULL: bodies with this method cannot be edited.
    void (*remap)(spBody* body, const spBirth* birth);
};

// Poses of the colliders when this fraction of the step has passed
void spMovePoses(const spAdvanceContext* context, spReal fraction);

// What stops the solver of a substep: its share of the time until the deadline, or what was chosen before.
// begin is when the first substep began.
spStop spMakeStop(const spAdvanceContext* context, int substep, int substepCount, double begin);
// Tells what a substep has done. False when that is not what was chosen before.
bool spTellChoice(const spAdvanceContext* context, int substep, const spStop* stop, int64_t factorStep);

// What the CPU fills into the backend: the method of the body advances it
spAdvanceResult spAdvanceByMethod(spBody* body, const spAdvanceContext* context);

// The table of a method type
const spMethodKind* spFindMethod(spMethodType type);

// Gives the body this method; the old one is destroyed only when the new one stands. With sp_methodAuto something
// moves it until spTakeChoice.
bool spSetBodyMethod(spBody* body, const spMethodDef* def, spError* error);
// The same for a definition that was checked before, of any type but sp_methodAuto; what the user gave stays
bool spInstallMethod(spBody* body, const spMethodDef* def, spError* error);
// Whether the method of an automatic body is to be chosen, or chosen again, for steps of dt
bool spIsOpen(const spBody* body, spReal dt);
// Gives an automatic body what was chosen for it. False, with everything as it was, without memory, or when the
// method refuses the body.
bool spTakeChoice(spBody* body, const spMethodChoice* choice, spReal dt, spError* error);

// Whether the method of a body moves such elements; a sentence when not
bool spCheckSort(const spBody* body, spElementSort sort, const void* def, spError* error);

// repeats of methods that do always, or never
bool spRepeatsAlways(const spBody* body);
bool spRepeatsNever(const spBody* body);
// getStableStep, countSubsteps and adapt of methods that survive any step: as many substeps as their def has
double spGetAnyStep(spBody* body);
int spCountGivenSubsteps(const spBody* body, spReal dt, uint32_t* flags);
void spAdaptNothing(spBody* body, spTeam* team);

// freeze and correct of methods that lend the inverse mass of each node
bool spFreezeNodes(const spBody* body, const spPoints* points, int firstPoint, spArena* arena,
                   spComplianceList* list);
// The same for points that follow nodes of an array of nodeCount: those of point i are [begin[i], begin[i + 1])
bool spFreezeEntries(const spBackend* backend, const spVec4* x, int nodeCount, const int32_t* begin,
                     const spGhostEntry* followed, int pointCount, int firstPoint, spArena* arena,
                     spComplianceList* list);
void spCorrectNodes(spBody* body, const spPoints* points, const spVec3* impulses, const spVec3* shifts);
