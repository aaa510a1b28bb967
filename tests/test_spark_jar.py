# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""The plugin's jars as users have them: does the built jar find its node over a Unix socket, and leave nothing?"""

import os
from pathlib import Path

import pytest
from node_client import Node, is_running, wait_until
from spark_program import VERSIONS, SparkProgram

pytestmark = pytest.mark.parametrize("version", VERSIONS)


@pytest.fixture
def start(version, tmp_path):
    """Starts applications, and ends those that a test has left."""
    started = []

    def start_one(**settings) -> SparkProgram:
        started.append(SparkProgram(version, tmp_path, **settings))
        return started[-1].wait_until_ready()

    yield start_one
    for spark in started:
        spark.kill()


def sockets_of(pid: int) -> list[Path]:
    """What an application's node has in the folder for sockets."""
    roots = {os.environ.get("XDG_RUNTIME_DIR", "/tmp"), "/tmp"}
    return [path for root in roots for path in Path(root).glob(f"shadowvm-spark-*/{pid}-*")]


def test_a_node_is_started_and_goes_with_the_application(start, program, ssb):
    spark = start(**{"shadowvm.node.path": program.path, "shadowvm.memory": "1g"})
    node = spark.node_pid()
    assert node and is_running(node) and sockets_of(spark.process.pid)
    assert spark.sql(f"select count(*) from parquet.`{ssb}/supplier.parquet`") == "[[100]]"
    assert spark.end() == 0
    assert not is_running(node) and not sockets_of(spark.process.pid)


def test_a_driver_that_is_killed_takes_its_node_along(start, program):
    spark = start(**{"shadowvm.node.path": program.path, "shadowvm.memory": "1g"})
    node = spark.node_pid()
    spark.kill()
    wait_until(lambda: not is_running(node), "the node ends")
    assert not sockets_of(spark.process.pid)


def test_a_node_that_runs_already_is_asked_over_its_socket(start, program, tmp_path):
    node = Node(program, tmp_path)
    try:
        spark = start(**{"shadowvm.node.address": f"unix:{node.socket}"})
        assert spark.node_pid() is None
        client = node.client()
        assert client.status().sessions >= 2  # the plugin's and this one
        assert spark.end() == 0
        wait_until(lambda: client.status().sessions == 1, "the plugin's session ends")
    finally:
        assert node.stop() == 0


def test_without_a_node_spark_runs_as_before(start):
    spark = start(**{"shadowvm.node.path": "/no/such/program"})
    assert spark.sql("select 1 + 1") == "[[2]]"
    assert spark.end() == 0
    assert spark.log.read_text().count("which is no program") == 1


def test_a_setting_of_a_wrong_type_is_one_clear_error(version, tmp_path):
    spark = SparkProgram(version, tmp_path, **{"shadowvm.enabled": "perhaps"})
    spark.process.communicate()
    assert spark.process.returncode != 0
    assert 'spark.shadowvm.enabled is "perhaps"; expected true or false' in spark.log.read_text()
