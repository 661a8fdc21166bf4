// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Solid bodies in motion: spinning, on a hinge, of steel, squeezed and let go. None may gain energy, lose its
// turn, or stay inside out, without a word.

#include "validate_motion.h"

#include "cli/commands.h"
#include "cli/tools.h"
#include "measured.h"
#include "testbed/worlds.h"

#include <math.h>
#include <stdio.h>

#define SP_MOST_NODES 256
#define SP_STEPS_PER_SECOND 60

typedef enum spMotionHold
{
    sp_holdNothing, // it spins
    sp_holdEdge,    // x = y = 0: a hinge
    sp_holdFace,    // x = 0
    sp_holdBottom,  // y = 0; the top is driven
} spMotionHold;

typedef struct spMotionDef
{
    const spNamedMethod* method;
    spTetLaw law;
    double young; // Pa
    spDVec3 size; // m
    int cells[3];
    spMotionHold hold;
    double spin;    // rad/s, about z
    double damping; // s
    int seconds;
} spMotionDef;

typedef struct spMotionResult
{
    double gained;   // energy at most above that at the start, J
    double fastest;  // largest kinetic energy, J
    double turn;     // angular momentum at the end over that at the start
    double elastic;  // at the end, J
    double strained; // most of it, J
    int inverted;    // tets at the end
    uint32_t flags;  // of the last quarter of the steps
    bool good;       // it could be built
} spMotionResult;

static bool spHoldMotion(spTestWorld* test, const spMotionDef* def)
{
    spVec3View x = spBody_GetPositions(test->world, test->body);
    spVec3 v[SP_MOST_NODES] = {0};
    bool good = x.count <= SP_MOST_NODES;
    for (int32_t i = 0; good && i < x.count; ++i)
    {
        spVec3 p = x.data[i];
        bool left = fabs((double)p.x) < 1e-6, low = fabs((double)p.y) < 1e-6;
        bool held = (def->hold == sp_holdFace && left) || (def->hold == sp_holdEdge && left && low) ||
                    (def->hold == sp_holdBottom && low);
        good = held == false || spBody_PinNodes(test->world, test->body, &i, 1);
        v[i] = (spVec3){(spReal)(-def->spin * ((double)p.y - 0.5 * def->size.y)),
                        (spReal)(def->spin * ((double)p.x - 0.5 * def->size.x)), 0};
    }
    return good && (def->hold != sp_holdNothing || spBody_SetVelocities(test->world, test->body, v, x.count));
}

// A box with a corner in the origin
static spTestWorld spBuildMotion(const spMotionDef* def)
{
    spTestWorld test = {0};
    spBoxMeshDef box = spDefaultBoxMeshDef();
    box.size = def->size;
    for (int k = 0; k < 3; ++k)
    {
        box.cells[k] = def->cells[k];
    }
    spMesh* mesh = spMakeBoxMesh(&box, &test.error);
    spWorldDef worldDef = spDefaultWorldDef();
    bool heavy = def->hold == sp_holdEdge || def->hold == sp_holdFace;
    worldDef.gravity = heavy ? worldDef.gravity : (spVec3){0, 0, 0};
    test.world = spCreateWorld(&worldDef, &test.error);
    spBodyDef bodyDef = spDefaultBodyDef();
    bodyDef.mesh = mesh;
    bodyDef.density = 1000;
    bodyDef.method = spMakeNamedMethod(def->method, 20);
    bodyDef.method.maxSubsteps = 100000;
    test.body = test.world != NULL && mesh != NULL ? spCreateBody(test.world, &bodyDef) : (spBodyId){0};
    spDestroyMesh(mesh);
    spTetDef tets = spDefaultTetDef();
    tets.law = def->law;
    tets.youngModulus = (spReal)def->young;
    tets.poissonRatio = (spReal)0.3;
    tets.damping = (spReal)def->damping;
    if (SP_IS_NULL(test.body) || spBody_AddTets(test.world, test.body, &tets) < 0 ||
        spHoldMotion(&test, def) == false)
    {
        spDestroyTestWorld(&test);
        test.world = NULL;
    }
    return test;
}

static double spGetTurn(const spTestWorld* test)
{
    return (double)spBody_GetAngularMomentum(test->world, test->body).z;
}

// The top goes down to a share of the height; at 1 it is let go
static void spPressTop(spTestWorld* test, const spMotionDef* def, const spVec3* rest, int count, double share)
{
    for (int32_t i = 0; i < count; ++i)
    {
        if ((double)rest[i].y > (1.0 - 1e-6) * def->size.y)
        {
            spVec3 to = {rest[i].x, (spReal)(share * def->size.y), rest[i].z};
            if (share < 1.0)
            {
                spBody_DriveNode(test->world, test->body, i, to);
            }
            else
            {
                spBody_FreeNodes(test->world, test->body, &i, 1);
            }
        }
    }
}

static spMotionResult spRunMotion(const spMotionDef* def)
{
    spMotionResult r = {0};
    spTestWorld test = spBuildMotion(def);
    if (test.world == NULL)
    {
        return r;
    }
    r.good = true;
    spVec3 rest[SP_MOST_NODES];
    int nodeCount = spBody_CopyPositions(test.world, test.body, rest, SP_MOST_NODES);
    spEnergy energy = spBody_GetEnergy(test.world, test.body);
    double start = energy.kinetic + energy.elastic + energy.potential, turn = spGetTurn(&test);
    int count = def->seconds * SP_STEPS_PER_SECOND;
    r.fastest = energy.kinetic;
    for (int i = 1; i <= count && spIsInterrupted() == false; ++i)
    {
        if (def->hold == sp_holdBottom && i <= SP_STEPS_PER_SECOND)
        {
            double share = 1.0 - 0.85 * i / (SP_STEPS_PER_SECOND - 1);
            spPressTop(&test, def, rest, nodeCount, i < SP_STEPS_PER_SECOND ? share : 1.0);
        }
        uint32_t now = spWorld_Step(test.world, 1 / (spReal)SP_STEPS_PER_SECOND);
        r.flags |= 4 * i >= 3 * count ? now : 0;
        energy = spBody_GetEnergy(test.world, test.body);
        r.gained = fmax(r.gained, energy.kinetic + energy.elastic + energy.potential - start);
        r.fastest = fmax(r.fastest, energy.kinetic);
        r.strained = fmax(r.strained, energy.elastic);
    }
    r.elastic = energy.elastic;
    r.inverted = spBody_CountInvertedTets(test.world, test.body);
    r.turn = turn != 0.0 ? spGetTurn(&test) / turn : 0.0;
    spDestroyTestWorld(&test);
    return r;
}

// One number of a motion; a reference of NaN: at most the limit
static int spJudgeMotion(const char* name, const spMotionDef* def, const spMotionResult* r, const char* what,
                         double value, double reference, double limit, const spValidation* options,
                         json_t* rows)
{
    spMeasured m = {.name = name,
                    .what = what,
                    .value = r->good ? value : INFINITY,
                    .reference = reference,
                    .limit = limit,
                    .flags = r->flags};
    snprintf(m.setting, sizeof(m.setting), "%s, %s, %g Pa", def->method->name, spGetTetLawName(def->law),
             def->young);
    return spJudgeMeasured(&m, options, rows);
}

static int spJoinCodes(int a, int b)
{
    return a != SP_EXIT_FINE ? a : b;
}

static const spTetLaw s_turningLaws[] = {sp_tetCorotational, sp_tetCorotationalEdge, sp_tetStVenantKirchhoff,
                                         sp_tetNeoHookean, sp_tetMooneyRivlin};
#define SP_TURNING_LAWS ((int)(sizeof(s_turningLaws) / sizeof(s_turningLaws[0])))

// Runs a motion by every method that has inertia, and every law that turns
static int spRunTurning(const char* name, const spMotionDef* base, const spValidation* options, json_t* rows)
{
    int code = SP_EXIT_FINE, count;
    const spNamedMethod* methods = spGetNamedMethods(&count);
    for (int i = 0; i < count * SP_TURNING_LAWS && spIsInterrupted() == false; ++i)
    {
        spMotionDef def = *base;
        def.method = methods + i / SP_TURNING_LAWS;
        def.law = s_turningLaws[i % SP_TURNING_LAWS];
        if (def.method->type == sp_quasiStatic)
        {
            continue;
        }
        spMotionResult r = spRunMotion(&def);
        code = spJoinCodes(code, spJudgeMotion(name, &def, &r, "energy gained, of kinetic",
                                               r.gained / r.fastest, NAN, 0.01, options, rows));
        // IMEX brakes what turns, as its page says
        if (def.hold == sp_holdNothing && def.method->type != sp_imex)
        {
            code = spJoinCodes(code, spJudgeMotion(name, &def, &r, "angular momentum kept", r.turn, 1.0, 0.01,
                                                   options, rows));
        }
    }
    return code;
}

int spRunMotionSpin(const spValidation* options, json_t* rows)
{
    spMotionDef def = {.young = 1e6,
                       .size = {0.4, 0.3, 0.2},
                       .cells = {2, 2, 2},
                       .hold = sp_holdNothing,
                       .spin = 3.0,
                       .seconds = 2};
    return spRunTurning("motion-spin", &def, options, rows);
}

int spRunMotionPendulum(const spValidation* options, json_t* rows)
{
    spMotionDef def = {
        .young = 1e6, .size = {1.0, 0.1, 0.1}, .cells = {10, 1, 1}, .hold = sp_holdEdge, .seconds = 3};
    return spRunTurning("motion-pendulum", &def, options, rows);
}

// From jelly to steel, pinned in its weight and spinning: energies are small differences of large numbers
int spRunMotionSteel(const spValidation* options, json_t* rows)
{
    static const char* const names[] = {"symplecticEuler", "verlet", "backwardEuler", "bdf2", "xpbd"};
    const double moduli[] = {1e5, 1e7, 1e9, 1e11};
    int code = SP_EXIT_FINE;
    for (int i = 0; i < 40 && spIsInterrupted() == false; ++i)
    {
        bool pinned = i < 20;
        spMotionDef def = {.method = spFindNamedMethod(names[i / 4 % 5]),
                           .law = sp_tetCorotational,
                           .young = moduli[i % 4],
                           .size = {0.5, 0.3, 0.3},
                           .cells = {2, 1, 1},
                           .hold = pinned ? sp_holdFace : sp_holdNothing,
                           .spin = 3.0,
                           .seconds = 1};
        spMotionResult r = spRunMotion(&def);
        // Pinned by symplectic Euler energy wavers by a tenth, with the length of its substep; what is damped has none
        const char* what = pinned ? "pinned: gained, of most" : "spins: gained, of kinetic";
        double most = pinned ? fmax(r.fastest, r.strained) : r.fastest;
        code = spJoinCodes(code, spJudgeMotion("motion-steel", &def, &r, what, r.gained / most, NAN,
                                               pinned ? 0.15 : 0.002, options, rows));
    }
    return code;
}

// Pressed to 0.15 of its height in a second, and let go
int spRunMotionSqueeze(const spValidation* options, json_t* rows)
{
    const spTetLaw laws[] = {sp_tetCorotational, sp_tetNeoHookean, sp_tetMooneyRivlin};
    int code = SP_EXIT_FINE, count;
    const spNamedMethod* methods = spGetNamedMethods(&count);
    for (int i = 0; i < 3 * count && spIsInterrupted() == false; ++i)
    {
        spMotionDef def = {.method = methods + i / 3,
                           .law = laws[i % 3],
                           .young = 1e5,
                           .size = {0.2, 0.2, 0.2},
                           .cells = {4, 4, 4},
                           .hold = sp_holdBottom,
                           .damping = 0.03,
                           .seconds = 3};
        spMotionResult r = spRunMotion(&def);
        code = spJoinCodes(code, spJudgeMotion("motion-squeeze", &def, &r, "tets inside out", r.inverted, NAN,
                                               0.0, options, rows));
        code = spJoinCodes(code, spJudgeMotion("motion-squeeze", &def, &r, "elastic energy left, share",
                                               r.elastic / r.strained, NAN, 0.01, options, rows));
    }
    return code;
}
