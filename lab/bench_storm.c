// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// souple bench storm: random scenes over the whole range of what may be asked for: sizes from 1e-4 to 1e4 m, moduli
// from 10 to 1e11 Pa, Poisson's ratio from -0.5 to 0.4999, densities from 1e-3 to 1e5 kg/m^3, steps from 1e-5 to
// 0.1 s; every method and law, bodies that hang, fall on the ground or spin. What is measured does not depend on
// chaos: the path of the centre of mass, energies, and the extents of a body at rest. Scenes come from their number
// alone, so that a build in double precision runs the same ones: scripts/check-storm compares the two.

#include "bench.h"
#include "cli/tools.h"
#include "souple/scene.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SP_STORM_SCENES 640
#define SP_STORM_STEPS 40

typedef enum spStormSetting
{
    sp_stormHang,
    sp_stormDrop,
    sp_stormSpin,
    sp_stormSettingCount
} spStormSetting;

static const char* const s_settings[] = {"hang", "drop", "spin"};

static const spMethodType s_methods[] = {
    sp_symplecticEuler, sp_verlet, sp_rungeKutta4, sp_backwardEuler, sp_bdf2, sp_quasiStatic, sp_xpbd};

static const spTetLaw s_laws[] = {sp_tetLinear, sp_tetCorotational, sp_tetNeoHookean, sp_tetMooneyRivlin};

typedef struct spStormScene
{
    double size, young, poisson, density, dt;
    spMethodType method;
    spTetLaw law;
    spStormSetting setting;
} spStormScene;

typedef struct spStormResult
{
    uint32_t flags;     // of all steps
    bool finite;        // all that was measured
    double path[3];     // of the centre of mass, m
    double kinetic;     // at the end, J
    double elastic;     // at the end, J
    double extents[3];  // of the body at the end, m
    double energyNoise; // what rounding of positions to 24 bits is worth, J
    double mass;        // kg
} spStormResult;

static double spDraw(uint64_t* seed)
{
    *seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(*seed >> 11) / 9007199254740992.0;
}

static double spDrawPower(uint64_t* seed, double low, double high)
{
    return pow(10.0, low + (high - low) * spDraw(seed));
}

static spStormScene spGetStormScene(int index)
{
    uint64_t seed = 0x9e3779b97f4a7c15ull * (uint64_t)(index + 1);
    spDraw(&seed);
    spStormScene s = {.size = spDrawPower(&seed, -4.0, 4.0), .young = spDrawPower(&seed, 1.0, 11.0)};
    s.poisson = -0.5 + 0.9999 * spDraw(&seed);
    s.density = spDrawPower(&seed, -3.0, 5.0);
    s.dt = spDrawPower(&seed, -5.0, -1.0);
    s.method = s_methods[(int)(spDraw(&seed) * (sizeof(s_methods) / sizeof(s_methods[0])))];
    s.law = s_laws[(int)(spDraw(&seed) * (sizeof(s_laws) / sizeof(s_laws[0])))];
    s.setting = (spStormSetting)(spDraw(&seed) * sp_stormSettingCount);
    // Without inertia there is nothing that falls or spins, and small strain knows no turns
    s.setting = s.method == sp_quasiStatic ? sp_stormHang : s.setting;
    s.law = s.law == sp_tetLinear && s.setting == sp_stormSpin ? sp_tetCorotational : s.law;
    return s;
}

// A bar of 3 x 2 x 2 cells from x = 0 on: held there, above the ground, or turning about its middle
static bool spBuildStorm(const spStormScene* s, spWorld** world, spBodyId* body)
{
    spWorldDef worldDef = spDefaultWorldDef();
    worldDef.workerCount = 1;
    worldDef.gravity.y = s->setting == sp_stormSpin ? 0 : worldDef.gravity.y;
    *world = spCreateWorld(&worldDef, NULL);
    spBoxMeshDef box = spDefaultBoxMeshDef();
    box.size = (spDVec3){s->size, 0.5 * s->size, 0.5 * s->size};
    box.origin = (spDVec3){0.0, 0.01 * s->size, 0.0};
    box.cells[0] = 3;
    box.cells[1] = box.cells[2] = 2;
    spMesh* mesh = spMakeBoxMesh(&box, NULL);
    spBodyDef def = spDefaultBodyDef();
    def.mesh = mesh;
    def.density = (spReal)s->density;
    def.method.type = s->method;
    def.method.maxSubsteps = 1000; // stiff bodies that are small need millions: they say so instead
    *body = *world != NULL && mesh != NULL ? spCreateBody(*world, &def) : (spBodyId){0};
    spDestroyMesh(mesh);
    spTetDef tets = spDefaultTetDef();
    tets.law = s->law;
    tets.youngModulus = (spReal)s->young;
    tets.poissonRatio = (spReal)s->poisson;
    if (*world == NULL || SP_IS_NULL(*body) || spBody_AddTets(*world, *body, &tets) < 0)
    {
        return false;
    }
    if (s->setting == sp_stormDrop)
    {
        spColliderDef ground = spDefaultColliderDef();
        return SP_IS_NULL(spCreateCollider(*world, &ground)) == false;
    }
    spVec3View x = spBody_GetPositions(*world, *body);
    spVec3 v[64] = {0};
    // A turn of a tenth in a step, but no faster than a hundredth of the speed of sound at the ends
    double rate = fmin(0.1 / s->dt, 0.02 * sqrt(s->young / s->density) / s->size);
    for (int32_t i = 0; i < x.count && i < 64; ++i)
    {
        if (s->setting == sp_stormHang && (double)x.data[i].x < 1e-3 * s->size &&
            spBody_PinNodes(*world, *body, &i, 1) == false)
        {
            return false;
        }
        v[i] = (spVec3){(spReal)(-rate * ((double)x.data[i].y - 0.26 * s->size)),
                        (spReal)(rate * ((double)x.data[i].x - 0.5 * s->size)), 0};
    }
    return s->setting == sp_stormHang || spBody_SetVelocities(*world, *body, v, x.count);
}

static void spMeasureStorm(spWorld* world, spBodyId body, spVec3 start, spStormResult* r)
{
    spVec3 c = spBody_GetCenter(world, body);
    double d[3] = {(double)c.x - (double)start.x, (double)c.y - (double)start.y,
                   (double)c.z - (double)start.z};
    spEnergy energy = spBody_GetEnergy(world, body);
    spVec3View x = spBody_GetPositions(world, body);
    double low[3] = {DBL_MAX, DBL_MAX, DBL_MAX}, high[3] = {-DBL_MAX, -DBL_MAX, -DBL_MAX};
    for (int i = 0; i < x.count; ++i)
    {
        double p[3] = {(double)x.data[i].x, (double)x.data[i].y, (double)x.data[i].z};
        for (int k = 0; k < 3; ++k)
        {
            low[k] = fmin(low[k], p[k]);
            high[k] = fmax(high[k], p[k]);
        }
    }
    r->kinetic = energy.kinetic;
    r->elastic = energy.elastic;
    r->finite = isfinite(energy.kinetic) && isfinite(energy.elastic);
    for (int k = 0; k < 3; ++k)
    {
        r->path[k] = d[k];
        r->extents[k] = high[k] - low[k];
        r->finite = r->finite && isfinite(d[k]) && isfinite(r->extents[k]);
    }
}

static spStormResult spRunStormScene(const spStormScene* s)
{
    spStormResult r = {.finite = true};
    spWorld* world = NULL;
    spBodyId body;
    if (spBuildStorm(s, &world, &body))
    {
        spVec3 start = spBody_GetCenter(world, body);
        for (int i = 0; i < SP_STORM_STEPS; ++i)
        {
            r.flags |= spWorld_Step(world, (spReal)s->dt);
        }
        spMeasureStorm(world, body, start, &r);
    }
    else
    {
        r.flags = sp_stepBadInput; // refused with a sentence
    }
    // Strains that 24 bits of positions cannot tell, in edges of a quarter of the size, and motion of a place a step;
    // the energy of rubber is a small difference of numbers as large as E V
    double volume = 0.25 * s->size * s->size * s->size, unit = FLT_EPSILON, slow = unit * s->size / s->dt;
    bool rubber = s->law == sp_tetNeoHookean || s->law == sp_tetMooneyRivlin;
    double strain = rubber ? unit : 16.0 * unit * unit;
    r.mass = s->density * volume;
    r.energyNoise = s->young / (1.0 - 2.0 * s->poisson) * volume * strain + r.mass * slow * slow;
    spDestroyWorld(world);
    return r;
}

static json_t* spMakeStormJson(int index, const spStormScene* s, const spStormResult* r)
{
    json_t* json = json_pack("{s:i, s:s, s:s, s:s, s:f, s:f, s:f, s:f, s:f, s:i, s:b}", "scene", index,
                             "setting", s_settings[s->setting], "method", spGetMethodWord(s->method), "law",
                             spGetTetLawName(s->law), "size", s->size, "youngModulus", s->young,
                             "poissonRatio", s->poisson, "density", s->density, "dt", s->dt, "flags",
                             (int)r->flags, "finite", r->finite);
    const double numbers[] = {r->path[0],    r->path[1],    r->path[2],    r->kinetic,     r->elastic,
                              r->extents[0], r->extents[1], r->extents[2], r->energyNoise, r->mass};
    json_t* list = json_array();
    for (int k = 0; k < 10; ++k)
    {
        json_array_append_new(list, spMakeJsonNumber(numbers[k]));
    }
    json_object_set_new(json, "measured", list);
    return json;
}

void spRunStorm(spBenchRun* run, const spBenchFamily* family, int size)
{
    char name[64];
    json_t* scenes = json_array();
    int count = 0, told = 0, silent = 0;
    double start = spGetSeconds();
    spNameBenchmark(family, size, name, sizeof(name));
    for (int i = 0; i < SP_STORM_SCENES && spIsInterrupted() == false; i += size, ++count)
    {
        spStormScene scene = spGetStormScene(i);
        spStormResult result = spRunStormScene(&scene);
        told += result.flags != 0;
        silent += result.finite == false && result.flags == 0;
        json_array_append_new(scenes, spMakeStormJson(i, &scene, &result));
    }
    if (run->json == false)
    {
        printf("%s: %d scenes in %.1f s, %d said something, %d not finite without a word\n", name, count,
               spGetSeconds() - start, told, silent);
    }
    json_array_append_new(run->results, json_pack("{s:s, s:i, s:i, s:i, s:f, s:o}", "name", name, "scenes",
                                                  count, "told", told, "silent", silent, "seconds",
                                                  spGetSeconds() - start, "cases", scenes));
    run->trouble += silent > 0;
}
