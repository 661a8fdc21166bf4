// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The rows of every kind that XPBD projects, for SP_LANES lanes. Included once per width by rows<n>.c, which is
// compiled for the processor level that has them.

#include "element/bend.h"
#include "element/bend_rows_kernel.h"
#include "element/constraint_set.h"
#include "element/distance_rows_kernel.h"
#include "element/energy_rows_kernel.h"
#include "element/extent_rows_kernel.h"
#include "element/green_rows_kernel.h"
#include "element/hyper_rows_kernel.h"
#include "element/rows_loop.h"
#include "element/strain_rows_kernel.h"
#include "element/tet_rows.h"

// Of one function for all laws
static int spGetRowLaw(const spConstraints* c)
{
    return (int)((const spTetSet*)c->set)->law;
}

SP_DEFINE_ROWS(Distance, 2, 1, spVisitDistance, false)
SP_DEFINE_ROWS(Tether, 2, 1, spVisitDistance, true)
SP_DEFINE_ROWS(Area, 3, 1, spVisitExtent, 3)
SP_DEFINE_ROWS(Volume, 4, 1, spVisitExtent, 4)
SP_DEFINE_ROWS(Bend, 4, 1, spVisitBend, 0)
SP_DEFINE_ROWS(LinearStrain, 4, 6, spVisitStrain, sp_tetLinear)
SP_DEFINE_ROWS(EdgeStrain, 4, 6, spVisitStrain, sp_tetCorotationalEdge)
SP_DEFINE_ROWS(PolarStrain, 4, 6, spVisitStrain, sp_tetCorotational)
SP_DEFINE_ROWS(Green, 4, 6, spVisitGreen, 0)
SP_DEFINE_ROWS(NeoHookean, 4, 2, spVisitHyper, false)
SP_DEFINE_ROWS(Mooney, 4, 3, spVisitHyper, true)
SP_DEFINE_ROWS(Energy, 4, 1, spVisitEnergy, spGetRowLaw(c))

#define SP_PUBLISH_ROWS(table, stem, name, rows, numbers, fill)                                              \
    const spConstraintKind SP_LANES_NAME(table) = SP_ROW_KIND(stem, name, rows, numbers, fill)

SP_PUBLISH_ROWS(spDistanceRows, Distance, "distance", 1, sp_distanceCount, spFillSpringRows);
SP_PUBLISH_ROWS(spTetherRows, Tether, "tether", 1, sp_distanceCount, spFillSpringRows);
SP_PUBLISH_ROWS(spGivenDistanceRows, Distance, "distance", 1, sp_distanceCount, spFillGivenDistanceRows);
SP_PUBLISH_ROWS(spGivenTetherRows, Tether, "tether", 1, sp_distanceCount, spFillGivenDistanceRows);
SP_PUBLISH_ROWS(spAreaRows, Area, "area", 1, sp_extentCount, spFillExtentRows);
SP_PUBLISH_ROWS(spVolumeRows, Volume, "volume", 1, sp_extentCount, spFillExtentRows);
SP_PUBLISH_ROWS(spBendRows, Bend, "bend", 1, sp_bendCount, spFillBendRows);
SP_PUBLISH_ROWS(spLinearStrainRows, LinearStrain, "strain", 6, sp_strainCount, spFillStrainRows);
SP_PUBLISH_ROWS(spEdgeStrainRows, EdgeStrain, "strain", 6, sp_strainCount, spFillStrainRows);
SP_PUBLISH_ROWS(spPolarStrainRows, PolarStrain, "strain", 6, sp_strainCount, spFillStrainRows);
SP_PUBLISH_ROWS(spGreenRows, Green, "green", 6, sp_greenCount, spFillGreenRows);
SP_PUBLISH_ROWS(spNeoHookeanRows, NeoHookean, "neo-Hookean", 2, sp_hyperCount, spFillHyperRows);
SP_PUBLISH_ROWS(spMooneyRows, Mooney, "Mooney", 3, sp_hyperCount, spFillHyperRows);
SP_PUBLISH_ROWS(spEnergyRows, Energy, "energy", 1, sp_energyCount, spFillEnergyRows);
