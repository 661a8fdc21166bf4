// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What acts on the nodes of a body: springs, solid tetrahedra, gas, and fields from outside. Each call that
// adds something returns the number of the new element set in the body, by which it can be changed later.

#pragma once

#include "souple/body.h"

SP_EXTERN_C_BEGIN

/// How a spring pulls.
typedef enum spSpringLaw
{
    sp_springHooke = 0,    ///< force = stiffness * (l - l0); stiffness in N/m
    sp_springNormalised,   ///< force = stiffness * (l - l0) / l0; stiffness in N: the same for any spring
                           ///< length
    sp_springTension,      ///< as Hooke, but nothing when shorter than l0: a thread
    sp_springProportional, ///< force = stiffness * l0 * (l - l0); stiffness in N/m^2: long springs are
                           ///< stiffer
    sp_springLawCount      ///< number of laws
} spSpringLaw;

/// Springs with dampers. Start from spDefaultSpringDef.
typedef struct spSpringDef
{
    const int32_t* edges;      ///< pairs of nodes; NULL means every edge of the mesh (spMesh_CollectEdges)
    int edgeCount;             ///< number of pairs; ignored when edges is NULL
    spSpringLaw law;           ///< how they pull
    spReal stiffness;          ///< N/m, N for the normalised law, N/m^2 for the proportional one, >= 0
    const spReal* stiffnesses; ///< one for each spring, instead; may be NULL
    spReal youngModulus; ///< Pa; > 0 replaces stiffness: k = E * (volume around the edge) / l0^2, after Van
        ///< Gelder 1998. Approximate, and with Poisson's ratio near 1/4 whatever the material
    spReal thickness; ///< of a sheet without tets, m; only used with youngModulus
    spReal damping;   ///< along the spring, N s/m; negative means from dampingRatio
    spReal
        dampingRatio; ///< share of critical damping that the slowest vibration of a body of that size gets, >= 0: the
                      ///< same for any resolution. Only used where damping is negative
    const spReal* restLengths;  ///< m; NULL means the present lengths
    spReal restScale;           ///< factor on every rest length, > 0; 1 means stress-free as placed
    spReal activationAmplitude; ///< muscles: every rest length is multiplied by 1 + amplitude * sin(2 pi
                                ///< frequency t + phase), -1 < amplitude < 1; 0 means a plain spring
    spReal activationFrequency; ///< Hz, >= 0
    spReal activationPhase;     ///< degrees
    int internalValue;          ///< set by spDefaultSpringDef
} spSpringDef;

/// @return Hooke, stiffness 1000 N/m, damping ratio 0.005, every edge of the mesh.
SP_API spSpringDef spDefaultSpringDef(void);

/// Adds springs.
/// @return the number of the element set in the body, or -1.
SP_API int spBody_AddSprings(spWorld* world, spBodyId body, const spSpringDef* def);

/// Changes stiffness (N/m, N or N/m^2, as at creation) and damping (N s/m, negative leaves it) of every spring of a set.
SP_API bool spBody_SetSprings(spWorld* world, spBodyId body, int set, spReal stiffness, spReal damping);
/// Reads what spBody_SetSprings sets; either may be NULL. @return false, with both as they were, when the set
/// has no springs or not all of them have the same.
SP_API bool spBody_GetSprings(const spWorld* world, spBodyId body, int set, spReal* stiffness,
                              spReal* damping);

/// Changes Young's modulus (Pa, > 0) and damping (N s/m, negative leaves it) of springs that got their stiffness from
/// one.
/// @return false, with nothing changed, when they were given another way.
SP_API bool spBody_SetSpringModulus(spWorld* world, spBodyId body, int set, spReal youngModulus,
                                    spReal damping);
/// Reads them; either may be NULL. @return false, with both as they were, when the set has no springs or
/// their stiffness does not come from Young's modulus, or not any more.
SP_API bool spBody_GetSpringModulus(const spWorld* world, spBodyId body, int set, spReal* youngModulus,
                                    spReal* damping);

/// Changes the activation of a set of springs: amplitude in (-1, 1), frequency in Hz, phase in degrees. Time
/// counts from the start of the world; amplitude 0 makes them plain springs again.
SP_API bool spBody_SetActivation(spWorld* world, spBodyId body, int set, spReal amplitude, spReal frequency,
                                 spReal phase);

/// How a tetrahedron answers to its deformation. All but the hybrid agree for small strains; mu and lambda
/// are Lame's constants. A law that restores brings back an element that was pressed flat or turned inside
/// out.
typedef enum spTetLaw
{
    sp_tetLinear = 0,       ///< small strain (Cauchy): cheapest; wrong when anything turns by more than a few
                            ///< degrees. Restores
    sp_tetCorotational,     ///< small strain in a frame that turns with the element, from the polar
                            ///< decomposition: the default. Restores
    sp_tetCorotationalEdge, ///< the same with the frame of two edges: cheaper, has a torque of its own. An
                            ///< inverted element may stay inverted
    sp_tetStVenantKirchhoff, ///< Green-Lagrange strain: right for large turns, gives way under strong
                             ///< pressure (below 0.58 of the length). An inverted element stays inverted
    sp_tetHybrid,     ///< Debunne's edge operator: as linear, but free surfaces are stiffer, for comparison.
                      ///< Restores
    sp_tetNeoHookean, ///< stable neo-Hookean (Smith 2018): rubber and tissue at large strain. Restores
    sp_tetMooneyRivlin, ///< Mooney-Rivlin in a form that is finite for any deformation. Restores
    sp_tetLawCount      ///< number of laws
} spTetLaw;

/// @return whether elements of this law come back after they were pressed flat or turned inside out.
SP_API bool spTetLawRestores(spTetLaw law);

/// @return name of a law as scene files write it; "" for none.
SP_API const char* spGetTetLawName(spTetLaw law);

/// How a tetrahedron loses energy. Both are the damping time beta of the definition times a stiffness.
typedef enum spTetDamping
{
    sp_dampStrainRate = 0, ///< viscous stress from the rate of the strain: rigid motion is not damped
    sp_dampRayleigh,       ///< beta times the stiffness matrix, Rayleigh's; its mass term is the field
                           ///< sp_fieldMassDrag
    sp_tetDampingCount     ///< number of models
} spTetDamping;

/// Solid tetrahedra, stress-free as placed. Start from spDefaultTetDef.
typedef struct spTetDef
{
    const int32_t* tets;         ///< four nodes each, upright; NULL means the tets of the mesh
    int tetCount;                ///< number of tets; ignored when tets is NULL
    spTetLaw law;                ///< how they answer to deformation
    spReal youngModulus;         ///< Pa, > 0
    spReal poissonRatio;         ///< -1 < nu < 0.5, non-dimensional
    spReal lameLambda;           ///< Pa; with lameMu instead of Young's modulus and Poisson's ratio
    spReal lameMu;               ///< Pa; > 0 replaces youngModulus and poissonRatio
    const spReal* youngModuli;   ///< one for each tet, Pa, instead; may be NULL
    const spReal* poissonRatios; ///< one for each tet, instead; may be NULL
    const int32_t*
        regions;    ///< region of each tet (spMesh_GetTetRegions), for drawing; NULL means 0 everywhere
    spReal mooney;  ///< Mooney-Rivlin: share of the second constant in mu, 2 c2 / mu, 0..1; 0 is neo-Hookean
    spReal damping; ///< damping time beta, s: viscous over elastic moduli; negative means from dampingRatio
    spReal
        dampingRatio; ///< share of critical damping that the slowest vibration of a body of that size gets, >= 0: the
                      ///< same for any resolution. Only used where damping is negative
    spTetDamping dampingModel; ///< what it multiplies
    int internalValue;         ///< set by spDefaultTetDef
} spTetDef;

/// @return corotational, Young's modulus 1e5 Pa, Poisson's ratio 0.4, the tets of the mesh, no damping; where damping is
/// made negative the ratio is 0.005, as in scenes.
SP_API spTetDef spDefaultTetDef(void);

/// Adds tetrahedra.
/// @return the number of the element set in the body, or -1: every tet must be upright and not flat.
SP_API int spBody_AddTets(spWorld* world, spBodyId body, const spTetDef* def);

/// Changes Young's modulus (Pa), Poisson's ratio and the damping time (s, negative leaves it) of every tet of a set.
SP_API bool spBody_SetTets(spWorld* world, spBodyId body, int set, spReal youngModulus, spReal poissonRatio,
                           spReal damping);
/// Multiplies Young's modulus of every tet of a set, whatever each has: several materials stay several.
/// @param factor above 0; moduli must stay between 1e-30 and 1e30 Pa
SP_API bool spBody_ScaleTets(spWorld* world, spBodyId body, int set, spReal factor);
/// Reads what spBody_SetTets sets; each may be NULL. @return false, with all as they were, when the set has
/// no tets or they are of several materials.
SP_API bool spBody_GetTets(const spWorld* world, spBodyId body, int set, spReal* youngModulus,
                           spReal* poissonRatio, spReal* damping);

/// @return number of tets of a set; 0 when the set has none.
SP_API int spBody_GetTetCount(const spWorld* world, spBodyId body, int set);

/// Copies the tets of a set, four node numbers each, in the order in which they were given.
/// @return how many tets were written, at most capacity.
SP_API int spBody_CopyTets(const spWorld* world, spBodyId body, int set, int32_t* tets, int capacity);

/// @return the law of the tets of a set; sp_tetLawCount when the set has none.
SP_API spTetLaw spBody_GetTetLaw(const spWorld* world, spBodyId body, int set);

/// @return number of element sets of a body: they are numbered from 0.
SP_API int spBody_GetSetCount(const spWorld* world, spBodyId body);

/// Volume over rest volume, inside out or not, below which a tet counts as flat. Cauchy's stress P F^T / J grows
/// without limit as J comes to 0; it is reported with J no smaller than this, so that flat tets do not rule the
/// largest stress of a body.
#define SP_FLAT_VOLUME_RATIO ((spReal)0.1)

/// What a tetrahedron feels.
typedef struct spTetState
{
    spVec3
        principalStress; ///< eigenvalues of Cauchy's stress, largest first, Pa; without damping. Of a flat tet
                         ///< (#SP_FLAT_VOLUME_RATIO) Kirchhoff's stress over that ratio
    spVec3 principalStrain; ///< eigenvalues of the Green-Lagrange strain, largest first; of the small strain
                            ///< for the laws linear and hybrid
    spReal vonMises;        ///< von Mises equivalent of the stress, Pa
    spReal volumeRatio;     ///< volume over rest volume; negative when inside out
} spTetState;

/// Computes the states of the tets of a set, in the order in which they were given.
/// @return how many were written, at most capacity; 0 when the set has no tets.
SP_API int spBody_CopyTetStates(const spWorld* world, spBodyId body, int set, spTetState* states,
                                int capacity);

/// Computes the von Mises stress of the tets of a set, Pa, in the order in which they were given: that of
/// spTetState, some fifty times as fast. @return how many were written; 0 when the set has no tets or capacity
/// is smaller than the number of tets that were given.
SP_API int spBody_CopyTetStress(const spWorld* world, spBodyId body, int set, spReal* stress, int capacity);

/// Computes von Mises stress at the nodes, Pa: the mean of the tets around each, weighted by rest volume. For
/// drawing. @return the number of nodes; 0 when the body has no tets or capacity is smaller.
SP_API int spBody_CopyNodeStress(const spWorld* world, spBodyId body, spReal* stress, int capacity);

/// Computes an equivalent strain at the nodes, non-dimensional, for drawing. With tets: von Mises's, the root
/// of 2/3 e:e, e the deviator of the Green-Lagrange strain (of the small strain for the laws linear and
/// hybrid), the mean of the tets around each node, weighted by rest volume: the stretch of something
/// incompressible that is pulled one way. Otherwise |length / rest length - 1|, the mean over the springs and
/// kept distances around each node. @return the number of nodes; 0 when the body has none of these or
/// capacity is smaller.
SP_API int spBody_CopyNodeStrain(const spWorld* world, spBodyId body, spReal* strain, int capacity);

/// Computes Young's modulus at the nodes, Pa: the mean of the tets around each, weighted by rest volume. For drawing.
/// @return the number of nodes; 0 when the body has no tets, is rigid, or capacity is smaller.
SP_API int spBody_CopyNodeModulus(const spWorld* world, spBodyId body, spReal* modulus, int capacity);

/// Copies the largest number of the regions (spTetDef.regions) that the tets around each node lie in: the least of the three at a
/// triangle is then that of its tet. For drawing.
/// @return the number of nodes; 0 when the body has no tets, all of them are in region 0, it is rigid, or capacity is smaller.
SP_API int spBody_CopyNodeRegions(const spWorld* world, spBodyId body, spReal* regions, int capacity);

/// @return number of tets of all sets of a body that are inside out, or have no volume at all.
SP_API int spBody_CountInvertedTets(const spWorld* world, spBodyId body);

/// @return number of tets of all sets of a body that are flat, inside out or not: less volume than
/// #SP_FLAT_VOLUME_RATIO of that at rest. Their stress is reported with a limit.
SP_API int spBody_CountFlatTets(const spWorld* world, spBodyId body);

/// What a constraint keeps. Each has an energy of value^2 / (2 compliance), so that compliance is a physical
/// number that does not depend on time step and sweeps; 0 keeps it exactly.
typedef enum spConstraintType
{
    sp_constraintDistance = 0, ///< distance of two nodes, m. Compliance in m/N: one over the stiffness
    sp_constraintTether,       ///< the same, but only against growing: a long-range tether
    sp_constraintArea,         ///< area of a triangle of three nodes: (A - A0) / A0. Compliance in m/N for a
                               ///< square metre: energy = A0 ((A - A0) / A0)^2 / (2 compliance)
    sp_constraintVolume,       ///< volume of a tetrahedron of four nodes: energy = V0 ((V - V0) / V0)^2 / (2
                               ///< compliance), compliance in 1/Pa: one over the bulk modulus
    sp_constraintBodyVolume,   ///< the same of the whole volume inside the closed surface of the body
    sp_constraintTypeCount     ///< number of types
} spConstraintType;

/// Constraints between nodes. Only the method sp_xpbd moves bodies that have them. Start from
/// spDefaultConstraintDef.
typedef struct spConstraintDef
{
    spConstraintType type; ///< what is kept
    const int32_t* nodes;  ///< two, three or four nodes for each constraint; NULL means every edge, triangle
                           ///< or tet of the mesh; for tethers, from every free node to the nearest fixed
                           ///< one along the edges of the mesh; not used for the whole volume
    int count;             ///< number of constraints; ignored when nodes is NULL
    spReal compliance;     ///< m/N, m/N or 1/Pa, >= 0; 0 keeps it exactly
    spReal damping;        ///< against changes, as a time: viscous over elastic modulus, s, >= 0; without
                           ///< effect where compliance is 0
    const spReal* rest;    ///< rest value of each, m, m^2, m^3; NULL means the present ones
    spReal restScale;      ///< factor on every rest value, > 0
    int internalValue;     ///< set by spDefaultConstraintDef
} spConstraintDef;

/// @return distance, compliance 0, no damping, every edge of the mesh, present rest values.
SP_API spConstraintDef spDefaultConstraintDef(void);

/// Adds constraints.
/// @return the number of the element set in the body, or -1: the method of the body must be sp_xpbd.
SP_API int spBody_AddConstraints(spWorld* world, spBodyId body, const spConstraintDef* def);

/// Changes compliance and damping time (s) of every constraint of a set.
SP_API bool spBody_SetConstraints(spWorld* world, spBodyId body, int set, spReal compliance, spReal damping);
/// Reads what spBody_SetConstraints sets; either may be NULL. @return false, with both as they were, when the
/// set has no constraints.
SP_API bool spBody_GetConstraints(const spWorld* world, spBodyId body, int set, spReal* compliance,
                                  spReal* damping);

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

/// @return rest pressure 1000 Pa, the same from outside, no breathing, the surface of the mesh.
SP_API spGasDef spDefaultGasDef(void);

/// Adds gas.
/// @return the number of the element set in the body, or -1: the surface must be closed and enclose a
/// positive volume.
SP_API int spBody_AddGas(spWorld* world, spBodyId body, const spGasDef* def);

/// Changes n R T of a gas, J (J/m in 2D), > 0.
SP_API bool spBody_SetGas(spWorld* world, spBodyId body, int set, spReal knrt);
/// @return n R T of a gas without its breath, J (J/m in 2D); 0 when the set is not a gas.
SP_API double spBody_GetGas(const spWorld* world, spBodyId body, int set);

/// @return pressure of a gas now, Pa (N/m in 2D); 0 when the set is not a gas.
SP_API double spBody_GetPressure(const spWorld* world, spBodyId body, int set);

/// Resistance of a surface to bending, over every edge that two triangles of the surface of the body share:
/// energy = stiffness * (3 l0^2 / A) * (angle - rest angle)^2 / 2, l0 the length of the edge at rest and A
/// the area of both triangles. Start from spDefaultBendDef.
typedef struct spBendDef
{
    spReal stiffness;    ///< J (N m), >= 0; a third of the stiffness E t^3 / (12 (1 - nu^2)) of a plate, see
                         ///< docs/cloth.md
    spReal youngModulus; ///< Pa; > 0 replaces stiffness by E t^3 / (36 (1 - nu^2))
    spReal poissonRatio; ///< -1 < nu <= 0.5; only used with youngModulus
    spReal thickness;    ///< of the sheet, m, > 0; only used with youngModulus
    spReal damping;      ///< against changes of the angle, weighted as the stiffness, J s, >= 0
    bool flat;           ///< bends back to a plane; false means to the present shape
    int internalValue;   ///< set by spDefaultBendDef
} spBendDef;

/// @return stiffness 1e-4 J, damping 1e-6 J s, the present shape as rest: a cotton cloth.
SP_API spBendDef spDefaultBendDef(void);

/// Adds resistance to bending. Edges with one triangle, or with more than two, do not bend.
/// @return the number of the element set in the body, or -1: the body must have triangles.
SP_API int spBody_AddBends(spWorld* world, spBodyId body, const spBendDef* def);

/// Changes stiffness (J) and damping (J s) of the bending of a body.
SP_API bool spBody_SetBends(spWorld* world, spBodyId body, int set, spReal stiffness, spReal damping);
/// Reads what spBody_SetBends sets; either may be NULL. @return false, with both as they were, when the set
/// is no bending.
SP_API bool spBody_GetBends(const spWorld* world, spBodyId body, int set, spReal* stiffness, spReal* damping);

/// Wind, and the drag of air or water, on the triangles of the surface of a body. With w the velocity of the
/// fluid relative to a triangle of area A and normal n, and t = w - (w.n) n:
/// `force = density / 2 * A * (normalDrag * |w.n| (w.n) n + tangentDrag * |t| t)`. Start from
/// spDefaultWindDef.
typedef struct spWindDef
{
    spVec3 velocity;      ///< of the fluid, m/s
    spReal gustAmplitude; ///< velocity is multiplied by 1 + amplitude * sin(2 pi frequency t), >= 0
    spReal gustFrequency; ///< Hz, >= 0
    spReal density;       ///< of the fluid, kg/m^3, >= 0: 1.2 for air, 1000 for water
    spReal normalDrag;    ///< drag coefficient across the surface, >= 0
    spReal tangentDrag;   ///< drag coefficient along the surface, >= 0
    bool oneSided;        ///< only triangles that move outwards through the fluid feel it: for closed bodies
    int internalValue;    ///< set by spDefaultWindDef
} spWindDef;

/// @return still air: density 1.2 kg/m^3, drag 1 across and 0.05 along the surface, both sides.
SP_API spWindDef spDefaultWindDef(void);

/// Adds wind.
/// @return the number of the element set in the body, or -1: the body must have triangles.
SP_API int spBody_AddWind(spWorld* world, spBodyId body, const spWindDef* def);

/// Changes the velocity of the wind, m/s.
SP_API bool spBody_SetWind(spWorld* world, spBodyId body, int set, spVec3 velocity);
/// @return velocity of the wind without its gusts, m/s; 0 when the set is no wind.
SP_API spVec3 spBody_GetWind(const spWorld* world, spBodyId body, int set);

/// An outside force on every node.
typedef enum spFieldType
{
    sp_fieldDrag = 0,        ///< -coefficient * v, coefficient in kg/s
    sp_fieldRepulsiveGround, ///< coefficient / d^2 along the normal, coefficient in N m^2: the slides'
                             ///< magnetic ground
    sp_fieldMassDrag,        ///< -coefficient * mass * v, coefficient in 1/s: Rayleigh's mass term
    sp_fieldCoherence, ///< coefficient * (u - v), u the mean velocity by mass of the nodes that share an
                       ///< edge with the node, coefficient in kg/s; nothing where it would make the node
                       ///< faster or turn it round, after Debunne 2000
    sp_fieldTypeCount  ///< number of fields
} spFieldType;

/// A field. Start from spDefaultFieldDef.
typedef struct spFieldDef
{
    spFieldType type;   ///< which one
    spReal coefficient; ///< kg/s for drag and coherence; 1/s for mass drag; N m^2 for the ground; >= 0
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

/// Changes the coefficient of a field (kg/s, 1/s or N m^2, as at creation).
SP_API bool spBody_SetField(spWorld* world, spBodyId body, int set, spReal coefficient);
/// @return coefficient of a field (kg/s, 1/s or N m^2, as at creation); 0 when the set is no field.
SP_API spReal spBody_GetField(const spWorld* world, spBodyId body, int set);

SP_EXTERN_C_END
