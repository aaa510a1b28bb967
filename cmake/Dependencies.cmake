# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
#
# One small file per dependency; each defines one imported target.
find_package(Threads REQUIRED)
include(dependencies/arrow)
include(dependencies/flight)
include(dependencies/protobuf)
include(dependencies/json)
include(dependencies/cli11)
include(dependencies/clang)
if(SHADOWVM_BUILD_TESTS)
  include(dependencies/googletest)
  include(dependencies/nvrtc)
endif()
