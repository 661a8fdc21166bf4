// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "method/whole.h"

#include <math.h>
#include <string.h>

// A turn by so much in a substep is no longer close to its tangent, rad
#define SP_LARGE_TURN 0.1

spWholeMotion spFindWholeMotion(const spBody* body, const spVec4* places, const spVec4* p, bool perMass)
{
    spWholeMotion w = {0};
    double l[3] = {0}, inertia[6] = {0};
    for (int node = 0; node < body->nodeCount; ++node)
    {
        double m = (double)body->mass[node], q = perMass ? m : 1.0;
        const spVec4* x = places + node;
        double r[3] = {(double)x->x, (double)x->y, (double)x->z};
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
    // yz zx xy are the last three. Cramer's rule; a body that is a line or a point has no turn of its own
    double xx = inertia[0], yy = inertia[1], zz = inertia[2], yz = inertia[3], zx = inertia[4],
           xy = inertia[5];
    double k00 = yy * zz - yz * yz, k01 = yz * zx - xy * zz, k02 = xy * yz - yy * zx;
    double k11 = xx * zz - zx * zx, k12 = xy * zx - xx * yz, k22 = xx * yy - xy * xy;
    double det = xx * k00 + xy * k01 + zx * k02, trace = xx + yy + zz;
    if (det > 1e-9 * trace * trace * trace)
    {
        w.turn[0] = (k00 * l[0] + k01 * l[1] + k02 * l[2]) / det;
        w.turn[1] = (k01 * l[0] + k11 * l[1] + k12 * l[2]) / det;
        w.turn[2] = (k02 * l[0] + k12 * l[1] + k22 * l[2]) / det;
        double yield[6] = {k00 / det, k11 / det, k22 / det, k12 / det, k02 / det, k01 / det};
        memcpy(w.yield, yield, sizeof(yield));
    }
    return w;
}

void spAddWholeMotion(const spWholeMotion* w, double share, const spVec4* places, int count, spVec4* a)
{
    const double *c = w->centre, *t = w->turn, *v = w->velocity;
    for (int node = 0; node < count; ++node)
    {
        const spVec4* x = places + node;
        double r[3] = {(double)x->x - c[0], (double)x->y - c[1], (double)x->z - c[2]};
        a[node].x += (spReal)(share * (v[0] + t[1] * r[2] - t[2] * r[1]));
        a[node].y += (spReal)(share * (v[1] + t[2] * r[0] - t[0] * r[2]));
        a[node].z += (spReal)(share * (v[2] + t[0] * r[1] - t[1] * r[0]));
    }
}

void spLimitTurn(spWholeMotion* w, double h)
{
    double turn = sqrt(w->turn[0] * w->turn[0] + w->turn[1] * w->turn[1] + w->turn[2] * w->turn[2]);
    double share = turn * h > SP_LARGE_TURN ? SP_LARGE_TURN / (turn * h) : 1.0;
    for (int k = 0; k < 3; ++k)
    {
        w->turn[k] *= share;
    }
}

static void spCross(const double a[3], const double b[3], double c[3])
{
    for (int k = 0; k < 3; ++k)
    {
        c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
    }
}

// What an angular impulse changes the turn by
static void spGetTurnChange(const spWholeMotion* w, const double l[3], double turn[3])
{
    const double* y = w->yield;
    turn[0] = y[0] * l[0] + y[5] * l[1] + y[4] * l[2];
    turn[1] = y[5] * l[0] + y[1] * l[1] + y[3] * l[2];
    turn[2] = y[4] * l[0] + y[3] * l[1] + y[2] * l[2];
}

void spPushWhole(spWholeMotion* w, const double arm[3], const double p[3])
{
    double l[3], turn[3];
    spCross(arm, p, l);
    spGetTurnChange(w, l, turn);
    for (int k = 0; k < 3; ++k)
    {
        w->velocity[k] += p[k] / w->mass;
        w->turn[k] += turn[k];
    }
}

double spGetWholeYield(const spWholeMotion* w, const double arm[3], const double direction[3])
{
    double l[3], turn[3];
    spCross(arm, direction, l);
    spGetTurnChange(w, l, turn);
    return 1.0 / w->mass + l[0] * turn[0] + l[1] * turn[1] + l[2] * turn[2];
}

void spGetWholeVelocity(const spWholeMotion* w, const double arm[3], double v[3])
{
    spCross(w->turn, arm, v);
    for (int k = 0; k < 3; ++k)
    {
        v[k] += w->velocity[k];
    }
}
