# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""What `make demo` shows: the 13 queries of the Star Schema Benchmark in real local Spark, plain and with ShadowVM."""

import argparse
import os
import sys
from pathlib import Path

from compare_spark import started
from comparison import WrongAnswer
from spark_comparison import PLAIN, SHADOW, check_equal, mean_faster, take_turns
from spark_process import SparkError
from spark_tables import fallback_report, terminal_table
from ssb_queries import QUERIES
from tables import show_progress

# Spark has more functions than the node; this one shows what happens then.
BEYOND = """
SELECT c_region, percentile(revenue, 0.5) AS median_month
FROM (
  SELECT c_region, d_yearmonth, sum(lo_revenue) AS revenue
  FROM lineorder, customer, date
  WHERE lo_custkey = c_custkey AND lo_orderdate = d_datekey
  GROUP BY c_region, d_yearmonth) AS months
GROUP BY c_region
ORDER BY c_region
"""

NEXT = """
Where to look next
  your own job       spark-submit --jars dist/jars/shadowvm-spark-3.5_2.12.jar \\
                       --conf spark.plugins=org.shadowvm.ShadowPlugin job.py
  where it runs      df.explain() names operators in the node Shadow…; --conf spark.shadowvm.explain=ALL logs them
  Spark's own UI     the SQL tab at http://localhost:4040 draws the same plan, with rows and times from the node
  step by step       examples/spark_notebook.py
  everything else    docs/spark.md, settings in docs/settings.md"""


def show(engines: dict, runs: int):
    print(f"Spark {engines[PLAIN].version}: {len(QUERIES)} queries, {runs + 1} rounds, both in turns", flush=True)
    results = take_turns(engines, QUERIES, runs, on_progress=show_progress("queries"))
    print(f"\n{terminal_table(results)}\n")
    print(f"Rows and their order were equal in every run. {fallback_report(results)}.")
    print(f"ShadowVM is {mean_faster(results, PLAIN):.1f} times as fast (geometric mean).\n")
    show_fallback(engines)
    print(NEXT)


def show_fallback(engines: dict):
    """A query that the node cannot do as a whole is Spark's, with the reason."""
    plain, ours = engines[PLAIN].ask(BEYOND), engines[SHADOW].ask(BEYOND)
    check_equal("percentile", SHADOW, ours["rows"], plain["rows"])
    print("What the node cannot do stays in Spark, with the same rows and a reason. A query with percentile():\n"
          f"  accelerated {ours['accelerated']} of {ours['operators']} operators")
    print("\n".join(f"  {line}" for line in ours["fallbacks"]))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with the five Parquet files")
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    threads = len(os.sched_getaffinity(0))
    print(f"Starting two Spark applications on {options.data.name}, local[{threads}]", flush=True)
    try:
        with started(options.data, threads) as engines:
            show(engines, options.runs)
    except (WrongAnswer, SparkError, FileNotFoundError) as error:
        print(f"demo: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
