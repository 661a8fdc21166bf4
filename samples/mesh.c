// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Meshes: make one, damage it, find out what is wrong, mend it, write it, read it back, and carry a finer
// surface on it.

#include "souple/souple.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void PrintProblems(const char* title, const spMeshReport* report)
{
    printf("%s: %d vertices, %d tets, volume %.4f m^3, angles %.0f to %.0f degrees\n", title,
           report->vertexCount, report->tetCount, report->volume, report->minDihedral, report->maxDihedral);
    for (int i = 0; i < sp_meshProblemCount; ++i)
    {
        if (report->problemCounts[i] > 0)
        {
            printf("    %s: %d, first %d\n", spMeshProblem_GetName((spMeshProblem)i),
                   report->problemCounts[i], report->firstProblem[i]);
        }
    }
}

static int CountProblems(const spMeshReport* report)
{
    int count = 0;
    for (int i = 0; i < sp_meshProblemCount; ++i)
    {
        count += report->problemCounts[i];
    }
    return count;
}

// A copy of the mesh with one tet turned inside out, one twice, and a vertex that nothing uses
static spMesh* Damage(const spMesh* mesh, spError* error)
{
    int vertexCount = spMesh_GetVertexCount(mesh), tetCount = spMesh_GetTetCount(mesh);
    spDVec3* vertices = malloc((size_t)(vertexCount + 1) * sizeof(spDVec3));
    int32_t* tets = malloc((size_t)(tetCount + 1) * 4 * sizeof(int32_t));
    if (vertices == NULL || tets == NULL)
    {
        free(vertices);
        free(tets);
        return NULL;
    }
    memcpy(vertices, spMesh_GetVertices(mesh), (size_t)vertexCount * sizeof(spDVec3));
    memcpy(tets, spMesh_GetTets(mesh), (size_t)tetCount * 4 * sizeof(int32_t));
    vertices[vertexCount] = (spDVec3){2.0, 2.0, 2.0};
    memcpy(tets + 4 * tetCount, tets, 4 * sizeof(int32_t));
    int32_t first = tets[4 * 7];
    tets[4 * 7] = tets[4 * 7 + 1];
    tets[4 * 7 + 1] = first;
    spMeshDef def = spDefaultMeshDef();
    def.vertices = vertices;
    def.vertexCount = vertexCount + 1;
    def.tets = tets;
    def.tetCount = tetCount + 1;
    spMesh* damaged = spCreateMesh(&def, error);
    free(vertices);
    free(tets);
    return damaged;
}

int main(void)
{
    spError error = SP_ZERO_INIT;
    spRoundMeshDef ballDef = spDefaultRoundMeshDef();
    spMesh* ball = spMakeBallMesh(&ballDef, &error);
    spMesh* mesh = ball != NULL ? Damage(ball, &error) : NULL;
    spMeshReport before, after, read;
    spRepairDef repairDef = spDefaultRepairDef();
    spRepairReport repairs;
    if (mesh == NULL || spMesh_Validate(mesh, &before, &error) == false ||
        spMesh_Repair(mesh, &repairDef, &repairs, &error) == false ||
        spMesh_Validate(mesh, &after, &error) == false)
    {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    PrintProblems("damaged", &before);
    printf("repair: %d orphans and %d tets dropped, %d tets turned upright\n", repairs.droppedOrphans,
           repairs.droppedTets, repairs.flippedTets);
    PrintProblems("mended", &after);
    bool good = CountProblems(&before) > 0 && CountProblems(&after) == 0 && after.closed;

    // Write it and read it back: the ending chooses the format
    spMesh* copy = NULL;
    if (spSaveMesh(mesh, "ball.msh", &error) == false ||
        (copy = spLoadMesh("ball.msh", NULL, &error)) == NULL ||
        spMesh_Validate(copy, &read, &error) == false)
    {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    printf("ball.msh: read as %s, %d tets\n", spMesh_GetFormatName(copy), read.tetCount);
    good = good && read.tetCount == after.tetCount && fabs(read.volume - after.volume) < 1e-9;

    // A file that is not there is an error with a sentence, not a crash
    good = good && spLoadMesh("no_such_file.msh", NULL, &error) == NULL;
    printf("%s: %s\n", spErrorCode_GetName(error.code), error.message);

    // A fine surface follows a coarse mesh: y = W x
    spShellMeshDef skinDef = spDefaultShellMeshDef();
    skinDef.radius = 0.45;
    skinDef.level = 4;
    spMesh* skin = spMakeIcosphereMesh(&skinDef, &error);
    int pointCount = spMesh_GetVertexCount(skin);
    spMeshMap* map = spCreateMeshMap(mesh, spMesh_GetVertices(skin), pointCount, &error);
    spDVec3* points = malloc((size_t)pointCount * sizeof(spDVec3));
    if (map == NULL || points == NULL)
    {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    spTransform up = {.position = {0, 1, 0}, .rotation = {0, 0, 0, 1}};
    spMesh_Transform(mesh, (spDVec3){1.0, 0.5, 1.0}, up, &error); // flatten, lift
    spMeshMap_Apply(map, spMesh_GetVertices(mesh), points);
    double worst = 0.0;
    for (int i = 0; i < pointCount; ++i)
    {
        spDVec3 p = spMesh_GetVertices(skin)[i];
        worst = fmax(worst, fabs(points[i].y - (0.5 * p.y + 1.0)) + fabs(points[i].x - p.x));
    }
    printf("map: %d points in %d vertices, %d outside; follows an affine motion to %.1g m\n", pointCount,
           spMesh_GetVertexCount(mesh), spMeshMap_GetOutsideCount(map), worst);
    good = good && worst < 1e-9;

    free(points);
    spDestroyMeshMap(map);
    spDestroyMesh(skin);
    spDestroyMesh(copy);
    spDestroyMesh(mesh);
    spDestroyMesh(ball);
    return good ? 0 : 1;
}
