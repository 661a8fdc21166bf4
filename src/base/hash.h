// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// A 64-bit hash of bytes, for state hashes and checksums of our own files. Not for security.

#pragma once

#include "base/core.h"

#define SP_HASH_SEED 0x9AE16A3B2F90404Full

// Continues `hash` over `size` bytes. The result does not depend on how the bytes were split into calls only
// when every call but the last has a multiple of 8 bytes.
uint64_t spHashBytes(uint64_t hash, const void* data, size_t size);
