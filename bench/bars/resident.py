# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""Tables resident: against DuckDB's native in-memory tables. Also the check of answers at SF10."""

from bars import Outcome, Setup
from bars.against_duckdb import RatioBar, measure_ratio

BAR = RatioBar("resident, SF10", "ssb-sf10-resident", "host", min_geomean=4.0, min_query=2.5)


def measure(setup: Setup) -> Outcome:
    return measure_ratio(setup, BAR)
