# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""Measures every bar, prints a summary and writes bench/results. What `make bench` runs.

    python bench/run_all.py                       all bars
    python bench/run_all.py --sf 1                those of Spark at another scale factor
    python bench/run_all.py --only resident scaling
"""

import argparse
import importlib
import os
import subprocess
import sys
from pathlib import Path

from bars import Outcome, Setup
from shadow_process import ShadowProcess
from tables import machine_sentence, save

ROOT = Path(__file__).resolve().parent.parent
BARS = ("small_answers", "resident", "from_files", "scaling", "memory", "footprint", "first_run", "constants",
        "spark_resident", "spark_first_touch", "spark_small", "spark_rules", "spark_killed")


def ensure_data(program: Path, factor: str) -> Path:
    """The folder with data of this scale factor, generated once."""
    folder = ROOT / f"data/ssb-sf{factor}"
    if not (folder / "lineorder.parquet").exists():
        subprocess.run([program, "gen", "ssb", "--sf", factor, "--out", folder], check=True)
    return folder


def measure(name: str, setup: Setup) -> Outcome:
    """One bar. An error is a bar not met: the others are still worth measuring."""
    print(f"\n== {name}", flush=True)
    try:
        outcome = importlib.import_module(f"bars.{name}").measure(setup)
    except (AssertionError, RuntimeError, OSError) as error:
        outcome = Outcome(name, "", f"failed: {error}", False)
    print(f"{'met ' if outcome.met else 'MISSED'} {outcome.name}: {outcome.measured} (bar: {outcome.bar})")
    return outcome


def summary(outcomes: list[Outcome], machine: dict) -> str:
    """The page bench/results/summary.md."""
    lines = ["# Star Schema Benchmark: what was measured", "", f"{machine_sentence(machine)}.", "",
             "Ratios are of one run on one machine, both engines at the same thread count, in turns; minimum of the "
             "runs; answers checked every time. Per query: the other files of this folder.", "",
             "| what | bar | measured | met |", "| --- | --- | --- | --- |"]
    lines += [f"| {o.name} | {o.bar} | {o.measured} | {'yes' if o.met else '**no**'} |" for o in outcomes]
    return "\n".join(lines) + "\n"


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", type=Path, default=ROOT / "dist/bin/shadowvm")
    parser.add_argument("--threads", type=int, default=min(2, len(os.sched_getaffinity(0))))
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--sf", default="10", help="scale factor of the bars of Spark; the bars are set for 10")
    parser.add_argument("--only", nargs="+", choices=BARS, help="these bars alone; the summary is not rewritten")
    return parser.parse_args()


def main() -> int:
    options = parse_arguments()
    data = {factor: ensure_data(options.program, factor) for factor in ("0.1", "1", "10", options.sf)}
    setup = Setup(options.program, data["0.1"], data["1"], data["10"], data[options.sf], ROOT / "bench/results",
                  options.threads, options.runs)
    outcomes = [measure(name, setup) for name in options.only or BARS]
    if not options.only:
        with ShadowProcess(setup.program, setup.sf1, setup.threads) as shadow:
            machine = shadow.machine()
        (setup.results / "summary.md").write_text(summary(outcomes, machine))
        save(setup.results / "summary.json", {"machine": machine, "bars": [vars(o) for o in outcomes]})
    return 0 if all(outcome.met for outcome in outcomes) else 1


if __name__ == "__main__":
    sys.exit(main())
