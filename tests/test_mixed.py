# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""Cores and an emulated GPU at the same queries: every policy gives the answers of cores alone."""

import json

import pytest

QUERIES = ("q1.1", "q2.1", "q3.1", "q4.1")


def bench(program, folder, *options):
    report = folder / "report.json"
    result = program.run("bench", "ssb", "--sf", 0.05, "--threads", 2, "--runs", 2, "--query", *QUERIES,
                         "--json", report, *options)
    assert result.returncode == 0, result.stderr
    return {query["name"]: query for query in json.loads(report.read_text())["queries"]}


@pytest.fixture(scope="module")
def expected(program, tmp_path_factory):
    answers = bench(program, tmp_path_factory.mktemp("cpu"), "--mode", "cpu")
    return {name: query["rows"] for name, query in answers.items()}


@pytest.mark.parametrize("policy", ["guided", "elastic", "apriori", "static:40", "static:100"])
def test_policies_give_the_answers_of_cores(program, expected, tmp_path, policy):
    trace = tmp_path / "trace.json"
    queries = bench(program, tmp_path, "--mode", "mixed", "--emulate-gpu", "--policy", policy, "--trace", trace)
    assert {name: query["rows"] for name, query in queries.items()} == expected
    for query in queries.values():
        assert query["partitions"] == 5
        assert query["partitions_again"] <= 1
        assert query["pipelines"][-1]["mode"] == "mixed"
        assert 0 <= query["gpu_row_share"] <= 1
    if policy == "static:40":
        assert all(query["gpu_row_share"] > 0.2 for query in queries.values())
    events = json.loads(trace.read_text())["traceEvents"]
    counted = [event["args"]["units"] for event in events if event["ph"] == "X" and event["args"]["counts"]]
    assert sum(counted) == 5 * len(QUERIES)


def test_auto_says_why(program, expected, tmp_path):
    queries = bench(program, tmp_path, "--mode", "auto", "--emulate-gpu")
    for name, query in queries.items():
        assert query["rows"] == expected[name]
        for pipeline in query["pipelines"]:
            assert pipeline["mode"] in ("cpu", "gpu", "mixed")
            assert pipeline["reason"]


def test_build_sides_that_are_kept(program, expected, tmp_path):
    queries = bench(program, tmp_path, "--mode", "mixed", "--emulate-gpu", "--keep-builds")
    assert {name: query["rows"] for name, query in queries.items()} == expected


def test_a_drawing(program, tmp_path):
    drawing = tmp_path / "trace.svg"
    bench(program, tmp_path, "--mode", "mixed", "--emulate-gpu", "--trace", drawing)
    assert drawing.read_text().startswith("<svg") and "q4.1" in drawing.read_text()
