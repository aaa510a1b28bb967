# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
#
# What `cmake --install` puts where. The CMake package for outside projects is defined in engine/client.
