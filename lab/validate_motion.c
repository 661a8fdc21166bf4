// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Motion against theory: what every method must get right, or say that it did not. A case measures a number of
// times; each measurement has a limit. One that misses it passes only if the world said, in the last quarter of
// the run, that its steps were not solved.

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/tools.h"
#include "testbed/hanging_chain.h"
#include "validate.h"

#include <math.h>
#include <stdio.h>

// One thing measured
typedef struct spMeasured
{
    const char* name; // of the case
    char setting[96]; // methods, materials, steps
    const char* what; // with its unit
    double value;
    double reference;
    double limit;   // of the difference, as a share of the reference
    uint32_t flags; // of the last quarter of the steps
} spMeasured;

// Prints a measurement and appends it to the rows. Returns an exit code.
static int spJudge(const spMeasured* m, const spValidation* options, json_t* rows)
{
    const uint32_t unsolved = sp_stepNotConverged | sp_stepSolverStopped | sp_stepUnstable | sp_stepNonFinite;
    double difference = fabs(m->value / m->reference - 1.0);
    bool good = difference <= m->limit, told = (m->flags & unsolved) != 0;
    const char* verdict = good ? "right" : told ? "told" : "WRONG";
    if (options->print)
    {
        printf("%-13s %-44s %-12s %12.6g %12.6g %9.3f %% %s\n", m->name, m->setting, m->what, m->value,
               m->reference, 100.0 * difference, verdict);
    }
    json_t* row = json_object();
    json_object_set_new(row, "name", json_string(m->name));
    json_object_set_new(row, "setting", json_string(m->setting));
    json_object_set_new(row, "what", json_string(m->what));
    json_object_set_new(row, "value", isfinite(m->value) ? json_real(m->value) : json_null());
    json_object_set_new(row, "reference", json_real(m->reference));
    json_object_set_new(row, "difference", isfinite(difference) ? json_real(difference) : json_null());
    json_object_set_new(row, "limit", json_real(m->limit));
    json_object_set_new(row, "told", json_boolean(told));
    json_object_set_new(row, "good", json_boolean(good));
    json_array_append_new(rows, row);
    return good || told ? SP_EXIT_FINE : SP_EXIT_TROUBLE;
}

// ---- bars that hang on each other ----

typedef struct spNamedMethod
{
    const char* name;
    spMethodType type;
    spXpbdSolver xpbd;
} spNamedMethod;

static const spNamedMethod s_methods[] = {
    {"symplecticEuler", sp_symplecticEuler, sp_xpbdAuto},
    {"verlet", sp_verlet, sp_xpbdAuto},
    {"backwardEuler", sp_backwardEuler, sp_xpbdAuto},
    {"bdf2", sp_bdf2, sp_xpbdAuto},
    {"imex", sp_imex, sp_xpbdAuto},
    {"quasiStatic", sp_quasiStatic, sp_xpbdAuto},
    {"xpbd", sp_xpbd, sp_xpbdAuto},
    {"xpbdSweeps", sp_xpbd, sp_xpbdGaussSeidel},
};

#define SP_METHOD_COUNT ((int)(sizeof(s_methods) / sizeof(s_methods[0])))

static spMethodDef spMakeMethod(const spNamedMethod* named, int sweeps)
{
    spMethodDef method = spDefaultMethodDef();
    method.type = named->type;
    method.xpbd.solver = named->xpbd;
    method.xpbd.iterations = sweeps;
    return method;
}

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
    int code = spJudge(&m, options, rows);
    m.what = "force, N";
    m.limit = 1e-3;
    m.value = spGetChainForce(&chain, 0);
    m.reference = spGetChainLoad(def, 0);
    int second = spJudge(&m, options, rows);
    spDestroyHangingChain(&chain);
    return code != SP_EXIT_FINE ? code : second;
}

// Two equal bars, every method on every other
static int spRunJoints(const spValidation* options, json_t* rows)
{
    const double moduli[] = {1e5, 1e6};
    int code = SP_EXIT_FINE;
    for (int i = 0; i < 2 * SP_METHOD_COUNT * SP_METHOD_COUNT && spIsInterrupted() == false; ++i)
    {
        const spNamedMethod* upper = s_methods + i / SP_METHOD_COUNT % SP_METHOD_COUNT;
        const spNamedMethod* lower = s_methods + i % SP_METHOD_COUNT;
        spHangingChainDef def = spDefaultHangingChainDef();
        def.youngModulus = moduli[i / (SP_METHOD_COUNT * SP_METHOD_COUNT)];
        def.methods[0] = spMakeMethod(upper, 20);
        def.methods[1] = spMakeMethod(lower, 20);
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
    int code = SP_EXIT_FINE;
    for (int i = 0; i < 4 * SP_METHOD_COUNT * 2 && spIsInterrupted() == false; ++i)
    {
        const spNamedMethod* named = s_methods + i / 2 % SP_METHOD_COUNT;
        spHangingChainDef def = spDefaultHangingChainDef();
        def.count = 3;
        def.massRatio = ratios[i / (2 * SP_METHOD_COUNT)];
        def.youngModulus = 1e5 * def.massRatio;
        // Explicit steps are short where bars are stiff
        bool slow = named->type == sp_symplecticEuler || named->type == sp_verlet;
        for (int k = 0; k < (named->type == sp_xpbd ? 3 : 1) && !(slow && def.massRatio > 1000.0); ++k)
        {
            spMethodDef method = spMakeMethod(named, sweeps[named->type == sp_xpbd ? k : 1]);
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

static const spRunCase s_cases[] = {
    {"motion-joints", "two bars that hang on each other, every method on every other", spRunJoints},
    {"motion-chain", "two bars and a block of 1 to 1e5 times their mass", spRunChain},
};

const spRunCase* spGetMotionCases(int* count)
{
    *count = (int)(sizeof(s_cases) / sizeof(s_cases[0]));
    return s_cases;
}
