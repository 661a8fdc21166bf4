// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What the readers of the versions of Gmsh's format share.

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

// The first physical group of a volume, which is the region of its tets
typedef struct spMshVolume
{
    int32_t tag, region;
} spMshVolume;

typedef struct spMshReader
{
    spScanner scanner;
    spMesh* mesh;
    spIdTable ids;
    spIdTable tetIds; // element numbers of the tets
    spMiddleNodes middle;
    spMshVolume* volumes; // version 4
    int volumeCount, volumeCapacity;
    bool anyPhysical;
    int version; // 1, 2 or 4; 0 before it is known
    bool binary;
    bool swapped; // binary numbers are in the other byte order
    bool haveNodes;
} spMshReader;

const spMshType* spFindMshType(int64_t type);
size_t spBytesLeft(const spScanner* scanner);
void spStartBinary(spMshReader* reader); // data starts right after the line end
int32_t spTakeInt(spMshReader* reader);
double spTakeDouble(spMshReader* reader);
bool spReadMshEnd(spMshReader* reader, const char* mark, spError* error);
bool spAddMshElement(spMshReader* reader, const spMshType* type, const int64_t* ids, int64_t element,
                     int32_t region, int line, spError* error);

// msh4.c
bool spReadMsh4Entities(spMshReader* reader, spError* error);
bool spReadMsh4Nodes(spMshReader* reader, spError* error);
bool spReadMsh4Elements(spMshReader* reader, spError* error);

// Whether the regions of tets can be written as physical groups, whose numbers are positive. Gmsh leaves out
// what is in no group as soon as there is one, so either all tets are in groups or none.
bool spHasGroups(const spMesh* mesh);

// Data of nodes and elements, as all versions write it, regions that are no groups among it
void spPutMshValues(const spMesh* mesh, spOutput* output);
