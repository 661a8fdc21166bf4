// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// souple export: pictures, tables, plots and meshes from a recording.

#include "commands.h"
#include "options.h"
#include "tools.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int spRunExport(int argc, char** argv)
{
    const char* to = NULL;
    spExportPlan plan = spMakeExportPlan();
    const spOption table[] = {
        {"to", sp_optionText, "FORMATS", &to, "formats: some of vtu,obj,png,csv,svg,sheet,mp4", 0, 0, 0},
        {"out", sp_optionText, "DIR", &plan.folder, "where files go; DIR is created", 0, 0, 'o'},
        {"first", sp_optionInteger, "FRAME", &plan.firstFrame,
         "first frame, counted from 0, which is the default", 0, 1e9, 0},
        {"last", sp_optionInteger, "FRAME", &plan.lastFrame,
         "last frame; -1, the default, is the last of the recording", -1, 1e9, 0},
        {"stride", sp_optionInteger, "COUNT", &plan.stride,
         "every how many frames one is exported, 1 by default", 1, 1e9, 0},
        {"width", sp_optionInteger, "PIXELS", &plan.width, "of pictures, by default as the scene says", 16,
         SP_MAX_PICTURE_SIZE, 0},
        {"height", sp_optionInteger, "PIXELS", &plan.height, "of pictures, by default as the scene says", 16,
         SP_MAX_PICTURE_SIZE, 0},
        {"colour", sp_optionText, "COLOUR", &plan.colour,
         "colour bodies by stress, strain, displacement, velocity, pressure, modulus, level, region or none, "
         "by "
         "default "
         "as the scene says",
         0, 0, 0},
        {"opacity", sp_optionNumber, "SHARE", &plan.opacity,
         "of bodies in pictures, 1 solid, 0 not drawn, by default as the scene says", 0, 1, 0},
        {"flat", sp_optionFlag, NULL, &plan.flat, "shade each triangle of pictures with one normal", 0, 0, 0},
        {"overlap", sp_optionFlag, NULL, &plan.overlap,
         "draw what closed bodies have in common into pictures: rays in it, gradients of the volume", 0, 0,
         0},
        {"edges", sp_optionFlag, NULL, &plan.showEdges, "draw the edges of surfaces in pictures", 0, 0, 0},
        {"quiet", sp_optionFlag, NULL, &plan.quiet, "print nothing but errors", 0, 0, 'q'},
    };
    static const char* const examples[] = {
        "souple export out/demo/demo.souple --to png --out out/pictures --stride 10",
        "souple export out/demo/demo.souple --to vtu,csv,svg --out out/data",
        "souple export out/demo/demo.souple --to mp4 --out out/demo --width 1920 --height 1080",
        "souple export out/demo/demo.souple --to sheet --out out/demo --colour displacement",
        "souple export out/demo/demo.souple --to png --out out/glassy --stride 30 --opacity 0.4",
        NULL,
    };
    const spUsage usage = {
        .usage = "souple export RECORDING --to FORMATS --out DIR [options]",
        .description =
            "Makes files from a recording: vtu for ParaView (with a .pvd that has the times), "
            "obj, png pictures,\n"
            "csv tables of measurements and timings, svg plots of measurements, a sheet of nine pictures, "
            "and\n"
            "an mp4 film, which ffmpeg makes. A recording that was cut off is exported as far as it goes.",
        .options = table,
        .optionCount = (int)(sizeof(table) / sizeof(table[0])),
        .minOperands = 1,
        .maxOperands = 1,
        .examples = examples,
    };
    const char* path = NULL;
    int operandCount = 0;
    int code = spParseOptions(&usage, argc, argv, &path, &operandCount);
    if (code != SP_GO_ON)
    {
        return code;
    }
    if (to == NULL || plan.folder == NULL)
    {
        return spFailUsage("%s is missing\nusage: %s", to == NULL ? "--to" : "--out", usage.usage);
    }
    plan.formats = spParseFormats(to);
    spPictureColor color;
    if (plan.formats == 0 || (plan.colour != NULL && !spParseColour(plan.colour, &color)))
    {
        return SP_EXIT_USAGE;
    }
    spError error = SP_ZERO_INIT;
    spRecording* recording = spLoadRecording(path, NULL, &error);
    if (recording == NULL)
    {
        return spFailFile(path, &error);
    }
    if (!spRecording_IsComplete(recording))
    {
        fprintf(stderr, "souple: %s is not complete: %s\n", path, spRecording_GetDamage(recording));
    }
    int frameCount = spRecording_GetFrameCount(recording);
    if (frameCount == 0 && (plan.formats & ~(unsigned)(sp_exportCsv | sp_exportSvg)) != 0)
    {
        code = spFailUsage("%s has no frames: only csv and svg can be made from it", path);
    }
    else if (plan.lastFrame >= 0 && plan.firstFrame > plan.lastFrame)
    {
        code = spFailUsage("--first %d is after --last %d", plan.firstFrame, plan.lastFrame);
    }
    else if (plan.firstFrame >= frameCount && frameCount > 0)
    {
        code = spFailUsage("--first %d: the recording has %d frames", plan.firstFrame, frameCount);
    }
    else if (!spMakeFolders(plan.folder))
    {
        code = spFailUsage("cannot make the folder %s: %s", plan.folder, strerror(errno));
    }
    else
    {
        char stem[256];
        spGetStem(stem, sizeof(stem), path);
        plan.name = stem;
        spCatchInterrupt();
        code = spExportRecording(recording, &plan);
        if (code == SP_EXIT_FINE && !plan.quiet)
        {
            printf("Exported %s of %s (%d frames, %d rows) to %s\n", to, path, frameCount,
                   spRecording_GetRowCount(recording), plan.folder);
        }
    }
    spDestroyRecording(recording);
    return code;
}
