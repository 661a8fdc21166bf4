// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "souple/edit.h"

#include "base/error.h"
#include "body/collider.h"
#include "body/edit.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "mesh/mesh_math.h"
#include "world/split.h"

#include <math.h>

// Centre of a tet where it is now
static spDVec3 spGetTetCenter(const spBody* body, int tet)
{
    const int32_t* nodes = body->edit->tets + 4 * (size_t)tet;
    int corners = body->edit->corners;
    spDVec3 sum = {0};
    for (int k = 0; k < corners; ++k)
    {
        spVec4 x = body->x[body->order.rank[nodes[k]]];
        sum = (spDVec3){sum.x + (double)x.x, sum.y + (double)x.y, sum.z + (double)x.z};
    }
    return spDScale(1.0 / corners, sum);
}

// ---- removal ----

static bool spListTets(spSplit* split, const int32_t* tets, int count, spError* error)
{
    const spBody* body = split->body;
    if (count < 0 || (tets == NULL && count > 0))
    {
        return spFail(error, sp_errorBadArgument, "%s: the list of tets is NULL or its length negative",
                      body->name);
    }
    for (int i = 0; i < count; ++i)
    {
        if (tets[i] < 0 || tets[i] >= body->edit->tetCount || split->gone[tets[i]] != 0)
        {
            return spFail(error, sp_errorBadIndex, "%s: tet %d is not there, or was named twice", body->name,
                          tets[i]);
        }
        spRemoveTet(split, tets[i]);
    }
    return true;
}

bool spBody_RemoveTets(spWorld* world, spBodyId id, const int32_t* tets, int count, spEditResult* result)
{
    spBody* body = spUseBody(world, id);
    if (body == NULL)
    {
        return false;
    }
    spError error = {0};
    spSplit split;
    bool ok = spBeginSplit(&split, body, &error) && spListTets(&split, tets, count, &error) &&
              spTakeSplit(&split, world, result, &error);
    spEndSplit(&split);
    return ok || spRecordError(world, &error);
}

static bool spCheckShape(const spBody* body, const spColliderDef* shape, spError* error)
{
    if (shape != NULL && spShape_HasData(shape->shape))
    {
        return spFail(error, sp_errorUnsupported,
                      "%s: a %s does not carve: take a plane, sphere, capsule, box or cylinder", body->name,
                      spShape_GetName(shape->shape));
    }
    return spCheckColliderDef(shape, error);
}

static void spListCarved(spSplit* split, const spColliderDef* shape, spTransform place)
{
    const spEditData* e = split->body->edit;
    spCollider collider = {.def = *shape};
    for (int i = 0; i < e->tetCount; ++i)
    {
        if (split->gone[i] == 0)
        {
            spDVec3 p = spGetTetCenter(split->body, i);
            spVec3 center = {(spReal)p.x, (spReal)p.y, (spReal)p.z};
            if (spQueryShape(&collider, place, center, NULL).distance < 0)
            {
                spRemoveTet(split, i);
            }
        }
    }
}

bool spBody_Carve(spWorld* world, spBodyId id, const spColliderDef* shape, spEditResult* result)
{
    spBody* body = spUseBody(world, id);
    if (body == NULL)
    {
        return false;
    }
    spError error = {0};
    spSplit split = {.body = body};
    spTransform place = shape != NULL ? shape->transform : spIdentityTransform();
    bool ok = spCheckShape(body, shape, &error) && spCleanTransform(&place, &error) &&
              spBeginSplit(&split, body, &error);
    if (ok)
    {
        spListCarved(&split, shape, place);
        ok = spTakeSplit(&split, world, result, &error);
    }
    spEndSplit(&split);
    return ok || spRecordError(world, &error);
}

// ---- cuts ----

// The edge of the blade where it begins and where it comes to
typedef struct spBladeWay
{
    spDVec3 a[2], b[2];
    spDVec3 lower, upper;
} spBladeWay;

// No line lies exactly in the way of an edge that is moved by a little in no direction of meshes; the same for every
// sweep of a body, so that those of a blade that moves on stay joined. Share of the size of the body.
static const spDVec3 s_nudge = {0.61803e-7, 0.41421e-7, 0.73205e-7};

// Parts of a sweep in which the edge comes to a line once at most
#define SP_SWEEP_PARTS 8

static spBladeWay spMakeSweep(const spBlade* blade, double size)
{
    spBladeWay sweep;
    for (int i = 0; i < 2; ++i)
    {
        spVec3 a = i == 0 ? blade->begin[0] : blade->end[0], b = i == 0 ? blade->begin[1] : blade->end[1];
        sweep.a[i] = spDMulAdd((spDVec3){(double)a.x, (double)a.y, (double)a.z}, size, s_nudge);
        sweep.b[i] = spDMulAdd((spDVec3){(double)b.x, (double)b.y, (double)b.z}, size, s_nudge);
    }
    sweep.lower = spDMin(spDMin(sweep.a[0], sweep.a[1]), spDMin(sweep.b[0], sweep.b[1]));
    sweep.upper = spDMax(spDMax(sweep.a[0], sweep.a[1]), spDMax(sweep.b[0], sweep.b[1]));
    return sweep;
}

// Exact at both ends, where one sweep ends and the next begins
static spDVec3 spDMix(const spDVec3 x[2], double t)
{
    return spDAdd(spDScale(1.0 - t, x[0]), spDScale(t, x[1]));
}

// On which side the edge passes the line from p to q
static double spGetSide(const spBladeWay* sweep, const spDVec3 p[2], const spDVec3 q[2], double t)
{
    spDVec3 from = spDMix(p, t);
    return spDDet(spDSub(spDMix(q, t), from), spDSub(spDMix(sweep->a, t), from),
                  spDSub(spDMix(sweep->b, t), from));
}

// Whether the edge, which changes sides between two times, meets the line within both
static bool spMeets(const spBladeWay* sweep, const spDVec3 p[2], const spDVec3 q[2], double t0, double t1)
{
    bool left = spGetSide(sweep, p, q, t0) >= 0.0;
    for (int i = 0; i < 40; ++i)
    {
        double t = 0.5 * (t0 + t1);
        bool same = (spGetSide(sweep, p, q, t) >= 0.0) == left;
        t0 = same ? t : t0;
        t1 = same ? t1 : t;
    }
    spDVec3 from = spDMix(p, t1), line = spDSub(spDMix(q, t1), from), a = spDMix(sweep->a, t1);
    spDVec3 edge = spDSub(spDMix(sweep->b, t1), a), way = spDSub(a, from), normal = spDCross(line, edge);
    double n2 = spDDot(normal, normal);
    double s = spDDet(way, edge, normal) / n2, r = spDDet(way, line, normal) / n2;
    // Two lines that meet in a place are not both missed there
    const double little = 1e-9;
    return s >= -little && s <= 1.0 + little && r >= -little && r <= 1.0 + little;
}

static bool spCrosses(const spBladeWay* sweep, const spDVec3 p[2], const spDVec3 q[2])
{
    spDVec3 lower = spDMin(spDMin(p[0], p[1]), spDMin(q[0], q[1]));
    spDVec3 upper = spDMax(spDMax(p[0], p[1]), spDMax(q[0], q[1]));
    if (lower.x > sweep->upper.x || upper.x < sweep->lower.x || lower.y > sweep->upper.y ||
        upper.y < sweep->lower.y || lower.z > sweep->upper.z || upper.z < sweep->lower.z)
    {
        return false;
    }
    // Who comes back again has not come through
    bool crossed = false, before = spGetSide(sweep, p, q, 0.0) >= 0.0;
    for (int i = 1; i <= SP_SWEEP_PARTS; ++i)
    {
        double t0 = (double)(i - 1) / SP_SWEEP_PARTS, t1 = (double)i / SP_SWEEP_PARTS;
        bool after = spGetSide(sweep, p, q, t1) >= 0.0;
        crossed = crossed != (after != before && spMeets(sweep, p, q, t0, t1));
        before = after;
    }
    return crossed;
}

// Remembers where the nodes are when a blade comes to them in a step, and where they were in the step before
static void spNoteCut(const spWorld* world, spBody* body)
{
    spEditData* e = body->edit;
    if (e->cutStep == world->stepCount && e->cutCount > 0)
    {
        return;
    }
    spVec3* old = e->cutX[1];
    e->cutX[1] = e->cutX[0];
    e->cutX[0] = old;
    for (int i = 0; i < body->userCount; ++i)
    {
        e->cutX[0][i] = spXyz(body->x[body->order.rank[i]]);
    }
    e->cutStep = world->stepCount;
    e->cutCount = spMinInt(e->cutCount + 1, 2);
}

// Faces of a cell towards those behind it, whose centres the blade comes between
static void spListCrossedFaces(spSplit* split, const spBladeWay* sweep, const spVec3* then, int cell)
{
    const spEditData* e = split->body->edit;
    const spVec3* now = e->cutX[0];
    for (int face = SP_CELL * cell; face < SP_CELL * cell + e->corners; ++face)
    {
        int other = e->fans.across[face] / SP_CELL;
        bool between = e->fans.across[face] > face && e->removed[cell] == 0 && e->removed[other] == 0;
        if (between && spCrosses(sweep, spGetCellCenters(split->body, then, now, cell),
                                 spGetCellCenters(split->body, then, now, other)))
        {
            spOpenFace(split, face);
        }
    }
}

static void spListCrossed(spSplit* split, const spBlade* blade)
{
    const spEditData* e = split->body->edit;
    const spCellRuns* runs = &e->runs;
    spBladeWay sweep = spMakeSweep(blade, runs->size);
    const spVec3* then = blade->follows && e->cutCount == 2 ? e->cutX[1] : e->cutX[0];
    spRefitCellRuns(split->body, then, e->cutX[0]);
    for (int run = 0; run < runs->cellRunCount; ++run)
    {
        int end = spIsRunNear(runs, run, sweep.lower, sweep.upper) ? (run + 1) * SP_RUN : run * SP_RUN;
        for (int i = run * SP_RUN; i < spMinInt(end, runs->cellCount); ++i)
        {
            spListCrossedFaces(split, &sweep, then, runs->cells[i]);
        }
    }
}

static bool spCheckBlade(const spBody* body, const spBlade* blade, spError* error)
{
    bool good = blade != NULL;
    for (int i = 0; good && i < 2; ++i)
    {
        good = spIsFinite3(blade->begin[i]) && spIsFinite3(blade->end[i]);
    }
    return good || spFail(error, sp_errorBadArgument,
                          "%s: a blade is NULL or one of its places is not finite", body->name);
}

bool spBody_Cut(spWorld* world, spBodyId id, const spBlade* blade, spEditResult* result)
{
    spBody* body = spUseBody(world, id);
    if (body == NULL)
    {
        return false;
    }
    spError error = {0};
    spSplit split = {.body = body};
    bool ok = spCheckBlade(body, blade, &error) && spBeginSplit(&split, body, &error);
    if (ok)
    {
        spNoteCut(world, body);
        spListCrossed(&split, blade);
        ok = spTakeSplit(&split, world, result, &error);
    }
    spEndSplit(&split);
    return ok || spRecordError(world, &error);
}

// ---- pieces and numbers ----

int spBody_GetPieceCount(const spWorld* world, spBodyId id)
{
    const spBody* body = spReadBody(world, id);
    if (body->edit == NULL)
    {
        return 0;
    }
    pthread_mutex_lock(&body->edit->mutex);
    int count = spCountPieces(body);
    pthread_mutex_unlock(&body->edit->mutex);
    return count;
}

int spBody_CopyTetNumbers(const spWorld* world, spBodyId id, int32_t* numbers, int capacity)
{
    const spEditData* e = spReadBody(world, id)->edit;
    int count = 0;
    for (int i = 0; e != NULL && numbers != NULL && i < e->tetCount && count < capacity; ++i)
    {
        if (e->removed[i] == 0)
        {
            numbers[count++] = i;
        }
    }
    return count;
}

const uint8_t* spBody_GetBareTriangles(const spWorld* world, spBodyId id, int* bareCount)
{
    spBody* body = spGetBody(world, id);
    if (bareCount != NULL)
    {
        *bareCount = 0;
    }
    if (body == NULL || body->edit == NULL)
    {
        return NULL;
    }
    spRefreshTopology(body);
    if (bareCount != NULL)
    {
        *bareCount = body->edit->bareCount;
    }
    return body->edit->bare;
}
