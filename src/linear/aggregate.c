// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Levels from a pattern of couplings: rows and their neighbours grow together to aggregates, which are the
// rows of the next level, until few are left.
//
// Vanek, Mandel, Brezina. Algebraic Multigrid by Smoothed Aggregation for Second and Fourth Order Elliptic
// Problems. 1996

#include "linear/levels.h"

#include <string.h>

// Rows that a level may have to be the last one, solved in full
#define SP_LAST_ROWS 24

// Rows that a patch should have at least
#define SP_PATCH_ROWS 32

void* spTakeArray(spMultilevel* m, int64_t count, size_t size)
{
    SP_ASSERT(m->arrayCount < SP_MAX_LEVEL_ARRAYS);
    size_t bytes = spArraySize(count > 0 ? count : 1, size);
    void* array = spAllocZeroed(&m->base.heap, bytes);
    if (array != NULL)
    {
        m->arrays[m->arrayCount] = array;
        m->arraySizes[m->arrayCount++] = bytes;
    }
    return array;
}

void spGiveArrays(spMultilevel* m)
{
    while (m->arrayCount > 0)
    {
        m->arrayCount -= 1;
        spFree(&m->base.heap, m->arrays[m->arrayCount]);
    }
    m->levelCount = 0;
}

// What a level with its pattern needs besides
static bool spFinishLevel(spMultilevel* m, spLevel* level)
{
    int n = level->rowCount, last = level->begin[n];
    int64_t size = (int64_t)level->width * level->stride;
    level->inside = spTakeArray(m, n, sizeof(int32_t));
    level->after = spTakeArray(m, n, sizeof(int32_t));
    level->outside = spTakeArray(m, n, sizeof(int32_t));
    level->blocks = spTakeArray(m, (int64_t)last * level->width * level->width + 8, sizeof(spReal));
    level->diagonal = spTakeArray(m, n * size, sizeof(spReal));
    level->inverse = spTakeArray(m, n * size, sizeof(spReal));
    level->added = spTakeArray(m, n, sizeof(spReal));
    level->centers = spTakeArray(m, n, sizeof(spVec4));
    level->radii = spTakeArray(m, n, sizeof(spReal));
    level->r = spTakeArray(m, (int64_t)n * level->stride, sizeof(spReal));
    level->z = spTakeArray(m, (int64_t)n * level->stride, sizeof(spReal));
    level->old = spTakeArray(m, (int64_t)n * level->stride, sizeof(spReal));
    level->rest = spTakeArray(m, (int64_t)n * level->stride, sizeof(spReal));
    if (level->inside == NULL || level->after == NULL || level->outside == NULL || level->blocks == NULL ||
        level->diagonal == NULL || level->inverse == NULL || level->added == NULL || level->centers == NULL ||
        level->radii == NULL || level->r == NULL || level->z == NULL || level->old == NULL ||
        level->rest == NULL)
    {
        return false;
    }
    for (int patch = 0; patch < level->patchCount; ++patch)
    {
        for (int i = level->patchBegin[patch]; i < level->patchBegin[patch + 1]; ++i)
        {
            int k = level->begin[i], end = level->begin[i + 1];
            for (; k < end && level->columns[k] < level->patchBegin[patch]; ++k)
            {
            }
            level->inside[i] = k;
            for (; k < end && level->columns[k] < i; ++k)
            {
            }
            level->after[i] = k;
            for (; k < end && level->columns[k] < level->patchBegin[patch + 1]; ++k)
            {
            }
            level->outside[i] = k;
        }
    }
    return true;
}

// Both halves of the couplings between active nodes
static bool spMakeFirstLevel(spMultilevel* m)
{
    spLevel* level = m->levels;
    const spBlockRows* pattern = m->pattern;
    int n = pattern->nodeCount;
    *level = (spLevel){.rowCount = n, .width = 3, .stride = 4, .patchCount = m->patchCount};
    level->patchBegin = spTakeArray(m, (int64_t)m->patchCount + 1, sizeof(int32_t));
    level->begin = spTakeArray(m, (int64_t)n + 1, sizeof(int32_t));
    level->columns = spTakeArray(m, 2 * (int64_t)pattern->blockCount, sizeof(int32_t));
    if (level->patchBegin == NULL || level->begin == NULL || level->columns == NULL)
    {
        return false;
    }
    memcpy(level->patchBegin, m->patchBegin, ((size_t)m->patchCount + 1) * sizeof(int32_t));
    for (int round = 0; round < 2; ++round)
    {
        for (int i = 0; i < n; ++i)
        {
            for (int k = pattern->begin[i]; k < pattern->begin[i + 1]; ++k)
            {
                int j = pattern->columns[k];
                if (m->active[i] == false || m->active[j] == false)
                {
                    continue;
                }
                if (round == 0)
                {
                    level->begin[i + 1] += 1;
                    level->begin[j + 1] += 1;
                }
                else
                {
                    // Rows before i have come to j already, so columns rise
                    level->columns[m->places[i]++] = j;
                    level->columns[m->places[j]++] = i;
                }
            }
        }
        for (int i = 0; i < n && round == 0; ++i)
        {
            level->begin[i + 1] += level->begin[i];
            m->places[i] = level->begin[i];
        }
    }
    return spFinishLevel(m, level);
}

// Row i and its free neighbours become one
static void spGrowAggregate(spLevel* level, int i, int aggregate)
{
    level->aggregates[i] = aggregate;
    for (int k = level->begin[i]; k < level->begin[i + 1]; ++k)
    {
        int j = level->columns[k];
        level->aggregates[j] = level->aggregates[j] == -1 ? aggregate : level->aggregates[j];
    }
}

// The aggregate that row i has most neighbours in, the first of those; -1 for none. votes are 0 and stay so.
static int spFindMostNear(const spLevel* level, int i, int32_t* votes)
{
    int best = -1;
    for (int k = level->begin[i]; k < level->begin[i + 1]; ++k)
    {
        int a = level->aggregates[level->columns[k]];
        if (a >= 0)
        {
            votes[a] += 1;
            best = best < 0 || votes[a] > votes[best] ? a : best;
        }
    }
    for (int k = level->begin[i]; k < level->begin[i + 1]; ++k)
    {
        int a = level->aggregates[level->columns[k]];
        if (a >= 0)
        {
            votes[a] = 0;
        }
    }
    return best;
}

// Puts every row with neighbours in an aggregate. Returns how many there are.
static int spFindAggregates(spLevel* level, int32_t* places)
{
    int n = level->rowCount, count = 0;
    int32_t* aggregates = level->aggregates;
    for (int i = 0; i < n; ++i)
    {
        aggregates[i] = -1;
        places[i] = 0;
    }
    // Rows whose neighbours are all free take them
    for (int i = 0; i < n; ++i)
    {
        bool free = aggregates[i] == -1 && level->begin[i] < level->begin[i + 1];
        for (int k = level->begin[i]; k < level->begin[i + 1] && free; ++k)
        {
            free = aggregates[level->columns[k]] == -1;
        }
        if (free)
        {
            spGrowAggregate(level, i, count++);
        }
    }
    // The others have neighbours in aggregates and join the nearest, all at once, which keeps aggregates
    // compact: -2 - a for aggregate a until then
    for (int i = 0; i < n; ++i)
    {
        int a = aggregates[i] == -1 ? spFindMostNear(level, i, places) : -1;
        aggregates[i] = a >= 0 ? -2 - a : aggregates[i];
    }
    for (int i = 0; i < n; ++i)
    {
        aggregates[i] = aggregates[i] < -1 ? -2 - aggregates[i] : aggregates[i];
    }
    // In the order of their first rows, so that patches stay together
    for (int a = 0; a < count; ++a)
    {
        places[a] = -1;
    }
    int next = 0;
    for (int i = 0; i < n; ++i)
    {
        if (aggregates[i] >= 0)
        {
            int* place = places + aggregates[i];
            *place = *place < 0 ? next++ : *place;
            aggregates[i] = *place;
        }
    }
    return count;
}

// Patches of the next level: aggregates that begin in the same patch; small ones together
static bool spMakePatches(spMultilevel* m, const spLevel* level, spLevel* coarse)
{
    coarse->patchBegin = spTakeArray(m, (int64_t)level->patchCount + 1, sizeof(int32_t));
    if (coarse->patchBegin == NULL)
    {
        return false;
    }
    int count = 0, seen = 0;
    for (int patch = 0; patch < level->patchCount; ++patch)
    {
        for (int i = level->patchBegin[patch]; i < level->patchBegin[patch + 1]; ++i)
        {
            seen = spMaxInt(seen, level->aggregates[i] + 1);
        }
        bool isLast = patch == level->patchCount - 1;
        if (seen - coarse->patchBegin[count] >= SP_PATCH_ROWS || (isLast && seen > coarse->patchBegin[count]))
        {
            count += 1;
            coarse->patchBegin[count] = seen;
        }
    }
    coarse->patchCount = count;
    return true;
}

static void spSortRow(int32_t* columns, int count)
{
    for (int k = 1; k < count; ++k)
    {
        int32_t column = columns[k];
        int place = k;
        for (; place > 0 && columns[place - 1] > column; --place)
        {
            columns[place] = columns[place - 1];
        }
        columns[place] = column;
    }
}

// Lists in each row what is in any of some lists of columns. First it is called without columns to write to,
// and counts.
typedef void spUnionFcn(const spLevel* level, int row, int32_t* marks, int32_t* columns, int* count);

// Adds a column to a row, once. marks holds for each column the row that had it last.
static inline void spAddColumn(int32_t* marks, int row, int column, int32_t* columns, int* count)
{
    if (marks[column] != row)
    {
        marks[column] = row;
        if (columns != NULL)
        {
            columns[*count] = column;
        }
        *count += 1;
    }
}

// P: the aggregates of a row and of its neighbours
static void spAddMoveColumns(const spLevel* level, int row, int32_t* marks, int32_t* columns, int* count)
{
    if (level->aggregates[row] >= 0)
    {
        spAddColumn(marks, row, level->aggregates[row], columns, count);
        for (int k = level->begin[row]; k < level->begin[row + 1]; ++k)
        {
            spAddColumn(marks, row, level->aggregates[level->columns[k]], columns, count);
        }
    }
}

// A P
static void spAddMixedColumns(const spLevel* level, int row, int32_t* marks, int32_t* columns, int* count)
{
    for (int k = level->begin[row]; k <= level->begin[row + 1]; ++k)
    {
        int j = k < level->begin[row + 1] ? level->columns[k] : row;
        for (int e = level->moveBegin[j]; e < level->moveBegin[j + 1]; ++e)
        {
            spAddColumn(marks, row, level->moveColumns[e], columns, count);
        }
    }
}

// P^T A P without the diagonal
static void spAddCoarseColumns(const spLevel* level, int row, int32_t* marks, int32_t* columns, int* count)
{
    marks[row] = row;
    for (int k = level->membersBegin[row]; k < level->membersBegin[row + 1]; ++k)
    {
        int i = level->members[k];
        for (int e = level->mixedBegin[i]; e < level->mixedBegin[i + 1]; ++e)
        {
            spAddColumn(marks, row, level->mixedColumns[e], columns, count);
        }
    }
}

static bool spMakePattern(spMultilevel* m, const spLevel* level, int rowCount, int columnCount,
                          spUnionFcn* fcn, int32_t** begin, int32_t** columns)
{
    *begin = spTakeArray(m, (int64_t)rowCount + 1, sizeof(int32_t));
    if (*begin == NULL)
    {
        return false;
    }
    for (int round = 0; round < 2; ++round)
    {
        for (int c = 0; c < columnCount; ++c)
        {
            m->places[c] = -1;
        }
        int count = 0;
        for (int i = 0; i < rowCount; ++i)
        {
            int first = count;
            fcn(level, i, m->places, round == 0 ? NULL : *columns, &count);
            if (round == 1)
            {
                spSortRow(*columns + first, count - first);
            }
            (*begin)[i + 1] = count;
        }
        *columns = round == 0 ? spTakeArray(m, count, sizeof(int32_t)) : *columns;
        if (*columns == NULL)
        {
            return false;
        }
    }
    return true;
}

// P by columns
static bool spListMembers(spMultilevel* m, spLevel* level, int coarseCount)
{
    int count = level->moveBegin[level->rowCount];
    level->membersBegin = spTakeArray(m, (int64_t)coarseCount + 1, sizeof(int32_t));
    level->members = spTakeArray(m, count, sizeof(int32_t));
    level->memberPlaces = spTakeArray(m, count, sizeof(int32_t));
    if (level->membersBegin == NULL || level->members == NULL || level->memberPlaces == NULL)
    {
        return false;
    }
    for (int k = 0; k < count; ++k)
    {
        level->membersBegin[level->moveColumns[k] + 1] += 1;
    }
    for (int a = 0; a < coarseCount; ++a)
    {
        level->membersBegin[a + 1] += level->membersBegin[a];
        m->places[a] = level->membersBegin[a];
    }
    for (int i = 0; i < level->rowCount; ++i)
    {
        for (int k = level->moveBegin[i]; k < level->moveBegin[i + 1]; ++k)
        {
            int place = m->places[level->moveColumns[k]]++;
            level->members[place] = i;
            level->memberPlaces[place] = k;
        }
    }
    return true;
}

static bool spMakeNextLevel(spMultilevel* m, spLevel* level, spLevel* coarse, int count)
{
    *coarse = (spLevel){.rowCount = count, .width = 6, .stride = 8};
    if (spMakePatches(m, level, coarse) == false ||
        spMakePattern(m, level, level->rowCount, count, spAddMoveColumns, &level->moveBegin,
                      &level->moveColumns) == false ||
        spMakePattern(m, level, level->rowCount, count, spAddMixedColumns, &level->mixedBegin,
                      &level->mixedColumns) == false ||
        spListMembers(m, level, count) == false ||
        spMakePattern(m, level, count, count, spAddCoarseColumns, &coarse->begin, &coarse->columns) == false)
    {
        return false;
    }
    int64_t moveSize = 6 * (int64_t)level->width;
    level->moves = spTakeArray(m, level->moveBegin[level->rowCount] * moveSize + 8, sizeof(spReal));
    return level->moves != NULL && spFinishLevel(m, coarse);
}

// Scratch memory, and the inverse of the last level
static bool spFinishLevels(spMultilevel* m)
{
    int largest = 0;
    for (int l = 0; l + 1 < m->levelCount; ++l)
    {
        const spLevel* level = m->levels + l;
        for (int i = 0; i < level->rowCount; ++i)
        {
            largest = spMaxInt(largest, (level->mixedBegin[i + 1] - level->mixedBegin[i]) * level->width);
        }
    }
    m->mixed = spTakeArray(m, largest, sizeof(spOct));
    const spLevel* last = m->levels + m->levelCount - 1;
    m->isDense = m->levelCount > 1 && last->rowCount <= SP_LAST_ROWS;
    int64_t n = m->isDense ? last->rowCount : 0;
    m->dense = spTakeArray(m, 36 * n * n + 6 * n, sizeof(double));
    m->solve = spTakeArray(m, 64 * n * n, sizeof(spReal));
    return m->mixed != NULL && m->dense != NULL && m->solve != NULL;
}

bool spMakeLevels(spMultilevel* m)
{
    m->places = spTakeArray(m, m->pattern->nodeCount, sizeof(int32_t));
    if (m->places == NULL || spMakeFirstLevel(m) == false)
    {
        return false;
    }
    m->levelCount = 1;
    while (m->levelCount < SP_MAX_MULTILEVELS)
    {
        spLevel* level = m->levels + m->levelCount - 1;
        if (m->levelCount > 1 && level->rowCount <= SP_LAST_ROWS)
        {
            break;
        }
        level->aggregates = spTakeArray(m, level->rowCount, sizeof(int32_t));
        if (level->aggregates == NULL)
        {
            return false;
        }
        int count = spFindAggregates(level, m->places);
        if (count == 0)
        {
            break;
        }
        if (spMakeNextLevel(m, level, level + 1, count) == false)
        {
            return false;
        }
        m->levelCount += 1;
    }
    return spFinishLevels(m);
}
