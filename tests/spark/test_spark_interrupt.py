# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""Ctrl-C in PySpark: the query ends in the node as well, and the session goes on."""

import os
import signal
import time
from pathlib import Path

import pytest
from node_client import Client, wait_until
from numbers_table import ENDLESS, SUMS
from spark_process import SparkError, SparkProcess

# A direct collect has a job that can be cancelled only after a while.
DIRECT_S = 2


def sockets() -> set[Path]:
    return set(Path(os.environ["XDG_RUNTIME_DIR"]).rglob("*.sock"))


def interrupt(spark: SparkProcess, status) -> None:
    """Ctrl-C, once the node runs the query: a terminal sends it to every process of the application."""
    cancelled, node = status().queries_cancelled, status().process_id
    spark.send("ask", sql=ENDLESS)
    wait_until(lambda: status().queries_running > 0, "the query in the node")
    time.sleep(DIRECT_S)
    os.killpg(spark.pid, signal.SIGINT)
    with pytest.raises(SparkError):
        spark.receive("ask")
    wait_until(lambda: status().queries_running == 0, "the end of the query in the node")
    assert status().queries_cancelled > cancelled
    assert status().process_id == node, "Ctrl-C ended the node"


@pytest.mark.parametrize("pinned", ["true", "false"])
def test_ctrl_c(conf, numbers, monkeypatch, pinned):
    """PySpark keeps a connection to the JVM for each thread, or takes one of a pool for each call: its handler of
    Ctrl-C gets through to Spark in the second case alone."""
    monkeypatch.setenv("PYSPARK_PIN_THREAD", pinned)
    before = sockets()
    with SparkProcess(conf | {"spark.shadowvm.minBytes": "0"}, numbers, ["numbers"]) as spark:
        (socket,) = sockets() - before
        status = Client(socket).status
        for direct in ("false", "true"):
            spark.request("set", key="spark.shadowvm.directCollect", value=direct)
            interrupt(spark, status)
            answer = spark.ask(SUMS)
            assert len(answer["rows"]) == 7 and answer["accelerated"] == answer["operators"], answer["fallbacks"]
