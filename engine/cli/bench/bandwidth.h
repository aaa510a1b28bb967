// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>

#include "engine/base/status.h"

namespace shadowvm::cli {

// The machine's read bandwidth in bytes per second: 'threads' threads add up int32 values of a
// buffer several times larger than the last cache, each its own part; the best of three passes.
// This is the floor that queries over resident tables are held against.
base::Result<double> MeasureReadBandwidth(int threads, int64_t buffer_bytes);

// Bytes per second with one thread, and with all that a benchmark uses.
struct Bandwidth {
  double one_thread = 0;
  double all = 0;
};

// Both, over BandwidthBufferBytes().
base::Result<Bandwidth> MeasureMachine(int threads);

// Enough to pass by the last cache: four times the last cache, within [256 MiB, 2 GiB] and an
// eighth of memory.
int64_t BandwidthBufferBytes();

}  // namespace shadowvm::cli
