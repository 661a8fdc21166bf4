// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Cases of `souple validate motion` with one solid body (validate_motion_solid.c).

#pragma once

#include "validate.h"

int spRunMotionSpin(const spValidation* options, json_t* rows);
int spRunMotionPendulum(const spValidation* options, json_t* rows);
int spRunMotionSteel(const spValidation* options, json_t* rows);
int spRunMotionSqueeze(const spValidation* options, json_t* rows);
