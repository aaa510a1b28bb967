# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
#
# Warnings, hardening, sanitizers, compiler cache and linker: the same for every target of the project.
add_compile_options(-Wall -Wextra -Werror -Wno-unused-parameter -fno-omit-frame-pointer)
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  # g++ 12 sees array overruns in inlined Arrow and standard headers that are not there (GCC bug 105329).
  add_compile_options(-Wno-array-bounds -Wno-stringop-overflow -Wno-restrict -Wno-maybe-uninitialized)
endif()
if(SHADOWVM_SANITIZE)
  add_compile_options(-fsanitize=${SHADOWVM_SANITIZE} -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${SHADOWVM_SANITIZE})
  # With checks in between, g++ 12 takes std::regex's states for uninitialised (GCC bug 105562).
  add_compile_options(-Wno-maybe-uninitialized)
endif()
if(SHADOWVM_FAULT_POINTS)
  add_compile_definitions(SHADOWVM_FAULT_POINTS=1)
endif()

find_program(SHADOWVM_CCACHE ccache)
if(SHADOWVM_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${SHADOWVM_CCACHE})
endif()
find_program(SHADOWVM_LLD NAMES ld.lld-19 ld.lld)
if(SHADOWVM_LLD AND NOT SHADOWVM_SANITIZE)
  add_link_options(-B${CMAKE_BINARY_DIR}/linker)
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/linker)
  file(CREATE_LINK ${SHADOWVM_LLD} ${CMAKE_BINARY_DIR}/linker/ld.lld SYMBOLIC)
  add_link_options(-fuse-ld=lld)
endif()
