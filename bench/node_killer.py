# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""Kills the node of a running Spark application again and again, and watches queries and node recover."""

import os
import random
import signal
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from node_processes import answers, nodes_of
from spark_comparison import SHADOW, check_equal
from spark_process import SparkProcess

SETTLE_S = 3.0  # after a kill; what begins later should run in the node again
PATIENCE_S = 60.0


@dataclass
class Observations:
    """What was seen over all kills."""

    kills: int = 0
    back_s: list[float] = field(default_factory=list)  # from a kill to a node that answers
    queries: int = 0
    settled: int = 0  # queries begun SETTLE_S or more after a kill
    settled_in_node: int = 0

    @property
    def settled_share(self) -> float:
        return self.settled_in_node / self.settled if self.settled else 0.0


class NodeKiller:
    """Asks a SparkProcess queries round and round while another thread kills its node."""

    def __init__(self, spark: SparkProcess, program: Path, queries: dict, expected: dict):
        self._spark, self._program, self._queries, self._expected = spark, program, queries, expected
        self._draw = random.Random(2026)
        self._killed_at = time.monotonic()
        self._done = threading.Event()
        self._failure = None
        self.seen = Observations()

    def run(self, kills: int) -> Observations:
        """Right rows in every query, or WrongAnswer."""
        killer = threading.Thread(target=self._kill_often, args=(kills,))
        killer.start()
        try:
            while not self._done.is_set():
                for name, sql in self._queries.items():
                    self._ask(name, sql)
        finally:
            self._done.set()
            killer.join()
        if self._failure:
            raise self._failure
        return self.seen

    def _ask(self, name: str, sql: str):
        begun, settled = self._killed_at, time.monotonic() - self._killed_at >= SETTLE_S
        answer = self._spark.ask(sql)
        check_equal(name, SHADOW, answer["rows"], self._expected[name])
        self.seen.queries += 1
        # A kill during the query makes it no witness for a settled node.
        if settled and begun == self._killed_at:
            self.seen.settled += 1
            self.seen.settled_in_node += answer["accelerated"] == answer["operators"]

    def _kill_often(self, kills: int):
        try:
            for _ in range(kills):
                time.sleep(SETTLE_S + self._draw.uniform(0.5, 2.5))
                self._kill()
            settled = self.seen.settled_in_node
            time.sleep(SETTLE_S + 2)
            self._wait_for(lambda: self.seen.settled_in_node > settled, "a query in the node after the last kill")
        except Exception as failure:  # raised by run()
            self._failure = failure
        self._done.set()

    def _kill(self):
        killed = self._wait_for(self._nodes, "a node to kill")
        self._killed_at = time.monotonic()
        for pid in killed:
            os.kill(pid, signal.SIGKILL)
        self.seen.kills += 1
        self._wait_for(lambda: any(answers(pid) for pid in self._nodes() - killed), "the node after a kill")
        self.seen.back_s.append(time.monotonic() - self._killed_at)

    def _nodes(self) -> set[int]:
        return nodes_of(self._program, below=self._spark.pid)

    def _wait_for(self, condition, what: str):
        end = time.monotonic() + PATIENCE_S
        while not (found := condition()):
            if self._done.is_set() or time.monotonic() > end:
                raise RuntimeError(f"never there: {what}")
            time.sleep(0.02)
        return found
