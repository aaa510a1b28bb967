# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""The node, asked by a plain Flight client: answers, sessions, cancelling, starting and stopping."""

import json
import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pyarrow as pa
import pyarrow.flight as flight
import pyarrow.parquet as pq
import pytest
from answers import check_rows, rows_of
from commands import Command, aggregate_call, column, sort_key
from node_client import PATIENCE_S, Node, answer_of, code_of, is_running, wait_until

ROWS = 200_000
SMALL_ROWS = 60_000
# Longer than a client on a busy machine is silent between two calls.
LEASE_MS = 3000
# Of a call that is given up: long enough to get to the node, and shorter than many_pairs takes.
GIVEN_UP_S = 2


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    path = tmp_path_factory.mktemp("table") / "t.parquet"
    pq.write_table(pa.table({"k": pa.array((i % 7 for i in range(ROWS)), pa.int32()),
                             "v": pa.array((i * 31 % 1009 for i in range(ROWS)), pa.int64())}), path)
    return path


@pytest.fixture(scope="module")
def small_table(tmp_path_factory):
    """Its pairs take a second or two."""
    path = tmp_path_factory.mktemp("small") / "t.parquet"
    pq.write_table(pa.table({"k": pa.array((i % 7 for i in range(SMALL_ROWS)), pa.int32()),
                             "v": pa.array(range(SMALL_ROWS), pa.int64())}), path)
    return path


@pytest.fixture
def start(program, tmp_path):
    """Starts nodes; whatever a test leaves running is stopped, and must then have left nothing."""
    nodes = []

    def begin(*options, folder="node", **environment) -> Node:
        (tmp_path / folder).mkdir(exist_ok=True)
        nodes.append(Node(program, tmp_path / folder, *options, **environment))
        return nodes[-1]

    yield begin
    for node in nodes:
        assert node.stop() in (0, -signal.SIGKILL)
    for folder in [folder for name in ("run", "shared") for folder in tmp_path.glob(f"*/{name}")]:
        assert not list(folder.iterdir())


@pytest.fixture
def node(start) -> Node:
    return start("--threads", 2)


def sums(path) -> Command:
    command = Command()
    groups = command.aggregate(command.scan(path), {"k": column("k")}, [aggregate_call("SUM", column("v"), "s")])
    command.sort(groups, sort_key(column("k")))
    return command


def many_pairs(path) -> Command:
    """Every row with every row of the same key: much work, and no answer to speak of."""
    command = Command()
    left, right = command.scan(path), command.map(command.scan(path), k2=column("k"), v2=column("v"))
    pairs = command.join("INNER", left, right, [column("k")], [column("k2")])
    command.aggregate(pairs, {}, [aggregate_call("MAX", column("v2"), "m")])
    return command


def check_sums(answer: pa.Table, duck, path):
    sql = f"SELECT k, sum(v)::BIGINT FROM '{path}' GROUP BY k ORDER BY k"
    check_rows(rows_of(answer), rows_of(duck.sql(sql).to_arrow_table()), True, sql)


def refused(call) -> int:
    with pytest.raises(flight.FlightError) as caught:
        call()
    return code_of(caught.value)


def test_the_handshake_says_what_the_node_is(node):
    hello = node.client(lease_ms=0).hello  # as long as the node likes
    assert hello.protocol_version == 1 and hello.session and hello.lease_ms > 0 and hello.version
    assert [(device.name, device.workers) for device in hello.devices] == [("cpu", 2)]
    assert {"flight-stream", "pipelines", "shared-memory"} <= set(hello.capabilities)
    assert node.ready == {"event": "ready", "address": f"unix:{node.socket}", "pid": node.process.pid,
                          "protocol": 1, "version": hello.version}


def test_a_newer_protocol_is_refused(node):
    assert refused(lambda: node.client(protocol_version=2)) == 2006


def test_a_call_without_a_session_is_refused(node, table):
    client = node.client()
    info = client.register(sums(table))
    client.options = flight.FlightCallOptions(timeout=PATIENCE_S)
    assert refused(lambda: client.act("keepalive")) == 5001
    assert refused(lambda: client.fetch(info)) == 5001


def test_a_command_is_answered(node, duck, table):
    client = node.client()
    info = client.register(sums(table), "q1")
    answer, metrics = client.fetch(info)
    check_sums(answer, duck, table)
    assert info.schema.names == answer.schema.names and info.schema.types == answer.schema.types
    assert (metrics.query_id, metrics.rows) == ("q1", 7) and metrics.bytes_read > 0
    assert {stage.stage for stage in metrics.stages} >= {"plan", "compile", "run"}


def test_an_answer_of_no_rows_and_one_of_many_batches(node, table):
    client = node.client()
    nothing, everything = Command(), Command()
    nothing.limit(nothing.scan(table), 0)
    everything.sort(everything.scan(table), sort_key(column("v")), sort_key(column("k")))
    answer, metrics = client.fetch(client.register(nothing))
    assert answer.num_rows == 0 and answer.schema.names == ["k", "v"] and metrics.query_id
    answer, metrics = client.fetch(client.register(everything))
    assert answer.num_rows == ROWS == metrics.rows and answer.column("v").num_chunks > 1
    assert answer.column("v").to_pylist() == sorted(i * 31 % 1009 for i in range(ROWS))


def test_a_query_is_fetched_once_and_registered_as_often_as_one_likes(node, table):
    client = node.client()
    info = client.register(sums(table), "q")
    assert client.register(sums(table), "q").endpoints[0].ticket == info.endpoints[0].ticket
    other = Command()
    other.limit(other.scan(table), 1)
    assert refused(lambda: client.register(other, "q")) == 2001
    client.fetch(info)
    assert refused(lambda: client.fetch(info)) == 5002
    assert client.status().queries_kept == 0 and client.status().queries_done == 1


def everything(path) -> Command:
    command = Command()
    command.sort(command.scan(path), sort_key(column("v")), sort_key(column("k")))
    return command


def sums_of_pairs(path) -> Command:
    """A build side, a probe, groups, a sort: several pipelines."""
    command = Command()
    left, right = command.scan(path), command.limit(command.map(command.scan(path), k2=column("k")), 1)
    pairs = command.join("INNER", left, right, [column("k")], [column("k2")])
    command.sort(command.aggregate(pairs, {"k": column("k")}, [aggregate_call("SUM", column("v"), "s")]),
                 sort_key(column("k")))
    return command


def test_pipelines_run_one_by_one(node, duck, table):
    client = node.client()
    pipelines = client.pipelines(client.register(sums_of_pairs(table), "q"))
    assert [pipeline.index for pipeline in pipelines] == list(range(len(pipelines))) and len(pipelines) >= 4
    assert all(pipeline.label for pipeline in pipelines) and any(pipeline.actions for pipeline in pipelines)
    for pipeline in pipelines[:-1]:
        response = client.run_pipeline("q", pipeline.index)
        assert not response.inline_answer and not response.shared_answer
        done = [metrics.index for metrics in response.metrics.pipelines]
        assert done == list(range(len(done))) and len(done) > pipeline.index
        # Another attempt finds it done.
        client.run_pipeline("q", pipeline.index, attempt=1)
    response = client.run_pipeline("q", pipelines[-1].index)
    key = answer_of(response).column("k")[0].as_py()
    sql = f"SELECT k, sum(v)::BIGINT FROM '{table}' WHERE k = {key} GROUP BY k"
    check_rows(rows_of(answer_of(response)), rows_of(duck.sql(sql).to_arrow_table()), True, sql)
    metrics = response.metrics
    assert metrics.rows == 1 and len(metrics.pipelines) == len(pipelines)
    probe = max(metrics.pipelines, key=lambda pipeline: pipeline.rows_in)
    assert [(share.device, share.share) for share in metrics.devices] == [("cpu", 1)]
    assert probe.rows_in == ROWS and probe.segments_run == 1 and probe.milliseconds > 0
    assert metrics.pipelines[-1].rows_out == 1
    status = client.status()
    assert (status.queries_done, status.queries_kept) == (1, 0)


@pytest.mark.parametrize("partitions, expected", [(0, 2), (1, 1), (7, 7), (1_000_000, 98)])
def test_a_scan_is_cut_into_as_many_partitions_as_asked(node, duck, table, partitions, expected):
    client = node.client()
    client.run(sums(table))  # what is not in memory is taken as a whole
    last = client.pipelines(client.register(sums(table), "q", partitions=partitions))[-1].index
    response = client.run_pipeline("q", last)
    check_sums(answer_of(response), duck, table)
    scan = max(response.metrics.pipelines, key=lambda pipeline: pipeline.rows_in)
    assert scan.partitions == expected
    assert [(share.device, share.share) for share in scan.devices] == [("cpu", 1)]


def test_a_handed_out_query_is_unknown_and_may_come_again(node, duck, table):
    client = node.client()
    for _ in range(2):
        last = client.pipelines(client.register(sums(table), "q"))[-1].index
        check_sums(answer_of(client.run_pipeline("q", last)), duck, table)
        assert refused(lambda last=last: client.run_pipeline("q", last)) == 5002
    assert refused(lambda: client.run_pipeline("never registered", 0)) == 5002


def test_pipelines_that_are_not_there_are_refused(node, table):
    client = node.client()
    count = len(client.pipelines(client.register(sums(table), "q")))
    assert refused(lambda: client.run_pipeline("q", count)) == 2001
    assert refused(lambda: client.run_pipeline("q", 0, partition=1)) == 2001
    assert refused(lambda: client.act("run", b"\xff\xff")) == 2001


def test_large_answers_come_as_shared_files(node, table):
    client = node.client()
    expected = sorted(i * 31 % 1009 for i in range(ROWS))
    last = client.pipelines(client.register(everything(table), "q"))[-1].index
    response = client.run_pipeline("q", last, shared=True)
    assert response.shared_answer and not response.inline_answer
    (folder,) = node.shared.iterdir()
    assert folder.stat().st_mode & 0o777 == 0o700
    for file in response.shared_answer:
        assert os.stat(file.path).st_mode & 0o777 == 0o600 and os.path.dirname(file.path) == str(folder)
    assert client.status().shared_bytes == sum(file.bytes for file in response.shared_answer)
    answer = answer_of(response)
    assert answer.column("v").to_pylist() == expected
    assert answer.schema.types == [pa.int32(), pa.int64()]
    wait_until(lambda: client.status().shared_bytes == 0, "removed files are noticed")
    assert client.status().queries_kept == 0


def test_a_client_elsewhere_fetches_large_answers(node, table):
    client = node.client()
    info = client.register(everything(table), "q")
    response = client.run_pipeline("q", client.pipelines(info)[-1].index)
    assert not response.shared_answer and not response.inline_answer and response.metrics.rows == ROWS
    assert client.status().queries_kept == 1
    assert client.fetch(info)[0].num_rows == ROWS
    assert client.status().queries_kept == 0 and client.status().queries_done == 1


@pytest.mark.parametrize("environment", [
    pytest.param({"SHADOWVM_FAULT": "node.shared.write=always:enospc"}, marks=pytest.mark.faults),
    {"shared_memory": "there is none"},
])
def test_without_room_in_shared_memory_answers_are_fetched(start, table, tmp_path, environment):
    client = start("--threads", 2, **environment).client()
    assert ("shared-memory" in client.hello.capabilities) == ("SHADOWVM_FAULT" in environment)
    info = client.register(everything(table), "q")
    response = client.run_pipeline("q", client.pipelines(info)[-1].index, shared=True)
    assert not response.shared_answer and not response.inline_answer
    assert client.fetch(info)[0].num_rows == ROWS
    assert [file for folder in (tmp_path / "node/shared").iterdir() for file in folder.iterdir()] == []


def test_shared_files_go_with_their_session(node, table):
    watcher = node.client()
    for end, lease in (("close", {}), ("lease", {"lease_ms": LEASE_MS})):
        client = node.client(**lease)
        last = client.pipelines(client.register(everything(table), "q"))[-1].index
        (file,) = client.run_pipeline("q", last, shared=True).shared_answer
        if end == "close":
            client.act("close")
        wait_until(lambda file=file: not os.path.exists(file.path), "the file goes")
        wait_until(lambda: watcher.status().shared_bytes == 0, "its bytes come back")


def test_a_dead_nodes_shared_files_are_removed_by_the_next(start, table):
    first = start("--threads", 2)
    client = first.client()
    last = client.pipelines(client.register(everything(table), "q"))[-1].index
    (file,) = client.run_pipeline("q", last, shared=True).shared_answer
    assert first.stop(signal.SIGKILL) == -signal.SIGKILL and os.path.exists(file.path)
    start("--threads", 2)
    assert not os.path.exists(file.path)


def test_every_type_has_the_form_that_spark_reads(node, tmp_path):
    types = {"i8": pa.int8(), "i16": pa.int16(), "i32": pa.int32(), "i64": pa.int64(), "f": pa.float32(),
             "d": pa.float64(), "dec": pa.decimal128(12, 2), "wide": pa.decimal128(38, 10), "date": pa.date32(),
             "ts": pa.timestamp("us", "UTC"), "ntz": pa.timestamp("us"), "s": pa.string(), "b": pa.binary(),
             "flag": pa.bool_()}
    values = {"s": ["a", None, "b"], "b": [b"a", None, b""], "flag": [True, None, False]}
    source = pa.table({name: pa.array(values.get(name, [1, None, 3]), type) for name, type in types.items()})
    pq.write_table(source, tmp_path / "types.parquet")
    command = Command()
    command.sort(command.scan(tmp_path / "types.parquet"), sort_key(column("i8")))
    client = node.client()
    last = client.pipelines(client.register(command, "q"))[-1].index
    answer = answer_of(client.run_pipeline("q", last))
    assert dict(zip(answer.schema.names, answer.schema.types, strict=True)) == types
    assert answer.num_rows == 3 and answer.column("s").to_pylist() == [None, "a", "b"]


def test_a_changed_file_is_seen_at_the_run(node, tmp_path):
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"k": pa.array([1, 1], pa.int32()), "v": pa.array([1, 2], pa.int64())}), path)
    client = node.client()
    last = client.pipelines(client.register(sums(path), "q"))[-1].index
    pq.write_table(pa.table({"k": pa.array([1, 1], pa.int32()), "v": pa.array([10, 20], pa.int64())}), path)
    # Times of files are coarse, and this one may be as large as the one before.
    os.utime(path, ns=(path.stat().st_atime_ns, path.stat().st_mtime_ns + 10**9))
    assert answer_of(client.run_pipeline("q", last)).to_pylist() == [{"k": 1, "s": 30}]
    client.register(sums(path), "q")
    pq.write_table(pa.table({"other": pa.array([1], pa.int32())}), path)
    assert refused(lambda: client.run_pipeline("q", last)) == 1005
    client.status()
    pq.write_table(pa.table({"k": pa.array([2], pa.int32()), "v": pa.array([5], pa.int64())}), path)
    client.register(sums(path), "q")
    os.unlink(path)
    assert refused(lambda: client.run_pipeline("q", last)) == 1001


def test_validating_gives_a_reason_for_each_action(node, table, tmp_path):
    client = node.client()
    good = client.validate(sums(table))
    assert len(good.actions) >= 3 and all(action.supported for action in good.actions)
    assert client.validate(sums(tmp_path / "none.parquet")).error.code == 1001
    unknown = Command()
    unknown.aggregate(unknown.scan(table), {}, [aggregate_call("SUM", column("zzz"), "s")])
    assert client.validate(unknown).error.code == 2002
    assert refused(lambda: client.act("validate", b"\xff\xff", "ValidateResponse")) == 2001
    assert refused(lambda: client.act("no such action")) == 2001


def test_errors_carry_their_code(node, tmp_path):
    assert refused(lambda: node.client().run(sums(tmp_path / "none.parquet"))) == 1001


def test_two_clients_at_once_share_tables(node, duck, table):
    def ask(_):
        client = node.client()
        for _ in range(3):
            check_sums(client.run(sums(table), "same id"), duck.cursor(), table)
        client.act("close")

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(ask, range(2)))
    client = node.client()
    before = client.status()
    assert before.queries_done == 6 and before.sessions == 1 and before.table_bytes > 0
    client.run(sums(table))
    after = client.status()
    assert after.table_bytes == before.table_bytes
    assert after.kernels.compiles_fast == before.kernels.compiles_fast
    assert after.table_bytes > 0 and after.kernels.resident > 0
    client.act("drop_tables")
    client.act("drop_kernels")
    dropped = client.status()
    assert dropped.memory_used < before.memory_used and dropped.table_bytes == dropped.kernels.resident == 0
    check_sums(client.run(sums(table)), duck, table)
    assert client.status().kernels.compiles_fast > after.kernels.compiles_fast


def test_a_second_client_finds_what_the_first_has_read_and_built(node, table):
    command = Command()
    side = command.map(command.scan(table), k2=column("k"), v2=column("v"))
    command.aggregate(command.join("LEFT_SEMI", command.scan(table), side, [column("v")], [column("v2")]), {},
                      [aggregate_call("COUNT_ALL", None, "n")])

    def ask():
        client = node.client()
        last = client.pipelines(client.register(command, "q"))[-1].index
        response = client.run_pipeline("q", last)
        assert answer_of(response).to_pylist() == [{"n": ROWS}]
        return response.metrics, client.status()

    (metrics, status), (again, later) = ask(), ask()
    assert metrics.pipelines[0].rows_in == ROWS and again.pipelines[0].rows_in == 0
    assert metrics.pipelines[0].rows_out == again.pipelines[0].rows_out > 0
    assert later.build_bytes > status.build_bytes > 0  # with the table that the second has made of the rows
    assert later.table_bytes == status.table_bytes > 0
    assert later.kernels.compiles_fast == status.kernels.compiles_fast


def test_queries_wait_for_memory_that_others_hold(start, table):
    client = start("--threads", 2).client()
    client.run(everything(table))
    needed = client.status().memory_peak
    node = start("--threads", 2, "--memory", int(needed * 1.3), folder="tight")

    def ask(_):
        return node.client().run(everything(table)).num_rows

    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(ask, range(6))) == [ROWS] * 6
    status = node.client().status()
    assert (status.queries_done, status.queries_failed, status.queries_waiting) == (6, 0, 0)


def start_long_query(node, table, pool, client=None):
    client = client or node.client()
    info = client.register(many_pairs(table), "long")
    fetching = pool.submit(client.fetch, info)
    wait_until(lambda: client.status().queries_running == 1, "the query runs")
    return client, fetching


def test_cancelling(node, duck, table):
    with ThreadPoolExecutor(1) as pool:
        client, fetching = start_long_query(node, table, pool)
        assert client.cancel("long") and not client.cancel("long")
        assert refused(fetching.result) == 4002
    status = client.status()
    assert (status.queries_running, status.queries_cancelled, status.queries_kept) == (0, 1, 0)
    check_sums(client.run(sums(table)), duck, table)


def test_a_second_fetch_joins_the_run(node, small_table):
    with ThreadPoolExecutor(2) as pool:
        client, first = start_long_query(node, small_table, pool)
        second = pool.submit(client.fetch, client.register(many_pairs(small_table), "long"))
        assert [answer.result()[0].to_pylist() for answer in (first, second)] == [[{"m": SMALL_ROWS - 1}]] * 2
    status = client.status()
    assert (status.queries_done, status.queries_kept) == (1, 0)


def test_closing_a_session_cancels_its_queries(node, table):
    with ThreadPoolExecutor(1) as pool:
        client, fetching = start_long_query(node, table, pool)
        client.act("close")
        assert refused(fetching.result) == 4002
    assert refused(lambda: client.act("keepalive")) == 5001


def test_a_client_that_goes_away_has_its_query_cancelled(node, table):
    watcher = node.client()
    with ThreadPoolExecutor(1) as pool:
        client = node.client()
        info = client.register(many_pairs(table), "long")
        client.options = flight.FlightCallOptions(
            timeout=GIVEN_UP_S, headers=[(b"shadowvm-session", client.hello.session.encode())])
        with pytest.raises(flight.FlightTimedOutError):
            pool.submit(client.fetch, info).result()
    wait_until(lambda: watcher.status().queries_running == 0, "the query ends")
    assert watcher.status().queries_cancelled <= 1 and watcher.status().queries_done == 0


def test_a_client_that_goes_away_from_a_pipeline_has_its_query_cancelled(node, table):
    watcher = node.client()
    client = node.client()
    last = client.pipelines(client.register(many_pairs(table), "long"))[-1].index
    client.options = flight.FlightCallOptions(
        timeout=GIVEN_UP_S, headers=[(b"shadowvm-session", client.hello.session.encode())])
    with pytest.raises(flight.FlightTimedOutError):
        client.run_pipeline("long", last)
    wait_until(lambda: watcher.status().queries_cancelled == 1, "the query is cancelled")
    assert (watcher.status().queries_running, watcher.status().queries_kept) == (0, 0)


def test_a_query_goes_on_between_its_barriers(node, small_table):
    client = node.client()
    pipelines = client.pipelines(client.register(many_pairs(small_table), "q"))
    client.run_pipeline("q", 0)
    wait_until(lambda: client.status().queries_done == 1, "it ends though nobody waits")
    assert answer_of(client.run_pipeline("q", pipelines[-1].index)).to_pylist() == [{"m": SMALL_ROWS - 1}]


def test_a_lease_that_ends_drops_answers(node, table):
    watcher = node.client()
    silent = node.client(lease_ms=LEASE_MS)
    assert silent.hello.lease_ms == LEASE_MS
    silent.register(sums(table), "kept")
    wait_until(lambda: watcher.status().sessions == 1, "the lease ends")
    wait_until(lambda: watcher.status().queries_kept == 0, "its answers go")
    assert refused(lambda: silent.act("keepalive")) == 5001


def test_sigterm_waits_for_running_queries(start, small_table):
    node = start("--threads", 2, "--drain", PATIENCE_S)
    with ThreadPoolExecutor(1) as pool:
        _, fetching = start_long_query(node, small_table, pool)
        assert node.stop() == 0
        assert fetching.result()[0].to_pylist() == [{"m": SMALL_ROWS - 1}]
    assert not node.socket.exists()


def test_sigterm_cancels_what_takes_too_long(start, table):
    node = start("--threads", 2, "--drain", 0.1)
    with ThreadPoolExecutor(1) as pool:
        _, fetching = start_long_query(node, table, pool)
        assert node.stop(signal.SIGINT) == 0
        with pytest.raises((flight.FlightError, pa.ArrowException)):
            fetching.result()


def test_the_end_of_its_input_ends_a_node_that_was_started_for_it(start, small_table):
    node = start("--threads", 2, "--exit-with-stdin", "--drain", PATIENCE_S)
    with ThreadPoolExecutor(1) as pool:
        _, fetching = start_long_query(node, small_table, pool)
        node.process.stdin.write("of no meaning\n")
        node.process.stdin.close()
        assert fetching.result()[0].to_pylist() == [{"m": SMALL_ROWS - 1}]
    assert node.process.wait(PATIENCE_S) == 0 and not node.socket.exists()


def test_ctrl_c_is_for_the_program_that_started_the_node(start, table, duck):
    node = start("--threads", 2, "--exit-with-stdin")
    client = node.client()
    node.process.send_signal(signal.SIGINT)
    for _ in range(20):
        check_sums(client.run(sums(table)), duck, table)
    assert node.process.poll() is None


def test_a_node_does_not_outlive_a_starter_that_is_killed(program, tmp_path):
    socket, shared = tmp_path / "run" / "node.sock", tmp_path / "shared"
    shared.mkdir()
    script = ("import subprocess, sys, time\n"
              "node = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)\n"
              "print(node.stdout.readline().decode(), flush=True)\n"
              "time.sleep(1000)\n")
    starter = subprocess.Popen([sys.executable, "-c", script, program.path, "node", "--exit-with-stdin", "--socket",
                                socket, "--shared-memory", shared], stdout=subprocess.PIPE, text=True)
    pid = json.loads(starter.stdout.readline())["pid"]
    assert socket.exists() and list(shared.iterdir())
    starter.kill()
    starter.wait(PATIENCE_S)
    wait_until(lambda: not is_running(pid), "the node ends")
    assert not list(socket.parent.iterdir()) and not list(shared.iterdir())


def test_a_killed_node_is_replaced(start, duck, table):
    first = start("--threads", 2)
    assert first.stop(signal.SIGKILL) == -signal.SIGKILL
    assert first.socket.exists()
    second = start("--threads", 2)
    check_sums(second.client().run(sums(table)), duck, table)


def start_and_fail(program, *options) -> str:
    result = program.run("node", *options, timeout=PATIENCE_S)
    assert result.returncode == 1 and result.stderr.count("\n") == 1, result.stderr
    return result.stderr


def test_a_second_node_is_refused(program, node, duck, table):
    assert "SVM-5005" in start_and_fail(program, "--socket", node.socket)
    check_sums(node.client().run(sums(table)), duck, table)


def test_the_network_is_refused(program):
    for address in ("grpc+tcp://0.0.0.0:8815", "localhost:8815"):
        error = start_and_fail(program, "--socket", address)
        assert "SVM-5004" in error and address in error


def test_folders_that_are_not_ours_alone_are_refused(program, tmp_path):
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    assert "SVM-5004" in start_and_fail(program, "--socket", shared / "node.sock")
    foreign = "/usr"  # root's; for root itself a folder of somebody else
    if os.geteuid() == 0:
        foreign = tmp_path / "foreign"
        foreign.mkdir()
        os.chown(foreign, 12345, 12345)
    assert "another user" in start_and_fail(program, "--socket", f"{foreign}/node.sock")


def test_the_socket_is_private_and_no_process_stays(node, table):
    assert node.socket.parent.stat().st_mode & 0o777 == 0o700
    assert node.socket.stat().st_mode & 0o077 == 0
    node.client().run(sums(table))
    children = subprocess.run(["pgrep", "-P", str(node.process.pid)], capture_output=True, text=True, check=False)
    assert node.stop() == 0
    for child in map(int, children.stdout.split()):
        wait_until(lambda child=child: not is_running(child), f"process {child} ends")
