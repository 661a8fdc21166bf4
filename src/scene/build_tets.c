// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Tetrahedra of a scene: one material, a few by region, or a Young's modulus for each from the mesh file; and
// the masses of nodes when regions have densities of their own.

#include "scene/build.h"

#include <stdio.h>

// Materials by name below this get a law for large strain, Pa
#define SP_SOFT_MODULUS 1e8

// The material of the body where no region says otherwise
typedef struct spTetMaterial
{
    double youngModulus; // Pa
    double poissonRatio;
} spTetMaterial;

bool spWantsTets(const spBodyData* data, const spMesh* mesh)
{
    bool implied = data->material[0] != 0 && data->springs.count == 0 && data->constraints.count == 0 &&
                   spMesh_GetTetCount(mesh) > 0;
    return spIsGiven(&data->head, &data->tets) || implied;
}

// Whether it is of a material by name that stretches a lot before it breaks
static bool spIsSoft(const spBodyData* data)
{
    const spMaterial* named = spFindMaterial(data->material);
    return named != NULL && named->youngModulus < SP_SOFT_MODULUS;
}

static spTetMaterial spChooseMaterial(const spBodyData* data)
{
    const spTetsData* tets = &data->tets;
    const spMaterial* named = spFindMaterial(data->material);
    if (spIsGiven(&tets->head, &tets->lameMu))
    {
        double lambda = tets->lameLambda, mu = tets->lameMu;
        return (spTetMaterial){mu * (3.0 * lambda + 2.0 * mu) / (lambda + mu),
                               lambda / (2.0 * (lambda + mu))};
    }
    spTetMaterial material = {tets->youngModulus, tets->poissonRatio};
    if (named != NULL && !spIsGiven(&tets->head, &tets->youngModulus))
    {
        material.youngModulus = named->youngModulus;
    }
    if (named != NULL && !spIsGiven(&tets->head, &tets->poissonRatio))
    {
        material.poissonRatio = named->poissonRatio;
    }
    return material;
}

// What a region of the mesh says; NULL when it says nothing
static const spTetRegionData* spFindRegion(const spTetsData* tets, int32_t region)
{
    const spTetRegionData* regions = tets->regions.data;
    for (int i = 0; i < tets->regions.count; ++i)
    {
        if (regions[i].region == region)
        {
            return &regions[i];
        }
    }
    return NULL;
}

static double spGetRestVolume(const spMesh* mesh, int tet)
{
    const spDVec3* vertices = spMesh_GetVertices(mesh);
    const int32_t* nodes = spMesh_GetTets(mesh) + 4 * (size_t)tet;
    double e[3][3];
    for (int k = 0; k < 3; ++k)
    {
        e[k][0] = vertices[nodes[k + 1]].x - vertices[nodes[0]].x;
        e[k][1] = vertices[nodes[k + 1]].y - vertices[nodes[0]].y;
        e[k][2] = vertices[nodes[k + 1]].z - vertices[nodes[0]].z;
    }
    return (e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) +
            e[0][1] * (e[1][2] * e[2][0] - e[1][0] * e[2][2]) +
            e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0])) /
           6.0;
}

spReal* spMakeRegionMasses(const spBodyData* data, const spMesh* mesh, double density, spHeap* heap,
                           spProblems* problems)
{
    const spTetsData* tets = &data->tets;
    const spTetRegionData* regions = tets->regions.data;
    bool wanted = false;
    for (int i = 0; i < tets->regions.count; ++i)
    {
        wanted |= spIsGiven(&regions[i].head, &regions[i].density);
    }
    if (!wanted)
    {
        return NULL;
    }

    // Summed in double: a node may have many tets
    int nodeCount = spMesh_GetVertexCount(mesh);
    double* sums = spAllocZeroed(heap, spArraySize(nodeCount, sizeof(double)));
    spReal* masses = spAlloc(heap, spArraySize(nodeCount, sizeof(spReal)));
    if (sums == NULL || masses == NULL)
    {
        spReportAs(problems, sp_errorOutOfMemory, &data->head, tets, "out of memory");
        spFree(heap, sums);
        spFree(heap, masses);
        return NULL;
    }
    for (int i = 0; i < spMesh_GetTetCount(mesh); ++i)
    {
        const spTetRegionData* region = spFindRegion(tets, spMesh_GetTetRegions(mesh)[i]);
        bool own = region != NULL && spIsGiven(&region->head, &region->density);
        double quarter = 0.25 * (own ? region->density : density) * spGetRestVolume(mesh, i);
        for (int k = 0; k < 4; ++k)
        {
            sums[spMesh_GetTets(mesh)[4 * (size_t)i + (size_t)k]] += quarter;
        }
    }
    for (int i = 0; i < nodeCount; ++i)
    {
        masses[i] = (spReal)sums[i];
    }
    spFree(heap, sums);
    return masses;
}

void spFreeRegionMasses(spReal* masses, spHeap* heap)
{
    spFree(heap, masses);
}

// Every region that the scene names must be in the mesh
static bool spCheckRegions(const spTetsData* tets, const spMesh* mesh, spProblems* problems)
{
    const spTetRegionData* regions = tets->regions.data;
    const int32_t* numbers = spMesh_GetTetRegions(mesh);
    int tetCount = spMesh_GetTetCount(mesh);
    bool good = true;
    for (int i = 0; i < tets->regions.count; ++i)
    {
        bool found = false;
        int32_t lowest = INT32_MAX, highest = INT32_MIN;
        for (int k = 0; k < tetCount; ++k)
        {
            found |= numbers[k] == regions[i].region;
            lowest = numbers[k] < lowest ? numbers[k] : lowest;
            highest = numbers[k] > highest ? numbers[k] : highest;
        }
        if (!found)
        {
            spReport(problems, &regions[i].head, &regions[i].region,
                     "no tet of the mesh is in region %d: its regions go from %d to %d", regions[i].region,
                     (int)lowest, (int)highest);
            good = false;
        }
    }
    return good;
}

// The moduli of every tet, into two arrays of tetCount entries
static void spFillModuli(const spBodyData* data, const spMesh* mesh, spTetMaterial material,
                         spReal* youngModuli, spReal* poissonRatios)
{
    bool field = spIsGiven(&data->tets.head, &data->tets.field);
    int index = field ? spMesh_FindValues(mesh, sp_meshTets, data->tets.field) : -1;
    const double* values = spMesh_GetValues(mesh, sp_meshTets, index);
    for (int i = 0; i < spMesh_GetTetCount(mesh); ++i)
    {
        const spTetRegionData* region = spFindRegion(&data->tets, spMesh_GetTetRegions(mesh)[i]);
        bool modulus = region != NULL && spIsGiven(&region->head, &region->youngModulus);
        bool ratio = region != NULL && spIsGiven(&region->head, &region->poissonRatio);
        double common = values != NULL ? values[i] : material.youngModulus;
        youngModuli[i] = (spReal)(modulus ? region->youngModulus : common);
        poissonRatios[i] = (spReal)(ratio ? region->poissonRatio : material.poissonRatio);
    }
}

// Memory for measurements: steps do not allocate
static bool spPrepareMeasurements(spRunBody* body, const spMesh* mesh, spHeap* heap)
{
    body->tetCount = spMesh_GetTetCount(mesh);
    body->tetStates = spAlloc(heap, spArraySize(body->tetCount, sizeof(spTetState)));
    body->tetNumbers = spAlloc(heap, spArraySize(body->tetCount, sizeof(spReal)));
    body->tetVolumes = spAlloc(heap, spArraySize(body->tetCount, sizeof(double)));
    for (int i = 0; body->tetVolumes != NULL && i < body->tetCount; ++i)
    {
        body->tetVolumes[i] = spGetRestVolume(mesh, i);
    }
    return body->tetStates != NULL && body->tetNumbers != NULL && body->tetVolumes != NULL;
}

void spFreeSceneTets(spRunBody* body, spHeap* heap)
{
    spFree(heap, body->tetStates);
    spFree(heap, body->tetNumbers);
    spFree(heap, body->tetVolumes);
    body->tetStates = NULL;
    body->tetNumbers = NULL;
    body->tetVolumes = NULL;
}

int spBuildTets(spWorld* world, spRunBody* body, const spMesh* mesh, spHeap* heap, spProblems* problems)
{
    const spBodyData* data = body->data;
    const spTetsData* tets = &data->tets;
    int tetCount = spMesh_GetTetCount(mesh);
    if (tetCount == 0)
    {
        spReport(
            problems, &data->head, tets,
            "the mesh has no tets: fill the surface, as \"mesh\": {\"fill\": FILE}, or give springs instead");
        return -1;
    }
    if (!spCheckRegions(tets, mesh, problems))
    {
        return -1;
    }
    spTetMaterial material = spChooseMaterial(data);
    spTetDef def = spDefaultTetDef();
    spFillDef(tets, &def);
    def.regions = spMesh_GetTetRegions(mesh);
    def.youngModulus = (spReal)material.youngModulus;
    def.poissonRatio = (spReal)material.poissonRatio;
    body->youngModulus = material.youngModulus;
    body->startYoungModulus = material.youngModulus;
    body->poissonRatio = material.poissonRatio;
    body->tetDamping = spIsGiven(&tets->head, &tets->damping) ? tets->damping : -1.0;
    def.damping = (spReal)body->tetDamping;
    if (!spIsGiven(&tets->head, &tets->law) && spIsSoft(data))
    {
        def.law = sp_tetNeoHookean;
    }
    body->tetScale = 1.0;
    body->mixed = tets->regions.count > 0 || spIsGiven(&tets->head, &tets->field);

    spReal *youngModuli = NULL, *poissonRatios = NULL;
    size_t size = body->mixed ? spArraySize(tetCount, sizeof(spReal)) : 0;
    bool good = spPrepareMeasurements(body, mesh, heap);
    if (good && body->mixed)
    {
        youngModuli = spAlloc(heap, size);
        poissonRatios = spAlloc(heap, size);
        good = youngModuli != NULL && poissonRatios != NULL;
        if (good)
        {
            spFillModuli(data, mesh, material, youngModuli, poissonRatios);
            def.youngModuli = youngModuli;
            def.poissonRatios = poissonRatios;
        }
    }
    int set = -1;
    if (!good)
    {
        spReportAs(problems, sp_errorOutOfMemory, &data->head, tets, "out of memory");
    }
    else
    {
        set = spBody_AddTets(world, body->id, &def);
        if (set < 0)
        {
            spReportWorld(problems, world, &data->head, tets, "these tets cannot be made");
        }
    }
    spFree(heap, youngModuli);
    spFree(heap, poissonRatios);
    return set;
}
