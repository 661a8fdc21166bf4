// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What a scene file says, as structs that the rows of schema.c point into. Units are SI, angles in degrees,
// everything in double; the world gets spReal. Lists are spList of the struct named beside them.

#pragma once

#include "scene/schema.h"

// Most of everything: a scene that asks for more is refused before memory is
#define SP_SCENE_MAX_OBJECTS 4096
#define SP_SCENE_MAX_INDICES 1000000
#define SP_SCENE_MAX_VERTICES 4000000
#define SP_SCENE_MAX_BYTES ((size_t)64 << 20)
#define SP_SCENE_MAX_STEPS 100000000

typedef struct spRotationData
{
    spObjectHead head;
    spDVec3 axis;
    double angle;
    spDVec3 euler;
} spRotationData;

typedef struct spPlacementData
{
    spObjectHead head;
    spDVec3 position;
    spRotationData rotation;
    spDVec3 scale; // bodies, and colliders made from a mesh
} spPlacementData;

typedef enum spGenerator
{
    sp_generateBox = 0,
    sp_generateBeam,
    sp_generateBall,
    sp_generateCylinder,
    sp_generateTorus,
    sp_generateCloth,
    sp_generateIcosphere,
    sp_generateDisc,
    sp_generateLattice,
    sp_generatorCount
} spGenerator;

typedef struct spMeshData
{
    spObjectHead head;
    const char *file, *fill;
    double fillSize, growth, sharp;
    bool repair;
    int generator; // spGenerator
    spDVec3 size;
    int cells[3];
    int split; // spCellSplit
    spDVec3 origin;
    double radius, height, tubeRadius;
    int resolution;
    double sizeX, sizeZ;
    int countX, countZ;
    bool shear, bend, alternate;
    int level, points, layers;
    double layerDistance;
    double spacing;
    int counts[3];
} spMeshData;

typedef struct spBoxData
{
    spObjectHead head;
    spDVec3 lower, upper;
} spBoxData;

typedef struct spSphereData
{
    spObjectHead head;
    spDVec3 center;
    double radius;
} spSphereData;

typedef struct spRodData
{
    spObjectHead head;
    spDVec3 a, b;
    double radius;
} spRodData;

typedef struct spEdgeData
{
    spObjectHead head;
    spDVec3 a, b;
} spEdgeData;

typedef struct spNearestData
{
    spObjectHead head;
    spDVec3 point;
    int count;
} spNearestData;

typedef struct spKeyframeData
{
    spObjectHead head;
    double time;
    spDVec3 position;
    spRotationData rotation;
} spKeyframeData;

typedef struct spSinusoidData
{
    spObjectHead head;
    spDVec3 axis;
    double amplitude, frequency, phase;
} spSinusoidData;

typedef struct spSpinData
{
    spObjectHead head;
    spDVec3 axis;
    double rate;
} spSpinData;

typedef struct spMotionData
{
    spObjectHead head;
    spList keyframes; // spKeyframeData
    bool loop, smooth;
    spSinusoidData sinusoid;
    spSpinData spin;
} spMotionData;

typedef struct spRegionData
{
    spObjectHead head;
    spList nodes; // int32_t; count -1 means all
    spBoxData box;
    spSphereData sphere;
    spNearestData nearest;
    spMotionData motion; // of pins alone
} spRegionData;

typedef enum spSpringEdges
{
    sp_edgesAll = 0,
    sp_edgesStructural,
    sp_edgesShear,
    sp_edgesBend,
} spSpringEdges;

typedef struct spActivationData
{
    spObjectHead head;
    double amplitude, frequency, phase;
} spActivationData;

typedef struct spSpringsData
{
    spObjectHead head;
    int edges;    // spSpringEdges
    spList pairs; // int32_t
    int law;      // spSpringLaw
    double stiffness, damping, dampingRatio, youngModulus, thickness, restScale;
    double strength; // N/m
    int tears;
    spActivationData activation;
} spSpringsData;

typedef struct spConstraintsData
{
    spObjectHead head;
    int type;     // spConstraintType
    int edges;    // spSpringEdges
    spList nodes; // int32_t
    spRegionData region;
    double compliance, damping, restScale;
} spConstraintsData;

typedef struct spConstraintChangeData
{
    spObjectHead head;
    double compliance, damping;
} spConstraintChangeData;

typedef struct spTetRegionData
{
    spObjectHead head;
    int region;
    const char* name;
    double youngModulus, poissonRatio, density;
} spTetRegionData;

typedef struct spTetsData
{
    spObjectHead head;
    int law; // spTetLaw
    double youngModulus, poissonRatio, lameLambda, lameMu, mooney, damping, dampingRatio;
    int dampingModel; // spTetDamping
    spList regions;   // spTetRegionData
    const char* field;
    double strength;
    int tears;
} spTetsData;

typedef struct spRelaxData
{
    spObjectHead head;
    bool active;
    double tolerance;
    int maxIterations;
    bool dynamic;
} spRelaxData;

typedef struct spTetChangeData
{
    spObjectHead head;
    double youngModulus, poissonRatio, damping, scale;
} spTetChangeData;

typedef struct spBreathingData
{
    spObjectHead head;
    double amplitude, frequency;
} spBreathingData;

typedef struct spGasData
{
    spObjectHead head;
    double knrt, restPressure;
    bool ambient;
    spBreathingData breathing;
    spList outline; // int32_t
} spGasData;

typedef struct spBendsData
{
    spObjectHead head;
    double stiffness, youngModulus, poissonRatio, thickness, damping;
    bool flat;
} spBendsData;

typedef struct spWindData
{
    spObjectHead head;
    spDVec3 velocity;
    double gustAmplitude, gustFrequency, density, normalDrag, tangentDrag;
    bool oneSided;
} spWindData;

typedef struct spFieldData
{
    spObjectHead head;
    int type; // spFieldType
    double coefficient;
    spDVec3 normal;
    double offset, minDistance, cutoff;
} spFieldData;

typedef enum spFilterNeighbours
{
    sp_neighboursAll = 0,
    sp_neighboursStructural,
    sp_neighboursShear,
} spFilterNeighbours;

typedef struct spFilterData
{
    spObjectHead head;
    int type;    // spFilterType
    int reading; // spFilterReading
    double lambda;
    int neighbours; // spFilterNeighbours
    spList pairs;   // int32_t, two for each edge
    bool adaptive, keepRotation, allowNegative;
} spFilterData;

typedef struct spSolverData
{
    spObjectHead head;
    int operatorType;   // spOperatorType
    int preconditioner; // spPreconditionerType
    double tolerance;
    int maxIterations, newtonSteps;
    double newtonTolerance;
    bool asynchronous, warp;
    int refresh, age;
    double dropTolerance;
} spSolverData;

typedef struct spXpbdData
{
    spObjectHead head;
    int solver;      // spXpbdSolver
    int accelerator; // spAccelerator
    int tetRows;     // spTetRows
    int order;       // spXpbdOrder
    int iterations;
    double relaxation;
    int window;
    double conditionLimit;
    bool safeguard;
    double radius;
    int delay;
} spXpbdData;

typedef struct spRefinementData
{
    spObjectHead head;
    int coupling; // spCoupling
    bool fixed;
    double splitError, mergeError, budget;
} spRefinementData;

typedef struct spMethodData
{
    spObjectHead head;
    int type;    // spMethodType
    int contact; // spContactMode
    int substeps, maxSubsteps;
    double safety;
    spFilterData filter;
    spSolverData solver;
    spXpbdData xpbd;
    spRefinementData refinement;
} spMethodData;

typedef struct spJointData
{
    spObjectHead head;
    int type; // spJointType less 1
    spDVec3 point, axis;
    double motorSpeed, motorLimit;
} spJointData;

typedef struct spBodyData
{
    spObjectHead head;
    const char* name;
    spMeshData mesh, surface;
    spList levels; // spMeshData
    spPlacementData transform;
    spDVec3 velocity, spin;
    const char* material;
    double density, nodeMass;
    spTetsData tets;
    spList springs;     // spSpringsData
    spList constraints; // spConstraintsData
    spBendsData bends;
    spGasData gas;
    spWindData wind;
    spList fields; // spFieldData
    spList pins;   // spRegionData
    spRelaxData relax;
    spMethodData method;
    double friction, restitution, contactRadius, gravityScale;
    double opacity;
    bool keepOrder;
    int nodeRoom;
    bool selfContact;
    spList group, touches; // int32_t
    spJointData joint;
} spBodyData;

typedef enum spTerrain
{
    sp_terrainFlat = 0,
    sp_terrainSlope,
    sp_terrainWaves,
    sp_terrainHills,
    sp_terrainSteps,
    sp_terrainCount
} spTerrain;

typedef struct spColliderData
{
    spObjectHead head;
    const char* name;
    int shape; // spShape
    spPlacementData transform;
    double radius, halfHeight;
    spDVec3 halfSize;
    spMeshData mesh;
    double thickness;
    int resolution;
    int terrain; // spTerrain
    double size, spacing, amplitude, wavelength;
    double friction, restitution;
    spList group, touches; // int32_t
    spMotionData motion;
} spColliderData;

typedef struct spPairData
{
    spObjectHead head;
    const char* body;
    const char* collider;
    const char* otherBody;
    int detector; // spDetector
    int cells;
    bool touch;
    double friction, restitution;
} spPairData;

typedef struct spAttachmentData
{
    spObjectHead head;
    const char* name;
    const char* body;
    spRegionData nodes;
    const char* collider;
    const char* otherBody;
    double stiffness, maxForce;
} spAttachmentData;

typedef enum spEventType
{
    sp_eventGrab = 0,
    sp_eventMove,
    sp_eventRelease,
    sp_eventSet,
    sp_eventForce,
    sp_eventPin,
    sp_eventFree,
    sp_eventPoke,
    sp_eventLift,
    sp_eventSave,
    sp_eventRestore,
    sp_eventDrive,
    sp_eventCut,
    sp_eventCarve,
    sp_eventTypeCount
} spEventType;

typedef struct spEventData
{
    spObjectHead head;
    double time;
    int type; // spEventType
    const char* name;
    const char* body;
    spRegionData nodes;
    double stiffness, maxForce; // grab: of a link; set: of springs
    const char* grab;
    spDVec3 offset;
    double duration;
    spDVec3 force;
    int index;
    double damping, youngModulus, knrt, coefficient, friction, restitution;
    spActivationData activation;
    double bendStiffness;
    spDVec3 wind;
    spTetChangeData tets;
    spConstraintChangeData constraints;
    spDVec3 gravity;
    double dt;
    spMethodData method;
    spDVec3 position; // of a sphere, or of a collider
    double radius;
    const char* collider;
    spRotationData rotation;
    spDVec3 velocity;
    bool smooth;
    double motorSpeed, motorLimit;
    spEdgeData from, to; // of a blade
    bool follows;
    spSphereData sphere; // to carve out
    spBoxData box;
    spRodData capsule;
} spEventData;

typedef enum spMeasurementType
{
    sp_measurePosition = 0,
    sp_measureVelocity,
    sp_measureEnergy,
    sp_measureVolume,
    sp_measurePressure,
    sp_measureHeight,
    sp_measureContactForce,
    sp_measurePinForce,
    sp_measureLinkForce,
    sp_measureMomentum,
    sp_measureAngularMomentum,
    sp_measureStableStep,
    sp_measureVonMises,
    sp_measureStrain,
    sp_measureInverted,
    sp_measureFlat,
    sp_measureIterations,
    sp_measureResidual,
    sp_measureContactTorque,
    sp_measureContactCount,
    sp_measureContactPressure,
    sp_measureContactDepth,
    sp_measureContactSlip,
    sp_measureJointForce,
    sp_measureJointTorque,
    sp_measureJointPosition,
    sp_measureMotor,
    sp_measureIntersections,
    sp_measureSleeping,
    sp_measurePieces,
    sp_measureOverlap,
    sp_measureActiveNodes,
    sp_measureEvaluations,
    sp_measureLoad,
    sp_measurementTypeCount
} spMeasurementType;

typedef enum spComponent
{
    sp_componentX = 0,
    sp_componentY,
    sp_componentZ,
    sp_componentMagnitude,
} spComponent;

typedef enum spEnergyPart
{
    sp_energyTotal = 0,
    sp_energyKinetic,
    sp_energyElastic,
    sp_energyPotential,
} spEnergyPart;

// What becomes of many numbers
typedef enum spSummary
{
    sp_summaryMean = 0,
    sp_summaryMin,
    sp_summaryMax,
} spSummary;

typedef struct spMeasurementData
{
    spObjectHead head;
    const char* name;
    int type; // spMeasurementType
    const char* body;
    const char* collider;
    const char* otherBody;
    const char* otherCollider;
    const char* link;
    int node;
    spDVec3 point;
    int component; // spComponent
    int part;      // spEnergyPart
    int of;        // spSummary
} spMeasurementData;

typedef struct spCameraData
{
    spObjectHead head;
    spDVec3 position, target, up;
    double fieldOfView;
} spCameraData;

typedef struct spPictureData
{
    spObjectHead head;
    int width, height;
    int colour; // spPictureColor
    double range[2];
    double opacity;
    bool flat;
    spCameraData camera;
} spPictureData;

typedef struct spOutputData
{
    spObjectHead head;
    double frameRate;
    bool contacts;
    spPictureData picture;
} spOutputData;

typedef struct spSceneData
{
    spObjectHead head;
    int version;
    const char* name;
    const char* description;
    spDVec3 gravity;
    double dt; // 0 means automatic
    double duration;
    int threads;
    double restitutionThreshold;
    bool bodyContacts;
    int guarantee; // spGuarantee
    int detector;  // spDetector
    bool countIntersections;
    double sleepSpeed;
    spList bodies;       // spBodyData
    spList colliders;    // spColliderData
    spList pairs;        // spPairData
    spList attachments;  // spAttachmentData
    spList events;       // spEventData
    spList measurements; // spMeasurementData
    spOutputData output;
} spSceneData;
