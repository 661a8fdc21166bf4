// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Writing Gmsh MSH: versions 2.2 and 4.1, each ascii and binary in the byte order of this machine. Regions of
// tets are physical groups where their numbers allow it, in 4.1 one volume for each; else, and those of
// triangles, element data "region". Values are node data and element data.

#include "format/format.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Elements are numbered from 1: edges, triangles, tets
typedef struct spMshOut
{
    const spMesh* mesh;
    spOutput* output;
    bool binary;
    bool groups; // regions of tets are physical groups
} spMshOut;

// ---------------------------------------------------------------------------------------------------------
// Numbers, as text with what comes after them or as bytes

static void spPutInt(const spMshOut* out, int32_t value, const char* after)
{
    if (out->binary)
    {
        spPutBytes(out->output, &value, sizeof(value));
        return;
    }
    spPutInteger(out->output, value);
    spPutText(out->output, after);
}

static void spPutSize(const spMshOut* out, int64_t value, const char* after)
{
    if (out->binary)
    {
        spPutBytes(out->output, &value, sizeof(value));
        return;
    }
    spPutInteger(out->output, value);
    spPutText(out->output, after);
}

static void spPutDouble(const spMshOut* out, double value, const char* after)
{
    if (out->binary)
    {
        spPutBytes(out->output, &value, sizeof(value));
        return;
    }
    spPutReal(out->output, value);
    spPutText(out->output, after);
}

static void spPutCoordinates(const spMshOut* out, spDVec3 point)
{
    spPutDouble(out, point.x, " ");
    spPutDouble(out, point.y, " ");
    spPutDouble(out, point.z, "\n");
}

static void spPutEnd(const spMshOut* out, const char* mark)
{
    spPutText(out->output, out->binary ? "\n" : "");
    spPutText(out->output, mark);
}

static void spPutFormatSection(const spMshOut* out, const char* version)
{
    spPutFormat(out->output, "$MeshFormat\n%s %d 8\n", version, out->binary);
    if (out->binary)
    {
        spPutInt(out, 1, "");
    }
    spPutEnd(out, "$EndMeshFormat\n");
}

// ---------------------------------------------------------------------------------------------------------
// Regions and values

// Numbers of physical groups are positive, and Gmsh leaves out what is in no group as soon as there is one,
// so either all tets are in groups or none
static bool spHasGroups(const spMesh* mesh)
{
    for (int i = 0; i < mesh->tetCount; ++i)
    {
        if (mesh->tetRegions[i] <= 0)
        {
            return false;
        }
    }
    return true;
}

static bool spHasRegions(const spMesh* mesh)
{
    for (int i = 0; i < mesh->tetCount; ++i)
    {
        if (mesh->tetRegions[i] != 0)
        {
            return true;
        }
    }
    return false;
}

// The values of one part in a section
typedef struct spMshPart
{
    const double* values;   // NULL: none, or regions
    const int32_t* regions; // NULL: values
    int64_t firstNumber;
    int count;
} spMshPart;

// Entries that have no number are left out
static bool spHasEntry(const spMshPart* part, int i, int components)
{
    return part->regions != NULL || isfinite(part->values[(int64_t)i * components]);
}

static void spPutSection(const spMshOut* out, const char* section, const char* name, int components,
                         const spMshPart parts[2])
{
    int count = 0;
    for (int p = 0; p < 2; ++p)
    {
        for (int i = 0; i < parts[p].count; ++i)
        {
            count += spHasEntry(parts + p, i, components);
        }
    }
    spPutFormat(out->output, "$%s\n1\n", section);
    spPutName(out->output, name);
    spPutFormat(out->output, "\n1\n0\n3\n0\n%d\n%d\n", components, count);
    for (int p = 0; p < 2; ++p)
    {
        for (int i = 0; i < parts[p].count; ++i)
        {
            if (!spHasEntry(parts + p, i, components))
            {
                continue;
            }
            spPutInt(out, (int32_t)(parts[p].firstNumber + i), " ");
            for (int k = 0; k < components; ++k)
            {
                double value = parts[p].regions != NULL ? (double)parts[p].regions[i]
                                                        : parts[p].values[(int64_t)i * components + k];
                spPutDouble(out, value, k + 1 < components ? " " : "\n");
            }
        }
    }
    spPutFormat(out->output, "%s$End%s\n", out->binary ? "\n" : "", section);
}

static spMshPart spMakePart(const spMshOut* out, const spMeshValues* values)
{
    const spMesh* mesh = out->mesh;
    int64_t first = values->part == sp_meshVertices ? 1 : (int64_t)mesh->edgeCount + 1;
    first += values->part == sp_meshTets ? mesh->triangleCount : 0;
    return (spMshPart){.values = values->data, .firstNumber = first, .count = values->count};
}

// The array of the other sort of elements with the same name, which goes into the same section
static const spMeshValues* spFindTwin(const spMesh* mesh, const spMeshValues* values)
{
    spMeshPart part = values->part == sp_meshTets ? sp_meshTriangles : sp_meshTets;
    for (int i = 0; values->part != sp_meshVertices && i < mesh->valueCount; ++i)
    {
        const spMeshValues* other = mesh->values + i;
        if (other->part == part && other->components == values->components &&
            strcmp(other->name, values->name) == 0)
        {
            return other;
        }
    }
    return NULL;
}

static void spPutValues(const spMshOut* out)
{
    const spMesh* mesh = out->mesh;
    const double* triangleRegions = spFindTriangleRegions(mesh);
    bool tetRegions = !out->groups && spHasRegions(mesh);
    if (tetRegions)
    {
        int64_t first = (int64_t)mesh->edgeCount + 1;
        const spMshPart parts[2] = {{.values = triangleRegions,
                                     .firstNumber = first,
                                     .count = triangleRegions != NULL ? mesh->triangleCount : 0},
                                    {.regions = mesh->tetRegions,
                                     .firstNumber = first + mesh->triangleCount,
                                     .count = mesh->tetCount}};
        spPutSection(out, "ElementData", "region", 1, parts);
    }
    for (int i = 0; i < mesh->valueCount; ++i)
    {
        const spMeshValues* values = mesh->values + i;
        const spMeshValues* twin = spFindTwin(mesh, values);
        bool told =
            (tetRegions && values->data == triangleRegions) || (twin != NULL && values->part == sp_meshTets);
        if (told)
        {
            continue;
        }
        const spMshPart parts[2] = {spMakePart(out, values),
                                    twin != NULL ? spMakePart(out, twin) : (spMshPart){0}};
        spPutSection(out, values->part == sp_meshVertices ? "NodeData" : "ElementData", values->name,
                     values->components, parts);
    }
}

// ---------------------------------------------------------------------------------------------------------
// Version 2.2

// Number, type and two tags in text; in binary the type stands before all elements of a sort
static void spPutElements2(const spMshOut* out, int type, const int32_t* cells, int nodeCount, int count,
                           const int32_t* regions, int64_t* number)
{
    if (out->binary && count > 0)
    {
        spPutInt(out, type, "");
        spPutInt(out, count, "");
        spPutInt(out, 2, "");
    }
    for (int i = 0; i < count; ++i)
    {
        int32_t region = regions != NULL ? regions[i] : 0;
        spPutInt(out, (int32_t)(*number)++, " ");
        if (!out->binary)
        {
            spPutInt(out, type, " 2 ");
        }
        spPutInt(out, region, " ");
        spPutInt(out, region, " ");
        for (int k = 0; k < nodeCount; ++k)
        {
            spPutInt(out, cells[(int64_t)i * nodeCount + k] + 1, k + 1 < nodeCount ? " " : "\n");
        }
    }
}

static bool spWriteVersion2(const spMesh* mesh, spOutput* output, bool binary, spError* error)
{
    spMshOut out = {.mesh = mesh, .output = output, .binary = binary, .groups = spHasGroups(mesh)};
    int64_t count = (int64_t)mesh->edgeCount + mesh->triangleCount + mesh->tetCount, number = 1;
    if (count > INT32_MAX)
    {
        return spFail(error, sp_errorLimit, "the mesh has too many elements for MSH; use .vtu");
    }
    spPutFormatSection(&out, "2.2");
    spPutFormat(output, "$Nodes\n%d\n", mesh->vertexCount);
    for (int i = 0; i < mesh->vertexCount; ++i)
    {
        spPutInt(&out, i + 1, " ");
        spPutCoordinates(&out, mesh->vertices[i]);
    }
    spPutEnd(&out, "$EndNodes\n");
    spPutFormat(output, "$Elements\n%d\n", (int)count);
    spPutElements2(&out, 1, mesh->edges, 2, mesh->edgeCount, NULL, &number);
    spPutElements2(&out, 2, mesh->triangles, 3, mesh->triangleCount, NULL, &number);
    spPutElements2(&out, 4, mesh->tets, 4, mesh->tetCount, out.groups ? mesh->tetRegions : NULL, &number);
    spPutEnd(&out, "$EndElements\n");
    spPutValues(&out);
    return true;
}

// ---------------------------------------------------------------------------------------------------------
// Version 4.1

static int spCompareRegions(const void* a, const void* b)
{
    int32_t x = *(const int32_t*)a, y = *(const int32_t*)b;
    return x < y ? -1 : x > y;
}

// Every region once, ascending
static int spCollectRegions(const spMesh* mesh, int32_t* regions)
{
    if (mesh->tetCount == 0)
    {
        return 0;
    }
    memcpy(regions, mesh->tetRegions, (size_t)mesh->tetCount * sizeof(int32_t));
    qsort(regions, (size_t)mesh->tetCount, sizeof(int32_t), spCompareRegions);
    int count = 1;
    for (int i = 1; i < mesh->tetCount; ++i)
    {
        if (regions[i] != regions[count - 1])
        {
            regions[count++] = regions[i];
        }
    }
    return count;
}

static void spPutEntities(const spMshOut* out, const int32_t* regions, int regionCount)
{
    const spMesh* mesh = out->mesh;
    spDVec3 low = mesh->vertices[0], high = low;
    for (int i = 1; i < mesh->vertexCount; ++i)
    {
        spDVec3 p = mesh->vertices[i];
        low = (spDVec3){fmin(low.x, p.x), fmin(low.y, p.y), fmin(low.z, p.z)};
        high = (spDVec3){fmax(high.x, p.x), fmax(high.y, p.y), fmax(high.z, p.z)};
    }
    const double box[6] = {low.x, low.y, low.z, high.x, high.y, high.z};
    int curves = mesh->edgeCount > 0, surfaces = mesh->triangleCount > 0;
    spPutText(out->output, "$Entities\n");
    spPutSize(out, 0, " ");
    spPutSize(out, curves, " ");
    spPutSize(out, surfaces, " ");
    spPutSize(out, regionCount, "\n");
    for (int i = 0; i < curves + surfaces + regionCount; ++i)
    {
        int volume = i - curves - surfaces;
        spPutInt(out, volume >= 0 ? volume + 1 : 1, " ");
        for (int k = 0; k < 6; ++k)
        {
            spPutDouble(out, box[k], " ");
        }
        bool physical = volume >= 0 && out->groups;
        spPutSize(out, physical, " ");
        if (physical)
        {
            spPutInt(out, regions[volume], " ");
        }
        spPutSize(out, 0, "\n");
    }
    spPutEnd(out, "$EndEntities\n");
}

// What nodes and elements begin with: blocks, entries, smallest and largest number
static void spPutHead(const spMshOut* out, int blocks, int64_t count)
{
    spPutSize(out, blocks, " ");
    spPutSize(out, count, " ");
    spPutSize(out, count > 0, " ");
    spPutSize(out, count, "\n");
}

static void spPutNodes(const spMshOut* out)
{
    const spMesh* mesh = out->mesh;
    int dimension = mesh->tetCount > 0 ? 3 : mesh->triangleCount > 0 ? 2 : mesh->edgeCount > 0 ? 1 : 0;
    spPutText(out->output, "$Nodes\n");
    spPutHead(out, 1, mesh->vertexCount);
    spPutInt(out, dimension, " ");
    spPutInt(out, 1, " ");
    spPutInt(out, 0, " ");
    spPutSize(out, mesh->vertexCount, "\n");
    for (int i = 0; i < mesh->vertexCount; ++i)
    {
        spPutSize(out, (int64_t)i + 1, "\n");
    }
    for (int i = 0; i < mesh->vertexCount; ++i)
    {
        spPutCoordinates(out, mesh->vertices[i]);
    }
    spPutEnd(out, "$EndNodes\n");
}

static void spPutBlock(const spMshOut* out, int dimension, int entity, int type, const int32_t* cells,
                       int count, int64_t* number)
{
    if (count == 0)
    {
        return;
    }
    spPutInt(out, dimension, " ");
    spPutInt(out, entity, " ");
    spPutInt(out, type, " ");
    spPutSize(out, count, "\n");
    for (int i = 0; i < count; ++i)
    {
        spPutSize(out, (*number)++, " ");
        for (int k = 0; k <= dimension; ++k)
        {
            spPutSize(out, (int64_t)cells[(int64_t)i * (dimension + 1) + k] + 1, k < dimension ? " " : "\n");
        }
    }
}

// Where a run of tets of one region ends
static int spFindRunEnd(const spMesh* mesh, int begin)
{
    int end = begin + 1;
    while (end < mesh->tetCount && mesh->tetRegions[end] == mesh->tetRegions[begin])
    {
        ++end;
    }
    return end;
}

static bool spWriteVersion4(const spMesh* mesh, spOutput* output, bool binary, spError* error)
{
    spMshOut out = {.mesh = mesh, .output = output, .binary = binary, .groups = spHasGroups(mesh)};
    spHeap heap = spMakeHeap(&mesh->heap.allocator);
    size_t size = spArraySize(mesh->tetCount, sizeof(int32_t));
    int32_t* regions = spAlloc(&heap, size);
    if (regions == NULL && size > 0)
    {
        return spFailMemory(error, "the regions of a mesh", size);
    }
    int regionCount = spCollectRegions(mesh, regions);
    spPutFormatSection(&out, "4.1");
    spPutEntities(&out, regions, regionCount);
    spPutNodes(&out);
    int blocks = (mesh->edgeCount > 0) + (mesh->triangleCount > 0);
    for (int i = 0; i < mesh->tetCount; i = spFindRunEnd(mesh, i))
    {
        blocks += 1;
    }
    int64_t number = 1;
    spPutText(output, "$Elements\n");
    spPutHead(&out, blocks, (int64_t)mesh->edgeCount + mesh->triangleCount + mesh->tetCount);
    spPutBlock(&out, 1, 1, 1, mesh->edges, mesh->edgeCount, &number);
    spPutBlock(&out, 2, 1, 2, mesh->triangles, mesh->triangleCount, &number);
    for (int begin = 0, end; begin < mesh->tetCount; begin = end)
    {
        end = spFindRunEnd(mesh, begin);
        const int32_t* found = bsearch(&mesh->tetRegions[begin], regions, (size_t)regionCount,
                                       sizeof(int32_t), spCompareRegions);
        spPutBlock(&out, 3, (int)(found - regions) + 1, 4, mesh->tets + 4 * (int64_t)begin, end - begin,
                   &number);
    }
    spPutEnd(&out, "$EndElements\n");
    spPutValues(&out);
    spFree(&heap, regions);
    return true;
}

bool spWriteMsh(const spMesh* mesh, spOutput* output, spError* error)
{
    return spWriteVersion4(mesh, output, false, error);
}

bool spWriteMshBinary(const spMesh* mesh, spOutput* output, spError* error)
{
    return spWriteVersion4(mesh, output, true, error);
}

bool spWriteMsh22(const spMesh* mesh, spOutput* output, spError* error)
{
    return spWriteVersion2(mesh, output, false, error);
}

bool spWriteMsh22Binary(const spMesh* mesh, spOutput* output, spError* error)
{
    return spWriteVersion2(mesh, output, true, error);
}
