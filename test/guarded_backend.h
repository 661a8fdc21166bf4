// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// A backend that does what the CPU does, but whose arrays lie in memory that is closed: only its own operations,
// and the functions of element kinds and their rows, open it while they run. Who reads or writes state past the
// table stops the test with a fault. It counts calls and the bytes of the nodes that they touch.
//
// One thread, one body at a time. Tables carry no context: everything is global to the test.

#pragma once

#include "base/backend.h"
#include "element/constraint.h"
#include "element/lane_count.h"
#include "testbed/check.h"
#include "world/world.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

// V: operations without result: name, arrays that it goes through, nodes of them, parameters, arguments. R: with one.
// clang-format off
#define GUARDED_OPERATIONS(V, R) \
    V(upload, 1, (int64_t)(size / sizeof(spVec4)), (void* array, const void* host, size_t size), (array, host, size)) \
    V(download, 1, (int64_t)(size / sizeof(spVec4)), (void* host, const void* array, size_t size), (host, array, size)) \
    V(gather, 2, count, (spVec4* host, const spVec4* array, const int32_t* nodes, int count), (host, array, nodes, count)) \
    V(scatter, 2, count, (spVec4* array, const spVec4* host, const int32_t* nodes, int count), (array, host, nodes, count)) \
    V(copy, 2, end - begin, (spVec4* to, const spVec4* from, int begin, int end), (to, from, begin, end)) \
    V(clear, 1, end - begin, (spVec4* a, int begin, int end), (a, begin, end)) \
    V(clearMatrices, 1, end - begin, (spMat3* a, int begin, int end), (a, begin, end)) \
    R(bool, isFinite, 1, end - begin, (const spVec4* a, int begin, int end), (a, begin, end)) \
    R(bool, isZero, 1, end - begin, (const spVec4* a, int begin, int end), (a, begin, end)) \
    R(bool, isZeroListed, 1, count, (const spVec4* a, const int32_t* nodes, int count), (a, nodes, count)) \
    R(bool, isSame, 2, end - begin, (const spVec4* a, const spVec4* b, int begin, int end), (a, b, begin, end)) \
    V(clearListed, 1, count, (spVec4* a, const int32_t* nodes, int count), (a, nodes, count)) \
    V(drift, 2, end - begin, (spVec4* x, const spVec4* v, spReal h, int begin, int end), (x, v, h, begin, end)) \
    V(kickDrift, 3, end - begin, (spVec4* x, spVec4* v, const spVec4* f, spReal h, spReal hx, int begin, int end), (x, v, f, h, hx, begin, end)) \
    V(driftKick, 3, end - begin, (spVec4* x, spVec4* v, const spVec4* f, spReal h, int begin, int end), (x, v, f, h, begin, end)) \
    V(rungeStage, 7, end - begin, (const spVec4* x, const spVec4* v, const spVec4* f, const spRungeArrays* arrays, spReal weight, spReal advance, int begin, int end), (x, v, f, arrays, weight, advance, begin, end)) \
    V(rungeFinish, 4, end - begin, (spVec4* x, spVec4* v, const spRungeArrays* arrays, spReal h, int begin, int end), (x, v, arrays, h, begin, end)) \
    V(kick, 4, end - begin, (spVec4* to, const spVec4* x, const spVec4* v, const spVec4* f, spReal h, int begin, int end), (to, x, v, f, h, begin, end)) \
    V(kickSolve, 4, end - begin, (spVec4* to, const spVec4* x, const spVec4* v, const spVec4* f, const spReal* matrices, spReal h, int begin, int end), (to, x, v, f, matrices, h, begin, end)) \
    V(filterDrift, 3, end - begin, (spVec4* x, spVec4* v, const spVec4* from, const spFilterRows* rows, spReal strength, const spRotation* rotation, spReal h, int begin, int end), (x, v, from, rows, strength, rotation, h, begin, end)) \
    V(takeRotation, 2, end - begin, (spVec4* v, const spVec4* x, const spRotation* rotation, int begin, int end), (v, x, rotation, begin, end)) \
    V(sumRotation, 2, end - begin, (spVec4* sums, const spVec4* x, const spVec4* v, int begin, int end), (sums, x, v, begin, end)) \
    V(invertShifted, 2, end - begin, (spMat3* inverses, const spMat3* a, spReal s, int begin, int end), (inverses, a, s, begin, end)) \
    V(findMean, 1, end - begin, (double mean[3], const spVec4* a, int count, int begin, int end), (mean, a, count, begin, end)) \
    R(double, maxDistance2, 1, end - begin, (const spVec4* a, const double mean[3], const uint8_t* roles, int begin, int end), (a, mean, roles, begin, end)) \
    V(startForces, 2, end - begin, (spVec4* f, const spReal* mass, spVec3 gravity, const spVec4* given, int begin, int end), (f, mass, gravity, given, begin, end)) \
    V(sumListed, 1, count, (double sum[3], const spVec4* a, const int32_t* nodes, int count, double s), (sum, a, nodes, count, s)) \
    R(double, sumKinetic, 1, end - begin, (const spVec4* v, const spReal* mass, const uint8_t* roles, int begin, int end), (v, mass, roles, begin, end)) \
    R(double, addWeight, 1, end - begin, (double energy, const spVec4* x, const spReal* mass, spVec3 gravity, double scale, int begin, int end), (energy, x, mass, gravity, scale, begin, end)) \
    R(double, addInertia, 2, end - begin, (double energy, const spVec4* x, const spVec4* from, const spReal* mass, double s, int begin, int end), (energy, x, from, mass, s, begin, end)) \
    V(roundCoordinates, 2, end - begin, (spVec4* to, const spVec4* x, spReal unit, uint32_t way, int begin, int end), (to, x, unit, way, begin, end)) \
    V(addLocalStiffness, 1, 0, (spMat3* local, const spElementSet* set, const spNodeState* state), (local, set, state)) \
    R(double, maxEigenvalue, 1, end - begin, (const spMat3* blocks, int begin, int end), (blocks, begin, end)) \
    V(boundFrequencies, 3, end - begin, (double bounds[2], const spVec4* x, const spMat3* stiffness, const spMat3* damping, int begin, int end), (bounds, x, stiffness, damping, begin, end)) \
    R(double, startModes, 3, end - begin, (spVec4* a, const spVec4* x, const spReal* mass, const spMat3* blocks, double bound, const int32_t* order, int begin, int end), (a, x, mass, blocks, bound, order, begin, end)) \
    V(continueModes, 3, end - begin, (spVec4* a, const spVec4* x, const spVec4* last, spReal fresh, spReal share, int begin, int end), (a, x, last, fresh, share, begin, end)) \
    V(findImage, 5, end - begin, (spVec4* image, const spVec4* f, const spVec4* x, const spVec4* a, const spMat3* local, spReal s, spReal lift, int begin, int end), (image, f, x, a, local, s, lift, begin, end)) \
    V(relaxImage, 4, end - begin, (spVec4* to, const spVec4* from, const spVec4* image, const spVec4* x, const spFilterRows* rows, spReal strength, int begin, int end), (to, from, image, x, rows, strength, begin, end)) \
    R(double, massNorm2, 1, end - begin, (const spVec4* a, const spReal* mass, int begin, int end), (a, mass, begin, end)) \
    R(double, growMasses, 2, end - begin, (spVec4* v, const spMat3* stiffness, const spReal* mass, double share, double global, int begin, int end), (v, stiffness, mass, share, global, begin, end)) \
    V(raiseMasses, 1, end - begin, (spVec4* v, spReal least, int begin, int end), (v, least, begin, end)) \
    V(sumQuotient, 3, end - begin, (double sums[2], const spVec4* motion, const spVec4* f, const spVec4* v, int begin, int end), (sums, motion, f, v, begin, end)) \
    V(startProbe, 1, end - begin, (spVec4* probe, const uint8_t* roles, const int32_t* order, int begin, int end), (probe, roles, order, begin, end)) \
    R(double, stepProbe, 3, end - begin, (spVec4* probe, const spVec4* f, const spVec4* v, const uint8_t* roles, int begin, int end), (probe, f, v, roles, begin, end)) \
    V(sumForces, 2, end - begin, (double sums[3], const spVec4* f, const spReal* mass, const uint8_t* roles, spVec3 gravity, const spVec4* given, int begin, int end), (sums, f, mass, roles, gravity, given, begin, end)) \
    V(relaxStep, 3, end - begin, (spVec4* x, spVec4* v, const spVec4* f, const uint8_t* roles, spReal keep, spReal push, int begin, int end), (x, v, f, roles, keep, push, begin, end)) \
    V(stop, 1, end - begin, (spVec4* v, int begin, int end), (v, begin, end)) \
    V(blend, 3, end - begin, (spVec4* base, spReal present, const spVec4* now, spReal past, const spVec4* before, int begin, int end), (base, present, now, past, before, begin, end)) \
    V(setHeldBases, 5, end - begin, (spVec4* baseX, spVec4* baseV, spVec4* predicted, const spVec4* x, spReal rest, const spVec4* v, int begin, int end), (baseX, baseV, predicted, x, rest, v, begin, end)) \
    V(setRightSide, 4, end - begin, (spVec4* b, spReal r, const spVec4* f, spReal massShare, const spReal* mass, const spVec4* v, const spVec4* baseV, int begin, int end), (b, r, f, massShare, mass, v, baseV, begin, end)) \
    V(setDisplacements, 4, end - begin, (spVec4* d, const spVec4* baseX, spReal r, const spVec4* v, const spVec4* x, int begin, int end), (d, baseX, r, v, x, begin, end)) \
    V(setPositions, 3, end - begin, (spVec4* x, const spVec4* baseX, spReal r, const spVec4* v, int begin, int end), (x, baseX, r, v, begin, end)) \
    V(blendPrecise, 3, end - begin, (spVec4* base, int remainder, const spVec4* now, spReal past, const spVec4* before, int begin, int end), (base, remainder, now, past, before, begin, end)) \
    V(setDisplacementsPrecise, 4, end - begin, (spVec4* d, int remainder, const spVec4* baseX, spReal r, const spVec4* v, const spVec4* x, int begin, int end), (d, remainder, baseX, r, v, x, begin, end)) \
    V(setPositionsPrecise, 3, end - begin, (spVec4* x, int remainder, const spVec4* baseX, spReal r, const spVec4* v, int begin, int end), (x, remainder, baseX, r, v, begin, end)) \
    V(setVelocities, 3, end - begin, (spVec4* v, const spVec4* from, spReal share, const spVec4* dv, int begin, int end), (v, from, share, dv, begin, end)) \
    V(subtractBeyondMass, 3, end - begin, (spVec4* f, const spVec4* product, spReal massShare, const spReal* mass, const spVec4* v, int begin, int end), (f, product, massShare, mass, v, begin, end)) \
    V(setLoadImpulses, 4, end - begin, (spVec4* p, const spReal* mass, const spVec4* baseV, const spVec4* v, spReal r, spVec3 gravity, const spVec4* f, int begin, int end), (p, mass, baseV, v, r, gravity, f, begin, end)) \
    V(scaleDriven, 1, end - begin, (spVec4* v, const uint8_t* roles, spReal h, int begin, int end), (v, roles, h, begin, end)) \
    V(setFree, 3, end - begin, (spVec4* a, spVec3 value, const spVec4* from, const spVec4* x, int begin, int end), (a, value, from, x, begin, end)) \
    V(setHeld, 3, end - begin, (spVec4* a, const spVec4* from, const spVec4* x, int begin, int end), (a, from, x, begin, end)) \
    R(bool, prescribe, 2, count, (spVec4* dv, const spVec4* v, const spConstraint* constraints, const spVec3* velocities, int count), (dv, v, constraints, velocities, count)) \
    R(double, addConstraintWork, 1, count, (double sum, const spVec4* a, const spConstraint* constraints, const spVec3* p, int count), (sum, a, constraints, p, count)) \
    R(double, sumFreeMass, 1, end - begin, (const spReal* mass, const spVec4* x, int begin, int end), (mass, x, begin, end)) \
    R(double, sumMass2, 1, end - begin, (const spReal* mass, int begin, int end), (mass, begin, end)) \
    V(sumStiffness, 1, end - begin, (double sums[2], const spVec4* diagonal, const spReal* mass, double massShare, int begin, int end), (sums, diagonal, mass, massShare, begin, end)) \
    R(double, sumInertia, 3, end - begin, (const spReal* mass, const spVec4* v, const spVec4* baseV, const spVec4* x, int begin, int end), (mass, v, baseV, x, begin, end)) \
    R(double, sumLoadPower, 3, end - begin, (const spReal* mass, spVec3 gravity, const spVec4* f, const spVec4* v, const spVec4* x, int begin, int end), (mass, gravity, f, v, x, begin, end)) \
    R(double, maxLength, 1, end - begin, (const spVec4* a, int begin, int end), (a, begin, end)) \
    R(bool, findStretch, 2, 0, (double most[2], const spSparse* a, const spVec4* base, const spVec4* v, spReal r), (most, a, base, v, r)) \
    V(markShielded, 3, 0, (spVec4* marks, const spVec4* ends, const spSparse* a, const spVec4* base, spReal slope), (marks, ends, a, base, slope)) \
    V(sumRigid, 2, end - begin, (spRigidSums* sums, const spReal* mass, const spVec4* x, const spVec4* p, bool perMass, int begin, int end), (sums, mass, x, p, perMass, begin, end)) \
    V(addRigid, 2, end - begin, (spVec4* a, const spRigidMotion* motion, double share, const spVec4* x, int begin, int end), (a, motion, share, x, begin, end)) \
    V(moveRigidly, 3, end - begin, (spVec4* x, spVec4* v, const spVec4* start, const spRigidMotion* motion, spVec3 lift, const spRigidMotion* velocity, double h, int begin, int end), (x, v, start, motion, lift, velocity, h, begin, end)) \
    V(takeShape, 1, end - begin, (double* shape, const spVec4* x, const double centre[3], int begin, int end), (shape, x, centre, begin, end)) \
    V(sumShape, 1, end - begin, (double inertia[6], const double* shape, const spReal* mass, int begin, int end), (inertia, shape, mass, begin, end)) \
    V(placeShape, 2, end - begin, (spVec4* x, spVec4* v, const uint8_t* roles, const double* shape, const spRigidPlace* place, int begin, int end), (x, v, roles, shape, place, begin, end)) \
    R(int, findMoved, 2, end - begin, (const spVec4* x, const spVec4* v, const uint8_t* roles, const double* shape, const spRigidPlace* place, int begin, int end), (x, v, roles, shape, place, begin, end)) \
    V(sumShapeLoads, 1, end - begin, (double sums[6], const spVec4* f, const spReal* mass, const double* shape, const double rotation[9], int begin, int end), (sums, f, mass, shape, rotation, begin, end)) \
    V(weigh, 3, end - begin, (spVec4* to, const spVec4* x, const spVec4* a, int begin, int end), (to, x, a, begin, end)) \
    V(addTurned, 4, end - begin, (spVec4* a, const spVec4* x, const spMat3* rotations, const spVec4* z, int begin, int end), (a, x, rotations, z, begin, end)) \
    V(sumMasses, 1, end - begin, (double sums[3], const spVec4* x, const spReal* mass, int begin, int end), (sums, x, mass, begin, end)) \
    V(sumEigenvalues, 3, end - begin, (double sums[3], const spVec4* x, const spReal* mass, const spMat3* stiffness, const spMat3* damping, int begin, int end), (sums, x, mass, stiffness, damping, begin, end)) \
    V(setMassBlocks, 1, end - begin, (spMat3* blocks, const spReal* mass, int begin, int end), (blocks, mass, begin, end)) \
    V(kickBlocks, 4, end - begin, (spVec4* v, const spVec4* x, const spVec4* f, const spMat3* blocks, spReal h, int begin, int end), (v, x, f, blocks, h, begin, end)) \
    V(predict, 6, end - begin, (spVec4* x, const spVec4* v, const spVec4* given, spVec3 gravity, spReal h, spVec4* start, spVec4* velocity, spVec4* predicted, int begin, int end), (x, v, given, gravity, h, start, velocity, predicted, begin, end)) \
    V(findVelocity, 3, end - begin, (spVec4* v, const spVec4* x, const spVec4* start, spReal rate, int begin, int end), (v, x, start, rate, begin, end)) \
    V(push, 2, end - begin, (spVec4* x, spReal s, const spVec4* g, int begin, int end), (x, s, g, begin, end)) \
    V(sumPins, 4, end - begin, (double sum[3], const spVec4* x, const spVec4* v, const spVec4* from, const spReal* mass, const spVec4* given, spVec3 gravity, spReal h, int begin, int end), (sum, x, v, from, mass, given, gravity, h, begin, end)) \
    V(sumGradient, 3, end - begin, (double sums[3], const spVec4* x, const spVec4* g, const spVec4* start, int begin, int end), (sums, x, g, start, begin, end)) \
    R(double, primalResidual2, 3, end - begin, (const spVec4* x, const spVec4* predicted, const spVec4* f, const spReal* mass, int begin, int end), (x, predicted, f, mass, begin, end)) \
    V(sumPrimal, 3, end - begin, (double sums[8], const spVec4* x, const spVec4* predicted, const spVec4* f, const spReal* mass, spReal s, int begin, int end), (sums, x, predicted, f, mass, s, begin, end)) \
    R(double, massDistance2, 1, end - begin, (const spVec4* x, const spVec3* target, const int32_t* order, const spReal* mass, int begin, int end), (x, target, order, mass, begin, end)) \
    V(copyNumbers, 2, (end - begin) / 4, (spReal* to, const spReal* from, int64_t begin, int64_t end), (to, from, begin, end)) \
    V(clearNumbers, 1, (end - begin) / 4, (spReal* a, int64_t begin, int64_t end), (a, begin, end)) \
    R(double, dotNumbers, 2, (end - begin) / 4, (const spReal* a, const spReal* b, int64_t begin, int64_t end), (a, b, begin, end)) \
    V(subtractNumbers, 3, (end - begin) / 4, (spReal* to, const spReal* a, const spReal* b, int64_t begin, int64_t end), (to, a, b, begin, end)) \
    V(mixNumbers, 4, (end - begin) / 4, (spReal* to, const spReal* g, const spReal* const* others, const spReal* c, int otherCount, int64_t begin, int64_t end), (to, g, others, c, otherCount, begin, end)) \
    V(relaxNumbers, 2, (end - begin) / 4, (spReal* u, spReal* base, spReal s, int64_t begin, int64_t end), (u, base, s, begin, end)) \
    V(relaxIncrease, 3, (end - begin) / 4, (spReal* a, spReal* before, spReal* increase, spReal s, int64_t begin, int64_t end), (a, before, increase, s, begin, end)) \
    V(addIncrease, 3, (end - begin) / 4, (spReal* a, spReal* before, spReal* increase, spReal s, int64_t begin, int64_t end), (a, before, increase, s, begin, end)) \
    V(takeSample, 2, (end - begin) / 4, (spReal* f, const spReal* a, int stride, int64_t begin, int64_t end), (f, a, stride, begin, end)) \
    V(moveOfSample, 2, (end - begin) / 4, (spReal* f, const spReal* a, int stride, int64_t begin, int64_t end), (f, a, stride, begin, end)) \
    V(moveOfNodes, 2, end - begin, (spVec4* f, const spVec4* x, const spReal* mass, int begin, int end), (f, x, mass, begin, end)) \
    R(double, sumMoves, 2, end - begin, (const spVec4* x, const spVec4* before, const spReal* mass, int begin, int end), (x, before, mass, begin, end)) \
    R(double, dot, 2, end - begin, (const spVec4* a, const spVec4* b, int begin, int end), (a, b, begin, end)) \
    V(addScaled, 2, end - begin, (spVec4* a, spReal s, const spVec4* b, int begin, int end), (a, s, b, begin, end)) \
    V(scale, 2, end - begin, (spVec4* to, spReal s, const spVec4* a, int begin, int end), (to, s, a, begin, end)) \
    V(scaleDifference, 2, end - begin, (spVec4* a, spReal s, const spVec4* b, int begin, int end), (a, s, b, begin, end)) \
    V(sumSlots, 1, 0, (const spSlots* slots, spVec4* a, int patch), (slots, a, patch)) \
    V(multiply, 2, 0, (const spSparse* a, const spVec4* x, int patch, spVec4* y), (a, x, patch, y)) \
    V(collect, 1, 0, (spSparse* a, int patch), (a, patch)) \
    V(sumTurns, 3, 0, (const spSparse* a, const spVec4* then, const spVec4* now, int patch, spVec4* const* sums), (a, then, now, patch, sums)) \
    V(findTurns, 2, end - begin, (spVec4* const* sums, int begin, int end, spMat3* rotations), (sums, begin, end, rotations)) \
    V(setOwn, 3, end - begin, (spVec4* ownA, spVec4* ownC, const spReal* mass, spReal factor, const spMat3* diagonal, int begin, int end), (ownA, ownC, mass, factor, diagonal, begin, end)) \
    V(invertLocal, 5, end - begin, (spVec4* localA, spVec4* localC, const spVec4* ownA, const spVec4* ownC, spReal crossed, spVec4* const* sum, bool whole, int begin, int end), (localA, localC, ownA, ownC, crossed, sum, whole, begin, end)) \
    V(scaleTwo, 3, end - begin, (spVec4* dx, spReal k, spVec4* dv, spReal c, const spVec4* d, int begin, int end), (dx, k, dv, c, d, begin, end)) \
    R(double, finishProduct, 4, end - begin, (spVec4* q, const spVec4* d, const spVec4* ownA, const spVec4* ownC, spReal sign, int begin, int end), (q, d, ownA, ownC, sign, begin, end)) \
    R(double, stepResidual, 4, end - begin, (spVec4* x, spVec4* r, const spVec4* d, const spVec4* q, spReal alpha, int begin, int end), (x, r, d, q, alpha, begin, end)) \
    R(double, applyLocal, 4, end - begin, (spVec4* z, const spVec4* r, const spVec4* pA, const spVec4* pC, int begin, int end), (z, r, pA, pC, begin, end)) \
    V(project, 1, count, (spVec4* a, const spConstraint* constraints, int count, spVec3* raw), (a, constraints, count, raw)) \
    V(rotate, 3, end - begin, (spVec4* to, const spMat3* rotations, const spVec4* a, int begin, int end), (to, rotations, a, begin, end)) \
    V(rotateBack, 3, end - begin, (spVec4* to, const spMat3* rotations, const spVec4* a, int begin, int end), (to, rotations, a, begin, end)) \
    V(precondition, 2, 0, (spPreconditioner* p, spTeam* team, const spVec4* r, spVec4* z), (p, team, r, z)) \
    V(fillRows, 3, 0, (spBlockRows* rows, const spSparse* a, const spVec4* ownA, const spVec4* ownC, bool crossed, const spVec4* x), (rows, a, ownA, ownC, crossed, x)) \
    V(advanceDirection, 2, end - begin, (spVec4* d, const spVec4* z, spReal beta, int begin, int end), (d, z, beta, begin, end)) \
    V(holdRows, 1, 0, (spBody* body, const spHoldContext* context, int patch), (body, context, patch)) \
    V(fillGhosts, 1, count, (spVec4* a, const spGhost* ghosts, int count, const spGhostEntry* entries), (a, ghosts, count, entries)) \
    V(spreadGhosts, 1, count, (spVec4* a, const spGhost* ghosts, int count, const spGhostEntry* entries), (a, ghosts, count, entries)) \
    V(holdPoints, 2, count, (spVec4* x, spVec4* v, const spHeldPoint* points, int count, const spGhostEntry* entries, const spHoldContext* context), (x, v, points, count, entries, context)) \
    V(pushNode, 2, 0, (spVec4* x, spVec4* v, int node, spReal weight, spVec3 p, spVec3 d), (x, v, node, weight, p, d))
// clang-format on

#define GUARDED_NAME_V(name, arrays, count, params, args) op_##name,
#define GUARDED_NAME_R(type, name, arrays, count, params, args) op_##name,
typedef enum Operation
{
    GUARDED_OPERATIONS(GUARDED_NAME_V, GUARDED_NAME_R) op_view,
    op_advance,
    op_elements, // functions of element kinds and rows
    op_count
} Operation;

#define GUARDED_SIZE ((size_t)1 << 28)
#define GUARDED_PAGE 4096

static struct Guard
{
    const spBackend* cpu;
    char* memory;
    size_t used; // what has been given out
    int depth;   // of what runs now; closed at 0
    bool closed; // whether it closes at all
    void* views[1 << 16];
    int viewCount;
    int calls[op_count];
    int64_t bytes[op_count];
} s_guard;

static void SetAccess(int access)
{
    if (s_guard.used > 0)
    {
        assert_int_equal(mprotect(s_guard.memory, s_guard.used, access), 0);
    }
}

static void Enter(Operation operation, int arrays, int64_t count)
{
    s_guard.calls[operation] += 1;
    s_guard.bytes[operation] += arrays * count * (int64_t)sizeof(spVec4);
    if (s_guard.closed && s_guard.depth == 0)
    {
        SetAccess(PROT_READ | PROT_WRITE);
    }
    s_guard.depth += 1;
}

static void Leave(void)
{
    s_guard.depth -= 1;
    if (s_guard.closed && s_guard.depth == 0)
    {
        SetAccess(PROT_NONE);
    }
}

// From now on arrays are open only inside of the table, or open to all
static void CloseArrays(void)
{
    s_guard.closed = true;
    SetAccess(PROT_NONE);
}

static void OpenArrays(void)
{
    for (; s_guard.viewCount > 0; --s_guard.viewCount)
    {
        free(s_guard.views[s_guard.viewCount - 1]);
    }
    s_guard.closed = false;
    SetAccess(PROT_READ | PROT_WRITE);
}

static void ResetCounts(void)
{
    memset(s_guard.calls, 0, sizeof(s_guard.calls));
    memset(s_guard.bytes, 0, sizeof(s_guard.bytes));
}

#define GUARD_V(name, arrays, count, params, args)                                                           \
    static void Guard_##name params                                                                          \
    {                                                                                                        \
        Enter(op_##name, arrays, count);                                                                     \
        s_guard.cpu->name args;                                                                              \
        Leave();                                                                                             \
    }
#define GUARD_R(type, name, arrays, count, params, args)                                                     \
    static type Guard_##name params                                                                          \
    {                                                                                                        \
        Enter(op_##name, arrays, count);                                                                     \
        type result = s_guard.cpu->name args;                                                                \
        Leave();                                                                                             \
        return result;                                                                                       \
    }
GUARDED_OPERATIONS(GUARD_V, GUARD_R)

// Every array begins on a page of its own and is never given out again
static void* GuardAllocate(spHeap* heap, size_t size)
{
    SP_UNUSED(heap);
    size_t pages = (size + GUARDED_PAGE - 1) / GUARDED_PAGE * GUARDED_PAGE;
    assert_true(s_guard.used + pages <= GUARDED_SIZE);
    char* array = s_guard.memory + s_guard.used;
    s_guard.used += pages;
    assert_int_equal(mprotect(array, pages, s_guard.closed ? PROT_NONE : PROT_READ | PROT_WRITE), 0);
    return size > 0 ? array : NULL;
}

static void GuardRelease(spHeap* heap, void* array)
{
    char* a = array;
    if (a < s_guard.memory || a >= s_guard.memory + GUARDED_SIZE)
    {
        s_guard.cpu->release(heap, array);
    }
}

// Copies for the host, until arrays are open again
static const spVec4* GuardView(const spVec4* array, int begin, int end)
{
    spVec4* copy = calloc((size_t)end + 1, sizeof(spVec4));
    assert_non_null(copy);
    assert_true(s_guard.viewCount < SP_COUNT(s_guard.views));
    s_guard.views[s_guard.viewCount++] = copy;
    Enter(op_view, 1, end - begin);
    memcpy(copy + begin, array + begin, (size_t)(end - begin) * sizeof(spVec4));
    Leave();
    return copy;
}

static spAdvanceResult GuardAdvance(spBody* body, const spAdvanceContext* context)
{
    s_guard.calls[op_advance] += 1;
    return s_guard.cpu->advance(body, context);
}

static spBackend s_guarded;

#define GUARDED_ENTRY_V(name, arrays, count, params, args) s_guarded.name = Guard_##name;
#define GUARDED_ENTRY_R(type, name, arrays, count, params, args) s_guarded.name = Guard_##name;

static void MakeGuardedBackend(void)
{
    s_guard = (struct Guard){.cpu = spFindBackend(spGetBestLaneCount())};
    s_guard.memory = mmap(NULL, GUARDED_SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_true(s_guard.memory != MAP_FAILED);
    s_guarded = (spBackend){.name = "guarded", .laneCount = s_guard.cpu->laneCount};
    s_guarded.allocate = GuardAllocate;
    s_guarded.release = GuardRelease;
    s_guarded.view = GuardView;
    s_guarded.advance = GuardAdvance;
    GUARDED_OPERATIONS(GUARDED_ENTRY_V, GUARDED_ENTRY_R)
    // Nothing was forgotten
    void (*const* entries)(void) = (void (*const*)(void))(const void*)&s_guarded.allocate;
    size_t count = (sizeof(spBackend) - offsetof(spBackend, allocate)) / sizeof(entries[0]);
    for (size_t i = 0; i < count; ++i)
    {
        assert_true(entries[i] != NULL);
    }
}

static void FreeGuardedBackend(void)
{
    munmap(s_guard.memory, GUARDED_SIZE);
}

// ---- element kinds ----

typedef struct GuardedKind
{
    spElementKind kind;
    const spElementKind* original;
} GuardedKind;

typedef struct GuardedRows
{
    spConstraintKind kind;
    const spConstraintKind* original;
} GuardedRows;

static GuardedKind s_kinds[SP_MAX_SETS];
static GuardedRows s_rows[SP_MAX_SETS];
static int s_kindCount, s_rowsCount;

#define GUARD_KIND_V(name, params, args)                                                                     \
    static void Kind_##name params                                                                           \
    {                                                                                                        \
        Enter(op_elements, 0, 0);                                                                            \
        ((const GuardedKind*)set->kind)->original->name args;                                                \
        Leave();                                                                                             \
    }
#define GUARD_KIND_R(type, name, params, args)                                                               \
    static type Kind_##name params                                                                           \
    {                                                                                                        \
        Enter(op_elements, 0, 0);                                                                            \
        type result = ((const GuardedKind*)set->kind)->original->name args;                                  \
        Leave();                                                                                             \
        return result;                                                                                       \
    }
#define GUARD_ROWS(name)                                                                                     \
    static double Rows_##name(const spConstraints* c, const spSweep* sweep, int zone)                        \
    {                                                                                                        \
        Enter(op_elements, 0, 0);                                                                            \
        double result = ((const GuardedRows*)c->kind)->original->name(c, sweep, zone);                       \
        Leave();                                                                                             \
        return result;                                                                                       \
    }

GUARD_KIND_V(measure, (spElementSet * set, const spNodeState* state, spTeam* team), (set, state, team))
GUARD_KIND_V(addForces, (const spElementSet* set, const spNodeState* state, int patch, spVec4* f),
             (set, state, patch, f))
GUARD_KIND_V(measureDifference,
             (spElementSet * set, const spNodeState* state, const spDifference* difference),
             (set, state, difference))
GUARD_KIND_V(addDifference,
             (const spElementSet* set, const spNodeState* state, const spDifference* difference, int patch,
              spVec4* df),
             (set, state, difference, patch, df))
GUARD_KIND_R(int, getStiffness,
             (const spElementSet* set, const spNodeState* state, int element, bool project, int32_t* nodes,
              spMat3* blocks),
             (set, state, element, project, nodes, blocks))
GUARD_KIND_V(fillPairs,
             (const spElementSet* set, const spNodeState* state, const spFill* fill, int patch,
              spVec4* pairs),
             (set, state, fill, patch, pairs))
GUARD_KIND_V(addDiagonal,
             (const spElementSet* set, const spNodeState* state, const spFill* fill, spMat3* diagonal),
             (set, state, fill, diagonal))
GUARD_KIND_R(double, getColumn, (const spElementSet* set, const spNodeState* state, spVec4* g),
             (set, state, g))
GUARD_KIND_R(spWholeRow, getRow, (const spElementSet* set, const spNodeState* state), (set, state))
GUARD_KIND_V(fillGradient,
             (const spElementSet* set, const spNodeState* state, int begin, int end, spVec4* gradient),
             (set, state, begin, end, gradient))
GUARD_KIND_R(double, getEnergy, (const spElementSet* set, const spNodeState* state), (set, state))
GUARD_KIND_V(getStress, (const spElementSet* set, const spNodeState* state, spReal* stress),
             (set, state, stress))
GUARD_KIND_V(addBounds, (const spElementSet* set, const spNodeState* state, spBounds* bounds),
             (set, state, bounds))

GUARD_ROWS(project)
GUARD_ROWS(collect)
GUARD_ROWS(measure)
GUARD_ROWS(transpose)

static void Rows_fill(spConstraints* c, const spConstraintFill* fill)
{
    Enter(op_elements, 0, 0);
    ((const GuardedRows*)c->kind)->original->fill(c, fill);
    Leave();
}

static const spConstraintKind* Kind_getRows(const spElementSet* set, bool energy)
{
    const spConstraintKind* original = ((const GuardedKind*)set->kind)->original->getRows(set, energy);
    if (original == NULL)
    {
        return NULL;
    }
    assert_true(s_rowsCount < SP_MAX_SETS);
    GuardedRows* rows = s_rows + s_rowsCount++;
    rows->original = original;
    rows->kind = *original;
    rows->kind.fill = Rows_fill;
    rows->kind.project = Rows_project;
    rows->kind.collect = Rows_collect;
    rows->kind.measure = Rows_measure;
    rows->kind.transpose = Rows_transpose;
    return &rows->kind;
}

#define GUARD_KIND(name) k->kind.name = original->name != NULL ? Kind_##name : NULL

static const spElementKind* GuardKind(const spElementKind* original)
{
    assert_true(s_kindCount < SP_MAX_SETS);
    GuardedKind* k = s_kinds + s_kindCount++;
    k->original = original;
    k->kind = *original;
    GUARD_KIND(measure);
    GUARD_KIND(addForces);
    GUARD_KIND(measureDifference);
    GUARD_KIND(addDifference);
    GUARD_KIND(getStiffness);
    GUARD_KIND(fillPairs);
    GUARD_KIND(addDiagonal);
    GUARD_KIND(getColumn);
    GUARD_KIND(getRows);
    GUARD_KIND(getRow);
    GUARD_KIND(fillGradient);
    GUARD_KIND(getEnergy);
    GUARD_KIND(getStress);
    GUARD_KIND(addBounds);
    return &k->kind;
}

// ---- bodies ----

static void MoveArray(spBody* body, spVec4** array, int count)
{
    size_t size = (size_t)count * sizeof(spVec4);
    spVec4* to = s_guarded.allocate(body->heap, size);
    memcpy(to, *array, size);
    s_guard.cpu->release(body->heap, *array);
    *array = to;
}

// Moves a body that the CPU has made over to the guarded backend, with a method made anew
static void GuardBody(spWorld* world, spBodyId id)
{
    spBody* body = spGetBody(world, id);
    s_kindCount = 0;
    s_rowsCount = 0;
    body->backend = &s_guarded;
    MoveArray(body, &body->x, body->nodeCount);
    MoveArray(body, &body->v, body->nodeCount);
    MoveArray(body, &body->goodX, body->nodeCount);
    MoveArray(body, &body->goodV, body->nodeCount);
    MoveArray(body, &body->f, body->nodeCount + body->slots.slotCount);
    if (body->nodeForces != NULL)
    {
        MoveArray(body, &body->nodeForces, body->nodeCount);
    }
    for (int i = 0; i < body->setCount; ++i)
    {
        body->sets[i]->kind = GuardKind(body->sets[i]->kind);
    }
    spMethodDef def = body->methodDef;
    spError error = {0};
    assert_true(spSetBodyMethod(body, &def, &error));
}
