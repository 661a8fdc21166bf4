// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "base/value_range.h"

#include <math.h>
#include <string.h>

#define SP_CLASS_SHIFT 18   // bits of a float that its class leaves out; the sign is 0
#define SP_SHOWN_SHARE 0.99 // of the values are not above the top
#define SP_LARGEST_TOP 1e30 // tops beyond would overflow when they are rounded

float spGetPointsSize(const float* points, int count)
{
    float sum = 0.0f;
    for (int k = 0; k < 3; ++k)
    {
        float low = INFINITY, high = -INFINITY;
        for (int i = 0; i < count; ++i)
        {
            float x = points[3 * (size_t)i + (size_t)k];
            low = isfinite(x) && x < low ? x : low;
            high = isfinite(x) && x > high ? x : high;
        }
        sum += high > low ? (high - low) * (high - low) : 0.0f;
    }
    return isfinite(sum) ? sqrtf(sum) : 0.0f;
}

float spGetValueFloor(spValueKind kind, float size)
{
    switch (kind)
    {
        case sp_valueDisplacement:
            return fmaxf(1e-5f * size, 1e-9f);
        case sp_valueSpeed:
            return fmaxf(1e-3f * size, 1e-9f); // crosses the body in a quarter of an hour
        case sp_valueStrain:
            return 1e-5f;
        default:
            return 1.0f;
    }
}

void spCountValues(spValueCounts* counts, const float* values, const int32_t* corners, int count, float floor)
{
    for (int i = 0; i < count; ++i)
    {
        float value = values[corners != NULL ? corners[i] : i];
        if (value >= floor && isfinite(value))
        {
            uint32_t bits;
            memcpy(&bits, &value, sizeof(bits));
            counts->classes[bits >> SP_CLASS_SHIFT] += 1;
            counts->total += 1;
        }
    }
}

float spRoundUpTop(double value)
{
    static const double steps[] = {1.0, 1.5, 2.0, 3.0, 5.0, 7.0};
    double power = pow(10.0, floor(log10(value)));
    for (int i = 0; i < 6; ++i)
    {
        if (value <= steps[i] * power * (1.0 + 1e-6))
        {
            return (float)(steps[i] * power);
        }
    }
    return (float)(10.0 * power);
}

float spFindValueTop(const spValueCounts* counts, float floor)
{
    double needed = SP_SHOWN_SHARE * (double)counts->total;
    int64_t below = 0;
    int class = 0;
    while (class < SP_VALUE_CLASSES - 1 && (double)(below + counts->classes[class]) < needed)
    {
        below += counts->classes[class ++];
    }
    uint32_t bits = (uint32_t) class << SP_CLASS_SHIFT; // the least value of the class
    float value;
    memcpy(&value, &bits, sizeof(value));
    double top = counts->total > 0 && isfinite(value) ? fmax((double)value, (double)floor) : (double)floor;
    return spRoundUpTop(fmin(top, SP_LARGEST_TOP));
}
