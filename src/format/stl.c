// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// STL, ascii and binary. The file repeats a vertex in each of its triangles: those with the same coordinates
// become one, so that a closed surface is closed. Normals are recomputed by whoever needs them. Written:
// both.

#include "format/bytes.h"
#include "format/format.h"

#include "mesh/mesh_math.h"

#include <string.h>

// Binary: 80 bytes of anything, number of triangles, then 50 bytes each
#define SP_STL_HEADER 84
#define SP_STL_TRIANGLE 50

static spByteCursor spMakeStlBytes(const char* at, size_t size)
{
    return (spByteCursor){(const uint8_t*)at, (const uint8_t*)at + size, false};
}

static uint32_t spGetStlCount(const char* data)
{
    spByteCursor bytes = spMakeStlBytes(data + 80, 4);
    return spTakeU32(&bytes);
}

static bool spHasStlSize(const char* data, size_t size)
{
    return size >= SP_STL_HEADER && size == SP_STL_HEADER + SP_STL_TRIANGLE * (uint64_t)spGetStlCount(data);
}

static bool spStartsWithSolid(const char* data, size_t size)
{
    spScanner scanner = spMakeScanner(data, size);
    spSkipSpace(&scanner);
    spWord word = spScanWord(&scanner);
    return spWordIsAnyCase(word, "solid");
}

bool spLooksLikeStl(const char* data, size_t size)
{
    return spStartsWithSolid(data, size) || (spHasStlSize(data, size) && size > SP_STL_HEADER);
}

// Many programs write "solid" into the header of binary files as well. The size tells; where it does not (a
// few bytes were added at the end), text has no zero bytes.
static bool spIsTextStl(const char* data, size_t size)
{
    if (spHasStlSize(data, size) && size > SP_STL_HEADER)
    {
        return false;
    }
    size_t looked = size < 512 ? size : 512;
    return spStartsWithSolid(data, size) && memchr(data, 0, looked) == NULL;
}

// The next word without the "end" before it, which may be a word of its own. Returns whether there is one.
static bool spScanStlWord(spScanner* scanner, spWord* word)
{
    *word = spScanWord(scanner);
    spWord start = {word->text, word->length < 3 ? word->length : 3};
    if (!spWordIsAnyCase(start, "end"))
    {
        return false;
    }
    *word = (spWord){word->text + 3, word->length - 3};
    if (word->length == 0)
    {
        spSkipBlanks(scanner);
        *word = spScanWord(scanner);
    }
    return true;
}

// Only `vertex` lines and `endfacet` carry something; the words between are passed over
static bool spReadTextStl(const char* data, size_t size, spMesh* mesh, spError* error)
{
    mesh->formatName = "STL ascii";
    spScanner scanner = spMakeScanner(data, size);
    int cornerCount = 0;
    bool closed = false;
    for (spSkipSpace(&scanner); !spAtEnd(&scanner); spSkipSpace(&scanner))
    {
        spScanner start = scanner;
        spWord word;
        bool ends = spScanStlWord(&scanner, &word);
        if (!ends && spWordIsAnyCase(word, "vertex"))
        {
            spDVec3 p;
            if (!spNeedPoint(&scanner, "a coordinate of a vertex", &p, error))
            {
                return false;
            }
            if (++cornerCount > 3)
            {
                return spFailScan(&start, error, "a facet has more than three vertices");
            }
            if (!spAddVertex(mesh, p, error))
            {
                return false;
            }
            closed = false;
        }
        else if (ends && spWordIsAnyCase(word, "facet"))
        {
            if (cornerCount != 3)
            {
                return spFailScan(&start, error, "a facet has %d vertices instead of three", cornerCount);
            }
            int v = mesh->vertexCount;
            if (!spAddTriangle(mesh, v - 3, v - 2, v - 1, error))
            {
                return false;
            }
            cornerCount = 0;
        }
        else if (spWordIsAnyCase(word, "solid"))
        {
            closed = ends;
            spSkipLine(&scanner); // a name of any words
        }
        else if (spWordIsAnyCase(word, "facet"))
        {
            spSkipLine(&scanner); // the normal
        }
        else if (!spWordIsAnyCase(word, "loop") && (ends || !spWordIsAnyCase(word, "outer")))
        {
            char found[32];
            spQuoteWord(&start, found);
            return spFailScan(&start, error, "facet, vertex or another word of STL is expected, found %s",
                              found);
        }
    }
    if (cornerCount != 0 || !closed)
    {
        return spFailScan(&scanner, error, "endsolid is missing; the file is cut off");
    }
    return true;
}

static bool spReadBinaryStl(const char* data, size_t size, spMesh* mesh, spError* error)
{
    mesh->formatName = "STL binary";
    if (size < SP_STL_HEADER)
    {
        return spFail(error, sp_errorFileFormat,
                      "an STL file has at least %d bytes, this one has %zu; it is cut off or not STL",
                      SP_STL_HEADER, size);
    }
    int64_t count = spGetStlCount(data);
    if ((uint64_t)count > (size - SP_STL_HEADER) / SP_STL_TRIANGLE)
    {
        return spFail(error, sp_errorFileFormat,
                      "the STL file says that it has %lld triangles, but its %zu bytes hold %zu; it is cut "
                      "off or not STL",
                      (long long)count, size, (size - SP_STL_HEADER) / SP_STL_TRIANGLE);
    }
    if (!spReserveVertices(mesh, 3 * count, error) || !spReserveTriangles(mesh, count, error))
    {
        return false;
    }
    for (int64_t i = 0; i < count; ++i)
    {
        const char* at = data + SP_STL_HEADER + SP_STL_TRIANGLE * i + 12; // behind the normal
        spByteCursor bytes = spMakeStlBytes(at, 36);
        for (int j = 0; j < 3; ++j)
        {
            spDVec3 p;
            p.x = (double)spTakeF32(&bytes);
            p.y = (double)spTakeF32(&bytes);
            p.z = (double)spTakeF32(&bytes);
            if (!spDIsFinite(p))
            {
                return spFail(error, sp_errorFileFormat,
                              "triangle %lld has a vertex that is not finite: (%g, %g, %g)", (long long)i,
                              p.x, p.y, p.z);
            }
            if (!spAddVertex(mesh, p, error))
            {
                return false;
            }
        }
        int v = mesh->vertexCount;
        if (!spAddTriangle(mesh, v - 3, v - 2, v - 1, error))
        {
            return false;
        }
    }
    return true;
}

// Vertices with the same coordinates become one, in order of first appearance
static bool spWeldStl(spMesh* mesh, spError* error)
{
    size_t size = spArraySize(mesh->vertexCount, sizeof(int32_t));
    if (size == 0)
    {
        return true;
    }
    int32_t* remap = spAlloc(&mesh->heap, size);
    if (remap == NULL || spFindSameVertices(&mesh->heap, mesh->vertices, mesh->vertexCount, remap) < 0)
    {
        spFree(&mesh->heap, remap);
        return spFailMemory(error, "joining the vertices of an STL file", 3 * size);
    }
    int newCount = 0;
    for (int i = 0; i < mesh->vertexCount; ++i)
    {
        remap[i] = remap[i] == i ? newCount++ : remap[remap[i]];
    }
    spRemapVertices(mesh, remap, newCount);
    spFree(&mesh->heap, remap);
    return true;
}

bool spReadStl(const char* data, size_t size, spMesh* mesh, spError* error)
{
    bool ok = spIsTextStl(data, size) ? spReadTextStl(data, size, mesh, error)
                                      : spReadBinaryStl(data, size, mesh, error);
    return ok && spWeldStl(mesh, error);
}

static spDVec3 spGetFacetNormal(const spMesh* mesh, const int32_t* triangle)
{
    spDVec3 normal = spTriangleNormal(mesh->vertices, triangle);
    double length = sqrt(spDDot(normal, normal));
    double scale = length > 0.0 ? 1.0 / length : 0.0;
    return (spDVec3){scale * normal.x, scale * normal.y, scale * normal.z};
}

static void spPutFloats(spOutput* output, spDVec3 p)
{
    const float xyz[3] = {(float)p.x, (float)p.y, (float)p.z};
    spPutBytes(output, xyz, sizeof(xyz));
}

bool spWriteStl(const spMesh* mesh, spOutput* output, spError* error)
{
    spIndexList surface;
    if (!spGetFacesOut(mesh, &surface, error))
    {
        return false;
    }
    const char head[80] = "mesh written by souple";
    uint32_t count = (uint32_t)surface.count;
    spPutBytes(output, head, sizeof(head));
    spPutBytes(output, &count, sizeof(count));
    for (int i = 0; i < surface.count; ++i)
    {
        const int32_t* triangle = surface.data + 3 * i;
        const uint16_t unused = 0;
        spPutFloats(output, spGetFacetNormal(mesh, triangle));
        for (int k = 0; k < 3; ++k)
        {
            spPutFloats(output, mesh->vertices[triangle[k]]);
        }
        spPutBytes(output, &unused, sizeof(unused));
    }
    spFreeIndexList(&surface);
    return true;
}

bool spWriteStlText(const spMesh* mesh, spOutput* output, spError* error)
{
    spIndexList surface;
    if (!spGetFacesOut(mesh, &surface, error))
    {
        return false;
    }
    spPutText(output, "solid souple\n");
    for (int i = 0; i < surface.count; ++i)
    {
        const int32_t* triangle = surface.data + 3 * i;
        spPutText(output, "facet normal ");
        spPutPoint(output, spGetFacetNormal(mesh, triangle));
        spPutText(output, "outer loop\n");
        for (int k = 0; k < 3; ++k)
        {
            spPutText(output, "vertex ");
            spPutPoint(output, mesh->vertices[triangle[k]]);
        }
        spPutText(output, "endloop\nendfacet\n");
    }
    spPutText(output, "endsolid souple\n");
    spFreeIndexList(&surface);
    return true;
}
