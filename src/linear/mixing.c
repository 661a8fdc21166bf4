// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "linear/mixing.h"

#include <math.h>
#include <string.h>

// A direction of which the others leave less than this is noise
#define SP_LEAST_PART 1e-3
// A round is much better when its f is less than this share of the least so far
#define SP_BETTER 0.8
// Mixing that makes f grow by more than this starts anew from the best round
#define SP_WORSE 2.0

size_t spGetMixingSize(int size)
{
    return (size_t)size * (6 + 3 * SP_MIXING_WINDOW);
}

spMixing spStartMixing(double* memory, int size)
{
    size_t n = (size_t)size;
    memset(memory, 0, 2 * n * sizeof(double));
    return (spMixing){.size = size,
                      .p = memory,
                      .f = memory + n,
                      .lastP = memory + 2 * n,
                      .lastF = memory + 3 * n,
                      .best = memory + 4 * n,
                      .bestF = memory + 5 * n,
                      .steps = memory + 6 * n,
                      .change = memory + (6 + SP_MIXING_WINDOW) * n,
                      .basis = memory + (6 + 2 * SP_MIXING_WINDOW) * n};
}

static double spDot(const double* a, const double* b, int size)
{
    double sum = 0.0;
    for (int i = 0; i < size; ++i)
    {
        sum += a[i] * b[i];
    }
    return sum;
}

void spAddScaled(double* to, double share, const double* a, int size)
{
    for (int i = 0; i < size; ++i)
    {
        to[i] += share * a[i];
    }
}

// The least of |f - change gamma| by Gram and Schmidt, the newest first: p += f - (steps + change) gamma
void spMixRounds(spMixing* m)
{
    int size = m->size;
    double factors[SP_MIXING_WINDOW][SP_MIXING_WINDOW], parts[SP_MIXING_WINDOW], gamma[SP_MIXING_WINDOW];
    int columns[SP_MIXING_WINDOW], count = 0;
    for (int j = m->count - 1; j >= 0; --j)
    {
        double* q = m->basis + (size_t)count * (size_t)size;
        memcpy(q, m->change + (size_t)j * (size_t)size, (size_t)size * sizeof(double));
        double whole = sqrt(spDot(q, q, size));
        for (int i = 0; i < count; ++i)
        {
            const double* other = m->basis + (size_t)i * (size_t)size;
            factors[i][count] = spDot(other, q, size);
            spAddScaled(q, -factors[i][count], other, size);
        }
        double left = sqrt(spDot(q, q, size));
        if (!(left > SP_LEAST_PART * whole))
        {
            continue;
        }
        for (int i = 0; i < size; ++i)
        {
            q[i] /= left;
        }
        factors[count][count] = left;
        parts[count] = spDot(q, m->f, size);
        columns[count++] = j;
    }
    for (int i = count - 1; i >= 0; --i)
    {
        gamma[i] = parts[i];
        for (int k = i + 1; k < count; ++k)
        {
            gamma[i] -= factors[i][k] * gamma[k];
        }
        gamma[i] /= factors[i][i];
    }
    spAddScaled(m->p, 1.0, m->f, size);
    for (int i = 0; i < count; ++i)
    {
        size_t column = (size_t)columns[i] * (size_t)size;
        spAddScaled(m->p, -gamma[i], m->steps + column, size);
        spAddScaled(m->p, -gamma[i], m->change + column, size);
    }
}

// Remembers what the last step of p has done to f
static void spKeepChange(spMixing* m)
{
    size_t bytes = (size_t)m->size * sizeof(double);
    if (m->count == SP_MIXING_WINDOW)
    {
        m->count -= 1;
        memmove(m->steps, m->steps + m->size, (SP_MIXING_WINDOW - 1) * bytes);
        memmove(m->change, m->change + m->size, (SP_MIXING_WINDOW - 1) * bytes);
    }
    double* step = m->steps + (size_t)m->count * (size_t)m->size;
    double* change = m->change + (size_t)m->count * (size_t)m->size;
    for (int i = 0; i < m->size; ++i)
    {
        step[i] = m->p[i] - m->lastP[i];
        change[i] = m->f[i] - m->lastF[i];
    }
    m->count += 1;
}

bool spTakeRound(spMixing* m, bool first)
{
    size_t bytes = (size_t)m->size * sizeof(double);
    double now = sqrt(spDot(m->f, m->f, m->size));
    if (first == false)
    {
        spKeepChange(m);
    }
    memcpy(m->lastP, m->p, bytes);
    memcpy(m->lastF, m->f, bytes);
    bool better = first || now < SP_BETTER * m->least;
    if (first || now < m->least)
    {
        m->least = now;
        memcpy(m->best, m->p, bytes);
        memcpy(m->bestF, m->f, bytes);
    }
    else if (now > SP_WORSE * m->least)
    {
        memcpy(m->p, m->best, bytes);
        memcpy(m->f, m->bestF, bytes);
    }
    return better;
}
