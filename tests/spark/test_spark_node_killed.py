# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""The node dies at random moments: every query still gives its rows, and the node comes back."""

import pytest
from node_killer import NodeKiller
from spark_process import SparkProcess
from ssb_queries import QUERIES, TABLES


@pytest.fixture(scope="module")
def expected(on_off, ssb_views) -> dict:
    """Plain Spark's rows."""
    return {name: on_off.off(lambda sql=sql: [list(row) for row in on_off.session.sql(sql).collect()])
            for name, sql in QUERIES.items()}


@pytest.mark.parametrize("kills", [3, pytest.param(20, marks=pytest.mark.long)])
def test_every_query_is_right_and_the_node_comes_back(conf, program, ssb, expected, kills):
    with SparkProcess(conf | {"spark.master": "local[2,4]"}, ssb, TABLES) as spark:
        seen = NodeKiller(spark, program.path, QUERIES, expected).run(kills)
    assert seen.kills == kills == len(seen.back_s)
    assert seen.queries > kills
    assert seen.settled_in_node > 0, "no query ran in a node that had come back"


def test_a_node_that_cannot_be_started_leaves_queries_to_spark(conf, tmp_path, ssb, expected):
    broken = tmp_path / "shadowvm"
    broken.write_text("#!/bin/sh\necho 'this program is broken' >&2\nexit 7\n")
    broken.chmod(0o755)
    with SparkProcess(conf | {"spark.shadowvm.node.path": str(broken)}, ssb, TABLES) as spark:
        answer = spark.ask(QUERIES["q1.1"])
        log = spark.log()
    assert answer["rows"] == expected["q1.1"] and answer["accelerated"] == 0
    assert any("[NO_NODE]" in line for line in answer["fallbacks"]), answer["fallbacks"]
    assert "this program is broken" in log, log[-2000:]


def test_no_program_is_one_clear_line(conf, ssb, expected):
    with SparkProcess(conf | {"spark.shadowvm.node.path": "/no/such/shadowvm"}, ssb, TABLES) as spark:
        answer = spark.ask(QUERIES["q1.1"])
        lines = [line for line in spark.log().splitlines() if "/no/such/shadowvm" in line]
    assert answer["rows"] == expected["q1.1"] and answer["accelerated"] == 0
    assert len(lines) == 1, lines
