// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Settings: everything that a `set` event can change while a scene runs and that a slider or a choice can
// show, with its present value from the world, and a range that goes by the value at the start, so that a
// slider does not move under the hand. docs/view_protocol.md says what the keys mean.

#include "scene/describe.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Sliders reach from a thousandth to a thousandfold of where a number started
#define SP_DECADES 1000.0

// The most that scene files take for most numbers
#define SP_MOST 1e15

typedef struct spSettings
{
    spRun* run;
    const spRunBody* body; // NULL: of the world
    json_t* list;
    json_t* method; // of the body, as scene files have it
} spSettings;

typedef struct spSetting
{
    const char* label;
    const char* path[3]; // keys of the event; NULL after the last one
    const char* unit;    // NULL when non-dimensional
    const char* kind;
    json_t* value;     // taken over
    double low, high;  // ignored for a choice
    json_t* choices;   // taken over; NULL for all but a choice
    const char* extra; // key that goes beside the path, or NULL
    int extraValue;
} spSetting;

static spSetting spMakeSetting(const char* label, const char* outer, const char* inner, const char* unit)
{
    return (spSetting){.label = label, .path = {outer, inner}, .unit = unit};
}

static void spAddSetting(spSettings* settings, const spSetting* setting)
{
    json_t *json = json_object(), *path = json_array(), *extra = json_object();
    const char* unit = setting->unit != NULL ? setting->unit : "";
    bool choice = strcmp(setting->kind, "choice") == 0;
    for (int i = 0; i < 3 && setting->path[i] != NULL; ++i)
    {
        spAppendJson(&path, json_string(setting->path[i]));
    }
    if (setting->extra != NULL)
    {
        spPutJson(&extra, setting->extra, json_integer(setting->extraValue));
    }
    spPutJson(&json, "label", json_string(setting->label));
    spPutJson(&json, "body", settings->body != NULL ? json_string(settings->body->data->name) : json_null());
    spPutJson(&json, "path", path);
    spPutJson(&json, "extra", extra);
    spPutJson(&json, "unit", json_string(unit));
    spPutJson(&json, "kind", json_string(setting->kind));
    spPutJson(&json, "value", setting->value);
    spPutJson(&json, "min", choice ? json_null() : json_real(setting->low));
    spPutJson(&json, "max", choice ? json_null() : json_real(setting->high));
    spPutJson(&json, "choices", choice ? setting->choices : json_array());
    spAppendJson(&settings->list, json);
}

// ---------------------------------------------------------------------------------------------------------
// Numbers

// The range, and the value where that is beyond. An end of it that went through spReal is no reason to move
// it.
static void spSetRange(spSetting* setting, double value, double low, double high)
{
    setting->low = value < low - 1e-6 * fabs(low) ? value : low;
    setting->high = value > high + 1e-6 * fabs(high) ? value : high;
}

static void spAddNumber(spSettings* settings, spSetting setting, const char* kind, double value, double low,
                        double high)
{
    setting.kind = kind;
    setting.value = json_real(value);
    spSetRange(&setting, value, low, high);
    spAddSetting(settings, &setting);
}

// A number that may be anything above 0. Where it started at 0, or is there now, only an even scale shows it.
// @param top end of that scale for a number that started at 0
static void spAddScale(spSettings* settings, spSetting setting, double value, double start, double top)
{
    if (start > 0.0 && value > 0.0)
    {
        spAddNumber(settings, setting, "log", value, start / SP_DECADES, fmin(start * SP_DECADES, SP_MOST));
    }
    else
    {
        spAddNumber(settings, setting, "linear", value, 0.0, start > 0.0 ? 10.0 * start : top);
    }
}

static void spAddVector(spSettings* settings, spSetting setting, spVec3 value, double most)
{
    double largest = fmax(fabs((double)value.x), fmax(fabs((double)value.y), fabs((double)value.z)));
    setting.kind = "vector";
    setting.value = spDescribeVector(value);
    setting.high = fmax(most, largest);
    setting.low = -setting.high;
    spAddSetting(settings, &setting);
}

static void spAddWorld(spSettings* settings)
{
    const spRun* run = settings->run;
    spVec3 gravity = spWorld_GetGravity(run->world);
    spAddVector(settings, spMakeSetting("Gravity", "gravity", NULL, "m/s^2"), gravity, 20.0);
    spAddNumber(settings, spMakeSetting("Time step", "dt", NULL, "s"), "log", run->dt, 1e-4, 1.0 / 15.0);
}

// Materials by name, as values of both moduli; what the tets have now comes first
static void spAddMaterials(spSettings* settings, double youngModulus, double poissonRatio)
{
    spSetting setting = spMakeSetting("Material", "tets", NULL, NULL);
    json_t* own = json_pack("{s:f, s:f}", "youngModulus", youngModulus, "poissonRatio", poissonRatio);
    setting.kind = "choice";
    setting.value = json_deep_copy(own);
    setting.choices = json_array();
    spAppendJson(&setting.choices, json_pack("{s:s, s:o}", "label", "as it is", "value", own));
    for (int i = 0; i < spGetMaterialCount(); ++i)
    {
        const spMaterial* material = spGetMaterial(i);
        spAppendJson(&setting.choices,
                     json_pack("{s:s, s:{s:f, s:f}}", "label", material->name, "value", "youngModulus",
                               material->youngModulus, "poissonRatio", material->poissonRatio));
    }
    spAddSetting(settings, &setting);
}

// Tets of several materials have no one number: all of them are scaled
static void spAddTets(spSettings* settings)
{
    const spRunBody* body = settings->body;
    spReal youngModulus, poissonRatio, damping;
    if (body->tetSet >= 0 && body->mixed)
    {
        spAddNumber(settings, spMakeSetting("Stiffness of all materials", "tets", "scale", NULL), "log",
                    spShorten((spReal)body->tetScale), 1.0 / SP_DECADES, SP_DECADES);
        return;
    }
    if (body->tetSet < 0 || spBody_GetTets(settings->run->world, body->id, body->tetSet, &youngModulus,
                                           &poissonRatio, &damping) == false)
    {
        return;
    }
    spAddMaterials(settings, spShorten(youngModulus), spShorten(poissonRatio));
    double low = fmax(body->startYoungModulus / SP_DECADES, 1e2);
    double high = fmin(body->startYoungModulus * SP_DECADES, 1e10);
    spAddNumber(settings, spMakeSetting("Young's modulus", "tets", "youngModulus", "Pa"), "log",
                spShorten(youngModulus), low, high);
    spAddNumber(settings, spMakeSetting("Poisson's ratio", "tets", "poissonRatio", NULL), "linear",
                spShorten(poissonRatio), 0.0, 0.49);
    spAddNumber(settings, spMakeSetting("Damping time", "tets", "damping", "s"), "linear", spShorten(damping),
                0.0, fmax(0.1, 4.0 * body->data->tets.damping));
}

// "Springs", or "Springs 2" where a body has several sets
static void spNameSet(char* label, size_t size, const char* what, int index, int count, const char* number)
{
    if (count > 1)
    {
        snprintf(label, size, "%s %d: %s", what, index + 1, number);
    }
    else
    {
        snprintf(label, size, "%s: %s", what, number);
    }
}

static const char* spGetSpringUnit(int law)
{
    return law == sp_springNormalised ? "N" : (law == sp_springProportional ? "N/m^2" : "N/m");
}

// Springs that got their stiffness from a modulus differ in it; one stiffness that they all get stays for
// good
static void spAddSprings(spSettings* settings)
{
    const spRunBody* body = settings->body;
    spWorld* world = settings->run->world;
    const spSpringsData* springs = body->data->springs.data;
    int count = body->data->springs.count;
    for (int i = 0; i < count; ++i)
    {
        char label[80];
        spReal modulus = 0, stiffness = 0, damping = 0;
        spSetting setting = spMakeSetting(label, "youngModulus", NULL, "Pa");
        setting.extra = "index";
        setting.extraValue = i;
        if (spBody_GetSpringModulus(world, body->id, body->springSets[i], &modulus, &damping))
        {
            spNameSet(label, sizeof(label), "Springs", i, count, "Young's modulus");
            spAddScale(settings, setting, spShorten(modulus), body->startModulus[i], 0.0);
        }
        else if (spBody_GetSprings(world, body->id, body->springSets[i], &stiffness, &damping))
        {
            bool derived = body->startModulus[i] > 0.0;
            double start = derived ? (double)stiffness : springs[i].stiffness;
            setting.path[0] = "stiffness";
            setting.unit = spGetSpringUnit(springs[i].law);
            spNameSet(label, sizeof(label), "Springs", i, count, "stiffness");
            spAddScale(settings, setting, spShorten(stiffness), start, 1e3);
        }
        else
        {
            continue;
        }
        setting.path[0] = "damping";
        setting.unit = "N s/m";
        spNameSet(label, sizeof(label), "Springs", i, count, "damping");
        spAddNumber(settings, setting, "linear", spShorten(damping), 0.0,
                    springs[i].damping > 0.0 ? 10.0 * springs[i].damping : 10.0);
    }
}

static void spAddConstraints(spSettings* settings)
{
    const spBodyData* data = settings->body->data;
    const spConstraintsData* sets = data->constraints.data;
    for (int i = 0; i < data->constraints.count; ++i)
    {
        char label[80];
        spReal compliance, damping;
        if (spBody_GetConstraints(settings->run->world, settings->body->id, settings->body->constraintSets[i],
                                  &compliance, &damping) == false)
        {
            continue;
        }
        bool volume = sets[i].type == sp_constraintVolume || sets[i].type == sp_constraintBodyVolume;
        spSetting setting = spMakeSetting(label, "constraints", "compliance", volume ? "1/Pa" : "m/N");
        setting.extra = "index";
        setting.extraValue = i;
        double start = sets[i].compliance;
        spNameSet(label, sizeof(label), "Constraints", i, data->constraints.count, "compliance");
        spAddScale(settings, setting, spShorten(compliance), start, volume ? 1e-5 : 1e-3);
        setting.path[1] = "damping";
        setting.unit = "s";
        spNameSet(label, sizeof(label), "Constraints", i, data->constraints.count, "damping time");
        spAddNumber(settings, setting, "linear", spShorten(damping), 0.0, fmax(0.1, 4.0 * sets[i].damping));
    }
}

static void spAddFields(spSettings* settings)
{
    static const char* const s_names[] = {"Drag", "Repulsive ground", "Mass drag", "Coherence"};
    static const char* const s_units[] = {"kg/s", "N m^2", "1/s", "kg/s"};
    _Static_assert(SP_COUNT(s_names) == sp_fieldTypeCount, "one name for each field");
    _Static_assert(SP_COUNT(s_units) == sp_fieldTypeCount, "one unit for each field");
    const spBodyData* data = settings->body->data;
    const spFieldData* fields = data->fields.data;
    for (int i = 0; i < data->fields.count; ++i)
    {
        char label[80];
        double value = spShorten(
            spBody_GetField(settings->run->world, settings->body->id, settings->body->fieldSets[i]));
        double start = fields[i].coefficient;
        spSetting setting = spMakeSetting(label, "coefficient", NULL, s_units[fields[i].type]);
        setting.extra = "index";
        setting.extraValue = i;
        spNameSet(label, sizeof(label), s_names[fields[i].type], i, data->fields.count, "coefficient");
        spAddScale(settings, setting, value, start, 1.0);
    }
}

static void spAddElements(spSettings* settings)
{
    spWorld* world = settings->run->world;
    const spRunBody* body = settings->body;
    spReal bending, friction = 0, restitution = 0;
    spAddTets(settings);
    spAddSprings(settings);
    spAddConstraints(settings);
    if (spBody_GetBends(world, body->id, body->bendSet, &bending, NULL))
    {
        double start = body->startBending;
        spAddScale(settings, spMakeSetting("Bending stiffness", "bendStiffness", NULL, "J"),
                   spShorten(bending), start, 1e-3);
    }
    if (body->gasSet >= 0)
    {
        bool flat = body->data->mesh.generator == sp_generateDisc ||
                    spIsGiven(&body->data->gas.head, &body->data->gas.outline);
        spAddScale(settings, spMakeSetting("Gas: n R T", "knrt", NULL, flat ? "J/m" : "J"),
                   spBody_GetGas(world, body->id, body->gasSet), body->startKnrt, 1e3);
    }
    if (body->windSet >= 0)
    {
        spDVec3 w = body->data->wind.velocity;
        double speed = sqrt(w.x * w.x + w.y * w.y + w.z * w.z);
        spAddVector(settings, spMakeSetting("Wind", "wind", NULL, "m/s"),
                    spBody_GetWind(world, body->id, body->windSet), fmax(20.0, 2.0 * speed));
    }
    spAddFields(settings);
    spBody_GetContact(world, body->id, &friction, &restitution);
    spAddNumber(settings, spMakeSetting("Friction", "friction", NULL, NULL), "linear", spShorten(friction),
                0.0, 2.0);
    spAddNumber(settings, spMakeSetting("Restitution", "restitution", NULL, NULL), "linear",
                spShorten(restitution), 0.0, 1.0);
}

// ---------------------------------------------------------------------------------------------------------
// Methods

static json_t* spMakeChoice(const char* label, json_t* value)
{
    json_t* json = json_object();
    spPutJson(&json, "label", json_string(label));
    spPutJson(&json, "value", value);
    return json;
}

// The table's row of a number of the method. `owner` is the object in the method that has it, or NULL.
static const spKey* spFindMethodKey(const spSettings* settings, const char* owner, const char* name)
{
    const spSchema* schema = settings->body->data->method.head.schema;
    return spFindKey(owner != NULL ? spFindKey(schema, owner, -1)->object : schema, name, -1);
}

static json_t* spGetMethodValue(const spSettings* settings, const char* owner, const char* name)
{
    const json_t* object = owner != NULL ? json_object_get(settings->method, owner) : settings->method;
    return json_object_get(object, name);
}

static spSetting spMakeMethodSetting(const spSettings* settings, const char* label, const char* owner,
                                     const char* name)
{
    spSetting setting = {.label = label, .path = {"method", owner != NULL ? owner : name}};
    setting.path[2] = owner != NULL ? name : NULL;
    setting.value = json_incref(spGetMethodValue(settings, owner, name));
    return setting;
}

// @param without words that are left out, as bits
static void spAddWords(spSettings* settings, const char* label, const char* owner, const char* name,
                       uint32_t without)
{
    const spKey* key = spFindMethodKey(settings, owner, name);
    spSetting setting = spMakeMethodSetting(settings, label, owner, name);
    setting.kind = "choice";
    setting.choices = json_array();
    for (int i = 0; i < key->choiceCount; ++i)
    {
        if ((without >> i & 1u) == 0)
        {
            json_t* word = json_string(key->choices[i]);
            spAppendJson(&setting.choices, spMakeChoice(key->choices[i], word));
        }
    }
    spAddSetting(settings, &setting);
}

static void spAddMethodNumber(spSettings* settings, const char* label, const char* owner, const char* name,
                              const char* kind, double low, double high)
{
    spSetting setting = spMakeMethodSetting(settings, label, owner, name);
    double value = json_number_value(setting.value);
    setting.kind = kind;
    spSetRange(&setting, value, low, high);
    spAddSetting(settings, &setting);
}

// "auto", or one of a few numbers, the present one among them
static void spAddCounts(spSettings* settings, const char* label, const char* owner, const char* name,
                        const int* counts, int countCount)
{
    spSetting setting = spMakeMethodSetting(settings, label, owner, name);
    json_int_t present = json_integer_value(setting.value); // 0 for the word
    setting.kind = "choice";
    setting.choices = json_array();
    spAppendJson(&setting.choices, spMakeChoice("auto", json_string("auto")));
    for (int i = 0; i <= countCount; ++i)
    {
        json_int_t last = i > 0 ? counts[i - 1] : 0;
        json_int_t next = i < countCount ? counts[i] : INT32_MAX;
        char number[24];
        if (present > last && present < next)
        {
            snprintf(number, sizeof(number), "%d", (int)present);
            spAppendJson(&setting.choices, spMakeChoice(number, json_integer(present)));
        }
        if (i < countCount)
        {
            snprintf(number, sizeof(number), "%d", counts[i]);
            spAppendJson(&setting.choices, spMakeChoice(number, json_integer(counts[i])));
        }
    }
    spAddSetting(settings, &setting);
}

// All methods that can move the body. The present one stands there as it is, the others with the defaults of
// the table, which need not be written.
static void spAddMethodTypes(spSettings* settings, spMethodType present)
{
    const spKey* type = spFindMethodKey(settings, NULL, "type");
    bool kept = settings->body->data->constraints.count > 0;
    spSetting setting = {.label = "Method", .path = {"method"}, .kind = "choice"};
    setting.value = json_incref(settings->method);
    setting.choices = json_array();
    for (int i = 0; i < type->choiceCount; ++i)
    {
        bool levels = settings->body->data->levels.count > 0;
        if ((kept && i != sp_xpbd && i != sp_methodAuto) || (i == sp_multiresolution && levels == false))
        {
            continue;
        }
        json_t* method = i == (int)present ? json_incref(settings->method) : json_object();
        if (i != (int)present)
        {
            spPutJson(&method, "type", json_string(type->choices[i]));
            spPutJson(&method, "contact", json_incref(spGetMethodValue(settings, NULL, "contact")));
        }
        spAppendJson(&setting.choices, spMakeChoice(type->choices[i], method));
    }
    spAddSetting(settings, &setting);
}

static void spAddXpbd(spSettings* settings, const spMethodDef* method)
{
    const spRunBody* body = settings->body;
    spTetLaw law = spBody_GetTetLaw(settings->run->world, body->id, body->tetSet);
    spAccelerator accelerator = method->xpbd.accelerator;
    spAddWords(settings, "Solver", "xpbd", "solver", 0);
    spAddMethodNumber(settings, "Iterations", "xpbd", "iterations", "integer", 1, 200);
    if (method->xpbd.solver == sp_xpbdAuto)
    {
        return;
    }
    spAddWords(settings, "Accelerator", "xpbd", "accelerator", 0);
    if (law != sp_tetLawCount && law != sp_tetNeoHookean && law != sp_tetMooneyRivlin)
    {
        spAddWords(settings, "Rows of tets", "xpbd", "tetRows", 0);
    }
    if (method->xpbd.solver == sp_xpbdGaussSeidel)
    {
        spAddWords(settings, "Order of sweeps", "xpbd", "order", 0);
    }
    if (accelerator == sp_accelerateSor || accelerator == sp_accelerateLambdaSor ||
        accelerator == sp_accelerateAndersonPrinted)
    {
        spAddMethodNumber(settings, "Relaxation", "xpbd", "relaxation", "linear", 0.5, 2.0);
    }
    if (accelerator == sp_accelerateAnderson || accelerator == sp_accelerateAndersonPrinted)
    {
        spAddMethodNumber(settings, "Window", "xpbd", "window", "integer", 1, 20);
    }
    if (accelerator == sp_accelerateChebyshev)
    {
        spAddMethodNumber(settings, "Spectral radius", "xpbd", "radius", "linear", 0.1, 0.9999);
    }
}

static void spAddImplicit(spSettings* settings, const spMethodDef* method)
{
    static const int s_newtonSteps[] = {1, 2, 3, 5, 10, 20, 50};
#ifdef SOUPLE_HAVE_CHOLMOD
    uint32_t without = 0;
#else
    uint32_t without = 1u << sp_preconditionCholesky;
#endif
    spAddWords(settings, "Preconditioner", "solver", "preconditioner", without);
    spAddWords(settings, "Operator", "solver", "operator", 0);
    spAddMethodNumber(settings, "Tolerance", "solver", "tolerance", "log", 1e-7, 0.1);
    if (method->type != sp_imex)
    {
        spAddCounts(settings, "Newton steps", "solver", "newtonSteps", s_newtonSteps,
                    SP_COUNT(s_newtonSteps));
    }
}

static void spAddExplicit(spSettings* settings, const spMethodDef* method)
{
    int edgeCount = 0;
    spBody_GetEdges(settings->run->world, settings->body->id, &edgeCount);
    if (method->substeps == 0)
    {
        spAddMethodNumber(settings, "Safety", NULL, "safety", "linear", 0.05, 1.0);
    }
    if (edgeCount > 0)
    {
        spAddWords(settings, "Velocity filter", "filter", "type", 0);
    }
    if (method->filter.type != sp_filterNone)
    {
        spAddMethodNumber(settings, "Filter: lambda", "filter", "lambda", "log", 0.05, 20.0);
    }
}

static void spAddMethod(spSettings* settings)
{
    static const int s_substeps[] = {1, 2, 3, 4, 5, 8, 10, 16, 20, 32, 50, 100};
    const spRunBody* body = settings->body;
    spWorld* world = settings->run->world;
    spMethodDef method = spBody_GetMethod(world, body->id);
    settings->method = spDescribeMethod(&method, body->data, spBody_GetEdges(world, body->id, NULL));
    spAddMethodTypes(settings, method.type);
    if (method.type == sp_xpbd)
    {
        spAddXpbd(settings, &method);
    }
    else if (spIsImplicit(method.type))
    {
        spAddImplicit(settings, &method);
    }
    else if (method.type != sp_rigid && method.type != sp_multiresolution)
    {
        spAddExplicit(settings, &method);
    }
    spAddCounts(settings, "Substeps", NULL, "substeps", s_substeps, SP_COUNT(s_substeps));
    spAddWords(settings, "Contact", NULL, "contact", 0);
    json_decref(settings->method);
    settings->method = NULL;
}

json_t* spListSettings(spRun* run)
{
    spSettings settings = {.run = run, .list = json_array()};
    spAddWorld(&settings);
    for (int i = 0; i < spMinInt(run->scene->data.bodies.count, SP_MAX_DESCRIBED); ++i)
    {
        settings.body = &run->bodies[i];
        spAddElements(&settings);
        spAddMethod(&settings);
    }
    return settings.list;
}
