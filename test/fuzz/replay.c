// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Feeds the files of folders to a fuzz target, without libFuzzer: what was found once stays found.

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

static int ReplayFile(const char* folder, const char* name)
{
    char path[4096];
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    FILE* file = fopen(path, "rb");
    if (file == NULL || fseek(file, 0, SEEK_END) != 0)
    {
        return 0;
    }
    long size = ftell(file);
    rewind(file);
    // Exactly as many bytes as there are, so that a sanitizer sees the first one too many
    uint8_t* data = malloc(size > 0 ? (size_t)size : 1);
    int done = data != NULL && fread(data, 1, (size_t)size, file) == (size_t)size;
    fclose(file);
    if (done)
    {
        LLVMFuzzerTestOneInput(data, (size_t)size);
    }
    free(data);
    return done;
}

int main(int argc, char** argv)
{
    int count = 0;
    for (int i = 1; i < argc; ++i)
    {
        DIR* folder = opendir(argv[i]);
        for (struct dirent* entry = folder != NULL ? readdir(folder) : NULL; entry != NULL;
             entry = readdir(folder))
        {
            count += entry->d_name[0] != '.' ? ReplayFile(argv[i], entry->d_name) : 0;
        }
        if (folder != NULL)
        {
            closedir(folder);
        }
    }
    printf("%d inputs\n", count);
    return count > 0 ? 0 : 1;
}
