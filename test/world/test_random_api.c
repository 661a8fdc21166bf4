// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Random programs over the public functions. Whatever they call, and with whatever numbers: nothing breaks,
// what is refused is refused with a sentence and changes nothing, positions stay finite, ids of what is gone
// are known to be stale, and worlds leave no memory behind.
//
//   test_random_api [CALLS [SEED [WORKERS]]]
//
// A failure prints its seed, from which it can be repeated unless it is a multiple of 4: those programs look
// at the clock. Not called here: functions of souple/scene.h and spReadRecording, spCreateSnapshot of foreign
// bytes, spParseMesh and mesh files (test/fuzz does that), souple/view.h (test_view), and the functions that
// only return a default or a name.

#include "souple/record.h"

#include "test/random_values.h"
#include "testbed/check.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#define BODIES 6
#define COLLIDERS 4
#define LINKS 6
#define SNAPSHOTS 4
#define MESHES 8
#define NODES 4096
#define MEMORY_LIMIT ((size_t)64 << 20)
#define WORK SOUPLE_BINARY_DIR "/test/random_api"

typedef struct Memory
{
    atomic_size_t used;
} Memory;

// A world, and ids in it, some of them stale
typedef struct Place
{
    spWorld* world;
    spBodyId bodies[BODIES];
    spColliderId colliders[COLLIDERS];
    spLinkId links[LINKS];
} Place;

typedef struct Program
{
    Values values;
    uint64_t seed; // that it began with
    int64_t calls;
    int64_t refused;
    int64_t nonFinite; // steps that stopped a body
    const char* name;  // of the call
    int workers;
    Memory memory;
    spAllocator allocator;
    Place places[2];
    Place* place; // the one that is called now
    spMesh* meshes[MESHES];
    spSnapshot* snapshots[SNAPSHOTS];
    spRecorder* recorder;
    spSweepRecord sweeps[64];
    spVec3 vectors[NODES];
    spReal numbers[NODES];
    int32_t indices[NODES];
} Program;

static void Fail(const Program* p, const char* what)
{
    printf("%s: %s (call %lld, seed %llu)\n", p->name, what, (long long)p->calls,
           (unsigned long long)p->seed);
    fflush(stdout);
    abort();
}

#define CHECK(p, condition)                                                                                  \
    do                                                                                                       \
    {                                                                                                        \
        if (!(condition))                                                                                    \
        {                                                                                                    \
            Fail(p, #condition);                                                                             \
        }                                                                                                    \
    } while (0)

static void* CountAlloc(size_t size, size_t alignment, void* context)
{
    Memory* memory = context;
    if (size > MEMORY_LIMIT || atomic_fetch_add(&memory->used, size) > MEMORY_LIMIT - size)
    {
        size <= MEMORY_LIMIT ? atomic_fetch_sub(&memory->used, size) : 0;
        return NULL;
    }
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void CountFree(void* block, size_t size, void* context)
{
    Memory* memory = context;
    atomic_fetch_sub(&memory->used, size);
    free(block);
}

// ---------------------------------------------------------------------------------------------------------
// Before and after a call

static bool IsFinite(spVec3 a)
{
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

static void CheckFinite(Program* p)
{
    spBodyId bodies[BODIES];
    int count = spWorld_GetBodies(p->place->world, bodies, BODIES);
    for (int i = 0; i < count; ++i)
    {
        spVec3View x = spBody_GetPositions(p->place->world, bodies[i]);
        spVec3View v = spBody_GetVelocities(p->place->world, bodies[i]);
        for (int k = 0; k < x.count; ++k)
        {
            CHECK(p, IsFinite(x.data[k]));
            CHECK(p, IsFinite(v.data[k]));
        }
    }
}

// Every call that changes a world stands between these two
static uint64_t Begin(Program* p, const char* name)
{
    p->name = name;
    p->calls += 1;
    spWorld_ClearError(p->place->world);
    return spWorld_GetStateHash(p->place->world);
}

static void End(Program* p, uint64_t before, bool done)
{
    if (done)
    {
        return;
    }
    p->refused += 1;
    spError error = spWorld_GetLastError(p->place->world);
    CHECK(p, error.code > sp_errorNone && error.code < sp_errorCodeCount);
    CHECK(p, strlen(error.message) > 10);
    CHECK(p, spWorld_GetStateHash(p->place->world) == before);
}

// The same for a call of which every number counts
static void EndStrict(Program* p, uint64_t before, bool done)
{
    End(p, before, done);
    CHECK(p, done == false || p->values.poisoned == false);
}

// The same for calls that have no world
static void Expect(Program* p, bool done, const spError* error)
{
    p->refused += done == false;
    CHECK(p, done || (error->code != sp_errorNone && strlen(error->message) > 10));
}

// ---------------------------------------------------------------------------------------------------------
// Arguments

static spBodyId AnyBody(Program* p)
{
    spBodyId id = p->place->bodies[Pick(&p->values, BODIES)];
    if (p->values.evil && Chance(&p->values, 10))
    {
        id.index1 = (uint32_t)spNextRandom(&p->values.seed);
    }
    if (p->values.evil && Chance(&p->values, 10))
    {
        id.generation ^= (uint32_t)spNextRandom(&p->values.seed);
    }
    return id;
}

static spColliderId AnyCollider(Program* p)
{
    spColliderId id = p->place->colliders[Pick(&p->values, COLLIDERS)];
    id.generation += p->values.evil && Chance(&p->values, 10) ? 1 : 0;
    return id;
}

static spLinkId AnyLink(Program* p)
{
    spLinkId id = p->place->links[Pick(&p->values, LINKS)];
    id.generation += p->values.evil && Chance(&p->values, 10) ? 1 : 0;
    return id;
}

static int AnySet(Program* p)
{
    return Whole(&p->values, 0, 3);
}

// Nodes of a body, most of them there
static const int32_t* AnyNodes(Program* p, spBodyId body, int count)
{
    int nodeCount = spBody_GetNodeCount(p->place->world, body);
    for (int i = 0; i < count; ++i)
    {
        p->indices[i] = Whole(&p->values, 0, nodeCount > 0 ? nodeCount - 1 : 0);
    }
    return p->indices;
}

static const spReal* AnyNumbers(Program* p, int count, double usual)
{
    for (int i = 0; i < count; ++i)
    {
        p->numbers[i] = Number(&p->values, usual);
    }
    return p->numbers;
}

static const spVec3* AnyVectors(Program* p, int count, double usual)
{
    for (int i = 0; i < count; ++i)
    {
        p->vectors[i] = Vector(&p->values, usual);
    }
    return p->vectors;
}

// ---------------------------------------------------------------------------------------------------------
// Worlds

static void* RunAtOnce(spTaskFcn* task, void* taskContext, void* userContext)
{
    (void)userContext;
    task(taskContext);
    return NULL;
}

static void FinishNothing(void* handle, void* userContext)
{
    (void)handle;
    (void)userContext;
}

static void Listen(spLogLevel level, const char* message, void* context)
{
    (void)level;
    (void)context;
    assert_true(message[0] != 0);
}

static void Observe(const spWorld* world, void* context)
{
    int64_t* steps = context;
    *steps = spWorld_GetStepCount(world);
}

static void MakeWorld(Program* p)
{
    Values* v = &p->values;
    spWorldDef def = spDefaultWorldDef();
    def.gravity = Vector(v, 5.0);
    def.workerCount = v->evil ? Effort(v, 1, 3) : p->workers;
    static const int lanes[] = {0, 1, 4, 8};
    int lane = lanes[Pick(v, 4)];
    def.laneCount = v->evil ? Whole(v, 0, 16) : lane <= spGetLaneCount() ? lane : 0;
    def.contactSkin = Number(v, 0.01);
    def.restitutionThreshold = Number(v, 0.1);
    def.allocator = p->allocator;
    def.logger.log = Listen;
    if (Chance(v, 4))
    {
        def.enqueueTask = RunAtOnce;
        def.finishTask = v->evil && Chance(v, 4) ? NULL : FinishNothing;
    }
    def.internalValue = Cookie(v, def.internalValue);
    p->name = "spCreateWorld";
    p->calls += 1;
    spError error = SP_ZERO_INIT;
    spWorld* world = spCreateWorld(&def, &error);
    Expect(p, world != NULL, &error);
    if (world == NULL)
    {
        return;
    }
    spDestroyWorld(p->place->world);
    memset(p->place, 0, sizeof(*p->place));
    p->place->world = world;
}

static void ReadWorld(Program* p)
{
    const spWorld* world = p->place->world;
    p->name = "getters of a world";
    p->calls += 14;
    spStepReport report = spWorld_GetReport(world);
    CHECK(p, report.bodyCount >= 0 && report.nodeCount >= 0);
    CHECK(p, spWorld_GetProfile(world).step >= 0.0);
    CHECK(p, isfinite(spWorld_GetTime(world)) && spWorld_GetStepCount(world) >= 0);
    CHECK(p, spWorld_GetByteCount(world) <= atomic_load(&p->memory.used));
    CHECK(p, IsFinite(spWorld_GetGravity(world)));
    CHECK(p, spWorld_GetWorkerCount(world) >= 1);
    spDecision decisions[8];
    CHECK(p, spWorld_GetDecisions(world, decisions, 8) <= spWorld_GetDecisionCount(world));
    CHECK(p, spWorld_GetDecisions(world, NULL, 8) == 0);
    spBodyId bodies[2];
    CHECK(p, spWorld_GetBodies(world, bodies, 2) <= spWorld_GetBodyCount(world));
    spColliderId colliders[2];
    CHECK(p, spWorld_GetColliders(world, colliders, 2) <= spWorld_GetColliderCount(world));
    spContact contacts[4];
    int count = spWorld_GetContacts(world, contacts, 4);
    CHECK(p, count <= spWorld_GetContactCount(world));
    for (int i = 0; i < count; ++i)
    {
        CHECK(p, IsFinite(contacts[i].position));
        CHECK(p, contacts[i].age >= 0 && contacts[i].area >= 0 && IsFinite(contacts[i].slip));
    }
    spContactEvents events = spWorld_GetContactEvents(world);
    CHECK(p, events.beginCount >= 0 && events.endCount >= 0 && events.hitCount >= 0);
}

static void SetGravity(Program* p)
{
    uint64_t before = Begin(p, "spWorld_SetGravity");
    EndStrict(p, before, spWorld_SetGravity(p->place->world, Vector(&p->values, 5.0)));
}

static void SetCallback(Program* p)
{
    static int64_t s_steps;
    p->calls += 1;
    spWorld_SetFrameCallback(p->place->world, Chance(&p->values, 3) ? NULL : Observe, &s_steps);
}

static void Step(Program* p)
{
    static const double steps[] = {1e-3, 1.0 / 60.0, 0.1, 1e-6};
    uint64_t before = Begin(p, "spWorld_Step");
    spReal dt = Number(&p->values, steps[Pick(&p->values, 4)]);
    uint32_t flags = 0;
    double budget = 1.0;
    if (p->values.clocked && Chance(&p->values, 4))
    {
        p->name = "spWorld_StepBudget";
        budget = (double)Number(&p->values, 1e-3);
        flags = spWorld_StepBudget(p->place->world, dt, budget);
    }
    else
    {
        flags = spWorld_Step(p->place->world, dt);
    }
    if (!(dt > 0 && isfinite(dt) && budget > 0.0 && isfinite(budget)))
    {
        CHECK(p, flags == sp_stepBadInput && spWorld_GetStateHash(p->place->world) == before);
    }
    p->nonFinite += (flags & sp_stepNonFinite) != 0;
    CheckFinite(p);
    CHECK(p, isfinite(spWorld_GetTime(p->place->world)));
}

static void Decide(Program* p)
{
    Values* v = &p->values;
    spDecision decisions[3];
    int count = Pick(v, 3);
    for (int i = 0; i < count; ++i)
    {
        decisions[i] = (spDecision){
            .step = Chance(v, 3) ? Whole(v, 0, 5) : spWorld_GetStepCount(p->place->world),
            .body = Either(v) ? AnyBody(p) : (spBodyId){0},
            .substep = Whole(v, 0, 1),
            .factorStep = Whole(v, -1, 3),
            .stopAfter = Whole(v, -1, 3),
            .dt = Either(v) ? (double)Number(v, 0.01) : 0.0,
        };
    }
    uint64_t before = Begin(p, "spWorld_Decide");
    End(p, before, spWorld_Decide(p->place->world, count > 0 ? decisions : NULL, count));
}

// ---------------------------------------------------------------------------------------------------------
// Snapshots

static void Save(Program* p)
{
    p->name = "spWorld_Save";
    p->calls += 1;
    int i = Pick(&p->values, SNAPSHOTS);
    spDestroySnapshot(p->snapshots[i]);
    p->snapshots[i] = spWorld_Save(p->place->world);
    size_t size = 0;
    CHECK(p, p->snapshots[i] != NULL && spSnapshot_GetData(p->snapshots[i], &size) != NULL && size > 0);
}

static void Restore(Program* p)
{
    uint64_t before = Begin(p, "spWorld_Restore");
    End(p, before, spWorld_Restore(p->place->world, p->snapshots[Pick(&p->values, SNAPSHOTS)]));
    CheckFinite(p);
}

// Damaged bytes are recognised
static void Damage(Program* p)
{
    p->name = "spCreateSnapshot";
    p->calls += 1;
    int i = Pick(&p->values, SNAPSHOTS);
    size_t size = 0;
    const unsigned char* data = spSnapshot_GetData(p->snapshots[i], &size);
    unsigned char* copy = malloc(size + 1);
    if (size > 0)
    {
        memcpy(copy, data, size);
    }
    bool damaged = size == 0 || Chance(&p->values, 2);
    if (damaged && size > 0)
    {
        copy[spNextRandom(&p->values.seed) % size] ^= (unsigned char)(1 + Pick(&p->values, 255));
    }
    spError error = SP_ZERO_INIT;
    spSnapshot* snapshot = spCreateSnapshot(copy, size, &error);
    Expect(p, snapshot != NULL, &error);
    CHECK(p, (snapshot == NULL) == damaged);
    free(copy);
    if (snapshot != NULL)
    {
        spDestroySnapshot(p->snapshots[i]);
        p->snapshots[i] = snapshot;
    }
}

// ---------------------------------------------------------------------------------------------------------
// Bodies

static void MakeBody(Program* p)
{
    Values* v = &p->values;
    int i = Pick(v, BODIES);
    if (spBody_IsValid(p->place->world, p->place->bodies[i]))
    {
        return;
    }
    spBodyDef def = spDefaultBodyDef();
    def.name = Chance(v, 3) ? "sheet" : NULL;
    def.mesh = p->meshes[Pick(v, MESHES)];
    int nodeCount = def.mesh != NULL ? spMesh_GetVertexCount(def.mesh) : 5;
    if (def.mesh == NULL || Chance(v, 10))
    {
        def.mesh = NULL;
        def.positions = v->evil && Chance(v, 8) ? NULL : AnyVectors(p, 5, 1.0);
        nodeCount = def.positionCount = Effort(v, 1, 5);
    }
    def.transform = Chance(v, 2) ? Placement(v) : def.transform;
    def.velocity = Chance(v, 2) ? Vector(v, 1.0) : def.velocity;
    def.density = Number(v, 500.0);
    def.nodeMass = Chance(v, 2) ? Number(v, 0.1) : 0;
    def.nodeMasses = Chance(v, 8) && nodeCount <= NODES ? AnyNumbers(p, nodeCount, 0.1) : NULL;
    def.gravityScale = Signed(v, 1.0);
    def.contactRadius = Chance(v, 4) ? Number(v, 0.01) : 0;
    def.friction = Share(v);
    def.restitution = Share(v);
    def.method = RandomMethod(v);
    def.keepOrder = Chance(v, 4);
    def.nodeRoom = Chance(v, 2) ? Effort(v, 0, 200) : 0;
    def.internalValue = Cookie(v, def.internalValue);
    uint64_t before = Begin(p, "spCreateBody");
    spBodyId body = spCreateBody(p->place->world, v->evil && Chance(v, 30) ? NULL : &def);
    End(p, before, SP_IS_NULL(body) == false);
    CheckFinite(p);
    p->place->bodies[i] = SP_IS_NULL(body) ? p->place->bodies[i] : body;
}

static void DestroyBody(Program* p)
{
    spBodyId body = AnyBody(p);
    uint64_t before = Begin(p, "spDestroyBody");
    bool there = spBody_IsValid(p->place->world, body);
    int count = spWorld_GetBodyCount(p->place->world);
    spDestroyBody(p->place->world, body);
    CHECK(p, spBody_IsValid(p->place->world, body) == false);
    CHECK(p, spWorld_GetBodyCount(p->place->world) == count - there);
    CHECK(p, there || spWorld_GetStateHash(p->place->world) == before);
}

// Sets of elements: one call of spBody_Add...
static void AddElements(Program* p)
{
    Values* v = &p->values;
    spBodyId body = AnyBody(p);
    spWorld* world = p->place->world;
    AnyNodes(p, body, 64);
    AnyNumbers(p, 16, 1.0);
    uint64_t before = Begin(p, "spBody_Add...");
    int count = spBody_GetSetCount(world, body), set = -1;
    spSpringDef springs = RandomSprings(v, p->indices, p->numbers);
    spTetDef tets = RandomTets(v, p->indices, p->numbers);
    spConstraintDef constraints = RandomConstraints(v, p->indices, p->numbers);
    spGasDef gas = RandomGas(v, p->indices);
    spBendDef bends = RandomBends(v);
    spWindDef wind = RandomWind(v);
    spFieldDef field = RandomField(v);
    bool null = v->evil && Chance(v, 30);
    switch (count < 5 ? Pick(v, 8) : 8)
    {
        case 0:
            p->name = "spBody_AddSprings";
            set = spBody_AddSprings(world, body, null ? NULL : &springs);
            break;
        case 1:
        case 2:
            p->name = "spBody_AddTets";
            set = spBody_AddTets(world, body, null ? NULL : &tets);
            break;
        case 3:
            p->name = "spBody_AddConstraints";
            set = spBody_AddConstraints(world, body, null ? NULL : &constraints);
            break;
        case 4:
            p->name = "spBody_AddGas";
            set = spBody_AddGas(world, body, null ? NULL : &gas);
            break;
        case 5:
            p->name = "spBody_AddBends";
            set = spBody_AddBends(world, body, null ? NULL : &bends);
            break;
        case 6:
            p->name = "spBody_AddWind";
            set = spBody_AddWind(world, body, null ? NULL : &wind);
            break;
        case 7:
            p->name = "spBody_AddField";
            set = spBody_AddField(world, body, null ? NULL : &field);
            break;
        default:
            return;
    }
    End(p, before, set >= 0);
    CHECK(p, spBody_GetSetCount(world, body) == count + (set >= 0));
    CHECK(p, set < 0 || set == count);
    CheckFinite(p);
}

static void SetMaterial(Program* p)
{
    Values* v = &p->values;
    spBodyId body = AnyBody(p);
    spWorld* world = p->place->world;
    int set = AnySet(p);
    uint64_t before = Begin(p, "spBody_Set...");
    bool done = false;
    switch (Pick(v, 11))
    {
        case 0:
            p->name = "spBody_SetSprings";
            done = spBody_SetSprings(world, body, set, Number(v, 100.0), Number(v, 0.1));
            break;
        case 1:
            p->name = "spBody_SetSpringModulus";
            done = spBody_SetSpringModulus(world, body, set, Number(v, 1e4), Number(v, 0.1));
            break;
        case 2:
            p->name = "spBody_SetActivation";
            done = spBody_SetActivation(world, body, set, Share(v) - (spReal)0.5, Number(v, 1.0),
                                        Signed(v, 90.0));
            break;
        case 3:
        case 4:
            p->name = "spBody_SetTets";
            done = spBody_SetTets(world, body, set, Number(v, 1e4), (spReal)0.49 * Share(v), Number(v, 0.01));
            break;
        case 5:
            p->name = "spBody_SetConstraints";
            done = spBody_SetConstraints(world, body, set, Number(v, 1e-4), Number(v, 0.01));
            break;
        case 6:
            p->name = "spBody_SetGas";
            done = spBody_SetGas(world, body, set, Number(v, 10.0));
            break;
        case 7:
            p->name = "spBody_SetBends";
            done = spBody_SetBends(world, body, set, Number(v, 1e-3), Number(v, 1e-5));
            break;
        case 8:
            p->name = "spBody_SetWind";
            done = spBody_SetWind(world, body, set, Vector(v, 1.0));
            break;
        case 9:
            p->name = "spBody_SetField";
            done = spBody_SetField(world, body, set, Number(v, 0.1));
            break;
        default:
            p->name = "spBody_SetContact";
            done = spBody_SetContact(world, body, Share(v), Share(v));
            break;
    }
    EndStrict(p, before, done);
}

static void SetMethod(Program* p)
{
    spBodyId body = AnyBody(p);
    spMethodDef def = RandomMethod(&p->values);
    uint64_t before = Begin(p, "spBody_SetMethod");
    bool null = p->values.evil && Chance(&p->values, 30);
    End(p, before, spBody_SetMethod(p->place->world, body, null ? NULL : &def));
}

static void SetJoint(Program* p)
{
    Values* v = &p->values;
    spBodyId body = AnyBody(p);
    spJointDef def = spDefaultJointDef();
    def.type = (spJointType)Choice(v, sp_jointTypeCount);
    def.point = Vector(v, 1.0);
    def.axis = Vector(v, 1.0);
    def.motorSpeed = Share(v);
    def.motorLimit = Chance(v, 2) ? 0 : Share(v);
    bool motor = Chance(v, 4);
    uint64_t before = Begin(p, motor ? "spBody_SetMotor" : "spBody_SetJoint");
    bool done = motor ? spBody_SetMotor(p->place->world, body, def.motorSpeed, def.motorLimit)
                      : spBody_SetJoint(p->place->world, body, Chance(v, 8) ? NULL : &def);
    End(p, before, done);
}

static void MoveNodes(Program* p)
{
    Values* v = &p->values;
    spBodyId body = AnyBody(p);
    spWorld* world = p->place->world;
    int nodeCount = spBody_GetNodeCount(world, body);
    if (nodeCount > 64)
    {
        return;
    }
    const int32_t* nodes = AnyNodes(p, body, 4);
    int count = Effort(v, 1, 4);
    uint64_t before = Begin(p, "nodes");
    bool done = false;
    switch (Pick(v, 8))
    {
        case 0:
            p->name = "spBody_SetNodeForce";
            done = spBody_SetNodeForce(world, body, nodes[0], Vector(v, 1.0));
            EndStrict(p, before, done);
            break;
        case 1:
            p->name = "spBody_PinNodes";
            done = spBody_PinNodes(world, body, v->evil && Chance(v, 8) ? NULL : nodes, count);
            End(p, before, done);
            break;
        case 2:
        case 3:
            p->name = "spBody_FreeNodes";
            done = spBody_FreeNodes(world, body, v->evil && Chance(v, 8) ? NULL : nodes, count);
            End(p, before, done);
            break;
        case 4:
            p->name = "spBody_DriveNode";
            done = spBody_DriveNode(world, body, nodes[0], Vector(v, 1.0));
            EndStrict(p, before, done);
            break;
        case 5:
            p->name = "spBody_SetPositions";
            done = spBody_SetPositions(world, body, AnyVectors(p, nodeCount, 1.0),
                                       v->evil && Chance(v, 8) ? Whole(v, 0, 0) : nodeCount);
            EndStrict(p, before, done);
            break;
        case 6:
            p->name = "spBody_SetVelocities";
            done = spBody_SetVelocities(world, body, AnyVectors(p, nodeCount, 1.0),
                                        v->evil && Chance(v, 8) ? Whole(v, 0, 0) : nodeCount);
            EndStrict(p, before, done);
            break;
        default:
            p->name = "spBody_Restart";
            done = spBody_Restart(world, body);
            End(p, before, done);
            break;
    }
    CheckFinite(p);
}

// Blades, shapes, tets and tears: refused, or taken in whole
static void Edit(Program* p)
{
    Values* v = &p->values;
    spWorld* world = p->place->world;
    spBodyId body = AnyBody(p);
    spEditResult result;
    spEditResult* told = Chance(v, 4) ? NULL : &result;
    spBlade blade = {.begin = {Vector(v, 1.0), Vector(v, 1.0)}, .end = {Vector(v, 1.0), Vector(v, 1.0)}};
    blade.follows = Either(v);
    spColliderDef shape = spDefaultColliderDef();
    shape.shape = (spShape)Choice(v, sp_shapeCount);
    shape.radius = Number(v, 0.2);
    shape.halfSize = (spVec3){Number(v, 0.2), Number(v, 0.2), Number(v, 0.2)};
    shape.halfHeight = Number(v, 0.2);
    shape.transform = Placement(v);
    spTearDef tear = spDefaultTearDef();
    tear.strength = Number(v, 1e3);
    tear.mostNodes = Effort(v, 1, 5);
    tear.internalValue = Cookie(v, tear.internalValue);
    int32_t tets[2] = {Whole(v, 0, 20), Whole(v, 0, 20)};
    int sort = Pick(v, 5);
    uint64_t before = Begin(p, "edit");
    bool done = false;
    if (sort < 2)
    {
        p->name = "spBody_Cut";
        done = spBody_Cut(world, body, v->evil && Chance(v, 8) ? NULL : &blade, told);
    }
    else if (sort == 2)
    {
        p->name = "spBody_Carve";
        done = spBody_Carve(world, body, v->evil && Chance(v, 8) ? NULL : &shape, told);
    }
    else if (sort == 3)
    {
        p->name = "spBody_RemoveTets";
        done = spBody_RemoveTets(world, body, tets, Effort(v, 0, 2), told);
    }
    else
    {
        p->name = "spBody_Tear";
        done = spBody_Tear(world, body, v->evil && Chance(v, 8) ? NULL : &tear, told);
    }
    End(p, before, done);
    CheckFinite(p);
    CHECK(p, spBody_GetPieceCount(world, body) >= 0);
    spBody_GetBareTriangles(world, body, NULL);
}

static void Relax(Program* p)
{
    Values* v = &p->values;
    spRelaxDef def = spDefaultRelaxDef();
    def.tolerance = (double)Number(v, 1e-2);
    def.maxIterations = Effort(v, 1, 30);
    def.dynamic = Either(v);
    def.internalValue = Cookie(v, def.internalValue);
    spRelaxResult result;
    spBodyId body = AnyBody(p);
    uint64_t before = Begin(p, "spBody_Relax");
    End(p, before, spBody_Relax(p->place->world, body, &def, Chance(v, 4) ? NULL : &result));
    CheckFinite(p);
}

static void RecordSweeps(Program* p)
{
    Values* v = &p->values;
    spBodyId body = AnyBody(p);
    int nodeCount = spBody_GetNodeCount(p->place->world, body);
    const spVec3* target = Either(v) && nodeCount <= NODES ? AnyVectors(p, nodeCount, 1.0) : NULL;
    uint64_t before = Begin(p, "spBody_RecordSweeps");
    End(p, before,
        spBody_RecordSweeps(p->place->world, body, Chance(v, 4) ? NULL : p->sweeps, Effort(v, 1, 64),
                            target));
}

static void AttachSurface(Program* p)
{
    spBodyId body = AnyBody(p);
    uint64_t before = Begin(p, "spBody_AttachSurface");
    End(p, before, spBody_AttachSurface(p->place->world, body, p->meshes[Pick(&p->values, MESHES)]));
}

// Everything that can be asked of a body; for a stale id the answers are zeros
static void ReadBody(Program* p)
{
    spWorld* world = p->place->world;
    spBodyId body = AnyBody(p);
    int node = Whole(&p->values, 0, 8), set = AnySet(p), capacity = Effort(&p->values, 0, 40);
    p->name = "getters of a body";
    p->calls += 48;
    bool there = spBody_IsValid(world, body);
    int nodeCount = spBody_GetNodeCount(world, body);
    CHECK(p, there == (nodeCount > 0));
    spMethodDef method = spBody_GetMethod(world, body);
    CHECK(p,
          method.type < sp_methodTypeCount && (method.filter.edges == NULL || method.filter.edges[0] >= 0));
    spSolverReport solver = spBody_GetSolverReport(world, body);
    CHECK(p, solver.iterations >= 0);
    CHECK(p, spBody_GetSweepRecordCount(world, body) <= 64);
    spReal a = 0, b = 0, c = 0;
    CHECK(p, spBody_GetContact(world, body, &a, NULL) == there &&
                 spBody_GetContact(world, body, NULL, &b) == there);
    CHECK(p, spBody_GetNodeRole(world, body, node) <= sp_nodeDriven);
    CHECK(p, there || spBody_GetPinForce(world, body).x == 0);
    CHECK(p, (spBody_GetName(world, body)[0] != 0) == there);
    CHECK(p, there || spBody_GetElementCount(world, body) == 0);
    CHECK(p, there || spBody_IsRunning(world, body) == false);
    spVec3View x = spBody_GetPositions(world, body);
    spVec3View v = spBody_GetVelocities(world, body);
    CHECK(p, x.count == nodeCount && v.count == nodeCount && (x.data != NULL) == there);
    int most = capacity < 0 ? 0 : capacity;
    CHECK(p, spBody_CopyPositions(world, body, p->vectors, capacity) <= most);
    CHECK(p, spBody_CopyVelocities(world, body, p->vectors, capacity) <= most);
    CHECK(p, spBody_CopyPositions(world, body, NULL, NODES) == 0);
    CHECK(p, spBody_CopyMasses(world, body, p->numbers, capacity) <= most);
    CHECK(p, spBody_CopySurfacePositions(world, body, p->vectors, capacity) <= most);
    CHECK(p, spBody_CopySurfaceWeights(world, body, p->indices, p->numbers, capacity) <= most);
    CHECK(p, spBody_CopyNodeStress(world, body, p->numbers, capacity) <= most);
    CHECK(p, spBody_CopyNodeStrain(world, body, p->numbers, capacity) <= most);
    CHECK(p, spBody_CopyNodeModulus(world, body, p->numbers, capacity) <= most);
    CHECK(p, spBody_CopyNodeRegions(world, body, p->numbers, capacity) <= most);
    CHECK(p, spBody_CopyNodeLevels(world, body, p->numbers, capacity) <= most);
    CHECK(p, spBody_CopyContactForces(world, body, p->vectors, capacity) <= most);
    CHECK(p, spBody_CopyContactPressures(world, body, p->numbers, capacity) <= most);
    spPairLoad load = spWorld_GetPairLoad(world, spBodyThing(body), (spThing){0}, (spVec3){0, 0, 0});
    CHECK(p, load.contactCount <= spWorld_GetContactCount(world) && (there || load.contactCount == 0));
    CHECK(p, there || spBody_GetJointState(world, body).motor == 0);
    int count = 0;
    const int32_t* triangles = spBody_GetTriangles(world, body, &count);
    CHECK(p, (triangles != NULL) == (count > 0));
    const int32_t* edges = spBody_GetEdges(world, body, &count);
    CHECK(p, (edges != NULL) == (count > 0));
    const int32_t* surface = spBody_GetSurfaceTriangles(world, body, &count);
    CHECK(p, (surface != NULL) == (spBody_GetSurfaceVertexCount(world, body) > 0));
    CHECK(p, spBody_GetSurfacePositions(world, body).count == spBody_GetSurfaceVertexCount(world, body));
    CHECK(p, there || spBody_GetTopologyVersion(world, body) == 0);
    spEnergy energy = spBody_GetEnergy(world, body);
    CHECK(p, there || (energy.kinetic == 0.0 && energy.elastic == 0.0 && energy.potential == 0.0));
    CHECK(p, there || spBody_GetVolume(world, body) == 0.0);
    spVec3 momentum = spBody_GetMomentum(world, body), center = spBody_GetCenter(world, body);
    CHECK(p, there || (momentum.x == 0 && center.x == 0 && spBody_GetAngularMomentum(world, body).y == 0));
    CHECK(p, there == false || spBody_GetStableStep(world, body) >= 0.0);
    CHECK(p, there || spBody_GetContactForce(world, body).x == 0);

    CHECK(p,
          spBody_GetTetCount(world, body, set) >= 0 && spBody_GetTetLaw(world, body, set) <= sp_tetLawCount);
    CHECK(p, spBody_CopyTets(world, body, set, p->indices, capacity) <= most);
    spTetState states[40];
    CHECK(p, spBody_CopyTetStates(world, body, set, states, capacity) <= most);
    CHECK(p, spBody_CountInvertedTets(world, body) >= 0);
    spBody_GetSprings(world, body, set, &a, NULL);
    spBody_GetSpringModulus(world, body, set, &a, &b);
    spBody_GetTets(world, body, set, &a, NULL, &c);
    spBody_GetConstraints(world, body, set, NULL, &b);
    spBody_GetBends(world, body, set, &a, &b);
    CHECK(p, isfinite(a) && isfinite(b) && isfinite(c));
    CHECK(p, isfinite(spBody_GetGas(world, body, set)) && IsFinite(spBody_GetWind(world, body, set)));
    CHECK(p, isfinite(spBody_GetField(world, body, set)));
    spBody_GetPressure(world, body, set);
}

// ---------------------------------------------------------------------------------------------------------
// Colliders and links

static void MakeCollider(Program* p)
{
    int i = Pick(&p->values, COLLIDERS);
    if (spCollider_IsValid(p->place->world, p->place->colliders[i]))
    {
        return;
    }
    spColliderDef def = RandomCollider(&p->values);
    uint64_t before = Begin(p, "spCreateCollider");
    spColliderId collider = spCreateCollider(p->place->world, &def);
    End(p, before, SP_IS_NULL(collider) == false);
    p->place->colliders[i] = SP_IS_NULL(collider) ? p->place->colliders[i] : collider;
}

static void UseCollider(Program* p)
{
    Values* v = &p->values;
    spWorld* world = p->place->world;
    spColliderId collider = AnyCollider(p);
    spTransform placement = Placement(v);
    uint64_t before = Begin(p, "colliders");
    bool there = spCollider_IsValid(world, collider);
    switch (Pick(v, 6))
    {
        case 0:
            p->name = "spCollider_SetTransform";
            EndStrict(p, before, spCollider_SetTransform(world, collider, placement));
            break;
        case 1:
        case 2:
            p->name = "spCollider_MoveTo";
            EndStrict(p, before, spCollider_MoveTo(world, collider, placement));
            break;
        case 3:
            if (Chance(v, 3))
            {
                p->name = "spDestroyCollider";
                spDestroyCollider(world, collider);
                CHECK(p, spCollider_IsValid(world, collider) == false);
            }
            break;
        default:
            p->name = "getters of a collider";
            p->calls += 3;
            CHECK(p, IsFinite(spCollider_GetTransform(world, collider).position));
            CHECK(p, there == (spCollider_GetDef(world, collider).name != NULL));
            CHECK(p, there || spCollider_GetForce(world, collider).x == 0);
            CHECK(p, there || spCollider_GetTorque(world, collider).x == 0);
            break;
    }
}

static void MakeLink(Program* p)
{
    Values* v = &p->values;
    int i = Pick(v, LINKS);
    if (spLink_IsValid(p->place->world, p->place->links[i]))
    {
        return;
    }
    spLinkDef def = spDefaultLinkDef();
    def.body = AnyBody(p);
    def.nodes = v->evil && Chance(v, 10) ? NULL : AnyNodes(p, def.body, 4);
    def.nodeCount = Effort(v, 1, 4);
    def.otherBody = Chance(v, 3) ? AnyBody(p) : (spBodyId){0};
    def.collider = Chance(v, 3) ? AnyCollider(p) : (spColliderId){0};
    def.stiffness = Either(v) ? Number(v, 10.0) : 0;
    def.maxForce = Chance(v, 4) ? Number(v, 10.0) : 0;
    def.anchors = Chance(v, 6) ? AnyVectors(p, 4, 0.5) : NULL;
    def.offset = Chance(v, 4) ? Vector(v, 0.1) : def.offset;
    def.internalValue = Cookie(v, def.internalValue);
    uint64_t before = Begin(p, "spCreateLink");
    spLinkId link = spCreateLink(p->place->world, &def);
    End(p, before, SP_IS_NULL(link) == false);
    p->place->links[i] = SP_IS_NULL(link) ? p->place->links[i] : link;
}

static void UseLink(Program* p)
{
    Values* v = &p->values;
    spWorld* world = p->place->world;
    spLinkId link = AnyLink(p);
    uint64_t before = Begin(p, "links");
    switch (Pick(v, 4))
    {
        case 0:
            p->name = "spDestroyLink";
            spDestroyLink(world, link);
            CHECK(p, spLink_IsValid(world, link) == false);
            break;
        case 1:
        case 2:
            p->name = "spLink_MoveTo";
            EndStrict(p, before, spLink_MoveTo(world, link, Vector(v, 0.2)));
            break;
        default:
            p->name = "getters of a link";
            p->calls += 1;
            CHECK(p, spLink_IsValid(world, link) || spLink_GetForce(world, link).x == 0);
            CHECK(p, spLink_CopyAnchors(world, link, p->vectors, 2) <= 2);
            break;
    }
}

// ---------------------------------------------------------------------------------------------------------
// Meshes

static void CheckMesh(Program* p, spMesh* mesh)
{
    spError error = SP_ZERO_INIT;
    spMeshReport report;
    CHECK(p, spMesh_Validate(mesh, &report, &error));
    CHECK(p,
          report.vertexCount == spMesh_GetVertexCount(mesh) && report.tetCount == spMesh_GetTetCount(mesh));
    const spDVec3* x = spMesh_GetVertices(mesh);
    for (int i = 0; i < report.vertexCount; ++i)
    {
        CHECK(p, isfinite(x[i].x) && isfinite(x[i].y) && isfinite(x[i].z));
    }
}

static void MakeMesh(Program* p)
{
    int i = Pick(&p->values, MESHES);
    p->name = "spMake...Mesh";
    p->calls += 1;
    spError error = SP_ZERO_INIT;
    spMesh* mesh = RandomMesh(&p->values, &p->allocator, &error);
    Expect(p, mesh != NULL, &error);
    if (mesh == NULL || spMesh_GetVertexCount(mesh) > 60)
    {
        spDestroyMesh(mesh);
        return;
    }
    CheckMesh(p, mesh);
    spDestroyMesh(p->meshes[i]);
    p->meshes[i] = mesh;
}

// From arrays: triangles and tets between any vertices, repaired now and then
static void CreateMesh(Program* p)
{
    Values* v = &p->values;
    spDVec3 vertices[12];
    for (int i = 0; i < 12; ++i)
    {
        vertices[i] = Point(v, 1.0);
        p->indices[i] = Whole(v, 0, 11);
        p->indices[12 + i] = Whole(v, 0, 11);
        p->indices[24 + i] = Whole(v, 0, 11);
    }
    spMeshDef def = spDefaultMeshDef();
    def.vertices = v->evil && Chance(v, 10) ? NULL : vertices;
    def.vertexCount = Effort(v, 12, 12);
    def.edges = Chance(v, 3) ? p->indices : NULL;
    def.edgeCount = def.edges != NULL ? Effort(v, 1, 6) : 0;
    def.triangles = Either(v) ? p->indices + 12 : NULL;
    def.triangleCount = def.triangles != NULL ? Effort(v, 1, 4) : 0;
    def.tets = Either(v) ? p->indices + 24 : NULL;
    def.tetCount = def.tets != NULL ? Effort(v, 1, 3) : 0;
    def.tetRegions = Chance(v, 3) ? p->indices : NULL;
    def.allocator = p->allocator;
    def.internalValue = Cookie(v, def.internalValue);
    p->name = "spCreateMesh";
    p->calls += 1;
    spError error = SP_ZERO_INIT;
    spMesh* mesh = spCreateMesh(v->evil && Chance(v, 30) ? NULL : &def, &error);
    Expect(p, mesh != NULL, &error);
    if (mesh == NULL)
    {
        return;
    }
    CheckMesh(p, mesh);
    spRepairDef repair = spDefaultRepairDef();
    repair.mergeDistance = (double)Number(v, 0.01);
    repair.dropOrphans = Either(v);
    repair.dropDegenerate = Either(v);
    repair.flipInvertedTets = Either(v);
    repair.orientSurface = Either(v);
    repair.keepLargest = Either(v);
    repair.closeHoles = Effort(v, 0, 5);
    repair.internalValue = Cookie(v, repair.internalValue);
    p->name = "spMesh_Repair";
    p->calls += 1;
    bool good = spMesh_Repair(mesh, &repair, NULL, &error);
    Expect(p, good, &error);
    CheckMesh(p, mesh);
    int i = Pick(v, MESHES);
    spDestroyMesh(p->meshes[i]);
    p->meshes[i] = mesh;
}

static void UseMesh(Program* p)
{
    Values* v = &p->values;
    spMesh* mesh = p->meshes[Pick(v, MESHES)];
    if (mesh == NULL)
    {
        return;
    }
    p->calls += 3;
    spError error = SP_ZERO_INIT;
    spIndexList list = SP_ZERO_INIT;
    spDVec3 points[4] = {Point(v, 1.0), Point(v, 1.0), Point(v, 1.0), Point(v, 1.0)};
    double values[9] = {(double)NAN};
    bool good = false;
    switch (Pick(v, 6))
    {
        case 0:
            p->name = "spMesh_CollectEdges";
            CHECK(p, spMesh_CollectEdges(mesh, &list, &error) && list.count >= 0);
            spFreeIndexList(&list);
            break;
        case 1:
            p->name = "spMesh_CollectBoundary";
            CHECK(p, spMesh_CollectBoundary(mesh, &list, &error) && list.count >= 0);
            spFreeIndexList(&list);
            break;
        case 2:
        {
            p->name = "spCreateMeshMap";
            spMeshMap* map = spCreateMeshMap(mesh, points, Effort(v, 1, 4), &error);
            Expect(p, map != NULL, &error);
            if (map != NULL)
            {
                spDVec3 to[4] = {{0}};
                spMeshMap_Apply(map, spMesh_GetVertices(mesh), to);
                CHECK(p, spMeshMap_GetPointCount(map) <= 4 && spMeshMap_GetOutsideCount(map) <= 4);
                CHECK(p, spMeshMap_GetPointCount(map) == 0 || spMeshMap_GetIndices(map)[0] >= 0);
            }
            spDestroyMeshMap(map);
            break;
        }
        case 3:
            p->name = "spMesh_Transform";
            v->poisoned = false;
            good = spMesh_Transform(mesh, v->evil ? Point(v, 1.0) : (spDVec3){1, 1, 1}, Placement(v), &error);
            Expect(p, good, &error);
            CHECK(p, good == false || v->poisoned == false);
            CheckMesh(p, mesh);
            break;
        case 4:
            p->name = "spMesh_SetTetRegion";
            good = spMesh_SetTetRegion(mesh, Whole(v, 0, 4), Whole(v, 0, 4));
            CHECK(p, good == false || spMesh_GetTetRegions(mesh) != NULL);
            break;
        default:
            p->name = "spMesh_SetValues";
            // Enough for every part of a mesh of this size only when there is one entry
            if (spMesh_GetVertexCount(mesh) == 1)
            {
                good = spMesh_SetValues(mesh, sp_meshVertices, "a", Effort(v, 1, 9), values, &error);
                Expect(p, good, &error);
            }
            CHECK(p, spMesh_SetValues(mesh, (spMeshPart)99, "a", 1, values, &error) == false);
            CHECK(p, spMesh_SetValues(mesh, sp_meshVertices, NULL, 1, values, &error) == false);
            CHECK(p, spMesh_SetValues(mesh, sp_meshVertices, "a", 1, NULL, &error) == false);
            CHECK(p, spMesh_GetValues(mesh, sp_meshTets, Whole(v, 70, 80)) == NULL);
            CHECK(p, spMesh_FindValues(mesh, sp_meshTriangles, "b") == -1);
            break;
    }
}

// ---------------------------------------------------------------------------------------------------------
// Recordings

static void ReadRecording(Program* p, const char* path)
{
    Values* v = &p->values;
    spError error = SP_ZERO_INIT;
    p->name = "spLoadRecording";
    spRecording* recording = spLoadRecording(path, &p->allocator, &error);
    CHECK(p, recording != NULL && spRecording_IsComplete(recording));
    spPictureDef def = spDefaultPictureDef();
    def.width = Whole(v, 16, 24);
    def.height = Whole(v, 16, 24);
    def.samples = Effort(v, 1, 2);
    def.color = (spPictureColor)Choice(v, sp_pictureColorCount);
    def.rangeLow = (double)Number(v, 1.0);
    def.rangeHigh = (double)Number(v, 1.0);
    def.showEdges = Either(v);
    def.caption = Chance(v, 4) ? "caption" : NULL;
    def.lineWidth = (double)Number(v, 1.0);
    spCamera camera = {Point(v, 3.0), Point(v, 1.0), {0, 1, 0}, (double)Number(v, 40.0)};
    def.camera = Either(v) ? &camera : NULL;
    // Sizes within the buffer: larger ones would be drawn
    def.width = def.width > 24 && def.width <= SP_MAX_PICTURE_SIZE ? 16 : def.width;
    def.height = def.height > 24 && def.height <= SP_MAX_PICTURE_SIZE ? 16 : def.height;
    uint8_t rgb[3 * 24 * 24];
    p->name = "spDrawPicture";
    p->calls += 2;
    bool good = spDrawPicture(recording, Whole(v, 0, 2), &def, rgb, &error);
    Expect(p, good, &error);
    spDestroyRecording(recording);
}

static void Record(Program* p)
{
    Values* v = &p->values;
    static const char* const names[] = {"a", "b", NULL, ""};
    static const char s_path[] = WORK ".souple";
    double values[4] = {1.0, (double)NAN, 3.0, 4.0};
    spError error = SP_ZERO_INIT;
    p->calls += 1;
    if (p->recorder == NULL)
    {
        p->name = "spCreateRecorder";
        spPlayInfo play = {NULL, (double)Number(v, 0.01), (double)Number(v, 0.01), Either(v), Either(v)};
        spCamera camera = {Point(v, 3.0), Point(v, 1.0), {0, 1, 0}, (double)Number(v, 40.0)};
        spRecorderDef def = spDefaultRecorderDef();
        def.path = v->evil && Chance(v, 6) ? (Either(v) ? NULL : "/no/such/folder/x") : s_path;
        def.sceneText = Either(v) ? "{}" : NULL;
        def.play = Either(v) ? &play : NULL;
        def.measurementNames = names;
        def.measurementUnits = Either(v) ? names : NULL;
        def.measurementCount = Effort(v, 0, v->evil ? 4 : 2);
        def.storeVelocities = Either(v);
        def.storeStress = Either(v);
        def.storeTetStates = Either(v);
        def.camera = Chance(v, 3) ? &camera : NULL;
        def.allocator = p->allocator;
        def.internalValue = Cookie(v, def.internalValue);
        p->recorder = spCreateRecorder(p->place->world, &def, &error);
        Expect(p, p->recorder != NULL, &error);
        return;
    }
    bool good = true;
    switch (Pick(v, 6))
    {
        case 0:
        case 1:
            p->name = "spRecorder_AddFrame";
            good = spRecorder_AddFrame(p->recorder, p->place->world, Either(v) ? values : NULL);
            break;
        case 2:
            p->name = "spRecorder_AddMeasurements";
            good = spRecorder_AddMeasurements(p->recorder, p->place->world, Either(v) ? values : NULL);
            break;
        case 3:
            p->name = "spRecorder_AddAct";
            good = spRecorder_AddAct(p->recorder, "{}", 2);
            break;
        default:
            if (spRecorder_GetByteCount(p->recorder) > 0 && Chance(v, 4))
            {
                p->name = "spCloseRecorder";
                good = spCloseRecorder(p->recorder, &error);
                p->recorder = NULL;
                CHECK(p, good);
                ReadRecording(p, s_path);
            }
            break;
    }
    CHECK(p, good || spRecorder_GetError(p->recorder).message[0] != 0);
}

static void TakeText(const char* text, size_t size, void* context)
{
    (void)text;
    *(size_t*)context += size;
}

static void Plot(Program* p)
{
    Values* v = &p->values;
    double x[8], y[8];
    for (int i = 0; i < 8; ++i)
    {
        x[i] = (double)Signed(v, 1.0);
        y[i] = (double)Signed(v, 1.0);
    }
    spPlotSeries series = {Either(v) ? "a <b>" : NULL, x, y, Effort(v, 0, 8),
                           (spPlotStyle)Choice(v, sp_plotStyleCount)};
    spPlotDef def = spDefaultPlotDef();
    def.title = Either(v) ? "t & u" : NULL;
    def.series = &series;
    def.seriesCount = Effort(v, 0, 1);
    def.xLog = Chance(v, 3);
    def.yLog = Chance(v, 3);
    def.xMin = Chance(v, 3) ? (double)Number(v, 0.1) : def.xMin;
    def.xMax = Chance(v, 3) ? (double)Number(v, 10.0) : def.xMax;
    def.yMin = Chance(v, 3) ? (double)Number(v, 0.1) : def.yMin;
    def.yMax = Chance(v, 3) ? (double)Number(v, 10.0) : def.yMax;
    def.width = Whole(v, 200, 300);
    def.height = Whole(v, 150, 200);
    def.internalValue = Cookie(v, def.internalValue);
    p->name = "spWritePlot";
    p->calls += 1;
    size_t size = 0;
    spError error = SP_ZERO_INIT;
    bool good = spWritePlot(&def, TakeText, &size, &error);
    Expect(p, good, &error);
    CHECK(p, good == (size > 0));
}

// ---------------------------------------------------------------------------------------------------------

typedef struct Operation
{
    void (*call)(Program* p);
    int weight;
} Operation;

static const Operation s_operations[] = {
    {MakeWorld, 1},   {ReadWorld, 20},    {SetGravity, 10},  {SetCallback, 3},  {Step, 40},
    {Decide, 4},      {Save, 6},          {Restore, 8},      {Damage, 3},       {MakeBody, 40},
    {DestroyBody, 8}, {AddElements, 60},  {SetMaterial, 80}, {SetMethod, 20},   {MoveNodes, 80},
    {Edit, 30},       {SetJoint, 20},     {Relax, 3},        {RecordSweeps, 4}, {AttachSurface, 4},
    {ReadBody, 40},   {MakeCollider, 12}, {UseCollider, 40}, {MakeLink, 20},    {UseLink, 40},
    {MakeMesh, 6},    {CreateMesh, 4},    {UseMesh, 8},      {Record, 20},      {Plot, 2},
};

#define OPERATIONS ((int)(sizeof(s_operations) / sizeof(s_operations[0])))

// A program of so many calls, from empty worlds to nothing left
static void RunProgram(Program* p, int64_t calls)
{
    p->allocator = (spAllocator){CountAlloc, CountFree, &p->memory};
    int total = 0;
    for (int i = 0; i < OPERATIONS; ++i)
    {
        total += s_operations[i].weight;
    }
    for (int i = 0; i < 2; ++i)
    {
        p->place = &p->places[i];
        p->values.evil = false;
        MakeWorld(p);
    }
    while (p->calls < calls)
    {
        p->place = &p->places[Pick(&p->values, 8) == 0];
        p->values.evil = Chance(&p->values, 3);
        p->values.poisoned = false;
        int at = Pick(&p->values, total), i = 0;
        while (at >= s_operations[i].weight)
        {
            at -= s_operations[i++].weight;
        }
        s_operations[i].call(p);
    }
    p->name = "the end";
    spCloseRecorder(p->recorder, NULL);
    for (int i = 0; i < SNAPSHOTS; ++i)
    {
        spDestroySnapshot(p->snapshots[i]);
    }
    for (int i = 0; i < MESHES; ++i)
    {
        spDestroyMesh(p->meshes[i]);
    }
    for (int i = 0; i < 2; ++i)
    {
        spDestroyWorld(p->places[i].world);
    }
    CHECK(p, atomic_load(&p->memory.used) == 0);
}

static int64_t s_calls = 100000;
static uint64_t s_seed = 1;
static int s_workers = 2;

static void TestRandomPrograms(void** state)
{
    (void)state;
    const int64_t each = 5000;
    int64_t calls = 0, refused = 0, nonFinite = 0;
    for (uint64_t seed = s_seed; calls < s_calls; ++seed)
    {
        Program* p = calloc(1, sizeof(Program));
        assert_non_null(p);
        p->seed = seed;
        p->values.seed = seed;
        p->workers = s_workers;
        p->values.clocked = seed % 4 == 0;
        RunProgram(p, each);
        calls += p->calls;
        refused += p->refused;
        nonFinite += p->nonFinite;
        free(p);
    }
    printf("%lld calls, %lld refused, %lld steps stopped a body\n", (long long)calls, (long long)refused,
           (long long)nonFinite);
}

int main(int argc, char** argv)
{
    s_calls = argc > 1 ? atoll(argv[1]) : s_calls;
    s_seed = argc > 2 ? (uint64_t)strtoull(argv[2], NULL, 10) : s_seed;
    s_workers = argc > 3 ? atoi(argv[3]) : s_workers;
    const struct CMUnitTest tests[] = {cmocka_unit_test(TestRandomPrograms)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
