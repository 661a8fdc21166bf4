// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What acts on the nodes of a body: springs, gas, and fields from outside. Each call that adds something
// returns the number of the new element set in the body, by which it can be changed later.

#pragma once

#include "souple/body.h"

SP_EXTERN_C_BEGIN

/// How a spring pulls.
typedef enum spSpringLaw
{
    sp_springHooke = 0,  ///< force = stiffness * (l - l0); stiffness in N/m
    sp_springNormalised, ///< force = stiffness * (l - l0) / l0; stiffness in N: the same for any spring
                         ///< length
    sp_springTension,    ///< as Hooke, but nothing when shorter than l0: a thread
    sp_springLawCount    ///< number of laws
} spSpringLaw;

/// Springs with dampers. Start from spDefaultSpringDef.
typedef struct spSpringDef
{
    const int32_t* edges;      ///< pairs of nodes; NULL means every edge of the mesh (spMesh_CollectEdges)
    int edgeCount;             ///< number of pairs; ignored when edges is NULL
    spSpringLaw law;           ///< how they pull
    spReal stiffness;          ///< N/m, or N for the normalised law, >= 0
    const spReal* stiffnesses; ///< one for each spring, instead; may be NULL
    spReal
        youngModulus; ///< Pa; > 0 replaces stiffness: k = E * (volume around the edge) / l0^2, after Van
                      ///< Gelder 1998. Approximate, and with Poisson's ratio near 1/4 whatever the material
    spReal thickness; ///< of a sheet without tets, m; only used with youngModulus
    spReal damping;   ///< along the spring, N s/m, >= 0
    const spReal* restLengths; ///< m; NULL means the present lengths
    spReal restScale;          ///< factor on every rest length, > 0; 1 means stress-free as placed
    int internalValue;         ///< set by spDefaultSpringDef
} spSpringDef;

/// @return Hooke, stiffness 1000 N/m, damping 1 N s/m, every edge of the mesh.
SP_API spSpringDef spDefaultSpringDef(void);

/// Adds springs.
/// @return the number of the element set in the body, or -1.
SP_API int spBody_AddSprings(spWorld* world, spBodyId body, const spSpringDef* def);

/// Changes stiffness (N/m or N, as at creation) and damping (N s/m) of every spring of a set.
SP_API bool spBody_SetSprings(spWorld* world, spBodyId body, int set, spReal stiffness, spReal damping);

/// Ideal gas inside a closed surface of the body (3D) or inside an outline in the xy plane (2D, per metre of
/// depth): pressure = knrt / volume. Start from spDefaultGasDef.
typedef struct spGasDef
{
    const int32_t* triangles; ///< closed surface, wound outwards; NULL means the surface of the mesh
    int triangleCount;        ///< number of triangles; ignored when triangles is NULL
    const int32_t* outline;   ///< nodes of a closed outline, counter-clockwise in the xy plane: makes it 2D
    int outlineCount;         ///< number of nodes of the outline; 0 means 3D
    spReal knrt;              ///< n R T: J in 3D, J/m in 2D; > 0
    spReal restPressure;      ///< Pa (N/m in 2D); > 0 replaces knrt by restPressure * present volume
    bool ambient;             ///< the same pressure acts from outside as now inside: stress-free as placed
    spReal
        breathAmplitude; ///< knrt is multiplied by 1 + amplitude * sin(2 pi frequency t), 0 <= amplitude < 1
    spReal breathFrequency; ///< Hz
    int internalValue;      ///< set by spDefaultGasDef
} spGasDef;

/// @return rest pressure 1000 Pa, no ambient pressure, no breathing, the surface of the mesh.
SP_API spGasDef spDefaultGasDef(void);

/// Adds gas.
/// @return the number of the element set in the body, or -1: the surface must be closed and enclose a
/// positive volume.
SP_API int spBody_AddGas(spWorld* world, spBodyId body, const spGasDef* def);

/// Changes n R T of a gas, J (J/m in 2D), > 0.
SP_API bool spBody_SetGas(spWorld* world, spBodyId body, int set, spReal knrt);

/// @return pressure of a gas now, Pa (N/m in 2D); 0 when the set is not a gas.
SP_API double spBody_GetPressure(const spWorld* world, spBodyId body, int set);

/// An outside force on every node.
typedef enum spFieldType
{
    sp_fieldDrag = 0,        ///< -coefficient * v, coefficient in kg/s
    sp_fieldRepulsiveGround, ///< coefficient / d^2 along the normal, coefficient in N m^2: the slides'
                             ///< magnetic ground
    sp_fieldTypeCount        ///< number of fields
} spFieldType;

/// A field. Start from spDefaultFieldDef.
typedef struct spFieldDef
{
    spFieldType type;   ///< which one
    spReal coefficient; ///< kg/s for drag; N m^2 for the repulsive ground; >= 0
    spVec3 normal;      ///< ground: direction away from it, unit length
    spReal offset;      ///< ground: normal . x of its surface, m
    spReal minDistance; ///< ground: distances below this count as this, which bounds the force, m, > 0
    spReal
        cutoff; ///< ground: no force beyond this distance; the whole force is lowered by its value there, m
    int internalValue; ///< set by spDefaultFieldDef
} spFieldDef;

/// @return drag of 0.1 kg/s; for the ground: normal (0, 1, 0) at height 0, from 1e-4 m to 10 m.
SP_API spFieldDef spDefaultFieldDef(void);

/// Adds a field to a body.
/// @return the number of the element set in the body, or -1.
SP_API int spBody_AddField(spWorld* world, spBodyId body, const spFieldDef* def);

/// Changes the coefficient of a field (kg/s or N m^2, as at creation).
SP_API bool spBody_SetField(spWorld* world, spBodyId body, int set, spReal coefficient);

SP_EXTERN_C_END
