// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "mesh/lattice.h"

#include "mesh/mesh_math.h"

// Cells along one side: a whole one beyond each end of the box
static double spCountCells(double lower, double upper, double size)
{
    return floor((upper - lower) / size) + 3.0;
}

double spCountLatticePoints(spDVec3 lower, spDVec3 upper, double size)
{
    double x = spCountCells(lower.x, upper.x, size);
    double y = spCountCells(lower.y, upper.y, size);
    double z = spCountCells(lower.z, upper.z, size);
    return x * y * z + (x + 1.0) * (y + 1.0) * (z + 1.0);
}

spLattice spMakeLattice(spDVec3 lower, spDVec3 upper, double size)
{
    SP_ASSERT(spCountLatticePoints(lower, upper, size) <= SP_LATTICE_LIMIT);
    spLattice lattice = {.size = size};
    int* cells = lattice.cells;
    cells[0] = (int)spCountCells(lower.x, upper.x, size);
    cells[1] = (int)spCountCells(lower.y, upper.y, size);
    cells[2] = (int)spCountCells(lower.z, upper.z, size);
    lattice.cornerCount = (cells[0] + 1) * (cells[1] + 1) * (cells[2] + 1);
    lattice.pointCount = lattice.cornerCount + cells[0] * cells[1] * cells[2];
    spDVec3 extent = {cells[0] * size, cells[1] * size, cells[2] * size};
    lattice.origin = spDScale(0.5, spDSub(spDAdd(lower, upper), extent));
    return lattice;
}

// The grid that a point belongs to, and its place there
static int spFindPlace(const spLattice* lattice, int point, int place[3])
{
    int middle = point >= lattice->cornerCount ? 1 : 0;
    int rest = middle ? point - lattice->cornerCount : point;
    int ny = lattice->cells[1] + 1 - middle, nz = lattice->cells[2] + 1 - middle;
    place[2] = rest % nz;
    place[1] = rest / nz % ny;
    place[0] = rest / nz / ny;
    return middle;
}

int spFindLatticePoint(const spLattice* lattice, int middle, int i, int j, int k)
{
    int nx = lattice->cells[0] + 1 - middle, ny = lattice->cells[1] + 1 - middle;
    int nz = lattice->cells[2] + 1 - middle;
    bool there = i >= 0 && i < nx && j >= 0 && j < ny && k >= 0 && k < nz;
    return there ? (middle ? lattice->cornerCount : 0) + (i * ny + j) * nz + k : -1;
}

spDVec3 spGetLatticePoint(const spLattice* lattice, int point)
{
    int place[3];
    double offset = spFindPlace(lattice, point, place) ? 0.5 : 0.0;
    spDVec3 steps = {place[0] + offset, place[1] + offset, place[2] + offset};
    return spDMulAdd(lattice->origin, lattice->size, steps);
}

void spGetLatticeNeighbours(const spLattice* lattice, int point, int neighbours[SP_LATTICE_NEIGHBOURS])
{
    int place[3];
    int middle = spFindPlace(lattice, point, place);
    for (int i = 0; i < SP_LONG_NEIGHBOURS; ++i)
    {
        int to[3] = {place[0], place[1], place[2]};
        to[i / 2] += (i & 1) ? 1 : -1;
        neighbours[i] = spFindLatticePoint(lattice, middle, to[0], to[1], to[2]);
    }
    int back = 1 - middle; // the middle before a corner has a place that is one smaller
    for (int i = 0; i < 8; ++i)
    {
        neighbours[SP_LONG_NEIGHBOURS + i] =
            spFindLatticePoint(lattice, 1 - middle, place[0] - back + (i & 1), place[1] - back + (i >> 1 & 1),
                               place[2] - back + (i >> 2));
    }
}

bool spGetLatticeTets(const spLattice* lattice, const int cell[3], int axis, int tets[4][4], bool even[4])
{
    static const int ring[5][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 0}};
    int next[3] = {cell[0], cell[1], cell[2]};
    next[axis] += 1;
    int second = spFindLatticePoint(lattice, 1, next[0], next[1], next[2]);
    if (second < 0)
    {
        return false;
    }
    int first = spFindLatticePoint(lattice, 1, cell[0], cell[1], cell[2]);
    int corners[5];
    for (int i = 0; i < 5; ++i)
    {
        int corner[3] = {next[0], next[1], next[2]};
        corner[(axis + 1) % 3] += ring[i][0];
        corner[(axis + 2) % 3] += ring[i][1];
        corners[i] = spFindLatticePoint(lattice, 0, corner[0], corner[1], corner[2]);
    }
    for (int i = 0; i < 4; ++i)
    {
        tets[i][0] = corners[i];
        tets[i][1] = corners[i + 1];
        tets[i][2] = first;
        tets[i][3] = second;
        even[i] = ring[i][0] == ring[i][1]; // along the axis the corner is behind the first middle
    }
    return true;
}
