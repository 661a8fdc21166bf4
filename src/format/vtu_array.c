// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "format/vtu_array.h"

#include "format/packed.h"

#include <inttypes.h>

void spBeginVtu(spVtuWriter* writer)
{
    spPutText(writer->output, "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" "
                              "byte_order=\"LittleEndian\" header_type=\"UInt64\"");
    spPutText(writer->output,
              writer->form == sp_vtuCompressed ? " compressor=\"vtkZLibDataCompressor\"" : "");
    spPutText(writer->output, ">\n<UnstructuredGrid>\n");
}

void spPutVtuPiece(spVtuWriter* writer, int64_t pointCount, int64_t cellCount)
{
    spPutFormat(writer->output, "<Piece NumberOfPoints=\"%" PRId64 "\" NumberOfCells=\"%" PRId64 "\">\n",
                pointCount, cellCount);
}

void spEndVtu(spVtuWriter* writer)
{
    spPutText(writer->output, "</Piece>\n</UnstructuredGrid>\n</VTKFile>\n");
}

static void spPutNumber(spOutput* output, spNumberType type, const void* data, int64_t i)
{
    switch (type)
    {
        case sp_numberUint8:
            spPutInteger(output, ((const uint8_t*)data)[i]);
            break;
        case sp_numberInt32:
            spPutInteger(output, ((const int32_t*)data)[i]);
            break;
        case sp_numberInt64:
            spPutInteger(output, ((const int64_t*)data)[i]);
            break;
        case sp_numberFloat:
            spPutDigits(output, (double)((const float*)data)[i], 9);
            break;
        default:
            spPutReal(output, ((const double*)data)[i]);
            break;
    }
}

static bool spPutPacked(spVtuWriter* writer, const void* data, size_t dataSize, spError* error)
{
    char* text;
    size_t size;
    bool ok = writer->form == sp_vtuCompressed
                  ? spPack(&writer->heap, data, dataSize, &text, &size, error)
                  : spPackPlain(&writer->heap, data, dataSize, &text, &size, error);
    if (ok)
    {
        spPutBytes(writer->output, text, size);
        spPutText(writer->output, "\n");
        spFree(&writer->heap, text);
    }
    return ok;
}

bool spPutVtuArray(spVtuWriter* writer, spNumberType type, const char* name, int components, const void* data,
                   int64_t count, spError* error)
{
    static const char* const names[sp_numberTypeCount] = {
        [sp_numberUint8] = "UInt8",   [sp_numberInt32] = "Int32",    [sp_numberInt64] = "Int64",
        [sp_numberFloat] = "Float32", [sp_numberDouble] = "Float64",
    };
    spOutput* output = writer->output;
    bool text = writer->form == sp_vtuText;
    spPutFormat(output, "<DataArray type=\"%s\"", names[type]);
    if (name != NULL)
    {
        spPutText(output, " Name=");
        spPutName(output, name);
    }
    spPutFormat(output, " NumberOfComponents=\"%d\" format=\"%s\">\n", components, text ? "ascii" : "binary");
    if (text == false && spPutPacked(writer, data, (size_t)count * spGetNumberSize(type), error) == false)
    {
        return false;
    }
    for (int64_t i = 0; text && i < count; ++i)
    {
        spPutNumber(output, type, data, i);
        spPutText(output, (i + 1) % components == 0 ? "\n" : " ");
    }
    spPutText(output, "</DataArray>\n");
    return true;
}
