// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Sentences about the bodies of a run that its words and its report share.

#pragma once

#include "report_tools.h"
#include "souple/scene.h"

#define SP_NOTE_SIZE 512

// What was chosen for one of some bodies that leaves its method open, and why; false where there is nothing to say, or one
// before it has said the same for both
bool spSayChoice(char text[SP_NOTE_SIZE], const spWorld* world, const spBodyId* ids, int count, int index);

// How many of its tets were inside out, when, and what helps; false where there is nothing to say
bool spSayInversions(char text[SP_NOTE_SIZE], spRun* run, const char* body);

// Both, for all bodies of a run, as a part of a report, when there is anything
void spDraftBodies(spDraft* draft, spRun* run);
