// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Contact cases of bodies that stand on and run into each other.

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/tools.h"
#include "testbed/solid_body.h"
#include "testbed/worlds.h"
#include "validate_contact.h"

#include <math.h>
#include <stdio.h>

static const double s_gravity = 9.81; // m/s^2

// ---- ten blocks ----

enum
{
    sp_blockCount = 10
};

typedef struct spStack
{
    spWorld* world;
    spBodyId blocks[sp_blockCount];
    spColliderId ground;
    int count;
    double mass; // of a block, kg
} spStack;

// Blocks of 0.2 x 0.1 x 0.2 m and 2e6 Pa, every other one 3 mm aside, so that corners lie on faces: a tower of a
// metre that carries five times its weight before it buckles. `method` is a row of
// g_contactMethods, or -1 for four of them in turns.
static bool spBuildStack(spStack* stack, int count, int method)
{
    *stack = (spStack){.world = spMakeContactWorld(s_gravity), .count = count};
    if (stack->world == NULL)
    {
        return false;
    }
    stack->ground = spAddTestGround(stack->world, (spReal)0.5, 0);
    bool good = SP_IS_NULL(stack->ground) == false;
    for (int i = 0; i < count && good; ++i)
    {
        double aside = 0.003 * (i % 2);
        spSolidBodyDef def = spDefaultSolidBodyDef();
        def.mesh = spMakeSolidBox((spDVec3){aside, 0.1 * i, -aside}, (spDVec3){0.2, 0.1, 0.2}, 2);
        def.youngModulus = 2e6;
        def.drag = 10.0;
        def.method = spMakeContactMethod(method >= 0 ? method : i % 4);
        stack->blocks[i] = spAddSolidBody(stack->world, &def);
        good = SP_IS_NULL(stack->blocks[i]) == false;
    }
    stack->mass = good ? spGetSolidMass(stack->world, stack->blocks[0]) : 0.0;
    return good;
}

// Largest share by which what a block carries differs from the weight above it
static double spGetStackError(const spStack* stack)
{
    double load = stack->mass * s_gravity, worst = 0.0;
    for (int i = 0; i < stack->count; ++i)
    {
        double force =
            i == 0 ? -(double)spCollider_GetForce(stack->world, stack->ground).y
                   : (double)spWorld_GetPairForce(stack->world, stack->blocks[i], stack->blocks[i - 1]).y;
        worst = fmax(worst, fabs(force / ((stack->count - i) * load) - 1.0));
    }
    return worst;
}

static double spGetDistance(spVec3 a, spVec3 b)
{
    return sqrt((double)((a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y) + (a.z - b.z) * (a.z - b.z)));
}

static int spJudgeStack(int method, const spValidation* options, json_t* rows)
{
    spStack stack;
    if (spBuildStack(&stack, options->quick ? 3 : sp_blockCount, method) == false)
    {
        spDestroyWorld(stack.world);
        return spFailUsage("contact-stack: the bodies could not be made");
    }
    int settle = options->quick ? 60 : 250, steps = options->quick ? 60 : 1000;
    spStepTimes(stack.world, settle, 1.0 / 60.0);
    spVec3 before[sp_blockCount];
    for (int i = 0; i < stack.count; ++i)
    {
        before[i] = spBody_GetCenter(stack.world, stack.blocks[i]);
    }
    uint32_t flags = spStepTimes(stack.world, steps, 1.0 / 60.0);
    double drift = 0.0;
    for (int i = 0; i < stack.count; ++i)
    {
        drift = fmax(drift, spGetDistance(before[i], spBody_GetCenter(stack.world, stack.blocks[i])));
    }
    char setting[96];
    snprintf(setting, sizeof(setting), "%s, %d blocks, 1/60 s",
             method >= 0 ? g_contactMethods[method] : "mixed", stack.count);
    spContactRow row = {
        "contact-stack", setting, "largest error of a force", spGetStackError(&stack), NAN, 1e-3, flags};
    int code = spJudgeContact(&row, options, rows);
    row.what = options->quick ? "drift in 60 steps, m" : "drift in 1000 steps, m";
    row.value = drift;
    row.limit = 1e-6;
    code = spJoinCodes(spJudgeContact(&row, options, rows), code);
    spDestroyWorld(stack.world);
    return code;
}

int spRunContactStack(const spValidation* options, json_t* rows)
{
    int code = SP_EXIT_FINE;
    int count = spGetContactMethodCount(options);
    for (int m = 0; m <= count && spIsInterrupted() == false; ++m)
    {
        int result = spJudgeStack(m < count ? m : -1, options, rows);
        if (result == SP_EXIT_USAGE)
        {
            return result;
        }
        code = spJoinCodes(result, code);
    }
    return code;
}

// ---- two balls ----

typedef struct spImpact
{
    double mass;     // of a ball, kg
    double momentum; // largest change of the sum, kg m/s
    double rise;   // largest rise of the energy above the least before it, J; with an explicit ball above the
                   // energy of the start: the energy of symplectic Euler wavers with the vibration of a ball
    double energy; // at the start, J
    double apart;  // speed of both away from each other in the end, m/s
    uint32_t flags;
} spImpact;

static spBodyId spAddBall(spWorld* world, double x, double y, double speed, int method)
{
    spSolidBodyDef def = spDefaultSolidBodyDef();
    def.mesh = spMakeSolidBall((spDVec3){x, y, 0.0}, 0.1, 3);
    def.youngModulus = 5e4;
    def.friction = 0.3;
    def.velocity = (spVec3){(spReal)speed, 0, 0};
    def.method = spMakeContactMethod(method);
    return spAddSolidBody(world, &def);
}

// Methods are rows of g_contactMethods, of which the first is explicit. Balls of 0.1 m, 2 m/s towards each other, 20 mm aside, in steps of 1/240 s
static bool spCollideBalls(int left, int right, spImpact* impact)
{
    spWorld* world = spMakeContactWorld(0.0);
    if (world == NULL)
    {
        return false;
    }
    spBodyId balls[2] = {spAddBall(world, -0.12, 0.02, 1.0, left), spAddBall(world, 0.12, 0.0, -1.0, right)};
    bool good = SP_IS_NULL(balls[0]) == false && SP_IS_NULL(balls[1]) == false;
    *impact = (spImpact){0};
    impact->mass = good ? spGetSolidMass(world, balls[0]) : 0.0;
    impact->energy = good ? spGetSolidEnergy(world, balls[0]) + spGetSolidEnergy(world, balls[1]) : 0.0;
    double least = impact->energy;
    spVec3 start[2] = {spBody_GetMomentum(world, balls[0]), spBody_GetMomentum(world, balls[1])};
    for (int i = 0; i < 120 && good; ++i)
    {
        impact->flags |= spWorld_Step(world, (spReal)(1.0 / 240.0));
        spVec3 a = spBody_GetMomentum(world, balls[0]), b = spBody_GetMomentum(world, balls[1]);
        double dx = (double)a.x + (double)b.x - (double)start[0].x - (double)start[1].x;
        double dy = (double)a.y + (double)b.y, dz = (double)a.z + (double)b.z;
        impact->momentum = fmax(impact->momentum, sqrt(dx * dx + dy * dy + dz * dz));
        impact->apart = ((double)b.x - (double)a.x) / impact->mass;
        double energy = spGetSolidEnergy(world, balls[0]) + spGetSolidEnergy(world, balls[1]);
        impact->rise = fmax(impact->rise, energy - least);
        least = left == 0 || right == 0 ? least : fmin(least, energy);
    }
    spDestroyWorld(world);
    return good;
}

int spRunContactCollide(const spValidation* options, json_t* rows)
{
    // Rounding of single precision, summed over the nodes, is all that momentum and energy may show
    const double rounding = sizeof(spReal) == sizeof(double) ? 1e-9 : 1e-6;
    int code = SP_EXIT_FINE, count = spGetContactMethodCount(options);
    for (int i = 0; i < count * count && spIsInterrupted() == false; ++i)
    {
        int left = i / count, right = i % count;
        spImpact impact;
        if (right < left || (options->quick && left != right && left > 0))
        {
            continue;
        }
        if (spCollideBalls(left, right, &impact) == false)
        {
            return spFailUsage("contact-collide: the bodies could not be made");
        }
        char setting[96];
        snprintf(setting, sizeof(setting), "%s on %s, 1/240 s", g_contactMethods[left],
                 g_contactMethods[right]);
        spContactRow row = {
            "contact-collide", setting, "momentum lost, share", impact.momentum / impact.mass, NAN, 1e-6,
            impact.flags};
        code = spJoinCodes(spJudgeContact(&row, options, rows), code);
        row.what = "energy gained, share";
        row.value = impact.rise / impact.energy;
        row.limit = rounding;
        code = spJoinCodes(spJudgeContact(&row, options, rows), code);
        row.what = "not parted, m/s";
        row.value = fmax(0.0, 0.5 - impact.apart);
        row.limit = 0.0;
        code = spJoinCodes(spJudgeContact(&row, options, rows), code);
    }
    return code;
}
