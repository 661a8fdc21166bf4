// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The table of scene files: every object and every key, with its unit, default, range and meaning. What is
// not here does not exist in a scene file. docs/scene_format.md is printed from it.

#include "scene/schema.h"

#include "scene/scene_data.h"
#include "souple/collider.h"
#include "souple/element.h"
#include "souple/levels.h"
#include "souple/record.h"

#include <float.h>

// One line per row: type, struct, key, member, then what the type needs, then the sentence of the manual,
// then further fields of spKey by name.
// clang-format off
#define ROW(type_, object_, key, member) \
    .name = key, .type = type_, .offset = offsetof(object_, member)
#define NUMBER(object_, key, member, unit_, default_, low, high, ...) \
    {ROW(sp_keyNumber, object_, key, member), .unit = unit_, .value = {default_}, .lower = low, .upper = high, .doc = __VA_ARGS__}
#define INTEGER(object_, key, member, default_, low, high, ...) \
    {ROW(sp_keyInteger, object_, key, member), .value = {default_}, .lower = low, .upper = high, .doc = __VA_ARGS__}
#define BOOL(object_, key, member, default_, ...) \
    {ROW(sp_keyBool, object_, key, member), .value = {default_}, .doc = __VA_ARGS__}
#define STRING(object_, key, member, ...) \
    {ROW(sp_keyString, object_, key, member), .doc = __VA_ARGS__}
#define CHOICE(object_, key, member, words, default_, ...) \
    {ROW(sp_keyChoice, object_, key, member), .choices = words, .choiceCount = SP_COUNT(words), .value = {default_}, .doc = __VA_ARGS__}
#define VECTOR(object_, key, member, unit_, dx, dy, dz, limit_, ...) \
    {ROW(sp_keyVector, object_, key, member), .unit = unit_, .value = {dx, dy, dz}, .lower = -(limit_), .upper = limit_, .doc = __VA_ARGS__}
#define COUNTS(object_, key, member, dx, dy, dz, low, high, ...) \
    {ROW(sp_keyCounts, object_, key, member), .value = {dx, dy, dz}, .lower = low, .upper = high, .doc = __VA_ARGS__}
#define INTEGERS(object_, key, member, ...) \
    {ROW(sp_keyIntegers, object_, key, member), .lower = 0, .upper = SP_SCENE_MAX_VERTICES, .limit = SP_SCENE_MAX_INDICES, .doc = __VA_ARGS__}
#define TUPLES(object_, key, member, width_, ...) \
    {ROW(sp_keyTuples, object_, key, member), .lower = 0, .upper = SP_SCENE_MAX_VERTICES, .limit = SP_SCENE_MAX_INDICES, .width = width_, .text = "none", .doc = __VA_ARGS__}
#define OBJECT(object_, key, member, schema, ...) \
    {ROW(sp_keyObject, object_, key, member), .object = &schema, .doc = __VA_ARGS__}
#define OBJECTS(object_, key, member, schema, limit_, ...) \
    {ROW(sp_keyObjects, object_, key, member), .object = &schema, .limit = limit_, .doc = __VA_ARGS__}
#define SCHEMA(title, object_, rows, ...) \
    {.name = title, .keys = rows, .keyCount = SP_COUNT(rows), .size = sizeof(object_), .doc = __VA_ARGS__}
#define BIT(value) ((uint64_t)1 << (value))
// The member of a definition of the engine that the row is for, and an object whose keys are for members of the same definition
#define TO(def, member) .bound = 1 + offsetof(def, member), .boundSize = sizeof(((def*)0)->member)
#define TO_SAME .bound = 1

// Largest coordinate, speed and so on: far beyond use, far from where float loses its meaning
#define FAR_AWAY 1e6
#define HUGE_NUMBER 1e15

// ---------------------------------------------------------------------------------------------------------
// Placement

static const spKey s_rotationKeys[] = {
    VECTOR(spRotationData, "axis", axis, NULL, 0, 1, 0, FAR_AWAY, "Axis to turn about; any length.", .flags = sp_keyNonZero, .text = "[0, 1, 0]"),
    NUMBER(spRotationData, "angle", angle, "degrees", 0, -1e6, 1e6, "Angle about the axis, right-handed.", .text = "0"),
    VECTOR(spRotationData, "euler", euler, "degrees", 0, 0, 0, FAR_AWAY,
           "Instead of axis and angle: angles about x, then y, then z, about axes that stay where they are.", .text = "none"),
};
static const spSchema s_rotation = SCHEMA("rotation", spRotationData, s_rotationKeys,
    "A rotation: axis and angle, or three angles.");

static const spKey s_bodyPlacementKeys[] = {
    VECTOR(spPlacementData, "position", position, "m", 0, 0, 0, FAR_AWAY, "Where the origin of the mesh goes."),
    OBJECT(spPlacementData, "rotation", rotation, s_rotation, "How the mesh is turned about its origin."),
    {ROW(sp_keyScale, spPlacementData, "scale", scale), .value = {1, 1, 1}, .lower = 0, .upper = 1e6, .flags = sp_keyAboveLower,
     .doc = "Factor on the mesh about its origin: one number, or one for each axis."},
};
static const spSchema s_bodyPlacement = SCHEMA("transform of a body", spPlacementData, s_bodyPlacementKeys,
    "Placement of a mesh: scaled, then turned, then moved.");

static const spKey s_colliderPlacementKeys[] = {
    VECTOR(spPlacementData, "position", position, "m", 0, 0, 0, FAR_AWAY, "Where the origin of the shape goes."),
    OBJECT(spPlacementData, "rotation", rotation, s_rotation, "How the shape is turned about its origin."),
    {ROW(sp_keyScale, spPlacementData, "scale", scale), .value = {1, 1, 1}, .lower = 0, .upper = 1e6, .flags = sp_keyAboveLower,
     .doc = "Factor on the mesh of `mesh`, `convex` and `distanceField` about its origin: one number, or one for each axis."},
};
static const spSchema s_colliderPlacement = SCHEMA("transform of a collider", spPlacementData, s_colliderPlacementKeys,
    "Placement of a collider: its mesh scaled, then turned, then moved.");

// ---------------------------------------------------------------------------------------------------------
// Mesh

static const char* const s_generators[] = {"box", "beam", "ball", "cylinder", "torus", "cloth", "icosphere", "disc", "lattice"};
static const char* const s_splits[] = {"six", "five"};

#define GRID (BIT(sp_generateBox) | BIT(sp_generateBeam))
#define ROUND (BIT(sp_generateBall) | BIT(sp_generateCylinder) | BIT(sp_generateTorus))
#define SHELL (BIT(sp_generateIcosphere) | BIT(sp_generateDisc))

static const spKey s_meshKeys[] = {
    STRING(spMeshData, "file", file, "Mesh file (VTU, VTK, MSH, Medit, Abaqus, Vega, TetGen, OBJ, STL, PLY or OFF), relative to the folder of the scene file.", .text = "none"),
    STRING(spMeshData, "fill", fill,
           "Instead of a file with tets: mesh file of a surface, open or closed, that is filled with tets, as `souple mesh fill` does. It is drawn in their place, "
           "unless the body has a `surface`.", .text = "none"),
    BOOL(spMeshData, "repair", repair, 0, "Mend the mesh after reading: merge copies, drop what is degenerate, turn tets upright, orient the surface."),
    CHOICE(spMeshData, "generator", generator, s_generators, -1,
           "Instead of a file: a shape that is made. `box`, `beam`, `ball`, `cylinder` and `torus` are solid (tets), `cloth` is a sheet, "
           "`icosphere` (3D) and `disc` (2D, in the xy plane) are hollow shells to be filled with gas, `lattice` is a grid of masses "
           "joined to all neighbours.",
           .flags = sp_keySelector, .text = "none"),
    VECTOR(spMeshData, "size", size, "m", 1, 1, 1, FAR_AWAY, "Side lengths, greater than 0.", .selector = BIT(sp_generateBox)),
    VECTOR(spMeshData, "size", size, "m", 1, 0.25, 0.25, FAR_AWAY, "Side lengths, greater than 0.", .selector = BIT(sp_generateBeam)),
    NUMBER(spMeshData, "size", fillSize, "m", 0, 0, FAR_AWAY, "With `fill`: longest edge of the tets inside, after `scale`.", .flags = sp_keyAboveLower | sp_keyNoDefault, .text = "about 5000 tets"),
    NUMBER(spMeshData, "growth", growth, "", 0, 0, 10, "With `fill`: tets inside may be longer by so many m per m of distance from the surface.", .flags = sp_keyNoDefault, .text = "0, all of one size"),
    NUMBER(spMeshData, "sharp", sharp, "degrees", 0, 0, 180, "With `fill`: edges at which the surface turns by more than this, and their corners, are kept where the angles of the tets allow it.", .flags = sp_keyNoDefault, .text = "0, none"),
    COUNTS(spMeshData, "cells", cells, 4, 4, 4, 1, 1000, "Cells along each side.", .selector = BIT(sp_generateBox)),
    COUNTS(spMeshData, "cells", cells, 16, 4, 4, 1, 1000, "Cells along each side.", .selector = BIT(sp_generateBeam)),
    CHOICE(spMeshData, "tets", split, s_splits, 0, "Tets that each cell is cut into.", .selector = GRID),
    VECTOR(spMeshData, "origin", origin, "m", 0, 0, 0, FAR_AWAY, "Corner with the smallest coordinates.",
           .selector = BIT(sp_generateBox), .flags = sp_keyNoDefault, .text = "stands on y = 0, centred in x and z"),
    VECTOR(spMeshData, "origin", origin, "m", 0, 0, 0, FAR_AWAY, "Corner with the smallest coordinates.", .selector = BIT(sp_generateBeam)),
    NUMBER(spMeshData, "radius", radius, "m", 0.5, 0, FAR_AWAY, "Radius; of a torus from its centre to the centre of the tube.",
           .selector = ROUND | SHELL, .flags = sp_keyAboveLower),
    NUMBER(spMeshData, "height", height, "m", 1, 0, FAR_AWAY, "Length along y.", .selector = BIT(sp_generateCylinder), .flags = sp_keyAboveLower),
    NUMBER(spMeshData, "tubeRadius", tubeRadius, "m", 0.15, 0, FAR_AWAY, "Radius of the tube, below `radius`.",
           .selector = BIT(sp_generateTorus), .flags = sp_keyAboveLower),
    INTEGER(spMeshData, "resolution", resolution, 4, 1, 100, "Cells across the radius, of a torus across that of the tube.", .selector = ROUND),
    NUMBER(spMeshData, "sizeX", sizeX, "m", 2, 0, FAR_AWAY, "Extent along x.", .selector = BIT(sp_generateCloth), .flags = sp_keyAboveLower),
    NUMBER(spMeshData, "sizeZ", sizeZ, "m", 2, 0, FAR_AWAY, "Extent along z.", .selector = BIT(sp_generateCloth), .flags = sp_keyAboveLower),
    INTEGER(spMeshData, "countX", countX, 20, 2, 2000, "Vertices along x.", .selector = BIT(sp_generateCloth)),
    INTEGER(spMeshData, "countZ", countZ, 20, 2, 2000, "Vertices along z.", .selector = BIT(sp_generateCloth)),
    BOOL(spMeshData, "shear", shear, 1, "Edges along both diagonals of every quad.", .selector = BIT(sp_generateCloth)),
    BOOL(spMeshData, "alternate", alternate, 0, "Cut every second quad along its other diagonal: hinges then bend the same along both.", .selector = BIT(sp_generateCloth)),
    BOOL(spMeshData, "bend", bend, 1, "Edges to the second next vertex, which resist bending.", .selector = BIT(sp_generateCloth)),
    VECTOR(spMeshData, "origin", origin, "m", 0, 0, 0, FAR_AWAY, "First vertex.", .selector = BIT(sp_generateCloth),
           .flags = sp_keyNoDefault, .text = "at y = 0, centred in x and z"),
    INTEGER(spMeshData, "level", level, 2, 0, 8, "Subdivisions: 10 * 4^level + 2 vertices.", .selector = BIT(sp_generateIcosphere)),
    INTEGER(spMeshData, "points", points, 32, 3, 100000, "Points in each layer.", .selector = BIT(sp_generateDisc)),
    INTEGER(spMeshData, "layers", layers, 1, 1, 100, "Layers of the skin, joined by springs.", .selector = SHELL),
    NUMBER(spMeshData, "layerDistance", layerDistance, "m", 0.1, 0, FAR_AWAY, "Distance between layers.", .selector = SHELL, .flags = sp_keyAboveLower),
    NUMBER(spMeshData, "spacing", spacing, "m", 0.1, 0, FAR_AWAY, "Distance between neighbours along an axis.",
           .selector = BIT(sp_generateLattice), .flags = sp_keyAboveLower),
    COUNTS(spMeshData, "counts", counts, 8, 8, 1, 1, 1000, "Vertices along each axis; 1 along z makes it 2D.", .selector = BIT(sp_generateLattice)),
    VECTOR(spMeshData, "origin", origin, "m", 0, 0, 0, FAR_AWAY, "First vertex.", .selector = BIT(sp_generateLattice)),
};
static const spSchema s_mesh = SCHEMA("mesh", spMeshData, s_meshKeys,
    "The shape of a body or collider: a file, a surface to fill, or a generator with its numbers. A text alone is the name of a file.", .shorthand = "file");

// ---------------------------------------------------------------------------------------------------------
// Regions

static const spKey s_boxKeys[] = {
    VECTOR(spBoxData, "lower", lower, "m", 0, 0, 0, FAR_AWAY, "Smallest coordinates.", .flags = sp_keyRequired),
    VECTOR(spBoxData, "upper", upper, "m", 0, 0, 0, FAR_AWAY, "Largest coordinates.", .flags = sp_keyRequired),
};
static const spSchema s_box = SCHEMA("box of a region", spBoxData, s_boxKeys, "A box along the axes of the world, its faces included.");

static const spKey s_sphereKeys[] = {
    VECTOR(spSphereData, "center", center, "m", 0, 0, 0, FAR_AWAY, "Centre.", .flags = sp_keyRequired),
    NUMBER(spSphereData, "radius", radius, "m", 0.1, 0, FAR_AWAY, "Radius, its surface included.", .flags = sp_keyRequired),
};
static const spSchema s_sphere = SCHEMA("sphere of a region", spSphereData, s_sphereKeys, "A sphere in the world.");

static const spKey s_rodKeys[] = {
    VECTOR(spRodData, "a", a, "m", 0, 0, 0, FAR_AWAY, "One end of the segment.", .flags = sp_keyRequired),
    VECTOR(spRodData, "b", b, "m", 0, 0, 0, FAR_AWAY, "The other end.", .flags = sp_keyRequired),
    NUMBER(spRodData, "radius", radius, "m", 0.1, 0, FAR_AWAY, "Radius around the segment.", .flags = sp_keyRequired | sp_keyAboveLower),
};
static const spSchema s_rod = SCHEMA("capsule", spRodData, s_rodKeys, "Everything within a radius of a segment.");

static const spKey s_edgeKeys[] = {
    VECTOR(spEdgeData, "a", a, "m", 0, 0, 0, FAR_AWAY, "One end.", .flags = sp_keyRequired),
    VECTOR(spEdgeData, "b", b, "m", 0, 0, 0, FAR_AWAY, "The other end.", .flags = sp_keyRequired),
};
static const spSchema s_edge = SCHEMA("edge of a blade", spEdgeData, s_edgeKeys, "The edge of a blade at one moment, in the world.");

static const spKey s_nearestKeys[] = {
    VECTOR(spNearestData, "point", point, "m", 0, 0, 0, FAR_AWAY, "Point in the world.", .flags = sp_keyRequired),
    INTEGER(spNearestData, "count", count, 1, 1, SP_SCENE_MAX_INDICES, "How many nodes."),
};
static const spSchema s_nearest = SCHEMA("nearest of a region", spNearestData, s_nearestKeys, "The nodes nearest to a point.");

#define REGION_KEYS \
    INTEGERS(spRegionData, "nodes", nodes, "Node numbers, or \"all\".", .flags = sp_keyAll, .text = "none"), \
    OBJECT(spRegionData, "box", box, s_box, "Nodes in a box."), \
    OBJECT(spRegionData, "sphere", sphere, s_sphere, "Nodes in a sphere."), \
    OBJECT(spRegionData, "nearest", nearest, s_nearest, "Nodes nearest to a point.")

static const spKey s_regionKeys[] = {REGION_KEYS};
static const spSchema s_region = SCHEMA("region", spRegionData, s_regionKeys,
    "Some nodes of a body, by exactly one of these keys. Places are those of the world at the moment when the region is needed: at the "
    "start for pins and attachments, at its time for an event. A number, or \"all\", alone stands for `nodes`.", .shorthand = "nodes");

// ---------------------------------------------------------------------------------------------------------
// Motion

static const spKey s_keyframeKeys[] = {
    NUMBER(spKeyframeData, "time", time, "s", 0, 0, 1e6, "When; keyframes go forward in time.", .flags = sp_keyRequired),
    VECTOR(spKeyframeData, "position", position, "m", 0, 0, 0, FAR_AWAY, "Where.", .flags = sp_keyNoDefault, .text = "that of the transform; of pins 0"),
    OBJECT(spKeyframeData, "rotation", rotation, s_rotation, "How it is turned; that of the transform when absent."),
};
static const spSchema s_keyframe = SCHEMA("keyframe", spKeyframeData, s_keyframeKeys,
    "A place at a time. Between two of them the motion is straight and the turn even, unless it is `smooth`; before the first and after the last nothing moves.");

static const spKey s_sinusoidKeys[] = {
    VECTOR(spSinusoidData, "axis", axis, NULL, 0, 1, 0, FAR_AWAY, "Direction; any length.", .flags = sp_keyNonZero),
    NUMBER(spSinusoidData, "amplitude", amplitude, "m", 0.1, -FAR_AWAY, FAR_AWAY, "Largest excursion to either side."),
    NUMBER(spSinusoidData, "frequency", frequency, "Hz", 1, 0, 10000, "How often."),
    NUMBER(spSinusoidData, "phase", phase, "degrees", 0, -1e6, 1e6, "Where in the cycle it starts."),
};
static const spSchema s_sinusoid = SCHEMA("sinusoid", spSinusoidData, s_sinusoidKeys,
    "To and fro along an axis: transform + axis * amplitude * sin(2 pi frequency t + phase).");

static const spKey s_spinKeys[] = {
    VECTOR(spSpinData, "axis", axis, NULL, 0, 1, 0, FAR_AWAY, "Axis through the origin of the shape; any length.", .flags = sp_keyNonZero),
    NUMBER(spSpinData, "rate", rate, "degrees/s", 90, -1e6, 1e6, "How fast, right-handed."),
};
static const spSchema s_spin = SCHEMA("spin", spSpinData, s_spinKeys, "An even turn about an axis, on top of the transform.");

static const spKey s_motionKeys[] = {
    OBJECTS(spMotionData, "keyframes", keyframes, s_keyframe, SP_SCENE_MAX_OBJECTS, "Places at times."),
    BOOL(spMotionData, "loop", loop, 0, "After the last keyframe start again from the first."),
    BOOL(spMotionData, "smooth", smooth, 0, "Pass the keyframes without a jump of velocity, on a cubic curve through their positions, and start and end at rest; turns ease in and out between two keyframes."),
    OBJECT(spMotionData, "sinusoid", sinusoid, s_sinusoid, "To and fro."),
    OBJECT(spMotionData, "spin", spin, s_spin, "Round and round."),
};
static const spSchema s_motion = SCHEMA("motion", spMotionData, s_motionKeys,
    "How a collider, or pinned nodes, move by themselves: keyframes; or a sinusoid, a spin, or both. Positions are those of the collider; of pins the way from where "
    "they start, and they turn about their common centre.");

// A region, and how it moves
static const spKey s_pinKeys[] = {
    REGION_KEYS,
    OBJECT(spRegionData, "motion", motion, s_motion, "Drives them; without it they stay where they start."),
};
static const spSchema s_pin = SCHEMA("pin", spRegionData, s_pinKeys,
    "Nodes that are held, by exactly one of the keys of a region, and may be driven along a path. A number, or \"all\", alone stands for `nodes`.", .shorthand = "nodes");

// ---------------------------------------------------------------------------------------------------------
// Elements and fields

static const char* const s_springEdges[] = {"all", "structural", "shear", "bend"};
static const char* const s_springLaws[] = {"hooke", "normalised", "tension", "proportional"};
_Static_assert(SP_COUNT(s_springLaws) == sp_springLawCount, "one word for each spring law");

static const spKey s_activationKeys[] = {
    NUMBER(spActivationData, "amplitude", amplitude, NULL, 0.2, -0.99, 0.99, "Share of the rest length that comes and goes.", TO(spSpringDef, activationAmplitude)),
    NUMBER(spActivationData, "frequency", frequency, "Hz", 1, 0, 10000, "How often.", TO(spSpringDef, activationFrequency)),
    NUMBER(spActivationData, "phase", phase, "degrees", 0, -1e6, 1e6, "Where in the cycle it starts.", TO(spSpringDef, activationPhase)),
};
static const spSchema s_activation = SCHEMA("activation", spActivationData, s_activationKeys,
    "Muscles: every rest length is multiplied by 1 + amplitude * sin(2 pi frequency t + phase).");

static const spKey s_springKeys[] = {
    CHOICE(spSpringsData, "edges", edges, s_springEdges, 0, "Which edges become springs: all that the mesh has, or one group of the generator `cloth`.", .text = "all"),
    TUPLES(spSpringsData, "pairs", pairs, 2, "Instead of edges: pairs of nodes, as in [[0, 1], [1, 2]]."),
    CHOICE(spSpringsData, "law", law, s_springLaws, sp_springHooke,
           "`hooke`: force = stiffness * (l - l0). `normalised`: stiffness * (l - l0) / l0, the same for any length. `tension`: as hooke, "
           "but nothing when shorter than l0. `proportional`: stiffness * l0 * (l - l0).", TO(spSpringDef, law)),
    NUMBER(spSpringsData, "stiffness", stiffness, "N/m (N for normalised, N/m^2 for proportional)", 1000, 0, HUGE_NUMBER, "Stiffness of every spring.",
           .text = "from youngModulus, else from the material of the body, else 1000", TO(spSpringDef, stiffness)),
    NUMBER(spSpringsData, "damping", damping, "N s/m", 0, 0, HUGE_NUMBER, "Damper along every spring.", .flags = sp_keyNoDefault, .text = "from dampingRatio", TO(spSpringDef, damping)),
    NUMBER(spSpringsData, "dampingRatio", dampingRatio, NULL, 0.005, 0, 100, "Instead of damping: share of critical damping that the slowest vibration of the body gets, whatever its resolution.", TO(spSpringDef, dampingRatio)),
    NUMBER(spSpringsData, "youngModulus", youngModulus, "Pa", 0, 0, 1e13, "Instead of stiffness: k = E * (volume around the edge) / l0^2, approximate.",
           .flags = sp_keyAboveLower | sp_keyNoDefault, .text = "none", TO(spSpringDef, youngModulus)),
    NUMBER(spSpringsData, "thickness", thickness, "m", 0, 0, FAR_AWAY, "Thickness of a sheet, with youngModulus or a material.",
           .flags = sp_keyAboveLower | sp_keyNoDefault, .text = "none", TO(spSpringDef, thickness)),
    NUMBER(spSpringsData, "restScale", restScale, NULL, 1, 0, 1000, "Factor on every rest length; 1 is stress-free as placed.", .flags = sp_keyAboveLower, TO(spSpringDef, restScale)),
    NUMBER(spSpringsData, "strength", strength, "N/m", 0, 0, 1e13, "Nodes whose largest pull on a width, of all springs of the body together, is above it tear, along edges of triangles (in solids faces of tets, Pa); needs `nodeRoom` of the body.",
           .flags = sp_keyAboveLower | sp_keyNoDefault, .text = "never"),
    INTEGER(spSpringsData, "tears", tears, 10, 1, 1000000, "Nodes that tear in one step at most, with `strength`."),
    OBJECT(spSpringsData, "activation", activation, s_activation, "Makes them muscles.", TO_SAME),
};
static const spSchema s_springs = SCHEMA("springs", spSpringsData, s_springKeys, "Springs with dampers between nodes.");

static const char* const s_constraintTypes[] = {"distance", "tether", "area", "volume", "bodyVolume"};
_Static_assert(SP_COUNT(s_constraintTypes) == sp_constraintTypeCount, "one word for each type of constraints");
#define DISTANCE BIT(sp_constraintDistance)
#define LENGTHS (DISTANCE | BIT(sp_constraintTether))
#define AREA BIT(sp_constraintArea)
#define VOLUME BIT(sp_constraintVolume)

static const spKey s_constraintKeys[] = {
    CHOICE(spConstraintsData, "type", type, s_constraintTypes, -1,
           "`distance` of two nodes. `tether`: the same, but only against growing; without `pairs`, from every free node to the nearest pinned one along the edges of the mesh. "
           "`area` of a triangle. `volume` of a tet. `bodyVolume`: the whole volume inside the closed surface of the body.",
           .flags = sp_keySelector | sp_keyRequired, TO(spConstraintDef, type)),
    CHOICE(spConstraintsData, "edges", edges, s_springEdges, 0, "Which edges: all that the mesh has, or one group of the generator `cloth`.",
           .selector = DISTANCE, .text = "all"),
    TUPLES(spConstraintsData, "pairs", nodes, 2, "Instead of edges of the mesh: pairs of nodes, as in [[0, 1], [1, 2]].", .selector = LENGTHS),
    TUPLES(spConstraintsData, "triangles", nodes, 3, "Instead of the triangles of the surface: three nodes each.", .selector = AREA),
    TUPLES(spConstraintsData, "tets", nodes, 4, "Instead of the tets of the mesh: four nodes each, upright.", .selector = VOLUME),
    OBJECT(spConstraintsData, "region", region, s_region, "Of the mesh only those whose nodes are all in this region, as placed.", .selector = DISTANCE | AREA | VOLUME),
    NUMBER(spConstraintsData, "compliance", compliance, "m/N", 0, 0, HUGE_NUMBER, "One over the stiffness; 0 keeps the length exactly.", .selector = LENGTHS, TO(spConstraintDef, compliance)),
    NUMBER(spConstraintsData, "compliance", compliance, "m/N", 0, 0, HUGE_NUMBER,
           "c in the energy A0 ((A - A0) / A0)^2 / (2 c); 0 keeps the area exactly.", .selector = AREA, TO(spConstraintDef, compliance)),
    NUMBER(spConstraintsData, "compliance", compliance, "1/Pa", 0, 0, HUGE_NUMBER, "One over the bulk modulus; 0 keeps the volume exactly.",
           .selector = VOLUME | BIT(sp_constraintBodyVolume), TO(spConstraintDef, compliance)),
    NUMBER(spConstraintsData, "damping", damping, "s", 0, 0, 1e6, "Damping time: viscous over elastic modulus; without effect where compliance is 0.", TO(spConstraintDef, damping)),
    NUMBER(spConstraintsData, "restScale", restScale, NULL, 1, 0, 1000, "Factor on every rest value; 1 is that of the shape as placed.", .flags = sp_keyAboveLower, TO(spConstraintDef, restScale)),
};
static const spSchema s_constraints = SCHEMA("constraints", spConstraintsData, s_constraintKeys,
    "What the method xpbd keeps, more or less exactly; no other method knows them. Each has an energy of value^2 / (2 compliance).");

static const spKey s_constraintChangeKeys[] = {
    NUMBER(spConstraintChangeData, "compliance", compliance, "m/N, 1/Pa", 0, 0, HUGE_NUMBER, "New compliance.", .flags = sp_keyNoDefault, .text = "unchanged"),
    NUMBER(spConstraintChangeData, "damping", damping, "s", 0, 0, 1e6, "New damping time.", .flags = sp_keyNoDefault, .text = "unchanged"),
};
static const spSchema s_constraintChange = SCHEMA("change of constraints", spConstraintChangeData, s_constraintChangeKeys,
    "New numbers of one set of constraints of a body.");

static const char* const s_tetLaws[] = {"linear", "corotational", "corotationalEdge", "stVenantKirchhoff", "hybrid", "neoHookean", "mooneyRivlin"};
static const char* const s_tetDampings[] = {"strainRate", "rayleigh"};
_Static_assert(SP_COUNT(s_tetLaws) == sp_tetLawCount, "one word for each tet law");
_Static_assert(SP_COUNT(s_tetDampings) == sp_tetDampingCount, "one word for each damping model");
#define POISSON_MAX 0.4999

static const spKey s_tetRegionKeys[] = {
    INTEGER(spTetRegionData, "region", region, 0, INT32_MIN, INT32_MAX, "Number of the region, as the mesh file has it.", .flags = sp_keyRequired),
    STRING(spTetRegionData, "name", name, "What the legend of colours by region calls it.", .text = "its number"),
    NUMBER(spTetRegionData, "youngModulus", youngModulus, "Pa", 0, 0, 1e13, "Young's modulus there.", .flags = sp_keyAboveLower | sp_keyNoDefault, .text = "that of the tets"),
    NUMBER(spTetRegionData, "poissonRatio", poissonRatio, NULL, 0, -1, POISSON_MAX, "Poisson's ratio there.", .flags = sp_keyAboveLower | sp_keyNoDefault, .text = "that of the tets"),
    NUMBER(spTetRegionData, "density", density, "kg/m^3", 0, 0, 1e9, "Density there.", .flags = sp_keyAboveLower | sp_keyNoDefault, .text = "that of the body"),
};
static const spSchema s_tetRegion = SCHEMA("region of tets", spTetRegionData, s_tetRegionKeys, "Another material in one region of the mesh.");

static const spKey s_tetKeys[] = {
    CHOICE(spTetsData, "law", law, s_tetLaws, sp_tetCorotational,
           "`linear`: small strain, wrong when anything turns. `corotational`: small strain in a frame that turns along. `corotationalEdge`: the same, cheaper and "
           "rougher. `stVenantKirchhoff`: Green's strain, gives way under strong pressure. `hybrid`: Debunne's. `neoHookean` and `mooneyRivlin`: rubber and tissue at "
           "large strain. `corotationalEdge` and `stVenantKirchhoff` leave a tet inside out once it is; the others bring it back.", .text = "neoHookean for a material by name below 100 MPa, else corotational", TO(spTetDef, law)),
    NUMBER(spTetsData, "youngModulus", youngModulus, "Pa", 1e5, 0, 1e13, "Young's modulus.", .flags = sp_keyAboveLower, .text = "from the material of the body, else 100000", TO(spTetDef, youngModulus)),
    NUMBER(spTetsData, "poissonRatio", poissonRatio, NULL, 0.4, -1, POISSON_MAX, "Poisson's ratio; 0.5 would be incompressible.", .flags = sp_keyAboveLower,
           .text = "from the material of the body, else 0.4", TO(spTetDef, poissonRatio)),
    NUMBER(spTetsData, "lameLambda", lameLambda, "Pa", 0, -1e13, 1e13, "With lameMu, instead of Young's modulus and Poisson's ratio.", .flags = sp_keyNoDefault, .text = "none"),
    NUMBER(spTetsData, "lameMu", lameMu, "Pa", 0, 0, 1e13, "Shear modulus, with lameLambda.", .flags = sp_keyAboveLower | sp_keyNoDefault, .text = "none"),
    NUMBER(spTetsData, "mooney", mooney, NULL, 0.2, 0, 1, "For `mooneyRivlin`: share of the second constant in the shear modulus, 2 c2 / mu; 0 is neo-Hookean.", TO(spTetDef, mooney)),
    NUMBER(spTetsData, "damping", damping, "s", 0, 0, 1e6, "Damping time: viscous over elastic moduli.", .flags = sp_keyNoDefault, .text = "from dampingRatio", TO(spTetDef, damping)),
    NUMBER(spTetsData, "dampingRatio", dampingRatio, NULL, 0.005, 0, 100, "Instead of damping: share of critical damping that the slowest vibration of the body gets, whatever its resolution.", TO(spTetDef, dampingRatio)),
    CHOICE(spTetsData, "dampingModel", dampingModel, s_tetDampings, sp_dampStrainRate,
           "What it multiplies. `strainRate`: the stress of the rate of strain. `rayleigh`: the stiffness matrix.", TO(spTetDef, dampingModel)),
    OBJECTS(spTetsData, "regions", regions, s_tetRegion, SP_SCENE_MAX_OBJECTS, "Other materials in regions of the mesh."),
    NUMBER(spTetsData, "strength", strength, "Pa", 0, 0, 1e13, "Nodes whose largest principal stress is above it tear, along faces; needs `nodeRoom` of the body.", .flags = sp_keyAboveLower | sp_keyNoDefault, .text = "never"),
    INTEGER(spTetsData, "tears", tears, 10, 1, 1000000, "Nodes that tear in one step at most, with `strength`."),
    STRING(spTetsData, "field", field, "Name of an array in the mesh file (cell data) with Young's modulus of each tet, Pa.", .text = "none"),
};
static const spSchema s_tets = SCHEMA("tets", spTetsData, s_tetKeys,
    "Solid tetrahedra: all tets of the mesh, stress-free as placed. A text alone stands for `law`. A body with a material on a mesh with tets, and with neither tets, "
    "springs nor constraints, gets tets as if it had `\"tets\": {}`.", .shorthand = "law");

static const spKey s_tetChangeKeys[] = {
    NUMBER(spTetChangeData, "youngModulus", youngModulus, "Pa", 0, 0, 1e13, "New Young's modulus of every tet.", .flags = sp_keyAboveLower | sp_keyNoDefault, .text = "unchanged"),
    NUMBER(spTetChangeData, "poissonRatio", poissonRatio, NULL, 0, -1, POISSON_MAX, "New Poisson's ratio of every tet.", .flags = sp_keyAboveLower | sp_keyNoDefault, .text = "unchanged"),
    NUMBER(spTetChangeData, "damping", damping, "s", 0, 0, 1e6, "New damping time.", .flags = sp_keyNoDefault, .text = "unchanged"),
    NUMBER(spTetChangeData, "scale", scale, NULL, 1, 1e-6, 1e6, "Young's modulus of every tet over that at the start: tets of several materials keep them.", .flags = sp_keyNoDefault, .text = "unchanged"),
};
static const spSchema s_tetChange = SCHEMA("change of tets", spTetChangeData, s_tetChangeKeys,
    "New numbers of the tets of a body. Tets with several materials take a `scale`; with both moduli they have one material afterwards.");

static const spKey s_relaxKeys[] = {
    BOOL(spRelaxData, "active", active, 1, "Whether to relax."),
    NUMBER(spRelaxData, "tolerance", tolerance, NULL, 0, 0, 1, "Net force on free nodes over load at which it stops.", .flags = sp_keyAboveLower | sp_keyNoDefault,
           .text = "that of the engine", TO(spRelaxDef, tolerance)),
    INTEGER(spRelaxData, "maxIterations", maxIterations, 100000, 1, 100000000, "Conjugate gradients or evaluations of the forces at most; not to converge is reported as trouble of the run.", TO(spRelaxDef, maxIterations)),
    BOOL(spRelaxData, "dynamic", dynamic, 0, "By dynamic relaxation alone, without trying Newton's method first.", TO(spRelaxDef, dynamic)),
};
static const spSchema s_relax = SCHEMA("relax", spRelaxData, s_relaxKeys,
    "Start from static equilibrium: under gravity, elements and gas, with pinned nodes where they are. Colliders, attachments and grabs are not felt. `true` alone will do.",
    .shorthand = "active");

static const spKey s_breathingKeys[] = {
    NUMBER(spBreathingData, "amplitude", amplitude, NULL, 0.2, 0, 0.99, "Share of n R T that comes and goes.", TO(spGasDef, breathAmplitude)),
    NUMBER(spBreathingData, "frequency", frequency, "Hz", 1, 0, 10000, "How often.", TO(spGasDef, breathFrequency)),
};
static const spSchema s_breathing = SCHEMA("breathing", spBreathingData, s_breathingKeys, "n R T is multiplied by 1 + amplitude * sin(2 pi frequency t).");

static const spKey s_gasKeys[] = {
    NUMBER(spGasData, "knrt", knrt, "J (J/m in 2D)", 0, 0, HUGE_NUMBER, "n R T: pressure times volume.", .flags = sp_keyAboveLower | sp_keyNoDefault,
           .text = "from restPressure", TO(spGasDef, knrt)),
    NUMBER(spGasData, "restPressure", restPressure, "Pa (N/m in 2D)", 1000, 0, HUGE_NUMBER, "Instead of knrt: pressure in the shape as placed.",
           .flags = sp_keyAboveLower, .text = "1000, without knrt", TO(spGasDef, restPressure)),
    BOOL(spGasData, "ambient", ambient, 1, "The same pressure acts from outside: stress-free as placed.", TO(spGasDef, ambient)),
    OBJECT(spGasData, "breathing", breathing, s_breathing, "Makes the body breathe.", TO_SAME),
    INTEGERS(spGasData, "outline", outline, "Makes it 2D: nodes of a closed outline in the xy plane, counter-clockwise.",
             .text = "3D; for `disc` the points of the outer layer"),
};
static const spSchema s_gas = SCHEMA("gas", spGasData, s_gasKeys, "Ideal gas inside the closed surface of the body, or inside an outline in the xy plane.");

static const spKey s_bendKeys[] = {
    NUMBER(spBendsData, "stiffness", stiffness, "J", 1e-4, 0, HUGE_NUMBER,
           "k in the energy k (3 l0^2 / A) (angle - rest angle)^2 / 2 of every inner edge: a third of the stiffness of a plate.",
           .text = "from youngModulus, else from the material of the body with a thickness, else 1e-4", TO(spBendDef, stiffness)),
    NUMBER(spBendsData, "youngModulus", youngModulus, "Pa", 0, 0, 1e13, "Instead of stiffness: k = E t^3 / (36 (1 - nu^2)).",
           .flags = sp_keyAboveLower | sp_keyNoDefault, .text = "none", TO(spBendDef, youngModulus)),
    NUMBER(spBendsData, "poissonRatio", poissonRatio, NULL, 0.3, 0, 0.5, "With youngModulus.", .text = "that of the material, else 0.3", TO(spBendDef, poissonRatio)),
    NUMBER(spBendsData, "thickness", thickness, "m", 0, 0, FAR_AWAY, "Thickness of the sheet, with youngModulus or a material.",
           .flags = sp_keyAboveLower | sp_keyNoDefault, .text = "that of the springs", TO(spBendDef, thickness)),
    NUMBER(spBendsData, "damping", damping, "J s", 1e-6, 0, HUGE_NUMBER, "Against changes of the angle, weighted as the stiffness.", TO(spBendDef, damping)),
    BOOL(spBendsData, "flat", flat, 0, "Bends back to a plane instead of to the shape as placed.", TO(spBendDef, flat)),
};
static const spSchema s_bends = SCHEMA("bends", spBendsData, s_bendKeys,
    "Resistance to bending over every edge that two triangles of the surface share.");

static const spKey s_windKeys[] = {
    VECTOR(spWindData, "velocity", velocity, "m/s", 0, 0, 0, FAR_AWAY, "Of the fluid.", TO(spWindDef, velocity)),
    NUMBER(spWindData, "gustAmplitude", gustAmplitude, NULL, 0, 0, 1000, "The velocity is multiplied by 1 + gustAmplitude * sin(2 pi gustFrequency t).", TO(spWindDef, gustAmplitude)),
    NUMBER(spWindData, "gustFrequency", gustFrequency, "Hz", 1, 0, 10000, "How often gusts come.", TO(spWindDef, gustFrequency)),
    NUMBER(spWindData, "density", density, "kg/m^3", 1.2, 0, 1e6, "Of the fluid: 1.2 for air, 1000 for water.", TO(spWindDef, density)),
    NUMBER(spWindData, "normalDrag", normalDrag, NULL, 1, 0, 1000, "Drag coefficient across the surface.", TO(spWindDef, normalDrag)),
    NUMBER(spWindData, "tangentDrag", tangentDrag, NULL, 0.05, 0, 1000, "Drag coefficient along the surface.", TO(spWindDef, tangentDrag)),
    BOOL(spWindData, "oneSided", oneSided, 0, "Only triangles that move outwards through the fluid feel it: for closed bodies.", TO(spWindDef, oneSided)),
};
static const spSchema s_wind = SCHEMA("wind", spWindData, s_windKeys,
    "Wind, and the drag of air or water, on every triangle of the surface.");

static const char* const s_fieldTypes[] = {"drag", "repulsiveGround", "massDrag", "coherence"};
_Static_assert(SP_COUNT(s_fieldTypes) == sp_fieldTypeCount, "one word for each field");
#define GROUND BIT(sp_fieldRepulsiveGround)

static const spKey s_fieldKeys[] = {
    CHOICE(spFieldData, "type", type, s_fieldTypes, -1, "`drag`: force = -coefficient * v on every node. `repulsiveGround`: coefficient / d^2 away from a plane. `massDrag`: "
           "-coefficient * mass * v. `coherence`: coefficient * (mean velocity of the nodes at the other ends of its edges - v), nothing where "
           "that would make the node faster or turn it round.",
           .flags = sp_keySelector | sp_keyRequired, TO(spFieldDef, type)),
    NUMBER(spFieldData, "coefficient", coefficient, "kg/s", 0.1, 0, HUGE_NUMBER, "Strength, on each node.",
           .selector = BIT(sp_fieldDrag) | BIT(sp_fieldCoherence), TO(spFieldDef, coefficient)),
    NUMBER(spFieldData, "coefficient", coefficient, "1/s", 0.1, 0, HUGE_NUMBER, "Strength, for each kg.", .selector = BIT(sp_fieldMassDrag), TO(spFieldDef, coefficient)),
    NUMBER(spFieldData, "coefficient", coefficient, "N m^2", 0.1, 0, HUGE_NUMBER, "Strength, on each node.", .selector = GROUND, TO(spFieldDef, coefficient)),
    VECTOR(spFieldData, "normal", normal, NULL, 0, 1, 0, FAR_AWAY, "Direction away from the ground; any length.", .selector = GROUND, .flags = sp_keyNonZero, TO(spFieldDef, normal)),
    NUMBER(spFieldData, "offset", offset, "m", 0, -FAR_AWAY, FAR_AWAY, "Height of the ground along its normal.", .selector = GROUND, TO(spFieldDef, offset)),
    NUMBER(spFieldData, "minDistance", minDistance, "m", 1e-4, 0, FAR_AWAY, "Distances below this count as this, which bounds the force.",
           .selector = GROUND, .flags = sp_keyAboveLower, TO(spFieldDef, minDistance)),
    NUMBER(spFieldData, "cutoff", cutoff, "m", 10, 0, FAR_AWAY, "No force beyond this distance.", .selector = GROUND, .flags = sp_keyAboveLower, TO(spFieldDef, cutoff)),
};
static const spSchema s_field = SCHEMA("field", spFieldData, s_fieldKeys, "A force from outside on every node of a body.");

static const char* const s_methodTypes[] = {"symplecticEuler", "forwardEuler", "verlet", "rungeKutta4", "localImplicit",
                                            "backwardEuler", "bdf2", "imex", "quasiStatic", "xpbd", "rigid", "multiresolution", "auto"};
static const char* const s_contactModes[] = {"rows", "backtrack", "off"};
_Static_assert(SP_COUNT(s_methodTypes) == sp_methodTypeCount, "one word for each method");

static const char* const s_filterTypes[] = {"none", "exponential", "gaussian"};
static const char* const s_filterReadings[] = {"preserving", "literal", "sumNormalised", "firstFormula"};
static const char* const s_filterNeighbours[] = {"all", "structural", "structuralAndShear"};
_Static_assert(SP_COUNT(s_filterReadings) == sp_filterReadingCount, "one word for each reading");

static const spKey s_filterKeys[] = {
    CHOICE(spFilterData, "type", type, s_filterTypes, sp_filterNone, "How weights fall with the distance d: exp(-lambda d) or exp(-(lambda d)^2).", TO(spFilterDef, type)),
    CHOICE(spFilterData, "reading", reading, s_filterReadings, sp_filterPreserving,
           "`preserving`, `sumNormalised`: keep uniform velocities. `literal`: as published, a strong drag. `firstFormula`: may turn modes over.", TO(spFilterDef, reading)),
    NUMBER(spFilterData, "lambda", lambda, NULL, 1, 0, 1000, "How fast weights fall, per mean edge: small filters more.", .flags = sp_keyAboveLower, TO(spFilterDef, lambda)),
    CHOICE(spFilterData, "neighbours", neighbours, s_filterNeighbours, 0, "Which edges join neighbours: all of the mesh, or groups of the generator `cloth`.", .text = "all"),
    TUPLES(spFilterData, "pairs", pairs, 2, "Instead of neighbours: pairs of nodes."),
    BOOL(spFilterData, "adaptive", adaptive, 0, "Filter only as strongly as the substep needs, not at all when it is stable anyway.", TO(spFilterDef, adaptive)),
    BOOL(spFilterData, "keepRotation", keepRotation, 1, "Leave the rotation of a body without held nodes alone.", TO(spFilterDef, keepRotation)),
    BOOL(spFilterData, "allowNegative", allowNegative, 0, "Accept weights that turn modes over, which no step survives: for comparison.", TO(spFilterDef, allowNegative)),
};
static const spSchema s_filter = SCHEMA("filter", spFilterData, s_filterKeys,
    "A filter on velocities: each becomes a mean with those of its neighbours before nodes move, which allows larger substeps and damps the motion. A text alone "
    "stands for `type`.", .shorthand = "type");

static const char* const s_operators[] = {"auto", "assembled", "matrixFree"};
static const char* const s_preconditioners[] = {"auto", "none", "jacobi", "blockJacobi", "ssor", "incompleteCholesky", "cholesky", "multilevel"};
_Static_assert(SP_COUNT(s_operators) == sp_operatorTypeCount, "one word for each operator");
_Static_assert(SP_COUNT(s_preconditioners) == sp_preconditionerTypeCount, "one word for each preconditioner");

static const spKey s_solverKeys[] = {
    CHOICE(spSolverData, "operator", operatorType, s_operators, sp_operatorAuto,
           "How the matrix is multiplied with. `assembled`: its 3x3 blocks are filled once in each linearisation. `matrixFree`: from the elements at every product. "
           "`auto`: whichever suits the body and the preconditioner.", TO(spSolverDef, operatorType)),
    CHOICE(spSolverData, "preconditioner", preconditioner, s_preconditioners, sp_preconditionAuto,
           "What saves iterations. `auto`: whichever is likely the fastest for the body. `jacobi`: the diagonal. `blockJacobi`: the 3x3 block of each node. `ssor`: symmetric over-relaxation. "
           "`incompleteCholesky`: a factor without its small numbers. `cholesky`: the complete factor, if the build has CHOLMOD. "
           "`multilevel`: coarse spaces of rigid motions.", TO(spSolverDef, preconditioner)),
    NUMBER(spSolverData, "tolerance", tolerance, NULL, 1e-4, 0, 0.999, "Residual of the linear system over its right-hand side at which iterations stop.", .flags = sp_keyAboveLower, TO(spSolverDef, tolerance)),
    INTEGER(spSolverData, "maxIterations", maxIterations, 1000, 1, 1000000, "Conjugate gradients for each linear system at most; a step that needs more says so and goes on.", TO(spSolverDef, maxIterations)),
    INTEGER(spSolverData, "newtonSteps", newtonSteps, 0, 1, 10000,
            "Linearisations in each step at most; several go on, with line search, until `newtonTolerance` is met. \"auto\": one, for `quasiStatic` up to 50.", .flags = sp_keyAuto, TO(spSolverDef, newtonSteps)),
    NUMBER(spSolverData, "newtonTolerance", newtonTolerance, NULL, 1e-4, 0, 0.999, "Net force over load at which no further linearisation is made.", .flags = sp_keyAboveLower, TO(spSolverDef, newtonTolerance)),
    BOOL(spSolverData, "asynchronous", asynchronous, 0, "A thread of its own makes the next preconditioner while the simulation goes on with the last one.", TO(spSolverDef, asynchronous)),
    BOOL(spSolverData, "warp", warp, 1, "Turn an old preconditioner with the nodes.", TO(spSolverDef, warp)),
    INTEGER(spSolverData, "refresh", refresh, 0, 1, 1000000, "Steps between two preconditioners; \"auto\": a new one when iterations have risen.", .flags = sp_keyAuto, TO(spSolverDef, refresh)),
    INTEGER(spSolverData, "age", age, 2, 0, 1000000,
            "Asynchronous: steps from asking for a preconditioner to using it, waiting if need be, so that runs repeat bit for bit; 0: as soon as it is there, never waiting.", TO(spSolverDef, age)),
    NUMBER(spSolverData, "dropTolerance", dropTolerance, NULL, 1e-3, 0, 0.999, "`incompleteCholesky`: blocks smaller than this share of their diagonals are left out.", TO(spSolverDef, dropTolerance)),
};
static const spSchema s_solver = SCHEMA("solver", spSolverData, s_solverKeys,
    "How an implicit method solves the linear systems of its steps: by conjugate gradients, with a preconditioner. A text alone stands for `preconditioner`.",
    .shorthand = "preconditioner");

static const char* const s_xpbdSolvers[] = {"auto", "gaussSeidel", "jacobi"};
static const char* const s_accelerators[] = {"none", "sor", "lambdaSor", "chebyshev", "anderson", "andersonPrinted"};
static const char* const s_tetRows[] = {"law", "energy"};
static const char* const s_xpbdOrders[] = {"zones", "colours"};
_Static_assert(SP_COUNT(s_xpbdSolvers) == sp_xpbdSolverCount, "one word for each solver of xpbd");
_Static_assert(SP_COUNT(s_accelerators) == sp_acceleratorCount, "one word for each accelerator");
_Static_assert(SP_COUNT(s_tetRows) == sp_tetRowsCount, "one word for each kind of rows");
_Static_assert(SP_COUNT(s_xpbdOrders) == sp_xpbdOrderCount, "one word for each order of sweeps");

static const spKey s_xpbdKeys[] = {
    CHOICE(spXpbdData, "solver", solver, s_xpbdSolvers, sp_xpbdAuto,
           "How a substep is solved. `auto`: whatever comes nearest to its true end in the time of the sweeps. `gaussSeidel`: sweeps, one constraint after the other. "
           "`jacobi`: sweeps, all constraints from the same positions, averaged: slow, for comparison.", TO(spXpbdDef, solver)),
    CHOICE(spXpbdData, "accelerator", accelerator, s_accelerators, sp_accelerateNone,
           "What makes sweeps converge sooner. `sor`: positions over-relaxed. `lambdaSor`: multipliers over-relaxed. `chebyshev`: both, by Chebyshev's weights. "
           "`anderson`: Anderson's mixing of both. `andersonPrinted`: as published, of the increments of the multipliers. `auto` of `solver` chooses by itself.", TO(spXpbdDef, accelerator)),
    CHOICE(spXpbdData, "tetRows", tetRows, s_tetRows, sp_tetRowsLaw,
           "How tets are moved. `law`: by the rows of their law. `energy`: by one row for each tet, the root of its energy: cheaper, converges worse.", TO(spXpbdDef, tetRows)),
    CHOICE(spXpbdData, "order", order, s_xpbdOrders, sp_xpbdZones,
           "In which order sweeps visit the constraints, for threads to share them. `zones`: along the body, zone by zone. `colours`: graph colouring, for many threads and compact bodies.", TO(spXpbdDef, order)),
    INTEGER(spXpbdData, "iterations", iterations, 20, 1, 1000000, "Sweeps in each substep; for `auto` of `solver` the time of so many.", TO(spXpbdDef, iterations)),
    NUMBER(spXpbdData, "relaxation", relaxation, NULL, 1.5, 0, 1000, "Factor of `sor`, `lambdaSor` and `andersonPrinted`.", .flags = sp_keyAboveLower, TO(spXpbdDef, relaxation)),
    INTEGER(spXpbdData, "window", window, 5, 1, 20, "Differences that Anderson's mixing uses.", TO(spXpbdDef, window)),
    NUMBER(spXpbdData, "conditionLimit", conditionLimit, NULL, 1e6, 1, HUGE_NUMBER,
           "Anderson's mixing leaves out old differences while the condition number of its normal equations is larger.", .flags = sp_keyAboveLower, TO(spXpbdDef, conditionLimit)),
    BOOL(spXpbdData, "safeguard", safeguard, 1, "Anderson's mixing is taken only where it lowers the residual.", TO(spXpbdDef, safeguard)),
    NUMBER(spXpbdData, "radius", radius, NULL, 0.9, 0, 0.999999, "`chebyshev`: estimate of the spectral radius of a sweep.", .flags = sp_keyAboveLower, TO(spXpbdDef, radius)),
    INTEGER(spXpbdData, "delay", delay, 10, 0, 1000000, "`chebyshev`: plain sweeps before the first weight.", TO(spXpbdDef, delay)),
};
static const spSchema s_xpbd = SCHEMA("xpbd", spXpbdData, s_xpbdKeys,
    "How the method xpbd solves its substeps: by sweeps over all constraints, with an accelerator, or as it finds best. A text alone stands for `solver`.",
    .shorthand = "solver");

static const char* const s_couplings[] = {"conserving", "ghost"};
_Static_assert(SP_COUNT(s_couplings) == sp_couplingCount, "one word for each coupling");
static const spKey s_refinementKeys[] = {
    CHOICE(spRefinementData, "coupling", coupling, s_couplings, sp_couplingConserving,
           "Where levels meet. `conserving`: what acts on nodes that follow others goes on to those, momentum is kept. `ghost`: one way, as published, for comparison.", TO(spLevelsDef, coupling)),
    BOOL(spRefinementData, "fixed", fixed, 0, "The resolution stays as it is.", TO(spLevelsDef, fixed)),
    NUMBER(spRefinementData, "splitError", splitError, "m", 0, 0, FAR_AWAY, "A node is divided when it is this far from where its neighbours would have it in a uniform deformation; 0: 1/1000 of the size of the body.", TO(spLevelsDef, splitError)),
    NUMBER(spRefinementData, "mergeError", mergeError, "m", 0, 0, FAR_AWAY, "Parts come together again below this; 0: a quarter of `splitError`.", TO(spLevelsDef, mergeError)),
    NUMBER(spRefinementData, "budget", budget, "1/s", 0, 0, HUGE_NUMBER, "Element evaluations in each second of simulated time; divisions that would go beyond 95 % of it are refused; 0: no limit.", TO(spLevelsDef, budget)),
};
static const spSchema s_refinement = SCHEMA("refinement", spRefinementData, s_refinementKeys, "Where and when the method multiresolution refines. A text alone stands for `coupling`.", .shorthand = "coupling");

static const spKey s_methodKeys[] = {
    CHOICE(spMethodData, "type", type, s_methodTypes, sp_methodAuto,
           "`auto`: symplecticEuler, backwardEuler or xpbd, by stiffness, size and step; `run` tells which and why. `symplecticEuler`: cheapest, robust. `forwardEuler`: gains energy, for comparison. `verlet`: second order. `rungeKutta4`: fourth order, "
           "four force evaluations. `localImplicit`: implicit in each node alone, larger steps, damps all motion. Implicit, any step is stable: "
           "`backwardEuler`: first order, damps fast motion. `bdf2`: second order, damps less. `imex`: implicit in a constant bound on the stiffness, one matrix for ever; takes a free body's rotation in seconds. "
           "`quasiStatic`: no inertia, every step ends in equilibrium. `xpbd`: positions projected on constraints, as near to backward Euler as its time allows. `rigid`: a rigid body, whose elements exert nothing; one pin is a ball joint, two are a hinge. `multiresolution`: explicit, each region by the one of several meshes (`levels` of the body) that its motion asks for.", TO(spMethodDef, type)),
    CHOICE(spMethodData, "contact", contact, s_contactModes, sp_contactRows,
           "`rows`: unilateral contact with friction, held in every substep. `backtrack`: back to the moment of impact, reflect, go on. `off`: pass through.", TO(spMethodDef, contact)),
    INTEGER(spMethodData, "substeps", substeps, 0, 1, 1000000, "Substeps in each step; \"auto\": as many as the estimated stable step asks for, one for implicit methods, xpbd and rigid.",
            .flags = sp_keyAuto, TO(spMethodDef, substeps)),
    INTEGER(spMethodData, "maxSubsteps", maxSubsteps, 10000, 1, 10000000, "Limit for automatic substeps; beyond it the step is reported as unstable.", TO(spMethodDef, maxSubsteps)),
    NUMBER(spMethodData, "safety", safety, NULL, 0.8, 0, 1, "Share of the estimated stable step that automatic substeps use.", .flags = sp_keyAboveLower, TO(spMethodDef, safety)),
    OBJECT(spMethodData, "filter", filter, s_filter, "Filter on velocities; explicit methods only.", .flags = sp_keyImplied, TO(spMethodDef, filter)),
    OBJECT(spMethodData, "solver", solver, s_solver, "Solver; implicit methods only.", .flags = sp_keyImplied, TO(spMethodDef, solver)),
    OBJECT(spMethodData, "xpbd", xpbd, s_xpbd, "Solver of xpbd; that method only.", .flags = sp_keyImplied, TO(spMethodDef, xpbd)),
    OBJECT(spMethodData, "refinement", refinement, s_refinement, "Refinement of multiresolution; that method only.", .flags = sp_keyImplied, TO(spMethodDef, levels)),
};
static const spSchema s_method = SCHEMA("method", spMethodData, s_methodKeys,
    "How a body moves in time. A text alone stands for `type`.", .shorthand = "type");

// ---------------------------------------------------------------------------------------------------------
// Bodies

static const char* const s_joints[] = {"ball", "hinge", "slider"};
_Static_assert(SP_COUNT(s_joints) == sp_jointTypeCount - 1, "one word for each joint but none");
#define MOVES (BIT(sp_jointHinge - 1) | BIT(sp_jointSlider - 1))

static const spKey s_jointKeys[] = {
    CHOICE(spJointData, "type", type, s_joints, 0, "`ball`: a point stays where it is. `hinge`: the body turns about an axis that stays. `slider`: it slides along an axis and does not turn.",
           .flags = sp_keySelector),
    VECTOR(spJointData, "point", point, "m", 0, 0, 0, FAR_AWAY, "Point of the body that is held, in the world; a slider keeps it on its axis.", TO(spJointDef, point)),
    VECTOR(spJointData, "axis", axis, NULL, 0, 1, 0, FAR_AWAY, "Direction in the world; any length.", .selector = MOVES, .flags = sp_keyNonZero, TO(spJointDef, axis)),
    NUMBER(spJointData, "motorSpeed", motorSpeed, "m/s of a slider, degrees/s of a hinge", 0, -FAR_AWAY, FAR_AWAY, "That the motor drives to; 0 is a brake.", .selector = MOVES, TO(spJointDef, motorSpeed)),
    NUMBER(spJointData, "motorLimit", motorLimit, "N of a slider, N m of a hinge", 0, 0, HUGE_NUMBER, "Most that the motor exerts; 0 is no motor.", .selector = MOVES, TO(spJointDef, motorLimit)),
};
static const spSchema s_joint = SCHEMA("joint", spJointData, s_jointKeys, "How a rigid body is held to the world.");

#define GROUPS(object_) \
    {ROW(sp_keyIntegers, object_, "group", group), .lower = 1, .upper = 32, .limit = 32, .text = "1", .doc = "Numbers of the groups that it belongs to, 1 to 32."}, \
    {ROW(sp_keyIntegers, object_, "touches", touches), .lower = 1, .upper = 32, .limit = 32, .flags = sp_keyAll, .text = "\"all\"", \
     .doc = "Numbers of the groups that it touches, or \"all\"; two things touch when each touches a group of the other."}

static const spKey s_bodyKeys[] = {
    STRING(spBodyData, "name", name, "Name, for everything that refers to the body; at most 63 bytes, no two alike.", .text = "body, body2, ..."),
    OBJECT(spBodyData, "mesh", mesh, s_mesh, "The shape.", .flags = sp_keyRequired),
    OBJECTS(spBodyData, "levels", levels, s_mesh, SP_MAX_LEVELS - 1, "Coarser meshes of the shape of `mesh`, from coarse to fine, for the method multiresolution."),
    OBJECT(spBodyData, "surface", surface, s_mesh,
           "What is drawn instead of the surface of the mesh: a mesh of any resolution in the same place, which moves with the body and changes nothing else."),
    OBJECT(spBodyData, "transform", transform, s_bodyPlacement, "Where it starts.", .flags = sp_keyImplied),
    VECTOR(spBodyData, "velocity", velocity, "m/s", 0, 0, 0, FAR_AWAY, "Initial velocity of every node.", TO(spBodyDef, velocity)),
    VECTOR(spBodyData, "spin", spin, "degrees/s", 0, 0, 0, FAR_AWAY, "Initial angular velocity about the centre of mass, added to the velocity."),
    STRING(spBodyData, "material", material, "Gives density, and stiffness where tets and springs do not say theirs; see the list of materials.", .text = "none"),
    NUMBER(spBodyData, "density", density, "kg/m^3 (kg/m^2 for a sheet)", 1000, 0, 1e9, "Density of a solid or a surface.", .flags = sp_keyAboveLower | sp_keyNoDefault,
           .text = "from the material, else 1000, and 0.2 for a sheet", TO(spBodyDef, density)),
    NUMBER(spBodyData, "nodeMass", nodeMass, "kg", 0, 0, 1e12, "Instead of density: mass of every node. Needed for meshes of edges only (disc, lattice).",
           .flags = sp_keyAboveLower | sp_keyNoDefault, .text = "from the density", TO(spBodyDef, nodeMass)),
    OBJECT(spBodyData, "tets", tets, s_tets, "Solid tetrahedra."),
    OBJECTS(spBodyData, "springs", springs, s_springs, 64, "Springs, one set or several."),
    OBJECTS(spBodyData, "constraints", constraints, s_constraints, 64, "Constraints, one set or several; only with the method xpbd."),
    OBJECT(spBodyData, "bends", bends, s_bends, "Resistance of the surface to bending."),
    OBJECT(spBodyData, "gas", gas, s_gas, "Gas inside."),
    OBJECT(spBodyData, "wind", wind, s_wind, "Wind on the surface."),
    OBJECTS(spBodyData, "fields", fields, s_field, 64, "Forces from outside."),
    OBJECTS(spBodyData, "pins", pins, s_pin, SP_SCENE_MAX_OBJECTS, "Nodes that stay where they start, or follow a path."),
    OBJECT(spBodyData, "relax", relax, s_relax, "Start from static equilibrium."),
    OBJECT(spBodyData, "method", method, s_method, "How it moves in time.", .flags = sp_keyImplied),
    NUMBER(spBodyData, "friction", friction, NULL, 0.5, 0, 100, "Coulomb coefficient; with a collider or another body the geometric mean of both counts.", TO(spBodyDef, friction)),
    NUMBER(spBodyData, "restitution", restitution, NULL, 0, 0, 1, "0 no bounce, 1 full bounce of each node; with a collider the larger counts.", TO(spBodyDef, restitution)),
    NUMBER(spBodyData, "contactRadius", contactRadius, "m", 0, 0, FAR_AWAY, "The surface keeps this distance from what it touches.", .flags = sp_keyNoDefault, .text = "a tenth of the mean edge for sheets, else 0", TO(spBodyDef, contactRadius)),
    BOOL(spBodyData, "selfContact", selfContact, 0, "The surface touches itself.", TO(spBodyDef, selfContact)),
    GROUPS(spBodyData),
    OBJECT(spBodyData, "joint", joint, s_joint, "Holds the body to the world; only with the method rigid."),
    NUMBER(spBodyData, "gravityScale", gravityScale, NULL, 1, -1e6, 1e6, "Share of the gravity of the scene.", TO(spBodyDef, gravityScale)),
    NUMBER(spBodyData, "opacity", opacity, NULL, 1, 0, 1, "In pictures: share of the light from behind that its surface keeps back, 0 (not drawn) to 1.", .flags = sp_keyNoDefault, .text = "as the picture says"),
    INTEGER(spBodyData, "nodeRoom", nodeRoom, 0, 0, 10000000, "Nodes that cuts may add: above 0 the body, of tets or a sheet of triangles, can be cut and carved.", TO(spBodyDef, nodeRoom)),
    BOOL(spBodyData, "keepOrder", keepOrder, 0, "Nodes lie in memory in the order of the mesh instead of by place, which is slower: for comparison.", TO(spBodyDef, keepOrder)),
};
static const spSchema s_body = SCHEMA("body", spBodyData, s_bodyKeys, "A soft body: nodes from a mesh, springs, gas and fields on them, and a method.");

// ---------------------------------------------------------------------------------------------------------
// Colliders

static const char* const s_shapes[] = {"plane", "sphere", "capsule", "box", "cylinder", "mesh", "convex", "heightField", "distanceField"};
_Static_assert(SP_COUNT(s_shapes) == sp_shapeCount, "one word for each shape");
static const char* const s_terrains[] = {"flat", "slope", "waves", "hills", "steps"};
_Static_assert(SP_COUNT(s_terrains) == sp_terrainCount, "one word for each terrain");
#define FROM_MESH (BIT(sp_shapeMesh) | BIT(sp_shapeConvex) | BIT(sp_shapeDistanceField))
#define FIELD BIT(sp_shapeHeightField)

static const spKey s_colliderKeys[] = {
    STRING(spColliderData, "name", name, "Name, for everything that refers to the collider; at most 63 bytes, no two alike.", .text = "collider, collider2, ..."),
    CHOICE(spColliderData, "shape", shape, s_shapes, -1, "`plane`: everything below y = 0 is solid. `capsule`: along y. `box`: centred. `cylinder`: along y. "
           "`mesh`: triangles, or the surface of tets; solid inside where they are closed, else a thin shell with two sides. `convex`: the convex hull of a mesh. "
           "`heightField`: ground over a square, solid below. `distanceField`: a closed mesh as distances on a grid, fast for any mesh, with rounded edges.",
           .flags = sp_keySelector | sp_keyRequired, TO(spColliderDef, shape)),
    OBJECT(spColliderData, "transform", transform, s_colliderPlacement, "Where it is.", .flags = sp_keyImplied),
    NUMBER(spColliderData, "radius", radius, "m", 0.5, 0, FAR_AWAY, "Radius.", .selector = BIT(sp_shapeSphere) | BIT(sp_shapeCapsule) | BIT(sp_shapeCylinder), .flags = sp_keyAboveLower, TO(spColliderDef, radius)),
    NUMBER(spColliderData, "halfHeight", halfHeight, "m", 0.5, 0, FAR_AWAY, "From the centre to the centre of a cap; of a cylinder to its ends, greater than 0.", .selector = BIT(sp_shapeCapsule) | BIT(sp_shapeCylinder), TO(spColliderDef, halfHeight)),
    VECTOR(spColliderData, "halfSize", halfSize, "m", 0.5, 0.5, 0.5, FAR_AWAY, "From the centre to the faces, greater than 0.", .selector = BIT(sp_shapeBox), TO(spColliderDef, halfSize)),
    OBJECT(spColliderData, "mesh", mesh, s_mesh, "What it is made from, in its own frame. Triangles turn counter-clockwise seen from where bodies are: a closed mesh that looks inwards is a room.",
           .selector = FROM_MESH, .flags = sp_keyRequired),
    NUMBER(spColliderData, "thickness", thickness, "m", 0, 0, FAR_AWAY, "Of a mesh that is not closed; nodes stay half of it away from the triangles. 0 is a thousandth of its diagonal.", .selector = BIT(sp_shapeMesh), TO(spColliderDef, thickness)),
    INTEGER(spColliderData, "resolution", resolution, 64, 4, 512, "Cells of the grid along the longest side of the mesh.", .selector = BIT(sp_shapeDistanceField), TO(spColliderDef, resolution)),
    CHOICE(spColliderData, "terrain", terrain, s_terrains, sp_terrainWaves,
           "How high the ground is at x, z, with k = 2 pi / wavelength: `flat` 0, `slope` amplitude x / wavelength, `waves` amplitude sin(k x), `hills` amplitude sin(k x) sin(k z), "
           "`steps` amplitude floor(x / wavelength).", .selector = FIELD),
    NUMBER(spColliderData, "size", size, "m", 4, 0, FAR_AWAY, "Side of the square, whose middle is the origin.", .selector = FIELD, .flags = sp_keyAboveLower),
    NUMBER(spColliderData, "spacing", spacing, "m", 0.1, 0, FAR_AWAY, "Between points of the grid, a little less where it does not divide the side; triangles lie between them.", .selector = FIELD, .flags = sp_keyAboveLower),
    NUMBER(spColliderData, "amplitude", amplitude, "m", 0.1, -FAR_AWAY, FAR_AWAY, "Height.", .selector = FIELD),
    NUMBER(spColliderData, "wavelength", wavelength, "m", 1, 0, FAR_AWAY, "Length.", .selector = FIELD, .flags = sp_keyAboveLower),
    NUMBER(spColliderData, "friction", friction, NULL, 0.5, 0, 100, "Coulomb coefficient; with a body the geometric mean of both counts.", TO(spColliderDef, friction)),
    NUMBER(spColliderData, "restitution", restitution, NULL, 0, 0, 1, "0 no bounce, 1 full bounce; with a body the larger counts.", TO(spColliderDef, restitution)),
    GROUPS(spColliderData),
    OBJECT(spColliderData, "motion", motion, s_motion, "How it moves."),
};
static const spSchema s_collider = SCHEMA("collider", spColliderData, s_colliderKeys, "A rigid shape that bodies touch.");

// ---------------------------------------------------------------------------------------------------------
// Attachments and events

static const char* const s_detectors[] = {"distance", "volume"};

static const spKey s_pairKeys[] = {
    STRING(spPairData, "body", body, "Which body.", .flags = sp_keyRequired),
    STRING(spPairData, "collider", collider, "Which collider.", .text = "none"),
    STRING(spPairData, "otherBody", otherBody, "Instead of a collider: which other body, or the same one for a body with `selfContact` and itself. Only `detector` and `cells` count between bodies.", .text = "none"),
    CHOICE(spPairData, "detector", detector, s_detectors, sp_detectorDistance,
           "By what contacts between two closed bodies are found: by the distance of their surfaces, or by the volume that they have in common.", .flags = sp_keyNoDefault, .text = "that of the scene"),
    INTEGER(spPairData, "cells", cells, 4, 1, 64, "Contacts by volume: at most so many along the longest edge of what both have in common, each with a pressure and friction of its own. 1: a single contact.", .flags = sp_keyNoDefault, .text = "4"),
    BOOL(spPairData, "touch", touch, 1, "Whether they touch at all."),
    NUMBER(spPairData, "friction", friction, NULL, 0, 0, 100, "Coulomb coefficient between them.", .flags = sp_keyNoDefault, .text = "the geometric mean of both"),
    NUMBER(spPairData, "restitution", restitution, NULL, 0, 0, 1, "Between them, 0 no bounce, 1 full bounce.", .flags = sp_keyNoDefault, .text = "the larger of both"),
};
static const spSchema s_pair = SCHEMA("pair", spPairData, s_pairKeys, "What a body and a collider, or two bodies, are to each other.");

static const spKey s_attachmentKeys[] = {
    STRING(spAttachmentData, "name", name, "Name, for measurements and events.", .text = "none"),
    STRING(spAttachmentData, "body", body, "Body whose nodes are held.", .flags = sp_keyRequired),
    OBJECT(spAttachmentData, "nodes", nodes, s_region, "Which nodes.", .flags = sp_keyRequired),
    STRING(spAttachmentData, "collider", collider, "Collider that they are held to.", .text = "none"),
    STRING(spAttachmentData, "otherBody", otherBody, "Body that they are held to, at its nearest point; without collider and otherBody they are held in space.", .text = "none"),
    NUMBER(spAttachmentData, "stiffness", stiffness, "N/m", 0, 0, HUGE_NUMBER, "Of each node's link; 0 means rigid.", TO(spLinkDef, stiffness)),
    NUMBER(spAttachmentData, "maxForce", maxForce, "N", 0, 0, HUGE_NUMBER, "A link breaks off for the moment at this force; 0 means never.", TO(spLinkDef, maxForce)),
};
static const spSchema s_attachment = SCHEMA("attachment", spAttachmentData, s_attachmentKeys, "Holds nodes of a body to a collider or to another body, from the start.");

static const char* const s_eventTypes[] = {"grab", "move", "release", "set", "force", "pin", "free", "poke", "lift", "save", "restore", "drive", "cut", "carve"};
_Static_assert(SP_COUNT(s_eventTypes) == sp_eventTypeCount, "one word for each event");
#define GRAB BIT(sp_eventGrab)
#define SET BIT(sp_eventSet)
#define CUT BIT(sp_eventCut)
#define CARVE BIT(sp_eventCarve)
#define ON_NODES (GRAB | BIT(sp_eventForce) | BIT(sp_eventPin) | BIT(sp_eventFree))

static const spKey s_eventKeys[] = {
    NUMBER(spEventData, "time", time, "s", 0, 0, 1e6, "When; it happens before the step that starts then.", .flags = sp_keyRequired),
    CHOICE(spEventData, "type", type, s_eventTypes, -1,
           "`grab` takes nodes by a hand, `move` moves the hand, `release` lets go. `set` changes numbers. `force` pulls at nodes. `pin` fixes nodes, "
           "`free` frees them. `poke` brings a sphere that pushes bodies, or moves it; `lift` takes it away. `save` keeps the state under a name, "
           "`restore` brings it back, events included; materials, methods, gravity and time step stay as they are then. `drive` moves a collider, from then on in place of its motion. "
           "`cut` cuts a body with a blade, along faces of its tets or edges of its triangles; `carve` takes out the tets or triangles whose centres lie in a shape. Both need `nodeRoom` of the body.",
           .flags = sp_keySelector | sp_keyRequired),
    STRING(spEventData, "name", name, "Name of the grab, for `move`, `release` and measurements.", .selector = GRAB, .flags = sp_keyRequired),
    STRING(spEventData, "name", name, "Name to save it under, at most 63 bytes, other than \"start\"; a state that has it already is replaced.",
           .selector = BIT(sp_eventSave), .flags = sp_keyRequired),
    STRING(spEventData, "name", name, "Name of the state; \"start\" is the one at the beginning.", .selector = BIT(sp_eventRestore), .flags = sp_keyRequired),
    STRING(spEventData, "body", body, "Which body.", .selector = ON_NODES, .flags = sp_keyRequired),
    STRING(spEventData, "body", body, "Which body; not for gravity and dt.", .selector = SET, .text = "none"),
    STRING(spEventData, "body", body, "Which body.", .selector = CUT | CARVE, .flags = sp_keyRequired),
    OBJECT(spEventData, "from", from, s_edge, "The edge of the blade where it begins.", .selector = CUT, .flags = sp_keyRequired),
    OBJECT(spEventData, "to", to, s_edge, "Where it comes to; it cuts what it sweeps.", .selector = CUT, .flags = sp_keyRequired),
    NUMBER(spEventData, "duration", duration, "s", 0, 0, 1e6, "How long it takes, at even speed; 0 means at once.", .selector = CUT),
    BOOL(spEventData, "follows", follows, 0, "It was in the body in an earlier step too, at `from`: what the body moved since counts.", .selector = CUT),
    OBJECT(spEventData, "sphere", sphere, s_sphere, "Carve out a sphere.", .selector = CARVE),
    OBJECT(spEventData, "box", box, s_box, "Carve out a box.", .selector = CARVE),
    OBJECT(spEventData, "capsule", capsule, s_rod, "Carve out a capsule.", .selector = CARVE),
    OBJECT(spEventData, "nodes", nodes, s_region, "Which nodes.", .selector = ON_NODES, .flags = sp_keyRequired),
    NUMBER(spEventData, "stiffness", stiffness, "N/m", 0, 0, HUGE_NUMBER, "Of the hold on each node; 0 means rigid.", .selector = GRAB),
    NUMBER(spEventData, "maxForce", maxForce, "N", 0, 0, HUGE_NUMBER, "The hold on a node breaks off for the moment at this force; 0 means never.", .selector = GRAB),
    STRING(spEventData, "grab", grab, "Name of the grab (or attachment, for release).", .selector = BIT(sp_eventMove) | BIT(sp_eventRelease), .flags = sp_keyRequired),
    VECTOR(spEventData, "offset", offset, "m", 0, 0, 0, FAR_AWAY, "Where the hand goes, from where it grabbed.", .selector = BIT(sp_eventMove), .flags = sp_keyRequired),
    NUMBER(spEventData, "duration", duration, "s", 0, 0, 1e6, "How long the hand takes, at even speed; 0 means one step.", .selector = BIT(sp_eventMove)),
    VECTOR(spEventData, "force", force, "N", 0, 0, 0, HUGE_NUMBER, "Force on each node.", .selector = BIT(sp_eventForce), .flags = sp_keyRequired),
    NUMBER(spEventData, "duration", duration, "s", 0, 0, 1e6, "How long it pulls; 0 means to the end.", .selector = BIT(sp_eventForce)),
    INTEGER(spEventData, "index", index, 0, 0, 63, "Which springs, constraints or field of the body, from 0.", .selector = SET),
    NUMBER(spEventData, "stiffness", stiffness, "N/m (N for normalised, N/m^2 for proportional)", 0, 0, HUGE_NUMBER, "New stiffness of springs.", .selector = SET, .flags = sp_keyNoDefault, .text = "unchanged"),
    NUMBER(spEventData, "youngModulus", youngModulus, "Pa", 0, 0, 1e13, "New Young's modulus of springs that got their stiffness from one.", .selector = SET, .flags = sp_keyNoDefault | sp_keyAboveLower, .text = "unchanged"),
    NUMBER(spEventData, "damping", damping, "N s/m", 0, 0, HUGE_NUMBER, "New damping of springs.", .selector = SET, .flags = sp_keyNoDefault, .text = "unchanged"),
    OBJECT(spEventData, "activation", activation, s_activation, "New activation of springs.", .selector = SET),
    NUMBER(spEventData, "knrt", knrt, "J (J/m in 2D)", 0, 0, HUGE_NUMBER, "New n R T of the gas.", .selector = SET, .flags = sp_keyNoDefault | sp_keyAboveLower, .text = "unchanged"),
    NUMBER(spEventData, "bendStiffness", bendStiffness, "J", 0, 0, HUGE_NUMBER, "New stiffness of the bends.", .selector = SET, .flags = sp_keyNoDefault, .text = "unchanged"),
    VECTOR(spEventData, "wind", wind, "m/s", 0, 0, 0, FAR_AWAY, "New velocity of the wind on a body.", .selector = SET, .flags = sp_keyNoDefault, .text = "unchanged"),
    NUMBER(spEventData, "coefficient", coefficient, "kg/s, 1/s, N m^2", 0, 0, HUGE_NUMBER, "New strength of a field.", .selector = SET, .flags = sp_keyNoDefault, .text = "unchanged"),
    NUMBER(spEventData, "friction", friction, NULL, 0, 0, 100, "New friction of a body.", .selector = SET, .flags = sp_keyNoDefault, .text = "unchanged"),
    NUMBER(spEventData, "restitution", restitution, NULL, 0, 0, 1, "New restitution of a body.", .selector = SET, .flags = sp_keyNoDefault, .text = "unchanged"),
    VECTOR(spEventData, "gravity", gravity, "m/s^2", 0, 0, 0, FAR_AWAY, "New gravity of the world.", .selector = SET, .flags = sp_keyNoDefault, .text = "unchanged"),
    NUMBER(spEventData, "dt", dt, "s", 0, 1e-6, 10, "New time step.", .selector = SET, .flags = sp_keyNoDefault, .text = "unchanged"),
    OBJECT(spEventData, "tets", tets, s_tetChange, "New numbers of tets.", .selector = SET),
    OBJECT(spEventData, "constraints", constraints, s_constraintChange, "New numbers of constraints.", .selector = SET),
    OBJECT(spEventData, "method", method, s_method, "New method of a body.", .selector = SET),
    VECTOR(spEventData, "position", position, "m", 0, 0, 0, FAR_AWAY, "Where the centre of the sphere goes, at 5 m/s at most; where it appears when there is none.",
           .selector = BIT(sp_eventPoke), .flags = sp_keyRequired),
    STRING(spEventData, "collider", collider, "Which collider.", .selector = BIT(sp_eventDrive), .flags = sp_keyRequired),
    VECTOR(spEventData, "position", position, "m", 0, 0, 0, FAR_AWAY, "Where it goes.", .selector = BIT(sp_eventDrive), .flags = sp_keyNoDefault, .text = "where it is"),
    OBJECT(spEventData, "rotation", rotation, s_rotation, "How it is turned there; as it is when absent.", .selector = BIT(sp_eventDrive)),
    NUMBER(spEventData, "duration", duration, "s", 0, 0, 1e6, "How long it takes; 0 means one step, or for ever with `velocity`.", .selector = BIT(sp_eventDrive)),
    BOOL(spEventData, "smooth", smooth, 0, "It starts and ends at rest instead of going at an even speed.", .selector = BIT(sp_eventDrive)),
    VECTOR(spEventData, "velocity", velocity, "m/s", 0, 0, 0, FAR_AWAY, "Instead of a position: it goes on at this velocity.", .selector = BIT(sp_eventDrive), .flags = sp_keyNoDefault, .text = "none"),
    NUMBER(spEventData, "motorSpeed", motorSpeed, "m/s of a slider, degrees/s of a hinge", 0, -FAR_AWAY, FAR_AWAY, "New speed of the motor of a joint.", .selector = SET, .flags = sp_keyNoDefault, .text = "unchanged"),
    NUMBER(spEventData, "motorLimit", motorLimit, "N of a slider, N m of a hinge", 0, 0, HUGE_NUMBER, "New limit of that motor.", .selector = SET, .flags = sp_keyNoDefault, .text = "unchanged"),
    NUMBER(spEventData, "radius", radius, "m", 0.1, 0, 1000, "Radius of the sphere.", .selector = BIT(sp_eventPoke), .flags = sp_keyAboveLower),
};
_Static_assert(SP_COUNT(s_eventKeys) <= 64, "one bit for each key");
static const spSchema s_event = SCHEMA("event", spEventData, s_eventKeys, "Something that happens at a time.");

// An act happens at once: all keys but the first, which is its time
const spSchema g_actSchema = {.name = "act", .keys = s_eventKeys + 1, .keyCount = SP_COUNT(s_eventKeys) - 1, .size = sizeof(spEventData), .doc = "Something that is done while a scene runs."};

// ---------------------------------------------------------------------------------------------------------
// Measurements

static const char* const s_measurementTypes[] = {
    "position", "velocity", "energy", "volume", "pressure", "height", "contactForce", "pinForce", "linkForce", "momentum",
    "angularMomentum", "stableStep", "vonMises", "strain", "inverted", "flat", "iterations", "residual",
    "contactTorque", "contactCount", "contactPressure", "contactDepth", "contactSlip", "jointForce", "jointTorque", "jointPosition", "motor",
    "intersections", "sleeping", "pieces", "overlap", "activeNodes", "evaluations", "load",
};
_Static_assert(SP_COUNT(s_measurementTypes) == sp_measurementTypeCount, "one word for each measurement");
static const char* const s_components[] = {"x", "y", "z", "magnitude"};
static const char* const s_energyParts[] = {"total", "kinetic", "elastic", "potential"};
static const char* const s_summaries[] = {"mean", "min", "max"};
#define PROBE (BIT(sp_measurePosition) | BIT(sp_measureVelocity))
#define FORCES (BIT(sp_measureContactForce) | BIT(sp_measurePinForce) | BIT(sp_measureLinkForce) | BIT(sp_measureContactTorque) | BIT(sp_measureJointForce) | BIT(sp_measureJointTorque))
#define CONTACT (BIT(sp_measureContactForce) | BIT(sp_measureContactTorque) | BIT(sp_measureContactCount) | BIT(sp_measureContactPressure) | BIT(sp_measureContactDepth) | BIT(sp_measureContactSlip))
#define TOUCHING (CONTACT | BIT(sp_measureOverlap))
#define JOINT (BIT(sp_measureJointForce) | BIT(sp_measureJointTorque) | BIT(sp_measureJointPosition) | BIT(sp_measureMotor))
#define STRESS (BIT(sp_measureVonMises) | BIT(sp_measureStrain))
#define SOLVER (BIT(sp_measureIterations) | BIT(sp_measureResidual))
#define MOMENTA (BIT(sp_measureMomentum) | BIT(sp_measureAngularMomentum))

static const spKey s_measurementKeys[] = {
    STRING(spMeasurementData, "name", name, "Name in tables and summaries, at most 63 bytes, no two alike.", .text = "made from type, component and body"),
    CHOICE(spMeasurementData, "type", type, s_measurementTypes, -1,
           "`position` (m) and `velocity` (m/s) of a node, `energy` (J), `volume` (m^3, m^2 in 2D), `pressure` of the gas (Pa, N/m in 2D), `height` of the nodes (m), "
           "`contactForce` on a body or on a collider (N), `contactTorque` on it about `point` (N m), `contactCount`: number of its contacts, `contactPressure`: largest normal force over the area of a contact (Pa), "
           "`contactDepth`: deepest that a contact is inside (m), `contactSlip`: fastest that a contact slides (m/s); each of all contacts or of those with `otherBody` or `otherCollider` alone. `pinForce` that holds pinned nodes (N), `linkForce` of a grab or attachment (N), "
           "`momentum` (kg m/s), `angularMomentum` about the origin (kg m^2/s), `stableStep` (s), "
           "`vonMises` stress in the tets (Pa), `strain`: largest principal strain in the tets, `inverted`: number of tets that are inside out, `flat`: of those with less than a tenth of their volume at rest, inside out or not, "
           "`iterations` of the solver of an implicit method, or sweeps of xpbd, in the step; `residual` that an implicit one left, over the right-hand side. "
           "`jointForce` (N) and `jointTorque` about its point (N m) on a body with a joint, the motor included; `jointPosition`: way (m) or angle (degrees) since the start; `motor`: what it exerts (N, N m of a hinge), "
           "`intersections`: pairs of triangles of all bodies that intersect, `sleeping`: number of bodies that sleep, `pieces`: number of pieces that a body with `nodeRoom` is in, `overlap`: volume that closed bodies have in common with each other and with closed mesh colliders (m^3), all of them or those of `body` or `collider`, all of it or with `otherBody` or `otherCollider` alone. "
           "`activeNodes`: nodes of a body of levels that move by themselves, `evaluations` of its elements in the step, `load`: share of its budget that the step used, 0 without a budget.",
           .flags = sp_keySelector | sp_keyRequired),
    STRING(spMeasurementData, "body", body, "Which body.", .flags = sp_keyRequired,
           .selector = PROBE | BIT(sp_measureVolume) | BIT(sp_measurePressure) | BIT(sp_measureHeight) | BIT(sp_measurePinForce) | STRESS | SOLVER | JOINT | BIT(sp_measurePieces) | BIT(sp_measureActiveNodes) | BIT(sp_measureEvaluations) | BIT(sp_measureLoad)),
    STRING(spMeasurementData, "body", body, "Which body.", .selector = BIT(sp_measureEnergy) | MOMENTA | BIT(sp_measureStableStep) | BIT(sp_measureInverted) | BIT(sp_measureFlat), .text = "all bodies together"),
    STRING(spMeasurementData, "body", body, "Contacts, or overlap, of this body.", .selector = TOUCHING, .text = "none"),
    STRING(spMeasurementData, "collider", collider, "Instead of a body: contacts, or overlap, of this collider.", .selector = TOUCHING, .text = "none"),
    STRING(spMeasurementData, "otherBody", otherBody, "Only those with this body; the same body: with itself.", .selector = TOUCHING, .text = "everything"),
    STRING(spMeasurementData, "otherCollider", otherCollider, "Only those of the body with this collider.", .selector = TOUCHING, .text = "everything"),
    VECTOR(spMeasurementData, "point", point, "m", 0, 0, 0, FAR_AWAY, "Point about which the torque is.", .selector = BIT(sp_measureContactTorque)),
    STRING(spMeasurementData, "link", link, "Name of a grab or attachment.", .selector = BIT(sp_measureLinkForce), .flags = sp_keyRequired),
    INTEGER(spMeasurementData, "node", node, 0, 0, SP_SCENE_MAX_VERTICES, "Which node.", .selector = PROBE, .text = "0"),
    VECTOR(spMeasurementData, "point", point, "m", 0, 0, 0, FAR_AWAY, "Instead of a node: the one nearest to this point at the start.",
           .selector = PROBE, .flags = sp_keyNoDefault, .text = "none"),
    CHOICE(spMeasurementData, "component", component, s_components, sp_componentY, "Which component.", .selector = PROBE | FORCES | MOMENTA),
    CHOICE(spMeasurementData, "part", part, s_energyParts, sp_energyTotal, "Which energy; total is the sum of the three others.", .selector = BIT(sp_measureEnergy)),
    CHOICE(spMeasurementData, "of", of, s_summaries, sp_summaryMean, "Over the y of all nodes.", .selector = BIT(sp_measureHeight)),
    CHOICE(spMeasurementData, "of", of, s_summaries, sp_summaryMax, "Over all tets; the mean counts them by their volume at rest.", .selector = STRESS),
};
static const spSchema s_measurement = SCHEMA("measurement", spMeasurementData, s_measurementKeys, "One number after every step.");

// ---------------------------------------------------------------------------------------------------------
// Output and the whole

static const spKey s_cameraKeys[] = {
    VECTOR(spCameraData, "position", position, "m", 0, 1, 4, FAR_AWAY, "Where it is.", .flags = sp_keyRequired),
    VECTOR(spCameraData, "target", target, "m", 0, 0, 0, FAR_AWAY, "What is in the middle of the picture."),
    VECTOR(spCameraData, "up", up, NULL, 0, 1, 0, FAR_AWAY, "What is up in the picture; any length.", .flags = sp_keyNonZero),
    NUMBER(spCameraData, "fieldOfView", fieldOfView, "degrees", 40, 1, 170, "Vertical opening angle."),
};
static const spSchema s_camera = SCHEMA("camera", spCameraData, s_cameraKeys, "A perspective camera.");

static const char* const s_colours[] = {"none", "stress", "displacement", "velocity", "pressure", "strain", "modulus", "level", "region"};
_Static_assert(SP_COUNT(s_colours) == sp_pictureColorCount, "one word for each colouring");

static const spKey s_pictureKeys[] = {
    INTEGER(spPictureData, "width", width, 1280, 16, 16384, "Pixels."),
    INTEGER(spPictureData, "height", height, 720, 16, 16384, "Pixels."),
    CHOICE(spPictureData, "colour", colour, s_colours, sp_colorNone,
           "What colours the bodies: `none` (each has its own colour), von Mises `stress` of tets (Pa), `strain` of tets or springs, `displacement` from the first frame (m), `velocity` (m/s), contact `pressure` (Pa), Young's `modulus` of tets (Pa), the `level` that nodes of a body of levels move by, or the `region` of the mesh, each in a colour of its own."),
    {ROW(sp_keyRange, spPictureData, "range", range), .lower = 0, .upper = HUGE_NUMBER, .unit = "Pa, m or m/s", .text = "0 to the 99th percentile of what surfaces show, rounded up",
     .doc = "What the first and the last colour stand for; values beyond have these colours too."},
    NUMBER(spPictureData, "opacity", opacity, NULL, 1, 0, 1, "Share of the light from behind that surfaces of bodies keep back: 1 is solid, 0.3 shows what is inside. A body may say its own."),
    BOOL(spPictureData, "flat", flat, 0, "Triangles are shaded each with one normal, not smooth across flat edges."),
    OBJECT(spPictureData, "camera", camera, s_camera, "From where; without it, so that the whole motion is seen."),
};
static const spSchema s_picture = SCHEMA("picture", spPictureData, s_pictureKeys, "How pictures look.");

static const spKey s_outputKeys[] = {
    NUMBER(spOutputData, "frameRate", frameRate, "Hz", 30, 0, 1e6, "Recorded frames in each simulated second.", .flags = sp_keyAboveLower),
    BOOL(spOutputData, "contacts", contacts, 0, "Recorded frames keep contacts, for arrows in reports and tables of them; pictures by `pressure` do that by themselves."),
    OBJECT(spOutputData, "picture", picture, s_picture, "How pictures look.", .flags = sp_keyImplied),
};
static const spSchema s_output = SCHEMA("output", spOutputData, s_outputKeys, "What a run leaves behind.");

static const char* const s_guarantees[] = {"off", "bestEffort", "noIntersection"};

static const spKey s_sceneKeys[] = {
    INTEGER(spSceneData, "souple", version, 1, 1, 1, "Version of the format.", .flags = sp_keyRequired),
    STRING(spSceneData, "name", name, "Name.", .text = "the name of the file"),
    STRING(spSceneData, "description", description, "What the scene shows.", .text = "none"),
    VECTOR(spSceneData, "gravity", gravity, "m/s^2", 0, -9.81, 0, FAR_AWAY, "Acceleration of every free node.", TO(spWorldDef, gravity)),
    NUMBER(spSceneData, "dt", dt, "s", 0, 0, 10, "Time step; \"auto\" is 1/60 s, which bodies divide into substeps as they need, or the part of it that bodies with a fixed number of substeps survive.",
           .flags = sp_keyAuto | sp_keyAboveLower),
    NUMBER(spSceneData, "duration", duration, "s", 5, 0, 1e6, "Simulated time.", .flags = sp_keyAboveLower),
    INTEGER(spSceneData, "threads", threads, 1, 1, SP_MAX_WORKERS, "Threads that work on a step; the result does not depend on it.", TO(spWorldDef, workerCount)),
    NUMBER(spSceneData, "restitutionThreshold", restitutionThreshold, "m/s", 0, 0, FAR_AWAY, "Approach speed below which contacts do not bounce.",
           .flags = sp_keyNoDefault, .text = "that of the engine", TO(spWorldDef, restitutionThreshold)),
    BOOL(spSceneData, "bodyContacts", bodyContacts, 1, "Bodies with a surface touch each other; those that an attachment joins do not.", TO(spWorldDef, bodyContacts)),
    CHOICE(spSceneData, "guarantee", guarantee, s_guarantees, sp_guaranteeBestEffort,
           "What is promised about bodies that touch each other, and bodies with `selfContact` and themselves: nothing; that contacts are solved as well as they can be; or that no two triangles intersect after any step, "
           "when none did at the start: motion that would make them is cut short.", TO(spWorldDef, guarantee)),
    CHOICE(spSceneData, "detector", detector, s_detectors, sp_detectorDistance,
           "By what contacts between two closed bodies are found, where `pairs` says nothing of them. Open surfaces go by distance all the same.", TO(spWorldDef, detector)),
    BOOL(spSceneData, "countIntersections", countIntersections, 0, "Count pairs of triangles that intersect after every step. The measurement `intersections` and the guarantee `noIntersection` do so anyway.", TO(spWorldDef, countIntersections)),
    NUMBER(spSceneData, "sleepSpeed", sleepSpeed, "m/s", 0, 0, FAR_AWAY, "Bodies that are slower than this for half a second, and all that is near them too, sleep until something comes near or is told to them; 0: none ever does.",
           .flags = sp_keyNoDefault, .text = "0; 0.002 in live runs", TO(spWorldDef, sleepSpeed)),
    OBJECTS(spSceneData, "bodies", bodies, s_body, SP_SCENE_MAX_OBJECTS, "What is soft."),
    OBJECTS(spSceneData, "colliders", colliders, s_collider, SP_SCENE_MAX_OBJECTS, "What is rigid."),
    OBJECTS(spSceneData, "pairs", pairs, s_pair, SP_SCENE_MAX_OBJECTS, "What touches with other friction, or not at all."),
    OBJECTS(spSceneData, "attachments", attachments, s_attachment, SP_SCENE_MAX_OBJECTS, "What is held together."),
    OBJECTS(spSceneData, "events", events, s_event, SP_SCENE_MAX_OBJECTS, "What happens when."),
    OBJECTS(spSceneData, "measurements", measurements, s_measurement, SP_SCENE_MAX_OBJECTS, "What is measured after every step."),
    OBJECT(spSceneData, "output", output, s_output, "What a run leaves behind.", .flags = sp_keyImplied),
};
const spSchema g_sceneSchema = SCHEMA("scene", spSceneData, s_sceneKeys, "The whole file: one object.");
// clang-format on
