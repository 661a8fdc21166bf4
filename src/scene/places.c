// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// A scanner for JSON that only looks for where values begin. It runs after Jansson accepted the text, so it
// need not judge it; it still never reads past the end and never recurses.

#include "scene/places.h"

#include <stdio.h>
#include <string.h>

typedef struct spScanner
{
    const char* text;
    size_t size, at;
    int line, column;
} spScanner;

static void spAdvance(spScanner* scanner)
{
    unsigned char c = (unsigned char)scanner->text[scanner->at++];
    if (c == '\n')
    {
        scanner->line += 1;
        scanner->column = 1;
    }
    else if ((c & 0xC0) != 0x80) // bytes inside a UTF-8 character do not count
    {
        scanner->column += 1;
    }
}

static void spSkipSpace(spScanner* scanner)
{
    while (scanner->at < scanner->size && strchr(" \t\r\n", scanner->text[scanner->at]) != NULL &&
           scanner->text[scanner->at] != 0)
    {
        spAdvance(scanner);
    }
}

static void spSkipString(spScanner* scanner)
{
    spAdvance(scanner);
    while (scanner->at < scanner->size && scanner->text[scanner->at] != '"')
    {
        if (scanner->text[scanner->at] == '\\')
        {
            spAdvance(scanner);
        }
        if (scanner->at < scanner->size)
        {
            spAdvance(scanner);
        }
    }
    if (scanner->at < scanner->size)
    {
        spAdvance(scanner);
    }
}

static void spSkipWord(spScanner* scanner)
{
    while (scanner->at < scanner->size && strchr(",]}: \t\r\n", scanner->text[scanner->at]) == NULL)
    {
        spAdvance(scanner);
    }
}

// `key` is where the key that was read last begins; its text is NULL when there is none
static bool spAddPlace(spPlaceIndex* index, int parent, const spScanner* scanner, const spScanner* key,
                       size_t keyEnd)
{
    if (!spReserve(index->heap, (void**)&index->data, index->count, &index->capacity, index->count + 1,
                   sizeof(spPlace)))
    {
        return false;
    }
    int place = index->count++;
    index->data[place] = (spPlace){
        .keyLine = key->text != NULL ? key->line : scanner->line,
        .keyColumn = key->text != NULL ? key->column : scanner->column,
        .keyAt = key->text != NULL ? key->at + 1 : 0,
        .keySize = key->text != NULL ? (int)(keyEnd - key->at - 2) : 0,
        .line = scanner->line,
        .column = scanner->column,
        .parent = parent,
        .firstChild = -1,
        .lastChild = -1,
        .next = -1,
    };
    if (parent >= 0)
    {
        spPlace* up = &index->data[parent];
        if (up->lastChild >= 0)
        {
            index->data[up->lastChild].next = place;
        }
        else
        {
            up->firstChild = place;
        }
        up->lastChild = place;
    }
    return true;
}

bool spScanPlaces(spPlaceIndex* index, spHeap* heap, const char* text, size_t size)
{
    *index = (spPlaceIndex){.heap = heap, .text = text};
    spScanner scanner = {text, size, 0, 1, 1};
    int parent = -1;
    spScanner key = {0};
    size_t keyEnd = 0;
    for (;;)
    {
        spSkipSpace(&scanner);
        if (scanner.at >= size)
        {
            return true;
        }
        char c = text[scanner.at];
        if (c == ',' || c == ':')
        {
            spAdvance(&scanner);
        }
        else if (c == '}' || c == ']')
        {
            spAdvance(&scanner);
            parent = parent >= 0 ? index->data[parent].parent : -1;
        }
        else
        {
            // A string in an object is a key when ':' follows it
            spScanner start = scanner;
            if (c == '"')
            {
                spSkipString(&scanner);
                spScanner after = scanner;
                spSkipSpace(&after);
                if (key.text == NULL && after.at < size && text[after.at] == ':')
                {
                    key = start;
                    keyEnd = scanner.at;
                    scanner = after;
                    spAdvance(&scanner);
                    continue;
                }
            }
            if (!spAddPlace(index, parent, &start, &key, keyEnd))
            {
                spFreePlaces(index);
                return false;
            }
            key.text = NULL;
            if (c == '{' || c == '[')
            {
                parent = index->count - 1;
                spAdvance(&scanner);
            }
            else if (c != '"')
            {
                spSkipWord(&scanner);
                if (scanner.at == start.at) // cannot happen in a text that Jansson accepted
                {
                    spAdvance(&scanner);
                }
            }
        }
    }
}

void spFormatPath(const spPlaceIndex* index, int place, char* buffer, size_t size)
{
    // Parts from the end of the buffer backwards, because places know their parents only
    size_t at = size - 1;
    buffer[at] = 0;
    for (; place >= 0 && index->data[place].parent >= 0; place = index->data[place].parent)
    {
        char part[80];
        const spPlace* p = &index->data[place];
        int length = 0;
        if (p->keySize > 0)
        {
            length = snprintf(part, sizeof(part), ".%.*s", p->keySize > 70 ? 70 : p->keySize,
                              index->text + p->keyAt);
        }
        else
        {
            int number = 0;
            for (int i = index->data[p->parent].firstChild; i != place && i >= 0; i = index->data[i].next)
            {
                number += 1;
            }
            length = snprintf(part, sizeof(part), "[%d]", number);
        }
        if ((size_t)length > at)
        {
            break;
        }
        at -= (size_t)length;
        memcpy(buffer + at, part, (size_t)length);
    }
    at += buffer[at] == '.';
    memmove(buffer, buffer + at, size - at);
}

void spFreePlaces(spPlaceIndex* index)
{
    if (index->heap != NULL)
    {
        spFree(index->heap, index->data);
    }
    *index = (spPlaceIndex){0};
}
