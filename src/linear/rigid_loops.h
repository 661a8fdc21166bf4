// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The array operations of rigid bodies, as node_loops.h has the others.

#include "base/backend.h"
#include "base/node.h"

#include "souple/body.h"

static void spTakeShapeOfNodes(double* shape, const spVec4* x, const double centre[3], int begin, int end)
{
    for (int i = begin; i < end; ++i)
    {
        double* s = shape + 3 * (size_t)i;
        s[0] = (double)x[i].x - centre[0];
        s[1] = (double)x[i].y - centre[1];
        s[2] = (double)x[i].z - centre[2];
    }
}

static void spSumShapeOfNodes(double inertia[6], const double* shape, const spReal* mass, int begin, int end)
{
    for (int i = begin; i < end; ++i)
    {
        const double* s = shape + 3 * (size_t)i;
        for (int k = 0; k < 3; ++k)
        {
            int a = (k + 1) % 3, b = (k + 2) % 3;
            inertia[k] += (double)mass[i] * (s[a] * s[a] + s[b] * s[b]);
            inertia[3 + k] -= (double)mass[i] * s[a] * s[b];
        }
    }
}

// A node of a rigid body
static inline void spPlaceNode(const double s[3], const spRigidPlace* place, spReal x[3], spReal v[3])
{
    const double* r = place->rotation;
    const double arm[3] = {r[0] * s[0] + r[1] * s[1] + r[2] * s[2], r[3] * s[0] + r[4] * s[1] + r[5] * s[2],
                           r[6] * s[0] + r[7] * s[1] + r[8] * s[2]};
    for (int k = 0; k < 3; ++k)
    {
        int a = (k + 1) % 3, b = (k + 2) % 3;
        x[k] = (spReal)(place->centre[k] + arm[k]);
        v[k] = (spReal)(place->velocity[k] + place->spin[a] * arm[b] - place->spin[b] * arm[a]);
    }
}

static void spPlaceNodes(spVec4* x, spVec4* v, const uint8_t* roles, const double* shape,
                         const spRigidPlace* place, int begin, int end)
{
    for (int i = begin; i < end; ++i)
    {
        if (roles[i] == sp_nodeFree)
        {
            spReal p[3], u[3];
            spPlaceNode(shape + 3 * (size_t)i, place, p, u);
            x[i] = (spVec4){p[0], p[1], p[2], x[i].w};
            v[i] = (spVec4){u[0], u[1], u[2], 0};
        }
    }
}

static int spFindMovedNodes(const spVec4* x, const spVec4* v, const uint8_t* roles, const double* shape,
                            const spRigidPlace* place, int begin, int end)
{
    int moved = 0;
    for (int i = begin; i < end; ++i)
    {
        if (roles[i] == sp_nodeFree)
        {
            spReal p[3], u[3];
            spPlaceNode(shape + 3 * (size_t)i, place, p, u);
            moved |= x[i].x == p[0] && x[i].y == p[1] && x[i].z == p[2] ? 0 : 1;
            moved |= v[i].x == u[0] && v[i].y == u[1] && v[i].z == u[2] ? 0 : 2;
        }
    }
    return moved;
}

static void spSumLoadsOfShape(double sums[6], const spVec4* f, const spReal* mass, const double* shape,
                              const double rotation[9], int begin, int end)
{
    const double* r = rotation;
    for (int i = begin; i < end; ++i)
    {
        const double* s = shape + 3 * (size_t)i;
        const double arm[3] = {r[0] * s[0] + r[1] * s[1] + r[2] * s[2],
                               r[3] * s[0] + r[4] * s[1] + r[5] * s[2],
                               r[6] * s[0] + r[7] * s[1] + r[8] * s[2]};
        double m = mass != NULL ? (double)mass[i] : 1.0;
        const double p[3] = {m * (double)f[i].x, m * (double)f[i].y, m * (double)f[i].z};
        for (int k = 0; k < 3; ++k)
        {
            int a = (k + 1) % 3, b = (k + 2) % 3;
            sums[k] += p[k];
            sums[3 + k] += arm[a] * p[b] - arm[b] * p[a];
        }
    }
}
