// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Parsing of options.

#include "options.h"

#include "commands.h"
#include "usage.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int spFailUsage(const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("souple: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    return SP_EXIT_USAGE;
}

bool spForEachPart(const char* list, spPartFcn* fcn, void* context)
{
    while (*list != 0)
    {
        char part[64];
        size_t size = strcspn(list, ",");
        snprintf(part, sizeof(part), "%.*s", size < sizeof(part) ? (int)size : (int)sizeof(part) - 1, list);
        if (!fcn(part, context))
        {
            return false;
        }
        list += size + (list[size] == ',');
    }
    return true;
}

// ---------------------------------------------------------------------------------------------------------
// Parsing

static bool spReadNumber(const char* text, double* value)
{
    char* end = NULL;
    *value = strtod(text, &end);
    return end != text && *end == 0 && isfinite(*value);
}

static bool spReadTriple(const char* text, double* values)
{
    char copy[128];
    int count = 0;
    snprintf(copy, sizeof(copy), "%s", text);
    for (char* part = copy; part != NULL && count < 4; ++count)
    {
        char* comma = strchr(part, ',');
        if (comma != NULL)
        {
            *comma = 0;
        }
        double value = 0.0;
        if (count == 3 || !spReadNumber(part, &value))
        {
            return false;
        }
        values[count] = value;
        part = comma != NULL ? comma + 1 : NULL;
    }
    if (count == 1)
    {
        values[1] = values[2] = values[0];
    }
    return count == 1 || count == 3;
}

static int spCheckRange(const spOption* option, double value)
{
    if ((option->lower != 0.0 || option->upper != 0.0) && !(value >= option->lower && value <= option->upper))
    {
        return spFailUsage("--%s must be from %g to %g, but is %g", option->name, option->lower,
                           option->upper, value);
    }
    return SP_GO_ON;
}

static int spTakeValue(const spOption* option, const char* text)
{
    double number = 0.0, triple[3];
    int result = SP_GO_ON;
    switch (option->type)
    {
        case sp_optionFlag:
            *(bool*)option->target = true;
            return SP_GO_ON;
        case sp_optionMaybe:
        case sp_optionText:
            *(const char**)option->target = text;
            return SP_GO_ON;
        case sp_optionNumber:
            if (!spReadNumber(text, &number))
            {
                return spFailUsage("--%s needs a number, but got \"%s\"", option->name, text);
            }
            result = spCheckRange(option, number);
            *(double*)option->target = number;
            return result;
        case sp_optionInteger:
            if (!spReadNumber(text, &number) || number != floor(number))
            {
                return spFailUsage("--%s needs a whole number, but got \"%s\"", option->name, text);
            }
            result = spCheckRange(option, number);
            if (result == SP_GO_ON && fabs(number) > INT_MAX)
            {
                result = spFailUsage("--%s %s is too large", option->name, text);
            }
            if (result == SP_GO_ON)
            {
                *(int*)option->target = (int)number;
            }
            return result;
        case sp_optionTriple:
            if (!spReadTriple(text, triple))
            {
                return spFailUsage("--%s needs three numbers as in 1,2,3, but got \"%s\"", option->name,
                                   text);
            }
            for (int i = 0; i < 3; ++i)
            {
                result = spCheckRange(option, triple[i]);
                if (result != SP_GO_ON)
                {
                    return result;
                }
                ((double*)option->target)[i] = triple[i];
            }
            return SP_GO_ON;
    }
    return SP_GO_ON;
}

static int spFailUnknownOption(const spUsage* usage, const char* name, size_t size)
{
    const char* names[64];
    char word[64];
    int count = 0;
    snprintf(word, sizeof(word), "%.*s", size < sizeof(word) ? (int)size : (int)sizeof(word) - 1, name);
    for (; count < usage->optionCount && count < 63; ++count)
    {
        names[count] = usage->options[count].name;
    }
    names[count++] = "help";
    const char* nearest = spFindNearestOf(word, names, count);
    if (nearest != NULL)
    {
        return spFailUsage("unknown option --%s; did you mean --%s?", word, nearest);
    }
    char path[64];
    spGetCommandPath(usage, path, sizeof(path));
    return spFailUsage("unknown option --%s; see souple %s --help", word, path);
}

// One option. *index moves on when its value is the next argument.
static int spParseOption(const spUsage* usage, int argc, char** argv, int* index)
{
    const char* argument = argv[*index];
    bool isLong = argument[1] == '-';
    const char* name = argument + (isLong ? 2 : 1);
    size_t size = isLong ? strcspn(name, "=") : 1;
    const spOption* option = NULL;
    for (int i = 0; i < usage->optionCount && option == NULL; ++i)
    {
        const spOption* candidate = &usage->options[i];
        bool same = isLong ? strlen(candidate->name) == size && strncmp(candidate->name, name, size) == 0
                           : candidate->letter == name[0] && candidate->letter != 0;
        option = same ? candidate : NULL;
    }
    if (option == NULL)
    {
        return isLong ? spFailUnknownOption(usage, name, size) : spFailUsage("unknown option %s", argument);
    }
    const char* value = name[size] == '=' ? name + size + 1 : (!isLong && name[1] != 0 ? name + 1 : NULL);
    if (option->type == sp_optionFlag)
    {
        return value == NULL ? spTakeValue(option, NULL)
                             : spFailUsage("--%s takes no value, but got \"%s\"", option->name, value);
    }
    if (value == NULL && option->type == sp_optionMaybe)
    {
        return spTakeValue(option, "");
    }
    if (value == NULL)
    {
        if (*index + 1 >= argc)
        {
            return spFailUsage("--%s needs a value: %s", option->name, option->argument);
        }
        value = argv[++*index];
    }
    return spTakeValue(option, value);
}

static bool spIsHelp(const char* argument)
{
    return strcmp(argument, "-h") == 0 || strcmp(argument, "--help") == 0 ||
           strncmp(argument, "--help=", 7) == 0;
}

int spParseOptions(const spUsage* usage, int argc, char** argv, const char** operands, int* operandCount)
{
    bool onlyOperands = false;
    *operandCount = 0;
    for (int i = 1; i < argc; ++i)
    {
        const char* argument = argv[i];
        if (onlyOperands || argument[0] != '-' || argument[1] == 0)
        {
            if (*operandCount == usage->maxOperands)
            {
                return spFailUsage("too many arguments: \"%s\"\nusage: %s", argument, usage->usage);
            }
            operands[(*operandCount)++] = argument;
        }
        else if (strcmp(argument, "--") == 0)
        {
            onlyOperands = true;
        }
        else if (spIsHelp(argument))
        {
            return spTellUsage(usage, argument);
        }
        else
        {
            int result = spParseOption(usage, argc, argv, &i);
            if (result != SP_GO_ON)
            {
                return result;
            }
        }
    }
    if (*operandCount < usage->minOperands)
    {
        return spFailUsage("something is missing\nusage: %s", usage->usage);
    }
    return SP_GO_ON;
}

int spRunAction(const spUsage* usage, int argc, char** argv)
{
    const char* names[16];
    char list[256] = "";
    int count = spMinInt(usage->actionCount, 16);
    if (argc > 1 && spIsHelp(argv[1]))
    {
        return spTellUsage(usage, argv[1]);
    }
    for (int i = 0; i < count; ++i)
    {
        names[i] = usage->actions[i].name;
        size_t at = strlen(list);
        snprintf(list + at, sizeof(list) - at, "%s%s", i > 0 ? ", " : "", names[i]);
        if (argc > 1 && strcmp(names[i], argv[1]) == 0)
        {
            return usage->actions[i].run(argc - 1, argv + 1);
        }
    }
    if (argc < 2)
    {
        return spFailUsage("something is missing\nusage: %s\nactions: %s", usage->usage, list);
    }
    const char* nearest = spFindNearestOf(argv[1], names, count);
    if (nearest != NULL)
    {
        return spFailUsage("unknown action \"%s\"; did you mean \"%s\"?", argv[1], nearest);
    }
    return spFailUsage("unknown action \"%s\"; known are %s", argv[1], list);
}
