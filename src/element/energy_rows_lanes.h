// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// One row of energy of a tetrahedron for SP_LANES lanes: C = sqrt(2 W), W the energy for each volume, with
// compliance 1 whatever the law is. J_i = P y_i / C, P = dW/dF. Where C is 0 it has no direction and nothing
// to do.
//
// Bender, Koschier, Charrier, Weber. Position-Based Simulation of Continuous Materials. 2014

#include "element/tet_gather_lanes.h"

// 2 W and P. One function for all laws that have such a row: choosing among them is nothing beside the
// arithmetic, and each of its own would take the compiler long.
static __attribute__((noinline)) void spFindEnergy(spTetLaw law, const RMat3* f, const spTetMaterial* m,
                                                   R* twice, RMat3* p)
{
    RMat3 g = spAddDiagonalR(*f, spSplat(-1));
    switch (law)
    {
        case sp_tetLinear:
            *p = spLinearStressR(g, *m);
            *twice = spDotMatR(g, *p);
            break;
        case sp_tetStVenantKirchhoff:
        {
            RSym3 e = spGetGreenStrainR(*f), s = spHookeR(e, *m); // e is twice the strain
            *p = spMulSymR(*f, s);
            R shear = e.xy * s.xy + e.xz * s.xz + e.yz * s.yz;
            *twice = spHalf(e.xx * s.xx + e.yy * s.yy + e.zz * s.zz) + shear;
            break;
        }
        case sp_tetHybrid:
            *p = spHybridStressR(g, *m);
            *twice = spDotMatR(g, *p);
            break;
        default:
        {
            R trace, two = m->mu + m->mu;
            RMat3 r = spGetPolarRotationR(*f, &trace);
            RMat3 d = spSubMatR(*f, r);
            R grown = trace - spSplat(3);
            *p = spAddMatR(spScaleMatR(two, d), spScaleMatR(m->la * grown, r));
            *twice = two * spDotMatR(d, d) + m->la * grown * grown;
            break;
        }
    }
}

SP_KERNEL double spRunEnergy(const spConstraints* c, const spSweep* sweep, int zone, spRowTask task)
{
    spTetLaw law = ((const spTetSet*)c->set)->law;
    R one = spSplat(1), tiny = spSplat(SP_TINY_REAL);
    double sum = 0.0;
    for (int block = c->blocks.patchBlock[zone]; block < c->blocks.patchBlock[zone + 1]; ++block)
    {
        _Alignas(64) spReal squares[SP_BLOCK];
        for (int lane = 0; lane < SP_BLOCK; lane += SP_LANES)
        {
            spTetRowLanes t = spLoadTetRows(c, sweep, block, lane);
            size_t place = (size_t)block * SP_BLOCK + (size_t)lane;
            spReal* lambda = c->lambda + place;
            RMat3 f = spGetGradientOf(t.rows, t.x), q;
            spTetMaterial m = {spLoadNumber(&t, sp_energyMu), spLoadNumber(&t, sp_energyLambda), one};
            R value, a = spLoadNumber(&t, sp_energyCompliance), l, dl;
            spFindEnergy(law, &f, &m, &value, &q);
            RMask strained = value > tiny;
            value = spSqrt(spMax(value, tiny));
            q = spScaleMatR(one / value, q);
            if (task == sp_taskTranspose)
            {
                spLoadGiven(&t, sweep->given + c->lambdaBegin + place, 1, &l);
                spScatterForce(&t, spScaleMatR(spSelect(strained, l, spSplat(0)), q), sweep->to);
                continue;
            }
            R residual = value + a * spLoad(lambda);
            if (task == sp_taskMeasure)
            {
                spStore(squares + lane, spSquareRows(&t, &residual, 1));
                continue;
            }
            R mass = spDotMatR(q, spMulSymR(q, spLoadGram(&t)));
            if (c->damped)
            {
                R g = spLoadNumber(&t, sp_tetRowDamping);
                residual = residual + g * spDotMatR(q, spGetTetWay(&t, sweep, f));
                mass = (one + g) * mass;
            }
            dl = (spSplat(0) - residual) / (mass + a);
            spMoveTet(c, sweep, &t, place, lambda, 1, f, spScaleMatR(dl, q), &dl, strained,
                      task == sp_taskCollect);
        }
        sum += task == sp_taskMeasure ? spSumBlock(squares) : 0.0;
    }
    return sum;
}

#define SP_DEFINE_ENERGY(name, task)                                                                         \
    static double name(const spConstraints* c, const spSweep* sweep, int zone)                               \
    {                                                                                                        \
        return spRunEnergy(c, sweep, zone, task);                                                            \
    }

SP_DEFINE_ENERGY(spProjectEnergy, sp_taskProject)
SP_DEFINE_ENERGY(spCollectEnergy, sp_taskCollect)
SP_DEFINE_ENERGY(spMeasureEnergy, sp_taskMeasure)
SP_DEFINE_ENERGY(spTransposeEnergy, sp_taskTranspose)

const spConstraintKind SP_LANES_NAME(spEnergyRows) = {
    .name = "energy",
    .rowCount = 1,
    .dataCount = sp_energyCount,
    .fill = spFillEnergyRows,
    .project = spProjectEnergy,
    .collect = spCollectEnergy,
    .measure = spMeasureEnergy,
    .transpose = spTransposeEnergy,
};
