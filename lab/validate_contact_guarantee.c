// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Contact case of the guarantee: a strip of cloth is wound up until it can go nowhere. All pairs of triangles are looked at
// after every step, in double, with nothing of what the library uses.

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/tools.h"
#include "validate_contact.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SP_PI 3.14159265358979323846

typedef struct spTwist
{
    spWorld* world;
    spBodyId strip;
    int countX, countZ;     // nodes
    const int32_t* corners; // of triangles
    int triangleCount;
    spDVec3* x;     // nodes after a step
    spDVec3* rest;  // and at the start
    double* boxes;  // of triangles: lower, then upper
    uint32_t flags; // of all steps
    int cut;        // nodes whose motion was cut, over all steps
} spTwist;

// ---- brute force ----

static double spGetVolume(spDVec3 a, spDVec3 b, spDVec3 c, spDVec3 d)
{
    double u[3] = {b.x - a.x, b.y - a.y, b.z - a.z}, v[3] = {c.x - a.x, c.y - a.y, c.z - a.z};
    double w[3] = {d.x - a.x, d.y - a.y, d.z - a.z};
    return u[0] * (v[1] * w[2] - v[2] * w[1]) - u[1] * (v[0] * w[2] - v[2] * w[0]) +
           u[2] * (v[0] * w[1] - v[1] * w[0]);
}

// Whether the segment p q goes through a triangle
static bool spPierces(spDVec3 p, spDVec3 q, const spDVec3 t[3])
{
    if (spGetVolume(t[0], t[1], t[2], p) * spGetVolume(t[0], t[1], t[2], q) >= 0.0)
    {
        return false;
    }
    double a = spGetVolume(p, q, t[0], t[1]), b = spGetVolume(p, q, t[1], t[2]);
    double c = spGetVolume(p, q, t[2], t[0]);
    return (a > 0.0 && b > 0.0 && c > 0.0) || (a < 0.0 && b < 0.0 && c < 0.0);
}

// Whether an edge of the first goes through the second, with which that edge shares no node
static bool spGoesThrough(const spTwist* w, int first, int second)
{
    const int32_t *p = w->corners + 3 * (size_t)first, *q = w->corners + 3 * (size_t)second;
    const spDVec3 t[3] = {w->x[q[0]], w->x[q[1]], w->x[q[2]]};
    bool through = false;
    for (int e = 0; e < 3; ++e)
    {
        int32_t a = p[e], b = p[(e + 1) % 3];
        bool shared = a == q[0] || a == q[1] || a == q[2] || b == q[0] || b == q[1] || b == q[2];
        through = through || (shared == false && spPierces(w->x[a], w->x[b], t));
    }
    return through;
}

static bool spBoxesOverlap(const double* a, const double* b)
{
    return a[0] <= b[3] && a[1] <= b[4] && a[2] <= b[5] && b[0] <= a[3] && b[1] <= a[4] && b[2] <= a[5];
}

// Pairs of triangles that intersect
static int spCountByForce(const spTwist* w)
{
    int count = 0;
    for (int i = 0; i < w->triangleCount; ++i)
    {
        double* box = w->boxes + 6 * (size_t)i;
        for (int k = 0; k < 3; ++k)
        {
            double a[3];
            for (int n = 0; n < 3; ++n)
            {
                spDVec3 p = w->x[w->corners[3 * (size_t)i + n]];
                a[n] = k == 0 ? p.x : k == 1 ? p.y : p.z;
            }
            box[k] = fmin(a[0], fmin(a[1], a[2]));
            box[k + 3] = fmax(a[0], fmax(a[1], a[2]));
        }
        for (int k = 0; k < i; ++k)
        {
            count += spBoxesOverlap(box, w->boxes + 6 * (size_t)k) &&
                     (spGoesThrough(w, i, k) || spGoesThrough(w, k, i));
        }
    }
    return count;
}

// ---- the strip ----

static void spReadNodes(const spTwist* w, spDVec3* to)
{
    spVec3View x = spBody_GetPositions(w->world, w->strip);
    for (int i = 0; i < x.count; ++i)
    {
        to[i] = (spDVec3){(double)x.data[i].x, (double)x.data[i].y, (double)x.data[i].z};
    }
}

// 0.4 x 0.1 m without gravity
static bool spBuildTwist(spTwist* w, const spMesh* mesh, int method)
{
    spWorldDef worldDef = spDefaultWorldDef();
    worldDef.guarantee = sp_guaranteeNoIntersection;
    worldDef.gravity = (spVec3){0, 0, 0};
    w->world = spCreateWorld(&worldDef, NULL);
    spBodyDef def = spDefaultBodyDef();
    def.mesh = mesh;
    def.nodeMass = (spReal)(0.175 / (w->countX * w->countZ)); // 175 g
    def.selfContact = true;
    def.friction = (spReal)0.2;
    def.method = spMakeContactMethod(method);
    w->strip = spCreateBody(w->world, &def);
    spSpringDef springs = spDefaultSpringDef();
    springs.stiffness = 100;
    springs.damping = (spReal)0.02;
    if (SP_IS_NULL(w->strip) || spBody_AddSprings(w->world, w->strip, &springs) < 0)
    {
        return false;
    }
    spReadNodes(w, w->rest);
    return true;
}

// Turns the ends against each other by a turn and a half each within 1.5 s, and brings them 0.1 m nearer each
static int spWindUp(spTwist* w)
{
    const int steps = 90;
    int worst = 0;
    for (int i = 1; i <= steps && spIsInterrupted() == false; ++i)
    {
        double angle = 3.0 * SP_PI * i / steps, way = 0.1 * i / steps;
        for (int k = 0; k < w->countX * w->countZ; ++k)
        {
            spDVec3 rest = w->rest[k];
            if (fabs(rest.x) > 0.1999)
            {
                double sign = rest.x > 0.0 ? 1.0 : -1.0;
                spVec3 to = {(spReal)(sign * (0.2 - way)), (spReal)(-sign * rest.z * sin(angle)),
                             (spReal)(rest.z * cos(angle))};
                spBody_DriveNode(w->world, w->strip, k, to);
            }
        }
        w->flags |= spWorld_Step(w->world, (spReal)(1.0 / 60.0));
        w->cut += spWorld_GetReport(w->world).cutCount;
        spReadNodes(w, w->x);
        int count = spCountByForce(w);
        worst = count > worst ? count : worst;
    }
    return worst;
}

static int spJudgeTwist(spTwist* w, const spMesh* mesh, int method, const spValidation* options, json_t* rows)
{
    w->flags = 0;
    w->cut = 0;
    if (spBuildTwist(w, mesh, method) == false)
    {
        spDestroyWorld(w->world);
        return spFailUsage("contact-twist: the strip could not be made");
    }
    int worst = spWindUp(w);
    char setting[96];
    snprintf(setting, sizeof(setting), "%s, %d triangles, %d cuts", g_contactMethods[method],
             w->triangleCount, w->cut);
    spContactRow row = {"contact-twist", setting, "pairs that intersect", worst, NAN, 0.0, w->flags};
    int code = spJudgeContact(&row, options, rows);
    spDestroyWorld(w->world);
    return code;
}

int spRunContactTwist(const spValidation* options, json_t* rows)
{
    spTwist w = {.countX = options->quick ? 25 : 160, .countZ = options->quick ? 7 : 33};
    spClothMeshDef sheet = spDefaultClothMeshDef();
    sheet.sizeX = 0.4;
    sheet.sizeZ = 0.1;
    sheet.countX = w.countX;
    sheet.countZ = w.countZ;
    sheet.corner = (spDVec3){-0.2, 0.0, -0.05};
    spMesh* mesh = spMakeClothMesh(&sheet, NULL);
    size_t nodes = (size_t)w.countX * (size_t)w.countZ;
    w.triangleCount = mesh != NULL ? spMesh_GetTriangleCount(mesh) : 0;
    w.corners = mesh != NULL ? spMesh_GetTriangles(mesh) : NULL;
    w.x = malloc(nodes * sizeof(spDVec3));
    w.rest = malloc(nodes * sizeof(spDVec3));
    w.boxes = malloc((size_t)(w.triangleCount + 1) * 6 * sizeof(double));
    int code = mesh != NULL && w.x != NULL && w.rest != NULL && w.boxes != NULL
                   ? SP_EXIT_FINE
                   : spFailUsage("contact-twist: no memory");
    for (int i = 0;
         i < spGetContactMethodCount(options) && code != SP_EXIT_USAGE && spIsInterrupted() == false; ++i)
    {
        int result = spJudgeTwist(&w, mesh, i, options, rows);
        code = result == SP_EXIT_USAGE ? result : spJoinCodes(code, result);
    }
    free(w.x);
    free(w.rest);
    free(w.boxes);
    spDestroyMesh(mesh);
    return code;
}
