// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// souple mesh: info, convert, repair, make, and the list of all actions.

#include "commands.h"
#include "mesh_make.h"
#include "mesh_tools.h"
#include "mesh_words.h"
#include "options.h"
#include "tools.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

// Regions that are listed at most
#define SP_MOST_REGIONS 12

json_t* spMakeReportJson(const char* path, const spMesh* mesh, const spMeshReport* report)
{
    char sentence[SP_MESH_SENTENCE], text[SP_MESH_SENTENCE];
    bool fit = spJudgeMesh(report, mesh, sentence);
    json_t* problems = json_array();
    for (int i = 0; i < sp_meshProblemCount; ++i)
    {
        if (report->problemCounts[i] > 0)
        {
            json_t* problem = json_object();
            json_object_set_new(problem, "name", json_string(spMeshProblem_GetName((spMeshProblem)i)));
            json_object_set_new(problem, "count", json_integer(report->problemCounts[i]));
            json_object_set_new(problem, "first", json_integer(report->firstProblem[i]));
            spSayProblem(report, (spMeshProblem)i, text);
            json_object_set_new(problem, "text", json_string(text));
            json_array_append_new(problems, problem);
        }
    }
    json_t* histogram = json_array();
    for (int i = 0; i < 18; ++i)
    {
        json_array_append_new(histogram, json_integer(report->dihedralHistogram[i]));
    }
    char texts[SP_MESH_NOTES][SP_MESH_SENTENCE];
    int noteCount = spMakeMeshNotes(mesh, report, texts);
    json_t* notes = json_array();
    for (int i = 0; i < noteCount; ++i)
    {
        json_array_append_new(notes, json_string(texts[i]));
    }
    json_t* json = json_object();
    json_object_set_new(json, "file", json_string(path));
    json_object_set_new(json, "format", json_string(spMesh_GetFormatName(mesh)));
    json_object_set_new(json, "vertices", json_integer(report->vertexCount));
    json_object_set_new(json, "edges", json_integer(spMesh_GetEdgeCount(mesh)));
    json_object_set_new(json, "triangles", json_integer(report->triangleCount));
    json_object_set_new(json, "tets", json_integer(report->tetCount));
    json_object_set_new(json, "components", json_integer(report->componentCount));
    json_object_set_new(json, "boundaryTriangles", json_integer(report->boundaryTriangleCount));
    json_object_set_new(json, "volume", spMakeJsonNumber(report->volume));
    json_object_set_new(json, "surfaceArea", spMakeJsonNumber(report->surfaceArea));
    json_object_set_new(json, "closed", json_boolean(report->closed));
    json_object_set_new(json, "lower", json_pack("[fff]", report->lower.x, report->lower.y, report->lower.z));
    json_object_set_new(json, "upper", json_pack("[fff]", report->upper.x, report->upper.y, report->upper.z));
    json_object_set_new(json, "minEdge", spMakeJsonNumber(report->minEdge));
    json_object_set_new(json, "meanEdge", spMakeJsonNumber(report->meanEdge));
    json_object_set_new(json, "maxEdge", spMakeJsonNumber(report->maxEdge));
    json_object_set_new(json, "minDihedral", spMakeJsonNumber(report->minDihedral));
    json_object_set_new(json, "maxDihedral", spMakeJsonNumber(report->maxDihedral));
    json_object_set_new(json, "worstAspect", spMakeJsonNumber(report->worstAspect));
    json_object_set_new(json, "dihedralHistogram", histogram);
    json_object_set_new(json, "notes", notes);
    json_object_set_new(json, "problems", problems);
    json_object_set_new(json, "fit", json_boolean(fit));
    json_object_set_new(json, "verdict", json_string(sentence));
    return json;
}

void spTellHistogram(const spMeshReport* report)
{
    int most = 0;
    for (int i = 0; i < 18; ++i)
    {
        most = report->dihedralHistogram[i] > most ? report->dihedralHistogram[i] : most;
    }
    if (most == 0)
    {
        return;
    }
    printf("\n%s, from %.3g to %.3g degrees:\n",
           report->tetCount > 0 ? "dihedral angles of the tets" : "corner angles", report->minDihedral,
           report->maxDihedral);
    for (int i = 0; i < 18; ++i)
    {
        int count = report->dihedralHistogram[i];
        int length = (int)(50.0 * count / most + 0.5);
        printf("  %3d - %3d %9d  %.*s\n", 10 * i, 10 * i + 10, count, count > 0 && length == 0 ? 1 : length,
               "##################################################");
    }
}

static void spTellNotes(const spMesh* mesh, const spMeshReport* report)
{
    char notes[SP_MESH_NOTES][SP_MESH_SENTENCE];
    int count = spMakeMeshNotes(mesh, report, notes);
    for (int i = 0; i < count; ++i)
    {
        printf("  note: %s\n", notes[i]);
    }
}

void spTellMeshTrouble(const spMesh* mesh, const spMeshReport* report)
{
    char sentence[SP_MESH_SENTENCE];
    spTellNotes(mesh, report);
    for (int i = 0; i < sp_meshProblemCount; ++i)
    {
        if (report->problemCounts[i] > 0)
        {
            spSayProblem(report, (spMeshProblem)i, sentence);
            printf("  %s\n", sentence);
        }
    }
}

// Regions of tets by number, unless all are in region 0
static void spTellRegions(const spMesh* mesh)
{
    const int32_t* regions = spMesh_GetTetRegions(mesh);
    int count = regions != NULL ? spMesh_GetTetCount(mesh) : 0, told = 0;
    for (int64_t next = INT32_MIN; count > 0 && next <= INT32_MAX; ++told)
    {
        int64_t region = INT64_MAX;
        int tets = 0;
        for (int i = 0; i < count; ++i)
        {
            bool lower = regions[i] >= next && regions[i] < region;
            region = lower ? regions[i] : region;
            tets = lower ? 0 : tets;
            tets += regions[i] == region;
        }
        if (region == INT64_MAX || (told == 0 && region == 0 && tets == count) || told == SP_MOST_REGIONS)
        {
            printf(told == SP_MOST_REGIONS ? ", ..." : "");
            break;
        }
        printf("%s%lld (%d tets)", told == 0 ? "  regions: " : ", ", (long long)region, tets);
        next = region + 1;
    }
    printf(told > 0 ? "\n" : "");
}

static void spTellReport(const char* path, const spMesh* mesh, const spMeshReport* report)
{
    char sentence[SP_MESH_SENTENCE];
    spJudgeMesh(report, mesh, sentence);
    printf("%s: %s\n", path, spMesh_GetFormatName(mesh));
    printf("  %d vertices, %d edges, %d triangles, %d tets in %d connected %s\n", report->vertexCount,
           spMesh_GetEdgeCount(mesh), report->triangleCount, report->tetCount, report->componentCount,
           report->componentCount == 1 ? "part" : "parts");
    printf("  from (%.4g, %.4g, %.4g) to (%.4g, %.4g, %.4g) m\n", report->lower.x, report->lower.y,
           report->lower.z, report->upper.x, report->upper.y, report->upper.z);
    printf("  volume %.6g m^3, surface %.6g m^2 of %d triangles, %s\n", report->volume, report->surfaceArea,
           report->boundaryTriangleCount, report->closed ? "closed" : "not closed");
    printf("  edges from %.4g to %.4g m, mean %.4g m\n", report->minEdge, report->maxEdge, report->meanEdge);
    static const char* const parts[sp_meshPartCount] = {"vertices", "triangles", "tets"};
    for (int part = 0; part < sp_meshPartCount; ++part)
    {
        for (int i = 0; i < spMesh_GetValueCount(mesh, (spMeshPart)part); ++i)
        {
            printf("  values of the %s: %s (%d)\n", parts[part],
                   spMesh_GetValueName(mesh, (spMeshPart)part, i),
                   spMesh_GetValueComponents(mesh, (spMeshPart)part, i));
        }
    }
    spTellRegions(mesh);
    spTellHistogram(report);
    printf("\n");
    spTellMeshTrouble(mesh, report);
    printf("%s\n", sentence);
}

static int spTellMesh(const char* path, const spMesh* mesh, bool json, bool* fit)
{
    spError error = SP_ZERO_INIT;
    spMeshReport report;
    if (!spMesh_Validate(mesh, &report, &error))
    {
        return spFailFile(path, &error);
    }
    char sentence[SP_MESH_SENTENCE];
    *fit = spJudgeMesh(&report, mesh, sentence);
    if (json)
    {
        spPrintJson(spMakeReportJson(path, mesh, &report));
    }
    else
    {
        spTellReport(path, mesh, &report);
    }
    return SP_EXIT_FINE;
}

int spLoadOperand(const spUsage* usage, int argc, char** argv, const char** operands, spMesh** mesh)
{
    int operandCount = 0;
    int code = spParseOptions(usage, argc, argv, operands, &operandCount);
    if (code != SP_GO_ON)
    {
        return code;
    }
    spError error = SP_ZERO_INIT;
    *mesh = spLoadMesh(operands[0], NULL, &error);
    return *mesh != NULL ? SP_GO_ON : spFailFile(operands[0], &error);
}

static int spMeshInfo(int argc, char** argv)
{
    bool json = false;
    const spOption table[] = {
        {"json", sp_optionFlag, NULL, &json, "print one JSON object instead of a report", 0, 0, 0},
    };
    static const char* const examples[] = {"souple mesh info liver.msh", "souple mesh info liver.msh --json",
                                           NULL};
    const spUsage usage = {
        .usage = "souple mesh info MESH [options]",
        .description = "Tells what is in a mesh file, how good its elements are, everything that is wrong "
                       "with it, and whether it\n"
                       "is fit to simulate.",
        .options = table,
        .optionCount = 1,
        .minOperands = 1,
        .maxOperands = 1,
        .examples = examples,
        .trouble = "the mesh is not fit to simulate",
    };
    const char* path = NULL;
    spMesh* mesh = NULL;
    int code = spLoadOperand(&usage, argc, argv, &path, &mesh);
    if (code != SP_GO_ON)
    {
        return code;
    }
    bool fit = false;
    code = spTellMesh(path, mesh, json, &fit);
    spDestroyMesh(mesh);
    return code == SP_EXIT_FINE && !fit ? SP_EXIT_TROUBLE : code;
}

int spSaveMeshHere(const spMesh* mesh, const char* path, const char* format)
{
    spError error = SP_ZERO_INIT;
    bool saved = format != NULL ? spSaveMeshAs(mesh, path, format, &error) : spSaveMesh(mesh, path, &error);
    return saved ? SP_EXIT_FINE : spFailFile(path, &error);
}

// What the file has is what counts: a surface format takes the surface alone
static void spTellSaved(const spMesh* mesh, const char* path)
{
    spError error = SP_ZERO_INIT;
    struct stat file;
    bool readable = stat(path, &file) == 0 && S_ISREG(file.st_mode); // a pipe is gone
    spMesh* saved = readable && spMesh_GetTetCount(mesh) > 0 ? spLoadMesh(path, NULL, &error) : NULL;
    if (saved != NULL && spMesh_GetTetCount(saved) == 0)
    {
        printf("%s: %d vertices, %d triangles: the surface alone. The format holds no tets, so the solid of "
               "%d is lost; "
               "vtu, msh and others keep it.\n",
               path, spMesh_GetVertexCount(saved), spMesh_GetTriangleCount(saved), spMesh_GetTetCount(mesh));
        spDestroyMesh(saved);
        return;
    }
    spDestroyMesh(saved);
    printf("%s: %d vertices, %d edges, %d triangles, %d tets\n", path, spMesh_GetVertexCount(mesh),
           spMesh_GetEdgeCount(mesh), spMesh_GetTriangleCount(mesh), spMesh_GetTetCount(mesh));
}

static int spSaveAndTell(const spMesh* mesh, const char* path, const char* format, bool json)
{
    bool fit = false;
    int code = spSaveMeshHere(mesh, path, format);
    if (code == SP_EXIT_FINE && json)
    {
        return spTellMesh(path, mesh, true, &fit);
    }
    if (code == SP_EXIT_FINE)
    {
        spTellSaved(mesh, path);
        spTellNotes(mesh, NULL);
    }
    return code;
}

// Puts the tets whose middle is in a sphere into a region. Returns how many.
static int spMarkRegion(spMesh* mesh, int region, const double center[3], double radius)
{
    const spDVec3* vertices = spMesh_GetVertices(mesh);
    const int32_t* tets = spMesh_GetTets(mesh);
    int count = 0;
    for (int i = 0; i < spMesh_GetTetCount(mesh); ++i)
    {
        double d[3] = {-center[0], -center[1], -center[2]};
        for (int k = 0; k < 4; ++k)
        {
            spDVec3 p = vertices[tets[4 * (size_t)i + (size_t)k]];
            d[0] += 0.25 * p.x;
            d[1] += 0.25 * p.y;
            d[2] += 0.25 * p.z;
        }
        if (d[0] * d[0] + d[1] * d[1] + d[2] * d[2] <= radius * radius)
        {
            spMesh_SetTetRegion(mesh, i, region);
            ++count;
        }
    }
    return count;
}

static int spMeshConvert(int argc, char** argv)
{
    bool json = false;
    double scale = 1.0, center[3] = {0}, radius = 0.0;
    int region = 1;
    const char* format = NULL;
    const spOption table[] = {
        {"format", sp_optionText, "FORMAT", &format,
         "vtu, vtu-ascii, vtk, vtk-ascii, msh, msh-binary, msh22, msh22-binary, mesh, meshb, inp, obj, stl, "
         "stl-ascii, ply, ply-ascii, off",
         0, 0, 0},
        {"scale", sp_optionNumber, "FACTOR", &scale, "factor on all coordinates, as 0.001 for a file in mm",
         1e-12, 1e12, 0},
        {"radius", sp_optionNumber, "METRES", &radius,
         "put the tets whose middle is in a sphere of this radius into a region", 1e-12, 1e6, 0},
        {"center", sp_optionTriple, "X,Y,Z", center,
         "with --radius: middle of the sphere, m; the origin without", 0, 0, 0},
        {"region", sp_optionInteger, "NUMBER", &region, "with --radius: number of the region, 1 without", 0,
         1e9, 0},
        {"json", sp_optionFlag, NULL, &json, "print one JSON object on the result", 0, 0, 0},
    };
    static const char* const examples[] = {
        "souple mesh convert liver.msh liver.vtu",
        "souple mesh convert box.vtu box.vtu --center 0,0.5,0 --radius 0.3",
        "souple mesh convert liver.vtu liver.msh --format msh22",
        "souple mesh convert part.stl part.obj --scale 0.001", NULL};
    const spUsage usage = {
        .usage = "souple mesh convert FROM TO [options]",
        .description = "Reads VTU, VTK, MSH, Medit, Abaqus, Vega, TetGen, OBJ, STL, PLY and OFF and writes "
                       "all of them but\n"
                       "Vega and TetGen, as the ending of TO or --format says. Regions and values of "
                       "vertices, triangles and\n"
                       "tets go along where the format can hold them; docs/meshes.md has the table.",
        .options = table,
        .optionCount = (int)(sizeof(table) / sizeof(table[0])),
        .minOperands = 2,
        .maxOperands = 2,
        .examples = examples,
    };
    const char* paths[2] = {NULL, NULL};
    spMesh* mesh = NULL;
    int code = spLoadOperand(&usage, argc, argv, paths, &mesh);
    if (code != SP_GO_ON)
    {
        return code;
    }
    spError error = SP_ZERO_INIT;
    spDVec3 scales = {scale, scale, scale};
    spTransform identity = {{0, 0, 0}, {0, 0, 0, 1}};
    if (scale != 1.0 && !spMesh_Transform(mesh, scales, identity, &error))
    {
        code = spFailFile(paths[0], &error);
    }
    else if (radius > 0.0 && spMarkRegion(mesh, region, center, radius) == 0)
    {
        code = spFailUsage("no tet of %s has its middle in the sphere", paths[0]);
    }
    else
    {
        code = spSaveAndTell(mesh, paths[1], format, json);
    }
    spDestroyMesh(mesh);
    return code;
}

static json_t* spMakeRepairJson(const spRepairReport* report)
{
    json_t* json = json_object();
    json_object_set_new(json, "mergedVertices", json_integer(report->mergedVertices));
    json_object_set_new(json, "droppedOrphans", json_integer(report->droppedOrphans));
    json_object_set_new(json, "droppedTriangles", json_integer(report->droppedTriangles));
    json_object_set_new(json, "droppedTets", json_integer(report->droppedTets));
    json_object_set_new(json, "flippedTets", json_integer(report->flippedTets));
    json_object_set_new(json, "flippedTriangles", json_integer(report->flippedTriangles));
    json_object_set_new(json, "droppedParts", json_integer(report->droppedParts));
    json_object_set_new(json, "closedHoles", json_integer(report->closedHoles));
    json_object_set_new(json, "addedTriangles", json_integer(report->addedTriangles));
    json_object_set_new(json, "turnedEdges", json_integer(report->turnedEdges));
    return json;
}

static int spMeshRepair(int argc, char** argv)
{
    bool json = false;
    spRepairDef def = spDefaultRepairDef();
    const char* format = NULL;
    const spOption table[] = {
        {"merge", sp_optionNumber, "METRES", &def.mergeDistance,
         "merge vertices closer than this; without it exact copies only", 0, 1e6, 0},
        {"holes", sp_optionInteger, "EDGES", &def.closeHoles, "close holes with at most so many edges", 3,
         SP_MAX_HOLE, 0},
        {"largest", sp_optionFlag, NULL, &def.keepLargest, "keep the largest connected part only", 0, 0, 0},
        {"format", sp_optionText, "FORMAT", &format, "format of TO, as for 'souple mesh convert'", 0, 0, 0},
        {"json", sp_optionFlag, NULL, &json, "print one JSON object on what was done and on the result", 0, 0,
         0},
    };
    static const char* const examples[] = {
        "souple mesh repair scan.stl scan.ply --merge 1e-5 --holes 20 --largest",
        "souple mesh repair liver.msh liver.vtu", NULL};
    const spUsage usage = {
        .usage = "souple mesh repair FROM TO [options]",
        .description =
            "Merges vertices at the same place, drops vertices that nothing uses and elements without "
            "shape, turns\n"
            "inverted tets upright and triangles outwards, and says what it did, count by count.",
        .options = table,
        .optionCount = (int)(sizeof(table) / sizeof(table[0])),
        .minOperands = 2,
        .maxOperands = 2,
        .examples = examples,
        .trouble = "the result is still not fit to simulate",
    };
    const char* paths[2] = {NULL, NULL};
    spMesh* mesh = NULL;
    int code = spLoadOperand(&usage, argc, argv, paths, &mesh);
    if (code != SP_GO_ON)
    {
        return code;
    }
    spError error = SP_ZERO_INIT;
    spRepairReport report;
    spMeshReport state;
    if (!spMesh_Repair(mesh, &def, &report, &error) || !spMesh_Validate(mesh, &state, &error))
    {
        spDestroyMesh(mesh);
        return spFailFile(paths[0], &error);
    }
    char sentence[SP_MESH_SENTENCE];
    bool fit = spJudgeMesh(&state, mesh, sentence);
    code = spSaveMeshHere(mesh, paths[1], format);
    if (code == SP_EXIT_FINE && json)
    {
        json_t* result = spMakeReportJson(paths[1], mesh, &state);
        json_object_set_new(result, "repaired", spMakeRepairJson(&report));
        spPrintJson(result);
    }
    else if (code == SP_EXIT_FINE)
    {
        spTellRepair(&report, &state);
        spTellSaved(mesh, paths[1]);
        spTellMeshTrouble(mesh, &state);
        puts(sentence);
    }
    spDestroyMesh(mesh);
    return code == SP_EXIT_FINE && !fit ? SP_EXIT_TROUBLE : code;
}

static int spMeshMake(int argc, char** argv)
{
    bool json = false;
    const char* path = NULL;
    spMesh* mesh = NULL;
    int code = spMakeMeshFromOptions(argc, argv, &mesh, &path, &json);
    if (code != SP_GO_ON)
    {
        return code;
    }
    code = spSaveAndTell(mesh, path, NULL, json);
    spDestroyMesh(mesh);
    return code;
}

int spRunMesh(int argc, char** argv)
{
    static const spCommand s_actions[] = {
        {"info", "tell what is in a mesh file and whether it is fit to simulate", spMeshInfo},
        {"convert", "write a mesh in another format", spMeshConvert},
        {"repair", "merge copies, drop what is degenerate, turn what is inverted, close holes", spMeshRepair},
        {"make", "make a box, beam, ball, cylinder, torus, cloth, icosphere, disc or lattice", spMeshMake},
        {"fill", "make a solid of a surface: tets inside", spMeshFill},
        {"levels", "make solids of a surface in several resolutions", spMeshLevels},
        {"simplify", "make a surface of fewer triangles", spMeshSimplify},
        {"remesh", "make a surface of even triangles", spMeshRemesh},
    };
    static const char* const examples[] = {
        "souple mesh make ball --radius 0.3 -o ball.vtu",
        "souple mesh info ball.vtu",
        "souple mesh convert ball.vtu ball.msh",
        NULL,
    };
    const spUsage usage = {
        .usage = "souple mesh ACTION [arguments]",
        .description = "Examines, converts, repairs, makes, fills and remeshes. 'souple mesh ACTION --help' "
                       "tells more of "
                       "each; 'souple help meshes' lists the formats.",
        .examples = examples,
        .actions = s_actions,
        .actionCount = (int)(sizeof(s_actions) / sizeof(s_actions[0])),
    };
    return spRunAction(&usage, argc, argv);
}
