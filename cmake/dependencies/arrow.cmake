# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
#
# Arrow C++ and Parquet, from the pyarrow wheel that dev/setup puts into .venv, or from SHADOWVM_ARROW_ROOT (a
# folder with include/ and the libraries). Linked by soname, so the same binary runs beside any pyarrow 25.
set(SHADOWVM_ARROW_ROOT "" CACHE PATH "Folder that holds Arrow's include/ and libarrow.so.*")
if(NOT SHADOWVM_ARROW_ROOT)
  file(GLOB _wheel ${PROJECT_SOURCE_DIR}/.venv/lib/python3*/site-packages/pyarrow)
  if(NOT _wheel)
    message(FATAL_ERROR "Arrow is missing: run dev/setup, or set SHADOWVM_ARROW_ROOT")
  endif()
  set(SHADOWVM_ARROW_ROOT ${_wheel})
endif()

# shadowvm_imported_arrow(<target> <library>): the versioned library of that name as an imported target.
function(shadowvm_imported_arrow target library)
  file(GLOB _file ${SHADOWVM_ARROW_ROOT}/${library}.so.*)
  list(GET _file 0 _file)
  add_library(${target} SHARED IMPORTED GLOBAL)
  set_target_properties(${target} PROPERTIES IMPORTED_LOCATION ${_file}
    INTERFACE_INCLUDE_DIRECTORIES ${SHADOWVM_ARROW_ROOT}/include
    INTERFACE_SYSTEM_INCLUDE_DIRECTORIES ${SHADOWVM_ARROW_ROOT}/include)
endfunction()
shadowvm_imported_arrow(Arrow::arrow libarrow)
shadowvm_imported_arrow(Arrow::parquet libparquet)
set_target_properties(Arrow::parquet PROPERTIES INTERFACE_LINK_LIBRARIES Arrow::arrow)
