# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""Tables resident: against DuckDB's native in-memory tables. Also the check of answers at SF10."""

from bars import Outcome, Setup
from compare_ssb import heading, record, run_comparison
from tables import terminal_table

MIN_GEOMEAN, MIN_QUERY = 4.0, 2.5


def measure(setup: Setup) -> Outcome:
    outcome = run_comparison(setup.program, setup.sf10, setup.threads, setup.runs, "host")
    record(outcome, "ssb-sf10-resident", setup.results)
    print(heading(outcome))
    print(terminal_table(outcome["results"], outcome["machine"]["read_bytes_per_second"]["all"]))
    worst = min(outcome["results"], key=lambda times: times.ratio)
    return Outcome("resident, SF10", f"geomean ≥ {MIN_GEOMEAN}×, no query under {MIN_QUERY}×",
                   f"geomean {outcome['geomean']:.2f}×, least {worst.ratio:.2f}× ({worst.name})",
                   outcome["geomean"] >= MIN_GEOMEAN and worst.ratio >= MIN_QUERY, {"machine": outcome["machine"]})
