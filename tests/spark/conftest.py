# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""Tests of the plugin's jar in a real Spark. SHADOWVM_SPARK_JAR says which one."""

import os
import sys
from pathlib import Path

import pytest
from leftovers import Leftovers
from numbers_table import write_numbers
from on_off import OnOff
from pyspark.sql import SparkSession
from spark_worker import start_session
from ssb_queries import TABLES as SSB_TABLES

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))


@pytest.fixture(scope="session")
def spark_jar() -> Path:
    path = Path(os.environ.get("SHADOWVM_SPARK_JAR", "spark/target/3.5/shadowvm-spark-3.5_2.12.jar"))
    path = path if path.is_absolute() else ROOT / path
    assert path.exists(), f"{path} is not built"
    return path


@pytest.fixture(scope="session", autouse=True)
def leftovers(program, tmp_path_factory):
    """After all tests there is no process, socket or file in shared memory that was not there before."""
    # Nodes make the folders of their sockets here; the path of a socket has to be short.
    os.environ["XDG_RUNTIME_DIR"] = str(tmp_path_factory.mktemp("run"))
    found = Leftovers(program.path, Path(os.environ["XDG_RUNTIME_DIR"]))
    yield found
    found.check(but_for=set())


@pytest.fixture(scope="session")
def conf(program, spark_jar, tmp_path_factory) -> dict:
    """Settings of an application with the plugin, on two cores."""
    folder = tmp_path_factory.mktemp("spark")
    return {"spark.master": "local[2]", "spark.driver.memory": "1g", "spark.ui.enabled": "false",
            "spark.sql.session.timeZone": "UTC", "spark.sql.shuffle.partitions": "2", "spark.log.level": "WARN",
            "spark.local.dir": str(folder), "spark.sql.warehouse.dir": str(folder / "warehouse"),
            "spark.jars": str(spark_jar), "spark.plugins": "org.shadowvm.ShadowPlugin",
            "spark.shadowvm.node.path": str(program.path), "spark.shadowvm.memory": "1g"}


@pytest.fixture(scope="session")
def spark(conf, leftovers) -> SparkSession:
    """One application for the tests that need none of their own."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = start_session(conf)
    yield session
    session.stop()
    # The JVM outlives its context: it would still be there when we look for what is left.
    session.sparkContext._gateway.shutdown()
    session.sparkContext._gateway.proc.stdin.close()
    session.sparkContext._gateway.proc.wait()


@pytest.fixture
def numbers(tmp_path) -> Path:
    """A folder with the table of numbers_table.py."""
    (tmp_path / "tables").mkdir()
    write_numbers(tmp_path / "tables/numbers.parquet")
    return tmp_path / "tables"


@pytest.fixture
def stand_in(tmp_path):
    """Starts a Flight server in a node's place: of a class, the server and its socket."""
    folder = tmp_path / "run"
    folder.mkdir(mode=0o700)
    servers = []

    def start(server_class):
        servers.append(server_class(f"grpc+unix://{folder}/node.sock"))
        return servers[-1], folder / "node.sock"

    yield start
    for server in servers:
        server.shutdown()


@pytest.fixture(scope="session")
def on_off(spark) -> OnOff:
    return OnOff(spark)


@pytest.fixture(scope="module")
def ssb_views(spark, ssb) -> Path:
    """The benchmark's tables as views of the session. Made anew for every module: other tests have tables of the same
    names."""
    for table in SSB_TABLES:
        spark.read.parquet(str(ssb / f"{table}.parquet")).createOrReplaceTempView(table)
    return ssb
