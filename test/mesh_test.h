// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What the tests of meshes and mesh files share.

#pragma once

#include "souple/mesh.h"
#include "test/memory_test.h"
#include "testbed/check.h"

#include <stdlib.h>
#include <string.h>

static inline spDVec3 Subtract(spDVec3 a, spDVec3 b)
{
    return (spDVec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline spDVec3 Cross(spDVec3 a, spDVec3 b)
{
    return (spDVec3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline double Dot(spDVec3 a, spDVec3 b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline double Length(spDVec3 a)
{
    return sqrt(Dot(a, a));
}

/// Fails unless two meshes are the same to the last bit.
static inline void CheckSameMesh(const spMesh* a, const spMesh* b)
{
    assert_int_equal(spMesh_GetVertexCount(a), spMesh_GetVertexCount(b));
    assert_int_equal(spMesh_GetEdgeCount(a), spMesh_GetEdgeCount(b));
    assert_int_equal(spMesh_GetTriangleCount(a), spMesh_GetTriangleCount(b));
    assert_int_equal(spMesh_GetTetCount(a), spMesh_GetTetCount(b));
    size_t vertexCount = (size_t)spMesh_GetVertexCount(a), edgeCount = (size_t)spMesh_GetEdgeCount(a);
    size_t triangleCount = (size_t)spMesh_GetTriangleCount(a), tetCount = (size_t)spMesh_GetTetCount(a);
    assert_memory_equal(spMesh_GetVertices(a), spMesh_GetVertices(b), vertexCount * sizeof(spDVec3));
    if (edgeCount > 0)
    {
        assert_memory_equal(spMesh_GetEdges(a), spMesh_GetEdges(b), edgeCount * 8);
    }
    if (triangleCount > 0)
    {
        assert_memory_equal(spMesh_GetTriangles(a), spMesh_GetTriangles(b), triangleCount * 12);
    }
    if (tetCount > 0)
    {
        assert_memory_equal(spMesh_GetTets(a), spMesh_GetTets(b), tetCount * 16);
        assert_memory_equal(spMesh_GetTetRegions(a), spMesh_GetTetRegions(b), tetCount * 4);
    }
}
