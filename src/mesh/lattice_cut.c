// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "mesh/lattice_cut.h"

#include "base/error.h"
#include "mesh/mesh_math.h"

#include <string.h>

// A point is inside from this winding number on; a bit above 1/2, so that a flat sheet has no inside by rounding
#define SP_INSIDE_WINDING (0.5 + 1.0e-6)

// Most crossings of one edge that are looked at one by one
#define SP_MAX_CROSSINGS 32

// Points between two calls of progress
#define SP_PROGRESS_POINTS 4096

void spFreeCutLattice(spHeap* heap, spCutLattice* cut)
{
    spFree(heap, cut->sides);
    spFree(heap, cut->borders);
    spFree(heap, cut->border);
    spFree(heap, cut->cuts);
    *cut = (spCutLattice){0};
}

static bool spIsBeyond(const spSolidSurface* surface, spDVec3 p)
{
    return p.x < surface->lower.x || p.y < surface->lower.y || p.z < surface->lower.z ||
           p.x > surface->upper.x || p.y > surface->upper.y || p.z > surface->upper.z;
}

// How far a point is inside: above 0 when it is. Triangles that look inwards count as those that look outwards.
static double spGetDepth(const spSolidSurface* surface, spDVec3 point)
{
    return spIsBeyond(surface, point) ? -SP_INSIDE_WINDING
                                      : fabs(spGetWinding(surface->tree, point)) - SP_INSIDE_WINDING;
}

// ---------------------------------------------------------------------------------------------------------
// Sides

static bool spFindSides(const spSolidSurface* surface, spCutLattice* cut, spLatticeProgressFcn* progress,
                        void* progressContext, spError* error)
{
    const spLattice* lattice = &cut->lattice;
    for (int i = 0; i < lattice->pointCount; ++i)
    {
        double depth = spGetDepth(surface, spGetLatticePoint(lattice, i));
        cut->sides[i] = depth > 0.0 ? sp_inside : sp_outside;
        cut->insideCount += depth > 0.0;
        cut->maxWinding = fmax(cut->maxWinding, depth + SP_INSIDE_WINDING);
        if (progress != NULL && i % SP_PROGRESS_POINTS == 0 &&
            !progress((double)i / lattice->pointCount, progressContext))
        {
            return spFail(error, sp_errorNone, "cancelled");
        }
    }
    return true;
}

// ---------------------------------------------------------------------------------------------------------
// Cut points

// The depth along an edge
typedef struct spEdgeProbe
{
    const spSolidSurface* surface;
    spDVec3 a, direction;
} spEdgeProbe;

static double spProbe(const spEdgeProbe* probe, double part)
{
    return spGetDepth(probe->surface, spDMulAdd(probe->a, part, probe->direction));
}

// Where the depth changes its sign between two parts: regula falsi with the weights of Illinois, and halving
// where the depth jumps. The ends keep different signs all the way.
static double spFindExit(const spEdgeProbe* probe, double low, double high)
{
    double depthLow = spProbe(probe, low), depthHigh = spProbe(probe, high);
    double middle = 0.5 * (low + high);
    for (int i = 0; i < 60 && high - low > 1.0e-9; ++i)
    {
        double slope = depthLow / (depthLow - depthHigh);
        middle = (i & 1) || !(slope > 0.0 && slope < 1.0) ? 0.5 * (low + high) : low + slope * (high - low);
        double depth = spProbe(probe, middle);
        if (fabs(depth) < 1.0e-6)
        {
            break;
        }
        if ((depth > 0.0) == (depthLow > 0.0))
        {
            low = middle;
            depthLow = depth;
        }
        else
        {
            high = middle;
            depthHigh = depth;
        }
    }
    return middle;
}

// Where the surface cuts the edge from a, which is inside, to b, which is not. Between crossings with triangles
// the winding number is smooth, and constant when the surface is closed.
static double spFindCutPart(const spSolidSurface* surface, spDVec3 a, spDVec3 b)
{
    double parts[SP_MAX_CROSSINGS + 1];
    int count = spFindCrossings(&surface->tree->boxes, a, b, parts, SP_MAX_CROSSINGS);
    if (count == 1 && surface->closed)
    {
        return parts[0];
    }
    spEdgeProbe probe = {surface, a, spDSub(b, a)};
    if (count > SP_MAX_CROSSINGS)
    {
        return spFindExit(&probe, 0.0, 1.0);
    }
    // From one sample between crossings to the next, until the first one that is outside
    double before = 0.0;
    for (int i = 0; i <= count; ++i)
    {
        double first = i > 0 ? parts[i - 1] : 0.0, last = i < count ? parts[i] : 1.0;
        double sample = 0.5 * (first + last);
        if (spProbe(&probe, sample) <= 0.0)
        {
            // It left at a crossing when it was inside up to there, else between two of them
            bool jumps = i > 0 && (surface->closed || spProbe(&probe, 0.5 * (first + sample)) <= 0.0);
            return jumps ? first : spFindExit(&probe, i > 0 ? 0.5 * (first + sample) : before, sample);
        }
        before = sample;
    }
    return spFindExit(&probe, before, 1.0);
}

static int spTakeBorder(spHeap* heap, spCutLattice* cut, int point)
{
    if (cut->borders[point] >= 0)
    {
        return cut->borders[point];
    }
    if (!spReserve(heap, (void**)&cut->border, cut->borderCount, &cut->borderCapacity, cut->borderCount + 1,
                   sizeof(spLatticeBorder)))
    {
        return -1;
    }
    memset(cut->border[cut->borderCount].cuts, 0xFF, sizeof(cut->border[0].cuts));
    cut->borders[point] = cut->borderCount;
    return cut->borderCount++;
}

static bool spAddCut(spHeap* heap, const spSolidSurface* surface, spCutLattice* cut, int a, int b, int slot)
{
    int first = spTakeBorder(heap, cut, a), second = spTakeBorder(heap, cut, b);
    if (first < 0 || second < 0 ||
        !spReserve(heap, (void**)&cut->cuts, cut->cutCount, &cut->cutCapacity, cut->cutCount + 1,
                   sizeof(spLatticeCut)))
    {
        return false;
    }
    spDVec3 from = spGetLatticePoint(&cut->lattice, a), to = spGetLatticePoint(&cut->lattice, b);
    bool inside = cut->sides[a] == sp_inside;
    double part = inside ? spFindCutPart(surface, from, to) : 1.0 - spFindCutPart(surface, to, from);
    cut->border[first].cuts[slot] = cut->cutCount;
    cut->border[second].cuts[spTurnNeighbour(slot)] = cut->cutCount;
    cut->cuts[cut->cutCount++] = (spLatticeCut){
        .position = spDMulAdd(from, part, spDSub(to, from)),
        .ends = {a, b},
        .part = part,
        .node = -1,
    };
    return true;
}

// An edge is looked at from its end with the smaller number
static bool spFindCuts(spHeap* heap, const spSolidSurface* surface, spCutLattice* cut)
{
    for (int a = 0; a < cut->lattice.pointCount; ++a)
    {
        int neighbours[SP_LATTICE_NEIGHBOURS];
        spGetLatticeNeighbours(&cut->lattice, a, neighbours);
        for (int i = 0; i < SP_LATTICE_NEIGHBOURS; ++i)
        {
            int b = neighbours[i];
            if (b > a && cut->sides[a] != cut->sides[b] && !spAddCut(heap, surface, cut, a, b, i))
            {
                return false;
            }
        }
    }
    return true;
}

// ---------------------------------------------------------------------------------------------------------
// Moving points onto the surface

// The nearest cut point that is too near to a point; -1 when there is none
static int spFindNearCut(const spCutLattice* cut, int point)
{
    const spLatticeBorder* border = cut->border + cut->borders[point];
    int nearest = -1;
    double shortest = INFINITY;
    for (int i = 0; i < SP_LATTICE_NEIGHBOURS; ++i)
    {
        if (border->cuts[i] < 0)
        {
            continue;
        }
        bool isLong = i < SP_LONG_NEIGHBOURS;
        const spLatticeCut* c = cut->cuts + border->cuts[i];
        double part = c->ends[0] == point ? c->part : 1.0 - c->part;
        double length = isLong ? part : 0.8660254037844386 * part;
        if (part < (isLong ? SP_SNAP_LONG : SP_SNAP_SHORT) && length < shortest)
        {
            shortest = length;
            nearest = border->cuts[i];
        }
    }
    return nearest;
}

static void spMovePoints(spCutLattice* cut)
{
    for (int point = 0; point < cut->lattice.pointCount; ++point)
    {
        int nearest = cut->borders[point] >= 0 ? spFindNearCut(cut, point) : -1;
        if (nearest < 0)
        {
            continue;
        }
        spLatticeBorder* border = cut->border + cut->borders[point];
        cut->sides[point] = sp_onSurface;
        border->position = cut->cuts[nearest].position;
        for (int i = 0; i < SP_LATTICE_NEIGHBOURS; ++i)
        {
            if (border->cuts[i] >= 0)
            {
                const spLatticeCut* c = cut->cuts + border->cuts[i];
                int other = c->ends[0] == point ? c->ends[1] : c->ends[0];
                cut->border[cut->borders[other]].cuts[spTurnNeighbour(i)] = -1;
                border->cuts[i] = -1;
            }
        }
    }
}

bool spCutLatticeBy(spHeap* heap, const spSolidSurface* surface, const spLattice* lattice, spCutLattice* cut,
                    spLatticeProgressFcn* progress, void* progressContext, spError* error)
{
    *cut = (spCutLattice){.lattice = *lattice};
    size_t size = spArraySize(lattice->pointCount, sizeof(int32_t));
    cut->sides = spAlloc(heap, spArraySize(lattice->pointCount, sizeof(int8_t)));
    cut->borders = spAlloc(heap, size);
    bool there = cut->sides != NULL && cut->borders != NULL;
    if (there)
    {
        memset(cut->borders, 0xFF, size);
        if (!spFindSides(surface, cut, progress, progressContext, error))
        {
            spFreeCutLattice(heap, cut);
            return false;
        }
    }
    if (!there || !spFindCuts(heap, surface, cut))
    {
        spFreeCutLattice(heap, cut);
        return spFailMemory(error, "a lattice", size);
    }
    spMovePoints(cut);
    return true;
}

spDVec3 spGetCutPosition(const spCutLattice* cut, int point)
{
    return cut->sides[point] == sp_onSurface ? cut->border[cut->borders[point]].position
                                             : spGetLatticePoint(&cut->lattice, point);
}

int spFindCut(const spCutLattice* cut, int a, int b)
{
    const spLatticeBorder* border = cut->border + cut->borders[a];
    for (int i = 0; i < SP_LATTICE_NEIGHBOURS; ++i)
    {
        int index = border->cuts[i];
        if (index >= 0 && (cut->cuts[index].ends[0] == b || cut->cuts[index].ends[1] == b))
        {
            return index;
        }
    }
    SP_ASSERT(false);
    return -1;
}
