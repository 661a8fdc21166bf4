// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "volume_pile.h"

#include "cli/tools.h"

#include <math.h>
#include <stdlib.h>

static const double s_radius = 0.35, s_tube = 0.1; // m
// By how much neighbours are in each other, of their distance
static const double s_overlap = 0.01;

static spMesh* spMakeTorus(int around, int across, spError* error)
{
    const double turn = 2.0 * 3.14159265358979323846;
    int count = around * across;
    spDVec3* vertices = malloc((size_t)count * sizeof(spDVec3));
    int32_t* triangles = malloc(6 * (size_t)count * sizeof(int32_t));
    spMesh* mesh = NULL;
    for (int i = 0; vertices != NULL && triangles != NULL && i < count; ++i)
    {
        int own = i / across * across, next = (own + across) % count, k = i % across, up = (k + 1) % across;
        double a = turn * (i / across) / around, b = turn * k / across, r = s_radius + s_tube * cos(b);
        vertices[i] = (spDVec3){r * cos(a), s_tube * sin(b), r * sin(a)};
        const int32_t quad[6] = {own + k, next + up, next + k, own + k, own + up, next + up};
        for (int c = 0; c < 6; ++c)
        {
            triangles[6 * i + c] = quad[c];
        }
    }
    if (vertices != NULL && triangles != NULL)
    {
        spMeshDef def = spDefaultMeshDef();
        def.vertices = vertices;
        def.vertexCount = count;
        def.triangles = triangles;
        def.triangleCount = 2 * count;
        mesh = spCreateMesh(&def, error);
    }
    free(vertices);
    free(triangles);
    return mesh;
}

// Five tori across, two deep, then the next layer. Layers are shifted, so that tori cross those below
static spVec3 spPlaceTorus(int i)
{
    double side = 2.0 * (s_radius + s_tube) * (1.0 - s_overlap), up = 2.0 * s_tube * (1.0 - s_overlap);
    int layer = i / 10;
    double shift = layer % 2 == 0 ? 0.0 : 0.2 * side;
    return (spVec3){(spReal)(side * (i % 5) + shift), (spReal)(up * layer),
                    (spReal)(side * (i / 5 % 2) + shift)};
}

spVolumePile spBuildVolumePile(const spVolumePileDef* def)
{
    spVolumePile pile = {.count = def->count};
    spWorldDef worldDef = spDefaultWorldDef();
    worldDef.workerCount = def->workerCount;
    worldDef.laneCount = def->laneCount;
    worldDef.gravity = (spVec3){0, 0, 0};
    worldDef.detector = sp_detectorVolume;
    spMesh* mesh = spMakeTorus(def->around, def->across, &pile.error);
    pile.world = mesh != NULL ? spCreateWorld(&worldDef, &pile.error) : NULL;
    bool ok = pile.world != NULL;
    for (int i = 0; ok && i < def->count; ++i)
    {
        spBodyDef body = spDefaultBodyDef();
        body.mesh = mesh;
        body.method.type = sp_rigid;
        body.nodeMass = (spReal)(10.0 / (def->around * def->across));
        body.transform.position = spPlaceTorus(i);
        pile.bodies[i] = spCreateBody(pile.world, &body);
        ok = SP_IS_NULL(pile.bodies[i]) == false;
        pile.triangles += 2 * def->around * def->across;
    }
    spDestroyMesh(mesh);
    if (ok == false && pile.world != NULL)
    {
        pile.error = spWorld_GetLastError(pile.world);
        spDestroyWorld(pile.world);
        pile.world = NULL;
    }
    return pile;
}

double spTimePileDetection(spVolumePile* pile)
{
    double start = spGetProcessorClock();
    spWorld_Step(pile->world, (spReal)(1.0 / 60.0));
    double spent = 1e3 * (spGetProcessorClock() - start);
    spProfile profile = spWorld_GetProfile(pile->world);
    return profile.step > 0.0 ? spent * fmin(profile.detection / profile.step, 1.0) : spent;
}
