// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// A body: nodes with roles, element sets, rows, and one method.
//
// Node state lies in the order of `order` (patch by patch); everything that users give or get is in their
// numbering and goes through order.rank and order.order.

#pragma once

#include "base/backend.h"
#include "base/error.h"
#include "body/multipliers.h"
#include "body/row.h"
#include "element/bend.h"
#include "element/constraint_set.h"
#include "element/element.h"
#include "element/field.h"
#include "element/gas.h"
#include "element/spring.h"
#include "element/tet.h"
#include "element/wind.h"
#include "mesh/order.h"
#include "mesh/patch.h"

#include "souple/body.h"
#include "souple/element.h"

#define SP_MAX_SETS 32

// Nodes of a patch: positions, velocities and forces of one fit in the first-level cache
#define SP_PATCH_SIZE 1024

typedef struct spMethodKind spMethodKind;
typedef struct spEditData spEditData;
typedef struct spContactSurface spContactSurface;
typedef struct spNodeFans spNodeFans;
typedef struct spHierarchy spHierarchy;

// A driven node: moves to its target over the next step
typedef struct spDrivenNode
{
    int32_t node;
    spVec3 target;
} spDrivenNode;

// An attached surface, of any resolution, only drawn: x0 + w1 (x1 - x0) + w2 (x2 - x0) + w3 (x3 - x0) over four nodes
typedef struct spAttachedSurface
{
    int vertexCount;
    int triangleCount;
    int32_t* triangles; // of its own vertices
    int32_t* nodes;     // 4 for each vertex
    spReal* weights;    // 3 for each vertex; differences of nodes keep them exact far from the origin
    spVec3* view;       // what the getter of its positions fills
} spAttachedSurface;

// What is known of the energy of a body that is left alone (world/watch.c)
typedef struct spEnergyWatch
{
    bool begun;
    int age;          // steps since energy was looked at
    double reference; // least that was seen, J
    double fastest;   // largest kinetic energy that was looked at, J
    uint32_t materialVersion;
    spVec3 gravity;
} spEnergyWatch;

typedef struct spBody
{
    char name[SP_NAME_SIZE];
    spBodyId id;
    spHeap* heap;
    const spBackend* backend;
    int laneCount;

    // Rest
    int nodeCount; // spare ones included, which have the role sp_nodeGone and no mass (mesh/order.h)
    int userCount; // of the user's nodes
    int tetRoom;   // tets that edits may add before sets are laid out anew
    spNodeOrder order;
    spReal* mass;
    int32_t* triangles; // surface, in the user's numbering
    int triangleCount;
    bool closed;    // every edge of the surface has two triangles
    int32_t* edges; // all edges of the mesh, in the user's numbering
    int edgeCount;
    int32_t* tets; // in the user's numbering
    int tetCount;
    uint32_t topologyVersion;
    uint32_t matrixVersion;   // grows with what changes stiffness and damping beside motion: materials, roles
    uint32_t materialVersion; // grows with materials alone
    spDVec3* rest; // nodes before the placement, in the user's numbering (nodeCount: room for more)
    spAttachedSurface* surface; // drawn instead of the triangles; NULL when there is none
    uint32_t surfaceVersion;    // apart from the topology, which snapshots compare
    spHierarchy* hierarchy;     // of a body of levels, its own mesh the finest (mesh/hierarchy.h); else NULL
    spTransform placement;      // of meshes in the world at the start
    spEditData* edit;           // of a body with room for edits, else NULL (body/edit.h)

    // State. Arrays of positions have room for remainders behind the nodes, what rounding to single precision leaves
    // of them: only a precise body that moves by a method that keeps them has any (spGetRemainder)
    spVec4* x; // position and inverse mass
    spVec4* v;
    spVec4* goodX; // at the start of the step
    spVec4* goodV;
    spVec4* nodeForces; // from the user; NULL until there are any
    spVec4* loads;      // the same and what other bodies exert, while bodies of an island advance; else NULL
    uint8_t* roles;
    int32_t* held; // nodes that are fixed or driven
    int heldCount;
    bool heldDirty;       // roles have changed since the list was made
    spDrivenNode* driven; // targets for the next step
    int drivenCount;
    int drivenCapacity;
    int32_t* drivenIndex; // place of each node in driven, -1 for none; NULL until a node is driven
    bool precise; // stiff: forces of its tets are found in double precision, from positions with remainders
    bool running;
    bool asleep;                   // steps pass it by (world/sleep.c)
    spReal calmTime;               // for which it has been slow, s
    spVec3 sleepLower, sleepUpper; // box around it, with the distance of contact, when it was last looked at
    int island;  // of bodies that advance together, because rows join them in this step; -1 for none
    int slices;  // that its island advances in
    bool joined; // to another body by a link
    double time; // s, follows the world's

    // Forces: nodes, then slots
    spVec4* f;
    spSlots slots;
    spElementSet* sets[SP_MAX_SETS];
    int setCount;
    int elementCount;

    // Contact and rows
    spReal gravityScale;
    spReal contactRadius;
    uint32_t group, touches; // bits
    spReal friction;
    spReal restitution;
    spRow* rows; // ordered by patch and node
    int rowCount;
    int rowCapacity;
    int32_t* patchRow;         // first row of each patch (patchCount + 1)
    spMultipliers multipliers; // of node rows, where the method keeps them
    bool selfContact;          // it touches itself
    spContactSurface*
        contactSurface; // as contact between bodies sees it (contact/contact_surface.h); NULL until
                        // it is needed
    spNodeFans* fans;   // for areas around nodes (body/node_area.h); NULL until it touches something
    spVec3 contactForce;
    spVec3 pinForce;
    spJointDef joint; // of a rigid body
    bool newJoint;    // it holds the body where the next step finds it
    spJointState jointState;

    // Method
    spMethodDef methodDef;  // what moves it: never sp_methodAuto
    bool automatic;         // the user leaves the type to the engine
    spMethodChoice choice;  // what was chosen then, and why; type sp_methodAuto while it is open
    uint32_t choiceVersion; // of the materials that it was chosen for
    spReal choiceDt;        // and the step, s
    const spMethodKind* method;
    void* methodState;
    spSolverReport solverReport; // of the last step
    double cost;                 // of a step that the clock may stop, else of a substep, smoothed, s
    double leastCost;            // of a step that is stopped as early as can be, smoothed, s
    double gravity;              // that the estimate of the stable step counts with, m/s^2
    double stableStep;           // estimate, s
    double turnRate;             // of the drag, 1/s, from the last bounds: longer steps turn velocities round
    bool stableStepDirty;        // something that it depends on has changed
    int estimateAge;             // steps since it was made
    spReal substep;              // of the last explicit substep, s

    spEnergyWatch watch;

    spVec3* view; // what the getters of positions and velocities fill: two arrays of nodeCount
} spBody;

// Forces on nodes from outside, beside gravity; NULL when there are none
static inline const spVec4* spGetLoads(const spBody* body)
{
    return body->loads != NULL ? body->loads : body->nodeForces;
}

spBody* spBuildBody(spHeap* heap, const spBodyDef* def, const spBackend* backend, spError* error);
void spDestroyBodyData(spBody* body);
// Edges, surface and tets of a mesh, copied
bool spCopyTopology(spBody* body, const spMesh* mesh, spError* error);

// Adding element sets. Return the number of the set, or -1.
int spAddSpringSet(spBody* body, const spSpringDef* def, spError* error);
int spAddTetSet(spBody* body, const spTetDef* def, spError* error);
int spAddBendSet(spBody* body, const spBendDef* def, spError* error);
int spAddWindSet(spBody* body, const spWindDef* def, spError* error);
int spAddGasSet(spBody* body, const spGasDef* def, spError* error);
int spAddConstraintSet(spBody* body, const spConstraintDef* def, spError* error);
int spAddFieldSet(spBody* body, const spFieldDef* def, spError* error);

// The set with this number when it is of this sort, else NULL, also for a body that is NULL
spSpringSet* spGetSpringSet(const spBody* body, int set);
spTetSet* spGetTetSet(const spBody* body, int set);
spBendSet* spGetBendSet(const spBody* body, int set);
spWindSet* spGetWindSet(const spBody* body, int set);
spGasSet* spGetGasSet(const spBody* body, int set);
spConstraintSet* spGetConstraintSet(const spBody* body, int set);
spFieldSet* spGetFieldSet(const spBody* body, int set);

// Whether a set has rows but no forces, so that nothing but XPBD can move the body
bool spHasRowsOnly(const spBody* body);

// Nodes that an array of positions has room for
static inline int spGetPositionRoom(int nodeCount)
{
    return sizeof(spReal) == sizeof(float) ? 2 * nodeCount : nodeCount;
}

// From a position to its remainder, in arrays of positions; 0 when there are none
static inline int spGetRemainder(const spBody* body)
{
    const spMethodDef* def = &body->methodDef;
    bool kept = def->type == sp_symplecticEuler || def->type == sp_verlet || def->type == sp_backwardEuler ||
                def->type == sp_bdf2 || def->type == sp_xpbd;
    return body->precise && kept && def->filter.type == sp_filterNone ? body->nodeCount : 0;
}

// Positions with their remainders
void spCopyPositions(const spBody* body, spVec4* to, const spVec4* from);
// Positions are exact as they stand
void spClearRemainders(const spBody* body, spVec4* x);

spNodeState spGetNodeState(const spBody* body);

// Exchanges the attached surface; NULL removes it. On failure the old one stays.
bool spAttachSurface(spBody* body, const spMesh* mesh, spError* error);
// Positions of its first vertices now, m
void spMapSurface(const spBody* body, spVec3* positions, int count);
void spFreeAttachedSurface(spHeap* heap, spAttachedSurface* surface);

// Says that materials have changed, or only roles of nodes.
void spMarkChanged(spBody* body);
void spMarkRoles(spBody* body);

// Sets the role of a node. Fixed and driven nodes have inverse mass 0.
bool spSetNodeRole(spBody* body, int node, spNodeRole role, spError* error);
// Makes the list of held nodes anew when roles have changed.
void spUpdateHeldNodes(spBody* body);
// Gives a driven node its target for the next step.
bool spSetNodeTarget(spBody* body, int node, spVec3 target, spError* error);

// Start and end of a step for driven nodes: velocity towards the target, then rest exactly there
void spStartDrivenNodes(spBody* body, spReal dt);
void spFinishDrivenNodes(spBody* body);

// Forces at a state: gravity, forces of the user, all element sets, slots summed. f is body->f. Work on all
// patches.
typedef struct spForceContext
{
    spBody* body;
    spNodeState state;
    spVec3 gravity; // times gravityScale
    spTeam* team;
} spForceContext;

// Global kinds measure; then spAddPatchForces may run for every patch, then spSumPatchForces for every patch
void spMeasureForces(const spForceContext* context);
void spAddPatchForces(const spForceContext* context, int patch);
void spSumPatchForces(const spForceContext* context, int patch);

// The change of the forces of all element sets for a change of the state, into body->f; works on all patches.
// Global kinds measure; then spAddPatchDifference may run for every patch, then spSumPatchForces.
void spMeasureDifference(const spForceContext* context, const spDifference* difference);
void spAddPatchDifference(const spForceContext* context, const spDifference* difference, int patch);

// Squared frequency (1/s^2) and damping rate (1/s) that no mode of the body exceeds, at its present state.
// scratch has room for 2 * nodeCount matrices.
void spBoundFrequencies(spBody* body, spMat3* scratch, double* frequency2, double* damping);

// Holds the node rows of a patch after a trial substep: puts nodes back and takes the impulses from them.
void spHoldPatchRows(spBody* body, const spHoldContext* context, int patch);

// Stress and strain at the nodes, for display, in the user's numbering: von Mises stress, Pa, and equivalent strain.
// Return their number, 0 when the body has nothing that has them, or there is no memory.
int spSumNodeStress(const spBody* body, spReal* stress);
int spSumNodeStrain(const spBody* body, spReal* strain);
int spSumNodeModulus(const spBody* body, spReal* modulus);
// The largest number of the regions around each node; 0 also when all tets are in region 0
int spFindNodeRegions(const spBody* body, spReal* regions);

// The farthest that a free node is from the first node, m. Uses f.
double spGetBodySize(spBody* body);
// Volume inside the gas, or else inside the closed surface; 0 when there is neither
double spGetBodyVolume(const spBody* body);
double spGetKineticEnergy(const spBody* body);
// With its nodes at these positions
spEnergy spGetBodyEnergy(const spBody* body, const spVec4* positions, spVec3 gravity);
