# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""The node is killed at random moments of a run of SSB: every query is right, and the node is soon back."""

import spark_engines
from bars import Outcome, Setup
from node_killer import SETTLE_S, NodeKiller
from spark_process import SparkProcess
from ssb_queries import QUERIES, TABLES
from tables import save

KILLS, MAX_BACK_S, MIN_SHARE = 20, 3.0, 0.8


def measure(setup: Setup) -> Outcome:
    conf = spark_engines.shadowvm(setup.threads) | {"spark.master": f"local[{setup.threads},4]"}
    with SparkProcess(spark_engines.plain(setup.threads), setup.sf1, TABLES) as plain:
        expected = {name: plain.ask(sql)["rows"] for name, sql in QUERIES.items()}
    with SparkProcess(conf, setup.sf1, TABLES) as spark:
        seen = NodeKiller(spark, setup.program, QUERIES, expected).run(KILLS)
    save(setup.results / "spark-killed.json", vars(seen))
    return Outcome(f"node killed {KILLS} times, {setup.sf1.name}",
                   f"all rows right, back within {MAX_BACK_S:.0f} s, ≥ {MIN_SHARE:.0%} of queries begun {SETTLE_S:.0f} s "
                   "later run in it",
                   f"{seen.queries} queries right, back within {max(seen.back_s):.1f} s, {seen.settled_share:.0%}",
                   max(seen.back_s) <= MAX_BACK_S and seen.settled_share >= MIN_SHARE)
