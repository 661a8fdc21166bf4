// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Adding element sets to a body. The definitions speak in the user's node numbers and get translated here.

#include "base/error.h"
#include "body/body.h"
#include "math/vec3.h"
#include "mesh/mesh.h"
#include "mesh/sort.h"
#include "mesh/surface.h"

#include <string.h>

static spElementSet* spFindSet(const spBody* body, int set)
{
    return 0 <= set && set < body->setCount ? body->sets[set] : NULL;
}

spSpringSet* spGetSpringSet(const spBody* body, int set)
{
    spElementSet* found = spFindSet(body, set);
    return found != NULL && found->kind->destroy == spDestroySpringSet ? (spSpringSet*)found : NULL;
}

spGasSet* spGetGasSet(const spBody* body, int set)
{
    spElementSet* found = spFindSet(body, set);
    return found != NULL && found->kind == &spGasKind ? (spGasSet*)found : NULL;
}

spFieldSet* spGetFieldSet(const spBody* body, int set)
{
    spElementSet* found = spFindSet(body, set);
    return found != NULL && (found->kind->flags & sp_kindField) != 0 ? (spFieldSet*)found : NULL;
}

static bool spCheckRoom(const spBody* body, spError* error)
{
    return body->setCount < SP_MAX_SETS ||
           spFail(error, sp_errorLimit, "%s has %d element sets already, the most there can be", body->name,
                  SP_MAX_SETS);
}

static bool spCheckNode(const spBody* body, const char* what, int index, int node, spError* error)
{
    return (0 <= node && node < body->nodeCount) ||
           spFail(error, sp_errorBadIndex, "%s %d uses node %d, but %s has %d nodes", what, index, node,
                  body->name, body->nodeCount);
}

// Rebuilds the slots over all local sets, and the force array with them. On failure nothing has changed.
static bool spRebuildSlots(spBody* body, spError* error)
{
    spBlocks* blocks[SP_MAX_SETS];
    int count = 0;
    for (int i = 0; i < body->setCount; ++i)
    {
        spSpringSet* springs = spGetSpringSet(body, i);
        if (springs != NULL)
        {
            blocks[count++] = &springs->blocks;
        }
    }
    spSlots slots;
    if (spBuildSlots(&slots, body->heap, blocks, count, body->order.patchBegin, body->order.patchCount) ==
        false)
    {
        return spFailMemory(error, "the slots of a body", sizeof(spSlots));
    }
    size_t forceSize = spArraySize((int64_t)body->nodeCount + slots.slotCount, sizeof(spVec4));
    spVec4* f = spAllocZeroed(body->heap, forceSize);
    if (f == NULL)
    {
        spFreeSlots(&slots, body->heap);
        return spFailMemory(error, "the forces of a body", forceSize);
    }
    spFree(body->heap, body->f, (size_t)(body->nodeCount + body->slots.slotCount) * sizeof(spVec4));
    spFreeSlots(&body->slots, body->heap);
    body->slots = slots;
    body->f = f;
    return true;
}

static int spAppendSet(spBody* body, spElementSet* set)
{
    body->sets[body->setCount] = set;
    body->elementCount += set->elementCount;
    body->stableStepDirty = true;
    body->topologyVersion += 1;
    return body->setCount++;
}

// Volume of the tets (or area of the triangles) that each edge shares, after Van Gelder: every element counts
// whole for each of its edges. Found by sorting the edges of all elements together with the given ones.
static bool spSumAroundEdges(const spBody* body, const int32_t* edges, int edgeCount, double* sums)
{
    int n = body->tetCount > 0 ? 4 : 3;
    int perElement = n == 4 ? 6 : 3;
    int elementCount = n == 4 ? body->tetCount : body->triangleCount;
    const int32_t* elements = n == 4 ? body->tets : body->triangles;
    int64_t total = (int64_t)edgeCount + (int64_t)elementCount * perElement;
    if (total > INT32_MAX)
    {
        return false;
    }
    size_t tupleSize = spArraySize(total, 2 * sizeof(int32_t));
    size_t orderSize = spArraySize(total, sizeof(int32_t));
    int32_t* tuples = spAlloc(body->heap, tupleSize);
    int32_t* order = spAlloc(body->heap, orderSize);
    bool ok = tuples != NULL && order != NULL;
    if (ok)
    {
        memcpy(tuples, edges, (size_t)edgeCount * 2 * sizeof(int32_t));
        int32_t* next = tuples + 2 * (size_t)edgeCount;
        for (int i = 0; i < elementCount; ++i)
        {
            for (int k = 0; k < perElement; ++k)
            {
                const int32_t* e = elements + (size_t)i * n;
                *next++ = e[n == 4 ? spTetEdges[k][0] : k];
                *next++ = e[n == 4 ? spTetEdges[k][1] : (k + 1) % 3];
            }
        }
        for (int64_t i = 0; i < total; ++i)
        {
            spSortTuple(tuples + 2 * i, 2);
        }
        ok = spSortTuples(body->heap, tuples, 2, (int)total, body->nodeCount, order);
    }
    for (int64_t begin = 0; ok && begin < total;)
    {
        int64_t end = begin;
        double sum = 0.0;
        while (end < total && spSameTuple(tuples, 2, order[begin], order[end]))
        {
            if (order[end] >= edgeCount)
            {
                const int32_t* e = elements + (size_t)((order[end] - edgeCount) / perElement) * n;
                spVec3 p[4];
                for (int k = 0; k < n; ++k)
                {
                    p[k] = spXyz(body->x[body->order.rank[e[k]]]);
                }
                spVec3 normal = spCross3(spSub3(p[1], p[0]), spSub3(p[2], p[0]));
                sum += n == 4 ? fabs((double)spDot3(normal, spSub3(p[3], p[0]))) / 6.0
                              : 0.5 * (double)spLength3(normal);
            }
            ++end;
        }
        for (int64_t i = begin; i < end; ++i)
        {
            if (order[i] < edgeCount)
            {
                sums[order[i]] = sum;
            }
        }
        begin = end;
    }
    spFree(body->heap, tuples, tupleSize);
    spFree(body->heap, order, orderSize);
    return ok;
}

static bool spCheckSpringDef(const spBody* body, const spSpringDef* def, spError* error)
{
    if (def == NULL || def->internalValue != SP_DEF_COOKIE)
    {
        return spFail(error, sp_errorBadDef, "the spring definition does not come from spDefaultSpringDef");
    }
    if ((unsigned)def->law >= sp_springLawCount)
    {
        return spFail(error, sp_errorBadArgument, "spring law %d does not exist", (int)def->law);
    }
    if (!(def->stiffness >= 0 && isfinite(def->stiffness)) || !(def->damping >= 0 && isfinite(def->damping)))
    {
        return spFail(error, sp_errorBadArgument, "spring stiffness %g and damping %g must not be negative",
                      (double)def->stiffness, (double)def->damping);
    }
    if (!(def->restScale > 0 && isfinite(def->restScale)))
    {
        return spFail(error, sp_errorBadArgument, "rest scale %g must be positive", (double)def->restScale);
    }
    if (!(def->youngModulus >= 0 && isfinite(def->youngModulus)) ||
        !(def->thickness >= 0 && isfinite(def->thickness)))
    {
        return spFail(error, sp_errorBadArgument,
                      "Young's modulus %g Pa and thickness %g m must not be negative",
                      (double)def->youngModulus, (double)def->thickness);
    }
    if (def->youngModulus > 0 && body->tetCount == 0 && (body->triangleCount == 0 || def->thickness == 0))
    {
        return spFail(
            error, sp_errorBadArgument,
            "springs from Young's modulus need tets, or triangles and a thickness; %s has %d tets, %d "
            "triangles, thickness %g m",
            body->name, body->tetCount, body->triangleCount, (double)def->thickness);
    }
    if (def->edges == NULL && body->edgeCount == 0)
    {
        return spFail(error, sp_errorBadArgument,
                      "springs need edges: none are given and the mesh of %s has none", body->name);
    }
    return spCheckRoom(body, error);
}

int spAddSpringSet(spBody* body, const spSpringDef* def, spError* error)
{
    if (spCheckSpringDef(body, def, error) == false)
    {
        return -1;
    }
    const int32_t* edges = def->edges != NULL ? def->edges : body->edges;
    int count = def->edges != NULL ? def->edgeCount : body->edgeCount;
    if (count <= 0)
    {
        spFail(error, sp_errorBadArgument, "the number of springs, %d, must be positive", count);
        return -1;
    }
    spHeap* heap = body->heap;
    size_t springSize = spArraySize(count, sizeof(spSpring));
    size_t sumSize = def->youngModulus > 0 ? spArraySize(count, sizeof(double)) : 0;
    spSpring* springs = spAlloc(heap, springSize);
    double* sums = spAlloc(heap, sumSize);
    bool ok = springs != NULL && (sumSize == 0 || sums != NULL);
    if (ok && sums != NULL)
    {
        memset(sums, 0, sumSize);
        for (int i = 0; ok && i < 2 * count; ++i)
        {
            ok = spCheckNode(body, "spring", i / 2, edges[i], error);
        }
        if (ok && spSumAroundEdges(body, edges, count, sums) == false)
        {
            ok = spFailMemory(error, "the volumes around springs", sumSize);
        }
    }
    else if (ok == false)
    {
        spFailMemory(error, "springs", springSize);
    }
    for (int i = 0; ok && i < count; ++i)
    {
        int a = edges[2 * (size_t)i], b = edges[2 * (size_t)i + 1];
        ok = spCheckNode(body, "spring", i, a, error) && spCheckNode(body, "spring", i, b, error);
        if (ok && a == b)
        {
            ok = spFail(error, sp_errorBadIndex, "spring %d joins node %d to itself", i, a);
        }
        if (ok == false)
        {
            break;
        }
        spSpring* s = springs + i;
        s->nodes[0] = body->order.rank[a];
        s->nodes[1] = body->order.rank[b];
        spReal length = spDistance3(spXyz(body->x[s->nodes[0]]), spXyz(body->x[s->nodes[1]]));
        s->rest = def->restScale * (def->restLengths != NULL ? def->restLengths[i] : length);
        s->stiffness = def->stiffnesses != NULL ? def->stiffnesses[i] : def->stiffness;
        s->damping = def->damping;
        if (sums != NULL)
        {
            double measure = sums[i] * (body->tetCount > 0 ? 1.0 : (double)def->thickness);
            double k = (double)def->youngModulus * measure / ((double)length * (double)length);
            s->stiffness = (spReal)(def->law == sp_springNormalised ? k * (double)s->rest : k);
        }
        if (!(s->rest >= 0 && isfinite(s->rest)) || !(s->stiffness >= 0 && isfinite(s->stiffness)))
        {
            ok =
                spFail(error, sp_errorBadArgument,
                       "spring %d has rest length %g m and stiffness %g: neither may be negative or infinite",
                       i, (double)s->rest, (double)s->stiffness);
        }
        if (ok && def->law == sp_springNormalised && s->rest == 0)
        {
            ok = spFail(error, sp_errorBadArgument,
                        "spring %d has rest length 0: the normalised law divides by it; use sp_springHooke",
                        i);
        }
    }
    spSpringSet* set = NULL;
    if (ok)
    {
        set = spCreateSpringSet(heap, springs, count, def->law, body->order.patchBegin,
                                body->order.patchCount, body->laneCount);
        ok = set != NULL || spFailMemory(error, "springs", springSize);
    }
    spFree(heap, springs, springSize);
    spFree(heap, sums, sumSize);
    if (ok == false)
    {
        return -1;
    }
    // A body that came without edges is drawn by its springs
    if (body->edgeCount == 0)
    {
        size_t size = spArraySize(count, 2 * sizeof(int32_t));
        body->edges = spAlloc(heap, size);
        if (body->edges == NULL)
        {
            spDestroySpringSet(&set->base, heap);
            spFailMemory(error, "the edges of a body", size);
            return -1;
        }
        memcpy(body->edges, edges, size);
        body->edgeCount = count;
    }
    int index = spAppendSet(body, &set->base);
    if (spRebuildSlots(body, error) == false)
    {
        body->setCount -= 1;
        body->elementCount -= set->base.elementCount;
        spDestroySpringSet(&set->base, heap);
        return -1;
    }
    return index;
}

// Faces of a gas in node numbering: triangles, or edges of the outline. NULL on failure.
static int32_t* spCopyFaces(spBody* body, const spGasDef* def, int* faceCount, size_t* size, spError* error)
{
    bool planar = def->outlineCount > 0;
    const int32_t* given =
        planar ? def->outline : (def->triangles != NULL ? def->triangles : body->triangles);
    int count =
        planar ? def->outlineCount : (def->triangles != NULL ? def->triangleCount : body->triangleCount);
    if (given == NULL || count < (planar ? 3 : 4))
    {
        spFail(error, sp_errorBadArgument,
               "gas in %s needs a closed surface or an outline of at least 3 nodes", body->name);
        return NULL;
    }
    if (planar == false && def->triangles == NULL && body->closed == false)
    {
        spFail(error, sp_errorBadMesh,
               "the surface of %s is not closed: gas would leak; spMesh_Validate says where", body->name);
        return NULL;
    }
    int perFace = planar ? 2 : 3;
    *size = spArraySize((int64_t)count * perFace, sizeof(int32_t));
    int32_t* faces = spAlloc(body->heap, *size);
    if (faces == NULL)
    {
        spFailMemory(error, "the faces of a gas", *size);
        return NULL;
    }
    bool ok = true;
    for (int i = 0; ok && i < count * perFace; ++i)
    {
        int user = planar ? given[(i / 2 + i % 2) % count] : given[i];
        ok = spCheckNode(body, planar ? "outline edge" : "gas triangle", i / perFace, user, error);
        faces[i] = ok ? body->order.rank[user] : 0;
    }
    *faceCount = count;
    if (ok == false)
    {
        spFree(body->heap, faces, *size);
        return NULL;
    }
    return faces;
}

// An outline may use a node only once, or its fan would be wrong
static bool spCheckOutline(spBody* body, const spGasDef* def, spError* error)
{
    size_t size = spArraySize(body->nodeCount, 1);
    uint8_t* seen = spAllocZeroed(body->heap, size);
    bool ok = seen != NULL || spFailMemory(error, "an outline", size);
    for (int i = 0; ok && i < def->outlineCount; ++i)
    {
        int node = def->outline[i];
        ok = seen[node] == 0 || spFail(error, sp_errorBadArgument, "the outline passes node %d twice", node);
        seen[node] = 1;
    }
    spFree(body->heap, seen, size);
    return ok;
}

int spAddGasSet(spBody* body, const spGasDef* def, spError* error)
{
    if (def == NULL || def->internalValue != SP_DEF_COOKIE)
    {
        spFail(error, sp_errorBadDef, "the gas definition does not come from spDefaultGasDef");
        return -1;
    }
    if (!(def->knrt > 0 && isfinite(def->knrt)) && !(def->restPressure > 0 && isfinite(def->restPressure)))
    {
        spFail(error, sp_errorBadArgument, "a gas needs a positive knrt (%g J) or rest pressure (%g Pa)",
               (double)def->knrt, (double)def->restPressure);
        return -1;
    }
    if (!(def->breathAmplitude >= 0 && def->breathAmplitude < 1) || !isfinite(def->breathFrequency))
    {
        spFail(error, sp_errorBadArgument,
               "breath amplitude %g must be in [0, 1), its frequency %g Hz finite",
               (double)def->breathAmplitude, (double)def->breathFrequency);
        return -1;
    }
    int faceCount = 0;
    size_t faceSize = 0;
    int32_t* faces = spCheckRoom(body, error) ? spCopyFaces(body, def, &faceCount, &faceSize, error) : NULL;
    if (faces == NULL)
    {
        return -1;
    }
    bool planar = def->outlineCount > 0;
    bool ok = true;
    if (planar)
    {
        ok = spCheckOutline(body, def, error);
    }
    else if (def->triangles != NULL &&
             spIsClosedSurface(body->heap, def->triangles, faceCount, body->nodeCount) == false)
    {
        ok = spFail(error, sp_errorBadMesh,
                    "the triangles given for the gas in %s are not closed: gas would leak", body->name);
    }
    spGasSet* set = NULL;
    if (ok)
    {
        spGasSetDef setDef = {
            .faces = faces,
            .faceCount = faceCount,
            .planar = planar,
            .knrt = def->knrt,
            .amplitude = def->breathAmplitude,
            .frequency = def->breathFrequency,
        };
        spNodeState state = spGetNodeState(body);
        set = spCreateGasSet(body->heap, &setDef, &state);
        ok = set != NULL || spFailMemory(error, "a gas", faceSize);
    }
    spFree(body->heap, faces, faceSize);
    if (ok == false)
    {
        return -1;
    }
    if (!(set->restVolume > 0.0))
    {
        spFail(error, sp_errorBadMesh, "the gas in %s encloses %g m^%d: the %s must turn %s", body->name,
               set->restVolume, planar ? 2 : 3, planar ? "outline" : "triangles",
               planar ? "counter-clockwise" : "counter-clockwise seen from outside");
        set->base.kind->destroy(&set->base, body->heap);
        return -1;
    }
    if (def->restPressure > 0)
    {
        set->knrt = (double)def->restPressure * set->restVolume;
    }
    set->ambient = def->ambient ? set->knrt / set->restVolume : 0.0;
    return spAppendSet(body, &set->base);
}

int spAddFieldSet(spBody* body, const spFieldDef* def, spError* error)
{
    if (def == NULL || def->internalValue != SP_DEF_COOKIE)
    {
        spFail(error, sp_errorBadDef, "the field definition does not come from spDefaultFieldDef");
        return -1;
    }
    bool ground = def->type == sp_fieldRepulsiveGround;
    if ((unsigned)def->type >= sp_fieldTypeCount || !(def->coefficient >= 0 && isfinite(def->coefficient)))
    {
        spFail(error, sp_errorBadArgument, "field type %d or its coefficient %g is out of range",
               (int)def->type, (double)def->coefficient);
        return -1;
    }
    if (ground && (fabs((double)spLength3(def->normal) - 1.0) > 1e-3 || !isfinite(def->offset) ||
                   !(def->minDistance > 0 && def->cutoff > def->minDistance && isfinite(def->cutoff))))
    {
        spFail(error, sp_errorBadArgument,
               "a repulsive ground needs a normal of length 1 and 0 < minDistance (%g m) < cutoff (%g m)",
               (double)def->minDistance, (double)def->cutoff);
        return -1;
    }
    if (spCheckRoom(body, error) == false)
    {
        return -1;
    }
    spFieldSet* set = spCreateFieldSet(body->heap, def);
    if (set == NULL)
    {
        spFailMemory(error, "a field", sizeof(spFieldSet));
        return -1;
    }
    return spAppendSet(body, &set->base);
}
