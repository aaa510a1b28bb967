# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
find_package(CLI11 2.1 REQUIRED)
