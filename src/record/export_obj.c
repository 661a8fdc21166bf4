// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Wavefront OBJ: one file per frame, one object per body. Every program reads it, and none reads a sequence
// with topology changes wrongly.

#include "base/error.h"
#include "record/drawn.h"
#include "record/output.h"

#include <math.h>

// Object names end at the line and must not hold blanks
static void spPrintObjName(spBytes* text, const char* name, int body)
{
    spPrintText(text, "o ");
    for (const char* p = name; *p != 0; ++p)
    {
        spPrintText(text, "%c", (unsigned char)*p <= ' ' || *p == 0x7F ? '_' : *p);
    }
    spPrintText(text, "%s%d\n", name[0] != 0 ? "_" : "body_", body);
}

// Returns false when there is no memory for a body; the text knows by itself when it has none
static bool spPrintObj(spBytes* text, const spRecording* recording, int frame, spDrawnBody* drawn)
{
    text->count = 0;
    spPrintText(text, "# Souple, frame %d, time ", frame);
    spPrintReal(text, spRecording_GetFrameTime(recording, frame), 9);
    spPrintText(text, " s\n");
    int64_t first = 1;
    for (int body = 0; body < recording->bodyCount; ++body)
    {
        if (!spGetDrawnBody(text->heap, recording, frame, body, drawn))
        {
            return false;
        }
        spPointView x = drawn->x;
        if (x.count == 0)
        {
            continue;
        }
        spPrintObjName(text, recording->bodies[body].name, body);
        for (int i = 0; i < x.count; ++i)
        {
            // Readers do not know "nan": such a body has lost its shape anyway
            const float* p = x.data + 3 * i;
            bool finite = isfinite(p[0]) && isfinite(p[1]) && isfinite(p[2]);
            spPrintText(text, "v");
            for (int k = 0; k < 3; ++k)
            {
                spPrintText(text, " ");
                spPrintReal(text, finite ? (double)p[k] : 0.0, 9);
            }
            spPrintText(text, "\n");
        }
        for (int i = 0; i < drawn->triangleCount; ++i)
        {
            const int32_t* t = drawn->triangles + 3 * i;
            spPrintText(text, "f %lld %lld %lld\n", (long long)(first + t[0]), (long long)(first + t[1]),
                        (long long)(first + t[2]));
        }
        for (int i = 0; i < drawn->edgeCount; ++i)
        {
            const int32_t* e = drawn->edges + 2 * i;
            spPrintText(text, "l %lld %lld\n", (long long)(first + e[0]), (long long)(first + e[1]));
        }
        first += x.count;
    }
    return true;
}

bool spExportObj(const spRecording* recording, const spExportDef* def, spError* error)
{
    spExportRange range;
    if (!spBeginExport(recording, def, &range, error))
    {
        return false;
    }
    spHeap heap = spMakeHeap(&recording->heap.allocator);
    spBytes text = {.heap = &heap};
    spBytes path = {.heap = &heap};
    spDrawnBody drawn = {0};
    bool ok = true;
    for (int i = 0; ok && i < range.frameCount; ++i)
    {
        int frame = range.firstFrame + i * range.frameStride;
        ok = spReportProgress(def, (double)i / range.frameCount, error);
        if (ok)
        {
            ok = (spPrintObj(&text, recording, frame, &drawn) ||
                  spFailMemory(error, "OBJ export", heap.byteCount)) &&
                 spSetPath(&path, error, "%s/%s_%06d.obj", range.folder, range.baseName, frame) &&
                 spSaveBytes(&text, (const char*)path.data, error);
        }
    }
    ok = ok && spReportProgress(def, 1.0, error);
    spFreeDrawnBody(&heap, &drawn);
    spFreeBytes(&text);
    spFreeBytes(&path);
    return ok;
}
