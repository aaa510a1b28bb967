# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""What compiling costs: the first run of a query with an empty kernel cache, above the second. Every query gets a
fresh process and cache, so that none finds a kernel another one left; tables are resident."""

import statistics
import tempfile
from pathlib import Path

from bars import Outcome, Setup
from shadow_process import ShadowProcess
from ssb_queries import QUERIES
from tables import save, show_progress

MAX_MEDIAN_MS = 80


def measure(setup: Setup) -> Outcome:
    above, progress = {}, show_progress("first runs")
    for query in QUERIES:
        with tempfile.TemporaryDirectory() as cache:
            with ShadowProcess(setup.program, setup.sf1, setup.threads, cache=Path(cache)) as shadow:
                first, second = shadow.ask(query), shadow.ask(query)
        if first["compiles"] == 0:
            raise AssertionError(f"{query}: the first run compiled nothing, so the cache was not empty")
        above[query] = first["ms"] - second["ms"]
        progress(len(above), len(QUERIES))
    median = statistics.median(above.values())
    save(setup.results / "ssb-first-run.json", {"threads": setup.threads, "median_ms": median, "above_ms": above})
    return Outcome("first run, empty kernel cache", f"≤ {MAX_MEDIAN_MS} ms above the second, median",
                   f"{median:.0f} ms (most {max(above.values()):.0f} ms)", median <= MAX_MEDIAN_MS)
