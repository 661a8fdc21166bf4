// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The scene that is open in a view: its run, its pace, its recording, and what clients are told of it. All of
// it belongs to the thread that steps.

#pragma once

#include "exchange.h"
#include "received.h"
#include "souple/view.h"

typedef struct spSession
{
    const spViewDef* def; // of the view; outlives the session
    spExchange* exchange;

    // The scene
    spScene* scene;
    spRun* run;
    spBodyId* bodies;
    uint32_t* versions; // of the topologies that clients know
    spVec3** starts;    // where the nodes of each body were at the start
    int* startCounts;
    bool* toldInverted; // clients know that tets of each body turned inside out
    int bodyCount;
    spColliderId* colliders;
    int colliderCount;
    uint32_t serial;
    int index;           // of the scene in the view's list; -1: the one that was received
    spReceived received; // files that pages sent
    int64_t fileTime;    // when its file was written, ns
    double fileChecked;  // when that was looked at; wall clock, s

    spContact* contacts; // room to read those of a frame
    int contactCapacity;

    // Pace
    bool paused;
    int singleSteps; // that were asked for while it is paused
    double speed;    // simulated seconds in a second
    bool watched;    // somebody has come
    double due;      // when the next step has to begin, wall clock, s

    // Recording
    spRecorder* recorder;
    double recordRate; // Hz
    double recordNext; // simulated time of the next frame, s

    // What clients are told
    spNews* sceneNews;     // of the scene that was opened, until the ring has room for it
    bool moved;            // something has, since the last frame
    bool checkSettings;    // settings or pins may have changed since clients were told
    double checked;        // when that was looked at last; wall clock, s
    uint64_t settingsHash; // of what clients know
    uint64_t pinsHash;
    double published; // when the last frame was; wall clock, s
    uint32_t frameNumber;
    uint32_t flags;    // of the last step
    double probed;     // when a probe was answered; wall clock, s
    double complained; // when an event that failed was told; wall clock, s

    // Since the last message with numbers
    double told;    // when that was; wall clock, s
    double covered; // simulated time, s
    int steps;
    spProfile profile; // sums, ms
    uint32_t flagsSeen;
    double started; // wall clock, s

    // Since the view was made
    int64_t stepCount, frameCount;
    double stepSeconds, publishSeconds;
} spSession;

// Where the scene that is open lies
const char* spGetScenePath(const spSession* session);

// Opens the first scene
bool spStartSession(spSession* session, const spViewDef* def, spExchange* exchange, spError* error);
// Closes the recording too
void spEndSession(spSession* session);

// What clients asked for
void spFollowOrders(spSession* session);
// Opens the scene again when its file has changed
void spReloadSession(spSession* session);
// Steps up to the wall clock, at most for about a frame
void spAdvanceSession(spSession* session);
// A frame for those who wait for one, numbers, changes. Returns whether there is anything new.
bool spPublishSession(spSession* session);
// Seconds until there is something to do
double spGetPatience(const spSession* session);

// telling.c: what clients are told of a session. These return false when the ring had no room.
spNews* spMakeSceneNews(spSession* session);
bool spTellNotice(spSession* session, int client, const char* level, const char* text);
bool spTellStats(spSession* session, double now);
bool spTellChanges(spSession* session);
bool spTellProbe(spSession* session, int client, int body, int node);

// framing.c: fills the next frame with the world as it is
bool spFillFrame(spSession* session, spRawFrame* frame, unsigned wanted);
