// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Contact cases in which friction is what counts: a block on a slope, a block between two pads, a belt round a
// cylinder.

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/tools.h"
#include "testbed/solid_body.h"
#include "testbed/worlds.h"
#include "validate_contact.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SP_PI 3.14159265358979323846

static const double s_gravity = 9.81; // m/s^2
static const double s_step = 1.0 / 100.0;

static spQuat spTurnAboutZ(double angle)
{
    return (spQuat){0, 0, (spReal)sin(0.5 * angle), (spReal)cos(0.5 * angle)};
}

// ---- slope ----

typedef struct spSlope
{
    spWorld* world;
    spBodyId block;
    spVec3 down; // along the slope
    spVec3 into; // into it
} spSlope;

// A block of 0.2 x 0.1 x 0.2 m, 1e6 Pa, lies on a slope: a plane, or a slab of pinned nodes
static bool spBuildSlope(spSlope* slope, double slopeRatio, double friction, int method, bool onBody)
{
    double angle = atan(slopeRatio);
    spTransform turn = {.rotation = spTurnAboutZ(-angle)};
    *slope = (spSlope){.world = spMakeContactWorld(s_gravity),
                       .down = {(spReal)cos(angle), (spReal)-sin(angle), 0},
                       .into = {(spReal)-sin(angle), (spReal)-cos(angle), 0}};
    if (slope->world == NULL)
    {
        return false;
    }
    spSolidBodyDef def = spDefaultSolidBodyDef();
    def.friction = friction;
    def.damping = 0.01; // no more than that: rigid motion is not damped
    def.transform = turn;
    def.method = spMakeContactMethod(method);
    def.mesh = spMakeSolidBox((spDVec3){-0.1, 0.0, -0.1}, (spDVec3){0.2, 0.1, 0.2}, 3);
    slope->block = spAddSolidBody(slope->world, &def);
    bool good = SP_IS_NULL(slope->block) == false;
    if (onBody)
    {
        def.mesh = spMakeSolidBox((spDVec3){-0.51, -0.2, -0.32}, (spDVec3){3.0, 0.2, 0.6}, 4);
        spBodyId slab = spAddSolidBody(slope->world, &def);
        return good && SP_IS_NULL(slab) == false &&
               spPinBeyond(slope->world, slab, (spVec3){0, 0, 0}, -1.0) > 0;
    }
    spColliderDef plane = spDefaultColliderDef();
    plane.transform = turn;
    plane.friction = (spReal)friction;
    return good && SP_IS_NULL(spCreateCollider(slope->world, &plane)) == false;
}

static double spGetAlong(const spSlope* slope)
{
    spVec3 c = spBody_GetCenter(slope->world, slope->block), d = slope->down;
    return (double)(c.x * d.x + c.y * d.y + c.z * d.z);
}

static double spGetSpeedAlong(const spSlope* slope, double mass)
{
    spVec3 p = spBody_GetMomentum(slope->world, slope->block), d = slope->down;
    return (double)(p.x * d.x + p.y * d.y + p.z * d.z) / mass;
}

// Gravity with a share of what draws along the slope
static void spTiltGravity(const spSlope* slope, double share)
{
    spVec3 d = slope->down, n = slope->into;
    double along = -s_gravity * (double)d.y * share, across = -s_gravity * (double)n.y;
    spWorld_SetGravity(slope->world, (spVec3){(spReal)(along * (double)d.x + across * (double)n.x),
                                              (spReal)(along * (double)d.y + across * (double)n.y), 0});
}

// The block comes to rest before anything draws it along, is drawn more and more over so many steps, and goes on for
// a quarter of a second. Then: its way in half a second, and how much faster it got, for a second
static bool spSlide(double slopeRatio, int method, bool onBody, int rampSteps, double* creep,
                    double* acceleration, uint32_t* flags)
{
    spSlope slope;
    bool good = spBuildSlope(&slope, slopeRatio, 0.5, method, onBody);
    if (good)
    {
        double mass = spGetSolidMass(slope.world, slope.block);
        spTiltGravity(&slope, 0.0);
        spStepTimes(slope.world, 50, s_step);
        for (int i = 1; i <= rampSteps; ++i)
        {
            spTiltGravity(&slope, (double)i / rampSteps);
            spStepTimes(slope.world, 1, s_step);
        }
        spStepTimes(slope.world, 25, s_step);
        double x = spGetAlong(&slope), v = spGetSpeedAlong(&slope, mass);
        *flags = spStepTimes(slope.world, 50, s_step);
        *creep = 2.0 * (spGetAlong(&slope) - x);
        *acceleration = 2.0 * (spGetSpeedAlong(&slope, mass) - v);
    }
    spDestroyWorld(slope.world);
    return good;
}

// Holds half a per cent below the friction of 0.5, slides half a per cent above, and at 0.8 as fast as theory says
static int spJudgeIncline(int method, bool onBody, const spValidation* options, json_t* rows)
{
    const double slopes[] = {0.4975, 0.5025, 0.8};
    const char* const whats[] = {"way at 0.995 mu, m/s", "acceleration at 1.005 mu",
                                 "acceleration at 0.8, m/s^2"};
    int code = SP_EXIT_FINE;
    for (int i = 0; i < 3 && spIsInterrupted() == false; ++i)
    {
        double creep = 0.0, acceleration = 0.0, angle = atan(slopes[i]);
        uint32_t flags = 0;
        if (spSlide(slopes[i], method, onBody, i == 2 ? 1 : 100, &creep, &acceleration, &flags) == false)
        {
            return spFailUsage("contact-incline: the bodies could not be made");
        }
        char setting[96];
        snprintf(setting, sizeof(setting), "%s on a %s", g_contactMethods[method], onBody ? "body" : "plane");
        double theory = s_gravity * (sin(angle) - 0.5 * cos(angle));
        spContactRow row = {"contact-incline", setting, whats[i], fabs(creep), NAN, 1e-5, flags};
        if (i > 0)
        {
            row.value = acceleration;
            row.reference = theory;
            // That it slides at all shows the threshold; there the difference of two large forces is left
            row.limit = i == 1 ? 0.5 : 0.01;
        }
        code = spJoinCodes(spJudgeContact(&row, options, rows), code);
    }
    return code;
}

int spRunContactIncline(const spValidation* options, json_t* rows)
{
    int code = SP_EXIT_FINE;
    for (int i = 0; i < 2 * spGetContactMethodCount(options) && spIsInterrupted() == false; ++i)
    {
        int result = spJudgeIncline(i / 2, i % 2 == 1, options, rows);
        if (result == SP_EXIT_USAGE)
        {
            return result;
        }
        code = spJoinCodes(result, code);
    }
    return code;
}

// ---- pads ----

typedef struct spPinch
{
    spWorld* world;
    spBodyId block;
    spColliderId pads[2]; // null with soft pads
    spBodyId softPads[2]; // null with rigid ones
    double mass;          // of the block, kg
} spPinch;

static const double s_padFriction = 0.5;
static const double s_squeeze = 0.0015; // way of each pad, m: 3 % of the block together

// A block of 0.1 m and 1e5 Pa between two pads, without gravity yet
static bool spBuildPinch(spPinch* pinch, int method, bool soft)
{
    *pinch = (spPinch){.world = spMakeContactWorld(0.0)};
    spWorld* world = pinch->world;
    if (world == NULL)
    {
        return false;
    }
    spSolidBodyDef def = spDefaultSolidBodyDef();
    def.mesh = spMakeSolidBox((spDVec3){-0.05, -0.05, -0.05}, (spDVec3){0.1, 0.1, 0.1}, 4);
    def.youngModulus = 1e5;
    def.drag = 5.0;
    def.friction = s_padFriction;
    def.method = spMakeContactMethod(method);
    pinch->block = spAddSolidBody(world, &def);
    bool good = SP_IS_NULL(pinch->block) == false;
    pinch->mass = good ? spGetSolidMass(world, pinch->block) : 0.0;
    for (int side = 0; side < 2 && good; ++side)
    {
        double sign = side == 0 ? -1.0 : 1.0;
        if (soft)
        {
            def.mesh = spMakeSolidBox((spDVec3){side == 0 ? -0.1 : 0.05, -0.08, -0.08},
                                      (spDVec3){0.05, 0.16, 0.16}, 3);
            pinch->softPads[side] = spAddSolidBody(world, &def);
            good = SP_IS_NULL(pinch->softPads[side]) == false;
        }
        else
        {
            spColliderDef pad = spDefaultColliderDef();
            pad.shape = sp_shapeBox;
            pad.halfSize = (spVec3){(spReal)0.02, (spReal)0.2, (spReal)0.2};
            pad.transform.position = (spVec3){(spReal)(sign * 0.07), 0, 0};
            pad.friction = (spReal)s_padFriction;
            pinch->pads[side] = spCreateCollider(world, &pad);
            good = SP_IS_NULL(pinch->pads[side]) == false;
        }
    }
    return good;
}

// Outer nodes of a soft pad, or the rigid one, go on by a way along x in the next step
static void spMovePad(const spPinch* pinch, int side, double way)
{
    spWorld* world = pinch->world;
    double sign = side == 0 ? 1.0 : -1.0;
    if (SP_IS_NULL(pinch->softPads[side]))
    {
        spTransform t = spCollider_GetTransform(world, pinch->pads[side]);
        t.position.x += (spReal)(sign * way);
        spCollider_MoveTo(world, pinch->pads[side], t);
        return;
    }
    spBodyId pad = pinch->softPads[side];
    spVec3View x = spBody_GetPositions(world, pad);
    for (int i = 0; i < x.count; ++i)
    {
        spVec3 p = x.data[i];
        bool driven = spBody_GetNodeRole(world, pad, i) == sp_nodeDriven;
        if (driven || sign * (double)p.x < -0.0999)
        {
            p.x += (spReal)(sign * way);
            spBody_DriveNode(world, pad, i, p);
        }
    }
}

// What presses on the block from one side, N
static double spGetPinchForce(const spPinch* pinch)
{
    double force = SP_IS_NULL(pinch->softPads[1])
                       ? (double)spCollider_GetForce(pinch->world, pinch->pads[1]).x
                       : (double)spWorld_GetPairForce(pinch->world, pinch->softPads[1], pinch->block).x;
    return fabs(force);
}

// Presses in half a second, settles for one
static void spPressPads(const spPinch* pinch)
{
    for (int i = 0; i < 30 && spIsInterrupted() == false; ++i)
    {
        spMovePad(pinch, 0, s_squeeze / 30.0);
        spMovePad(pinch, 1, s_squeeze / 30.0);
        spWorld_Step(pinch->world, (spReal)(1.0 / 60.0));
    }
    spStepTimes(pinch->world, 60, 1.0 / 60.0);
}

// Brings gravity from one value to another over so many steps. Returns the gravity at which the block was faster
// than a speed, NaN when it never was.
static double spRampGravity(const spPinch* pinch, double from, double to, int steps, double speed)
{
    double slipped = NAN;
    for (int i = 1; i <= steps && isnan(slipped) && spIsInterrupted() == false; ++i)
    {
        double g = from + (to - from) * i / steps;
        spWorld_SetGravity(pinch->world, (spVec3){0, (spReal)-g, 0});
        spWorld_Step(pinch->world, (spReal)(1.0 / 60.0));
        slipped = (double)spBody_GetMomentum(pinch->world, pinch->block).y < -speed * pinch->mass ? g : NAN;
    }
    return slipped;
}

static int spJudgePinch(int method, bool soft, const spValidation* options, json_t* rows)
{
    spPinch pinch;
    if (spBuildPinch(&pinch, method, soft) == false)
    {
        spDestroyWorld(pinch.world);
        return spFailUsage("contact-pinch: the bodies could not be made");
    }
    spPressPads(&pinch);
    double limit = 2.0 * s_padFriction * spGetPinchForce(&pinch) / pinch.mass; // gravity that slips, m/s^2
    spRampGravity(&pinch, 0.0, 0.8 * limit, 60, INFINITY);
    spStepTimes(pinch.world, 120, 1.0 / 60.0);
    double seconds = options->quick ? 2.0 : 57.0,
           start = (double)spBody_GetCenter(pinch.world, pinch.block).y;
    uint32_t flags = spStepTimes(pinch.world, (int)(60.0 * seconds), 1.0 / 60.0);
    double creep = fabs((double)spBody_GetCenter(pinch.world, pinch.block).y - start) / seconds;
    creep = limit > 1.0 ? creep : NAN; // nobody holds it
    char setting[96];
    snprintf(setting, sizeof(setting), "%s, %s pads, %.3g N", g_contactMethods[method],
             soft ? "soft" : "rigid", 0.5 * limit * pinch.mass / s_padFriction);
    spContactRow row = {
        "contact-pinch", setting, "creep at 0.8 of 2 mu N, um/s", 1e6 * creep, NAN, 0.01, flags};
    int code = spJudgeContact(&row, options, rows);
    // 5 % of the weight in a second: 5 mm/s are reached a tenth of a second after the last node slips
    double slipped = spRampGravity(&pinch, 0.8 * limit, 1.2 * limit, 480, 5e-3);
    row = (spContactRow){"contact-pinch",
                         setting,
                         "weight that slips, N",
                         slipped * pinch.mass,
                         2.0 * s_padFriction * spGetPinchForce(&pinch),
                         0.02,
                         flags};
    code = spJoinCodes(spJudgeContact(&row, options, rows), code);
    spDestroyWorld(pinch.world);
    return code;
}

int spRunContactPinch(const spValidation* options, json_t* rows)
{
    int code = SP_EXIT_FINE;
    for (int i = 0; i < 2 * spGetContactMethodCount(options) && spIsInterrupted() == false; ++i)
    {
        int result = spJudgePinch(i / 2, i % 2 == 1, options, rows);
        if (result == SP_EXIT_USAGE)
        {
            return result;
        }
        code = spJoinCodes(result, code);
    }
    return code;
}

// ---- belt ----

enum
{
    sp_beltNodes = 97
};

typedef struct spBelt
{
    spWorld* world;
    spBodyId belt;
    double load;     // on the free end, N
    double friction; // coefficient
} spBelt;

static const double s_cylinder = 0.1;      // radius, m
static const double s_beltSpacing = 0.005; // between nodes, m

// A belt of springs hangs over a cylinder, half of it around; its ends point down. The first end carries a load,
// the last one is drawn.
static bool spBuildBelt(spBelt* belt, int method, double friction)
{
    *belt = (spBelt){.world = spMakeContactWorld(0.0), .load = 10.0, .friction = friction};
    if (belt->world == NULL)
    {
        return false;
    }
    spColliderDef cylinder = spDefaultColliderDef();
    cylinder.shape = sp_shapeCylinder;
    cylinder.radius = (spReal)s_cylinder;
    cylinder.halfHeight = (spReal)0.1;
    cylinder.transform.rotation = (spQuat){(spReal)sqrt(0.5), 0, 0, (spReal)sqrt(0.5)}; // along z
    cylinder.friction = (spReal)friction;
    bool good = SP_IS_NULL(spCreateCollider(belt->world, &cylinder)) == false;
    spVec3 x[sp_beltNodes];
    int32_t edges[2 * (sp_beltNodes - 1)];
    double around = SP_PI * s_cylinder, hanging = 0.5 * ((sp_beltNodes - 1) * s_beltSpacing - around);
    for (int i = 0; i < sp_beltNodes; ++i)
    {
        double s = i * s_beltSpacing - hanging;
        double angle = SP_PI - s / s_cylinder;
        x[i] = s < 0.0 ? (spVec3){(spReal)-s_cylinder, (spReal)s, 0}
               : s > around
                   ? (spVec3){(spReal)s_cylinder, (spReal)(around - s), 0}
                   : (spVec3){(spReal)(s_cylinder * cos(angle)), (spReal)(s_cylinder * sin(angle)), 0};
    }
    for (int i = 0; i < 2 * (sp_beltNodes - 1); ++i)
    {
        edges[i] = i / 2 + i % 2;
    }
    spBodyDef def = spDefaultBodyDef();
    def.positions = x;
    def.positionCount = sp_beltNodes;
    def.nodeMass = (spReal)0.001;
    def.friction = (spReal)friction;
    def.method = spMakeContactMethod(method);
    belt->belt = spCreateBody(belt->world, &def);
    spSpringDef springs = spDefaultSpringDef();
    springs.edges = edges;
    springs.edgeCount = sp_beltNodes - 1;
    springs.stiffness = (spReal)1e6;
    springs.damping = 10;
    spFieldDef drag = spDefaultFieldDef(); // 0.04 N of the belt as a whole: it ends vibrations across
    drag.type = sp_fieldMassDrag;
    drag.coefficient = 20;
    return good && SP_IS_NULL(belt->belt) == false &&
           spBody_AddSprings(belt->world, belt->belt, &springs) >= 0 &&
           spBody_AddField(belt->world, belt->belt, &drag) >= 0;
}

// Loads the first node over half a second, then draws the last one down at 20 mm/s; the mean of what that takes over the last half second, N
static double spDrawBelt(const spBelt* belt, uint32_t* flags)
{
    double sum = 0.0, last = (double)spBody_GetPositions(belt->world, belt->belt).data[sp_beltNodes - 1].y;
    const int loading = 50, steps = 200, counted = 50;
    for (int i = 0; i < steps && spIsInterrupted() == false; ++i)
    {
        double down = last - 0.02 * fmax(0.0, i + 1 - loading) * s_step;
        double load = belt->load * fmin(1.0, (double)(i + 1) / loading);
        spBody_SetNodeForce(belt->world, belt->belt, 0, (spVec3){0, (spReal)-load, 0});
        spBody_DriveNode(belt->world, belt->belt, sp_beltNodes - 1,
                         (spVec3){(spReal)s_cylinder, (spReal)down, 0});
        *flags |= spWorld_Step(belt->world, (spReal)s_step);
        sum += i >= steps - counted ? -(double)spBody_GetPinForce(belt->world, belt->belt).y : 0.0;
    }
    return sum / counted;
}

int spRunContactCapstan(const spValidation* options, json_t* rows)
{
    const double frictions[] = {0.1, 0.3, 0.5};
    int code = SP_EXIT_FINE;
    for (int i = 0; i < 3 * spGetContactMethodCount(options) && spIsInterrupted() == false; ++i)
    {
        spBelt belt;
        if (spBuildBelt(&belt, i / 3, frictions[i % 3]) == false)
        {
            spDestroyWorld(belt.world);
            return spFailUsage("contact-capstan: the belt could not be made");
        }
        uint32_t flags = 0;
        char setting[96];
        snprintf(setting, sizeof(setting), "%s, mu %g, half a turn", g_contactMethods[i / 3], belt.friction);
        double force = spDrawBelt(&belt, &flags);
        spContactRow row = {"contact-capstan",
                            setting,
                            "pull over load",
                            force / belt.load,
                            exp(SP_PI * belt.friction),
                            0.01,
                            flags};
        code = spJoinCodes(spJudgeContact(&row, options, rows), code);
        spDestroyWorld(belt.world);
    }
    return code;
}
