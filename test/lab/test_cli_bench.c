// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// souple bench: names, what its JSON has; bad names of souple reproduce.

#define WORK SOUPLE_BINARY_DIR "/test/cli_bench"

#include "souple/mesh.h"
#include "test/cli_test.h"
#include "testbed/worlds.h"

static void TestBenchUsage(void** state)
{
    SP_UNUSED(state);
    Expect("bench --list", 0, "spring-cloth-100");
    Expect("bench --list", 0, "gas-ball-4");
    Expect("bench no-such-thing", 2, "there is no benchmark 'no-such-thing'; 'souple bench --list'");
    Expect("bench spring-cloth-10 nonsense", 2, "there is no benchmark 'nonsense'");
    Expect("bench spring-cloth-", 2, "there is no benchmark");
    Expect("bench spring-cloth-10x", 2, "there is no benchmark");
    Expect("bench spring-cloth-1", 2, "spring-cloth-1: the number must be from 3 to 2000");
    Expect("bench spring-cloth-99999999999999999999", 2, "the number must be from");
    Expect("bench spring-cloth-10 --threads 0", 2, "'0' is none");
    Expect("bench spring-cloth-10 --threads 1,2x", 2, "'2x' is none");
    Expect("bench spring-cloth-10 --threads 1000", 2, "from 1 to 64");
    Expect("bench spring-cloth-10 --threads=", 2, "--threads");
    Expect("bench spring-cloth-10 --lanes 3", 2, "--lanes must be 1, 4, 8 or 16, but is 3");
    Expect("bench spring-cloth-10 --repeat 0", 2, "--repeat must be from 1");
    Expect("bench --thread 2", 2, "did you mean --threads?");
    Expect("bench spring-cloth-5 --repeat 1", 0, "spring-cloth-5 ");
    Expect("help", 0, "bench ");
    Expect("help", 0, "reproduce ");
    Expect("help bench", 0, "usage: souple bench [BENCHMARK...]");
    Expect("help bench", 0, "spring-cloth-200 --threads 1,2");
    Expect("help reproduce", 0, "usage: souple reproduce [EXPERIMENT]");
}

static double GetNumber(const json_t* object, const char* key)
{
    json_t* value = json_object_get(object, key);
    assert_true(json_is_number(value));
    return json_number_value(value);
}

static const char* GetText(const json_t* object, const char* key)
{
    json_t* value = json_object_get(object, key);
    assert_true(json_is_string(value));
    return json_string_value(value);
}

// A few cases of the grid: all methods and troubles have a row
static void TestTorture(void** state)
{
    SP_UNUSED(state);
    json_t* json = RunJson("bench torture-2221 --threads 2 --json", 0);
    const json_t* grid = json_array_get(json_object_get(json, "benchmarks"), 0);
    assert_string_equal(GetText(grid, "name"), "torture-2221");
    assert_true(GetNumber(grid, "cases") == 11.0);
    assert_true(GetNumber(grid, "unexpected") == 0.0);
    const json_t* rows = json_object_get(grid, "rows");
    assert_int_equal(json_array_size(rows), 12 * 11);
    double sum = 0.0;
    for (size_t i = 0; i < json_array_size(rows); ++i)
    {
        const json_t* row = json_array_get(rows, i);
        sum += GetNumber(row, "settled") + GetNumber(row, "moving") + GetNumber(row, "said so") +
               GetNumber(row, "said, far") + GetNumber(row, "gained") + GetNumber(row, "wrong");
    }
    assert_true(sum == 11.0);
    json_decref(json);
    Expect("bench torture-2221", 0, "settled");
    Expect("bench torture-0", 2, "the number must be from");
    // Every 80th random scene: nothing ends it, and nothing is not finite without a word
    json_t* storm = RunJson("bench storm-80 --json", 0);
    const json_t* row = json_array_get(json_object_get(storm, "benchmarks"), 0);
    assert_int_equal(json_integer_value(json_object_get(row, "scenes")), 8);
    assert_int_equal(json_integer_value(json_object_get(row, "silent")), 0);
    assert_int_equal((int)json_array_size(json_object_get(row, "cases")), 8);
    json_decref(storm);
}

// Benchmarks of contact: where the time of a step went, and for each scene of an organ what it costs over hanging
static void TestContact(void** state)
{
    SP_UNUSED(state);
    json_t* json =
        RunJson("bench contact-drop-2 contact-beam-4 contact-compliance-4 gauss-seidel-100 --json", 0);
    const json_t* rows = json_object_get(json, "benchmarks");
    assert_int_equal(json_array_size(rows), 5 + 2 + 4 + 1);
    for (size_t i = 0; i < json_array_size(rows); ++i)
    {
        const json_t* cost = json_object_get(json_array_get(rows, i), "cost");
        assert_true(GetNumber(cost, "processorMs") > 0.0 &&
                    GetNumber(cost, "longestMs") >= GetNumber(cost, "processorMs"));
        assert_true(GetNumber(cost, "detectionMs") >= 0.0 && GetNumber(cost, "responseMs") >= 0.0);
    }
    // The cube comes down on the ground, 50 points are rows, a sheet of 6 x 6 nodes lies on another
    assert_true(GetNumber(json_object_get(json_array_get(rows, 0), "cost"), "rows") > 1.0);
    assert_true(GetNumber(json_object_get(json_array_get(rows, 9), "cost"), "rows") >= 25.0);
    assert_true(GetNumber(json_array_get(rows, 11), "contacts") >= 25.0);
    json_decref(json);
    Expect("bench contact-beam-1", 2, "the number must be from 3");
}

static void TestOrgan(void** state)
{
    SP_UNUSED(state);
    Expect("mesh make box --cells 3,2,3 -o block.msh", 0, "");
    json_t* json = RunJson("bench contact-organ-1 --mesh block.msh --json", 0);
    const json_t* rows = json_object_get(json, "benchmarks");
    assert_int_equal(json_array_size(rows), 7 * 3);
    double hanging = 0.0;
    for (size_t i = 0; i < json_array_size(rows); ++i)
    {
        const json_t* row = json_array_get(rows, i);
        const json_t* cost = json_object_get(row, "cost");
        bool hangs = strcmp(GetText(row, "scene"), "hanging") == 0;
        assert_true(hangs == (GetNumber(cost, "rows") == 0.0));
        // Ratios are those to the same method hanging, and no block is inside out that was not squeezed
        hanging = hangs ? GetNumber(cost, "processorMs") : hanging;
        assert_true(hanging > 0.0);
        double ratio = GetNumber(cost, "processorMs") / hanging;
        CHECK_NEAR(GetNumber(row, "medianRatio"), ratio, 1e-9 * ratio);
        double longest = GetNumber(cost, "longestMs") / hanging;
        CHECK_NEAR(GetNumber(row, "longestRatio"), longest, 1e-9 * longest);
        assert_true(GetNumber(row, "inverted") <= GetNumber(row, "mostInverted"));
        assert_true(strcmp(GetText(row, "scene"), "squeezed") == 0 || GetNumber(row, "mostInverted") == 0.0);
        // The automatic solver of XPBD rests where backward Euler does, to 2 % of the size
        if (strcmp(GetText(row, "method"), "xpbd") == 0 && strcmp(GetText(row, "scene"), "standing") == 0)
        {
            assert_true(GetNumber(row, "apart") < 0.02);
        }
    }
    json_decref(json);
    Expect("bench contact-organ-1 --mesh none.msh", 1, "none.msh");
}

static void TestBenchJson(void** state)
{
    SP_UNUSED(state);
    // Small, and large enough for several patches
    static const struct
    {
        const char* name;
        int nodes;
    } s_cases[] = {{"spring-cloth-10", 100}, {"spring-cloth-undamped-50", 2500}, {"gas-ball-1", 84}};
    for (int k = 0; k < SP_COUNT(s_cases); ++k)
    {
        char hash[32] = "";
        static const char* const s_variants[] = {"--threads 1,2", "--lanes 1", "--lanes 4 --threads 2"};
        // A build without SIMD has one lane
        int variantCount = spGetLaneCount() >= 4 ? SP_COUNT(s_variants) : SP_COUNT(s_variants) - 1;
        for (int i = 0; i < variantCount; ++i)
        {
            char arguments[256];
            snprintf(arguments, sizeof(arguments), "bench %s --repeat 1 --json %s", s_cases[k].name,
                     s_variants[i]);
            json_t* json = RunJson(arguments, 0);
            const json_t* machine = json_object_get(json, "machine");
            assert_true(json_is_object(machine));
            assert_true(strlen(GetText(machine, "processor")) > 0);
            assert_true(GetNumber(machine, "cores") >= 1);
            assert_true(GetNumber(machine, "lanes") >= 1);
            assert_string_equal(GetText(machine, "precision"), sizeof(spReal) == 4 ? "float" : "double");
            assert_true(strlen(GetText(json, "commit")) >= 7);
            const json_t* list = json_object_get(json, "benchmarks");
            assert_int_equal(json_array_size(list), i == 0 ? 2 : 1);
            for (size_t b = 0; b < json_array_size(list); ++b)
            {
                const json_t* entry = json_array_get(list, b);
                assert_string_equal(GetText(entry, "name"), s_cases[k].name);
                assert_int_equal((int)GetNumber(entry, "threads"), i == 2 || b == 1 ? 2 : 1);
                assert_int_equal((int)GetNumber(entry, "nodes"), s_cases[k].nodes);
                assert_true(GetNumber(entry, "elements") > s_cases[k].nodes);
                assert_true(GetNumber(entry, "iterations") >= 1.0);
                const json_t* times = json_object_get(entry, "msPerStep");
                assert_true(GetNumber(times, "best") > 0.0);
                assert_true(GetNumber(times, "best") <= GetNumber(times, "median"));
                assert_true(GetNumber(times, "median") <= GetNumber(times, "p95"));
                double ns = 1e6 * GetNumber(times, "median") /
                            (GetNumber(entry, "elements") * GetNumber(entry, "iterations"));
                CHECK_NEAR(GetNumber(entry, "nsPerElementIteration"), ns, 1e-6 * ns);
                assert_int_equal((int)GetNumber(entry, "flags"), 0);
                // The same bits whatever the threads and the lanes
                const char* now = GetText(entry, "stateHash");
                assert_int_equal(strlen(now), 16);
                if (hash[0] == 0)
                {
                    snprintf(hash, sizeof(hash), "%s", now);
                }
                assert_string_equal(now, hash);
            }
            json_decref(json);
        }
    }
}

static void CheckSideTimes(const json_t* side)
{
    static const char* const s_times[] = {"msPerStep", "processorMsPerStep"};
    for (int i = 0; i < SP_COUNT(s_times); ++i)
    {
        const json_t* times = json_object_get(side, s_times[i]);
        assert_true(GetNumber(times, "best") > 0.0);
        assert_true(GetNumber(times, "best") <= GetNumber(times, "median"));
        assert_true(GetNumber(times, "best") <= GetNumber(times, "mean"));
        assert_true(GetNumber(times, "median") <= GetNumber(times, "p95"));
    }
    assert_int_equal(json_array_size(json_object_get(side, "tip")), 60);
}

// What a side of an implicit benchmark tells
static void CheckSide(const json_t* side)
{
    assert_true(GetNumber(side, "iterations") >= 1.0);
    // Recurrences of the residual drift a little in float
    assert_true(GetNumber(side, "residual") > 0.0 && GetNumber(side, "residual") < 2e-3);
    CheckSideTimes(side);
    double ns = GetNumber(side, "nsPerElementIteration");
    assert_true(ns > 0.0);
    CHECK_NEAR(GetNumber(side, "millionElementIterationsPerSecond"), 1e3 / ns, 1e-6 / ns);
}

static spTestWorld BuildBeam(spMethodType type)
{
    spTestDef def = spDefaultTestDef();
    def.method.type = type;
    spTetDef tets = spDefaultTetDef();
    tets.law = sp_tetCorotational;
    tets.youngModulus = (spReal)1e6;
    tets.poissonRatio = (spReal)0.4;
    return spBuildTetBeam(&def, 2, &tets);
}

// Before backward Euler has damped anything, the other engine moves as our explicit method does: it has the
// same mesh, mass, law and gravity
static void CheckPeerTip(const json_t* tip)
{
    spTestWorld test = BuildBeam(sp_verlet);
    assert_non_null(test.world);
    double difference = 0.0, largest = 0.0;
    for (size_t i = 0; i < 10; ++i)
    {
        assert_int_equal(spWorld_Step(test.world, (spReal)(1.0 / 60.0)), 0);
        spVec3View x = spBody_GetPositions(test.world, test.body);
        double height = 0.0;
        for (int node = x.count - 9; node < x.count; ++node)
        {
            height += (double)x.data[node].y / 9.0;
        }
        // The middle of the end was at half the height of the beam
        difference = fmax(difference, fabs(json_number_value(json_array_get(tip, i)) - (height - 0.125)));
        largest = fmax(largest, fabs(height - 0.125));
    }
    assert_true(difference < 0.1 * largest);
    spDestroyTestWorld(&test);
}

// Whether the command was built with Bullet
static bool HavePeer(void)
{
    static Result s_result;
    Run(&s_result, "doctor --json");
    json_t* doctor = json_loads(s_result.text, JSON_REJECT_DUPLICATES, NULL);
    const json_t* parts = json_object_get(doctor, "parts");
    bool havePeer = false;
    for (size_t i = 0; i < json_array_size(parts); ++i)
    {
        const json_t* part = json_array_get(parts, i);
        havePeer |=
            strcmp(GetText(part, "name"), "Bullet") == 0 && json_is_true(json_object_get(part, "present"));
    }
    json_decref(doctor);
    return havePeer;
}

static void TestBenchImplicit(void** state)
{
    SP_UNUSED(state);
    spTestWorld test = BuildBeam(sp_backwardEuler);
    bool haveOurs = test.world != NULL, havePeer = HavePeer();
    spDestroyTestWorld(&test);

    json_t* json =
        RunJson("bench implicit-beam-2 --repeat 2 --threads 1,2 --json 2>/dev/null", haveOurs ? 0 : 1);
    const json_t* list = json_object_get(json, "benchmarks");
    assert_int_equal(json_array_size(list), 2);
    for (size_t i = 0; i < 2; ++i)
    {
        const json_t* entry = json_array_get(list, i);
        assert_string_equal(GetText(entry, "name"), "implicit-beam-2");
        assert_int_equal((int)GetNumber(entry, "threads"), (int)i + 1);
        assert_int_equal((int)GetNumber(entry, "nodes"), 81);
        assert_int_equal((int)GetNumber(entry, "elements"), 192);
        if (haveOurs)
        {
            CheckSide(entry);
            assert_int_equal((int)GetNumber(entry, "flags"), 0);
            assert_true(GetNumber(entry, "assembleNsPerElement") >= 0.0);
            assert_true(GetNumber(entry, "solveMs") > 0.0);
            assert_true(GetNumber(entry, "buildMs") >= 0.0);
            assert_true(strlen(GetText(entry, "operator")) > 0);
            assert_true(strlen(GetText(entry, "preconditioner")) > 0);
            assert_string_equal(GetText(entry, "stateHash"), GetText(json_array_get(list, 0), "stateHash"));
        }
        else
        {
            assert_true(strlen(GetText(entry, "error")) > 0);
        }
        const json_t* peer = json_object_get(entry, "peer");
        assert_int_equal(peer != NULL, havePeer);
        if (havePeer)
        {
            assert_string_equal(GetText(peer, "name"), "Bullet");
            CheckSide(peer);
            CheckPeerTip(json_object_get(peer, "tip"));
        }
        if (havePeer && haveOurs)
        {
            double ratio = GetNumber(json_object_get(entry, "processorMsPerStep"), "median") /
                           GetNumber(json_object_get(peer, "processorMsPerStep"), "median");
            CHECK_NEAR(GetNumber(peer, "ratio"), ratio, 1e-6 * ratio);
            assert_true(GetNumber(peer, "tipDifference") < 0.15);
        }
        else if (havePeer)
        {
            assert_true(json_is_null(json_object_get(peer, "ratio")));
            assert_true(json_is_null(json_object_get(peer, "tipDifference")));
        }
    }
    json_decref(json);

    // The table: a row for each engine, and one that compares
    int code = haveOurs ? 0 : 1;
    Expect("bench implicit-beam-2 --repeat 1", code, haveOurs ? "Souple " : "souple: implicit-beam-2: ");
    if (havePeer)
    {
        Expect("bench implicit-beam-2 --repeat 1", code, "Bullet ");
        Expect("bench implicit-beam-2 --repeat 1", code,
               haveOurs ? "ours over Bullet's processor time: " : "Mtet*it/s");
    }
    // Another table after it has its own head
    Expect("bench implicit-beam-2 spring-cloth-10 --repeat 1", code, "speed-up");
    Expect("bench implicit-beam-0", 2, "implicit-beam-0: the number must be from 1 to 60");
}

// What a side of an XPBD benchmark tells
static void CheckXpbdSide(const json_t* side, int elements)
{
    CheckSideTimes(side);
    CHECK_NEAR(GetNumber(side, "iterations"), 20.0, 0.0);
    double median = GetNumber(json_object_get(side, "msPerStep"), "median");
    double ns = 1e6 * median / (20.0 * elements);
    CHECK_NEAR(GetNumber(side, "nsPerElementIteration"), ns, 1e-6 * ns);
    CHECK_NEAR(GetNumber(side, "stepsPerSecond"), 1e3 / median, 1e-3 / median);
    assert_true(GetNumber(side, "solverNsPerElementIteration") > 0.0);
}

static double GetTip(const json_t* side, size_t step)
{
    return json_number_value(json_array_get(json_object_get(side, "tip"), step));
}

// Bullet's links on the same scene: until the sweeps of both, in another order each, have drifted apart, the
// tip goes the same way
static void CheckLinks(const json_t* entry, const char* key, int elements)
{
    const json_t* peer = json_object_get(entry, key);
    assert_string_equal(GetText(peer, "name"), "Bullet");
    CheckXpbdSide(peer, elements);
    double ratio = GetNumber(json_object_get(entry, "processorMsPerStep"), "median") /
                   GetNumber(json_object_get(peer, "processorMsPerStep"), "median");
    CHECK_NEAR(GetNumber(peer, "ratio"), ratio, 1e-6 * ratio);
    assert_true(GetNumber(peer, "tipDifference") < 0.3);
    for (size_t i = 0; i < 10; ++i)
    {
        CHECK_NEAR(GetTip(peer, i), GetTip(entry, i), 0.1 * fabs(GetTip(entry, i)));
        // What Bullet sorts does not change what it computes
        CHECK_NEAR(GetTip(peer, i), GetTip(json_object_get(entry, "peer"), i), 0.0);
    }
}

static void TestBenchXpbd(void** state)
{
    SP_UNUSED(state);
    static const struct
    {
        const char* name;
        int nodes, elements;
        bool links;
    } s_cases[] = {
        {"xpbd-beam-2", 81, 192, false},       {"xpbd-energy-beam-2", 81, 192, false},
        {"xpbd-green-beam-2", 81, 192, false}, {"xpbd-links-beam-2", 81, 344, true},
        {"xpbd-cloth-8", 64, 257, true},       {"xpbd-colour-beam-5", 756, 3000, false},
    };
    bool havePeer = HavePeer();
    char hashes[SP_COUNT(s_cases)][20];
    for (int k = 0; k < SP_COUNT(s_cases); ++k)
    {
        char arguments[128];
        snprintf(arguments, sizeof(arguments), "bench %s --repeat 1 --threads 1,2 --json", s_cases[k].name);
        json_t* json = RunJson(arguments, 0);
        const json_t* list = json_object_get(json, "benchmarks");
        assert_int_equal(json_array_size(list), 2);
        for (size_t i = 0; i < 2; ++i)
        {
            const json_t* entry = json_array_get(list, i);
            assert_string_equal(GetText(entry, "name"), s_cases[k].name);
            assert_int_equal((int)GetNumber(entry, "threads"), (int)i + 1);
            assert_int_equal((int)GetNumber(entry, "nodes"), s_cases[k].nodes);
            assert_int_equal((int)GetNumber(entry, "elements"), s_cases[k].elements);
            // Twenty sweeps may leave force over, and say so
            assert_int_equal((uint32_t)GetNumber(entry, "flags") & ~(uint32_t)sp_stepSolverStopped, 0);
            CheckXpbdSide(entry, s_cases[k].elements);
            // It falls, and then it hangs
            assert_true(GetTip(entry, 9) < 0.0 && GetTip(entry, 9) > -0.5);
            assert_true(GetTip(entry, 59) < 0.0 && GetTip(entry, 59) > -2.5);
            bool beside = havePeer && s_cases[k].links;
            assert_int_equal(json_object_get(entry, "peer") != NULL, beside);
            assert_int_equal(json_object_get(entry, "sortedPeer") != NULL, beside);
            if (beside)
            {
                CheckLinks(entry, "peer", s_cases[k].elements);
                CheckLinks(entry, "sortedPeer", s_cases[k].elements);
            }
            assert_string_equal(GetText(entry, "stateHash"), GetText(json_array_get(list, 0), "stateHash"));
        }
        // No two of them do the same
        snprintf(hashes[k], sizeof(hashes[k]), "%s", GetText(json_array_get(list, 0), "stateHash"));
        for (int j = 0; j < k; ++j)
        {
            assert_string_not_equal(hashes[j], hashes[k]);
        }
        json_decref(json);
    }

    // The table: a row for each engine, and lines that compare
    Expect("bench xpbd-beam-1 --repeat 1", 0, "Souple ");
    Expect("bench xpbd-beam-1 --repeat 1", 0, "ns/el/sw");
    if (havePeer)
    {
        Expect("bench xpbd-cloth-3 --repeat 1", 0, "Bullet sorted ");
        Expect("bench xpbd-links-beam-1 --repeat 1", 0, "ours over Bullet's processor time: ");
    }
    Expect("bench xpbd-cloth-3 spring-cloth-3 --repeat 1", 0, "speed-up");
    Expect("bench --list", 0, "xpbd-beam-35 ");
    Expect("bench --list", 0, "xpbd-energy-beam-13 ");
    Expect("bench --list", 0, "xpbd-green-beam-13 ");
    Expect("bench --list", 0, "xpbd-links-beam-8 ");
    Expect("bench --list", 0, "xpbd-cloth-200 ");
    Expect("help bench", 0, "Bullet beside ours when it was there");
    Expect("bench xpbd-beam-0", 2, "xpbd-beam-0: the number must be from 1 to 60");
    Expect("bench xpbd-cloth-2", 2, "xpbd-cloth-2: the number must be from 3 to 2000");
    Expect("bench xpbd-", 2, "there is no benchmark 'xpbd-'");
    Expect("bench xpbd-green-cloth-8", 2, "there is no benchmark 'xpbd-green-cloth-8'");
}

// The scenes are those of the workloads: counts, order of the pairs, masses, pins
static void TestXpbdScenes(void** state)
{
    SP_UNUSED(state);
    int stretchCount = 0;
    spMesh* mesh = spMakeDistanceClothMesh(100, &stretchCount, NULL);
    assert_non_null(mesh);
    assert_int_equal(stretchCount, 29601);
    assert_int_equal(spMesh_GetEdgeCount(mesh), 29601 + 19600);
    const int32_t* pairs = spMesh_GetEdges(mesh);
    const int32_t first[8] = {0, 100, 0, 1, 0, 101, 1, 101}, bends[4] = {0, 200, 0, 2};
    assert_memory_equal(pairs, first, sizeof(first));
    assert_memory_equal(pairs + 2 * 29601, bends, sizeof(bends));
    spDVec3 last = spMesh_GetVertices(mesh)[9999];
    CHECK_NEAR(last.x, 1.0, 0.0);
    CHECK_NEAR(last.y, 2.0, 0.0);
    CHECK_NEAR(last.z, 2.0, 0.0);
    spDestroyMesh(mesh);

    mesh = spMakeBeamMesh(8, NULL);
    spIndexList edges;
    assert_true(spMesh_CollectEdges(mesh, &edges, NULL));
    assert_int_equal(edges.count, 16112);
    spFreeIndexList(&edges);
    spDestroyMesh(mesh);

    spTestDef def = spDefaultTestDef();
    def.method.type = sp_xpbd;
    spTestWorld test = spBuildDistanceCloth(&def, 10);
    assert_non_null(test.world);
    spReal masses[100];
    assert_int_equal(spBody_CopyMasses(test.world, test.body, masses, 100), 100);
    for (int i = 0; i < 100; ++i)
    {
        bool fixed = i == 0 || i == 90;
        assert_int_equal(spBody_GetNodeRole(test.world, test.body, i), fixed ? sp_nodeFixed : sp_nodeFree);
        CHECK_NEAR(masses[i], 0.008, 1e-9);
    }
    spDestroyTestWorld(&test);
    // Constraints need XPBD
    def.method.type = sp_symplecticEuler;
    test = spBuildDistanceBeam(&def, 1);
    assert_null(test.world);
    assert_true(strlen(test.error.message) > 0);
}

static void TestReproduceUsage(void** state)
{
    SP_UNUSED(state);
    Expect("reproduce --list", 0, "slides ");
    Expect("reproduce no-such-thing", 2, "there is no experiment 'no-such-thing'");
    Expect("reproduce slides extra", 2, "too many arguments");
    WriteFile("file", "x");
    Expect("reproduce slides --out file/x", 2, "cannot make the folder file/x");
}

// Two ways of one beam, by two methods each
static void TestBenchBeams(void** state)
{
    SP_UNUSED(state);
    json_t* json = RunJson("bench visual-beam-2 order-beam-2 --repeat 1 --json", 0);
    const json_t* list = json_object_get(json, "benchmarks");
    assert_int_equal(json_array_size(list), 4);
    for (size_t i = 0; i < 4; ++i)
    {
        const json_t* entry = json_array_get(list, i);
        assert_string_equal(GetText(entry, "name"), i < 2 ? "visual-beam-2" : "order-beam-2");
        assert_string_equal(GetText(entry, "method"), i % 2 == 0 ? "symplecticEuler" : "backwardEuler");
        assert_int_equal((int)GetNumber(entry, "nodes"), 81);
        assert_int_equal((int)GetNumber(entry, "elements"), 192);
        if (i < 2)
        {
            assert_true(GetNumber(entry, "verticesOverSurfaceNodes") >= 10.0);
            double share = GetNumber(entry, "msPerRead") / GetNumber(entry, "msPerStep");
            CHECK_NEAR(GetNumber(entry, "share"), share, 1e-9 * share);
        }
        else
        {
            // Whether it is one is for large bodies to say (scripts/nightly); test_patch.c TestOrder has
            // what makes it one
            double speedUp = GetNumber(entry, "msKept") / GetNumber(entry, "msRenumbered");
            CHECK_NEAR(GetNumber(entry, "speedUp"), speedUp, 1e-9 * speedUp);
            CHECK_LESS(GetNumber(entry, "difference"), 1e-4);
        }
    }
    json_decref(json);

    // Ten times the vertices on a body of 3000 tets: a tenth of the step at most (Courtecuisse 2011, F16)
    json = RunJson("bench visual-beam-5 --repeat 1 --json", 0);
    list = json_object_get(json, "benchmarks");
    assert_int_equal(json_array_size(list), 2);
    for (size_t i = 0; i < 2; ++i)
    {
        assert_true(GetNumber(json_array_get(list, i), "verticesOverSurfaceNodes") >= 10.0);
        CHECK_LESS(GetNumber(json_array_get(list, i), "share"), 0.1);
    }
    json_decref(json);
    Expect("bench visual-beam-0", 2, "visual-beam-0: the number must be from 1 to 60");
    Expect("bench --list", 0, "order-beam-13");
}

// Every format is written and read; no file stays behind
static void TestMeshBench(void** state)
{
    SP_UNUSED(state);
    json_t* json = RunJson("bench mesh-io-1k --repeat 1 --json", 0);
    const json_t* list = json_object_get(json, "benchmarks");
    int count = 0;
    while (spGetMeshFormatName(count) != NULL)
    {
        const json_t* entry = json_array_get(list, (size_t)count);
        assert_string_equal(GetText(entry, "format"), spGetMeshFormatName(count));
        assert_string_equal(GetText(entry, "name"), "mesh-io-1k");
        assert_true(GetNumber(entry, "elements") >= 1000 && GetNumber(entry, "elements") < 2500);
        assert_true(GetNumber(entry, "megabytes") > 0.0);
        assert_true(GetNumber(entry, "writeSeconds") > 0.0 && GetNumber(entry, "readSeconds") > 0.0);
        double asked = GetNumber(entry, "askedSeconds");
        assert_true(asked == 0.001 || asked == 0.003);
        count += 1;
    }
    assert_int_equal(json_array_size(list), count);
    json_decref(json);
    Expect("bench mesh-io-1k --repeat 1", 0, "msh22-binary");
    Expect("bench mesh-io-0k", 2, "mesh-io-0k: the number must be from 1 to 20000");
}

// An edit takes less than a step, a beam that blades come through comes apart, and random edits break nothing
static void TestBenchCut(void** state)
{
    SP_UNUSED(state);
    // 12 288 tets, where an edit takes a quarter of a step of processor time: with 1536 tets both take as long
    json_t* json = RunJson("bench cut-beam-8 torture-cut-300 --threads 1 --repeat 1 --json", 0);
    json_t* list = json_object_get(json, "benchmarks");
    assert_int_equal(json_array_size(list), 2);
    json_t* beam = json_array_get(list, 0);
    assert_string_equal(GetText(beam, "name"), "cut-beam-8");
    assert_true(GetNumber(beam, "editMs") > 0.0);
    CHECK_LESS(GetNumber(beam, "editMs"), GetNumber(beam, "stepMs"));
    assert_true(GetNumber(beam, "pieces") > 1.0 && GetNumber(beam, "facesPerCut") > 1.0);
    json_t* torture = json_array_get(list, 1);
    assert_true(GetNumber(torture, "edits") == 300.0 && GetNumber(torture, "faces") > 300.0);
    assert_true(GetNumber(torture, "nonFinite") == 0.0 && GetNumber(torture, "lost") == 0.0);
    assert_true(GetNumber(torture, "stopped") == 0.0);
    json_decref(json);
}

// What is found by volume is the same with any number of threads
static void TestBenchVolumes(void** state)
{
    SP_UNUSED(state);
    json_t* json = RunJson("bench volumes-pile-4k volumes-pile-8k --threads 1,2 --repeat 1 --json", 0);
    json_t* list = json_object_get(json, "benchmarks");
    assert_int_equal(json_array_size(list), 4);
    for (int i = 0; i < 4; ++i)
    {
        json_t* entry = json_array_get(list, (size_t)i);
        assert_true(GetNumber(entry, "triangles") >= 3000.0 && GetNumber(entry, "triangles") < 12000.0);
        assert_true(GetNumber(entry, "rows") > 0.0 && GetNumber(entry, "overlap") > 0.0);
        assert_true(GetNumber(entry, "nsPerTriangle") > 0.0 && GetNumber(entry, "measurementMs") > 0.0);
        assert_string_equal(GetText(entry, "stateHash"),
                            GetText(json_array_get(list, (size_t)(i & 2)), "stateHash"));
    }
    json_decref(json);
    Expect("bench volumes-pile-0k", 2, "volumes-pile-0k: the number must be from 1 to 20000");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestBenchCut),       cmocka_unit_test(TestMeshBench),
        cmocka_unit_test(TestBenchUsage),     cmocka_unit_test(TestBenchJson),
        cmocka_unit_test(TestTorture),        cmocka_unit_test(TestContact),
        cmocka_unit_test(TestOrgan),          cmocka_unit_test(TestBenchImplicit),
        cmocka_unit_test(TestBenchXpbd),      cmocka_unit_test(TestXpbdScenes),
        cmocka_unit_test(TestReproduceUsage), cmocka_unit_test(TestBenchBeams),
        cmocka_unit_test(TestBenchVolumes),
    };
    return cmocka_run_group_tests(tests, SetUp, NULL);
}
