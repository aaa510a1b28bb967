# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
find_package(nlohmann_json 3.11 REQUIRED)
