// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The inner loops of linear algebra for SP_LANES lanes. Included once for each number of lanes.

#include "math/lanes_mat3.h"
#include "math/lanes_node.h"

#include "linear/sparse.h"

// ---- pairs ----

typedef struct spPairProduct
{
    const int32_t* slots;
    RVec3 lower, upper; // what is added to the lower and the upper node
} spPairProduct;

SP_KERNEL spPairProduct spMultiplyLanes(const spSparse* a, const spVec4* x, int block, int lane)
{
    const spReal* e = a->values + (size_t)block * 9 * SP_BLOCK + lane;
    const int32_t* nodes = a->blocks.nodes + (size_t)block * 2 * SP_BLOCK + lane;
    RVec3 d = spGatherDifference(x, nodes, nodes + SP_BLOCK);
    spPairProduct p = {.slots = spGetBlockSlots(&a->blocks, block) + lane};
    R xx = spLoad(e), xy = spLoad(e + SP_BLOCK), xz = spLoad(e + 2 * SP_BLOCK);
    R yx = spLoad(e + 3 * SP_BLOCK), yy = spLoad(e + 4 * SP_BLOCK), yz = spLoad(e + 5 * SP_BLOCK);
    R zx = spLoad(e + 6 * SP_BLOCK), zy = spLoad(e + 7 * SP_BLOCK), zz = spLoad(e + 8 * SP_BLOCK);
    R zero = spSplat(0);
    p.lower = (RVec3){zero - (xx * d.x + yx * d.y + zx * d.z), zero - (xy * d.x + yy * d.y + zy * d.z),
                      zero - (xz * d.x + yz * d.y + zz * d.z)};
    p.upper = (RVec3){xx * d.x + xy * d.y + xz * d.z, yx * d.x + yy * d.y + yz * d.z,
                      zx * d.x + zy * d.y + zz * d.z};
    return p;
}

SP_KERNEL void spScatterProduct(const spPairProduct* p, spVec4* y)
{
    spScatterNode(y, p->slots, p->lower);
    spScatterNode(y, p->slots + SP_BLOCK, p->upper);
}

static void spClearPatch(const spSparse* a, int patch, spVec4* y)
{
    int begin = a->patchBegin[patch], end = a->patchBegin[patch + 1];
    int slot = a->slots.patchSlot[patch], endSlot = a->slots.patchSlot[patch + 1];
    memset(y + begin, 0, (size_t)(end - begin) * sizeof(spVec4));
    memset(y + a->nodeCount + slot, 0, (size_t)(endSlot - slot) * sizeof(spVec4));
}

// The next lanes are multiplied before the last ones are added, so that arithmetic and the loads and stores
// of the scatter overlap
static void spMultiplyPairs(const spSparse* a, const spVec4* x, int patch, spVec4* y)
{
    spClearPatch(a, patch, y);
    int begin = a->blocks.patchBlock[patch], end = a->blocks.patchBlock[patch + 1];
    if (begin == end)
    {
        return;
    }
    spPairProduct last = spMultiplyLanes(a, x, begin, 0);
    int lane = SP_LANES % SP_BLOCK;
    int block = begin + SP_LANES / SP_BLOCK;
    while (block < end)
    {
        spPairProduct next = spMultiplyLanes(a, x, block, lane);
        spScatterProduct(&last, y);
        last = next;
        lane = (lane + SP_LANES) % SP_BLOCK;
        block += lane == 0 ? 1 : 0;
    }
    spScatterProduct(&last, y);
}

SP_KERNEL RMat3 spCollectGradients(const spPairSource* s, int block, int lane, RMat3 e)
{
    R b = spSplat(s->factor), zero = spSplat(0);
    for (int round = s->firstRound[block]; round < s->firstRound[block + 1]; ++round)
    {
        const int32_t* offsets = s->offsets + (size_t)round * 2 * SP_BLOCK + lane;
        R c;
        RVec3 gi = spGatherNodes(s->pairs, offsets, &c),
              gj = spGatherNodes(s->pairs, offsets + SP_BLOCK, NULL);
        R dot = zero - spDotR(gi, gj);
        RVec3 bi = spScaleR(zero - b, gi), ci = spScaleR(zero - c, gi);
        // Column q of -b g_j g_i^T - c g_i g_j^T
        e.cx = spAddR(e.cx, spAddR(spScaleR(bi.x, gj), spScaleR(gj.x, ci)));
        e.cy = spAddR(e.cy, spAddR(spScaleR(bi.y, gj), spScaleR(gj.y, ci)));
        e.cz = spAddR(e.cz, spAddR(spScaleR(bi.z, gj), spScaleR(gj.z, ci)));
        e = spAddDiagonalR(e, dot);
    }
    return e;
}

SP_KERNEL RMat3 spCollectBlocks(const spPairSource* s, int block, int lane, RMat3 e)
{
    for (int round = s->firstRound[block]; round < s->firstRound[block + 1]; ++round)
    {
        const int32_t* offsets = s->offsets + (size_t)round * SP_BLOCK + lane;
        e.cx = spAddR(e.cx, spGatherNodes(s->pairs, offsets, NULL));
        e.cy = spAddR(e.cy, spGatherNodes(s->pairs + 1, offsets, NULL));
        e.cz = spAddR(e.cz, spGatherNodes(s->pairs + 2, offsets, NULL));
    }
    return e;
}

SP_KERNEL void spStoreLanes(spReal* to, R value)
{
    memcpy(to, &value, sizeof(R));
}

static void spCollectPairs(spSparse* a, int patch)
{
    R zero = spSplat(0), half = spSplat((spReal)0.5);
    RVec3 none = {zero, zero, zero};
    spClearPatch(a, patch, a->diagonal[0]);
    spClearPatch(a, patch, a->diagonal[1]);
    for (int block = a->blocks.patchBlock[patch]; block < a->blocks.patchBlock[patch + 1]; ++block)
    {
        for (int lane = 0; lane < SP_BLOCK; lane += SP_LANES)
        {
            RMat3 e = {none, none, none};
            for (int i = 0; i < a->sourceCount; ++i)
            {
                const spPairSource* s = a->sources + i;
                e = s->form == sp_pairsGradients ? spCollectGradients(s, block, lane, e)
                                                 : spCollectBlocks(s, block, lane, e);
            }
            spReal* to = a->values + (size_t)block * 9 * SP_BLOCK + lane;
            const R numbers[9] = {e.cx.x, e.cx.y, e.cx.z, e.cy.x, e.cy.y, e.cy.z, e.cz.x, e.cz.y, e.cz.z};
            SP_UNROLL
            for (int k = 0; k < 9; ++k)
            {
                spStoreLanes(to + k * SP_BLOCK, numbers[k]);
            }
            // The sum over all pairs of a node is symmetric: half of each pair and its transpose does
            RVec3 straight = {e.cx.x, e.cy.y, e.cz.z};
            RVec3 crossed = {half * (e.cx.y + e.cy.x), half * (e.cy.z + e.cz.y), half * (e.cx.z + e.cz.x)};
            const int32_t* slots = spGetBlockSlots(&a->blocks, block) + lane;
            spScatterNode(a->diagonal[0], slots, straight);
            spScatterNode(a->diagonal[0], slots + SP_BLOCK, straight);
            spScatterNode(a->diagonal[1], slots, crossed);
            spScatterNode(a->diagonal[1], slots + SP_BLOCK, crossed);
        }
    }
}

// ---- rotations of nodes: shape matching over the neighbours ----

static void spSumTurns(const spSparse* a, const spVec4* then, const spVec4* now, int patch,
                       spVec4* const* sums)
{
    for (int k = 0; k < 3; ++k)
    {
        spClearPatch(a, patch, sums[k]);
    }
    for (int block = a->blocks.patchBlock[patch]; block < a->blocks.patchBlock[patch + 1]; ++block)
    {
        for (int lane = 0; lane < SP_BLOCK; lane += SP_LANES)
        {
            const int32_t* nodes = a->blocks.nodes + (size_t)block * 2 * SP_BLOCK + lane;
            const int32_t* slots = spGetBlockSlots(&a->blocks, block) + lane;
            RVec3 p, q;
            spGatherDifferences(then, now, nodes, nodes + SP_BLOCK, &p, &q);
            // now then^T, the same from both ends
            const RVec3 columns[3] = {spScaleR(p.x, q), spScaleR(p.y, q), spScaleR(p.z, q)};
            for (int k = 0; k < 3; ++k)
            {
                spScatterNode(sums[k], slots, columns[k]);
                spScatterNode(sums[k], slots + SP_BLOCK, columns[k]);
            }
        }
    }
}

static void spFindTurns(spVec4* const* sums, int begin, int end, spMat3* rotations)
{
    for (int node = begin; node < end; node += SP_LANES)
    {
        int count = spMinInt(SP_LANES, end - node);
        int32_t offsets[SP_LANES];
        for (int i = 0; i < SP_LANES; ++i)
        {
            offsets[i] = 4 * (node + (i < count ? i : 0));
        }
        RMat3 f = {spGatherNodes(sums[0], offsets, NULL), spGatherNodes(sums[1], offsets, NULL),
                   spGatherNodes(sums[2], offsets, NULL)};
        R trace;
        RMat3 r = spGetPolarRotationR(f, &trace);
        for (int i = 0; i < count; ++i)
        {
            rotations[node + i] = spGetMatLane(&r, i);
        }
    }
}

// ---- vectors: four nodes at a time, whatever the number of lanes ----

typedef spReal spGroup __attribute__((vector_size(16 * sizeof(spReal))));
typedef spGroup spGroupMemory __attribute__((may_alias, aligned(4 * sizeof(spReal))));
typedef double spGroupSum __attribute__((vector_size(16 * sizeof(double))));

SP_KERNEL spGroup spLoadGroup(const spVec4* a, int count)
{
    if (count >= 4)
    {
        return *(const spGroupMemory*)a;
    }
    spGroup group = {0};
    memcpy(&group, a, (size_t)count * sizeof(spVec4));
    return group;
}

SP_KERNEL void spStoreGroup(spVec4* a, spGroup group, int count)
{
    if (count >= 4)
    {
        *(spGroupMemory*)a = group;
        return;
    }
    memcpy(a, &group, (size_t)count * sizeof(spVec4));
}

SP_KERNEL spGroupSum spAddProduct(spGroupSum sum, spGroup a, spGroup b)
{
    return sum + __builtin_convertvector(a, spGroupSum) * __builtin_convertvector(b, spGroupSum);
}

SP_KERNEL double spSumGroup(spGroupSum sum)
{
    double total = 0.0;
    for (int i = 0; i < 16; ++i)
    {
        total += sum[i];
    }
    return total;
}

// (y, z, x, w) and (z, x, y, w) of each node
SP_KERNEL spGroup spTurnGroup(spGroup a)
{
    return __builtin_shufflevector(a, a, 1, 2, 0, 3, 5, 6, 4, 7, 9, 10, 8, 11, 13, 14, 12, 15);
}

// A symmetric 3x3 matrix times a vector: (xx, yy, zz) in a, (xy, yz, xz) in c
SP_KERNEL spGroup spMulSymGroup(spGroup a, spGroup c, spGroup v)
{
    spGroup once = spTurnGroup(v), twice = spTurnGroup(once);
    return a * v + c * once + spTurnGroup(spTurnGroup(c)) * twice;
}

static double spFinishProduct(spVec4* q, const spVec4* d, const spVec4* ownA, const spVec4* ownC, spReal sign,
                              int begin, int end)
{
    spGroupSum sum = {0};
    for (int node = begin; node < end; node += 4)
    {
        int count = end - node;
        spGroup direction = spLoadGroup(d + node, count), own = spLoadGroup(ownA + node, count);
        spGroup product = sign * spLoadGroup(q + node, count);
        product +=
            ownC != NULL ? spMulSymGroup(own, spLoadGroup(ownC + node, count), direction) : own * direction;
        spStoreGroup(q + node, product, count);
        sum = spAddProduct(sum, direction, product);
    }
    return spSumGroup(sum);
}

static double spStepResidual(spVec4* x, spVec4* r, const spVec4* d, const spVec4* q, spReal alpha, int begin,
                             int end)
{
    spGroupSum sum = {0};
    for (int node = begin; node < end; node += 4)
    {
        int count = end - node;
        spGroup residual = spLoadGroup(r + node, count) - alpha * spLoadGroup(q + node, count);
        spStoreGroup(x + node, spLoadGroup(x + node, count) + alpha * spLoadGroup(d + node, count), count);
        spStoreGroup(r + node, residual, count);
        sum = spAddProduct(sum, residual, residual);
    }
    return spSumGroup(sum);
}

static double spApplyLocal(spVec4* z, const spVec4* r, const spVec4* pA, const spVec4* pC, int begin, int end)
{
    spGroupSum sum = {0};
    for (int node = begin; node < end; node += 4)
    {
        int count = end - node;
        spGroup residual = spLoadGroup(r + node, count);
        spGroup straight = spLoadGroup(pA + node, count);
        spGroup solved = pC != NULL ? spMulSymGroup(straight, spLoadGroup(pC + node, count), residual)
                                    : straight * residual;
        spStoreGroup(z + node, solved, count);
        sum = spAddProduct(sum, residual, solved);
    }
    return spSumGroup(sum);
}

static void spAdvanceDirection(spVec4* d, const spVec4* z, spReal beta, int begin, int end)
{
    for (int node = begin; node < end; node += 4)
    {
        int count = end - node;
        spStoreGroup(d + node, spLoadGroup(z + node, count) + beta * spLoadGroup(d + node, count), count);
    }
}

static double spDotNodes(const spVec4* a, const spVec4* b, int begin, int end)
{
    spGroupSum sum = {0};
    for (int node = begin; node < end; node += 4)
    {
        sum = spAddProduct(sum, spLoadGroup(a + node, end - node), spLoadGroup(b + node, end - node));
    }
    return spSumGroup(sum);
}

static void spAddScaledNodes(spVec4* a, spReal s, const spVec4* b, int begin, int end)
{
    for (int node = begin; node < end; node += 4)
    {
        int count = end - node;
        spStoreGroup(a + node, spLoadGroup(a + node, count) + s * spLoadGroup(b + node, count), count);
    }
}
