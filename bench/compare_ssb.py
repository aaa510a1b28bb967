# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""Compares ShadowVM with DuckDB on the 13 queries of the Star Schema Benchmark, in turns, answers checked.

    python bench/compare_ssb.py --data data/ssb-sf1
    python bench/compare_ssb.py --data data/ssb-sf10 --residency file --runs 7 --name sf10-file
"""

import argparse
import os
import sys
from pathlib import Path

import duckdb

from comparison import WrongAnswer, compare, geomean
from duckdb_engine import DuckEngine
from shadow_process import ShadowError, ShadowProcess
from tables import machine_sentence, markdown_table, save, show_progress, terminal_table

ROOT = Path(__file__).resolve().parent.parent


def run_comparison(program: Path, data: Path, threads: int, runs: int, residency: str) -> dict:
    """Results and where they were measured."""
    print(f"loading {data.name} into both engines" if residency == "host" else f"reading {data.name} from its files")
    with (ShadowProcess(program, data, threads, residency) as shadow,
          DuckEngine(data, threads, residency) as duck):
        results = compare(shadow, duck, runs, show_progress("queries"))
        machine = shadow.machine()
    return {"machine": machine, "data": data.name, "threads": threads, "runs": runs, "residency": residency,
            "duckdb": duckdb.__version__, "results": results, "geomean": geomean(t.ratio for t in results)}


def heading(outcome: dict) -> str:
    """What was compared, in a line."""
    return (f"{outcome['data']}, residency {outcome['residency']}, {outcome['threads']} threads, "
            f"DuckDB {outcome['duckdb']}")


def record(outcome: dict, name: str, folder: Path):
    """Writes <name>.json and <name>.md."""
    floor = outcome["machine"]["read_bytes_per_second"]["all"]
    save(folder / f"{name}.json", outcome | {"results": [times.to_json() for times in outcome["results"]]})
    (folder / f"{name}.md").write_text(
        f"# {heading(outcome)}\n\n{machine_sentence(outcome['machine'])}.\n\n"
        f"Minimum of {outcome['runs']} interleaved runs, answers equal in every run.\n\n"
        f"{markdown_table(outcome['results'], floor)}\n")


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with the five Parquet files")
    parser.add_argument("--program", type=Path, default=ROOT / "dist/bin/shadowvm")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--residency", choices=("host", "file"), default="host")
    parser.add_argument("--name", help="record the results as bench/results/NAME.json and .md")
    return parser.parse_args()


def main() -> int:
    options = parse_arguments()
    try:
        outcome = run_comparison(options.program, options.data, options.threads, options.runs, options.residency)
    except (WrongAnswer, ShadowError) as error:
        print(f"compare_ssb: {error}", file=sys.stderr)
        return 1
    print(f"\n{heading(outcome)}; answers equal in every run\n")
    print(terminal_table(outcome["results"], outcome["machine"]["read_bytes_per_second"]["all"]))
    if options.name:
        record(outcome, options.name, ROOT / "bench/results")
    return 0


if __name__ == "__main__":
    sys.exit(main())
