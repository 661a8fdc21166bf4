// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Solid tetrahedra: the laws side by side. A beam is held at one end and sags to its equilibrium; then its
// free nodes are thrown onto a plane, which turns many tets inside out, and it is let go.

#include "souple/souple.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum
{
    heldCount = 9, // nodes of an end
    tetCount = 240
};

static spBodyId MakeBeam(spWorld* world, spTetLaw law)
{
    spBoxMeshDef meshDef = spDefaultBoxMeshDef();
    meshDef.origin = (spDVec3){0.0, 0.0, 0.0};
    meshDef.size = (spDVec3){1.0, 0.2, 0.2};
    meshDef.cells[0] = 10;
    meshDef.cells[1] = 2;
    meshDef.cells[2] = 2;
    spError error = SP_ZERO_INIT;
    spMesh* mesh = spMakeBoxMesh(&meshDef, &error);
    spBodyDef bodyDef = spDefaultBodyDef();
    bodyDef.mesh = mesh;
    spBodyId beam = spCreateBody(world, &bodyDef);
    spDestroyMesh(mesh); // the body copied what it needs

    spTetDef tetDef = spDefaultTetDef();
    tetDef.law = law;
    tetDef.youngModulus = 2e6f; // Pa, a soft rubber
    tetDef.poissonRatio = 0.4f;
    tetDef.damping = 0.003f; // s
    if (spBody_AddTets(world, beam, &tetDef) < 0)
    {
        fprintf(stderr, "%s\n", spWorld_GetLastError(world).message);
    }
    return beam;
}

// Nodes of the end at x = 0 come first
static void HoldEnd(spWorld* world, spBodyId beam)
{
    const int32_t nodes[heldCount] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
    spBody_PinNodes(world, beam, nodes, heldCount);
}

// How many tets are inside out after the body was thrown onto the plane z = 0.1 and left alone for a while
static int ThrowFlat(spWorld* world, spBodyId beam, int* thrown)
{
    spVec3View view = spBody_GetPositions(world, beam);
    spVec3* positions = malloc((size_t)view.count * sizeof(spVec3));
    for (int i = 0; i < view.count; ++i)
    {
        positions[i] = view.data[i];
        positions[i].z = i < heldCount ? positions[i].z : 0.1f + 0.002f * (spReal)(i * 7 % 5 - 2);
    }
    spBody_SetPositions(world, beam, positions, view.count);
    free(positions);
    *thrown = spBody_CountInvertedTets(world, beam);
    for (int i = 0; i < 60; ++i)
    {
        spWorld_Step(world, 1.0f / 60.0f);
    }
    return spBody_CountInvertedTets(world, beam);
}

int main(void)
{
    bool good = true;
    printf("%-20s %10s %12s %10s %12s  %s\n", "law", "sag [m]", "stress [Pa]", "iterations", "inside out",
           "restores");
    for (int law = 0; law < sp_tetLawCount; ++law)
    {
        spWorldDef worldDef = spDefaultWorldDef();
        spWorld* world = spCreateWorld(&worldDef, NULL);
        spBodyId beam = MakeBeam(world, (spTetLaw)law);
        HoldEnd(world, beam);
        spRelaxDef relaxDef = spDefaultRelaxDef();
        spRelaxResult relax;
        good &= spBody_Relax(world, beam, &relaxDef, &relax) && relax.converged;
        spVec3View view = spBody_GetPositions(world, beam);
        double sag = -(double)view.data[view.count - heldCount].y;

        // The set of the tets is the first of the body
        spTetState states[tetCount];
        int count = spBody_CopyTetStates(world, beam, 0, states, tetCount);
        double stress = 0.0;
        for (int i = 0; i < count; ++i)
        {
            stress = fmax(stress, (double)states[i].vonMises);
        }
        int thrown = 0;
        int left = ThrowFlat(world, beam, &thrown);
        bool restores = spTetLawRestores((spTetLaw)law);
        printf("%-20s %10.4f %12.0f %10d %5d -> %3d  %s\n", spGetTetLawName((spTetLaw)law), sag, stress,
               relax.iterations, thrown, left, restores ? "yes" : "no");
        good &= sag > 0.005 && sag < 0.1 && thrown > 0 && (!restores || left == 0);
        spDestroyWorld(world);
    }
    return good ? 0 : 1;
}
