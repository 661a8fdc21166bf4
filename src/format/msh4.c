// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Gmsh MSH 4.1: nodes and elements come in blocks, one for each entity of the geometry. The region of a tet
// is the first physical group of its volume, or the number of the volume where none has one; that of a
// triangle the first group of its surface.

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

static bool spAddEntity(spMshReader* reader, int dimension, int64_t tag, int64_t region, spError* error)
{
    void* data = reader->entities;
    bool ok = spReserve(&reader->mesh->heap, &data, reader->entityCount, &reader->entityCapacity,
                        reader->entityCount + 1, sizeof(spMshEntity));
    reader->entities = data;
    if (!ok)
    {
        return spFailMemory(error, "the entities of a file", sizeof(spMshEntity));
    }
    reader->entities[reader->entityCount++] = (spMshEntity){dimension, (int32_t)tag, (int32_t)region};
    reader->volumeCount += dimension == 3;
    reader->anyPhysical |= dimension == 3 && region != 0;
    return true;
}

static int spCompareEntities(const void* a, const void* b)
{
    const spMshEntity *x = a, *y = b;
    return x->dimension != y->dimension ? x->dimension - y->dimension : (x->tag > y->tag) - (x->tag < y->tag);
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
                 (dimension < 2 || spAddEntity(reader, dimension, tag, region, error));
            if (!ok)
            {
                return false;
            }
        }
    }
    if (reader->entityCount > 0)
    {
        qsort(reader->entities, (size_t)reader->entityCount, sizeof(spMshEntity), spCompareEntities);
    }
    return spReadMshEnd(reader, "$EndEntities", error);
}

// Tets of a volume without a group have its number where no volume has a group; triangles have none then
static int32_t spFindRegion(const spMshReader* reader, int64_t dimension, int64_t tag)
{
    if (dimension < 2 || dimension > 3)
    {
        return 0;
    }
    spMshEntity key = {(int32_t)dimension, (int32_t)tag, 0};
    const spMshEntity* found = reader->entityCount > 0
                                   ? bsearch(&key, reader->entities, (size_t)reader->entityCount,
                                             sizeof(spMshEntity), spCompareEntities)
                                   : NULL;
    bool grouped = dimension == 2 || reader->anyPhysical || reader->volumeCount == 1;
    int32_t number = dimension == 3 ? (int32_t)tag : 0;
    return found != NULL && grouped ? found->region : number;
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
    int32_t region = spFindRegion(reader, dimension, tag);
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
    if (!spStartMshElements(reader, error) ||
        !spReadHead(reader, reader->binary ? 16 : 4, &blocks, &count, error))
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
