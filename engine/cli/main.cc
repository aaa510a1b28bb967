// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#include "engine/cli/program.h"

int main(int argc, char** argv) { return shadowvm::cli::RunProgram(argc, argv); }
