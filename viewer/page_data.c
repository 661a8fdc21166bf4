// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "page_data.h"

#include "souple/view.h"

#ifdef SOUPLE_PAGE_FILE

// Bytes of a file between two symbols of the object
#define SP_INCLUDE_FILE(name, file)                                                                          \
    __asm__(".pushsection .rodata\n"                                                                         \
            ".balign 16\n" name ":\n"                                                                        \
            ".incbin \"" file "\"\n" name "_end:\n"                                                          \
            ".byte 0\n"                                                                                      \
            ".popsection\n")

SP_INCLUDE_FILE("sp_page", SOUPLE_PAGE_FILE);
SP_INCLUDE_FILE("sp_page_gz", SOUPLE_PAGE_FILE ".gz");
extern const char sp_page[], sp_page_end[];
extern const unsigned char sp_page_gz[], sp_page_gz_end[];

const char* spGetPage(size_t* size)
{
    *size = (size_t)(sp_page_end - sp_page);
    return sp_page;
}

const unsigned char* spGetCompressedPage(size_t* size)
{
    *size = (size_t)(sp_page_gz_end - sp_page_gz);
    return sp_page_gz;
}

#else

const char* spGetPage(size_t* size)
{
    *size = 0;
    return NULL;
}

const unsigned char* spGetCompressedPage(size_t* size)
{
    *size = 0;
    return NULL;
}

#endif

size_t spGetPageSize(void)
{
    size_t size;
    spGetPage(&size);
    return size;
}
