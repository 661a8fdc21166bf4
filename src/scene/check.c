// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// What the table cannot say about a scene: names that must be unlike, references that must lead somewhere,
// keys that exclude each other, numbers that contradict each other. The world is not needed here; what only
// shows while it is built is reported by build.c.

#include "scene/scene_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct spChecker
{
    spScene* scene;
    const spSceneData* data;
    spProblems* problems;
    bool outOfMemory;
} spChecker;

static const char* spGetBodyName(int index, const void* context)
{
    return ((const spBodyData*)((const spScene*)context)->data.bodies.data)[index].name;
}

static const char* spGetColliderName(int index, const void* context)
{
    return ((const spColliderData*)((const spScene*)context)->data.colliders.data)[index].name;
}

static const char* spGetLinkWord(int index, const void* context)
{
    return spGetLinkName(context, index);
}

static const char* spGetMaterialWord(int index, const void* context)
{
    SP_UNUSED(context);
    return spGetMaterial(index)->name;
}

int spFindBodyIndex(const spScene* scene, const char* name)
{
    for (int i = 0; i < scene->data.bodies.count; ++i)
    {
        if (strcmp(spGetBodyName(i, scene), name) == 0)
        {
            return i;
        }
    }
    return -1;
}

spBodyData* spFindBodyData(const spScene* scene, const char* name)
{
    int index = spFindBodyIndex(scene, name);
    return index >= 0 ? (spBodyData*)scene->data.bodies.data + index : NULL;
}

int spFindColliderIndex(const spScene* scene, const char* name)
{
    for (int i = 0; i < scene->data.colliders.count; ++i)
    {
        if (strcmp(spGetColliderName(i, scene), name) == 0)
        {
            return i;
        }
    }
    return -1;
}

int spGetLinkCount(const spScene* scene)
{
    return scene->data.attachments.count + scene->data.events.count;
}

const char* spGetLinkName(const spScene* scene, int link)
{
    if (link < scene->data.attachments.count)
    {
        return ((const spAttachmentData*)scene->data.attachments.data)[link].name;
    }
    const spEventData* event =
        (const spEventData*)scene->data.events.data + (link - scene->data.attachments.count);
    return event->type == sp_eventGrab ? event->name : "";
}

int spFindLinkIndex(const spScene* scene, const char* name)
{
    for (int i = 0; name[0] != 0 && i < spGetLinkCount(scene); ++i)
    {
        if (strcmp(spGetLinkName(scene, i), name) == 0)
        {
            return i;
        }
    }
    return -1;
}

// ---------------------------------------------------------------------------------------------------------
// Names and references

// Names objects that have none: kind, kind2, kind3 ...
static const char* spMakeName(spChecker* checker, const char* kind, int index)
{
    char name[64];
    int length = index == 0 ? snprintf(name, sizeof(name), "%s", kind)
                            : snprintf(name, sizeof(name), "%s%d", kind, index + 1);
    const char* copy = spPoolCopy(&checker->scene->pool, name, (size_t)length);
    checker->outOfMemory |= copy == NULL;
    return copy != NULL ? copy : "";
}

static void spCheckName(spChecker* checker, const spObjectHead* head, const char* const* name, int index,
                        spWordFcn* getName)
{
    if (spIsGiven(head, name) && ((*name)[0] == 0 || strlen(*name) > 63))
    {
        spReport(checker->problems, head, name, "a name has 1 to 63 bytes, but this one has %zu",
                 strlen(*name));
    }
    for (int i = 0; i < index; ++i)
    {
        if (strcmp(getName(i, checker->scene), *name) == 0)
        {
            spReport(checker->problems, head, name, "the name \"%s\" is taken already", *name);
            return;
        }
    }
}

// Reports a reference that leads nowhere, with the nearest name. An absent reference is not looked at.
static void spCheckReference(spChecker* checker, const spObjectHead* head, const char* const* name,
                             const char* kind, int count, spWordFcn* getName)
{
    if (!spIsGiven(head, name))
    {
        return;
    }
    for (int i = 0; i < count; ++i)
    {
        if ((*name)[0] != 0 && strcmp(getName(i, checker->scene), *name) == 0)
        {
            return;
        }
    }
    const char* nearest = spFindNearestWord(*name, count, getName, checker->scene);
    spReport(checker->problems, head, name,
             nearest != NULL ? "no %s is called \"%.60s\"; did you mean \"%s\"?"
                             : "no %s is called \"%.60s\"",
             kind, *name, nearest);
}

static void spCheckBodyReference(spChecker* checker, const spObjectHead* head, const char* const* name)
{
    spCheckReference(checker, head, name, "body", checker->data->bodies.count, spGetBodyName);
}

static void spCheckColliderReference(spChecker* checker, const spObjectHead* head, const char* const* name)
{
    spCheckReference(checker, head, name, "collider", checker->data->colliders.count, spGetColliderName);
}

static void spCheckExclusive(spChecker* checker, const spObjectHead* head, const void* a, const void* b)
{
    if (spIsGiven(head, a) && spIsGiven(head, b))
    {
        spReport(checker->problems, head, b, "\"%s\" and \"%s\" exclude each other: give one of them",
                 head->schema->keys[spFindRow(head, a)].name, head->schema->keys[spFindRow(head, b)].name);
    }
}

// ---------------------------------------------------------------------------------------------------------
// Parts

static void spCheckRotation(spChecker* checker, const spRotationData* rotation)
{
    spCheckExclusive(checker, &rotation->head, &rotation->axis, &rotation->euler);
    spCheckExclusive(checker, &rotation->head, &rotation->angle, &rotation->euler);
}

static void spCheckRegion(spChecker* checker, const spRegionData* region)
{
    const spObjectHead* head = &region->head;
    if (head->keyPlaces == NULL)
    {
        return; // absent, which the reader reports where it matters
    }
    int given = spIsGiven(head, &region->nodes) + spIsGiven(head, &region->box) +
                spIsGiven(head, &region->sphere) + spIsGiven(head, &region->nearest);
    bool tried = false; // a wrong value was reported already
    for (int i = 0; i < head->schema->keyCount; ++i)
    {
        tried |= head->keyPlaces[i] >= 0;
    }
    if (given != 1 && !(given == 0 && tried))
    {
        spReport(checker->problems, head, NULL,
                 "a region needs exactly one of \"nodes\", \"box\", \"sphere\", \"nearest\", but has %d",
                 given);
    }
    if (spIsGiven(head, &region->nodes) && region->nodes.count == 0)
    {
        spReport(checker->problems, head, &region->nodes, "the list of nodes is empty");
    }
    const spBoxData* box = &region->box;
    if (box->lower.x > box->upper.x || box->lower.y > box->upper.y || box->lower.z > box->upper.z)
    {
        spReport(checker->problems, &box->head, &box->lower, "\"lower\" is above \"upper\" along some axis");
    }
}

static void spCheckPositive(spChecker* checker, const spObjectHead* head, const spDVec3* v)
{
    if (!(v->x > 0.0 && v->y > 0.0 && v->z > 0.0))
    {
        spReport(checker->problems, head, v, "all three numbers must be greater than 0");
    }
}

// What a generator will make; 0 for a file
static double spEstimateVertexCount(const spMeshData* mesh)
{
    double n = mesh->resolution;
    switch (mesh->generator)
    {
        case sp_generateBox:
        case sp_generateBeam:
            return (mesh->cells[0] + 1.0) * (mesh->cells[1] + 1.0) * (mesh->cells[2] + 1.0);
        case sp_generateBall:
            return 9.0 * n * n * n;
        case sp_generateCylinder:
            return 5.0 * n * n * (1.0 + n * mesh->height / mesh->radius);
        case sp_generateTorus:
            return 5.0 * n * n * (1.0 + 6.3 * n * mesh->radius / mesh->tubeRadius);
        case sp_generateCloth:
            return (double)mesh->countX * mesh->countZ;
        case sp_generateIcosphere:
            return (10.0 * pow(4.0, mesh->level) + 2.0) * mesh->layers;
        case sp_generateDisc:
            return (double)mesh->points * mesh->layers;
        case sp_generateLattice:
            return (double)mesh->counts[0] * mesh->counts[1] * mesh->counts[2];
        default:
            return 0.0;
    }
}

static void spCheckMesh(spChecker* checker, const spMeshData* mesh)
{
    const spObjectHead* head = &mesh->head;
    if (head->keyPlaces == NULL)
    {
        return;
    }
    bool file = spIsGiven(head, &mesh->file), fill = spIsGiven(head, &mesh->fill);
    bool generator = head->keyPlaces[spFindRow(head, &mesh->generator)] >= 0;
    if (file + fill + generator != 1)
    {
        const void* member = generator ? (const void*)&mesh->generator
                             : fill    ? (const void*)&mesh->fill
                                       : NULL;
        spReport(checker->problems, head, member,
                 "a mesh needs one of \"file\", \"fill\" and \"generator\"%s",
                 file || fill ? ", not two of them" : "");
    }
    if (spIsGiven(head, &mesh->fillSize) && !fill)
    {
        spReport(checker->problems, head, &mesh->fillSize,
                 "only of use with \"fill\", or with another \"generator\"");
    }
    const void* ofFill[] = {&mesh->growth, &mesh->sharp};
    for (int i = 0; i < 2; ++i)
    {
        if (spIsGiven(head, ofFill[i]) && !fill)
        {
            spReport(checker->problems, head, ofFill[i], "only of use with \"fill\"");
        }
    }
    if (spIsGiven(head, &mesh->size))
    {
        spCheckPositive(checker, head, &mesh->size);
    }
    if (mesh->generator == sp_generateTorus && mesh->tubeRadius >= mesh->radius)
    {
        spReport(checker->problems, head, &mesh->tubeRadius, "\"tubeRadius\" must be below \"radius\"");
    }
    if ((mesh->generator == sp_generateIcosphere || mesh->generator == sp_generateDisc) &&
        (mesh->layers - 1) * mesh->layerDistance >= mesh->radius)
    {
        spReport(checker->problems, head, &mesh->layers,
                 "%d layers %g m apart do not fit into a radius of %g m", mesh->layers, mesh->layerDistance,
                 mesh->radius);
    }
    double vertexCount = spEstimateVertexCount(mesh);
    if (vertexCount > SP_SCENE_MAX_VERTICES)
    {
        spReport(checker->problems, head, NULL,
                 "the generator would make about %.3g vertices; the limit is %d", vertexCount,
                 SP_SCENE_MAX_VERTICES);
    }
}

// Whether a body gets tets when its mesh has some
static bool spHasTets(const spBodyData* body)
{
    bool implied = body->material[0] != 0 && body->springs.count == 0 && body->constraints.count == 0;
    return spIsGiven(&body->head, &body->tets) || implied;
}

static void spCheckStrength(spChecker* checker, const spBodyData* body, const spObjectHead* head,
                            const double* strength)
{
    if (spIsGiven(head, strength) && body->nodeRoom == 0)
    {
        spReport(checker->problems, head, strength, "a body that tears needs a \"nodeRoom\"");
    }
}

static void spCheckTets(spChecker* checker, const spBodyData* body)
{
    const spTetsData* tets = &body->tets;
    const spObjectHead* head = &tets->head;
    spCheckExclusive(checker, head, &tets->youngModulus, &tets->lameMu);
    spCheckExclusive(checker, head, &tets->poissonRatio, &tets->lameMu);
    spCheckExclusive(checker, head, &tets->youngModulus, &tets->field);
    spCheckExclusive(checker, head, &tets->lameMu, &tets->field);
    if (spIsGiven(head, &tets->lameMu) != spIsGiven(head, &tets->lameLambda))
    {
        spReport(checker->problems, head, NULL, "\"lameLambda\" and \"lameMu\" are only of use together");
    }
    else if (spIsGiven(head, &tets->lameMu) && !(3.0 * tets->lameLambda + 2.0 * tets->lameMu > 0.0))
    {
        spReport(checker->problems, head, &tets->lameLambda,
                 "must be above -2/3 of \"lameMu\": a body must resist pressure");
    }
    if (spIsGiven(head, &tets->mooney) && tets->law != sp_tetMooneyRivlin)
    {
        spWarn(checker->problems, head, &tets->mooney, "only the law \"mooneyRivlin\" has a use for this");
    }
    spCheckStrength(checker, body, head, &tets->strength);
    if (spIsGiven(head, &tets->field) && !spIsGiven(&body->mesh.head, &body->mesh.file))
    {
        spReport(checker->problems, head, &tets->field, "needs a mesh from a file: there the values are");
    }
    const spTetRegionData* regions = tets->regions.data;
    for (int i = 0; i < tets->regions.count; ++i)
    {
        if (spIsGiven(head, &tets->field) && spIsGiven(&regions[i].head, &regions[i].youngModulus))
        {
            spReport(checker->problems, &regions[i].head, &regions[i].youngModulus,
                     "Young's moduli come from \"field\" already: leave one of both out");
        }
        if (spIsGiven(&regions[i].head, &regions[i].density) && spIsGiven(&body->head, &body->nodeMass))
        {
            spReport(checker->problems, &regions[i].head, &regions[i].density,
                     "all nodes have \"nodeMass\" already: leave one of both out");
        }
        for (int k = 0; k < i; ++k)
        {
            if (regions[k].region == regions[i].region)
            {
                spReport(checker->problems, &regions[i].head, &regions[i].region,
                         "region %d has a material already", regions[i].region);
                break;
            }
        }
    }
}

// A group of edges (spSpringEdges) must be one that the mesh has
static void spCheckEdges(spChecker* checker, const spObjectHead* head, const int* edges,
                         const spMeshData* mesh)
{
    if (*edges != sp_edgesAll && mesh->generator != sp_generateCloth)
    {
        spReport(checker->problems, head, edges, "only the mesh generator \"cloth\" has this group");
    }
    else if ((*edges == sp_edgesShear && !mesh->shear) || (*edges == sp_edgesBend && !mesh->bend))
    {
        spReport(checker->problems, head, edges, "the mesh was asked not to have these edges");
    }
}

static void spCheckSprings(spChecker* checker, const spBodyData* body, const spSpringsData* springs)
{
    const spObjectHead* head = &springs->head;
    spCheckExclusive(checker, head, &springs->stiffness, &springs->youngModulus);
    spCheckExclusive(checker, head, &springs->edges, &springs->pairs);
    spCheckStrength(checker, body, head, &springs->strength);
    spCheckEdges(checker, head, &springs->edges, &body->mesh);
}

static void spCheckConstraints(spChecker* checker, const spBodyData* body)
{
    const spConstraintsData* sets = body->constraints.data;
    for (int i = 0; i < body->constraints.count; ++i)
    {
        const spConstraintsData* set = &sets[i];
        const spObjectHead* head = &set->head;
        spCheckExclusive(checker, head, &set->edges, &set->nodes);
        spCheckExclusive(checker, head, &set->region, &set->nodes);
        spCheckEdges(checker, head, &set->edges, &body->mesh);
        spCheckRegion(checker, &set->region);
        if (spIsGiven(head, &set->nodes) && set->nodes.count == 0)
        {
            spReport(checker->problems, head, &set->nodes, "the list of nodes is empty");
        }
        if (set->damping > 0.0 && set->compliance == 0.0)
        {
            spWarn(checker->problems, head, &set->damping,
                   "without effect where nothing gives way: set \"compliance\" above 0");
        }
    }
    if (body->constraints.count > 0 && body->method.type != sp_xpbd && body->method.type != sp_methodAuto)
    {
        spReport(checker->problems, &body->head, &body->constraints,
                 "only the method \"xpbd\" keeps constraints: choose it, or take springs, tets and gas");
    }
}

static void spCheckSolver(spChecker* checker, const spMethodData* method)
{
    const spSolverData* solver = &method->solver;
    const spObjectHead* head = &solver->head;
    if (!spIsImplicit(method->type) && method->type != sp_methodAuto)
    {
        if (spIsGiven(&method->head, solver))
        {
            spWarn(checker->problems, &method->head, solver,
                   "this method solves no system and ignores the solver: backwardEuler, bdf2, imex and "
                   "quasiStatic have one");
        }
        return;
    }
    if (spIsGiven(head, &solver->dropTolerance) && solver->preconditioner != sp_preconditionIncomplete)
    {
        spWarn(checker->problems, head, &solver->dropTolerance,
               "only the preconditioner \"incompleteCholesky\" has a use for this");
    }
    if (spIsGiven(head, &solver->age) && !solver->asynchronous &&
        solver->preconditioner != sp_preconditionAuto)
    {
        spWarn(checker->problems, head, &solver->age,
               "only an asynchronous preconditioner has a use for this: set \"asynchronous\" to true");
    }
    if (spIsGiven(head, &solver->newtonSteps) && solver->newtonSteps > 1 && method->type == sp_imex)
    {
        spWarn(checker->problems, head, &solver->newtonSteps, "imex has one linearisation in each step");
    }
    if (method->type == sp_quasiStatic && solver->newtonSteps == 1)
    {
        spWarn(checker->problems, head, &solver->newtonSteps,
               "one linearisation in each step does not reach equilibrium: leave it to \"auto\"");
    }
}

static void spCheckXpbd(spChecker* checker, const spMethodData* method)
{
    const spXpbdData* xpbd = &method->xpbd;
    const spObjectHead* head = &xpbd->head;
    int accelerator = xpbd->accelerator;
    if (method->type != sp_xpbd && method->type != sp_methodAuto)
    {
        if (spIsGiven(&method->head, xpbd))
        {
            spWarn(checker->problems, &method->head, xpbd,
                   "this method projects no constraints and ignores this: only xpbd does");
        }
        return;
    }
    if (accelerator != sp_accelerateNone && xpbd->solver == sp_xpbdAuto)
    {
        spWarn(checker->problems, head, &xpbd->accelerator,
               "the solver \"auto\" chooses by itself: set \"solver\" to \"gaussSeidel\" or \"jacobi\"");
    }
    bool relaxes = accelerator == sp_accelerateSor || accelerator == sp_accelerateLambdaSor ||
                   accelerator == sp_accelerateAndersonPrinted;
    if (spIsGiven(head, &xpbd->relaxation) && relaxes == false)
    {
        spWarn(checker->problems, head, &xpbd->relaxation,
               "only the accelerators \"sor\", \"lambdaSor\" and \"andersonPrinted\" have a use for this");
    }
    bool mixes = accelerator == sp_accelerateAnderson || accelerator == sp_accelerateAndersonPrinted;
    const void* mixing[] = {&xpbd->window, &xpbd->conditionLimit, &xpbd->safeguard};
    for (int i = 0; i < SP_COUNT(mixing) && mixes == false; ++i)
    {
        if (spIsGiven(head, mixing[i]))
        {
            spWarn(checker->problems, head, mixing[i],
                   "only the accelerators \"anderson\" and \"andersonPrinted\" have a use for this");
        }
    }
    const void* weights[] = {&xpbd->radius, &xpbd->delay};
    for (int i = 0; i < SP_COUNT(weights) && accelerator != sp_accelerateChebyshev; ++i)
    {
        if (spIsGiven(head, weights[i]))
        {
            spWarn(checker->problems, head, weights[i],
                   "only the accelerator \"chebyshev\" has a use for this");
        }
    }
}

static void spCheckMethod(spChecker* checker, const spMethodData* method, const spMeshData* mesh)
{
    const spFilterData* filter = &method->filter;
    spCheckSolver(checker, method);
    spCheckXpbd(checker, method);
    if (filter->type != sp_filterNone && (spIsImplicit(method->type) || method->type == sp_xpbd ||
                                          method->type == sp_rigid || method->type == sp_multiresolution))
    {
        spReport(checker->problems, &method->head, filter,
                 "implicit methods, xpbd, rigid and multiresolution have no velocity filter: leave it out or "
                 "choose an explicit "
                 "method");
    }
    spCheckExclusive(checker, &filter->head, &filter->neighbours, &filter->pairs);
    if (filter->neighbours != sp_neighboursAll && mesh->generator != sp_generateCloth)
    {
        spReport(checker->problems, &filter->head, &filter->neighbours,
                 "only the mesh generator \"cloth\" has these neighbours");
    }
    else if (filter->neighbours == sp_neighboursShear && !mesh->shear)
    {
        spReport(checker->problems, &filter->head, &filter->neighbours,
                 "the mesh was asked not to have shear edges");
    }
}

static void spCheckMass(spChecker* checker, const spBodyData* body)
{
    const spObjectHead* head = &body->head;
    const spMeshData* mesh = &body->mesh;
    spCheckExclusive(checker, head, &body->density, &body->nodeMass);
    bool nodeMass = spIsGiven(head, &body->nodeMass);
    bool density = spIsGiven(head, &body->density);
    bool edgesOnly = mesh->generator == sp_generateDisc || mesh->generator == sp_generateLattice ||
                     (mesh->generator == sp_generateIcosphere && mesh->layers > 1);
    if (edgesOnly && !nodeMass)
    {
        spReport(checker->problems, head, density ? (const void*)&body->density : NULL,
                 "this mesh has neither volume nor area for a density: give \"nodeMass\"");
    }
}

static void spCheckMotion(spChecker* checker, const spMotionData* motion)
{
    const spObjectHead* head = &motion->head;
    spCheckExclusive(checker, head, &motion->keyframes, &motion->sinusoid);
    spCheckExclusive(checker, head, &motion->keyframes, &motion->spin);
    const spKeyframeData* frames = motion->keyframes.data;
    for (int i = 0; i < motion->keyframes.count; ++i)
    {
        spCheckRotation(checker, &frames[i].rotation);
        if (i > 0 && frames[i].time <= frames[i - 1].time)
        {
            spReport(checker->problems, &frames[i].head, &frames[i].time,
                     "keyframes go forward in time, but %g s does not come after %g s", frames[i].time,
                     frames[i - 1].time);
        }
    }
    if (motion->loop && motion->keyframes.count < 2)
    {
        spReport(checker->problems, head, &motion->loop, "a loop needs at least two keyframes");
    }
    if (motion->keyframes.count == 0 && !spIsGiven(head, &motion->sinusoid) &&
        !spIsGiven(head, &motion->spin))
    {
        spWarn(checker->problems, head, NULL,
               "this motion does nothing: give keyframes, a sinusoid or a spin");
    }
}

static void spCheckBody(spChecker* checker, spBodyData* body, int index)
{
    const spObjectHead* head = &body->head;
    if (!spIsGiven(head, &body->name))
    {
        body->name = spMakeName(checker, "body", index);
    }
    spCheckName(checker, head, &body->name, index, spGetBodyName);
    spCheckMesh(checker, &body->mesh);
    spCheckMesh(checker, &body->surface);
    spCheckRotation(checker, &body->transform.rotation);
    spCheckMass(checker, body);
    if (spIsGiven(head, &body->material) && spFindMaterial(body->material) == NULL)
    {
        const char* nearest =
            spFindNearestWord(body->material, spGetMaterialCount(), spGetMaterialWord, NULL);
        spReport(checker->problems, head, &body->material,
                 nearest != NULL ? "unknown material \"%.60s\"; did you mean \"%s\"?"
                                 : "unknown material \"%.60s\"; 'souple materials' lists all",
                 body->material, nearest);
    }
    bool tets = spIsGiven(head, &body->tets);
    if (tets)
    {
        spCheckTets(checker, body);
    }
    const spSpringsData* springs = body->springs.data;
    for (int i = 0; i < body->springs.count; ++i)
    {
        spCheckSprings(checker, body, &springs[i]);
    }
    spCheckConstraints(checker, body);
    spCheckExclusive(checker, &body->bends.head, &body->bends.stiffness, &body->bends.youngModulus);
    spCheckMethod(checker, &body->method, &body->mesh);
    for (int i = 0; i < body->levels.count; ++i)
    {
        spCheckMesh(checker, (const spMeshData*)body->levels.data + i);
    }
    if (body->method.type == sp_multiresolution && body->levels.count == 0)
    {
        spReport(
            checker->problems, &body->method.head, &body->method.type,
            "this method needs \"levels\": coarser meshes of the shape of \"mesh\", from coarse to fine");
    }
    if (spIsGiven(head, &body->joint) && body->method.type != sp_rigid)
    {
        spReport(checker->problems, head, &body->joint,
                 "only rigid bodies have joints: give \"method\": \"rigid\", or \"pins\" in its place");
    }
    bool gas = spIsGiven(head, &body->gas);
    if (gas)
    {
        spCheckExclusive(checker, &body->gas.head, &body->gas.knrt, &body->gas.restPressure);
        if (spIsGiven(&body->gas.head, &body->gas.outline) && body->gas.outline.count < 3)
        {
            spReport(checker->problems, &body->gas.head, &body->gas.outline,
                     "an outline has at least 3 nodes");
        }
    }
    bool empty = body->springs.count == 0 && body->constraints.count == 0 && !gas && !tets;
    if (empty && body->material[0] == 0 && body->method.type != sp_rigid)
    {
        spWarn(checker->problems, head, NULL,
               "body \"%s\" has neither tets nor springs nor gas: nothing holds its nodes together",
               body->name);
    }
    const spFieldData* fields = body->fields.data;
    for (int i = 0; i < body->fields.count; ++i)
    {
        if (fields[i].type == sp_fieldRepulsiveGround && fields[i].cutoff <= fields[i].minDistance)
        {
            spReport(checker->problems, &fields[i].head, &fields[i].cutoff,
                     "\"cutoff\" must be above \"minDistance\"");
        }
    }
    const spRegionData* pins = body->pins.data;
    for (int i = 0; i < body->pins.count; ++i)
    {
        spCheckRegion(checker, &pins[i]);
        if (spIsGiven(&pins[i].head, &pins[i].motion))
        {
            spCheckMotion(checker, &pins[i].motion);
        }
    }
}

// Most points of a height field along a side
#define SP_MOST_HEIGHTS 2048

static void spCheckShape(spChecker* checker, const spColliderData* collider)
{
    const spObjectHead *head = &collider->head, *placement = &collider->transform.head;
    bool fromMesh = (spShape_GetSizes((spShape)collider->shape) & sp_sizeMesh) != 0;
    spDVec3 scale = collider->transform.scale;
    if (!fromMesh && (scale.x != 1.0 || scale.y != 1.0 || scale.z != 1.0))
    {
        spReport(checker->problems, placement, &collider->transform.scale,
                 "only a collider made from a mesh can be scaled: give this one another size");
    }
    if (fromMesh)
    {
        spCheckMesh(checker, &collider->mesh);
    }
    if (fromMesh && spIsGiven(&collider->mesh.head, &collider->mesh.fill))
    {
        spReport(checker->problems, &collider->mesh.head, &collider->mesh.fill,
                 "a collider needs no tets inside: give its surface as \"file\"");
    }
    if (collider->shape == sp_shapeHeightField && !(collider->size / collider->spacing < SP_MOST_HEIGHTS))
    {
        spReport(checker->problems, head, &collider->spacing,
                 "%g m in steps of %g m makes more than %d heights along a side", collider->size,
                 collider->spacing, SP_MOST_HEIGHTS);
    }
}

static void spCheckCollider(spChecker* checker, spColliderData* collider, int index)
{
    const spObjectHead* head = &collider->head;
    if (!spIsGiven(head, &collider->name))
    {
        collider->name = spMakeName(checker, "collider", index);
    }
    spCheckName(checker, head, &collider->name, index, spGetColliderName);
    spCheckRotation(checker, &collider->transform.rotation);
    if (spIsGiven(head, &collider->halfSize))
    {
        spCheckPositive(checker, head, &collider->halfSize);
    }
    if (spIsGiven(head, &collider->motion))
    {
        spCheckMotion(checker, &collider->motion);
    }
    spCheckShape(checker, collider);
}

static void spCheckPair(spChecker* checker, const spPairData* pair, int index)
{
    spCheckBodyReference(checker, &pair->head, &pair->body);
    spCheckColliderReference(checker, &pair->head, &pair->collider);
    spCheckBodyReference(checker, &pair->head, &pair->otherBody);
    spCheckExclusive(checker, &pair->head, &pair->collider, &pair->otherBody);
    if (pair->collider[0] == 0 && pair->otherBody[0] == 0)
    {
        spReport(checker->problems, &pair->head, NULL,
                 "give \"collider\" or \"otherBody\": a pair with what?");
    }
    if (pair->collider[0] != 0 && spIsGiven(&pair->head, &pair->detector))
    {
        spReport(checker->problems, &pair->head, &pair->detector,
                 "contacts with colliders are found by distance: \"detector\" is for \"otherBody\"");
    }
    if (pair->collider[0] != 0 && spIsGiven(&pair->head, &pair->cells))
    {
        spReport(checker->problems, &pair->head, &pair->cells,
                 "contacts with colliders have no volume to cut up: \"cells\" is for \"otherBody\"");
    }
    bool material = spIsGiven(&pair->head, &pair->touch) || spIsGiven(&pair->head, &pair->friction) ||
                    spIsGiven(&pair->head, &pair->restitution);
    if (pair->otherBody[0] != 0 && material)
    {
        spReport(checker->problems, &pair->head, &pair->otherBody,
                 "only \"detector\" and \"cells\" count between two bodies: friction and restitution are "
                 "those of the "
                 "bodies");
    }
    const spPairData* pairs = checker->data->pairs.data;
    for (int i = 0; i < index; ++i)
    {
        if (strcmp(pairs[i].body, pair->body) == 0 && strcmp(pairs[i].collider, pair->collider) == 0 &&
            strcmp(pairs[i].otherBody, pair->otherBody) == 0)
        {
            spReport(checker->problems, &pair->head, &pair->body, "this pair is there already, as pairs[%d]",
                     i);
            return;
        }
    }
}

static void spCheckAttachment(spChecker* checker, const spAttachmentData* attachment, int index)
{
    const spObjectHead* head = &attachment->head;
    spCheckBodyReference(checker, head, &attachment->body);
    spCheckBodyReference(checker, head, &attachment->otherBody);
    spCheckColliderReference(checker, head, &attachment->collider);
    spCheckExclusive(checker, head, &attachment->collider, &attachment->otherBody);
    spCheckRegion(checker, &attachment->nodes);
    if (attachment->otherBody[0] != 0 && strcmp(attachment->otherBody, attachment->body) == 0)
    {
        spReport(checker->problems, head, &attachment->otherBody, "a body cannot be attached to itself");
    }
    if (spIsGiven(head, &attachment->name) && spFindLinkIndex(checker->scene, attachment->name) != index)
    {
        spReport(checker->problems, head, &attachment->name, "the name \"%.60s\" is empty or taken already",
                 attachment->name);
    }
}

// ---------------------------------------------------------------------------------------------------------
// Events and measurements

static void spCheckTetChange(spChecker* checker, const spEventData* event, const spBodyData* body)
{
    const spTetChangeData* change = &event->tets;
    const spObjectHead* head = &change->head;
    bool modulus = spIsGiven(head, &change->youngModulus), ratio = spIsGiven(head, &change->poissonRatio);
    bool scale = spIsGiven(head, &change->scale);
    bool mixed = body->tets.regions.count > 0 || spIsGiven(&body->tets.head, &body->tets.field);
    if (!spHasTets(body))
    {
        spReport(checker->problems, &event->head, change, "body \"%s\" has no tets", body->name);
    }
    else if (!modulus && !ratio && !scale && !spIsGiven(head, &change->damping))
    {
        spReport(checker->problems, &event->head, change,
                 "this changes nothing: give \"youngModulus\", \"poissonRatio\", \"damping\" or \"scale\"");
    }
    else if (scale && (modulus || ratio || spIsGiven(head, &change->damping)))
    {
        spReport(checker->problems, head, &change->scale,
                 "\"scale\" keeps the materials, and the other numbers replace them: give it alone");
    }
    else if (spIsGiven(&body->head, &body->tets) && mixed && !(modulus && ratio) && !scale)
    {
        spReport(checker->problems, &event->head, change,
                 "these tets have several materials: give \"scale\", or \"youngModulus\" and "
                 "\"poissonRatio\", which all get");
    }
}

static void spCheckConstraintChange(spChecker* checker, const spEventData* event, const spBodyData* body)
{
    const spConstraintChangeData* change = &event->constraints;
    if (event->index >= body->constraints.count)
    {
        spReport(checker->problems, &event->head, &event->index,
                 "body \"%s\" has %d sets of constraints, so there is no number %d", body->name,
                 body->constraints.count, event->index);
    }
    else if (!spIsGiven(&change->head, &change->compliance) && !spIsGiven(&change->head, &change->damping))
    {
        spReport(checker->problems, &event->head, change,
                 "this changes nothing: give \"compliance\" or \"damping\"");
    }
}

// What is greater than 0 in the file must be so for the world
static void spCheckTiny(spChecker* checker, const spObjectHead* head, const double* value)
{
    if (spIsGiven(head, value) && !((spReal)*value > 0))
    {
        spReport(checker->problems, head, value, "%g is too small to be told from 0", *value);
    }
}

static void spCheckSet(spChecker* checker, const spEventData* event)
{
    const spObjectHead* head = &event->head;
    bool springs = spIsGiven(head, &event->stiffness) || spIsGiven(head, &event->damping) ||
                   spIsGiven(head, &event->youngModulus) || spIsGiven(head, &event->activation);
    bool tets = spIsGiven(head, &event->tets);
    bool gas = spIsGiven(head, &event->knrt);
    bool field = spIsGiven(head, &event->coefficient);
    bool bends = spIsGiven(head, &event->bendStiffness);
    bool wind = spIsGiven(head, &event->wind);
    bool constraints = spIsGiven(head, &event->constraints);
    bool other = spIsGiven(head, &event->friction) || spIsGiven(head, &event->restitution) ||
                 spIsGiven(head, &event->method);
    bool motor = spIsGiven(head, &event->motorSpeed) || spIsGiven(head, &event->motorLimit);
    bool ofBody = springs || tets || gas || field || bends || wind || constraints || other || motor;
    if (!ofBody && !spIsGiven(head, &event->gravity) && !spIsGiven(head, &event->dt))
    {
        spReport(checker->problems, head, NULL,
                 "this event sets nothing: give the key to change, as in "
                 "\"stiffness\": 500");
    }
    if (ofBody && !spIsGiven(head, &event->body))
    {
        spReport(checker->problems, head, NULL, "\"body\" is missing: whose number is to be set?");
        return;
    }
    const spBodyData* body = ofBody ? spFindBodyData(checker->scene, event->body) : NULL;
    if (body == NULL)
    {
        return;
    }
    if (spIsGiven(head, &event->method))
    {
        spCheckMethod(checker, &event->method, &body->mesh);
        if (body->constraints.count > 0 && event->method.type != sp_xpbd &&
            event->method.type != sp_methodAuto)
        {
            spReport(checker->problems, head, &event->method,
                     "body \"%s\" has constraints, which only the method \"xpbd\" keeps", body->name);
        }
    }
    if (motor && (!spIsGiven(&body->head, &body->joint) || body->joint.type == sp_jointBall - 1))
    {
        spReport(checker->problems, head, NULL, "body \"%s\" has no hinge or slider for a motor to drive",
                 body->name);
    }
    if (constraints)
    {
        spCheckConstraintChange(checker, event, body);
    }
    if (springs && event->index >= body->springs.count)
    {
        spReport(checker->problems, head, &event->index,
                 "body \"%s\" has %d springs, so there is no number %d", body->name, body->springs.count,
                 event->index);
    }
    else if (spIsGiven(head, &event->youngModulus))
    {
        const spSpringsData* set = (const spSpringsData*)body->springs.data + event->index;
        bool fromModulus = spIsGiven(&set->head, &set->youngModulus) ||
                           (!spIsGiven(&set->head, &set->stiffness) && body->material[0] != 0);
        if (!fromModulus)
        {
            spReport(checker->problems, head, &event->youngModulus,
                     "these springs did not get their stiffness from a modulus: give \"stiffness\"");
        }
        spCheckExclusive(checker, head, &event->stiffness, &event->youngModulus);
        spCheckTiny(checker, head, &event->youngModulus);
    }
    if (field && event->index >= body->fields.count)
    {
        spReport(checker->problems, head, &event->index,
                 "body \"%s\" has %d fields, so there is no number %d", body->name, body->fields.count,
                 event->index);
    }
    if (tets)
    {
        spCheckTetChange(checker, event, body);
        spCheckTiny(checker, &event->tets.head, &event->tets.youngModulus);
    }
    spCheckTiny(checker, head, &event->knrt);
    if (gas && !spIsGiven(&body->head, &body->gas))
    {
        spReport(checker->problems, head, &event->knrt, "body \"%s\" has no gas", body->name);
    }
    if (bends && !spIsGiven(&body->head, &body->bends))
    {
        spReport(checker->problems, head, &event->bendStiffness, "body \"%s\" has no bends", body->name);
    }
    if (wind && !spIsGiven(&body->head, &body->wind))
    {
        spReport(checker->problems, head, &event->wind, "body \"%s\" has no wind", body->name);
    }
}

static void spCheckEdit(spChecker* checker, const spEventData* event)
{
    const spObjectHead* head = &event->head;
    int index = spFindBodyIndex(checker->scene, event->body);
    const spBodyData* body = index >= 0 ? (const spBodyData*)checker->data->bodies.data + index : NULL;
    if (body != NULL && body->nodeRoom == 0)
    {
        spReport(checker->problems, head, &event->body,
                 "body \"%s\" cannot be cut or carved: give it a \"nodeRoom\"", body->name);
    }
    int shapes =
        spIsGiven(head, &event->sphere) + spIsGiven(head, &event->box) + spIsGiven(head, &event->capsule);
    if (event->type == sp_eventCarve && shapes != 1)
    {
        spReport(checker->problems, head, NULL, "give one of \"sphere\", \"box\" and \"capsule\"");
    }
}

// What an event says of itself, whenever it happens
static void spCheckDeed(spChecker* checker, const spEventData* event)
{
    const spObjectHead* head = &event->head;
    spCheckBodyReference(checker, head, &event->body);
    spCheckRegion(checker, &event->nodes);
    bool ofState = event->type == sp_eventSave || event->type == sp_eventRestore;
    if (ofState && spIsGiven(head, &event->name) && (event->name[0] == 0 || strlen(event->name) > 63))
    {
        spReport(checker->problems, head, &event->name, "a name has 1 to 63 bytes, but this one has %zu",
                 strlen(event->name));
    }
    if (event->type == sp_eventSave && strcmp(event->name, "start") == 0)
    {
        spReport(checker->problems, head, &event->name,
                 "\"start\" is the state at the beginning: choose another name");
    }
    if (event->type == sp_eventPoke)
    {
        spCheckTiny(checker, head, &event->radius);
    }
    if (event->type == sp_eventSet)
    {
        spCheckSet(checker, event);
    }
    if (event->type == sp_eventCut || event->type == sp_eventCarve)
    {
        spCheckEdit(checker, event);
    }
    if (event->type == sp_eventDrive)
    {
        spCheckColliderReference(checker, head, &event->collider);
        spCheckExclusive(checker, head, &event->position, &event->velocity);
        bool goes = spIsGiven(head, &event->position) || spIsGiven(head, &event->rotation) ||
                    spIsGiven(head, &event->velocity);
        if (goes == false)
        {
            spReport(checker->problems, head, NULL,
                     "give \"position\", \"rotation\" or \"velocity\": where does it go?");
        }
    }
}

// A state must be saved by an event before it, unless it is the one at the beginning
static void spCheckRestore(spChecker* checker, const spEventData* event)
{
    const spEventData* events = checker->data->events.data;
    bool saved = strcmp(event->name, "start") == 0 || !spIsGiven(&event->head, &event->name);
    for (int i = 0; !saved && i < checker->data->events.count; ++i)
    {
        saved = events[i].type == sp_eventSave && strcmp(events[i].name, event->name) == 0 &&
                events[i].time <= event->time;
    }
    if (!saved)
    {
        spReport(checker->problems, &event->head, &event->name,
                 "no event saves a state \"%.60s\" before; \"start\" is the one at the beginning",
                 event->name);
    }
}

static void spCheckEvent(spChecker* checker, const spEventData* event, int index)
{
    const spObjectHead* head = &event->head;
    spCheckDeed(checker, event);
    spCheckReference(checker, head, &event->grab, "grab or attachment", spGetLinkCount(checker->scene),
                     spGetLinkWord);
    if (event->time > checker->data->duration)
    {
        spWarn(checker->problems, head, &event->time, "never happens: the scene ends at %g s",
               checker->data->duration);
    }
    int link = spFindLinkIndex(checker->scene, event->grab);
    int attachmentCount = checker->data->attachments.count;
    if (event->type == sp_eventGrab &&
        spFindLinkIndex(checker->scene, event->name) != attachmentCount + index)
    {
        spReport(checker->problems, head, &event->name, "the name \"%.60s\" is empty or taken already",
                 event->name);
    }
    if (event->type == sp_eventMove && link >= 0 && link < attachmentCount)
    {
        const spAttachmentData* attachment = (const spAttachmentData*)checker->data->attachments.data + link;
        if (attachment->collider[0] != 0 || attachment->otherBody[0] != 0)
        {
            spReport(checker->problems, head, &event->grab,
                     "an attachment to a collider or body moves with it: move that instead");
        }
    }
    if (link >= attachmentCount)
    {
        const spEventData* grab = (const spEventData*)checker->data->events.data + (link - attachmentCount);
        if (grab->time > event->time)
        {
            spReport(checker->problems, head, &event->time, "\"%s\" grabs only at %g s, after this event",
                     event->grab, grab->time);
        }
    }
    if (event->type == sp_eventRestore)
    {
        spCheckRestore(checker, event);
    }
}

void spCheckAct(const spScene* scene, const spEventData* event, spProblems* problems)
{
    // A checker names nothing that has no name yet in an event, so the scene stays as it is
    spChecker checker = {(spScene*)(uintptr_t)scene, &scene->data, problems, false};
    spCheckDeed(&checker, event);
}

static const char* spGetMeasurementName(int index, const void* context)
{
    return ((const spMeasurementData*)((const spScene*)context)->data.measurements.data)[index].name;
}

// Which component, part or summary it is; "" for those that have none
static const char* spGetMeasurementPart(const spMeasurementData* measurement)
{
    static const char* const names[] = {"component", "part", "of"};
    for (int i = 0; i < 3; ++i)
    {
        const spKey* key = spFindKey(measurement->head.schema, names[i], measurement->type);
        if (key != NULL)
        {
            return key->choices[*(const int*)((const char*)measurement + key->offset)];
        }
    }
    return "";
}

static const char* spMakeMeasurementName(spChecker* checker, const spMeasurementData* measurement, int index)
{
    const spKey* key = spFindSelectorKey(measurement->head.schema);
    const char* of = measurement->body[0] != 0       ? measurement->body
                     : measurement->collider[0] != 0 ? measurement->collider
                                                     : measurement->link;
    const char* part = spGetMeasurementPart(measurement);
    char name[80];
    int length = snprintf(name, sizeof(name), "%s%s%s%s%.28s", key->choices[measurement->type],
                          part[0] != 0 ? " " : "", part, of[0] != 0 ? " of " : "", of);
    for (int i = 0; i < index; ++i)
    {
        if (strcmp(spGetMeasurementName(i, checker->scene), name) == 0)
        {
            length += snprintf(name + length, sizeof(name) - (size_t)length, " %d", index + 1);
            break;
        }
    }
    const char* copy = spPoolCopy(&checker->scene->pool, name, (size_t)length);
    checker->outOfMemory |= copy == NULL;
    return copy != NULL ? copy : "";
}

static bool spIsContactMeasurement(int type)
{
    return type == sp_measureContactForce ||
           (type >= sp_measureContactTorque && type <= sp_measureContactSlip) || type == sp_measureOverlap;
}

static void spCheckContactMeasurement(spChecker* checker, const spMeasurementData* measurement)
{
    const spObjectHead* head = &measurement->head;
    if (spIsContactMeasurement(measurement->type) == false)
    {
        return;
    }
    spCheckBodyReference(checker, head, &measurement->otherBody);
    spCheckColliderReference(checker, head, &measurement->otherCollider);
    spCheckExclusive(checker, head, &measurement->otherBody, &measurement->otherCollider);
    if (measurement->body[0] == 0 && measurement->collider[0] == 0 && measurement->type != sp_measureOverlap)
    {
        spReport(checker->problems, head, NULL, "give \"body\" or \"collider\": the force on what?");
    }
    if (measurement->collider[0] != 0 && measurement->otherCollider[0] != 0)
    {
        spReport(checker->problems, head, &measurement->otherCollider,
                 "two colliders do not touch each other: give \"body\" or \"otherBody\"");
    }
}

static void spCheckJointMeasurement(spChecker* checker, const spMeasurementData* measurement,
                                    const spBodyData* body)
{
    bool ofJoint = measurement->type >= sp_measureJointForce && measurement->type <= sp_measureMotor;
    if (ofJoint && body != NULL && !spIsGiven(&body->head, &body->joint))
    {
        spReport(checker->problems, &measurement->head, &measurement->body,
                 "body \"%s\" has no joint: give it \"joint\"", body->name);
    }
}

static void spCheckMeasurement(spChecker* checker, spMeasurementData* measurement, int index)
{
    const spObjectHead* head = &measurement->head;
    if (measurement->type < 0)
    {
        return;
    }
    spCheckBodyReference(checker, head, &measurement->body);
    spCheckColliderReference(checker, head, &measurement->collider);
    spCheckReference(checker, head, &measurement->link, "grab or attachment", spGetLinkCount(checker->scene),
                     spGetLinkWord);
    spCheckExclusive(checker, head, &measurement->body, &measurement->collider);
    spCheckExclusive(checker, head, &measurement->node, &measurement->point);
    spCheckContactMeasurement(checker, measurement);
    const spBodyData* body = spFindBodyData(checker->scene, measurement->body);
    if (measurement->type == sp_measurePressure && body != NULL && !spIsGiven(&body->head, &body->gas))
    {
        spReport(checker->problems, head, &measurement->body, "body \"%s\" has no gas, so it has no pressure",
                 body->name);
    }
    spCheckJointMeasurement(checker, measurement, body);
    bool ofTets = measurement->type == sp_measureVonMises || measurement->type == sp_measureStrain;
    if (ofTets && body != NULL && !spHasTets(body))
    {
        spReport(checker->problems, head, &measurement->body, "body \"%s\" has no tets: give it \"tets\"",
                 body->name);
    }
    if (!spIsGiven(head, &measurement->name))
    {
        measurement->name = spMakeMeasurementName(checker, measurement, index);
    }
    spCheckName(checker, head, &measurement->name, index, spGetMeasurementName);
}

bool spCheckSceneData(spScene* scene, spProblems* problems)
{
    const spSceneData* data = &scene->data;
    spChecker checker = {scene, data, problems, false};
    double dt = data->dt > 0.0 ? data->dt : 1.0 / 60.0;
    if (data->duration / dt > SP_SCENE_MAX_STEPS)
    {
        spReport(problems, &data->head, &data->duration,
                 "%g s in steps of %g s are too many steps; the limit is %d", data->duration, dt,
                 SP_SCENE_MAX_STEPS);
    }
    for (int i = 0; i < data->bodies.count; ++i)
    {
        spCheckBody(&checker, (spBodyData*)data->bodies.data + i, i);
    }
    for (int i = 0; i < data->colliders.count; ++i)
    {
        spCheckCollider(&checker, (spColliderData*)data->colliders.data + i, i);
    }
    for (int i = 0; i < data->pairs.count; ++i)
    {
        spCheckPair(&checker, (const spPairData*)data->pairs.data + i, i);
    }
    for (int i = 0; i < data->attachments.count; ++i)
    {
        spCheckAttachment(&checker, (const spAttachmentData*)data->attachments.data + i, i);
    }
    for (int i = 0; i < data->events.count; ++i)
    {
        spCheckEvent(&checker, (const spEventData*)data->events.data + i, i);
    }
    for (int i = 0; i < data->measurements.count; ++i)
    {
        spCheckMeasurement(&checker, (spMeasurementData*)data->measurements.data + i, i);
    }
    const spCameraData* camera = &data->output.picture.camera;
    if (camera->head.place >= 0 && camera->position.x == camera->target.x &&
        camera->position.y == camera->target.y && camera->position.z == camera->target.z)
    {
        spReport(problems, &camera->head, &camera->position, "the camera looks at the place where it is");
    }
    bool tets = false;
    for (int i = 0; i < data->bodies.count; ++i)
    {
        const spBodyData* body = (const spBodyData*)data->bodies.data + i;
        tets |= spHasTets(body);
    }
    int colour = data->output.picture.colour;
    if ((colour == sp_colorStress || colour == sp_colorModulus || colour == sp_colorRegion) && !tets)
    {
        spReport(problems, &data->output.picture.head, &data->output.picture.colour,
                 "no body has tets, so there is no %s to colour by: give one \"tets\"",
                 colour == sp_colorStress    ? "stress"
                 : colour == sp_colorModulus ? "modulus"
                                             : "region");
    }
    if (data->bodies.count == 0)
    {
        spWarn(problems, &data->head, NULL, "the scene has no bodies");
    }
    return !checker.outOfMemory;
}
