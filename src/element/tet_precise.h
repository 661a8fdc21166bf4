// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Tets whose forces and energies are found in double precision, in a build of single precision: stiff ones, whose
// forces are small differences of large numbers. Positions come with their remainders. The kernels are those of
// tet_kernel.h; forces are single again when they are added.

#pragma once

#include "element/tet.h"

#include <math.h>

// At least so many times a body must be stiffer than its weight, E / (rho g L), for that: it is then strained by less
// than a thousandth, and rounding of positions is felt
#define SP_PRECISE_STIFFNESS 1e3
#define SP_STANDARD_GRAVITY 9.81 // m/s^2, whatever the world's is

spPreciseForcesFcn spAddPreciseTets1;
#ifndef SOUPLE_DISABLE_SIMD
spPreciseForcesFcn spAddPreciseTets4, spAddPreciseTets8;
#endif

spPreciseForcesFcn* spPickPreciseForces(int laneCount);
double spGetPreciseTetEnergy(const spTetSet* set, const spNodeState* state);

// Energy for each volume, J/m^3, from the numbers of spGetEnergyNumbers
static inline double spGetDensityOf(const spTetSet* set, double x, double y, double z, double mu, double la)
{
    switch (set->law)
    {
        case sp_tetHybrid:
            return 0.5 * (mu * x + (la + mu) * y * y);
        case sp_tetCorotational:
        case sp_tetStVenantKirchhoff:
            return mu * x + 0.5 * la * y * y;
        case sp_tetNeoHookean:
        case sp_tetMooneyRivlin:
        {
            double b = set->law == sp_tetMooneyRivlin ? (double)set->mooney * mu : 0.0;
            double a = 4.0 / 3.0 * (mu - b), c2 = 0.5 * b, bulk = la + 0.625 * a, j = z - 1.0;
            return 0.5 * a * (x - 3.0 - log((x + 1.0) / 4.0)) + c2 * (y - 3.0) - (0.75 * a + 4.0 * c2) * j +
                   0.5 * bulk * j * j;
        }
        default:
            return 0.5 * x;
    }
}
