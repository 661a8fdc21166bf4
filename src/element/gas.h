// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Ideal gas inside a closed surface or outline: what the body needs to make and read one.

#pragma once

#include "element/element.h"
#include "element/enclosure.h"

typedef struct spGasSet
{
    spElementSet base;
    double knrt;       // J, or J/m when planar
    double ambient;    // pressure from outside, Pa
    double amplitude;  // of the breathing
    double frequency;  // of the breathing, Hz
    double restVolume; // at creation, m^3 or m^2
    spEnclosure enclosure;
    double pressure;     // inside minus outside, from measure
    double stiffening;   // -d pressure / d volume, from measure
    double rowStiffness; // the same for XPBD, > 0 even where the pressure does not change, from measure
    double dPressure;    // from measureDifference
} spGasSet;

typedef struct spGasSetDef
{
    const int32_t* faces; // nodes of the triangles, or of the edges of the outline
    int faceCount;
    bool planar;
    double knrt;
    double amplitude;
    double frequency;
} spGasSetDef;

// Returns NULL when there is no memory. restVolume is that of the state; the caller sets knrt and ambient
// from it.
spGasSet* spCreateGasSet(spHeap* heap, const spGasSetDef* def, const spNodeState* state);

// Volume inside, m^3 or m^2, signed
double spGetGasVolume(const spGasSet* set, const spNodeState* state);

// Pressure inside, without what comes from outside
double spGetGasPressure(const spGasSet* set, double volume, double time);

extern const spElementKind spGasKind;
