// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "method/rigid_motion.h"

#include "linear/node_math.h"

#include <math.h>
#include <string.h>

// Rotation in a substep beyond which it is no longer close to its tangent, rad
#define SP_LARGE_ROTATION 0.1

spRigidMotion spFindRigidMotion(const spBody* body, const spVec4* x, const spVec4* p, bool perMass)
{
    spRigidSums sums = {0};
    body->backend->sumRigid(&sums, body->mass, x, p, perMass, 0, body->nodeCount);
    spRigidMotion w = {.mass = sums.mass};
    double *l = sums.spin, *inertia = sums.inertia;
    for (int k = 0; k < 3; ++k)
    {
        w.centre[k] = sums.first[k] / w.mass;
        w.velocity[k] = sums.momentum[k] / w.mass;
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

void spLimitRotation(spRigidMotion* w, double h)
{
    double speed = sqrt(w->spin[0] * w->spin[0] + w->spin[1] * w->spin[1] + w->spin[2] * w->spin[2]);
    double share = speed * h > SP_LARGE_ROTATION ? SP_LARGE_ROTATION / (speed * h) : 1.0;
    for (int k = 0; k < 3; ++k)
    {
        w->spin[k] *= share;
    }
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

spMat3 spGetRigidCompliance(const spRigidMotion* w, const double arm[3])
{
    double v[3][3];
    for (int k = 0; k < 3; ++k)
    {
        spRigidMotion pushed = *w;
        memset(pushed.velocity, 0, sizeof(pushed.velocity));
        memset(pushed.spin, 0, sizeof(pushed.spin));
        spApplyRigidImpulse(&pushed, arm, (double[3]){k == 0, k == 1, k == 2});
        spGetRigidVelocity(&pushed, arm, v[k]);
    }
    return spMakeMat3((spVec3){(spReal)v[0][0], (spReal)v[0][1], (spReal)v[0][2]},
                      (spVec3){(spReal)v[1][0], (spReal)v[1][1], (spReal)v[1][2]},
                      (spVec3){(spReal)v[2][0], (spReal)v[2][1], (spReal)v[2][2]});
}
