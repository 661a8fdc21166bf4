// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The array operations of the CPU. Included once for each number of lanes, so that the compiler has the
// instructions of that processor level; none of them depends on the number.

#include "element/element.h"
#include "linear/node_math.h"
#include "math/decompose.h"

#include "souple/body.h"

#include <math.h>
#include <string.h>

// The w of x is the inverse mass, that of v and f is 0: whole quads can be added
static spQuadMemory* spAsQuads(spVec4* a)
{
    return (spQuadMemory*)a;
}

static const spQuadMemory* spAsConstQuads(const spVec4* a)
{
    return (const spQuadMemory*)a;
}

static void spDriftNodes(spVec4* x, const spVec4* v, spReal h, int begin, int end)
{
    spQuadMemory* xs = spAsQuads(x);
    const spQuadMemory* vs = spAsConstQuads(v);
    for (int i = begin; i < end; ++i)
    {
        xs[i] += h * vs[i];
    }
}

static void spKickDriftNodes(spVec4* x, spVec4* v, const spVec4* f, spReal h, spReal hx, int begin, int end)
{
    spQuadMemory* xs = spAsQuads(x);
    spQuadMemory* vs = spAsQuads(v);
    const spQuadMemory* fs = spAsConstQuads(f);
    for (int i = begin; i < end; ++i)
    {
        spQuad moved = vs[i] + (h * x[i].w) * fs[i];
        vs[i] = moved;
        xs[i] += hx * moved;
    }
}

static void spDriftKickNodes(spVec4* x, spVec4* v, const spVec4* f, spReal h, int begin, int end)
{
    spDriftNodes(x, v, h, begin, end);
    spKickDriftNodes(x, v, f, h, 0, begin, end);
}

static void spRungeStageNodes(const spVec4* x, const spVec4* v, const spVec4* f, const spRungeArrays* arrays,
                              spReal weight, spReal advance, int begin, int end)
{
    spQuadMemory* stageX = spAsQuads(arrays->stageX);
    spQuadMemory* stageV = spAsQuads(arrays->stageV);
    spQuadMemory* sumX = spAsQuads(arrays->sumX);
    spQuadMemory* sumV = spAsQuads(arrays->sumV);
    for (int i = begin; i < end; ++i)
    {
        spQuad slopeX = stageV[i];
        spQuad slopeV = x[i].w * spAsConstQuads(f)[i];
        sumX[i] += weight * slopeX;
        sumV[i] += weight * slopeV;
        stageX[i] = spAsConstQuads(x)[i] + advance * slopeX;
        stageV[i] = spAsConstQuads(v)[i] + advance * slopeV;
    }
}

static void spRungeFinishNodes(spVec4* x, spVec4* v, const spRungeArrays* arrays, spReal h, int begin,
                               int end)
{
    spDriftNodes(x, arrays->sumX, h, begin, end);
    spDriftNodes(v, arrays->sumV, h, begin, end);
}

static void spKickNodes(spVec4* to, const spVec4* x, const spVec4* v, const spVec4* f, spReal h, int begin,
                        int end)
{
    spQuadMemory* tos = spAsQuads(to);
    const spQuadMemory* vs = spAsConstQuads(v);
    const spQuadMemory* fs = spAsConstQuads(f);
    for (int i = begin; i < end; ++i)
    {
        tos[i] = vs[i] + (h * x[i].w) * fs[i];
    }
}

static void spKickSolveNodes(spVec4* to, const spVec4* x, const spVec4* v, const spVec4* f,
                             const spReal* matrices, spReal h, int begin, int end)
{
    const spQuadMemory* vs = spAsConstQuads(v);
    const spQuadMemory* fs = spAsConstQuads(f);
    for (int i = begin; i < end; ++i)
    {
        const spReal* m = matrices + 9 * (size_t)i;
        spQuad a = vs[i] + (h * x[i].w) * fs[i];
        to[i] = spSolveNode(m, a);
    }
}

static void spTakeRotationFromNodes(spVec4* v, const spVec4* x, const spRotation* rotation, int begin,
                                    int end)
{
    spQuadMemory* vs = spAsQuads(v);
    for (int i = begin; i < end; ++i)
    {
        vs[i] -= spGetRotationAt(rotation, x + i);
    }
}

static void spSumRotationOfNodes(spVec4* sums, const spVec4* x, const spVec4* v, int begin, int end)
{
    const spQuad from = {x[0].x, x[0].y, x[0].z, 0};
    const spQuadMemory* vs = spAsConstQuads(v);
    spQuad first = {0}, momentum = {0}, spin = {0}, square = {0}, mixed = {0};
    for (int i = begin; i < end; ++i)
    {
        spReal m = 1 / x[i].w;
        spQuad p = spAsConstQuads(x)[i] - from;
        p[3] = 1;
        spQuad mp = m * p;
        spQuad mpNext = __builtin_shufflevector(mp, mp, 1, 2, 0, 3),
               mpAfter = __builtin_shufflevector(mp, mp, 2, 0, 1, 3);
        spQuad u = vs[i];
        spQuad uNext = __builtin_shufflevector(u, u, 1, 2, 0, 3),
               uAfter = __builtin_shufflevector(u, u, 2, 0, 1, 3);
        first += mp;
        momentum += m * u;
        spin += mpNext * uAfter - mpAfter * uNext;
        square += mp * p;
        mixed += mpNext * __builtin_shufflevector(p, p, 2, 0, 1, 3);
    }
    spQuadMemory* out = spAsQuads(sums);
    out[0] = first;
    out[1] = momentum;
    out[2] = spin;
    out[3] = square;
    out[4] = mixed;
}

static void* spAllocateArray(spHeap* heap, size_t size)
{
    return spAllocZeroed(heap, size);
}

static void spReleaseArray(spHeap* heap, void* array)
{
    spFree(heap, array);
}

static void spCopyAcross(void* to, const void* from, size_t size)
{
    memcpy(to, from, size);
}

static const spVec4* spViewArray(const spVec4* array, int begin, int end)
{
    SP_UNUSED(begin);
    SP_UNUSED(end);
    return array;
}

static void spGatherListed(spVec4* host, const spVec4* array, const int32_t* nodes, int count)
{
    for (int i = 0; i < count; ++i)
    {
        host[i] = array[nodes[i]];
    }
}

static void spScatterListed(spVec4* array, const spVec4* host, const int32_t* nodes, int count)
{
    for (int i = 0; i < count; ++i)
    {
        array[nodes[i]] = host[i];
    }
}

static void spClearNodes(spVec4* a, int begin, int end)
{
    memset(a + begin, 0, (size_t)(end - begin) * sizeof(spVec4));
}

static void spClearMatrices(spMat3* a, int begin, int end)
{
    memset(a + begin, 0, (size_t)(end - begin) * sizeof(spMat3));
}

static void spCopyNodes(spVec4* to, const spVec4* from, int begin, int end)
{
    memcpy(to + begin, from + begin, (size_t)(end - begin) * sizeof(spVec4));
}

static bool spAreNodesFinite(const spVec4* a, int begin, int end)
{
    // 0 times a finite number is 0; times infinity or NaN it is NaN
    spReal x = 0, y = 0, z = 0;
    for (int i = begin; i < end; ++i)
    {
        x += 0 * a[i].x;
        y += 0 * a[i].y;
        z += 0 * a[i].z;
    }
    return x + y + z == 0;
}

static bool spAreNodesZero(const spVec4* a, int begin, int end)
{
    bool zero = true;
    for (int i = begin; zero && i < end; ++i)
    {
        zero = spLengthSquared3(spXyz(a[i])) == 0;
    }
    return zero;
}

static bool spAreListedZero(const spVec4* a, const int32_t* nodes, int count)
{
    bool zero = true;
    for (int i = 0; zero && i < count; ++i)
    {
        zero = spLengthSquared3(spXyz(a[nodes[i]])) == 0;
    }
    return zero;
}

static bool spAreNodesSame(const spVec4* a, const spVec4* b, int begin, int end)
{
    return memcmp(a + begin, b + begin, (size_t)(end - begin) * sizeof(spVec4)) == 0;
}

static void spClearListed(spVec4* a, const int32_t* nodes, int count)
{
    for (int i = 0; i < count; ++i)
    {
        a[nodes[i]] = (spVec4){0};
    }
}

static void spInvertShiftedNodes(spMat3* inverses, const spMat3* a, spReal s, int begin, int end)
{
    for (int i = begin; i < end; ++i)
    {
        inverses[i] = spInvertShifted(a[i], s);
    }
}

static void spFindMeanOfNodes(double mean[3], const spVec4* a, int count, int begin, int end)
{
    mean[0] = mean[1] = mean[2] = 0.0;
    for (int i = begin; i < end; ++i)
    {
        mean[0] += (double)a[i].x / count;
        mean[1] += (double)a[i].y / count;
        mean[2] += (double)a[i].z / count;
    }
}

static double spMaxDistance2OfNodes(const spVec4* a, const double mean[3], const uint8_t* roles, int begin,
                                    int end)
{
    double most = 0.0;
    for (int i = begin; i < end; ++i)
    {
        double x = (double)a[i].x - mean[0], y = (double)a[i].y - mean[1], z = (double)a[i].z - mean[2];
        most = roles[i] != sp_nodeGone ? fmax(most, x * x + y * y + z * z) : most;
    }
    return most;
}

// ---- vectors ----

static void spScaleNodes(spVec4* to, spReal s, const spVec4* a, int begin, int end)
{
    for (int i = begin; i < end; ++i)
    {
        to[i] = (spVec4){s * a[i].x, s * a[i].y, s * a[i].z, 0};
    }
}

static void spScaleDifferenceOfNodes(spVec4* a, spReal s, const spVec4* b, int begin, int end)
{
    for (int i = begin; i < end; ++i)
    {
        a[i] = spMakeNode(spScale3(s, spSub3(spXyz(a[i]), spXyz(b[i]))));
    }
}

static void spScaleTwoNodes(spVec4* dx, spReal k, spVec4* dv, spReal c, const spVec4* d, int begin, int end)
{
    for (int i = begin; i < end; ++i)
    {
        spVec4 a = d[i];
        dx[i] = (spVec4){k * a.x, k * a.y, k * a.z, 0};
        dv[i] = (spVec4){c * a.x, c * a.y, c * a.z, 0};
    }
}

// ---- forces and energies ----

static void spStartForcesOfNodes(spVec4* f, const spReal* mass, spVec3 gravity, const spVec4* given,
                                 int begin, int end)
{
    for (int i = begin; i < end; ++i)
    {
        spReal m = mass[i];
        f[i] = (spVec4){m * gravity.x, m * gravity.y, m * gravity.z, 0};
    }
    for (int i = begin; given != NULL && i < end; ++i)
    {
        f[i].x += given[i].x;
        f[i].y += given[i].y;
        f[i].z += given[i].z;
    }
}

static void spSumListed(double sum[3], const spVec4* a, const int32_t* nodes, int count, double s)
{
    for (int i = 0; i < count; ++i)
    {
        const spVec4* p = a + nodes[i];
        sum[0] += s * (double)p->x;
        sum[1] += s * (double)p->y;
        sum[2] += s * (double)p->z;
    }
}

static double spSumKineticOfNodes(const spVec4* v, const spReal* mass, const uint8_t* roles, int begin,
                                  int end)
{
    double energy = 0.0;
    for (int i = begin; i < end; ++i)
    {
        energy += roles[i] != sp_nodeFixed ? 0.5 * (double)mass[i] * spSquareOfNode(v[i]) : 0.0;
    }
    return energy;
}

static double spAddWeightOfNodes(double energy, const spVec4* x, const spReal* mass, spVec3 gravity,
                                 double scale, int begin, int end)
{
    for (int i = begin; i < end; ++i)
    {
        energy -= (double)mass[i] * scale *
                  ((double)gravity.x * x[i].x + (double)gravity.y * x[i].y + (double)gravity.z * x[i].z);
    }
    return energy;
}

static double spAddInertiaOfNodes(double energy, const spVec4* x, const spVec4* from, const spReal* mass,
                                  double s, int begin, int end)
{
    for (int i = begin; i < end; ++i)
    {
        spVec3 d = spSub3(spXyz(x[i]), spXyz(from[i]));
        energy += s * (double)mass[i] * (double)spLengthSquared3(d);
    }
    return energy;
}

static void spRoundCoordinatesOfNodes(spVec4* to, const spVec4* x, spReal unit, uint32_t way, int begin,
                                      int end)
{
    for (int i = begin; i < end; ++i)
    {
        uint32_t signs = ((uint32_t)i * 2654435761u >> 16) ^ (way * 0x2Bu);
        spReal sx = (signs & 1) != 0 ? unit : -unit, sy = (signs & 2) != 0 ? unit : -unit;
        spReal sz = (signs & 4) != 0 ? unit : -unit;
        to[i] = (spVec4){x[i].x * (1 + sx), x[i].y * (1 + sy), x[i].z * (1 + sz), x[i].w};
    }
}

// ---- the fastest modes of a body ----

static void spAddLocalStiffness(spMat3* local, const spElementSet* set, const spNodeState* state)
{
    for (int i = 0; i < set->elementCount; ++i)
    {
        int32_t nodes[SP_MAX_ELEMENT_NODES];
        spMat3 blocks[SP_MAX_ELEMENT_NODES * SP_MAX_ELEMENT_NODES];
        int count = set->kind->getStiffness(set, state, i, true, nodes, blocks);
        for (int k = 0; k < count; ++k)
        {
            spReal w = state->x[nodes[k]].w;
            local[nodes[k]] = spMulAddMat3(local[nodes[k]], 2 * w, blocks[count * k + k]);
        }
    }
}

static double spMaxEigenvalueOfNodes(const spMat3* blocks, int begin, int end)
{
    double largest = 0.0;
    for (int i = begin; i < end; ++i)
    {
        largest = fmax(largest, spGetLargestEigenvalue3(blocks[i]));
    }
    return largest;
}

static void spBoundFrequenciesOfNodes(double bounds[2], const spVec4* x, const spMat3* stiffness,
                                      const spMat3* damping, int begin, int end)
{
    for (int i = begin; i < end; ++i)
    {
        double w = x[i].w;
        if (w > 0.0)
        {
            bounds[0] = fmax(bounds[0], w * spGetLargestEigenvalue3(stiffness[i]));
            bounds[1] = fmax(bounds[1], w * spGetLargestEigenvalue3(damping[i]));
        }
    }
}

static double spStartModesOfNodes(spVec4* a, const spVec4* x, const spReal* mass, const spMat3* blocks,
                                  double bound, const int32_t* order, int begin, int end)
{
    double norm2 = 0.0;
    for (int i = begin; i < end; ++i)
    {
        double w = (double)x[i].w;
        double share = w * spGetLargestEigenvalue3(blocks[i]) / bound;
        share *= share;
        share *= share;
        a[i] = spNoiseOfNode(w > 0.0 ? (spReal)(share + 1e-3) : 0, order[i]);
        norm2 += (double)mass[i] * spSquareOfNode(a[i]);
    }
    return norm2;
}

static void spContinueModesOfNodes(spVec4* a, const spVec4* x, const spVec4* last, spReal fresh, spReal share,
                                   int begin, int end)
{
    for (int i = begin; i < end; ++i)
    {
        // Nodes may have been fixed since then
        spReal old = x[i].w > 0 ? share : 0;
        a[i] = (spVec4){fresh * a[i].x + old * last[i].x, fresh * a[i].y + old * last[i].y,
                        fresh * a[i].z + old * last[i].z, 0};
    }
}

static void spFindImageOfNodes(spVec4* image, const spVec4* f, const spVec4* x, const spVec4* a,
                               const spMat3* local, spReal s, spReal lift, int begin, int end)
{
    for (int i = begin; i < end; ++i)
    {
        image[i] = spImageOfNode(f[i], x[i].w, a[i], local != NULL ? local + i : NULL, s, lift);
    }
}

static void spRelaxImageOfNodes(spVec4* to, const spVec4* from, const spVec4* image, const spVec4* x,
                                const spFilterRows* rows, spReal strength, int begin, int end)
{
    for (int i = begin; i < end; ++i)
    {
        to[i] = spRichardsonOfNode(from, image[i], x[i].w > 0, rows, strength, i);
    }
}

static double spMassNorm2OfNodes(const spVec4* a, const spReal* mass, int begin, int end)
{
    double norm2 = 0.0;
    for (int i = begin; i < end; ++i)
    {
        norm2 += (double)mass[i] * spSquareOfNode(a[i]);
    }
    return norm2;
}

// ---- dynamic relaxation ----

static double spGrowMassesOfNodes(spVec4* v, const spMat3* stiffness, const spReal* mass, double share,
                                  double global, int begin, int end)
{
    double largest = 0.0;
    for (int i = begin; i < end; ++i)
    {
        double wanted = share * (spGetLargestEigenvalue3(stiffness[i]) + global * (double)mass[i]);
        v[i].w = (spReal)fmax((double)v[i].w, wanted);
        largest = fmax(largest, (double)v[i].w);
    }
    return largest;
}

static void spRaiseMassesOfNodes(spVec4* v, spReal least, int begin, int end)
{
    for (int i = begin; i < end; ++i)
    {
        v[i].w = v[i].w > least ? v[i].w : least;
    }
}

static void spSumQuotientOfNodes(double sums[2], const spVec4* motion, const spVec4* f, const spVec4* v,
                                 int begin, int end)
{
    for (int i = begin; i < end; ++i)
    {
        spVec3 d = spXyz(motion[i]);
        sums[0] -= (double)spDot3(d, spXyz(f[i]));
        sums[1] += (double)v[i].w * (double)spLengthSquared3(d);
    }
}

static void spStartProbeOfNodes(spVec4* probe, const uint8_t* roles, const int32_t* order, int begin, int end)
{
    for (int i = begin; i < end; ++i)
    {
        probe[i] = roles[i] != sp_nodeFree ? (spVec4){0} : spNoiseOfNode(1, order[i]);
    }
}

static double spStepProbeOfNodes(spVec4* probe, const spVec4* f, const spVec4* v, const uint8_t* roles,
                                 int begin, int end)
{
    double length = 0.0;
    for (int i = begin; i < end; ++i)
    {
        spReal s = roles[i] == sp_nodeFree ? -1 / v[i].w : 0;
        spVec3 next = spScale3(s, spXyz(f[i]));
        probe[i] = spMakeNode(next);
        length = fmax(length, (double)spLength3(next));
    }
    return length;
}

static void spSumForcesOfNodes(double sums[3], const spVec4* f, const spReal* mass, const uint8_t* roles,
                               spVec3 gravity, const spVec4* given, int begin, int end)
{
    sums[0] = sums[1] = sums[2] = 0.0;
    for (int i = begin; i < end; ++i)
    {
        double square = spSquareOfNode(f[i]);
        if (roles[i] != sp_nodeFree)
        {
            sums[1] += square;
            continue;
        }
        spVec3 load = spScale3(mass[i], gravity);
        load = given != NULL ? spAdd3(load, spXyz(given[i])) : load;
        sums[0] += square;
        sums[2] += (double)spLengthSquared3(load);
    }
}

static void spRelaxStepOfNodes(spVec4* x, spVec4* v, const spVec4* f, const uint8_t* roles, spReal keep,
                               spReal push, int begin, int end)
{
    for (int i = begin; i < end; ++i)
    {
        if (roles[i] == sp_nodeFree)
        {
            spReal s = push / v[i].w;
            v[i] = (spVec4){keep * v[i].x + s * f[i].x, keep * v[i].y + s * f[i].y,
                            keep * v[i].z + s * f[i].z, v[i].w};
            x[i] = (spVec4){x[i].x + v[i].x, x[i].y + v[i].y, x[i].z + v[i].z, x[i].w};
        }
    }
}

static void spStopNodes(spVec4* v, int begin, int end)
{
    for (int i = begin; i < end; ++i)
    {
        v[i] = (spVec4){0, 0, 0, v[i].w};
    }
}

// ---- XPBD ----

static void spSumMassesOfNodes(double sums[3], const spVec4* x, const spReal* mass, int begin, int end)
{
    for (int i = begin; i < end; ++i)
    {
        bool isFree = x[i].w > 0;
        sums[0] += isFree ? (double)mass[i] : 0.0;
        sums[1] += (double)x[i].w;
        sums[2] += isFree ? 1.0 : 0.0;
    }
}

static void spSumEigenvaluesOfNodes(double sums[3], const spVec4* x, const spReal* mass,
                                    const spMat3* stiffness, const spMat3* damping, int begin, int end)
{
    for (int i = begin; i < end; ++i)
    {
        bool isFree = x[i].w > 0;
        sums[0] += isFree ? (double)mass[i] : 0.0;
        sums[1] += isFree ? spGetLargestEigenvalue3(stiffness[i]) : 0.0;
        sums[2] += isFree ? spGetLargestEigenvalue3(damping[i]) : 0.0;
    }
}

static void spSetMassBlocksOfNodes(spMat3* blocks, const spReal* mass, int begin, int end)
{
    for (int i = begin; i < end; ++i)
    {
        blocks[i] = spScaleMat3(mass[i], spIdentityMat3());
    }
}

static void spKickBlocksOfNodes(spVec4* v, const spVec4* x, const spVec4* f, const spMat3* blocks, spReal h,
                                int begin, int end)
{
    for (int i = begin; i < end; ++i)
    {
        v[i] = x[i].w > 0 ? spKickByBlock(v[i], blocks[i], f[i], h) : v[i];
    }
}

static void spPredictNodes(spVec4* x, const spVec4* v, const spVec4* given, spVec3 gravity, spReal h,
                           spVec4* start, spVec4* velocity, spVec4* predicted, int begin, int end)
{
    for (int i = begin; i < end; ++i)
    {
        spVec4 f = given != NULL ? given[i] : (spVec4){0};
        spVec4 to = spPredictVelocity(x[i], v[i], f, gravity, h);
        start[i] = x[i];
        x[i] = spPushNode(x[i], h, to);
        velocity[i] = to;
        predicted[i] = x[i];
    }
}

static void spFindVelocityOfNodes(spVec4* v, const spVec4* x, const spVec4* start, spReal rate, int begin,
                                  int end)
{
    for (int i = begin; i < end; ++i)
    {
        spVec4 to = x[i], from = start[i];
        if (to.w > 0)
        {
            v[i] = (spVec4){rate * (to.x - from.x), rate * (to.y - from.y), rate * (to.z - from.z), 0};
        }
    }
}

static void spPushNodes(spVec4* x, spReal s, const spVec4* g, int begin, int end)
{
    for (int i = begin; i < end; ++i)
    {
        x[i] = spPushNode(x[i], s * x[i].w, g[i]);
    }
}

static void spPushOneNode(spVec4* x, spVec4* v, int node, spReal weight, spVec3 p, spVec3 d)
{
    spReal s = weight * x[node].w;
    v[node] = spPushNode(v[node], s, spMakeNode(p));
    x[node] = spPushNode(x[node], s, spMakeNode(d));
}

static void spSumPinsOfNodes(double sum[3], const spVec4* x, const spVec4* v, const spVec4* from,
                             const spReal* mass, const spVec4* given, spVec3 gravity, spReal h, int begin,
                             int end)
{
    for (int i = begin; i < end; ++i)
    {
        double m = (double)mass[i];
        if (x[i].w > 0)
        {
            sum[0] += m * ((double)v[i].x - (double)from[i].x);
            sum[1] += m * ((double)v[i].y - (double)from[i].y);
            sum[2] += m * ((double)v[i].z - (double)from[i].z);
        }
        else
        {
            spVec4 f = given != NULL ? given[i] : (spVec4){0};
            sum[0] -= (double)h * (m * (double)gravity.x + (double)f.x);
            sum[1] -= (double)h * (m * (double)gravity.y + (double)f.y);
            sum[2] -= (double)h * (m * (double)gravity.z + (double)f.z);
        }
    }
}

static void spSumGradientOfNodes(double sums[3], const spVec4* x, const spVec4* g, const spVec4* start,
                                 int begin, int end)
{
    double mass = 0.0, way = 0.0, weight = 0.0;
    for (int i = begin; i < end; ++i)
    {
        spVec4 from = start[i];
        weight += (double)x[i].w;
        mass += (double)x[i].w * spSquareOfNode(g[i]);
        way += (double)g[i].x * ((double)x[i].x - from.x) + (double)g[i].y * ((double)x[i].y - from.y) +
               (double)g[i].z * ((double)x[i].z - from.z);
    }
    sums[0] = mass;
    sums[1] = way;
    sums[2] = weight;
}

static double spPrimalResidual2OfNodes(const spVec4* x, const spVec4* predicted, const spVec4* f,
                                       const spReal* mass, int begin, int end)
{
    double sum = 0.0;
    for (int i = begin; i < end; ++i)
    {
        double m = (double)mass[i];
        spVec4 to = x[i], from = predicted[i], force = f[i];
        if (to.w > 0)
        {
            double dx = m * ((double)to.x - from.x) - force.x, dy = m * ((double)to.y - from.y) - force.y,
                   dz = m * ((double)to.z - from.z) - force.z;
            sum += dx * dx + dy * dy + dz * dz;
        }
    }
    return sum;
}

static void spSumPrimalOfNodes(double sums[8], const spVec4* x, const spVec4* predicted, const spVec4* f,
                               const spReal* mass, spReal s, int begin, int end)
{
    double total[8] = {0};
    for (int i = begin; i < end; ++i)
    {
        double m = (double)mass[i];
        spVec4 to = x[i], from = predicted[i], force = f[i];
        if (to.w > 0)
        {
            double d[3] = {m * ((double)to.x - from.x), m * ((double)to.y - from.y),
                           m * ((double)to.z - from.z)};
            total[0] += d[0] - (double)s * (double)force.x;
            total[1] += d[1] - (double)s * (double)force.y;
            total[2] += d[2] - (double)s * (double)force.z;
            total[3] += d[0];
            total[4] += d[1];
            total[5] += d[2];
            total[6] += m;
            total[7] += d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        }
    }
    for (int k = 0; k < 8; ++k)
    {
        sums[k] = total[k];
    }
}

static double spMassDistance2OfNodes(const spVec4* x, const spVec3* target, const int32_t* order,
                                     const spReal* mass, int begin, int end)
{
    double sum = 0.0;
    for (int i = begin; i < end; ++i)
    {
        // Spare nodes have no number
        spVec3 d = order[i] >= 0 ? spSub3(spXyz(x[i]), target[order[i]]) : (spVec3){0, 0, 0};
        sum += (double)mass[i] * (double)spLengthSquared3(d);
    }
    return sum;
}

// ---- linear systems ----

static void spSetOwnOfNodes(spVec4* ownA, spVec4* ownC, const spReal* mass, spReal factor,
                            const spMat3* diagonal, int begin, int end)
{
    for (int i = begin; i < end; ++i)
    {
        spReal m = mass[i] > 0 ? factor * mass[i] : 1;
        ownA[i] = (spVec4){m, m, m, 0};
        if (diagonal != NULL)
        {
            spMat3 d = diagonal[i];
            ownA[i] = (spVec4){m + d.cx.x, m + d.cy.y, m + d.cz.z, 0};
            ownC[i] = (spVec4){d.cy.x, d.cz.y, d.cz.x, 0};
        }
    }
}

static void spInvertLocalOfNodes(spVec4* localA, spVec4* localC, const spVec4* ownA, const spVec4* ownC,
                                 spReal crossed, spVec4* const* sum, bool whole, int begin, int end)
{
    for (int i = begin; i < end; ++i)
    {
        spVec4 a = ownA[i], c = ownC[i], along = sum[0][i], side = sum[1][i];
        spSymmetricBlock block = {
            .a = {a.x + along.x, a.y + along.y, a.z + along.z, 0},
            .c = {crossed * c.x + side.x, crossed * c.y + side.y, crossed * c.z + side.z, 0}};
        spSymmetricBlock inverse = {.a = {1 / block.a.x, 1 / block.a.y, 1 / block.a.z, 0}};
        inverse = whole ? spInvertSymmetric(block) : inverse;
        localA[i] = inverse.a;
        localC[i] = inverse.c;
    }
}

static void spProjectNodes(spVec4* a, const spConstraint* constraints, int count, spVec3* raw)
{
    for (int i = 0; i < count; ++i)
    {
        spVec4* p = a + constraints[i].node;
        spVec3 n = constraints[i].normal;
        if (raw != NULL)
        {
            raw[i] = spXyz(*p);
        }
        spReal along = spDot3(n, spXyz(*p));
        *p = constraints[i].all ? (spVec4){0}
                                : (spVec4){p->x - along * n.x, p->y - along * n.y, p->z - along * n.z, 0};
    }
}

static void spRotateNodes(spVec4* to, const spMat3* rotations, const spVec4* a, int begin, int end)
{
    for (int i = begin; i < end; ++i)
    {
        to[i] = spMakeNode(spMulMV3(rotations[i], spXyz(a[i])));
    }
}

static void spRotateNodesBack(spVec4* to, const spMat3* rotations, const spVec4* a, int begin, int end)
{
    for (int i = begin; i < end; ++i)
    {
        to[i] = spMakeNode(spMulTMV3(rotations[i], spXyz(a[i])));
    }
}

// ---- plain numbers ----

// A vector that every processor has; four at once keep it busy
typedef spReal spPart __attribute__((vector_size(16)));
typedef spPart spPartMemory __attribute__((may_alias));
#define SP_PART ((int)(sizeof(spPart) / sizeof(spReal)))

static void spMixNumbers(spReal* restrict to, const spReal* restrict g, const spReal* const* others,
                         const spReal* c, int otherCount, int64_t begin, int64_t end)
{
    int64_t i = begin;
    for (; i + 4 * SP_PART <= end; i += 4 * SP_PART)
    {
        spPart from[4], sum[4];
        for (int k = 0; k < 4; ++k)
        {
            from[k] = *(const spPartMemory*)(g + i + k * SP_PART);
            sum[k] = (spPart){0};
        }
        for (int j = 0; j < otherCount; ++j)
        {
            const spReal* other = others[j] + i;
            for (int k = 0; k < 4; ++k)
            {
                sum[k] += c[j] * (from[k] - *(const spPartMemory*)(other + k * SP_PART));
            }
        }
        for (int k = 0; k < 4; ++k)
        {
            *(spPartMemory*)(to + i + k * SP_PART) = from[k] - sum[k];
        }
    }
    for (; i < end; ++i)
    {
        spReal sum = 0;
        for (int j = 0; j < otherCount; ++j)
        {
            sum += c[j] * (g[i] - others[j][i]);
        }
        to[i] = g[i] - sum;
    }
}

static double spDotNumbers(const spReal* a, const spReal* b, int64_t begin, int64_t end)
{
    double sums[4] = {0};
    int64_t i = begin;
    for (; i + 4 <= end; i += 4)
    {
        for (int k = 0; k < 4; ++k)
        {
            sums[k] += (double)a[i + k] * (double)b[i + k];
        }
    }
    for (; i < end; ++i)
    {
        sums[0] += (double)a[i] * (double)b[i];
    }
    return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

static void spRelaxNumbers(spReal* restrict u, spReal* restrict base, spReal s, int64_t begin, int64_t end)
{
    for (int64_t i = begin; i < end; ++i)
    {
        spReal relaxed = base[i] - s * (base[i] - u[i]);
        u[i] = relaxed;
        base[i] = relaxed;
    }
}

static void spClearNumbers(spReal* a, int64_t begin, int64_t end)
{
    memset(a + begin, 0, (size_t)(end - begin) * sizeof(spReal));
}

static void spCopyNumbers(spReal* to, const spReal* from, int64_t begin, int64_t end)
{
    memcpy(to + begin, from + begin, (size_t)(end - begin) * sizeof(spReal));
}

static void spSubtractNumbers(spReal* restrict to, const spReal* restrict a, const spReal* restrict b,
                              int64_t begin, int64_t end)
{
    for (int64_t i = begin; i < end; ++i)
    {
        to[i] = a[i] - b[i];
    }
}

static void spRelaxIncrease(spReal* restrict a, spReal* restrict before, spReal* restrict increase, spReal s,
                            int64_t begin, int64_t end)
{
    for (int64_t i = begin; i < end; ++i)
    {
        spReal scaled = s * (a[i] - before[i]), relaxed = before[i] + scaled;
        increase[i] = scaled;
        a[i] = relaxed;
        before[i] = relaxed;
    }
}

static void spAddIncrease(spReal* restrict a, spReal* restrict before, spReal* restrict increase, spReal s,
                          int64_t begin, int64_t end)
{
    for (int64_t i = begin; i < end; ++i)
    {
        increase[i] *= s;
        before[i] = a[i];
        a[i] += increase[i];
    }
}

// Where a run of the sample lies
static inline int64_t spFindSample(int64_t sample, int stride)
{
    int64_t row = sample / SP_BLOCK;
    return (row * stride + row % stride) * SP_BLOCK;
}

static void spTakeSample(spReal* f, const spReal* a, int stride, int64_t begin, int64_t end)
{
    for (int64_t i = begin; i < end; i += SP_BLOCK)
    {
        memcpy(f + i, a + spFindSample(i, stride), SP_BLOCK * sizeof(spReal));
    }
}

static void spMoveOfSample(spReal* f, const spReal* a, int stride, int64_t begin, int64_t end)
{
    for (int64_t i = begin; i < end; i += SP_BLOCK)
    {
        const spReal* from = a + spFindSample(i, stride);
        for (int k = 0; k < SP_BLOCK; ++k)
        {
            f[i + k] = from[k] - f[i + k];
        }
    }
}

static void spMoveOfNodes(spVec4* restrict f, const spVec4* restrict x, const spReal* restrict mass,
                          int begin, int end)
{
    for (int i = begin; i < end; ++i)
    {
        spReal s = x[i].w > 0 ? (spReal)sqrt((double)mass[i]) : 0;
        f[i] = (spVec4){s * (x[i].x - f[i].x), s * (x[i].y - f[i].y), s * (x[i].z - f[i].z), 0};
    }
}

static double spSumMovesOfNodes(const spVec4* x, const spVec4* before, const spReal* mass, int begin, int end)
{
    double sum = 0.0;
    for (int i = begin; i < end; ++i)
    {
        double dx = (double)(x[i].x - before[i].x), dy = (double)(x[i].y - before[i].y),
               dz = (double)(x[i].z - before[i].z);
        double m = x[i].w > 0 ? (double)mass[i] : 0.0;
        sum += m * (dx * dx + dy * dy + dz * dz);
    }
    return sum;
}

// ---- ghosts ----

// Differences from the first of them keep the sum exact far from the origin
static void spFillGhostNodes(spVec4* a, const spGhost* ghosts, int count, const spGhostEntry* entries)
{
    for (int i = 0; i < count; ++i)
    {
        const spGhostEntry* e = entries + ghosts[i].begin;
        spVec3 first = spXyz(a[e[0].node]), sum = first;
        for (int k = 1; k < ghosts[i].count; ++k)
        {
            sum = spMulAdd3(sum, e[k].weight, spSub3(spXyz(a[e[k].node]), first));
        }
        a[ghosts[i].node] = spMakeNode(sum);
    }
}

static void spAddToNode(spVec4* a, spReal s, spVec3 b)
{
    *a = (spVec4){a->x + s * b.x, a->y + s * b.y, a->z + s * b.z, a->w};
}

static void spSpreadGhostNodes(spVec4* a, const spGhost* ghosts, int count, const spGhostEntry* entries)
{
    for (int i = count - 1; i >= 0; --i)
    {
        const spGhostEntry* e = entries + ghosts[i].begin;
        spVec3 own = spXyz(a[ghosts[i].node]), left = own;
        for (int k = 1; k < ghosts[i].count; ++k)
        {
            spAddToNode(a + e[k].node, e[k].weight, own);
            left = spMulSub3(left, e[k].weight, own);
        }
        spAddToNode(a + e[0].node, 1, left);
        a[ghosts[i].node] = (spVec4){0, 0, 0, a[ghosts[i].node].w};
    }
}
