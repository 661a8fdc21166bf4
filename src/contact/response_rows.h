// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Rows while they are solved, over a compliance that their bodies have frozen: what response.c shares with
// rounds.c.

#pragma once

#include "contact/coupling.h"
#include "contact/response.h"

// A row while it is solved
typedef struct spSolvedRow
{
    spRow* row;     // a contact of its body, or one between bodies
    int a, b;       // points; b is -1 for a collider
    bool held;      // by the method of its body: a part of the model alone
    bool contact;   // its law
    spVec3 gap;     // x_a - x_b - anchor, m; of a contact along the normal
    spVec3 target;  // relative velocity that it asks for, m/s
    spVec3 impulse; // N s
    spVec3 shift;   // kg m
    spVec3 normal;  // of a contact
    spReal friction;
    spReal even;      // the diagonal is that times the identity, 1/kg; 0 where it is not
    spMat3 diagonal;  // of W, 1/kg
    spVec3 change;    // of the multiplier, by the last sweep
    spVec3 direction; // conjugate: how it has changed over the sweeps
} spSolvedRow;

typedef struct spResponse
{
    const spResponseContext* context;
    spSolvedRow* rows;
    int rowCount;
    spRowSide* sides; // of the points, body by body
    int* bodyPoint;   // first point of each body (bodyCount + 1)
    int pointCount;
    spComplianceList compliance;
    int* pointBlock;          // first block of each point, blocks ordered by i (pointCount + 1)
    int* pointEntry;          // first nodal entry of each point (pointCount + 1)
    spVec3* motion;           // what impulses did to the nodes of these, m/s or m
    spPointCoupling coupling; // velocity, or displacement, of each point, beside that of its nodes
    spVec3* impulses;         // on each point, when they are handed to the bodies
    spVec3* shifts;
} spResponse;

// Collects the rows and their points. False when there is nothing to do or no memory.
bool spOpenResponse(spResponse* r, const spResponseContext* context, spResponseResult* result);
// Lets every body freeze its compliance, and orders the blocks by their first point
bool spFreezeResponse(spResponse* r);

spPoints spGetPoints(const spResponse* r, int body);
// The value at a point of a body, from those at its nodes
spVec3 spReadSide(const spResponse* r, const spRowSide* side, const spVec4* values);

// Forgets what impulses did: before another solve over the same compliance
void spClearMotion(spResponse* r);
// What impulses do to relative velocities, in the model
void spPushRow(spResponse* r, const spSolvedRow* row, spVec3 impulse);
spVec3 spGetRowVelocity(const spResponse* r, const spSolvedRow* row);
// Between two sweeps: what goes on in the direction of the last ones, into the changes of the rows; they are pushed by
// it. last: of the call before, 0 at first. False when there is nothing to add.
bool spGoOn(spResponse* r, double* last);
// Hands the impulses and shifts of the rows to the bodies
void spCorrectBodies(spResponse* r);

// Whether contacts between bodies are among the rows
bool spHasTouches(const spResponse* r);
// Keeps in the rows what they exert now, for the next solve
void spKeepForces(const spResponse* r);
