// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Additive continuous collision detection: M. Li, D. Kaufman, C. Jiang. Codimensional Incremental Potential Contact.
// 2021, section 6. The sides go on by what their distance allows for at their greatest speeds, again and again, until
// the distance that they keep is used up to a tenth. No root is looked for: what rounding does is little of a distance.

#include "contact/sweep_test.h"

#include "contact/contact_surface.h"
#include "math/vec3.h"

#include <math.h>

// Share of the distance at the start that may be left at an impact
#define SP_LEFT ((spReal)0.1)
// After so many steps the time reached counts as that of an impact
#define SP_MOST_STEPS 256

typedef void spMeasureFcn(const spVec3 x[4], spImpact* impact);

static void spMeasureVertex(const spVec3 x[4], spImpact* impact)
{
    spVec3 a = spSub3(x[1], x[0]), b = spSub3(x[2], x[0]), c = spSub3(x[3], x[0]);
    spReal* w = impact->weights;
    w[0] = 1;
    spFindTriangleWeights((spVec3){0, 0, 0}, a, b, c, w + 1);
    impact->offset = spNeg3(spMulAdd3(spMulAdd3(spScale3(w[1], a), w[2], b), w[3], c));
}

static void spMeasureEdges(const spVec3 x[4], spImpact* impact)
{
    spVec3 a1 = spSub3(x[1], x[0]), b0 = spSub3(x[2], x[0]), b1 = spSub3(x[3], x[0]);
    spReal s, t;
    spFindSegmentWeights((spVec3){0, 0, 0}, a1, b0, b1, &s, &t);
    impact->weights[0] = 1 - s, impact->weights[1] = s;
    impact->weights[2] = 1 - t, impact->weights[3] = t;
    impact->offset = spSub3(spScale3(s, a1), spMulAdd3(spScale3(1 - t, b0), t, b1));
}

static spReal spMaxLength(const spVec3* d, int count)
{
    spReal most = 0;
    for (int i = 0; i < count; ++i)
    {
        spReal length = spLength3(d[i]);
        most = length > most ? length : most;
    }
    return most;
}

// `first`: nodes of the first side
static bool spAdvanceSides(const spVec3 x[4], const spVec3 d[4], int first, spReal distance,
                           spMeasureFcn* measure, spImpact* impact)
{
    // What all have in common brings nobody nearer
    spVec3 mean = spScale3((spReal)0.25, spAdd3(spAdd3(d[0], d[1]), spAdd3(d[2], d[3]))), own[4], at[4];
    for (int i = 0; i < 4; ++i)
    {
        own[i] = spSub3(d[i], mean);
        at[i] = x[i];
    }
    spReal speed = spMaxLength(own, first) + spMaxLength(own + first, 4 - first);
    measure(at, impact);
    spReal gap = spLength3(impact->offset) - distance, left = SP_LEFT * gap;
    impact->time = 0;
    if (!(gap > 0))
    {
        return gap <= 0;
    }
    if (!(speed > gap - left))
    {
        return false;
    }
    for (int step = 0; step < SP_MOST_STEPS && gap > left; ++step)
    {
        impact->time += (1 - SP_LEFT) * gap / speed;
        if (!(impact->time <= 1))
        {
            return false;
        }
        for (int i = 0; i < 4; ++i)
        {
            at[i] = spMulAdd3(x[i], impact->time, own[i]);
        }
        measure(at, impact);
        gap = spLength3(impact->offset) - distance;
    }
    return true;
}

bool spSweepVertex(const spVec3 x[4], const spVec3 d[4], spReal distance, spImpact* impact)
{
    return spAdvanceSides(x, d, 1, distance, spMeasureVertex, impact);
}

bool spSweepEdges(const spVec3 x[4], const spVec3 d[4], spReal distance, spImpact* impact)
{
    return spAdvanceSides(x, d, 2, distance, spMeasureEdges, impact);
}
