// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// The time line of a run: attachments, events, hands that move, forces that pull for a while, and colliders
// that move by themselves. All of it happens between steps.

#include "scene/run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    spRunBody* target = &run->bodies[body];
    int count = spBody_CopyPositions(run->world, target->id, run->scratch, target->nodeCount);
    if (!spSelectNodes(&run->heap, region, run->scratch, count, nodes, problems))
    {
        spReport(problems, &region->head, NULL, "out of memory");
        return false;
    }
    if (nodes->count == 0)
    {
        spFreeNodes(&run->heap, nodes);
        return false;
    }
    return true;
}

static bool spMakeLink(spRun* run, spRunLink* link, const spLinkDef* def, const spObjectHead* head,
                       spProblems* problems)
{
    *link = (spRunLink){.id = spCreateLink(run->world, def)};
    link->held = !SP_IS_NULL(link->id);
    if (!link->held)
    {
        spReportWorld(problems, run->world, head, NULL, "these nodes cannot be held");
    }
    return link->held;
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
        def.body = run->bodies[body].id;
        def.nodes = nodes.data;
        def.nodeCount = nodes.count;
        def.stiffness = (spReal)data->stiffness;
        def.maxForce = (spReal)data->maxForce;
        if (data->collider[0] != 0)
        {
            def.collider = run->colliders[spFindColliderIndex(scene, data->collider)];
        }
        if (data->otherBody[0] != 0)
        {
            def.otherBody = run->bodies[spFindBodyIndex(scene, data->otherBody)].id;
        }
        spMakeLink(run, &run->links[i], &def, &data->head, problems);
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
    run->linkCount = spGetLinkCount(scene);
    run->links = spAllocZeroed(&run->heap, spArraySize(run->linkCount, sizeof(spRunLink)));
    run->events = spAllocZeroed(&run->heap, spArraySize(run->eventCount, sizeof(spRunEvent)));
    if ((run->links == NULL && run->linkCount > 0) || (run->events == NULL && run->eventCount > 0))
    {
        return false;
    }
    for (int i = 0; i < scene->data.bodies.count; ++i)
    {
        const spSpringsData* springs = run->bodies[i].data->springs.data;
        for (int j = 0; j < run->bodies[i].data->springs.count; ++j)
        {
            run->bodies[i].stiffness[j] = springs[j].stiffness;
            run->bodies[i].damping[j] = springs[j].damping;
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
    for (int i = 0; run->events != NULL && i < run->eventCount; ++i)
    {
        spFreeNodes(&run->heap, &run->events[i].nodes);
    }
    spFree(&run->heap, run->events, spArraySize(run->eventCount, sizeof(spRunEvent)));
    spFree(&run->heap, run->links, spArraySize(run->linkCount, sizeof(spRunLink)));
}

// ---------------------------------------------------------------------------------------------------------
// Events

static void spPlayGrab(spRun* run, spRunEvent* event, spProblems* problems)
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
    spMakeLink(run, &run->links[event->link], &def, &event->data->head, problems);
    spFreeNodes(&run->heap, &nodes);
}

static void spPlayMove(spRun* run, spRunEvent* event, double time, spProblems* problems)
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

// Sums the forces that pull at a body and hands them to the nodes of one of its events
static void spApplyForces(spRun* run, const spRunEvent* changed, spProblems* problems)
{
    const spRunBody* body = &run->bodies[changed->body];
    memset(run->forces, 0, (size_t)body->nodeCount * sizeof(spDVec3));
    for (int i = 0; i < run->eventCount; ++i)
    {
        const spRunEvent* event = &run->events[i];
        for (int j = 0; event->pulling && event->body == changed->body && j < event->nodes.count; ++j)
        {
            spDVec3* force = &run->forces[event->nodes.data[j]];
            force->x += event->data->force.x;
            force->y += event->data->force.y;
            force->z += event->data->force.z;
        }
    }
    for (int i = 0; i < changed->nodes.count; ++i)
    {
        int node = changed->nodes.data[i];
        if (!spBody_SetNodeForce(run->world, body->id, node, spToVec3(run->forces[node])))
        {
            spReportWorld(problems, run->world, &changed->data->head, NULL, "this force cannot be set");
            return;
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

static void spPlaySet(spRun* run, const spRunEvent* event, spProblems* problems)
{
    const spEventData* data = event->data;
    const spObjectHead* head = &data->head;
    bool good = true;
    if (spIsGiven(head, &data->gravity))
    {
        good &= spWorld_SetGravity(run->world, spToVec3(data->gravity));
    }
    if (event->body < 0)
    {
        return;
    }
    spRunBody* body = &run->bodies[event->body];
    if (spIsGiven(head, &data->stiffness) || spIsGiven(head, &data->damping))
    {
        double* stiffness = &body->stiffness[data->index];
        double* damping = &body->damping[data->index];
        *stiffness = spIsGiven(head, &data->stiffness) ? data->stiffness : *stiffness;
        *damping = spIsGiven(head, &data->damping) ? data->damping : *damping;
        good &= spBody_SetSprings(run->world, body->id, body->springSets[data->index], (spReal)*stiffness,
                                  (spReal)*damping);
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
        const spTetChangeData* tets = &data->tets;
        const spObjectHead* given = &tets->head;
        body->youngModulus = spIsGiven(given, &tets->youngModulus) ? tets->youngModulus : body->youngModulus;
        body->poissonRatio = spIsGiven(given, &tets->poissonRatio) ? tets->poissonRatio : body->poissonRatio;
        body->tetDamping = spIsGiven(given, &tets->damping) ? tets->damping : body->tetDamping;
        good &= spBody_SetTets(run->world, body->id, body->tetSet, (spReal)body->youngModulus,
                               (spReal)body->poissonRatio, (spReal)body->tetDamping);
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
    if (spIsGiven(head, &data->method))
    {
        const int32_t* edges = spBody_GetEdges(run->world, body->id, NULL);
        spMethodDef method = spMakeMethod(&data->method, &body->data->mesh, edges);
        method.solver.age = run->live ? 0 : method.solver.age;
        good &= spBody_SetMethod(run->world, body->id, &method);
    }
    if (!good)
    {
        spReportWorld(problems, run->world, head, NULL, "this cannot be set");
    }
}

static void spPlayEvent(spRun* run, spRunEvent* event, double time, spProblems* problems)
{
    switch (event->data->type)
    {
        case sp_eventGrab:
            spPlayGrab(run, event, problems);
            break;
        case sp_eventMove:
            spPlayMove(run, event, time, problems);
            break;
        case sp_eventRelease:
            spDestroyLink(run->world, run->links[event->link].id);
            run->links[event->link] = (spRunLink){0};
            break;
        case sp_eventSet:
            spPlaySet(run, event, problems);
            break;
        case sp_eventForce:
            if (spSelectNow(run, &event->data->nodes, event->body, &event->nodes, problems))
            {
                event->pulling = true;
                spApplyForces(run, event, problems);
            }
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

static void spMoveColliders(spRun* run, double time)
{
    for (int i = 0; i < run->scene->data.colliders.count; ++i)
    {
        const spColliderData* data = (const spColliderData*)run->scene->data.colliders.data + i;
        if (spIsGiven(&data->head, &data->motion))
        {
            spCollider_MoveTo(run->world, run->colliders[i], spGetMotionPose(data, time + run->dt));
        }
    }
}

static void spEndForces(spRun* run, double time, spProblems* problems)
{
    for (int i = 0; i < run->nextEvent; ++i)
    {
        spRunEvent* event = &run->events[i];
        if (event->pulling && event->data->duration > 0.0 &&
            time >= event->data->time + event->data->duration - 1e-3 * run->dt)
        {
            event->pulling = false;
            spApplyForces(run, event, problems);
            spFreeNodes(&run->heap, &event->nodes);
        }
    }
}

uint32_t spPlayTimeline(spRun* run, double time)
{
    spProblems problems = {.places = &run->scene->places};
    spEndForces(run, time, &problems);

    // A thousandth of a step early: time is a sum of rounded steps
    while (run->nextEvent < run->eventCount &&
           run->events[run->nextEvent].data->time <= time + 1e-3 * run->dt)
    {
        spPlayEvent(run, &run->events[run->nextEvent], time, &problems);
        run->nextEvent += 1;
    }
    spMoveHands(run, time, &problems);
    spMoveColliders(run, time);
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
