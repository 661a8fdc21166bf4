// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Inner loops of a level, over SP_WIDTH unknowns in each row, and the table of them, SP_LEVEL_TABLE. Included
// once for each width.

#include "linear/levels.h"

#include <string.h>

#if SP_WIDTH == 3
#define SP_ROW spQuadMemory
#define SP_LOOSE_ROW spLooseQuad
#define SP_STRIDE 4
#define SP_OF_WIDTH(stem) stem##3
#else
#define SP_ROW spOct
#define SP_LOOSE_ROW spLooseOct
#define SP_STRIDE 8
#define SP_OF_WIDTH(stem) stem##6
#endif

#define SP_BLOCK_SIZE (SP_WIDTH * SP_WIDTH)
#define SP_DIAGONAL_SIZE (SP_WIDTH * SP_STRIDE)
#define SP_MOVE_SIZE (SP_WIDTH * 6)

// A block beside the diagonal times u; numbers of the result beyond the width mean nothing
static inline SP_ROW SP_OF_WIDTH(spMulLoose)(const spReal* block, const spReal* u)
{
    SP_ROW sum = *(const SP_LOOSE_ROW*)block * u[0];
    for (int c = 1; c < SP_WIDTH; ++c)
    {
        sum += *(const SP_LOOSE_ROW*)(block + SP_WIDTH * c) * u[c];
    }
    return sum;
}

// rest less the blocks [begin, end) of a row times z
static inline SP_ROW SP_OF_WIDTH(spSubBlocks)(const spLevel* level, int begin, int end, const spReal* z,
                                              SP_ROW rest)
{
    for (int k = begin; k < end; ++k)
    {
        rest -= SP_OF_WIDTH(spMulLoose)(level->blocks + SP_BLOCK_SIZE * (size_t)k,
                                        z + SP_STRIDE * level->columns[k]);
    }
    return rest;
}

// A block of the diagonal times u
static inline SP_ROW SP_OF_WIDTH(spMulDiagonal)(const spReal* block, const spReal* u)
{
    SP_ROW sum = *(const SP_ROW*)block * u[0];
    for (int c = 1; c < SP_WIDTH; ++c)
    {
        sum += *(const SP_ROW*)(block + SP_STRIDE * c) * u[c];
    }
    return sum;
}

// What is added to the diagonal, times z
static inline SP_ROW SP_OF_WIDTH(spMulAdded)(const spLevel* level, int i, const spReal* z)
{
    if (level->added[i] == 0)
    {
        return (SP_ROW){0};
    }
    return level->added[i] *
           SP_OF_WIDTH(spMulDiagonal)(level->diagonal + SP_DIAGONAL_SIZE * (size_t)i, z + SP_STRIDE * i);
}

static void SP_OF_WIDTH(spSweepForth)(const spLevel* level, const spReal* r, spReal* z, int patch)
{
    for (int i = level->patchBegin[patch]; i < level->patchBegin[patch + 1]; ++i)
    {
        SP_ROW rest = *(const SP_ROW*)(r + SP_STRIDE * i);
        rest = SP_OF_WIDTH(spSubBlocks)(level, level->inside[i], level->after[i], z, rest);
        *(SP_ROW*)(z + SP_STRIDE * i) =
            SP_OF_WIDTH(spMulDiagonal)(level->inverse + SP_DIAGONAL_SIZE * (size_t)i, (const spReal*)&rest);
    }
}

// What the sweep has not seen
static void SP_OF_WIDTH(spFindRest)(const spLevel* level, const spReal* z, spReal* rest, int patch)
{
    for (int i = level->patchBegin[patch]; i < level->patchBegin[patch + 1]; ++i)
    {
        SP_ROW sum = SP_OF_WIDTH(spMulAdded)(level, i, z);
        sum = SP_OF_WIDTH(spSubBlocks)(level, level->begin[i], level->inside[i], z, sum);
        sum = SP_OF_WIDTH(spSubBlocks)(level, level->after[i], level->begin[i + 1], z, sum);
        *(SP_ROW*)(rest + SP_STRIDE * i) = sum;
    }
}

static void SP_OF_WIDTH(spGatherRest)(const spLevel* level, const spReal* rest, spReal* coarse, int begin,
                                      int end)
{
    for (int i = begin; i < end; ++i)
    {
        spOct sum = {0};
        for (int k = level->membersBegin[i]; k < level->membersBegin[i + 1]; ++k)
        {
            const spReal* move = level->moves + SP_MOVE_SIZE * (size_t)level->memberPlaces[k];
            const spReal* u = rest + SP_STRIDE * level->members[k];
            for (int c = 0; c < SP_WIDTH; ++c)
            {
                sum += *(const spLooseOct*)(move + 6 * c) * u[c];
            }
        }
        *(spOct*)(coarse + 8 * i) = sum;
    }
}

static void SP_OF_WIDTH(spAddMoves)(const spLevel* level, const spReal* coarse, spReal* z, spReal* old,
                                    int patch)
{
    for (int i = level->patchBegin[patch]; i < level->patchBegin[patch + 1]; ++i)
    {
        spOct sums[SP_WIDTH] = {{0}};
        for (int k = level->moveBegin[i]; k < level->moveBegin[i + 1]; ++k)
        {
            const spReal* move = level->moves + SP_MOVE_SIZE * (size_t)k;
            spOct u = *(const spOct*)(coarse + 8 * level->moveColumns[k]);
            for (int c = 0; c < SP_WIDTH; ++c)
            {
                sums[c] += *(const spLooseOct*)(move + 6 * c) * u;
            }
        }
        for (int c = 0; c < SP_STRIDE; ++c)
        {
            spReal sum = 0;
            if (c < SP_WIDTH)
            {
                spOct s = sums[c];
                sum = ((s[0] + s[1]) + (s[2] + s[3])) + (s[4] + s[5]);
            }
            z[SP_STRIDE * i + c] += sum;
            old[SP_STRIDE * i + c] = z[SP_STRIDE * i + c];
        }
    }
}

static void SP_OF_WIDTH(spSweepBack)(const spLevel* level, const spReal* r, spReal* z, const spReal* old,
                                     int patch)
{
    for (int i = level->patchBegin[patch + 1] - 1; i >= level->patchBegin[patch]; --i)
    {
        SP_ROW rest = *(const SP_ROW*)(r + SP_STRIDE * i) + SP_OF_WIDTH(spMulAdded)(level, i, z);
        rest = SP_OF_WIDTH(spSubBlocks)(level, level->begin[i], level->inside[i], old, rest);
        rest = SP_OF_WIDTH(spSubBlocks)(level, level->outside[i], level->begin[i + 1], old, rest);
        rest = SP_OF_WIDTH(spSubBlocks)(level, level->inside[i], level->outside[i], z, rest);
        *(SP_ROW*)(z + SP_STRIDE * i) =
            SP_OF_WIDTH(spMulDiagonal)(level->inverse + SP_DIAGONAL_SIZE * (size_t)i, (const spReal*)&rest);
    }
}

// out += A u, A by columns with that many numbers each, the others by rows
static inline void SP_OF_WIDTH(spAddMoved)(spOct* out, const spReal* block, int stride, const spOct* u)
{
    for (int c = 0; c < SP_WIDTH; ++c)
    {
        for (int r = 0; r < SP_WIDTH; ++r)
        {
            out[r] += block[stride * c + r] * u[c];
        }
    }
}

// How row i of the level moves with its aggregate, rigidly. By rows.
static void SP_OF_WIDTH(spGetRigidMove)(const spLevel* level, const spLevel* coarse, int i, spOct* move)
{
    int a = level->aggregates[i];
    spVec4 p = level->centers[i], q = coarse->centers[a];
    spReal radius = coarse->radii[a];
    spReal scale = radius > 0 ? 1 / radius : 0;
    spReal x = scale * (p.x - q.x), y = scale * (p.y - q.y), z = scale * (p.z - q.z);
    move[0] = (spOct){1, 0, 0, 0, z, -y, 0, 0};
    move[1] = (spOct){0, 1, 0, -z, 0, x, 0, 0};
    move[2] = (spOct){0, 0, 1, y, -x, 0, 0, 0};
#if SP_WIDTH == 6
    spReal turn = scale * level->radii[i];
    move[3] = (spOct){0, 0, 0, turn, 0, 0, 0, 0};
    move[4] = (spOct){0, 0, 0, 0, turn, 0, 0, 0};
    move[5] = (spOct){0, 0, 0, 0, 0, turn, 0, 0};
#endif
}

// P = (I - w D'^-1 A) times the rigid moves
static void SP_OF_WIDTH(spSmoothMoves)(const spLevel* level, const spLevel* coarse, spReal relaxation,
                                       spOct* mixed, int32_t* places)
{
    spOct rigid[SP_WIDTH];
    for (int i = 0; i < level->rowCount; ++i)
    {
        int first = level->moveBegin[i], count = level->moveBegin[i + 1] - first;
        if (count == 0)
        {
            continue;
        }
        memset(mixed, 0, (size_t)(count * SP_WIDTH) * sizeof(spOct));
        for (int k = 0; k < count; ++k)
        {
            places[level->moveColumns[first + k]] = k;
        }
        for (int k = level->begin[i]; k < level->begin[i + 1]; ++k)
        {
            int j = level->columns[k];
            SP_OF_WIDTH(spGetRigidMove)(level, coarse, j, rigid);
            SP_OF_WIDTH(spAddMoved)
            (mixed + SP_WIDTH * places[level->aggregates[j]], level->blocks + SP_BLOCK_SIZE * (size_t)k,
             SP_WIDTH, rigid);
        }
        int own = places[level->aggregates[i]];
        SP_OF_WIDTH(spGetRigidMove)(level, coarse, i, rigid);
        SP_OF_WIDTH(spAddMoved)
        (mixed + SP_WIDTH * own, level->diagonal + SP_DIAGONAL_SIZE * (size_t)i, SP_STRIDE, rigid);
        for (int k = 0; k < count; ++k)
        {
            spOct moved[SP_WIDTH] = {{0}};
            SP_OF_WIDTH(spAddMoved)
            (moved, level->inverse + SP_DIAGONAL_SIZE * (size_t)i, SP_STRIDE, mixed + SP_WIDTH * k);
            spReal* out = level->moves + SP_MOVE_SIZE * (size_t)(first + k);
            for (int c = 0; c < SP_WIDTH; ++c)
            {
                spOct move = -relaxation * moved[c];
                move += (spReal)(k == own) * rigid[c];
                memcpy(out + 6 * c, &move, 6 * sizeof(spReal));
            }
        }
    }
}

// A row of A P
static inline void SP_OF_WIDTH(spMixRow)(const spLevel* level, int i, spOct* mixed, const int32_t* places)
{
    for (int k = level->begin[i] - 1; k < level->begin[i + 1]; ++k)
    {
        bool own = k < level->begin[i];
        int j = own ? i : level->columns[k];
        const spReal* block =
            own ? level->diagonal + SP_DIAGONAL_SIZE * (size_t)i : level->blocks + SP_BLOCK_SIZE * (size_t)k;
        for (int e = level->moveBegin[j]; e < level->moveBegin[j + 1]; ++e)
        {
            spOct move[SP_WIDTH];
            for (int c = 0; c < SP_WIDTH; ++c)
            {
                move[c] = *(const spLooseOct*)(level->moves + SP_MOVE_SIZE * (size_t)e + 6 * c);
            }
            SP_OF_WIDTH(spAddMoved)
            (mixed + SP_WIDTH * places[level->moveColumns[e]], block, own ? SP_STRIDE : SP_WIDTH, move);
        }
    }
}

// out += P^T u, out by columns with that many numbers each, P and u by rows
static inline void SP_OF_WIDTH(spAddProjected)(spReal* out, int stride, const spReal* move, const spOct* u)
{
    const spReal* numbers = (const spReal*)u;
    for (int s = 0; s < 6; ++s)
    {
        spOct sum = {0};
        for (int c = 0; c < SP_WIDTH; ++c)
        {
            sum += numbers[8 * c + s] * *(const spLooseOct*)(move + 6 * c);
        }
        for (int r = 0; r < 6; ++r)
        {
            out[stride * s + r] += sum[r];
        }
    }
}

// The matrix of the next level, P^T A P: blocks on and before the diagonal
static void SP_OF_WIDTH(spProjectLevel)(const spLevel* level, const spLevel* coarse, spOct* mixed,
                                        int32_t* places)
{
    for (int i = 0; i < level->rowCount; ++i)
    {
        int first = level->mixedBegin[i], count = level->mixedBegin[i + 1] - first;
        for (int k = 0; k < count; ++k)
        {
            places[level->mixedColumns[first + k]] = k;
        }
        memset(mixed, 0, (size_t)(count * SP_WIDTH) * sizeof(spOct));
        SP_OF_WIDTH(spMixRow)(level, i, mixed, places);
        for (int e = level->moveBegin[i]; e < level->moveBegin[i + 1]; ++e)
        {
            int row = level->moveColumns[e], place = coarse->begin[row];
            const spReal* move = level->moves + SP_MOVE_SIZE * (size_t)e;
            for (int k = 0; k < count && level->mixedColumns[first + k] < row; ++k)
            {
                for (; coarse->columns[place] < level->mixedColumns[first + k]; ++place)
                {
                }
                SP_OF_WIDTH(spAddProjected)
                (coarse->blocks + 36 * (size_t)place, 6, move, mixed + SP_WIDTH * k);
            }
            SP_OF_WIDTH(spAddProjected)
            (coarse->diagonal + 48 * (size_t)row, 8, move, mixed + SP_WIDTH * places[row]);
        }
    }
}

const spLevelKernels SP_LEVEL_TABLE = {
    .sweepForth = SP_OF_WIDTH(spSweepForth),
    .findRest = SP_OF_WIDTH(spFindRest),
    .gatherRest = SP_OF_WIDTH(spGatherRest),
    .addMoves = SP_OF_WIDTH(spAddMoves),
    .sweepBack = SP_OF_WIDTH(spSweepBack),
    .smoothMoves = SP_OF_WIDTH(spSmoothMoves),
    .project = SP_OF_WIDTH(spProjectLevel),
};

#undef SP_MOVE_SIZE
#undef SP_DIAGONAL_SIZE
#undef SP_BLOCK_SIZE
#undef SP_OF_WIDTH
#undef SP_STRIDE
#undef SP_LOOSE_ROW
#undef SP_ROW
#undef SP_LEVEL_TABLE
#undef SP_WIDTH
