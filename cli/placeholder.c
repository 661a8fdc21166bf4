// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The table of placeholders. Words come from those who read them, so that none is offered that is then
// refused.

#include "placeholder.h"

#include "souple/scene.h"

#include <string.h>

static const char* spGetLaneWord(int index)
{
    static const char* const words[] = {"1", "4", "8", "16"};
    return index < 4 ? words[index] : NULL;
}

// Methods by type, then the word that leaves a scene as it is
static const char* spGetMethodOfScene(int index)
{
    if (index < sp_methodTypeCount)
    {
        return spGetMethodWord((spMethodType)index);
    }
    return index == sp_methodTypeCount ? "scene" : NULL;
}

#define SP_MESH_ENDINGS "vtu vtk msh mesh meshb inp veg node ele face obj stl ply off"

static const spPlaceholder s_placeholders[] = {
    {"SCENE", sp_placeholderFile, "json", NULL},
    {"RECORDING", sp_placeholderFile, "souple", NULL},
    {"MESH", sp_placeholderFile, SP_MESH_ENDINGS, NULL},
    {"FROM", sp_placeholderFile, SP_MESH_ENDINGS, NULL},
    {"TO", sp_placeholderFile, SP_MESH_ENDINGS, NULL},
    {"FILE", sp_placeholderFile, "", NULL},
    {"DIR", sp_placeholderFolder, NULL, NULL},
    {"LANES", sp_placeholderWord, NULL, spGetLaneWord},
    {"COLOUR", sp_placeholderWord, NULL, spGetColourWord},
    {"FORMAT", sp_placeholderWord, NULL, spGetMeshFormatName},
    {"FORMATS", sp_placeholderList, NULL, spGetExportWord},
    {"GENERATOR", sp_placeholderWord, NULL, spGetGeneratorWord},
    {"METHOD", sp_placeholderWord, NULL, spGetMethodOfScene},
    {"METHODS", sp_placeholderList, NULL, spGetMethodOfScene},
    {"PART", sp_placeholderWord, NULL, spGetPartWord},
    {"TOPIC", sp_placeholderWord, NULL, spGetTopicWord},
    {"SHELL", sp_placeholderWord, NULL, spGetShellWord},
    {"BENCHMARK", sp_placeholderAsked, "souple bench --list", NULL},
    {"EXPERIMENT", sp_placeholderAsked, "souple reproduce --list", NULL},
    {"CASE", sp_placeholderAsked, "souple validate --list", NULL},
};

#define SP_PLACEHOLDER_COUNT ((int)(sizeof(s_placeholders) / sizeof(s_placeholders[0])))

const spPlaceholder* spGetPlaceholders(int* count)
{
    *count = SP_PLACEHOLDER_COUNT;
    return s_placeholders;
}

const spPlaceholder* spFindPlaceholder(const char* name)
{
    for (int i = 0; i < SP_PLACEHOLDER_COUNT; ++i)
    {
        if (strcmp(s_placeholders[i].name, name) == 0)
        {
            return &s_placeholders[i];
        }
    }
    return NULL;
}
