// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Triangles of a collider as the page and reports read them (docs/view_protocol.md). For parts that link Jansson.

#pragma once

#include "base/base64.h"
#include "souple/mesh.h"

#include <jansson.h>
#include <stdlib.h>

static inline json_t* spEncodeArray(const void* data, size_t size)
{
    char* text = malloc(SP_BASE64_LENGTH(size) + 1);
    json_t* json = text != NULL ? json_stringn(text, spEncodeBase64(data, size, text)) : NULL;
    free(text);
    return json;
}

// Vertices as 32-bit floats, triangles as 32-bit integers, little endian, both as base64. NULL without memory.
static inline json_t* spDescribeSurface(const spMesh* surface)
{
    const spDVec3* vertices = spMesh_GetVertices(surface);
    size_t count = (size_t)spMesh_GetVertexCount(surface);
    size_t triangleSize = (size_t)spMesh_GetTriangleCount(surface) * 3 * sizeof(int32_t);
    float* points = malloc(count * 3 * sizeof(float) + 1);
    json_t* json = points != NULL ? json_object() : NULL;
    for (size_t i = 0; points != NULL && i < count; ++i)
    {
        points[3 * i] = (float)vertices[i].x;
        points[3 * i + 1] = (float)vertices[i].y;
        points[3 * i + 2] = (float)vertices[i].z;
    }
    if (json != NULL)
    {
        int failed = json_object_set_new(json, "vertices", spEncodeArray(points, count * 3 * sizeof(float)));
        failed |=
            json_object_set_new(json, "triangles", spEncodeArray(spMesh_GetTriangles(surface), triangleSize));
        if (failed != 0)
        {
            json_decref(json);
            json = NULL;
        }
    }
    free(points);
    return json;
}
