// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Inner loops of a level, over SP_WIDTH unknowns in each row. Included once for each width.

#if SP_WIDTH == 3
typedef spQuad spRow3 __attribute__((may_alias));
#define SP_ROW spRow3
#define SP_STRIDE 4
#define SP_OF_WIDTH(stem) stem##3
#else
typedef spOct spRow6;
#define SP_ROW spRow6
#define SP_STRIDE 8
#define SP_OF_WIDTH(stem) stem##6
#endif

#define SP_SIZE (SP_WIDTH * SP_STRIDE)

static inline SP_ROW SP_OF_WIDTH(spMulLevelBlock)(const spReal* block, const spReal* u)
{
    const SP_ROW* a = (const SP_ROW*)block;
    SP_ROW sum = a[0] * u[0];
    for (int c = 1; c < SP_WIDTH; ++c)
    {
        sum += a[c] * u[c];
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
           SP_OF_WIDTH(spMulLevelBlock)(level->diagonal + SP_SIZE * (size_t)i, z + SP_STRIDE * i);
}

// (D' + L) z = r
static void SP_OF_WIDTH(spSweepForth)(const spLevel* level, const spReal* r, spReal* z, int patch)
{
    for (int i = level->patchBegin[patch]; i < level->patchBegin[patch + 1]; ++i)
    {
        SP_ROW rest = *(const SP_ROW*)(r + SP_STRIDE * i);
        for (int k = level->inside[i]; k < level->after[i]; ++k)
        {
            rest -= SP_OF_WIDTH(spMulLevelBlock)(level->blocks + SP_SIZE * (size_t)k,
                                                 z + SP_STRIDE * level->columns[k]);
        }
        *(SP_ROW*)(z + SP_STRIDE * i) =
            SP_OF_WIDTH(spMulLevelBlock)(level->inverse + SP_SIZE * (size_t)i, (const spReal*)&rest);
    }
}

// rest = r - A z after that: what the sweep has not seen
static void SP_OF_WIDTH(spFindRest)(const spLevel* level, const spReal* z, spReal* rest, int patch)
{
    for (int i = level->patchBegin[patch]; i < level->patchBegin[patch + 1]; ++i)
    {
        SP_ROW sum = SP_OF_WIDTH(spMulAdded)(level, i, z);
        for (int k = level->begin[i]; k < level->begin[i + 1]; ++k)
        {
            // Blocks in between are what the sweep went through
            k = k == level->inside[i] ? level->after[i] : k;
            if (k == level->begin[i + 1])
            {
                break;
            }
            sum -= SP_OF_WIDTH(spMulLevelBlock)(level->blocks + SP_SIZE * (size_t)k,
                                                z + SP_STRIDE * level->columns[k]);
        }
        *(SP_ROW*)(rest + SP_STRIDE * i) = sum;
    }
}

// coarse = P^T rest
static void SP_OF_WIDTH(spGatherRest)(const spLevel* level, const spReal* rest, spReal* coarse, int begin,
                                      int end)
{
    for (int i = begin; i < end; ++i)
    {
        spOct sum = {0};
        for (int k = level->membersBegin[i]; k < level->membersBegin[i + 1]; ++k)
        {
            const spOct* move = (const spOct*)level->moves + SP_WIDTH * (size_t)level->memberPlaces[k];
            const spReal* u = rest + SP_STRIDE * level->members[k];
            for (int c = 0; c < SP_WIDTH; ++c)
            {
                sum += move[c] * u[c];
            }
        }
        *(spOct*)(coarse + 8 * i) = sum;
    }
}

// z += P coarse, and a copy of it
static void SP_OF_WIDTH(spAddMoves)(const spLevel* level, const spReal* coarse, spReal* z, spReal* old,
                                    int patch)
{
    for (int i = level->patchBegin[patch]; i < level->patchBegin[patch + 1]; ++i)
    {
        spOct sums[SP_WIDTH] = {{0}};
        for (int k = level->moveBegin[i]; k < level->moveBegin[i + 1]; ++k)
        {
            const spOct* move = (const spOct*)level->moves + SP_WIDTH * (size_t)k;
            spOct u = *(const spOct*)(coarse + 8 * level->moveColumns[k]);
            for (int c = 0; c < SP_WIDTH; ++c)
            {
                sums[c] += move[c] * u;
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

// (D' + L^T) (new z - z) = r - A z
static void SP_OF_WIDTH(spSweepBack)(const spLevel* level, const spReal* r, spReal* z, const spReal* old,
                                     int patch)
{
    for (int i = level->patchBegin[patch + 1] - 1; i >= level->patchBegin[patch]; --i)
    {
        SP_ROW rest = *(const SP_ROW*)(r + SP_STRIDE * i) + SP_OF_WIDTH(spMulAdded)(level, i, z);
        for (int k = level->begin[i]; k < level->begin[i + 1]; ++k)
        {
            bool inside = k >= level->inside[i] && k < level->outside[i];
            rest -= SP_OF_WIDTH(spMulLevelBlock)(level->blocks + SP_SIZE * (size_t)k,
                                                 (inside ? z : old) + SP_STRIDE * level->columns[k]);
        }
        *(SP_ROW*)(z + SP_STRIDE * i) =
            SP_OF_WIDTH(spMulLevelBlock)(level->inverse + SP_SIZE * (size_t)i, (const spReal*)&rest);
    }
}

// out += A move, A by columns, the others by rows
static inline void SP_OF_WIDTH(spAddMoved)(spOct* out, const spReal* block, const spOct* move, spReal scale)
{
    for (int c = 0; c < SP_WIDTH; ++c)
    {
        spOct u = scale * move[c];
        for (int r = 0; r < SP_WIDTH; ++r)
        {
            out[r] += block[SP_STRIDE * c + r] * u;
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

// P = (I - w D^-1 A) times the rigid moves
static void SP_OF_WIDTH(spSmoothMoves)(const spLevel* level, const spLevel* coarse, spReal relaxation,
                                       int32_t* places)
{
    spOct rigid[SP_WIDTH];
    for (int i = 0; i < level->rowCount; ++i)
    {
        int first = level->moveBegin[i], count = level->moveBegin[i + 1] - first;
        if (count == 0)
        {
            continue;
        }
        spOct* out = (spOct*)level->moves + SP_WIDTH * (size_t)first;
        for (int k = 0; k < count * SP_WIDTH; ++k)
        {
            out[k] = (spOct){0};
        }
        for (int k = 0; k < count; ++k)
        {
            places[level->moveColumns[first + k]] = k;
        }
        for (int k = level->begin[i]; k < level->begin[i + 1]; ++k)
        {
            int j = level->columns[k];
            SP_OF_WIDTH(spGetRigidMove)(level, coarse, j, rigid);
            SP_OF_WIDTH(spAddMoved)
            (out + SP_WIDTH * places[level->aggregates[j]], level->blocks + SP_SIZE * (size_t)k, rigid, 1);
        }
        SP_OF_WIDTH(spGetRigidMove)(level, coarse, i, rigid);
        spOct* own = out + SP_WIDTH * places[level->aggregates[i]];
        SP_OF_WIDTH(spAddMoved)(own, level->diagonal + SP_SIZE * (size_t)i, rigid, 1);
        for (int k = 0; k < count; ++k)
        {
            spOct moved[SP_WIDTH] = {{0}};
            SP_OF_WIDTH(spAddMoved)
            (moved, level->inverse + SP_SIZE * (size_t)i, out + SP_WIDTH * k, -relaxation);
            memcpy(out + SP_WIDTH * k, moved, sizeof(moved));
        }
        for (int c = 0; c < SP_WIDTH; ++c)
        {
            own[c] += rigid[c];
        }
    }
}

// The matrix of the next level, P^T A P: blocks on and before the diagonal, by columns
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
        for (int k = 0; k < count * SP_WIDTH; ++k)
        {
            mixed[k] = (spOct){0};
        }
        for (int k = level->begin[i] - 1; k < level->begin[i + 1]; ++k)
        {
            bool own = k < level->begin[i];
            int j = own ? i : level->columns[k];
            const spReal* block =
                own ? level->diagonal + SP_SIZE * (size_t)i : level->blocks + SP_SIZE * (size_t)k;
            for (int e = level->moveBegin[j]; e < level->moveBegin[j + 1]; ++e)
            {
                SP_OF_WIDTH(spAddMoved)
                (mixed + SP_WIDTH * places[level->moveColumns[e]], block,
                 (const spOct*)level->moves + SP_WIDTH * (size_t)e, 1);
            }
        }
        for (int e = level->moveBegin[i]; e < level->moveBegin[i + 1]; ++e)
        {
            int row = level->moveColumns[e];
            const spOct* move = (const spOct*)level->moves + SP_WIDTH * (size_t)e;
            int place = coarse->begin[row];
            for (int k = 0; k < count && level->mixedColumns[first + k] <= row; ++k)
            {
                int column = level->mixedColumns[first + k];
                spOct* out = (spOct*)coarse->diagonal + 6 * (size_t)row;
                if (column < row)
                {
                    while (coarse->columns[place] < column)
                    {
                        place += 1;
                    }
                    out = (spOct*)coarse->blocks + 6 * (size_t)place;
                }
                const spReal* u = (const spReal*)(mixed + SP_WIDTH * k);
                for (int c = 0; c < SP_WIDTH; ++c)
                {
                    for (int s = 0; s < 6; ++s)
                    {
                        out[s] += u[8 * c + s] * move[c];
                    }
                }
            }
        }
    }
}

const spLevelKernels SP_OF_WIDTH(spLevelKernels) = {
    .sweepForth = SP_OF_WIDTH(spSweepForth),
    .findRest = SP_OF_WIDTH(spFindRest),
    .gatherRest = SP_OF_WIDTH(spGatherRest),
    .addMoves = SP_OF_WIDTH(spAddMoves),
    .sweepBack = SP_OF_WIDTH(spSweepBack),
    .smoothMoves = SP_OF_WIDTH(spSmoothMoves),
    .project = SP_OF_WIDTH(spProjectLevel),
};

#undef SP_SIZE
#undef SP_OF_WIDTH
#undef SP_STRIDE
#undef SP_ROW
#undef SP_WIDTH
