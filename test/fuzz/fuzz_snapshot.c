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
    spBodyId body = spCreateBody(world, &def);
    spTetDef tets = spDefaultTetDef();
    CHECK(spBody_AddTets(world, body, &tets) == 0);
    return body;
}

// A tet by symplectic Euler, one by BDF2, one by XPBD; a ground, and a grab
static spWorld* MakeWorld(const spAllocator* allocator)
{
    spError error = SP_ZERO_INIT;
    spWorldDef def = spDefaultWorldDef();
    def.laneCount = 1;
    def.allocator = *allocator;
    spWorld* world = spCreateWorld(&def, &error);
    spMeshDef meshDef = spDefaultMeshDef();
    const spDVec3 vertices[] = {{0, 1, 0}, {1, 1, 0}, {0, 2, 0}, {0, 1, 1}};
    const int32_t tet[] = {0, 1, 2, 3};
    meshDef.vertices = vertices;
    meshDef.vertexCount = 4;
    meshDef.tets = tet;
    meshDef.tetCount = 1;
    spMesh* mesh = spCreateMesh(&meshDef, &error);
    CHECK(world != NULL && mesh != NULL);
    spBodyId body = AddBody(world, mesh, sp_symplecticEuler);
    AddBody(world, mesh, sp_bdf2);
    AddBody(world, mesh, sp_xpbd);
    spDestroyMesh(mesh);
    spColliderDef ground = spDefaultColliderDef();
    spCreateCollider(world, &ground);
    spLinkDef link = spDefaultLinkDef();
    const int32_t node = 1;
    link.body = body;
    link.nodes = &node;
    link.nodeCount = 1;
    link.stiffness = 10;
    spCreateLink(world, &link);
    return world;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    Bounded bounded;
    spAllocator allocator = MakeBounded(&bounded, (size_t)16 << 20);
    spWorld* world = MakeWorld(&allocator);
    spWorld_Step(world, (spReal)0.01);
    spSnapshot* own = spWorld_Save(world);
    size_t ownSize = 0;
    const uint8_t* head = spSnapshot_GetData(own, &ownSize);
    uint8_t* copy = malloc(size > 0 ? size : 1);
    CHECK(own != NULL && copy != NULL);
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
    uint64_t before = spWorld_GetStateHash(world);
    spWorld_ClearError(world);
    bool restored = snapshot != NULL && spWorld_Restore(world, snapshot);
    CheckFinite(world);
    if (restored && IsQuick(world, 0.01))
    {
        spWorld_Step(world, (spReal)0.01);
        CheckFinite(world);
    }
    else if (snapshot != NULL && restored == false)
    {
        CHECK(spWorld_GetLastError(world).message[0] != 0);
        CHECK(spWorld_GetStateHash(world) == before);
    }
    CHECK(spWorld_Restore(world, own));
    spDestroySnapshot(snapshot);
    spDestroySnapshot(own);
    spDestroyWorld(world);
    CHECK(atomic_load(&bounded.used) == 0);
    return 0;
}
