// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Contact cases in equilibrium: a rigid sphere pressed into an elastic half space, after Hertz; a ball between two
// plates, against CalculiX.

#include "cli/commands.h"
#include "cli/options.h"
#include "cli/tools.h"
#include "testbed/solid_body.h"
#include "validate_contact.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define SP_PI 3.14159265358979323846

// ---- sphere on a half space ----

static const double s_contactRadius = 0.1;          // a, m
static const double s_sphereRadius = 2.0;           // R, m
static const double s_young = 1e5, s_poisson = 0.3; // Pa
static const double s_fine = 1.5, s_far = 6.0;      // where cells are small, and where the body ends, in a

typedef struct spHertz
{
    spWorld* world;
    spBodyId body;
    spColliderId sphere;
    double depth;  // of the sphere, m
    double theory; // force, N
} spHertz;

// Half of the grid lines: equal cells up to s_fine, then growing ones up to s_far. Returns their number.
static int spMakeLines(double h, double* lines, int capacity)
{
    int count = 0;
    double x = 0.0, step = h;
    while (x < s_far * s_contactRadius && count < capacity - 1)
    {
        lines[count++] = x;
        step *= x >= s_fine * s_contactRadius - 1e-9 ? 1.35 : 1.0;
        x += step;
    }
    lines[count++] = s_far * s_contactRadius;
    return count;
}

// The half space y < 0, cells of h around the origin
static spMesh* spMakeHalfSpace(double h, spError* error)
{
    double lines[64];
    int n = spMakeLines(h, lines, 64) - 1;
    spBoxMeshDef box = spDefaultBoxMeshDef();
    box.origin = (spDVec3){-n, -n, -n};
    box.size = (spDVec3){2 * n, n, 2 * n};
    box.cells[0] = box.cells[2] = 2 * n;
    box.cells[1] = n;
    spMesh* grid = spMakeBoxMesh(&box, error);
    int count = grid != NULL ? spMesh_GetVertexCount(grid) : 0;
    spDVec3* x = malloc((size_t)(count + 1) * sizeof(spDVec3));
    spMesh* mesh = NULL;
    if (grid != NULL && x != NULL)
    {
        for (int i = 0; i < count; ++i)
        {
            spDVec3 p = spMesh_GetVertices(grid)[i];
            x[i] = (spDVec3){copysign(lines[lround(fabs(p.x))], p.x), -lines[lround(-p.y)],
                             copysign(lines[lround(fabs(p.z))], p.z)};
        }
        spMeshDef def = spDefaultMeshDef();
        def.vertices = x;
        def.vertexCount = count;
        def.tets = spMesh_GetTets(grid);
        def.tetCount = spMesh_GetTetCount(grid);
        mesh = spCreateMesh(&def, error);
    }
    free(x);
    spDestroyMesh(grid);
    return mesh;
}

// How a point of a half space moves under a force down on its surface. Boussinesq 1885
static spDVec3 spGetFarMotion(spDVec3 p, double force)
{
    double r = sqrt(p.x * p.x + p.z * p.z), z = -p.y, rho = sqrt(r * r + z * z);
    double scale = force * (1.0 + s_poisson) / (2.0 * SP_PI * s_young);
    double out = scale * (r * z / (rho * rho * rho) - (1.0 - 2.0 * s_poisson) * r / (rho * (rho + z)));
    double down = scale * (z * z / (rho * rho * rho) + 2.0 * (1.0 - s_poisson) / rho);
    double share = r > 0.0 ? out / r : 0.0;
    return (spDVec3){p.x + share * p.x, p.y - down, p.z + share * p.z};
}

// Pins sides and bottom where the whole half space would have them
static bool spHoldFarNodes(const spHertz* hertz)
{
    int count = spBody_GetNodeCount(hertz->world, hertz->body), held = 0;
    spVec3* x = malloc((size_t)count * sizeof(spVec3));
    int32_t* nodes = malloc((size_t)count * sizeof(int32_t));
    bool good = x != NULL && nodes != NULL;
    double far = s_far * s_contactRadius - 1e-5;
    if (good)
    {
        spBody_CopyPositions(hertz->world, hertz->body, x, count);
        for (int i = 0; i < count; ++i)
        {
            spDVec3 p = {(double)x[i].x, (double)x[i].y, (double)x[i].z};
            if (fabs(p.x) > far || fabs(p.z) > far || p.y < -far)
            {
                nodes[held++] = i;
                p = spGetFarMotion(p, hertz->theory);
                x[i] = (spVec3){(spReal)p.x, (spReal)p.y, (spReal)p.z};
            }
        }
        good = spBody_SetPositions(hertz->world, hertz->body, x, count) &&
               spBody_PinNodes(hertz->world, hertz->body, nodes, held);
    }
    free(nodes);
    free(x);
    return good;
}

static bool spBuildHertz(spHertz* hertz, double h, spError* error)
{
    const double a = s_contactRadius, modulus = s_young / (1.0 - s_poisson * s_poisson);
    *hertz = (spHertz){.world = spMakeContactWorld(0.0), .depth = a * a / s_sphereRadius};
    hertz->theory = 4.0 / 3.0 * modulus * sqrt(s_sphereRadius) * pow(hertz->depth, 1.5);
    spMesh* mesh = spMakeHalfSpace(h, error);
    if (hertz->world == NULL || mesh == NULL)
    {
        spDestroyMesh(mesh);
        return false;
    }
    spBodyDef bodyDef = spDefaultBodyDef();
    bodyDef.mesh = mesh;
    bodyDef.friction = 0;
    bodyDef.method.type = sp_quasiStatic;
    hertz->body = spCreateBody(hertz->world, &bodyDef);
    spTetDef tets = spDefaultTetDef();
    tets.law = sp_tetLinear;
    tets.youngModulus = (spReal)s_young;
    tets.poissonRatio = (spReal)s_poisson;
    bool good = SP_IS_NULL(hertz->body) == false && spBody_AddTets(hertz->world, hertz->body, &tets) >= 0;
    spDestroyMesh(mesh);
    spColliderDef sphere = spDefaultColliderDef();
    sphere.shape = sp_shapeSphere;
    sphere.radius = (spReal)s_sphereRadius;
    sphere.transform.position = (spVec3){0, (spReal)(s_sphereRadius - hertz->depth), 0};
    sphere.friction = 0;
    hertz->sphere = spCreateCollider(hertz->world, &sphere);
    *error = spWorld_GetLastError(hertz->world);
    return good && SP_IS_NULL(hertz->sphere) == false && spHoldFarNodes(hertz);
}

// From the second moment of the pressure, which is 2/5 a^2, m
static double spGetContactRadius(const spHertz* hertz)
{
    int count = spWorld_GetContactCount(hertz->world);
    spContact* contacts = malloc((size_t)(count > 0 ? count : 1) * sizeof(spContact));
    double sum = 0.0, moment = 0.0;
    count = contacts != NULL ? spWorld_GetContacts(hertz->world, contacts, count) : 0;
    for (int i = 0; i < count; ++i)
    {
        double x = (double)contacts[i].position.x, z = (double)contacts[i].position.z;
        double force = -(double)contacts[i].force.y;
        sum += force;
        moment += force * (x * x + z * z);
    }
    free(contacts);
    return sum != 0.0 ? sqrt(2.5 * moment / sum) : NAN;
}

typedef struct spHertzResult
{
    double force, radius; // N, m
    int tetCount;
    bool converged;
} spHertzResult;

static bool spPressSphere(double h, spHertzResult* result, spError* error)
{
    spHertz hertz;
    bool good = spBuildHertz(&hertz, h, error);
    spRelaxDef def = spDefaultRelaxDef();
    spRelaxResult relax = {0};
    good = good && spBody_Relax(hertz.world, hertz.body, &def, &relax);
    if (good)
    {
        *result = (spHertzResult){.force = (double)spCollider_GetForce(hertz.world, hertz.sphere).y,
                                  .radius = spGetContactRadius(&hertz),
                                  .tetCount = spBody_GetElementCount(hertz.world, hertz.body),
                                  .converged = relax.converged};
        result->force = fabs(result->force);
    }
    spDestroyWorld(hertz.world);
    return good;
}

static void spDraftHertz(const spValidation* options, const double* h, const double* forces, int count)
{
    const spPlotSeries series = {.name = "force", .x = h, .y = forces, .count = count};
    spPlotDef plot =
        spMakePlot("contact-hertz", "cell over contact radius", "difference from Hertz [%]", &series, 1);
    plot.xLog = true;
    plot.yLog = true;
    spDraftPlot(options->draft, &plot);
}

int spRunContactHertz(const spValidation* options, json_t* rows)
{
    const double cells[] = {2.0, 3.0, 4.0, 6.0}; // over the contact radius
    int code = SP_EXIT_FINE, count = options->quick ? 2 : 4;
    double shares[4], errors[4];
    const double modulus = s_young / (1.0 - s_poisson * s_poisson);
    const double depth = s_contactRadius * s_contactRadius / s_sphereRadius;
    const double theory = 4.0 / 3.0 * modulus * sqrt(s_sphereRadius) * pow(depth, 1.5);
    for (int i = 0; i < count && spIsInterrupted() == false; ++i)
    {
        spHertzResult result;
        spError error = SP_ZERO_INIT;
        if (spPressSphere(s_contactRadius / cells[i], &result, &error) == false)
        {
            return spFailUsage("contact-hertz: %s", error.message);
        }
        char setting[96];
        snprintf(setting, sizeof(setting), "h = a/%g, %d tets%s", cells[i], result.tetCount,
                 result.converged ? "" : ", not converged");
        // The limits are those of the finest mesh; coarser ones show the order
        bool judged = cells[i] == 6.0;
        spContactRow row = {"contact-hertz",          setting, "force, N", result.force, theory,
                            judged ? 0.03 : INFINITY, 0};
        code = spJoinCodes(spJudgeContact(&row, options, rows), code);
        row.what = "contact radius, m";
        row.value = result.radius;
        row.reference = s_contactRadius;
        row.limit = judged ? 0.05 : INFINITY;
        code = spJoinCodes(spJudgeContact(&row, options, rows), code);
        shares[i] = 1.0 / cells[i];
        errors[i] = fabs(100.0 * (result.force / theory - 1.0));
    }
    if (spIsInterrupted() == false)
    {
        double order = log(errors[0] / errors[count - 1]) / log(shares[0] / shares[count - 1]);
        spContactRow row = {
            "contact-hertz", "first and last mesh", "order of the force", order, NAN, INFINITY, 0};
        code = spJoinCodes(spJudgeContact(&row, options, rows), code);
        spDraftHertz(options, shares, errors, count);
    }
    return code;
}

// ---- ball between plates ----

static const double s_ball = 0.1; // radius, m

// Plates without friction where they end
static bool spAddPlates(spWorld* world, double way)
{
    bool good = true;
    for (int side = 0; side < 2; ++side)
    {
        spColliderDef plate = spDefaultColliderDef();
        plate.shape = sp_shapeBox;
        plate.halfSize = (spVec3){(spReal)0.3, (spReal)0.1, (spReal)0.3};
        plate.transform.position.y = (spReal)((side == 0 ? -1.0 : 1.0) * (s_ball + 0.1 - way));
        plate.friction = 0;
        good = good && SP_IS_NULL(spCreateCollider(world, &plate)) == false;
    }
    return good;
}

// Begins evenly squeezed. The core is held, so that nothing slips away or turns
static bool spBuildSqueeze(spSolid* solid, int cells, double share, spError* error)
{
    spMesh* mesh = spMakeSolidBall((spDVec3){0.0, 0.0, 0.0}, s_ball, cells);
    spSolidDef def = {sp_tetStVenantKirchhoff, 1e5, 0.3, 1000.0, {0.0, 0.0, 0.0}};
    bool good =
        mesh != NULL && spMakeSolid(solid, mesh, &def, error) && spAddPlates(solid->world, share * s_ball);
    spDestroyMesh(mesh);
    for (int i = 0; good && i < solid->problem.nodeCount; ++i)
    {
        spDVec3 x = solid->rest[i];
        solid->u[i] = (spDVec3){0.3 * share * x.x, -share * x.y, 0.3 * share * x.z};
        if (sqrt(x.x * x.x + x.y * x.y + x.z * x.z) < 0.4 * s_ball)
        {
            spHoldNode(solid, i, (spDVec3){0.0, 0.0, 0.0});
        }
    }
    return good;
}

int spRunContactSqueeze(const spValidation* options, json_t* rows)
{
    const double shares[] = {0.1, 0.3};
    int code = SP_EXIT_FINE;
    for (int i = 0; i < 2 && spIsInterrupted() == false; ++i)
    {
        spSolid solid = {0};
        spError error = SP_ZERO_INIT;
        spRelaxResult relax = {0};
        const spPlates plates = {-s_ball, s_ball, 3.0 * s_ball, shares[i] * s_ball};
        bool good = spBuildSqueeze(&solid, options->quick ? 3 : 4, shares[i], &error) &&
                    spRelaxSolid(&solid, sizeof(spReal) == sizeof(double) ? 1e-8 : 1e-5, &relax, &error);
        spDVec3* theirs = calloc((size_t)(solid.problem.nodeCount + 1), sizeof(spDVec3));
        solid.problem.plates = &plates;
        good = good && theirs != NULL &&
               spSolveByCalculix(&solid.problem, options->folder, "contact-squeeze", theirs, &error);
        if (good)
        {
            char setting[96];
            snprintf(setting, sizeof(setting), "to %g of its height, %d tets%s", 1.0 - shares[i],
                     solid.problem.tetCount, relax.converged ? "" : ", not converged");
            spContactRow row = {"contact-squeeze",
                                setting,
                                "largest difference from ccx",
                                spCompareSolid(solid.u, theirs, solid.problem.nodeCount),
                                NAN,
                                0.01,
                                0};
            code = spJoinCodes(spJudgeContact(&row, options, rows), code);
        }
        free(theirs);
        spDestroySolid(&solid);
        if (good == false)
        {
            return spFailUsage("contact-squeeze: %s", error.message);
        }
    }
    return code;
}
