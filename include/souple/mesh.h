// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Meshes: vertices with edges, triangles and tetrahedra on them, any of which may be absent. A mesh is an
// asset: it belongs to no world, a body copies what it needs, and it can be destroyed right after.
//
// Nothing here refuses a mesh for being imperfect. Creating and loading fail only on what cannot be
// represented (an index out of range, a coordinate that is not finite, a broken file); everything else is
// counted by spMesh_Validate and mended on request by spMesh_Repair.
//
// Conventions: triangles of a closed surface turn counter-clockwise seen from outside. A tetrahedron (a, b,
// c, d) is upright when det(b - a, c - a, d - a) > 0. Functions may be called from several threads on
// different meshes, and reading one mesh from several threads is fine.

#pragma once

#include "souple/base.h"

SP_EXTERN_C_BEGIN

/// A mesh. Opaque; create it with spCreateMesh, spLoadMesh or a generator.
typedef struct spMesh spMesh;

/// What spCreateMesh needs. Arrays are copied. Start from spDefaultMeshDef.
typedef struct spMeshDef
{
    const spDVec3* vertices;   ///< vertexCount points, m
    int vertexCount;           ///< number of vertices, at least 1
    const int32_t* edges;      ///< edgeCount pairs of vertex indices; may be NULL
    int edgeCount;             ///< number of edges
    const int32_t* triangles;  ///< triangleCount triples of vertex indices; may be NULL
    int triangleCount;         ///< number of triangles
    const int32_t* tets;       ///< tetCount quadruples of vertex indices; may be NULL
    int tetCount;              ///< number of tetrahedra
    const int32_t* tetRegions; ///< tetCount region numbers; NULL means 0 everywhere
    spAllocator allocator;     ///< memory for the mesh; zero means the C library's
    int internalValue;         ///< set by spDefaultMeshDef
} spMeshDef;

/// @return a definition without vertices.
SP_API spMeshDef spDefaultMeshDef(void);

/// Creates a mesh from arrays.
/// @return NULL on an index out of range, a coordinate that is not finite, or no memory; error says which.
SP_API spMesh* spCreateMesh(const spMeshDef* def, spError* error);

/// Destroys a mesh. NULL is allowed.
SP_API void spDestroyMesh(spMesh* mesh);

/// @return number of vertices.
SP_API int spMesh_GetVertexCount(const spMesh* mesh);
/// @return number of edges that were given as such (not those of triangles and tets; see
/// spMesh_CollectEdges).
SP_API int spMesh_GetEdgeCount(const spMesh* mesh);
/// @return number of triangles that were given as such (not the boundary of the tets).
SP_API int spMesh_GetTriangleCount(const spMesh* mesh);
/// @return number of tetrahedra.
SP_API int spMesh_GetTetCount(const spMesh* mesh);
/// @return the vertices, m. Valid as long as the mesh, or until it is repaired, transformed or reordered.
SP_API const spDVec3* spMesh_GetVertices(const spMesh* mesh);
/// @return the edges, two vertex indices each; NULL when there are none.
SP_API const int32_t* spMesh_GetEdges(const spMesh* mesh);
/// @return the triangles, three vertex indices each; NULL when there are none.
SP_API const int32_t* spMesh_GetTriangles(const spMesh* mesh);
/// @return the tetrahedra, four vertex indices each; NULL when there are none.
SP_API const int32_t* spMesh_GetTets(const spMesh* mesh);
/// @return the region number of each tetrahedron; NULL when there are no tetrahedra.
SP_API const int32_t* spMesh_GetTetRegions(const spMesh* mesh);

/// Puts a tetrahedron into a region: any number, by which materials are told apart.
/// @return false for a bad index.
SP_API bool spMesh_SetTetRegion(spMesh* mesh, int tet, int32_t region);

/// What values belong to.
typedef enum spMeshPart
{
    sp_meshVertices = 0, ///< one entry for each vertex, for example displacements
    sp_meshTriangles,    ///< one for each triangle that was given as such
    sp_meshTets,         ///< one for each tetrahedron, for example Young's moduli
    sp_meshPartCount     ///< number of parts
} spMeshPart;

/// Most arrays of values that a mesh keeps.
#define SP_MAX_MESH_VALUES 64

/// Gives a mesh an array of values, which follows it through repair, conversion and files that can hold it.
/// @param part what they belong to
/// @param name 1 to 63 bytes; an array of the same name and part is replaced
/// @param components numbers in each entry, 1 to 9
/// @param values as many entries as the part has, copied; NaN where there is none
/// @return false on bad arguments, more than SP_MAX_MESH_VALUES arrays, or no memory.
SP_API bool spMesh_SetValues(spMesh* mesh, spMeshPart part, const char* name, int components,
                             const double* values, spError* error);
/// @return number of arrays of values of a part.
SP_API int spMesh_GetValueCount(const spMesh* mesh, spMeshPart part);
/// @return which array of a part has this name; -1 when none has.
SP_API int spMesh_FindValues(const spMesh* mesh, spMeshPart part, const char* name);
/// @return name of an array of values; "" for a bad index.
SP_API const char* spMesh_GetValueName(const spMesh* mesh, spMeshPart part, int index);
/// @return numbers in each entry of an array of values; 0 for a bad index.
SP_API int spMesh_GetValueComponents(const spMesh* mesh, spMeshPart part, int index);
/// @return the values, entry by entry, in the unit of whoever made them, NaN where there is none; NULL for a
/// bad index. Valid as long as the mesh, or until it is repaired or given other values.
SP_API const double* spMesh_GetValues(const spMesh* mesh, spMeshPart part, int index);

/// Moves every vertex: scale about the origin, then rotate, then translate. Triangles and tets are not
/// flipped when the scale is negative.
/// @param scale non-dimensional factor along each axis, finite
/// @return false when a number is not finite or the rotation is not a unit quaternion; the mesh is unchanged
/// then.
SP_API bool spMesh_Transform(spMesh* mesh, spDVec3 scale, spTransform transform, spError* error);

/// A block of index tuples that a query returns. Free it with spFreeIndexList.
typedef struct spIndexList
{
    int32_t* data;         ///< count * tupleSize indices; NULL when count is 0
    int count;             ///< number of tuples
    int tupleSize;         ///< indices per tuple: 2 for edges, 3 for triangles
    spAllocator allocator; ///< where data came from
} spIndexList;

/// Frees an index list and zeroes it. NULL and an empty list are allowed.
SP_API void spFreeIndexList(spIndexList* list);

/// Collects every edge once: those given as such, then those of the triangles, then those of the tets, each
/// group walked in order and each pair kept at its first appearance, smaller index first. An edge from a
/// vertex to itself is left out.
/// @return false when there is no memory.
SP_API bool spMesh_CollectEdges(const spMesh* mesh, spIndexList* edges, spError* error);

/// Collects the triangles that belong to exactly one tetrahedron, wound outwards for upright tets. For a mesh
/// without tets it is the list of its triangles.
/// @return false when there is no memory.
SP_API bool spMesh_CollectBoundary(const spMesh* mesh, spIndexList* triangles, spError* error);

/// One sort of imperfection that spMesh_Validate counts.
typedef enum spMeshProblem
{
    sp_meshDuplicateVertices = 0, ///< vertices at the same place as another one
    sp_meshOrphanVertices,        ///< vertices that no edge, triangle or tet uses
    sp_meshDegenerateTriangles,   ///< triangles with a repeated vertex or without area
    sp_meshDuplicateTriangles,    ///< triangles on the same three vertices as another one
    sp_meshDegenerateTets,        ///< tets with a repeated vertex or (nearly) without volume
    sp_meshInvertedTets,          ///< tets with negative volume
    sp_meshDuplicateTets,         ///< tets on the same four vertices as another one
    sp_meshOpenEdges,             ///< surface edges with only one triangle: the surface is not closed
    sp_meshNonManifoldEdges,      ///< surface edges with more than two triangles
    sp_meshBadWinding,            ///< surface edges whose two triangles run along it in the same direction
    sp_meshInwardSurface,         ///< closed components whose triangles look inwards
    sp_meshSeveralComponents,     ///< connected components beyond the first
    sp_meshProblemCount           ///< number of sorts
} spMeshProblem;

/// @return a short name for a problem, for example "open edges"; never NULL.
SP_API const char* spMeshProblem_GetName(spMeshProblem problem);

/// How bad the dihedral angles and shapes of the tets (or the corner angles of the triangles, for a mesh
/// without tets) are, and everything that is wrong with a mesh.
typedef struct spMeshReport
{
    int vertexCount;           ///< number of vertices
    int triangleCount;         ///< number of triangles given as such
    int tetCount;              ///< number of tetrahedra
    int boundaryTriangleCount; ///< triangles on the boundary of the tets; all triangles when there are no
                               ///< tets
    int componentCount;        ///< connected components, orphan vertices not counted
    bool closed;           ///< every edge of the surface (boundary, or triangles) has exactly two triangles
    double volume;         ///< sum of signed tet volumes, or volume that closed triangles enclose (0 when
                           ///< they are not closed); m^3
    double surfaceArea;    ///< area of the boundary; m^2
    spDVec3 lower;         ///< smallest coordinates, m
    spDVec3 upper;         ///< largest coordinates, m
    double minEdge;        ///< shortest edge, m
    double maxEdge;        ///< longest edge, m
    double meanEdge;       ///< mean edge length, m
    double minTetVolume;   ///< smallest signed tet volume, m^3; 0 without tets
    double maxTetVolume;   ///< largest signed tet volume, m^3; 0 without tets
    double minDihedral;    ///< smallest dihedral angle of the tets, or corner angle of triangles, degrees
    double maxDihedral;    ///< largest such angle, degrees
    double worstAspect;    ///< largest of circumradius / (3 inradius) over tets, or of circumradius / (2
                           ///< inradius) over triangles; 1 is regular, infinity is flat
    double worstEdgeRatio; ///< largest ratio of longest to shortest edge within one element
    int dihedralHistogram[18];              ///< number of angles in each 10 degrees from 0 to 180
    int problemCounts[sp_meshProblemCount]; ///< how many of each problem, 0 when fine
    int firstProblem[sp_meshProblemCount];  ///< index of the first vertex, triangle (of the list that
                                            ///< spMesh_CollectBoundary gives, for edges and components of
                                            ///< the surface) or tet concerned; -1 when none
} spMeshReport;

/// Examines a mesh. Costs O(n log n) at most and changes nothing.
/// @return false when there is no memory.
SP_API bool spMesh_Validate(const spMesh* mesh, spMeshReport* report, spError* error);

/// Most edges of a hole that spMesh_Repair closes.
#define SP_MAX_HOLE 1000

/// What spMesh_Repair may do. Start from spDefaultRepairDef.
typedef struct spRepairDef
{
    double mergeDistance; ///< vertices closer than this become one, m; 0 merges exact copies only; < 0: none
    bool dropOrphans;     ///< remove vertices that nothing uses
    bool
        dropDegenerate; ///< remove degenerate and duplicate triangles and tets, leaving no hole where possible
    bool flipInvertedTets; ///< turn tets with negative volume upright by swapping two vertices
    bool orientSurface;    ///< wind triangles consistently, closed components outwards
    bool keepLargest;      ///< remove all connected parts but the one with the most tets, else triangles
    int closeHoles;        ///< close holes of the triangles with at most so many edges, 0 to SP_MAX_HOLE
    int internalValue;     ///< set by spDefaultRepairDef
} spRepairDef;

/// @return a definition that repairs everything, merging exact copies only; parts and holes stay.
SP_API spRepairDef spDefaultRepairDef(void);

/// What spMesh_Repair did, count by count.
typedef struct spRepairReport
{
    int mergedVertices;   ///< vertices that became another one
    int droppedOrphans;   ///< vertices removed
    int droppedTriangles; ///< degenerate or duplicate triangles removed
    int droppedTets;      ///< degenerate or duplicate tets removed
    int flippedTets;      ///< tets turned upright
    int flippedTriangles; ///< triangles whose winding was reversed
    int droppedParts;     ///< connected parts removed
    int closedHoles;      ///< holes closed
    int addedTriangles;   ///< triangles that close them
    int turnedEdges;      ///< edges turned to give triangles without area some of their neighbour's
} spRepairReport;

/// Mends a mesh in place. On failure the mesh is unchanged.
/// @param report may be NULL
/// @return false when there is no memory or the definition is bad.
SP_API bool spMesh_Repair(spMesh* mesh, const spRepairDef* def, spRepairReport* report, spError* error);

/// Where points sit in a mesh: each point is a weighted sum of four vertices of one tet (or three of one
/// triangle, for a mesh without tets; the fourth weight is then 0). Opaque.
typedef struct spMeshMap spMeshMap;

/// Finds for every point the tet that contains it, or the nearest tet, whose weights then extrapolate.
/// Weights of a point sum to 1, so any affine motion of the mesh is followed exactly.
/// @return NULL when the mesh has neither tets nor triangles, a point is not finite, or there is no memory.
SP_API spMeshMap* spCreateMeshMap(const spMesh* mesh, const spDVec3* points, int pointCount, spError* error);

/// Destroys a map. NULL is allowed.
SP_API void spDestroyMeshMap(spMeshMap* map);

/// @return number of points.
SP_API int spMeshMap_GetPointCount(const spMeshMap* map);
/// @return four vertex indices for each point.
SP_API const int32_t* spMeshMap_GetIndices(const spMeshMap* map);
/// @return four weights for each point, non-dimensional.
SP_API const double* spMeshMap_GetWeights(const spMeshMap* map);
/// @return number of points that lie outside and are extrapolated.
SP_API int spMeshMap_GetOutsideCount(const spMeshMap* map);

/// y = W x: vertex values to point values.
/// @param x one vector for each vertex of the mesh
/// @param y receives one vector for each point
SP_API void spMeshMap_Apply(const spMeshMap* map, const spDVec3* x, spDVec3* y);

/// f += W^T g: forces on points to forces on vertices. Total force and total torque are kept.
/// @param g one vector for each point
/// @param f added to; one vector for each vertex of the mesh
SP_API void spMeshMap_ApplyTranspose(const spMeshMap* map, const spDVec3* g, spDVec3* f);

/// How a cell of a box is cut into tets.
typedef enum spCellSplit
{
    sp_sixTets = 0, ///< Kuhn: six tets of equal volume around the diagonal, all cells alike
    sp_fiveTets,    ///< five tets, mirrored from cell to cell so that faces match
} spCellSplit;

/// A box of cells, cut into tets. With one long side it is a beam. Node (i, j, k) has index
/// (i * (ny + 1) + j) * (nz + 1) + k.
typedef struct spBoxMeshDef
{
    spDVec3 origin;        ///< corner with the smallest coordinates, m
    spDVec3 size;          ///< side lengths, m, > 0
    int cells[3];          ///< cells along each axis, >= 1
    spCellSplit split;     ///< six or five tets in each cell
    spAllocator allocator; ///< memory for the mesh; zero means the C library's
    int internalValue;     ///< set by spDefaultBoxMeshDef
} spBoxMeshDef;

/// @return a 1 m cube of 4 x 4 x 4 cells, six tets each, standing on y = 0 and centred in x and z.
SP_API spBoxMeshDef spDefaultBoxMeshDef(void);
/// @return NULL on bad numbers or no memory.
SP_API spMesh* spMakeBoxMesh(const spBoxMeshDef* def, spError* error);

/// A round solid in tets: ball, cylinder or torus. All tets are upright and their surface vertices lie on the
/// true surface.
typedef struct spRoundMeshDef
{
    spDVec3 center; ///< centre, m
    double radius;  ///< ball and cylinder: radius; torus: from its centre to the centre of the tube; m, > 0
    double height;  ///< cylinder: length along y, m, > 0; else unused
    double tubeRadius;     ///< torus: radius of the tube, m, > 0, < radius; else unused
    int resolution;        ///< cells across the radius (torus: of the tube), >= 1
    spAllocator allocator; ///< memory for the mesh; zero means the C library's
    int internalValue;     ///< set by spDefaultRoundMeshDef
} spRoundMeshDef;

/// @return radius 0.5 m, height 1 m, tube radius 0.15 m, resolution 4, centred at the origin.
SP_API spRoundMeshDef spDefaultRoundMeshDef(void);
/// A solid ball. @return NULL on bad numbers or no memory.
SP_API spMesh* spMakeBallMesh(const spRoundMeshDef* def, spError* error);
/// A solid cylinder along y. @return NULL on bad numbers or no memory.
SP_API spMesh* spMakeCylinderMesh(const spRoundMeshDef* def, spError* error);
/// A solid torus around y. @return NULL on bad numbers or no memory.
SP_API spMesh* spMakeTorusMesh(const spRoundMeshDef* def, spError* error);

/// A rectangular sheet of triangles. Vertex (i, j) has index i * countZ + j and lies at
/// corner + (sizeX * i / (countX - 1), 0, sizeZ * j / (countZ - 1)); quads are split along (i,j)-(i+1,j+1).
typedef struct spClothMeshDef
{
    spDVec3 corner; ///< vertex (0, 0), m
    double sizeX;   ///< extent along x, m, > 0
    double sizeZ;   ///< extent along z, m, > 0
    int countX;     ///< vertices along x, >= 2
    int countZ;     ///< vertices along z, >= 2
    bool shear;     ///< also give both diagonals of every quad, as edges
    bool bend;      ///< also give (i,j)-(i+2,j) and (i,j)-(i,j+2), as edges
    bool alternate; ///< cut every second quad along its other diagonal: hinges then bend the same along
                    ///< both
    spAllocator allocator; ///< memory for the mesh; zero means the C library's
    int internalValue;     ///< set by spDefaultClothMeshDef
} spClothMeshDef;

/// @return a 2 m x 2 m sheet of 20 x 20 vertices at y = 2 m with shear and bend edges, as in the workloads.
SP_API spClothMeshDef spDefaultClothMeshDef(void);
/// @return a mesh of triangles, and of edges: structural (i,j)-(i+1,j) and (i,j)-(i,j+1), then shear, then
/// bend. NULL on bad numbers or no memory.
SP_API spMesh* spMakeClothMesh(const spClothMeshDef* def, spError* error);

/// A lattice of masses: edges to the next neighbour along each axis and along every diagonal, 8 neighbours in
/// 2D and 26 in 3D. Vertex (i, j, k) has index (i * ny + j) * nz + k.
typedef struct spLatticeMeshDef
{
    spDVec3 origin; ///< vertex (0, 0, 0), m
    double spacing; ///< distance between neighbours along an axis, m, > 0
    int counts[3];  ///< vertices along each axis, >= 1; counts[2] = 1 makes a 2D lattice in the xy plane
    spAllocator allocator; ///< memory for the mesh; zero means the C library's
    int internalValue;     ///< set by spDefaultLatticeMeshDef
} spLatticeMeshDef;

/// @return an 8 x 8 x 1 lattice with a spacing of 0.1 m and its first vertex at the origin.
SP_API spLatticeMeshDef spDefaultLatticeMeshDef(void);
/// @return a mesh of edges, with the outside quads as triangles; NULL on bad numbers or no memory.
SP_API spMesh* spMakeLatticeMesh(const spLatticeMeshDef* def, spError* error);

/// A closed shell to be filled with gas: a ring of points in the xy plane (2D) or an icosphere (3D), in one
/// or more layers joined by springs. Points are numbered layer by layer, outermost layer first.
typedef struct spShellMeshDef
{
    spDVec3 center;        ///< centre, m
    double radius;         ///< radius of the outer layer, m, > 0
    int layers;            ///< layers, >= 1
    double layerDistance;  ///< distance between layers, m, > 0, (layers - 1) * layerDistance < radius
    int points;            ///< ring: points in each layer, >= 3; unused for the icosphere
    int level;             ///< icosphere: number of subdivisions, 0 (12 vertices) to 8; unused for the ring
    spAllocator allocator; ///< memory for the mesh; zero means the C library's
    int internalValue;     ///< set by spDefaultShellMeshDef
} spShellMeshDef;

/// @return one layer of radius 0.5 m at the origin, 32 points, level 2, layers 0.1 m apart.
SP_API spShellMeshDef spDefaultShellMeshDef(void);

/// The disc of the slides: edges along each layer (counter-clockwise, wrapping inside the layer), then
/// between layers (straight and both diagonals). The first `points` edges are the outer outline.
/// @return a mesh of edges; NULL on bad numbers or no memory.
SP_API spMesh* spMakeDiscMesh(const spShellMeshDef* def, spError* error);

/// An icosphere: 10 * 4^level + 2 vertices, 20 * 4^level triangles and 30 * 4^level edges in each layer. The
/// triangles are those of the outer layer, wound outwards; edges: of each layer, then between layers
/// (straight, and crosswise for every edge).
/// @return a mesh of triangles, and of edges; NULL on bad numbers or no memory.
SP_API spMesh* spMakeIcosphereMesh(const spShellMeshDef* def, spError* error);

/// Reads a mesh file. The format is found from the content where it has a mark, else from the ending: VTU and
/// VTK (every form), Gmsh MSH 1, 2.2 and 4.1, Medit (.mesh, .meshb), Abaqus and CalculiX (.inp), Vega (.veg),
/// TetGen (.node, .ele or .face; the others are looked for beside it), OBJ, STL, PLY, OFF; docs/meshes.md
/// says what each brings. Polygons are cut into triangles, cells of second order lose their middle nodes;
/// spMesh_GetLoadReport counts what was left out. Files are treated as hostile.
/// @param allocator memory for the mesh; NULL means the C library's
/// @return NULL when the file cannot be read; error holds the line where there is one.
SP_API spMesh* spLoadMesh(const char* path, const spAllocator* allocator, spError* error);

/// Reads a mesh from memory, as spLoadMesh does from a file. The files of TetGen come as one with the hint
/// "node": .node, .ele and .face in this order with a zero byte between, empty where there is none.
/// @param formatHint an ending such as "obj" for formats without a mark; may be NULL
SP_API spMesh* spParseMesh(const void* data, size_t size, const char* formatHint,
                           const spAllocator* allocator, spError* error);

/// Writes a mesh file; the ending chooses the format: .vtu (compressed), .vtk (binary), .msh (4.1), .mesh,
/// .inp, .obj, .stl (binary), .ply (binary), .off. The file appears under its name only when it is complete.
/// Regions and values are written where the format can hold them.
/// @return false when the ending is unknown or the file cannot be written.
SP_API bool spSaveMesh(const spMesh* mesh, const char* path, spError* error);

/// Writes a mesh file in a certain format, whatever its ending.
/// @param formatName one of spGetMeshFormatName, for example "vtu-ascii"
SP_API bool spSaveMeshAs(const spMesh* mesh, const char* path, const char* formatName, spError* error);
/// @return name of a format that meshes are written in, the default of an ending before its other forms; NULL
/// for a bad index.
SP_API const char* spGetMeshFormatName(int index);

/// @return the name of the format that spLoadMesh read this mesh from, for example "MSH 2.2 binary"; "memory"
/// for a mesh that was made.
SP_API const char* spMesh_GetFormatName(const spMesh* mesh);

/// What of a file did not become part of the mesh. All 0 for a mesh that was made.
typedef struct spLoadReport
{
    int skippedCells; ///< cells that a mesh cannot hold (hexahedra, prisms ...), left out
    int reducedCells; ///< cells of second or higher order, of which only the corners were kept
    int droppedNodes; ///< their middle nodes that nothing else uses, dropped
} spLoadReport;

/// @return what spLoadMesh or spParseMesh left out; `souple mesh info` says it in words.
SP_API spLoadReport spMesh_GetLoadReport(const spMesh* mesh);

SP_EXTERN_C_END
