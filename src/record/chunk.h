// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The bricks of a recording file, which the writer and the reader share: chunk types, sizes, the checksum,
// and a growing block of bytes. docs/recording.md describes the format; this file must agree with it.
//
//   file    = header chunk*
//   header  = magic[8], u32 version, u32 0                                  (16 bytes)
//   chunk   = u32 type, u32 crc, u64 length, payload[length], zeros up to a multiple of 8
//   crc     = CRC-32 of type, length, payload and padding

#pragma once

#include "base/core.h"
#include "base/memory.h"

#include <string.h>

// Numbers and arrays go between memory and file without conversion
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "recordings need a little-endian machine"
#endif

#define SP_RECORD_MAGIC "\x89SPR\r\n\x1A\n"
#define SP_RECORD_TAIL "SPR END\n"
#define SP_RECORD_VERSION 1u
#define SP_RECORD_HEADER_SIZE 16
#define SP_CHUNK_HEADER_SIZE 16

// Bytes of the fixed part of payloads
#define SP_HEAD_SIZE 96
#define SP_BODY_SIZE 8
#define SP_TOPOLOGY_SIZE 24
#define SP_COLLIDER_SIZE 40
#define SP_ROW_SIZE 96
#define SP_SOLVER_SIZE 24
#define SP_FRAME_SIZE 24
#define SP_FRAME_BODY_SIZE 8
#define SP_FRAME_COLLIDER_SIZE 32
#define SP_TETS_SIZE 8
#define SP_SURFACE_SIZE 16
#define SP_BARE_SIZE 8
#define SP_STRESS_SIZE 16
#define SP_PLAY_SIZE 24
#define SP_DECISION_SIZE 40
#define SP_ACT_SIZE 8
#define SP_CONTACTS_SIZE 16
#define SP_CONTACT_SIZE 64
#define SP_PROFILE_COUNT 8

// Numbers that are stored of a tet: von Mises stress, three principal stresses, volume ratio
#define SP_TET_NUMBERS 5

#define SP_CHUNK_TYPE(a, b, c, d)                                                                            \
    ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)

enum
{
    sp_chunkHead = SP_CHUNK_TYPE('H', 'E', 'A', 'D'),       // what the file holds; first, once
    sp_chunkScene = SP_CHUNK_TYPE('S', 'C', 'E', 'N'),      // source of the scene
    sp_chunkPlay = SP_CHUNK_TYPE('P', 'L', 'A', 'Y'),       // how the scene is played
    sp_chunkBody = SP_CHUNK_TYPE('B', 'O', 'D', 'Y'),       // a body appears
    sp_chunkTopology = SP_CHUNK_TYPE('T', 'O', 'P', 'O'),   // triangles and edges of a body from here on
    sp_chunkTets = SP_CHUNK_TYPE('T', 'E', 'T', 'S'),       // tets of a topology
    sp_chunkSurface = SP_CHUNK_TYPE('S', 'U', 'R', 'F'),    // surface attached to a topology
    sp_chunkBare = SP_CHUNK_TYPE('B', 'A', 'R', 'E'),       // triangles of a topology that edits laid bare
    sp_chunkCollider = SP_CHUNK_TYPE('C', 'O', 'L', 'L'),   // a collider appears
    sp_chunkDecisions = SP_CHUNK_TYPE('D', 'E', 'C', 'S'),  // what the clock decided in some steps
    sp_chunkActs = SP_CHUNK_TYPE('A', 'C', 'T', 'S'),       // what was done between some steps
    sp_chunkRows = SP_CHUNK_TYPE('R', 'O', 'W', 'S'),       // some steps
    sp_chunkSolver = SP_CHUNK_TYPE('S', 'O', 'L', 'V'),     // what solvers did in those steps
    sp_chunkFrame = SP_CHUNK_TYPE('F', 'R', 'A', 'M'),      // a frame
    sp_chunkNodeStress = SP_CHUNK_TYPE('N', 'S', 'T', 'R'), // stress at the nodes in the last frame
    sp_chunkNodeStrain = SP_CHUNK_TYPE('N', 'S', 'T', 'N'), // strain at the nodes in the last frame
    sp_chunkTetStates = SP_CHUNK_TYPE('T', 'S', 'T', 'R'),  // what tets feel in the last frame
    sp_chunkNodePressure =
        SP_CHUNK_TYPE('N', 'P', 'R', 'E'), // contact pressure at the nodes in the last frame
    sp_chunkNodeModulus = SP_CHUNK_TYPE('N', 'M', 'O', 'D'), // Young's modulus at the nodes in the last frame
    sp_chunkNodeLevel = SP_CHUNK_TYPE('N', 'L', 'E', 'V'),   // levels that nodes move by in the last frame
    sp_chunkNodeRegion = SP_CHUNK_TYPE('N', 'R', 'E', 'G'),  // largest region around nodes in the last frame
    sp_chunkContacts = SP_CHUNK_TYPE('C', 'O', 'N', 'T'),    // contacts of the last frame
    sp_chunkDone = SP_CHUNK_TYPE('D', 'O', 'N', 'E'),        // index; last, once
};

// Numbers at the nodes that a frame may hold, each kind in a chunk of its own
typedef enum spNodeValue
{
    sp_nodeStress = 0, // Pa
    sp_nodeStrain,     // 1
    sp_nodePressure,   // N/m^2
    sp_nodeModulus,    // Pa
    sp_nodeLevel,      // 0 for the coarsest
    sp_nodeRegion,     // a number of the mesh
    sp_nodeValueCount
} spNodeValue;

extern const uint32_t g_nodeValueChunks[sp_nodeValueCount];

// The kind that a chunk holds; sp_nodeValueCount when it holds none
spNodeValue spFindNodeValue(uint32_t type);

enum
{
    sp_headVelocities = 1, // frames hold velocities
    sp_headCamera = 2,     // the camera in the head is meant
};

enum
{
    sp_playLive = 1,     // preconditioners were taken in use as soon as they were there
    sp_playUntangle = 2, // bodies were moved apart before the first step
};

// In place of a body or a collider that a contact is not with
#define SP_CONTACT_NONE UINT32_MAX

// In place of a body in a decision: the time that the step covered
#define SP_DECISION_OF_STEP UINT32_MAX

// Tables for eight bytes at a time
typedef struct spCrcTable
{
    uint32_t entries[8][256];
} spCrcTable;

void spMakeCrcTable(spCrcTable* table);

// CRC-32 as zlib has it. Start with crc 0 and pass the result on for the next piece.
uint32_t spUpdateCrc(const spCrcTable* table, uint32_t crc, const void* data, size_t size);

// The checksum of a whole chunk. `padded` is the payload up to a multiple of 8 bytes.
uint32_t spHashChunk(const spCrcTable* table, uint32_t type, uint64_t length, const void* padded);

static inline uint64_t spPadLength(uint64_t length)
{
    return (length + 7) & ~(uint64_t)7;
}

static inline uint32_t spGetU32(const uint8_t* p)
{
    uint32_t a;
    memcpy(&a, p, sizeof(a));
    return a;
}

static inline uint64_t spGetU64(const uint8_t* p)
{
    uint64_t a;
    memcpy(&a, p, sizeof(a));
    return a;
}

static inline float spGetF32(const uint8_t* p)
{
    float a;
    memcpy(&a, p, sizeof(a));
    return a;
}

static inline double spGetF64(const uint8_t* p)
{
    double a;
    memcpy(&a, p, sizeof(a));
    return a;
}

// A growing block of bytes. The first failed allocation sets `failed`; later calls then do nothing, so that
// a caller asks once at the end.
typedef struct spBytes
{
    spHeap* heap;
    uint8_t* data;
    size_t count;
    size_t capacity;
    bool failed;
} spBytes;

// Makes room for `size` more bytes and returns where they go; NULL when there is no memory.
void* spAppendBytes(spBytes* bytes, size_t size);
void spPutData(spBytes* bytes, const void* data, size_t size);
void spPutU32(spBytes* bytes, uint32_t value);
void spPutU64(spBytes* bytes, uint64_t value);
void spPutF32(spBytes* bytes, float value);
void spPutF64(spBytes* bytes, double value);
// u32 length, bytes, terminator, zeros up to a multiple of 4. NULL is the empty string.
void spPutString(spBytes* bytes, const char* text);
void spPutStringBytes(spBytes* bytes, const char* text, size_t length);
void spFreeBytes(spBytes* bytes);
