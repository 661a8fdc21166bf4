// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The arithmetic of one face of a gas-filled body: volume under a face, in double. Positions are relative to a
// point near the body, so that no digits are lost far from the origin. Its gradient is in enclosure.c.
//
//   3D   V = sum det(a, b, c) / 6            dV/da = sum (b - a) x (c - a) / 6
//   2D   S = sum (xa + xb) / 2 (yb - ya)     dS/da = (y_next - y_previous, x_previous - x_next) / 2
//
// The gradient uses differences within the face: on a closed surface that equals sum b x c / 6 and rounds far
// less.

#pragma once

#include "math/lanes.h"

SP_KERNEL double spGetFaceVolume(const double* a, const double* b, const double* c)
{
    double det = a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
                 a[2] * (b[0] * c[1] - b[1] * c[0]);
    return det / 6.0;
}

SP_KERNEL double spGetEdgeArea(const double* a, const double* b)
{
    return 0.5 * (a[0] + b[0]) * (b[1] - a[1]);
}
