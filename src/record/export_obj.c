// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Wavefront OBJ: one file per frame, one object per body. Every program reads it, and none reads a sequence
// with topology changes wrongly.

#include "format/format.h"
#include "record/drawn.h"
#include "record/output.h"

#include <math.h>

// Object names end at the line and must not hold blanks
static void spPutObjName(spOutput* output, const char* name, int body)
{
    spPutText(output, "o ");
    for (const char* p = name; *p != 0; ++p)
    {
        spPutBytes(output, (unsigned char)*p <= ' ' || *p == 0x7F ? "_" : p, 1);
    }
    spPutFormat(output, "%s%d\n", name[0] != 0 ? "_" : "body_", body);
}

// Triangles that an edit laid bare, or the others
static void spPutObjFaces(spOutput* output, const spDrawnBody* drawn, uint8_t bare, int64_t first)
{
    for (int i = 0; i < drawn->triangleCount; ++i)
    {
        if ((drawn->bare != NULL ? drawn->bare[i] : 0) == bare)
        {
            spPutObjCells(output, "f ", drawn->triangles + 3 * (size_t)i, 1, 3, first);
        }
    }
}

static void spPutObjBody(spOutput* output, const spDrawnBody* drawn, int64_t first)
{
    for (int i = 0; i < drawn->x.count; ++i)
    {
        // Readers do not know "nan": such a body has lost its shape anyway
        const float* p = drawn->x.data + 3 * (size_t)i;
        bool finite = isfinite(p[0]) && isfinite(p[1]) && isfinite(p[2]);
        spPutText(output, "v");
        for (int k = 0; k < 3; ++k)
        {
            spPutText(output, " ");
            spPutDigits(output, finite ? (double)p[k] : 0.0, 9);
        }
        spPutText(output, "\n");
    }
    spPutObjFaces(output, drawn, 0, first);
    if (drawn->bare != NULL)
    {
        spPutText(output, "g bare\n");
        spPutObjFaces(output, drawn, 1, first);
    }
    spPutObjCells(output, "l ", drawn->edges, drawn->edgeCount, 2, first);
}

static bool spSaveObj(const spRecording* recording, int frame, spHeap* heap, spDrawnBody* drawn,
                      const char* path, spError* error)
{
    spOutput output;
    if (spOpenOutput(&output, path, error) == false)
    {
        return false;
    }
    spPutFormat(&output, "# Souple, frame %d, time ", frame);
    spPutDigits(&output, spRecording_GetFrameTime(recording, frame), 9);
    spPutText(&output, " s\n");
    bool ok = true;
    int64_t first = 1;
    for (int body = 0; ok && body < recording->bodyCount; ++body)
    {
        ok = spGetDrawnBody(heap, recording, frame, body, drawn) ||
             spFailMemory(error, "OBJ export", heap->byteCount);
        if (ok && drawn->x.count > 0)
        {
            spPutObjName(&output, recording->bodies[body].name, body);
            spPutObjBody(&output, drawn, first);
            first += drawn->x.count;
        }
    }
    return spCloseOutput(&output, ok, error) && ok;
}

bool spExportObj(const spRecording* recording, const spExportDef* def, spError* error)
{
    spExportRange range;
    if (!spBeginExport(recording, def, &range, error))
    {
        return false;
    }
    spHeap heap = spMakeHeap(&recording->heap.allocator);
    spBytes path = {.heap = &heap};
    spDrawnBody drawn = {0};
    bool ok = true;
    for (int i = 0; ok && i < range.frameCount; ++i)
    {
        int frame = range.firstFrame + i * range.frameStride;
        ok = spReportProgress(def, (double)i / range.frameCount, error);
        if (ok)
        {
            ok = spSetPath(&path, error, "%s/%s_%06d.obj", range.folder, range.baseName, frame) &&
                 spSaveObj(recording, frame, &heap, &drawn, (const char*)path.data, error);
        }
    }
    ok = ok && spReportProgress(def, 1.0, error);
    spFreeDrawnBody(&heap, &drawn);
    spFreeBytes(&path);
    return ok;
}
