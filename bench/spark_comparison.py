# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""Several engines take turns on the same queries; every answer is compared with that of plain Spark."""

import statistics
from dataclasses import dataclass, field

from comparison import WrongAnswer, geomean

# A JVM goes on compiling its own code, Spark's planner above all, for some hundred queries. Where that counts every
# engine gets at least so many runs.
JVM_RUNS = 10
PLAIN, COMET, SHADOW, DUCK = "Spark", "Spark + Comet", "Spark + ShadowVM", "DuckDB"


@dataclass
class SparkTimes:
    """Times of one query, in milliseconds, by engine."""

    name: str
    ms: dict[str, list[float]] = field(default_factory=dict)
    rows: int = 0
    accelerated: int = 0
    operators: int = 0
    fallbacks: list[str] = field(default_factory=list)

    def best(self, engine: str) -> float:
        return min(self.ms[engine])

    def faster(self, than: str) -> float:
        """How many times as fast as another engine ShadowVM is."""
        return self.best(than) / self.best(SHADOW)

    @property
    def whole(self) -> bool:
        """All of it ran in the node."""
        return self.operators > 0 and self.accelerated == self.operators

    def to_json(self) -> dict:
        return {"name": self.name, "rows": self.rows, "accelerated": self.accelerated, "operators": self.operators,
                "fallbacks": self.fallbacks,
                "engines": {engine: {"min": min(ms), "median": statistics.median(ms), "ms": ms}
                            for engine, ms in self.ms.items()}}


def check_equal(name: str, engine: str, rows: list, expected: list):
    """Equal rows in equal order, or WrongAnswer naming the first difference."""
    for number, (mine, other) in enumerate(zip(rows, expected)):
        if mine != other:
            raise WrongAnswer(f"{name}: row {number}: {engine} {mine}, {PLAIN} {other}")
    if len(rows) != len(expected):
        raise WrongAnswer(f"{name}: {engine} has {len(rows)} rows, {PLAIN} {len(expected)}")


def take_turns(engines: dict, queries: dict, runs: int, before_ours=None, warm_up: int = 1,
               on_progress=lambda done, total: None) -> list[SparkTimes]:
    """'runs' rounds through all queries after some that are not counted; in a round every engine answers each query
    in turn. 'before_ours' is called before each query that ShadowVM gets. Plain Spark must be among the engines."""
    results = {name: SparkTimes(name, {engine: [] for engine in engines}) for name in queries}
    total = (warm_up + runs) * len(queries)
    for turn in range(total):
        name = list(queries)[turn % len(queries)]
        answers = _answers(engines, queries[name], before_ours)
        for engine, answer in answers.items():
            check_equal(name, engine, answer["rows"], answers[PLAIN]["rows"])
            if turn >= warm_up * len(queries):
                results[name].ms[engine].append(answer["ms"])
        _note(results[name], answers)
        on_progress(turn + 1, total)
    return list(results.values())


def _answers(engines: dict, sql: str, before_ours) -> dict:
    answers = {}
    for name, engine in engines.items():
        if name == SHADOW and before_ours:
            before_ours()
        answers[name] = engine.ask(sql)
    return answers


def _note(times: SparkTimes, answers: dict):
    times.rows = len(answers[PLAIN]["rows"])
    if SHADOW in answers:
        times.accelerated, times.operators, times.fallbacks = (
            answers[SHADOW][key] for key in ("accelerated", "operators", "fallbacks"))


def total_ms(results: list[SparkTimes], engine: str) -> float:
    """The sum over all queries, each by its best run."""
    return sum(times.best(engine) for times in results)


def mean_faster(results: list[SparkTimes], than: str) -> float:
    return geomean(times.faster(than) for times in results)
