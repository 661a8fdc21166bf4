// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Recordings: write one while a world runs, read it back, and make a table, a plot, meshes and a picture from
// it. Everything goes to the working folder.

#include "souple/record.h"
#include "souple/souple.h"

#include <math.h>
#include <stdio.h>

enum
{
    stepCount = 90
};

static bool Fail(const spError* error)
{
    fprintf(stderr, "%s: %s\n", spErrorCode_GetName(error->code), error->message);
    return false;
}

static bool WriteRecording(const char* path)
{
    spError error = SP_ZERO_INIT;
    spWorldDef worldDef = spDefaultWorldDef();
    spWorld* world = spCreateWorld(&worldDef, &error);
    spRoundMeshDef meshDef = spDefaultRoundMeshDef();
    meshDef.radius = 0.3;
    meshDef.tubeRadius = 0.12;
    meshDef.resolution = 2;
    spMesh* mesh = spMakeTorusMesh(&meshDef, &error);
    if (world == NULL || mesh == NULL)
    {
        return Fail(&error);
    }
    spColliderDef groundDef = spDefaultColliderDef();
    spCreateCollider(world, &groundDef);
    spBodyDef bodyDef = spDefaultBodyDef();
    bodyDef.name = "torus";
    bodyDef.mesh = mesh;
    bodyDef.transform.position.y = 0.7f;
    bodyDef.transform.rotation = (spQuat){0.38268343f, 0, 0, 0.92387953f}; // 45 degrees about x
    spBodyId torus = spCreateBody(world, &bodyDef);
    spSpringDef springDef = spDefaultSpringDef();
    springDef.youngModulus = 3e5f;
    springDef.damping = 5.0f;
    spBody_AddSprings(world, torus, &springDef);
    spDestroyMesh(mesh);

    const char* names[2] = {"height", "contact force"};
    const char* units[2] = {"m", "N"};
    spRecorderDef def = spDefaultRecorderDef();
    def.path = path;
    def.measurementNames = names;
    def.measurementUnits = units;
    def.measurementCount = 2;
    spRecorder* recorder = spCreateRecorder(world, &def, &error);
    if (recorder == NULL)
    {
        spDestroyWorld(world);
        return Fail(&error);
    }
    for (int i = 0; i < stepCount; ++i)
    {
        spWorld_Step(world, 1.0f / 60.0f);
        const double values[2] = {spBody_GetCenter(world, torus).y, spBody_GetContactForce(world, torus).y};
        // Positions at every third step, measurements at all
        if (i % 3 == 2)
        {
            spRecorder_AddFrame(recorder, world, values);
        }
        else
        {
            spRecorder_AddMeasurements(recorder, world, values);
        }
    }
    spDestroyWorld(world);
    return spCloseRecorder(recorder, &error) || Fail(&error);
}

int main(void)
{
    spError error = SP_ZERO_INIT;
    if (WriteRecording("torus.souple") == false)
    {
        return 1;
    }
    spRecording* recording = spLoadRecording("torus.souple", NULL, &error);
    if (recording == NULL)
    {
        return Fail(&error) ? 0 : 1;
    }
    int frameCount = spRecording_GetFrameCount(recording);
    printf("torus.souple: %d rows, %d frames, complete: %s\n", spRecording_GetRowCount(recording), frameCount,
           spRecording_IsComplete(recording) ? "yes" : "no");
    bool good = spRecording_GetRowCount(recording) == stepCount && frameCount == stepCount / 3 &&
                spRecording_IsComplete(recording);

    // A table of all rows, and meshes of the last frame
    spExportDef exportDef = spDefaultExportDef();
    exportDef.folder = "torus";
    exportDef.baseName = "torus";
    exportDef.firstFrame = frameCount - 1;
    good = good && (spExportCsv(recording, &exportDef, &error) || Fail(&error));
    good = good && (spExportVtu(recording, &exportDef, &error) || Fail(&error));

    // A plot of the height
    double times[stepCount], heights[stepCount];
    spRecording_CopyTimes(recording, times, stepCount);
    spRecording_CopySeries(recording, spRecording_FindMeasurement(recording, "height"), heights, stepCount);
    spPlotSeries series = {.name = "centre of the torus", .x = times, .y = heights, .count = stepCount};
    spPlotDef plotDef = spDefaultPlotDef();
    plotDef.xLabel = "time [s]";
    plotDef.yLabel = "height [m]";
    plotDef.series = &series;
    plotDef.seriesCount = 1;
    good = good && (spSavePlot(&plotDef, "torus/height.svg", &error) || Fail(&error));

    // Pictures can always be drawn into memory; files need libpng
    spPictureDef pictureDef = spDefaultPictureDef();
    pictureDef.width = 480;
    pictureDef.height = 360;
    if (spHasPng())
    {
        good = good && (spSavePicture(recording, frameCount - 1, &pictureDef, "torus/torus.png", &error) ||
                        Fail(&error));
    }
    else
    {
        printf("this build has no libpng: no picture\n");
    }
    printf("wrote torus/torus.csv, torus/torus.pvd, torus/height.svg%s\n",
           spHasPng() ? ", torus/torus.png" : "");
    spDestroyRecording(recording);
    return good ? 0 : 1;
}
