// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Mesh files: one reader or writer per source file, whole files in memory, output that appears only when it
// is complete.
//
// A reader appends to an empty mesh and sets its formatName; the caller destroys the mesh when it fails.
// Files are hostile: a count that the file claims is compared with the bytes that are there before memory is
// asked for, and every loop moves forward through the file.

#pragma once

#include "base/whole_file.h"
#include "format/text_scan.h"
#include "mesh/mesh.h"

// Largest file that is read, bytes
#define SP_FILE_LIMIT ((size_t)8 << 30)

bool spReadObj(const char* data, size_t size, spMesh* mesh, spError* error);
bool spReadStl(const char* data, size_t size, spMesh* mesh, spError* error);
bool spReadMsh(const char* data, size_t size, spMesh* mesh, spError* error);
bool spReadVtu(const char* data, size_t size, spMesh* mesh, spError* error);
bool spReadVtk(const char* data, size_t size, spMesh* mesh, spError* error);
bool spReadPly(const char* data, size_t size, spMesh* mesh, spError* error);
bool spReadOff(const char* data, size_t size, spMesh* mesh, spError* error);
bool spReadMedit(const char* data, size_t size, spMesh* mesh, spError* error); // text and binary
bool spReadInp(const char* data, size_t size, spMesh* mesh, spError* error);
bool spReadVeg(const char* data, size_t size, spMesh* mesh, spError* error);

// TetGen: points, tets, triangles
enum
{
    sp_tetGenNode = 0,
    sp_tetGenEle,
    sp_tetGenFace,
    sp_tetGenFileCount,
};

// One of its files; data is NULL for one that is not there
typedef struct spTetGenText
{
    const char* data;
    size_t size;
    const char* path; // for messages
} spTetGenText;

bool spReadTetGen(const spTetGenText files[sp_tetGenFileCount], spMesh* mesh, spError* error);

// All of them in one, in this order, with a zero byte between
bool spReadTetGenText(const char* data, size_t size, spMesh* mesh, spError* error);

// STL has no mark at its start that can be trusted
bool spLooksLikeStl(const char* data, size_t size);
bool spLooksLikeMeshb(const char* data, size_t size);

// Puts the path, and the line where there is one, before the message of an error (which may be NULL)
void spNamePath(const char* path, spError* error);

// A file being written. Errors are kept until spCloseOutput.
typedef struct spOutput
{
    spWholeFile whole;
    bool failed; // nothing more is written
} spOutput;

bool spOpenOutput(spOutput* output, const char* path, spError* error);
void spPutText(spOutput* output, const char* text);
void spPutBytes(spOutput* output, const void* data, size_t size);
void spPutInteger(spOutput* output, int64_t value);
void spPutReal(spOutput* output, double value);
void spPutDigits(spOutput* output, double value, int digits); // significant ones, at most 17
void spPutPoint(spOutput* output, spDVec3 point);             // and a line end

// Indices counted from `first`, with blanks between, and what comes after them
void spPutIndices(spOutput* output, const int32_t* indices, int count, int64_t first, const char* after);
// Lines of OBJ: the word, then the vertices of a cell
void spPutObjCells(spOutput* output, const char* word, const int32_t* indices, int count, int width,
                   int64_t first);
void spPutFormat(spOutput* output, const char* format, ...) SP_PRINTF_FORMAT(2, 3);

// A name between quotes: characters that would end it, or have a meaning in XML, become '_'
void spPutName(spOutput* output, const char* name);

// Puts the file under its name, or removes it when something failed or it is not to be kept
bool spCloseOutput(spOutput* output, bool keep, spError* error);

// For formats without tets: the triangles, or where there are none the boundary of the tets. Freed by
// spFreeIndexList.
bool spGetSurfaceOut(const spMesh* mesh, spIndexList* surface, spError* error);
// The same for formats that have nothing but triangles: refuses a mesh without area
bool spGetFacesOut(const spMesh* mesh, spIndexList* surface, spError* error);

bool spWriteObj(const spMesh* mesh, spOutput* output, spError* error);
bool spWriteStl(const spMesh* mesh, spOutput* output, spError* error); // binary
bool spWriteStlText(const spMesh* mesh, spOutput* output, spError* error);
bool spWritePly(const spMesh* mesh, spOutput* output, spError* error); // binary
bool spWritePlyText(const spMesh* mesh, spOutput* output, spError* error);
bool spWriteOff(const spMesh* mesh, spOutput* output, spError* error);
bool spWriteMedit(const spMesh* mesh, spOutput* output, spError* error);
bool spWriteMeshb(const spMesh* mesh, spOutput* output, spError* error);
bool spWriteInp(const spMesh* mesh, spOutput* output, spError* error);
bool spWriteMsh(const spMesh* mesh, spOutput* output, spError* error); // 4.1, ascii
bool spWriteMshBinary(const spMesh* mesh, spOutput* output, spError* error);
bool spWriteMsh22(const spMesh* mesh, spOutput* output, spError* error); // 2.2, ascii
bool spWriteMsh22Binary(const spMesh* mesh, spOutput* output, spError* error);
bool spWriteVtuText(const spMesh* mesh, spOutput* output, spError* error);
bool spWriteVtu(const spMesh* mesh, spOutput* output, spError* error); // compressed
bool spWriteVtkText(const spMesh* mesh, spOutput* output, spError* error);
bool spWriteVtk(const spMesh* mesh, spOutput* output, spError* error); // binary

// What a cell of a file becomes
typedef enum spCellKind
{
    sp_cellUnknown = 0, // counted and left out
    sp_cellPoint,       // left out
    sp_cellLine,        // edges along the vertices
    sp_cellPolygon,     // a fan of triangles; also triangle and quad
    sp_cellStrip,       // a strip of triangles
    sp_cellPixel,       // a quad in the order of an image
    sp_cellTet,
} spCellKind;

// Appends a cell from its corners
bool spAddCell(spMesh* mesh, spCellKind kind, const int32_t* corners, int count, int32_t region,
               spError* error);

// Regions of triangles are a value, "region": gives it to the triangles from `first` on where it is not 0;
// and the value of all triangles, NULL when there is none
void spMarkTriangles(spMesh* mesh, int first, int64_t region);
const double* spFindTriangleRegions(const spMesh* mesh);

// Region numbers of files may have any size, and may be real numbers: 0 for what does not fit
int32_t spClampRegion(int64_t region);
int32_t spRoundRegion(double value);

// Sets and groups of formats that name them: REGION_7 is region 7, REGION_M7 region -7, in any case. Returns
// false for other names.
bool spParseRegionName(spWord name, int32_t* region);
void spPutRegionName(spOutput* output, int32_t region);

// Middle nodes of second-order cells: marked while a file is read, dropped at its end unless something uses
// them. Starts from zeros; vertices may come and go between.
typedef struct spMiddleNodes
{
    uint8_t* marks;
    int count, capacity;
} spMiddleNodes;

// Marks nodes[begin] to nodes[end - 1], which are vertices of the mesh
bool spMarkMiddle(spMesh* mesh, spMiddleNodes* middle, const int32_t* nodes, int begin, int end,
                  spError* error);

// Drops what is marked when `ok`, and frees the marks. Returns what `ok` is then.
bool spDropMiddleNodes(spMesh* mesh, spMiddleNodes* middle, bool ok, spError* error);
