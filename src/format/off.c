// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// OFF (object file format), text: vertices and polygons. Colours, normals and texture coordinates, on the
// same lines, are passed over. Written: the same.

#include "format/format.h"

#include <string.h>

#define SP_MAX_CORNERS 4096

// [ST][C][N]OFF; with 4 or n before OFF points have another number of coordinates
static bool spReadOffMark(spScanner* scanner, spError* error)
{
    spSkipHashComments(scanner);
    spScanner before = *scanner;
    spWord mark = spScanWord(scanner);
    static const char* const marks[] = {"OFF",   "COFF",   "NOFF",   "CNOFF",
                                        "STOFF", "STCOFF", "STNOFF", "STCNOFF"};
    for (int i = 0; i < SP_COUNT(marks); ++i)
    {
        if (spWordIs(mark, marks[i]))
        {
            spSkipBlanks(scanner);
            spScanner ahead = *scanner;
            return !spWordIs(spScanWord(&ahead), "BINARY") ||
                   spFailAt(error, sp_errorUnsupported, before.line, 0,
                            "binary OFF files are not supported; write it as text");
        }
    }
    return spFailScan(&before, error,
                      "an OFF file starts with OFF (or COFF, NOFF, STOFF); points have three "
                      "coordinates");
}

static bool spReadOffFaces(spScanner* scanner, spMesh* mesh, int64_t count, spError* error)
{
    int32_t corners[SP_MAX_CORNERS];
    for (int64_t i = 0; i < count; ++i)
    {
        int64_t cornerCount, vertex;
        spSkipHashComments(scanner);
        if (!spNeedInteger(scanner, "the number of vertices of a face", 0, SP_MAX_CORNERS, &cornerCount,
                           error))
        {
            return false;
        }
        for (int64_t k = 0; k < cornerCount; ++k)
        {
            if (!spNeedInteger(scanner, "a vertex of a face", 0, mesh->vertexCount - 1, &vertex, error))
            {
                return false;
            }
            corners[k] = (int32_t)vertex;
        }
        spCellKind kind = cornerCount >= 3 ? sp_cellPolygon : cornerCount == 2 ? sp_cellLine : sp_cellPoint;
        if (!spAddCell(mesh, kind, corners, (int)cornerCount, 0, error))
        {
            return false;
        }
        spSkipLine(scanner);
    }
    return true;
}

bool spReadOff(const char* data, size_t size, spMesh* mesh, spError* error)
{
    mesh->formatName = "OFF";
    spScanner scanner = spMakeScanner(data, size);
    int64_t vertices, faces, edges;
    if (!spReadOffMark(&scanner, error))
    {
        return false;
    }
    spSkipHashComments(&scanner);
    spScanner before = scanner;
    if (!spNeedInteger(&scanner, "the number of vertices", 0, SP_MESH_LIMIT, &vertices, error) ||
        !spNeedInteger(&scanner, "the number of faces", 0, SP_MESH_LIMIT, &faces, error))
    {
        return false;
    }
    spSkipBlanks(&scanner);
    spScanInteger(&scanner, &edges); // some leave it out, nobody needs it
    size_t left = (size_t)(scanner.end - scanner.at);
    if ((uint64_t)vertices > left / 6 + 1 || (uint64_t)faces > left / 2 + 1)
    {
        return spFailScan(&before, error,
                          "%lld vertices and %lld faces do not fit into %zu bytes; the file is "
                          "cut off",
                          (long long)vertices, (long long)faces, left);
    }
    if (!spReserveVertices(mesh, vertices, error))
    {
        return false;
    }
    for (int64_t i = 0; i < vertices; ++i)
    {
        spDVec3 point;
        spSkipHashComments(&scanner);
        if (!spNeedPoint(&scanner, "a coordinate of a vertex", &point, error) ||
            !spAddVertex(mesh, point, error))
        {
            return false;
        }
        spSkipLine(&scanner);
    }
    return spReadOffFaces(&scanner, mesh, faces, error);
}

bool spWriteOff(const spMesh* mesh, spOutput* output, spError* error)
{
    spIndexList surface;
    if (!spGetFacesOut(mesh, &surface, error))
    {
        return false;
    }
    spPutFormat(output, "OFF\n%d %d 0\n", mesh->vertexCount, surface.count);
    for (int i = 0; i < mesh->vertexCount; ++i)
    {
        spPutPoint(output, mesh->vertices[i]);
    }
    for (int i = 0; i < surface.count; ++i)
    {
        spPutText(output, "3 ");
        spPutIndices(output, surface.data + 3 * i, 3, 0, "\n");
    }
    spFreeIndexList(&surface);
    return true;
}
