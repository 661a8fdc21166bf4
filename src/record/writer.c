// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Writing side of the recording format.
//
// Each chunk is put together in memory and handed to the operating system in one piece, so that a program
// that dies leaves whole chunks and at most one cut one behind.

#include "record/writer.h"

#include "base/whole_file.h"

#include <errno.h>
#include <float.h>
#include <limits.h>
#include <math.h>

// Rows are written at the latest when they fill this many bytes
#define SP_ROWS_BYTES 65536

spRecorderDef spDefaultRecorderDef(void)
{
    spRecorderDef def = {0};
    def.internalValue = SP_DEF_COOKIE;
    return def;
}

// Remembers the first error
static bool spFailWriter(spRecordWriter* writer, const spError* error)
{
    if (writer->error.code == sp_errorNone)
    {
        writer->error = *error;
    }
    return false;
}

static bool spFailWriterMemory(spRecordWriter* writer, size_t size)
{
    spError error = SP_ZERO_INIT;
    spFailMemory(&error, "recorder", size);
    return spFailWriter(writer, &error);
}

static bool spFailWriterFile(spRecordWriter* writer)
{
    spError error = SP_ZERO_INIT;
    spFailWrite(&error, writer->path, errno);
    return spFailWriter(writer, &error);
}

static bool spFailWriterArgument(spRecordWriter* writer, const char* what)
{
    spError error = SP_ZERO_INIT;
    spFail(&error, sp_errorBadArgument, "recording '%s': %s", writer->path, what);
    return spFailWriter(writer, &error);
}

static bool spWriteBytes(spRecordWriter* writer, const void* data, size_t size)
{
    errno = 0;
    if (fwrite(data, 1, size, writer->file) != size)
    {
        return spFailWriterFile(writer);
    }
    writer->offset += size;
    return true;
}

static bool spFlushWriter(spRecordWriter* writer)
{
    errno = 0;
    return fflush(writer->file) == 0 || spFailWriterFile(writer);
}

// Starts a chunk: leaves room for the header
static spBytes* spBeginChunk(spRecordWriter* writer)
{
    spBytes* chunk = &writer->chunk;
    chunk->count = 0;
    chunk->failed = false;
    spAppendBytes(chunk, SP_CHUNK_HEADER_SIZE);
    return chunk;
}

// Pads, fills in the header, writes
static bool spEndChunk(spRecordWriter* writer, uint32_t type)
{
    spBytes* chunk = &writer->chunk;
    uint64_t length = chunk->count - SP_CHUNK_HEADER_SIZE;
    uint8_t zeros[8] = {0};
    spPutData(chunk, zeros, (size_t)(spPadLength(length) - length));
    if (chunk->failed)
    {
        return spFailWriterMemory(writer, chunk->count);
    }

    uint32_t crc = spHashChunk(&writer->crc, type, length, chunk->data + SP_CHUNK_HEADER_SIZE);
    memcpy(chunk->data, &type, 4);
    memcpy(chunk->data + 4, &crc, 4);
    memcpy(chunk->data + 8, &length, 8);
    return spWriteBytes(writer, chunk->data, chunk->count);
}

static bool spWriteHead(spRecordWriter* writer, const spRecorderDef* def)
{
    uint8_t header[SP_RECORD_HEADER_SIZE] = {0};
    uint32_t version = SP_RECORD_VERSION;
    memcpy(header, SP_RECORD_MAGIC, 8);
    memcpy(header + 8, &version, 4);
    if (!spWriteBytes(writer, header, sizeof(header)))
    {
        return false;
    }

    spCamera camera = {0};
    uint32_t flags = def->storeVelocities ? (uint32_t)sp_headVelocities : 0;
    if (def->camera != NULL)
    {
        camera = *def->camera;
        flags |= sp_headCamera;
    }

    spBytes* chunk = spBeginChunk(writer);
    spPutU32(chunk, (uint32_t)spGetVersion());
    spPutU32(chunk, flags);
    spPutU32(chunk, (uint32_t)def->measurementCount);
    spPutU32(chunk, (uint32_t)sizeof(spReal));
    const spDVec3 vectors[3] = {camera.eye, camera.target, camera.up};
    for (int i = 0; i < 3; ++i)
    {
        spPutF64(chunk, vectors[i].x);
        spPutF64(chunk, vectors[i].y);
        spPutF64(chunk, vectors[i].z);
    }
    spPutF64(chunk, camera.fieldOfView);
    for (int i = 0; i < def->measurementCount; ++i)
    {
        spPutString(chunk, def->measurementNames[i]);
        spPutString(chunk, def->measurementUnits != NULL ? def->measurementUnits[i] : NULL);
    }
    return spEndChunk(writer, sp_chunkHead);
}

static bool spWritePlay(spRecordWriter* writer, const spPlayInfo* play)
{
    spBytes* chunk = spBeginChunk(writer);
    spPutF64(chunk, play->dt);
    spPutF64(chunk, play->budget);
    spPutU32(chunk, (play->live ? sp_playLive : 0) | (play->untangle ? sp_playUntangle : 0));
    spPutU32(chunk, 0);
    spPutString(chunk, play->scenePath);
    return spEndChunk(writer, sp_chunkPlay);
}

static bool spIsFinitePoint(spDVec3 a)
{
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

// What the reader takes for damage must not be written
static bool spCheckNumbers(const spRecorderDef* def, spError* error)
{
    const spCamera* camera = def->camera;
    if (camera != NULL && (!spIsFinitePoint(camera->eye) || !spIsFinitePoint(camera->target) ||
                           !spIsFinitePoint(camera->up) || !isfinite(camera->fieldOfView)))
    {
        return spFail(error, sp_errorBadArgument, "recorder '%s': a number of the camera is not finite",
                      def->path);
    }
    const spPlayInfo* play = def->play;
    if (play != NULL &&
        (!(play->dt > 0.0 && isfinite(play->dt)) || !(play->budget >= 0.0 && isfinite(play->budget))))
    {
        return spFail(
            error, sp_errorBadArgument,
            "recorder '%s': steps of %g s with a budget of %g s; the first must be greater than 0, the "
            "second at least 0",
            def->path, play->dt, play->budget);
    }
    return true;
}

bool spOpenWriter(spRecordWriter* writer, const spRecorderDef* def, spError* error)
{
    memset(writer, 0, sizeof(*writer));
    if (def == NULL || def->internalValue != SP_DEF_COOKIE)
    {
        return spFail(error, sp_errorBadDef, "recorder: start from spDefaultRecorderDef");
    }
    if (def->path == NULL || def->path[0] == 0)
    {
        return spFail(error, sp_errorBadArgument, "recorder: no path");
    }
    if (def->measurementCount < 0 || def->measurementCount > SP_MAX_MEASUREMENTS ||
        (def->measurementCount > 0 && def->measurementNames == NULL))
    {
        return spFail(error, sp_errorBadArgument, "recorder '%s': %d measurements%s", def->path,
                      def->measurementCount, def->measurementNames == NULL ? " without names" : "");
    }
    if (!spCheckNumbers(def, error))
    {
        return false;
    }

    writer->heap = spMakeHeap(&def->allocator);
    writer->chunk.heap = &writer->heap;
    writer->rows.heap = &writer->heap;
    writer->solver.heap = &writer->heap;
    writer->decisions.heap = &writer->heap;
    writer->acts.heap = &writer->heap;
    writer->frameOffsets.heap = &writer->heap;
    writer->measurementCount = def->measurementCount;
    writer->storeVelocities = def->storeVelocities;
    spMakeCrcTable(&writer->crc);

    writer->pathSize = strlen(def->path) + 1;
    writer->path = spAlloc(&writer->heap, writer->pathSize);
    if (writer->path == NULL)
    {
        return spFailMemory(error, "recorder", writer->pathSize);
    }
    memcpy(writer->path, def->path, writer->pathSize);

    errno = 0;
    writer->file = fopen(def->path, "wb");
    bool ok = writer->file != NULL ? spWriteHead(writer, def) : spFailWriterFile(writer);
    if (ok && def->sceneText != NULL)
    {
        spBytes* chunk = spBeginChunk(writer);
        spPutData(chunk, def->sceneText, strlen(def->sceneText) + 1);
        ok = spEndChunk(writer, sp_chunkScene);
    }
    ok = ok && (def->play == NULL || spWritePlay(writer, def->play));
    ok = ok && spFlushWriter(writer);
    if (!ok)
    {
        spCloseWriter(writer, error);
    }
    return ok;
}

int spWriteBody(spRecordWriter* writer, const char* name)
{
    if (writer->error.code != sp_errorNone)
    {
        return -1;
    }
    spBytes* chunk = spBeginChunk(writer);
    spPutU32(chunk, (uint32_t)writer->bodyCount);
    spPutU32(chunk, 0);
    spPutString(chunk, name);
    return spEndChunk(writer, sp_chunkBody) ? writer->bodyCount++ : -1;
}

static bool spWriteSurface(spRecordWriter* writer, const spTopologyData* data, int topology)
{
    spBytes* chunk = spBeginChunk(writer);
    spPutU32(chunk, (uint32_t)topology);
    spPutU32(chunk, (uint32_t)data->surfaceVertexCount);
    spPutU32(chunk, (uint32_t)data->surfaceTriangleCount);
    spPutU32(chunk, 0);
    spPutData(chunk, data->surfaceNodes, (size_t)data->surfaceVertexCount * 4 * sizeof(int32_t));
    spPutData(chunk, data->surfaceWeights, (size_t)data->surfaceVertexCount * 3 * sizeof(float));
    spPutData(chunk, data->surfaceTriangles, (size_t)data->surfaceTriangleCount * 3 * sizeof(int32_t));
    return spEndChunk(writer, sp_chunkSurface);
}

static bool spWriteBare(spRecordWriter* writer, const spTopologyData* data, int topology)
{
    spBytes* chunk = spBeginChunk(writer);
    spPutU32(chunk, (uint32_t)topology);
    spPutU32(chunk, (uint32_t)data->triangleCount);
    spPutData(chunk, data->bare, (size_t)data->triangleCount);
    return spEndChunk(writer, sp_chunkBare);
}

int spWriteTopology(spRecordWriter* writer, const spTopologyData* data)
{
    if (writer->error.code != sp_errorNone)
    {
        return -1;
    }
    if (data->body < 0 || data->body >= writer->bodyCount || data->nodeCount < 0 || data->triangleCount < 0 ||
        data->edgeCount < 0 || data->tetCount < 0 || data->surfaceVertexCount < 0 ||
        data->surfaceTriangleCount < 0)
    {
        spFailWriterArgument(writer, "a topology with a bad body or count");
        return -1;
    }
    spBytes* chunk = spBeginChunk(writer);
    spPutU32(chunk, (uint32_t)writer->topologyCount);
    spPutU32(chunk, (uint32_t)data->body);
    spPutU32(chunk, data->version);
    spPutU32(chunk, (uint32_t)data->nodeCount);
    spPutU32(chunk, (uint32_t)data->triangleCount);
    spPutU32(chunk, (uint32_t)data->edgeCount);
    spPutData(chunk, data->triangles, (size_t)data->triangleCount * 3 * sizeof(int32_t));
    spPutData(chunk, data->edges, (size_t)data->edgeCount * 2 * sizeof(int32_t));
    if (!spEndChunk(writer, sp_chunkTopology))
    {
        return -1;
    }
    int topology = writer->topologyCount++;
    if (data->tetCount > 0)
    {
        chunk = spBeginChunk(writer);
        spPutU32(chunk, (uint32_t)topology);
        spPutU32(chunk, (uint32_t)data->tetCount);
        spPutData(chunk, data->tets, (size_t)data->tetCount * 4 * sizeof(int32_t));
        if (!spEndChunk(writer, sp_chunkTets))
        {
            return -1;
        }
    }
    bool whole = data->surfaceTriangleCount == 0 || spWriteSurface(writer, data, topology);
    whole = whole && (data->bare == NULL || spWriteBare(writer, data, topology));
    return whole ? topology : -1;
}

// Finite as a float too
static void spPutSize(spBytes* chunk, spReal size)
{
    spPutF32(chunk, (float)fmax(-FLT_MAX, fmin(FLT_MAX, (double)size)));
}

// Triangles of a collider, in its frame
static void spPutShape(spBytes* chunk, const spMesh* mesh)
{
    const spDVec3* vertices = spMesh_GetVertices(mesh);
    int vertexCount = spMesh_GetVertexCount(mesh);
    spPutU32(chunk, (uint32_t)vertexCount);
    for (int i = 0; i < vertexCount; ++i)
    {
        const float v[3] = {(float)vertices[i].x, (float)vertices[i].y, (float)vertices[i].z};
        spPutData(chunk, v, sizeof(v));
    }
    spPutData(chunk, spMesh_GetTriangles(mesh), (size_t)spMesh_GetTriangleCount(mesh) * 3 * sizeof(int32_t));
}

int spWriteCollider(spRecordWriter* writer, const spColliderDef* def)
{
    if (writer->error.code != sp_errorNone)
    {
        return -1;
    }
    spBytes* chunk = spBeginChunk(writer);
    spPutU32(chunk, (uint32_t)writer->colliderCount);
    spPutU32(chunk, (uint32_t)def->shape);
    spPutSize(chunk, def->radius);
    spPutSize(chunk, def->halfHeight);
    spPutSize(chunk, def->halfSize.x);
    spPutSize(chunk, def->halfSize.y);
    spPutSize(chunk, def->halfSize.z);
    spPutSize(chunk, def->friction);
    spPutSize(chunk, def->restitution);
    spPutU32(chunk, def->mesh != NULL ? (uint32_t)spMesh_GetTriangleCount(def->mesh) : 0);
    spPutString(chunk, def->name);
    if (def->mesh != NULL)
    {
        spPutShape(chunk, def->mesh);
    }
    return spEndChunk(writer, sp_chunkCollider) ? writer->colliderCount++ : -1;
}

// Before the rows: who reads a row has what was decided in its step
static bool spWritePendingDecisions(spRecordWriter* writer)
{
    if (writer->decisions.count == 0)
    {
        return true;
    }
    int64_t pending = (int64_t)(writer->decisions.count / SP_DECISION_SIZE);
    spBytes* chunk = spBeginChunk(writer);
    spPutU64(chunk, (uint64_t)(writer->decisionCount - pending));
    spPutData(chunk, writer->decisions.data, writer->decisions.count);
    writer->decisions.count = 0;
    return spEndChunk(writer, sp_chunkDecisions);
}

static bool spWritePendingActs(spRecordWriter* writer)
{
    if (writer->pendingActs == 0)
    {
        return true;
    }
    spBytes* chunk = spBeginChunk(writer);
    spPutU64(chunk, (uint64_t)(writer->actCount - writer->pendingActs));
    spPutData(chunk, writer->acts.data, writer->acts.count);
    writer->pendingActs = 0;
    writer->acts.count = 0;
    return spEndChunk(writer, sp_chunkActs);
}

static bool spWritePendingRows(spRecordWriter* writer)
{
    if (writer->pendingRows == 0)
    {
        return true;
    }
    if (!spWritePendingActs(writer) || !spWritePendingDecisions(writer))
    {
        return false;
    }
    spBytes* chunk = spBeginChunk(writer);
    uint64_t firstRow = (uint64_t)(writer->rowCount - writer->pendingRows);
    spPutU64(chunk, firstRow);
    spPutData(chunk, writer->rows.data, writer->rows.count);
    writer->pendingRows = 0;
    writer->rows.count = 0;
    if (!spEndChunk(writer, sp_chunkRows))
    {
        return false;
    }
    chunk = spBeginChunk(writer);
    spPutU64(chunk, firstRow);
    spPutData(chunk, writer->solver.data, writer->solver.count);
    writer->solver.count = 0;
    return spEndChunk(writer, sp_chunkSolver);
}

bool spWriteDecision(spRecordWriter* writer, const spDecisionData* data)
{
    if (writer->error.code != sp_errorNone)
    {
        return false;
    }
    if (writer->decisionCount == INT_MAX)
    {
        return true;
    }
    if (data->body < -1 || data->body >= writer->bodyCount || data->substep < 0)
    {
        return spFailWriterArgument(writer, "a decision with a bad body or substep");
    }
    spBytes* bytes = &writer->decisions;
    // By its row: a step that is taken again, from a state that was restored, has another
    spPutU64(bytes, (uint64_t)writer->rowCount);
    spPutU32(bytes, data->body >= 0 ? (uint32_t)data->body : SP_DECISION_OF_STEP);
    spPutU32(bytes, (uint32_t)data->substep);
    spPutU64(bytes, (uint64_t)data->factorStep);
    spPutU64(bytes, (uint64_t)data->stopAfter);
    spPutF64(bytes, data->dt);
    if (bytes->failed)
    {
        return spFailWriterMemory(writer, bytes->count);
    }
    writer->decisionCount += 1;
    return true;
}

bool spWriteAct(spRecordWriter* writer, const char* text, size_t size)
{
    if (writer->error.code != sp_errorNone)
    {
        return false;
    }
    if (text == NULL || size > INT_MAX || memchr(text, 0, size) != NULL || writer->actCount == INT_MAX)
    {
        return spFailWriterArgument(writer, "an act without text, with a zero in it, or too many of them");
    }
    spBytes* bytes = &writer->acts;
    spPutU64(bytes, (uint64_t)writer->rowCount);
    spPutStringBytes(bytes, text, size);
    if (bytes->failed)
    {
        return spFailWriterMemory(writer, bytes->count);
    }
    writer->actCount += 1;
    writer->pendingActs += 1;
    return bytes->count < SP_ROWS_BYTES || spWritePendingActs(writer);
}

bool spWriteRow(spRecordWriter* writer, const spRecordRow* row, const double* values)
{
    if (writer->error.code != sp_errorNone)
    {
        return false;
    }
    if (writer->rowCount == INT_MAX)
    {
        return spFailWriterArgument(writer, "too many rows");
    }

    const spProfile* p = &row->profile;
    const double stages[SP_PROFILE_COUNT] = {p->step,     p->commands, p->advance, p->detection,
                                             p->response, p->check,    p->adapt,   p->publish};
    spBytes* rows = &writer->rows;
    spPutF64(rows, row->time);
    spPutU64(rows, (uint64_t)row->stepCount);
    spPutF64(rows, row->dtTaken);
    spPutU32(rows, row->flags);
    spPutU32(rows, 0);
    spPutData(rows, stages, sizeof(stages));
    for (int i = 0; i < writer->measurementCount; ++i)
    {
        spPutF64(rows, values != NULL ? values[i] : (double)NAN);
    }
    spBytes* solver = &writer->solver;
    spPutU64(solver, (uint64_t)row->solverIterations);
    spPutF64(solver, row->solverResidual);
    spPutU32(solver, (uint32_t)row->contactCount);
    spPutU32(solver, (uint32_t)row->substepCount);
    if (rows->failed || solver->failed)
    {
        return spFailWriterMemory(writer, rows->count);
    }

    writer->rowCount += 1;
    writer->pendingRows += 1;
    return rows->count < SP_ROWS_BYTES || spWritePendingRows(writer);
}

static const float* spGetStored(const spFrameBody* body, uint32_t type)
{
    return type == sp_chunkTetStates ? body->tetStates : body->nodeValues[spFindNodeValue(type)];
}

// Numbers of the bodies that have them, on nodes or on tets, for the frame that was written last
static bool spWriteValues(spRecordWriter* writer, const spFrameData* data, uint32_t type)
{
    bool ofNodes = type != sp_chunkTetStates;
    uint32_t bodyCount = 0;
    for (int i = 0; i < data->bodyCount; ++i)
    {
        bodyCount += spGetStored(data->bodies + i, type) != NULL;
    }
    if (bodyCount == 0)
    {
        return true;
    }
    spBytes* chunk = spBeginChunk(writer);
    spPutU64(chunk, (uint64_t)writer->frameCount);
    spPutU32(chunk, bodyCount);
    spPutU32(chunk, 0);
    for (int i = 0; i < data->bodyCount; ++i)
    {
        const spFrameBody* body = data->bodies + i;
        const float* numbers = spGetStored(body, type);
        int count = ofNodes ? body->nodeCount : SP_TET_NUMBERS * body->tetCount;
        if (numbers != NULL)
        {
            spPutU32(chunk, (uint32_t)body->topology);
            spPutU32(chunk, (uint32_t)(ofNodes ? body->nodeCount : body->tetCount));
            spPutData(chunk, numbers, (size_t)count * sizeof(float));
        }
    }
    return spEndChunk(writer, type);
}

static bool spWriteContacts(spRecordWriter* writer, const spFrameData* data)
{
    if (data->contactCount == 0)
    {
        return true;
    }
    spBytes* chunk = spBeginChunk(writer);
    spPutU64(chunk, (uint64_t)writer->frameCount);
    spPutU32(chunk, (uint32_t)data->contactCount);
    spPutU32(chunk, 0);
    for (int i = 0; i < data->contactCount; ++i)
    {
        const spRecordedContact* c = data->contacts + i;
        spPutU32(chunk, (uint32_t)c->body);
        spPutU32(chunk, c->otherBody >= 0 ? (uint32_t)c->otherBody : SP_CONTACT_NONE);
        spPutU32(chunk, c->collider >= 0 ? (uint32_t)c->collider : SP_CONTACT_NONE);
        spPutU32(chunk, (uint32_t)c->age);
        spPutData(chunk, c->position, sizeof(c->position));
        spPutData(chunk, c->force, sizeof(c->force));
        spPutData(chunk, c->normal, sizeof(c->normal));
        spPutF32(chunk, c->gap);
        spPutF32(chunk, c->area);
        spPutF32(chunk, c->slip);
    }
    return spEndChunk(writer, sp_chunkContacts);
}

bool spWriteFrame(spRecordWriter* writer, const spFrameData* data)
{
    if (writer->error.code != sp_errorNone)
    {
        return false;
    }
    if (writer->rowCount == 0)
    {
        return spFailWriterArgument(writer, "a frame without a row");
    }
    if (!spWritePendingRows(writer))
    {
        return false;
    }

    spBytes* chunk = spBeginChunk(writer);
    spPutU64(chunk, (uint64_t)(writer->rowCount - 1));
    spPutU64(chunk, data->stateHash);
    spPutU32(chunk, (uint32_t)data->bodyCount);
    spPutU32(chunk, (uint32_t)data->colliderCount);
    for (int i = 0; i < data->bodyCount; ++i)
    {
        spPutU32(chunk, (uint32_t)data->bodies[i].topology);
        spPutU32(chunk, (uint32_t)data->bodies[i].nodeCount);
    }
    for (int i = 0; i < data->colliderCount; ++i)
    {
        const spFrameCollider* collider = data->colliders + i;
        spPutU32(chunk, (uint32_t)collider->collider);
        spPutData(chunk, collider->position, sizeof(collider->position));
        spPutData(chunk, collider->rotation, sizeof(collider->rotation));
    }
    for (int i = 0; i < data->bodyCount; ++i)
    {
        const spFrameBody* body = data->bodies + i;
        spPutData(chunk, body->positions, (size_t)body->nodeCount * 3 * sizeof(float));
    }
    for (int i = 0; writer->storeVelocities && i < data->bodyCount; ++i)
    {
        const spFrameBody* body = data->bodies + i;
        spPutData(chunk, body->velocities, (size_t)body->nodeCount * 3 * sizeof(float));
    }

    spPutU64(&writer->frameOffsets, writer->offset);
    if (writer->frameOffsets.failed)
    {
        return spFailWriterMemory(writer, writer->frameOffsets.count);
    }
    bool written = spEndChunk(writer, sp_chunkFrame) && spWriteValues(writer, data, sp_chunkTetStates);
    for (int value = 0; written && value < sp_nodeValueCount; ++value)
    {
        written = spWriteValues(writer, data, g_nodeValueChunks[value]);
    }
    if (!written || !spWriteContacts(writer, data))
    {
        return false;
    }
    writer->frameCount += 1;
    return spFlushWriter(writer);
}

static bool spWriteIndex(spRecordWriter* writer)
{
    if (!spWritePendingRows(writer) || !spWritePendingActs(writer))
    {
        return false;
    }
    uint64_t offset = writer->offset;
    spBytes* chunk = spBeginChunk(writer);
    spPutU64(chunk, (uint64_t)writer->rowCount);
    spPutU64(chunk, (uint64_t)writer->frameCount);
    spPutData(chunk, writer->frameOffsets.data, (size_t)writer->frameCount * sizeof(uint64_t));
    spPutU64(chunk, offset);
    spPutData(chunk, SP_RECORD_TAIL, 8);
    return spEndChunk(writer, sp_chunkDone) && spFlushWriter(writer);
}

bool spCloseWriter(spRecordWriter* writer, spError* error)
{
    if (writer->file != NULL)
    {
        if (writer->error.code == sp_errorNone)
        {
            spWriteIndex(writer);
        }
        errno = 0;
        if (fclose(writer->file) != 0)
        {
            spFailWriterFile(writer);
        }
        writer->file = NULL;
    }

    spFreeBytes(&writer->chunk);
    spFreeBytes(&writer->rows);
    spFreeBytes(&writer->solver);
    spFreeBytes(&writer->decisions);
    spFreeBytes(&writer->acts);
    spFreeBytes(&writer->frameOffsets);
    spFree(&writer->heap, writer->path);
    writer->path = NULL;
    if (writer->error.code != sp_errorNone && error != NULL)
    {
        *error = writer->error;
    }
    return writer->error.code == sp_errorNone;
}
