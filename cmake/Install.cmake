# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
#
# What `cmake --install` puts where: the libraries, their headers under include/shadowvm with the same paths as in
# the source tree (#include "engine/client/client.h"), and a CMake package, so that an outside project writes
#   find_package(ShadowVM REQUIRED)
#   target_link_libraries(app PRIVATE shadowvm::client)
# All of it is the component "development", so that `cmake --install --component development` needs no programs built.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

if(NOT TARGET shadowvm_client)
  return()
endif()

# shadowvm_closure(<target> <variable> <imported variable>): the project's own targets that <target> needs, itself
# included, and the imported ones. Only these are installed: programs and their libraries are not part of the package.
function(shadowvm_closure target own_variable imported_variable)
  set(_own)
  set(_imported)
  set(_left ${target})
  while(_left)
    list(POP_FRONT _left _name)
    get_target_property(_aliased ${_name} ALIASED_TARGET)
    if(_aliased)
      set(_name ${_aliased})
    endif()
    get_target_property(_is_imported ${_name} IMPORTED)
    if(_is_imported)
      list(APPEND _imported ${_name})
      continue()
    endif()
    list(FIND _own ${_name} _found)
    if(NOT _found EQUAL -1)
      continue()
    endif()
    list(APPEND _own ${_name})
    foreach(_property LINK_LIBRARIES INTERFACE_LINK_LIBRARIES)
      get_target_property(_needed ${_name} ${_property})
      foreach(_dependency IN LISTS _needed)
        if(TARGET "${_dependency}")
          list(APPEND _left ${_dependency})
        endif()
      endforeach()
    endforeach()
  endwhile()
  list(REMOVE_DUPLICATES _imported)
  set(${own_variable} ${_own} PARENT_SCOPE)
  set(${imported_variable} ${_imported} PARENT_SCOPE)
endfunction()

shadowvm_closure(shadowvm_client _libraries _imported)
set(SHADOWVM_FIND_DEPENDENCIES "find_dependency(Threads)\nset(Protobuf_USE_STATIC_LIBS ON)\nfind_dependency(Protobuf)")
if("nlohmann_json::nlohmann_json" IN_LIST _imported)
  string(APPEND SHADOWVM_FIND_DEPENDENCIES "\nfind_dependency(nlohmann_json)")
endif()
set(_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/ShadowVM)

install(TARGETS ${_libraries} EXPORT ShadowVMTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  COMPONENT development)
install(EXPORT ShadowVMTargets NAMESPACE shadowvm:: DESTINATION ${_package_dir} COMPONENT development)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/engine DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/shadowvm
  COMPONENT development FILES_MATCHING PATTERN "*.h" PATTERN "*.inc" PATTERN "tests" EXCLUDE
  PATTERN "cli" EXCLUDE)
install(DIRECTORY ${PROJECT_BINARY_DIR}/proto/shadowvm DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/shadowvm
  COMPONENT development FILES_MATCHING PATTERN "*.pb.h")

# The dependency files of this project find Arrow the same way inside and outside; the root found now is the
# package's default.
set(SHADOWVM_INSTALLED_ARROW_ROOT ${SHADOWVM_ARROW_ROOT})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/ShadowVMConfig.cmake.in
  ${PROJECT_BINARY_DIR}/ShadowVMConfig.cmake INSTALL_DESTINATION ${_package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/ShadowVMConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/ShadowVMConfig.cmake ${PROJECT_BINARY_DIR}/ShadowVMConfigVersion.cmake
  ${PROJECT_SOURCE_DIR}/cmake/dependencies/arrow.cmake ${PROJECT_SOURCE_DIR}/cmake/dependencies/flight.cmake
  DESTINATION ${_package_dir} COMPONENT development)
