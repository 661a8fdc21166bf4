// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Decompositions of 3x3 matrices: symmetric eigenvalues, singular values, polar.
//
// Reference versions: they work in double whatever spReal is, take about 0.6 microseconds, and give the
// same bits everywhere. Errors, relative to the norm of the matrix, measured over the families in
// test_math.c: below 4e-15 in a double build, the rounding of the result in a float build.
//
// They never fail on finite input: any rank, any sign of the determinant, the whole range of spReal,
// subnormal numbers included. Input that is not finite returns false with identity rotations and zeros.
// Results beyond the largest spReal (only possible when the input comes within a factor of 3 of it) are cut
// there.

#pragma once

#include "math/mat3.h"

// A = V diag(d) V^T for symmetric A; of any other matrix the symmetric part is taken. V is a proper rotation,
// d.x >= d.y >= d.z.
bool spDecomposeSymmetric3(spMat3 a, spMat3* v, spVec3* d);

// A = U diag(s) V^T. U and V are proper rotations; s.x >= s.y >= |s.z|, and s.z has the sign of det A. This
// is the convention of invertible elements: the smallest axis is the one that turns over.
bool spDecomposeSingular3(spMat3 a, spMat3* u, spVec3* s, spMat3* v);

// A = R S with R a proper rotation, also when A mirrors; S is symmetric, and positive semidefinite when
// det A >= 0. R is the rotation nearest to A. Where that is not unique: rank 1 gives the smallest rotation
// of those, rank 0 the identity.
bool spDecomposePolar3(spMat3 a, spMat3* r, spMat3* s);

// The largest eigenvalue of a symmetric matrix, in closed form: good to about 1e-7 of the norm (cancellation
// when eigenvalues are close) and some twenty times faster than spDecomposeSymmetric3. For bounds.
double spGetLargestEigenvalue3(spMat3 a);
