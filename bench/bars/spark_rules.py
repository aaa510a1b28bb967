# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""What our rules add to the planning of a query, once warm: the time from Spark's physical plan to the executable one,
with the rules on and off in turns."""

import statistics

import spark_engines
from bars import Outcome, Setup
from spark_process import SparkProcess
from ssb_queries import QUERIES as SSB
from ssb_queries import TABLES as SSB_TABLES
from tables import save
from tpch_data import ensure_tpch
from tpch_queries import QUERIES as TPCH
from tpch_queries import TABLES as TPCH_TABLES

MAX_SSB_MS, MAX_TPCH_MS = 3.0, 10.0
WARM_UP, RUNS = 150, 50


def measure(setup: Setup) -> Outcome:
    tpch = ensure_tpch(setup.spark_data.parent, "0.1")
    ssb_ms = _rules_ms(setup, setup.sf1, SSB_TABLES, SSB["q4.1"])
    tpch_ms = _rules_ms(setup, tpch, TPCH_TABLES, TPCH["q8"])
    save(setup.results / "spark-rules.json", {"ssb_q4.1_ms": ssb_ms, "tpch_q8_ms": tpch_ms})
    return Outcome("cost of our rules, once warm", f"≤ {MAX_SSB_MS:.0f} ms SSB q4.1, ≤ {MAX_TPCH_MS:.0f} ms TPC-H q8",
                   f"{ssb_ms:.1f} ms, {tpch_ms:.1f} ms", ssb_ms <= MAX_SSB_MS and tpch_ms <= MAX_TPCH_MS)


def _rules_ms(setup: Setup, data, tables, sql: str) -> float:
    """The difference of the medians."""
    times = {"true": [], "false": []}
    with SparkProcess(spark_engines.shadowvm(setup.threads), data, tables) as spark:
        for run in range(WARM_UP + RUNS):
            for enabled, taken in times.items():
                spark.request("set", key="spark.shadowvm.enabled", value=enabled)
                milliseconds = spark.request("plan", sql=sql)["ms"]
                if run >= WARM_UP:
                    taken.append(milliseconds)
    return statistics.median(times["true"]) - statistics.median(times["false"])
