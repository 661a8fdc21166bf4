// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "corners.h"

#include <stdlib.h>

int spNumberVertices(const int32_t* corners, int cornerCount, int nodeCount, int32_t* vertexNodes,
                     int32_t* result)
{
    int32_t* vertices = calloc((size_t)nodeCount + 1, sizeof(int32_t));
    if (vertices == NULL)
    {
        return -1;
    }
    for (int i = 0; i < cornerCount; ++i)
    {
        vertices[corners[i]] = 1;
    }
    int vertexCount = 0;
    for (int i = 0; i < nodeCount; ++i)
    {
        if (vertices[i] != 0)
        {
            vertexNodes[vertexCount] = i;
            vertices[i] = vertexCount++;
        }
    }
    for (int i = 0; i < cornerCount; ++i)
    {
        result[i] = vertices[corners[i]];
    }
    free(vertices);
    return vertexCount;
}
