// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The experiments on intersection volumes: reproduce_volumes.c has contacts and tables of costs,
// reproduce_volumes_images.c what images and volumes of surfaces are, reproduce_volumes_penalty.c the pile of tori
// that are pressed apart by a penalty.

#pragma once

#include "reproduce.h"

// Parts in other files. They look into the core, and are left out where that is a shared library.
void spReproduceImages(spReproduction* r);
void spReproduceSurfaceVolumes(spReproduction* r);
void spReproducePenalty(spReproduction* r);
