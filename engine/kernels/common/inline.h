// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

// How functions of the kernel headers are emitted. Row-level functions are part of the loop that
// calls them; verbs work on whole tiles and are compiled once per instantiation, which keeps
// generated code quick to compile.
#define SVM_INLINE static inline __attribute__((always_inline))
#define SVM_VERB static __attribute__((noinline, unused))
#define SVM_MEMBER inline __attribute__((always_inline))
