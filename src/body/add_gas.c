// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Gas in a body.

#include "base/error.h"
#include "body/sets.h"
#include "mesh/surface.h"

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
        spFree(body->heap, faces);
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
    spFree(body->heap, seen);
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
    else if (def->triangles != NULL)
    {
        bool closed = false;
        ok = spFindClosed(body->heap, faces, faceCount, body->nodeCount, &closed)
                 ? closed || spFail(error, sp_errorBadMesh,
                                    "the triangles given for the gas in %s are not closed: gas would leak",
                                    body->name)
                 : spFailMemory(error, "the faces of a gas", faceSize);
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
    spFree(body->heap, faces);
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
