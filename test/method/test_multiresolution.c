// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Bodies of levels: the hierarchy, ghosts, both couplings, division and union, budget, contact, restore, bad input.

#include "base/core.h"
#include "mesh/mesh_math.h"
#include "method/multiresolution.h"
#include "testbed/check.h"
#include "world/world.h"

#include "souple/levels.h"

#include <stdlib.h>
#include <string.h>

static const bool s_isDouble = sizeof(spReal) == sizeof(double);

typedef struct LevelWorld
{
    spWorld* world;
    spBodyId body;
    spMesh* meshes[4];
    int nodeCount;
} LevelWorld;

typedef struct LevelCase
{
    spReal gravity, damping;
    spLevelsDef levels;
    spTetLaw law;
    int threads;
    spReal safety;
    bool explicitMethod;
    int meshCount; // 3 when 0
} LevelCase;

// A beam of 1 m in the finest of four meshes that share no vertex inside
static void MakeMeshes(spMesh** meshes, int count)
{
    static const int all[4][3] = {{2, 1, 1}, {4, 1, 1}, {9, 2, 2}, {17, 4, 4}};
    const int(*cells)[3] = all + 4 - count;
    for (int i = 0; i < count; ++i)
    {
        spBoxMeshDef def = spDefaultBoxMeshDef();
        def.size = (spDVec3){1.0, 0.25, 0.25};
        def.origin = (spDVec3){0.0, 0.0, 0.0};
        memcpy(def.cells, cells[i], sizeof(def.cells));
        meshes[i] = spMakeBoxMesh(&def, NULL);
        assert_non_null(meshes[i]);
    }
}

static LevelWorld MakeWorld(const LevelCase* c)
{
    LevelWorld w = {0};
    spWorldDef worldDef = spDefaultWorldDef();
    worldDef.gravity = (spVec3){0, -c->gravity, 0};
    worldDef.workerCount = spMaxInt(1, c->threads);
    w.world = spCreateWorld(&worldDef, NULL);
    int meshCount = c->meshCount > 0 ? c->meshCount : 3;
    MakeMeshes(w.meshes, meshCount);
    spBodyDef def = spDefaultBodyDef();
    def.mesh = w.meshes[meshCount - 1];
    def.levels = (const spMesh* const*)w.meshes;
    def.levelCount = meshCount - 1;
    def.method.type = c->explicitMethod ? sp_verlet : sp_multiresolution;
    def.method.levels = c->levels;
    def.method.safety = c->safety > 0 ? c->safety : def.method.safety;
    w.body = spCreateBody(w.world, &def);
    assert_false(SP_IS_NULL(w.body));
    spTetDef tets = spDefaultTetDef();
    tets.law = c->law;
    tets.youngModulus = 1e5;
    tets.poissonRatio = (spReal)0.3;
    tets.damping = c->damping;
    assert_true(spBody_AddTets(w.world, w.body, &tets) >= 0);
    w.nodeCount = spBody_GetNodeCount(w.world, w.body);
    return w;
}

static void DestroyWorld(LevelWorld* w)
{
    spDestroyWorld(w->world);
    for (int i = 0; i < SP_COUNT(w->meshes); ++i)
    {
        spDestroyMesh(w->meshes[i]);
    }
}

static void Pin(LevelWorld* w, double x)
{
    spVec3* places = calloc((size_t)w->nodeCount, sizeof(spVec3));
    spBody_CopyPositions(w->world, w->body, places, w->nodeCount);
    for (int i = 0; i < w->nodeCount; ++i)
    {
        if ((double)places[i].x <= x)
        {
            assert_true(spBody_PinNodes(w->world, w->body, &(int32_t){i}, 1));
        }
    }
    free(places);
}

// Stretches the body and lets it spin
static void Excite(LevelWorld* w, double stretch)
{
    spVec3* places = calloc((size_t)w->nodeCount, sizeof(spVec3));
    spVec3* velocities = calloc((size_t)w->nodeCount, sizeof(spVec3));
    spBody_CopyPositions(w->world, w->body, places, w->nodeCount);
    for (int i = 0; i < w->nodeCount; ++i)
    {
        spVec3 p = places[i];
        places[i].x = p.x * (spReal)(1.0 + stretch);
        places[i].y = p.y + (spReal)stretch * p.x * p.x;
        velocities[i] = (spVec3){(spReal)0.2, p.z, (spReal)0.1 - p.y};
    }
    spBody_SetPositions(w->world, w->body, places, w->nodeCount);
    spBody_SetVelocities(w->world, w->body, velocities, w->nodeCount);
    free(places);
    free(velocities);
}

static void Run(LevelWorld* w, int steps, uint32_t* flags)
{
    for (int i = 0; i < steps; ++i)
    {
        *flags |= spWorld_Step(w->world, (spReal)(1.0 / 60.0));
    }
}

static double GetTotal(const spLevelsReport* report)
{
    return report->kinetic + report->elastic;
}

// ---- hierarchy ----

static double GetMiss(const spHierarchy* h, const spGhost* row)
{
    spDVec3 sum = {0, 0, 0}, p = h->rest[row->node];
    double total = 0.0;
    for (int k = 0; k < row->count; ++k)
    {
        const spGhostEntry* e = h->entries + row->begin + k;
        spDVec3 q = h->rest[e->node];
        double w = (double)e->weight;
        total += w;
        sum = (spDVec3){sum.x + w * q.x, sum.y + w * q.y, sum.z + w * q.z};
    }
    return fabs(total - 1.0) + fabs(sum.x - p.x) + fabs(sum.y - p.y) + fabs(sum.z - p.z);
}

static void TestHierarchy(void** state)
{
    (void)state;
    LevelCase c = {0};
    LevelWorld w = MakeWorld(&c);
    const spBody* body = spGetBody(w.world, w.body);
    const spHierarchy* h = body->hierarchy;
    double limit = s_isDouble ? 1e-11 : 2e-6, masses[3] = {0};
    int all = h->begin[3], down = 0, fit = 0;
    uint8_t* seen = calloc((size_t)all, 1);
    for (int i = 0; i < all; ++i)
    {
        int level = i >= h->begin[2] ? 2 : i >= h->begin[1] ? 1 : 0;
        masses[level] += h->mass[i];
        if (level > 0)
        {
            assert_int_equal(h->up[i].count, 4);
            CHECK_LESS(GetMiss(h, h->up + i), limit);
        }
        if (level < 2)
        {
            assert_int_equal(h->inner[i].count, 4);
            CHECK_LESS(GetMiss(h, h->inner + i), limit);
            assert_true(h->childBegin[i + 1] > h->childBegin[i]);
        }
        if (h->down[i].count > 0)
        {
            CHECK_LESS(GetMiss(h, h->down + i), limit);
            down += 1;
        }
        if (h->fit[i].count > 0)
        {
            CHECK_LESS(GetMiss(h, h->fit + i), limit);
            fit += 1;
        }
        for (int k = h->childBegin[i]; k < h->childBegin[i + 1]; ++k)
        {
            assert_int_equal(seen[h->children[k]], 0);
            seen[h->children[k]] = 1;
            assert_int_equal(h->parents[h->children[k]], i);
        }
    }
    for (int i = h->begin[1]; i < all; ++i)
    {
        assert_int_equal(seen[i], 1);
    }
    print_message("nodes %d + %d + %d, %d can be divided, %d have an error\n", h->begin[1],
                  h->begin[2] - h->begin[1], all - h->begin[2], down, fit);
    assert_int_equal(down, h->begin[2]);
    CHECK_NEAR(masses[0], masses[2], 1e-12 * masses[2]);
    CHECK_NEAR(masses[1], masses[2], 1e-12 * masses[2]);
    free(seen);
    DestroyWorld(&w);
}

// ---- motion ----

// All of the finest level moves as Verlet does
static void TestFinest(void** state)
{
    (void)state;
    LevelCase c = {.gravity = 9.81, .law = sp_tetCorotational, .levels = {.fixed = true}};
    LevelWorld w = MakeWorld(&c);
    c.explicitMethod = true;
    LevelWorld other = MakeWorld(&c);
    Pin(&w, 0.0);
    Pin(&other, 0.0);
    assert_true(spBody_Refine(w.world, w.body, (spVec3){-9, -9, -9}, (spVec3){9, 9, 9}, 2));
    uint32_t flags = 0;
    Run(&w, 20, &flags);
    Run(&other, 20, &flags);
    assert_int_equal(flags, 0);
    spLevelsReport report = spBody_GetLevels(w.world, w.body);
    assert_int_equal(report.activeCounts[2], w.nodeCount);
    assert_int_equal(report.ghostCount, 0);
    spVec3* a = calloc((size_t)w.nodeCount, sizeof(spVec3));
    spVec3* b = calloc((size_t)w.nodeCount, sizeof(spVec3));
    spBody_CopyPositions(w.world, w.body, a, w.nodeCount);
    spBody_CopyPositions(other.world, other.body, b, w.nodeCount);
    double most = 0.0, way = 0.0;
    for (int i = 0; i < w.nodeCount; ++i)
    {
        most = fmax(most, fabs((double)a[i].y - (double)b[i].y));
        way = fmax(way, fabs((double)b[i].y - w.meshes[2]->vertices[i].y));
    }
    print_message("beyond Verlet %g m of %g m\n", most, way);
    CHECK_LESS(most, 2e-3 * way);
    free(a);
    free(b);
    DestroyWorld(&w);
    DestroyWorld(&other);
}

// Corners err too, though their neighbours are all on one side: what bends by any small error is divided to the last node,
// also where it is held
static void TestAllDivide(void** state)
{
    (void)state;
    LevelCase c = {.gravity = 9.81,
                   .damping = (spReal)0.02,
                   .law = sp_tetCorotational,
                   .levels = {.splitError = (spReal)1e-6}};
    LevelWorld w = MakeWorld(&c);
    Pin(&w, 0.0);
    uint32_t flags = 0;
    Run(&w, 12, &flags);
    spLevelsReport report = spBody_GetLevels(w.world, w.body);
    assert_int_equal(flags, 0);
    print_message("%d + %d + %d active\n", report.activeCounts[0], report.activeCounts[1],
                  report.activeCounts[2]);
    assert_int_equal(report.activeCounts[0], 0);
    // But for what is held with all that is around it
    const spBody* body = spGetBody(w.world, w.body);
    const spMulti* m = body->methodState;
    for (int i = 0; i < body->hierarchy->begin[2]; ++i)
    {
        assert_true(m->active[i] == 0 || m->heldNodes[i] != 0);
    }
    DestroyWorld(&w);
}

static double GetVolume(const spHierarchy* h, int tet)
{
    const int32_t* t = h->tets[tet];
    spDVec3 x = spDSub(h->rest[t[1]], h->rest[t[0]]), y = spDSub(h->rest[t[2]], h->rest[t[0]]),
            z = spDSub(h->rest[t[3]], h->rest[t[0]]);
    return fabs(spDDot(x, spDCross(y, z))) / 6.0;
}

// Meshes that nest have vertices in the middle of edges of the coarser one. Shared out fairly no node is lighter than a
// quarter of what lies around it; a corner with nothing but itself had an eighth.
static void TestNested(void** state)
{
    (void)state;
    spMesh* meshes[2];
    for (int i = 0; i < 2; ++i)
    {
        spBoxMeshDef def = spDefaultBoxMeshDef();
        def.size = (spDVec3){1.0, 0.25, 0.25};
        def.origin = (spDVec3){0.0, 0.0, 0.0};
        def.cells[0] = 4 << i;
        def.cells[1] = def.cells[2] = 1 << i;
        meshes[i] = spMakeBoxMesh(&def, NULL);
    }
    spWorldDef worldDef = spDefaultWorldDef();
    spWorld* world = spCreateWorld(&worldDef, NULL);
    spBodyDef def = spDefaultBodyDef();
    def.mesh = meshes[1];
    def.levels = (const spMesh* const*)meshes;
    def.levelCount = 1;
    def.method.type = sp_multiresolution;
    spBodyId id = spCreateBody(world, &def);
    const spHierarchy* h = spGetBody(world, id)->hierarchy;
    double total = 0.0, least = INFINITY;
    double* around = calloc((size_t)h->begin[1], sizeof(double));
    for (int i = 0; i < 4 * h->tetBegin[1]; ++i)
    {
        around[h->tets[i / 4][i % 4]] += GetVolume(h, i / 4);
    }
    for (int i = 0; i < h->begin[1]; ++i)
    {
        total += around[i];
    }
    double whole = 0.0;
    for (int i = 0; i < h->begin[1]; ++i)
    {
        whole += h->mass[i];
    }
    for (int i = 0; i < h->begin[1]; ++i)
    {
        least = fmin(least, h->mass[i] / whole / (around[i] / total));
    }
    print_message("lightest node %.3f of what lies around it\n", least);
    assert_true(least > 0.25);
    free(around);
    spDestroyWorld(world);
    spDestroyMesh(meshes[0]);
    spDestroyMesh(meshes[1]);
}

typedef struct Drift
{
    double momentum;    // over that of the parts
    double least, most; // energy over that at the start
    double end;         // mean of the energy over the last tenth
} Drift;

static Drift FindDrift(spCoupling coupling, double safety, int steps)
{
    LevelCase c = {
        .law = sp_tetCorotational, .levels = {.fixed = true, .coupling = coupling}, .safety = (spReal)safety};
    LevelWorld w = MakeWorld(&c);
    Excite(&w, 0.05);
    // Half of it by the coarsest mesh, a quarter by each of the others
    assert_true(spBody_Refine(w.world, w.body, (spVec3){(spReal)0.5, -9, -9}, (spVec3){9, 9, 9}, 1));
    assert_true(spBody_Refine(w.world, w.body, (spVec3){(spReal)0.75, -9, -9}, (spVec3){9, 9, 9}, 2));
    uint32_t flags = 0;
    spLevelsReport first = spBody_GetLevels(w.world, w.body);
    Drift drift = {.least = 1.0, .most = 1.0};
    for (int i = 0; i < steps; ++i)
    {
        Run(&w, 1, &flags);
        spLevelsReport now = spBody_GetLevels(w.world, w.body);
        double dx = now.momentum.x - first.momentum.x, dy = now.momentum.y - first.momentum.y,
               dz = now.momentum.z - first.momentum.z, energy = GetTotal(&now) / GetTotal(&first);
        drift.momentum = fmax(drift.momentum, sqrt(dx * dx + dy * dy + dz * dz) / fabs(first.momentum.x));
        drift.least = fmin(drift.least, energy);
        drift.most = fmax(drift.most, energy);
        drift.end += i >= steps - steps / 10 ? energy / (steps / 10) : 0.0;
    }
    assert_int_equal(flags, 0);
    print_message(
        "%s, safety %g: %d + %d + %d active, %d ghosts, %d lists; momentum %.3g, energy %.4f to %.4f, %.4f\n",
        coupling == sp_couplingGhost ? "ghost" : "conserving", safety, first.activeCounts[0],
        first.activeCounts[1], first.activeCounts[2], first.ghostCount, first.listCount, drift.momentum,
        drift.least, drift.most, drift.end);
    assert_true(first.activeCounts[0] > 0 && first.activeCounts[1] > 0 && first.activeCounts[2] > 0);
    assert_true(first.listCount > 1);
    DestroyWorld(&w);
    return drift;
}

// Momentum to rounding, and energy as any explicit method of second order keeps it: within a bound that falls with
// the square of the step, and without a trend. The way of the seed gains without end when nothing damps.
static void TestConservation(void** state)
{
    (void)state;
    Drift whole = FindDrift(sp_couplingConserving, 0.8, 1200),
          half = FindDrift(sp_couplingConserving, 0.4, 1200);
    Drift ghost = FindDrift(sp_couplingGhost, 0.8, 120);
    CHECK_LESS(whole.momentum, s_isDouble ? 1e-10 : 2e-5);
    CHECK_LESS(whole.most - whole.least, 0.03);
    CHECK_LESS(half.most - half.least, 0.01);
    CHECK_LESS(fabs(whole.end - 1.0), 0.02);
    CHECK_LESS(fabs(half.end - 1.0), 0.005);
    assert_true(ghost.momentum > 0.1);
    assert_true(ghost.most > 1.5);
}

// Every neighbour of an active node is active or follows what is, by whatever number of levels they differ
static void CheckFollowed(const spBody* body)
{
    const spHierarchy* h = body->hierarchy;
    const spMulti* m = body->methodState;
    int above = 0, all = spMaxInt(0, h->begin[h->levelCount]);
    for (int i = 0; i < all; ++i)
    {
        if (m->active[i] == 0)
        {
            const spGhost* row = spGetRow(m, h, i);
            assert_true(row->count > 0);
            continue;
        }
        above += h->leafCount[i];
    }
    // Every finest node moves by exactly one active node
    assert_int_equal(above, body->nodeCount);
    // Nodes that follow do so behind those that they follow
    uint8_t* known = calloc((size_t)all, 1);
    memcpy(known, m->active, (size_t)all);
    for (int i = 0; i < m->fillCount; ++i)
    {
        for (int k = 0; k < m->fill[i].count; ++k)
        {
            assert_int_equal(known[h->entries[m->fill[i].begin + k].node], 1);
        }
        known[m->fill[i].node] = 1;
    }
    for (int i = 0; i < all; ++i)
    {
        assert_int_equal(known[i], 1);
    }
    free(known);
}

// A beam that hangs down refines where it bends; let go and damped it comes back to the coarsest mesh
static void TestAdapt(void** state)
{
    (void)state;
    LevelCase c = {
        .law = sp_tetCorotational, .damping = (spReal)0.02, .levels = {.splitError = (spReal)1e-3}};
    LevelWorld w = MakeWorld(&c);
    spLevelsReport start = spBody_GetLevels(w.world, w.body), report = start;
    assert_int_equal(start.activeCounts[0], 20);
    assert_int_equal(start.ghostCount, 0);
    Excite(&w, 0.3);
    uint32_t flags = 0;
    int most = 0;
    double px = 0.0;
    for (int i = 0; i < 600; ++i)
    {
        Run(&w, 1, &flags);
        report = spBody_GetLevels(w.world, w.body);
        most = spMaxInt(most, report.activeCounts[1] + report.activeCounts[2]);
        px = i == 0 ? report.momentum.x : px;
        CHECK_NEAR(report.momentum.x, px, (s_isDouble ? 1e-10 : 1e-4) * fabs(px));
        CheckFollowed(spGetBody(w.world, w.body));
    }
    print_message("%d finer nodes at most, %d divided, %d united, %d ghosts at the end\n", most,
                  (int)report.splitCount, (int)report.mergeCount, report.ghostCount);
    assert_int_equal(flags, 0);
    assert_true(most > 20);
    assert_true(report.mergeCount > 0);
    assert_int_equal(report.activeCounts[0], 20);
    assert_int_equal(report.ghostCount, 0);
    DestroyWorld(&w);
}

// A body that is coarse on one side and the finest on the other, with no node of the levels between
static void CheckJump(int meshCount)
{
    LevelCase c = {.law = sp_tetNeoHookean, .levels = {.fixed = true}, .meshCount = meshCount};
    LevelWorld w = MakeWorld(&c);
    Excite(&w, 0.05);
    int finest = meshCount - 1;
    assert_true(spBody_Refine(w.world, w.body, (spVec3){(spReal)0.7, -9, -9}, (spVec3){9, 9, 9}, finest));
    spLevelsReport first = spBody_GetLevels(w.world, w.body);
    CheckFollowed(spGetBody(w.world, w.body));
    for (int level = 0; level < meshCount; ++level)
    {
        assert_int_equal(first.activeCounts[level] > 0, level == 0 || level == finest);
    }
    uint32_t flags = 0;
    Run(&w, 300, &flags);
    CheckFollowed(spGetBody(w.world, w.body));
    spLevelsReport now = spBody_GetLevels(w.world, w.body);
    print_message("over %d levels: energy %.4f of that at the start\n", finest,
                  GetTotal(&now) / GetTotal(&first));
    assert_int_equal(flags, 0);
    CHECK_NEAR(GetTotal(&now) / GetTotal(&first), 1.0, 0.05);
    DestroyWorld(&w);
}

// Jumps over two levels at once, and over three
static void TestJumps(void** state)
{
    (void)state;
    CheckJump(3);
    CheckJump(4);
}

// ---- the same bits ----

static uint64_t RunCase(int threads, int steps, int saveAt, bool restores)
{
    LevelCase c = {.gravity = 9.81,
                   .damping = (spReal)0.005,
                   .law = sp_tetCorotational,
                   .levels = {.splitError = (spReal)1e-3, .budget = 4000000},
                   .threads = threads};
    LevelWorld w = MakeWorld(&c);
    Pin(&w, 0.0);
    uint32_t flags = 0;
    Run(&w, saveAt, &flags);
    spSnapshot* snapshot = spWorld_Save(w.world);
    if (restores)
    {
        Run(&w, 7, &flags);
        assert_true(spWorld_Restore(w.world, snapshot));
    }
    Run(&w, steps - saveAt, &flags);
    assert_int_equal(flags, 0);
    uint64_t hash = spWorld_GetStateHash(w.world);
    spDestroySnapshot(snapshot);
    DestroyWorld(&w);
    return hash;
}

static void TestSameBits(void** state)
{
    (void)state;
    uint64_t hash = RunCase(1, 60, 25, false);
    assert_true(RunCase(3, 60, 25, false) == hash);
    assert_true(RunCase(1, 60, 25, true) == hash);
    assert_true(RunCase(1, 60, 40, true) == hash);
}

// ---- users ----

static double GetLowest(LevelWorld* w)
{
    spVec3View view = spBody_GetPositions(w->world, w->body);
    double lowest = INFINITY;
    for (int i = 0; i < view.count; ++i)
    {
        lowest = fmin(lowest, (double)view.data[i].y);
    }
    return lowest;
}

// Pinned nodes stay exactly where they are, a single one too, and hold the weight
static void TestPins(void** state)
{
    (void)state;
    LevelCase c = {.gravity = 9.81, .damping = (spReal)0.05, .law = sp_tetCorotational};
    for (int single = 0; single < 2; ++single)
    {
        LevelWorld w = MakeWorld(&c);
        if (single != 0)
        {
            assert_true(spBody_PinNodes(w.world, w.body, &(int32_t){220}, 1));
        }
        else
        {
            Pin(&w, 0.01);
        }
        uint32_t flags = 0;
        spFieldDef drag = spDefaultFieldDef();
        drag.type = sp_fieldMassDrag;
        drag.coefficient = 6;
        assert_true(spBody_AddField(w.world, w.body, &drag) >= 0);
        Run(&w, 300, &flags);
        assert_int_equal(flags, 0);
        spVec3View view = spBody_GetPositions(w.world, w.body);
        for (int i = 0; i < view.count; ++i)
        {
            spDVec3 p = w.meshes[2]->vertices[i];
            if (spBody_GetNodeRole(w.world, w.body, i) == sp_nodeFixed)
            {
                assert_true(view.data[i].x == (spReal)p.x && view.data[i].y == (spReal)p.y &&
                            view.data[i].z == (spReal)p.z);
            }
        }
        double weight = 0.0;
        for (int i = 0; i < w.nodeCount; ++i)
        {
            weight += 9.81 * (double)spGetBody(w.world, w.body)->mass[i];
        }
        print_message("pins hold %g N of %g N\n", (double)spBody_GetPinForce(w.world, w.body).y, weight);
        if (single == 0)
        {
            CHECK_NEAR(spBody_GetPinForce(w.world, w.body).y, weight, 0.02 * weight);
        }
        DestroyWorld(&w);
    }
}

static void TestContact(void** state)
{
    (void)state;
    LevelCase c = {.gravity = 9.81, .damping = (spReal)0.02, .law = sp_tetCorotational};
    LevelWorld w = MakeWorld(&c);
    spColliderDef ground = spDefaultColliderDef();
    ground.shape = sp_shapePlane;
    ground.transform.position = (spVec3){0, (spReal)-0.1, 0};
    assert_false(SP_IS_NULL(spCreateCollider(w.world, &ground)));
    uint32_t flags = 0;
    Run(&w, 300, &flags);
    spLevelsReport report = spBody_GetLevels(w.world, w.body);
    print_message("lowest %g m, %g J left\n", GetLowest(&w), report.kinetic);
    assert_int_equal(flags, 0);
    CHECK_NEAR(GetLowest(&w), -0.1, 0.01);
    CHECK_LESS(report.kinetic, 1e-2);
    DestroyWorld(&w);
}

// Divisions stop below the budget, and are counted
static void TestBudget(void** state)
{
    (void)state;
    LevelCase c = {.gravity = 9.81,
                   .damping = (spReal)0.005,
                   .law = sp_tetCorotational,
                   .levels = {.splitError = (spReal)1e-4, .budget = 400000}};
    LevelWorld w = MakeWorld(&c);
    Pin(&w, 0.0);
    double most = 0.0;
    uint32_t flags = 0;
    spLevelsReport report = {0};
    for (int i = 0; i < 120; ++i)
    {
        Run(&w, 1, &flags);
        report = spBody_GetLevels(w.world, w.body);
        most = fmax(most, report.load);
    }
    print_message("load %.2f at most, %d refused\n", most, (int)report.refusedCount);
    assert_true(report.refusedCount > 0);
    assert_true(report.splitCount > 0);
    CHECK_LESS(most, 1.0);
    DestroyWorld(&w);
}

// A tool that swings at the border of an error does not make nodes come and go
static void TestNoFlicker(void** state)
{
    (void)state;
    LevelCase c = {
        .damping = (spReal)0.05, .law = sp_tetCorotational, .levels = {.splitError = (spReal)5e-4}};
    LevelWorld w = MakeWorld(&c);
    Pin(&w, 0.0);
    uint32_t flags = 0;
    int64_t settled = 0;
    for (int i = 0; i < 600; ++i)
    {
        double swing = 1.0 + 0.2 * sin(0.3 * i);
        spBody_SetNodeForce(w.world, w.body, w.nodeCount - 1, (spVec3){0, (spReal)(-4.0 * swing), 0});
        Run(&w, 1, &flags);
        spLevelsReport report = spBody_GetLevels(w.world, w.body);
        settled = i == 300 ? report.splitCount + report.mergeCount : settled;
        if (i == 599)
        {
            print_message("%d divisions and unions, %d of them later\n", (int)settled,
                          (int)(report.splitCount + report.mergeCount - settled));
            assert_true(report.splitCount > 0);
            assert_int_equal(report.splitCount + report.mergeCount, settled);
        }
    }
    assert_int_equal(flags, 0);
    DestroyWorld(&w);
}

static void TestNoMemory(void** state)
{
    (void)state;
    LevelCase c = {.gravity = 9.81,
                   .damping = (spReal)0.005,
                   .law = sp_tetCorotational,
                   .levels = {.splitError = 1e-3f}};
    LevelWorld w = MakeWorld(&c);
    Pin(&w, 0.0);
    uint32_t flags = 0;
    Run(&w, 5, &flags);
    size_t bytes = spWorld_GetByteCount(w.world);
    Run(&w, 120, &flags);
    spLevelsReport report = spBody_GetLevels(w.world, w.body);
    assert_true(report.splitCount > 20);
    assert_int_equal(spWorld_GetByteCount(w.world), bytes);
    DestroyWorld(&w);
}

static void TestBadInput(void** state)
{
    (void)state;
    LevelCase c = {.law = sp_tetCorotational};
    LevelWorld w = MakeWorld(&c);
    spBodyDef def = spDefaultBodyDef();
    spMesh* few[1];
    spBoxMeshDef far = spDefaultBoxMeshDef();
    far.origin = (spDVec3){50, 0, 0};
    far.cells[0] = far.cells[1] = far.cells[2] = 1;
    few[0] = spMakeBoxMesh(&far, NULL);
    def.mesh = w.meshes[2];
    def.levels = (const spMesh* const*)few;
    def.levelCount = 1;
    assert_true(SP_IS_NULL(spCreateBody(w.world, &def)));
    assert_non_null(strstr(spWorld_GetLastError(w.world).message, "one shape"));
    def.levelCount = 7;
    assert_true(SP_IS_NULL(spCreateBody(w.world, &def)));
    def.levelCount = 0;
    def.method.type = sp_multiresolution;
    assert_true(SP_IS_NULL(spCreateBody(w.world, &def)));
    assert_non_null(strstr(spWorld_GetLastError(w.world).message, "levels"));
    // From fine to coarse
    const spMesh* turned[1] = {w.meshes[2]};
    def.mesh = w.meshes[0];
    def.levels = turned;
    def.levelCount = 1;
    assert_true(SP_IS_NULL(spCreateBody(w.world, &def)));
    assert_non_null(strstr(spWorld_GetLastError(w.world).message, "coarse to fine"));
    // The same mesh twice is of no use, but does no harm
    def.mesh = w.meshes[2];
    def.transform.position.z = 2;
    def.method = spDefaultMethodDef();
    def.method.type = sp_multiresolution;
    spBodyId twice = spCreateBody(w.world, &def);
    assert_false(SP_IS_NULL(twice));
    spSpringDef springs = spDefaultSpringDef();
    assert_true(spBody_AddSprings(w.world, twice, &springs) < 0);
    assert_non_null(strstr(spWorld_GetLastError(w.world).message, "multiresolution"));
    spTetDef tets = spDefaultTetDef();
    assert_true(spBody_AddTets(w.world, twice, &tets) >= 0);
    assert_true(spBody_AddTets(w.world, twice, &tets) < 0);
    assert_true(spBody_Refine(w.world, twice, (spVec3){-9, -9, -9}, (spVec3){9, 9, 9}, 6));
    assert_int_equal(spWorld_Step(w.world, (spReal)0.01) & sp_stepNonFinite, 0);
    assert_false(spBody_Refine(w.world, twice, (spVec3){9, 9, 9}, (spVec3){-9, -9, -9}, 1));
    assert_false(spBody_Refine(w.world, twice, (spVec3){NAN, 0, 0}, (spVec3){1, 1, 1}, 1));
    spMethodDef method = def.method;
    method.levels.splitError = -1;
    assert_false(spBody_SetMethod(w.world, twice, &method));
    method.levels.splitError = (spReal)1e-3;
    method.levels.mergeError = (spReal)2e-3;
    assert_false(spBody_SetMethod(w.world, twice, &method));
    // To another method and back, in motion
    assert_true(spBody_SetMethod(w.world, w.body,
                                 &(spMethodDef){.type = sp_verlet,
                                                .maxSubsteps = 1000,
                                                .safety = (spReal)0.8,
                                                .internalValue = method.internalValue}));
    spWorld_Step(w.world, (spReal)0.01);
    method.levels.mergeError = 0;
    assert_true(spBody_SetMethod(w.world, w.body, &method));
    spWorld_Step(w.world, (spReal)0.01);
    int count = spBody_GetNodeCount(w.world, w.body);
    spReal* levels = calloc((size_t)count, sizeof(spReal));
    assert_non_null(levels);
    assert_int_equal(spBody_CopyNodeLevels(w.world, w.body, levels, count - 1), 0);
    assert_int_equal(spBody_CopyNodeLevels(w.world, w.body, levels, count), count);
    int finest = spBody_GetLevels(w.world, w.body).levelCount - 1;
    for (int i = 0; i < count; ++i)
    {
        assert_true(levels[i] >= 0 && levels[i] <= finest && levels[i] == (spReal)(int)levels[i]);
    }
    free(levels);
    spDestroyMesh(few[0]);
    DestroyWorld(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestAllDivide), cmocka_unit_test(TestNested),       cmocka_unit_test(TestHierarchy),
        cmocka_unit_test(TestFinest),    cmocka_unit_test(TestConservation), cmocka_unit_test(TestAdapt),
        cmocka_unit_test(TestJumps),     cmocka_unit_test(TestSameBits),     cmocka_unit_test(TestPins),
        cmocka_unit_test(TestContact),   cmocka_unit_test(TestBudget),       cmocka_unit_test(TestNoFlicker),
        cmocka_unit_test(TestNoMemory),  cmocka_unit_test(TestBadInput),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
