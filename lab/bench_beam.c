// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// souple bench visual-beam-M and order-beam-M: one beam of tets in two ways, by explicit steps and by
// backward Euler. Both ways are stepped in turn in one run and timed by the processor time of all threads, so
// that what else the machine does counts little.

#include "bench.h"
#include "cli/tools.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// The two methods
static const struct
{
    const char* name;
    spMethodType type;
    double dt;
    int substeps, warmup, steps;
} s_ways[] = {
    {"symplecticEuler", sp_symplecticEuler, 1.0 / 2400.0, 16, 3, 20},
    {"backwardEuler", sp_backwardEuler, 1.0 / 60.0, 1, 5, 20},
};

#define SP_WAY_COUNT 2

// What one method on one number of threads gave
typedef struct spPair
{
    const char* name;
    const char* method;
    int threads, nodes, elements, vertices;
    double first, second; // processor ms, medians: step and reading, or kept and renumbered
    double difference;    // of positions of both orders, over the length of the beam
} spPair;

// The first columns of both tables
#define SP_PAIR_CELLS(pair)                                                                                  \
    SP_TEXT_CELL("name", "name", -24, pair.name), SP_TEXT_CELL("method", "method", -16, pair.method),        \
        SP_WHOLE_CELL("threads", "threads", 7, pair.threads),                                                \
        SP_WHOLE_CELL("nodes", "nodes", 8, pair.nodes), SP_WHOLE_CELL("elements", "tets", 8, pair.elements)

static spTestWorld spStartBeamWorld(const spBenchRun* run, int way, int threads, const spMesh* mesh,
                                    const int32_t* pins, int pinCount, bool keepOrder)
{
    spTestWorld test = {0};
    spWorldDef worldDef = spDefaultWorldDef();
    worldDef.workerCount = threads;
    worldDef.laneCount = run->lanes;
    test.world = spCreateWorld(&worldDef, &test.error);
    if (test.world == NULL)
    {
        return test;
    }
    spBodyDef bodyDef = spDefaultBodyDef();
    bodyDef.mesh = mesh;
    bodyDef.keepOrder = keepOrder;
    bodyDef.method.type = s_ways[way].type;
    bodyDef.method.substeps = s_ways[way].substeps;
    spTetDef tets = spDefaultTetDef();
    tets.law = sp_tetCorotational;
    tets.youngModulus = (spReal)1e5;
    tets.poissonRatio = (spReal)0.4;
    test.body = spCreateBody(test.world, &bodyDef);
    if (SP_IS_NULL(test.body) || spBody_PinNodes(test.world, test.body, pins, pinCount) == false ||
        spBody_AddTets(test.world, test.body, &tets) < 0)
    {
        test.error = spWorld_GetLastError(test.world);
        spDestroyTestWorld(&test);
    }
    return test;
}

// ---------------------------------------------------------------------------------------------------------
// An attached surface

// One side of a box: (nu + 1) x (nv + 1) vertices from the corner on
static int spAddSide(spDVec3* vertices, int32_t* triangles, int vertexCount, int* triangleCount,
                     const double corner[3], const double u[3], const double v[3], int nu, int nv)
{
    for (int i = 0; i <= nu; ++i)
    {
        for (int j = 0; j <= nv; ++j)
        {
            double a = (double)i / nu, b = (double)j / nv;
            int vertex = vertexCount + i * (nv + 1) + j;
            vertices[vertex] = (spDVec3){corner[0] + a * u[0] + b * v[0], corner[1] + a * u[1] + b * v[1],
                                         corner[2] + a * u[2] + b * v[2]};
            if (i < nu && j < nv)
            {
                const int32_t quad[6] = {vertex, vertex + nv + 1, vertex + nv + 2,
                                         vertex, vertex + nv + 2, vertex + 1};
                for (int k = 0; k < 6; ++k)
                {
                    triangles[3 * *triangleCount + k] = quad[k];
                }
                *triangleCount += 2;
            }
        }
    }
    return vertexCount + (nu + 1) * (nv + 1);
}

// The sides of the beam in squares, about as many vertices as asked for
static spMesh* spMakeBeamSurface(int wanted, spError* error)
{
    // 4 sides of 4n x n squares and 2 ends of n x n: about 18 n^2 vertices
    int n = (int)ceil(sqrt(wanted / 18.0));
    size_t room = (size_t)(4 * (4 * n + 1) + 2 * (n + 1)) * (size_t)(n + 1);
    spDVec3* vertices = malloc(room * sizeof(spDVec3));
    int32_t* triangles = malloc(room * 6 * sizeof(int32_t));
    spMesh* mesh = NULL;
    if (vertices != NULL && triangles != NULL)
    {
        const double origin[3] = {0.0, 0.0, 0.0}, x[3] = {1.0, 0.0, 0.0}, y[3] = {0.0, 0.25, 0.0},
                     z[3] = {0.0, 0.0, 0.25};
        int triangleCount = 0, count = 0;
        count = spAddSide(vertices, triangles, count, &triangleCount, origin, x, z, 4 * n, n);
        count = spAddSide(vertices, triangles, count, &triangleCount, y, z, x, n, 4 * n);
        count = spAddSide(vertices, triangles, count, &triangleCount, origin, y, x, n, 4 * n);
        count = spAddSide(vertices, triangles, count, &triangleCount, z, x, y, 4 * n, n);
        count = spAddSide(vertices, triangles, count, &triangleCount, origin, z, y, n, n);
        count = spAddSide(vertices, triangles, count, &triangleCount, x, y, z, n, n);
        spMeshDef def = spDefaultMeshDef();
        def.vertices = vertices;
        def.vertexCount = count;
        def.triangles = triangles;
        def.triangleCount = triangleCount;
        mesh = spCreateMesh(&def, error);
    }
    free(vertices);
    free(triangles);
    return mesh;
}

// Steps, and reads the surface after each
static bool spMeasureVisual(const spBenchRun* run, int way, const spMesh* mesh, const spMesh* surface,
                            int pinCount, spPair* pair, spError* error)
{
    int stepCount = s_ways[way].steps * run->repeat, taken = 0;
    double* steps = malloc((size_t)stepCount * 2 * sizeof(double));
    int32_t* pins = malloc((size_t)pinCount * sizeof(int32_t));
    bool ok = steps != NULL && pins != NULL;
    for (int32_t i = 0; ok && i < pinCount; ++i)
    {
        pins[i] = i;
    }
    for (int k = 0; k < run->repeat && ok; ++k)
    {
        spTestWorld test = spStartBeamWorld(run, way, pair->threads, mesh, pins, pinCount, false);
        ok = test.world != NULL && spBody_AttachSurface(test.world, test.body, surface);
        *error = test.world != NULL ? spWorld_GetLastError(test.world) : test.error;
        for (int i = 0; ok && i < s_ways[way].warmup + s_ways[way].steps; ++i)
        {
            double start = spGetProcessorClock();
            uint32_t flags = spWorld_Step(test.world, (spReal)s_ways[way].dt);
            double stepped = spGetProcessorClock();
            pair->vertices = spBody_GetSurfacePositions(test.world, test.body).count;
            double end = spGetProcessorClock();
            ok = (flags & (sp_stepNonFinite | sp_stepUnstable)) == 0;
            if (i >= s_ways[way].warmup)
            {
                steps[taken] = 1e3 * (stepped - start);
                steps[stepCount + taken++] = 1e3 * (end - stepped);
            }
        }
        pair->elements = ok ? spBody_GetElementCount(test.world, test.body) : 0;
        spDestroyTestWorld(&test);
    }
    if (ok)
    {
        pair->first = spSummarizeTimes(steps, taken).median;
        pair->second = spSummarizeTimes(steps + stepCount, taken).median;
    }
    free(pins);
    free(steps);
    return ok;
}

static int spCountSurfaceNodes(int m)
{
    return (4 * m + 1) * (m + 1) * (m + 1) - (4 * m - 1) * (m - 1) * (m - 1);
}

void spRunVisualBeam(spBenchRun* run, const spBenchFamily* family, int size)
{
    char name[64];
    snprintf(name, sizeof(name), "%s%d", family->stem, size);
    spError error = {0};
    spMesh* mesh = spMakeBeamMesh(size, &error);
    spMesh* surface = mesh != NULL ? spMakeBeamSurface(10 * spCountSurfaceNodes(size), &error) : NULL;
    if (surface == NULL)
    {
        spFailBench(run, name, error.message);
    }
    for (int i = 0; surface != NULL && i < SP_WAY_COUNT * run->threadCount && spIsInterrupted() == false; ++i)
    {
        int way = i % SP_WAY_COUNT;
        spPair pair = {.name = name, .method = s_ways[way].name, .threads = run->threads[i / SP_WAY_COUNT]};
        pair.nodes = spMesh_GetVertexCount(mesh);
        if (spMeasureVisual(run, way, mesh, surface, (size + 1) * (size + 1), &pair, &error) == false)
        {
            spFailBench(run, name, error.message);
            continue;
        }
        const spCell cells[] = {
            SP_PAIR_CELLS(pair),
            SP_WHOLE_CELL("vertices", "vertices", 9, pair.vertices),
            SP_NUMBER_CELL("verticesOverSurfaceNodes", NULL, 0, "%g",
                           (double)pair.vertices / spCountSurfaceNodes(size)),
            SP_NUMBER_CELL("msPerStep", "cpu ms", 10, "%.3f", pair.first),
            SP_NUMBER_CELL("msPerRead", "read ms", 10, "%.4f", pair.second),
            SP_NUMBER_CELL("share", NULL, 0, "", pair.second / pair.first),
            SP_NUMBER_CELL(NULL, "adds", 8, "%.2f %%", 100.0 * pair.second / pair.first),
        };
        json_array_append_new(run->results, spTellRow(&run->table, cells, SP_CELL_COUNT(cells)));
    }
    spDestroyMesh(surface);
    spDestroyMesh(mesh);
}

// ---------------------------------------------------------------------------------------------------------
// The order of nodes

// The same mesh with its vertices in random order; numbers[i] is where vertex i went
static spMesh* spShuffleMesh(const spMesh* mesh, int32_t* numbers, spError* error)
{
    int vertexCount = spMesh_GetVertexCount(mesh), tetCount = spMesh_GetTetCount(mesh);
    spDVec3* vertices = malloc((size_t)vertexCount * sizeof(spDVec3));
    int32_t* tets = malloc((size_t)tetCount * 4 * sizeof(int32_t));
    spMesh* shuffled = NULL;
    if (vertices != NULL && tets != NULL)
    {
        uint64_t seed = 1;
        for (int i = 0; i < vertexCount; ++i)
        {
            seed = 6364136223846793005u * seed + 1442695040888963407u;
            int k = (int)((seed >> 33) % (uint64_t)(i + 1));
            numbers[i] = numbers[k];
            numbers[k] = i;
        }
        for (int i = 0; i < vertexCount; ++i)
        {
            vertices[numbers[i]] = spMesh_GetVertices(mesh)[i];
        }
        for (int i = 0; i < 4 * tetCount; ++i)
        {
            tets[i] = numbers[spMesh_GetTets(mesh)[i]];
        }
        spMeshDef def = spDefaultMeshDef();
        def.vertices = vertices;
        def.vertexCount = vertexCount;
        def.tets = tets;
        def.tetCount = tetCount;
        shuffled = spCreateMesh(&def, error);
    }
    free(tets);
    free(vertices);
    return shuffled;
}

static double spGetDifference(const spTestWorld tests[2])
{
    spVec3View a = spBody_GetPositions(tests[0].world, tests[0].body);
    spVec3View b = spBody_GetPositions(tests[1].world, tests[1].body);
    double most = 0.0;
    for (int i = 0; i < a.count; ++i)
    {
        double x = (double)(a.data[i].x - b.data[i].x), y = (double)(a.data[i].y - b.data[i].y),
               z = (double)(a.data[i].z - b.data[i].z);
        most = fmax(most, sqrt(x * x + y * y + z * z));
    }
    return most;
}

// Steps both worlds in turn
static bool spMeasureOrder(const spBenchRun* run, int way, const spMesh* mesh, const int32_t* pins,
                           int pinCount, spPair* pair, spError* error)
{
    int stepCount = s_ways[way].steps * run->repeat, taken = 0;
    double* times = malloc((size_t)stepCount * 2 * sizeof(double));
    bool ok = times != NULL;
    for (int k = 0; k < run->repeat && ok; ++k)
    {
        spTestWorld tests[2];
        for (int side = 0; side < 2; ++side)
        {
            tests[side] = spStartBeamWorld(run, way, pair->threads, mesh, pins, pinCount, side == 0);
            ok = ok && tests[side].world != NULL;
            *error = tests[side].world == NULL ? tests[side].error : *error;
        }
        for (int i = 0; ok && i < s_ways[way].warmup + s_ways[way].steps; ++i)
        {
            for (int side = 0; side < 2; ++side)
            {
                double start = spGetProcessorClock();
                uint32_t flags = spWorld_Step(tests[side].world, (spReal)s_ways[way].dt);
                double end = spGetProcessorClock();
                ok = ok && (flags & (sp_stepNonFinite | sp_stepUnstable)) == 0;
                if (i >= s_ways[way].warmup)
                {
                    times[side * stepCount + taken] = 1e3 * (end - start);
                }
            }
            taken += i >= s_ways[way].warmup;
        }
        pair->elements = ok ? spBody_GetElementCount(tests[0].world, tests[0].body) : 0;
        pair->difference = ok ? spGetDifference(tests) : 0.0;
        spDestroyTestWorld(&tests[0]);
        spDestroyTestWorld(&tests[1]);
    }
    if (ok)
    {
        pair->first = spSummarizeTimes(times, taken).median;
        pair->second = spSummarizeTimes(times + stepCount, taken).median;
    }
    free(times);
    return ok;
}

void spRunOrderBeam(spBenchRun* run, const spBenchFamily* family, int size)
{
    char name[64];
    snprintf(name, sizeof(name), "%s%d", family->stem, size);
    spError error = {0};
    spMesh* mesh = spMakeBeamMesh(size, &error);
    int32_t* numbers = mesh != NULL ? calloc((size_t)spMesh_GetVertexCount(mesh), sizeof(int32_t)) : NULL;
    spMesh* shuffled = numbers != NULL ? spShuffleMesh(mesh, numbers, &error) : NULL;
    if (shuffled == NULL)
    {
        spFailBench(run, name, error.message);
    }
    for (int i = 0; shuffled != NULL && i < SP_WAY_COUNT * run->threadCount && spIsInterrupted() == false;
         ++i)
    {
        int way = i % SP_WAY_COUNT;
        spPair pair = {.name = name, .method = s_ways[way].name, .threads = run->threads[i / SP_WAY_COUNT]};
        pair.nodes = spMesh_GetVertexCount(mesh);
        if (spMeasureOrder(run, way, shuffled, numbers, (size + 1) * (size + 1), &pair, &error) == false)
        {
            spFailBench(run, name, error.message);
            continue;
        }
        const spCell cells[] = {
            SP_PAIR_CELLS(pair),
            SP_NUMBER_CELL("msKept", "kept ms", 10, "%.3f", pair.first),
            SP_NUMBER_CELL("msRenumbered", "sorted ms", 10, "%.3f", pair.second),
            SP_NUMBER_CELL("speedUp", "speed-up", 8, "%.2fx", pair.first / pair.second),
            SP_NUMBER_CELL("difference", "differ m", 10, "%.1e", pair.difference),
        };
        json_array_append_new(run->results, spTellRow(&run->table, cells, SP_CELL_COUNT(cells)));
    }
    spDestroyMesh(shuffled);
    free(numbers);
    spDestroyMesh(mesh);
}
