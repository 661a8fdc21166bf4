// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Abaqus and CalculiX (.inp): *NODE, *ELEMENT, *NSET, *ELSET; other cards are passed over. Elements with four
// or ten nodes of a solid become tets, shells and membranes triangles, trusses and beams edges. A tet's
// region is the last element set that names it: sets are counted from 1 in the order in which they appear,
// unless their names say a number, as those do that we write (REGION_7). A node set becomes values of the
// vertices: 1 for its nodes. Written: nodes, C3D4 in one set for each region.
//
// The file is read three times, for nodes, elements and sets: cards may come in any order and any number, and
// numbers are sorted once.

#include "format/format.h"
#include "format/id_table.h"
#include "format/name_list.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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
    spNameList sets;  // of elements, in order of their cards
    int setIndex;     // how many were used
    spMiddleNodes middle;
    int64_t generated;
} spInpReader;

// What is read in one go
typedef enum spInpPass
{
    sp_inpNodes = 0, // and the names of sets
    sp_inpElements,
    sp_inpSets,
    sp_inpPassCount,
} spInpPass;

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

// Whether a card puts tets into a set
static bool spNamesSet(const spCard* card)
{
    const spInpType* type = spWordIsAnyCase(card->name, "element") ? spFindInpType(card->type) : NULL;
    bool ofTets = type != NULL && type->kind == sp_cellTet;
    return card->set.length > 0 && (ofTets || spWordIsAnyCase(card->name, "elset"));
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

static bool spReadElements(spInpReader* reader, const spCard* card, int32_t region, spError* error)
{
    spScanner* scanner = &reader->scanner;
    const spInpType* type = spFindInpType(card->type);
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

static void spPutIntoSet(spInpReader* reader, const spSetTarget* target, int32_t place)
{
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
    const spIdTable* ids = target->ids;
    for (int rank = spCountSmallerIds(ids, first); rank < ids->count; ++rank)
    {
        int32_t place = spGetRankedId(ids, rank);
        int64_t id = ids->ids[place];
        if (id > last)
        {
            break;
        }
        if (++reader->generated > SP_MAX_GENERATED)
        {
            return spFailScan(&reader->scanner, error, "the ranges of sets in this file are too many");
        }
        if (((uint64_t)id - (uint64_t)first) % (uint64_t)step == 0)
        {
            spPutIntoSet(reader, target, place);
        }
    }
    return true;
}

static bool spReadSet(spInpReader* reader, const spCard* card, bool ofNodes, int32_t region, spError* error)
{
    spScanner* scanner = &reader->scanner;
    spSetTarget target = {
        .ids = ofNodes ? &reader->ids : &reader->tetIds, .ofNodes = ofNodes, .region = region};
    if (ofNodes)
    {
        target.values = spStartValues(reader->mesh, sp_meshVertices, card->set.text, card->set.length, 1);
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
                spPutIntoSet(reader, &target, spFindId(target.ids, id));
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

static bool spReadCard(spInpReader* reader, spInpPass pass, spError* error)
{
    spScanner start = reader->scanner;
    spCard card = spScanCard(&reader->scanner);
    int32_t region = 0;
    if (spNamesSet(&card))
    {
        if (pass == sp_inpNodes && !spAddName(&reader->sets, card.set, 0, error))
        {
            return false;
        }
        // Every pass sees the same cards
        SP_ASSERT(reader->setIndex < reader->sets.count);
        region = pass != sp_inpNodes ? reader->sets.uses[reader->setIndex++].region : 0;
    }
    if (pass == sp_inpNodes && spWordIsAnyCase(card.name, "node"))
    {
        return spReadNodes(reader, error);
    }
    if (pass == sp_inpElements && spWordIsAnyCase(card.name, "element"))
    {
        return spReadElements(reader, &card, region, error);
    }
    bool ofNodes = spWordIsAnyCase(card.name, "nset");
    if (pass == sp_inpSets && (ofNodes || spWordIsAnyCase(card.name, "elset")) && card.set.length > 0)
    {
        return spReadSet(reader, &card, ofNodes, region, error);
    }
    if (spWordIsAnyCase(card.name, "include"))
    {
        return spFailAt(error, sp_errorUnsupported, start.line, 0,
                        "the file includes another one; put both into one file");
    }
    // The data of any other card
    spScanner* scanner = &reader->scanner;
    for (spSkipComments(scanner); !spAtEnd(scanner) && !spIsCard(scanner); spSkipComments(scanner))
    {
        spSkipLine(scanner);
    }
    return true;
}

static bool spReadPass(spInpReader* reader, spInpPass pass, spError* error)
{
    spScanner* scanner = &reader->scanner;
    reader->setIndex = 0;
    for (spSkipComments(scanner); !spAtEnd(scanner); spSkipComments(scanner))
    {
        if (!spIsCard(scanner))
        {
            char found[32];
            spQuoteWord(scanner, found);
            return spFailScan(scanner, error, "a card such as *NODE must start here, found %s", found);
        }
        if (!spReadCard(reader, pass, error))
        {
            return false;
        }
    }
    if (pass == sp_inpNodes)
    {
        return spFinishIds(&reader->ids, error) && spNumberNames(&reader->sets, true, error);
    }
    return reader->sets.count == 0 || spFinishIds(&reader->tetIds, error);
}

bool spReadInp(const char* data, size_t size, spMesh* mesh, spError* error)
{
    mesh->formatName = "Abaqus";
    spInpReader reader = {.mesh = mesh};
    reader.ids = spMakeIdTable(&mesh->heap, "node");
    reader.tetIds = spMakeIdTable(&mesh->heap, "element");
    reader.sets = spMakeNameList(&mesh->heap);
    bool ok = true;
    for (int pass = 0; pass < sp_inpPassCount && ok; ++pass)
    {
        reader.scanner = spMakeScanner(data, size);
        ok = spReadPass(&reader, (spInpPass)pass, error);
    }
    ok = spDropMiddleNodes(mesh, &reader.middle, ok, error);
    spFreeIdTable(&reader.ids);
    spFreeIdTable(&reader.tetIds);
    spFreeNameList(&reader.sets);
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

// Elements by region, those of one in their order
static int spCompareKeys(const void* a, const void* b)
{
    uint64_t x = *(const uint64_t*)a, y = *(const uint64_t*)b;
    return x < y ? -1 : x > y;
}

static bool spHaveOneRegion(const spMesh* mesh)
{
    for (int i = 1; i < mesh->tetCount; ++i)
    {
        if (mesh->tetRegions[i] != mesh->tetRegions[0])
        {
            return false;
        }
    }
    return true;
}

// A set for each region. Tets stay in their order, so several regions cannot be told by their cards.
static bool spPutRegionSets(const spMesh* mesh, spOutput* output, int64_t firstNumber, spError* error)
{
    spHeap heap = spMakeHeap(&mesh->heap.allocator);
    size_t size = spArraySize(mesh->tetCount, sizeof(uint64_t));
    uint64_t* keys = spAlloc(&heap, size);
    if (keys == NULL)
    {
        return spFailMemory(error, "the regions of a mesh", size);
    }
    for (int i = 0; i < mesh->tetCount; ++i)
    {
        keys[i] = (uint64_t)((uint32_t)mesh->tetRegions[i] ^ 0x80000000u) << 32 | (uint32_t)i;
    }
    qsort(keys, (size_t)mesh->tetCount, sizeof(uint64_t), spCompareKeys);
    int column = 0;
    for (int i = 0; i < mesh->tetCount; ++i)
    {
        bool starts = i == 0 || keys[i] >> 32 != keys[i - 1] >> 32;
        if (starts)
        {
            spPutText(output, i > 0 ? "\n*ELSET, ELSET=" : "*ELSET, ELSET=");
            spPutRegionName(output, mesh->tetRegions[(uint32_t)keys[i]]);
            column = 0;
        }
        spPutText(output, column % 16 == 0 ? (starts ? "\n" : ",\n") : ", ");
        spPutInteger(output, firstNumber + (uint32_t)keys[i]);
        column += 1;
    }
    spPutText(output, "\n");
    spFree(&heap, keys);
    return true;
}

bool spWriteInp(const spMesh* mesh, spOutput* output, spError* error)
{
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
    if (mesh->tetCount == 0)
    {
        return true;
    }
    bool one = spHaveOneRegion(mesh);
    spPutText(output, "*ELEMENT, TYPE=C3D4");
    if (one)
    {
        spPutText(output, ", ELSET=");
        spPutRegionName(output, mesh->tetRegions[0]);
    }
    int64_t first = number;
    spPutElements(output, "\n", mesh->tets, 4, mesh->tetCount, &number);
    return one || spPutRegionSets(mesh, output, first, error);
}
