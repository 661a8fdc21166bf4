// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Stress, strain and modulus at the nodes, as they are drawn: closed forms of uniform stretches, the mean of the
// tets around a node, the same bits for any number of lanes; and the numbers of element sets as users read them.

#include "base/core.h"
#include "testbed/check.h"
#include "testbed/worlds.h"

#include <stdlib.h>
#include <string.h>

#define TOLERANCE (sizeof(spReal) == 8 ? 1e-10 : 3e-5)

typedef struct Levels
{
    spReal* stress;
    spReal* strain;
    int count;
} Levels;

static Levels ReadLevels(const spTestWorld* test)
{
    int count = spBody_GetNodeCount(test->world, test->body);
    Levels levels = {malloc((size_t)count * sizeof(spReal)), malloc((size_t)count * sizeof(spReal)), count};
    assert_int_equal(spBody_CopyNodeStress(test->world, test->body, levels.stress, count), count);
    assert_int_equal(spBody_CopyNodeStrain(test->world, test->body, levels.strain, count), count);
    return levels;
}

static void FreeLevels(Levels* levels)
{
    free(levels->stress);
    free(levels->strain);
}

static void Place(const spTestWorld* test, spVec3 (*map)(spVec3))
{
    int count = spBody_GetNodeCount(test->world, test->body);
    spVec3* x = malloc((size_t)count * sizeof(spVec3));
    spBody_CopyPositions(test->world, test->body, x, count);
    for (int i = 0; i < count; ++i)
    {
        x[i] = map(x[i]);
    }
    assert_true(spBody_SetPositions(test->world, test->body, x, count));
    free(x);
}

// Stretched by these along the axes, then turned by 0.7 about z
static const double stretch[3] = {1.3, 0.9, 1.1};

static spVec3 Stretch(spVec3 p)
{
    return (spVec3){(spReal)(stretch[0] * p.x), (spReal)(stretch[1] * p.y), (spReal)(stretch[2] * p.z)};
}

static spVec3 StretchAndTurn(spVec3 p)
{
    spVec3 q = Stretch(p);
    double c = cos(0.7), s = sin(0.7);
    return (spVec3){(spReal)(c * q.x - s * q.y), (spReal)(s * q.x + c * q.y), q.z};
}

// Bends, twists and shears: another deformation in every tet
static spVec3 Wring(spVec3 p)
{
    double x = p.x, y = p.y, z = p.z, a = 0.9 * x;
    return (spVec3){(spReal)(1.1 * x + 0.2 * y * y), (spReal)(cos(a) * y - sin(a) * z + 0.1 * x * x),
                    (spReal)(sin(a) * y + cos(a) * z)};
}

static double GetEquivalent(double x, double y, double z)
{
    double mean = (x + y + z) / 3.0;
    x -= mean;
    y -= mean;
    z -= mean;
    return sqrt(2.0 / 3.0 * (x * x + y * y + z * z));
}

static spTestWorld MakeBeam(int law, int laneCount)
{
    spTestDef def = spDefaultTestDef();
    def.laneCount = laneCount;
    spTetDef tets = spDefaultTetDef();
    tets.law = (spTetLaw)law;
    tets.youngModulus = 1000;
    tets.poissonRatio = (spReal)0.3;
    return spBuildTetBeam(&def, 3, &tets);
}

static void TestUniformStretch(void** state)
{
    SP_UNUSED(state);
    for (int law = 0; law < sp_tetLawCount; ++law)
    {
        spTestWorld test = MakeBeam(law, 0);
        bool small = law == sp_tetLinear || law == sp_tetHybrid;
        Place(&test, small ? Stretch : StretchAndTurn);
        double e[3];
        for (int i = 0; i < 3; ++i)
        {
            e[i] = small ? stretch[i] - 1.0 : 0.5 * (stretch[i] * stretch[i] - 1.0);
        }
        Levels levels = ReadLevels(&test);
        for (int i = 0; i < levels.count; ++i)
        {
            CHECK_NEAR(levels.strain[i], GetEquivalent(e[0], e[1], e[2]), TOLERANCE);
        }
        // Corotational: stress in the turned axes (2 mu (s - 1) + la tr) s / J
        if (law == sp_tetCorotational)
        {
            double mu = 1000.0 / 2.6, la = 1000.0 * 0.3 / (1.3 * 0.4), sigma[3];
            double trace = stretch[0] + stretch[1] + stretch[2] - 3.0;
            for (int i = 0; i < 3; ++i)
            {
                sigma[i] = (2.0 * mu * (stretch[i] - 1.0) + la * trace) * stretch[i] /
                           (stretch[0] * stretch[1] * stretch[2]);
            }
            for (int i = 0; i < levels.count; ++i)
            {
                CHECK_NEAR(levels.stress[i], 1.5 * GetEquivalent(sigma[0], sigma[1], sigma[2]),
                           1000.0 * TOLERANCE);
            }
        }
        FreeLevels(&levels);
        spDestroyTestWorld(&test);
    }
}

// Rest volume of a tet of the beam
static double GetVolume(const spVec3* x, const int32_t* n)
{
    double e[3][3];
    for (int k = 0; k < 3; ++k)
    {
        e[k][0] = (double)x[n[k + 1]].x - (double)x[n[0]].x;
        e[k][1] = (double)x[n[k + 1]].y - (double)x[n[0]].y;
        e[k][2] = (double)x[n[k + 1]].z - (double)x[n[0]].z;
    }
    return (e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) -
            e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
            e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0])) /
           6.0;
}

// What is read tet by tet, averaged here
static void TestMeanOfTets(void** state)
{
    SP_UNUSED(state);
    for (int law = 0; law < sp_tetLawCount; ++law)
    {
        spTestWorld test = MakeBeam(law, 0);
        int nodeCount = spBody_GetNodeCount(test.world, test.body);
        int tetCount = spBody_GetTetCount(test.world, test.body, test.tets);
        spVec3* rest = malloc((size_t)nodeCount * sizeof(spVec3));
        int32_t* tets = malloc(4 * (size_t)tetCount * sizeof(int32_t));
        spTetState* states = malloc((size_t)tetCount * sizeof(spTetState));
        double* sums = calloc(3 * (size_t)nodeCount, sizeof(double));
        spBody_CopyPositions(test.world, test.body, rest, nodeCount);
        Place(&test, Wring);
        spBody_CopyTets(test.world, test.body, test.tets, tets, tetCount);
        spBody_CopyTetStates(test.world, test.body, test.tets, states, tetCount);
        for (int i = 0; i < tetCount; ++i)
        {
            double volume = GetVolume(rest, tets + 4 * (size_t)i);
            spVec3 e = states[i].principalStrain;
            for (int k = 0; k < 4; ++k)
            {
                double* sum = sums + 3 * (size_t)tets[4 * (size_t)i + (size_t)k];
                sum[0] += volume * (double)states[i].vonMises;
                sum[1] += volume * GetEquivalent(e.x, e.y, e.z);
                sum[2] += volume;
            }
        }
        Levels levels = ReadLevels(&test);
        for (int i = 0; i < nodeCount; ++i)
        {
            const double* sum = sums + 3 * (size_t)i;
            CHECK_NEAR(levels.stress[i], sum[0] / sum[2], 5.0 * TOLERANCE * 1000.0);
            CHECK_NEAR(levels.strain[i], sum[1] / sum[2], 5.0 * TOLERANCE);
        }
        FreeLevels(&levels);
        free(sums);
        free(states);
        free(tets);
        free(rest);
        spDestroyTestWorld(&test);
    }
}

// Two halves of different stiffness: each alone inside, the mean by volume between them
static void TestModulus(void** state)
{
    SP_UNUSED(state);
    spTestDef def = spDefaultTestDef();
    enum
    {
        cells = 3,
        tetCount = 4 * cells * cells * cells * 6
    };
    static spReal moduli[tetCount];
    for (int i = 0; i < tetCount; ++i)
    {
        moduli[i] = i % 2 == 0 ? 1000 : 5000;
    }
    spTetDef tetDef = spDefaultTetDef();
    tetDef.youngModuli = moduli;
    spTestWorld test = spBuildTetBeam(&def, cells, &tetDef);
    int nodeCount = spBody_GetNodeCount(test.world, test.body);
    assert_int_equal(spBody_GetTetCount(test.world, test.body, test.tets), tetCount);
    spVec3* rest = malloc((size_t)nodeCount * sizeof(spVec3));
    static int32_t tets[4 * tetCount];
    double* sums = calloc(2 * (size_t)nodeCount, sizeof(double));
    spBody_CopyPositions(test.world, test.body, rest, nodeCount);
    spBody_CopyTets(test.world, test.body, test.tets, tets, tetCount);
    for (int i = 0; i < 4 * tetCount; ++i)
    {
        double volume = GetVolume(rest, tets + i / 4 * 4);
        sums[2 * tets[i]] += volume * (double)moduli[i / 4];
        sums[2 * tets[i] + 1] += volume;
    }
    spReal* modulus = malloc((size_t)nodeCount * sizeof(spReal));
    assert_int_equal(spBody_CopyNodeModulus(test.world, test.body, modulus, nodeCount), nodeCount);
    for (int i = 0; i < nodeCount; ++i)
    {
        CHECK_NEAR(modulus[i], sums[2 * i] / sums[2 * i + 1], 5000.0 * TOLERANCE);
    }
    assert_true(spBody_ScaleTets(test.world, test.body, test.tets, 2));
    assert_int_equal(spBody_CopyNodeModulus(test.world, test.body, modulus, nodeCount), nodeCount);
    CHECK_NEAR(modulus[0], 2.0 * sums[0] / sums[1], 10000.0 * TOLERANCE);
    assert_int_equal(spBody_CopyNodeModulus(test.world, test.body, modulus, nodeCount - 1), 0);
    assert_int_equal(spBody_CopyNodeModulus(test.world, test.body, NULL, nodeCount), 0);
    free(modulus);
    free(sums);
    free(rest);
    spDestroyTestWorld(&test);
}

// The largest region around each node; a body whose tets are all in region 0 has none
static void TestRegions(void** state)
{
    SP_UNUSED(state);
    spTestDef def = spDefaultTestDef();
    enum
    {
        tetCount = 4 * 2 * 2 * 2 * 6
    };
    static int32_t regions[tetCount], tets[4 * tetCount];
    for (int i = 0; i < tetCount; ++i)
    {
        regions[i] = i < tetCount / 2 ? -3 : i < tetCount - 9 ? 0 : 70000;
    }
    spTetDef tetDef = spDefaultTetDef();
    tetDef.regions = regions;
    spTestWorld test = spBuildTetBeam(&def, 2, &tetDef);
    int nodeCount = spBody_GetNodeCount(test.world, test.body);
    assert_int_equal(spBody_CopyTets(test.world, test.body, test.tets, tets, tetCount), tetCount);
    spReal* found = malloc((size_t)nodeCount * sizeof(spReal));
    int* largest = malloc((size_t)nodeCount * sizeof(int));
    for (int i = 0; i < nodeCount; ++i)
    {
        largest[i] = INT32_MIN;
    }
    for (int i = 0; i < 4 * tetCount; ++i)
    {
        int* own = largest + tets[i];
        *own = regions[i / 4] > *own ? regions[i / 4] : *own;
    }
    assert_int_equal(spBody_CopyNodeRegions(test.world, test.body, found, nodeCount), nodeCount);
    for (int i = 0; i < nodeCount; ++i)
    {
        assert_int_equal((int)found[i], largest[i]);
    }
    assert_int_equal(spBody_CopyNodeRegions(test.world, test.body, found, nodeCount - 1), 0);
    assert_int_equal(spBody_CopyNodeRegions(test.world, test.body, NULL, nodeCount), 0);
    spDestroyTestWorld(&test);
    tetDef.regions = NULL;
    test = spBuildTetBeam(&def, 2, &tetDef);
    assert_int_equal(spBody_CopyNodeRegions(test.world, test.body, found, nodeCount), 0);
    spDestroyTestWorld(&test);
    free(found);
    free(largest);
}

static void TestLanes(void** state)
{
    SP_UNUSED(state);
    static const int lanes[] = {1, 4, 8, 16};
    for (int law = 0; law < sp_tetLawCount; ++law)
    {
        Levels first = {NULL, NULL, 0};
        for (int i = 0; i < SP_COUNT(lanes); ++i)
        {
            spTestWorld test = MakeBeam(law, lanes[i]);
            if (test.world == NULL)
            {
                continue; // this machine has fewer
            }
            Place(&test, Wring);
            size_t bytes = spWorld_GetByteCount(test.world);
            Levels levels = ReadLevels(&test);
            assert_int_equal(spWorld_GetByteCount(test.world), bytes);
            spDestroyTestWorld(&test);
            if (first.count == 0)
            {
                first = levels;
                continue;
            }
            size_t size = (size_t)levels.count * sizeof(spReal);
            assert_memory_equal(levels.stress, first.stress, size);
            assert_memory_equal(levels.strain, first.strain, size);
            FreeLevels(&levels);
        }
        FreeLevels(&first);
    }
}

// Pressed flat and inside out: finite numbers
static spVec3 Flatten(spVec3 p)
{
    return (spVec3){p.x, 0, p.z};
}

static spVec3 TurnInsideOut(spVec3 p)
{
    return (spVec3){p.x, -p.y, p.z};
}

static void TestBroken(void** state)
{
    SP_UNUSED(state);
    for (int law = 0; law < sp_tetLawCount; ++law)
    {
        for (int k = 0; k < 2; ++k)
        {
            spTestWorld test = MakeBeam(law, 0);
            Place(&test, k == 0 ? Flatten : TurnInsideOut);
            Levels levels = ReadLevels(&test);
            for (int i = 0; i < levels.count; ++i)
            {
                assert_true(isfinite(levels.stress[i]) && levels.stress[i] >= 0);
                assert_true(isfinite(levels.strain[i]) && levels.strain[i] >= 0);
            }
            FreeLevels(&levels);
            spDestroyTestWorld(&test);
        }
    }
}

static spVec3 Widen(spVec3 p)
{
    return (spVec3){(spReal)1.2 * p.x, p.y, p.z};
}

// A sheet of structural springs, or kept distances, 1.2 times as long in x: those along x have 0.2
static void CheckSheet(bool springs)
{
    spWorldDef worldDef = spDefaultWorldDef();
    spTestWorld test = {.world = spCreateWorld(&worldDef, NULL)};
    spClothMeshDef meshDef = spDefaultClothMeshDef();
    meshDef.shear = false;
    meshDef.bend = false;
    meshDef.countX = 6;
    meshDef.countZ = 5;
    spMesh* mesh = spMakeClothMesh(&meshDef, NULL);
    spBodyDef bodyDef = spDefaultBodyDef();
    bodyDef.mesh = mesh;
    bodyDef.nodeMass = (spReal)0.1;
    bodyDef.method.type = springs ? sp_symplecticEuler : sp_xpbd;
    test.body = spCreateBody(test.world, &bodyDef);
    int nodeCount = spBody_GetNodeCount(test.world, test.body);
    spReal* strain = malloc((size_t)nodeCount * sizeof(spReal));
    assert_int_equal(spBody_CopyNodeStrain(test.world, test.body, strain, nodeCount), 0);
    spSpringDef springDef = spDefaultSpringDef();
    springDef.damping = 1;
    spConstraintDef distanceDef = spDefaultConstraintDef();
    springDef.edges = distanceDef.nodes = spMesh_GetEdges(mesh);
    springDef.edgeCount = distanceDef.count = spMesh_GetEdgeCount(mesh);
    assert_int_equal(springs ? spBody_AddSprings(test.world, test.body, &springDef)
                             : spBody_AddConstraints(test.world, test.body, &distanceDef),
                     0);
    Place(&test, Widen);
    assert_int_equal(spBody_CopyNodeStrain(test.world, test.body, strain, nodeCount), nodeCount);
    double* sums = calloc(2 * (size_t)nodeCount, sizeof(double));
    const spDVec3* vertices = spMesh_GetVertices(mesh);
    for (int i = 0; i < springDef.edgeCount; ++i)
    {
        const int32_t* edge = springDef.edges + 2 * (size_t)i;
        double e = fabs(vertices[edge[0]].x - vertices[edge[1]].x) > 1e-3 ? 0.2 : 0.0;
        for (int k = 0; k < 2; ++k)
        {
            sums[2 * (size_t)edge[k]] += e;
            sums[2 * (size_t)edge[k] + 1] += 1.0;
        }
    }
    double largest = 0.0;
    for (int i = 0; i < nodeCount; ++i)
    {
        CHECK_NEAR(strain[i], sums[2 * (size_t)i] / sums[2 * (size_t)i + 1], TOLERANCE);
        largest = fmax(largest, (double)strain[i]);
    }
    CHECK_NEAR(largest, 0.2 * 2.0 / 3.0, TOLERANCE); // at the long sides: two along x, one along z
    assert_int_equal(spBody_CopyNodeStress(test.world, test.body, strain, nodeCount), 0);
    free(sums);
    free(strain);
    spDestroyMesh(mesh);
    spDestroyWorld(test.world);
}

static void TestSheets(void** state)
{
    SP_UNUSED(state);
    CheckSheet(true);
    CheckSheet(false);
}

// Nothing but what was set
static void TestReading(void** state)
{
    SP_UNUSED(state);
    spTestWorld test = MakeBeam(sp_tetCorotational, 0);
    spReal a = -1, b = -1, c = -1;
    assert_true(spBody_SetTets(test.world, test.body, test.tets, 5000, (spReal)0.25, (spReal)0.125));
    assert_true(spBody_GetTets(test.world, test.body, test.tets, &a, &b, &c));
    assert_true(a == 5000 && b == (spReal)0.25 && c == (spReal)0.125);
    assert_true(spBody_GetTets(test.world, test.body, test.tets, NULL, &b, NULL));
    a = -1;
    assert_false(spBody_GetTets(test.world, test.body, 7, &a, &b, &c));
    assert_false(spBody_GetTets(test.world, test.body, -1, &a, &b, &c));
    assert_false(spBody_GetSprings(test.world, test.body, test.tets, &a, &b));
    assert_false(spBody_GetConstraints(test.world, test.body, test.tets, &a, &b));
    assert_false(spBody_GetBends(test.world, test.body, test.tets, &a, &b));
    assert_true(a == -1);
    assert_true(spBody_GetGas(test.world, test.body, test.tets) == 0.0);
    assert_true(spBody_GetField(test.world, test.body, test.tets) == 0);
    assert_true(spBody_GetWind(test.world, test.body, test.tets).x == 0);

    int springs = spBody_AddSprings(test.world, test.body, &(spSpringDef){0});
    assert_int_equal(springs, -1);
    spSpringDef springDef = spDefaultSpringDef();
    springDef.damping = 1;
    springs = spBody_AddSprings(test.world, test.body, &springDef);
    assert_true(spBody_GetSprings(test.world, test.body, springs, &a, &b) && a == 1000 && b == 1);
    assert_true(spBody_SetSprings(test.world, test.body, springs, 20, 3));
    assert_true(spBody_GetSprings(test.world, test.body, springs, &a, &b) && a == 20 && b == 3);
    springDef.youngModulus = 1e5;
    springs = spBody_AddSprings(test.world, test.body, &springDef);
    assert_false(spBody_GetSprings(test.world, test.body, springs, &a, &b)); // each has its own
    assert_true(spBody_GetSpringModulus(test.world, test.body, springs, &a, &b) && a == (spReal)1e5 &&
                b == 1);
    double before = spBody_GetEnergy(test.world, test.body).elastic;
    Place(&test, Stretch);
    double energy = spBody_GetEnergy(test.world, test.body).elastic - before;
    assert_true(spBody_SetSpringModulus(test.world, test.body, springs, (spReal)1e5, 5));
    assert_true(spBody_GetEnergy(test.world, test.body).elastic - before == energy);
    assert_true(spBody_SetSpringModulus(test.world, test.body, springs, (spReal)1e10, 5));
    CHECK_NEAR(spBody_GetEnergy(test.world, test.body).elastic / energy, 1e5,
               5e3); // with tets and other springs
    assert_true(spBody_GetSpringModulus(test.world, test.body, springs, &a, &b) && a == (spReal)1e10 &&
                b == 5);
    assert_false(spBody_SetSpringModulus(test.world, test.body, springs, 0, 5));
    assert_false(spBody_SetSpringModulus(test.world, test.body, springs, 1, NAN));
    assert_false(
        spBody_SetSpringModulus(test.world, test.body, springs - 1, 1, 1)); // they were given a stiffness
    assert_false(spBody_SetSpringModulus(test.world, test.body, test.tets, 1, 1));
    assert_true(spBody_SetSprings(test.world, test.body, springs, 20, 3));
    assert_false(spBody_GetSpringModulus(test.world, test.body, springs, &a, &b));
    assert_true(spBody_GetSprings(test.world, test.body, springs, &a, &b) && a == 20 && b == 3);
    assert_true(spBody_SetSpringModulus(test.world, test.body, springs, (spReal)1e5, 5)); // back again
    CHECK_NEAR(spBody_GetEnergy(test.world, test.body).elastic - before, energy, 1e-4 * energy);

    spFieldDef fieldDef = spDefaultFieldDef();
    int field = spBody_AddField(test.world, test.body, &fieldDef);
    assert_true(spBody_SetField(test.world, test.body, field, (spReal)0.75));
    assert_true(spBody_GetField(test.world, test.body, field) == (spReal)0.75);
    spBendDef bendDef = spDefaultBendDef();
    int bends = spBody_AddBends(test.world, test.body, &bendDef);
    assert_true(spBody_SetBends(test.world, test.body, bends, 2, 4));
    assert_true(spBody_GetBends(test.world, test.body, bends, &a, &b) && a == 2 && b == 4);
    spWindDef windDef = spDefaultWindDef();
    int wind = spBody_AddWind(test.world, test.body, &windDef);
    assert_true(spBody_SetWind(test.world, test.body, wind, (spVec3){1, 2, 3}));
    assert_true(spBody_GetWind(test.world, test.body, wind).z == 3);
    spGasDef gasDef = spDefaultGasDef();
    gasDef.ambient = false;
    int gas = spBody_AddGas(test.world, test.body, &gasDef);
    double knrt = spBody_GetGas(test.world, test.body, gas);
    CHECK_NEAR(knrt, 1000.0 / 16.0 * stretch[0] * stretch[1] * stretch[2], 1e-2);
    // The number that was read, with the digits that spReal has, changes nothing
    assert_true(spBody_SetGas(test.world, test.body, gas, (spReal)knrt));
    assert_true(spBody_GetGas(test.world, test.body, gas) == knrt);
    assert_true(spBody_SetGas(test.world, test.body, gas, 12));
    assert_true(spBody_GetGas(test.world, test.body, gas) == 12.0);
    assert_true(spBody_SetContact(test.world, test.body, (spReal)0.25, (spReal)0.5));
    assert_true(spBody_GetContact(test.world, test.body, &a, &b) && a == (spReal)0.25 && b == (spReal)0.5);
    assert_true(spBody_GetContact(test.world, test.body, NULL, NULL));

    int nodeCount = spBody_GetNodeCount(test.world, test.body);
    spReal* strain = malloc((size_t)nodeCount * sizeof(spReal));
    assert_int_equal(spBody_CopyNodeStrain(test.world, test.body, strain, nodeCount - 1), 0);
    assert_int_equal(spBody_CopyNodeStrain(test.world, test.body, NULL, nodeCount), 0);
    spDestroyBody(test.world, test.body);
    assert_int_equal(spBody_CopyNodeStrain(test.world, test.body, strain, nodeCount), 0);
    assert_false(spBody_GetContact(test.world, test.body, &a, &b));
    assert_false(spBody_GetTets(test.world, test.body, test.tets, &a, &b, &c));
    free(strain);
    spDestroyTestWorld(&test);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestUniformStretch), cmocka_unit_test(TestMeanOfTets), cmocka_unit_test(TestLanes),
        cmocka_unit_test(TestModulus),        cmocka_unit_test(TestRegions),    cmocka_unit_test(TestBroken),
        cmocka_unit_test(TestSheets),         cmocka_unit_test(TestReading),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
