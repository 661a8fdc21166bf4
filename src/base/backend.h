// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Where arrays live and what runs on them: one table that owns arrays of nodes, works on them, and advances a
// body by a whole step. A method never loops over nodes itself, so that the same driver runs on another
// filling of this table. The CPU has one filling for each number of lanes; all give the same bits.
//
// Operations work on nodes [begin, end); x carries the inverse mass in w, v and f carry 0 there. What one
// returns is summed in double in the order of the nodes: sums over a body are those of its patches, added in
// patch order.

#pragma once

#include "base/memory.h"
#include "base/node.h"

typedef struct spMat3 spMat3;
typedef struct spSlots spSlots;
typedef struct spSparse spSparse;
typedef struct spBlockRows spBlockRows;
typedef struct spPreconditioner spPreconditioner;
typedef struct spTeam spTeam;
typedef struct spElementSet spElementSet;
typedef struct spNodeState spNodeState;
typedef struct spBody spBody;
typedef struct spHoldContext spHoldContext;
typedef struct spAdvanceContext spAdvanceContext;
typedef struct spAdvanceResult spAdvanceResult;

// Arrays of a Runge-Kutta step
typedef struct spRungeArrays
{
    spVec4* stageX; // where the next forces are evaluated
    spVec4* stageV;
    spVec4* sumX; // weighted sums of the slopes
    spVec4* sumV;
} spRungeArrays;

// Rows of a filter: v becomes v + own v + sum weight (v_j - v)
typedef struct spFilterEntry
{
    int32_t offset; // of the neighbour's first number, 4 * node
    spReal weight;
} spFilterEntry;

// Nodes that are filtered side by side
#define SP_FILTER_SLICE 4

// One neighbour of each of them
typedef struct spFilterSlice
{
    SP_ALIGNAS(4 * sizeof(spReal)) spReal weights[SP_FILTER_SLICE];
    int32_t offsets[SP_FILTER_SLICE];
} spFilterSlice;

typedef struct spFilterRows
{
    int32_t* begin; // first entry of each node (nodeCount + 1)
    spFilterEntry* entries;
    spReal* own; // 0 where a uniform velocity is kept

    // The same again as lanes read it. The first of each slice names the nodes themselves and their own shares;
    // a node that has fewer neighbours than the others stands for them with weight 0.
    int32_t* sliceBegin; // first of each slice (slice count + 1)
    spFilterSlice* slices;
} spFilterRows;

static inline int spGetFilterSliceCount(int nodeCount)
{
    return (nodeCount + SP_FILTER_SLICE - 1) / SP_FILTER_SLICE;
}

// A rotation about a centre: velocity turn x (x - centre)
typedef struct spRotation
{
    spVec3 centre; // m
    spVec3 turn;   // rad/s
} spRotation;

// Sums over nodes that tell their rotation, relative to an origin: m x with m in w, m v, m x cross v, m x^2,
// and m times the products yz, zx, xy
#define SP_ROTATION_SUMS 5

// A node whose x is kept while a system is solved: all of it, or along a normal
typedef struct spConstraint
{
    int32_t node;
    bool all;
    spVec3 normal;
} spConstraint;

// The rigid motion with given sums of m v and of (x - centre) cross m v
typedef struct spRigidMotion
{
    double mass;
    double centre[3];
    double velocity[3];
    double spin[3];
    double inverseInertia[6]; // xx yy zz yz zx xy; 0 for a body that is a line or a point
} spRigidMotion;

// Sums over nodes that a rigid motion follows from: m, m x, p, x cross p, and m x^2 as xx yy zz yz zx xy
typedef struct spRigidSums
{
    double mass;
    double first[3];
    double momentum[3];
    double spin[3];
    double inertia[6];
} spRigidSums;

// Where a rigid body is and how it moves: nodes lie at centre + rotation times their place in its shape
typedef struct spRigidPlace
{
    double centre[3];
    double rotation[9]; // by rows
    double velocity[3];
    double spin[3];
} spRigidPlace;

// A node that follows others: the sum of their values, weights summing to 1
typedef struct spGhostEntry
{
    int32_t node;
    spReal weight;
} spGhostEntry;

typedef struct spGhost
{
    int32_t node;
    int32_t begin, count; // of its entries in a pool
} spGhost;

typedef struct spHeldPoint spHeldPoint;

typedef struct spBackend
{
    const char* name;
    int laneCount;

    // ---- arrays ----

    // An array of zeros; NULL when there is no memory
    void* (*allocate)(spHeap* heap, size_t size);
    void (*release)(spHeap* heap, void* array);
    // Copies across, of any part of an array
    void (*upload)(void* array, const void* host, size_t size);
    void (*download)(void* host, const void* array, size_t size);
    // Nodes for the host to read, numbered as in the array, until the array is written again: the array itself
    // where it lies in the memory of the host, else a copy
    const spVec4* (*view)(const spVec4* array, int begin, int end);
    // Copies of listed nodes
    void (*gather)(spVec4* host, const spVec4* array, const int32_t* nodes, int count);
    void (*scatter)(spVec4* array, const spVec4* host, const int32_t* nodes, int count);
    void (*copy)(spVec4* to, const spVec4* from, int begin, int end);
    // a = 0
    void (*clear)(spVec4* a, int begin, int end);
    // The same for matrices of nodes
    void (*clearMatrices)(spMat3* a, int begin, int end);
    // Whether every number is finite
    bool (*isFinite)(const spVec4* a, int begin, int end);

    // Whether every x, y and z is 0
    bool (*isZero)(const spVec4* a, int begin, int end);
    bool (*isZeroListed)(const spVec4* a, const int32_t* nodes, int count);
    // Whether all bits are the same
    bool (*isSame)(const spVec4* a, const spVec4* b, int begin, int end);
    // a = 0 at listed nodes
    void (*clearListed)(spVec4* a, const int32_t* nodes, int count);

    // ---- explicit steps ----

    // x += h v
    void (*drift)(spVec4* x, const spVec4* v, spReal h, int begin, int end);
    // v += h w f, then x += hx v
    void (*kickDrift)(spVec4* x, spVec4* v, const spVec4* f, spReal h, spReal hx, int begin, int end);
    // x += h v, then v += h w f
    void (*driftKick)(spVec4* x, spVec4* v, const spVec4* f, spReal h, int begin, int end);
    // One stage: slopes (stageV, w f) are summed with `weight`; the next stage starts `advance` along them
    // from (x, v)
    void (*rungeStage)(const spVec4* x, const spVec4* v, const spVec4* f, const spRungeArrays* arrays,
                       spReal weight, spReal advance, int begin, int end);
    // x += h sumX, v += h sumV
    void (*rungeFinish)(spVec4* x, spVec4* v, const spRungeArrays* arrays, spReal h, int begin, int end);
    // to = v + h w f
    void (*kick)(spVec4* to, const spVec4* x, const spVec4* v, const spVec4* f, spReal h, int begin, int end);
    // to = A (v + h w f), A a 3x3 matrix of each node, by columns
    void (*kickSolve)(spVec4* to, const spVec4* x, const spVec4* v, const spVec4* f, const spReal* matrices,
                      spReal h, int begin, int end);
    // v = from, filtered with a strength in 0..1, plus the rotation; then x += h v. Held nodes keep v.
    void (*filterDrift)(spVec4* x, spVec4* v, const spVec4* from, const spFilterRows* rows, spReal strength,
                        const spRotation* rotation, spReal h, int begin, int end);
    // v -= the rotation
    void (*takeRotation)(spVec4* v, const spVec4* x, const spRotation* rotation, int begin, int end);
    // SP_ROTATION_SUMS of nodes that are all free, relative to the first node of the body
    void (*sumRotation)(spVec4* sums, const spVec4* x, const spVec4* v, int begin, int end);

    // inverses = (I + s A)^-1 of each node; I where there is none
    void (*invertShifted)(spMat3* inverses, const spMat3* a, spReal s, int begin, int end);
    // The mean of a vector over so many nodes, and the largest square of the distance from it; nodes that are
    // gone do not count
    void (*findMean)(double mean[3], const spVec4* a, int count, int begin, int end);
    double (*maxDistance2)(const spVec4* a, const double mean[3], const uint8_t* roles, int begin, int end);

    // ---- forces and energies ----

    // f = m gravity + given, which may be NULL
    void (*startForces)(spVec4* f, const spReal* mass, spVec3 gravity, const spVec4* given, int begin,
                        int end);
    // sum += s a over listed nodes
    void (*sumListed)(double sum[3], const spVec4* a, const int32_t* nodes, int count, double s);
    // sum of m v^2 / 2 over nodes that are not fixed
    double (*sumKinetic)(const spVec4* v, const spReal* mass, const uint8_t* roles, int begin, int end);
    // energy - sum of m gravity.x, gravity scaled
    double (*addWeight)(double energy, const spVec4* x, const spReal* mass, spVec3 gravity, double scale,
                        int begin, int end);
    // energy + sum of s m (x - from)^2
    double (*addInertia)(double energy, const spVec4* x, const spVec4* from, const spReal* mass, double s,
                         int begin, int end);

    // to = x with every coordinate rounded up or down by its unit, in a way that has a number
    void (*roundCoordinates)(spVec4* to, const spVec4* x, spReal unit, uint32_t way, int begin, int end);

    // ---- the fastest modes of a body ----

    // local += 2 w K_ii of the nodes i of all elements of a local kind
    void (*addLocalStiffness)(spMat3* local, const spElementSet* set, const spNodeState* state);
    // The largest eigenvalue of blocks of nodes
    double (*maxEigenvalue)(const spMat3* blocks, int begin, int end);
    // The largest eigenvalues of w K and w D over free nodes: bounds become at least those
    void (*boundFrequencies)(double bounds[2], const spVec4* x, const spMat3* stiffness,
                             const spMat3* damping, int begin, int end);
    // Noise where blocks of nodes are large against the bound, by the user's numbers; returns its square
    // weighted with mass
    double (*startModes)(spVec4* a, const spVec4* x, const spReal* mass, const spMat3* blocks, double bound,
                         const int32_t* order, int begin, int end);
    // a = fresh a + share last, where nodes are free
    void (*continueModes)(spVec4* a, const spVec4* x, const spVec4* last, spReal fresh, spReal share,
                          int begin, int end);
    // image = -s w f + s (lift - local) a, the latter where local is not NULL and nodes are free
    void (*findImage)(spVec4* image, const spVec4* f, const spVec4* x, const spVec4* a, const spMat3* local,
                      spReal s, spReal lift, int begin, int end);
    // to = from + 2/3 (image - from - (from filtered)), where nodes are free
    void (*relaxImage)(spVec4* to, const spVec4* from, const spVec4* image, const spVec4* x,
                       const spFilterRows* rows, spReal strength, int begin, int end);
    // sum of m a^2
    double (*massNorm2)(const spVec4* a, const spReal* mass, int begin, int end);

    // ---- dynamic relaxation: v has a mass in w ----

    // Masses become at least share (stiffness + global m); returns the largest
    double (*growMasses)(spVec4* v, const spMat3* stiffness, const spReal* mass, double share, double global,
                         int begin, int end);
    void (*raiseMasses)(spVec4* v, spReal least, int begin, int end);
    // -motion.f and the square of the motion weighted with the masses
    void (*sumQuotient)(double sums[2], const spVec4* motion, const spVec4* f, const spVec4* v, int begin,
                        int end);
    // Noise where nodes are free, by the user's numbers
    void (*startProbe)(spVec4* probe, const uint8_t* roles, const int32_t* order, int begin, int end);
    // probe = -f over the masses where nodes are free; returns the longest
    double (*stepProbe)(spVec4* probe, const spVec4* f, const spVec4* v, const uint8_t* roles, int begin,
                        int end);
    // Squares of forces at free nodes, at others, and of the load m gravity + given at free nodes
    void (*sumForces)(double sums[3], const spVec4* f, const spReal* mass, const uint8_t* roles,
                      spVec3 gravity, const spVec4* given, int begin, int end);
    // v = keep v + push f over the masses, x += v, where nodes are free
    void (*relaxStep)(spVec4* x, spVec4* v, const spVec4* f, const uint8_t* roles, spReal keep, spReal push,
                      int begin, int end);
    // v = 0, masses stay
    void (*stop)(spVec4* v, int begin, int end);

    // ---- implicit substeps: r is the effective step, x = baseX + r v, M (v - baseV) = r f ----

    // base = now, or present now + past before where the past has a weight
    void (*blend)(spVec4* base, spReal present, const spVec4* now, spReal past, const spVec4* before,
                  int begin, int end);
    // Bases of held nodes, which go to x + h v whatever the method: baseX = x + rest v with rest = h - r,
    // baseV = predicted = v
    void (*setHeldBases)(spVec4* baseX, spVec4* baseV, spVec4* predicted, const spVec4* x, spReal rest,
                         const spVec4* v, int begin, int end);
    // b = r f - massShare m (v - baseV)
    void (*setRightSide)(spVec4* b, spReal r, const spVec4* f, spReal massShare, const spReal* mass,
                         const spVec4* v, const spVec4* baseV, int begin, int end);
    // d = baseX + r v - x
    void (*setDisplacements)(spVec4* d, const spVec4* baseX, spReal r, const spVec4* v, const spVec4* x,
                             int begin, int end);
    // x = baseX + r v; inverse masses stay
    void (*setPositions)(spVec4* x, const spVec4* baseX, spReal r, const spVec4* v, int begin, int end);
    // v = from + share dv
    void (*setVelocities)(spVec4* v, const spVec4* from, spReal share, const spVec4* dv, int begin, int end);
    // The same for positions with remainders, which lie so far behind them (body/body.h)
    // base = now + past (before - now)
    void (*blendPrecise)(spVec4* base, int remainder, const spVec4* now, spReal past, const spVec4* before,
                         int begin, int end);
    void (*setDisplacementsPrecise)(spVec4* d, int remainder, const spVec4* baseX, spReal r, const spVec4* v,
                                    const spVec4* x, int begin, int end);
    // x may be baseX
    void (*setPositionsPrecise)(spVec4* x, int remainder, const spVec4* baseX, spReal r, const spVec4* v,
                                int begin, int end);
    // f -= product - massShare m v
    void (*subtractBeyondMass)(spVec4* f, const spVec4* product, spReal massShare, const spReal* mass,
                               const spVec4* v, int begin, int end);
    // p = m (baseV - v + r gravity) + r f, the momentum that loads still have to give; v and f may be NULL for
    // 0
    void (*setLoadImpulses)(spVec4* p, const spReal* mass, const spVec4* baseV, const spVec4* v, spReal r,
                            spVec3 gravity, const spVec4* f, int begin, int end);
    // Velocities of a static step are displacements: those of driven nodes over h, others none
    void (*scaleDriven)(spVec4* v, const uint8_t* roles, spReal h, int begin, int end);
    // a = value - from where nodes are free, else 0; from may be NULL for 0
    void (*setFree)(spVec4* a, spVec3 value, const spVec4* from, const spVec4* x, int begin, int end);
    // a = from where nodes are held, else 0
    void (*setHeld)(spVec4* a, const spVec4* from, const spVec4* x, int begin, int end);
    // dv at constrained nodes, such that v gets the velocities asked for. Whether any is not 0
    bool (*prescribe)(spVec4* dv, const spVec4* v, const spConstraint* constraints, const spVec3* velocities,
                      int count);
    // sum + a.p over what constraints keep, p of each of them
    double (*addConstraintWork)(double sum, const spVec4* a, const spConstraint* constraints, const spVec3* p,
                                int count);
    // Sum of the masses of free nodes, and of the squares of all masses
    double (*sumFreeMass)(const spReal* mass, const spVec4* x, int begin, int end);
    double (*sumMass2)(const spReal* mass, int begin, int end);
    // The mean of (xx, yy, zz) and a share of the mass, summed
    void (*sumStiffness)(double sums[2], const spVec4* diagonal, const spReal* mass, double massShare,
                         int begin, int end);
    // 1/2 sum of m |v - baseV|^2 over free nodes; v may be NULL for 0
    double (*sumInertia)(const spReal* mass, const spVec4* v, const spVec4* baseV, const spVec4* x, int begin,
                         int end);
    // Sum of (m gravity + f).v over free nodes; f may be NULL for 0
    double (*sumLoadPower)(const spReal* mass, spVec3 gravity, const spVec4* f, const spVec4* v,
                           const spVec4* x, int begin, int end);
    // Largest length
    double (*maxLength)(const spVec4* a, int begin, int end);
    // The largest squares of r times the difference of v, and of the distance, between neighbours. Whether
    // some have moved by more than their own distance
    bool (*findStretch)(double most[2], const spSparse* a, const spVec4* base, const spVec4* v, spReal r);
    // ends: a normal, and in w a gap. marks becomes 1 in x for nodes with a gap below 0 that have a neighbour
    // with a lower one below them along the normal: the slope of the way there is more than so much
    void (*markShielded)(spVec4* marks, const spVec4* ends, const spSparse* a, const spVec4* base,
                         spReal slope);
    // Sums over the impulses p of all nodes; perMass: p are velocities
    void (*sumRigid)(spRigidSums* sums, const spReal* mass, const spVec4* x, const spVec4* p, bool perMass,
                     int begin, int end);
    // a += share times the velocity of the motion at x
    void (*addRigid)(spVec4* a, const spRigidMotion* motion, double share, const spVec4* x, int begin,
                     int end);
    // x and v after a time h: where one motion takes the start, then lifted, with the velocity of another
    void (*moveRigidly)(spVec4* x, spVec4* v, const spVec4* start, const spRigidMotion* motion, spVec3 lift,
                        const spRigidMotion* velocity, double h, int begin, int end);

    // ---- rigid bodies: a shape has three numbers for each node, which lie outside of the table as masses do ----

    // shape = x - centre
    void (*takeShape)(double* shape, const spVec4* x, const double centre[3], int begin, int end);
    // Inertia of the shape, summed: xx yy zz yz zx xy
    void (*sumShape)(double inertia[6], const double* shape, const spReal* mass, int begin, int end);
    // Free nodes go where the place says
    void (*placeShape)(spVec4* x, spVec4* v, const uint8_t* roles, const double* shape,
                       const spRigidPlace* place, int begin, int end);
    // Whether free nodes are anywhere else, or move otherwise: 1 for positions, 2 for velocities, added up
    int (*findMoved)(const spVec4* x, const spVec4* v, const uint8_t* roles, const double* shape,
                     const spRigidPlace* place, int begin, int end);
    // f and arm cross f, summed, f times mass where that is not NULL
    void (*sumShapeLoads)(double sums[6], const spVec4* f, const spReal* mass, const double* shape,
                          const double rotation[9], int begin, int end);

    // ---- compliance ----

    // to = w a
    void (*weigh)(spVec4* to, const spVec4* x, const spVec4* a, int begin, int end);
    // a += R z where nodes are free, rotations NULL for I
    void (*addTurned)(spVec4* a, const spVec4* x, const spMat3* rotations, const spVec4* z, int begin,
                      int end);

    // ---- XPBD ----

    // Masses of free nodes, inverse masses, and the number of free nodes
    void (*sumMasses)(double sums[3], const spVec4* x, const spReal* mass, int begin, int end);
    // Masses, and the largest eigenvalues of two blocks, summed over free nodes
    void (*sumEigenvalues)(double sums[3], const spVec4* x, const spReal* mass, const spMat3* stiffness,
                           const spMat3* damping, int begin, int end);
    // blocks = m I
    void (*setMassBlocks)(spMat3* blocks, const spReal* mass, int begin, int end);
    // v += h A^-1 f where nodes are free, A a block of each node
    void (*kickBlocks)(spVec4* v, const spVec4* x, const spVec4* f, const spMat3* blocks, spReal h, int begin,
                       int end);
    // start = x, velocity = v + h (gravity + w given) where nodes are free, x += h velocity, predicted = x
    void (*predict)(spVec4* x, const spVec4* v, const spVec4* given, spVec3 gravity, spReal h, spVec4* start,
                    spVec4* velocity, spVec4* predicted, int begin, int end);
    // v = rate (x - start) where nodes are free
    void (*findVelocity)(spVec4* v, const spVec4* x, const spVec4* start, spReal rate, int begin, int end);
    // x += s w g
    void (*push)(spVec4* x, spReal s, const spVec4* g, int begin, int end);
    // The momentum that free nodes have gained, minus h times the load of the others
    void (*sumPins)(double sum[3], const spVec4* x, const spVec4* v, const spVec4* from, const spReal* mass,
                    const spVec4* given, spVec3 gravity, spReal h, int begin, int end);
    // Sums over a gradient: w g^2, g.(x - start), w
    void (*sumGradient)(double sums[3], const spVec4* x, const spVec4* g, const spVec4* start, int begin,
                        int end);
    // sum of (m (x - predicted) - f)^2 over free nodes
    double (*primalResidual2)(const spVec4* x, const spVec4* predicted, const spVec4* f, const spReal* mass,
                              int begin, int end);
    // Over free nodes: sum of m (x - predicted) - s f, of m (x - predicted), of m, and of (m (x - predicted))^2
    void (*sumPrimal)(double sums[8], const spVec4* x, const spVec4* predicted, const spVec4* f,
                      const spReal* mass, spReal s, int begin, int end);
    // sum of m (x - target)^2; targets are in the user's order
    double (*massDistance2)(const spVec4* x, const spVec3* target, const int32_t* order, const spReal* mass,
                            int begin, int end);

    // ---- acceleration: plain numbers, four of each node, or multipliers ----

    void (*copyNumbers)(spReal* to, const spReal* from, int64_t begin, int64_t end);
    void (*clearNumbers)(spReal* a, int64_t begin, int64_t end);
    double (*dotNumbers)(const spReal* a, const spReal* b, int64_t begin, int64_t end);
    // to = a - b
    void (*subtractNumbers)(spReal* to, const spReal* a, const spReal* b, int64_t begin, int64_t end);
    // to = g - sum c_j (g - other_j)
    void (*mixNumbers)(spReal* to, const spReal* g, const spReal* const* others, const spReal* c,
                       int otherCount, int64_t begin, int64_t end);
    // u and base become base - s (base - u)
    void (*relaxNumbers)(spReal* u, spReal* base, spReal s, int64_t begin, int64_t end);
    // increase = s (a - before); a and before become before + increase
    void (*relaxIncrease)(spReal* a, spReal* before, spReal* increase, spReal s, int64_t begin, int64_t end);
    // increase *= s, before = a, a += increase
    void (*addIncrease)(spReal* a, spReal* before, spReal* increase, spReal s, int64_t begin, int64_t end);
    // Runs of SP_BLOCK numbers, one of so many, with all places in turn: f = a, then f = a - f
    void (*takeSample)(spReal* f, const spReal* a, int stride, int64_t begin, int64_t end);
    void (*moveOfSample)(spReal* f, const spReal* a, int stride, int64_t begin, int64_t end);
    // f = sqrt(m) (x - f) of free nodes
    void (*moveOfNodes)(spVec4* f, const spVec4* x, const spReal* mass, int begin, int end);
    // sum of m (x - before)^2 over free nodes
    double (*sumMoves)(const spVec4* x, const spVec4* before, const spReal* mass, int begin, int end);

    // ---- vectors ----

    // a.b
    double (*dot)(const spVec4* a, const spVec4* b, int begin, int end);
    // a += s b
    void (*addScaled)(spVec4* a, spReal s, const spVec4* b, int begin, int end);

    // to = s a
    void (*scale)(spVec4* to, spReal s, const spVec4* a, int begin, int end);
    // a = s (a - b)
    void (*scaleDifference)(spVec4* a, spReal s, const spVec4* b, int begin, int end);

    // ---- linear systems ----

    // Adds what other patches have written to slots to the nodes of the patch that owns them
    void (*sumSlots)(const spSlots* slots, spVec4* a, int patch);

    // y, nodes and slots of the patch: the product of the pairs of the patch with x
    void (*multiply)(const spSparse* a, const spVec4* x, int patch, spVec4* y);

    // Sums the pairs of the patch from the sources, and the diagonal (nodes and slots of the patch)
    void (*collect)(spSparse* a, int patch);

    // How the surroundings of each node have turned from the positions `then` to `now`. First the sums over
    // the pairs of the patch, into columns of 3x3 matrices (nodes and slots of the patch), then, with the
    // slots summed, rotations[node] for the nodes of the patch.
    void (*sumTurns)(const spSparse* a, const spVec4* then, const spVec4* now, int patch,
                     spVec4* const* sums);
    void (*findTurns)(spVec4* const* sums, int begin, int end, spMat3* rotations);

    // own = factor m I + diagonal, which may be NULL: then ownC stays. I for nodes without mass
    void (*setOwn)(spVec4* ownA, spVec4* ownC, const spReal* mass, spReal factor, const spMat3* diagonal,
                   int begin, int end);
    // The inverse of own + sum for each node, whole or of its diagonal alone; crossed 0 leaves ownC out
    void (*invertLocal)(spVec4* localA, spVec4* localC, const spVec4* ownA, const spVec4* ownC,
                        spReal crossed, spVec4* const* sum, bool whole, int begin, int end);
    // dx = k d, dv = c d
    void (*scaleTwo)(spVec4* dx, spReal k, spVec4* dv, spReal c, const spVec4* d, int begin, int end);

    // q = sign q + own d; returns d.q. ownC NULL: own is diagonal.
    double (*finishProduct)(spVec4* q, const spVec4* d, const spVec4* ownA, const spVec4* ownC, spReal sign,
                            int begin, int end);

    // x += alpha d, r -= alpha q; returns r.r
    double (*stepResidual)(spVec4* x, spVec4* r, const spVec4* d, const spVec4* q, spReal alpha, int begin,
                           int end);

    // z = P r with a symmetric 3x3 matrix for each node, diagonal when pC is NULL; returns r.z
    double (*applyLocal)(spVec4* z, const spVec4* r, const spVec4* pA, const spVec4* pC, int begin, int end);

    // Takes from a what the constraints forbid; raw, where it is not NULL, has what stood there before
    void (*project)(spVec4* a, const spConstraint* constraints, int count, spVec3* raw);

    // to = R a, and to = R^T a
    void (*rotate)(spVec4* to, const spMat3* rotations, const spVec4* a, int begin, int end);
    void (*rotateBack)(spVec4* to, const spMat3* rotations, const spVec4* a, int begin, int end);

    // z = P^-1 r
    void (*precondition)(spPreconditioner* p, spTeam* team, const spVec4* r, spVec4* z);

    // The rows of own + pairs that preconditioners are made from; crossed false leaves ownC out
    void (*fillRows)(spBlockRows* rows, const spSparse* a, const spVec4* ownA, const spVec4* ownC,
                     bool crossed, const spVec4* x);

    // d = z + beta d
    void (*advanceDirection)(spVec4* d, const spVec4* z, spReal beta, int begin, int end);

    // ---- rows ----

    // Holds the node rows of a patch after a trial substep: puts nodes back and takes the impulses from them
    void (*holdRows)(spBody* body, const spHoldContext* context, int patch);
    // v += s p and x += s d at one node, s its inverse mass times a weight
    void (*pushNode)(spVec4* x, spVec4* v, int node, spReal weight, spVec3 p, spVec3 d);

    // ---- ghosts ----

    // Ghosts one after the other take the value of what they follow; w becomes 0
    void (*fillGhosts)(spVec4* a, const spGhost* ghosts, int count, const spGhostEntry* entries);
    // The way back, from the last one to the first: what is on a ghost goes to what it follows
    void (*spreadGhosts)(spVec4* a, const spGhost* ghosts, int count, const spGhostEntry* entries);
    // Holds rows on points that follow nodes
    void (*holdPoints)(spVec4* x, spVec4* v, const spHeldPoint* points, int count,
                       const spGhostEntry* entries, const spHoldContext* context);

    // ---- a whole step ----

    // Moves a body over a step, or a slice of one: on the CPU its method drives the operations above, other
    // fillings may do it in one go
    spAdvanceResult (*advance)(spBody* body, const spAdvanceContext* context);
} spBackend;

// The filling of the CPU for a number of lanes
const spBackend* spFindBackend(int laneCount);
