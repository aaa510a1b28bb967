# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""`shadowvm bench ssb --sf N --residency file`: files made for one run, which are gone after it, however it ends."""

import json
import os
import signal
import subprocess

import pytest
from node_client import PATIENCE_S, wait_until

ARGUMENTS = ("bench", "ssb", "--sf", 0.01, "--threads", 2, "--query", "q1.1", "--query", "q2.1")
FILES = (*ARGUMENTS, "--residency", "file")


@pytest.fixture
def temporary(tmp_path):
    folder = tmp_path / "temporary"
    folder.mkdir()
    return folder


def report(program, path, arguments, **environment) -> dict:
    result = program.run(*arguments, "--json", path, **environment)
    assert result.returncode == 0, result.stderr
    return json.loads(path.read_text())


@pytest.mark.parametrize("options", [(), ("--mode", "gpu", "--emulate-gpu"),
                                     ("--mode", "gpu", "--emulate-gpu", "--prefetch", "active2"), ("--node",)])
def test_answers_are_those_of_tables_in_memory(program, tmp_path, temporary, options):
    expected = report(program, tmp_path / "memory.json", ARGUMENTS)
    found = report(program, tmp_path / "files.json", (*FILES, *options), TMPDIR=str(temporary))
    assert found["settings"]["residency"] == "file" and found["settings"]["sf"] == 0.01
    assert [query["rows"] for query in found["queries"]] == [query["rows"] for query in expected["queries"]]
    for query in found["queries"]:
        assert "--node" in options or query["fastest"]["scan_ms"] > 0
        if "gpu" in options:
            assert query["pipelines"][-1]["mode"] == "gpu" and "runs_not_on_gpu" not in query, query
    assert not list(temporary.iterdir())


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("scale, begun", [(0.01, "*/lineorder.parquet"), (100, "*/*")])
def test_a_signal_takes_the_files_along(program, temporary, sent, scale, begun):
    """While queries run, which would take a day, and while files are made."""
    arguments = ["bench", "ssb", "--sf", scale, "--threads", 2, "--residency", "file", "--runs", 100_000]
    process = subprocess.Popen([program.path, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                               env=os.environ | {"TMPDIR": str(temporary)})
    wait_until(lambda: list(temporary.glob(begun)), "there are files")
    process.send_signal(sent)
    process.communicate(timeout=PATIENCE_S)
    assert process.returncode == -sent
    assert not list(temporary.iterdir())


@pytest.mark.faults
def test_a_full_disk_is_named_and_left_as_it_was(program, temporary):
    result = program.run(*FILES, TMPDIR=str(temporary), SHADOWVM_FAULT="gen.file.write=nth:2:enospc")
    assert result.returncode == 1 and result.stderr.count("\n") == 1, result.stderr
    assert "SVM-1007" in result.stderr and str(temporary) in result.stderr
    assert not list(temporary.iterdir())
