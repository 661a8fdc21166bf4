// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Medit (of the GMF library): .mesh is text, .meshb binary, versions 1 to 4, both byte orders. The reference
// number of a tet becomes its region, that of a triangle a value named "region". Second-order cells lose
// their middle nodes; what a mesh does not hold is passed over. Written: text, and binary of version 2.

#include "format/bytes.h"
#include "format/format.h"

#include <limits.h>
#include <math.h>
#include <string.h>

// A list of a file: what it is called, its number in binary files, what it becomes
typedef struct spMeditList
{
    const char* name; // in small letters
    int code;
    uint8_t nodeCount, cornerCount;
    uint8_t kind; // spCellKind
} spMeditList;

static const spMeditList meditLists[] = {
    {"edges", 5, 2, 2, sp_cellLine},
    {"triangles", 6, 3, 3, sp_cellPolygon},
    {"quadrilaterals", 7, 4, 4, sp_cellPolygon},
    {"tetrahedra", 8, 4, 4, sp_cellTet},
    {"prisms", 9, 6, 6, sp_cellUnknown},
    {"hexahedra", 10, 8, 8, sp_cellUnknown},
    {"trianglesp2", 24, 6, 3, sp_cellPolygon},
    {"edgesp2", 25, 3, 2, sp_cellLine},
    {"quadrilateralsq2", 27, 9, 4, sp_cellPolygon},
    {"tetrahedrap2", 30, 10, 4, sp_cellTet},
    {"hexahedraq2", 33, 27, 8, sp_cellUnknown},
    {"pyramids", 49, 5, 5, sp_cellUnknown},
};

enum
{
    sp_meditDimension = 3,
    sp_meditVertices = 4,
    sp_meditEnd = 54,
};

typedef struct spMeditReader
{
    spScanner scanner;
    spByteCursor bytes;
    bool binary;
    int version;
    spMesh* mesh;
    spMiddleNodes middle;
    bool haveVertices;
} spMeditReader;

// A whole number of the file, which has 64 bits from version 4 on
static size_t spGetMeditSize(const spMeditReader* reader)
{
    return reader->version >= 4 ? 8 : 4;
}

static bool spNextWhole(spMeditReader* reader, const char* what, int64_t* value, spError* error)
{
    if (!reader->binary)
    {
        return spNeedInteger(&reader->scanner, what, INT64_MIN, INT64_MAX, value, error);
    }
    size_t size = spGetMeditSize(reader);
    if (spCountBytes(&reader->bytes) < size)
    {
        return spFail(error, sp_errorFileFormat, "the file ends where %s should be; it is cut off", what);
    }
    *value = spTakeWhole(&reader->bytes, size == 8 ? sp_numberInt64 : sp_numberInt32);
    return true;
}

static bool spNextReal(spMeditReader* reader, double* value, spError* error)
{
    if (!reader->binary)
    {
        return spNeedReal(&reader->scanner, "a coordinate of a vertex", value, error);
    }
    spNumberType type = reader->version == 1 ? sp_numberFloat : sp_numberDouble;
    if (!spHasBytes(&reader->bytes, 1, spGetNumberSize(type)))
    {
        return spFail(error, sp_errorFileFormat, "the file ends inside its vertices; it is cut off");
    }
    *value = spTakeReal(&reader->bytes, type);
    return true;
}

// The length of a list, compared with the bytes that follow
static bool spNextCount(spMeditReader* reader, const char* what, int least, int64_t* count, spError* error)
{
    if (!spNextWhole(reader, what, count, error))
    {
        return false;
    }
    size_t left =
        reader->binary ? spCountBytes(&reader->bytes) : (size_t)(reader->scanner.end - reader->scanner.at);
    size_t size = (size_t)least * (reader->binary ? 4 : 2);
    if (*count < 0 || (uint64_t)*count > left / size + 1)
    {
        return spFailScan(&reader->scanner, error,
                          "%s is %lld, but only %zu bytes follow; the file is cut off", what,
                          (long long)*count, left);
    }
    return true;
}

static bool spReadVertices(spMeditReader* reader, spError* error)
{
    int64_t count, reference;
    if (reader->haveVertices)
    {
        return spFailScan(&reader->scanner, error, "there is a second list of vertices");
    }
    reader->haveVertices = true;
    if (!spNextCount(reader, "the number of vertices", 4, &count, error) ||
        !spReserveVertices(reader->mesh, count, error))
    {
        return false;
    }
    for (int64_t i = 0; i < count; ++i)
    {
        double xyz[3];
        for (int k = 0; k < 3; ++k)
        {
            if (!spNextReal(reader, xyz + k, error))
            {
                return false;
            }
            if (!isfinite(xyz[k]))
            {
                return spFailScan(&reader->scanner, error, "vertex %lld is not finite", (long long)i + 1);
            }
        }
        if (!spNextWhole(reader, "the reference of a vertex", &reference, error) ||
            !spAddVertex(reader->mesh, (spDVec3){xyz[0], xyz[1], xyz[2]}, error))
        {
            return false;
        }
    }
    return true;
}

static bool spReadList(spMeditReader* reader, const spMeditList* list, spError* error)
{
    spMesh* mesh = reader->mesh;
    int64_t count, number;
    if (!reader->haveVertices)
    {
        return spFailScan(&reader->scanner, error, "cells come before the vertices; put the vertices first");
    }
    if (!spNextCount(reader, "the number of cells", list->nodeCount + 1, &count, error))
    {
        return false;
    }
    for (int64_t i = 0; i < count; ++i)
    {
        int32_t nodes[32];
        for (int k = 0; k < list->nodeCount; ++k)
        {
            if (!spNextWhole(reader, "a vertex of a cell", &number, error))
            {
                return false;
            }
            if (number < 1 || number > mesh->vertexCount)
            {
                return spFailScan(&reader->scanner, error,
                                  "%s %lld uses vertex %lld, but vertices are numbered from 1 to %d",
                                  list->name, (long long)i + 1, (long long)number, mesh->vertexCount);
            }
            nodes[k] = (int32_t)(number - 1);
        }
        int first = mesh->triangleCount;
        if (!spNextWhole(reader, "the reference of a cell", &number, error) ||
            (list->kind != sp_cellUnknown &&
             !spMarkMiddle(mesh, &reader->middle, nodes, list->cornerCount, list->nodeCount, error)) ||
            !spAddCell(mesh, (spCellKind)list->kind, nodes, list->cornerCount, spClampRegion(number), error))
        {
            return false;
        }
        spMarkTriangles(mesh, first, number);
    }
    return true;
}

static bool spNeedThree(spMeditReader* reader, int64_t dimension, spError* error)
{
    return dimension == 3 ||
           spFailScan(&reader->scanner, error, "the mesh has %lld dimensions; three are needed",
                      (long long)dimension);
}

// ---------------------------------------------------------------------------------------------------------
// Text

static bool spIsLetter(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

static bool spReadTextSections(spMeditReader* reader, spError* error)
{
    spScanner* scanner = &reader->scanner;
    int64_t number;
    for (spSkipHashComments(scanner); !spAtEnd(scanner); spSkipHashComments(scanner))
    {
        spScanner start = *scanner;
        spWord word = spScanWord(scanner);
        bool ok = true, known = false;
        for (int i = 0; i < SP_COUNT(meditLists) && !known; ++i)
        {
            known = spWordIsAnyCase(word, meditLists[i].name);
            ok = !known || spReadList(reader, meditLists + i, error);
        }
        if (known)
        {
            if (!ok)
            {
                return false;
            }
            continue;
        }
        if (spWordIsAnyCase(word, "vertices"))
        {
            ok = spReadVertices(reader, error);
        }
        else if (spWordIsAnyCase(word, "meshversionformatted"))
        {
            ok = spNeedInteger(scanner, "the version of the file", 0, 4, &number, error);
        }
        else if (spWordIsAnyCase(word, "dimension"))
        {
            ok = spNeedInteger(scanner, "the dimension of the mesh", 1, 3, &number, error) &&
                 spNeedThree(reader, number, error);
        }
        else if (spWordIsAnyCase(word, "end"))
        {
            return true;
        }
        else if (word.length == 0 || !spIsLetter(word.text[0]))
        {
            char found[32];
            spQuoteWord(&start, found);
            return spFailScan(&start, error, "a word such as Vertices must stand here, found %s", found);
        }
        else
        {
            // Something else: to the next word
            for (spSkipHashComments(scanner); !spAtEnd(scanner) && !spIsLetter(*scanner->at);
                 spSkipHashComments(scanner))
            {
                spScanWord(scanner);
            }
        }
        if (!ok)
        {
            return false;
        }
    }
    return true;
}

// ---------------------------------------------------------------------------------------------------------
// Binary

static bool spReadBinarySections(spMeditReader* reader, const char* data, size_t size, spError* error)
{
    const uint8_t* begin = (const uint8_t*)data;
    size_t placeSize = reader->version >= 3 ? 8 : 4;
    while (spCountBytes(&reader->bytes) >= 4 + placeSize)
    {
        int32_t code = spTakeI32(&reader->bytes);
        uint64_t next = spTakeBits(&reader->bytes, (int)placeSize);
        size_t here = (size_t)(reader->bytes.at - begin);
        if (code == sp_meditEnd)
        {
            return true;
        }
        if (next != 0 && (next < here || next > size))
        {
            return spFail(
                error, sp_errorFileFormat,
                "section %d says that the next one is at byte %llu, but that is before its own end or "
                "after that of the file",
                code, (unsigned long long)next);
        }
        bool ok = true;
        if (code == sp_meditDimension)
        {
            ok = spCountBytes(&reader->bytes) >= 4
                     ? spNeedThree(reader, spTakeI32(&reader->bytes), error)
                     : spFail(error, sp_errorFileFormat, "the dimension is missing; the file is cut off");
        }
        else if (code == sp_meditVertices)
        {
            ok = spReadVertices(reader, error);
        }
        for (int i = 0; ok && i < SP_COUNT(meditLists); ++i)
        {
            ok = meditLists[i].code != code || spReadList(reader, meditLists + i, error);
        }
        if (!ok)
        {
            return false;
        }
        if (next == 0)
        {
            return true;
        }
        // Sections that overlap would make a small file a large mesh
        if (begin + next < reader->bytes.at)
        {
            return spFail(error, sp_errorFileFormat,
                          "section %d says that the next one is at byte %llu, but that is before its own end",
                          code, (unsigned long long)next);
        }
        reader->bytes.at = begin + next;
    }
    return true;
}

static bool spReadBinaryHead(spMeditReader* reader, spError* error)
{
    if (spCountBytes(&reader->bytes) < 8)
    {
        return spFail(error, sp_errorFileFormat, "the file is cut off after %zu bytes",
                      spCountBytes(&reader->bytes));
    }
    reader->bytes.swapped = spTakeI32(&reader->bytes) != 1;
    reader->version = spTakeI32(&reader->bytes);
    return (reader->version >= 1 && reader->version <= 4) ||
           spFail(error, sp_errorUnsupported,
                  "version %d of a binary Medit file is not known; there are 1 to 4", reader->version);
}

bool spLooksLikeMeshb(const char* data, size_t size)
{
    static const uint8_t little[4] = {1, 0, 0, 0}, big[4] = {0, 0, 0, 1};
    return size >= 8 && (memcmp(data, little, 4) == 0 || memcmp(data, big, 4) == 0);
}

bool spReadMedit(const char* data, size_t size, spMesh* mesh, spError* error)
{
    spMeditReader reader = {.scanner = spMakeScanner(data, size), .mesh = mesh};
    reader.bytes = (spByteCursor){(const uint8_t*)data, (const uint8_t*)data + size, false};
    reader.binary = spLooksLikeMeshb(data, size);
    mesh->formatName = reader.binary ? "Medit binary" : "Medit ascii";
    if (reader.binary)
    {
        reader.scanner.line = 0; // errors have no line
    }
    bool ok = reader.binary
                  ? spReadBinaryHead(&reader, error) && spReadBinarySections(&reader, data, size, error)
                  : spReadTextSections(&reader, error);
    return spDropMiddleNodes(mesh, &reader.middle, ok, error);
}

// ---------------------------------------------------------------------------------------------------------
// Writing

// Regions are numbers or values, or 0 where both are NULL
static void spPutList(spOutput* output, const char* name, const int32_t* cells, int nodeCount, int count,
                      const int32_t* regions, const double* regionValues)
{
    if (count == 0)
    {
        return;
    }
    spPutFormat(output, "%s\n%d\n", name, count);
    for (int i = 0; i < count; ++i)
    {
        int32_t region = regions != NULL ? regions[i] : 0;
        spPutIndices(output, cells + (int64_t)nodeCount * i, nodeCount, 1, " ");
        spPutInteger(output, regionValues != NULL ? spRoundRegion(regionValues[i]) : region);
        spPutText(output, "\n");
    }
}

bool spWriteMedit(const spMesh* mesh, spOutput* output, spError* error)
{
    SP_UNUSED(error);
    spPutFormat(output, "MeshVersionFormatted 2\nDimension 3\nVertices\n%d\n", mesh->vertexCount);
    for (int i = 0; i < mesh->vertexCount; ++i)
    {
        spPutReal(output, mesh->vertices[i].x);
        spPutText(output, " ");
        spPutReal(output, mesh->vertices[i].y);
        spPutText(output, " ");
        spPutReal(output, mesh->vertices[i].z);
        spPutText(output, " 0\n");
    }
    spPutList(output, "Edges", mesh->edges, 2, mesh->edgeCount, NULL, NULL);
    spPutList(output, "Triangles", mesh->triangles, 3, mesh->triangleCount, NULL,
              spFindTriangleRegions(mesh));
    spPutList(output, "Tetrahedra", mesh->tets, 4, mesh->tetCount, mesh->tetRegions, NULL);
    spPutText(output, "End\n");
    return true;
}

// A section begins with its code, the place of the next one and its count
static void spPutSection(spOutput* output, int code, int count, size_t entrySize, int64_t* place)
{
    *place += 12 + (int64_t)entrySize * count;
    const int32_t head[3] = {code, (int32_t)*place, count};
    spPutBytes(output, head, sizeof(head));
}

static void spPutBinaryList(spOutput* output, int code, const int32_t* cells, int nodeCount, int count,
                            const int32_t* regions, const double* regionValues, int64_t* place)
{
    if (count == 0)
    {
        return;
    }
    spPutSection(output, code, count, (size_t)(nodeCount + 1) * sizeof(int32_t), place);
    for (int i = 0; i < count; ++i)
    {
        int32_t entry[5];
        for (int k = 0; k < nodeCount; ++k)
        {
            entry[k] = cells[(int64_t)nodeCount * i + k] + 1;
        }
        int32_t region = regions != NULL ? regions[i] : 0;
        entry[nodeCount] = regionValues != NULL ? spRoundRegion(regionValues[i]) : region;
        spPutBytes(output, entry, (size_t)(nodeCount + 1) * sizeof(int32_t));
    }
}

bool spWriteMeshb(const spMesh* mesh, spOutput* output, spError* error)
{
    // Places have 32 bits in version 2, which every reader knows
    int64_t size = 28 * (int64_t)mesh->vertexCount + 12 * (int64_t)mesh->edgeCount +
                   16 * (int64_t)mesh->triangleCount + 20 * (int64_t)mesh->tetCount + 100;
    if (size > INT32_MAX)
    {
        return spFail(error, sp_errorLimit, "the mesh is too large for a .meshb file; use .mesh or .vtu");
    }
    int64_t place = 8 + 12;
    const int32_t head[5] = {1, 2, sp_meditDimension, (int32_t)place, 3};
    spPutBytes(output, head, sizeof(head));
    spPutSection(output, sp_meditVertices, mesh->vertexCount, 28, &place);
    for (int i = 0; i < mesh->vertexCount; ++i)
    {
        const int32_t reference = 0;
        spPutBytes(output, mesh->vertices + i, 3 * sizeof(double));
        spPutBytes(output, &reference, sizeof(reference));
    }
    spPutBinaryList(output, 5, mesh->edges, 2, mesh->edgeCount, NULL, NULL, &place);
    spPutBinaryList(output, 6, mesh->triangles, 3, mesh->triangleCount, NULL, spFindTriangleRegions(mesh),
                    &place);
    spPutBinaryList(output, 8, mesh->tets, 4, mesh->tetCount, mesh->tetRegions, NULL, &place);
    const int32_t end[2] = {sp_meditEnd, 0};
    spPutBytes(output, end, sizeof(end));
    return true;
}
