// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The range of colours: peaks do not set it, rounding does not, and it is a round number.

#include "base/core.h"
#include "base/value_range.h"
#include "testbed/check.h"

#include <math.h>

static void TestPeaksDoNotCount(void** state)
{
    SP_UNUSED(state);
    spValueCounts counts = {0};
    float values[1000];
    for (int i = 0; i < 1000; ++i)
    {
        values[i] = i < 995 ? 900.0f * (float)i / 995.0f : 1e6f;
    }
    spCountValues(&counts, values, NULL, 1000, 1.0f);
    assert_float_equal(spFindValueTop(&counts, 1.0f), 1000.0f, 1e-3f);
}

static void TestNoiseIsDark(void** state)
{
    SP_UNUSED(state);
    spValueCounts counts = {0};
    const float values[] = {1e-7f, 3e-7f, NAN, INFINITY, -1.0f};
    float floor = spGetValueFloor(sp_valueSpeed, 0.5f);
    assert_float_equal(floor, 5e-4f, 1e-9f);
    spCountValues(&counts, values, NULL, 5, floor);
    assert_true(counts.total == 0);
    assert_float_equal(spFindValueTop(&counts, floor), 5e-4f, 1e-9f);
}

// A touch at one spot of a large body has a range of its own size: what does not move does not count
static void TestFewValuesSetTheRange(void** state)
{
    SP_UNUSED(state);
    spValueCounts counts = {0};
    float values[2000] = {0};
    const int32_t corners[] = {7, 7, 7};
    values[7] = 0.019f;
    spCountValues(&counts, values, NULL, 2000, 1e-5f);
    spCountValues(&counts, values, corners, 3, 1e-5f);
    assert_true(counts.total == 4);
    assert_float_equal(spFindValueTop(&counts, 1e-5f), 0.02f, 1e-6f);
}

static void TestRound(void** state)
{
    SP_UNUSED(state);
    const double cases[][2] = {{1, 1}, {1.01, 1.5}, {2.9, 3}, {0.0071, 0.01}, {5e7, 5e7}, {6e-9, 7e-9}};
    for (int i = 0; i < 6; ++i)
    {
        assert_float_equal(spRoundUpTop(cases[i][0]) / (float)cases[i][1], 1.0f, 1e-5f);
    }
    const float points[] = {0, 0, 0, 3, 4, 12, NAN, 0, 0};
    assert_float_equal(spGetPointsSize(points, 3), 13.0f, 1e-5f);
    assert_float_equal(spGetPointsSize(points, 0), 0.0f, 0.0f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestPeaksDoNotCount),
        cmocka_unit_test(TestNoiseIsDark),
        cmocka_unit_test(TestFewValuesSetTheRange),
        cmocka_unit_test(TestRound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
