# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""End-to-end tests run the program as a user does. SHADOWVM_PROGRAM says which one."""

import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pytest
from typed_tables import write_big, write_dims, write_facts

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "bench"))


class Program:
    """The program under test."""

    def __init__(self, path: Path):
        self.path = path

    def run(self, *arguments, timeout=600, **environment) -> subprocess.CompletedProcess:
        return subprocess.run([self.path, *map(str, arguments)], capture_output=True, text=True, timeout=timeout,
                              env=os.environ | environment, check=False)


@pytest.fixture(scope="session", autouse=True)
def kernel_cache(tmp_path_factory):
    """Kernels and what is known of their speed are those of this session: an earlier one decides nothing."""
    os.environ["SHADOWVM_CACHE_DIR"] = str(tmp_path_factory.mktemp("kernels"))


@pytest.fixture(scope="session", autouse=True)
def ctrl_c():
    """What is started in the background ignores Ctrl-C, and so would all that tests start."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


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


@dataclass(frozen=True)
class Tables:
    """Parquet files of every type: typed_tables.py says what is in them."""

    facts: list[Path]
    dims: Path
    big: Path


@pytest.fixture(scope="session")
def tables(tmp_path_factory) -> Tables:
    folder = tmp_path_factory.mktemp("tables")
    facts = write_facts(folder)
    return Tables(facts, write_dims(folder, facts[0]), write_big(folder))


@pytest.fixture(scope="session")
def duck():
    """The second engine; time stamps are instants in UTC in both."""
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        yield connection
