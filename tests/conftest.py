# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""End-to-end tests run the program as a user does. SHADOWVM_PROGRAM says which one."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "bench"))


class Program:
    """The program under test."""

    def __init__(self, path: Path):
        self.path = path

    def run(self, *arguments, timeout=300, **environment) -> subprocess.CompletedProcess:
        return subprocess.run([self.path, *map(str, arguments)], capture_output=True, text=True, timeout=timeout,
                              env=os.environ | environment, check=False)


@pytest.fixture(scope="session")
def program() -> Program:
    path = Path(os.environ.get("SHADOWVM_PROGRAM", ROOT / "build/dev/bin/shadowvm"))
    path = path if path.is_absolute() else ROOT / path
    assert path.exists(), f"{path} is not built"
    return Program(path)


@pytest.fixture(scope="session")
def ssb(program, tmp_path_factory) -> Path:
    """A small set of benchmark tables: 300,000 lineorder rows."""
    folder = tmp_path_factory.mktemp("ssb")
    result = program.run("gen", "ssb", "--sf", 0.05, "--out", folder)
    assert result.returncode == 0, result.stderr
    return folder
