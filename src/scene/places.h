// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Where things stand in a scene file. Jansson tells line and column of syntax errors only, so the text is
// scanned once more into a tree of places that has the shape of the parsed values: the i-th child of an
// object or list is its i-th member (Jansson keeps the order of the file).

#pragma once

#include "base/memory.h"

typedef struct spPlace
{
    int keyLine, keyColumn; // of the key that names the value; of the value itself in a list
    int line, column;       // where the value begins, from 1; columns count characters, not bytes
    size_t keyAt;           // where in the text the name of the key begins, without its quote
    int keySize;            // bytes of the name; 0 in a list
    int parent;             // -1 for the root
    int firstChild;         // -1 when there is none
    int lastChild;          // while scanning
    int next;               // the next member of the same object or list, -1 at the end
} spPlace;

typedef struct spPlaceIndex
{
    spHeap* heap;
    const char* text; // not owned
    spPlace* data;
    int count, capacity;
} spPlaceIndex;

// Scans a text that Jansson has accepted. Returns false when there is no memory.
bool spScanPlaces(spPlaceIndex* index, spHeap* heap, const char* text, size_t size);

// Writes which value stands at a place, for example "bodies[0].springs"; "" for the root
void spFormatPath(const spPlaceIndex* index, int place, char* buffer, size_t size);

void spFreePlaces(spPlaceIndex* index);
