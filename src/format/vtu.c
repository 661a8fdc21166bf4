// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// VTK's XML file for unstructured grids (.vtu), ascii data. Only the tags that are needed are looked at, one
// after the other; nesting is followed no further than "which piece, which part", so depth costs nothing. A
// cell array named "region" gives the regions of tets, another one with one component their values. Written:
// the same subset.

#include "format/format.h"

#include "mesh/mesh_math.h"

#include <limits.h>
#include <string.h>

typedef struct spTag
{
    spWord name;
    spWord attributes;
    spScanner place;
    bool closing; // </name>
    bool empty;   // <name/>
} spTag;

typedef struct spIntArray
{
    int32_t* data;
    int count, capacity;
    bool present;
} spIntArray;

typedef struct spRealArray
{
    double* data;
    int count, capacity;
    bool present;
} spRealArray;

typedef enum spVtuPart
{
    sp_vtuElsewhere,
    sp_vtuPoints,
    sp_vtuCells,
    sp_vtuCellData,
} spVtuPart;

typedef struct spVtuReader
{
    spScanner scanner;
    spMesh* mesh;
    spVtuPart part;
    bool inPiece;
    bool havePoints;
    int64_t pointCount, cellCount; // of the piece, as it claims
    int firstVertex;               // of the piece
    spIntArray connectivity, offsets, types, regions;
    spRealArray values;
    spWord valueName;
    uint8_t* middle; // marks middle nodes
    int middleCount, middleCapacity;
} spVtuReader;

// Over a comment, an instruction or a declaration; the scanner is at its '<'
static bool spSkipMarkup(spScanner* scanner, spError* error)
{
    spScanner start = *scanner;
    size_t left = (size_t)(scanner->end - scanner->at);
    bool isComment = left >= 4 && memcmp(scanner->at, "<!--", 4) == 0;
    const char* end = isComment ? "-->" : (left >= 2 && scanner->at[1] == '?' ? "?>" : ">");
    scanner->at += isComment ? 4 : 2;
    return spSkipPast(scanner, end) ||
           spFailScan(&start, error, "what starts here is not closed by %s; the file is cut off", end);
}

static bool spIsMarkup(const spScanner* scanner)
{
    return scanner->end - scanner->at >= 2 && scanner->at[0] == '<' &&
           (scanner->at[1] == '!' || scanner->at[1] == '?');
}

// A line end inside a tag must still be counted
static void spStep(spScanner* scanner)
{
    if (spAtLineEnd(scanner))
    {
        spSkipLine(scanner);
    }
    else
    {
        ++scanner->at;
    }
}

static bool spEndsName(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '>' || c == '/' || c == '=';
}

// The next tag; text before it is passed over. At the end of the file *found is false.
static bool spNextTag(spScanner* scanner, spTag* tag, bool* found, spError* error)
{
    *found = false;
    for (;;)
    {
        while (!spAtEnd(scanner) && *scanner->at != '<')
        {
            spStep(scanner);
        }
        if (spAtEnd(scanner))
        {
            return true;
        }
        if (!spIsMarkup(scanner))
        {
            break;
        }
        if (!spSkipMarkup(scanner, error))
        {
            return false;
        }
    }
    *tag = (spTag){.place = *scanner};
    ++scanner->at;
    if (!spAtEnd(scanner) && *scanner->at == '/')
    {
        tag->closing = true;
        ++scanner->at;
    }
    tag->name.text = scanner->at;
    while (!spAtEnd(scanner) && !spEndsName(*scanner->at))
    {
        ++scanner->at;
    }
    tag->name.length = (size_t)(scanner->at - tag->name.text);
    tag->attributes.text = scanner->at;
    char quote = 0;
    for (; !spAtEnd(scanner) && (quote != 0 || *scanner->at != '>'); spStep(scanner))
    {
        char c = *scanner->at;
        if (quote != 0)
        {
            quote = c == quote ? 0 : quote;
        }
        else if (c == '"' || c == '\'')
        {
            quote = c;
        }
    }
    if (spAtEnd(scanner))
    {
        return spFailScan(&tag->place, error, "this tag is not closed; the file is cut off");
    }
    tag->attributes.length = (size_t)(scanner->at - tag->attributes.text);
    tag->empty = tag->attributes.length > 0 && scanner->at[-1] == '/';
    ++scanner->at;
    *found = true;
    return true;
}

// The value of an attribute. Returns false, with *value as it was, when the tag has none of that name.
static bool spFindAttribute(const spTag* tag, const char* name, spWord* value)
{
    const char* at = tag->attributes.text;
    const char* end = at + tag->attributes.length;
    while (at < end)
    {
        while (at < end && spEndsName(*at))
        {
            ++at;
        }
        spWord key = {at, 0};
        while (at < end && !spEndsName(*at))
        {
            ++at;
        }
        key.length = (size_t)(at - key.text);
        while (at < end && *at != '"' && *at != '\'')
        {
            ++at;
        }
        if (at == end)
        {
            return false;
        }
        char quote = *at++;
        const char* text = at;
        while (at < end && *at != quote)
        {
            ++at;
        }
        if (spWordIs(key, name))
        {
            *value = (spWord){text, (size_t)(at - text)};
            return true;
        }
        at += at < end;
    }
    return false;
}

static bool spNeedCount(const spTag* tag, const char* name, int64_t* count, spError* error)
{
    spWord value;
    if (!spFindAttribute(tag, name, &value))
    {
        return spFailScan(&tag->place, error, "this piece needs the attribute %s", name);
    }
    spScanner scanner = spMakeScanner(value.text, value.length);
    spSkipSpace(&scanner);
    if (!spScanInteger(&scanner, count) || *count < 0 || *count > SP_MESH_LIMIT)
    {
        return spFailScan(&tag->place, error, "%s must be a whole number between 0 and %d", name,
                          SP_MESH_LIMIT);
    }
    return true;
}

// To the next number of a data array. Returns false at its end.
static bool spNextDatum(spScanner* scanner, bool* more, spError* error)
{
    for (;;)
    {
        spSkipSpace(scanner);
        if (!spIsMarkup(scanner))
        {
            break;
        }
        if (!spSkipMarkup(scanner, error))
        {
            return false;
        }
    }
    if (spAtEnd(scanner))
    {
        return spFailScan(scanner, error, "a data array is not closed; the file is cut off");
    }
    *more = *scanner->at != '<';
    return true;
}

static bool spReadPoints(spVtuReader* reader, const spTag* tag, spError* error)
{
    if (reader->havePoints)
    {
        return spFailScan(&tag->place, error, "this piece has a second array of points");
    }
    reader->havePoints = true;
    spWord components;
    if (spFindAttribute(tag, "NumberOfComponents", &components) && !spWordIs(components, "3"))
    {
        return spFailScan(&tag->place, error, "points need three components, this array has %.*s",
                          (int)(components.length < 20 ? components.length : 20), components.text);
    }
    int64_t count = 0;
    for (bool more = !tag->empty; more; ++count)
    {
        if (!spNextDatum(&reader->scanner, &more, error))
        {
            return false;
        }
        if (!more)
        {
            break;
        }
        spDVec3 p;
        if (!spNeedPoint(&reader->scanner, "a coordinate of a point", &p, error) ||
            !spAddVertex(reader->mesh, p, error))
        {
            return false;
        }
    }
    if (count != reader->pointCount)
    {
        return spFailScan(&tag->place, error, "this piece says that it has %lld points, but %lld are there",
                          (long long)reader->pointCount, (long long)count);
    }
    return true;
}

static bool spPushInt(spVtuReader* reader, spIntArray* array, int32_t value, spError* error)
{
    if (array->count == INT_MAX)
    {
        return spFailScan(&reader->scanner, error, "an array has more than %d entries", INT_MAX);
    }
    void* data = array->data;
    bool ok = spReserve(&reader->mesh->heap, &data, array->count, &array->capacity, array->count + 1,
                        sizeof(int32_t));
    array->data = data;
    if (!ok)
    {
        return spFailMemory(error, "the cells of a file", (size_t)array->count * sizeof(int32_t));
    }
    array->data[array->count++] = value;
    return true;
}

// Whole numbers within limits. Regions may be written with a point: they are rounded.
static bool spReadInts(spVtuReader* reader, const spTag* tag, spIntArray* array, const char* what,
                       int64_t lower, int64_t upper, spError* error)
{
    if (array->present)
    {
        return spFailScan(&tag->place, error, "this piece has a second array of %s", what);
    }
    array->present = true;
    bool round = array == &reader->regions;
    for (bool more = !tag->empty; more;)
    {
        if (!spNextDatum(&reader->scanner, &more, error))
        {
            return false;
        }
        if (!more)
        {
            break;
        }
        int64_t value;
        if (round)
        {
            double real;
            if (!spNeedReal(&reader->scanner, what, &real, error))
            {
                return false;
            }
            if (!(real >= (double)lower && real <= (double)upper))
            {
                return spFailScan(&reader->scanner, error, "%s: %g does not fit a region number", what, real);
            }
            value = (int64_t)floor(real + 0.5);
            value = value > upper ? upper : value;
        }
        else if (!spNeedInteger(&reader->scanner, what, lower, upper, &value, error))
        {
            return false;
        }
        if (!spPushInt(reader, array, (int32_t)value, error))
        {
            return false;
        }
    }
    return true;
}

// Numbers that the mesh may keep. Those that were not asked for by name are left out when they are no good.
static bool spReadValues(spVtuReader* reader, const spTag* tag, spWord name, spError* error)
{
    spRealArray* array = &reader->values;
    spScanner start = reader->scanner;
    array->count = 0;
    array->present = true;
    reader->valueName = name;
    for (bool more = !tag->empty; more;)
    {
        double value = 0.0;
        spError* told = reader->mesh->wantedName != NULL ? error : NULL;
        bool ok = spNextDatum(&reader->scanner, &more, told);
        if (ok && !more)
        {
            break;
        }
        if (!ok || !spNeedReal(&reader->scanner, "a value of a cell", &value, told))
        {
            reader->scanner = start;
            array->present = false;
            return reader->mesh->wantedName == NULL;
        }
        if (!spReserve(&reader->mesh->heap, (void**)&array->data, array->count, &array->capacity,
                       array->count + 1, sizeof(double)))
        {
            return spFailMemory(error, "the values of a file", (size_t)array->count * sizeof(double));
        }
        array->data[array->count++] = value;
    }
    return true;
}

static bool spIsRegionName(spWord name)
{
    return spWordIs(name, "region") || spWordIs(name, "Region") || spWordIs(name, "REGION");
}

static bool spReadDataArray(spVtuReader* reader, const spTag* tag, spError* error)
{
    spWord name = {"", 0}, format = {"ascii", 5};
    spFindAttribute(tag, "Name", &name);
    spFindAttribute(tag, "format", &format);
    bool isCells = reader->part == sp_vtuCells;
    bool isRegion = reader->part == sp_vtuCellData && spIsRegionName(name);
    spWord components = {"1", 1};
    spFindAttribute(tag, "NumberOfComponents", &components);
    if (reader->part == sp_vtuCellData && !isRegion && !reader->values.present && spWordIs(components, "1") &&
        spWordIs(format, "ascii") && spWantsValues(reader->mesh, name))
    {
        return spReadValues(reader, tag, name, error);
    }
    bool wanted =
        reader->part == sp_vtuPoints || isRegion ||
        (isCells && (spWordIs(name, "connectivity") || spWordIs(name, "offsets") || spWordIs(name, "types")));
    if (!wanted)
    {
        return true;
    }
    if (!spWordIs(format, "ascii"))
    {
        return spFailAt(error, sp_errorUnsupported, tag->place.line, 0,
                        "data in the format '%.*s' is not supported; write the file as ascii (in ParaView: "
                        "data mode Ascii)",
                        (int)(format.length < 40 ? format.length : 40), format.text);
    }
    if (reader->part == sp_vtuPoints)
    {
        return spReadPoints(reader, tag, error);
    }
    if (isRegion)
    {
        return spReadInts(reader, tag, &reader->regions, "a region", INT32_MIN, INT32_MAX, error);
    }
    if (spWordIs(name, "connectivity"))
    {
        if (reader->pointCount == 0)
        {
            return spReadInts(reader, tag, &reader->connectivity, "a vertex of a cell", 0, 0, error);
        }
        return spReadInts(reader, tag, &reader->connectivity, "a vertex of a cell", 0, reader->pointCount - 1,
                          error);
    }
    if (spWordIs(name, "offsets"))
    {
        return spReadInts(reader, tag, &reader->offsets, "an offset of a cell", 0, INT32_MAX, error);
    }
    return spReadInts(reader, tag, &reader->types, "the type of a cell", 0, 255, error);
}

typedef struct spVtkType
{
    uint8_t kind;        // spCellKind
    uint8_t nodeCount;   // 0: any number
    uint8_t cornerCount; // 0: all
} spVtkType;

// clang-format off
static const spVtkType vtkTypes[] = {
    [1] = {sp_cellPoint, 1, 1},    [2] = {sp_cellPoint, 0, 0},    [3] = {sp_cellLine, 2, 2},
    [4] = {sp_cellLine, 0, 0},     [5] = {sp_cellPolygon, 3, 3},  [6] = {sp_cellStrip, 0, 0},
    [7] = {sp_cellPolygon, 0, 0},  [8] = {sp_cellPixel, 4, 4},    [9] = {sp_cellPolygon, 4, 4},
    [10] = {sp_cellTet, 4, 4},
    // second order: edge, triangle, quad, tet, full quad, full triangle
    [21] = {sp_cellLine, 3, 2},    [22] = {sp_cellPolygon, 6, 3}, [23] = {sp_cellPolygon, 8, 4},
    [24] = {sp_cellTet, 10, 4},    [28] = {sp_cellPolygon, 9, 4}, [34] = {sp_cellPolygon, 7, 3},
    // any order, Lagrange and Bezier: curve, triangle, quad, tet
    [68] = {sp_cellLine, 0, 2},    [69] = {sp_cellPolygon, 0, 3}, [70] = {sp_cellPolygon, 0, 4},
    [71] = {sp_cellTet, 0, 4},
    [75] = {sp_cellLine, 0, 2},    [76] = {sp_cellPolygon, 0, 3}, [77] = {sp_cellPolygon, 0, 4},
    [78] = {sp_cellTet, 0, 4},
};
// clang-format on

// Marks for every vertex there is so far
static bool spGrowMiddle(spVtuReader* reader, spError* error)
{
    int count = reader->mesh->vertexCount;
    if (reader->middleCount == count)
    {
        return true;
    }
    void* data = reader->middle;
    bool ok = spReserve(&reader->mesh->heap, &data, reader->middleCount, &reader->middleCapacity, count, 1);
    reader->middle = data;
    if (!ok)
    {
        return spFailMemory(error, "the middle nodes of a file", (size_t)count);
    }
    memset(reader->middle + reader->middleCount, 0, (size_t)(count - reader->middleCount));
    reader->middleCount = count;
    return true;
}

static bool spMarkMiddle(spVtuReader* reader, const int32_t* nodes, int begin, int end, spError* error)
{
    if (begin < end && !spGrowMiddle(reader, error))
    {
        return false;
    }
    for (int i = begin; i < end; ++i)
    {
        reader->middle[nodes[i]] = 1;
    }
    return true;
}

// The value of the tet that was added last
static bool spKeepValue(spVtuReader* reader, int cell, spCellKind kind, spError* error)
{
    spMesh* mesh = reader->mesh;
    if (kind != sp_cellTet || !reader->values.present)
    {
        return true;
    }
    if (mesh->tetValues == NULL &&
        !spStartTetValues(mesh, reader->valueName.text, reader->valueName.length, error))
    {
        return false;
    }
    mesh->tetValues[mesh->tetCount - 1] = reader->values.data[cell];
    return true;
}

static bool spAddVtuCell(spVtuReader* reader, int cell, int begin, int end, const spTag* tag, spError* error)
{
    int typeNumber = reader->types.data[cell];
    spVtkType type = typeNumber < SP_COUNT(vtkTypes) ? vtkTypes[typeNumber] : (spVtkType){0};
    int count = end - begin;
    if (type.kind != sp_cellUnknown &&
        ((type.nodeCount > 0 && count != type.nodeCount) || count < type.cornerCount))
    {
        return spFailScan(&tag->place, error, "cell %d of this piece has type %d but %d vertices", cell,
                          typeNumber, count);
    }
    const int32_t* nodes = reader->connectivity.data + begin;
    int corners = type.cornerCount > 0 ? type.cornerCount : count;
    int32_t region = reader->regions.present ? reader->regions.data[cell] : 0;
    return (type.kind == sp_cellUnknown || spMarkMiddle(reader, nodes, corners, count, error)) &&
           spAddCell(reader->mesh, (spCellKind)type.kind, nodes, corners, region, error) &&
           spKeepValue(reader, cell, (spCellKind)type.kind, error);
}

// Puts the arrays of a piece together
static bool spFinishPiece(spVtuReader* reader, const spTag* tag, spError* error)
{
    if (!reader->havePoints && reader->pointCount > 0)
    {
        return spFailScan(&tag->place, error, "this piece has no points");
    }
    if (reader->offsets.count != reader->cellCount || reader->types.count != reader->cellCount)
    {
        return spFailScan(&tag->place, error,
                          "this piece says that it has %lld cells, but there are %d offsets and %d types",
                          (long long)reader->cellCount, reader->offsets.count, reader->types.count);
    }
    if (reader->regions.present && reader->regions.count != reader->cellCount)
    {
        return spFailScan(&tag->place, error, "this piece has %lld cells, but %d regions",
                          (long long)reader->cellCount, reader->regions.count);
    }
    if (reader->values.present && reader->values.count != reader->cellCount)
    {
        if (reader->mesh->wantedName != NULL)
        {
            return spFailScan(&tag->place, error, "this piece has %lld cells, but %d values",
                              (long long)reader->cellCount, reader->values.count);
        }
        reader->values.present = false;
    }
    if (reader->connectivity.count > 0 && reader->pointCount == 0)
    {
        return spFailScan(&tag->place, error, "this piece has cells but no points");
    }
    for (int i = 0; i < reader->connectivity.count; ++i)
    {
        reader->connectivity.data[i] += reader->firstVertex;
    }
    int begin = 0;
    for (int i = 0; i < reader->offsets.count; ++i)
    {
        int end = reader->offsets.data[i];
        if (end < begin || end > reader->connectivity.count)
        {
            return spFailScan(&tag->place, error,
                              "offset %d of cell %d must be between %d (the one before) and %d (the number "
                              "of vertices listed)",
                              end, i, begin, reader->connectivity.count);
        }
        if (!spAddVtuCell(reader, i, begin, end, tag, error))
        {
            return false;
        }
        begin = end;
    }
    return true;
}

static void spStartArray(spIntArray* array)
{
    array->count = 0;
    array->present = false;
}

static bool spReadVtuTag(spVtuReader* reader, const spTag* tag, bool* done, spError* error)
{
    if (spWordIs(tag->name, "VTKFile") && !tag->closing)
    {
        spWord type = {"", 0};
        if (!spFindAttribute(tag, "type", &type) || !spWordIs(type, "UnstructuredGrid"))
        {
            return spFailAt(error, sp_errorUnsupported, tag->place.line, 0,
                            "a VTK file of type '%.*s' is not supported; save it as UnstructuredGrid (.vtu)",
                            (int)(type.length < 40 ? type.length : 40), type.text);
        }
    }
    else if (spWordIs(tag->name, "Piece"))
    {
        if (!tag->closing)
        {
            if (reader->inPiece)
            {
                return spFailScan(&tag->place, error, "a piece starts inside another one");
            }
            reader->havePoints = false;
            reader->firstVertex = reader->mesh->vertexCount;
            spStartArray(&reader->connectivity);
            spStartArray(&reader->offsets);
            spStartArray(&reader->types);
            spStartArray(&reader->regions);
            reader->values.count = 0;
            reader->values.present = false;
            if (!spNeedCount(tag, "NumberOfPoints", &reader->pointCount, error) ||
                !spNeedCount(tag, "NumberOfCells", &reader->cellCount, error))
            {
                return false;
            }
        }
        else if (!reader->inPiece)
        {
            return spFailScan(&tag->place, error, "a piece ends that did not start");
        }
        reader->inPiece = !tag->closing && !tag->empty;
        reader->part = sp_vtuElsewhere;
        return reader->inPiece || spFinishPiece(reader, tag, error);
    }
    else if (spWordIs(tag->name, "Points"))
    {
        reader->part = tag->closing || tag->empty ? sp_vtuElsewhere : sp_vtuPoints;
    }
    else if (spWordIs(tag->name, "Cells"))
    {
        reader->part = tag->closing || tag->empty ? sp_vtuElsewhere : sp_vtuCells;
    }
    else if (spWordIs(tag->name, "CellData"))
    {
        reader->part = tag->closing || tag->empty ? sp_vtuElsewhere : sp_vtuCellData;
    }
    else if (spWordIs(tag->name, "DataArray") && !tag->closing && reader->inPiece)
    {
        return spReadDataArray(reader, tag, error);
    }
    else if (spWordIs(tag->name, "AppendedData"))
    {
        // Not XML from here on, and nothing that is needed
        *done = true;
    }
    return true;
}

static bool spReadVtuTags(spVtuReader* reader, spError* error)
{
    bool haveFile = false, done = false;
    while (!done)
    {
        spTag tag;
        bool found;
        if (!spNextTag(&reader->scanner, &tag, &found, error))
        {
            return false;
        }
        if (!found)
        {
            return spFailScan(&reader->scanner, error, "</VTKFile> is missing; the file is cut off");
        }
        bool isFile = spWordIs(tag.name, "VTKFile");
        if (!haveFile && !isFile)
        {
            return spFailScan(&tag.place, error, "a VTU file starts with <VTKFile ...>");
        }
        haveFile = true;
        if (!spReadVtuTag(reader, &tag, &done, error))
        {
            return false;
        }
        done |= isFile && (tag.closing || tag.empty);
    }
    if (reader->inPiece)
    {
        return spFailScan(&reader->scanner, error, "</Piece> is missing; the file is cut off");
    }
    return true;
}

bool spReadVtu(const char* data, size_t size, spMesh* mesh, spError* error)
{
    mesh->formatName = "VTU ascii";
    spVtuReader reader = {.scanner = spMakeScanner(data, size), .mesh = mesh};
    bool ok = spReadVtuTags(&reader, error);
    spHeap* heap = &mesh->heap;
    spIntArray* arrays[4] = {&reader.connectivity, &reader.offsets, &reader.types, &reader.regions};
    for (int i = 0; i < 4; ++i)
    {
        spFree(heap, arrays[i]->data, (size_t)arrays[i]->capacity * sizeof(int32_t));
    }
    spFree(heap, reader.values.data, (size_t)reader.values.capacity * sizeof(double));
    if (ok && reader.middleCount > 0)
    {
        // Pieces that came later have no middle nodes
        ok = spGrowMiddle(&reader, error) && spDropMiddleNodes(mesh, reader.middle, error);
    }
    spFree(heap, reader.middle, (size_t)reader.middleCapacity);
    return ok;
}

// Writes one cell array: `count` cells of a type with tupleSize vertices each
static void spPutRows(spOutput* output, const int32_t* indices, int tupleSize, int count)
{
    for (int i = 0; i < count; ++i)
    {
        for (int j = 0; j < tupleSize; ++j)
        {
            spPutText(output, j == 0 ? "" : " ");
            spPutInteger(output, indices[(int64_t)i * tupleSize + j]);
        }
        spPutText(output, "\n");
    }
}

static void spPutArray(spOutput* output, const char* type, const char* name)
{
    spPutFormat(output, "<DataArray type=\"%s\" Name=", type);
    spPutName(output, name);
    spPutText(output, " format=\"ascii\">\n");
}

bool spWriteVtu(const spMesh* mesh, spOutput* output, spError* error)
{
    SP_UNUSED(error);
    int64_t cellCount = (int64_t)mesh->edgeCount + mesh->triangleCount + mesh->tetCount;
    const int counts[3] = {mesh->edgeCount, mesh->triangleCount, mesh->tetCount};
    const char* const types[3] = {"3\n", "5\n", "10\n"};
    spPutText(output, "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"0.1\" "
                      "byte_order=\"LittleEndian\">\n<UnstructuredGrid>\n");
    spPutFormat(output, "<Piece NumberOfPoints=\"%d\" NumberOfCells=\"%lld\">\n<Points>\n", mesh->vertexCount,
                (long long)cellCount);
    spPutText(output, "<DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\">\n");
    for (int i = 0; i < mesh->vertexCount; ++i)
    {
        spPutReal(output, mesh->vertices[i].x);
        spPutText(output, " ");
        spPutReal(output, mesh->vertices[i].y);
        spPutText(output, " ");
        spPutReal(output, mesh->vertices[i].z);
        spPutText(output, "\n");
    }
    spPutText(output, "</DataArray>\n</Points>\n<Cells>\n");
    spPutArray(output, "Int64", "connectivity");
    spPutRows(output, mesh->edges, 2, mesh->edgeCount);
    spPutRows(output, mesh->triangles, 3, mesh->triangleCount);
    spPutRows(output, mesh->tets, 4, mesh->tetCount);
    spPutText(output, "</DataArray>\n");
    spPutArray(output, "Int64", "offsets");
    int64_t offset = 0;
    for (int sort = 0; sort < 3; ++sort)
    {
        for (int i = 0; i < counts[sort]; ++i)
        {
            offset += 2 + sort;
            spPutInteger(output, offset);
            spPutText(output, "\n");
        }
    }
    spPutText(output, "</DataArray>\n");
    spPutArray(output, "UInt8", "types");
    for (int sort = 0; sort < 3; ++sort)
    {
        for (int i = 0; i < counts[sort]; ++i)
        {
            spPutText(output, types[sort]);
        }
    }
    spPutText(output, "</DataArray>\n</Cells>\n");
    if (mesh->tetCount > 0)
    {
        spPutText(output, "<CellData Scalars=\"region\">\n");
        spPutArray(output, "Int32", "region");
        for (int64_t i = 0; i < cellCount; ++i)
        {
            int64_t tet = i - mesh->edgeCount - mesh->triangleCount;
            spPutInteger(output, tet >= 0 ? mesh->tetRegions[tet] : 0);
            spPutText(output, "\n");
        }
        spPutText(output, "</DataArray>\n");
        if (mesh->tetValues != NULL)
        {
            spPutArray(output, "Float64", mesh->valueName);
            for (int64_t i = 0; i < cellCount; ++i)
            {
                int64_t tet = i - mesh->edgeCount - mesh->triangleCount;
                spPutReal(output, tet >= 0 ? mesh->tetValues[tet] : 0.0);
                spPutText(output, "\n");
            }
            spPutText(output, "</DataArray>\n");
        }
        spPutText(output, "</CellData>\n");
    }
    spPutText(output, "</Piece>\n</UnstructuredGrid>\n</VTKFile>\n");
    return true;
}
