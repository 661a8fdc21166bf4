// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Recordings: what is written is what is read; what is damaged is read up to the damage; what lies is caught.
// And the exporters that write text.

#include "base/base64.h"
#include "souple/element.h"
#include "souple/record.h"
#include "souple/souple.h"
#include "test/memory_test.h"
#include "test/read_file.h"
#include "test/record_sample.h"
#include "test/xml_check.h"
#include "testbed/check.h"
#include "testbed/worlds.h"

#include <unistd.h>

#define FOLDER SOUPLE_BINARY_DIR "/test/"
#define SAMPLE FOLDER "record_sample.rec"

static const SampleDef s_small = {.rings = 3,
                                  .lattice = 2,
                                  .cloth = 2,
                                  .frames = 3,
                                  .rowsPerFrame = 2,
                                  .torn = 2,
                                  .velocities = true,
                                  .stress = true,
                                  .colliders = true};

static spRecording* LoadSample(const SampleDef* sample, const char* path)
{
    spError error = SP_ZERO_INIT;
    if (!WriteSample(path, sample, &error))
    {
        print_error("%s\n", error.message);
        fail();
    }
    spRecording* recording = spLoadRecording(path, NULL, &error);
    if (recording == NULL)
    {
        print_error("%s\n", error.message);
        fail();
    }
    return recording;
}

static void TestRoundTrip(void** state)
{
    (void)state;
    spRecording* r = LoadSample(&s_small, SAMPLE);
    assert_true(spRecording_IsComplete(r));
    assert_string_equal(spRecording_GetDamage(r), "");
    assert_string_equal(spRecording_GetSceneText(r), "{\n  \"name\": \"sample\"\n}\n");
    assert_int_equal(spRecording_GetLibraryVersion(r), spGetVersion());
    spCamera camera;
    assert_false(spRecording_GetCamera(r, &camera));

    assert_int_equal(spRecording_GetMeasurementCount(r), 3);
    assert_string_equal(spRecording_GetMeasurementName(r, 1), "strain, \"largest\"");
    assert_string_equal(spRecording_GetMeasurementUnit(r, 0), "m");
    assert_string_equal(spRecording_GetMeasurementUnit(r, 1), "");
    assert_int_equal(spRecording_FindMeasurement(r, "nothing"), 2);
    assert_int_equal(spRecording_FindMeasurement(r, "something"), -1);

    // One row, then two for each frame
    assert_int_equal(spRecording_GetRowCount(r), 5);
    spRecordRow row = spRecording_GetRow(r, 3);
    assert_int_equal(row.stepCount, 3);
    CHECK_NEAR(row.time, 3.0 / 60.0, 1e-15);
    CHECK_NEAR(row.dtTaken, 1.0 / 60.0, 1e-15);
    assert_int_equal(row.flags, sp_stepUnstable);
    CHECK_NEAR(row.profile.step, 0.253, 1e-15);
    assert_int_equal(row.solverIterations, 9);
    CHECK_NEAR(row.solverResidual, 3e-6, 0.0);
    assert_int_equal(row.contactCount, 3);
    assert_int_equal(row.substepCount, 2);
    CHECK_NEAR(spRecording_GetMeasurement(r, 3, 1), 0.3, 1e-12);
    assert_true(isnan(spRecording_GetMeasurement(r, 3, 2)));
    double series[5], times[5];
    assert_int_equal(spRecording_CopySeries(r, 1, series, 5), 5);
    assert_int_equal(spRecording_CopyTimes(r, times, 5), 5);
    CHECK_NEAR(series[4], 0.4, 1e-12);
    CHECK_NEAR(times[4], 4.0 / 60.0, 1e-15);

    assert_int_equal(spRecording_GetFrameCount(r), 3);
    assert_int_equal(spRecording_GetFrameRow(r, 2), 4);
    CHECK_NEAR(spRecording_GetFrameTime(r, 2), 4.0 / 60.0, 1e-15);
    assert_true(spRecording_GetStateHash(r, 2) == 0xABCD0002u);
    assert_int_equal(spRecording_FindFrame(r, 0.04), 1);
    assert_int_equal(spRecording_FindFrame(r, 1e9), 2);

    assert_int_equal(spRecording_GetBodyCount(r), 3);
    assert_string_equal(spRecording_GetBodyName(r, 1), "lattice & <springs>");
    SampleBody bodies[3] = {MakeSampleBody(), MakeSampleBody(), MakeSampleBody()};
    MakeSampleBall(&bodies[0], 3);
    MakeSampleLattice(&bodies[1], 2);
    MakeSampleCloth(&bodies[2], 2);
    for (int frame = 0; frame < 3; ++frame)
    {
        MoveSample(bodies, spRecording_GetFrameTime(r, frame));
        for (int body = 0; body < 3; ++body)
        {
            spPointView x = spRecording_GetPositions(r, frame, body);
            spPointView v = spRecording_GetVelocities(r, frame, body);
            assert_int_equal(x.count, bodies[body].nodeCount);
            assert_int_equal(v.count, bodies[body].nodeCount);
            assert_memory_equal(x.data, bodies[body].now, (size_t)x.count * 12);
            assert_memory_equal(v.data, bodies[body].rest, (size_t)x.count * 12);
        }
    }
    int count = 0;
    assert_memory_equal(spRecording_GetTriangles(r, 0, 0, &count), bodies[0].triangles,
                        (size_t)bodies[0].triangleCount * 12);
    assert_int_equal(count, bodies[0].triangleCount);
    assert_memory_equal(spRecording_GetEdges(r, 0, 1, &count), bodies[1].edges,
                        (size_t)bodies[1].edgeCount * 8);
    assert_int_equal(count, 12);
    assert_null(spRecording_GetEdges(r, 0, 0, &count));

    // The ball alone has tets
    int32_t tets[4 * 64];
    float stress[64], states[5 * 64];
    int tetCount = MakeSampleTets(&bodies[0], tets);
    FillSampleStress(&bodies[0], stress, states, tetCount);
    assert_memory_equal(spRecording_GetTets(r, 2, 0, &count), tets, (size_t)tetCount * 16);
    assert_int_equal(count, tetCount);
    spValueView nodeStress = spRecording_GetNodeStress(r, 2, 0);
    assert_int_equal(nodeStress.count, bodies[0].nodeCount);
    assert_memory_equal(nodeStress.data, stress, (size_t)nodeStress.count * sizeof(float));
    spTetStateView feels = spRecording_GetTetStates(r, 2, 0);
    assert_int_equal(feels.count, tetCount);
    assert_true(feels.vonMises[3] == 3.0f && feels.principalStress[9] == states[tetCount + 9]);
    assert_true(feels.volumeRatio[tetCount - 1] == 1.0f - (float)tetCount);
    assert_null(spRecording_GetTets(r, 2, 1, &count));
    assert_int_equal(count, 0);
    // It touches two things
    spValueView pressure = spRecording_GetNodePressure(r, 2, 0);
    assert_int_equal(pressure.count, bodies[0].nodeCount);
    assert_memory_equal(pressure.data, states, (size_t)pressure.count * sizeof(float));
    assert_int_equal(spRecording_GetNodePressure(r, 2, 1).count, 0);
    assert_int_equal(spRecording_GetContactCount(r, 2), 2);
    assert_int_equal(spRecording_GetContactCount(r, 99), 0);
    spRecordedContact contact = spRecording_GetContact(r, 2, 0);
    assert_true(contact.body == 0 && contact.otherBody == 2 && contact.collider == -1 && contact.age == 7);
    assert_true(contact.force[2] == 3.0f && contact.normal[1] == 1.0f);
    contact = spRecording_GetContact(r, 2, 1);
    assert_true(contact.collider == 0 && contact.otherBody == -1 && contact.position[0] == 4.0f);
    assert_true(contact.gap == -0.5f && contact.slip == 2.0f && contact.area == 0.0f);
    assert_int_equal(spRecording_GetContact(r, 2, 2).age, 0);
    assert_int_equal(spRecording_GetNodeStress(r, 2, 1).count, 0);
    assert_int_equal(spRecording_GetTetStates(r, 9, 0).count, 0);
    for (int i = 0; i < 3; ++i)
    {
        FreeSampleBody(&bodies[i]);
    }

    assert_int_equal(spRecording_GetColliderCount(r), 4);
    spColliderDef def = spRecording_GetColliderDef(r, 2);
    assert_int_equal(def.shape, sp_shapeCapsule);
    assert_string_equal(def.name, "obstacle");
    CHECK_NEAR(def.radius, 0.15, 1e-6);
    spTransform transform;
    assert_true(spRecording_GetColliderTransform(r, 1, 2, &transform));
    CHECK_NEAR(transform.position.z, 1.3, 1e-6);
    spDestroyRecording(r);
}

static void TestTopologyChange(void** state)
{
    (void)state;
    spRecording* r = LoadSample(&s_small, SAMPLE);
    int before = 0, after = 0;
    assert_non_null(spRecording_GetTriangles(r, 1, 2, &before));
    assert_non_null(spRecording_GetTriangles(r, 2, 2, &after));
    assert_int_equal(before, 2);
    assert_int_equal(after, 1);
    assert_int_equal(spRecording_GetTopology(r, 0, 2), spRecording_GetTopology(r, 1, 2));
    assert_int_not_equal(spRecording_GetTopology(r, 1, 2), spRecording_GetTopology(r, 2, 2));
    spDestroyRecording(r);
}

// Reads everything that can be read, in and out of range
static void TouchRecording(const spRecording* r)
{
    double sum = 0.0;
    spPlayInfo play;
    sum += spRecording_GetPlayInfo(r, &play) ? play.dt + (double)strlen(play.scenePath) : 0.0;
    for (int act = -1; act <= spRecording_GetActCount(r); ++act)
    {
        size_t size = 1;
        const char* text = spRecording_GetAct(r, act, &size);
        assert_true(text == NULL ? size == 0 : strlen(text) == size);
    }
    for (int row = -1; row < 9; ++row)
    {
        int first = 0;
        int acts = spRecording_FindActs(r, row, &first);
        assert_true(acts >= 0 && first >= 0 && first + acts <= spRecording_GetActCount(r));
        spBodyId ids[3] = {{1, 1}, {2, 1}, {3, 1}};
        spDecision decisions[4];
        int count = spRecording_GetDecisions(r, row, ids, 3, decisions, 4);
        int64_t step = spRecording_GetRow(r, row).stepCount - 1;
        for (int i = 0; i < count && i < 4; ++i)
        {
            assert_true(decisions[i].step == step && isfinite(decisions[i].dt) && decisions[i].substep >= 0);
        }
    }
    for (int frame = -1; frame <= spRecording_GetFrameCount(r); ++frame)
    {
        sum += spRecording_GetFrameTime(r, frame) + (double)spRecording_GetStateHash(r, frame);
        for (int body = -1; body <= spRecording_GetBodyCount(r); ++body)
        {
            int triangleCount = 0, edgeCount = 0;
            spPointView x = spRecording_GetPositions(r, frame, body);
            spPointView v = spRecording_GetVelocities(r, frame, body);
            const int32_t* triangles = spRecording_GetTriangles(r, frame, body, &triangleCount);
            const int32_t* edges = spRecording_GetEdges(r, frame, body, &edgeCount);
            for (int i = 0; i < 3 * x.count; ++i)
            {
                sum += (double)x.data[i] + (v.count > 0 ? (double)v.data[i] : 0.0);
            }
            for (int i = 0; i < 3 * triangleCount; ++i)
            {
                assert_in_range(triangles[i], 0, x.count - 1);
            }
            for (int i = 0; i < 2 * edgeCount; ++i)
            {
                assert_in_range(edges[i], 0, x.count - 1);
            }
            sum += (double)strlen(spRecording_GetBodyName(r, body));
        }
        for (int collider = -1; collider <= spRecording_GetColliderCount(r); ++collider)
        {
            spTransform transform = SP_ZERO_INIT;
            spRecording_GetColliderTransform(r, frame, collider, &transform);
            spColliderDef def = spRecording_GetColliderDef(r, collider);
            sum += (double)transform.position.x + (double)def.radius +
                   (def.name != NULL ? (double)strlen(def.name) : 0.0);
        }
    }
    for (int row = -1; row <= spRecording_GetRowCount(r); ++row)
    {
        sum += spRecording_GetRow(r, row).time;
        for (int i = -1; i <= spRecording_GetMeasurementCount(r); ++i)
        {
            sum +=
                spRecording_GetMeasurement(r, row, i) + (double)strlen(spRecording_GetMeasurementName(r, i));
        }
    }
    volatile double sink = sum; // whatever it is, it was read
    (void)sink;
}

// The frames of a damaged recording are those of the whole one
static void CompareFrames(const spRecording* part, const spRecording* whole)
{
    assert_true(spRecording_GetFrameCount(part) <= spRecording_GetFrameCount(whole));
    for (int frame = 0; frame < spRecording_GetFrameCount(part); ++frame)
    {
        for (int body = 0; body < spRecording_GetBodyCount(part); ++body)
        {
            spPointView a = spRecording_GetPositions(part, frame, body);
            spPointView b = spRecording_GetPositions(whole, frame, body);
            assert_int_equal(a.count, b.count);
            assert_memory_equal(a.data, b.data, (size_t)a.count * 12);
        }
    }
}

static void TestTruncation(void** state)
{
    (void)state;
    spRecording* whole = LoadSample(&s_small, SAMPLE);
    size_t size = 0;
    char* data = ReadWholeFile(SAMPLE, &size);
    int most = 0;
    for (size_t cut = 0; cut < size; ++cut)
    {
        // In memory of exactly that size, so that a sanitizer sees a step beyond
        char* copy = malloc(cut > 0 ? cut : 1);
        memcpy(copy, data, cut);
        spError error = SP_ZERO_INIT;
        spRecording* r = spReadRecording(copy, cut, NULL, &error);
        free(copy);
        if (r == NULL)
        {
            assert_int_equal(error.code, sp_errorFileFormat);
            assert_int_equal(most, 0);
            continue;
        }
        assert_false(spRecording_IsComplete(r));
        assert_non_null(strstr(spRecording_GetDamage(r), "at byte"));
        assert_true(spRecording_GetFrameCount(r) >= most);
        most = spRecording_GetFrameCount(r);
        CompareFrames(r, whole);
        TouchRecording(r);
        spDestroyRecording(r);
    }
    assert_int_equal(most, 3);
    free(data);
    spDestroyRecording(whole);
}

static void TestByteFlips(void** state)
{
    (void)state;
    spRecording* whole = LoadSample(&s_small, SAMPLE);
    size_t size = 0;
    char* data = ReadWholeFile(SAMPLE, &size);
    uint64_t seed = 42;
    for (int round = 0; round < 5000; ++round)
    {
        size_t place = spNextRandom(&seed) % size;
        char flip = (char)(1u << (spNextRandom(&seed) % 8));
        data[place] = (char)(data[place] ^ flip);
        spRecording* r = spReadRecording(data, size, NULL, NULL);
        if (r != NULL)
        {
            assert_false(spRecording_IsComplete(r));
            CompareFrames(r, whole);
            TouchRecording(r);
            spDestroyRecording(r);
        }
        data[place] = (char)(data[place] ^ flip);
    }
    free(data);
    spDestroyRecording(whole);
}

// Decisions come back with the ids that a world has for the bodies
static void TestDecisions(void** state)
{
    (void)state;
    spRecording* r = LoadSample(&s_small, SAMPLE);
    spPlayInfo play;
    assert_true(spRecording_GetPlayInfo(r, &play));
    assert_string_equal(play.scenePath, "scenes/sample.json");
    assert_true(play.dt == 0.01 && play.budget == 0.004 && play.live);
    assert_int_equal(spRecording_GetNumberSize(r), sizeof(spReal));
    int rows = spRecording_GetRowCount(r);
    assert_int_equal(spRecording_GetDecisionCount(r), rows / 2 * 2);
    spBodyId ids[1] = {{5, 3}};
    spDecision d[3];
    for (int64_t step = -1; step <= rows; ++step)
    {
        int expected = step >= 0 && step % 2 == 0 && step + 1 < rows ? 2 : 0;
        assert_int_equal(spRecording_GetDecisions(r, (int)step + 1, ids, 1, d, 3), expected);
        if (expected > 0)
        {
            assert_true(SP_IS_NULL(d[0].body) && d[0].dt > 0.0 && d[0].factorStep == -1);
            assert_true(SP_ID_EQUALS(d[1].body, ids[0]) && d[1].dt == 0.0);
            assert_int_equal(d[1].step, step);
            assert_int_equal(d[1].substep, step + 1);
            assert_int_equal(d[1].factorStep, step - 1);
            assert_int_equal(d[1].stopAfter, 7 * (step + 1));
        }
    }
    // Less room, and a body without an id
    assert_int_equal(spRecording_GetDecisions(r, 1, NULL, 0, d, 1), 2);
    assert_int_equal(spRecording_GetDecisions(r, 1, NULL, 0, d, 3), 2);
    assert_int_equal(d[1].body.index1, UINT32_MAX);
    assert_int_equal(spRecording_GetDecisions(NULL, 0, NULL, 0, d, 3), 0);
    assert_false(spRecording_GetPlayInfo(NULL, &play));
    spDestroyRecording(r);
}

// Sets the checksums right again after something was changed
static void MendChecksums(uint8_t* data, size_t size)
{
    spCrcTable crc;
    spMakeCrcTable(&crc);
    size_t offset = SP_RECORD_HEADER_SIZE;
    while (offset + SP_CHUNK_HEADER_SIZE <= size)
    {
        uint64_t length = spGetU64(data + offset + 8);
        if (length > size || spPadLength(length) > size - offset - SP_CHUNK_HEADER_SIZE)
        {
            return;
        }
        uint32_t sum =
            spHashChunk(&crc, spGetU32(data + offset), length, data + offset + SP_CHUNK_HEADER_SIZE);
        memcpy(data + offset + 4, &sum, 4);
        offset += SP_CHUNK_HEADER_SIZE + (size_t)spPadLength(length);
    }
}

// Acts come back before the rows that they were added before; after the last row too
static void TestActs(void** state)
{
    (void)state;
    spRecording* r = LoadSample(&s_small, SAMPLE);
    assert_int_equal(spRecording_GetRowCount(r), 5);
    assert_int_equal(spRecording_GetActCount(r), 2 + 4);
    for (int row = -1; row <= 6; ++row)
    {
        int first = -1;
        assert_int_equal(spRecording_FindActs(r, row, &first), row == 2 ? 2 : row == 4 ? 4 : 0);
        assert_int_equal(first, row <= 2 ? 0 : row <= 4 ? 2 : 6);
    }
    size_t size = 0;
    assert_string_equal(spRecording_GetAct(r, 1, &size), "{\"type\": \"act 1 of 2\"}");
    assert_int_equal(size, 22);
    assert_string_equal(spRecording_GetAct(r, 5, NULL), "{\"type\": \"act 3 of 4\"}");
    assert_null(spRecording_GetAct(r, 6, &size));
    assert_int_equal(size, 0);
    assert_null(spRecording_GetAct(r, -1, NULL));
    assert_int_equal(spRecording_GetActCount(NULL), 0);
    assert_int_equal(spRecording_FindActs(NULL, 2, NULL), 0);
    spDestroyRecording(r);

    // Rows whose steps go back, with decisions of the same steps or later ones again; many acts, and some
    // without a row
    spError error = SP_ZERO_INIT;
    spRecorderDef def = spDefaultRecorderDef();
    def.path = SAMPLE;
    spRecordWriter writer;
    const char* act = "{\"type\": \"restore\", \"name\": \"some quite long name\"}";
    assert_true(spOpenWriter(&writer, &def, &error));
    assert_int_equal(spWriteBody(&writer, "body"), 0);
    for (int i = 0; i < 30; ++i)
    {
        int64_t step = i % 10;
        if (i % 10 == 5 || i == 4 || i == 28)
        {
            spDecisionData decision = {0, 0, -1, i, 0.0};
            assert_true(spWriteDecision(&writer, &decision));
        }
        for (int k = 0; k < 1000 && i % 10 == 0; ++k)
        {
            assert_true(spWriteAct(&writer, act, strlen(act)));
        }
        spRecordRow row = {.time = 0.1 * (double)step, .stepCount = step};
        assert_true(spWriteRow(&writer, &row, NULL));
    }
    assert_true(spWriteAct(&writer, "last", 4));
    assert_true(spCloseWriter(&writer, &error));
    r = spLoadRecording(SAMPLE, NULL, &error);
    assert_non_null(r);
    assert_true(spRecording_IsComplete(r));
    assert_int_equal(spRecording_GetActCount(r), 3001);
    spBodyId id = {1, 1};
    for (int i = 0; i <= 30; ++i)
    {
        spDecision decision;
        int expected = i % 10 == 5 || i == 4 || i == 28;
        assert_int_equal(spRecording_GetDecisions(r, i, &id, 1, &decision, 1), expected);
        assert_true(expected == 0 || (decision.stopAfter == i && decision.step == i % 10 - 1));
        assert_int_equal(spRecording_FindActs(r, i, NULL), i == 30 ? 1 : i % 10 == 0 ? 1000 : 0);
    }
    spDestroyRecording(r);

    // What is no text is refused, and nothing follows it
    assert_true(spOpenWriter(&writer, &def, &error));
    assert_false(spWriteAct(&writer, "a\0b", 3));
    assert_false(spWriteAct(&writer, "good", 4));
    assert_false(spCloseWriter(&writer, &error));
    assert_int_equal(error.code, sp_errorBadArgument);
    assert_false(spRecorder_AddAct(NULL, "x", 1));
}

// A recording of a library that did not know of solvers: as if their chunks were of an unknown type
static void TestWithoutSolver(void** state)
{
    (void)state;
    spDestroyRecording(LoadSample(&s_small, SAMPLE));
    size_t size = 0;
    uint8_t* data = (uint8_t*)ReadWholeFile(SAMPLE, &size);
    int chunks = 0;
    for (size_t i = 0; i + 4 <= size; i += 8)
    {
        if (memcmp(data + i, "SOLV", 4) == 0)
        {
            memcpy(data + i, "NONE", 4);
            chunks += 1;
        }
    }
    assert_int_equal(chunks, 3);
    MendChecksums(data, size);
    spRecording* r = spReadRecording(data, size, NULL, NULL);
    assert_non_null(r);
    assert_true(spRecording_IsComplete(r));
    spRecordRow row = spRecording_GetRow(r, 3);
    assert_int_equal(row.stepCount, 3);
    assert_int_equal(row.solverIterations, -1);
    assert_true(isnan(row.solverResidual));
    assert_int_equal(row.contactCount, -1);
    assert_int_equal(row.substepCount, -1);
    spDestroyRecording(r);
    free(data);
}

// A liar with good checksums: nothing is read beyond the file, and what can be read can be drawn and exported
static void TestLies(void** state)
{
    (void)state;
    spDestroyRecording(LoadSample(&s_small, SAMPLE));
    size_t size = 0;
    char* data = ReadWholeFile(SAMPLE, &size);
    uint8_t* copy = malloc(size);
    uint64_t seed = 43;
    int loaded = 0;
    for (int round = 0; round < 5000; ++round)
    {
        memcpy(copy, data, size);
        int changes = 1 + (int)(spNextRandom(&seed) % 3);
        for (int i = 0; i < changes; ++i)
        {
            // Whole words more often than bytes: counts and indices are words
            size_t place = 16 + spNextRandom(&seed) % (size - 20);
            static const uint32_t words[] = {0, 1, 2, 0x7FFFFFFF, 0x80000000u, 0xFFFFFFFFu, 0x7FC00000, 1000};
            uint32_t word = words[spNextRandom(&seed) % 8];
            if ((spNextRandom(&seed) & 1) != 0)
            {
                memcpy(copy + (place & ~(size_t)3), &word, 4);
            }
            else
            {
                copy[place] = (uint8_t)spNextRandom(&seed);
            }
        }
        MendChecksums(copy, size);
        spRecording* r = spReadRecording(copy, size, NULL, NULL);
        if (r != NULL)
        {
            ++loaded;
            TouchRecording(r);
            if (round % 10 == 0 && spRecording_GetFrameCount(r) > 0)
            {
                uint8_t rgb[3 * 32 * 32];
                spPictureDef def = spDefaultPictureDef();
                def.width = 32;
                def.height = 32;
                def.showCaption = false;
                def.color = (spPictureColor)(round / 10 % sp_pictureColorCount);
                spDrawPicture(r, spRecording_GetFrameCount(r) - 1, &def, rgb, NULL);
            }
            spDestroyRecording(r);
        }
    }
    assert_true(loaded > 1000);
    free(copy);
    free(data);
}

static void TestTrailingBytes(void** state)
{
    (void)state;
    spDestroyRecording(LoadSample(&s_small, SAMPLE));
    size_t size = 0;
    char* data = ReadWholeFile(SAMPLE, &size);
    char* longer = calloc(size + 24, 1);
    memcpy(longer, data, size);
    spRecording* r = spReadRecording(longer, size + 24, NULL, NULL);
    assert_non_null(r);
    assert_false(spRecording_IsComplete(r));
    assert_int_equal(spRecording_GetFrameCount(r), 3);
    spDestroyRecording(r);
    free(longer);
    free(data);
}

static void TestNotARecording(void** state)
{
    (void)state;
    spError error = SP_ZERO_INIT;
    assert_null(spLoadRecording(FOLDER "no such file.rec", NULL, &error));
    assert_int_equal(error.code, sp_errorFileNotFound);
    assert_non_null(strstr(error.message, "no such file.rec"));
    assert_null(spLoadRecording(FOLDER, NULL, &error)); // a folder
    assert_null(spLoadRecording(NULL, NULL, &error));
    assert_null(spReadRecording("solid cube", 10, NULL, &error));
    assert_int_equal(error.code, sp_errorFileFormat);
    assert_null(spReadRecording(NULL, 0, NULL, NULL));

    spDestroyRecording(LoadSample(&s_small, SAMPLE));
    size_t size = 0;
    char* data = ReadWholeFile(SAMPLE, &size);
    data[8] = 9;
    assert_null(spReadRecording(data, size, NULL, &error));
    assert_non_null(strstr(error.message, "version 9"));
    free(data);

    // Getters on nothing
    TouchRecording(NULL);
    spDestroyRecording(NULL);
    assert_true(spCloseRecorder(NULL, NULL));
}

static void TestUnwritable(void** state)
{
    (void)state;
    spError error = SP_ZERO_INIT;
    assert_false(WriteSample(FOLDER "no such folder/a.rec", &s_small, &error));
    assert_int_equal(error.code, sp_errorFileWrite);
    assert_non_null(strstr(error.message, "no such folder/a.rec"));

    // A device that is always full
    if (access("/dev/full", W_OK) == 0)
    {
        error.code = sp_errorNone;
        assert_false(WriteSample("/dev/full", &s_small, &error));
        assert_int_equal(error.code, sp_errorFileWrite);
        assert_non_null(strstr(error.message, "/dev/full"));
    }
}

// ---------------------------------------------------------------------------------------------------------
// A world

typedef struct Scene
{
    spWorld* world;
    spBodyId body;
    spColliderId ground;
} Scene;

static spBodyId MakeTriangleBody(spWorld* world, const char* name, double height)
{
    spDVec3 vertices[4] = {{0, height, 0}, {1, height, 0}, {0, height, 1}, {0, height + 1, 0}};
    int32_t triangles[12] = {0, 1, 2, 0, 3, 1, 0, 2, 3, 1, 3, 2};
    spMeshDef meshDef = spDefaultMeshDef();
    meshDef.vertices = vertices;
    meshDef.vertexCount = 4;
    meshDef.triangles = triangles;
    meshDef.triangleCount = 4;
    spMesh* mesh = spCreateMesh(&meshDef, NULL);
    assert_non_null(mesh);
    spBodyDef def = spDefaultBodyDef();
    def.name = name;
    def.mesh = mesh;
    def.nodeMass = (spReal)0.1;
    spBodyId body = spCreateBody(world, &def);
    assert_false(SP_IS_NULL(body));
    spSpringDef springs = spDefaultSpringDef();
    springs.damping = 1;
    assert_true(spBody_AddSprings(world, body, &springs) >= 0);
    spDestroyMesh(mesh);
    return body;
}

static void ComparePositions(const spRecording* r, int frame, int body, const spVec3* x, int count)
{
    spPointView view = spRecording_GetPositions(r, frame, body);
    assert_int_equal(view.count, count);
    for (int i = 0; i < count; ++i)
    {
        assert_true(view.data[3 * i] == (float)x[i].x);
        assert_true(view.data[3 * i + 1] == (float)x[i].y);
        assert_true(view.data[3 * i + 2] == (float)x[i].z);
    }
}

// Bodies that come and go, a collider that moves, rows between frames
static void TestWorld(void** state)
{
    (void)state;
    spError error = SP_ZERO_INIT;
    spWorldDef worldDef = spDefaultWorldDef();
    spWorld* world = spCreateWorld(&worldDef, &error);
    assert_non_null(world);
    spColliderDef groundDef = spDefaultColliderDef();
    groundDef.name = "ground";
    spColliderId ground = spCreateCollider(world, &groundDef);
    spBodyId first = MakeTriangleBody(world, "first", 0.5);

    static const char* const names[] = {"height"};
    static const char* const units[] = {"m"};
    spCamera camera = {{1, 2, 3}, {0, 0, 0}, {0, 1, 0}, 40.0};
    spRecorderDef def = spDefaultRecorderDef();
    def.path = FOLDER "record_world.rec";
    def.measurementNames = names;
    def.measurementUnits = units;
    def.measurementCount = 1;
    def.camera = &camera;
    def.storeVelocities = true;
    spRecorder* recorder = spCreateRecorder(world, &def, &error);
    assert_non_null(recorder);

    spVec3 firstX[8][4], secondX[8][4], firstV[4];
    uint64_t hashes[8];
    spBodyId second = {0};
    for (int frame = 0; frame < 8; ++frame)
    {
        if (frame == 2)
        {
            second = MakeTriangleBody(world, "second", 3.0);
        }
        if (frame == 5)
        {
            spDestroyBody(world, first);
            MakeTriangleBody(world, "third", 6.0); // takes the free slot
        }
        for (int i = 0; i < 3; ++i)
        {
            spTransform transform = spCollider_GetTransform(world, ground);
            transform.position.y -= (spReal)0.001;
            assert_true(spCollider_MoveTo(world, ground, transform));
            spWorld_Step(world, (spReal)0.005);
            double height = (double)spBody_GetCenter(world, frame < 5 ? first : second).y;
            if (i < 2)
            {
                assert_true(spRecorder_AddMeasurements(recorder, world, &height));
            }
            else
            {
                assert_true(spRecorder_AddFrame(recorder, world, &height));
            }
        }
        hashes[frame] = spWorld_GetStateHash(world);
        spBody_CopyPositions(world, first, firstX[frame], 4);
        spBody_CopyPositions(world, second, secondX[frame], 4);
        spBody_CopyVelocities(world, first, frame == 0 ? firstV : (spVec3[4]){{0}}, 4);
    }

    // A frame of a step that has a row already makes no second row
    assert_true(spRecorder_AddFrame(recorder, world, NULL));
    assert_int_equal(spRecorder_GetError(recorder).code, sp_errorNone);
    assert_true(spRecorder_GetByteCount(recorder) > 1000);
    double finalTime = spWorld_GetTime(world);
    assert_true(spCloseRecorder(recorder, &error));
    spDestroyWorld(world);

    spRecording* r = spLoadRecording(def.path, NULL, &error);
    assert_non_null(r);
    assert_true(spRecording_IsComplete(r));
    assert_int_equal(spRecording_GetRowCount(r), 24);
    assert_int_equal(spRecording_GetFrameCount(r), 9);
    assert_int_equal(spRecording_GetFrameRow(r, 8), 23);
    CHECK_NEAR(spRecording_GetFrameTime(r, 8), finalTime, 0.0);
    assert_int_equal(spRecording_GetBodyCount(r), 3);
    assert_string_equal(spRecording_GetBodyName(r, 2), "third");
    spCamera stored;
    assert_true(spRecording_GetCamera(r, &stored));
    CHECK_NEAR(stored.eye.z, 3.0, 0.0);
    CHECK_NEAR(stored.fieldOfView, 40.0, 0.0);
    spPointView v = spRecording_GetVelocities(r, 0, 0);
    assert_int_equal(v.count, 4);
    assert_true(v.data[1] == (float)firstV[0].y);
    for (int frame = 0; frame < 8; ++frame)
    {
        assert_true(spRecording_GetStateHash(r, frame) == hashes[frame]);
        ComparePositions(r, frame, 0, firstX[frame], frame < 5 ? 4 : 0);
        ComparePositions(r, frame, 1, secondX[frame], frame < 2 ? 0 : 4);
        assert_int_equal(spRecording_GetPositions(r, frame, 2).count, frame < 5 ? 0 : 4);
        spTransform transform;
        assert_true(spRecording_GetColliderTransform(r, frame, 0, &transform));
        CHECK_NEAR(transform.position.y, -0.003 * (frame + 1), 1e-6);
        int triangleCount = 0;
        assert_non_null(spRecording_GetTriangles(r, frame, frame < 5 ? 0 : 2, &triangleCount));
        assert_int_equal(triangleCount, 4);
    }
    TouchRecording(r);
    spDestroyRecording(r);
}

// What tets feel is stored as the world says it, and tets that come later make a new topology
static void TestStress(void** state)
{
    (void)state;
    spError error = SP_ZERO_INIT;
    spWorldDef worldDef = spDefaultWorldDef();
    spWorld* world = spCreateWorld(&worldDef, &error);
    spBoxMeshDef boxDef = spDefaultBoxMeshDef();
    boxDef.cells[0] = boxDef.cells[1] = boxDef.cells[2] = 2;
    spMesh* mesh = spMakeBoxMesh(&boxDef, &error);
    spBodyDef bodyDef = spDefaultBodyDef();
    bodyDef.mesh = mesh;
    spBodyId body = spCreateBody(world, &bodyDef);
    spFieldDef drag = spDefaultFieldDef();
    assert_int_equal(spBody_AddField(world, body, &drag), 0);
    spTetDef tetDef = spDefaultTetDef();
    tetDef.law = sp_tetNeoHookean;
    int set = spBody_AddTets(world, body, &tetDef);
    assert_int_equal(set, 1);
    assert_int_equal(spBody_GetSetCount(world, body), 2);
    assert_int_equal(spBody_GetTetCount(world, body, 0), 0);
    assert_int_equal(spBody_GetTetLaw(world, body, 0), sp_tetLawCount);
    assert_int_equal(spBody_GetTetLaw(world, body, set), sp_tetNeoHookean);
    const int32_t pins[3] = {0, 1, 2};
    spBody_PinNodes(world, body, pins, 3);

    spRecorderDef def = spDefaultRecorderDef();
    def.path = FOLDER "record_stress.rec";
    def.storeStress = true;
    def.storeTetStates = true;
    spRecorder* recorder = spCreateRecorder(world, &def, &error);
    assert_non_null(recorder);
    for (int i = 0; i < 20; ++i)
    {
        spWorld_Step(world, (spReal)0.01);
    }
    assert_true(spRecorder_AddFrame(recorder, world, NULL));
    enum
    {
        nodeCount = 27,
        tetCount = 48
    };
    spReal stress[nodeCount];
    spTetState states[tetCount];
    int32_t tets[4 * tetCount];
    assert_int_equal(spBody_CopyNodeStress(world, body, stress, nodeCount), nodeCount);
    assert_int_equal(spBody_CopyTetStates(world, body, set, states, tetCount), tetCount);
    assert_int_equal(spBody_CopyTets(world, body, set, tets, tetCount), tetCount);
    assert_memory_equal(tets, spMesh_GetTets(mesh), sizeof(tets));

    tetDef.tets = tets;
    tetDef.tetCount = 1;
    assert_int_equal(spBody_AddTets(world, body, &tetDef), 2);
    spWorld_Step(world, (spReal)0.01);
    assert_true(spRecorder_AddFrame(recorder, world, NULL));
    assert_true(spCloseRecorder(recorder, &error));
    spDestroyWorld(world);
    spDestroyMesh(mesh);

    spRecording* r = spLoadRecording(def.path, NULL, &error);
    assert_non_null(r);
    assert_true(spRecording_IsComplete(r));
    int count = 0;
    assert_memory_equal(spRecording_GetTets(r, 0, 0, &count), tets, sizeof(tets));
    assert_int_equal(count, tetCount);
    spValueView stored = spRecording_GetNodeStress(r, 0, 0);
    spTetStateView feels = spRecording_GetTetStates(r, 0, 0);
    assert_int_equal(stored.count, nodeCount);
    double largest = 0.0;
    for (int i = 0; i < nodeCount; ++i)
    {
        assert_true(stored.data[i] == (float)stress[i]);
        largest = fmax(largest, (double)stress[i]);
    }
    assert_true(largest > 1000.0);
    for (int i = 0; i < tetCount; ++i)
    {
        assert_true(feels.vonMises[i] == (float)states[i].vonMises);
        assert_true(feels.principalStress[3 * i + 2] == (float)states[i].principalStress.z);
        assert_true(feels.volumeRatio[i] == (float)states[i].volumeRatio);
    }
    assert_non_null(spRecording_GetTets(r, 1, 0, &count));
    assert_int_equal(count, tetCount + 1);
    assert_int_equal(spRecording_GetTetStates(r, 1, 0).count, tetCount + 1);
    assert_true(spRecording_GetTopology(r, 1, 0) != spRecording_GetTopology(r, 0, 0));
    spDestroyRecording(r);
}

// A block on the ground: its contacts are in the file as the world tells them, up to float
static void TestContacts(void** state)
{
    (void)state;
    spError error = SP_ZERO_INIT;
    spWorldDef worldDef = spDefaultWorldDef();
    spWorld* world = spCreateWorld(&worldDef, NULL);
    spColliderDef ground = spDefaultColliderDef();
    spCreateCollider(world, &ground);
    spBoxMeshDef box = spDefaultBoxMeshDef();
    spMesh* mesh = spMakeBoxMesh(&box, NULL);
    spBodyDef bodyDef = spDefaultBodyDef();
    bodyDef.mesh = mesh;
    bodyDef.name = "block, \"1\"";
    bodyDef.method.type = sp_rigid;
    spBodyId body = spCreateBody(world, &bodyDef);
    spRecorderDef def = spDefaultRecorderDef();
    def.path = FOLDER "record_contacts.rec";
    def.storeContacts = true;
    spRecorder* recorder = spCreateRecorder(world, &def, &error);
    assert_non_null(recorder);
    for (int i = 0; i < 3; ++i)
    {
        spWorld_Step(world, (spReal)0.01);
        assert_true(spRecorder_AddFrame(recorder, world, NULL));
    }
    assert_true(spCloseRecorder(recorder, &error));
    spRecording* r = spLoadRecording(def.path, NULL, &error);
    assert_non_null(r);
    assert_true(spRecording_IsComplete(r));
    spContact contacts[64];
    int count = spWorld_GetContacts(world, contacts, 64);
    assert_true(count > 0);
    assert_int_equal(spRecording_GetContactCount(r, 2), count);
    for (int i = 0; i < count; ++i)
    {
        spRecordedContact c = spRecording_GetContact(r, 2, i);
        assert_true(c.body == 0 && c.collider == 0 && c.otherBody == -1);
        assert_true(c.force[1] == (float)contacts[i].force.y && c.area == (float)contacts[i].area);
        assert_int_equal(c.age, contacts[i].age);
    }
    spReal pressures[512];
    int nodeCount = spBody_CopyContactPressures(world, body, pressures, 512);
    spValueView stored = spRecording_GetNodePressure(r, 2, 0);
    assert_int_equal(stored.count, nodeCount);
    for (int i = 0; i < nodeCount; ++i)
    {
        assert_true(stored.data[i] == (float)pressures[i]);
    }
    // Tables and pictures
    spExportDef exporter = spDefaultExportDef();
    exporter.folder = FOLDER "record_contacts";
    assert_true(spExportCsv(r, &exporter, &error) && spExportVtu(r, &exporter, &error));
    size_t size = 0;
    char* table = ReadWholeFile(FOLDER "record_contacts/frame_contacts.csv", &size);
    assert_non_null(strstr(table, "time [s],body,other,x [m]"));
    assert_non_null(strstr(table, ",\"block, \"\"1\"\"\",collider,"));
    int lines = 0;
    for (const char* p = table; *p != 0; ++p)
    {
        lines += *p == '\n';
    }
    int all = 1;
    for (int i = 0; i < 3; ++i)
    {
        all += spRecording_GetContactCount(r, i);
    }
    assert_int_equal(lines, all);
    free(table);
    char* grid = ReadWholeFile(FOLDER "record_contacts/frame_000002.vtu", &size);
    assert_non_null(strstr(grid, "Name=\"contactPressure\""));
    free(grid);
    spPictureDef picture = spDefaultPictureDef();
    picture.width = 64;
    picture.height = 48;
    picture.color = sp_colorPressure;
    static uint8_t rgb[3 * 64 * 48];
    assert_true(spDrawPicture(r, 2, &picture, rgb, &error));
    spDestroyRecording(r);
    spDestroyWorld(world);
    spDestroyMesh(mesh);
}

// Strain at the nodes of what has one: tets, springs; stored, drawn, refused where it was not stored
static void TestStrain(void** state)
{
    (void)state;
    spError error = SP_ZERO_INIT;
    spTestDef testDef = spDefaultTestDef();
    spTestWorld test = spBuildSpringCloth(&testDef, 8, 500, 1);
    spRecorderDef def = spDefaultRecorderDef();
    def.path = FOLDER "record_strain.rec";
    static uint8_t rgb[2][3 * 64 * 48];
    spPictureDef picture = spDefaultPictureDef();
    picture.width = 64;
    picture.height = 48;
    picture.color = sp_colorStrain;
    for (int stored = 0; stored < 2; ++stored)
    {
        def.storeStrain = stored == 1;
        spRecorder* recorder = spCreateRecorder(test.world, &def, &error);
        assert_non_null(recorder);
        for (int i = 0; i < 3; ++i)
        {
            spWorld_Step(test.world, (spReal)0.02);
            assert_true(spRecorder_AddFrame(recorder, test.world, NULL));
        }
        assert_true(spCloseRecorder(recorder, &error));
        spRecording* r = spLoadRecording(def.path, NULL, &error);
        assert_non_null(r);
        spValueView strain = spRecording_GetNodeStrain(r, 2, 0);
        assert_int_equal(strain.count, stored == 1 ? 64 : 0);
        assert_int_equal(spDrawPicture(r, 2, &picture, rgb[0], &error), stored == 1);
        if (stored == 1)
        {
            spReal now[64];
            assert_int_equal(spBody_CopyNodeStrain(test.world, test.body, now, 64), 64);
            for (int i = 0; i < 64; ++i)
            {
                assert_true(strain.data[i] == (float)now[i]);
            }
            picture.color = sp_colorNone;
            assert_true(spDrawPicture(r, 2, &picture, rgb[1], &error));
            assert_true(memcmp(rgb[0], rgb[1], sizeof(rgb[0])) != 0);
        }
        else
        {
            assert_non_null(strstr(error.message, "--colour strain"));
        }
        spDestroyRecording(r);
    }
    spDestroyTestWorld(&test);
}

// Young's modulus of tets, and levels that a body without any does not have
static void TestModulus(void** state)
{
    (void)state;
    spError error = SP_ZERO_INIT;
    spTestDef testDef = spDefaultTestDef();
    spTetDef tets = spDefaultTetDef();
    tets.youngModulus = 1000;
    int32_t regions[24];
    for (int i = 0; i < 24; ++i)
    {
        regions[i] = i < 12 ? 2 : 9;
    }
    tets.regions = regions;
    spTestWorld test = spBuildTetBeam(&testDef, 1, &tets);
    int nodeCount = spBody_GetNodeCount(test.world, test.body);
    spRecorderDef def = spDefaultRecorderDef();
    def.path = FOLDER "record_modulus.rec";
    def.storeModulus = true;
    def.storeLevels = true;
    def.storeRegions = true;
    spRecorder* recorder = spCreateRecorder(test.world, &def, &error);
    assert_non_null(recorder);
    assert_true(spRecorder_AddFrame(recorder, test.world, NULL));
    assert_true(spBody_ScaleTets(test.world, test.body, test.tets, 3));
    assert_true(spRecorder_AddFrame(recorder, test.world, NULL));
    assert_true(spCloseRecorder(recorder, &error));
    spRecording* r = spLoadRecording(def.path, NULL, &error);
    assert_non_null(r);
    for (int frame = 0; frame < 2; ++frame)
    {
        spValueView modulus = spRecording_GetNodeModulus(r, frame, 0);
        assert_int_equal(modulus.count, nodeCount);
        for (int i = 0; i < nodeCount; ++i)
        {
            CHECK_NEAR(modulus.data[i], frame == 0 ? 1000.0 : 3000.0, 0.01);
        }
        assert_int_equal(spRecording_GetNodeLevels(r, frame, 0).count, 0);
    }
    static uint8_t rgb[3 * 64 * 48];
    spPictureDef picture = spDefaultPictureDef();
    picture.width = 64;
    picture.height = 48;
    picture.color = sp_colorModulus;
    assert_true(spDrawPicture(r, 1, &picture, rgb, &error));
    picture.color = sp_colorLevel;
    assert_false(spDrawPicture(r, 1, &picture, rgb, &error));
    assert_non_null(strstr(error.message, "--colour level"));

    // Two regions have two colours, and names change the legend alone
    spValueView around = spRecording_GetNodeRegions(r, 1, 0);
    assert_int_equal(around.count, nodeCount);
    int many = 0;
    for (int i = 0; i < nodeCount; ++i)
    {
        assert_true(around.data[i] == 2.0f || around.data[i] == 9.0f);
        many += around.data[i] == 9.0f ? 1 : 0;
    }
    assert_true(many > 0 && many < nodeCount);
    static uint8_t seen[3 * 256 * 192], named[sizeof(seen)];
    picture.width = 256;
    picture.height = 192;
    picture.color = sp_colorRegion;
    assert_true(spDrawPicture(r, 1, &picture, seen, &error));
    int blue = 0, red = 0;
    for (int i = 0; i < 256 * 192; ++i)
    {
        blue += seen[3 * i + 2] > seen[3 * i] + 60 ? 1 : 0;
        red += seen[3 * i] > seen[3 * i + 2] + 60 ? 1 : 0;
    }
    assert_true(blue > 500 && red > 500);
    const spRegionName names[2] = {{9, "i"}, {2, "i"}};
    picture.regionNames = names;
    picture.regionNameCount = 2;
    assert_true(spDrawPicture(r, 1, &picture, named, &error));
    assert_memory_not_equal(seen, named, sizeof(seen));
    picture.regionNames = NULL;
    assert_false(spDrawPicture(r, 1, &picture, named, &error));
    spDestroyRecording(r);
    spDestroyTestWorld(&test);
}

static void TestRecorderErrors(void** state)
{
    (void)state;
    spError error = SP_ZERO_INIT;
    spWorldDef worldDef = spDefaultWorldDef();
    spWorld* world = spCreateWorld(&worldDef, NULL);
    spRecorderDef def = spDefaultRecorderDef();
    assert_null(spCreateRecorder(world, &def, &error));
    assert_int_equal(error.code, sp_errorBadArgument);
    def.path = FOLDER "record_errors.rec";
    assert_null(spCreateRecorder(NULL, &def, &error));
    def.measurementCount = 2;
    assert_null(spCreateRecorder(world, &def, &error));
    def.internalValue = 0;
    assert_null(spCreateRecorder(world, &def, &error));
    assert_int_equal(error.code, sp_errorBadDef);
    assert_null(spCreateRecorder(world, NULL, NULL));
    assert_false(spRecorder_AddFrame(NULL, world, NULL));

    // The disk is full: every call says so, the reason is kept
    if (access("/dev/full", W_OK) == 0)
    {
        def = spDefaultRecorderDef();
        def.path = "/dev/full";
        assert_null(spCreateRecorder(world, &def, &error));
        assert_int_equal(error.code, sp_errorFileWrite);
        assert_non_null(strstr(error.message, "/dev/full"));
    }

    // An empty world is a recording too
    def = spDefaultRecorderDef();
    def.path = FOLDER "record_empty.rec";
    spRecorder* recorder = spCreateRecorder(world, &def, &error);
    assert_non_null(recorder);
    assert_true(spRecorder_AddFrame(recorder, world, NULL));
    assert_true(spCloseRecorder(recorder, &error));
    spRecording* r = spLoadRecording(def.path, NULL, &error);
    assert_non_null(r);
    assert_true(spRecording_IsComplete(r));
    assert_int_equal(spRecording_GetFrameCount(r), 1);
    assert_null(spRecording_GetSceneText(r));
    spDestroyRecording(r);
    spDestroyWorld(world);
}

// ---------------------------------------------------------------------------------------------------------
// Exporters

static void TestCsv(void** state)
{
    (void)state;
    spRecording* r = LoadSample(&s_small, SAMPLE);
    spExportDef def = spDefaultExportDef();
    def.folder = FOLDER "export/deep/er";
    def.baseName = "run";
    spError error = SP_ZERO_INIT;
    assert_true(spExportCsv(r, &def, &error));
    char* text = ReadWholeFile(FOLDER "export/deep/er/run.csv", NULL);
    assert_non_null(text);
    assert_int_equal(
        strncmp(text, "time [s],step,height [m],\"strain, \"\"largest\"\"\",nothing [J]\n0,0,0,0,\n",
                strlen("time [s],step,height [m],\"strain, \"\"largest\"\"\",nothing [J]\n0,0,0,0,\n")),
        0);

    // Numbers come back as they were
    char* line = text;
    for (int row = 0; row < 5; ++row)
    {
        line = strchr(line, '\n') + 1;
        char* end = line;
        double time = strtod(end, &end);
        long step = strtol(end + 1, &end, 10);
        double height = strtod(end + 1, &end);
        assert_true(time == spRecording_GetRow(r, row).time);
        assert_int_equal(step, row);
        assert_true(height == spRecording_GetMeasurement(r, row, 0));
    }
    assert_string_equal(strchr(line, '\n'), "\n");
    free(text);

    text = ReadWholeFile(FOLDER "export/deep/er/run_profile.csv", NULL);
    assert_non_null(text);
    assert_int_equal(strncmp(text, "time [s],step,dt [s],flags,total [ms],", 38), 0);
    free(text);
    spDestroyRecording(r);
}

// The bytes of a named array of a VTU file, without the count before them
static uint8_t* ReadVtuArray(const char* text, const char* name, size_t* size)
{
    char key[64];
    snprintf(key, sizeof(key), "Name=\"%s\"", name);
    const char* p = strstr(text, key);
    assert_non_null(p);
    p = strchr(p, '\n') + 1;
    const char* end = strchr(p, '\n');
    uint8_t* bytes = calloc((size_t)(end - p) + 8, 1);
    size_t count = 0;
    for (int group = 1; group > 0; count += (size_t)group)
    {
        group = spDecodeBase64(&p, end, bytes + count);
    }
    assert_true(p == end);
    assert_true(count >= 8);
    *size = (size_t)spGetU64(bytes);
    assert_int_equal(*size, count - 8);
    memmove(bytes, bytes + 8, count - 8);
    return bytes;
}

static void TestVtu(void** state)
{
    (void)state;
    spRecording* r = LoadSample(&s_small, SAMPLE);
    spExportDef def = spDefaultExportDef();
    def.folder = FOLDER "export";
    def.baseName = "a & b";
    def.frameStride = 2;
    spError error = SP_ZERO_INIT;
    assert_true(spExportVtu(r, &def, &error));
    char* text = ReadWholeFile(FOLDER "export/a & b.pvd", NULL);
    assert_non_null(text);
    assert_true(IsWellFormedXml(text));
    assert_non_null(strstr(text, "file=\"a &amp; b_000002.vtu\""));
    assert_null(strstr(text, "000001.vtu"));
    free(text);

    text = ReadWholeFile(FOLDER "export/a & b_000002.vtu", NULL);
    assert_non_null(text);
    assert_true(IsWellFormedXml(text));
    size_t size = 0;
    uint8_t* points = ReadVtuArray(text, "Points", &size);
    size_t pointCount = size / 12, at = 0;
    for (int body = 0; body < 3; ++body)
    {
        spPointView x = spRecording_GetPositions(r, 2, body);
        assert_memory_equal(points + at, x.data, (size_t)x.count * 12);
        at += (size_t)x.count * 12;
    }
    uint8_t* velocities = ReadVtuArray(text, "velocity", &size);
    assert_int_equal(size, 12 * pointCount);
    assert_memory_equal(velocities, spRecording_GetVelocities(r, 2, 0).data, 12);

    // Cells: triangles have 3 nodes, edges 2, all in range
    size_t cellCount = 0, connectivitySize = 0;
    uint8_t* types = ReadVtuArray(text, "types", &cellCount);
    uint8_t* offsets = ReadVtuArray(text, "offsets", &size);
    uint8_t* connectivity = ReadVtuArray(text, "connectivity", &connectivitySize);
    uint8_t* bodies = ReadVtuArray(text, "body", &size);
    assert_int_equal(size, 4 * cellCount);
    uint8_t* nodeStress = ReadVtuArray(text, "vonMises", &size);
    assert_int_equal(size, 4 * pointCount);
    assert_memory_equal(nodeStress, spRecording_GetNodeStress(r, 2, 0).data, 8);
    const char* cellData = strstr(text, "<CellData>");
    uint8_t* vonMises = ReadVtuArray(cellData, "vonMises", &size);
    assert_int_equal(size, 4 * cellCount);
    uint8_t* principal = ReadVtuArray(cellData, "principalStress", &size);
    assert_int_equal(size, 12 * cellCount);
    uint8_t* ratio = ReadVtuArray(cellData, "volumeRatio", &size);
    assert_int_equal(size, 4 * cellCount);
    uint64_t last = 0;
    int edges = 0, colliders = 0, tets = 0;
    for (size_t i = 0; i < cellCount; ++i)
    {
        uint64_t end = spGetU64(offsets + 8 * i);
        assert_true((types[i] == 5 && end - last == 3) || (types[i] == 3 && end - last == 2) ||
                    (types[i] == 10 && end - last == 4));
        // The states of the sample count the tets; other cells have none
        assert_true(types[i] == 10 ? spGetF32(vonMises + 4 * i) == (float)tets
                                   : isnan(spGetF32(vonMises + 4 * i)));
        assert_true(types[i] != 10 || spGetF32(ratio + 4 * i) == -(float)tets);
        assert_true(types[i] != 10 || spGetF32(principal + 12 * i) == (float)tets + 0.1f);
        tets += types[i] == 10 ? 1 : 0;
        last = end;
        edges += types[i] == 3 ? 1 : 0;
        colliders += (int32_t)spGetU32(bodies + 4 * i) < 0 ? 1 : 0;
    }
    assert_int_equal(edges, 12);
    assert_int_equal(tets, spRecording_GetTetStates(r, 2, 0).count);
    assert_true(colliders > 12);
    assert_int_equal(last * 8, connectivitySize);
    for (size_t i = 0; i < last; ++i)
    {
        assert_true(spGetU64(connectivity + 8 * i) < pointCount);
    }
    free(points);
    free(velocities);
    free(types);
    free(offsets);
    free(connectivity);
    free(bodies);
    free(nodeStress);
    free(vonMises);
    free(principal);
    free(ratio);
    free(text);
    spDestroyRecording(r);
}

static void TestObj(void** state)
{
    (void)state;
    spRecording* r = LoadSample(&s_small, SAMPLE);
    spExportDef def = spDefaultExportDef();
    def.folder = FOLDER "export/";
    def.firstFrame = 1;
    def.lastFrame = 1;
    spError error = SP_ZERO_INIT;
    assert_true(spExportObj(r, &def, &error));
    char* text = ReadWholeFile(FOLDER "export/frame_000001.obj", NULL);
    assert_non_null(text);
    assert_non_null(strstr(text, "\no lattice_&_<springs>_1\n"));
    spError meshError = SP_ZERO_INIT;
    spMesh* mesh = spLoadMesh(FOLDER "export/frame_000001.obj", NULL, &meshError);
    assert_non_null(mesh);
    int count = 0, nodes = 0, triangles = 0;
    for (int body = 0; body < 3; ++body)
    {
        nodes += spRecording_GetPositions(r, 1, body).count;
        spRecording_GetTriangles(r, 1, body, &count);
        triangles += count;
    }
    assert_int_equal(spMesh_GetVertexCount(mesh), nodes);
    assert_int_equal(spMesh_GetTriangleCount(mesh), triangles);
    spPointView x = spRecording_GetPositions(r, 1, 0);
    for (int i = 0; i < x.count; ++i)
    {
        assert_true((float)spMesh_GetVertices(mesh)[i].y == x.data[3 * i + 1]);
    }
    spDestroyMesh(mesh);
    free(text);
    spDestroyRecording(r);
}

static bool StopAtHalf(double fraction, void* context)
{
    *(int*)context += 1;
    return fraction < 0.5;
}

static void TestExportErrors(void** state)
{
    (void)state;
    spRecording* r = LoadSample(&s_small, SAMPLE);
    spError error = SP_ZERO_INIT;
    spExportDef def = spDefaultExportDef();
    assert_false(spExportCsv(r, &def, &error));
    assert_int_equal(error.code, sp_errorBadArgument);
    def.folder = SAMPLE "/folder"; // below a file
    assert_false(spExportObj(r, &def, &error));
    assert_int_equal(error.code, sp_errorFileWrite);
    assert_non_null(strstr(error.message, SAMPLE));
    def.folder = FOLDER "export";
    def.baseName = "../escape";
    assert_false(spExportVtu(r, &def, &error));
    def.baseName = "frame";
    def.lastFrame = 3;
    assert_false(spExportVtu(r, &def, &error));
    def.lastFrame = -1;
    def.frameStride = 0;
    assert_false(spExportVtu(r, &def, &error));
    def.internalValue = 0;
    assert_false(spExportVtu(r, &def, &error));
    assert_int_equal(error.code, sp_errorBadDef);
    assert_false(spExportVtu(NULL, NULL, NULL));

    // Cancelling is no error
    int calls = 0;
    def = spDefaultExportDef();
    def.folder = FOLDER "export_cancel";
    def.progress = StopAtHalf;
    def.progressContext = &calls;
    error = (spError)SP_ZERO_INIT;
    assert_false(spExportVtu(r, &def, &error));
    assert_int_equal(error.code, sp_errorNone);
    assert_string_equal(error.message, "cancelled");
    assert_int_equal(calls, 3);
    assert_int_equal(access(FOLDER "export_cancel/frame_000001.vtu", F_OK), 0);
    assert_int_not_equal(access(FOLDER "export_cancel/frame_000002.vtu", F_OK), 0);
    spDestroyRecording(r);
}

// ---------------------------------------------------------------------------------------------------------
// Memory

// Each allocation fails in turn: an error, no leak, no crash
static void TestFailingMemory(void** state)
{
    (void)state;
    spDestroyRecording(LoadSample(&s_small, SAMPLE));
    for (int allowed = 0; allowed < 200; ++allowed)
    {
        FailingAllocator failing = {.failAt = allowed, .failAfter = true};
        spAllocator allocator = MakeFailingAllocator(&failing);
        spError error = SP_ZERO_INIT;
        spRecording* r = spLoadRecording(SAMPLE, &allocator, &error);
        bool done = false;
        if (r == NULL)
        {
            assert_int_equal(error.code, sp_errorOutOfMemory);
        }
        else
        {
            spExportDef def = spDefaultExportDef();
            def.folder = FOLDER "export";
            spPictureDef picture = spDefaultPictureDef();
            picture.width = 64;
            picture.height = 48;
            uint8_t rgb[3 * 64 * 48];
            done = spExportVtu(r, &def, &error) && spExportObj(r, &def, &error) &&
                   spExportCsv(r, &def, &error) && spDrawPicture(r, 0, &picture, rgb, &error);
            assert_true(done || error.code == sp_errorOutOfMemory);
            spDestroyRecording(r);
        }
        assert_int_equal(failing.out, 0);
        if (done)
        {
            return;
        }
    }
    fail();
}

static void TestFailingWriterMemory(void** state)
{
    (void)state;
    for (int allowed = 0; allowed < 100; ++allowed)
    {
        FailingAllocator failing = {.failAt = allowed, .failAfter = true};
        spWorldDef worldDef = spDefaultWorldDef();
        spWorld* world = spCreateWorld(&worldDef, NULL);
        MakeTriangleBody(world, "body", 1.0);
        spRecorderDef def = spDefaultRecorderDef();
        def.path = FOLDER "record_memory.rec";
        def.allocator = MakeFailingAllocator(&failing);
        spError error = SP_ZERO_INIT;
        spRecorder* recorder = spCreateRecorder(world, &def, &error);
        bool done = recorder != NULL && spRecorder_AddFrame(recorder, world, NULL);
        done = spCloseRecorder(recorder, &error) && done;
        assert_true(done || error.code == sp_errorOutOfMemory);
        assert_int_equal(failing.out, 0);
        spDestroyWorld(world);
        if (done)
        {
            return;
        }
    }
    fail();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestRoundTrip),
        cmocka_unit_test(TestTopologyChange),
        cmocka_unit_test(TestTruncation),
        cmocka_unit_test(TestDecisions),
        cmocka_unit_test(TestActs),
        cmocka_unit_test(TestWithoutSolver),
        cmocka_unit_test(TestByteFlips),
        cmocka_unit_test(TestLies),
        cmocka_unit_test(TestTrailingBytes),
        cmocka_unit_test(TestNotARecording),
        cmocka_unit_test(TestUnwritable),
        cmocka_unit_test(TestWorld),
        cmocka_unit_test(TestStress),
        cmocka_unit_test(TestStrain),
        cmocka_unit_test(TestModulus),
        cmocka_unit_test(TestRecorderErrors),
        cmocka_unit_test(TestContacts),
        cmocka_unit_test(TestCsv),
        cmocka_unit_test(TestVtu),
        cmocka_unit_test(TestObj),
        cmocka_unit_test(TestExportErrors),
        cmocka_unit_test(TestFailingMemory),
        cmocka_unit_test(TestFailingWriterMemory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
