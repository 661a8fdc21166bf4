// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The man page, in the macros of man(7): every command from its table, every topic from its text.

#include "man.h"

#include "commands.h"
#include "machine.h"
#include "topics.h"
#include "usage.h"

#include <stdio.h>
#include <string.h>

// Letters that mean something to troff are told apart; a dash is that of the keyboard
static void spPrintEscaped(const char* text, size_t size)
{
    for (size_t i = 0; i < size; ++i)
    {
        if (i == 0 && (text[0] == '.' || text[0] == '\''))
        {
            fputs("\\&", stdout);
        }
        fputs(text[i] == '\\' ? "\\e" : text[i] == '-' ? "\\-" : "", stdout);
        if (text[i] != '\\' && text[i] != '-')
        {
            putchar(text[i]);
        }
    }
}

static void spPrintLine(const char* text)
{
    spPrintEscaped(text, strlen(text));
    putchar('\n');
}

// Paragraphs are filled by the reader's terminal, lines that begin with a space stay as they are
static void spPrintParagraphs(const char* text)
{
    bool kept = false, gap = false, first = true;
    for (const char* line = text; *line != 0;)
    {
        size_t size = strcspn(line, "\n");
        bool keep = line[0] == ' ';
        if (size > 0)
        {
            // What is kept is set apart from what is filled
            fputs(kept && keep == false ? ".EE\n" : "", stdout);
            fputs(first == false && (gap || keep != kept) ? ".PP\n" : "", stdout);
            fputs(keep && kept == false ? ".EX\n" : "", stdout);
            spPrintEscaped(line, size);
            putchar('\n');
            kept = keep;
            first = false;
        }
        gap = size == 0;
        line += size + (line[size] == '\n');
    }
    fputs(kept ? ".EE\n" : "", stdout);
}

static void spPrintRoffExamples(const char* const* examples)
{
    if (examples == NULL)
    {
        return;
    }
    printf(".PP\nExamples:\n.PP\n.EX\n");
    for (; *examples != NULL; ++examples)
    {
        fputs("  ", stdout);
        spPrintLine(*examples);
    }
    printf(".EE\n");
}

void spTellUsageForMan(const spUsage* usage)
{
    fputs(".SS ", stdout);
    spPrintLine(usage->usage);
    spPrintParagraphs(usage->description);
    for (int i = 0; i < usage->optionCount; ++i)
    {
        const spOption* option = &usage->options[i];
        bool maybe = option->type == sp_optionMaybe;
        printf(".TP\n");
        if (option->letter != 0)
        {
            printf("\\fB\\-%c\\fR, ", option->letter);
        }
        fputs("\\fB\\-\\-", stdout);
        spPrintEscaped(option->name, strlen(option->name));
        printf("\\fR");
        if (option->argument != NULL)
        {
            printf("%s=\\fI%s\\fR%s", maybe ? "[" : "", option->argument, maybe ? "]" : "");
        }
        putchar('\n');
        spPrintLine(option->doc);
    }
    if (usage->trouble != NULL)
    {
        printf(".PP\nExit code 1: ");
        spPrintEscaped(usage->trouble, strlen(usage->trouble));
        printf(".\n");
    }
    spPrintRoffExamples(usage->examples);
}

static void spPrintTopic(const spTopic* topic)
{
    if (topic->text != NULL)
    {
        spPrintParagraphs(topic->text);
    }
    if (topic->tell != NULL)
    {
        printf(topic->text != NULL ? ".PP\n.EX\n" : ".EX\n");
        topic->tell(false);
        printf(".EE\n");
    }
    spPrintRoffExamples(topic->examples);
}

void spWriteManPage(void)
{
    int topicCount = 0, commandCount = 0;
    const spTopic* topics = spGetTopics(&topicCount);
    const spCommand* commands = spGetCommands(&commandCount);
    printf(".\\\" Made by 'souple help --man'\n"
           ".TH SOUPLE 1 \"\" \"souple %s\" \"User commands\"\n"
           ".SH NAME\n"
           "souple \\- simulate soft bodies in real time\n"
           ".SH SYNOPSIS\n"
           ".B souple\n"
           ".I COMMAND\n"
           "[arguments]\n"
           ".SH DESCRIPTION\n",
           spGetVersionText());
    spPrintParagraphs(g_overviewText);
    for (int i = 0; i < commandCount; ++i)
    {
        printf(".TP\n.B %s\n", commands[i].name);
        spPrintLine(commands[i].summary);
    }
    printf(".SH COMMANDS\n");
    spTellAllUsages("man");
    for (int i = 0; i < topicCount; ++i)
    {
        if (topics[i].section != NULL)
        {
            printf(".SH %s\n", topics[i].section);
            spPrintTopic(&topics[i]);
        }
    }
    printf(".SH TOPICS\n");
    for (int i = 0; i < topicCount; ++i)
    {
        if (topics[i].section == NULL && topics[i].isLong == false)
        {
            printf(".SS ");
            spPrintLine(topics[i].name);
            spPrintTopic(&topics[i]);
        }
    }
    printf(".PP\nOnly on the screen:\n");
    for (int i = 0; i < topicCount; ++i)
    {
        if (topics[i].isLong)
        {
            printf(".TP\n\\fBsouple help ");
            spPrintEscaped(topics[i].name, strlen(topics[i].name));
            printf("\\fR\n");
            spPrintLine(topics[i].summary);
        }
    }
    printf(".SH SEE ALSO\n"
           ".BR paraview (1),\n"
           ".BR ccx (1),\n"
           ".BR ffmpeg (1)\n");
}
