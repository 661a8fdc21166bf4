// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The manual of the scene format, printed from the table that the reader uses: as Markdown for
// docs/scene_format.md, or for a terminal.

#include "scene/scene_data.h"
#include "souple/scene.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define SP_MAX_SCHEMAS 64
#define SP_TEXT_WIDTH 96

typedef struct spManual
{
    spTextFcn* write;
    void* context;
    bool markdown;
    const spSchema* seen[SP_MAX_SCHEMAS];
    int seenCount;
} spManual;

static void spSay(spManual* manual, const char* format, ...)
{
    char buffer[4000];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(buffer, sizeof(buffer), format, arguments);
    va_end(arguments);
    manual->write(buffer, (size_t)spClampInt(length, 0, (int)sizeof(buffer) - 1), manual->context);
}

// Wraps a paragraph for a terminal; Markdown stays on one line. Back quotes are for Markdown only.
static void spSayParagraph(spManual* manual, int indent, const char* text)
{
    if (manual->markdown)
    {
        spSay(manual, "%s\n", text);
        return;
    }
    int column = 0;
    while (*text != 0)
    {
        size_t word = strcspn(text, " ");
        if (column > 0 && column + 1 + (int)word > SP_TEXT_WIDTH)
        {
            spSay(manual, "\n");
            column = 0;
        }
        column += column == 0 ? indent : 1;
        spSay(manual, "%*s", column == indent ? indent : 1, "");
        for (size_t i = 0; i < word; ++i)
        {
            if (text[i] != '`')
            {
                manual->write(&text[i], 1, manual->context);
            }
        }
        column += (int)word;
        text += word + (text[word] == ' ');
    }
    spSay(manual, "\n");
}

static void spFormatRange(const spKey* key, char* buffer, size_t size)
{
    char lower[40], upper[40];
    spFormatNumber(lower, key->lower);
    spFormatNumber(upper, key->upper);
    const char* bracket = (key->flags & sp_keyAboveLower) != 0 ? "above " : "";
    if (key->type == sp_keyVector)
    {
        buffer[0] = 0;
    }
    else if (key->lower == key->upper)
    {
        snprintf(buffer, size, ", %s", lower);
    }
    else
    {
        snprintf(buffer, size, ", %s%s to %s", bracket, lower, upper);
    }
}

// What kind of value a key takes
static void spFormatType(const spManual* manual, const spKey* key, char* buffer, size_t size)
{
    char range[100];
    const char* orAuto = (key->flags & sp_keyAuto) != 0 ? " or \"auto\"" : "";
    spFormatRange(key, range, sizeof(range));
    switch (key->type)
    {
        case sp_keyBool:
            snprintf(buffer, size, "true or false");
            break;
        case sp_keyInteger:
            snprintf(buffer, size, "whole number%s%s", orAuto, range);
            break;
        case sp_keyNumber:
            snprintf(buffer, size, "number%s%s", orAuto, range);
            break;
        case sp_keyString:
            snprintf(buffer, size, "text");
            break;
        case sp_keyChoice:
        {
            size_t at = 0;
            for (int i = 0; i < key->choiceCount && at < size; ++i)
            {
                at +=
                    (size_t)snprintf(buffer + at, size - at, "%s\"%s\"", i > 0 ? ", " : "", key->choices[i]);
            }
            break;
        }
        case sp_keyVector:
            snprintf(buffer, size, "[x, y, z]");
            break;
        case sp_keyRange:
            snprintf(buffer, size, "[low, high]");
            break;
        case sp_keyScale:
            snprintf(buffer, size, "number or [x, y, z]%s", range);
            break;
        case sp_keyCounts:
            snprintf(buffer, size, "[nx, ny, nz] whole%s", range);
            break;
        case sp_keyIntegers:
            snprintf(buffer, size, "list of whole numbers%s",
                     (key->flags & sp_keyAll) != 0 ? " or \"all\"" : "");
            break;
        case sp_keyTuples:
            snprintf(buffer, size, "list of lists of %d", key->width);
            break;
        case sp_keyObject:
        case sp_keyObjects:
        {
            const char* list = key->type == sp_keyObjects ? "list of " : "";
            char anchor[64];
            snprintf(anchor, sizeof(anchor), "%s", key->object->name);
            for (char* c = anchor; *c != 0; ++c)
            {
                *c = *c == ' ' ? '-' : *c;
            }
            if (manual->markdown)
            {
                snprintf(buffer, size, "%s[%s](#%s)", list, key->object->name, anchor);
            }
            else
            {
                snprintf(buffer, size, "%s%s", list, key->object->name);
            }
            break;
        }
    }
}

static void spFormatDefault(const spKey* key, char* buffer, size_t size)
{
    char number[3][40];
    for (int i = 0; i < 3; ++i)
    {
        spFormatNumber(number[i], key->value[i]);
    }
    if ((key->flags & sp_keyRequired) != 0)
    {
        snprintf(buffer, size, "required");
        return;
    }
    if (key->text != NULL)
    {
        snprintf(buffer, size, "%s", key->text);
        return;
    }
    switch (key->type)
    {
        case sp_keyBool:
            snprintf(buffer, size, "%s", key->value[0] != 0.0 ? "true" : "false");
            break;
        case sp_keyInteger:
        case sp_keyNumber:
            snprintf(buffer, size, "%s",
                     (key->flags & sp_keyAuto) != 0 && key->value[0] == 0.0 ? "\"auto\"" : number[0]);
            break;
        case sp_keyChoice:
            snprintf(buffer, size, "\"%s\"", key->choices[(int)key->value[0]]);
            break;
        case sp_keyVector:
        case sp_keyCounts:
            snprintf(buffer, size, "[%s, %s, %s]", number[0], number[1], number[2]);
            break;
        case sp_keyRange:
            snprintf(buffer, size, "[%s, %s]", number[0], number[1]);
            break;
        case sp_keyScale:
            snprintf(buffer, size, "%s", number[0]);
            break;
        default:
            snprintf(buffer, size, "%s", (key->flags & sp_keyImplied) != 0 ? "as its keys say" : "none");
            break;
    }
}

// The words of the selector for which a row applies
static void spFormatSelectors(const spSchema* schema, const spKey* key, char* buffer, size_t size)
{
    const spKey* selector = spFindSelectorKey(schema);
    size_t at = 0;
    buffer[0] = 0;
    for (int i = 0; key->selector != 0 && i < selector->choiceCount && at < size; ++i)
    {
        if ((key->selector >> i & 1u) != 0)
        {
            at += (size_t)snprintf(buffer + at, size - at, "%s%s", at > 0 ? ", " : "", selector->choices[i]);
        }
    }
}

static void spSayKey(spManual* manual, const spSchema* schema, const spKey* key)
{
    char type[1000], value[200], selectors[600];
    spFormatType(manual, key, type, sizeof(type));
    spFormatDefault(key, value, sizeof(value));
    spFormatSelectors(schema, key, selectors, sizeof(selectors));
    const char* unit = key->unit != NULL ? key->unit : "";
    if (manual->markdown)
    {
        spSay(manual, "| `%s` | %s | %s | %s | %s%s%s%s |\n", key->name, type, unit, value,
              selectors[0] != 0 ? "*" : "", selectors, selectors[0] != 0 ? ":* " : "", key->doc);
        return;
    }
    spSay(manual, "  %s%s%s%s\n", key->name, selectors[0] != 0 ? "  (" : "", selectors,
          selectors[0] != 0 ? ")" : "");
    char line[4000];
    snprintf(line, sizeof(line), "%s%s%s%s%s. %s%s", type, unit[0] != 0 ? ", " : "", unit,
             (key->flags & sp_keyRequired) != 0 ? ", " : "; default: ", value, key->doc, "");
    spSayParagraph(manual, 6, line);
}

static void spSaySchema(spManual* manual, const spSchema* schema)
{
    for (int i = 0; i < manual->seenCount; ++i)
    {
        if (manual->seen[i] == schema)
        {
            return;
        }
    }
    SP_ASSERT(manual->seenCount < SP_MAX_SCHEMAS);
    manual->seen[manual->seenCount++] = schema;
    spSay(manual, manual->markdown ? "\n## %s\n\n" : "\n%s\n", schema->name);
    spSayParagraph(manual, 2, schema->doc);
    spSay(manual,
          manual->markdown ? "\n| key | value | unit | default | meaning |\n|---|---|---|---|---|\n" : "\n");
    for (int i = 0; i < schema->keyCount; ++i)
    {
        spSayKey(manual, schema, &schema->keys[i]);
    }
    for (int i = 0; i < schema->keyCount; ++i)
    {
        if (schema->keys[i].object != NULL)
        {
            spSaySchema(manual, schema->keys[i].object);
        }
    }
}

static void spSayIntroduction(spManual* manual)
{
    static const char* const s_paragraphs[] = {
        "A scene is one JSON object that describes a world, what happens in it and what is measured. `souple "
        "run` plays it, `souple "
        "check` names everything that is wrong with it, with line and column.",
        "Units are SI: metre, kilogram, second, newton, pascal; angles are in degrees, y is up. Numbers mean "
        "the same at any time step. "
        "Names of files are relative to the folder of the scene file. Where a list of objects is expected, "
        "one object alone will do. "
        "Keys that nobody knows are errors, not comments; use `description`.",
    };
    static const char s_example[] = "{\n"
                                    "    \"souple\": 1,\n"
                                    "    \"duration\": 3,\n"
                                    "    \"bodies\": [\n"
                                    "        {\n"
                                    "            \"name\": \"ball\",\n"
                                    "            \"mesh\": {\"generator\": \"ball\", \"radius\": 0.3},\n"
                                    "            \"transform\": {\"position\": [0, 1, 0]},\n"
                                    "            \"springs\": {\"youngModulus\": 500000, \"damping\": 20}\n"
                                    "        }\n"
                                    "    ],\n"
                                    "    \"colliders\": [{\"name\": \"ground\", \"shape\": \"plane\"}],\n"
                                    "    \"measurements\": [{\"type\": \"height\", \"body\": \"ball\"}]\n"
                                    "}\n";
    if (manual->markdown)
    {
        spSay(manual, "# Scene files\n\n<!-- Printed by `souple help scene-format --markdown` from the table "
                      "in src/scene/schema.c. Do not edit. -->\n\n");
    }
    for (int i = 0; i < SP_COUNT(s_paragraphs); ++i)
    {
        spSayParagraph(manual, 0, s_paragraphs[i]);
        spSay(manual, "\n");
    }
    spSay(manual, manual->markdown ? "```json\n%s```\n" : "%s", s_example);
}

static void spSayMaterials(spManual* manual)
{
    spSay(manual, manual->markdown ? "\n## Materials\n\n" : "\nmaterials\n");
    spSayParagraph(manual, 2,
                   "Young's moduli come from the sources named here; Poisson's ratios and densities are "
                   "customary values. Springs cannot "
                   "follow Poisson's ratio: it is there for bodies of tets.");
    spSay(manual, manual->markdown ? "\n| material | E, Pa | range, Pa | Poisson | density, kg/m^3 | source "
                                     "of E |\n|---|---|---|---|---|---|\n"
                                   : "\n");
    for (int i = 0; i < spGetMaterialCount(); ++i)
    {
        const spMaterial* material = spGetMaterial(i);
        const char* format = manual->markdown
                                 ? "| %s | %.3g | %.3g to %.3g | %.2f | %.0f | %s |\n"
                                 : "  %-12s E = %.3g Pa (%.3g to %.3g), Poisson %.2f, %.0f kg/m^3; %s\n";
        spSay(manual, format, material->name, material->youngModulus, material->youngMin, material->youngMax,
              material->poissonRatio, material->density, material->source);
    }
}

static void spSayLimits(spManual* manual)
{
    spSay(manual, manual->markdown ? "\n## Limits\n\n" : "\nlimits\n");
    char line[400];
    snprintf(
        line, sizeof(line),
        "A file has at most %d MiB, a list at most %d objects or %d numbers, a generator makes at most %d "
        "vertices, a run has at most "
        "%d steps, and lists inside lists go at most 2048 deep. A key may not appear twice in one object.",
        (int)(SP_SCENE_MAX_BYTES >> 20), SP_SCENE_MAX_OBJECTS, SP_SCENE_MAX_INDICES, SP_SCENE_MAX_VERTICES,
        SP_SCENE_MAX_STEPS);
    spSayParagraph(manual, 2, line);
}

void spWriteSceneReference(spTextFcn* write, void* context, bool markdown)
{
    spManual manual = {.write = write, .context = context, .markdown = markdown};
    spSayIntroduction(&manual);
    spSaySchema(&manual, &g_sceneSchema);
    spSayMaterials(&manual);
    spSayLimits(&manual);
}
