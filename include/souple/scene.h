// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Scenes: JSON files that describe a world, what happens in it and what is measured; and runs, which play
// them. Needs the library souple_scene beside souple. The format is described key by key in
// docs/scene_format.md, which spWriteSceneReference prints from the table that the reader uses.
//
//   spScene* scene = spLoadScene("scenes/demo.json", NULL, &error);
//   spRunDef def = spDefaultRunDef();
//   spRun* run = spCreateRun(scene, &def, &error);
//   while (!spRun_IsDone(run))
//   {
//       spRun_Step(run);
//   }
//   spDestroyRun(run);
//   spDestroyScene(scene);
//
// A scene is an asset: immutable, independent of any world; several runs may be made from it, also at the
// same time from several threads. A run belongs to one thread at a time, as its world does. Files are treated
// as hostile: sizes and counts are limited, and every problem is reported with line and column.

#pragma once

#include "souple/record.h"

SP_EXTERN_C_BEGIN

/// A scene that was read. Opaque; load it with spLoadScene or spParseScene.
typedef struct spScene spScene;

/// Reads a scene file.
/// @param path the file; mesh files in it are relative to its folder
/// @param allocator memory for the scene, NULL means the C library's; the JSON parser always uses the latter
/// while it reads
/// @return NULL when the file cannot be read or the scene is wrong; error holds the first problem with line
/// and column. spCheckScene finds all problems.
SP_API spScene* spLoadScene(const char* path, const spAllocator* allocator, spError* error);

/// Reads a scene from memory.
/// @param text JSON, need not be terminated
/// @param size bytes of the text
/// @param baseFolder folder that mesh files are relative to; NULL means the working folder
/// @param allocator memory for the scene; NULL means the C library's
SP_API spScene* spParseScene(const char* text, size_t size, const char* baseFolder,
                             const spAllocator* allocator, spError* error);

/// Copies a scene and gives every body, and every event that sets a method, another method: for comparisons.
/// How bodies meet colliders ("contact") stays as it was unless the method says it.
/// @param method TYPE or TYPE:KEY=VALUE:..., for example "verlet",
/// "symplecticEuler:filter.type=gaussian:lambda=0.5" or "xpbd:solver=gaussSeidel:iterations=20". Types, keys
/// and values are those of "method" in scene files; a key of an object in it needs the name of the object
/// only where several have it, and the object named as the type comes first. What is not said has its
/// default, whatever the scene said.
/// @param allocator memory for the copy; NULL means the C library's
/// @return NULL when the method is wrong or there is no memory; error says what is wrong with it.
SP_API spScene* spCopySceneWithMethod(const spScene* scene, const char* method, const spAllocator* allocator,
                                      spError* error);

/// Destroys a scene. NULL is allowed. Runs that were made from it must be destroyed before.
SP_API void spDestroyScene(spScene* scene);

/// One thing that is wrong with a scene.
typedef struct spSceneProblem
{
    int line;          ///< line in the file, from 1; 0 when it has none
    int column;        ///< character in that line, from 1; 0 when it has none
    bool warning;      ///< the scene can be used, but this is probably not meant
    char path[128];    ///< which value, for example "bodies[0].springs.stiffness"; "" for the file as a whole
    char message[320]; ///< one sentence that names the thing and the remedy
} spSceneProblem;

/// Examines a scene file: reads it, loads its meshes and builds its world once, without a step.
/// @param problems receives the first `capacity` problems, in the order in which they were found; may be NULL
/// when capacity is 0
/// @param count receives the number of all problems, warnings included; may be NULL
/// @return true when the scene can be used (there may be warnings).
SP_API bool spCheckScene(const char* path, spSceneProblem* problems, int capacity, int* count);

/// Examines a scene in memory, as spCheckScene does a file.
SP_API bool spCheckSceneText(const char* text, size_t size, const char* baseFolder, spSceneProblem* problems,
                             int capacity, int* count);

/// Writes a scene file. It appears under its name only when it is complete. Names of mesh files are rewritten
/// when the folder is another one.
/// @param all write every key that applies; false writes what the scene was given
SP_API bool spSaveScene(const spScene* scene, const char* path, bool all, spError* error);

/// @return name of the scene: what the file says, else the name of the file without folder and ending.
SP_API const char* spScene_GetName(const spScene* scene);
/// @return description of the scene; "" when it has none.
SP_API const char* spScene_GetDescription(const spScene* scene);
/// @return simulated time that the scene asks for, s.
SP_API double spScene_GetDuration(const spScene* scene);
/// @return time step, s; 1/60 when the scene says "auto": a run may choose a part of it, see
/// spRun_GetTimeStep.
SP_API double spScene_GetTimeStep(const spScene* scene);
/// @return threads that the scene asks for.
SP_API int spScene_GetThreadCount(const spScene* scene);
/// @return number of bodies.
SP_API int spScene_GetBodyCount(const spScene* scene);
/// @return number of colliders.
SP_API int spScene_GetColliderCount(const spScene* scene);
/// @return number of events.
SP_API int spScene_GetEventCount(const spScene* scene);
/// @return source of the scene, terminated, and its size in bytes (size may be NULL). Valid as long as the
/// scene.
SP_API const char* spScene_GetText(const spScene* scene, size_t* size);

/// What a scene wants to be left behind by a run.
typedef struct spSceneOutput
{
    double frameRate;            ///< recorded frames in each simulated second, Hz
    bool contacts;               ///< recorded frames keep contacts
    int pictureWidth;            ///< pixels
    int pictureHeight;           ///< pixels
    spPictureColor pictureColor; ///< what colours the bodies in pictures
    double pictureLow;           ///< what the first colour stands for, Pa, m or m/s
    double pictureHigh; ///< what the last colour stands for; 0 with pictureLow means from the recording
    double
        pictureOpacity; ///< share of the light from behind that bodies keep back, 0 to 1; see spScene_GetOpacity
    bool pictureFlat;       ///< triangles are shaded each with one normal
    bool hasCamera;         ///< whether the scene has a camera: the rest is only then of use
    spDVec3 cameraPosition; ///< where the camera is, m
    spDVec3 cameraTarget;   ///< what is in the middle of the picture, m
    spDVec3 cameraUp;       ///< what is up in the picture, any length > 0
    double fieldOfView;     ///< vertical opening angle, degrees
} spSceneOutput;

/// @return what the scene wants to be left behind.
SP_API spSceneOutput spScene_GetOutput(const spScene* scene);

/// @param body name of a body; one that the scene does not have is drawn as the picture says
/// @return share of the light from behind that this body keeps back in pictures, 0 (not drawn) to 1 (solid).
SP_API double spScene_GetOpacity(const spScene* scene, const char* body);

/// Tells what regions of tets are called in the scene.
/// @param names room for capacity names, which stay valid as long as the scene; may be NULL when capacity is 0
/// @return how many there are, also when there is less room.
SP_API int spScene_GetRegionNames(const spScene* scene, spRegionName* names, int capacity);

// ---------------------------------------------------------------------------------------------------------
// Runs

/// A scene that is being played: its world, the events to come and the measurements. Opaque.
typedef struct spRun spRun;

/// What spCreateRun needs. Start from spDefaultRunDef.
typedef struct spRunDef
{
    double dt;             ///< time step, s; 0 means that of the scene
    double duration;       ///< simulated time, s; 0 means that of the scene
    int64_t stepCount;     ///< number of steps; 0 means as many as the duration asks for
    int threadCount;       ///< threads that work on a step; 0 means that of the scene
    int laneCount;         ///< lanes of the kernels: 1, 4, 8, 16; 0 means the most that this machine has
    bool live;             ///< asynchronous preconditioners come into use as soon as they are there, whatever
                           ///< age the scene gives them: the clock decides
    bool untangle;         ///< move bodies that start inside each other apart first, see spWorld_Untangle
    spAllocator allocator; ///< memory of the run and its world; zero means the C library's
    spLogger logger;       ///< what the world and the events have to say; zero means silence
    int internalValue;     ///< set by spDefaultRunDef
} spRunDef;

/// @return everything as the scene says.
SP_API spRunDef spDefaultRunDef(void);

/// Builds the world of a scene: meshes, bodies, colliders, attachments.
/// @param scene must live as long as the run
/// @return NULL when something cannot be built; error holds the line and column of what in the scene is to
/// blame.
SP_API spRun* spCreateRun(const spScene* scene, const spRunDef* def, spError* error);

/// What spCheckScene warns of, from the run that is there instead of one that is built for it: warnings of reading the
/// scene, of building its world, and of where its bodies are now. To be called before the first step.
/// @param warnings receives the first `capacity`, in the order in which they were found; may be NULL when capacity is 0.
/// Of reading and of building 16 are kept at most.
/// @return number of warnings.
SP_API int spRun_GetWarnings(spRun* run, spSceneProblem* warnings, int capacity);

/// Destroys a run and its world. NULL is allowed.
SP_API void spDestroyRun(spRun* run);

/// Set in what spRun_Step returns, beside spStepFlags, when an event could not be carried out;
/// spRun_GetLastError says why. The run goes on.
#define SP_RUN_EVENT_FAILED 0x10000u

/// Carries out the events that are due, moves colliders and hands, steps the world, and measures.
/// @return spStepFlags and SP_RUN_EVENT_FAILED; 0 when all went well.
SP_API uint32_t spRun_Step(spRun* run);

/// Does the first part of spRun_Step, which then does the rest: carries out the events that are due and moves
/// colliders and hands. Only for who has something to do in between, such as spWorld_Decide for the step that
/// comes: an event may bring back a saved state.
/// @return SP_RUN_EVENT_FAILED, or 0 when all went well.
SP_API uint32_t spRun_PlayEvents(spRun* run);

/// The same within a budget, see spWorld_StepBudget. A run of such steps ends when its time is covered,
/// however many steps that takes. Colliders and hands go where they are to be after a whole step.
/// @param budget seconds of wall clock that the step may take, > 0 and finite
SP_API uint32_t spRun_StepBudget(spRun* run, double budget);

/// @return whether as much time was simulated as the duration asks for. Time that a restored state undid
/// counts too, so that every run ends.
SP_API bool spRun_IsDone(const spRun* run);
/// @return simulated time, s.
SP_API double spRun_GetTime(const spRun* run);
/// @return time step, s.
SP_API double spRun_GetTimeStep(const spRun* run);
/// @return number of steps from the start to the end of the run.
SP_API int64_t spRun_GetStepCount(const spRun* run);
/// @return the world. It may be read, and changed between steps by whoever wants more than the scene says;
/// it must not be destroyed.
SP_API spWorld* spRun_GetWorld(spRun* run);
/// @return what went wrong in an event last; code sp_errorNone when nothing did.
SP_API spError spRun_GetLastError(const spRun* run);

/// Most bytes of an act.
#define SP_MAX_ACT_SIZE 65536

/// Most grabs by acts that hold at the same time.
#define SP_MAX_LIVE_GRABS 16

/// Most states that a run keeps, the one at its beginning included.
#define SP_MAX_STATES 16

/// Carries out an event at once, before the next step: what a hand or a program does while a scene runs.
///
/// Grabs get the names that acts give them; `move` and `release` look for one of these first, then for those
/// of the scene. What an act says is treated as hostile: its size and depth are limited, and it goes through
/// the same table and the same checks as scene files. The same acts before the same steps give the same bits;
/// spRecorder_AddAct stores them.
/// @param text an event of the scene format as a JSON object, without "time"; need not be terminated
/// @param size bytes of the text, at most SP_MAX_ACT_SIZE
/// @return false, with nothing changed, when it cannot be carried out; error says why.
SP_API bool spRun_Act(spRun* run, const char* text, size_t size, spError* error);

/// A hand that holds nodes of a body: a grab of the scene or of an act.
typedef struct spHandInfo
{
    const char* name; ///< of the grab; valid until the next act or step
    spBodyId body;    ///< whose nodes it holds
    int bodyIndex;    ///< of that body in the scene, from 0
    bool live;        ///< an act made it, not the scene
    spVec3 point;     ///< mean of the nodes that it holds, m
    spVec3 hand;      ///< where the hand is: where that mean would be without strain in the hold, m
    spVec3 force;     ///< of the hand on the body, N: the mean over the last step
} spHandInfo;

/// Copies the nodes of a body that attachments hold now.
/// @param body of the scene, from 0
/// @return number of nodes copied, at most capacity; a node that two attachments hold counts twice.
SP_API int spRun_CopyAttachedNodes(const spRun* run, int body, int32_t* nodes, int capacity);

/// @return number of hands that hold something now.
SP_API int spRun_GetHandCount(const spRun* run);
/// Tells about one of them, those of the scene first.
/// @return false, with *info as it was, for a bad index.
SP_API bool spRun_GetHand(const spRun* run, int hand, spHandInfo* info);

/// Tells about the sphere of `poke`. Any pointer may be NULL.
/// @param center receives where it is, m
/// @param radius receives its radius, m
/// @param force receives the force of all bodies on it, N: the mean over the last step
/// @return false, with everything as it was, when there is none.
SP_API bool spRun_GetTool(const spRun* run, spVec3* center, spReal* radius, spVec3* force);

/// @return number of states that were saved, by `save` and at the beginning.
SP_API int spRun_GetStateCount(const spRun* run);
/// @return name of a saved state, "start" first; "" for a bad index. Valid until the next act or step.
SP_API const char* spRun_GetStateName(const spRun* run, int state);

/// @return a body by its name in the scene; the null id when there is none.
SP_API spBodyId spRun_FindBody(const spRun* run, const char* name);
/// How a body came to its equilibrium before the first step, when the scene asks for that ("relax").
/// @return false, with *result as it was, when the body was not relaxed or there is none of this name.
SP_API bool spRun_GetRelaxResult(const spRun* run, const char* body, spRelaxResult* result);
/// Tets of a body that were inside out after steps of a run.
typedef struct spInversionReport
{
    int now;            ///< after the last step
    int most;           ///< at once
    double firstTime;   ///< when there were some first, s
    double mostTime;    ///< when there were most, s
    int64_t stepCount;  ///< steps after which there were some
    const char* remedy; ///< what helps, as a part of a sentence
} spInversionReport;

/// @return false, with *report as it was, when the body has no tets or there is none of this name.
SP_API bool spRun_GetInversions(const spRun* run, const char* body, spInversionReport* report);

/// How bodies that start inside each other came apart before the first step, when spRunDef.untangle asks for that.
/// @return false, with *report as it was, when it does not.
SP_API bool spRun_GetUntangleReport(const spRun* run, spUntangleReport* report);
/// @return a collider by its name in the scene; the null id when there is none.
SP_API spColliderId spRun_FindCollider(const spRun* run, const char* name);

/// @return number of measurements.
SP_API int spRun_GetMeasurementCount(const spRun* run);
/// @return name of a measurement; "" for a bad index.
SP_API const char* spRun_GetMeasurementName(const spRun* run, int measurement);
/// @return unit of a measurement, for example "m"; "" for a bad index.
SP_API const char* spRun_GetMeasurementUnit(const spRun* run, int measurement);
/// @return value of a measurement after the last step (at first: before the first one); NaN for a bad index
/// and when there is nothing to measure.
SP_API double spRun_GetMeasurement(const spRun* run, int measurement);
/// @return values of all measurements, for spRecorder_AddFrame; NULL when there are none. Valid as long as
/// the run; changed by every step.
SP_API const double* spRun_GetMeasurements(const spRun* run);

// ---------------------------------------------------------------------------------------------------------
// Materials and the manual

/// A material that scenes know by name.
typedef struct spMaterial
{
    const char* name;    ///< for example "rubber"
    double youngModulus; ///< Pa
    double youngMin;     ///< smallest modulus that the source gives, Pa
    double youngMax;     ///< largest modulus that the source gives, Pa
    double poissonRatio; ///< non-dimensional
    double density;      ///< kg/m^3
    const char* source;  ///< where the modulus comes from, one sentence
} spMaterial;

/// @return number of materials.
SP_API int spGetMaterialCount(void);
/// @return a material; NULL for a bad index.
SP_API const spMaterial* spGetMaterial(int index);
/// @return the material with this name (case does not matter); NULL when there is none.
SP_API const spMaterial* spFindMaterial(const char* name);

/// @return the word of scene files for a method; "" for a bad value.
SP_API const char* spGetMethodWord(spMethodType type);
/// @return the word of scene files for an operator of a solver; "" for a bad value.
SP_API const char* spGetOperatorWord(spOperatorType type);
/// @return the word of scene files for a preconditioner of a solver; "" for a bad value.
SP_API const char* spGetPreconditionerWord(spPreconditionerType type);
/// @return the word of scene files for a solver of sp_xpbd; "" for a bad value.
SP_API const char* spGetXpbdSolverWord(spXpbdSolver solver);
/// @return the word of scene files for an accelerator of sp_xpbd; "" for a bad value.
SP_API const char* spGetAcceleratorWord(spAccelerator accelerator);

/// Writes the manual of the scene format from the table that the reader uses.
/// @param markdown true for docs/scene_format.md; false for a terminal
SP_API void spWriteSceneReference(spTextFcn* write, void* context, bool markdown);

// ---------------------------------------------------------------------------------------------------------
// What a page must know about a run

/// Writes what a page that shows a run must know, as one JSON object: `name`, `description`, `text`, `dt`,
/// `duration`, `gravity`, `camera`, `bodies`, `colliders`, `measurements`, `settings` and `states`, as
/// docs/view_protocol.md says for the message `scene`. Everything is as it is now, after events and acts. The
/// JSON library's memory is that of the C library. Not while a step is under way.
/// @param write receives the text, in one piece or several
/// @return false when run or write is NULL or there is no memory; then nothing was written.
SP_API bool spRun_Describe(spRun* run, spTextFcn* write, void* context);

/// Writes what of it can change from step to step: `settings`, `dt`, `gravity` and `states`.
/// @return as spRun_Describe.
SP_API bool spRun_DescribeSettings(spRun* run, spTextFcn* write, void* context);

/// @return version of the JSON library that this build uses, for example "2.14"; never NULL.
SP_API const char* spGetJsonVersion(void);

SP_EXTERN_C_END
