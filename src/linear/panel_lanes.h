// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Substitution with panels for SP_LANES lanes. Included once per width by panels<n>.c, which is compiled for
// the processor level that has them.

#include "math/lanes_node.h"

#include "linear/panels.h"

// Vectors that sixteen numbers take
#define SP_PARTS (SP_BLOCK / SP_LANES)

// Four columns of sixteen rows
#define SP_STRIP_TILE (4 * SP_BLOCK)

// Before a loop over sixteen sums that must stay in registers
#if defined(__clang__)
#define SP_UNROLL_BLOCK _Pragma("clang loop unroll(full)")
#else
#define SP_UNROLL_BLOCK _Pragma("GCC unroll 16")
#endif

typedef struct RRow
{
    R of[SP_PARTS];
} RRow;

extern const spPanelLanes SP_LANES_NAME(spPanelLanes);

SP_KERNEL RRow spZeroRow(void)
{
    RRow row;
    for (int p = 0; p < SP_PARTS; ++p)
    {
        row.of[p] = spSplat(0);
    }
    return row;
}

SP_KERNEL RRow spLoadRow(const spReal* a)
{
    RRow row;
    for (int p = 0; p < SP_PARTS; ++p)
    {
        row.of[p] = spLoad(a + p * SP_LANES);
    }
    return row;
}

SP_KERNEL void spStoreRow(spReal* a, RRow row)
{
    memcpy(__builtin_assume_aligned(a, SP_LANES * sizeof(spReal)), &row, sizeof(row));
}

SP_KERNEL RRow spMulAddRow(RRow sum, R scale, const spReal* a)
{
    for (int p = 0; p < SP_PARTS; ++p)
    {
        sum.of[p] = sum.of[p] + scale * spLoad(a + p * SP_LANES);
    }
    return sum;
}

SP_KERNEL RRow spSubRow(RRow a, RRow b)
{
    for (int p = 0; p < SP_PARTS; ++p)
    {
        a.of[p] = a.of[p] - b.of[p];
    }
    return a;
}

// Sixteen numbers to four: number i, i + 8, i + 4, i + 12
SP_KERNEL spQuad spFoldRow(RRow a)
{
#if SP_LANES == 1
    spQuad sum;
    for (int i = 0; i < 4; ++i)
    {
        sum[i] = (a.of[i] + a.of[i + 8]) + (a.of[i + 4] + a.of[i + 12]);
    }
    return sum;
#elif SP_LANES == 4
    return (a.of[0] + a.of[2]) + (a.of[1] + a.of[3]);
#else
#if SP_LANES == 8
    spOctet sum = a.of[0] + a.of[1];
#else
    spOctet sum = __builtin_shufflevector(a.of[0], a.of[0], 0, 1, 2, 3, 4, 5, 6, 7) +
                  __builtin_shufflevector(a.of[0], a.of[0], 8, 9, 10, 11, 12, 13, 14, 15);
#endif
    return __builtin_shufflevector(sum, sum, 0, 1, 2, 3) + __builtin_shufflevector(sum, sum, 4, 5, 6, 7);
#endif
}

// The sums of four rows of sixteen numbers
SP_KERNEL spQuad spSumRows(const RRow* rows)
{
    spQuad a = spFoldRow(rows[0]), b = spFoldRow(rows[1]), c = spFoldRow(rows[2]), d = spFoldRow(rows[3]);
    spQuad ab = __builtin_shufflevector(a, b, 0, 1, 4, 5) + __builtin_shufflevector(a, b, 2, 3, 6, 7);
    spQuad cd = __builtin_shufflevector(c, d, 0, 1, 4, 5) + __builtin_shufflevector(c, d, 2, 3, 6, 7);
    return __builtin_shufflevector(ab, cd, 0, 2, 4, 6) + __builtin_shufflevector(ab, cd, 1, 3, 5, 7);
}

// One panel: its tiles from the diagonal one down
typedef struct spPanel
{
    const spReal* numbers;
    int64_t stripStride; // numbers from one strip to the next
    int tileCount;
    int width;
    int stripCount;
} spPanel;

SP_KERNEL spPanel spGetPanel(const spPanels* panels, int supernode, int panel, int columnCount, int tileCount)
{
    // The panels before it have sixteen columns
    int64_t tilesBefore = (int64_t)panel * tileCount - (int64_t)panel * (panel - 1) / 2;
    int width = spMinInt(SP_BLOCK, columnCount - panel * SP_BLOCK);
    return (spPanel){
        .numbers = panels->numbers + panels->numberBegin[supernode] + tilesBefore * SP_BLOCK * SP_BLOCK,
        .stripStride = (int64_t)(tileCount - panel) * SP_STRIP_TILE,
        .tileCount = tileCount - panel,
        .width = width,
        .stripCount = (width + 3) / 4,
    };
}

// Sixteen rows of a panel times one number for each column
SP_KERNEL RRow spMulTile(const spPanel* panel, int tile, const spReal* in)
{
    RRow sum = spZeroRow();
    const spReal* numbers = panel->numbers + (int64_t)tile * SP_STRIP_TILE;
    for (int strip = 0; strip < panel->stripCount; ++strip)
    {
        SP_UNROLL
        for (int j = 0; j < 4; ++j)
        {
            sum = spMulAddRow(sum, spSplat(in[4 * strip + j]), numbers + j * SP_BLOCK);
        }
        numbers += panel->stripStride;
    }
    return sum;
}

// The transpose of tiles [begin, end) of a strip times their rows
SP_KERNEL spQuad spMulStrip(const spPanel* panel, int strip, int begin, int end, const spReal* y)
{
    RRow sums[4] = {spZeroRow(), spZeroRow(), spZeroRow(), spZeroRow()};
    const spReal* numbers = panel->numbers + strip * panel->stripStride;
    for (int tile = begin; tile < end; ++tile)
    {
        RRow row = spLoadRow(y + (int64_t)tile * SP_BLOCK);
        SP_UNROLL
        for (int j = 0; j < 4; ++j)
        {
            const spReal* column = numbers + (int64_t)tile * SP_STRIP_TILE + j * SP_BLOCK;
            for (int p = 0; p < SP_PARTS; ++p)
            {
                sums[j].of[p] = sums[j].of[p] + spLoad(column + p * SP_LANES) * row.of[p];
            }
        }
    }
    return spSumRows(sums);
}

static void spSolveForward(const spPanels* panels, spReal* x, spReal* local)
{
    for (int s = 0; s < panels->supernodeCount; ++s)
    {
        const int32_t* rows = panels->rows + panels->rowBegin[s];
        int first = panels->columnBegin[s], columnCount = panels->columnBegin[s + 1] - first;
        int belowCount = (int)(panels->rowBegin[s + 1] - panels->rowBegin[s]);
        int tileCount = (columnCount + belowCount + SP_BLOCK - 1) / SP_BLOCK;
        memcpy(local, x + first, (size_t)columnCount * sizeof(spReal));
        memset(local + columnCount, 0, (size_t)(tileCount * SP_BLOCK - columnCount) * sizeof(spReal));
        for (int k = 0; k * SP_BLOCK < columnCount; ++k)
        {
            spPanel panel = spGetPanel(panels, s, k, columnCount, tileCount);
            spReal* y = local + k * SP_BLOCK;
            _Alignas(SP_CACHE_LINE) spReal in[SP_BLOCK] = {0}, out[SP_BLOCK];
            memcpy(in, y, (size_t)panel.width * sizeof(spReal));
            spStoreRow(out, spMulTile(&panel, 0, in));
            for (int i = 0; i < panel.width; ++i)
            {
                y[i] = in[i] = out[i];
            }
            for (int i = panel.width; i < SP_BLOCK; ++i)
            {
                y[i] -= out[i];
            }
            for (int tile = 1; tile < panel.tileCount; ++tile)
            {
                spReal* row = y + (int64_t)tile * SP_BLOCK;
                spStoreRow(row, spSubRow(spLoadRow(row), spMulTile(&panel, tile, in)));
            }
        }
        memcpy(x + first, local, (size_t)columnCount * sizeof(spReal));
        for (int i = 0; i < belowCount; ++i)
        {
            x[rows[i]] += local[columnCount + i];
        }
    }
}

static void spSolveBackward(const spPanels* panels, spReal* x, spReal* local)
{
    for (int s = panels->supernodeCount - 1; s >= 0; --s)
    {
        const int32_t* rows = panels->rows + panels->rowBegin[s];
        int first = panels->columnBegin[s], columnCount = panels->columnBegin[s + 1] - first;
        int belowCount = (int)(panels->rowBegin[s + 1] - panels->rowBegin[s]);
        int tileCount = (columnCount + belowCount + SP_BLOCK - 1) / SP_BLOCK;
        memcpy(local, x + first, (size_t)columnCount * sizeof(spReal));
        for (int i = 0; i < belowCount; ++i)
        {
            local[columnCount + i] = x[rows[i]];
        }
        for (int i = columnCount + belowCount; i < tileCount * SP_BLOCK; ++i)
        {
            local[i] = 0;
        }
        for (int k = (columnCount - 1) / SP_BLOCK; k >= 0; --k)
        {
            spPanel panel = spGetPanel(panels, s, k, columnCount, tileCount);
            spReal* y = local + k * SP_BLOCK;
            _Alignas(SP_CACHE_LINE) spReal in[SP_BLOCK], sums[SP_BLOCK];
            for (int strip = 0; strip < panel.stripCount; ++strip)
            {
                spQuad sum = spMulStrip(&panel, strip, 1, panel.tileCount, y);
                memcpy(sums + 4 * strip, &sum, sizeof(sum));
            }
            for (int i = 0; i < SP_BLOCK; ++i)
            {
                in[i] = i < panel.width ? y[i] - sums[i] : -y[i];
            }
            for (int strip = 0; strip < panel.stripCount; ++strip)
            {
                spQuad sum = spMulStrip(&panel, strip, 0, 1, in);
                memcpy(sums + 4 * strip, &sum, sizeof(sum));
            }
            memcpy(y, sums, (size_t)panel.width * sizeof(spReal));
        }
        memcpy(x + first, local, (size_t)columnCount * sizeof(spReal));
    }
}

static void SP_LANES_NAME(spSolvePanels)(const spPanels* panels, spReal* x, spReal* local)
{
    spSolveForward(panels, x, local);
    spSolveBackward(panels, x, local);
}

// Many right-hand sides: a row is sixteen of them. The sums are those of one right-hand side.

// Rows of a tile that are worked on at once, and columns of a strip: as many sums as there are registers for
#define SP_TILE_ROWS 8
#define SP_STRIP_ROWS 4
#if SP_LANES == 16
#define SP_STRIP_COLUMNS 4
#else
#define SP_STRIP_COLUMNS 2
#endif

// SP_TILE_ROWS rows of a tile, from `first` on, times the columns' numbers
SP_KERNEL void spMulTileRows(const spPanel* panel, int tile, int first, const spReal* in, R* sums)
{
    SP_UNROLL_BLOCK
    for (int i = 0; i < SP_TILE_ROWS; ++i)
    {
        sums[i] = spSplat(0);
    }
    const spReal* numbers = panel->numbers + (int64_t)tile * SP_STRIP_TILE + first;
    for (int j = 0; j < 4 * panel->stripCount; ++j)
    {
        const spReal* column = numbers + (j >> 2) * panel->stripStride + (j & 3) * SP_BLOCK;
        R row = spLoad(in + j * SP_PANEL_COLUMNS);
        SP_UNROLL_BLOCK
        for (int i = 0; i < SP_TILE_ROWS; ++i)
        {
            sums[i] = sums[i] + spSplat(column[i]) * row;
        }
    }
}

// Part of the transpose of tiles [begin, end) of a strip times their rows: SP_STRIP_ROWS rows of each tile
SP_KERNEL void spMulStripPart(const spReal* numbers, int begin, int end, const spReal* y, R* parts)
{
    R sums[SP_STRIP_COLUMNS][SP_STRIP_ROWS];
    SP_UNROLL
    for (int j = 0; j < SP_STRIP_COLUMNS; ++j)
    {
        SP_UNROLL
        for (int i = 0; i < SP_STRIP_ROWS; ++i)
        {
            sums[j][i] = spSplat(0);
        }
    }
    for (int tile = begin; tile < end; ++tile)
    {
        const spReal* tileRows = y + (int64_t)tile * SP_BLOCK * SP_PANEL_COLUMNS;
        const spReal* columns = numbers + (int64_t)tile * SP_STRIP_TILE;
        SP_UNROLL
        for (int i = 0; i < SP_STRIP_ROWS; ++i)
        {
            R row = spLoad(tileRows + i * SP_PANEL_COLUMNS);
            SP_UNROLL
            for (int j = 0; j < SP_STRIP_COLUMNS; ++j)
            {
                sums[j][i] = sums[j][i] + spSplat(columns[j * SP_BLOCK + i]) * row;
            }
        }
    }
    SP_UNROLL
    for (int j = 0; j < SP_STRIP_COLUMNS; ++j)
    {
        SP_UNROLL
        for (int i = 0; i < SP_STRIP_ROWS; ++i)
        {
            parts[j * SP_BLOCK + i] = sums[j][i];
        }
    }
}

// The transpose of tiles [begin, end) of a strip times their rows
SP_KERNEL void spMulStripRows(const spPanel* panel, int strip, int begin, int end, const spReal* y, R* sums)
{
    R parts[4 * SP_BLOCK];
    for (int j = 0; j < 4; j += SP_STRIP_COLUMNS)
    {
        for (int i = 0; i < SP_BLOCK; i += SP_STRIP_ROWS)
        {
            const spReal* numbers = panel->numbers + strip * panel->stripStride + j * SP_BLOCK + i;
            spMulStripPart(numbers, begin, end, y + i * SP_PANEL_COLUMNS, parts + j * SP_BLOCK + i);
        }
    }
    for (int j = 0; j < 4; ++j)
    {
        R four[4];
        for (int i = 0; i < 4; ++i)
        {
            const R* part = parts + j * SP_BLOCK + i;
            four[i] = (part[0] + part[8]) + (part[4] + part[12]);
        }
        sums[j] = (four[0] + four[2]) + (four[1] + four[3]);
    }
}

SP_KERNEL void spStoreLanes(spReal* a, R value)
{
    memcpy(__builtin_assume_aligned(a, SP_LANES * sizeof(spReal)), &value, sizeof(value));
}

// Right-hand sides of a few nodes have nothing in most of the columns
static bool spAreRowsZero(const spReal* x, int rowCount)
{
    bool zero = true;
    for (int i = 0; i < rowCount && zero; ++i)
    {
        for (int k = 0; k < SP_PANEL_COLUMNS; ++k)
        {
            zero = zero && x[(size_t)i * SP_PANEL_COLUMNS + (size_t)k] == 0;
        }
    }
    return zero;
}

static void spSolveForwardMany(const spPanels* panels, spReal* x, spReal* local)
{
    const size_t rowSize = SP_PANEL_COLUMNS * sizeof(spReal);
    for (int s = 0; s < panels->supernodeCount; ++s)
    {
        const int32_t* rows = panels->rows + panels->rowBegin[s];
        int first = panels->columnBegin[s], columnCount = panels->columnBegin[s + 1] - first;
        if (spAreRowsZero(x + (size_t)first * SP_PANEL_COLUMNS, columnCount))
        {
            continue;
        }
        int belowCount = (int)(panels->rowBegin[s + 1] - panels->rowBegin[s]);
        int tileCount = (columnCount + belowCount + SP_BLOCK - 1) / SP_BLOCK;
        memcpy(local, x + (size_t)first * SP_PANEL_COLUMNS, (size_t)columnCount * rowSize);
        memset(local + (size_t)columnCount * SP_PANEL_COLUMNS, 0,
               (size_t)(tileCount * SP_BLOCK - columnCount) * rowSize);
        for (int k = 0; k * SP_BLOCK < columnCount; ++k)
        {
            spPanel panel = spGetPanel(panels, s, k, columnCount, tileCount);
            spReal* y = local + (size_t)k * SP_BLOCK * SP_PANEL_COLUMNS;
            _Alignas(SP_CACHE_LINE) spReal in[SP_BLOCK * SP_PANEL_COLUMNS] = {0};
            memcpy(in, y, (size_t)panel.width * rowSize);
            for (int c = 0; c < SP_PANEL_COLUMNS; c += SP_LANES)
            {
                for (int half = 0; half < SP_BLOCK; half += SP_TILE_ROWS)
                {
                    R products[SP_TILE_ROWS];
                    spMulTileRows(&panel, 0, half, in + c, products);
                    for (int i = 0; i < SP_TILE_ROWS; ++i)
                    {
                        spReal* row = y + (half + i) * SP_PANEL_COLUMNS + c;
                        spStoreLanes(row, half + i < panel.width ? products[i] : spLoad(row) - products[i]);
                    }
                }
            }
            memcpy(in, y, (size_t)panel.width * rowSize);
            for (int tile = 1; tile < panel.tileCount; ++tile)
            {
                for (int c = 0; c < SP_PANEL_COLUMNS; c += SP_LANES)
                {
                    for (int half = 0; half < SP_BLOCK; half += SP_TILE_ROWS)
                    {
                        R products[SP_TILE_ROWS];
                        spMulTileRows(&panel, tile, half, in + c, products);
                        spReal* rowsOfTile = y + ((int64_t)tile * SP_BLOCK + half) * SP_PANEL_COLUMNS + c;
                        for (int i = 0; i < SP_TILE_ROWS; ++i)
                        {
                            spReal* row = rowsOfTile + i * SP_PANEL_COLUMNS;
                            spStoreLanes(row, spLoad(row) - products[i]);
                        }
                    }
                }
            }
        }
        memcpy(x + (size_t)first * SP_PANEL_COLUMNS, local, (size_t)columnCount * rowSize);
        for (int i = 0; i < belowCount; ++i)
        {
            for (int c = 0; c < SP_PANEL_COLUMNS; c += SP_LANES)
            {
                spReal* row = x + (size_t)rows[i] * SP_PANEL_COLUMNS + c;
                spStoreLanes(row,
                             spLoad(row) + spLoad(local + (size_t)(columnCount + i) * SP_PANEL_COLUMNS + c));
            }
        }
    }
}

static void spSolveBackwardMany(const spPanels* panels, spReal* x, spReal* local)
{
    const size_t rowSize = SP_PANEL_COLUMNS * sizeof(spReal);
    for (int s = panels->supernodeCount - 1; s >= 0; --s)
    {
        const int32_t* rows = panels->rows + panels->rowBegin[s];
        int first = panels->columnBegin[s], columnCount = panels->columnBegin[s + 1] - first;
        int belowCount = (int)(panels->rowBegin[s + 1] - panels->rowBegin[s]);
        int tileCount = (columnCount + belowCount + SP_BLOCK - 1) / SP_BLOCK;
        memcpy(local, x + (size_t)first * SP_PANEL_COLUMNS, (size_t)columnCount * rowSize);
        for (int i = 0; i < belowCount; ++i)
        {
            memcpy(local + (size_t)(columnCount + i) * SP_PANEL_COLUMNS,
                   x + (size_t)rows[i] * SP_PANEL_COLUMNS, rowSize);
        }
        memset(local + (size_t)(columnCount + belowCount) * SP_PANEL_COLUMNS, 0,
               (size_t)(tileCount * SP_BLOCK - columnCount - belowCount) * rowSize);
        for (int k = (columnCount - 1) / SP_BLOCK; k >= 0; --k)
        {
            spPanel panel = spGetPanel(panels, s, k, columnCount, tileCount);
            spReal* y = local + (size_t)k * SP_BLOCK * SP_PANEL_COLUMNS;
            _Alignas(SP_CACHE_LINE) spReal in[SP_BLOCK * SP_PANEL_COLUMNS];
            for (int c = 0; c < SP_PANEL_COLUMNS; c += SP_LANES)
            {
                R sums[SP_BLOCK];
                for (int strip = 0; strip < panel.stripCount; ++strip)
                {
                    spMulStripRows(&panel, strip, 1, panel.tileCount, y + c, sums + 4 * strip);
                }
                for (int i = 0; i < SP_BLOCK; ++i)
                {
                    R row = spLoad(y + i * SP_PANEL_COLUMNS + c);
                    spStoreLanes(in + i * SP_PANEL_COLUMNS + c, i < panel.width ? row - sums[i] : -row);
                }
                for (int strip = 0; strip < panel.stripCount; ++strip)
                {
                    spMulStripRows(&panel, strip, 0, 1, in + c, sums + 4 * strip);
                }
                for (int j = 0; j < panel.width; ++j)
                {
                    spStoreLanes(y + j * SP_PANEL_COLUMNS + c, sums[j]);
                }
            }
        }
        memcpy(x + (size_t)first * SP_PANEL_COLUMNS, local, (size_t)columnCount * rowSize);
    }
}

static void SP_LANES_NAME(spSolvePanelsMany)(const spPanels* panels, spReal* x, spReal* local)
{
    spSolveForwardMany(panels, x, local);
    spSolveBackwardMany(panels, x, local);
}

const spPanelLanes SP_LANES_NAME(spPanelLanes) = {
    .solve = SP_LANES_NAME(spSolvePanels),
    .solveMany = SP_LANES_NAME(spSolvePanelsMany),
};
