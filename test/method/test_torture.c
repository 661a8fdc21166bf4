// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// A sample of the torture grid, which `souple bench torture` runs whole: every method, material, step and
// trouble. Nothing may go wrong without a word, and only methods of which that is known may gain energy.

#include "base/core.h"
#include "testbed/check.h"
#include "testbed/torture.h"

#include <stdlib.h>

// Every n-th of the cases. SOUPLE_TORTURE=1 in the environment runs every case. Builds with asserts and
// sanitizers are slow.
#ifdef NDEBUG
static const int sampled = 97;
#else
static const int sampled = 401;
#endif

static void TestGrid(void** state)
{
    SP_UNUSED(state);
    const char* whole = getenv("SOUPLE_TORTURE");
    int stride = whole != NULL && whole[0] != 0 ? 1 : sampled;
    int counts[sp_outcomeCount] = {0}, bad = 0;
    for (int i = 0; i < spGetTortureCaseCount(); i += stride)
    {
        spTortureCase c = spGetTortureCase(i);
        spTortureResult r = spRunTortureCase(&c);
        counts[r.outcome] += 1;
        bad += spIsExpected(&c, r.outcome) ? 0 : 1;
        if (r.outcome >= sp_outcomeGained)
        {
            printf("case %d %s: %s, %s, law %s, E %g Pa, nu %g, dt %g s: energy %+.2g, reaches %g of %g m\n",
                   i, spGetOutcomeName(r.outcome), spGetTortureMethodName(c.method),
                   spGetTroubleName(c.trouble), spGetTetLawName(c.law), c.young, c.poisson, c.dt, r.gain,
                   r.reach, r.allowed);
        }
    }
    for (int k = 0; k < sp_outcomeCount; ++k)
    {
        printf("%s: %d\n", spGetOutcomeName((spTortureOutcome)k), counts[k]);
    }
    assert_int_equal(bad, 0);
    assert_true(counts[sp_outcomeSettled] > 0 && counts[sp_outcomeMoving] > 0 && counts[sp_outcomeSaid] > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestGrid),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
