# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""Executors in processes of their own, on the driver's host and on others."""

import contextlib
import os
import re
import subprocess
import time
from pathlib import Path

import pyspark
import pytest
from node_client import PATIENCE_S, Node
from numbers_table import SUMS
from spark_process import SparkProcess

SPARK_HOME = Path(pyspark.__file__).parent


@pytest.fixture
def node(program, tmp_path):
    node = Node(program, tmp_path, "--threads", 2)
    yield node
    node.stop()


def cluster_conf(conf: dict, node: Node, master: str) -> dict:
    return conf | {"spark.master": master, "spark.shadowvm.node.address": str(node.socket),
                   "spark.shadowvm.minBytes": "0", "spark.executor.memory": "512m",
                   "spark.scheduler.minRegisteredResourcesRatio": "1.0",
                   "spark.scheduler.maxRegisteredResourcesWaitingTime": "300s"}


def ask_on_and_off(spark: SparkProcess) -> dict:
    """What the plugin answers, which is what plain Spark answers; by then all executors are there."""
    spark.request("set", key="spark.shadowvm.enabled", value="false")
    expected = spark.ask(SUMS)["rows"]
    spark.request("set", key="spark.shadowvm.enabled", value="true")
    answer = spark.ask(SUMS)
    assert answer["rows"] == expected and len(expected) == 7
    return answer


def test_several_executors_on_one_host_share_its_node(conf, numbers, node):
    with SparkProcess(cluster_conf(conf, node, "local-cluster[2,1,600]"), numbers, ["numbers"]) as spark:
        answer = ask_on_and_off(spark)
    assert answer["accelerated"] == answer["operators"], answer["fallbacks"]


def start(folder: Path, name: str, *arguments) -> tuple[subprocess.Popen, Path]:
    """A daemon of Spark's, and its log."""
    log = folder / f"{name.rsplit('.', 1)[1]}-{len(list(folder.glob('*.log')))}.log"
    environment = os.environ | {"SPARK_DAEMON_MEMORY": "256m", "SPARK_HOME": str(SPARK_HOME)}
    with log.open("w") as output:
        process = subprocess.Popen([SPARK_HOME / "bin/spark-class", name, *map(str, arguments)], stdout=output,
                                   stderr=subprocess.STDOUT, env=environment)
    return process, log


def find_in(log: Path, pattern: str) -> str:
    end = time.monotonic() + PATIENCE_S
    while not (found := re.search(pattern, log.read_text())) and time.monotonic() < end:
        time.sleep(0.1)
    assert found, log.read_text()[-2000:]
    return found.group(0)


@contextlib.contextmanager
def standalone_cluster(folder: Path, hosts: list[str]):
    """Spark's own cluster on addresses of this machine, each of which is a host to Spark. Gives its master."""
    processes = []
    try:
        process, log = start(folder, "org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port", 0,
                             "--webui-port", 0)
        processes.append(process)
        master = find_in(log, r"spark://127\.0\.0\.1:\d+")
        for host in hosts:
            process, log = start(folder, "org.apache.spark.deploy.worker.Worker", "--host", host, "--cores", 1,
                                 "--memory", "600m", "--webui-port", 0, "--work-dir", folder / host, master)
            processes.append(process)
            find_in(log, "Successfully registered with master")
        yield master
    finally:
        for process in reversed(processes):
            process.terminate()
            process.wait(PATIENCE_S)


def test_executors_on_several_hosts_are_sparks(conf, numbers, node, tmp_path):
    with standalone_cluster(tmp_path, ["127.0.0.2", "127.0.0.3"]) as master:
        conf = cluster_conf(conf, node, master) | {"spark.driver.host": "127.0.0.1", "spark.executor.cores": "1"}
        with SparkProcess(conf, numbers, ["numbers"]) as spark:
            answer = ask_on_and_off(spark)
    assert answer["accelerated"] == 0
    assert any("[SEVERAL_HOSTS]" in line for line in answer["fallbacks"]), answer["fallbacks"]
