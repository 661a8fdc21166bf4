// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "linear/rows.h"

bool spCreateRows(spBlockRows* rows, spHeap* heap, int nodeCount, int blockCount)
{
    *rows = (spBlockRows){.nodeCount = nodeCount, .blockCount = blockCount};
    rows->begin = spAllocZeroed(heap, spArraySize((int64_t)nodeCount + 1, sizeof(int32_t)));
    rows->columns = spAllocZeroed(heap, spArraySize(blockCount, sizeof(int32_t)));
    rows->blocks = spAllocZeroed(heap, spArraySize(blockCount, sizeof(spMat3)));
    rows->diagonal = spAllocZeroed(heap, spArraySize(nodeCount, sizeof(spMat3)));
    bool blocks = blockCount == 0 || (rows->columns != NULL && rows->blocks != NULL);
    if (blocks == false || rows->begin == NULL || rows->diagonal == NULL)
    {
        spDestroyRows(rows, heap);
        return false;
    }
    return true;
}

void spDestroyRows(spBlockRows* rows, spHeap* heap)
{
    spFree(heap, rows->begin);
    spFree(heap, rows->columns);
    spFree(heap, rows->blocks);
    spFree(heap, rows->diagonal);
    *rows = (spBlockRows){0};
}

bool spAreRowsSound(const spBlockRows* rows)
{
    bool sound = rows->begin[0] == 0 && rows->begin[rows->nodeCount] == rows->blockCount;
    for (int row = 0; sound && row < rows->nodeCount; ++row)
    {
        sound = rows->begin[row] <= rows->begin[row + 1] && rows->begin[row + 1] <= rows->blockCount;
        for (int k = rows->begin[row]; sound && k < rows->begin[row + 1]; ++k)
        {
            int least = k > rows->begin[row] ? rows->columns[k - 1] + 1 : 0;
            sound = rows->columns[k] >= least && rows->columns[k] < row;
        }
    }
    return sound;
}
