// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Recordings: what a run produced, in one file, and everything that can be made from it: tables, meshes for
// ParaView and other programs, pictures and plots. Needs the library souple_scene beside souple.
//
// A recorder writes while a world runs. It never changes the world. The file can be read up to any point at
// which writing was cut off. The format is described byte by byte in docs/recording.md.
//
// A recording is an asset: read whole into memory, checked, immutable, independent of any world. It has
//
//   rows      one per step that was recorded: time, flags, profile and measurements
//   decisions what the clock decided in those steps; with them the run can be repeated bit for bit
//   frames    now and then: the row it belongs to, state hash, positions of all bodies, places of colliders
//
// Exporters read a recording and write files. Every file is written under a temporary name and renamed when
// it is whole, so that a full disk or a cancelled export leaves no half file; files that were finished before
// stay. Reading and exporting one recording from several threads at the same time is fine.

#pragma once

#include "souple/contact.h"

SP_EXTERN_C_BEGIN

/// Most measurements that a recording has.
#define SP_MAX_MEASUREMENTS 4096

/// Most contacts that a recording has of one frame.
#define SP_MAX_FRAME_CONTACTS 65536

/// Largest side of a picture, pixels.
#define SP_MAX_PICTURE_SIZE 16384

/// A perspective camera. Start from spFitCamera or fill all fields.
typedef struct spCamera
{
    spDVec3 eye;        ///< where it is, m
    spDVec3 target;     ///< what is in the middle of the picture, m, not the same as eye
    spDVec3 up;         ///< what is up in the picture, not along the view, any length > 0
    double fieldOfView; ///< vertical opening angle, degrees, 1 to 170
} spCamera;

// ---------------------------------------------------------------------------------------------------------
// Recorder

/// How a scene was played: what is needed, beside its text and the decisions, to play it again.
typedef struct spPlayInfo
{
    const char* scenePath; ///< file of the scene, in whose folder its meshes are; NULL or "" when it has none
    double dt;             ///< time step that was asked for, s, > 0
    double budget;         ///< wall clock that each step had, s; 0 when they had no budget
    bool live;             ///< spRunDef.live
    bool untangle;         ///< spRunDef.untangle
} spPlayInfo;

/// Writes a recording. Opaque; create it with spCreateRecorder. Belongs to one thread at a time.
typedef struct spRecorder spRecorder;

/// What spCreateRecorder needs. Everything is copied. Start from spDefaultRecorderDef.
typedef struct spRecorderDef
{
    const char* path;                    ///< file to write; replaced when it exists
    const char* sceneText;               ///< source of the scene, stored whole; NULL when there is none
    const spPlayInfo* play;              ///< how it is played; NULL when that is not known
    const char* const* measurementNames; ///< measurementCount names, for example "height"
    const char* const* measurementUnits; ///< measurementCount units, for example "m"; "" or NULL: no unit
    int measurementCount;                ///< values in each row, 0 to SP_MAX_MEASUREMENTS
    bool storeVelocities;                ///< also store the velocities of all nodes in each frame
    bool storeStress;                    ///< also store von Mises stress at the nodes of bodies with tets
    bool storeStrain;    ///< also store equivalent strain at the nodes of bodies that have one
    bool storeModulus;   ///< also store Young's modulus at the nodes of bodies with tets
    bool storeLevels;    ///< also store the levels that nodes move by, of bodies of levels
    bool storeRegions;   ///< also store the regions of the mesh at the nodes, of bodies that have some
    bool storeTetStates; ///< also store stress and volume ratio of every tet
    bool storeContacts; ///< also store the contacts of each frame, SP_MAX_FRAME_CONTACTS of them at most, and
                        ///< contact pressures at the nodes of bodies that touch something
    const spCamera* camera; ///< camera that the scene asks for; NULL when it asks for none
    spAllocator allocator;  ///< memory of the recorder; zero means the C library's
    int internalValue;      ///< set by spDefaultRecorderDef
} spRecorderDef;

/// @return a definition without path, scene and measurements; no velocities, no stress, no strain, no
/// contacts.
SP_API spRecorderDef spDefaultRecorderDef(void);

/// Creates the file and writes what is known before the first step: scene, measurements, bodies, colliders.
/// @return NULL on a bad definition, no memory or a file that cannot be written; error says which.
SP_API spRecorder* spCreateRecorder(const spWorld* world, const spRecorderDef* def, spError* error);

/// Adds a frame, and with it a row for the last step unless that step has one already: time, step count,
/// flags, profile, decisions of the clock, state hash, positions of all bodies, places of all colliders,
/// measurements. How often is up to the caller. Bodies and colliders may come and go between frames, and
/// topology may change.
///
/// May be called from the frame callback of a world.
/// @param values measurementCount numbers (NaN where there is none); NULL means NaN everywhere
/// @return false when the file cannot be written or there is no memory; what was written before stays
/// readable, and later calls return false too. spRecorder_GetError and spCloseRecorder say why.
SP_API bool spRecorder_AddFrame(spRecorder* recorder, const spWorld* world, const double* values);

/// Adds only a row for the last step: for the steps between frames. A run can be repeated from its recording
/// when every step has a row.
/// @param values measurementCount numbers (NaN where there is none); NULL means NaN everywhere
/// @return as spRecorder_AddFrame.
SP_API bool spRecorder_AddMeasurements(spRecorder* recorder, const spWorld* world, const double* values);

/// Adds an act that was carried out, see spRun_Act: it belongs before the step of the next row.
/// @param text what it said, without zeros; need not be terminated
/// @param size bytes of the text
/// @return as spRecorder_AddFrame.
SP_API bool spRecorder_AddAct(spRecorder* recorder, const char* text, size_t size);

/// @return bytes that were written up to now.
SP_API uint64_t spRecorder_GetByteCount(const spRecorder* recorder);

/// @return what went wrong in this recorder first; code sp_errorNone when nothing did.
SP_API spError spRecorder_GetError(const spRecorder* recorder);

/// Writes the index, closes the file and destroys the recorder. NULL is allowed.
/// @return false when something could not be written, now or before.
SP_API bool spCloseRecorder(spRecorder* recorder, spError* error);

// ---------------------------------------------------------------------------------------------------------
// Recording

/// A recording that was read. Opaque; load it with spLoadRecording.
typedef struct spRecording spRecording;

/// Reads a recording. The file may be cut off or damaged: it is read up to the first damaged place, see
/// spRecording_IsComplete.
/// @param allocator memory for the recording; NULL means the C library's
/// @return NULL when the file does not exist, is not a recording, is of a newer version, or is damaged at its
/// very beginning; error says which.
SP_API spRecording* spLoadRecording(const char* path, const spAllocator* allocator, spError* error);

/// Reads a recording from memory, as spLoadRecording does from a file. The bytes are copied.
SP_API spRecording* spReadRecording(const void* data, size_t size, const spAllocator* allocator,
                                    spError* error);

/// Destroys a recording. NULL is allowed.
SP_API void spDestroyRecording(spRecording* recording);

/// @return whether the recording was closed properly and all of it could be read.
SP_API bool spRecording_IsComplete(const spRecording* recording);
/// @return one sentence on where and why reading ended; "" for a complete recording; never NULL.
SP_API const char* spRecording_GetDamage(const spRecording* recording);
/// @return source of the scene; NULL when there is none. Valid as long as the recording, as are all pointers
/// below.
SP_API const char* spRecording_GetSceneText(const spRecording* recording);
/// @return whether a camera was stored, which is then copied to *camera.
SP_API bool spRecording_GetCamera(const spRecording* recording, spCamera* camera);
/// @return whether it was stored how the scene was played, which is then copied to *play; its path points
/// into the recording.
SP_API bool spRecording_GetPlayInfo(const spRecording* recording, spPlayInfo* play);
/// @return bytes of a number of the simulated state, sizeof(spReal) of the library that wrote it: 4 or 8.
SP_API int spRecording_GetNumberSize(const spRecording* recording);
/// @return version of the library that wrote the recording, as spGetVersion.
SP_API int spRecording_GetLibraryVersion(const spRecording* recording);

/// @return number of measurements in each row.
SP_API int spRecording_GetMeasurementCount(const spRecording* recording);
/// @return name of a measurement; "" for a bad index.
SP_API const char* spRecording_GetMeasurementName(const spRecording* recording, int measurement);
/// @return unit of a measurement; "" when it has none and for a bad index.
SP_API const char* spRecording_GetMeasurementUnit(const spRecording* recording, int measurement);
/// @return number of the measurement with this name; -1 when there is none.
SP_API int spRecording_FindMeasurement(const spRecording* recording, const char* name);

/// What was recorded of one step.
typedef struct spRecordRow
{
    double time;       ///< simulated time at the end of the step, s
    int64_t stepCount; ///< steps taken by then
    double dtTaken;    ///< time that the step covered, s
    uint32_t flags;    ///< spStepFlags of the step
    spProfile profile; ///< where the time of the step went, ms

    // As in spStepReport. Recordings of older libraries do not have them.
    int64_t solverIterations; ///< iterations of the solvers of all bodies; -1 when they were not stored
    double solverResidual; ///< largest residual that one left, over its right-hand side; NaN when not stored
    int contactCount;      ///< nodes that pressed on a collider; -1 when they were not stored
    int substepCount;      ///< largest number of substeps that a body took; -1 when it was not stored
} spRecordRow;

/// @return number of rows.
SP_API int spRecording_GetRowCount(const spRecording* recording);
/// @return one row; zeros for a bad index.
SP_API spRecordRow spRecording_GetRow(const spRecording* recording, int row);
/// @return value of a measurement in a row; NaN for a bad index.
SP_API double spRecording_GetMeasurement(const spRecording* recording, int row, int measurement);
/// Copies one measurement over all rows. @return number of values copied, at most capacity.
SP_API int spRecording_CopySeries(const spRecording* recording, int measurement, double* values,
                                  int capacity);
/// Copies the times of all rows, s. @return number of values copied, at most capacity.
SP_API int spRecording_CopyTimes(const spRecording* recording, double* times, int capacity);

/// @return number of decisions of the clock in all steps.
SP_API int spRecording_GetDecisionCount(const spRecording* recording);
/// Writes the decisions of one step, for spWorld_Decide.
/// @param row the row of the step
/// @param bodies ids, in the world that is to obey, of the first bodyCount bodies of the recording. Decisions
/// for others get an id that no world has.
/// @return the number of decisions of that step, of which at most capacity were written.
SP_API int spRecording_GetDecisions(const spRecording* recording, int row, const spBodyId* bodies,
                                    int bodyCount, spDecision* decisions, int capacity);

/// @return number of acts in the whole recording.
SP_API int spRecording_GetActCount(const spRecording* recording);
/// Finds the acts that were carried out before the step that a row is of, in their order.
/// @param row the row; the number of rows for acts that no step followed
/// @param first receives the number of the first one, for spRecording_GetAct; may be NULL
/// @return how many there are.
SP_API int spRecording_FindActs(const spRecording* recording, int row, int* first);
/// @return what an act said, terminated, and its size in bytes (size may be NULL); NULL for a bad index.
SP_API const char* spRecording_GetAct(const spRecording* recording, int act, size_t* size);

/// @return number of frames.
SP_API int spRecording_GetFrameCount(const spRecording* recording);
/// @return simulated time of a frame, s; 0 for a bad index.
SP_API double spRecording_GetFrameTime(const spRecording* recording, int frame);
/// @return the row of a frame; -1 for a bad index.
SP_API int spRecording_GetFrameRow(const spRecording* recording, int frame);
/// @return spWorld_GetStateHash at a frame; 0 for a bad index.
SP_API uint64_t spRecording_GetStateHash(const spRecording* recording, int frame);
/// @return the frame whose time is nearest to `time` (s); -1 without frames.
SP_API int spRecording_FindFrame(const spRecording* recording, double time);

/// @return number of bodies that appear anywhere in the recording.
SP_API int spRecording_GetBodyCount(const spRecording* recording);
/// @return name of a body; "" for a bad index.
SP_API const char* spRecording_GetBodyName(const spRecording* recording, int body);

/// Points in a recording: x, y, z of each, as float whatever spReal is.
typedef struct spPointView
{
    const float* data; ///< 3 * count numbers, m (m/s for velocities); NULL when count is 0
    int count;         ///< number of points
} spPointView;

/// @return positions of a body in a frame, m, in the order of its nodes; empty when the body was not there.
SP_API spPointView spRecording_GetPositions(const spRecording* recording, int frame, int body);
/// @return velocities of a body in a frame, m/s; empty when they were not stored or the body was not there.
SP_API spPointView spRecording_GetVelocities(const spRecording* recording, int frame, int body);
/// @return triangles of a body as they were in a frame, three node numbers each, and their number; NULL when
/// there were none. All numbers are below the number of positions in that frame.
SP_API const int32_t* spRecording_GetTriangles(const spRecording* recording, int frame, int body,
                                               int* triangleCount);
/// @return which triangles of a body had been laid bare by edits in a frame: a byte for each, 1 for those; NULL when
/// there were none.
SP_API const uint8_t* spRecording_GetBareTriangles(const spRecording* recording, int frame, int body);
/// @return edges of a body as they were in a frame, two node numbers each, and their number; NULL when there
/// were none.
SP_API const int32_t* spRecording_GetEdges(const spRecording* recording, int frame, int body, int* edgeCount);
/// @return tets of a body as they were in a frame, those of all its sets, four node numbers each, and their
/// number; NULL when there were none.
SP_API const int32_t* spRecording_GetTets(const spRecording* recording, int frame, int body, int* tetCount);

/// @return number of vertices of the surface that was attached to a body in a frame; 0 when there was none.
/// Exports and pictures show that surface instead of the triangles and edges of the body.
SP_API int spRecording_GetSurfaceVertexCount(const spRecording* recording, int frame, int body);
/// @return triangles of the attached surface in a frame, three of its own vertex numbers each, and their
/// number; NULL when there was none.
SP_API const int32_t* spRecording_GetSurfaceTriangles(const spRecording* recording, int frame, int body,
                                                      int* triangleCount);
/// Finds where the vertices of the attached surface were in a frame, m, from the positions of the nodes.
/// @param positions receives x, y, z of each vertex
/// @param capacity room for this many vertices
/// @return number of vertices, at most capacity.
SP_API int spRecording_CopySurfacePositions(const spRecording* recording, int frame, int body,
                                            float* positions, int capacity);
/// Tells how the vertices of the attached surface hang on nodes in a frame, as spBody_CopySurfaceWeights.
/// @param nodes receives four nodes of each vertex
/// @param weights receives their weights, of sum 1
/// @param capacity room for this many vertices
/// @return number of vertices, at most capacity.
SP_API int spRecording_CopySurfaceWeights(const spRecording* recording, int frame, int body, int32_t* nodes,
                                          float* weights, int capacity);

/// Numbers in a recording, as float whatever spReal is.
typedef struct spValueView
{
    const float* data; ///< count numbers; NULL when count is 0
    int count;         ///< number of values
} spValueView;

/// @return von Mises stress at the nodes of a body in a frame, Pa; empty when it was not stored, the body had
/// no tets or was not there.
SP_API spValueView spRecording_GetNodeStress(const spRecording* recording, int frame, int body);

/// @return equivalent strain at the nodes of a body in a frame, see spBody_CopyNodeStrain; empty when it was not stored, the
/// body had none or was not there.
SP_API spValueView spRecording_GetNodeStrain(const spRecording* recording, int frame, int body);

/// What tets feel, in the order of spRecording_GetTets.
typedef struct spTetStateView
{
    const float* vonMises;        ///< count von Mises stresses, Pa
    const float* principalStress; ///< 3 * count principal stresses, Pa, the largest of each tet first
    const float* volumeRatio;     ///< count ratios of volume to rest volume; negative when inside out
    int count;                    ///< number of tets; 0, and all pointers NULL, when nothing was stored
} spTetStateView;

/// @return what the tets of a body felt in a frame; empty as spRecording_GetNodeStress.
SP_API spTetStateView spRecording_GetTetStates(const spRecording* recording, int frame, int body);

/// @return contact pressure at the nodes of a body in a frame, N/m^2; empty when it was not stored, the body touched
/// nothing, has no triangles or was not there.
SP_API spValueView spRecording_GetNodePressure(const spRecording* recording, int frame, int body);

/// @return Young's modulus at the nodes of a body in a frame, Pa, see spBody_CopyNodeModulus; empty when it was not stored,
/// the body had no tets or was not there.
SP_API spValueView spRecording_GetNodeModulus(const spRecording* recording, int frame, int body);

/// @return the levels that the nodes of a body move by in a frame, 0 for the coarsest, see spBody_CopyNodeLevels; empty when
/// they were not stored, the body has no levels or was not there.
SP_API spValueView spRecording_GetNodeLevels(const spRecording* recording, int frame, int body);

/// @return the largest region number around each node of a body in a frame, see spBody_CopyNodeRegions; empty when they were not
/// stored, the body has no regions or was not there.
SP_API spValueView spRecording_GetNodeRegions(const spRecording* recording, int frame, int body);

/// A contact of a frame, see spContact.
typedef struct spRecordedContact
{
    int body;          ///< whose point: number of the body in the recording
    int otherBody;     ///< on what; -1 when that is a collider
    int collider;      ///< on what; -1 when that is a body
    int age;           ///< steps in a row in which it pressed
    float position[3]; ///< of the point, m
    float force[3];    ///< on the body, N
    float normal[3];   ///< towards the body, unit length
    float gap;         ///< m, negative when it penetrates
    float area;        ///< of the surface around the point, m^2
    float slip;        ///< speed of the body along the other side, m/s
} spRecordedContact;

/// @return number of contacts that were stored of a frame; 0 for a bad index.
SP_API int spRecording_GetContactCount(const spRecording* recording, int frame);
/// @return one of them; zeros for a bad index.
SP_API spRecordedContact spRecording_GetContact(const spRecording* recording, int frame, int contact);

/// @return a number that differs between two frames when the triangles or edges of the body do; -1 when the
/// body was not there.
SP_API int spRecording_GetTopology(const spRecording* recording, int frame, int body);

/// @return number of colliders that appear anywhere in the recording.
SP_API int spRecording_GetColliderCount(const spRecording* recording);
/// @return what a collider was created from, friction and restitution included; the name points into the
/// recording. Zeros for a bad index.
SP_API spColliderDef spRecording_GetColliderDef(const spRecording* recording, int collider);
/// @return whether a collider was there in a frame; *transform (may be NULL) says where.
SP_API bool spRecording_GetColliderTransform(const spRecording* recording, int frame, int collider,
                                             spTransform* transform);

// ---------------------------------------------------------------------------------------------------------
// Exporters

/// Called now and then by everything that may take a while. fraction goes from 0 to 1.
/// @return false to stop: the call then returns false with the error code sp_errorNone and the message
/// "cancelled".
typedef bool spProgressFcn(double fraction, void* context);

/// What all exporters need. Start from spDefaultExportDef.
typedef struct spExportDef
{
    const char* folder;      ///< where files go; created when it is not there, parents too
    const char* baseName;    ///< first part of all file names, without '/'; NULL means "frame"
    int firstFrame;          ///< first frame to export
    int lastFrame;           ///< last frame to export; -1 means the last one
    int frameStride;         ///< every how many frames one is exported, >= 1
    spProgressFcn* progress; ///< may be NULL
    void* progressContext;   ///< passed back to progress
    int internalValue;       ///< set by spDefaultExportDef
} spExportDef;

/// @return every frame, base name "frame", no progress.
SP_API spExportDef spDefaultExportDef(void);

/// Writes one VTK XML file `<base>_000000.vtu` per frame and `<base>.pvd`, which ParaView opens as one series
/// with times. A file holds all bodies: tets, triangles and edges as cells with the arrays "body" and
/// "element" (0 triangle, 1 edge, 2 lone point, 3 tet), node numbers as "node" and, when they were stored,
/// "velocity", "vonMises" and "contactPressure" (Pa) on points. When states of tets were stored, cells have "vonMises" and
/// "principalStress" (Pa) and "volumeRatio", which are NaN on cells that are not tets. An attached surface
/// has points of its own, "node" -1, and its triangles take the place of the body's. Colliders other than
/// planes are in it as bodies -1, -2 and so on.
/// @return false on a bad definition, no memory or a file that cannot be written; error says which.
SP_API bool spExportVtu(const spRecording* recording, const spExportDef* def, spError* error);

/// Writes one Wavefront file `<base>_000000.obj` per frame: one object per body, triangles as faces, edges as
/// lines; of a body with an attached surface that surface alone. Triangles that edits laid bare come last, in the group
/// "bare".
/// @return false as spExportVtu.
SP_API bool spExportObj(const spRecording* recording, const spExportDef* def, spError* error);

/// Writes two tables with one line for each row of the recording (the choice of frames does not matter):
/// `<base>.csv` with time, step and measurements, `<base>_profile.csv` with flags and milliseconds of each
/// stage; and, where contacts were stored, `<base>_contacts.csv` with one line for each contact of each frame. The first line names the columns with their units in brackets, as in "height [m]". Values that are
/// not a number are empty. Numbers are written so that reading them gives the same double.
/// @return false as spExportVtu.
SP_API bool spExportCsv(const spRecording* recording, const spExportDef* def, spError* error);

// ---------------------------------------------------------------------------------------------------------
// Pictures

/// What colours the bodies in pictures.
typedef enum spPictureColor
{
    sp_colorNone = 0,     ///< each body has its own colour
    sp_colorStress,       ///< von Mises stress at the nodes of tets, Pa; the recording must have it stored
    sp_colorDisplacement, ///< distance of nodes from where they were in the first frame with them, m
    sp_colorVelocity,     ///< speed of nodes, m/s; the recording must have velocities stored
    sp_colorPressure,     ///< contact pressure at nodes, N/m^2; the recording must have contacts stored
    sp_colorStrain,       ///< equivalent strain at nodes; the recording must have it stored
    sp_colorModulus,      ///< Young's modulus at nodes, Pa; the recording must have it stored
    sp_colorLevel,  ///< the level that nodes move by, 0 for the coarsest; the recording must have it stored
    sp_colorRegion, ///< region of the mesh, each in a colour of its own; the recording must have it stored
    sp_pictureColorCount ///< number of colourings
} spPictureColor;

/// What a region is called in the legend.
typedef struct spRegionName
{
    int region;       ///< its number
    const char* name; ///< short, printable ASCII
} spRegionName;

/// How pictures look. Start from spDefaultPictureDef.
typedef struct spPictureDef
{
    int width;                       ///< pixels, 16 to SP_MAX_PICTURE_SIZE
    int height;                      ///< pixels, 16 to SP_MAX_PICTURE_SIZE
    int samples;                     ///< anti-aliasing: samples along each side of a pixel, 1 to 4
    const spCamera* camera;          ///< NULL means the camera of the recording, or else spFitCamera
    spPictureColor color;            ///< what colours the bodies; with a legend
    const spRegionName* regionNames; ///< of colours by region; a region without a name has its number
    int regionNameCount;             ///< number of them
    double rangeLow;                 ///< what the first colour stands for, Pa, m or m/s
    double rangeHigh; ///< what the last colour stands for; 0 with rangeLow 0: by what surfaces show, rounded
    double
        opacity; ///< share of the light from behind that a surface of a body keeps back, 0 (not drawn) to 1 (solid)
    const double* opacities; ///< the same for each body of the recording; NULL means `opacity` for all
    bool flatShading; ///< each triangle with one normal, not smooth where neighbours meet at a flat angle
    bool
        showOverlap; ///< draw what closed bodies have in common: rays in it, and the gradient of the volume at nodes
    bool showGround;     ///< draw planes that point upwards with a grid, and shadows on them
    bool showEdges;      ///< draw the edges of triangles on surfaces; always on flat bodies
    bool showCaption;    ///< write the time, and the caption, into the lower left corner
    const char* caption; ///< short text after the time, printable ASCII; may be NULL
    double lineWidth;    ///< width of edges of bodies without triangles, pixels; 0 means by their length
    int internalValue;   ///< set by spDefaultPictureDef
} spPictureDef;

/// @return 1280 by 720 pixels, 2 by 2 samples, ground and caption on, edges of surfaces off, bodies in their
/// own colours.
SP_API spPictureDef spDefaultPictureDef(void);

/// Finds a camera that sees the whole motion: every body in every frame, and colliders that are no larger than
/// their motion, from the front, a little from above and from the side.
/// @param aspect width of the picture divided by its height
/// @return a camera; for a recording without positions one that looks at the origin.
SP_API spCamera spFitCamera(const spRecording* recording, double aspect);

/// Draws one frame into memory. Needs no window system, no graphics card and no library.
/// @param rgb 3 * width * height bytes: red, green, blue of each pixel, row by row from the top
/// @return false on a bad definition, a bad frame or no memory.
SP_API bool spDrawPicture(const spRecording* recording, int frame, const spPictureDef* def, uint8_t* rgb,
                          spError* error);

/// Draws one frame into a PNG file.
/// @return false as spDrawPicture, when the file cannot be written, and with sp_errorUnsupported when this
/// build has no libpng.
SP_API bool spSavePicture(const spRecording* recording, int frame, const spPictureDef* def, const char* path,
                          spError* error);

/// Draws several frames side by side into one PNG file, all through the same camera.
/// @param frames frameCount frames, from left to right and from top to bottom
/// @param columns pictures in a row; 0 means all of them
/// @param def size of one picture; the file is columns * width by rows * height pixels, plus gaps
SP_API bool spSaveContactSheet(const spRecording* recording, const int* frames, int frameCount, int columns,
                               const spPictureDef* def, const char* path, spError* error);

/// Receives a picture: 3 * width * height bytes as of spDrawPicture, which are valid during the call.
/// @return false to stop: spDrawPictures then returns false as when it is cancelled.
typedef bool spPictureFcn(const uint8_t* rgb, int frame, void* context);

/// Draws frames one after the other, all through the same camera and with the same colours, and hands their
/// pixels out: for films.
/// @param def which frames, and progress; its folder does not matter
/// @return false as spDrawPicture, and when it was cancelled.
SP_API bool spDrawPictures(const spRecording* recording, const spExportDef* def,
                           const spPictureDef* pictureDef, spPictureFcn* take, void* context, spError* error);

/// Draws frames into `<base>_000000.png` and so on, all through the same camera.
/// @return false as spExportVtu and spSavePicture.
SP_API bool spExportPng(const spRecording* recording, const spExportDef* def, const spPictureDef* pictureDef,
                        spError* error);

/// Writes pixels into a PNG file.
/// @param rgb 3 * width * height bytes: red, green, blue of each pixel, row by row from the top
/// @return false when the file cannot be written, and with sp_errorUnsupported when this build has no libpng.
SP_API bool spSavePng(const uint8_t* rgb, int width, int height, const char* path, spError* error);

/// @return whether this build writes PNG files.
SP_API bool spHasPng(void);

// ---------------------------------------------------------------------------------------------------------
// Plots

/// How a series is drawn.
typedef enum spPlotStyle
{
    sp_plotLine = 0,  ///< a line
    sp_plotDashed,    ///< a dashed line, for references
    sp_plotPoints,    ///< markers only, for measured or published values
    sp_plotMarked,    ///< a line with markers, for few values
    sp_plotStyleCount ///< number of styles
} spPlotStyle;

/// One series of a plot. NaN and infinities, and on a logarithmic axis values that are not positive, break
/// the line.
typedef struct spPlotSeries
{
    const char* name;  ///< for the legend, UTF-8; NULL means not in the legend
    const double* x;   ///< count values, in the unit of the axis
    const double* y;   ///< count values, in the unit of the axis
    int count;         ///< number of values, may be 0
    spPlotStyle style; ///< how it is drawn
} spPlotSeries;

/// A plot. Start from spDefaultPlotDef.
typedef struct spPlotDef
{
    const char* title;          ///< above the plot, UTF-8; NULL means none
    const char* xLabel;         ///< with the unit, as in "time [s]"; NULL means none
    const char* yLabel;         ///< with the unit, as in "height [m]"; NULL means none
    const spPlotSeries* series; ///< seriesCount series, drawn in this order
    int seriesCount;            ///< number of series, may be 0
    bool xLog;                  ///< logarithmic x axis
    bool yLog;                  ///< logarithmic y axis
    double xMin;                ///< range of the x axis, in its unit; NaN means from the data
    double xMax;                ///< range of the x axis, in its unit; NaN means from the data
    double yMin;                ///< range of the y axis, in its unit; NaN means from the data
    double yMax;                ///< range of the y axis, in its unit; NaN means from the data
    int width;                  ///< pixels, 200 to 4000
    int height;                 ///< pixels, 150 to 4000
    int internalValue;          ///< set by spDefaultPlotDef
} spPlotDef;

/// @return linear axes with ranges from the data, 800 by 500 pixels, no series.
SP_API spPlotDef spDefaultPlotDef(void);

/// Writes a plot: as a PNG file of two by two pixels for each pixel of the definition when the path ends in
/// ".png", else as a self-contained SVG file, which browsers and word processors show.
/// @return false on a bad definition, when the file cannot be written, and for a PNG file with
/// sp_errorUnsupported when this build has no libpng.
SP_API bool spSavePlot(const spPlotDef* def, const char* path, spError* error);

/// Receives a piece of text, not terminated.
typedef void spTextFcn(const char* text, size_t size, void* context);

/// Writes a plot as SVG text, the one that spSavePlot puts into a file.
/// @return false on a bad definition and when there is no memory; nothing was written then.
SP_API bool spWritePlot(const spPlotDef* def, spTextFcn* write, void* context, spError* error);

SP_EXTERN_C_END
