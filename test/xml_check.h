// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Checks that a text is well-formed XML, as far as our writers use it: one root, tags that close each other,
// quoted attributes, known entities, no control characters.

#pragma once

#include <stdbool.h>
#include <string.h>

static inline bool IsXmlName(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == ':' || c == '.';
}

// Text between tags or inside an attribute, up to `end`
static inline const char* SkipXmlText(const char* p, char end)
{
    static const char* const entities[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
    while (*p != 0 && *p != end)
    {
        if (*p == '<' || ((unsigned char)*p < 0x20 && *p != '\n' && *p != '\t'))
        {
            return NULL;
        }
        if (*p == '&')
        {
            size_t i = 0;
            while (i < 5 && strncmp(p, entities[i], strlen(entities[i])) != 0)
            {
                ++i;
            }
            if (i == 5)
            {
                return NULL;
            }
        }
        ++p;
    }
    return p;
}

static inline bool IsWellFormedXml(const char* text)
{
    char names[32][32];
    int depth = 0, roots = 0;
    const char* p = text;
    while (*p != 0)
    {
        if (strncmp(p, "<?xml", 5) == 0 && p == text)
        {
            p = strstr(p, "?>");
            if (p == NULL)
            {
                return false;
            }
            p += 2;
            continue;
        }
        if (*p != '<')
        {
            const char* next = SkipXmlText(p, '<');
            if (next == NULL || (depth == 0 && (size_t)(next - p) != strspn(p, " \n")))
            {
                return false;
            }
            p = next;
            continue;
        }
        bool closes = p[1] == '/';
        p += closes ? 2 : 1;
        char name[32] = {0};
        for (int i = 0; i < 31 && IsXmlName(*p); ++i)
        {
            name[i] = *p++;
        }
        if (name[0] == 0)
        {
            return false;
        }
        bool isEmpty = false;
        while (*p != '>')
        {
            p += strspn(p, " \n");
            if (*p == '/' && p[1] == '>')
            {
                isEmpty = true;
                ++p;
                break;
            }
            if (*p == '>')
            {
                break;
            }
            const char* start = p;
            while (IsXmlName(*p))
            {
                ++p;
            }
            if (p == start || p[0] != '=' || p[1] != '"')
            {
                return false;
            }
            p = SkipXmlText(p + 2, '"');
            if (p == NULL || *p != '"')
            {
                return false;
            }
            ++p;
        }
        ++p;
        if (closes)
        {
            if (depth == 0 || strcmp(names[--depth], name) != 0)
            {
                return false;
            }
        }
        else if (!isEmpty)
        {
            if (depth == 32)
            {
                return false;
            }
            roots += depth == 0 ? 1 : 0;
            strcpy(names[depth++], name);
        }
    }
    return depth == 0 && roots == 1;
}
