// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// souple completion: scripts that let a shell complete commands, options and their values. Each script is the
// same for all versions but for what the tables say.

#include "commands.h"
#include "options.h"
#include "placeholder.h"
#include "usage.h"

#include <stdio.h>
#include <string.h>

static void spPrintWords(const spPlaceholder* placeholder)
{
    for (int i = 0; placeholder->getWord(i) != NULL; ++i)
    {
        printf("%s%s", i > 0 ? " " : "", placeholder->getWord(i));
    }
}

// A text between single quotes, with those letters marked by a backslash that the shell would take for its
// own
static void spPrintMarked(const char* text, const char* letters)
{
    for (; *text != 0; ++text)
    {
        if (*text == '\'')
        {
            fputs("'\\''", stdout);
            continue;
        }
        if (strchr(letters, *text) != NULL)
        {
            putchar('\\');
        }
        putchar(*text);
    }
}

// Path of a command as part of the name of a function: "mesh_info"
static void spPrintFunctionName(const char* path)
{
    for (; *path != 0; ++path)
    {
        putchar(*path == ' ' ? '_' : *path);
    }
}

// ---------------------------------------------------------------------------------------------------------
// bash. Words are split at '=' there, so that "--lanes=4" comes as three.

void spTellUsageForBash(const spUsage* usage)
{
    char path[64];
    spOperand operands[SP_MAX_OPERAND_KINDS];
    spGetCommandPath(usage, path, sizeof(path));
    int operandCount = usage->actions == NULL ? spGetOperands(usage, operands) : 0;
    printf("    '%s')\n        options='", path);
    for (int i = 0; i < usage->optionCount; ++i)
    {
        const spOption* option = &usage->options[i];
        const char* equals = option->argument != NULL ? "=" : "";
        const char* argument = option->argument != NULL ? option->argument : "";
        const char* maybe = option->type == sp_optionMaybe ? "?" : "";
        if (option->letter != 0)
        {
            printf("-%c%s%s ", option->letter, equals, argument);
        }
        printf("--%s%s%s%s ", option->name, maybe, equals, argument);
    }
    printf("--help'\n        operands='");
    for (int i = 0; i < operandCount; ++i)
    {
        printf("%s%s%s",
               i == 0              ? ""
               : operands[i].other ? "|"
                                   : " ",
               operands[i].placeholder, operands[i].repeated ? "..." : "");
    }
    printf("'\n        actions='");
    for (int i = 0; i < usage->actionCount; ++i)
    {
        printf("%s%s", i > 0 ? " " : "", usage->actions[i].name);
    }
    printf("'\n        ;;\n");
}

static void spPrintBashValues(void)
{
    int count = 0;
    const spPlaceholder* placeholders = spGetPlaceholders(&count);
    for (int i = 0; i < count; ++i)
    {
        const spPlaceholder* placeholder = &placeholders[i];
        printf("    %s) ", placeholder->name);
        switch (placeholder->kind)
        {
            case sp_placeholderFile:
                printf("_souple_files '%s'", placeholder->text);
                break;
            case sp_placeholderFolder:
                printf("_souple_folders");
                break;
            case sp_placeholderWord:
            case sp_placeholderList:
                printf(placeholder->kind == sp_placeholderList ? "_souple_list '" : "_souple_words '");
                spPrintWords(placeholder);
                printf("'");
                break;
            case sp_placeholderAsked:
                printf(
                    "_souple_words \"$(%s 2>/dev/null | while read -r word rest; do echo \"$word\"; done)\"",
                    placeholder->text);
                break;
        }
        printf(" ;;\n");
    }
}

static void spWriteBash(void)
{
    int count = 0;
    const spCommand* commands = spGetCommands(&count);
    fputs("# Completion of souple for bash, made by 'souple completion bash'\n"
          "\n"
          "_souple_words() {\n"
          "    mapfile -t -O \"${#COMPREPLY[@]}\" COMPREPLY < <(compgen -W \"$1\" -- \"$current\")\n"
          "}\n"
          "\n"
          "# Words with commas between them: the last one is completed\n"
          "_souple_list() {\n"
          "    local before=\n"
          "    [[ $current == *,* ]] && before=${current%,*},\n"
          "    mapfile -t -O \"${#COMPREPLY[@]}\" COMPREPLY < <(compgen -P \"$before\" -W \"$1\" -- "
          "\"${current##*,}\")\n"
          "    compopt -o nospace 2>/dev/null\n"
          "}\n"
          "\n"
          "_souple_folders() {\n"
          "    mapfile -t -O \"${#COMPREPLY[@]}\" COMPREPLY < <(compgen -d -- \"$current\")\n"
          "    compopt -o filenames 2>/dev/null\n"
          "}\n"
          "\n"
          "_souple_files() {\n"
          "    local ending name\n"
          "    _souple_folders\n"
          "    while IFS= read -r name; do\n"
          "        [[ -d $name ]] && continue\n"
          "        [[ -z $1 ]] && COMPREPLY+=(\"$name\")\n"
          "        for ending in $1; do\n"
          "            [[ $name == *.\"$ending\" ]] && COMPREPLY+=(\"$name\")\n"
          "        done\n"
          "    done < <(compgen -f -- \"$current\")\n"
          "}\n"
          "\n"
          "_souple_value() {\n"
          "    case $1 in\n",
          stdout);
    spPrintBashValues();
    fputs("    esac\n"
          "}\n"
          "\n"
          "# Options as NAME or NAME=PLACEHOLDER, with '?' when the value may be left out\n"
          "_souple_describe() {\n"
          "    case $1 in\n"
          "    '')\n        options='--help --version'\n        operands=''\n        actions='",
          stdout);
    for (int i = 0; i < count; ++i)
    {
        printf("%s%s", i > 0 ? " " : "", commands[i].name);
    }
    printf("'\n        ;;\n");
    spTellAllUsages("bash");
    fputs("    *)\n"
          "        return 1\n"
          "        ;;\n"
          "    esac\n"
          "}\n"
          "\n"
          "# The placeholder of an option's value; nothing for a flag\n"
          "_souple_placeholder() {\n"
          "    local option\n"
          "    for option in $options; do\n"
          "        [[ ${option%%[?=]*} == \"$1\" && $option == *=* ]] && placeholder=${option#*=} && return\n"
          "    done\n"
          "    placeholder=\n"
          "}\n"
          "\n"
          "_souple() {\n"
          "    local current=${COMP_WORDS[COMP_CWORD]} options operands actions path= placeholder= name\n"
          "    local -a operand\n"
          "    local i word operandCount=0\n"
          "    COMPREPLY=()\n"
          "    _souple_describe '' || return\n"
          "    for ((i = 1; i < COMP_CWORD; ++i)); do\n"
          "        word=${COMP_WORDS[i]}\n"
          "        if [[ $word == -* ]]; then\n"
          "            # Its value is the next word, or the one after '='\n"
          "            _souple_placeholder \"$word\"\n"
          "            if [[ ${COMP_WORDS[i + 1]} == '=' ]]; then\n"
          "                ((i += 2))\n"
          "            elif [[ -n $placeholder && \" $options \" != *\" $word?=\"* ]]; then\n"
          "                ((i += 1))\n"
          "            else\n"
          "                placeholder=\n"
          "            fi\n"
          "        elif [[ -n $actions ]]; then\n"
          "            path=${path:+$path }$word\n"
          "            _souple_describe \"$path\" || return\n"
          "        else\n"
          "            ((operandCount += 1))\n"
          "        fi\n"
          "        ((i < COMP_CWORD)) && placeholder=\n"
          "    done\n"
          "    if ((i > COMP_CWORD)) || [[ $current == '=' && -n $placeholder ]]; then\n"
          "        [[ $current == '=' ]] && current=\n"
          "        _souple_value \"$placeholder\"\n"
          "    elif [[ $current == -* ]]; then\n"
          "        for name in $options; do\n"
          "            name=${name%%[?=]*}\n"
          "            [[ $name == \"$current\"* ]] && COMPREPLY+=(\"$name\")\n"
          "        done\n"
          "    elif [[ -n $actions ]]; then\n"
          "        _souple_words \"$actions\"\n"
          "    else\n"
          "        # The last operand may be given again when it ends with dots\n"
          "        read -r -a operand <<<\"$operands\"\n"
          "        ((operandCount >= ${#operand[@]})) && [[ $operands == *... ]] && "
          "operandCount=$((${#operand[@]} - 1))\n"
          "        word=${operand[operandCount]-}\n"
          "        for name in ${word//|/ }; do\n"
          "            _souple_value \"${name%...}\"\n"
          "        done\n"
          "    fi\n"
          "}\n"
          "\n"
          "complete -F _souple souple\n",
          stdout);
}

// ---------------------------------------------------------------------------------------------------------
// zsh, by _arguments

static void spPrintZshValue(const char* name)
{
    const spPlaceholder* placeholder = spFindPlaceholder(name);
    printf(":%s:", name);
    if (placeholder == NULL)
    {
        return;
    }
    switch (placeholder->kind)
    {
        case sp_placeholderFile:
            printf("_files");
            if (placeholder->text[0] != 0)
            {
                printf(" -g \"*.(");
                for (const char* c = placeholder->text; *c != 0; ++c)
                {
                    putchar(*c == ' ' ? '|' : *c);
                }
                printf(")(-.)\"");
            }
            break;
        case sp_placeholderFolder:
            printf("_files -/");
            break;
        case sp_placeholderWord:
            printf("(");
            spPrintWords(placeholder);
            printf(")");
            break;
        case sp_placeholderList:
            printf("_values -s , %s ", name);
            spPrintWords(placeholder);
            break;
        case sp_placeholderAsked:
            printf("{compadd -- ${${(f)\"$(_call_program words %s 2>/dev/null)\"}%%%% *}}",
                   placeholder->text);
            break;
    }
}

static void spPrintZshOption(const spOption* option)
{
    bool maybe = option->type == sp_optionMaybe;
    const char* equals = option->argument == NULL ? "" : maybe ? "=-" : "=";
    printf("        ");
    if (option->letter != 0)
    {
        printf("'(-%c --%s)'{-%c%s,--%s%s}'[", option->letter, option->name, option->letter,
               option->argument != NULL ? "+" : "", option->name, equals);
    }
    else
    {
        printf("'--%s%s[", option->name, equals);
    }
    spPrintMarked(option->doc, "[]:");
    printf("]");
    if (option->argument != NULL)
    {
        printf(maybe ? ":" : "");
        spPrintZshValue(option->argument);
    }
    printf("' \\\n");
}

void spTellUsageForZsh(const spUsage* usage)
{
    char path[64];
    spOperand operands[SP_MAX_OPERAND_KINDS];
    spGetCommandPath(usage, path, sizeof(path));
    int operandCount = usage->actions == NULL ? spGetOperands(usage, operands) : 0;
    printf("_souple_");
    spPrintFunctionName(path);
    printf("() {\n    _arguments -S : \\\n");
    for (int i = 0; i < usage->optionCount; ++i)
    {
        spPrintZshOption(&usage->options[i]);
    }
    for (int i = 0; i < operandCount; ++i)
    {
        // Of several that exclude each other _arguments knows one: any file
        bool either = operands[i].other || (i + 1 < operandCount && operands[i + 1].other);
        if (either && operands[i].other)
        {
            continue;
        }
        printf("        '%s", operands[i].repeated ? "*" : "");
        spPrintZshValue(either ? "FILE" : operands[i].placeholder);
        printf("' \\\n");
    }
    if (usage->actions != NULL)
    {
        printf("        '1:ACTION:((");
        for (int i = 0; i < usage->actionCount; ++i)
        {
            printf("%s%s\\:\"", i > 0 ? " " : "", usage->actions[i].name);
            spPrintMarked(usage->actions[i].summary, ":\"");
            printf("\"");
        }
        printf("))' \\\n        '*:: :{_souple_action %s}' \\\n", path);
    }
    printf("        '--help[this text]'\n}\n\n");
}

static void spWriteZsh(void)
{
    int count = 0;
    const spCommand* commands = spGetCommands(&count);
    fputs("#compdef souple\n"
          "# Completion of souple for zsh, made by 'souple completion zsh'\n"
          "\n"
          "# What follows the name of a command or of an action\n"
          "_souple_action() {\n"
          "    local name=_souple_${1:+${1}_}${words[1]}\n"
          "    (( $+functions[$name] )) && $name\n"
          "}\n"
          "\n",
          stdout);
    spTellAllUsages("zsh");
    fputs("_souple() {\n    local -a commands=(\n", stdout);
    for (int i = 0; i < count; ++i)
    {
        printf("        '%s:", commands[i].name);
        spPrintMarked(commands[i].summary, ":");
        printf("'\n");
    }
    fputs("    )\n"
          "    _arguments -S : \\\n"
          "        '(- *)--help[list commands and topics]' \\\n"
          "        '(- *)--version[print the version]' \\\n"
          "        '1:COMMAND:{_describe command commands}' \\\n"
          "        '*:: :{_souple_action \"\"}'\n"
          "}\n"
          "\n"
          "if [ \"$funcstack[1]\" = _souple ]; then\n"
          "    _souple \"$@\"\n"
          "else\n"
          "    compdef _souple souple\n"
          "fi\n",
          stdout);
}

// ---------------------------------------------------------------------------------------------------------
// fish

static void spPrintFishValue(const char* name)
{
    const spPlaceholder* placeholder = spFindPlaceholder(name);
    if (placeholder == NULL)
    {
        printf(" -x");
        return;
    }
    switch (placeholder->kind)
    {
        case sp_placeholderFile:
            if (placeholder->text[0] == 0)
            {
                printf(" -F");
                break;
            }
            printf(" -k -x -a '(");
            for (const char* c = placeholder->text; *c != 0;)
            {
                int size = (int)strcspn(c, " ");
                printf("__fish_complete_suffix .%.*s; ", size, c);
                c += size;
                c += strspn(c, " ");
            }
            printf(")'");
            break;
        case sp_placeholderFolder:
            printf(" -x -a '(__fish_complete_directories)'");
            break;
        case sp_placeholderWord:
            printf(" -x -a '");
            spPrintWords(placeholder);
            printf("'");
            break;
        case sp_placeholderList:
            printf(" -x -a '(__fish_append , ");
            spPrintWords(placeholder);
            printf(")'");
            break;
        case sp_placeholderAsked:
            printf(" -x -a '(%s 2>/dev/null | string match -r \"^\\S+\")'", placeholder->text);
            break;
    }
}

static void spPrintFishStart(const char* path)
{
    printf("complete -c souple -n '");
    bool first = true;
    for (const char* word = path; *word != 0; first = false)
    {
        int size = (int)strcspn(word, " ");
        printf("%s__fish_seen_subcommand_from %.*s", first ? "" : "; and ", size, word);
        word += size;
        word += strspn(word, " ");
    }
    printf("'");
}

void spTellUsageForFish(const spUsage* usage)
{
    char path[64];
    spOperand operands[SP_MAX_OPERAND_KINDS];
    spGetCommandPath(usage, path, sizeof(path));
    int operandCount = usage->actions == NULL ? spGetOperands(usage, operands) : 0;
    for (int i = 0; i < usage->optionCount; ++i)
    {
        const spOption* option = &usage->options[i];
        spPrintFishStart(path);
        printf(" -l %s", option->name);
        if (option->letter != 0)
        {
            printf(" -s %c", option->letter);
        }
        if (option->argument != NULL && option->type != sp_optionMaybe)
        {
            spPrintFishValue(option->argument);
        }
        printf(" -d '");
        spPrintMarked(option->doc, "\\");
        printf("'\n");
    }
    for (int i = 0; i < operandCount; ++i)
    {
        spPrintFishStart(path);
        spPrintFishValue(operands[i].placeholder);
        printf("\n");
    }
    for (int i = 0; i < usage->actionCount; ++i)
    {
        printf("complete -c souple -n '__fish_seen_subcommand_from %s; and not __fish_seen_subcommand_from",
               path);
        for (int k = 0; k < usage->actionCount; ++k)
        {
            printf(" %s", usage->actions[k].name);
        }
        printf("' -a %s -d '", usage->actions[i].name);
        spPrintMarked(usage->actions[i].summary, "\\");
        printf("'\n");
    }
}

static void spWriteFish(void)
{
    int count = 0;
    const spCommand* commands = spGetCommands(&count);
    fputs("# Completion of souple for fish, made by 'souple completion fish'\n"
          "complete -c souple -f\n"
          "complete -c souple -l help -d 'what it is for'\n"
          "complete -c souple -n __fish_use_subcommand -l version -d 'print the version'\n",
          stdout);
    for (int i = 0; i < count; ++i)
    {
        printf("complete -c souple -n __fish_use_subcommand -a %s -d '", commands[i].name);
        spPrintMarked(commands[i].summary, "\\");
        printf("'\n");
    }
    spTellAllUsages("fish");
}

// ---------------------------------------------------------------------------------------------------------
// The command

static const struct
{
    const char* name;
    void (*write)(void);
} s_shells[] = {
    {"bash", spWriteBash},
    {"zsh", spWriteZsh},
    {"fish", spWriteFish},
};

#define SP_SHELL_COUNT ((int)(sizeof(s_shells) / sizeof(s_shells[0])))

const char* spGetShellWord(int index)
{
    return index < SP_SHELL_COUNT ? s_shells[index].name : NULL;
}

int spRunCompletion(int argc, char** argv)
{
    static const char* const examples[] = {
        "souple completion bash > souple.bash",
        "souple completion zsh > _souple",
        "souple completion fish > souple.fish",
        NULL,
    };
    const spUsage usage = {
        .usage = "souple completion SHELL",
        .description =
            "Prints a script that lets a shell complete commands, options, their values and files. SHELL is "
            "bash, zsh or fish. 'make install' puts the scripts where the shells look for them. For a souple "
            "that is not installed:\n"
            "\n"
            "  bash  source <(souple completion bash)\n"
            "  zsh   source <(souple completion zsh), after compinit\n"
            "  fish  souple completion fish | source",
        .minOperands = 1,
        .maxOperands = 1,
        .examples = examples,
    };
    const char* shell = NULL;
    int operandCount = 0;
    int code = spParseOptions(&usage, argc, argv, &shell, &operandCount);
    if (code != SP_GO_ON)
    {
        return code;
    }
    const char* names[SP_SHELL_COUNT];
    for (int i = 0; i < SP_SHELL_COUNT; ++i)
    {
        names[i] = s_shells[i].name;
        if (strcmp(shell, names[i]) == 0)
        {
            s_shells[i].write();
            return SP_EXIT_FINE;
        }
    }
    const char* nearest = spFindNearestOf(shell, names, SP_SHELL_COUNT);
    return nearest != NULL ? spFailUsage("unknown shell \"%s\"; did you mean \"%s\"?", shell, nearest)
                           : spFailUsage("unknown shell \"%s\"; known are bash, zsh and fish", shell);
}
