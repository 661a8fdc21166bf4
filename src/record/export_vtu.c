// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// VTK XML unstructured grids for ParaView: one file per frame with all bodies, and a collection file with the
// times. Arrays are inline base64, uncompressed, each after a 64-bit count of its bytes.

#include "format/vtu_array.h"
#include "record/output.h"
#include "record/recording.h"
#include "record/shape.h"

#include <math.h>

// The arrays of a grid, in the order of the file
enum
{
    sp_gridPoints = 0,
    sp_gridConnectivity,
    sp_gridOffsets, // for each cell: end in connectivity
    sp_gridTypes,
    sp_gridNodes, // number of the node in its body
    sp_gridVelocities,
    sp_gridNodeStress,
    sp_gridNodePressure,
    sp_gridBodies,
    sp_gridElements, // 0 triangle, 1 edge, 2 lone point, 3 tet
    sp_gridVonMises,
    sp_gridPrincipal,
    sp_gridVolumeRatio,
    sp_gridArrayCount
};

static const struct
{
    const char* section;
    spNumberType type;
    const char* name;
    int components;
} s_arrays[sp_gridArrayCount] = {
    {"Points", sp_numberFloat, "Points", 3},        {"Cells", sp_numberInt64, "connectivity", 1},
    {"Cells", sp_numberInt64, "offsets", 1},        {"Cells", sp_numberUint8, "types", 1},
    {"PointData", sp_numberInt32, "node", 1},       {"PointData", sp_numberFloat, "velocity", 3},
    {"PointData", sp_numberFloat, "vonMises", 1},   {"PointData", sp_numberFloat, "contactPressure", 1},
    {"CellData", sp_numberInt32, "body", 1},        {"CellData", sp_numberInt32, "element", 1},
    {"CellData", sp_numberFloat, "vonMises", 1},    {"CellData", sp_numberFloat, "principalStress", 3},
    {"CellData", sp_numberFloat, "volumeRatio", 1},
};

// The grid of one frame, all bodies one after the other
typedef struct spGrid
{
    spBytes arrays[sp_gridArrayCount];
    int64_t pointCount;
    int64_t cellCount;
    int64_t connectivityCount;
} spGrid;

static void spInitGrid(spGrid* grid, spHeap* heap)
{
    *grid = (spGrid){0};
    for (int i = 0; i < sp_gridArrayCount; ++i)
    {
        grid->arrays[i].heap = heap;
    }
}

static void spClearGrid(spGrid* grid)
{
    for (int i = 0; i < sp_gridArrayCount; ++i)
    {
        grid->arrays[i].count = 0;
    }
    grid->pointCount = 0;
    grid->cellCount = 0;
    grid->connectivityCount = 0;
}

static bool spHasGridFailed(const spGrid* grid)
{
    bool failed = false;
    for (int i = 0; i < sp_gridArrayCount; ++i)
    {
        failed |= grid->arrays[i].failed;
    }
    return failed;
}

static void spFreeGrid(spGrid* grid)
{
    for (int i = 0; i < sp_gridArrayCount; ++i)
    {
        spFreeBytes(&grid->arrays[i]);
    }
}

// What tets feel; NaN where nothing was stored and on other cells
static void spAddStates(spGrid* grid, const spTetStateView* states, int count)
{
    for (int i = 0; i < count; ++i)
    {
        const float none[3] = {NAN, NAN, NAN};
        bool stored = states != NULL && i < states->count;
        spPutF32(&grid->arrays[sp_gridVonMises], stored ? states->vonMises[i] : NAN);
        spPutData(&grid->arrays[sp_gridPrincipal], stored ? states->principalStress + 3 * (size_t)i : none,
                  sizeof(none));
        spPutF32(&grid->arrays[sp_gridVolumeRatio], stored ? states->volumeRatio[i] : NAN);
    }
}

// Cells with `size` nodes each; indices count from the body's first point
static void spAddCells(spGrid* grid, const int32_t* indices, int count, int size, int body,
                       int64_t firstPoint, const spTetStateView* states)
{
    static const uint8_t types[4] = {sp_vtkVertex, sp_vtkLine, sp_vtkTriangle, sp_vtkTet};
    static const uint32_t elements[4] = {2, 1, 0, 3};
    uint8_t type = types[size - 1];
    for (int i = 0; i < count; ++i)
    {
        for (int k = 0; k < size; ++k)
        {
            spPutU64(&grid->arrays[sp_gridConnectivity], (uint64_t)(firstPoint + indices[i * size + k]));
        }
        grid->connectivityCount += size;
        spPutU64(&grid->arrays[sp_gridOffsets], (uint64_t)grid->connectivityCount);
        spPutData(&grid->arrays[sp_gridTypes], &type, 1);
        spPutU32(&grid->arrays[sp_gridBodies], (uint32_t)body);
        spPutU32(&grid->arrays[sp_gridElements], elements[size - 1]);
    }
    spAddStates(grid, states, count);
    grid->cellCount += count;
}

// Points with velocities, stress and contact pressure, or zeros where there are none
static void spAddPoints(spGrid* grid, const float* positions, const float* velocities, const float* stress,
                        const float* pressure, int count)
{
    spPutData(&grid->arrays[sp_gridPoints], positions, (size_t)count * 3 * sizeof(float));
    for (int i = 0; i < count; ++i)
    {
        const float zero[3] = {0};
        spPutData(&grid->arrays[sp_gridVelocities], velocities != NULL ? velocities + 3 * i : zero,
                  sizeof(zero));
        spPutF32(&grid->arrays[sp_gridNodeStress], stress != NULL ? stress[i] : 0.0f);
        spPutF32(&grid->arrays[sp_gridNodePressure], pressure != NULL ? pressure[i] : 0.0f);
        spPutU32(&grid->arrays[sp_gridNodes], (uint32_t)i);
    }
    grid->pointCount += count;
}

// The points of an attached surface, which are no nodes, and its triangles
static void spAddSurface(spGrid* grid, const spRecording* recording, int frame, int body)
{
    const spTopologyEntry* topology = spGetTopologyEntry(recording, frame, body);
    spPointView x = spRecording_GetPositions(recording, frame, body);
    spPointView v = spRecording_GetVelocities(recording, frame, body);
    spValueView stress = spRecording_GetNodeStress(recording, frame, body);
    spValueView pressure = spRecording_GetNodePressure(recording, frame, body);
    int64_t first = grid->pointCount;
    for (int i = 0; i < topology->surfaceVertexCount; ++i)
    {
        float position[3], velocity[3] = {0}, ownStress = 0.0f, ownPressure = 0.0f;
        spMapToSurface(topology, x.data, 3, i, position);
        if (v.count > 0)
        {
            spMapToSurface(topology, v.data, 3, i, velocity);
        }
        if (stress.count > 0)
        {
            spMapToSurface(topology, stress.data, 1, i, &ownStress);
        }
        if (pressure.count > 0)
        {
            spMapToSurface(topology, pressure.data, 1, i, &ownPressure);
        }
        spPutData(&grid->arrays[sp_gridPoints], position, sizeof(position));
        spPutData(&grid->arrays[sp_gridVelocities], velocity, sizeof(velocity));
        spPutF32(&grid->arrays[sp_gridNodeStress], ownStress);
        spPutF32(&grid->arrays[sp_gridNodePressure], ownPressure);
        spPutU32(&grid->arrays[sp_gridNodes], UINT32_MAX);
    }
    grid->pointCount += topology->surfaceVertexCount;
    spAddCells(grid, topology->surfaceTriangles, topology->surfaceTriangleCount, 3, body, first, NULL);
}

static bool spFillGrid(spGrid* grid, spShapeMesh* shape, spHeap* heap, const spRecording* recording,
                       int frame)
{
    spClearGrid(grid);
    for (int body = 0; body < recording->bodyCount; ++body)
    {
        spPointView x = spRecording_GetPositions(recording, frame, body);
        spPointView v = spRecording_GetVelocities(recording, frame, body);
        int triangleCount = 0;
        int edgeCount = 0;
        int tetCount = 0;
        const int32_t* triangles = spRecording_GetTriangles(recording, frame, body, &triangleCount);
        const int32_t* edges = spRecording_GetEdges(recording, frame, body, &edgeCount);
        const int32_t* tets = spRecording_GetTets(recording, frame, body, &tetCount);
        spTetStateView states = spRecording_GetTetStates(recording, frame, body);
        int64_t first = grid->pointCount;
        spAddPoints(grid, x.data, v.data, spRecording_GetNodeStress(recording, frame, body).data,
                    spRecording_GetNodePressure(recording, frame, body).data, x.count);
        spAddCells(grid, tets, tetCount, 4, body, first, &states);
        if (spRecording_GetSurfaceVertexCount(recording, frame, body) > 0)
        {
            spAddSurface(grid, recording, frame, body);
        }
        else
        {
            spAddCells(grid, triangles, triangleCount, 3, body, first, NULL);
        }
        spAddCells(grid, edges, edgeCount, 2, body, first, NULL);
        for (int32_t i = 0; tetCount + triangleCount + edgeCount == 0 && i < x.count; ++i)
        {
            spAddCells(grid, &i, 1, 1, body, first, NULL);
        }
    }

    // Colliders count downwards from -1
    for (int collider = 0; collider < recording->colliderCount; ++collider)
    {
        spTransform transform;
        if (!spRecording_GetColliderTransform(recording, frame, collider, &transform))
        {
            continue;
        }
        if (!spBuildShape(heap, shape, &recording->colliders[collider].def, &transform))
        {
            return false;
        }
        int64_t first = grid->pointCount;
        spAddPoints(grid, shape->positions, NULL, NULL, NULL, shape->vertexCount);
        spAddCells(grid, shape->triangles, shape->triangleCount, 3, -1 - collider, first, NULL);
    }
    return !spHasGridFailed(grid);
}

// Whether the recording has what an array would hold
static bool spIsInRecording(const spRecording* recording, int array)
{
    switch (array)
    {
        case sp_gridVelocities:
            return (recording->flags & sp_headVelocities) != 0;
        case sp_gridNodeStress:
            return recording->hasNodeValues[sp_nodeStress];
        case sp_gridNodePressure:
            return recording->hasNodeValues[sp_nodePressure];
        case sp_gridVonMises:
        case sp_gridPrincipal:
        case sp_gridVolumeRatio:
            return recording->hasTetStates;
        default:
            return true;
    }
}

static bool spPutGrid(spVtuWriter* writer, const spGrid* grid, double time, const spRecording* recording,
                      spError* error)
{
    spBeginVtu(writer);
    spPutText(writer->output, "<FieldData>\n<DataArray type=\"Float64\" Name=\"TimeValue\" "
                              "NumberOfTuples=\"1\" format=\"ascii\">");
    spPutDigits(writer->output, time, 17);
    spPutText(writer->output, "</DataArray>\n</FieldData>\n");
    spPutVtuPiece(writer, grid->pointCount, grid->cellCount);
    bool ok = true;
    for (int i = 0; ok && i < sp_gridArrayCount; ++i)
    {
        const char* section = s_arrays[i].section;
        const spBytes* array = &grid->arrays[i];
        if (i == 0 || strcmp(section, s_arrays[i - 1].section) != 0)
        {
            spPutFormat(writer->output, "<%s>\n", section);
        }
        ok = spIsInRecording(recording, i) == false ||
             spPutVtuArray(writer, s_arrays[i].type, s_arrays[i].name, s_arrays[i].components, array->data,
                           (int64_t)(array->count / spGetNumberSize(s_arrays[i].type)), error);
        if (i + 1 == sp_gridArrayCount || strcmp(section, s_arrays[i + 1].section) != 0)
        {
            spPutFormat(writer->output, "</%s>\n", section);
        }
    }
    spEndVtu(writer);
    return ok;
}

static bool spSaveGrid(const spGrid* grid, const spRecording* recording, double time, const char* path,
                       spError* error)
{
    spOutput output;
    if (spOpenOutput(&output, path, error) == false)
    {
        return false;
    }
    spVtuWriter writer = {&output, spMakeHeap(&recording->heap.allocator), sp_vtuBinary};
    bool ok = spPutGrid(&writer, grid, time, recording, error);
    return spCloseOutput(&output, ok, error) && ok;
}

// Memory of one export
typedef struct spVtuWork
{
    spGrid grid;
    spShapeMesh shape;
    spBytes path;
    spBytes collection;
} spVtuWork;

static bool spWriteVtuFrames(const spRecording* recording, const spExportDef* def, const spExportRange* range,
                             spVtuWork* work, spHeap* heap, spError* error)
{
    spPrintText(&work->collection, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" "
                                   "byte_order=\"LittleEndian\">\n<Collection>\n");
    for (int i = 0; i < range->frameCount; ++i)
    {
        int frame = range->firstFrame + i * range->frameStride;
        double time = spRecording_GetFrameTime(recording, frame);
        if (!spReportProgress(def, (double)i / range->frameCount, error))
        {
            return false;
        }
        if (!spFillGrid(&work->grid, &work->shape, heap, recording, frame))
        {
            return spFailMemory(error, "VTU export", heap->byteCount);
        }
        if (!spSetPath(&work->path, error, "%s/%s_%06d.vtu", range->folder, range->baseName, frame) ||
            !spSaveGrid(&work->grid, recording, time, (const char*)work->path.data, error))
        {
            return false;
        }
        spPrintText(&work->collection, "<DataSet timestep=\"");
        spPrintReal(&work->collection, time, 17);
        spPrintText(&work->collection, "\" file=\"");
        spPrintXml(&work->collection, range->baseName);
        spPrintText(&work->collection, "_%06d.vtu\"/>\n", frame);
    }
    spPrintText(&work->collection, "</Collection>\n</VTKFile>\n");
    return spSetPath(&work->path, error, "%s/%s.pvd", range->folder, range->baseName) &&
           spSaveBytes(&work->collection, (const char*)work->path.data, error) &&
           spReportProgress(def, 1.0, error);
}

bool spExportVtu(const spRecording* recording, const spExportDef* def, spError* error)
{
    spExportRange range;
    if (!spBeginExport(recording, def, &range, error))
    {
        return false;
    }
    spHeap heap = spMakeHeap(&recording->heap.allocator);
    spVtuWork work = {0};
    spInitGrid(&work.grid, &heap);
    work.path.heap = &heap;
    work.collection.heap = &heap;

    bool ok = spWriteVtuFrames(recording, def, &range, &work, &heap, error);

    spFreeGrid(&work.grid);
    spFreeShape(&heap, &work.shape);
    spFreeBytes(&work.path);
    spFreeBytes(&work.collection);
    return ok;
}
