// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Reports: the page with everything that a server would have sent put into it.

#include "report.h"

#include "base/text.h"
#include "page_data.h"
#include "souple/file.h"

#include <stdlib.h>
#include <string.h>

#define SP_PACK_PLACE "<!--PACK-->"
#define SP_TITLE_PLACE "<title>Souple</title>"

spReportDef spDefaultReportDef(void)
{
    spReportDef def = {0};
    def.frameLimit = 600;
    def.byteLimit = (size_t)128 << 20;
    def.internalValue = SP_DEF_COOKIE;
    return def;
}

bool spHasPage(void)
{
    size_t size = 0;
    return spGetPage(&size) != NULL;
}

static bool spCheckReport(const spReportDef* def, const char* path, spError* error)
{
    if (def == NULL || def->internalValue != SP_DEF_COOKIE)
    {
        return spFail(error, sp_errorBadDef, "report: start from spDefaultReportDef");
    }
    if (path == NULL || path[0] == 0)
    {
        return spFail(error, sp_errorBadArgument, "report: no path");
    }
    if (def->frameLimit < 1 || def->byteLimit < 1)
    {
        return spFail(error, sp_errorBadArgument, "report: a limit of %d frames and %zu bytes; at least 1",
                      def->frameLimit, def->byteLimit);
    }
    if (def->sectionCount < 0 || (def->sectionCount > 0 && def->sections == NULL) || def->factCount < 0 ||
        (def->factCount > 0 && def->facts == NULL))
    {
        return spFail(error, sp_errorBadArgument, "report: %d sections and %d facts, or no arrays of them",
                      def->sectionCount, def->factCount);
    }
    for (int i = 0; i < def->sectionCount; ++i)
    {
        const spReportTable* table = def->sections[i].table;
        if (table != NULL && (table->columnCount < 1 || table->rowCount < 0 || table->columns == NULL ||
                              (table->rowCount > 0 && table->cells == NULL)))
        {
            return spFail(error, sp_errorBadArgument, "report: the table of section %d has no cells", i);
        }
    }
    return spHasPage() ||
           spFail(error, sp_errorUnsupported,
                  "this build has no page to make reports of: it needs Node.js and npm when it is "
                  "built ('souple doctor' tells)");
}

// Text in HTML: nothing in it is markup
static void spWriteEscaped(FILE* file, const char* text)
{
    for (const char* c = text; *c != 0; ++c)
    {
        const char own[2] = {(unsigned char)*c < 0x20 ? ' ' : *c, 0};
        const char* entity = spGetXmlEntity(*c);
        fputs(entity != NULL ? entity : own, file);
    }
}

// Everything that a server would have sent
static bool spWriteMessages(spReport* report, spError* error)
{
    spPutHello(report);
    if (report->recording != NULL)
    {
        if (spFindTimes(report) == false || spChooseFrames(report) == false)
        {
            return spFail(error, sp_errorOutOfMemory, "report: no memory");
        }
        spPutScene(report);
        spPutSeries(report);
        spPutFrames(report);
    }
    return spPutSections(report, error);
}

static bool spWritePack(spReport* report, FILE* file, spError* error)
{
    report->pack = spOpenPack(file);
    bool good = report->pack != NULL && spWriteMessages(report, error);
    bool noMemory = report->pack == NULL || report->outOfMemory, packNoMemory = false;
    bool written = report->pack == NULL || spClosePack(report->pack, &packNoMemory);
    noMemory |= packNoMemory;
    if (noMemory)
    {
        return spFail(error, sp_errorOutOfMemory, "report: no memory");
    }
    return good && written;
}

static bool spWriteReport(spReport* report, FILE* file, spError* error)
{
    size_t size = 0;
    const char* page = spGetPage(&size);
    const char* title = strstr(page, SP_TITLE_PLACE);
    const char* pack = strstr(page, SP_PACK_PLACE);
    if (title == NULL || pack == NULL || pack < title)
    {
        return spFail(error, sp_errorUnsupported, "the page of this build has no place for a report");
    }
    char* text = spMakeTitle(report);
    if (text == NULL)
    {
        return spFail(error, sp_errorOutOfMemory, "report: no memory");
    }
    fwrite(page, 1, (size_t)(title - page), file);
    fputs("<title>", file);
    spWriteEscaped(file, text);
    fputs("</title>", file);
    free(text);
    title += strlen(SP_TITLE_PLACE);
    fwrite(title, 1, (size_t)(pack - title), file);
    fputs("<script type=\"application/souple\" id=\"pack\">", file);
    bool good = spWritePack(report, file, error);
    fputs("</script>", file);
    pack += strlen(SP_PACK_PLACE);
    fwrite(pack, 1, size - (size_t)(pack - page), file);
    return good;
}

bool spSaveReport(const spReportDef* def, const char* path, spError* error)
{
    if (spCheckReport(def, path, error) == false)
    {
        return false;
    }
    spWholeFile file;
    if (spOpenWholeFile(&file, path, error) == false)
    {
        return false;
    }
    spReport report = {.def = def, .recording = def->recording};
    spError reason = SP_ZERO_INIT;
    bool good = spWriteReport(&report, file.stream, &reason);
    spFreeBuffer(&report.message);
    free(report.times);
    free(report.frames);
    free(report.contacts);

    if (good == false && reason.code != sp_errorNone)
    {
        spCloseWholeFile(&file, false, NULL);
        return spFail(error, reason.code, "%s", reason.message);
    }
    return spCloseWholeFile(&file, true, error);
}
