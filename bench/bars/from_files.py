# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""Nothing resident: both engines read the same Parquet files, page cache warm, kernels cached."""

from bars import Outcome, Setup
from compare_ssb import heading, record, run_comparison
from tables import terminal_table

MIN_GEOMEAN, MIN_QUERY = 1.2, 0.9


def measure(setup: Setup) -> Outcome:
    outcome = run_comparison(setup.program, setup.sf10, setup.threads, setup.runs, "file")
    record(outcome, "ssb-sf10-file", setup.results)
    print(heading(outcome))
    print(terminal_table(outcome["results"], outcome["machine"]["read_bytes_per_second"]["all"]))
    worst = min(outcome["results"], key=lambda times: times.ratio)
    return Outcome("from Parquet, SF10", f"geomean ≥ {MIN_GEOMEAN}×, no query under {MIN_QUERY}×",
                   f"geomean {outcome['geomean']:.2f}×, least {worst.ratio:.2f}× ({worst.name})",
                   outcome["geomean"] >= MIN_GEOMEAN and worst.ratio >= MIN_QUERY)
