// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Wavefront OBJ. Read: v, f (any number of corners, v, v/vt, v/vt/vn, v//vn, negative indices; with two it is
// an edge), l, g, o, usemtl; the rest is passed over. A backslash at the end of a line joins it to the next one.
//
// Groups become the value "region" of the triangles. What tells triangles apart counts: groups (g), where
// there are not two of them objects (o), else materials (usemtl). They are counted from 1 in the order in
// which they appear, unless their names say a number, as those do that we write (REGION_7).

#include "format/format.h"
#include "format/name_list.h"

#include "mesh/mesh_math.h"

// What triangles can be put into, in order of preference
enum
{
    sp_objGroup = 0,
    sp_objObject,
    sp_objMaterial,
    sp_objSortCount,
};

typedef struct spObjReader
{
    spScanner scanner;
    spMesh* mesh;
    spNameList names[sp_objSortCount]; // each holds from its place, a triangle, on
    int64_t largestIndex;              // of any f or l, from 1
    spScanner largestPlace;
} spObjReader;

// Blanks, and line ends behind a backslash
static void spSkipObjBlanks(spScanner* scanner)
{
    for (;;)
    {
        spSkipBlanks(scanner);
        if (spAtEnd(scanner) || *scanner->at != '\\')
        {
            return;
        }
        spScanner ahead = *scanner;
        ++ahead.at;
        spSkipBlanks(&ahead);
        if (spAtEnd(&ahead) || !spAtLineEnd(&ahead))
        {
            return;
        }
        spSkipLine(&ahead);
        *scanner = ahead;
    }
}

static bool spAtObjLineEnd(const spScanner* scanner)
{
    return spAtLineEnd(scanner) || *scanner->at == '#';
}

static bool spReadObjVertex(spObjReader* reader, spError* error)
{
    double xyz[3];
    for (int i = 0; i < 3; ++i)
    {
        spSkipObjBlanks(&reader->scanner);
        spScanner before = reader->scanner;
        if (!spScanReal(&reader->scanner, xyz + i))
        {
            char found[32];
            spQuoteWord(&before, found);
            return spFailScan(&before, error, "a vertex needs three coordinates, found %s", found);
        }
        if (!isfinite(xyz[i]))
        {
            return spFailScan(&before, error, "a coordinate of vertex %d is not finite (%g)",
                              reader->mesh->vertexCount + 1, xyz[i]);
        }
    }
    return spAddVertex(reader->mesh, (spDVec3){xyz[0], xyz[1], xyz[2]}, error);
}

// One corner: v, v/vt, v/vt/vn or v//vn. Gives the vertex, from 0.
static bool spReadObjCorner(spObjReader* reader, int32_t* vertex, spError* error)
{
    spScanner* scanner = &reader->scanner;
    spScanner before = *scanner;
    int64_t index = 0;
    bool ok = spScanInteger(scanner, &index);
    for (int i = 0; ok && i < 2 && !spAtEnd(scanner) && *scanner->at == '/'; ++i)
    {
        ++scanner->at;
        int64_t unused;
        bool empty = spAtLineEnd(scanner) || *scanner->at == '/' || *scanner->at == ' ';
        ok = empty || spScanInteger(scanner, &unused);
    }
    if (!ok)
    {
        char found[32];
        spQuoteWord(&before, found);
        return spFailScan(&before, error, "a corner must look like 1, 1/2, 1/2/3 or 1//3, found %s", found);
    }
    int count = reader->mesh->vertexCount;
    if (index == 0 || index < -(int64_t)count || index > SP_MESH_LIMIT)
    {
        return spFailScan(&before, error,
                          "vertex %lld does not exist; vertices count from 1, or from -1 backwards, and %d "
                          "are known here",
                          (long long)index, count);
    }
    // A vertex may still follow, so the upper end is checked when all are known
    if (index > reader->largestIndex)
    {
        reader->largestIndex = index;
        reader->largestPlace = before;
    }
    *vertex = (int32_t)(index < 0 ? count + index : index - 1);
    return true;
}

// A face as a fan around its first corner, or a line as edges
static bool spReadObjElement(spObjReader* reader, bool isFace, spError* error)
{
    int32_t first = 0, previous = 0;
    int64_t count = 0;
    spScanner begin = reader->scanner;
    for (;; ++count)
    {
        spSkipObjBlanks(&reader->scanner);
        if (spAtObjLineEnd(&reader->scanner))
        {
            break;
        }
        int32_t vertex = 0;
        if (!spReadObjCorner(reader, &vertex, error))
        {
            return false;
        }
        if (count == 0)
        {
            first = vertex;
        }
        if (isFace && count >= 2 && !spAddTriangle(reader->mesh, first, previous, vertex, error))
        {
            return false;
        }
        if (!isFace && count >= 1 && !spAddEdge(reader->mesh, previous, vertex, error))
        {
            return false;
        }
        previous = vertex;
    }
    if (count < 2)
    {
        return spFailScan(&begin, error, "a %s needs at least %d vertices, found %d",
                          isFace ? "face" : "line", isFace ? 3 : 2, (int)count);
    }
    return !isFace || count > 2 || spAddEdge(reader->mesh, first, previous, error);
}

// The rest of the line is the name
static bool spReadObjName(spObjReader* reader, int sort, spError* error)
{
    spScanner* scanner = &reader->scanner;
    spSkipObjBlanks(scanner);
    spWord name = {scanner->at, 0};
    for (; !spAtObjLineEnd(scanner); spSkipObjBlanks(scanner))
    {
        spScanWord(scanner);
        name.length = (size_t)(scanner->at - name.text);
    }
    return spAddName(reader->names + sort, name, reader->mesh->triangleCount, error);
}

// Whether names tell triangles apart, or say their numbers
static bool spNamesMatter(const spNameList* names)
{
    int32_t unused;
    return names->nameCount >= 2 ||
           (names->nameCount == 1 &&
            (names->uses[0].place > 0 || spParseRegionName(names->uses[0].name, &unused)));
}

static bool spKeepGroups(spObjReader* reader, spError* error)
{
    spMesh* mesh = reader->mesh;
    for (int sort = 0; sort < sp_objSortCount; ++sort)
    {
        spNameList* names = reader->names + sort;
        if (!spNumberNames(names, false, error))
        {
            return false;
        }
        if (!spNamesMatter(names))
        {
            continue;
        }
        spMeshValues* values = spStartValues(mesh, sp_meshTriangles, "region", 6, 1);
        for (int i = 0; values != NULL && i < names->count; ++i)
        {
            int end = i + 1 < names->count ? names->uses[i + 1].place : mesh->triangleCount;
            for (int k = names->uses[i].place; k < end; ++k)
            {
                values->data[k] = (double)names->uses[i].region;
            }
        }
        return true;
    }
    return true;
}

static bool spReadObjLine(spObjReader* reader, spError* error)
{
    spScanner* scanner = &reader->scanner;
    spSkipObjBlanks(scanner);
    spWord word = spScanWord(scanner);
    if (spWordIs(word, "v"))
    {
        return spReadObjVertex(reader, error);
    }
    if (spWordIs(word, "f") || spWordIs(word, "fo"))
    {
        return spReadObjElement(reader, true, error);
    }
    if (spWordIs(word, "l"))
    {
        return spReadObjElement(reader, false, error);
    }
    static const char* const sorts[sp_objSortCount] = {"g", "o", "usemtl"};
    for (int i = 0; i < sp_objSortCount; ++i)
    {
        if (spWordIs(word, sorts[i]))
        {
            return spReadObjName(reader, i, error);
        }
    }
    // Something else, perhaps over several lines
    while (word.length > 0 && word.text[0] != '#')
    {
        spSkipObjBlanks(scanner);
        word = spScanWord(scanner);
    }
    return true;
}

bool spReadObj(const char* data, size_t size, spMesh* mesh, spError* error)
{
    spObjReader reader = {.scanner = spMakeScanner(data, size), .mesh = mesh};
    for (int i = 0; i < sp_objSortCount; ++i)
    {
        reader.names[i] = spMakeNameList(&mesh->heap);
    }
    mesh->formatName = "OBJ";
    bool ok = true;
    for (; ok && !spAtEnd(&reader.scanner); spSkipLine(&reader.scanner))
    {
        ok = spReadObjLine(&reader, error);
    }
    if (ok && reader.largestIndex > mesh->vertexCount)
    {
        ok = spFailScan(&reader.largestPlace, error,
                        "vertex %lld does not exist; the file has %d, counted from 1",
                        (long long)reader.largestIndex, mesh->vertexCount);
    }
    ok = ok && spKeepGroups(&reader, error);
    for (int i = 0; i < sp_objSortCount; ++i)
    {
        spFreeNameList(reader.names + i);
    }
    return ok;
}

bool spWriteObj(const spMesh* mesh, spOutput* output, spError* error)
{
    spIndexList surface;
    if (!spGetSurfaceOut(mesh, &surface, error))
    {
        return false;
    }
    spPutText(output, "# mesh written by souple\n");
    for (int i = 0; i < mesh->vertexCount; ++i)
    {
        spPutText(output, "v ");
        spPutPoint(output, mesh->vertices[i]);
    }
    const double* regions = spFindTriangleRegions(mesh);
    int32_t before = 0;
    for (int i = 0; i < surface.count; ++i)
    {
        int32_t region = regions != NULL ? spRoundRegion(regions[i]) : 0;
        if (region != before)
        {
            spPutText(output, "g ");
            spPutRegionName(output, region);
            spPutText(output, "\n");
            before = region;
        }
        spPutObjCells(output, "f ", surface.data + 3 * i, 1, 3, 1);
    }
    spPutObjCells(output, "l ", mesh->edges, mesh->edgeCount, 2, 1);
    spFreeIndexList(&surface);
    return true;
}
