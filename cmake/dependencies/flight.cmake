# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
#
# Arrow Flight with the gRPC inside it, from the same place as Arrow. Only the node and its clients need it: where it is
# absent, everything else is built.
file(GLOB _flight ${SHADOWVM_ARROW_ROOT}/libarrow_flight.so.*)
if(_flight AND EXISTS ${SHADOWVM_ARROW_ROOT}/include/arrow/flight/api.h)
  shadowvm_imported_arrow(Arrow::flight libarrow_flight)
  set_target_properties(Arrow::flight PROPERTIES INTERFACE_LINK_LIBRARIES Arrow::arrow)
else()
  message(STATUS "libarrow_flight is absent from ${SHADOWVM_ARROW_ROOT}: the node is left out")
endif()
