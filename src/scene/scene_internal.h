// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The scene behind souple/scene.h, and the stages that it goes through: read, check, build.

#pragma once

#include "scene/places.h"
#include "scene/pool.h"
#include "scene/problems.h"
#include "scene/scene_data.h"
#include "souple/element.h"
#include "souple/scene.h"

struct spScene
{
    spHeap heap;
    spPool pool;
    spPlaceIndex places;
    const char* text;
    size_t textSize;
    const char* baseFolder; // "" means the working folder
    spSceneData data;
    spWarnings warnings; // of reading it
};

// check.c: everything that can be seen without building: names, references, numbers that contradict each
// other. Gives unnamed objects their names. Returns false when there is no memory.
bool spCheckSceneData(spScene* scene, spProblems* problems);

// The same for an act, an event that comes while a run of the scene goes on. Grabs and states that it names
// are not looked at: the run knows them.
void spCheckAct(const spScene* scene, const spEventData* event, spProblems* problems);

// Whether a method, one of spMethodType, has a linear solver
static inline bool spIsImplicit(int type)
{
    return type == sp_backwardEuler || type == sp_bdf2 || type == sp_imex || type == sp_quasiStatic;
}

// Whether it is one of the explicit ones
static inline bool spIsExplicit(int type)
{
    return type == sp_symplecticEuler || type == sp_forwardEuler || type == sp_verlet ||
           type == sp_rungeKutta4 || type == sp_localImplicit;
}

// The body, collider, or grab or attachment with a name; NULL or -1 when there is none
spBodyData* spFindBodyData(const spScene* scene, const char* name);
int spFindBodyIndex(const spScene* scene, const char* name);
int spFindColliderIndex(const spScene* scene, const char* name);

// Grabs and attachments share one list of links: attachments first, then grab events in the order of the file
int spGetLinkCount(const spScene* scene);
const char* spGetLinkName(const spScene* scene, int link);
int spFindLinkIndex(const spScene* scene, const char* name);

// run.c: builds the world; problems gets everything that is wrong. Used by spCreateRun and spCheckScene.
spRun* spBuildRun(const spScene* scene, const spRunDef* def, spProblems* problems);

// folder + "/" + file, or file alone when it begins with '/' or the folder is empty. The caller frees with
// spFree and strlen + 1. NULL when there is no memory.
char* spJoinPath(spHeap* heap, const char* folder, const char* file);
