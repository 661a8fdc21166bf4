// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "machine.h"

#include "souple/souple.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char* spGetVersionText(void)
{
    return SOUPLE_VERSION;
}

void spGetProcessor(char* buffer, size_t size)
{
    snprintf(buffer, size, "unknown");
    FILE* file = fopen("/proc/cpuinfo", "r");
    if (file == NULL)
    {
        return;
    }
    char line[256];
    while (fgets(line, sizeof(line), file) != NULL)
    {
        char* colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && colon != NULL)
        {
            colon[strcspn(colon, "\n")] = '\0';
            snprintf(buffer, size, "%s", colon + (colon[1] == ' ' ? 2 : 1));
            break;
        }
    }
    fclose(file);
}

static const char* spGetPrecision(void)
{
    return sizeof(spReal) == sizeof(float) ? "float" : "double";
}

json_t* spMakeMachineJson(void)
{
    char processor[128];
    spGetProcessor(processor, sizeof(processor));
    json_t* json = json_object();
    json_object_set_new(json, "processor", json_string(processor));
    json_object_set_new(json, "cores", json_integer(sysconf(_SC_NPROCESSORS_ONLN)));
    json_object_set_new(json, "lanes", json_integer(spGetLaneCount()));
    json_object_set_new(json, "precision", json_string(spGetPrecision()));
    json_object_set_new(json, "compiler", json_string(SOUPLE_COMPILER));
    return json;
}

json_t* spMakeMeasuredJson(void)
{
    json_t* json = json_object();
    json_object_set_new(json, "machine", spMakeMachineJson());
    json_object_set_new(json, "commit", json_string(spGetCommit()));
    return json;
}

void spPrintMachine(void)
{
    char processor[128];
    spGetProcessor(processor, sizeof(processor));
    printf("%s, %ld cores, %d lanes, %s, %s, commit %s\n", processor, sysconf(_SC_NPROCESSORS_ONLN),
           spGetLaneCount(), spGetPrecision(), SOUPLE_COMPILER, spGetCommit());
}

const char* spGetCommit(void)
{
    return SOUPLE_COMMIT;
}
