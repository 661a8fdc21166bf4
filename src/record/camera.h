// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Where to look from.

#pragma once

#include "record/raster.h"
#include "souple/record.h"

// The box around everything that moves, over the whole recording
typedef struct spMotionBox
{
    double low[3];
    double high[3];
    bool isEmpty;
} spMotionBox;

spMotionBox spMeasureMotion(const spRecording* recording);

// Makes a camera usable for a picture. Returns false when eye, target, up or angle make no picture.
bool spMakeView(const spCamera* camera, int width, int height, spView* view);
