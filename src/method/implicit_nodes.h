// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Loops over nodes [begin, end) of implicit substeps, each over arrays alone. r is the effective step.

#pragma once

#include "base/node.h"
#include "math/mat3.h"

// base = now, or present now + past before where the past has a weight
void spBlendStates(spVec4* base, spReal present, const spVec4* now, spReal past, const spVec4* before,
                   int begin, int end);

// Bases of held nodes, which go to x + h v whatever the method: baseX = x + rest v with rest = h - r,
// baseV = v
void spFillHeldBases(spVec4* baseX, spVec4* baseV, const spVec4* x, spReal rest, const spVec4* v, int begin,
                     int end);

// b = r f - massShare m (v - baseV)
void spFillRightSide(spVec4* b, spReal r, const spVec4* f, spReal massShare, const spReal* mass,
                     const spVec4* v, const spVec4* baseV, int begin, int end);

// d = baseX + r v - x
void spFillDisplacements(spVec4* d, const spVec4* baseX, spReal r, const spVec4* v, const spVec4* x,
                         int begin, int end);

// x = baseX + r v; inverse masses stay
void spFillPositions(spVec4* x, const spVec4* baseX, spReal r, const spVec4* v, int begin, int end);

// v = from + share dv
void spFillVelocities(spVec4* v, const spVec4* from, spReal share, const spVec4* dv, int begin, int end);

// f -= product - massShare m v
void spSubtractBeyondMass(spVec4* f, const spVec4* product, spReal massShare, const spReal* mass,
                          const spVec4* v, int begin, int end);

// p = m (baseV - v + r g) + r f, the momentum that loads still have to give; v and f may be NULL for 0
void spFillLoadImpulses(spVec4* p, const spReal* mass, const spVec4* baseV, const spVec4* v, spReal r,
                        spVec3 g, const spVec4* f, int begin, int end);

// Velocities of a static step are displacements: those of driven nodes over h, others none
void spScaleDriven(spVec4* v, const uint8_t* roles, spReal h, int begin, int end);

// a = value - from where nodes are free, else 0; from may be NULL for 0
void spFillFree(spVec4* a, spVec3 value, const spVec4* from, const spVec4* x, int begin, int end);

// a = from where nodes are held, else 0
void spFillHeld(spVec4* a, const spVec4* from, const spVec4* x, int begin, int end);

// to = inverse mass times from
void spDivideByMass(spVec4* to, const spVec4* from, const spVec4* x, int begin, int end);

// to += R z where nodes are free; turns may be NULL for no rotation
void spAddTurned(spVec4* to, const spMat3* turns, const spVec4* z, const spVec4* x, int begin, int end);

// Sum of massShare m, and root of the sum of squares of m, kg
double spSumMass(spReal massShare, const spReal* mass, int begin, int end);
double spGetMassNorm(const spReal* mass, int begin, int end);

// Sum of the mean of the three numbers of each node
double spSumMeans(const spVec4* a, int begin, int end);

// Sum of the masses of free nodes, kg
double spSumFreeMass(const spReal* mass, const spVec4* x, int begin, int end);

// 1/2 sum of m |v - baseV|^2 over free nodes, J; v may be NULL for 0
double spSumInertia(const spReal* mass, const spVec4* v, const spVec4* baseV, const spVec4* x, int begin,
                    int end);

// Sum of (m g + f).v over free nodes, W; f may be NULL for 0
double spSumLoadPower(const spReal* mass, spVec3 g, const spVec4* f, const spVec4* v, const spVec4* x,
                      int begin, int end);

// Largest length
double spGetLargestLength(const spVec4* a, int begin, int end);
