// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The table that describes scene files. One row per key: its type, unit, default, range, sentence for the
// manual, where its value goes in a struct of scene_data.h, and which member of a definition of the engine it
// is for. The reader, the writer, the defaults, the reference page, the way into definitions and the way back
// all walk this one table, so they cannot disagree.
//
// An object may have a *selector*: one key with a choice of words (the generator of a mesh, the type of an
// event) that decides which other rows apply. Two rows may share a name as long as their selectors differ;
// that is how a key gets another default or meaning from case to case.

#pragma once

#include "base/text.h"

typedef enum spKeyType
{
    sp_keyBool,     // bool
    sp_keyInteger,  // int
    sp_keyNumber,   // double
    sp_keyString,   // const char*
    sp_keyChoice,   // int, index into choices
    sp_keyVector,   // spDVec3, list of 3 numbers
    sp_keyScale,    // spDVec3, one number or a list of 3
    sp_keyRange,    // double[2], list of 2 numbers, the first below the second
    sp_keyCounts,   // int[3], list of 3 integers
    sp_keyIntegers, // spList of int32_t; one integer alone is accepted
    sp_keyTuples,   // spList of int32_t, list of lists of `width` integers; count is the number of integers
    sp_keyObject,   // a struct in place
    sp_keyObjects,  // spList of structs; one object alone is accepted
} spKeyType;

typedef enum spKeyFlags
{
    sp_keyRequired = 0x01,   // must be in the file, where its selectors apply
    sp_keySelector = 0x02,   // decides which other rows apply
    sp_keyAboveLower = 0x04, // the lower bound itself is not allowed
    sp_keyAuto = 0x08,       // the word "auto" is accepted instead of a number, and stored as 0
    sp_keyAll = 0x10,        // the word "all" is accepted instead of a list, and stored as count -1
    sp_keyNoDefault = 0x20,  // without a value unless given: whoever uses it asks spIsGiven
    sp_keyNonZero = 0x40,    // a vector that must not be zero
    sp_keyImplied = 0x80,    // an object that is there with its defaults when the file does not have it
} spKeyFlags;

typedef struct spSchema spSchema;

typedef struct spKey
{
    const char* name;
    spKeyType type;
    uint32_t flags;
    const char* unit;           // NULL when non-dimensional
    double value[3];            // default; an integer, bool or choice uses the first
    const char* text;           // what the manual says instead; such a default depends on other keys
    double lower, upper;        // of a number, and of every component of a vector
    const char* const* choices; // words, in the order of the enum that they stand for
    int choiceCount;
    const spSchema* object; // of sp_keyObject and sp_keyObjects
    int limit;              // most entries of a list
    int width;              // integers in each entry of sp_keyTuples
    uint64_t selector;      // bit i: the row applies when the selector has value i; 0 means always
    size_t offset;
    size_t bound;     // 1 + place of the member of the engine's definition that it is for; 0 for none
    size_t boundSize; // of that member
    const char* doc;
} spKey;

struct spSchema
{
    const char* name; // as the manual calls it
    const char* doc;
    const spKey* keys;
    int keyCount;
    size_t size;           // of the struct
    const char* shorthand; // a value that is no object is read as this key; NULL when not allowed
};

// First member of every struct that a schema fills
typedef struct spObjectHead
{
    const spSchema* schema;
    uint64_t given;     // bit i: row i was in the file
    int place;          // of the object in the place index; -1 when it is not in the file
    int32_t* keyPlaces; // place of the value of each row, -1 when it is not in the file; may be NULL
} spObjectHead;

typedef struct spList
{
    void* data;
    int count;
} spList;

// The whole file
extern const spSchema g_sceneSchema;

// An event without its time
extern const spSchema g_actSchema;

// True when the value at `member`, which lies in the struct that `head` begins, was in the file
bool spIsGiven(const spObjectHead* head, const void* member);

// Index of the row whose value is at `member`; -1 when there is none
int spFindRow(const spObjectHead* head, const void* member);

// The value of the selector, from its row; -1 when the schema has none or it has no value
int spGetSelector(const void* object);

// The row with this name that applies under a selector value (-1: any); NULL when there is none
const spKey* spFindKey(const spSchema* schema, const char* name, int selector);

// The key that decides which rows apply; NULL when there is none
const spKey* spFindSelectorKey(const spSchema* schema);

// Fills a struct with its defaults; objects inside too
void spInitObject(const spSchema* schema, int selector, void* object);

// Fills a definition of the engine with the values of an object, where its rows are bound. Values without a
// default, and objects, count only when they were given.
void spFillDef(const void* object, void* def);

// The way back: an object from a definition. Objects inside are filled where they are marked as given.
void spReadDef(const void* def, void* object);

// The shortest number that becomes the same spReal
double spShorten(spReal value);
