// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Abaqus and CalculiX (.inp): *NODE, *ELEMENT, *NSET, *ELSET; other cards are passed over. Elements with four
// or ten nodes of a solid become tets, shells and membranes triangles, trusses and beams edges. A tet's
// region is the last element set that names it: sets are counted from 1 in the order in which they appear,
// unless their names say a number, as those do that we write (REGION_7). A node set becomes values of the
// vertices: 1 for its nodes. Written: nodes, C3D4 in one set for each region.

#include "format/format.h"
#include "format/id_table.h"

#include <limits.h>
#include <math.h>
#include <string.h>

// Most element sets
#define SP_MAX_SETS 512

// Most nodes of one element
#define SP_MAX_INP_NODES 32

// Most numbers that ranges of sets may visit: ranges may overlap, and a few bytes name many numbers
#define SP_MAX_GENERATED 200000000

typedef struct spInpType
{
    const char* start; // of the name, in small letters
    uint8_t nodeCount, cornerCount;
    uint8_t kind; // spCellKind
} spInpType;

// The first that fits counts
static const spInpType inpTypes[] = {
    {"c3d10", 10, 4, sp_cellTet},     {"c3d4", 4, 4, sp_cellTet},       {"dc3d4", 4, 4, sp_cellTet},
    {"dc3d10", 10, 4, sp_cellTet},    {"s3", 3, 3, sp_cellPolygon},     {"s6", 6, 3, sp_cellPolygon},
    {"s4", 4, 4, sp_cellPolygon},     {"s8", 8, 4, sp_cellPolygon},     {"stri3", 3, 3, sp_cellPolygon},
    {"stri65", 6, 3, sp_cellPolygon}, {"m3d3", 3, 3, sp_cellPolygon},   {"m3d4", 4, 4, sp_cellPolygon},
    {"m3d6", 6, 3, sp_cellPolygon},   {"cps3", 3, 3, sp_cellPolygon},   {"cpe3", 3, 3, sp_cellPolygon},
    {"cps4", 4, 4, sp_cellPolygon},   {"cpe4", 4, 4, sp_cellPolygon},   {"r3d3", 3, 3, sp_cellPolygon},
    {"r3d4", 4, 4, sp_cellPolygon},   {"sfm3d3", 3, 3, sp_cellPolygon}, {"t3d2", 2, 2, sp_cellLine},
    {"t3d3", 3, 2, sp_cellLine},      {"b31", 2, 2, sp_cellLine},       {"b32", 3, 2, sp_cellLine},
};

typedef struct spInpReader
{
    spScanner scanner;
    spMesh* mesh;
    spIdTable ids;    // of the nodes
    spIdTable tetIds; // of the elements that are tets
    spWord sets[SP_MAX_SETS];
    int setCount;
    spMiddleNodes middle;
    bool idsReady, tetsReady;
    int64_t generated;
} spInpReader;

// ---------------------------------------------------------------------------------------------------------
// Cards

static bool spIsCard(const spScanner* scanner)
{
    return !spAtEnd(scanner) && *scanner->at == '*';
}

static bool spIsComment(const spScanner* scanner)
{
    return scanner->end - scanner->at >= 2 && scanner->at[0] == '*' && scanner->at[1] == '*';
}

// To the next line that is no comment and not empty
static void spSkipComments(spScanner* scanner)
{
    for (spSkipSpace(scanner); spIsComment(scanner); spSkipSpace(scanner))
    {
        spSkipLine(scanner);
    }
}

// Blanks and one comma
static void spSkipComma(spScanner* scanner)
{
    spSkipBlanks(scanner);
    if (!spAtEnd(scanner) && *scanner->at == ',')
    {
        ++scanner->at;
        spSkipBlanks(scanner);
    }
}

// Up to the next comma, '=' or line end, without blanks around it
static spWord spScanItem(spScanner* scanner)
{
    spSkipBlanks(scanner);
    spWord word = {scanner->at, 0};
    while (!spAtLineEnd(scanner) && *scanner->at != ',' && *scanner->at != '=')
    {
        ++scanner->at;
    }
    word.length = (size_t)(scanner->at - word.text);
    while (word.length > 0 && (word.text[word.length - 1] == ' ' || word.text[word.length - 1] == '\t'))
    {
        word.length -= 1;
    }
    return word;
}

// The parameters of a card that matter
typedef struct spCard
{
    spWord name, type, set; // set: NSET or ELSET
    bool generate;
} spCard;

static spCard spScanCard(spScanner* scanner)
{
    spCard card = {0};
    ++scanner->at;
    card.name = spScanItem(scanner);
    while (!spAtLineEnd(scanner))
    {
        ++scanner->at; // the comma
        spSkipBlanks(scanner);
        if (spAtLineEnd(scanner))
        {
            // A comma at the end goes on in the next line
            spScanner ahead = *scanner;
            spSkipLine(&ahead);
            if (spAtEnd(&ahead) || spIsCard(&ahead))
            {
                break;
            }
            *scanner = ahead;
        }
        spWord key = spScanItem(scanner), value = {"", 0};
        if (!spAtLineEnd(scanner) && *scanner->at == '=')
        {
            ++scanner->at;
            value = spScanItem(scanner);
        }
        if (spWordIsAnyCase(key, "type"))
        {
            card.type = value;
        }
        else if (spWordIsAnyCase(key, "nset") || spWordIsAnyCase(key, "elset"))
        {
            card.set = value;
        }
        card.generate |= spWordIsAnyCase(key, "generate");
    }
    spSkipLine(scanner);
    return card;
}

static bool spTakeInteger(spInpReader* reader, const char* what, int64_t* value, spError* error)
{
    if (!spScanInteger(&reader->scanner, value))
    {
        char found[32];
        spQuoteWord(&reader->scanner, found);
        return spFailScan(&reader->scanner, error, "%s must stand here, found %s", what, found);
    }
    spSkipComma(&reader->scanner);
    return true;
}

// ---------------------------------------------------------------------------------------------------------
// Nodes and elements

static bool spReadNodes(spInpReader* reader, spError* error)
{
    spScanner* scanner = &reader->scanner;
    for (spSkipComments(scanner); !spAtEnd(scanner) && !spIsCard(scanner); spSkipComments(scanner))
    {
        int64_t id;
        double xyz[3] = {0};
        int line = scanner->line;
        if (!spTakeInteger(reader, "the number of a node", &id, error))
        {
            return false;
        }
        for (int k = 0; k < 3; ++k)
        {
            // A coordinate that is left out is 0
            if (!spAtLineEnd(scanner) && *scanner->at != ',' &&
                (!spParseReal(scanner->at, scanner->end, &scanner->at, xyz + k) || !isfinite(xyz[k])))
            {
                return spFailScan(scanner, error, "a coordinate of node %lld must stand here", (long long)id);
            }
            spSkipComma(scanner);
        }
        if (!spAddVertex(reader->mesh, (spDVec3){xyz[0], xyz[1], xyz[2]}, error) ||
            !spAddId(&reader->ids, id, line, error))
        {
            return false;
        }
        spSkipLine(scanner);
    }
    reader->idsReady = false;
    return true;
}

static bool spFinishNodes(spInpReader* reader, spError* error)
{
    if (!reader->idsReady && !spFinishIds(&reader->ids, error))
    {
        return false;
    }
    reader->idsReady = true;
    return true;
}

static const spInpType* spFindInpType(spWord name)
{
    for (int i = 0; i < SP_COUNT(inpTypes); ++i)
    {
        spWord start = {name.text, strlen(inpTypes[i].start)};
        // "c3d4" also stands for C3D4H, but "c3d10" must not be taken for "c3d1"
        bool fits =
            name.length >= start.length && spWordIsAnyCase(start, inpTypes[i].start) &&
            (name.length == start.length || name.text[start.length] < '0' || name.text[start.length] > '9');
        if (fits)
        {
            return inpTypes + i;
        }
    }
    return NULL;
}

static bool spSameName(spWord a, spWord b)
{
    if (a.length != b.length)
    {
        return false;
    }
    for (size_t i = 0; i < a.length; ++i)
    {
        char x = a.text[i], y = b.text[i];
        x = x >= 'A' && x <= 'Z' ? (char)(x | 0x20) : x;
        y = y >= 'A' && y <= 'Z' ? (char)(y | 0x20) : y;
        if (x != y)
        {
            return false;
        }
    }
    return true;
}

// The region that an element set stands for: the number in its name, or which one it is, from 1; 0 without a
// name, or when there are too many
static int32_t spFindSet(spInpReader* reader, spWord name)
{
    int32_t region;
    if (name.length == 0)
    {
        return 0;
    }
    if (spParseRegionName(name, &region))
    {
        return region;
    }
    for (int i = 0; i < reader->setCount; ++i)
    {
        if (spSameName(reader->sets[i], name))
        {
            return i + 1;
        }
    }
    if (reader->setCount == SP_MAX_SETS)
    {
        return 0;
    }
    reader->sets[reader->setCount++] = name;
    return reader->setCount;
}

// The nodes of an element go on in the next line while a line ends with a comma, or nodes are missing
static bool spReadElementNodes(spInpReader* reader, const spInpType* type, int64_t element, int32_t* nodes,
                               spError* error)
{
    spScanner* scanner = &reader->scanner;
    for (int k = 0; k < type->nodeCount; ++k)
    {
        int64_t id;
        if (spAtLineEnd(scanner))
        {
            spSkipComments(scanner);
        }
        if (!spTakeInteger(reader, "a node of an element", &id, error))
        {
            return false;
        }
        nodes[k] = spFindId(&reader->ids, id);
        if (nodes[k] < 0)
        {
            return spFailScan(scanner, error, "element %lld uses node %lld, which the file does not define",
                              (long long)element, (long long)id);
        }
    }
    return spMarkMiddle(reader->mesh, &reader->middle, nodes, type->cornerCount, type->nodeCount, error);
}

static bool spReadElements(spInpReader* reader, const spCard* card, spError* error)
{
    spScanner* scanner = &reader->scanner;
    const spInpType* type = spFindInpType(card->type);
    int32_t region = type != NULL && type->kind == sp_cellTet ? spFindSet(reader, card->set) : 0;
    if (!spFinishNodes(reader, error))
    {
        return false;
    }
    for (spSkipComments(scanner); !spAtEnd(scanner) && !spIsCard(scanner); spSkipComments(scanner))
    {
        int64_t element;
        int32_t nodes[SP_MAX_INP_NODES];
        if (type == NULL)
        {
            // One line, or those that it goes on in
            spScanner start = *scanner;
            while (!spAtLineEnd(scanner))
            {
                ++scanner->at;
            }
            bool goesOn = scanner->at > start.at && scanner->at[-1] == ',';
            spSkipLine(scanner);
            if (!goesOn && !spAddCell(reader->mesh, sp_cellUnknown, NULL, 0, 0, error))
            {
                return false;
            }
            continue;
        }
        int line = scanner->line;
        if (!spTakeInteger(reader, "the number of an element", &element, error) ||
            !spReadElementNodes(reader, type, element, nodes, error) ||
            (type->kind == sp_cellTet && !spAddId(&reader->tetIds, element, line, error)) ||
            !spAddCell(reader->mesh, (spCellKind)type->kind, nodes, type->cornerCount, region, error))
        {
            return false;
        }
        spSkipLine(scanner);
    }
    reader->tetsReady = false;
    return true;
}

// ---------------------------------------------------------------------------------------------------------
// Sets

// What one number of a set does
typedef struct spSetTarget
{
    const spIdTable* ids;
    bool ofNodes;
    int32_t region;       // of tets
    spMeshValues* values; // of a node set; NULL when there is no room
} spSetTarget;

static void spPutIntoSet(spInpReader* reader, const spSetTarget* target, int64_t id)
{
    int32_t place = spFindId(target->ids, id);
    if (place >= 0 && !target->ofNodes)
    {
        reader->mesh->tetRegions[place] = target->region;
    }
    else if (place >= 0 && target->values != NULL)
    {
        target->values->data[place] = 1.0;
    }
}

// first, last, step
static bool spGenerateSet(spInpReader* reader, const spSetTarget* target, spError* error)
{
    int64_t first, last, step = 1;
    if (!spTakeInteger(reader, "the first number of a set", &first, error) ||
        !spTakeInteger(reader, "the last number of a set", &last, error) ||
        (!spAtLineEnd(&reader->scanner) && !spTakeInteger(reader, "the step of a set", &step, error)))
    {
        return false;
    }
    if (step < 1)
    {
        return spFailScan(&reader->scanner, error, "the step of a set must be positive, not %lld",
                          (long long)step);
    }
    // Walks over what is there, not over the range, which may be anything
    reader->generated += target->ids->count;
    if (reader->generated > SP_MAX_GENERATED)
    {
        return spFailScan(&reader->scanner, error, "the ranges of sets in this file are too many");
    }
    for (int i = 0; i < target->ids->count; ++i)
    {
        int64_t id = target->ids->ids[i];
        if (id >= first && id <= last && ((uint64_t)id - (uint64_t)first) % (uint64_t)step == 0)
        {
            spPutIntoSet(reader, target, id);
        }
    }
    return true;
}

static bool spReadSet(spInpReader* reader, const spCard* card, bool ofNodes, spError* error)
{
    spScanner* scanner = &reader->scanner;
    if (!spFinishNodes(reader, error) || (!reader->tetsReady && !spFinishIds(&reader->tetIds, error)))
    {
        return false;
    }
    reader->tetsReady = true;
    spSetTarget target = {.ids = ofNodes ? &reader->ids : &reader->tetIds, .ofNodes = ofNodes};
    if (ofNodes)
    {
        target.values = spStartValues(reader->mesh, sp_meshVertices, card->set.text, card->set.length, 1);
    }
    else
    {
        target.region = spFindSet(reader, card->set);
    }
    for (spSkipComments(scanner); !spAtEnd(scanner) && !spIsCard(scanner); spSkipComments(scanner))
    {
        if (card->generate)
        {
            if (!spGenerateSet(reader, &target, error))
            {
                return false;
            }
            spSkipLine(scanner);
            continue;
        }
        while (!spAtLineEnd(scanner))
        {
            int64_t id;
            spScanner before = *scanner;
            if (spScanInteger(scanner, &id))
            {
                spPutIntoSet(reader, &target, id);
            }
            else
            {
                spScanItem(scanner); // the name of another set
            }
            spSkipComma(scanner);
            if (scanner->at == before.at)
            {
                ++scanner->at;
            }
        }
        spSkipLine(scanner);
    }
    return true;
}

static bool spReadCard(spInpReader* reader, spError* error)
{
    spScanner start = reader->scanner;
    spCard card = spScanCard(&reader->scanner);
    if (spWordIsAnyCase(card.name, "node"))
    {
        return spReadNodes(reader, error);
    }
    if (spWordIsAnyCase(card.name, "element"))
    {
        return spReadElements(reader, &card, error);
    }
    bool ofNodes = spWordIsAnyCase(card.name, "nset");
    if ((ofNodes || spWordIsAnyCase(card.name, "elset")) && card.set.length > 0)
    {
        return spReadSet(reader, &card, ofNodes, error);
    }
    if (spWordIsAnyCase(card.name, "include"))
    {
        return spFailAt(error, sp_errorUnsupported, start.line, 0,
                        "the file includes another one; put both into one file");
    }
    // The data of any other card
    for (spSkipComments(&reader->scanner); !spAtEnd(&reader->scanner) && !spIsCard(&reader->scanner);
         spSkipComments(&reader->scanner))
    {
        spSkipLine(&reader->scanner);
    }
    return true;
}

bool spReadInp(const char* data, size_t size, spMesh* mesh, spError* error)
{
    mesh->formatName = "Abaqus";
    spInpReader reader = {.scanner = spMakeScanner(data, size), .mesh = mesh};
    reader.ids = spMakeIdTable(&mesh->heap);
    reader.tetIds = spMakeIdTable(&mesh->heap);
    bool ok = true;
    for (spSkipComments(&reader.scanner); ok && !spAtEnd(&reader.scanner); spSkipComments(&reader.scanner))
    {
        if (!spIsCard(&reader.scanner))
        {
            char found[32];
            spQuoteWord(&reader.scanner, found);
            ok = spFailScan(&reader.scanner, error, "a card such as *NODE must start here, found %s", found);
            break;
        }
        ok = spReadCard(&reader, error);
    }
    ok = spDropMiddleNodes(mesh, &reader.middle, ok && spFinishNodes(&reader, error), error);
    spFreeIdTable(&reader.ids);
    spFreeIdTable(&reader.tetIds);
    return ok;
}

// ---------------------------------------------------------------------------------------------------------
// Writing

static void spPutElement(spOutput* output, int64_t number, const int32_t* nodes, int count)
{
    spPutInteger(output, number);
    for (int i = 0; i < count; ++i)
    {
        spPutText(output, ", ");
        spPutInteger(output, (int64_t)nodes[i] + 1);
    }
    spPutText(output, "\n");
}

static void spPutElements(spOutput* output, const char* card, const int32_t* cells, int nodeCount, int count,
                          int64_t* number)
{
    spPutText(output, count > 0 ? card : "");
    for (int i = 0; i < count; ++i)
    {
        spPutElement(output, (*number)++, cells + (int64_t)nodeCount * i, nodeCount);
    }
}

bool spWriteInp(const spMesh* mesh, spOutput* output, spError* error)
{
    SP_UNUSED(error);
    spPutText(output, "** mesh written by souple\n*NODE, NSET=ALL\n");
    for (int i = 0; i < mesh->vertexCount; ++i)
    {
        const double xyz[3] = {mesh->vertices[i].x, mesh->vertices[i].y, mesh->vertices[i].z};
        spPutInteger(output, (int64_t)i + 1);
        for (int k = 0; k < 3; ++k)
        {
            spPutText(output, ", ");
            spPutReal(output, xyz[k]);
        }
        spPutText(output, "\n");
    }
    int64_t number = 1;
    spPutElements(output, "*ELEMENT, TYPE=T3D2, ELSET=EDGES\n", mesh->edges, 2, mesh->edgeCount, &number);
    spPutElements(output, "*ELEMENT, TYPE=S3, ELSET=TRIANGLES\n", mesh->triangles, 3, mesh->triangleCount,
                  &number);
    for (int i = 0; i < mesh->tetCount; ++i)
    {
        // A card for each run of tets of one region
        int32_t region = mesh->tetRegions[i];
        if (i == 0 || region != mesh->tetRegions[i - 1])
        {
            spPutFormat(output, "*ELEMENT, TYPE=C3D4, ELSET=%s%lld\n", region < 0 ? "REGION_M" : "REGION_",
                        region < 0 ? -(long long)region : (long long)region);
        }
        spPutElement(output, number++, mesh->tets + 4 * (int64_t)i, 4);
    }
    return true;
}
