// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// VTK's XML file for unstructured grids (.vtu): data as text, as base64 in its array, or appended at the end,
// raw or as base64; compressed by zlib or not; in either byte order. Only the tags that are needed are looked
// at, one after the other; nesting is followed no further than "which piece, which part", so depth costs
// nothing. A cell array named "region" gives the regions of tets; all other arrays become values of the mesh.

#include "format/grid.h"
#include "format/packed.h"

#include "mesh/mesh_math.h"

#include <limits.h>
#include <math.h>
#include <string.h>

typedef struct spTag
{
    spWord name;
    spWord attributes;
    spScanner place;
    bool closing; // </name>
    bool empty;   // <name/>
} spTag;

typedef enum spVtuPart
{
    sp_vtuElsewhere,
    sp_vtuPoints,
    sp_vtuCells,
    sp_vtuPointData,
    sp_vtuCellData,
} spVtuPart;

typedef struct spVtuReader
{
    spScanner scanner;
    spGrid grid;
    spVtuPart part;
    bool inPiece;
    bool havePoints, haveConnectivity, haveOffsets, haveTypes;
    int64_t cellCount; // of the piece, as it claims
    spPacking packing; // of binary data, as the file says; base64 is that of appended data
    const char* appended;
    const char* end;   // of the file
    uint64_t unpacked; // bytes that came out of appended data so far
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

// Numbers of one data array, whatever they are written in
typedef struct spNumbers
{
    spScanner* scanner; // text; NULL for binary
    spByteCursor bytes;
    spNumberType type;
    uint8_t* data; // unpacked bytes, to be freed
    size_t size;
} spNumbers;

static spNumberType spFindNumberType(const spTag* tag)
{
    static const char* const names[sp_numberTypeCount] = {"Int8",   "UInt8", "Int16",  "UInt16",  "Int32",
                                                          "UInt32", "Int64", "UInt64", "Float32", "Float64"};
    spWord name = {"", 0};
    spFindAttribute(tag, "type", &name);
    int type = 0;
    while (type < sp_numberTypeCount && !spWordIs(name, names[type]))
    {
        ++type;
    }
    return (spNumberType)type;
}

static void spNamePlace(const spTag* tag, spError* error)
{
    if (error != NULL && error->line == 0)
    {
        error->line = tag->place.line;
    }
}

static bool spOpenNumbers(spVtuReader* reader, const spTag* tag, spNumbers* numbers, spError* error)
{
    *numbers = (spNumbers){.type = spFindNumberType(tag)};
    spWord format = {"ascii", 5}, offset = {"", 0};
    spFindAttribute(tag, "format", &format);
    bool appended = spWordIs(format, "appended");
    if (spWordIs(format, "ascii"))
    {
        numbers->scanner = &reader->scanner;
        return true;
    }
    if (reader->part == sp_vtuPoints)
    {
        reader->grid.mesh->formatName = reader->packing.compressed
                                            ? (appended ? "VTU appended, zlib" : "VTU zlib")
                                            : (appended ? "VTU appended" : "VTU binary");
    }
    if (!appended && !spWordIs(format, "binary"))
    {
        return spFailAt(error, sp_errorUnsupported, tag->place.line, 0,
                        "data in the format '%.*s' is not known; there are ascii, binary and appended",
                        (int)(format.length < 40 ? format.length : 40), format.text);
    }
    if (numbers->type == sp_numberTypeCount)
    {
        return spFailScan(&tag->place, error, "this array has no type of numbers that is known");
    }
    spPacking packing = reader->packing;
    const char *begin = reader->scanner.at, *end = reader->scanner.end;
    if (appended)
    {
        int64_t at = -1;
        spFindAttribute(tag, "offset", &offset);
        spScanner scanner = spMakeScanner(offset.text, offset.length);
        spSkipSpace(&scanner);
        if (reader->appended == NULL || !spScanInteger(&scanner, &at) || at < 0 ||
            at >= reader->end - reader->appended)
        {
            return spFailScan(
                &tag->place, error,
                "this array says that its data is appended, but it is not there; the file is cut "
                "off");
        }
        begin = reader->appended + at;
        end = reader->end;
        // Any number of arrays may name the same place: a small file would be a huge mesh
        uint64_t there = (uint64_t)(reader->end - reader->appended);
        if (reader->unpacked > there * (packing.compressed ? SP_MOST_EXPANSION : 4))
        {
            return spFailScan(&tag->place, error,
                              "the arrays before this one use more appended data than there is; each must "
                              "have its own");
        }
    }
    else
    {
        const char* close = tag->empty ? begin : memchr(begin, '<', (size_t)(end - begin));
        end = close != NULL ? close : end;
        packing.base64 = true;
    }
    bool ok = begin == end ||
              spUnpack(&reader->grid.mesh->heap, begin, end, &packing, &numbers->data, &numbers->size, error);
    if (!ok)
    {
        spNamePlace(tag, error);
        return false;
    }
    reader->unpacked += appended ? numbers->size : 0;
    numbers->bytes.swapped = packing.swapped;
    if (numbers->size > 0)
    {
        numbers->bytes.at = numbers->data;
        numbers->bytes.end = numbers->data + numbers->size;
    }
    reader->scanner.at = appended ? reader->scanner.at : end;
    return true;
}

static void spCloseNumbers(spVtuReader* reader, spNumbers* numbers)
{
    spFree(&reader->grid.mesh->heap, numbers->data);
}

// The next number; *more is false at the end
static bool spNextReal(spNumbers* numbers, const spTag* tag, const char* what, bool* more, double* value,
                       spError* error)
{
    if (numbers->scanner == NULL)
    {
        *more = spHasBytes(&numbers->bytes, 1, spGetNumberSize(numbers->type));
        *value = *more ? spTakeReal(&numbers->bytes, numbers->type) : 0.0;
        return true;
    }
    *more = !tag->empty;
    return !*more || (spNextDatum(numbers->scanner, more, error) &&
                      (!*more || spNeedReal(numbers->scanner, what, value, error)));
}

static bool spNextWhole(spNumbers* numbers, const spTag* tag, const char* what, int64_t upper, bool* more,
                        int64_t* value, spError* error)
{
    if (numbers->scanner == NULL)
    {
        *more = spHasBytes(&numbers->bytes, 1, spGetNumberSize(numbers->type));
        *value = *more ? spTakeWhole(&numbers->bytes, numbers->type) : 0;
        return (*value >= 0 && *value <= upper) ||
               spFailScan(&tag->place, error, "%s is %lld, it must be between 0 and %lld", what,
                          (long long)*value, (long long)upper);
    }
    *more = !tag->empty;
    return !*more || (spNextDatum(numbers->scanner, more, error) &&
                      (!*more || spNeedInteger(numbers->scanner, what, 0, upper, value, error)));
}

static bool spReadPoints(spVtuReader* reader, const spTag* tag, spNumbers* numbers, spError* error)
{
    spGrid* grid = &reader->grid;
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
    double xyz[3];
    for (bool more = true; more; count += more)
    {
        if (!spNextReal(numbers, tag, "a coordinate of a point", &more, xyz + count % 3, error))
        {
            return false;
        }
        if (more && !isfinite(xyz[count % 3]))
        {
            return spFailScan(&tag->place, error, "point %lld is not finite", (long long)(count / 3));
        }
        if (more && count % 3 == 2 && !spAddVertex(grid->mesh, (spDVec3){xyz[0], xyz[1], xyz[2]}, error))
        {
            return false;
        }
    }
    if (count != 3 * grid->pointCount)
    {
        return spFailScan(&tag->place, error, "this piece says that it has %lld points, but %lld are there",
                          (long long)grid->pointCount, (long long)(count / 3));
    }
    return true;
}

static bool spClaimArray(const spTag* tag, bool* have, const char* what, spError* error)
{
    if (*have)
    {
        return spFailScan(&tag->place, error, "this piece has a second array of %s", what);
    }
    *have = true;
    return true;
}

static bool spReadConnectivity(spVtuReader* reader, const spTag* tag, spNumbers* numbers, spError* error)
{
    spGrid* grid = &reader->grid;
    int64_t most = grid->pointCount > 0 ? grid->pointCount - 1 : 0, value = 0;
    for (bool more = true; more;)
    {
        if (!spNextWhole(numbers, tag, "a vertex of a cell", most, &more, &value, error) ||
            !spReserveConnectivity(grid, 1, error))
        {
            return false;
        }
        grid->connectivity[grid->connectivityCount] = (int32_t)value;
        grid->connectivityCount += more;
    }
    return true;
}

static bool spReadCells(spVtuReader* reader, const spTag* tag, spNumbers* numbers, bool types, spError* error)
{
    spGrid* grid = &reader->grid;
    int64_t value = 0;
    const char* what = types ? "the type of a cell" : "an offset of a cell";
    for (bool more = true; more;)
    {
        if (!spNextWhole(numbers, tag, what, types ? 255 : INT32_MAX, &more, &value, error) ||
            !spReserveCells(grid, 1, error))
        {
            return false;
        }
        if (types)
        {
            grid->types[grid->typeCount] = (uint8_t)value;
            grid->typeCount += more;
        }
        else
        {
            grid->ends[grid->endCount] = (int32_t)value;
            grid->endCount += more;
        }
    }
    return true;
}

// Numbers that the mesh may keep. What is wrong with them does not keep the mesh from being read.
static bool spReadValues(spVtuReader* reader, const spTag* tag, spWord name, spError* error)
{
    spWord text = {"1", 1};
    int64_t components = 0;
    spFindAttribute(tag, "NumberOfComponents", &text);
    spScanner scanner = spMakeScanner(text.text, text.length);
    spSkipSpace(&scanner);
    spScanner start = reader->scanner;
    spNumbers numbers;
    if (!spScanInteger(&scanner, &components) || components < 1 || components > 9 ||
        !spOpenNumbers(reader, tag, &numbers, NULL))
    {
        reader->scanner = start;
        return true;
    }
    spGridValues* values =
        spAddGridValues(&reader->grid, name, (int)components, reader->part == sp_vtuCellData);
    bool good = values != NULL, ok = true;
    double value = 0.0;
    for (bool more = good; more && ok;)
    {
        good = spNextReal(&numbers, tag, "a value", &more, &value, NULL);
        more = more && good;
        ok = !more || spPushGridValue(&reader->grid, values, value, error);
    }
    if (!good)
    {
        // Nothing of it, and tags are looked for from its start again
        reader->scanner = start;
        if (values != NULL)
        {
            values->count = 0;
        }
    }
    spCloseNumbers(reader, &numbers);
    return ok;
}

static bool spReadDataArray(spVtuReader* reader, const spTag* tag, spError* error)
{
    spWord name = {"", 0};
    spFindAttribute(tag, "Name", &name);
    bool isCells = reader->part == sp_vtuCells;
    bool connectivity = isCells && spWordIs(name, "connectivity");
    bool offsets = isCells && spWordIs(name, "offsets"), types = isCells && spWordIs(name, "types");
    if (reader->part == sp_vtuPointData || reader->part == sp_vtuCellData)
    {
        return spReadValues(reader, tag, name, error);
    }
    if (reader->part != sp_vtuPoints && !connectivity && !offsets && !types)
    {
        return true;
    }
    if ((connectivity && !spClaimArray(tag, &reader->haveConnectivity, "vertices of cells", error)) ||
        (offsets && !spClaimArray(tag, &reader->haveOffsets, "offsets of cells", error)) ||
        (types && !spClaimArray(tag, &reader->haveTypes, "types of cells", error)))
    {
        return false;
    }
    spNumbers numbers;
    if (!spOpenNumbers(reader, tag, &numbers, error))
    {
        return false;
    }
    bool ok = connectivity       ? spReadConnectivity(reader, tag, &numbers, error)
              : offsets || types ? spReadCells(reader, tag, &numbers, types, error)
                                 : spReadPoints(reader, tag, &numbers, error);
    spCloseNumbers(reader, &numbers);
    return ok;
}

// Puts the arrays of a piece together
static bool spFinishPiece(spVtuReader* reader, const spTag* tag, spError* error)
{
    spGrid* grid = &reader->grid;
    if (!reader->havePoints && grid->pointCount > 0)
    {
        return spFailScan(&tag->place, error, "this piece has no points");
    }
    if (grid->endCount != reader->cellCount || grid->typeCount != reader->cellCount)
    {
        return spFailScan(&tag->place, error,
                          "this piece says that it has %lld cells, but there are %d offsets and %d types",
                          (long long)reader->cellCount, grid->endCount, grid->typeCount);
    }
    if (grid->connectivityCount > 0 && grid->pointCount == 0)
    {
        return spFailScan(&tag->place, error, "this piece has cells but no points");
    }
    return spFinishGrid(grid, tag->place.line, error);
}

static bool spStartPiece(spVtuReader* reader, const spTag* tag, spError* error)
{
    if (reader->inPiece)
    {
        return spFailScan(&tag->place, error, "a piece starts inside another one");
    }
    int64_t pointCount;
    if (!spNeedCount(tag, "NumberOfPoints", &pointCount, error) ||
        !spNeedCount(tag, "NumberOfCells", &reader->cellCount, error))
    {
        return false;
    }
    spStartGrid(&reader->grid, pointCount);
    reader->havePoints = false;
    reader->haveConnectivity = false;
    reader->haveOffsets = false;
    reader->haveTypes = false;
    return true;
}

// What the first tag says of binary data
static bool spReadFileTag(spVtuReader* reader, const spTag* tag, spError* error)
{
    spWord type = {"", 0}, order = {"", 0}, header = {"", 0}, compressor = {"", 0};
    if (!spFindAttribute(tag, "type", &type) || !spWordIs(type, "UnstructuredGrid"))
    {
        return spFailAt(error, sp_errorUnsupported, tag->place.line, 0,
                        "a VTK file of type '%.*s' is not supported; save it as UnstructuredGrid (.vtu)",
                        (int)(type.length < 40 ? type.length : 40), type.text);
    }
    spFindAttribute(tag, "byte_order", &order);
    spFindAttribute(tag, "header_type", &header);
    spFindAttribute(tag, "compressor", &compressor);
    if (compressor.length > 0 && !spWordIs(compressor, "vtkZLibDataCompressor"))
    {
        return spFailAt(error, sp_errorUnsupported, tag->place.line, 0,
                        "data compressed by %.*s is not supported; save the file with zlib or without "
                        "compression",
                        (int)(compressor.length < 60 ? compressor.length : 60), compressor.text);
    }
    reader->packing.swapped = spWordIs(order, "BigEndian");
    reader->packing.wideHeader = spWordIs(header, "UInt64");
    reader->packing.compressed = compressor.length > 0;
    return true;
}

// Finds appended data, which is not XML: tags are looked for before it only
static void spFindAppended(spVtuReader* reader)
{
    spScanner scanner = reader->scanner;
    if (!spSkipPast(&scanner, "<AppendedData"))
    {
        return;
    }
    spTag tag = {.attributes = {scanner.at, 0}};
    const char* close = memchr(scanner.at, '>', (size_t)(scanner.end - scanner.at));
    const char* mark = close != NULL ? memchr(close, '_', (size_t)(scanner.end - close)) : NULL;
    if (mark == NULL)
    {
        return;
    }
    tag.attributes.length = (size_t)(close - scanner.at);
    spWord encoding = {"", 0};
    spFindAttribute(&tag, "encoding", &encoding);
    reader->packing.base64 = !spWordIs(encoding, "raw");
    reader->appended = mark + 1;
    reader->scanner.end = scanner.at - strlen("<AppendedData");
}

static spVtuPart spFindPart(const spTag* tag)
{
    return spWordIs(tag->name, "Points")      ? sp_vtuPoints
           : spWordIs(tag->name, "Cells")     ? sp_vtuCells
           : spWordIs(tag->name, "PointData") ? sp_vtuPointData
           : spWordIs(tag->name, "CellData")  ? sp_vtuCellData
                                              : sp_vtuElsewhere;
}

static bool spReadVtuTag(spVtuReader* reader, const spTag* tag, spError* error)
{
    spVtuPart part = spFindPart(tag);
    if (spWordIs(tag->name, "VTKFile") && !tag->closing)
    {
        return spReadFileTag(reader, tag, error);
    }
    if (spWordIs(tag->name, "Piece"))
    {
        if (tag->closing && !reader->inPiece)
        {
            return spFailScan(&tag->place, error, "a piece ends that did not start");
        }
        if (!tag->closing && !spStartPiece(reader, tag, error))
        {
            return false;
        }
        reader->inPiece = !tag->closing && !tag->empty;
        reader->part = sp_vtuElsewhere;
        return reader->inPiece || spFinishPiece(reader, tag, error);
    }
    if (part != sp_vtuElsewhere)
    {
        reader->part = tag->closing || tag->empty ? sp_vtuElsewhere : part;
    }
    else if (spWordIs(tag->name, "DataArray") && !tag->closing && reader->inPiece)
    {
        return spReadDataArray(reader, tag, error);
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
            done = reader->appended != NULL && haveFile;
            if (!done)
            {
                return spFailScan(&reader->scanner, error, "</VTKFile> is missing; the file is cut off");
            }
            continue;
        }
        bool isFile = spWordIs(tag.name, "VTKFile");
        if (!haveFile && !isFile)
        {
            return spFailScan(&tag.place, error, "a VTU file starts with <VTKFile ...>");
        }
        haveFile = true;
        if (!spReadVtuTag(reader, &tag, error))
        {
            return false;
        }
        done = isFile && (tag.closing || tag.empty);
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
    spVtuReader reader = {.scanner = spMakeScanner(data, size), .grid = {.mesh = mesh}, .end = data + size};
    spFindAppended(&reader);
    return spEndGrids(&reader.grid, spReadVtuTags(&reader, error), error);
}
