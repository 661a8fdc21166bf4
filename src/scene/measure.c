// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Measurements: one number each, after every step.

#include "scene/run.h"
#include "souple/edit.h"
#include "souple/levels.h"

#include <math.h>

static bool spIsFlat(const spRun* run, int body)
{
    const spBodyData* data = run->bodies[body].data;
    return data->mesh.generator == sp_generateDisc || spIsGiven(&data->gas.head, &data->gas.outline);
}

static bool spIsHinge(const spRun* run, int body)
{
    return run->bodies[body].data->joint.type == sp_jointHinge - 1;
}

static const char* spGetUnit(const spRun* run, const spRunMeasurement* measurement)
{
    switch (measurement->data->type)
    {
        case sp_measurePosition:
        case sp_measureHeight:
        case sp_measureContactDepth:
            return "m";
        case sp_measureVelocity:
        case sp_measureContactSlip:
            return "m/s";
        case sp_measureEnergy:
            return "J";
        case sp_measureOverlap:
            return "m^3";
        case sp_measureVolume:
            return spIsFlat(run, measurement->body) ? "m^2" : "m^3";
        case sp_measurePressure:
            return spIsFlat(run, measurement->body) ? "N/m" : "Pa";
        case sp_measureMomentum:
            return "kg m/s";
        case sp_measureAngularMomentum:
            return "kg m^2/s";
        case sp_measureStableStep:
            return "s";
        case sp_measureVonMises:
        case sp_measureContactPressure:
            return "Pa";
        case sp_measureStrain:
        case sp_measureInverted:
        case sp_measureFlat:
        case sp_measureIterations:
        case sp_measureResidual:
        case sp_measureContactCount:
        case sp_measureIntersections:
        case sp_measureSleeping:
        case sp_measurePieces:
        case sp_measureActiveNodes:
        case sp_measureEvaluations:
        case sp_measureLoad:
            return "";
        case sp_measureContactTorque:
        case sp_measureJointTorque:
            return "N m";
        case sp_measureJointPosition:
            return spIsHinge(run, measurement->body) ? "degrees" : "m";
        case sp_measureMotor:
            return spIsHinge(run, measurement->body) ? "N m" : "N";
        default:
            return "N";
    }
}

// The node that is probed: a number, or the nearest one to a point
static bool spFindProbe(spRun* run, spRunMeasurement* measurement, spProblems* problems)
{
    const spMeasurementData* data = measurement->data;
    const spRunBody* body = &run->bodies[measurement->body];
    measurement->node = data->node;
    if (spIsGiven(&data->head, &data->point))
    {
        int count = spBody_CopyPositions(run->world, body->id, run->scratch, run->scratchCount);
        double best = INFINITY;
        for (int i = 0; i < count; ++i)
        {
            double x = run->scratch[i].x - data->point.x, y = run->scratch[i].y - data->point.y;
            double z = run->scratch[i].z - data->point.z;
            double distance = x * x + y * y + z * z;
            if (distance < best)
            {
                best = distance;
                measurement->node = i;
            }
        }
    }
    if (measurement->node >= body->nodeCount)
    {
        spReport(problems, &data->head, &data->node, "node %d does not exist: the body has %d nodes",
                 measurement->node, body->nodeCount);
        return false;
    }
    return true;
}

bool spBuildMeasurements(spRun* run, spProblems* problems)
{
    const spScene* scene = run->scene;
    run->measurementCount = scene->data.measurements.count;
    run->measurements =
        spAllocZeroed(&run->heap, spArraySize(run->measurementCount, sizeof(spRunMeasurement)));
    run->values = spAllocZeroed(&run->heap, spArraySize(run->measurementCount, sizeof(double)));
    if (run->measurementCount > 0 && (run->measurements == NULL || run->values == NULL))
    {
        return false;
    }
    for (int i = 0; i < run->measurementCount; ++i)
    {
        const spMeasurementData* data = (const spMeasurementData*)scene->data.measurements.data + i;
        spRunMeasurement* measurement = &run->measurements[i];
        measurement->data = data;
        measurement->body = spFindBodyIndex(scene, data->body);
        measurement->collider = spFindColliderIndex(scene, data->collider);
        measurement->otherBody = spFindBodyIndex(scene, data->otherBody);
        measurement->otherCollider = spFindColliderIndex(scene, data->otherCollider);
        measurement->link = spFindLinkIndex(scene, data->link);
        measurement->unit = spGetUnit(run, measurement);
        if (data->type == sp_measurePosition || data->type == sp_measureVelocity)
        {
            spFindProbe(run, measurement, problems);
        }
    }
    return true;
}

static double spPickComponent(spVec3 v, int component)
{
    switch (component)
    {
        case sp_componentX:
            return v.x;
        case sp_componentY:
            return v.y;
        case sp_componentZ:
            return v.z;
        default:
            return sqrt((double)v.x * v.x + (double)v.y * v.y + (double)v.z * v.z);
    }
}

static double spPickEnergy(spEnergy energy, int part)
{
    switch (part)
    {
        case sp_energyKinetic:
            return energy.kinetic;
        case sp_energyElastic:
            return energy.elastic;
        case sp_energyPotential:
            return energy.potential;
        default:
            return energy.kinetic + energy.elastic + energy.potential;
    }
}

// The number of each tet that is measured, into tetNumbers. Returns how many there are.
static int spReadTets(spRun* run, const spRunMeasurement* measurement)
{
    const spRunBody* body = &run->bodies[measurement->body];
    if (measurement->data->type == sp_measureVonMises)
    {
        return spBody_CopyTetStress(run->world, body->id, body->tetSet, body->tetNumbers, body->tetCount);
    }
    int count = spBody_CopyTetStates(run->world, body->id, body->tetSet, body->tetStates, body->tetCount);
    for (int i = 0; i < count; ++i)
    {
        body->tetNumbers[i] = body->tetStates[i].principalStrain.x;
    }
    return count;
}

static double spMeasureTets(spRun* run, const spRunMeasurement* measurement)
{
    const spRunBody* body = &run->bodies[measurement->body];
    int count = spReadTets(run, measurement);
    double sum = 0.0, volume = 0.0, smallest = INFINITY, largest = -INFINITY;
    for (int i = 0; i < count; ++i)
    {
        double value = (double)body->tetNumbers[i];
        sum += value * body->tetVolumes[i];
        volume += body->tetVolumes[i];
        smallest = fmin(smallest, value);
        largest = fmax(largest, value);
    }
    if (count == 0)
    {
        return NAN;
    }
    int of = measurement->data->of;
    return of == sp_summaryMean ? sum / volume : (of == sp_summaryMin ? smallest : largest);
}

// One body, or the sum (for the stable step: the smallest) over all
static double spMeasureBodies(const spRun* run, const spRunMeasurement* measurement)
{
    const spMeasurementData* data = measurement->data;
    int first = measurement->body >= 0 ? measurement->body : 0;
    int end = measurement->body >= 0 ? measurement->body + 1 : run->scene->data.bodies.count;
    double energy = 0.0, step = INFINITY, count = 0.0;
    spVec3 sum = {0, 0, 0};
    for (int i = first; i < end; ++i)
    {
        spBodyId id = run->bodies[i].id;
        spVec3 v = {0, 0, 0};
        switch (data->type)
        {
            case sp_measureEnergy:
                energy += spPickEnergy(spBody_GetEnergy(run->world, id), data->part);
                break;
            case sp_measureStableStep:
                step = fmin(step, spBody_GetStableStep(run->world, id));
                break;
            case sp_measureInverted:
                count += spBody_CountInvertedTets(run->world, id);
                break;
            case sp_measureFlat:
                count += spBody_CountFlatTets(run->world, id);
                break;
            case sp_measureMomentum:
                v = spBody_GetMomentum(run->world, id);
                break;
            default:
                v = spBody_GetAngularMomentum(run->world, id);
                break;
        }
        sum = (spVec3){sum.x + v.x, sum.y + v.y, sum.z + v.z};
    }
    bool counted = data->type == sp_measureInverted || data->type == sp_measureFlat;
    return data->type == sp_measureEnergy       ? energy
           : data->type == sp_measureStableStep ? step
           : counted                            ? count
                                                : spPickComponent(sum, data->component);
}

static double spMeasureHeight(spRun* run, const spRunMeasurement* measurement)
{
    const spRunBody* body = &run->bodies[measurement->body];
    int count = spBody_CopyPositions(run->world, body->id, run->scratch, run->scratchCount);
    double sum = 0.0, lowest = INFINITY, highest = -INFINITY;
    int there = 0;
    for (int i = 0; i < count; ++i)
    {
        if (spBody_GetNodeRole(run->world, body->id, i) != sp_nodeGone)
        {
            sum += run->scratch[i].y;
            lowest = fmin(lowest, run->scratch[i].y);
            highest = fmax(highest, run->scratch[i].y);
            there += 1;
        }
    }
    int of = measurement->data->of;
    double height = of == sp_summaryMean ? sum / there : (of == sp_summaryMin ? lowest : highest);
    return there > 0 ? height : (double)NAN;
}

static spThing spGetThing(const spRun* run, int body, int collider)
{
    spThing thing = {0};
    thing.body = body >= 0 ? run->bodies[body].id : thing.body;
    thing.collider = collider >= 0 ? run->colliders[collider] : thing.collider;
    return thing;
}

// What a body or a collider feels of everything, or of one other thing
static double spMeasureContact(const spRun* run, const spRunMeasurement* measurement)
{
    const spMeasurementData* data = measurement->data;
    bool any = measurement->otherBody < 0 && measurement->otherCollider < 0;
    spPairLoad load = spWorld_GetPairLoad(
        run->world, spGetThing(run, measurement->body, measurement->collider),
        spGetThing(run, measurement->otherBody, measurement->otherCollider), spToVec3(data->point));
    switch (data->type)
    {
        case sp_measureContactForce:
            // What holds nodes to a collider counts among what it feels
            load.force = any == false ? load.force
                         : measurement->collider >= 0
                             ? spCollider_GetForce(run->world, run->colliders[measurement->collider])
                             : spBody_GetContactForce(run->world, run->bodies[measurement->body].id);
            return spPickComponent(load.force, data->component);
        case sp_measureContactTorque:
            return spPickComponent(load.torque, data->component);
        case sp_measureContactCount:
            return load.contactCount;
        case sp_measureContactPressure:
            return (double)load.pressure;
        case sp_measureContactDepth:
            return (double)load.depth;
        default:
            return (double)load.slip;
    }
}

static double spMeasureJoint(const spRun* run, const spRunMeasurement* measurement)
{
    const spMeasurementData* data = measurement->data;
    spJointState state = spBody_GetJointState(run->world, run->bodies[measurement->body].id);
    switch (data->type)
    {
        case sp_measureJointForce:
            return spPickComponent(state.force, data->component);
        case sp_measureJointTorque:
            return spPickComponent(state.torque, data->component);
        case sp_measureJointPosition:
            return (double)state.position / (spIsHinge(run, measurement->body) ? SP_DEGREE : 1.0);
        default:
            return (double)state.motor;
    }
}

static double spMeasure(spRun* run, const spRunMeasurement* measurement)
{
    const spMeasurementData* data = measurement->data;
    const spRunBody* body = measurement->body >= 0 ? &run->bodies[measurement->body] : NULL;
    spVec3 v = {0, 0, 0}, nothing = {NAN, NAN, NAN};
    int count = 0;
    switch (data->type)
    {
        case sp_measurePosition:
            count = spBody_CopyPositions(run->world, body->id, run->scratch, run->scratchCount);
            v = measurement->node < count ? run->scratch[measurement->node] : nothing;
            return spPickComponent(v, data->component);
        case sp_measureVelocity:
            count = spBody_CopyVelocities(run->world, body->id, run->scratch, run->scratchCount);
            v = measurement->node < count ? run->scratch[measurement->node] : nothing;
            return spPickComponent(v, data->component);
        case sp_measureVolume:
            return spBody_GetVolume(run->world, body->id);
        case sp_measurePressure:
            return spBody_GetPressure(run->world, body->id, body->gasSet);
        case sp_measureHeight:
            return spMeasureHeight(run, measurement);
        case sp_measureVonMises:
        case sp_measureStrain:
            return spMeasureTets(run, measurement);
        case sp_measureIterations:
        {
            spSolverReport report = spBody_GetSolverReport(run->world, body->id);
            return report.sweeping ? report.sweeps : report.iterations;
        }
        case sp_measureResidual:
            return spBody_GetSolverReport(run->world, body->id).residual;
        case sp_measureIntersections:
            return spWorld_GetReport(run->world).intersectionCount;
        case sp_measureSleeping:
            return spWorld_GetReport(run->world).sleepingCount;
        case sp_measurePieces:
            return spBody_GetPieceCount(run->world, body->id);
        case sp_measureOverlap:
            return spWorld_MeasureOverlap(
                run->world, spGetThing(run, measurement->body, measurement->collider),
                spGetThing(run, measurement->otherBody, measurement->otherCollider));
        case sp_measureActiveNodes:
        {
            spLevelsReport report = spBody_GetLevels(run->world, body->id);
            for (int i = 0; i < report.levelCount; ++i)
            {
                count += report.activeCounts[i];
            }
            return count;
        }
        case sp_measureEvaluations:
            return spBody_GetLevels(run->world, body->id).evaluations;
        case sp_measureLoad:
            return spBody_GetLevels(run->world, body->id).load;
        case sp_measureContactForce:
        case sp_measureContactTorque:
        case sp_measureContactCount:
        case sp_measureContactPressure:
        case sp_measureContactDepth:
        case sp_measureContactSlip:
            return spMeasureContact(run, measurement);
        case sp_measureJointForce:
        case sp_measureJointTorque:
        case sp_measureJointPosition:
        case sp_measureMotor:
            return spMeasureJoint(run, measurement);
        case sp_measurePinForce:
            return spPickComponent(spBody_GetPinForce(run->world, body->id), data->component);
        case sp_measureLinkForce:
        {
            // A grab that holds nothing yet, or no more, pulls with nothing
            const spRunLink* link = &run->links[measurement->link];
            v = link->held ? spLink_GetForce(run->world, link->id) : v;
            return spPickComponent(v, data->component);
        }
        default:
            return spMeasureBodies(run, measurement);
    }
}

void spTakeMeasurements(spRun* run)
{
    for (int i = 0; i < run->measurementCount; ++i)
    {
        run->values[i] = spMeasure(run, &run->measurements[i]);
    }
}
