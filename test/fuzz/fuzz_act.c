// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Lines of acts on a small world that runs: each is carried out, or refused with a sentence and nothing has
// changed. An empty line is a step.

#include "souple/scene.h"

#include "bounded.h"

#include <math.h>
#include <string.h>

#define MEMORY_LIMIT ((size_t)16 << 20)
#define STEPS 8

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

static uint64_t HashRun(spRun* run)
{
    uint64_t hash = spWorld_GetStateHash(spRun_GetWorld(run));
    CHECK(spRun_DescribeSettings(run, HashText, &hash));
    int count = spRun_GetHandCount(run);
    HashText((const char*)&count, sizeof(count), &hash);
    spVec3 center = {0};
    spRun_GetTool(run, &center, NULL, NULL);
    HashText((const char*)&center, sizeof(center), &hash);
    return hash;
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    static spScene* s_parsed = NULL;
    spError error = SP_ZERO_INIT;
    if (s_parsed == NULL)
    {
        s_parsed = spParseScene(s_scene, sizeof(s_scene) - 1, NULL, NULL, &error);
        CHECK(s_parsed != NULL);
    }
    Bounded bounded;
    spRunDef def = spDefaultRunDef();
    def.laneCount = 1;
    def.allocator = MakeBounded(&bounded, MEMORY_LIMIT);
    spRun* run = spCreateRun(s_parsed, &def, &error);
    CHECK(run != NULL);
    const char* line = (const char*)data;
    const char* end = line + size;
    int steps = 0;
    uint64_t before = 0;
    bool known = false;
    while (line < end)
    {
        const char* next = memchr(line, '\n', (size_t)(end - line));
        next = next != NULL ? next : end;
        if (next == line)
        {
            if (steps == STEPS || IsQuick(spRun_GetWorld(run), spRun_GetTimeStep(run)) == false)
            {
                break;
            }
            spRun_Step(run);
            CheckFinite(spRun_GetWorld(run));
            known = false;
            steps += 1;
        }
        else
        {
            before = known ? before : HashRun(run);
            spError refusal = SP_ZERO_INIT;
            bool done = spRun_Act(run, line, (size_t)(next - line), &refusal);
            CHECK(done == (refusal.code == sp_errorNone));
            CHECK(done || (refusal.message[0] != 0 && HashRun(run) == before));
            known = done == false;
            CheckFinite(spRun_GetWorld(run));
        }
        line = next + 1;
    }
    size_t total = 0;
    CHECK(spRun_Describe(run, CountText, &total) && total > 0);
    spDestroyRun(run);
    CHECK(atomic_load(&bounded.used) == 0);
    return 0;
}
