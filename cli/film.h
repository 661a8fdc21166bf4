// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Films of recordings: the pictures go through a pipe to ffmpeg, a program of its own.

#pragma once

#include "souple/record.h"

// Whether there is an ffmpeg; prints what to do when there is none
bool spCanFilm(void);

// Draws frames into an MP4 file that plays as fast as the recording ran. Width and height must be even. The
// file appears under its name only when it is whole.
bool spSaveFilm(const spRecording* recording, const spExportDef* def, const spPictureDef* picture,
                const char* path, spError* error);
