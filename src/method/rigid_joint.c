// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Joints of a rigid body to the world. A joint takes away directions as held nodes do (rigid_yield.c): three at its
// point and, of a hinge, two turns; of a slider, two ways and three turns. What is left of it is free, or driven by
// a motor.
//
// A motor pushes as much as brings the joint to its speed, and no more than its limit. It pushes once in a slice,
// after the loads and before the motion; what contacts will do to that is not known yet, and counts as what they
// did last: a motor that is stopped by something pushes with all that it has after a few slices. Slices that are
// taken again, because rows between bodies do not hold yet, are pushed as they were the first time.

#include "method/rigid.h"

#include <math.h>
#include <string.h>

// Two unit vectors that stand upright on a third
static void spFindSides(const double axis[3], double first[3], double second[3])
{
    int least = fabs(axis[0]) < fabs(axis[1]) ? 0 : 1;
    least = fabs(axis[2]) < fabs(axis[least]) ? 2 : least;
    const double other[3] = {least == 0, least == 1, least == 2};
    spCrossD(first, axis, other);
    double size = sqrt(first[0] * first[0] + first[1] * first[1] + first[2] * first[2]);
    for (int k = 0; k < 3; ++k)
    {
        first[k] /= size;
    }
    spCrossD(second, axis, first);
}

static double spDotD(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void spGetJointAxis(const spBody* body, double axis[3])
{
    const spVec3 a = body->joint.axis;
    double size = sqrt((double)a.x * a.x + (double)a.y * a.y + (double)a.z * a.z);
    axis[0] = (double)a.x / size;
    axis[1] = (double)a.y / size;
    axis[2] = (double)a.z / size;
}

// How far the point of the body is from that of the joint
static void spGetJointGap(const spBody* body, const spRigid* rigid, const double rotation[9], double gap[3])
{
    const spVec3 p = body->joint.point;
    const double point[3] = {(double)p.x, (double)p.y, (double)p.z};
    spMulD(gap, rotation, rigid->anchor);
    for (int k = 0; k < 3; ++k)
    {
        gap[k] += rigid->now.centre[k] - point[k];
    }
}

// A way of the point along a direction, or a turn about it, in metres at the radius of gyration
static spJointRow spMakeWayRow(const double arm[3], const double direction[3], const double gap[3])
{
    spJointRow row = {.gap = spDotD(direction, gap)};
    spAddAt(row.j, arm, 1.0, direction);
    return row;
}

static spJointRow spMakeTurnRow(double size, const double direction[3], const double angle[3])
{
    spJointRow row = {.gap = size * spDotD(direction, angle)};
    for (int k = 0; k < 3; ++k)
    {
        row.j[3 + k] = size * direction[k];
    }
    return row;
}

int spGetJointRows(const spBody* body, const spRigid* rigid, const double rotation[9],
                   const double gapRotation[9], spJointRow rows[SP_MAX_JOINT_ROWS])
{
    static const double units[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    spJointType type = body->joint.type;
    if (type == sp_jointNone)
    {
        return 0;
    }
    double arm[3], gap[3], axis[3], first[3], second[3], angle[3], size = rigid->mass.size;
    int count = 0;
    spGetJointAxis(body, axis);
    spFindSides(axis, first, second);
    spMulD(arm, rotation, rigid->anchor);
    spGetJointGap(body, rigid, gapRotation, gap);
    spGetTurnBetween(rigid->upright, rigid->now.turn, angle);
    for (int k = 0; type != sp_jointSlider && k < 3; ++k)
    {
        rows[count++] = spMakeWayRow(arm, units[k], gap);
    }
    if (type == sp_jointSlider)
    {
        rows[count++] = spMakeWayRow(arm, first, gap);
        rows[count++] = spMakeWayRow(arm, second, gap);
        for (int k = 0; k < 3; ++k)
        {
            rows[count++] = spMakeTurnRow(size, units[k], angle);
        }
    }
    else if (type == sp_jointHinge)
    {
        // The turn that leads from the axis to where it is in the body
        double from[9], to[9], in[3], now[3], off[3];
        spMatrixFromTurn(from, rigid->upright);
        spMatrixFromTurn(to, rigid->now.turn);
        spMulTD(in, from, axis);
        spMulD(now, to, in);
        spCrossD(off, axis, now);
        rows[count++] = spMakeTurnRow(size, first, off);
        rows[count++] = spMakeTurnRow(size, second, off);
    }
    return count;
}

void spTakeJoint(spBody* body, spRigid* rigid)
{
    if (body->newJoint)
    {
        double rotation[9], gap[3];
        memset(rigid->anchor, 0, sizeof(rigid->anchor));
        spMatrixFromTurn(rotation, rigid->now.turn);
        spGetJointGap(body, rigid, rotation, gap);
        const double away[3] = {-gap[0], -gap[1], -gap[2]};
        spMulTD(rigid->anchor, rotation, away);
        memcpy(rigid->upright, rigid->now.turn, sizeof(rigid->upright));
        rigid->now.driven = INFINITY;
        body->newJoint = false;
    }
    body->jointState.force = (spVec3){0, 0, 0};
    body->jointState.torque = (spVec3){0, 0, 0};
    body->jointState.motor = 0;
}

// ---- motor ----

bool spHasMotor(const spBody* body)
{
    return body->joint.motorLimit > 0 &&
           (body->joint.type == sp_jointHinge || body->joint.type == sp_jointSlider);
}

// The speed of the joint is the axis times this part of the motion
static const double* spGetJointPart(const spBody* body, const double u[6])
{
    return body->joint.type == sp_jointHinge ? u + 3 : u;
}

void spDriveMotor(spRigidStep* s, double u[6])
{
    const spBody* body = s->body;
    spRigidState* now = &s->rigid->now;
    if (spHasMotor(body) == false)
    {
        return;
    }
    double axis[3], q[6] = {0}, change[6] = {0};
    spGetJointAxis(body, axis);
    for (int k = 0; k < 3; ++k)
    {
        q[body->joint.type == sp_jointHinge ? 3 + k : k] = axis[k];
    }
    for (int i = 0; i < 36; ++i)
    {
        change[i / 6] += s->yield.p[i / 6][i % 6] * q[i % 6];
    }
    double yield = spDotD(axis, spGetJointPart(body, change)), most = (double)body->joint.motorLimit * s->h;
    double speed = spDotD(axis, spGetJointPart(body, u));
    if (s->context->again == false)
    {
        double resisted =
            isfinite(now->driven) ? spDotD(axis, spGetJointPart(body, s->start)) - now->driven : 0.0;
        double wanted = (double)body->joint.motorSpeed - speed - resisted;
        double push = yield > 0.0 ? wanted / yield : 0.0;
        s->rigid->push = fmin(fmax(push, -most), most);
    }
    now->pushed += s->rigid->push;
    now->driven = speed + yield * s->rigid->push;
    for (int k = 0; k < 6; ++k)
    {
        u[k] += s->rigid->push * change[k];
    }
}

// ---- reading ----

void spTellJoint(spBody* body, spRigid* rigid, const double impulse[6], double stepDt)
{
    if (body->joint.type == sp_jointNone)
    {
        return;
    }
    spRigidState* now = &rigid->now;
    const spVec3 p = body->joint.point;
    const double arm[3] = {now->centre[0] - (double)p.x, now->centre[1] - (double)p.y,
                           now->centre[2] - (double)p.z};
    spAddAt(now->exerted, arm, 1.0, impulse);
    double rotation[9], gap[3], axis[3], angle[3], momentum[3], shapeSpin[3], u[6];
    for (int k = 0; k < 3; ++k)
    {
        now->exerted[3 + k] += impulse[3 + k];
        u[k] = now->velocity[k];
    }
    spMatrixFromTurn(rotation, now->turn);
    spMulTD(momentum, rotation, now->momentum);
    spMulD(shapeSpin, rigid->mass.inverse, momentum);
    spMulD(u + 3, rotation, shapeSpin);
    spGetJointAxis(body, axis);
    spGetJointGap(body, rigid, rotation, gap);
    spGetTurnBetween(rigid->upright, now->turn, angle);
    const double *e = now->exerted, rate = 1.0 / stepDt;
    bool slides = body->joint.type == sp_jointSlider, moves = slides || body->joint.type == sp_jointHinge;
    body->jointState = (spJointState){
        .force = {(spReal)(rate * e[0]), (spReal)(rate * e[1]), (spReal)(rate * e[2])},
        .torque = {(spReal)(rate * e[3]), (spReal)(rate * e[4]), (spReal)(rate * e[5])},
        .motor = (spReal)(rate * now->pushed),
        .position = moves ? (spReal)spDotD(axis, slides ? gap : angle) : 0,
        .speed = moves ? (spReal)spDotD(axis, spGetJointPart(body, u)) : 0,
    };
}
