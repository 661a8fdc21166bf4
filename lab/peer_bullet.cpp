// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Bullet as the other engine: its deformable body, set up as its implicit solver wants it, and its links.
//
// Its corotational linear law is btDeformableLinearElasticityForce. btDeformableCorotatedForce is the
// nonlinear "fixed corotated" one and has no derivative, so that no implicit step can be made with it.
//
// Fixed nodes need projections (setUseProjection); with them Bullet solves by conjugate gradients. Its
// preconditioner would divide by the masses, but in Bullet 3.24 nothing gives it the masses in implicit
// steps, so that it does nothing; with masses it took as many iterations here. Collision, sleeping and
// damping are off, but for a body with a ground.
//
// A step is Bullet's own but for the call of its solver, which ends at the residual asked for. Bullet ends at
// 3.5e-4 of the right-hand side or after 300 iterations, and does not say how many it took.
//
// Links are those of btSoftBody in a btSoftRigidDynamicsWorld. A sweep moves both nodes of a link by
// (l0^2 - l^2) / (l0^2 + l^2) of their difference, shared out by inverse masses, times its stiffness: to
// first order what a distance constraint without compliance does. ReoptimizeLinkOrder puts links that wait
// for each other apart and changes no bit of the result. A step also keeps a tree of boxes around its nodes,
// for collisions, which cannot be turned off.

#include "peer.h"

#include <BulletCollision/BroadphaseCollision/btDbvtBroadphase.h>
#include <BulletCollision/CollisionShapes/btBoxShape.h>
#include <BulletDynamics/ConstraintSolver/btSequentialImpulseConstraintSolver.h>
#include <BulletSoftBody/btDefaultSoftBodySolver.h>
#include <BulletSoftBody/btDeformableBodySolver.h>
#include <BulletSoftBody/btDeformableMultiBodyConstraintSolver.h>
#include <BulletSoftBody/btDeformableMultiBodyDynamicsWorld.h>
#include <BulletSoftBody/btSoftBody.h>
#include <BulletSoftBody/btSoftBodyHelpers.h>
#include <BulletSoftBody/btSoftBodyRigidBodyCollisionConfiguration.h>
#include <BulletSoftBody/btSoftRigidDynamicsWorld.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <memory>
#include <new>
#include <set>
#include <utility>
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

spVectors spMakeVectors(const double* vertices, int count)
{
    spVectors x;
    x.resize(count);
    for (int i = 0; i < count; ++i)
    {
        const double* vertex = vertices + 3 * (size_t)i;
        x[i].setValue((btScalar)vertex[0], (btScalar)vertex[1], (btScalar)vertex[2]);
    }
    return x;
}

// Nothing but its own forces or links moves it, always
void spLeaveAlone(btSoftBody& body)
{
    body.m_cfg.collisions = 0;
    body.setActivationState(DISABLE_DEACTIVATION);
    body.getCollisionShape()->setMargin(0);
}

class spBulletSolver : public btDeformableBodySolver
{
  public:
    spBulletSolver(double tolerance, int maxIterations, bool contact) : m_share(tolerance), m_contact(contact)
    {
        m_cg.m_maxIterations = maxIterations;
    }

    void solveDeformableConstraints(btScalar dt) override
    {
        if (m_contact)
        {
            btDeformableBodySolver::solveDeformableConstraints(dt);
            return;
        }
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
    bool m_contact;
    spPeerReport m_report{};
};

// Times the sweeps
class spSweepSolver : public btDefaultSoftBodySolver
{
  public:
    void solveConstraints(btScalar dt) override
    {
        auto start = std::chrono::steady_clock::now();
        btDefaultSoftBodySolver::solveConstraints(dt);
        seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }

    double seconds = 0.0;
};

} // namespace

struct spPeer
{
    virtual ~spPeer() = default;
    virtual void Step(double dt) = 0;
    virtual spPeerReport GetReport() = 0;
    virtual const btSoftBody& GetBody() const = 0;
};

namespace
{

struct spTetPeer final : spPeer
{
    explicit spTetPeer(const spPeerDef& def)
        : dispatcher(&configuration), solver(def.tolerance, def.maxIterations, def.ground), elasticity(),
          gravity(btVector3(0, (btScalar)-def.gravity, 0))
    {
        constraintSolver.setDeformableSolver(&solver);
        world.reset(new btDeformableMultiBodyDynamicsWorld(&dispatcher, &broadphase, &constraintSolver,
                                                           &configuration, &solver));
        world->setImplicit(true);
        world->setUseProjection(true);
        world->setGravity(gravity.m_gravity);
        world->getWorldInfo().m_gravity = gravity.m_gravity;

        spVectors x = spMakeVectors(def.vertices, def.vertexCount);
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
        spLeaveAlone(*body);

        elasticity.setYoungsModulus((btScalar)def.youngModulus);
        elasticity.setPoissonRatio((btScalar)def.poissonRatio);
        elasticity.setDamping(0, 0);
        world->addSoftBody(body.get(), 0, 0);
        world->addForce(body.get(), &elasticity);
        world->addForce(body.get(), &gravity);
        if (def.ground)
        {
            AddGround(def);
        }
    }

    // A static box whose top is the ground, which nodes and faces of the body feel
    void AddGround(const spPeerDef& def)
    {
        groundShape.reset(new btBoxShape(btVector3(10, 1, 10)));
        btTransform place;
        place.setIdentity();
        place.setOrigin(btVector3(0, -1, 0));
        ground.reset(
            new btRigidBody(btRigidBody::btRigidBodyConstructionInfo(0, nullptr, groundShape.get())));
        ground->setWorldTransform(place);
        ground->setFriction((btScalar)0.5);
        world->addRigidBody(ground.get());
        // Bullet builds its trees of nodes and faces along links, which exert nothing here
        std::set<std::pair<int, int>> edges;
        for (int i = 0; i < def.tetCount; ++i)
        {
            const int32_t* n = def.tets + 4 * (size_t)i;
            for (int k = 0; k < 6; ++k)
            {
                static const int ends[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
                edges.insert(std::minmax(n[ends[k][0]], n[ends[k][1]]));
            }
        }
        for (const auto& edge : edges)
        {
            body->appendLink(edge.first, edge.second);
        }
        btSoftBodyHelpers::generateBoundaryFaces(body.get());
        body->m_cfg.collisions = btSoftBody::fCollision::SDF_RD | btSoftBody::fCollision::SDF_RDN;
        body->m_cfg.kDF = (btScalar)0.5;
        body->m_cfg.kKHR = 1;
        body->m_cfg.kCHR = 1;
        body->getCollisionShape()->setMargin((btScalar)0.005);
    }

    ~spTetPeer() override
    {
        if (ground != nullptr)
        {
            world->removeRigidBody(ground.get());
        }
        world->removeSoftBody(body.get());
    }

    void Step(double dt) override
    {
        world->stepSimulation((btScalar)dt, 0);
    }

    spPeerReport GetReport() override
    {
        return solver.GetReport();
    }

    const btSoftBody& GetBody() const override
    {
        return *body;
    }

    btSoftBodyRigidBodyCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher;
    btDbvtBroadphase broadphase;
    spBulletSolver solver;
    btDeformableMultiBodyConstraintSolver constraintSolver;
    btDeformableLinearElasticityForce elasticity;
    btDeformableGravityForce gravity;
    std::unique_ptr<btDeformableMultiBodyDynamicsWorld> world;
    std::unique_ptr<btCollisionShape> groundShape;
    std::unique_ptr<btRigidBody> ground;
    std::unique_ptr<btSoftBody> body; // goes before the world
};

struct spLinkPeer final : spPeer
{
    explicit spLinkPeer(const spPeerLinksDef& def)
        : dispatcher(&configuration), world(&dispatcher, &broadphase, &impulses, &configuration, &solver)
    {
        btVector3 gravity(0, (btScalar)-def.gravity, 0);
        world.setGravity(gravity);
        world.getWorldInfo().m_gravity = gravity;
        world.getWorldInfo().air_density = 0;

        spVectors x = spMakeVectors(def.vertices, def.vertexCount);
        body.reset(new btSoftBody(&world.getWorldInfo(), def.vertexCount, &x[0], nullptr));
        for (int i = 0; i < def.vertexCount; ++i)
        {
            body->setMass(i, (btScalar)def.masses[i]);
        }
        btSoftBody::Material* stiff = body->m_materials[0];
        btSoftBody::Material* soft = body->appendMaterial();
        stiff->m_kLST = 1;
        soft->m_kLST = (btScalar)def.softShare;
        for (int i = 0; i < def.linkCount; ++i)
        {
            const int32_t* n = def.links + 2 * (size_t)i;
            body->appendLink(n[0], n[1], i < def.stiffCount ? stiff : soft);
        }
        if (def.reorder)
        {
            btSoftBodyHelpers::ReoptimizeLinkOrder(body.get());
        }
        body->m_cfg.piterations = def.iterations;
        body->m_cfg.kDP = 0;
        spLeaveAlone(*body);
        world.addSoftBody(body.get(), 0, 0);
    }

    ~spLinkPeer() override
    {
        world.removeSoftBody(body.get());
    }

    void Step(double dt) override
    {
        world.stepSimulation((btScalar)dt, 0);
    }

    spPeerReport GetReport() override
    {
        return {body->m_cfg.piterations, 0.0, solver.seconds};
    }

    const btSoftBody& GetBody() const override
    {
        return *body;
    }

    btSoftBodyRigidBodyCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher;
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver impulses;
    spSweepSolver solver;
    btSoftRigidDynamicsWorld world;
    std::unique_ptr<btSoftBody> body; // goes before the world
};

template <typename Peer, typename Def> spPeer* spMakePeer(const Def* def)
{
    try
    {
        return new Peer(*def);
    }
    catch (const std::bad_alloc&)
    {
        return nullptr;
    }
}

} // namespace

const char* spGetPeerVersion(void)
{
    return SOUPLE_BULLET_VERSION;
}

spPeer* spCreatePeer(const spPeerDef* def)
{
    return spMakePeer<spTetPeer>(def);
}

spPeer* spCreatePeerLinks(const spPeerLinksDef* def)
{
    return spMakePeer<spLinkPeer>(def);
}

void spDestroyPeer(spPeer* peer)
{
    delete peer;
}

void spStepPeer(spPeer* peer, double dt)
{
    peer->Step(dt);
}

spPeerReport spGetPeerReport(spPeer* peer)
{
    return peer->GetReport();
}

double spGetPeerHeight(const spPeer* peer, int vertex)
{
    return (double)peer->GetBody().m_nodes[vertex].m_x.getY();
}
