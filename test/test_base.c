// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

#include "base/error.h"
#include "base/memory.h"
#include "testbed/check.h"

#include <string.h>

static void TestErrorNames(void** state)
{
    SP_UNUSED(state);
    for (int i = 0; i < sp_errorCodeCount; ++i)
    {
        assert_memory_equal(spErrorCode_GetName((spErrorCode)i), "sp_error", 8);
    }
    assert_string_equal(spErrorCode_GetName((spErrorCode)999), "unknown error");
}

static void TestHeapCountsBytes(void** state)
{
    SP_UNUSED(state);
    spHeap heap = spMakeHeap(NULL);
    void* data = NULL;
    int capacity = 0;
    assert_true(spReserve(&heap, &data, 0, &capacity, 100, sizeof(int)));
    assert_true(capacity >= 100);
    assert_true(heap.byteCount >= 400);
    assert_int_equal((uintptr_t)data % SP_CACHE_LINE, 0);
    spFree(&heap, data, (size_t)capacity * sizeof(int));
    assert_int_equal(heap.byteCount, 0);
    assert_null(spAlloc(&heap, spArraySize(INT64_MAX, 16)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(TestErrorNames),
        cmocka_unit_test(TestHeapCountsBytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
