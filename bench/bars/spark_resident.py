# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""The second and later runs in Spark: tables resident in the node, against plain Spark and Comet, DuckDB beside."""

from bars import Outcome, Setup
from compare_spark import machine, record, started
from spark_comparison import COMET, JVM_RUNS, PLAIN, mean_faster, take_turns
from spark_tables import fallback_report, terminal_table
from ssb_queries import QUERIES
from tables import show_progress

MIN_PLAIN, MIN_COMET, MIN_QUERY = 18.0, 16.0, 8.0


def measure(setup: Setup) -> Outcome:
    name = f"{setup.spark_data.name.replace('ssb-', 'spark-')}-resident"
    runs = max(setup.runs, JVM_RUNS)
    with started(setup.spark_data, setup.threads, ("comet", "duckdb")) as engines:
        version = engines[PLAIN].version
        results = take_turns(engines, QUERIES, runs, on_progress=show_progress("queries"))
    record(results, f"{setup.spark_data.name}, Spark {version}, local[{setup.threads}], second and later runs",
           {"machine": machine(), "spark": version, "threads": setup.threads, "runs": runs},
           setup.results / name)
    print(terminal_table(results), fallback_report(results), sep="\n")
    plain, comet = mean_faster(results, PLAIN), mean_faster(results, COMET)
    worst = min(results, key=lambda times: times.faster(PLAIN))
    whole = sum(times.whole for times in results)
    met = plain >= MIN_PLAIN and comet >= MIN_COMET and worst.faster(PLAIN) >= MIN_QUERY and whole == len(results)
    return Outcome(f"Spark, {setup.spark_data.name}, tables resident",
                   f"geomean ≥ {MIN_PLAIN:.0f}× Spark, ≥ {MIN_COMET:.0f}× Comet, no query under {MIN_QUERY:.0f}× "
                   "Spark, all whole in the node",
                   f"{plain:.1f}× Spark, {comet:.1f}× Comet, least {worst.faster(PLAIN):.1f}× ({worst.name}), "
                   f"{whole} of {len(results)} whole", met)
