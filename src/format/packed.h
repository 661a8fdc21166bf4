// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Binary data inside VTK's XML files: raw or base64, plain or in blocks compressed by zlib, behind a header
// that says how much there is.

#pragma once

#include "base/error.h"
#include "base/memory.h"
#include "format/bytes.h"

// Zlib makes nothing larger than this many times what it reads
#define SP_MOST_EXPANSION 1040

// How the data of a file is packed
typedef struct spPacking
{
    bool base64;
    bool compressed;
    bool wideHeader; // numbers of the header have 64 bits, not 32
    bool swapped;    // byte order of header and data
} spPacking;

// Unpacks what begins at `text`. The caller frees *data, of *size bytes, with spFree(heap, *data).
bool spUnpack(spHeap* heap, const char* text, const char* end, const spPacking* packing, uint8_t** data,
              size_t* size, spError* error);

// Packs into blocks compressed by zlib, in base64, headers of 64 bits. The caller frees *text, of *size
// bytes. Returns false without memory, and in a build without zlib.
bool spPack(spHeap* heap, const uint8_t* data, size_t dataSize, char** text, size_t* size, spError* error);

// Packs the count of bytes and the data into one text of base64, header of 64 bits. The caller frees *text.
// Returns false without memory.
bool spPackPlain(spHeap* heap, const uint8_t* data, size_t dataSize, char** text, size_t* size,
                 spError* error);

// Whether this build has zlib
bool spHasZlib(void);
