// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Everything in the core of Souple. Scene files and recordings are in souple/scene.h and souple/record.h,
// which need the library souple_scene beside souple.

#pragma once

#include "souple/base.h"
#include "souple/body.h"
#include "souple/collider.h"
#include "souple/contact.h"
#include "souple/edit.h"
#include "souple/element.h"
#include "souple/fill.h"
#include "souple/levels.h"
#include "souple/mesh.h"
#include "souple/remesh.h"
#include "souple/world.h"
