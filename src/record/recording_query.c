// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What can be asked of a recording. Numbers that it does not have are answered by zeros, NULL or -1.

#include "record/recording.h"

#include "record/chunk.h"

#include <limits.h>
#include <math.h>

bool spRecording_IsComplete(const spRecording* recording)
{
    return recording != NULL && recording->isComplete;
}

const char* spRecording_GetDamage(const spRecording* recording)
{
    return recording != NULL ? recording->damage : "";
}

const char* spRecording_GetSceneText(const spRecording* recording)
{
    return recording != NULL ? recording->sceneText : NULL;
}

bool spRecording_GetCamera(const spRecording* recording, spCamera* camera)
{
    if (recording == NULL || (recording->flags & sp_headCamera) == 0)
    {
        return false;
    }
    *camera = recording->camera;
    return true;
}

bool spRecording_GetPlayInfo(const spRecording* recording, spPlayInfo* play)
{
    if (recording == NULL || play == NULL || recording->hasPlay == false)
    {
        return false;
    }
    *play = recording->play;
    return true;
}

int spRecording_GetNumberSize(const spRecording* recording)
{
    return recording != NULL ? recording->numberSize : 0;
}

int spRecording_GetDecisionCount(const spRecording* recording)
{
    return recording != NULL ? recording->decisionCount : 0;
}

// The first decision of this row, or of a later one
static int spFindDecision(const spRecording* recording, int row)
{
    int first = 0, last = recording->decisionCount;
    while (first < last)
    {
        int middle = first + (last - first) / 2;
        if (recording->decisions[middle].row < row)
        {
            first = middle + 1;
        }
        else
        {
            last = middle;
        }
    }
    return first;
}

int spRecording_GetDecisions(const spRecording* recording, int row, const spBodyId* bodies, int bodyCount,
                             spDecision* decisions, int capacity)
{
    if (row < 0 || row >= spRecording_GetRowCount(recording))
    {
        return 0;
    }
    int count = 0;
    int64_t step = spRecording_GetRow(recording, row).stepCount - 1;
    for (int i = spFindDecision(recording, row);
         i < recording->decisionCount && recording->decisions[i].row == row; ++i)
    {
        const spDecisionEntry* entry = recording->decisions + i;
        if (count < capacity && decisions != NULL)
        {
            spBodyId none = {0}, unknown = {.index1 = UINT32_MAX};
            bool known = entry->body < bodyCount && bodies != NULL;
            decisions[count] = (spDecision){
                .step = step,
                .body = entry->body < 0 ? none
                        : known         ? bodies[entry->body]
                                        : unknown,
                .substep = entry->substep,
                .factorStep = entry->factorStep,
                .stopAfter = entry->stopAfter,
                .dt = entry->dt,
            };
        }
        count += 1;
    }
    return count;
}

int spRecording_GetActCount(const spRecording* recording)
{
    return recording != NULL ? recording->actCount : 0;
}

int spRecording_FindActs(const spRecording* recording, int row, int* first)
{
    int low = 0, high = spRecording_GetActCount(recording);
    while (low < high)
    {
        int middle = low + (high - low) / 2;
        if (recording->acts[middle].row < row)
        {
            low = middle + 1;
        }
        else
        {
            high = middle;
        }
    }
    int count = 0;
    while (low + count < spRecording_GetActCount(recording) && recording->acts[low + count].row == row)
    {
        count += 1;
    }
    if (first != NULL)
    {
        *first = low;
    }
    return count;
}

const char* spRecording_GetAct(const spRecording* recording, int act, size_t* size)
{
    bool good = act >= 0 && act < spRecording_GetActCount(recording);
    if (size != NULL)
    {
        *size = good ? recording->acts[act].size : 0;
    }
    return good ? recording->acts[act].text : NULL;
}

int spRecording_GetLibraryVersion(const spRecording* recording)
{
    return recording != NULL ? recording->libraryVersion : 0;
}

static bool spIsIndex(int index, int count)
{
    return index >= 0 && index < count;
}

int spRecording_GetMeasurementCount(const spRecording* recording)
{
    return recording != NULL ? recording->measurementCount : 0;
}

const char* spRecording_GetMeasurementName(const spRecording* recording, int measurement)
{
    return spIsIndex(measurement, spRecording_GetMeasurementCount(recording))
               ? recording->measurements[measurement].name
               : "";
}

const char* spRecording_GetMeasurementUnit(const spRecording* recording, int measurement)
{
    return spIsIndex(measurement, spRecording_GetMeasurementCount(recording))
               ? recording->measurements[measurement].unit
               : "";
}

int spRecording_FindMeasurement(const spRecording* recording, const char* name)
{
    int count = spRecording_GetMeasurementCount(recording);
    for (int i = 0; name != NULL && i < count; ++i)
    {
        if (strcmp(recording->measurements[i].name, name) == 0)
        {
            return i;
        }
    }
    return -1;
}

int spRecording_GetRowCount(const spRecording* recording)
{
    return recording != NULL ? recording->rowCount : 0;
}

// The block that a row is in, found by halving; NULL for a bad index
static const spRowBlock* spFindRowBlock(const spRecording* recording, int row)
{
    if (!spIsIndex(row, spRecording_GetRowCount(recording)))
    {
        return NULL;
    }
    int low = 0;
    int high = recording->rowBlockCount - 1;
    while (low < high)
    {
        int middle = (low + high + 1) / 2;
        if (recording->rowBlocks[middle].firstRow <= row)
        {
            low = middle;
        }
        else
        {
            high = middle - 1;
        }
    }
    return recording->rowBlocks + low;
}

// The bytes of a row; NULL for a bad index
static const uint8_t* spFindRow(const spRecording* recording, int row)
{
    const spRowBlock* block = spFindRowBlock(recording, row);
    return block != NULL ? block->rows + (size_t)(row - block->firstRow) * recording->rowSize : NULL;
}

spRecordRow spRecording_GetRow(const spRecording* recording, int row)
{
    spRecordRow result = {0};
    const spRowBlock* block = spFindRowBlock(recording, row);
    const uint8_t* p = spFindRow(recording, row);
    if (p != NULL)
    {
        result.time = spGetF64(p);
        result.stepCount = (int64_t)spGetU64(p + 8);
        result.dtTaken = spGetF64(p + 16);
        result.flags = spGetU32(p + 24);
        double stages[SP_PROFILE_COUNT];
        memcpy(stages, p + 32, sizeof(stages));
        result.profile.step = stages[0];
        result.profile.commands = stages[1];
        result.profile.advance = stages[2];
        result.profile.detection = stages[3];
        result.profile.response = stages[4];
        result.profile.check = stages[5];
        result.profile.adapt = stages[6];
        result.profile.publish = stages[7];
        const uint8_t* solver =
            block->solver != NULL ? block->solver + (size_t)(row - block->firstRow) * SP_SOLVER_SIZE : NULL;
        result.solverIterations = solver != NULL ? (int64_t)spGetU64(solver) : -1;
        result.solverResidual = solver != NULL ? spGetF64(solver + 8) : (double)NAN;
        result.contactCount = solver != NULL ? (int32_t)spGetU32(solver + 16) : -1;
        result.substepCount = solver != NULL ? (int32_t)spGetU32(solver + 20) : -1;
    }
    return result;
}

double spRecording_GetMeasurement(const spRecording* recording, int row, int measurement)
{
    const uint8_t* p = spFindRow(recording, row);
    return p != NULL && spIsIndex(measurement, recording->measurementCount)
               ? spGetF64(p + SP_ROW_SIZE + (size_t)measurement * sizeof(double))
               : (double)NAN;
}

int spRecording_CopySeries(const spRecording* recording, int measurement, double* values, int capacity)
{
    if (!spIsIndex(measurement, spRecording_GetMeasurementCount(recording)))
    {
        return 0;
    }
    int count = spMaxInt(0, spMinInt(capacity, recording->rowCount));
    for (int i = 0; i < count; ++i)
    {
        values[i] = spRecording_GetMeasurement(recording, i, measurement);
    }
    return count;
}

int spRecording_CopyTimes(const spRecording* recording, double* times, int capacity)
{
    int count = spMaxInt(0, spMinInt(capacity, spRecording_GetRowCount(recording)));
    for (int i = 0; i < count; ++i)
    {
        times[i] = spGetF64(spFindRow(recording, i));
    }
    return count;
}

int spRecording_GetFrameCount(const spRecording* recording)
{
    return recording != NULL ? recording->frameCount : 0;
}

static const spFrameEntry* spGetFrame(const spRecording* recording, int frame)
{
    return spIsIndex(frame, spRecording_GetFrameCount(recording)) ? recording->frames + frame : NULL;
}

int spRecording_GetFrameRow(const spRecording* recording, int frame)
{
    const spFrameEntry* entry = spGetFrame(recording, frame);
    return entry != NULL ? entry->row : -1;
}

double spRecording_GetFrameTime(const spRecording* recording, int frame)
{
    const spFrameEntry* entry = spGetFrame(recording, frame);
    return entry != NULL ? spGetF64(spFindRow(recording, entry->row)) : 0.0;
}

uint64_t spRecording_GetStateHash(const spRecording* recording, int frame)
{
    const spFrameEntry* entry = spGetFrame(recording, frame);
    return entry != NULL ? entry->stateHash : 0;
}

int spRecording_FindFrame(const spRecording* recording, double time)
{
    int count = spRecording_GetFrameCount(recording);
    int best = count > 0 ? 0 : -1;
    double bestDistance = (double)INFINITY;
    for (int i = 0; i < count; ++i)
    {
        double distance = fabs(spRecording_GetFrameTime(recording, i) - time);
        if (distance < bestDistance)
        {
            bestDistance = distance;
            best = i;
        }
    }
    return best;
}

int spRecording_GetBodyCount(const spRecording* recording)
{
    return recording != NULL ? recording->bodyCount : 0;
}

const char* spRecording_GetBodyName(const spRecording* recording, int body)
{
    return spIsIndex(body, spRecording_GetBodyCount(recording)) ? recording->bodies[body].name : "";
}

// What a frame knows of a body. Without bodies that came and went, the guess is right.
static const spBodyEntry* spFindBodyEntry(const spRecording* recording, int frame, int body)
{
    const spFrameEntry* entry = spGetFrame(recording, frame);
    if (entry == NULL || entry->bodyCount == 0 || !spIsIndex(body, recording->bodyCount))
    {
        return NULL;
    }
    const spBodyEntry* entries = recording->bodyEntries + entry->firstBody;
    for (int i = 0; i < entry->bodyCount; ++i)
    {
        const spBodyEntry* candidate = entries + (body + i) % entry->bodyCount;
        if (recording->topologies[candidate->topology].body == body)
        {
            return candidate;
        }
    }
    return NULL;
}

const spTopologyEntry* spGetTopologyEntry(const spRecording* recording, int frame, int body)
{
    const spBodyEntry* entry = spFindBodyEntry(recording, frame, body);
    return entry != NULL ? recording->topologies + entry->topology : NULL;
}

spPointView spRecording_GetPositions(const spRecording* recording, int frame, int body)
{
    const spBodyEntry* entry = spFindBodyEntry(recording, frame, body);
    int count = entry != NULL ? recording->topologies[entry->topology].nodeCount : 0;
    return (spPointView){count > 0 ? entry->positions : NULL, count};
}

spPointView spRecording_GetVelocities(const spRecording* recording, int frame, int body)
{
    const spBodyEntry* entry = spFindBodyEntry(recording, frame, body);
    int count =
        entry != NULL && entry->velocities != NULL ? recording->topologies[entry->topology].nodeCount : 0;
    return (spPointView){count > 0 ? entry->velocities : NULL, count};
}

const int32_t* spRecording_GetTriangles(const spRecording* recording, int frame, int body, int* triangleCount)
{
    const spTopologyEntry* topology = spGetTopologyEntry(recording, frame, body);
    *triangleCount = topology != NULL ? topology->triangleCount : 0;
    return topology != NULL ? topology->triangles : NULL;
}

const uint8_t* spRecording_GetBareTriangles(const spRecording* recording, int frame, int body)
{
    const spTopologyEntry* topology = spGetTopologyEntry(recording, frame, body);
    return topology != NULL ? topology->bare : NULL;
}

const int32_t* spRecording_GetEdges(const spRecording* recording, int frame, int body, int* edgeCount)
{
    const spTopologyEntry* topology = spGetTopologyEntry(recording, frame, body);
    *edgeCount = topology != NULL ? topology->edgeCount : 0;
    return topology != NULL ? topology->edges : NULL;
}

const int32_t* spRecording_GetTets(const spRecording* recording, int frame, int body, int* tetCount)
{
    const spTopologyEntry* topology = spGetTopologyEntry(recording, frame, body);
    *tetCount = topology != NULL ? topology->tetCount : 0;
    return topology != NULL ? topology->tets : NULL;
}

void spMapToSurface(const spTopologyEntry* topology, const float* values, int size, int vertex, float* result)
{
    const int32_t* nodes = topology->surfaceNodes + 4 * (size_t)vertex;
    const float* weights = topology->surfaceWeights + 3 * (size_t)vertex;
    const float* a = values + (size_t)size * (size_t)nodes[0];
    for (int i = 0; i < size; ++i)
    {
        result[i] = a[i];
        for (int k = 1; k < 4; ++k)
        {
            const float* b = values + (size_t)size * (size_t)nodes[k];
            result[i] += weights[k - 1] * (b[i] - a[i]);
        }
    }
}

int spRecording_GetSurfaceVertexCount(const spRecording* recording, int frame, int body)
{
    const spTopologyEntry* topology = spGetTopologyEntry(recording, frame, body);
    return topology != NULL ? topology->surfaceVertexCount : 0;
}

const int32_t* spRecording_GetSurfaceTriangles(const spRecording* recording, int frame, int body,
                                               int* triangleCount)
{
    const spTopologyEntry* topology = spGetTopologyEntry(recording, frame, body);
    *triangleCount = topology != NULL ? topology->surfaceTriangleCount : 0;
    return topology != NULL ? topology->surfaceTriangles : NULL;
}

int spRecording_CopySurfacePositions(const spRecording* recording, int frame, int body, float* positions,
                                     int capacity)
{
    const spTopologyEntry* topology = spGetTopologyEntry(recording, frame, body);
    spPointView x = spRecording_GetPositions(recording, frame, body);
    int count = topology != NULL ? spMinInt(topology->surfaceVertexCount, capacity) : 0;
    for (int i = 0; i < count; ++i)
    {
        spMapToSurface(topology, x.data, 3, i, positions + 3 * (size_t)i);
    }
    return spMaxInt(count, 0);
}

int spRecording_CopySurfaceWeights(const spRecording* recording, int frame, int body, int32_t* nodes,
                                   float* weights, int capacity)
{
    const spTopologyEntry* topology = spGetTopologyEntry(recording, frame, body);
    int count = topology != NULL ? spMinInt(topology->surfaceVertexCount, capacity) : 0;
    for (int i = 0; i < count; ++i)
    {
        const float* w = topology->surfaceWeights + 3 * (size_t)i;
        memcpy(nodes + 4 * (size_t)i, topology->surfaceNodes + 4 * (size_t)i, 4 * sizeof(int32_t));
        float* result = weights + 4 * (size_t)i;
        result[0] = 1.0f - w[0] - w[1] - w[2];
        memcpy(result + 1, w, 3 * sizeof(float));
    }
    return spMaxInt(count, 0);
}

spValueView spGetNodeValues(const spRecording* recording, int frame, int body, spNodeValue value)
{
    const spBodyEntry* entry = spFindBodyEntry(recording, frame, body);
    bool stored = entry != NULL && entry->nodeValues[value] != NULL;
    return stored ? (spValueView){entry->nodeValues[value], recording->topologies[entry->topology].nodeCount}
                  : (spValueView){0};
}

spValueView spRecording_GetNodeStress(const spRecording* recording, int frame, int body)
{
    return spGetNodeValues(recording, frame, body, sp_nodeStress);
}

spValueView spRecording_GetNodeStrain(const spRecording* recording, int frame, int body)
{
    return spGetNodeValues(recording, frame, body, sp_nodeStrain);
}

spValueView spRecording_GetNodePressure(const spRecording* recording, int frame, int body)
{
    return spGetNodeValues(recording, frame, body, sp_nodePressure);
}

spValueView spRecording_GetNodeModulus(const spRecording* recording, int frame, int body)
{
    return spGetNodeValues(recording, frame, body, sp_nodeModulus);
}

spValueView spRecording_GetNodeLevels(const spRecording* recording, int frame, int body)
{
    return spGetNodeValues(recording, frame, body, sp_nodeLevel);
}

spValueView spRecording_GetNodeRegions(const spRecording* recording, int frame, int body)
{
    return spGetNodeValues(recording, frame, body, sp_nodeRegion);
}

int spRecording_GetContactCount(const spRecording* recording, int frame)
{
    const spFrameEntry* entry = spGetFrame(recording, frame);
    return entry != NULL ? entry->contactCount : 0;
}

static int spGetContactEnd(const uint8_t* p)
{
    return spGetU32(p) == SP_CONTACT_NONE ? -1 : (int)spGetU32(p);
}

spRecordedContact spRecording_GetContact(const spRecording* recording, int frame, int contact)
{
    if (!spIsIndex(contact, spRecording_GetContactCount(recording, frame)))
    {
        return (spRecordedContact){0};
    }
    const uint8_t* p = spGetFrame(recording, frame)->contacts + (size_t)contact * SP_CONTACT_SIZE;
    spRecordedContact c = {
        .body = spGetContactEnd(p),
        .otherBody = spGetContactEnd(p + 4),
        .collider = spGetContactEnd(p + 8),
        .age = (int)spGetU32(p + 12),
        .gap = spGetF32(p + 52),
        .area = spGetF32(p + 56),
        .slip = spGetF32(p + 60),
    };
    memcpy(c.position, p + 16, sizeof(c.position));
    memcpy(c.force, p + 28, sizeof(c.force));
    memcpy(c.normal, p + 40, sizeof(c.normal));
    return c;
}

spTetStateView spRecording_GetTetStates(const spRecording* recording, int frame, int body)
{
    const spBodyEntry* entry = spFindBodyEntry(recording, frame, body);
    if (entry == NULL || entry->tetStates == NULL)
    {
        return (spTetStateView){0};
    }
    int count = recording->topologies[entry->topology].tetCount;
    const float* numbers = entry->tetStates;
    return (spTetStateView){numbers, numbers + count, numbers + 4 * (size_t)count, count};
}

int spRecording_GetTopology(const spRecording* recording, int frame, int body)
{
    const spBodyEntry* entry = spFindBodyEntry(recording, frame, body);
    return entry != NULL ? entry->topology : -1;
}

int spRecording_GetColliderCount(const spRecording* recording)
{
    return recording != NULL ? recording->colliderCount : 0;
}

spColliderDef spRecording_GetColliderDef(const spRecording* recording, int collider)
{
    return spIsIndex(collider, spRecording_GetColliderCount(recording)) ? recording->colliders[collider].def
                                                                        : (spColliderDef){0};
}

bool spRecording_GetColliderTransform(const spRecording* recording, int frame, int collider,
                                      spTransform* transform)
{
    const spFrameEntry* entry = spGetFrame(recording, frame);
    for (int i = 0; entry != NULL && collider >= 0 && i < entry->colliderCount; ++i)
    {
        int k = (collider + i) % entry->colliderCount;
        const uint8_t* p = entry->colliders + (size_t)k * SP_FRAME_COLLIDER_SIZE;
        if (spGetU32(p) == (uint32_t)collider)
        {
            if (transform != NULL)
            {
                float n[7];
                memcpy(n, p + 4, sizeof(n));
                transform->position = (spVec3){(spReal)n[0], (spReal)n[1], (spReal)n[2]};
                transform->rotation = (spQuat){(spReal)n[3], (spReal)n[4], (spReal)n[5], (spReal)n[6]};
            }
            return true;
        }
    }
    return false;
}
