// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "linear/preconditioner.h"

const spPreconditionerKind* spFindPreconditioner(spPreconditionerType type)
{
    switch (type)
    {
        case sp_preconditionJacobi:
            return &spJacobiKind;
        case sp_preconditionBlockJacobi:
            return &spBlockJacobiKind;
        case sp_preconditionSsor:
            return &spSsorKind;
        case sp_preconditionIncomplete:
            return &spIncompleteKind;
        case sp_preconditionCholesky:
            return &spCholeskyKind;
        case sp_preconditionMultilevel:
            return &spMultilevelKind;
        default:
            return NULL;
    }
}

void* spAllocPreconditioner(const spPreconditionerDef* def, const spPreconditionerKind* kind, size_t size,
                            spError* error)
{
    spHeap heap = spMakeHeap(&def->allocator);
    spPreconditioner* p = spAllocZeroed(&heap, size);
    if (p == NULL)
    {
        spFailMemory(error, "a preconditioner", size);
        return NULL;
    }
    p->kind = kind;
    p->heap = heap;
    return p;
}

void spFreePreconditioner(spPreconditioner* p)
{
    // The heap lies in what is freed
    spHeap heap = p->heap;
    spFree(&heap, p);
    SP_ASSERT(heap.byteCount == 0);
}
