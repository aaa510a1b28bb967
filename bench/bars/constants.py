# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""A kernel depends on a query's shape: 100 random constants in one query of each flight compile nothing after the
first, and nothing at all after a restart. Every answer is checked."""

import random
import tempfile
from pathlib import Path

from bars import Outcome, Setup
from comparison import check_answers
from duckdb_engine import DuckEngine
from shadow_process import ShadowProcess
from ssb_queries import VARIANTS
from tables import show_progress

DRAWS = 100


def measure(setup: Setup) -> Outcome:
    with tempfile.TemporaryDirectory() as cache, DuckEngine(setup.sf1, setup.threads) as duck:
        fresh = _compiles(setup, duck, Path(cache), "constants", skip_first=True)
        restarted = _compiles(setup, duck, Path(cache), "after a restart", skip_first=False)
    return Outcome(f"{DRAWS} random constants in 4 queries", "no compile after the first, none after a restart",
                   f"{fresh} compiles, {restarted} after a restart", fresh == 0 and restarted == 0)


def _compiles(setup: Setup, duck: DuckEngine, cache: Path, label: str, skip_first: bool) -> int:
    compiles, progress = 0, show_progress(label)
    draw = random.Random(2026)
    with ShadowProcess(setup.program, setup.sf1, setup.threads, cache=cache) as shadow:
        for done, (query, (constants_of, sql)) in enumerate(VARIANTS.items()):
            for number in range(DRAWS):
                constants = constants_of(draw)
                answer = shadow.ask(query, constants)
                check_answers(f"{query} {constants}", answer["rows"], duck.ask(sql.format(**constants))["rows"])
                if number > 0 or not skip_first:
                    compiles += answer["compiles"]
            progress(done + 1, len(VARIANTS))
    return compiles
