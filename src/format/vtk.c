// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// VTK's older file (.vtk), version 1 to 5, text or binary (which is always big-endian): unstructured grids
// and polygons. A cell array named "region" gives the regions of tets; scalars, vectors, tensors and fields
// become values of the mesh; what else there is, is passed over.

#include "format/bytes.h"
#include "format/grid.h"

#include <math.h>
#include <string.h>

typedef struct spVtkReader
{
    spScanner scanner;
    spGrid grid;
    bool binary;
    bool polygons; // of a POLYDATA
    bool havePoints, haveCells, haveTypes;
    int64_t cellCount;
    int inData;       // 0 not yet, 1 data of points, 2 of cells
    int64_t dataSize; // entries that such data has
} spVtkReader;

static bool spIsWord(spWord word, const char* text)
{
    size_t i = 0;
    while (i < word.length && text[i] != 0 && (word.text[i] | 0x20) == (text[i] | 0x20))
    {
        ++i;
    }
    return i == word.length && text[i] == 0;
}

static spNumberType spFindVtkType(spWord name)
{
    static const struct
    {
        const char* name;
        spNumberType type;
    } types[] = {
        {"float", sp_numberFloat},
        {"double", sp_numberDouble},
        {"int", sp_numberInt32},
        {"vtkIdType", sp_numberInt32},
        {"long", sp_numberInt64},
        {"vtktypeint64", sp_numberInt64},
        {"unsigned_int", sp_numberUint32},
        {"unsigned_long", sp_numberUint64},
        {"vtktypeuint64", sp_numberUint64},
        {"short", sp_numberInt16},
        {"unsigned_short", sp_numberUint16},
        {"char", sp_numberInt8},
        {"signed_char", sp_numberInt8},
        {"unsigned_char", sp_numberUint8},
    };
    for (int i = 0; i < SP_COUNT(types); ++i)
    {
        if (spIsWord(name, types[i].name))
        {
            return types[i].type;
        }
    }
    return sp_numberTypeCount;
}

// A word of this line, which must be there
static bool spNeedWord(spVtkReader* reader, const char* what, spWord* word, spError* error)
{
    spSkipBlanks(&reader->scanner);
    *word = spScanWord(&reader->scanner);
    return word->length > 0 || spFailScan(&reader->scanner, error, "%s is missing here", what);
}

static bool spNeedType(spVtkReader* reader, spNumberType* type, spError* error)
{
    spWord word;
    spScanner before = reader->scanner;
    if (!spNeedWord(reader, "the type of the numbers", &word, error))
    {
        return false;
    }
    *type = spFindVtkType(word);
    return *type != sp_numberTypeCount || spFailScan(&before, error, "numbers of type '%.*s' are not known",
                                                     (int)(word.length < 40 ? word.length : 40), word.text);
}

static bool spNeedCount(spVtkReader* reader, const char* what, int64_t* count, spError* error)
{
    return spNeedInteger(&reader->scanner, what, 0, (int64_t)1 << 40, count, error);
}

// `count` numbers follow, from the next line on
typedef struct spNumberRun
{
    spVtkReader* reader;
    spByteCursor bytes;
    spNumberType type;
} spNumberRun;

static bool spStartRun(spVtkReader* reader, spNumberRun* run, spNumberType type, int64_t count,
                       spError* error)
{
    *run = (spNumberRun){.reader = reader, .type = type};
    spScanner* scanner = &reader->scanner;
    size_t left = (size_t)(scanner->end - scanner->at);
    size_t size = reader->binary ? spGetNumberSize(type) : 2;
    if ((uint64_t)count > left / size + 1)
    {
        return spFailScan(scanner, error,
                          "%lld numbers are announced, but only %zu bytes follow; the file is "
                          "cut off",
                          (long long)count, left);
    }
    if (!reader->binary)
    {
        return true;
    }
    spSkipLine(scanner);
    run->bytes = (spByteCursor){(const uint8_t*)scanner->at, (const uint8_t*)scanner->end, true};
    if (!spHasBytes(&run->bytes, (uint64_t)count, size))
    {
        return spFailScan(scanner, error, "binary data is cut off");
    }
    scanner->at += (size_t)count * size;
    return true;
}

static bool spNextReal(spNumberRun* run, const char* what, double* value, spError* error)
{
    if (run->reader->binary)
    {
        *value = spTakeReal(&run->bytes, run->type);
        return true;
    }
    return spNeedReal(&run->reader->scanner, what, value, error);
}

static bool spNextWhole(spNumberRun* run, const char* what, int64_t upper, int64_t* value, spError* error)
{
    if (!run->reader->binary)
    {
        return spNeedInteger(&run->reader->scanner, what, 0, upper, value, error);
    }
    *value = spTakeWhole(&run->bytes, run->type);
    return (*value >= 0 && *value <= upper) ||
           spFailScan(&run->reader->scanner, error, "%s is %lld, it must be between 0 and %lld", what,
                      (long long)*value, (long long)upper);
}

static bool spReadPoints(spVtkReader* reader, spError* error)
{
    int64_t count;
    spNumberType type;
    spNumberRun run;
    if (reader->havePoints)
    {
        return spFailScan(&reader->scanner, error, "there is a second list of points");
    }
    reader->havePoints = true;
    if (!spNeedCount(reader, "the number of points", &count, error) || !spNeedType(reader, &type, error) ||
        !spStartRun(reader, &run, type, 3 * count, error))
    {
        return false;
    }
    spMesh* mesh = reader->grid.mesh;
    spStartGrid(&reader->grid, count);
    if (!spReserveVertices(mesh, count, error))
    {
        return false;
    }
    for (int64_t i = 0; i < count; ++i)
    {
        double xyz[3] = {0};
        for (int k = 0; k < 3; ++k)
        {
            if (!spNextReal(&run, "a coordinate of a point", xyz + k, error))
            {
                return false;
            }
            if (!isfinite(xyz[k]))
            {
                return spFailScan(&reader->scanner, error, "point %lld is not finite", (long long)i);
            }
        }
        if (!spAddVertex(mesh, (spDVec3){xyz[0], xyz[1], xyz[2]}, error))
        {
            return false;
        }
    }
    return true;
}

// The type that all cells of a section of a POLYDATA have; 0 for other sections
static int spFindSectionType(spWord word)
{
    return spIsWord(word, "VERTICES")          ? 2
           : spIsWord(word, "LINES")           ? 4
           : spIsWord(word, "TRIANGLE_STRIPS") ? 6
           : spIsWord(word, "POLYGONS")        ? 7
                                               : 0;
}

static bool spAddCellEnd(spVtkReader* reader, int type, spError* error)
{
    spGrid* grid = &reader->grid;
    if (!spReserveCells(grid, 1, error))
    {
        return false;
    }
    grid->ends[grid->endCount++] = grid->connectivityCount;
    if (type > 0)
    {
        grid->types[grid->typeCount++] = (uint8_t)type;
    }
    return true;
}

// Up to version 4: the number of points of each cell before its points
static bool spReadCountedCells(spVtkReader* reader, int64_t cells, int64_t size, int type, spError* error)
{
    spGrid* grid = &reader->grid;
    int64_t most = grid->pointCount > 0 ? grid->pointCount - 1 : 0;
    spNumberRun run;
    if (!spStartRun(reader, &run, sp_numberInt32, size, error) || !spReserveConnectivity(grid, size, error))
    {
        return false;
    }
    for (int64_t i = 0; i < cells; ++i)
    {
        int64_t count, point;
        if (size < 1 || !spNextWhole(&run, "the number of points of a cell", size - 1, &count, error))
        {
            return size >= 1 ? false : spFailScan(&reader->scanner, error, "the cells do not fit their size");
        }
        size -= 1 + count;
        for (int64_t k = 0; k < count; ++k)
        {
            if (!spNextWhole(&run, "a point of a cell", most, &point, error))
            {
                return false;
            }
            grid->connectivity[grid->connectivityCount++] = (int32_t)point;
        }
        if (!spAddCellEnd(reader, type, error))
        {
            return false;
        }
    }
    return size == 0 ||
           spFailScan(&reader->scanner, error, "the cells have %lld numbers fewer than their section says",
                      (long long)size);
}

// From version 5 on: where cells begin and end, then all points
static bool spReadOffsetCells(spVtkReader* reader, int64_t offsets, int64_t size, int type, spError* error)
{
    spGrid* grid = &reader->grid;
    int64_t most = grid->pointCount > 0 ? grid->pointCount - 1 : 0, value, first = grid->connectivityCount;
    spWord word;
    spNumberType number;
    spNumberRun run;
    spSkipSpace(&reader->scanner);
    if (!spNeedWord(reader, "OFFSETS", &word, error) || !spNeedType(reader, &number, error) ||
        !spStartRun(reader, &run, number, offsets, error))
    {
        return false;
    }
    for (int64_t i = 0; i < offsets; ++i)
    {
        if (!spNextWhole(&run, "an offset of a cell", size, &value, error) || !spReserveCells(grid, 1, error))
        {
            return false;
        }
        // The first one is where the first cell begins
        if (i > 0)
        {
            grid->ends[grid->endCount++] = (int32_t)(first + value);
            if (type > 0)
            {
                grid->types[grid->typeCount++] = (uint8_t)type;
            }
        }
    }
    spSkipSpace(&reader->scanner);
    if (!spNeedWord(reader, "CONNECTIVITY", &word, error) || !spNeedType(reader, &number, error) ||
        !spStartRun(reader, &run, number, size, error) || !spReserveConnectivity(grid, size, error))
    {
        return false;
    }
    for (int64_t i = 0; i < size; ++i)
    {
        if (!spNextWhole(&run, "a point of a cell", most, &value, error))
        {
            return false;
        }
        grid->connectivity[grid->connectivityCount++] = (int32_t)value;
    }
    return true;
}

static bool spReadVtkCells(spVtkReader* reader, int type, spError* error)
{
    int64_t cells, size;
    if (!reader->havePoints)
    {
        return spFailScan(&reader->scanner, error, "cells come before the points; put the points first");
    }
    if (!spNeedCount(reader, "the number of cells", &cells, error) ||
        !spNeedCount(reader, "the size of the cells", &size, error))
    {
        return false;
    }
    if (size > INT32_MAX)
    {
        return spFailScan(&reader->scanner, error, "the cells have more than %d numbers", INT32_MAX);
    }
    spScanner ahead = reader->scanner;
    spSkipSpace(&ahead);
    reader->haveCells = true;
    return spIsWord(spScanWord(&ahead), "OFFSETS") ? spReadOffsetCells(reader, cells, size, type, error)
                                                   : spReadCountedCells(reader, cells, size, type, error);
}

static bool spReadTypes(spVtkReader* reader, spError* error)
{
    int64_t count, value;
    spNumberRun run;
    if (!spNeedCount(reader, "the number of types", &count, error) ||
        !spStartRun(reader, &run, sp_numberInt32, count, error))
    {
        return false;
    }
    for (int64_t i = 0; i < count; ++i)
    {
        if (!spNextWhole(&run, "the type of a cell", 255, &value, error) ||
            !spReserveCells(&reader->grid, 1, error))
        {
            return false;
        }
        reader->grid.types[reader->grid.typeCount++] = (uint8_t)value;
    }
    return true;
}

// ---------------------------------------------------------------------------------------------------------
// Data of points and cells

// Reads `entries` times `components` numbers; kept when they belong to points or cells
static bool spReadData(spVtkReader* reader, spWord name, int64_t components, int64_t entries,
                       spNumberType type, spError* error)
{
    spNumberRun run;
    if (components < 0 || components > 1 << 20 || entries > ((int64_t)1 << 40) / (components + 1) ||
        !spStartRun(reader, &run, type, components * entries, error))
    {
        return components >= 0 && components <= 1 << 20
                   ? false
                   : spFailScan(&reader->scanner, error, "%lld components are too many",
                                (long long)components);
    }
    bool fits = reader->inData > 0 && entries == reader->dataSize;
    spGridValues* values =
        fits ? spAddGridValues(&reader->grid, name, (int)components, reader->inData == 2) : NULL;
    if (values == NULL && reader->binary)
    {
        return true;
    }
    for (int64_t i = 0; i < components * entries; ++i)
    {
        double value;
        if (!spNextReal(&run, "a value", &value, error) ||
            (values != NULL && !spPushGridValue(&reader->grid, values, value, error)))
        {
            return false;
        }
    }
    return true;
}

static bool spReadScalars(spVtkReader* reader, spError* error)
{
    spWord name, word;
    spNumberType type;
    int64_t components = 1;
    if (!spNeedWord(reader, "the name of the scalars", &name, error) || !spNeedType(reader, &type, error))
    {
        return false;
    }
    spSkipBlanks(&reader->scanner);
    if (!spAtLineEnd(&reader->scanner) &&
        !spNeedInteger(&reader->scanner, "the number of components", 1, 9, &components, error))
    {
        return false;
    }
    spScanner before = reader->scanner;
    spSkipSpace(&reader->scanner);
    word = spScanWord(&reader->scanner);
    if (spIsWord(word, "LOOKUP_TABLE"))
    {
        if (!spNeedWord(reader, "the name of the lookup table", &word, error))
        {
            return false;
        }
    }
    else
    {
        reader->scanner = before; // the line is said to be optional
    }
    return spReadData(reader, name, components, reader->dataSize, type, error);
}

static bool spReadNamed(spVtkReader* reader, int64_t components, bool hasCount, spError* error)
{
    spWord name;
    spNumberType type;
    return spNeedWord(reader, "the name of the data", &name, error) &&
           (!hasCount ||
            spNeedInteger(&reader->scanner, "the number of components", 1, 9, &components, error)) &&
           spNeedType(reader, &type, error) &&
           spReadData(reader, name, components, reader->dataSize, type, error);
}

static bool spReadField(spVtkReader* reader, spError* error)
{
    spWord name;
    int64_t arrays;
    if (!spNeedWord(reader, "the name of the field", &name, error) ||
        !spNeedInteger(&reader->scanner, "the number of arrays", 0, 10000, &arrays, error))
    {
        return false;
    }
    for (int64_t i = 0; i < arrays; ++i)
    {
        int64_t components, entries;
        spNumberType type;
        spSkipSpace(&reader->scanner);
        if (!spNeedWord(reader, "the name of an array", &name, error) ||
            !spNeedCount(reader, "the number of components", &components, error) ||
            !spNeedCount(reader, "the number of entries", &entries, error) ||
            !spNeedType(reader, &type, error) || !spReadData(reader, name, components, entries, type, error))
        {
            return false;
        }
    }
    return true;
}

static bool spReadColours(spVtkReader* reader, spError* error)
{
    spWord name;
    int64_t components;
    return spNeedWord(reader, "the name of the colours", &name, error) &&
           spNeedInteger(&reader->scanner, "the number of components", 1, 9, &components, error) &&
           spReadData(reader, name, components, reader->dataSize,
                      reader->binary ? sp_numberUint8 : sp_numberFloat, error);
}

static bool spSkipTable(spVtkReader* reader, spError* error)
{
    spWord name;
    int64_t count;
    spNumberType type = reader->binary ? sp_numberUint8 : sp_numberFloat;
    int inData = reader->inData;
    reader->inData = 0;
    bool ok = spNeedWord(reader, "the name of the table", &name, error) &&
              spNeedCount(reader, "the size of the table", &count, error) &&
              spReadData(reader, name, 4, count, type, error);
    reader->inData = inData;
    return ok;
}

// To the next empty line
static void spSkipMetadata(spVtkReader* reader)
{
    do
    {
        spSkipLine(&reader->scanner);
        spSkipBlanks(&reader->scanner);
    } while (!spAtEnd(&reader->scanner) && !spAtLineEnd(&reader->scanner));
}

static bool spStartData(spVtkReader* reader, int of, spError* error)
{
    int64_t expected = of == 1 ? reader->grid.pointCount : reader->grid.endCount;
    reader->inData = of;
    return spNeedCount(reader, "the number of entries", &reader->dataSize, error) &&
           (reader->dataSize == expected ||
            spFailScan(&reader->scanner, error, "data for %lld %s, but there are %lld",
                       (long long)reader->dataSize, of == 1 ? "points" : "cells", (long long)expected));
}

static bool spReadSection(spVtkReader* reader, spWord word, const spScanner* start, spError* error)
{
    int type = spFindSectionType(word);
    if (spIsWord(word, "POINTS"))
    {
        return spReadPoints(reader, error);
    }
    if (spIsWord(word, "CELLS") || (type > 0 && reader->polygons))
    {
        return spReadVtkCells(reader, type, error);
    }
    if (spIsWord(word, "CELL_TYPES"))
    {
        return spReadTypes(reader, error);
    }
    if (spIsWord(word, "POINT_DATA") || spIsWord(word, "CELL_DATA"))
    {
        return spStartData(reader, spIsWord(word, "POINT_DATA") ? 1 : 2, error);
    }
    if (spIsWord(word, "FIELD"))
    {
        return spReadField(reader, error);
    }
    if (spIsWord(word, "METADATA"))
    {
        spSkipMetadata(reader);
        return true;
    }
    if (reader->inData > 0 && spIsWord(word, "SCALARS"))
    {
        return spReadScalars(reader, error);
    }
    if (reader->inData > 0 && (spIsWord(word, "VECTORS") || spIsWord(word, "NORMALS")))
    {
        return spReadNamed(reader, 3, false, error);
    }
    if (reader->inData > 0 && spIsWord(word, "TENSORS"))
    {
        return spReadNamed(reader, 9, false, error);
    }
    if (reader->inData > 0 && spIsWord(word, "TEXTURE_COORDINATES"))
    {
        return spReadNamed(reader, 0, true, error);
    }
    if (reader->inData > 0 && spIsWord(word, "COLOR_SCALARS"))
    {
        return spReadColours(reader, error);
    }
    if (spIsWord(word, "LOOKUP_TABLE"))
    {
        return spSkipTable(reader, error);
    }
    return spFailScan(start, error, "the section '%.*s' is not known",
                      (int)(word.length < 40 ? word.length : 40), word.text);
}

// Version, title, sort of numbers, sort of data
static bool spReadVtkHead(spVtkReader* reader, spError* error)
{
    spScanner* scanner = &reader->scanner;
    spSkipLine(scanner);
    spSkipLine(scanner);
    spSkipSpace(scanner);
    spScanner before = *scanner;
    spWord word = spScanWord(scanner);
    reader->binary = spIsWord(word, "BINARY");
    if (!reader->binary && !spIsWord(word, "ASCII"))
    {
        return spFailScan(&before, error, "the third line of a VTK file is ASCII or BINARY");
    }
    reader->grid.mesh->formatName = reader->binary ? "VTK binary" : "VTK ascii";
    spSkipSpace(scanner);
    before = *scanner;
    word = spScanWord(scanner);
    spSkipBlanks(scanner);
    spWord sort = spScanWord(scanner);
    reader->polygons = spIsWord(sort, "POLYDATA");
    if (!spIsWord(word, "DATASET") || (!reader->polygons && !spIsWord(sort, "UNSTRUCTURED_GRID")))
    {
        return spFailAt(error, sp_errorUnsupported, before.line, 0,
                        "a VTK file of '%.*s' is not supported; save it as UNSTRUCTURED_GRID or POLYDATA",
                        (int)(sort.length < 40 ? sort.length : 40), sort.text);
    }
    return true;
}

bool spReadVtk(const char* data, size_t size, spMesh* mesh, spError* error)
{
    mesh->formatName = "VTK";
    spVtkReader reader = {.scanner = spMakeScanner(data, size), .grid = {.mesh = mesh}};
    bool ok = spReadVtkHead(&reader, error);
    for (spSkipSpace(&reader.scanner); ok && !spAtEnd(&reader.scanner); spSkipSpace(&reader.scanner))
    {
        spScanner start = reader.scanner;
        ok = spReadSection(&reader, spScanWord(&reader.scanner), &start, error);
    }
    return spEndGrids(&reader.grid, ok && spFinishGrid(&reader.grid, 0, error), error);
}
