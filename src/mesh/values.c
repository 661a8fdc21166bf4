// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Arrays of numbers that belong to the vertices, triangles or tets of a mesh and go wherever these go.

#include "mesh/mesh.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

#define SP_MAX_COMPONENTS 9

int spGetPartCount(const spMesh* mesh, spMeshPart part)
{
    const int counts[sp_meshPartCount] = {mesh->vertexCount, mesh->triangleCount, mesh->tetCount};
    return counts[part];
}

static size_t spGetEntrySize(const spMeshValues* values)
{
    return (size_t)values->components * sizeof(double);
}

// Brings an array to the length of its part
static bool spExtendValues(spMesh* mesh, spMeshValues* values)
{
    int count = spGetPartCount(mesh, values->part);
    void* data = values->data;
    bool ok = spReserve(&mesh->heap, &data, values->count, &values->capacity, count, spGetEntrySize(values));
    values->data = data;
    if (!ok)
    {
        return false;
    }
    for (int64_t i = (int64_t)values->count * values->components; i < (int64_t)count * values->components;
         ++i)
    {
        values->data[i] = (double)NAN;
    }
    values->count = count;
    return true;
}

static void spFreeArray(spMesh* mesh, spMeshValues* values)
{
    spFree(&mesh->heap, values->data);
}

spMeshValues* spStartValues(spMesh* mesh, spMeshPart part, const char* name, size_t nameLength,
                            int components)
{
    nameLength = nameLength < SP_VALUE_NAME_SIZE ? nameLength : SP_VALUE_NAME_SIZE - 1;
    spMeshValues* found = NULL;
    for (int i = 0; i < mesh->valueCount && found == NULL; ++i)
    {
        spMeshValues* values = mesh->values + i;
        bool same = values->part == part && strlen(values->name) == nameLength &&
                    memcmp(values->name, name, nameLength) == 0;
        found = same ? values : NULL;
    }
    if (found == NULL)
    {
        void* data = mesh->values;
        bool ok = mesh->valueCount < SP_MAX_MESH_VALUES && components >= 1 &&
                  components <= SP_MAX_COMPONENTS &&
                  spReserve(&mesh->heap, &data, mesh->valueCount, &mesh->valueCapacity, mesh->valueCount + 1,
                            sizeof(spMeshValues));
        mesh->values = data;
        if (!ok)
        {
            return NULL;
        }
        found = mesh->values + mesh->valueCount++;
        *found = (spMeshValues){.part = part, .components = components};
        memcpy(found->name, name, nameLength);
    }
    return found->components == components && spExtendValues(mesh, found) ? found : NULL;
}

static bool spHasNumber(const spMeshValues* values)
{
    for (int64_t i = 0; i < (int64_t)values->count * values->components; ++i)
    {
        if (isfinite(values->data[i]))
        {
            return true;
        }
    }
    return false;
}

bool spFinishValues(spMesh* mesh, spError* error)
{
    int kept = 0;
    for (int i = 0; i < mesh->valueCount; ++i)
    {
        spMeshValues values = mesh->values[i];
        if (!spExtendValues(mesh, &values))
        {
            mesh->values[i] = values;
            return spFailMemory(error, "the values of a mesh", (size_t)values.capacity * sizeof(double));
        }
        if (spHasNumber(&values))
        {
            mesh->values[kept++] = values;
        }
        else
        {
            spFreeArray(mesh, &values);
        }
    }
    mesh->valueCount = kept;
    return true;
}

void spKeepValues(spMesh* mesh, spMeshPart part, const uint8_t* keep, int count)
{
    for (int i = 0; i < mesh->valueCount; ++i)
    {
        spMeshValues* values = mesh->values + i;
        if (values->part != part)
        {
            continue;
        }
        int kept = 0;
        for (int j = 0; j < count; ++j)
        {
            if (keep[j])
            {
                memmove(values->data + (int64_t)kept * values->components,
                        values->data + (int64_t)j * values->components, spGetEntrySize(values));
                kept += 1;
            }
        }
        values->count = kept;
    }
}

void spMoveVertexValues(spMesh* mesh, int from, int to)
{
    for (int i = 0; i < mesh->valueCount; ++i)
    {
        spMeshValues* values = mesh->values + i;
        if (values->part == sp_meshVertices && from < values->count)
        {
            memmove(values->data + (int64_t)to * values->components,
                    values->data + (int64_t)from * values->components, spGetEntrySize(values));
        }
    }
}

void spCutVertexValues(spMesh* mesh, int count)
{
    for (int i = 0; i < mesh->valueCount; ++i)
    {
        spMeshValues* values = mesh->values + i;
        if (values->part == sp_meshVertices && values->count > count)
        {
            values->count = count;
        }
    }
}

bool spCopyValues(spMesh* mesh, const spMesh* from, spError* error)
{
    for (int i = 0; i < from->valueCount; ++i)
    {
        const spMeshValues* values = from->values + i;
        spMeshValues* copy =
            spStartValues(mesh, values->part, values->name, strlen(values->name), values->components);
        if (copy == NULL)
        {
            return spFailMemory(error, "the values of a mesh",
                                (size_t)values->count * spGetEntrySize(values));
        }
        if (values->count > 0)
        {
            memcpy(copy->data, values->data, (size_t)values->count * spGetEntrySize(values));
        }
    }
    return true;
}

void spFreeValues(spMesh* mesh)
{
    for (int i = 0; i < mesh->valueCount; ++i)
    {
        spFreeArray(mesh, mesh->values + i);
    }
    spFree(&mesh->heap, mesh->values);
}

bool spMesh_SetValues(spMesh* mesh, spMeshPart part, const char* name, int components, const double* values,
                      spError* error)
{
    if (mesh == NULL || values == NULL || (unsigned)part >= sp_meshPartCount)
    {
        return spFail(error, sp_errorBadArgument, "spMesh_SetValues: mesh, part or values are missing");
    }
    if (name == NULL || name[0] == 0 || strlen(name) >= SP_VALUE_NAME_SIZE)
    {
        return spFail(error, sp_errorBadArgument, "the name of values must have 1 to %d bytes",
                      SP_VALUE_NAME_SIZE - 1);
    }
    if (components < 1 || components > SP_MAX_COMPONENTS)
    {
        return spFail(error, sp_errorBadArgument, "values \"%s\" have %d components, they must have 1 to %d",
                      name, components, SP_MAX_COMPONENTS);
    }
    int count = spGetPartCount(mesh, part);
    int index = spMesh_FindValues(mesh, part, name);
    if (index >= 0 && spMesh_GetValueComponents(mesh, part, index) != components)
    {
        return spFail(error, sp_errorBadArgument,
                      "values \"%s\" are there already with %d components; choose another name", name,
                      spMesh_GetValueComponents(mesh, part, index));
    }
    if (index < 0 && mesh->valueCount >= SP_MAX_MESH_VALUES)
    {
        return spFail(error, sp_errorLimit, "a mesh keeps at most %d arrays of values", SP_MAX_MESH_VALUES);
    }
    spMeshValues* array = spStartValues(mesh, part, name, strlen(name), components);
    if (array == NULL)
    {
        return spFailMemory(error, "the values of a mesh",
                            (size_t)count * (size_t)components * sizeof(double));
    }
    if (count > 0)
    {
        memcpy(array->data, values, (size_t)count * spGetEntrySize(array));
    }
    return true;
}

// The array of a part; NULL for a bad index
static const spMeshValues* spPickValues(const spMesh* mesh, spMeshPart part, int index)
{
    for (int i = 0; i < mesh->valueCount; ++i)
    {
        if (mesh->values[i].part == part && index-- == 0)
        {
            return mesh->values + i;
        }
    }
    return NULL;
}

int spMesh_GetValueCount(const spMesh* mesh, spMeshPart part)
{
    int count = 0;
    while (spPickValues(mesh, part, count) != NULL)
    {
        count += 1;
    }
    return count;
}

int spMesh_FindValues(const spMesh* mesh, spMeshPart part, const char* name)
{
    const spMeshValues* values;
    for (int i = 0; name != NULL && (values = spPickValues(mesh, part, i)) != NULL; ++i)
    {
        if (strcmp(values->name, name) == 0)
        {
            return i;
        }
    }
    return -1;
}

const char* spMesh_GetValueName(const spMesh* mesh, spMeshPart part, int index)
{
    const spMeshValues* values = spPickValues(mesh, part, index);
    return values != NULL ? values->name : "";
}

int spMesh_GetValueComponents(const spMesh* mesh, spMeshPart part, int index)
{
    const spMeshValues* values = spPickValues(mesh, part, index);
    return values != NULL ? values->components : 0;
}

const double* spMesh_GetValues(const spMesh* mesh, spMeshPart part, int index)
{
    const spMeshValues* values = spPickValues(mesh, part, index);
    return values != NULL ? values->data : NULL;
}
