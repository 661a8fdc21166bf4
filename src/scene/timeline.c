// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The time line of a run: attachments, events, hands that move, forces that pull for a while, and colliders
// that move by themselves. All of it happens between steps.

#include "scene/run.h"

#include "math/quat.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Farther than any place that a scene can name, m
#define SP_NOWHERE 1e18

static int spCompareEvents(const void* a, const void* b)
{
    const spEventData* p = ((const spRunEvent*)a)->data;
    const spEventData* q = ((const spRunEvent*)b)->data;
    if (p->time != q->time)
    {
        return p->time < q->time ? -1 : 1;
    }
    return p < q ? -1 : p > q; // both lie in the list of the scene
}

// Nodes of a body in a region, as they are now
static bool spSelectNow(spRun* run, const spRegionData* region, int body, spNodeList* nodes,
                        spProblems* problems)
{
    spBodyId id = run->bodies[body].id;
    int count = spBody_CopyPositions(run->world, id, run->scratch, run->scratchCount);
    for (int i = 0; i < count; ++i)
    {
        // Nobody finds a node that an edit has taken
        bool gone = spBody_GetNodeRole(run->world, id, i) == sp_nodeGone;
        run->scratch[i].x = gone ? (spReal)SP_NOWHERE : run->scratch[i].x;
    }
    if (!spSelectNodes(&run->heap, region, run->scratch, count, nodes, problems))
    {
        spReportAs(problems, sp_errorOutOfMemory, &region->head, NULL, "out of memory");
        return false;
    }
    int there = 0;
    for (int i = 0; i < nodes->count; ++i)
    {
        nodes->data[there] = nodes->data[i];
        there += spBody_GetNodeRole(run->world, id, nodes->data[i]) != sp_nodeGone;
    }
    nodes->count = there;
    if (nodes->count == 0)
    {
        spFreeNodes(&run->heap, nodes);
        return false;
    }
    return true;
}

bool spMakeLink(spRun* run, spRunLink* link, int body, const spLinkDef* def, const spObjectHead* head,
                spProblems* problems)
{
    size_t nodeSize = spArraySize(def->nodeCount, sizeof(int32_t));
    size_t anchorSize = spArraySize(def->nodeCount, sizeof(spVec3));
    int32_t* nodes = spAlloc(&run->heap, nodeSize);
    spVec3* anchors = spAlloc(&run->heap, anchorSize);
    *link = (spRunLink){.body = body, .def = *def};
    if (nodes != NULL && anchors != NULL)
    {
        link->id = spCreateLink(run->world, def);
        link->held = !SP_IS_NULL(link->id);
        if (!link->held)
        {
            spReportWorld(problems, run->world, head, NULL, "these nodes cannot be held");
        }
    }
    else
    {
        spReportAs(problems, sp_errorOutOfMemory, head, NULL, "out of memory");
    }
    if (!link->held)
    {
        spFree(&run->heap, nodes);
        spFree(&run->heap, anchors);
        *link = (spRunLink){0};
        return false;
    }
    memcpy(nodes, def->nodes, nodeSize);
    spLink_CopyAnchors(run->world, link->id, anchors, def->nodeCount);
    link->def.nodes = nodes;
    link->def.anchors = anchors;
    return true;
}

void spForgetLink(spRun* run, spRunLink* link)
{
    if (link->held)
    {
        spFree(&run->heap, (void*)(uintptr_t)link->def.nodes);
        spFree(&run->heap, (void*)(uintptr_t)link->def.anchors);
    }
    *link = (spRunLink){0};
}

void spReleaseLink(spRun* run, spRunLink* link)
{
    spDestroyLink(run->world, link->id);
    spForgetLink(run, link);
}

void spBuildAttachments(spRun* run, spProblems* problems)
{
    const spScene* scene = run->scene;
    for (int i = 0; i < scene->data.attachments.count; ++i)
    {
        const spAttachmentData* data = (const spAttachmentData*)scene->data.attachments.data + i;
        int body = spFindBodyIndex(scene, data->body);
        spNodeList nodes;
        if (!spSelectNow(run, &data->nodes, body, &nodes, problems))
        {
            continue;
        }
        spLinkDef def = spDefaultLinkDef();
        spFillDef(data, &def);
        def.body = run->bodies[body].id;
        def.nodes = nodes.data;
        def.nodeCount = nodes.count;
        if (data->collider[0] != 0)
        {
            def.collider = run->colliders[spFindColliderIndex(scene, data->collider)];
        }
        if (data->otherBody[0] != 0)
        {
            def.otherBody = run->bodies[spFindBodyIndex(scene, data->otherBody)].id;
        }
        spMakeLink(run, &run->links[i], body, &def, &data->head, problems);
        spFreeNodes(&run->heap, &nodes);
    }
}

// Node numbers that do not exist show now, not when the event is due
static void spCheckEventNodes(spRun* run, const spRunEvent* event, spProblems* problems)
{
    const spRegionData* region = &event->data->nodes;
    if (event->body < 0 || !spIsGiven(&event->data->head, region) ||
        !spIsGiven(&region->head, &region->nodes) || region->nodes.count < 0)
    {
        return;
    }
    spNodeList nodes;
    if (spSelectNow(run, region, event->body, &nodes, problems))
    {
        spFreeNodes(&run->heap, &nodes);
    }
}

bool spBuildTimeline(spRun* run, spProblems* problems)
{
    const spScene* scene = run->scene;
    int attachmentCount = scene->data.attachments.count;
    run->eventCount = scene->data.events.count;
    run->sceneLinkCount = spGetLinkCount(scene);
    run->linkCount = run->sceneLinkCount + SP_MAX_LIVE_GRABS;
    run->pullCapacity = run->eventCount + SP_MAX_LIVE_FORCES;
    run->links = spAllocZeroed(&run->heap, spArraySize(run->linkCount, sizeof(spRunLink)));
    run->events = spAllocZeroed(&run->heap, spArraySize(run->eventCount, sizeof(spRunEvent)));
    run->pulls = spAllocZeroed(&run->heap, spArraySize(run->pullCapacity, sizeof(spRunPull)));
    run->drives = spAllocZeroed(&run->heap, spArraySize(scene->data.colliders.count, sizeof(spRunDrive)));
    if (run->drives == NULL && scene->data.colliders.count > 0)
    {
        return false;
    }
    if (run->links == NULL || run->pulls == NULL || (run->events == NULL && run->eventCount > 0))
    {
        return false;
    }
    for (int i = 0; i < scene->data.bodies.count; ++i)
    {
        const spSpringsData* springs = run->bodies[i].data->springs.data;
        for (int j = 0; j < run->bodies[i].data->springs.count; ++j)
        {
            run->bodies[i].stiffness[j] = springs[j].stiffness;
            bool damped = spIsGiven(&springs[j].head, &springs[j].damping);
            run->bodies[i].damping[j] = damped ? springs[j].damping : -1.0;
        }
        const spConstraintsData* constraints = run->bodies[i].data->constraints.data;
        for (int j = 0; j < run->bodies[i].data->constraints.count; ++j)
        {
            run->bodies[i].compliance[j] = constraints[j].compliance;
            run->bodies[i].constraintDamping[j] = constraints[j].damping;
        }
    }
    for (int i = 0; i < run->eventCount; ++i)
    {
        const spEventData* data = (const spEventData*)scene->data.events.data + i;
        spRunEvent* event = &run->events[i];
        event->data = data;
        event->body = spFindBodyIndex(scene, data->body);
        event->collider = spFindColliderIndex(scene, data->collider);
        event->link = data->type == sp_eventGrab ? attachmentCount + i : spFindLinkIndex(scene, data->grab);
        spCheckEventNodes(run, event, problems);
    }
    if (run->eventCount > 0)
    {
        qsort(run->events, (size_t)run->eventCount, sizeof(spRunEvent), spCompareEvents);
    }
    spBuildAttachments(run, problems);
    return true;
}

void spFreeTimeline(spRun* run)
{
    for (int i = 0; i < run->pullCount; ++i)
    {
        spFreeNodes(&run->heap, &run->pulls[i].nodes);
    }
    for (int i = 0; run->links != NULL && i < run->linkCount; ++i)
    {
        spForgetLink(run, &run->links[i]);
    }
    spFree(&run->heap, run->pulls);
    spFree(&run->heap, run->events);
    spFree(&run->heap, run->drives);
    spFree(&run->heap, run->links);
}

// ---------------------------------------------------------------------------------------------------------
// Events

static void spPlayGrab(spRun* run, const spRunEvent* event, spProblems* problems)
{
    spNodeList nodes;
    if (!spSelectNow(run, &event->data->nodes, event->body, &nodes, problems))
    {
        return;
    }
    spLinkDef def = spDefaultLinkDef();
    def.body = run->bodies[event->body].id;
    def.nodes = nodes.data;
    def.nodeCount = nodes.count;
    def.stiffness = (spReal)event->data->stiffness;
    def.maxForce = (spReal)event->data->maxForce;
    spRunLink* link = &run->links[event->link];
    spReleaseLink(run, link);
    if (spMakeLink(run, link, event->body, &def, &event->data->head, problems) && event->live)
    {
        snprintf(link->name, sizeof(link->name), "%s", event->data->name);
    }
    spFreeNodes(&run->heap, &nodes);
}

static void spPlayMove(spRun* run, const spRunEvent* event, double time, spProblems* problems)
{
    spRunLink* link = &run->links[event->link];
    if (!link->held)
    {
        spReport(problems, &event->data->head, &event->data->grab, "\"%s\" holds nothing at this time",
                 event->data->grab);
        return;
    }
    link->from = link->offset;
    link->to = event->data->offset;
    link->start = time;
    link->duration = event->data->duration;
    link->moving = true;
}

// Sums the forces that pull at a body and hands them to some of its nodes
bool spApplyForces(spRun* run, int index, const spNodeList* nodes)
{
    const spRunBody* body = &run->bodies[index];
    int count = spBody_GetNodeCount(run->world, body->id); // copies of a cut may be gone with a state
    memset(run->forces, 0, (size_t)run->scratchCount * sizeof(spDVec3));
    for (int i = 0; i < run->pullCount; ++i)
    {
        const spRunPull* pull = &run->pulls[i];
        for (int j = 0; pull->body == index && j < pull->nodes.count; ++j)
        {
            spDVec3* force = &run->forces[pull->nodes.data[j]];
            force->x += pull->force.x;
            force->y += pull->force.y;
            force->z += pull->force.z;
        }
    }
    for (int i = 0; i < nodes->count; ++i)
    {
        int node = nodes->data[i];
        if (node < count && !spBody_SetNodeForce(run->world, body->id, node, spToVec3(run->forces[node])))
        {
            return false;
        }
    }
    return true;
}

// Ends a pull; the nodes feel it
static bool spEndPull(spRun* run, int index)
{
    spRunPull pull = run->pulls[index];
    run->livePullCount -= pull.live;
    run->pullCount -= 1;
    memmove(run->pulls + index, run->pulls + index + 1, (size_t)(run->pullCount - index) * sizeof(spRunPull));
    bool good = spApplyForces(run, pull.body, &pull.nodes);
    spFreeNodes(&run->heap, &pull.nodes);
    return good;
}

static void spPlayForce(spRun* run, const spRunEvent* event, double time, spProblems* problems)
{
    const spEventData* data = event->data;
    if (event->live && run->livePullCount == SP_MAX_LIVE_FORCES)
    {
        spReport(problems, &data->head, NULL, "%d forces pull already: wait until one ends",
                 SP_MAX_LIVE_FORCES);
        return;
    }
    double start = event->live ? time : data->time;
    spRunPull pull = {
        .body = event->body,
        .force = data->force,
        .end = data->duration > 0.0 ? start + data->duration : (double)INFINITY,
        .live = event->live,
    };
    // A scene that is set back and played again has no more of its own forces than events at any time
    if (run->pullCount < run->pullCapacity &&
        spSelectNow(run, &data->nodes, event->body, &pull.nodes, problems))
    {
        run->pulls[run->pullCount++] = pull;
        run->livePullCount += pull.live;
        if (!spApplyForces(run, pull.body, &pull.nodes))
        {
            spReportWorld(problems, run->world, &data->head, NULL, "this force cannot be set");
            spEndPull(run, run->pullCount - 1);
        }
    }
}

static void spPlayPins(spRun* run, const spRunEvent* event, spProblems* problems)
{
    spNodeList nodes;
    if (!spSelectNow(run, &event->data->nodes, event->body, &nodes, problems))
    {
        return;
    }
    spBodyId id = run->bodies[event->body].id;
    bool pin = event->data->type == sp_eventPin;
    bool good = pin ? spBody_PinNodes(run->world, id, nodes.data, nodes.count)
                    : spBody_FreeNodes(run->world, id, nodes.data, nodes.count);
    if (!good)
    {
        spReportWorld(problems, run->world, &event->data->head, NULL,
                      "these nodes cannot be pinned or freed");
    }
    spFreeNodes(&run->heap, &nodes);
}

// Visits of nodes that a step may take when a hand at the page asks for it: some half a minute, in which nothing
// else can be done
#define SP_MOST_LIVE_VISITS 4e9

// Visits of nodes that a step takes at most; automatic substeps are as many as stability needs
static double spCountNodeVisits(const spMethodDef* method, int nodeCount)
{
    double sweeps = 1.0;
    if (method->type == sp_xpbd || method->type == sp_methodAuto)
    {
        sweeps = (double)method->xpbd.iterations;
    }
    if (spIsImplicit((int)method->type) || method->type == sp_methodAuto)
    {
        double solved = (double)method->solver.maxIterations * fmax((double)method->solver.newtonSteps, 1.0);
        sweeps = fmax(sweeps, solved);
    }
    return sweeps * fmax((double)method->substeps, 1.0) * nodeCount;
}

// The method comes first: it alone can fail with numbers that were checked, and then nothing else is changed
static bool spPlaySetMethod(spRun* run, const spRunEvent* event, spProblems* problems)
{
    const spEventData* data = event->data;
    if (!spIsGiven(&data->head, &data->method))
    {
        return true;
    }
    const spRunBody* body = &run->bodies[event->body];
    const int32_t* edges = spBody_GetEdges(run->world, body->id, NULL);
    spMethodDef method = spMakeMethod(&data->method, &body->data->mesh, edges);
    method.solver.age = run->live ? 0 : method.solver.age;
    if (event->live && spCountNodeVisits(&method, body->nodeCount) > SP_MOST_LIVE_VISITS)
    {
        spReport(
            problems, &data->head, &data->method,
            "a step would visit %d nodes up to %.3g times, and the page would stand still; ask for fewer "
            "substeps or iterations",
            body->nodeCount, spCountNodeVisits(&method, body->nodeCount) / body->nodeCount);
        return false;
    }
    if (!spBody_SetMethod(run->world, body->id, &method))
    {
        spReportWorld(problems, run->world, &data->head, &data->method, "this method cannot be set");
        return false;
    }
    // So that who asks is told what it is; without memory the next step says so
    spWorld_ChooseMethods(run->world, (spReal)run->dt);
    return true;
}

// A damping alone leaves springs the stiffness, or the modulus, that they have
static bool spSetSprings(spRun* run, spRunBody* body, const spEventData* data)
{
    const spObjectHead* head = &data->head;
    int set = body->springSets[data->index];
    double* stiffness = &body->stiffness[data->index];
    double* damping = &body->damping[data->index];
    spReal modulus = (spReal)data->youngModulus;
    *damping = spIsGiven(head, &data->damping) ? data->damping : *damping;
    if (spIsGiven(head, &data->youngModulus) ||
        (!spIsGiven(head, &data->stiffness) &&
         spBody_GetSpringModulus(run->world, body->id, set, &modulus, NULL)))
    {
        return spBody_SetSpringModulus(run->world, body->id, set, modulus, (spReal)*damping);
    }
    *stiffness = spIsGiven(head, &data->stiffness) ? data->stiffness : *stiffness;
    return spBody_SetSprings(run->world, body->id, set, (spReal)*stiffness, (spReal)*damping);
}

// The scale goes by the materials at the start; without it all tets get one material, or only another damping
static bool spChangeTets(spRun* run, spRunBody* body, const spTetChangeData* change)
{
    const spObjectHead* given = &change->head;
    bool moduli = spIsGiven(given, &change->youngModulus) || spIsGiven(given, &change->poissonRatio);
    bool good = true;
    if (spIsGiven(given, &change->scale))
    {
        double factor = change->scale / body->tetScale;
        good = spBody_ScaleTets(run->world, body->id, body->tetSet, (spReal)factor);
        body->tetScale = good ? change->scale : body->tetScale;
        body->youngModulus *= good ? factor : 1.0;
    }
    body->tetDamping = spIsGiven(given, &change->damping) ? change->damping : body->tetDamping;
    if (moduli || spIsGiven(given, &change->damping))
    {
        body->youngModulus =
            spIsGiven(given, &change->youngModulus) ? change->youngModulus : body->youngModulus;
        body->poissonRatio =
            spIsGiven(given, &change->poissonRatio) ? change->poissonRatio : body->poissonRatio;
        body->mixed = body->mixed && !moduli;
        body->tetScale = moduli ? body->youngModulus / body->startYoungModulus : body->tetScale;
        good &= spBody_SetTets(run->world, body->id, body->tetSet, (spReal)body->youngModulus,
                               (spReal)body->poissonRatio, (spReal)body->tetDamping);
    }
    return good;
}

static void spPlaySet(spRun* run, const spRunEvent* event, spProblems* problems)
{
    const spEventData* data = event->data;
    const spObjectHead* head = &data->head;
    bool good = true;
    if (event->body >= 0 && !spPlaySetMethod(run, event, problems))
    {
        return;
    }
    if (spIsGiven(head, &data->gravity))
    {
        good &= spWorld_SetGravity(run->world, spToVec3(data->gravity));
    }
    if (spIsGiven(head, &data->dt))
    {
        spSetTimeStep(run, data->dt);
    }
    if (event->body < 0)
    {
        return;
    }
    spRunBody* body = &run->bodies[event->body];
    if (spIsGiven(head, &data->motorSpeed) || spIsGiven(head, &data->motorLimit))
    {
        spJointDef joint = spBody_GetJoint(run->world, body->id);
        double unit = joint.type == sp_jointHinge ? SP_DEGREE : 1.0;
        spReal speed =
            spIsGiven(head, &data->motorSpeed) ? (spReal)(unit * data->motorSpeed) : joint.motorSpeed;
        spReal limit = spIsGiven(head, &data->motorLimit) ? (spReal)data->motorLimit : joint.motorLimit;
        good &= spBody_SetMotor(run->world, body->id, speed, limit);
    }
    if (spIsGiven(head, &data->stiffness) || spIsGiven(head, &data->damping) ||
        spIsGiven(head, &data->youngModulus))
    {
        good &= spSetSprings(run, body, data);
    }
    if (spIsGiven(head, &data->activation))
    {
        const spActivationData* activation = &data->activation;
        good &= spBody_SetActivation(run->world, body->id, body->springSets[data->index],
                                     (spReal)activation->amplitude, (spReal)activation->frequency,
                                     (spReal)activation->phase);
    }
    if (spIsGiven(head, &data->bendStiffness))
    {
        good &= spBody_SetBends(run->world, body->id, body->bendSet, (spReal)data->bendStiffness,
                                (spReal)body->data->bends.damping);
    }
    if (spIsGiven(head, &data->wind))
    {
        good &= spBody_SetWind(run->world, body->id, body->windSet, spToVec3(data->wind));
    }
    if (spIsGiven(head, &data->tets))
    {
        good &= spChangeTets(run, body, &data->tets);
    }
    if (spIsGiven(head, &data->constraints))
    {
        const spConstraintChangeData* change = &data->constraints;
        double* compliance = &body->compliance[data->index];
        double* damping = &body->constraintDamping[data->index];
        *compliance = spIsGiven(&change->head, &change->compliance) ? change->compliance : *compliance;
        *damping = spIsGiven(&change->head, &change->damping) ? change->damping : *damping;
        good &= spBody_SetConstraints(run->world, body->id, body->constraintSets[data->index],
                                      (spReal)*compliance, (spReal)*damping);
    }
    if (spIsGiven(head, &data->knrt))
    {
        good &= spBody_SetGas(run->world, body->id, body->gasSet, (spReal)data->knrt);
    }
    if (spIsGiven(head, &data->coefficient))
    {
        good &=
            spBody_SetField(run->world, body->id, body->fieldSets[data->index], (spReal)data->coefficient);
    }
    if (spIsGiven(head, &data->friction) || spIsGiven(head, &data->restitution))
    {
        body->friction = spIsGiven(head, &data->friction) ? data->friction : body->friction;
        body->restitution = spIsGiven(head, &data->restitution) ? data->restitution : body->restitution;
        good &= spBody_SetContact(run->world, body->id, (spReal)body->friction, (spReal)body->restitution);
    }
    if (!good)
    {
        spReportWorld(problems, run->world, head, NULL, "this cannot be set");
    }
}

// ---------------------------------------------------------------------------------------------------------
// The tool of poke

// Speed of the tool at most, m/s: what it meets is pushed, not thrown
#define SP_TOOL_SPEED 5.0

bool spMakeTool(spRun* run, spDVec3 position, double radius)
{
    spColliderDef def = spDefaultColliderDef();
    def.name = "tool";
    def.shape = sp_shapeSphere;
    def.transform.position = spToVec3(position);
    def.radius = (spReal)radius;
    spColliderId id = spCreateCollider(run->world, &def);
    if (SP_IS_NULL(id))
    {
        return false;
    }
    spLiftTool(run);
    run->tool = (spRunTool){.id = id, .radius = radius, .target = position};
    return true;
}

void spLiftTool(spRun* run)
{
    if (spCollider_IsValid(run->world, run->tool.id))
    {
        spDestroyCollider(run->world, run->tool.id);
    }
    run->tool = (spRunTool){0};
}

static void spPlayPoke(spRun* run, const spRunEvent* event, spProblems* problems)
{
    const spEventData* data = event->data;
    bool there = !SP_IS_NULL(run->tool.id);
    spDVec3 place = data->position;
    if (there)
    {
        spVec3 now = spCollider_GetTransform(run->world, run->tool.id).position;
        place = (spDVec3){now.x, now.y, now.z};
    }
    if ((!there || run->tool.radius != data->radius) && !spMakeTool(run, place, data->radius))
    {
        spReportWorld(problems, run->world, &data->head, NULL, "the tool cannot be made");
        return;
    }
    run->tool.target = data->position;
    run->tool.moving = true;
    run->tool.live = event->live;
}

static void spMoveTool(spRun* run)
{
    spRunTool* tool = &run->tool;
    if (!tool->moving)
    {
        return;
    }
    spTransform pose = spCollider_GetTransform(run->world, tool->id);
    spDVec3 way = {tool->target.x - (double)pose.position.x, tool->target.y - (double)pose.position.y,
                   tool->target.z - (double)pose.position.z};
    double length = sqrt(way.x * way.x + way.y * way.y + way.z * way.z);
    double share = length > SP_TOOL_SPEED * run->dt ? SP_TOOL_SPEED * run->dt / length : 1.0;
    spDVec3 next = {(double)pose.position.x + share * way.x, (double)pose.position.y + share * way.y,
                    (double)pose.position.z + share * way.z};
    tool->moving = share < 1.0;
    pose.position = spToVec3(tool->moving ? next : tool->target);
    spCollider_MoveTo(run->world, tool->id, pose);
}

// ---------------------------------------------------------------------------------------------------------
// All events

static void spPlayState(spRun* run, const spRunEvent* event, spProblems* problems)
{
    const spEventData* data = event->data;
    spError error = {0};
    bool good = data->type == sp_eventSave ? spSaveState(run, data->name, &error)
                                           : spRestoreState(run, data->name, &error);
    if (!good)
    {
        spReport(problems, &data->head, &data->name, "%s", error.message);
    }
}

static void spPlayDrive(spRun* run, const spRunEvent* event, double time)
{
    const spEventData* data = event->data;
    spRunDrive drive = {
        .driven = true,
        .smooth = data->smooth,
        .endless = spIsGiven(&data->head, &data->velocity),
        .from = spCollider_GetTransform(run->world, run->colliders[event->collider]),
        .velocity = data->velocity,
        .start = time,
        .duration = data->duration,
    };
    drive.to = drive.from;
    drive.to.position =
        spIsGiven(&data->head, &data->position) ? spToVec3(data->position) : drive.from.position;
    drive.to.rotation =
        spIsGiven(&data->head, &data->rotation) ? spMakeRotation(&data->rotation) : drive.from.rotation;
    run->drives[event->collider] = drive;
}

void spPlayEvent(spRun* run, const spRunEvent* event, spProblems* problems)
{
    double time = spWorld_GetTime(run->world);
    switch (event->data->type)
    {
        case sp_eventGrab:
            spPlayGrab(run, event, problems);
            break;
        case sp_eventMove:
            spPlayMove(run, event, time, problems);
            break;
        case sp_eventRelease:
            spReleaseLink(run, &run->links[event->link]);
            break;
        case sp_eventSet:
            spPlaySet(run, event, problems);
            break;
        case sp_eventForce:
            spPlayForce(run, event, time, problems);
            break;
        case sp_eventPoke:
            spPlayPoke(run, event, problems);
            break;
        case sp_eventLift:
            spLiftTool(run);
            break;
        case sp_eventDrive:
            spPlayDrive(run, event, time);
            break;
        case sp_eventCut:
            spPlayCut(run, event, time, problems);
            break;
        case sp_eventCarve:
            spPlayCarve(run, event, problems);
            break;
        case sp_eventSave:
        case sp_eventRestore:
            spPlayState(run, event, problems);
            break;
        default:
            spPlayPins(run, event, problems);
            break;
    }
}

// ---------------------------------------------------------------------------------------------------------
// Every step

static void spMoveHands(spRun* run, double time, spProblems* problems)
{
    for (int i = 0; i < run->linkCount; ++i)
    {
        spRunLink* link = &run->links[i];
        if (!link->moving)
        {
            continue;
        }
        double t = link->duration > 0.0 ? fmin((time + run->dt - link->start) / link->duration, 1.0) : 1.0;
        link->offset.x = link->from.x + t * (link->to.x - link->from.x);
        link->offset.y = link->from.y + t * (link->to.y - link->from.y);
        link->offset.z = link->from.z + t * (link->to.z - link->from.z);
        link->moving = t < 1.0;
        if (!spLink_MoveTo(run->world, link->id, spToVec3(link->offset)))
        {
            spReportWorld(problems, run->world, &run->scene->data.head, NULL, "a hand cannot be moved");
            link->moving = false;
        }
    }
}

// Where a collider that an event drives is at a time
static spTransform spGetDrivePose(const spRunDrive* drive, double time)
{
    double passed = fmax(time - drive->start, 0.0);
    if (drive->endless)
    {
        passed = drive->duration > 0.0 ? fmin(passed, drive->duration) : passed;
        const spVec3 x = drive->from.position;
        spDVec3 place = {(double)x.x + passed * drive->velocity.x, (double)x.y + passed * drive->velocity.y,
                         (double)x.z + passed * drive->velocity.z};
        return (spTransform){spToVec3(place), drive->from.rotation};
    }
    double t = drive->duration > 0.0 ? fmin(passed / drive->duration, 1.0) : 1.0;
    t = drive->smooth ? t * t * (3.0 - 2.0 * t) : t;
    return t < 1.0 ? spLerpTransform(drive->from, drive->to, (spReal)t) : drive->to;
}

static void spMoveColliders(spRun* run, double time)
{
    for (int i = 0; i < run->scene->data.colliders.count; ++i)
    {
        const spColliderData* data = (const spColliderData*)run->scene->data.colliders.data + i;
        if (run->drives[i].driven)
        {
            spCollider_MoveTo(run->world, run->colliders[i], spGetDrivePose(run->drives + i, time + run->dt));
        }
        else if (spIsGiven(&data->head, &data->motion))
        {
            spTransform start = spMakePlacement(&data->transform);
            spCollider_MoveTo(run->world, run->colliders[i],
                              spGetMotionPose(start, &data->motion, time + run->dt));
        }
    }
}

static void spMovePins(spRun* run, double time, spProblems* problems)
{
    for (int i = 0; i < run->scene->data.bodies.count; ++i)
    {
        if (!spDrivePins(run->world, &run->bodies[i], time + run->dt))
        {
            spReportWorld(problems, run->world, &run->bodies[i].data->head, NULL,
                          "its pins cannot be driven");
        }
    }
}

static void spEndForces(spRun* run, double time, spProblems* problems)
{
    for (int i = run->pullCount - 1; i >= 0; --i)
    {
        if (time >= run->pulls[i].end - 1e-3 * run->dt && !spEndPull(run, i))
        {
            spReportWorld(problems, run->world, &run->scene->data.head, NULL, "a force cannot end");
        }
    }
}

uint32_t spPlayTimeline(spRun* run)
{
    spProblems problems = {.places = &run->scene->places};
    double time = spWorld_GetTime(run->world);
    spEndForces(run, time, &problems);

    // A thousandth of a step early: time is a sum of rounded steps
    bool restored = false;
    while (run->nextEvent < run->eventCount &&
           run->events[run->nextEvent].data->time <= time + 1e-3 * run->dt)
    {
        const spRunEvent* event = &run->events[run->nextEvent];
        // A state that is restored has its own events to come. One before each step: it may be the same again
        if (event->data->type == sp_eventRestore && restored)
        {
            break;
        }
        restored |= event->data->type == sp_eventRestore;
        run->nextEvent += 1;
        spPlayEvent(run, event, &problems);
        time = spWorld_GetTime(run->world);
    }
    spMoveHands(run, time, &problems);
    spMoveColliders(run, time);
    spMovePins(run, time, &problems);
    spMoveTool(run);
    spMoveBlades(run, time, &problems);
    spTearBodies(run, &problems);
    if (problems.errorCount == 0)
    {
        return 0;
    }
    run->lastError = problems.first;
    if (run->logger.log != NULL)
    {
        char message[SP_ERROR_MESSAGE_SIZE + 64];
        snprintf(message, sizeof(message), "event at %g s: %s", time, run->lastError.message);
        run->logger.log(sp_logWarning, message, run->logger.context);
    }
    return SP_RUN_EVENT_FAILED;
}
