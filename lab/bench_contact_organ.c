// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// souple bench contact-organ: what contact costs a step of an irregular mesh, against the same mesh hanging, with the
// same method and tolerance; how many tets end inside out; whether methods agree where it rests.

#include "bench_contact_scenes.h"
#include "cli/tools.h"
#include "data.h"
#include "measured.h"
#include "testbed/solid_body.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char* const s_meshes[] = {"liver_like.msh", "bunny_tet.msh", "raptor_like.msh",
                                       "armadillo_4k.node"};
static const char* const s_methods[] = {"backwardEuler",   "bdf2",  "imex", "xpbd", "xpbdSweeps",
                                        "symplecticEuler", "verlet"};

#define SP_ORGAN_METHODS ((int)(sizeof(s_methods) / sizeof(s_methods[0])))

static const double s_size = 0.25; // of the longest side, m

typedef enum spOrganScene
{
    sp_organHangs,
    sp_organStands,
    sp_organSqueezed,
    sp_organSceneCount
} spOrganScene;

static const char* const s_scenes[] = {"hanging", "standing", "squeezed"};

typedef struct spOrgan
{
    spWorld* world;
    spBodyId body;
    spColliderId plate; // above, of the squeezed one
    double height;      // of the mesh, m
} spOrgan;

// Scaled to s_size, its lowest vertex at y = 0. NULL with the reason in the error.
static spMesh* spLoadOrgan(const spBenchRun* run, int number, double* height, spError* error)
{
    spMesh* mesh =
        run->mesh != NULL ? spLoadMesh(run->mesh, NULL, error) : spLoadData(s_meshes[number - 1], error);
    // What comes from outside may have vertices that no tet uses
    spRepairDef repair = spDefaultRepairDef();
    spRepairReport report;
    if (mesh == NULL || (run->mesh != NULL && spMesh_Repair(mesh, &repair, &report, error) == false))
    {
        spDestroyMesh(mesh);
        return NULL;
    }
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int i = 0; i < spMesh_GetVertexCount(mesh); ++i)
    {
        const double* p = &spMesh_GetVertices(mesh)[i].x;
        for (int k = 0; k < 3; ++k)
        {
            low[k] = fmin(low[k], p[k]);
            high[k] = fmax(high[k], p[k]);
        }
    }
    double scale = s_size / fmax(high[0] - low[0], fmax(high[1] - low[1], high[2] - low[2]));
    *height = scale * (high[1] - low[1]);
    spTransform down = {{0, (spReal)(-scale * low[1]), 0}, {0, 0, 0, 1}};
    if (spMesh_Transform(mesh, (spDVec3){scale, scale, scale}, down, error) == false)
    {
        spDestroyMesh(mesh);
        return NULL;
    }
    return mesh;
}

static bool spBuildOrgan(spOrgan* organ, const spBenchRun* run, const spBenchFamily* family, int number,
                         const spNamedMethod* method, spOrganScene scene, spError* error)
{
    spWorldDef worldDef = spDefaultWorldDef();
    worldDef.workerCount = run->threads[0];
    worldDef.laneCount = run->lanes;
    *organ = (spOrgan){.world = spCreateWorld(&worldDef, error)};
    spSolidBodyDef def = spDefaultSolidBodyDef();
    def.mesh = spLoadOrgan(run, number, &organ->height, error);
    def.law = (spTetLaw)family->variant;
    def.youngModulus = 1e5;
    def.poissonRatio = 0.4;
    def.drag = 5.0;
    def.method = spMakeNamedMethod(method, 20);
    if (organ->world == NULL || def.mesh == NULL)
    {
        spDestroyMesh(def.mesh);
        return false;
    }
    organ->body = spAddSolidBody(organ->world, &def);
    *error = spWorld_GetLastError(organ->world);
    bool good = SP_IS_NULL(organ->body) == false;
    if (scene == sp_organHangs)
    {
        return good && spPinBeyond(organ->world, organ->body, (spVec3){0, 1, 0}, 0.85 * organ->height) > 0;
    }
    good = good && SP_IS_NULL(spAddTestGround(organ->world, (spReal)0.5, 0)) == false;
    if (scene == sp_organSqueezed)
    {
        spColliderDef plate = spDefaultColliderDef();
        plate.shape = sp_shapeBox;
        plate.halfSize = (spVec3){1, (spReal)0.05, 1};
        plate.transform.position.y = (spReal)(organ->height + 0.05);
        organ->plate = spCreateCollider(organ->world, &plate);
        good = good && SP_IS_NULL(organ->plate) == false;
    }
    return good;
}

// The plate comes down to 0.6 of the height over a third of the steps, stays for a third, and goes up again
static void spMovePlate(const spOrgan* organ, int step, int stepCount)
{
    double share = fmin(1.0, 3.0 * (step + 1) / stepCount);
    share = 3 * step > 2 * stepCount ? fmax(0.0, 3.0 - 3.0 * (step + 1) / stepCount) : share;
    spTransform target = spCollider_GetTransform(organ->world, organ->plate);
    target.position.y = (spReal)(organ->height * (1.0 - 0.4 * share) + 0.05);
    spCollider_MoveTo(organ->world, organ->plate, target);
}

typedef struct spOrganResult
{
    spContactCost cost;
    int nodes, tets, inverted, mostInverted; // tets inside out in the end, and at most
    uint32_t flags;
    spVec3* rest; // where nodes end, of the standing one; NULL else
    spError error;
    bool ran;
} spOrganResult;

static void spRunOrgan(const spBenchRun* run, const spBenchFamily* family, int number,
                       const spNamedMethod* method, spOrganScene scene, spOrganResult* result)
{
    *result = (spOrganResult){0};
    spOrgan organ;
    spContactSteps steps = {0};
    // Squeezed ones have as long again to come back
    int active = scene == sp_organSqueezed ? 2 * family->steps : family->steps;
    int stepCount = scene == sp_organSqueezed ? 3 * family->steps
                    : scene == sp_organStands ? 2 * family->steps
                                              : active;
    if (spBuildOrgan(&organ, run, family, number, method, scene, &result->error) &&
        spBeginContactSteps(&steps, stepCount))
    {
        // The first steps make factors and estimates, in contact or not
        for (int i = 0; i < 3; ++i)
        {
            spWorld_Step(organ.world, (spReal)family->dt);
        }
        for (int i = 0; i < stepCount && spIsInterrupted() == false; ++i)
        {
            if (scene == sp_organSqueezed && i < active)
            {
                spMovePlate(&organ, i, active);
            }
            spTakeContactStep(&steps, organ.world, family->dt);
            int inverted = spBody_CountInvertedTets(organ.world, organ.body);
            result->mostInverted = inverted > result->mostInverted ? inverted : result->mostInverted;
            result->inverted = inverted;
        }
        result->cost = spSummarizeContactSteps(&steps);
        result->flags = steps.flags;
        result->nodes = spBody_GetNodeCount(organ.world, organ.body);
        result->tets = spBody_GetElementCount(organ.world, organ.body);
        result->rest = scene == sp_organStands ? malloc((size_t)result->nodes * sizeof(spVec3)) : NULL;
        if (result->rest != NULL)
        {
            spBody_CopyPositions(organ.world, organ.body, result->rest, result->nodes);
        }
        result->ran = true;
    }
    spEndContactSteps(&steps);
    spDestroyWorld(organ.world);
}

// Largest distance of a node between two results over the size
static double spCompareRest(const spOrganResult* a, const spOrganResult* b)
{
    double largest = 0.0;
    if (a->rest == NULL || b->rest == NULL || a->nodes != b->nodes)
    {
        return NAN;
    }
    for (int i = 0; i < a->nodes; ++i)
    {
        double x = (double)a->rest[i].x - (double)b->rest[i].x,
               y = (double)a->rest[i].y - (double)b->rest[i].y,
               z = (double)a->rest[i].z - (double)b->rest[i].z;
        largest = fmax(largest, sqrt(x * x + y * y + z * z));
    }
    return largest / s_size;
}

static void spTellOrgan(spBenchRun* run, const char* name, const char* method, spOrganScene scene,
                        const spOrganResult* r, const spOrganResult* hanging, double apart)
{
    char flags[128];
    spFormatFlags(r->flags, flags, sizeof(flags));
    const spCell cells[] = {
        SP_TEXT_CELL("name", "name", -30, name),
        SP_TEXT_CELL("method", "method", -16, method),
        SP_TEXT_CELL("scene", "scene", -9, s_scenes[scene]),
        SP_WHOLE_CELL("nodes", "nodes", 6, r->nodes),
        SP_WHOLE_CELL("tets", "tets", 6, r->tets),
        SP_NUMBER_CELL(NULL, "processor\nms/step", 9, "%.3f", r->cost.median),
        SP_NUMBER_CELL(NULL, "longest", 9, "%.3f", r->cost.longest),
        SP_NUMBER_CELL("medianRatio", "over\nhanging", 8, "%.2f", r->cost.median / hanging->cost.median),
        SP_NUMBER_CELL("longestRatio", "longest\nover it", 8, "%.2f", r->cost.longest / hanging->cost.median),
        SP_NUMBER_CELL(NULL, "detection\n[ms]", 9, "%.3f", r->cost.detection),
        SP_NUMBER_CELL(NULL, "response\n[ms]", 9, "%.3f", r->cost.response),
        SP_NUMBER_CELL(NULL, "rows", 6, "%.0f", r->cost.rows),
        SP_WHOLE_CELL("inverted", "inside\nout", 7, r->inverted),
        SP_WHOLE_CELL("mostInverted", "at\nmost", 6, r->mostInverted),
        SP_NUMBER_CELL("apart", NULL, 0, "", apart),
        SP_NUMBER_CELL(NULL, "apart\n[%]", 7, "%.2f", 100.0 * apart),
        SP_TEXT_CELL("flagWords", "flags", 0, flags),
    };
    json_t* json = spTellRow(&run->table, cells, SP_CELL_COUNT(cells));
    json_object_set_new(json, "cost", spMakeContactCostJson(&r->cost));
    json_array_append_new(run->results, json);
    fflush(stdout);
}

void spRunContactOrgan(spBenchRun* run, const spBenchFamily* family, int size)
{
    char name[64];
    spNameBenchmark(family, size, name, sizeof(name));
    spOrganResult first = {0}; // of the first method, standing: what the others are compared with
    for (int m = 0; m < SP_ORGAN_METHODS && spIsInterrupted() == false; ++m)
    {
        const spNamedMethod* method = spFindNamedMethod(s_methods[m]);
        spOrganResult hanging = {0};
        for (int s = 0; s < sp_organSceneCount && spIsInterrupted() == false; ++s)
        {
            spOrganResult result;
            spRunOrgan(run, family, size, method, (spOrganScene)s, &result);
            if (result.ran == false)
            {
                spFailBench(run, name, result.error.message);
                break;
            }
            hanging = s == sp_organHangs ? result : hanging;
            double apart = s == sp_organStands && m > 0 ? spCompareRest(&result, &first) : NAN;
            spTellOrgan(run, name, s_methods[m], (spOrganScene)s, &result, &hanging, apart);
            if (s == sp_organStands && m == 0)
            {
                first = result;
            }
            else
            {
                free(result.rest);
            }
        }
    }
    free(first.rest);
}
