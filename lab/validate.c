// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// souple validate: solid bodies in static equilibrium against CalculiX on the very same tets, natural
// frequencies, motion and contact against theory.

#include "validate.h"

#include "cli/commands.h"
#include "cli/lab_options.h"
#include "cli/machine.h"
#include "cli/options.h"
#include "cli/table.h"
#include "cli/tools.h"
#include "data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SP_PI 3.14159265358979323846

// Single precision gets no further than 1e-5 to 1e-4 of the load: positions are rounded, and stiff elements
// feel it. Newton's method finds the displacements all the same.
#ifdef SOUPLE_DOUBLE_PRECISION
#define SP_LIMIT(inDouble, inFloat) (inDouble)
#else
#define SP_LIMIT(inDouble, inFloat) (inFloat)
#endif

// Tables of cases that measure several times
typedef struct spGroup
{
    const spRunCase* (*get)(int* count);
    const char* key;   // of its rows in JSON
    const char* word;  // names all of its cases, which run only when they are named; NULL: they always do
    const char* title; // in reports; NULL: the cases make their own parts
} spGroup;

static const spGroup s_groups[] = {
    {spGetFrequencyCases, "frequencies", NULL, NULL},
    {spGetMotionCases, "motion", "motion", "Motion against theory"},
    {spGetContactCases, "contact", "contact", "Contact against theory and CalculiX"},
};

#define SP_GROUP_COUNT ((int)(sizeof(s_groups) / sizeof(s_groups[0])))

// A case in static equilibrium
typedef struct spStaticCase
{
    const char* name;
    const char* doc;
    bool (*build)(spSolid* solid, const spValidation* options, spError* error);
    double limit; // largest difference over largest displacement
} spStaticCase;

// What came out of it
typedef struct spStaticResult
{
    spTetLaw law;
    int tetCount;
    double ours, theirs; // largest displacement, m
    double difference;   // largest difference over the largest displacement of CalculiX
    double stepped;      // the same of one step without inertia
    spRelaxResult relax;
    double seconds, theirSeconds;
} spStaticResult;

// ---- cases ----

static bool spMakeBox(spSolid* solid, spDVec3 size, int nx, int ny, int nz, const spSolidDef* def,
                      spError* error)
{
    spBoxMeshDef boxDef = spDefaultBoxMeshDef();
    boxDef.origin = (spDVec3){0.0, -0.5 * size.y, -0.5 * size.z};
    boxDef.size = size;
    boxDef.cells[0] = nx;
    boxDef.cells[1] = ny;
    boxDef.cells[2] = nz;
    spMesh* mesh = spMakeBoxMesh(&boxDef, error);
    bool good = mesh != NULL && spMakeSolid(solid, mesh, def, error);
    spDestroyMesh(mesh);
    return good;
}

// A beam of 1 m with a section of 0.2 m, clamped at x = 0, under its weight. The linear law knows no small or
// large: there it is soft too, which keeps displacements far above the rounding of positions.
static bool spMakeCantilever(spSolid* solid, spTetLaw law, double youngModulus, spError* error)
{
    spSolidDef def = {law, youngModulus, 0.3, 1000.0, {0.0, -9.81, 0.0}};
    if (spMakeBox(solid, (spDVec3){1.0, 0.2, 0.2}, 30, 6, 6, &def, error) == false)
    {
        return false;
    }
    for (int i = 0; i < solid->problem.nodeCount; ++i)
    {
        if (solid->rest[i].x < 1e-6)
        {
            spHoldNode(solid, i, (spDVec3){0.0, 0.0, 0.0});
        }
    }
    return true;
}

static bool spBuildCantilever(spSolid* solid, const spValidation* options, spError* error)
{
    (void)options;
    return spMakeCantilever(solid, sp_tetLinear, 4e5, error);
}

static bool spBuildCantileverLarge(spSolid* solid, const spValidation* options, spError* error)
{
    (void)options;
    return spMakeCantilever(solid, sp_tetStVenantKirchhoff, 7e5, error);
}

// A bar of 1 m along x, clamped at one end. The other end is turned about x by an angle in radians; small
// strain knows only the first order of that.
static bool spMakeTwist(spSolid* solid, spTetLaw law, double angle, spError* error)
{
    spSolidDef def = {law, 1e5, 0.3, 1000.0, {0.0, 0.0, 0.0}};
    if (spMakeBox(solid, (spDVec3){1.0, 0.2, 0.2}, 24, 5, 5, &def, error) == false)
    {
        return false;
    }
    for (int i = 0; i < solid->problem.nodeCount; ++i)
    {
        spDVec3 x = solid->rest[i];
        double c = law == sp_tetLinear ? 0.0 : cos(angle * x.x) - 1.0;
        double s = law == sp_tetLinear ? angle * x.x : sin(angle * x.x);
        // A start that is twisted evenly turns no element inside out
        solid->u[i] = (spDVec3){0.0, c * x.y - s * x.z, s * x.y + c * x.z};
        if (x.x < 1e-6 || x.x > 1.0 - 1e-6)
        {
            spHoldNode(solid, i, solid->u[i]);
        }
    }
    return true;
}

static bool spBuildTwist(spSolid* solid, const spValidation* options, spError* error)
{
    (void)options;
    return spMakeTwist(solid, sp_tetLinear, 0.5, error);
}

static bool spBuildTwistLarge(spSolid* solid, const spValidation* options, spError* error)
{
    (void)options;
    return spMakeTwist(solid, sp_tetStVenantKirchhoff, 75.0 * SP_PI / 180.0, error);
}

// A block of 0.2 m between two plates that it sticks to. One of them moves by a share of the side.
static bool spMakePress(spSolid* solid, spTetLaw law, double share, spError* error)
{
    spSolidDef def = {law, 1e5, 0.3, 1000.0, {0.0, 0.0, 0.0}};
    if (spMakeBox(solid, (spDVec3){0.2, 0.2, 0.2}, 12, 12, 12, &def, error) == false)
    {
        return false;
    }
    for (int i = 0; i < solid->problem.nodeCount; ++i)
    {
        spDVec3 x = solid->rest[i];
        solid->u[i] = (spDVec3){-share * x.x, 0.0, 0.0};
        if (x.x < 1e-6 || x.x > 0.2 - 1e-6)
        {
            spHoldNode(solid, i, solid->u[i]);
        }
    }
    return true;
}

static bool spBuildPress(spSolid* solid, const spValidation* options, spError* error)
{
    (void)options;
    return spMakePress(solid, sp_tetLinear, 0.05, error);
}

static bool spBuildPressLarge(spSolid* solid, const spValidation* options, spError* error)
{
    (void)options;
    return spMakePress(solid, sp_tetStVenantKirchhoff, 0.2, error);
}

// A liver, scaled to 0.25 m, held on its left fifth, under its weight
static bool spBuildLiver(spSolid* solid, const spValidation* options, spError* error)
{
    spSolidDef def = {sp_tetLinear, 2e4, 0.4, 1050.0, {0.0, -9.81, 0.0}};
    spMesh* mesh =
        options->mesh != NULL ? spLoadMesh(options->mesh, NULL, error) : spLoadData("liver_like.msh", error);
    if (mesh == NULL)
    {
        return false;
    }
    int count = spMesh_GetVertexCount(mesh);
    double least = INFINITY, most = -INFINITY;
    for (int i = 0; i < count; ++i)
    {
        least = fmin(least, spMesh_GetVertices(mesh)[i].x);
        most = fmax(most, spMesh_GetVertices(mesh)[i].x);
    }
    double scale = 0.25 / (most - least);
    spTransform still = {{(spReal)(-least * scale), 0, 0}, {0, 0, 0, 1}};
    bool good = spMesh_Transform(mesh, (spDVec3){scale, scale, scale}, still, error) &&
                spMakeSolid(solid, mesh, &def, error);
    for (int i = 0; good && i < count; ++i)
    {
        if (solid->rest[i].x < 0.05)
        {
            spHoldNode(solid, i, (spDVec3){0.0, 0.0, 0.0});
        }
    }
    spDestroyMesh(mesh);
    return good;
}

// A clamped beam, cut from above in its middle, through five sixths of its height: it opens under its weight
static bool spMakeCut(spSolid* solid, spTetLaw law, double youngModulus, spError* error)
{
    const spSolidDef def = {law, youngModulus, 0.3, 1000.0, {0.0, -9.81, 0.0}};
    const spBlade blade = {.begin = {{(spReal)0.5, (spReal)0.11, -1}, {(spReal)0.5, (spReal)0.11, 1}},
                           .end = {{(spReal)0.5, (spReal)-0.068, -1}, {(spReal)0.5, (spReal)-0.068, 1}}};
    spBoxMeshDef box = spDefaultBoxMeshDef();
    box.origin = (spDVec3){0.0, -0.1, -0.1};
    box.size = (spDVec3){1.0, 0.2, 0.2};
    box.cells[0] = 20;
    box.cells[1] = box.cells[2] = 6;
    spMesh* mesh = spMakeBoxMesh(&box, error);
    bool good = mesh != NULL && spMakeCutSolid(solid, mesh, &def, &blade, error);
    for (int i = 0; good && i < solid->problem.nodeCount; ++i)
    {
        if (solid->rest[i].x < 1e-6)
        {
            spHoldNode(solid, i, (spDVec3){0.0, 0.0, 0.0});
        }
    }
    spDestroyMesh(mesh);
    return good;
}

static bool spBuildCut(spSolid* solid, const spValidation* options, spError* error)
{
    (void)options;
    return spMakeCut(solid, sp_tetLinear, 2e6, error);
}

static bool spBuildCutLarge(spSolid* solid, const spValidation* options, spError* error)
{
    (void)options;
    return spMakeCut(solid, sp_tetStVenantKirchhoff, 2e6, error);
}

// One element, three nodes held, the fourth pulled up and aside until it is longer by a third: what law
// CalculiX has
static bool spBuildElement(spSolid* solid, const spValidation* options, spError* error)
{
    (void)options;
    static const spDVec3 vertices[4] = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.2, 0.2, 1.0}};
    static const int32_t tets[4] = {0, 1, 2, 3};
    spSolidDef def = {sp_tetStVenantKirchhoff, 1e5, 0.3, 1000.0, {0.0, 0.0, 0.0}};
    spMeshDef meshDef = spDefaultMeshDef();
    meshDef.vertices = vertices;
    meshDef.vertexCount = 4;
    meshDef.tets = tets;
    meshDef.tetCount = 1;
    spMesh* mesh = spCreateMesh(&meshDef, error);
    bool good = mesh != NULL && spMakeSolid(solid, mesh, &def, error) &&
                spLoadNode(solid, 3, (spDVec3){5e3, 0.0, 1.2e4}, error);
    for (int i = 0; good && i < 3; ++i)
    {
        spHoldNode(solid, i, (spDVec3){0.0, 0.0, 0.0});
    }
    spDestroyMesh(mesh);
    return good;
}

// Limits are 0.1 % for small strain and 1 % for large; one element alone shows the law, and a cut body that it has
// come apart as the mesh says, to more digits
static const spStaticCase s_cases[] = {
    {"cantilever", "clamped beam under its weight, small strain", spBuildCantilever, 1e-3},
    {"twist", "bar turned by 0.5 rad, small strain", spBuildTwist, 1e-3},
    {"press", "block pressed by 5 % between sticky plates, small strain", spBuildPress, 1e-3},
    {"liver", "liver held on one side, under its weight, small strain", spBuildLiver, 1e-3},
    {"element-large", "one element pulled longer by a third", spBuildElement, SP_LIMIT(1e-5, 1e-4)},
    {"cut", "clamped beam that a blade cut from above, small strain", spBuildCut, SP_LIMIT(1e-6, 1e-4)},
    {"cut-large", "the same, St Venant-Kirchhoff", spBuildCutLarge, SP_LIMIT(1e-5, 1e-4)},
    {"cantilever-large", "clamped beam that sags by 0.4 of its length", spBuildCantileverLarge, 1e-2},
    {"twist-large", "bar turned by 75 degrees", spBuildTwistLarge, 1e-2},
    {"press-large", "block pressed by 20 % between sticky plates", spBuildPressLarge, 1e-2},
};

#define SP_CASE_COUNT ((int)(sizeof(s_cases) / sizeof(s_cases[0])))

// ---- comparison ----

static double spGetLength(spDVec3 a)
{
    return sqrt(a.x * a.x + a.y * a.y + a.z * a.z);
}

static double spGetLargest(const spDVec3* u, int count)
{
    double largest = 0.0;
    for (int i = 0; i < count; ++i)
    {
        largest = fmax(largest, spGetLength(u[i]));
    }
    return largest;
}

double spCompareSolid(const spDVec3* ours, const spDVec3* theirs, int count)
{
    double largest = 0.0;
    for (int i = 0; i < count; ++i)
    {
        spDVec3 a = ours[i], b = theirs[i];
        largest = fmax(largest, spGetLength((spDVec3){a.x - b.x, a.y - b.y, a.z - b.z}));
    }
    return largest / spGetLargest(theirs, count);
}

static bool spRunStatic(const spStaticCase* c, const spValidation* options, spStaticResult* result,
                        spError* error)
{
    *result = (spStaticResult){0};
    spSolid solid = {0};
    if (c->build(&solid, options, error) == false)
    {
        spDestroySolid(&solid);
        return false;
    }
    result->law = solid.problem.large ? sp_tetStVenantKirchhoff : sp_tetLinear;
    result->tetCount = solid.problem.tetCount;
    int count = solid.problem.nodeCount;
    spDVec3* theirs = calloc((size_t)count, sizeof(spDVec3));
    spDVec3* stepped = calloc((size_t)count, sizeof(spDVec3));
    bool good = theirs != NULL && stepped != NULL;
    if (good == false)
    {
        *error = (spError){.code = sp_errorOutOfMemory, .message = "no memory for displacements"};
    }
    const double tolerance = SP_LIMIT(1e-8, 1e-5);
    good = good && spStepSolid(&solid, tolerance, stepped, error);
    double start = spGetSeconds();
    good = good && spRelaxSolid(&solid, tolerance, &result->relax, error);
    result->seconds = spGetSeconds() - start;
    if (good)
    {
        start = spGetSeconds();
        good = spSolveByCalculix(&solid.problem, options->folder, c->name, theirs, error);
        result->theirSeconds = spGetSeconds() - start;
    }
    if (good)
    {
        result->ours = spGetLargest(solid.u, count);
        result->theirs = spGetLargest(theirs, count);
        result->difference = spCompareSolid(solid.u, theirs, count);
        result->stepped = spCompareSolid(stepped, theirs, count);
    }
    free(stepped);
    free(theirs);
    spDestroySolid(&solid);
    return good;
}

// ---- the other precision ----

typedef struct spBeside
{
    json_t* json; // NULL for none
    const char* precision;
} spBeside;

static int spLoadBeside(spBeside* beside, const char* path)
{
    json_error_t problem;
    beside->json = path != NULL ? json_load_file(path, 0, &problem) : NULL;
    if (path == NULL)
    {
        return SP_GO_ON;
    }
    if (beside->json == NULL)
    {
        return spFailUsage("%s: %s", path, problem.text);
    }
    beside->precision =
        json_string_value(json_object_get(json_object_get(beside->json, "machine"), "precision"));
    if (beside->precision == NULL || json_is_array(json_object_get(beside->json, "cases")) == 0)
    {
        json_decref(beside->json);
        beside->json = NULL;
        return spFailUsage("%s is not what 'souple validate --json' prints", path);
    }
    return SP_GO_ON;
}

// A number of the same case; NaN when it has none
static double spGetBeside(const spBeside* beside, const char* name, const char* key)
{
    size_t i;
    const json_t* row;
    json_array_foreach(json_object_get(beside->json, "cases"), i, row)
    {
        const char* other = json_string_value(json_object_get(row, "name"));
        if (other != NULL && strcmp(other, name) == 0)
        {
            const json_t* value = json_object_get(row, key);
            return json_is_number(value) ? json_number_value(value) : NAN;
        }
    }
    return NAN;
}

// ---- table ----

static json_t* spTellResult(spTable* table, const spStaticCase* c, const spStaticResult* r,
                            const spBeside* beside, bool passed)
{
    char heads[2][40];
    bool both = beside->json != NULL;
    snprintf(heads[0], sizeof(heads[0]), "%.20s\ndifference", both ? beside->precision : "");
    snprintf(heads[1], sizeof(heads[1]), "%.20s\nresidual", both ? beside->precision : "");
    const spCell cells[] = {
        SP_TEXT_CELL("name", "case", -17, c->name),
        SP_TEXT_CELL("law", "law", -17, spGetTetLawName(r->law)),
        SP_WHOLE_CELL("tets", "tets", 6, r->tetCount),
        SP_NUMBER_CELL(NULL, "largest u,\nours [mm]", 12, "%.4f", 1e3 * r->ours),
        SP_NUMBER_CELL(NULL, "CalculiX\n[mm]", 12, "%.4f", 1e3 * r->theirs),
        SP_NUMBER_CELL("ours", NULL, 0, "", r->ours),
        SP_NUMBER_CELL("theirs", NULL, 0, "", r->theirs),
        SP_NUMBER_CELL("difference", "largest\ndifference", 11, "%.1e", r->difference),
        SP_NUMBER_CELL("stepped", "in one\nstep", 8, "%.1e", r->stepped),
        SP_NUMBER_CELL("limit", "limit", 8, "%.0e", c->limit),
        SP_NUMBER_CELL("residual", "our\nresidual", 9, "%.1e", r->relax.residual),
        SP_WHOLE_CELL("iterations", NULL, 0, r->relax.iterations),
        SP_NUMBER_CELL("seconds", "our\n[s]", 7, "%.2f", r->seconds),
        SP_NUMBER_CELL("theirSeconds", "ccx\n[s]", 7, "%.2f", r->theirSeconds),
        SP_NUMBER_CELL(NULL, both ? heads[0] : NULL, 11, "%.1e", spGetBeside(beside, c->name, "difference")),
        SP_NUMBER_CELL(NULL, both ? heads[1] : NULL, 11, "%.1e", spGetBeside(beside, c->name, "residual")),
        SP_TEXT_CELL(NULL, "", 0, passed ? "" : "MISSED"),
    };
    json_t* row = spTellRow(table, cells, SP_CELL_COUNT(cells));
    json_object_set_new(row, "passed", json_boolean(passed));
    json_object_set_new(row, "converged", json_boolean(r->relax.converged));
    return row;
}

// ---- command ----

static bool spIsWanted(const char* name, const char* const* names, int nameCount)
{
    bool wanted = nameCount == 0;
    for (int i = 0; i < nameCount; ++i)
    {
        wanted |= strcmp(name, names[i]) == 0;
    }
    return wanted;
}

static bool spIsKnown(const char* name)
{
    bool known = false;
    for (int i = 0; i < SP_CASE_COUNT; ++i)
    {
        known |= strcmp(s_cases[i].name, name) == 0;
    }
    for (int g = 0; g < SP_GROUP_COUNT; ++g)
    {
        int count;
        const spRunCase* cases = s_groups[g].get(&count);
        known |= s_groups[g].word != NULL && strcmp(s_groups[g].word, name) == 0;
        for (int i = 0; i < count; ++i)
        {
            known |= strcmp(cases[i].name, name) == 0;
        }
    }
    return known;
}

static int spCheckNames(const char* const* names, int nameCount)
{
    for (int k = 0; k < nameCount; ++k)
    {
        if (spIsKnown(names[k]) == false)
        {
            return spFailUsage("there is no case '%s'; 'souple validate --list' names them", names[k]);
        }
    }
    return SP_GO_ON;
}

static int spListCases(void)
{
    for (int i = 0; i < SP_CASE_COUNT; ++i)
    {
        printf("%-17s %s\n", s_cases[i].name, s_cases[i].doc);
    }
    for (int g = 0; g < SP_GROUP_COUNT; ++g)
    {
        int count;
        const spRunCase* cases = s_groups[g].get(&count);
        for (int i = 0; i < count; ++i)
        {
            printf("%-17s %s\n", cases[i].name, cases[i].doc);
        }
    }
    return SP_EXIT_FINE;
}

// Cases in static equilibrium. Returns an exit code.
static int spRunStatics(const spValidation* options, const spBeside* beside, const char* const* names,
                        int nameCount, json_t* rows)
{
    int code = SP_EXIT_FINE;
    spTable table = {.print = options->print, .draft = options->draft};
    for (int i = 0; i < SP_CASE_COUNT && spIsInterrupted() == false; ++i)
    {
        const spStaticCase* c = s_cases + i;
        if (spIsWanted(c->name, names, nameCount) == false)
        {
            continue;
        }
        spError error = SP_ZERO_INIT;
        spStaticResult result;
        if (spRunStatic(c, options, &result, &error) == false)
        {
            return spFailUsage("%s: %s", c->name, error.message);
        }
        bool passed = result.difference <= c->limit && result.stepped <= c->limit;
        code = passed ? code : SP_EXIT_TROUBLE;
        if (json_array_size(rows) == 0)
        {
            spDraftPart(options->draft, "Static equilibrium against CalculiX");
            spDraftText(options->draft,
                        "The same tets and loads in both programs. Differences are the largest of a node, "
                        "over the largest displacement u that CalculiX finds.");
        }
        json_array_append_new(rows, spTellResult(&table, c, &result, beside, passed));
    }
    return code;
}

// Cases of a group that are wanted by their names, or by the word for all of them
static int spRunGroup(const spGroup* group, const spValidation* options, const char* const* names,
                      int nameCount, json_t* rows)
{
    int code = SP_EXIT_FINE, count;
    const spRunCase* cases = group->get(&count);
    bool all = group->word != NULL && nameCount > 0 && spIsWanted(group->word, names, nameCount);
    count = group->word != NULL && nameCount == 0 ? 0 : count;
    bool begun = group->title == NULL;
    for (int i = 0; i < count && spIsInterrupted() == false; ++i)
    {
        if (all || spIsWanted(cases[i].name, names, nameCount))
        {
            if (begun == false)
            {
                spDraftPart(options->draft, group->title);
                begun = true;
            }
            int result = cases[i].run(options, rows);
            if (result == SP_EXIT_USAGE)
            {
                return result;
            }
            code = result != SP_EXIT_FINE ? result : code;
        }
    }
    return code;
}

static int spRunCases(spValidation* options, const spBeside* beside, const char* const* names, int nameCount,
                      bool json)
{
    char folder[512];
    spError error = SP_ZERO_INIT;
    if (spEnterFolder(folder, sizeof(folder), options->keep, &error) == false)
    {
        return spFailUsage("%s", error.message);
    }
    options->folder = folder;
    if (options->print)
    {
        spPrintMachine();
        printf("\n");
    }
    json_t* cases = json_array();
    int code = spRunStatics(options, beside, names, nameCount, cases);
    json_t* rows[SP_GROUP_COUNT];
    for (int g = 0; g < SP_GROUP_COUNT; ++g)
    {
        rows[g] = json_array();
        int second =
            code != SP_EXIT_USAGE ? spRunGroup(s_groups + g, options, names, nameCount, rows[g]) : code;
        code = second != SP_EXIT_FINE ? second : code;
    }
    code = spIsInterrupted() ? SP_EXIT_INTERRUPTED : code;
    spLeaveFolder(folder, options->keep);
    json_t* object = spMakeMeasuredJson();
    json_object_set_new(object, "cases", cases);
    for (int g = 0; g < SP_GROUP_COUNT; ++g)
    {
        json_object_set_new(object, s_groups[g].key, rows[g]);
    }
    if (json && code != SP_EXIT_USAGE)
    {
        spPrintJson(object);
    }
    else
    {
        json_decref(object);
    }
    return code;
}

int spRunValidate(int argc, char** argv)
{
    spValidateOptions options;
    int code = spParseValidate(&options, argc, argv);
    code = code == SP_GO_ON ? spCheckNames(options.names, options.nameCount) : code;
    if (code != SP_GO_ON)
    {
        return code;
    }
    if (options.list)
    {
        return spListCases();
    }
    bool print = options.json == false && options.quiet == false;
    spReportPlan report = {.path = options.report,
                           .title = "Solid bodies against CalculiX and theory",
                           .argc = argc,
                           .argv = argv,
                           .quiet = print == false};
    spTable table = {.print = print};
    spValidation validation = {
        .keep = options.keep, .mesh = options.mesh, .print = print, .quick = options.quick, .table = &table};
    spBeside beside = {0};
    code = report.path != NULL ? spCheckReports() : SP_GO_ON;
    code = code == SP_GO_ON ? spLoadBeside(&beside, options.beside) : code;
    if (code == SP_GO_ON)
    {
        spCatchInterrupt();
        validation.draft = report.path != NULL ? spMakeDraft() : NULL;
        table.draft = validation.draft;
        code = spRunCases(&validation, &beside, options.names, options.nameCount, options.json);
        if (validation.draft != NULL && code != SP_EXIT_USAGE)
        {
            int reportCode = spSaveDraft(validation.draft, &report);
            code = reportCode != SP_EXIT_FINE ? reportCode : code;
        }
        spDestroyDraft(validation.draft);
    }
    json_decref(beside.json);
    return code;
}
