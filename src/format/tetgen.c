// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// TetGen: points in a .node file, tets in an .ele file, triangles in a .face file, all text with # comments.
// One of the last two may be missing. The first attribute of a tet becomes its region, the boundary marker of
// a triangle its value "region".

#include "format/format.h"
#include "format/id_table.h"

#include "mesh/mesh_math.h"

#include <string.h>

// Most attributes of a point or a tet
#define SP_MAX_ATTRIBUTES 10000

typedef struct spTetGenReader
{
    spScanner scanner;
    spMesh* mesh;
    spIdTable ids;
    spMiddleNodes middle;
    bool secondOrder; // tets have ten points
} spTetGenReader;

static bool spTakeInteger(spScanner* scanner, const char* what, int64_t lower, int64_t upper, int64_t* value,
                          spError* error)
{
    spSkipHashComments(scanner);
    return spNeedInteger(scanner, what, lower, upper, value, error);
}

// A number of a header line that may be missing at its end
static bool spTakeOptional(spScanner* scanner, const char* what, int64_t upper, int64_t* value,
                           spError* error)
{
    *value = 0;
    spSkipBlanks(scanner);
    return spAtLineEnd(scanner) || *scanner->at == '#' ||
           spNeedInteger(scanner, what, 0, upper, value, error);
}

// A count of the first line, compared with the bytes that follow
static bool spTakeCount(spScanner* scanner, const char* what, int64_t* count, spError* error)
{
    spSkipHashComments(scanner);
    spScanner before = *scanner;
    if (!spNeedInteger(scanner, what, 0, SP_MESH_LIMIT, count, error))
    {
        return false;
    }
    size_t left = (size_t)(scanner->end - scanner->at);
    if ((uint64_t)*count > left / 8 + 1)
    {
        return spFailScan(&before, error, "%s is %lld, but only %zu bytes follow; the file is cut off", what,
                          (long long)*count, left);
    }
    return true;
}

static bool spReadNodeFile(spTetGenReader* reader, spError* error)
{
    spScanner* scanner = &reader->scanner;
    spMesh* mesh = reader->mesh;
    int64_t count, dimension, attributes, markers;
    if (!spTakeCount(scanner, "the number of points", &count, error) ||
        !spTakeInteger(scanner, "the dimension of the points", 3, 3, &dimension, error) ||
        !spTakeOptional(scanner, "the number of attributes of a point", SP_MAX_ATTRIBUTES, &attributes,
                        error) ||
        !spTakeOptional(scanner, "the number of boundary markers", 1, &markers, error) ||
        !spReserveVertices(mesh, count, error))
    {
        return false;
    }
    for (int64_t i = 0; i < count; ++i)
    {
        int64_t id;
        spDVec3 p;
        if (!spTakeInteger(scanner, "the number of a point", INT64_MIN, INT64_MAX, &id, error))
        {
            return false;
        }
        int line = scanner->line;
        if (!spNeedPoint(scanner, "a coordinate of a point", &p, error))
        {
            return false;
        }
        for (int64_t a = 0; a < attributes + markers; ++a)
        {
            double unused;
            if (!spNeedReal(scanner, "an attribute of a point", &unused, error))
            {
                return false;
            }
        }
        if (!spAddVertex(mesh, p, error) || !spAddId(&reader->ids, id, line, error))
        {
            return false;
        }
    }
    return spFinishIds(&reader->ids, error);
}

static bool spReadEleFile(spTetGenReader* reader, spError* error)
{
    spScanner* scanner = &reader->scanner;
    spMesh* mesh = reader->mesh;
    int64_t count, nodeCount, attributes;
    if (!spTakeCount(scanner, "the number of tets", &count, error) ||
        !spTakeInteger(scanner, "the number of points of a tet", 4, 10, &nodeCount, error) ||
        !spTakeOptional(scanner, "the number of attributes of a tet", SP_MAX_ATTRIBUTES, &attributes,
                        error) ||
        !spReserveTets(mesh, count, error))
    {
        return false;
    }
    if (nodeCount != 4 && nodeCount != 10)
    {
        return spFailScan(scanner, error, "a tet has 4 or 10 points, not %d", (int)nodeCount);
    }
    reader->secondOrder = nodeCount == 10;
    for (int64_t i = 0; i < count; ++i)
    {
        int64_t element;
        int32_t nodes[10];
        if (!spTakeInteger(scanner, "the number of a tet", INT64_MIN, INT64_MAX, &element, error))
        {
            return false;
        }
        for (int n = 0; n < nodeCount; ++n)
        {
            int64_t id;
            if (!spNeedInteger(scanner, "a point of a tet", INT64_MIN, INT64_MAX, &id, error))
            {
                return false;
            }
            nodes[n] = spFindId(&reader->ids, id);
            if (nodes[n] < 0)
            {
                return spFailScan(scanner, error,
                                  "tet %lld uses point %lld, which the .node file does not define",
                                  (long long)element, (long long)id);
            }
        }
        if (!spMarkMiddle(mesh, &reader->middle, nodes, 4, (int)nodeCount, error))
        {
            return false;
        }
        double region = 0.0;
        for (int64_t a = 0; a < attributes; ++a)
        {
            double value;
            if (!spNeedReal(scanner, "an attribute of a tet", &value, error))
            {
                return false;
            }
            region = a == 0 ? value : region;
        }
        if (!(fabs(region) <= INT32_MAX))
        {
            return spFailScan(scanner, error, "the attribute %g of tet %lld does not fit a region number",
                              region, (long long)element);
        }
        if (!spAddTet(mesh, nodes, spRoundRegion(region), error))
        {
            return false;
        }
    }
    return true;
}

// The numbers of a line behind the first: three points, three more on a surface of second order, a marker,
// and what TetGen adds on request
static bool spReadFace(spTetGenReader* reader, int64_t markers, spError* error)
{
    spScanner* scanner = &reader->scanner;
    int64_t face, numbers[9];
    int count = 0;
    if (!spTakeInteger(scanner, "the number of a triangle", INT64_MIN, INT64_MAX, &face, error))
    {
        return false;
    }
    for (spSkipBlanks(scanner); count < SP_COUNT(numbers) && !spAtLineEnd(scanner) && *scanner->at != '#';
         spSkipBlanks(scanner))
    {
        if (!spNeedInteger(scanner, "a point of a triangle", INT64_MIN, INT64_MAX, numbers + count++, error))
        {
            return false;
        }
    }
    int nodeCount = reader->secondOrder && count >= 6 + markers ? 6 : 3;
    if (count < nodeCount + markers)
    {
        return spFailScan(scanner, error, "triangle %lld has %d numbers; it needs three points%s",
                          (long long)face, count, markers > 0 ? " and a marker" : "");
    }
    int32_t nodes[6];
    for (int n = 0; n < nodeCount; ++n)
    {
        nodes[n] = spFindId(&reader->ids, numbers[n]);
        if (nodes[n] < 0)
        {
            return spFailScan(scanner, error,
                              "triangle %lld uses point %lld, which the .node file does not define",
                              (long long)face, (long long)numbers[n]);
        }
    }
    spMesh* mesh = reader->mesh;
    int first = mesh->triangleCount;
    if (!spMarkMiddle(mesh, &reader->middle, nodes, 3, nodeCount, error) ||
        !spAddTriangle(mesh, nodes[0], nodes[1], nodes[2], error))
    {
        return false;
    }
    spMarkTriangles(mesh, first, markers > 0 ? numbers[nodeCount] : 0);
    spSkipLine(scanner);
    return true;
}

static bool spReadFaceFile(spTetGenReader* reader, spError* error)
{
    int64_t count, markers;
    if (!spTakeCount(&reader->scanner, "the number of triangles", &count, error) ||
        !spTakeOptional(&reader->scanner, "the number of boundary markers", 1, &markers, error) ||
        !spReserveTriangles(reader->mesh, count, error))
    {
        return false;
    }
    for (int64_t i = 0; i < count; ++i)
    {
        if (!spReadFace(reader, markers, error))
        {
            return false;
        }
    }
    return true;
}

bool spReadTetGen(const spTetGenText files[sp_tetGenFileCount], spMesh* mesh, spError* error)
{
    static bool (*const readers[sp_tetGenFileCount])(spTetGenReader * reader, spError * error) = {
        spReadNodeFile, spReadEleFile, spReadFaceFile};
    mesh->formatName = "TetGen";
    spTetGenReader reader = {.mesh = mesh, .ids = spMakeIdTable(&mesh->heap, "node")};
    bool ok = true;
    for (int i = 0; i < sp_tetGenFileCount && ok; ++i)
    {
        if (files[i].data == NULL)
        {
            continue;
        }
        reader.scanner = spMakeScanner(files[i].data, files[i].size);
        ok = readers[i](&reader, error);
        if (!ok)
        {
            spNamePath(files[i].path, error);
        }
    }
    ok = spDropMiddleNodes(mesh, &reader.middle, ok, error);
    spFreeIdTable(&reader.ids);
    return ok;
}

bool spReadTetGenText(const char* data, size_t size, spMesh* mesh, spError* error)
{
    spTetGenText files[sp_tetGenFileCount] = {{.path = ".node"}, {.path = ".ele"}, {.path = ".face"}};
    for (int i = 0; i < sp_tetGenFileCount && size > 0; ++i)
    {
        const char* end = i + 1 < sp_tetGenFileCount ? memchr(data, 0, size) : NULL;
        files[i].data = end != data ? data : NULL;
        files[i].size = end != NULL ? (size_t)(end - data) : size;
        size_t used = files[i].size + (end != NULL);
        data += used;
        size -= used;
    }
    return spReadTetGen(files, mesh, error);
}
