# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The ShadowVM authors
"""22 queries derived from TPC-H: Spark's rows, and all of each query runs in the node."""

import pytest
from tpch_data import ensure_tpch
from tpch_queries import QUERIES, TABLES


@pytest.fixture(scope="module", params=["0.01", pytest.param("0.1", marks=pytest.mark.long)])
def tpch_views(request, spark, tmp_path_factory):
    """The tables of one scale factor."""
    data = ensure_tpch(tmp_path_factory.mktemp("tpch"), request.param)
    for table in TABLES:
        spark.read.parquet(str(data / f"{table}.parquet")).createOrReplaceTempView(table)


@pytest.mark.parametrize("query", QUERIES)
def test_rows_are_sparks(on_off, tpch_views, query):
    with on_off.settings(minBytes="0"):  # small as they are, the tables go to the node
        report = on_off.check(QUERIES[query])
    assert report.whole, report.text
