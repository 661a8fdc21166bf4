// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// From the structs of a scene to a world: numbers, meshes, bodies, colliders, links. Everything reports to
// spProblems and goes on with the next object.

#pragma once

#include "scene/scene_internal.h"

static inline spVec3 spToVec3(spDVec3 v)
{
    return (spVec3){(spReal)v.x, (spReal)v.y, (spReal)v.z};
}

// What a run knows about a body of the scene
typedef struct spRunBody
{
    const spBodyData* data;
    spBodyId id;
    int nodeCount;
    int springSets[64]; // element set of each of its springs; -1 when it was not made
    int gasSet;
    int bendSet;
    int windSet;
    int fieldSets[64];
    int tetSet;
    int tetCount;
    spTetState* tetStates;                         // scratch of measurements, tetCount
    spReal* tetNumbers;                            // the same
    double* tetVolumes;                            // at rest, m^3, tetCount
    double youngModulus, poissonRatio, tetDamping; // of its tets now
    double tetScale;                               // of their moduli over those at the start, now
    bool mixed;                                    // tets have several materials
    bool whole;                                    // it could not tear any further: nobody asks it again
    bool relaxed;                                  // the next one says how that ended
    spRelaxResult relaxResult;
    spInversionReport inversions;
    double stiffness[64], damping[64]; // of each of its springs now, for events that change one of two
    int constraintSets[64];            // element set of each of its constraints; -1 when it was not made
    double compliance[64], constraintDamping[64]; // of each of them now
    double friction, restitution;
    double startModulus[64]; // of its springs, where they got their stiffness from one
    double startYoungModulus, startBending, startKnrt; // at the start: ranges of sliders stay where they are
    struct spDrivenPins* drives;                       // pins that move
    int driveCount, driveCapacity;
} spRunBody;

// In radians
#define SP_DEGREE (3.14159265358979323846 / 180.0)

// A rotation of the scene as a unit quaternion
spQuat spMakeRotation(const spRotationData* rotation);
spTransform spMakePlacement(const spPlacementData* placement);

// Nodes in a region, ascending; nearest ones by distance. Returns false when there is no memory. An empty
// choice and a node that does not exist are errors, reported.
typedef struct spNodeList
{
    int32_t* data;
    int count;
    int capacity;
} spNodeList;

bool spSelectNodes(spHeap* heap, const spRegionData* region, const spVec3* positions, int nodeCount,
                   spNodeList* nodes, spProblems* problems);
void spFreeNodes(spHeap* heap, spNodeList* nodes);

// The mesh of a body or of its surface, scaled; NULL when it cannot be made, which is reported. Where tets were
// asked for in a surface they are made, unless it is to be drawn.
spMesh* spMakeSceneMesh(const spScene* scene, const spBodyData* body, const spMeshData* data, bool drawn,
                        spHeap* heap, spProblems* problems);

// The mesh of a collider, scaled; NULL when it cannot be made, which is reported
spMesh* spMakeColliderMesh(const spScene* scene, const spColliderData* data, spHeap* heap,
                           spProblems* problems);

// @param mesh how the mesh of the body was made
// @param edges all edges of the body
spMethodDef spMakeMethod(const spMethodData* data, const spMeshData* mesh, const int32_t* edges);

// Makes a body with all that is on it
void spBuildSceneBody(const spScene* scene, spWorld* world, const spBodyData* data, spHeap* heap,
                      spRunBody* body, spProblems* problems);

// build_tets.c: whether a body gets tets, because it says so or because only its material is given
bool spWantsTets(const spBodyData* data, const spMesh* mesh);

// drive.c: pins that follow a path
typedef struct spDrivenPins
{
    const spMotionData* motion;
    int32_t* nodes;
    spVec3* starts; // m
    int count;
    spVec3 centre; // of the starts, m
} spDrivenPins;

// positions are those of all nodes at the start. False without memory.
bool spAddDrivenPins(spHeap* heap, spRunBody* body, const spRegionData* pin, const spNodeList* nodes,
                     const spVec3* positions);
// Where they are at a time, to be reached in the next step. False when the world refuses.
bool spDrivePins(spWorld* world, const spRunBody* body, double time);
void spFreeDrivenPins(spRunBody* body, spHeap* heap);

// Masses of the nodes when regions of the tets have densities of their own, else NULL; density, kg/m^3,
// counts elsewhere. Free with spFreeRegionMasses.
spReal* spMakeRegionMasses(const spBodyData* data, const spMesh* mesh, double density, spHeap* heap,
                           spProblems* problems);
void spFreeRegionMasses(spReal* masses, spHeap* heap);

// Returns the number of the set, or -1 when it cannot be made, which is reported
int spBuildTets(spWorld* world, spRunBody* body, const spMesh* mesh, spHeap* heap, spProblems* problems);
void spFreeSceneTets(spRunBody* body, spHeap* heap);

// First edge and number of edges of a group (spSpringEdges) of the generator `cloth`
void spFindClothEdges(const spMeshData* mesh, int group, int* first, int* count);

// build_constraints.c: after nodes were pinned, where tethers end
void spBuildSceneConstraints(spWorld* world, spRunBody* body, const spMesh* mesh, const spVec3* positions,
                             spHeap* heap, spProblems* problems);

spColliderId spBuildSceneCollider(const spScene* scene, spWorld* world, const spColliderData* data,
                                  spHeap* heap, spProblems* problems);

void spBuildScenePair(spWorld* world, const spPairData* data, spBodyId body, spThing other,
                      spProblems* problems);

// The positions of a body into fresh memory of nodeCount entries; NULL when there is none
spVec3* spCopySceneNodes(spHeap* heap, const spWorld* world, const spRunBody* body);

// Reports what the world says about the last call at a place of the scene
void spReportWorld(spProblems* problems, spWorld* world, const spObjectHead* head, const void* member,
                   const char* what);

// Where a collider is at a time, s
spTransform spGetMotionPose(spTransform start, const spMotionData* motion, double time);
