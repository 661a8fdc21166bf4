// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Frames of a report: which of the recording are taken, and what is drawn of each body: its attached surface,
// or the nodes that its triangles use, or else its edges, or else all nodes. Colours are found at nodes and
// carried to the vertices of an attached surface as its positions are.

#include "report.h"

#include "corners.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// One body as it was in the frame that was looked at last
typedef struct spFollowed
{
    int topology; // -1 before it came
    bool attached;
    int nodeCount, vertexCount, triangleCount, edgeCount, tetCount;
    int32_t* vertexNodes;  // node of each vertex
    int32_t* surfaceNodes; // of an attached surface: four for each vertex
    float* surfaceWeights; // likewise
    int32_t* corners;      // of triangles, or else of edges, vertex numbers
    const int32_t* tets;   // in the recording
    const uint8_t* bare;   // likewise: of each triangle, 1 where an edit laid it bare; NULL where none did
    float* start;          // where nodes were when they came: x, y, z
    int startCount;        // number of them
    float* points;         // what goes into the message: x, y, z of each vertex, then values of each colour
    float* nodeValues;     // of one colour, at the nodes
    const float* colours[sp_viewColourCount];
} spFollowed;

typedef struct spFollower
{
    spReport* report;
    spFollowed* bodies;
    int bodyCount;
} spFollower;

static void spDropShape(spFollowed* body)
{
    free(body->vertexNodes);
    free(body->surfaceNodes);
    free(body->surfaceWeights);
    free(body->corners);
    free(body->points);
    free(body->nodeValues);
    float* start = body->start;
    int startCount = body->startCount;
    *body = (spFollowed){.topology = -1, .start = start, .startCount = startCount};
}

static bool spStartFollowing(spFollower* follower, spReport* report)
{
    *follower = (spFollower){.report = report, .bodyCount = spRecording_GetBodyCount(report->recording)};
    follower->bodies = calloc((size_t)follower->bodyCount + 1, sizeof(spFollowed));
    for (int i = 0; follower->bodies != NULL && i < follower->bodyCount; ++i)
    {
        follower->bodies[i].topology = -1;
    }
    return follower->bodies != NULL;
}

static void spStopFollowing(spFollower* follower)
{
    for (int i = 0; follower->bodies != NULL && i < follower->bodyCount; ++i)
    {
        spDropShape(&follower->bodies[i]);
        free(follower->bodies[i].start);
    }
    free(follower->bodies);
}

static void* spAllocateItems(size_t count, size_t size)
{
    return calloc(count > 0 ? count : 1, size);
}

// The vertices are those of the attached surface
static bool spFollowSurface(spFollowed* body, const spRecording* recording, int frame, int number)
{
    size_t count = (size_t)spRecording_GetSurfaceVertexCount(recording, frame, number);
    const int32_t* triangles =
        spRecording_GetSurfaceTriangles(recording, frame, number, &body->triangleCount);
    body->attached = true;
    body->vertexCount = (int)count;
    body->vertexNodes = spAllocateItems(count, sizeof(int32_t));
    body->surfaceNodes = spAllocateItems(4 * count, sizeof(int32_t));
    body->surfaceWeights = spAllocateItems(4 * count, sizeof(float));
    body->corners = spAllocateItems(3 * (size_t)body->triangleCount, sizeof(int32_t));
    if (body->vertexNodes == NULL || body->surfaceNodes == NULL || body->surfaceWeights == NULL ||
        body->corners == NULL)
    {
        return false;
    }
    memcpy(body->corners, triangles, 3 * (size_t)body->triangleCount * sizeof(int32_t));
    spRecording_CopySurfaceWeights(recording, frame, number, body->surfaceNodes, body->surfaceWeights,
                                   body->vertexCount);
    for (size_t i = 0; i < count; ++i)
    {
        size_t best = 4 * i;
        for (size_t k = 4 * i + 1; k < 4 * i + 4; ++k)
        {
            best = body->surfaceWeights[k] > body->surfaceWeights[best] ? k : best;
        }
        body->vertexNodes[i] = body->surfaceNodes[best];
    }
    return true;
}

// The vertices are the nodes that triangles use, or else edges, or else all
static bool spFollowNodes(spFollowed* body, const spRecording* recording, int frame, int number)
{
    int triangleCount = 0, edgeCount = 0;
    const int32_t* triangles = spRecording_GetTriangles(recording, frame, number, &triangleCount);
    const int32_t* edges = spRecording_GetEdges(recording, frame, number, &edgeCount);
    const int32_t* corners = triangleCount > 0 ? triangles : edges;
    body->triangleCount = triangleCount > 0 ? triangleCount : 0;
    body->edgeCount = triangleCount <= 0 && edgeCount > 0 ? edgeCount : 0;
    size_t cornerCount = 3 * (size_t)body->triangleCount + 2 * (size_t)body->edgeCount;
    body->vertexNodes = spAllocateItems((size_t)body->nodeCount, sizeof(int32_t));
    body->corners = spAllocateItems(cornerCount, sizeof(int32_t));
    if (body->vertexNodes == NULL || body->corners == NULL)
    {
        return false;
    }
    if (cornerCount > 0)
    {
        body->vertexCount =
            spNumberVertices(corners, (int)cornerCount, body->nodeCount, body->vertexNodes, body->corners);
        return body->vertexCount >= 0;
    }
    for (int i = 0; i < body->nodeCount; ++i)
    {
        body->vertexNodes[i] = i;
    }
    body->vertexCount = body->nodeCount;
    return true;
}

// Looks at a body in a frame. *changed says whether its topology is another one than in the last look.
// Returns false without memory.
static bool spLookAtBody(spFollower* follower, int frame, int number, bool* changed)
{
    const spRecording* recording = follower->report->recording;
    spFollowed* body = follower->bodies + number;
    int topology = spRecording_GetTopology(recording, frame, number);
    *changed = topology >= 0 && topology != body->topology;
    if (*changed == false)
    {
        return true;
    }
    spDropShape(body);
    body->nodeCount = spRecording_GetPositions(recording, frame, number).count;
    if (follower->report->def->storeTets)
    {
        body->tets = spRecording_GetTets(recording, frame, number, &body->tetCount);
    }
    bool attached = spRecording_GetSurfaceVertexCount(recording, frame, number) > 0;
    if ((attached ? spFollowSurface : spFollowNodes)(body, recording, frame, number) == false)
    {
        return false;
    }
    body->bare = attached ? NULL : spRecording_GetBareTriangles(recording, frame, number);
    body->topology = topology;
    return true;
}

// Whether frames carry all nodes of a body: for its tets
static bool spCarriesNodes(const spFollowed* body)
{
    return body->tetCount > 0 && body->attached == false;
}

static int spCountPoints(const spFollowed* body)
{
    return spCarriesNodes(body) ? body->nodeCount : body->vertexCount;
}

// ---------------------------------------------------------------------------------------------------------
// Choosing

// Whether something touches in some frame
static bool spHasContacts(const spRecording* recording)
{
    bool found = false;
    for (int frame = 0; found == false && frame < spRecording_GetFrameCount(recording); ++frame)
    {
        found = spRecording_GetContactCount(recording, frame) > 0;
    }
    return found;
}

// Of more contacts than a frame has room for every second one, every third one and so on
static int spGetContactStride(const spRecording* recording, int frame)
{
    return 1 + (spRecording_GetContactCount(recording, frame) - 1) / SP_MAX_VIEW_CONTACTS;
}

static int spCountContacts(const spRecording* recording, int frame)
{
    int stride = spGetContactStride(recording, frame);
    return (spRecording_GetContactCount(recording, frame) + stride - 1) / stride;
}

typedef spValueView spGetNodeValuesFcn(const spRecording* recording, int frame, int body);

// Values that a recording holds as they are; contact pressure is 0 where it holds none
static spGetNodeValuesFcn* const s_getNodeValues[sp_viewColourCount] = {
    [sp_viewStrain] = spRecording_GetNodeStrain,   [sp_viewStress] = spRecording_GetNodeStress,
    [sp_viewModulus] = spRecording_GetNodeModulus, [sp_viewLevel] = spRecording_GetNodeLevels,
    [sp_viewRegion] = spRecording_GetNodeRegions,
};

// Bytes of each frame, about; NULL without memory
static size_t* spMeasureFrames(spReport* report)
{
    int frameCount = spRecording_GetFrameCount(report->recording);
    report->pressed = spHasContacts(report->recording);
    size_t* sizes = spAllocateItems((size_t)frameCount, sizeof(size_t));
    spFollower follower;
    bool good = spStartFollowing(&follower, report) && sizes != NULL;
    for (int frame = 0; good && frame < frameCount; ++frame)
    {
        sizes[frame] = 128 + (size_t)spCountContacts(report->recording, frame) * sizeof(spViewContact);
        for (int i = 0; good && i < follower.bodyCount; ++i)
        {
            bool changed = false;
            good = spLookAtBody(&follower, frame, i, &changed);
            const spFollowed* body = follower.bodies + i;
            bool there = good && spRecording_GetTopology(report->recording, frame, i) >= 0;
            size_t colours = 1;
            colours += spRecording_GetVelocities(report->recording, frame, i).count > 0;
            for (int colour = 0; colour < sp_viewColourCount; ++colour)
            {
                spGetNodeValuesFcn* get = s_getNodeValues[colour];
                colours += get != NULL && get(report->recording, frame, i).count > 0;
            }
            colours += report->pressed;
            sizes[frame] += there ? (6 + colours) * (size_t)spCountPoints(body) : 0;
        }
    }
    spStopFollowing(&follower);
    if (good == false)
    {
        free(sizes);
        return NULL;
    }
    return sizes;
}

// Evenly from the first to the last
static void spSpreadFrames(spReport* report, int count)
{
    int last = spRecording_GetFrameCount(report->recording) - 1;
    for (int i = 0; i < count; ++i)
    {
        double share = count > 1 ? (double)i / (count - 1) : 1.0;
        report->frames[i] = (int)(share * last + 0.5);
    }
    report->frameCount = count;
}

static size_t spSumFrames(const spReport* report, const size_t* sizes)
{
    size_t sum = 0;
    for (int i = 0; i < report->frameCount; ++i)
    {
        sum += sizes[report->frames[i]];
    }
    return sum;
}

// ---------------------------------------------------------------------------------------------------------
// Colours

// Nodes that were not there before start from where they are now
static bool spNoteStart(spFollowed* body, spPointView x)
{
    if (x.count <= body->startCount)
    {
        return true;
    }
    float* start = realloc(body->start, 3 * (size_t)x.count * sizeof(float));
    if (start == NULL)
    {
        return false;
    }
    size_t known = 3 * (size_t)body->startCount;
    memcpy(start + known, x.data + known, (3 * (size_t)x.count - known) * sizeof(float));
    body->start = start;
    body->startCount = x.count;
    return true;
}

static float spGetLength(const float* a, const float* b)
{
    float x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return sqrtf(x * x + y * y + z * z);
}

// Values of one colour at the nodes of a body; false when it has none
static bool spFindNodeValues(const spReport* report, int frame, int number, const spFollowed* body,
                             spViewColour colour, float* values)
{
    static const float zero[3] = {0};
    spPointView x = spRecording_GetPositions(report->recording, frame, number);
    spPointView v = spRecording_GetVelocities(report->recording, frame, number);
    spGetNodeValuesFcn* get = s_getNodeValues[colour];
    spValueView stored = get != NULL ? get(report->recording, frame, number) : (spValueView){0};
    if (stored.count > 0)
    {
        memcpy(values, stored.data, (size_t)stored.count * sizeof(float));
        return true;
    }
    if (colour == sp_viewPressure && report->pressed && body->triangleCount > 0)
    {
        // What touches nothing feels none
        spValueView pressure = spRecording_GetNodePressure(report->recording, frame, number);
        for (int i = 0; i < x.count; ++i)
        {
            values[i] = pressure.count > 0 ? pressure.data[i] : 0.0f;
        }
        return true;
    }
    bool moved = colour == sp_viewDisplacement, moving = colour == sp_viewVelocity && v.count > 0;
    for (int i = 0; (moved || moving) && i < x.count; ++i)
    {
        size_t k = 3 * (size_t)i;
        values[i] = moved ? spGetLength(x.data + k, body->start + k) : spGetLength(v.data + k, zero);
    }
    return moved || moving;
}

// ---------------------------------------------------------------------------------------------------------
// Messages

static void spPutTopology(spReport* report, const spFollowed* body, int number)
{
    const spViewShape shape = {
        .serial = 1,
        .body = (uint32_t)number,
        .version = (uint32_t)body->topology,
        .vertexCount = body->vertexCount,
        .triangleCount = body->triangleCount,
        .edgeCount = body->edgeCount,
        .nodeCount = body->nodeCount,
        .tetCount = spCarriesNodes(body) ? body->tetCount : 0,
        .vertexNodes = body->vertexNodes,
        .triangles = body->corners,
        .edges = body->corners + 3 * (size_t)body->triangleCount,
        .tets = body->tets,
        .bare = body->bare,
    };
    spClearBuffer(&report->message);
    spAppendTopology(&report->message, &shape);
    spPutMessage(report->pack, &report->message);
}

// Numbers at the points that are sent, from `size` numbers at each node
static void spCarryNumbers(const spFollowed* body, const float* nodes, size_t size, float* points)
{
    if (spCarriesNodes(body))
    {
        memcpy(points, nodes, (size_t)body->nodeCount * size * sizeof(float));
        return;
    }
    for (size_t i = 0; i < (size_t)body->vertexCount; ++i)
    {
        for (size_t c = 0; c < size; ++c)
        {
            float sum = body->attached ? 0.0f : nodes[size * (size_t)body->vertexNodes[i] + c];
            for (size_t k = 4 * i; body->attached && k < 4 * i + 4; ++k)
            {
                sum += body->surfaceWeights[k] * nodes[size * (size_t)body->surfaceNodes[k] + c];
            }
            points[size * i + c] = sum;
        }
    }
}

// Fills in what a frame says of a body. Returns false without memory.
static bool spFillPoints(spReport* report, spFollowed* body, int frame, int number, spViewPoints* result)
{
    spPointView x = spRecording_GetPositions(report->recording, frame, number);
    size_t count = (size_t)spCountPoints(body);
    if (body->points == NULL)
    {
        body->points = spAllocateItems((3 + sp_viewColourCount) * count, sizeof(float));
        body->nodeValues = spAllocateItems((size_t)body->nodeCount, sizeof(float));
    }
    if (body->points == NULL || body->nodeValues == NULL || spNoteStart(body, x) == false)
    {
        return false;
    }
    spCarryNumbers(body, x.data, 3, body->points);
    for (int c = 0; c < sp_viewColourCount; ++c)
    {
        float* values = body->points + (3 + (size_t)c) * count;
        bool has = spFindNodeValues(report, frame, number, body, (spViewColour)c, body->nodeValues);
        if (has)
        {
            spCarryNumbers(body, body->nodeValues, 1, values);
        }
        body->colours[c] = has ? values : NULL;
    }
    *result = (spViewPoints){
        .body = (uint32_t)number,
        .version = (uint32_t)body->topology,
        .nodes = spCarriesNodes(body),
        .points = body->points,
        .count = (int)count,
        .colours = body->colours,
    };
    return true;
}

// Counts what a body shows, for each colour
static void spCountColours(const spFollowed* body, const spViewPoints* points, const float* floors,
                           spValueCounts* counts)
{
    bool corners = points->nodes == false && body->triangleCount > 0;
    for (int c = 1; c < sp_viewColourCount; ++c)
    {
        if (points->colours[c] != NULL)
        {
            spCountValues(counts + c, points->colours[c], corners ? body->corners : NULL,
                          corners ? 3 * body->triangleCount : points->count, floors[c]);
        }
    }
}

static void spFindFloors(const spReport* report, float* floors)
{
    float size = 0.0f;
    for (int i = 0; i < spRecording_GetBodyCount(report->recording); ++i)
    {
        spPointView x = spRecording_GetPositions(report->recording, 0, i);
        size = fmaxf(size, spGetPointsSize(x.data, x.count));
    }
    for (int c = 1; c < sp_viewColourCount; ++c)
    {
        floors[c] = spGetValueFloor(spGetValueKind((spViewColour)c), size);
    }
}

// What the last colours stand for, in all frames alike. Returns false without memory.
static bool spFindTops(spReport* report)
{
    float floors[sp_viewColourCount] = {0};
    bool there[sp_viewColourCount] = {false};
    spFollower follower;
    bool good = spStartFollowing(&follower, report);
    spValueCounts* counts = calloc(sp_viewColourCount, sizeof(spValueCounts));
    good = good && counts != NULL;
    spFindFloors(report, floors);
    for (int i = 0; good && i < report->frameCount; ++i)
    {
        for (int k = 0; good && k < follower.bodyCount; ++k)
        {
            bool changed = false;
            spViewPoints points = {0};
            good = spLookAtBody(&follower, report->frames[i], k, &changed);
            if (good && spRecording_GetTopology(report->recording, report->frames[i], k) >= 0)
            {
                good = spFillPoints(report, follower.bodies + k, report->frames[i], k, &points);
            }
            for (int c = 1; good && points.colours != NULL && c < sp_viewColourCount; ++c)
            {
                there[c] = there[c] || points.colours[c] != NULL;
            }
            if (good && points.colours != NULL)
            {
                spCountColours(follower.bodies + k, &points, floors, counts);
            }
        }
    }
    for (int c = 1; good && c < sp_viewColourCount; ++c)
    {
        report->tops[c] = there[c] ? spFindValueTop(counts + c, floors[c]) : 0.0f;
    }
    free(counts);
    spStopFollowing(&follower);
    return good;
}

bool spChooseFrames(spReport* report)
{
    int frameCount = spRecording_GetFrameCount(report->recording);
    int count = frameCount < report->def->frameLimit ? frameCount : report->def->frameLimit;
    size_t* sizes = spMeasureFrames(report);
    report->frames = spAllocateItems((size_t)count, sizeof(int));
    if (sizes == NULL || report->frames == NULL)
    {
        free(sizes);
        return false;
    }
    spSpreadFrames(report, count);
    while (count > 1 && spSumFrames(report, sizes) > report->def->byteLimit)
    {
        count -= 1 + count / 16;
        spSpreadFrames(report, count);
    }
    free(sizes);
    return spFindTops(report);
}

static int spFillPoses(const spReport* report, int frame, spViewPose* poses)
{
    int count = 0;
    for (int i = 0; i < spRecording_GetColliderCount(report->recording); ++i)
    {
        spTransform t;
        if (spRecording_GetColliderTransform(report->recording, frame, i, &t))
        {
            poses[count++] = (spViewPose){
                .collider = (uint32_t)i,
                .position = {(float)t.position.x, (float)t.position.y, (float)t.position.z},
                .rotation = {(float)t.rotation.x, (float)t.rotation.y, (float)t.rotation.z,
                             (float)t.rotation.w},
            };
        }
    }
    return count;
}

// Trouble of the steps since the last frame that was taken
static uint32_t spGatherFlags(const spReport* report, int index)
{
    uint32_t flags = 0;
    int begin = index > 0 ? spRecording_GetFrameRow(report->recording, report->frames[index - 1]) + 1 : 0;
    int end = spRecording_GetFrameRow(report->recording, report->frames[index]);
    for (int row = begin; row <= end; ++row)
    {
        flags |= spRecording_GetRow(report->recording, row).flags;
    }
    return flags;
}

// The colour to begin with: what says most
static spViewColour spGetFirstColour(const spReport* report)
{
    return report->tops[sp_viewStress] > 0.0f         ? sp_viewStress
           : report->tops[sp_viewDisplacement] > 0.0f ? sp_viewDisplacement
                                                      : sp_viewNone;
}

// Fills in the contacts of a frame. Returns their number, 0 without memory.
static int spFillContacts(spReport* report, int frame)
{
    int count = 0, stride = spGetContactStride(report->recording, frame);
    if (report->pressed && report->contacts == NULL)
    {
        report->contacts = spAllocateItems(SP_MAX_VIEW_CONTACTS, sizeof(spViewContact));
        report->outOfMemory |= report->contacts == NULL;
    }
    int total = report->contacts != NULL ? spRecording_GetContactCount(report->recording, frame) : 0;
    for (int i = 0; i < total; i += stride)
    {
        spRecordedContact contact = spRecording_GetContact(report->recording, frame, i);
        spViewContact* to = report->contacts + count++;
        memcpy(to->position, contact.position, sizeof(to->position));
        memcpy(to->force, contact.force, sizeof(to->force));
    }
    return count;
}

static bool spPutFrame(spFollower* follower, int index, spViewPoints* points, spViewPose* poses)
{
    spReport* report = follower->report;
    int frame = report->frames[index], bodyCount = 0;
    for (int i = 0; i < follower->bodyCount; ++i)
    {
        bool changed = false;
        if (spLookAtBody(follower, frame, i, &changed) == false)
        {
            return false;
        }
        if (changed)
        {
            spPutTopology(report, follower->bodies + i, i);
        }
        if (spRecording_GetTopology(report->recording, frame, i) < 0)
        {
            continue;
        }
        if (spFillPoints(report, follower->bodies + i, frame, i, points + bodyCount) == false)
        {
            return false;
        }
        bodyCount += 1;
    }
    int row = spRecording_GetFrameRow(report->recording, frame);
    spViewColour colour = spGetFirstColour(report);
    int contactCount = spFillContacts(report, frame);
    const spViewFrame message = {
        .serial = 1,
        .number = (uint32_t)index,
        .flags = spGatherFlags(report, index),
        .time = report->times[row],
        .step = (uint64_t)spRecording_GetRow(report->recording, row).stepCount,
        .colour = colour,
        .top = report->tops[colour] > 0.0f ? report->tops[colour] : 1.0f,
        .tops = report->tops,
        .bodies = points,
        .poses = poses,
        .bodyCount = bodyCount,
        .poseCount = spFillPoses(report, frame, poses),
        .contacts = report->contacts,
        .contactCount = contactCount,
    };
    spClearBuffer(&report->message);
    spAppendFrame(&report->message, &message);
    spPutMessage(report->pack, &report->message);
    return true;
}

void spPutFrames(spReport* report)
{
    spFollower follower;
    int colliderCount = spRecording_GetColliderCount(report->recording);
    bool good = spStartFollowing(&follower, report);
    spViewPoints* points = spAllocateItems((size_t)follower.bodyCount, sizeof(spViewPoints));
    spViewPose* poses = spAllocateItems((size_t)colliderCount, sizeof(spViewPose));
    good = good && points != NULL && poses != NULL;
    for (int i = 0; good && i < report->frameCount; ++i)
    {
        good = spPutFrame(&follower, i, points, poses);
    }
    report->outOfMemory |= good == false;
    free(points);
    free(poses);
    spStopFollowing(&follower);
}
