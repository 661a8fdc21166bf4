// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// TetGen: points in a .node file, tets in an .ele file, both text with # comments. The first attribute of a
// tet becomes its region.

#include "format/format.h"
#include "format/id_table.h"

#include "mesh/mesh_math.h"

// Most attributes of a point or a tet
#define SP_MAX_ATTRIBUTES 10000

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

static bool spReadNodeFile(spScanner* scanner, spMesh* mesh, spIdTable* ids, spError* error)
{
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
        if (!spAddVertex(mesh, p, error) || !spAddId(ids, id, line, error))
        {
            return false;
        }
    }
    return spFinishIds(ids, error);
}

static bool spReadEleFile(spScanner* scanner, spMesh* mesh, const spIdTable* ids, spMiddleNodes* middle,
                          spError* error)
{
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
            nodes[n] = spFindId(ids, id);
            if (nodes[n] < 0)
            {
                return spFailScan(scanner, error,
                                  "tet %lld uses point %lld, which the .node file does not define",
                                  (long long)element, (long long)id);
            }
        }
        if (!spMarkMiddle(mesh, middle, nodes, 4, (int)nodeCount, error))
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
        if (!spAddTet(mesh, nodes, (int32_t)floor(region + 0.5), error))
        {
            return false;
        }
    }
    return true;
}

bool spReadTetGen(const spTetGenText* node, const spTetGenText* ele, spMesh* mesh, spError* error)
{
    mesh->formatName = "TetGen";
    spIdTable ids = spMakeIdTable(&mesh->heap);
    spScanner scanner = spMakeScanner(node->data, node->size);
    bool ok = spReadNodeFile(&scanner, mesh, &ids, error);
    const char* path = node->path;
    spMiddleNodes middle = {0};
    if (ok)
    {
        path = ele->path;
        scanner = spMakeScanner(ele->data, ele->size);
        ok = spReadEleFile(&scanner, mesh, &ids, &middle, error);
    }
    ok = spDropMiddleNodes(mesh, &middle, ok, error);
    if (!ok)
    {
        spNamePath(path, error);
    }
    spFreeIdTable(&ids);
    return ok;
}
