// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The penalty on intersection volumes that Courtecuisse 2011 measures first (after Faure and others 2008): E = k V^2 / 2 for
// each pair, so that nodes feel -k V dV/dx. Worlds of the library have rows in place of it; here the volumes of one image
// of all bodies, and of each with itself, become forces on nodes before every step.

#include "reproduce_volumes.h"

#include "cli/tools.h"
#include "contact/volume.h"
#include "testbed/solid_body.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SP_MOST_BODIES 20

typedef struct spPenaltyDef
{
    int resolution; // of each torus
    int count;
    bool springs;
    spMethodType type;
    double stiffness; // k, N/m^5
    double viscosity; // nu, N s/m^5
    double pixel;     // m
} spPenaltyDef;

// Bodies that know nothing of each other but these forces
typedef struct spPenaltyWorld
{
    const spPenaltyDef* def;
    spWorld* world;
    spBodyId bodies[SP_MOST_BODIES];
    spLayerSurface surfaces[SP_MOST_BODIES];
    spVec4* x[SP_MOST_BODIES];
    bool* loaded[SP_MOST_BODIES]; // nodes that have a force
    int count, triangles;
    spHeap heap;
    spArena arena;
    double energy;   // k V^2 / 2 of all pairs, J
    double volume;   // m^3
    double friction; // largest force of viscous friction on a node, N
    double detectMs; // processor time of images, volumes and forces of the last step
    double stepMs;   // of the step itself
} spPenaltyWorld;

static bool spAskSelfToo(int a, int b, const void* context)
{
    (void)a, (void)b, (void)context;
    return true;
}

static bool spOpenPenalty(spPenaltyWorld* w, const spPenaltyDef* def, spVec3 gravity)
{
    spWorldDef worldDef = spDefaultWorldDef();
    worldDef.gravity = gravity;
    worldDef.bodyContacts = false;
    *w = (spPenaltyWorld){.def = def, .world = spCreateWorld(&worldDef, NULL), .heap = spMakeHeap(NULL)};
    spInitArena(&w->arena, &w->heap);
    return w->world != NULL;
}

static void spClosePenalty(spPenaltyWorld* w)
{
    for (int i = 0; i < w->count; ++i)
    {
        free(w->x[i]);
        free(w->loaded[i]);
    }
    spFreeArena(&w->arena);
    spDestroyWorld(w->world);
}

static bool spAddPenaltyBody(spPenaltyWorld* w, spMesh* mesh, spVec3 position, spVec3 velocity)
{
    spBodyDef def = spDefaultBodyDef();
    def.mesh = mesh;
    def.density = 100;
    def.transform.position = position;
    def.velocity = velocity;
    def.method.type = w->def->type;
    spBodyId body = spCreateBody(w->world, &def);
    spTetDef tets = spDefaultTetDef();
    tets.law = sp_tetCorotational;
    tets.youngModulus = (spReal)2e5;
    tets.damping = w->def->type == sp_verlet ? 0 : (spReal)0.002;
    spSpringDef springs = spDefaultSpringDef();
    springs.youngModulus = (spReal)2e5;
    bool ok = SP_IS_NULL(body) == false && (w->def->springs ? spBody_AddSprings(w->world, body, &springs) >= 0
                                                            : spBody_AddTets(w->world, body, &tets) >= 0);
    int i = w->count, nodes = ok ? spBody_GetNodeCount(w->world, body) : 0, triangles = 0;
    const int32_t* corners = ok ? spBody_GetTriangles(w->world, body, &triangles) : NULL;
    w->bodies[i] = body;
    w->x[i] = malloc((size_t)(nodes + 1) * sizeof(spVec4));
    w->loaded[i] = calloc((size_t)nodes + 1, sizeof(bool));
    w->surfaces[i] = (spLayerSurface){w->x[i], nodes, corners, triangles};
    w->triangles += triangles;
    w->count += 1;
    return ok && corners != NULL && w->x[i] != NULL && w->loaded[i] != NULL;
}

static bool spAddPenaltyTorus(spPenaltyWorld* w, spVec3 position)
{
    spRoundMeshDef torus = spDefaultRoundMeshDef();
    torus.radius = 0.35;
    torus.tubeRadius = 0.1;
    torus.resolution = w->def->resolution;
    spMesh* mesh = spMakeTorusMesh(&torus, NULL);
    bool ok = mesh != NULL && spAddPenaltyBody(w, mesh, position, (spVec3){0, 0, 0});
    spDestroyMesh(mesh);
    return ok;
}

// What one side of a volume has of its area and motion: A_k = n . dV/dx_k, and their sum with velocities, m^3/s
static spDVec3 spSumMotion(const spPenaltyWorld* w, const spVolumes* volumes, const spVolume* v, spDVec3 n)
{
    spDVec3 sum = {0.0, 0.0, 0.0};
    for (int side = 0; side < 2; ++side)
    {
        spVec3View velocities = spBody_GetVelocities(w->world, w->bodies[v->surfaces[side]]);
        for (int k = v->first[side]; k < v->first[side] + v->count[side]; ++k)
        {
            const spVolumeNode* node = volumes->nodes + k;
            spVec3 u = velocities.data[node->node];
            sum = spDMulAdd(sum, spDDot(n, node->gradient), (spDVec3){(double)u.x, (double)u.y, (double)u.z});
        }
    }
    return sum;
}

// Force of viscous friction on a node of a volume: -nu v_rel A_k, along the volume (4.16)
static spDVec3 spGetViscousForce(const spPenaltyWorld* w, spDVec3 motion, spDVec3 n, const spVolumeNode* node)
{
    spDVec3 along = spDMulAdd(motion, -spDDot(motion, n), n);
    return spDScale(-w->def->viscosity * spDDot(n, node->gradient), along);
}

// What all have in common now, as forces on their nodes
static bool spPressApart(spPenaltyWorld* w)
{
    spBox region = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int i = 0; i < w->count; ++i)
    {
        spVec3View x = spBody_GetPositions(w->world, w->bodies[i]);
        for (int n = 0; n < x.count; ++n)
        {
            spDVec3 p = {(double)x.data[n].x, (double)x.data[n].y, (double)x.data[n].z};
            w->x[i][n] = (spVec4){x.data[n].x, x.data[n].y, x.data[n].z, 0};
            region = (spBox){spDMin(region.lower, p), spDMax(region.upper, p)};
            if (w->loaded[i][n])
            {
                spBody_SetNodeForce(w->world, w->bodies[i], n, (spVec3){0, 0, 0});
                w->loaded[i][n] = false;
            }
        }
    }
    spResetArena(&w->arena);
    spLayers layers;
    spVolumes volumes;
    spLayersDef def = {.arena = &w->arena,
                       .surfaces = w->surfaces,
                       .surfaceCount = w->count,
                       .regions = &region,
                       .regionCount = 1,
                       .pixel = w->def->pixel};
    spVolumesDef volumesDef = {.layers = &layers, .isAsked = spAskSelfToo};
    if (spMakeLayers(&def, &layers) != sp_layersMade || spFindVolumes(&volumesDef, &volumes) == false)
    {
        return false;
    }
    // Parts of a pair make one volume
    double pair[SP_MOST_BODIES][SP_MOST_BODIES] = {{0.0}};
    for (int i = 0; i < volumes.count; ++i)
    {
        const spVolume* v = volumes.volumes + i;
        pair[v->surfaces[0]][v->surfaces[1]] += v->volume;
    }
    static spVec3 s_none = {0, 0, 0};
    w->energy = w->volume = 0.0;
    for (int a = 0; a < w->count; ++a)
    {
        for (int b = a; b < w->count; ++b)
        {
            w->energy += 0.5 * w->def->stiffness * pair[a][b] * pair[a][b];
            w->volume += pair[a][b];
        }
    }
    // Nodes of a body are summed over its pairs first
    for (int body = 0; body < w->count; ++body)
    {
        int nodes = w->surfaces[body].nodeCount;
        spVec3* force = spArenaAlloc(&w->arena, (size_t)nodes * sizeof(spVec3));
        for (int n = 0; force != NULL && n < nodes; ++n)
        {
            force[n] = s_none;
        }
        for (int i = 0; force != NULL && i < volumes.count; ++i)
        {
            const spVolume* v = volumes.volumes + i;
            double pressure = w->def->stiffness * pair[v->surfaces[0]][v->surfaces[1]];
            double area = spDLength(v->gradient);
            spDVec3 n = spDScale(area > 0.0 ? -1.0 / area : 0.0, v->gradient);
            spDVec3 motion = {0.0, 0.0, 0.0};
            if (w->def->viscosity > 0.0 && (v->surfaces[0] == body || v->surfaces[1] == body))
            {
                motion = spSumMotion(w, &volumes, v, n);
            }
            for (int side = 0; side < 2; ++side)
            {
                for (int k = v->first[side]; v->surfaces[side] == body && k < v->first[side] + v->count[side];
                     ++k)
                {
                    const spVolumeNode* node = volumes.nodes + k;
                    spDVec3 friction = spGetViscousForce(w, motion, n, node);
                    spDVec3 f = spDMulAdd(friction, -pressure, node->gradient);
                    force[node->node].x += (spReal)f.x;
                    force[node->node].y += (spReal)f.y;
                    force[node->node].z += (spReal)f.z;
                    w->friction = fmax(w->friction, spDLength(friction));
                    w->loaded[body][node->node] = true;
                }
            }
        }
        for (int n = 0; force != NULL && n < nodes; ++n)
        {
            if (w->loaded[body][n])
            {
                spBody_SetNodeForce(w->world, w->bodies[body], n, force[n]);
            }
        }
    }
    return true;
}

static uint32_t spStepPenalty(spPenaltyWorld* w, double dt)
{
    double start = spGetProcessorClock();
    bool ok = spPressApart(w);
    double middle = spGetProcessorClock();
    uint32_t flags = spWorld_Step(w->world, (spReal)dt);
    w->detectMs = 1e3 * (middle - start);
    w->stepMs = 1e3 * (spGetProcessorClock() - middle);
    return ok ? flags : flags | sp_stepNonFinite;
}

static double spSumEnergy(const spPenaltyWorld* w)
{
    double sum = w->energy;
    for (int i = 0; i < w->count; ++i)
    {
        sum += spGetSolidEnergy(w->world, w->bodies[i]);
    }
    return sum;
}

// ---- experiments ----

// Two balls that meet: what they lose in motion is k V^2 / 2 and strain, and comes back
static void spReproducePenaltyEnergy(spReproduction* r)
{
    const double dt = 1.0 / 16000.0;
    spPenaltyDef def = {.type = sp_verlet, .stiffness = 2e8, .pixel = 0.002};
    spPenaltyWorld w;
    bool ok = spOpenPenalty(&w, &def, (spVec3){0, 0, 0});
    spMesh* mesh = spMakeSolidBall((spDVec3){0.0, 0.0, 0.0}, 0.1, 3);
    ok = ok && mesh != NULL && spAddPenaltyBody(&w, mesh, (spVec3){0, 0, 0}, (spVec3){(spReal)0.5, 0, 0}) &&
         spAddPenaltyBody(&w, mesh, (spVec3){(spReal)0.21, (spReal)0.03, (spReal)0.01},
                          (spVec3){(spReal)-0.5, 0, 0});
    spDestroyMesh(mesh);
    double begin = NAN, worst = 0.0, most = 0.0;
    int steps = r->quick ? 1600 : 3200;
    for (int i = 0; ok && i < steps; ++i)
    {
        // Forces, and energies, are those of the places at the start of the step
        ok = spPressApart(&w);
        double energy = spSumEnergy(&w);
        begin = i == 0 ? energy : begin;
        worst = fmax(worst, fabs(energy / begin - 1.0));
        most = fmax(most, w.energy / begin);
        ok = ok && (spWorld_Step(w.world, (spReal)dt) & sp_stepNonFinite) == 0;
    }
    spClosePenalty(&w);
    spReportTarget(r, "F10: most that the energy of two balls changes", "", "0.01", ok ? worst : NAN,
                   ok && most > 0.05 && worst < 0.01);
    spReportNote(r, "Up to %.2g of it is in the volume.", most);
}

static bool spBuildPile(spPenaltyWorld* w, const spPenaltyDef* def)
{
    spColliderDef ground = spDefaultColliderDef();
    ground.shape = sp_shapePlane;
    bool ok = spOpenPenalty(w, def, (spVec3){0, (spReal)-9.81, 0}) &&
              SP_IS_NULL(spCreateCollider(w->world, &ground)) == false;
    for (int i = 0; ok && i < def->count; ++i)
    {
        // Stacks of five, leaning, so that they fall over each other
        double column = i / 5, level = i % 5;
        ok = spAddPenaltyTorus(w, (spVec3){(spReal)(0.95 * column + 0.04 * level),
                                           (spReal)(0.12 + 0.21 * level), (spReal)(0.1 * column)});
    }
    return ok;
}

static void spReproducePenaltyPile(spReproduction* r)
{
    int steps = r->quick ? 100 : 1000;
    spPenaltyDef def = {.resolution = 1,
                        .count = r->quick ? 5 : 20,
                        .type = sp_symplecticEuler,
                        .stiffness = 1e6,
                        .pixel = 0.02};
    spPenaltyWorld w;
    bool ok = spBuildPile(&w, &def) && spPressApart(&w);
    double begin = ok ? spSumEnergy(&w) : NAN, most = begin;
    uint32_t flags = 0;
    int taken = 0;
    for (; ok && taken < steps && (flags & (sp_stepNonFinite | sp_stepUnstable)) == 0; ++taken)
    {
        flags |= spStepPenalty(&w, 1.0 / 480.0);
        most = fmax(most, spSumEnergy(&w));
    }
    bool stable = ok && taken == steps && (flags & (sp_stepNonFinite | sp_stepUnstable)) == 0;
    char quantity[96], target[32];
    snprintf(quantity, sizeof(quantity), "F10: stable steps of %d tori with %d triangles", def.count,
             w.triangles);
    snprintf(target, sizeof(target), "%d", steps);
    spReportTarget(r, quantity, "", target, stable ? steps : taken - 1, stable);
    spReportTarget(r, "F10: most energy on the way, over that at the start", "", "1.05 at most", most / begin,
                   most <= 1.05 * begin);
    spReportNote(r, "%.3g m^3 are left in each other.", w.volume);
    spClosePenalty(&w);
}

// A rigid block between two slabs, a little inside of both, without a penalty: slabs that are held brake it, slabs that go
// along do not
static double spSlideBlock(spReproduction* r, bool common, double* rate)
{
    const double side = 0.1, area = side * side, speed = 0.1, time = 0.3, asked = 5.0;
    const int steps = r->quick ? 60 : 300;
    double mass = 100.0 * side * side * side;
    spPenaltyDef def = {.type = sp_rigid, .viscosity = 0.5 * asked * mass / (area * area), .pixel = 0.002};
    spPenaltyWorld w;
    bool ok = spOpenPenalty(&w, &def, (spVec3){0, 0, 0});
    const spDVec3 origins[] = {{-0.05, -0.05, -0.05}, {-0.2, -0.098, -0.1}, {-0.2, 0.048, -0.1}};
    for (int i = 0; ok && i < 3; ++i)
    {
        spDVec3 size = i == 0 ? (spDVec3){side, side, side} : (spDVec3){0.4, 0.05, 0.2};
        spMesh* mesh = spMakeSolidBox(origins[i], size, 4);
        spVec3 velocity = {(spReal)(i == 0 || common ? speed : 0.0), 0, 0};
        ok = mesh != NULL && spAddPenaltyBody(&w, mesh, (spVec3){0, 0, 0}, velocity) &&
             (i == 0 || common || spPinBeyond(w.world, w.bodies[i], (spVec3){0, -1, 0}, -1.0) > 0);
        spDestroyMesh(mesh);
    }
    for (int i = 0; ok && i < steps; ++i)
    {
        ok = (spStepPenalty(&w, time / steps) & sp_stepNonFinite) == 0;
    }
    double left = ok ? (double)spBody_GetMomentum(w.world, w.bodies[0]).x / mass / speed : NAN;
    double force = ok ? w.friction : NAN;
    *rate = -log(left) / time / asked;
    spClosePenalty(&w);
    return force;
}

static void spReproduceViscosity(spReproduction* r)
{
    double rate, unused, held = spSlideBlock(r, false, &rate), together = spSlideBlock(r, true, &unused);
    spReportTarget(r, "F16: viscous friction: rate of decay over 2 nu A^2 / m", "", "1 +- 5 %", rate,
                   fabs(rate - 1.0) < 0.05);
    spReportTarget(r, "F16: force when all move together, over that of slabs that are held", "", "1e-6",
                   together / held, together / held < 1e-6);
}

// Table 4.1: a row of it beside ours. Collision is images, volumes and forces; deformation the step itself
typedef struct spPileRow
{
    const char* name;
    int count, triangles;
    bool springs;
    double collision, deformation; // published, on one CPU core (images on the GPU), ms
} spPileRow;

static void spReproducePileRow(spReproduction* r, const spPileRow* row)
{
    spPenaltyDef def = {.resolution = r->quick ? 1 : 4,
                        .count = row->count,
                        .springs = row->springs,
                        .type = sp_symplecticEuler,
                        .stiffness = 1e6,
                        .pixel = 0.02};
    spPenaltyWorld w;
    bool ok = spBuildPile(&w, &def);
    double ms[2] = {ok ? 0.0 : NAN, ok ? 0.0 : NAN};
    int steps = r->quick ? 2 : 5;
    for (int i = 0; ok && i < steps; ++i)
    {
        spStepPenalty(&w, 1.0 / 480.0);
        ms[0] += w.detectMs / steps;
        ms[1] += w.stepMs / steps;
    }
    char quantity[128], published[48];
    snprintf(quantity, sizeof(quantity), "%d tori, %s, %d triangles: collision", row->count, row->name,
             w.triangles);
    snprintf(published, sizeof(published), "%.2f ms, %d triangles", row->collision, row->triangles);
    spReportRow(r, quantity, "ms", published, ms[0], spInFull(r, ms[0] <= 2.0 * row->collision));
    snprintf(quantity, sizeof(quantity), "%d tori, %s: deformation", row->count, row->name);
    snprintf(published, sizeof(published), "%.2f ms", row->deformation);
    spReportRow(r, quantity, "ms", published, ms[1], sp_notJudged);
    snprintf(quantity, sizeof(quantity), "%d tori, %s: steps a second", row->count, row->name);
    double theirs = 1e3 / (row->collision + row->deformation);
    snprintf(published, sizeof(published), "%.3g", theirs);
    spReportRow(r, quantity, "", published, 1e3 / (ms[0] + ms[1]), sp_notJudged);
    spClosePenalty(&w);
}

void spReproducePenalty(spReproduction* r)
{
    static const spPileRow rows[] = {
        {"springs", 10, 56332, true, 4.80, 89.10},
        {"corotational tets", 10, 56332, false, 4.83, 270.61},
        {"springs", 20, 97292, true, 6.75, 203.14},
        {"corotational tets", 20, 97292, false, 6.81, 568.48},
    };
    spStartPart(r, "Penalty");
    spReproducePenaltyEnergy(r);
    spReproducePenaltyPile(r);
    spReproduceViscosity(r);
    spStartPart(r, "Pile of deformable tori (E1)");
    for (int i = 0; i < (int)(sizeof(rows) / sizeof(rows[0])); ++i)
    {
        spReproducePileRow(r, rows + i);
    }
    spReportNote(r, "Processor time of one thread, steps of 1/480 s by symplectic Euler; published with "
                    "images and collisions on a GPU, two of its milliseconds "
                    "are allowed for one of it. Tets fill the bodies as finely as their surfaces here; of "
                    "the thesis neither their number "
                    "nor the step is known. GPU rows of the table are left out.");
}
