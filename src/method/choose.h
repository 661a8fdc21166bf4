// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Which method moves a body that leaves it open (sp_methodAuto). A pure function of what is known when the
// body is stepped first; nothing depends on the clock.

#pragma once

#include "method/method.h"

// What the choice depends on
typedef struct spMethodNeeds
{
    double dt;         // s, of the step
    double stableStep; // s, of symplectic Euler, estimated
    double known;      // explicit substeps that a step needs, where they were found before; else 0
    double safety;     // share of it that automatic substeps use
    int substeps;      // that the user asks for; 0 for automatic
    double work;       // of one evaluation of all elements, in tets
    bool
        thin; // its mesh has no tets, or it has gas: cloth, or a skin with gas, where whole solutions take many iterations
    bool filtered;    // the user asks for a velocity filter, which only explicit methods have
    bool constrained; // it has constraints, which only XPBD keeps
    bool joined;      // it may touch a body that solves a system: every substep would solve that one again
} spMethodNeeds;

spMethodChoice spChooseMethod(const spMethodNeeds* needs);

// Sweeps whose time XPBD's automatic solver may take: those given, or as many as a small body can afford where the
// method was chosen for it
int spGetSweepCount(spBody* body);

// Fills in everything but dt and joined; where the number of substeps is known there is no estimate. False when there is
// no memory for one.
bool spFindNeeds(spBody* body, double known, spMethodNeeds* needs);
