// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The stencils of: F. Labelle, J. R. Shewchuk. Isosurface Stuffing: Fast Tetrahedral Meshes with Good Dihedral
// Angles. SIGGRAPH 2007.
//
// Where a face has two vertices inside and one outside, what is inside of it has four corners, and one of its
// two diagonals is taken. Everything else follows: pieces are tets, pyramids and prisms.

#include "mesh/stuffing.h"

#include "mesh/mesh.h"

int spFindTetEdge(int a, int b)
{
    static const int8_t edges[4][4] = {{-1, 0, 1, 2}, {0, -1, 3, 4}, {1, 3, -1, 5}, {2, 4, 5, -1}};
    return edges[a][b];
}

static uint8_t spCut(int a, int b)
{
    return (uint8_t)(4 + spFindTetEdge(a, b));
}

// Whether an even number of the coordinates of a vertex are smaller than those of one of the other long edge
static bool spIsEven(int a, int b, bool even)
{
    bool upwards = a < b; // from the first long edge to the second; backwards all three comparisons turn
    return (even != ((a & 1) != (b & 1))) == upwards;
}

// In the face of p and q (inside) and r (outside): whether the diagonal begins at p and ends on the edge q-r,
// else it begins at q and ends on p-r. It ends on a long edge where there is one; else parity decides.
static bool spBeginsAt(int p, int q, int r, bool even)
{
    if (spIsLongEdge(p, r) || spIsLongEdge(q, r))
    {
        return spIsLongEdge(q, r);
    }
    return spIsEven(p, r, even);
}

static void spPutPiece(uint8_t tet[4], uint8_t a, uint8_t b, uint8_t c, uint8_t d)
{
    tet[0] = a;
    tet[1] = b;
    tet[2] = c;
    tet[3] = d;
}

// A prism between the triangles a and b. before[i]: the diagonal between the columns i and i + 1 (the last
// one: 2 and 0) begins at a of the first of them and ends at b of the second. Columns are put in an order in
// which all diagonals run forwards.
static int spPutPrism(const uint8_t a[3], const uint8_t b[3], const bool before[3], uint8_t tets[3][4])
{
    int rank[3] = {0};
    for (int i = 0; i < 3; ++i)
    {
        int j = (i + 1) % 3;
        rank[before[i] ? j : i] += 1;
    }
    int order[3];
    for (int i = 0; i < 3; ++i)
    {
        order[rank[i]] = i;
    }
    int o0 = order[0], o1 = order[1], o2 = order[2];
    spPutPiece(tets[0], a[o0], a[o1], a[o2], b[o2]);
    spPutPiece(tets[1], a[o0], a[o1], b[o1], b[o2]);
    spPutPiece(tets[2], a[o0], b[o0], b[o1], b[o2]);
    return 3;
}

// Three vertices inside and one outside
static int spStuffThree(const int in[3], int out, bool even, uint8_t tets[3][4])
{
    uint8_t a[3], b[3];
    bool before[3];
    for (int i = 0; i < 3; ++i)
    {
        a[i] = (uint8_t)in[i];
        b[i] = spCut(in[i], out);
        before[i] = spBeginsAt(in[i], in[(i + 1) % 3], out, even);
    }
    return spPutPrism(a, b, before, tets);
}

// Two vertices inside and two outside: the edge between the first two is a column of the prism. Its diagonals
// never begin at the same end, so that the one between the cut points is given too.
static int spStuffTwo(const int in[2], const int out[2], bool even, uint8_t tets[3][4])
{
    const uint8_t a[3] = {(uint8_t)in[0], spCut(in[0], out[0]), spCut(in[0], out[1])};
    const uint8_t b[3] = {(uint8_t)in[1], spCut(in[1], out[0]), spCut(in[1], out[1])};
    bool first = spBeginsAt(in[0], in[1], out[0], even);
    bool second = spBeginsAt(in[0], in[1], out[1], even);
    const bool before[3] = {first, !first, !second};
    return spPutPrism(a, b, before, tets);
}

// Two inside, one on the surface, one outside: a pyramid
static int spStuffPyramid(const int in[2], int on, int out, bool even, uint8_t tets[3][4])
{
    uint8_t c0 = spCut(in[0], out), c1 = spCut(in[1], out);
    uint8_t v0 = (uint8_t)in[0], v1 = (uint8_t)in[1], top = (uint8_t)on;
    bool first = spBeginsAt(in[0], in[1], out, even);
    spPutPiece(tets[0], v0, v1, first ? c1 : c0, top);
    spPutPiece(tets[1], first ? v0 : v1, c1, c0, top);
    return 2;
}

int spStuffTet(const int8_t sides[4], bool even, uint8_t tets[3][4])
{
    int in[4], out[4], on[4];
    int inCount = 0, outCount = 0, onCount = 0;
    for (int i = 0; i < 4; ++i)
    {
        if (sides[i] == sp_inside)
        {
            in[inCount++] = i;
        }
        else if (sides[i] == sp_outside)
        {
            out[outCount++] = i;
        }
        else
        {
            on[onCount++] = i;
        }
    }
    if (inCount == 0)
    {
        return 0;
    }
    if (inCount == 1 || outCount == 0)
    {
        for (int i = 0; i < 4; ++i)
        {
            tets[0][i] = sides[i] == sp_outside ? spCut(in[0], i) : (uint8_t)i;
        }
        return 1;
    }
    if (inCount == 3)
    {
        return spStuffThree(in, out[0], even, tets);
    }
    return outCount == 2 ? spStuffTwo(in, out, even, tets) : spStuffPyramid(in, on[0], out[0], even, tets);
}
