# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""The comparison of Spark engines notices every difference and tells losses and fallbacks. No Spark is needed."""

import pytest
from comparison import WrongAnswer
from spark_comparison import PLAIN, SHADOW, SparkTimes, check_equal, mean_faster, take_turns, total_ms
from spark_tables import fallback_report, markdown_table, terminal_table

QUERIES = {"q1": "one", "q2": "two"}


class Scripted:
    """An engine whose times and rows are known."""

    def __init__(self, milliseconds, rows, **report):
        self._milliseconds, self._rows, self._report = iter(milliseconds), rows, report
        self.asked = []

    def ask(self, sql: str) -> dict:
        self.asked.append(sql)
        return {"ms": next(self._milliseconds), "rows": self._rows[sql]} | self._report


ROWS = {"one": [[1]], "two": [[1, "a"], [2, "b"]]}


def engines(ours=ROWS, accelerated=3) -> dict:
    return {PLAIN: Scripted([900, 900, 100, 50, 80, 60], ROWS),
            SHADOW: Scripted([900, 900, 20, 40, 10, 80], ours, accelerated=accelerated, operators=3,
                             fallbacks=[] if accelerated == 3 else ["Sort -> Spark: a reason [CODE]"])}


def test_rounds_after_the_first_count():
    both = engines()
    first, second = take_turns(both, QUERIES, runs=2)
    assert both[PLAIN].asked == ["one", "two"] * 3 == both[SHADOW].asked
    assert first.ms == {PLAIN: [100, 80], SHADOW: [20, 10]} and second.best(PLAIN) == 50
    assert first.faster(PLAIN) == 8 and second.faster(PLAIN) == pytest.approx(50 / 40)
    assert mean_faster([first, second], PLAIN) == pytest.approx(10 ** 0.5)
    assert total_ms([first, second], SHADOW) == 50


def test_something_may_be_done_before_each_of_our_queries():
    both, calls = engines(), []
    take_turns(both, QUERIES, runs=2, before_ours=lambda: calls.append(len(both[SHADOW].asked)))
    assert calls == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize("ours, complaint", [
    ({**ROWS, "two": [[2, "b"], [1, "a"]]}, r"q2: row 0: Spark \+ ShadowVM \[2, 'b'\]"),
    ({**ROWS, "one": []}, "q1: Spark . ShadowVM has 0 rows, Spark 1"),
])
def test_every_difference_is_an_error(ours, complaint):
    with pytest.raises(WrongAnswer, match=complaint):
        take_turns(engines(ours), QUERIES, runs=1)


def test_equal_answers_pass():
    check_equal("q", SHADOW, [[1, None]], [[1, None]])


def test_tables_show_losses_and_fallbacks():
    results = take_turns(engines(accelerated=2), QUERIES, runs=2)
    results[1].ms[SHADOW] = [100.0]
    assert "slower" in terminal_table(results) and "8.0×" in terminal_table(results)
    assert "| q2 | 50.0 | 100.0 | 0.50 | 2/3 | 2 |" in markdown_table(results)
    assert fallback_report(results).splitlines()[:3] == [
        "0 of 2 queries ran whole in the node", "q1: accelerated 2 of 3 operators",
        "  Sort -> Spark: a reason [CODE]"]


def test_a_query_without_operators_ran_nowhere():
    assert not SparkTimes("q").whole
