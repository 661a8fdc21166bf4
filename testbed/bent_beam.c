// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "testbed/bent_beam.h"

#include <math.h>
#include <stdlib.h>

static const double beamWidth = 0.01; // m
static const spReal beamPoisson = (spReal)0.4;

// The start: stretch along x, deflection of the tip over the length, and turn of the tip, rad
static const double startStretch = 0.1, startBend = 0.03 / 0.115, startTwist = 0.4;

// Cubes along x, and along y and z
static const int beamCells[SP_BENT_BEAM_COUNT][2] = {{23, 2}, {31, 3}, {39, 4}};

spBentBeamDef spDefaultBentBeamDef(void)
{
    spBentBeamDef def = {.test = spDefaultTestDef(), .law = sp_tetCorotational, .young = 1e4, .held = true};
    def.test.method.type = sp_xpbd;
    return def;
}

double spGetBentBeamLength(int beam)
{
    return beamWidth * beamCells[beam][0] / beamCells[beam][1];
}

double spGetBentBeamWidth(void)
{
    return beamWidth;
}

void spBendBeam(const spVec3* rest, int count, spVec3* bent)
{
    double length = 0.0, middle = 0.5 * beamWidth;
    for (int i = 0; i < count; ++i)
    {
        length = fmax(length, (double)rest[i].x);
    }
    for (int i = 0; i < count; ++i)
    {
        double x = (double)rest[i].x, share = x / length;
        double c = cos(startTwist * share), s = sin(startTwist * share);
        double y = (double)rest[i].y - middle, z = (double)rest[i].z - middle;
        double up = c * y - s * z, side = s * y + c * z;
        // Sections tilt as the parabola rises
        double slope = 2.0 * startBend * share, rise = startBend * length * share * share;
        bent[i] = (spVec3){(spReal)((1.0 + startStretch) * x - slope * up), (spReal)(middle + up + rise),
                           (spReal)(middle + side)};
    }
}

// Holds the end at x = 0 and bends the rest
static bool spPlaceBentBeam(const spTestWorld* test, const spBentBeamDef* def)
{
    int count = spBody_GetNodeCount(test->world, test->body);
    spVec3* x = malloc((size_t)count * sizeof(spVec3));
    bool ok = x != NULL;
    if (ok)
    {
        spBody_CopyPositions(test->world, test->body, x, count);
    }
    for (int32_t node = 0; ok && def->held && node < count; ++node)
    {
        ok = (double)x[node].x > 1e-6 || spBody_PinNodes(test->world, test->body, &node, 1);
    }
    if (ok && def->bent)
    {
        spBendBeam(x, count, x);
        ok = spBody_SetPositions(test->world, test->body, x, count);
    }
    free(x);
    return ok;
}

static bool spAddBentBeam(spTestWorld* test, const spBentBeamDef* def, const spMesh* mesh)
{
    spBodyDef bodyDef = spDefaultBodyDef();
    bodyDef.mesh = mesh;
    bodyDef.method = def->test.method;
    test->body = spCreateBody(test->world, &bodyDef);
    spTetDef tets = spDefaultTetDef();
    tets.law = def->law;
    tets.youngModulus = (spReal)def->young;
    tets.poissonRatio = beamPoisson;
    spFieldDef field = spDefaultFieldDef();
    field.type = sp_fieldMassDrag;
    field.coefficient = (spReal)def->drag;
    test->tets = SP_IS_NULL(test->body) ? -1 : spBody_AddTets(test->world, test->body, &tets);
    return test->tets >= 0 && (def->drag == 0.0 || spBody_AddField(test->world, test->body, &field) >= 0) &&
           spPlaceBentBeam(test, def);
}

spTestWorld spBuildBentBeam(const spBentBeamDef* def)
{
    spTestWorld test = {.springs = -1, .tets = -1, .gas = -1};
    spBoxMeshDef meshDef = spDefaultBoxMeshDef();
    meshDef.origin = (spDVec3){0.0, 0.0, 0.0};
    meshDef.size = (spDVec3){spGetBentBeamLength(def->beam), beamWidth, beamWidth};
    meshDef.cells[0] = beamCells[def->beam][0];
    meshDef.cells[1] = meshDef.cells[2] = beamCells[def->beam][1];
    meshDef.split = sp_fiveTets;
    spMesh* mesh = spMakeBoxMesh(&meshDef, &test.error);
    spWorldDef worldDef = spDefaultWorldDef();
    worldDef.gravity = (spVec3){0, (spReal)-def->gravity, 0};
    worldDef.workerCount = def->test.workerCount;
    worldDef.laneCount = def->test.laneCount;
    if (def->allocator != NULL)
    {
        worldDef.allocator = *def->allocator;
    }
    test.world = mesh != NULL ? spCreateWorld(&worldDef, &test.error) : NULL;
    if (test.world != NULL && spAddBentBeam(&test, def, mesh) == false)
    {
        test.error = spWorld_GetLastError(test.world);
        spDestroyTestWorld(&test);
    }
    spDestroyMesh(mesh);
    return test;
}

double spGetTipSag(const spTestWorld* test, const spBentBeamDef* def)
{
    // Nodes of the free end are the last ones
    int count = spBody_GetNodeCount(test->world, test->body), side = beamCells[def->beam][1] + 1;
    spVec3View x = spBody_GetPositions(test->world, test->body);
    double sum = 0.0;
    for (int i = count - side * side; i < count; ++i)
    {
        sum += (double)x.data[i].y;
    }
    return 0.5 * beamWidth - sum / (side * side);
}
