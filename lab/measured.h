// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What cases of `souple validate` that measure moving bodies share: methods by name, and a measurement that is
// judged by its limit.

#pragma once

#include "validate.h"

// A method as tables name it
typedef struct spNamedMethod
{
    const char* name;
    spMethodType type;
    spXpbdSolver xpbd;
} spNamedMethod;

// All of them, and their number
const spNamedMethod* spGetNamedMethods(int* count);
// NULL when there is none of this name
const spNamedMethod* spFindNamedMethod(const char* name);
// The method of this name, with so many sweeps of XPBD
spMethodDef spMakeNamedMethod(const spNamedMethod* named, int sweeps);

// One thing measured
typedef struct spMeasured
{
    const char* name; // of the case
    char setting[96]; // methods, materials, steps
    const char* what; // with its unit
    double value;
    double reference; // NaN where the value itself must not be above the limit
    double limit;     // of the difference, as a share of the reference
    uint32_t flags;   // of the last quarter of the steps
    bool strict;      // to say that steps were not solved is no excuse
} spMeasured;

// Prints a measurement and appends it to the rows. Returns an exit code.
int spJudgeMeasured(const spMeasured* measured, const spValidation* options, json_t* rows);
