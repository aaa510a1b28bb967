// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/status.h"

// Named fault points, compiled in for tests only (SHADOWVM_FAULT_POINTS). A point stands at every
// kind of allocation, file operation, compile and merge:
//
//   SVM_FAULT_POINT("storage.page.read");        // in a function that returns Status or Result<T>
//
// Points are armed from a test, or from the environment for a whole process:
//   SHADOWVM_FAULT="storage.page.read=nth:3:error;compile.run=always:hang:500"
// Triggers: always, nth:N (the N-th hit only), prob:P:SEED. Effects: error (kInjected), oom
// (kOutOfMemory), enospc (kWriteFailed), kill (SIGKILL to itself), hang:MS (sleeps, then goes on).
namespace shadowvm::base {

// Arms points from a specification as above. Replaces whatever was armed.
Status ArmFaults(std::string_view specification);
void DisarmFaults();

// Every point that was ever reached in this process, sorted: a test compares it with the names in
// the source.
std::vector<std::string> FaultPointsHit();
int64_t FaultHits(std::string_view name);

// What SVM_FAULT_POINT calls.
Status HitFaultPoint(std::string_view name);

}  // namespace shadowvm::base

#ifdef SHADOWVM_FAULT_POINTS
#define SVM_FAULT_POINT(name) SVM_RETURN_NOT_OK(::shadowvm::base::HitFaultPoint(name))
#else
#define SVM_FAULT_POINT(name) static_cast<void>(0)
#endif
