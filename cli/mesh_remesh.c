// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// souple mesh simplify and remesh: surfaces with other triangles.

#include "commands.h"
#include "mesh_tools.h"
#include "mesh_words.h"
#include "souple/remesh.h"

#include <stdio.h>

static void spTellSurface(const char* path, const spMesh* mesh, const spRemeshReport* report,
                          const spMeshReport* state)
{
    char sentence[SP_MESH_SENTENCE];
    printf("%s: %d triangles on %d vertices, from %d; edges %.4g to %.4g m, mean %.4g m\n", path,
           state->triangleCount, state->vertexCount, report->oldTriangleCount, state->minEdge, state->maxEdge,
           state->meanEdge);
    printf("  the two surfaces are at most %.3g m apart\n", report->maxDistance);
    if (report->lockedCount > 0)
    {
        printf("  note: %d vertices stayed as they were, because more than two triangles share an edge there "
               "or parts of "
               "the\n  surface meet in one point\n",
               report->lockedCount);
    }
    spTellHistogram(state);
    printf("\n");
    spTellMeshTrouble(mesh, state);
    spJudgeMesh(state, mesh, sentence);
    puts(sentence);
}

static json_t* spMakeRemeshJson(const spRemeshReport* report)
{
    json_t* json = json_object();
    json_object_set_new(json, "oldTriangles", json_integer(report->oldTriangleCount));
    json_object_set_new(json, "lockedVertices", json_integer(report->lockedCount));
    json_object_set_new(json, "maxDistance", spMakeJsonNumber(report->maxDistance));
    if (report->size > 0.0)
    {
        json_object_set_new(json, "size", spMakeJsonNumber(report->size));
    }
    return json;
}

static bool spShowRemesh(double fraction, void* context)
{
    spShowBar(context, fraction, "");
    return !spIsInterrupted();
}

// Writes a surface and tells of it; mesh is NULL where it could not be made
static int spFinishSurface(spMesh* mesh, const char* from, const char* to, const char* format, bool json,
                           const spRemeshReport* report, spError* error)
{
    spMeshReport state;
    if (mesh == NULL && spIsInterrupted())
    {
        fprintf(stderr, "souple: interrupted; nothing was written\n");
        return SP_EXIT_INTERRUPTED;
    }
    if (mesh == NULL || !spMesh_Validate(mesh, &state, error))
    {
        spDestroyMesh(mesh);
        return spFailFile(from, error);
    }
    int code = spSaveMeshHere(mesh, to, format);
    if (code == SP_EXIT_FINE && json)
    {
        json_t* result = spMakeReportJson(to, mesh, &state);
        json_object_set_new(result, "remeshed", spMakeRemeshJson(report));
        spPrintJson(result);
    }
    else if (code == SP_EXIT_FINE)
    {
        spTellSurface(to, mesh, report, &state);
    }
    spDestroyMesh(mesh);
    return code;
}

int spMeshSimplify(int argc, char** argv)
{
    bool json = false;
    const char* format = NULL;
    double distance = 0.0;
    int count = 0;
    spSimplifyMeshDef def = spDefaultSimplifyMeshDef();
    const spOption table[] = {
        {"triangles", sp_optionInteger, "COUNT", &count,
         "triangles that are wanted; without it 1000, or as few as --distance allows", 1, 1e8, 0},
        {"distance", sp_optionNumber, "METRES", &distance,
         "leave more of them where one surface would come farther away from the other than this", 1e-12, 1e12,
         0},
        {"format", sp_optionText, "FORMAT", &format, "format of TO, as for 'souple mesh convert'", 0, 0, 0},
        {"json", sp_optionFlag, NULL, &json, "print one JSON object on the result", 0, 0, 0},
    };
    static const char* const examples[] = {"souple mesh simplify scan.stl small.obj --triangles 5000",
                                           "souple mesh simplify part.stl part.obj --distance 0.001", NULL};
    const spUsage usage = {
        .usage = "souple mesh simplify FROM TO [options]",
        .description = "Makes a surface of fewer triangles: edges are collapsed, those first whose collapse "
                       "changes the shape "
                       "least. A\n"
                       "closed surface keeps its volume, holes stay holes and no triangle turns over. Of a "
                       "mesh with tets "
                       "the boundary is\n"
                       "taken. To make a solid coarser, use 'souple mesh fill' or 'souple mesh levels'.",
        .options = table,
        .optionCount = (int)(sizeof(table) / sizeof(table[0])),
        .minOperands = 2,
        .maxOperands = 2,
        .examples = examples,
    };
    const char* paths[2] = {NULL, NULL};
    spMesh* surface = NULL;
    int code = spLoadOperand(&usage, argc, argv, paths, &surface);
    if (code != SP_GO_ON)
    {
        return code;
    }
    spError error = SP_ZERO_INIT;
    spRemeshReport report = SP_ZERO_INIT;
    spBar bar = spMakeBar("simplify", !json);
    def.triangleCount = count > 0 ? count : (distance > 0.0 ? 1 : def.triangleCount);
    def.maxDistance = distance > 0.0 ? distance : def.maxDistance;
    def.progress = spShowRemesh;
    def.progressContext = &bar;
    spCatchInterrupt();
    spMesh* mesh = spSimplifyMesh(surface, &def, &report, &error);
    spClearBar(&bar);
    spDestroyMesh(surface);
    return spFinishSurface(mesh, paths[0], paths[1], format, json, &report, &error);
}

int spMeshRemesh(int argc, char** argv)
{
    bool json = false;
    const char* format = NULL;
    spRemeshMeshDef def = spDefaultRemeshMeshDef();
    const spOption table[] = {
        {"size", sp_optionNumber, "METRES", &def.size,
         "edge length that is wanted; without it the mean of the edges", 1e-12, 1e12, 0},
        {"angle", sp_optionNumber, "DEGREES", &def.featureAngle,
         "edges at which the surface turns by more than this stay sharp, 40 by default", 0, 180, 0},
        {"passes", sp_optionInteger, "COUNT", &def.passes,
         "rounds of splitting, collapsing and smoothing, 8 by default", 1, 100, 0},
        {"format", sp_optionText, "FORMAT", &format, "format of TO, as for 'souple mesh convert'", 0, 0, 0},
        {"json", sp_optionFlag, NULL, &json, "print one JSON object on the result", 0, 0, 0},
    };
    static const char* const examples[] = {"souple mesh remesh scan.stl even.obj --size 0.01",
                                           "souple mesh remesh part.obj even.obj --angle 30", NULL};
    const spUsage usage = {
        .usage = "souple mesh remesh FROM TO [options]",
        .description = "Makes a surface of even triangles of one size. Borders and sharp edges stay, "
                       "vertices lie on the "
                       "surface that was\n"
                       "given. Of a mesh with tets the boundary is taken.",
        .options = table,
        .optionCount = (int)(sizeof(table) / sizeof(table[0])),
        .minOperands = 2,
        .maxOperands = 2,
        .examples = examples,
    };
    const char* paths[2] = {NULL, NULL};
    spMesh* surface = NULL;
    int code = spLoadOperand(&usage, argc, argv, paths, &surface);
    if (code != SP_GO_ON)
    {
        return code;
    }
    spError error = SP_ZERO_INIT;
    spRemeshReport report = SP_ZERO_INIT;
    spBar bar = spMakeBar("remesh", !json);
    def.progress = spShowRemesh;
    def.progressContext = &bar;
    spCatchInterrupt();
    spMesh* mesh = spRemeshMesh(surface, &def, &report, &error);
    spClearBar(&bar);
    spDestroyMesh(surface);
    return spFinishSurface(mesh, paths[0], paths[1], format, json, &report, &error);
}
