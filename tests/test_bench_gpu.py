# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""What reports of `shadowvm bench ssb` and `shadowvm replay` say of a GPU that fails, and of where the time went."""

import json

import pytest
from answers import replay
from commands import Command, aggregate_call, column

EMULATED = ("--mode", "gpu", "--emulate-gpu")
STAGES = ("plan_ms", "render_ms", "compile_ms", "scan_ms", "cpu_kernel_ms", "copy_ms", "gpu_kernel_ms", "merge_ms")


def bench(program, folder, *options, **environment):
    """The report of one query, what was printed and what was warned of."""
    report = folder / "report.json"
    result = program.run("bench", "ssb", "--sf", 0.01, "--threads", 1, "--runs", 3, "--query", "q2.1", "--json", report,
                         *options, **environment)
    assert result.returncode == 0, result.stderr
    return json.loads(report.read_text())["queries"][0], result.stdout, result.stderr


@pytest.mark.faults
def test_a_card_that_is_lost_between_runs_is_said(program, tmp_path):
    query, printed, warned = bench(program, tmp_path, *EMULATED, SHADOWVM_FAULT="device.launch=nth:3:error")
    assert 0 < query["runs_not_on_gpu"] < 3 and "device.launch" in query["gpu_why_not"]
    assert f"q2.1   on the CPU in {query['runs_not_on_gpu']} of 3 runs: " in printed
    assert warned.count("\n") == 1 and "the GPU is not used, queries run on the CPU" in warned, warned


@pytest.mark.faults
def test_a_card_that_is_lost_in_a_node_is_said(program, tmp_path):
    query, printed, _ = bench(program, tmp_path, *EMULATED, "--node", SHADOWVM_FAULT="device.launch=nth:2:error")
    assert query["runs_not_on_gpu"] > 0 and "q2.1   on the CPU in " in printed


@pytest.mark.faults
def test_a_hung_kernel_is_given_up_and_the_option_named(program, tmp_path):
    query, _, warned = bench(program, tmp_path, *EMULATED, "--gpu-limit", 2, SHADOWVM_FAULT="device.hang=nth:3:error")
    assert query["runs_not_on_gpu"] > 0
    assert "a kernel has not ended within 2 s (--gpu-limit " in warned and warned.count("\n") == 1, warned


@pytest.mark.faults
def test_replay_counts_runs_without_the_card(program, ssb, tmp_path):
    command = Command()
    command.aggregate(command.scan(ssb / "lineorder.parquet"), {}, [aggregate_call("SUM", column("lo_revenue"), "s")])
    answer = replay(program, tmp_path, {"q": command}, *EMULATED, "--runs", 4,
                    SHADOWVM_FAULT="device.launch=nth:2:error")["q"]
    assert not answer.error and answer.report["runs_agree"]
    assert answer.report["runs_not_on_gpu"] == 3 and "device.launch" in answer.report["gpu_why_not"]


@pytest.mark.faults
def test_auto_does_without_a_card_and_says_so(program, tmp_path):
    none = "exec.gpu.open=always:error"
    query, printed, warned = bench(program, tmp_path, "--mode", "auto", SHADOWVM_FAULT=none)
    assert query["runs_not_on_gpu"] == 3 and "q2.1   on the CPU in 3 of 3 runs: there was no GPU: " in printed
    assert warned.count("\n") == 1 and "queries run on the CPU" in warned, warned
    for mode in ("gpu", "mixed"):
        result = program.run("bench", "ssb", "--sf", 0.01, "--mode", mode, SHADOWVM_FAULT=none)
        assert result.returncode == 1 and result.stderr.count("\n") == 1, result.stderr
        assert "exec.gpu.open" in result.stderr and result.stderr.count("SVM-") == 1, result.stderr


@pytest.mark.parametrize("options, positive", [
    (("--mode", "cpu"), {"cpu_kernel_ms"}),
    (EMULATED, {"gpu_kernel_ms"}),
    ((*EMULATED, "--residency", "host"), {"gpu_kernel_ms"}),
    ((*EMULATED, "--residency", "host", "--prefetch", "active1"), {"copy_ms", "gpu_kernel_ms"}),
    ((*EMULATED, "--residency", "host", "--prefetch", "active4"), {"copy_ms", "gpu_kernel_ms"}),
    ((*EMULATED, "--coupled"), {"copy_ms", "gpu_kernel_ms", "compile_ms"}),
])
def test_where_the_time_went(program, tmp_path, options, positive):
    """With one thread parts of the time are no more than all of it."""
    query, _, _ = bench(program, tmp_path, *options)
    split = query["fastest"]
    assert set(split) == {"total_ms", *STAGES}
    for stage in positive | {"plan_ms", "render_ms", "merge_ms"}:
        assert split[stage] > 0, (stage, split)
    assert sum(split[stage] for stage in STAGES) <= split["total_ms"] * 1.001, split
    if "active1" in options or "active4" in options:
        assert 0 < query["device_bytes_estimated"] < query["link_bytes"]
        assert query["link_bytes_are"] == "counted"


def test_a_client_of_a_node_knows_the_total_alone(program, tmp_path):
    query, printed, _ = bench(program, tmp_path, "--node")
    assert set(query["fastest"]) == {"total_ms"}
    assert not {"compile_ms", "bytes", "floor_fraction"} & set(query)
    assert [line.split()[4:6] for line in printed.splitlines() if line.startswith("q2.1")] == [["-", "-"]]
