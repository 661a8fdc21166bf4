// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Reports: what is packed into the page comes out again as messages with the counts and positions of the
// recording. Without the page, the refusal.

#include "souple/view.h"
#include "test/read_file.h"
#include "test/record_sample.h"
#include "test/report_messages.h"
#include "test/xml_check.h"
#include "testbed/check.h"

#include <jansson.h>

#define FOLDER SOUPLE_BINARY_DIR "/test/"
#define PATH FOLDER "report.html"

// The next message of a kind from an index on; -1 when there is none
static int FindKind(const Messages* messages, uint32_t kind, int from)
{
    for (int i = from; i < messages->count; ++i)
    {
        if (spGetU32(messages->items[i]) == kind)
        {
            return i;
        }
    }
    return -1;
}

static int CountKind(const Messages* messages, uint32_t kind)
{
    int count = 0;
    for (int i = FindKind(messages, kind, 0); i >= 0; i = FindKind(messages, kind, i + 1))
    {
        count += 1;
    }
    return count;
}

// A text message by its type; NULL when there is none
static json_t* FindText(const Messages* messages, const char* type)
{
    for (int i = FindKind(messages, 1, 0); i >= 0; i = FindKind(messages, 1, i + 1))
    {
        json_t* json = json_loadb((const char*)messages->items[i] + 4, messages->sizes[i] - 4, 0, NULL);
        assert_non_null(json);
        if (strcmp(json_string_value(json_object_get(json, "type")), type) == 0)
        {
            return json;
        }
        json_decref(json);
    }
    return NULL;
}

static const char* GetText(json_t* json, const char* key)
{
    const char* text = json_string_value(json_object_get(json, key));
    return text != NULL ? text : "(none)";
}

static spRecording* MakeRecording(const SampleDef* sample)
{
    spError error = SP_ZERO_INIT;
    assert_true(WriteSample(FOLDER "report.rec", sample, &error));
    spRecording* recording = spLoadRecording(FOLDER "report.rec", NULL, &error);
    assert_non_null(recording);
    return recording;
}

static Messages* SaveReport(const spReportDef* def, char** html)
{
    spError error = SP_ZERO_INIT;
    if (!spSaveReport(def, PATH, &error))
    {
        print_error("%s\n", error.message);
        fail();
    }
    char* text = ReadWholeFile(PATH, NULL);
    assert_non_null(text);
    Messages* messages = ReadMessages(text);
    if (html != NULL)
    {
        *html = text;
    }
    else
    {
        free(text);
    }
    return messages;
}

// ---------------------------------------------------------------------------------------------------------
// Tests

static const SampleDef s_sample = {.rings = 6,
                                   .lattice = 3,
                                   .cloth = 5,
                                   .frames = 7,
                                   .rowsPerFrame = 4,
                                   .torn = 4,
                                   .velocities = true,
                                   .stress = true,
                                   .colliders = true};

// One body of a frame
typedef struct Points
{
    uint32_t body, version, flags, count;
    float corner[3], size[3];
    const uint8_t* points;
    const uint8_t* values[6]; // by colour
} Points;

// Reads the bodies of a frame, which must fill it exactly with its contacts
static int ReadPoints(const Messages* messages, int index, Points* bodies, int capacity)
{
    const uint8_t* p = messages->items[index];
    const uint8_t* end = p + messages->sizes[index];
    uint32_t bodyCount = spGetU32(p + 40), colliderCount = spGetU32(p + 44), handCount = spGetU32(p + 48);
    assert_true((int)bodyCount <= capacity);
    p += 52 + 32 * colliderCount + 40 * handCount;
    for (uint32_t i = 0; i < bodyCount; ++i)
    {
        Points* body = bodies + i;
        memset(body, 0, sizeof(*body));
        body->body = spGetU32(p);
        body->version = spGetU32(p + 4);
        body->flags = spGetU32(p + 8);
        body->count = spGetU32(p + 12);
        memcpy(body->corner, p + 16, 12);
        memcpy(body->size, p + 28, 12);
        body->points = p + 40;
        p += 40 + 6 * body->count;
        assert_int_equal(body->flags & 6, 4);
        for (int c = 0; c < 6; ++c)
        {
            if ((body->flags >> (8 + c) & 1) != 0)
            {
                body->values[c] = p;
                p += body->count;
            }
        }
        p += (4 - (p - messages->items[index]) % 4) % 4;
    }
    assert_ptr_equal(p + 4 + 24 * spGetU32(p), end);
    return (int)bodyCount;
}

static double GetCoordinate(const Points* body, int vertex, int axis)
{
    uint16_t share;
    memcpy(&share, body->points + 6 * vertex + 2 * axis, 2);
    return (double)body->corner[axis] + (double)body->size[axis] * share / 65535.0;
}

// Where the vertices are, against the recording, within the steps of the numbers that are stored
static void CheckFrame(const Messages* messages, int index, const int* topologies, const spRecording* r,
                       int frame, json_t* colours)
{
    Points bodies[3];
    assert_int_equal(ReadPoints(messages, index, bodies, 3), 3);
    for (int i = 0; i < 3; ++i)
    {
        const Points* body = bodies + i;
        const uint8_t* topology = messages->items[topologies[i]];
        assert_int_equal(spGetU32(topology + 8), body->body);
        assert_int_equal(spGetU32(topology + 12), body->version);
        assert_int_equal(spGetU32(topology + 16), body->count);
        spPointView x = spRecording_GetPositions(r, frame, i), start = spRecording_GetPositions(r, 0, i);
        double top = json_number_value(json_object_get(colours, "displacement"));
        for (int k = 0; k < (int)body->count; ++k)
        {
            int node = (int)spGetU32(topology + 36 + 4 * k);
            double length = 0.0;
            for (int axis = 0; axis < 3; ++axis)
            {
                double expected = (double)x.data[3 * node + axis];
                double step = (double)body->size[axis] / 65535.0;
                CHECK_NEAR(GetCoordinate(body, k, axis), expected, 0.51 * step + 1e-6);
                double moved = expected - (double)start.data[3 * node + axis];
                length += moved * moved;
            }
            CHECK_NEAR(body->values[1][k] / 255.0 * top, fmin(sqrt(length), top), 0.51 * top / 255.0 + 1e-6);
        }
        // Stress where there are tets, velocities everywhere, strain nowhere
        assert_true((body->values[3] != NULL) == (i == 0));
        assert_non_null(body->values[4]);
        assert_null(body->values[2]);
        assert_null(body->values[0]);
    }
}

static void TestRecording(void** state)
{
    (void)state;
    spRecording* r = MakeRecording(&s_sample);
    spReportDef def = spDefaultReportDef();
    static const char* const facts[] = {"machine", "a fast one", "version", "1 < 2"};
    def.recording = r;
    def.facts = facts;
    def.factCount = 2;
    Messages* messages = SaveReport(&def, NULL);

    json_t* hello = FindText(messages, "hello");
    assert_string_equal(GetText(hello, "source"), "report");
    assert_int_equal(json_integer_value(json_object_get(hello, "protocol")), 1);
    json_t* list = json_object_get(hello, "facts");
    assert_int_equal(json_array_size(list), 2);
    assert_string_equal(json_string_value(json_array_get(json_array_get(list, 1), 1)), "1 < 2");
    json_decref(hello);

    json_t* scene = FindText(messages, "scene");
    assert_string_equal(GetText(scene, "name"), "sample");
    assert_string_equal(GetText(scene, "text"), spRecording_GetSceneText(r));
    assert_int_equal(json_array_size(json_object_get(scene, "bodies")), 3);
    assert_int_equal(json_array_size(json_object_get(scene, "colliders")), 4);
    assert_int_equal(json_array_size(json_object_get(scene, "measurements")), 3);
    json_t* colours = json_object_get(scene, "colours");
    assert_int_equal(json_object_size(colours), 4);
    assert_non_null(json_object_get(colours, "pressure"));

    // The cloth is torn in one frame: one more topology, before it
    assert_int_equal(CountKind(messages, 3), 7);
    assert_int_equal(CountKind(messages, 2), 4);
    int topologies[3] = {0}, frame = 0;
    for (int i = 0; i < messages->count; ++i)
    {
        uint32_t kind = spGetU32(messages->items[i]);
        if (kind == 2)
        {
            topologies[spGetU32(messages->items[i] + 8)] = i;
        }
        if (kind == 3)
        {
            assert_int_equal(spGetU32(messages->items[i] + 8), frame);
            CHECK_NEAR(spGetF64(messages->items[i] + 16), spRecording_GetFrameTime(r, frame), 1e-12);
            CheckFrame(messages, i, topologies, r, frame, colours);
            // Two contacts at the end, position and force of each
            const uint8_t* last = messages->items[i] + messages->sizes[i] - 2 * 24;
            assert_int_equal(spGetU32(last - 4), 2);
            assert_true(spGetF32(last + 20) == 3.0f && spGetF32(last + 24) == 4.0f);
            frame += 1;
        }
    }
    // The lattice has edges alone
    assert_true(spGetU32(messages->items[topologies[1]] + 20) == 0 &&
                spGetU32(messages->items[topologies[1]] + 24) > 0);
    assert_null(FindText(messages, "nothing"));
    json_decref(scene);
    FreeMessages(messages);
    spDestroyRecording(r);
}

// All rows while they are few, and the extremes of every stretch when they are many
static void CheckSeries(const Messages* messages, const spRecording* r, bool thinned)
{
    int index = FindKind(messages, 4, 0);
    assert_true(index >= 0);
    const uint8_t* p = messages->items[index];
    int rowCount = (int)spGetU32(p + 4), columnCount = (int)spGetU32(p + 8);
    uint32_t textSize = spGetU32(p + 12);
    json_t* heads = json_loadb((const char*)p + 16, textSize, 0, NULL);
    assert_non_null(heads);
    assert_int_equal(json_array_size(heads), columnCount);
    assert_string_equal(GetText(json_array_get(heads, 0), "group"), "time");
    assert_string_equal(GetText(json_array_get(heads, 1), "unit"), "m");
    assert_string_equal(GetText(json_array_get(heads, (size_t)columnCount - 4), "name"), "iterations");
    json_decref(heads);
    const uint8_t* columns = p + 16 + (textSize + 3) / 4 * 4;
    assert_ptr_equal(columns + 4 * (size_t)rowCount * (size_t)columnCount, p + messages->sizes[index]);
    int all = spRecording_GetRowCount(r);
    assert_true(thinned ? rowCount <= 5000 && rowCount >= 4998 : rowCount == all);
    double low = 1e9, high = -1e9, seenLow = 1e9, seenHigh = -1e9, last = -1.0;
    for (int i = 0; i < all; ++i)
    {
        low = fmin(low, spRecording_GetMeasurement(r, i, 0));
        high = fmax(high, spRecording_GetMeasurement(r, i, 0));
    }
    for (int i = 0; i < rowCount; ++i)
    {
        double time = (double)spGetF32(columns + 4 * (size_t)i);
        double value = (double)spGetF32(columns + 4 * ((size_t)rowCount + (size_t)i));
        assert_true(time >= last);
        last = time;
        seenLow = fmin(seenLow, value);
        seenHigh = fmax(seenHigh, value);
        assert_true(isnan(spGetF32(columns + 4 * (3 * (size_t)rowCount + (size_t)i))));
    }
    CHECK_NEAR(seenLow, low, 1e-6);
    CHECK_NEAR(seenHigh, high, 1e-6);
    CHECK_NEAR(last, spRecording_GetRow(r, all - 1).time, 1e-4);
}

static void TestSeries(void** state)
{
    (void)state;
    SampleDef sample = s_sample;
    for (int round = 0; round < 2; ++round)
    {
        sample.rowsPerFrame = round == 0 ? 4 : 2000;
        spRecording* r = MakeRecording(&sample);
        spReportDef def = spDefaultReportDef();
        def.recording = r;
        def.frameLimit = 2;
        Messages* messages = SaveReport(&def, NULL);
        CheckSeries(messages, r, round == 1);
        // Only part of the frames is there, the last one among them, and the report says so
        assert_int_equal(CountKind(messages, 3), 2);
        json_t* sections = FindText(messages, "sections");
        json_t* list = json_object_get(sections, "sections");
        assert_int_equal(json_array_size(list), 1);
        const char* text = GetText(json_array_get(list, 0), "text");
        assert_non_null(strstr(text, "2 of 7 frames"));
        assert_true((strstr(text, "thinned") != NULL) == (round == 1));
        json_decref(sections);
        FreeMessages(messages);
        spDestroyRecording(r);
    }
}

// Where a state was restored the time of the world goes back; that of the report goes on
static void TestTimeGoesBack(void** state)
{
    (void)state;
    spError error = SP_ZERO_INIT;
    spRecorderDef recorderDef = spDefaultRecorderDef();
    recorderDef.path = FOLDER "report_back.rec";
    spRecordWriter writer;
    assert_true(spOpenWriter(&writer, &recorderDef, &error));
    float x[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    int32_t triangle[3] = {0, 1, 2};
    spTopologyData data = {.body = spWriteBody(&writer, "leaf"), .nodeCount = 3};
    data.triangles = triangle;
    data.triangleCount = 1;
    const uint8_t bare = 1;
    data.bare = &bare;
    spFrameBody body = {.topology = spWriteTopology(&writer, &data), .nodeCount = 3, .positions = x};
    static const double times[6] = {0.1, 0.2, 0.3, 0.1, 0.2, 0.3};
    for (int i = 0; i < 6; ++i)
    {
        spRecordRow row = {.time = times[i], .stepCount = i % 3 + 1, .dtTaken = 0.1};
        assert_true(spWriteRow(&writer, &row, NULL));
        spFrameData frame = {.stateHash = 1, .bodies = &body, .bodyCount = 1};
        assert_true(spWriteFrame(&writer, &frame));
    }
    assert_true(spCloseWriter(&writer, &error));
    spRecording* r = spLoadRecording(recorderDef.path, NULL, &error);
    assert_non_null(r);
    spReportDef def = spDefaultReportDef();
    def.recording = r;
    Messages* messages = SaveReport(&def, NULL);
    int frame = 0;
    for (int i = FindKind(messages, 3, 0); i >= 0; i = FindKind(messages, 3, i + 1))
    {
        frame += 1;
        CHECK_NEAR(spGetF64(messages->items[i] + 16), 0.1 * frame, 1e-9);
    }
    assert_int_equal(frame, 6);
    // Behind three vertices and a triangle: that it was laid bare
    assert_int_equal(spGetU32(messages->items[FindKind(messages, 2, 0)] + 4 * (9 + 3 + 3)), 1);
    FreeMessages(messages);
    spDestroyRecording(r);
}

// Of an attached surface: where its vertices are, and the colours that they get from their nodes
static void TestSurface(void** state)
{
    (void)state;
    spError error = SP_ZERO_INIT;
    spRecorderDef recorderDef = spDefaultRecorderDef();
    recorderDef.path = FOLDER "report_surface.rec";
    recorderDef.storeVelocities = true;
    spRecordWriter writer;
    assert_true(spOpenWriter(&writer, &recorderDef, &error));
    float x[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}, v[12] = {0};
    v[3] = 2.0f; // of the second node
    int32_t tet[4] = {0, 1, 2, 3}, nodes[12] = {0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3}, triangle[3] = {0, 1, 2};
    float weights[9] = {0.5f, 0, 0, 0, 0.25f, 0.25f, 1, 0, 0};
    spTopologyData data = {.body = spWriteBody(&writer, "skin"), .nodeCount = 4, .tets = tet, .tetCount = 1};
    data.surfaceNodes = nodes;
    data.surfaceWeights = weights;
    data.surfaceVertexCount = 3;
    data.surfaceTriangles = triangle;
    data.surfaceTriangleCount = 1;
    spFrameBody body = {.topology = spWriteTopology(&writer, &data),
                        .nodeCount = 4,
                        .positions = x,
                        .velocities = v,
                        .tetCount = 1};
    spRecordRow row = {.time = 0.0};
    assert_true(spWriteRow(&writer, &row, NULL));
    spFrameData frame = {.stateHash = 1, .bodies = &body, .bodyCount = 1};
    assert_true(spWriteFrame(&writer, &frame) && spCloseWriter(&writer, &error));
    spRecording* r = spLoadRecording(recorderDef.path, NULL, &error);
    assert_non_null(r);
    spReportDef def = spDefaultReportDef();
    def.recording = r;
    def.storeTets = true; // which an attached surface does without
    Messages* messages = SaveReport(&def, NULL);
    const uint8_t* topology = messages->items[FindKind(messages, 2, 0)];
    assert_int_equal(spGetU32(topology + 16), 3);
    assert_int_equal(spGetU32(topology + 20), 1);
    assert_int_equal(spGetU32(topology + 32), 0);
    assert_int_equal(spGetU32(topology + 36 + 8), 1); // the node with the largest weight
    Points points;
    assert_int_equal(ReadPoints(messages, FindKind(messages, 3, 0), &points, 1), 1);
    assert_int_equal(points.flags & 1, 0);
    static const double expected[3][3] = {{0.5, 0, 0}, {0, 0.25, 0.25}, {1, 0, 0}};
    static const int speed[3] = {128, 0, 255};
    for (int i = 0; i < 3; ++i)
    {
        for (int axis = 0; axis < 3; ++axis)
        {
            CHECK_NEAR(GetCoordinate(&points, i, axis), expected[i][axis], 1e-4);
        }
        assert_int_equal(points.values[4][i], speed[i]);
    }
    FreeMessages(messages);
    spDestroyRecording(r);
}

// A recording that lies with good checksums: whatever can be read makes a report that can be read
static void TestLies(void** state)
{
    (void)state;
    spDestroyRecording(MakeRecording(&s_sample));
    size_t size = 0;
    char* data = ReadWholeFile(FOLDER "report.rec", &size);
    uint8_t* copy = malloc(size);
    uint64_t seed = 7;
    int loaded = 0;
    spCrcTable crc;
    spMakeCrcTable(&crc);
    for (int round = 0; round < 60; ++round)
    {
        memcpy(copy, data, size);
        static const uint32_t words[] = {0, 1, 2, 0x7FFFFFFF, 0xFFFFFFFFu, 0x7FC00000, 0x7F7FFFFF, 1000};
        for (int i = 0; i < 3; ++i)
        {
            uint32_t word = words[spNextRandom(&seed) % 8];
            memcpy(copy + ((16 + spNextRandom(&seed) % (size - 20)) & ~(size_t)3), &word, 4);
        }
        for (size_t at = SP_RECORD_HEADER_SIZE; at + SP_CHUNK_HEADER_SIZE <= size;)
        {
            uint64_t length = spGetU64(copy + at + 8);
            if (length > size || spPadLength(length) > size - at - SP_CHUNK_HEADER_SIZE)
            {
                break;
            }
            uint32_t sum = spHashChunk(&crc, spGetU32(copy + at), length, copy + at + SP_CHUNK_HEADER_SIZE);
            memcpy(copy + at + 4, &sum, 4);
            at += SP_CHUNK_HEADER_SIZE + (size_t)spPadLength(length);
        }
        spReportDef def = spDefaultReportDef();
        spRecording* r = spReadRecording(copy, size, NULL, NULL);
        def.recording = r;
        def.storeTets = round % 2 == 0;
        if (r != NULL)
        {
            FreeMessages(SaveReport(&def, NULL));
            loaded += 1;
            spDestroyRecording(r);
        }
    }
    assert_true(loaded > 20);
    free(copy);
    free(data);
}

// Nodes inside and tets for those who want to see them
static void TestTets(void** state)
{
    (void)state;
    spRecording* r = MakeRecording(&s_sample);
    spReportDef def = spDefaultReportDef();
    def.recording = r;
    def.storeTets = true;
    Messages* messages = SaveReport(&def, NULL);
    int tetCount = 0;
    const int32_t* tets = spRecording_GetTets(r, 0, 0, &tetCount);
    const uint8_t* topology = messages->items[FindKind(messages, 2, 0)];
    uint32_t vertexCount = spGetU32(topology + 16), triangleCount = spGetU32(topology + 20);
    assert_int_equal(spGetU32(topology + 32), tetCount);
    assert_memory_equal(topology + 36 + 4 * (vertexCount + 3 * triangleCount), tets,
                        (size_t)tetCount * 4 * sizeof(int32_t));
    Points bodies[3];
    assert_int_equal(ReadPoints(messages, FindKind(messages, 3, 0), bodies, 3), 3);
    assert_int_equal(bodies[0].flags & 1, 1);
    assert_int_equal(bodies[0].count, spRecording_GetPositions(r, 0, 0).count);
    assert_int_equal(bodies[1].flags & 1, 0);
    FreeMessages(messages);
    spDestroyRecording(r);
}

// No frames, one frame, and a file that was cut off at many places
static void TestCutOff(void** state)
{
    (void)state;
    spError error = SP_ZERO_INIT;
    spDestroyRecording(MakeRecording(&s_sample));
    size_t size = 0;
    char* data = ReadWholeFile(FOLDER "report.rec", &size);
    int seen[8] = {0};
    for (size_t cut = size; cut > 200; cut -= size / 40)
    {
        spRecording* r = spReadRecording(data, cut, NULL, NULL);
        if (r == NULL)
        {
            continue;
        }
        spReportDef def = spDefaultReportDef();
        def.recording = r;
        assert_true(spSaveReport(&def, PATH, &error));
        char* html = ReadWholeFile(PATH, NULL);
        Messages* messages = ReadMessages(html);
        int frames = spRecording_GetFrameCount(r);
        assert_int_equal(CountKind(messages, 3), frames);
        seen[frames] = 1;
        json_t* sections = FindText(messages, "sections");
        bool notes = json_array_size(json_object_get(sections, "sections")) > 0;
        assert_true(notes == !spRecording_IsComplete(r));
        json_decref(sections);
        FreeMessages(messages);
        free(html);
        spDestroyRecording(r);
    }
    assert_true(seen[7] && seen[1]);
    free(data);
}

// Bytes bound the frames
static void TestByteLimit(void** state)
{
    (void)state;
    spRecording* r = MakeRecording(&s_sample);
    spReportDef def = spDefaultReportDef();
    def.recording = r;
    def.byteLimit = 1;
    Messages* messages = SaveReport(&def, NULL);
    assert_int_equal(CountKind(messages, 3), 1);
    FreeMessages(messages);
    def.byteLimit = 5000;
    messages = SaveReport(&def, NULL);
    int count = CountKind(messages, 3);
    assert_true(count > 1 && count < 7);
    size_t sum = 0;
    for (int i = FindKind(messages, 3, 0); i >= 0; i = FindKind(messages, 3, i + 1))
    {
        sum += messages->sizes[i];
    }
    assert_true(sum < 8000);
    FreeMessages(messages);
    spDestroyRecording(r);
}

// Markup in texts stays text, whoever wrote them
static void TestHostileTexts(void** state)
{
    (void)state;
    double x[2] = {0, 1}, y[2] = {1, 2};
    spPlotSeries series = {"</script><b>", x, y, 2, sp_plotLine};
    spPlotDef plot = spDefaultPlotDef();
    plot.series = &series;
    plot.seriesCount = 1;
    static const char* const columns[] = {"what", "</script>"};
    static const char* const cells[] = {"<img onerror=alert(1)>", "\xFF\xFE bad", "a", "b"};
    const spReportTable table = {columns, cells, 2, 2};
    const spReportSection section = {"Numbers & <b>", "One.\n\nTwo.", &table, &plot};
    spReportDef def = spDefaultReportDef();
    def.title = "</title><script>alert(1)</script>\n&\"";
    def.summary = "</script>";
    def.sections = &section;
    def.sectionCount = 1;
    char* html = NULL;
    Messages* messages = SaveReport(&def, &html);
    assert_non_null(
        strstr(html, "<title>&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt; &amp;&quot;</title>"));
    assert_null(strstr(html, "<script>alert"));
    assert_null(strstr(html, "onerror=alert"));
    assert_int_equal(messages->count, 2);
    json_t* sections = FindText(messages, "sections");
    assert_string_equal(GetText(sections, "title"), def.title);
    json_t* first = json_array_get(json_object_get(sections, "sections"), 0);
    assert_string_equal(GetText(first, "heading"), "Numbers & <b>");
    assert_string_equal(GetText(first, "text"), "One.\n\nTwo.");
    json_t* rows = json_object_get(json_object_get(first, "table"), "rows");
    assert_int_equal(json_array_size(rows), 2);
    assert_string_equal(json_string_value(json_array_get(json_array_get(rows, 0), 1)), "?? bad");
    assert_non_null(strstr(GetText(first, "svg"), "<svg "));
    assert_null(strstr(GetText(first, "svg"), "</script>"));
    json_decref(sections);
    FreeMessages(messages);
    free(html);
}

static void TestErrors(void** state)
{
    (void)state;
    spError error = SP_ZERO_INIT;
    spReportDef zero = SP_ZERO_INIT, def = spDefaultReportDef();
    assert_false(spSaveReport(NULL, PATH, &error));
    assert_int_equal(error.code, sp_errorBadDef);
    assert_false(spSaveReport(&zero, PATH, NULL));
    assert_false(spSaveReport(&def, NULL, &error));
    assert_int_equal(error.code, sp_errorBadArgument);
    def.frameLimit = 0;
    assert_false(spSaveReport(&def, PATH, &error));
    def = spDefaultReportDef();
    def.sectionCount = 1;
    assert_false(spSaveReport(&def, PATH, &error));
    def = spDefaultReportDef();
    def.factCount = -1;
    assert_false(spSaveReport(&def, PATH, &error));
    const spReportTable table = {0};
    spReportSection section = {.heading = "x", .table = &table};
    def = spDefaultReportDef();
    def.sections = &section;
    def.sectionCount = 1;
    assert_false(spSaveReport(&def, PATH, &error));
    assert_int_equal(error.code, sp_errorBadArgument);

    // A plot that cannot be drawn leaves no file behind
    remove(FOLDER "report_bad.html");
    spPlotDef plot = spDefaultPlotDef();
    plot.width = 1;
    section = (spReportSection){.heading = "x", .plot = &plot};
    def.sections = &section;
    assert_false(spSaveReport(&def, FOLDER "report_bad.html", &error));
    assert_int_equal(error.code, spHasPage() ? sp_errorBadArgument : sp_errorUnsupported);
    assert_null(fopen(FOLDER "report_bad.html", "rb"));
    def = spDefaultReportDef();
    assert_false(spSaveReport(&def, SOUPLE_BINARY_DIR "/no such folder/report.html", &error));
    assert_int_equal(error.code, spHasPage() ? sp_errorFileWrite : sp_errorUnsupported);
}

int main(void)
{
    if (!spHasPage())
    {
        const struct CMUnitTest tests[] = {cmocka_unit_test(TestErrors)};
        return cmocka_run_group_tests(tests, NULL, NULL);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestRecording),    cmocka_unit_test(TestSeries),
        cmocka_unit_test(TestTets),         cmocka_unit_test(TestCutOff),
        cmocka_unit_test(TestByteLimit),    cmocka_unit_test(TestHostileTexts),
        cmocka_unit_test(TestTimeGoesBack), cmocka_unit_test(TestLies),
        cmocka_unit_test(TestSurface),      cmocka_unit_test(TestErrors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
