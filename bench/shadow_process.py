# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""ShadowVM as a process that is asked one query at a time, so that another engine can take turns with it."""

import json
import os
import subprocess
from pathlib import Path


class ShadowError(RuntimeError):
    """The process refused a request or ended."""


class ShadowProcess:
    """One `shadowvm bench ssb --interactive`. Tables are loaded when the first answer arrives. They come from files, or
    are generated in memory where data is a scale factor."""

    def __init__(self, program: Path, data: Path | float, threads: int | None = None, residency: str = "host",
                 memory: str | None = None, cache: Path | None = None):
        arguments = [str(program), "bench", "ssb", "--interactive", "--data" if isinstance(data, Path) else "--sf",
                     str(data), "--residency", residency]
        if threads:
            arguments += ["--threads", str(threads)]
        if memory:
            arguments += ["--memory", memory]
        environment = dict(os.environ)
        if cache:
            environment["SHADOWVM_CACHE_DIR"] = str(cache)
        self._process = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                         stderr=subprocess.PIPE, text=True, env=environment)
        self.peak_rss_bytes = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def ask(self, query: str, constants: dict | None = None) -> dict:
        """Runs a query: {"ms", "compile_ms", "compiles", "bytes", "rows", …}."""
        return self._request(query + (" " + json.dumps(constants) if constants else ""))

    def machine(self) -> dict:
        """What it runs on, its read bandwidth measured now."""
        return self._request("machine")

    def footprint(self, table: str, columns) -> dict:
        """Memory of columns as segments, and as plain int32."""
        return self._request(" ".join(["footprint", table, *columns]))

    def settings(self, *options: str) -> dict:
        """How later runs are done: options of `shadowvm bench ssb`, such as --mode; others are as by default."""
        return self._request(" ".join(["settings", *options]))

    def measure(self, query: str, runs: int) -> dict:
        """So many runs of a query, summed up as in the report of `shadowvm bench ssb`."""
        return self._request(f"measure {query} {runs}")

    def clients(self, count: int) -> dict:
        """So many clients ask all queries: {"one_by_one_ms", "at_the_same_time_ms"}."""
        return self._request(f"clients {count}")

    def sectors(self, query: str) -> dict:
        """What a query has to read of lineorder, in sectors of 32 bytes: {"touched_bytes", "bytes", "columns", …}."""
        return self._request(f"sectors {query}")

    def kernels(self) -> dict:
        """What became of the GPU's kernels so far: {"compiled", "compile_ms", "compile_most_ms", "compiled_full",
        "compile_full_ms", "from_disk", "disk_ms", "load_ms"}; the first three are of those that queries waited for,
        compile_most_ms of a single one."""
        return self._request("kernels")

    def close(self):
        """Ends the process and keeps its peak memory."""
        if self._process.returncode is not None:
            return
        self.peak_rss_bytes = _peak_rss_bytes(self._process.pid)
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()
        self._process.stderr.close()

    def _request(self, line: str) -> dict:
        try:
            self._process.stdin.write(line + "\n")
            self._process.stdin.flush()
            answer = self._process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        if not answer:
            raise ShadowError(f"shadowvm ended: {self._process.stderr.read().strip()}")
        answer = json.loads(answer)
        if "error" in answer:
            raise ShadowError(f"{line}: {answer['error']}")
        return answer


def _peak_rss_bytes(pid: int) -> int:
    """What the program itself took at most. The usage that wait4 gives would begin with this process's own size, as
    the child shares its memory until it has become the program."""
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        peak = next((line for line in status if line.startswith("VmHWM:")), "VmHWM: 0 kB")
    return int(peak.split()[1]) * 1024
