// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Energy that nobody gave. A body that is left alone turns one sort of energy into another, or loses some;
// one that gains has a step that is too long for it, or too few linearisations, and must say so before it
// flies apart.
//
// It is looked at when a body is faster than ever before, and not in every step: who gains energy gets there,
// who swings and settles does not.
//
// Symplectic methods waver around an energy that they keep, the more the nearer they are to their longest step.
// In a linear body they keep, with U the elastic energy and K its stiffness,
//
//   H = T(v) + U(m) - h^2/8 v.K v,   h^2/4 v.K v = U(m + h/2 v) - 2 U(m) + U(m - h/2 v)
//
// with m = x for Verlet, and half a substep behind, m = x - h/2 v, for symplectic Euler. They gain all the same
// where rounding of positions moves the forces: white noise, in every substep anew.
// Hairer, Lubich, Wanner. Geometric Numerical Integration. 2006

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

// Of symplectic methods, whose waver is known
#define SP_WATCH_SYMPLECTIC_GAIN 0.1

// What rounding of positions does to the energy, times this, is no gain
#define SP_WATCH_NOISE 16.0

// Methods that may gain energy where nothing else shows it. That of levels is not the energy of the finest mesh: what
// nodes that follow others show there comes and goes.
static bool spMayGain(spMethodType type)
{
    return type != sp_quasiStatic && type != sp_xpbd && type != sp_multiresolution;
}

static bool spIsSymplectic(spMethodType type)
{
    return type == sp_symplecticEuler || type == sp_verlet;
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

// Elastic and potential energy where the nodes were so many seconds ago. Uses the good state, which is done with
// when a step ends.
static double spGetEnergyBefore(spBody* body, spReal seconds, spVec3 gravity)
{
    int remainder = spGetRemainder(body);
    spCopyPositions(body, body->goodX, body->x);
    if (remainder > 0)
    {
        body->backend->setPositionsPrecise(body->goodX, remainder, body->goodX, -seconds, body->v, 0,
                                           body->nodeCount);
    }
    else
    {
        body->backend->drift(body->goodX, body->v, -seconds, 0, body->nodeCount);
    }
    spEnergy energy = spGetBodyEnergy(body, body->goodX, gravity);
    return energy.elastic + energy.potential;
}

// The energy that the method keeps, at most
static double spGetKeptBound(spBody* body, spEnergy energy, spVec3 gravity)
{
    return body->methodDef.type == sp_symplecticEuler
               ? energy.kinetic + spGetEnergyBefore(body, body->substep / 2, gravity)
               : spSumEnergy(energy);
}

// How much less than the bound a symplectic method keeps
static double spGetWaver(spBody* body, spVec3 gravity)
{
    spReal h = body->substep, back = body->methodDef.type == sp_symplecticEuler ? h / 2 : 0;
    double middle = spGetEnergyBefore(body, back, gravity);
    double before = spGetEnergyBefore(body, back + h / 2, gravity);
    double after = spGetEnergyBefore(body, back - h / 2, gravity);
    return fmax(0.5 * (before - 2.0 * middle + after), 0.0);
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

// How much of the energy is rounding: every coordinate by one place, up or down, in several ways
static double spGetEnergyNoise(spBody* body, double energy, spVec3 gravity)
{
    if (spGetRemainder(body) > 0)
    {
        // Forces are rounded, positions are not
        spEnergy now = spGetBodyEnergy(body, body->x, gravity);
        return SP_WATCH_NOISE *
               (FLT_EPSILON * (now.kinetic + now.elastic) + DBL_EPSILON * fabs(now.potential));
    }
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
    double sum = spGetKeptBound(body, energy, gravity), gain = sum - watch->reference;
    watch->fastest = fmax(watch->fastest, energy.kinetic);
    bool symplectic = spIsSymplectic(body->methodDef.type);
    double limit = (symplectic ? SP_WATCH_SYMPLECTIC_GAIN : SP_WATCH_GAIN) * watch->fastest;
    if (symplectic && gain > limit)
    {
        double waver = spGetWaver(body, gravity);
        sum -= waver;
        gain -= waver;
    }
    bool gained = gain > limit && gain > spGetEnergyNoise(body, spSumEnergy(energy), gravity);
    // Who has said it says it again when it has gained more
    watch->reference = gained ? sum : fmin(watch->reference, sum);
    return gained;
}
