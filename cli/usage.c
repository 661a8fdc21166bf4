// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Help from the table of a command.

#include "usage.h"

#include "commands.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

// Options as wide as this have their text on the next line
#define SP_LEFT_WIDTH 24

void spPrintFilled(const char* text, int indent)
{
    int column = indent;
    for (const char* line = text; *line != 0;)
    {
        size_t size = strcspn(line, "\n");
        bool kept = size == 0 || line[0] == ' ';
        if (kept)
        {
            // The paragraph before it ends here
            printf("%s%.*s\n", column > indent ? "\n" : "", (int)size, line);
            column = indent;
        }
        for (size_t i = strspn(line, " "); kept == false && i < size; i += strspn(line + i, " "))
        {
            int word = (int)strcspn(line + i, " \n");
            if (column > indent && column + 1 + word > SP_HELP_WIDTH)
            {
                printf("\n%*s", indent, "");
                column = indent;
            }
            column += printf("%s%.*s", column > indent ? " " : "", word, line + i);
            i += (size_t)word;
        }
        line += size + (line[size] == '\n');
    }
    if (column > indent)
    {
        putchar('\n');
    }
}

void spGetCommandPath(const spUsage* usage, char* buffer, size_t size)
{
    const char* start = usage->usage + strcspn(usage->usage, " ");
    start += strspn(start, " ");
    size_t length = 0;
    while (islower((unsigned char)start[length]) ||
           (start[length] == ' ' && islower((unsigned char)start[length + 1])))
    {
        ++length;
    }
    snprintf(buffer, size, "%.*s", (int)length, start);
}

int spGetOperands(const spUsage* usage, spOperand operands[SP_MAX_OPERAND_KINDS])
{
    int count = 0;
    bool other = false, ofOption = false;
    const char* word = usage->usage;
    while (*word != 0 && count < SP_MAX_OPERAND_KINDS)
    {
        size_t size = strcspn(word, " ");
        const char* name = word + (word[0] == '[' ? 1 : 0);
        size_t length = 0;
        while (isupper((unsigned char)name[length]) || name[length] == '-')
        {
            ++length;
        }
        bool isOption = name[0] == '-';
        if (isOption == false && length > 1 && ofOption == false)
        {
            spOperand* operand = &operands[count++];
            snprintf(operand->placeholder, sizeof(operand->placeholder), "%.*s", (int)length, name);
            operand->repeated = strncmp(name + length, "...", 3) == 0;
            operand->other = other;
        }
        other = word[0] == '|';
        ofOption = isOption;
        word += size;
        word += strspn(word, " ");
    }
    return count;
}

// "-o, --out=DIR"
static void spFormatOption(const spOption* option, char* buffer, size_t size)
{
    char letter[5] = "";
    if (option->letter != 0)
    {
        snprintf(letter, sizeof(letter), "-%c, ", option->letter);
    }
    bool maybe = option->type == sp_optionMaybe;
    snprintf(buffer, size, "%s--%s%s%s%s%s", letter, option->name, maybe ? "[" : "",
             option->argument != NULL ? "=" : "", option->argument != NULL ? option->argument : "",
             maybe ? "]" : "");
}

static void spPrintRow(const char* left, int width, const char* right)
{
    int used = printf("  %-*s  ", width, left);
    if (used > width + 4)
    {
        printf("\n%*s", width + 4, "");
    }
    spPrintFilled(right, width + 4);
}

void spPrintExamples(const char* const* examples)
{
    if (examples == NULL)
    {
        return;
    }
    printf("\nexamples:\n");
    for (; *examples != NULL; ++examples)
    {
        printf("  %s\n", *examples);
    }
}

static void spPrintHelp(const spUsage* usage)
{
    printf("usage: %s\n\n", usage->usage);
    spPrintFilled(usage->description, 0);
    int width = 6;
    if (usage->actions != NULL)
    {
        printf("\nactions:\n");
        for (int i = 0; i < usage->actionCount; ++i)
        {
            spPrintRow(usage->actions[i].name, 10, usage->actions[i].summary);
        }
    }
    for (int i = 0; i < usage->optionCount; ++i)
    {
        char left[100];
        spFormatOption(&usage->options[i], left, sizeof(left));
        int length = (int)strlen(left);
        width = length > width && length <= SP_LEFT_WIDTH ? length : width;
    }
    printf("\noptions:\n");
    for (int i = 0; i < usage->optionCount; ++i)
    {
        char left[100];
        spFormatOption(&usage->options[i], left, sizeof(left));
        spPrintRow(left, width, usage->options[i].doc);
    }
    spPrintRow("--help", width, "this text");
    spPrintExamples(usage->examples);
    printf("\nexit codes:\n  0    fine\n");
    if (usage->trouble != NULL)
    {
        spPrintRow("1", 3, usage->trouble);
    }
    printf("  2    bad usage or bad input\n");
}

void spTellTrouble(const spUsage* usage)
{
    char path[64], left[80];
    spGetCommandPath(usage, path, sizeof(path));
    snprintf(left, sizeof(left), "  %s", path);
    if (usage->trouble != NULL)
    {
        spPrintRow(left, 14, usage->trouble);
    }
}

int spTellUsage(const spUsage* usage, const char* argument)
{
    const char* form = strchr(argument, '=');
    if (form == NULL)
    {
        spPrintHelp(usage);
        return SP_EXIT_FINE;
    }
    for (const spUsageForm* known = g_usageForms; known->name != NULL; ++known)
    {
        if (strcmp(form + 1, known->name) == 0)
        {
            known->tell(usage);
            for (int k = 0; k < usage->actionCount; ++k)
            {
                char name[32], help[32];
                snprintf(name, sizeof(name), "%s", usage->actions[k].name);
                snprintf(help, sizeof(help), "--help=%s", known->name);
                char* arguments[] = {name, help, NULL};
                usage->actions[k].run(2, arguments);
            }
            return SP_EXIT_FINE;
        }
    }
    return spFailUsage("--help takes no value, but got \"%s\"", form + 1);
}
