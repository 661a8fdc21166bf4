// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// One body in several resolutions, each a filling of its own.

#include "base/error.h"
#include "mesh/generate.h"
#include "mesh/mesh.h"
#include "souple/fill.h"

#define SP_LEAST_RATIO 1.1
#define SP_MOST_RATIO 8.0

spFillLevelsDef spDefaultFillLevelsDef(void)
{
    return (spFillLevelsDef){
        .finest = spDefaultFillMeshDef(), .levelCount = 3, .ratio = 2.0, .internalValue = SP_DEF_COOKIE};
}

static bool spCheckLevels(const spFillLevelsDef* def, spMesh** levels, spError* error)
{
    if (def == NULL || def->internalValue != SP_DEF_COOKIE)
    {
        return spFail(error, sp_errorBadDef,
                      "the definition of levels must come from spDefaultFillLevelsDef");
    }
    if (levels == NULL)
    {
        return spFail(error, sp_errorBadArgument, "levels need a place to go to, which is NULL");
    }
    if (!(def->ratio >= SP_LEAST_RATIO && def->ratio <= SP_MOST_RATIO))
    {
        return spFail(error, sp_errorBadArgument, "the ratio of levels must be within %g and %g, not %g",
                      SP_LEAST_RATIO, SP_MOST_RATIO, def->ratio);
    }
    return spCheckCount(def->levelCount, 2, SP_MAX_FILL_LEVELS, "the number of levels", error);
}

// Puts the level in front of what went wrong with it. A stop that was asked for stays one.
static void spNameLevel(spError* error, int level, double size)
{
    if (error == NULL || error->code == sp_errorNone || level == 0)
    {
        return;
    }
    spError reason = *error;
    if (reason.code == sp_errorBadMesh)
    {
        // The finest one had an inside
        spFail(
            error, reason.code,
            "level %d of tets of %.4g m is empty, the surface is nowhere as thick: ask for fewer levels, a "
            "smaller ratio or a finer first level",
            level, size);
    }
    else
    {
        spFail(error, reason.code, "level %d: %s", level, reason.message);
    }
}

bool spFillLevels(const spMesh* mesh, const spFillLevelsDef* def, spMesh** levels, spFillReport* reports,
                  spError* error)
{
    if (!spCheckLevels(def, levels, error))
    {
        return false;
    }
    for (int i = 0; i < def->levelCount; ++i)
    {
        levels[i] = NULL;
    }
    spFillMeshDef fill = def->finest;
    for (int i = 0; i < def->levelCount; ++i)
    {
        spFillReport size;
        levels[i] = spFillMesh(mesh, &fill, reports != NULL ? reports + i : &size, error);
        if (levels[i] == NULL)
        {
            spNameLevel(error, i, fill.size);
            for (int k = 0; k < i; ++k)
            {
                spDestroyMesh(levels[k]);
                levels[k] = NULL;
            }
            return false;
        }
        fill.size = def->ratio * (reports != NULL ? reports[i].size : size.size);
    }
    return true;
}
