// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// souple help: commands and topics.

#include "commands.h"
#include "man.h"
#include "options.h"
#include "placeholder.h"
#include "topics.h"
#include "usage.h"

#include <stdio.h>
#include <string.h>

const char* spGetTopicWord(int index)
{
    int topicCount = 0, commandCount = 0;
    const spTopic* topics = spGetTopics(&topicCount);
    const spCommand* commands = spGetCommands(&commandCount);
    if (index < topicCount)
    {
        return topics[index].name;
    }
    index -= topicCount;
    return index < commandCount ? commands[index].name : NULL;
}

void spTellAllUsages(const char* form)
{
    int count = 0;
    const spCommand* commands = spGetCommands(&count);
    for (int i = 0; i < count; ++i)
    {
        char name[32], help[32];
        snprintf(name, sizeof(name), "%s", commands[i].name);
        snprintf(help, sizeof(help), "--help=%s", form);
        char* arguments[] = {name, help, NULL};
        commands[i].run(2, arguments);
    }
}

static void spTellTopic(const spTopic* topic, bool markdown)
{
    if (topic->text != NULL)
    {
        spPrintFilled(topic->text, 0);
    }
    if (topic->tell != NULL)
    {
        topic->tell(markdown);
    }
    if (markdown == false)
    {
        spPrintExamples(topic->examples);
    }
}

static void spTellOverview(void)
{
    static const char* const examples[] = {
        "souple run scenes/demo.json --out out/demo --export png,csv",
        "souple view scenes/demo.json",
        "souple check scenes/demo.json",
        "souple mesh make ball --radius 0.3 -o ball.vtu",
        "souple help run",
        NULL,
    };
    int commandCount = 0, topicCount = 0;
    const spCommand* commands = spGetCommands(&commandCount);
    const spTopic* topics = spGetTopics(&topicCount);
    puts("usage: souple COMMAND [arguments]\n");
    spPrintFilled(g_overviewText, 0);
    puts("\ncommands:");
    for (int i = 0; i < commandCount; ++i)
    {
        printf("  %-13s %s\n", commands[i].name, commands[i].summary);
    }
    puts("\ntopics of 'souple help TOPIC', beside the commands:");
    for (int i = 0; i < topicCount; ++i)
    {
        printf("  %-13s %s\n", topics[i].name, topics[i].summary);
    }
    spPrintExamples(examples);
}

int spRunHelp(int argc, char** argv)
{
    bool markdown = false, man = false;
    const spOption table[] = {
        {"markdown", sp_optionFlag, NULL, &markdown, "print scene-format as Markdown", 0, 0, 0},
        {"man", sp_optionFlag, NULL, &man, "print everything as a man page, for man -l", 0, 0, 0},
    };
    static const char* const examples[] = {
        "souple help run",
        "souple help methods",
        "souple help --man > souple.1",
        NULL,
    };
    const spUsage usage = {
        .usage = "souple help [TOPIC] [options]",
        .description = "Explains a command or a topic; without one, lists them all.",
        .options = table,
        .optionCount = (int)(sizeof(table) / sizeof(table[0])),
        .maxOperands = 1,
        .examples = examples,
    };
    const char* topic = NULL;
    int operandCount = 0;
    int code = spParseOptions(&usage, argc, argv, &topic, &operandCount);
    if (code != SP_GO_ON)
    {
        return code;
    }
    if (man)
    {
        spWriteManPage();
        return SP_EXIT_FINE;
    }
    if (topic == NULL)
    {
        spTellOverview();
        return SP_EXIT_FINE;
    }
    int topicCount = 0;
    const spTopic* topics = spGetTopics(&topicCount);
    for (int i = 0; i < topicCount; ++i)
    {
        if (strcmp(topics[i].name, topic) == 0)
        {
            spTellTopic(&topics[i], markdown);
            return SP_EXIT_FINE;
        }
    }
    const spCommand* command = spFindCommand(topic);
    if (command != NULL)
    {
        char name[32];
        snprintf(name, sizeof(name), "%s", topic);
        char help[] = "--help";
        char* arguments[] = {name, help, NULL};
        return command->run(2, arguments);
    }
    const char* names[64];
    int nameCount = 0;
    while (nameCount < 64 && spGetTopicWord(nameCount) != NULL)
    {
        names[nameCount] = spGetTopicWord(nameCount);
        ++nameCount;
    }
    const char* nearest = spFindNearest(topic, names, nameCount);
    if (nearest != NULL)
    {
        return spFailUsage("no help on \"%s\"; did you mean \"%s\"?", topic, nearest);
    }
    return spFailUsage("no help on \"%s\"; 'souple help' lists commands and topics", topic);
}
