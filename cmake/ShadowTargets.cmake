# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
#
# One folder, one library, one test program. Both helpers name exactly what a target depends on, so that the
# linker checks the direction of dependencies.

# shadowvm_library(<name> SOURCES a.cc … DEPENDS other …): target shadowvm_<name>, alias shadowvm::<name>.
function(shadowvm_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_library(shadowvm_${name} STATIC ${ARG_SOURCES})
  add_library(shadowvm::${name} ALIAS shadowvm_${name})
  set_target_properties(shadowvm_${name} PROPERTIES EXPORT_NAME ${name})
  target_include_directories(shadowvm_${name} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}>
    $<INSTALL_INTERFACE:include/shadowvm>)
  target_link_libraries(shadowvm_${name} PUBLIC ${ARG_DEPENDS})
  set_property(GLOBAL APPEND PROPERTY SHADOWVM_LIBRARIES shadowvm_${name})
endfunction()

# shadowvm_test(<name> SOURCES a_test.cc … DEPENDS …): program <name>_test, run by ctest as <name>.
function(shadowvm_test name)
  if(NOT SHADOWVM_BUILD_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS" ${ARGN})
  add_executable(${name}_test ${ARG_SOURCES})
  target_link_libraries(${name}_test PRIVATE ${ARG_DEPENDS} GTest::gtest_main)
  add_test(NAME ${name} COMMAND ${name}_test WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  if(SHADOWVM_SANITIZE)
    # A sanitizer opens libraries in a program's name, so NVRTC is not seen to ask for the one that lies beside it.
    cmake_path(GET SHADOWVM_NVRTC_LIBRARY PARENT_PATH _nvrtc)
    set(_environment "LD_LIBRARY_PATH=${_nvrtc}:$ENV{LD_LIBRARY_PATH}")
    if(SHADOWVM_SANITIZE MATCHES "thread")
      # Suppressions go by names, so both stacks are needed. Arrow's own allocator hands memory from thread to thread
      # unseen: with the system's, its buffers are followed as ours are.
      list(APPEND _environment "ARROW_DEFAULT_MEMORY_POOL=system"
        "TSAN_OPTIONS=history_size=7 second_deadlock_stack=1 suppressions=${PROJECT_SOURCE_DIR}/dev/tsan.supp")
    endif()
    set_tests_properties(${name} PROPERTIES TIMEOUT 3600 ENVIRONMENT "${_environment}")
  else()
    set_tests_properties(${name} PROPERTIES TIMEOUT 1800)
  endif()
endfunction()
