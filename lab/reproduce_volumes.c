// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Courtecuisse. Nouvelles architectures paralleles pour simulations interactives medicales. 2011, chapter 4: contact by
// the volumes in which closed surfaces intersect, from layered depth images. The thesis gives neither steps nor materials,
// nor its meshes. Rows that begin with F are what the digest of it asks for; E1 to E3 are its tables. Its images are made
// by a GPU (GeForce GTX 285): ours are processor time of one thread, and two milliseconds of it are allowed for one of the
// thesis, as for two cores.

#include "reproduce_volumes.h"

#include "cli/lab_options.h"
#include "cli/tools.h"
#include "data.h"
#include "testbed/solid_body.h"
#include "volume_pile.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double s_dt = 1.0 / 60.0;

typedef struct spMethodRow
{
    const char* name;
    spMethodType type;
} spMethodRow;

static const spMethodRow s_methods[] = {
    {"backward Euler", sp_backwardEuler}, {"XPBD", sp_xpbd}, {"symplectic Euler", sp_symplecticEuler}};

static int spCountMethods(const spReproduction* r)
{
    return r->quick ? 1 : (int)(sizeof(s_methods) / sizeof(s_methods[0]));
}

static spWorld* spMakeVolumeWorld(spReproduction* r, spVec3 gravity)
{
    spWorldDef def = spDefaultWorldDef();
    def.detector = sp_detectorVolume;
    def.gravity = gravity;
    spError error = {0};
    spWorld* world = spCreateWorld(&def, &error);
    if (world == NULL)
    {
        spReportFailure(r, "volumes", &error);
    }
    return world;
}

// NULL ids end experiments: worlds without what they need are failures
static bool spHasBodies(spReproduction* r, const spWorld* world, const spBodyId* bodies, int count)
{
    bool all = true;
    for (int i = 0; i < count; ++i)
    {
        all = all && spBody_IsValid(world, bodies[i]);
    }
    if (all == false)
    {
        spError error = spWorld_GetLastError(world);
        spReportFailure(r, "volumes", &error);
    }
    return all;
}

static spBodyId spAddBlock(spWorld* world, spDVec3 origin, spDVec3 size, int cells, spMethodType type,
                           double friction)
{
    spSolidBodyDef def = spDefaultSolidBodyDef();
    def.mesh = spMakeSolidBox(origin, size, cells);
    def.method.type = type;
    def.friction = friction;
    return spAddSolidBody(world, &def);
}

// ---- organs ----

static void spReproduceOrgans(spReproduction* r)
{
    const double modulus = 3e4;
    for (int k = 0; k < spCountMethods(r); ++k)
    {
        spWorld* world = spMakeVolumeWorld(r, (spVec3){0, 0, 0});
        spBodyId organs[2] = {{0}};
        for (int i = 0; world != NULL && i < 2; ++i)
        {
            spSolidBodyDef def = spDefaultSolidBodyDef();
            def.mesh = spLoadData("liver_like.msh", NULL);
            def.youngModulus = modulus;
            def.poissonRatio = 0.35;
            def.method.type = s_methods[k].type;
            def.transform.position = (spVec3){0, i * (spReal)0.06, 0};
            organs[i] = spAddSolidBody(world, &def);
        }
        if (world != NULL && spHasBodies(r, world, organs, 2))
        {
            spThing a = spBodyThing(organs[0]), b = spBodyThing(organs[1]);
            double begin = spWorld_MeasureOverlap(world, a, b), left = begin, energy = 0.0;
            double share = begin / spBody_GetVolume(world, organs[0]);
            int steps = 0;
            for (; steps < 10 && left > 1e-3 * begin; ++steps)
            {
                spWorld_Step(world, (spReal)s_dt);
                left = spWorld_MeasureOverlap(world, a, b);
                energy =
                    fmax(energy, spGetSolidEnergy(world, organs[0]) + spGetSolidEnergy(world, organs[1]));
            }
            bool gone = left <= 1e-3 * begin;
            char quantity[96];
            snprintf(quantity, sizeof(quantity), "F9: steps to part two livers, %.2g in common, %s", share,
                     s_methods[k].name);
            spReportTarget(r, quantity, "", "10 at most", gone ? steps : INFINITY, gone && share > 0.18);
            snprintf(quantity, sizeof(quantity), "F9: most energy over modulus times volume, %s",
                     s_methods[k].name);
            spReportTarget(r, quantity, "", "0.2", energy / (modulus * begin),
                           energy < 0.2 * modulus * begin);
        }
        spDestroyWorld(world);
    }
}

// ---- a block that rests ----

// A rigid block above a soft one whose lower half is held, both without motion
static bool spPlaceBlock(spReproduction* r, spWorld* world, spBodyId bodies[2], double depth)
{
    bodies[0] =
        spAddBlock(world, (spDVec3){-0.2, -0.1, -0.2}, (spDVec3){0.4, 0.1, 0.4}, 4, sp_backwardEuler, 0.5);
    bodies[1] =
        spAddBlock(world, (spDVec3){-0.05, -depth, -0.05}, (spDVec3){0.1, 0.1, 0.1}, 4, sp_rigid, 0.5);
    return spHasBodies(r, world, bodies, 2) && spPinBeyond(world, bodies[0], (spVec3){0, -1, 0}, 0.05) > 0;
}

static void spReproduceBlock(spReproduction* r)
{
    spWorld* world = spMakeVolumeWorld(r, (spVec3){0, (spReal)-9.81, 0});
    spBodyId bodies[2];
    int steps = r->quick ? 60 : 1000, settle = 30;
    if (world != NULL && spPlaceBlock(r, world, bodies, 0.0) &&
        spWorld_SetPairCells(world, bodies[0], bodies[1], 1))
    {
        spThing block = spBodyThing(bodies[1]), ground = spBodyThing(bodies[0]);
        double most = 0.0, pull = 0.0, product = 0.0, early = 0.0, late = 0.0;
        int contacts = 0, off = 0;
        for (int i = 0; i < settle + steps; ++i)
        {
            spContact found[8];
            spWorld_Step(world, (spReal)s_dt);
            int count = spWorld_GetContacts(world, found, 8);
            double volume = spWorld_MeasureOverlap(world, block, ground);
            contacts = i >= settle ? spMaxInt(contacts, count) : 0;
            off += i >= settle && count == 0;
            early = i < settle ? fmax(early, volume) : early;
            late = i >= settle ? fmax(late, volume) : late;
            for (int k = 0; k < count && i >= settle; ++k)
            {
                const spContact* c = found + k;
                double normal =
                    (double)(c->force.x * c->normal.x + c->force.y * c->normal.y + c->force.z * c->normal.z);
                // What is left on purpose belongs to the contact
                double open = fmax((double)c->gap, 0.0);
                pull = fmax(pull, -normal);
                product = fmax(product, normal * open);
            }
            most = fmax(most, volume);
        }
        spReportTarget(r, "F11: contacts of a block with one cell", "", "1", contacts, contacts == 1);
        spReportTarget(r, "F11: most volume later over most while it came to rest", "", "1 at most",
                       late / early, late <= 1.001 * early);
        spReportTarget(r, "F11: strongest pull", "N", "0", pull, pull <= 0.0);
        spReportTarget(r, "F11: force times open gap", "N m", "1e-6", product, product <= 1e-6);
        char quantity[96];
        snprintf(quantity, sizeof(quantity), "F13: steps without contact, of %d at rest", steps);
        spReportTarget(r, quantity, "", "0", off, off == 0);
    }
    spDestroyWorld(world);
}

// What begins inside is out within five steps, but for half a pixel
static void spReproduceRest(spReproduction* r)
{
    spWorld* world = spMakeVolumeWorld(r, (spVec3){0, (spReal)-9.81, 0});
    spBodyId bodies[2];
    const double depth = 0.005, pixel = 0.1 / 64.0, rest = 0.1 * 0.1 * 0.5 * pixel;
    if (world != NULL && spPlaceBlock(r, world, bodies, depth))
    {
        spThing block = spBodyThing(bodies[1]), ground = spBodyThing(bodies[0]);
        double left = spWorld_MeasureOverlap(world, block, ground);
        int steps = 0;
        for (; steps < 60 && left > rest; ++steps)
        {
            spWorld_Step(world, (spReal)s_dt);
            left = spWorld_MeasureOverlap(world, block, ground);
        }
        spReportTarget(r, "F13: steps until 5 mm are half a pixel", "", "5 at most",
                       left <= rest ? steps : INFINITY, left <= rest && steps <= 5);
    }
    spDestroyWorld(world);
}

// ---- friction ----

// Speed that a block gains on a slope of so much of what friction holds, over what the law says, m/s^2
static double spSlide(spReproduction* r, double share, double* asked)
{
    const double mu = 0.4, g = 9.81;
    double angle = atan(mu * share), rate = NAN;
    spVec3 gravity = {(spReal)(g * sin(angle)), (spReal)(-g * cos(angle)), 0};
    *asked = share > 1.0 ? g * (sin(angle) - mu * cos(angle)) : 0.0;
    spWorld* world = spMakeVolumeWorld(r, gravity);
    spBodyId bodies[2];
    if (world != NULL)
    {
        bodies[0] =
            spAddBlock(world, (spDVec3){-0.2, -0.1, -0.2}, (spDVec3){2.0, 0.1, 0.4}, 4, sp_backwardEuler, mu);
        bodies[1] =
            spAddBlock(world, (spDVec3){-0.05, 0.0, -0.05}, (spDVec3){0.1, 0.05, 0.1}, 4, sp_rigid, mu);
    }
    if (world != NULL && spHasBodies(r, world, bodies, 2) &&
        spPinBeyond(world, bodies[0], (spVec3){0, -1, 0}, -1.0) > 0)
    {
        double speed = 0.0, mass = spGetSolidMass(world, bodies[1]);
        for (int i = 0; i < 60; ++i)
        {
            speed = i == 30 ? (double)spBody_GetMomentum(world, bodies[1]).x : speed;
            spWorld_Step(world, (spReal)s_dt);
        }
        rate = ((double)spBody_GetMomentum(world, bodies[1]).x - speed) / mass / 0.5;
    }
    spDestroyWorld(world);
    return rate;
}

static void spReproduceIncline(spReproduction* r)
{
    static const double shares[] = {0.9, 0.95, 1.05, 1.5};
    for (int k = 0; k < 4; ++k)
    {
        if (r->quick && k % 3 != 0)
        {
            continue;
        }
        double asked, rate = spSlide(r, shares[k], &asked);
        char quantity[96], target[48];
        snprintf(quantity, sizeof(quantity), "F14: acceleration on a slope of %g mu", shares[k]);
        snprintf(target, sizeof(target), asked > 0.0 ? "%.3g +- 5 %%" : "%.3g +- 0.01", asked);
        spReportTarget(r, quantity, "m/s^2", target, rate,
                       fabs(rate - asked) < (asked > 0.0 ? 0.05 * asked : 0.01));
    }
}

// A soft strip on a table that friction bends: it starts to turn about its middle. Where all of its nodes are afterwards
typedef struct spSnake
{
    spVec3* x;
    int count;
    int contacts; // most of a step
} spSnake;

// cells: 0 for contact by distance
static spSnake spRunSnake(spReproduction* r, int cells)
{
    spSnake snake = {0};
    spWorld* world = spMakeVolumeWorld(r, (spVec3){0, (spReal)-9.81, 0});
    spBodyId bodies[2];
    if (world == NULL)
    {
        return snake;
    }
    spBoxMeshDef strip = spDefaultBoxMeshDef();
    strip.origin = (spDVec3){-0.5, 0.0, -0.025};
    strip.size = (spDVec3){1.0, 0.03, 0.05};
    strip.cells[0] = r->quick ? 20 : 40;
    strip.cells[1] = 1;
    strip.cells[2] = 2;
    spSolidBodyDef def = spDefaultSolidBodyDef();
    def.mesh = spMakeBoxMesh(&strip, NULL);
    def.youngModulus = 1e5;
    def.friction = 0.3;
    def.method.type = sp_backwardEuler;
    bodies[0] =
        spAddBlock(world, (spDVec3){-0.8, -0.1, -0.8}, (spDVec3){1.6, 0.1, 1.6}, 8, sp_backwardEuler, 0.3);
    bodies[1] = spAddSolidBody(world, &def);
    bool ok = spHasBodies(r, world, bodies, 2) && spPinBeyond(world, bodies[0], (spVec3){0, -1, 0}, -1.0) > 0;
    ok = ok && (cells > 0 ? spWorld_SetPairCells(world, bodies[0], bodies[1], cells)
                          : spWorld_SetPairDetector(world, bodies[0], bodies[1], sp_detectorDistance));
    snake.count = ok ? spBody_GetNodeCount(world, bodies[1]) : 0;
    snake.x = malloc((size_t)(snake.count + 1) * sizeof(spVec3));
    int steps = 75;
    for (int i = 0; i < steps && snake.x != NULL && ok; ++i)
    {
        // At rest on the table first, then turned
        if (i == 15 && spBody_CopyPositions(world, bodies[1], snake.x, snake.count) == snake.count)
        {
            for (int n = 0; n < snake.count; ++n)
            {
                snake.x[n] = (spVec3){4 * snake.x[n].z, 0, -4 * snake.x[n].x};
            }
            spBody_SetVelocities(world, bodies[1], snake.x, snake.count);
        }
        spWorld_Step(world, (spReal)s_dt);
        int count = spWorld_GetContactCount(world);
        snake.contacts = i > 5 ? spMaxInt(snake.contacts, count) : 0;
    }
    snake.count = snake.x != NULL && ok ? spBody_CopyPositions(world, bodies[1], snake.x, snake.count) : 0;
    spDestroyWorld(world);
    return snake;
}

// Root mean square distance of nodes, m
static double spCompareSnakes(const spSnake* a, const spSnake* b)
{
    double sum = 0.0;
    for (int i = 0; i < a->count && i < b->count; ++i)
    {
        double x = (double)(a->x[i].x - b->x[i].x), y = (double)(a->x[i].y - b->x[i].y);
        double z = (double)(a->x[i].z - b->x[i].z);
        sum += x * x + y * y + z * z;
    }
    return a->count > 0 ? sqrt(sum / a->count) : NAN;
}

static void spReproduceSnake(spReproduction* r)
{
    static const int cells[] = {1, 6, 18, 41};
    spStartPart(r, "Snake (E2, F15)");
    spSnake reference = spRunSnake(r, 0);
    double last = INFINITY, across[4], contacts[4], errors[4];
    int rows = 0;
    for (int k = 0; k < 4; ++k)
    {
        if (r->quick && k != 0 && k != 2)
        {
            continue;
        }
        spSnake snake = spRunSnake(r, cells[k]);
        double error = spCompareSnakes(&snake, &reference);
        char quantity[96];
        snprintf(quantity, sizeof(quantity), "F15: distance from contact by distance, %d cells, %d contacts",
                 cells[k], snake.contacts);
        spReportRow(r, quantity, "m", k == 0 ? "" : "less than with fewer contacts", error,
                    k == 0 ? sp_notJudged : error < last);
        across[rows] = cells[k];
        contacts[rows] = snake.contacts;
        errors[rows++] = error;
        last = error;
        free(snake.x);
    }
    const spColumn columns[] = {{"cells", across}, {"contacts", contacts}, {"distance [m]", errors}};
    spSaveColumns(r, "snake.csv", columns, 3, rows);
    spReportNote(r,
                 "A strip of 1 m that turns at 4 rad/s on a table with friction 0.3, one second later; "
                 "contact by distance "
                 "has up to %d contacts.",
                 reference.contacts);
    free(reference.x);
}

// ---- indentation ----

// A heavy ball goes 10 mm into a soft block within one step. What they have in common then, over what it would be
// if the block were not there for it
static double spIndent(spReproduction* r, int cells, int* contacts)
{
    const double radius = 0.1, apart = 0.0005, way = 0.0105, deep = way - apart;
    double left = NAN;
    spWorld* world = spMakeVolumeWorld(r, (spVec3){0, 0, 0});
    spBodyId bodies[2];
    if (world == NULL)
    {
        return NAN;
    }
    spBoxMeshDef block = spDefaultBoxMeshDef();
    block.origin = (spDVec3){-0.1, -0.05, -0.1};
    block.size = (spDVec3){0.2, 0.05, 0.2};
    block.cells[0] = block.cells[2] = r->quick ? 12 : 32;
    block.cells[1] = 3;
    spSolidBodyDef soft = spDefaultSolidBodyDef(), ball = soft;
    soft.mesh = spMakeBoxMesh(&block, NULL);
    soft.method.type = sp_backwardEuler;
    ball.mesh = spMakeSolidBall((spDVec3){0.0, radius + apart, 0.0}, radius, 10);
    ball.method.type = sp_rigid;
    ball.density = 1e6;
    ball.velocity = (spVec3){0, (spReal)(-way / s_dt), 0};
    soft.friction = ball.friction = 0.0;
    bodies[0] = spAddSolidBody(world, &soft);
    bodies[1] = spAddSolidBody(world, &ball);
    if (spHasBodies(r, world, bodies, 2) && spPinBeyond(world, bodies[0], (spVec3){0, -1, 0}, 0.045) > 0 &&
        spWorld_SetPairCells(world, bodies[0], bodies[1], cells))
    {
        spWorld_Step(world, (spReal)s_dt);
        *contacts = spWorld_GetContactCount(world);
        left = spWorld_MeasureOverlap(world, spBodyThing(bodies[0]), spBodyThing(bodies[1])) /
               (3.14159265358979323846 * deep * deep * (radius - deep / 3.0));
    }
    spDestroyWorld(world);
    return left;
}

static void spReproduceIndentation(spReproduction* r)
{
    static const int cells[] = {1, 8, 16, 32};
    spStartPart(r, "Indentation (E2, F12)");
    double last = INFINITY;
    int before = 0;
    for (int k = 0; k < (r->quick ? 3 : 4); ++k)
    {
        int contacts = 0;
        double left = spIndent(r, cells[k], &contacts);
        char quantity[96];
        snprintf(quantity, sizeof(quantity), "F12: left after one step, %d cells across, %d contacts",
                 cells[k], contacts);
        spReportRow(r, quantity, "", k == 0 ? "" : "less than with fewer contacts", left,
                    k == 0 ? sp_notJudged : contacts > before && left < last);
        last = left;
        before = contacts;
    }
}

// ---- costs ----

typedef struct spCostRow
{
    const char* name;
    int objects, triangles, contacts; // published
    double detection;                 // published, ms
} spCostRow;

// Median processor time of detection and the rows of a step
static double spTimeScene(spReproduction* r, const spCostRow* row, int* rows, int* triangles)
{
    double scale = r->quick ? 0.05 : 1.0, times[3];
    int across = spMaxInt((int)lround(sqrt(scale * row->triangles / row->objects / 8.0)), 3);
    spVolumePileDef def = {.count = row->objects, .around = 4 * across, .across = across, .workerCount = 1};
    spVolumePile pile = spBuildVolumePile(&def);
    if (pile.world == NULL)
    {
        spReportFailure(r, row->name, &pile.error);
        return NAN;
    }
    spTimePileDetection(&pile);
    for (int i = 0; i < 3; ++i)
    {
        times[i] = spTimePileDetection(&pile);
    }
    *rows = (int)spWorld_GetReport(pile.world).rowCount;
    *triangles = pile.triangles;
    spDestroyWorld(pile.world);
    return fmax(fmin(times[0], times[1]), fmin(fmax(times[0], times[1]), times[2]));
}

static void spReproduceScenes(spReproduction* r)
{
    static const spCostRow rows[] = {
        {"medical", 9, 550000, 16, 22.69},    {"octopuses", 3, 46000, 110, 5.67},
        {"armadillos", 2, 692000, 16, 18.48}, {"10 toys", 10, 205000, 99, 16.61},
        {"20 toys", 20, 379000, 242, 28.79},  {"40 toys", 40, 725000, 544, 44.45},
    };
    double few = NAN, fewCount = 1.0, counts[6], found[6], times[6];
    for (int k = 0; k < (int)(sizeof(rows) / sizeof(rows[0])); ++k)
    {
        int contacts = 0, triangles = 0;
        double ms = spTimeScene(r, rows + k, &contacts, &triangles);
        char quantity[128], published[64];
        snprintf(quantity, sizeof(quantity), "%s: %d tori, %d triangles, %d contacts: detection",
                 rows[k].name, rows[k].objects, triangles, contacts);
        snprintf(published, sizeof(published), "%.4g ms, %d contacts", rows[k].detection, rows[k].contacts);
        spReportRow(r, quantity, "ms", published, ms, spInFull(r, ms <= 2.0 * rows[k].detection));
        counts[k] = triangles;
        found[k] = contacts;
        times[k] = ms;
        few = k == 3 ? ms : few;
        fewCount = k == 3 ? triangles : fewCount;
        if (k == 5)
        {
            double growth = ms / few, ratio = triangles / fewCount;
            snprintf(quantity, sizeof(quantity), "F7: detection grows, for %.2f times the triangles", ratio);
            spReportRow(r, quantity, "", "2.68", growth, spInFull(r, growth < 1.1 * ratio));
        }
    }
    const spColumn columns[] = {{"triangles", counts}, {"contacts", found}, {"detection [ms]", times}};
    spSaveColumns(r, "costs.csv", columns, 3, 6);
    spReportNote(r, "Tori that lie in each other stand for the meshes of the thesis.");
}

// A soft ball of a few thousand triangles between two rigid ones: whole steps
static void spReproduceGrasp(spReproduction* r)
{
    spWorld* world = spMakeVolumeWorld(r, (spVec3){0, (spReal)-9.81, 0});
    spBodyId bodies[3];
    if (world == NULL)
    {
        return;
    }
    for (int i = 0; i < 3; ++i)
    {
        spSolidBodyDef def = spDefaultSolidBodyDef();
        def.mesh = i == 0 ? spMakeSolidBall((spDVec3){0.0, 0.0, 0.0}, 0.1, r->quick ? 3 : 5)
                          : spMakeSolidBox((spDVec3){i == 1 ? -0.142 : 0.092, -0.05, -0.05},
                                           (spDVec3){0.05, 0.1, 0.1}, r->quick ? 6 : 18);
        def.youngModulus = 1e5;
        def.density = 300.0;
        def.method.type = i == 0 ? sp_backwardEuler : sp_rigid;
        bodies[i] = spAddSolidBody(world, &def);
    }
    if (spHasBodies(r, world, bodies, 3) && spPinBeyond(world, bodies[1], (spVec3){0, -1, 0}, -1.0) > 0 &&
        spPinBeyond(world, bodies[2], (spVec3){0, -1, 0}, -1.0) > 0)
    {
        int triangles = 0, steps = r->quick ? 5 : 60;
        for (int i = 0; i < 3; ++i)
        {
            int count;
            triangles += spBody_GetTriangles(world, bodies[i], &count) != NULL ? count : 0;
        }
        for (int i = 0; i < 10; ++i)
        {
            spWorld_Step(world, (spReal)s_dt);
        }
        double start = spGetProcessorClock();
        for (int i = 0; i < steps; ++i)
        {
            spWorld_Step(world, (spReal)s_dt);
        }
        double rate = steps / (spGetProcessorClock() - start);
        char quantity[128];
        snprintf(quantity, sizeof(quantity), "grasp: %d triangles, %d contacts: steps a second", triangles,
                 spWorld_GetContactCount(world));
        spReportRow(r, quantity, "", "54, 10 contacts", rate, spInFull(r, rate >= 54.0));
        snprintf(quantity, sizeof(quantity), "grasp: ten times that");
        spReportTarget(r, quantity, "", "540", rate, spInFull(r, rate >= 540.0));
    }
    spDestroyWorld(world);
}

// ---- parts ----

static void spReproduceContacts(spReproduction* r)
{
    spStartPart(r, "Contacts");
    spReproduceOrgans(r);
    spReproduceBlock(r);
    spReproduceRest(r);
    spReproduceIncline(r);
}

static void spReproduceQuality(spReproduction* r)
{
    spReproduceIndentation(r);
    spReproduceSnake(r);
}

static void spReproduceCosts(spReproduction* r)
{
    spStartPart(r, "Costs (E3)");
    spReproduceScenes(r);
    spReproduceGrasp(r);
}

void spReproduceVolumes(spReproduction* r)
{
    static const struct
    {
        const char* name;
        void (*run)(spReproduction* r);
    } parts[] = {
#ifdef SOUPLE_LAYERS
        {"images", spReproduceImages},     {"volumes", spReproduceSurfaceVolumes},
        {"penalty", spReproducePenalty},
#endif
        {"contacts", spReproduceContacts}, {"quality", spReproduceQuality},
        {"costs", spReproduceCosts},
    };
    for (int i = 0; i < (int)(sizeof(parts) / sizeof(parts[0])); ++i)
    {
        if (r->part == NULL || strcmp(r->part, parts[i].name) == 0)
        {
            parts[i].run(r);
        }
    }
}
