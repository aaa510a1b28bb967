# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""The node, asked by a plain Flight client: answers, sessions, cancelling, starting and stopping."""

import os
import signal
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pyarrow as pa
import pyarrow.flight as flight
import pyarrow.parquet as pq
import pytest
from answers import check_rows, rows_of
from commands import Command, aggregate_call, column, sort_key
from node_client import PATIENCE_S, Node, code_of, wait_until

ROWS = 200_000
SMALL_ROWS = 60_000


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

    def begin(*options, **environment) -> Node:
        nodes.append(Node(program, tmp_path, *options, **environment))
        return nodes[-1]

    yield begin
    for node in nodes:
        assert node.stop() in (0, -signal.SIGKILL)
    folder = tmp_path / "run"
    assert not folder.exists() or not list(folder.iterdir())


@pytest.fixture
def node(start) -> Node:
    return start("--threads", 2)


def sums(path) -> Command:
    command = Command()
    groups = command.aggregate(command.scan(path), {"k": column("k")}, [aggregate_call("SUM", column("v"), "s")])
    command.sort(groups, sort_key(column("k")))
    return command


def many_pairs(path) -> Command:
    """Every row with every row of the same key: minutes of work, and no answer to speak of."""
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
    hello = node.client().hello
    assert hello.protocol_version == 1 and hello.session and hello.lease_ms > 0 and hello.version
    assert [(device.name, device.workers) for device in hello.devices] == [("cpu", 2)]
    assert "flight-stream" in hello.capabilities


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
    assert before.queries_done == 6 and before.sessions == 1 and before.memory_used > 0
    client.run(sums(table))
    after = client.status()
    assert after.memory_used == before.memory_used
    assert after.kernels.compiles_fast == before.kernels.compiles_fast
    client.act("drop_tables")
    assert client.status().memory_used < before.memory_used


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
            timeout=0.5, headers=[(b"shadowvm-session", client.hello.session.encode())])
        with pytest.raises(flight.FlightTimedOutError):
            pool.submit(client.fetch, info).result()
    wait_until(lambda: watcher.status().queries_running == 0, "the query ends")
    assert watcher.status().queries_cancelled <= 1 and watcher.status().queries_done == 0


def test_a_lease_that_ends_drops_answers(node, table):
    watcher = node.client()
    silent = node.client(lease_ms=300)
    assert silent.hello.lease_ms == 300
    silent.register(sums(table), "kept")
    wait_until(lambda: watcher.status().sessions == 1, "the lease ends")
    assert watcher.status().queries_kept == 0
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
        wait_until(lambda child=child: not os.path.exists(f"/proc/{child}"), f"process {child} ends")
