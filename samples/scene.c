// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Scenes: play a scene file and print its measurements. `sample_scene FILE` plays that file; without an
// argument a small scene from this source is played.

#include "souple/scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char sceneText[] =
    "{\n"
    "    \"souple\": 1,\n"
    "    \"name\": \"ball\",\n"
    "    \"duration\": 5,\n"
    "    \"bodies\": [{\n"
    "        \"name\": \"ball\",\n"
    "        \"mesh\": {\"generator\": \"ball\", \"radius\": 0.3, \"resolution\": 3},\n"
    "        \"transform\": {\"position\": [0, 0.8, 0]},\n"
    "        \"springs\": {\"youngModulus\": 500000, \"damping\": 400}\n"
    "    }],\n"
    "    \"colliders\": [{\"name\": \"ground\", \"shape\": \"plane\"}],\n"
    "    \"events\": [{\"time\": 2, \"type\": \"set\", \"gravity\": [0, -1.62, 0]}],\n"
    "    \"measurements\": [\n"
    "        {\"type\": \"height\", \"body\": \"ball\"},\n"
    "        {\"type\": \"contactForce\", \"body\": \"ball\"}\n"
    "    ]\n"
    "}\n";

static void PrintMeasurements(const spRun* run)
{
    printf("%6.3f s", spRun_GetTime(run));
    for (int i = 0; i < spRun_GetMeasurementCount(run); ++i)
    {
        printf("  %s %.4g %s", spRun_GetMeasurementName(run, i), spRun_GetMeasurement(run, i),
               spRun_GetMeasurementUnit(run, i));
    }
    printf("\n");
}

int main(int argc, char** argv)
{
    // What is wrong with a scene is said with its place
    const char* wrong = "{\n    \"souple\": 1,\n    \"bodys\": []\n}\n";
    spSceneProblem problem;
    bool good = spCheckSceneText(wrong, strlen(wrong), NULL, &problem, 1, NULL) == false;
    printf("a wrong scene: line %d, column %d: %s\n", problem.line, problem.column, problem.message);
    good = good && problem.line == 3;

    spError error = SP_ZERO_INIT;
    spScene* scene = argc > 1 ? spLoadScene(argv[1], NULL, &error)
                              : spParseScene(sceneText, strlen(sceneText), NULL, NULL, &error);
    spRunDef runDef = spDefaultRunDef();
    spRun* run = scene != NULL ? spCreateRun(scene, &runDef, &error) : NULL;
    if (run == NULL)
    {
        fprintf(stderr, "%s:%d:%d: %s\n", argc > 1 ? argv[1] : "scene", error.line, error.column,
                error.message);
        spDestroyScene(scene);
        return 1;
    }
    printf("%s: %d bodies, %lld steps of %.4g s\n", spScene_GetName(scene), spScene_GetBodyCount(scene),
           (long long)spRun_GetStepCount(run), spRun_GetTimeStep(run));
    uint32_t flags = 0;
    for (int i = 0; spRun_IsDone(run) == false; ++i)
    {
        flags |= spRun_Step(run);
        if (i % 30 == 29)
        {
            PrintMeasurements(run);
        }
    }
    good = good && flags == 0;
    if (argc == 1)
    {
        // On the moon its 110 kg weigh a sixth
        good = good && fabs(spRun_GetMeasurement(run, 1) - 1.62 * 110.0) < 0.05 * 1.62 * 110.0;
    }
    spDestroyRun(run);
    spDestroyScene(scene);
    return good ? 0 : 1;
}
