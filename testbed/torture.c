// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "testbed/torture.h"

#include <math.h>

enum
{
    nodeCount = 20,
    pinCount = 4,
};

#define SP_G 9.81
#define SP_WIDTH 0.25   // m
#define SP_THIN 1e-3    // m
#define SP_HEIGHT 0.5   // of the fall, m
#define SP_PLATE 0.05   // half of its thickness, m
#define SP_DAMPING 0.01 // s

static const struct
{
    const char* name;
    spMethodType type;
    int newtonSteps;
    // The worst that is known of it: forward Euler and IMEX may gain a little energy without a word, where
    // elements are stretched many times
    spTortureOutcome worst;
} s_methods[] = {
    {"symplecticEuler", sp_symplecticEuler, 0, sp_outcomeFar},
    {"forwardEuler", sp_forwardEuler, 0, sp_outcomeGained},
    {"verlet", sp_verlet, 0, sp_outcomeFar},
    {"rungeKutta4", sp_rungeKutta4, 0, sp_outcomeFar},
    {"localImplicit", sp_localImplicit, 0, sp_outcomeFar},
    {"backwardEuler", sp_backwardEuler, 1, sp_outcomeFar},
    {"backwardEuler, Newton", sp_backwardEuler, 4, sp_outcomeFar},
    {"bdf2", sp_bdf2, 1, sp_outcomeFar},
    {"bdf2, Newton", sp_bdf2, 4, sp_outcomeFar},
    {"imex", sp_imex, 0, sp_outcomeGained},
    {"quasiStatic", sp_quasiStatic, 0, sp_outcomeFar},
    {"xpbd", sp_xpbd, 0, sp_outcomeFar},
};

#define SP_METHOD_COUNT ((int)(sizeof(s_methods) / sizeof(s_methods[0])))

static const double s_youngs[] = {1e2, 1e4, 1e6, 1e8, 1e10};
static const double s_steps[] = {1e-4, 1e-3, 1.0 / 60.0, 1.0 / 15.0};
static const double s_poissons[] = {0.0, 0.45, 0.499};
static const spTetLaw s_laws[] = {sp_tetCorotational, sp_tetNeoHookean, sp_tetStVenantKirchhoff};

const char* spGetTroubleName(spTrouble trouble)
{
    static const char* const names[sp_troubleCount] = {"none",     "masses 1e3", "masses 1e6", "slivers",
                                                       "inverted", "flat",       "jerk",       "change",
                                                       "impact",   "touch",      "press"};
    return names[trouble];
}

const char* spGetOutcomeName(spTortureOutcome outcome)
{
    static const char* const names[sp_outcomeCount] = {"settled",   "moving", "said so",
                                                       "said, far", "gained", "wrong"};
    return names[outcome];
}

int spGetTortureMethodCount(void)
{
    return SP_METHOD_COUNT;
}

const char* spGetTortureMethodName(int method)
{
    return s_methods[method].name;
}

bool spIsExpected(const spTortureCase* c, spTortureOutcome outcome)
{
    // Contacts end the watch of energies: what IMEX then throws it does not see
    bool thrown = s_methods[c->method].type == sp_imex && c->trouble == sp_troublePress;
    return outcome <= (thrown ? sp_outcomeWrong : s_methods[c->method].worst);
}

int spGetTortureCaseCount(void)
{
    return 5 * 4 * 3 * 3 * sp_troubleCount * SP_METHOD_COUNT;
}

spTortureCase spGetTortureCase(int index)
{
    return (spTortureCase){
        .young = s_youngs[index % 5],
        .dt = s_steps[index / 5 % 4],
        .poisson = s_poissons[index / 20 % 3],
        .law = s_laws[index / 60 % 3],
        .trouble = (spTrouble)(index / 180 % sp_troubleCount),
        .method = index / (180 * sp_troubleCount) % SP_METHOD_COUNT,
    };
}

// A static step ends in equilibrium: fewer of them say as much
static int spGetStepCount(const spTortureCase* c)
{
    return s_methods[c->method].type == sp_quasiStatic ? 12 : 60;
}

// When something happens to a case
static int spGetJerkStep(const spTortureCase* c)
{
    return spGetStepCount(c) / 6;
}

static int spGetStiffStep(const spTortureCase* c)
{
    return spGetStepCount(c) / 3;
}

static int spGetSoftStep(const spTortureCase* c)
{
    return 2 * spGetStepCount(c) / 3;
}

// Bodies and colliders of a case
typedef struct spTortureWorld
{
    spWorld* world;
    spBodyId body;
    spBodyId other;     // on which it falls; null for none
    spColliderId plate; // that presses it; null for none
} spTortureWorld;

static bool spIsFreeCase(const spTortureCase* c)
{
    return c->trouble == sp_troubleImpact || c->trouble == sp_troubleTouch || c->trouble == sp_troublePress;
}

static void spPlaceNodes(spWorld* world, spBodyId body, const spTortureCase* c)
{
    spVec3 x[nodeCount];
    spBody_CopyPositions(world, body, x, nodeCount);
    for (int i = pinCount; i < nodeCount; ++i)
    {
        x[i].z = c->trouble == sp_troubleInverted ? (spReal)SP_WIDTH - x[i].z : x[i].z;
        x[i].y = c->trouble == sp_troubleFlat ? (spReal)(0.5 * SP_WIDTH) : x[i].y;
    }
    spBody_SetPositions(world, body, x, nodeCount);
}

// Adds a body of the case
static spBodyId spAddTortureBody(spWorld* world, const spTortureCase* c, const spTransform* transform)
{
    spBoxMeshDef meshDef = spDefaultBoxMeshDef();
    meshDef.origin = (spDVec3){0.0, 0.0, 0.0};
    meshDef.size = (spDVec3){1.0, c->trouble == sp_troubleSlivers ? SP_THIN : SP_WIDTH, SP_WIDTH};
    meshDef.cells[0] = 4;
    meshDef.cells[1] = meshDef.cells[2] = 1;
    spMesh* mesh = spMakeBoxMesh(&meshDef, NULL);
    bool masses = c->trouble == sp_troubleMasses || c->trouble == sp_troubleMasses6;
    spReal heavy = c->trouble == sp_troubleMasses ? 1 : (spReal)1e3, nodeMasses[nodeCount];
    for (int i = 0; i < nodeCount; ++i)
    {
        nodeMasses[i] = i % 2 == 0 ? (spReal)1e-3 : heavy;
    }
    spBodyDef bodyDef = spDefaultBodyDef();
    bodyDef.mesh = mesh;
    bodyDef.transform = *transform;
    bodyDef.nodeMasses = masses ? nodeMasses : NULL;
    bodyDef.method.type = s_methods[c->method].type;
    bodyDef.method.maxSubsteps = 500;
    bodyDef.method.solver.newtonSteps = s_methods[c->method].newtonSteps > 0
                                            ? s_methods[c->method].newtonSteps
                                            : bodyDef.method.solver.newtonSteps;
    spBodyId body = spCreateBody(world, &bodyDef);
    spDestroyMesh(mesh);
    spTetDef tets = spDefaultTetDef();
    tets.law = c->law;
    tets.youngModulus = (spReal)c->young;
    tets.poissonRatio = (spReal)c->poisson;
    tets.damping = (spReal)SP_DAMPING;
    return spBody_AddTets(world, body, &tets) >= 0 ? body : (spBodyId)SP_ZERO_INIT;
}

static bool spBuildCase(const spTortureCase* c, spTortureWorld* w)
{
    spWorldDef worldDef = spDefaultWorldDef();
    *w = (spTortureWorld){.world = spCreateWorld(&worldDef, NULL)};
    spTransform transform = {.rotation = {0, 0, 0, 1}};
    if (c->trouble == sp_troubleTouch)
    {
        w->other = spAddTortureBody(w->world, c, &transform);
    }
    if (c->trouble == sp_troubleImpact || c->trouble == sp_troubleTouch)
    {
        transform.position.y = (spReal)SP_HEIGHT;
        transform.rotation = (spQuat){(spReal)0.1, 0, (spReal)0.2, (spReal)0.9746794};
    }
    if (spIsFreeCase(c))
    {
        spColliderDef ground = spDefaultColliderDef();
        spCreateCollider(w->world, &ground);
    }
    if (c->trouble == sp_troublePress)
    {
        spColliderDef plate = spDefaultColliderDef();
        plate.shape = sp_shapeBox;
        plate.halfSize = (spVec3){2, SP_PLATE, 2};
        plate.transform.position.y = (spReal)(SP_WIDTH + SP_PLATE);
        w->plate = spCreateCollider(w->world, &plate);
    }
    w->body = spAddTortureBody(w->world, c, &transform);
    const int32_t pins[pinCount] = {0, 1, 2, 3};
    if (SP_IS_NULL(w->body) ||
        (spIsFreeCase(c) == false && spBody_PinNodes(w->world, w->body, pins, pinCount) == false))
    {
        spDestroyWorld(w->world);
        return false;
    }
    spPlaceNodes(w->world, w->body, c);
    return true;
}

static spEnergy spAddEnergies(spEnergy a, spEnergy b)
{
    a.kinetic += b.kinetic;
    a.elastic += b.elastic;
    a.potential += b.potential;
    return a;
}

static spEnergy spGetCaseEnergy(const spTortureWorld* w)
{
    spEnergy e = spBody_GetEnergy(w->world, w->body);
    return SP_IS_NULL(w->other) ? e : spAddEnergies(e, spBody_GetEnergy(w->world, w->other));
}

// What happens to a case before a step
static void spTroubleCase(const spTortureWorld* w, const spTortureCase* c, int step, const spVec3* start)
{
    spWorld* world = w->world;
    spBodyId body = w->body;
    if (c->trouble == sp_troublePress)
    {
        // Down, stays, and up again, a third of the time each
        double share = 3.0 * (step + 1) / spGetStepCount(c);
        share = share > 2.0 ? 3.0 - share : fmin(1.0, share);
        spTransform to = spCollider_GetTransform(world, w->plate);
        to.position.y = (spReal)(SP_WIDTH * (1.0 - 0.4 * share) + SP_PLATE);
        spCollider_MoveTo(world, w->plate, to);
    }
    for (int32_t node = 0; c->trouble == sp_troubleJerk && step == spGetJerkStep(c) && node < pinCount;
         ++node)
    {
        spBody_DriveNode(world, body, node, (spVec3){start[node].x, start[node].y + 1, start[node].z});
    }
    if (c->trouble == sp_troubleChange && (step == spGetStiffStep(c) || step == spGetSoftStep(c)))
    {
        double factor = step == spGetSoftStep(c) ? 1.0 : 1e3;
        spBody_SetTets(world, body, 0, (spReal)(factor * c->young), (spReal)c->poisson, (spReal)SP_DAMPING);
    }
}

// What a case may do: how far its nodes may come, and what rounding may do to its energy
static void spBoundCase(const spTortureCase* c, double scale, double* allowed, double* noise)
{
    double time = c->dt * spGetStepCount(c), fall = 0.5 * SP_G * time * time;
    bool thin = c->trouble == sp_troubleSlivers;
    double section = SP_WIDTH * (thin ? SP_THIN : SP_WIDTH);
    double mass = c->trouble == sp_troubleMasses6  ? 1e4
                  : c->trouble == sp_troubleMasses ? 10.0
                                                   : 1000.0 * section;
    double stretch = 2.0 * mass * SP_G / (c->young * section);
    // From flat or mirrored it may leap
    double leap = c->trouble == sp_troubleFlat || c->trouble == sp_troubleInverted ? 10.0 : 4.0;
    leap += c->trouble == sp_troubleJerk ? 4.0 : 0.0;
    *allowed = leap + 1.5 * (s_methods[c->method].type == sp_quasiStatic ? stretch : fmin(fall, stretch));
    // Of positions, by the stiffness, and in the sum of the energy itself, which for rubber is a small
    // difference of large numbers
    bool isDouble = sizeof(spReal) == sizeof(double);
    double epsilon = isDouble ? 2.2e-16 : 1.2e-7, strain = epsilon / (thin ? SP_THIN : SP_WIDTH);
    double change = c->trouble == sp_troubleChange ? 1e3 : 1.0, nu = c->poisson;
    double modulus = change * c->young * (1.0 - nu) / ((1.0 + nu) * (1.0 - 2.0 * nu));
    *noise = modulus * section * (20.0 * strain * strain + (c->law == sp_tetNeoHookean ? epsilon : 0.0)) +
             (isDouble ? 1e-9 : 1e-2) * (fabs(scale) + mass * SP_G * fmin(fall, 1.0));
}

spTortureResult spRunTortureCase(const spTortureCase* c)
{
    spTortureResult result = {.outcome = sp_outcomeWrong};
    spMethodType type = s_methods[c->method].type;
    spTortureWorld w;
    if (spBuildCase(c, &w) == false)
    {
        return result;
    }
    spWorld* world = w.world;
    spBodyId body = w.body;
    spVec3 start[nodeCount], x[nodeCount];
    spBody_CopyPositions(world, body, start, nodeCount);
    spEnergy e = spGetCaseEnergy(&w);
    double first = e.kinetic + e.elastic + e.potential, least = first, last = first, most = 0.0;
    bool finite = true, solved = true;
    for (int i = 0; i < spGetStepCount(c); ++i)
    {
        spTroubleCase(&w, c, i, start);
        result.flags |= spWorld_Step(world, (spReal)c->dt);
        solved = solved && (type < sp_backwardEuler || spBody_GetSolverReport(world, body).converged);
        e = spGetCaseEnergy(&w);
        last = e.kinetic + e.elastic + e.potential;
        // What is done to it from outside gives it energy
        bool worked = (c->trouble == sp_troubleJerk && i <= spGetJerkStep(c) + 1) ||
                      (c->trouble == sp_troubleChange && i <= spGetSoftStep(c)) ||
                      c->trouble == sp_troublePress;
        first = worked ? last : first;
        least = fmin(least, last);
        most = fmax(most, e.kinetic);
        spBody_CopyPositions(world, body, x, nodeCount);
        for (int k = 0; k < nodeCount; ++k)
        {
            double dx = (double)x[k].x - (double)start[k].x, dy = (double)x[k].y - (double)start[k].y;
            double way = hypot(hypot(dx, dy), (double)x[k].z - (double)start[k].z);
            finite = finite && isfinite(way);
            result.reach = fmax(result.reach, way);
        }
    }
    spDestroyWorld(world);
    double noise;
    spBoundCase(c, first, &result.allowed, &noise);
    result.gain = (last - first) / (fabs(first - least) + noise);
    // What symplectic methods keep is near the energy: near their limit it wavers. A twentieth of the motion
    // is the error of a long step, not a gain.
    bool wavers = type == sp_symplecticEuler || type == sp_verlet;
    bool near = finite && result.reach <= result.allowed;
    bool gained = last > first + noise + 0.05 * most + (wavers ? 0.5 * (first - least) : 0.0);
    bool said = result.flags != 0 || (solved == false && (near == false || gained));
    result.outcome = finite == false                         ? sp_outcomeWrong
                     : said                                  ? (near ? sp_outcomeSaid : sp_outcomeFar)
                     : near == false                         ? sp_outcomeWrong
                     : gained                                ? sp_outcomeGained
                     : e.kinetic <= 0.05 * most || most == 0 ? sp_outcomeSettled
                                                             : sp_outcomeMoving;
    return result;
}
