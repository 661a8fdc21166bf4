// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Input of CalculiX, its run, its output.
//
// With NLGEOM, *ELASTIC is St Venant-Kirchhoff's material in the total Lagrangian form: Hooke's law between
// the Green-Lagrange strain and the second Piola-Kirchhoff stress. The case `element-large` of souple
// validate holds that on one element. Its own limits for equilibrium are loose (0.5 % of the mean force), so
// that they are set here.

// For the folder that a started program runs in
#define _GNU_SOURCE

#include "calculix.h"

#include "cli/tools.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

static bool spFailRun(spError* error, spErrorCode code, const char* format, ...)
    __attribute__((format(printf, 3, 4)));

static bool spFailRun(spError* error, spErrorCode code, const char* format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    error->code = code;
    vsnprintf(error->message, sizeof(error->message), format, arguments);
    va_end(arguments);
    return false;
}

// ---- folder ----

bool spEnterFolder(char* folder, size_t size, const char* keep, spError* error)
{
    if (keep != NULL)
    {
        int length = snprintf(folder, size, "%s", keep);
        if (length < 0 || (size_t)length >= size || spMakeFolders(folder) == false)
        {
            return spFailRun(error, sp_errorFileWrite, "cannot make the folder %s", keep);
        }
        return true;
    }
    int length = snprintf(folder, size, "%s/souple-XXXXXX", spGetTemporaryFolder());
    if (length < 0 || (size_t)length >= size || mkdtemp(folder) == NULL)
    {
        return spFailRun(error, sp_errorFileWrite,
                         "cannot make a folder for temporary files: is TMPDIR right?");
    }
    return true;
}

void spLeaveFolder(const char* folder, const char* keep)
{
    DIR* list = keep == NULL ? opendir(folder) : NULL;
    if (list == NULL)
    {
        return;
    }
    for (const struct dirent* entry = readdir(list); entry != NULL; entry = readdir(list))
    {
        char path[1024];
        if (entry->d_name[0] != '.' && spMakeFileName(path, sizeof(path), folder, entry->d_name, ""))
        {
            unlink(path);
        }
    }
    closedir(list);
    rmdir(folder);
}

// ---- input ----

static void spWriteBody(FILE* file, const spSolidProblem* p)
{
    // Numbers may have 20 characters
    fprintf(file, "*NODE, NSET=NODES\n");
    for (int i = 0; i < p->nodeCount; ++i)
    {
        fprintf(file, "%d,%.12e,%.12e,%.12e\n", i + 1, p->rest[i].x, p->rest[i].y, p->rest[i].z);
    }
    fprintf(file, "*ELEMENT, TYPE=C3D4, ELSET=BODY\n");
    for (int t = 0; t < p->tetCount; ++t)
    {
        const int32_t* v = p->tets + 4 * (size_t)t;
        fprintf(file, "%d,%d,%d,%d,%d\n", t + 1, v[0] + 1, v[1] + 1, v[2] + 1, v[3] + 1);
    }
    fprintf(file, "*MATERIAL, NAME=SOLID\n*ELASTIC\n%.12e,%.12e\n*DENSITY\n%.12e\n", p->youngModulus,
            p->poissonRatio, p->density);
    fprintf(file, "*SOLID SECTION, ELSET=BODY, MATERIAL=SOLID\n*BOUNDARY\n");
    for (int i = 0; i < p->nodeCount; ++i)
    {
        if (p->held[i])
        {
            fprintf(file, "%d,1,3\n", i + 1);
        }
    }
}

// Plates are a brick each. A body sinks into a plate by pressure over K, a ten-thousandth of its height or less at the pressures
// of bodies as soft as E.
static void spWritePlates(FILE* file, const spSolidProblem* p)
{
    const spPlates* plates = p->plates;
    int first = p->nodeCount + 1;
    fprintf(file, "*NODE, NSET=PLATES\n");
    for (int i = 0; i < 16; ++i)
    {
        double thickness = 0.1 * plates->reach, r = plates->reach;
        double y = i < 8 ? plates->low - (i % 8 < 4 ? thickness : 0.0)
                         : plates->high + (i % 8 < 4 ? 0.0 : thickness);
        double x = i % 4 < 2 ? -r : r, z = i % 4 == 0 || i % 4 == 3 ? -r : r;
        fprintf(file, "%d,%.12e,%.12e,%.12e\n", first + i, x, y, z);
    }
    fprintf(file, "*ELEMENT, TYPE=C3D8, ELSET=BRICKS\n");
    for (int k = 0; k < 2; ++k)
    {
        fprintf(file, "%d", p->tetCount + 1 + k);
        for (int i = 0; i < 8; ++i)
        {
            fprintf(file, ",%d", first + 8 * k + i);
        }
        fprintf(file, "\n");
    }
    fprintf(file, "*SOLID SECTION, ELSET=BRICKS, MATERIAL=SOLID\n*BOUNDARY\nPLATES,1,3\n*NSET, NSET=SKIN\n");
    double middle = 0.5 * (plates->low + plates->high), height = plates->high - plates->low;
    for (int i = 0; i < p->nodeCount; ++i)
    {
        if (p->held[i] == false && fabs(p->rest[i].y - middle) > 0.1 * height)
        {
            fprintf(file, "%d\n", i + 1);
        }
    }
    fprintf(
        file,
        "*SURFACE, NAME=SLAVE, TYPE=NODE\nSKIN\n*SURFACE, NAME=BELOW\n%d,S2\n*SURFACE, NAME=ABOVE\n%d,S1\n",
        p->tetCount + 1, p->tetCount + 2);
    fprintf(file,
            "*SURFACE INTERACTION, NAME=TOUCH\n*SURFACE BEHAVIOR, PRESSURE-OVERCLOSURE=LINEAR\n%.6e,1.\n",
            1e4 * p->youngModulus / height);
    fprintf(file, "*CONTACT PAIR, INTERACTION=TOUCH, TYPE=NODE TO SURFACE\nSLAVE,BELOW\nSLAVE,ABOVE\n");
}

static void spWriteStatic(FILE* file, const spSolidProblem* p)
{
    fprintf(file, p->large ? "*STEP, NLGEOM, INC=10000\n*STATIC\n0.1,1.\n" : "*STEP\n*STATIC\n");
    if (p->large && p->plates == NULL)
    {
        // Largest residual over mean force, largest correction over largest increment
        fprintf(file, "*CONTROLS, PARAMETERS=FIELD\n1.e-8,1.e-6\n");
    }
    fprintf(file, "*BOUNDARY\n");
    for (int i = 0; i < p->nodeCount; ++i)
    {
        const double given[3] = {p->given[i].x, p->given[i].y, p->given[i].z};
        for (int k = 0; p->held[i] && k < 3; ++k)
        {
            fprintf(file, "%d,%d,%d,%.12e\n", i + 1, k + 1, k + 1, given[k]);
        }
    }
    for (int i = 0; p->plates != NULL && i < 16; ++i)
    {
        fprintf(file, "%d,1\n%d,3\n%d,2,2,%.12e\n", p->nodeCount + 1 + i, p->nodeCount + 1 + i,
                p->nodeCount + 1 + i, i < 8 ? p->plates->way : -p->plates->way);
    }
    fprintf(file, "*CLOAD\n");
    for (int i = 0; i < p->nodeCount; ++i)
    {
        const double load[3] = {p->load[i].x, p->load[i].y, p->load[i].z};
        for (int k = 0; p->held[i] == false && k < 3; ++k)
        {
            fprintf(file, "%d,%d,%.12e\n", i + 1, k + 1, load[k]);
        }
    }
    fprintf(file, "*NODE PRINT, NSET=NODES, FREQUENCY=1000000\nU\n*END STEP\n");
}

static FILE* spOpenFile(const char* folder, const char* name, const char* ending, const char* mode,
                        spError* error)
{
    char path[1024];
    FILE* file = spMakeFileName(path, sizeof(path), folder, name, ending) ? fopen(path, mode) : NULL;
    if (file == NULL)
    {
        spFailRun(error, mode[0] == 'r' ? sp_errorFileNotFound : sp_errorFileWrite, "cannot %s %s/%s%s: %s",
                  mode[0] == 'r' ? "read" : "write", folder, name, ending, strerror(errno));
    }
    return file;
}

static bool spWriteInput(const spSolidProblem* p, bool frequency, const char* folder, const char* name,
                         spError* error)
{
    FILE* file = spOpenFile(folder, name, ".inp", "w", error);
    if (file == NULL)
    {
        return false;
    }
    spWriteBody(file, p);
    if (p->plates != NULL)
    {
        spWritePlates(file, p);
    }
    if (frequency)
    {
        fprintf(file, "*STEP\n*FREQUENCY\n1\n*END STEP\n");
    }
    else
    {
        spWriteStatic(file, p);
    }
    bool good = ferror(file) == 0;
    good = fclose(file) == 0 && good;
    return good ||
           spFailRun(error, sp_errorFileWrite, "cannot write %s/%s.inp: is the disk full?", folder, name);
}

// ---- run ----

// What ccx complained about, from its log; "" when it did not
static void spFindComplaint(const char* folder, const char* name, char* complaint, size_t size)
{
    char line[256];
    spError ignored = SP_ZERO_INIT;
    FILE* file = spOpenFile(folder, name, ".log", "r", &ignored);
    complaint[0] = 0;
    while (file != NULL && fgets(line, sizeof(line), file) != NULL)
    {
        const char* start = strstr(line, "*ERROR");
        if (start != NULL)
        {
            snprintf(complaint, size, ": %.*s", (int)strcspn(start, "\r\n"), start);
            break;
        }
    }
    if (file != NULL)
    {
        fclose(file);
    }
}

static bool spRunCalculix(const char* folder, const char* name, spError* error)
{
    char program[] = "ccx", option[] = "-i", job[64], log[80], results[1024];
    snprintf(job, sizeof(job), "%s", name);
    snprintf(log, sizeof(log), "%s.log", job);
    char* arguments[] = {program, option, job, NULL};
    // What an earlier run left must not pass for the answer
    if (spMakeFileName(results, sizeof(results), folder, job, ".dat"))
    {
        unlink(results);
    }
    // It leaves files in the folder that it runs in
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addchdir_np(&actions, folder);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
    pid_t child = 0;
    int failed = posix_spawnp(&child, program, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed == ENOENT || failed == EACCES)
    {
        return spFailRun(error, sp_errorUnsupported,
                         "the program ccx of CalculiX is not in PATH; install the package calculix-ccx, for "
                         "example with scripts/bootstrap validate");
    }
    if (failed != 0)
    {
        return spFailRun(error, sp_errorUnsupported, "cannot start ccx: %s", strerror(failed));
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
    {
        if (errno != EINTR)
        {
            return spFailRun(error, sp_errorUnsupported, "lost sight of ccx: %s", strerror(errno));
        }
    }
    if (WIFEXITED(status) == 0 || WEXITSTATUS(status) != 0)
    {
        char complaint[160];
        spFindComplaint(folder, name, complaint, sizeof(complaint));
        return spFailRun(error, sp_errorUnsupported, "ccx failed on %s%s; see %s.log with --keep", name,
                         complaint, name);
    }
    return true;
}

// ---- output ----

// "   12  1.0E-01 -2.0E-03  0.0E+00"
static bool spReadRow(const char* line, long* node, double values[3])
{
    char* end = NULL;
    *node = strtol(line, &end, 10);
    bool good = end != line;
    for (int k = 0; good && k < 3; ++k)
    {
        const char* start = end;
        values[k] = strtod(start, &end);
        good = end != start && isfinite(values[k]);
    }
    return good && end[strspn(end, " \r\n")] == 0;
}

// The last table of displacements. Every node must be in it, in order.
static bool spReadDisplacements(FILE* file, int nodeCount, spDVec3* u)
{
    char line[256];
    int count = -1;
    while (fgets(line, sizeof(line), file) != NULL)
    {
        long node = 0;
        double values[3];
        if (strstr(line, "displacements") != NULL)
        {
            count = 0;
        }
        else if (line[strspn(line, " \r\n")] == 0)
        {
            continue;
        }
        else if (count < 0 || count >= nodeCount || spReadRow(line, &node, values) == false ||
                 node != count + 1)
        {
            return false;
        }
        else
        {
            u[count++] = (spDVec3){values[0], values[1], values[2]};
        }
    }
    return count == nodeCount;
}

// The first row of the table of eigenvalues: number, eigenvalue, rad/s, Hz
static bool spReadFrequency(FILE* file, double* frequency)
{
    char line[256];
    bool table = false;
    while (fgets(line, sizeof(line), file) != NULL)
    {
        long mode = 0;
        double values[3];
        line[strcspn(line, "\r\n")] = 0;
        table = table || strstr(line, "E I G E N V A L U E") != NULL;
        // A fourth number, the imaginary part, follows
        char* last = strrchr(line, ' ');
        if (table && last != NULL)
        {
            *last = 0;
            if (spReadRow(line, &mode, values) && mode == 1)
            {
                *frequency = values[2];
                return *frequency > 0.0;
            }
        }
    }
    return false;
}

static bool spSolve(const spSolidProblem* p, const char* folder, const char* name, spDVec3* u,
                    double* frequency, spError* error)
{
    if (spWriteInput(p, frequency != NULL, folder, name, error) == false ||
        spRunCalculix(folder, name, error) == false)
    {
        return false;
    }
    FILE* file = spOpenFile(folder, name, ".dat", "r", error);
    if (file == NULL)
    {
        return false;
    }
    bool good =
        frequency != NULL ? spReadFrequency(file, frequency) : spReadDisplacements(file, p->nodeCount, u);
    fclose(file);
    if (good == false)
    {
        char complaint[160];
        spFindComplaint(folder, name, complaint, sizeof(complaint));
        return spFailRun(error, sp_errorFileFormat, "what ccx wrote to %s.dat is not what was asked for%s",
                         name, complaint);
    }
    return true;
}

bool spSolveByCalculix(const spSolidProblem* problem, const char* folder, const char* name, spDVec3* u,
                       spError* error)
{
    return spSolve(problem, folder, name, u, NULL, error);
}

bool spFindFrequencyByCalculix(const spSolidProblem* problem, const char* folder, const char* name,
                               double* frequency, spError* error)
{
    return spSolve(problem, folder, name, NULL, frequency, error);
}
