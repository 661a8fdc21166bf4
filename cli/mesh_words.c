// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "mesh_words.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// Longest side of what is likely to be simulated, m; beyond it another unit is likelier
static const double largestSize = 50.0, smallestSize = 1e-4;

// Dihedral angle below which a tet slows solvers down, degrees
static const double poorAngle = 5.0;

typedef struct spProblemWords
{
    const char *one, *many; // what they are
    const char* what;       // is wrong with them
    const char* thing;      // that the index of the first one names
    const char* remedy;     // with %s for "it" or "them"
} spProblemWords;

// clang-format off
static const spProblemWords problemWords[sp_meshProblemCount] = {
    [sp_meshDuplicateVertices] = {"vertex lies", "vertices lie", "where another one does", "vertex",
                                  "'souple mesh repair' merges %s"},
    [sp_meshOrphanVertices] = {"vertex belongs", "vertices belong", "to nothing", "vertex",
                               "'souple mesh repair' drops %s"},
    [sp_meshDegenerateTriangles] = {"triangle has", "triangles have", "no area", "triangle",
                                    "'souple mesh repair' mends %s"},
    [sp_meshDuplicateTriangles] = {"triangle is", "triangles are", "there a second time", "triangle",
                                   "'souple mesh repair' drops %s"},
    [sp_meshDegenerateTets] = {"tet is", "tets are", "flat", "tet", "'souple mesh repair' drops %s"},
    [sp_meshInvertedTets] = {"tet is", "tets are", "inside out", "tet", "'souple mesh repair' turns %s upright"},
    [sp_meshDuplicateTets] = {"tet is", "tets are", "there a second time", "tet", "'souple mesh repair' drops %s"},
    [sp_meshOpenEdges] = {"edge of the surface has", "edges of the surface have", "one triangle only", "triangle",
                          "'souple mesh repair --holes=N' closes holes of up to N edges that touch no other"},
    [sp_meshNonManifoldEdges] = {"edge of the surface has", "edges of the surface have", "more than two triangles",
                                 "triangle", "what meets there must be taken apart where the mesh was made"},
    [sp_meshBadWinding] = {"edge of the surface has", "edges of the surface have",
                           "triangles that look to different sides", "triangle",
                           "'souple mesh repair' turns them alike"},
    [sp_meshInwardSurface] = {"closed surface looks", "closed surfaces look", "inwards", "triangle",
                              "'souple mesh repair' turns %s outwards"},
    [sp_meshSeveralComponents] = {"part does", "parts do", "not hang together with the first one", "vertex",
                                  "'souple mesh repair --largest' keeps the largest part"},
};
// clang-format on

void spSayProblem(const spMeshReport* report, spMeshProblem problem, char sentence[SP_MESH_SENTENCE])
{
    const spProblemWords* words = problemWords + problem;
    int count = report->problemCounts[problem];
    char remedy[200];
    const char* place = strstr(words->remedy, "%s");
    snprintf(remedy, sizeof(remedy), "%.*s%s%s",
             (int)(place != NULL ? (size_t)(place - words->remedy) : strlen(words->remedy)), words->remedy,
             place == NULL ? "" : (count == 1 ? "it" : "them"), place != NULL ? place + 2 : "");
    snprintf(sentence, SP_MESH_SENTENCE, "%d %s %s (%s%s %d); %s", count,
             count == 1 ? words->one : words->many, words->what, count == 1 ? "" : "first: ", words->thing,
             report->firstProblem[problem], remedy);
}

static double spGetLongestSide(const spMeshReport* report)
{
    return fmax(fmax(report->upper.x - report->lower.x, report->upper.y - report->lower.y),
                report->upper.z - report->lower.z);
}

int spMakeMeshNotes(const spMesh* mesh, const spMeshReport* report,
                    char notes[SP_MESH_NOTES][SP_MESH_SENTENCE])
{
    spLoadReport load = spMesh_GetLoadReport(mesh);
    int count = 0;
    if (load.reducedCells > 0)
    {
        snprintf(notes[count++], SP_MESH_SENTENCE,
                 "%d %s of second or higher order: the corners were kept, %d middle nodes dropped",
                 load.reducedCells, load.reducedCells == 1 ? "cell is" : "cells are", load.droppedNodes);
    }
    if (load.skippedCells > 0)
    {
        snprintf(notes[count++], SP_MESH_SENTENCE, "%d %s neither edge, polygon nor tet and left out",
                 load.skippedCells, load.skippedCells == 1 ? "cell is" : "cells are");
    }
    double side = report != NULL ? spGetLongestSide(report) : 0.0;
    if (side > largestSize)
    {
        snprintf(notes[count++], SP_MESH_SENTENCE,
                 "it is %.4g m long; if the file is in millimetres, 'souple mesh convert FROM TO "
                 "--scale=0.001' makes it %.4g m",
                 side, 0.001 * side);
    }
    else if (side > 0.0 && side < smallestSize)
    {
        snprintf(notes[count++], SP_MESH_SENTENCE,
                 "it is %.3g m long; if the file is in another unit, 'souple mesh convert FROM TO "
                 "--scale=FACTOR' changes it",
                 side);
    }
    return count;
}

static void spSay(char sentence[SP_MESH_SENTENCE], const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, SP_MESH_SENTENCE, format, arguments);
    va_end(arguments);
}

// What is wrong with each of so many, as a list: "2 are inside out, 1 is flat"
static void spListFaults(char* text, size_t size, const int* counts, const char* const* words, int wordCount)
{
    size_t length = 0;
    text[0] = 0;
    for (int i = 0; i < wordCount; ++i)
    {
        if (counts[i] > 0 && length < size)
        {
            length += (size_t)snprintf(text + length, size - length, "%s%d %s %s", length > 0 ? ", " : "",
                                       counts[i], counts[i] == 1 ? "is" : "are", words[i]);
        }
    }
}

static bool spJudgeSolid(const spMeshReport* report, char sentence[SP_MESH_SENTENCE])
{
    const int* problems = report->problemCounts;
    const int bad[3] = {problems[sp_meshInvertedTets], problems[sp_meshDegenerateTets],
                        problems[sp_meshDuplicateTets]};
    static const char* const words[3] = {"inside out", "flat", "there twice"};
    if (bad[0] + bad[1] + bad[2] > 0)
    {
        char list[100];
        spListFaults(list, sizeof(list), bad, words, 3);
        spSay(sentence, "Not fit to simulate: of its %d tets %s. 'souple mesh repair FROM TO' mends that.",
              report->tetCount, list);
        return false;
    }
    char bodies[160] = "a solid body";
    if (report->componentCount > 1)
    {
        snprintf(bodies, sizeof(bodies), "%d solid bodies that do not hang together%s",
                 report->componentCount,
                 problems[sp_meshDuplicateVertices] > 0
                     ? " ('souple mesh repair' joins them where vertices coincide)"
                     : "");
    }
    if (report->minDihedral < poorAngle)
    {
        spSay(sentence,
              "Fit to simulate as %s, but slowly: its flattest tet has an angle of %.2g degrees, above %g is "
              "good. A mesher can remove such tets; repair cannot.",
              bodies, report->minDihedral, poorAngle);
        return true;
    }
    spSay(sentence, "Fit to simulate as %s%s.", bodies,
          problems[sp_meshNonManifoldEdges] > 0
              ? "; where tets share an edge or a point only it bends like a hinge"
              : "");
    return true;
}

static bool spJudgeSurface(const spMeshReport* report, char sentence[SP_MESH_SENTENCE])
{
    const int* problems = report->problemCounts;
    if (problems[sp_meshDegenerateTriangles] > 0)
    {
        spSay(sentence,
              "Not fit to simulate: %d of its %d triangles %s no area. 'souple mesh repair FROM TO' mends "
              "that.",
              problems[sp_meshDegenerateTriangles], report->triangleCount,
              problems[sp_meshDegenerateTriangles] == 1 ? "has" : "have");
        return false;
    }
    if (problems[sp_meshNonManifoldEdges] > 0)
    {
        spSay(sentence,
              "Not fit to simulate: at %d %s more than two triangles meet. 'souple mesh repair FROM TO' "
              "drops copies; what is left must be taken apart where the mesh was made.",
              problems[sp_meshNonManifoldEdges], problems[sp_meshNonManifoldEdges] == 1 ? "edge" : "edges");
        return false;
    }
    if (report->componentCount > 1 && problems[sp_meshDuplicateVertices] > 0)
    {
        spSay(sentence,
              "Fit to simulate as %d loose sheets only: neighbours do not share their vertices. 'souple mesh "
              "repair "
              "FROM TO' joins them.",
              report->componentCount);
        return true;
    }
    if (report->closed == false)
    {
        spSay(sentence,
              "Fit to simulate as a sheet. It has %d open edges, so it cannot hold gas; 'souple mesh repair "
              "FROM TO "
              "--holes=%d' closes holes, 'souple mesh fill FROM -o TO' makes a solid of what it encloses.",
              problems[sp_meshOpenEdges],
              problems[sp_meshOpenEdges] < SP_MAX_HOLE ? problems[sp_meshOpenEdges] : SP_MAX_HOLE);
        return true;
    }
    if (problems[sp_meshBadWinding] > 0 || problems[sp_meshInwardSurface] > 0)
    {
        spSay(
            sentence,
            "Fit to simulate as a sheet. It is closed, but its triangles do not all look outwards, so it "
            "cannot hold gas; 'souple mesh repair FROM TO' turns them, 'souple mesh fill FROM -o TO' makes a "
            "solid of it as it is.");
        return true;
    }
    spSay(sentence, "Fit to simulate as a shell, with or without gas inside. It has no tets, so not as a "
                    "solid: 'souple mesh "
                    "fill FROM -o TO' makes it one.");
    return true;
}

bool spJudgeMesh(const spMeshReport* report, const spMesh* mesh, char sentence[SP_MESH_SENTENCE])
{
    if (report->tetCount > 0)
    {
        return spJudgeSolid(report, sentence);
    }
    if (report->triangleCount > 0)
    {
        return spJudgeSurface(report, sentence);
    }
    if (spMesh_GetEdgeCount(mesh) > 0)
    {
        spSay(sentence,
              "Fit to simulate as springs; it has neither volume nor area, so its nodes need a mass.");
        return true;
    }
    spSay(sentence, "Not fit to simulate: it has points only.");
    return false;
}

static void spTellCount(int count, const char* one, const char* many)
{
    if (count > 0)
    {
        printf("  %d %s\n", count, count == 1 ? one : many);
    }
}

void spTellRepair(const spRepairReport* report, const spMeshReport* after)
{
    static const spRepairReport nothing = {0};
    static const int noProblems[sp_meshProblemCount] = {0};
    bool idle = memcmp(report, &nothing, sizeof(nothing)) == 0;
    bool clean = memcmp(after->problemCounts, noProblems, sizeof(noProblems)) == 0;
    puts(idle == false ? "Repaired:" : clean ? "Nothing had to be repaired." : "Nothing was repaired.");
    spTellCount(report->mergedVertices, "vertex merged with another one", "vertices merged with another one");
    spTellCount(report->turnedEdges, "edge turned beside a triangle without area",
                "edges turned beside triangles without area");
    spTellCount(report->droppedTriangles, "triangle without area or there twice dropped",
                "triangles without area or there twice dropped");
    spTellCount(report->droppedTets, "tet that was flat or there twice dropped",
                "tets that were flat or there twice dropped");
    spTellCount(report->flippedTets, "tet turned upright", "tets turned upright");
    spTellCount(report->droppedParts, "smaller part dropped", "smaller parts dropped");
    spTellCount(report->flippedTriangles, "triangle turned round", "triangles turned round");
    spTellCount(report->closedHoles, "hole closed", "holes closed");
    spTellCount(report->addedTriangles, "triangle added to close holes", "triangles added to close holes");
    spTellCount(report->droppedOrphans, "vertex dropped that nothing uses",
                "vertices dropped that nothing uses");
}
