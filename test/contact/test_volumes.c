// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Layered depth images against a slow ray caster, volumes against closed forms, gradients against differences.

#include "contact/volume.h"
#include "element/lane_count.h"
#include "test/memory_test.h"
#include "testbed/check.h"
#include "testbed/closed_surface.h"
#include "testbed/ray_caster.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Picture
{
    spHeap heap;
    spArena arena;
    spTeam* team;
    spLayerSurface surfaces[8];
    spBox regions[8];
    spLayersDef def;
    spLayers layers;
} Picture;

static void Open(Picture* p, const spClosedSurface* surfaces, int count, double pixel)
{
    *p = (Picture){.heap = spMakeHeap(NULL)};
    spInitArena(&p->arena, &p->heap);
    p->regions[0] = spGetClosedSurfaceBox(surfaces);
    for (int i = 0; i < count; ++i)
    {
        spBox box = spGetClosedSurfaceBox(surfaces + i);
        p->surfaces[i] = spGetLayerSurfaceOf(surfaces + i);
        p->regions[0] =
            (spBox){spDMin(p->regions[0].lower, box.lower), spDMax(p->regions[0].upper, box.upper)};
    }
    p->def = (spLayersDef){.arena = &p->arena,
                           .surfaces = p->surfaces,
                           .surfaceCount = count,
                           .regions = p->regions,
                           .regionCount = 1,
                           .pixel = pixel};
}

static void Close(Picture* p)
{
    spFreeArena(&p->arena);
    spDestroyTeam(&p->heap, p->team);
    assert_int_equal(p->heap.byteCount, 0);
}

static spVolumes Measure(Picture* p, int cellBlocks)
{
    spVolumes volumes;
    spVolumesDef def = {.layers = &p->layers, .cellBlocks = cellBlocks};
    assert_int_equal(spMakeLayers(&p->def, &p->layers), sp_layersMade);
    assert_true(spFindVolumes(&def, &volumes));
    return volumes;
}

static double SumVolumes(const spVolumes* v)
{
    double sum = 0.0;
    for (int i = 0; i < v->count; ++i)
    {
        sum += v->volumes[i].volume;
    }
    return sum;
}

static spClosedSurface MakeShape(int kind, uint64_t* seed)
{
    spDVec3 axis = {spRandomRange(seed, -1.0, 1.0), spRandomRange(seed, -1.0, 1.0), 0.3};
    spDVec3 shift = {spRandomRange(seed, -0.4, 0.4), spRandomRange(seed, -0.4, 0.4),
                     spRandomRange(seed, -0.4, 0.4)};
    spDVec3 zero = {0.0, 0.0, 0.0};
    spClosedSurface s = kind == 0   ? spMakeSphereSurface(zero, 0.6, 3)
                        : kind == 1 ? spMakeTorusSurface(zero, 0.6, 0.2, 30, 14)
                                    : spMakeBoxSurface((spDVec3){-0.5, -0.5, -0.5}, (spDVec3){0.5, 0.5, 0.5});
    spPoseClosedSurface(&s, axis, spRandomRange(seed, 0.0, 6.0), shift);
    return s;
}

// ---- layers ----

// All layers of all pixels are those of the rays, and each surface is left as often as it is entered
static void CheckRays(const Picture* p)
{
    uint64_t rays[256];
    int wrong = 0, open = 0;
    for (int axis = 0; axis < 3; ++axis)
    {
        const spLayerImage* image = p->layers.images + axis;
        for (int i = 0; i < image->activeCount * SP_TILE_PIXELS; ++i)
        {
            int count = spCastRay(&p->layers, axis, i / SP_TILE_PIXELS, i % SP_TILE_PIXELS, rays, 256);
            int first = image->first[i], sum = 0;
            bool same = count == image->first[i + 1] - first &&
                        memcmp(rays, image->layers + first, (size_t)count * sizeof(uint64_t)) == 0;
            wrong += same == false;
            for (int k = first; k < image->first[i + 1]; ++k)
            {
                sum += spDoesLayerEnter(image->layers[k]) ? 1 : -1;
            }
            open += sum != 0;
        }
    }
    assert_int_equal(wrong, 0);
    assert_int_equal(open, 0);
}

static void TestRays(void** state)
{
    (void)state;
    uint64_t seed = 19;
    for (int round = 0; round < 6; ++round)
    {
        spClosedSurface shapes[2] = {MakeShape(round % 3, &seed), MakeShape((round + 1) % 3, &seed)};
        Picture p;
        Open(&p, shapes, 2, 0.05);
        assert_int_equal(spMakeLayers(&p.def, &p.layers), sp_layersMade);
        CheckRays(&p);
        Close(&p);
        spFreeClosedSurface(shapes);
        spFreeClosedSurface(shapes + 1);
    }
}

// Corners, edges and faces exactly on the centres of pixels
static void TestRaysOnEdges(void** state)
{
    (void)state;
    double half = 1.0 / 32.0;
    spClosedSurface box =
        spMakeBoxSurface((spDVec3){half, half, half}, (spDVec3){1.0 + half, 1.0 + half, 1.0 + half});
    Picture p;
    Open(&p, &box, 1, 1.0 / 16.0);
    assert_int_equal(spMakeLayers(&p.def, &p.layers), sp_layersMade);
    CheckRays(&p);
    for (int axis = 0; axis < 3; ++axis)
    {
        const spLayerImage* image = p.layers.images + axis;
        assert_int_equal(image->first[image->activeCount * SP_TILE_PIXELS], 2 * 16 * 16);
    }
    Close(&p);
    spFreeClosedSurface(&box);
}

static void TestTiles(void** state)
{
    (void)state;
    enum
    {
        n = 100000
    };
    uint64_t seed = 5;
    spClosedSurface s = {.x = calloc(3 * n, sizeof(spVec4)), .triangles = calloc(3 * n, sizeof(int32_t))};
    s.nodeCount = 3 * n;
    s.triangleCount = n;
    for (int i = 0; i < 3 * n; ++i)
    {
        double size = i / 3 % 10 == 0 ? 0.5 : 0.03;
        uint64_t place = 77 + (uint64_t)(i / 3);
        s.x[i] = (spVec4){(spReal)(spRandomRange(&place, 0.0, 1.0) + spRandomRange(&seed, -size, size)),
                          (spReal)(spRandomRange(&place, 0.0, 1.0) + spRandomRange(&seed, -size, size)),
                          (spReal)(spRandomRange(&place, 0.0, 1.0) + spRandomRange(&seed, -size, size)), 0};
        s.triangles[i] = i;
    }
    Picture p;
    Open(&p, &s, 1, 1.0 / 96.0);
    p.regions[0] = (spBox){{0.0, 0.0, 0.0}, {0.99, 0.99, 0.99}};
    assert_int_equal(spMakeLayers(&p.def, &p.layers), sp_layersMade);
    int wrong = 0, listed = 0, behindCount = 0;
    for (int axis = 0; axis < 3; ++axis)
    {
        const spLayerImage* image = p.layers.images + axis;
        int next[512];
        assert_true(image->activeCount <= 512);
        memcpy(next, image->tileFirst, (size_t)image->activeCount * sizeof(int));
        for (int i = 0; i < n; ++i)
        {
            int32_t nodes[3], far = p.layers.blocks[axis] * SP_TILE_SIZE * SP_SUBPIXELS;
            spGetLayerNodes(&p.layers, 0, i, nodes);
            bool behind = true;
            for (int k = 0; k < 3; ++k)
            {
                behind = behind && image->corners[nodes[k]].at[axis] > far;
            }
            behindCount += behind;
            for (int tile = 0; tile < image->activeCount; ++tile)
            {
                bool has = next[tile] < image->tileFirst[tile + 1] && image->tileTriangles[next[tile]] == i;
                next[tile] += has;
                listed += has;
                bool meets = behind == false && spDoesTriangleMeetTile(image, nodes, tile);
                bool hit = false;
                for (int k = 0; meets && has == false && k < SP_TILE_PIXELS; ++k)
                {
                    int32_t u, v;
                    spGetPixelCentre(image, tile, k, &u, &v);
                    hit = hit || spDoesRayHit(image, nodes, u, v);
                }
                // Those that meet it in less than the width of a pixel need not be there
                wrong += (has && meets == false) || hit;
            }
        }
        for (int tile = 0; tile < image->activeCount; ++tile)
        {
            wrong += next[tile] != image->tileFirst[tile + 1];
        }
    }
    assert_int_equal(wrong, 0);
    assert_true(listed > n && behindCount > 0);
    Close(&p);
    spFreeClosedSurface(&s);
}

// A window that ends within two balls: what lies behind it is not drawn, and what they have in common in it is the same
static void TestBehind(void** state)
{
    (void)state;
    spClosedSurface s[2] = {spMakeSphereSurface((spDVec3){0.0, 0.0, 0.0}, 1.0, 3),
                            spMakeSphereSurface((spDVec3){1.5, 0.0, 0.0}, 1.0, 3)};
    Picture whole, common;
    Open(&whole, s, 2, 0.05);
    Open(&common, s, 2, 0.05);
    common.regions[0] = (spBox){{0.5, -1.0, -1.0}, {1.0, 1.0, 1.0}};
    spVolumes a = Measure(&whole, 0), b = Measure(&common, 0);
    assert_int_equal(a.spanCount, b.spanCount);
    CHECK_NEAR(SumVolumes(&a), SumVolumes(&b), 1e-6 * SumVolumes(&a));
    // The far half of one of them is a quarter of what the rays along x cross
    CHECK_LESS(common.layers.images[0].pairCount, 0.8 * whole.layers.images[0].pairCount);
    Close(&whole);
    Close(&common);
    spFreeClosedSurface(s);
    spFreeClosedSurface(s + 1);
}

static void TestThreads(void** state)
{
    (void)state;
    uint64_t seed = 3;
    spClosedSurface shapes[2] = {MakeShape(0, &seed), MakeShape(1, &seed)};
    // With the lanes of the processor, then of each level
    Picture pictures[6];
    spVolumes volumes[6];
    static const int workers[6] = {1, 2, 4, 2, 1, 2}, lanes[6] = {0, 0, 0, 1, 8, 16};
    for (int k = 0; k < 6; ++k)
    {
        Picture* p = pictures + k;
        Open(p, shapes, 2, 0.02);
        p->def.laneCount = spMinInt(lanes[k], spGetBestLaneCount());
        spTeamDef team = {.workerCount = workers[k]};
        p->team = spCreateTeam(&p->heap, &team, NULL);
        assert_non_null(p->team);
        p->def.team = p->team;
        spBeginTeam(p->team);
        volumes[k] = Measure(p, 2);
        spEndTeam(p->team);
        assert_true(volumes[k].count > 4);
        assert_int_equal(volumes[k].count, volumes[0].count);
        assert_int_equal(volumes[k].nodeCount, volumes[0].nodeCount);
        for (int axis = 0; axis < 3; ++axis)
        {
            const spLayerImage *a = p->layers.images + axis, *b = pictures[0].layers.images + axis;
            size_t pixels = (size_t)b->activeCount * SP_TILE_PIXELS;
            assert_int_equal(a->pairCount, b->pairCount);
            assert_memory_equal(a->first, b->first, (pixels + 1) * sizeof(int32_t));
            assert_memory_equal(a->layers, b->layers, (size_t)b->first[pixels] * sizeof(uint64_t));
            assert_memory_equal(a->tileMasks, b->tileMasks, (size_t)b->pairCount * sizeof(uint64_t));
        }
        for (int i = 0; i < volumes[0].count; ++i)
        {
            const spVolume *a = volumes[k].volumes + i, *b = volumes[0].volumes + i;
            assert_memory_equal(a->cell, b->cell, sizeof(a->cell));
            assert_int_equal(a->part, b->part);
            assert_memory_equal(&a->volume, &b->volume, sizeof(double));
            assert_memory_equal(a->areas, b->areas, sizeof(a->areas));
            assert_memory_equal(&a->gradient, &b->gradient, sizeof(spDVec3));
            assert_memory_equal(&a->box, &b->box, sizeof(spBox));
        }
        for (int i = 0; i < volumes[0].nodeCount; ++i)
        {
            assert_int_equal(volumes[k].nodes[i].node, volumes[0].nodes[i].node);
            assert_memory_equal(&volumes[k].nodes[i].gradient, &volumes[0].nodes[i].gradient,
                                sizeof(spDVec3));
        }
    }
    for (int k = 0; k < 6; ++k)
    {
        Close(pictures + k);
    }
    spFreeClosedSurface(shapes);
    spFreeClosedSurface(shapes + 1);
}

// ---- volumes ----

static double MeasureSpheres(double distance, double pixel, double* gradient, double* sum)
{
    spDVec3 axis = {1.0, 0.7, 0.4};
    spDVec3 shift = spDScale(distance / spDLength(axis), axis);
    spClosedSurface s[2] = {spMakeSphereSurface((spDVec3){0.0, 0.0, 0.0}, 1.0, 4),
                            spMakeSphereSurface(shift, 1.0, 4)};
    assert_int_equal(s[0].triangleCount, 5120);
    Picture p;
    Open(&p, s, 2, pixel);
    spVolumes v = Measure(&p, 0);
    assert_int_equal(v.count, 1);
    spDVec3 all = {0.0, 0.0, 0.0}, second = {0.0, 0.0, 0.0};
    for (int i = 0; i < v.nodeCount; ++i)
    {
        all = spDAdd(all, v.nodes[i].gradient);
        second = i >= v.volumes[0].first[1] ? spDAdd(second, v.nodes[i].gradient) : second;
    }
    CHECK_NEAR(spDLength(spDAdd(second, v.volumes[0].gradient)), 0.0, 1e-12);
    *gradient = spDDot(second, spDScale(1.0 / distance, shift));
    *sum = spDLength(all);
    double volume = v.volumes[0].volume;
    Close(&p);
    spFreeClosedSurface(s);
    spFreeClosedSurface(s + 1);
    return volume;
}

// C2-F5, C2-F6. The numbers of the seed are for balls; with 5120 triangles each they are a little smaller.
static void TestSpheres(void** state)
{
    (void)state;
    double gradient, sum, exact = spGetLensVolume(1.0, 1.5);
    CHECK_NEAR(exact, 0.35997, 1e-5);
    double coarse = MeasureSpheres(1.5, 0.05, &gradient, &sum);
    CHECK_NEAR(coarse, exact, 0.01 * exact);
    CHECK_NEAR(gradient, -1.3744, 0.01 * 1.3744);
    CHECK_NEAR(sum, 0.0, 1e-12);
    // What is left with fine pixels is what the triangles cut off
    double fine = MeasureSpheres(1.5, 0.0125, &gradient, &sum);
    double finest = MeasureSpheres(1.5, 0.00625, &gradient, &sum);
    CHECK_LESS(fabs(fine - finest), 2e-4 * exact);
    CHECK_NEAR(finest, exact, 0.007 * exact);
    double unused, before = MeasureSpheres(1.49, 0.00625, &unused, &sum);
    double after = MeasureSpheres(1.51, 0.00625, &unused, &sum);
    CHECK_NEAR(gradient, (after - before) / 0.02, 0.01 * 1.3744);
}

static void TestBoxes(void** state)
{
    (void)state;
    spClosedSurface s[2] = {spMakeBoxSurface((spDVec3){0.0, 0.0, 0.0}, (spDVec3){1.0, 1.0, 1.0}),
                            spMakeBoxSurface((spDVec3){0.5, 0.25, 0.75}, (spDVec3){2.0, 2.0, 2.0})};
    Picture p;
    Open(&p, s, 2, 1.0 / 32.0);
    spVolumes v = Measure(&p, 0);
    assert_int_equal(v.count, 1);
    CHECK_NEAR(v.volumes[0].volume, 0.5 * 0.75 * 0.25, 1e-7);
    CHECK_NEAR(v.volumes[0].gradient.x, 0.75 * 0.25, 1e-7);
    CHECK_NEAR(v.volumes[0].gradient.y, 0.5 * 0.25, 1e-7);
    CHECK_NEAR(v.volumes[0].gradient.z, 0.5 * 0.75, 1e-7);
    Close(&p);
    // A flat contact that two axes do not see
    spPoseClosedSurface(s + 1, (spDVec3){0.0, 0.0, 1.0}, 0.0, (spDVec3){0.0, 0.0, 0.249});
    Open(&p, s, 2, 1.0 / 32.0);
    v = Measure(&p, 0);
    CHECK_NEAR(SumVolumes(&v), 0.5 * 0.75 * 0.001, 1e-6);
    Close(&p);
    spFreeClosedSurface(s);
    spFreeClosedSurface(s + 1);
}

// The depth of what is seen along an axis is linear in the corners: differences of it are the gradient
static void TestGradient(void** state)
{
    (void)state;
    uint64_t seed = 8;
    spClosedSurface s[2] = {MakeShape(0, &seed), MakeShape(1, &seed)};
    Picture p;
    Open(&p, s, 2, 0.03);
    spVolumes v = Measure(&p, 0);
    assert_int_equal(v.count, 1);
    int checked = 0;
    for (int i = 0; i < v.nodeCount; i += 7)
    {
        spVolumeNode n = v.nodes[i];
        int side = i >= v.volumes[0].first[1];
        spReal h = (spReal)1e-4;
        for (int axis = 0; axis < 3; ++axis)
        {
            double seen[2];
            for (int k = 0; k < 2; ++k)
            {
                spVec4* x = s[side].x + n.node;
                spVec4 before = *x;
                spReal* at = axis == 0 ? &x->x : axis == 1 ? &x->y : &x->z;
                *at += k == 0 ? -h : h;
                Picture moved;
                Open(&moved, s, 2, 0.03);
                moved.regions[0] = p.regions[0];
                spVolumes w = Measure(&moved, 0);
                seen[k] = 0.0;
                for (int j = 0; j < w.count; ++j)
                {
                    seen[k] += w.volumes[j].seen[axis];
                }
                *x = before;
                Close(&moved);
            }
            double slope = (seen[1] - seen[0]) / (2.0 * (double)h);
            double gradient = spGetComponent(n.gradient, axis);
            CHECK_NEAR(slope, gradient, 0.01 * spDLength(n.gradient) + 2e-5);
            checked += 1;
        }
    }
    assert_true(checked > 30);
    Close(&p);
    spFreeClosedSurface(s);
    spFreeClosedSurface(s + 1);
}

// C2-F12: sums over cells of any size are those of the whole
static void TestCells(void** state)
{
    (void)state;
    uint64_t seed = 12;
    spClosedSurface s[2] = {MakeShape(0, &seed), MakeShape(2, &seed)};
    Picture p;
    Open(&p, s, 2, 1.0 / 128.0);
    spVolumes whole = Measure(&p, 0);
    int last = 1;
    for (int blocks = 16; blocks >= 1; blocks /= 2)
    {
        spVolumesDef def = {.layers = &p.layers, .cellBlocks = blocks};
        spVolumes cells;
        assert_true(spFindVolumes(&def, &cells));
        assert_true(cells.count > last);
        last = cells.count;
        spDVec3 gradient = {0.0, 0.0, 0.0}, all = {0.0, 0.0, 0.0};
        double seen[3] = {0.0, 0.0, 0.0};
        for (int i = 0; i < cells.count; ++i)
        {
            const spVolume* v = cells.volumes + i;
            spDVec3 sum = {0.0, 0.0, 0.0};
            for (int k = v->first[0]; k < v->first[0] + v->count[0] + v->count[1]; ++k)
            {
                sum = spDAdd(sum, cells.nodes[k].gradient);
            }
            CHECK_NEAR(spDLength(sum), 0.0, 1e-13);
            gradient = spDAdd(gradient, v->gradient);
            all = spDAdd(all, sum);
            for (int axis = 0; axis < 3; ++axis)
            {
                seen[axis] += v->seen[axis];
            }
        }
        CHECK_NEAR(spDDistance(gradient, whole.volumes[0].gradient), 0.0, 1e-12);
        for (int axis = 0; axis < 3; ++axis)
        {
            CHECK_NEAR(seen[axis], whole.volumes[0].seen[axis], 1e-12);
        }
    }
    Close(&p);
    spFreeClosedSurface(s);
    spFreeClosedSurface(s + 1);
}

// What is not connected is apart, in one cell
static void TestParts(void** state)
{
    (void)state;
    spClosedSurface s[3] = {spMakeTorusSurface((spDVec3){0.0, 0.0, 0.0}, 1.0, 0.25, 60, 24),
                            spMakeBoxSurface((spDVec3){-0.1, -2.0, -0.1}, (spDVec3){0.1, 2.0, 0.1}),
                            spMakeBoxSurface((spDVec3){-2.0, -0.1, -0.1}, (spDVec3){2.0, 0.1, 0.1})};
    Picture p;
    Open(&p, s, 2, 0.02);
    spVolumes v = Measure(&p, 0);
    assert_int_equal(v.count, 2);
    assert_int_equal(v.volumes[1].part, 1);
    CHECK_NEAR(v.volumes[0].volume, v.volumes[1].volume, 1e-3 * v.volumes[0].volume);
    double two = SumVolumes(&v);
    Close(&p);
    // Three in one image: the torus with each of them, and they with each other
    Open(&p, s, 3, 0.02);
    v = Measure(&p, 0);
    assert_int_equal(v.count, 5);
    CHECK_NEAR(v.volumes[0].volume + v.volumes[1].volume, two, 1e-6);
    assert_int_equal(v.volumes[2].surfaces[1], 2);
    CHECK_NEAR(v.volumes[4].volume, 0.2 * 0.2 * 0.2, 1e-6);
    Close(&p);
    for (int i = 0; i < 3; ++i)
    {
        spFreeClosedSurface(s + i);
    }
}

static bool AskAll(int a, int b, const void* context)
{
    (void)a, (void)b, (void)context;
    return true;
}

// C2-F8: where the winding exceeds 1, a surface intersects itself
static void TestSelf(void** state)
{
    (void)state;
    spClosedSurface s[2] = {spMakeSphereSurface((spDVec3){0.0, 0.0, 0.0}, 1.0, 3),
                            spMakeSphereSurface((spDVec3){1.5, 0.2, 0.1}, 1.0, 3)};
    spClosedSurface both = spJoinClosedSurfaces(s, s + 1);
    Picture pair, self;
    Open(&pair, s, 2, 0.04);
    spVolumes two = Measure(&pair, 0);
    Open(&self, &both, 1, 0.04);
    assert_int_equal(spMakeLayers(&self.def, &self.layers), sp_layersMade);
    spVolumesDef def = {.layers = &self.layers, .isAsked = AskAll};
    spVolumes one;
    assert_true(spFindVolumes(&def, &one));
    assert_int_equal(one.count, 1);
    assert_int_equal(one.volumes[0].surfaces[1], 0);
    CHECK_NEAR(one.volumes[0].volume, two.volumes[0].volume, 1e-12);
    // The sides are those of the two balls, in one order or the other
    double apart = fmin(spDDistance(one.volumes[0].gradient, two.volumes[0].gradient),
                        spDLength(spDAdd(one.volumes[0].gradient, two.volumes[0].gradient)));
    CHECK_NEAR(apart, 0.0, 0.02 * spDLength(two.volumes[0].gradient));
    Close(&pair);
    Close(&self);
    // What is not folded does not intersect itself
    Open(&self, s, 1, 0.04);
    assert_int_equal(spMakeLayers(&self.def, &self.layers), sp_layersMade);
    assert_true(spFindVolumes(&def, &one));
    assert_int_equal(one.count, 0);
    Close(&self);
    spFreeClosedSurface(&both);
    spFreeClosedSurface(s);
    spFreeClosedSurface(s + 1);
}

// ---- hostile ----

// C2-F4: a million layers behind one pixel
static void TestManyLayers(void** state)
{
    (void)state;
    enum
    {
        n = 500000
    };
    spClosedSurface s = {.x = calloc(3 * n, sizeof(spVec4)), .triangles = calloc(6 * n, sizeof(int32_t))};
    s.nodeCount = 3 * n;
    s.triangleCount = 2 * n;
    uint64_t seed = 1;
    for (int i = 0; i < n; ++i)
    {
        spReal z = (spReal)spRandomRange(&seed, 0.0, 1.0);
        s.x[3 * i] = (spVec4){(spReal)0.4, (spReal)0.4, z, 0};
        s.x[3 * i + 1] = (spVec4){(spReal)0.6, (spReal)0.4, z, 0};
        s.x[3 * i + 2] = (spVec4){(spReal)0.5, (spReal)0.7, z, 0};
        int32_t t[6] = {3 * i, 3 * i + 1, 3 * i + 2, 3 * i, 3 * i + 2, 3 * i + 1};
        memcpy(s.triangles + 6 * i, t, sizeof(t));
    }
    Picture p;
    Open(&p, &s, 1, 1.0);
    p.regions[0] = (spBox){{0.0, 0.0, 0.0}, {0.9, 0.9, 0.9}};
    assert_int_equal(spMakeLayers(&p.def, &p.layers), sp_layersMade);
    const spLayerImage* image = p.layers.images + 2;
    assert_int_equal(image->first[1] - image->first[0], 2 * n);
    for (int i = 1; i < 2 * n; ++i)
    {
        assert_true(image->layers[i - 1] < image->layers[i]);
    }
    Close(&p);
    spFreeClosedSurface(&s);
}

static void TestHostile(void** state)
{
    (void)state;
    spClosedSurface s[2] = {spMakeSphereSurface((spDVec3){0.0, 0.0, 0.0}, 1.0, 2),
                            spMakeSphereSurface((spDVec3){1.0, 0.0, 0.0}, 1.0, 2)};
    Picture p;
    // Far away
    spDVec3 away = {1e6, -1e6, 1e6};
    spPoseClosedSurface(s, away, 0.0, away);
    spPoseClosedSurface(s + 1, away, 0.0, away);
    Open(&p, s, 2, 0.05);
    spVolumes v = Measure(&p, 4);
    double exact = spGetLensVolume(1.0, 1.0);
    CHECK_NEAR(SumVolumes(&v), exact, 0.12 * exact);
    Close(&p);
    spPoseClosedSurface(s, away, 0.0, spDScale(-1.0, away));
    spPoseClosedSurface(s + 1, away, 0.0, spDScale(-1.0, away));
    // Everything behind one pixel, and pixels that are too small for a window
    Open(&p, s, 2, 100.0);
    v = Measure(&p, 0);
    assert_true(v.count <= 1);
    Close(&p);
    Open(&p, s, 2, 1e-9);
    p.regions[0] = (spBox){{0.5, 0.0, 0.0}, {0.5 + 1e-7, 1e-7, 1e-7}};
    v = Measure(&p, 0);
    assert_true(p.layers.pixel >= 1e-9 && p.layers.blocks[0] <= SP_MOST_BLOCKS);
    Close(&p);
    // Corners far outside of the window stay closed
    s[1].x[0].x = (spReal)1e9;
    Open(&p, s, 2, 0.05);
    p.regions[0] = (spBox){{-1.0, -1.0, -1.0}, {2.0, 1.0, 1.0}};
    assert_int_equal(spMakeLayers(&p.def, &p.layers), sp_layersMade);
    CheckRays(&p);
    Close(&p);
    // Triangles without area
    s[1].x[0] = s[1].x[1];
    s[1].x[2] = s[1].x[1];
    Open(&p, s, 2, 0.05);
    assert_int_equal(spMakeLayers(&p.def, &p.layers), sp_layersMade);
    CheckRays(&p);
    Close(&p);
    // No numbers
    static const double bad[3] = {NAN, INFINITY, -INFINITY};
    for (int k = 0; k < 3; ++k)
    {
        s[1].x[3].y = (spReal)bad[k];
        Open(&p, s, 2, 0.05);
        p.regions[0] = (spBox){{-1.0, -1.0, -1.0}, {1.0, 1.0, 1.0}};
        assert_int_equal(spMakeLayers(&p.def, &p.layers), sp_layersNotFinite);
        p.regions[0].lower.x = bad[k];
        assert_int_equal(spMakeLayers(&p.def, &p.layers), sp_layersNotFinite);
        Close(&p);
    }
    // Open surfaces: winding that does not come back to 0 is no intersection that never ends
    s[1].x[3] = s[1].x[1];
    s[1].triangleCount /= 2;
    Open(&p, s, 2, 0.05);
    v = Measure(&p, 0);
    assert_true(isfinite(SumVolumes(&v)));
    Close(&p);
    spFreeClosedSurface(s);
    spFreeClosedSurface(s + 1);
}

static void TestMemory(void** state)
{
    (void)state;
    uint64_t seed = 3;
    spClosedSurface shapes[2] = {MakeShape(0, &seed), MakeShape(1, &seed)};
    for (int failAt = 0;; ++failAt)
    {
        FailingAllocator failing = {.failAt = failAt, .failAfter = true};
        spAllocator allocator = MakeFailingAllocator(&failing);
        Picture p;
        Open(&p, shapes, 2, 0.02);
        p.heap = spMakeHeap(&allocator);
        spVolumes v;
        spVolumesDef def = {.layers = &p.layers, .cellBlocks = 1};
        spLayersResult result = spMakeLayers(&p.def, &p.layers);
        bool found = result == sp_layersMade && spFindVolumes(&def, &v);
        assert_true(result == sp_layersMade || result == sp_layersOutOfMemory);
        Close(&p);
        assert_int_equal(failing.out, 0);
        if (failing.count <= failAt)
        {
            assert_true(found && v.count > 0);
            break;
        }
        assert_false(found);
    }
    spFreeClosedSurface(shapes);
    spFreeClosedSurface(shapes + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestRays),     cmocka_unit_test(TestRaysOnEdges), cmocka_unit_test(TestTiles),
        cmocka_unit_test(TestThreads),  cmocka_unit_test(TestSpheres),     cmocka_unit_test(TestBoxes),
        cmocka_unit_test(TestGradient), cmocka_unit_test(TestCells),       cmocka_unit_test(TestParts),
        cmocka_unit_test(TestSelf),     cmocka_unit_test(TestManyLayers),  cmocka_unit_test(TestHostile),
        cmocka_unit_test(TestMemory),   cmocka_unit_test(TestBehind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
