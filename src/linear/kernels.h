// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The inner loops of linear algebra, one table for each number of lanes. All give the same bits.

#pragma once

#include "element/lane_count.h"
#include "linear/sparse.h"

struct spLinearKernels
{
    // y, nodes and slots of the patch: the product of the pairs of the patch with x
    void (*multiply)(const spSparse* a, const spVec4* x, int patch, spVec4* y);

    // Sums the pairs of the patch from the sources, and the diagonal (nodes and slots of the patch)
    void (*collect)(spSparse* a, int patch);

    // How the surroundings of each node have turned from the positions `then` to `now`. First the sums over
    // the pairs of the patch, into columns of 3x3 matrices (nodes and slots of the patch), then, with the
    // slots summed, rotations[node] for the nodes of the patch.
    void (*sumTurns)(const spSparse* a, const spVec4* then, const spVec4* now, int patch,
                     spVec4* const* sums);
    void (*findTurns)(spVec4* const* sums, int begin, int end, spMat3* rotations);

    // q = sign q + own d; returns d.q. ownC NULL: own is diagonal. Nodes [begin, end), as below.
    double (*finishProduct)(spVec4* q, const spVec4* d, const spVec4* ownA, const spVec4* ownC, spReal sign,
                            int begin, int end);

    // x += alpha d, r -= alpha q; returns r.r
    double (*stepResidual)(spVec4* x, spVec4* r, const spVec4* d, const spVec4* q, spReal alpha, int begin,
                           int end);

    // z = P r with a symmetric 3x3 matrix for each node, diagonal when pC is NULL; returns r.z
    double (*applyLocal)(spVec4* z, const spVec4* r, const spVec4* pA, const spVec4* pC, int begin, int end);

    // d = z + beta d
    void (*advanceDirection)(spVec4* d, const spVec4* z, spReal beta, int begin, int end);

    // a.b
    double (*dot)(const spVec4* a, const spVec4* b, int begin, int end);

    // a += s b
    void (*addScaled)(spVec4* a, spReal s, const spVec4* b, int begin, int end);
};

#ifdef SOUPLE_DISABLE_SIMD
extern const spLinearKernels spLinearKernels1;
#else
extern const spLinearKernels spLinearKernels1, spLinearKernels4, spLinearKernels8, spLinearKernels16;
#endif

const spLinearKernels* spFindLinearKernels(int laneCount);
