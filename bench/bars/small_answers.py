# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""Answers at SF1 equal DuckDB's, order included, every run. (At SF10 the comparisons check them.)"""

from bars import Outcome, Setup
from compare_ssb import record, run_comparison


def measure(setup: Setup) -> Outcome:
    outcome = run_comparison(setup.program, setup.sf1, setup.threads, setup.runs, "host")
    record(outcome, "ssb-sf1-resident", setup.results)
    count = len(outcome["results"])
    return Outcome("answers, SF1", "13 of 13 equal", f"{count} of 13 equal, geomean {outcome['geomean']:.2f}×",
                   count == 13)
