# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""bench/gpu_bars.py on the emulated GPU: parts run, and bars are judged as they say."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from gpu_page import judge
from gpu_parts import Options, sanitize, sum_up
from shadow_process import ShadowProcess
from ssb_queries import QUERIES

ROOT = Path(__file__).resolve().parent.parent
BANDWIDTH = 4e12
OPTIONS = Options(program=Path("shadowvm"), sf=1, runs=1, cap="", clients_cap="", clients=1, coupled_sf=1, check_sf=1,
                  emulate=False, ends=float("inf"))


def run_bars(program, out: Path, *options) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, ROOT / "bench/gpu_bars.py", "--program", program.path, "--sf", "0.01",
                           "--emulate-gpu", "--runs", "1", "--clients", "2", "--check-sf", "0.01", "--coupled-sf",
                           "0.01", "--out", out, *options], capture_output=True, text=True, check=False, timeout=600)


def test_parts_run_and_a_second_call_adds_to_the_first(program, tmp_path):
    out = tmp_path / "gpu"
    for parts in (["sectors", "resident", "passive", "auto", "clients"], ["check"]):
        done = run_bars(program, out, "--only", *parts)
        assert done.returncode in (0, 1) and not done.stderr, done.stderr
    found = json.loads((tmp_path / "gpu.json").read_text())
    assert set(found["parts"]) == {"sectors", "resident", "passive", "auto", "clients", "check"}
    assert not found["not_measured"], found["not_measured"]
    assert set(found["parts"]["resident"]["kept"]) == set(QUERIES)
    assert found["parts"]["check"] == {"cpu": 13, "gpu": 13, "mixed": 13}
    page = (tmp_path / "gpu.md").read_text()
    assert set(found["measured_by"]) == set(found["parts"])
    assert "mode auto, tables in the host's memory" in page and found["measured_by"]["auto"]["sha256"] in page
    assert "DuckDB" in page and "| q4.3 |" in page and "clients at once" in page


def test_a_kernel_first_seen_is_counted(program, tmp_path):
    with ShadowProcess(program.path, 0.01, cache=tmp_path / "cache") as process:
        process.settings("--mode", "gpu", "--emulate-gpu")
        process.measure("q1.1", 1)
        counts = process.kernels()
    assert counts["compiled"] >= 1 and counts["compile_ms"] >= counts["compile_most_ms"] > 0


def test_the_slowest_first_kernel_counts():
    each = {"q1.1": {"kernels": 2, "ms_each": 120}, "q1.2": {"kernels": 1, "ms_each": 90}}
    counts = {"compiled": 0, "from_disk": 3, "disk_ms": 1, "load_ms": 1}
    for most, met in ((200, True), (201, False)):
        parts = {"kernels": {"first": {"by_query": each, "most_ms": most}, "from_disk": counts,
                             "other_constants": counts}}
        assert bars_of(20, parts)["a kernel first seen"].met is met


def test_a_part_that_fails_is_an_error(program, tmp_path):
    done = run_bars(program, tmp_path / "gpu", "--clients", "0", "--only", "clients")
    assert done.returncode == 1 and "clients stopped" in done.stdout, done.stdout + done.stderr
    assert "clients" in json.loads((tmp_path / "gpu.json").read_text())["not_measured"]


@pytest.mark.parametrize("code, query, said", [
    (0, {"gpu_kernel_min_ms": 1}, "ERROR SUMMARY: 0 errors"),
    (1, {"gpu_kernel_min_ms": 1}, "ended with 1"),
    (0, {"gpu_kernel_min_ms": 1, "gpu_why_not": "no kernel"}, "not on the card"),
    (0, {"gpu_kernel_min_ms": 0}, "not on the card")])
def test_a_sanitizer_counts_where_the_card_worked(tmp_path, code, query, said):
    report = {"queries": [{"name": name, **query} for name in QUERIES]}
    tool = tmp_path / "tool"
    tool.write_text(f"#!/bin/sh\nfor file; do :; done\necho '{json.dumps(report)}' > \"$file\"\n"
                    f"echo '========= ERROR SUMMARY: 0 errors'\nexit {code}\n")
    tool.chmod(0o700)
    assert said in sanitize(OPTIONS, [tool])


def test_no_time_left_is_said(program, tmp_path):
    done = run_bars(program, tmp_path / "gpu", "--limit", "0", "--only", "passive", "node")
    assert "stopped" in done.stdout, done.stderr
    assert set(json.loads((tmp_path / "gpu.json").read_text())["not_measured"]) == {"passive", "node"}


def reports(**values) -> dict:
    return {name: dict(values) for name in QUERIES}


def bars_of(sf, parts) -> dict:
    return {bar.what: bar for bar in judge(sf, parts, BANDWIDTH)}


@pytest.mark.parametrize("kernel_ms, met", [(0.06, True), (0.5, False)])
def test_kernels_and_their_floor(kernel_ms, met):
    report = {"gpu_kernel_min_ms": kernel_ms, "overhead_us": 50, "min_ms": 1,
              "gpu_kernels": [{"title": "a", "ms": 0.001}, {"title": "lineorder", "ms": kernel_ms - 0.001}]}
    parts = {"resident": {"built": reports(**report), "kept": reports(**report)},
             "sectors": reports(touched_bytes=BANDWIDTH / 1e3 * 0.05)}
    bars = bars_of(20, parts)
    assert bars["kernels in the card's memory, build sides included"].met == met
    assert bars["the same, no query far from by hand"].met == met
    assert bars["floor of 32-byte sectors over the scan's kernel, every query"].met == met
    assert bars["engine beside the kernels, all cached"].met
    assert bars_of(1, parts)["engine beside the kernels, all cached"].met is None


def test_policies_are_held_against_the_best_split():
    split = {f"static:{percent}": {"median_ms": 10 + abs(percent - 45)} for percent in range(5, 100, 5)}
    policy = {"partitions_of_all_runs": 100, "partitions_again_of_all_runs": 4}
    ways = split | {"elastic": policy | {"median_ms": 10.4}, "guided": policy | {"median_ms": 10.6}}
    bars = bars_of(20, {"sweep": {"q1.1": ways}})
    assert bars["elastic against the best static split, q1.1"].met
    assert not bars["guided against the best static split, q1.1"].met
    ways["elastic"]["partitions_again_of_all_runs"] = 11
    assert not bars_of(20, {"sweep": {"q1.1": ways}})["elastic against the best static split, q1.1"].met


def test_ways_that_take_turns_are_summed_up():
    rounds = [{"min_ms": 5, "median_ms": 9, "partitions_of_all_runs": 10, "partitions_again_of_all_runs": 1, "x": 1},
              {"min_ms": 4, "median_ms": 6, "partitions_of_all_runs": 10, "partitions_again_of_all_runs": 0, "x": 2},
              {"min_ms": 6, "median_ms": 7, "partitions_of_all_runs": 10, "partitions_again_of_all_runs": 2, "x": 3}]
    assert sum_up(rounds) == {"min_ms": 4, "median_ms": 7, "partitions_of_all_runs": 30,
                                        "partitions_again_of_all_runs": 3, "x": 2}
    assert sum_up([{"min_ms": 2, "median_ms": 3}]) == {"min_ms": 2, "median_ms": 3}


def test_bytes_in_place_are_the_larger_of_both_figures():
    parts = {"passive": reports(min_ms=1, link_bytes=10), "active": {"active1": reports(min_ms=2, link_bytes=100)},
             "sectors": reports(touched_bytes=60)}
    bars = bars_of(20, parts)
    assert bars["bytes over the link, in place against copied"].measured == "40% fewer"
    assert bars["in place against active1"].met
