// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Gmsh MSH: version 1 ($NOD, $ELM), versions 2 and 4.1 (ascii, and binary in both byte orders). Second-order
// cells lose their middle nodes, cells that a mesh cannot hold are counted, the first tag of a triangle or
// tet (its physical group) becomes its region, or data named "region"; other data of nodes and elements their
// values.

#include "format/msh.h"

#include "mesh/mesh_math.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Damaged sections of data after which no more are read: each costs as much as the mesh is large
#define SP_MAX_DAMAGED 16

// Most tags of one element; Gmsh writes 2 to 4, and one more for each part of a partitioned mesh
#define SP_MAX_TAGS 1000

// Element types by number
// clang-format off
static const spMshType mshTypes[] = {
    [1] = {2, 2, sp_cellLine},      [2] = {3, 3, sp_cellPolygon},    [3] = {4, 4, sp_cellPolygon},
    [4] = {4, 4, sp_cellTet},       [5] = {8, 8, sp_cellUnknown},    [6] = {6, 6, sp_cellUnknown},
    [7] = {5, 5, sp_cellUnknown},   [8] = {3, 2, sp_cellLine},       [9] = {6, 3, sp_cellPolygon},
    [10] = {9, 4, sp_cellPolygon},  [11] = {10, 4, sp_cellTet},      [12] = {27, 8, sp_cellUnknown},
    [13] = {18, 6, sp_cellUnknown}, [14] = {14, 5, sp_cellUnknown},  [15] = {1, 1, sp_cellPoint},
    [16] = {8, 4, sp_cellPolygon},  [17] = {20, 8, sp_cellUnknown},  [18] = {15, 6, sp_cellUnknown},
    [19] = {13, 5, sp_cellUnknown}, [20] = {9, 3, sp_cellPolygon},   [21] = {10, 3, sp_cellPolygon},
    [22] = {12, 3, sp_cellPolygon}, [23] = {15, 3, sp_cellPolygon},  [24] = {15, 3, sp_cellPolygon},
    [25] = {21, 3, sp_cellPolygon}, [26] = {4, 2, sp_cellLine},      [27] = {5, 2, sp_cellLine},
    [28] = {6, 2, sp_cellLine},     [29] = {20, 4, sp_cellTet},      [30] = {35, 4, sp_cellTet},
    [31] = {56, 4, sp_cellTet},     [92] = {64, 8, sp_cellUnknown},  [93] = {125, 8, sp_cellUnknown},
};
// clang-format on

const spMshType* spFindMshType(int64_t type)
{
    bool known = type > 0 && type < SP_COUNT(mshTypes) && mshTypes[type].nodeCount > 0;
    return known ? &mshTypes[type] : NULL;
}

size_t spBytesLeft(const spScanner* scanner)
{
    return (size_t)(scanner->end - scanner->at);
}

// The number of nodes or elements, compared with what the rest of the file could hold
static bool spReadMshCount(spMshReader* reader, const char* what, size_t leastBytes, int64_t* count,
                           spError* error)
{
    spSkipSpace(&reader->scanner);
    spScanner before = reader->scanner;
    if (!spNeedInteger(&reader->scanner, what, 0, SP_MESH_LIMIT, count, error))
    {
        return false;
    }
    if ((uint64_t)*count > spBytesLeft(&reader->scanner) / leastBytes + 1)
    {
        return spFailScan(&before, error,
                          "%s is %lld, but only %zu bytes follow; the file is cut off or damaged", what,
                          (long long)*count, spBytesLeft(&reader->scanner));
    }
    return true;
}

// The end mark of a section
bool spReadMshEnd(spMshReader* reader, const char* mark, spError* error)
{
    spSkipSpace(&reader->scanner);
    spScanner before = reader->scanner;
    if (!spWordIs(spScanWord(&reader->scanner), mark))
    {
        char found[32];
        spQuoteWord(&before, found);
        return spFailScan(&before, error,
                          "%s is missing, found %s; the count at the start of the section is wrong or the "
                          "file is cut off",
                          mark, found);
    }
    return true;
}

// Binary data starts right after the line end
void spStartBinary(spMshReader* reader)
{
    spSkipLine(&reader->scanner);
}

int32_t spTakeInt(spMshReader* reader)
{
    uint32_t bits;
    memcpy(&bits, reader->scanner.at, sizeof(bits));
    reader->scanner.at += sizeof(bits);
    if (reader->swapped)
    {
        bits = bits >> 24 | (bits >> 8 & 0xFF00u) | (bits << 8 & 0xFF0000u) | bits << 24;
    }
    int32_t value;
    memcpy(&value, &bits, sizeof(value));
    return value;
}

double spTakeDouble(spMshReader* reader)
{
    uint8_t bytes[8];
    memcpy(bytes, reader->scanner.at, sizeof(bytes));
    reader->scanner.at += sizeof(bytes);
    for (int i = 0; reader->swapped && i < 4; ++i)
    {
        uint8_t byte = bytes[i];
        bytes[i] = bytes[7 - i];
        bytes[7 - i] = byte;
    }
    double value;
    memcpy(&value, bytes, sizeof(value));
    return value;
}

static bool spReadMshFormat(spMshReader* reader, spError* error)
{
    spScanner* scanner = &reader->scanner;
    double version;
    int64_t type, size;
    spSkipSpace(scanner);
    spScanner before = *scanner;
    if (!spNeedReal(scanner, "the version of the MSH file", &version, error))
    {
        return false;
    }
    bool second = version >= 2.0 && version < 3.0, fourth = version >= 4.1 - 1e-9 && version < 5.0;
    if (!second && !fourth)
    {
        return spFailAt(
            error, sp_errorUnsupported, before.line, 0,
            "MSH version %g is not supported; write version 4.1 or 2.2 (gmsh -format msh41 -save)", version);
    }
    if (!spNeedInteger(scanner, "the file type in $MeshFormat", 0, 1, &type, error) ||
        !spNeedInteger(scanner, "the size of numbers in $MeshFormat", 8, 8, &size, error))
    {
        return false;
    }
    reader->version = second ? 2 : 4;
    reader->binary = type == 1;
    reader->mesh->formatName = second ? (reader->binary ? "MSH 2.2 binary" : "MSH 2.2 ascii")
                                      : (reader->binary ? "MSH 4.1 binary" : "MSH 4.1 ascii");
    if (reader->binary)
    {
        spStartBinary(reader);
        if (spBytesLeft(scanner) < 4)
        {
            return spFailScan(scanner, error, "the byte-order mark is missing; the file is cut off");
        }
        int32_t one = spTakeInt(reader);
        if (one != 1 && one != 0x01000000)
        {
            return spFailScan(scanner, error,
                              "the byte-order mark is %d instead of 1; the file was changed, perhaps by a "
                              "transfer in text mode",
                              one);
        }
        reader->swapped = one != 1;
    }
    return spReadMshEnd(reader, "$EndMeshFormat", error);
}

static bool spReadMshNodes(spMshReader* reader, spError* error)
{
    spScanner* scanner = &reader->scanner;
    if (reader->haveNodes)
    {
        return spFailScan(scanner, error, "there is a second list of nodes; join the two");
    }
    reader->haveNodes = true;
    int64_t count;
    if (!spReadMshCount(reader, "the number of nodes", reader->binary ? 28 : 8, &count, error))
    {
        return false;
    }
    if (reader->binary)
    {
        spStartBinary(reader);
        if ((uint64_t)count > spBytesLeft(scanner) / 28)
        {
            return spFailScan(scanner, error,
                              "%lld nodes need %lld bytes, but only %zu follow; the file is cut off",
                              (long long)count, 28 * (long long)count, spBytesLeft(scanner));
        }
    }
    if (!spReserveVertices(reader->mesh, count, error))
    {
        return false;
    }
    for (int64_t i = 0; i < count; ++i)
    {
        int64_t id;
        spDVec3 p;
        int line = 0;
        if (reader->binary)
        {
            id = spTakeInt(reader);
            p.x = spTakeDouble(reader);
            p.y = spTakeDouble(reader);
            p.z = spTakeDouble(reader);
            if (!spDIsFinite(p))
            {
                return spFail(error, sp_errorFileFormat, "node %lld is not finite: (%g, %g, %g)",
                              (long long)id, p.x, p.y, p.z);
            }
        }
        else
        {
            if (!spNeedInteger(scanner, "the number of a node", INT64_MIN, INT64_MAX, &id, error))
            {
                return false;
            }
            line = scanner->line;
            if (!spNeedPoint(scanner, "a coordinate of a node", &p, error))
            {
                return false;
            }
        }
        if (!spAddVertex(reader->mesh, p, error) || !spAddId(&reader->ids, id, line, error))
        {
            return false;
        }
    }
    return spFinishIds(&reader->ids, error) &&
           spReadMshEnd(reader, reader->version == 1 ? "$ENDNOD" : "$EndNodes", error);
}

// The number of an element whose triangles come next
static bool spAddPolygonId(spMshReader* reader, int64_t element, int line, spError* error)
{
    int count = reader->polygonIds.count;
    void* data = reader->firstTriangles;
    bool ok =
        spReserve(&reader->mesh->heap, &data, count, &reader->firstCapacity, count + 1, sizeof(int32_t));
    reader->firstTriangles = data;
    if (!ok)
    {
        return spFailMemory(error, "the elements of a file", (size_t)count * sizeof(int32_t));
    }
    reader->firstTriangles[count] = reader->mesh->triangleCount;
    return spAddId(&reader->polygonIds, element, line, error);
}

bool spAddMshElement(spMshReader* reader, const spMshType* type, const int64_t* ids, int64_t element,
                     int32_t region, int line, spError* error)
{
    int32_t nodes[SP_MAX_CELL_NODES];
    if (type->kind == sp_cellUnknown)
    {
        return spAddCell(reader->mesh, sp_cellUnknown, NULL, 0, 0, error);
    }
    for (int i = 0; i < type->nodeCount; ++i)
    {
        nodes[i] = spFindId(&reader->ids, ids[i]);
        if (nodes[i] < 0)
        {
            return spFailAt(error, sp_errorFileFormat, line, 0,
                            "element %lld uses node %lld, which the file does not define", (long long)element,
                            (long long)ids[i]);
        }
    }
    if (type->kind == sp_cellPolygon && !spAddPolygonId(reader, element, line, error))
    {
        return false;
    }
    int first = reader->mesh->triangleCount;
    if ((type->kind == sp_cellTet && !spAddId(&reader->tetIds, element, line, error)) ||
        !spMarkMiddle(reader->mesh, &reader->middle, nodes, type->cornerCount, type->nodeCount, error) ||
        !spAddCell(reader->mesh, (spCellKind)type->kind, nodes, type->cornerCount, region, error))
    {
        return false;
    }
    spMarkTriangles(reader->mesh, first, region);
    return true;
}

// One element of an ascii file. Version 1: number type physical elementary nodeCount nodes; version 2: number
// type tagCount tags nodes
static bool spReadMshElementText(spMshReader* reader, spError* error)
{
    spScanner* scanner = &reader->scanner;
    int64_t element, typeNumber, region = 0, count, unused;
    if (!spNeedInteger(scanner, "the number of an element", INT64_MIN, INT64_MAX, &element, error))
    {
        return false;
    }
    int line = scanner->line;
    if (!spNeedInteger(scanner, "the type of an element", 0, INT32_MAX, &typeNumber, error))
    {
        return false;
    }
    const spMshType* type = spFindMshType(typeNumber);
    if (type == NULL)
    {
        spSkipLine(scanner);
        return spAddCell(reader->mesh, sp_cellUnknown, NULL, 0, 0, error);
    }
    if (reader->version == 1)
    {
        if (!spNeedInteger(scanner, "the region of an element", INT64_MIN, INT64_MAX, &region, error) ||
            !spNeedInteger(scanner, "the second region of an element", INT64_MIN, INT64_MAX, &unused,
                           error) ||
            !spNeedInteger(scanner, "the number of nodes of an element", type->nodeCount, type->nodeCount,
                           &count, error))
        {
            return false;
        }
    }
    else
    {
        if (!spNeedInteger(scanner, "the number of tags of an element", 0, SP_MAX_TAGS, &count, error))
        {
            return false;
        }
        for (int i = 0; i < count; ++i)
        {
            if (!spNeedInteger(scanner, "a tag of an element", INT64_MIN, INT64_MAX,
                               i == 0 ? &region : &unused, error))
            {
                return false;
            }
        }
    }
    int64_t ids[SP_MAX_CELL_NODES];
    for (int i = 0; i < type->nodeCount; ++i)
    {
        if (!spNeedInteger(scanner, "a node of an element", INT64_MIN, INT64_MAX, ids + i, error))
        {
            return false;
        }
    }
    return spAddMshElement(reader, type, ids, element, spClampRegion(region), line, error);
}

// Blocks of elements of one type: type, number of elements, number of tags; then for each its number, tags,
// nodes
static bool spReadMshElementsBinary(spMshReader* reader, int64_t count, spError* error)
{
    spScanner* scanner = &reader->scanner;
    spStartBinary(reader);
    for (int64_t done = 0; done < count;)
    {
        if (spBytesLeft(scanner) < 12)
        {
            return spFail(error, sp_errorFileFormat,
                          "the file ends after %lld of %lld elements; it is cut off", (long long)done,
                          (long long)count);
        }
        int32_t typeNumber = spTakeInt(reader), blockCount = spTakeInt(reader), tags = spTakeInt(reader);
        const spMshType* type = spFindMshType(typeNumber);
        if (type == NULL)
        {
            return spFail(error, sp_errorUnsupported,
                          "element type %d after %lld elements is unknown and cannot be passed over in a "
                          "binary file; write the file as ascii",
                          typeNumber, (long long)done);
        }
        if (blockCount < 0 || blockCount > count - done || tags < 0 || tags > SP_MAX_TAGS ||
            (uint64_t)blockCount * (uint64_t)(4 * (1 + tags + type->nodeCount)) > spBytesLeft(scanner))
        {
            return spFail(error, sp_errorFileFormat,
                          "a block of %d elements with %d tags after %lld of %lld elements does not fit; the "
                          "file is cut off or damaged",
                          blockCount, tags, (long long)done, (long long)count);
        }
        for (int32_t i = 0; i < blockCount; ++i)
        {
            int32_t element = spTakeInt(reader), region = 0;
            for (int t = 0; t < tags; ++t)
            {
                int32_t tag = spTakeInt(reader);
                region = t == 0 ? tag : region;
            }
            int64_t ids[SP_MAX_CELL_NODES];
            for (int n = 0; n < type->nodeCount; ++n)
            {
                ids[n] = spTakeInt(reader);
            }
            if (!spAddMshElement(reader, type, ids, element, region, 0, error))
            {
                return false;
            }
        }
        done += blockCount;
    }
    return true;
}

bool spStartMshElements(spMshReader* reader, spError* error)
{
    if (!reader->haveNodes)
    {
        return spFailScan(&reader->scanner, error, "elements come before the nodes; put the nodes first");
    }
    if (reader->haveElements)
    {
        return spFailScan(&reader->scanner, error, "there is a second list of elements; join the two");
    }
    reader->haveElements = true;
    return true;
}

static bool spReadMshElements(spMshReader* reader, spError* error)
{
    int64_t count;
    if (!spStartMshElements(reader, error) ||
        !spReadMshCount(reader, "the number of elements", reader->binary ? 4 : 6, &count, error))
    {
        return false;
    }
    if (reader->binary)
    {
        if (!spReadMshElementsBinary(reader, count, error))
        {
            return false;
        }
    }
    else
    {
        for (int64_t i = 0; i < count; ++i)
        {
            if (!spReadMshElementText(reader, error))
            {
                return false;
            }
        }
    }
    return spReadMshEnd(reader, reader->version == 1 ? "$ENDELM" : "$EndElements", error);
}

// A section that is not needed: to its end mark
static bool spSkipMshSection(spMshReader* reader, spWord name, const spScanner* start, spError* error)
{
    char mark[64];
    int length = snprintf(mark, sizeof(mark), "$%s%.*s", reader->version == 1 ? "END" : "End",
                          (int)(name.length < 40 ? name.length - 1 : 39), name.text + 1);
    if (name.length < 2 || name.length > 39)
    {
        char found[32];
        spQuoteWord(start, found);
        return spFailScan(start, error, "a section must have a name such as $Nodes, found %s", found);
    }
    while (spSkipPast(&reader->scanner, mark))
    {
        // The mark of $EndNode would also be found in $EndNodeData
        if (spAtLineEnd(&reader->scanner) || *reader->scanner.at == ' ' || *reader->scanner.at == '\t')
        {
            return true;
        }
    }
    return spFailScan(start, error, "section %.*s is not closed by %.*s; the file is cut off",
                      (int)name.length, name.text, length, mark);
}

// The rest of a line without the quotes around it
static spWord spReadMshName(spMshReader* reader)
{
    spSkipSpace(&reader->scanner);
    const char* text = reader->scanner.at;
    while (!spAtLineEnd(&reader->scanner))
    {
        reader->scanner.at += 1;
    }
    const char* end = reader->scanner.at;
    while (end > text && (end[-1] == ' ' || end[-1] == '\t'))
    {
        --end;
    }
    bool quoted = end - text >= 2 && *text == '"' && end[-1] == '"';
    return (spWord){text + quoted, (size_t)(end - text) - (quoted ? 2 : 0)};
}

// What is said before the numbers of a section of data: a name, components, entries
typedef struct spMshDataHead
{
    spWord name;
    int64_t components, count;
} spMshDataHead;

static bool spReadMshDataHead(spMshReader* reader, spMshDataHead* head, spError* error)
{
    spScanner* scanner = &reader->scanner;
    int64_t tagCount, number;
    double real;
    *head = (spMshDataHead){.name = {"", 0}, .components = 1};
    if (!spNeedInteger(scanner, "the number of names of data", 1, 100, &tagCount, error))
    {
        return false;
    }
    for (int64_t i = 0; i < tagCount; ++i)
    {
        spWord text = spReadMshName(reader);
        head->name = i == 0 ? text : head->name;
    }
    if (!spNeedInteger(scanner, "the number of real tags of data", 0, 100, &tagCount, error))
    {
        return false;
    }
    for (int64_t i = 0; i < tagCount; ++i)
    {
        if (!spNeedReal(scanner, "a real tag of data", &real, error))
        {
            return false;
        }
    }
    if (!spNeedInteger(scanner, "the number of whole tags of data", 3, 100, &tagCount, error))
    {
        return false;
    }
    for (int64_t i = 0; i < tagCount; ++i)
    {
        if (!spNeedInteger(scanner, "a whole tag of data", INT64_MIN, INT64_MAX, &number, error))
        {
            return false;
        }
        head->components = i == 1 ? number : head->components;
        head->count = i == 2 ? number : head->count;
    }
    return true;
}

// Where the values of one section go: which array of the mesh for each part, or -1
typedef struct spMshTarget
{
    spMshDataHead head;
    int arrays[sp_meshPartCount];
    bool tried[sp_meshPartCount]; // there may be no room for the array
} spMshTarget;

static void spPutMshEntry(spMesh* mesh, spMshTarget* target, spMeshPart part, int first, int end,
                          const double* entry)
{
    const spMshDataHead* head = &target->head;
    if (!target->tried[part])
    {
        spMeshValues* started =
            spStartValues(mesh, part, head->name.text, head->name.length, (int)head->components);
        target->arrays[part] = started != NULL ? (int)(started - mesh->values) : -1;
        target->tried[part] = true;
    }
    for (int i = first; target->arrays[part] >= 0 && i < end; ++i)
    {
        memcpy(mesh->values[target->arrays[part]].data + (int64_t)i * head->components, entry,
               (size_t)head->components * sizeof(double));
    }
}

// The values of one element, which is a tet, or a triangle or more
static void spPutMshElementEntry(spMshReader* reader, spMshTarget* target, int64_t number,
                                 const double* entry)
{
    spMesh* mesh = reader->mesh;
    int32_t tet = spFindId(&reader->tetIds, number);
    int32_t polygon = tet < 0 ? spFindId(&reader->polygonIds, number) : -1;
    if (tet >= 0 && target->head.components == 1 && spWordIs(target->head.name, "region"))
    {
        mesh->tetRegions[tet] = spRoundRegion(entry[0]);
    }
    else if (tet >= 0)
    {
        spPutMshEntry(mesh, target, sp_meshTets, tet, tet + 1, entry);
    }
    else if (polygon >= 0)
    {
        bool last = polygon + 1 == reader->polygonIds.count;
        spPutMshEntry(mesh, target, sp_meshTriangles, reader->firstTriangles[polygon],
                      last ? mesh->triangleCount : reader->firstTriangles[polygon + 1], entry);
    }
}

static bool spReadMshEntries(spMshReader* reader, spMshTarget* target, bool ofNodes, spError* error)
{
    spScanner* scanner = &reader->scanner;
    for (int64_t i = 0; i < target->head.count; ++i)
    {
        int64_t number = 0;
        double entry[9] = {0};
        bool ok = reader->binary || spNeedInteger(scanner, "the node or element of a value", INT64_MIN,
                                                  INT64_MAX, &number, error);
        number = reader->binary ? spTakeInt(reader) : number;
        for (int k = 0; ok && k < target->head.components; ++k)
        {
            ok = reader->binary || spNeedReal(scanner, "a value", entry + k, error);
            entry[k] = reader->binary ? spTakeDouble(reader) : entry[k];
        }
        if (!ok)
        {
            return false;
        }
        int32_t node = ofNodes ? spFindId(&reader->ids, number) : -1;
        if (node >= 0)
        {
            spPutMshEntry(reader->mesh, target, sp_meshVertices, node, node + 1, entry);
        }
        else if (!ofNodes)
        {
            spPutMshElementEntry(reader, target, number, entry);
        }
    }
    return spReadMshEnd(reader, ofNodes ? "$EndNodeData" : "$EndElementData", error);
}

// The number of a node or an element and its values, again and again. Returns false when the section was not
// read to its end; nothing of it is kept then but regions.
static bool spReadMshData(spMshReader* reader, spMshTarget* target, bool ofNodes, spError* error)
{
    spScanner* scanner = &reader->scanner;
    spMesh* mesh = reader->mesh;
    const spMshDataHead* head = &target->head;
    if (!spFinishIds(&reader->ids, error) || !spFinishIds(&reader->tetIds, error) ||
        !spFinishIds(&reader->polygonIds, error))
    {
        return false;
    }
    size_t entrySize = 4 + 8 * (size_t)head->components;
    if (reader->binary)
    {
        spStartBinary(reader);
    }
    if (head->count < 0 || (uint64_t)head->count > spBytesLeft(scanner) / (reader->binary ? entrySize : 4))
    {
        return spFailScan(scanner, error, "%lld values do not fit; the file is cut off",
                          (long long)head->count);
    }
    if (spReadMshEntries(reader, target, ofNodes, error))
    {
        return true;
    }
    for (int part = 0; part < sp_meshPartCount; ++part)
    {
        spMeshValues* values = target->arrays[part] >= 0 ? mesh->values + target->arrays[part] : NULL;
        for (int64_t i = 0; values != NULL && i < (int64_t)values->count * values->components; ++i)
        {
            values->data[i] = (double)NAN;
        }
    }
    return false;
}

// Data that is damaged, or that a mesh cannot hold, does not keep a mesh from being read
static bool spTryMshData(spMshReader* reader, bool ofNodes, spWord section, const spScanner* start,
                         spError* error)
{
    spScanner begin = reader->scanner;
    spMshTarget target = {.arrays = {-1, -1, -1}};
    if (spReadMshDataHead(reader, &target.head, NULL) && target.head.components >= 1 &&
        target.head.components <= 9 && target.head.name.length > 0 && reader->damagedCount < SP_MAX_DAMAGED)
    {
        if (spReadMshData(reader, &target, ofNodes, NULL))
        {
            return true;
        }
        reader->damagedCount += 1;
    }
    reader->scanner = begin;
    return spSkipMshSection(reader, section, start, error);
}

static bool spReadMshSections(spMshReader* reader, spError* error)
{
    spScanner* scanner = &reader->scanner;
    for (spSkipSpace(scanner); !spAtEnd(scanner); spSkipSpace(scanner))
    {
        spScanner start = *scanner;
        spWord name = spScanWord(scanner);
        bool ok;
        if (name.text[0] != '$')
        {
            char found[32];
            spQuoteWord(&start, found);
            return spFailScan(&start, error, "a section such as $Nodes must start here, found %s", found);
        }
        if (spWordIs(name, "$MeshFormat"))
        {
            ok = spReadMshFormat(reader, error);
        }
        else if (spWordIs(name, "$NOD") && reader->version < 2)
        {
            reader->version = 1;
            reader->mesh->formatName = "MSH 1 ascii";
            ok = spReadMshNodes(reader, error);
        }
        else if (spWordIs(name, "$ELM") && reader->version == 1)
        {
            ok = spReadMshElements(reader, error);
        }
        else if (spWordIs(name, "$Nodes") && reader->version == 2)
        {
            ok = spReadMshNodes(reader, error);
        }
        else if (spWordIs(name, "$Elements") && reader->version == 2)
        {
            ok = spReadMshElements(reader, error);
        }
        else if (spWordIs(name, "$Entities") && reader->version == 4)
        {
            ok = spReadMsh4Entities(reader, error);
        }
        else if (spWordIs(name, "$Nodes") && reader->version == 4)
        {
            ok = spReadMsh4Nodes(reader, error);
        }
        else if (spWordIs(name, "$Elements") && reader->version == 4)
        {
            ok = spReadMsh4Elements(reader, error);
        }
        else if ((spWordIs(name, "$ElementData") || spWordIs(name, "$NodeData")) && reader->version >= 2)
        {
            ok = spTryMshData(reader, spWordIs(name, "$NodeData"), name, &start, error);
        }
        else if (spWordIs(name, "$Nodes") || spWordIs(name, "$Elements"))
        {
            return spFailScan(&start, error, "$MeshFormat must come before %.*s", (int)name.length,
                              name.text);
        }
        else
        {
            ok = spSkipMshSection(reader, name, &start, error);
        }
        if (!ok)
        {
            return false;
        }
    }
    return true;
}

bool spReadMsh(const char* data, size_t size, spMesh* mesh, spError* error)
{
    spMshReader reader = {.scanner = spMakeScanner(data, size), .mesh = mesh};
    reader.ids = spMakeIdTable(&mesh->heap, "node");
    reader.tetIds = spMakeIdTable(&mesh->heap, "element");
    reader.polygonIds = spMakeIdTable(&mesh->heap, "element");
    mesh->formatName = "MSH";
    bool ok = spReadMshSections(&reader, error);
    spFreeIdTable(&reader.ids);
    spFreeIdTable(&reader.tetIds);
    spFreeIdTable(&reader.polygonIds);
    ok = spDropMiddleNodes(mesh, &reader.middle, ok, error);
    spFree(&mesh->heap, reader.firstTriangles);
    spFree(&mesh->heap, reader.entities);
    return ok;
}
