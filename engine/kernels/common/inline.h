// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

// How functions of the kernel headers are emitted. Row-level functions are part of the loop that
// calls them. Verbs work on whole tiles: they are templates, compiled once per instantiation, most
// of them ahead (see cpu/verb_library.h), which keeps generated code quick to compile. They are not
// 'inline', or Clang would look into those that are compiled already. Functions are large row-level
// ones.
#define SVM_INLINE static inline __attribute__((always_inline))
#define SVM_VERB __attribute__((noinline))
#define SVM_FUNCTION inline __attribute__((noinline))
#define SVM_MEMBER inline __attribute__((always_inline))
