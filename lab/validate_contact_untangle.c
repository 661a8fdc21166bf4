// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Contact cases of bodies that begin inside each other: by volume they come out within ten steps, and do not fly apart.

#include "cli/commands.h"
#include "cli/options.h"
#include "data.h"
#include "testbed/solid_body.h"
#include "validate_contact.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// Of both, Pa
static const double s_modulus = 3e4;

typedef struct spTangle
{
    spWorld* world;
    spBodyId bodies[2]; // the same twice for one body with itself
    int bodyCount;
} spTangle;

typedef struct spTangleCase
{
    const char* name;
    bool (*build)(spTangle* tangle, int method);
    int steps;    // within which it comes apart
    double least; // that they have in common at first, of the smaller one; less is no test
    double left;  // of what they had in common
} spTangleCase;

static spBodyId spAddTangled(spTangle* t, spMesh* mesh, int method, spVec3 position, bool self)
{
    spBodyDef def = spDefaultBodyDef();
    def.mesh = mesh;
    def.density = 1000;
    def.selfContact = self;
    def.transform.position = position;
    def.method = spMakeContactMethod(method);
    spTetDef tets = spDefaultTetDef();
    tets.law = sp_tetCorotational;
    tets.youngModulus = (spReal)s_modulus;
    tets.poissonRatio = (spReal)0.35;
    spBodyId body = mesh != NULL ? spCreateBody(t->world, &def) : (spBodyId){0, 0};
    bool good = SP_IS_NULL(body) == false && spBody_AddTets(t->world, body, &tets) >= 0;
    spDestroyMesh(mesh);
    return good ? body : (spBodyId){0, 0};
}

// Two livers, one 6 cm above where the other is
static bool spBuildOrgans(spTangle* t, int method)
{
    for (int i = 0; i < 2; ++i)
    {
        spVec3 position = {0, i * (spReal)0.06, 0};
        t->bodies[i] = spAddTangled(t, spLoadData("liver_like.msh", NULL), method, position, false);
    }
    t->bodyCount = 2;
    return SP_IS_NULL(t->bodies[0]) == false && SP_IS_NULL(t->bodies[1]) == false;
}

// A box of 6 cm that is inside another one as a whole, a centimetre behind its face
static bool spBuildBoxInBox(spTangle* t, int method)
{
    t->bodies[0] = spAddTangled(t, spMakeSolidBox((spDVec3){0.0, 0.0, 0.0}, (spDVec3){0.2, 0.2, 0.2}, 4),
                                method, (spVec3){0, 0, 0}, false);
    t->bodies[1] =
        spAddTangled(t, spMakeSolidBox((spDVec3){0.13, 0.07, 0.06}, (spDVec3){0.06, 0.06, 0.06}, 3), method,
                     (spVec3){0, 0, 0}, false);
    t->bodyCount = 2;
    return SP_IS_NULL(t->bodies[0]) == false && SP_IS_NULL(t->bodies[1]) == false;
}

// A torus without tension whose ring is folded to an eight that runs through itself in its middle; one half lies a little
// higher, so that there is a way out
static bool spBuildFold(spTangle* t, int method)
{
    spRoundMeshDef def = spDefaultRoundMeshDef();
    def.radius = 0.3;
    def.tubeRadius = 0.05;
    def.resolution = 2;
    spMesh* torus = spMakeTorusMesh(&def, NULL);
    int count = torus != NULL ? spMesh_GetVertexCount(torus) : 0;
    spDVec3* x = malloc(((size_t)count + 1) * sizeof(spDVec3));
    for (int i = 0; x != NULL && i < count; ++i)
    {
        // Around y: the angle along the ring, and where in the section
        spDVec3 p = spMesh_GetVertices(torus)[i];
        double a = atan2(p.z, p.x), out = sqrt(p.x * p.x + p.z * p.z) - def.radius;
        spDVec3 along = {cos(a), 0.0, cos(2.0 * a)};
        double length = sqrt(along.x * along.x + along.z * along.z);
        x[i] = (spDVec3){def.radius * sin(a) + out * along.z / length, p.y + 0.035 * cos(a),
                         def.radius * sin(a) * cos(a) - out * along.x / length};
    }
    spMesh* folded = NULL;
    if (x != NULL && torus != NULL)
    {
        spMeshDef mesh = spDefaultMeshDef();
        mesh.vertices = x;
        mesh.vertexCount = count;
        mesh.tets = spMesh_GetTets(torus);
        mesh.tetCount = spMesh_GetTetCount(torus);
        folded = spCreateMesh(&mesh, NULL);
    }
    spDestroyMesh(torus);
    free(x);
    t->bodies[0] = t->bodies[1] = spAddTangled(t, folded, method, (spVec3){0, 0, 0}, true);
    t->bodyCount = 1;
    return SP_IS_NULL(t->bodies[0]) == false;
}

static const spTangleCase s_tangles[] = {
    {"organs", spBuildOrgans, 10, 0.18, 1e-3},
    {"torus through itself", spBuildFold, 10, 0.005, 1e-2},
    {"box in box", spBuildBoxInBox, 10, 0.9, 1e-3},
};

// Overlap left, energy on the way over modulus times volume
static int spJudgeTangle(const spTangleCase* c, int method, const spValidation* options, json_t* rows)
{
    spWorldDef worldDef = spDefaultWorldDef();
    worldDef.gravity = (spVec3){0, 0, 0};
    worldDef.detector = sp_detectorVolume;
    spTangle t = {.world = spCreateWorld(&worldDef, NULL)};
    if (t.world == NULL || c->build(&t, method) == false)
    {
        spError error = t.world != NULL ? spWorld_GetLastError(t.world) : (spError){0};
        spDestroyWorld(t.world);
        return spFailUsage("untangle, %s: %s", c->name,
                           error.message[0] != 0 ? error.message : "the bodies cannot be made");
    }
    spThing a = spBodyThing(t.bodies[0]), b = spBodyThing(t.bodies[1]);
    double begin = spWorld_MeasureOverlap(t.world, a, b), energy = 0.0;
    double share =
        begin / fmin(spBody_GetVolume(t.world, t.bodies[0]), spBody_GetVolume(t.world, t.bodies[1]));
    uint32_t flags = 0;
    for (int i = 0; i < c->steps; ++i)
    {
        flags |= spStepTimes(t.world, 1, 1.0 / 60.0);
        double now = 0.0;
        for (int k = 0; k < t.bodyCount; ++k)
        {
            now += spGetSolidEnergy(t.world, t.bodies[k]);
        }
        energy = fmax(energy, now);
    }
    double left = spWorld_MeasureOverlap(t.world, a, b) / begin;
    spDestroyWorld(t.world);
    char setting[96];
    snprintf(setting, sizeof(setting), "%s, %s, %.2g in common", g_contactMethods[method], c->name, share);
    if (share < c->least)
    {
        return spFailUsage("untangle, %s: only %g of the volume is in common", c->name, share);
    }
    const spContactRow rest = {"untangle", setting, "overlap left", left, NAN, c->left, flags};
    const spContactRow bound = {"untangle", setting, "energy / (E V)", energy / (s_modulus * begin), NAN,
                                0.2,        flags};
    int code = spJudgeContact(&rest, options, rows);
    return spJoinCodes(code, spJudgeContact(&bound, options, rows));
}

int spRunContactUntangle(const spValidation* options, json_t* rows)
{
    int code = SP_EXIT_FINE;
    for (int k = 0; k < (int)(sizeof(s_tangles) / sizeof(s_tangles[0])); ++k)
    {
        for (int method = 0; method < spGetContactMethodCount(options); ++method)
        {
            int result = spJudgeTangle(s_tangles + k, method, options, rows);
            if (result == SP_EXIT_USAGE || result == SP_EXIT_INTERRUPTED)
            {
                return result;
            }
            code = spJoinCodes(code, result);
        }
    }
    return code;
}
