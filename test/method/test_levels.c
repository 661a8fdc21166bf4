// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Bodies of levels in use: grabs, tools, hostile input; steps and their schedule; that levels come and go
// unseen.

#include "mesh/hierarchy.h"
#include "method/multiresolution.h"
#include "testbed/check.h"
#include "testbed/solid_body.h"
#include "world/world.h"

#include "souple/levels.h"

#include <stdlib.h>
#include <string.h>

static const bool s_isDouble = sizeof(spReal) == sizeof(double);

#define MOST_LEVELS 4

typedef struct Bar
{
    spBodyId id;
    int nodeCount;
} Bar;

static spWorld* MakeWorld(double gravity)
{
    spWorldDef def = spDefaultWorldDef();
    def.gravity = (spVec3){0, (spReal)-gravity, 0};
    return spCreateWorld(&def, NULL);
}

// A bar of 1 m x 0.25 m x 0.25 m with its lower corner at a place
static Bar AddBar(spWorld* world, int levelCount, spLevelsDef levels, double damping, spVec3 place)
{
    static const int cells[MOST_LEVELS][3] = {{4, 1, 1}, {9, 2, 2}, {17, 4, 4}, {33, 8, 8}};
    spMesh* meshes[MOST_LEVELS];
    for (int i = 0; i < levelCount; ++i)
    {
        spBoxMeshDef def = spDefaultBoxMeshDef();
        def.size = (spDVec3){1.0, 0.25, 0.25};
        def.origin = (spDVec3){0.0, 0.0, 0.0};
        memcpy(def.cells, cells[i], sizeof(def.cells));
        meshes[i] = spMakeBoxMesh(&def, NULL);
    }
    spBodyDef def = spDefaultBodyDef();
    def.mesh = meshes[levelCount - 1];
    def.levels = (const spMesh* const*)meshes;
    def.levelCount = levelCount - 1;
    def.method.type = sp_multiresolution;
    def.method.levels = levels;
    def.transform.position = place;
    Bar bar = {.id = spCreateBody(world, &def)};
    assert_false(SP_IS_NULL(bar.id));
    spTetDef tets = spDefaultTetDef();
    tets.law = sp_tetCorotational;
    tets.youngModulus = (spReal)1e5;
    tets.poissonRatio = (spReal)0.3;
    tets.damping = (spReal)damping;
    assert_true(spBody_AddTets(world, bar.id, &tets) >= 0);
    bar.nodeCount = spBody_GetNodeCount(world, bar.id);
    for (int i = 0; i < levelCount; ++i)
    {
        spDestroyMesh(meshes[i]);
    }
    return bar;
}

static void PinStart(spWorld* world, Bar bar, double x)
{
    spVec3View view = spBody_GetPositions(world, bar.id);
    for (int32_t i = 0; i < bar.nodeCount; ++i)
    {
        assert_true((double)view.data[i].x > x || spBody_PinNodes(world, bar.id, &i, 1));
    }
}

static uint32_t Run(spWorld* world, int steps)
{
    uint32_t flags = 0;
    for (int i = 0; i < steps; ++i)
    {
        flags |= spWorld_Step(world, (spReal)(1.0 / 60.0));
    }
    return flags;
}

// ---- users ----

// A hand that holds one fine node of a coarse region takes it along
static void TestGrab(void** state)
{
    (void)state;
    spWorld* world = MakeWorld(0);
    Bar bar = AddBar(world, 3, (spLevelsDef){.splitError = (spReal)2e-3}, 0.02, (spVec3){0, 0, 0});
    PinStart(world, bar, 0.0);
    int32_t node = bar.nodeCount - 1;
    spVec3 start = spBody_GetPositions(world, bar.id).data[node];
    spLinkDef def = spDefaultLinkDef();
    def.body = bar.id;
    def.nodes = &node;
    def.nodeCount = 1;
    spLinkId link = spCreateLink(world, &def);
    assert_true(spLink_IsValid(world, link));
    uint32_t flags = 0;
    double worst = 0.0;
    for (int i = 0; i < 120; ++i)
    {
        double way = 0.1 * fmin(1.0, (i + 1) / 60.0);
        assert_true(spLink_MoveTo(world, link, (spVec3){0, (spReal)way, 0}));
        flags |= Run(world, 1);
        double y = (double)spBody_GetPositions(world, bar.id).data[node].y;
        worst = fmax(worst, fabs(y - (double)start.y - way));
    }
    spLevelsReport report = spBody_GetLevels(world, bar.id);
    print_message("hand and node %g m apart at most, %g N, %d divisions\n", worst,
                  (double)spLink_GetForce(world, link).y, (int)report.splitCount);
    assert_int_equal(flags, 0);
    CHECK_LESS(worst, 1e-3);
    assert_true(report.splitCount > 0);
    assert_true(fabs((double)spLink_GetForce(world, link).y) > 0.1);
    spDestroyLink(world, link);
    assert_int_equal(Run(world, 60), 0);
    spDestroyWorld(world);
}

// A tool presses where nodes come; one without a place is refused
static void TestTool(void** state)
{
    (void)state;
    spWorld* world = MakeWorld(0);
    Bar bar = AddBar(world, 3, (spLevelsDef){.splitError = (spReal)2e-3}, 0.05, (spVec3){0, 0, 0});
    spVec3View view = spBody_GetPositions(world, bar.id);
    for (int32_t i = 0; i < bar.nodeCount; ++i)
    {
        assert_true((double)view.data[i].y > 0.01 || spBody_PinNodes(world, bar.id, &i, 1));
    }
    spColliderDef def = spDefaultColliderDef();
    def.shape = sp_shapeSphere;
    def.radius = (spReal)0.08;
    def.transform.position = (spVec3){(spReal)0.5, (spReal)0.34, (spReal)0.125};
    spColliderId tool = spCreateCollider(world, &def);
    assert_false(SP_IS_NULL(tool));
    uint32_t flags = 0;
    int64_t settled = 0;
    spLevelsReport report = {0};
    for (int i = 0; i < 480; ++i)
    {
        double depth = fmin(1.0, i / 60.0) * (0.04 + 0.004 * sin(0.2 * i));
        spTransform pose = def.transform;
        pose.position.y = (spReal)(0.33 - depth);
        assert_true(spCollider_MoveTo(world, tool, pose));
        flags |= Run(world, 1);
        report = spBody_GetLevels(world, bar.id);
        settled = i == 240 ? report.splitCount + report.mergeCount : settled;
    }
    print_message("%d divisions and unions, %d of them later\n", (int)settled,
                  (int)(report.splitCount + report.mergeCount - settled));
    assert_int_equal(flags, 0);
    assert_true(report.splitCount > 0);
    // A tool without a place is refused, and nothing happens
    spTransform nowhere = def.transform;
    nowhere.position.y = NAN;
    assert_false(spCollider_MoveTo(world, tool, nowhere));
    assert_int_equal(Run(world, 10), 0);
    spDestroyWorld(world);
}

// ---- hostile input ----

static void TestHostile(void** state)
{
    (void)state;
    spWorld* world = MakeWorld(9.81);
    // A budget that nothing fits in: nothing is divided, every step says so
    Bar bar =
        AddBar(world, 3, (spLevelsDef){.splitError = (spReal)1e-4, .budget = 1}, 0.01, (spVec3){0, 0, 0});
    PinStart(world, bar, 0.0);
    assert_int_equal(Run(world, 60), 0);
    spLevelsReport report = spBody_GetLevels(world, bar.id);
    assert_true(report.refusedCount > 0);
    assert_true(report.load > 1.0);
    assert_int_equal(report.splitCount, 0);
    // Pins on a node that follows, put and taken away between steps
    Bar other = AddBar(world, 3, (spLevelsDef){.splitError = 1}, 0.01, (spVec3){0, 0, 2});
    for (int32_t i = 3; i < other.nodeCount; i += 17)
    {
        assert_true(spBody_PinNodes(world, other.id, &i, 1));
        assert_int_equal(Run(world, 1), 0);
        assert_true(spBody_FreeNodes(world, other.id, &i, 1));
        assert_int_equal(Run(world, 1), 0);
    }
    // What has no children, or is divided already, is not divided again
    Bar third = AddBar(world, 3, (spLevelsDef){.fixed = true}, 0.01, (spVec3){0, 0, 4});
    const spVec3 lower = {-9, -9, -9}, upper = {9, 9, 9};
    assert_true(spBody_Refine(world, third.id, lower, upper, 6));
    report = spBody_GetLevels(world, third.id);
    assert_int_equal(report.activeCounts[2], third.nodeCount);
    int64_t splits = report.splitCount;
    assert_true(spBody_Refine(world, third.id, lower, upper, 6));
    assert_int_equal(spBody_GetLevels(world, third.id).splitCount, splits);
    assert_false(spBody_Refine(world, third.id, lower, (spVec3){9, INFINITY, 9}, 1));
    spDestroyWorld(world);
}

// A snapshot between a division by hand and the step that takes it up
static void TestSnapshot(void** state)
{
    (void)state;
    spWorld* world = MakeWorld(9.81);
    Bar bar = AddBar(world, 3, (spLevelsDef){.splitError = (spReal)5e-3}, 0.01, (spVec3){0, 0, 0});
    PinStart(world, bar, 0.0);
    Run(world, 10);
    assert_true(spBody_Refine(world, bar.id, (spVec3){(spReal)0.6, -9, -9}, (spVec3){9, 9, 9}, 2));
    spSnapshot* snapshot = spWorld_Save(world);
    Run(world, 20);
    uint64_t hash = spWorld_GetStateHash(world);
    assert_true(spWorld_Restore(world, snapshot));
    Run(world, 20);
    assert_true(spWorld_GetStateHash(world) == hash);
    spDestroySnapshot(snapshot);
    spDestroyWorld(world);
}

// ---- hierarchy ----

// Vertices of the finer mesh outside of the coarser one follow it too, by negative weights
static void TestOutside(void** state)
{
    (void)state;
    spWorld* world = MakeWorld(0);
    spMesh* meshes[2] = {spMakeSolidBall((spDVec3){0, 0, 0}, 1.0, 2),
                         spMakeSolidBall((spDVec3){0, 0, 0}, 1.0, 6)};
    spBodyDef def = spDefaultBodyDef();
    def.mesh = meshes[1];
    def.levels = (const spMesh* const*)meshes;
    def.levelCount = 1;
    def.method.type = sp_multiresolution;
    spBodyId id = spCreateBody(world, &def);
    assert_false(SP_IS_NULL(id));
    const spHierarchy* h = spGetBody(world, id)->hierarchy;
    int outside = 0;
    double worst = 0.0;
    for (int i = h->begin[1]; i < h->begin[2]; ++i)
    {
        double sum[3] = {0}, total = 0.0;
        bool negative = false;
        for (int k = 0; k < h->up[i].count; ++k)
        {
            const spGhostEntry* e = h->entries + h->up[i].begin + k;
            spDVec3 p = h->rest[e->node];
            double w = (double)e->weight;
            negative = negative || w < -1e-3;
            total += w;
            sum[0] += w * (0.3 + p.x - 2.0 * p.y);
            sum[1] += w * (p.y + 0.5 * p.z);
            sum[2] += w * (3.0 * p.z - p.x);
        }
        spDVec3 p = h->rest[i];
        outside += negative;
        worst = fmax(worst, fabs(sum[0] - (0.3 + p.x - 2.0 * p.y)) + fabs(sum[1] - (p.y + 0.5 * p.z)) +
                                fabs(sum[2] - (3.0 * p.z - p.x)) + fabs(total - 1.0));
    }
    print_message("%d of %d vertices outside, affine fields within %g\n", outside, h->begin[2] - h->begin[1],
                  worst);
    assert_true(outside > 20);
    CHECK_LESS(worst, s_isDouble ? 1e-11 : 1e-5);
    spDestroyMesh(meshes[0]);
    spDestroyMesh(meshes[1]);
    spDestroyWorld(world);
}

static void Stretch(spWorld* world, Bar bar)
{
    spVec3* x = calloc((size_t)bar.nodeCount, sizeof(spVec3));
    spBody_CopyPositions(world, bar.id, x, bar.nodeCount);
    for (int i = 0; i < bar.nodeCount; ++i)
    {
        x[i].y += (spReal)0.05 * x[i].x * x[i].x;
        x[i].x *= (spReal)1.05;
    }
    assert_true(spBody_SetPositions(world, bar.id, x, bar.nodeCount));
    free(x);
}

// From the coarsest mesh to the finest over three levels at once
static void TestThreeLevels(void** state)
{
    (void)state;
    spWorld* world = MakeWorld(0);
    Bar bar = AddBar(world, 4, (spLevelsDef){.fixed = true}, 0.0, (spVec3){0, 0, 0});
    Stretch(world, bar);
    assert_true(spBody_Refine(world, bar.id, (spVec3){(spReal)0.8, -9, -9}, (spVec3){9, 9, 9}, 3));
    spLevelsReport first = spBody_GetLevels(world, bar.id);
    assert_int_equal(first.activeCounts[1] + first.activeCounts[2], 0);
    assert_true(first.activeCounts[0] > 0 && first.activeCounts[3] > 0);
    assert_int_equal(Run(world, 120), 0);
    spLevelsReport now = spBody_GetLevels(world, bar.id);
    double energy = (now.kinetic + now.elastic) / (first.kinetic + first.elastic);
    print_message("%d + %d active, energy %.4f of that at the start\n", first.activeCounts[0],
                  first.activeCounts[3], energy);
    CHECK_NEAR(energy, 1.0, 0.05);
    spDestroyWorld(world);
}

// ---- steps ----

// No substep has more than two lists, so that the most work
// in one of them is nearer to the mean than if all lists began together
static void TestSchedule(void** state)
{
    (void)state;
    spWorld* world = MakeWorld(0);
    Bar bar = AddBar(world, 4, (spLevelsDef){.fixed = true}, 0.0, (spVec3){0, 0, 0});
    Stretch(world, bar);
    spBody_Refine(world, bar.id, (spVec3){(spReal)0.4, -9, -9}, (spVec3){9, 9, 9}, 1);
    spBody_Refine(world, bar.id, (spVec3){(spReal)0.7, -9, -9}, (spVec3){9, 9, 9}, 2);
    spBody_Refine(world, bar.id, (spVec3){(spReal)0.9, -9, -9}, (spVec3){9, 9, 9}, 3);
    assert_int_equal(Run(world, 3), 0);
    const spBody* body = spGetBody(world, bar.id);
    const spLayout* layout = &spGetMulti(body)->layout;
    int cycle = 1 << (layout->listCount - 1), all = 0, most = 0, work = 0;
    assert_true(layout->listCount > 2);
    for (int list = 0; list < layout->listCount; ++list)
    {
        all += layout->listElements[list];
    }
    for (int i = 0; i < cycle; ++i)
    {
        int list = i == 0 ? 0 : 1 + __builtin_ctz((unsigned)i);
        int here = layout->listElements[0] + (list > 0 ? layout->listElements[list] : 0);
        most = spMaxInt(most, here);
        work += here;
    }
    double mean = (double)work / cycle;
    print_message("%d lists; most over mean %.2f, all together %.2f\n", layout->listCount, most / mean,
                  all / mean);
    assert_true(most < all);
    // All of them end with the step of the world
    double count = 1.0 / 60.0 / ldexp(layout->shortest, layout->listCount - 1);
    CHECK_NEAR(count, floor(count + 0.5), 1e-5 * count);
    spDestroyWorld(world);
}

// ---- what is seen ----

// Finest nodes are drawn. At rest they are in their places whatever moves; a division or a union moves them by
// less than mergeError.
static void TestUnseen(void** state)
{
    (void)state;
    spWorld* world = MakeWorld(0);
    const double merge = 4e-4;
    spLevelsDef levels = {.splitError = (spReal)1.6e-3, .mergeError = (spReal)merge, .fixed = true};
    Bar bar = AddBar(world, 3, levels, 0.02, (spVec3){0, 0, 0});
    spVec3* x = calloc((size_t)bar.nodeCount, sizeof(spVec3));
    spBody_CopyPositions(world, bar.id, x, bar.nodeCount);
    assert_int_equal(Run(world, 1), 0);
    spVec3View view = spBody_GetPositions(world, bar.id);
    double still = 0.0, jumps[2] = {0};
    for (int i = 0; i < bar.nodeCount; ++i)
    {
        still = fmax(still, fabs((double)view.data[i].x - (double)x[i].x) +
                                fabs((double)view.data[i].y - (double)x[i].y) +
                                fabs((double)view.data[i].z - (double)x[i].z));
    }
    Stretch(world, bar);
    uint32_t flags = 0;
    spBody* body = spGetBody(world, bar.id);
    for (int step = 0; step < 300; ++step)
    {
        flags |= Run(world, 1);
        spBody_CopyPositions(world, bar.id, x, bar.nodeCount);
        spMulti* m = spGetMulti(body);
        int64_t splits = m->splitCount, merges = m->mergeCount;
        body->methodDef.levels.fixed = false;
        spAdaptLevels(body);
        body->methodDef.levels.fixed = true;
        view = spBody_GetPositions(world, bar.id);
        for (int i = 0; i < bar.nodeCount; ++i)
        {
            double dx = (double)view.data[i].x - (double)x[i].x, dy = (double)view.data[i].y - (double)x[i].y,
                   dz = (double)view.data[i].z - (double)x[i].z, jump = sqrt(dx * dx + dy * dy + dz * dz);
            jumps[0] = m->mergeCount == merges && m->splitCount > splits ? fmax(jumps[0], jump) : jumps[0];
            jumps[1] = m->mergeCount > merges ? fmax(jumps[1], jump) : jumps[1];
        }
    }
    spLevelsReport report = spBody_GetLevels(world, bar.id);
    print_message("at rest off by %g m; %d divisions move nodes by %g m at most, %d unions by %g m\n", still,
                  (int)report.splitCount, jumps[0], (int)report.mergeCount, jumps[1]);
    assert_int_equal(flags, 0);
    assert_true(report.splitCount > 10 && report.mergeCount > 10);
    CHECK_LESS(still, s_isDouble ? 1e-12 : 2e-6);
    CHECK_LESS(jumps[0], merge);
    CHECK_LESS(jumps[1], merge);
    free(x);
    spDestroyWorld(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestGrab),     cmocka_unit_test(TestTool),    cmocka_unit_test(TestHostile),
        cmocka_unit_test(TestSnapshot), cmocka_unit_test(TestOutside), cmocka_unit_test(TestThreeLevels),
        cmocka_unit_test(TestSchedule), cmocka_unit_test(TestUnseen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
