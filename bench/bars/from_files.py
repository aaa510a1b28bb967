# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""Nothing resident: both engines read the same Parquet files, page cache warm, kernels cached."""

from bars import Outcome, Setup
from bars.against_duckdb import RatioBar, measure_ratio

BAR = RatioBar("from Parquet, SF10", "ssb-sf10-file", "file", min_geomean=1.2, min_query=0.9)


def measure(setup: Setup) -> Outcome:
    return measure_ratio(setup, BAR)
