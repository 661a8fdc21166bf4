// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Bodies and colliders of a scene. What the scene leaves open is decided here: density and stiffness from a
// material, the outline of a disc, the groups of edges of a cloth.

#include "scene/build.h"

#include "souple/levels.h"

#include <math.h>
#include <string.h>

void spReportWorld(spProblems* problems, spWorld* world, const spObjectHead* head, const void* member,
                   const char* what)
{
    spError error = spWorld_GetLastError(world);
    spReportAs(problems, error.code, head, member, "%s: %s", what,
               error.code != sp_errorNone ? error.message : "it was refused without a reason");
    spWorld_ClearError(world);
}

void spFindClothEdges(const spMeshData* mesh, int group, int* first, int* count)
{
    int nx = mesh->countX, nz = mesh->countZ;
    int structural = (nx - 1) * nz + nx * (nz - 1);
    int shear = mesh->shear ? 2 * (nx - 1) * (nz - 1) : 0;
    int bend = mesh->bend ? spMaxInt(nx - 2, 0) * nz + nx * spMaxInt(nz - 2, 0) : 0;
    *first = group == sp_edgesStructural ? 0 : (group == sp_edgesShear ? structural : structural + shear);
    *count = group == sp_edgesStructural ? structural : (group == sp_edgesShear ? shear : bend);
}

spMethodDef spMakeMethod(const spMethodData* data, const spMeshData* mesh, const int32_t* edges)
{
    const spFilterData* filter = &data->filter;
    spMethodDef def = spDefaultMethodDef();
    spFillDef(data, &def);
    if (spIsGiven(&filter->head, &filter->pairs))
    {
        def.filter.edges = filter->pairs.data;
        def.filter.edgeCount = filter->pairs.count / 2;
    }
    else if (filter->neighbours != sp_neighboursAll)
    {
        // Structural edges come first, shear edges next
        int first = 0, shear = 0;
        spFindClothEdges(mesh, sp_edgesStructural, &first, &def.filter.edgeCount);
        spFindClothEdges(mesh, sp_edgesShear, &first, &shear);
        def.filter.edges = edges;
        def.filter.edgeCount += filter->neighbours == sp_neighboursShear ? shear : 0;
    }
    return def;
}

spVec3* spCopySceneNodes(spHeap* heap, const spWorld* world, const spRunBody* body)
{
    spVec3* positions = spAlloc(heap, spArraySize(body->nodeCount, sizeof(spVec3)));
    if (positions != NULL)
    {
        spBody_CopyPositions(world, body->id, positions, body->nodeCount);
    }
    return positions;
}

static void spFreeSceneNodes(spHeap* heap, spVec3* positions)
{
    spFree(heap, positions);
}

// ---------------------------------------------------------------------------------------------------------
// Elements

// The thickness that turns a density of a material into that of a sheet; 0 when neither springs nor bends
// say one
static double spFindThickness(const spBodyData* data)
{
    const spSpringsData* springs = data->springs.data;
    for (int i = 0; i < data->springs.count; ++i)
    {
        if (spIsGiven(&springs[i].head, &springs[i].thickness))
        {
            return springs[i].thickness;
        }
    }
    return spIsGiven(&data->bends.head, &data->bends.thickness) ? data->bends.thickness : 0.0;
}

// Of a solid without a material, kg/m^3
#define SP_WATER_DENSITY 1000.0

static double spChooseDensity(const spBodyData* data, const spMesh* mesh, spProblems* problems)
{
    const spMaterial* material = spFindMaterial(data->material);
    if (spIsGiven(&data->head, &data->density))
    {
        return data->density;
    }
    if (spMesh_GetTetCount(mesh) > 0)
    {
        return material != NULL ? material->density : SP_WATER_DENSITY;
    }
    if (material == NULL)
    {
        return 0.0; // that of a cloth, which the body knows
    }
    double thickness = spFindThickness(data);
    if (thickness == 0.0 && !spIsGiven(&data->head, &data->nodeMass))
    {
        spReport(
            problems, &data->head, &data->material,
            "a sheet of this material needs \"thickness\" in its springs or bends, or \"density\" in kg/m^2");
        return 0.0;
    }
    return thickness > 0.0 ? material->density * thickness : 0.0;
}

static bool spCheckPairs(const spSpringsData* springs, int nodeCount, spProblems* problems)
{
    const int32_t* pairs = springs->pairs.data;
    for (int i = 0; i < springs->pairs.count; ++i)
    {
        if (pairs[i] >= nodeCount)
        {
            spReport(problems, &springs->head, &springs->pairs,
                     "node %d does not exist: the body has %d nodes", pairs[i], nodeCount);
            return false;
        }
        if (i % 2 == 1 && pairs[i] == pairs[i - 1])
        {
            spReport(problems, &springs->head, &springs->pairs, "a spring from node %d to itself", pairs[i]);
            return false;
        }
    }
    return true;
}

static int spBuildSprings(spWorld* world, const spRunBody* body, const spMesh* mesh,
                          const spSpringsData* springs, spProblems* problems)
{
    const spObjectHead* head = &springs->head;
    const spBodyData* data = body->data;
    const spMaterial* material = spFindMaterial(data->material);
    spSpringDef def = spDefaultSpringDef();
    spFillDef(springs, &def);
    if (material != NULL && !spIsGiven(head, &springs->youngModulus) && !spIsGiven(head, &springs->stiffness))
    {
        def.youngModulus = (spReal)material->youngModulus;
    }
    if (spIsGiven(head, &springs->pairs))
    {
        if (!spCheckPairs(springs, body->nodeCount, problems))
        {
            return -1;
        }
        def.edges = springs->pairs.data;
        def.edgeCount = springs->pairs.count / 2;
    }
    else if (springs->edges != sp_edgesAll)
    {
        int first = 0;
        spFindClothEdges(&data->mesh, springs->edges, &first, &def.edgeCount);
        def.edges = spMesh_GetEdges(mesh) + 2 * first;
    }
    if (def.edges != NULL && def.edgeCount == 0)
    {
        spReport(problems, head, NULL, "there are no such springs");
        return -1;
    }
    int set = spBody_AddSprings(world, body->id, &def);
    if (set < 0)
    {
        spReportWorld(problems, world, head, NULL, "these springs cannot be made");
    }
    return set;
}

static int spBuildBends(spWorld* world, const spRunBody* body, spProblems* problems)
{
    const spBodyData* data = body->data;
    const spBendsData* bends = &data->bends;
    const spMaterial* material = spFindMaterial(data->material);
    spBendDef def = spDefaultBendDef();
    spFillDef(bends, &def);
    if (!spIsGiven(&bends->head, &bends->thickness))
    {
        def.thickness = (spReal)spFindThickness(data);
    }
    if (material != NULL && !spIsGiven(&bends->head, &bends->poissonRatio))
    {
        def.poissonRatio = (spReal)material->poissonRatio;
    }
    if (material != NULL && !spIsGiven(&bends->head, &bends->youngModulus) &&
        !spIsGiven(&bends->head, &bends->stiffness) && def.thickness > 0)
    {
        def.youngModulus = (spReal)material->youngModulus;
    }
    int set = spBody_AddBends(world, body->id, &def);
    if (set < 0)
    {
        spReportWorld(problems, world, &data->head, bends, "this bending cannot be made");
    }
    return set;
}

static int spBuildWind(spWorld* world, const spRunBody* body, spProblems* problems)
{
    const spWindData* wind = &body->data->wind;
    spWindDef def = spDefaultWindDef();
    spFillDef(wind, &def);
    int set = spBody_AddWind(world, body->id, &def);
    if (set < 0)
    {
        spReportWorld(problems, world, &body->data->head, wind, "this wind cannot be made");
    }
    return set;
}

static int spBuildGas(spWorld* world, const spRunBody* body, spHeap* heap, spProblems* problems)
{
    const spBodyData* data = body->data;
    const spGasData* gas = &data->gas;
    spGasDef def = spDefaultGasDef();
    spFillDef(gas, &def);
    if (spIsGiven(&gas->head, &gas->knrt))
    {
        def.restPressure = 0;
    }

    // The outer layer of a disc comes first and runs counter-clockwise
    int32_t* outline = NULL;
    size_t outlineSize = 0;
    if (spIsGiven(&gas->head, &gas->outline))
    {
        const int32_t* given = gas->outline.data;
        for (int i = 0; i < gas->outline.count; ++i)
        {
            if (given[i] >= body->nodeCount)
            {
                spReport(problems, &gas->head, &gas->outline, "node %d does not exist: the body has %d nodes",
                         given[i], body->nodeCount);
                return -1;
            }
        }
        def.outline = given;
        def.outlineCount = gas->outline.count;
    }
    else if (data->mesh.generator == sp_generateDisc)
    {
        outlineSize = spArraySize(data->mesh.points, sizeof(int32_t));
        outline = spAlloc(heap, outlineSize);
        for (int i = 0; outline != NULL && i < data->mesh.points; ++i)
        {
            outline[i] = i;
        }
        def.outline = outline;
        def.outlineCount = outline != NULL ? data->mesh.points : 0;
    }
    int set = spBody_AddGas(world, body->id, &def);
    spFree(heap, outline);
    if (set < 0)
    {
        spReportWorld(problems, world, &data->head, gas, "this gas cannot be made");
    }
    return set;
}

static int spBuildField(spWorld* world, const spRunBody* body, const spFieldData* field, spProblems* problems)
{
    spFieldDef def = spDefaultFieldDef();
    double length = sqrt(field->normal.x * field->normal.x + field->normal.y * field->normal.y +
                         field->normal.z * field->normal.z);
    spFillDef(field, &def);
    def.normal = (spVec3){(spReal)(field->normal.x / length), (spReal)(field->normal.y / length),
                          (spReal)(field->normal.z / length)};
    int set = spBody_AddField(world, body->id, &def);
    if (set < 0)
    {
        spReportWorld(problems, world, &field->head, NULL, "this field cannot be made");
    }
    return set;
}

// ---------------------------------------------------------------------------------------------------------
// Bodies

static void spBuildPins(spWorld* world, spRunBody* body, const spVec3* positions, spHeap* heap,
                        spProblems* problems)
{
    const spRegionData* pins = body->data->pins.data;
    for (int i = 0; i < body->data->pins.count; ++i)
    {
        spNodeList nodes;
        if (!spSelectNodes(heap, &pins[i], positions, body->nodeCount, &nodes, problems))
        {
            spReportAs(problems, sp_errorOutOfMemory, &pins[i].head, NULL, "out of memory");
            return;
        }
        if (nodes.count > 0 && !spBody_PinNodes(world, body->id, nodes.data, nodes.count))
        {
            spReportWorld(problems, world, &pins[i].head, NULL, "these nodes cannot be pinned");
        }
        if (nodes.count > 0 && spIsGiven(&pins[i].head, &pins[i].motion) &&
            !spAddDrivenPins(heap, body, &pins[i], &nodes, positions))
        {
            spReportAs(problems, sp_errorOutOfMemory, &pins[i].head, NULL, "out of memory");
        }
        spFreeNodes(heap, &nodes);
    }
}

// v = velocity + spin x (x - centre)
static void spApplySpin(spWorld* world, const spRunBody* body, spVec3* positions)
{
    spVec3 centre = spBody_GetCenter(world, body->id);
    spDVec3 w = body->data->spin, v = body->data->velocity;
    w = (spDVec3){SP_DEGREE * w.x, SP_DEGREE * w.y, SP_DEGREE * w.z};
    for (int i = 0; i < body->nodeCount; ++i)
    {
        double x = positions[i].x - centre.x, y = positions[i].y - centre.y, z = positions[i].z - centre.z;
        positions[i] =
            spToVec3((spDVec3){v.x + w.y * z - w.z * y, v.y + w.z * x - w.x * z, v.z + w.x * y - w.y * x});
    }
    spBody_SetVelocities(world, body->id, positions, body->nodeCount);
}

static void spBuildSurface(const spScene* scene, spWorld* world, const spRunBody* body, spHeap* heap,
                           spProblems* problems)
{
    const spBodyData* data = body->data;
    bool own = spIsGiven(&data->head, &data->surface);
    const spMeshData* shape = own ? &data->surface : &data->mesh;
    spMesh* mesh = spMakeSceneMesh(scene, data, shape, true, heap, problems);
    if (mesh != NULL && !spBody_AttachSurface(world, body->id, mesh))
    {
        spReportWorld(problems, world, &data->head, shape, "this surface cannot be attached");
    }
    spDestroyMesh(mesh);
}

// A bit for each number, from 1; all of them when the list is not given, or for all
static uint32_t spMakeBits(const spObjectHead* head, const spList* list, uint32_t fallback)
{
    if (spIsGiven(head, list) == false)
    {
        return fallback;
    }
    uint32_t bits = list->count < 0 ? UINT32_MAX : 0;
    for (int i = 0; i < list->count; ++i)
    {
        bits |= 1u << (((const int32_t*)list->data)[i] - 1);
    }
    return bits;
}

static void spMakeSceneLevels(const spScene* scene, const spBodyData* data, spMesh** levels, spHeap* heap,
                              spProblems* problems)
{
    const spMeshData* shapes = data->levels.data;
    for (int i = 0; i < data->levels.count; ++i)
    {
        levels[i] = spMakeSceneMesh(scene, data, shapes + i, false, heap, problems);
    }
}

static bool spCreateSceneBody(const spScene* scene, spWorld* world, const spBodyData* data,
                              const spMesh* mesh, spHeap* heap, spRunBody* body, spProblems* problems)
{
    spBodyDef def = spDefaultBodyDef();
    int errorsBefore = problems->errorCount;
    spFillDef(data, &def);
    def.name = data->name;
    def.mesh = mesh;
    def.transform = spMakePlacement(&data->transform);
    def.group = spMakeBits(&data->head, &data->group, def.group);
    def.touches = spMakeBits(&data->head, &data->touches, def.touches);
    def.density = (spReal)spChooseDensity(data, mesh, problems);
    def.method = spMakeMethod(&data->method, &data->mesh, spMesh_GetEdges(mesh));
    spReal* masses = spMakeRegionMasses(data, mesh, (double)def.density, heap, problems);
    def.nodeMasses = masses;
    spMesh* levels[SP_MAX_LEVELS] = {NULL};
    spMakeSceneLevels(scene, data, levels, heap, problems);
    def.levels = (const spMesh* const*)levels;
    def.levelCount = data->levels.count;
    if (problems->errorCount == errorsBefore)
    {
        body->id = spCreateBody(world, &def);
    }
    spFreeRegionMasses(masses, heap);
    for (int i = 0; i < data->levels.count; ++i)
    {
        spDestroyMesh(levels[i]);
    }
    if (problems->errorCount > errorsBefore)
    {
        return false;
    }
    if (SP_IS_NULL(body->id))
    {
        spReportWorld(problems, world, &data->head, NULL, "this body cannot be made");
        return false;
    }
    body->nodeCount = spBody_GetNodeCount(world, body->id);
    if (spIsGiven(&data->head, &data->joint))
    {
        spJointDef joint = spDefaultJointDef();
        spFillDef(&data->joint, &joint);
        joint.type = (spJointType)(data->joint.type + 1);
        joint.motorSpeed *= (spReal)(joint.type == sp_jointHinge ? SP_DEGREE : 1.0);
        if (!spBody_SetJoint(world, body->id, &joint))
        {
            spReportWorld(problems, world, &data->joint.head, NULL, "this joint cannot be made");
        }
    }
    return true;
}

void spBuildSceneBody(const spScene* scene, spWorld* world, const spBodyData* data, spHeap* heap,
                      spRunBody* body, spProblems* problems)
{
    *body = (spRunBody){.data = data,
                        .tetSet = -1,
                        .gasSet = -1,
                        .bendSet = -1,
                        .windSet = -1,
                        .friction = data->friction,
                        .restitution = data->restitution};
    spMesh* mesh = spMakeSceneMesh(scene, data, &data->mesh, false, heap, problems);
    if (mesh == NULL)
    {
        return;
    }
    if (spCreateSceneBody(scene, world, data, mesh, heap, body, problems))
    {
        if (spWantsTets(data, mesh))
        {
            body->tetSet = spBuildTets(world, body, mesh, heap, problems);
        }
        else if (data->material[0] != 0 && data->springs.count == 0 && data->constraints.count == 0)
        {
            spWarn(problems, &data->head, &data->material,
                   "the mesh has no tets that could be of this material: give springs, or a mesh with tets");
        }
        const spSpringsData* springs = data->springs.data;
        for (int i = 0; i < data->springs.count; ++i)
        {
            body->springSets[i] = spBuildSprings(world, body, mesh, &springs[i], problems);
            spReal modulus = 0;
            spBody_GetSpringModulus(world, body->id, body->springSets[i], &modulus, NULL);
            body->startModulus[i] = (double)modulus;
        }
        if (spIsGiven(&data->head, &data->bends))
        {
            body->bendSet = spBuildBends(world, body, problems);
            spReal stiffness = 0;
            spBody_GetBends(world, body->id, body->bendSet, &stiffness, NULL);
            body->startBending = (double)stiffness;
        }
        if (spIsGiven(&data->head, &data->gas))
        {
            body->gasSet = spBuildGas(world, body, heap, problems);
            body->startKnrt = spBody_GetGas(world, body->id, body->gasSet);
        }
        if (spIsGiven(&data->head, &data->wind))
        {
            body->windSet = spBuildWind(world, body, problems);
        }
        const spFieldData* fields = data->fields.data;
        for (int i = 0; i < data->fields.count; ++i)
        {
            body->fieldSets[i] = spBuildField(world, body, &fields[i], problems);
        }
        if (spIsGiven(&data->head, &data->surface) || spIsGiven(&data->mesh.head, &data->mesh.fill))
        {
            spBuildSurface(scene, world, body, heap, problems);
        }
        spVec3* positions = spCopySceneNodes(heap, world, body);
        if (positions == NULL)
        {
            spReportAs(problems, sp_errorOutOfMemory, &data->head, NULL, "out of memory");
        }
        else
        {
            spBuildPins(world, body, positions, heap, problems);
            spBuildSceneConstraints(world, body, mesh, positions, heap, problems);
            if (spIsGiven(&data->head, &data->spin))
            {
                spApplySpin(world, body, positions);
            }
            spFreeSceneNodes(heap, positions);
        }
    }
    spDestroyMesh(mesh);
}

static double spGetTerrainHeight(const spColliderData* data, double x, double z)
{
    double k = 2.0 * 3.14159265358979323846 / data->wavelength;
    switch (data->terrain)
    {
        case sp_terrainSlope:
            return data->amplitude * x / data->wavelength;
        case sp_terrainWaves:
            return data->amplitude * sin(k * x);
        case sp_terrainHills:
            return data->amplitude * sin(k * x) * sin(k * z);
        case sp_terrainSteps:
            return data->amplitude * floor(x / data->wavelength);
        default:
            return 0.0;
    }
}

// The heights of a field, which the caller frees; NULL where there is no memory or it would be too large
static spReal* spMakeTerrain(const spColliderData* data, spHeap* heap, spColliderDef* def)
{
    double cells = ceil(data->size / data->spacing);
    int count = (int)fmin(fmax(cells, 1.0), 1e6) + 1;
    spReal* heights = spAlloc(heap, count > 8192 ? 0 : spArraySize((int64_t)count * count, sizeof(spReal)));
    def->heightCountX = def->heightCountZ = count;
    def->spacing = (spReal)(data->size / (count - 1));
    def->heights = heights;
    for (int k = 0; heights != NULL && k < count; ++k)
    {
        for (int i = 0; i < count; ++i)
        {
            double x = data->size * ((double)i / (count - 1) - 0.5);
            double z = data->size * ((double)k / (count - 1) - 0.5);
            heights[(int64_t)k * count + i] = (spReal)spGetTerrainHeight(data, x, z);
        }
    }
    return heights;
}

spColliderId spBuildSceneCollider(const spScene* scene, spWorld* world, const spColliderData* data,
                                  spHeap* heap, spProblems* problems)
{
    spColliderDef def = spDefaultColliderDef();
    int sizes = spShape_GetSizes((spShape)data->shape);
    spMesh* mesh = NULL;
    spReal* heights = NULL;
    spFillDef(data, &def);
    def.name = data->name;
    def.group = spMakeBits(&data->head, &data->group, def.group);
    def.touches = spMakeBits(&data->head, &data->touches, def.touches);
    def.transform = spMakePlacement(&data->transform);
    if (spIsGiven(&data->head, &data->motion))
    {
        def.transform = spGetMotionPose(def.transform, &data->motion, 0.0);
    }
    if ((sizes & sp_sizeMesh) != 0)
    {
        mesh = spMakeColliderMesh(scene, data, heap, problems);
        def.mesh = mesh;
        if (mesh == NULL)
        {
            return (spColliderId){0};
        }
    }
    if ((sizes & sp_sizeHeights) != 0)
    {
        heights = spMakeTerrain(data, heap, &def);
    }
    spColliderId id = spCreateCollider(world, &def);
    if (SP_IS_NULL(id))
    {
        spReportWorld(problems, world, &data->head, NULL, "this collider cannot be made");
    }
    spDestroyMesh(mesh);
    spFree(heap, heights);
    return id;
}

void spBuildScenePair(spWorld* world, const spPairData* data, spBodyId body, spThing other,
                      spProblems* problems)
{
    // One that could not be made was reported already
    spColliderId collider = other.collider;
    if (spBody_IsValid(world, body) && spBody_IsValid(world, other.body))
    {
        if (spIsGiven(&data->head, &data->detector) &&
            !spWorld_SetPairDetector(world, body, other.body, (spDetector)data->detector))
        {
            spReportWorld(problems, world, &data->head, &data->detector, "this pair cannot be set");
        }
        if (spIsGiven(&data->head, &data->cells) &&
            !spWorld_SetPairCells(world, body, other.body, data->cells))
        {
            spReportWorld(problems, world, &data->head, &data->cells, "this pair cannot be set");
        }
        return;
    }
    if (!spBody_IsValid(world, body) || !spCollider_IsValid(world, collider))
    {
        return;
    }
    spPairMaterial material = spWorld_GetPairMaterial(world, body, collider);
    const spObjectHead* head = &data->head;
    material.touch = data->touch;
    material.friction = spIsGiven(head, &data->friction) ? (spReal)data->friction : material.friction;
    material.restitution =
        spIsGiven(head, &data->restitution) ? (spReal)data->restitution : material.restitution;
    if (!spWorld_SetPairMaterial(world, body, collider, &material))
    {
        spReportWorld(problems, world, head, NULL, "this pair cannot be set");
    }
}
