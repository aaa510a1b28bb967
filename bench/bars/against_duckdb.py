# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""Bars on the ratio to DuckDB at SF10: the comparison, its table and its record; what differs is the residency."""

from dataclasses import dataclass

from bars import Outcome, Setup
from compare_ssb import heading, record, run_comparison
from tables import terminal_table


@dataclass
class RatioBar:
    """How much faster all queries together, and each of them, must be."""
    title: str
    name: str  # of the recorded files
    residency: str
    min_geomean: float
    min_query: float


def measure_ratio(setup: Setup, bar: RatioBar) -> Outcome:
    outcome = run_comparison(setup.program, setup.sf10, setup.threads, setup.runs, bar.residency)
    record(outcome, bar.name, setup.results)
    print(heading(outcome))
    print(terminal_table(outcome["results"], outcome["machine"]["read_bytes_per_second"]["all"]))
    worst = min(outcome["results"], key=lambda times: times.ratio)
    met = outcome["geomean"] >= bar.min_geomean and worst.ratio >= bar.min_query
    return Outcome(bar.title, f"geomean ≥ {bar.min_geomean}×, no query under {bar.min_query}×",
                   f"geomean {outcome['geomean']:.2f}×, least {worst.ratio:.2f}× ({worst.name})", met)
