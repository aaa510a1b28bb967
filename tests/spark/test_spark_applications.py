# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""Applications come, share a node and go; a node of their own goes with them."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from node_client import Node, wait_until
from node_processes import nodes_of
from spark_process import SparkProcess
from ssb_queries import QUERIES, TABLES


@pytest.fixture
def node(program, tmp_path):
    node = Node(program, tmp_path, "--threads", 2)
    yield node
    node.stop()


@pytest.fixture(scope="module")
def expected(on_off, ssb_views) -> dict:
    return {name: on_off.off(lambda sql=sql: [list(row) for row in on_off.session.sql(sql).collect()])
            for name, sql in QUERIES.items()}


def ask_all(spark: SparkProcess, expected: dict) -> None:
    for name, sql in QUERIES.items():
        answer = spark.ask(sql)
        assert answer["rows"] == expected[name], name
        assert answer["accelerated"] == answer["operators"], answer["fallbacks"]


def test_two_applications_share_a_node(conf, node, ssb, expected):
    shared = conf | {"spark.shadowvm.node.address": str(node.socket)}
    status = node.client().status
    with SparkProcess(shared, ssb, TABLES) as first, SparkProcess(shared, ssb, TABLES) as second:
        ask_all(first, expected)
        resident, compiled = status().table_bytes, status().kernels.compiles_fast
        assert resident > 0
        ask_all(second, expected)
        assert status().table_bytes == resident, "the second application loaded tables of its own"
        assert status().kernels.compiles_fast == compiled, "the second application compiled kernels of its own"
        with ThreadPoolExecutor() as pool:
            for done in [pool.submit(ask_all, spark, expected) for spark in (first, second)]:
                done.result()
    assert status().queries_failed == 0
    wait_until(lambda: status().sessions <= 1, "the end of the applications' sessions")
    assert node.process.poll() is None, "an application stopped a node it had not started"


def test_a_node_goes_with_its_application(conf, program, ssb, leftovers):
    before = leftovers.now()
    with SparkProcess(conf, ssb, TABLES) as spark:
        assert spark.ask(QUERIES["q1.1"])["accelerated"] > 0
        assert len(nodes_of(program.path, below=spark.pid)) == 1
    leftovers.check(but_for=before)


def test_a_node_goes_with_a_driver_that_is_killed(conf, ssb, leftovers):
    before = leftovers.now()
    spark = SparkProcess(conf, ssb, TABLES)
    assert spark.ask(QUERIES["q1.1"])["accelerated"] > 0
    spark.kill()
    leftovers.check(but_for=before)
