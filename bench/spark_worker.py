# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""A Spark application that does one thing at a time, as standard input says: SparkProcess drives it.

Its argument is JSON: {"conf": {...}, "data": folder, "tables": [...]}. Every line of standard input is a request
{"do": name, ...}, every line of standard output an answer, or {"error": text}.
"""

import json
import os
import sys
import time
from pathlib import Path

from pyspark.sql import SparkSession


class Worker:
    """The session, and a method for every request."""

    def __init__(self, session: SparkSession):
        self._session = session

    def ask(self, sql: str) -> dict:
        """The clock runs from the text of the query to its rows in Python, which is what a user waits for."""
        start = time.perf_counter()
        frame = self._session.sql(sql)
        rows = frame.collect()
        milliseconds = (time.perf_counter() - start) * 1e3
        return {"ms": milliseconds, "rows": [list(row) for row in rows]} | self._where(frame)

    def plan(self, sql: str) -> dict:
        """The time from Spark's physical plan to the one it executes: there our rules run."""
        execution = self._session.sql(sql)._jdf.queryExecution()
        execution.sparkPlan()
        start = time.perf_counter()
        execution.executedPlan()
        return {"ms": (time.perf_counter() - start) * 1e3}

    def set(self, key: str, value: str) -> dict:
        self._session.conf.set(key, value)
        return {}

    def cool(self) -> dict:
        """The node forgets tables and kernels, as if it had never seen a query."""
        client = self._node_client()
        client.dropTables()
        client.dropKernels()
        return {}

    def status(self) -> dict:
        """Of the node."""
        status = self._node_client().status()
        return {"pid": status.getProcessId(), "queries_done": status.getQueriesDone(),
                "queries_failed": status.getQueriesFailed(), "memory_used": status.getMemoryUsed()}

    def _where(self, frame) -> dict:
        """Which share of the query ran in the node, and why not all of it."""
        if "org.shadowvm" not in self._session.conf.get("spark.plugins", ""):
            return {}
        report = self._session._jvm.org.shadowvm.ShadowReport.of(frame._jdf)
        return {"accelerated": report.accelerated(), "operators": report.total(),
                "fallbacks": report.fallbackText().splitlines()}

    def _node_client(self):
        runtime = self._session._jvm.org.apache.spark.sql.shadowvm.ShadowRuntime
        client = runtime.of(self._session.sparkContext._jsc.sc()).get().nodes().client()
        if client.isLeft():
            raise RuntimeError(f"no node: {client.left().get()}")
        return client.right().get()


def start_session(conf: dict) -> SparkSession:
    builder = SparkSession.builder
    for key, value in conf.items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


def serve(worker: Worker, requests, answers):
    for line in requests:
        request = json.loads(line)
        try:
            answer = getattr(worker, request.pop("do"))(**request)
        except KeyboardInterrupt:  # as in a shell, the session goes on
            answer = {"error": "interrupted"}
        except Exception as error:  # whatever it is, SparkProcess shows it
            answer = {"error": str(error)}
        print(json.dumps(answer, default=str), file=answers, flush=True)


def main() -> int:
    options = json.loads(sys.argv[1])
    # Answers go to what was standard output; whatever else writes there goes to standard error.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    os.environ["PYSPARK_PYTHON"] = sys.executable
    try:
        session = start_session(options["conf"])
    except Exception as error:  # whatever it is, SparkProcess shows it
        print(json.dumps({"error": str(error)}), file=answers, flush=True)
        return 1
    for table in options["tables"]:
        session.read.parquet(str(Path(options["data"]) / f"{table}.parquet")).createOrReplaceTempView(table)
    print(json.dumps({"spark": session.version}), file=answers, flush=True)
    serve(Worker(session), sys.stdin, answers)
    session.stop()
    return 0


if __name__ == "__main__":
    sys.exit(main())
