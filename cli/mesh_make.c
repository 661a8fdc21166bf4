// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// souple mesh make: the generators with their numbers as options.

#include "mesh_make.h"

#include "commands.h"
#include "options.h"
#include "placeholder.h"
#include "tools.h"

#include <string.h>

static const char* const s_generators[] = {"box",   "beam",      "ball", "cylinder", "torus",
                                           "cloth", "icosphere", "disc", "lattice"};

#define SP_GENERATOR_COUNT ((int)(sizeof(s_generators) / sizeof(s_generators[0])))
#define SP_NOT_GIVEN (-1.0)

const char* spGetGeneratorWord(int index)
{
    return index < SP_GENERATOR_COUNT ? s_generators[index] : NULL;
}

// A number that is not given stays SP_NOT_GIVEN, and the generator's own default holds
typedef struct spMakeOptions
{
    double size[3], cells[3], counts[3];
    double radius, height, tubeRadius, layerDistance, spacing;
    int resolution, level, points, layers;
    bool five;
} spMakeOptions;

static double spPick(double given, double value)
{
    return given >= 0.0 ? given : value;
}

static spMesh* spMakeGrid(const spMakeOptions* options, bool beam, spError* error)
{
    spBoxMeshDef def = spDefaultBoxMeshDef();
    if (beam)
    {
        def.size = (spDVec3){1.0, 0.25, 0.25};
        def.cells[0] = 16;
    }
    def.size.x = spPick(options->size[0], def.size.x);
    def.size.y = spPick(options->size[1], def.size.y);
    def.size.z = spPick(options->size[2], def.size.z);
    def.origin = beam ? (spDVec3){0.0, 0.0, 0.0} : (spDVec3){-0.5 * def.size.x, 0.0, -0.5 * def.size.z};
    for (int i = 0; i < 3; ++i)
    {
        def.cells[i] = (int)spPick(options->cells[i], def.cells[i]);
    }
    def.split = options->five ? sp_fiveTets : sp_sixTets;
    return spMakeBoxMesh(&def, error);
}

static spMesh* spMakeRound(const spMakeOptions* options, const char* generator, spError* error)
{
    spRoundMeshDef def = spDefaultRoundMeshDef();
    def.radius = spPick(options->radius, def.radius);
    def.height = spPick(options->height, def.height);
    def.tubeRadius = spPick(options->tubeRadius, def.tubeRadius);
    def.resolution = (int)spPick(options->resolution, def.resolution);
    return strcmp(generator, "ball") == 0       ? spMakeBallMesh(&def, error)
           : strcmp(generator, "cylinder") == 0 ? spMakeCylinderMesh(&def, error)
                                                : spMakeTorusMesh(&def, error);
}

static spMesh* spMakeSheet(const spMakeOptions* options, spError* error)
{
    spClothMeshDef def = spDefaultClothMeshDef();
    def.sizeX = spPick(options->size[0], def.sizeX);
    def.sizeZ = spPick(options->size[2], def.sizeZ);
    def.countX = (int)spPick(options->counts[0], def.countX);
    def.countZ = (int)spPick(options->counts[2], def.countZ);
    def.corner = (spDVec3){-0.5 * def.sizeX, 0.0, -0.5 * def.sizeZ};
    return spMakeClothMesh(&def, error);
}

static spMesh* spMakeShell(const spMakeOptions* options, bool disc, spError* error)
{
    spShellMeshDef def = spDefaultShellMeshDef();
    def.radius = spPick(options->radius, def.radius);
    def.layers = (int)spPick(options->layers, def.layers);
    def.layerDistance = spPick(options->layerDistance, def.layerDistance);
    def.points = (int)spPick(options->points, def.points);
    def.level = (int)spPick(options->level, def.level);
    return disc ? spMakeDiscMesh(&def, error) : spMakeIcosphereMesh(&def, error);
}

static spMesh* spMakeGrating(const spMakeOptions* options, spError* error)
{
    spLatticeMeshDef def = spDefaultLatticeMeshDef();
    def.spacing = spPick(options->spacing, def.spacing);
    for (int i = 0; i < 3; ++i)
    {
        def.counts[i] = (int)spPick(options->counts[i], def.counts[i]);
    }
    return spMakeLatticeMesh(&def, error);
}

static spMesh* spMakeByName(const spMakeOptions* options, const char* generator, spError* error)
{
    if (strcmp(generator, "box") == 0 || strcmp(generator, "beam") == 0)
    {
        return spMakeGrid(options, strcmp(generator, "beam") == 0, error);
    }
    if (strcmp(generator, "cloth") == 0)
    {
        return spMakeSheet(options, error);
    }
    if (strcmp(generator, "icosphere") == 0 || strcmp(generator, "disc") == 0)
    {
        return spMakeShell(options, strcmp(generator, "disc") == 0, error);
    }
    return strcmp(generator, "lattice") == 0 ? spMakeGrating(options, error)
                                             : spMakeRound(options, generator, error);
}

int spMakeMeshFromOptions(int argc, char** argv, spMesh** mesh, const char** path, bool* json)
{
    spMakeOptions options = {
        .size = {SP_NOT_GIVEN, SP_NOT_GIVEN, SP_NOT_GIVEN},
        .cells = {SP_NOT_GIVEN, SP_NOT_GIVEN, SP_NOT_GIVEN},
        .counts = {SP_NOT_GIVEN, SP_NOT_GIVEN, SP_NOT_GIVEN},
        .radius = SP_NOT_GIVEN,
        .height = SP_NOT_GIVEN,
        .tubeRadius = SP_NOT_GIVEN,
        .layerDistance = SP_NOT_GIVEN,
        .spacing = SP_NOT_GIVEN,
        .resolution = -1,
        .level = -1,
        .points = -1,
        .layers = -1,
    };
    const spOption table[] = {
        {"out", sp_optionText, "FILE", (void*)path,
         "file to write; its ending chooses the format, as for 'souple mesh convert'", 0, 0, 'o'},
        {"size", sp_optionTriple, "X,Y,Z", options.size,
         "box, beam, cloth: side lengths in metres, by default 1,1,1, 1,0.25,0.25 and 2,-,2", 1e-9, 1e6, 0},
        {"cells", sp_optionTriple, "NX,NY,NZ", options.cells,
         "box, beam: cells along each side, by default 4,4,4 and 16,4,4", 1, 1000, 0},
        {"five", sp_optionFlag, NULL, &options.five, "box, beam: five tets in a cell instead of six", 0, 0,
         0},
        {"radius", sp_optionNumber, "METRES", &options.radius,
         "ball, cylinder, torus, icosphere, disc: radius, 0.5 m by default", 1e-9, 1e6, 0},
        {"height", sp_optionNumber, "METRES", &options.height, "cylinder: length along y, 1 m by default",
         1e-9, 1e6, 0},
        {"tube-radius", sp_optionNumber, "METRES", &options.tubeRadius,
         "torus: radius of the tube, 0.15 m by default", 1e-9, 1e6, 0},
        {"resolution", sp_optionInteger, "COUNT", &options.resolution,
         "ball, cylinder, torus: cells across the radius, 4 by default", 1, 100, 0},
        {"counts", sp_optionTriple, "NX,NY,NZ", options.counts,
         "cloth (NX, NZ), lattice: vertices along each axis, by default 20,-,20 and 8,8,1", 1, 2000, 0},
        {"spacing", sp_optionNumber, "METRES", &options.spacing,
         "lattice: distance of neighbours, 0.1 m by default", 1e-9, 1e6, 0},
        {"level", sp_optionInteger, "COUNT", &options.level, "icosphere: subdivisions, 2 by default", 0, 8,
         0},
        {"points", sp_optionInteger, "COUNT", &options.points, "disc: points in each layer, 32 by default", 3,
         100000, 0},
        {"layers", sp_optionInteger, "COUNT", &options.layers,
         "icosphere, disc: layers of the skin, 1 by default", 1, 100, 0},
        {"layer-distance", sp_optionNumber, "METRES", &options.layerDistance,
         "icosphere, disc: distance of layers, 0.1 m by default", 1e-9, 1e6, 0},
        {"json", sp_optionFlag, NULL, json, "print one JSON object on the result", 0, 0, 0},
    };
    static const char* const examples[] = {
        "souple mesh make ball --radius 0.3 --resolution 6 -o ball.vtu",
        "souple mesh make beam --size 1,0.2,0.2 --cells 20,4,4 -o beam.msh",
        NULL,
    };
    const spUsage usage = {
        .usage = "souple mesh make GENERATOR -o FILE [options]",
        .description = "Makes a mesh. GENERATOR is box, beam, ball, cylinder, torus (solid), cloth (sheet), "
                       "icosphere, disc\n"
                       "(shells) or lattice. Options that a generator does not know have no effect on it.",
        .options = table,
        .optionCount = (int)(sizeof(table) / sizeof(table[0])),
        .minOperands = 1,
        .maxOperands = 1,
        .examples = examples,
    };
    const char* generator = NULL;
    int operandCount = 0;
    int code = spParseOptions(&usage, argc, argv, &generator, &operandCount);
    if (code != SP_GO_ON)
    {
        return code;
    }
    bool known = false;
    for (int i = 0; i < SP_GENERATOR_COUNT; ++i)
    {
        known |= strcmp(s_generators[i], generator) == 0;
    }
    if (!known)
    {
        const char* nearest = spFindNearestOf(generator, s_generators, SP_GENERATOR_COUNT);
        return nearest != NULL
                   ? spFailUsage("unknown generator \"%s\"; did you mean \"%s\"?", generator, nearest)
                   : spFailUsage("unknown generator \"%s\"; see souple mesh make --help", generator);
    }
    if (*path == NULL)
    {
        return spFailUsage("-o is missing: where should the mesh go?");
    }
    spError error = SP_ZERO_INIT;
    *mesh = spMakeByName(&options, generator, &error);
    return *mesh != NULL ? SP_GO_ON : spFailFile(generator, &error);
}
