# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""A budget of 3 GB at SF10: right answers, and the process never larger than a tenth above it."""

from bars import Outcome, Setup
from comparison import check_answers
from duckdb_engine import DuckEngine
from shadow_process import ShadowProcess
from ssb_queries import QUERIES

BUDGET, MAX_RSS_BYTES = "3G", 3.3e9


def measure(setup: Setup) -> Outcome:
    with DuckEngine(setup.sf10, setup.threads, "file") as duck:
        with ShadowProcess(setup.program, setup.sf10, setup.threads, memory=BUDGET) as shadow:
            for name, sql in QUERIES.items():
                theirs = duck.ask(sql)["rows"]
                for _ in range(2):
                    check_answers(name, shadow.ask(name)["rows"], theirs)
    peak = shadow.peak_rss_bytes
    return Outcome(f"--memory {BUDGET}, SF10", "peak RSS ≤ 3.3 GB, right answers", f"peak RSS {peak / 1e9:.2f} GB",
                   peak <= MAX_RSS_BYTES)
