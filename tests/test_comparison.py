# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""bench/compare_ssb.py notices every difference and records what it measured."""

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from comparison import QueryTimes, WrongAnswer, check_answers, geomean
from duckdb_engine import DuckEngine
from shadow_process import ShadowProcess
from ssb_queries import QUERIES, VARIANTS
from tables import bar, markdown_table, terminal_table

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def scripted(tmp_path_factory) -> Path:
    """The scripted program as an executable."""
    path = tmp_path_factory.mktemp("scripted") / "shadowvm"
    path.write_text(f"#!/bin/sh\nexec '{sys.executable}' '{ROOT}/tests/scripted_program.py' \"$@\"\n")
    path.chmod(0o755)
    return path


def compare(program: Path, data: Path, script: str = "") -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, ROOT / "bench/compare_ssb.py", "--program", program, "--data", data,
                           "--runs", "2", "--threads", "1"], capture_output=True, text=True, check=False,
                          env=os.environ | {"SCRIPT": script})


def test_equal_answers_are_shown_as_a_table(scripted, ssb):
    result = compare(scripted, ssb)
    assert result.returncode == 0, result.stderr
    assert all(query in result.stdout for query in QUERIES)
    assert "geomean" in result.stdout


@pytest.mark.parametrize("script, complaint", [
    ("wrong-order", "q2.1: row 0"), ("missing-row", "q1.1"), ("die", "scripted end"), ("error", "SVM-9001"),
])
def test_every_difference_is_an_error(scripted, ssb, script, complaint):
    result = compare(scripted, ssb, script)
    assert result.returncode == 1
    assert complaint in result.stderr
    assert "geomean" not in result.stdout


def test_random_constants_reach_both_engines(scripted, ssb):
    draw = random.Random(1)
    with ShadowProcess(scripted, ssb, 1) as shadow, DuckEngine(ssb, 1) as duck:
        for query, (constants_of, sql) in VARIANTS.items():
            constants = constants_of(draw)
            check_answers(query, shadow.ask(query, constants)["rows"], duck.ask(sql.format(**constants))["rows"])
    assert shadow.peak_rss_bytes > 0


def test_check_answers_names_the_first_difference():
    check_answers("q", [[1, "a"]], [[1, "a"]])
    with pytest.raises(WrongAnswer, match="row 1"):
        check_answers("q", [[1], [2]], [[1], [3]])
    with pytest.raises(WrongAnswer, match="1 rows, DuckDB 2"):
        check_answers("q", [[1]], [[1], [2]])


def test_tables_show_losses():
    results = [QueryTimes("q1.1", [1.0, 2.0], [4.0, 5.0], 1000, 1), QueryTimes("q1.2", [4.0], [2.0], 1000, 1)]
    assert geomean(times.ratio for times in results) == pytest.approx(2 ** 0.5)
    text = terminal_table(results, 1e9)
    assert "4.00×" in text and "0.50×" in text and "slower" in text
    assert "| q1.2 | 4.00 | 2.00 | 0.50× |" in markdown_table(results, 1e9)


def test_bars_are_as_long_as_their_values():
    assert bar(1, 1, width=4) == "████"
    assert bar(1, 2, width=4) == "██"
    assert bar(1, 16, width=4) == "▎"
    assert bar(0, 1, width=4) == ""
