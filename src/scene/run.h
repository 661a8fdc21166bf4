// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// A run: the world of a scene, and what the time line and the measurements remember from step to step.

#pragma once

#include "scene/build.h"

// Most bytes of the name of a grab or a state, its end included
#define SP_RUN_NAME 64

// Most forces by acts that pull at the same time
#define SP_MAX_LIVE_FORCES 64

// A link (attachment or grab) and the hand that moves it
typedef struct spRunLink
{
    spLinkId id;
    bool held;     // was made and not released; the rest counts only then
    int body;      // whose nodes
    spLinkDef def; // what makes it again: its nodes and anchors are owned
    spDVec3 offset, from, to;
    double start, duration;
    bool moving;
    char name[SP_RUN_NAME]; // of a grab by an act
} spRunLink;

// An event, or an act
typedef struct spRunEvent
{
    const spEventData* data;
    int body;     // index, -1 when it has none
    int link;     // index into the links, -1 when it has none
    int collider; // index, -1 when it has none
    bool live;
} spRunEvent;

// How an event drives a collider, in place of its motion
typedef struct spRunDrive
{
    bool driven;
    bool smooth;  // starts and ends at rest
    bool endless; // at an even velocity
    spTransform from, to;
    spDVec3 velocity;       // m/s
    double start, duration; // s
} spRunDrive;

// A force that pulls now
typedef struct spRunPull
{
    int body;
    spNodeList nodes;
    spDVec3 force;
    double end; // time, s
    bool live;  // an act made it
} spRunPull;

// A blade on its way
typedef struct spRunBlade
{
    int body;
    spDVec3 from[2], to[2]; // ends of its edge
    double start, duration; // s
    double share;           // of its way that is done
    bool begun;             // it was there in the step before
    bool live;              // an act moves it
} spRunBlade;

// Most blades on their way at the same time
#define SP_MAX_BLADES 64

// The sphere of poke
typedef struct spRunTool
{
    spColliderId id; // null when there is none
    double radius;
    spDVec3 target;
    bool moving; // it is not there yet
    bool live;   // an act moved it last
} spRunTool;

// A saved state: the world, and where the time line stands. What acts hold, pull or poke with is not part of
// it.
typedef struct spRunState
{
    char name[SP_RUN_NAME];
    spSnapshot* snapshot;
    int nextEvent;
    spRunLink* links; // those of the scene; not held ones own nothing
    spRunDrive* drives;
    spRunPull* pulls;
    int pullCount;
    spRunTool tool;
    spDVec3 toolPosition;
    spRunBlade blades[SP_MAX_BLADES];
    int bladeCount;
} spRunState;

typedef struct spRunMeasurement
{
    const spMeasurementData* data;
    const char* unit;
    int body, collider, link; // indices, -1 when not concerned
    int otherBody, otherCollider;
    int node;
} spRunMeasurement;

struct spRun
{
    spHeap heap;
    const spScene* scene;
    spWorld* world;
    spLogger logger;
    double dt;
    int64_t stepCount, stepsDone;
    double duration, covered; // simulated time that is asked for, and that was covered
    bool played;              // the events before the next step were carried out
    uint32_t playedFlags;
    bool untangled; // before the first step
    spUntangleReport untangleReport;
    bool live;  // preconditioners come into use by the clock
    bool paced; // steps have a budget: the end is a time
    spError lastError;
    spWarnings warnings; // of building it

    spRunBody* bodies;
    spColliderId* colliders;
    spRunDrive* drives; // of the colliders
    spRunLink* links;   // those of the scene, then those of acts
    int linkCount, sceneLinkCount;

    spRunEvent* events; // by time, those of the same time in the order of the file
    int eventCount, nextEvent;
    spRunPull* pulls; // in the order in which they began
    int pullCount, pullCapacity, livePullCount;
    spRunTool tool;
    spRunBlade blades[SP_MAX_BLADES];
    int bladeCount;
    spRunState states[SP_MAX_STATES];
    int stateCount;
    spDVec3* forces; // scratch for forces on the nodes of one body, as many as the largest body has

    spRunMeasurement* measurements;
    double* values;
    int measurementCount;

    spVec3* scratch; // positions of one body, as many as the largest body has
    int scratchCount;
};

// timeline.c
bool spBuildTimeline(spRun* run, spProblems* problems);
void spBuildAttachments(spRun* run, spProblems* problems);
void spFreeTimeline(spRun* run);

// Carries out what is due before the next step. Returns SP_RUN_EVENT_FAILED or 0.
uint32_t spPlayTimeline(spRun* run);

// Carries out one event now
void spPlayEvent(spRun* run, const spRunEvent* event, spProblems* problems);

// The nodes of a link as they are now, or with anchors where they are held. Copies what it needs of the
// definition. Reports to `head` when it cannot be made.
bool spMakeLink(spRun* run, spRunLink* link, int body, const spLinkDef* def, const spObjectHead* head,
                spProblems* problems);
void spReleaseLink(spRun* run, spRunLink* link);
void spForgetLink(spRun* run, spRunLink* link); // it is gone from the world already

// Hands the sum of all forces that pull at a body to some of its nodes
bool spApplyForces(spRun* run, int body, const spNodeList* nodes);

// Puts a tool somewhere, in place of the one that is there
bool spMakeTool(spRun* run, spDVec3 position, double radius);
void spLiftTool(spRun* run);

// inversion.c: after every step
void spNoteInversions(spRun* run);
// blade.c
void spPlayCut(spRun* run, const spRunEvent* event, double time, spProblems* problems);
void spPlayCarve(spRun* run, const spRunEvent* event, spProblems* problems);
// Bodies with a strength tear where their stress is above it
void spTearBodies(spRun* run, spProblems* problems);
// Blades that take their time go on, over what the last step has moved
void spMoveBlades(spRun* run, double time, spProblems* problems);

// state.c
bool spSaveState(spRun* run, const char* name, spError* error);
bool spRestoreState(spRun* run, const char* name, spError* error);
void spFreeStates(spRun* run);

// start_check.c: what the start shows
void spCheckStart(spRun* run, spProblems* problems);

// run.c: steps that are left at another time step, s
void spSetTimeStep(spRun* run, double dt);

// measure.c
bool spBuildMeasurements(spRun* run, spProblems* problems);
void spTakeMeasurements(spRun* run);
