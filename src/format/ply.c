// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// PLY, text and binary in both byte orders. Elements "vertex", "face", "edge", "tristrips" and "tetra" become
// parts of the mesh, others are passed over; further properties of vertices and faces become values. Written:
// text and binary (little-endian).

#include "format/bytes.h"
#include "format/format.h"

#include <math.h>
#include <string.h>

#define SP_MAX_PROPERTIES 256

// Most entries of one list
#define SP_MAX_LIST 4096

typedef struct spPlyProperty
{
    spWord name;
    spNumberType type;
    spNumberType countType; // of a list; sp_numberTypeCount when it is one number
} spPlyProperty;

typedef struct spPlyElement
{
    spWord name;
    int64_t count;
    int propertyCount;
    spPlyProperty properties[SP_MAX_PROPERTIES];
} spPlyElement;

typedef struct spPlyReader
{
    spScanner scanner; // text, and the header
    spByteCursor bytes;
    bool binary;
    spMesh* mesh;
    int32_t list[SP_MAX_LIST];
    int listCount;
} spPlyReader;

static spNumberType spFindPlyType(spWord word)
{
    static const char* const names[2][sp_numberTypeCount] = {
        {"char", "uchar", "short", "ushort", "int", "uint", "int64", "uint64", "float", "double"},
        {"int8", "uint8", "int16", "uint16", "int32", "uint32", "long", "ulong", "float32", "float64"},
    };
    for (int i = 0; i < sp_numberTypeCount; ++i)
    {
        if (spWordIs(word, names[0][i]) || spWordIs(word, names[1][i]))
        {
            return (spNumberType)i;
        }
    }
    return sp_numberTypeCount;
}

static spWord spScanNext(spScanner* scanner)
{
    spSkipBlanks(scanner);
    return spScanWord(scanner);
}

static bool spReadProperty(spPlyReader* reader, spPlyElement* element, const spScanner* start, spError* error)
{
    spScanner* scanner = &reader->scanner;
    spPlyProperty property = {.countType = sp_numberTypeCount};
    spWord word = spScanNext(scanner);
    if (spWordIs(word, "list"))
    {
        property.countType = spFindPlyType(spScanNext(scanner));
        word = spScanNext(scanner);
        if (property.countType > sp_numberUint64)
        {
            return spFailScan(start, error, "the count of a list needs a type of whole numbers");
        }
    }
    property.type = spFindPlyType(word);
    property.name = spScanNext(scanner);
    if (property.type == sp_numberTypeCount || property.name.length == 0)
    {
        return spFailScan(start, error, "a property needs a type of numbers that is known, and a name");
    }
    if (element->propertyCount == SP_MAX_PROPERTIES)
    {
        return spFailScan(start, error, "an element has more than %d properties", SP_MAX_PROPERTIES);
    }
    element->properties[element->propertyCount++] = property;
    return true;
}

// Reads the header from the next element on: its properties. *found is false at the end of the header. `next`
// is where the header goes on.
static bool spReadElementHead(spPlyReader* reader, spPlyElement* element, bool* found, spError* error)
{
    spScanner* scanner = &reader->scanner;
    *found = false;
    for (;; spSkipLine(scanner))
    {
        spSkipSpace(scanner);
        spScanner start = *scanner;
        spWord word = spScanWord(scanner);
        if (word.length == 0)
        {
            return spFailScan(&start, error, "end_header is missing; the file is cut off");
        }
        bool end = spWordIs(word, "end_header"), isElement = spWordIs(word, "element");
        if ((end || isElement) && *found)
        {
            *scanner = start;
            return true;
        }
        if (end)
        {
            *scanner = start;
            return true;
        }
        if (isElement)
        {
            element->name = spScanNext(scanner);
            element->propertyCount = 0;
            *found = true;
            if (element->name.length == 0 || !spNeedInteger(scanner, "the number of elements", 0,
                                                            (int64_t)1 << 40, &element->count, error))
            {
                return element->name.length > 0 || spFailScan(&start, error, "an element needs a name");
            }
        }
        else if (spWordIs(word, "property") && *found && !spReadProperty(reader, element, &start, error))
        {
            return false;
        }
    }
}

// ---------------------------------------------------------------------------------------------------------
// Data

static bool spNextNumber(spPlyReader* reader, spNumberType type, double* value, spError* error)
{
    if (!reader->binary)
    {
        return spNeedReal(&reader->scanner, "a number of an element", value, error);
    }
    if (!spHasBytes(&reader->bytes, 1, spGetNumberSize(type)))
    {
        return spFail(error, sp_errorFileFormat, "the file ends inside its elements; it is cut off");
    }
    *value = spTakeReal(&reader->bytes, type);
    return true;
}

// A list: of vertices into reader->list, others are passed over. One that is too long is left out.
static bool spNextList(spPlyReader* reader, const spPlyProperty* property, bool keep, spError* error)
{
    double count = 0.0, value = 0.0;
    if (!spNextNumber(reader, property->countType, &count, error))
    {
        return false;
    }
    if (!(count >= 0.0 && count <= 1e12))
    {
        return spFail(error, sp_errorFileFormat, "a list has %g entries", count);
    }
    int kept = keep && count <= SP_MAX_LIST ? (int)count : 0;
    reader->listCount = keep ? kept : reader->listCount;
    for (int64_t i = 0; i < (int64_t)count; ++i)
    {
        if (!spNextNumber(reader, property->type, &value, error))
        {
            return false;
        }
        if (i < kept)
        {
            reader->list[i] = value >= -1.0 && value < 2147483647.0 ? (int32_t)value : -2;
        }
    }
    return true;
}

static bool spCheckList(spPlyReader* reader, spWord name, int64_t index, int least, spError* error)
{
    for (int i = 0; i < reader->listCount; ++i)
    {
        if (reader->list[i] < least || reader->list[i] >= reader->mesh->vertexCount)
        {
            return spFail(error, sp_errorFileFormat,
                          "%.*s %lld uses vertex %d, but vertices are numbered from 0 to %d",
                          (int)(name.length < 40 ? name.length : 40), name.text, (long long)index,
                          reader->list[i], reader->mesh->vertexCount - 1);
        }
    }
    return true;
}

typedef enum spPlySort
{
    sp_plyOther,
    sp_plyVertex,
    sp_plyFace,
    sp_plyStrip,
    sp_plyEdge,
    sp_plyTet,
} spPlySort;

static spPlySort spFindSort(spWord name)
{
    return spWordIs(name, "vertex")                                                     ? sp_plyVertex
           : spWordIs(name, "face")                                                     ? sp_plyFace
           : spWordIs(name, "tristrips")                                                ? sp_plyStrip
           : spWordIs(name, "edge")                                                     ? sp_plyEdge
           : spWordIs(name, "tetra") || spWordIs(name, "tet") || spWordIs(name, "cell") ? sp_plyTet
                                                                                        : sp_plyOther;
}

// Strips of one list are parted by -1
static bool spAddStrips(spPlyReader* reader, spError* error)
{
    int begin = 0;
    for (int i = 0; i <= reader->listCount; ++i)
    {
        if (i == reader->listCount || reader->list[i] < 0)
        {
            if (i - begin >= 3 &&
                !spAddCell(reader->mesh, sp_cellStrip, reader->list + begin, i - begin, 0, error))
            {
                return false;
            }
            begin = i + 1;
        }
    }
    return true;
}

// Where the numbers of a property go
typedef enum spPlyRole
{
    sp_plySkip,
    sp_plyX,
    sp_plyY,
    sp_plyZ,
    sp_plyCorners,
    sp_plyFirst,
    sp_plySecond,
    sp_plyValue,
} spPlyRole;

static spPlyRole spFindRole(spPlySort sort, const spPlyProperty* property)
{
    bool list = property->countType != sp_numberTypeCount;
    spWord name = property->name;
    if (list)
    {
        bool corners = spWordIs(name, "vertex_indices") || spWordIs(name, "vertex_index") ||
                       (sort == sp_plyTet && spWordIs(name, "indices"));
        return corners ? sp_plyCorners : sp_plySkip;
    }
    if (sort == sp_plyVertex && name.length == 1 && name.text[0] >= 'x' && name.text[0] <= 'z')
    {
        return (spPlyRole)(sp_plyX + (name.text[0] - 'x'));
    }
    if (sort == sp_plyEdge)
    {
        return spWordIs(name, "vertex1")   ? sp_plyFirst
               : spWordIs(name, "vertex2") ? sp_plySecond
                                           : sp_plySkip;
    }
    return sort == sp_plyVertex || sort == sp_plyFace || sort == sp_plyTet ? sp_plyValue : sp_plySkip;
}

// One vertex, face, strip, edge or tet from what was read of it
static bool spAddPlyElement(spPlyReader* reader, spPlySort sort, spWord name, int64_t index,
                            const double* place, spError* error)
{
    spMesh* mesh = reader->mesh;
    switch (sort)
    {
        case sp_plyVertex:
            if (!isfinite(place[0]) || !isfinite(place[1]) || !isfinite(place[2]))
            {
                return spFail(error, sp_errorFileFormat, "vertex %lld is not finite", (long long)index);
            }
            return spAddVertex(mesh, (spDVec3){place[0], place[1], place[2]}, error);
        case sp_plyFace:
            return spCheckList(reader, name, index, 0, error) &&
                   (reader->listCount < 3 ||
                    spAddCell(mesh, sp_cellPolygon, reader->list, reader->listCount, 0, error));
        case sp_plyStrip:
            return spCheckList(reader, name, index, -1, error) && spAddStrips(reader, error);
        case sp_plyTet:
            return spCheckList(reader, name, index, 0, error) &&
                   spAddCell(mesh, reader->listCount == 4 ? sp_cellTet : sp_cellUnknown, reader->list, 4, 0,
                             error);
        case sp_plyEdge:
            reader->list[0] = place[0] >= 0.0 && place[0] < 2147483647.0 ? (int32_t)place[0] : -2;
            reader->list[1] = place[1] >= 0.0 && place[1] < 2147483647.0 ? (int32_t)place[1] : -2;
            reader->listCount = 2;
            return spCheckList(reader, name, index, 0, error) &&
                   spAddEdge(mesh, reader->list[0], reader->list[1], error);
        default:
            return true;
    }
}

static spMeshPart spFindPart(spPlySort sort)
{
    return sort == sp_plyVertex ? sp_meshVertices : sort == sp_plyTet ? sp_meshTets : sp_meshTriangles;
}

// The values of an element go to everything that it became; without room for them they are left out
static void spKeepPlyValues(spPlyReader* reader, spMeshPart part, const spPlyElement* element,
                            const spPlyRole* roles, const double* numbers, int first)
{
    spMesh* mesh = reader->mesh;
    int end = spGetPartCount(mesh, part);
    for (int i = 0; i < element->propertyCount && first < end; ++i)
    {
        if (roles[i] != sp_plyValue)
        {
            continue;
        }
        spWord name = element->properties[i].name;
        spMeshValues* values = spStartValues(mesh, part, name.text, name.length, 1);
        for (int k = first; values != NULL && k < end; ++k)
        {
            values->data[k] = numbers[i];
        }
    }
}

static bool spReadPlyElements(spPlyReader* reader, const spPlyElement* element, spError* error)
{
    spPlySort sort = spFindSort(element->name);
    spMeshPart part = spFindPart(sort);
    spPlyRole roles[SP_MAX_PROPERTIES];
    double numbers[SP_MAX_PROPERTIES] = {0};
    bool keeps = false;
    for (int i = 0; i < element->propertyCount; ++i)
    {
        roles[i] = spFindRole(sort, element->properties + i);
        keeps |= roles[i] == sp_plyValue;
    }
    for (int64_t n = 0; element->propertyCount > 0 && n < element->count; ++n)
    {
        double place[3] = {0};
        reader->listCount = 0;
        int first = spGetPartCount(reader->mesh, part);
        for (int i = 0; i < element->propertyCount; ++i)
        {
            const spPlyProperty* property = element->properties + i;
            bool list = property->countType != sp_numberTypeCount;
            if (list ? !spNextList(reader, property, roles[i] == sp_plyCorners, error)
                     : !spNextNumber(reader, property->type, numbers + i, error))
            {
                return false;
            }
            if (roles[i] >= sp_plyX && roles[i] <= sp_plyZ)
            {
                place[roles[i] - sp_plyX] = numbers[i];
            }
            else if (roles[i] == sp_plyFirst || roles[i] == sp_plySecond)
            {
                place[roles[i] - sp_plyFirst] = numbers[i];
            }
        }
        if (!spAddPlyElement(reader, sort, element->name, n, place, error))
        {
            return false;
        }
        if (keeps)
        {
            spKeepPlyValues(reader, part, element, roles, numbers, first);
        }
    }
    return true;
}

// The line "format": what the data is written in
static bool spReadPlyFormat(spPlyReader* reader, spError* error)
{
    spScanner scanner = reader->scanner;
    for (spSkipLine(&scanner); !spAtEnd(&scanner); spSkipLine(&scanner))
    {
        spWord word = spScanNext(&scanner);
        if (spWordIs(word, "comment") || spWordIs(word, "obj_info") || word.length == 0)
        {
            continue;
        }
        spWord form = spScanNext(&scanner);
        bool text = spWordIs(form, "ascii"), little = spWordIs(form, "binary_little_endian");
        if (!spWordIs(word, "format") || (!text && !little && !spWordIs(form, "binary_big_endian")))
        {
            break;
        }
        spSkipLine(&scanner);
        reader->scanner = scanner;
        reader->binary = !text;
        reader->bytes.swapped = !text && !little;
        reader->mesh->formatName = text ? "PLY ascii" : (little ? "PLY binary" : "PLY binary, big-endian");
        return true;
    }
    return spFailScan(&scanner, error,
                      "a PLY file says its format after \"ply\": ascii, binary_little_endian or "
                      "binary_big_endian");
}

bool spReadPly(const char* data, size_t size, spMesh* mesh, spError* error)
{
    mesh->formatName = "PLY";
    spPlyReader reader = {.scanner = spMakeScanner(data, size), .mesh = mesh};
    spWord mark = spScanWord(&reader.scanner);
    if (!spWordIs(mark, "ply"))
    {
        return spFailScan(&reader.scanner, error, "a PLY file starts with \"ply\"");
    }
    if (!spReadPlyFormat(&reader, error))
    {
        return false;
    }
    // Data begins behind the header, which is gone through again element by element
    spScanner header = reader.scanner;
    spScanner body = reader.scanner;
    if (!spSkipPast(&body, "end_header"))
    {
        return spFailScan(&header, error, "end_header is missing; the file is cut off");
    }
    spSkipLine(&body);
    reader.bytes.at = (const uint8_t*)body.at;
    reader.bytes.end = (const uint8_t*)body.end;
    for (;;)
    {
        spPlyElement element;
        bool found;
        reader.scanner = header;
        if (!spReadElementHead(&reader, &element, &found, error))
        {
            return false;
        }
        header = reader.scanner;
        if (!found)
        {
            return true;
        }
        reader.scanner = body;
        size_t left = reader.binary ? spCountBytes(&reader.bytes) : (size_t)(body.end - body.at);
        if (element.propertyCount > 0 && (uint64_t)element.count > left)
        {
            return spFail(error, sp_errorFileFormat,
                          "%lld elements do not fit into %zu bytes; the file is cut off",
                          (long long)element.count, left);
        }
        if (!spReadPlyElements(&reader, &element, error))
        {
            return false;
        }
        body = reader.scanner;
    }
}

// ---------------------------------------------------------------------------------------------------------
// Writing

static bool spWritePlyFile(const spMesh* mesh, spOutput* output, bool binary, spError* error)
{
    spIndexList surface;
    if (!spGetSurfaceOut(mesh, &surface, error))
    {
        return false;
    }
    spPutFormat(output, "ply\nformat %s 1.0\ncomment mesh written by souple\nelement vertex %d\n",
                binary ? "binary_little_endian" : "ascii", mesh->vertexCount);
    spPutText(output, "property double x\nproperty double y\nproperty double z\n");
    spPutFormat(output, "element face %d\nproperty list uchar int vertex_indices\n", surface.count);
    if (mesh->edgeCount > 0)
    {
        spPutFormat(output, "element edge %d\nproperty int vertex1\nproperty int vertex2\n", mesh->edgeCount);
    }
    spPutText(output, "end_header\n");
    for (int i = 0; i < mesh->vertexCount; ++i)
    {
        if (binary)
        {
            spPutBytes(output, mesh->vertices + i, sizeof(spDVec3));
        }
        else
        {
            spPutPoint(output, mesh->vertices[i]);
        }
    }
    for (int i = 0; i < surface.count; ++i)
    {
        if (binary)
        {
            const uint8_t three = 3;
            spPutBytes(output, &three, 1);
            spPutBytes(output, surface.data + 3 * i, 3 * sizeof(int32_t));
        }
        else
        {
            spPutText(output, "3 ");
            spPutIndices(output, surface.data + 3 * i, 3, 0, "\n");
        }
    }
    for (int i = 0; i < mesh->edgeCount; ++i)
    {
        if (binary)
        {
            spPutBytes(output, mesh->edges + 2 * i, 2 * sizeof(int32_t));
        }
        else
        {
            spPutIndices(output, mesh->edges + 2 * i, 2, 0, "\n");
        }
    }
    spFreeIndexList(&surface);
    return true;
}

bool spWritePly(const spMesh* mesh, spOutput* output, spError* error)
{
    return spWritePlyFile(mesh, output, true, error);
}

bool spWritePlyText(const spMesh* mesh, spOutput* output, spError* error)
{
    return spWritePlyFile(mesh, output, false, error);
}
