# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""Both engines take turns on every query; answers are checked every time."""

import math
import statistics
from dataclasses import asdict, dataclass, field

from ssb_queries import QUERIES


class WrongAnswer(AssertionError):
    """The engines disagree."""


@dataclass
class QueryTimes:
    """Times of one query in both engines, in milliseconds."""

    name: str
    shadowvm: list[float] = field(default_factory=list)
    duckdb: list[float] = field(default_factory=list)
    bytes: int = 0
    rows: int = 0

    @property
    def ratio(self) -> float:
        return min(self.duckdb) / min(self.shadowvm)

    def to_json(self) -> dict:
        return asdict(self) | {"ratio": self.ratio, "shadowvm_min": min(self.shadowvm),
                               "shadowvm_median": statistics.median(self.shadowvm), "duckdb_min": min(self.duckdb),
                               "duckdb_median": statistics.median(self.duckdb)}


def check_answers(name: str, ours: list, theirs: list):
    """Equal rows in equal order, or WrongAnswer naming the first difference."""
    for number, (mine, other) in enumerate(zip(ours, theirs)):
        if mine != other:
            raise WrongAnswer(f"{name}: row {number}: ShadowVM {mine}, DuckDB {other}")
    if len(ours) != len(theirs):
        raise WrongAnswer(f"{name}: ShadowVM has {len(ours)} rows, DuckDB {len(theirs)}")


def compare(shadow, duck, runs: int, on_progress=lambda done, total: None) -> list[QueryTimes]:
    """Every query 'runs' times in each engine, in turn, after one run each that is not counted: residency and the
    kernel cache are warm when the clock starts."""
    results = []
    for number, (name, sql) in enumerate(QUERIES.items()):
        times = QueryTimes(name)
        for run in range(runs + 1):
            mine, other = shadow.ask(name), duck.ask(sql)
            check_answers(name, mine["rows"], other["rows"])
            if run > 0:
                times.shadowvm.append(mine["ms"])
                times.duckdb.append(other["ms"])
        times.bytes, times.rows = mine["bytes"], len(mine["rows"])
        results.append(times)
        on_progress(number + 1, len(QUERIES))
    return results


def geomean(values) -> float:
    """Geometric mean."""
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values))
