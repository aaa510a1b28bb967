# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""Small tables, where a query is all planning and starting: SSB at SF0.1 as users have it, and tables of 1,000 rows
that are offloaded against the rule that keeps small inputs in Spark."""

import tempfile
from pathlib import Path

import pyarrow.parquet as pq
from bars import Outcome, Setup
from compare_spark import started
from spark_comparison import JVM_RUNS, PLAIN, SHADOW, take_turns, total_ms
from spark_tables import terminal_table
from ssb_queries import QUERIES, TABLES
from tables import save, show_progress

TINY_ROWS = 1_000
WARM_UP = 5  # rounds: both engines are mostly the JVM's compiler before that


def measure(setup: Setup) -> Outcome:
    with tempfile.TemporaryDirectory() as folder:
        write_tiny(setup.sf01, Path(folder))
        sums = {"SF0.1": _sums(setup, setup.sf01), "1,000 rows": _sums(setup, Path(folder), minBytes="0")}
    save(setup.results / "spark-small.json", {"threads": setup.threads, "runs": setup.runs, "sums_ms": sums})
    measured = "; ".join(f"{name}: {ours:.0f} ms against {theirs:.0f} ms" for name, (ours, theirs) in sums.items())
    return Outcome("Spark, SSB SF0.1 and tables of 1,000 rows", "each sum of 13 queries not slower than Spark", measured,
                   all(ours <= theirs for ours, theirs in sums.values()))


def write_tiny(data: Path, folder: Path):
    """The first rows of every table."""
    for table in TABLES:
        rows = pq.read_table(data / f"{table}.parquet").slice(0, TINY_ROWS)
        pq.write_table(rows, folder / f"{table}.parquet")


def _sums(setup: Setup, data: Path, **ours) -> tuple[float, float]:
    """ShadowVM's and Spark's."""
    with started(data, setup.threads, **ours) as engines:
        results = take_turns(engines, QUERIES, max(setup.runs, JVM_RUNS), warm_up=WARM_UP,
                             on_progress=show_progress("small tables"))
    print(terminal_table(results))
    return total_ms(results, SHADOW), total_ms(results, PLAIN)
