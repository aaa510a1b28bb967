// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ShadowVM authors

#pragma once

namespace shadowvm::cli {

// The whole program: reads the command line, runs one command, returns the exit status. 0: done; 1:
// the command failed, its error is on standard error; 2: the command line was wrong.
int RunProgram(int argc, char** argv);

}  // namespace shadowvm::cli
