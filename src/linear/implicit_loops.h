// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The array operations of implicit substeps, as node_loops.h has the others.

#include "linear/node_loops.h"
#include "linear/precise.h"
#include "linear/preconditioner.h"
#include "linear/sparse.h"

static void spBlendNodes(spVec4* base, spReal present, const spVec4* now, spReal past, const spVec4* before,
                         int begin, int end)
{
    for (int i = begin; i < end; ++i)
    {
        spVec3 a = spXyz(now[i]);
        a = past != 0 ? spMulAdd3(spScale3(present, a), past, spXyz(before[i])) : a;
        base[i] = (spVec4){a.x, a.y, a.z, 0};
    }
}

static void spSetHeldBasesOfNodes(spVec4* baseX, spVec4* baseV, spVec4* predicted, const spVec4* x,
                                  spReal rest, const spVec4* v, int begin, int end)
{
    for (int i = begin; i < end; ++i)
    {
        if (x[i].w == 0)
        {
            spVec3 a = spMulAdd3(spXyz(x[i]), rest, spXyz(v[i]));
            baseX[i] = (spVec4){a.x, a.y, a.z, 0};
            baseV[i] = (spVec4){v[i].x, v[i].y, v[i].z, 0};
            predicted[i] = baseV[i];
        }
    }
}

static void spSetRightSideOfNodes(spVec4* b, spReal r, const spVec4* f, spReal massShare, const spReal* mass,
                                  const spVec4* v, const spVec4* baseV, int begin, int end)
{
    for (int i = begin; i < end; ++i)
    {
        spReal m = massShare * mass[i];
        b[i] = (spVec4){r * f[i].x - m * (v[i].x - baseV[i].x), r * f[i].y - m * (v[i].y - baseV[i].y),
                        r * f[i].z - m * (v[i].z - baseV[i].z), 0};
    }
}

static void spSetDisplacementsOfNodes(spVec4* d, const spVec4* baseX, spReal r, const spVec4* v,
                                      const spVec4* x, int begin, int end)
{
    for (int i = begin; i < end; ++i)
    {
        d[i] = (spVec4){baseX[i].x + r * v[i].x - x[i].x, baseX[i].y + r * v[i].y - x[i].y,
                        baseX[i].z + r * v[i].z - x[i].z, 0};
    }
}

static void spSetPositionsOfNodes(spVec4* x, const spVec4* baseX, spReal r, const spVec4* v, int begin,
                                  int end)
{
    for (int i = begin; i < end; ++i)
    {
        x[i] = (spVec4){baseX[i].x + r * v[i].x, baseX[i].y + r * v[i].y, baseX[i].z + r * v[i].z, x[i].w};
    }
}

// ---- positions with remainders ----

static void spBlendPreciseNodes(spVec4* base, int remainder, const spVec4* now, spReal past,
                                const spVec4* before, int begin, int end)
{
    for (int i = begin; i < end; ++i)
    {
        spWideQuad a = spGetPrecise(now, remainder, i);
        a = past != 0 ? a + (double)past * (spGetPrecise(before, remainder, i) - a) : a;
        base[i].w = 0;
        spPutPrecise(base, remainder, i, a);
    }
}

static void spSetDisplacementsPreciseOfNodes(spVec4* d, int remainder, const spVec4* baseX, spReal r,
                                             const spVec4* v, const spVec4* x, int begin, int end)
{
    for (int i = begin; i < end; ++i)
    {
        spWideQuad a =
            spGetPrecise(baseX, remainder, i) - spGetPrecise(x, remainder, i) + (double)r * spWidenNode(v[i]);
        d[i] = (spVec4){(spReal)a[0], (spReal)a[1], (spReal)a[2], 0};
    }
}

static void spSetPositionsPreciseOfNodes(spVec4* x, int remainder, const spVec4* baseX, spReal r,
                                         const spVec4* v, int begin, int end)
{
    for (int i = begin; i < end; ++i)
    {
        spPutPrecise(x, remainder, i, spGetPrecise(baseX, remainder, i) + (double)r * spWidenNode(v[i]));
    }
}

static void spSetVelocitiesOfNodes(spVec4* v, const spVec4* from, spReal share, const spVec4* dv, int begin,
                                   int end)
{
    for (int i = begin; i < end; ++i)
    {
        v[i] = (spVec4){from[i].x + share * dv[i].x, from[i].y + share * dv[i].y, from[i].z + share * dv[i].z,
                        0};
    }
}

static void spSubtractBeyondMassOfNodes(spVec4* f, const spVec4* product, spReal massShare,
                                        const spReal* mass, const spVec4* v, int begin, int end)
{
    for (int i = begin; i < end; ++i)
    {
        spReal m = massShare * mass[i];
        f[i] = (spVec4){f[i].x - (product[i].x - m * v[i].x), f[i].y - (product[i].y - m * v[i].y),
                        f[i].z - (product[i].z - m * v[i].z), 0};
    }
}

static void spSetLoadImpulsesOfNodes(spVec4* p, const spReal* mass, const spVec4* baseV, const spVec4* v,
                                     spReal r, spVec3 g, const spVec4* f, int begin, int end)
{
    const spVec4 zero = {0};
    for (int i = begin; i < end; ++i)
    {
        spVec4 base = baseV[i], now = v != NULL ? v[i] : zero, load = f != NULL ? f[i] : zero;
        spReal m = mass[i];
        p[i] =
            (spVec4){m * (base.x - now.x + r * g.x) + r * load.x, m * (base.y - now.y + r * g.y) + r * load.y,
                     m * (base.z - now.z + r * g.z) + r * load.z, 0};
    }
}

static void spScaleDrivenNodes(spVec4* v, const uint8_t* roles, spReal h, int begin, int end)
{
    for (int i = begin; i < end; ++i)
    {
        spReal share = roles[i] == sp_nodeDriven ? h : 0;
        v[i] = (spVec4){share * v[i].x, share * v[i].y, share * v[i].z, 0};
    }
}

static void spSetFreeNodes(spVec4* a, spVec3 value, const spVec4* from, const spVec4* x, int begin, int end)
{
    for (int i = begin; i < end; ++i)
    {
        spVec3 change = from != NULL ? spSub3(value, spXyz(from[i])) : value;
        a[i] = x[i].w > 0 ? (spVec4){change.x, change.y, change.z, 0} : (spVec4){0};
    }
}

static double spSumFreeMassOfNodes(const spReal* mass, const spVec4* x, int begin, int end)
{
    double sum = 0.0;
    for (int i = begin; i < end; ++i)
    {
        sum += x[i].w > 0 ? (double)mass[i] : 0.0;
    }
    return sum;
}

static double spSumInertiaOfNodes(const spReal* mass, const spVec4* v, const spVec4* baseV, const spVec4* x,
                                  int begin, int end)
{
    double sum = 0.0;
    for (int i = begin; i < end; ++i)
    {
        spVec3 base = spXyz(baseV[i]), dv = v != NULL ? spSub3(spXyz(v[i]), base) : base;
        double m = x[i].w > 0 ? 0.5 * (double)mass[i] : 0.0;
        sum += m * (double)spLengthSquared3(dv);
    }
    return sum;
}

static double spSumLoadPowerOfNodes(const spReal* mass, spVec3 g, const spVec4* f, const spVec4* v,
                                    const spVec4* x, int begin, int end)
{
    double sum = 0.0;
    for (int i = begin; i < end; ++i)
    {
        spVec3 load = spMulAdd3(f != NULL ? spXyz(f[i]) : (spVec3){0, 0, 0}, mass[i], g);
        sum += x[i].w > 0 ? (double)spDot3(load, spXyz(v[i])) : 0.0;
    }
    return sum;
}

static double spMaxLengthOfNodes(const spVec4* a, int begin, int end)
{
    double square = 0.0;
    for (int i = begin; i < end; ++i)
    {
        square = fmax(square, (double)spLengthSquared3(spXyz(a[i])));
    }
    return sqrt(square);
}

static void spSetHeldNodes(spVec4* a, const spVec4* from, const spVec4* x, int begin, int end)
{
    for (int i = begin; i < end; ++i)
    {
        a[i] = x[i].w == 0 ? spMakeNode(spXyz(from[i])) : (spVec4){0};
    }
}

static bool spPrescribeNodes(spVec4* dv, const spVec4* v, const spConstraint* constraints,
                             const spVec3* velocities, int count)
{
    bool prescribed = false;
    for (int i = 0; i < count; ++i)
    {
        const spConstraint* c = constraints + i;
        spVec3 asked = spSub3(velocities[i], spXyz(v[c->node]));
        prescribed = prescribed || spLengthSquared3(asked) > 0;
        spVec4* a = dv + c->node;
        spReal change = spDot3(c->normal, spSub3(asked, spXyz(*a)));
        *a = c->all ? spMakeNode(asked)
                    : (spVec4){a->x + change * c->normal.x, a->y + change * c->normal.y,
                               a->z + change * c->normal.z, 0};
    }
    return prescribed;
}

static double spAddConstraintWork(double sum, const spVec4* a, const spConstraint* constraints,
                                  const spVec3* p, int count)
{
    for (int i = 0; i < count; ++i)
    {
        const spConstraint* c = constraints + i;
        spVec3 d = spXyz(a[c->node]);
        sum += (double)(c->all ? spDot3(d, p[i]) : spDot3(c->normal, d) * spDot3(c->normal, p[i]));
    }
    return sum;
}

static double spSumMass2OfNodes(const spReal* mass, int begin, int end)
{
    double sum = 0.0;
    for (int i = begin; i < end; ++i)
    {
        sum += (double)mass[i] * (double)mass[i];
    }
    return sum;
}

static void spSumStiffnessOfNodes(double sums[2], const spVec4* diagonal, const spReal* mass,
                                  double massShare, int begin, int end)
{
    for (int i = begin; i < end; ++i)
    {
        spVec4 d = diagonal[i];
        sums[0] += ((double)d.x + (double)d.y + (double)d.z) / 3.0;
        sums[1] += massShare * (double)mass[i];
    }
}

static bool spFindStretchOfPairs(double most[2], const spSparse* a, const spVec4* base, const spVec4* v,
                                 spReal r)
{
    bool outside = false;
    most[0] = most[1] = 0.0;
    for (int i = 0; i < a->nodeCount; ++i)
    {
        for (int k = a->rowBegin[i]; k < a->rowBegin[i + 1]; ++k)
        {
            int other = a->rowColumns[k];
            spVec3 distance = spSub3(spXyz(base[i]), spXyz(base[other]));
            spVec3 moved = spScale3(r, spSub3(spXyz(v[i]), spXyz(v[other])));
            double d = (double)spLengthSquared3(distance), m = (double)spLengthSquared3(moved);
            most[0] = fmax(most[0], m);
            most[1] = fmax(most[1], d);
            outside = outside || !(m <= d);
        }
    }
    return outside;
}

static void spMarkShieldedNodes(spVec4* marks, const spVec4* ends, const spSparse* a, const spVec4* base,
                                spReal slope)
{
    for (int i = 0; i < a->nodeCount; ++i)
    {
        for (int k = a->rowBegin[i]; ends[i].w < 0 && k < a->rowBegin[i + 1]; ++k)
        {
            int other = a->rowColumns[k];
            int lower = ends[other].w < ends[i].w ? other : i, upper = lower == i ? other : i;
            spVec3 way = spSub3(spXyz(base[lower]), spXyz(base[upper]));
            bool below = -spDot3(spXyz(ends[upper]), way) > slope * spLength3(way);
            marks[upper].x = ends[other].w < 0 && below ? 1 : marks[upper].x;
        }
    }
}

static void spSumRigidNodes(spRigidSums* sums, const spReal* mass, const spVec4* x, const spVec4* p,
                            bool perMass, int begin, int end)
{
    for (int i = begin; i < end; ++i)
    {
        double m = (double)mass[i], q = perMass ? m : 1.0;
        double r[3] = {(double)x[i].x, (double)x[i].y, (double)x[i].z};
        double f[3] = {q * (double)p[i].x, q * (double)p[i].y, q * (double)p[i].z};
        sums->mass += m;
        for (int k = 0; k < 3; ++k)
        {
            int a = (k + 1) % 3, b = (k + 2) % 3;
            sums->first[k] += m * r[k];
            sums->momentum[k] += f[k];
            sums->spin[k] += r[a] * f[b] - r[b] * f[a];
            sums->inertia[k] += m * (r[a] * r[a] + r[b] * r[b]);
            sums->inertia[3 + k] -= m * r[a] * r[b];
        }
    }
}

static void spAddRigidNodes(spVec4* a, const spRigidMotion* motion, double share, const spVec4* x, int begin,
                            int end)
{
    const double *c = motion->centre, *t = motion->spin, *v = motion->velocity;
    for (int i = begin; i < end; ++i)
    {
        double r[3] = {(double)x[i].x - c[0], (double)x[i].y - c[1], (double)x[i].z - c[2]};
        a[i].x += (spReal)(share * (v[0] + t[1] * r[2] - t[2] * r[1]));
        a[i].y += (spReal)(share * (v[1] + t[2] * r[0] - t[0] * r[2]));
        a[i].z += (spReal)(share * (v[2] + t[0] * r[1] - t[1] * r[0]));
    }
}

static void spMoveNodesRigidly(spVec4* x, spVec4* v, const spVec4* start, const spRigidMotion* motion,
                               spVec3 lift, const spRigidMotion* velocity, double h, int begin, int end)
{
    double centre[3];
    for (int k = 0; k < 3; ++k)
    {
        centre[k] = motion->centre[k] + h * motion->velocity[k];
    }
    for (int i = begin; i < end; ++i)
    {
        spVec3 to = spMoveRigidly(motion, h, start[i]);
        double arm[3] = {(double)to.x - centre[0], (double)to.y - centre[1], (double)to.z - centre[2]}, u[3];
        spGetRigidVelocity(velocity, arm, u);
        to = spAdd3(to, lift);
        v[i] = (spVec4){(spReal)u[0], (spReal)u[1], (spReal)u[2], 0};
        x[i] = (spVec4){to.x, to.y, to.z, x[i].w};
    }
}

// ---- compliance ----

static void spWeighNodes(spVec4* to, const spVec4* x, const spVec4* a, int begin, int end)
{
    for (int i = begin; i < end; ++i)
    {
        to[i] = spMakeNode(spScale3(x[i].w, spXyz(a[i])));
    }
}

static void spAddTurnedNodes(spVec4* a, const spVec4* x, const spMat3* rotations, const spVec4* z, int begin,
                             int end)
{
    for (int i = begin; i < end; ++i)
    {
        if (x[i].w > 0)
        {
            spVec3 change = spMulMV3(rotations != NULL ? rotations[i] : spIdentityMat3(), spXyz(z[i]));
            a[i].x += change.x;
            a[i].y += change.y;
            a[i].z += change.z;
        }
    }
}

// ---- preconditioners ----

static void spPreconditionNodes(spPreconditioner* p, spTeam* team, const spVec4* r, spVec4* z)
{
    p->kind->apply(p, team, r, z);
}

static void spFillBlockRows(spBlockRows* rows, const spSparse* a, const spVec4* ownA, const spVec4* ownC,
                            bool crossed, const spVec4* x)
{
    for (int i = 0; i < rows->nodeCount; ++i)
    {
        bool held = x[i].w == 0;
        spVec4 d = ownA[i], c = crossed ? ownC[i] : (spVec4){0};
        spMat3 own =
            spMakeMat3(spMakeVec3(d.x, c.x, c.z), spMakeVec3(c.x, d.y, c.y), spMakeVec3(c.z, c.y, d.z));
        rows->diagonal[i] = spAddMat3(own, spGetDiagonalSum(a, i));
        if (held)
        {
            spReal scale = spTrace3(rows->diagonal[i]) / 3;
            rows->diagonal[i] = spScaleMat3(scale > 0 ? scale : 1, spIdentityMat3());
        }
        for (int k = rows->begin[i]; k < rows->begin[i + 1]; ++k)
        {
            bool apart = held || x[rows->columns[k]].w == 0;
            rows->blocks[k] = apart ? spZeroMat3() : spScaleMat3(-1, spTransposeMat3(spGetPairBlock(a, k)));
        }
    }
}
