# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""One thread against all, tables resident, in turns; beside it how the machine's own read bandwidth scales."""

from bars import Outcome, Setup
from comparison import geomean
from shadow_process import ShadowProcess
from ssb_queries import QUERIES
from tables import save, show_progress

MIN_GEOMEAN = 1.7


def measure(setup: Setup) -> Outcome:
    with (ShadowProcess(setup.program, setup.sf10, 1) as one,
          ShadowProcess(setup.program, setup.sf10, setup.threads) as many):
        speedups = _speedups(one, many, setup.runs)
        machine = many.machine()
    bandwidth = machine["read_bytes_per_second"]
    own = bandwidth["all"] / bandwidth["one_thread"]
    mean = geomean(speedups.values())
    save(setup.results / "ssb-sf10-scaling.json", {"machine": machine, "threads": setup.threads, "geomean": mean,
                                                   "bandwidth_scaling": own, "speedups": speedups})
    return Outcome(f"1→{setup.threads} threads, SF10", f"geomean ≥ {MIN_GEOMEAN}×",
                   f"{mean:.2f}× (the machine's read bandwidth: {own:.2f}×)", mean >= MIN_GEOMEAN)


def _speedups(one: ShadowProcess, many: ShadowProcess, runs: int) -> dict[str, float]:
    speedups, progress = {}, show_progress("scaling")
    for query in QUERIES:
        times = [(one.ask(query)["ms"], many.ask(query)["ms"]) for _ in range(runs + 1)][1:]
        speedups[query] = min(single for single, _ in times) / min(all_ for _, all_ in times)
        progress(len(speedups), len(QUERIES))
    return speedups
