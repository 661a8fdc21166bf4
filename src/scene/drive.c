// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Pins that follow a path: before each step their nodes get the places that they have at its end. They move as one
// rigid piece, turned about the centre of where they started.

#include "math/quat.h"
#include "math/vec3.h"
#include "scene/build.h"

bool spAddDrivenPins(spHeap* heap, spRunBody* body, const spRegionData* pin, const spNodeList* nodes,
                     const spVec3* positions)
{
    if (!spReserve(heap, (void**)&body->drives, body->driveCount, &body->driveCapacity, body->driveCount + 1,
                   sizeof(spDrivenPins)))
    {
        return false;
    }
    spDrivenPins drive = {
        .motion = &pin->motion,
        .nodes = spAlloc(heap, spArraySize(nodes->count, sizeof(int32_t))),
        .starts = spAlloc(heap, spArraySize(nodes->count, sizeof(spVec3))),
        .count = nodes->count,
    };
    bool ok = drive.nodes != NULL && drive.starts != NULL;
    double sum[3] = {0.0, 0.0, 0.0};
    for (int i = 0; ok && i < nodes->count; ++i)
    {
        spVec3 p = positions[nodes->data[i]];
        drive.nodes[i] = nodes->data[i];
        drive.starts[i] = p;
        sum[0] += (double)p.x;
        sum[1] += (double)p.y;
        sum[2] += (double)p.z;
    }
    drive.centre = (spVec3){(spReal)(sum[0] / nodes->count), (spReal)(sum[1] / nodes->count),
                            (spReal)(sum[2] / nodes->count)};
    body->drives[body->driveCount] = drive;
    body->driveCount += 1;
    return ok;
}

bool spDrivePins(spWorld* world, const spRunBody* body, double time)
{
    bool ok = true;
    for (int i = 0; i < body->driveCount; ++i)
    {
        const spDrivenPins* drive = body->drives + i;
        spTransform pose = spGetMotionPose(spIdentityTransform(), drive->motion, time);
        spVec3 centre = spAdd3(drive->centre, pose.position);
        for (int k = 0; k < drive->count; ++k)
        {
            spVec3 arm = spRotate(pose.rotation, spSub3(drive->starts[k], drive->centre));
            ok = spBody_DriveNode(world, body->id, drive->nodes[k], spAdd3(centre, arm)) && ok;
        }
    }
    return ok;
}

void spFreeDrivenPins(spRunBody* body, spHeap* heap)
{
    for (int i = 0; i < body->driveCount; ++i)
    {
        spFree(heap, body->drives[i].nodes);
        spFree(heap, body->drives[i].starts);
    }
    spFree(heap, body->drives);
    body->drives = NULL;
    body->driveCount = body->driveCapacity = 0;
}
