// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Gmsh MSH 4.1: nodes and elements come in blocks, one for each entity of the geometry. The region of a tet
// is the first physical group of its volume, or the number of the volume where it has none. Written: ascii,
// one volume for each region.

#include "format/msh.h"

#include "mesh/mesh_math.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// In binary files counts and numbers of nodes have 64 bits, tags of entities 32
static uint64_t spTakeSize(spMshReader* reader)
{
    uint32_t first = (uint32_t)spTakeInt(reader), second = (uint32_t)spTakeInt(reader);
    return reader->swapped ? (uint64_t)first << 32 | second : (uint64_t)second << 32 | first;
}

static bool spNextSize(spMshReader* reader, const char* what, int64_t upper, int64_t* value, spError* error)
{
    if (!reader->binary)
    {
        return spNeedInteger(&reader->scanner, what, 0, upper, value, error);
    }
    if (spBytesLeft(&reader->scanner) < 8)
    {
        return spFail(error, sp_errorFileFormat, "the file ends where %s should be; it is cut off", what);
    }
    uint64_t size = spTakeSize(reader);
    *value = size <= (uint64_t)upper ? (int64_t)size : -1;
    return *value >= 0 || spFail(error, sp_errorFileFormat, "%s is %llu, more than %lld", what,
                                 (unsigned long long)size, (long long)upper);
}

static bool spNextInt(spMshReader* reader, const char* what, int64_t* value, spError* error)
{
    if (!reader->binary)
    {
        return spNeedInteger(&reader->scanner, what, INT32_MIN, INT32_MAX, value, error);
    }
    if (spBytesLeft(&reader->scanner) < 4)
    {
        return spFail(error, sp_errorFileFormat, "the file ends where %s should be; it is cut off", what);
    }
    *value = spTakeInt(reader);
    return true;
}

static bool spNextReal(spMshReader* reader, const char* what, double* value, spError* error)
{
    if (!reader->binary)
    {
        return spNeedReal(&reader->scanner, what, value, error);
    }
    if (spBytesLeft(&reader->scanner) < 8)
    {
        return spFail(error, sp_errorFileFormat, "the file ends where %s should be; it is cut off", what);
    }
    *value = spTakeDouble(reader);
    return true;
}

// A list that is not needed, its first number excepted
static bool spSkipTags(spMshReader* reader, int64_t* first, spError* error)
{
    int64_t count, tag;
    *first = 0;
    if (!spNextSize(reader, "the number of tags of an entity", (int64_t)1 << 40, &count, error))
    {
        return false;
    }
    for (int64_t i = 0; i < count; ++i)
    {
        if (!spNextInt(reader, "a tag of an entity", &tag, error))
        {
            return false;
        }
        *first = i == 0 ? tag : *first;
    }
    return true;
}

static bool spAddVolume(spMshReader* reader, int64_t tag, int64_t region, spError* error)
{
    if (!spReserve(&reader->mesh->heap, (void**)&reader->volumes, reader->volumeCount,
                   &reader->volumeCapacity, reader->volumeCount + 1, sizeof(spMshVolume)))
    {
        return spFailMemory(error, "the volumes of a file", sizeof(spMshVolume));
    }
    reader->volumes[reader->volumeCount++] = (spMshVolume){(int32_t)tag, (int32_t)region};
    reader->anyPhysical |= region != 0;
    return true;
}

static int spCompareVolumes(const void* a, const void* b)
{
    int32_t x = ((const spMshVolume*)a)->tag, y = ((const spMshVolume*)b)->tag;
    return x < y ? -1 : x > y;
}

bool spReadMsh4Entities(spMshReader* reader, spError* error)
{
    int64_t counts[4];
    if (reader->binary)
    {
        spStartBinary(reader);
    }
    for (int dimension = 0; dimension < 4; ++dimension)
    {
        if (!spNextSize(reader, "the number of entities", SP_MESH_LIMIT, counts + dimension, error))
        {
            return false;
        }
    }
    for (int dimension = 0; dimension < 4; ++dimension)
    {
        for (int64_t i = 0; i < counts[dimension]; ++i)
        {
            int64_t tag, region, unused;
            double real;
            bool ok = spNextInt(reader, "the tag of an entity", &tag, error);
            for (int k = 0; ok && k < (dimension == 0 ? 3 : 6); ++k)
            {
                ok = spNextReal(reader, "a coordinate of an entity", &real, error);
            }
            ok = ok && spSkipTags(reader, &region, error) &&
                 (dimension == 0 || spSkipTags(reader, &unused, error)) &&
                 (dimension < 3 || spAddVolume(reader, tag, region, error));
            if (!ok)
            {
                return false;
            }
        }
    }
    if (reader->volumeCount > 0)
    {
        qsort(reader->volumes, (size_t)reader->volumeCount, sizeof(spMshVolume), spCompareVolumes);
    }
    return spReadMshEnd(reader, "$EndEntities", error);
}

static int32_t spFindRegion(const spMshReader* reader, int64_t tag)
{
    spMshVolume key = {.tag = (int32_t)tag};
    const spMshVolume* found = reader->volumeCount > 0
                                   ? bsearch(&key, reader->volumes, (size_t)reader->volumeCount,
                                             sizeof(spMshVolume), spCompareVolumes)
                                   : NULL;
    bool grouped = reader->anyPhysical || reader->volumeCount == 1;
    return found != NULL && grouped ? found->region : (int32_t)tag;
}

// The head of a section: number of blocks, entries, smallest and largest tag
static bool spReadHead(spMshReader* reader, size_t leastBytes, int64_t* blocks, int64_t* count,
                       spError* error)
{
    int64_t unused;
    if (reader->binary)
    {
        spStartBinary(reader);
    }
    if (!spNextSize(reader, "the number of blocks", SP_MESH_LIMIT, blocks, error) ||
        !spNextSize(reader, "the number of entries", SP_MESH_LIMIT, count, error) ||
        !spNextSize(reader, "the smallest tag", INT64_MAX, &unused, error) ||
        !spNextSize(reader, "the largest tag", INT64_MAX, &unused, error))
    {
        return false;
    }
    if ((uint64_t)*count > spBytesLeft(&reader->scanner) / leastBytes + 1)
    {
        return spFailScan(&reader->scanner, error,
                          "%lld entries do not fit into %zu bytes; the file is cut off", (long long)*count,
                          spBytesLeft(&reader->scanner));
    }
    return true;
}

static bool spReadNodeBlock(spMshReader* reader, int64_t most, int64_t* count, spError* error)
{
    int64_t dimension, tag, parametric, id;
    spMesh* mesh = reader->mesh;
    if (!spNextInt(reader, "the dimension of an entity", &dimension, error) ||
        !spNextInt(reader, "the tag of an entity", &tag, error) ||
        !spNextInt(reader, "whether nodes have parameters", &parametric, error) ||
        !spNextSize(reader, "the number of nodes of a block", most, count, error))
    {
        return false;
    }
    for (int64_t i = 0; i < *count; ++i)
    {
        if (!spNextSize(reader, "the number of a node", INT64_MAX, &id, error) ||
            !spAddId(&reader->ids, id, reader->binary ? 0 : reader->scanner.line, error))
        {
            return false;
        }
    }
    int parameters = parametric != 0 && dimension > 0 && dimension <= 3 ? (int)dimension : 0;
    for (int64_t i = 0; i < *count; ++i)
    {
        double numbers[6] = {0};
        for (int k = 0; k < 3 + parameters; ++k)
        {
            if (!spNextReal(reader, "a coordinate of a node", numbers + k, error))
            {
                return false;
            }
        }
        spDVec3 point = {numbers[0], numbers[1], numbers[2]};
        if (!spDIsFinite(point))
        {
            return spFailScan(&reader->scanner, error, "node %d is not finite", mesh->vertexCount);
        }
        if (!spAddVertex(mesh, point, error))
        {
            return false;
        }
    }
    return true;
}

bool spReadMsh4Nodes(spMshReader* reader, spError* error)
{
    int64_t blocks, count, done = 0, inBlock;
    if (reader->haveNodes)
    {
        return spFailScan(&reader->scanner, error, "there is a second list of nodes; join the two");
    }
    reader->haveNodes = true;
    if (!spReadHead(reader, reader->binary ? 32 : 8, &blocks, &count, error) ||
        !spReserveVertices(reader->mesh, count, error))
    {
        return false;
    }
    for (int64_t i = 0; i < blocks; ++i)
    {
        if (!spReadNodeBlock(reader, count - done, &inBlock, error))
        {
            return false;
        }
        done += inBlock;
    }
    return spFinishIds(&reader->ids, error) && spReadMshEnd(reader, "$EndNodes", error);
}

static bool spReadElementBlock(spMshReader* reader, int64_t most, int64_t* count, spError* error)
{
    int64_t dimension, tag, typeNumber, element;
    if (!spNextInt(reader, "the dimension of an entity", &dimension, error) ||
        !spNextInt(reader, "the tag of an entity", &tag, error) ||
        !spNextInt(reader, "the type of elements", &typeNumber, error) ||
        !spNextSize(reader, "the number of elements of a block", most, count, error))
    {
        return false;
    }
    const spMshType* type = spFindMshType(typeNumber);
    if (type == NULL && reader->binary)
    {
        return spFail(
            error, sp_errorUnsupported,
            "element type %lld is unknown and cannot be passed over in a binary file; write the file as "
            "ascii",
            (long long)typeNumber);
    }
    int32_t region = dimension == 3 ? spFindRegion(reader, tag) : 0;
    for (int64_t i = 0; i < *count; ++i)
    {
        int64_t ids[SP_MAX_CELL_NODES];
        if (!spNextSize(reader, "the number of an element", INT64_MAX, &element, error))
        {
            return false;
        }
        int line = reader->binary ? 0 : reader->scanner.line;
        for (int k = 0; type != NULL && k < type->nodeCount; ++k)
        {
            if (!spNextSize(reader, "a node of an element", INT64_MAX, ids + k, error))
            {
                return false;
            }
        }
        if (type == NULL)
        {
            spSkipLine(&reader->scanner);
        }
        if (type != NULL ? !spAddMshElement(reader, type, ids, element, region, line, error)
                         : !spAddCell(reader->mesh, sp_cellUnknown, NULL, 0, 0, error))
        {
            return false;
        }
    }
    return true;
}

bool spReadMsh4Elements(spMshReader* reader, spError* error)
{
    int64_t blocks, count, done = 0, inBlock;
    if (!reader->haveNodes)
    {
        return spFailScan(&reader->scanner, error, "elements come before the nodes; put the nodes first");
    }
    if (!spReadHead(reader, reader->binary ? 16 : 4, &blocks, &count, error))
    {
        return false;
    }
    for (int64_t i = 0; i < blocks; ++i)
    {
        if (!spReadElementBlock(reader, count - done, &inBlock, error))
        {
            return false;
        }
        done += inBlock;
    }
    return spReadMshEnd(reader, "$EndElements", error);
}

// ---------------------------------------------------------------------------------------------------------
// Writing

static int spCompareRegions(const void* a, const void* b)
{
    int32_t x = *(const int32_t*)a, y = *(const int32_t*)b;
    return x < y ? -1 : x > y;
}

// Every region once, ascending
static int spCollectRegions(const spMesh* mesh, int32_t* regions)
{
    if (mesh->tetCount == 0)
    {
        return 0;
    }
    memcpy(regions, mesh->tetRegions, (size_t)mesh->tetCount * sizeof(int32_t));
    qsort(regions, (size_t)mesh->tetCount, sizeof(int32_t), spCompareRegions);
    int count = 1;
    for (int i = 1; i < mesh->tetCount; ++i)
    {
        if (regions[i] != regions[count - 1])
        {
            regions[count++] = regions[i];
        }
    }
    return count;
}

static void spPutEntities(spOutput* output, const spMesh* mesh, const int32_t* regions, int regionCount)
{
    spDVec3 low = mesh->vertices[0], high = low;
    for (int i = 1; i < mesh->vertexCount; ++i)
    {
        spDVec3 p = mesh->vertices[i];
        low = (spDVec3){fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z)};
        high = (spDVec3){fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z)};
    }
    bool groups = spHasGroups(mesh);
    const double box[6] = {low.x, low.y, low.z, high.x, high.y, high.z};
    int curves = mesh->edgeCount > 0, surfaces = mesh->triangleCount > 0;
    spPutFormat(output, "$Entities\n0 %d %d %d\n", curves, surfaces, regionCount);
    for (int i = 0; i < curves + surfaces + regionCount; ++i)
    {
        int volume = i - curves - surfaces;
        spPutInteger(output, volume >= 0 ? volume + 1 : 1);
        for (int k = 0; k < 6; ++k)
        {
            spPutText(output, " ");
            spPutReal(output, box[k]);
        }
        bool physical = volume >= 0 && groups;
        spPutText(output, physical ? " 1 " : " 0");
        if (physical)
        {
            spPutInteger(output, regions[volume]);
        }
        spPutText(output, " 0\n");
    }
    spPutText(output, "$EndEntities\n");
}

static void spPutNodes(spOutput* output, const spMesh* mesh)
{
    int dimension = mesh->tetCount > 0 ? 3 : mesh->triangleCount > 0 ? 2 : mesh->edgeCount > 0 ? 1 : 0;
    spPutFormat(output, "$Nodes\n1 %d 1 %d\n%d 1 0 %d\n", mesh->vertexCount, mesh->vertexCount, dimension,
                mesh->vertexCount);
    for (int i = 0; i < mesh->vertexCount; ++i)
    {
        spPutInteger(output, (int64_t)i + 1);
        spPutText(output, "\n");
    }
    for (int i = 0; i < mesh->vertexCount; ++i)
    {
        spPutPoint(output, mesh->vertices[i]);
    }
    spPutText(output, "$EndNodes\n");
}

static void spPutBlock(spOutput* output, int dimension, int entity, int type, const int32_t* cells, int count,
                       int64_t* number)
{
    spPutFormat(output, "%d %d %d %d\n", dimension, entity, type, count);
    for (int i = 0; i < count; ++i)
    {
        spPutInteger(output, (*number)++);
        spPutText(output, " ");
        spPutIndices(output, cells + (int64_t)i * (dimension + 1), dimension + 1, 1, "\n");
    }
}

// Where a run of tets of one region ends
static int spFindRunEnd(const spMesh* mesh, int begin)
{
    int end = begin + 1;
    while (end < mesh->tetCount && mesh->tetRegions[end] == mesh->tetRegions[begin])
    {
        ++end;
    }
    return end;
}

bool spWriteMsh4(const spMesh* mesh, spOutput* output, spError* error)
{
    spHeap heap = spMakeHeap(&mesh->heap.allocator);
    size_t size = spArraySize(mesh->tetCount, sizeof(int32_t));
    int32_t* regions = spAlloc(&heap, size);
    if (regions == NULL && size > 0)
    {
        return spFailMemory(error, "the regions of a mesh", size);
    }
    int regionCount = spCollectRegions(mesh, regions);
    spPutText(output, "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n");
    spPutEntities(output, mesh, regions, regionCount);
    spPutNodes(output, mesh);
    int blocks = (mesh->edgeCount > 0) + (mesh->triangleCount > 0);
    for (int i = 0; i < mesh->tetCount; i = spFindRunEnd(mesh, i))
    {
        blocks += 1;
    }
    int64_t count = (int64_t)mesh->edgeCount + mesh->triangleCount + mesh->tetCount, number = 1;
    spPutFormat(output, "$Elements\n%d %lld 1 %lld\n", blocks, (long long)count, (long long)count);
    if (mesh->edgeCount > 0)
    {
        spPutBlock(output, 1, 1, 1, mesh->edges, mesh->edgeCount, &number);
    }
    if (mesh->triangleCount > 0)
    {
        spPutBlock(output, 2, 1, 2, mesh->triangles, mesh->triangleCount, &number);
    }
    for (int begin = 0; begin < mesh->tetCount;)
    {
        int end = spFindRunEnd(mesh, begin);
        const int32_t* found = bsearch(&mesh->tetRegions[begin], regions, (size_t)regionCount,
                                       sizeof(int32_t), spCompareRegions);
        spPutBlock(output, 3, (int)(found - regions) + 1, 4, mesh->tets + 4 * (int64_t)begin, end - begin,
                   &number);
        begin = end;
    }
    spPutText(output, "$EndElements\n");
    spPutMshValues(mesh, output);
    spFree(&heap, regions, size);
    return true;
}
