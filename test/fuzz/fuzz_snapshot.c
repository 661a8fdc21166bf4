// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Whatever the bytes of a snapshot are, a world that is to go back to it refuses and stays as it is, or is
// sound afterwards. Bytes that do not begin with a zero get a head that fits them, so that what is behind the
// checksum is reached.

#include "base/hash.h"
#include "souple/collider.h"
#include "souple/element.h"

#include "bounded.h"

#include <math.h>
#include <string.h>

// As in src/world/snapshot.c: magic, version, bytes of a number, bytes of everything, hash of what follows
#define HEAD_SIZE 32

static void Mend(uint8_t* data, size_t size, const uint8_t* head)
{
    if (size >= HEAD_SIZE)
    {
        uint64_t whole = size, hash = spHashBytes(SP_HASH_SEED, data + HEAD_SIZE, size - HEAD_SIZE);
        memcpy(data, head, 16);
        memcpy(data + 16, &whole, sizeof(whole));
        memcpy(data + 24, &hash, sizeof(hash));
    }
}

static spBodyId AddBody(spWorld* world, const spMesh* mesh, spMethodType type)
{
    spBodyDef def = spDefaultBodyDef();
    def.mesh = mesh;
    def.method.type = type;
    def.method.maxSubsteps = 4;
    spBodyId body = spCreateBody(world, &def);
    spTetDef tets = spDefaultTetDef();
    CHECK(spBody_AddTets(world, body, &tets) == 0);
    return body;
}

// Made once: it goes back to its own snapshot after every input
static spWorld* s_world;
static spColliderId s_ground;
static spLinkId s_grab;
static spSnapshot* s_own;
static uint64_t s_hash;
static Bounded s_bounded;

// A tet by symplectic Euler, one by BDF2, one by XPBD; a ground, and a grab; after one step
static void MakeWorld(void)
{
    spError error = SP_ZERO_INIT;
    spWorldDef def = spDefaultWorldDef();
    def.laneCount = 1;
    def.allocator = MakeBounded(&s_bounded, (size_t)16 << 20);
    s_world = spCreateWorld(&def, &error);
    spMeshDef meshDef = spDefaultMeshDef();
    const spDVec3 vertices[] = {{0, 1, 0}, {1, 1, 0}, {0, 2, 0}, {0, 1, 1}};
    const int32_t tet[] = {0, 1, 2, 3};
    meshDef.vertices = vertices;
    meshDef.vertexCount = 4;
    meshDef.tets = tet;
    meshDef.tetCount = 1;
    spMesh* mesh = spCreateMesh(&meshDef, &error);
    CHECK(s_world != NULL && mesh != NULL);
    spBodyId body = AddBody(s_world, mesh, sp_symplecticEuler);
    AddBody(s_world, mesh, sp_bdf2);
    AddBody(s_world, mesh, sp_xpbd);
    spDestroyMesh(mesh);
    spColliderDef ground = spDefaultColliderDef();
    s_ground = spCreateCollider(s_world, &ground);
    spLinkDef link = spDefaultLinkDef();
    const int32_t node = 1;
    link.body = body;
    link.nodes = &node;
    link.nodeCount = 1;
    link.stiffness = 10;
    s_grab = spCreateLink(s_world, &link);
    spWorld_Step(s_world, (spReal)0.01);
    s_own = spWorld_Save(s_world);
    CHECK(s_own != NULL);
    s_hash = spWorld_GetStateHash(s_world);
}

static void DestroyWorld(void)
{
    spDestroySnapshot(s_own);
    spDestroyWorld(s_world);
    s_world = NULL;
    CHECK(atomic_load(&s_bounded.used) == 0);
}

static spSnapshot* MakeSnapshot(const uint8_t* data, size_t size)
{
    size_t ownSize = 0;
    const uint8_t* head = spSnapshot_GetData(s_own, &ownSize);
    uint8_t* copy = malloc(size > 0 ? size : 1);
    CHECK(copy != NULL);
    memcpy(copy, data, size);
    if (size > 0 && data[0] != 0)
    {
        Mend(copy, size, head);
    }
    spError error = SP_ZERO_INIT;
    spSnapshot* snapshot = spCreateSnapshot(copy, size, &error);
    free(copy);
    CHECK((snapshot != NULL) == (error.code == sp_errorNone));
    CHECK(snapshot != NULL || error.message[0] != 0);
    return snapshot;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    if (s_world == NULL)
    {
        MakeWorld();
    }
    spSnapshot* snapshot = MakeSnapshot(data, size);
    if (snapshot == NULL)
    {
        return 0;
    }
    spWorld_ClearError(s_world);
    bool restored = spWorld_Restore(s_world, snapshot);
    spDestroySnapshot(snapshot);
    CheckFinite(s_world);
    // A byte of the head, which is mended, chooses: steps take longer than the rest
    if (restored && data[8] % 4 == 0 && IsQuick(s_world, 0.01))
    {
        spWorld_Step(s_world, (spReal)0.01);
        CheckFinite(s_world);
    }
    else if (restored == false)
    {
        CHECK(spWorld_GetLastError(s_world).message[0] != 0);
        CHECK(spWorld_GetStateHash(s_world) == s_hash);
    }
    CHECK(spWorld_Restore(s_world, s_own));
    if (spCollider_IsValid(s_world, s_ground) && spLink_IsValid(s_world, s_grab))
    {
        CHECK(spWorld_GetStateHash(s_world) == s_hash);
    }
    else
    {
        // What a snapshot does not know is gone for good
        DestroyWorld();
    }
    return 0;
}
