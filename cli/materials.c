// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// souple materials: what scenes know by name.

#include "commands.h"
#include "options.h"
#include "souple/scene.h"
#include "tools.h"

#include <stdio.h>

static json_t* spMakeMaterialJson(const spMaterial* material)
{
    json_t* json = json_object();
    json_object_set_new(json, "name", json_string(material->name));
    json_object_set_new(json, "youngModulus", spMakeJsonNumber(material->youngModulus));
    json_object_set_new(json, "youngMin", spMakeJsonNumber(material->youngMin));
    json_object_set_new(json, "youngMax", spMakeJsonNumber(material->youngMax));
    json_object_set_new(json, "poissonRatio", spMakeJsonNumber(material->poissonRatio));
    json_object_set_new(json, "density", spMakeJsonNumber(material->density));
    json_object_set_new(json, "source", json_string(material->source));
    return json;
}

int spRunMaterials(int argc, char** argv)
{
    bool json = false;
    const spOption table[] = {
        {"json", sp_optionFlag, NULL, &json, "print one JSON object instead of a table", 0, 0, 0},
    };
    static const char* const examples[] = {"souple materials", "souple materials --json", NULL};
    const spUsage usage = {
        .usage = "souple materials [options]",
        .description = "Lists the materials that a scene can name: \"material\": \"rubber\".",
        .options = table,
        .optionCount = 1,
        .examples = examples,
    };
    int operandCount = 0;
    int code = spParseOptions(&usage, argc, argv, NULL, &operandCount);
    if (code != SP_GO_ON)
    {
        return code;
    }
    json_t* list = json_array();
    if (!json)
    {
        printf("%-12s %12s %22s %8s %8s  %s\n", "material", "E [Pa]", "range of E [Pa]", "Poisson", "kg/m^3",
               "source of E");
    }
    for (int i = 0; i < spGetMaterialCount(); ++i)
    {
        const spMaterial* material = spGetMaterial(i);
        if (json)
        {
            json_array_append_new(list, spMakeMaterialJson(material));
            continue;
        }
        char range[40];
        snprintf(range, sizeof(range), "%.3g to %.3g", material->youngMin, material->youngMax);
        printf("%-12s %12.3g %22s %8.2f %8.0f  %s\n", material->name, material->youngModulus, range,
               material->poissonRatio, material->density, material->source);
    }
    if (json)
    {
        json_t* object = json_object();
        json_object_set(object, "materials", list);
        spPrintJson(object);
    }
    else
    {
        printf("\nPoisson's ratios and densities are customary values. Tissues are far softer under "
               "indentation than under\n"
               "tension; the softer value is used, except for tendon and sclera.\n");
    }
    json_decref(list);
    return SP_EXIT_FINE;
}
