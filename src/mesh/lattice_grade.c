// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Large cells as in section 3 of Labelle and Shewchuk: every face is shared by two middles. Between two
// cells of one size the tets stand around the line from middle to middle, one at each piece of the rim of
// the face; from a small cell to a large one the face is cut into triangles from the corner that is the
// middle of the large face, and each is a tet with both middles.

#include "mesh/lattice_grade.h"

#include "base/error.h"
#include "mesh/mesh_math.h"

#include <string.h>

#define SP_MOST_GRADES 20

void spFreeLatticeGrade(spHeap* heap, spLatticeGrade* grade)
{
    spFree(heap, grade->levels);
    *grade = (spLatticeGrade){0};
}

static int64_t spGetCell(const spLattice* lattice, int x, int y, int z)
{
    return ((int64_t)x * lattice->cells[1] + y) * lattice->cells[2] + z;
}

// -1 outside of the lattice
static int spGetLevel(const spLatticeGrade* grade, int x, int y, int z)
{
    const int* cells = grade->lattice->cells;
    bool there = x >= 0 && y >= 0 && z >= 0 && x < cells[0] && y < cells[1] && z < cells[2];
    return there ? grade->levels[spGetCell(grade->lattice, x, y, z)] : -1;
}

// ---- how deep ----

// Whether a cell and all its corners are inside, where they were before
static bool spIsSolid(const spCutLattice* cut, int x, int y, int z)
{
    const spLattice* lattice = &cut->lattice;
    bool solid = cut->sides[spFindLatticePoint(lattice, 1, x, y, z)] == sp_inside;
    for (int i = 0; solid && i < 8; ++i)
    {
        solid = cut->sides[spFindLatticePoint(lattice, 0, x + (i & 1), y + (i >> 1 & 1), z + (i >> 2))] ==
                sp_inside;
    }
    return solid;
}

// Smallest depth of the 13 cells around that come before a cell, or of those behind it
static int spGetNeighbourDepth(const spLattice* lattice, const uint16_t* depths, const int cell[3], int sign)
{
    int least = UINT16_MAX - 1;
    for (int i = 0; i < 13; ++i)
    {
        int x = cell[0] + sign * (i / 9 - 1), y = cell[1] + sign * (i / 3 % 3 - 1),
            z = cell[2] + sign * (i % 3 - 1);
        const int* cells = lattice->cells;
        bool there = x >= 0 && y >= 0 && z >= 0 && x < cells[0] && y < cells[1] && z < cells[2];
        int depth = there ? depths[spGetCell(lattice, x, y, z)] : 0;
        least = depth < least ? depth : least;
    }
    return least;
}

// Cells from each solid cell to the nearest that is not, over faces, edges and corners; 0 for one that is
// not solid
static void spFindDepths(const spCutLattice* cut, uint16_t* depths)
{
    const spLattice* lattice = &cut->lattice;
    const int* cells = lattice->cells;
    int64_t count = (int64_t)cells[0] * cells[1] * cells[2];
    for (int pass = 0; pass < 2; ++pass)
    {
        for (int64_t i = 0; i < count; ++i)
        {
            int64_t index = pass == 0 ? i : count - 1 - i;
            int cell[3] = {(int)(index / cells[2] / cells[1]), (int)(index / cells[2] % cells[1]),
                           (int)(index % cells[2])};
            int depth = pass == 0 ? UINT16_MAX : depths[index];
            if (pass == 0 && spIsSolid(cut, cell[0], cell[1], cell[2]) == false)
            {
                depth = 0;
            }
            int beside = depth > 0 ? spGetNeighbourDepth(lattice, depths, cell, pass == 0 ? 1 : -1) + 1 : 0;
            depths[index] = (uint16_t)(beside < depth ? beside : depth);
        }
    }
}

// ---- how large ----

// Whether the cells of a block are deep enough, and those around it at least half as large
static bool spCanMerge(const spLatticeGrade* grade, const uint16_t* depths, const int block[3], int level,
                       double depth)
{
    int size = 1 << level, half = size / 2;
    const int* cells = grade->lattice->cells;
    for (int i = 0; i < 3; ++i)
    {
        if (block[i] + size > cells[i])
        {
            return false;
        }
    }
    bool fits = true;
    for (int i = 0; fits && i < 64; ++i)
    {
        fits = spGetLevel(grade, block[0] + half * (i / 16 - 1), block[1] + half * (i / 4 % 4 - 1),
                          block[2] + half * (i % 4 - 1)) >= level - 1;
    }
    for (int x = block[0]; fits && x < block[0] + size; ++x)
    {
        for (int y = block[1]; fits && y < block[1] + size; ++y)
        {
            for (int z = block[2]; fits && z < block[2] + size; ++z)
            {
                fits = depths[spGetCell(grade->lattice, x, y, z)] >= depth;
            }
        }
    }
    return fits;
}

static void spMerge(spLatticeGrade* grade, const int block[3], int level)
{
    int size = 1 << level;
    for (int x = block[0]; x < block[0] + size; ++x)
    {
        for (int y = block[1]; y < block[1] + size; ++y)
        {
            memset(grade->levels + spGetCell(grade->lattice, x, y, block[2]), level, (size_t)size);
        }
    }
}

// Blocks of one level look at smaller ones alone, so that their order does not count. Returns whether there
// are any.
static bool spMergeLevel(spLatticeGrade* grade, const uint16_t* depths, int level, double growth)
{
    int size = 1 << level, block[3];
    const int* cells = grade->lattice->cells;
    double depth = fmax(2.0, (size - 1) / growth);
    bool any = false;
    for (block[0] = 0; block[0] < cells[0]; block[0] += size)
    {
        for (block[1] = 0; block[1] < cells[1]; block[1] += size)
        {
            for (block[2] = 0; block[2] < cells[2]; block[2] += size)
            {
                if (spCanMerge(grade, depths, block, level, depth))
                {
                    spMerge(grade, block, level);
                    any = true;
                }
            }
        }
    }
    return any;
}

bool spGradeLattice(spHeap* heap, const spCutLattice* cut, double growth, spLatticeGrade* grade,
                    spError* error)
{
    *grade = (spLatticeGrade){.lattice = &cut->lattice};
    if (growth == 0.0)
    {
        return true;
    }
    const int* cells = cut->lattice.cells;
    int64_t count = (int64_t)cells[0] * cells[1] * cells[2];
    uint16_t* depths = spAlloc(heap, spArraySize(count, sizeof(uint16_t)));
    grade->levels = spAllocZeroed(heap, spArraySize(count, sizeof(int8_t)));
    bool ok = depths != NULL && grade->levels != NULL;
    if (ok)
    {
        spFindDepths(cut, depths);
        for (int level = 1; level <= SP_MOST_GRADES && spMergeLevel(grade, depths, level, growth); ++level)
        {
        }
    }
    spFree(heap, depths);
    if (ok == false)
    {
        spFreeLatticeGrade(heap, grade);
    }
    return ok || spFailMemory(error, "a lattice", spArraySize(count, sizeof(uint16_t)));
}

// ---- tets ----

bool spIsPlainFace(const spLatticeGrade* grade, const int cell[3], int axis)
{
    int next[3] = {cell[0], cell[1], cell[2]};
    next[axis] += 1;
    return grade->levels == NULL || (spGetLevel(grade, cell[0], cell[1], cell[2]) <= 0 &&
                                     spGetLevel(grade, next[0], next[1], next[2]) <= 0);
}

// The point in the middle of the large cell that a cell is part of
static int spGetMiddlePoint(const spLatticeGrade* grade, const int cell[3], int level)
{
    int first[3];
    for (int i = 0; i < 3; ++i)
    {
        first[i] = cell[i] >> level << level;
    }
    int half = level > 0 ? 1 << (level - 1) : 0;
    return spFindLatticePoint(grade->lattice, level > 0 ? 0 : 1, first[0] + half, first[1] + half,
                              first[2] + half);
}

// Whether one of the cells around an edge is smaller than it is long: then its middle is a corner of that
// cell
static bool spIsHalved(const spLatticeGrade* grade, const int middle[3], int along, int level)
{
    int a = (along + 1) % 3, b = (along + 2) % 3;
    bool halved = false;
    for (int i = 0; !halved && i < 4; ++i)
    {
        int cell[3] = {middle[0], middle[1], middle[2]};
        cell[a] -= i & 1;
        cell[b] -= i >> 1;
        halved = spGetLevel(grade, cell[0], cell[1], cell[2]) < level;
    }
    return halved;
}

// Points around a face from one of its corners on: corners, and middles of edges where there are smaller
// cells. corner: the first one of the face, with the smallest coordinates; start: 0 to 3 around the axis.
// Returns how many.
static int spGetRim(const spLatticeGrade* grade, const int corner[3], int axis, int level, int start,
                    int rim[8])
{
    static const int ring[5][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 0}};
    int size = 1 << level, a = (axis + 1) % 3, b = (axis + 2) % 3, count = 0;
    for (int i = 0; i < 4; ++i)
    {
        int k = (start + i) % 4;
        int at[3] = {corner[0], corner[1], corner[2]};
        at[a] += size * ring[k][0];
        at[b] += size * ring[k][1];
        rim[count++] = spFindLatticePoint(grade->lattice, 0, at[0], at[1], at[2]);
        int along = ring[k][0] != ring[k + 1][0] ? a : b;
        at[along] += size / 2 * (ring[k + 1][along == a ? 0 : 1] - ring[k][along == a ? 0 : 1]);
        if (level > 0 && spIsHalved(grade, at, along, level))
        {
            rim[count++] = spFindLatticePoint(grade->lattice, 0, at[0], at[1], at[2]);
        }
    }
    return count;
}

static void spPutPoints(int tet[4], int a, int b, int c, int d)
{
    tet[0] = a;
    tet[1] = b;
    tet[2] = c;
    tet[3] = d;
}

int spGetGradedTets(const spLatticeGrade* grade, const int cell[3], int face, int tets[SP_GRADED_TETS][4])
{
    int axis = face / 2, level = spGetLevel(grade, cell[0], cell[1], cell[2]), size = 1 << level;
    int corner[3] = {cell[0], cell[1], cell[2]}, across[3] = {cell[0], cell[1], cell[2]};
    corner[axis] += face & 1 ? size : 0;
    across[axis] += face & 1 ? size : -1;
    int other = spGetLevel(grade, across[0], across[1], across[2]);
    bool first = ((cell[0] | cell[1] | cell[2]) & (size - 1)) == 0;
    bool plain = level <= 0 && other <= 0;
    if (first == false || plain || other < level || (other == level && (face & 1) == 0))
    {
        return 0;
    }
    int middle = spGetMiddlePoint(grade, cell, level), second = spGetMiddlePoint(grade, across, other);
    int rim[8], count = 0;
    if (other == level)
    {
        int pieces = spGetRim(grade, corner, axis, level, 0, rim);
        for (int i = 0; i < pieces; ++i)
        {
            spPutPoints(tets[count++], rim[i], rim[(i + 1) % pieces], middle, second);
        }
        return count;
    }
    // The middle of the large face is the corner at which this quarter of it lies
    bool upperA = (corner[(axis + 1) % 3] & size) != 0, upperB = (corner[(axis + 2) % 3] & size) != 0;
    int start = upperA ? (upperB ? 0 : 3) : (upperB ? 1 : 2);
    int pieces = spGetRim(grade, corner, axis, level, start, rim);
    for (int i = 1; i + 1 < pieces; ++i)
    {
        spPutPoints(tets[count++], rim[0], rim[i], rim[i + 1], middle);
        spPutPoints(tets[count++], rim[0], rim[i], rim[i + 1], second);
    }
    return count;
}
