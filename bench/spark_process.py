# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""A Spark application in a process of its own, asked one query at a time, so that engines can take turns."""

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

WORKER = Path(__file__).resolve().parent / "spark_worker.py"
PATIENCE_S = 600  # a query that takes longer hangs
STOP_S = 60


class SparkError(RuntimeError):
    """Spark refused a request or ended."""


class SparkProcess:
    """One application. 'conf' decides which engine it is: spark_engines.py."""

    def __init__(self, conf: dict, data: Path, tables):
        self._log = tempfile.TemporaryFile("w+", errors="replace")
        options = json.dumps({"conf": conf, "data": str(data.resolve()), "tables": list(tables)})
        self._process = subprocess.Popen([sys.executable, WORKER, options], stdin=subprocess.PIPE,
                                         stdout=subprocess.PIPE, stderr=self._log, text=True,
                                         start_new_session=True)
        self.pid = self._process.pid
        self.version = self.receive("start")["spark"]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def ask(self, sql: str) -> dict:
        """Runs a query: {"ms", "rows"}; with ShadowVM also {"accelerated", "operators", "fallbacks"}."""
        return self.request("ask", sql=sql)

    def request(self, name: str, **arguments) -> dict:
        """Whatever Worker does."""
        self.send(name, **arguments)
        return self.receive(name)

    def send(self, name: str, **arguments):
        """The first half of a request, for those who have something to do meanwhile."""
        try:
            self._process.stdin.write(json.dumps({"do": name} | arguments) + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            pass  # the answer that is missing says it

    def receive(self, what: str) -> dict:
        """The second half."""
        if not select.select([self._process.stdout], [], [], PATIENCE_S)[0]:
            self.kill()
            raise SparkError(f"{what}: no answer in {PATIENCE_S} s: {self.log()[-2000:]}")
        answer = self._process.stdout.readline()
        if not answer:
            raise SparkError(f"{what}: Spark ended: {self.log()[-2000:]}")
        answer = json.loads(answer)
        if "error" in answer:
            raise SparkError(f"{what}: {answer['error']}")
        return answer

    def log(self) -> str:
        """What Spark has logged so far."""
        self._log.seek(0)
        return self._log.read()

    def kill(self):
        """Ends it as a crash would, its JVM as well."""
        for pid in (*_children(self.pid), self.pid):
            os.kill(pid, signal.SIGKILL)
        self._process.wait()

    def close(self):
        """Ends the application and waits for it; one that goes on with a query is killed."""
        if self._process.returncode is None:
            self._process.stdin.close()
            try:
                self._process.wait(STOP_S)
            except subprocess.TimeoutExpired:
                self.kill()
            self._process.stdout.close()
            self._log.close()


def _children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()]
