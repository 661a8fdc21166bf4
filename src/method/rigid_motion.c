// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "method/rigid_motion.h"

#include <math.h>
#include <string.h>

// Rotation in a substep beyond which it is no longer close to its tangent, rad
#define SP_LARGE_ROTATION 0.1

spRigidMotion spFindRigidMotion(const spReal* mass, const spVec4* x, const spVec4* p, bool perMass, int count)
{
    spRigidMotion w = {0};
    double l[3] = {0}, inertia[6] = {0};
    for (int node = 0; node < count; ++node)
    {
        double m = (double)mass[node], q = perMass ? m : 1.0;
        double r[3] = {(double)x[node].x, (double)x[node].y, (double)x[node].z};
        double f[3] = {q * (double)p[node].x, q * (double)p[node].y, q * (double)p[node].z};
        w.mass += m;
        for (int k = 0; k < 3; ++k)
        {
            int a = (k + 1) % 3, b = (k + 2) % 3;
            w.centre[k] += m * r[k];
            w.velocity[k] += f[k];
            l[k] += r[a] * f[b] - r[b] * f[a];
            inertia[k] += m * (r[a] * r[a] + r[b] * r[b]);
            inertia[3 + k] -= m * r[a] * r[b];
        }
    }
    for (int k = 0; k < 3; ++k)
    {
        w.centre[k] /= w.mass;
        w.velocity[k] /= w.mass;
    }
    const double *c = w.centre, *v = w.velocity;
    for (int k = 0; k < 3; ++k)
    {
        int a = (k + 1) % 3, b = (k + 2) % 3;
        l[k] -= w.mass * (c[a] * v[b] - c[b] * v[a]);
        inertia[k] -= w.mass * (c[a] * c[a] + c[b] * c[b]);
        inertia[3 + k] += w.mass * c[a] * c[b];
    }
    // yz zx xy are the last three. Cramer's rule; a body that is a line or a point has no spin of its own
    double xx = inertia[0], yy = inertia[1], zz = inertia[2], yz = inertia[3], zx = inertia[4],
           xy = inertia[5];
    double k00 = yy * zz - yz * yz, k01 = yz * zx - xy * zz, k02 = xy * yz - yy * zx;
    double k11 = xx * zz - zx * zx, k12 = xy * zx - xx * yz, k22 = xx * yy - xy * xy;
    double det = xx * k00 + xy * k01 + zx * k02, trace = xx + yy + zz;
    if (det > 1e-9 * trace * trace * trace)
    {
        w.spin[0] = (k00 * l[0] + k01 * l[1] + k02 * l[2]) / det;
        w.spin[1] = (k01 * l[0] + k11 * l[1] + k12 * l[2]) / det;
        w.spin[2] = (k02 * l[0] + k12 * l[1] + k22 * l[2]) / det;
        double inverse[6] = {k00 / det, k11 / det, k22 / det, k12 / det, k02 / det, k01 / det};
        memcpy(w.inverseInertia, inverse, sizeof(inverse));
    }
    return w;
}

void spAddRigidMotion(const spRigidMotion* w, double share, const spVec4* x, int count, spVec4* a)
{
    const double *c = w->centre, *t = w->spin, *v = w->velocity;
    for (int node = 0; node < count; ++node)
    {
        double r[3] = {(double)x[node].x - c[0], (double)x[node].y - c[1], (double)x[node].z - c[2]};
        a[node].x += (spReal)(share * (v[0] + t[1] * r[2] - t[2] * r[1]));
        a[node].y += (spReal)(share * (v[1] + t[2] * r[0] - t[0] * r[2]));
        a[node].z += (spReal)(share * (v[2] + t[0] * r[1] - t[1] * r[0]));
    }
}

void spLimitRotation(spRigidMotion* w, double h)
{
    double speed = sqrt(w->spin[0] * w->spin[0] + w->spin[1] * w->spin[1] + w->spin[2] * w->spin[2]);
    double share = speed * h > SP_LARGE_ROTATION ? SP_LARGE_ROTATION / (speed * h) : 1.0;
    for (int k = 0; k < 3; ++k)
    {
        w->spin[k] *= share;
    }
}

spVec3 spMoveRigidly(const spRigidMotion* w, double h, spVec4 x)
{
    const double *c = w->centre, *t = w->spin;
    double q[3] = {0.5 * h * t[0], 0.5 * h * t[1], 0.5 * h * t[2]};
    double a[3] = {(double)x.x - c[0], (double)x.y - c[1], (double)x.z - c[2]};
    double share = 2.0 / (1.0 + (q[0] * q[0] + q[1] * q[1] + q[2] * q[2])), b[3], end[3];
    for (int k = 0; k < 3; ++k)
    {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        b[k] = a[k] + q[i] * a[j] - q[j] * a[i];
    }
    for (int k = 0; k < 3; ++k)
    {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        end[k] = c[k] + h * w->velocity[k] + a[k] + share * (q[i] * b[j] - q[j] * b[i]);
    }
    return (spVec3){(spReal)end[0], (spReal)end[1], (spReal)end[2]};
}

static void spCross(const double a[3], const double b[3], double c[3])
{
    for (int k = 0; k < 3; ++k)
    {
        c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
    }
}

// What an angular impulse changes the spin by
static void spGetSpinChange(const spRigidMotion* w, const double l[3], double spin[3])
{
    const double* y = w->inverseInertia;
    spin[0] = y[0] * l[0] + y[5] * l[1] + y[4] * l[2];
    spin[1] = y[5] * l[0] + y[1] * l[1] + y[3] * l[2];
    spin[2] = y[4] * l[0] + y[3] * l[1] + y[2] * l[2];
}

void spApplyRigidImpulse(spRigidMotion* w, const double arm[3], const double p[3])
{
    double l[3], spin[3];
    spCross(arm, p, l);
    spGetSpinChange(w, l, spin);
    for (int k = 0; k < 3; ++k)
    {
        w->velocity[k] += p[k] / w->mass;
        w->spin[k] += spin[k];
    }
}

double spGetRigidCompliance(const spRigidMotion* w, const double arm[3], const double direction[3])
{
    double l[3], spin[3];
    spCross(arm, direction, l);
    spGetSpinChange(w, l, spin);
    return 1.0 / w->mass + l[0] * spin[0] + l[1] * spin[1] + l[2] * spin[2];
}

void spGetRigidVelocity(const spRigidMotion* w, const double arm[3], double v[3])
{
    spCross(w->spin, arm, v);
    for (int k = 0; k < 3; ++k)
    {
        v[k] += w->velocity[k];
    }
}

void spMoveNodesRigidly(spVec4* x, spVec4* v, const spVec4* start, const spRigidMotion* motion,
                        const spRigidMotion* after, double h, spVec3 lift, int count)
{
    double centre[3], u[3];
    for (int k = 0; k < 3; ++k)
    {
        centre[k] = motion->centre[k] + h * motion->velocity[k];
    }
    for (int i = 0; i < count; ++i)
    {
        spVec3 p = spMoveRigidly(motion, h, start[i]);
        double arm[3] = {(double)p.x - centre[0], (double)p.y - centre[1], (double)p.z - centre[2]};
        spGetRigidVelocity(after, arm, u);
        v[i] = (spVec4){(spReal)u[0], (spReal)u[1], (spReal)u[2], 0};
        x[i] = (spVec4){p.x + lift.x, p.y + lift.y, p.z + lift.z, x[i].w};
    }
}
