// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// VTK XML unstructured grids for ParaView: one file per frame with all bodies, and a collection file with the
// times. Arrays are inline base64, uncompressed, each after a 64-bit count of its bytes.

#include "record/output.h"
#include "record/recording.h"
#include "record/shape.h"

#include <math.h>

// VTK's numbers for sorts of cells
#define SP_VTK_VERTEX 1
#define SP_VTK_LINE 3
#define SP_VTK_TRIANGLE 5
#define SP_VTK_TET 10

// The grid of one frame, all bodies one after the other
typedef struct spGrid
{
    spBytes points;       // float[3] each
    spBytes velocities;   // float[3] each
    spBytes nodeStress;   // float each
    spBytes nodes;        // int32 each: number of the node in its body
    spBytes connectivity; // int64 each
    spBytes offsets;      // int64 for each cell: end in connectivity
    spBytes types;        // uint8 for each cell
    spBytes bodies;       // int32 for each cell
    spBytes elements;     // int32 for each cell: 0 triangle, 1 edge, 2 lone point, 3 tet
    spBytes vonMises;     // float for each cell, likewise the next two
    spBytes principal;    // float[3]
    spBytes volumeRatio;
    int64_t pointCount;
    int64_t cellCount;
    int64_t connectivityCount;
} spGrid;

#define SP_GRID_ARRAYS 12

static void spListArrays(spGrid* grid, spBytes* all[SP_GRID_ARRAYS])
{
    spBytes* list[SP_GRID_ARRAYS] = {&grid->points,   &grid->velocities,   &grid->nodeStress,
                                     &grid->nodes,    &grid->connectivity, &grid->offsets,
                                     &grid->types,    &grid->bodies,       &grid->elements,
                                     &grid->vonMises, &grid->principal,    &grid->volumeRatio};
    memcpy(all, list, sizeof(list));
}

static void spInitGrid(spGrid* grid, spHeap* heap)
{
    *grid = (spGrid){0};
    spBytes* all[SP_GRID_ARRAYS];
    spListArrays(grid, all);
    for (int i = 0; i < SP_GRID_ARRAYS; ++i)
    {
        all[i]->heap = heap;
    }
}

static void spClearGrid(spGrid* grid)
{
    spBytes* all[SP_GRID_ARRAYS];
    spListArrays(grid, all);
    for (int i = 0; i < SP_GRID_ARRAYS; ++i)
    {
        all[i]->count = 0;
    }
    grid->pointCount = 0;
    grid->cellCount = 0;
    grid->connectivityCount = 0;
}

static bool spHasGridFailed(spGrid* grid)
{
    spBytes* all[SP_GRID_ARRAYS];
    spListArrays(grid, all);
    bool failed = false;
    for (int i = 0; i < SP_GRID_ARRAYS; ++i)
    {
        failed |= all[i]->failed;
    }
    return failed;
}

static void spFreeGrid(spGrid* grid)
{
    spBytes* all[SP_GRID_ARRAYS];
    spListArrays(grid, all);
    for (int i = 0; i < SP_GRID_ARRAYS; ++i)
    {
        spFreeBytes(all[i]);
    }
}

// What tets feel; NaN where nothing was stored and on other cells
static void spAddStates(spGrid* grid, const spTetStateView* states, int count)
{
    for (int i = 0; i < count; ++i)
    {
        const float none[3] = {NAN, NAN, NAN};
        bool stored = states != NULL && i < states->count;
        spPutF32(&grid->vonMises, stored ? states->vonMises[i] : NAN);
        spPutData(&grid->principal, stored ? states->principalStress + 3 * (size_t)i : none, sizeof(none));
        spPutF32(&grid->volumeRatio, stored ? states->volumeRatio[i] : NAN);
    }
}

// Cells with `size` nodes each; indices count from the body's first point
static void spAddCells(spGrid* grid, const int32_t* indices, int count, int size, int body,
                       int64_t firstPoint, const spTetStateView* states)
{
    static const uint8_t types[4] = {SP_VTK_VERTEX, SP_VTK_LINE, SP_VTK_TRIANGLE, SP_VTK_TET};
    static const uint32_t elements[4] = {2, 1, 0, 3};
    uint8_t type = types[size - 1];
    for (int i = 0; i < count; ++i)
    {
        for (int k = 0; k < size; ++k)
        {
            spPutU64(&grid->connectivity, (uint64_t)(firstPoint + indices[i * size + k]));
        }
        grid->connectivityCount += size;
        spPutU64(&grid->offsets, (uint64_t)grid->connectivityCount);
        spPutData(&grid->types, &type, 1);
        spPutU32(&grid->bodies, (uint32_t)body);
        spPutU32(&grid->elements, elements[size - 1]);
    }
    spAddStates(grid, states, count);
    grid->cellCount += count;
}

// Points with velocities and stress, or zeros where there are none
static void spAddPoints(spGrid* grid, const float* positions, const float* velocities, const float* stress,
                        int count)
{
    spPutData(&grid->points, positions, (size_t)count * 3 * sizeof(float));
    for (int i = 0; i < count; ++i)
    {
        const float zero[3] = {0};
        spPutData(&grid->velocities, velocities != NULL ? velocities + 3 * i : zero, sizeof(zero));
        spPutF32(&grid->nodeStress, stress != NULL ? stress[i] : 0.0f);
        spPutU32(&grid->nodes, (uint32_t)i);
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
    int64_t first = grid->pointCount;
    for (int i = 0; i < topology->surfaceVertexCount; ++i)
    {
        float position[3], velocity[3] = {0}, ownStress = 0.0f;
        spMapToSurface(topology, x.data, 3, i, position);
        if (v.count > 0)
        {
            spMapToSurface(topology, v.data, 3, i, velocity);
        }
        if (stress.count > 0)
        {
            spMapToSurface(topology, stress.data, 1, i, &ownStress);
        }
        spPutData(&grid->points, position, sizeof(position));
        spPutData(&grid->velocities, velocity, sizeof(velocity));
        spPutF32(&grid->nodeStress, ownStress);
        spPutU32(&grid->nodes, UINT32_MAX);
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
        spAddPoints(grid, x.data, v.data, spRecording_GetNodeStress(recording, frame, body).data, x.count);
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
        spAddPoints(grid, shape->positions, NULL, NULL, shape->vertexCount);
        spAddCells(grid, shape->triangles, shape->triangleCount, 3, -1 - collider, first, NULL);
    }
    return !spHasGridFailed(grid);
}

static const char SP_BASE64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void spPutBase64(spBytes* text, const uint8_t* data, size_t size)
{
    char* out = spAppendBytes(text, (size + 2) / 3 * 4);
    for (size_t i = 0; out != NULL && i < size; i += 3, out += 4)
    {
        size_t left = size - i;
        uint32_t word = (uint32_t)data[i] << 16 | (left > 1 ? (uint32_t)data[i + 1] << 8 : 0) |
                        (left > 2 ? (uint32_t)data[i + 2] : 0);
        out[0] = SP_BASE64[word >> 18];
        out[1] = SP_BASE64[(word >> 12) & 63];
        out[2] = left > 1 ? SP_BASE64[(word >> 6) & 63] : '=';
        out[3] = left > 2 ? SP_BASE64[word & 63] : '=';
    }
}

// Count of bytes and data are one base64 text
static void spPutArray(spBytes* text, spBytes* scratch, const char* type, const char* name, int components,
                       const spBytes* data)
{
    scratch->count = 0;
    spPutU64(scratch, data->count);
    spPutData(scratch, data->data, data->count);
    text->failed = text->failed || scratch->failed;
    spPrintText(text, "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"binary\">\n",
                type, name, components);
    spPutBase64(text, scratch->data, scratch->failed ? 0 : scratch->count);
    spPrintText(text, "\n</DataArray>\n");
}

static void spPrintVtu(spBytes* text, spBytes* scratch, const spGrid* grid, double time,
                       const spRecording* recording)
{
    text->count = 0;
    spPrintText(text, "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" "
                      "byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<UnstructuredGrid>\n");
    spPrintText(text, "<FieldData>\n<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" "
                      "format=\"ascii\">");
    spPrintReal(text, time, 17);
    spPrintText(text, "</DataArray>\n</FieldData>\n");
    spPrintText(text, "<Piece NumberOfPoints=\"%lld\" NumberOfCells=\"%lld\">\n", (long long)grid->pointCount,
                (long long)grid->cellCount);
    spPrintText(text, "<Points>\n");
    spPutArray(text, scratch, "Float32", "Points", 3, &grid->points);
    spPrintText(text, "</Points>\n<Cells>\n");
    spPutArray(text, scratch, "Int64", "connectivity", 1, &grid->connectivity);
    spPutArray(text, scratch, "Int64", "offsets", 1, &grid->offsets);
    spPutArray(text, scratch, "UInt8", "types", 1, &grid->types);
    spPrintText(text, "</Cells>\n<PointData>\n");
    spPutArray(text, scratch, "Int32", "node", 1, &grid->nodes);
    if ((recording->flags & sp_headVelocities) != 0)
    {
        spPutArray(text, scratch, "Float32", "velocity", 3, &grid->velocities);
    }
    if (recording->hasNodeStress)
    {
        spPutArray(text, scratch, "Float32", "vonMises", 1, &grid->nodeStress);
    }
    spPrintText(text, "</PointData>\n<CellData>\n");
    spPutArray(text, scratch, "Int32", "body", 1, &grid->bodies);
    spPutArray(text, scratch, "Int32", "element", 1, &grid->elements);
    if (recording->hasTetStates)
    {
        spPutArray(text, scratch, "Float32", "vonMises", 1, &grid->vonMises);
        spPutArray(text, scratch, "Float32", "principalStress", 3, &grid->principal);
        spPutArray(text, scratch, "Float32", "volumeRatio", 1, &grid->volumeRatio);
    }
    spPrintText(text, "</CellData>\n</Piece>\n</UnstructuredGrid>\n</VTKFile>\n");
}

// Memory of one export
typedef struct spVtuWork
{
    spGrid grid;
    spShapeMesh shape;
    spBytes text;
    spBytes scratch;
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
        spPrintVtu(&work->text, &work->scratch, &work->grid, time, recording);
        if (!spSetPath(&work->path, error, "%s/%s_%06d.vtu", range->folder, range->baseName, frame) ||
            !spSaveBytes(&work->text, (const char*)work->path.data, error))
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
    work.text.heap = &heap;
    work.scratch.heap = &heap;
    work.path.heap = &heap;
    work.collection.heap = &heap;

    bool ok = spWriteVtuFrames(recording, def, &range, &work, &heap, error);

    spFreeGrid(&work.grid);
    spFreeShape(&heap, &work.shape);
    spFreeBytes(&work.text);
    spFreeBytes(&work.scratch);
    spFreeBytes(&work.path);
    spFreeBytes(&work.collection);
    return ok;
}
