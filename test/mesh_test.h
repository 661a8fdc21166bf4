// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What the tests of meshes and mesh files share: an allocator that fails on request and counts what is out.

#pragma once

#include "souple/mesh.h"
#include "testbed/check.h"

#include <stdlib.h>
#include <string.h>

typedef struct FailingAllocator
{
    int failAt;  // this allocation fails, counted from 0; -1: none
    int count;   // allocations asked for
    int64_t out; // bytes out
    int64_t peak;
} FailingAllocator;

static void* FailingAlloc(size_t size, size_t alignment, void* context)
{
    FailingAllocator* failing = context;
    if (failing->count++ == failing->failAt)
    {
        return NULL;
    }
    void* memory = aligned_alloc(alignment, size);
    if (memory != NULL)
    {
        failing->out += (int64_t)size;
        failing->peak = failing->out > failing->peak ? failing->out : failing->peak;
    }
    return memory;
}

static void FailingFree(void* memory, size_t size, void* context)
{
    FailingAllocator* failing = context;
    failing->out -= (int64_t)size;
    free(memory);
}

static inline spAllocator MakeFailingAllocator(FailingAllocator* failing)
{
    return (spAllocator){FailingAlloc, FailingFree, failing};
}

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
