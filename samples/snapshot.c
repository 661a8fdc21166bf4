// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Snapshots: go back in time and get the same bits again, in the same world and, from stored bytes, in
// another one that was built the same way.

#include "souple/souple.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static spBodyId Build(spWorld* world)
{
    spColliderDef groundDef = spDefaultColliderDef();
    spCreateCollider(world, &groundDef);
    spRoundMeshDef meshDef = spDefaultRoundMeshDef();
    meshDef.radius = 0.2;
    meshDef.resolution = 3;
    spMesh* mesh = spMakeBallMesh(&meshDef, NULL);
    spBodyDef bodyDef = spDefaultBodyDef();
    bodyDef.mesh = mesh;
    bodyDef.transform.position.y = 0.4f;
    spBodyId ball = spCreateBody(world, &bodyDef);
    spSpringDef springDef = spDefaultSpringDef();
    springDef.youngModulus = 2e5f;
    springDef.damping = 5.0f;
    spBody_AddSprings(world, ball, &springDef);
    spDestroyMesh(mesh);
    return ball;
}

static uint64_t Run(spWorld* world, int steps)
{
    for (int i = 0; i < steps; ++i)
    {
        spWorld_Step(world, 1.0f / 60.0f);
    }
    return spWorld_GetStateHash(world);
}

int main(void)
{
    spError error = SP_ZERO_INIT;
    spWorldDef worldDef = spDefaultWorldDef();
    spWorld* world = spCreateWorld(&worldDef, &error);
    spWorld* other = spCreateWorld(&worldDef, &error);
    if (world == NULL || other == NULL)
    {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    Build(world);
    Run(world, 20); // it has just touched the ground
    uint64_t savedHash = spWorld_GetStateHash(world);
    spSnapshot* snapshot = spWorld_Save(world);
    size_t size = 0;
    const void* data = spSnapshot_GetData(snapshot, &size);
    printf("saved at %.3f s: %zu bytes, hash %016" PRIx64 "\n", spWorld_GetTime(world), size, savedHash);

    uint64_t first = Run(world, 100);
    bool good = spWorld_Restore(world, snapshot) && spWorld_GetStateHash(world) == savedHash;
    uint64_t second = Run(world, 100);
    printf("100 steps later:     hash %016" PRIx64 "\nafter going back:    hash %016" PRIx64 "\n", first,
           second);
    good = good && first == second && first != savedHash;

    // The bytes may go to a file and come back; they are checked. The other world is built by the same calls.
    unsigned char stored[100000];
    if (size > sizeof(stored))
    {
        return 1;
    }
    memcpy(stored, data, size);
    spSnapshot* loaded = spCreateSnapshot(stored, size, &error);
    spBodyId ball = Build(other);
    good = good && loaded != NULL && spWorld_Restore(other, loaded);
    uint64_t third = Run(other, 100);
    printf("in another world:    hash %016" PRIx64 "\n", third);
    good = good && third == first;

    // Damaged bytes are refused, and so is a world that is not the same
    stored[size / 2] ^= 1;
    good = good && spCreateSnapshot(stored, size, &error) == NULL;
    printf("damaged: %s\n", error.message);
    spDestroyBody(other, ball);
    good = good && spWorld_Restore(other, loaded) == false;
    printf("without its body: %s\n", spWorld_GetLastError(other).message);

    spDestroySnapshot(loaded);
    spDestroySnapshot(snapshot);
    spDestroyWorld(other);
    spDestroyWorld(world);
    return good ? 0 : 1;
}
