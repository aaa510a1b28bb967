# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""A node with a GPU, the emulated one: modes, what clients are told, and what its failures cost."""

import json
import signal
import time
from concurrent.futures import ThreadPoolExecutor

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from answers import check_rows, rows_of
from commands import Command, aggregate_call, column, sort_key
from node_client import PATIENCE_S, Node, answer_of, wait_until

ROWS = 30_000
CPU, GPU, MIXED = 1, 2, 3  # v1::Mode


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    path = tmp_path_factory.mktemp("table") / "t.parquet"
    pq.write_table(pa.table({"k": pa.array((i % 7 for i in range(ROWS)), pa.int32()),
                             "v": pa.array((i * 31 % 1009 for i in range(ROWS)), pa.int32())}), path)
    return path


@pytest.fixture
def start(program, tmp_path):
    nodes = []

    def begin(*options, **environment) -> Node:
        nodes.append(Node(program, tmp_path, "--threads", 2, *options, **environment))
        return nodes[-1]

    yield begin
    for node in nodes:
        assert node.stop() in (0, -signal.SIGKILL)


def sums(path, by="k") -> Command:
    command = Command()
    groups = command.aggregate(command.scan(path), {"k": column("k")}, [aggregate_call("SUM", column("v"), "s")])
    command.sort(groups, sort_key(column(by)))
    return command


def check_sums(answer: pa.Table, duck, path):
    sql = f"SELECT k, sum(v)::BIGINT FROM '{path}' GROUP BY k ORDER BY k"
    check_rows(rows_of(answer), rows_of(duck.sql(sql).to_arrow_table()), True, sql)


def on_gpu(metrics) -> bool:
    return any(share.device == "gpu" for pipeline in metrics.pipelines for share in pipeline.devices)


def test_the_handshake_lists_the_gpu(start):
    hello = start("--gpu", "emulated").client().hello
    assert [device.name for device in hello.devices] == ["cpu", "gpu"] and not hello.no_gpu
    gpu = hello.devices[1]
    assert gpu.workers > 0 and gpu.memory_bytes > 0 and gpu.model.startswith("emulated GPU, ")


def test_without_a_gpu_clients_are_told_why(start):
    hello = start("--gpu", "off").client().hello
    assert [device.name for device in hello.devices] == ["cpu"] and hello.no_gpu == "it is switched off"


def test_a_client_chooses_the_mode(start, duck, table):
    client = start("--gpu", "emulated").client()
    for mode in (CPU, GPU):
        response = client.execute(sums(table), mode=mode)
        check_sums(answer_of(response), duck, table)
        assert on_gpu(response.metrics) == (mode == GPU)
    first = response.metrics.pipelines[0]
    assert first.kernel_ms > 0 and not first.why_not_gpu
    assert first.mode == GPU and first.real_ms > 0 and first.predicted_ms > 0 and first.link_bytes > 0
    (gpu,) = client.status().devices
    assert gpu.name == "gpu" and not gpu.down and gpu.failures == 0
    assert 0 < gpu.memory_used < gpu.memory_bytes and gpu.kernels.compiles_fast + gpu.kernels.disk_hits >= 1


def test_a_client_is_told_what_was_predicted_and_why(start, table):
    client = start("--gpu", "emulated", "--gpu-tasks", 1, "--gpu-memory", "64M").client()
    first, later = (client.execute(sums(table, by="s")).metrics.pipelines for _ in range(2))
    # Of rows in files nothing is predicted, unless an earlier node has left how long they take.
    assert first[0].mode == CPU and first[0].reason == "its rows are read from files", first[0]
    assert first[0].real_ms > 0, first[0]
    # Its rows are in memory now; how long they took decides, so any processor may be right.
    assert later[0].mode in (CPU, GPU, MIXED) and later[0].reason not in ("", first[0].reason), later[0]
    assert later[0].predicted_ms > 0 and later[0].real_ms > 0, later[0]
    assert later[-1].index != later[0].index
    (sort,) = (pipeline.sort for pipeline in later if pipeline.HasField("sort"))
    assert (sort.mode, sort.rows, sort.reason) == (CPU, 7, "too few rows to be worth a launch"), sort
    assert sort.predicted_ms > 0 and sort.real_ms > 0, sort
    # Groups come in the order of their keys without one.
    assert not any(pipeline.HasField("sort") for pipeline in client.execute(sums(table)).metrics.pipelines)
    assert client.status().devices[0].memory_used <= 64_000_000


@pytest.mark.parametrize("option", [("--gpu-tasks", 0), ("--gpu-memory", "much"), ("--trace-keep", 5),
                                    ("--policy", "fair")])
def test_wrong_settings_of_the_gpu_are_named(program, tmp_path, option):
    done = program.run("node", "--socket", tmp_path / "node.sock", *option)
    assert done.returncode == 2 and option[0] in done.stderr


def test_cores_and_the_gpu_share_a_query(start, duck, table):
    """Once its rows are in memory and its kernel is there."""
    client = start("--gpu", "emulated").client()
    client.execute(sums(table), mode=GPU)
    shares = []
    for _ in range(20):
        response = client.execute(sums(table), mode=MIXED, partitions=15)
        check_sums(answer_of(response), duck, table)
        scan = response.metrics.pipelines[0]
        assert scan.rows_in == ROWS and scan.partitions == 15
        assert sum(share.share for share in scan.devices) == pytest.approx(1)
        taken = [share.share for share in scan.devices if share.device == "gpu"]
        assert taken or scan.why_not_gpu
        shares += taken
    # The cores may be done each time before the emulated GPU has begun.
    assert all(0 < share <= 1 for share in shares)


def test_traces_of_queries_that_both_worked_on(start, table, tmp_path):
    """As files, of the newest queries: who took which partition when."""
    traces = tmp_path / "traces"
    client = start("--gpu", "emulated", "--trace-dir", traces, "--trace-keep", 2).client()
    client.execute(sums(table), mode=CPU)
    client.execute(sums(table), mode=GPU)
    assert not list(traces.iterdir()), "what one processor did alone has no trace"
    seen = set()

    def three_queries():
        client.execute(sums(table), mode=MIXED, partitions=15)
        seen.update(traces.iterdir())
        return len(seen) >= 6

    wait_until(three_queries, "three queries have been split")
    assert len(list(traces.iterdir())) == 4 and seen.issuperset(traces.iterdir())
    events = json.loads(sorted(traces.glob("*.json"))[-1].read_text())["traceEvents"]
    assert sum(event["args"]["units"] for event in events if event["ph"] == "X" and event["args"]["counts"]) == 15
    drawing = sorted(traces.glob("*.svg"))[-1].read_text()
    assert drawing.startswith("<svg") and "<rect x=" in drawing


@pytest.mark.parametrize("policy", ["guided", "static:40"])
def test_a_node_has_a_policy(start, table, tmp_path, policy):
    traces = tmp_path / "traces"
    client = start("--gpu", "emulated", "--policy", policy, "--trace-dir", traces).client()
    client.execute(sums(table), mode=GPU)  # so that the rows are in memory, and the kernel is there

    def is_split():
        client.execute(sums(table), mode=MIXED, partitions=15)
        return list(traces.glob("*.svg"))

    wait_until(is_split, "a query has been split")
    assert all(policy in drawing.read_text() for drawing in traces.glob("*.svg"))


def test_a_folder_of_traces_that_cannot_be_is_named(program, tmp_path, table):
    done = program.run("node", "--socket", tmp_path / "node.sock", "--gpu", "off", "--trace-dir", table)
    assert done.returncode == 1 and done.stderr.count("\n") == 1
    assert "SVM-1007" in done.stderr and str(table) in done.stderr


@pytest.mark.faults
@pytest.mark.parametrize("fault", ["device.launch=nth:2:error", "device.wait=nth:4:error", "device.hang=nth:2:error"])
def test_a_gpu_that_is_lost_in_the_middle_costs_no_row(start, duck, table, fault):
    # A kernel that does not hang ends long before the limit, on a busy machine as well.
    limit = 2 if fault.startswith("device.hang") else 600
    client = start("--gpu", "emulated", "--gpu-limit", limit, "--gpu-retry", 0.1, SHADOWVM_FAULT=fault).client()
    for mode in (GPU, MIXED, MIXED, MIXED):
        response = client.execute(sums(table), mode=mode, partitions=15)
        check_sums(answer_of(response), duck, table)
        assert response.metrics.pipelines[0].rows_in == ROWS
    wait_until(lambda: client.execute(sums(table), mode=GPU) and client.status().devices[0].failures == 1,
               "it has failed once")


@pytest.mark.parametrize("mode", [GPU, MIXED])
def test_eight_clients_share_it(start, duck, table, mode):
    node = start("--gpu", "emulated")

    def ask(_):
        client = node.client()
        return [client.execute(sums(table), mode=mode, partitions=15) for _ in range(3)]

    with ThreadPoolExecutor(8) as pool:
        for responses in pool.map(ask, range(8)):
            for response in responses:
                check_sums(answer_of(response), duck, table)
                assert on_gpu(response.metrics) or mode == MIXED


@pytest.mark.faults
def test_a_gpu_that_fails_is_set_aside_and_tried_again(start, duck, table):
    node = start("--gpu", "emulated", "--gpu-retry", 0.5, SHADOWVM_FAULT="device.launch=nth:1:error")
    client = node.client()
    response = client.execute(sums(table), mode=GPU)
    check_sums(answer_of(response), duck, table)
    assert not on_gpu(response.metrics) and "device.launch" in response.metrics.pipelines[0].why_not_gpu
    (gpu,) = client.status().devices
    assert "device.launch" in gpu.down and gpu.failures == 1 and gpu.memory_used == 0
    time.sleep(0.6)
    response = client.execute(sums(table), mode=GPU)
    check_sums(answer_of(response), duck, table)
    assert on_gpu(response.metrics) and not client.status().devices[0].down
    node.process.send_signal(signal.SIGTERM)
    said = node.process.communicate(timeout=PATIENCE_S)[1]
    assert said.count("the GPU is not used") == 1 and "tried again in" in said, said


@pytest.mark.faults
def test_a_kernel_that_hangs_costs_the_limit(start, duck, table):
    node = start("--gpu", "emulated", "--gpu-limit", 0.3, SHADOWVM_FAULT="device.hang=nth:1:error")
    client = node.client()
    response = client.execute(sums(table), mode=GPU)
    check_sums(answer_of(response), duck, table)
    down = client.status().devices[0].down
    assert "300 ms" in down and "--gpu-limit" in down


@pytest.mark.faults
def test_a_gpu_that_does_not_open_costs_a_line(start, duck, table):
    node = start("--gpu", "emulated", "--gpu-retry", 3600, SHADOWVM_FAULT="exec.gpu.open=always:error")
    client = node.client()
    assert "exec.gpu.open" in client.hello.no_gpu
    for mode in (GPU, 0):
        response = client.execute(sums(table), mode=mode)
        check_sums(answer_of(response), duck, table)
        scan = response.metrics.pipelines[0]
        # Who leaves the choice to the node does not hear of one that never was there.
        told = scan.mode == CPU and scan.real_ms > 0 and "exec.gpu.open" in scan.reason
        assert told if mode == GPU else not scan.reason, scan
    assert client.status().devices[0].retry_ms > 0


@pytest.mark.faults
def test_auto_goes_ahead_while_the_kernel_is_compiled(start, duck, table):
    node = start("--gpu", "emulated", SHADOWVM_FAULT="compile.program=always:hang:10000")
    client = node.client()
    response = client.execute(sums(table))
    check_sums(answer_of(response), duck, table)
    assert not on_gpu(response.metrics)
    # An earlier node may have left it on disk.
    wait_until(lambda: client.status().devices[0].kernels.compiles_fast +
               client.status().devices[0].kernels.disk_hits >= 1, "the kernel is there")


@pytest.mark.faults
def test_a_required_gpu_that_is_missing_ends_the_node(program, tmp_path):
    done = program.run("node", "--socket", tmp_path / "run" / "node.sock", "--gpu", "cuda",
                       SHADOWVM_FAULT="exec.gpu.open=always:error")
    assert done.returncode == 1 and "exec.gpu.open" in done.stderr


@pytest.mark.parametrize("how", [["--node"], ["--mode", "gpu", "--emulate-gpu", "--node"],
                                 ["--mode", "mixed", "--emulate-gpu", "--node"],
                                 ["--mode", "auto", "--emulate-gpu", "--node"],
                                 ["--mode", "gpu", "--emulate-gpu", "--coupled"]])
def test_the_benchmark_asks_in_other_ways(program, tmp_path, how):
    """The same answers over a node's socket, and with a GPU that is opened for each run."""
    rows = []
    for name, options in (("plain", []), ("other", how)):
        report = tmp_path / f"{name}.json"
        done = program.run("bench", "ssb", "--sf", 0.01, "--runs", 2, "--threads", 2, "--query", "q1.1", "--query",
                           "q2.1", "--json", report, *options)
        assert done.returncode == 0, done.stderr
        queries = json.loads(report.read_text())["queries"]
        rows.append([query["rows"] for query in queries])
    assert rows[0] == rows[1]
    if "--coupled" in how:
        assert all(0 < query["gpu_share"] < 1 and query["overhead_us"] > 0 for query in queries)
