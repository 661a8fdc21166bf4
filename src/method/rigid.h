// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// A rigid body: the state of the method sp_rigid, shared by its files.
//
//   rigid.c        the method: state and nodes, loads, the substep, what it lends to rows between bodies
//   rigid_turn.c   rotation without torque, and small matrices
//   rigid_yield.c  how the body gives way to impulses, held nodes included, and the way back to them
//   rigid_joint.c  joints to the world, their motors and what they exert
//   rigid_rows.c   contacts with colliders, and holds
//
// A motion has six numbers: the velocity of the centre and the spin, or a displacement and a small rotation.
// So has an impulse: linear, and angular about the centre. All in world axes, in double.

#pragma once

#include "method/method.h"

// What moves
typedef struct spRigidState
{
    double centre[3];   // of mass, m
    double turn[4];     // orientation, a unit quaternion x y z w: from the shape to the world
    double velocity[3]; // of the centre, m/s
    double momentum[3]; // angular, about the centre, kg m^2/s
    double driven;      // speed of the joint when its motor had pushed, m/s or rad/s; not finite: not known
    double pushed;      // by the motor in this step, N s or N m s
    double exerted[6];  // by joint and pins in this step, about the point of the joint, N s and N m s
} spRigidState;

// Inertia in the axes of the shape, by rows. A line has none about itself, a point none at all: what cannot
// be turned has an inverse of 0.
typedef struct spRigidMass
{
    double mass;       // kg
    double inertia[9]; // kg m^2
    double inverse[9];
    double root[9]; // of the inverse
    double size;    // radius of gyration, m
} spRigidMass;

// How the body gives way where it is now
typedef struct spRigidYield
{
    double p[6][6];       // motion for an impulse
    double rotation[9];   // of the body
    double inertia[9];    // in the world
    double root[9];       // of its inverse
    double lightness;     // 1 / sqrt(mass)
    bool held;            // some nodes are
    double vectors[6][6]; // directions, in coordinates in which the mass is 1
    double stiffness[6];  // of held nodes along them; 0 along those that are free
} spRigidYield;

// A row while it is solved
typedef struct spRigidRow
{
    double arm[3];    // of its node, from the centre
    double target[3]; // velocity of the node that leaves nothing to do
    spVec3 total;     // N s
    spMat3 w;         // compliance, 1/kg
    spReal soft;      // of a hold, over h^2
    spReal most;      // that a hold may give, N s; 0 for no limit
    bool active;
    bool working; // takes part in sweeps
    bool bounces;
    spReal impact; // speed along the normal with which a contact was reached, negative, m/s
    spVec3 moved;  // impulse on the displacement, N s
} spRigidRow;

typedef struct spRigid
{
    spRigidState now;
    spRigidState begin; // of the slice, to take it again
    spRigidMass mass;
    double anchor[3];  // of the joint: its point in the shape, m
    double upright[4]; // its turn when the joint was made
    double push;       // of its motor in the last slice, N s or N m s
    double* shape;     // nodes from the centre, in axes of the shape, three numbers each
    bool known;        // there is a shape
    bool measured;     // and mass is up to date with it
    bool failed;       // no memory in begin
    spRigidRow* rows;
    int rowCapacity;
} spRigid;

// A substep while it is taken
typedef struct spRigidStep
{
    spBody* body;
    spRigid* rigid;
    const spAdvanceContext* context;
    double h;
    double share; // of the loads that act before the motion: 1/2, or 1 where rows with other bodies look on
    spReal fraction; // of the step at the end
    double start[6]; // motion at the start, loads not yet counted
    spRigidYield yield;
    int sweeps;
    bool unsolved;
    double given[6];     // impulse of loads and rows, about the centre, N s and N m s
    double heldDistance; // that held nodes are from where they should be, m
} spRigidStep;

// ---- small vectors and matrices, by rows ----

void spCrossD(double c[3], const double a[3], const double b[3]);
void spMulD(double c[3], const double a[9], const double b[3]);
void spMulTD(double c[3], const double a[9], const double b[3]);
// R A R^T
void spTurnMatrixD(double c[9], const double r[9], const double a[9]);
void spMatrixFromTurn(double r[9], const double turn[4]);
// The rotation vector that leads from one turn to another
void spGetTurnBetween(const double from[4], const double to[4], double angle[3]);
// Eigenvectors, as columns, and eigenvalues of a symmetric matrix of n <= 6, which is destroyed
void spDiagonalize(int n, double* a, double* vectors, double* values);

// ---- rotation ----

// Turns a body with this angular momentum over h: momentum and energy stay
void spTurnFreely(const spRigidMass* mass, const double momentum[3], double h, double turn[4]);
// Turns by a rotation vector
void spTurnBy(double turn[4], const double angle[3]);

// ---- motion ----

void spGetMotion(const spRigidYield* yield, const spRigidMass* mass, const spRigidState* state, double u[6]);
void spSetMotion(const spRigidYield* yield, spRigidState* state, const double u[6]);
// Moves the body over h, with nothing in its way
void spMoveRigid(const spRigidMass* mass, spRigidState* state, const double velocity[3],
                 const double momentum[3], double h);
// Velocity at an arm
void spGetArmVelocity(const double u[6], const double arm[3], double v[3]);
// The arm of a node of the shape
void spGetArm(const spRigid* rigid, const double rotation[9], int node, double arm[3]);

// ---- yield ----

// Whether pins or a joint hold the body
static inline bool spIsHeld(const spBody* body)
{
    return body->heldCount > 0 || body->joint.type != sp_jointNone;
}

spRigidYield spFindYield(const spBody* body, const spRigid* rigid);
// Takes from a motion what held nodes do not take part in. rate > 0: they come to where they should be in
// 1 / rate
void spKeepHeldMotion(const spBody* body, const spRigid* rigid, const spRigidYield* yield, double rate,
                      double u[6]);
// Adds the move that brings the body to its held nodes, to first order, pushed at where the yield was found.
// Returns how far they are, m.
double spFindHeldMove(const spBody* body, const spRigid* rigid, const spRigidYield* yield, double move[6]);
// Moves the body to its held nodes. Returns the distance that is left, m.
double spReachHeldNodes(const spBody* body, spRigid* rigid);
// Adds J^T f at an arm
void spAddAt(double sum[6], const double arm[3], double weight, const double f[3]);
void spAddYield(const spRigidYield* yield, const double arm[3], double weight, const double p[3],
                double u[6]);
// Velocity at one arm for an impulse at another; weights of the points beside them
spMat3 spGetYieldAt(const spRigidYield* yield, const double a[3], double weightA, const double b[3],
                    double weightB);

// ---- joint ----

// A direction in which a joint holds the body: what it asks of a motion is zero
typedef struct spJointRow
{
    double j[6];
    double gap; // that the body is off in it, m
} spJointRow;

#define SP_MAX_JOINT_ROWS 5

// The rows of the joint with the body turned by one rotation, and its gaps with another. Returns their number.
int spGetJointRows(const spBody* body, const spRigid* rigid, const double rotation[9],
                   const double gapRotation[9], spJointRow rows[SP_MAX_JOINT_ROWS]);
// Takes the body as it stands for what a new joint holds
void spTakeJoint(spBody* body, spRigid* rigid);
bool spHasMotor(const spBody* body);
// Adds what the motor does in h to a motion that follows the joint
void spDriveMotor(spRigidStep* s, double u[6]);
// Adds an impulse of joint and pins, about the centre, to what they exerted, and tells the body
void spTellJoint(spBody* body, spRigid* rigid, const double impulse[6], double stepDt);

// ---- rows ----

// The displacement per time that rows leave of u; impulses of holds are added to `held`
void spSolveRigidMove(spRigidStep* s, double u[6], double held[6]);
// The motion at the end that they leave of u, and what they exert. Returns whether any of them acted.
bool spSolveRigidMotion(spRigidStep* s, double u[6]);
