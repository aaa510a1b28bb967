# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""Runs the 13 queries of the Star Schema Benchmark in Spark, plain and with ShadowVM, and compares rows and times.

    python bench/compare_spark.py --data data/ssb-sf1
    python bench/compare_spark.py --data data/ssb-sf10 --with comet duckdb --name spark-sf10-resident
"""

import argparse
import contextlib
import os
import sys
from pathlib import Path

import spark_engines
from comparison import WrongAnswer
from duckdb_engine import DuckEngine
from spark_comparison import COMET, DUCK, PLAIN, SHADOW, SparkTimes, mean_faster, take_turns
from spark_process import SparkError, SparkProcess
from spark_tables import fallback_report, markdown_table, terminal_table
from ssb_queries import QUERIES, TABLES
from tables import save, show_progress

ROOT = Path(__file__).resolve().parent.parent


@contextlib.contextmanager
def started(data: Path, threads: int, extra=(), **ours):
    """The engines, ready: plain Spark, Spark with ShadowVM and those of 'extra' ("comet", "duckdb"). 'ours' are
    further settings of the session with ShadowVM, with '_' for '.'."""
    settings = spark_engines.shadowvm(threads) | {f"spark.shadowvm.{key.replace('_', '.')}": value
                                                  for key, value in ours.items()}
    with contextlib.ExitStack() as stack:
        engines = {PLAIN: stack.enter_context(SparkProcess(spark_engines.plain(threads), data, TABLES))}
        if "comet" in extra:
            engines[COMET] = stack.enter_context(SparkProcess(spark_engines.comet(threads), data, TABLES))
        if "duckdb" in extra:
            engines[DUCK] = stack.enter_context(DuckEngine(data, threads, "file"))
        engines[SHADOW] = stack.enter_context(SparkProcess(settings, data, TABLES))
        yield engines


def record(results: list[SparkTimes], title: str, about: dict, path: Path):
    """Writes PATH.json and PATH.md."""
    ratios = {engine: mean_faster(results, engine) for engine in results[0].ms if engine != SHADOW}
    save(path.with_suffix(".json"), about | {"geomean_faster": ratios, "results": [t.to_json() for t in results]})
    path.with_suffix(".md").write_text(
        f"# {title}\n\n{about['machine']}.\n\nMinimum of {about['runs']} interleaved runs in milliseconds, from the "
        f"text of a query to its rows in Python; rows and their order equal in every run.\n\n"
        f"{markdown_table(results)}\n\n{fallback_report(results)}.\n")


def machine() -> str:
    """This machine in a few words."""
    with open("/proc/cpuinfo", encoding="utf-8") as info:
        model = next((line.split(":")[1].strip() for line in info if line.startswith("model name")), "unknown")
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"{model}, {len(os.sched_getaffinity(0))} cores, {memory:.0f} GiB"


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with the five Parquet files")
    parser.add_argument("--threads", type=int, default=min(2, len(os.sched_getaffinity(0))))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--with", dest="extra", nargs="+", default=[], choices=("comet", "duckdb"),
                        help="further engines")
    parser.add_argument("--name", help="record the results as bench/results/NAME.json and .md")
    return parser.parse_args()


def main() -> int:
    options = parse_arguments()
    try:
        with started(options.data, options.threads, options.extra) as engines:
            version = engines[PLAIN].version
            results = take_turns(engines, QUERIES, options.runs, on_progress=show_progress("queries"))
    except (WrongAnswer, SparkError, FileNotFoundError) as error:
        print(f"compare_spark: {error}", file=sys.stderr)
        return 1
    title = f"{options.data.name}, Spark {version}, local[{options.threads}]"
    print(f"\n{title}; rows and their order equal in every run\n\n{terminal_table(results)}\n")
    print(fallback_report(results))
    if options.name:
        about = {"machine": machine(), "spark": version, "threads": options.threads, "runs": options.runs}
        record(results, title, about, ROOT / "bench/results" / options.name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
