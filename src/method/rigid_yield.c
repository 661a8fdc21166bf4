// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// How a rigid body gives way. Free, an impulse Q moves it by M^-1 Q, M its mass and inertia. Held nodes and joints
// take away some of the six directions: with J their rows and y = M^1/2 u, the matrix M^-1/2 J^T J M^-1/2 has an
// eigenvalue above 0 along each direction that they hold, and
//
//   P = M^-1/2 (sum of e e^T over the free directions e) M^-1/2
//
// is what an impulse moves: one held node leaves a ball joint, two a hinge, three that are not on a line
// nothing. Held nodes are reached by least squares along the other directions, exactly where they fit the
// body.

#include "method/rigid.h"

#include <math.h>
#include <string.h>

// Share of the largest stiffness below which a direction is free: nodes on a line but for rounding leave a
// hinge
#define SP_FREE_STIFFNESS 1e-10

// Newton's method on the way to held nodes
#define SP_MAX_ROUNDS 10

void spGetArm(const spRigid* rigid, const double rotation[9], int node, double arm[3])
{
    spMulD(arm, rotation, rigid->shape + 3 * (size_t)node);
}

void spGetArmVelocity(const double u[6], const double arm[3], double v[3])
{
    spCrossD(v, u + 3, arm);
    for (int k = 0; k < 3; ++k)
    {
        v[k] += u[k];
    }
}

void spGetMotion(const spRigidYield* yield, const spRigidMass* mass, const spRigidState* state, double u[6])
{
    double p[3], w[3];
    spMulTD(p, yield->rotation, state->momentum);
    spMulD(w, mass->inverse, p);
    spMulD(u + 3, yield->rotation, w);
    memcpy(u, state->velocity, sizeof(state->velocity));
}

void spSetMotion(const spRigidYield* yield, spRigidState* state, const double u[6])
{
    memcpy(state->velocity, u, sizeof(state->velocity));
    spMulD(state->momentum, yield->inertia, u + 3);
}

// M^-1/2 of an impulse, or of y
static void spApplyRoot(const spRigidYield* yield, const double a[6], double b[6])
{
    for (int k = 0; k < 3; ++k)
    {
        b[k] = yield->lightness * a[k];
    }
    spMulD(b + 3, yield->root, a + 3);
}

void spAddAt(double sum[6], const double arm[3], double weight, const double f[3])
{
    double torque[3];
    spCrossD(torque, arm, f);
    for (int k = 0; k < 3; ++k)
    {
        sum[k] += weight * f[k];
        sum[3 + k] += torque[k];
    }
}

// The directions that held nodes hold
static void spFindHeldDirections(const spBody* body, const spRigid* rigid, spRigidYield* yield)
{
    double a[36] = {0}, vectors[36], most = 0.0;
    for (int i = 0; i < body->heldCount; ++i)
    {
        double arm[3];
        spGetArm(rigid, yield->rotation, body->held[i], arm);
        for (int k = 0; k < 3; ++k)
        {
            double unit[3] = {k == 0, k == 1, k == 2}, row[6] = {0}, g[6];
            spAddAt(row, arm, 1.0, unit);
            spApplyRoot(yield, row, g);
            for (int l = 0; l < 36; ++l)
            {
                a[l] += g[l / 6] * g[l % 6];
            }
        }
    }
    spJointRow rows[SP_MAX_JOINT_ROWS];
    int rowCount = spGetJointRows(body, rigid, yield->rotation, yield->rotation, rows);
    for (int i = 0; i < rowCount; ++i)
    {
        double g[6];
        spApplyRoot(yield, rows[i].j, g);
        for (int l = 0; l < 36; ++l)
        {
            a[l] += g[l / 6] * g[l % 6];
        }
    }
    spDiagonalize(6, a, vectors, yield->stiffness);
    for (int i = 0; i < 6; ++i)
    {
        most = fmax(most, yield->stiffness[i]);
        for (int k = 0; k < 6; ++k)
        {
            yield->vectors[i][k] = vectors[6 * k + i];
        }
    }
    for (int i = 0; i < 6; ++i)
    {
        yield->stiffness[i] = yield->stiffness[i] > SP_FREE_STIFFNESS * most ? yield->stiffness[i] : 0.0;
    }
}

spRigidYield spFindYield(const spBody* body, const spRigid* rigid)
{
    const spRigidMass* mass = &rigid->mass;
    spRigidYield yield = {.lightness = 1.0 / sqrt(mass->mass), .held = spIsHeld(body)};
    spMatrixFromTurn(yield.rotation, rigid->now.turn);
    spTurnMatrixD(yield.inertia, yield.rotation, mass->inertia);
    spTurnMatrixD(yield.root, yield.rotation, mass->root);
    if (yield.held == false)
    {
        double inverse[9];
        spTurnMatrixD(inverse, yield.rotation, mass->inverse);
        for (int k = 0; k < 3; ++k)
        {
            yield.p[k][k] = 1.0 / mass->mass;
            memcpy(yield.p[3 + k] + 3, inverse + 3 * (size_t)k, 3 * sizeof(double));
        }
        return yield;
    }
    spFindHeldDirections(body, rigid, &yield);
    for (int i = 0; i < 6; ++i)
    {
        if (yield.stiffness[i] > 0.0)
        {
            continue;
        }
        double e[6];
        spApplyRoot(&yield, yield.vectors[i], e);
        for (int k = 0; k < 36; ++k)
        {
            yield.p[k / 6][k % 6] += e[k / 6] * e[k % 6];
        }
    }
    return yield;
}

// The motion along held directions that takes J^T residual off
static void spTakeHeld(const spRigidYield* yield, const double sum[6], double u[6])
{
    double b[6], y[6] = {0}, change[6];
    spApplyRoot(yield, sum, b);
    for (int i = 0; i < 6; ++i)
    {
        if (yield->stiffness[i] > 0.0)
        {
            double along = 0.0;
            for (int k = 0; k < 6; ++k)
            {
                along += yield->vectors[i][k] * b[k];
            }
            for (int k = 0; k < 6; ++k)
            {
                y[k] -= along / yield->stiffness[i] * yield->vectors[i][k];
            }
        }
    }
    spApplyRoot(yield, y, change);
    for (int k = 0; k < 6; ++k)
    {
        u[k] += change[k];
    }
}

static double spDot6(const double a[6], const double b[6])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] + a[4] * b[4] + a[5] * b[5];
}

static void spAddRow(double sum[6], const spJointRow* row, double amount)
{
    for (int k = 0; k < 6; ++k)
    {
        sum[k] += amount * row->j[k];
    }
}

// A held node: its arm, and how far the body is from where it should be
static void spGetHeldGap(const spBody* body, const spRigid* rigid, const double rotation[9], int node,
                         double arm[3], double gap[3])
{
    spVec3 x = spXyz(body->backend->view(body->x, node, node + 1)[node]);
    const double at[3] = {(double)x.x, (double)x.y, (double)x.z};
    spGetArm(rigid, rotation, node, arm);
    for (int k = 0; k < 3; ++k)
    {
        gap[k] = rigid->now.centre[k] + arm[k] - at[k];
    }
}

void spKeepHeldMotion(const spBody* body, const spRigid* rigid, const spRigidYield* yield, double rate,
                      double u[6])
{
    double sum[6] = {0};
    for (int i = 0; i < body->heldCount; ++i)
    {
        int node = body->held[i];
        double arm[3], gap[3], v[3];
        spGetHeldGap(body, rigid, yield->rotation, node, arm, gap);
        spGetArmVelocity(u, arm, v);
        spVec3 own = spXyz(body->backend->view(body->v, node, node + 1)[node]);
        const double to[3] = {(double)own.x, (double)own.y, (double)own.z};
        for (int k = 0; k < 3; ++k)
        {
            v[k] += rate > 0.0 ? rate * gap[k] : -to[k];
        }
        spAddAt(sum, arm, 1.0, v);
    }
    spJointRow rows[SP_MAX_JOINT_ROWS];
    int rowCount = spGetJointRows(body, rigid, yield->rotation, yield->rotation, rows);
    for (int i = 0; i < rowCount; ++i)
    {
        spAddRow(sum, rows + i, spDot6(rows[i].j, u) + rate * rows[i].gap);
    }
    if (yield->held)
    {
        spTakeHeld(yield, sum, u);
    }
}

double spFindHeldMove(const spBody* body, const spRigid* rigid, const spRigidYield* yield, double move[6])
{
    double sum[6] = {0}, rotation[9], left = 0.0;
    spMatrixFromTurn(rotation, rigid->now.turn);
    for (int i = 0; i < body->heldCount; ++i)
    {
        double arm[3], at[3], gap[3];
        spGetArm(rigid, yield->rotation, body->held[i], at);
        spGetHeldGap(body, rigid, rotation, body->held[i], arm, gap);
        spAddAt(sum, at, 1.0, gap);
        left = fmax(left, sqrt(gap[0] * gap[0] + gap[1] * gap[1] + gap[2] * gap[2]));
    }
    spJointRow rows[SP_MAX_JOINT_ROWS];
    int rowCount = spGetJointRows(body, rigid, yield->rotation, rotation, rows);
    for (int i = 0; i < rowCount; ++i)
    {
        spAddRow(sum, rows + i, rows[i].gap);
        left = fmax(left, fabs(rows[i].gap));
    }
    spTakeHeld(yield, sum, move);
    return left;
}

double spReachHeldNodes(const spBody* body, spRigid* rigid)
{
    double left = 0.0;
    for (int round = 0; spIsHeld(body) && round < SP_MAX_ROUNDS; ++round)
    {
        spRigidYield yield = spFindYield(body, rigid);
        double move[6] = {0}, size = 0.0;
        left = spFindHeldMove(body, rigid, &yield, move);
        spTurnBy(rigid->now.turn, move + 3);
        for (int k = 0; k < 3; ++k)
        {
            rigid->now.centre[k] += move[k];
            size = fmax(size, fmax(fabs(move[k]), fabs(move[3 + k]) * rigid->mass.size));
        }
        if (!(size > 1e-14 * (rigid->mass.size + left)))
        {
            break;
        }
    }
    return left;
}

void spAddYield(const spRigidYield* yield, const double arm[3], double weight, const double p[3], double u[6])
{
    double q[6] = {0};
    spAddAt(q, arm, weight, p);
    for (int i = 0; i < 6; ++i)
    {
        const double* row = yield->p[i];
        u[i] += row[0] * q[0] + row[1] * q[1] + row[2] * q[2] + row[3] * q[3] + row[4] * q[4] + row[5] * q[5];
    }
}

spMat3 spGetYieldAt(const spRigidYield* yield, const double a[3], double weightA, const double b[3],
                    double weightB)
{
    spVec3 columns[3];
    for (int k = 0; k < 3; ++k)
    {
        double unit[3] = {k == 0, k == 1, k == 2}, u[6] = {0}, v[3];
        spAddYield(yield, b, weightB, unit, u);
        spCrossD(v, u + 3, a);
        columns[k] = (spVec3){(spReal)(weightA * u[0] + v[0]), (spReal)(weightA * u[1] + v[1]),
                              (spReal)(weightA * u[2] + v[2])};
    }
    return spMakeMat3(columns[0], columns[1], columns[2]);
}
