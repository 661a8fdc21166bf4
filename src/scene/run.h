// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// A run: the world of a scene, and what the time line and the measurements remember from step to step.

#pragma once

#include "scene/build.h"

// A link of the scene (attachment or grab) and the hand that moves it
typedef struct spRunLink
{
    spLinkId id;
    bool held; // was made and not released
    spDVec3 offset, from, to;
    double start, duration;
    bool moving;
} spRunLink;

// The state of one event
typedef struct spRunEvent
{
    const spEventData* data;
    int body;         // index, -1 when it has none
    int link;         // index into the links, -1 when it has none
    spNodeList nodes; // of a force that pulls now
    bool pulling;
} spRunEvent;

typedef struct spRunMeasurement
{
    const spMeasurementData* data;
    const char* unit;
    int body, collider, link; // indices, -1 when not concerned
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
    bool live;  // preconditioners come into use by the clock
    bool paced; // steps have a budget: the end is a time
    spError lastError;

    spRunBody* bodies;
    spColliderId* colliders;
    spRunLink* links;
    int linkCount;

    spRunEvent* events; // by time, those of the same time in the order of the file
    int eventCount, nextEvent;
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

// Carries out what is due before the step from `time` to `time + dt`. Returns SP_RUN_EVENT_FAILED or 0.
uint32_t spPlayTimeline(spRun* run, double time);

// measure.c
bool spBuildMeasurements(spRun* run, spProblems* problems);
void spTakeMeasurements(spRun* run);
