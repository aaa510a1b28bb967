# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""The nine lineorder columns the queries read, as segments in memory, against plain int32."""

from bars import Outcome, Setup
from shadow_process import ShadowProcess
from ssb_queries import LINEORDER_COLUMNS

MAX_SHARE = 0.73


def measure(setup: Setup) -> Outcome:
    with ShadowProcess(setup.program, setup.sf10, setup.threads) as shadow:
        answer = shadow.footprint("lineorder", LINEORDER_COLUMNS)
    share = answer["bytes"] / answer["plain_bytes"]
    return Outcome("nine lineorder columns, SF10", f"≤ {MAX_SHARE:.0%} of plain int32",
                   f"{share:.1%} ({answer['bytes'] / 1e9:.2f} GB)", share <= MAX_SHARE)
