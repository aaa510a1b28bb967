# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""`shadowvm replay` measures commands as `bench ssb` does its queries: who works on rows, and where tables are."""

import json

import pytest
from answers import replay
from commands import Command, aggregate_call, column

EMULATED = ("--mode", "gpu", "--emulate-gpu")
IN_PLACE = (*EMULATED, "--residency", "host")


@pytest.fixture(scope="module")
def joined(ssb) -> Command:
    """Revenue by year: a build side, and a scan that groups."""
    command = Command()
    years = command.scan(ssb / "date.parquet")
    sales = command.scan(ssb / "lineorder.parquet")
    both = command.join("INNER", sales, years, [column("lo_orderdate")], [column("d_datekey")])
    command.aggregate(both, {"year": column("d_year")}, [aggregate_call("SUM", column("lo_revenue"), "revenue")])
    return command


def run(program, folder, command, *options) -> tuple[dict, dict]:
    """The settings and the command of the report."""
    answer = replay(program, folder, {"q": command}, "--threads", 2, *options)["q"]
    assert not answer.error, answer.error
    return json.loads((folder / "report.json").read_text())["settings"], answer.report


@pytest.fixture(scope="module")
def digest(program, joined, tmp_path_factory) -> str:
    settings, report = run(program, tmp_path_factory.mktemp("cpu"), joined)
    assert settings["mode"] == "cpu" and "prefetch" not in settings and "gpu" not in report
    return report["digest"]


@pytest.mark.parametrize("options, said", [
    (EMULATED, {"residency": "device", "emulate_gpu": True}),
    ((*EMULATED, "--gpu-memory", "8M"), {"residency": "device", "gpu_memory": 8_000_000}),
    ((*EMULATED, "--gpu-tasks", 1), {"gpu_tasks": 1}),
    (IN_PLACE, {"residency": "host", "prefetch": "passive"}),
    ((*IN_PLACE, "--prefetch", "active1"), {"prefetch": "active1"}),
    ((*IN_PLACE, "--prefetch", "active2"), {"prefetch": "active2"}),
    ((*IN_PLACE, "--prefetch", "active4"), {"prefetch": "active4"}),
    ((*EMULATED, "--residency", "file"), {"residency": "file", "prefetch": "passive"}),
    ((*EMULATED, "--runs", "3"), {"runs": 3}),
])
def test_where_a_gpu_finds_tables(program, joined, digest, tmp_path, options, said):
    settings, report = run(program, tmp_path, joined, *options)
    assert said.items() <= settings.items()
    assert report["digest"] == digest and report["runs_agree"]
    assert {pipeline["mode"] for pipeline in report["pipelines"]} == {"gpu"}, report["pipelines"]
    assert report["pipelines"][-1]["rows_on_gpu"] > 0 == report["pipelines"][-1]["rows_on_cpu"]
    assert {"plan", "render", "compile", "scan", "run", "merge"} == set(report["stages"])
    gpu = report["gpu"]
    assert gpu["kernel_ms"] > 0 and gpu["copy_ms"] >= 0
    assert gpu["link_bytes_are"].startswith("counted" if "active" in settings.get("prefetch", "") else "estimated")
    # A second run may find everything where it is read.
    assert gpu["link_bytes"] > 0 or settings["runs"] > 1
    assert report["total_ms"] > 0 < report["first_ms"]


def test_cores_and_a_gpu_at_once(program, joined, digest, tmp_path):
    """Once the tables are in memory."""
    settings, report = run(program, tmp_path, joined, "--mode", "mixed", "--emulate-gpu", "--policy", "static:50",
                           "--partitions", "8", "--runs", "2")
    assert settings["policy"] == "static:50" and settings["residency"] == "host"
    assert report["digest"] == digest
    last = report["pipelines"][-1]
    assert last["mode"] == "mixed" and last["rows_on_gpu"] > 0 and last["rows_on_cpu"] > 0


def test_what_is_said_of_pipelines(program, joined, tmp_path):
    (tmp_path / "q.json").write_text(joined.text())
    result = program.run("replay", tmp_path / "q.json", "--runs", 2, "--mode", "auto", "--emulate-gpu")
    assert result.returncode == 0, result.stderr
    lines = [line for line in result.stdout.splitlines() if "lineorder" in line]
    assert len(lines) == 1 and " ms, predicted " in lines[0], result.stdout


@pytest.mark.parametrize("name", ["trace.json", "trace.svg"])
def test_who_took_which_partition_when(program, joined, tmp_path, name):
    run(program, tmp_path / "run", joined, "--mode", "mixed", "--emulate-gpu", "--partitions", "8", "--runs", 2,
        "--trace", tmp_path / name)
    text = (tmp_path / name).read_text()
    if name.endswith("svg"):
        assert text.startswith("<svg") and "q.json" in text and "<rect x=" in text
        return
    events = json.loads(text)["traceEvents"]
    assert any(event["ph"] == "M" and "q.json: lineorder" in event["args"]["name"] for event in events)
    assert sum(event["args"]["units"] for event in events if event["ph"] == "X" and event["args"]["counts"]) == 8
