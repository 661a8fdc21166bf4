// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "film.h"

#include "options.h"
#include "souple/file.h"
#include "tools.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/prctl.h>
#endif

bool spCanFilm(void)
{
    char program[4096];
    if (spFindProgram(program, sizeof(program), "ffmpeg"))
    {
        return true;
    }
    spFailUsage("mp4 needs ffmpeg, which is not in PATH: install it (Debian: ffmpeg), or export png");
    return false;
}

static bool spFailFilm(spError* error, spErrorCode code, const char* what, const char* why)
{
    *error = (spError){.code = code};
    snprintf(error->message, sizeof(error->message), "%.240s%s%s", what, why[0] != 0 ? ": " : "", why);
    return false;
}

// Starts a program without a shell. Its three streams are files of ours, -1 for nothing. Returns -1 when that
// fails.
static pid_t spStartProgram(const char* const* arguments, const int* streams)
{
    pid_t child = fork();
    if (child == 0)
    {
        for (int i = 0; i < 3; ++i)
        {
            if (streams[i] >= 0)
            {
                dup2(streams[i], i);
            }
            else
            {
                close(i);
            }
        }
#ifdef __linux__
        // If this program is killed, nobody goes on writing to a file that the next one takes over
        prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
        // What was ignored here stays ignored there
        signal(SIGPIPE, SIG_DFL);
        execv(arguments[0], (char* const*)arguments);
        _exit(127);
    }
    return child;
}

// Waits for a program. Returns whether it went well.
static bool spEndProgram(pid_t child)
{
    int status = 0;
    while (waitpid(child, &status, 0) < 0)
    {
        if (errno != EINTR)
        {
            return false;
        }
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// H.264 where this ffmpeg has it, which every browser plays; else MPEG-4
static const char* spChooseEncoder(const char* program)
{
    static const char* const encoders[] = {"libx264", "libopenh264"};
    const char* const arguments[] = {program, "-hide_banner", "-loglevel", "quiet", "-encoders", NULL};
    FILE* output = tmpfile();
    const char* best = "mpeg4";
    int known = (int)(sizeof(encoders) / sizeof(encoders[0]));
    const int streams[3] = {-1, output != NULL ? fileno(output) : -1, -1};
    pid_t child = output != NULL ? spStartProgram(arguments, streams) : -1;
    if (child > 0 && spEndProgram(child))
    {
        char line[256], name[64];
        rewind(output);
        while (fgets(line, sizeof(line), output) != NULL)
        {
            for (int i = 0; i < known; ++i)
            {
                if (sscanf(line, " %*s %63s", name) == 1 && strcmp(name, encoders[i]) == 0)
                {
                    best = encoders[i];
                    known = i; // only a better one counts from here on
                }
            }
        }
    }
    if (output != NULL)
    {
        fclose(output);
    }
    return best;
}

// Pictures in a second, so that the film takes the time that was simulated
static double spFindRate(const spRecording* recording, const spExportDef* def)
{
    const double usual = 30.0;
    int last = def->lastFrame >= 0 ? def->lastFrame : spRecording_GetFrameCount(recording) - 1;
    int steps = (last - def->firstFrame) / def->frameStride;
    double seconds = spRecording_GetFrameTime(recording, def->firstFrame + steps * def->frameStride) -
                     spRecording_GetFrameTime(recording, def->firstFrame);
    double rate = steps > 0 && seconds > 0.0 ? steps / seconds : usual;
    return fmin(fmax(rate, 1.0), 240.0);
}

// Where pictures go
typedef struct spFilm
{
    int pipe;
    size_t pictureSize;
} spFilm;

static bool spTakePicture(const uint8_t* rgb, int frame, void* context)
{
    const spFilm* film = context;
    (void)frame;
    for (size_t done = 0; done < film->pictureSize;)
    {
        ssize_t count = write(film->pipe, rgb + done, film->pictureSize - done);
        if (count < 0 && errno != EINTR)
        {
            return false;
        }
        done += count > 0 ? (size_t)count : 0;
    }
    return true;
}

// Whether a file consists of whole boxes, with the pictures and the index that every film has. ffmpeg does
// not count it as a failure when it could not finish a file.
static bool spIsWholeFilm(const char* path)
{
    FILE* file = fopen(path, "rb");
    bool hasIndex = false, hasPictures = false, whole = file != NULL && fseeko(file, 0, SEEK_END) == 0;
    off_t size = whole ? ftello(file) : 0, at = 0;
    while (whole && at < size)
    {
        uint8_t head[16] = {0};
        whole = fseeko(file, at, SEEK_SET) == 0 && fread(head, 1, sizeof(head), file) >= 8;
        uint64_t length = 0;
        bool isLong = head[0] == 0 && head[1] == 0 && head[2] == 0 && head[3] == 1;
        for (int i = isLong ? 8 : 0; i < (isLong ? 16 : 4); ++i)
        {
            length = length << 8 | head[i];
        }
        hasIndex = hasIndex || memcmp(head + 4, "moov", 4) == 0;
        hasPictures = hasPictures || memcmp(head + 4, "mdat", 4) == 0;
        whole = whole && length >= 8 && length <= (uint64_t)(size - at);
        at += whole ? (off_t)length : 0;
    }
    if (file != NULL)
    {
        fclose(file);
    }
    return whole && hasIndex && hasPictures;
}

// The last line that ffmpeg had to say, with a remedy where there is one
static void spReadComplaint(FILE* file, char* buffer, size_t size)
{
    static const int full[] = {ENOSPC, EDQUOT, EFBIG};
    char line[256], last[256] = "";
    rewind(file);
    while (fgets(line, sizeof(line), file) != NULL)
    {
        line[strcspn(line, "\n")] = 0;
        if (line[0] != 0)
        {
            memcpy(last, line, sizeof(last));
        }
    }
    snprintf(buffer, size, "%s",
             last[0] != 0 ? last
                          : "ffmpeg could not finish the film; is the disk full, or the limit for the size "
                            "of files reached?");
    for (size_t i = 0; i < sizeof(full) / sizeof(full[0]); ++i)
    {
        if (strstr(last, strerror(full[i])) != NULL)
        {
            snprintf(buffer, size, "%s; make room on the disk, or raise the limit for the size of files",
                     strerror(full[i]));
        }
    }
}

// Draws into a running ffmpeg. Returns false with the reason.
static bool spFilmInto(const spRecording* recording, const spExportDef* def, const spPictureDef* picture,
                       const char* const* arguments, const spWholeFile* file, spError* error)
{
    int ends[2] = {-1, -1};
    FILE* complaints = tmpfile();
    if (complaints == NULL || pipe(ends) != 0)
    {
        if (complaints != NULL)
        {
            fclose(complaints);
        }
        return spFailFilm(error, sp_errorFileWrite, "cannot start ffmpeg", strerror(errno));
    }
    // The child must not hold the end that we write to, or it never sees the film end
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    sigaction(SIGPIPE, &ignore, &before);
    const int streams[3] = {ends[0], -1, fileno(complaints)};
    pid_t child = spStartProgram(arguments, streams);
    close(ends[0]);
    spFilm film = {ends[1], (size_t)picture->width * (size_t)picture->height * 3};
    bool drawn = child > 0 && spDrawPictures(recording, def, picture, spTakePicture, &film, error);
    close(ends[1]);
    bool made = child > 0 && spEndProgram(child);
    made = made && (file->temporary[0] == 0 || spIsWholeFilm(file->temporary));
    sigaction(SIGPIPE, &before, NULL);
    bool stopped = drawn == false && error->code == sp_errorNone; // by the user, or by ffmpeg
    if (made == false && (drawn || stopped) && spIsInterrupted() == false)
    {
        char why[256];
        spReadComplaint(complaints, why, sizeof(why));
        spFailFilm(error, sp_errorFileWrite, file->path, why);
    }
    fclose(complaints);
    return drawn && made;
}

bool spSaveFilm(const spRecording* recording, const spExportDef* def, const spPictureDef* picture,
                const char* path, spError* error)
{
    char program[4096], size[32], rate[32];
    spWholeFile file;
    if (spFindProgram(program, sizeof(program), "ffmpeg") == false)
    {
        return spFailFilm(error, sp_errorUnsupported, "there is no ffmpeg in PATH", "");
    }
    if (spOpenWholeFile(&file, path, error) == false)
    {
        return false;
    }
    snprintf(size, sizeof(size), "%dx%d", picture->width, picture->height);
    snprintf(rate, sizeof(rate), "%.6g", spFindRate(recording, def));
    for (char* c = rate; *c != 0; ++c)
    {
        *c = *c == ',' ? '.' : *c; // whatever the locale says
    }
    const char* encoder = spChooseEncoder(program);
    // A quality at which one sees no blocks: of x264, or in bits a second
    bool constant = strcmp(encoder, "libx264") == 0;
    const char* const arguments[] = {program,
                                     "-hide_banner",
                                     "-loglevel",
                                     "error",
                                     "-f",
                                     "rawvideo",
                                     "-pixel_format",
                                     "rgb24",
                                     "-video_size",
                                     size,
                                     "-framerate",
                                     rate,
                                     "-i",
                                     "pipe:0",
                                     "-an",
                                     "-c:v",
                                     encoder,
                                     constant ? "-crf" : "-b:v",
                                     constant ? "20" : "8M",
                                     "-pix_fmt",
                                     "yuv420p",
                                     "-movflags",
                                     "+faststart",
                                     "-f",
                                     "mp4",
                                     "-y",
                                     file.temporary[0] != 0 ? file.temporary : file.path,
                                     NULL};
    bool made = spFilmInto(recording, def, picture, arguments, &file, error);
    return spCloseWholeFile(&file, made, error) && made;
}
