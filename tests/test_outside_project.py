# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""A project outside this tree finds the installed package, builds against it and gets DuckDB's answer."""

import re
import subprocess

import duckdb
from conftest import ROOT
from node_client import Node


def run(*command, cwd=None) -> str:
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False, cwd=cwd)
    assert done.returncode == 0, f"{command}:\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
    return done.stdout


def test_an_outside_project_builds_and_runs(program, ssb, tmp_path):
    build = ROOT / "build/dev"
    prefix, hello = tmp_path / "prefix", tmp_path / "hello"
    run("cmake", "--install", build, "--prefix", prefix, "--component", "development")
    run("cmake", "--install", build, "--prefix", prefix, "--component", "runtime")
    run("cmake", "-S", ROOT / "examples/hello", "-B", hello, "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}")
    run("cmake", "--build", hello)

    file = ssb / "lineorder.parquet"
    answer = run(hello / "hello", file)
    with_node = Node(program, tmp_path)
    try:
        assert run(hello / "hello", file, with_node.ready["address"]) == answer
    finally:
        assert with_node.stop() == 0
    expected = duckdb.sql(f"SELECT sum(lo_revenue) FROM '{file}' WHERE lo_quantity < 25 "
                          "GROUP BY lo_discount ORDER BY lo_discount").fetchall()
    numbers = [int(number) for number in re.findall(r"^\s+(\d+),?$", answer, re.MULTILINE)]
    # Printed column by column: discounts, revenues, counts.
    assert numbers[len(expected):2 * len(expected)] == [int(row[0]) for row in expected]
