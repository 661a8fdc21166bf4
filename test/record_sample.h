// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Recordings without a world, for the tests of recordings and pictures: a ball that bounces, a lattice of
// springs, a cloth, and a collider of each shape. Positions are made up, but look like a simulation.

#pragma once

#include "record/writer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLE_MAX_NODES 40000
#define SAMPLE_MAX_TRIANGLES 80000

typedef struct SampleBody
{
    float* rest; // 3 * nodeCount
    float* now;
    int nodeCount;
    int32_t* triangles;
    int triangleCount;
    int32_t* edges;
    int edgeCount;
} SampleBody;

typedef struct SampleDef
{
    int rings;        // of the ball
    int lattice;      // nodes along each side
    int cloth;        // nodes along each side
    int frames;       // number of frames
    int rowsPerFrame; // steps between two frames
    int torn;         // from this frame on the cloth has fewer triangles; -1: never
    bool velocities;
    bool stress;    // the ball has tets, stress that grows with the height in it, states, and contacts
    bool colliders; // sphere, capsule and box beside the plane
    bool ring;      // only a ring of springs in the plane z = 0
} SampleDef;

static inline SampleBody MakeSampleBody(void)
{
    SampleBody body = {0};
    body.rest = calloc(3 * SAMPLE_MAX_NODES, sizeof(float));
    body.now = calloc(3 * SAMPLE_MAX_NODES, sizeof(float));
    body.triangles = calloc(3 * SAMPLE_MAX_TRIANGLES, sizeof(int32_t));
    body.edges = calloc(2 * SAMPLE_MAX_TRIANGLES, sizeof(int32_t));
    return body;
}

static inline void FreeSampleBody(SampleBody* body)
{
    free(body->rest);
    free(body->now);
    free(body->triangles);
    free(body->edges);
}

static inline void AddSampleNode(SampleBody* body, double x, double y, double z)
{
    float* p = body->rest + 3 * body->nodeCount++;
    p[0] = (float)x, p[1] = (float)y, p[2] = (float)z;
}

static inline void AddSampleTriangle(SampleBody* body, int a, int b, int c)
{
    int32_t* t = body->triangles + 3 * body->triangleCount++;
    t[0] = a, t[1] = b, t[2] = c;
}

static inline void AddSampleEdge(SampleBody* body, int a, int b)
{
    int32_t* e = body->edges + 2 * body->edgeCount++;
    e[0] = a, e[1] = b;
}

// Unit ball: poles and rings, wound outwards
static inline void MakeSampleBall(SampleBody* body, int rings)
{
    int sides = 2 * rings;
    AddSampleNode(body, 0, 1, 0);
    for (int i = 1; i < rings; ++i)
    {
        for (int k = 0; k < sides; ++k)
        {
            double polar = 3.14159265358979 * i / rings, angle = 6.28318530717959 * k / sides;
            AddSampleNode(body, sin(polar) * cos(angle), cos(polar), sin(polar) * sin(angle));
        }
    }
    AddSampleNode(body, 0, -1, 0);
    int last = body->nodeCount - 1;
    for (int k = 0; k < sides; ++k)
    {
        int next = (k + 1) % sides;
        AddSampleTriangle(body, 0, 1 + next, 1 + k);
        AddSampleTriangle(body, last, last - sides + k, last - sides + next);
        for (int i = 0; i < rings - 2; ++i)
        {
            int a = 1 + i * sides + k, b = 1 + i * sides + next;
            AddSampleTriangle(body, a, b, a + sides);
            AddSampleTriangle(body, b, b + sides, a + sides);
        }
    }
}

static inline void MakeSampleLattice(SampleBody* body, int n)
{
    for (int i = 0; i < n * n * n; ++i)
    {
        int x = i % n, y = i / n % n, z = i / (n * n);
        AddSampleNode(body, (double)x / (n - 1) - 0.5, (double)y / (n - 1), (double)z / (n - 1) - 0.5);
        if (x > 0)
        {
            AddSampleEdge(body, i - 1, i);
        }
        if (y > 0)
        {
            AddSampleEdge(body, i - n, i);
        }
        if (z > 0)
        {
            AddSampleEdge(body, i - n * n, i);
        }
    }
}

static inline void MakeSampleCloth(SampleBody* body, int n)
{
    for (int i = 0; i < n * n; ++i)
    {
        AddSampleNode(body, 2.0 * (i % n) / (n - 1) - 1.0, 0.0, 2.0 * (i / n) / (n - 1) - 1.0);
    }
    for (int y = 0; y + 1 < n; ++y)
    {
        for (int x = 0; x + 1 < n; ++x)
        {
            int a = y * n + x;
            AddSampleTriangle(body, a, a + n, a + 1);
            AddSampleTriangle(body, a + 1, a + n, a + n + 1);
        }
    }
}

static inline double SampleBounce(double t)
{
    double phase = fmod(t, 1.0);
    return 4.0 * phase * (1.0 - phase) * exp(-0.5 * floor(t));
}

static inline void MoveSample(SampleBody bodies[3], double t)
{
    double h = SampleBounce(t), squash = 1.0 - 0.35 * exp(-12.0 * h) * exp(-0.3 * floor(t));
    for (int i = 0; i < bodies[0].nodeCount; ++i)
    {
        const float* r = bodies[0].rest + 3 * i;
        float* p = bodies[0].now + 3 * i;
        double wide = 1.0 / sqrt(squash);
        double wave = 1.0 + 0.02 * sin(6.0 * (double)r[0] + 9.0 * t) * cos(5.0 * (double)r[2]);
        p[0] = (float)(0.45 * wide * wave * (double)r[0]);
        p[1] = (float)(0.45 * squash * (1.0 + (double)r[1]) + 1.1 * h);
        p[2] = (float)(0.45 * wide * wave * (double)r[2] + 0.3);
    }
    for (int i = 0; i < bodies[1].nodeCount; ++i)
    {
        const float* r = bodies[1].rest + 3 * i;
        float* p = bodies[1].now + 3 * i;
        double lean = 0.25 * sin(5.0 * t) * (double)(r[1] * r[1]);
        p[0] = (float)(0.8 * (double)r[0] - 1.4 + lean);
        p[1] = (float)(0.8 * (double)r[1]);
        p[2] = (float)(0.8 * (double)r[2] + 0.1);
    }
    for (int i = 0; i < bodies[2].nodeCount; ++i)
    {
        const float* r = bodies[2].rest + 3 * i;
        float* p = bodies[2].now + 3 * i;
        double x = 0.7 * (double)r[0], z = 0.7 * (double)r[2], d = sqrt(x * x + z * z);
        double fold = d > 0.34 ? (d - 0.34) : 0.0;
        p[0] = (float)(1.35 + x * (1.0 - 0.45 * fold / (d + 1e-9)));
        p[1] = (float)(0.36 + sqrt(fmax(0.0, 0.116 - fmin(d, 0.34) * fmin(d, 0.34))) - 0.95 * fold +
                       0.03 * sin(8.0 * atan2(z, x) + 3.0 * t) * fold / 0.3);
        p[1] = p[1] < 0.01f ? 0.01f : p[1];
        p[2] = (float)(-0.1 + z * (1.0 - 0.45 * fold / (d + 1e-9)));
    }
}

static inline void MoveSampleRing(SampleBody* body, double t)
{
    double h = SampleBounce(t), squash = 1.0 - 0.35 * exp(-12.0 * h) * exp(-0.3 * floor(t));
    for (int i = 0; i < body->nodeCount; ++i)
    {
        double angle = 6.28318530717959 * i / body->nodeCount;
        body->now[3 * i] = (float)(0.4 * cos(angle) / squash + 0.3 * t);
        body->now[3 * i + 1] = (float)(0.4 * squash * (1.0 + sin(angle)) + h);
        body->now[3 * i + 2] = 0.0f;
    }
}

// Tets from the first node of the ball to its last, over neighbours
static inline int MakeSampleTets(const SampleBody* ball, int32_t* tets)
{
    int count = ball->nodeCount - 3;
    for (int i = 0; i < count; ++i)
    {
        int32_t* t = tets + 4 * i;
        t[0] = 0, t[1] = 1 + i, t[2] = 2 + i, t[3] = ball->nodeCount - 1;
    }
    return count;
}

// Stress of node i: 1000 Pa times its height in the ball at rest, 0 to 2; states of tet k: k, k + 0.1 to k +
// 0.3, -k
static inline void FillSampleStress(const SampleBody* ball, float* stress, float* states, int tetCount)
{
    for (int i = 0; i < ball->nodeCount; ++i)
    {
        stress[i] = 1000.0f * (ball->rest[3 * i + 1] + 1.0f);
    }
    for (int k = 0; k < tetCount; ++k)
    {
        states[k] = (float)k;
        for (int j = 0; j < 3; ++j)
        {
            states[tetCount + 3 * k + j] = (float)k + 0.1f * (float)(j + 1);
        }
        states[4 * tetCount + k] = -(float)k;
    }
}

static inline bool WriteSample(const char* path, const SampleDef* sample, spError* error)
{
    static const char* const names[] = {"height", "strain, \"largest\"", "nothing"};
    static const char* const units[] = {"m", "", "J"};
    const int shapes[4] = {sp_shapePlane, sp_shapeSphere, sp_shapeCapsule, sp_shapeBox};
    spRecorderDef def = spDefaultRecorderDef();
    def.path = path;
    def.sceneText = "{\n  \"name\": \"sample\"\n}\n";
    def.measurementNames = names;
    def.measurementUnits = units;
    def.measurementCount = 3;
    const spPlayInfo play = {.scenePath = "scenes/sample.json", .dt = 0.01, .budget = 0.004, .live = true};
    def.play = &play;
    def.storeVelocities = sample->velocities;
    spRecordWriter writer;
    if (!spOpenWriter(&writer, &def, error))
    {
        return false;
    }

    SampleBody bodies[3] = {MakeSampleBody(), MakeSampleBody(), MakeSampleBody()};
    int bodyCount = sample->ring ? 1 : 3;
    if (sample->ring)
    {
        bodies[0].nodeCount = sample->rings;
        for (int i = 0; i < sample->rings; ++i)
        {
            AddSampleEdge(&bodies[0], i, (i + 1) % sample->rings);
        }
    }
    else
    {
        MakeSampleBall(&bodies[0], sample->rings);
        MakeSampleLattice(&bodies[1], sample->lattice);
        MakeSampleCloth(&bodies[2], sample->cloth);
    }
    static const char* const bodyNames[] = {"ball", "lattice & <springs>", "cloth"};
    int topologies[3];
    int32_t* tets = calloc(4 * SAMPLE_MAX_NODES, sizeof(int32_t));
    float* stress = calloc(SAMPLE_MAX_NODES, sizeof(float));
    float* states = calloc(5 * SAMPLE_MAX_NODES, sizeof(float));
    int tetCount = sample->stress ? MakeSampleTets(&bodies[0], tets) : 0;
    FillSampleStress(&bodies[0], stress, states, tetCount);
    for (int i = 0; i < bodyCount; ++i)
    {
        spWriteBody(&writer, bodyNames[i]);
        spTopologyData data = {.body = i, .version = 1, .nodeCount = bodies[i].nodeCount};
        data.triangles = bodies[i].triangles;
        data.triangleCount = bodies[i].triangleCount;
        data.edges = bodies[i].edges;
        data.edgeCount = bodies[i].edgeCount;
        data.tets = tets;
        data.tetCount = i == 0 ? tetCount : 0;
        topologies[i] = spWriteTopology(&writer, &data);
    }
    spFrameCollider places[4] = {0};
    int colliderCount = sample->colliders ? 4 : 1;
    for (int i = 0; i < colliderCount; ++i)
    {
        spColliderDef collider = {0};
        collider.name = i == 0 ? "ground" : "obstacle";
        collider.shape = (spShape)shapes[i];
        collider.radius = (spReal)(i == 1 ? 0.33 : 0.15);
        collider.halfHeight = (spReal)0.3;
        collider.halfSize = (spVec3){(spReal)0.25, (spReal)0.2, (spReal)0.3};
        spWriteCollider(&writer, &collider);
        places[i].collider = i;
        places[i].rotation[3] = 1.0f;
    }
    places[1].position[0] = 1.35f, places[1].position[1] = 0.36f, places[1].position[2] = -0.1f;
    places[2].position[0] = 0.3f, places[2].position[1] = 0.15f, places[2].position[2] = 1.3f;
    places[2].rotation[2] = 0.70710678f, places[2].rotation[3] = 0.70710678f;
    places[3].position[0] = -0.5f, places[3].position[1] = 0.2f, places[3].position[2] = -1.2f;
    places[3].rotation[1] = 0.2588190f, places[3].rotation[3] = 0.9659258f;

    double dt = 1.0 / 30.0 / sample->rowsPerFrame;
    int64_t step = 0;
    for (int frame = 0; frame < sample->frames; ++frame)
    {
        for (int i = 0; i < (frame == 0 ? 1 : sample->rowsPerFrame); ++i)
        {
            spRecordRow row = {.time = (double)step * dt, .stepCount = step, .dtTaken = dt};
            row.flags = step == 3 ? (uint32_t)sp_stepUnstable : 0;
            row.profile.step = 0.25 + 0.001 * (double)step;
            row.solverIterations = 3 * step;
            row.solverResidual = 1e-6 * (double)step;
            row.contactCount = (int)step;
            row.substepCount = 2;
            double values[3] = {SampleBounce(row.time), 0.1 * (double)step, (double)NAN};
            // The step before the first row is none; every other one is decided by the clock
            if (step % 2 == 1)
            {
                spDecisionData stop = {0, (int)step, step - 2, 7 * step, 0.0};
                spDecisionData time = {-1, 0, -1, -1, dt};
                spWriteDecision(&writer, &time);
                spWriteDecision(&writer, &stop);
            }
            // Before the others hands do something: as many acts as steps
            for (int k = 0; step % 2 == 0 && k < step; ++k)
            {
                char act[64];
                int length = snprintf(act, sizeof(act), "{\"type\": \"act %d of %d\"}", k, (int)step);
                spWriteAct(&writer, act, (size_t)length);
            }
            spWriteRow(&writer, &row, values);
            step += 1;
        }
        double t = (double)(step - 1) * dt;
        if (sample->ring)
        {
            MoveSampleRing(bodies, t);
        }
        else
        {
            MoveSample(bodies, t);
        }
        if (frame == sample->torn)
        {
            spTopologyData data = {.body = 2, .version = 2, .nodeCount = bodies[2].nodeCount};
            data.triangles = bodies[2].triangles;
            data.triangleCount = bodies[2].triangleCount / 2;
            topologies[2] = spWriteTopology(&writer, &data);
        }
        spFrameBody frameBodies[3];
        for (int i = 0; i < bodyCount; ++i)
        {
            bool stressed = sample->stress && i == 0;
            frameBodies[i] = (spFrameBody){.topology = topologies[i],
                                           .nodeCount = bodies[i].nodeCount,
                                           .positions = bodies[i].now,
                                           .velocities = bodies[i].rest,
                                           .nodeValues[sp_nodeStress] = stressed ? stress : NULL,
                                           .nodeValues[sp_nodePressure] = stressed ? states : NULL,
                                           .tetCount = stressed ? tetCount : 0,
                                           .tetStates = stressed ? states : NULL};
        }
        // The ball lies on the ground and on the cloth
        const spRecordedContact contacts[2] = {
            {.body = 0, .otherBody = 2, .collider = -1, .age = 7, .force = {1, 2, 3}, .normal = {0, 1, 0}},
            {.body = 0,
             .otherBody = -1,
             .collider = 0,
             .age = 1,
             .position = {4, 5, 6},
             .gap = -0.5f,
             .slip = 2},
        };
        spFrameData data = {.stateHash = 0xABCD0000u + (uint64_t)frame,
                            .bodies = frameBodies,
                            .bodyCount = bodyCount,
                            .colliders = places,
                            .colliderCount = colliderCount,
                            .contacts = contacts,
                            .contactCount = sample->stress ? 2 : 0};
        spWriteFrame(&writer, &data);
    }
    for (int i = 0; i < 3; ++i)
    {
        FreeSampleBody(&bodies[i]);
    }
    free(tets);
    free(stress);
    free(states);
    return spCloseWriter(&writer, error);
}
