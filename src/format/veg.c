// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Vega (.veg): vertices, tets, materials, sets and regions. Regions are counted from 1 in the order of the
// file; Young's modulus, Poisson's ratio and density of their materials become values of the tets. Cubes and
// other elements are counted and left out. What a file includes was put in its place before (include.h).

#include "format/format.h"

#include <math.h>
#include <string.h>

#define SP_MAX_VEG_NAMES 1024

// Most elements and bytes of sets that all regions of a file may visit, for each byte of it: regions may use
// one set again and again, and time must grow with the file
#define SP_VISITS_PER_BYTE 8

typedef struct spVegMaterial
{
    spWord name;
    double density, youngModulus, poissonRatio; // kg/m^3, Pa; NaN where another model is used
} spVegMaterial;

// A set and where its elements stand in the file
typedef struct spVegSet
{
    spWord name;
    spScanner elements;
    int64_t size; // bytes
} spVegSet;

typedef struct spVegReader
{
    spScanner scanner;
    spMesh* mesh;
    int64_t firstVertex, firstElement; // 0 or 1: what the file counts from
    bool tets;
    spVegMaterial materials[SP_MAX_VEG_NAMES];
    spVegSet sets[SP_MAX_VEG_NAMES];
    int materialCount, setCount, regionCount;
    int64_t visits, mostVisits;
    int arrays[3]; // density, modulus and ratio in the values of the mesh; -1 where there is no room
} spVegReader;

static void spSkipCommas(spScanner* scanner)
{
    spSkipBlanks(scanner);
    while (!spAtEnd(scanner) && *scanner->at == ',')
    {
        ++scanner->at;
        spSkipBlanks(scanner);
    }
}

// Up to the next comma, blank or line end
static spWord spScanItem(spScanner* scanner)
{
    spSkipCommas(scanner);
    spWord word = {scanner->at, 0};
    while (!spAtLineEnd(scanner) && *scanner->at != ',' && *scanner->at != ' ' && *scanner->at != '\t')
    {
        ++scanner->at;
    }
    word.length = (size_t)(scanner->at - word.text);
    return word;
}

static bool spSameWord(spWord a, spWord b)
{
    return a.length == b.length && memcmp(a.text, b.text, a.length) == 0;
}

static bool spTakeReal(spVegReader* reader, const char* what, double* value, spError* error)
{
    spScanner* scanner = &reader->scanner;
    spSkipCommas(scanner);
    return spParseReal(scanner->at, scanner->end, &scanner->at, value) ||
           spFailScan(scanner, error, "%s must stand here", what);
}

static bool spTakeCount(spVegReader* reader, const char* what, int64_t* count, spError* error)
{
    spScanner before = reader->scanner;
    size_t left = (size_t)(before.end - before.at);
    return spNeedInteger(&reader->scanner, what, 0, SP_MESH_LIMIT, count, error) &&
           ((uint64_t)*count <= left / 4 + 1 ||
            spFailScan(&before, error, "%s is %lld, but only %zu bytes follow; the file is cut off", what,
                       (long long)*count, left));
}

static bool spReadVertices(spVegReader* reader, spError* error)
{
    spScanner* scanner = &reader->scanner;
    int64_t count, dimension, id;
    spDVec3 point;
    spSkipHashComments(scanner);
    if (!spTakeCount(reader, "the number of vertices", &count, error) ||
        !spNeedInteger(scanner, "the dimension of the vertices", 3, 3, &dimension, error) ||
        !spReserveVertices(reader->mesh, count, error))
    {
        return false;
    }
    spSkipLine(scanner);
    for (int64_t i = 0; i < count; ++i)
    {
        spSkipHashComments(scanner);
        if (!spNeedInteger(scanner, "the number of a vertex", 0, INT32_MAX, &id, error))
        {
            return false;
        }
        reader->firstVertex = i == 0 ? id : reader->firstVertex;
        if (id != reader->firstVertex + i)
        {
            return spFailScan(scanner, error,
                              "vertices must be numbered one after the other, but %lld follows %lld",
                              (long long)id, (long long)(reader->firstVertex + i - 1));
        }
        if (!spNeedPoint(scanner, "a coordinate of a vertex", &point, error) ||
            !spAddVertex(reader->mesh, point, error))
        {
            return false;
        }
    }
    return true;
}

static bool spReadElements(spVegReader* reader, spError* error)
{
    spScanner* scanner = &reader->scanner;
    int64_t count, corners, id, vertex;
    spSkipHashComments(scanner);
    spWord sort = spScanItem(scanner);
    reader->tets = spWordIsAnyCase(sort, "tet") || spWordIsAnyCase(sort, "tets");
    spSkipLine(scanner);
    spSkipHashComments(scanner);
    if (!spTakeCount(reader, "the number of elements", &count, error) ||
        !spNeedInteger(scanner, "the number of vertices of an element", 1, 64, &corners, error))
    {
        return false;
    }
    if (reader->tets && corners != 4)
    {
        return spFailScan(scanner, error, "a tet has 4 vertices, not %lld", (long long)corners);
    }
    spSkipLine(scanner);
    for (int64_t i = 0; i < count; ++i)
    {
        int32_t tet[4] = {0};
        spSkipHashComments(scanner);
        if (!spNeedInteger(scanner, "the number of an element", 0, INT32_MAX, &id, error))
        {
            return false;
        }
        reader->firstElement = i == 0 ? id : reader->firstElement;
        for (int64_t k = 0; k < corners; ++k)
        {
            if (!spNeedInteger(scanner, "a vertex of an element", reader->firstVertex,
                               reader->firstVertex + reader->mesh->vertexCount - 1, &vertex, error))
            {
                return false;
            }
            tet[k < 4 ? k : 3] = (int32_t)(vertex - reader->firstVertex);
        }
        if (!spAddCell(reader->mesh, reader->tets ? sp_cellTet : sp_cellUnknown, tet, 4, 0, error))
        {
            return false;
        }
    }
    return true;
}

static bool spReadMaterial(spVegReader* reader, spWord name, spError* error)
{
    spScanner* scanner = &reader->scanner;
    spSkipHashComments(scanner);
    spVegMaterial material = {name, (double)NAN, (double)NAN, (double)NAN};
    if (spWordIsAnyCase(spScanItem(scanner), "enu") &&
        (!spTakeReal(reader, "the density of a material", &material.density, error) ||
         !spTakeReal(reader, "Young's modulus of a material", &material.youngModulus, error) ||
         !spTakeReal(reader, "Poisson's ratio of a material", &material.poissonRatio, error)))
    {
        return false;
    }
    if (reader->materialCount < SP_MAX_VEG_NAMES)
    {
        reader->materials[reader->materialCount++] = material;
    }
    spSkipLine(scanner);
    return true;
}

static bool spAtSection(const spScanner* scanner)
{
    return spAtEnd(scanner) || *scanner->at == '*';
}

static void spReadSet(spVegReader* reader, spWord name)
{
    spScanner* scanner = &reader->scanner;
    spVegSet set = {.name = name, .elements = *scanner};
    for (spSkipHashComments(scanner); !spAtSection(scanner); spSkipHashComments(scanner))
    {
        spSkipLine(scanner);
    }
    set.size = scanner->at - set.elements.at;
    if (reader->setCount < SP_MAX_VEG_NAMES)
    {
        reader->sets[reader->setCount++] = set;
    }
}

// Arrays for the materials of the tets
static void spStartMaterials(spVegReader* reader)
{
    static const char* const names[3] = {"density", "youngModulus", "poissonRatio"};
    for (int i = 0; i < 3; ++i)
    {
        spMeshValues* values = spStartValues(reader->mesh, sp_meshTets, names[i], strlen(names[i]), 1);
        reader->arrays[i] = values != NULL ? (int)(values - reader->mesh->values) : -1;
    }
}

static bool spCountVisits(spVegReader* reader, int64_t count, spError* error)
{
    reader->visits += count;
    return reader->visits <= reader->mostVisits ||
           spFail(error, sp_errorFileFormat, "the regions of this file name too many elements");
}

static bool spGiveMaterial(spVegReader* reader, const spVegMaterial* material, int64_t tet, spError* error)
{
    spMesh* mesh = reader->mesh;
    const double numbers[3] = {material->density, material->youngModulus, material->poissonRatio};
    if (!spCountVisits(reader, 1, error))
    {
        return false;
    }
    if (tet < 0 || tet >= mesh->tetCount)
    {
        return spFail(error, sp_errorFileFormat, "a set names element %lld, but there are %d",
                      (long long)(tet + reader->firstElement), mesh->tetCount);
    }
    mesh->tetRegions[tet] = reader->regionCount;
    for (int i = 0; i < 3; ++i)
    {
        if (reader->arrays[i] >= 0)
        {
            mesh->values[reader->arrays[i]].data[tet] = numbers[i];
        }
    }
    return true;
}

// SET, MATERIAL: every element of the set gets the material
static bool spReadRegion(spVegReader* reader, spError* error)
{
    spScanner* scanner = &reader->scanner;
    spSkipHashComments(scanner);
    spScanner start = *scanner;
    spWord setName = spScanItem(scanner), materialName = spScanItem(scanner);
    const spVegMaterial* material = NULL;
    const spVegSet* set = NULL;
    for (int i = 0; i < reader->materialCount && material == NULL; ++i)
    {
        material = spSameWord(reader->materials[i].name, materialName) ? reader->materials + i : NULL;
    }
    for (int i = 0; i < reader->setCount && set == NULL; ++i)
    {
        set = spSameWord(reader->sets[i].name, setName) ? reader->sets + i : NULL;
    }
    bool all = spWordIs(setName, "allElements");
    if (material == NULL || (set == NULL && !all))
    {
        spWord missing = material == NULL ? materialName : setName;
        return spFailScan(&start, error, "a region uses \"%.*s\", which the file does not define before",
                          (int)(missing.length < 60 ? missing.length : 60), missing.text);
    }
    reader->regionCount += 1;
    spStartMaterials(reader);
    spSkipLine(scanner);
    for (int64_t i = 0; all && i < reader->mesh->tetCount; ++i)
    {
        if (!spGiveMaterial(reader, material, i, error))
        {
            return false;
        }
    }
    if (all || !reader->tets)
    {
        return true;
    }
    if (!spCountVisits(reader, set->size, error))
    {
        return false;
    }
    spScanner place = set->elements;
    for (spSkipHashComments(&place); !spAtSection(&place); spSkipHashComments(&place))
    {
        for (spSkipCommas(&place); !spAtLineEnd(&place); spSkipCommas(&place))
        {
            int64_t id;
            if (!spScanInteger(&place, &id) || id < 0)
            {
                return spFailScan(&place, error, "the number of an element must stand here");
            }
            if (!spGiveMaterial(reader, material, id - reader->firstElement, error))
            {
                return false;
            }
        }
        spSkipLine(&place);
    }
    return true;
}

static bool spReadVegSection(spVegReader* reader, spError* error)
{
    spScanner* scanner = &reader->scanner;
    spScanner start = *scanner;
    spWord word = spScanItem(scanner), name = spScanItem(scanner);
    spSkipLine(scanner);
    if (spWordIsAnyCase(word, "*vertices"))
    {
        return spReadVertices(reader, error);
    }
    if (spWordIsAnyCase(word, "*elements"))
    {
        return spReadElements(reader, error);
    }
    if (spWordIsAnyCase(word, "*material"))
    {
        return spReadMaterial(reader, name, error);
    }
    if (spWordIsAnyCase(word, "*region"))
    {
        return spReadRegion(reader, error);
    }
    if (spWordIsAnyCase(word, "*set"))
    {
        spReadSet(reader, name);
        return true;
    }
    if (spWordIsAnyCase(word, "*include"))
    {
        return spFailAt(error, sp_errorUnsupported, start.line, 0,
                        "the text includes \"%.*s\"; only a mesh that is read from a file can",
                        (int)(name.length < 60 ? name.length : 60), name.text);
    }
    return spFailScan(&start, error, "a section such as *VERTICES must start here, found %.*s",
                      (int)(word.length < 40 ? word.length : 40), word.text);
}

bool spReadVeg(const char* data, size_t size, spMesh* mesh, spError* error)
{
    mesh->formatName = "Vega";
    spHeap* heap = &mesh->heap;
    spVegReader* reader = spAllocZeroed(heap, sizeof(spVegReader));
    if (reader == NULL)
    {
        return spFailMemory(error, "reading a Vega file", sizeof(spVegReader));
    }
    reader->scanner = spMakeScanner(data, size);
    reader->mesh = mesh;
    reader->mostVisits = SP_VISITS_PER_BYTE * (int64_t)size;
    bool ok = true;
    for (spSkipHashComments(&reader->scanner); ok && !spAtEnd(&reader->scanner);
         spSkipHashComments(&reader->scanner))
    {
        ok = spReadVegSection(reader, error);
    }
    spFree(heap, reader);
    return ok;
}
