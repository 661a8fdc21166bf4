// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Energy that nobody gave. A body that is left alone turns one sort of energy into another, or loses some;
// one that gains has a step that is too long for it, or too few linearisations, and must say so before it
// flies apart.
//
// To measure elastic energy costs more than forces do. It is looked at when a body is faster than ever
// before, and not in every step: who gains energy gets there, who swings and settles does not.

#include "body/sets.h"
#include "world/world.h"

#include <float.h>
#include <math.h>
#include <string.h>

// From one look to the next: steps at the least, and growth of the kinetic energy
#define SP_WATCH_STEPS 8
#define SP_WATCH_GROWTH 1.1

// Of the kinetic energy: what steps and tolerances of solvers may add to the least energy for a while
#define SP_WATCH_GAIN 0.2

// What rounding of positions does to the energy, times this, is no gain
#define SP_WATCH_NOISE 16.0

// Methods that may gain energy where nothing else shows it. Symplectic ones only waver around theirs.
static bool spMayGain(spMethodType type)
{
    return type == sp_forwardEuler || type == sp_localImplicit || type == sp_backwardEuler ||
           type == sp_bdf2 || type == sp_imex;
}

// Whether a set takes back what it gave, and can tell how much that is
static bool spKeepsEnergy(const spBody* body, int set)
{
    const uint32_t asked = sp_kindConservative | sp_kindField | sp_kindGlobal;
    const spSpringSet* springs = spGetSpringSet(body, set);
    const spTetSet* tets = spGetTetSet(body, set);
    return (body->sets[set]->kind->flags & asked) == sp_kindConservative &&
           (springs == NULL || springs->amplitude == 0.0) &&
           (tets == NULL || tets->law != sp_tetCorotationalEdge);
}

// Whether nothing from outside but gravity does work on a body
static bool spIsAlone(const spBody* body)
{
    bool alone = body->rowCount == 0 && body->drivenCount == 0 && body->island < 0;
    for (int i = 0; alone && i < body->setCount; ++i)
    {
        alone = spKeepsEnergy(body, i);
    }
    return alone && (body->nodeForces == NULL || body->backend->isZero(body->nodeForces, 0, body->nodeCount));
}

static double spSumEnergy(spEnergy energy)
{
    return energy.kinetic + energy.elastic + energy.potential;
}

void spForgetWatch(spBody* body)
{
    body->watch.begun = false;
}

void spBeginWatch(spBody* body, spVec3 gravity)
{
    spEnergyWatch* watch = &body->watch;
    bool same = watch->materialVersion == body->materialVersion &&
                memcmp(&watch->gravity, &gravity, sizeof(gravity)) == 0;
    if (spMayGain(body->methodDef.type) == false || spIsAlone(body) == false)
    {
        watch->begun = false;
    }
    else if (watch->begun == false || same == false)
    {
        spEnergy energy = spGetBodyEnergy(body, body->x, gravity);
        *watch = (spEnergyWatch){
            .begun = true,
            .reference = spSumEnergy(energy),
            .fastest = energy.kinetic,
            .materialVersion = body->materialVersion,
            .gravity = gravity,
        };
    }
}

// Of rubber the energy is a small difference of large numbers: what rounding leaves of them, in units of the
// last place
static double spGetRubberEnergy(const spBody* body)
{
    double sum = 0.0;
    for (int i = 0; i < body->setCount; ++i)
    {
        const spTetSet* tets = spGetTetSet(body, i);
        bool isRubber = tets != NULL && (tets->law == sp_tetNeoHookean || tets->law == sp_tetMooneyRivlin);
        for (int k = 0; isRubber && k < tets->base.elementCount; ++k)
        {
            sum += (double)tets->volumes[k] * (double)tets->tets[k].youngModulus;
        }
    }
    return sum;
}

// How much of the energy is rounding: every coordinate by one place, up or down, in several ways. The good
// state is done with by now.
static double spGetEnergyNoise(spBody* body, double energy, spVec3 gravity)
{
    const spReal unit = sizeof(spReal) == sizeof(float) ? (spReal)FLT_EPSILON : (spReal)DBL_EPSILON;
    double most = (double)unit * spGetRubberEnergy(body);
    for (uint32_t way = 0; way < 4; ++way)
    {
        body->backend->roundCoordinates(body->goodX, body->x, unit, way, 0, body->nodeCount);
        most = fmax(most, fabs(spSumEnergy(spGetBodyEnergy(body, body->goodX, gravity)) - energy));
    }
    return SP_WATCH_NOISE * most;
}

bool spEndWatch(spBody* body, spVec3 gravity)
{
    spEnergyWatch* watch = &body->watch;
    if (watch->begun == false || body->rowCount > 0)
    {
        watch->begun = false;
        return false;
    }
    // Forward Euler gains at any step, and is there to show it
    double growth = body->methodDef.type == sp_forwardEuler ? 0.0 : SP_WATCH_GROWTH;
    watch->age += 1;
    if (watch->age < SP_WATCH_STEPS || spGetKineticEnergy(body) <= growth * watch->fastest)
    {
        return false;
    }
    watch->age = 0;
    spEnergy energy = spGetBodyEnergy(body, body->x, gravity);
    double sum = spSumEnergy(energy), gain = sum - watch->reference;
    watch->fastest = fmax(watch->fastest, energy.kinetic);
    bool gained = gain > SP_WATCH_GAIN * watch->fastest && gain > spGetEnergyNoise(body, sum, gravity);
    // Who has said it says it again when it has gained more
    watch->reference = gained ? sum : fmin(watch->reference, sum);
    return gained;
}
