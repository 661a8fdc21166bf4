// SPDX-FileCopyrightText: 2026 The Souple authors
// SPDX-License-Identifier: MIT

// Repeatable random numbers

#pragma once

#include <stdint.h>

/// splitmix64: a repeatable random sequence from any seed.
static inline uint64_t spNextRandom(uint64_t* seed)
{
    uint64_t z = (*seed += 0x9E3779B97F4A7C15ull);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
}

/// Uniform in [lower, upper).
static inline double spRandomRange(uint64_t* seed, double lower, double upper)
{
    return lower + (upper - lower) * ((double)(spNextRandom(seed) >> 11) * 0x1.0p-53);
}
