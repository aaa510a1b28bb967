# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""What gpu_bars.py measures, part by part. A part fills a dictionary as it goes, so that what was found before the time
ran out is kept."""

import json
import math
import os
import shutil
import statistics
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from comparison import check_answers, geomean
from shadow_process import ShadowProcess
from ssb_queries import QUERIES

BARRED = ("q1.1", "q2.1", "q3.1", "q4.1")  # of cores and card together
IN_PLACE = ("--residency", "host", "--prefetch", "passive")
SMALL = 0.01  # where only kernels count
SANITIZED_RUNS = "3"  # the first of quick code, the last of full code, which is waited for after the second
AUTO_RUNS = 12  # until mode auto has learnt what it will know


class OutOfTime(RuntimeError):
    """What is left is not begun."""


@dataclass
class Options:
    """What the program was asked for."""

    program: Path
    sf: float
    runs: int
    cap: str
    clients_cap: str
    clients: int
    coupled_sf: float
    check_sf: float
    emulate: bool
    ends: float  # of time.monotonic()

    def left(self) -> float | None:
        """Seconds; none where there is no end."""
        return None if math.isinf(self.ends) else max(self.ends - time.monotonic(), 1)

    def gpu(self, *more: str) -> list[str]:
        """Options of a mode with a card."""
        return [*more, "--emulate-gpu"] if self.emulate else list(more)


@dataclass
class Bench:
    """The tables in one process that is told again and again how to work on them."""

    options: Options
    answers: dict = field(default_factory=dict)  # of cores, by query
    first_answer_s: float = 0  # nearly all of it is the tables
    _process: ShadowProcess | None = None

    def process(self) -> ShadowProcess:
        """Starts it, and asks cores for all answers, when it is needed first."""
        if self._process is None:
            say(f"tables of scale factor {self.options.sf:g} …")
            start = time.monotonic()
            self._process = ShadowProcess(self.options.program, self.options.sf)
            for name in QUERIES:
                self.answers[name] = self._process.ask(name)["rows"]
                self.first_answer_s = self.first_answer_s or time.monotonic() - start
            say(f"tables and answers of cores: {time.monotonic() - start:.0f} s")
        return self._process

    def close(self):
        """The tables go; answers stay."""
        if self._process is not None:
            self._process.close()
            say(f"peak memory {self._process.peak_rss_bytes / 2**30:.1f} GiB")
        self._process = None

    def use(self, mode: str, *more: str):
        """How later runs are done."""
        options = ["--mode", mode, *more]
        self.process().settings(*(options if mode == "cpu" else self.options.gpu(*options)))

    def measure(self, name: str, runs: int, what: str) -> dict:
        """So many runs of a query; its answer is that of cores, or this is an error."""
        if time.monotonic() > self.options.ends:
            raise OutOfTime(f"before {what} {name}")
        report = self.process().measure(name, runs)
        check_answers(f"{what} {name}", report.pop("rows"), self.answers[name])
        if "gpu_kernel_min_ms" in report:
            say(f"{what:<18} {name}  {report['min_ms']:9.3f} ms, kernels {report['gpu_kernel_min_ms']:8.3f} ms"
                f"{', on the CPU: ' + report['gpu_why_not'] if 'gpu_why_not' in report else ''}")
        else:
            say(f"{what:<18} {name}  {report['min_ms']:9.3f} ms")
        return report

    def measure_all(self, found: dict, what: str, runs: int | None = None):
        """All queries."""
        for name in QUERIES:
            found[name] = self.measure(name, runs or self.options.runs, what)


def say(text: str):
    print(text, flush=True)


# --- parts over the tables of one process ---

def sectors(bench: Bench, found: dict):
    """What queries have to read, counted row by row."""
    for name in QUERIES:
        found[name] = bench.process().sectors(name)
        say(f"{'sectors':<18} {name}  {found[name]['touched_bytes'] / 1e6:9.1f} MB of "
            f"{found[name]['bytes'] / 1e6:.1f}")


def resident(bench: Bench, found: dict):
    """In the card's memory; with build sides made in each run, and kept. Runs take a fraction of a millisecond: there
    are more of them, so that the least one is not a matter of chance."""
    runs = 5 * bench.options.runs
    bench.use("gpu")
    bench.measure_all(found.setdefault("built", {}), "resident, built", runs)
    bench.use("gpu", "--keep-builds")
    bench.measure_all(found.setdefault("kept", {}), "resident, kept", runs)


def passive(bench: Bench, found: dict):
    """In the host's memory, read in place."""
    bench.use("gpu", *IN_PLACE, "--keep-builds")
    bench.measure_all(found, "in place")


def active(bench: Bench, found: dict):
    """In the host's memory, copied."""
    for streams in (1, 2, 4):
        bench.use("gpu", "--residency", "host", "--prefetch", f"active{streams}", "--keep-builds")
        bench.measure_all(found.setdefault(f"active{streams}", {}), f"{streams} streams",
                          max(bench.options.runs // 3, 2))


def in_turns(bench: Bench, name: str, ways: dict):
    """Ways with their reports so far, over and over. They take turns, three runs at a time, so that what else a machine
    is busy with meets all of them: the median of a few runs in a row was up to a tenth off. The first of three may
    have to plan anew, which the median does not mind."""
    reports = {way: [] for way in ways}
    for _ in range(bench.options.runs):
        for way, options in ways.items():
            bench.use(*options)
            reports[way].append(bench.measure(name, 3, way))
            yield way, sum_up(reports[way])


def sum_up(reports: list[dict]) -> dict:
    """The report with the best time, with the median of medians, and what is counted over runs counted over all."""
    best = dict(min(reports, key=lambda report: report["min_ms"]))
    best["median_ms"] = statistics.median(report["median_ms"] for report in reports)
    for count in ("partitions_of_all_runs", "partitions_again_of_all_runs"):
        if count in best:
            best[count] = sum(report[count] for report in reports)
    return best


def both(policy: str) -> tuple[str, ...]:
    """Options of cores and card together."""
    return ("mixed", *IN_PLACE, "--policy", policy, "--keep-builds")


def modes(bench: Bench, found: dict):
    """Cores alone, the card alone, both."""
    ways = {"cpu": ("cpu", "--keep-builds"), "gpu": ("gpu", *IN_PLACE, "--keep-builds"),
            "elastic": both("elastic"), "guided": both("guided")}
    for name in BARRED:
        for way, report in in_turns(bench, name, ways):
            found.setdefault(way, {})[name] = report


def sweep(bench: Bench, found: dict):
    """Policies beside static splits in steps of 5 %. Policies run as often as a split."""
    policies = ["elastic", "guided", "apriori", *(f"static:{percent}" for percent in range(5, 100, 5))]
    for name in BARRED:
        bench.use("gpu", *IN_PLACE, "--keep-builds")
        bench.measure(name, 2, "warm")  # so that its kernel is there, in full code
        ways = {policy: both(policy) for policy in policies}
        for policy, report in in_turns(bench, name, ways):
            found.setdefault(name, {})[policy] = report


def auto(bench: Bench, found: dict):
    """As a node does by itself: mode auto, tables in the host's memory at first."""
    bench.use("auto", "--keep-builds")
    bench.measure_all(found, "auto", AUTO_RUNS)


def cap(bench: Bench, found: dict):
    """More data than the card may hold, queries in turn, so that none finds only its own columns."""
    bench.use("gpu", "--residency", "device", "--gpu-memory", bench.options.cap, "--keep-builds")
    rounds = 4
    for number in range(rounds):
        for name in QUERIES:
            report = bench.measure(name, 1, f"cap {bench.options.cap}")
            if number > 0:  # the first one warms up
                found.setdefault(name, []).append(report["min_ms"])


def clients(bench: Bench, found: dict):
    """Many clients at once, each all queries. The process compares their answers."""
    ask_at_once(bench, found, "--residency", "device", "--gpu-memory", bench.options.clients_cap)


def tasks(bench: Bench, found: dict):
    """The same with other numbers of queries that work on the card at a time, tables there and in the host's memory."""
    for place, options in (("device", ()), ("host", IN_PLACE)):
        for number in (1, 2, 3, 4, 8):
            ask_at_once(bench, found.setdefault(place, {}).setdefault(str(number), {}), *options, "--gpu-tasks",
                        str(number))


def ask_at_once(bench: Bench, found: dict, *options: str):
    bench.use("gpu", *options, "--keep-builds")
    found.update(bench.process().clients(bench.options.clients))
    say(f"{found['clients']} clients, {' '.join(options)}: {found['at_the_same_time_ms']:.1f} ms together, "
        f"{found['one_by_one_ms']:.1f} one after another")


# --- parts with processes of their own ---

def run_bench(options: Options, *more: str) -> dict:
    """The report of one `shadowvm bench ssb`."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        subprocess.run([options.program, "bench", "ssb", *more, "--json", report], check=True,
                       stdout=subprocess.DEVNULL, timeout=options.left())
        return {query["name"]: query for query in json.loads(report.read_text())["queries"]}


def node(bench: Bench, found: dict):
    """As a client of a node sees it, over its socket."""
    reports = run_bench(bench.options, "--sf", f"{bench.options.sf:g}", "--runs", str(bench.options.runs), "--node",
                        *bench.options.gpu("--mode", "gpu"))
    for name, report in reports.items():
        rows = report.pop("rows")
        if bench.answers:
            check_answers(f"node {name}", rows, bench.answers[name])
        found[name] = report
    say(f"node: geomean {geomean(report['min_ms'] for report in found.values()):.3f} ms")


def coupled(bench: Bench, found: dict):
    """The card opened and filled for each run, beside one that stays."""
    common = ["--sf", f"{bench.options.coupled_sf:g}", *bench.options.gpu("--mode", "gpu")]
    queries = [word for name in BARRED for word in ("--query", name)]
    for way, more in (("coupled", ["--coupled", "--runs", "3"]), ("decoupled", ["--keep-builds", "--runs", "9"])):
        found["sf"] = bench.options.coupled_sf
        found[way] = {name: {key: value for key, value in report.items() if key != "rows"}
                      for name, report in run_bench(bench.options, *common, *more, *queries).items()}
        say(f"{way}: " + ", ".join(f"{name} {report['median_ms']:.1f} ms, {report['gpu_share']:.2%} kernels"
                                   for name, report in found[way].items()))


def kernels(bench: Bench, found: dict):
    """A kernel that nobody has seen, one that lies on disk, and other constants."""
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o700)
        found["first"] = first_kernels(bench.options, Path(folder))
        with ShadowProcess(bench.options.program, SMALL, cache=Path(folder)) as process:
            process.settings(*bench.options.gpu("--mode", "gpu"))
            for name in QUERIES:
                process.measure(name, 1)
            found["from_disk"] = process.kernels()
            process.ask("q1.1", {"year": 1995, "quantity": 30})
            process.ask("q2.1", {"category": "MFGR#13", "region": "ASIA"})
            found["other_constants"] = process.kernels()
    say(f"kernels: {found['first']}\nfrom disk: {found['from_disk']}")


def first_kernels(options: Options, cache: Path) -> dict:
    """By query: milliseconds of the kernels that had to be compiled for it, on average; and of the slowest of all."""
    found = {}
    with ShadowProcess(options.program, SMALL, cache=cache) as process:
        process.settings(*options.gpu("--mode", "gpu"))
        before = process.kernels()
        for name in QUERIES:
            process.measure(name, 1)
            after = process.kernels()
            compiled = after["compiled"] - before["compiled"]
            if compiled:
                found[name] = {"kernels": compiled, "ms_each": (after["compile_ms"] - before["compile_ms"]) / compiled}
            before = after
    return {"by_query": found, "most_ms": before["compile_most_ms"]}


def check(bench: Bench, found: dict):
    """Answers of all modes against DuckDB's, over files."""
    try:
        from duckdb_engine import DuckEngine
    except ImportError as error:
        found["not_run"] = str(error)
        say(f"not compared with DuckDB: {error}")
        return
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([bench.options.program, "gen", "ssb", "--sf", f"{bench.options.check_sf:g}", "--out", folder],
                       check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with (ShadowProcess(bench.options.program, Path(folder)) as process,
              DuckEngine(Path(folder), os.cpu_count()) as duck):
            for mode in ("cpu", "gpu", "mixed"):
                process.settings(*(["--mode", mode] if mode == "cpu" else bench.options.gpu("--mode", mode)))
                for name, sql in QUERIES.items():
                    check_answers(f"{mode} {name}", process.ask(name)["rows"], duck.ask(sql)["rows"])
                found[mode] = len(QUERIES)
    say(f"equal to DuckDB's at scale factor {bench.options.check_sf:g}: {found}")


def sanitizer(bench: Bench, found: dict):
    """Kernels under compute-sanitizer."""
    tool = shutil.which("compute-sanitizer") or shutil.which("compute-sanitizer", path="/usr/local/cuda/bin")
    if tool is None or bench.options.emulate:
        found["not_run"] = "compute-sanitizer is not installed" if tool is None else "no card"
        return
    for kind in ("memcheck", "racecheck"):
        found[kind] = sanitize(bench.options, [tool, "--tool", kind])
        say(f"{kind}: {found[kind]}")


def sanitize(options: Options, tool: list[str]) -> str:
    """What a sanitizer says at its end. That it found nothing counts only where the card did all the work."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        # Not what compiles kernels, a process beside it: under the tool that takes minutes.
        done = subprocess.run([*tool, "--target-processes", "application-only", options.program, "bench", "ssb", "--sf",
                               str(SMALL), "--mode", "gpu", "--runs", SANITIZED_RUNS, "--json", report],
                              capture_output=True, text=True, check=False,
                              timeout=options.left())
        if done.returncode != 0:
            return f"ended with {done.returncode}"
        queries = json.loads(report.read_text())["queries"]
    elsewhere = [query["name"] for query in queries if "gpu_why_not" in query or not query["gpu_kernel_min_ms"]]
    if len(queries) != len(QUERIES) or elsewhere:
        return f"{len(queries)} queries, not on the card: {', '.join(elsewhere)}"
    summary = [line.strip("= ") for line in done.stdout.splitlines() + done.stderr.splitlines() if "SUMMARY" in line]
    return summary[-1] if summary else "no summary"


# Those over one process's tables come first, in an order that opens the card seldom.
OVER_TABLES = (sectors, resident, passive, modes, sweep, active, auto, cap, clients, tasks)
APART = (node, coupled, kernels, check, sanitizer)
