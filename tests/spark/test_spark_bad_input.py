# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""What goes wrong outside of us: clear words, and Spark's rows or Spark's error."""

import os
import threading

import pyarrow.flight as flight
import pytest
from node_client import Node, message, wait_until
from numbers_table import ENDLESS, ROWS, SUMS, write_numbers
from py4j.protocol import Py4JJavaError
from pyspark.errors import PySparkException
from spark_process import SparkError, SparkProcess


@pytest.fixture
def numbers_view(on_off, numbers):
    on_off.session.read.parquet(str(numbers / "numbers.parquet")).createOrReplaceTempView("numbers")
    with on_off.settings(minBytes="0"):
        yield numbers / "numbers.parquet"


def error_of(action) -> str:
    """The words of Spark's error, as far as they do not change from run to run."""
    with pytest.raises((PySparkException, Py4JJavaError)) as caught:
        action()
    return str(caught.value)


@pytest.mark.parametrize("key, value, expected", [
    ("minBytes", "lots", "a size"), ("enabled", "perhaps", "true or false"), ("partitions", "0", "at least 1"),
    ("mode", "quantum", "one of auto, cpu, gpu, mixed"),
])
def test_a_value_of_a_wrong_type_is_refused_by_name(on_off, numbers_view, key, value, expected):
    with on_off.settings(**{key: value}):
        text = error_of(lambda: on_off.session.sql(SUMS).collect())
    assert f"spark.shadowvm.{key}" in text and value in text and expected in text


def test_an_application_does_not_start_with_a_wrong_value(conf, numbers):
    with pytest.raises(SparkError) as caught:
        SparkProcess(conf | {"spark.shadowvm.memory": "much"}, numbers, ["numbers"])
    assert 'spark.shadowvm.memory is "much"; expected a size' in str(caught.value)


def test_an_unknown_setting_gets_a_warning(conf, numbers):
    with SparkProcess(conf | {"spark.shadowvm.minBites": "1"}, numbers, ["numbers"]) as spark:
        assert len(spark.ask(SUMS)["rows"]) == 7
        assert "spark.shadowvm.minBites" in spark.log()


class NodeOfTomorrow(flight.FlightServerBase):
    """Speaks another version of the protocol."""

    def do_action(self, context, action):
        answer = message("HandshakeResponse", protocol_version=99, version="99.0", session="s", lease_ms=1000)
        return [answer.SerializeToString()]


def ask_with_address(conf, numbers, socket) -> tuple[dict, str]:
    with SparkProcess(conf | {"spark.shadowvm.node.address": str(socket), "spark.shadowvm.minBytes": "0"}, numbers,
                      ["numbers"]) as spark:
        return spark.ask(SUMS), spark.log()


def test_a_node_of_another_protocol(conf, numbers, stand_in):
    _, socket = stand_in(NodeOfTomorrow)
    answer, log = ask_with_address(conf, numbers, socket)
    assert len(answer["rows"]) == 7 and answer["accelerated"] == 0
    assert "99" in log and "protocol" in log, log[-2000:]


def test_a_socket_of_someone_else(conf, numbers, tmp_path, program):
    assert os.geteuid() == 0, "run as root: only root can give a file away"
    node = Node(program, tmp_path)
    try:
        os.chown(node.socket, 65534, 65534)
        os.chown(node.socket.parent, 65534, 65534)
        answer, log = ask_with_address(conf, numbers, node.socket)
    finally:
        node.stop()
    assert len(answer["rows"]) == 7 and answer["accelerated"] == 0
    assert str(node.socket) in log and "belongs" in log, log[-2000:]


def test_nobody_listens(conf, numbers, tmp_path):
    answer, log = ask_with_address(conf, numbers, tmp_path / "nobody.sock")
    assert len(answer["rows"]) == 7 and answer["accelerated"] == 0
    assert "nobody.sock" in log, log[-2000:]


@pytest.mark.faults
def test_shared_memory_without_room(conf, program, numbers, tmp_path):
    node = Node(program, tmp_path, SHADOWVM_FAULT="node.shared.write=always:enospc")
    conf = conf | {"spark.shadowvm.node.address": str(node.socket), "spark.shadowvm.minBytes": "0"}
    try:
        with SparkProcess(conf, numbers, ["numbers"]) as spark:
            answer = spark.ask("SELECT k, v FROM numbers ORDER BY v, k")
    finally:
        node.stop()
    assert answer["accelerated"] == answer["operators"], answer["fallbacks"]
    assert answer["rows"] == sorted(([i % 7, i * 31 % 1009] for i in range(ROWS)), key=lambda row: row[::-1])


def test_a_file_deleted_between_planning_and_run(on_off, numbers_view):
    def plan_delete_run():
        write_numbers(numbers_view)
        on_off.session.catalog.refreshByPath(str(numbers_view))
        frame = on_off.session.sql(SUMS)
        frame._jdf.queryExecution().executedPlan()
        numbers_view.unlink()
        frame.collect()

    expected = on_off.off(lambda: error_of(plan_delete_run))
    assert "numbers.parquet" in expected
    assert "numbers.parquet" in error_of(plan_delete_run)


@pytest.mark.parametrize("damage", ["truncated", "garbage", "empty", "a page"])
def test_a_corrupt_file_is_sparks_to_judge(on_off, numbers_view, damage):
    whole = numbers_view.read_bytes()
    numbers_view.write_bytes({"truncated": whole[:len(whole) // 2], "garbage": b"x" * 4096, "empty": b"",
                              "a page": whole[:100] + b"\xff" * 2000 + whole[2100:]}[damage])
    on_off.session.catalog.refreshByPath(str(numbers_view))
    expected = on_off.off(lambda: outcome(on_off.session.sql(SUMS)))
    assert outcome(on_off.session.sql(SUMS)) == expected


def outcome(frame):
    """Rows, or the kind of the error."""
    try:
        return frame.collect()
    except (PySparkException, Py4JJavaError) as error:
        text = str(error)
        known = ("is not a Parquet file", "Could not read footer", "FileNotFoundException", "can not read class",
                 "ParquetDecodingException", "corrupt", "SparkException")
        return [words for words in known if words in text]


def run_in_thread(action) -> tuple[threading.Thread, list]:
    errors = []

    def run():
        try:
            action()
        except Exception as error:  # looked at by the test
            errors.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    return thread, errors


def cancelled_all(session, thread: threading.Thread) -> bool:
    session.sparkContext.cancelAllJobs()
    thread.join(0.2)
    return not thread.is_alive()


@pytest.mark.parametrize("direct", ["false", "true"])
def test_cancelled_jobs_end_in_the_node_too(on_off, numbers_view, direct):
    status = on_off.node_client().status
    with on_off.settings(directCollect=direct):
        cancelled = status().getQueriesCancelled()
        thread, errors = run_in_thread(lambda: on_off.session.sql(ENDLESS).collect())
        wait_until(lambda: status().getQueriesRunning() > 0, "the query in the node")
        # More than once: a direct collect has a job to cancel only after a while.
        wait_until(lambda: cancelled_all(on_off.session, thread), "the end of the query")
    assert errors and "cancel" in str(errors[0]).lower(), errors
    wait_until(lambda: status().getQueriesRunning() == 0, "the end of the query in the node")
    assert status().getQueriesCancelled() > cancelled
    # And nothing of it stays: the next query runs as always.
    assert on_off.check(SUMS).whole
