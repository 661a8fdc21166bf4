// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Bullet's deformable body as the other engine, set up as its implicit solver wants it.
//
// Its corotational linear law is btDeformableLinearElasticityForce. btDeformableCorotatedForce is the
// nonlinear "fixed corotated" one and has no derivative, so that no implicit step can be made with it.
//
// Fixed nodes need projections (setUseProjection); with them Bullet solves by conjugate gradients. Its
// preconditioner would divide by the masses, but in Bullet 3.24 nothing gives it the masses in implicit
// steps, so that it does nothing; with masses it took as many iterations here. Collision, sleeping and
// damping are off.
//
// A step is Bullet's own but for the call of its solver, which ends at the residual asked for. Bullet ends at
// 3.5e-4 of the right-hand side or after 300 iterations, and does not say how many it took.

#include "peer.h"

#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>
#include <BulletSoftBody/btDeformableBodySolver.h>
#include <BulletSoftBody/btDeformableMultiBodyConstraintSolver.h>
#include <BulletSoftBody/btDeformableMultiBodyDynamicsWorld.h>
#include <BulletSoftBody/btSoftBody.h>
#include <BulletSoftBody/btSoftBodyRigidBodyCollisionConfiguration.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <memory>
#include <new>
#include <vector>

namespace
{

typedef btAlignedObjectArray<btVector3> spVectors;

double spGetSquare(const spVectors& a)
{
    double sum = 0.0;
    for (int i = 0; i < a.size(); ++i)
    {
        sum += (double)a[i].length2();
    }
    return sum;
}

double spGetThreadClock()
{
    timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

class spBulletSolver : public btDeformableBodySolver
{
  public:
    spBulletSolver(double tolerance, int maxIterations) : m_share(tolerance)
    {
        m_cg.m_maxIterations = maxIterations;
    }

    void solveDeformableConstraints(btScalar dt) override
    {
        // About where the old velocity leads to; without contact the velocity starts without a change
        updateState();
        m_objective->computeResidual(dt, m_residual);
        m_objective->project(m_residual);

        // Bullet compares the square of the residual with its tolerance times that of the right-hand side, or
        // times one when that is larger
        double square = spGetSquare(m_residual);
        m_cg.m_tolerance = (btScalar)(m_share * m_share * std::max(square, 1.0));
        double start = spGetThreadClock();
        m_report.iterations = m_cg.solve(*m_objective, m_ddv, m_residual);
        m_report.solveSeconds = spGetThreadClock() - start;
        updateDv();
        updateVelocity();
    }

    // The residual is computed anew here, where nobody times it
    spPeerReport GetReport()
    {
        spVectors product;
        product.resize(m_residual.size());
        m_objective->multiply(m_ddv, product);
        m_objective->project(product);
        double square = spGetSquare(m_residual);
        for (int i = 0; i < product.size(); ++i)
        {
            product[i] = m_residual[i] - product[i];
        }
        m_report.residual = square > 0.0 ? std::sqrt(spGetSquare(product) / square) : 0.0;
        return m_report;
    }

  private:
    double m_share;
    spPeerReport m_report{};
};

} // namespace

struct spPeer
{
    explicit spPeer(const spPeerDef& def)
        : dispatcher(&configuration), solver(def.tolerance, def.maxIterations), elasticity(),
          gravity(btVector3(0, (btScalar)-def.gravity, 0))
    {
        constraintSolver.setDeformableSolver(&solver);
        world.reset(new btDeformableMultiBodyDynamicsWorld(&dispatcher, &broadphase, &constraintSolver,
                                                           &configuration, &solver));
        world->setImplicit(true);
        world->setUseProjection(true);
        world->setGravity(gravity.m_gravity);
        world->getWorldInfo().m_gravity = gravity.m_gravity;

        spVectors x;
        x.resize(def.vertexCount);
        for (int i = 0; i < def.vertexCount; ++i)
        {
            const double* vertex = def.vertices + 3 * (size_t)i;
            x[i].setValue((btScalar)vertex[0], (btScalar)vertex[1], (btScalar)vertex[2]);
        }
        body.reset(new btSoftBody(&world->getWorldInfo(), def.vertexCount, &x[0], nullptr));
        for (int i = 0; i < def.tetCount; ++i)
        {
            const int32_t* n = def.tets + 4 * (size_t)i;
            body->appendTetra(n[0], n[1], n[2], n[3]);
        }
        body->initializeDmInverse();
        body->m_tetraScratches.resize(def.tetCount);
        body->m_tetraScratchesTn.resize(def.tetCount);
        std::vector<double> masses((size_t)def.vertexCount);
        for (int i = 0; i < 4 * def.tetCount; ++i)
        {
            masses[(size_t)def.tets[i]] +=
                0.25 * def.density * (double)body->m_tetras[i / 4].m_element_measure;
        }
        for (int i = 0; i < def.vertexCount; ++i)
        {
            body->setMass(i, i < def.fixedCount ? 0 : (btScalar)masses[(size_t)i]);
        }
        body->setSelfCollision(false);
        body->m_cfg.collisions = 0;
        body->setActivationState(DISABLE_DEACTIVATION);
        body->getCollisionShape()->setMargin(0);

        elasticity.setYoungsModulus((btScalar)def.youngModulus);
        elasticity.setPoissonRatio((btScalar)def.poissonRatio);
        elasticity.setDamping(0, 0);
        world->addSoftBody(body.get(), 0, 0);
        world->addForce(body.get(), &elasticity);
        world->addForce(body.get(), &gravity);
    }

    ~spPeer()
    {
        world->removeSoftBody(body.get());
    }

    btSoftBodyRigidBodyCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher;
    btDbvtBroadphase broadphase;
    spBulletSolver solver;
    btDeformableMultiBodyConstraintSolver constraintSolver;
    btDeformableLinearElasticityForce elasticity;
    btDeformableGravityForce gravity;
    std::unique_ptr<btDeformableMultiBodyDynamicsWorld> world;
    std::unique_ptr<btSoftBody> body; // goes before the world
};

const char* spGetPeerVersion(void)
{
    return SOUPLE_BULLET_VERSION;
}

spPeer* spCreatePeer(const spPeerDef* def)
{
    try
    {
        return new spPeer(*def);
    }
    catch (const std::bad_alloc&)
    {
        return nullptr;
    }
}

void spDestroyPeer(spPeer* peer)
{
    delete peer;
}

void spStepPeer(spPeer* peer, double dt)
{
    peer->world->stepSimulation((btScalar)dt, 0);
}

spPeerReport spGetPeerReport(spPeer* peer)
{
    return peer->solver.GetReport();
}

double spGetPeerHeight(const spPeer* peer, int vertex)
{
    return (double)peer->body->m_nodes[vertex].m_x.getY();
}
