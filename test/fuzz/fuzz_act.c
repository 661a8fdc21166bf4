// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Acts on a small world that runs: each is carried out, or refused with a sentence and nothing has changed.
// One act and a step in each input; with FUZZ_SESSION lines of acts, and empty lines for steps.

#include "souple/scene.h"

#include "bounded.h"

#include <math.h>
#include <string.h>

#define MEMORY_LIMIT ((size_t)16 << 20)

#ifdef FUZZ_SESSION
#define STEPS 4
#define ACTS 12
#endif

// A cube of tets, a sheet of springs, hinges and air, a ball of gas, each with another method; a ground, a
// hold, a grab, and a measurement of each
static const char s_scene[] =
    "{\"souple\": 1, \"dt\": 0.01, \"duration\": 1, \"bodies\": ["
    "{\"name\": \"cube\", \"mesh\": {\"generator\": \"box\", \"cells\": [1, 1, 1]}, "
    "\"tets\": {\"youngModulus\": 2e4, \"damping\": 0.02}, \"density\": 200, \"method\": \"backwardEuler\"}, "
    "{\"name\": \"sheet\", \"mesh\": {\"generator\": \"cloth\", \"countX\": 3, \"countZ\": 3}, "
    "\"transform\": {\"position\": [3, 0.5, 0]}, \"density\": 0.3, \"springs\": {\"stiffness\": 100}, "
    "\"bends\": {}, \"wind\": {}, \"fields\": {\"type\": \"drag\"}, \"pins\": 0}, "
    "{\"name\": \"ball\", \"mesh\": {\"generator\": \"icosphere\", \"level\": 0}, "
    "\"transform\": {\"position\": [-3, 0.5, 0]}, \"density\": 1, \"constraints\": {\"type\": \"distance\", "
    "\"compliance\": 1e-4}, "
    "\"gas\": {}, \"method\": {\"type\": \"xpbd\", \"xpbd\": {\"solver\": \"gaussSeidel\", \"iterations\": "
    "2}}}], "
    "\"colliders\": {\"name\": \"ground\", \"shape\": \"plane\", \"transform\": {\"position\": [0, -0.5, "
    "0]}}, "
    "\"attachments\": {\"name\": \"hold\", \"body\": \"sheet\", \"nodes\": 8}, "
    "\"events\": {\"time\": 0.02, \"type\": \"grab\", \"name\": \"hand\", \"body\": \"cube\", \"nodes\": 7}, "
    "\"measurements\": [{\"type\": \"energy\"}, {\"type\": \"linkForce\", \"link\": \"hand\"}, "
    "{\"type\": \"pressure\", \"body\": \"ball\"}, {\"type\": \"vonMises\", \"body\": \"cube\"}]}";

// FNV-1a, over all that a page is told
static void HashText(const char* text, size_t size, void* context)
{
    uint64_t* hash = context;
    for (size_t i = 0; i < size; ++i)
    {
        *hash = (*hash ^ (unsigned char)text[i]) * 0x100000001B3ull;
    }
}

static void CountText(const char* text, size_t size, void* context)
{
    CHECK(text != NULL);
    *(size_t*)context += size;
}

// Settings are described for some inputs only: that takes ten times as long as everything else
static uint64_t HashRun(spRun* run, bool settings)
{
    uint64_t hash = spWorld_GetStateHash(spRun_GetWorld(run));
    CHECK(settings == false || spRun_DescribeSettings(run, HashText, &hash));
    int count = spRun_GetHandCount(run);
    HashText((const char*)&count, sizeof(count), &hash);
    spVec3 center = {0};
    spRun_GetTool(run, &center, NULL, NULL);
    HashText((const char*)&center, sizeof(center), &hash);
    return hash;
}

// A run that nothing has been done with yet, and the hashes of all such runs. One that refused everything is
// used again.
static spRun* s_run;
static uint64_t s_first[2];
static Bounded s_bounded;

static void MakeRun(void)
{
    static spScene* s_parsed = NULL;
    spError error = SP_ZERO_INIT;
    if (s_parsed == NULL)
    {
        s_parsed = spParseScene(s_scene, sizeof(s_scene) - 1, NULL, NULL, &error);
        CHECK(s_parsed != NULL);
    }
    spRunDef def = spDefaultRunDef();
    def.threadCount = 1;
    def.laneCount = 1;
    def.allocator = MakeBounded(&s_bounded, MEMORY_LIMIT);
    s_run = spCreateRun(s_parsed, &def, &error);
    CHECK(s_run != NULL);
    if (s_first[1] == 0)
    {
        s_first[0] = HashRun(s_run, false);
        s_first[1] = HashRun(s_run, true);
    }
}

// Says whether an act was carried out. If not, the run has the hash that it had before.
static bool Act(const char* line, size_t size, bool settings, uint64_t before)
{
    spError refusal = SP_ZERO_INIT;
    bool done = spRun_Act(s_run, line, size, &refusal);
    CHECK(done == (refusal.code == sp_errorNone));
    CHECK(done || (refusal.message[0] != 0 && HashRun(s_run, settings) == before));
    CheckFinite(spRun_GetWorld(s_run));
    return done;
}

// Says whether there was a step
static bool Step(void)
{
    spWorld* world = spRun_GetWorld(s_run);
    if (IsQuick(world, spRun_GetTimeStep(s_run)) == false)
    {
        return false;
    }
    spRun_Step(s_run);
    CheckFinite(world);
    return true;
}

// Says whether anything was done
static bool UseRun(const char* text, size_t size, bool settings)
{
#ifdef FUZZ_SESSION
    const char* end = text + size;
    int steps = 0, acts = 0;
    uint64_t before = s_first[settings];
    bool known = true, used = false;
    while (text < end && acts < ACTS && steps < STEPS)
    {
        const char* next = memchr(text, '\n', (size_t)(end - text));
        next = next != NULL ? next : end;
        if (next == text)
        {
            known = Step() == false && known;
            used = used || known == false;
            steps += 1;
        }
        else
        {
            before = known ? before : HashRun(s_run, settings);
            known = Act(text, (size_t)(next - text), settings, before) == false;
            used = used || known == false;
            acts += 1;
        }
        text = next + 1;
    }
    return used;
#else
    bool used = Act(text, size, settings, s_first[settings]);
    if (used)
    {
        Step();
    }
    return used;
#endif
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    if (s_run == NULL)
    {
        MakeRun();
    }
    bool settings = size % 16 == 7;
    if (UseRun((const char*)data, size, settings))
    {
        size_t total = 0;
        CHECK(settings == false || (spRun_Describe(s_run, CountText, &total) && total > 0));
        spDestroyRun(s_run);
        s_run = NULL;
        CHECK(atomic_load(&s_bounded.used) == 0);
    }
    return 0;
}
