// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Shapes of tets and triangles: volumes, dihedral and corner angles, aspect, edge ratio.

#include "mesh/mesh.h"
#include "mesh/mesh_math.h"

#define SP_DEGREES (180.0 / 3.14159265358979323846)

spElementState spClassifyTet(const spDVec3* vertices, const int32_t* tet)
{
    double longest = 0.0;
    for (int e = 0; e < 6; ++e)
    {
        spDVec3 d = spDSub(vertices[tet[spTetEdges[e][0]]], vertices[tet[spTetEdges[e][1]]]);
        longest = fmax(longest, spDDot(d, d));
    }
    double volume = spTetVolume(vertices, tet);
    // Written so that a volume that is not a number counts as flat
    if (!(fabs(volume) >= SP_FLAT_LIMIT * longest * sqrt(longest)) || volume == 0.0)
    {
        return sp_elementFlat;
    }
    return volume < 0.0 ? sp_elementInverted : sp_elementFine;
}

spElementState spClassifyTriangle(const spDVec3* vertices, const int32_t* triangle)
{
    double longest = 0.0;
    for (int i = 0; i < 3; ++i)
    {
        spDVec3 d = spDSub(vertices[triangle[i]], vertices[triangle[(i + 1) % 3]]);
        longest = fmax(longest, spDDot(d, d));
    }
    double doubleArea = spDLength(spTriangleNormal(vertices, triangle));
    return doubleArea >= SP_FLAT_LIMIT * longest && doubleArea > 0.0 ? sp_elementFine : sp_elementFlat;
}

// Counts an angle in degrees
static void spAddAngle(spMeshReport* report, double angle)
{
    if (!(angle >= 0.0 && angle <= 180.0))
    {
        return; // of something without a shape
    }
    report->minDihedral = fmin(report->minDihedral, angle);
    report->maxDihedral = fmax(report->maxDihedral, angle);
    report->dihedralHistogram[spMinInt((int)(angle / 10.0), 17)] += 1;
}

static void spAddEdgeRatio(spMeshReport* report, double shortest2, double longest2)
{
    double ratio = shortest2 > 0.0 ? sqrt(longest2 / shortest2) : INFINITY;
    report->worstEdgeRatio = fmax(report->worstEdgeRatio, ratio);
}

static void spMeasureTet(const spDVec3* vertices, const int32_t* tet, spMeshReport* report)
{
    spDVec3 p[4];
    for (int i = 0; i < 4; ++i)
    {
        p[i] = vertices[tet[i]];
    }
    double shortest = INFINITY, longest = 0.0;
    for (int e = 0; e < 6; ++e)
    {
        spDVec3 d = spDSub(p[spTetEdges[e][0]], p[spTetEdges[e][1]]);
        double length2 = spDDot(d, d);
        shortest = fmin(shortest, length2);
        longest = fmax(longest, length2);
    }
    spAddEdgeRatio(report, shortest, longest);

    // Normals as long as twice the face. Two faces meet at 180 degrees less the angle of their normals.
    spDVec3 normals[4];
    double doubleArea = 0.0;
    for (int f = 0; f < 4; ++f)
    {
        spDVec3 a = p[spTetFaces[f][0]];
        normals[f] = spDCross(spDSub(p[spTetFaces[f][1]], a), spDSub(p[spTetFaces[f][2]], a));
        doubleArea += spDLength(normals[f]);
    }
    for (int i = 0; i < 4; ++i)
    {
        for (int j = i + 1; j < 4; ++j)
        {
            double sine = spDLength(spDCross(normals[i], normals[j]));
            spAddAngle(report, SP_DEGREES * atan2(sine, -spDDot(normals[i], normals[j])));
        }
    }

    // R = |a^2 (b x c) + b^2 (c x a) + c^2 (a x b)| / (2 det), r = 3 volume / area
    spDVec3 a = spDSub(p[1], p[0]), b = spDSub(p[2], p[0]), c = spDSub(p[3], p[0]);
    spDVec3 bc = spDCross(b, c);
    double det = spDDot(a, bc);
    spDVec3 sum = spDScale(spDDot(a, a), bc);
    sum = spDMulAdd(sum, spDDot(b, b), spDCross(c, a));
    sum = spDMulAdd(sum, spDDot(c, c), spDCross(a, b));
    double aspect = INFINITY;
    if (det != 0.0)
    {
        double circumradius = spDLength(sum) / (2.0 * fabs(det));
        double inradius = fabs(det) / doubleArea;
        aspect = circumradius / (3.0 * inradius);
    }
    report->worstAspect = fmax(report->worstAspect, aspect);

    double volume = det / 6.0;
    report->volume += volume;
    report->minTetVolume = fmin(report->minTetVolume, volume);
    report->maxTetVolume = fmax(report->maxTetVolume, volume);
}

static void spMeasureTriangle(const spDVec3* vertices, const int32_t* triangle, spMeshReport* report)
{
    double shortest = INFINITY, longest = 0.0, product = 1.0, perimeter = 0.0;
    for (int i = 0; i < 3; ++i)
    {
        spDVec3 p = vertices[triangle[i]];
        spDVec3 u = spDSub(vertices[triangle[(i + 1) % 3]], p);
        spDVec3 v = spDSub(vertices[triangle[(i + 2) % 3]], p);
        spAddAngle(report, SP_DEGREES * atan2(spDLength(spDCross(u, v)), spDDot(u, v)));
        double length2 = spDDot(u, u);
        shortest = fmin(shortest, length2);
        longest = fmax(longest, length2);
        product *= sqrt(length2);
        perimeter += sqrt(length2);
    }
    spAddEdgeRatio(report, shortest, longest);

    // R = abc / (4 area), r = 2 area / perimeter
    double doubleArea = spDLength(spTriangleNormal(vertices, triangle));
    double aspect = doubleArea > 0.0 ? product * perimeter / (4.0 * doubleArea * doubleArea) : INFINITY;
    report->worstAspect = fmax(report->worstAspect, aspect);
}

void spMeasureQuality(const spMesh* mesh, spMeshReport* report)
{
    report->minDihedral = 180.0;
    report->maxDihedral = 0.0;
    if (mesh->tetCount > 0)
    {
        report->minTetVolume = INFINITY;
        report->maxTetVolume = -INFINITY;
        for (int i = 0; i < mesh->tetCount; ++i)
        {
            spMeasureTet(mesh->vertices, mesh->tets + 4 * i, report);
        }
    }
    else
    {
        for (int i = 0; i < mesh->triangleCount; ++i)
        {
            spMeasureTriangle(mesh->vertices, mesh->triangles + 3 * i, report);
        }
    }
    if (report->minDihedral > report->maxDihedral)
    {
        report->minDihedral = 0.0;
    }
}
