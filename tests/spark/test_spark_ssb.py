# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""The 13 queries of the Star Schema Benchmark run whole in the node, with Spark's rows in Spark's order."""

import pytest
from ssb_queries import QUERIES


@pytest.mark.parametrize("query", QUERIES)
def test_rows_and_order_are_sparks(on_off, ssb_views, query):
    report = on_off.check(QUERIES[query])
    assert report.whole, report.text


@pytest.mark.parametrize("query", ["q1.1", "q3.1"])
def test_without_adaptive_execution(on_off, ssb_views, query):
    on_off.session.conf.set("spark.sql.adaptive.enabled", "false")
    try:
        report = on_off.check(QUERIES[query])
    finally:
        on_off.session.conf.unset("spark.sql.adaptive.enabled")
    assert report.whole, report.text


def test_collecting_without_a_job(on_off, ssb_views):
    with on_off.settings(directCollect="true"):
        report = on_off.check(QUERIES["q2.1"])
    assert report.whole, report.text


def test_explain_names_the_operators(on_off, ssb_views, capsys):
    on_off.session.sql(QUERIES["q2.1"]).explain()
    text = capsys.readouterr().out
    assert all(name in text for name in ("ShadowResult", "ShadowSort", "ShadowHashAggregate", "ShadowFileScan")), text


def test_a_query_too_small_stays_in_spark_and_says_so(on_off, ssb_views):
    with on_off.settings(minBytes="1g"):
        report = on_off.check(QUERIES["q1.1"])
    assert report.accelerated == 0
    assert report.reasons == ["TOO_SMALL"]


def test_an_operator_switched_off_stays_in_spark(on_off, ssb_views):
    with on_off.settings(operator_Sort_enabled="false"):
        report = on_off.check(QUERIES["q2.1"])
    assert 0 < report.accelerated < report.operators
    assert any(line.strip().startswith("Sort") for line in report.lines_in_spark()), report.text


def test_explain_only_runs_in_spark(on_off, ssb_views):
    with on_off.settings(explainOnly="true"):
        before = on_off.queries_done()
        report = on_off.check(QUERIES["q1.1"])
        assert on_off.queries_done() == before
    assert report.accelerated == 0 and "EXPLAIN_ONLY" in report.reasons
