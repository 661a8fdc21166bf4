// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Motion against theory: what every method must get right, or say that it did not. A case measures a number of
// times; each measurement has a limit. One that misses it passes only if the world said, in the last quarter of
// the run, that its steps were not solved.

#include "validate_motion.h"
#include "cli/commands.h"
#include "cli/options.h"
#include "cli/tools.h"
#include "measured.h"
#include "testbed/hanging_chain.h"

#include <stdio.h>

// ---- bars that hang on each other ----

// Lets a chain come to rest, and judges stretch and force
static int spHangChain(const char* name, const char* setting, const spHangingChainDef* def, int rate,
                       const spValidation* options, json_t* rows)
{
    spHangingChain chain = spBuildHangingChain(def);
    if (chain.world == NULL)
    {
        return spFailUsage("%s", chain.error.message);
    }
    uint32_t flags = 0;
    for (int i = 0; i < rate && spIsInterrupted() == false; ++i)
    {
        uint32_t now = spWorld_Step(chain.world, 1 / (spReal)rate);
        flags |= 4 * i >= 3 * rate ? now : 0;
    }
    spMeasured m = {.name = name, .what = "stretch, mm", .limit = 0.02, .flags = flags};
    snprintf(m.setting, sizeof(m.setting), "%s, 1/%d s", setting, rate);
    m.value = 1e3 * spGetChainStretch(&chain);
    m.reference = 1e3 * spGetChainTheory(def);
    int code = spJudgeMeasured(&m, options, rows);
    m.what = "force, N";
    m.limit = 1e-3;
    m.value = spGetChainForce(&chain, 0);
    m.reference = spGetChainLoad(def, 0);
    int second = spJudgeMeasured(&m, options, rows);
    spDestroyHangingChain(&chain);
    return code != SP_EXIT_FINE ? code : second;
}

// Two equal bars, every method on every other
static int spRunJoints(const spValidation* options, json_t* rows)
{
    const double moduli[] = {1e5, 1e6};
    int code = SP_EXIT_FINE, count;
    const spNamedMethod* methods = spGetNamedMethods(&count);
    for (int i = 0; i < 2 * count * count && spIsInterrupted() == false; ++i)
    {
        const spNamedMethod* upper = methods + i / count % count;
        const spNamedMethod* lower = methods + i % count;
        spHangingChainDef def = spDefaultHangingChainDef();
        def.youngModulus = moduli[i / (count * count)];
        def.methods[0] = spMakeNamedMethod(upper, 20);
        def.methods[1] = spMakeNamedMethod(lower, 20);
        char setting[80];
        snprintf(setting, sizeof(setting), "%s, %s, %g Pa", upper->name, lower->name, def.youngModulus);
        int result = spHangChain("motion-joints", setting, &def, 60, options, rows);
        code = result != SP_EXIT_FINE ? result : code;
    }
    return code;
}

// Two bars and a block: the stiffness grows with the load, so that strains stay at 2 %
static int spRunChain(const spValidation* options, json_t* rows)
{
    const double ratios[] = {1.0, 10.0, 1000.0, 1e5};
    const int sweeps[] = {5, 20, 80}, rates[] = {60, 240};
    int code = SP_EXIT_FINE, count;
    const spNamedMethod* methods = spGetNamedMethods(&count);
    for (int i = 0; i < 4 * count * 2 && spIsInterrupted() == false; ++i)
    {
        const spNamedMethod* named = methods + i / 2 % count;
        spHangingChainDef def = spDefaultHangingChainDef();
        def.count = 3;
        def.massRatio = ratios[i / (2 * count)];
        def.youngModulus = 1e5 * def.massRatio;
        // Explicit steps are short where bars are stiff
        bool slow = named->type == sp_symplecticEuler || named->type == sp_verlet;
        for (int k = 0; k < (named->type == sp_xpbd ? 3 : 1) && !(slow && def.massRatio > 1000.0); ++k)
        {
            spMethodDef method = spMakeNamedMethod(named, sweeps[named->type == sp_xpbd ? k : 1]);
            spSetChainMethod(&def, &method);
            char setting[80];
            snprintf(setting, sizeof(setting), "%s, %d sweeps, 1 : %g", named->name, method.xpbd.iterations,
                     def.massRatio);
            int result = spHangChain("motion-chain", setting, &def, rates[i % 2], options, rows);
            code = result != SP_EXIT_FINE ? result : code;
        }
    }
    return code;
}

// Two bars by steps of half the length, and half again: what is solved does not depend on them
static int spRunHalving(const spValidation* options, json_t* rows)
{
    const int rates[] = {60, 120, 240, 480};
    int code = SP_EXIT_FINE, count;
    const spNamedMethod* methods = spGetNamedMethods(&count);
    for (int i = 0; i < 4 * count && spIsInterrupted() == false; ++i)
    {
        spHangingChainDef def = spDefaultHangingChainDef();
        spMethodDef method = spMakeNamedMethod(methods + i / 4, 20);
        spSetChainMethod(&def, &method);
        int result = spHangChain("motion-halving", methods[i / 4].name, &def, rates[i % 4], options, rows);
        code = result != SP_EXIT_FINE ? result : code;
    }
    return code;
}

static const spRunCase s_cases[] = {
    {"motion-joints", "two bars that hang on each other, every method on every other", spRunJoints},
    {"motion-chain", "two bars and a block of 1 to 1e5 times their mass", spRunChain},
    {"motion-halving", "two bars that hang on each other, by steps of 1/60 to 1/480 s", spRunHalving},
    {"motion-spin", "a free box that spins, every method by every law that turns", spRunMotionSpin},
    {"motion-pendulum", "a hinged rod, every method by every law that turns", spRunMotionPendulum},
    {"motion-steel", "a block of 1e5 to 1e11 Pa, pinned in its weight and spinning", spRunMotionSteel},
    {"motion-squeeze", "a cube that is pressed to 0.15 of its height and let go", spRunMotionSqueeze},
};

const spRunCase* spGetMotionCases(int* count)
{
    *count = (int)(sizeof(s_cases) / sizeof(s_cases[0]));
    return s_cases;
}
