// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Random arguments for random programs: numbers that make sense, and now and then one that does not; and
// definitions filled with them. Work stays small: counts that only cost time are never large.

#pragma once

#include "souple/souple.h"
#include "testbed/random.h"

#include <float.h>
#include <limits.h>
#include <math.h>

typedef struct Values
{
    uint64_t seed;
    bool evil;     // numbers of this call may be bad
    bool poisoned; // one of them was not finite
    bool clocked;  // the clock may decide something
} Values;

static inline bool Chance(Values* v, int outOf)
{
    return spNextRandom(&v->seed) % (uint64_t)outOf == 0;
}

static inline int Pick(Values* v, int count)
{
    return (int)(spNextRandom(&v->seed) % (uint64_t)count);
}

// About as large as `usual`, or anything
static inline spReal Number(Values* v, double usual)
{
    static const double bad[] = {(double)NAN,
                                 (double)INFINITY,
                                 -(double)INFINITY,
                                 0.0,
                                 -0.0,
                                 -1.0,
                                 1e30,
                                 -1e30,
                                 1e-30,
                                 FLT_MAX,
                                 1e-45,
                                 -1e-3,
                                 FLT_MIN,
                                 0.5,
                                 1.0,
                                 2.0,
                                 1e6,
                                 1e12};
    if (v->evil && Chance(v, 6))
    {
        double number = bad[Pick(v, (int)(sizeof(bad) / sizeof(bad[0])))];
        v->poisoned = v->poisoned || isfinite(number) == false;
        return (spReal)number;
    }
    return (spReal)(usual * exp2(spRandomRange(&v->seed, -2.0, 2.0)));
}

static inline spReal Share(Values* v)
{
    return v->evil && Chance(v, 6) ? Number(v, 1.0) : (spReal)spRandomRange(&v->seed, 0.0, 1.0);
}

static inline spReal Signed(Values* v, double usual)
{
    return Chance(v, 2) ? Number(v, usual) : -Number(v, usual);
}

static inline spVec3 Vector(Values* v, double usual)
{
    return (spVec3){Signed(v, usual), Signed(v, usual), Signed(v, usual)};
}

static inline spDVec3 Point(Values* v, double usual)
{
    spVec3 a = Vector(v, usual);
    return (spDVec3){(double)a.x, (double)a.y, (double)a.z};
}

// low..high, or anything
static inline int Whole(Values* v, int low, int high)
{
    static const int bad[] = {INT_MIN, -1, 0, INT_MAX, 1 << 30, 65536, -1000};
    return v->evil && Chance(v, 6) ? bad[Pick(v, (int)(sizeof(bad) / sizeof(bad[0])))]
                                   : low + Pick(v, high - low + 1);
}

// The same for a count of things to do, which may be too small but not too large
static inline int Effort(Values* v, int low, int high)
{
    static const int bad[] = {INT_MIN, -1, 0};
    return v->evil && Chance(v, 6) ? bad[Pick(v, 3)] : low + Pick(v, high - low + 1);
}

// As a number, so that a value which the enum does not have can be tried
static inline int Choice(Values* v, int count)
{
    static const int bad[] = {INT_MAX, -1, 99};
    int i = Pick(v, 4);
    return v->evil && Chance(v, 12) ? (i == 3 ? count : bad[i]) : Pick(v, count);
}

static inline bool Either(Values* v)
{
    return Chance(v, 2);
}

static inline spTransform Placement(Values* v)
{
    spTransform t = {Vector(v, 0.5), {0, 0, 0, 1}};
    if (Chance(v, 2))
    {
        spReal half = (spReal)spRandomRange(&v->seed, 0.0, 3.0);
        t.rotation = (spQuat){0, (spReal)sin((double)half), 0, (spReal)cos((double)half)};
    }
    if (v->evil && Chance(v, 6))
    {
        t.rotation = (spQuat){Signed(v, 1.0), Signed(v, 1.0), Signed(v, 1.0), Signed(v, 1.0)};
    }
    return t;
}

// What tells that a definition did not come from its default function
static inline int Cookie(Values* v, int right)
{
    return v->evil && Chance(v, 20) ? 0 : right;
}

static inline spMethodDef RandomMethod(Values* v)
{
    spMethodDef def = spDefaultMethodDef();
    def.type = (spMethodType)Choice(v, sp_methodTypeCount);
    def.contact = (spContactMode)Choice(v, sp_contactOff + 1);
    def.substeps = Effort(v, 0, 3);
    def.maxSubsteps = Effort(v, 1, 20);
    def.safety = Chance(v, 4) ? Share(v) : def.safety;
    def.solver.maxIterations = Effort(v, 1, 20);
    def.solver.newtonSteps = Effort(v, 0, 3);
    if (Chance(v, 6))
    {
        static const int32_t edges[] = {0, 1, 1, 2, 2, 3, 0, 0, -1, 1000};
        def.filter.type = (spFilterType)Choice(v, sp_filterGaussian + 1);
        def.filter.reading = (spFilterReading)Choice(v, sp_filterReadingCount);
        def.filter.lambda = Number(v, 1.0);
        def.filter.adaptive = Either(v);
        def.filter.keepRotation = Either(v);
        def.filter.allowNegative = Either(v);
        if (Chance(v, 3))
        {
            def.filter.edges = edges;
            def.filter.edgeCount = v->evil ? Effort(v, 1, 5) : 3;
        }
    }
    if (Chance(v, 3))
    {
        spSolverDef* solver = &def.solver;
        solver->operatorType = (spOperatorType)Choice(v, sp_operatorTypeCount);
        solver->preconditioner = (spPreconditionerType)Choice(v, sp_preconditionerTypeCount);
        solver->tolerance = Number(v, 1e-3);
        solver->newtonTolerance = Number(v, 1e-3);
        solver->asynchronous = Chance(v, 8);
        solver->warp = Either(v);
        solver->refresh = Effort(v, 0, 3);
        solver->age = Effort(v, v->clocked ? 0 : 1, 2);
        solver->dropTolerance = Share(v);
    }
    if (Chance(v, 3))
    {
        spXpbdDef* xpbd = &def.xpbd;
        xpbd->solver = (spXpbdSolver)Choice(v, sp_xpbdSolverCount);
        xpbd->accelerator = (spAccelerator)Choice(v, sp_acceleratorCount);
        xpbd->tetRows = (spTetRows)Choice(v, sp_tetRowsCount);
        xpbd->order = (spXpbdOrder)Choice(v, sp_xpbdOrderCount);
        xpbd->iterations = Effort(v, 1, 8);
        xpbd->relaxation = Number(v, 1.0);
        xpbd->window = Effort(v, 1, 5);
        xpbd->conditionLimit = Number(v, 1e6);
        xpbd->safeguard = Either(v);
        xpbd->radius = Share(v);
        xpbd->delay = Effort(v, 0, 3);
    }
    def.internalValue = Cookie(v, def.internalValue);
    return def;
}

static inline spColliderDef RandomCollider(Values* v)
{
    spColliderDef def = spDefaultColliderDef();
    def.name =
        Chance(v, 3) ? "a collider with a name that is much longer than any name may be, by far" : NULL;
    def.shape = (spShape)Choice(v, sp_shapeCount);
    def.transform = Placement(v);
    def.radius = Number(v, 0.5);
    def.halfHeight = Number(v, 0.5);
    def.halfSize = (spVec3){Number(v, 0.5), Number(v, 0.5), Number(v, 0.5)};
    def.friction = Share(v);
    def.restitution = Share(v);
    def.internalValue = Cookie(v, def.internalValue);
    return def;
}

static inline spSpringDef RandomSprings(Values* v, const int32_t* indices, const spReal* numbers)
{
    spSpringDef def = spDefaultSpringDef();
    def.damping = 1;
    if (Chance(v, 3))
    {
        def.edges = indices;
        def.edgeCount = Effort(v, 1, 8);
        def.stiffnesses = Chance(v, 4) ? numbers : NULL;
        def.restLengths = Chance(v, 4) ? numbers : NULL;
    }
    def.law = (spSpringLaw)Choice(v, sp_springLawCount);
    def.stiffness = Number(v, 100.0);
    def.youngModulus = Chance(v, 4) ? Number(v, 1e4) : def.youngModulus;
    def.thickness = Chance(v, 4) ? Number(v, 0.01) : def.thickness;
    def.damping = Number(v, 0.1);
    def.restScale = Chance(v, 4) ? Number(v, 1.0) : def.restScale;
    if (Chance(v, 4))
    {
        def.activationAmplitude = Share(v) - (spReal)0.5;
        def.activationFrequency = Number(v, 1.0);
        def.activationPhase = Signed(v, 90.0);
    }
    def.internalValue = Cookie(v, def.internalValue);
    return def;
}

static inline spTetDef RandomTets(Values* v, const int32_t* indices, const spReal* numbers)
{
    spTetDef def = spDefaultTetDef();
    if (Chance(v, 8))
    {
        def.tets = indices;
        def.tetCount = Effort(v, 1, 4);
        def.youngModuli = Chance(v, 2) ? numbers : NULL;
        def.poissonRatios = Chance(v, 4) ? numbers : NULL;
    }
    def.law = (spTetLaw)Choice(v, sp_tetLawCount);
    def.youngModulus = Number(v, 1e4);
    def.poissonRatio = (spReal)0.49 * Share(v);
    if (Chance(v, 6))
    {
        def.lameLambda = Number(v, 1e4);
        def.lameMu = Number(v, 1e4);
    }
    def.mooney = Share(v);
    def.damping = Chance(v, 2) ? Number(v, 0.01) : 0;
    def.dampingModel = (spTetDamping)Choice(v, sp_tetDampingCount);
    def.internalValue = Cookie(v, def.internalValue);
    return def;
}

static inline spConstraintDef RandomConstraints(Values* v, const int32_t* indices, const spReal* numbers)
{
    spConstraintDef def = spDefaultConstraintDef();
    def.type = (spConstraintType)Choice(v, sp_constraintTypeCount);
    if (Chance(v, 3))
    {
        def.nodes = indices;
        def.count = Effort(v, 1, 4);
        def.rest = Chance(v, 3) ? numbers : NULL;
    }
    def.compliance = Chance(v, 2) ? Number(v, 1e-4) : 0;
    def.damping = Number(v, 0.01);
    def.restScale = Number(v, 1.0);
    def.internalValue = Cookie(v, def.internalValue);
    return def;
}

static inline spGasDef RandomGas(Values* v, const int32_t* indices)
{
    spGasDef def = spDefaultGasDef();
    def.ambient = false;
    if (Chance(v, 4))
    {
        def.triangles = indices;
        def.triangleCount = Effort(v, 1, 4);
    }
    if (Chance(v, 3))
    {
        static const int32_t ring[] = {0, 1, 2, 3, 4};
        def.outline = Chance(v, 2) ? ring : indices;
        def.outlineCount = Effort(v, 3, 5);
    }
    def.knrt = Chance(v, 2) ? Number(v, 10.0) : def.knrt;
    def.restPressure = Chance(v, 2) ? Number(v, 100.0) : 0;
    def.ambient = Either(v);
    def.breathAmplitude = Chance(v, 2) ? Share(v) : 0;
    def.breathFrequency = Number(v, 1.0);
    def.internalValue = Cookie(v, def.internalValue);
    return def;
}

static inline spBendDef RandomBends(Values* v)
{
    spBendDef def = spDefaultBendDef();
    def.stiffness = Number(v, 1e-3);
    def.youngModulus = Chance(v, 3) ? Number(v, 1e4) : 0;
    def.poissonRatio = (spReal)0.49 * Share(v);
    def.thickness = Number(v, 0.01);
    def.damping = Number(v, 1e-5);
    def.flat = Either(v);
    def.internalValue = Cookie(v, def.internalValue);
    return def;
}

static inline spWindDef RandomWind(Values* v)
{
    spWindDef def = spDefaultWindDef();
    def.velocity = Vector(v, 2.0);
    def.gustAmplitude = Number(v, 0.5);
    def.gustFrequency = Number(v, 1.0);
    def.density = Number(v, 1.0);
    def.normalDrag = Number(v, 1.0);
    def.tangentDrag = Number(v, 0.05);
    def.oneSided = Either(v);
    def.internalValue = Cookie(v, def.internalValue);
    return def;
}

static inline spFieldDef RandomField(Values* v)
{
    spFieldDef def = spDefaultFieldDef();
    def.type = (spFieldType)Choice(v, sp_fieldTypeCount);
    def.coefficient = Number(v, 0.1);
    def.normal = v->evil && Chance(v, 4) ? Vector(v, 1.0) : def.normal;
    def.offset = Signed(v, 1.0);
    def.minDistance = Number(v, 1e-3);
    def.cutoff = Number(v, 10.0);
    def.internalValue = Cookie(v, def.internalValue);
    return def;
}

// Every generator in turn; sizes that are too large meet the limit of the allocator
static inline spMesh* RandomMesh(Values* v, const spAllocator* allocator, spError* error)
{
    spBoxMeshDef box = spDefaultBoxMeshDef();
    spRoundMeshDef round = spDefaultRoundMeshDef();
    spClothMeshDef cloth = spDefaultClothMeshDef();
    spLatticeMeshDef lattice = spDefaultLatticeMeshDef();
    spShellMeshDef shell = spDefaultShellMeshDef();
    switch (Pick(v, 8))
    {
        case 0:
            box.origin = Point(v, 1.0);
            box.size = (spDVec3){(double)Number(v, 1.0), (double)Number(v, 1.0), (double)Number(v, 1.0)};
            for (int i = 0; i < 3; ++i)
            {
                box.cells[i] = Whole(v, 1, 2);
            }
            box.split = (spCellSplit)Choice(v, 2);
            box.allocator = *allocator;
            box.internalValue = Cookie(v, box.internalValue);
            return spMakeBoxMesh(&box, error);
        case 1:
        case 2:
        case 3:
        {
            round.center = Point(v, 1.0);
            round.radius = (double)Number(v, 0.5);
            round.height = (double)Number(v, 0.5);
            round.tubeRadius = (double)Number(v, 0.1);
            round.resolution = Whole(v, 1, 2);
            round.allocator = *allocator;
            round.internalValue = Cookie(v, round.internalValue);
            int which = Pick(v, 3);
            return which == 0   ? spMakeBallMesh(&round, error)
                   : which == 1 ? spMakeCylinderMesh(&round, error)
                                : spMakeTorusMesh(&round, error);
        }
        case 4:
            cloth.corner = Point(v, 1.0);
            cloth.sizeX = (double)Number(v, 1.0);
            cloth.sizeZ = (double)Number(v, 1.0);
            cloth.countX = Whole(v, 2, 4);
            cloth.countZ = Whole(v, 2, 4);
            cloth.shear = Either(v);
            cloth.bend = Either(v);
            cloth.alternate = Either(v);
            cloth.allocator = *allocator;
            cloth.internalValue = Cookie(v, cloth.internalValue);
            return spMakeClothMesh(&cloth, error);
        case 5:
            lattice.origin = Point(v, 1.0);
            lattice.spacing = (double)Number(v, 0.1);
            for (int i = 0; i < 3; ++i)
            {
                lattice.counts[i] = Whole(v, 1, 3);
            }
            lattice.allocator = *allocator;
            lattice.internalValue = Cookie(v, lattice.internalValue);
            return spMakeLatticeMesh(&lattice, error);
        default:
            shell.center = Point(v, 1.0);
            shell.radius = (double)Number(v, 0.5);
            shell.layers = Whole(v, 1, 2);
            shell.layerDistance = (double)Number(v, 0.05);
            shell.points = Whole(v, 3, 8);
            shell.level = Whole(v, 0, 1);
            shell.allocator = *allocator;
            shell.internalValue = Cookie(v, shell.internalValue);
            return Either(v) ? spMakeDiscMesh(&shell, error) : spMakeIcosphereMesh(&shell, error);
    }
}
