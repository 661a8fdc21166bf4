// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// PNG files through libpng, where the build has it.

#include "base/error.h"
#include "record/output.h"

#ifdef SOUPLE_HAVE_PNG
#include <png.h>
#include <setjmp.h>
#endif

bool spHasPng(void)
{
#ifdef SOUPLE_HAVE_PNG
    return true;
#else
    return false;
#endif
}

#ifdef SOUPLE_HAVE_PNG

// Most of a picture is smooth: a fast level is nearly as small as the best one
#define SP_PNG_LEVEL 3

static void spAppendPng(png_structp png, png_bytep data, size_t size)
{
    spPutData(png_get_io_ptr(png), data, size);
}

static void spFlushPng(png_structp png)
{
    SP_UNUSED(png);
}

static void spKeepPngError(png_structp png, png_const_charp message)
{
    spErrorCode code = strstr(message, "memory") != NULL ? sp_errorOutOfMemory : sp_errorFileWrite;
    spFail(png_get_error_ptr(png), code, "libpng: %s", message);
    png_longjmp(png, 1);
}

static void spIgnorePngWarning(png_structp png, png_const_charp message)
{
    SP_UNUSED(png);
    SP_UNUSED(message);
}

// Compresses into memory. Nothing in here may be changed between setjmp and a jump, except through pointers.
static bool spEncodePng(spBytes* bytes, const uint8_t* rgb, int width, int height, spError* error)
{
    png_structp png =
        png_create_write_struct(PNG_LIBPNG_VER_STRING, error, spKeepPngError, spIgnorePngWarning);
    png_infop info = png != NULL ? png_create_info_struct(png) : NULL;
    if (info == NULL)
    {
        png_destroy_write_struct(&png, NULL);
        return spFailMemory(error, "PNG", 0);
    }
    if (setjmp(png_jmpbuf(png)) != 0)
    {
        png_destroy_write_struct(&png, &info);
        return false;
    }

    png_set_write_fn(png, bytes, spAppendPng, spFlushPng);
    png_set_compression_level(png, SP_PNG_LEVEL);
    png_set_filter(png, 0, PNG_FILTER_SUB | PNG_FILTER_UP);
    png_set_IHDR(png, info, (png_uint_32)width, (png_uint_32)height, 8, PNG_COLOR_TYPE_RGB,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
    png_write_info(png, info);
    for (int y = 0; y < height; ++y)
    {
        png_write_row(png, rgb + (size_t)y * (size_t)width * 3);
    }
    png_write_end(png, NULL);
    png_destroy_write_struct(&png, &info);
    return true;
}

bool spSavePng(const uint8_t* rgb, int width, int height, const char* path, spError* error)
{
    if (rgb == NULL || path == NULL || width < 1 || height < 1)
    {
        return spFail(error, sp_errorBadArgument, "PNG of %d by %d pixels: no pixels or no path", width,
                      height);
    }
    spHeap heap = spMakeHeap(NULL);
    spBytes bytes = {.heap = &heap};
    spError own = SP_ZERO_INIT;
    bool ok = spEncodePng(&bytes, rgb, width, height, error != NULL ? error : &own) &&
              spSaveBytes(&bytes, path, error);
    spFreeBytes(&bytes);
    return ok;
}

#else

bool spSavePng(const uint8_t* rgb, int width, int height, const char* path, spError* error)
{
    SP_UNUSED(rgb);
    SP_UNUSED(width);
    SP_UNUSED(height);
    return spFail(error, sp_errorUnsupported,
                  "cannot write '%s': this build of Souple has no libpng; install libpng-dev and build again",
                  path != NULL ? path : "");
}

#endif
