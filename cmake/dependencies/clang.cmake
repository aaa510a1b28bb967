# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
#
# Clang and LLVM 19 as a library, for the compile worker alone. Where they are absent the worker is not built
# and kernels are compiled by a compiler subprocess.
option(SHADOWVM_WITH_CLANG "Build the compile worker on Clang as a library" ON)
set(SHADOWVM_HAVE_CLANG OFF)
if(SHADOWVM_WITH_CLANG)
  find_path(SHADOWVM_LLVM_ROOT NAMES include/clang/Frontend/CompilerInstance.h PATHS /usr/lib/llvm-19 NO_DEFAULT_PATH)
  if(SHADOWVM_LLVM_ROOT)
    set(SHADOWVM_HAVE_CLANG ON)
    add_library(shadowvm_clang INTERFACE)
    target_include_directories(shadowvm_clang SYSTEM INTERFACE ${SHADOWVM_LLVM_ROOT}/include)
    target_link_directories(shadowvm_clang INTERFACE ${SHADOWVM_LLVM_ROOT}/lib)
    target_link_libraries(shadowvm_clang INTERFACE lldELF lldCommon clang-cpp LLVM-19 zstd z)
  else()
    message(STATUS "Clang 19 is absent: kernels will be compiled by a compiler subprocess")
  endif()
endif()
