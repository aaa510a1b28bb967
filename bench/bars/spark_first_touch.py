# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""Queries the node has never seen: it forgets tables and kernels before each one. Files are in the page cache."""

from bars import Outcome, Setup
from compare_spark import machine, record, started
from spark_comparison import PLAIN, SHADOW, mean_faster, take_turns
from spark_tables import terminal_table
from ssb_queries import QUERIES
from tables import show_progress

MIN_GEOMEAN, MIN_QUERY = 4.0, 1.0


def measure(setup: Setup) -> Outcome:
    name = f"{setup.spark_data.name.replace('ssb-', 'spark-')}-first-touch"
    with started(setup.spark_data, setup.threads) as engines:
        version = engines[PLAIN].version
        results = take_turns(engines, QUERIES, setup.runs, on_progress=show_progress("first touches"),
                             before_ours=lambda: engines[SHADOW].request("cool"))
    record(results, f"{setup.spark_data.name}, Spark {version}, local[{setup.threads}], first touch",
           {"machine": machine(), "spark": version, "threads": setup.threads, "runs": setup.runs},
           setup.results / name)
    print(terminal_table(results))
    mean = mean_faster(results, PLAIN)
    worst = min(results, key=lambda times: times.faster(PLAIN))
    return Outcome(f"Spark, {setup.spark_data.name}, first touch",
                   f"geomean ≥ {MIN_GEOMEAN:.0f}× Spark, no query slower",
                   f"{mean:.1f}× Spark, least {worst.faster(PLAIN):.1f}× ({worst.name})",
                   mean >= MIN_GEOMEAN and worst.faster(PLAIN) >= MIN_QUERY)
