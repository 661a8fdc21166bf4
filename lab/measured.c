// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "measured.h"

#include "cli/commands.h"
#include "cli/options.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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

const spNamedMethod* spGetNamedMethods(int* count)
{
    *count = (int)(sizeof(s_methods) / sizeof(s_methods[0]));
    return s_methods;
}

const spNamedMethod* spFindNamedMethod(const char* name)
{
    int count;
    const spNamedMethod* methods = spGetNamedMethods(&count);
    const spNamedMethod* found = NULL;
    for (int i = 0; i < count; ++i)
    {
        found = strcmp(methods[i].name, name) == 0 ? methods + i : found;
    }
    return found;
}

spMethodDef spMakeNamedMethod(const spNamedMethod* named, int sweeps)
{
    spMethodDef method = spDefaultMethodDef();
    method.type = named->type;
    method.xpbd.solver = named->xpbd;
    method.xpbd.iterations = sweeps;
    return method;
}

int spJudgeMeasured(const spMeasured* m, const spValidation* options, json_t* rows)
{
    const uint32_t unsolved = sp_stepNotConverged | sp_stepSolverStopped | sp_stepUnstable | sp_stepNonFinite;
    bool absolute = isnan(m->reference);
    double difference = absolute ? m->value : fabs(m->value / m->reference - 1.0);
    bool good = difference <= m->limit, told = (m->flags & unsolved) != 0;
    bool excused = told && m->strict == false;
    const spCell cells[] = {
        SP_TEXT_CELL("name", "case", -18, m->name),
        SP_TEXT_CELL("setting", "setting", -48, m->setting),
        SP_TEXT_CELL("what", "what", -28, m->what),
        SP_NUMBER_CELL("value", "value", 12, "%.6g", m->value),
        SP_NUMBER_CELL("reference", "reference", 12, "%.6g", m->reference),
        SP_NUMBER_CELL(NULL, "difference\n[%]", 11, "%.4f", absolute ? NAN : 100.0 * difference),
        SP_NUMBER_CELL("difference", NULL, 0, "", difference),
        SP_NUMBER_CELL("limit", "limit", 8, "%.2g", m->limit),
        SP_TEXT_CELL(NULL, "", 0,
                     good      ? "right"
                     : excused ? "told"
                     : told    ? "WRONG, told"
                               : "WRONG"),
    };
    json_t* row = spTellRow(options->table, cells, SP_CELL_COUNT(cells));
    json_object_set_new(row, "told", json_boolean(told));
    json_object_set_new(row, "good", json_boolean(good));
    json_array_append_new(rows, row);
    fflush(stdout);
    return good || excused ? SP_EXIT_FINE : SP_EXIT_TROUBLE;
}
