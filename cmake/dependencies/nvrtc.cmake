# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
#
# NVRTC, which the program looks for when it runs. Tests need to know where it is: in the wheel that dev/setup puts
# into .venv, or at SHADOWVM_NVRTC_LIBRARY.
set(SHADOWVM_NVRTC_LIBRARY "" CACHE FILEPATH "NVRTC's libnvrtc.so, for tests of kernels for a GPU")
if(NOT SHADOWVM_NVRTC_LIBRARY)
  file(GLOB _nvrtc ${PROJECT_SOURCE_DIR}/.venv/lib/python3*/site-packages/nvidia/cu13/lib/libnvrtc.so.13)
  if(NOT _nvrtc)
    message(FATAL_ERROR "NVRTC is missing: run dev/setup, or set SHADOWVM_NVRTC_LIBRARY")
  endif()
  set(SHADOWVM_NVRTC_LIBRARY ${_nvrtc})
endif()
