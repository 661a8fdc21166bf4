// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Whatever the bytes of a recording are, they are read up to the first damage, and everything that can be
// asked of what was read is sound. Bytes that begin with something else than the mark of a recording get it,
// and checksums that are right, so that what is behind them is reached. With FUZZ_DRAW a picture is drawn
// too, which takes much longer.

#include "record/chunk.h"
#include "souple/record.h"

#include "bounded.h"

#include <math.h>

#ifdef FUZZ_DRAW
#define PICTURE 16
#endif

static void Mend(uint8_t* data, size_t size)
{
    static spCrcTable s_crc;
    if (s_crc.entries[0][1] == 0)
    {
        spMakeCrcTable(&s_crc);
    }
    memcpy(data, SP_RECORD_MAGIC, size < 8 ? size : 8);
    for (size_t at = SP_RECORD_HEADER_SIZE; at < size && size - at >= SP_CHUNK_HEADER_SIZE;)
    {
        uint64_t length = spGetU64(data + at + 8), left = size - at - SP_CHUNK_HEADER_SIZE;
        if (length > left || spPadLength(length) > left)
        {
            return;
        }
        uint32_t sum = spHashChunk(&s_crc, spGetU32(data + at), length, data + at + SP_CHUNK_HEADER_SIZE);
        memcpy(data + at + 4, &sum, sizeof(sum));
        at += SP_CHUNK_HEADER_SIZE + (size_t)spPadLength(length);
    }
}

// Reads every number, so that a sanitizer sees it
static void Touch(const void* data, size_t size)
{
    static volatile uint8_t s_sum;
    const uint8_t* bytes = data;
    for (size_t i = 0; i < size; ++i)
    {
        s_sum = (uint8_t)(s_sum + bytes[i]);
    }
}

static void TouchIndices(const int32_t* indices, int count, int width, int nodeCount)
{
    CHECK(count >= 0 && (count == 0 || indices != NULL));
    for (int i = 0; i < count * width; ++i)
    {
        CHECK(indices[i] >= 0 && indices[i] < nodeCount);
    }
}

static void TouchBody(const spRecording* recording, int frame, int body)
{
    spPointView x = spRecording_GetPositions(recording, frame, body);
    spPointView v = spRecording_GetVelocities(recording, frame, body);
    spValueView stress = spRecording_GetNodeStress(recording, frame, body);
    spTetStateView states = spRecording_GetTetStates(recording, frame, body);
    Touch(x.data, (size_t)x.count * 3 * sizeof(float));
    Touch(v.data, (size_t)v.count * 3 * sizeof(float));
    Touch(stress.data, (size_t)stress.count * sizeof(float));
    Touch(states.vonMises, (size_t)states.count * sizeof(float));
    Touch(states.principalStress, (size_t)states.count * 3 * sizeof(float));
    Touch(states.volumeRatio, (size_t)states.count * sizeof(float));
    CHECK(v.count == 0 || v.count == x.count);
    CHECK(stress.count == 0 || stress.count == x.count);
    spValueView pressure = spRecording_GetNodePressure(recording, frame, body);
    Touch(pressure.data, (size_t)pressure.count * sizeof(float));
    CHECK(pressure.count == 0 || pressure.count == x.count);

    int count = 0;
    const int32_t* indices = spRecording_GetTriangles(recording, frame, body, &count);
    TouchIndices(indices, count, 3, x.count);
    indices = spRecording_GetEdges(recording, frame, body, &count);
    TouchIndices(indices, count, 2, x.count);
    indices = spRecording_GetTets(recording, frame, body, &count);
    TouchIndices(indices, count, 4, x.count);
    CHECK(states.count == 0 || states.count == count);
    int vertexCount = spRecording_GetSurfaceVertexCount(recording, frame, body);
    indices = spRecording_GetSurfaceTriangles(recording, frame, body, &count);
    TouchIndices(indices, count, 3, vertexCount);
    float positions[3 * 64], weights[4 * 64];
    int32_t nodes[4 * 64];
    int copied = spRecording_CopySurfacePositions(recording, frame, body, positions, 64);
    CHECK(copied == (vertexCount < 64 ? vertexCount : 64));
    CHECK(spRecording_CopySurfaceWeights(recording, frame, body, nodes, weights, 64) == copied);
    TouchIndices(nodes, copied, 4, x.count);
    Touch(positions, (size_t)copied * 3 * sizeof(float));
    CHECK(spRecording_GetTopology(recording, frame, body) >= -1);
}

static void TouchRows(const spRecording* recording, int rowCount)
{
    double times[16], series[16];
    int copied = spRecording_CopyTimes(recording, times, 16);
    CHECK(copied == (rowCount < 16 ? rowCount : 16));
    for (int i = 0; i < spRecording_GetMeasurementCount(recording); ++i)
    {
        const char* name = spRecording_GetMeasurementName(recording, i);
        CHECK(spRecording_FindMeasurement(recording, name) <= i);
        Touch(name, strlen(name));
        Touch(spRecording_GetMeasurementUnit(recording, i), 1);
        CHECK(spRecording_CopySeries(recording, i, series, 16) == copied);
    }
    spBodyId bodies[2] = {{1, 1}, {2, 1}};
    spDecision decisions[4];
    for (int i = -1; i <= rowCount; ++i)
    {
        spRecordRow row = spRecording_GetRow(recording, i);
        CHECK(isfinite(row.time) && isfinite(row.dtTaken));
        Touch(&row, sizeof(row));
        CHECK(spRecording_GetDecisions(recording, i, bodies, 2, decisions, 4) >= 0);
        int first = 0;
        int count = spRecording_FindActs(recording, i, &first);
        for (int k = first; k < first + count; ++k)
        {
            size_t size = 0;
            const char* act = spRecording_GetAct(recording, k, &size);
            CHECK(act != NULL && strlen(act) == size);
        }
    }
}

static void TouchFrames(const spRecording* recording, int rowCount)
{
    int frameCount = spRecording_GetFrameCount(recording);
    for (int i = -1; i <= frameCount; ++i)
    {
        CHECK(isfinite(spRecording_GetFrameTime(recording, i)));
        CHECK(spRecording_GetFrameRow(recording, i) < rowCount);
        spRecording_GetStateHash(recording, i);
        for (int k = -1; k <= spRecording_GetBodyCount(recording); ++k)
        {
            TouchBody(recording, i, k);
        }
        for (int k = -1; k <= spRecording_GetColliderCount(recording); ++k)
        {
            spTransform transform;
            spRecording_GetColliderTransform(recording, i, k, &transform);
        }
        int contactCount = spRecording_GetContactCount(recording, i);
        CHECK(contactCount >= 0 && contactCount <= SP_MAX_FRAME_CONTACTS);
        for (int k = -1; k <= contactCount; ++k)
        {
            spRecordedContact c = spRecording_GetContact(recording, i, k);
            CHECK(c.body < spRecording_GetBodyCount(recording) || contactCount == 0);
            CHECK(c.otherBody < spRecording_GetBodyCount(recording) || c.otherBody <= 0);
            CHECK(c.collider < spRecording_GetColliderCount(recording) || c.collider <= 0);
            CHECK(isfinite(c.gap) && isfinite(c.force[0]) && c.age >= 0);
        }
    }
    CHECK(spRecording_FindFrame(recording, 0.5) < frameCount);
    for (int k = -1; k <= spRecording_GetColliderCount(recording); ++k)
    {
        spColliderDef def = spRecording_GetColliderDef(recording, k);
        CHECK(def.name == NULL || strlen(def.name) < 1 << 20);
        CHECK(def.shape < sp_shapeCount);
    }
    for (int k = -1; k <= spRecording_GetBodyCount(recording); ++k)
    {
        Touch(spRecording_GetBodyName(recording, k), 1);
    }
}

#ifdef FUZZ_DRAW
// A picture of the last frame, small
static void Draw(const spRecording* recording, uint8_t how)
{
    spPictureDef def = spDefaultPictureDef();
    def.width = PICTURE;
    def.height = PICTURE;
    def.samples = 1;
    def.color = (spPictureColor)(how % sp_pictureColorCount);
    def.showEdges = (how & 4) != 0;
    uint8_t rgb[3 * PICTURE * PICTURE];
    spError error = SP_ZERO_INIT;
    int frame = spRecording_GetFrameCount(recording) - 1;
    bool drawn = spDrawPicture(recording, frame, &def, rgb, &error);
    CHECK(drawn == (error.code == sp_errorNone) && (drawn || error.message[0] != 0));
}
#endif

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    uint8_t* copy = malloc(size > 0 ? size : 1);
    CHECK(copy != NULL);
    memcpy(copy, data, size);
    uint8_t how = size > 0 ? data[0] : 0;
    if (how != (uint8_t)SP_RECORD_MAGIC[0])
    {
        Mend(copy, size);
    }
    Bounded bounded;
    spAllocator allocator = MakeBounded(&bounded, (size_t)16 << 20);
    spError error = SP_ZERO_INIT;
    spRecording* recording = spReadRecording(copy, size, &allocator, &error);
    free(copy);
    CHECK((recording != NULL) == (error.code == sp_errorNone));
    CHECK(recording != NULL || error.message[0] != 0);
    if (recording != NULL)
    {
        CHECK(spRecording_IsComplete(recording) == (spRecording_GetDamage(recording)[0] == 0));
        const char* text = spRecording_GetSceneText(recording);
        Touch(text, text != NULL ? strlen(text) : 0);
        spCamera camera;
        spRecording_GetCamera(recording, &camera);
        spPlayInfo play;
        CHECK(spRecording_GetPlayInfo(recording, &play) == false || play.dt > 0.0);
        spRecording_GetNumberSize(recording);
        spRecording_GetLibraryVersion(recording);
        CHECK(spRecording_GetDecisionCount(recording) >= 0);
        CHECK(spRecording_GetAct(recording, spRecording_GetActCount(recording), NULL) == NULL);
        int rowCount = spRecording_GetRowCount(recording);
        TouchRows(recording, rowCount);
        TouchFrames(recording, rowCount);
        camera = spFitCamera(recording, 1.0);
        CHECK(isfinite(camera.eye.x) && isfinite(camera.eye.y) && isfinite(camera.eye.z));
#ifdef FUZZ_DRAW
        Draw(recording, how);
#endif
        spDestroyRecording(recording);
    }
    CHECK(atomic_load(&bounded.used) == 0);
    return 0;
}
