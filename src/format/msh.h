// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What the readers of the versions of Gmsh's format share; msh_write.c writes them.

#pragma once

#include "format/format.h"
#include "format/id_table.h"

// Most nodes of one element: a tet of order 9, or a hexahedron of order 4 with a good margin
#define SP_MAX_CELL_NODES 256

typedef struct spMshType
{
    uint8_t nodeCount; // 0: unknown type
    uint8_t cornerCount;
    uint8_t kind; // spCellKind
} spMshType;

// The first physical group of a surface or a volume, which is the region of its triangles or tets
typedef struct spMshEntity
{
    int32_t dimension, tag, region;
} spMshEntity;

typedef struct spMshReader
{
    spScanner scanner;
    spMesh* mesh;
    spIdTable ids;
    spIdTable tetIds;        // element numbers of the tets
    spIdTable polygonIds;    // and of what became triangles
    int32_t* firstTriangles; // of each of these
    int firstCapacity;
    spMiddleNodes middle;
    spMshEntity* entities; // version 4
    int entityCount, entityCapacity, volumeCount;
    bool anyPhysical; // a volume has a group
    int damagedCount; // sections of data
    int version;      // 1, 2 or 4; 0 before it is known
    bool binary;
    bool swapped; // binary numbers are in the other byte order
    bool haveNodes, haveElements;
} spMshReader;

const spMshType* spFindMshType(int64_t type);
size_t spBytesLeft(const spScanner* scanner);
void spStartBinary(spMshReader* reader); // data starts right after the line end
int32_t spTakeInt(spMshReader* reader);
double spTakeDouble(spMshReader* reader);
bool spReadMshEnd(spMshReader* reader, const char* mark, spError* error);

// Called at the start of the elements: nodes come before them, and there is one list
bool spStartMshElements(spMshReader* reader, spError* error);
bool spAddMshElement(spMshReader* reader, const spMshType* type, const int64_t* ids, int64_t element,
                     int32_t region, int line, spError* error);

// msh4.c
bool spReadMsh4Entities(spMshReader* reader, spError* error);
bool spReadMsh4Nodes(spMshReader* reader, spError* error);
bool spReadMsh4Elements(spMshReader* reader, spError* error);
