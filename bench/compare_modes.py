# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""Cores alone, the GPU alone and both at once, on a machine with a GPU, with tables in the host's memory.

    python3 bench/compare_modes.py --program build/release/shadowvm --sf 20 --runs 15 --out bench/results/modes.json

Says of each query how many times as fast both are as the better one alone, and what share of the sum of both rates they
reach. The bars are 1.5 times and 85 %, for the queries that read most. It ends with 1 when a bar is missed or answers
differ.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from math import exp, log
from pathlib import Path

MODES = {"cpu": [], "gpu": ["--residency", "host", "--prefetch", "passive"],
         "mixed": ["--residency", "host", "--prefetch", "passive"]}
BARRED = ("q1.1", "q2.1", "q3.1", "q4.1")
MIN_TIMES = 1.5
MIN_SHARE = 0.85


def run(mode: str, settings: argparse.Namespace) -> dict:
    """The report of one mode, its queries by name."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        options = ["--mode", mode, *MODES[mode], "--runs", str(settings.runs), "--json", str(report)]
        options += ["--data", str(settings.data)] if settings.data else ["--sf", str(settings.sf)]
        if mode == "mixed":
            options += ["--policy", settings.policy]
        if settings.keep_builds:
            options.append("--keep-builds")
        if mode != "cpu" and settings.emulate_gpu:
            options.append("--emulate-gpu")
        subprocess.run([settings.program, "bench", "ssb", *options], check=True)
        return {query["name"]: query for query in json.loads(report.read_text())["queries"]}


def compare(reports: dict, field: str) -> list[dict]:
    """One row a query, from the times in one field of the reports."""
    rows = []
    for name, mixed in reports["mixed"].items():
        cpu, gpu, both = (reports[mode][name][field] for mode in MODES)
        rows.append({"query": name, "cpu_ms": cpu, "gpu_ms": gpu, "mixed_ms": both,
                     "times_better": min(cpu, gpu) / both, "share_of_sum": (1 / both) / (1 / cpu + 1 / gpu),
                     "gpu_rows": mixed["gpu_row_share"],
                     "equal": reports["cpu"][name]["rows"] == reports["gpu"][name]["rows"] == mixed["rows"]})
    return rows


def show(rows: list[dict]) -> bool:
    """Prints the table; whether all bars are met."""
    print("\nquery    cpu ms   gpu ms  both ms  times  of sum  on GPU  answers")
    met = True
    for row in rows:
        barred = row["query"] in BARRED
        missed = barred and (row["times_better"] < MIN_TIMES or row["share_of_sum"] < MIN_SHARE)
        met = met and row["equal"] and not missed
        print(f"{row['query']:<6} {row['cpu_ms']:8.2f} {row['gpu_ms']:8.2f} {row['mixed_ms']:8.2f} "
              f"{row['times_better']:6.2f} {row['share_of_sum']:7.1%} {row['gpu_rows']:7.1%}  "
              f"{'equal' if row['equal'] else 'DIFFER'}{' missed' if missed else ' met' if barred else ''}")
    means = {mode: exp(sum(log(row[f"{mode}_ms"]) for row in rows) / len(rows)) for mode in MODES}
    print(f"{'mean':<6} {means['cpu']:8.2f} {means['gpu']:8.2f} {means['mixed']:8.2f}")
    return met


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, type=Path)
    parser.add_argument("--sf", default="20", help="generated in memory")
    parser.add_argument("--data", type=Path, help="files instead")
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--policy", default="elastic")
    parser.add_argument("--keep-builds", action="store_true", help="build sides stay for the next run, as in a node")
    parser.add_argument("--emulate-gpu", action="store_true")
    parser.add_argument("--out", type=Path, help="write the rows here, of minima and of medians")
    settings = parser.parse_args()
    reports = {mode: run(mode, settings) for mode in MODES}
    found = {field: compare(reports, field) for field in ("min_ms", "median_ms")}
    met = show(found["min_ms"])
    if settings.out:
        told = {"policy": settings.policy, "keep_builds": settings.keep_builds}
        settings.out.write_text(json.dumps({**told, **found}, indent=1) + "\n")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
