// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// A cloth falls on a sphere, held at two corners. When it hangs still, the corners and the sphere carry its
// weight.

#include "souple/souple.h"

#include <math.h>
#include <stdio.h>

enum
{
    count = 24 // vertices along each side
};

// Adds the edges [first, first + edgeCount) of the mesh as springs
static bool AddEdges(spWorld* world, spBodyId cloth, const spMesh* mesh, int first, int edgeCount,
                     spReal stiffness)
{
    spSpringDef def = spDefaultSpringDef();
    def.edges = spMesh_GetEdges(mesh) + 2 * first;
    def.edgeCount = edgeCount;
    def.stiffness = stiffness;
    def.damping = 0.05f;
    return spBody_AddSprings(world, cloth, &def) >= 0;
}

int main(void)
{
    spError error = SP_ZERO_INIT;
    spWorldDef worldDef = spDefaultWorldDef();
    spWorld* world = spCreateWorld(&worldDef, &error);
    spColliderDef sphereDef = spDefaultColliderDef();
    sphereDef.shape = sp_shapeSphere;
    sphereDef.radius = 0.4f;
    sphereDef.transform.position.y = 0.5f;
    spColliderId sphere = spCreateCollider(world, &sphereDef);

    // 1.6 m x 1.6 m, 0.2 kg/m^2, just above the sphere. The generator gives triangles for drawing and mass,
    // and edges in three groups: structural, shear, bend.
    spClothMeshDef meshDef = spDefaultClothMeshDef();
    meshDef.corner = (spDVec3){-0.8, 1.0, -0.8};
    meshDef.sizeX = 1.6;
    meshDef.sizeZ = 1.6;
    meshDef.countX = count;
    meshDef.countZ = count;
    spMesh* mesh = spMakeClothMesh(&meshDef, &error);
    if (world == NULL || mesh == NULL)
    {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    spBodyDef bodyDef = spDefaultBodyDef();
    bodyDef.mesh = mesh;
    bodyDef.density = 0.2f;        // kg/m^2: there are no tets
    bodyDef.contactRadius = 0.01f; // half the thickness
    spBodyId cloth = spCreateBody(world, &bodyDef);
    int structural = 2 * count * (count - 1), shear = 2 * (count - 1) * (count - 1);
    int bend = spMesh_GetEdgeCount(mesh) - structural - shear;
    bool made = AddEdges(world, cloth, mesh, 0, structural, 150.0f) &&
                AddEdges(world, cloth, mesh, structural, shear, 30.0f) &&
                AddEdges(world, cloth, mesh, structural + shear, bend, 2.0f);
    spDestroyMesh(mesh);

    // Two corners stay where they are
    const int32_t corners[2] = {0, (count - 1) * count};
    made = made && spBody_PinNodes(world, cloth, corners, 2);
    spFieldDef air = spDefaultFieldDef();
    air.coefficient = 0.001f; // kg/s on each node
    made = made && spBody_AddField(world, cloth, &air) >= 0;
    if (made == false)
    {
        fprintf(stderr, "%s\n", spWorld_GetLastError(world).message);
        return 1;
    }

    spReal masses[count * count];
    double weight = 0.0;
    for (int i = 0; i < spBody_CopyMasses(world, cloth, masses, count * count); ++i)
    {
        weight += 9.81 * (double)masses[i];
    }
    uint32_t flags = 0;
    double pins = 0.0, push = 0.0;
    for (int i = 1; i <= 360; ++i)
    {
        flags |= spWorld_Step(world, 1.0f / 60.0f);
        pins = (double)spBody_GetPinForce(world, cloth).y;
        push = -(double)spCollider_GetForce(world, sphere).y;
        if (i % 60 == 0)
        {
            printf("%g s: corners hold %.2f N, the sphere %.2f N, the cloth weighs %.2f N\n",
                   spWorld_GetTime(world), pins, push, weight);
        }
    }

    // No node is inside the sphere
    double nearest = INFINITY;
    spVec3View x = spBody_GetPositions(world, cloth);
    for (int i = 0; i < x.count; ++i)
    {
        double dx = x.data[i].x, dy = x.data[i].y - 0.5, dz = x.data[i].z;
        nearest = fmin(nearest, sqrt(dx * dx + dy * dy + dz * dz));
    }
    printf("nearest node: %.4f m from the centre of the sphere\n", nearest);
    bool good =
        flags == 0 && fabs(pins + push - weight) < 0.03 * weight && push > 0.1 * weight && nearest > 0.405;
    spDestroyWorld(world);
    return good ? 0 : 1;
}
